/* rt.c - rt ops and cf.assert: checks, polls, calls of the runtime, dispatches. */
#include "dialect/rt/rt.h"
#include "codegen/llvm/ll.h"

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* A value for the message, as i64. */
static LLVMValueRef message_value(NrLl *g, NrValue *value) {
  NrType type = value->type;
  LLVMValueRef v = nr_ll_value(g, value);
  if (type->kind == NR_TYPE_FLOAT) {
    LLVMTypeRef overloads[] = {g->i64, LLVMTypeOf(v)};
    return nr_ll_intrinsic(g, "llvm.fptosi.sat", overloads, 2, &v, 1);
  }
  if (type->kind == NR_TYPE_INDEX) return v;
  if (type->kind != NR_TYPE_INTEGER) return nr_ll_int(g, 0);
  if (type->width >= 64) return LLVMBuildTrunc(g->b, v, g->i64, "");
  bool sign = type->signedness != NR_UNSIGNED && type->width > 1;
  return sign ? LLVMBuildSExt(g->b, v, g->i64, "") : LLVMBuildZExt(g->b, v, g->i64, "");
}

/* Where op stands, for the message: the model's node that it names, or the place that it comes from. */
NrStr nr_ll_place(NrLl *g, NrOp *op) {
  NrBuf place = {0};
  NrStr node = nr_op_attr_str(op, NR_A_node);
  if (node.size) nr_buf_printf(&place, "node '%.*s'", NR_STR_ARG(node));
  else nr_loc_place(op->loc, &place);
  NrStr kept = nr_str_copy(&g->tables->arena, (NrStr){place.data, place.size}); /* lives as long as the tables */
  nr_buf_deinit(&place);
  return kept;
}

/* if (!cond) { .. : what is built from here on runs only then; returns the block behind it. */
static LLVMBasicBlockRef begin_failure(NrLl *g, LLVMValueRef cond) {
  LLVMBasicBlockRef cold = nr_ll_new_block(g, ""), next = nr_ll_new_block(g, "");
  nr_ll_cond_br_likely(g, cond, next, cold);
  LLVMPositionBuilderAtEnd(g->b, cold);
  return next;
}

/* Failures of a function end in a block that calls api->fail for up to MAX_REPORTED of them. A call for each would be
 * as much code again, and LLVM takes time in the square of their number to find what they have in common; but also in
 * the square of the blocks that lead to one phi (6,000 allocations: 36 s, and 6 s with several blocks). */
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

/* .. api->fail(exec, site, values...); return 1; } */
static void end_failure(NrLl *g, LLVMBasicBlockRef next, NrStr place, NrStr text, LLVMValueRef values[4]) {
  LLVMBasicBlockRef report = report_block(g), here = LLVMGetInsertBlock(g->b);
  LLVMValueRef site = nr_ll_int32(g, nr_ll_site(g, place, text));
  LLVMAddIncoming(g->report_args[0], &site, &here, 1);
  for (size_t i = 0; i < 4; i++) LLVMAddIncoming(g->report_args[1 + i], &values[i], &here, 1);
  LLVMBuildBr(g->b, report);
  LLVMPositionBuilderAtEnd(g->b, next);
}

static void fail_unless(NrLl *g, NrStr place, NrStr text, LLVMValueRef ok) {
  LLVMValueRef zero = nr_ll_int(g, 0);
  LLVMBasicBlockRef next = begin_failure(g, ok);
  end_failure(g, next, place, text, (LLVMValueRef[]){zero, zero, zero, zero});
}

void nr_ll_fail_at_unless(NrLl *g, NrOp *op, LLVMValueRef ok) {
  NrStr place = op ? nr_ll_place(g, op) : (NrStr){0};
  if (place.size) fail_unless(g, place, (NrStr){0}, ok);
  else nr_ll_fail_unless(g, ok);
}

void nr_ll_fail_with_unless(NrLl *g, NrOp *op, NrStr text, LLVMValueRef ok) {
  fail_unless(g, nr_ll_place(g, op), text, ok);
}

/* ---- leaving because the run is to stop ------------------------------------------------------------------------- */

/* Makes a block that calls api->poll, which records why the run stops, and api->fail for the place. */
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

/* Continues when ok holds. Else the run is to stop, or has failed in a place that could not name itself: leaves, and
 * the message gets the place of op. Where op has none, that is left to the caller. */
