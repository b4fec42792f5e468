/* runtime.c - calls, checks, polls, and what the runtime does: its functions and dispatches. */
#include "codegen/c/c.h"
#include "dialect/cf/ops.h"
#include "dialect/func/func.h"
#include "dialect/rt/rt.h"

static void stop_if(NrC *g, NrOp *op, const char *condition) {
  NrStr place = op ? nr_c_place(g, op) : (NrStr){0};
  if (!place.size) nr_c_line(g, "if (%s) return 1;", condition);
  else nr_c_line(g, "if (%s) return noria_stop(exec, %u);", condition, nr_c_site(g, place, (NrStr){0}));
}

/* ---- calls of functions ----------------------------------------------------------------------------------------- */

/* Calls `callee` with the operands from number `first` on; the results go to new variables. */
static void call_op(NrC *g, NrOp *op, const char *callee, size_t first) {
  NrBuf text = {0};
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *out = nr_result(op, i);
    const char *name = nr_c_name(g, out);
    bool is_struct = out->type->kind == NR_TYPE_VECTOR || out->type->kind == NR_TYPE_COMPLEX;
    if (!nr_map_has(&g->hoisted, out))
      nr_c_line(g, "%s = %s;", nr_c_declare(g, out->type, name), is_struct ? "{0}" : "0");
  }
  nr_buf_printf(&text, "%s(exec", callee);
  for (size_t i = first; i < op->num_operands; i++) nr_buf_printf(&text, ", %s", nr_c_plain(g, nr_operand(op, i)));
  for (uint32_t i = 0; i < op->num_results; i++) nr_buf_printf(&text, ", &%s", nr_c_name(g, nr_result(op, i)));
  nr_c_line(g, "if (%s)) return 1;", text.data);
  nr_buf_deinit(&text);
}

static NrStatus emit_call(NrC *g, NrOp *op, const NrCRow *row) {
  NrCFunc *func = nr_c_find_func(g, op, nr_op_attr(op, NR_A_callee));
  if (!func) return NR_ERROR_INVALID;
  call_op(g, op, func->name, NR_FUNC_CALL_OPERANDS);
  return NR_OK;
}

static NrStatus emit_call_indirect(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *callee = nr_func_call_indirect_callee(op);
  NrType type = callee->type;
  NrBuf text = {0};
  nr_buf_puts(&text, "((int32_t (*)(NoriaExec *");
  for (uint32_t i = 0; i < type->num_inputs; i++) nr_buf_printf(&text, ", %s", nr_c_type(g, type->inputs[i]));
  for (uint32_t i = 0; i < type->num_results; i++) nr_buf_printf(&text, ", %s *", nr_c_type(g, type->results[i]));
  nr_buf_printf(&text, "))%s)", nr_c_value(g, callee));
  call_op(g, op, text.data, NR_FUNC_CALL_INDIRECT_CALLEE_OPERANDS);
  nr_buf_deinit(&text);
  return NR_OK;
}

static NrStatus emit_function_constant(NrC *g, NrOp *op, const NrCRow *row) {
  NrCFunc *func = nr_c_find_func(g, op, nr_op_attr(op, NR_A_value));
  if (!func) return NR_ERROR_INVALID;
  nr_c_set(g, nr_op_result(op), nr_c_text(g, "(NoriaFunction)%s", func->name));
  return NR_OK;
}

/* Zero: no less defined than what else it could be. */
static NrStatus emit_poison(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_op_result(op)->type;
  bool is_struct = type->kind == NR_TYPE_VECTOR || type->kind == NR_TYPE_COMPLEX;
  nr_c_set(g, nr_op_result(op), is_struct ? nr_c_text(g, "(%s){0}", nr_c_type(g, type)) : "0");
  return NR_OK;
}

/* ---- checks of the program -------------------------------------------------------------------------------------- */

/* A value for a message, converted to i64. */
static const char *message_value(NrC *g, NrValue *value) {
  NrType type = value->type;
  const char *x = nr_c_value(g, value);
  if (nr_type_is_float_kind(type, NR_F32) || nr_type_is_float_kind(type, NR_F64))
    return nr_c_text(g, "noria_whole(%s)", x);
  if (type->kind == NR_TYPE_INDEX) return x;
  if (type->kind != NR_TYPE_INTEGER) return "0";
  bool sign = type->signedness != NR_UNSIGNED && type->width > 1;
  return nr_c_text(g, "(i64)%s", sign ? nr_c_signed(g, type, x) : nr_c_group(g, nr_c_unsigned(g, type, x)));
}

static NrStatus check(NrC *g, NrOp *op, NrStr text) {
  bool is_check = nr_op_is(op, NR_OP_rt_check);
  NrGroup shown = is_check ? nr_rt_check_values(op) : (NrGroup){0};
  const char *values[4] = {"0", "0", "0", "0"};
  for (uint32_t i = 0; i < 4 && i < shown.count; i++) values[i] = message_value(g, nr_operand(op, shown.begin + i));
  NrValue *cond = is_check ? nr_rt_check_cond(op) : nr_cf_assert_arg(op);
  /* A site without place and text still reports. */
  nr_c_fail_unless(g, op, nr_c_value(g, cond), text.size ? text : NR_STR(" "), values);
  return NR_OK;
}

