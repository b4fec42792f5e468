/* attention_parts.c - see attention.h. */
#include "onnx/lower/ops/attention.h"

#include <math.h>

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/reduce.h"

static const size_t swap_heads[4] = {0, 2, 1, 3};

/* ---- heads ---- */

NrValue *nr_attention_split(NrLower *l, const char *name, NrValue *x, NrDim heads) {
  if (!nr_lower_expect_rank(l, name, x, 3)) return NULL;
  NrShape s = nr_lower_shape(l, x);
  NrDim size = nr_dim_div(l, s.dims[2], heads);
  if (!nr_lower_expect_dim(l, name, x, 2, nr_dim_mul(l, heads, size))) return NULL;
  NrShape split = {4, {s.dims[0], s.dims[1], heads, size}};
  return nr_lower_transpose(l, nr_lower_reshape(l, x, &split), swap_heads);
}

NrValue *nr_attention_join(NrLower *l, NrValue *x) {
  NrShape s = nr_lower_shape(l, x);
  NrShape joined = {3, {s.dims[0], s.dims[2], nr_dim_mul(l, s.dims[1], s.dims[3])}};
  return nr_lower_reshape(l, nr_lower_transpose(l, x, swap_heads), &joined);
}

bool nr_attention_fits(NrLower *l, NrValue *q, NrValue *k, NrValue *v) {
  if (!nr_lower_expect_rank(l, "Q", q, 4) || !nr_lower_expect_rank(l, "K", k, 4) || !nr_lower_expect_rank(l, "V", v, 4))
    return false;
  NrDim heads = nr_lower_dim(l, q, 1), of_keys = nr_lower_dim(l, k, 1);
  if (!nr_lower_expect_dim(l, "K", k, 0, nr_lower_dim(l, q, 0)) ||
      !nr_lower_expect_dim(l, "K", k, 3, nr_lower_dim(l, q, 3)))
    return false;
  for (size_t i = 0; i < 3; i++)
    if (!nr_lower_expect_dim(l, "V", v, i, nr_lower_dim(l, k, i))) return false;
  if (nr_dim_same(heads, of_keys)) return true;
  if (nr_dim_is(of_keys, 0) || (nr_dim_known(heads) && nr_dim_known(of_keys) && heads.size % of_keys.size != 0))
    return nr_lower_error(l, "Q has %lld heads, which are not a multiple of the %lld heads of K",
                          (long long)heads.size, (long long)of_keys.size), false;
  NrValue *some = nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, of_keys), nr_lower_index(l, 0));
  nr_lower_check(l, some, "K has no heads", NULL, 0);
  NrDim multiple = nr_dim_mul(l, of_keys, nr_dim_div(l, heads, of_keys));
  nr_lower_check_dims_equal(l, heads, multiple, "heads of Q, and a multiple of those of K");
  return true;
}

/* [batch, heads, ..] -> [batch, heads of the keys, queries' heads for each, ..] */
static NrValue *grouped(NrLower *l, NrValue *x, NrDim of_keys) {
  NrShape s = nr_lower_shape(l, x);
  NrShape split = {5, {s.dims[0], of_keys, nr_dim_div(l, s.dims[1], of_keys), s.dims[2], s.dims[3]}};
  return nr_lower_reshape(l, x, &split);
}

/* The product of [b, h, m, k] and of [b, h, ..]: by heads, or groups of them. */
static NrValue *product(NrLower *l, NrValue *a, NrValue *b, const char *b_dims, NrDim columns) {
  NrShape out = nr_lower_shape(l, a);
  NrDim of_b = nr_lower_dim(l, b, 1);
  NrType elem = a->type->elem, acc = nr_lower_wide_type(elem);
  out.dims[3] = columns;
  NrValue *result;
  if (nr_dim_same(out.dims[1], of_b))
    result = nr_lower_sum_products(l, a, "bhmk", b, b_dims, "bhmn", nr_lower_zeros(l, &out, acc));
  else {
    NrShape groups = {5, {out.dims[0], of_b, nr_dim_div(l, out.dims[1], of_b), out.dims[2], columns}};
    result = nr_lower_sum_products(l, grouped(l, a, of_b), "bhgmk", b, b_dims, "bhgmn",
                                   nr_lower_zeros(l, &groups, acc));
    result = nr_lower_reshape(l, result, &out);
  }
  return nr_lower_narrow_tensor(l, result, elem);
}

NrValue *nr_attention_scores(NrLower *l, NrValue *q, NrValue *k) {
  return product(l, q, k, "bhnk", nr_lower_dim(l, k, 2));
}

NrValue *nr_attention_mix(NrLower *l, NrValue *weights, NrValue *v) {
  return product(l, weights, v, "bhkn", nr_lower_dim(l, v, 3));
}

/* ---- element by element ---- */

NrValue *nr_attention_scale(NrLower *l, const char *attr, NrValue *q) {
  NrType f64 = nr_type_f64(l->ctx);
  if (attr && nr_lower_attr(l, attr)) return nr_lower_float(l, f64, nr_lower_attr(l, attr)->f);
  NrDim size = nr_lower_dim(l, q, 3);
  if (nr_dim_known(size)) return nr_lower_float(l, f64, 1 / sqrt((double)size.size));
  NrValue *n = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_dim_value(l, size));
  NrValue *root = same1(l, NR_OP_math_sqrt, nr_lower_op1(l, NR_OP_arith_sitofp, f64, n));
  return divf(l, num(l, root, 1), root);
}

