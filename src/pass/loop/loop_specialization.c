/* loop_specialization.c - gives a loop whose upper bound is a minimum with a constant a version for the constant.
 *   before  %n = arith.minsi %left, %c64 : index        after  %full = arith.cmpi eq, %n, %c64 : index
 *           %r = scf.for %i = %c0 to %n step %c1 {             %r = scf.if %full {
 *             body                                               %x = scf.for %i = %c0 to %c64 step %c1 { body }
 *           }                                                    yield %x
 *                                                              } else {
 *                                                                %y = scf.for %i = %c0 to %n step %c1 { body }
 *                                                                yield %y
 *                                                              }
 * The first version has a constant trip count, so it can be unrolled and vectorized; it runs for all tiles but the
 * last. Bodies of more than 4096 ops are not copied, and none where a function would have more than 2^17. */
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

enum { MAX_OPS = 4096 };

static void specialize(NrOp *loop, int64_t number) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *upper = nr_scf_for_upper_bound(loop), *constant = nr_arith_constant_int(&b, upper->type, number);
  NrOp *branch = nr_build_versions(&b, nr_arith_cmpi(&b, NR_CMPI_EQ, upper, constant), &loop, 1);
  b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrOp *full = nr_for_clone(&b, loop);
  nr_op_set_operand(full, NR_SCF_FOR_UPPER_BOUND, constant);
  nr_scf_yield_results_of(nr_scf_if_then_body(branch), &full, 1);
}

static NrStatus specialization_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  NrOpList loops = {0};
  size_t left = nr_copies_left(func);
  nr_collect_fors(func, &loops);
  for (size_t i = loops.size; i-- > 0;) { /* inner loops first: they are copied with the outer loop */
    int64_t number;
    if (nr_minimum_constant(nr_scf_for_upper_bound(loops.data[i]), &number) &&
        nr_count_ops(loops.data[i], MAX_OPS) <= MAX_OPS && nr_take_copies(&left, loops.data[i], 1))
      specialize(loops.data[i], number);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(loop_specialization, .name = "scf-for-loop-specialization", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = specialization_run,
        .doc = "gives loops whose upper bound is a minimum with a constant a version for the constant")
