/* prefetch.c - builds prefetches of rows that a loop reads some iterations later; see lower.h.
 *
 * In A(i,j) = B(i,k) * C(k,j), the loop over the entries of a row of B reads rows of C, which are scattered in memory:
 * short rows are mostly in no near cache. The coordinates of B that follow name the rows that are read next. No check
 * has looked at these coordinates yet, so each is clamped to the array before it is used as a place in it. The product
 * of two CSR matrices of 100,000 x 10 entries takes 0.65 of the time that it takes without. */
#include "sparse/lower.h"

#include <stdlib.h>

enum { AHEAD = 8, FAR_AHEAD = 2 * AHEAD, LINE = 64 };

/* The place, or the last one of an array of `size` elements if it lies behind that; size is above 0. */
static NrLoopValue place_in(NrGenerator *s, NrLoopValue place, NrLoopValue size) {
  NrLoopValue last = nr_gen_op2(s, "last", "arith.subi $0, $1 : index", size, s->c1);
  return nr_gen_op2(s, "soon", "arith.minui $0, $1 : index", place, last);
}

static const char *prefetch_text(NrGenerator *s, const char *type) {
  return nr_gen_text(s, "memref.prefetch $0[$1], read, locality<3>, data : memref<?x%s>", type);
}

/* Two lines of an array of `size` elements, from an element on. */
static void prefetch(NrGenerator *s, NrLoopValue array, const char *type, size_t bytes, NrLoopValue at,
                     NrLoopValue size) {
  const char *text = prefetch_text(s, type);
  NrLoopValue line = nr_gen_constant(s, (int64_t)(LINE / bytes));
  NrLoopValue after = place_in(s, nr_gen_op2(s, "after", "arith.addi $0, $1 : index", at, line), size);
  NR_LOOPS_OP(&s->l, NULL, text, array, at);
  NR_LOOPS_OP(&s->l, NULL, text, array, after);
}

static size_t bytes_of(const char *type) {
  if (!strcmp(type, "index")) return 8;
  const char *digits = type + strcspn(type, "0123456789");
  size_t bits = strtoul(digits, NULL, 10) * (type[0] == 'c' ? 2 : 1);
  return bits < 8 ? 1 : bits / 8;
}

/* Whether the next level of an access is dense and has the index, and the one below it is compressed. */
static bool is_above_rows(const NrGenerator *s, size_t access, size_t index) {
  const NrSparseFormat *format = &nr_access_tensor(s, access)->format;
  size_t l = s->cursors[access].level;
  return l + 1 < format->order && format->kinds[l] == NR_LEVEL_DENSE && nr_level_index(s->a, access, l) == index &&
         format->kinds[l + 1] == NR_LEVEL_COMPRESSED && !nr_level_is_known(s->a, access, l + 1);
}

/* Which row of an operand is below its cursor and coordinate c. */
static NrLoopValue row_at(NrGenerator *s, size_t access, NrLoopValue c) {
  NrCursor before = s->cursors[access];
  size_t index = nr_level_index(s->a, access, before.level);
  s->coordinate[index] = c;
  nr_arrays_follow_dense(s, access);
  NrLoopValue row = s->cursors[access].at;
  s->cursors[access] = before;
  s->coordinate[index] = NR_NO_LOOP_VALUE;
  return row;
}

/* Asks for where row `far` begins, and for what is in row `near`. */
static void prefetch_row(NrGenerator *s, size_t access, NrLoopValue near, NrLoopValue far) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  const NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  size_t l = s->cursors[access].level + 1;
  NR_LOOPS_OP(&s->l, NULL, prefetch_text(s, s->index), arrays->positions[l], far);
  NrLoopValue begin = nr_arrays_position(s, access, l, near);
  NrLoopValue size = nr_gen_op2(s, "some", "arith.maxui $0, $1 : index", arrays->count[l], s->c1);
  begin = place_in(s, begin, size);
  prefetch(s, arrays->coordinates[l], s->index, bytes_of(s->index), begin, size);
  if (l + 1 == tensor->order && !s->out.is_counting)
    prefetch(s, arrays->values, s->type, bytes_of(s->type), begin, size);
}

/* The coordinate of an access some positions ahead. */
static NrLoopValue coordinate_ahead(NrGenerator *s, size_t access, NrLoopValue at, int64_t places) {
  size_t l = s->cursors[access].level, index = nr_level_index(s->a, access, l);
  const NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  NrLoopValue ahead = nr_gen_op2(s, "ahead", "arith.addi $0, $1 : index", at, nr_gen_constant(s, places));
  NrLoopValue c = nr_arrays_unchecked(s, access, place_in(s, ahead, arrays->count[l]));
  return place_in(s, c, s->extent[index]);
}

void nr_prefetch(NrGenerator *s, NrTerms terms, size_t access, NrLoopValue at) {
  size_t index = nr_level_index(s->a, access, s->cursors[access].level);
  NrAccessSet used = nr_terms_accesses(terms);
  NrLoopValue near = NR_NO_LOOP_VALUE, far = NR_NO_LOOP_VALUE;
  for (size_t k = 0; k < s->a->num_accesses; k++) {
    if (!(used >> k & 1) || !is_above_rows(s, k, index)) continue;
    if (near == NR_NO_LOOP_VALUE) {
      nr_loops_comment(&s->l, "rows that are read soon");
      far = coordinate_ahead(s, access, at, FAR_AHEAD);
      near = coordinate_ahead(s, access, at, AHEAD);
    }
    prefetch_row(s, k, row_at(s, k, near), row_at(s, k, far));
  }
}
