/* sequence.h - calls of runtime functions on sequences and optionals; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_SEQUENCE_H
#define NORIA_ONNX_LOWER_OPS_SEQUENCE_H

#include "onnx/lower/ops/control.h"

/* A function of the runtime with one result. */
NrValue *nr_lower_call(NrLower *l, const char *name, NrValue *const *args, size_t num_args, NrType result);
/* A call with the check site as added first argument, so that failures name the node. */
NrValue *nr_lower_call_at_site(NrLower *l, const char *name, NrValue *const *args, size_t num_args, NrType result);
/* The same for a call with any number of results. */
void nr_lower_call_many(NrLower *l, const char *name, NrValue *const *args, size_t num_args, const NrType *types,
                        size_t count, NrValue **out);
/* The same for a call that returns a tensor from input 0, a sequence or optional of `item`. Its rank is that of item,
 * or else the one declared for result number `result`, or else only known in the run. Static dims of item are
 * checked. */
NrValue *nr_lower_item(NrLower *l, NrType item, size_t result, const char *name, NrValue *const *args, size_t num_args);
/* An empty sequence or optional of this type. */
NrValue *nr_lower_nothing(NrLower *l, NrType type, NoriaDType dtype);

#endif
