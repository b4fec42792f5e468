/* count_trips.c - rewrites loops whose induction variable may overflow its type to count their trips.
 *   before  scf.for %i = %lb to %ub step %st {     after  %trips = (%ub - %lb) ceildiv %st, 0 when %lb >= %ub
 *             body(%i)                                    scf.for %t = %c0 to %trips step %c1 {
 *           }                                               %i = %lb + %t * %st
 *                                                           body(%i)
 *                                                         }
 * An scf.for ends where the next value would be past the upper bound, even if the type has no such value: for %i: i8 =
 * 100 to 127 step 20 runs for 100 and 120, although 140 does not fit. As blocks, such a loop needs a guard at each
 * step, which hides its form from LLVM; counting by 1 needs none. Loops with step 1, and those whose bounds and step
 * are known to stay within the type, stay. A trip count beyond 2^63 - 1 becomes 2^63 - 1, which no run reaches. */
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"

static void count_for(NrOp *loop) {
  NrBuilder b = nr_builder_before(loop);
  NR_VEC(NrValue *) carried = {0};
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&carried, nr_scf_for_init(loop, i));
  NrValue *trips = nr_to_count(&b, nr_for_build_trips(&b, loop)), *iv = nr_scf_for_iv(loop);
  if (nr_type_bits(iv->type) == 64)
    trips = nr_fold_binary(&b, NR_OP_arith_minui, trips, nr_arith_constant_index(&b, INT64_MAX));
  NrOp *counted =
      nr_scf_for(&b, nr_arith_constant_index(&b, 0), trips, nr_arith_constant_index(&b, 1), carried.data, carried.size);
  counted->loc = loop->loc;
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    if (strcmp(loop->attrs[i].name.data, "unsignedCmp") != 0)
      nr_op_set_attr_named(counted, loop->attrs[i].name.data, loop->attrs[i].value);
  NrBuilder body = nr_scf_body_builder(nr_op_only_body(counted));
  NrValue *at = nr_for_build_iv(&body, loop, nr_from_count(&body, nr_scf_for_iv(counted), iv->type));
  if (!at->name) at->name = iv->name;
  nr_value_replace_uses(iv, at);
  for (uint32_t i = 0; i < loop->num_results; i++) {
    nr_scf_for_arg(counted, i)->name = nr_scf_for_arg(loop, i)->name;
    nr_value_replace_uses(nr_scf_for_arg(loop, i), nr_scf_for_arg(counted, i));
    carried.data[i] = nr_result(counted, i);
  }
  nr_block_splice(nr_scf_for_body(loop), nr_scf_for_body(counted), NULL);
  nr_for_replace(loop, carried.data);
  nr_vec_deinit(&carried);
}

/* ---- loops of several dims --------------------------------------------------------------------------------------- */

enum { LOWER, UPPER, STEP };

/* Whether one dim, as an scf.for, may overflow. */
static bool dim_may_wrap(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step) {
  NrOp *loop = nr_scf_for(b, lower, upper, step, NULL, 0);
  bool may_wrap = nr_for_may_wrap(loop, false);
  nr_op_erase(loop);
  return may_wrap;
}

/* Makes dims that may overflow count from 0 by 1. bounds: all lower bounds, upper bounds, steps. False when nothing
 * changed. */
static bool count_dims(NrOp *op, NrValue **bounds, uint32_t rank) {
  NrBuilder b = nr_builder_before(op);
  bool changed = false;
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *lower = bounds[d], *step = bounds[STEP * rank + d], **upper = &bounds[UPPER * rank + d];
    if (!dim_may_wrap(&b, lower, *upper, step)) continue;
    NrValue *iv = nr_block_arg(nr_op_only_body(op), d);
    NrBuilder body = nr_builder_before(nr_op_only_body(op)->first);
    NrValue *offset = nr_arith_binary(&body, NR_OP_arith_muli, iv, step);
    nr_value_replace_uses(iv, nr_arith_binary(&body, NR_OP_arith_addi, lower, offset));
    nr_op_set_operand(offset->op, NR_ARITH_MULI_LHS, iv);
    *upper = nr_trip_count_value(&b, lower, *upper, step);
    bounds[d] = nr_arith_constant_index(&b, 0);
    bounds[STEP * rank + d] = nr_arith_constant_index(&b, 1);
    changed = true;
  }
  return changed;
}

static void count_parallel(NrOp *op) {
  NR_VEC(NrValue *) bounds = {0};
  uint32_t rank = nr_parallel_rank(op);
  for (uint32_t i = 0; i < 3 * rank; i++) nr_vec_push(&bounds, nr_operand(op, i));
  if (count_dims(op, bounds.data, rank))
    for (uint32_t i = 0; i < 3 * rank; i++) nr_op_set_operand(op, i, bounds.data[i]);
  nr_vec_deinit(&bounds);
}

/* Makes all bounds and steps operands. */
static void set_forall_bounds(NrOp *op, NrValue *const *bounds, uint32_t rank) {
  static const char *const names[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  NrGroup outputs = nr_scf_forall_outputs(op);
  NR_VEC(int64_t) dynamic = {0};
  for (size_t i = outputs.begin; i-- > 0;) nr_op_erase_operand(op, i);
  for (uint32_t i = 0; i < 3 * rank; i++) nr_op_insert_operand(op, i, bounds[i]);
  for (uint32_t d = 0; d < rank; d++) nr_vec_push(&dynamic, NR_DYNAMIC);
  NrContext *ctx = op->module->ctx;
  for (size_t w = 0; w < 3; w++) nr_op_set_attr_named(op, names[w], nr_attr_i64_array(ctx, dynamic.data, rank));
  const int32_t sizes[] = {(int32_t)rank, (int32_t)rank, (int32_t)rank, (int32_t)outputs.count};
  nr_op_set_attr(op, NR_A_operandSegmentSizes, nr_attr_dense_array(nr_type_i32(ctx), sizes, sizeof sizes));
  nr_vec_deinit(&dynamic);
}

static void count_forall(NrOp *op) {
  NrBounds bounds = {0};
  uint32_t rank = nr_scf_forall_body(op)->num_args - op->num_results;
  NrBuilder b = nr_builder_before(op);
  const NrOp *before = op->prev;
  nr_forall_bounds(&b, op, &bounds);
  if (count_dims(op, bounds.data, rank)) set_forall_bounds(op, bounds.data, rank);
  for (NrOp *made = op->prev, *prev; made != before;
       made = prev) { /* erase constants for bounds that stay attributes */
    prev = made->prev;
    if (nr_op_has(made, NR_CONSTANT_LIKE) && !nr_value_has_uses(nr_op_result(made))) nr_op_erase(made);
  }
  nr_vec_deinit(&bounds);
}

static NrStatus count_trips_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (nr_op_is(op, NR_OP_scf_parallel)) count_parallel(op);
    if (nr_op_is(op, NR_OP_scf_forall)) count_forall(op);
    if (nr_op_is(op, NR_OP_scf_for) && nr_type_bits(nr_scf_for_iv(op)->type) <= 64 && nr_for_may_wrap(op, false))
      count_for(op);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(count_trips, .name = "count-trips", .on_while = NR_WHILE_BARRIER, .on = "func.func", .run = count_trips_run,
        .doc = "makes loops whose induction variable may overflow count from 0 by 1")
