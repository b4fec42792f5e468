/* flow.c - the op definitions of dialect flow, and verification of its smaller ops. Syntax and larger ops are in files
 * of their own.
 */
#include "dialect/flow/flow.h"

static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }
static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

static NrStatus elem_infer(NrContext *ctx, const NrOpState *state, NrType *out_types) {
  (void)ctx;
  out_types[0] = nr_type_elem(state->operands[0]->type);
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

static NrStatus workgroup_verify(NrOp *op) {
  int64_t dimension = nr_op_attr_int(op, NR_A_dimension, -1);
  if (dimension < 0 || dimension >= 3)
    return nr_op_error(op, "(C1) dimension %lld out of bounds of dispatch dimensions; expected [0, 3)",
                       (long long)dimension);
  return NR_OK;
}

static NrStatus dispatch_dim_verify(NrOp *op) {
  NrType bound = nr_flow_dispatch_tensor_dim_source(op)->type->elem;
  int64_t dimension = nr_op_attr_int(op, NR_A_dimension, -1);
  if (bound->kind == NR_TYPE_TENSOR && dimension >= 0 && dimension < bound->rank) return NR_OK;
  return nr_op_error(op, "(C1) dimension %lld is not one of %s", (long long)dimension,
                     nr_type_text(nr_op_context(op), bound));
}

static NrStatus dispatch_tie_shape_verify(NrOp *op) {
  size_t wanted = nr_flow_num_dims(nr_flow_dispatch_tie_shape_operand(op)->type);
  return nr_flow_dims_verify(op, "C1", wanted, NR_FLOW_DISPATCH_TIE_SHAPE_DYNAMIC_DIMS_GROUP);
}

/* The op whose workgroup count region contains op, or NULL. */
static NrOp *count_region_owner(NrOp *op) {
  for (NrOp *parent = nr_op_parent(op), *inner = op; parent; inner = parent, parent = nr_op_parent(parent)) {
    NrRegion *region = inner->block->region;
    if (nr_op_is(parent, NR_OP_flow_executable_export)) return parent;
    bool dispatches = nr_op_is(parent, NR_OP_flow_dispatch_workgroups) || nr_op_is(parent, NR_OP_flow_dispatch_region);
    if (dispatches)
      return region == nr_op_region(parent, NR_FLOW_DISPATCH_REGION_WORKGROUP_COUNT_REGION) ? parent : NULL;
  }
  return NULL;
}

static NrStatus count_from_verify(NrOp *op) {
  return count_region_owner(op) ? NR_OK : nr_op_error(op, "(C1) expected to be in a workgroup count region");
}

static NrStatus ordinal_verify(NrOp *op) {
  int64_t ordinal = nr_op_attr_int(op, NR_A_ordinal, -1);
  size_t begin, workload;
  if (ordinal < 0) return nr_op_error(op, "(C1) ordinal must not be negative");
  NrOp *parent = nr_op_parent(op);
  while (parent && !nr_op_is(parent, NR_OP_flow_dispatch_workgroups)) parent = nr_op_parent(parent);
  if (parent && nr_op_operand_group(parent, NR_FLOW_WORKLOAD, &begin, &workload) && ordinal >= (int64_t)workload)
    return nr_op_error(op, "(C1) ordinal %lld is not less than the number of workload values, %zu", (long long)ordinal,
                       workload);
  return NR_OK;
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

/* Of an op with nothing but result_dims. */
static NrStatus result_dims_verify(NrOp *op) {
  return nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_TENSOR_EMPTY_RESULT_DIMS_GROUP);
}

/* Of clone, transfer and barrier. */
static NrStatus clone_verify(NrOp *op) {
  return nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_TENSOR_CLONE_ARGUMENT_DIMS_GROUP);
}

/* Verifies source_dims, which are in the same group of bitcast, reshape and slice, and result_dims. */
static NrStatus both_dims_verify(NrOp *op, size_t result_dims) {
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_RESHAPE_SOURCE_GROUP,
                                   NR_FLOW_TENSOR_RESHAPE_SOURCE_DIMS_GROUP));
  return nr_flow_group_dims_verify(op, "C1", SIZE_MAX, result_dims);
}

