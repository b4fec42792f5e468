/* host.c - converts flow.tensor.* ops of a host program to tensor ops, and results of dispatches and calls that are
 * tied to an argument of another type. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/bufferize/bufferize.h"
#include "pass/core/checks.h"

#include <stdio.h>

/* Copies a group of operands to out; returns their number. */
static size_t copy_group(NrOp *op, NrGroup group, NrValue **out) {
  for (size_t i = 0; i < group.count && i < NR_MAX_RANK; i++) out[i] = nr_operand(op, group.begin + i);
  return group.count;
}

/* The dims of t; the operand group gives the dynamic ones. */
static void dims_of(NrOp *op, NrType t, NrGroup group, NrIndex *out) {
  size_t next = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    bool known = t->dims[i] != NR_DYNAMIC || next >= group.count;
    out[i] = known ? nr_index_const(t->dims[i]) : nr_index_of(nr_operand(op, group.begin + next++));
  }
}

static NrStatus replace(NrOp *op, NrValue *value) {
  NrBuilder b = nr_builder_before(op);
  if (nr_type_is_tensor(value->type)) value = nr_build_tensor_cast(&b, value, nr_op_result(op)->type);
  nr_op_replace(op, value);
  return NR_OK;
}

static NrValue *empty(NrOp *op, NrGroup result_dims) {
  NrBuilder b = nr_builder_before(op);
  NrType t = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  dims_of(op, t, result_dims, dims);
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

/* Reshapes source to t, in row-major order. */
static NrValue *reshaped(NrBuilder *b, NrValue *source, NrType t, const NrIndex *dims) {
  NrValue *value = flatten(b, source);
  NrGroups groups = all_dims(t->rank);
  int64_t size = 1;
  for (uint32_t i = 0; i < t->rank && size != NR_DYNAMIC; i++)
    if (dims[i].value || !nr_mul_i64(size, dims[i].constant, &size)) size = NR_DYNAMIC;
  value = nr_build_tensor_cast(b, value, nr_type_tensor(&size, 1, source->type->elem));
  if (t->rank == 0) return nr_build_collapse_shape(b, value, &groups);
  return t->rank == 1 ? value : nr_build_expand_shape(b, value, &groups, dims, t->rank);
}

static bool same_dims(NrType a, NrType b) {
  bool same = a->rank == b->rank;
  for (uint32_t i = 0; same && i < a->rank; i++) same = a->dims[i] == b->dims[i];
  return same;
}

/* Reinterprets the bytes of source as type t. */
static NrValue *as_bytes_of(NrBuilder *b, NrValue *source, NrType t, const NrIndex *dims) {
  NrType from = source->type;
  if (!nr_flow_same_width(from->elem, t->elem))
    return reshaped(b, nr_bytes_as(b, flatten(b, source), t->elem), t, dims);
  if (from->elem == t->elem || !same_dims(from, t)) source = reshaped(b, source, t, dims);
  if (from->elem == t->elem) return source;
  return nr_build_value(b, NR_OP_tensor_bitcast, nr_type_tensor(source->type->dims, t->rank, t->elem), &source, 1);
}

static NrStatus reshape(NrOp *op, NrGroup result_dims) {
  NrBuilder b = nr_builder_before(op);
  NrIndex dims[NR_MAX_RANK];
  dims_of(op, nr_op_result(op)->type, result_dims, dims);
  return replace(op, as_bytes_of(&b, nr_op_source(op), nr_op_result(op)->type, dims));
}

static NrStatus bitcast(NrOp *op) {
  NrType from = nr_flow_tensor_bitcast_source(op)->type, to = nr_op_result(op)->type;
  if (!nr_flow_can_bitcast(from->elem, to->elem)) return nr_op_error(op, NR_FLOW_BITCAST_TEXT);
  return reshape(op, nr_flow_tensor_bitcast_result_dims(op));
}

/* ---- tied results ------------------------------------------------------------------------------------------------ */

static NrType tied_type(NrOp *op, size_t result) {
  int64_t tied = nr_tied_operand(op, result);
  if (tied < 0) return nr_result(op, result)->type;
  return nr_operand(op, nr_flow_call_groups(op).arguments.begin + (size_t)tied)->type;
}

static bool has_other_tied_type(NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++)
    if (tied_type(op, i) != nr_result(op, i)->type) return true;
  return false;
}

