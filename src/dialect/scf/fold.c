/* fold.c - the .choose_edge hooks of scf's ops: which region runs when the condition is constant. */
#include "dialect/scf/scf.h"
#include "dialect/arith/fold.h"

/* The index of the edge that an i1 selects: 0 for true, 1 for false; SIZE_MAX when it is not constant. */
static size_t choose_by_flag(NrAttr flag) { return !flag ? SIZE_MAX : nr_const_is_int(flag, 0); }

size_t nr_scf_if_choose_edge(const NrOp *op, const NrAttr *operand_constants) {
  (void)op;
  return choose_by_flag(operand_constants[0]);
}

size_t nr_scf_condition_choose_edge(const NrOp *op, const NrAttr *operand_constants) {
  (void)op;
  return choose_by_flag(operand_constants[0]);
}

size_t nr_scf_index_switch_choose_edge(const NrOp *op, const NrAttr *operand_constants) {
  NrAttr flag = operand_constants[0];
  const int64_t *cases = nr_op_attr(op, NR_A_cases)->data;
  for (uint32_t i = 1; flag && i < op->num_regions; i++)
    if (cases[i - 1] == flag->i) return i;
  return flag ? 0 : SIZE_MAX;
}
