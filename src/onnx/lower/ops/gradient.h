/* gradient.h - derivatives of ops; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_GRADIENT_H
#define NORIA_ONNX_LOWER_OPS_GRADIENT_H

#include "onnx/lower/core/body.h"

/* Gives out[i], the gradient of input i of l->op, for the inputs that have one; the others stay NULL. g is the gradient
 * of output 0, y. Gradients may have the shape that the inputs are broadcast to. */
typedef NrStatus (*NrGradientFn)(NrLower *l, NrValue *g, NrValue *y, NrValue **out);

/* NULL when the op is not element-wise, or its derivative is not known. */
NrGradientFn nr_gradient_of_elements(NrStr op);
/* Sums over the dims that x was broadcast along. */
NrValue *nr_gradient_in_shape_of(NrLower *l, NrValue *g, NrValue *x);

#endif
