/* search.c - diagonals: levels whose coordinate is known before they are reached; see lower.h.
 *
 * In B(i,i), the loop over i goes over the level of the first i, or over all coordinates if that is dense. What is
 * below is then found by its coordinate: computed on a dense level, searched by halves on another. The loop's iterator
 * counts as an entry only where all of these levels have one. */
#include "sparse/lower.h"

bool nr_level_is_known(const NrSparseAssignment *a, size_t access, size_t l) {
  for (size_t k = 0; k < l; k++)
    if (nr_level_index(a, access, k) == nr_level_index(a, access, l)) return true;
  return false;
}

/* The first position from begin on whose coordinate is not below c; `end` where there is none. */
static NrLoopValue lower_bound(NrGenerator *s, size_t access, NrLoopValue begin, NrLoopValue end, NrLoopValue c) {
  NrLoopValue low = nr_loops_variable(&s->l, "low", "index", begin);
  NrLoopValue high = nr_loops_variable(&s->l, "high", "index", end);
  nr_loops_while(&s->l);
  nr_loops_do(&s->l, nr_gen_op2(s, "left", "arith.cmpi ult, $0, $1 : index", low, high));
  NrLoopValue size = nr_gen_op2(s, "size", "arith.subi $0, $1 : index", high, low);
  NrLoopValue half = nr_gen_op2(s, "half", "arith.shrui $0, $1 : index", size, s->c1);
  NrLoopValue middle = nr_gen_op2(s, "middle", "arith.addi $0, $1 : index", low, half);
  NrLoopValue crd = nr_arrays_coordinate(s, access, middle);
  NrLoopValue below = nr_gen_op2(s, "below", "arith.cmpi ult, $0, $1 : index", crd, c);
  NrLoopValue next = nr_gen_op2(s, "next", "arith.addi $0, $1 : index", middle, s->c1);
  NrLoopValue from = NR_LOOPS_OP(&s->l, "low", "arith.select $0, $1, $2 : index", below, next, low);
  NrLoopValue to = NR_LOOPS_OP(&s->l, "high", "arith.select $0, $1, $2 : index", below, high, middle);
  nr_loops_assign(&s->l, low, from);
  nr_loops_assign(&s->l, high, to);
  nr_loops_end(&s->l);
  return nr_loops_read(&s->l, low);
}

/* The variables that a search sets where it finds an entry. */
typedef struct Search {
  NrLoopValue found, at;
  NrLoopValue end; /* where the last level repeats; else none */
} Search;

static bool is_known(const NrGenerator *s, size_t access, size_t l) {
  return l < nr_access_tensor(s, access)->order &&
         s->coordinate[nr_level_index(s->a, access, l)] != NR_NO_LOOP_VALUE;
}

/* Searches the cursor's level and those below. */
static void search_levels(NrGenerator *s, size_t access, const Search *search) {
  const NrSparseFormat *format = &nr_access_tensor(s, access)->format;
  NrCursor *cursor = &s->cursors[access];
  nr_arrays_follow_dense(s, access);
  size_t l = cursor->level;
  if (!is_known(s, access, l)) {
    nr_loops_assign(&s->l, search->found, nr_loops_op(&s->l, "yes", "arith.constant true", NULL, 0));
    nr_loops_assign(&s->l, search->at, cursor->at);
    if (search->end != NR_NO_LOOP_VALUE) nr_loops_assign(&s->l, search->end, cursor->end);
    return;
  }
  NrLoopValue c = s->coordinate[nr_level_index(s->a, access, l)], begin, end;
  nr_arrays_segment(s, access, &begin, &end);
  NrLoopValue p = lower_bound(s, access, begin, end, c);
  nr_loops_if(&s->l, nr_gen_op2(s, "some", "arith.cmpi ult, $0, $1 : index", p, end));
  NrLoopValue crd = nr_arrays_coordinate(s, access, p);
  nr_loops_if(&s->l, nr_gen_op2(s, "same", "arith.cmpi eq, $0, $1 : index", crd, c));
  cursor->at = p;
  cursor->end = NR_NO_LOOP_VALUE;
  if (nr_sparse_level_repeats(format, l))
    cursor->end = lower_bound(s, access, p, end, nr_gen_op2(s, "above", "arith.addi $0, $1 : index", c, s->c1));
  cursor->level++;
  search_levels(s, access, search);
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
}

NrLoopValue nr_search(NrGenerator *s, size_t access, NrLoopValue when) {
  NrCursor *cursor = &s->cursors[access];
  size_t last = cursor->level;
  while (is_known(s, access, last + 1)) last++;
  Search search = {.found = nr_loops_variable(&s->l, "found", "i1", s->no),
                   .at = nr_loops_variable(&s->l, "p", "index", s->c0),
                   .end = NR_NO_LOOP_VALUE};
  if (nr_sparse_level_repeats(&nr_access_tensor(s, access)->format, last))
    search.end = nr_loops_variable(&s->l, "end", "index", s->c0);
  if (when != NR_NO_LOOP_VALUE) nr_loops_if(&s->l, when);
  search_levels(s, access, &search);
  if (when != NR_NO_LOOP_VALUE) nr_loops_end(&s->l);
  *cursor = (NrCursor){.level = last + 1, .at = nr_loops_read(&s->l, search.at), .value = NR_NO_LOOP_VALUE,
                       .end = search.end == NR_NO_LOOP_VALUE ? search.end : nr_loops_read(&s->l, search.end)};
  return nr_loops_read(&s->l, search.found);
}
