/* math.c - math ops. */
#include "codegen/llvm/math_f32.h"
#include "codegen/llvm/vector.h"

#include <math.h>
#include <stdio.h>

static LLVMTypeRef scalar_of(LLVMValueRef v) {
  LLVMTypeRef t = LLVMTypeOf(v);
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

/* Declares a function of libm that reads and writes no memory (errno is of no interest). */
static LLVMValueRef libm_function(NrLl *g, const char *name, LLVMTypeRef type) {
  LLVMValueRef fn = LLVMGetNamedFunction(g->mod, name);
  if (fn) return fn;
  fn = LLVMAddFunction(g->mod, name, type);
  nr_ll_attr(g, fn, LLVMAttributeFunctionIndex, "nounwind", 0);
  nr_ll_attr(g, fn, LLVMAttributeFunctionIndex, "willreturn", 0);
  nr_ll_attr(g, fn, LLVMAttributeFunctionIndex, "memory", 0);
  return fn;
}

LLVMValueRef nr_ll_libm(NrLl *g, const char *name, LLVMValueRef *args, unsigned count) {
  LLVMTypeRef lane = scalar_of(args[0]), whole = LLVMTypeOf(args[0]);
  if (lane == g->f16) { /* libm has none: through f32 */
    LLVMValueRef wide[3];
    for (unsigned i = 0; i < count; i++) wide[i] = LLVMBuildFPExt(g->b, args[i], nr_ll_like(g->f32, args[i]), "");
    return LLVMBuildFPTrunc(g->b, nr_ll_libm(g, name, wide, count), whole, "");
  }
  if (lane != g->f32 && lane != g->f64) return NULL;
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%s%s", name, lane == g->f32 ? "f" : "");
  LLVMTypeRef params[3] = {lane, lane, lane}, type = LLVMFunctionType(lane, params, count, false);
  LLVMValueRef fn = libm_function(g, symbol, type);
  if (whole == lane) return LLVMBuildCall2(g->b, type, fn, args, count, "");
  LLVMValueRef out = LLVMGetPoison(whole);
  for (unsigned i = 0; i < LLVMGetVectorSize(whole); i++) {
    LLVMValueRef at = nr_ll_int(g, i), item[3];
    for (unsigned a = 0; a < count; a++) item[a] = LLVMBuildExtractElement(g->b, args[a], at, "");
    out = LLVMBuildInsertElement(g->b, out, LLVMBuildCall2(g->b, type, fn, item, count, ""), at, "");
  }
  return out;
}

static LLVMValueRef lane_libm(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  return nr_ll_libm(g, row->text, args, op->num_operands);
}

typedef LLVMValueRef (*F32Function)(NrLl *g, LLVMValueRef x);
enum { EXP, EXP2, EXPM1, TANH, LOG, LOG2, LOG10, LOG1P, ERF };
static const F32Function f32_functions[] = {
    [EXP] = nr_ll_exp_f32,   [EXP2] = nr_ll_exp2_f32,   [EXPM1] = nr_ll_expm1_f32,
    [TANH] = nr_ll_tanh_f32, [LOG] = nr_ll_log_f32,     [LOG2] = nr_ll_log2_f32,
    [LOG10] = nr_ll_log10_f32, [LOG1P] = nr_ll_log1p_f32, [ERF] = nr_ll_erf_f32,
};

/* f32, and f16 through it, as code of our own; f64 by libm. */
static LLVMValueRef lane_elementary(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  F32Function function = f32_functions[row->code];
  LLVMTypeRef lane = scalar_of(args[0]);
  if (lane == g->f32) return function(g, args[0]);
  if (lane != g->f16) return nr_ll_libm(g, row->text, args, 1);
  LLVMValueRef wide = LLVMBuildFPExt(g->b, args[0], nr_ll_like(g->f32, args[0]), "");
  return LLVMBuildFPTrunc(g->b, function(g, wide), LLVMTypeOf(args[0]), "");
}

static LLVMValueRef trig(NrLl *g, NrLlTrig which, const char *name, LLVMValueRef arg) {
  LLVMTypeRef lane = scalar_of(arg);
  if (lane == g->f32) return nr_ll_trig_f32(g, which, arg);
  if (lane != g->f16) return nr_ll_libm(g, name, &arg, 1);
  LLVMValueRef wide = LLVMBuildFPExt(g->b, arg, nr_ll_like(g->f32, arg), "");
  return LLVMBuildFPTrunc(g->b, nr_ll_trig_f32(g, which, wide), LLVMTypeOf(arg), "");
}

/* code: NrLlTrig. */
static LLVMValueRef lane_trig(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  return trig(g, (NrLlTrig)row->code, row->text, args[0]);
}

static LLVMValueRef lane_intrinsic(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef out = nr_ll_intrinsic(g, row->text, &type, 1, args, op->num_operands);
  nr_ll_flags(op, out);
  return out;
}

/* llvm.abs, llvm.ctlz, llvm.cttz: the second argument says that no input is poison. */
static LLVMValueRef lane_int_intrinsic(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef both[] = {args[0], LLVMConstInt(g->i1, 0, false)};
  return nr_ll_intrinsic(g, row->text, &type, 1, both, row->code ? 2 : 1);
}

static LLVMValueRef lane_rsqrt(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef root = nr_ll_intrinsic(g, "llvm.sqrt", &type, 1, args, 1);
  nr_ll_flags(op, root);
  LLVMValueRef out = LLVMBuildFDiv(g->b, nr_ll_const_f(g, args[0], 1), root, "");
  nr_ll_flags(op, out);
  return out;
}

/* min(max(value, low), high), NaN of any operand winning. */
static LLVMValueRef lane_clampf(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef low[] = {args[0], args[1]};
  LLVMValueRef high[] = {nr_ll_intrinsic(g, "llvm.maximum", &type, 1, low, 2), args[2]};
  return nr_ll_intrinsic(g, "llvm.minimum", &type, 1, high, 2);
}

enum { /* bits of llvm.is.fpclass */
  CLASS_NAN = 0x3,
  CLASS_INF = 0x204,
  CLASS_NORMAL = 0x108,
  CLASS_FINITE = 0x1f8,
};

/* What is normal as an f32 may have been subnormal before. */
static LLVMValueRef is_soft_normal(NrLl *g, const NrFloatFormat *format, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  double least = ldexp(1, (format->unsigned_no_zero ? 0 : 1) - format->bias);
  LLVMValueRef size = nr_ll_intrinsic(g, "llvm.fabs", &type, 1, &value, 1);
  LLVMValueRef finite = LLVMBuildFCmp(g->b, LLVMRealOLT, size, LLVMConstReal(type, INFINITY), "");
  LLVMValueRef normal = LLVMBuildFCmp(g->b, LLVMRealOGE, size, LLVMConstReal(type, least), "");
  return LLVMBuildAnd(g->b, finite, normal, "");
}

/* code: mask of llvm.is.fpclass. */
static LLVMValueRef lane_class(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  const NrFloatFormat *soft = nr_ll_soft_format(g, nr_type_elem(nr_operand(op, 0)->type));
  if (soft && row->code == CLASS_NORMAL) return is_soft_normal(g, soft, args[0]);
  LLVMValueRef both[] = {args[0], nr_ll_int32(g, row->code)};
  return nr_ll_intrinsic(g, "llvm.is.fpclass", &type, 1, both, 2);
}

/* |lhs| to the power of rhs in f64, and the sign by whether rhs is odd: a float need not hold that. */
static LLVMValueRef lane_fpowi(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]), wide = nr_ll_like(g->f64, args[0]);
  LLVMValueRef base = scalar_of(args[0]) == g->f64 ? args[0] : LLVMBuildFPExt(g->b, args[0], wide, "");
  LLVMValueRef both[] = {nr_ll_intrinsic(g, "llvm.fabs", &wide, 1, &base, 1), LLVMBuildSIToFP(g->b, args[1], wide, "")};
  LLVMValueRef size = nr_ll_intrinsic(g, "llvm.pow", &wide, 1, both, 2);
  LLVMValueRef signed_size[] = {size, base};
  LLVMValueRef odd = LLVMBuildTrunc(g->b, args[1], nr_ll_like(g->i1, args[1]), "");
  LLVMValueRef as_base = nr_ll_intrinsic(g, "llvm.copysign", &wide, 1, signed_size, 2);
  LLVMValueRef out = LLVMBuildSelect(g->b, odd, as_base, size, "");
  if (type == wide) return out;
  out = LLVMBuildFPTrunc(g->b, out, nr_ll_like(g->f32, out), "");
  return LLVMBuildFPTrunc(g->b, out, type, ""); /* itself, but for f16 */
}

