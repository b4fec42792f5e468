/* fold.c - folds of flow ops to constants or existing values. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"

static bool fold_value(NrFold *out, NrValue *value) { return out->value = value, true; }
static bool fold_attr(NrFold *out, NrAttr attr) { return out->attr = attr, attr != NULL; }

/* Whether the elements are in the program, unlike those of parameters and resources. */
static bool is_dense(NrAttr a) { return a && a->kind == NR_ATTR_DENSE; }

enum { MAX_ELEMENTS = 1024 };

/* Folds a tie_shape of a type without dynamic dims. */
bool nr_flow_tie_shape_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  return op->num_operands == 1 && fold_value(out, nr_op_operand(op));
}

bool nr_flow_ordinal_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *operand = nr_flow_dispatch_workload_ordinal_operand(op);
  if (constants[0]) return fold_attr(out, constants[0]);
  return nr_op_is(operand->op, NR_OP_flow_dispatch_workload_ordinal) &&
         nr_op_attr(operand->op, NR_A_ordinal) == nr_op_attr(op, NR_A_ordinal) && fold_value(out, operand);
}

/* Folds a reshape, or bitcast between equal element types, to the same shape. With one dynamic dim the number of
 * elements determines the shape. Also folds static reshapes of constants. */
bool nr_flow_reshape_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  if (source->type == type) {
    bool same = nr_flow_num_dims(type) <= 1;
    if (!same) {
      size_t a, b, count;
      nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_SOURCE_DIMS_GROUP, &a, &count);
      nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, &b, &count);
      same = true;
      for (size_t i = 0; i < count; i++) same &= nr_operand(op, a + i) == nr_operand(op, b + i);
    }
    if (same) return fold_value(out, source);
  }
  if (source->type->elem != type->elem || !nr_type_has_static_shape(type) || !is_dense(constants[0])) return false;
  return fold_attr(out, nr_attr_dense(type, constants[0]->data, constants[0]->data_size));
}

bool nr_flow_clone_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  return constants[0] && nr_attr_is_elements(constants[0]) && fold_attr(out, constants[0]);
}

/* The row-major position of the constant indices in a group; false when an index is not constant or is out of
 * bounds. */
static bool position(NrGroup given, NrType type, const NrAttr *constants, int64_t *out) {
  *out = 0;
  for (size_t i = 0; i < given.count; i++) {
    NrAttr constant = constants[given.begin + i];
    int64_t index;
    if (!constant || !nr_attr_is_int(constant, &index)) return false;
    if (index < 0 || type->dims[i] == NR_DYNAMIC || index >= type->dims[i]) return false;
    *out = *out * type->dims[i] + index;
  }
  return true;
}

bool nr_flow_tensor_load_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_flow_tensor_load_source(op);
  int64_t at;
  if (nr_op_is(source->op, NR_OP_flow_tensor_splat)) return fold_value(out, nr_flow_tensor_splat_value(source->op));
  if (!constants[0] || !nr_attr_is_elements(constants[0])) return false;
  if (is_dense(constants[0]) && constants[0]->splat) return fold_attr(out, nr_attr_element(constants[0], 0));
  NrGroup indices = nr_flow_tensor_load_indices(op);
  return position(indices, source->type, constants, &at) && fold_attr(out, nr_attr_element(constants[0], at));
}

bool nr_flow_tensor_store_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  int64_t at, count;
  size_t size = nr_type_byte_size(type->elem);
  uint8_t bytes[8];
  if (!constants[0] || !is_dense(constants[1]) || !nr_attr_scalar_bytes(constants[0], bytes)) return false;
  if (!nr_type_num_elements(type, &count) || count > MAX_ELEMENTS) return false;
  if (!position(nr_flow_tensor_store_indices(op), type, constants, &at)) return false;
  uint8_t *data = nr_calloc((size_t)count + 1, size);
  for (int64_t i = 0; i < count; i++) memcpy(data + (size_t)i * size, nr_attr_element_ptr(constants[1], i), size);
  memcpy(data + (size_t)at * size, bytes, size);
  fold_attr(out, nr_attr_dense(type, data, (size_t)count * size));
  nr_free(data);
  return true;
}

/* Reads the starts in a group; false when one is not a non-negative constant. */
static bool starts_of(NrGroup given, const NrAttr *constants, int64_t *starts) {
  for (size_t i = 0; i < given.count; i++) {
    NrAttr constant = constants[given.begin + i];
    if (!constant || !nr_attr_is_int(constant, &starts[i]) || starts[i] < 0) return false;
  }
  return true;
}

