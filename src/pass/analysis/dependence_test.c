/* dependence_test.c - builds the equalities of a dependence test; see dependence_test.h.
 *
 * An induction variable is lower + step * T, and below upper by a slack variable. A value that may differ between a and
 * b is an unknown for each; one that is the same for both is one unknown, which cancels. A dividend is divisor *
 * quotient + remainder; a minimum is each of its operands minus a slack variable. */
#include "pass/analysis/dependence_test.h"

#include "dialect/affine/affine.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/ranges.h"

enum { MAX_NEST = 16, MAX_SAME_DEPTH = 4 };
#define MAX_TRIPS (INT64_C(1) << 61)
#define MAX_VALUE (INT64_C(1) << 60)

/* ---- invariant values -------------------------------------------------------------------------------------------- */

/* Whether an op may run its regions, or parts of them, more than once. */
static bool repeats(const NrOp *op) {
  if (nr_op_has(op, NR_LOOP) || !nr_op_has(op, NR_RECURSIVE_EFFECTS)) return true;
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) return true;
  return false;
}

/* Whether a and b run in the same execution of the regions of op, which may repeat. */
static bool runs_once(const NrDependenceTest *t, const NrOp *op) {
  bool listed = false, around_all = t->num_listed > 0;
  for (size_t i = 0; i < t->num_listed; i++) {
    const NrDistance *d = &t->listed[i];
    const NrOp *loop_a = nr_loop_of_iv(d->iv_a), *loop_b = nr_loop_of_iv(d->iv_b);
    bool here = loop_a == op || loop_b == op;
    if (here && (d->iv_a != d->iv_b || d->min != 0 || d->max != 0)) return false;
    listed |= here;
    around_all &= !here && nr_op_is_ancestor(op, loop_a) && nr_op_is_ancestor(op, loop_b);
  }
  if (listed) {
    /* The point of a multi-dim loop is the same only when all its dims are listed. */
    size_t dims = 0;
    for (size_t i = 0; i < t->num_listed; i++) dims += nr_loop_of_iv(t->listed[i].iv_a) == op;
    return dims >= nr_op_num_ivs(op);
  }
  return around_all || (t->num_listed == 0 && nr_op_is_ancestor(op, t->a->op) && nr_op_is_ancestor(op, t->b->op));
}

/* Whether value is the same for a and b. In a repeated region it is when it is a pure function of such values. */
static bool is_same(const NrDependenceTest *t, const NrValue *value, int depth) {
  bool once = true;
  for (NrOp *up = nr_block_parent_op(nr_value_block(value)); up && !nr_op_has(up, NR_ISOLATED); up = nr_op_parent(up))
    if (repeats(up) && !runs_once(t, up)) once = false;
  if (once || !value->op) return once;
  if (depth == MAX_SAME_DEPTH || value->op->num_regions || !nr_op_is_pure(value->op)) return false;
  if (!value->op->num_operands)
    return nr_op_has(value->op, NR_CONSTANT_LIKE); /* linalg.index has no operands, but varies */
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (!is_same(t, nr_operand(value->op, i), depth + 1)) return false;
  return true;
}

bool nr_dependence_is_same(const NrDependenceTest *t, const NrValue *value) { return is_same(t, value, 0); }

/* ---- loops ------------------------------------------------------------------------------------------------------- */

typedef struct Loop {
  const NrValue *iv;
  NrLoopRange range; /* of an scf loop */
  bool is_affine;
  int64_t step; /* 0: not known */
} Loop;

static bool loop_of(const NrValue *iv, Loop *out) {
  *out = (Loop){.iv = iv};
  if (nr_loop_range(iv, &out->range)) {
    if (!nr_index_constant(out->range.step, &out->step) || out->step < 0) out->step = 0;
    return true;
  }
  out->is_affine = nr_affine_is_iv(iv);
  if (out->is_affine) out->step = nr_affine_iv_step(iv);
  return out->is_affine;
}

/* The constant trip count; false when it is not known or 0. A body that never runs needs no test. */
static bool trips_of(const Loop *loop, int64_t *out) {
  uint64_t trips = 0;
  int64_t lower, upper;
  if (!loop->is_affine) {
    if (!nr_loop_range_trips(&loop->range, &trips)) return false;
  } else if (!nr_affine_iv_constant_bound(loop->iv, false, &lower) ||
             !nr_affine_iv_constant_bound(loop->iv, true, &upper) ||
             !nr_scf_trip_count(lower, upper, loop->step, false, &trips)) {
    return false;
  }
  *out = (int64_t)trips;
  return trips > 0 && trips <= (uint64_t)MAX_TRIPS;
}

