/* reduce.h - reductions over constant or dynamic axes; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_REDUCE_H
#define NORIA_ONNX_LOWER_OPS_REDUCE_H

#include "onnx/lower/core/body.h"

/* Which axes of a tensor are reduced. */
typedef struct NrAxes {
  size_t rank;                      /* of the tensor */
  uint64_t known;                   /* bit i: axis i is reduced; when !dynamic */
  bool dynamic;                     /* the axes are known in the run only: */
  NrValue *reduced[NORIA_MAX_RANK]; /*   per axis an i1 */
  size_t count;                     /*   their number, or NR_AXES_UNKNOWN */
} NrAxes;
#define NR_AXES_UNKNOWN SIZE_MAX

/* From attribute or input `axes`; without any, all axes, or none when none_is_noop. False after an error. */
bool nr_lower_axes(NrLower *l, NrValue *tensor, bool from_input, bool none_is_noop, NrAxes *out);
/* The number of elements that are reduced to one. */
NrDim nr_lower_reduced_size(NrLower *l, NrValue *tensor, const NrAxes *axes);
/* combine(acc, pre(element)) over the axes, from init; reduced dims stay as 1. The result has init's type. */
NrValue *nr_lower_reduce_axes(NrLower *l, NrValue *tensor, const NrAxes *axes, NrValue *init, NrBodyFn pre,
                              NrBodyFn combine, void *user);
/* Drops the reduced dims (of size 1) of a result. NULL after an error. */
NrValue *nr_lower_drop_axes(NrLower *l, NrValue *reduced, const NrAxes *axes);

/* Sums, maxima and means of tensors of at least 32-bit floats over known axes, dims kept. */
NrValue *nr_lower_sum_over(NrLower *l, NrValue *tensor, uint64_t axes);
NrValue *nr_lower_max_over(NrLower *l, NrValue *tensor, uint64_t axes);
NrValue *nr_lower_mean_over(NrLower *l, NrValue *tensor, uint64_t axes);
/* The axes that a version of Softmax normalises together, by attribute axis: since 13 that one, before all from it on.
 * False after an error. */
bool nr_lower_softmax_axes(NrLower *l, size_t rank, int64_t version, uint64_t *out);
/* Softmax of such a tensor over known axes (softmax.c). */
NrValue *nr_lower_softmax_over(NrLower *l, NrValue *x, uint64_t axes);
/* The index of the first largest number along an axis (arg.c), as i64, the dim kept. */
NrValue *nr_lower_argmax_over(NrLower *l, NrValue *tensor, size_t axis);

#endif
