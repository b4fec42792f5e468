/* affine.c - unique affine expressions: simplifying constructors, evaluation, substitution. */
#include "ir/context.h"

static uint64_t expr_hash(const struct NrAffineExprData *e) {
  uint64_t h = nr_hash_mix(e->kind, (uint64_t)e->value);
  h = nr_hash_mix(h, (uintptr_t)e->lhs);
  return nr_hash_mix(h, (uintptr_t)e->rhs);
}

static bool expr_equal(const void *node, const void *key) {
  const struct NrAffineExprData *x = node, *y = key;
  return x->kind == y->kind && x->value == y->value && x->lhs == y->lhs && x->rhs == y->rhs;
}

static NrAffineExpr expr_get(NrContext *ctx, const struct NrAffineExprData *key) {
  uint64_t hash = expr_hash(key);
  NrAffineExpr found = nr_unique_find(&ctx->affine, hash, expr_equal, key);
  if (found) return found;
  struct NrAffineExprData *e = nr_arena_copy(&ctx->arena, key, sizeof *key);
  e->ctx = ctx;
  e->height = key->lhs ? NR_MAX(key->lhs->height, key->rhs->height) + 1 : 1;
  nr_unique_add(&ctx->affine, hash, e);
  return e;
}

NrAffineExpr nr_affine_dim(NrContext *ctx, uint32_t position) {
  return expr_get(ctx, &(struct NrAffineExprData){.kind = NR_AFFINE_DIM, .value = position});
}
NrAffineExpr nr_affine_symbol(NrContext *ctx, uint32_t position) {
  return expr_get(ctx, &(struct NrAffineExprData){.kind = NR_AFFINE_SYMBOL, .value = position});
}
NrAffineExpr nr_affine_constant(NrContext *ctx, int64_t value) {
  return expr_get(ctx, &(struct NrAffineExprData){.kind = NR_AFFINE_CONSTANT, .value = value});
}

/* Euclidean division helpers: the divisor is positive. */
static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

static bool apply(NrAffineKind kind, int64_t a, int64_t b, int64_t *out) {
  switch (kind) {
  case NR_AFFINE_ADD: return nr_add_i64(a, b, out);
  case NR_AFFINE_MUL: return nr_mul_i64(a, b, out);
  case NR_AFFINE_MOD: return b > 0 && (*out = a % b + (a % b < 0 ? b : 0), true);
  case NR_AFFINE_FLOORDIV: return b > 0 && (*out = floor_div(a, b), true);
  case NR_AFFINE_CEILDIV: return b > 0 && (*out = ceil_div(a, b), true);
  default: return false;
  }
}

/* ---- makers ------------------------------------------------------------------------------------------------------ */

static NrAffineExpr sum(NrAffineExpr a, NrAffineExpr b) { return nr_affine_binary(NR_AFFINE_ADD, a, b); }
static NrAffineExpr product(NrAffineExpr a, NrAffineExpr b) { return nr_affine_binary(NR_AFFINE_MUL, a, b); }

static bool is_constant(NrAffineExpr e) { return e->kind == NR_AFFINE_CONSTANT; }

static bool has_dims(NrAffineExpr e) {
  return e->kind == NR_AFFINE_DIM || (e->lhs && (has_dims(e->lhs) || has_dims(e->rhs)));
}

/* A number that divides e for all values of its dims; 0 for the constant 0. */
static uint64_t known_divisor(NrAffineExpr e) {
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: return nr_magnitude(e->value);
  case NR_AFFINE_ADD:
  case NR_AFFINE_MOD: return nr_gcd(known_divisor(e->lhs), known_divisor(e->rhs));
  case NR_AFFINE_MUL: {
    uint64_t both, left = known_divisor(e->lhs);
    return __builtin_mul_overflow(left, known_divisor(e->rhs), &both) ? left : both;
  }
  case NR_AFFINE_FLOORDIV:
  case NR_AFFINE_CEILDIV: {
    if (!is_constant(e->rhs) || e->rhs->value <= 0) return 1;
    uint64_t divisor = (uint64_t)e->rhs->value, left = known_divisor(e->lhs);
    return left % divisor == 0 ? left / divisor : 1;
  }
  default: return 1;
  }
}

/* e as factor * constant. */
static NrAffineExpr split_factor(NrAffineExpr e, int64_t *out_constant) {
  bool scaled = e->kind == NR_AFFINE_MUL && is_constant(e->rhs);
  *out_constant = scaled ? e->rhs->value : 1;
  return scaled ? e->lhs : e;
}

