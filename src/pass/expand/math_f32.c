/* math_f32.c - exp, log, tanh, erf and their kin for f32 as straight code, which LLVM's vectoriser takes into vector
 * loops. Largest errors, measured against the C library in double over all of the range
 * (tests/unit/codegen/test_math.c): exp 1.0 ulp, exp2 0.8, expm1 1.4, log 0.8, log2 1.7, log10 1.9, log1p 1.5,
 * tanh 2.5, erf 1.2. Infinities, NaN, signed zeros and subnormal numbers as in C. The polynomials are found by
 * scripts/fit_math.py.
 *
 * No flag of fast math goes on these instructions: they rely on exact roundings. */
#include "pass/expand/expand.h"

/* ---- words ------------------------------------------------------------------------------------------------------ */

typedef NrExpand G;
typedef NrValue *V;

static V num(G *g, V like, double value) { return nr_expand_float(g, like, value); }
static V bits(G *g, V like, uint32_t value) { return nr_expand_int(g, like, value); }
static V add(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_addf, a, b); }
static V sub(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_subf, a, b); }
static V mul(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_mulf, a, b); }
static V quotient(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_divf, a, b); }
static V absolute(G *g, V a) { return nr_expand_one(g, NR_OP_math_absf, a); }
static V copysign_of(G *g, V magnitude, V sign) { return nr_expand_two(g, NR_OP_math_copysign, magnitude, sign); }
static V iadd(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_addi, a, b); }
static V isub(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_subi, a, b); }
static V shift(G *g, unsigned op_id, V a, uint32_t by) { return nr_expand_two(g, op_id, a, bits(g, a, by)); }
static V pick(G *g, V cond, V yes, V no) { return nr_expand_pick(g, cond, yes, no); }
static V compare(G *g, NrCmpF p, V a, double value) { return nr_expand_compare(g, p, a, value); }
static V fused(G *g, V a, V b, V c) { return nr_expand_fused(g, a, b, c); }
static V as_int(G *g, V a) { return nr_expand_bits(g, a); }
static V as_float(G *g, V a) { return nr_expand_from_bits(g, a, nr_type_f32(g->b.ctx)); }
#define POLYNOMIAL(g, at, table) nr_expand_polynomial(g, at, table, NR_COUNTOF(table))

static V at_most(G *g, V a, double limit) { return pick(g, compare(g, NR_CMPF_OGT, a, limit), num(g, a, limit), a); }
static V at_least(G *g, V a, double limit) { return pick(g, compare(g, NR_CMPF_OLT, a, limit), num(g, a, limit), a); }

/* ---- exponentials ----------------------------------------------------------------------------------------------- */

static const double exp_tail[] = {0x1.fffffcp-2f, 0x1.55548ap-3f, 0x1.555916p-5f, 0x1.123fc6p-7f, 0x1.6a1a6ep-10f};
static const double exp2_tail[] = {0x1.62e430p-1f,  0x1.ebfbe0p-3f,  0x1.c6b08ap-5f, 0x1.3b29ecp-7f,
                                   0x1.5d8aa0p-10f, 0x1.446350p-13f, 0x1.fddc44p-17f};
#define LN2_HIGH 0x1.62e4p-1 /* 15 bits: a product with an exponent is exact */
#define LN2_LOW 0x1.7f7d1cp-20
#define ROUNDER 0x1.8p23 /* x + ROUNDER has the nearest integer to x in its last bits */

/* The nearest integer to x * factor, as a float and as an int. For NaN the float is NaN, and the int is undefined. */
static V nearest(G *g, V x, V factor, V *out_int) {
  V shifted = fused(g, x, factor, num(g, x, ROUNDER));
  V base = num(g, x, ROUNDER);
  *out_int = isub(g, as_int(g, shifted), as_int(g, base));
  return sub(g, shifted, base);
}

static V power_of_two(G *g, V n) {
  return as_float(g, shift(g, NR_OP_arith_shli, iadd(g, n, bits(g, n, 127)), 23));
}

/* y * 2^n for any n that an f32 result can have. Two factors, each a normal number, let it overflow to infinity and
 * underflow to subnormal numbers. */
static V scale(G *g, V y, V n) {
  V half = shift(g, NR_OP_arith_shrsi, n, 1);
  return mul(g, mul(g, y, power_of_two(g, half)), power_of_two(g, isub(g, n, half)));
}

