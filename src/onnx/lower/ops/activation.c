/* activation.c - activations: element-wise ops of one tensor and some parameters, Clip, PRelu, SwiGLU. */
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/data.h"

static NrStatus activation(NrLower *l, NrBodyFn body) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  return nr_lower_out(l, 0, nr_lower_map_wide(l, &x, 1, NULL, body, NULL), nr_lower_dtype(l, 0));
}

/* A float attribute as a constant of x's type. */
static NrValue *param(NrLower *l, NrValue *x, const char *name) { return num(l, x, nr_lower_attr_float(l, name)); }

static NrValue *below(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_cmpf(l, NR_CMPF_OLT, a, b); }
static NrValue *exp_minus_1(NrLower *l, NrValue *x) { return same1(l, NR_OP_math_expm1, x); }

/* ---- smooth ones ---- */

NrValue *nr_activation_sigmoid(NrLower *l, NrValue *x) {
  NrValue *one = num(l, x, 1);
  return divf(l, one, add(l, one, same1(l, NR_OP_math_exp, negf(l, x))));
}

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|), which neither overflows nor loses small values. */
NrValue *nr_activation_softplus(NrLower *l, NrValue *x) {
  NrValue *decay = same1(l, NR_OP_math_exp, negf(l, same1(l, NR_OP_math_absf, x)));
  return add(l, larger(l, x, num(l, x, 0)), same1(l, NR_OP_math_log1p, decay));
}

static NrValue *sigmoid_body(NrLower *l, NrValue *const *a, void *user) { return nr_activation_sigmoid(l, a[0]); }
static NrValue *softplus_body(NrLower *l, NrValue *const *a, void *user) { return nr_activation_softplus(l, a[0]); }
static NrValue *mish_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], same1(l, NR_OP_math_tanh, nr_activation_softplus(l, a[0])));
}
static NrValue *swish_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], nr_activation_sigmoid(l, mul(l, a[0], param(l, a[0], "alpha"))));
}
static NrValue *swiglu_body(NrLower *l, NrValue *const *a, void *user) { return mul(l, swish_body(l, a, user), a[1]); }
NrValue *nr_activation_softsign(NrLower *l, NrValue *x) {
  return divf(l, x, add(l, num(l, x, 1), same1(l, NR_OP_math_absf, x)));
}
static NrValue *softsign_body(NrLower *l, NrValue *const *a, void *user) { return nr_activation_softsign(l, a[0]); }

NrValue *nr_activation_gelu(NrLower *l, NrValue *x, bool by_tanh) {
  NrValue *inner;
  if (by_tanh) {
    NrValue *cubic = mul(l, num(l, x, 0.044715), mul(l, x, mul(l, x, x)));
    inner = same1(l, NR_OP_math_tanh, mul(l, num(l, x, 0.79788456080286535588), add(l, x, cubic)));
  } else
    inner = same1(l, NR_OP_math_erf, mul(l, x, num(l, x, 0.70710678118654752440)));
  return mul(l, mul(l, num(l, x, 0.5), x), add(l, num(l, x, 1), inner));
}
static NrValue *gelu_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_activation_gelu(l, a[0], nr_str_is(nr_lower_attr_str(l, "approximate"), "tanh"));
}

NrStatus nr_lower_sigmoid(NrLower *l) { return activation(l, sigmoid_body); }
NrStatus nr_lower_softplus(NrLower *l) { return activation(l, softplus_body); }
NrStatus nr_lower_mish(NrLower *l) { return activation(l, mish_body); }
NrStatus nr_lower_swish(NrLower *l) { return activation(l, swish_body); }
/* The two are of one shape: there is no broadcasting. */
NrStatus nr_lower_swiglu(NrLower *l) {
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  NrShape shape = nr_lower_shape(l, in[0]);
  if (nr_rank(in[1]) != shape.rank) return nr_lower_error(l, "gate and value must have one rank");
  for (size_t i = 0; i < shape.rank; i++)
    if (!nr_lower_dims_agree(l, shape.dims[i], nr_lower_dim(l, in[1], i), "dims of gate and value"))
      return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_map_wide(l, in, 2, NULL, swiglu_body, NULL), nr_lower_dtype(l, 0));
}
NrStatus nr_lower_softsign(NrLower *l) { return activation(l, softsign_body); }
NrStatus nr_lower_gelu(NrLower *l) { return activation(l, gelu_body); }