/* lhs + rhs with rhs = lhs floordiv q * -q, which is lhs mod q. */
static NrAffineExpr remainder_of(NrAffineExpr lhs, NrAffineExpr rhs) {
  if (rhs->kind != NR_AFFINE_MUL || !is_constant(rhs->rhs)) return NULL;
  NrAffineExpr quotient = rhs->lhs, divisor = NULL;
  if (quotient->kind == NR_AFFINE_FLOORDIV && is_constant(quotient->rhs)) {
    if (rhs->rhs->value != INT64_MIN && quotient->rhs->value == -rhs->rhs->value) divisor = quotient->rhs;
  } else if (quotient->kind == NR_AFFINE_MUL && rhs->rhs->value == -1) { /* q is a symbol: (lhs floordiv q) * q * -1 */
    divisor = quotient->rhs;
    quotient = quotient->lhs;
    if (quotient->kind != NR_AFFINE_FLOORDIV || quotient->rhs != divisor) divisor = NULL;
  }
  if (!divisor || quotient->lhs != lhs) return NULL;
  return nr_affine_binary(NR_AFFINE_MOD, lhs, divisor);
}

static NrAffineExpr simpler_sum(NrAffineExpr lhs, NrAffineExpr rhs) {
  NrContext *ctx = lhs->ctx;
  int64_t folded, left, right;
  if (is_constant(rhs) && rhs->value == 0) return lhs;
  bool constant_inside = lhs->kind == NR_AFFINE_ADD && is_constant(lhs->rhs);
  if (constant_inside && is_constant(rhs)) /* (x + a) + b = x + (a + b) */
    return nr_add_i64(lhs->rhs->value, rhs->value, &folded) ? sum(lhs->lhs, nr_affine_constant(ctx, folded)) : NULL;
  NrAffineExpr factor = split_factor(lhs, &left);
  if (factor == split_factor(rhs, &right) && nr_add_i64(left, right, &folded))
    return product(factor, nr_affine_constant(ctx, folded));
  if (constant_inside) return sum(sum(lhs->lhs, rhs), lhs->rhs);
  bool chain = rhs->kind == NR_AFFINE_ADD && lhs->height + rhs->height <= NR_MAX_NESTING;
  return chain ? sum(sum(lhs, rhs->lhs), rhs->rhs) : remainder_of(lhs, rhs);
}

static NrAffineExpr simpler_product(NrAffineExpr lhs, NrAffineExpr rhs) {
  int64_t folded;
  if (is_constant(rhs) && rhs->value == 1) return lhs;
  if (is_constant(rhs) && rhs->value == 0) return rhs;
  if (lhs->kind != NR_AFFINE_MUL || !is_constant(lhs->rhs)) return NULL;
  if (!is_constant(rhs)) return product(product(lhs->lhs, rhs), lhs->rhs);
  if (!nr_mul_i64(lhs->rhs->value, rhs->value, &folded)) return NULL;
  return product(lhs->lhs, nr_affine_constant(lhs->ctx, folded));
}

/* Division by a positive constant. */
static NrAffineExpr simpler_quotient(NrAffineKind kind, NrAffineExpr lhs, NrAffineExpr rhs) {
  int64_t divisor = rhs->value;
  if (divisor == 1) return lhs;
  if (lhs->kind == NR_AFFINE_MUL && is_constant(lhs->rhs) && lhs->rhs->value % divisor == 0)
    return product(lhs->lhs, nr_affine_constant(lhs->ctx, lhs->rhs->value / divisor));
  if (kind != NR_AFFINE_FLOORDIV || lhs->kind != NR_AFFINE_ADD) return NULL;
  if (known_divisor(lhs->lhs) % (uint64_t)divisor && known_divisor(lhs->rhs) % (uint64_t)divisor) return NULL;
  return sum(nr_affine_binary(kind, lhs->lhs, rhs), nr_affine_binary(kind, lhs->rhs, rhs));
}

static NrAffineExpr simpler_remainder(NrAffineExpr lhs, NrAffineExpr rhs) {
  uint64_t divisor = (uint64_t)rhs->value;
  if (known_divisor(lhs) % divisor == 0) return nr_affine_constant(lhs->ctx, 0);
  if (lhs->kind == NR_AFFINE_ADD && known_divisor(lhs->lhs) % divisor == 0)
    return nr_affine_binary(NR_AFFINE_MOD, lhs->rhs, rhs);
  if (lhs->kind == NR_AFFINE_ADD && known_divisor(lhs->rhs) % divisor == 0)
    return nr_affine_binary(NR_AFFINE_MOD, lhs->lhs, rhs);
  if (lhs->kind == NR_AFFINE_MOD && known_divisor(lhs->rhs) % divisor == 0 && is_constant(lhs->rhs))
    return nr_affine_binary(NR_AFFINE_MOD, lhs->lhs, rhs);
  return NULL;
}

