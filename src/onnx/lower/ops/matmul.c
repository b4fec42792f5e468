/* matmul.c - products of matrices: MatMul, Gemm. Each is one linalg.generic that multiplies and adds. */
#include <stdio.h>

#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/contract.h"

static NrValue *factor(NrLower *l, NrValue *x, NrType acc, bool is_unsigned) {
  if (nr_type_is_float(acc)) return nr_lower_widen(l, x);
  return x->type == acc ? x : nr_lower_op1(l, is_unsigned ? NR_OP_arith_extui : NR_OP_arith_extsi, acc, x);
}

void nr_multiply_add_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  NrSigns signs = user ? *(const NrSigns *)user : (NrSigns){0};
  NrValue *a = factor(l, args[0], args[2]->type, signs.a_unsigned);
  NrValue *b = factor(l, args[1], args[2]->type, signs.b_unsigned);
  results[0] = nr_lower_fast(nr_lower_add(l, args[2], nr_lower_fast(nr_lower_mul(l, a, b))));
}

NrValue *nr_lower_sum_products(NrLower *l, NrValue *a, const char *a_dims, NrValue *b, const char *b_dims,
                               const char *out_dims, NrValue *init) {
  return nr_lower_sum_integers(l, a, a_dims, b, b_dims, out_dims, init, (NrSigns){0});
}

/* Contracts a and b by letters: each operand's dims are named by a letter, output letters are parallel, the others
 * summed. */
NrValue *nr_lower_sum_integers(NrLower *l, NrValue *a, const char *a_dims, NrValue *b, const char *b_dims,
                               const char *out_dims, NrValue *init, NrSigns signs) {
  char order[2 * NORIA_MAX_RANK + 1] = {0}, iterators[2 * NORIA_MAX_RANK + 1] = {0};
  const char *specs[3] = {a_dims, b_dims, out_dims};
  size_t n = 0;
  for (const char *p = out_dims; *p; p++) iterators[n] = 'p', order[n++] = *p;
  for (size_t k = 0; k < 2; k++)
    for (const char *p = specs[k]; *p; p++)
      if (*p != '.' && !strchr(order, *p)) iterators[n] = 'r', order[n++] = *p;
  NrAttr maps[3];
  for (size_t k = 0; k < 3; k++) {
    NrAffineExpr exprs[NORIA_MAX_RANK];
    size_t rank = strlen(specs[k]);
    for (size_t i = 0; i < rank; i++)
      exprs[i] = specs[k][i] == '.' ? nr_affine_constant(l->ctx, 0)
                                    : nr_affine_dim(l->ctx, (uint32_t)(strchr(order, specs[k][i]) - order));
    maps[k] = nr_attr_affine_map(l->ctx, (uint32_t)n, 0, exprs, rank);
  }
  return nr_op_result(
      nr_lower_generic(l, (NrValue *[]){a, b}, 2, &init, 1, maps, iterators, nr_multiply_add_body, &signs));
}

NrValue *nr_lower_zeros(NrLower *l, const NrShape *shape, NrType elem) {
  return nr_lower_fill(l, shape, nr_lower_constant(l, elem, 0));
}

/* ---- MatMul ---- */

/* Batch dims of x (all but the last two) broadcast to `batch`: equal dims keep a letter, dims of 1 become `.`. A dim
 * that may be 1 only at run time is stretched by a copy first. The letters of the matrix follow. */
static NrValue *batch_letters(NrLower *l, NrValue *x, const NrShape *batch, const char matrix[2], char *out) {
  NrShape s = nr_lower_shape(l, x), wide = s;
  size_t own = s.rank - 2, missing = batch->rank - own;
  bool stretch = false;
  for (size_t i = 0; i < own; i++) {
    bool same = nr_lower_dims_equal(l, s.dims[i], batch->dims[i + missing]);
    out[i] = same ? (char)('a' + i + missing) : '.';
    if (!same && !nr_dim_is(s.dims[i], 1)) {
      wide.dims[i] = batch->dims[i + missing];
      out[i] = (char)('a' + i + missing);
      stretch = true;
    }
  }
  memcpy(out + own, matrix, 2);
  return stretch ? nr_lower_broadcast_to(l, x, &wide) : x;
}

