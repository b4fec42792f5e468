/* affine_simplify.c - the terms of an affine expression, collected.
 *
 *   d0 + d1 + 2 - d0 -> d1 + 2        (d0 * 4 + d1 * 8 + 5) floordiv 4 -> d0 + d1 * 2 + 1
 *
 * An expression is a row of coefficients: one for each dim, symbol and quotient, and the constant. Equal quotients
 * share a column. A remainder x mod q is expressed as x - (x floordiv q) * q. */
#include "ir/ir.h"

typedef struct Flat {
  NrContext *ctx;
  size_t dims, symbols, max_quotients, width; /* width: of a row, the constant last */
  NrAffineExpr *quotients;
  size_t num_quotients;
} Flat;

static size_t count_quotients(NrAffineExpr e) {
  if (!e->lhs) return 0;
  bool divides = e->kind != NR_AFFINE_ADD && e->kind != NR_AFFINE_MUL;
  return divides + count_quotients(e->lhs) + count_quotients(e->rhs);
}

static NrAffineExpr from_row(const Flat *f, const int64_t *row) {
  NrAffineExpr e = nr_affine_constant(f->ctx, 0);
  for (size_t i = 0; i < f->width; i++) {
    NrAffineExpr term;
    if (row[i] == 0) continue;
    if (i + 1 == f->width) term = nr_affine_constant(f->ctx, 1);
    else if (i < f->dims) term = nr_affine_dim(f->ctx, (uint32_t)i);
    else if (i < f->dims + f->symbols) term = nr_affine_symbol(f->ctx, (uint32_t)(i - f->dims));
    else term = f->quotients[i - f->dims - f->symbols];
    term = nr_affine_binary(NR_AFFINE_MUL, term, nr_affine_constant(f->ctx, row[i]));
    e = nr_affine_binary(NR_AFFINE_ADD, e, term);
  }
  return e;
}

static size_t column_of(Flat *f, NrAffineExpr quotient) {
  size_t i = 0;
  while (i < f->num_quotients && f->quotients[i] != quotient) i++;
  if (i == f->num_quotients) f->quotients[f->num_quotients++] = quotient;
  return f->dims + f->symbols + i;
}

/* The row floordiv, or mod, a positive constant. */
static bool divide(Flat *f, NrAffineKind kind, int64_t divisor, int64_t *row) {
  int64_t common = divisor;
  for (size_t i = 0; i < f->width; i++) {
    if (row[i] == INT64_MIN) return false;
    common = (int64_t)nr_gcd((uint64_t)common, nr_magnitude(row[i]));
  }
  if (common == divisor) { /* no remainder */
    for (size_t i = 0; i < f->width; i++) row[i] = kind == NR_AFFINE_MOD ? 0 : row[i] / divisor;
    return true;
  }
  int64_t *dividend = nr_calloc(f->width, sizeof *dividend);
  for (size_t i = 0; i < f->width; i++) dividend[i] = row[i] / common;
  NrAffineKind quotient_kind = kind == NR_AFFINE_CEILDIV ? NR_AFFINE_CEILDIV : NR_AFFINE_FLOORDIV;
  NrAffineExpr quotient = nr_affine_binary(quotient_kind, from_row(f, dividend),
                                           nr_affine_constant(f->ctx, divisor / common));
  nr_free(dividend);
  size_t column = column_of(f, quotient);
  if (kind == NR_AFFINE_MOD) return nr_add_i64(row[column], -divisor, &row[column]);
  memset(row, 0, f->width * sizeof *row);
  row[column] = 1;
  return true;
}

static bool flatten(Flat *f, NrAffineExpr e, int64_t *row);

static bool flatten_binary(Flat *f, NrAffineExpr e, int64_t *row) {
  bool ok = flatten(f, e->lhs, row);
  if (e->kind == NR_AFFINE_ADD) {
    int64_t *other = nr_calloc(f->width, sizeof *other);
    ok = ok && flatten(f, e->rhs, other);
    for (size_t i = 0; i < f->width && ok; i++) ok = nr_add_i64(row[i], other[i], &row[i]);
    nr_free(other);
    return ok;
  }
  if (!ok || e->rhs->kind != NR_AFFINE_CONSTANT) return false;
  if (e->kind != NR_AFFINE_MUL) return e->rhs->value > 0 && divide(f, e->kind, e->rhs->value, row);
  for (size_t i = 0; i < f->width && ok; i++) ok = nr_mul_i64(row[i], e->rhs->value, &row[i]);
  return ok;
}

/* row is zero before. False where the expression has no such form. */
static bool flatten(Flat *f, NrAffineExpr e, int64_t *row) {
  switch (e->kind) {
  case NR_AFFINE_DIM: row[e->value] = 1; return true;
  case NR_AFFINE_SYMBOL: row[f->dims + (size_t)e->value] = 1; return true;
  case NR_AFFINE_CONSTANT: row[f->width - 1] = e->value; return true;
  default: return flatten_binary(f, e, row);
  }
}

NrAffineExpr nr_affine_simplify(NrAffineExpr e, uint32_t num_dims, uint32_t num_symbols) {
  if (!e->lhs) return e;
  Flat f = {.ctx = e->ctx, .dims = num_dims, .symbols = num_symbols, .max_quotients = count_quotients(e)};
  f.width = f.dims + f.symbols + f.max_quotients + 1;
  f.quotients = nr_calloc(f.max_quotients + 1, sizeof *f.quotients);
  int64_t *row = nr_calloc(f.width, sizeof *row);
  if (flatten(&f, e, row)) e = from_row(&f, row);
  nr_free(row);
  nr_free(f.quotients);
  return e;
}
