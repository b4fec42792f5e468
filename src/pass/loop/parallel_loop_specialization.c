/* parallel_loop_specialization.c - gives a parallel loop whose bounds are minima with constants a version for the
 * constants.
 *   before  %size = arith.minsi %left, %c4 : index    after  %full = arith.cmpi eq, %size, %c4 : index
 *           scf.parallel (%i) = (%c0) to (%size)             scf.if %full {
 *             step (%c1) {                                     scf.parallel (%i) = (%c0) to (%c4) step (%c1) { body }
 *             body                                           } else {
 *           }                                                  scf.parallel (%i) = (%c0) to (%size) step (%c1) { body }
 *                                                            }
 * The first version has constant bounds, so it can be unrolled and vectorized; it runs for all tiles but those at the
 * edge. Loops stay where the copies would give a function more than 2^17 ops. */
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"

static void specialize(NrOp *op, size_t *left) {
  uint32_t rank = nr_parallel_rank(op);
  NrBuilder b = nr_builder_before(op);
  NrValue *full = NULL;
  NrMap map = {0}, constants = {0};
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *upper = nr_parallel_upper(op, d);
    int64_t number;
    if (nr_map_has(&constants, upper) || !nr_minimum_constant(upper, &number)) continue;
    NrValue *constant = nr_arith_constant_index(&b, number);
    NrValue *is = nr_arith_cmpi(&b, NR_CMPI_EQ, upper, constant);
    full = full ? nr_arith_binary(&b, NR_OP_arith_andi, full, is) : is;
    nr_map_set(&constants, upper, constant);
  }
  if (full && nr_take_copies(left, op, 1)) {
    NrOp *branch = nr_build_versions(&b, full, &op, 1);
    NrOp *whole = nr_op_clone(op->module, op, &map);
    nr_op_append(nr_scf_if_then_body(branch), whole);
    for (uint32_t d = 0; d < rank; d++) {
      NrValue *constant = nr_map_get(&constants, nr_parallel_upper(op, d));
      if (constant) nr_op_set_operand(whole, nr_scf_parallel_upper_bound(whole).begin + d, constant);
    }
    nr_scf_yield_results_of(nr_scf_if_then_body(branch), &whole, 1);
  }
  nr_map_deinit(&map);
  nr_map_deinit(&constants);
}

static void specialize_all(NrOp *root) {
  NrOpList ops = {0};
  size_t left = nr_copies_left(root);
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) /* inner loops first: they are copied with the outer loop */
    if (nr_op_is(ops.data[i], NR_OP_scf_parallel)) specialize(ops.data[i], &left);
  nr_vec_deinit(&ops);
}

static NrStatus parallel_loop_specialization_run(NrPassContext *pass, NrOp *module) {
  (void)pass;
  NrBlock *body = nr_op_only_body(module);
  for (NrOp *op = body ? body->first : NULL; op; op = op->next) specialize_all(op);
  return NR_OK;
}

NR_PASS(parallel_loop_specialization, .name = "scf-parallel-loop-specialization", .on_while = NR_WHILE_BARRIER,
        .run = parallel_loop_specialization_run,
        .doc = "gives parallel loops whose bounds are minima with constants a version for the constants")
