/* range.c - ranges of affine expressions; see range.h.
 *
 * An expression is a sum of terms. The lower bound of a sum is the larger of: the sum of its terms' lower bounds; and
 * the lower bounds of the sums in which one induction variable is replaced by one of its loop bounds. The second finds
 * that %n - %i > 0 in a loop up to %n. */
#include "dialect/affine/range.h"

#include "dialect/affine/affine.h"
#include "dialect/scf/scf.h"

enum { MAX_TERMS = 12, MAX_VISITS = 300 };

static const NrRange everything = {INT64_MIN, INT64_MAX};

/* One term: factor times a value, or factor times an expression that is not itself a sum. */
typedef struct Term {
  int64_t factor;
  NrValue *value;
  NrAffineExpr expr;
  NrValue *const *operands; /* of expr */
  uint32_t num_dims;
} Term;

typedef struct Sum {
  int64_t constant;
  uint32_t size;
  Term terms[MAX_TERMS];
} Sum;

typedef struct Query {
  NrRangeOf of;
  void *user;
  int visits;
} Query;

/* ---- saturating arithmetic: INT64_MIN and INT64_MAX are infinite ------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  if (a == INT64_MIN || b == INT64_MIN) return INT64_MIN;
  if (a == INT64_MAX || b == INT64_MAX) return INT64_MAX;
  return nr_add_i64(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t times(int64_t a, int64_t factor) {
  int64_t product;
  if (factor == 0) return 0;
  bool infinite = a == INT64_MIN || a == INT64_MAX;
  if (!infinite && nr_mul_i64(a, factor, &product)) return product;
  return (a < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
}

static int64_t floor_div(int64_t a, int64_t b) { /* b is positive */
  return a == INT64_MIN || a == INT64_MAX ? a : a / b - (a % b < 0);
}
static int64_t ceil_div(int64_t a, int64_t b) {
  return a == INT64_MIN || a == INT64_MAX ? a : a / b + (a % b > 0);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static bool add_term(Sum *sum, Term term) {
  for (uint32_t i = 0; i < sum->size; i++) {
    Term *t = &sum->terms[i];
    if (t->value != term.value || t->expr != term.expr || (t->expr && t->operands != term.operands)) continue;
    if (!nr_add_i64(t->factor, term.factor, &t->factor)) return false;
    if (t->factor == 0) *t = sum->terms[--sum->size];
    return true;
  }
  if (sum->size == MAX_TERMS) return false;
  if (term.factor) sum->terms[sum->size++] = term;
  return true;
}

static bool add_constant(Sum *sum, int64_t value, int64_t factor) {
  int64_t product;
  return nr_mul_i64(value, factor, &product) && nr_add_i64(sum->constant, product, &sum->constant);
}

static bool add_value(Sum *sum, NrValue *value, int64_t factor) {
  int64_t constant;
  if (nr_value_constant_int(value, &constant)) return add_constant(sum, constant, factor);
  return add_term(sum, (Term){.factor = factor, .value = value});
}

static bool add_expr(Sum *sum, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, int64_t factor) {
  int64_t product;
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: return add_constant(sum, e->value, factor);
  case NR_AFFINE_DIM: return add_value(sum, operands[e->value], factor);
  case NR_AFFINE_SYMBOL: return add_value(sum, operands[num_dims + (size_t)e->value], factor);
  case NR_AFFINE_ADD:
    return add_expr(sum, e->lhs, num_dims, operands, factor) && add_expr(sum, e->rhs, num_dims, operands, factor);
  case NR_AFFINE_MUL:
    if (e->rhs->kind != NR_AFFINE_CONSTANT) break;
    return nr_mul_i64(factor, e->rhs->value, &product) && add_expr(sum, e->lhs, num_dims, operands, product);
  default: break;
  }
  return add_term(sum, (Term){.factor = factor, .expr = e, .operands = operands, .num_dims = num_dims});
}

