/* nodes.c - reading and building ONNX nodes. */
#include "onnx/lower/core/nodes.h"

#include "dialect/onnx/attrs.h"
#include "dialect/onnx/ops.h"

NrOp *nr_node_made_by(const NrValue *value, unsigned id) { return nr_op_is(value->op, id) ? value->op : NULL; }

NrValue *nr_node_input(const NrOp *op, size_t i) {
  NrValue *value = i < op->num_operands ? nr_operand(op, i) : NULL;
  return value && !nr_node_made_by(value, NR_OP_onnx_NoValue) ? value : NULL;
}

NrAttr nr_node_constant(const NrValue *value) {
  NrOp *op = value ? nr_node_made_by(value, NR_OP_onnx_Constant) : NULL;
  NrAttr elements = op ? nr_op_attr(op, NR_A_value) : NULL;
  return elements && nr_attr_is_elements(elements) ? elements : NULL;
}

int64_t nr_node_attr_int(const NrOp *op, const char *name, int64_t absent) {
  NrAttr a = nr_op_attr_named(op, name);
  return a && a->kind == NR_ATTR_INTEGER ? a->i : absent;
}

NrValue *nr_node_new(NrBuilder *b, unsigned id, NrValue *const *inputs, size_t count, const NrOp *attrs, int64_t opset,
                     const NrValue *as) {
  NrValue *out = nr_build_value(b, id, as->type, inputs, count);
  for (uint32_t i = 0; attrs && i < attrs->num_attrs; i++)
    nr_op_set_attr_named(out->op, attrs->attrs[i].name.data, attrs->attrs[i].value);
  nr_op_remove_attr(out->op, NR_A_noria_dim_names);
  nr_op_set_attr(out->op, NR_A_noria_opset, nr_attr_i64(b->ctx, opset));
  out->name = as->name;
  return out;
}

NrValue *nr_node_new_constant(NrBuilder *b, NrType type, const void *data, size_t size) {
  NrOp *op = nr_build_op(b, NR_OP_onnx_Constant, NULL, 0, &type, 1);
  nr_op_set_attr(op, NR_A_value, nr_attr_dense(type, data, size));
  return nr_op_result(op);
}

NrValue *nr_node_new_none(NrBuilder *b) {
  return nr_build_value(b, NR_OP_onnx_NoValue, nr_type_none(b->ctx), NULL, 0);
}
