/* parallel_to_for.c - parallel loops run one point after the other, in the order of the last dim first.
 *   before  %r = scf.parallel (%i) = (%lb) to (%ub) step (%st)     after  %r = scf.for %i = %lb to %ub step %st
 *                init (%z) -> f32 {                                             iter_args(%a = %z) -> (f32) {
 *             scf.reduce(%x : f32) {                                         %s = arith.addf %a, %x : f32
 *             ^bb0(%l: f32, %r: f32):                                        scf.yield %s : f32
 *               %s = arith.addf %l, %r : f32                               }
 *               scf.reduce.return %s : f32
 *             }
 *           }
 * The running value is the left one of a reduction. */
#include "dialect/scf/scf.h"
#include "pass/parallel.h"
#include "pass/rewrite.h"

/* The reductions inlined at the end of the innermost body, on the running values; it ends in a yield of the new
 * ones. */
static void inline_reductions(NrOp *reduce, NrOp *loop) {
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; i < reduce->num_regions; i++) {
    NrBlock *block = nr_op_body(reduce, i);
    nr_scf_inline_before(reduce, block, (NrValue *[]){nr_scf_for_arg(loop, i), nr_operand(reduce, i)});
    nr_vec_push(&values, nr_operand(nr_block_terminator(block), 0));
  }
  NrBuilder b = nr_builder_before(reduce);
  nr_scf_yield(&b, values.data, values.size);
  nr_op_erase(reduce);
  nr_vec_deinit(&values);
}

NrOp *nr_parallel_to_for(NrOp *op) {
  NrBlock *body = nr_op_body(op, 0);
  uint32_t rank = body->num_args, count = op->num_results;
  NrBuilder b = nr_builder_before(op);
  NR_VEC(NrValue *) carried = {0};
  NrOp *outermost = NULL, *loop = NULL;
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&carried, nr_parallel_init(op, i));
  for (uint32_t d = 0; d < rank; d++) {
    NrOp *outer = loop;
    loop = nr_scf_for(&b, nr_parallel_lower(op, d), nr_parallel_upper(op, d), nr_parallel_step(op, d), carried.data,
                      count);
    if (!outermost) outermost = loop;
    nr_scf_for_iv(loop)->name = body->args[d]->name;
    nr_value_replace_uses(body->args[d], nr_scf_for_iv(loop));
    for (uint32_t i = 0; i < count; i++) carried.data[i] = nr_result(loop, i);
    if (outer) nr_scf_yield(&b, carried.data, count);
    for (uint32_t i = 0; i < count; i++) carried.data[i] = nr_scf_for_arg(loop, i);
    b = nr_scf_body_builder(loop, 0);
  }
  NrBlock *innermost = nr_op_body(loop, 0);
  nr_block_splice(body, innermost, NULL);
  inline_reductions(nr_block_terminator(innermost), loop);
  nr_replace_loop(op, outermost);
  nr_vec_deinit(&carried);
  return outermost;
}

static NrStatus parallel_to_for_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_scf_parallel)) nr_parallel_to_for(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(parallel_to_for, .name = "scf-parallel-for-to-nested-fors", .run = parallel_to_for_run,
        .doc = "turns parallel loops into nests of scf.for")
