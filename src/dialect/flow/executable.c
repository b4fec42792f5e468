/* executable.c - hooks of executables, exports, dispatches, and calls of host functions. */
#include "dialect/flow/flow.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- executables ------------------------------------------------------------------------------------------------ */

NrStatus nr_flow_executable_parse(NrParser *p, NrOpState *state) {
  NrStr name;
  NR_TRY(nr_p_visibility(p, state));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(nr_p_context(p), name));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  return nr_p_region(p, state, NULL, 0);
}

void nr_flow_executable_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"sym_name", "sym_visibility", NULL};
  nr_w_visibility(w, op);
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_attr_dict_keyword(w, op, elided);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_flow_executable_region(op), false, false);
}

NrOp *nr_flow_inner_module(const NrOp *executable) {
  if (!nr_op_is(executable, NR_OP_flow_executable)) return NULL; /* an export elsewhere; its verifier reports it */
  NrBlock *body = nr_flow_executable_body(executable);
  for (NrOp *op = body ? body->first : NULL; op; op = op->next)
    if (nr_op_is(op, NR_OP_builtin_module)) return op;
  return NULL;
}

NrOp *nr_flow_function(NrOp *symbol) {
  if (nr_op_is(symbol, NR_OP_flow_executable_export)) {
    NrOp *module = nr_flow_inner_module(nr_op_parent(symbol));
    symbol = module ? nr_symbol_lookup(module, nr_op_attr_str(symbol, NR_A_function_ref)) : NULL;
  }
  return symbol && nr_op_has(symbol, NR_FUNCTION) ? symbol : NULL;
}

NrStatus nr_flow_executable_verify(NrOp *op) {
  NrBlock *body = nr_flow_executable_body(op);
  size_t modules = 0;
  for (NrOp *o = body ? body->first : NULL; o; o = o->next) {
    bool export = nr_op_is(o, NR_OP_flow_executable_export) || nr_op_is(o, NR_OP_flow_executable_end);
    modules += nr_op_is(o, NR_OP_builtin_module);
    if (!export && !nr_op_is(o, NR_OP_builtin_module))
      return nr_op_error(op, "(C1) must hold exports and a module only");
    if (modules > 1) return nr_op_error(op, "(C1) must have at most one inner module");
  }
  return NR_OK;
}

/* Parses `@function as("alias")`: the function in the module, and the entry point's name if it differs. */
NrStatus nr_flow_export_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStr function, name;
  NR_TRY(nr_p_visibility(p, state));
  NR_TRY(nr_p_symbol_name(p, &function));
  name = function;
  if (nr_p_try(p, "as")) {
    NR_TRY(nr_p_expect(p, "("));
    NrLoc loc = nr_p_loc(p);
    if (!nr_p_try_string(p, &name)) return nr_p_error(p, loc, "expected the name as a string");
    NR_TRY(nr_p_expect(p, ")"));
  }
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  nr_p_add_attr(p, state, "function_ref", nr_attr_symbol(ctx, function));
  NR_TRY(nr_flow_p_count(p, state, "workgroups"));
  return nr_p_try_attr_dict_keyword(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_flow_export_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"sym_name", "sym_visibility", "function_ref", NULL};
  NrStr name = nr_op_attr_str(op, NR_A_sym_name), function = nr_op_attr_str(op, NR_A_function_ref);
  nr_w_visibility(w, op);
  nr_w_symbol_name(w, function);
  if (!nr_str_eq(name, function)) {
    nr_w_puts(w, " as(");
    nr_w_string(w, name);
    nr_w_puts(w, ")");
  }
  nr_flow_w_count(w, nr_flow_executable_export_workgroup_count_region(op), "workgroups");
  nr_w_attr_dict_keyword(w, op, elided);
}

