/* qlinear.c - ops of com.microsoft that compute on dequantised values and quantise the result, and MulInteger and
 * ReduceSumInteger. */
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/qmatmul.h"
#include "onnx/lower/ops/reduce.h"

enum { MAX_JOINED = 64 };

/* ---- parameters ---- */

/* The scale and zero point of a tensor, as scalars; zero may be NULL. */
typedef struct Parameters {
  NrValue *scale, *zero;
  NoriaDType dtype; /* of the values */
} Parameters;

static NrValue *scalar_in(NrLower *l, size_t i) {
  NrValue *in = nr_lower_in(l, i);
  return in ? nr_lower_scalar(l, in) : NULL;
}

static Parameters parameters(NrLower *l, size_t scale, size_t zero, NoriaDType dtype) {
  return (Parameters){scalar_in(l, scale), scalar_in(l, zero), dtype};
}

static bool is_byte(NrLower *l, size_t i) {
  NoriaDType t = nr_lower_dtype(l, i);
  if (t == NORIA_I8 || t == NORIA_U8) return true;
  return nr_lower_error(l, "input %zu is %s, not int8 or uint8", i, nr_dtype_name(t)), false;
}

static NrValue *dequantized(NrLower *l, NrValue *q, const Parameters *p) {
  return nr_dequantized(l, q, p->scale, p->zero, p->dtype);
}

static NrValue *quantized(NrLower *l, NrValue *x, const Parameters *p) {
  return nr_quantized(l, divf(l, x, p->scale), p->zero, p->dtype, true);
}

static NrValue *dequantize_body(NrLower *l, NrValue *const *a, void *user) { return dequantized(l, a[0], user); }
static NrValue *quantize_body(NrLower *l, NrValue *const *a, void *user) { return quantized(l, a[0], user); }

static NrValue *dequantize(NrLower *l, NrValue *x, Parameters p) {
  return nr_lower_map(l, &x, 1, nr_type_f32(l->ctx), dequantize_body, &p);
}

static NrStatus out_quantized(NrLower *l, NrValue *x, Parameters p) {
  if (!x) return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_map(l, &x, 1, nr_lower_elem_type(l->ctx, p.dtype), quantize_body, &p), p.dtype);
}

/* ---- element by element ---- */

typedef struct Elements {
  Parameters in[2], out;
  double alpha;
} Elements;

static NrStatus elements(NrLower *l, NrValue *const *inputs, size_t count, NrBodyFn body, Elements *e) {
  NrType elem = nr_lower_elem_type(l->ctx, e->out.dtype);
  return nr_lower_out(l, 0, nr_lower_map(l, inputs, count, elem, body, e), e->out.dtype);
}

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  return quantized(l, add(l, dequantized(l, a[0], &e->in[0]), dequantized(l, a[1], &e->in[1])), &e->out);
}

/* The product of the integers is exact. */
static NrValue *integer_product(NrLower *l, NrValue *a, NrValue *b, const Elements *e) {
  return mul(l, nr_quantized_distance(l, a, e->in[0].zero, e->in[0].dtype),
             nr_quantized_distance(l, b, e->in[1].zero, e->in[1].dtype));
}

static NrValue *mul_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  NrValue *product = nr_lower_op1(l, NR_OP_arith_sitofp, e->out.scale->type, integer_product(l, a[0], a[1], e));
  return quantized(l, mul(l, product, mul(l, e->in[0].scale, e->in[1].scale)), &e->out);
}

static NrStatus binary(NrLower *l, NrBodyFn body) {
  NoriaDType t = nr_lower_dtype(l, 0);
  if (!is_byte(l, 0)) return NR_ERROR_INVALID;
  Elements e = {{parameters(l, 1, 2, t), parameters(l, 4, 5, t)}, parameters(l, 6, 7, t), 0};
  return elements(l, (NrValue *[]){nr_lower_in(l, 0), nr_lower_in(l, 3)}, 2, body, &e);
}

NrStatus nr_lower_qlinear_add(NrLower *l) { return binary(l, add_body); }
NrStatus nr_lower_qlinear_mul(NrLower *l) { return binary(l, mul_body); }

