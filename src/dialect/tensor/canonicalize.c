/* canonicalize.c - rewrites of tensor ops that build new ops. Rewrites of slices, pads and reshapes are in files of
 * their own. */
#include "dialect/tensor/tensor.h"

/* ---- construction ------------------------------------------------------------------------------------------------ */

/* Computes the type in which constant sizes are static, and the remaining operands; false when no size is constant. */
static bool constant_sizes(NrOp *op, size_t first, NrType *out_type, NrValue **operands, size_t *num_operands) {
  NrType type = nr_op_result(op)->type;
  int64_t dims[NR_MAX_RANK] = {0}, c;
  size_t used = first;
  bool any = false;
  for (size_t i = 0; i < first; i++) operands[i] = nr_operand(op, i);
  *num_operands = first;
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i] = type->dims[i];
    if (dims[i] != NR_DYNAMIC) continue;
    NrValue *size = nr_operand(op, used++);
    bool constant = nr_value_constant_int(size, &c) && c >= 0;
    any |= constant;
    if (constant) dims[i] = c;
    else operands[(*num_operands)++] = size;
  }
  *out_type = nr_type_with_dims(type, dims, type->rank);
  return any && !(*out_type)->oversized; /* dead code may have any constant */
}

/* Moves constant sizes of empty and splat into the type. */
bool nr_tensor_sizes_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *operands[1 + NR_MAX_RANK];
  NrType type, old = nr_op_result(op)->type;
  size_t count;
  if (!constant_sizes(op, nr_op_is(op, NR_OP_tensor_splat), &type, operands, &count)) return false;
  NrValue *value = nr_build_value(b, op->info->id, type, operands, count);
  return nr_op_replace(op, nr_build_tensor_cast(b, value, old));
}

bool nr_tensor_generate_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *operands[NR_MAX_RANK];
  NrType type, old = nr_op_result(op)->type;
  size_t count;
  NrBlock *body = nr_tensor_generate_body(op);
  NrOp *yield = nr_block_terminator(body);
  /* A body that only yields a value from outside is a splat. */
  if (body->first == yield && nr_value_block(nr_tensor_yield_value(yield)) != body) {
    NrValue *splat[1 + NR_MAX_RANK] = {nr_tensor_yield_value(yield)};
    for (uint32_t i = 0; i < op->num_operands; i++) splat[1 + i] = nr_operand(op, i);
    return nr_op_replace(op, nr_build_value(b, NR_OP_tensor_splat, old, splat, 1 + op->num_operands));
  }
  if (!constant_sizes(op, 0, &type, operands, &count)) return false;
  NrOpState state = {.info = op->info,
                     .operands = operands,
                     .num_operands = count,
                     .result_types = &type,
                     .num_results = 1,
                     .num_regions = 1,
                     .loc = op->loc};
  NrOp *fresh = nr_build(b, &state);
  nr_region_take(nr_tensor_generate_region(fresh), nr_tensor_generate_region(op));
  return nr_op_replace(op, nr_build_tensor_cast(b, nr_op_result(fresh), old));
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

/* Replaces an extract by one from `tensor` at `indices`. */
static bool extract_from(NrOp *op, NrBuilder *b, NrValue *tensor, const NrIndex *indices) {
  NrValue *values[NR_MAX_RANK];
  for (uint32_t i = 0; i < tensor->type->rank; i++) values[i] = nr_index_value(b, indices[i]);
  return nr_op_replace(op, nr_build_extract(b, tensor, values, tensor->type->rank));
}