NrStatus nr_lower_matmul_shapes(NrLower *l, NrValue *a, NrValue *b, NrMatMul *out) {
  size_t ra = nr_rank(a), rb = nr_rank(b);
  *out = (NrMatMul){0};
  if (ra == 0 || rb == 0) return nr_lower_error(l, "a scalar is no matrix");
  /* A vector is a row on the left and a column on the right; the added dim is dropped again. */
  NrShape sa = nr_lower_shape(l, a), sb = nr_lower_shape(l, b);
  if (ra == 1) a = nr_lower_reshape(l, a, &(NrShape){2, {nr_dim(1), sa.dims[0]}});
  if (rb == 1) b = nr_lower_reshape(l, b, &(NrShape){2, {sb.dims[0], nr_dim(1)}});
  sa = nr_lower_shape(l, a);
  sb = nr_lower_shape(l, b);
  NrDim k = sa.dims[sa.rank - 1], kb = sb.dims[sb.rank - 2];
  if (nr_dim_known(k) && nr_dim_known(kb) && k.size != kb.size)
    return nr_lower_error(l, "inner dims differ: %lld and %lld", (long long)k.size, (long long)kb.size);
  nr_lower_check_dims_equal(l, k, kb, "inner dims of the matrices");
  NrShape batches[2] = {sa, sb};
  batches[0].rank -= 2;
  batches[1].rank -= 2;
  if (!nr_lower_broadcast(l, batches, 2, &out->out)) return NR_ERROR_INVALID;
  NrShape *s = &out->out;
  out->k = k;
  out->a = batch_letters(l, a, s, "mk", out->a_dims);
  out->b = batch_letters(l, b, s, "kn", out->b_dims);
  for (size_t i = 0; i < s->rank; i++) out->out_dims[i] = (char)('a' + i);
  memcpy(out->out_dims + s->rank, "mn", 2);
  s->dims[s->rank++] = sa.dims[sa.rank - 2];
  s->dims[s->rank++] = sb.dims[sb.rank - 1];
  for (size_t i = 0; i < s->rank; i++)
    if (!(i == s->rank - 2 && ra == 1) && !(i == s->rank - 1 && rb == 1))
      out->result.dims[out->result.rank++] = s->dims[i];
  return NR_OK;
}

/* Whether laying b out by four takes less time than it saves: it is a constant, or many rows use it. */
static bool is_worth_fours(const NrMatMul *m) {
  enum { ROWS = 4, COLUMNS = 8 };
  NrDim rows = m->out.dims[m->out.rank - 2], columns = m->out.dims[m->out.rank - 1];
  bool many_columns = !nr_dim_known(columns) || columns.size >= COLUMNS;
  return many_columns && (nr_value_constant(m->b) || !nr_dim_known(rows) || rows.size >= ROWS);
}

/* The letters without those of the matrix, and then these; at most NORIA_MAX_RANK + 1. */
static void order_of(const char *dims, const char *matrix, char out[static NORIA_MAX_RANK + 2]) {
  size_t count = 0;
  for (const char *c = dims; *c; c++)
    if (!strchr("mkn", *c)) out[count++] = *c;
  snprintf(out + count, NORIA_MAX_RANK + 2 - count, "%s", matrix);
}

static NrValue *sum_by_four(NrLower *l, const NrMatMul *m, NrValue *init, NrSigns signs) {
  char a_dims[NORIA_MAX_RANK + 2], b_dims[NORIA_MAX_RANK + 2];
  order_of(m->a_dims, "mkz", a_dims); /* z: in the four */
  order_of(m->b_dims, "knz", b_dims);
  NrValue *a = nr_lower_by_four(l, m->a, m->a_dims, 'k', a_dims);
  NrValue *b = nr_lower_by_four(l, m->b, m->b_dims, 'k', b_dims);
  if (!a || !b) return NULL;
  return nr_lower_sum_integers(l, a, a_dims, b, b_dims, m->out_dims, init, signs);
}

