/* affine.c - unique affine expressions: simplifying makers, evaluation, substitution. */
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
  case NR_AFFINE_MOD: return b > 0 && (*out = a - floor_div(a, b) * b, true);
  case NR_AFFINE_FLOORDIV: return b > 0 && (*out = floor_div(a, b), true);
  case NR_AFFINE_CEILDIV: return b > 0 && (*out = ceil_div(a, b), true);
  default: return false;
  }
}

NrAffineExpr nr_affine_binary(NrAffineKind kind, NrAffineExpr lhs, NrAffineExpr rhs) {
  NrContext *ctx = lhs->ctx;
  bool commutes = kind == NR_AFFINE_ADD || kind == NR_AFFINE_MUL;
  if (commutes && lhs->kind == NR_AFFINE_CONSTANT && rhs->kind != NR_AFFINE_CONSTANT) {
    NrAffineExpr t = lhs;
    lhs = rhs;
    rhs = t;
  }
  int64_t folded;
  if (rhs->kind == NR_AFFINE_CONSTANT) {
    int64_t c = rhs->value;
    if (lhs->kind == NR_AFFINE_CONSTANT && apply(kind, lhs->value, c, &folded)) return nr_affine_constant(ctx, folded);
    if (kind == NR_AFFINE_ADD && c == 0) return lhs;
    if (kind == NR_AFFINE_MUL && c == 1) return lhs;
    if (kind == NR_AFFINE_MUL && c == 0) return rhs;
    if ((kind == NR_AFFINE_FLOORDIV || kind == NR_AFFINE_CEILDIV) && c == 1) return lhs;
    if (kind == NR_AFFINE_MOD && c == 1) return nr_affine_constant(ctx, 0);
    /* (x + a) + b = x + (a + b), (x * a) * b = x * (a * b) */
    if (commutes && lhs->kind == kind && lhs->rhs->kind == NR_AFFINE_CONSTANT &&
        apply(kind, lhs->rhs->value, c, &folded))
      return nr_affine_binary(kind, lhs->lhs, nr_affine_constant(ctx, folded));
  }
  return expr_get(ctx, &(struct NrAffineExprData){.kind = kind, .lhs = lhs, .rhs = rhs});
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
