/* rt.c - rt ops and cf.assert: checks, polls, calls of the runtime, dispatches. */
#include "dialect/rt/rt.h"
#include "codegen/llvm/ll.h"
#include "dialect/cf/ops.h"

static NrStatus emit_safepoint(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_safepoint(g, op);
  return NR_OK;
}

/* ---- checks of the program -------------------------------------------------------------------------------------- */

/* A value for a message, converted to i64. */
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

static NrStatus check(NrLl *g, NrOp *op, NrStr text) {
  bool is_check = nr_op_is(op, NR_OP_rt_check);
  NrGroup shown = is_check ? nr_rt_check_values(op) : (NrGroup){0};
  LLVMValueRef values[4];
  LLVMBasicBlockRef next =
      nr_ll_begin_failure(g, nr_ll_value(g, is_check ? nr_rt_check_cond(op) : nr_cf_assert_arg(op)));
  for (uint32_t i = 0; i < 4; i++)
    values[i] = i < shown.count ? message_value(g, nr_operand(op, shown.begin + i)) : nr_ll_int(g, 0);
  nr_ll_end_failure(g, next, nr_ll_place(g, op), text, values);
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
  LLVMValueRef args[] = {g->exec, nr_ll_value(g, nr_rt_poll_iterations(op))};
  LLVMTypeRef type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->i64}, 2, false);
  LLVMValueRef status = nr_ll_api_cold_call(g, offsetof(NoriaRuntimeApi, poll), type, args, 2);
  nr_ll_fail_at_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  return NR_OK;
}

static NrStatus emit_threads(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef offset = nr_ll_int(g, offsetof(NoriaExec, threads));
  LLVMValueRef field = LLVMBuildInBoundsGEP2(g->b, g->i8, g->exec, &offset, 1, "");
  nr_ll_set(g, nr_op_result(op), LLVMBuildSExt(g->b, LLVMBuildLoad2(g->b, g->i32, field, ""), g->i64, ""));
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

/* All calls of a function share one array of descriptors, which is as long as the longest call needs. */
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

/* Checks a result: items of sequences may have any shape and element type, so they must be compared with the types that
 * the program was compiled for. */
static void check_result(NrLl *g, NrOp *op, NrType type, LLVMValueRef desc) {
  LLVMValueRef zero = nr_ll_int(g, 0);
  if (nr_type_is_memref(type) && nr_rt_is_import(nr_op_attr_str(op, NR_A_name))) {
    LLVMValueRef elements = nr_ll_int(g, (int64_t)nr_rt_elements(type->elem));
    LLVMValueRef same = LLVMBuildICmp(g->b, LLVMIntEQ, nr_ll_desc_bits(g, desc), elements, "");
    LLVMValueRef none[4] = {zero, zero, zero, zero};
    nr_ll_end_failure(g, nr_ll_begin_failure(g, same), nr_ll_place(g, op), NR_STR(NR_RT_ELEMENTS_TEXT), none);
  }
  if (type->kind != NR_TYPE_MEMREF) return;
  LLVMValueRef have = nr_ll_desc_rank(g, desc), want = nr_ll_int(g, type->rank);
  LLVMBasicBlockRef next = nr_ll_begin_failure(g, LLVMBuildICmp(g->b, LLVMIntEQ, have, want, ""));
  LLVMValueRef values[4] = {have, want, zero, zero};
  nr_ll_end_failure(g, next, nr_ll_place(g, op), NR_STR("a tensor of rank %0 where the model says %1"), values);
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] == NR_DYNAMIC) continue;
    LLVMValueRef size = nr_ll_desc_dim(g, desc, d), said = nr_ll_int(g, type->dims[d]);
    next = nr_ll_begin_failure(g, LLVMBuildICmp(g->b, LLVMIntEQ, size, said, ""));
    LLVMValueRef dims[4] = {nr_ll_int(g, d), size, said, zero};
    nr_ll_end_failure(g, next, nr_ll_place(g, op), NR_STR(NR_RT_DIM_TEXT("%0", "%1", "%2")), dims);
  }
}

