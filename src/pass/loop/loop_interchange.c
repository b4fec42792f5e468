/* loop_interchange.c - reorders the loops of a perfect nest.
 *
 *   before  scf.for %j = .. {                          after  scf.for %i = .. {
 *             scf.for %i = .. {                                 scf.for %j = .. {
 *               store f(load %a[%i, %j]), %b[%i, %j]              store f(load %a[%i, %j]), %b[%i, %j]
 *
 * Likewise for affine.for. Requires that no two dependent iterations change their order (dependence.h), and that the
 * steps of inner loops are known to be positive and their bounds cannot fail, because after the interchange they are
 * evaluated even if the other loops do not run. Carried values must be integer reductions by an associative and
 * commutative op. By default the loop with the smallest strides in memory goes inside and the one with the largest
 * outside; permutation-map gives another order: number k is the new depth of loop k, for nests of that many loops. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"

enum { MAX_DEPTH = 5, MAX_ACCESSES = 64 };

typedef struct Nest {
  NrOp *loops[MAX_DEPTH];
  size_t depth;
  NrMemAccesses accesses;
} Nest;

/* ---- legality ---------------------------------------------------------------------------------------------------- */

static bool reorders_freely(const NrOp *op) {
  if (nr_op_attr_int(op, NR_A_overflowFlags, 0)) return false; /* the flags hold for sums in the old order only */
  switch (op->info->id) {
  case NR_OP_arith_addi:
  case NR_OP_arith_muli:
  case NR_OP_arith_andi:
  case NR_OP_arith_ori:
  case NR_OP_arith_xori:
  case NR_OP_arith_minsi:
  case NR_OP_arith_minui:
  case NR_OP_arith_maxsi:
  case NR_OP_arith_maxui: return true;
  default: return false;
  }
}

/* Whether each carried value is only reduced, with values that do not depend on it. */
static bool carries_reductions(const NrOp *inner) {
  const NrOp *yield = nr_for_body(inner)->last;
  for (uint32_t i = 0; i < inner->num_results; i++) {
    const NrValue *arg = nr_for_arg(inner, i), *next = nr_operand(yield, i);
    if (!nr_value_has_one_use(arg) || arg->first_use->owner != next->op || !next->op) return false;
    if (next->op->block != yield->block || !reorders_freely(next->op) || !nr_value_has_one_use(next)) return false;
  }
  return true;
}

/* The first nonzero sign of a distance vector; 0 when all are 0. */
static int first_sign(const int *signs, size_t depth) {
  for (size_t d = 0; d < depth; d++)
    if (signs[d]) return signs[d];
  return 0;
}

static NrDistance distance_of(const Nest *nest, size_t d, int sign) {
  NrValue *iv = nr_for_iv(nest->loops[d]);
  int64_t min = sign > 0 ? 1 : sign < 0 ? -NR_FAR : 0, max = sign > 0 ? NR_FAR : sign < 0 ? -1 : 0;
  return (NrDistance){iv, iv, min, max};
}

/* Whether two iterations at these distances may touch the same element, of which the second runs later. */
static bool conflict_at(const Nest *nest, const int *signs) {
  NrDistance distances[MAX_DEPTH];
  for (size_t d = 0; d < nest->depth; d++) distances[d] = distance_of(nest, d, signs[d]);
  for (size_t i = 0; i < nest->accesses.size; i++)
    for (size_t j = 0; j < nest->accesses.size; j++)
      if (nr_may_conflict(&nest->accesses.data[i], &nest->accesses.data[j], distances, nest->depth)) return true;
  return false;
}

