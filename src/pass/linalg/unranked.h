/* unranked.h - tensors of unknown rank, taken apart: what flatten-unranked and the boundary of programs share. */
#ifndef NORIA_PASS_LINALG_UNRANKED_H
#define NORIA_PASS_LINALG_UNRANKED_H

#include "ir/ir.h"

/* Builds the dims of a tensor of unknown rank except the last `without`, as a tensor<?xindex>, and their product. When
 * extra is not 0, it is appended as one more dim, which is not a factor of the product. */
NrValue *nr_unranked_shape(NrBuilder *b, NrValue *tensor, int64_t without, int64_t extra, NrValue **out_count);
/* tensor.reshape; shape is a 1-D tensor. */
NrValue *nr_build_reshape(NrBuilder *b, NrValue *tensor, NrValue *shape, NrType type);

#endif
