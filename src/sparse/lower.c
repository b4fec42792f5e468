/* lower.c - from an assignment to loops; see sparse.h and lower.h.
 *
 * One loop nest, an index variable at a time. At a variable, the operands that store it in a sparse level are iterated
 * together: the merge lattice of the expression says at which of their coordinates it is not zero. A point of the
 * lattice is a loop that runs while all of its operands have entries left, and in it a branch for each point below:
 *
 *   a(i) = b(i) * c(i)    {b,c}              one while
 *   a(i) = b(i) + c(i)    {b,c} {b} {c}      a while with three branches, then what is left of b, then of c
 *
 * An operand alone, or a dense dim, is an scf.for. */
#include "sparse/merge.h"

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static void put(NrGenerator *s, NrLoopValue value) {
  if (s->sum == NR_NO_LOOP_VALUE) {
    nr_output_put(s, value);
    return;
  }
  if (!s->out.is_marking) nr_loops_assign(&s->l, s->sum, nr_gen_add(s, s->sum, value));
  if (s->found == NR_NO_LOOP_VALUE) return;
  nr_loops_assign(&s->l, s->found, nr_loops_op(&s->l, "yes", "arith.constant true", NULL, 0));
}

/* ---- iterators --------------------------------------------------------------------------------------------------- */

/* The place in the order of the loop behind which the coordinates of levels 0 to l are known. */
static size_t depth_of(const NrGenerator *s, size_t k, size_t l) {
  size_t depth = s->a->num_indices;
  for (bool found = false; !found;) {
    depth--;
    for (size_t m = 0; m <= l; m++) found |= nr_level_index(s->a, k, m) == s->order[depth];
  }
  return depth;
}

/* The accesses with a sparse level whose coordinates are those of the loop at this depth, or are known in it; `known`:
 * only the latter, which are searched. */
static NrAccessSet iterators_of(const NrGenerator *s, NrTerms terms, size_t depth, bool known) {
  NrAccessSet set = nr_terms_accesses(terms), found = 0;
  FOR_EACH(k, set) {
    const NrSparseFormat *format = &nr_access_tensor(s, k)->format;
    for (size_t l = 0; l < format->order; l++)
      if (format->kinds[l] != NR_LEVEL_DENSE && depth_of(s, k, l) == depth &&
          (!known || nr_level_is_known(s->a, k, l)))
        found |= (NrAccessSet)1 << k;
  }
  return found;
}

/* Of a loop over an iterator that has a dense level there, all coordinates are positions: each is searched. */
static bool is_dense_level(const NrGenerator *s, size_t k) {
  return nr_access_tensor(s, k)->format.kinds[s->cursors[k].level] == NR_LEVEL_DENSE;
}

static NrLoopValue coordinate_at(NrGenerator *s, size_t k, NrLoopValue p) {
  return is_dense_level(s, k) ? nr_loops_read(&s->l, p) : nr_arrays_coordinate(s, k, p);
}

static bool repeats(const NrGenerator *s, size_t k) {
  return nr_sparse_level_repeats(&nr_access_tensor(s, k)->format, s->cursors[k].level);
}

/* The first position behind p with another coordinate: a while whose condition reads only what is there. */
static NrLoopValue skip_repeats(NrGenerator *s, const NrMerge *loop, size_t k) {
  NrLoopValue q = nr_loops_variable(&s->l, "last", "index",
                                    nr_gen_op2(s, "next", "arith.addi $0, $1 : index", loop->p[k], s->c1));
  nr_loops_while(&s->l);
  NrLoopValue same = nr_loops_variable(&s->l, "same", "i1", s->no);
  nr_loops_if(&s->l, nr_gen_op2(s, "left", "arith.cmpi ult, $0, $1 : index", q, loop->end[k]));
  NrLoopValue c = nr_arrays_coordinate(s, k, q);
  nr_loops_assign(&s->l, same, nr_gen_op2(s, "same", "arith.cmpi eq, $0, $1 : index", c, loop->crd[k]));
  nr_loops_end(&s->l);
  nr_loops_do(&s->l, same);
  nr_loops_assign(&s->l, q, nr_gen_op2(s, "next", "arith.addi $0, $1 : index", q, s->c1));
  nr_loops_end(&s->l);
  return nr_loops_read(&s->l, q);
}

