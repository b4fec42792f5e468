/* small_floats.c - see small_floats.h. */
#include "pass/expand/small_floats.h"

typedef NrExpand X;
typedef NrValue *V;

bool nr_is_small_float(const X *x, NrType type) {
  if (!nr_type_is_float(type)) return false;
  switch (type->float_kind) {
  case NR_F32:
  case NR_F64:
  case NR_F80:
  case NR_F128: return false;
  case NR_F16: return !(x->target->units & NR_UNIT_CONVERT_F16);
  default: return true;
  }
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static uint64_t ones(unsigned bits) { return (1ull << bits) - 1; }

static V and(X *x, V a, uint64_t mask) { return nr_expand_two(x, NR_OP_arith_andi, a, nr_expand_int(x, a, mask)); }
static V or(X *x, V a, V b) { return nr_expand_two(x, NR_OP_arith_ori, a, b); }
static V plus(X *x, V a, V b) { return nr_expand_two(x, NR_OP_arith_addi, a, b); }
static V minus(X *x, V a, uint64_t b) { return nr_expand_two(x, NR_OP_arith_subi, a, nr_expand_int(x, a, b)); }

static V shl(X *x, V a, unsigned n) {
  return n ? nr_expand_two(x, NR_OP_arith_shli, a, nr_expand_int(x, a, n)) : a;
}

static V shr(X *x, V a, unsigned n) {
  return n ? nr_expand_two(x, NR_OP_arith_shrui, a, nr_expand_int(x, a, n)) : a;
}

/* The constant where comparing `compared` with limit holds, else a. */
static V pick_where(X *x, NrCmpI predicate, V compared, uint64_t limit, uint64_t constant, V a) {
  return nr_expand_pick(x, nr_expand_compare_int(x, predicate, compared, limit), nr_expand_int(x, a, constant), a);
}

/* ---- to f32 ----------------------------------------------------------------------------------------------------- */

enum { F32_MANTISSA = 23, F32_BIAS = 127, F32_NAN = 0x7fc00000, F32_INFINITY = 0x7f800000 };

/* f8E8M0FNU has an exponent only. Its smallest value, 2^-127, is subnormal in f32. */
static V extend_power(X *x, V wide) {
  V value = pick_where(x, NR_CMPI_EQ, wide, 0, 0x00400000, shl(x, wide, F32_MANTISSA));
  return pick_where(x, NR_CMPI_EQ, wide, 255, F32_NAN, value);
}

/* `placed` has its fields where f32 has them, but with the bias of f. A product with a power of two corrects the
 * bias, of subnormal numbers too. */
static V rebias(X *x, const NrFloatFormat *f, V placed) {
  NrType f32 = nr_type_f32(x->b.ctx);
  V scale = nr_expand_int(x, placed, (uint64_t)(2 * F32_BIAS - f->bias) << F32_MANTISSA);
  V product =
      nr_expand_two(x, NR_OP_arith_mulf, nr_expand_from_bits(x, placed, f32), nr_expand_from_bits(x, scale, f32));
  return nr_expand_bits(x, product);
}

V nr_small_float_extend(X *x, V small) {
  NrContext *ctx = x->b.ctx;
  const NrFloatFormat *f = nr_float_format(nr_type_elem(small->type)->float_kind);
  unsigned top = f->exponent_bits + f->mantissa_bits, shift = F32_MANTISSA - f->mantissa_bits;
  V wide = nr_expand_cast(x, NR_OP_arith_extui, nr_expand_bits(x, small), nr_type_i32(ctx));
  if (f->unsigned_no_zero) return nr_expand_from_bits(x, extend_power(x, wide), nr_type_f32(ctx));
  /* Other formats with 8 exponent bits are the upper bits of an f32. */
  if (f->exponent_bits == 8) return nr_expand_from_bits(x, shl(x, wide, shift), nr_type_f32(ctx));
  V magnitude = and(x, wide, ones(top)), sign = shl(x, and(x, wide, 1ull << top), 31 - top);
  V placed = shl(x, magnitude, shift), value = rebias(x, f, placed);
  if (f->nan == NR_NAN_IEEE) {
    V special = or(x, placed, nr_expand_int(x, wide, F32_INFINITY));
    V is_special = nr_expand_compare_int(x, NR_CMPI_UGE, magnitude, ones(f->exponent_bits) << f->mantissa_bits);
    value = nr_expand_pick(x, is_special, special, value);
  } else if (f->nan == NR_NAN_ALL_ONES) {
    value = pick_where(x, NR_CMPI_EQ, magnitude, ones(top), F32_NAN, value);
  }
  value = or(x, value, sign);
  if (f->nan == NR_NAN_NEG_ZERO) value = pick_where(x, NR_CMPI_EQ, wide, 1ull << top, F32_NAN, value);
  return nr_expand_from_bits(x, value, nr_type_f32(ctx));
}

/* ---- and back --------------------------------------------------------------------------------------------------- */

/* The IEEE format that a value is rounded from. */
typedef struct Wide {
  NrType real;
  unsigned bits, mantissa;
  int bias;
} Wide;

static Wide wide_of(V value) {
  NrType real = nr_type_elem(value->type);
  if (nr_type_is_float_kind(real, NR_F64)) return (Wide){real, 64, 52, 1023};
  return (Wide){real, 32, F32_MANTISSA, F32_BIAS};
}

/* Rounds magnitude to `shift` fewer mantissa bits, to nearest, ties to even. The exponent keeps the wide bias. */
static V round_normal(X *x, V magnitude, unsigned shift) {
  V odd = and(x, shr(x, magnitude, shift), 1);
  V sum = plus(x, magnitude, nr_expand_int(x, magnitude, ones(shift - 1)));
  return shr(x, plus(x, sum, odd), shift);
}

/* Rounds a magnitude below the smallest normal number: adding a number whose last place is the format's smallest
 * step makes the FPU round. */
static V round_subnormal(X *x, const NrFloatFormat *f, const Wide *w, V magnitude) {
  uint64_t magic = (uint64_t)(w->bias - f->bias + 1 + (int)(w->mantissa - f->mantissa_bits)) << w->mantissa;
  V step = nr_expand_from_bits(x, nr_expand_int(x, magnitude, magic), w->real);
  V sum = nr_expand_two(x, NR_OP_arith_addf, nr_expand_from_bits(x, magnitude, w->real), step);
  return minus(x, nr_expand_bits(x, sum), magic);
}

/* Rounds to f8E8M0FNU: the power of two nearest to value. A negative value gives NaN. */
static V round_power(X *x, V value, NrType type) {
  V whole = nr_expand_bits(x, nr_expand_cast(x, NR_OP_arith_extf, value, nr_type_f64(x->b.ctx)));
  V magnitude = and(x, whole, ones(63));
  V r = shr(x, plus(x, magnitude, nr_expand_int(x, magnitude, 1ull << 51)), 52);
  r = minus(x, r, 1023 - 127);
  r = pick_where(x, NR_CMPI_SLT, r, 0, 0, r);
  r = pick_where(x, NR_CMPI_SGT, r, 255, 255, r);
  r = pick_where(x, NR_CMPI_UGT, whole, 1ull << 63, 255, r); /* negative, and not -0 */
  return nr_expand_from_bits(x, nr_expand_cast(x, NR_OP_arith_trunci, r, nr_type_int(x->b.ctx, 8)), type);
}

/* The bits of a NaN in the format, without the sign; IEEE formats keep the payload. */
static V nan_bits(X *x, const NrFloatFormat *f, V magnitude, unsigned shift) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  if (f->nan == NR_NAN_NEG_ZERO) return nr_expand_int(x, magnitude, 1ull << top);
  if (f->nan != NR_NAN_IEEE) return nr_expand_int(x, magnitude, ones(top));
  uint64_t quiet = (ones(f->exponent_bits) << f->mantissa_bits) | 1ull << (f->mantissa_bits - 1);
  V payload = and(x, shr(x, magnitude, shift), ones(f->mantissa_bits));
  return or(x, payload, nr_expand_int(x, magnitude, quiet));
}

