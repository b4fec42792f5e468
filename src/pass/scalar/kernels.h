/* kernels.h - the kernels of lib/: algorithms in IR that are part of the library. */
#ifndef NORIA_PASS_SCALAR_KERNELS_H
#define NORIA_PASS_SCALAR_KERNELS_H

#include "dialect/onnx/dtype.h"

/* A file of lib/, without its folder and ending. */
typedef struct NrKernelText {
  const char *name; /* NULL ends the table */
  const char *text; /* not NUL-terminated */
  size_t size;
} NrKernelText;
extern const NrKernelText nr_kernel_texts[];

/* Appends what a file leaves open for elements of dtype, a type of numbers or bool: the alias !T and @before(!T, !T) ->
 * i1, whether the first operand comes before the second. As in NumPy, NaN is larger than all numbers. */
void nr_kernel_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending);

/* Appends what a kernel on sparse matrices leaves open for elements of dtype and indices of i32 or i64: the aliases !T
 * and !I, @zero() -> !T, @plus and @times(!T, !T) -> !T, @plus_16 and @times_16 of vectors of 16, @choose(i1, !T,
 * !T) -> !T, @not_zero(!T) -> i1, and the functions of the files that its text names as "lib/<name>.mlir". */
void nr_kernel_sparse_prelude(NrContext *ctx, NrBuf *out, const NrKernelText *kernel, NoriaDType dtype,
                              NoriaDType indices);

/* The module of lib/<name>.mlir behind a prelude. The functions that its function @<name> calls are inlined into that
 * one, which is *out_func. NULL after an error. */
NrModule *nr_kernel_module(NrContext *ctx, const NrKernelText *kernel, NrStr prelude, NrOp **out_func);

#endif
