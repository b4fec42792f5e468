/* loop_peeling.c - peels the last, partial iteration off a loop, so that the main loop runs full steps only.
 *
 *   before  scf.for %i = %lb to %ub step %s {          after  %split = %ub - (%ub - %lb) mod %s
 *             %n = minsi(%s, %ub - %i)                        scf.for %i = %lb to %split step %s { body(%s) }
 *             body(%n)                                        scf.for %i = %split to %ub step %s { body(%ub - %i) }
 *           }
 *
 * In the main loop, min(step, ub - iv) folds to the step, in the peeled one to ub - iv; likewise maxima, of arith and
 * affine. With peel-front, the first iteration is peeled instead: one loop runs to lb + step, the other from there.
 * Loops inside a peeled iteration are not peeled again unless skip-partial is false. Peeling doubles the ops of outer
 * loops, so it skips loops where a function would have more than 2^17 ops, and loops that are known to run full steps
 * only. Affine loops stay affine: the split is a symbol or an affine expression. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

/* A bound or step: a value or a constant. */
typedef struct Number {
  NrValue *value;
  bool known;
  int64_t number;
} Number;

/* One of the two loops. In the main loop ub - iv is at least the step, in the other one it is less. */
typedef struct Part {
  NrOp *loop;
  Number upper, step; /* upper is unset where the loop has several upper bounds */
  bool full;
  bool exact; /* upper - lower is not negative, so ub - iv can be compared as signed */
} Part;

static Number number_of(NrValue *value) {
  Number n = {.value = value};
  n.known = nr_value_constant_int(value, &n.number);
  return n;
}

static bool is_number(const NrValue *value, const Number *n) {
  int64_t known;
  if (n->value == value) return true;
  return n->known && nr_value_constant_int(value, &known) && known == n->number;
}

static Number upper_of(const NrOp *loop) {
  if (nr_op_is(loop, NR_OP_scf_for)) return number_of(nr_scf_for_upper_bound(loop));
  NrAttr map = nr_affine_bound_map(loop, true);
  NrAffineExpr e = map->exprs[0];
  size_t first = nr_affine_for_upper_bound_operands(loop).begin;
  if (map->num_exprs != 1) return (Number){0};
  if (e->kind == NR_AFFINE_CONSTANT) return (Number){.known = true, .number = e->value};
  if (e->kind == NR_AFFINE_DIM) return number_of(nr_operand(loop, first + (size_t)e->value));
  if (e->kind == NR_AFFINE_SYMBOL) return number_of(nr_operand(loop, first + map->num_dims + (size_t)e->value));
  return (Number){0};
}

static Number step_of(const NrOp *loop) {
  if (nr_op_is(loop, NR_OP_scf_for)) return number_of(nr_scf_for_step(loop));
  return (Number){.known = true, .number = nr_affine_iv_step(nr_for_iv(loop))};
}

/* ---- minima and maxima of step and ub - iv ----------------------------------------------------------------------- */

/* Whether value is upper - iv. */
static bool is_rest(const NrValue *value, const Part *part) {
  return nr_op_is(value->op, NR_OP_arith_subi) && nr_arith_subi_rhs(value->op) == nr_for_iv(part->loop) &&
         is_number(nr_arith_subi_lhs(value->op), &part->upper);
}

static bool simplify_arith(NrOp *op, const Part *part, bool is_signed, bool greatest) {
  if (is_signed && !part->exact) return false;
  for (uint32_t i = 0; i < 2; i++) {
    NrValue *rest = nr_operand(op, i), *step = nr_operand(op, 1 - i);
    if (!is_rest(rest, part) || !is_number(step, &part->step)) continue;
    return nr_op_replace(op, greatest == part->full ? rest : step);
  }
  return false;
}

/* Whether e is this value. */
static bool is_value(NrAffineExpr e, const NrOp *op, const Number *n) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  if (e->kind == NR_AFFINE_CONSTANT) return n->known && n->number == e->value;
  if (e->kind != NR_AFFINE_DIM && e->kind != NR_AFFINE_SYMBOL) return false;
  return is_number(nr_operand(op, (uint32_t)e->value + (e->kind == NR_AFFINE_SYMBOL ? map->num_dims : 0)), n);
}

