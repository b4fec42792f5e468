/* soft_float.c - float formats that the CPU does not convert, as integer code: bf16, f8.., f6.., f4, and f16 on CPUs
 * without F16C. Branch-free, so that loops over them still vectorise; no library calls, which older C libraries lack.
 * Same results as nr_float_encode and nr_float_decode. */
#include "codegen/llvm/ll.h"

/* An IEEE format of LLVM that values are computed in. */
typedef struct Wide {
  LLVMTypeRef integer, real; /* in the shape of the value */
  unsigned bits, mantissa;
  int bias;
} Wide;

static Wide wide_of(NrLl *g, LLVMValueRef shape, bool is_f64) {
  if (is_f64) return (Wide){nr_ll_like(g->i64, shape), nr_ll_like(g->f64, shape), 64, 52, 1023};
  return (Wide){nr_ll_like(g->i32, shape), nr_ll_like(g->f32, shape), 32, 23, 127};
}

static uint64_t ones(unsigned bits) { return (1ull << bits) - 1; }

static LLVMValueRef imm(NrLl *g, LLVMValueRef like, uint64_t value) { return nr_ll_const_i(g, like, value); }
static LLVMValueRef shl(NrLl *g, LLVMValueRef a, unsigned n) { return n ? LLVMBuildShl(g->b, a, imm(g, a, n), "") : a; }
static LLVMValueRef shr(NrLl *g, LLVMValueRef a, unsigned n) {
  return n ? LLVMBuildLShr(g->b, a, imm(g, a, n), "") : a;
}
static LLVMValueRef compare(NrLl *g, LLVMIntPredicate p, LLVMValueRef a, uint64_t value) {
  return LLVMBuildICmp(g->b, p, a, imm(g, a, value), "");
}
static LLVMValueRef choose(NrLl *g, LLVMValueRef cond, LLVMValueRef yes, LLVMValueRef no) {
  return LLVMBuildSelect(g->b, cond, yes, no, "");
}

LLVMValueRef nr_ll_soft_extend(NrLl *g, const NrFloatFormat *f, LLVMValueRef bits) {
  Wide w = wide_of(g, bits, false);
  unsigned top = f->exponent_bits + f->mantissa_bits, shift = w.mantissa - f->mantissa_bits;
  LLVMValueRef wide = LLVMBuildZExt(g->b, bits, w.integer, "");
  if (f->unsigned_no_zero) { /* only an exponent: 2^-127 is subnormal in f32 */
    LLVMValueRef value = choose(g, compare(g, LLVMIntEQ, wide, 0), imm(g, wide, 0x00400000), shl(g, wide, 23));
    value = choose(g, compare(g, LLVMIntEQ, wide, ones(top)), imm(g, wide, 0x7fc00000), value);
    return LLVMBuildBitCast(g->b, value, w.real, "");
  }
  if (f->exponent_bits == 8) return LLVMBuildBitCast(g->b, shl(g, wide, shift), w.real, ""); /* f32, cut off */
  LLVMValueRef magnitude = LLVMBuildAnd(g->b, wide, imm(g, wide, ones(top)), "");
  LLVMValueRef sign = shl(g, LLVMBuildAnd(g->b, wide, imm(g, wide, 1ull << top), ""), 31 - top);
  /* The fields where f32 has them, with the wrong bias: a product with a power of two puts it right, subnormals too. */
  LLVMValueRef placed = LLVMBuildBitCast(g->b, shl(g, magnitude, shift), w.real, "");
  LLVMValueRef scale = LLVMBuildBitCast(g->b, imm(g, wide, (uint64_t)(2 * w.bias - f->bias) << w.mantissa), w.real, "");
  LLVMValueRef value = LLVMBuildBitCast(g->b, LLVMBuildFMul(g->b, placed, scale, ""), w.integer, "");
  if (f->nan == NR_NAN_IEEE) {
    LLVMValueRef special = LLVMBuildOr(g->b, shl(g, magnitude, shift), imm(g, wide, 0x7f800000), "");
    value = choose(g, compare(g, LLVMIntUGE, magnitude, ones(f->exponent_bits) << f->mantissa_bits), special, value);
  } else if (f->nan == NR_NAN_ALL_ONES) {
    value = choose(g, compare(g, LLVMIntEQ, magnitude, ones(top)), imm(g, wide, 0x7fc00000), value);
  }
  value = LLVMBuildOr(g->b, value, sign, "");
  if (f->nan == NR_NAN_NEG_ZERO)
    value = choose(g, compare(g, LLVMIntEQ, wide, 1ull << top), imm(g, wide, 0x7fc00000), value);
  return LLVMBuildBitCast(g->b, value, w.real, "");
}

/* magnitude rounded to `shift` fewer mantissa bits, to nearest, ties to even; still with the wide bias. */
static LLVMValueRef round_normal(NrLl *g, LLVMValueRef magnitude, unsigned shift) {
  LLVMValueRef odd = LLVMBuildAnd(g->b, shr(g, magnitude, shift), imm(g, magnitude, 1), "");
  LLVMValueRef sum = LLVMBuildAdd(g->b, magnitude, imm(g, magnitude, ones(shift - 1)), "");
  return shr(g, LLVMBuildAdd(g->b, sum, odd, ""), shift);
}

/* Below the smallest normal number: adding a number whose last place is the format's smallest step makes the FPU round.
 */
