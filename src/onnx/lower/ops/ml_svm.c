/* ml_svm.c - support vector machines: SVMRegressor and SVMClassifier. The products of kernels with coefficients are
 * products of matrices. */
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/ml.h"

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct Floats {
  const float *data;
  size_t count;
} Floats;

static Floats floats(NrLower *l, const char *name) {
  Floats out = {0};
  nr_lower_attr_floats(l, name, &out.data, &out.count);
  return out;
}

static NrValue *matrix(NrLower *l, Floats data, int64_t rows, NrType elem) {
  return nr_ml_floats(l, data.data, (int64_t[]){rows, (int64_t)data.count / rows}, 2, elem);
}

/* x times the rows of a constant matrix of `rows` rows, whose length is that of x's rows, plus `start` (rank 1, one
 * number for all or one for each row). */
static NrValue *times_rows(NrLower *l, NrValue *x, NrValue *rows, NrValue *start) {
  NrShape shape = {2, {nr_lower_dim(l, x, 0), nr_lower_dim(l, rows, 0)}};
  NrValue *init = start ? nr_lower_broadcast_to(l, start, &shape) : nr_lower_zeros(l, &shape, x->type->elem);
  return nr_lower_sum_products(l, x, "mk", rows, "nk", "mn", init);
}

/* args: a number of x, one of a support vector, the sum so far */
static void distance_body(NrLower *l, NrValue *const *a, NrValue **results, void *user) {
  NrValue *apart = sub(l, a[0], a[1]);
  results[0] = nr_lower_fast(add(l, a[2], nr_lower_fast(mul(l, apart, apart))));
}

/* Squares of the distances between the rows of x and those of `vectors`. */
static NrValue *distances(NrLower *l, NrValue *x, NrValue *vectors) {
  static const uint32_t dims[3][2] = {{0, 2}, {1, 2}, {0, 1}};
  NrAttr maps[3];
  for (int i = 0; i < 3; i++) {
    NrAffineExpr exprs[2] = {nr_affine_dim(l->ctx, dims[i][0]), nr_affine_dim(l->ctx, dims[i][1])};
    maps[i] = nr_attr_affine_map(l->ctx, 3, 0, exprs, 2);
  }
  NrShape shape = {2, {nr_lower_dim(l, x, 0), nr_lower_dim(l, vectors, 0)}};
  NrValue *zeros = nr_lower_zeros(l, &shape, x->type->elem);
  return nr_op_result(nr_lower_generic(l, (NrValue *[]){x, vectors}, 2, &zeros, 1, maps, "ppr", distance_body, NULL));
}

typedef struct Kernel {
  enum { LINEAR, POLY, RBF, SIGMOID } type;
  double gamma, coef0, degree;
} Kernel;

static NrValue *kernel_body(NrLower *l, NrValue *const *a, void *user) {
  const Kernel *k = user;
  NrValue *x = mul(l, a[0], num(l, a[0], k->type == RBF ? -k->gamma : k->gamma));
  if (k->type == RBF) return same1(l, NR_OP_math_exp, x);
  x = add(l, x, num(l, x, k->coef0));
  if (k->type == SIGMOID) return same1(l, NR_OP_math_tanh, x);
  return same2(l, NR_OP_math_powf, x, num(l, x, k->degree));
}

static bool read_kernel(NrLower *l, Kernel *out) {
  static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  NrStr name = nr_lower_attr_str(l, "kernel_type");
  Floats params = floats(l, "kernel_params");
  size_t i = 0;
  while (i < NR_COUNTOF(names) && !nr_str_is(name, names[i])) i++;
  if (i == NR_COUNTOF(names))
    return nr_lower_error(l, "kernel_type is '%.*s', not LINEAR, POLY, RBF or SIGMOID", NR_STR_ARG(name)), false;
  if (params.count && params.count != 3)
    return nr_lower_error(l, "kernel_params has %zu numbers; gamma, coef0 and degree are 3", params.count), false;
  *out = (Kernel){.type = i};
  if (params.count) out->gamma = params.data[0], out->coef0 = params.data[1], out->degree = params.data[2];
  return true;
}