static void stop_unless(NrLl *g, NrOp *op, LLVMValueRef ok) {
  NrStr place = op ? nr_ll_place(g, op) : (NrStr){0};
  if (!place.size) {
    nr_ll_fail_unless(g, ok);
    return;
  }
  LLVMBasicBlockRef next = begin_failure(g, ok), stopped = stopped_block(g), here = LLVMGetInsertBlock(g->b);
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
  stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, flag, nr_ll_int32(g, 0), ""));
}

static NrStatus emit_safepoint(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_safepoint(g, op);
  return NR_OK;
}

/* ---- checks of the program -------------------------------------------------------------------------------------- */

static NrStatus check(NrLl *g, NrOp *op, NrStr text) {
  LLVMValueRef values[4];
  LLVMBasicBlockRef next = begin_failure(g, nr_ll_value(g, nr_operand(op, 0)));
  for (uint32_t i = 0; i < 4; i++)
    values[i] = i + 1 < op->num_operands ? message_value(g, nr_operand(op, i + 1)) : nr_ll_int(g, 0);
  end_failure(g, next, nr_ll_place(g, op), text, values);
  return NR_OK;
}

static NrStatus emit_check(NrLl *g, NrOp *op, const NrLlRow *row) {
  return check(g, op, nr_op_attr_str(op, NR_A_text));
}

static NrStatus emit_assert(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrArena *arena = &g->tables->arena; /* a site's text lives as long as the tables */
  NrStr text = nr_str_doubled(arena, nr_op_attr_str(op, NR_A_msg), '%');
  return check(g, op, nr_str(nr_arena_printf(arena, "'cf.assert' op %.*s", NR_STR_ARG(text))));
}

static NrStatus emit_poll(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef args[] = {g->exec, nr_ll_value(g, nr_operand(op, 0))};
  LLVMTypeRef type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->i64}, 2, false);
  LLVMValueRef status = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, poll), type, args, 2);
  nr_ll_fail_at_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  return NR_OK;
}

static NrStatus emit_enter(NrLl *g, NrOp *op, const NrLlRow *row) {
  unsigned site = nr_ll_site(g, nr_ll_place(g, op), nr_op_attr_str(op, NR_A_text));
  LLVMValueRef args[] = {g->exec, nr_ll_int32(g, (int32_t)site)};
  LLVMTypeRef type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->i32}, 2, false);
  LLVMValueRef status = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, enter), type, args, 2);
  nr_ll_fail_unless(g, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  return NR_OK;
}

/* ---- calls of the runtime --------------------------------------------------------------------------------------- */

static LLVMValueRef desc_at(NrLl *g, unsigned i) {
  LLVMValueRef index = nr_ll_int(g, i);
  return i ? LLVMBuildInBoundsGEP2(g->b, g->desc, g->call_descs, &index, 1, "") : g->call_descs;
}

/* All calls of a function share one array of descriptors, as long as the longest call needs. */
static void need_descs(NrLl *g, unsigned count) {
  if (g->call_descs && g->num_call_descs >= count) return;
  LLVMValueRef grown = nr_ll_alloca(g, LLVMArrayType2(g->desc, count ? count : 1), 8);
  if (g->call_descs) {
    LLVMReplaceAllUsesWith(g->call_descs, grown);
    LLVMInstructionEraseFromParent(g->call_descs);
  }
  g->call_descs = grown;
  g->num_call_descs = count ? count : 1;
}

static NrStatus check_passes(NrOp *op, NrType type) {
  if (nr_ll_can_pass(type)) return NR_OK;
  return nr_op_error(
      op, "passes a value of type %s; only scalars, handles and dense memrefs of rank up to %d go to the runtime",
      nr_type_text(type->ctx, type), NORIA_MAX_RANK);
}

