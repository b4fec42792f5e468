/* canonicalize.c - folds and rewrites: composes maps with the affine.apply ops that feed them, folds constants, and
 * removes loops and branches that never run.
 */
#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "dialect/shared/shaped.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Collects the values of constant operands; false when an operand is not constant. The caller frees *out in both
 * cases. */
static bool constant_inputs(const NrOp *op, const NrAttr *constants, int64_t **out) {
  *out = nr_calloc(op->num_operands + 1, sizeof **out);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!constants[i] || !nr_attr_is_int(constants[i], &(*out)[i])) return false;
  return true;
}

/* The operand that a map of one result forwards unchanged, or NULL. */
static NrValue *forwarded(const NrOp *op, NrAttr map) {
  NrAffineExpr e = map->exprs[0];
  if (map->num_exprs != 1) return NULL;
  if (e->kind == NR_AFFINE_DIM) return nr_operand(op, (size_t)e->value);
  if (e->kind == NR_AFFINE_SYMBOL) return nr_operand(op, map->num_dims + (size_t)e->value);
  return NULL;
}

static bool fold_extreme(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  NrValue *same = forwarded(op, map);
  if (same) return nr_fold_to_value(out, same);
  int64_t *inputs, value = 0, extreme = 0;
  bool ok = constant_inputs(op, constants, &inputs), greatest = nr_op_is(op, NR_OP_affine_max);
  for (uint32_t i = 0; i < map->num_exprs && ok; i++) {
    ok = nr_affine_eval(map->exprs[i], inputs, inputs + map->num_dims, &value);
    if (i == 0 || (greatest ? value > extreme : value < extreme)) extreme = value;
  }
  nr_free(inputs);
  return ok && nr_fold_to_attr(out, nr_attr_index(nr_op_context(op), extreme));
}

bool nr_affine_apply_fold(NrOp *op, const NrAttr *constants, NrFold *out) { return fold_extreme(op, constants, out); }
bool nr_affine_min_max_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  return fold_extreme(op, constants, out);
}

static bool fold_indices(NrOp *op, const NrAttr *constants, NrFold *out) {
  int64_t *inputs, value;
  bool ok = constant_inputs(op, constants, &inputs);
  for (uint32_t i = 0; i < op->num_results && ok; i++) {
    uint32_t num_dims;
    NrAffineExpr e = nr_affine_index_expr(op, i, &num_dims);
    ok = nr_affine_eval(e, inputs, inputs + num_dims, &value);
    if (ok) out[i] = (NrFold){.attr = nr_attr_index(nr_op_context(op), value)};
  }
  nr_free(inputs);
  return ok;
}

bool nr_affine_delinearize_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  if (op->num_results == 1) return nr_fold_to_value(out, nr_affine_delinearize_index_linear_index(op));
  return fold_indices(op, constants, out);
}

bool nr_affine_linearize_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  size_t begin, count;
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  if (count == 1) return nr_fold_to_value(out, nr_operand(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX));
  return fold_indices(op, constants, out);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Whether op's operands from `first` on equal `values`. */
static bool has_operands(const NrOp *op, size_t first, NrValue *const *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (nr_operand(op, first + i) != values[i]) return false;
  return true;
}

/* Replaces the `old` operands from `first` on by `values`. */
static void set_operands(NrOp *op, size_t first, size_t old, NrValue *const *values, size_t count) {
  NR_VEC(NrValue *) all = {0};
  for (size_t i = 0; i < first; i++) nr_vec_push(&all, nr_operand(op, i));
  for (size_t i = 0; i < count; i++) nr_vec_push(&all, values[i]);
  for (size_t i = first + old; i < op->num_operands; i++) nr_vec_push(&all, nr_operand(op, i));
  nr_op_set_operands(op, all.data, all.size);
  nr_vec_deinit(&all);
}

/* Composes the map in attribute `attr` with the affine.apply ops that compute its operands, which begin at `first`.
 * `reduce`, if not NULL, then simplifies the map. True when something changed. */
