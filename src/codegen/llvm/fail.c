/* fail.c - how a function of the program fails: checks, failed calls of the runtime, and runs that are stopped. */
#include "codegen/llvm/ll.h"

/* ---- returning a failure ----------------------------------------------------------------------------------------- */

/* Builds { 1, poison... }, or 1 if the function has no results. */
static LLVMValueRef failure_value(NrLl *g) {
  LLVMTypeRef type = LLVMGetReturnType(g->func->ll_type);
  LLVMValueRef one = nr_ll_int32(g, 1);
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind) return one;
  return LLVMBuildInsertValue(g->b, LLVMGetPoison(type), one, 0, "");
}

LLVMBasicBlockRef nr_ll_fail_block(NrLl *g) {
  if (g->fail) return g->fail;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  g->fail = LLVMAppendBasicBlockInContext(g->llvm, g->func->value, "fail");
  LLVMPositionBuilderAtEnd(g->b, g->fail);
  LLVMBuildRet(g->b, failure_value(g));
  LLVMPositionBuilderAtEnd(g->b, here);
  return g->fail;
}

void nr_ll_fail_unless(NrLl *g, LLVMValueRef ok) {
  LLVMBasicBlockRef next = nr_ll_new_block(g, "");
  nr_ll_cond_br_likely(g, ok, next, nr_ll_fail_block(g));
  LLVMPositionBuilderAtEnd(g->b, next);
}

/* ---- with a message ---------------------------------------------------------------------------------------------- */

NrStr nr_ll_place(NrLl *g, NrOp *op) {
  NrBuf place = {0};
  NrStr node = nr_op_attr_str(op, NR_A_node);
  if (node.size) nr_buf_printf(&place, "node '%.*s'", NR_STR_ARG(node));
  else nr_loc_place(op->loc, &place);
  NrStr kept = nr_str_copy(&g->tables->arena, (NrStr){place.data, place.size}); /* lives as long as the tables */
  nr_buf_deinit(&place);
  return kept;
}

LLVMBasicBlockRef nr_ll_begin_failure(NrLl *g, LLVMValueRef cond) {
  LLVMBasicBlockRef cold = nr_ll_new_block(g, ""), next = nr_ll_new_block(g, "");
  nr_ll_cond_br_likely(g, cond, next, cold);
  LLVMPositionBuilderAtEnd(g->b, cold);
  return next;
}

/* Failures of a function share a block that calls api->fail, for up to MAX_REPORTED of them. A call for each would
 * double the code, and LLVM's time to merge them is quadratic in their number; but it is also quadratic in the number
 * of predecessors of a phi (6,000 allocations: 36 s with one block, 6 s with several). */
enum { MAX_REPORTED = 256 };

static LLVMBasicBlockRef report_block(NrLl *g) {
  if (g->report && LLVMCountIncoming(g->report_args[0]) < MAX_REPORTED) return g->report;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  g->report = LLVMAppendBasicBlockInContext(g->llvm, g->func->value, "report");
  LLVMPositionBuilderAtEnd(g->b, g->report);
  LLVMTypeRef params[] = {g->ptr, g->i32, g->i64, g->i64, g->i64, g->i64};
  LLVMValueRef args[6] = {g->exec};
  for (size_t i = 0; i < NR_COUNTOF(g->report_args); i++)
    args[1 + i] = g->report_args[i] = LLVMBuildPhi(g->b, params[1 + i], "");
  LLVMTypeRef type = LLVMFunctionType(g->i32, params, 6, false);
  nr_ll_api_cold_call(g, offsetof(NoriaRuntimeApi, fail), type, args, 6);
  LLVMBuildBr(g->b, nr_ll_fail_block(g));
  LLVMPositionBuilderAtEnd(g->b, here);
  return g->report;
}

