/* lower_onnx.c - the lowering of the onnx dialect as a pass. */
#include "onnx/lower/core/lower.h"
#include "pass/core/pass.h"

static NrStatus lower_onnx_run(NrPassContext *pass, NrOp *op) {
  NrStatus status = NR_OK;
  for (NrOp *func = nr_op_only_body(op)->first; func && !status; func = func->next)
    if (nr_func_has_onnx_ops(func)) status = nr_lower_func(pass->module, func);
  /* Ops of wrong types would end as machine code that writes anywhere. Models are untrusted, and some two hundred
   * lowerings take many types, so this is checked in every build; it takes 1% of the time that a model compiles. */
  if (!status && nr_verify_folded(op)) {
    nr_error(pass->module->ctx, op->loc, "an op was lowered wrongly: this is an internal error");
    status = NR_ERROR_INTERNAL;
  }
  return status;
}

extern const NrPass nr_pass_infer_shapes, nr_pass_integer_nodes, nr_pass_weight_nodes;

NR_PASS(lower_onnx, .name = "lower-onnx", .on_while = NR_WHILE_HANDLES, .of_table = true, .run = lower_onnx_run,
        .doc = "a model's nodes become structured ops, tensor ops and structured control flow, with all types inferred")

static const NrPass *const onnx_passes[] = {&nr_pass_integer_nodes, &nr_pass_weight_nodes, &nr_pass_infer_shapes,
                                            &nr_pass_lower_onnx, NULL};
NR_PASS_TABLE(onnx)
