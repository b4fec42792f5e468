/* qmatmul.h - sums of products of quantised values, for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_QMATMUL_H
#define NORIA_ONNX_LOWER_OPS_QMATMUL_H

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/quantize.h"

/* A matrix of quantised values; its zero point, in a shape that broadcasts to the product, may be NULL. */
typedef struct NrQuantMatrix {
  NoriaDType dtype;
  NrValue *zero;
} NrQuantMatrix;

/* A scale or zero point of the left matrix (one for each row) or of the right one (for each column), in a shape that
 * broadcasts to m->out. NULL after an error. */
NrValue *nr_lower_side(NrLower *l, const char *name, NrValue *parameter, const NrMatMul *m, bool left);
/* The product of (a - a's zero point) and (b - b's zero point), in i32, which wraps, for integers; else in f32. */
NrValue *nr_lower_quantized_matmul(NrLower *l, const NrMatMul *m, const NrQuantMatrix *a, const NrQuantMatrix *b);
/* Element type `to` of sum * factor: rounded, moved by zero, and limited. factor is f32 and broadcasts. */
NrValue *nr_lower_requantize(NrLower *l, NrValue *sum, NrValue *factor, NrValue *zero, NoriaDType to);
/* a * b / c of f32 tensors that broadcast to each other; c may be NULL. */
NrValue *nr_lower_factor(NrLower *l, NrValue *a, NrValue *b, NrValue *c);
/* x - y * z of i32 tensors. */
NrValue *nr_lower_take_product(NrLower *l, NrValue *x, NrValue *y, NrValue *z);
/* The inputs of a node that multiplies 8-bit integers and scales the product. What the node lacks is NR_NO_INPUT. */
enum { NR_NO_INPUT = INT32_MAX };
typedef struct NrScaledMatMul {
  size_t a, b, a_scale, b_scale, a_zero, b_zero, bias;
} NrScaledMatMul;
/* The product as floats of a_scale's type, plus the bias. NULL after an error. */
NrValue *nr_lower_scaled_matmul(NrLower *l, const NrScaledMatMul *in);
/* The sum over the axes (bit mask, dropped) of integers as i32. */
NrValue *nr_lower_sum_as_i32(NrLower *l, NrValue *x, NoriaDType dtype, uint64_t axes);

/* [N, spatial.., C] as [N, C, spatial..], or the other way. */
NrValue *nr_lower_move_channels(NrLower *l, NrValue *x, bool to_front);

#endif
