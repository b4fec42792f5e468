/* math_f32.h - elementary functions of f32 as LLVM instructions. x is a float or a 1-D vector of float. */
#ifndef NORIA_CODEGEN_LLVM_MATH_F32_H
#define NORIA_CODEGEN_LLVM_MATH_F32_H

#include "codegen/llvm/ll.h"

LLVMValueRef nr_ll_exp_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_exp2_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_expm1_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_tanh_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_log_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_log2_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_log10_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_log1p_f32(NrLl *g, LLVMValueRef x);
LLVMValueRef nr_ll_erf_f32(NrLl *g, LLVMValueRef x);
typedef enum NrLlTrig { NR_LL_SIN, NR_LL_COS, NR_LL_TAN } NrLlTrig;
LLVMValueRef nr_ll_trig_f32(NrLl *g, NrLlTrig which, LLVMValueRef x);

#endif