static NrStatus encode_verify(NrOp *op) {
  NrType from = nr_flow_tensor_encode_operand(op)->type, to = result_of(op);
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_ENCODE_OPERAND_GROUP,
                                   NR_FLOW_TENSOR_ENCODE_ARGUMENT_DIMS_GROUP));
  NR_TRY(nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_TENSOR_ENCODE_RESULT_DIMS_GROUP));
  if (from->rank == to->rank && from->elem == to->elem) return NR_OK;
  return nr_op_error(op, "(C2) operand and result must be of equal rank and element type");
}

/* The number of bits of a static tensor; false for other tensors. */
static bool tensor_bits(NrType type, int64_t *out) {
  return nr_type_num_elements(type, out) && nr_mul_i64(*out, nr_type_bits(type->elem), out);
}

static NrStatus bitcast_verify(NrOp *op) {
  int64_t a, b;
  NR_TRY(both_dims_verify(op, NR_FLOW_TENSOR_BITCAST_RESULT_DIMS_GROUP));
  if (tensor_bits(nr_flow_tensor_bitcast_source(op)->type, &a) && tensor_bits(result_of(op), &b) && a != b)
    return nr_op_error(op, "(C2) source and result differ in size: %lld and %lld bits", (long long)a, (long long)b);
  return NR_OK;
}

static NrStatus reshape_verify(NrOp *op) {
  int64_t a, b;
  NR_TRY(both_dims_verify(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP));
  if (nr_flow_tensor_reshape_source(op)->type->elem != result_of(op)->elem)
    return nr_op_error(op, "(C2) element types of source and result must be equal");
  if (nr_type_num_elements(nr_flow_tensor_reshape_source(op)->type, &a) && nr_type_num_elements(result_of(op), &b) &&
      a != b)
    return nr_op_error(op, "(C3) source has %lld elements but the result %lld", (long long)a, (long long)b);
  return NR_OK;
}

static bool has_nul(NrStr s) { return s.size && memchr(s.data, 0, s.size); }

static NrStatus constant_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value->type != result_of(op))
    return nr_op_error(op, "(C1) value is %s but the result %s",
                       value->type ? text_of(op, value->type) : "without type", text_of(op, result_of(op)));
  if (nr_attr_is_parameter(value) && (!value->items[1]->s.size || has_nul(value->items[0]->s) ||
                                      has_nul(value->items[1]->s)))
    return nr_op_error(op, "(C2) malformed parameter, expected #flow.parameter.named<\"scope\"::\"key\">");
  return NR_OK;
}

static NrStatus dynamic_constant_verify(NrOp *op) {
  NrType from = nr_op_attr(op, NR_A_value)->type, to = result_of(op);
  bool ok = from && from->kind == NR_TYPE_TENSOR && from->rank == to->rank && from->elem == to->elem;
  for (uint32_t i = 0; ok && i < to->rank; i++) ok = to->dims[i] == NR_DYNAMIC || to->dims[i] == from->dims[i];
  return ok ? NR_OK : nr_op_error(op, "(C1) the value does not fit %s", text_of(op, to));
}

static NrStatus indices_verify(NrOp *op, size_t group, uint32_t rank, const char *id, const char *what) {
  size_t begin, count;
  nr_op_operand_group(op, group, &begin, &count);
  if (count != rank) return nr_op_error(op, "(%s) expected %u %s, got %zu", id, rank, what, count);
  return NR_OK;
}

static NrStatus elem_verify(NrOp *op, const char *id, NrType value, NrType tensor) {
  if (value != tensor->elem)
    return nr_op_error(op, "(%s) expected the element type %s, got %s", id, text_of(op, tensor->elem),
                       text_of(op, value));
  return NR_OK;
}

static NrStatus load_verify(NrOp *op) {
  NrType source = nr_flow_tensor_load_source(op)->type;
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_LOAD_SOURCE_GROUP, NR_FLOW_TENSOR_LOAD_SOURCE_DIMS_GROUP));
  NR_TRY(indices_verify(op, NR_FLOW_TENSOR_LOAD_INDICES_GROUP, source->rank, "C2", "indices"));
  return elem_verify(op, "C3", result_of(op), source);
}

