/* eval_float.c - evaluation of element-wise ops that take or give floats, computed in double; see eval.h. Rounding to a
 * smaller type is correct for + - * / sqrt, because double has more than twice its digits (Figueroa 1995). */
#include "base/float_format.h"
#include "dialect/arith/compare.h"
#include "dialect/arith/eval.h"

#include <math.h>

static double max_number(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static double min_number(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static bool float_binary(unsigned id, double a, double b, double *out) {
  switch (id) {
  case NR_OP_arith_addf: *out = a + b; return true;
  case NR_OP_arith_subf: *out = a - b; return true;
  case NR_OP_arith_mulf: *out = a * b; return true;
  case NR_OP_arith_divf: *out = a / b; return true;
  case NR_OP_arith_remf: *out = fmod(a, b); return true;
  case NR_OP_arith_maximumf: *out = isnan(a) || isnan(b) ? NAN : max_number(a, b); return true;
  case NR_OP_arith_minimumf: *out = isnan(a) || isnan(b) ? NAN : min_number(a, b); return true;
  case NR_OP_arith_maxnumf: *out = max_number(a, b); return true;
  case NR_OP_arith_minnumf: *out = min_number(a, b); return true;
  case NR_OP_math_powf: *out = pow(a, b); return true;
  case NR_OP_math_atan2: *out = atan2(a, b); return true;
  case NR_OP_math_copysign: *out = copysign(a, b); return true; /* for formats that change_sign does not handle */
  default: return false;
  }
}

static bool float_unary(unsigned id, double a, double *out) {
  switch (id) {
  case NR_OP_arith_negf: *out = -a; return true;
  case NR_OP_math_absf: *out = fabs(a); return true;
  case NR_OP_math_ceil: *out = ceil(a); return true;
  case NR_OP_math_floor: *out = floor(a); return true;
  case NR_OP_math_round: *out = round(a); return true;
  case NR_OP_math_roundeven: *out = nearbyint(a); return true;
  case NR_OP_math_trunc: *out = trunc(a); return true;
  case NR_OP_math_sqrt: *out = sqrt(a); return true;
  case NR_OP_math_rsqrt: *out = 1 / sqrt(a); return true;
  case NR_OP_math_cbrt: *out = cbrt(a); return true;
  case NR_OP_math_exp: *out = exp(a); return true;
  case NR_OP_math_exp2: *out = exp2(a); return true;
  case NR_OP_math_expm1: *out = expm1(a); return true;
  case NR_OP_math_log: *out = log(a); return true;
  case NR_OP_math_log2: *out = log2(a); return true;
  case NR_OP_math_log10: *out = log10(a); return true;
  case NR_OP_math_log1p: *out = log1p(a); return true;
  case NR_OP_math_sin: *out = sin(a); return true;
  case NR_OP_math_cos: *out = cos(a); return true;
  case NR_OP_math_tan: *out = tan(a); return true;
  case NR_OP_math_asin: *out = asin(a); return true;
  case NR_OP_math_acos: *out = acos(a); return true;
  case NR_OP_math_atan: *out = atan(a); return true;
  case NR_OP_math_sinh: *out = sinh(a); return true;
  case NR_OP_math_cosh: *out = cosh(a); return true;
  case NR_OP_math_tanh: *out = tanh(a); return true;
  case NR_OP_math_asinh: *out = asinh(a); return true;
  case NR_OP_math_acosh: *out = acosh(a); return true;
  case NR_OP_math_atanh: *out = atanh(a); return true;
  case NR_OP_math_erf: *out = erf(a); return true;
  case NR_OP_math_erfc: *out = erfc(a); return true;
  default: return false;
  }
}

/* ---- rounding ---- */

static uint64_t rounded(NrType out, double value, const NrType *types, const uint64_t *args, size_t num_args) {
  if (!isnan(value)) return nr_bits_from_float(out, value);
  for (size_t i = 0; i < num_args; i++)
    if (types[i] == out && isnan(nr_bits_to_float(out, args[i]))) return args[i];
  return nr_bits_from_float(out, (double)NAN);
}

/* The next representable value above or below v. */
static uint64_t neighbour(NrType type, uint64_t v, bool up) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (format && format->unsigned_no_zero) return up ? v + 1 : v - 1;
  uint64_t sign = 1ull << (type->width - 1);
  bool negative = v & sign;
  if ((v & ~sign) == 0) return up ? 1 : sign | 1;
  uint64_t bits = negative != up ? v + 1 : v - 1;
  bool is_nan = format && format->nan == NR_NAN_NEG_ZERO && bits == sign;
  return is_nan ? 0 : bits;
}

/* Rounds `exact` by op's attribute roundingmode. */
static uint64_t round_as(const NrOp *op, NrType to, double exact) {
  enum { TO_NEAREST_EVEN, DOWNWARD, UPWARD, TOWARD_ZERO };
  uint64_t near = nr_bits_from_float(to, exact);
  int64_t mode = nr_op_attr_int(op, NR_A_roundingmode, TO_NEAREST_EVEN);
  double have = nr_bits_to_float(to, near);
  if (mode == TO_NEAREST_EVEN || isnan(exact) || isnan(have) || have == exact) return near;
  bool up = have < exact;
  uint64_t next = neighbour(to, near, up);
  double other = nr_bits_to_float(to, next);
  if (!(up ? other > have : other < have)) return near; /* the largest value has no neighbour */
  bool tie = fabs(exact - have) == fabs(other - exact);
  bool take = mode == DOWNWARD ? !up
              : mode == UPWARD ? up
              : mode == TOWARD_ZERO ? fabs(have) > fabs(exact)
                                    : tie && fabs(other) > fabs(have);
  return take ? next : near;
}

/* ---- conversions ---- */

/* Converts a float to an integer as arith.fptosi and fptoui do; out of range is undefined. */
static bool float_to_int(NrType to, bool is_unsigned, double d, uint64_t *out, const char **why) {
  uint32_t width = to->width;
  double limit = ldexp(1, (int)(is_unsigned ? width : width - 1));
  d = trunc(d);
  if (isnan(d) || d >= limit || d < (is_unsigned ? 0 : -limit)) *why = "the number does not fit the integer";
  else *out = is_unsigned ? nr_bits_from_int(to, (int64_t)(uint64_t)d) : nr_bits_from_int(to, (int64_t)d);
  return true;
}

static bool convert(const NrOp *op, NrType to, NrType from, uint64_t v, uint64_t *out, const char **why) {
  switch (op->info->id) {
  case NR_OP_arith_index_cast:
  case NR_OP_arith_extsi: *out = nr_bits_from_int(to, nr_bits_to_int(from, v)); return true;
  case NR_OP_arith_index_castui:
  case NR_OP_arith_extui:
  case NR_OP_arith_trunci: *out = nr_bits_from_int(to, (int64_t)v); return true;
  case NR_OP_arith_bitcast: *out = v; return true;
  case NR_OP_arith_extf: *out = nr_bits_from_float(to, nr_bits_to_float(from, v)); return true;
  case NR_OP_arith_truncf: *out = round_as(op, to, nr_bits_to_float(from, v)); return true;
  case NR_OP_arith_sitofp: {
    int64_t i = nr_bits_to_int(from, v);
    float f = (float)i; /* converting to float directly rounds once */
    *out = nr_type_is_float_kind(to, NR_F32) ? nr_bits_from_float(to, f) : nr_bits_from_float(to, (double)i);
    return true;
  }
  case NR_OP_arith_uitofp: {
    float f = (float)v;
    *out = nr_type_is_float_kind(to, NR_F32) ? nr_bits_from_float(to, f) : nr_bits_from_float(to, (double)v);
    return true;
  }
  case NR_OP_arith_fptosi: return float_to_int(to, false, nr_bits_to_float(from, v), out, why);
  case NR_OP_arith_fptoui: return float_to_int(to, true, nr_bits_to_float(from, v), out, why);
  default: return false;
  }
}

/* ---- ops ---- */

static bool of_three(const NrOp *op, NrType t, double a, double b, double c, double *out) {
  switch (op->info->id) {
  case NR_OP_math_fma:
  case NR_OP_vector_fma:
    *out = nr_type_is_float_kind(t, NR_F32) ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
    return true;
  case NR_OP_math_clampf:
    return float_binary(NR_OP_arith_maximumf, a, b, out) &&
           float_binary(NR_OP_arith_minimumf, *out, c, out);
  default: return false;
  }
}

static bool of_two(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result) {
  double a = nr_bits_to_float(types[0], args[0]), d;
  if (nr_op_is(op, NR_OP_math_fpowi)) {
    int64_t power = nr_bits_to_int(types[1], args[1]);
    /* the conversion of power to double may lose its lowest bit, which decides the sign */
    d = pow(fabs(a), (double)power);
    *result = nr_bits_from_float(out, power & 1 ? copysign(d, a) : d);
    return true;
  }
  if (!nr_type_is_float(types[1])) return false;
  double b = nr_bits_to_float(types[1], args[1]);
  if (nr_op_is(op, NR_OP_arith_scaling_extf) || nr_op_is(op, NR_OP_arith_scaling_truncf)) {
    bool up = nr_op_is(op, NR_OP_arith_scaling_extf);
    if (!nr_type_is_float_kind(types[1], NR_F8E8M0FNU)) return false;
    *result = round_as(op, out, up ? a * b : a / b);
    return true;
  }
  if (!float_binary(op->info->id, a, b, &d)) return false;
  *result = rounded(out, d, types, args, 2);
  return true;
}

/* Evaluates negf, absf and copysign on the sign bit alone, so that they preserve the payload of a NaN. */
static bool change_sign(unsigned id, NrType type, const uint64_t *args, uint64_t *result) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (format && (format->nan == NR_NAN_NEG_ZERO || format->unsigned_no_zero)) return false;
  uint64_t sign = UINT64_C(1) << (type->width - 1);
  switch (id) {
  case NR_OP_arith_negf: *result = args[0] ^ sign; return true;
  case NR_OP_math_absf: *result = args[0] & ~sign; return true;
  case NR_OP_math_copysign: *result = (args[0] & ~sign) | (args[1] & sign); return true;
  default: return false;
  }
}

