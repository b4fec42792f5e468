/* activation.h - activations of one scalar, for the ops of the same name and for the cells of recurrent nets. NaN gives
 * NaN. */
#ifndef NORIA_ONNX_LOWER_OPS_ACTIVATION_H
#define NORIA_ONNX_LOWER_OPS_ACTIVATION_H

#include "onnx/lower/core/body.h"

NrValue *nr_activation_sigmoid(NrLower *l, NrValue *x);
NrValue *nr_activation_softplus(NrLower *l, NrValue *x);
NrValue *nr_activation_softsign(NrLower *l, NrValue *x);
NrValue *nr_activation_gelu(NrLower *l, NrValue *x, bool by_tanh); /* else by erf */
NrValue *nr_activation_relu(NrLower *l, NrValue *x); /* of floats */
NrValue *nr_activation_elu(NrLower *l, NrValue *x, NrValue *alpha);
NrValue *nr_activation_leaky_relu(NrLower *l, NrValue *x, NrValue *alpha);
NrValue *nr_activation_hard_sigmoid(NrLower *l, NrValue *x, NrValue *alpha, NrValue *beta);

#endif