/* The bits of the format for a magnitude that is too large. */
static uint64_t overflow_bits(const NrFloatFormat *f) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  if (f->nan == NR_NAN_IEEE) return ones(f->exponent_bits) << f->mantissa_bits;
  return f->nan == NR_NAN_NEG_ZERO ? 1ull << top : ones(top);
}

/* The rounded magnitude of a number, with the bias of the format. */
static V round_magnitude(X *x, const NrFloatFormat *f, const Wide *w, V magnitude) {
  V r = round_normal(x, magnitude, w->mantissa - f->mantissa_bits);
  int by = w->bias - f->bias;
  if (!by) return r;
  uint64_t limit = overflow_bits(f);
  r = minus(x, r, (uint64_t)by << f->mantissa_bits);
  r = pick_where(x, NR_CMPI_UGT, r, limit, limit, r);
  V small = nr_expand_compare_int(x, NR_CMPI_ULT, magnitude, (uint64_t)(by + 1) << w->mantissa);
  return nr_expand_pick(x, small, round_subnormal(x, f, w, magnitude), r);
}

V nr_small_float_round(X *x, V value, NrType type) {
  const NrFloatFormat *f = nr_float_format(type->float_kind);
  if (f->unsigned_no_zero) return round_power(x, value, type);
  Wide w = wide_of(value);
  unsigned top = f->exponent_bits + f->mantissa_bits;
  V whole = nr_expand_bits(x, value), magnitude = and(x, whole, ones(w.bits - 1));
  V sign = shl(x, shr(x, whole, w.bits - 1), top), r = round_magnitude(x, f, &w, magnitude);
  V is_nan = nr_expand_compare_int(x, NR_CMPI_UGT, magnitude, ones(w.bits - 1 - w.mantissa) << w.mantissa);
  r = nr_expand_pick(x, is_nan, nan_bits(x, f, magnitude, w.mantissa - f->mantissa_bits), r);
  if (f->nan == NR_NAN_NEG_ZERO) { /* neither NaN nor 0 has a sign */
    sign = pick_where(x, NR_CMPI_EQ, r, 0, 0, sign);
    sign = pick_where(x, NR_CMPI_EQ, r, 1ull << top, 0, sign);
  } else if (f->nan == NR_NAN_NONE) {
    sign = nr_expand_pick(x, is_nan, nr_expand_int(x, sign, 0), sign);
  }
  return nr_expand_from_bits(
      x, nr_expand_cast(x, NR_OP_arith_trunci, or (x, r, sign), nr_type_int(x->b.ctx, type->width)), type);
}