/* The number of the operand that is the argument's first dynamic dim. */
static size_t argument_dims(NrOp *op, size_t argument) {
  size_t arguments = nr_flow_call_groups(op).arguments.begin, dims = nr_flow_call_groups(op).argument_dims.begin;
  for (size_t i = 0; i < argument; i++) dims += nr_flow_num_dims(nr_operand(op, arguments + i)->type);
  return dims;
}

static NrValue *bytes_of(NrBuilder *b, NrType t, NrValue *const *dynamic) {
  NrValue *bytes = nr_arith_constant_index(b, (int64_t)nr_type_byte_size(t->elem));
  for (uint32_t i = 0, k = 0; i < t->rank; i++) {
    NrValue *dim = t->dims[i] == NR_DYNAMIC ? dynamic[k++] : nr_arith_constant_index(b, t->dims[i]);
    bytes = nr_arith_binary(b, NR_OP_arith_muli, bytes, dim);
  }
  return bytes;
}

/* Checks that a tied argument has the result's size; static dims were verified. */
static void check_size(NrBuilder *b, NrOp *op, uint32_t r, size_t own_dims, NrType type, size_t dims) {
  NrType own = nr_result(op, r)->type;
  char text[96];
  if (!nr_flow_num_dims(own) && !nr_flow_num_dims(type)) return;
  NrValue *have[NR_MAX_RANK], *want[NR_MAX_RANK];
  for (size_t k = 0; k < nr_flow_num_dims(own); k++) want[k] = nr_operand(op, own_dims + k);
  for (size_t k = 0; k < nr_flow_num_dims(type); k++) have[k] = nr_operand(op, dims + k);
  NrValue *same = nr_arith_cmpi(b, NR_CMPI_EQ, bytes_of(b, own, want), bytes_of(b, type, have));
  snprintf(text, sizeof text, "result #%u does not have the size of the argument that it is tied to", r);
  nr_check_unless(b, op, same, text, NULL, 0);
}

/* Makes a dispatch or call return the types of its tied arguments; bitcasts give the results' types. */
static NrStatus dispatch(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NrStatus status = NR_OK;
  uint32_t sizes[4];
  size_t next = nr_flow_call_groups(op).result_dims.begin, num_groups = nr_op_is(op, NR_OP_flow_call) ? 3 : 4;
  for (size_t i = 0; i < next; i++) nr_vec_push(&operands, nr_operand(op, i));
  for (uint32_t r = 0, at = (uint32_t)next; r < op->num_results; r++) {
    NrType own = nr_result(op, r)->type, type = tied_type(op, r);
    size_t first = type == own ? at : argument_dims(op, (size_t)nr_tied_operand(op, r));
    if (!nr_flow_can_bitcast(type->elem, own->elem)) status = nr_op_error(op, "result #%u " NR_FLOW_BITCAST_TEXT, r);
    for (size_t k = 0; k < nr_flow_num_dims(type); k++) nr_vec_push(&operands, nr_operand(op, first + k));
    nr_vec_push(&types, type);
    if (type != own && !status) check_size(&b, op, r, at, type, first);
    at += (uint32_t)nr_flow_num_dims(own);
  }
  if (!status) {
    for (size_t g = 0; g < num_groups; g++) sizes[g] = (uint32_t)nr_op_group(op, g).count;
    sizes[num_groups - 1] = (uint32_t)(operands.size - next); /* the result dims */
    NrOp *made = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
    nr_op_set_segments(made, sizes, num_groups);
    for (uint32_t r = 0, at = (uint32_t)next; r < op->num_results; r++) {
      NrType own = nr_result(op, r)->type;
      NrValue *value = nr_result(made, r);
      NrIndex dims[NR_MAX_RANK];
      for (uint32_t i = 0; nr_type_is_tensor(own) && i < own->rank; i++)
        dims[i] = own->dims[i] == NR_DYNAMIC ? nr_index_of(nr_operand(op, at++)) : nr_index_const(own->dims[i]);
      if (value->type != own) value = nr_build_tensor_cast(&b, as_bytes_of(&b, value, own, dims), own);
      nr_value_replace_uses(nr_result(op, r), value);
    }
    nr_op_erase(op);
  }
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return status;
}