/* Before the loop: where the iterators begin and end. Returns how many trips there are at most. */
static NrLoopValue begin_iterators(NrGenerator *s, NrMerge *loop) {
  NrLoopValue bound = NR_NO_LOOP_VALUE;
  FOR_EACH(k, loop->iterators) {
    NrLoopValue size = loop->end[k] = s->extent[loop->index];
    loop->p[k] = s->c0;
    if (!is_dense_level(s, k)) {
      nr_arrays_segment(s, k, &loop->p[k], &loop->end[k]);
      size = nr_gen_op2(s, "size", "arith.subi $0, $1 : index", loop->end[k], loop->p[k]);
    }
    if (bound == NR_NO_LOOP_VALUE) bound = size;
    else bound = nr_gen_op2(s, "bound", loop->lattice.size > 1 ? "arith.addi $0, $1 : index"
                                                                 : "arith.minui $0, $1 : index", bound, size);
  }
  return loop->is_full ? s->extent[loop->index] : bound;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Moves the cursor of an iterator behind the level of the loop. */
static void step(NrGenerator *s, const NrMerge *loop, size_t k) {
  NrCursor *cursor = &s->cursors[k];
  if (is_dense_level(s, k)) return;
  cursor->at = loop->p[k];
  cursor->end = repeats(s, k) ? loop->next[k] : NR_NO_LOOP_VALUE;
  cursor->level++;
}

/* Searches the levels below coordinate c whose coordinates are known. */
static void search(NrGenerator *s, NrMerge *loop, size_t k, NrLoopValue c) {
  NrCursor before = s->cursors[k];
  s->coordinate[loop->index] = c;
  step(s, loop, k);
  loop->found[k] = nr_search(s, k, loop->here[k]);
  loop->behind[k] = s->cursors[k];
  s->coordinate[loop->index] = NR_NO_LOOP_VALUE;
  s->cursors[k] = before;
}

/* Moves the cursors of a point's iterators to their entries. */
static void enter(NrGenerator *s, const NrMerge *loop, NrAccessSet point) {
  FOR_EACH(k, point) {
    if (loop->searched >> k & 1) s->cursors[k] = loop->behind[k];
    else step(s, loop, k);
  }
}

/* Moves the cursors to where the iterators of a point have the coordinate c, and the others have not. Returns the terms
 * that are left there. before: NR_SPARSE_MAX_ACCESSES cursors, for close_point. */
static NrTerms open_point(NrGenerator *s, const NrMerge *loop, NrAccessSet point, NrLoopValue c, NrCursor *before) {
  NrTerms terms = nr_terms_without(s->arena, loop->terms, loop->iterators & ~point);
  memcpy(before, s->cursors, sizeof s->cursors);
  s->coordinate[loop->index] = c;
  enter(s, loop, point);
  NrAccessSet used = nr_terms_accesses(terms);
  FOR_EACH(k, used) nr_arrays_follow(s, k);
  return terms;
}

static void close_point(NrGenerator *s, const NrMerge *loop, const NrCursor *before) {
  s->coordinate[loop->index] = NR_NO_LOOP_VALUE;
  memcpy(s->cursors, before, sizeof s->cursors);
}

/* The loop's body at a point. */
static void body(NrGenerator *s, const NrMerge *loop, NrAccessSet point, NrLoopValue c) {
  NrCursor before[NR_SPARSE_MAX_ACCESSES];
  NrTerms terms = open_point(s, loop, point, c, before);
  nr_output_open(s, loop->index);
  nr_gen_loops(s, loop->depth + 1, terms);
  nr_output_close(s, loop->index);
  close_point(s, loop, before);
}

/* Whether the cases before `at` leave only iterators that have all of case `at`, so that it needs no test. */
static bool is_certain(const NrMerge *loop, NrAccessSet point, const NrAccessSet *cases, size_t at) {
  for (NrAccessSet here = point;; here = (here - 1) & point) {
    bool before = false;
    for (size_t i = 0; i < at; i++) before |= (cases[i] & ~here) == 0;
    if ((here || loop->is_full || (point & loop->searched)) && !before && (cases[at] & ~here)) return false;
    if (!here) return true;
  }
}

static NrLoopValue all_here(NrGenerator *s, const NrMerge *loop, NrAccessSet point) {
  NrLoopValue all = NR_NO_LOOP_VALUE;
  FOR_EACH(k, point)
    all = all == NR_NO_LOOP_VALUE ? loop->found[k]
                                  : nr_gen_op2(s, "all", "arith.andi $0, $1 : i1", all, loop->found[k]);
  return all;
}

static void branches(NrGenerator *s, const NrMerge *loop, NrAccessSet point, const NrAccessSet *cases, size_t at,
                     size_t size, NrLoopValue c) {
  if (at == size) return;
  if (is_certain(loop, point, cases, at)) {
    body(s, loop, cases[at], c);
    return;
  }
  nr_loops_if(&s->l, all_here(s, loop, cases[at]));
  body(s, loop, cases[at], c);
  if (at + 1 < size) {
    nr_loops_else(&s->l);
    branches(s, loop, point, cases, at + 1, size, c);
  }
  nr_loops_end(&s->l);
}

/* ---- merges without branches ------------------------------------------------------------------------------------- */

/* Whether each case of a merge appends one element. Then the elements of all cases are computed and written, each that
 * does not count to the place behind, which is written again later. Which case comes next is random, so a branch would
 * be predicted wrong every other time; a select of floats is a branch on x86. */
static bool is_flat(const NrGenerator *s, const NrMerge *loop, NrAccessSet point) {
  FOR_EACH(k, point) if (repeats(s, k)) return false;
  if (point & loop->searched) return false;
  return loop->depth + 1 == s->a->num_indices && s->sum == NR_NO_LOOP_VALUE && !s->out.is_dense &&
         !s->out.in_workspace && loop->index < s->a->num_free && nr_output_levels(s, loop->index) == 1;
}

NrLoopValue nr_merge_element(NrGenerator *s, NrMerge *loop, NrAccessSet point, NrLoopValue c) {
  NrCursor before[NR_SPARSE_MAX_ACCESSES];
  NrTerms terms = open_point(s, loop, point, c, before);
  NrLoopValue element = nr_terms_element(s, terms);
  close_point(s, loop, before);
  return element;
}

static void select_case(NrGenerator *s, const NrMerge *loop, NrAccessSet point, const NrAccessSet *cases, size_t size,
                        NrLoopValue c) {
  NrCursor before[NR_SPARSE_MAX_ACCESSES];
  NrLoopValue any = NR_NO_LOOP_VALUE;
  NrAccessSet used = nr_terms_accesses(nr_terms_without(s->arena, loop->terms, loop->iterators & ~point));
  memcpy(before, s->cursors, sizeof before);
  s->coordinate[loop->index] = c;
  enter(s, loop, point);
  FOR_EACH(k, used) nr_arrays_follow(s, k);
  for (size_t i = size; i-- > 0;) {
    NrLoopValue one = nr_terms_element(s, nr_terms_without(s->arena, loop->terms, loop->iterators & ~cases[i]));
    NrLoopValue all = is_certain(loop, point, cases, i) ? NR_NO_LOOP_VALUE : all_here(s, loop, cases[i]);
    if (i + 1 == size) any = all;
    else if (any != NR_NO_LOOP_VALUE) any = nr_gen_op2(s, "any", "arith.ori $0, $1 : i1", any, all);
    nr_output_write(s, i + 1 == size ? NR_NO_LOOP_VALUE : all, one);
  }
  nr_output_count(s, any);
  close_point(s, loop, before);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static const char *index_name(NrGenerator *s, size_t index) {
  return nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->indices[index]));
}