static bool add_value(NrDependenceTest *t, NrEquality *eq, NrValue *value, int side, int64_t factor, int depth);
static bool add_expr(NrDependenceTest *t, NrEquality *eq, NrAffineExpr e, NrValue *const *operands, uint32_t num_dims,
                     int side, int64_t factor, int depth);

static uint32_t num_bounds(const Loop *loop, bool upper) {
  return loop->is_affine ? nr_affine_iv_bound(loop->iv, upper).count : 1;
}

static bool add_result(NrDependenceTest *t, NrEquality *eq, NrAttr map, uint32_t i, const NrOp *op, size_t first,
                       int side, int64_t factor, int depth) {
  NR_VEC(NrValue *) operands = {0};
  for (size_t k = 0; k < nr_affine_num_inputs(map); k++) nr_vec_push(&operands, nr_operand(op, first + k));
  bool ok = add_expr(t, eq, map->exprs[i], operands.data, map->num_dims, side, factor, depth);
  nr_vec_deinit(&operands);
  return ok;
}

/* Adds bound number k to eq, sign- or zero-extended as the loop's comparison requires. */
static bool add_bound(NrDependenceTest *t, NrEquality *eq, const Loop *loop, bool upper, uint32_t k, int side,
                      int64_t factor, int depth) {
  int64_t constant;
  if (loop->is_affine) {
    NrAffineBound bound = nr_affine_iv_bound(loop->iv, upper);
    return add_result(t, eq, bound.map, bound.begin + k, nr_loop_of_iv(loop->iv), bound.first, side, factor, depth);
  }
  NrIndex index = upper ? loop->range.upper : loop->range.lower;
  uint32_t bits = nr_type_bits(loop->iv->type);
  if (!nr_index_constant(index, &constant)) return add_value(t, eq, index.value, side, factor, depth + 1);
  if (loop->range.is_unsigned && bits < 64) constant &= (int64_t)((UINT64_C(1) << bits) - 1);
  return nr_equality_add_constant(eq, factor, constant);
}

/* Adds sum >= 0 as the equality sum = slack, with a non-negative slack variable. */
static void add_not_negative(NrDependenceTest *t, NrEquality *sum, const void *key, int number, int side) {
  int slack = nr_dependence_unknown(t, key, number, side, NR_DYNAMIC);
  if (slack >= 0 && nr_equality_add(sum, (uint32_t)slack, -1)) nr_constraints_add(&t->constraints, sum);
}

/* Adds the lower bound to eq. The maximum of several bounds is an unknown that is not less than each. */
static bool add_lower(NrDependenceTest *t, NrEquality *eq, const Loop *loop, int side, int64_t factor, int depth) {
  uint32_t count = num_bounds(loop, false);
  if (count == 1) return add_bound(t, eq, loop, false, 0, side, factor, depth);
  bool is_new;
  int lower = nr_constraints_unknown(&t->constraints, loop->iv, 1, side, &is_new);
  if (lower < 0) return false;
  for (uint32_t k = 0; k < count && is_new; k++) {
    NrEquality above = {0};
    if (nr_equality_add(&above, (uint32_t)lower, 1) && add_bound(t, &above, loop, false, k, side, -1, depth + 1))
      add_not_negative(t, &above, loop->iv, 2 + (int)k, side);
  }
  return nr_equality_add(eq, (uint32_t)lower, factor);
}

/* Adds upper > lower + step * iteration for each upper bound. */
static void add_uppers(NrDependenceTest *t, const Loop *loop, uint32_t iteration, int side, int depth) {
  uint32_t count = num_bounds(loop, true);
  if (loop->range.is_unsigned || loop->step == 0) return;
  for (uint32_t k = 0; k < count; k++) {
    NrEquality above = {.constant = -1};
    if (add_bound(t, &above, loop, true, k, side, 1, depth + 1) && add_lower(t, &above, loop, side, -1, depth + 1) &&
        nr_equality_add(&above, iteration, -loop->step))
      add_not_negative(t, &above, loop->iv, -1 - (int)k, side);
  }
}

/* ---- listed loops ------------------------------------------------------------------------------------------------ */

static int listed_number(const NrDependenceTest *t, const NrValue *iv, int side) {
  for (size_t i = 0; i < t->num_listed; i++)
    if (iv == (side == 0 ? t->listed[i].iv_a : t->listed[i].iv_b)) return (int)i;
  return -1;
}

