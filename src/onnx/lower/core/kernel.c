/* kernel.c - see kernel.h. A kernel's ops are cloned into the function that is lowered, where they get the shapes of
 * their operands. A kernel that a model uses often becomes a function of its own that is called: detectors have a TopK
 * for each of 90 classes, and LLVM would compile each copy. */
#include "dialect/func/ops.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/core/state.h"

enum { MAX_COPIES = 3 };

typedef struct NrSharedKernel {
  unsigned copies;
  NrOp *func; /* NULL until there are MAX_COPIES */
} NrSharedKernel;

/* Messages do not name a line of the kernel's text. Those of a copy name the node; a function has many. */
static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

static NrSharedKernel *shared_kernel(NrLower *l, const char *name, NrStr prelude) {
  NrStr key = nr_str(nr_arena_printf(&l->state->arena, "%s\n%.*s", name, NR_STR_ARG(prelude)));
  NrSharedKernel *known = nr_strmap_get(&l->state->kernels, key);
  if (known) return known;
  known = NR_NEW(&l->state->arena, NrSharedKernel);
  *known = (NrSharedKernel){0};
  nr_strmap_set(&l->state->kernels, key, known);
  return known;
}

/* A copy of the kernel as a private function at the end of the module. */
static NrOp *add_function(NrLower *l, NrOp *kernel) {
  NrMap map = {0};
  NrSymbolNames names = {0};
  NrOp *func = nr_op_clone(l->b.module, kernel, &map), *table = l->b.module->op;
  nr_map_deinit(&map);
  nr_walk_pre(func, relocate, (void *)nr_loc_unknown(l->ctx));
  NrStr name = nr_symbol_numbered_name(&names, table, nr_op_attr_str(kernel, NR_A_sym_name));
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(l->ctx, name));
  nr_op_set_attr(func, NR_A_sym_visibility, nr_attr_string(l->ctx, NR_STR("private")));
  nr_op_set_attr(func, NR_A_no_inline, nr_attr_unit(l->ctx));
  nr_symbol_names_deinit(&names);
  NrBuilder end = nr_builder_at_end(l->b.module, nr_op_only_body(table), l->b.loc);
  nr_builder_insert(&end, func);
  return func;
}

static NrValue *cast_argument(NrLower *l, NrValue *arg, NrType type) {
  return nr_type_is_tensor(type) ? nr_lower_tensor_cast(l, arg, type) : arg;
}

static void build_call(NrLower *l, NrOp *func, NrValue *const *args, size_t num_args, NrValue **results) {
  NrType type = nr_op_attr(func, NR_A_function_type)->type;
  NrValue **cast = NR_NEW_ARRAY(&l->state->arena, NrValue *, num_args);
  for (size_t i = 0; i < num_args; i++) cast[i] = cast_argument(l, args[i], type->inputs[i]);
  NrOp *op = nr_build_op(&l->b, NR_OP_func_call, cast, num_args, type->results, type->num_results);
  nr_op_set_attr(op, NR_A_callee, nr_attr_symbol(l->ctx, nr_op_attr_str(func, NR_A_sym_name)));
  for (uint32_t i = 0; i < op->num_results; i++) results[i] = nr_result(op, i);
}

static void copy_body(NrLower *l, NrOp *func, NrValue *const *args, NrValue **results) {
  NrBlock *body = nr_func_func_body(func);
  NrMap map = {0};
  for (size_t i = 0; i < body->num_args; i++)
    nr_map_set(&map, body->args[i], cast_argument(l, args[i], body->args[i]->type));
  NrOp *last = nr_block_terminator(body);
  for (NrOp *op = body->first; op != last; op = op->next) {
    NrOp *copy = nr_op_clone(l->b.module, op, &map);
    nr_walk_pre(copy, relocate, (void *)l->b.loc);
    nr_builder_insert(&l->b, copy);
  }
  for (size_t i = 0; i < last->num_operands; i++) results[i] = nr_map_get(&map, nr_operand(last, i));
  nr_map_deinit(&map);
}

NrStatus nr_lower_kernel(NrLower *l, const char *name, NrStr prelude, NrValue *const *args, size_t num_args,
                         NrValue **results, size_t num_results) {
  const NrKernelText *kernel = nr_kernel_texts;
  while (kernel->name && strcmp(kernel->name, name) != 0) kernel++;
  if (!kernel->name) return nr_lower_error(l, "there is no kernel '%s'", name);
  NrSharedKernel *shared = shared_kernel(l, name, prelude);
  if (!shared->func) {
    NrOp *func;
    NrModule *module = nr_kernel_module(l->ctx, kernel, prelude, &func);
    if (!module) return NR_ERROR_INTERNAL;
    NrBlock *body = nr_func_func_body(func);
    assert(body && body->num_args == num_args && nr_block_terminator(body)->num_operands == num_results);
    if (shared->copies++ < MAX_COPIES) copy_body(l, func, args, results);
    else shared->func = add_function(l, func);
    nr_module_destroy(module);
  }
  if (shared->func) build_call(l, shared->func, args, num_args, results);
  return NR_OK;
}