/* ---- bounds of loops --------------------------------------------------------------------------------------------- */

/* Adds factor times bound k of an induction variable: a lower bound, or the last value below an upper bound. */
static bool add_bound(Sum *sum, NrValue *iv, bool upper, uint32_t k, int64_t factor) {
  NrOp *loop = nr_block_parent_op(iv->block);
  if (upper && !add_constant(sum, -1, factor)) return false;
  if (nr_affine_is_iv(iv)) {
    NrAffineBound bound = nr_affine_iv_bound(iv, upper);
    NrValue *operands[MAX_TERMS];
    size_t count = nr_affine_num_inputs(bound.map);
    if (count > MAX_TERMS) return false;
    for (size_t i = 0; i < count; i++) operands[i] = nr_operand(loop, bound.first + i);
    if (!add_expr(sum, bound.map->exprs[bound.begin + k], bound.map->num_dims, operands, factor)) return false;
    for (uint32_t i = 0; i < sum->size; i++) /* such terms refer to `operands`, which ends here */
      if (sum->terms[i].operands == operands) return false;
    return true;
  }
  if (nr_op_is(loop, NR_OP_scf_for)) return add_value(sum, nr_operand(loop, upper), factor);
  return add_value(sum, nr_operand(loop, (upper ? iv->block->num_args : 0) + iv->index), factor);
}

/* The number of lower or upper bounds; 0 when the value is not an induction variable that this analysis handles. */
static uint32_t num_bounds(const NrValue *iv, bool upper) {
  NrOp *loop = iv->block ? nr_block_parent_op(iv->block) : NULL;
  if (!loop || !nr_type_is_index(iv->type)) return 0;
  if (nr_affine_is_iv(iv)) return nr_affine_iv_bound(iv, upper).count;
  if (nr_op_is(loop, NR_OP_scf_for)) return iv->index == 0 && !nr_op_attr(loop, NR_A_unsignedCmp);
  return nr_op_is(loop, NR_OP_scf_parallel);
}

/* ---- the lower bound of a sum ------------------------------------------------------------------------------------ */

