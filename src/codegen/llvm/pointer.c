/* pointer.c - pointers to elements. */
#include "codegen/llvm/ll.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/ops.h"

static NrStatus emit_rt_pointer(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *shift = nr_rt_pointer_shift(op), *source = nr_rt_pointer_source(op);
  nr_ll_set(g, nr_op_result(op), shift ? nr_ll_element_at(g, source, shift) : nr_ll_value(g, source));
  return NR_OK;
}

/* builtin.unrealized_conversion_cast: the same bits under other types. */
static NrStatus emit_unrealized_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *from = op->num_operands == op->num_results ? nr_operand(op, i) : NULL, *to = nr_result(op, i);
    if (!from || !nr_types_alike(from->type, to->type))
      return nr_op_error(op, "is compiled between types that differ in the signs of integers only");
    nr_ll_set(g, to, nr_ll_value(g, from));
    if (nr_map_has(&g->shapes, from)) nr_map_set(&g->shapes, to, nr_map_get(&g->shapes, from));
  }
  return NR_OK;
}

static NrStatus emit_assume_alignment(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef pointer = nr_ll_value(g, nr_memref_assume_alignment_source(op));
  LLVMValueRef args[] = {pointer, nr_ll_int(g, nr_op_attr_int(op, NR_A_alignment, 1))};
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("align", strlen("align"), args, 2);
  unsigned id = LLVMLookupIntrinsicID("llvm.assume", strlen("llvm.assume"));
  LLVMValueRef yes = LLVMConstInt(g->i1, 1, false);
  LLVMBuildCallWithOperandBundles(g->b, LLVMIntrinsicGetType(g->llvm, id, NULL, 0),
                                  LLVMGetIntrinsicDeclaration(g->mod, id, NULL, 0), &yes, 1, &bundle, 1, "");
  LLVMDisposeOperandBundle(bundle);
  nr_ll_set(g, nr_op_result(op), pointer);
  return NR_OK;
}

static NrStatus emit_address(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef pointer = nr_ll_value(g, nr_memref_extract_aligned_pointer_as_index_source(op));
  nr_ll_set(g, nr_op_result(op), LLVMBuildPtrToInt(g->b, pointer, g->i64, ""));
  return NR_OK;
}

const NrLlRow nr_ll_pointer_rows[] = {
    {"rt.pointer", emit_rt_pointer},
    {"builtin.unrealized_conversion_cast", emit_unrealized_cast},
    {"memref.assume_alignment", emit_assume_alignment},
    {"memref.extract_aligned_pointer_as_index", emit_address},
    {0},
};