NrStatus nr_flow_export_verify(NrOp *op) {
  NR_TRY(nr_flow_count_verify(op, "C1", NR_FLOW_EXECUTABLE_EXPORT_WORKGROUP_COUNT_REGION, SIZE_MAX));
  if (nr_op_attr(op, NR_A_function_ref)->kind != NR_ATTR_SYMBOL)
    return nr_op_error(op, "(C2) function_ref must be a symbol");
  return NR_OK;
}

/* What an export needs to be dispatched. */
static NrStatus export_link(NrOp *op) {
  NrOp *module = nr_flow_inner_module(nr_op_parent(op));
  NrStr name = nr_op_attr_str(op, NR_A_function_ref);
  if (!module) return nr_op_error(op, "(C2) its executable has no module with the function '%.*s'", NR_STR_ARG(name));
  NrOp *function = nr_symbol_lookup(module, name);
  if (!function) return nr_op_error(op, "(C2) refers to the undefined function '%.*s'", NR_STR_ARG(name));
  if (!nr_op_has(function, NR_FUNCTION) || !nr_op_only_body(function))
    return nr_op_error(op, "(C2) refers to '%.*s', which is no function with a body", NR_STR_ARG(name));
  NrAttr type = nr_op_attr(function, NR_A_function_type);
  if (!type || type->kind != NR_ATTR_TYPE || type->type->kind != NR_TYPE_FUNCTION) return NR_OK;
  if (type->type->num_results) return nr_op_error(op, "(C3) the function of a dispatch must return nothing");
  for (uint32_t i = 0; i < type->type->num_inputs; i++)
    if (nr_type_is_tensor(type->type->inputs[i]))
      return nr_op_error(
          op, "(C3) argument #%u of the function of a dispatch is a tensor; expected !flow.dispatch.tensor", i);
  return NR_OK;
}

/* ---- dispatch --------------------------------------------------------------------------------------------------- */

static NrStatus entry_points_parse(NrParser *p, NrOpState *state) {
  NrAttr points[64];
  size_t count = 0;
  bool many = nr_p_try(p, "{");
  do {
    if (count == NR_COUNTOF(points)) return nr_p_error(p, nr_p_loc(p), "more than %zu entry points", count);
    NR_TRY(nr_p_symbol(p, &points[count++]));
  } while (many && nr_p_try(p, ","));
  if (many) NR_TRY(nr_p_expect(p, "}"));
  nr_p_add_attr(p, state, "entry_points", nr_attr_array(nr_p_context(p), points, count));
  return NR_OK;
}

NrStatus nr_flow_dispatch_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *workload = NULL, *arguments;
  size_t num_workload = 0, num_arguments;
  NrFlowSignature s;
  NR_TRY(entry_points_parse(p, state));
  bool typed;
  NR_TRY(nr_flow_p_workload(p, &workload, &num_workload, &typed));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &arguments, &num_arguments));
  NR_TRY(nr_p_expect(p, ")"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_flow_p_signature(p, arguments, num_arguments, &s));
  NR_TRY(nr_p_add_indices(p, state, workload, num_workload));
  NR_TRY(nr_flow_add_signature(p, state, arguments, &s));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)num_workload, (uint32_t)num_arguments, (uint32_t)s.arg_dims.size,
                                           (uint32_t)s.result_dims.size}, 4);
  return NR_OK;
}

void nr_flow_dispatch_print(NrPrinter *w, NrOp *op) {
  const char *const elided[] = {"operandSegmentSizes", "entry_points", nr_flow_named_ties(op, NR_FLOW_ARGUMENTS), NULL};
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  nr_w_puts(w, points->size == 1 ? " " : " {");
  for (size_t i = 0; i < points->size; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_attr(w, points->items[i]);
  }
  if (points->size != 1) nr_w_puts(w, "}");
  nr_flow_w_arguments(w, op);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_flow_w_signature(w, op, (NrFlowSignatureGroups){NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS, NR_FLOW_RESULT_DIMS});
}

