/* control.c - the hooks that say how loops of scf count, and the branches that conditions become. */
#include "dialect/cf/cf.h"
#include "dialect/scf/scf.h"
#include "dialect/shared/shaped.h"

/* ---- .loop_range ------------------------------------------------------------------------------------------------ */

bool nr_scf_for_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  if (i > 0) return false;
  *out = (NrLoopRange){.iv = nr_scf_for_iv(op),
                       .lower.value = nr_scf_for_lower_bound(op),
                       .upper.value = nr_scf_for_upper_bound(op),
                       .step.value = nr_scf_for_step(op),
                       .is_unsigned = nr_op_attr(op, NR_A_unsignedCmp) != NULL,
                       .has_bounds = true};
  return true;
}

bool nr_scf_parallel_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  const NrBlock *body = nr_scf_parallel_body(op);
  if (i >= body->num_args) return false;
  *out = (NrLoopRange){.iv = nr_block_arg(body, i),
                       .lower.value = nr_operand(op, nr_scf_parallel_lower_bound(op).begin + i),
                       .upper.value = nr_operand(op, nr_scf_parallel_upper_bound(op).begin + i),
                       .step.value = nr_operand(op, nr_scf_parallel_step(op).begin + i),
                       .has_bounds = true};
  return true;
}

bool nr_scf_forall_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  enum { LOWER, UPPER, STEP };
  const NrIndexListSlot *slots = nr_scf_forall_slots;
  if (i >= nr_index_list_size(op, slots[STEP].attr)) return false;
  *out = (NrLoopRange){.iv = nr_block_arg(nr_scf_forall_body(op), i),
                       .lower = nr_index_list_get(op, slots[LOWER], i),
                       .upper = nr_index_list_get(op, slots[UPPER], i),
                       .step = nr_index_list_get(op, slots[STEP], i),
                       .has_bounds = true};
  return true;
}

/* ---- .build_branch ---------------------------------------------------------------------------------------------- */

static void branch_on(NrBuilder *b, NrValue *flag, const NrBranchTarget *targets) {
  const NrBranchTarget *on = &targets[0], *off = &targets[1];
  nr_cf_cond_br(b, flag, on->block, on->values, on->num_values, off->block, off->values, off->num_values);
}

void nr_scf_if_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count) {
  assert(count == 2);
  branch_on(b, nr_scf_if_condition(op), targets);
}

void nr_scf_condition_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count) {
  assert(count == 2);
  branch_on(b, nr_scf_condition_condition(op), targets);
}

/* A cf.switch: its default comes first, as that of scf.index_switch. */
void nr_scf_index_switch_build_branch(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count) {
  NrType i64 = nr_type_i64(b->ctx);
  NrValue *arg = nr_scf_index_switch_arg(op);
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrBlock *) blocks = {0};
  NR_VEC(uint32_t) sizes = {0};
  nr_vec_push(&operands, nr_build_value(b, NR_OP_arith_index_cast, i64, &arg, 1));
  for (size_t t = 0; t < count; t++) {
    nr_vec_push(&blocks, targets[t].block);
    nr_vec_push(&sizes, (uint32_t)targets[t].num_values);
    for (size_t i = 0; i < targets[t].num_values; i++) nr_vec_push(&operands, targets[t].values[i]);
  }
  NrOp *branch = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_switch],
                                          .operands = operands.data,
                                          .num_operands = operands.size,
                                          .successors = blocks.data,
                                          .num_successors = blocks.size,
                                          .successor_operands = sizes.data});
  NrAttr cases = nr_op_attr(op, NR_A_cases);
  int64_t num_cases = (int64_t)count - 1;
  if (num_cases)
    nr_op_set_attr(branch, NR_A_case_values,
                   nr_attr_dense(nr_type_vector(&num_cases, 1, i64), cases->data, cases->data_size));
  nr_vec_deinit(&operands);
  nr_vec_deinit(&blocks);
  nr_vec_deinit(&sizes);
}
