/* unary.c - element-wise ops of one operand: elementary functions, sign and rounding, tests, negations. */
#include "onnx/lower/core/body.h"

#include <math.h>

/* ---- ops that are one op of dialect math ---- */

typedef struct MathOp {
  unsigned onnx, math;
} MathOp;

static const MathOp math_ops[] = {
    {NR_OP_onnx_Acos, NR_OP_math_acos}, {NR_OP_onnx_Acosh, NR_OP_math_acosh},
    {NR_OP_onnx_Asin, NR_OP_math_asin}, {NR_OP_onnx_Asinh, NR_OP_math_asinh},
    {NR_OP_onnx_Atan, NR_OP_math_atan}, {NR_OP_onnx_Atanh, NR_OP_math_atanh},
    {NR_OP_onnx_Ceil, NR_OP_math_ceil}, {NR_OP_onnx_Cos, NR_OP_math_cos},
    {NR_OP_onnx_Cosh, NR_OP_math_cosh}, {NR_OP_onnx_Erf, NR_OP_math_erf},
    {NR_OP_onnx_Exp, NR_OP_math_exp},   {NR_OP_onnx_Floor, NR_OP_math_floor},
    {NR_OP_onnx_Log, NR_OP_math_log},   {NR_OP_onnx_Round, NR_OP_math_roundeven},
    {NR_OP_onnx_Sin, NR_OP_math_sin},   {NR_OP_onnx_Sinh, NR_OP_math_sinh},
    {NR_OP_onnx_Sqrt, NR_OP_math_sqrt}, {NR_OP_onnx_Tan, NR_OP_math_tan},
    {NR_OP_onnx_Tanh, NR_OP_math_tanh},
};

static NrValue *math_body(NrLower *l, NrValue *const *a, void *user) {
  const MathOp *op = user;
  return same1(l, op->math, a[0]);
}

static NrStatus unary(NrLower *l, NrDTypeClass takes, NrBodyFn body, void *user) {
  if (!nr_lower_takes(l, 0, takes)) return NR_ERROR_INVALID;
  if (nr_lower_num_in(l) > 1) return nr_lower_error(l, "%zu inputs instead of one", nr_lower_num_in(l));
  return nr_lower_out(l, 0, nr_lower_map_wide(l, (NrValue *[]){nr_lower_in(l, 0)}, 1, NULL, body, user),
                      nr_lower_dtype(l, 0));
}

/* Only Erf also accepts integers, and truncates its result. */
static NrValue *whole_erf_body(NrLower *l, NrValue *const *a, void *user) {
  NoriaDType dtype = nr_lower_dtype(l, 0);
  NrValue *y = same1(l, NR_OP_math_erf, nr_lower_cast(l, a[0], dtype, NORIA_F64, true));
  return nr_lower_cast(l, y, NORIA_F64, dtype, true);
}

NrStatus nr_lower_math_unary(NrLower *l) {
  if (nr_op_is(l->op, NR_OP_onnx_Erf) && nr_dtype_is_int(nr_lower_dtype(l, 0)))
    return unary(l, NR_INTS, whole_erf_body, NULL);
  for (size_t i = 0; i < NR_COUNTOF(math_ops); i++) {
    MathOp op = math_ops[i];
    if (op.onnx == l->op->info->id) return unary(l, NR_FLOATS, math_body, &op);
  }
  return nr_lower_error(l, "the op has no elementary function");
}

/* ---- sign ---- */

static NrValue *abs_body(NrLower *l, NrValue *const *a, void *user) {
  if (nr_type_is_float(a[0]->type)) return same1(l, NR_OP_math_absf, a[0]);
  return nr_dtype_is_unsigned(nr_lower_dtype(l, 0)) ? a[0] : same1(l, NR_OP_math_absi, a[0]);
}

static NrValue *neg_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_type_is_float(a[0]->type) ? negf(l, a[0]) : sub(l, num(l, a[0], 0), a[0]);
}

/* -1, 0 or 1; NaN stays. */
static NrValue *sign_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = a[0], *zero = num(l, x, 0), *one = num(l, x, 1), *minus = num(l, x, -1);
  if (nr_type_is_float(x->type)) {
    NrValue *flat = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, x, zero), zero, x);
    NrValue *low = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, x, zero), minus, flat);
    return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, x, zero), one, low);
  }
  NrValue *positive = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, x, zero), zero, one);
  if (nr_dtype_is_unsigned(nr_lower_dtype(l, 0))) return positive;
  return nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, x, zero), minus, positive);
}

static NrValue *reciprocal_body(NrLower *l, NrValue *const *a, void *user) { return divf(l, num(l, a[0], 1), a[0]); }

NrStatus nr_lower_abs(NrLower *l) { return unary(l, NR_NUMBERS, abs_body, NULL); }
NrStatus nr_lower_neg(NrLower *l) { return unary(l, NR_NUMBERS, neg_body, NULL); }
NrStatus nr_lower_sign(NrLower *l) { return unary(l, NR_NUMBERS, sign_body, NULL); }
NrStatus nr_lower_reciprocal(NrLower *l) { return unary(l, NR_FLOATS, reciprocal_body, NULL); }

/* ---- negations of bits ---- */

/* All bits flipped: -1 is all ones in every width, 1 in i1. */
static NrValue *invert_body(NrLower *l, NrValue *const *a, void *user) {
  return same2(l, NR_OP_arith_xori, a[0], nr_lower_int(l, a[0]->type, -1));
}

NrStatus nr_lower_not(NrLower *l) { return unary(l, NR_BOOL, invert_body, NULL); }
NrStatus nr_lower_bitwise_not(NrLower *l) { return unary(l, NR_INTS, invert_body, NULL); }

/* ---- tests ---- */

static NrValue *isnan_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cmpf(l, NR_CMPF_UNO, a[0], a[0]);
}

static NrValue *isinf_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *found = nr_lower_int(l, nr_type_i1(l->ctx), 0);
  if (nr_lower_attr_int(l, "detect_positive"))
    found = either(l, found, nr_lower_cmpf(l, NR_CMPF_OEQ, a[0], num(l, a[0], HUGE_VAL)));
  if (nr_lower_attr_int(l, "detect_negative"))
    found = either(l, found, nr_lower_cmpf(l, NR_CMPF_OEQ, a[0], num(l, a[0], -HUGE_VAL)));
  return found;
}

static NrStatus test(NrLower *l, NrBodyFn body) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *in = nr_lower_in(l, 0);
  return nr_lower_out(l, 0, nr_lower_map_wide(l, &in, 1, nr_type_i1(l->ctx), body, NULL), NORIA_BOOL);
}

NrStatus nr_lower_isnan(NrLower *l) { return test(l, isnan_body); }
NrStatus nr_lower_isinf(NrLower *l) { return test(l, isinf_body); }
