/* sample.h - elements of a tensor at coordinates that are not integers; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_SAMPLE_H
#define NORIA_ONNX_LOWER_OPS_SAMPLE_H

#include "onnx/lower/ops/resample.h"

/* What stands outside of the tensor. */
typedef enum NrPadding { NR_ZEROS, NR_BORDER, NR_REFLECTION } NrPadding;

typedef struct NrSample {
  NrValue *x;
  NoriaDType dtype; /* of x */
  size_t first;     /* the dims from this one on have coordinates */
  NrFilter filter;
  NrPadding padding;
  bool by_taps;       /* the padding moves each neighbour of a coordinate, and not the coordinate before */
  bool align_corners; /* for NR_REFLECTION: at the centres of the outer elements, not at their edges */
} NrSample;

/* The element at indices[0], .., indices[first - 1] and at coordinates, one for each further dim of x, in f32 or f64.
 * nearest: of x's type; else a sum, in the type of nr_resample_dtype. x has elements in these dims. */
NrValue *nr_lower_sample(NrLower *l, const NrSample *s, NrValue *const *indices, NrValue *const *coordinates);

#endif
