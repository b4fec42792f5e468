/* canon.c - folds and rewrites: maps take in what feeds them, bounds that are constants, conditions that are decided.
 */
#include "dialect/affine/affine.h"
#include "dialect/fold.h"
#include "dialect/scf/scf.h"
#include "dialect/shaped.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Values of constant operands; false when one is none. Freed by the caller in any case. */
static bool constant_inputs(const NrOp *op, const NrAttr *constants, int64_t **out) {
  *out = nr_calloc(op->num_operands + 1, sizeof **out);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!constants[i] || !nr_attr_is_int(constants[i], &(*out)[i])) return false;
  return true;
}

/* A map of one result that is one of its inputs. */
static NrValue *forwarded(const NrOp *op, NrAttr map) {
  NrAffineExpr e = map->exprs[0];
  if (map->num_exprs != 1) return NULL;
  if (e->kind == NR_AFFINE_DIM) return nr_operand(op, (size_t)e->value);
  if (e->kind == NR_AFFINE_SYMBOL) return nr_operand(op, map->num_dims + (size_t)e->value);
  return NULL;
}

static bool fold_extreme(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrAttr map = nr_op_attr(op, "map");
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
  if (op->num_results == 1) return nr_fold_to_value(out, nr_operand(op, 0));
  return fold_indices(op, constants, out);
}

bool nr_affine_linearize_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  size_t begin, count;
  nr_op_operand_group(op, 0, &begin, &count);
  if (count == 1) return nr_fold_to_value(out, nr_operand(op, 0));
  return fold_indices(op, constants, out);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Whether op's operands from `first` on are these. */
static bool has_operands(const NrOp *op, size_t first, NrValue *const *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (nr_operand(op, first + i) != values[i]) return false;
  return true;
}

/* Replaces `old` operands from `first` on. */
static void set_operands(NrOp *op, size_t first, size_t old, NrValue *const *values, size_t count) {
  NR_VEC(NrValue *) all = {0};
  for (size_t i = 0; i < first; i++) nr_vec_push(&all, nr_operand(op, i));
  for (size_t i = 0; i < count; i++) nr_vec_push(&all, values[i]);
  for (size_t i = first + old; i < op->num_operands; i++) nr_vec_push(&all, nr_operand(op, i));
  nr_op_set_operands(op, all.data, all.size);
  nr_vec_deinit(&all);
}

/* Composes the map that an attribute holds, with its operands from `first` on. */
static bool compose_attr(NrOp *op, const char *attr, size_t first, NrAttr (*reduce)(NrAttr map)) {
  NrAttr map = nr_op_attr(op, attr);
  size_t old = nr_affine_num_inputs(map);
  NrAffineApplied simple = nr_affine_compose(op, map, first);
  if (reduce) simple.map = reduce(simple.map);
  bool changed = simple.map != map || !has_operands(op, first, simple.operands.data, simple.operands.size);
  if (changed) {
    nr_op_set_attr(op, attr, simple.map);
    set_operands(op, first, old, simple.operands.data, simple.operands.size);
  }
  nr_vec_deinit(&simple.operands);
  return changed;
}

bool nr_affine_map_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  return compose_attr(op, "map", nr_affine_map_operands(op), NULL);
}

bool nr_affine_dma_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool changed = false;
  size_t at = 1;
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) {
    const char *name = nr_affine_dma_maps[i];
    if (!nr_op_attr(op, name)) continue;
    changed |= compose_attr(op, name, at, NULL);
    at += nr_affine_num_inputs(nr_op_attr(op, name)) + 1;
  }
  return changed;
}

