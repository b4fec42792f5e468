/* loop_peeling.c - cuts what does not fill a whole step off a loop: the main loop then runs full steps only.
 *
 *   before  scf.for %i = %lb to %ub step %s {          after  %split = %ub - (%ub - %lb) mod %s
 *             %n = minsi(%s, %ub - %i)                        scf.for %i = %lb to %split step %s { body(%s) }
 *             body(%n)                                        scf.for %i = %split to %ub step %s { body(%ub - %i) }
 *           }
 *
 * In the main loop the minimum of the step and what is left is the step, in the other one it is what is left; likewise
 * maxima, of arith and affine. With peel-front the first iteration is cut off instead: one loop to lb + step, the other
 * from there. Loops in a remainder are not peeled again unless skip-partial is false: that doubles what is in each loop
 * around, so loops stay as they are where a function would have more than 2^17 ops. A loop that is known to run full
 * steps only stays too. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "pass/loops.h"
#include "pass/pass.h"

static bool same_number(const NrValue *a, const NrValue *b) {
  int64_t x, y;
  return a == b || (nr_value_constant_int(a, &x) && nr_value_constant_int(b, &y) && x == y);
}

/* One of the loops that a loop becomes: in the main one at least a step is left of the range, in the other one less. */
typedef struct Part {
  NrOp *loop;
  bool full;
  bool exact; /* upper - lower is no negative number: the rest compares as a signed number too */
} Part;

/* ---- minima and maxima of the step and what is left -------------------------------------------------------------- */

/* upper - iv. */
static bool is_rest(const NrValue *value, const NrOp *loop) {
  return nr_op_is(value->op, NR_OP_arith_subi) && nr_operand(value->op, 1) == nr_scf_for_iv(loop) &&
         same_number(nr_operand(value->op, 0), nr_scf_for_upper(loop));
}

static bool simplify_arith(NrOp *op, const Part *part, bool is_signed, bool greatest) {
  if (is_signed && !part->exact) return false;
  for (uint32_t i = 0; i < 2; i++) {
    NrValue *rest = nr_operand(op, i), *step = nr_operand(op, 1 - i);
    if (!is_rest(rest, part->loop) || !same_number(step, nr_scf_for_step(part->loop))) continue;
    return nr_op_replace(op, greatest == part->full ? rest : step);
  }
  return false;
}

/* An expression that is nothing but this value. */
static bool is_value(NrAffineExpr e, const NrOp *op, const NrValue *value) {
  NrAttr map = nr_op_attr(op, "map");
  int64_t number;
  if (e->kind == NR_AFFINE_CONSTANT) return nr_value_constant_int(value, &number) && number == e->value;
  if (e->kind != NR_AFFINE_DIM && e->kind != NR_AFFINE_SYMBOL) return false;
  return same_number(nr_operand(op, (uint32_t)e->value + (e->kind == NR_AFFINE_SYMBOL ? map->num_dims : 0)), value);
}

/* iv * -1 + upper, in either order. */
static bool is_rest_expr(NrAffineExpr e, const NrOp *op, const NrOp *loop) {
  if (e->kind != NR_AFFINE_ADD) return false;
  for (int i = 0; i < 2; i++) {
    NrAffineExpr negated = i ? e->rhs : e->lhs, upper = i ? e->lhs : e->rhs;
    if (negated->kind == NR_AFFINE_MUL && negated->rhs->kind == NR_AFFINE_CONSTANT && negated->rhs->value == -1 &&
        is_value(negated->lhs, op, nr_scf_for_iv(loop)) && is_value(upper, op, nr_scf_for_upper(loop)))
      return true;
  }
  return false;
}

/* affine.min and affine.max without the result that the other one always beats. */
static bool simplify_affine(NrOp *op, const Part *part, bool greatest) {
  NrAttr map = nr_op_attr(op, "map");
  uint32_t rest = UINT32_MAX, step = UINT32_MAX, kept = 0;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (is_rest_expr(map->exprs[i], op, part->loop)) rest = i;
    if (is_value(map->exprs[i], op, nr_scf_for_step(part->loop))) step = i;
  }
  if (rest == UINT32_MAX || step == UINT32_MAX || nr_is_unsigned_for(part->loop)) return false;
  NR_VEC(NrAffineExpr) exprs = {0};
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (i != (greatest == part->full ? step : rest)) nr_vec_push(&exprs, map->exprs[i]);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  NrBuilder b = nr_builder_before(op);
  kept = (uint32_t)exprs.size;
  NrAttr fewer = nr_attr_affine_map(b.ctx, map->num_dims, map->num_symbols, exprs.data, kept);
  nr_value_replace_uses(nr_result(op, 0),
                        nr_affine_build(&b, kept == 1 ? NR_OP_affine_apply : op->info->id, fewer, operands.data));
  nr_op_erase(op);
  nr_vec_deinit(&exprs);
  nr_vec_deinit(&operands);
  return true;
}

static bool simplify(NrOp *op, void *user) {
  switch (op->info->id) {
  case NR_OP_arith_minsi: simplify_arith(op, user, true, false); break;
  case NR_OP_arith_minui: simplify_arith(op, user, false, false); break;
  case NR_OP_arith_maxsi: simplify_arith(op, user, true, true); break;
  case NR_OP_arith_maxui: simplify_arith(op, user, false, true); break;
  case NR_OP_affine_min: simplify_affine(op, user, false); break;
  case NR_OP_affine_max: simplify_affine(op, user, true); break;
  default: break;
  }
  return true;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

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
  bool exact = rest_is_exact(loop);
  nr_walk_post(loop, simplify, &(Part){loop, true, exact});
  nr_walk_post(copy, simplify, &(Part){copy, false, exact});
  for (uint32_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(copy, i));
  chain(loop, copy, split);
  return copy;
}

static NrStatus peeling_run(NrPassContext *pass, NrOp *func) {
  bool front = nr_pass_flag(pass, "peel-front"), all = !nr_pass_flag(pass, "skip-partial");
  NrOpList loops = {0};
  size_t left = nr_copies_left(func);
  nr_collect_fors(func, &loops);
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *loop = loops.data[i];
    if (!is_worth_it(loop, front) || !nr_take_copies(&left, loop, 1)) continue;
    NrOp *rest = peel(loop, front);
    if (all) nr_collect_fors(rest, &loops);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("peel-front", false, "cut off the first iteration"),
    NR_FLAG("skip-partial", true, "leave the loops in a remainder alone"),
    {0},
};
NR_PASS(loop_peeling, .name = "scf-for-loop-peeling", .on = "func.func", .run = peeling_run, .options = options,
        .doc = "cuts a loop's last iteration off, if it is shorter than a step, or the first one")