/* lhs ** rhs by squaring, on a scalar: a loop over the bits of |rhs|. */
static LLVMValueRef scalar_ipowi(NrLl *g, LLVMValueRef base, LLVMValueRef power) {
  LLVMTypeRef type = LLVMTypeOf(base);
  if (type == g->i1) return LLVMBuildOr(g->b, base, LLVMBuildNot(g->b, power, ""), ""); /* 0 ** 0, 1 ** 0 and 1 ** -1 */
  LLVMValueRef zero = LLVMConstInt(type, 0, false), one = LLVMConstInt(type, 1, false);
  LLVMValueRef minus = LLVMConstInt(type, ~0ull, true);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), head = nr_ll_new_block(g, "");
  LLVMBuildBr(g->b, head);
  LLVMPositionBuilderAtEnd(g->b, head);
  LLVMValueRef product = LLVMBuildPhi(g->b, type, ""), square = LLVMBuildPhi(g->b, type, "");
  LLVMValueRef left = LLVMBuildPhi(g->b, type, "");
  LLVMValueRef odd = LLVMBuildTrunc(g->b, left, g->i1, "");
  LLVMValueRef next = LLVMBuildSelect(g->b, odd, LLVMBuildMul(g->b, product, square, ""), product, "");
  LLVMValueRef next_square = LLVMBuildMul(g->b, square, square, ""), next_left = LLVMBuildLShr(g->b, left, one, "");
  LLVMBasicBlockRef after = nr_ll_new_block(g, "");
  LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, next_left, zero, ""), head, after);
  LLVMAddIncoming(product, (LLVMValueRef[]){one, next}, (LLVMBasicBlockRef[]){before, head}, 2);
  LLVMAddIncoming(square, (LLVMValueRef[]){base, next_square}, (LLVMBasicBlockRef[]){before, head}, 2);
  LLVMAddIncoming(left, (LLVMValueRef[]){power, next_left}, (LLVMBasicBlockRef[]){before, head}, 2);
  LLVMPositionBuilderAtEnd(g->b, after);
  /* A negative power is 1/base^|power| cut off: 0, except for bases 1 and -1. */
  LLVMValueRef odd_power = LLVMBuildTrunc(g->b, power, g->i1, "");
  LLVMValueRef of_minus = LLVMBuildSelect(g->b, odd_power, minus, one, "");
  LLVMValueRef small = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, base, minus, ""), of_minus, zero, "");
  small = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, base, one, ""), one, small, "");
  return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, power, zero, ""), small, next, "");
}

