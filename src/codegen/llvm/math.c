/* math.c - the ops of dialect math that exist after expand-math, and calls of the C library. */
#include "codegen/llvm/ll.h"

static LLVMValueRef lane_intrinsic(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef out = nr_ll_intrinsic(g, row->text, &type, 1, args, op->num_operands);
  nr_ll_flags(op, out);
  return out;
}

/* llvm.abs, llvm.ctlz and llvm.cttz: the second argument, false, means that no input gives poison. */
static LLVMValueRef lane_int_intrinsic(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef both[] = {args[0], LLVMConstInt(g->i1, 0, false)};
  return nr_ll_intrinsic(g, row->text, &type, 1, both, row->code ? 2 : 1);
}

/* The function counts as one that accesses no memory: errno is not used. A rare call does not: LLVM would call it for
 * all elements, in front of the branch, to make vectors of the rest. */
static NrStatus emit_libm(NrLl *g, NrOp *op, const NrLlRow *row) {
  enum { MAX_OPERANDS = 2 };
  NrStr name = nr_str_copy(&g->arena, nr_op_attr_str(op, NR_A_name));
  LLVMTypeRef real = nr_ll_type(g, nr_op_result(op)->type), params[MAX_OPERANDS] = {real, real};
  LLVMTypeRef type = LLVMFunctionType(real, params, op->num_operands, false);
  LLVMValueRef fn = LLVMGetNamedFunction(g->mod, name.data), args[MAX_OPERANDS];
  if (!fn) {
    fn = LLVMAddFunction(g->mod, name.data, type);
    nr_ll_attr(g, fn, LLVMAttributeFunctionIndex, "nounwind", 0);
    nr_ll_attr(g, fn, LLVMAttributeFunctionIndex, "willreturn", 0);
  }
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_ll_value(g, nr_operand(op, i));
  LLVMValueRef call = LLVMBuildCall2(g->b, type, fn, args, op->num_operands, "");
  if (!nr_op_attr(op, NR_A_rare)) nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "memory", 0);
  nr_ll_set(g, nr_op_result(op), call);
  return NR_OK;
}

#define INTRINSIC(name, function) {"math." name, .lane = lane_intrinsic, .text = "llvm." function}
const NrLlRow nr_ll_math_rows[] = {
    INTRINSIC("absf", "fabs"),
    INTRINSIC("ceil", "ceil"),
    INTRINSIC("copysign", "copysign"),
    INTRINSIC("floor", "floor"),
    INTRINSIC("fma", "fma"),
    INTRINSIC("powf", "pow"),
    INTRINSIC("sqrt", "sqrt"),
    INTRINSIC("roundeven", "roundeven"),
    INTRINSIC("round", "round"),
    INTRINSIC("trunc", "trunc"),
    {"math.absi", .lane = lane_int_intrinsic, .text = "llvm.abs", .code = 1},
    {"math.ctlz", .lane = lane_int_intrinsic, .text = "llvm.ctlz", .code = 1},
    {"math.cttz", .lane = lane_int_intrinsic, .text = "llvm.cttz", .code = 1},
    {"math.ctpop", .lane = lane_int_intrinsic, .text = "llvm.ctpop"},
    {"rt.libm", .emit = emit_libm},
    {0},
};
