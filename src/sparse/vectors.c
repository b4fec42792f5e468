/* vectors.c - merges of two sparse levels that compare vectors of coordinates; see merge.h.
 *
 * The two segments are merged in steps of at most 16 entries of each, whose coordinates are compared all with all. So
 * no branch depends on how the coordinates of the two follow each other, which cannot be predicted:
 *
 *   union         where an entry goes is its place among its own and the number of those of the other that are below;
 *                 entries that both have count once. A step ends where the shorter of its two blocks does, so that what
 *                 follows is above all of it.
 *   intersection  which of the first block's coordinates the second has; then the block that ends first is left.
 *
 * That the coordinates of a step are in range and in order is checked by vectors too, before anything is read by them.
 * Lanes without an entry have -1, which is above all coordinates as an unsigned number. lib/csr_add.mlir and
 * lib/csr_multiply.mlir have the same steps. */
#include "sparse/merge.h"

enum { LANES = 16 };

/* A step of a merge. */
typedef struct Step {
  NrGenerator *s;
  NrMerge *loop;
  size_t k[2];            /* the iterators */
  const char *columns;    /* the type of a vector of coordinates */
  NrLoopValue none, limit, width; /* vectors of -1 and of the extent; 16 */
  NrLoopValue p[2], count[2], block[2]; /* where the entries begin, how many they are, their coordinates */
} Step;

static NrLoopValue op(Step *m, const char *hint, const char *text, NrLoopValue a, NrLoopValue b) {
  return nr_gen_op2(m->s, hint, text, a, b);
}
static NrLoopValue add(Step *m, NrLoopValue a, NrLoopValue b) {
  return op(m, "at", "arith.addi $0, $1 : index", a, b);
}
static NrLoopValue sub(Step *m, NrLoopValue a, NrLoopValue b) {
  return op(m, "rest", "arith.subi $0, $1 : index", a, b);
}
static NrLoopValue least(Step *m, NrLoopValue a, NrLoopValue b) {
  return op(m, "least", "arith.minui $0, $1 : index", a, b);
}
static NrLoopValue both(Step *m, NrLoopValue a, NrLoopValue b) {
  return op(m, "both", "arith.andi $0, $1 : vector<16xi1>", a, b);
}
static NrLoopValue either(Step *m, NrLoopValue a, NrLoopValue b) {
  return op(m, "either", "arith.ori $0, $1 : vector<16xi1>", a, b);
}
static NrLoopValue compare(Step *m, const char *predicate, NrLoopValue a, NrLoopValue b) {
  return op(m, predicate, nr_gen_text(m->s, "arith.cmpi %s, $0, $1 : %s", predicate, m->columns), a, b);
}
static NrLoopValue any(Step *m, NrLoopValue lanes) {
  return nr_gen_op1(m->s, "some", "vector.reduction <or>, $0 : vector<16xi1> into i1", lanes);
}
static NrLoopValue mask(Step *m, NrLoopValue count) {
  return nr_gen_op1(m->s, "mask", "vector.create_mask $0 : vector<16xi1>", count);
}
static NrLoopValue no_lanes(Step *m) {
  return nr_loops_op(&m->s->l, "lanes", "arith.constant dense<false> : vector<16xi1>", NULL, 0);
}

static NrLoopValue count_lanes(Step *m, NrLoopValue lanes) {
  NrLoopValue each = nr_gen_op1(m->s, "each", "arith.extui $0 : vector<16xi1> to vector<16xi32>", lanes);
  NrLoopValue sum = nr_gen_op1(m->s, "lanes", "vector.reduction <add>, $0 : vector<16xi32> into i32", each);
  return nr_gen_op1(m->s, "lanes", "arith.index_castui $0 : i32 to index", sum);
}

static NrLoopValue spread(Step *m, NrLoopValue coordinate) {
  return nr_gen_op1(m->s, "each", nr_gen_text(m->s, "vector.broadcast $0 : %s to %s", m->s->index, m->columns),
                    coordinate);
}

static NrLoopValue coordinates(const Step *m, size_t i) {
  size_t k = m->k[i];
  return m->s->arrays[m->s->a->accesses[k].tensor].coordinates[m->s->cursors[k].level];
}

