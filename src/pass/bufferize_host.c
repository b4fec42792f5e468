/* bufferize_host.c - flow.tensor.* of a host program, which are copies and views by another name, become tensor ops. */
#include "pass/bufferize.h"

/* All operands of a group. */
static size_t group(NrOp *op, size_t g, NrValue **out) {
  size_t begin, count;
  if (!nr_op_operand_group(op, g, &begin, &count)) return 0;
  for (size_t i = 0; i < count && i < NR_MAX_RANK; i++) out[i] = nr_operand(op, begin + i);
  return count;
}

/* The dims of t, whose `?` are the operands of group g. */
static void dims_of(NrOp *op, NrType t, size_t g, NrIndex *out) {
  NrValue *dynamic[NR_MAX_RANK];
  size_t count = group(op, g, dynamic), next = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    bool known = t->dims[i] != NR_DYNAMIC || next >= count;
    out[i] = known ? nr_index_const(t->dims[i]) : nr_index_of(dynamic[next++]);
  }
}

static NrStatus replace(NrOp *op, NrValue *value) {
  NrBuilder b = nr_builder_before(op);
  if (nr_type_is_tensor(value->type)) value = nr_build_tensor_cast(&b, value, nr_result(op, 0)->type);
  nr_op_replace(op, value);
  return NR_OK;
}

static NrValue *empty(NrOp *op, size_t dims_group) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_result(op, 0)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_of(op, t, dims_group, dims);
  return nr_build_empty(&b, t->elem, dims, t->rank);
}

/* ---- reshapes ---------------------------------------------------------------------------------------------------- */

static NrGroups all_dims(uint32_t rank) { return (NrGroups){.count = rank ? 1 : 0, .begin = {0}, .size = {rank}}; }

static NrValue *flatten(NrBuilder *b, NrValue *source) {
  uint32_t rank = source->type->rank;
  NrGroups groups = all_dims(rank);
  NrIndex one = nr_index_const(1);
  if (rank == 1) return source;
  return rank == 0 ? nr_build_expand_shape(b, source, &groups, &one, 1) : nr_build_collapse_shape(b, source, &groups);
}

static NrStatus reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_result(op, 0)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_of(op, t, 2, dims);
  NrValue *value = flatten(&b, nr_operand(op, 0));
  int64_t size = 1;
  for (uint32_t i = 0; i < t->rank && size != NR_DYNAMIC; i++)
    if (dims[i].value || !nr_mul_i64(size, dims[i].constant, &size)) size = NR_DYNAMIC;
  value = nr_build_tensor_cast(&b, value, nr_type_tensor(&size, 1, t->elem));
  NrGroups groups = all_dims(t->rank);
  if (t->rank == 0) value = nr_build_collapse_shape(&b, value, &groups);
  else if (t->rank > 1) value = nr_build_expand_shape(&b, value, &groups, dims, t->rank);
  return replace(op, value);
}

/* Element by element where the elements have one width; other cuts of the bytes would need a view of them. */
static NrStatus bitcast(NrOp *op) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  bool same = from->rank == to->rank && nr_type_bits(from->elem) == nr_type_bits(to->elem);
  for (uint32_t i = 0; same && i < from->rank; i++) same = from->dims[i] == to->dims[i];
  if (from->elem == to->elem) return reshape(op);
  if (!same) return nr_op_error(op, "changes the width of elements, which cannot be bufferized");
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_operand(op, 0);
  return replace(op, nr_build_value(&b, NR_OP_tensor_bitcast, to, &source, 1));
}

/* ---- elements and parts ------------------------------------------------------------------------------------------ */

static NrStatus load(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  size_t count = group(op, 2, indices);
  return replace(op, nr_build_extract(&b, nr_operand(op, 0), indices, count));
}

static NrStatus store(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  size_t count = group(op, 3, indices);
  return replace(op, nr_build_insert(&b, nr_operand(op, 0), nr_op_group_operand(op, 1), indices, count));
}

/* Starts from group g, steps of one. */
static void box(NrOp *op, size_t g, NrIndex *offsets, NrIndex *strides) {
  NrValue *starts[NR_MAX_RANK];
  size_t count = group(op, g, starts);
  for (size_t i = 0; i < count; i++) {
    offsets[i] = nr_index_of(starts[i]);
    strides[i] = nr_index_const(1);
  }
}

static NrStatus slice(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrValue *lengths[NR_MAX_RANK];
  box(op, 2, offsets, strides);
  size_t count = group(op, 3, lengths);
  for (size_t i = 0; i < count; i++) sizes[i] = nr_index_of(lengths[i]);
  return replace(op, nr_build_extract_slice(&b, nr_operand(op, 0), offsets, sizes, strides, NULL));
}

static NrStatus update(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrValue *part = nr_op_group_operand(op, 3);
  box(op, 2, offsets, strides);
  dims_of(op, part->type, 4, sizes);
  return replace(op, nr_build_insert_slice(&b, part, nr_operand(op, 0), offsets, sizes, strides));
}

static NrStatus constant(NrOp *op) {
  NrAttr value = nr_op_attr(op, "value");
  if (!nr_attr_is_elements(value))
    return nr_op_error(op, "is a parameter, which must be loaded before it can be bufferized");
  NrBuilder b = nr_builder_before(op);
  NrValue *dense = nr_build_value(&b, NR_OP_arith_constant, value->type, NULL, 0);
  nr_op_set_attr(dense->op, "value", value);
  return replace(op, dense);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

bool nr_bufferize_is_host_op(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_tensor_alloca:
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_clone:
  case NR_OP_flow_tensor_constant:
  case NR_OP_flow_tensor_dynamic_constant:
  case NR_OP_flow_tensor_empty:
  case NR_OP_flow_tensor_load:
  case NR_OP_flow_tensor_reshape:
  case NR_OP_flow_tensor_slice:
  case NR_OP_flow_tensor_splat:
  case NR_OP_flow_tensor_store:
  case NR_OP_flow_tensor_tie_shape:
  case NR_OP_flow_tensor_transfer:
  case NR_OP_flow_tensor_update: return true;
  default: return false;
  }
}

NrStatus nr_bufferize_host_op(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  switch (op->info->id) {
  case NR_OP_flow_tensor_alloca:
  case NR_OP_flow_tensor_empty: return replace(op, empty(op, 0));
  case NR_OP_flow_tensor_splat: return replace(op, nr_build_fill(&b, nr_operand(op, 0), empty(op, 1)));
  case NR_OP_flow_tensor_constant:
  case NR_OP_flow_tensor_dynamic_constant: return constant(op);
  case NR_OP_flow_tensor_reshape: return reshape(op);
  case NR_OP_flow_tensor_bitcast: return bitcast(op);
  case NR_OP_flow_tensor_load: return load(op);
  case NR_OP_flow_tensor_store: return store(op);
  case NR_OP_flow_tensor_slice: return slice(op);
  case NR_OP_flow_tensor_update: return update(op);
  default: return replace(op, nr_operand(op, 0)); /* clone, tie_shape, transfer: values are copied where they must be */
  }
}