static NrStatus emit_check(NrC *g, NrOp *op, const NrCRow *row) {
  return check(g, op, nr_op_attr_str(op, NR_A_text));
}

static NrStatus emit_assert(NrC *g, NrOp *op, const NrCRow *row) {
  NrStr text = nr_str_doubled(&g->arena, nr_op_attr_str(op, NR_A_msg), '%');
  return check(g, op, nr_str(nr_c_text(g, "'cf.assert' op %.*s", NR_STR_ARG(text))));
}

static NrStatus emit_poll(NrC *g, NrOp *op, const NrCRow *row) {
  const char *call = nr_c_text(g, "!exec->api->poll(exec, %s)", nr_c_plain(g, nr_rt_poll_iterations(op)));
  nr_c_fail_unless(g, op, call, (NrStr){0}, NULL);
  return NR_OK;
}

static NrStatus emit_enter(NrC *g, NrOp *op, const NrCRow *row) {
  unsigned site = nr_c_site(g, nr_c_place(g, op), nr_op_attr_str(op, NR_A_text));
  nr_c_line(g, "if (exec->api->enter(exec, %u)) return 1;", site);
  return NR_OK;
}

static NrStatus emit_threads(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_set(g, nr_op_result(op), "exec->threads");
  return NR_OK;
}

static NrStatus emit_safepoint(NrC *g, NrOp *op, const NrCRow *row) {
  stop_if(g, op, "exec->stop");
  return NR_OK;
}

/* ---- calls of the runtime --------------------------------------------------------------------------------------- */

static const char *desc_at(NrC *g, size_t i) { return nr_c_text(g, "desc[%zu]", i); }

static void need_descs(NrC *g, size_t count) { g->num_descs = NR_MAX(NR_MAX(g->num_descs, (unsigned)count), 1u); }

/* Checks a result: items of sequences may have any shape and element type. */
static void check_result(NrC *g, NrOp *op, NrType type, const char *desc) {
  if (nr_type_is_memref(type) && nr_rt_is_import(nr_op_attr_str(op, NR_A_name)))
    nr_c_fail_unless(g, op, nr_c_text(g, "%s.bits == %llu", desc, (unsigned long long)nr_rt_elements(type->elem)),
                     NR_STR(NR_RT_ELEMENTS_TEXT), NULL);
  if (type->kind != NR_TYPE_MEMREF) return;
  const char *want = nr_c_int(g, type->rank), *have = nr_c_text(g, "%s.rank", desc);
  nr_c_fail_unless(g, op, nr_c_text(g, "%s == %s", have, want),
                   NR_STR("a tensor of rank %0 where the model says %1"), (const char *[]){have, want, "0", "0"});
  for (uint32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] == NR_DYNAMIC) continue;
    const char *size = nr_c_text(g, "%s.dims[%u]", desc, d), *said = nr_c_int(g, type->dims[d]);
    nr_c_fail_unless(g, op, nr_c_text(g, "%s == %s", size, said), NR_STR(NR_RT_DIM_TEXT("%0", "%1", "%2")),
                     (const char *[]){nr_c_int(g, d), size, said, "0"});
  }
}

/* The call of an import, whose arguments are the first descriptors, and its results those behind them. */
static const char *import_call(NrC *g, NrOp *op, size_t num_args) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  return nr_c_text(g, "exec->imports[%u](exec, desc, desc + %zu)", nr_c_import(g, name), num_args);
}

static void write_number(NrC *g, const char *desc, const char *number) {
  nr_c_line(g, "%s.rank = -1;", desc);
  nr_c_line(g, "%s.bits = %s;", desc, number);
}

/* Calls a function of the user. Its results are in the memory that the last operands are, and scalars. */
static NrStatus emit_user_call(NrC *g, NrOp *op) {
  size_t num_args = nr_rt_num_arguments(op), num_results = nr_rt_num_function_results(op), next = num_args;
  NrStr name = nr_op_attr_str(op, NR_A_name);
  need_descs(g, num_args + num_results);
  for (size_t i = 0; i < num_args; i++) nr_c_desc_write(g, nr_operand(op, i), desc_at(g, i));
  for (size_t i = 0; i < num_results; i++) {
    if (nr_rt_is_given(op, i)) nr_c_desc_write(g, nr_operand(op, next++), desc_at(g, num_args + i));
    else write_number(g, desc_at(g, num_args + i), "0");
  }
  NrStr shown = nr_str_doubled(&g->arena, (NrStr){name.data + 1, name.size - 1}, '%');
  const char *status = nr_c_local_name(g, NR_STR("status"));
  nr_c_line(g, "i32 %s = %s;", status, import_call(g, op, num_args));
  nr_c_fail_unless(g, op, nr_c_text(g, "%s == 0", status),
                   nr_str(nr_c_text(g, NR_RT_STATUS_TEXT("%%0"), NR_STR_ARG(shown))),
                   (const char *[]){status, "0", "0", "0"});
  for (size_t i = 0, r = 0; i < num_results; i++)
    if (!nr_rt_is_given(op, i)) nr_c_desc_read(g, nr_result(op, r++), desc_at(g, num_args + i));
  return NR_OK;
}

