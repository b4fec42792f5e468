/* arith.c - arith ops, on scalars and vectors alike: LLVM's instructions take both. */
#include "codegen/llvm/ll.h"
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/arith/compare.h"

/* ---- flags ------------------------------------------------------------------------------------------------------ */

unsigned nr_ll_fastmath(NrOp *op) { return nr_arith_fastmath(op); } /* the bits are LLVM's */

void nr_ll_flags(NrOp *op, LLVMValueRef value) {
  if (!LLVMIsAInstruction(value)) return;
  if (LLVMCanValueUseFastMathFlags(value)) {
    unsigned flags = nr_ll_fastmath(op);
    if (flags) LLVMSetFastMathFlags(value, flags);
    return;
  }
  unsigned overflow = nr_arith_overflow(op);
  if (overflow & NR_OVERFLOW_NSW) LLVMSetNSW(value, true);
  if (overflow & NR_OVERFLOW_NUW) LLVMSetNUW(value, true);
  if (nr_op_attr(op, NR_A_isExact)) LLVMSetExact(value, true);
}

LLVMValueRef nr_ll_intrinsic(NrLl *g, const char *name, LLVMTypeRef *overloads, unsigned num_overloads,
                             LLVMValueRef *args, unsigned count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->mod, id, overloads, num_overloads);
  return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->llvm, id, overloads, num_overloads), fn, args, count, "");
}

/* ---- constants, select ------------------------------------------------------------------------------------------ */

static NrStatus emit_constant(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr attr = nr_op_attr(op, NR_A_value);
  if (attr->kind == NR_ATTR_SPARSE) attr = nr_attr_sparse_to_dense(attr);
  LLVMValueRef value = attr ? nr_ll_constant(g, attr, nr_op_result(op)->type) : NULL;
  if (!value) return nr_op_error(op, "has a value that machine code does not have");
  nr_ll_set(g, nr_op_result(op), value);
  return NR_OK;
}

