/* canonicalize.c - rewrites of flow.tensor ops, channels and transfers that change operands or build new ops. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

bool nr_flow_alloca_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_value_has_uses(nr_op_result(op))) return false;
  nr_op_erase(op);
  return true;
}

/* For empty: makes constant dims static, and casts to the old type. */
bool nr_flow_tensor_empty_canonicalize(NrOp *op, NrBuilder *b) {
  NrType old = nr_op_result(op)->type;
  NrGroup given = nr_flow_tensor_empty_result_dims(op);
  NrValue *rest[NR_MAX_RANK];
  int64_t dims[NR_MAX_RANK];
  size_t count = 0, next = given.begin;
  for (uint32_t i = 0; i < old->rank; i++) {
    dims[i] = old->dims[i];
    if (dims[i] != NR_DYNAMIC) continue;
    NrValue *dim = nr_operand(op, next++);
    if (!nr_value_constant_int(dim, &dims[i]) || dims[i] < 0) {
      dims[i] = NR_DYNAMIC;
      rest[count++] = dim;
    }
  }
  NrType type = nr_type_tensor(dims, old->rank, old->elem);
  int64_t elements;
  if (count == given.count || (nr_type_has_static_shape(type) && !nr_type_num_elements(type, &elements))) return false;
  NrValue *empty = nr_build_value(b, NR_OP_flow_tensor_empty, type, rest, count);
  return nr_op_replace(op, nr_build_tensor_cast(b, empty, old));
}

static bool has_zero_dim(NrType type) {
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == 0) return true;
  return false;
}

/* Replaces op by a flow.tensor.empty of its type, whose sizes are the operands `dims`. */
static bool replace_by_empty(NrOp *op, NrBuilder *b, NrGroup dims) {
  NrValue *operands[NR_MAX_RANK];
  for (size_t i = 0; i < dims.count; i++) operands[i] = nr_operand(op, dims.begin + i);
  return nr_op_replace(op, nr_build_value(b, NR_OP_flow_tensor_empty, nr_op_result(op)->type, operands, dims.count));
}

/* For splat and tie_shape: replaces a result without elements by an empty. */
bool nr_flow_zero_size_canonicalize(NrOp *op, NrBuilder *b) {
  if (!has_zero_dim(nr_op_result(op)->type)) return false;
  bool splats = nr_op_is(op, NR_OP_flow_tensor_splat);
  return replace_by_empty(op, b,
                          splats ? nr_flow_tensor_splat_result_dims(op) : nr_flow_tensor_tie_shape_dynamic_dims(op));
}

/* For clone: replaces a result without elements, or the clone of an empty, by an empty. */
bool nr_flow_empty_source_canonicalize(NrOp *op, NrBuilder *b) {
  bool empty =
      nr_op_is(nr_flow_tensor_clone_operand(op)->op, NR_OP_flow_tensor_empty) || has_zero_dim(nr_op_result(op)->type);
  return empty && replace_by_empty(op, b, nr_flow_tensor_clone_argument_dims(op));
}

static bool is_reshape(const NrOp *op) {
  return nr_op_is(op, NR_OP_flow_tensor_reshape) || nr_op_is(op, NR_OP_flow_tensor_bitcast);
}

/* For reshape and bitcast: replaces that of an empty, or without elements, by an empty; that of a splat, with the same
 * element type, by a splat; and merges two in a row. */
bool nr_flow_reshape_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  NrOp *def = source->op;
  if (nr_op_is(def, NR_OP_flow_tensor_empty) || has_zero_dim(type) || has_zero_dim(source->type))
    return replace_by_empty(op, b, nr_op_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP)); /* or of bitcast */
  NrValue *operands[1 + 2 * NR_MAX_RANK];
  size_t count = 1, begin, dims, root_dims;
  if (nr_op_is(def, NR_OP_flow_tensor_splat) && source->type->elem == type->elem) {
    operands[0] = nr_flow_tensor_splat_value(def);
    nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, &begin, &dims);
    for (size_t i = 0; i < dims; i++) operands[count++] = nr_operand(op, begin + i);
    return nr_op_replace(op, nr_build_value(b, NR_OP_flow_tensor_splat, type, operands, count));
  }
  if (!is_reshape(def)) return false;
  NrValue *root = nr_op_source(def);
  operands[0] = root;
  nr_op_operand_group(def, NR_FLOW_TENSOR_RESHAPE_SOURCE_DIMS_GROUP, &begin, &root_dims);
  for (size_t i = 0; i < root_dims; i++) operands[count++] = nr_operand(def, begin + i);
  nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, &begin, &dims);
  for (size_t i = 0; i < dims; i++) operands[count++] = nr_operand(op, begin + i);
  unsigned id = root->type->elem == type->elem ? NR_OP_flow_tensor_reshape : NR_OP_flow_tensor_bitcast;
  NrValue *value = nr_build_value(b, id, type, operands, count);
  nr_op_set_segments(value->op, (uint32_t[]){1, (uint32_t)root_dims, (uint32_t)dims}, 3);
  return nr_op_replace(op, value);
}

