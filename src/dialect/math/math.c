/* math.c - the op definitions of dialect math, and the hooks of its ops.
 *
 * Only functions with exact results are folded. Functions that libm implementations round differently (exp, sin, ..)
 * are evaluated at run time, so that a program gives the same results with and without constant operands. */
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/math/ops.h"
#include "dialect/arith/fold.h"

/* ---- syntax ------------------------------------------------------------------------------------------------------ */

/* Parses `%x to [%lo, %hi] : f32`. */
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
  nr_w_value(w, nr_math_clampf_value(op));
  nr_w_puts(w, " to [");
  nr_w_values(w, op, 1, 2);
  nr_w_puts(w, "]");
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, nr_arith_flag_attrs);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

/* Parses `%x, %n : f32, i32`. */
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

static bool fold_absf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrOp *inner = nr_math_absf_operand(op)->op;
  if (nr_op_is(inner, NR_OP_math_absf)) return nr_fold_to_value(out, nr_math_absf_operand(op));
  return nr_fold_floats(op, c, out);
}

/* Only for f32 and f64: for narrower floats rounding the sum to double may create a tie that the exact sum is not. */
static bool fold_fma(NrOp *op, const NrAttr *c, NrFold *out) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  bool native = nr_type_is_float_kind(type, NR_F32) || nr_type_is_float_kind(type, NR_F64);
  return native && nr_fold_floats(op, c, out);
}

/* Folds isnan and similar for floats of any type. */
static bool fold_class(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, nr_fold_scalar);
}

/* ---- folds of integers ------------------------------------------------------------------------------------------- */

/* Defines fold_NAME: r = EXPR of the integer a. */
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

/* Exponentiation by squaring. With a negative exponent the result is 1 or -1 for base 1 and -1, 0 for larger bases; for
 * base 0 it is undefined. */
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
  if (nr_const_is_int(c[1], 1) && !nr_type_is_int_width(nr_type_elem(nr_op_result(op)->type), 1))
    return nr_fold_to_value(out, nr_math_ipowi_lhs(op));
  return nr_fold_elementwise(op, c, out, ipowi_scalar);
}

#include "ir/rows.h"
#include "dialect/math/ops.def"