/* What the runtime reads of a buffer. */
static void sanitize_argument(NrLl *g, NrOp *op, NrValue *memref) {
  if (!g->options->sanitize || memref->type->kind != NR_TYPE_MEMREF) return;
  LLVMValueRef bytes = nr_ll_elem_bytes(g, memref->type->elem);
  for (uint32_t i = 0; i < memref->type->rank; i++)
    bytes = LLVMBuildMul(g->b, bytes, nr_ll_shape_of(g, memref)->sizes[i], "");
  nr_ll_sanitize_read(g, op, nr_ll_value(g, memref), bytes);
}

/* Calls the function with the descriptors of num_args arguments and those of the results behind them. */
static LLVMValueRef call_import(NrLl *g, NrOp *op, size_t num_args) {
  LLVMValueRef table = nr_ll_exec_field(g, &g->import_table, offsetof(NoriaExec, imports));
  LLVMValueRef index = nr_ll_int(g, nr_ll_import(g, nr_op_attr_str(op, NR_A_name)));
  LLVMValueRef fn = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->ptr, table, &index, 1, ""), "");
  LLVMValueRef args[] = {g->exec, nr_ll_desc_at(g, g->call_descs, 0), nr_ll_desc_at(g, g->call_descs, num_args)};
  LLVMValueRef call = LLVMBuildCall2(g->b, g->import_type, fn, args, 3, "");
  nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "nounwind", 0);
  return call;
}

/* The name of a user's function, without the @. */
static NrStr user_name(const NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  return (NrStr){name.data + 1, name.size - 1};
}

/* Fails with the status of a user's function that has not said why. */
static void check_user_status(NrLl *g, NrOp *op, LLVMValueRef status) {
  LLVMValueRef zero = nr_ll_int(g, 0);
  LLVMBasicBlockRef next = nr_ll_begin_failure(g, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  LLVMValueRef values[4] = {LLVMBuildSExt(g->b, status, g->i64, ""), zero, zero, zero};
  NrStr name = nr_str_doubled(&g->tables->arena, user_name(op), '%');
  nr_ll_end_failure(g, next, nr_ll_place(g, op),
                    nr_str(nr_arena_printf(&g->tables->arena, NR_RT_STATUS_TEXT("%%0"), NR_STR_ARG(name))), values);
}

/* Calls a function of the user. Its results are in the memory that the last operands are, and scalars. */
static NrStatus emit_user_call(NrLl *g, NrOp *op) {
  size_t num_args = nr_rt_num_arguments(op), num_results = nr_rt_num_function_results(op), next = num_args;
  need_descs(g, (unsigned)(num_args + num_results));
  for (size_t i = 0; i < num_args; i++) {
    nr_ll_desc_write(g, nr_operand(op, i), nr_ll_desc_at(g, g->call_descs, i));
    sanitize_argument(g, op, nr_operand(op, i));
  }
  for (size_t i = 0; i < num_results; i++) {
    LLVMValueRef desc = nr_ll_desc_at(g, g->call_descs, num_args + i);
    if (nr_rt_is_given(op, i)) nr_ll_desc_write(g, nr_operand(op, next++), desc);
    else nr_ll_desc_write_scalar(g, nr_ll_int(g, 0), desc);
  }
  check_user_status(g, op, call_import(g, op, num_args));
  for (size_t i = 0, r = 0; i < num_results; i++)
    if (!nr_rt_is_given(op, i))
      nr_ll_desc_read(g, nr_result(op, r++), nr_ll_desc_at(g, g->call_descs, num_args + i));
  return NR_OK;
}

static NrStatus emit_runtime_call(NrLl *g, NrOp *op, const NrLlRow *row) {
  if (nr_rt_is_of_user(op)) return emit_user_call(g, op);
  need_descs(g, op->num_operands + op->num_results);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    nr_ll_desc_write(g, nr_operand(op, i), nr_ll_desc_at(g, g->call_descs, i));
    sanitize_argument(g, op, nr_operand(op, i));
  }
  int64_t count = nr_rt_count_operand(op);
  if (count >= 0) {
    LLVMValueRef follow = nr_ll_int(g, op->num_operands - 1 - count);
    nr_ll_desc_write_scalar(g, follow, nr_ll_desc_at(g, g->call_descs, (size_t)count));
  }
  if (nr_op_attr(op, NR_A_node) || nr_op_attr(op, NR_A_text)) {
    LLVMValueRef site = nr_ll_int32(g, nr_ll_site(g, nr_ll_place(g, op), nr_op_attr_str(op, NR_A_text)));
    nr_ll_desc_write_scalar(g, site, nr_ll_desc_at(g, g->call_descs, 0));
  }
  LLVMValueRef call = call_import(g, op, op->num_operands);
  nr_ll_stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, call, nr_ll_int32(g, 0), ""));
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    check_result(g, op, result->type, nr_ll_desc_at(g, g->call_descs, op->num_operands + i));
    nr_ll_desc_read(g, result, nr_ll_desc_at(g, g->call_descs, op->num_operands + i));
  }
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

