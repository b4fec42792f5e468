/* math_pow.c - x to the power of y, of f32, as straight code, which LLVM's vectoriser takes into vector loops:
 *
 *   |x|^y = 2^(y * log2(|x|)) in f64, which is rounded once: at most 0.51 ulp (tests/unit/codegen/test_math.c)
 *
 * and the cases of C's pow (C17, F.10.4.4) as selections behind it. The polynomials are found by scripts/fit_math.py.
 *
 * No flag of fast math goes on these instructions: they rely on exact roundings. */
#include <math.h>
#include <stdlib.h>

#include "dialect/arith/eval.h"
#include "pass/expand/expand.h"

typedef NrExpand G;
typedef NrValue *V;

static V num(G *g, V like, double value) { return nr_expand_float(g, like, value); }
static V bits(G *g, V like, uint64_t value) { return nr_expand_int(g, like, value); }
static V two(G *g, unsigned op_id, V a, V b) { return nr_expand_two(g, op_id, a, b); }
static V add(G *g, V a, V b) { return two(g, NR_OP_arith_addf, a, b); }
static V sub(G *g, V a, V b) { return two(g, NR_OP_arith_subf, a, b); }
static V mul(G *g, V a, V b) { return two(g, NR_OP_arith_mulf, a, b); }
static V fused(G *g, V a, V b, V c) { return nr_expand_fused(g, a, b, c); }
static V pick(G *g, V cond, V yes, V no) { return nr_expand_pick(g, cond, yes, no); }
static V compare(G *g, NrCmpF p, V a, double value) { return nr_expand_compare(g, p, a, value); }
static V and_of(G *g, V a, V b) { return two(g, NR_OP_arith_andi, a, b); }
static V as_f64(G *g, V a) { return nr_expand_from_bits(g, a, nr_type_f64(g->b.ctx)); }

static const double log2_tail[] = {0x1.71547652b8251p+1, 0x1.ec709dc53c317p-1, 0x1.2776c293810abp-1,
                                   0x1.a61a2e9147e0ep-2, 0x1.47955fd93c9fdp-2, 0x1.21b058eed9937p-2};
static const double exp2_terms[] = {0x1.ffffffffabbcfp-1,  0x1.62e42ff1162c3p-1, 0x1.ebfbe0a4be6b6p-3,
                                    0x1.c6b08aaf27a5cp-5,  0x1.3b29dc40e53f6p-7, 0x1.5d8a708f9c5cap-10,
                                    0x1.446a1fd0dcf20p-13, 0x1.fe177b7ddd4d0p-17};
#define ONE_BITS 0x3ff0000000000000
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcd
#define BIAS 1023
#define ROUNDER 0x1.8p52 /* x + ROUNDER has the nearest integer to x in its last bits */
#define ROUNDER_BITS 0x4338000000000000
#define INTEGER 0x1p52 /* the bits of n, at least 0, put into its last ones make n + INTEGER */
#define INTEGER_BITS 0x4330000000000000

/* The logarithm to base 2 of x, at least 0. x = 2^e * m, m between sqrt(1/2) and sqrt(2), and with f = (m - 1)/(m + 1)
 * log2(m) = f * polynomial(f^2). Every f32 is a normal number in f64. */
static V log2_of(G *g, V x) {
  V raw = nr_expand_bits(g, x);
  V biased = two(g, NR_OP_arith_shrui, two(g, NR_OP_arith_addi, raw, bits(g, raw, ONE_BITS - SQRT_HALF_BITS)),
                 bits(g, raw, 52)); /* e + BIAS */
  V e = sub(g, as_f64(g, two(g, NR_OP_arith_ori, biased, bits(g, raw, INTEGER_BITS))), num(g, x, INTEGER + BIAS));
  V scale = two(g, NR_OP_arith_shli, two(g, NR_OP_arith_subi, biased, bits(g, raw, BIAS)), bits(g, raw, 52));
  V m = as_f64(g, two(g, NR_OP_arith_subi, raw, scale)), one = num(g, x, 1);
  V f = two(g, NR_OP_arith_divf, sub(g, m, one), add(g, m, one));
  V value = fused(g, f, nr_expand_polynomial(g, mul(g, f, f), log2_tail, NR_COUNTOF(log2_tail)), e);
  V usual = and_of(g, compare(g, NR_CMPF_OGT, x, 0), compare(g, NR_CMPF_OLT, x, __builtin_inf()));
  V zero = compare(g, NR_CMPF_OEQ, x, 0);
  return pick(g, usual, value, pick(g, zero, num(g, x, -__builtin_inf()), x));
}