/* Verifies that the workload matches the arguments of the export's count region. */
static NrStatus workload_verify(NrOp *op, NrOp *export) {
  NrBlock *count = nr_flow_executable_export_workgroup_count_body(export);
  size_t begin, workload;
  if (!count) return NR_OK;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &workload);
  if (workload != count->num_args)
    return nr_op_error(op, "(C4) workload mismatch; entry point expects %u arguments but dispatch provides %zu",
                       count->num_args, workload);
  for (uint32_t i = 0; i < workload; i++)
    if (nr_operand(op, begin + i)->type != nr_block_arg(count, i)->type)
      return nr_op_error(op, "(C4) workload type mismatch at #%u", i);
  return NR_OK;
}

/* Verifies that the function's argument type `takes` fits an argument or result of type `type`. */
static NrStatus passed_type_verify(NrOp *op, NrType takes, NrType type, bool writes, const char *what, size_t i) {
  bool ok = takes == type;
  if (nr_type_is_tensor(type)) {
    ok = takes->kind == NR_TYPE_flow_dispatch_tensor && takes->elem == type;
    ok = ok && (!writes || nr_flow_access(takes) != NR_READONLY);
  }
  if (ok) return NR_OK;
  return nr_op_error(op, "(C5) %s #%zu is %s but the entry point takes %s", what, i, text_of(op, type),
                     text_of(op, takes));
}

static NrStatus function_verify(NrOp *op, NrOp *export) {
  NrOp *module = nr_flow_inner_module(nr_op_parent(export));
  NrOp *function = module ? nr_symbol_lookup(module, nr_op_attr_str(export, NR_A_function_ref)) : NULL;
  NrAttr attr = function ? nr_op_attr(function, NR_A_function_type) : NULL;
  size_t begin, count, next;
  if (!attr || attr->kind != NR_ATTR_TYPE || attr->type->kind != NR_TYPE_FUNCTION) return NR_OK;
  NrType type = attr->type;
  /* After bufferization the arguments no longer correspond to the dispatch's. */
  for (uint32_t i = 0; i < type->num_inputs; i++)
    if (nr_type_is_memref(type->inputs[i])) return NR_OK;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  size_t need = count;
  for (uint32_t r = 0; r < op->num_results; r++) need += nr_tied_operand(op, r) < 0;
  if (need != type->num_inputs)
    return nr_op_error(op,
                       "(C5) the entry point takes %u arguments but the dispatch has %zu arguments and untied results",
                       type->num_inputs, need);
  for (size_t i = 0; i < count; i++) {
    bool tied = false;
    for (uint32_t r = 0; r < op->num_results; r++) tied |= nr_tied_operand(op, r) == (int64_t)i;
    NR_TRY(passed_type_verify(op, type->inputs[i], nr_operand(op, begin + i)->type, tied, "argument", i));
  }
  next = count;
  for (uint32_t r = 0; r < op->num_results; r++)
    if (nr_tied_operand(op, r) < 0)
      NR_TRY(passed_type_verify(op, type->inputs[next++], nr_result(op, r)->type, true, "result", r));
  return NR_OK;
}

NrStatus nr_flow_dispatch_verify(NrOp *op) {
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  size_t begin, count;
  if (!points->size) return nr_op_error(op, "(C1) at least one entry point must be specified");
  NR_TRY(nr_flow_group_dims_verify(op, "C2", NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS));
  NR_TRY(nr_flow_group_dims_verify(op, "C2", SIZE_MAX, NR_FLOW_RESULT_DIMS));
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  NR_TRY(nr_flow_tied_verify(op, "C3", op->num_results, count));
  NR_TRY(nr_flow_tied_types_verify(op, "C3"));
  for (size_t i = 0; i < points->size; i++) {
    NrAttr symbol = points->items[i];
    if (symbol->kind != NR_ATTR_SYMBOL) return nr_op_error(op, "(C4) entry point #%zu is not a symbol", i);
    NrOp *export = nr_symbol_resolve(op, symbol);
    if (nr_op_is(export, NR_OP_flow_executable_export)) NR_TRY(workload_verify(op, export));
  }
  return NR_OK;
}