static const char *position_name(NrGenerator *s, size_t k) {
  return nr_gen_text(s, "p_%.*s", NR_STR_ARG(nr_access_tensor(s, k)->name));
}

/* A loop over one iterator, or over all coordinates from a place on. */
static void for_loop(NrGenerator *s, NrMerge *loop, NrAccessSet point) {
  if (!point) {
    NrLoopValue from = loop->at == NR_NO_LOOP_VALUE ? s->c0 : loop->at, to = s->extent[loop->index];
    if (!loop->depth && s->out.first_row != NR_NO_LOOP_VALUE) {
      from = s->out.first_row;
      to = s->out.end_row;
    }
    NrLoopValue c = nr_loops_for(&s->l, index_name(s, loop->index), from, to);
    body(s, loop, 0, c);
    nr_loops_end(&s->l);
    return;
  }
  size_t k = (size_t)__builtin_ctz(point);
  NrLoopValue before = loop->p[k];
  loop->p[k] = nr_loops_for(&s->l, position_name(s, k), before, loop->end[k]);
  NrLoopValue c = coordinate_at(s, k, loop->p[k]);
  if (point & loop->searched) {
    search(s, loop, k, c);
    nr_loops_if(&s->l, loop->found[k]);
  } else if (!is_dense_level(s, k) && (s->out.is_counting || !s->out.is_bounding)) {
    nr_prefetch(s, loop->terms, k, loop->p[k]);
  }
  body(s, loop, point, c);
  if (point & loop->searched) nr_loops_end(&s->l);
  nr_loops_end(&s->l);
  loop->p[k] = before;
}

