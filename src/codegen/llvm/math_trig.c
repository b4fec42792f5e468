/* math_trig.c - sin, cos and tan of f32 as code. The angle is reduced in f64 by a two-part pi/2; angles above 2^20,
 * where that is not enough, leave the straight path for the C library by a branch that ordinary programs never take.
 * Largest errors below 2^20: sin 1.6 ulp, cos 1.6, tan 3.5 (tests/unit/codegen/test_math.c). */
#include "codegen/llvm/math_f32.h"

typedef LLVMValueRef V;

static const float sin_tail[] = {-0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f32p-13f, 0x1.6cbecep-19f};
static const float cos_tail[] = {0x1.555556p-5f, -0x1.6c16b8p-10f, 0x1.a010c4p-16f, -0x1.2417dep-22f};
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_HIGH 0x1.921fb544p+0 /* 33 bits: products with quadrants below 2^20 are exact */
#define HALF_PI_LOW 0x1.0b4611a626331p-34
#define ROUNDER 0x1.8p52
#define LARGE 0x1p20

static V fused(NrLl *g, V a, V b, V c) {
  LLVMTypeRef type = LLVMTypeOf(a);
  V args[] = {a, b, c};
  return nr_ll_intrinsic(g, "llvm.fmuladd", &type, 1, args, 3);
}

static V polynomial(NrLl *g, V x, const float *c) {
  V sum = fused(g, nr_ll_const_f(g, x, c[3]), x, nr_ll_const_f(g, x, c[2]));
  sum = fused(g, sum, x, nr_ll_const_f(g, x, c[1]));
  return fused(g, sum, x, nr_ll_const_f(g, x, c[0]));
}

/* x = quadrant * pi/2 + r, |r| <= pi/4. */
static void reduce(NrLl *g, V x, V *out_quadrant, V *out_r) {
  V wide = LLVMBuildFPExt(g->b, x, nr_ll_like(g->f64, x), "");
  V rounder = nr_ll_const_f(g, wide, ROUNDER);
  V shifted = fused(g, wide, nr_ll_const_f(g, wide, TWO_OVER_PI), rounder);
  V whole = LLVMBuildFSub(g->b, shifted, rounder, "");
  V r = fused(g, whole, nr_ll_const_f(g, wide, -HALF_PI_HIGH), wide);
  r = fused(g, whole, nr_ll_const_f(g, wide, -HALF_PI_LOW), r);
  *out_r = LLVMBuildFPTrunc(g->b, r, LLVMTypeOf(x), "");
  V raw = LLVMBuildBitCast(g->b, shifted, nr_ll_like(g->i64, x), "");
  *out_quadrant = LLVMBuildTrunc(g->b, raw, nr_ll_like(g->i32, x), "");
}

static V sin_of(NrLl *g, V r, V square) {
  V value = fused(g, LLVMBuildFMul(g->b, r, square, ""), polynomial(g, square, sin_tail), r);
  V tiny = LLVMBuildFCmp(g->b, LLVMRealOLT, square, nr_ll_const_f(g, r, 0x1p-26), ""); /* keeps the sign of 0 */
  return LLVMBuildSelect(g->b, tiny, r, value, "");
}

static V cos_of(NrLl *g, V r, V square) {
  V head = fused(g, square, nr_ll_const_f(g, r, -0.5), nr_ll_const_f(g, r, 1));
  return fused(g, LLVMBuildFMul(g->b, square, square, ""), polynomial(g, square, cos_tail), head);
}

static V bit(NrLl *g, V n, unsigned which) {
  V masked = LLVMBuildAnd(g->b, n, nr_ll_const_i(g, n, 1u << which), "");
  return LLVMBuildICmp(g->b, LLVMIntNE, masked, nr_ll_const_i(g, n, 0), "");
}

static V negate_if(NrLl *g, V cond, V x) { return LLVMBuildSelect(g->b, cond, LLVMBuildFNeg(g->b, x, ""), x, ""); }

static V straight(NrLl *g, NrLlTrig which, V x) {
  V n, r;
  reduce(g, x, &n, &r);
  V square = LLVMBuildFMul(g->b, r, r, "");
  V s = sin_of(g, r, square), c = cos_of(g, r, square), odd = bit(g, n, 0);
  if (which == NR_LL_TAN) {
    V top = LLVMBuildSelect(g->b, odd, LLVMBuildFNeg(g->b, c, ""), s, "");
    return LLVMBuildFDiv(g->b, top, LLVMBuildSelect(g->b, odd, s, c, ""), "");
  }
  if (which == NR_LL_SIN) return negate_if(g, bit(g, n, 1), LLVMBuildSelect(g->b, odd, c, s, ""));
  V next = LLVMBuildAdd(g->b, n, nr_ll_const_i(g, n, 1), "");
  return negate_if(g, bit(g, next, 1), LLVMBuildSelect(g->b, odd, s, c, ""));
}

V nr_ll_trig_f32(NrLl *g, NrLlTrig which, V x) {
  static const char *const names[] = {"sin", "cos", "tan"};
  LLVMTypeRef type = LLVMTypeOf(x);
  V size = nr_ll_intrinsic(g, "llvm.fabs", &type, 1, &x, 1);
  V large = LLVMBuildFCmp(g->b, LLVMRealOGT, size, nr_ll_const_f(g, x, LARGE), "");
  LLVMTypeRef flags = LLVMTypeOf(large);
  if (LLVMGetTypeKind(flags) == LLVMVectorTypeKind)
    large = nr_ll_intrinsic(g, "llvm.vector.reduce.or", &flags, 1, &large, 1);
  LLVMBasicBlockRef rare = nr_ll_new_block(g, ""), usual = nr_ll_new_block(g, ""), join = nr_ll_new_block(g, "");
  nr_ll_cond_br_likely(g, LLVMBuildNot(g->b, large, ""), usual, rare);
  LLVMPositionBuilderAtEnd(g->b, rare);
  V slow = nr_ll_libm(g, names[which], &x, 1);
  LLVMBuildBr(g->b, join);
  LLVMPositionBuilderAtEnd(g->b, usual);
  V fast = straight(g, which, x);
  LLVMBuildBr(g->b, join);
  LLVMPositionBuilderAtEnd(g->b, join);
  V out = LLVMBuildPhi(g->b, type, "");
  LLVMAddIncoming(out, (V[]){slow, fast}, (LLVMBasicBlockRef[]){rare, usual}, 2);
  return out;
}