static NrValue *mul_integer_body(NrLower *l, NrValue *const *a, void *user) {
  return integer_product(l, a[0], a[1], user);
}

NrStatus nr_lower_mul_integer(NrLower *l) {
  NoriaDType t = nr_lower_dtype(l, 0);
  if (!is_byte(l, 0)) return NR_ERROR_INVALID;
  Elements e = {{{NULL, scalar_in(l, 1), t}, {NULL, scalar_in(l, 3), t}}, {NULL, NULL, NORIA_I32}, 0};
  return elements(l, (NrValue *[]){nr_lower_in(l, 0), nr_lower_in(l, 2)}, 2, mul_integer_body, &e);
}

static NrValue *sigmoid_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  return quantized(l, nr_activation_sigmoid(l, dequantized(l, a[0], &e->in[0])), &e->out);
}

static NrValue *leaky_relu_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  NrValue *x = dequantized(l, a[0], &e->in[0]);
  return quantized(l, nr_activation_leaky_relu(l, x, num(l, x, e->alpha)), &e->out);
}

static NrStatus unary(NrLower *l, NrBodyFn body, double alpha) {
  NoriaDType t = nr_lower_dtype(l, 0);
  if (!is_byte(l, 0)) return NR_ERROR_INVALID;
  Elements e = {{parameters(l, 1, 2, t)}, parameters(l, 3, 4, t), alpha};
  return elements(l, (NrValue *[]){nr_lower_in(l, 0)}, 1, body, &e);
}

NrStatus nr_lower_qlinear_sigmoid(NrLower *l) { return unary(l, sigmoid_body, 0); }
NrStatus nr_lower_qlinear_leaky_relu(NrLower *l) {
  return unary(l, leaky_relu_body, nr_lower_attr_float(l, "alpha"));
}

static NrValue *where_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  NrValue *x = dequantized(l, a[1], &e->in[0]), *y = dequantized(l, a[2], &e->in[1]);
  return quantized(l, nr_lower_select(l, a[0], x, y), &e->out);
}

NrStatus nr_lower_qlinear_where(NrLower *l) {
  NoriaDType t = nr_lower_dtype(l, 1);
  if (!is_byte(l, 1)) return NR_ERROR_INVALID;
  Elements e = {{parameters(l, 2, 3, t), parameters(l, 5, 6, t)}, parameters(l, 7, 8, t), 0};
  return elements(l, (NrValue *[]){nr_lower_in(l, 0), nr_lower_in(l, 1), nr_lower_in(l, 4)}, 3, where_body, &e);
}

static NrValue *requantize_body(NrLower *l, NrValue *const *a, void *user) {
  const Elements *e = user;
  return quantized(l, dequantized(l, a[0], &e->in[0]), &e->out);
}

NrStatus nr_lower_qlinear_concat(NrLower *l) {
  size_t count = (nr_lower_num_in(l) - 2) / 3, axis;
  NoriaDType to = nr_lower_dtype(l, 1);
  NrValue *parts[MAX_JOINED];
  if (count == 0 || nr_lower_num_in(l) != 2 + 3 * count)
    return nr_lower_error(l, "has %zu inputs; each tensor comes with a scale and a zero point", nr_lower_num_in(l));
  if (count > MAX_JOINED) return nr_lower_error(l, "more than %d tensors", MAX_JOINED);
  for (size_t i = 0; i < count; i++) {
    size_t at = 2 + 3 * i;
    if (!is_byte(l, at)) return NR_ERROR_INVALID;
    if (nr_lower_dtype(l, at + 1) != NORIA_F32 || nr_lower_dtype(l, at + 2) != nr_lower_dtype(l, at))
      return nr_lower_error(l, "inputs %zu to %zu are not a tensor, its scale and its zero point", at, at + 2);
    if (nr_rank(nr_lower_in(l, at)) != nr_rank(nr_lower_in(l, 2)))
      return nr_lower_error(l, "the tensors differ in rank");
    Elements e = {{parameters(l, at + 1, at + 2, nr_lower_dtype(l, at))}, parameters(l, 0, 1, to), 0};
    NrValue *x = nr_lower_in(l, at);
    parts[i] = nr_lower_map(l, &x, 1, nr_lower_elem_type(l->ctx, to), requantize_body, &e);
  }
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(parts[0]), &axis)) return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_concat(l, parts, count, axis), to);
}

