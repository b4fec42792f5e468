/* tensor.c - bufferizes tensor ops to views, loads, stores and copies of memrefs. */
#include "pass/bufferize/bufferize.h"

/* ---- constants -------------------------------------------------------------------------------------------------- */

static NrStatus constant(NrBufferize *s, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrValue *result = nr_result(op, 0);
  if (value && value->kind == NR_ATTR_SPARSE) value = nr_attr_sparse_to_dense(value);
  if (!nr_attr_is_elements(value) && !(value && value->kind == NR_ATTR_DENSE_STRINGS))
    return nr_op_error(op, "has a constant that cannot be stored in a buffer");
  NrBuilder b = nr_builder_before(op);
  NrValue *memref = nr_build_value(&b, NR_OP_memref_get_global, nr_bufferized_type(result->type), NULL, 0);
  nr_vec_push(&s->constants, memref->op);
  nr_vec_push(&s->constant_values, value);
  NrBufferBinding *binding = nr_bufferize_join(s, result, nr_bufferize_own(s, memref, NULL, 0), memref);
  if (value->kind == NR_ATTR_DENSE && value->splat) binding->splat = nr_attr_element(value, 0);
  return NR_OK;
}

static void empty(NrBufferize *s, NrOp *op) {
  NrBufferBinding *binding = NR_NEW(s->arena, NrBufferBinding);
  *binding = (NrBufferBinding){.value = nr_result(op, 0), .empty = op};
  nr_map_set(&s->bindings, nr_result(op, 0), binding);
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

static void from_elements(NrBufferize *s, NrOp *op) {
  NrValue *result = nr_result(op, 0), *indices[NR_MAX_RANK];
  NrType t = result->type;
  NrValue *memory = nr_bufferize_fresh(s, op, result, result); /* static shape: sizes are not read */
  NrBuilder b = nr_builder_before(op);
  for (size_t i = 0; i < op->num_operands; i++) {
    size_t rest = i;
    for (uint32_t d = t->rank; d-- > 0; rest /= (size_t)t->dims[d])
      indices[d] = nr_index_value(&b, nr_index_const((int64_t)(rest % (size_t)t->dims[d])));
    nr_build_store(&b, nr_operand(op, i), memory, indices, t->rank);
  }
}

static void extract(NrBufferize *s, NrOp *op) {
  NrValue *memref = nr_bufferize_read(s, nr_operand(op, 0), op, NULL);
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  for (size_t i = 1; i < op->num_operands; i++) indices[i - 1] = nr_operand(op, i);
  nr_value_replace_uses(nr_result(op, 0), nr_build_load(&b, memref, indices, op->num_operands - 1));
}

static void insert(NrBufferize *s, NrOp *op) {
  NrValue *memref = nr_bufferize_dest(s, op, 1, nr_result(op, 0), true);
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK];
  for (size_t i = 2; i < op->num_operands; i++) indices[i - 2] = nr_operand(op, i);
  nr_build_store(&b, nr_operand(op, 0), memref, indices, op->num_operands - 2);
}

static void rank(NrBufferize *s, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *source = nr_bufferize_read(s, nr_operand(op, 0), op, NULL);
  nr_value_replace_uses(nr_result(op, 0),
                        nr_build_value(&b, NR_OP_memref_rank, nr_type_index(s->ctx), &source, 1));
}