/* Adds the variable of listed loop n: lower + step * T for a, lower + step * (T + D) for b. */
static bool add_listed(NrDependenceTest *t, NrEquality *eq, int n, int side, int64_t factor, int depth) {
  Loop loop;
  int64_t scaled;
  if (!loop_of(t->listed[n].iv_a, &loop)) return false;
  return nr_mul_i64(factor, loop.step ? loop.step : 1, &scaled) && nr_equality_add(eq, (uint32_t)(3 * n), scaled) &&
         (side == 0 || nr_equality_add(eq, (uint32_t)(3 * n + 1), scaled)) &&
         add_lower(t, eq, &loop, side, factor, depth);
}

bool nr_dependence_add_loops(NrDependenceTest *t, bool *out_possible) {
  NrConstraints *s = &t->constraints;
  *out_possible = true;
  s->num_unknowns = s->num_equalities = 0;
  for (size_t i = 0; i < t->num_listed; i++) {
    const NrDistance *d = &t->listed[i];
    Loop loop;
    int64_t trips, min = d->min, max = d->max, last = NR_FAR;
    if (!loop_of(d->iv_a, &loop)) return false;
    bool any_step = loop.step == 0;
    if (trips_of(&loop, &trips)) last = trips - 1;
    if (any_step && max > 0) max = NR_FAR; /* the distance counts in units of 1, and a step may be several */
    if (any_step && min < 0) min = -NR_FAR;
    if (last != NR_FAR) max = NR_MIN(max, last);
    if (last != NR_FAR) min = NR_MAX(min, -last);
    *out_possible &= min <= max;
    const int64_t ranges[3][2] = {{0, last}, {min, max}, {0, last}};
    for (int k = 0; k < 3; k++)
      s->unknowns[s->num_unknowns++] = (NrUnknown){.key = s, .number = 3 * (int)i + k, .counts = true, .kept = k == 1,
                                                   .of_any_step = any_step, .min = ranges[k][0], .max = ranges[k][1]};
    NrEquality sum = {.exact = true};
    sum.factors[3 * i] = sum.factors[3 * i + 1] = 1;
    sum.factors[3 * i + 2] = -1;
    nr_constraints_add(s, &sum);
  }
  for (size_t i = 0; i < t->num_listed; i++) {
    Loop loop;
    int64_t trips;
    if (!loop_of(t->listed[i].iv_a, &loop) || trips_of(&loop, &trips)) continue;
    add_uppers(t, &loop, (uint32_t)(3 * i), 0, 0);
    add_uppers(t, &loop, (uint32_t)(3 * i + 2), 1, 0);
  }
  return true;
}

/* ---- quotients --------------------------------------------------------------------------------------------------- */

int nr_dependence_unknown(NrDependenceTest *t, const void *key, int number, int side, int64_t size) {
  bool is_new;
  int unknown = nr_constraints_unknown(&t->constraints, key, number, side, &is_new);
  if (unknown < 0 || !is_new) return unknown;
  NrUnknown *x = &t->constraints.unknowns[unknown];
  x->counts = true;
  x->min = 0;
  x->max = size == NR_DYNAMIC ? NR_FAR : size - 1;
  return unknown;
}

static bool same_sum(const NrEquality *a, const NrEquality *b) {
  return a->constant == b->constant && memcmp(a->factors, b->factors, sizeof a->factors) == 0;
}

/* The unknown for floor(sum / divisor); -1: too many unknowns. It is bounded when all terms of the sum are. */
static int quotient_of(NrDependenceTest *t, const NrEquality *sum, int64_t divisor) {
  NrConstraints *s = &t->constraints;
  bool is_new, counts = true;
  for (size_t i = 0; i < t->num_quotients; i++)
    if (t->quotients[i].divisor == divisor && same_sum(&t->quotients[i].sum, sum))
      return (int)t->quotients[i].unknown;
  if (t->num_quotients == NR_MAX_QUOTIENTS) return -1;
  NrQuotient *made = &t->quotients[t->num_quotients];
  int rest = nr_dependence_unknown(t, made, 1, 0, divisor), quotient = nr_constraints_unknown(s, made, 0, 0, &is_new);
  if (rest < 0 || quotient < 0) return -1;
  for (uint32_t i = 0; i < s->num_unknowns; i++) counts &= !sum->factors[i] || s->unknowns[i].counts;
  s->unknowns[quotient].counts = counts;
  *made = (NrQuotient){*sum, divisor, (uint32_t)quotient};
  t->num_quotients++;
  NrEquality eq = *sum;
  if (nr_equality_add(&eq, (uint32_t)quotient, -divisor) && nr_equality_add(&eq, (uint32_t)rest, -1))
    nr_constraints_add(s, &eq);
  return quotient;
}