/* Items of sequences come in any shape and element type: the ones that the program was compiled for must be it. */
static void check_result(NrLl *g, NrOp *op, NrType type, LLVMValueRef desc) {
  LLVMValueRef zero = nr_ll_int(g, 0);
  if (nr_type_is_memref(type) && nr_rt_is_import(nr_op_attr_str(op, NR_A_name))) {
    LLVMValueRef elements = nr_ll_int(g, (int64_t)nr_rt_elements(type->elem));
    LLVMValueRef same = LLVMBuildICmp(g->b, LLVMIntEQ, nr_ll_desc_bits(g, desc), elements, "");
    LLVMValueRef none[4] = {zero, zero, zero, zero};
    end_failure(g, begin_failure(g, same), nr_ll_place(g, op), NR_STR(NR_RT_ELEMENTS_TEXT), none);
  }
  if (type->kind != NR_TYPE_MEMREF) return;
  LLVMValueRef have = nr_ll_desc_rank(g, desc), want = nr_ll_int(g, type->rank);
  LLVMBasicBlockRef next = begin_failure(g, LLVMBuildICmp(g->b, LLVMIntEQ, have, want, ""));
  LLVMValueRef values[4] = {have, want, zero, zero};
  end_failure(g, next, nr_ll_place(g, op), NR_STR("a tensor of rank %0 where the model says %1"), values);
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] == NR_DYNAMIC) continue;
    LLVMValueRef size = nr_ll_desc_dim(g, desc, d), said = nr_ll_int(g, type->dims[d]);
    next = begin_failure(g, LLVMBuildICmp(g->b, LLVMIntEQ, size, said, ""));
    LLVMValueRef dims[4] = {nr_ll_int(g, d), size, said, zero};
    end_failure(g, next, nr_ll_place(g, op), NR_STR(NR_RT_DIM_TEXT("%0", "%1", "%2")), dims);
  }
}

static NrStatus emit_runtime_call(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrStatus status = NR_OK;
  for (uint32_t i = 0; i < op->num_operands && !status; i++) status = check_passes(op, nr_operand(op, i)->type);
  for (uint32_t i = 0; i < op->num_results && !status; i++) status = check_passes(op, nr_result(op, i)->type);
  if (status) return status;
  need_descs(g, op->num_operands + op->num_results);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type;
    nr_ll_desc_write(g, nr_operand(op, i), desc_at(g, i));
    if (!g->options->sanitize || type->kind != NR_TYPE_MEMREF) continue;
    NrLlMem *mem = nr_ll_mem(g, nr_operand(op, i));
    nr_ll_sanitize_read(g, op, nr_ll_mem_data(g, type->elem, mem), nr_ll_mem_bytes(g, type, mem));
  }
  int64_t count = nr_rt_count_operand(op);
  if (count >= 0) {
    LLVMValueRef follow = nr_ll_int(g, op->num_operands - 1 - count);
    nr_ll_desc_write_part(g, nr_type_i64(g->ctx), follow, desc_at(g, (unsigned)count));
  }
  if (nr_op_attr(op, NR_A_node)) {
    LLVMValueRef site = nr_ll_int32(g, nr_ll_site(g, nr_ll_place(g, op), NR_STR("")));
    nr_ll_desc_write_part(g, nr_type_i32(g->ctx), site, desc_at(g, 0));
  }
  LLVMValueRef table = nr_ll_exec_field(g, &g->import_table, offsetof(NoriaExec, imports));
  LLVMValueRef index = nr_ll_int(g, nr_ll_import(g, nr_op_attr_str(op, NR_A_name)));
  LLVMValueRef fn = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->ptr, table, &index, 1, ""), "");
  LLVMValueRef args[] = {g->exec, desc_at(g, 0), desc_at(g, op->num_operands)};
  LLVMValueRef call = LLVMBuildCall2(g->b, g->import_type, fn, args, 3, "");
  nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "nounwind", 0);
  stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, call, nr_ll_int32(g, 0), ""));
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    check_result(g, op, result->type, desc_at(g, op->num_operands + i));
    nr_map_set(&g->values, result, nr_ll_desc_read(g, result->type, desc_at(g, op->num_operands + i)));
  }
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