static NrAffineExpr simpler(NrAffineKind kind, NrAffineExpr lhs, NrAffineExpr rhs) {
  if (kind == NR_AFFINE_ADD) return simpler_sum(lhs, rhs);
  if (kind == NR_AFFINE_MUL) return simpler_product(lhs, rhs);
  if (!is_constant(rhs) || rhs->value <= 0) return NULL;
  return kind == NR_AFFINE_MOD ? simpler_remainder(lhs, rhs) : simpler_quotient(kind, lhs, rhs);
}

/* Simplifies as MLIR does on construction, so that printed expressions agree with MLIR's. */
NrAffineExpr nr_affine_binary(NrAffineKind kind, NrAffineExpr lhs, NrAffineExpr rhs) {
  int64_t folded;
  if (is_constant(lhs) && is_constant(rhs) && apply(kind, lhs->value, rhs->value, &folded))
    return nr_affine_constant(lhs->ctx, folded);
  bool commutes = kind == NR_AFFINE_ADD || kind == NR_AFFINE_MUL;
  if (commutes && !is_constant(rhs) && (is_constant(lhs) || (has_dims(rhs) && !has_dims(lhs)))) {
    NrAffineExpr t = lhs;
    lhs = rhs;
    rhs = t;
  }
  NrAffineExpr e = simpler(kind, lhs, rhs);
  return e ? e : expr_get(lhs->ctx, &(struct NrAffineExprData){.kind = kind, .lhs = lhs, .rhs = rhs});
}

bool nr_affine_eval(NrAffineExpr e, const int64_t *dims, const int64_t *symbols, int64_t *out) {
  switch (e->kind) {
  case NR_AFFINE_DIM: *out = dims[e->value]; return true;
  case NR_AFFINE_SYMBOL: *out = symbols[e->value]; return true;
  case NR_AFFINE_CONSTANT: *out = e->value; return true;
  default: {
    int64_t a, b;
    return nr_affine_eval(e->lhs, dims, symbols, &a) && nr_affine_eval(e->rhs, dims, symbols, &b) &&
           apply(e->kind, a, b, out);
  }
  }
}

NrAffineExpr nr_affine_replace(NrAffineExpr e, const NrAffineExpr *dims, const NrAffineExpr *symbols) {
  switch (e->kind) {
  case NR_AFFINE_DIM: return dims ? dims[e->value] : e;
  case NR_AFFINE_SYMBOL: return symbols ? symbols[e->value] : e;
  case NR_AFFINE_CONSTANT: return e;
  default:
    return nr_affine_binary(e->kind, nr_affine_replace(e->lhs, dims, symbols),
                            nr_affine_replace(e->rhs, dims, symbols));
  }
}

bool nr_affine_uses_dim(NrAffineExpr e, uint32_t position) {
  if (e->kind == NR_AFFINE_DIM) return e->value == (int64_t)position;
  return e->lhs && (nr_affine_uses_dim(e->lhs, position) || nr_affine_uses_dim(e->rhs, position));
}

static bool add_linear(NrAffineExpr e, int64_t factor, uint32_t num_dims, int64_t *coeff, int64_t *constant) {
  int64_t scaled;
  switch (e->kind) {
  case NR_AFFINE_DIM:
    return e->value < (int64_t)num_dims && nr_add_i64(coeff[e->value], factor, &coeff[e->value]);
  case NR_AFFINE_CONSTANT: return nr_mul_i64(e->value, factor, &scaled) && nr_add_i64(*constant, scaled, constant);
  case NR_AFFINE_ADD:
    return add_linear(e->lhs, factor, num_dims, coeff, constant) &&
           add_linear(e->rhs, factor, num_dims, coeff, constant);
  case NR_AFFINE_MUL:
    return e->rhs->kind == NR_AFFINE_CONSTANT && nr_mul_i64(factor, e->rhs->value, &scaled) &&
           add_linear(e->lhs, scaled, num_dims, coeff, constant);
  default: return false;
  }
}

bool nr_affine_linear(NrAffineExpr e, uint32_t num_dims, int64_t *coeff, int64_t *constant) {
  memset(coeff, 0, num_dims * sizeof *coeff);
  *constant = 0;
  return add_linear(e, 1, num_dims, coeff, constant);
}