NrValue *nr_lower_matmul_sum(NrLower *l, const NrMatMul *m, NrType acc, NrSigns signs) {
  NrValue *init = nr_lower_zeros(l, &m->out, acc);
  if (nr_lower_is_of_bytes(m->a, m->b) && m->out.rank < NORIA_MAX_RANK && is_worth_fours(m))
    return sum_by_four(l, m, init, signs);
  return nr_lower_sum_integers(l, m->a, m->a_dims, m->b, m->b_dims, m->out_dims, init, signs);
}

NrStatus nr_lower_matmul(NrLower *l) {
  NrValue *a = nr_lower_in(l, 0), *b = nr_lower_in(l, 1);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  NrMatMul m;
  NR_TRY(nr_lower_matmul_shapes(l, a, b, &m));
  NrType elem = a->type->elem;
  NrValue *product = nr_lower_matmul_sum(l, &m, nr_lower_wide_type(elem), (NrSigns){0});
  return nr_lower_out(l, 0, nr_lower_reshape(l, nr_lower_narrow_tensor(l, product, elem), &m.result), dtype);
}

/* ---- Gemm ---- */

static NrValue *scale_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_fast(nr_lower_mul(l, args[0], nr_lower_constant(l, args[0]->type, *(const double *)user)));
}

static NrValue *scale(NrLower *l, NrValue *x, double factor) {
  return factor == 1 ? x : nr_lower_map(l, &x, 1, NULL, scale_body, &factor);
}

NrStatus nr_lower_gemm_of(NrLower *l, NrValue **out_y) {
  NrValue *a = nr_lower_in(l, 0), *b = nr_lower_in(l, 1), *c = nr_lower_in(l, 2);
  bool ta = nr_lower_attr_int(l, "transA") != 0, tb = nr_lower_attr_int(l, "transB") != 0;
  double alpha = nr_lower_attr_float(l, "alpha"), beta = nr_lower_attr_float(l, "beta");
  if (nr_rank(a) != 2 || nr_rank(b) != 2)
    return nr_lower_error(l, "the matrices have ranks %u and %u; both must be 2", nr_rank(a), nr_rank(b));
  NrDim m = nr_lower_dim(l, a, ta), k = nr_lower_dim(l, a, !ta), n = nr_lower_dim(l, b, !tb),
        kb = nr_lower_dim(l, b, tb);
  if (nr_dim_known(k) && nr_dim_known(kb) && k.size != kb.size)
    return nr_lower_error(l, "inner dims differ: %lld and %lld", (long long)k.size, (long long)kb.size);
  nr_lower_check_dims_equal(l, k, kb, "inner dims of the matrices");
  NrShape shape = {2, {m, n}};
  if (c && !nr_lower_expect_broadcast(l, "C", c, &shape)) return NR_ERROR_INVALID;
  NrType elem = a->type->elem, acc = nr_lower_wide_type(elem);
  NrValue *init = nr_lower_zeros(l, &shape, acc);
  bool start_with_c = c && alpha == 1 && acc == elem;
  if (start_with_c) init = nr_lower_broadcast_to(l, scale(l, c, beta), &shape);
  NrValue *product = nr_lower_sum_products(l, a, ta ? "km" : "mk", b, tb ? "nk" : "kn", "mn", init);
  product = nr_lower_narrow_tensor(l, scale(l, product, alpha), elem);
  if (c && !start_with_c) product = nr_lower_sum(l, product, scale(l, c, beta));
  *out_y = product;
  return NR_OK;
}

NrStatus nr_lower_gemm(NrLower *l) {
  NrValue *y;
  NR_TRY(nr_lower_gemm_of(l, &y));
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  return nr_lower_fast(nr_lower_add(l, args[0], args[1]));
}

NrValue *nr_lower_sum(NrLower *l, NrValue *a, NrValue *b) {
  return nr_lower_map(l, (NrValue *[]){a, b}, 2, NULL, sum_body, NULL);
}
