/* fold.c - folds of tensor ops to constants or existing values. */
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"

enum {
  MAX_ELEMENTS = 1024
}; /* larger constants are not folded: they would bloat the program */

static bool fold_value(NrFold *out, NrValue *value) { return out->value = value, true; }
static bool fold_attr(NrFold *out, NrAttr attr) { return out->attr = attr, attr != NULL; }
static bool fold_index(NrOp *op, NrFold *out, int64_t c) { return fold_attr(out, nr_attr_index(nr_op_context(op), c)); }

/* ---- construction ------------------------------------------------------------------------------------------------ */

bool nr_tensor_splat_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  uint8_t bytes[8];
  if (!nr_type_has_static_shape(type) || !constants[0] || !nr_attr_scalar_bytes(constants[0], bytes)) return false;
  return fold_attr(out, nr_attr_dense(type, bytes, nr_type_byte_size(type->elem)));
}

bool nr_tensor_from_elements_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  size_t size = nr_type_byte_size(type->elem), count = op->num_operands;
  if (size == 0 || size > 8 || count > MAX_ELEMENTS) return false;
  for (size_t i = 0; i < count; i++)
    if (!constants[i]) return false;
  uint8_t *data = nr_calloc(count + 1, 8);
  bool ok = true;
  for (size_t i = 0; i < count && ok; i++) ok = nr_attr_scalar_bytes(constants[i], data + i * size);
  if (ok) fold_attr(out, nr_attr_dense(type, data, count * size));
  nr_free(data);
  return ok;
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

/* The row-major position for constant indices; false when an index is not constant or is out of bounds. */
static bool linear_index(NrType type, const NrAttr *indices, int64_t *out) {
  *out = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t index;
    if (!indices[i] || !nr_attr_is_int(indices[i], &index) || index < 0) return false;
    if (type->dims[i] == NR_DYNAMIC || index >= type->dims[i]) return false;
    *out = *out * type->dims[i] + index;
  }
  return true;
}

/* Whether the indices of two ops, from operand a0 and b0 on, are equal. */
static bool same_indices(NrOp *a, size_t a0, NrOp *b, size_t b0) {
  if (a->num_operands - a0 != b->num_operands - b0) return false;
  for (size_t i = 0; i + a0 < a->num_operands; i++)
    if (!nr_index_eq(nr_index_of(nr_operand(a, a0 + i)), nr_index_of(nr_operand(b, b0 + i)))) return false;
  return true;
}

bool nr_tensor_extract_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *tensor = nr_tensor_extract_tensor(op);
  int64_t at;
  bool known = linear_index(tensor->type, constants + 1, &at);
  NrAttr constant = constants[0];
  if (constant && nr_attr_is_elements(constant) && (known || (constant->kind == NR_ATTR_DENSE && constant->splat)))
    return fold_attr(out, nr_attr_element(constant, known ? at : 0));
  NrValue *splat = nr_op_splat_value(tensor->op);
  if (splat) return splat->type == nr_op_result(op)->type && fold_value(out, splat);
  switch (tensor->op ? tensor->op->info->id : NR_OP_unregistered) {
  case NR_OP_tensor_from_elements:
    if (tensor->op->num_operands == 1) return fold_value(out, nr_op_only_operand(tensor->op));
    return known && fold_value(out, nr_operand(tensor->op, (size_t)at));
  case NR_OP_tensor_insert:
    return same_indices(op, 1, tensor->op, 2) && fold_value(out, nr_tensor_insert_scalar(tensor->op));
  default: return false;
  }
}

bool nr_tensor_insert_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *scalar = nr_tensor_insert_scalar(op), *dest = nr_tensor_insert_dest(op);
  /* Inserting an element that was read at the same indices changes nothing. */
  if (nr_op_is(scalar->op, NR_OP_tensor_extract) && nr_tensor_extract_tensor(scalar->op) == dest &&
      same_indices(scalar->op, 1, op, 2))
    return fold_value(out, dest);
  /* Inserting the splat value into a splat changes nothing. */
  NrAttr constant = constants[1];
  if (constants[0] && constant && constant->kind == NR_ATTR_DENSE && constant->splat &&
      nr_attr_element(constant, 0) == constants[0])
    return fold_attr(out, constant);
  return nr_op_is(dest->op, NR_OP_tensor_splat) && nr_tensor_splat_input(dest->op) == scalar && fold_value(out, dest);
}

