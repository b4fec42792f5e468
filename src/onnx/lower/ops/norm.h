/* norm.h - normalisation by a tensor's own statistics; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_NORM_H
#define NORIA_ONNX_LOWER_OPS_NORM_H

#include "onnx/lower/core/body.h"

/* (x - mean) / sqrt(variance + epsilon) over axes (a bit mask), of a widened tensor; with !centred the mean counts as
 * 0. mean and inverse, the root's reciprocal, may be NULL; dims of the axes stay as 1 in them. */
NrValue *nr_lower_normalise(NrLower *l, NrValue *x, uint64_t axes, double epsilon, bool centred, NrValue **mean,
                            NrValue **inverse);

#endif
