/* quantize.h - numbers as quantised values and back, for src/onnx/lower/ops only.
 *
 * A quantised value q of a tensor with a scale and a zero point stands for (q - zero) * scale. */
#ifndef NORIA_ONNX_LOWER_OPS_QUANTIZE_H
#define NORIA_ONNX_LOWER_OPS_QUANTIZE_H

#include "onnx/lower/core/body.h"

/* The value of type `to` for x / scale, which is f32 or f64: rounded, a half to the even integer, moved by the zero
 * point, and limited to the range of the type. NaN gives the least integer. zero may be NULL. */
NrValue *nr_quantized(NrLower *l, NrValue *scaled, NrValue *zero, NoriaDType to, bool saturate);
/* q - zero without overflow: f32 for floats, i32 for integers of up to 16 bits, else i64. zero may be NULL. */
NrValue *nr_quantized_distance(NrLower *l, NrValue *q, NrValue *zero, NoriaDType dtype);
/* (q - zero) * scale as f32, for an f32 scale. */
NrValue *nr_dequantized(NrLower *l, NrValue *q, NrValue *scale, NrValue *zero, NoriaDType dtype);
/* An integer of up to 32 bits as i32. */
NrValue *nr_lower_to_i32(NrLower *l, NrValue *x, NoriaDType dtype);

/* Value `at` (index) of a row of values of `bits` bits, whose bytes are along the last dim of `bytes` behind `front`;
 * as i32. The low bits of a byte come first (nbits.c). */
NrValue *nr_lower_packed_value(NrLower *l, NrValue *bytes, NrValue *const *front, NrValue *at, int64_t bits);

/* How the scale and the zero point of a node belong to the elements of x. */
typedef struct NrGrain {
  NrShape shape; /* of x */
  bool whole;    /* one scale for all elements */
  size_t axis;   /* else: along which they have their own, */
  int64_t block; /* as many in a row sharing one; 0: each has its own */
  bool split;    /* x is seen as [.., blocks, block, ..] */
} NrGrain;

/* From attributes axis and block_size and the shapes; zero may be NULL. False after an error. */
bool nr_lower_grain(NrLower *l, NrValue *x, NrValue *scale, NrValue *zero, NrGrain *out);
/* A scale or zero point in a shape that broadcasts to that of x by nr_lower_grain_view; NULL after an error. */
NrValue *nr_lower_grain_spread(NrLower *l, const NrGrain *g, const char *name, NrValue *parameter);
NrValue *nr_lower_grain_view(NrLower *l, const NrGrain *g, NrValue *x);   /* x, or its blocks as a dim */
NrValue *nr_lower_grain_unview(NrLower *l, const NrGrain *g, NrValue *y); /* back to the shape of x */

/* The scale and zero point, f32 and u8, with which the elements of x along the axes (bit mask; kept as dims of 1) fill
 * the range of u8, as DynamicQuantizeLinear chooses them; and x quantised by them. */
bool nr_lower_dynamic_scale(NrLower *l, NrValue *x, uint64_t axes, NrValue **out_scale, NrValue **out_zero);
NrValue *nr_lower_quantize_u8(NrLower *l, NrValue *x, NrValue *scale, NrValue *zero);

/* Whether quantised values may have the type: an integer of up to 16 bits or a float of up to 8. */
bool nr_is_quantized_type(NrLower *l, NoriaDType t);
/* Whether the parameter is left out, or a constant whose elements are all 0. */
bool nr_is_zero_point_0(NrValue *zero);

#endif