/* The coordinates of at most 16 entries from `at` on, and -1. */
static NrLoopValue load_block(Step *m, size_t i, NrLoopValue at, NrLoopValue lanes) {
  const char *text = nr_gen_text(m->s, "vector.maskedload $0[$1], $2, $3 : memref<?x%s>, vector<16xi1>, %s into %s",
                                 m->s->index, m->columns, m->columns);
  return NR_LOOPS_OP(&m->s->l, "block", text, coordinates(m, i), at, lanes, m->none);
}

/* As the array has it. */
static NrLoopValue load_one(Step *m, size_t i, NrLoopValue at) {
  return op(m, "crd", nr_gen_text(m->s, "memref.load $0[$1] : memref<?x%s>", m->s->index), coordinates(m, i), at);
}

static NrLoopValue as_index(Step *m, NrLoopValue coordinate) {
  return nr_gen_op1(m->s, "crd",
                    nr_gen_text(m->s, "arith.index_castui $0 : %s to index", m->s->index), coordinate);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Which coordinates of a block are out of range, or not below the one behind them in the segment. */
static NrLoopValue wrong_lanes(Step *m, size_t i, NrLoopValue lanes) {
  NrLoopValue c1 = m->s->c1, left = sub(m, m->loop->end[m->k[i]], m->p[i]);
  NrLoopValue some = op(m, "some", "arith.maxui $0, $1 : index", left, c1);
  NrLoopValue pairs = mask(m, least(m, m->count[i], sub(m, some, c1)));
  NrLoopValue next = load_block(m, i, add(m, m->p[i], c1), pairs);
  NrLoopValue falls = both(m, compare(m, "sge", m->block[i], next), pairs);
  return either(m, falls, both(m, compare(m, "uge", m->block[i], m->limit), lanes));
}

/* Says which coordinate of the segment is wrong. */
static void report(Step *m, size_t i) {
  NrGenerator *s = m->s;
  size_t k = m->k[i];
  NrLoopValue end = m->loop->end[k];
  NrLoopValue at = nr_loops_for(&s->l, "at", m->p[i], end);
  nr_loops_keep_scalar(&s->l);
  NrLoopValue crd = nr_arrays_coordinate(s, k, at);
  NrLoopValue next = add(m, at, s->c1);
  nr_loops_if(&s->l, op(m, "more", "arith.cmpi ult, $0, $1 : index", next, end));
  NrLoopValue after = nr_arrays_coordinate(s, k, next);
  nr_check_above(s, k, s->cursors[k].level, op(m, "above", "arith.cmpi ult, $0, $1 : index", crd, after), after, next,
                 crd);
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
}

static void load_blocks(Step *m) {
  NrLoopValue wrong[2];
  for (size_t i = 0; i < 2; i++) {
    NrLoopValue lanes = mask(m, m->count[i]);
    m->block[i] = load_block(m, i, m->p[i], lanes);
    wrong[i] = wrong_lanes(m, i, lanes);
  }
  nr_loops_if(&m->s->l, any(m, either(m, wrong[0], wrong[1])));
  for (size_t i = 0; i < 2; i++) report(m, i);
  nr_loops_end(&m->s->l);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The last coordinate of the next 16 entries; -1 where the segment has no more than those. */
static NrLoopValue last_of_block(Step *m, size_t i, NrLoopValue rest) {
  NrGenerator *s = m->s;
  NrLoopValue behind = nr_loops_op(&s->l, "behind", nr_gen_text(s, "arith.constant -1 : %s", s->index), NULL, 0);
  NrLoopValue last = nr_loops_variable(&s->l, "last", s->index, behind);
  nr_loops_if(&s->l, op(m, "more", "arith.cmpi ugt, $0, $1 : index", rest, m->width));
  nr_loops_assign(&s->l, last, load_one(m, i, add(m, m->p[i], nr_gen_constant(s, LANES - 1))));
  nr_loops_end(&s->l);
  return last;
}

/* How many entries of a segment are in the next step of a union: those up to the last coordinate of the shorter
 * block. */
static void count_step(Step *m, const NrLoopValue rest[2]) {
  NrGenerator *s = m->s;
  NrLoopValue count[2];
  for (size_t i = 0; i < 2; i++) count[i] = nr_loops_variable(&s->l, "count", "index", rest[i]);
  NrLoopValue longer = op(m, "longer", "arith.maxui $0, $1 : index", rest[0], rest[1]);
  nr_loops_if(&s->l, op(m, "more", "arith.cmpi ugt, $0, $1 : index", longer, m->width));
  NrLoopValue last0 = last_of_block(m, 0, rest[0]), last1 = last_of_block(m, 1, rest[1]);
  NrLoopValue last = op(m, "last", nr_gen_text(s, "arith.minui $0, $1 : %s", s->index), last0, last1);
  NrLoopValue limit = spread(m, last);
  for (size_t i = 0; i < 2; i++) {
    NrLoopValue lanes = mask(m, least(m, rest[i], m->width));
    NrLoopValue within = compare(m, "ule", load_block(m, i, m->p[i], lanes), limit);
    nr_loops_assign(&s->l, count[i], count_lanes(m, both(m, within, lanes)));
  }
  nr_loops_end(&s->l);
  for (size_t i = 0; i < 2; i++) m->count[i] = least(m, count[i], m->width);
}

/* The element where the iterators of a point are at positions of the step. */
static NrLoopValue element(Step *m, NrAccessSet point, NrLoopValue c, NrLoopValue at0, NrLoopValue at1) {
  NrLoopValue *p = m->loop->p, before[2] = {p[m->k[0]], p[m->k[1]]};
  p[m->k[0]] = at0;
  p[m->k[1]] = at1;
  NrLoopValue value = nr_merge_element(m->s, m->loop, point, c);
  for (size_t i = 0; i < 2; i++) p[m->k[i]] = before[i];
  return value;
}

static NrAccessSet only(const Step *m, size_t i) { return (NrAccessSet)1 << m->k[i]; }

/* A loop over the entries of a block: their places in it, and their positions. The last comes up to four times, which
 * its body must allow: how many fours there are is seldom predicted wrong, which takes as long as ten entries. */
static void loop_over_block(Step *m, size_t i, NrLoopValue *out_i, NrLoopValue *out_at) {
  NrGenerator *s = m->s;
  NrLoopValue four = nr_gen_constant(s, 4);
  NrLoopValue up = add(m, m->count[i], nr_gen_constant(s, 3));
  NrLoopValue fours = op(m, "fours", "arith.divui $0, $1 : index", up, four);
  NrLoopValue last = sub(m, m->count[i], s->c1);
  NrLoopValue f = nr_loops_for(&s->l, "f", s->c0, fours);
  nr_loops_keep_scalar(&s->l); /* stores of lanes to places of their own are slower */
  NrLoopValue first = op(m, "first", "arith.muli $0, $1 : index", f, four);
  NrLoopValue one = nr_loops_for(&s->l, "one", s->c0, four);
  nr_loops_keep_scalar(&s->l);
  *out_i = least(m, add(m, first, one), last);
  *out_at = add(m, m->p[i], *out_i);
}

static void end_loop_over_block(Step *m) {
  nr_loops_end(&m->s->l);
  nr_loops_end(&m->s->l);
}

/* Where a coordinate is in a block, or some place in it. */
static NrLoopValue lane_of(Step *m, size_t i, NrLoopValue each) {
  NrLoopValue below = count_lanes(m, compare(m, "ult", m->block[i], each));
  return least(m, below, sub(m, m->count[i], m->s->c1));
}

/* ---- unions ------------------------------------------------------------------------------------------------------ */

/* Where entry n of its side goes, of which `others` are those of the other side with places of their own. */
static NrLoopValue place_of(Step *m, NrLoopValue n, NrLoopValue others, NrLoopValue each) {
  NrLoopValue below = count_lanes(m, compare(m, "ult", others, each));
  return add(m, add(m, nr_output_size(m->s), n), below);
}

/* Writes the entries of one side as if the other had none of their coordinates; others: coordinates of the other that
 * have places of their own. Returns which of them are coordinates of these entries. */
static NrLoopValue write_side(Step *m, size_t i, NrLoopValue others) {
  NrGenerator *s = m->s;
  NrLoopValue shared = nr_loops_variable(&s->l, "shared", "vector<16xi1>", no_lanes(m)), n, at;
  loop_over_block(m, i, &n, &at);
  NrLoopValue small = load_one(m, i, at), each = spread(m, small), crd = as_index(m, small);
  NrLoopValue value = element(m, only(m, i), crd, at, at);
  NrLoopValue place = place_of(m, n, others, each);
  nr_output_write_at(s, place, crd, value);
  nr_loops_assign(&s->l, shared, either(m, shared, compare(m, "eq", others, each)));
  end_loop_over_block(m);
  return shared;
}

/* Which coordinates of block i the other block has. */
static NrLoopValue among_others(Step *m, size_t i) {
  NrGenerator *s = m->s;
  NrLoopValue shared = nr_loops_variable(&s->l, "among", "vector<16xi1>", no_lanes(m)), n, at;
  loop_over_block(m, !i, &n, &at);
  nr_loops_assign(&s->l, shared, either(m, shared, compare(m, "eq", m->block[i], spread(m, load_one(m, !i, at)))));
  end_loop_over_block(m);
  return both(m, shared, mask(m, m->count[i]));
}

static NrLoopValue without(Step *m, NrLoopValue lanes, NrLoopValue block) {
  const char *text = nr_gen_text(m->s, "arith.select $0, $1, $2 : vector<16xi1>, %s", m->columns);
  return NR_LOOPS_OP(&m->s->l, "alone", text, lanes, m->none, block);
}

/* Writes the entries of the second side. Of those whose coordinates the first has, the element of both takes the place
 * of the first's; it is computed for all, at some entry of the first. */
static void write_both(Step *m, NrLoopValue alone) {
  NrGenerator *s = m->s;
  NrLoopValue n, at;
  loop_over_block(m, 1, &n, &at);
  NrLoopValue small = load_one(m, 1, at), each = spread(m, small), crd = as_index(m, small);
  NrLoopValue is_shared = any(m, compare(m, "eq", m->block[0], each));
  NrLoopValue lane = lane_of(m, 0, each);
  NrLoopValue shared = element(m, only(m, 0) | only(m, 1), crd, add(m, m->p[0], lane), at);
  NrLoopValue single = element(m, only(m, 1), crd, at, at);
  NrLoopValue value = NR_LOOPS_OP(&s->l, "value", nr_gen_text(s, "arith.select $0, $1, $2 : %s", s->type), is_shared,
                                  shared, single);
  NrLoopValue place = place_of(m, n, alone, each);
  nr_output_write_at(s, place, crd, value);
  end_loop_over_block(m);
}

static void union_step(Step *m) {
  NrGenerator *s = m->s;
  NrLoopValue size = nr_output_size(s), total = add(m, m->count[0], m->count[1]);
  NrLoopValue shared = write_side(m, 0, m->block[1]);
  nr_loops_if(&s->l, any(m, shared));
  NrLoopValue alone = without(m, among_others(m, 0), m->block[0]);
  write_side(m, 0, without(m, shared, m->block[1]));
  write_both(m, alone);
  nr_loops_assign(&s->l, size, add(m, size, sub(m, total, count_lanes(m, shared))));
  nr_loops_else(&s->l);
  write_side(m, 1, m->block[0]);
  nr_loops_assign(&s->l, size, add(m, size, total));
  nr_loops_end(&s->l);
  for (size_t i = 0; i < 2; i++) nr_loops_assign(&s->l, m->loop->p[m->k[i]], add(m, m->p[i], m->count[i]));
}

/* ---- intersections ----------------------------------------------------------------------------------------------- */

/* Writes an element for each entry of the first block, which the next one replaces where the second has none. */
static void write_shared(Step *m) {
  NrGenerator *s = m->s;
  NrLoopValue size = nr_output_size(s);
  NrLoopValue n = nr_loops_for(&s->l, "n", s->c0, m->count[0]), at = add(m, m->p[0], n);
  nr_loops_keep_scalar(&s->l);
  NrLoopValue small = load_one(m, 0, at), each = spread(m, small), crd = as_index(m, small);
  NrLoopValue is_shared = any(m, compare(m, "eq", m->block[1], each));
  NrLoopValue lane = lane_of(m, 1, each);
  NrLoopValue value = element(m, only(m, 0) | only(m, 1), crd, at, add(m, m->p[1], lane));
  nr_output_write_at(s, size, crd, value);
  NrLoopValue step = nr_gen_op1(s, "step", "arith.index_castui $0 : i1 to index", is_shared);
  nr_loops_assign(&s->l, size, add(m, size, step));
  nr_loops_end(&s->l);
}

/* Leaves the block whose last coordinate is the lesser one, or both. */
static void leave_block(Step *m) {
  NrGenerator *s = m->s;
  NrLoopValue behind[2], last[2];
  for (size_t i = 0; i < 2; i++) {
    behind[i] = add(m, m->p[i], m->count[i]);
    last[i] = load_one(m, i, sub(m, behind[i], s->c1));
  }
  for (size_t i = 0; i < 2; i++) {
    const char *text = nr_gen_text(s, "arith.cmpi sle, $0, $1 : %s", s->index);
    NrLoopValue next = NR_LOOPS_OP(&s->l, "next", "arith.select $0, $1, $2 : index",
                                   op(m, "done", text, last[i], last[!i]), behind[i], m->p[i]);
    nr_loops_assign(&s->l, m->loop->p[m->k[i]], next);
  }
}

static void intersection_step(Step *m) {
  nr_loops_if(&m->s->l, any(m, among_others(m, 0)));
  write_shared(m);
  nr_loops_end(&m->s->l);
  leave_block(m);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

bool nr_merge_has_vectors(const NrGenerator *s, const NrMerge *loop) {
  if (s->is_scalar || !strcmp(s->index, "index")) return false;
  if (loop->is_full || __builtin_popcount(loop->iterators) != 2) return false;
  FOR_EACH(k, loop->iterators)
    if (nr_access_tensor(s, k)->format.kinds[s->cursors[k].level] == NR_LEVEL_DENSE) return false;
  return loop->lattice.size == 1 || loop->lattice.size == 3; /* both; both, the one and the other */
}

static void begin(Step *m) {
  NrGenerator *s = m->s;
  size_t i = 0;
  FOR_EACH(k, m->loop->iterators) m->k[i++] = k;
  m->columns = nr_gen_text(s, "vector<16x%s>", s->index);
  m->none = nr_loops_op(&s->l, "none", nr_gen_text(s, "arith.constant dense<-1> : %s", m->columns), NULL, 0);
  m->limit = spread(m, nr_gen_op1(s, "limit", nr_gen_text(s, "arith.index_cast $0 : index to %s", s->index),
                                  s->extent[m->loop->index]));
  m->width = nr_gen_constant(s, LANES);
}

/* Whether both segments have entries left, or in a union one. Which of two ends first cannot be predicted: so an
 * intersection has one branch for both, by the sign of the differences. */
static NrLoopValue goes_on(Step *m, bool is_union) {
  const char *text = is_union ? "arith.cmpi ult, $0, $1 : index" : "arith.subi $0, $1 : index";
  NrLoopValue left[2];
  for (size_t i = 0; i < 2; i++) left[i] = op(m, "left", text, m->loop->p[m->k[i]], m->loop->end[m->k[i]]);
  if (is_union) return op(m, "left", "arith.ori $0, $1 : i1", left[0], left[1]);
  return op(m, "left", "arith.cmpi slt, $0, $1 : index", op(m, "both", "arith.andi $0, $1 : index", left[0], left[1]),
            m->s->c0);
}

void nr_merge_vectors(NrGenerator *s, NrMerge *loop) {
  Step m = {.s = s, .loop = loop};
  bool is_union = loop->lattice.size == 3;
  NrLoopValue rest[2];
  begin(&m);
  nr_loops_while(&s->l);
  nr_loops_do(&s->l, goes_on(&m, is_union));
  for (size_t i = 0; i < 2; i++) {
    m.p[i] = nr_loops_read(&s->l, loop->p[m.k[i]]);
    rest[i] = sub(&m, loop->end[m.k[i]], m.p[i]);
    m.count[i] = least(&m, rest[i], m.width);
  }
  if (is_union) count_step(&m, rest);
  load_blocks(&m);
  if (is_union) union_step(&m);
  else intersection_step(&m);
  nr_loops_end(&s->l);
}