typedef struct Factor {
  NrValue *factor;
  NrType elem;
} Factor;

static NrValue *scaled_body(NrLower *l, NrValue *const *a, void *user) {
  const Factor *f = user;
  return mul(l, a[0], nr_lower_widen(l, nr_lower_narrow(l, f->factor, f->elem)));
}

NrValue *nr_attention_scaled(NrLower *l, NrValue *x, NrValue *factor) {
  Factor f = {factor, x->type->elem};
  return nr_lower_map_wide(l, &x, 1, NULL, scaled_body, &f);
}

static NrValue *capped_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *cap = num(l, a[0], *(const double *)user);
  return mul(l, same1(l, NR_OP_math_tanh, divf(l, a[0], cap)), cap);
}

NrValue *nr_attention_capped(NrLower *l, NrValue *x, double cap) {
  return cap > 0 ? nr_lower_map_wide(l, &x, 1, NULL, capped_body, &cap) : x;
}

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) { return add(l, a[0], a[1]); }

NrValue *nr_attention_add(NrLower *l, NrValue *a, NrValue *b) {
  return nr_lower_map_wide(l, (NrValue *[]){a, b}, 2, NULL, add_body, NULL);
}

/* ---- softmax ---- */

static NrValue *rounded(NrLower *l, NrValue *x, NrType elem) {
  return nr_lower_widen(l, elem->width < x->type->width ? nr_lower_narrow(l, x, elem) : x);
}

typedef struct Softmax {
  NrType elem;
  bool zeros; /* for a row of -inf */
} Softmax;

/* e^(x - top); a row of -inf has no differences, so its top counts as 0. */
static NrValue *exp_body(NrLower *l, NrValue *const *a, void *user) {
  const Softmax *s = user;
  NrType elem = s->elem;
  if (!s->zeros) return rounded(l, same1(l, NR_OP_math_exp, rounded(l, sub(l, a[0], a[1]), elem)), elem);
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, a[1], num(l, a[1], -HUGE_VAL));
  NrValue *top = nr_lower_select(l, none, num(l, a[1], 0), a[1]);
  return rounded(l, same1(l, NR_OP_math_exp, rounded(l, sub(l, a[0], top), elem)), elem);
}

static NrValue *share_body(NrLower *l, NrValue *const *a, void *user) {
  const Softmax *s = user;
  NrValue *sum = rounded(l, a[1], s->elem), *zero = num(l, sum, 0), *one = num(l, sum, 1);
  /* of more than 65,504 elements the sum may be no f16 */
  sum = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, sum, num(l, sum, HUGE_VAL)), a[1], sum);
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, sum, zero);
  return mul(l, a[0], divf(l, one, nr_lower_select(l, none, one, sum)));
}

NrValue *nr_attention_softmax(NrLower *l, NrValue *scores, bool zeros) {
  NrType elem = scores->type->elem;
  Softmax s = {elem, zeros};
  uint64_t last = UINT64_C(1) << (nr_rank(scores) - 1);
  NrValue *x = nr_lower_widen_tensor(l, scores), *top = nr_lower_max_over(l, x, last);
  NrValue *e = nr_lower_map(l, (NrValue *[]){x, top}, 2, NULL, exp_body, &s);
  if (!e) return NULL;
  NrValue *y = nr_lower_map(l, (NrValue *[]){e, nr_lower_sum_over(l, e, last)}, 2, NULL, share_body, &s);
  return nr_lower_narrow_tensor(l, y, elem);
}

/* ---- where queries look ---- */

typedef struct Visible {
  const NrVisible *v;
  NrType elem;
  double low;
} Visible;

static NrValue *also(NrLower *l, NrValue *sofar, NrCmpI predicate, NrValue *a, NrValue *b) {
  NrValue *holds = nr_lower_cmpi(l, predicate, a, b);
  return sofar ? both(l, sofar, holds) : holds;
}

static NrValue *visible_body(NrLower *l, NrValue *const *at, void *user) {
  const Visible *w = user;
  const NrVisible *v = w->v;
  NrValue *offset = nr_dim_value(l, v->offset), *ok = NULL;
  if (v->lengths) {
    NrValue *length = nr_lower_as_index(l, nr_lower_extract(l, v->lengths, at, 1));
    ok = also(l, ok, NR_CMPI_SLT, at[3], length);
    offset = sub(l, length, nr_dim_value(l, v->queries));
  }
  NrValue *distance = sub(l, add(l, at[2], offset), at[3]); /* from the key to the query */
  if (v->causal) ok = also(l, ok, NR_CMPI_SGE, distance, nr_lower_index(l, 0));
  if (v->left >= 0) ok = also(l, ok, NR_CMPI_SLE, distance, nr_lower_index(l, v->left));
  if (v->right >= 0) ok = also(l, ok, NR_CMPI_SGE, distance, nr_lower_index(l, -v->right));
  return nr_lower_select(l, ok, nr_lower_float(l, w->elem, 0), nr_lower_float(l, w->elem, w->low));
}

NrValue *nr_attention_visible(NrLower *l, const NrVisible *v, NrType elem, double low) {
  if (!v->lengths && !v->causal && v->left < 0 && v->right < 0) return NULL;
  NrShape shape = {4, {v->lengths ? nr_lower_dim(l, v->lengths, 0) : nr_dim(1), nr_dim(1), v->queries, v->keys}};
  Visible w = {v, elem, low};
  return nr_lower_generate(l, &shape, elem, visible_body, &w);
}