static LLVMValueRef lane_select(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  return LLVMBuildSelect(g->b, args[0], args[1], args[2], "");
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

static LLVMValueRef lane_binary(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMValueRef out = LLVMBuildBinOp(g->b, (LLVMOpcode)row->code, args[0], args[1], "");
  nr_ll_flags(op, out);
  return out;
}

static LLVMValueRef lane_negf(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMValueRef out = LLVMBuildFNeg(g->b, args[0], "");
  nr_ll_flags(op, out);
  return out;
}

/* Builds the intrinsic row->text, overloaded on the operands' type. */
static LLVMValueRef lane_intrinsic(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef out = nr_ll_intrinsic(g, row->text, &type, 1, args, op->num_operands);
  nr_ll_flags(op, out);
  return out;
}

/* Replaces a divisor of -1 by 1: the minimum divided by -1 overflows, which traps on the CPU even where only the
 * remainder is used; the remainder is 0 for both divisors. */
static LLVMValueRef without_minus(NrLl *g, LLVMValueRef divisor) {
  LLVMValueRef is_minus = LLVMBuildICmp(g->b, LLVMIntEQ, divisor, LLVMConstAllOnes(LLVMTypeOf(divisor)), "");
  return LLVMBuildSelect(g->b, is_minus, nr_ll_const_i(g, divisor, 1), divisor, "");
}

static LLVMValueRef lane_remsi(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  return LLVMBuildSRem(g->b, args[0], without_minus(g, args[1]), "");
}

/* Rounded division without intermediate overflow: the quotient rounded toward 0, corrected where the remainder is not
 * 0. */
static LLVMValueRef lane_ceildivui(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMValueRef q = LLVMBuildUDiv(g->b, args[0], args[1], ""), r = LLVMBuildURem(g->b, args[0], args[1], "");
  LLVMValueRef cut = LLVMBuildICmp(g->b, LLVMIntNE, r, nr_ll_const_i(g, r, 0), "");
  return LLVMBuildAdd(g->b, q, LLVMBuildZExt(g->b, cut, LLVMTypeOf(q), ""), "");
}

/* code: 1 rounds up, -1 rounds down. */
static LLVMValueRef lane_rounddivsi(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMValueRef q = LLVMBuildSDiv(g->b, args[0], args[1], ""), r = LLVMBuildSRem(g->b, args[0], args[1], "");
  LLVMValueRef zero = nr_ll_const_i(g, r, 0);
  LLVMValueRef cut = LLVMBuildICmp(g->b, LLVMIntNE, r, zero, "");
  LLVMValueRef signs = LLVMBuildXor(g->b, r, args[1], "");
  LLVMValueRef negative = LLVMBuildICmp(g->b, row->code > 0 ? LLVMIntSGE : LLVMIntSLT, signs, zero, "");
  LLVMValueRef fix = LLVMBuildAnd(g->b, cut, negative, "");
  LLVMTypeRef type = LLVMTypeOf(q);
  return row->code > 0 ? LLVMBuildAdd(g->b, q, LLVMBuildZExt(g->b, fix, type, ""), "")
                       : LLVMBuildAdd(g->b, q, LLVMBuildSExt(g->b, fix, type, ""), "");
}

/* ---- comparison ------------------------------------------------------------------------------------------------- */

static LLVMValueRef lane_cmpi(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  static const LLVMIntPredicate predicates[NR_NUM_CMPI] = {
      [NR_CMPI_EQ] = LLVMIntEQ,   [NR_CMPI_NE] = LLVMIntNE,   [NR_CMPI_SLT] = LLVMIntSLT, [NR_CMPI_SLE] = LLVMIntSLE,
      [NR_CMPI_SGT] = LLVMIntSGT, [NR_CMPI_SGE] = LLVMIntSGE, [NR_CMPI_ULT] = LLVMIntULT, [NR_CMPI_ULE] = LLVMIntULE,
      [NR_CMPI_UGT] = LLVMIntUGT, [NR_CMPI_UGE] = LLVMIntUGE};
  return LLVMBuildICmp(g->b, predicates[nr_cmpi_of(op)], args[0], args[1], "");
}

static LLVMValueRef lane_cmpf(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMRealPredicate predicate = (LLVMRealPredicate)nr_cmpf_predicates[nr_cmpf_of(op)].relations;
  LLVMValueRef out = LLVMBuildFCmp(g->b, predicate, args[0], args[1], "");
  nr_ll_flags(op, out);
  return out;
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

/* The LLVM type of an element of the result, as a vector if arg is one. */
static LLVMTypeRef result_lane(NrLl *g, NrOp *op, LLVMValueRef arg) {
  return nr_ll_like(nr_ll_type(g, nr_type_elem(nr_op_result(op)->type)), arg);
}

static LLVMValueRef lane_cast(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMValueRef out = LLVMBuildCast(g->b, (LLVMOpcode)row->code, args[0], result_lane(g, op, args[0]), "");
  nr_ll_flags(op, out);
  return out;
}

/* The width of the integer type, or of a vector's elements; 0 for other types. */
static unsigned lane_bits(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* code: whether the extension copies the sign bit. */
static LLVMValueRef lane_index_cast(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  unsigned from = nr_type_bits(nr_type_elem(nr_op_only_operand(op)->type));
  unsigned to = nr_type_bits(nr_type_elem(nr_op_result(op)->type));
  LLVMTypeRef type = result_lane(g, op, args[0]);
  if (from == to) return args[0];
  if (from > to) return LLVMBuildTrunc(g->b, args[0], type, "");
  return row->code ? LLVMBuildSExt(g->b, args[0], type, "") : LLVMBuildZExt(g->b, args[0], type, "");
}

/* Floats narrower than a byte are zero-extended integers of a byte. */
static LLVMValueRef lane_bitcast(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = result_lane(g, op, args[0]);
  unsigned from = lane_bits(LLVMTypeOf(args[0])), to = lane_bits(type);
  if (!from || !to || from == to) return LLVMBuildBitCast(g->b, args[0], type, "");
  return from > to ? LLVMBuildTrunc(g->b, args[0], type, "") : LLVMBuildZExt(g->b, args[0], type, "");
}

/* ---- two results ------------------------------------------------------------------------------------------------ */

static NrStatus emit_addui_extended(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef a = nr_ll_value(g, nr_op_lhs(op));
  LLVMValueRef sum = LLVMBuildAdd(g->b, a, nr_ll_value(g, nr_op_rhs(op)), "");
  nr_ll_set(g, nr_arith_addui_extended_sum(op), sum);
  nr_ll_set(g, nr_arith_addui_extended_overflow(op), LLVMBuildICmp(g->b, LLVMIntULT, sum, a, ""));
  return NR_OK;
}

/* code: LLVMSExt or LLVMZExt. */
static NrStatus emit_mul_extended(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef a = nr_ll_value(g, nr_op_lhs(op)), b = nr_ll_value(g, nr_op_rhs(op));
  LLVMTypeRef narrow = LLVMTypeOf(a);
  unsigned bits = nr_type_bits(nr_type_elem(nr_op_lhs(op)->type));
  LLVMTypeRef wide = nr_ll_like(LLVMIntTypeInContext(g->llvm, 2 * bits), a);
  LLVMValueRef product = LLVMBuildMul(g->b, LLVMBuildCast(g->b, (LLVMOpcode)row->code, a, wide, ""),
                                      LLVMBuildCast(g->b, (LLVMOpcode)row->code, b, wide, ""), "");
  LLVMValueRef high = LLVMBuildLShr(g->b, product, nr_ll_const_i(g, product, bits), "");
  nr_ll_set(g, nr_result(op, NR_ARITH_MULSI_EXTENDED_LOW), LLVMBuildTrunc(g->b, product, narrow, ""));
  nr_ll_set(g, nr_result(op, NR_ARITH_MULSI_EXTENDED_HIGH), LLVMBuildTrunc(g->b, high, narrow, ""));
  return NR_OK;
}

const NrLlRow nr_ll_arith_rows[] = {
    {"arith.constant", .emit = emit_constant},
    {"arith.select", .lane = lane_select},
    {"arith.addi", .lane = lane_binary, .code = LLVMAdd},
    {"arith.subi", .lane = lane_binary, .code = LLVMSub},
    {"arith.muli", .lane = lane_binary, .code = LLVMMul},
    {"arith.divsi", .lane = lane_binary, .code = LLVMSDiv},
    {"arith.divui", .lane = lane_binary, .code = LLVMUDiv},
    {"arith.remsi", .lane = lane_remsi},
    {"arith.remui", .lane = lane_binary, .code = LLVMURem},
    {"arith.andi", .lane = lane_binary, .code = LLVMAnd},
    {"arith.ori", .lane = lane_binary, .code = LLVMOr},
    {"arith.xori", .lane = lane_binary, .code = LLVMXor},
    {"arith.shli", .lane = lane_binary, .code = LLVMShl},
    {"arith.shrsi", .lane = lane_binary, .code = LLVMAShr},
    {"arith.shrui", .lane = lane_binary, .code = LLVMLShr},
    {"arith.ceildivui", .lane = lane_ceildivui},
    {"arith.ceildivsi", .lane = lane_rounddivsi, .code = 1},
    {"arith.floordivsi", .lane = lane_rounddivsi, .code = -1},
    {"arith.addf", .lane = lane_binary, .code = LLVMFAdd},
    {"arith.subf", .lane = lane_binary, .code = LLVMFSub},
    {"arith.mulf", .lane = lane_binary, .code = LLVMFMul},
    {"arith.divf", .lane = lane_binary, .code = LLVMFDiv},
    {"arith.remf", .lane = lane_binary, .code = LLVMFRem},
    {"arith.negf", .lane = lane_negf},
    {"arith.maximumf", .lane = lane_intrinsic, .text = "llvm.maximum"},
    {"arith.minimumf", .lane = lane_intrinsic, .text = "llvm.minimum"},
    {"arith.maxnumf", .lane = lane_intrinsic, .text = "llvm.maxnum"},
    {"arith.minnumf", .lane = lane_intrinsic, .text = "llvm.minnum"},
    {"arith.maxsi", .lane = lane_intrinsic, .text = "llvm.smax"},
    {"arith.maxui", .lane = lane_intrinsic, .text = "llvm.umax"},
    {"arith.minsi", .lane = lane_intrinsic, .text = "llvm.smin"},
    {"arith.minui", .lane = lane_intrinsic, .text = "llvm.umin"},
    {"arith.cmpi", .lane = lane_cmpi},
    {"arith.cmpf", .lane = lane_cmpf},
    {"arith.extsi", .lane = lane_cast, .code = LLVMSExt},
    {"arith.extui", .lane = lane_cast, .code = LLVMZExt},
    {"arith.extf", .lane = lane_cast, .code = LLVMFPExt},
    {"arith.truncf", .lane = lane_cast, .code = LLVMFPTrunc},
    {"arith.trunci", .lane = lane_cast, .code = LLVMTrunc},
    {"arith.sitofp", .lane = lane_cast, .code = LLVMSIToFP},
    {"arith.uitofp", .lane = lane_cast, .code = LLVMUIToFP},
    {"arith.fptosi", .lane = lane_cast, .code = LLVMFPToSI},
    {"arith.fptoui", .lane = lane_cast, .code = LLVMFPToUI},
    {"arith.index_cast", .lane = lane_index_cast, .code = 1},
    {"arith.index_castui", .lane = lane_index_cast, .code = 0},
    {"arith.bitcast", .lane = lane_bitcast},
    {"arith.addui_extended", .emit = emit_addui_extended},
    {"arith.mulsi_extended", .emit = emit_mul_extended, .code = LLVMSExt},
    {"arith.mului_extended", .emit = emit_mul_extended, .code = LLVMZExt},
    {0},
};
