/* of_2020.c - flow as texts of 2020 have it: tensors without dims, and loads and stores of whole dispatch tensors.
 *
 *   %r = flow.tensor.clone %a : tensor<?x4xf32>     ->  %d = tensor.dim %a, %c0 : tensor<?x4xf32>
 *                                                       %r = flow.tensor.clone %a : tensor<?x4xf32>{%d} */
#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/operands.h"

/* ---- dims -------------------------------------------------------------------------------------------------------- */

static NrValue *dim_of(NrBuilder *b, NrValue *value, uint32_t d) {
  if (value->type->kind != NR_TYPE_flow_dispatch_tensor) return nr_index_value(b, nr_dim_build(b, value, d));
  NrValue *dim = nr_build_value(b, NR_OP_flow_dispatch_tensor_dim, nr_type_index(b->ctx), &value, 1);
  nr_op_set_attr(dim->op, NR_A_dimension, nr_attr_index(b->ctx, d));
  return dim;
}

/* Adds the value at the end of an operand group. */
static void append(NrOp *op, size_t group, NrValue *value) {
  uint32_t sizes[8];
  size_t count = 0, begin, size, at = 0;
  while (count < NR_COUNTOF(sizes) && nr_op_operand_group(op, count, &begin, &size)) {
    sizes[count] = (uint32_t)size;
    if (count == group) at = begin + sizes[count]++;
    count++;
  }
  nr_op_insert_operand(op, at, value);
  if (nr_op_has(op, NR_SEGMENTS)) nr_op_set_segments(op, sizes, count);
}

static NrType shape_of(NrType type) { return type->kind == NR_TYPE_flow_dispatch_tensor ? type->elem : type; }

/* Gives the dims of the operands of a group, which has none yet. */
static void add_dims(NrOp *op, NrBuilder *b, size_t values, size_t dims) {
  size_t begin, count, first, have;
  if (!nr_op_operand_group(op, values, &begin, &count) || !nr_op_operand_group(op, dims, &first, &have) || have) return;
  for (size_t i = 0; i < count; i++) {
    NrValue *value = nr_operand(op, begin + i + (first < begin ? nr_op_group(op, dims).count : 0));
    NrType type = shape_of(value->type);
    for (uint32_t d = 0; type->kind == NR_TYPE_TENSOR && d < type->rank; d++)
      if (type->dims[d] == NR_DYNAMIC) append(op, dims, dim_of(b, value, d));
  }
}

/* A slice's dims are its lengths. */
static void add_lengths(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  if (nr_flow_tensor_slice_result_dims(op).count || nr_flow_tensor_slice_lengths(op).count != type->rank) return;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC)
      append(op, NR_FLOW_TENSOR_SLICE_RESULT_DIMS_GROUP, nr_operand(op, nr_flow_tensor_slice_lengths(op).begin + d));
}

/* A reshape with one open dim has as many elements as its source. */
static void add_rest(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  NrIndex count = nr_index_const(1);
  int64_t known = 1;
  if (nr_flow_tensor_reshape_result_dims(op).count || nr_flow_num_dims(type) != 1) return;
  for (uint32_t d = 0; d < source->type->rank; d++) count = nr_index_mul(b, count, nr_dim_build(b, source, d));
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] != NR_DYNAMIC && !nr_mul_i64(known, type->dims[d], &known)) return;
  if (known <= 0) return;
  NrIndex rest = nr_index_floordiv(b, count, nr_index_const(known));
  append(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, nr_index_value(b, rest));
}

NrStatus nr_flow_dims_post_parse(NrParser *p, NrOp *op) {
  size_t groups[2][2], count = nr_flow_claim_groups(op, groups);
  if (!nr_p_text_is_legacy(p) || !op->block) return NR_OK;
  NrBuilder b = nr_builder_before(op);
  for (size_t i = 0; i < count; i++) add_dims(op, &b, groups[i][0], groups[i][1]);
  if (nr_op_is(op, NR_OP_flow_tensor_slice)) add_lengths(op);
  if (nr_op_is(op, NR_OP_flow_tensor_reshape)) add_rest(op, &b);
  return NR_OK;
}

/* ---- whole dispatch tensors -------------------------------------------------------------------------------------- */

static NrStatus whole_verify(NrOp *op, NrType binding, NrType tensor, NrAccess refused, const char *what) {
  if (nr_flow_access(binding) == refused) return nr_op_error(op, "(C1) expected a %s dispatch tensor", what);
  if (shape_of(binding) == tensor) return NR_OK;
  return nr_op_error(op, "(C2) the dispatch tensor is of %s, not of %s", nr_type_text(binding->ctx, binding->elem),
                     nr_type_text(binding->ctx, tensor));
}

NrStatus nr_flow_input_load_verify(NrOp *op) {
  return whole_verify(op, nr_op_source(op)->type, nr_op_result(op)->type, NR_WRITEONLY, "readable");
}

NrStatus nr_flow_output_store_verify(NrOp *op) {
  NrValue *value = nr_flow_dispatch_output_store_value(op), *target = nr_flow_dispatch_output_store_target(op);
  return whole_verify(op, target->type, value->type, NR_READONLY, "writable");
}

static NrOp *build_whole(NrBuilder *b, NrValue *binding, NrValue *value) {
  NrValue *dims[NR_MAX_RANK];
  NrType type = shape_of(binding->type);
  size_t count = 0;
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC) dims[count++] = dim_of(b, binding, d);
  return nr_flow_build_whole(b, binding, dims, value);
}

NrStatus nr_flow_input_load_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  *out = nr_op_result(build_whole(b, nr_op_source(op), NULL));
  return NR_OK;
}

NrStatus nr_flow_output_store_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  (void)out;
  build_whole(b, nr_flow_dispatch_output_store_target(op), nr_flow_dispatch_output_store_value(op));
  return NR_OK;
}

/* The number of values in the brackets of the dispatch around. */
NrStatus nr_flow_rank_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  NrOp *up = nr_op_parent(op);
  while (up && !nr_op_is(up, NR_OP_flow_dispatch_workgroups)) up = nr_op_parent(up);
  if (!up) return nr_op_error(op, "is in no flow.dispatch.workgroups");
  *out = nr_arith_constant_index(b, (int64_t)nr_flow_dispatch_workgroups_workload(up).count);
  return NR_OK;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* `%a, %b : tensor<4xf32>, tensor<8xf32>`: without a key. */
NrStatus nr_flow_p_trace_2020(NrParser *p, NrOpState *state) {
  NrOperandRef *values;
  NrType *types;
  size_t count, num_types;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_operands(p, &values, &count));
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_type_list(p, &types, &num_types));
  nr_p_add_attr(p, state, "key", nr_attr_string(nr_p_context(p), NR_STR("")));
  NR_TRY(nr_p_add_operands(p, state, values, count, types, num_types));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)count, 0}, 2);
  return NR_OK;
}
