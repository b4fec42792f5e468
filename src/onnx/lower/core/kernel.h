/* kernel.h - kernels written in IR (lib/) as parts of a lowering. */
#ifndef NORIA_ONNX_LOWER_CORE_KERNEL_H
#define NORIA_ONNX_LOWER_CORE_KERNEL_H

#include "onnx/lower/core/lower.h"
#include "pass/scalar/kernels.h"

/* Copies function @name of lib/<name>.mlir to l->b with its arguments bound, or calls it where a function has many of
 * them already, and gives the values that it returns. prelude: text that defines what the file leaves open, "!T = f32"
 * and functions. Tensors in args are cast to the parameters' types. */
NrStatus nr_lower_kernel(NrLower *l, const char *name, NrStr prelude, NrValue *const *args, size_t num_args,
                         NrValue **results, size_t num_results);

/* An error where kernels do not order elements of a dtype. */
NrStatus nr_lower_ordered(NrLower *l, NrValue *x, NoriaDType dtype);

/* The first k of each row along the middle dim of three, largest or smallest first, and their places (i64); equal ones
 * in the order of their places (topk.c). */
NrStatus nr_lower_top(NrLower *l, NrValue *x, NoriaDType dtype, bool largest, NrDim k, NrValue *out[2]);

#endif