/* Extracts from the source of a slice: at offset + index * stride, and in dropped dims at the offset. */
static bool extract_of_slice(NrOp *op, NrBuilder *b, NrOp *slice) {
  NrValue *source = nr_tensor_extract_slice_source(slice);
  NrIndex offsets[NR_MAX_RANK], strides[NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  size_t rank = nr_index_list_all(slice, nr_extract_slice_slots[0], offsets), at = 1;
  nr_index_list_all(slice, nr_extract_slice_slots[2], strides);
  if (!nr_slice_keeps(slice, nr_op_result(slice)->type, keep)) return false;
  for (size_t i = 0; i < rank; i++)
    if (keep[i])
      offsets[i] = nr_index_add(b, offsets[i], nr_index_mul(b, nr_index_of(nr_operand(op, at++)), strides[i]));
  return extract_from(op, b, source, offsets);
}

/* Extracts from the source of an expand_shape: linearizes the indices of each group, using all sizes but the group's
 * first. */
static bool extract_of_expand(NrOp *op, NrBuilder *b, NrOp *expand) {
  NrGroups groups;
  NrIndex shape[NR_MAX_RANK], indices[NR_MAX_RANK];
  if (!nr_groups_of(expand, &groups)) return false;
  nr_index_list_all(expand, nr_output_shape_slot, shape);
  for (size_t g = 0; g < groups.count; g++) {
    indices[g] = nr_index_const(0);
    for (uint32_t k = 0; k < groups.size[g]; k++) {
      uint32_t d = groups.begin[g] + k;
      if (nr_index_is(shape[d], 1)) continue;
      indices[g] = nr_index_add(b, nr_index_mul(b, indices[g], shape[d]),
                                nr_index_of(nr_operand(op, NR_TENSOR_EXTRACT_INDICES + d)));
    }
  }
  return extract_from(op, b, nr_tensor_expand_shape_source(expand), indices);
}

/* Extracts from the source of a collapse_shape, if each group has at most one dim with a size other than 1. */
static bool extract_of_collapse(NrOp *op, NrBuilder *b, NrOp *collapse) {
  NrGroups groups;
  NrIndex indices[NR_MAX_RANK];
  NrType type = nr_tensor_collapse_shape_source(collapse)->type;
  if (!nr_groups_of(collapse, &groups)) return false;
  for (uint32_t i = 0; i < type->rank; i++) indices[i] = nr_index_const(0);
  for (size_t g = 0; g < groups.count; g++) {
    bool taken = false;
    for (uint32_t d = groups.begin[g]; d < groups.begin[g] + groups.size[g]; d++) {
      if (type->dims[d] == 1) continue;
      if (taken) return false;
      taken = true;
      indices[d] = nr_index_of(nr_operand(op, NR_TENSOR_EXTRACT_INDICES + g));
    }
  }
  return extract_from(op, b, nr_tensor_collapse_shape_source(collapse), indices);
}

/* Replaces the extract from a generate with a small pure body by a copy of the body. */
static bool extract_of_generate(NrOp *op, NrBuilder *b, NrOp *generate) {
  enum { MAX_OPS = 16 };
  NrBlock *body = nr_tensor_generate_body(generate);
  NrOp *yield = nr_block_terminator(body);
  size_t ops = 0;
  for (NrOp *o = body->first; o != yield; o = o->next)
    if (o->num_regions || !nr_op_is_pure(o) || ++ops > MAX_OPS) return false;
  NrMap map = {0};
  for (uint32_t i = 0; i < body->num_args; i++)
    nr_map_set(&map, nr_block_arg(body, i), nr_operand(op, NR_TENSOR_EXTRACT_INDICES + i));
  for (NrOp *o = body->first; o != yield; o = o->next) nr_op_insert_before(nr_op_clone(b->module, o, &map), op);
  NrValue *result = nr_map_get(&map, nr_tensor_yield_value(yield));
  if (!result) result = nr_tensor_yield_value(yield);
  nr_map_deinit(&map);
  return nr_op_replace(op, result);
}

/* Extracts from the destination of an insert whose constant indices differ. */
static bool extract_of_insert(NrOp *op, NrOp *insert) {
  for (uint32_t i = 1; i < op->num_operands; i++) {
    NrIndex x = nr_index_of(nr_operand(op, i)), y = nr_index_of(nr_operand(insert, NR_TENSOR_INSERT_DEST + i));
    if (x.value || y.value || x.constant == y.constant) continue;
    nr_op_set_operand(op, NR_TENSOR_EXTRACT_TENSOR, nr_tensor_insert_dest(insert));
    return true;
  }
  return false;
}

bool nr_tensor_extract_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *tensor = nr_tensor_extract_tensor(op);
  int64_t count;
  bool changed = false;
  /* The only valid index in a dim of size 1 is 0; using the constant lets CSE merge equal reads. */
  for (uint32_t i = 0; i < tensor->type->rank; i++) {
    if (tensor->type->dims[i] != 1 || nr_index_is(nr_index_of(nr_operand(op, NR_TENSOR_EXTRACT_INDICES + i)), 0))
      continue;
    nr_op_set_operand(op, NR_TENSOR_EXTRACT_INDICES + i, nr_index_value(b, nr_index_const(0)));
    changed = true;
  }
  switch (tensor->op ? tensor->op->info->id : NR_OP_unregistered) {
  case NR_OP_tensor_cast:
    if (nr_tensor_cast_source(tensor->op)->type->kind != NR_TYPE_TENSOR) return changed;
    nr_op_set_operand(op, NR_TENSOR_EXTRACT_TENSOR, nr_tensor_cast_source(tensor->op));
    return true;
  case NR_OP_tensor_extract_slice: return extract_of_slice(op, b, tensor->op) || changed;
  case NR_OP_tensor_expand_shape: return extract_of_expand(op, b, tensor->op) || changed;
  case NR_OP_tensor_collapse_shape: return extract_of_collapse(op, b, tensor->op) || changed;
  case NR_OP_tensor_generate: return extract_of_generate(op, b, tensor->op) || changed;
  case NR_OP_tensor_insert: return extract_of_insert(op, tensor->op) || changed;
  case NR_OP_tensor_reshape: {
    NrValue *source = nr_tensor_reshape_source(tensor->op);
    NrIndex zeros[NR_MAX_RANK] = {0};
    if (source->type->kind != NR_TYPE_TENSOR || !nr_type_num_elements(source->type, &count) || count != 1)
      return changed;
    return extract_from(op, b, source, zeros);
  }
  default: return changed;
  }
}