static NrStatus store_verify(NrOp *op) {
  NrType target = nr_flow_tensor_store_target(op)->type;
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_STORE_TARGET_GROUP,
                                   NR_FLOW_TENSOR_STORE_TARGET_DIMS_GROUP));
  NR_TRY(indices_verify(op, NR_FLOW_TENSOR_STORE_INDICES_GROUP, target->rank, "C2", "indices"));
  return elem_verify(op, "C3", nr_flow_tensor_store_value(op)->type, target);
}

static NrStatus splat_verify(NrOp *op) {
  NR_TRY(nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_TENSOR_SPLAT_RESULT_DIMS_GROUP));
  return elem_verify(op, "C2", nr_flow_tensor_splat_value(op)->type, result_of(op));
}

/* Verifies that the range [start, start + length) is inside dim i of whole, as far as it is constant. */
static NrStatus inside_verify(NrOp *op, NrType whole, uint32_t i, NrValue *start, bool has_length, int64_t length) {
  int64_t begin = 0, end;
  bool known = nr_value_constant_int(start, &begin);
  if (known && begin < 0) return nr_verify_constant_error(op, "(C4) start %u must not be negative", i);
  if (whole->dims[i] == NR_DYNAMIC || !has_length) return NR_OK;
  if (!nr_add_i64(known ? begin : 0, length, &end) || end > whole->dims[i])
    return nr_verify_constant_error(op, "(C4) the part runs out of dim %u, of size %lld", i, (long long)whole->dims[i]);
  return NR_OK;
}

static NrStatus slice_verify(NrOp *op) {
  NrType from = nr_flow_tensor_slice_source(op)->type, to = result_of(op);
  size_t starts, lengths, count;
  NR_TRY(both_dims_verify(op, NR_FLOW_TENSOR_SLICE_RESULT_DIMS_GROUP));
  if (from->rank != to->rank || from->elem != to->elem)
    return nr_op_error(op, "(C2) source and result must be of equal rank and element type");
  NR_TRY(indices_verify(op, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, from->rank, "C3", "start indices"));
  NR_TRY(indices_verify(op, NR_FLOW_TENSOR_SLICE_LENGTHS_GROUP, from->rank, "C3", "lengths"));
  nr_op_operand_group(op, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, &starts, &count);
  nr_op_operand_group(op, NR_FLOW_TENSOR_SLICE_LENGTHS_GROUP, &lengths, &count);
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t length = 0;
    bool known = nr_value_constant_int(nr_operand(op, lengths + i), &length);
    if (known && length < 0) return nr_verify_constant_error(op, "(C4) length %u must not be negative", i);
    NR_TRY(inside_verify(op, from, i, nr_operand(op, starts + i), known, length));
    if (known && to->dims[i] != NR_DYNAMIC && to->dims[i] != length)
      return nr_verify_constant_error(op, "(C5) dim %u of the result is %lld but the length %lld", i,
                                      (long long)to->dims[i], (long long)length);
  }
  return NR_OK;
}

static NrStatus trace_verify(NrOp *op) {
  return nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_TRACE_VALUES_GROUP, NR_FLOW_TENSOR_TRACE_VALUE_DIMS_GROUP);
}

static NrStatus update_verify(NrOp *op) {
  NrType target = nr_flow_tensor_update_target(op)->type, update = nr_flow_tensor_update_update(op)->type;
  size_t starts, count;
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_UPDATE_TARGET_GROUP,
                                   NR_FLOW_TENSOR_UPDATE_TARGET_DIMS_GROUP));
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_TENSOR_UPDATE_UPDATE_GROUP,
                                   NR_FLOW_TENSOR_UPDATE_UPDATE_DIMS_GROUP));
  if (target->rank != update->rank || target->elem != update->elem)
    return nr_op_error(op, "(C2) target and update must be of equal rank and element type");
  NR_TRY(indices_verify(op, NR_FLOW_TENSOR_UPDATE_START_INDICES_GROUP, target->rank, "C3", "start indices"));
  nr_op_operand_group(op, NR_FLOW_TENSOR_UPDATE_START_INDICES_GROUP, &starts, &count);
  for (uint32_t i = 0; i < target->rank; i++)
    NR_TRY(inside_verify(op, target, i, nr_operand(op, starts + i), update->dims[i] != NR_DYNAMIC, update->dims[i]));
  return NR_OK;
}

#include "ir/rows.h"
#include "dialect/flow/types.def"
#include "dialect/flow/attrs.def"
#include "dialect/flow/ops.def"
