/* resample.h - tensors at other positions along their dims: what Resize, Upsample and GridSample share; for
 * src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_RESAMPLE_H
#define NORIA_ONNX_LOWER_OPS_RESAMPLE_H

#include "onnx/lower/core/lower.h"

typedef enum NrCoordinates {
  NR_HALF_PIXEL,
  NR_HALF_PIXEL_SYMMETRIC,
  NR_PYTORCH_HALF_PIXEL,
  NR_ALIGN_CORNERS,
  NR_ASYMMETRIC,
  NR_TF_HALF_PIXEL_FOR_NN,
  NR_TF_CROP_AND_RESIZE,
} NrCoordinates;

/* What gives the nearest position of a coordinate. The last rounds up where the scale is below 1, else down. */
typedef enum NrRounding { NR_PREFER_FLOOR, NR_PREFER_CEIL, NR_FLOOR, NR_CEIL, NR_SIMPLE } NrRounding;

typedef enum NrFilter { NR_NEAREST, NR_LINEAR, NR_CUBIC } NrFilter;

typedef struct NrResample {
  NrCoordinates coordinates;
  NrRounding nearest;
  NrFilter filter;
  bool antialias, exclude_outside;
  double cubic_a, extrapolation;
} NrResample;

/* One dim of a tensor that is resized. Scalars are f32, the type of input scales. */
typedef struct NrResized {
  bool changes; /* false: the dim stays as it is, the other fields but in and out are not set */
  NrDim in, out;
  NrValue *scale, *width;    /* width: in * scale, which out is rounded from */
  NrValue *begin, *end;      /* what part of the dim is read, of 1; for NR_TF_CROP_AND_RESIZE */
} NrResized;

/* x with its dims resized, one entry of `dims` for each. */
NrValue *nr_lower_resample(NrLower *l, const NrResample *r, const NrResized *dims, NrValue *x, NoriaDType dtype);

/* ---- scalars ---- */

NrValue *nr_lower_index_to_float(NrLower *l, NrValue *index, NrType type);
/* x between low and high, integers both; low where x is NaN. So it can be converted to an index. */
NrValue *nr_lower_clamp_float(NrLower *l, NrValue *x, NrValue *low, NrValue *high);
NrValue *nr_lower_float_to_index(NrLower *l, NrValue *x); /* of a float that fits, without a fraction */
/* min(max(index, 0), size - 1) */
NrValue *nr_lower_clamp_index(NrLower *l, NrValue *index, NrDim size);
/* The weights of the four elements around a coordinate whose fraction is t, for cubic interpolation. */
void nr_lower_cubic_weights(NrLower *l, NrValue *t, double a, NrValue *out[4]);

/* The type in which elements are summed: f32, or f64 for 32 bits of integers and more. */
NoriaDType nr_resample_dtype(NrLower *l, NoriaDType dtype);
/* A sum as an element: integers are rounded to the nearest, half to even, and saturate. */
NrValue *nr_lower_round_sum(NrLower *l, NrValue *sum, NoriaDType dtype);

#endif
