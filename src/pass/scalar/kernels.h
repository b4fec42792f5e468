/* kernels.h - the kernels of lib/: algorithms in IR that are part of the library. */
#ifndef NORIA_PASS_SCALAR_KERNELS_H
#define NORIA_PASS_SCALAR_KERNELS_H

#include "dialect/onnx/dtype.h"
#include "target/target.h"

/* A file of lib/, without its folder and ending. */
typedef struct NrKernelText {
  const char *name; /* NULL ends the table */
  const char *text; /* not NUL-terminated */
  size_t size;
} NrKernelText;
extern const NrKernelText nr_kernel_texts[];

/* Appends what a file leaves open for elements of dtype, a type of numbers or bool: the alias !T and @before(!T, !T) ->
 * i1, whether the first operand comes before the second. As in NumPy, NaN is larger than all numbers. For kernels that
 * sort, also !K, an integer as wide as !T, and @key(!T) -> !K, so that @before is unsigned comparison of keys;
 * @code(!T) -> !K is the same but that -0 is before 0, and @element its reverse, apart from which NaN one is; @half(!K,
 * i1) -> i64 the low or high 32 bits of a key, or all of one that has no more; @key_bits, @zero, @minus_zero and
 * @is_nan(!T) -> i1. */
void nr_kernel_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending);
/* The same; @checked() -> i1 says whether the kernel checks what is costly to check, as that its input is sorted, and
 * @expands() -> i1 whether the target expands and compresses vectors (NR_UNIT_EXPAND). target: NULL for one that does
 * not. */
void nr_kernel_prelude_checked(NrContext *ctx, NrBuf *out, NoriaDType dtype, bool descending, bool checked,
                               const NrTarget *target);

/* The prelude of kernel nms; centre: boxes are given by their centre and size, not by two corners. */
void nr_kernel_nms_prelude(NrBuf *out, bool centre);

/* Appends what a kernel on sparse matrices leaves open for elements of dtype and indices of i32 or i64: the aliases !T
 * and !I, @zero() -> !T, @plus and @times(!T, !T) -> !T, @not_zero(!T) -> i1, these with _16 behind their names on
 * vectors of 16, @choose(i1, !T, !T) -> !T, and @expands() -> i1, whether the target has NR_UNIT_EXPAND. */
void nr_kernel_sparse_prelude(NrContext *ctx, NrBuf *out, NoriaDType dtype, NoriaDType indices,
                              const NrTarget *target);

/* What a file needs before it. */
typedef enum NrKernelKind {
  NR_KERNEL_PART,    /* none: functions that kernels share, or a kernel for lowerings only, without a name in texts */
  NR_KERNEL_ORDERED, /* nr_kernel_prelude */
  NR_KERNEL_SPARSE,  /* nr_kernel_sparse_prelude */
  NR_KERNEL_BOXES,   /* nr_kernel_nms_prelude */
} NrKernelKind;
NrKernelKind nr_kernel_kind(const NrKernelText *kernel);

/* The module of lib/<name>.mlir behind a prelude, with the files that it uses. The functions that its function @<name>
 * calls are inlined into that one, which is *out_func. NULL after an error. */
NrModule *nr_kernel_module(NrContext *ctx, const NrKernelText *kernel, NrStr prelude, NrOp **out_func);

/* The same, by a name, which says which kernel, and what of:
 *   <kernel>.<type>[.descending][.checked]   descending: in the reverse order; checked: what should be sorted and is
 *                                            not, is an error
 *   <kernel>.<type>.<type of indices>        on sparse matrices; the indices are i32 or i64
 *   nms.f32[.centre]                         centre: boxes are given by their centre and size
 * check: as .checked for all kernels; target: the machine that it becomes code for. Elements of ui8 to ui64 are those
 * of i8 to i64 without a sign. */
NrModule *nr_kernel_named(NrContext *ctx, NrLoc loc, NrStr name, bool check, const NrTarget *target, NrOp **out_func);

#endif
