/* scalarize.h - what the two halves of the scalarize pass share. */
#ifndef NORIA_PASS_SCALAR_SCALARIZE_H
#define NORIA_PASS_SCALAR_SCALARIZE_H

#include "ir/op_info.h"

/* How many scalars stand for a tensor of this type; 0: it stays a tensor. */
size_t nr_scalar_count(NrType type);
/* Element i, in row-major order, of a static tensor: a value that is there, or a tensor.extract. */
NrValue *nr_scalar_element(NrBuilder *b, NrValue *tensor, size_t i);
/* The tensor of `type` that has these elements. */
NrValue *nr_scalar_pack(NrBuilder *b, NrType type, NrValue *const *elements);
/* Replaces an op that computes small tensors by scalar ops; true when it did, and op is erased. */
bool nr_scalarize_op(NrOp *op);

#endif