/* 2^t, rounded to f32, whose infinities and subnormal numbers come from the rounding. NaN gives NaN. */
static V exp2_of(G *g, V t) {
  V below = pick(g, compare(g, NR_CMPF_OGT, t, 130), num(g, t, 130), t);
  V bounded = pick(g, compare(g, NR_CMPF_OLT, t, -160), num(g, t, -160), below);
  V rounder = num(g, t, ROUNDER), shifted = add(g, bounded, rounder);
  V raw = nr_expand_bits(g, shifted), n = two(g, NR_OP_arith_subi, raw, bits(g, raw, ROUNDER_BITS - BIAS));
  V power = as_f64(g, two(g, NR_OP_arith_shli, n, bits(g, raw, 52)));
  V r = sub(g, bounded, sub(g, shifted, rounder));
  V value = mul(g, nr_expand_polynomial(g, r, exp2_terms, NR_COUNTOF(exp2_terms)), power);
  return nr_expand_cast(g, NR_OP_arith_truncf, value, nr_type_f32(g->b.ctx));
}

static V is_whole(G *g, V y) { return nr_arith_cmpf(&g->b, NR_CMPF_OEQ, y, nr_expand_one(g, NR_OP_math_floor, y)); }

/* The power from size = |x|^y: the sign of odd powers, NaN for negative numbers to powers that are not whole, and 1
 * where C has 1 although size is NaN. */
static V special_cases(G *g, V x, V y, V size) {
  V whole = is_whole(g, y), even = is_whole(g, mul(g, y, num(g, y, 0.5)));
  V odd_size = two(g, NR_OP_math_copysign, size, x);
  V with_sign = pick(g, even, size, pick(g, whole, odd_size, size));
  V negative = and_of(g, compare(g, NR_CMPF_OLT, x, 0), compare(g, NR_CMPF_OGT, x, -__builtin_inf()));
  V broken = nr_arith_cmpf(&g->b, NR_CMPF_ONE, y, nr_expand_one(g, NR_OP_math_floor, y));
  V value = pick(g, and_of(g, negative, broken), num(g, x, __builtin_nan("")), with_sign);
  V endless = compare(g, NR_CMPF_OEQ, nr_expand_one(g, NR_OP_math_absf, y), __builtin_inf());
  V of_minus_one = and_of(g, compare(g, NR_CMPF_OEQ, x, -1), endless);
  V is_one = two(g, NR_OP_arith_ori, compare(g, NR_CMPF_OEQ, x, 1), compare(g, NR_CMPF_OEQ, y, 0));
  return pick(g, two(g, NR_OP_arith_ori, is_one, of_minus_one), num(g, x, 1), value);
}

static V power_of(G *g, V x, V y) {
  NrType f64 = nr_type_f64(g->b.ctx);
  V wide = nr_expand_cast(g, NR_OP_arith_extf, nr_expand_one(g, NR_OP_math_absf, x), f64);
  V size = exp2_of(g, mul(g, nr_expand_cast(g, NR_OP_arith_extf, y, f64), log2_of(g, wide)));
  return special_cases(g, x, y, size);
}

/* ---- exponents that are constant -------------------------------------------------------------------------------- */

enum { MOST_FACTORS = 32 };

static bool constant_exponent(const NrValue *y, double *out) {
  NrAttr value = nr_value_constant(y);
  if (!value && nr_op_splat_value(y->op)) value = nr_value_constant(nr_op_splat_value(y->op));
  if (value && nr_attr_is_elements(value) && value->splat) value = nr_attr_element(value, 0);
  if (!value || value->kind != NR_ATTR_FLOAT) return false;
  *out = nr_bits_to_float(value->type, value->bits);
  return true;
}

/* x^n as products in f64, rounded once. */
static V whole_power(G *g, V x, int n) {
  V square = nr_expand_cast(g, NR_OP_arith_extf, x, nr_type_f64(g->b.ctx)), value = NULL;
  for (unsigned left = (unsigned)abs(n); left; left >>= 1) {
    if (left & 1) value = value ? mul(g, value, square) : square;
    if (left > 1) square = mul(g, square, square);
  }
  if (n < 0) value = two(g, NR_OP_arith_divf, num(g, value, 1), value);
  return nr_expand_cast(g, NR_OP_arith_truncf, value, nr_type_f32(g->b.ctx));
}

/* As a power, the root of -0 is 0, and that of minus infinity is infinity. */
static V square_root(G *g, V x) {
  V root = nr_expand_one(g, NR_OP_math_sqrt, add(g, x, num(g, x, 0)));
  return pick(g, compare(g, NR_CMPF_OEQ, x, -__builtin_inf()), num(g, x, __builtin_inf()), root);
}

V nr_expand_pow(G *g, V x, V y, const NrValue *exponent) {
  double n;
  bool constant = constant_exponent(exponent, &n);
  if (constant && n == 2) return mul(g, x, x);
  if (constant && n == 0.5) return square_root(g, x);
  if (constant && n != 0 && fabs(n) <= MOST_FACTORS && n == floor(n)) return whole_power(g, x, (int)n);
  return power_of(g, x, y);
}