/* order[k] is the loop that moves to depth k. Legal if no two dependent iterations change their order. */
static bool is_legal(const Nest *nest, const size_t *order) {
  int signs[MAX_DEPTH], permuted[MAX_DEPTH];
  size_t vectors = 1;
  for (size_t d = 0; d < nest->depth; d++) vectors *= 3;
  for (size_t v = 0; v < vectors; v++) {
    size_t rest = v;
    for (size_t d = 0; d < nest->depth; d++, rest /= 3) signs[d] = (int)(rest % 3) - 1;
    for (size_t d = 0; d < nest->depth; d++) permuted[d] = signs[order[d]];
    bool swaps = first_sign(signs, nest->depth) > 0 && first_sign(permuted, nest->depth) < 0;
    if (swaps && conflict_at(nest, signs)) return false;
  }
  return true;
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

/* The distance in elements by which one iteration of iv's loop moves an access; a large number when it is not known. */
static int64_t stride_of(const NrMemAccess *access, NrValue *iv) {
  const int64_t far = INT64_C(1) << 40;
  NrType type = access->memref->type;
  int64_t strides[NR_MAX_RANK], offset, sum = 0, step, product;
  bool strided = nr_memref_strides(type, strides, &offset);
  if (!nr_for_constant_step(nr_block_parent_op(iv->block), &step)) step = 1;
  for (uint32_t d = 0; d < access->num_indices; d++) {
    NrLinear index;
    if (!nr_access_index(access, d, &index)) return far;
    for (uint32_t t = 0; t < index.num_terms; t++) {
      if (index.terms[t].value != iv) continue;
      int64_t stride = strided && strides[d] != NR_DYNAMIC ? strides[d] : far >> d;
      if (!nr_mul_i64(stride, index.terms[t].factor, &product) || !nr_mul_i64(product, step, &product) ||
          !nr_add_i64(sum, product, &sum))
        return far;
    }
  }
  return sum < 0 ? -NR_MAX(sum, -far) : NR_MIN(sum, far);
}

/* The cost of all accesses' strides when the loop at this depth is the innermost. */
static int64_t cost_inside(const Nest *nest, size_t d) {
  const int64_t line = 16; /* about the number of elements of a cache line */
  int64_t cost = 0;
  for (size_t i = 0; i < nest->accesses.size; i++) {
    int64_t stride = stride_of(&nest->accesses.data[i], nr_for_iv(nest->loops[d]));
    cost += NR_MIN(stride < 0 ? -stride : stride, line);
  }
  return cost;
}

/* Orders loops by cost, the most expensive one outermost; loops of equal cost keep their order. */
static void order_by_cost(const Nest *nest, size_t *order) {
  int64_t cost[MAX_DEPTH];
  for (size_t d = 0; d < nest->depth; d++) {
    cost[d] = cost_inside(nest, d);
    size_t at = d;
    for (; at > 0 && cost[order[at - 1]] < cost[d]; at--) order[at] = order[at - 1];
    order[at] = d;
  }
}

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

/* Exchanges bounds and induction variables; the loop ops stay in place. */
static void permute(Nest *nest, const size_t *order) {
  NrForRange ranges[MAX_DEPTH];
  NrValue *uses[MAX_DEPTH];
  const char *names[MAX_DEPTH];
  NrBlock *inner = nr_for_body(nest->loops[nest->depth - 1]);
  for (size_t d = 0; d < nest->depth; d++) {
    NrValue *iv = nr_for_iv(nest->loops[d]);
    ranges[d] = nr_for_range(nest->loops[d]);
    names[d] = iv->name;
    uses[d] = nr_block_add_arg(inner, iv->type, nr_arg_loc(iv)); /* temporary induction variable */
    nr_value_replace_uses(iv, uses[d]);
  }
  for (size_t d = 0; d < nest->depth; d++) {
    NrValue *iv = nr_for_iv(nest->loops[d]);
    nr_for_set_range(nest->loops[d], &ranges[order[d]]);
    iv->name = names[order[d]];
    nr_value_replace_uses(uses[order[d]], iv);
  }
  for (size_t d = 0; d < nest->depth; d++) {
    nr_block_erase_arg(inner, inner->num_args - 1);
    nr_for_range_deinit(&ranges[d]);
  }
}

static bool is_identity(const size_t *order, size_t depth) {
  for (size_t d = 0; d < depth; d++)
    if (order[d] != d) return false;
  return true;
}

/* The order given by the option; false when it does not fit the nest. */
static bool order_by_option(const int64_t *map, size_t count, size_t depth, size_t *order) {
  if (count != depth) return false;
  for (size_t d = 0; d < depth; d++) order[map[d]] = d;
  return true;
}

static NrStatus check_map(NrPassContext *pass, NrOp *func, const int64_t *map, size_t count) {
  uint64_t seen = 0;
  for (size_t d = 0; d < count; d++) {
    bool wrong = map[d] < 0 || map[d] >= (int64_t)count || (seen >> map[d] & 1);
    if (wrong) return nr_error(pass->ctx, func->loc, "loop-interchange: permutation-map is no permutation");
    seen |= UINT64_C(1) << map[d];
  }
  return NR_OK;
}

/* Whether bounds and steps of inner loops can be evaluated even where the outer loops do not run. */
static bool inner_ranges_never_fail(const Nest *nest) {
  int64_t step;
  for (size_t d = 1; d < nest->depth; d++) {
    NrOp *loop = nest->loops[d];
    if (!nr_for_constant_step(loop, &step)) step = nr_range_of(nr_scf_for_step(loop)).min;
    if (step <= 0) return false;
    if (nr_op_is(loop, NR_OP_affine_for) &&
        (!nr_map_never_fails(nr_affine_bound_map(loop, false)) || !nr_map_never_fails(nr_affine_bound_map(loop, true))))
      return false;
  }
  return true;
}

static bool interchange(Nest *nest, const int64_t *map, size_t count) {
  size_t order[MAX_DEPTH];
  if (nest->depth < 2 || !carries_reductions(nest->loops[nest->depth - 1])) return false;
  if (!inner_ranges_never_fail(nest)) return false;
  if (!nr_collect_accesses(nest->loops[0], &nest->accesses) || nest->accesses.size > MAX_ACCESSES) return false;
  if (count ? !order_by_option(map, count, nest->depth, order) : nest->accesses.size == 0) return false;
  if (!count) order_by_cost(nest, order);
  if (is_identity(order, nest->depth) || !is_legal(nest, order)) return false;
  permute(nest, order);
  return true;
}

static NrStatus interchange_run(NrPassContext *pass, NrOp *func) {
  int64_t map[MAX_DEPTH];
  size_t count = nr_pass_ints(pass, "permutation-map", map);
  if (check_map(pass, func, map, count)) return NR_ERROR_INVALID;
  NrOpList loops = {0};
  nr_collect_loops(func, &loops);
  const NrOp *done = NULL; /* skips loops of the nest that was just handled */
  for (size_t i = 0; i < loops.size; i++) {
    Nest nest = {0};
    if (done && nr_op_is_ancestor(done, loops.data[i]) && done != loops.data[i]) continue;
    nest.depth = nr_perfect_nest(loops.data[i], nest.loops, count ? count : MAX_DEPTH);
    if (interchange(&nest, map, count)) done = loops.data[i];
    nr_vec_deinit(&nest.accesses);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INTS("permutation-map", MAX_DEPTH, 0, MAX_DEPTH - 1,
            "number k is the new depth of loop k; default: by memory strides"),
    {0},
};
NR_PASS(loop_interchange, .name = "loop-interchange", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = interchange_run, .options = options,
        .doc = "reorders the loops of perfect nests where no dependence forbids it")