/* ---- exponential below 0 ---- */

NrValue *nr_activation_elu(NrLower *l, NrValue *x, NrValue *alpha) {
  return nr_lower_select(l, below(l, x, num(l, x, 0)), mul(l, alpha, exp_minus_1(l, x)), x);
}

static NrValue *elu_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_activation_elu(l, a[0], param(l, a[0], "alpha"));
}

static NrValue *celu_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = a[0], *zero = num(l, x, 0), *alpha = param(l, x, "alpha");
  NrValue *low = mul(l, alpha, exp_minus_1(l, divf(l, x, alpha)));
  return add(l, larger(l, x, zero), smaller(l, low, zero));
}

static NrValue *selu_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = a[0], *alpha = param(l, x, "alpha"), *gamma = param(l, x, "gamma");
  NrValue *low = mul(l, alpha, exp_minus_1(l, x));
  return mul(l, gamma, nr_lower_select(l, below(l, x, num(l, x, 0)), low, x));
}

NrStatus nr_lower_elu(NrLower *l) { return activation(l, elu_body); }
NrStatus nr_lower_celu(NrLower *l) { return activation(l, celu_body); }
NrStatus nr_lower_selu(NrLower *l) { return activation(l, selu_body); }

/* ---- piecewise linear ones ---- */

NrValue *nr_activation_hard_sigmoid(NrLower *l, NrValue *x, NrValue *alpha, NrValue *beta) {
  return larger(l, smaller(l, add(l, mul(l, alpha, x), beta), num(l, x, 1)), num(l, x, 0));
}

static NrValue *hard_sigmoid_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_activation_hard_sigmoid(l, a[0], param(l, a[0], "alpha"), param(l, a[0], "beta"));
}
static NrValue *hard_swish_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], nr_activation_hard_sigmoid(l, a[0], num(l, a[0], 1.0 / 6), num(l, a[0], 0.5)));
}
NrValue *nr_activation_leaky_relu(NrLower *l, NrValue *x, NrValue *alpha) {
  return nr_lower_select(l, below(l, x, num(l, x, 0)), mul(l, alpha, x), x);
}
static NrValue *leaky_relu_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_activation_leaky_relu(l, a[0], param(l, a[0], "alpha"));
}
static NrValue *thresholded_relu_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_select(l, below(l, param(l, a[0], "alpha"), a[0]), a[0], num(l, a[0], 0));
}

NrValue *nr_activation_relu(NrLower *l, NrValue *x) { return larger(l, x, num(l, x, 0)); }
static NrValue *relu_body(NrLower *l, NrValue *const *a, void *user) {
  if (nr_type_is_float(a[0]->type)) return nr_activation_relu(l, a[0]);
  return nr_dtype_is_unsigned(nr_lower_dtype(l, 0)) ? a[0] : same2(l, NR_OP_arith_maxsi, a[0], num(l, a[0], 0));
}

/* Integers go through f64: the parameters are fractions, and the result drops its own. */
static NrValue *shrink_body(NrLower *l, NrValue *const *a, void *user) {
  NoriaDType dtype = nr_lower_dtype(l, 0);
  bool whole = nr_dtype_is_int(dtype);
  NrValue *x = whole ? nr_lower_cast(l, a[0], dtype, NORIA_F64, true) : a[0], *zero = num(l, x, 0);
  NrValue *bias = param(l, x, "bias"), *lambd = param(l, x, "lambd");
  NrValue *high = nr_lower_select(l, below(l, lambd, x), sub(l, x, bias), zero);
  NrValue *result = nr_lower_select(l, below(l, x, negf(l, lambd)), add(l, x, bias), high);
  return whole ? nr_lower_cast(l, result, NORIA_F64, dtype, true) : result;
}