/* The kernel of each row of x with each of `count` support vectors, [N, count]. NULL after an error. */
static NrValue *kernels(NrLower *l, NrValue *x, int64_t count) {
  Kernel k;
  Floats vectors = floats(l, "support_vectors");
  if (!read_kernel(l, &k)) return NULL;
  if (!vectors.count || vectors.count % (size_t)count)
    return nr_lower_error(l, "support_vectors has %zu numbers for %lld vectors", vectors.count, (long long)count), NULL;
  if (!nr_ml_expect_features(l, x, (int64_t)vectors.count / count)) return NULL;
  NrValue *v = matrix(l, vectors, count, x->type->elem);
  NrValue *y = k.type == RBF ? distances(l, x, v) : times_rows(l, x, v, NULL);
  return k.type == LINEAR ? y : nr_lower_map(l, &y, 1, NULL, kernel_body, &k);
}

/* A list of floats that must have `want` numbers, as a tensor. NULL after an error. */
static NrValue *numbers(NrLower *l, const char *name, int64_t want, NrType elem) {
  Floats list = floats(l, name);
  if (list.count == (size_t)want) return nr_ml_floats(l, list.data, &want, 1, elem);
  return nr_lower_error(l, "%s has %zu numbers, not %lld", name, list.count, (long long)want), NULL;
}

/* A machine without support vectors: the features times `rows` rows of coefficients, plus rho. */
static NrValue *linear_scores(NrLower *l, NrValue *x, int64_t rows) {
  Floats weights = floats(l, "coefficients"), rho = floats(l, "rho");
  if (!weights.count || weights.count % (size_t)rows)
    return nr_lower_error(l, "coefficients has %zu numbers for %lld rows", weights.count, (long long)rows), NULL;
  if (!rho.count) return nr_lower_error(l, "rho is missing"), NULL;
  if (!nr_ml_expect_features(l, x, (int64_t)weights.count / rows)) return NULL;
  NrValue *start = nr_ml_floats(l, rho.data, &(int64_t){1}, 1, x->type->elem);
  return times_rows(l, x, matrix(l, weights, rows, x->type->elem), start);
}

/* ---- regression -------------------------------------------------------------------------------------------------- */

static NrValue *side_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, a[0], num(l, a[0], 0)), num(l, a[0], 1), num(l, a[0], -1));
}

NrStatus nr_lower_ml_svm_regressor(NrLower *l) {
  int64_t count = nr_lower_attr_int(l, "n_supports");
  NrMlPost post;
  NrValue *x = nr_ml_matrix(l), *y = NULL;
  if (!x || !nr_ml_post_transform(l, &post)) return NR_ERROR_INVALID;
  if (count < 0) return nr_lower_error(l, "n_supports is %lld", (long long)count);
  if (!count) {
    y = linear_scores(l, x, 1);
  } else {
    NrValue *k = kernels(l, x, count), *weights = k ? numbers(l, "coefficients", count, x->type->elem) : NULL;
    NrValue *rho = weights ? numbers(l, "rho", 1, x->type->elem) : NULL;
    if (rho) y = times_rows(l, k, nr_lower_reshape(l, weights, &(NrShape){2, {nr_dim(1), nr_dim(count)}}), rho);
  }
  if (y && nr_lower_attr_int(l, "one_class")) y = nr_lower_map(l, &y, 1, NULL, side_body, NULL);
  return nr_lower_out(l, 0, nr_ml_convert(l, nr_ml_transform(l, y, post), nr_ml_real(nr_lower_dtype(l, 0)), NORIA_F32),
                      NORIA_F32);
}

/* ---- classification by pairs of classes -------------------------------------------------------------------------- */

typedef struct Pairs {
  int64_t classes, count;  /* count: of pairs (0, 1), (0, 2), .., (1, 2), .. */
  const int64_t *per_class; /* support vectors of each class */
  int64_t *first, *second; /* the classes of each pair */
} Pairs;

static Pairs pairs_of(NrLower *l, const int64_t *per_class, int64_t classes) {
  Pairs p = {.classes = classes, .per_class = per_class};
  size_t most = (size_t)(classes * (classes - 1) / 2 + 1);
  p.first = NR_NEW_ARRAY(&l->state->arena, int64_t, most);
  p.second = NR_NEW_ARRAY(&l->state->arena, int64_t, most);
  for (int64_t i = 0; i < classes; i++)
    for (int64_t j = i + 1; j < classes; j++) p.first[p.count] = i, p.second[p.count++] = j;
  return p;
}

