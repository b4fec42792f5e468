/* loop_coalescing.c - coalesces a perfect loop nest into one loop over all of its points.
 *
 *   before  scf.for %i = %c0 to %n step %c1 {          after  scf.for %k = %c0 to %n * %m step %c1 {
 *             scf.for %j = %c0 to %m step %c1 {                 %i = %k / %m
 *               body(%i, %j)                                    %j = %k mod %m
 *             }                                                 body(%i, %j)
 *           }                                                 }
 *
 * Bounds and steps can be of any type, signed or unsigned, if they do not depend on a variable of the nest; carried
 * values pass through all loops. A number of points beyond 2^63 - 1 becomes 2^63 - 1, which no run reaches. Affine
 * loops stay affine; the number of points must be a valid symbol. A step that is not known to be positive is evaluated
 * only where the outer loops run. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"

enum { MAX_DEPTH = 64 };

/* x * y, saturating at the largest unsigned number. */
static NrValue *saturating_product(NrBuilder *b, NrValue *x, NrValue *y) {
  int64_t p, q, product;
  bool x_known = nr_value_constant_int(x, &p) && p >= 0, y_known = nr_value_constant_int(y, &q) && q >= 0;
  if (x_known && y_known && nr_mul_i64(p, q, &product)) return nr_arith_constant_index(b, product);
  if (x_known && p == 1) return y;
  if (y_known && q == 1) return x;
  NrType index = nr_type_index(b->ctx);
  NrOp *op = nr_build_op(b, NR_OP_arith_mului_extended, (NrValue *[]){x, y}, 2, (NrType[]){index, index}, 2);
  NrValue *fits = nr_arith_cmpi(b, NR_CMPI_EQ, nr_arith_mului_extended_high(op), nr_arith_constant_index(b, 0));
  return nr_arith_select(b, fits, nr_arith_mului_extended_low(op), nr_arith_constant_index(b, -1));
}

static bool is_one(const NrValue *value) {
  int64_t number;
  return nr_value_constant_int(value, &number) && number == 1;
}

/* Replaces the step of a loop that is not reached, which may be 0, by 1. points: the number of points of the outer
 * loops. */
static void guard_step(NrBuilder *b, NrOp *loop, NrValue *points) {
  NrValue *step = nr_scf_for_step(loop);
  if (nr_range_of(step).min > 0) return;
  NrValue *runs = nr_fold_cmpi(b, NR_CMPI_NE, points, nr_arith_constant_index(b, 0));
  nr_op_set_operand(loop, NR_SCF_FOR_STEP, nr_fold_select(b, runs, step, nr_arith_constant_int(b, step->type, 1)));
}

static bool is_affine(const NrOp *loop) { return nr_op_is(loop, NR_OP_affine_for); }

/* Whether iteration * step may overflow, although lower + iteration * step does not. */
static bool offset_may_overflow(const NrOp *loop) {
  NrValue *iv = nr_for_iv(loop);
  int64_t lower, upper, distance;
  if (nr_affine_iv_step(iv) == 1) return false;
  if (!nr_affine_iv_constant_bound(iv, false, &lower)) return true;
  if (lower >= 0) return false;
  return !nr_affine_iv_constant_bound(iv, true, &upper) || !nr_sub_i64(upper, lower, &distance);
}

/* The op before which the number of points is computed; NULL where it would not be a valid affine symbol. */
static NrOp *place_before(NrOp **nest, size_t depth) {
  NrOp *place = nest[0];
  uint64_t trips;
  for (size_t d = 0; d < depth && is_affine(nest[0]); d++) {
    NrOp *before = nr_for_trip_count(nest[d], &trips) ? nest[0] : nr_for_symbols_before(nest[d]);
    if (!before || offset_may_overflow(nest[d])) return NULL;
    if (before != nest[0]) place = before;
  }
  return place;
}

static NrValue *apply(NrBuilder *b, NrAffineKind kind, NrValue *x, NrValue *y) {
  int64_t number;
  bool known = nr_value_constant_int(y, &number);
  NrAffineExpr rhs = known ? nr_affine_constant(b->ctx, number) : nr_affine_symbol(b->ctx, 0);
  NrAffineExpr e = nr_affine_binary(kind, nr_affine_dim(b->ctx, 0), rhs);
  return nr_affine_build(b, NR_OP_affine_apply, nr_attr_affine_map(b->ctx, 1, !known, &e, 1), (NrValue *[]){x, y});
}