typedef enum Division { QUOTIENT, QUOTIENT_UP, REST } Division;

/* eq += factor * the quotient or remainder of sum. */
static bool add_division(NrDependenceTest *t, NrEquality *eq, NrEquality sum, int64_t divisor, Division kind,
                         int64_t factor) {
  int64_t product;
  if (kind == QUOTIENT_UP && !nr_equality_add_constant(&sum, 1, divisor - 1)) return false;
  int quotient = quotient_of(t, &sum, divisor);
  if (quotient < 0) return false;
  if (kind != REST) return nr_equality_add(eq, (uint32_t)quotient, factor);
  return nr_mul_i64(-divisor, factor, &product) && nr_equality_add(eq, (uint32_t)quotient, product) &&
         nr_equality_add_scaled(eq, &sum, factor);
}

/* Matches a division by a constant. Divisions of arith round toward 0, which is down for non-negative dividends. */
static bool division_of(const NrOp *op, Division *out, int64_t *out_divisor) {
  switch (op ? op->info->id : 0) {
  case NR_OP_arith_divsi:
  case NR_OP_arith_divui:
  case NR_OP_arith_floordivsi: *out = QUOTIENT; break;
  case NR_OP_arith_ceildivsi:
  case NR_OP_arith_ceildivui: *out = QUOTIENT_UP; break;
  case NR_OP_arith_remsi:
  case NR_OP_arith_remui: *out = REST; break;
  default: return false;
  }
  NrType type = nr_op_result(op)->type;
  if (!nr_type_is_int_or_index(type) || nr_type_bits(type) != 64) return false;
  if (!nr_value_constant_int(nr_op_rhs(op), out_divisor) || *out_divisor <= 0 || *out_divisor > MAX_VALUE)
    return false;
  return nr_op_is(op, NR_OP_arith_floordivsi) || nr_range_of(nr_op_lhs(op)).min >= 0;
}

/* ---- affine expressions ------------------------------------------------------------------------------------------ */

static bool add_expr(NrDependenceTest *t, NrEquality *eq, NrAffineExpr e, NrValue *const *operands, uint32_t num_dims,
                     int side, int64_t factor, int depth) {
  int64_t product;
  if (depth > MAX_NEST) return false;
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: return nr_equality_add_constant(eq, factor, e->value);
  case NR_AFFINE_DIM: return add_value(t, eq, operands[e->value], side, factor, depth + 1);
  case NR_AFFINE_SYMBOL: return add_value(t, eq, operands[num_dims + (size_t)e->value], side, factor, depth + 1);
  case NR_AFFINE_ADD:
    return add_expr(t, eq, e->lhs, operands, num_dims, side, factor, depth + 1) &&
           add_expr(t, eq, e->rhs, operands, num_dims, side, factor, depth + 1);
  case NR_AFFINE_MUL:
    if (e->rhs->kind != NR_AFFINE_CONSTANT || !nr_mul_i64(factor, e->rhs->value, &product)) return false;
    return add_expr(t, eq, e->lhs, operands, num_dims, side, product, depth + 1);
  default: break;
  }
  NrEquality sum = {0};
  Division kind = e->kind == NR_AFFINE_MOD ? REST : e->kind == NR_AFFINE_FLOORDIV ? QUOTIENT : QUOTIENT_UP;
  if (e->rhs->kind != NR_AFFINE_CONSTANT || e->rhs->value <= 0 || e->rhs->value > MAX_VALUE) return false;
  return add_expr(t, &sum, e->lhs, operands, num_dims, side, 1, depth + 1) &&
         add_division(t, eq, sum, e->rhs->value, kind, factor);
}

