/* analysis.c - plans the ops of a function, in program order; see analysis.h. */
#include "pass/bufferize/analysis.h"
#include "dialect/scf/ops.h"

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* The memref of a bufferization.to_buffer may be bound too: what reads it stays as it is. */
static bool touches_tensors(const NrAnalysis *a, const NrOp *op) {
  for (size_t i = 0; i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type;
    if (nr_needs_buffer(type) || (!nr_type_is_memref(type) && nr_analysis_binding(a, nr_operand(op, i)))) return true;
  }
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_needs_buffer(op->results[i].type)) return true;
  return false;
}

static NrStatus analyse_op(NrAnalysis *a, NrOp *op) {
  if (nr_str_is(nr_str(op->info->dialect), "flow")) return nr_analyse_flow(a, op);
  if (nr_op_is(op, NR_OP_scf_forall)) return nr_analyse_forall(a, op);
  if (nr_op_is(op, NR_OP_scf_forall_in_parallel)) return nr_analyse_in_parallel(a, op);
  if (nr_linalg_is_structured(op)) return nr_analyse_structured(a, op);
  if (op->num_regions) return nr_analyse_regions(a, op);
  if (!touches_tensors(a, op)) return NR_OK;
  if (nr_op_has(op, NR_RETURN_LIKE)) return nr_analyse_terminator(a, op);
  if (nr_op_has(op, NR_CALL) || nr_op_is(op, NR_OP_rt_call)) return nr_analyse_call(a, op);
  if (nr_op_is(op, NR_OP_linalg_fill)) return nr_analyse_structured(a, op);
  return nr_analyse_tensor(a, op);
}

NrStatus nr_analyse_ops(NrAnalysis *a, NrBlock *block, size_t base) {
  for (NrOp *op = block->first; op; op = op->next) {
    nr_analysis_set_current(a, op);
    NR_TRY(analyse_op(a, op));
  }
  nr_analysis_release(a, block, base);
  return NR_OK;
}

NrStatus nr_analyse_block(NrAnalysis *a, NrBlock *block) {
  size_t base = a->owned.size;
  for (size_t i = 0; i < block->num_args; i++)
    if (nr_needs_buffer(nr_block_arg(block, i)->type)) nr_analysis_adopt(a, nr_block_arg(block, i), block);
  return nr_analyse_ops(a, block, base);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

/* Whether op may end the run with an error. No result is computed in its final location across such an op, because the
 * op may check the bounds of that location (nr_analysis_eliminate_empty). */
static bool may_stop(const NrOp *op) {
  return nr_op_is(op, NR_OP_rt_check) || nr_op_is(op, NR_OP_cf_assert) || nr_op_has(op, NR_CALL) ||
         nr_flow_import(op);
}

static bool number_op(NrOp *op, void *user) {
  NrAnalysis *a = user;
  nr_map_set(&a->numbers, op, (void *)(uintptr_t)a->ops.size);
  uint32_t stops = nr_vec_last(&a->stops) + may_stop(op);
  nr_vec_push(&a->stops, stops);
  nr_vec_push(&a->ops, op);
  nr_vec_push(&a->plans, NULL);
  return true;
}

NrStatus nr_analyse_function(NrAnalysis *a, NrOp *func) {
  NrBlock *entry = nr_op_only_body(func);
  NrStatus status = NR_OK;
  nr_vec_push(&a->ops, NULL); /* number 0 */
  nr_vec_push(&a->plans, NULL);
  nr_vec_push(&a->stops, 0);
  for (NrBlock *block = entry; block; block = block->next)
    for (NrOp *op = block->first; op; op = op->next) nr_walk_pre(op, number_op, a);
  for (size_t i = 0; i < entry->num_args; i++) {
    NrValue *arg = nr_block_arg(entry, i);
    if (!nr_needs_buffer(arg->type)) continue;
    nr_analysis_adopt(a, arg, NULL);
    bool output = nr_is_dispatch_tensor(arg->type) && nr_flow_access(arg->type) != NR_READONLY;
    nr_analysis_binding(a, arg)->buffer->output = output;
  }
  for (NrBlock *block = entry; block && !status; block = block->next) status = nr_analyse_ops(a, block, 0);
  return status;
}

void nr_analysis_clear(NrAnalysis *a) {
  nr_map_clear(&a->bindings);
  nr_map_clear(&a->numbers);
  a->current = NULL;
  a->ops.size = a->plans.size = a->stops.size = a->owned.size = a->frees.size = 0;
}

void nr_analysis_deinit(NrAnalysis *a) {
  nr_map_deinit(&a->bindings);
  nr_map_deinit(&a->numbers);
  nr_vec_deinit(&a->ops);
  nr_vec_deinit(&a->plans);
  nr_vec_deinit(&a->stops);
  nr_vec_deinit(&a->owned);
  nr_vec_deinit(&a->frees);
}