static bool compose_attr(NrOp *op, const char *attr, size_t first,
                         NrAttr (*reduce)(NrAttr map, NrValue *const *operands)) {
  NrAttr map = nr_op_attr_named(op, attr);
  size_t old = nr_affine_num_inputs(map);
  NrAffineApplied simple = nr_affine_compose(op, map, first);
  if (reduce) simple.map = reduce(simple.map, simple.operands.data);
  bool changed = simple.map != map || !has_operands(op, first, simple.operands.data, simple.operands.size);
  if (changed) {
    nr_op_set_attr_named(op, attr, simple.map);
    set_operands(op, first, old, simple.operands.data, simple.operands.size);
  }
  nr_vec_deinit(&simple.operands);
  return changed;
}

bool nr_affine_map_canonicalize(NrOp *op, NrBuilder *b) {
  size_t first = nr_affine_map_operands(op);
  /* nr_memref_absorb_cast also replaces a cast that is the stored value. In a memref of memrefs that would change the
   * type of the value, so the fold is skipped there. */
  bool of_buffers = first && nr_type_is_memref(nr_operand(op, first - 1)->type->elem);
  bool changed = first && !of_buffers && nr_memref_absorb_cast(op, b);
  return compose_attr(op, "map", first, NULL) || changed;
}

bool nr_affine_dma_canonicalize(NrOp *op, NrBuilder *b) {
  bool changed = nr_memref_absorb_cast(op, b);
  size_t at = 1;
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) {
    const char *name = nr_affine_dma_maps[i];
    if (!nr_op_attr_named(op, name)) continue;
    changed |= compose_attr(op, name, at, NULL);
    at += nr_affine_num_inputs(nr_op_attr_named(op, name)) + 1;
  }
  return changed;
}

/* Whether e >= by for all values of the operands. */
static bool is_known_ge(NrAffineExpr e, NrAffineExpr by, NrAttr map, NrValue *const *operands) {
  NrAffineExpr minus = nr_affine_binary(NR_AFFINE_MUL, by, nr_affine_constant(map->ctx, -1));
  NrAffineExpr apart = nr_affine_binary(NR_AFFINE_ADD, e, minus);
  apart = nr_affine_simplify(apart, map->num_dims, map->num_symbols);
  return nr_affine_range(apart, map->num_dims, operands, NULL, NULL).min >= 0;
}

/* Whether result i is redundant: another result is never smaller (for max) or never larger (for min). Of equal results
 * the first is kept. */
static bool is_redundant(NrAttr map, uint32_t i, bool greatest, NrValue *const *operands) {
  for (uint32_t j = 0; j < map->num_exprs; j++) {
    NrAffineExpr low = map->exprs[greatest ? i : j], high = map->exprs[greatest ? j : i];
    if (j == i || !is_known_ge(high, low, map, operands)) continue;
    if (j < i || !is_known_ge(low, high, map, operands)) return true;
  }
  return false;
}

enum { MAX_COMPARED = 16 };

/* Drops duplicate results and results that another result bounds: they never decide a min or max. */
static NrAttr reduce_extreme(NrAttr map, NrValue *const *operands, bool greatest) {
  NR_VEC(NrAffineExpr) kept = {0};
  if (map->num_exprs < 2 || map->num_exprs > MAX_COMPARED) return map;
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (!is_redundant(map, i, greatest, operands)) nr_vec_push(&kept, map->exprs[i]);
  if (kept.size && kept.size < map->num_exprs) map = nr_affine_with_exprs(map, kept.data, NULL, kept.size);
  nr_vec_deinit(&kept);
  return map;
}
static NrAttr reduce_max(NrAttr map, NrValue *const *operands) { return reduce_extreme(map, operands, true); }
static NrAttr reduce_min(NrAttr map, NrValue *const *operands) { return reduce_extreme(map, operands, false); }

enum { MAX_MERGED = 64 };

