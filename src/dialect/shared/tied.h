/* tied.h - results that are tied to arguments, whose memory they reuse. Ops of flow and functions of util store them as
 * the attribute tied_operands: for each result the number of the argument, or -1. In collectives and tensor.update it
 * is the target, 0. */
#ifndef NORIA_DIALECT_SHARED_TIED_H
#define NORIA_DIALECT_SHARED_TIED_H

#include "ir/op_info.h"

/* The argument that a result is tied to; -1: none, also where the attribute is malformed. */
int64_t nr_tied_operand(const NrOp *op, size_t result);
/* The attribute; NULL where no result is tied. */
NrAttr nr_tied_attr(NrContext *ctx, const int64_t *tied, size_t count);

#endif
