/* ml_linear.c - LinearRegressor and LinearClassifier: a product of matrices. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/ml.h"

/* x times the coefficients, `rows` rows of them, plus the intercepts. NULL after an error. */
static NrValue *linear_scores(NrLower *l, NrValue *x, int64_t rows) {
  const float *weights = NULL, *intercepts = NULL;
  size_t count = 0, num_intercepts = 0;
  if (!nr_lower_attr_floats(l, "coefficients", &weights, &count) || !count)
    return nr_lower_error(l, "coefficients is missing"), NULL;
  nr_lower_attr_floats(l, "intercepts", &intercepts, &num_intercepts);
  if (rows < 1 || count % (size_t)rows)
    return nr_lower_error(l, "%zu coefficients are not the same number for each of %lld", count, (long long)rows), NULL;
  if (num_intercepts && num_intercepts != (size_t)rows)
    return nr_lower_error(l, "there are %zu intercepts, not %lld", num_intercepts, (long long)rows), NULL;
  int64_t features = (int64_t)count / rows;
  if (!nr_ml_expect_features(l, x, features)) return NULL;
  NrType elem = x->type->elem;
  NrValue *w = nr_ml_floats(l, weights, (int64_t[]){rows, features}, 2, elem);
  NrShape shape = {2, {nr_lower_dim(l, x, 0), nr_dim(rows)}};
  NrValue *start = num_intercepts ? nr_lower_broadcast_to(l, nr_ml_floats(l, intercepts, &rows, 1, elem), &shape)
                                  : nr_lower_zeros(l, &shape, elem);
  return nr_lower_sum_products(l, x, "mk", w, "nk", "mn", start);
}

NrStatus nr_lower_ml_linear_regressor(NrLower *l) {
  NrMlPost post;
  NrValue *x = nr_ml_matrix(l);
  if (!x || !nr_ml_post_transform(l, &post)) return NR_ERROR_INVALID;
  NrValue *y = nr_ml_transform(l, linear_scores(l, x, nr_lower_attr_int(l, "targets")), post);
  return nr_lower_out(l, 0, nr_ml_convert(l, y, nr_ml_real(nr_lower_dtype(l, 0)), NORIA_F32), NORIA_F32);
}

/* How many rows of coefficients there are: one for each intercept, or as the number of features says. */
static int64_t class_rows(NrLower *l, NrValue *x, size_t num_labels) {
  const float *list;
  size_t count = 0, intercepts = 0;
  nr_lower_attr_floats(l, "coefficients", &list, &count);
  nr_lower_attr_floats(l, "intercepts", &list, &intercepts);
  NrDim features = nr_lower_dim(l, x, 1);
  if (intercepts) return (int64_t)intercepts;
  if (nr_dim_known(features) && features.size > 0) return (int64_t)count / features.size;
  return (int64_t)num_labels;
}

static NrValue *positive_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *above = nr_lower_cmpf(l, NR_CMPF_OGT, a[0], num(l, a[0], 0));
  return nr_lower_op1(l, NR_OP_arith_extui, nr_type_i64(l->ctx), above);
}

/* The number of each row's class: that of the highest score, or of two classes the second when its score is above 0. */
static NrValue *class_of(NrLower *l, NrValue *scores, bool single) {
  if (!single) return nr_ml_best(l, scores);
  NrShape rows = {1, {nr_lower_dim(l, scores, 0)}};
  scores = nr_lower_reshape(l, scores, &rows);
  return nr_lower_map(l, &scores, 1, nr_type_i64(l->ctx), positive_body, NULL);
}

NrStatus nr_lower_ml_linear_classifier(NrLower *l) {
  NrMlPost post;
  NrMlValues labels;
  NrValue *x = nr_ml_matrix(l);
  if (!x || !nr_ml_post_transform(l, &post) || !nr_ml_labels(l, "classlabels_ints", "classlabels_strings", &labels))
    return NR_ERROR_INVALID;
  int64_t rows = class_rows(l, x, labels.count);
  NrValue *scores = linear_scores(l, x, rows);
  if (!scores) return NR_ERROR_INVALID;
  bool single = rows == 1;
  if (labels.count && labels.count != (size_t)(single ? 2 : rows))
    return nr_lower_error(l, "there are %zu class labels for %lld rows of coefficients", labels.count, (long long)rows);
  NR_TRY(nr_lower_out(l, 0, nr_ml_choose(l, class_of(l, scores, single), &labels), labels.dtype));
  scores = single ? nr_ml_second_class(l, scores, post, true) : nr_ml_transform(l, scores, post);
  return nr_lower_out(l, 1, nr_ml_convert(l, scores, nr_ml_real(nr_lower_dtype(l, 0)), NORIA_F32), NORIA_F32);
}
