/* softmax.c - Softmax, LogSoftmax, MeanVarianceNormalization, LpNormalization: elementwise maps with the results of
 * reductions over some axes. */
#include "onnx/lower/ops/reduce.h"

bool nr_lower_softmax_axes(NrLower *l, size_t rank, int64_t version, uint64_t *out) {
  bool one = version >= 13;
  size_t axis;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), rank, &axis)) return false;
  uint64_t from = ~UINT64_C(0) << axis, all = (UINT64_C(1) << rank) - 1;
  *out = one ? UINT64_C(1) << axis : from & all;
  return true;
}

static NrValue *map2(NrLower *l, NrValue *a, NrValue *b, NrBodyFn body, void *user) {
  return a && b ? nr_lower_map(l, (NrValue *[]){a, b}, 2, NULL, body, user) : NULL;
}

static NrValue *sub_body(NrLower *l, NrValue *const *a, void *user) { return sub(l, a[0], a[1]); }

/* ---- Softmax ---- */

/* Small floats are f32 from the input to the result, as ONNX Runtime has them: a sum of 65,520 ones is no f16. */

static NrValue *exp_difference_body(NrLower *l, NrValue *const *a, void *user) {
  return same1(l, NR_OP_math_exp, sub(l, a[0], a[1]));
}
/* One division per row: the sum is at least 1, so it has a reciprocal. */
static NrValue *share_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], divf(l, num(l, a[0], 1), a[1]));
}

/* args: element, maximum, sum of the exponentials */
static NrValue *log_share_body(NrLower *l, NrValue *const *a, void *user) {
  return sub(l, sub(l, a[0], a[1]), same1(l, NR_OP_math_log, a[2]));
}

/* Relative to the maximum, so that no exponential overflows. */
static NrValue *softmax_over(NrLower *l, NrValue *x, uint64_t axes, bool logarithm) {
  NrValue *top = nr_lower_max_over(l, x, axes), *e = map2(l, x, top, exp_difference_body, NULL);
  if (!e) return NULL;
  NrValue *sum = nr_lower_sum_over(l, e, axes);
  if (!logarithm) return map2(l, e, sum, share_body, NULL);
  return nr_lower_map(l, (NrValue *[]){x, top, sum}, 3, NULL, log_share_body, NULL);
}

NrValue *nr_lower_softmax_over(NrLower *l, NrValue *x, uint64_t axes) { return softmax_over(l, x, axes, false); }

static NrStatus softmax(NrLower *l, bool logarithm) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *in = nr_lower_in(l, 0), *x = nr_lower_widen_tensor(l, in);
  uint64_t axes;
  if (!nr_lower_softmax_axes(l, nr_rank(x), l->version, &axes)) return NR_ERROR_INVALID;
  NrValue *y = softmax_over(l, x, axes, logarithm);
  return nr_lower_out(l, 0, y ? nr_lower_narrow_tensor(l, y, in->type->elem) : NULL, nr_lower_dtype(l, 0));
}

NrStatus nr_lower_softmax(NrLower *l) { return softmax(l, false); }
NrStatus nr_lower_log_softmax(NrLower *l) { return softmax(l, true); }

/* ---- normalisations ---- */

static NrValue *square_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_fast(mul(l, a[0], a[0])); }
static NrValue *abs_body(NrLower *l, NrValue *const *a, void *user) { return same1(l, NR_OP_math_absf, a[0]); }

/* The deviation has the lower limit of the op's function body. */
static NrValue *deviation_body(NrLower *l, NrValue *const *a, void *user) {
  return divf(l, a[0], add(l, same1(l, NR_OP_math_sqrt, a[1]), num(l, a[1], 1e-9)));
}

NrStatus nr_lower_mean_variance_normalization(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *in = nr_lower_in(l, 0), *x = nr_lower_widen_tensor(l, in);
  const int64_t *list = NULL;
  size_t count = 0, axis;
  nr_lower_attr_ints(l, "axes", &list, &count);
  uint64_t axes = 0;
  for (size_t i = 0; i < count; i++) {
    if (!nr_lower_axis(l, list[i], nr_rank(x), &axis)) return NR_ERROR_INVALID;
    axes |= UINT64_C(1) << axis;
  }
  NrValue *d = map2(l, x, nr_lower_mean_over(l, x, axes), sub_body, NULL);
  NrValue *squares = d ? nr_lower_map(l, &d, 1, NULL, square_body, NULL) : NULL;
  NrValue *y = squares ? map2(l, d, nr_lower_mean_over(l, squares, axes), deviation_body, NULL) : NULL;
  return nr_lower_out(l, 0, y ? nr_lower_narrow_tensor(l, y, in->type->elem) : NULL, nr_lower_dtype(l, 0));
}

/* x / norm, 0 where the norm is 0. */
static NrValue *norm_body(NrLower *l, NrValue *const *a, void *user) {
  bool euclid = nr_lower_attr_int(l, "p") == 2;
  NrValue *zero = num(l, a[0], 0), *norm = euclid ? same1(l, NR_OP_math_sqrt, a[1]) : a[1];
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, norm, zero), zero, divf(l, a[0], norm));
}

NrStatus nr_lower_lp_normalization(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  int64_t p = nr_lower_attr_int(l, "p");
  if (p != 1 && p != 2) return nr_lower_error(l, "attribute p is %lld; it must be 1 or 2", (long long)p);
  NrValue *in = nr_lower_in(l, 0), *x = nr_lower_widen_tensor(l, in);
  size_t axis;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(x), &axis)) return NR_ERROR_INVALID;
  NrValue *terms = nr_lower_map(l, &x, 1, NULL, p == 2 ? square_body : abs_body, NULL);
  NrValue *y = terms ? map2(l, x, nr_lower_sum_over(l, terms, UINT64_C(1) << axis), norm_body, NULL) : NULL;
  return nr_lower_out(l, 0, y ? nr_lower_narrow_tensor(l, y, in->type->elem) : NULL, nr_lower_dtype(l, 0));
}