/* The constant, which a reshape by dims behind a barrier gives the dims that hide from folds. */
bool nr_flow_dynamic_constant_canonicalize(NrOp *op, NrBuilder *b) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType type = nr_op_result(op)->type;
  NrNamedAttr attr = {nr_context_intern(b->ctx, NR_STR("value")), value};
  NrOpState state = {.info = nr_op_infos[NR_OP_flow_tensor_constant],
                     .result_types = &value->type,
                     .num_results = 1,
                     .attrs = &attr,
                     .num_attrs = 1};
  NrValue *constant = nr_op_result(nr_build(b, &state));
  if (value->type == type) return nr_op_replace(op, constant);
  NrValue *operands[1 + NR_MAX_RANK] = {constant};
  uint32_t count = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] != NR_DYNAMIC) continue;
    NrValue *dim = nr_build_value(b, NR_OP_arith_constant, nr_type_index(b->ctx), NULL, 0);
    nr_op_set_attr(dim->op, NR_A_value, nr_attr_index(b->ctx, value->type->dims[d]));
    operands[++count] = nr_build_value(b, NR_OP_util_optimization_barrier, dim->type, &dim, 1);
  }
  NrValue *reshape = nr_build_value(b, NR_OP_flow_tensor_reshape, type, operands, 1 + count);
  nr_op_set_segments(reshape->op, (uint32_t[]){1, 0, count}, 3);
  return nr_op_replace(op, reshape);
}

/* For slice: replaces that of an empty, or without elements, by an empty; merges slices, if the first has no other
 * uses, by adding their starts. */
bool nr_flow_tensor_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_flow_tensor_slice_source(op);
  NrOp *def = source->op;
  size_t begin, count, inner;
  if (nr_op_is(def, NR_OP_flow_tensor_empty) || has_zero_dim(nr_op_result(op)->type) || has_zero_dim(source->type))
    return replace_by_empty(op, b, nr_flow_tensor_slice_result_dims(op));
  if (!nr_op_is(def, NR_OP_flow_tensor_slice) || !nr_value_has_one_use(source)) return false;
  NrValue *operands[1 + 4 * NR_MAX_RANK] = {nr_flow_tensor_slice_source(def)};
  uint32_t segments[5] = {1};
  size_t total = 1, rank = source->type->rank;
  nr_op_operand_group(def, NR_FLOW_TENSOR_SLICE_SOURCE_DIMS_GROUP, &begin, &count);
  for (size_t i = 0; i < count; i++) operands[total++] = nr_operand(def, begin + i);
  segments[1] = (uint32_t)count;
  nr_op_operand_group(op, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, &begin, &count);
  nr_op_operand_group(def, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, &inner, &count);
  NrType index = nr_type_index(b->ctx);
  for (size_t i = 0; i < rank; i++) {
    NrValue *both[] = {nr_operand(def, inner + i), nr_operand(op, begin + i)};
    operands[total++] = nr_build_value(b, NR_OP_arith_addi, index, both, 2);
  }
  segments[2] = (uint32_t)rank;
  for (size_t group = 3; group < 5; group++) {
    nr_op_operand_group(op, group, &begin, &count);
    for (size_t i = 0; i < count; i++) operands[total++] = nr_operand(op, begin + i);
    segments[group] = (uint32_t)count;
  }
  NrValue *value = nr_build_value(b, NR_OP_flow_tensor_slice, nr_op_result(op)->type, operands, total);
  nr_op_set_segments(value->op, segments, 5);
  return nr_op_replace(op, value);
}

/* ---- update ------------------------------------------------------------------------------------------------------ */

/* The source of a cast that only hides dims, else the value itself. */
static NrValue *uncast(NrValue *value) {
  if (!nr_op_is(value->op, NR_OP_tensor_cast)) return value;
  NrValue *source = nr_tensor_cast_source(value->op);
  return source->type->kind == NR_TYPE_TENSOR && nr_type_refines(source->type, value->type) ? source : value;
}