/* Builds the NoriaWorkgroupFn of a function: it unpacks the struct of arguments and appends x, y, z. */
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

static bool is_one(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == 1; }

/* The one workgroup of a grid of 1x1x1, called here. */
static LLVMValueRef call_workgroup(NrLl *g, NrOp *op, NrLlFunc *func) {
  NrGroup args = nr_rt_dispatch_args(op);
  NR_VEC(LLVMValueRef) all = {0};
  nr_vec_push(&all, g->exec);
  for (size_t i = 0; i < args.count; i++) nr_vec_push(&all, nr_ll_passed(g, nr_operand(op, args.begin + i)));
  for (int i = 0; i < 3; i++) nr_vec_push(&all, nr_ll_int(g, 0));
  LLVMValueRef status = LLVMBuildCall2(g->b, func->ll_type, func->value, all.data, (unsigned)all.size, "");
  nr_vec_deinit(&all);
  return status;
}

/* The grid, which the runtime shares among threads. */
static LLVMValueRef call_dispatch(NrLl *g, NrOp *op, NrLlFunc *func, LLVMValueRef dims[3]) {
  NrGroup args = nr_rt_dispatch_args(op);
  if (!func->thunk) make_thunk(g, func);
  LLVMValueRef pack = nr_ll_alloca(g, func->thunk_args, 0); /* with the alignment of its widest vector */
  for (unsigned i = 0; i < args.count; i++)
    LLVMBuildStore(g->b, nr_ll_passed(g, nr_operand(op, args.begin + i)),
                   LLVMBuildStructGEP2(g->b, func->thunk_args, pack, i, ""));
  LLVMTypeRef params[] = {g->ptr, g->ptr, g->ptr, g->i64, g->i64, g->i64};
  LLVMTypeRef type = LLVMFunctionType(g->i32, params, 6, false);
  LLVMValueRef call_args[] = {g->exec, func->thunk, pack, dims[0], dims[1], dims[2]};
  return nr_ll_api_call(g, offsetof(NoriaRuntimeApi, dispatch), type, call_args, 6);
}

static NrStatus emit_dispatch(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlFunc *func = nr_ll_find_func(g, op, nr_op_attr(op, NR_A_entry));
  if (!func) return NR_ERROR_INVALID;
  /* Kernels are not inlined: one large function would take LLVM much longer. */
  nr_ll_attr(g, func->value, LLVMAttributeFunctionIndex, "noinline", 0);
  NrGroup grid = nr_rt_dispatch_grid(op);
  if (!nr_rt_is_workgroup(func->type) || func->type->num_inputs != nr_rt_dispatch_args(op).count + 3 || grid.count > 3)
    return nr_op_error(op, "names a function that does not take its arguments and three indices, and returns nothing");
  LLVMValueRef dims[3];
  for (size_t i = 0; i < 3; i++)
    dims[i] = i < grid.count ? nr_ll_value(g, nr_operand(op, grid.begin + i)) : nr_ll_int(g, 1);
  bool is_single = is_one(dims[0]) && is_one(dims[1]) && is_one(dims[2]);
  LLVMValueRef status = is_single ? call_workgroup(g, op, func) : call_dispatch(g, op, func, dims);
  nr_ll_stop_unless(g, op, LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), ""));
  return NR_OK;
}

const NrLlRow nr_ll_rt_rows[] = {
    {"rt.check", emit_check},       {"cf.assert", emit_assert},     {"rt.poll", emit_poll},
    {"rt.enter", emit_enter},       {"rt.safepoint", emit_safepoint}, {"rt.threads", emit_threads},
    {"rt.call", emit_runtime_call}, {"rt.dispatch", emit_dispatch}, {0},
};