/* e^x = 2^n * (1 + *out_rest), where x = n * ln(2) + r and |r| <= ln(2)/2. */
static void exp_parts(G *g, V x, V *out_n, V *out_rest) {
  V whole = nearest(g, x, num(g, x, 0x1.715476p+0), out_n);
  V r = fused(g, whole, num(g, x, -LN2_HIGH), x);
  r = fused(g, whole, num(g, x, -LN2_LOW), r);
  *out_rest = fused(g, mul(g, r, r), POLYNOMIAL(g, r, exp_tail), r);
}

V nr_expand_exp(G *g, V x) {
  V n, rest;
  exp_parts(g, at_least(g, at_most(g, x, 89), -104), &n, &rest);
  return scale(g, add(g, num(g, x, 1), rest), n);
}

V nr_expand_exp2(G *g, V x) {
  V n, bounded = at_least(g, at_most(g, x, 129), -151);
  V r = sub(g, bounded, nearest(g, bounded, num(g, x, 1), &n));
  return scale(g, fused(g, r, POLYNOMIAL(g, r, exp2_tail), num(g, x, 1)), n);
}

V nr_expand_expm1(G *g, V x) {
  V n, rest;
  exp_parts(g, at_least(g, at_most(g, x, 89), -25), &n, &rest);
  /* 2^n * rest + (2^n - 1), halved so that 2^128 does not overflow. */
  V half_power = power_of_two(g, isub(g, n, bits(g, n, 1)));
  V half = fused(g, half_power, rest, sub(g, half_power, num(g, x, 0.5)));
  V tiny = compare(g, NR_CMPF_OLT, absolute(g, x), 0x1p-25);
  return pick(g, tiny, x, add(g, half, half));
}

/* ---- the hyperbolic tangent ------------------------------------------------------------------------------------- */

static const double coth_tail[] = {0x1.555468p-2f, -0x1.6917dap-6f};
#define TANH_SHIFT 0.09 /* the rest lies in [-ln(2)/4 + 0.09, ln(2)/4 + 0.09]: the difference u + r is never small */

/* With a = n * ln(2)/2 + r and q = r / tanh(r):
 *   tanh(a) = (2^n (q + r) - (q - r)) / (2^n (q + r) + (q - r)) = (u + r) / (u + q), where u = (2^n - 1)/2 * (q + r).
 * For n = 0 that is r / q, so small numbers keep their precision. r < q, so no result is above 1; it is 1 from a = 10
 * on. Half of 2^n comes from the sum that rounds to n: its last 8 bits are n + 126, the exponent with its bias. */
V nr_expand_tanh(G *g, V x) {
  V a = at_most(g, absolute(g, x), 10), one = num(g, x, 1), base = num(g, x, ROUNDER + 126);
  V shifted = fused(g, sub(g, a, num(g, x, TANH_SHIFT)), num(g, x, 0x1.715476p+1), base);
  V half_power = as_float(g, shift(g, NR_OP_arith_shli, as_int(g, shifted), 23));
  V r = fused(g, sub(g, shifted, base), num(g, x, -0x1.62e43p-2), a), square = mul(g, r, r);
  V q = fused(g, POLYNOMIAL(g, square, coth_tail), square, one);
  V factor = sub(g, half_power, num(g, x, 0.5)), sum = add(g, q, r);
  return copysign_of(g, quotient(g, fused(g, factor, sum, r), fused(g, factor, sum, q)), x);
}

/* ---- logarithms ------------------------------------------------------------------------------------------------- */

static const double log_tail[] = {0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a4b6p-3f,  -0x1.555c4ep-3f, 0x1.233766p-3f,
                                  -0x1.fc220ep-4f, 0x1.e6f08cp-4f,  -0x1.de3bf8p-4f, 0x1.14573ep-4f};
#define SQRT_HALF_BITS 0x3f3504f3

