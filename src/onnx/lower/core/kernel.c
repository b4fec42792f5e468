/* kernel.c - see kernel.h. The ops of a kernel's function are cloned one by one. */
#include "dialect/func/ops.h"
#include "onnx/lower/core/kernel.h"

/* Messages name the node, not a line of the kernel's text. */
static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

NrStatus nr_lower_kernel(NrLower *l, const char *name, NrStr prelude, NrValue *const *args, size_t num_args,
                         NrValue **results, size_t num_results) {
  const NrKernelText *kernel = nr_kernel_texts;
  while (kernel->name && strcmp(kernel->name, name) != 0) kernel++;
  if (!kernel->name) return nr_lower_error(l, "there is no kernel '%s'", name);
  NrOp *func;
  NrModule *module = nr_kernel_module(l->ctx, kernel, prelude, &func);
  if (!module) return NR_ERROR_INTERNAL;
  NrBlock *body = nr_func_func_body(func);
  assert(body && body->num_args == num_args && nr_block_terminator(body)->num_operands == num_results);
  NrMap map = {0};
  for (size_t i = 0; i < num_args; i++) {
    NrType type = body->args[i]->type;
    nr_map_set(&map, body->args[i], nr_type_is_tensor(type) ? nr_lower_tensor_cast(l, args[i], type) : args[i]);
  }
  NrOp *last = nr_block_terminator(body);
  for (NrOp *op = body->first; op != last; op = op->next) {
    NrOp *copy = nr_op_clone(l->b.module, op, &map);
    nr_walk_pre(copy, relocate, (void *)l->b.loc);
    nr_builder_insert(&l->b, copy);
  }
  for (size_t i = 0; i < num_results; i++) results[i] = nr_map_get(&map, nr_operand(last, i));
  nr_map_deinit(&map);
  nr_module_destroy(module);
  return NR_OK;
}