static LLVMValueRef lane_ipowi(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return scalar_ipowi(g, args[0], args[1]);
  LLVMValueRef out = LLVMGetPoison(type);
  for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
    LLVMValueRef at = nr_ll_int(g, i);
    LLVMValueRef item = scalar_ipowi(g, LLVMBuildExtractElement(g->b, args[0], at, ""),
                                     LLVMBuildExtractElement(g->b, args[1], at, ""));
    out = LLVMBuildInsertElement(g->b, out, item, at, "");
  }
  return out;
}

static void sincos_row(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args, LLVMValueRef *out) {
  const NrFloatFormat *soft = nr_ll_soft_format(g, nr_type_elem(nr_operand(op, 0)->type));
  LLVMValueRef arg = soft ? nr_ll_soft_extend(g, soft, args[0]) : args[0];
  out[0] = trig(g, NR_LL_SIN, "sin", arg);
  out[1] = trig(g, NR_LL_COS, "cos", arg);
  for (size_t i = 0; i < 2 && soft; i++) out[i] = nr_ll_soft_round(g, soft, out[i]);
}

static NrStatus emit_sincos(NrLl *g, NrOp *op, const NrLlRow *row) { return nr_ll_emit_two(g, op, row, sincos_row); }

#define INTRINSIC(name, function) {"math." name, .lane = lane_intrinsic, .text = "llvm." function, .is_float = true}
#define ELEMENTARY(name, id) {"math." name, .lane = lane_elementary, .text = name, .code = id, .is_float = true}
#define TRIG(name, id) {"math." name, .lane = lane_trig, .text = name, .code = id, .is_float = true}
#define LIBM(name) {"math." name, .lane = lane_libm, .text = name, .is_float = true}
const NrLlRow nr_ll_math_rows[] = {
    INTRINSIC("absf", "fabs"),
    INTRINSIC("ceil", "ceil"),
    INTRINSIC("copysign", "copysign"),
    TRIG("cos", NR_LL_COS),
    TRIG("sin", NR_LL_SIN),
    ELEMENTARY("exp", EXP),
    ELEMENTARY("exp2", EXP2),
    INTRINSIC("floor", "floor"),
    INTRINSIC("fma", "fma"),
    ELEMENTARY("log", LOG),
    ELEMENTARY("log10", LOG10),
    ELEMENTARY("log2", LOG2),
    INTRINSIC("powf", "pow"),
    INTRINSIC("sqrt", "sqrt"),
    INTRINSIC("roundeven", "roundeven"),
    INTRINSIC("round", "round"),
    INTRINSIC("trunc", "trunc"),
    LIBM("acos"),
    LIBM("acosh"),
    LIBM("asin"),
    LIBM("asinh"),
    LIBM("atan"),
    LIBM("atan2"),
    LIBM("atanh"),
    LIBM("cbrt"),
    LIBM("cosh"),
    ELEMENTARY("erf", ERF),
    LIBM("erfc"),
    ELEMENTARY("expm1", EXPM1),
    ELEMENTARY("log1p", LOG1P),
    LIBM("sinh"),
    TRIG("tan", NR_LL_TAN),
    ELEMENTARY("tanh", TANH),
    {"math.rsqrt", .lane = lane_rsqrt, .is_float = true},
    {"math.clampf", .lane = lane_clampf, .is_float = true},
    {"math.fpowi", .lane = lane_fpowi, .is_float = true},
    {"math.isnan", .lane = lane_class, .code = CLASS_NAN, .is_float = true},
    {"math.isinf", .lane = lane_class, .code = CLASS_INF, .is_float = true},
    {"math.isfinite", .lane = lane_class, .code = CLASS_FINITE, .is_float = true},
    {"math.isnormal", .lane = lane_class, .code = CLASS_NORMAL, .is_float = true},
    {"math.absi", .lane = lane_int_intrinsic, .text = "llvm.abs", .code = 1},
    {"math.ctlz", .lane = lane_int_intrinsic, .text = "llvm.ctlz", .code = 1},
    {"math.cttz", .lane = lane_int_intrinsic, .text = "llvm.cttz", .code = 1},
    {"math.ctpop", .lane = lane_int_intrinsic, .text = "llvm.ctpop"},
    {"math.ipowi", .lane = lane_ipowi},
    {"math.sincos", .emit = emit_sincos},
    {0},
};