/* ---- dim -------------------------------------------------------------------------------------------------------- */

bool nr_tensor_dim_of_op(NrBuilder *b, NrOp *op, size_t i, NrIndex *out) {
  NrGroups groups;
  NrIndex list[NR_MAX_RANK];
  switch (op->info->id) {
  case NR_OP_tensor_collapse_shape:
    if (!nr_groups_of(op, &groups) || i >= groups.count) return false;
    *out = nr_index_const(1);
    for (uint32_t k = 0; k < groups.size[i]; k++)
      *out = nr_index_mul(b, *out, nr_dim_build(b, nr_tensor_collapse_shape_source(op), groups.begin[i] + k));
    return true;
  case NR_OP_tensor_concat: {
    bool along = (int64_t)i == nr_op_attr_int(op, NR_A_dim, 0);
    *out = nr_dim_build(b, nr_operand(op, NR_TENSOR_CONCAT_INPUTS), i);
    for (uint32_t k = 1; along && k < op->num_operands; k++)
      *out = nr_index_add(b, *out, nr_dim_build(b, nr_operand(op, k), i));
    return true;
  }
  case NR_OP_tensor_pad:
    *out = nr_dim_build(b, nr_tensor_pad_source(op), i);
    for (size_t s = 0; s < 2; s++) {
      nr_index_list_all(op, nr_pad_slots[s], list);
      *out = nr_index_add(b, *out, list[i]);
    }
    return true;
  case NR_OP_tensor_reshape: {
    NrValue *at = nr_index_value(b, nr_index_const((int64_t)i));
    NrValue *size = nr_build_extract(b, nr_tensor_reshape_shape(op), &at, 1);
    NrType index = nr_type_index(b->ctx);
    if (size->type != index) size = nr_build_value(b, NR_OP_arith_index_cast, index, &size, 1);
    *out = (NrIndex){size, 0};
    return true;
  }
  case NR_OP_bufferization_to_tensor:
  case NR_OP_tensor_bitcast: *out = nr_dim_build(b, nr_op_only_operand(op), i); return true;
  default:
    if (!nr_op_has(op, NR_ELEMENTWISE) || !op->num_operands) return false;
    /* Use the last operand: the condition of a select may be a scalar. */
    if (nr_operand(op, op->num_operands - 1)->type->kind != NR_TYPE_TENSOR) return false;
    *out = nr_dim_build(b, nr_operand(op, op->num_operands - 1), i);
    return true;
  }
}

bool nr_tensor_dim_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *tensor = nr_tensor_dim_source(op);
  int64_t i;
  NrIndex dim;
  if (tensor->type->kind == NR_TYPE_UNRANKED_TENSOR && nr_op_is(tensor->op, NR_OP_tensor_cast)) {
    NrValue *whole = nr_tensor_cast_source(tensor->op);
    /* A tensor of rank 0 has no dims; the run reports the error. */
    if (nr_type_is_ranked(whole->type) && whole->type->rank == 0) return false;
    nr_op_set_operand(op, NR_TENSOR_DIM_SOURCE, whole);
    return true;
  }
  if (!tensor->op || tensor->type->kind != NR_TYPE_TENSOR) return false;
  NrValue *source = nr_shape_source(tensor);
  if (source && source->type->kind == NR_TYPE_TENSOR) {
    nr_op_set_operand(op, NR_TENSOR_DIM_SOURCE, source);
    return true;
  }
  if (!nr_value_constant_int(nr_tensor_dim_index(op), &i) || i < 0 || i >= tensor->type->rank) return false;
  if (!nr_tensor_dim_of_op(b, tensor->op, (size_t)i, &dim)) return false;
  return nr_op_replace(op, nr_index_value(b, dim));
}

