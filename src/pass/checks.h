/* checks.h - rt.check in front of an op that may fail: what the passes that ask share. */
#ifndef NORIA_PASS_CHECKS_H
#define NORIA_PASS_CHECKS_H

#include "ir/op_info.h"

/* Builds: unless cond holds (of a vector: each of its elements) the run fails with "'<op>' op <text>", in which %0..%3
 * are the values. The messages are those of the interpreter, which checks always. */
void nr_check_unless(NrBuilder *b, const NrOp *op, NrValue *cond, const char *text, NrValue *const *values,
                     size_t count);

/* Dim `dim` of a memref or tensor of known rank. */
NrValue *nr_check_size_of(NrBuilder *b, NrValue *shaped, uint32_t dim);
/* Asks what op takes for granted about shapes (check_shapes.c). */
void nr_check_shapes(NrOp *op);

#endif