/* Moves the iterators at coordinate c past it. */
static void advance(NrGenerator *s, NrMerge *loop, NrAccessSet point, NrLoopValue c) {
  FOR_EACH(k, point) {
    NrLoopValue next;
    if (loop->next[k] != NR_NO_LOOP_VALUE) {
      next = NR_LOOPS_OP(&s->l, "next", "arith.select $0, $1, $2 : index", loop->here[k], loop->next[k], loop->p[k]);
    } else {
      NrLoopValue step = nr_gen_op1(s, "step", "arith.index_castui $0 : i1 to index", loop->here[k]);
      next = nr_gen_op2(s, "next", "arith.addi $0, $1 : index", loop->p[k], step);
    }
    nr_loops_assign(&s->l, loop->p[k], next);
    if (loop->held[k] != NR_NO_LOOP_VALUE)
      nr_loops_assign(&s->l, loop->held[k],
                      NR_LOOPS_OP(&s->l, "held", "arith.select $0, $1, $2 : index", loop->here[k], loop->ahead[k],
                                  loop->held[k]));
    loop->next[k] = loop->here[k] = loop->held[k] = NR_NO_LOOP_VALUE;
  }
  if (loop->is_full) nr_loops_assign(&s->l, loop->at, nr_gen_op2(s, "next", "arith.addi $0, $1 : index", c, s->c1));
}

/* The cases of a point are the points below it. Returns their number. */
static size_t cases_of(const NrMerge *loop, NrAccessSet point, NrAccessSet *out) {
  size_t size = 0;
  for (size_t i = 0; i < loop->lattice.size; i++)
    if (!(loop->lattice.points[i] & ~point)) out[size++] = loop->lattice.points[i];
  return size;
}

/* In an intersection without branches, nothing is left to wait for but a coordinate that depends on the comparison
 * before. So the coordinate behind each position is read before the comparison, which then chooses: SciPy's multiply is
 * 2.4 times slower, and 2.1 times without that. */