/* x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive finite x; *out_tail = log(1 + f) - f. */
static void log_parts(G *g, V x, V *out_e, V *out_f, V *out_tail) {
  V small = compare(g, NR_CMPF_OLT, x, 0x1p-126);
  V whole = as_int(g, pick(g, small, mul(g, x, num(g, x, 0x1p23)), x));
  V e = shift(g, NR_OP_arith_shrsi, isub(g, whole, bits(g, whole, SQRT_HALF_BITS)), 23);
  V m = as_float(g, isub(g, whole, shift(g, NR_OP_arith_shli, e, 23)));
  e = isub(g, e, pick(g, small, bits(g, e, 23), bits(g, e, 0)));
  *out_e = nr_expand_cast(g, NR_OP_arith_sitofp, e, nr_type_f32(g->b.ctx));
  V f = sub(g, m, num(g, x, 1)), square = mul(g, f, f);
  V cube_part = mul(g, mul(g, f, square), POLYNOMIAL(g, f, log_tail));
  *out_tail = fused(g, square, num(g, x, -0.5), cube_part);
  *out_f = f;
}

/* value where x is positive and finite, else the logarithm of x: of 0, a negative number, infinity or NaN. */
static V log_specials(G *g, V x, V value) {
  V zero = compare(g, NR_CMPF_OEQ, x, 0), negative = compare(g, NR_CMPF_OLT, x, 0);
  V special = pick(g, zero, num(g, x, -__builtin_inf()), pick(g, negative, num(g, x, __builtin_nan("")), x));
  V positive = compare(g, NR_CMPF_OGT, x, 0), finite = compare(g, NR_CMPF_OLT, x, __builtin_inf());
  V usual = nr_expand_two(g, NR_OP_arith_andi, positive, finite);
  return pick(g, usual, value, special);
}

static V log_positive(G *g, V x) {
  V e, f, tail;
  log_parts(g, x, &e, &f, &tail);
  V low = fused(g, e, num(g, x, LN2_LOW), tail);
  return fused(g, e, num(g, x, LN2_HIGH), add(g, f, low));
}

V nr_expand_log(G *g, V x) { return log_specials(g, x, log_positive(g, x)); }

V nr_expand_log2(G *g, V x) {
  V e, f, tail;
  log_parts(g, x, &e, &f, &tail);
  return log_specials(g, x, fused(g, add(g, f, tail), num(g, x, 0x1.715476p+0), e));
}

V nr_expand_log10(G *g, V x) {
  V e, f, tail;
  log_parts(g, x, &e, &f, &tail);
  V low = fused(g, e, num(g, x, 0x1.3509f8p-18), mul(g, add(g, f, tail), num(g, x, 0x1.bcb7b2p-2)));
  return log_specials(g, x, fused(g, e, num(g, x, 0x1.344p-2), low));
}

/* log1p(x) = log(u) + c/u, where u + c = 1 + x exactly. */
V nr_expand_log1p(G *g, V x) {
  V one = num(g, x, 1), u = add(g, one, x);
  V c = pick(g, compare(g, NR_CMPF_OGT, x, 1), sub(g, one, sub(g, u, x)), sub(g, x, sub(g, u, one)));
  V value = add(g, log_positive(g, u), quotient(g, c, u));
  V tiny = compare(g, NR_CMPF_OLT, absolute(g, x), 0x1p-25);
  return pick(g, tiny, x, log_specials(g, u, value));
}

/* ---- the error function ----------------------------------------------------------------------------------------- */

static const double erf_small[] = {0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2e0ap-4f, -0x1.b80e90p-6f,
                                   0x1.54c7f4p-8f, -0x1.aa3f2cp-11f, 0x1.5cd4aap-14f};
static const double erfc_log[] = {0x1.20e2dep+0f,  0x1.45b0d8p-1f,   0x1.aa7b6cp-4f,  -0x1.5b1e60p-6f, 0x1.c944a4p-10f,
                                  0x1.1c0d30p-11f, -0x1.d94bc2p-13f, 0x1.2a3bdcp-15f, -0x1.2a6092p-19f};

/* An odd polynomial below 0.93, and 1 - exp(polynomial) from there on, which is 1 from 4 on. */
V nr_expand_erf(G *g, V x) {
  V a = at_most(g, absolute(g, x), 4);
  V small = fused(g, x, POLYNOMIAL(g, mul(g, x, x), erf_small), x);
  V n, rest, minus_log = mul(g, a, POLYNOMIAL(g, a, erfc_log));
  exp_parts(g, nr_expand_one(g, NR_OP_arith_negf, minus_log), &n, &rest);
  V power = power_of_two(g, n);
  V large = sub(g, num(g, x, 1), fused(g, power, rest, power));
  return pick(g, compare(g, NR_CMPF_OLT, a, 0.93), small, copysign_of(g, large, x));
}
