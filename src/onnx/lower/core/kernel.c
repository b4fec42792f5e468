/* kernel.c - see kernel.h. A kernel is parsed and made one function by inlining, then cloned op by op. */
#include "dialect/func/ops.h"
#include "onnx/lower/core/kernel.h"

#include "ir/text.h"
#include "pass/core/pass.h"

static NrModule *instantiate(NrLower *l, const char *name, NrStr prelude) {
  const NrKernelText *k = nr_kernel_texts;
  while (k->name && strcmp(k->name, name) != 0) k++;
  if (!k->name) return nr_lower_error(l, "there is no kernel '%s'", name), NULL;
  NrBuf text = {0}, file = {0};
  nr_buf_str(&text, prelude);
  nr_buf_str(&text, (NrStr){k->text, k->size});
  nr_buf_printf(&file, "lib/%s.mlir", name);
  NrModule *module = nr_parse_module(l->ctx, (NrStr){text.data, text.size}, (NrStr){file.data, file.size}, NULL, NULL);
  NrPassOptions options = {0};
  if (module && nr_run_passes(module, NR_STR("inline"), &options)) {
    nr_module_destroy(module);
    module = NULL;
  }
  nr_buf_deinit(&text);
  nr_buf_deinit(&file);
  return module;
}

static NrBlock *function_body(NrModule *module, const char *name) {
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next)
    if (nr_op_is(op, NR_OP_func_func) && nr_str_is(nr_op_attr_str(op, NR_A_sym_name), name))
      return nr_func_func_body(op);
  return NULL;
}

/* Messages name the node, not a line of the kernel's text. */
static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

NrStatus nr_lower_kernel(NrLower *l, const char *name, NrStr prelude, NrValue *const *args, size_t num_args,
                         NrValue **results, size_t num_results) {
  NrModule *module = instantiate(l, name, prelude);
  if (!module) return NR_ERROR_INTERNAL;
  NrBlock *body = function_body(module, name);
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