static bool reads_ahead(const NrGenerator *s, const NrMerge *loop, NrAccessSet point, size_t num_cases) {
  FOR_EACH(k, point) if (is_dense_level(s, k)) return false;
  return num_cases == 1 && !loop->is_full && is_flat(s, loop, point);
}

/* Before the loop: the first coordinates. */
static void hold_coordinates(NrGenerator *s, NrMerge *loop, NrAccessSet point) {
  FOR_EACH(k, point) {
    loop->held[k] = nr_loops_variable(&s->l, "held", "index", s->c0);
    nr_loops_if(&s->l, nr_gen_op2(s, "some", "arith.cmpi ult, $0, $1 : index", loop->p[k], loop->end[k]));
    nr_loops_assign(&s->l, loop->held[k], nr_arrays_unchecked(s, k, loop->p[k]));
    nr_loops_end(&s->l);
  }
}

/* The coordinate of an iterator that is read ahead, and the one behind it, or itself behind the last. */
static NrLoopValue held_coordinate(NrGenerator *s, NrMerge *loop, size_t k) {
  NrLoopValue last = nr_gen_op2(s, "last", "arith.subi $0, $1 : index", loop->end[k], s->c1);
  NrLoopValue next = nr_gen_op2(s, "next", "arith.addi $0, $1 : index", loop->p[k], s->c1);
  loop->ahead[k] = nr_arrays_unchecked(s, k, nr_gen_op2(s, "next", "arith.minui $0, $1 : index", next, last));
  NrLoopValue crd = nr_loops_read(&s->l, loop->held[k]);
  nr_arrays_check_coordinate(s, k, crd, loop->p[k]);
  return crd;
}

/* Two-finger merge: while all iterators of the point have entries left, the least of their coordinates. */
static void while_loop(NrGenerator *s, NrMerge *loop, NrAccessSet point) {
  NrLoopValue left = NR_NO_LOOP_VALUE, c = NR_NO_LOOP_VALUE;
  NrAccessSet cases[NR_COUNTOF(loop->lattice.points)];
  size_t size = cases_of(loop, point, cases);
  if (reads_ahead(s, loop, point, size)) hold_coordinates(s, loop, point);
  nr_loops_while(&s->l);
  if (loop->is_full) left = nr_gen_op2(s, "left", "arith.cmpi ult, $0, $1 : index", loop->at, s->extent[loop->index]);
  FOR_EACH(k, point) {
    NrLoopValue more = nr_gen_op2(s, "more", "arith.cmpi ult, $0, $1 : index", loop->p[k], loop->end[k]);
    left = left == NR_NO_LOOP_VALUE ? more : nr_gen_op2(s, "left", "arith.andi $0, $1 : i1", left, more);
  }
  nr_loops_do(&s->l, left);
  FOR_EACH(k, point) {
    loop->crd[k] = loop->held[k] != NR_NO_LOOP_VALUE ? held_coordinate(s, loop, k) : coordinate_at(s, k, loop->p[k]);
    if (repeats(s, k)) loop->next[k] = skip_repeats(s, loop, k);
    c = c == NR_NO_LOOP_VALUE
            ? loop->crd[k]
            : nr_gen_op2(s, index_name(s, loop->index), "arith.minui $0, $1 : index", c, loop->crd[k]);
  }
  if (loop->is_full) c = nr_loops_read(&s->l, loop->at);
  FOR_EACH(k, point) {
    loop->found[k] = loop->here[k] = nr_gen_op2(s, "here", "arith.cmpi eq, $0, $1 : index", loop->crd[k], c);
    if (loop->searched >> k & 1) search(s, loop, k, c);
  }
  if (is_flat(s, loop, point)) select_case(s, loop, point, cases, size, c);
  else branches(s, loop, point, cases, 0, size, c);
  advance(s, loop, point, c);
  nr_loops_end(&s->l);
}

