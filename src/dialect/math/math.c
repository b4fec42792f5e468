/* math.c - the ops of dialect math and their hooks.
 *
 * Only functions with exact results are folded. Those that libm rounds differently (exp, sin, ..) are left to run time,
 * so that a program has the same results with and without constants. */
#include "base/float_format.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/shared/fold.h"

#include <math.h>

/* ---- syntax ------------------------------------------------------------------------------------------------------ */

/* math.clampf %x to [%lo, %hi] : f32 */
static NrStatus clampf_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[3];
  NrType type;
  NrStatus status;
  if ((status = nr_p_operand(p, &refs[0])) || (status = nr_p_expect(p, "to")) || (status = nr_p_expect(p, "[")) ||
      (status = nr_p_operand(p, &refs[1])) || (status = nr_p_expect(p, ",")) || (status = nr_p_operand(p, &refs[2])) ||
      (status = nr_p_expect(p, "]")) || (status = nr_arith_parse_flags(p, state)))
    return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &type))) return status;
  nr_p_add_result(p, state, type);
  return nr_p_add_operands(p, state, refs, 3, (NrType[]){type, type, type}, 3);
}

static void clampf_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, " to [");
  nr_w_values(w, op, 1, 2);
  nr_w_puts(w, "]");
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, nr_arith_flag_attrs);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_result(op, 0)->type);
}

/* math.fpowi %x, %n : f32, i32 */
static NrStatus fpowi_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType types[2];
  NrStatus status;
  if ((status = nr_p_operand(p, &refs[0])) || (status = nr_p_expect(p, ",")) || (status = nr_p_operand(p, &refs[1])) ||
      (status = nr_arith_parse_flags(p, state)))
    return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &types[0])) || (status = nr_p_expect(p, ",")) ||
      (status = nr_p_type(p, &types[1])))
    return status;
  nr_p_add_result(p, state, types[0]);
  return nr_p_add_operands(p, state, refs, 2, types, 2);
}

static void fpowi_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, nr_arith_flag_attrs);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 2);
}

/* ---- folds of floats --------------------------------------------------------------------------------------------- */

/* NAME: a float function whose result on the float x is exact or rounded once, also when computed in double. */
#define FLOAT_UNARY(NAME, EXPR)                                                                                        \
  static NrAttr NAME##_scalar(const NrOp *op, NrType out, const NrAttr *in) {                                          \
    if (!nr_float_foldable(in[0])) return NULL;                                                                        \
    double x = in[0]->f;                                                                                               \
    return nr_float_result(out, (EXPR), in, 1);                                                                        \
  }                                                                                                                    \
  static bool fold_##NAME(NrOp *op, const NrAttr *c, NrFold *out) {                                                    \
    return nr_fold_elementwise(op, c, out, NAME##_scalar);                                                             \
  }

FLOAT_UNARY(ceil, ceil(x))
FLOAT_UNARY(floor, floor(x))
FLOAT_UNARY(round, round(x))
FLOAT_UNARY(roundeven, nearbyint(x))
FLOAT_UNARY(trunc, trunc(x))
FLOAT_UNARY(sqrt, sqrt(x)) /* double has more than twice the digits of f32, so that rounding again does no harm */

static uint64_t sign_bit(NrType type) { return UINT64_C(1) << (nr_type_bits(type) - 1); }

static NrAttr absf_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return nr_float_foldable(in[0]) ? nr_attr_float_bits(out, in[0]->bits & ~sign_bit(out)) : NULL;
}

static bool fold_absf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrOp *inner = nr_operand(op, 0)->op;
  if (nr_op_is(inner, NR_OP_math_absf)) return nr_fold_to_value(out, nr_operand(op, 0));
  return nr_fold_elementwise(op, c, out, absf_scalar);
}

static NrAttr copysign_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  if (!nr_float_foldable(in[0]) || !nr_float_foldable(in[1])) return NULL;
  return nr_attr_float_bits(out, (in[0]->bits & ~sign_bit(out)) | (in[1]->bits & sign_bit(out)));
}

static bool fold_copysign(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, copysign_scalar);
}