/* Merges the op that defines operand i, which is of op's kind, into op: its results replace `result`. */
static void merge_results(NrOp *op, uint32_t result, uint32_t i) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  NrOp *inner = nr_operand(op, i)->op;
  NrAttr with = nr_op_attr(inner, NR_A_map);
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrAffineExpr) exprs = {0}, dims = {0}, symbols = {0};
  const NrOp *ops[] = {op, inner};
  for (size_t k = 0; k < 2; k++)
    for (uint32_t d = 0; d < (k ? with : map)->num_dims; d++) nr_vec_push(&operands, nr_operand(ops[k], d));
  for (size_t k = 0; k < 2; k++)
    for (uint32_t s = (k ? with : map)->num_dims; s < ops[k]->num_operands; s++)
      nr_vec_push(&operands, nr_operand(ops[k], s));
  for (uint32_t d = 0; d < with->num_dims; d++) nr_vec_push(&dims, nr_affine_dim(map->ctx, map->num_dims + d));
  for (uint32_t s = 0; s < with->num_symbols; s++)
    nr_vec_push(&symbols, nr_affine_symbol(map->ctx, map->num_symbols + s));
  for (uint32_t k = 0; k < map->num_exprs; k++)
    if (k != result) nr_vec_push(&exprs, map->exprs[k]);
  for (uint32_t k = 0; k < with->num_exprs; k++)
    nr_vec_push(&exprs, nr_affine_replace(with->exprs[k], dims.data, symbols.data));
  nr_op_set_attr(op, NR_A_map, nr_attr_affine_map(map->ctx, map->num_dims + with->num_dims,
                                               map->num_symbols + with->num_symbols, exprs.data, exprs.size));
  nr_op_set_operands(op, operands.data, operands.size);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&exprs);
  nr_vec_deinit(&dims);
  nr_vec_deinit(&symbols);
}

/* Merges one nested min (or max): a result of op's map that is an operand defined by an op of the same kind. */
static bool merge_nested(NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  for (uint32_t k = 0; k < map->num_exprs; k++) {
    NrAffineExpr e = map->exprs[k];
    if (e->kind != NR_AFFINE_DIM && e->kind != NR_AFFINE_SYMBOL) continue;
    uint32_t i = (uint32_t)e->value + (e->kind == NR_AFFINE_SYMBOL ? map->num_dims : 0);
    const NrOp *inner = nr_operand(op, i)->op;
    if (!inner || inner->info != op->info || map->num_exprs + nr_op_attr(inner, NR_A_map)->num_exprs > MAX_MERGED)
      continue;
    merge_results(op, k, i);
    return true;
  }
  return false;
}

bool nr_affine_min_max_canonicalize(NrOp *op, NrBuilder *b) {
  bool greatest = nr_op_is(op, NR_OP_affine_max);
  if (merge_nested(op)) return true;
  if (compose_attr(op, "map", 0, greatest ? reduce_max : reduce_min)) return true;
  NrAttr map = nr_op_attr(op, NR_A_map);
  if (map->num_exprs > 1) return false;
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t i = map->num_dims; i < op->num_operands; i++)
    if (!nr_affine_is_symbol(operands.data[i])) { /* affine.apply requires valid symbols, min and max do not */
      nr_vec_deinit(&operands);
      return false;
    }
  nr_op_replace(op, nr_affine_build(b, NR_OP_affine_apply, map, operands.data));
  nr_vec_deinit(&operands);
  return true;
}

/* ---- for --------------------------------------------------------------------------------------------------------- */

static bool compose_bound(NrOp *op, bool upper) {
  bool changed = compose_attr(op, upper ? "upperBoundMap" : "lowerBoundMap", nr_affine_for_begin(op, upper),
                              upper ? reduce_min : reduce_max);
  if (!changed) return false;
  uint32_t lower = (uint32_t)nr_affine_num_inputs(nr_affine_bound_map(op, false));
  uint32_t both = lower + (uint32_t)nr_affine_num_inputs(nr_affine_bound_map(op, true));
  nr_op_set_segments(op, (uint32_t[]){lower, both - lower, op->num_operands - both}, 3);
  return true;
}

/* Whether the trip count is 0: the largest lower bound is at least the smallest upper bound. The ranges of the bounds
 * are computed independently of each other. */