static void describe(NrGenerator *s, const NrMerge *loop, NrAccessSet point) {
  const char *text = nr_gen_text(s, "%s: ", index_name(s, loop->index)), *between = "";
  FOR_EACH(k, point) {
    text = nr_gen_text(s, "%s%s%.*s", text, between, NR_STR_ARG(nr_access_tensor(s, k)->name));
    between = ", ";
  }
  if (loop->is_full) text = nr_gen_text(s, "%s%s", text, point ? " and all coordinates" : "all coordinates");
  nr_loops_comment(&s->l, text);
}

static bool is_merged(const NrGenerator *s, const NrMerge *loop) {
  size_t count = (size_t)__builtin_popcount(loop->iterators);
  FOR_EACH(k, loop->iterators) if (repeats(s, k)) return true;
  return count > 1 || (count && loop->is_full);
}

/* Operands are merged in the order of their coordinates, and searched in it; and results are appended to in order. */
static bool has_order(NrGenerator *s, const NrMerge *loop, bool merged) {
  bool writes = nr_output_needs_order(s, loop->index);
  FOR_EACH(k, loop->iterators) {
    const NrSparseTensor *tensor = nr_access_tensor(s, k);
    for (size_t l = 0; l < tensor->order; l++) {
      bool here = l == s->cursors[k].level, searched = (merged && here) || nr_level_is_known(s->a, k, l);
      if (!tensor->format.is_unordered[l] || !(searched || (writes && here))) continue;
      const char *why = searched ? "to find those of other operands" : "to write the result's";
      if (!s->error->message)
        (void)!nr_sparse_fail(s->arena, s->error, 0,
                              "level %zu of '%.*s' has its coordinates in no order, but the loop over '%s' needs them "
                              "in order %s; store it as s",
                              l, NR_STR_ARG(tensor->name), index_name(s, loop->index), why);
      return false;
    }
  }
  return true;
}

static void loop_over(NrGenerator *s, size_t depth, NrTerms terms) {
  NrMerge loop = {.depth = depth, .index = s->order[depth], .terms = terms, .at = NR_NO_LOOP_VALUE};
  for (size_t k = 0; k < NR_SPARSE_MAX_ACCESSES; k++)
    loop.next[k] = loop.here[k] = loop.held[k] = NR_NO_LOOP_VALUE;
  loop.iterators = iterators_of(s, terms, depth, false);
  loop.searched = iterators_of(s, terms, depth, true);
  if (__builtin_popcount(loop.iterators) > NR_SPARSE_MAX_MERGED) {
    if (!s->error->message)
      (void)!nr_sparse_fail(s->arena, s->error, 0, "%d sparse operands meet in the loop over '%s'; at most %d can",
                            __builtin_popcount(loop.iterators), index_name(s, loop.index), NR_SPARSE_MAX_MERGED);
    return;
  }
  nr_lattice_of(terms, loop.iterators, &loop.lattice);
  loop.is_full = !loop.lattice.points[loop.lattice.size - 1];
  NrLoopValue bound = begin_iterators(s, &loop);
  if (nr_workspace_bounds(s, loop.index, bound)) return;
  nr_output_open_loop(s, loop.index, bound);
  bool merged = is_merged(s, &loop);
  if (!has_order(s, &loop, merged)) return;
  if (merged && loop.is_full) loop.at = nr_loops_variable(&s->l, index_name(s, loop.index), "index", s->c0);
  FOR_EACH(k, merged ? loop.iterators : 0)
    loop.p[k] = nr_loops_variable(&s->l, position_name(s, k), "index", loop.p[k]);
  if (is_flat(s, &loop, loop.iterators) && nr_merge_has_vectors(s, &loop)) {
    describe(s, &loop, loop.iterators);
    nr_merge_vectors(s, &loop);
    return;
  }
  for (size_t i = 0; i < loop.lattice.size; i++) {
    NrAccessSet point = loop.lattice.points[i];
    bool one = !(point & (point - 1)), again = point && repeats(s, (size_t)__builtin_ctz(point));
    describe(s, &loop, point);
    if (!point || (one && !loop.is_full && !again)) for_loop(s, &loop, point);
    else while_loop(s, &loop, point);
  }
}