bool nr_dependence_add_result(NrDependenceTest *t, NrEquality *eq, NrAttr map, uint32_t i, const NrOp *op, size_t first,
                              int side, int64_t factor) {
  return add_result(t, eq, map, i, op, first, side, factor, 0);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Adds the range of an unknown that is not linear, and the operands of a minimum or maximum. */
static void describe(NrDependenceTest *t, NrValue *value, uint32_t unknown, int side, int depth) {
  NrRange range = nr_range_of(value);
  NrUnknown *x = &t->constraints.unknowns[unknown];
  bool is_size = nr_op_is(value->op, NR_OP_memref_dim) || nr_op_is(value->op, NR_OP_tensor_dim);
  if (is_size || (range.min >= -MAX_VALUE && range.max <= MAX_VALUE)) {
    x->counts = true;
    x->min = range.min;
    x->max = range.max == INT64_MAX ? NR_FAR : range.max;
  }
  unsigned id = value->op ? value->op->info->id : 0;
  bool affine = id == NR_OP_affine_min || id == NR_OP_affine_max;
  bool is_min = id == NR_OP_affine_min || id == NR_OP_arith_minsi;
  if ((!affine && id != NR_OP_arith_minsi && id != NR_OP_arith_maxsi) || nr_type_bits(value->type) != 64) return;
  NrAttr map = affine ? nr_op_attr(value->op, NR_A_map) : NULL;
  for (uint32_t k = 0; k < (affine ? map->num_exprs : 2); k++) {
    NrEquality apart = {0};
    int64_t factor = is_min ? 1 : -1;
    bool ok = affine ? add_result(t, &apart, map, k, value->op, 0, side, factor, depth + 1)
                     : add_value(t, &apart, nr_operand(value->op, k), side, factor, depth + 1);
    if (ok && nr_equality_add(&apart, unknown, -factor)) add_not_negative(t, &apart, value, 1 + (int)k, side);
  }
}

static bool add_iteration(NrDependenceTest *t, NrEquality *eq, const Loop *loop, uint32_t unknown, bool is_new,
                          int side, int64_t factor, int depth) {
  int64_t trips, scaled;
  if (is_new) {
    bool known = trips_of(loop, &trips);
    NrUnknown *x = &t->constraints.unknowns[unknown];
    x->counts = true;
    x->min = 0;
    x->max = known ? trips - 1 : NR_FAR;
    if (!known) add_uppers(t, loop, unknown, side, depth);
  }
  return nr_mul_i64(factor, loop->step, &scaled) && nr_equality_add(eq, unknown, scaled) &&
         add_lower(t, eq, loop, side, factor, depth);
}

static bool add_term(NrDependenceTest *t, NrEquality *eq, NrValue *value, int side, int64_t factor, int depth) {
  Loop loop;
  Division kind;
  int64_t divisor;
  bool is_new;
  int n = listed_number(t, value, side);
  if (depth > MAX_NEST) return false;
  if (n >= 0) return add_listed(t, eq, n, side, factor, depth);
  bool same = nr_dependence_is_same(t, value);
  NrEquality whole = *eq, sum = {0};
  if (!same && nr_op_is(value->op, NR_OP_affine_apply) &&
      add_result(t, &whole, nr_op_attr(value->op, NR_A_map), 0, value->op, 0, side, factor, depth + 1))
    return *eq = whole, true;
  whole = *eq;
  if (!same && division_of(value->op, &kind, &divisor) &&
      add_value(t, &sum, nr_op_lhs(value->op), side, 1, depth + 1) &&
      add_division(t, &whole, sum, divisor, kind, factor))
    return *eq = whole, true;
  int unknown = nr_constraints_unknown(&t->constraints, value, 0, same ? 2 : side, &is_new);
  if (unknown < 0) return false;
  if (!same && loop_of(value, &loop) && loop.step > 0)
    return add_iteration(t, eq, &loop, (uint32_t)unknown, is_new, side, factor, depth + 1);
  if (is_new && !same) describe(t, value, (uint32_t)unknown, side, depth);
  return nr_equality_add(eq, (uint32_t)unknown, factor);
}

static bool add_value(NrDependenceTest *t, NrEquality *eq, NrValue *value, int side, int64_t factor, int depth) {
  NrLinear sum;
  int64_t product;
  nr_linear_of(value, &sum);
  if (!nr_equality_add_constant(eq, factor, sum.constant)) return false;
  for (uint32_t i = 0; i < sum.num_terms; i++)
    if (!nr_mul_i64(sum.terms[i].factor, factor, &product) ||
        !add_term(t, eq, sum.terms[i].value, side, product, depth))
      return false;
  return true;
}

bool nr_dependence_add_value(NrDependenceTest *t, NrEquality *eq, NrValue *value, int side, int64_t factor) {
  return add_value(t, eq, value, side, factor, 0);
}
