/* iree_tensor_ext.c - the op definitions of dialect iree_tensor_ext, and their hooks. */
#include "dialect/flow/flow.h"
#include "dialect/iree_tensor_ext/ops.h"
#include "dialect/operands.h"

static NrStatus barrier_verify(NrOp *op) {
  if (nr_op_value(op)->type != nr_op_result(op)->type) return nr_op_error(op, "(C1) value and result types must match");
  return nr_flow_dims_verify(op, "C2", nr_flow_num_dims(nr_op_value(op)->type),
                             NR_IREE_TENSOR_EXT_COMPUTE_BARRIER_START_VALUE_DIMS_GROUP);
}

/* start(start x) is start x; the same of end. */
static bool barrier_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *value = nr_op_value(op);
  (void)constants;
  if (!nr_op_is(value->op, op->info->id)) return false;
  out->value = value;
  return true;
}

static NrStatus barrier_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  (void)b;
  *out = nr_op_value(op);
  return NR_OK;
}

static NrStatus modifier_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  (void)b;
  for (uint32_t i = 0; i < op->num_results; i++) out[i] = nr_operand(op, i);
  return NR_OK;
}

#include "ir/rows.h"
#include "dialect/iree_tensor_ext/ops.def"
