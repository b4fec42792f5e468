/* ml.c - ops of domain ai.onnx.ml that prepare features. */
#include "onnx/lower/ops/ml.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/reduce.h"

/* ---- Binarizer ---- */

/* The threshold is a float, so integers are compared as floats. */
static NrValue *binarizer_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_F64, true);
  NrValue *above = nr_lower_cmpf(l, NR_CMPF_OGT, x, num(l, x, nr_lower_attr_float(l, "threshold")));
  return nr_lower_select(l, above, num(l, a[0], 1), num(l, a[0], 0));
}

NrStatus nr_lower_ml_binarizer(NrLower *l) {
  return nr_lower_out(l, 0, nr_lower_map(l, (NrValue *[]){nr_lower_in(l, 0)}, 1, NULL, binarizer_body, NULL),
                      nr_lower_dtype(l, 0));
}

/* ---- Scaler ---- */

/* The numbers of an attribute that has one for all features or one for each of those in the last dim of x, as a tensor
 * that broadcasts to x; `absent` without it. NULL after an error. */
static NrValue *per_feature(NrLower *l, const char *name, NrValue *x, float absent) {
  const float *list = &absent;
  size_t count = 1;
  if (!nr_lower_attr_floats(l, name, &list, &count) || count == 0) list = &absent, count = 1;
  if (count > 1 && nr_rank(x) == 0)
    return nr_lower_error(l, "X is a scalar, but %s has %zu numbers", name, count), NULL;
  if (count > 1 && !nr_ml_expect_features(l, x, (int64_t)count)) return NULL;
  return nr_ml_floats(l, list, &(int64_t){(int64_t)count}, count > 1, nr_type_elem(x->type));
}

static NrValue *scaler_body(NrLower *l, NrValue *const *a, void *user) { return mul(l, sub(l, a[0], a[1]), a[2]); }

NrStatus nr_lower_ml_scaler(NrLower *l) {
  NoriaDType dtype = nr_lower_dtype(l, 0), real = nr_ml_real(dtype);
  NrValue *x = nr_ml_convert(l, nr_lower_in(l, 0), dtype, real);
  NrValue *offset = per_feature(l, "offset", x, 0), *scale = offset ? per_feature(l, "scale", x, 1) : NULL;
  if (!scale) return NR_ERROR_INVALID;
  NrValue *y = nr_lower_map(l, (NrValue *[]){x, offset, scale}, 3, NULL, scaler_body, NULL);
  return nr_lower_out(l, 0, nr_ml_convert(l, y, real, NORIA_F32), NORIA_F32);
}

/* ---- Normalizer ---- */

static NrValue *square_body(NrLower *l, NrValue *const *a, void *user) { return mul(l, a[0], a[0]); }
static NrValue *abs_body(NrLower *l, NrValue *const *a, void *user) { return same1(l, NR_OP_math_absf, a[0]); }
static NrValue *root_body(NrLower *l, NrValue *const *a, void *user) { return same1(l, NR_OP_math_sqrt, a[0]); }

/* x / norm, x where the norm is 0 */
static NrValue *divide_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, a[1], num(l, a[1], 0));
  return nr_lower_select(l, none, a[0], divf(l, a[0], a[1]));
}

NrStatus nr_lower_ml_normalizer(NrLower *l) {
  NoriaDType dtype = nr_lower_dtype(l, 0), real = nr_ml_real(dtype);
  NrValue *x = nr_ml_convert(l, nr_lower_in(l, 0), dtype, real), *norm = NULL;
  NrStr name = nr_lower_attr_str(l, "norm");
  if (nr_rank(x) == 0) return nr_lower_error(l, "X is a scalar; it needs a dim to normalize along");
  uint64_t axes = UINT64_C(1) << (nr_rank(x) - 1);
  if (nr_str_is(name, "MAX")) norm = nr_lower_max_over(l, x, axes);
  else if (nr_str_is(name, "L1")) norm = nr_lower_sum_over(l, nr_lower_map(l, &x, 1, NULL, abs_body, NULL), axes);
  else if (nr_str_is(name, "L2")) norm = nr_lower_sum_over(l, nr_lower_map(l, &x, 1, NULL, square_body, NULL), axes);
  else return nr_lower_error(l, "norm is '%.*s', not MAX, L1 or L2", NR_STR_ARG(name));
  if (nr_str_is(name, "L2")) norm = nr_lower_map(l, &norm, 1, NULL, root_body, NULL);
  NrValue *y = nr_lower_map(l, (NrValue *[]){x, norm}, 2, NULL, divide_body, NULL);
  return nr_lower_out(l, 0, nr_ml_convert(l, y, real, NORIA_F32), NORIA_F32);
}

/* ---- Imputer ---- */

/* args: element, what replaces it */
static NrValue *impute_body(NrLower *l, NrValue *const *a, void *user) {
  NrType type = a[0]->type;
  NrValue *missing;
  if (!nr_type_is_float(type)) {
    NrValue *wide = nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_I64, false);
    NrValue *replaced = nr_lower_int(l, wide->type, nr_lower_attr_int(l, "replaced_value_int64"));
    missing = nr_lower_cmpi(l, NR_CMPI_EQ, wide, replaced);
  } else {
    double value = nr_lower_attr_float(l, "replaced_value_float");
    missing = value != value ? nr_lower_cmpf(l, NR_CMPF_UNO, a[0], a[0])
                             : nr_lower_cmpf(l, NR_CMPF_OEQ, a[0], num(l, a[0], value));
  }
  return nr_lower_select(l, missing, a[1], a[0]);
}