/* For each class the kernels of its vectors times their coefficients, of which a vector has one for each other class:
 * [N, classes * (classes - 1)]. */
static NrValue *class_sums(NrLower *l, NrValue *k, NrValue *weights, const Pairs *p) {
  NrDim rows = nr_lower_dim(l, k, 0), others = nr_dim(p->classes - 1), zero = nr_dim(0);
  NrValue **sums = NR_NEW_ARRAY(&l->state->arena, NrValue *, (size_t)p->classes);
  int64_t at = 0;
  for (int64_t i = 0; i < p->classes; i++) {
    NrDim start[2] = {zero, nr_dim(at)}, own[2] = {rows, nr_dim(p->per_class[i])}, all[2] = {others, own[1]};
    NrValue *kernel = nr_lower_slice(l, k, start, own, NULL), *factors = nr_lower_slice(l, weights, start, all, NULL);
    sums[i] = times_rows(l, kernel, factors, NULL);
    at += p->per_class[i];
  }
  return nr_lower_concat(l, sums, (size_t)p->classes, 1);
}

/* The score of each pair, [N, count]: above 0 it is for the first class. NULL after an error. */
static NrValue *pair_scores(NrLower *l, NrValue *x, const Pairs *p, int64_t vectors) {
  NrType elem = x->type->elem;
  int64_t others = p->classes - 1;
  NrValue *k = kernels(l, x, vectors), *weights = k ? numbers(l, "coefficients", vectors * others, elem) : NULL;
  NrValue *rho = weights ? numbers(l, "rho", p->count, elem) : NULL;
  if (!rho) return NULL;
  weights = nr_lower_reshape(l, weights, &(NrShape){2, {nr_dim(others), nr_dim(vectors)}});
  NrValue *sums = class_sums(l, k, weights, p), *parts[2];
  int64_t *at = NR_NEW_ARRAY(&l->state->arena, int64_t, (size_t)p->count);
  for (int side = 0; side < 2; side++) {
    for (int64_t i = 0; i < p->count; i++)
      at[i] = side ? p->second[i] * others + p->first[i] : p->first[i] * others + p->second[i] - 1;
    parts[side] = nr_lower_take(l, sums, nr_ml_i64s(l, at, (size_t)p->count), 1);
  }
  return nr_lower_sum(l, nr_lower_sum(l, parts[0], parts[1]), rho);
}

/* args: score, first and second class of a pair, the votes of a class so far */
static void vote_body(NrLower *l, NrValue *const *a, NrValue **results, void *user) {
  NrValue *class = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_lower_loop_index(l, 1));
  NrValue *above = nr_lower_cmpf(l, NR_CMPF_OGT, a[0], num(l, a[0], 0));
  NrValue *won = nr_lower_cmpi(l, NR_CMPI_EQ, nr_lower_select(l, above, a[1], a[2]), class);
  results[0] = add(l, a[3], nr_lower_select(l, won, num(l, a[3], 1), num(l, a[3], 0)));
}

/* How many pairs each class wins, [N, classes]. */
static NrValue *votes(NrLower *l, NrValue *scores, const Pairs *p) {
  NrAffineExpr n = nr_affine_dim(l->ctx, 0), class = nr_affine_dim(l->ctx, 1), pair = nr_affine_dim(l->ctx, 2);
  NrAttr maps[4] = {nr_attr_affine_map(l->ctx, 3, 0, (NrAffineExpr[]){n, pair}, 2),
                    nr_attr_affine_map(l->ctx, 3, 0, &pair, 1), nr_attr_affine_map(l->ctx, 3, 0, &pair, 1),
                    nr_attr_affine_map(l->ctx, 3, 0, (NrAffineExpr[]){n, class}, 2)};
  NrShape shape = {2, {nr_lower_dim(l, scores, 0), nr_dim(p->classes)}};
  NrValue *zeros = nr_lower_zeros(l, &shape, scores->type->elem);
  NrValue *inputs[3] = {scores, nr_ml_i64s(l, p->first, (size_t)p->count), nr_ml_i64s(l, p->second, (size_t)p->count)};
  return nr_op_result(nr_lower_generic(l, inputs, 3, &zeros, 1, maps, "ppr", vote_body, NULL));
}

