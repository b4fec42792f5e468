/* fused.c - ops of com.microsoft that are several ops of ONNX in one: products and convolutions with an activation,
 * sums under Gelu or a normalisation. */
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/norm.h"

/* ---- activations behind a product ---- */

typedef struct Behind {
  NrStr name;
  double alpha, beta;
} Behind;

static NrValue *behind_body(NrLower *l, NrValue *const *a, void *user) {
  const Behind *p = user;
  NrValue *x = a[0], *alpha = num(l, x, p->alpha), *beta = num(l, x, p->beta);
  if (nr_str_is(p->name, "Relu")) return nr_activation_relu(l, x);
  if (nr_str_is(p->name, "Tanh")) return same1(l, NR_OP_math_tanh, x);
  if (nr_str_is(p->name, "Sigmoid")) return nr_activation_sigmoid(l, x);
  if (nr_str_is(p->name, "LeakyRelu")) return nr_activation_leaky_relu(l, x, alpha);
  if (nr_str_is(p->name, "HardSigmoid")) return nr_activation_hard_sigmoid(l, x, alpha, beta);
  return smaller(l, larger(l, x, alpha), beta); /* Clip */
}

/* Defaults are those of the ops of the same names. given: of alpha and beta. */
static NrValue *activated(NrLower *l, NrValue *x, NrStr name, const float *given, size_t count) {
  static const struct {
    const char *name;
    size_t params;
    double alpha, beta;
  } known[] = {{"Relu", 0, 0, 0},          {"Tanh", 0, 0, 0},        {"Sigmoid", 0, 0, 0},
               {"LeakyRelu", 1, 0.01, 0}, {"HardSigmoid", 2, 0.2, 0.5}, {"Clip", 2, 0, 0}};
  for (size_t i = 0; i < NR_COUNTOF(known); i++) {
    if (!nr_str_is(name, known[i].name)) continue;
    if (nr_str_is(name, "Clip") && count < 2) return nr_lower_error(l, "activation Clip needs its two limits"), NULL;
    if (!nr_type_is_float(x->type->elem))
      return nr_lower_error(l, "activation %s is of floats", known[i].name), NULL;
    Behind p = {name, count > 0 ? given[0] : known[i].alpha, count > 1 ? given[1] : known[i].beta};
    return nr_lower_map_wide(l, &x, 1, NULL, behind_body, &p);
  }
  return nr_lower_error(l, "activation '%.*s' is not known", NR_STR_ARG(name)), NULL;
}

NrStatus nr_lower_fused_gemm(NrLower *l) {
  NrValue *y;
  NR_TRY(nr_lower_gemm_of(l, &y));
  NrAttr name = nr_lower_attr(l, "activation"), alpha = nr_lower_attr(l, "activation_alpha");
  NrAttr beta = nr_lower_attr(l, "activation_beta");
  float given[2] = {alpha ? (float)alpha->f : 0, beta ? (float)beta->f : 0};
  if (name && name->s.size) y = activated(l, y, name->s, given, beta ? 2 : alpha ? 1 : 0);
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) { return add(l, a[0], a[1]); }

static NrValue *plus(NrLower *l, NrValue *a, NrValue *b) {
  return nr_lower_map_wide(l, (NrValue *[]){a, b}, 2, NULL, add_body, NULL);
}

NrStatus nr_lower_fused_conv(NrLower *l) {
  NrValue *y, *z = nr_lower_in(l, 3);
  NR_TRY(nr_lower_conv_of(l, &y));
  NrShape shape = nr_lower_shape(l, y);
  if (z && !nr_lower_expect_shape(l, "Z", z, &shape)) return NR_ERROR_INVALID;
  if (z) y = plus(l, y, z);
  NrAttr name = nr_lower_attr(l, "activation");
  const float *given = NULL;
  size_t count = 0;
  nr_lower_attr_floats(l, "activation_params", &given, &count);
  if (name && name->s.size) y = activated(l, y, name->s, given, count);
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}

/* ---- FusedMatMul ---- */

/* Matrices in the last two dims. first: their rows are in dim 0; swap: rows and columns are the other way round. */
static NrValue *matrices(NrLower *l, NrValue *x, bool first, bool swap) {
  size_t rank = nr_rank(x), perm[NORIA_MAX_RANK];
  if (rank < 2) return x;
  for (size_t i = 0; i < rank; i++) perm[i] = i;
  if (first) {
    for (size_t i = 0; i + 2 < rank; i++) perm[i] = i + 1;
    perm[rank - 2] = 0;
  }
  if (swap) {
    size_t last = perm[rank - 1];
    perm[rank - 1] = perm[rank - 2];
    perm[rank - 2] = last;
  }
  return nr_lower_transpose(l, x, perm);
}

static NrValue *scale_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], num(l, a[0], *(const double *)user));
}

