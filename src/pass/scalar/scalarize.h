/* scalarize.h - shared by scalarize.c and scalarize_ops.c. */
#ifndef NORIA_PASS_SCALAR_SCALARIZE_H
#define NORIA_PASS_SCALAR_SCALARIZE_H

#include "ir/op_info.h"

/* How many scalars replace a tensor of this type; 0: it stays a tensor. */
size_t nr_scalar_count(NrType type);
/* Element i, in row-major order, of a static tensor: an existing value, or a new tensor.extract. */
NrValue *nr_scalar_element(NrBuilder *b, NrValue *tensor, size_t i);
/* The tensor of `type` that has these elements. */
NrValue *nr_scalar_pack(NrBuilder *b, NrType type, NrValue *const *elements);
/* Replaces an op that computes small tensors by scalar ops; true when it did, and op is erased. */
bool nr_scalarize_op(NrOp *op);

#endif