static double min_normal(NrType type) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (!format) return nr_type_is_float_kind(type, NR_F64) ? 0x1p-1022 : 0x1p-126;
  return ldexp(1, (format->unsigned_no_zero ? 0 : 1) - format->bias);
}

static bool classify(const NrOp *op, NrType type, double a, uint64_t *result) {
  switch (op->info->id) {
  case NR_OP_math_isnan: *result = isnan(a); return true;
  case NR_OP_math_isinf: *result = isinf(a) != 0; return true;
  case NR_OP_math_isfinite: *result = isfinite(a); return true;
  case NR_OP_math_isnormal: *result = isfinite(a) && fabs(a) >= min_normal(type); return true;
  default: return false;
  }
}

bool nr_eval_float(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
                   const char **why) {
  double d;
  if (nr_op_is(op, NR_OP_arith_cmpf)) {
    *result = nr_cmpf_holds(nr_cmpf_of(op), nr_bits_to_float(types[0], args[0]),
                            nr_bits_to_float(types[1], args[1]));
    return true;
  }
  if (op->num_operands == 1 && convert(op, out, types[0], args[0], result, why)) return true;
  if (!nr_type_is_float(types[0])) return false;
  if (types[0] == out && change_sign(op->info->id, out, args, result)) return true;
  if (op->num_operands == 2) return of_two(op, out, types, args, result);
  double a = nr_bits_to_float(types[0], args[0]);
  if (op->num_operands == 1 && classify(op, types[0], a, result)) return true;
  if (!nr_type_is_float(out)) return false;
  if (op->num_operands == 1) {
    if (!float_unary(op->info->id, a, &d)) return false;
  } else if (op->num_operands != 3 ||
             !of_three(op, out, a, nr_bits_to_float(types[1], args[1]), nr_bits_to_float(types[2], args[2]), &d)) {
    return false;
  }
  *result = rounded(out, d, types, args, op->num_operands);
  return true;
}

bool nr_eval_float_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result) {
  double d;
  if (!float_binary(op_id, nr_bits_to_float(type, a), nr_bits_to_float(type, b), &d)) return false;
  *result = rounded(type, d, (NrType[]){type, type}, (uint64_t[]){a, b}, 2);
  return true;
}