/* ---- elements and parts ------------------------------------------------------------------------------------------ */

static NrStatus load(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  size_t count = copy_group(op, nr_flow_tensor_load_indices(op), indices);
  return replace(op, nr_build_extract(&b, nr_flow_tensor_load_source(op), indices, count));
}

static NrStatus store(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  size_t count = copy_group(op, nr_flow_tensor_store_indices(op), indices);
  return replace(op, nr_build_insert(&b, nr_flow_tensor_store_value(op), nr_flow_tensor_store_target(op), indices,
                                     count));
}

/* Writes the group's operands to offsets, and 1 to strides. */
static void box(NrOp *op, NrGroup starts, NrIndex *offsets, NrIndex *strides) {
  for (size_t i = 0; i < starts.count; i++) {
    offsets[i] = nr_index_of(nr_operand(op, starts.begin + i));
    strides[i] = nr_index_const(1);
  }
}

static NrStatus slice(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrGroup lengths = nr_flow_tensor_slice_lengths(op);
  box(op, nr_flow_tensor_slice_start_indices(op), offsets, strides);
  for (size_t i = 0; i < lengths.count; i++) sizes[i] = nr_index_of(nr_operand(op, lengths.begin + i));
  return replace(op, nr_build_extract_slice(&b, nr_flow_tensor_slice_source(op), offsets, sizes, strides, NULL));
}

static NrStatus update(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  NrValue *part = nr_flow_tensor_update_update(op);
  box(op, nr_flow_tensor_update_start_indices(op), offsets, strides);
  dims_of(op, part->type, nr_flow_tensor_update_update_dims(op), sizes);
  return replace(op, nr_build_insert_slice(&b, part, nr_flow_tensor_update_target(op), offsets, sizes, strides));
}

/* A parameter stays a flow.tensor.constant, without the dims that a dynamic_constant hides. */
static NrStatus constant(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  bool parameter = nr_attr_is_parameter(value);
  if (!nr_attr_is_elements(value) && !parameter) return nr_op_error(op, "has a constant that is not in the program");
  NrBuilder b = nr_builder_before(op);
  NrValue *made =
      nr_build_value(&b, parameter ? NR_OP_flow_tensor_constant : NR_OP_arith_constant, value->type, NULL, 0);
  nr_op_set_attr(made->op, NR_A_value, value);
  return replace(op, made);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

bool nr_bufferize_is_host_op(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_call:
  case NR_OP_flow_dispatch: return has_other_tied_type((NrOp *)op);
  case NR_OP_flow_tensor_constant: return !nr_attr_is_parameter(nr_op_attr(op, NR_A_value));
  case NR_OP_flow_tensor_alloca:
  case NR_OP_flow_tensor_barrier:
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_clone:
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
  case NR_OP_flow_call:
  case NR_OP_flow_dispatch: return dispatch(op);
  case NR_OP_flow_tensor_alloca: return replace(op, empty(op, nr_flow_tensor_alloca_result_dims(op)));
  case NR_OP_flow_tensor_empty: return replace(op, empty(op, nr_flow_tensor_empty_result_dims(op)));
  case NR_OP_flow_tensor_splat:
    return replace(op, nr_build_fill(&b, nr_flow_tensor_splat_value(op),
                                     empty(op, nr_flow_tensor_splat_result_dims(op))));
  case NR_OP_flow_tensor_constant:
  case NR_OP_flow_tensor_dynamic_constant: return constant(op);
  case NR_OP_flow_tensor_reshape: return reshape(op, nr_flow_tensor_reshape_result_dims(op));
  case NR_OP_flow_tensor_bitcast: return bitcast(op);
  case NR_OP_flow_tensor_load: return load(op);
  case NR_OP_flow_tensor_store: return store(op);
  case NR_OP_flow_tensor_slice: return slice(op);
  case NR_OP_flow_tensor_update: return update(op);
  default: return replace(op, nr_op_operand(op)); /* the same value: bufferization copies */
  }
}
