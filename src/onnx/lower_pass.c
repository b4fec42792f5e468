/* lower_pass.c - the lowering of the onnx dialect as a pass. */
#include "onnx/lower.h"
#include "pass/pass.h"

static NrStatus lower_onnx_run(NrPassContext *pass, NrOp *op) {
  (void)op;
  return nr_lower_onnx(pass->module);
}

NR_PASS(lower_onnx, .name = "lower-onnx", .run = lower_onnx_run,
        .doc = "a model's nodes become structured ops, tensor ops and structured control flow, with all types inferred")
