/* canonicalize.c - rewrites of structured ops: they remove redundant operands, results, casts and ops. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"

/* ---- dropping operands ------------------------------------------------------------------------------------------- */

/* Whether the operands with keep[k] still determine the range of every loop. */
static bool ranges_remain(NrOp *op, const bool *keep) {
  for (size_t loop = 0; loop < nr_linalg_num_loops(op); loop++) {
    bool found = false;
    for (uint32_t k = 0; k < op->num_operands && !found; k++) {
      NrAttr map = nr_linalg_map(op, k);
      for (uint32_t i = 0; keep[k] && i < map->num_exprs; i++)
        found |= map->exprs[i]->kind == NR_AFFINE_DIM && map->exprs[i]->value == (int64_t)loop;
    }
    if (!found) return false;
  }
  return true;
}

/* Rebuilds op with the operands k with keep[k] and moves the body. The dropped operands' block arguments and results
 * have no uses. */
static void rebuild(NrOp *op, NrBuilder *b, const bool *keep) {
  size_t num_inputs = nr_linalg_num_inputs(op), ins = 0, outs = 0;
  NrValue **kept = nr_calloc(op->num_operands, sizeof *kept);
  NrAttr *maps = nr_calloc(op->num_operands, sizeof *maps);
  for (uint32_t k = 0; k < op->num_operands; k++) {
    if (!keep[k]) continue;
    maps[ins + outs] = nr_linalg_map(op, k);
    kept[ins + outs] = nr_operand(op, k);
    if (k < num_inputs) ins++;
    else outs++;
  }
  NrOp *fresh = nr_build_generic(b, kept, ins, kept + ins, outs, maps, "");
  for (uint32_t i = 0; i < op->num_attrs; i++) {
    NrStr name = op->attrs[i].name;
    if (!nr_str_is(name, "indexing_maps") && !nr_str_is(name, "operandSegmentSizes"))
      nr_op_set_attr_named(fresh, name.data, op->attrs[i].value);
  }
  nr_block_erase(nr_linalg_generic_body(fresh));
  nr_region_take(nr_linalg_generic_region(fresh), nr_op_only_region(op));
  NrBlock *body = nr_linalg_generic_body(fresh);
  NrOp *yield = nr_block_terminator(body);
  for (uint32_t k = op->num_operands; k-- > 0;) {
    if (keep[k]) continue;
    if (k >= num_inputs) nr_op_erase_operand(yield, k - num_inputs);
    nr_block_erase_arg(body, k);
  }
  for (uint32_t k = (uint32_t)num_inputs, from = 0, to = 0; k < op->num_operands; k++) {
    if (!nr_type_is_tensor(nr_operand(op, k)->type)) continue;
    if (keep[k]) nr_value_replace_uses(nr_result(op, from), nr_result(fresh, to++));
    from++;
  }
  nr_op_erase(op);
  nr_free(kept);
  nr_free(maps);
}

static bool input_is_used(NrBlock *body, uint32_t k) { return nr_value_has_uses(nr_block_arg(body, k)); }

/* Drops inputs that the body does not read, and duplicates of an input with the same map. */
static bool drop_inputs(NrOp *op, NrBuilder *b) {
  size_t num_inputs = nr_linalg_num_inputs(op);
  NrBlock *body = nr_op_only_body(op);
  bool *keep = nr_calloc(op->num_operands + 1, sizeof *keep), changed = false;
  for (uint32_t k = 0; k < op->num_operands; k++) keep[k] = true;
  for (uint32_t k = 0; k < num_inputs; k++) {
    for (uint32_t j = 0; j < k && input_is_used(body, k); j++)
      if (keep[j] && nr_operand(op, j) == nr_operand(op, k) && nr_linalg_map(op, j) == nr_linalg_map(op, k))
        nr_value_replace_uses(nr_block_arg(body, k), nr_block_arg(body, j));
    if (input_is_used(body, k)) continue;
    keep[k] = false;
    if (ranges_remain(op, keep)) changed = true;
    else keep[k] = true;
  }
  if (changed) rebuild(op, b, keep);
  nr_free(keep);
  return changed;
}

