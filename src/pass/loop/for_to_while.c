/* for_to_while.c - converts scf.for to scf.while, for passes and tools that only handle the latter.
 *   before  %r = scf.for %i = %lb to %ub step %st      after  %r:2 = scf.while (%i = %lb, %a = %x) {
 *                iter_args(%a = %x) -> (f32) {                  %c = arith.cmpi slt, %i, %ub : index
 *             %v = f(%i, %a)                                    scf.condition(%c) %i, %a
 *             scf.yield %v : f32                              } do {
 *           }                                                 ^bb0(%i: index, %a: f32):
 *                                                               %v = f(%i, %a)
 *                                                               %n = arith.addi %i, %st : index
 *                                                               scf.yield %n, %v
 *                                                             }
 * Where the sum may overflow, %n is the upper bound instead, so that the loop ends where the scf.for did. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

enum { FIRST_CARRIED = 1 }; /* the counter is the first value that the while carries */

static void convert(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrBlock *body = nr_scf_for_body(op);
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(NrType) types = {0};
  nr_vec_push(&inits, nr_scf_for_lower_bound(op));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&inits, nr_scf_for_init(op, i));
  for (size_t i = 0; i < inits.size; i++) nr_vec_push(&types, inits.data[i]->type);
  NrOp *loop = nr_scf_while(&b, inits.data, inits.size, types.data, types.size);

  NrBlock *before = nr_scf_while_before_body(loop), *after = nr_scf_while_after_body(loop);
  b = nr_scf_body_builder(nr_scf_while_before_body(loop));
  nr_scf_condition(&b, nr_for_build_goes_on(&b, op, before->args[0]), before->args, before->num_args);
  NrOp *yield = nr_block_terminator(body);
  b = nr_builder_before(yield);
  nr_op_insert_operand(yield, NR_SCF_YIELD_RESULTS,
                       nr_for_build_next(&b, op, nr_scf_for_iv(op), nr_for_may_wrap(op, false)));
  for (uint32_t i = 0; i < body->num_args; i++) {
    before->args[i]->name = after->args[i]->name = body->args[i]->name;
    nr_value_replace_uses(body->args[i], after->args[i]);
  }
  nr_block_splice(body, after, NULL);
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_result(loop, FIRST_CARRIED + i)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(loop, FIRST_CARRIED + i));
  }
  nr_op_erase(op);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&types);
}

static bool visit(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_scf_for)) convert(op);
  return true;
}

static NrStatus for_to_while_run(NrPassContext *pass, NrOp *op) {
  nr_walk_post(op, visit, NULL);
  return NR_OK;
}

NR_PASS(for_to_while, .name = "for-to-while", .on_while = NR_WHILE_HANDLES, .run = for_to_while_run,
        .doc = "turns scf.for into scf.while")