static NrStatus emit_runtime_call(NrC *g, NrOp *op, const NrCRow *row) {
  if (nr_rt_is_of_user(op)) return emit_user_call(g, op);
  need_descs(g, op->num_operands + op->num_results);
  int64_t count = nr_rt_count_operand(op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    bool is_site = i == 0 && (nr_op_attr(op, NR_A_node) || nr_op_attr(op, NR_A_text));
    if (is_site)
      write_number(g, desc_at(g, 0),
                   nr_c_text(g, "%u", nr_c_site(g, nr_c_place(g, op), nr_op_attr_str(op, NR_A_text))));
    else if (count == (int64_t)i)
      write_number(g, desc_at(g, i), nr_c_text(g, "%lld", (long long)op->num_operands - 1 - (long long)count));
    else nr_c_desc_write(g, nr_operand(op, i), desc_at(g, i));
  }
  stop_if(g, op, import_call(g, op, op->num_operands));
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    check_result(g, op, result->type, desc_at(g, op->num_operands + i));
    nr_c_desc_read(g, result, desc_at(g, op->num_operands + i));
  }
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

/* The NoriaWorkgroupFn of a function: it unpacks the struct of arguments and appends x, y, z. */
static void make_thunk(NrC *g, NrCFunc *func) {
  uint32_t packed = func->type->num_inputs - 3;
  NrBuf type = {0}, call = {0};
  func->thunk = nr_c_global_name(g, nr_str(nr_c_text(g, "%s_workgroup", func->name)));
  for (uint32_t i = 0; i < packed; i++) {
    nr_buf_printf(&type, "  %s;\n", nr_c_declare(g, func->type->inputs[i], nr_c_text(g, "arg%u", i)));
    nr_buf_printf(&call, ", a->arg%u", i);
  }
  nr_buf_printf(&g->declarations, "typedef struct {\n%s} %s_args;\n", packed ? type.data : "  char unused;\n",
                func->thunk);
  nr_buf_printf(&g->declarations,
                "static int32_t %s(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z) {\n"
                "  const %s_args *a = args;\n  (void)a;\n  return %s(exec%s, x, y, z);\n}\n",
                func->thunk, func->thunk, func->name, packed ? call.data : "");
  nr_buf_deinit(&type);
  nr_buf_deinit(&call);
}

static NrStatus emit_dispatch(NrC *g, NrOp *op, const NrCRow *row) {
  NrCFunc *func = nr_c_find_func(g, op, nr_op_attr(op, NR_A_entry));
  if (!func) return NR_ERROR_INVALID;
  NrGroup grid = nr_rt_dispatch_grid(op), args = nr_rt_dispatch_args(op);
  if (!nr_rt_is_workgroup(func->type) || func->type->num_inputs != args.count + 3 || grid.count > 3)
    return nr_op_error(op, "names a function that does not take its arguments and three indices, and returns nothing");
  const char *dims[3] = {"1", "1", "1"};
  NrBuf list = {0};
  for (size_t i = 0; i < grid.count; i++) dims[i] = nr_c_plain(g, nr_operand(op, grid.begin + i));
  for (size_t i = 0; i < args.count; i++)
    nr_buf_printf(&list, i ? ", %s" : "%s", nr_c_plain(g, nr_operand(op, args.begin + i)));
  bool is_single = !strcmp(dims[0], "1") && !strcmp(dims[1], "1") && !strcmp(dims[2], "1");
  if (is_single) {
    stop_if(g, op,
            nr_c_text(g, "%s(exec, %s%s0, 0, 0)", func->name, list.size ? list.data : "", list.size ? ", " : ""));
  } else {
    if (!func->thunk) make_thunk(g, func);
    const char *pack = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_call", func->name)));
    nr_c_line(g, "%s_args %s = {%s};", func->thunk, pack, list.size ? list.data : "0");
    stop_if(g, op, nr_c_text(g, "exec->api->dispatch(exec, %s, &%s, %s, %s, %s)", func->thunk, pack, dims[0], dims[1],
                             dims[2]));
  }
  nr_buf_deinit(&list);
  return NR_OK;
}

const NrCRow nr_c_runtime_rows[] = {
    {"func.call", emit_call},
    {"func.call_indirect", emit_call_indirect},
    {"func.constant", emit_function_constant},
    {"ub.poison", emit_poison},
    {"rt.check", emit_check},
    {"cf.assert", emit_assert},
    {"rt.poll", emit_poll},
    {"rt.enter", emit_enter},
    {"rt.safepoint", emit_safepoint},
    {"rt.threads", emit_threads},
    {"rt.call", emit_runtime_call},
    {"rt.dispatch", emit_dispatch},
    {0},
};