NrStatus nr_flow_dispatch_link(NrOp *op) {
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  for (size_t i = 0; i < points->size; i++) {
    NrAttr symbol = points->items[i];
    NrOp *export = nr_symbol_resolve(op, symbol);
    if (!nr_op_is(export, NR_OP_flow_executable_export)) {
      NrStr nested = symbol->size ? symbol->items[symbol->size - 1]->s : (NrStr){0};
      return nr_op_error(op, "(C4) refers to an undefined entry point @%.*s%s%.*s", NR_STR_ARG(symbol->s),
                         symbol->size ? "::@" : "", NR_STR_ARG(nested));
    }
    NR_TRY(export_link(export));
    NR_TRY(function_verify(op, export));
  }
  return NR_OK;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

NrStatus nr_flow_call_parse(NrParser *p, NrOpState *state) {
  NrStr callee;
  NrOperandRef *arguments;
  size_t count;
  NrFlowSignature s;
  NR_TRY(nr_p_symbol_name(p, &callee));
  nr_p_add_attr(p, state, "callee", nr_attr_symbol(nr_p_context(p), callee));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &arguments, &count));
  NR_TRY(nr_p_expect(p, ")"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_flow_p_signature(p, arguments, count, &s));
  NR_TRY(nr_flow_add_signature(p, state, arguments, &s));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)count, (uint32_t)s.arg_dims.size, (uint32_t)s.result_dims.size},
                    3);
  return NR_OK;
}

void nr_flow_call_print(NrPrinter *w, NrOp *op) {
  const char *const elided[] = {"operandSegmentSizes", "callee", nr_flow_named_ties(op, NR_FLOW_CALL_ARGUMENTS_GROUP),
                                NULL};
  size_t begin, count;
  nr_op_operand_group(op, NR_FLOW_CALL_ARGUMENTS_GROUP, &begin, &count);
  nr_w_puts(w, " ");
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_callee));
  nr_w_puts(w, "(");
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, ")");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_flow_w_signature(w, op, (NrFlowSignatureGroups){NR_FLOW_CALL_ARGUMENTS_GROUP, NR_FLOW_CALL_ARGUMENT_DIMS_GROUP,
                                                      NR_FLOW_CALL_RESULT_DIMS_GROUP});
}

NrStatus nr_flow_call_verify(NrOp *op) {
  size_t begin, count;
  nr_op_operand_group(op, NR_FLOW_CALL_ARGUMENTS_GROUP, &begin, &count);
  NR_TRY(nr_flow_group_dims_verify(op, "C1", NR_FLOW_CALL_ARGUMENTS_GROUP, NR_FLOW_CALL_ARGUMENT_DIMS_GROUP));
  NR_TRY(nr_flow_group_dims_verify(op, "C1", SIZE_MAX, NR_FLOW_CALL_RESULT_DIMS_GROUP));
  NR_TRY(nr_flow_tied_verify(op, "C2", op->num_results, count));
  return nr_flow_tied_types_verify(op, "C2");
}

NrStatus nr_flow_call_verify_symbol(NrOp *op, NrOp *callee) {
  size_t begin, count;
  nr_op_operand_group(op, NR_FLOW_CALL_ARGUMENTS_GROUP, &begin, &count);
  if (!nr_op_is(callee, NR_OP_flow_func)) return nr_op_error(op, "(C3) callee must be a flow.func");
  NrAttr declared = nr_op_attr(callee, NR_A_function_type);
  if (!declared || declared->kind != NR_ATTR_TYPE || declared->type->kind != NR_TYPE_FUNCTION)
    return NR_OK; /* the verifier of the callee reports it */
  NrType type = declared->type;
  bool equal = type->num_inputs == count && type->num_results == op->num_results;
  for (size_t i = 0; equal && i < count; i++) equal = type->inputs[i] == nr_operand(op, begin + i)->type;
  for (uint32_t i = 0; equal && i < op->num_results; i++) equal = type->results[i] == nr_result(op, i)->type;
  if (!equal) return nr_op_error(op, "(C3) function type mismatch; callee is %s", text_of(op, type));
  return NR_OK;
}