/* ---- over axes and windows ---- */

/* Input 0 dequantised, for ops whose inputs are x, its scale and zero point, and those of the result; NULL after an
 * error. */
static NrValue *dequantized_input(NrLower *l, Parameters *out) {
  NoriaDType t = nr_lower_dtype(l, 0);
  if (!is_byte(l, 0)) return NULL;
  *out = parameters(l, 3, 4, t);
  return dequantize(l, nr_lower_in(l, 0), parameters(l, 1, 2, t));
}

NrStatus nr_lower_qlinear_reduce_mean(NrLower *l) {
  Parameters out = {0};
  NrAxes axes;
  NrValue *x = dequantized_input(l, &out);
  if (!x || !nr_lower_axes(l, x, false, false, &axes)) return NR_ERROR_INVALID;
  x = nr_lower_mean_over(l, x, axes.known);
  return out_quantized(l, nr_lower_attr_int(l, "keepdims") ? x : nr_lower_drop_axes(l, x, &axes), out);
}

NrStatus nr_lower_qlinear_softmax(NrLower *l) {
  Parameters out = {0};
  uint64_t axes;
  int64_t version = nr_lower_attr_int_or(l, "opset", 0);
  if (version < 1) return nr_lower_error(l, "attribute opset is %lld; it must be positive", (long long)version);
  NrValue *x = dequantized_input(l, &out);
  if (!x || !nr_lower_softmax_axes(l, nr_rank(x), version, &axes)) return NR_ERROR_INVALID;
  return out_quantized(l, nr_lower_softmax_over(l, x, axes), out);
}

NrStatus nr_lower_qlinear_global_average_pool(NrLower *l) {
  Parameters out = {0};
  NrValue *x = dequantized_input(l, &out);
  bool last = nr_lower_attr_int(l, "channels_last") != 0;
  if (!x) return NR_ERROR_INVALID;
  size_t rank = nr_rank(x);
  if (rank < 3) return nr_lower_error(l, "X has rank %zu; pooling needs 3 or more", rank);
  uint64_t all = (UINT64_C(1) << rank) - 1, channel = UINT64_C(1) << (last ? rank - 1 : 1);
  return out_quantized(l, nr_lower_mean_over(l, x, all & ~1ull & ~channel), out);
}

NrStatus nr_lower_qlinear_average_pool(NrLower *l) {
  Parameters out = {0};
  NrValue *x = dequantized_input(l, &out);
  bool last = nr_lower_attr_int(l, "channels_last") != 0;
  if (x && last) x = nr_lower_move_channels(l, x, true);
  if (x) x = nr_lower_average_over_windows(l, x);
  if (x && last) x = nr_lower_move_channels(l, x, false);
  return out_quantized(l, x, out);
}

static NrValue *widen_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_to_i32(l, a[0], *(const NoriaDType *)user);
}

static NrValue *sum_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, add(l, a[0], a[1]); }

NrStatus nr_lower_reduce_sum_integer(NrLower *l) {
  NrAxes axes;
  NoriaDType t = nr_lower_dtype(l, 0);
  NrValue *x = nr_lower_in(l, 0);
  if (!is_byte(l, 0) || !nr_lower_axes(l, x, false, false, &axes)) return NR_ERROR_INVALID;
  NrValue *none = nr_lower_int(l, nr_type_i32(l->ctx), 0);
  x = nr_lower_reduce_axes(l, x, &axes, none, widen_body, sum_body, &t);
  if (!nr_lower_attr_int(l, "keepdims")) x = nr_lower_drop_axes(l, x, &axes);
  return nr_lower_out(l, 0, x, t == NORIA_U8 ? NORIA_U32 : NORIA_I32);
}
