/* check.c - checks on request that coordinates are in order; see lower.h.
 *
 * A loop over the segments of each level, before anything is computed. Below one position, the coordinates of a
 * compressed level and of the singletons below it grow, the outermost first. */
#include "sparse/lower.h"

static NrLoopValue both(NrGenerator *s, const char *op, NrLoopValue a, NrLoopValue b) {
  return nr_gen_op2(s, op, nr_gen_text(s, "arith.%s $0, $1 : i1", op), a, b);
}

/* Whether the coordinates of levels l to last at `before` come before those at p; out_wrong: the two of level l. */
static NrLoopValue is_above(NrGenerator *s, size_t access, size_t l, size_t last, NrLoopValue before, NrLoopValue p,
                            NrLoopValue out_wrong[2]) {
  NrLoopValue above = NR_NO_LOOP_VALUE;
  for (size_t k = last + 1; k-- > l;) {
    s->cursors[access].level = k;
    NrLoopValue a = nr_arrays_coordinate(s, access, before), b = nr_arrays_coordinate(s, access, p);
    NrLoopValue less = nr_gen_op2(s, "less", "arith.cmpi ult, $0, $1 : index", a, b);
    NrLoopValue same = nr_gen_op2(s, "same", "arith.cmpi eq, $0, $1 : index", a, b);
    above = above == NR_NO_LOOP_VALUE ? less : both(s, "ori", less, both(s, "andi", same, above));
    out_wrong[0] = a;
    out_wrong[1] = b;
  }
  return above;
}

static void check_above(NrGenerator *s, size_t access, size_t l, const char *text, const NrLoopValue operands[4]) {
  nr_loops_op(&s->l, NULL,
              nr_gen_text(s, "rt.check $0, \"%.*s: level %zu: %s\"($1, $2, $3 : index, index, index)",
                          NR_STR_ARG(nr_access_tensor(s, access)->name), l, text),
              operands, 4);
}

void nr_check_above(NrGenerator *s, size_t access, size_t l, NrLoopValue above, NrLoopValue crd, NrLoopValue at,
                    NrLoopValue before) {
  check_above(s, access, l, "coordinate %0 at position %1 is not above %2, the one before it",
              (NrLoopValue[]){above, crd, at, before});
}

/* The segment below the cursor. */
static void check_segment(NrGenerator *s, size_t access, size_t l, size_t last) {
  NrLoopValue begin, end, wrong[2] = {s->c0, s->c0};
  s->cursors[access].level = l;
  nr_arrays_segment(s, access, &begin, &end);
  NrLoopValue p = nr_loops_for(&s->l, "p", begin, end);
  for (size_t k = l; k <= last; k++) {
    s->cursors[access].level = k;
    nr_arrays_coordinate(s, access, p);
  }
  if (nr_access_tensor(s, access)->format.is_unordered[l]) {
    nr_loops_end(&s->l);
    return;
  }
  nr_loops_if(&s->l, nr_gen_op2(s, "later", "arith.cmpi ugt, $0, $1 : index", p, begin));
  NrLoopValue before = nr_gen_op2(s, "before", "arith.subi $0, $1 : index", p, s->c1);
  NrLoopValue above = is_above(s, access, l, last, before, p, wrong);
  if (l == last) {
    nr_check_above(s, access, l, above, wrong[1], p, wrong[0]);
  } else {
    check_above(s, access, l, "the coordinates from %0 on at position %1 are not above those from %2 on before it",
                (NrLoopValue[]){above, wrong[1], p, wrong[0]});
  }
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
}

static void check_tensor(NrGenerator *s, size_t access) {
  const NrSparseFormat *format = &nr_access_tensor(s, access)->format;
  NrCursor start = s->cursors[access];
  NrLoopValue used = s->c1; /* positions of the level above */
  for (size_t l = 0, last; l < format->order; l = last + 1) {
    last = l;
    if (format->kinds[l] == NR_LEVEL_DENSE) {
      used = nr_gen_op2(s, "used", "arith.muli $0, $1 : index", used, s->extent[nr_level_index(s->a, access, l)]);
      continue;
    }
    while (nr_sparse_level_repeats(format, last)) last++;
    NrLoopValue at = nr_loops_for(&s->l, "at", s->c0, used);
    s->cursors[access].at = at;
    check_segment(s, access, l, last);
    nr_loops_end(&s->l);
    if (format->kinds[l] == NR_LEVEL_COMPRESSED) used = nr_arrays_used(s, access, l, used);
  }
  s->cursors[access] = start;
}

void nr_check_order(NrGenerator *s) {
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    bool done = nr_sparse_format_is_dense(&nr_access_tensor(s, k)->format);
    for (size_t i = 1; i < k; i++) done |= s->a->accesses[i].tensor == s->a->accesses[k].tensor;
    if (!done) check_tensor(s, k);
  }
}