/* ---- shape and type --------------------------------------------------------------------------------------------- */

bool nr_tensor_dim_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  int64_t i;
  NrIndex dim;
  if (!constants[1] || !nr_attr_is_int(constants[1], &i) || i < 0) return false;
  if (!nr_dim_of(nr_tensor_dim_source(op), (size_t)i, &dim)) return false;
  return dim.value ? fold_value(out, dim.value) : fold_index(op, out, dim.constant);
}

bool nr_tensor_rank_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_tensor_rank_source(op);
  while (nr_op_is(source->op, NR_OP_tensor_cast)) source = nr_tensor_cast_source(source->op);
  return nr_type_is_ranked(source->type) && fold_index(op, out, source->type->rank);
}

bool nr_tensor_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_tensor_cast_source(op);
  NrType type = nr_op_result(op)->type;
  if (source->type == type) return fold_value(out, source);
  if (!nr_op_is(source->op, NR_OP_tensor_cast)) return false;
  NrValue *root = nr_tensor_cast_source(source->op);
  return root->type == type && fold_value(out, root);
}

bool nr_tensor_bitcast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_tensor_bitcast_source(op);
  NrType type = nr_op_result(op)->type;
  if (source->type == type) return fold_value(out, source);
  if (!nr_op_is(source->op, NR_OP_tensor_bitcast)) return false;
  return nr_tensor_bitcast_source(source->op)->type == type && fold_value(out, nr_tensor_bitcast_source(source->op));
}

/* The constant's elements in another static shape; NULL if it cannot be reshaped. */
static NrAttr reshaped(NrAttr constant, NrType type) {
  if (!nr_type_has_static_shape(type)) return NULL;
  if (constant->kind == NR_ATTR_RESOURCE)
    return nr_attr_resource(type, constant->s, constant->data, constant->data_size);
  return constant->kind == NR_ATTR_DENSE ? nr_attr_dense(type, constant->data, constant->data_size) : NULL;
}

bool nr_tensor_reshape_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  if (type->kind != NR_TYPE_TENSOR) return false;
  bool empty = false; /* then the dynamic dim does not follow from the number of elements */
  for (uint32_t i = 0; i < type->rank; i++) empty |= type->dims[i] == 0;
  if (source->type == type && (nr_type_num_dynamic(type) == 0 || (nr_type_num_dynamic(type) == 1 && !empty)))
    return fold_value(out, source);
  return constants[0] && fold_attr(out, reshaped(constants[0], type));
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

/* Whether the lists cover the whole tensor. */
static bool is_whole(NrOp *op, const NrIndexListSlot *slots, NrValue *whole) {
  NrIndex lists[3][NR_MAX_RANK], dim;
  for (size_t i = 0; i < 3; i++) nr_index_list_all(op, slots[i], lists[i]);
  for (uint32_t i = 0; i < whole->type->rank; i++) {
    if (!nr_index_is(lists[0][i], 0) || !nr_index_is(lists[2][i], 1)) return false;
    if (!nr_dim_of(whole, i, &dim) || !nr_index_eq(dim, lists[1][i])) return false;
  }
  return true;
}

static bool same_slice(NrOp *a, const NrIndexListSlot *a_slots, NrOp *b, const NrIndexListSlot *b_slots) {
  NrIndex la[NR_MAX_RANK], lb[NR_MAX_RANK];
  for (size_t s = 0; s < 3; s++) {
    size_t n = nr_index_list_all(a, a_slots[s], la);
    if (nr_index_list_all(b, b_slots[s], lb) != n) return false;
    for (size_t i = 0; i < n; i++)
      if (!nr_index_eq(la[i], lb[i])) return false;
  }
  return true;
}

