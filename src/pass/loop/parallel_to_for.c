/* parallel_to_for.c - converts parallel loops to sequential nests; the last dim is innermost.
 *
 *   before  %r = scf.parallel (%i) = (%lb) to (%ub) step (%st)     after  %r = scf.for %i = %lb to %ub step %st
 *                init (%z) -> f32 {                                             iter_args(%a = %z) -> (f32) {
 *             scf.reduce(%x : f32) {                                         %s = arith.addf %a, %x : f32
 *             ^bb0(%l: f32, %r: f32):                                        scf.yield %s : f32
 *               %s = arith.addf %l, %r : f32                               }
 *               scf.reduce.return %s : f32
 *             }
 *           }
 *
 * The carried value is the left operand of a reduction. With noInit the value of the first point is the initial one:
 * the loops carry a flag for whether there was a point, and a loop without points is an error. */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "pass/loop/parallel.h"
#include "pass/core/rewrite.h"

static NrAttr zero_of(NrType type) {
  NrType elem = nr_type_elem(type);
  return nr_type_is_float(elem) ? nr_splat_attr(type, nr_attr_float(elem, 0)) : nr_splat_int(type, 0);
}

/* Combines the carried value with the point's for a reduction without an initial value; for the first point, gives its
 * value. */
static NrValue *reduce_if_started(NrOp *reduce, uint32_t i, NrValue *started, NrOp *loop) {
  NrBlock *block = nr_op_body(reduce, i);
  NrValue *value = nr_operand(reduce, i);
  NrBuilder b = nr_builder_before(reduce);
  NrOp *choice = nr_scf_if(&b, started, &value->type, 1, true);
  NrBuilder inner = nr_scf_body_builder(nr_scf_if_else_body(choice));
  nr_scf_yield(&inner, &value, 1);
  nr_value_replace_uses(block->args[0], nr_scf_for_arg(loop, i));
  nr_value_replace_uses(block->args[1], value);
  NrOp *last = nr_block_terminator(block);
  NrValue *combined = nr_scf_reduce_return_result(last);
  nr_op_erase(last);
  nr_block_splice(block, nr_scf_if_then_body(choice), NULL);
  inner = nr_scf_body_builder(nr_scf_if_then_body(choice));
  nr_scf_yield(&inner, &combined, 1);
  return nr_op_result(choice);
}

/* Stores the initial carried values of the loops in out and returns their number: the inits of op, or, with noInit,
 * zeros followed by false for the flag `started`. */
static uint32_t first_values(NrBuilder *b, NrOp *op, NrValue **out) {
  uint32_t count = op->num_results;
  bool no_init = nr_op_attr(op, NR_A_noInit) != NULL;
  for (uint32_t i = 0; i < count; i++)
    out[i] = no_init ? nr_arith_constant(b, zero_of(nr_result(op, i)->type)) : nr_parallel_init(op, i);
  if (no_init) out[count] = nr_arith_constant(b, nr_attr_bool(b->ctx, false));
  return count + no_init;
}

/* Inlines the reductions of the carried values at the end of the innermost body, which then yields the new ones. */
static void inline_reductions(NrOp *reduce, NrOp *loop) {
  NR_VEC(NrValue *) values = {0};
  bool no_init = loop->num_results > reduce->num_regions;
  for (uint32_t i = 0; i < reduce->num_regions; i++) {
    NrBlock *block = nr_op_body(reduce, i);
    if (no_init) {
      nr_vec_push(&values, reduce_if_started(reduce, i, nr_scf_for_arg(loop, reduce->num_regions), loop));
      continue;
    }
    nr_scf_inline_before(reduce, block, (NrValue *[]){nr_scf_for_arg(loop, i), nr_operand(reduce, i)});
    nr_vec_push(&values, nr_scf_reduce_return_result(nr_block_terminator(block)));
  }
  NrBuilder b = nr_builder_before(reduce);
  if (no_init) nr_vec_push(&values, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)));
  nr_scf_yield(&b, values.data, values.size);
  nr_op_erase(reduce);
  nr_vec_deinit(&values);
}

NrOp *nr_parallel_to_for(NrOp *op) {
  NrBlock *body = nr_scf_parallel_body(op);
  uint32_t rank = body->num_args;
  NrBuilder b = nr_builder_before(op);
  NR_VEC(NrValue *) carried = {0};
  nr_vec_reserve(&carried, op->num_results + 1);
  uint32_t count = first_values(&b, op, carried.data);
  NrOp *outermost = NULL, *loop = NULL;
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
    b = nr_scf_body_builder(nr_op_only_body(loop));
  }
  NrBlock *innermost = nr_scf_for_body(loop);
  nr_block_splice(body, innermost, NULL);
  inline_reductions(nr_block_terminator(innermost), loop);
  if (count > op->num_results) {
    b = nr_builder_after(outermost);
    NrOp *check = nr_build_op(&b, NR_OP_cf_assert, (NrValue *[]){nr_result(outermost, count - 1)}, 1, NULL, 0);
    nr_op_set_attr(check, NR_A_msg, nr_attr_string(b.ctx, nr_str(nr_scf_no_value)));
  }
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

NR_PASS(parallel_to_for, .name = "scf-parallel-for-to-nested-fors", .on_while = NR_WHILE_BARRIER,
        .run = parallel_to_for_run, .doc = "turns parallel loops into nests of scf.for")
