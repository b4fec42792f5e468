/* checks.h - building an rt.check in front of an op that may fail; shared by the passes of this room. */
#ifndef NORIA_PASS_CORE_CHECKS_H
#define NORIA_PASS_CORE_CHECKS_H

#include "dialect/shared/shaped.h"
#include "ir/op_info.h"

/* Builds an rt.check: unless cond holds (for a vector: in every lane), the run fails with "'<op>' op <text>", where
 * %0..%3 stand for the values. The texts equal those of the interpreter, which always checks. */
void nr_check_unless(NrBuilder *b, const NrOp *op, NrValue *cond, const char *text, NrValue *const *values,
                     size_t count);

/* Builds the size of dim `dim` of a memref, tensor or dispatch tensor of known rank. */
NrValue *nr_check_size_of(NrBuilder *b, NrValue *shaped, uint32_t dim);
/* Builds x * y of unsigned numbers, saturated to INT64_MAX on overflow and for negative factors. */
NrValue *nr_check_product(NrBuilder *b, NrValue *x, NrValue *y);
/* Builds checks that no dynamic size of `type` is negative; the operands of op from `first` on are these sizes. */
void nr_check_sizes(NrOp *op, NrType type, size_t first);
/* Builds checks of the sizes, indices and slices of flow ops in the host program (check_flow.c). */
void nr_check_flow(NrOp *op);
/* Builds checks of the shapes that op requires (check_shapes.c). */
void nr_check_shapes(NrOp *op);

/* Builds checks of the claims of an op on tensors; for claims that nr_claims_hold could not prove (check_shapes.c). */
void nr_check_claims(NrOp *op);
/* Matches what nr_check_product builds: x * y, or INT64_MAX where that does not fit. */
bool nr_check_is_product(const NrValue *value, NrValue **out_x, NrValue **out_y);

/* check_slices.c */
void nr_check_slice(NrOp *op, NrValue *shaped, const NrIndexListSlot *slots);
void nr_check_inserted(NrOp *op); /* of an insert: the source has the shape of the slice */

/* check_lanes.c. The operands from `first` on index `base`; the access takes a vector from there on, or one element
 * (NULL, or a vector that is the element). */
void nr_check_indices(NrOp *op, NrValue *base, size_t first, NrType vector);
typedef enum NrMaskedKind { NR_MASKED_ROWS, NR_MASKED_PACKED, NR_MASKED_INDEXED } NrMaskedKind;
void nr_check_masked(NrOp *op, NrMaskedKind kind);
void nr_check_transfer(NrOp *op); /* vector.transfer_read and vector.transfer_write */

/* check_life.c */
void nr_check_written(NrOp *op); /* fills a new buffer or empty tensor with zeros */
void nr_check_life(NrOp *root);  /* no use of a freed buffer */

#endif