static bool is_of_type(int64_t value, NoriaDType dtype, uint32_t bits) {
  if (nr_dtype_is_unsigned(dtype)) return value >= 0 && (bits >= 63 || value >> bits == 0);
  return value >> (bits - 1) == 0 || value >> (bits - 1) == -1;
}

/* The integers of imputed_value_int64s in the type of x's elements; NULL after an error. */
static NrValue *imputed_ints(NrLower *l, NrValue *x) {
  const int64_t *list = NULL;
  size_t count = 0;
  if (!nr_lower_attr_ints(l, "imputed_value_int64s", &list, &count) || !count)
    return nr_lower_error(l, "X holds integers, and imputed_value_int64s is missing"), NULL;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  for (size_t i = 0; i < count; i++)
    if (!is_of_type(list[i], dtype, nr_type_elem(x->type)->width)) {
      nr_lower_error(l, "imputed_value_int64s has %lld, which is no %s", (long long)list[i], nr_dtype_name(dtype));
      return NULL;
    }
  if (count > 1 && !nr_ml_expect_features(l, x, (int64_t)count)) return NULL;
  return nr_ml_convert(l, nr_ml_i64s(l, list, count), NORIA_I64, nr_lower_dtype(l, 0));
}

NrStatus nr_lower_ml_imputer(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *values = NULL;
  const float *list;
  size_t count = 0;
  if (nr_rank(x) == 0) return nr_lower_error(l, "X is a scalar; it needs a dim for the features");
  if (!nr_type_is_float(nr_type_elem(x->type))) values = imputed_ints(l, x);
  else if (!nr_lower_attr_floats(l, "imputed_value_floats", &list, &count) || !count)
    return nr_lower_error(l, "X holds floats, and imputed_value_floats is missing");
  else values = per_feature(l, "imputed_value_floats", x, 0);
  if (!values) return NR_ERROR_INVALID;
  NrValue *y = nr_lower_map(l, (NrValue *[]){x, values}, 2, NULL, impute_body, NULL);
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}

/* ---- ArrayFeatureExtractor ---- */

/* A vector is taken as a matrix of one row. */
NrStatus nr_lower_ml_array_feature_extractor(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *y = nr_lower_in(l, 1);
  NrShape shape = nr_lower_shape(l, x), indices = nr_lower_shape(l, y);
  if (shape.rank == 0) return nr_lower_error(l, "X is a scalar; it needs a dim to take elements along");
  if (shape.rank == 1) x = nr_lower_reshape(l, x, &(NrShape){2, {nr_dim(1), shape.dims[0]}});
  y = nr_lower_reshape(l, y, &(NrShape){1, {nr_shape_elements(l, &indices, 0, indices.rank)}});
  y = nr_lower_positions(l, y, shape.dims[shape.rank - 1]);
  return nr_lower_out(l, 0, y ? nr_lower_take(l, x, y, nr_rank(x) - 1) : NULL, nr_lower_dtype(l, 0));
}

/* ---- FeatureVectorizer ---- */

/* Input i as f32 [N, C], a vector as one row, with `columns` columns. NULL after an error. */
static NrValue *fitted(NrLower *l, size_t i, NrDim columns) {
  NrValue *x = nr_lower_in(l, i);
  NrShape s = nr_lower_shape(l, x);
  if (s.rank != 1 && s.rank != 2) return nr_lower_error(l, "input %zu has rank %zu, not 1 or 2", i, s.rank), NULL;
  if (s.rank == 1) s = (NrShape){2, {nr_dim(1), s.dims[0]}}, x = nr_lower_reshape(l, x, &s);
  x = nr_ml_convert(l, x, nr_lower_dtype(l, i), NORIA_F32);
  if (!nr_dim_known(columns) || nr_dim_same(columns, s.dims[1])) return x;
  NrDim kept[2] = {s.dims[0], nr_dim_min(l, s.dims[1], columns)}, start[2] = {nr_dim(0), nr_dim(0)};
  s.dims[1] = columns;
  NrValue *zeros = nr_lower_fill(l, &s, nr_lower_float(l, x->type->elem, 0));
  return nr_lower_insert_slice(l, nr_lower_slice(l, x, start, kept, NULL), zeros, start);
}

NrStatus nr_lower_ml_feature_vectorizer(NrLower *l) {
  size_t count = nr_lower_num_in(l), num_sizes = 0;
  const int64_t *sizes = NULL;
  bool sized = nr_lower_attr_ints(l, "inputdimensions", &sizes, &num_sizes);
  if (sized && num_sizes != count)
    return nr_lower_error(l, "inputdimensions has %zu sizes for %zu inputs", num_sizes, count);
  NrValue **parts = NR_NEW_ARRAY(&l->state->arena, NrValue *, count);
  for (size_t i = 0; i < count; i++) {
    if (sized && sizes[i] < 0)
      return nr_lower_error(l, "inputdimensions has %lld for input %zu", (long long)sizes[i], i);
    if (!(parts[i] = fitted(l, i, nr_dim(sized ? sizes[i] : NR_DYNAMIC)))) return NR_ERROR_INVALID;
    if (i && !nr_lower_dims_agree(l, nr_lower_dim(l, parts[i], 0), nr_lower_dim(l, parts[0], 0), "rows of the inputs"))
      return NR_ERROR_INVALID;
  }
  return nr_lower_out(l, 0, nr_lower_concat(l, parts, count, 1), NORIA_F32);
}