/* args: score, prob_a, prob_b. The sigmoid of -(score * a + b), kept off 0 and 1. */
static NrValue *pair_probability_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *one = num(l, a[0], 1), *x = add(l, mul(l, a[0], a[1]), a[2]);
  NrValue *y = divf(l, one, add(l, one, same1(l, NR_OP_math_exp, x)));
  return smaller(l, larger(l, y, num(l, y, 1e-7)), num(l, y, 1 - 1e-7));
}

/* Probabilities of the classes, [N, classes]. NULL after an error. */
static NrValue *probabilities(NrLower *l, NrValue *scores, const Pairs *p) {
  NrType elem = scores->type->elem;
  NrValue *a = numbers(l, "prob_a", p->count, elem), *b = a ? numbers(l, "prob_b", p->count, elem) : NULL, *result;
  if (!b) return NULL;
  NrValue *pairs = nr_lower_map(l, (NrValue *[]){scores, a, b}, 3, NULL, pair_probability_body, NULL);
  NrValue *args[2] = {pairs, nr_lower_index(l, p->classes)};
  NrStr prelude = nr_str(nr_type_bits(elem) == 64 ? "!T = f64\n" : "!T = f32\n");
  if (nr_lower_kernel(l, "svm_coupling", prelude, args, 2, &result, 1)) return NULL;
  NrShape shape = {2, {nr_lower_dim(l, scores, 0), nr_dim(p->classes)}};
  result = nr_lower_tensor_cast(l, result, nr_shape_type(l, &shape, elem));
  nr_lower_set_dim(l, result, 0, shape.dims[0]);
  return result;
}

NrStatus nr_lower_ml_svm_classifier(NrLower *l) {
  const int64_t *per_class = NULL;
  size_t num_classes = 0;
  int64_t vectors = 0;
  NrMlPost post;
  NrMlValues labels;
  NrValue *x = nr_ml_matrix(l), *scores, *best;
  if (!x || !nr_ml_post_transform(l, &post) || !nr_ml_labels(l, "classlabels_ints", "classlabels_strings", &labels))
    return NR_ERROR_INVALID;
  nr_lower_attr_ints(l, "vectors_per_class", &per_class, &num_classes);
  for (size_t i = 0; i < num_classes; i++) {
    if (per_class[i] < 0 || per_class[i] > INT32_MAX || vectors > INT32_MAX)
      return nr_lower_error(l, "vectors_per_class has %lld for class %zu", (long long)per_class[i], i);
    vectors += per_class[i];
  }
  if (!vectors) {
    scores = linear_scores(l, x, (int64_t)NR_MAX(labels.count, 1));
    best = scores ? nr_ml_best(l, scores) : NULL;
  } else {
    if (num_classes < 2 || num_classes > UINT16_MAX)
      return nr_lower_error(l, "vectors_per_class has %zu classes", num_classes);
    if (labels.count && labels.count != num_classes)
      return nr_lower_error(l, "there are %zu class labels for %zu classes", labels.count, num_classes);
    Pairs p = pairs_of(l, per_class, (int64_t)num_classes);
    if (!(scores = pair_scores(l, x, &p, vectors))) return NR_ERROR_INVALID;
    best = nr_ml_best(l, votes(l, scores, &p));
    if (floats(l, "prob_a").count) scores = probabilities(l, scores, &p);
  }
  if (!scores) return NR_ERROR_INVALID;
  NR_TRY(nr_lower_out(l, 0, nr_ml_choose(l, best, &labels), labels.dtype));
  bool single = nr_dim_is(nr_lower_dim(l, scores, 1), 1) && labels.count != 1;
  scores = single ? nr_ml_second_class(l, scores, post, false) : nr_ml_transform(l, scores, post);
  return nr_lower_out(l, 1, nr_ml_convert(l, scores, nr_ml_real(nr_lower_dtype(l, 0)), NORIA_F32), NORIA_F32);
}