NrFlowCallGroups nr_flow_call_groups(const NrOp *op) {
  bool is_call = nr_op_is(op, NR_OP_flow_call);
  size_t arguments = is_call ? NR_FLOW_CALL_ARGUMENTS_GROUP : NR_FLOW_ARGUMENTS;
  size_t argument_dims = is_call ? NR_FLOW_CALL_ARGUMENT_DIMS_GROUP : NR_FLOW_ARGUMENT_DIMS;
  size_t result_dims = is_call ? NR_FLOW_CALL_RESULT_DIMS_GROUP : NR_FLOW_RESULT_DIMS;
  return (NrFlowCallGroups){nr_op_group(op, arguments), nr_op_group(op, argument_dims), nr_op_group(op, result_dims)};
}

bool nr_flow_call_ties_match(const NrOp *call) {
  NrOp *callee = nr_symbol_resolve((NrOp *)call, nr_op_attr(call, NR_A_callee));
  for (uint32_t i = 0; callee && i < call->num_results; i++)
    if (nr_tied_operand(call, i) != nr_tied_operand(callee, i)) return false;
  return true;
}

/* Parses the optional attribute dictionary of an argument or result; sets *any if it is not empty. */
static NrStatus dict_parse(NrParser *p, NrAttr *out, bool *any) {
  *out = nr_attr_dict(nr_p_context(p), NULL, 0);
  if (!nr_p_peek(p, "{")) return NR_OK;
  NR_TRY(nr_p_attr(p, out));
  *any |= (*out)->num_named > 0;
  return NR_OK;
}

enum { MAX_ARGUMENTS = 256 };

/* The signature of a flow.func during parsing. */
typedef struct FuncText {
  NrArgRef args[MAX_ARGUMENTS];
  NrType arg_types[MAX_ARGUMENTS], result_types[MAX_ARGUMENTS];
  NrAttr arg_attrs[MAX_ARGUMENTS], res_attrs[MAX_ARGUMENTS];
  int64_t tied[MAX_ARGUMENTS];
  size_t num_args, num_results;
  bool any_arg_attrs, any_res_attrs;
} FuncText;

static NrStatus func_result_parse(NrParser *p, FuncText *f) {
  NrOperandRef ref;
  NrType type = NULL;
  int64_t tied = -1;
  NrLoc loc = nr_p_loc(p);
  if (f->num_results == MAX_ARGUMENTS) return nr_p_error(p, loc, "more than %d results", MAX_ARGUMENTS);
  if (nr_p_try_operand(p, &ref)) {
    for (size_t i = 0; i < f->num_args && tied < 0; i++)
      if (nr_str_eq(f->args[i].name, ref.name)) tied = (int64_t)i;
    if (tied < 0) return nr_p_error(p, loc, "tied operand not found for result reference");
    type = f->arg_types[tied];
  }
  if (tied < 0 || nr_p_try(p, "as")) NR_TRY(nr_p_type(p, &type));
  NR_TRY(dict_parse(p, &f->res_attrs[f->num_results], &f->any_res_attrs));
  f->result_types[f->num_results] = type;
  f->tied[f->num_results++] = tied;
  return NR_OK;
}