/* Copies the box of part's shape at `starts` in whole: from whole to part, or from part to whole. */
static bool copy_box(NrType whole, uint8_t *whole_data, NrType part, uint8_t *part_data, const int64_t *starts,
                     bool to_part) {
  int64_t index[NR_MAX_RANK] = {0}, count;
  size_t size = nr_type_byte_size(whole->elem);
  if (!nr_type_num_elements(part, &count)) return false;
  for (uint32_t i = 0; i < whole->rank; i++)
    if (whole->dims[i] == NR_DYNAMIC || starts[i] > whole->dims[i] - part->dims[i]) return false;
  for (int64_t done = 0; done < count; done++) {
    int64_t at = 0;
    for (uint32_t i = 0; i < whole->rank; i++) at = at * whole->dims[i] + starts[i] + index[i];
    uint8_t *w = whole_data + (size_t)at * size, *p = part_data + (size_t)done * size;
    memcpy(to_part ? p : w, to_part ? w : p, size);
    for (uint32_t i = part->rank; i-- > 0;) {
      if (++index[i] < part->dims[i]) break;
      index[i] = 0;
    }
  }
  return true;
}

/* All elements of a small constant, also of a splat; the caller frees the array. NULL when it is too large. */
static uint8_t *expanded(NrAttr constant) {
  int64_t count;
  size_t size = nr_type_byte_size(constant->type->elem);
  if (!nr_type_num_elements(constant->type, &count) || count > MAX_ELEMENTS || size == 0) return NULL;
  uint8_t *data = nr_calloc((size_t)count + 1, size);
  for (int64_t i = 0; i < count; i++) memcpy(data + (size_t)i * size, nr_attr_element_ptr(constant, i), size);
  return data;
}

bool nr_flow_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type, source = nr_flow_tensor_slice_source(op)->type;
  int64_t starts[NR_MAX_RANK], count;
  size_t size = nr_type_byte_size(type->elem);
  /* A slice as large as its static source is the source. */
  if (source == type && nr_type_has_static_shape(type)) return fold_value(out, nr_flow_tensor_slice_source(op));
  if (!is_dense(constants[0]) || !nr_type_num_elements(type, &count)) return false;
  if (constants[0]->splat && count > 0) return fold_attr(out, nr_attr_dense(type, constants[0]->data, size));
  if (count > MAX_ELEMENTS || !starts_of(nr_flow_tensor_slice_start_indices(op), constants, starts)) return false;
  uint8_t *whole = expanded(constants[0]);
  if (!whole) return false;
  uint8_t *part = nr_calloc((size_t)count + 1, size);
  bool ok = copy_box(source, whole, type, part, starts, true);
  if (ok) fold_attr(out, nr_attr_dense(type, part, (size_t)count * size));
  nr_free(part);
  nr_free(whole);
  return ok;
}

/* The value whose memory this one is: through ops that give their operand another type. */
static const NrOp *behind_ties(const NrValue *value) {
  const NrOp *op = value->op;
  while (op) {
    if (nr_op_is(op, NR_OP_flow_tensor_reshape) || nr_op_is(op, NR_OP_flow_tensor_bitcast)) op = nr_op_source(op)->op;
    else if (nr_op_is(op, NR_OP_flow_tensor_tie_shape)) op = nr_flow_tensor_tie_shape_operand(op)->op;
    else break;
  }
  return op;
}

/* A transfer to where the operand is. */
bool nr_flow_transfer_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *operand = nr_flow_tensor_transfer_operand(op);
  const NrOp *def = behind_ties(operand);
  return nr_op_is(def, NR_OP_flow_tensor_transfer) && nr_op_attr(def, NR_A_target) == nr_op_attr(op, NR_A_target) &&
         fold_value(out, operand);
}

bool nr_flow_update_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType target = nr_flow_tensor_update_target(op)->type;
  size_t at, one;
  nr_op_operand_group(op, NR_FLOW_TENSOR_UPDATE_UPDATE_GROUP, &at, &one);
  NrValue *update = nr_operand(op, at);
  int64_t starts[NR_MAX_RANK], count;
  if (nr_type_num_elements(update->type, &count) && count == 0)
    return fold_value(out, nr_flow_tensor_update_target(op));
  bool known = starts_of(nr_flow_tensor_update_start_indices(op), constants, starts);
  if (update->type == target && nr_type_has_static_shape(target)) {
    /* An update as large as the target must start at 0. */
    for (uint32_t i = 0; known && i < target->rank; i++) known = starts[i] == 0;
    return known && fold_value(out, update);
  }
  if (!known || !is_dense(constants[0]) || !is_dense(constants[at])) return false;
  uint8_t *whole = expanded(constants[0]), *part = expanded(constants[at]);
  bool ok = whole && part && nr_type_num_elements(target, &count) &&
            copy_box(target, whole, update->type, part, starts, false);
  if (ok) fold_attr(out, nr_attr_dense(target, whole, (size_t)count * nr_type_byte_size(target->elem)));
  nr_free(whole);
  nr_free(part);
  return ok;
}
