/* forall_to_parallel.c - converts scf.forall over buffers to scf.parallel.
 *   before  scf.forall (%i, %j) in (%n, 8) {      after  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c8)
 *             memref.store %x, %m[%i, %j]                             step (%c1, %c1) {
 *           }                                                memref.store %x, %m[%i, %j]
 *                                                            scf.reduce
 *                                                          }
 * An scf.forall with shared outputs stays: scf.parallel can reduce values but not insert slices. Keeps the attributes
 * `mapping`, `noria.loop` and `noria.point_ns`. */
#include "dialect/scf/scf.h"
#include "pass/loop/parallel.h"
#include "pass/core/rewrite.h"

static void to_parallel(NrOp *op) {
  NrBlock *body = nr_scf_forall_body(op);
  uint32_t rank = body->num_args;
  NrBuilder b = nr_builder_before(op);
  NrBounds bounds = {0};
  nr_forall_bounds(&b, op, &bounds);
  NrOp *loop = nr_scf_parallel(&b, bounds.data, bounds.data + rank, bounds.data + 2 * rank, rank, NULL, 0);
  nr_vec_deinit(&bounds);
  nr_scf_keep_forall_attrs(op, loop);
  NrBlock *to = nr_scf_parallel_body(loop);
  for (uint32_t d = 0; d < rank; d++) {
    to->args[d]->name = body->args[d]->name;
    nr_value_replace_uses(body->args[d], to->args[d]);
  }
  nr_op_erase(nr_block_terminator(body));
  nr_block_splice(body, to, NULL);
  b = nr_scf_body_builder(nr_op_only_body(loop));
  nr_scf_reduce(&b, NULL, 0);
  nr_op_erase(op);
}

static NrStatus forall_to_parallel_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (!nr_op_is(op, NR_OP_scf_forall) || op->num_results) continue;
    if (nr_scf_forall_body(op)->num_args) to_parallel(op);
    else nr_forall_to_for(op);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(forall_to_parallel, .name = "scf-forall-to-parallel", .on_while = NR_WHILE_BARRIER,
        .run = forall_to_parallel_run, .doc = "turns scf.forall over buffers into scf.parallel")
