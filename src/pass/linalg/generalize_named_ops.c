/* generalize_named_ops.c - rewrites named linalg ops to linalg.generic.
 *   before  linalg.matmul ins(%a, %b) outs(%c)     after  linalg.generic {(m, k), (k, n), (m, n)} ins(%a, %b) outs(%c)
 *                                                           { c + a * b }
 * A structured op becomes one linalg.generic; any other op whose definition has .expand, like linalg.softmax, becomes
 * the ops that .expand builds. */
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static NrStatus generalize_named_ops_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  return nr_expand_ops(root, NULL);
}

NR_PASS(generalize_named_ops, .name = "linalg-generalize-named-ops", .on_while = NR_WHILE_BARRIER,
        .run = generalize_named_ops_run,
        .doc = "converts named ops (linalg.matmul, conv_2d_nhwc_hwcf, softmax, pack, ..) to linalg.generic")