static NrStatus number_activation(NrLower *l, NrBodyFn body) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  return nr_lower_out(l, 0, nr_lower_map_wide(l, &x, 1, NULL, body, NULL), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_hard_sigmoid(NrLower *l) { return activation(l, hard_sigmoid_body); }
NrStatus nr_lower_hard_swish(NrLower *l) { return activation(l, hard_swish_body); }
NrStatus nr_lower_leaky_relu(NrLower *l) { return activation(l, leaky_relu_body); }
NrStatus nr_lower_thresholded_relu(NrLower *l) { return activation(l, thresholded_relu_body); }
NrStatus nr_lower_relu(NrLower *l) { return number_activation(l, relu_body); }
NrStatus nr_lower_shrink(NrLower *l) { return number_activation(l, shrink_body); }

/* ---- PRelu ---- */

static NrValue *prelu_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *zero = num(l, a[0], 0), *low = mul(l, a[0], a[1]), *negative;
  if (nr_type_is_float(a[0]->type))
    negative = below(l, a[0], zero);
  else if (nr_dtype_is_unsigned(nr_lower_dtype(l, 0)))
    return a[0];
  else
    negative = nr_lower_cmpi(l, NR_CMPI_SLT, a[0], zero);
  return nr_lower_select(l, negative, low, a[0]);
}

NrStatus nr_lower_prelu(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS) || !nr_lower_same_dtypes(l, 0, 2)) return NR_ERROR_INVALID;
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  /* Before opset 7 a list of slopes was one per channel, dim 1, and not matched from the back. */
  if (l->version < 7 && nr_rank(in[1]) == 1 && nr_rank(in[0]) > 2) {
    NrShape shape = nr_lower_shape(l, in[1]);
    while (shape.rank + 1 < nr_rank(in[0])) shape.dims[shape.rank++] = nr_dim(1);
    in[1] = nr_lower_reshape(l, in[1], &shape);
  }
  return nr_lower_out(l, 0, nr_lower_map_wide(l, in, 2, NULL, prelu_body, NULL), nr_lower_dtype(l, 0));
}

/* ---- Clip ---- */

typedef struct Clip {
  int low, high; /* which argument, -1 = the attribute, -2 = none */
  double low_value, high_value;
} Clip;

static NrValue *limit(NrLower *l, NrValue *x, NrValue *to, bool upper) {
  if (nr_type_is_float(x->type)) return upper ? smaller(l, x, to) : larger(l, x, to);
  bool u = nr_dtype_is_unsigned(nr_lower_dtype(l, 0));
  if (upper) return same2(l, u ? NR_OP_arith_minui : NR_OP_arith_minsi, x, to);
  return same2(l, u ? NR_OP_arith_maxui : NR_OP_arith_maxsi, x, to);
}

static NrValue *clip_body(NrLower *l, NrValue *const *a, void *user) {
  const Clip *c = user;
  NrValue *x = a[0];
  if (c->low > -2) x = limit(l, x, c->low < 0 ? num(l, x, c->low_value) : a[c->low], false);
  if (c->high > -2) x = limit(l, x, c->high < 0 ? num(l, x, c->high_value) : a[c->high], true);
  return x;
}

/* Attributes min and max before opset 11; later one-element inputs, which may be left out. */
NrStatus nr_lower_clip(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  NrValue *in[3] = {nr_lower_in(l, 0)};
  Clip c = {-2, -2, nr_lower_attr_float(l, "min"), nr_lower_attr_float(l, "max")};
  size_t count = 1;
  if (l->version < 11) {
    if (l->version >= 6 || nr_lower_attr(l, "min")) c.low = -1;
    if (l->version >= 6 || nr_lower_attr(l, "max")) c.high = -1;
  }
  for (size_t i = 1; i < 3 && l->version >= 11; i++) {
    NrValue *bound = nr_lower_in(l, i);
    if (!bound) continue;
    if (nr_lower_dtype(l, i) != nr_lower_dtype(l, 0))
      return nr_lower_error(l, "the limit is %s but the input is %s", nr_dtype_name(nr_lower_dtype(l, i)),
                            nr_dtype_name(nr_lower_dtype(l, 0)));
    if (nr_rank(bound)) bound = nr_lower_from_scalar(l, nr_lower_scalar(l, bound));
    *(i == 1 ? &c.low : &c.high) = (int)count;
    in[count++] = bound;
  }
  return nr_lower_out(l, 0, nr_lower_map_wide(l, in, count, NULL, clip_body, &c), nr_lower_dtype(l, 0));
}