static NrRange range_of_value(Query *q, NrValue *value);
static NrRange range_of_expr(Query *q, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

static NrRange range_of_term(Query *q, const Term *t) {
  NrRange r = t->value ? range_of_value(q, t->value) : range_of_expr(q, t->expr, t->num_dims, t->operands);
  int64_t a = times(r.min, t->factor), b = times(r.max, t->factor);
  return (NrRange){NR_MIN(a, b), NR_MAX(a, b)};
}

static int64_t min_of(Query *q, const Sum *sum, int depth) {
  int64_t min = sum->constant;
  if (++q->visits > MAX_VISITS) return INT64_MIN;
  for (uint32_t i = 0; i < sum->size; i++) min = plus(min, range_of_term(q, &sum->terms[i]).min);
  for (uint32_t i = 0; i < sum->size && depth > 0; i++) {
    Term term = sum->terms[i];
    if (!term.value) continue;
    for (uint32_t k = 0; k < num_bounds(term.value, term.factor < 0); k++) {
      Sum with = *sum;
      with.terms[i] = with.terms[--with.size];
      if (add_bound(&with, term.value, term.factor < 0, k, term.factor))
        min = NR_MAX(min, min_of(q, &with, depth - 1));
    }
  }
  return min;
}

static NrRange range_of_sum(Query *q, const Sum *sum, int depth) {
  Sum negated = *sum;
  NrRange out = {.min = min_of(q, sum, depth), .max = INT64_MAX};
  if (sum->constant == INT64_MIN) return everything;
  negated.constant = -sum->constant;
  for (uint32_t i = 0; i < sum->size; i++) {
    if (sum->terms[i].factor == INT64_MIN) return out;
    negated.terms[i].factor = -sum->terms[i].factor;
  }
  int64_t min = min_of(q, &negated, depth);
  if (min != INT64_MIN) out.max = -min;
  return out.min <= out.max ? out : (NrRange){out.min, out.min}; /* only in a loop that does not run */
}

/* ---- values and expressions -------------------------------------------------------------------------------------- */

/* The largest value that the induction variable takes: with a constant lower bound and step, r.max rounded down to the
 * lower bound plus a multiple of the step. */
static int64_t last_reached(NrValue *iv, NrRange r) {
  NrOp *loop = nr_block_parent_op(iv->block);
  int64_t lower, distance, step;
  bool known = false;
  if (nr_affine_is_iv(iv)) {
    step = nr_affine_iv_step(iv);
    known = nr_affine_iv_constant_bound(iv, false, &lower);
  } else if (nr_op_is(loop, NR_OP_scf_for)) {
    known = nr_value_constant_int(nr_scf_for_lower_bound(loop), &lower) &&
            nr_value_constant_int(nr_scf_for_step(loop), &step);
  }
  if (!known || step <= 0 || r.max == INT64_MAX || !nr_sub_i64(r.max, lower, &distance) || distance < 0) return r.max;
  return r.max - distance % step;
}

static NrRange range_of_iv(Query *q, NrValue *iv) {
  NrRange out = everything;
  for (int upper = 0; upper < 2; upper++)
    for (uint32_t k = 0; k < num_bounds(iv, upper); k++) {
      Sum bound = {0};
      if (!add_bound(&bound, iv, upper, k, 1)) continue;
      NrRange r = range_of_sum(q, &bound, 0);
      if (upper) out.max = NR_MIN(out.max, r.max);
      else out.min = NR_MAX(out.min, r.min);
    }
  out.max = last_reached(iv, out);
  return out.min <= out.max ? out : (NrRange){out.min, out.min};
}

static NrRange range_of_map(Query *q, NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  NrValue *operands[MAX_TERMS];
  NrRange out = everything;
  if (op->num_operands > MAX_TERMS) return out;
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = nr_operand(op, i);
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrRange r = range_of_expr(q, map->exprs[i], map->num_dims, operands);
    bool is_min = nr_op_is(op, NR_OP_affine_min);
    if (i == 0) out = r;
    else if (is_min) out = (NrRange){NR_MIN(out.min, r.min), NR_MIN(out.max, r.max)};
    else out = (NrRange){NR_MAX(out.min, r.min), NR_MAX(out.max, r.max)};
  }
  return out;
}

static NrRange range_of_value(Query *q, NrValue *value) {
  int64_t constant;
  if (++q->visits > MAX_VISITS) return everything;
  if (q->of) return q->of(q->user, value);
  if (nr_value_constant_int(value, &constant)) return (NrRange){constant, constant};
  if (!value->op) return num_bounds(value, false) ? range_of_iv(q, value) : everything;
  switch (value->op->info->id) {
  case NR_OP_memref_dim:
  case NR_OP_tensor_dim: return (NrRange){0, INT64_MAX};
  case NR_OP_affine_apply:
  case NR_OP_affine_min:
  case NR_OP_affine_max: return range_of_map(q, value->op);
  default: return everything;
  }
}

static NrRange range_of_division(NrAffineKind kind, NrRange x, int64_t divisor) {
  if (kind == NR_AFFINE_FLOORDIV) return (NrRange){floor_div(x.min, divisor), floor_div(x.max, divisor)};
  if (kind == NR_AFFINE_CEILDIV) return (NrRange){ceil_div(x.min, divisor), ceil_div(x.max, divisor)};
  int64_t quotient = floor_div(x.min, divisor), start;
  bool inside = x.min != INT64_MIN && x.max != INT64_MAX && quotient == floor_div(x.max, divisor);
  if (!inside || !nr_mul_i64(quotient, divisor, &start)) return (NrRange){0, divisor - 1};
  return (NrRange){x.min - start, x.max - start};
}

