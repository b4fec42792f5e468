/* fold.c - folds of vector ops. */
#include "dialect/arith/fold.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"

static bool fold_value(NrFold *out, NrValue *value) { return out->value = value, true; }

/* Folds a broadcast to the source's own type, or of a constant scalar or splat. */
bool nr_vector_broadcast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_op_result(op)->type;
  NrAttr constant = constants[0];
  uint8_t bytes[8];
  if (nr_vector_broadcast_source(op)->type == type) return fold_value(out, nr_vector_broadcast_source(op));
  if (!constant || type->scalable) return false;
  if (constant->kind == NR_ATTR_DENSE && constant->splat)
    return out->attr = nr_attr_dense(type, constant->data, nr_type_byte_size(type->elem)), true;
  if (!nr_attr_scalar_bytes(constant, bytes)) return false;
  return out->attr = nr_attr_dense(type, bytes, nr_type_byte_size(type->elem)), true;
}

bool nr_vector_extract_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_vector_extract_source(op);
  NrType type = source->type;
  size_t count = nr_index_list_size(op, "static_position");
  const int64_t *position = nr_index_list_statics(op, "static_position");
  if (source->type == nr_op_result(op)->type) return fold_value(out, source);
  if (nr_op_is(source->op, NR_OP_vector_broadcast)) {
    /* Extracting the source's type from a broadcast gives the source, also a scalar. */
    NrValue *from = nr_vector_broadcast_source(source->op);
    if (from->type == nr_op_result(op)->type) return fold_value(out, from);
  }
  NrAttr every = nr_splat_scalar(constants[0]);
  if (every && type->kind == NR_TYPE_VECTOR && constants[0]->type == type)
    return (out->attr = nr_splat_attr(nr_op_result(op)->type, every)) != NULL;
  int64_t at = 0;
  for (size_t i = 0; i < count; i++) {
    if (position[i] == NR_DYNAMIC) return false;
    at = at * type->dims[i] + position[i];
  }
  if (count != type->rank) return false;
  if (nr_op_is(source->op, NR_OP_vector_from_elements)) return fold_value(out, nr_operand(source->op, (size_t)at));
  if (!constants[0] || !nr_attr_is_elements(constants[0])) return false;
  return (out->attr = nr_attr_element(constants[0], at)) != NULL;
}

/* Folds a shape_cast or bitcast to the source's own type, or two that cancel. */
bool nr_vector_shape_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  if (source->type == type) return fold_value(out, source);
  if (!nr_op_is(source->op, op->info->id)) return false;
  NrValue *root = nr_op_source(source->op);
  return root->type == type && fold_value(out, root);
}
