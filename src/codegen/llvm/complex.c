/* complex.c - complex numbers: a pair of floats in registers and in memory. Soft floats are computed with as f32. */
#include "codegen/llvm/ll.h"

typedef struct Pair {
  LLVMValueRef re, im;
} Pair;

static Pair parts_of(NrLl *g, NrValue *value) {
  LLVMValueRef whole = nr_ll_value(g, value);
  const NrFloatFormat *soft = nr_ll_soft_format(g, value->type->elem);
  Pair p = {LLVMBuildExtractValue(g->b, whole, 0, ""), LLVMBuildExtractValue(g->b, whole, 1, "")};
  if (soft) p = (Pair){nr_ll_soft_extend(g, soft, p.re), nr_ll_soft_extend(g, soft, p.im)};
  return p;
}

/* A part as the type has it. */
static LLVMValueRef rounded(NrLl *g, NrType part, LLVMValueRef value) {
  const NrFloatFormat *soft = nr_ll_soft_format(g, part);
  return soft ? nr_ll_soft_round(g, soft, value) : value;
}

static NrStatus set_pair(NrLl *g, NrOp *op, LLVMValueRef re, LLVMValueRef im) {
  LLVMValueRef whole = LLVMGetPoison(nr_ll_type(g, nr_result(op, 0)->type));
  whole = LLVMBuildInsertValue(g->b, whole, re, 0, "");
  nr_ll_set(g, nr_result(op, 0), LLVMBuildInsertValue(g->b, whole, im, 1, ""));
  return NR_OK;
}

/* One step of arithmetic, rounded to the part's type. */
static LLVMValueRef step(NrLl *g, NrOp *op, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b) {
  NrType part = nr_operand(op, 0)->type->elem;
  const NrFloatFormat *soft = nr_ll_soft_format(g, part);
  LLVMValueRef out = LLVMBuildBinOp(g->b, opcode, a, b, "");
  nr_ll_flags(op, out);
  return soft ? nr_ll_soft_extend(g, soft, nr_ll_soft_round(g, soft, out)) : out;
}

static NrStatus set_rounded(NrLl *g, NrOp *op, LLVMValueRef re, LLVMValueRef im) {
  NrType part = nr_result(op, 0)->type->elem;
  return set_pair(g, op, rounded(g, part, re), rounded(g, part, im));
}

static NrStatus emit_constant(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr value = nr_op_attr(op, "value");
  NrType part = nr_result(op, 0)->type->elem;
  LLVMValueRef parts[] = {nr_ll_constant(g, value->items[0], part), nr_ll_constant(g, value->items[1], part)};
  if (!parts[0] || !parts[1]) return nr_op_error(op, "has a value that machine code does not have");
  nr_ll_set(g, nr_result(op, 0), LLVMConstStructInContext(g->llvm, parts, 2, false));
  return NR_OK;
}

static NrStatus emit_create(NrLl *g, NrOp *op, const NrLlRow *row) {
  return set_pair(g, op, nr_ll_value(g, nr_operand(op, 0)), nr_ll_value(g, nr_operand(op, 1)));
}

/* code: which part. */
static NrStatus emit_part(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef whole = nr_ll_value(g, nr_operand(op, 0));
  nr_ll_set(g, nr_result(op, 0), LLVMBuildExtractValue(g->b, whole, (unsigned)row->code, ""));
  return NR_OK;
}

static NrStatus emit_abs(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0));
  NrType part = nr_result(op, 0)->type;
  LLVMValueRef out = nr_ll_libm(g, "hypot", (LLVMValueRef[]){a.re, a.im}, 2);
  if (!out) return nr_op_error(op, "cannot be compiled for type %s", nr_type_text(g->ctx, part));
  nr_ll_set(g, nr_result(op, 0), rounded(g, part, out));
  return NR_OK;
}

/* code: LLVMFAdd or LLVMFSub. */
static NrStatus emit_sum(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0)), b = parts_of(g, nr_operand(op, 1));
  return set_rounded(g, op, step(g, op, (LLVMOpcode)row->code, a.re, b.re),
                     step(g, op, (LLVMOpcode)row->code, a.im, b.im));
}