static NrStatus func_signature_parse(NrParser *p, FuncText *f) {
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do {
      if (f->num_args == MAX_ARGUMENTS) return nr_p_error(p, nr_p_loc(p), "more than %d arguments", MAX_ARGUMENTS);
      NR_TRY(nr_p_typed_arg(p, &f->args[f->num_args]));
      f->arg_types[f->num_args] = f->args[f->num_args].type;
      NR_TRY(dict_parse(p, &f->arg_attrs[f->num_args], &f->any_arg_attrs));
      f->num_args++;
    } while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, ")"));
  }
  if (!nr_p_try(p, "->")) return NR_OK;
  if (!nr_p_try(p, "(")) return func_result_parse(p, f);
  if (nr_p_try(p, ")")) return NR_OK;
  do NR_TRY(func_result_parse(p, f));
  while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

NrStatus nr_flow_func_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  FuncText *f = NR_NEW(&nr_p_module(p)->arena, FuncText);
  NrStr name;
  NR_TRY(nr_p_visibility(p, state));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  NR_TRY(func_signature_parse(p, f));
  NrType type = nr_type_function(ctx, f->arg_types, f->num_args, f->result_types, f->num_results);
  nr_p_add_attr(p, state, "function_type", nr_attr_type(type));
  NrAttr tied = nr_tied_attr(ctx, f->tied, f->num_results);
  if (tied) nr_p_add_attr(p, state, "tied_operands", tied);
  if (f->any_arg_attrs) nr_p_add_attr(p, state, "arg_attrs", nr_attr_array(ctx, f->arg_attrs, f->num_args));
  if (f->any_res_attrs) nr_p_add_attr(p, state, "res_attrs", nr_attr_array(ctx, f->res_attrs, f->num_results));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  if (nr_p_peek(p, "{")) return nr_p_error(p, nr_p_loc(p), "(C1) only external functions are allowed");
  nr_p_empty_region(p, state);
  return NR_OK;
}

static void dict_print(NrPrinter *w, NrAttr list, size_t i) {
  if (!list || list->items[i]->num_named == 0) return;
  nr_w_puts(w, " ");
  nr_w_attr(w, list->items[i]);
}

void nr_flow_func_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {
      "sym_name", "sym_visibility", "function_type", "tied_operands", "arg_attrs", "res_attrs", NULL};
  NrType type = nr_op_attr(op, NR_A_function_type)->type;
  NrAttr arg_attrs = nr_op_attr(op, NR_A_arg_attrs), res_attrs = nr_op_attr(op, NR_A_res_attrs);
  nr_w_visibility(w, op);
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_puts(w, "(");
  for (uint32_t i = 0; i < type->num_inputs; i++) {
    nr_w_printf(w, i ? ", %%arg%u: " : "%%arg%u: ", i);
    nr_w_type(w, type->inputs[i]);
    dict_print(w, arg_attrs, i);
  }
  nr_w_puts(w, ")");
  if (type->num_results) nr_w_puts(w, type->num_results == 1 ? " -> " : " -> (");
  for (uint32_t i = 0; i < type->num_results; i++) {
    int64_t tied = nr_tied_operand(op, i);
    bool same = tied >= 0 && type->inputs[tied] == type->results[i];
    if (i) nr_w_puts(w, ", ");
    if (tied >= 0) nr_w_printf(w, same ? "%%arg%lld" : "%%arg%lld as ", (long long)tied);
    if (!same) nr_w_type(w, type->results[i]);
    dict_print(w, res_attrs, i);
  }
  if (type->num_results > 1) nr_w_puts(w, ")");
  nr_w_attr_dict_keyword(w, op, elided);
}

NrStatus nr_flow_func_verify(NrOp *op) {
  NrType type = nr_op_attr(op, NR_A_function_type)->type;
  if (nr_flow_func_region(op)->first) return nr_op_error(op, "(C1) only external functions are allowed");
  if (type->kind != NR_TYPE_FUNCTION) return nr_op_error(op, "function_type must be a function type");
  return nr_flow_tied_verify(op, "C2", type->num_results, type->num_inputs);
}
