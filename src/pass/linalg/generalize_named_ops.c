/* generalize_named_ops.c - ops with a name for what linalg.generic can say become that.
 *   before  linalg.matmul ins(%a, %b) outs(%c)     after  linalg.generic {(m, k), (k, n), (m, n)} ins(%a, %b) outs(%c)
 *                                                           { c + a * b }
 * Structured ops become one linalg.generic each; others with a row's .expand, like linalg.softmax, become the ops that
 * they are made of. */
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static NrStatus generalize_named_ops_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  return nr_expand_ops(root, NULL);
}

NR_PASS(generalize_named_ops, .name = "linalg-generalize-named-ops", .run = generalize_named_ops_run,
        .doc = "named ops (linalg.matmul, conv_2d_nhwc_hwcf, softmax, pack, ..) become linalg.generic")