static NrStatus emit_mul(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0)), b = parts_of(g, nr_operand(op, 1));
  LLVMValueRef re = step(g, op, LLVMFSub, step(g, op, LLVMFMul, a.re, b.re), step(g, op, LLVMFMul, a.im, b.im));
  LLVMValueRef im = step(g, op, LLVMFAdd, step(g, op, LLVMFMul, a.re, b.im), step(g, op, LLVMFMul, a.im, b.re));
  return set_rounded(g, op, re, im);
}

static LLVMValueRef absolute(NrLl *g, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return nr_ll_intrinsic(g, "llvm.fabs", &type, 1, &x, 1);
}

/* Smith's method: above and below are divided by the larger part of the divisor first. */
static NrStatus emit_div(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0)), b = parts_of(g, nr_operand(op, 1));
  LLVMValueRef zero = nr_ll_const_f(g, b.re, 0), size_re = absolute(g, b.re), size_im = absolute(g, b.im);
  LLVMValueRef wide = LLVMBuildFCmp(g->b, LLVMRealOGE, size_re, size_im, "");
  LLVMValueRef large = LLVMBuildSelect(g->b, wide, b.re, b.im, ""), small = LLVMBuildSelect(g->b, wide, b.im, b.re, "");
  LLVMValueRef ratio = step(g, op, LLVMFDiv, small, large);
  LLVMValueRef below = step(g, op, LLVMFAdd, step(g, op, LLVMFMul, small, ratio), large);
  LLVMValueRef re_scaled = step(g, op, LLVMFMul, a.re, ratio), im_scaled = step(g, op, LLVMFMul, a.im, ratio);
  LLVMValueRef re = LLVMBuildSelect(g->b, wide, step(g, op, LLVMFAdd, im_scaled, a.re),
                                    step(g, op, LLVMFAdd, re_scaled, a.im), "");
  LLVMValueRef im = LLVMBuildSelect(g->b, wide, step(g, op, LLVMFSub, a.im, re_scaled),
                                    step(g, op, LLVMFSub, im_scaled, a.re), "");
  LLVMValueRef by_zero = LLVMBuildAnd(g->b, LLVMBuildFCmp(g->b, LLVMRealOEQ, b.re, zero, ""),
                                      LLVMBuildFCmp(g->b, LLVMRealOEQ, b.im, zero, ""), "");
  below = LLVMBuildSelect(g->b, by_zero, size_re, below, "");
  re = LLVMBuildSelect(g->b, by_zero, a.re, re, "");
  im = LLVMBuildSelect(g->b, by_zero, a.im, im, "");
  return set_rounded(g, op, step(g, op, LLVMFDiv, re, below), step(g, op, LLVMFDiv, im, below));
}

/* code: whether the real part changes its sign too. */
static NrStatus emit_neg(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0));
  return set_rounded(g, op, row->code ? LLVMBuildFNeg(g->b, a.re, "") : a.re, LLVMBuildFNeg(g->b, a.im, ""));
}

/* code: whether it is eq. */
static NrStatus emit_compare(NrLl *g, NrOp *op, const NrLlRow *row) {
  Pair a = parts_of(g, nr_operand(op, 0)), b = parts_of(g, nr_operand(op, 1));
  LLVMValueRef equal = LLVMBuildAnd(g->b, LLVMBuildFCmp(g->b, LLVMRealOEQ, a.re, b.re, ""),
                                    LLVMBuildFCmp(g->b, LLVMRealOEQ, a.im, b.im, ""), "");
  nr_ll_set(g, nr_result(op, 0), row->code ? equal : LLVMBuildNot(g->b, equal, ""));
  return NR_OK;
}

const NrLlRow nr_ll_complex_rows[] = {
    {"complex.constant", emit_constant},
    {"complex.create", emit_create},
    {"complex.re", emit_part, .code = 0},
    {"complex.im", emit_part, .code = 1},
    {"complex.abs", emit_abs},
    {"complex.add", emit_sum, .code = LLVMFAdd},
    {"complex.sub", emit_sum, .code = LLVMFSub},
    {"complex.mul", emit_mul},
    {"complex.div", emit_div},
    {"complex.neg", emit_neg, .code = 1},
    {"complex.conj", emit_neg},
    {"complex.eq", emit_compare, .code = 1},
    {"complex.neq", emit_compare},
    {0},
};