void nr_ll_end_failure(NrLl *g, LLVMBasicBlockRef next, NrStr place, NrStr text, LLVMValueRef values[4]) {
  LLVMBasicBlockRef report = report_block(g), here = LLVMGetInsertBlock(g->b);
  LLVMValueRef site = nr_ll_int32(g, nr_ll_site(g, place, text));
  LLVMAddIncoming(g->report_args[0], &site, &here, 1);
  for (size_t i = 0; i < 4; i++) LLVMAddIncoming(g->report_args[1 + i], &values[i], &here, 1);
  LLVMBuildBr(g->b, report);
  LLVMPositionBuilderAtEnd(g->b, next);
}

static void fail_unless(NrLl *g, NrStr place, NrStr text, LLVMValueRef ok) {
  LLVMValueRef zero = nr_ll_int(g, 0);
  LLVMBasicBlockRef next = nr_ll_begin_failure(g, ok);
  nr_ll_end_failure(g, next, place, text, (LLVMValueRef[]){zero, zero, zero, zero});
}

void nr_ll_fail_at_unless(NrLl *g, NrOp *op, LLVMValueRef ok) {
  NrStr place = op ? nr_ll_place(g, op) : (NrStr){0};
  if (place.size) fail_unless(g, place, (NrStr){0}, ok);
  else nr_ll_fail_unless(g, ok);
}

void nr_ll_fail_with_unless(NrLl *g, NrOp *op, NrStr text, LLVMValueRef ok) {
  fail_unless(g, nr_ll_place(g, op), text, ok);
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

/* Builds a block that calls api->poll, which records why the run stops, and api->fail for the location. */
static LLVMBasicBlockRef stopped_block(NrLl *g) {
  if (g->stopped && LLVMCountIncoming(g->stopped_site) < MAX_REPORTED) return g->stopped;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  g->stopped = LLVMAppendBasicBlockInContext(g->llvm, g->func->value, "stopped");
  LLVMPositionBuilderAtEnd(g->b, g->stopped);
  g->stopped_site = LLVMBuildPhi(g->b, g->i32, "");
  LLVMTypeRef params[] = {g->ptr, g->i32, g->i64, g->i64, g->i64, g->i64};
  LLVMTypeRef poll_type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->i64}, 2, false);
  LLVMTypeRef fail_type = LLVMFunctionType(g->i32, params, 6, false);
  LLVMValueRef zero = nr_ll_int(g, 0), args[] = {g->exec, g->stopped_site, zero, zero, zero, zero};
  nr_ll_api_cold_call(g, offsetof(NoriaRuntimeApi, poll), poll_type, (LLVMValueRef[]){g->exec, zero}, 2);
  nr_ll_api_cold_call(g, offsetof(NoriaRuntimeApi, fail), fail_type, args, 6);
  LLVMBuildBr(g->b, nr_ll_fail_block(g));
  LLVMPositionBuilderAtEnd(g->b, here);
  return g->stopped;
}

void nr_ll_stop_unless(NrLl *g, NrOp *op, LLVMValueRef ok) {
  NrStr place = op ? nr_ll_place(g, op) : (NrStr){0};
  if (!place.size) {
    nr_ll_fail_unless(g, ok);
    return;
  }
  LLVMBasicBlockRef next = nr_ll_begin_failure(g, ok), stopped = stopped_block(g), here = LLVMGetInsertBlock(g->b);
  LLVMValueRef site = nr_ll_int32(g, nr_ll_site(g, place, (NrStr){0}));
  LLVMAddIncoming(g->stopped_site, &site, &here, 1);
  LLVMBuildBr(g->b, stopped);
  LLVMPositionBuilderAtEnd(g->b, next);
}

void nr_ll_safepoint(NrLl *g, NrOp *op) {
  LLVMValueRef offset = nr_ll_int(g, offsetof(NoriaExec, stop));
  LLVMValueRef flag =
      LLVMBuildLoad2(g->b, g->i32, LLVMBuildInBoundsGEP2(g->b, g->i8, g->exec, &offset, 1, ""), "");
  LLVMSetVolatile(flag, true); /* other threads set it */
  nr_ll_stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, flag, nr_ll_int32(g, 0), ""));
}