/* Results that are there twice go, and of several constants all but the one that counts. */
static NrAttr reduce_extreme(NrAttr map, bool greatest) {
  NR_VEC(NrAffineExpr) kept = {0};
  size_t constant = SIZE_MAX;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    bool known = false;
    for (size_t k = 0; k < kept.size; k++) known |= kept.data[k] == e;
    if (known) continue;
    if (e->kind != NR_AFFINE_CONSTANT) {
      nr_vec_push(&kept, e);
    } else if (constant == SIZE_MAX) {
      constant = kept.size;
      nr_vec_push(&kept, e);
    } else if (greatest ? e->value > kept.data[constant]->value : e->value < kept.data[constant]->value) {
      kept.data[constant] = e;
    }
  }
  if (kept.size < map->num_exprs) map = nr_affine_with_exprs(map, kept.data, NULL, kept.size);
  nr_vec_deinit(&kept);
  return map;
}
static NrAttr reduce_max(NrAttr map) { return reduce_extreme(map, true); }
static NrAttr reduce_min(NrAttr map) { return reduce_extreme(map, false); }

bool nr_affine_min_max_canonicalize(NrOp *op, NrBuilder *b) {
  bool greatest = nr_op_is(op, NR_OP_affine_max);
  if (compose_attr(op, "map", 0, greatest ? reduce_max : reduce_min)) return true;
  NrAttr map = nr_op_attr(op, "map");
  if (map->num_exprs > 1) return false;
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t i = map->num_dims; i < op->num_operands; i++)
    if (!nr_affine_is_symbol(operands.data[i])) { /* apply is strict about symbols, min and max are not */
      nr_vec_deinit(&operands);
      return false;
    }
  nr_value_replace_uses(nr_result(op, 0), nr_affine_build(b, NR_OP_affine_apply, map, operands.data));
  nr_op_erase(op);
  nr_vec_deinit(&operands);
  return true;
}

/* ---- for --------------------------------------------------------------------------------------------------------- */

static bool constant_bound(const NrOp *op, bool upper, int64_t *out) {
  NrAttr map = nr_affine_bound_map(op, upper);
  if (map->num_exprs != 1 || map->exprs[0]->kind != NR_AFFINE_CONSTANT) return false;
  *out = map->exprs[0]->value;
  return true;
}

static bool compose_bound(NrOp *op, bool upper) {
  bool changed = compose_attr(op, upper ? "upperBoundMap" : "lowerBoundMap", nr_affine_for_begin(op, upper),
                              upper ? reduce_min : reduce_max);
  if (!changed) return false;
  uint32_t lower = (uint32_t)nr_affine_num_inputs(nr_affine_bound_map(op, false));
  uint32_t both = lower + (uint32_t)nr_affine_num_inputs(nr_affine_bound_map(op, true));
  nr_op_set_segments(op, (uint32_t[]){lower, both - lower, op->num_operands - both}, 3);
  return true;
}

bool nr_affine_for_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  int64_t lower, upper;
  bool changed = compose_bound(op, false);
  changed |= compose_bound(op, true);
  if (!constant_bound(op, false, &lower) || !constant_bound(op, true, &upper) || lower < upper) return changed;
  size_t inits = nr_affine_for_begin(op, 2);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(op, inits + i));
  nr_op_erase(op);
  return true;
}

/* ---- if ---------------------------------------------------------------------------------------------------------- */

/* Whether the condition always holds, or never does. */
static bool is_decided(NrAttr set, bool *out_holds) {
  bool all = true;
  for (uint32_t i = 0; i < set->num_exprs; i++) {
    NrAffineExpr e = set->exprs[i];
    bool known = e->kind == NR_AFFINE_CONSTANT;
    bool holds = known && (set->is_equality[i] ? e->value == 0 : e->value >= 0);
    *out_holds = holds;
    if (known && !holds) return true;
    all &= known;
  }
  return all;
}

static bool take_branch(NrOp *op, bool holds) {
  NrBlock *block = nr_op_body(op, holds ? 0 : 1);
  NrOp *yield = block ? nr_block_terminator(block) : NULL;
  if (block) nr_scf_inline_before(op, block, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(op);
  return true;
}

bool nr_affine_if_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool holds = true;
  NrBlock *otherwise = nr_op_body(op, 1);
  if (is_decided(nr_op_attr(op, "condition"), &holds)) return take_branch(op, holds);
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
  size_t lower = nr_affine_num_inputs(nr_op_attr(op, "lowerBoundsMap"));
  return compose_attr(op, "upperBoundsMap", lower, NULL) || changed;
}