/* For narrower floats the sum in double may be a tie that the exact sum is not, so only the two native widths fold. */
static NrAttr fma_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  if (!nr_type_is_float_kind(out, NR_F32) && !nr_type_is_float_kind(out, NR_F64)) return NULL;
  double result = nr_type_is_float_kind(out, NR_F32) ? (double)fmaf((float)in[0]->f, (float)in[1]->f, (float)in[2]->f)
                                                     : fma(in[0]->f, in[1]->f, in[2]->f);
  return nr_float_result(out, result, in, 3);
}

static bool fold_fma(NrOp *op, const NrAttr *c, NrFold *out) { return nr_fold_elementwise(op, c, out, fma_scalar); }

/* NAME: a question about the float x. */
#define FLOAT_CLASS(NAME, EXPR)                                                                                        \
  static NrAttr NAME##_scalar(const NrOp *op, NrType out, const NrAttr *in) {                                          \
    if (!in[0] || in[0]->kind != NR_ATTR_FLOAT || nr_type_bits(in[0]->type) > 64) return NULL;                         \
    double x = in[0]->f;                                                                                               \
    return nr_attr_int(out, (EXPR) ? 1 : 0);                                                                           \
  }                                                                                                                    \
  static bool fold_##NAME(NrOp *op, const NrAttr *c, NrFold *out) {                                                    \
    return nr_fold_elementwise(op, c, out, NAME##_scalar);                                                             \
  }

static double least_normal(NrType type) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (!format) return nr_type_is_float_kind(type, NR_F64) ? 0x1p-1022 : 0x1p-126;
  return ldexp(1, (format->unsigned_no_zero ? 0 : 1) - format->bias);
}

FLOAT_CLASS(isfinite, isfinite(x))
FLOAT_CLASS(isinf, isinf(x))
FLOAT_CLASS(isnan, isnan(x))
FLOAT_CLASS(isnormal, isfinite(x) && fabs(x) >= least_normal(in[0]->type))

/* ---- folds of integers ------------------------------------------------------------------------------------------- */

/* NAME: r = EXPR of the integer a. */
#define INT_UNARY(NAME, EXPR)                                                                                          \
  static NrAttr NAME##_scalar(const NrOp *op, NrType out, const NrAttr *in) {                                          \
    NrWide a;                                                                                                          \
    if (!nr_wide_from_attr(in[0], &a)) return NULL;                                                                    \
    NrWide r = (EXPR);                                                                                                 \
    return nr_wide_to_attr(out, &r);                                                                                   \
  }                                                                                                                    \
  static bool fold_##NAME(NrOp *op, const NrAttr *c, NrFold *out) {                                                    \
    return nr_fold_elementwise(op, c, out, NAME##_scalar);                                                             \
  }

INT_UNARY(absi, nr_wide_is_negative(&a) ? nr_wide_neg(&a) : a)
INT_UNARY(ctlz, nr_wide_from_u64(a.width, nr_wide_leading_zeros(&a)))
INT_UNARY(cttz, nr_wide_from_u64(a.width, nr_wide_trailing_zeros(&a)))
INT_UNARY(ctpop, nr_wide_from_u64(a.width, nr_wide_ones(&a)))

/* Powers by squaring. A negative power of 1 and -1 is one of these, of others 0; of 0 it is a division by zero. */
static NrAttr ipowi_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  NrWide base, power;
  if (!nr_wide_from_attr(in[0], &base) || !nr_wide_from_attr(in[1], &power)) return NULL;
  NrWide result = nr_wide_from_u64(base.width, 1);
  if (nr_wide_is_negative(&power)) {
    if (nr_wide_is_zero(&base)) return NULL;
    if (!nr_wide_is_one(&base) && !nr_wide_is_ones(&base)) result = nr_wide_from_u64(base.width, 0);
    else if (power.w[0] & 1) result = base;
    return nr_wide_to_attr(out, &result);
  }
  for (; !nr_wide_is_zero(&power); power = nr_wide_shr(&power, 1, false)) {
    if (power.w[0] & 1) result = nr_wide_mul(&result, &base);
    base = nr_wide_mul(&base, &base);
  }
  return nr_wide_to_attr(out, &result);
}

static bool fold_ipowi(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 1) && !nr_type_is_int_width(nr_type_elem(nr_result(op, 0)->type), 1))
    return nr_fold_to_value(out, nr_operand(op, 0));
  return nr_fold_elementwise(op, c, out, ipowi_scalar);
}

#include "dialect/shared/rows.h"
#include "dialect/math/ops.def"