static LLVMValueRef round_subnormal(NrLl *g, const NrFloatFormat *f, const Wide *w, LLVMValueRef magnitude) {
  uint64_t magic = (uint64_t)(w->bias - f->bias + 1 + (int)(w->mantissa - f->mantissa_bits)) << w->mantissa;
  LLVMValueRef bias = imm(g, magnitude, magic);
  LLVMValueRef sum = LLVMBuildFAdd(g->b, LLVMBuildBitCast(g->b, magnitude, w->real, ""),
                                   LLVMBuildBitCast(g->b, bias, w->real, ""), "");
  return LLVMBuildSub(g->b, LLVMBuildBitCast(g->b, sum, w->integer, ""), bias, "");
}

/* f8E8M0FNU: the power of two nearest to a value of at least 0; else NaN. */
static LLVMValueRef round_power(NrLl *g, LLVMValueRef value) {
  Wide w = wide_of(g, value, true);
  LLVMTypeRef lane = LLVMTypeOf(value);
  if (LLVMGetTypeKind(lane) == LLVMVectorTypeKind) lane = LLVMGetElementType(lane);
  if (lane == g->f32) value = LLVMBuildFPExt(g->b, value, w.real, "");
  LLVMValueRef whole = LLVMBuildBitCast(g->b, value, w.integer, "");
  LLVMValueRef magnitude = LLVMBuildAnd(g->b, whole, imm(g, whole, ones(63)), "");
  LLVMValueRef r = shr(g, LLVMBuildAdd(g->b, magnitude, imm(g, whole, 1ull << 51), ""), 52);
  r = LLVMBuildSub(g->b, r, imm(g, r, 1023 - 127), "");
  r = choose(g, compare(g, LLVMIntSLT, r, 0), imm(g, r, 0), r);
  r = choose(g, compare(g, LLVMIntSGT, r, 255), imm(g, r, 255), r);
  r = choose(g, compare(g, LLVMIntUGT, whole, 1ull << 63), imm(g, r, 255), r); /* negative, and not -0 */
  return LLVMBuildTrunc(g->b, r, nr_ll_like(g->i8, r), "");
}

/* What NaN becomes, without the sign. */
static LLVMValueRef nan_bits(NrLl *g, const NrFloatFormat *f, LLVMValueRef magnitude, unsigned shift) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  switch (f->nan) {
  case NR_NAN_IEEE: { /* quiet, with the upper bits of the payload */
    LLVMValueRef payload = LLVMBuildAnd(g->b, shr(g, magnitude, shift), imm(g, magnitude, ones(f->mantissa_bits)), "");
    uint64_t quiet = (ones(f->exponent_bits) << f->mantissa_bits) | 1ull << (f->mantissa_bits - 1);
    return LLVMBuildOr(g->b, payload, imm(g, magnitude, quiet), "");
  }
  case NR_NAN_NEG_ZERO: return imm(g, magnitude, 1ull << top);
  default: return imm(g, magnitude, ones(top));
  }
}

/* The pattern that too large a magnitude gets. */
static uint64_t overflow_bits(const NrFloatFormat *f) {
  unsigned top = f->exponent_bits + f->mantissa_bits;
  if (f->nan == NR_NAN_IEEE) return ones(f->exponent_bits) << f->mantissa_bits;
  return f->nan == NR_NAN_NEG_ZERO ? 1ull << top : ones(top);
}

LLVMValueRef nr_ll_soft_round(NrLl *g, const NrFloatFormat *f, LLVMValueRef value) {
  if (f->unsigned_no_zero) return round_power(g, value);
  LLVMTypeRef lane = LLVMTypeOf(value);
  if (LLVMGetTypeKind(lane) == LLVMVectorTypeKind) lane = LLVMGetElementType(lane);
  Wide w = wide_of(g, value, lane == g->f64);
  unsigned top = f->exponent_bits + f->mantissa_bits, shift = w.mantissa - f->mantissa_bits;
  unsigned width = top + 1 > 16 ? 32 : top + 1 > 8 ? 16 : 8;
  LLVMValueRef whole = LLVMBuildBitCast(g->b, value, w.integer, "");
  LLVMValueRef magnitude = LLVMBuildAnd(g->b, whole, imm(g, whole, ones(w.bits - 1)), "");
  LLVMValueRef sign = shl(g, shr(g, whole, w.bits - 1), top);
  int rebias = w.bias - f->bias;
  LLVMValueRef r = round_normal(g, magnitude, shift);
  if (rebias) {
    r = LLVMBuildSub(g->b, r, imm(g, r, (uint64_t)rebias << f->mantissa_bits), "");
    LLVMValueRef small = compare(g, LLVMIntULT, magnitude, (uint64_t)(rebias + 1) << w.mantissa);
    uint64_t limit = overflow_bits(f);
    r = choose(g, compare(g, LLVMIntUGT, r, limit), imm(g, r, limit), r);
    r = choose(g, small, round_subnormal(g, f, &w, magnitude), r);
  }
  LLVMValueRef is_nan = compare(g, LLVMIntUGT, magnitude, ones(w.bits - 1 - w.mantissa) << w.mantissa);
  LLVMValueRef nan = nan_bits(g, f, magnitude, shift);
  if (f->nan == NR_NAN_NEG_ZERO) { /* neither NaN nor 0 has a sign */
    r = choose(g, is_nan, nan, r);
    LLVMValueRef plain = LLVMBuildOr(g->b, compare(g, LLVMIntEQ, r, 0), compare(g, LLVMIntEQ, r, 1ull << top), "");
    sign = choose(g, plain, imm(g, sign, 0), sign);
  } else if (f->nan == NR_NAN_NONE) {
    sign = choose(g, is_nan, imm(g, sign, 0), sign);
    r = choose(g, is_nan, nan, r);
  } else {
    r = choose(g, is_nan, nan, r);
  }
  r = LLVMBuildOr(g->b, r, sign, "");
  return LLVMBuildTrunc(g->b, r, nr_ll_like(LLVMIntTypeInContext(g->llvm, width), r), "");
}
