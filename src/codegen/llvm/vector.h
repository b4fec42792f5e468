/* vector.h - what vector.c and vector_memory.c share. */
#ifndef NORIA_CODEGEN_LLVM_VECTOR_H
#define NORIA_CODEGEN_LLVM_VECTOR_H

#include "codegen/llvm/ll.h"

uint32_t nr_ll_rows_rank(NrType type); /* dims above the rows */
unsigned nr_ll_lanes(NrType type);     /* of a row */
LLVMValueRef nr_ll_broadcast(NrLl *g, LLVMValueRef scalar, unsigned lanes);
LLVMValueRef nr_ll_iota(NrLl *g, LLVMTypeRef elem, unsigned lanes); /* 0, 1, 2, ... */
LLVMValueRef nr_ll_mask_below(NrLl *g, LLVMValueRef count, unsigned lanes);
LLVMValueRef nr_ll_resize(NrLl *g, LLVMValueRef row, unsigned lanes); /* cuts off, or fills with poison */
LLVMTypeRef nr_ll_row_type(NrLl *g, NrType type);
size_t nr_ll_num_rows(NrType type);
LLVMValueRef nr_ll_nest(NrLl *g, LLVMTypeRef type, LLVMValueRef *rows, size_t *next); /* a vector of rows, in order */
void nr_ll_flatten(NrLl *g, LLVMValueRef value, LLVMValueRef *rows, size_t *next); /* and back */
/* Emits an element-wise op of two results: fn on each row of its operands, or on scalars. */
typedef void (*NrLlTwoFn)(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args, LLVMValueRef *out);
NrStatus nr_ll_emit_two(NrLl *g, NrOp *op, const NrLlRow *row, NrLlTwoFn fn);
const int64_t *nr_ll_int_array(NrOp *op, const char *name, size_t *count); /* array<i64: ...> */

#endif
