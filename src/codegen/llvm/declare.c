/* declare.c - the LLVM functions of a module: their types, names, attributes and linkage. */
#include "codegen/llvm/ll.h"
#include "dialect/flow/flow.h"
#include "dialect/func/func.h"
#include "pass/expand/limits.h"

static NrStatus check_signature(NrLl *g, NrOp *op, NrType type) {
  for (uint32_t i = 0; i < type->num_inputs + type->num_results; i++) {
    NrType t = i < type->num_inputs ? type->inputs[i] : type->results[i - type->num_inputs];
    if (!nr_ll_type(g, t))
      return nr_op_error(op, "has type %s in its signature, which machine code does not have", nr_type_text(g->ctx, t));
  }
  return NR_OK;
}

LLVMTypeRef nr_ll_function_type(NrLl *g, NrType type) {
  NR_VEC(LLVMTypeRef) params = {0}, results = {0};
  nr_vec_push(&params, g->ptr);
  nr_vec_push(&results, g->i32);
  for (uint32_t i = 0; i < type->num_inputs; i++) nr_vec_push(&params, nr_ll_passed_type(g, type->inputs[i]));
  for (uint32_t i = 0; i < type->num_results; i++) nr_vec_push(&results, nr_ll_passed_type(g, type->results[i]));
  LLVMTypeRef result = type->num_results
                           ? LLVMStructTypeInContext(g->llvm, results.data, (unsigned)results.size, false)
                           : g->i32;
  LLVMTypeRef out = LLVMFunctionType(result, params.data, (unsigned)params.size, false);
  nr_vec_deinit(&params);
  nr_vec_deinit(&results);
  return out;
}

/* Attributes of the pointers, from the marks of earlier stages. */
static void set_param_attrs(NrLl *g, NrLlFunc *func) {
  nr_ll_set_vector_width(g, func->value);
  nr_ll_attr(g, func->value, 1, "nonnull", 0);
  nr_ll_attr(g, func->value, 1, "noundef", 0);
  nr_ll_attr(g, func->value, 1, "noalias", 0); /* no buffer overlaps it */
  nr_ll_attr(g, func->value, 1, "dereferenceable", sizeof(NoriaExec));
  for (uint32_t i = 0; i < func->type->num_inputs; i++) {
    unsigned index = i + 2; /* 1 is exec */
    if (!nr_type_is_memref(func->type->inputs[i])) continue;
    bool alone = nr_func_arg_attr(func->op, i, "noria.noalias") || nr_func_arg_attr(func->op, i, "llvm.noalias");
    if (alone) nr_ll_attr(g, func->value, index, "noalias", 0);
    if (nr_func_arg_attr(func->op, i, "noria.readonly")) nr_ll_attr(g, func->value, index, "readonly", 0);
    if (nr_func_arg_attr(func->op, i, "noria.aligned")) nr_ll_attr(g, func->value, index, "align", 64);
  }
}

/* The name as linkers take it: they read a version behind an `@`. `$` marks what stands for another character. */
static const char *linker_name(NrLl *g, NrStr name) {
  NrBuf text = {0};
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] == '@' || name.data[i] == '$') nr_buf_printf(&text, "$%02x", (unsigned)name.data[i]);
    else nr_buf_putc(&text, name.data[i]);
  const char *copy = nr_arena_printf(&g->arena, "%.*s", (int)text.size, text.size ? text.data : "");
  nr_buf_deinit(&text);
  return copy;
}

/* "prefix.name" for symbols of the program. For symbols of nested tables the path with the length of each name, so that
 * "a.b" in one table and b in a table a differ. */
const char *nr_ll_symbol(NrLl *g, const char *prefix, NrOp *op) {
  const char *path = linker_name(g, nr_op_attr_str(op, NR_A_sym_name));
  if (nr_op_parent(op) == g->module->op) return nr_arena_printf(&g->arena, "%s.%s", prefix, path);
  for (NrOp *up = nr_op_parent(op); up && up != g->module->op; up = nr_op_parent(up)) {
    NrStr table = nr_op_attr_str(up, NR_A_sym_name);
    if (table.size) path = nr_arena_printf(&g->arena, "%zu.%s.%s", table.size, linker_name(g, table), path);
  }
  return nr_arena_printf(&g->arena, "%s$%s", prefix, path);
}

static bool is_here(const NrLl *g, const NrOp *func) {
  return (uintptr_t)nr_map_get(&g->tables->func_partition, func) == g->partition + 1;
}

