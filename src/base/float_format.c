/* float_format.c - see float_format.h. Conversions go through the integer significand, so that there is one rounding.
 */
#include "base/float_format.h"

#include <math.h>

const NrFloatFormat nr_format_f16 = {5, 10, 15, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_bf16 = {8, 7, 127, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_tf32 = {8, 10, 127, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_f8e5m2 = {5, 2, 15, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_f8e4m3 = {4, 3, 7, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_f8e4m3fn = {4, 3, 7, NR_NAN_ALL_ONES, false};
const NrFloatFormat nr_format_f8e5m2fnuz = {5, 2, 16, NR_NAN_NEG_ZERO, false};
const NrFloatFormat nr_format_f8e4m3fnuz = {4, 3, 8, NR_NAN_NEG_ZERO, false};
const NrFloatFormat nr_format_f8e4m3b11fnuz = {4, 3, 11, NR_NAN_NEG_ZERO, false};
const NrFloatFormat nr_format_f8e3m4 = {3, 4, 3, NR_NAN_IEEE, false};
const NrFloatFormat nr_format_f8e8m0fnu = {8, 0, 127, NR_NAN_ALL_ONES, true};
const NrFloatFormat nr_format_f4e2m1fn = {2, 1, 1, NR_NAN_NONE, false};
const NrFloatFormat nr_format_f6e2m3fn = {2, 3, 1, NR_NAN_NONE, false};
const NrFloatFormat nr_format_f6e3m2fn = {3, 2, 3, NR_NAN_NONE, false};

static uint64_t ones(unsigned bits) { return (1ull << bits) - 1; }

/* Largest finite magnitude as exponent and mantissa fields side by side. */
static uint64_t largest(const NrFloatFormat *f) {
  uint64_t all = ones(f->exponent_bits + f->mantissa_bits);
  if (f->nan == NR_NAN_IEEE) return (ones(f->exponent_bits) << f->mantissa_bits) - 1;
  return f->nan == NR_NAN_ALL_ONES ? all - 1 : all;
}

static uint64_t nan_bits(const NrFloatFormat *f, uint64_t sign_bit) {
  switch (f->nan) {
  case NR_NAN_IEEE:
    return sign_bit | ones(f->exponent_bits) << f->mantissa_bits | 1ull << (f->mantissa_bits - 1);
  case NR_NAN_ALL_ONES: return sign_bit | ones(f->exponent_bits + f->mantissa_bits);
  case NR_NAN_NEG_ZERO: return 1ull << (f->exponent_bits + f->mantissa_bits);
  case NR_NAN_NONE: return largest(f);
  }
  return 0;
}

uint64_t nr_float_encode(const NrFloatFormat *f, double value, bool saturate) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  uint64_t sign_bit = !f->unsigned_no_zero && signbit(value) ? 1ull << top : 0;
  if (isnan(value)) return nan_bits(f, sign_bit);
  if (f->unsigned_no_zero && (signbit(value) && value != 0)) return nan_bits(f, 0);
  double magnitude = fabs(value);
  uint64_t field; /* exponent and mantissa fields as one integer: rounding up carries by itself */
  if (magnitude == 0) field = 0;
  else if (isinf(magnitude)) field = UINT64_MAX;
  else {
    int exponent;
    frexp(magnitude, &exponent); /* magnitude in [2^(exponent-1), 2^exponent) */
    int unit = exponent - 1;
    int lowest = f->unsigned_no_zero ? -f->bias : 1 - f->bias;
    if (unit < lowest) unit = lowest;
    /* Integer multiple of the last place, rounded to even by the default rounding mode. */
    double scaled = nearbyint(ldexp(magnitude, f->mantissa_bits - unit));
    uint64_t significand = (uint64_t)scaled;
    if (f->unsigned_no_zero) {
      field = significand == 0 ? 0 : (uint64_t)(unit + f->bias) + (significand - 1);
    } else {
      field = ((uint64_t)(unit - lowest) << f->mantissa_bits) + significand;
    }
  }
  if (field > largest(f)) {
    if (saturate || f->nan == NR_NAN_NONE) field = largest(f);
    else if (f->nan == NR_NAN_IEEE) field = ones(f->exponent_bits) << f->mantissa_bits;
    else return nan_bits(f, sign_bit);
  }
  if (f->nan == NR_NAN_NEG_ZERO && field == 0) return 0;
  return sign_bit | field;
}

double nr_float_decode(const NrFloatFormat *f, uint64_t bits) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  uint64_t magnitude = bits & ones(top), mantissa = bits & ones(f->mantissa_bits);
  int exponent = (int)(magnitude >> f->mantissa_bits);
  bool negative = !f->unsigned_no_zero && (bits >> top & 1);
  double value;
  if (f->nan == NR_NAN_NEG_ZERO && bits == 1ull << top) return NAN;
  if (f->nan == NR_NAN_ALL_ONES && magnitude == ones(top)) return negative ? -NAN : NAN;
  if (f->nan == NR_NAN_IEEE && (uint64_t)exponent == ones(f->exponent_bits)) value = mantissa ? NAN : INFINITY;
  else if (f->unsigned_no_zero) value = ldexp(1, exponent - f->bias);
  else if (exponent == 0) value = ldexp((double)mantissa, 1 - f->bias - f->mantissa_bits);
  else value = ldexp((double)(mantissa | 1ull << f->mantissa_bits), exponent - f->bias - f->mantissa_bits);
  return negative ? -value : value;
}