NrStatus nr_lower_fused_matmul(NrLower *l) {
  bool batch = nr_lower_takes_attr(l, "transBatchA");
  NrValue *m[2], *y;
  for (size_t i = 0; i < 2; i++) {
    bool first = batch && nr_lower_attr_int(l, i ? "transBatchB" : "transBatchA") != 0;
    m[i] = matrices(l, nr_lower_in(l, i), first, nr_lower_attr_int(l, i ? "transB" : "transA") != 0);
  }
  double alpha = nr_lower_attr_float(l, "alpha");
  NrMatMul product;
  NR_TRY(nr_lower_matmul_shapes(l, m[0], m[1], &product));
  NrType elem = m[0]->type->elem;
  y = nr_lower_matmul_sum(l, &product, nr_lower_wide_type(elem), (NrSigns){0});
  y = nr_lower_reshape(l, nr_lower_narrow_tensor(l, y, elem), &product.result);
  if (alpha != 1) y = nr_lower_map_wide(l, &y, 1, NULL, scale_body, &alpha);
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}

/* ---- Gelu ---- */

/* Input 1, a vector for the last dim of input 0; NULL after an error. */
static NrValue *bias_of(NrLower *l, size_t i) {
  NrValue *x = nr_lower_in(l, 0);
  if (nr_rank(x) == 0) return nr_lower_error(l, "input 0 is a scalar; a bias is for its last dim"), NULL;
  return nr_lower_is_vector(l, i, nr_lower_dim(l, x, nr_rank(x) - 1)) ? nr_lower_in(l, i) : NULL;
}

static NrValue *gelu_body(NrLower *l, NrValue *const *a, void *user) { return nr_activation_gelu(l, a[0], false); }
static NrValue *bias_gelu_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_activation_gelu(l, add(l, a[0], a[1]), *(const bool *)user);
}
static NrValue *fast_gelu_body(NrLower *l, NrValue *const *a, void *user) { return nr_activation_gelu(l, a[0], true); }

static NrStatus biased_gelu(NrLower *l, bool fast) {
  NrValue *in[2] = {nr_lower_in(l, 0), bias_of(l, 1)};
  return nr_lower_out(l, 0, nr_lower_map_wide(l, in, 2, NULL, bias_gelu_body, &fast), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_microsoft_gelu(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  return nr_lower_out(l, 0, nr_lower_map_wide(l, &x, 1, NULL, gelu_body, NULL), nr_lower_dtype(l, 0));
}
NrStatus nr_lower_bias_gelu(NrLower *l) { return biased_gelu(l, false); }
NrStatus nr_lower_fast_gelu(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  if (nr_lower_in(l, 1)) return biased_gelu(l, true);
  return nr_lower_out(l, 0, nr_lower_map_wide(l, &x, 1, NULL, fast_gelu_body, NULL), nr_lower_dtype(l, 0));
}

static NrValue *split_gelu_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, add(l, a[0], a[1]), nr_activation_gelu(l, add(l, a[2], a[3]), false));
}

NrStatus nr_lower_bias_split_gelu(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *bias = bias_of(l, 1), *parts[4];
  if (!bias) return NR_ERROR_INVALID;
  size_t last = nr_rank(x) - 1;
  NrDim size = nr_lower_dim(l, x, last), half = nr_dim_div(l, size, nr_dim(2)), one = nr_dim(1);
  if (!nr_lower_dims_agree(l, size, nr_dim_mul(l, half, nr_dim(2)), "the last dim, and a multiple of 2"))
    return NR_ERROR_INVALID;
  for (size_t i = 0; i < 2; i++) {
    parts[2 * i] = nr_lower_slice_axis(l, x, last, i ? half : nr_dim(0), half, one);
    parts[2 * i + 1] = nr_lower_slice_axis(l, bias, 0, i ? half : nr_dim(0), half, one);
  }
  return nr_lower_out(l, 0, nr_lower_map_wide(l, parts, 4, NULL, split_gelu_body, NULL), nr_lower_dtype(l, 0));
}

/* ---- normalised sums ---- */

static NrValue *scaled_body(NrLower *l, NrValue *const *a, void *user) { return mul(l, a[0], a[1]); }

/* Output 0: a widened sum, normalised over its last dim, times gamma, plus beta if it is given. */
static NrStatus normalised(NrLower *l, NrValue *sum, size_t gamma, size_t beta, bool centred, NrValue **mean,
                           NrValue **inverse) {
  size_t last = nr_rank(sum) - 1;
  NrDim size = nr_lower_dim(l, sum, last);
  bool has_beta = centred && nr_lower_in(l, beta);
  if (!nr_lower_is_vector(l, gamma, size) || (has_beta && !nr_lower_is_vector(l, beta, size))) return NR_ERROR_INVALID;
  NrValue *y = nr_lower_normalise(l, sum, UINT64_C(1) << last, nr_lower_attr_float(l, "epsilon"), centred, mean,
                                  inverse);
  NrValue *factor = nr_lower_widen_tensor(l, nr_lower_in(l, gamma));
  y = nr_lower_map(l, (NrValue *[]){y, factor}, 2, NULL, scaled_body, NULL);
  if (has_beta) y = nr_lower_sum(l, y, nr_lower_widen_tensor(l, nr_lower_in(l, beta)));
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, nr_lower_in(l, gamma)->type->elem), nr_lower_dtype(l, gamma));
}

