/* float_cast.c - casts between float types, with every rounding mode, and those that scale. */
#include "codegen/llvm/ll.h"

enum { TO_NEAREST_EVEN, DOWNWARD, UPWARD, TOWARD_ZERO, TO_NEAREST_AWAY }; /* roundingmode */

/* Between any two float types. f64 to f16 is written out: hardware has no such step, and LLVM would call a library. */
static LLVMValueRef float_cast(NrLl *g, NrType from, NrType to, LLVMValueRef value) {
  const NrFloatFormat *soft_in = nr_ll_soft_format(g, from), *soft_out = nr_ll_soft_format(g, to);
  if (soft_in) value = nr_ll_soft_extend(g, soft_in, value);
  LLVMTypeRef type = nr_ll_like(soft_out ? g->f32 : nr_ll_type(g, to), value);
  if (from->float_kind == NR_F64 && to->float_kind == NR_F16 && !soft_out)
    return LLVMBuildBitCast(g->b, nr_ll_soft_round(g, &nr_format_f16, value), type, "");
  if (soft_out && from->float_kind == NR_F64) return nr_ll_soft_round(g, soft_out, value);
  unsigned have = soft_in ? 32 : from->width, want = soft_out ? 32 : to->width;
  if (have < want) value = LLVMBuildFPExt(g->b, value, type, "");
  else if (have > want) value = LLVMBuildFPTrunc(g->b, value, type, "");
  return soft_out ? nr_ll_soft_round(g, soft_out, value) : value;
}

static LLVMValueRef both(NrLl *g, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAnd(g->b, a, b, ""); }

static LLVMValueRef compare(NrLl *g, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFCmp(g->b, p, a, b, "");
}

static LLVMValueRef size_of(NrLl *g, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return nr_ll_intrinsic(g, "llvm.fabs", &type, 1, &x, 1);
}

/* The bits of the value next to bits, above it where up is true and below it elsewhere. */
static LLVMValueRef neighbour(NrLl *g, NrType type, LLVMValueRef bits, LLVMValueRef up) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  LLVMValueRef one = nr_ll_const_i(g, bits, 1);
  LLVMValueRef more = LLVMBuildAdd(g->b, bits, one, ""), less = LLVMBuildSub(g->b, bits, one, "");
  if (format && format->unsigned_no_zero) return LLVMBuildSelect(g->b, up, more, less, "");
  LLVMValueRef zero = nr_ll_const_i(g, bits, 0), sign = nr_ll_const_i(g, bits, 1ull << (type->width - 1));
  LLVMValueRef negative = LLVMBuildICmp(g->b, LLVMIntNE, both(g, bits, sign), zero, "");
  LLVMValueRef is_zero = LLVMBuildICmp(g->b, LLVMIntEQ, both(g, bits, LLVMBuildNot(g->b, sign, "")), zero, "");
  LLVMValueRef out = LLVMBuildSelect(g->b, LLVMBuildXor(g->b, negative, up, ""), more, less, "");
  LLVMValueRef least = LLVMBuildSelect(g->b, up, one, LLVMBuildOr(g->b, sign, one, ""), "");
  out = LLVMBuildSelect(g->b, is_zero, least, out, "");
  if (!format || format->nan != NR_NAN_NEG_ZERO) return out;
  return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, out, sign, ""), zero, out, "");
}

/* near, which is exact (an f64) rounded to nearest: the value on the other side of exact where the mode wants that. */
static LLVMValueRef directed(NrLl *g, NrType to, int64_t mode, LLVMValueRef exact, LLVMValueRef near) {
  NrType f64 = nr_type_f64(g->ctx);
  bool soft = nr_ll_soft_format(g, to) != NULL;
  LLVMTypeRef lane = LLVMTypeOf(near), integer = nr_ll_like(LLVMIntTypeInContext(g->llvm, to->width), near);
  LLVMValueRef have = float_cast(g, to, f64, near);
  LLVMValueRef up = compare(g, LLVMRealOLT, have, exact), down = compare(g, LLVMRealOGT, have, exact);
  LLVMValueRef next = neighbour(g, to, soft ? near : LLVMBuildBitCast(g->b, near, integer, ""), up);
  if (!soft) next = LLVMBuildBitCast(g->b, next, lane, "");
  LLVMValueRef other = float_cast(g, to, f64, next), take;
  LLVMValueRef grows = compare(g, LLVMRealOGT, size_of(g, other), size_of(g, have));
  if (mode == DOWNWARD) take = down;
  else if (mode == UPWARD) take = up;
  else if (mode == TOWARD_ZERO) take = compare(g, LLVMRealOGT, size_of(g, have), size_of(g, exact));
  else
    take = both(g, grows, compare(g, LLVMRealOEQ, size_of(g, LLVMBuildFSub(g->b, exact, have, "")),
                                  size_of(g, LLVMBuildFSub(g->b, other, exact, ""))));
  /* Behind the largest value there is none, and NaN has no neighbours. */
  LLVMValueRef is_there = LLVMBuildSelect(g->b, up, compare(g, LLVMRealOGT, other, have),
                                          both(g, down, compare(g, LLVMRealOLT, other, have)), "");
  return LLVMBuildSelect(g->b, both(g, is_there, take), next, near, "");
}

static LLVMValueRef lane_extf(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  return float_cast(g, nr_type_elem(nr_operand(op, 0)->type), nr_type_elem(nr_result(op, 0)->type), args[0]);
}

static LLVMValueRef lane_truncf(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  int64_t mode = nr_op_attr_int(op, NR_A_roundingmode, TO_NEAREST_EVEN);
  LLVMValueRef near = lane_extf(g, op, row, args);
  if (mode == TO_NEAREST_EVEN) return near;
  LLVMValueRef exact = float_cast(g, nr_type_elem(nr_operand(op, 0)->type), nr_type_f64(g->ctx), args[0]);
  return directed(g, nr_type_elem(nr_result(op, 0)->type), mode, exact, near);
}

/* in times scale, or divided by it (code), which is exact in f64, rounded once. */
static LLVMValueRef lane_scaling(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  NrType f64 = nr_type_f64(g->ctx), scale = nr_type_elem(nr_operand(op, 1)->type);
  NrType to = nr_type_elem(nr_result(op, 0)->type);
  if (!nr_type_is_float_kind(scale, NR_F8E8M0FNU)) return NULL;
  int64_t mode = nr_op_attr_int(op, NR_A_roundingmode, TO_NEAREST_EVEN);
  LLVMValueRef value = float_cast(g, nr_type_elem(nr_operand(op, 0)->type), f64, args[0]);
  value = LLVMBuildBinOp(g->b, (LLVMOpcode)row->code, value, float_cast(g, scale, f64, args[1]), "");
  LLVMValueRef near = float_cast(g, f64, to, value);
  return mode == TO_NEAREST_EVEN ? near : directed(g, to, mode, value, near);
}

const NrLlRow nr_ll_float_cast_rows[] = {
    {"arith.extf", .lane = lane_extf},
    {"arith.truncf", .lane = lane_truncf},
    {"arith.scaling_extf", .lane = lane_scaling, .code = LLVMFMul},
    {"arith.scaling_truncf", .lane = lane_scaling, .code = LLVMFDiv},
    {0},
};
