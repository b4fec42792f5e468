/* lower_early_exit.c - lowers loops with break and continue to blocks in an scf.execute_region.
 *   before  %r = scf.loop token(%l) iter_args(%a = %x)     after  %r = scf.execute_region -> i64 {
 *                : i64 -> i64 {                                     cf.br ^bb1(%x : i64)
 *             scf.if %c {                                         ^bb1(%a: i64):
 *               scf.break [%l] %a : i64                             cf.cond_br %c, ^bb2, ^bb3
 *             }                                                   ^bb2:
 *             %b = f(%a)                                            cf.br ^bb4(%a : i64)
 *             scf.continue [%l] %b : i64                          ^bb3:
 *           }                                                       %b = f(%a)
 *                                                                   cf.br ^bb1(%b : i64)
 *                                                                 ^bb4(%r: i64):
 *                                                                   scf.yield %r : i64
 *                                                                 }
 * Runs early, so that later passes can rely on regions ending at their terminators. Only ops that a break or continue
 * leaves become blocks; the others stay structured. A loop with tensors, which need regions of one block, becomes an
 * scf.while if possible (structure_exits.c). */
#include "dialect/scf/scf.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* Replaces the loop by an scf.execute_region that contains it. */
static NrOp *wrap(NrOp *loop) {
  NrBuilder b = nr_builder_before(loop);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&types, nr_result(loop, i)->type);
  NrOp *op = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_execute_region],
                                       .loc = loop->loc,
                                       .result_types = types.data,
                                       .num_results = types.size,
                                       .num_regions = 1});
  NrBlock *block = nr_block_create(loop->module);
  nr_block_append(nr_scf_execute_region_region(op), block);
  nr_scf_take_in(op, block, &loop, 1);
  nr_vec_deinit(&types);
  return op;
}

static bool is_inside_loop(const NrOp *op) {
  for (const NrOp *up = nr_op_parent(op); up; up = nr_op_parent(up))
    if (nr_op_is(up, NR_OP_scf_loop)) return true;
  return false;
}

static NrStatus lower_early_exit_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0}, loops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) /* inner loops first */
    if (nr_op_is(ops.data[i], NR_OP_scf_loop)) nr_structure_exits(ops.data[i]);
  for (size_t i = 0; i < ops.size; i++)
    if (!nr_is_erased(ops.data[i]) && nr_op_is(ops.data[i], NR_OP_scf_loop) && !is_inside_loop(ops.data[i]))
      nr_vec_push(&loops, ops.data[i]);
  for (size_t i = 0; i < loops.size; i++) nr_convert_exits(pass, wrap(loops.data[i]));
  nr_vec_deinit(&ops);
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(lower_early_exit, .name = "lower-early-exit", .on_while = NR_WHILE_HANDLES, .run = lower_early_exit_run,
        .doc = "lowers loops with break and continue to blocks in an scf.execute_region")
