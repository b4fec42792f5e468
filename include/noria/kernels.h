/* kernels.h - the kernels of the library on tensors, without a program of one's own. Link with libnoria.
 *
 *   const float data[] = {3, 1, 2};
 *   NoriaValue *x, *sorted;
 *   noria_tensor_create(NORIA_F32, 2, (int64_t[]){1, 3}, data, &x, NULL);
 *   if (noria_kernel_run("sort.f32", (const NoriaValue *[]){x}, 1, &sorted, 1, NULL, &error)) ...
 *
 * A kernel is named as in text IR (docs/kernels.md), without "noria." in front: KERNEL.TYPE, where TYPE is f16, bf16,
 * f32, f64, i8 to i64, or ui8 to ui64 for integers without a sign, whose bits stand in tensors of i8 to i64. Behind
 * that, ".descending" reverses the order, and ".checked" makes it an error where what should be sorted is not. T stands
 * for the type:
 *
 *   kernel        inputs                                         outputs
 *   argsort       x T[rows, n]                                   places i64[rows, n]
 *   histogram     edges T[n], sorted, values T[m]                counts i64[n - 1], of bins without their right edge,
 *                                                                but the last
 *   merge         a T[m], b T[n], both sorted                    merged T[m + n]
 *   nms.f32       boxes [B, N, 4], scores [B, C, N], limit i64[],  selected i64[M, 3]: batch, class, box
 *                 iou f32[], least f32[], any_score bool[]
 *   ragged_searchsorted  a T[n], offsets i64[R + 1],             places i64[m], from the begin of the value's list on
 *                 v T[m], offsets of v i64[R + 1], right bool[]
 *   searchsorted  a T[n], sorted, v T[m], right bool[]           places i64[m]
 *   sort          x T[rows, n]                                   sorted T[rows, n]
 *   topk          x T[outer, n, inner], k i64[] from 0 to n      values T[outer, k, inner], places i64[outer, k, inner]
 *   unique        x T[n], equal_nan bool[]                       values T[M] in order, counts i64[M]
 *   unique_places x T[n], equal_nan bool[]                       values T[M], first places i64[M], numbers among the
 *                                                                values i64[n], counts i64[M]
 *   unique_rows   x T[n, m], equal_nan bool[]                    rows T[M, m], first places i64[M], numbers among the
 *                                                                rows i64[n], counts i64[M]
 *
 * Those on sparse matrices have the type of the indices in the name too: csr_spmv.f64.i32, I, i32 or i64. A matrix is
 * three tensors, indptr I[rows + 1], indices I[n] and data T[n]:
 *
 *   kernel                     inputs                                        outputs
 *   csr_spmv                   a matrix, x T[columns]                        y T[rows]
 *   csr_spmm                   a matrix, X T[columns, m]                     Y T[rows, m]
 *   csr_add, csr_multiply,     two matrices, columns of the last i64[]       a matrix
 *   csr_spgemm
 *   csr_sddmm                  a matrix, C T[rows, k], D T[columns, k]       data T[n]
 *   csf_mttkrp                 indices of dim 0 I[n0], pos1 I[n0 + 1],       A T[size, m]
 *                              crd1 I[n1], pos2 I[n1 + 1], crd2 I[n2],
 *                              values T[n2], C T[d1, m], D T[d2, m], size i64[] of dim 0
 *
 * Indices that are out of range are an error, which says where. Columns of a row ascend in csr_add and csr_multiply.
 *
 * NaN is larger than all numbers, and -0 equals 0. Sorts are stable. nms.f32.centre takes boxes as [x, y, width,
 * height] of their centre; limit is from 0 to N, and any_score says that all boxes count, else those whose score is
 * above least. */
#ifndef NORIA_KERNELS_H
#define NORIA_KERNELS_H

#include "noria/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel on num_inputs tensors and writes num_outputs new ones, which the caller releases. Inputs are not
 * written and not kept. At its first call for a name a kernel is compiled, which takes up to some seconds; the
 * code is kept until the process ends. Work is shared among threads, one per core. options may be NULL. Safe from
 * several threads at once. NORIA_ERROR_INVALID: there is no such kernel, or the tensors are not what it takes.
 * For other options of compiling, noria_compile_memory takes a kernel's name as a program of the format "kernel". */
NORIA_API NoriaStatus noria_kernel_run(const char *name, const NoriaValue *const *inputs, size_t num_inputs,
                                       NoriaValue **out_outputs, size_t num_outputs, const NoriaRunOptions *options,
                                       NoriaError *error);

#ifdef __cplusplus
}
#endif
#endif