/* Inputs: x, skip, gamma, beta if it is centred, bias. */
static NrStatus skip(NrLower *l, bool centred) {
  NrValue *x = nr_lower_in(l, 0), *other = nr_lower_in(l, 1), *mean = NULL, *inverse;
  size_t bias = centred ? 4 : 3;
  NrShape shape = nr_lower_shape(l, x);
  if (shape.rank != 2 && shape.rank != 3) return nr_lower_error(l, "input has rank %zu; it must be 2 or 3", shape.rank);
  if (!nr_lower_expect_broadcast(l, "skip", other, &shape)) return NR_ERROR_INVALID;
  if (nr_lower_in(l, bias) && !nr_lower_is_vector(l, bias, shape.dims[shape.rank - 1])) return NR_ERROR_INVALID;
  NrValue *sum = plus(l, nr_lower_widen_tensor(l, x), nr_lower_widen_tensor(l, other));
  if (nr_lower_in(l, bias)) sum = plus(l, sum, nr_lower_widen_tensor(l, nr_lower_in(l, bias)));
  if (!sum) return NR_ERROR_INVALID;
  NR_TRY(normalised(l, sum, 2, 3, centred, &mean, &inverse));
  if (nr_lower_wants(l, 1) && !mean) return nr_lower_error(l, "output mean is not computed");
  if (mean) NR_TRY(nr_lower_out(l, 1, mean, NORIA_F32));
  NR_TRY(nr_lower_out(l, 2, inverse, NORIA_F32));
  return nr_lower_out(l, 3, nr_lower_narrow_tensor(l, sum, x->type->elem), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_skip_layernormalization(NrLower *l) { return skip(l, true); }
NrStatus nr_lower_skip_simplified_layernormalization(NrLower *l) { return skip(l, false); }

/* ---- EmbedLayerNormalization ---- */

/* Rows of table i at the positions of ids (NULL: 0, 1, ..), widened. NULL after an error. */
static NrValue *rows_of(NrLower *l, const char *name, size_t i, NrValue *ids, const NrShape *shape) {
  NrValue *table = nr_lower_in(l, i);
  if (!table) return nr_lower_error(l, "%s is missing", name), NULL;
  if (!nr_lower_expect_rank(l, name, table, 2)) return NULL;
  NrDim count = nr_lower_dim(l, table, 0);
  if (ids) {
    NrValue *at = nr_lower_positions(l, ids, count);
    return at ? nr_lower_widen_tensor(l, nr_lower_take(l, table, at, 0)) : NULL;
  }
  if (!nr_lower_fits(l, shape->dims[1], count, "%0 positions, of which the embedding has %1")) return NULL;
  return nr_lower_widen_tensor(l, nr_lower_slice_axis(l, table, 0, nr_dim(0), shape->dims[1], nr_dim(1)));
}

static NrValue *is_one_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_op1(l, NR_OP_arith_extui, a[0]->type, nr_lower_cmpi(l, NR_CMPI_EQ, a[0], num(l, a[0], 1)));
}

/* Output 1: the number of words of each row, by the mask. */
static NrStatus count_words(NrLower *l, const NrShape *ids) {
  NrValue *mask = nr_lower_in(l, 7), *zero = nr_lower_int(l, nr_type_i32(l->ctx), 0);
  NrShape each = {1, {ids->dims[0]}};
  if (mask && !nr_lower_expect_shape(l, "mask", mask, ids)) return NR_ERROR_INVALID;
  NrValue *count = mask ? nr_lower_reduce(l, mask, 2, false, zero, is_one_body, add_body, NULL)
                        : nr_lower_fill(l, &each, zero);
  return nr_lower_out(l, 1, count, nr_lower_dtype(l, 0));
}

NrStatus nr_lower_embed_layernormalization(NrLower *l) {
  NrValue *ids = nr_lower_in(l, 0), *segments = nr_lower_in(l, 1), *places = nr_lower_in(l, 8);
  if (!nr_lower_expect_rank(l, "input_ids", ids, 2)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, ids);
  if ((segments && !nr_lower_expect_shape(l, "segment_ids", segments, &shape)) ||
      (places && !nr_lower_expect_broadcast(l, "position_ids", places, &shape)))
    return NR_ERROR_INVALID;
  NrValue *words = rows_of(l, "word_embedding", 2, ids, &shape);
  NrValue *sum = words ? plus(l, words, rows_of(l, "position_embedding", 3, places, &shape)) : NULL;
  if (sum && segments) sum = plus(l, sum, rows_of(l, "segment_embedding", 4, segments, &shape));
  if (!sum) return NR_ERROR_INVALID;
  NR_TRY(normalised(l, sum, 5, 6, true, NULL, NULL));
  NR_TRY(count_words(l, &shape));
  return nr_lower_out(l, 2, nr_lower_narrow_tensor(l, sum, nr_lower_in(l, 2)->type->elem), nr_lower_dtype(l, 2));
}
