/* ml.h - shared by the ops of domain ai.onnx.ml; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_ML_H
#define NORIA_ONNX_LOWER_OPS_ML_H

#include "onnx/lower/core/body.h"
#include "onnx/lower/core/state.h"

/* ---- inputs and attributes (ml_read.c) ---- */

/* The type in which the ops compute with numbers of a type: f64 for f64, else f32. */
NoriaDType nr_ml_real(NoriaDType dtype);
/* x, whose elements are of one dtype, with elements of another. */
NrValue *nr_ml_convert(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to);
/* Input 0 as a matrix [N, F] of nr_ml_real numbers: a vector is one row. NULL after an error. */
NrValue *nr_ml_matrix(NrLower *l);
/* The number of features, when a model of `have` coefficients for each is given that many: dim 1 of x is checked. */
bool nr_ml_expect_features(NrLower *l, NrValue *x, int64_t features);
/* A constant tensor of float numbers: data has as many as dims say. */
NrValue *nr_ml_floats(NrLower *l, const float *data, const int64_t *dims, size_t rank, NrType elem);
NrValue *nr_ml_i64s(NrLower *l, const int64_t *data, size_t count);
/* The strings of a list attribute, NULL without it. They outlive the lowering. */
const NrStr *nr_ml_strings(NrLower *l, const char *name, size_t *count);
NrValue *nr_ml_string_tensor(NrLower *l, const NrStr *strings, size_t count);

/* Values that are chosen by their number: the labels of classes, what keys stand for. */
typedef struct NrMlValues {
  NoriaDType dtype;
  size_t count;
  NrValue *table; /* 1-d; NULL: the number itself, as i64 */
} NrMlValues;
/* The labels of a classifier: one of the two attributes, or without both 0, 1, .. False after an error. */
bool nr_ml_labels(NrLower *l, const char *ints, const char *strings, NrMlValues *out);
/* For each element of an i64 tensor, which are all in range, the value of that number. */
NrValue *nr_ml_choose(NrLower *l, NrValue *numbers, const NrMlValues *values);

/* ---- keys (ml_keys.c) ---- */

/* Different values, sorted; order[i]: which of the given values the key is, the last one where some are equal. */
typedef struct NrMlKeys {
  NoriaDType dtype; /* NORIA_STRING, NORIA_I64 (for all integers), NORIA_F32 or NORIA_F64 */
  size_t count;
  size_t *order;
  NrValue *table;
  int64_t nan; /* the given value that is NaN, or -1 */
} NrMlKeys;
NrMlKeys nr_ml_keys_ints(NrLower *l, const int64_t *values, size_t count);
NrMlKeys nr_ml_keys_floats(NrLower *l, const double *values, size_t count, NoriaDType dtype);
NrMlKeys nr_ml_keys_strings(NrLower *l, const NrStr *values, size_t count);
/* For each element of x the number of the given value that it equals, as i64, or `count` without one. */
NrValue *nr_ml_find(NrLower *l, const NrMlKeys *keys, size_t count, NrValue *x, NoriaDType dtype);

/* ---- scores (ml_scores.c) ---- */

typedef enum NrMlPost { /* as TreeEnsemble numbers them */
  NR_ML_NONE,
  NR_ML_SOFTMAX,
  NR_ML_LOGISTIC,
  NR_ML_SOFTMAX_ZERO,
  NR_ML_PROBIT,
} NrMlPost;
bool nr_ml_post_transform(NrLower *l, NrMlPost *out); /* the attribute; false after an error */
/* Scores [N, C] after the transform. */
NrValue *nr_ml_transform(NrLower *l, NrValue *scores, NrMlPost post);
/* The two scores [N, 2] of a classifier with one score [N, 1] for the second class, after the transform. complement:
 * the first class has what is missing to 1, else the opposite. Sigmoid and softmax are of the opposite in any case. */
NrValue *nr_ml_second_class(NrLower *l, NrValue *score, NrMlPost post, bool complement);
/* The number of the first largest score of each row, i64 [N]. */
NrValue *nr_ml_best(NrLower *l, NrValue *scores);

#endif