/* The quotient or remainder of non-negative numbers. */
static NrValue *divide(NrBuilder *b, const NrOp *loop, bool rest, NrValue *x, NrValue *y) {
  if (is_affine(loop)) return apply(b, rest ? NR_AFFINE_MOD : NR_AFFINE_FLOORDIV, x, y);
  return nr_arith_binary(b, rest ? NR_OP_arith_remui : NR_OP_arith_divui, x, y);
}

/* The value of the induction variable in iteration `number`. */
static NrValue *variable_at(NrBuilder *b, NrOp *loop, NrForBounds bounds, NrValue *number) {
  if (!is_affine(loop))
    return nr_for_build_iv(b, loop, nr_from_count(b, number, nr_for_iv(loop)->type));
  return apply(b, NR_AFFINE_ADD, apply(b, NR_AFFINE_MUL, number, bounds.step), bounds.lower);
}

static void coalesce(NrOp **nest, size_t depth) {
  NrOp *outer = nest[0], *inner = nest[depth - 1], *place = place_before(nest, depth);
  if (!place) return;
  NrBuilder front = nr_builder_before(place), b = nr_builder_before(outer);
  NrForBounds bounds[MAX_DEPTH];
  NrValue *trips[MAX_DEPTH], *total = NULL, *max_trips = nr_arith_constant_index(&front, INT64_MAX);
  for (size_t d = 0; d < depth; d++) {
    if (total && !is_affine(outer)) guard_step(&front, nest[d], total);
    bounds[d] = nr_for_bounds(&front, nest[d]);
    trips[d] = nr_to_count(&front, nr_for_bounds_trips(&front, bounds[d], nr_is_unsigned_for(nest[d])));
    total = total ? saturating_product(&front, total, trips[d]) : trips[d];
    if (is_affine(outer)) /* an affine divisor is signed */
      trips[d] = nr_fold_binary(&front, NR_OP_arith_minui, trips[d], max_trips);
  }
  total = nr_fold_binary(&front, NR_OP_arith_minui, total, max_trips);
  NR_VEC(NrValue *) carried = {0};
  for (uint32_t i = 0; i < outer->num_results; i++) nr_vec_push(&carried, nr_for_init(outer, i));
  NrOp *loop = nr_for_upto(&b, outer, total, carried.data, carried.size);
  loop->loc = outer->loc;
  NrBuilder body = nr_scf_body_builder(nr_op_only_body(loop));
  NrValue *position = nr_for_iv(loop);
  for (size_t d = depth; d-- > 0;) {
    NrValue *number = position;
    if (d > 0 && !is_one(trips[d])) {
      number = divide(&body, outer, true, position, trips[d]);
      position = divide(&body, outer, false, position, trips[d]);
    } else if (d > 0) {
      number = nr_arith_constant_index(&body, 0);
    }
    NrValue *iv = nr_for_iv(nest[d]), *at = variable_at(&body, nest[d], bounds[d], number);
    if (at->op && at->op->block == body.block && !at->name) at->name = iv->name;
    nr_value_replace_uses(iv, at);
  }
  NrBlock *from = nr_for_body(inner);
  for (uint32_t i = 0; i < inner->num_results; i++) {
    nr_for_arg(loop, i)->name = nr_for_arg(inner, i)->name;
    nr_value_replace_uses(nr_for_arg(inner, i), nr_for_arg(loop, i));
  }
  nr_block_splice(from, nr_for_body(loop), NULL);
  for (uint32_t i = 0; i < outer->num_results; i++) carried.data[i] = nr_result(loop, i);
  nr_for_replace(outer, carried.data);
  nr_vec_deinit(&carried);
}

static NrStatus coalescing_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  NrOpList loops = {0};
  nr_collect_loops(func, &loops);
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *nest[MAX_DEPTH];
    if (nr_is_erased(loops.data[i])) continue;
    size_t depth = nr_perfect_nest(loops.data[i], nest, MAX_DEPTH);
    if (depth > 1) coalesce(nest, depth);
  }
  nr_vec_deinit(&loops);
  return NR_OK;
}

NR_PASS(loop_coalescing, .name = "loop-coalescing", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = coalescing_run, .doc = "coalesces perfect loop nests with independent bounds into one loop")