/* Whether the body reads the current value of an output for anything but yielding it for the same output. */
static bool output_is_read(NrOp *yield, NrValue *arg, size_t output) {
  for (NrUse *u = arg->first_use; u; u = u->next)
    if (u->owner != yield || nr_use_index(u) != output) return true;
  return false;
}

static bool drop_results(NrOp *op, NrBuilder *b) {
  size_t num_inputs = nr_linalg_num_inputs(op);
  NrBlock *body = nr_op_only_body(op);
  NrOp *yield = nr_block_terminator(body);
  if (op->num_results != nr_linalg_num_outputs(op) || op->num_results < 2) return false;
  bool *keep = nr_calloc(op->num_operands + 1, sizeof *keep), changed = false;
  size_t left = op->num_results;
  for (uint32_t k = 0; k < op->num_operands; k++) keep[k] = true;
  for (uint32_t r = 0; r < op->num_results && left > 1; r++) {
    uint32_t k = (uint32_t)num_inputs + r;
    if (nr_value_has_uses(nr_result(op, r)) || output_is_read(yield, nr_block_arg(body, k), r)) continue;
    keep[k] = false;
    if (!ranges_remain(op, keep)) {
      keep[k] = true;
      continue;
    }
    changed = true;
    left--;
  }
  if (changed) rebuild(op, b, keep);
  nr_free(keep);
  return changed;
}

/* ---- known operands ---------------------------------------------------------------------------------------------- */

/* The scalar that all elements of value equal, or NULL. A constant is built at b. */
static NrValue *splat_of(NrBuilder *b, NrValue *value) {
  if (!nr_type_is_tensor(value->type)) return nr_type_is_shaped(value->type) ? NULL : value;
  NrAttr constant = nr_value_constant(value);
  if (constant && constant->kind == NR_ATTR_DENSE && constant->splat) {
    NrAttr element = nr_attr_element(constant, 0);
    return element ? nr_arith_constant(b, element) : NULL;
  }
  if (nr_op_is(value->op, NR_OP_tensor_splat)) return nr_tensor_splat_input(value->op);
  if (nr_op_is(value->op, NR_OP_linalg_fill)) return nr_linalg_fill_value(value->op);
  if (nr_op_is(value->op, NR_OP_tensor_from_elements) && value->op->num_operands == 1)
    return nr_op_only_operand(value->op);
  return NULL;
}

/* Replaces uses of inputs that are splats by the scalar; drop_inputs then drops the operand. */
static bool inline_splats(NrOp *op, NrBuilder *b) {
  NrBlock *body = nr_op_only_body(op);
  bool changed = false;
  for (uint32_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    if (!input_is_used(body, k)) continue;
    NrValue *scalar = splat_of(b, nr_operand(op, k));
    if (!scalar) continue;
    nr_value_replace_uses(nr_block_arg(body, k), scalar);
    changed = true;
  }
  return changed;
}

/* Replaces operands by the sources of casts that only hide static sizes; results get casts back to their type. */
static bool absorb_casts(NrOp *op, NrBuilder *b) {
  size_t num_inputs = nr_linalg_num_inputs(op);
  bool changed = false, retype = false;
  NrType *types = nr_calloc(op->num_results + 1, sizeof *types);
  for (uint32_t r = 0; r < op->num_results; r++) types[r] = nr_result(op, r)->type;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrValue *value = nr_operand(op, k);
    if (!nr_op_is(value->op, NR_OP_tensor_cast)) continue;
    NrValue *source = nr_tensor_cast_source(value->op);
    if (source->type->kind != NR_TYPE_TENSOR || !nr_type_refines(source->type, value->type)) continue;
    if (k >= num_inputs && op->num_results != op->num_operands - num_inputs) continue;
    nr_op_set_operand(op, k, source);
    if (!nr_linalg_ranges_agree(op)) { /* the cast contradicts another operand: the run reports it */
      nr_op_set_operand(op, k, value);
      continue;
    }
    changed = true;
    if (k < num_inputs) continue;
    types[k - num_inputs] = source->type;
    retype = true;
  }
  if (retype) {
    NrBuilder after = nr_builder_after(op);
    for (uint32_t r = 0; r < op->num_results; r++) {
      NrValue *result = nr_result(op, r);
      if (types[r] == result->type || !nr_value_has_uses(result)) continue;
      NrValue *cast = nr_build_value(&after, NR_OP_tensor_cast, result->type, &result, 1);
      nr_value_replace_uses_except(result, cast, cast->op);
    }
    nr_op_retype(op, types);
  }
  nr_free(types);
  return changed;
}