/* ---- the nest ---------------------------------------------------------------------------------------------------- */

static bool has_free(const NrGenerator *s, size_t depth) {
  for (size_t k = depth; k < s->a->num_indices; k++)
    if (s->order[k] < s->a->num_free) return true;
  return false;
}

static bool has_iterators(const NrGenerator *s, size_t depth, NrTerms terms) {
  for (size_t k = depth; k < s->a->num_indices; k++)
    if (iterators_of(s, terms, k, false)) return true;
  return false;
}

bool nr_gen_visits_all(const NrGenerator *s) {
  NrTerms terms = nr_terms_of(s->arena, s->a);
  for (size_t l = 0; l < s->a->tensors[0].order; l++)
    if (nr_level_is_known(s->a, 0, l)) return false;
  for (size_t depth = 0; depth < s->a->num_indices; depth++)
    if (s->order[depth] < s->a->num_free && iterators_of(s, terms, depth, false)) return false;
  return true;
}

/* All loops that are left sum up: into a variable. Where a sparse result may have no entry, another one notes it. */
static void reduce(NrGenerator *s, size_t depth, NrTerms terms) {
  s->sum = nr_loops_variable(&s->l, "acc", s->type, s->zero);
  if (!s->out.is_dense && has_iterators(s, depth, terms))
    s->found = nr_loops_variable(&s->l, "found", "i1", s->no);
  nr_gen_loops(s, depth, terms);
  NrLoopValue sum = s->sum, found = s->found;
  s->sum = s->found = NR_NO_LOOP_VALUE;
  if (found != NR_NO_LOOP_VALUE) nr_loops_if(&s->l, found);
  put(s, sum);
  if (found != NR_NO_LOOP_VALUE) nr_loops_end(&s->l);
}

/* Each case of a merge has loops of its own inside, so the cases of all loops multiply. */
static bool is_too_large(NrGenerator *s) {
  if (s->l.size <= NR_SPARSE_MAX_STATEMENTS) return false;
  size_t most = 0, at = 0;
  for (size_t k = 0; k < s->a->num_indices; k++) {
    NrAccessSet set = iterators_of(s, nr_terms_of(s->arena, s->a), k, false);
    size_t count = (size_t)__builtin_popcount(set);
    if (count <= most) continue;
    most = count;
    at = s->order[k];
  }
  if (!s->error->message)
    (void)!nr_sparse_fail(s->arena, s->error, 0, "the loops have too many cases: more than %d statements. %zu sparse "
                          "operands meet in the loop over '%s', and each case of which of them have an entry has loops "
                          "of its own inside; make a format dense, or divide the sum into two expressions",
                          NR_SPARSE_MAX_STATEMENTS, most, index_name(s, at));
  return true;
}

void nr_gen_loops(NrGenerator *s, size_t depth, NrTerms terms) {
  if (!terms.size || is_too_large(s)) return;
  if (depth == s->a->num_indices) {
    put(s, s->out.is_marking ? NR_NO_LOOP_VALUE : nr_terms_element(s, terms));
    return;
  }
  if (s->sum == NR_NO_LOOP_VALUE && !has_free(s, depth)) {
    reduce(s, depth, terms);
    return;
  }
  size_t index = s->order[depth];
  bool is_free = index < s->a->num_free;
  if (!is_free && s->sum == NR_NO_LOOP_VALUE && !s->out.is_dense && !s->out.in_workspace) {
    nr_workspace_row(s, depth, terms);
    return;
  }
  if (is_free) {
    loop_over(s, depth, terms);
    return;
  }
  NrTerms rest = nr_terms_with_index(s->arena, terms, index, false);
  NrTerms with = nr_terms_with_index(s->arena, terms, index, true);
  nr_gen_loops(s, depth + 1, rest);
  if (with.size) loop_over(s, depth, with);
}
