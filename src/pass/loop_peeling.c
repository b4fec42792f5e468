/* loop_peeling.c - cuts what does not fill a whole step off a loop: the main loop then runs full steps only.
 *
 *   before  scf.for %i = %lb to %ub step %s {          after  %split = %ub - (%ub - %lb) mod %s
 *             %n = minsi(%s, %ub - %i)                        scf.for %i = %lb to %split step %s { body(%s) }
 *             body(%n)                                        scf.for %i = %split to %ub step %s { body(minsi(..)) }
 *           }
 *
 * In the main loop the minimum of the step and what is left is the step. With peel-front the first iteration is cut off
 * instead: one loop to lb + step, the other from there. Loops in a remainder are not peeled again unless skip-partial
 * is false. A loop that is known to run full steps only stays as it is. */
#include "dialect/arith/arith.h"
#include "pass/loops.h"
#include "pass/pass.h"

static bool same_number(const NrValue *a, const NrValue *b) {
  int64_t x, y;
  return a == b || (nr_value_constant_int(a, &x) && nr_value_constant_int(b, &y) && x == y);
}

/* upper - iv. */
static bool is_rest(const NrValue *value, const NrOp *loop) {
  return nr_op_is(value->op, NR_OP_arith_subi) && nr_operand(value->op, 1) == nr_scf_for_iv(loop) &&
         same_number(nr_operand(value->op, 0), nr_scf_for_upper(loop));
}

typedef struct MainLoop {
  NrOp *loop;
  bool exact; /* upper - lower is no negative number: the rest compares as a signed number too */
} MainLoop;

/* min(step, upper - iv) is the step where at least a step is left. As a signed number the rest is right when the loop
 * begins at 0 or above, or bounds are constants. */
static bool simplify_min(NrOp *op, void *user) {
  const MainLoop *m = user;
  bool is_signed = nr_op_is(op, NR_OP_arith_minsi);
  if (!(is_signed && m->exact) && !nr_op_is(op, NR_OP_arith_minui)) return true;
  for (uint32_t i = 0; i < 2; i++)
    if (is_rest(nr_operand(op, i), m->loop) && same_number(nr_operand(op, 1 - i), nr_scf_for_step(m->loop))) {
      nr_value_replace_uses(nr_result(op, 0), nr_operand(op, 1 - i));
      nr_op_erase(op);
      return true;
    }
  return true;
}

static bool rest_is_exact(const NrOp *loop) {
  int64_t lower, upper, distance;
  if (!nr_value_constant_int(nr_scf_for_lower(loop), &lower) || nr_is_unsigned_for(loop)) return false;
  if (lower >= 0) return true;
  return nr_value_constant_int(nr_scf_for_upper(loop), &upper) && nr_sub_i64(upper, lower, &distance) &&
         (uint64_t)distance <= nr_for_largest(loop);
}

/* Where the loop is cut; NULL when there is nothing to cut off. */
static NrValue *build_split(NrBuilder *b, NrOp *loop, bool front) {
  NrValue *lower = nr_scf_for_lower(loop), *upper = nr_scf_for_upper(loop), *step = nr_scf_for_step(loop);
  NrValue *distance = nr_for_build_distance(b, loop);
  if (front) return nr_fold_binary(b, NR_OP_arith_addi, lower, nr_fold_binary(b, NR_OP_arith_minui, distance, step));
  NrValue *rest = nr_fold_binary(b, NR_OP_arith_remui, distance, step);
  return nr_fold_binary(b, NR_OP_arith_subi, upper, rest);
}

static bool is_worth_it(const NrOp *loop, bool front) {
  int64_t lower, upper, step;
  uint64_t trips;
  if (nr_scf_for_trip_count(loop, &trips)) {
    if (trips <= 1) return false;
    if (front) return true;
    uint64_t size = (uint64_t)(nr_value_constant_int(nr_scf_for_step(loop), &step) ? step : 1);
    if (!nr_value_constant_int(nr_scf_for_lower(loop), &lower) ||
        !nr_value_constant_int(nr_scf_for_upper(loop), &upper))
      return false;
    uint32_t bits = nr_type_bits(nr_scf_for_iv(loop)->type);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return (((uint64_t)upper - (uint64_t)lower) & mask) % (size & mask) != 0;
  }
  return front || !nr_value_constant_int(nr_scf_for_step(loop), &step) || step != 1;
}

/* Results of the first loop are what the second begins with; its own are those of both. */
static void chain(NrOp *first, NrOp *second, NrValue *split) {
  nr_op_set_operand(first, 1, split);
  nr_op_set_operand(second, 0, split);
  for (uint32_t i = 0; i < first->num_results; i++) nr_op_set_operand(second, 3 + i, nr_result(first, i));
}

/* Returns the part that is not peeled further: the last iteration, or with front the first. */
static NrOp *peel(NrOp *loop, bool front) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *split = build_split(&b, loop, front);
  if (!front) b = nr_builder_after(loop);
  NrOp *copy = nr_for_clone(&b, loop);
  if (front) {
    chain(copy, loop, split);
    return copy;
  }
  nr_walk_post(loop, simplify_min, &(MainLoop){loop, rest_is_exact(loop)});
  for (uint32_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(copy, i));
  chain(loop, copy, split);
  return copy;
}

static NrStatus peeling_run(NrPassContext *pass, NrOp *func) {
  bool front = nr_pass_flag(pass, "peel-front"), all = !nr_pass_flag_or(pass, "skip-partial", true);
  NrOpList loops = {0};
  nr_collect_fors(func, &loops);
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *loop = loops.data[i];
    if (!is_worth_it(loop, front)) continue;
    NrOp *rest = peel(loop, front);
    if (all) nr_collect_fors(rest, &loops);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(loop_peeling, .name = "scf-for-loop-peeling", .on = "func.func", .run = peeling_run,
        .options = "peel-front: bool = false (cut off the first iteration), "
                   "skip-partial: bool = true (leave the loops in a remainder alone)",
        .doc = "cuts a loop's last iteration off, if it is shorter than a step, or the first one")
