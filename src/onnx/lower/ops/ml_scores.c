/* ml_scores.c - see ml.h: what classifiers and regressors make of their scores. */
#include "onnx/lower/ops/ml.h"
#include "onnx/lower/ops/reduce.h"

bool nr_ml_post_transform(NrLower *l, NrMlPost *out) {
  static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  NrStr name = nr_lower_attr_str(l, "post_transform");
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    if (nr_str_is(name, names[i])) return *out = (NrMlPost)i, true;
  nr_lower_error(l, "post_transform is '%.*s', not NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT", NR_STR_ARG(name));
  return false;
}

/* 1 / (1 + e^-x) */
static NrValue *logistic_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *one = num(l, a[0], 1);
  return divf(l, one, add(l, one, same1(l, NR_OP_math_exp, negf(l, a[0]))));
}

/* sqrt(2) * erfinv(2x - 1) by Winitzki's approximation, which ONNX Runtime and the onnx package use: it has two digits.
 */
static NrValue *probit_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *one = num(l, a[0], 1), *x = sub(l, mul(l, a[0], num(l, a[0], 2)), one);
  NrValue *rest = mul(l, sub(l, one, x), add(l, one, x)), *log = same1(l, NR_OP_math_log, rest);
  NrValue *v = add(l, num(l, x, 2 / (3.14159265358979323846 * 0.147)), mul(l, log, num(l, x, 0.5)));
  NrValue *inner = sub(l, mul(l, v, v), mul(l, log, num(l, x, 1 / 0.147)));
  NrValue *root = same1(l, NR_OP_math_sqrt, sub(l, same1(l, NR_OP_math_sqrt, inner), v));
  root = mul(l, root, num(l, x, 1.41421356));
  NrValue *zero = num(l, x, 0), *negative = nr_lower_cmpf(l, NR_CMPF_OLT, x, zero);
  NrValue *signed_root = nr_lower_select(l, negative, negf(l, root), root);
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, rest, zero), zero, signed_root);
}

static NrValue *exp_difference_body(NrLower *l, NrValue *const *a, void *user) {
  return same1(l, NR_OP_math_exp, sub(l, a[0], a[1]));
}

/* The same, but scores near 0 stay there. */
static NrValue *exp_not_zero_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *size = same1(l, NR_OP_math_absf, a[0]), *apart = nr_lower_cmpf(l, NR_CMPF_OGT, size, num(l, size, 1e-7));
  NrValue *small = mul(l, a[0], same1(l, NR_OP_math_exp, negf(l, a[1])));
  return nr_lower_select(l, apart, exp_difference_body(l, a, user), small);
}

/* args: an exponential and their sum, which is 0 where all scores are. */
static NrValue *share_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, a[1], num(l, a[1], 0));
  return nr_lower_select(l, none, num(l, a[0], 0.5), divf(l, a[0], a[1]));
}

static NrValue *softmax(NrLower *l, NrValue *scores, bool zero) {
  NrValue *pair[2] = {scores, nr_lower_max_over(l, scores, 2)};
  pair[0] = nr_lower_map(l, pair, 2, NULL, zero ? exp_not_zero_body : exp_difference_body, NULL);
  if (!pair[0]) return NULL;
  pair[1] = nr_lower_sum_over(l, pair[0], 2);
  return nr_lower_map(l, pair, 2, NULL, share_body, NULL);
}

NrValue *nr_ml_transform(NrLower *l, NrValue *scores, NrMlPost post) {
  if (!scores || post == NR_ML_NONE) return scores;
  if (post == NR_ML_SOFTMAX || post == NR_ML_SOFTMAX_ZERO) return softmax(l, scores, post == NR_ML_SOFTMAX_ZERO);
  return nr_lower_map(l, &scores, 1, NULL, post == NR_ML_LOGISTIC ? logistic_body : probit_body, NULL);
}

typedef struct Second {
  NrValue *score;
  bool complement;
} Second;

static NrValue *second_body(NrLower *l, NrValue *const *indices, void *user) {
  const Second *s = user;
  NrValue *zero = nr_lower_index(l, 0), *at[2] = {indices[0], zero}, *x = nr_lower_extract(l, s->score, at, 2);
  NrValue *other = s->complement ? sub(l, num(l, x, 1), x) : negf(l, x);
  return nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, indices[1], zero), other, x);
}

NrValue *nr_ml_second_class(NrLower *l, NrValue *score, NrMlPost post, bool complement) {
  NrShape shape = nr_lower_shape(l, score);
  shape.dims[1] = nr_dim(2);
  Second s = {score, complement && (post == NR_ML_NONE || post == NR_ML_PROBIT)};
  return nr_ml_transform(l, nr_lower_generate(l, &shape, score->type->elem, second_body, &s), post);
}

NrValue *nr_ml_best(NrLower *l, NrValue *scores) {
  NrShape rows = {1, {nr_lower_dim(l, scores, 0)}};
  return nr_lower_reshape(l, nr_lower_argmax_over(l, scores, 1), &rows);
}
