/* fold_float.c - folds of arith's float ops, exact as IEEE 754 rounds them: to nearest, ties to even.
 *
 * f32 and f64 fold in their own precision. f16, bf16 and tf32 fold in double, which has more than twice their digits,
 * so that rounding twice gives the same as rounding once (Figueroa 1995). Other formats (8 bits and fewer, f80, f128)
 * are not folded: how they overflow is a matter of the target. */
#include "dialect/arith/arith.h"
#include "dialect/shared/fold.h"

#include <math.h>

bool nr_float_foldable(NrAttr attr) {
  if (!attr || attr->kind != NR_ATTR_FLOAT) return false;
  switch (attr->type->float_kind) {
  case NR_F16:
  case NR_BF16:
  case NR_TF32:
  case NR_F32:
  case NR_F64: return true;
  default: return false;
  }
}

NrAttr nr_float_result(NrType type, double value, const NrAttr *in, size_t num_operands) {
  if (!isnan(value)) return nr_attr_float(type, value);
  for (size_t i = 0; i < num_operands; i++)
    if (isnan(in[i]->f) && in[i]->type == type) return in[i];
  return nr_attr_float(type, (double)NAN);
}

#define SCALAR(NAME, F32, F64)                                                                                         \
  static NrAttr NAME##_scalar(const NrOp *op, NrType out, const NrAttr *in) {                                          \
    if (!nr_float_foldable(in[0]) || !nr_float_foldable(in[1])) return NULL;                                           \
    if (out->float_kind == NR_F32) {                                                                                   \
      float a = (float)in[0]->f, b = (float)in[1]->f;                                                                  \
      return nr_float_result(out, (double)(F32), in, 2);                                                               \
    }                                                                                                                  \
    double a = in[0]->f, b = in[1]->f;                                                                                 \
    return nr_float_result(out, (F64), in, 2);                                                                         \
  }

/* maximum: NaN wins, 0.0 over -0.0. maxnum: NaN loses. The arguments are exact in double. */
static double maximum(double a, double b) {
  if (isnan(a) || isnan(b)) return (double)NAN;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) {
  if (isnan(a) || isnan(b)) return (double)NAN;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
static double maxnum(double a, double b) { return isnan(a) ? b : isnan(b) ? a : maximum(a, b); }
static double minnum(double a, double b) { return isnan(a) ? b : isnan(b) ? a : minimum(a, b); }

SCALAR(addf, a + b, a + b)
SCALAR(subf, a - b, a - b)
SCALAR(mulf, a *b, a *b)
SCALAR(divf, a / b, a / b)
SCALAR(remf, fmodf(a, b), fmod(a, b))
SCALAR(maximumf, maximum((double)a, (double)b), maximum(a, b))
SCALAR(minimumf, minimum((double)a, (double)b), minimum(a, b))
SCALAR(maxnumf, maxnum((double)a, (double)b), maxnum(a, b))
SCALAR(minnumf, minnum((double)a, (double)b), minnum(a, b))

static NrAttr negf_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  if (!nr_float_foldable(in[0])) return NULL;
  return nr_attr_float_bits(out, in[0]->bits ^ UINT64_C(1) << (nr_type_bits(out) - 1));
}

bool nr_arith_fold_negf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrOp *inner = nr_operand(op, 0)->op;
  if (nr_op_is(inner, NR_OP_arith_negf)) return nr_fold_to_value(out, nr_operand(inner, 0));
  return nr_fold_elementwise(op, c, out, negf_scalar);
}

bool nr_arith_fold_addf(NrOp *op, const NrAttr *c, NrFold *out) {
  /* x + -0.0 = x for all x; x + 0.0 turns -0.0 into 0.0. */
  bool nsz = nr_arith_fastmath_has(op, "nsz");
  for (size_t i = 0; i < 2; i++)
    if (nr_const_is_float(c[i], -0.0) || (nsz && nr_const_is_float(c[i], 0.0)))
      return nr_fold_to_value(out, nr_operand(op, 1 - i));
  return nr_fold_elementwise(op, c, out, addf_scalar);
}

bool nr_arith_fold_subf(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_float(c[1], 0.0) || (nr_arith_fastmath_has(op, "nsz") && nr_const_is_float(c[1], -0.0)))
    return nr_fold_to_value(out, nr_operand(op, 0));
  return nr_fold_elementwise(op, c, out, subf_scalar);
}

bool nr_arith_fold_mulf(NrOp *op, const NrAttr *c, NrFold *out) {
  for (size_t i = 0; i < 2; i++)
    if (nr_const_is_float(c[i], 1.0)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
  return nr_fold_elementwise(op, c, out, mulf_scalar);
}

bool nr_arith_fold_divf(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_float(c[1], 1.0)) return nr_fold_to_value(out, nr_operand(op, 0));
  return nr_fold_elementwise(op, c, out, divf_scalar);
}

bool nr_arith_fold_remf(NrOp *op, const NrAttr *c, NrFold *out) { return nr_fold_elementwise(op, c, out, remf_scalar); }

/* neutral: the infinity that never wins. */
static bool fold_min_max(NrOp *op, const NrAttr *c, NrFold *out, NrScalarFold fn, double neutral, bool nan_wins) {
  if (nr_operand(op, 0) == nr_operand(op, 1)) return nr_fold_to_value(out, nr_operand(op, 0));
  for (size_t i = 0; i < 2; i++) {
    if (nan_wins && nr_const_is_float(c[i], neutral)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
    if (!nr_const_is_nan(c[i])) continue;
    return nan_wins ? nr_fold_to_attr(out, c[i]) : nr_fold_to_value(out, nr_operand(op, 1 - i));
  }
  return nr_fold_elementwise(op, c, out, fn);
}

bool nr_arith_fold_maximumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, maximumf_scalar, -(double)INFINITY, true);
}
bool nr_arith_fold_minimumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, minimumf_scalar, (double)INFINITY, true);
}
bool nr_arith_fold_maxnumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, maxnumf_scalar, -(double)INFINITY, false);
}
bool nr_arith_fold_minnumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, minnumf_scalar, (double)INFINITY, false);
}

static NrAttr cmpf_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  if (!nr_float_foldable(in[0]) || !nr_float_foldable(in[1])) return NULL;
  return nr_attr_int(out, nr_cmpf_holds(nr_cmpf_of(op), in[0]->f, in[1]->f));
}

bool nr_arith_fold_cmpf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrCmpF predicate = nr_cmpf_of(op);
  NrType type = nr_result(op, 0)->type;
  if (predicate == NR_CMPF_FALSE || predicate == NR_CMPF_TRUE)
    return nr_fold_to_attr(out, nr_splat_int(type, predicate == NR_CMPF_TRUE));
  if (nr_const_is_nan(c[0]) || nr_const_is_nan(c[1]))
    return nr_fold_to_attr(out, nr_splat_int(type, nr_cmpf_allows(predicate, NR_UNORDERED)));
  return nr_fold_elementwise(op, c, out, cmpf_scalar);
}