/* Appends the operands of a group of dims of a value of type `from` that are dims of the more static type `to` too. */
static size_t push_dims(const NrOp *op, NrGroup dims, NrType from, NrType to, NrValue **operands, size_t count) {
  size_t next = dims.begin;
  for (uint32_t i = 0; i < from->rank; i++) {
    if (from->dims[i] != NR_DYNAMIC) continue;
    if (to->dims[i] == NR_DYNAMIC) operands[count++] = nr_operand(op, next);
    next++;
  }
  return count;
}

/* Updates what is behind casts, and casts the result. */
static bool absorb_casts(NrOp *op, NrBuilder *b) {
  NrValue *old_target = nr_flow_tensor_update_target(op), *target = uncast(old_target);
  NrValue *old_update = nr_flow_tensor_update_update(op), *update = uncast(old_update);
  NrValue *operands[2 + 3 * NR_MAX_RANK] = {target};
  NrGroup starts = nr_flow_tensor_update_start_indices(op);
  NrType type = nr_op_result(op)->type;
  if (target == old_target && update == old_update) return false;
  for (uint32_t i = 0; i < type->rank; i++) { /* only a program that fails has such a part */
    int64_t whole = target->type->dims[i], part = update->type->dims[i];
    if (whole != NR_DYNAMIC && part != NR_DYNAMIC && part > whole) return false;
  }
  size_t count = push_dims(op, nr_flow_tensor_update_target_dims(op), old_target->type, target->type, operands, 1);
  uint32_t segments[5] = {1, (uint32_t)(count - 1), (uint32_t)starts.count, 1};
  for (size_t i = 0; i < starts.count; i++) operands[count++] = nr_operand(op, starts.begin + i);
  operands[count++] = update;
  size_t before = count;
  count = push_dims(op, nr_flow_tensor_update_update_dims(op), old_update->type, update->type, operands, count);
  segments[4] = (uint32_t)(count - before);
  NrValue *value = nr_build_value(b, NR_OP_flow_tensor_update, target->type, operands, count);
  nr_op_set_segments(value->op, segments, 5);
  return nr_op_replace(op, nr_build_tensor_cast(b, value, type));
}

/* For update: drops one of a target, or by an update, without elements. */
bool nr_flow_update_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *update = nr_flow_tensor_update_update(op);
  if (has_zero_dim(nr_op_result(op)->type)) return replace_by_empty(op, b, nr_flow_tensor_update_target_dims(op));
  bool nothing = nr_op_is(update->op, NR_OP_flow_tensor_empty) || has_zero_dim(update->type);
  if (nothing) return nr_op_replace(op, nr_flow_tensor_update_target(op));
  return absorb_casts(op, b);
}

/* ---- channels and transfers -------------------------------------------------------------------------------------- */

bool nr_flow_channel_split_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_value_has_uses(nr_op_result(op))) return false;
  nr_op_erase(op);
  return true;
}

/* Moves a reshape or bitcast behind the transfer or barrier of its result, so that those on both sides of it meet. */
static bool sink_reshape(NrOp *op, NrBuilder *b) {
  NrValue *reshaped = nr_op_operand(op);
  NrOp *reshape = reshaped->op;
  if (!is_reshape(reshape) || !nr_value_has_one_use(reshaped)) return false;
  NrValue *operands[1 + 2 * NR_MAX_RANK];
  size_t count = 0;
  for (uint32_t i = 0; i < reshape->num_operands; i++) operands[count++] = nr_operand(reshape, i);
  size_t dims = nr_op_group(reshape, NR_FLOW_TENSOR_RESHAPE_SOURCE_DIMS_GROUP).count;
  NrValue *moved = nr_build_value(b, op->info->id, operands[0]->type, operands, 1 + dims);
  nr_op_set_attr(moved->op, NR_A_target, nr_op_attr(op, NR_A_target));
  operands[0] = moved;
  NrValue *value = nr_build_value(b, reshape->info->id, reshaped->type, operands, count);
  nr_op_set_attr(value->op, NR_A_operandSegmentSizes, nr_op_attr(reshape, NR_A_operandSegmentSizes));
  return nr_op_replace(op, value);
}

bool nr_flow_barrier_canonicalize(NrOp *op, NrBuilder *b) { return sink_reshape(op, b); }

/* Skips an intermediate transfer. */
bool nr_flow_transfer_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *def = nr_flow_tensor_transfer_operand(op)->op;
  if (!nr_op_is(def, NR_OP_flow_tensor_transfer)) return sink_reshape(op, b);
  nr_op_set_operand(op, NR_FLOW_TENSOR_TRANSFER_OPERAND, nr_flow_tensor_transfer_operand(def));
  return true;
}