/* Whether e is iv * -1 + upper, in either order. */
static bool is_rest_expr(NrAffineExpr e, const NrOp *op, const Part *part) {
  Number iv = {.value = nr_for_iv(part->loop)};
  if (e->kind != NR_AFFINE_ADD) return false;
  for (int i = 0; i < 2; i++) {
    NrAffineExpr negated = i ? e->rhs : e->lhs, upper = i ? e->lhs : e->rhs;
    if (negated->kind == NR_AFFINE_MUL && negated->rhs->kind == NR_AFFINE_CONSTANT && negated->rhs->value == -1 &&
        is_value(negated->lhs, op, &iv) && is_value(upper, op, &part->upper))
      return true;
  }
  return false;
}

/* Drops the result of affine.min or affine.max that the other result bounds, in this part of the loop. */
static bool simplify_affine(NrOp *op, const Part *part, bool greatest) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  uint32_t rest = UINT32_MAX, step = UINT32_MAX, kept = 0;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (is_rest_expr(map->exprs[i], op, part)) rest = i;
    if (is_value(map->exprs[i], op, &part->step)) step = i;
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
  nr_value_replace_uses(nr_op_result(op),
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

/* ---- splitting --------------------------------------------------------------------------------------------------- */

static bool constant_bound(const NrOp *loop, bool upper, int64_t *out) {
  if (nr_op_is(loop, NR_OP_affine_for)) return nr_affine_iv_constant_bound(nr_for_iv(loop), upper, out);
  return nr_value_constant_int(upper ? nr_scf_for_upper_bound(loop) : nr_scf_for_lower_bound(loop), out);
}

static bool rest_is_exact(const NrOp *loop) {
  int64_t lower, upper, distance;
  if (!constant_bound(loop, false, &lower) || nr_is_unsigned_for(loop)) return false;
  if (lower >= 0) return true;
  return constant_bound(loop, true, &upper) && nr_sub_i64(upper, lower, &distance) &&
         (uint64_t)distance <= nr_for_largest(loop);
}

static bool is_profitable(const NrOp *loop, bool front) {
  int64_t lower, upper, step;
  uint64_t trips;
  if (nr_for_trip_count(loop, &trips)) {
    if (trips <= 1) return false;
    if (front) return true;
    uint64_t size = (uint64_t)(nr_for_constant_step(loop, &step) ? step : 1);
    if (!constant_bound(loop, false, &lower) || !constant_bound(loop, true, &upper)) return false;
    uint32_t bits = nr_type_bits(nr_for_iv(loop)->type);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return (((uint64_t)upper - (uint64_t)lower) & mask) % (size & mask) != 0;
  }
  return front || !nr_for_constant_step(loop, &step) || step != 1;
}

/* Returns the peeled iteration: the last, or with front the first. NULL where the split cannot be expressed. */
static NrOp *peel(NrOp *loop, bool front) {
  NrBuilder b = nr_builder_before(loop);
  Number upper = upper_of(loop), step = step_of(loop);
  bool exact = rest_is_exact(loop);
  NrForCut cut = nr_for_build_split(&b, loop, front);
  if (cut.none) return NULL;
  if (!front) b = nr_builder_after(loop);
  NrOp *copy = nr_for_clone(&b, loop);
  if (front) {
    nr_for_chain(copy, loop, &cut);
    return copy;
  }
  nr_walk_post(loop, simplify, &(Part){loop, upper, step, true, exact});
  nr_walk_post(copy, simplify, &(Part){copy, upper, step, false, exact});
  for (uint32_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(copy, i));
  nr_for_chain(loop, copy, &cut);
  return copy;
}

static NrStatus peeling_run(NrPassContext *pass, NrOp *func) {
  bool front = nr_pass_flag(pass, "peel-front"), all = !nr_pass_flag(pass, "skip-partial");
  NrOpList loops = {0};
  size_t left = nr_copies_left(func);
  nr_collect_loops(func, &loops);
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *loop = loops.data[i];
    if (!is_profitable(loop, front) || !nr_take_copies(&left, loop, 1)) continue;
    NrOp *rest = peel(loop, front);
    if (all && rest) nr_collect_loops(rest, &loops);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("peel-front", false, "peel the first iteration"),
    NR_FLAG("skip-partial", true, "do not peel loops inside peeled iterations"),
    {0},
};
NR_PASS(loop_peeling, .name = "scf-for-loop-peeling", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = peeling_run, .options = options, .doc = "peels a loop's last, partial iteration, or its first one")