/* The NoriaWorkgroupFn of a function: unpacks the struct of arguments, adds x, y, z. */
static void make_thunk(NrLl *g, NrLlFunc *func) {
  unsigned count = LLVMCountParams(func->value), packed = count - 4; /* without exec, x, y, z */
  LLVMTypeRef *types = nr_malloc((count + 1) * sizeof *types);
  LLVMGetParamTypes(func->ll_type, types);
  func->thunk_args = LLVMStructTypeInContext(g->llvm, types + 1, packed, false);
  func->thunk = LLVMAddFunction(g->mod, "noria.workgroup", g->workgroup_type);
  LLVMSetLinkage(func->thunk, LLVMInternalLinkage);
  nr_ll_attr(g, func->thunk, LLVMAttributeFunctionIndex, "nounwind", 0);
  nr_ll_set_vector_width(g, func->thunk);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->llvm, func->thunk, ""));
  LLVMValueRef *args = nr_malloc(count * sizeof *args);
  args[0] = LLVMGetParam(func->thunk, 0);
  for (unsigned i = 0; i < packed; i++)
    args[1 + i] = LLVMBuildLoad2(
        g->b, types[1 + i], LLVMBuildStructGEP2(g->b, func->thunk_args, LLVMGetParam(func->thunk, 1), i, ""), "");
  for (unsigned i = 0; i < 3; i++) args[1 + packed + i] = LLVMGetParam(func->thunk, 2 + i);
  LLVMBuildRet(g->b, LLVMBuildCall2(g->b, func->ll_type, func->value, args, count, ""));
  LLVMPositionBuilderAtEnd(g->b, here);
  nr_free(args);
  nr_free(types);
}

static bool is_workgroup_function(NrLlFunc *func) {
  NrType t = func->type;
  if (t->num_results || t->num_inputs < 3) return false;
  for (uint32_t i = 0; i < 3; i++)
    if (t->inputs[t->num_inputs - 1 - i]->kind != NR_TYPE_INDEX) return false;
  return true;
}

static bool is_one(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == 1; }

static NrStatus emit_dispatch(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlFunc *func = nr_ll_find_func(g, op, nr_op_attr(op, NR_A_entry));
  if (!func) return NR_ERROR_INVALID;
  /* Kernels stay functions: inlined one after the other they would make one that takes LLVM much longer. */
  nr_ll_attr(g, func->value, LLVMAttributeFunctionIndex, "noinline", 0);
  size_t grid = 0, num_grid = 0, first = 0, num_args = 0;
  nr_op_operand_group(op, 0, &grid, &num_grid);
  nr_op_operand_group(op, 1, &first, &num_args);
  if (!is_workgroup_function(func) || func->type->num_inputs != num_args + 3 || num_grid > 3)
    return nr_op_error(op, "names a function that does not take its arguments and three indices, and returns nothing");
  LLVMValueRef dims[3];
  for (size_t i = 0; i < 3; i++)
    dims[i] = i < num_grid ? nr_ll_value(g, nr_operand(op, grid + i)) : nr_ll_int(g, 1);
  NrLlParts args = {0};
  for (size_t i = 0; i < num_args; i++) nr_ll_parts(g, nr_operand(op, first + i), &args);
  if (is_one(dims[0]) && is_one(dims[1]) && is_one(dims[2])) {
    NrLlParts call_args = {0};
    nr_vec_push(&call_args.values, g->exec);
    for (size_t i = 0; i < args.values.size; i++) nr_vec_push(&call_args.values, args.values.data[i]);
    for (int i = 0; i < 3; i++) nr_vec_push(&call_args.values, nr_ll_int(g, 0));
    LLVMValueRef status = LLVMBuildCall2(g->b, func->ll_type, func->value, call_args.values.data,
                                         (unsigned)call_args.values.size, "");
    stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
    nr_ll_parts_deinit(&call_args);
    nr_ll_parts_deinit(&args);
    return NR_OK;
  }
  if (!func->thunk) make_thunk(g, func);
  LLVMValueRef pack = nr_ll_alloca(g, func->thunk_args, 0); /* as its widest vector is aligned */
  for (unsigned i = 0; i < args.values.size; i++)
    LLVMBuildStore(g->b, args.values.data[i], LLVMBuildStructGEP2(g->b, func->thunk_args, pack, i, ""));
  nr_ll_parts_deinit(&args);
  LLVMTypeRef params[] = {g->ptr, g->ptr, g->ptr, g->i64, g->i64, g->i64};
  LLVMTypeRef type = LLVMFunctionType(g->i32, params, 6, false);
  LLVMValueRef call_args[] = {g->exec, func->thunk, pack, dims[0], dims[1], dims[2]};
  LLVMValueRef status = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, dispatch), type, call_args, 6);
  stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  return NR_OK;
}

const NrLlRow nr_ll_rt_rows[] = {
    {"rt.check", emit_check},       {"cf.assert", emit_assert},     {"rt.poll", emit_poll},
    {"rt.enter", emit_enter},       {"rt.safepoint", emit_safepoint},
    {"rt.call", emit_runtime_call}, {"rt.dispatch", emit_dispatch}, {0},
};
