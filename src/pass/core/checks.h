/* checks.h - rt.check in front of an op that may fail: what the passes that ask share. */
#ifndef NORIA_PASS_CORE_CHECKS_H
#define NORIA_PASS_CORE_CHECKS_H

#include "dialect/shared/shaped.h"
#include "ir/op_info.h"

/* Builds: unless cond holds (of a vector: each of its elements) the run fails with "'<op>' op <text>", in which %0..%3
 * are the values. The messages are those of the interpreter, which checks always. */
void nr_check_unless(NrBuilder *b, const NrOp *op, NrValue *cond, const char *text, NrValue *const *values,
                     size_t count);

/* Dim `dim` of a memref, tensor or dispatch tensor of known rank. */
NrValue *nr_check_size_of(NrBuilder *b, NrValue *shaped, uint32_t dim);
/* x * y of numbers without a sign, and the largest one where it does not fit: also of those below zero. */
NrValue *nr_check_product(NrBuilder *b, NrValue *x, NrValue *y);
/* The operands from `first` on are the dims that `type` leaves open: none is negative. */
void nr_check_sizes(NrOp *op, NrType type, size_t first);
/* What flow ops on the host say of sizes, and where their elements and parts lie (check_flow.c). */
void nr_check_flow(NrOp *op);
/* Asks what op takes for granted about shapes (check_shapes.c). */
void nr_check_shapes(NrOp *op);

/* Asks whether an op on tensors claims what is so: what nr_claims_hold could not prove (check_shapes.c). */
void nr_check_claims(NrOp *op);
/* The product that a check of a number of elements compares: x * y, or INT64_MAX where that does not fit. */
bool nr_check_is_product(const NrValue *value, NrValue **out_x, NrValue **out_y);

/* check_slices.c */
void nr_check_slice(NrOp *op, NrValue *shaped, const NrIndexListSlot *slots);
void nr_check_inserted(NrOp *op); /* of an insert: the source has the shape of the slice */

/* check_lanes.c. The operands from `first` on index operand shaped_at; the access takes a vector from there on, or one
 * element (NULL, or a vector that is the element). */
void nr_check_indices(NrOp *op, uint32_t shaped_at, uint32_t first, NrType vector);
typedef enum NrMaskedKind { NR_MASKED_ROWS, NR_MASKED_PACKED, NR_MASKED_INDEXED } NrMaskedKind;
/* Operands base, indices.., (places of the lanes,) mask, and one more. */
void nr_check_masked(NrOp *op, NrMaskedKind kind);
void nr_check_transfer(NrOp *op, uint32_t first); /* indices from operand `first` on */

/* check_life.c */
void nr_check_written(NrOp *op); /* one that makes a buffer or an empty tensor: with zeros in it */
void nr_check_life(NrOp *root);  /* buffers that were freed are not used */

#endif