static NrStatus dim(NrBufferize *s, NrOp *op) {
  NrValue *index = nr_operand(op, 1), *source = nr_operand(op, 0), *size;
  NrBufferBinding *binding = nr_bufferize_binding(s, source);
  NrBuilder b = nr_builder_before(op);
  int64_t i;
  NrIndex known;
  if (!nr_value_constant_int(index, &i) || i < 0 || i >= source->type->rank)
    size = nr_build_value(&b, NR_OP_memref_dim, nr_type_index(s->ctx),
                          (NrValue *[]){nr_bufferize_read(s, source, op, NULL), index}, 2);
  else if (binding->memref) size = nr_index_value(&b, nr_dim_build(&b, binding->memref, (size_t)i));
  else if (nr_dim_of(source, (size_t)i, &known)) size = nr_index_value(&b, known);
  else return nr_op_error(op, "asks for a size that is not known");
  nr_value_replace_uses(nr_result(op, 0), size);
  return NR_OK;
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

/* Whether an extract_slice takes whole rows from the first one on. */
static bool is_leading(NrOp *op) {
  NrValue *source = nr_operand(op, 0);
  if (source->type->rank == 0 || nr_result(op, 0)->type->rank != source->type->rank) return false;
  for (uint32_t i = 0; i < source->type->rank; i++) {
    NrIndex all;
    if (!nr_index_is(nr_index_list_get(op, nr_extract_slice_slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(op, nr_extract_slice_slots[2], i), 1))
      return false;
    if (i && !(nr_dim_of(source, i, &all) && nr_index_eq(nr_index_list_get(op, nr_extract_slice_slots[1], i), all)))
      return false;
  }
  return true;
}

static void extract_slice(NrBufferize *s, NrOp *op) {
  NrBuffer *buffer;
  NrValue *source = nr_bufferize_read(s, nr_operand(op, 0), op, &buffer), *result = nr_result(op, 0);
  NrBuilder b = nr_builder_before(op);
  NrValue *part = nr_bufferize_subview(&b, source, op, result->type);
  NrBufferBinding *binding = nr_bufferize_join(s, result, buffer, part);
  binding->splat = nr_bufferize_binding(s, nr_operand(op, 0))->splat;
  binding->leading = !source->type->layout && is_leading(op);
}

/* Whether an insert_slice replaces all of its destination. */
static bool is_whole(NrOp *op) {
  NrValue *dest = nr_operand(op, 1);
  for (uint32_t i = 0; i < dest->type->rank; i++) {
    NrIndex size = nr_index_list_get(op, nr_insert_slice_slots[1], i), of_dest;
    if (!nr_index_is(nr_index_list_get(op, nr_insert_slice_slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(op, nr_insert_slice_slots[2], i), 1))
      return false;
    if (!nr_dim_of(dest, i, &of_dest) || !nr_index_eq(size, of_dest)) return false;
  }
  return true;
}

static void insert_slice(NrBufferize *s, NrOp *op) {
  NrValue *value = nr_operand(op, 0), *result = nr_result(op, 0);
  NrBufferBinding *source = nr_bufferize_binding(s, value);
  bool bound = source->bound_for == op, whole = is_whole(op);
  if (whole && !bound && source->memref && value->type == result->type) {
    nr_bufferize_join(s, result, source->buffer, source->memref)->splat = source->splat;
    return;
  }
  NrValue *to = nr_bufferize_dest(s, op, 1, result, !whole);
  if (bound || !source->memref) return;
  NrBuilder b = nr_builder_before(op);
  NrValue *part = whole && value->type->rank == result->type->rank
                      ? to
                      : nr_bufferize_subview(&b, to, op, value->type);
  nr_bufferize_copy_contents(op, source, part);
}

/* ---- other views ------------------------------------------------------------------------------------------------ */

/* Whether the dims of each group are contiguous, so that collapsing them needs no copy. */
static bool can_collapse(NrType type, const NrGroups *groups) {
  int64_t strides[NR_MAX_RANK], offset, expected;
  if (!type->layout) return true;
  if (!nr_memref_strides(type, strides, &offset)) return false;
  for (size_t g = 0; g < groups->count; g++) {
    expected = NR_DYNAMIC; /* required stride of the next outer dim; not known before the innermost dim other than 1 */
    bool first = true;
    for (uint32_t k = groups->size[g]; k-- > 0;) {
      uint32_t i = groups->begin[g] + k;
      if (type->dims[i] == 1) continue;
      if (!first && (expected == NR_DYNAMIC || strides[i] != expected)) return false;
      if (strides[i] == NR_DYNAMIC || type->dims[i] == NR_DYNAMIC || !nr_mul_i64(strides[i], type->dims[i], &expected))
        expected = NR_DYNAMIC;
      first = false;
    }
  }
  return true;
}

/* Type of the reshaped memref; NULL when only a dense source can be reshaped. */
static NrType reshaped_type(NrOp *op, NrType source) {
  NrType result = nr_result(op, 0)->type;
  NrGroups groups;
  if (!source->layout) return nr_bufferized_type(result);
  if (nr_op_is(op, NR_OP_tensor_reshape) || !nr_groups_of(op, &groups)) return NULL;
  if (nr_op_is(op, NR_OP_tensor_expand_shape))
    return nr_memref_expanded_type(source, &groups, result->dims, result->rank);
  return can_collapse(source, &groups) ? nr_memref_collapsed_type(source, &groups) : NULL;
}

static void reshape(NrBufferize *s, NrOp *op, unsigned memref_op) {
  NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, 0));
  if (binding->bound_for == op) { /* only for an insert_slice, which only needs that the value is in place */
    nr_bufferize_join(s, nr_result(op, 0), binding->buffer, binding->memref)->bound_for =
        nr_result(op, 0)->first_use->owner;
    return;
  }
  NrBuffer *buffer;
  NrValue *source = nr_bufferize_read(s, nr_operand(op, 0), op, &buffer);
  NrType type = reshaped_type(op, source->type);
  if (!type) {
    source = nr_bufferize_read_dense(s, nr_operand(op, 0), op, &buffer);
    type = reshaped_type(op, source->type);
  }
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, op->num_operands);
  operands[0] = source;
  for (size_t i = 1; i < op->num_operands; i++) {
    operands[i] = nr_operand(op, i);
    if (nr_bufferize_binding(s, operands[i])) operands[i] = nr_bufferize_read_dense(s, operands[i], op, NULL);
  }
  NrBuilder b = nr_builder_before(op);
  NrOp *view = nr_build(&b, &(NrOpState){.info = nr_op_infos[memref_op],
                                         .operands = operands,
                                         .num_operands = op->num_operands,
                                         .result_types = &type,
                                         .num_results = 1,
                                         .attrs = op->attrs,
                                         .num_attrs = op->num_attrs});
  nr_bufferize_join(s, nr_result(op, 0), buffer, nr_result(view, 0))->splat = binding->splat;
}