/* Whether the map is a permutation of all loops, so that it visits each element of its operand once. */
static bool is_permutation(NrAttr map) {
  uint64_t seen = 0;
  if (map->num_exprs != map->num_dims) return false;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (map->exprs[i]->kind != NR_AFFINE_DIM || (seen >> map->exprs[i]->value & 1)) return false;
    seen |= UINT64_C(1) << map->exprs[i]->value;
  }
  return true;
}

/* Whether some loop has no iterations, because it runs over a dim of size 0. */
static bool never_runs(NrOp *op) {
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrType type = nr_operand(op, k)->type;
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t i = 0; nr_type_is_ranked(type) && i < map->num_exprs; i++)
      if (map->exprs[i]->kind == NR_AFFINE_DIM && type->dims[i] == 0) return true;
  }
  return false;
}

/* Whether the value yielded for an output is the element that the output already has: its own argument, or that of an
 * input with the same buffer and map. */
static bool is_own_element(NrOp *op, const NrValue *yielded, size_t output) {
  NrBlock *body = nr_op_only_body(op);
  if (yielded == nr_block_arg(body, output)) return true;
  if (yielded->block != body || nr_type_is_tensor(nr_operand(op, output)->type)) return false;
  return nr_operand(op, yielded->index) == nr_operand(op, output) &&
         nr_linalg_map(op, yielded->index) == nr_linalg_map(op, output);
}

/* Erases an op that leaves all outputs unchanged. */
static bool erase_unchanged(NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  NrOp *yield = nr_block_terminator(body);
  size_t num_inputs = nr_linalg_num_inputs(op);
  bool empty = never_runs(op);
  if (!empty && body->first != yield) return false;
  for (uint32_t i = 0; i < yield->num_operands && !empty; i++)
    if (!is_own_element(op, nr_operand(yield, i), num_inputs + i)) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (op->num_results != yield->num_operands || nr_operand(op, num_inputs + i)->type != nr_result(op, i)->type)
      return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), nr_operand(op, num_inputs + i));
  nr_op_erase(op);
  return true;
}

/* Replaces a generic that only copies an input by that input. */
static bool erase_identity(NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  NrOp *yield = nr_block_terminator(body);
  if (body->first != yield || op->num_results != 1 || nr_linalg_num_outputs(op) != 1) return false;
  for (uint32_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    if (nr_operand(yield, NR_LINALG_YIELD_VALUES) != nr_block_arg(body, k)) continue;
    if (nr_linalg_map(op, k) != nr_linalg_map(op, nr_linalg_num_inputs(op))) return false;
    if (nr_operand(op, k)->type != nr_op_result(op)->type || !is_permutation(nr_linalg_map(op, k))) return false;
    return nr_op_replace(op, nr_operand(op, k));
  }
  return false;
}

bool nr_linalg_generic_canonicalize(NrOp *op, NrBuilder *b) {
  if (erase_unchanged(op) || erase_identity(op)) return true;
  if (absorb_casts(op, b)) return true;
  bool changed = inline_splats(op, b);
  return drop_inputs(op, b) || drop_results(op, b) || changed;
}

bool nr_linalg_fill_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *output = nr_linalg_fill_output(op);
  /* Skips the fill or cast of the output, since a fill overwrites its output: only the shape matters. */
  if (op->num_results == 1 && nr_op_is(output->op, NR_OP_linalg_fill)) {
    nr_op_set_operand(op, nr_linalg_fill_output_index(op), nr_linalg_fill_output(output->op));
    return true;
  }
  if (op->num_results == 1 && nr_op_is(output->op, NR_OP_tensor_cast)) {
    NrValue *source = nr_tensor_cast_source(output->op);
    if (source->type->kind != NR_TYPE_TENSOR || !nr_type_refines(source->type, output->type)) return false;
    NrValue *fill = nr_build_fill(b, nr_linalg_fill_value(op), source);
    return nr_op_replace(op, nr_build_tensor_cast(b, fill, output->type));
  }
  return false;
}