static NrStatus add_function(NrLl *g, NrOp *op, NrLlFunc func) {
  NrLlFunc *kept = NR_NEW(&g->arena, NrLlFunc);
  *kept = func;
  nr_ll_attr(g, func.value, LLVMAttributeFunctionIndex, "nounwind", 0);
  nr_vec_push(&g->all, kept);
  nr_map_set(&g->funcs, op, kept);
  if (!nr_op_attr(op, NR_A_noria_entry)) return NR_OK;
  if (g->entry) return nr_op_error(op, "is a second entry of the program");
  g->entry = kept;
  return NR_OK;
}

static NrStatus cannot_pass(NrOp *op) {
  return nr_op_error(op, "is the program's entry, but has a type that cannot pass the boundary");
}

/* int32_t wrapper(exec, inputs, outputs), where it is wanted. */
static NrStatus declare_wrapper(NrLl *g, NrOp *op, NrType type) {
  bool exported = g->options->all_functions && !nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private");
  if (!exported && !nr_op_attr(op, NR_A_noria_entry)) return NR_OK;
  for (uint32_t i = 0; i < type->num_inputs; i++)
    if (!nr_passes_to_runtime(type->inputs[i])) return cannot_pass(op);
  for (uint32_t i = 0; i < type->num_results; i++)
    if (!nr_passes_to_runtime(type->results[i])) return cannot_pass(op);
  const char *name = nr_arena_printf(&g->arena, "noria.call.%.*s", NR_STR_ARG(nr_op_attr_str(op, NR_A_sym_name)));
  LLVMValueRef value = LLVMAddFunction(g->mod, name, g->entry_type);
  LLVMSetLinkage(value, exported ? LLVMExternalLinkage : LLVMInternalLinkage);
  nr_ll_set_vector_width(g, value);
  return add_function(
      g, op,
      (NrLlFunc){.op = op, .type = type, .ll_type = g->entry_type, .value = value, .is_wrapper = true, .here = true});
}

static NrStatus declare_function(NrLl *g, NrOp *op) {
  NrType type = nr_func_type(op);
  if (!type) return nr_op_error(op, "has no function type");
  if (!nr_func_func_body(op)) return NR_OK; /* a declaration; calling it is an error */
  if (nr_op_attr(op, NR_A_noria_c_wrapper)) return declare_wrapper(g, op, type);
  NR_TRY(check_signature(g, op, type));
  NrLlFunc func = {.op = op, .type = type, .ll_type = nr_ll_function_type(g, type), .here = is_here(g, op)};
  func.value = LLVMAddFunction(g->mod, nr_ll_symbol(g, "noria", op), func.ll_type);
  if (func.here && !nr_map_has(&g->tables->outside_calls, op)) LLVMSetLinkage(func.value, LLVMInternalLinkage);
  else LLVMSetVisibility(func.value, LLVMHiddenVisibility);
  if (nr_op_attr(op, NR_A_no_inline)) nr_ll_attr(g, func.value, LLVMAttributeFunctionIndex, "noinline", 0);
  set_param_attrs(g, &func);
  return add_function(g, op, func);
}

/* Declares the functions whose bodies are in this partition. Others are declared when they are first named. Goes
 * through the ops of a table and of nested ones, not through bodies. */
static NrStatus declare_functions(NrLl *g, NrOp *table) {
  for (uint32_t r = 0; r < table->num_regions; r++)
    for (NrBlock *block = table->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next) {
        if (nr_op_is(op, NR_OP_func_func) && is_here(g, op)) NR_TRY(declare_function(g, op));
        if (nr_op_has(op, NR_SYMBOL_TABLE)) NR_TRY(declare_functions(g, op));
      }
  return NR_OK;
}

NrStatus nr_ll_declare_functions(NrLl *g) { return declare_functions(g, g->module->op); }

NrLlFunc *nr_ll_find_func(NrLl *g, NrOp *user, NrAttr symbol) {
  NrOp *op = nr_flow_function(nr_symbol_find(&g->tables->symbols, user, symbol));
  if (nr_op_is(op, NR_OP_func_func) && !nr_map_has(&g->funcs, op) && declare_function(g, op)) return NULL;
  NrLlFunc *func = op ? nr_map_get(&g->funcs, op) : NULL;
  NrStr name = symbol->size ? symbol->items[symbol->size - 1]->s : symbol->s;
  if (!func) nr_op_error(user, "calls '%.*s', which has no body here", NR_STR_ARG(name));
  return func;
}