bool nr_tensor_bitcast_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *def = nr_tensor_bitcast_source(op)->op;
  if (!nr_op_is(def, NR_OP_tensor_bitcast)) return false;
  nr_op_set_operand(op, NR_TENSOR_BITCAST_SOURCE, nr_tensor_bitcast_source(def));
  return true;
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

/* An element-wise op preserves the shape of its operands. Casts its unranked operands instead of its result, so that
 * the op applies to ranked values. */
static bool cast_operands(NrOp *op, NrOp *def, NrBuilder *b) {
  NrType to = nr_op_result(op)->type;
  NrValue *operands[4];
  if (def->num_results != 1 || def->num_operands > NR_COUNTOF(operands) || def->num_regions) return false;
  for (uint32_t i = 0; i < def->num_operands; i++) {
    operands[i] = nr_operand(def, i);
    NrType from = operands[i]->type;
    if (from->kind != NR_TYPE_UNRANKED_TENSOR) continue;
    operands[i] = nr_build_tensor_cast(b, operands[i], nr_type_tensor(to->dims, to->rank, from->elem));
  }
  NrOp *made = nr_build(b, &(NrOpState){.info = def->info,
                                        .operands = operands,
                                        .num_operands = def->num_operands,
                                        .result_types = &to,
                                        .num_results = 1,
                                        .attrs = def->attrs,
                                        .num_attrs = def->num_attrs});
  return nr_op_replace(op, nr_op_result(made));
}

/* Casts the root of a chain of casts. Gives an empty or splat the more static type that it is cast to. */
bool nr_tensor_cast_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_tensor_cast_source(op);
  NrType to = nr_op_result(op)->type;
  NrOp *def = source->op;
  if (nr_op_is(def, NR_OP_tensor_cast)) {
    /* Skipping the middle type must not lose a claim: the root's type must imply it. */
    NrValue *root = nr_tensor_cast_source(def);
    bool claims_less = source->type->kind == NR_TYPE_UNRANKED_TENSOR || nr_type_refines(root->type, source->type);
    if (!claims_less || !nr_types_cast_compatible(root->type, to)) return false;
    nr_op_set_operand(op, NR_TENSOR_CAST_SOURCE, root);
    return true;
  }
  bool gains_rank = source->type->kind == NR_TYPE_UNRANKED_TENSOR && to->kind == NR_TYPE_TENSOR;
  if (gains_rank && def && nr_op_has(def, NR_ELEMENTWISE) && nr_op_is_pure(def)) return cast_operands(op, def, b);
  if (!def || !nr_value_has_one_use(source) || to->kind != NR_TYPE_TENSOR || source->type->kind != NR_TYPE_TENSOR)
    return false;
  if (!nr_op_is(def, NR_OP_tensor_empty) && !nr_op_is(def, NR_OP_tensor_splat)) return false;
  if (!nr_type_refines(to, source->type)) return false;
  size_t first = nr_op_is(def, NR_OP_tensor_splat), used = first, count = first;
  NrValue *operands[1 + NR_MAX_RANK];
  for (size_t i = 0; i < first; i++) operands[i] = nr_operand(def, i);
  for (uint32_t i = 0; i < to->rank; i++) {
    if (source->type->dims[i] != NR_DYNAMIC) continue;
    NrValue *size = nr_operand(def, used++);
    if (to->dims[i] == NR_DYNAMIC) operands[count++] = size;
  }
  return nr_op_replace(op, nr_build_value(b, def->info->id, to, operands, count));
}

NrValue *nr_tensor_uncast(NrValue *value) {
  if (!nr_op_is(value->op, NR_OP_tensor_cast)) return NULL;
  NrValue *source = nr_tensor_cast_source(value->op);
  return source->type->kind == NR_TYPE_TENSOR && nr_type_refines(source->type, value->type) ? source : NULL;
}
