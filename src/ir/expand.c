/* expand.c - puts the simpler ops that a row names in an op's place. */
#include "ir/op_info.h"

NrStatus nr_op_expand(NrOp *op) {
  if (!op->info->expand) return NR_OK;
  NrBuilder b = nr_builder_before(op);
  NrValue **values = nr_calloc(op->num_results + 1, sizeof *values);
  NrStatus status = op->info->expand(op, &b, values);
  for (uint32_t i = 0; i < op->num_results && !status; i++) nr_value_replace_uses(nr_result(op, i), values[i]);
  nr_free(values);
  if (!status) nr_op_erase(op);
  return status;
}