static bool never_runs(const NrOp *op) {
  int64_t lower_min = INT64_MIN, upper_max = INT64_MAX;
  for (int upper = 0; upper < 2; upper++) {
    NrAttr map = nr_affine_bound_map(op, upper);
    NR_VEC(NrValue *) operands = {0};
    for (size_t i = 0; i < nr_affine_num_inputs(map); i++)
      nr_vec_push(&operands, nr_operand(op, nr_affine_for_begin(op, upper) + i));
    for (uint32_t k = 0; k < map->num_exprs; k++) {
      NrRange r = nr_affine_range(map->exprs[k], map->num_dims, operands.data, NULL, NULL);
      if (upper) upper_max = NR_MIN(upper_max, r.max);
      else lower_min = NR_MAX(lower_min, r.min);
    }
    nr_vec_deinit(&operands);
  }
  return lower_min >= upper_max;
}

bool nr_affine_for_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool changed = compose_bound(op, false);
  changed |= compose_bound(op, true);
  if (!never_runs(op)) return changed;
  size_t inits = nr_affine_for_begin(op, 2);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(op, inits + i));
  nr_op_erase(op);
  return true;
}

/* ---- if ---------------------------------------------------------------------------------------------------------- */

enum { MAX_DIVISOR = 16 };

typedef enum Outcome { OPEN, HOLDS, FAILS } Outcome;

/* Whether e is never 0 because it has a constant nonzero remainder modulo some small divisor. */
static bool has_remainder(NrAffineExpr e, NrAttr set, NrValue *const *operands) {
  int64_t rest;
  for (int64_t divisor = 2; divisor <= MAX_DIVISOR; divisor++)
    if (nr_affine_rest(e, set->num_dims, operands, divisor, &rest) && rest) return true;
  return false;
}

static Outcome outcome_of(NrAffineExpr e, bool is_equality, NrAttr set, NrValue *const *operands) {
  NrRange r = nr_affine_range(e, set->num_dims, operands, NULL, NULL);
  if (is_equality && r.min == 0 && r.max == 0) return HOLDS;
  if (is_equality) return r.min > 0 || r.max < 0 || has_remainder(e, set, operands) ? FAILS : OPEN;
  return r.min >= 0 ? HOLDS : r.max < 0 ? FAILS : OPEN;
}

/* Drops constraints that always hold. Returns FAILS when one never holds, HOLDS when none is left. */
static Outcome decide(NrOp *op, NrAttr *out_set) {
  NrAttr set = nr_op_attr(op, NR_A_condition);
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrAffineExpr) open = {0};
  NR_VEC(bool) equalities = {0};
  Outcome outcome = HOLDS;
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t i = 0; i < set->num_exprs && outcome != FAILS; i++) {
    Outcome one = outcome_of(set->exprs[i], set->is_equality[i], set, operands.data);
    if (one != HOLDS) outcome = one;
    if (one != OPEN) continue;
    nr_vec_push(&open, set->exprs[i]);
    nr_vec_push(&equalities, set->is_equality[i]);
  }
  *out_set = outcome == OPEN && open.size < set->num_exprs
                 ? nr_affine_with_exprs(set, open.data, equalities.data, open.size)
                 : set;
  nr_vec_deinit(&operands);
  nr_vec_deinit(&open);
  nr_vec_deinit(&equalities);
  return outcome;
}

static bool take_branch(NrOp *op, bool holds) {
  NrBlock *block = holds ? nr_affine_if_then_body(op) : nr_affine_if_else_body(op);
  NrOp *yield = block ? nr_block_terminator(block) : NULL;
  if (block) nr_scf_inline_before(op, block, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(op);
  return true;
}

bool nr_affine_if_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  NrAttr set;
  NrBlock *otherwise = nr_affine_if_else_body(op);
  Outcome outcome = decide(op, &set);
  if (outcome != OPEN) return take_branch(op, outcome == HOLDS);
  if (set != nr_op_attr(op, NR_A_condition)) {
    nr_op_set_attr(op, NR_A_condition, set);
    return true;
  }
  if (otherwise && op->num_results == 0 && otherwise->first == otherwise->last) {
    nr_block_erase(otherwise);
    return true;
  }
  return compose_attr(op, "condition", 0, NULL);
}

/* ---- parallel ---------------------------------------------------------------------------------------------------- */

bool nr_affine_parallel_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool changed = compose_attr(op, "lowerBoundsMap", 0, NULL);
  size_t lower = nr_affine_num_inputs(nr_op_attr(op, NR_A_lowerBoundsMap));
  return compose_attr(op, "upperBoundsMap", lower, NULL) || changed;
}