/* The slice of a constant with constant lists; NULL when it is not constant or too large. */
static NrAttr slice_constant(NrOp *op, NrAttr constant) {
  NrType from = constant->type, to = nr_op_result(op)->type;
  NrIndex lists[3][NR_MAX_RANK];
  int64_t count, index[NR_MAX_RANK] = {0};
  size_t size = nr_type_byte_size(from->elem);
  if (!nr_type_num_elements(to, &count) || size == 0) return NULL;
  if (constant->kind == NR_ATTR_DENSE && constant->splat && count > 0) return nr_attr_dense(to, constant->data, size);
  if (count > MAX_ELEMENTS) return NULL;
  for (size_t s = 0; s < 3; s++) {
    size_t n = nr_index_list_all(op, nr_extract_slice_slots[s], lists[s]);
    for (size_t i = 0; i < n; i++)
      if (lists[s][i].value) return NULL;
  }
  uint8_t *data = nr_calloc((size_t)count + 1, size);
  NrAttr result = NULL;
  for (int64_t done = 0; done < count; done++) {
    int64_t at = 0;
    for (uint32_t i = 0; i < from->rank; i++) {
      int64_t position = lists[0][i].constant + index[i] * lists[2][i].constant;
      if (position < 0 || position >= from->dims[i]) goto out;
      at = at * from->dims[i] + position;
    }
    memcpy(data + (size_t)done * size, nr_attr_element_ptr(constant, at), size);
    for (uint32_t i = from->rank; i-- > 0;) {
      if (++index[i] < lists[1][i].constant) break;
      index[i] = 0;
    }
  }
  result = nr_attr_dense(to, data, (size_t)count * size);
out:
  nr_free(data);
  return result;
}

bool nr_tensor_extract_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_tensor_extract_slice_source(op);
  NrType type = nr_op_result(op)->type;
  if (source->type == type && is_whole(op, nr_extract_slice_slots, source)) return fold_value(out, source);
  if (nr_op_is(source->op, NR_OP_tensor_insert_slice) && nr_tensor_insert_slice_source(source->op)->type == type &&
      same_slice(op, nr_extract_slice_slots, source->op, nr_insert_slice_slots))
    return fold_value(out, nr_tensor_insert_slice_source(source->op));
  if (constants[0] && nr_attr_is_elements(constants[0])) return fold_attr(out, slice_constant(op, constants[0]));
  return false;
}

bool nr_tensor_insert_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_tensor_insert_slice_source(op), *dest = nr_tensor_insert_slice_dest(op);
  int64_t count;
  if (source->type == dest->type && is_whole(op, nr_insert_slice_slots, dest)) return fold_value(out, source);
  if (nr_type_num_elements(source->type, &count) && count == 0) return fold_value(out, dest);
  return nr_op_is(source->op, NR_OP_tensor_extract_slice) && nr_tensor_extract_slice_source(source->op) == dest &&
         same_slice(source->op, nr_extract_slice_slots, op, nr_insert_slice_slots) && fold_value(out, dest);
}

bool nr_tensor_concat_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  int64_t dim = nr_op_attr_int(op, NR_A_dim, 0), total, outer, at = 0;
  if (op->num_operands == 1 && nr_operand(op, NR_TENSOR_CONCAT_INPUTS)->type == type)
    return fold_value(out, nr_operand(op, NR_TENSOR_CONCAT_INPUTS));
  size_t size = nr_type_byte_size(type->elem);
  if (!nr_type_num_elements(type, &total) || total > MAX_ELEMENTS || size == 0) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!constants[i] || !nr_attr_is_elements(constants[i])) return false;
  outer = nr_dims_product(type->dims, (size_t)dim);
  uint8_t *data = nr_calloc((size_t)total + 1, size);
  for (int64_t o = 0; o < outer; o++) {
    for (uint32_t i = 0; i < op->num_operands; i++) {
      NrType from = constants[i]->type;
      int64_t run = nr_dims_product(from->dims + dim, from->rank - (size_t)dim);
      for (int64_t k = 0; k < run; k++, at++)
        memcpy(data + (size_t)at * size, nr_attr_element_ptr(constants[i], o * run + k), size);
    }
  }
  fold_attr(out, nr_attr_dense(type, data, (size_t)total * size));
  nr_free(data);
  return true;
}

/* Gathering from a splat gives a splat. */
bool nr_tensor_gather_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  NrAttr source = constants[0];
  if (!source || source->kind != NR_ATTR_DENSE || !source->splat || !nr_type_has_static_shape(type)) return false;
  return fold_attr(out, nr_attr_dense(type, source->data, nr_type_byte_size(type->elem)));
}
