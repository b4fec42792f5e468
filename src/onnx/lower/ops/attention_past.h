/* attention_past.h - keys and values of earlier steps before the new ones, for the attention of com.microsoft.
 *
 * All are [batch, heads, positions, size]. A shared cache has room for later steps: of its positions only the first are
 * in use, and new ones are written behind those. */
#ifndef NORIA_ONNX_LOWER_OPS_ATTENTION_PAST_H
#define NORIA_ONNX_LOWER_OPS_ATTENTION_PAST_H

#include "onnx/lower/core/body.h"

/* A cache that is full, and x behind it. NULL after an error. */
NrValue *nr_attention_behind(NrLower *l, const char *name, NrValue *past, NrValue *x);
/* How much of a shared cache is in use: input i, past_sequence_length. False after an error. */
bool nr_attention_past_length(NrLower *l, size_t i, NrDim *out);
/* Writes *x behind the first `past` positions of a shared cache: *x becomes all that are in use then, *present the
 * cache. False after an error. */
bool nr_attention_write_behind(NrLower *l, const char *name, NrValue *cache, NrDim past, NrValue **x,
                               NrValue **present);
/* x of a beam search, in which the beams of a sample are samples of x one after the other: position k < past of beam j
 * becomes that of beam indirection[sample, j, k]. room: positions of the cache, and of indirection. NULL after an
 * error. */
NrValue *nr_attention_redirect(NrLower *l, NrValue *x, NrValue *indirection, NrDim past, NrDim room);

#endif