static NrRange range_of_expr(Query *q, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  Sum sum = {0};
  if (++q->visits > MAX_VISITS) return everything;
  bool divides = e->kind == NR_AFFINE_MOD || e->kind == NR_AFFINE_FLOORDIV || e->kind == NR_AFFINE_CEILDIV;
  if (divides) {
    if (e->rhs->kind != NR_AFFINE_CONSTANT || e->rhs->value <= 0) return everything;
    return range_of_division(e->kind, range_of_expr(q, e->lhs, num_dims, operands), e->rhs->value);
  }
  bool is_product = e->kind == NR_AFFINE_MUL && e->rhs->kind != NR_AFFINE_CONSTANT;
  if (is_product || !add_expr(&sum, e, num_dims, operands, 1)) return everything;
  return range_of_sum(q, &sum, 2);
}

NrRange nr_affine_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of, void *user) {
  return range_of_expr(&(Query){.of = of, .user = user}, e, num_dims, operands);
}

NrRange nr_affine_iv_range(NrValue *iv, NrRangeOf of, void *user) {
  return range_of_iv(&(Query){.of = of, .user = user}, iv);
}

/* ---- remainders -------------------------------------------------------------------------------------------------- */

bool nr_affine_rest(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, int64_t divisor, int64_t *out) {
  Sum sum = {0};
  if (!add_expr(&sum, e, num_dims, operands, 1)) return false;
  int64_t rest = sum.constant % divisor;
  for (uint32_t i = 0; i < sum.size; i++) {
    const Term *t = &sum.terms[i];
    int64_t lower, product, factor = t->factor % divisor;
    if (factor == 0) continue;
    if (!t->value || !nr_affine_is_iv(t->value) || !nr_affine_iv_constant_bound(t->value, false, &lower)) return false;
    if (!nr_mul_i64(nr_affine_iv_step(t->value), factor, &product) || product % divisor) return false;
    if (!nr_mul_i64(lower % divisor, factor, &product)) return false;
    rest = (rest + product % divisor) % divisor;
  }
  *out = rest < 0 ? rest + divisor : rest;
  return true;
}

/* Simplifies a division or remainder by a positive constant when the quotient, or the remainder, is the same for all
 * values in range. */
static NrAffineExpr simplify_division(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  NrContext *ctx = e->ctx;
  int64_t divisor = e->rhs->value, start, rest;
  if (e->rhs->kind != NR_AFFINE_CONSTANT || divisor <= 0) return e;
  NrRange x = nr_affine_range(e->lhs, num_dims, operands, NULL, NULL);
  NrAffineKind kind = e->kind == NR_AFFINE_MOD ? NR_AFFINE_FLOORDIV : e->kind;
  NrRange quotient = range_of_division(kind, x, divisor);
  if (x.min != INT64_MIN && x.max != INT64_MAX && quotient.min == quotient.max) {
    if (e->kind != NR_AFFINE_MOD) return nr_affine_constant(ctx, quotient.min);
    if (nr_mul_i64(quotient.min, -divisor, &start))
      return nr_affine_binary(NR_AFFINE_ADD, e->lhs, nr_affine_constant(ctx, start));
  }
  if (e->kind == NR_AFFINE_MOD && nr_affine_rest(e->lhs, num_dims, operands, divisor, &rest))
    return nr_affine_constant(ctx, rest);
  return e;
}

NrAffineExpr nr_affine_simplify_in_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  if (!e->lhs) return e;
  NrAffineExpr lhs = nr_affine_simplify_in_range(e->lhs, num_dims, operands);
  NrAffineExpr rhs = nr_affine_simplify_in_range(e->rhs, num_dims, operands);
  if (lhs != e->lhs || rhs != e->rhs) e = nr_affine_binary(e->kind, lhs, rhs);
  bool divides = e->kind == NR_AFFINE_MOD || e->kind == NR_AFFINE_FLOORDIV || e->kind == NR_AFFINE_CEILDIV;
  return divides ? simplify_division(e, num_dims, operands) : e;
}
