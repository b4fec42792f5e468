/* complex.c - complex numbers, which are a pair of floats in registers and in memory. */
#include "codegen/llvm/ll.h"
#include "dialect/operands.h"

static NrStatus emit_constant(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType part = nr_op_result(op)->type->elem;
  LLVMValueRef parts[] = {nr_ll_constant(g, value->items[0], part), nr_ll_constant(g, value->items[1], part)};
  if (!parts[0] || !parts[1]) return nr_op_error(op, "has a value that machine code does not have");
  nr_ll_set(g, nr_op_result(op), LLVMConstStructInContext(g->llvm, parts, 2, false));
  return NR_OK;
}

static NrStatus emit_create(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef whole = LLVMGetPoison(nr_ll_type(g, nr_op_result(op)->type));
  for (unsigned i = 0; i < 2; i++) whole = LLVMBuildInsertValue(g->b, whole, nr_ll_value(g, nr_operand(op, i)), i, "");
  nr_ll_set(g, nr_op_result(op), whole);
  return NR_OK;
}

/* code: the part, 0 or 1. */
static NrStatus emit_part(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef whole = nr_ll_value(g, nr_op_complex(op));
  nr_ll_set(g, nr_op_result(op), LLVMBuildExtractValue(g->b, whole, (unsigned)row->code, ""));
  return NR_OK;
}

const NrLlRow nr_ll_complex_rows[] = {
    {"complex.constant", emit_constant},
    {"complex.create", emit_create},
    {"complex.re", emit_part, .code = 0},
    {"complex.im", emit_part, .code = 1},
    {0},
};