/* Unranked memrefs are dense, because their type has no layout. */
static void cast(NrBufferize *s, NrOp *op) {
  NrType to = nr_result(op, 0)->type;
  NrBuffer *buffer;
  bool dense = to->kind == NR_TYPE_UNRANKED_TENSOR;
  NrValue *source = (dense ? nr_bufferize_read_dense : nr_bufferize_read)(s, nr_operand(op, 0), op, &buffer);
  NrType type = dense ? nr_bufferized_type(to)
                      : nr_type_memref_layout(to->dims, to->rank, to->elem, source->type->layout, NULL);
  NrBuilder b = nr_builder_before(op);
  NrValue *view = type == source->type ? source : nr_build_value(&b, NR_OP_memref_cast, type, &source, 1);
  nr_bufferize_join(s, nr_result(op, 0), buffer, view)->splat = nr_bufferize_binding(s, nr_operand(op, 0))->splat;
}

/* ---- to_tensor and to_buffer------------------------------------------------------------------------------------- */

/* A tensor is a snapshot: its source memref, or one made from it, may be written later. */
static void to_tensor(NrBufferize *s, NrOp *op) {
  NrValue *source = nr_operand(op, 0);
  NrType t = source->type;
  NrBuilder b = nr_builder_before(op);
  NrIndex dims[NR_MAX_RANK];
  NrType type = nr_bufferized_type(nr_result(op, 0)->type);
  NrValue *memory;
  if (t->kind == NR_TYPE_UNRANKED_MEMREF) {
    memory = nr_build_value(&b, NR_OP_bufferization_clone, type, &source, 1);
  } else {
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = nr_dim_build(&b, source, i);
    memory = nr_build_alloc(&b, NR_OP_memref_alloc, t->elem, dims, t->rank);
    nr_build_op(&b, NR_OP_memref_copy, (NrValue *[]){source, memory}, 2, NULL, 0);
  }
  NrBuffer *buffer = nr_bufferize_own(s, memory, op->block, nr_bufferize_number(s, op));
  if (memory->type != type) memory = nr_build_value(&b, NR_OP_memref_cast, type, &memory, 1);
  nr_bufferize_join(s, nr_result(op, 0), buffer, memory);
}

static void to_buffer(NrBufferize *s, NrOp *op) {
  NrValue *source = nr_operand(op, 0), *memory;
  NrBufferBinding *binding = nr_bufferize_binding(s, source);
  if (binding->memref) memory = nr_bufferize_read_copy(s, op, binding);
  else memory = nr_bufferize_read(s, source, op, NULL);
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_result(op, 0)->type;
  if (memory->type != type) memory = nr_build_value(&b, NR_OP_memref_cast, type, &memory, 1);
  nr_value_replace_uses(nr_result(op, 0), memory);
}

static void materialize(NrBufferize *s, NrOp *op) {
  NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, 0));
  NrValue *to = op->num_results ? nr_bufferize_dest(s, op, 1, nr_result(op, 0), false) : nr_operand(op, 1);
  if (binding->memref && binding->memref != to) nr_bufferize_copy_contents(op, binding, to);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

NrStatus nr_bufferize_tensor_op(NrBufferize *s, NrOp *op) {
  NrStatus status = NR_OK;
  bool is_view = nr_op_is(op, NR_OP_tensor_cast) || nr_op_is(op, NR_OP_tensor_reshape) ||
                 nr_op_is(op, NR_OP_bufferization_to_tensor);
  for (size_t i = 0; i < op->num_results && !is_view; i++)
    if (nr_result(op, i)->type->kind == NR_TYPE_UNRANKED_TENSOR)
      return nr_op_error(op, "makes a tensor of unknown rank, which is compiled for casts and reshapes only");
  nr_vec_push(&s->dead, op);
  switch (op->info->id) {
  case NR_OP_arith_constant: status = constant(s, op); break;
  case NR_OP_tensor_empty: empty(s, op); break;
  case NR_OP_tensor_from_elements: from_elements(s, op); break;
  case NR_OP_tensor_extract: extract(s, op); break;
  case NR_OP_tensor_insert: insert(s, op); break;
  case NR_OP_tensor_dim: status = dim(s, op); break;
  case NR_OP_tensor_extract_slice: extract_slice(s, op); break;
  case NR_OP_tensor_insert_slice: insert_slice(s, op); break;
  case NR_OP_tensor_collapse_shape: reshape(s, op, NR_OP_memref_collapse_shape); break;
  case NR_OP_tensor_expand_shape: reshape(s, op, NR_OP_memref_expand_shape); break;
  case NR_OP_tensor_reshape: reshape(s, op, NR_OP_memref_reshape); break;
  case NR_OP_tensor_cast: cast(s, op); break;
  case NR_OP_tensor_rank: rank(s, op); break;
  case NR_OP_bufferization_to_tensor: to_tensor(s, op); break;
  case NR_OP_bufferization_to_buffer: to_buffer(s, op); break;
  case NR_OP_bufferization_materialize_in_destination: materialize(s, op); break;
  default: status = nr_op_error(op, "cannot be bufferized");
  }
  return status;
}
