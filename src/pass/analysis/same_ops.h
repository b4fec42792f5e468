/* same_ops.h - whether two ops do the same. */
#ifndef NORIA_PASS_ANALYSIS_SAME_OPS_H
#define NORIA_PASS_ANALYSIS_SAME_OPS_H

#include "ir/op_info.h"

/* Whether a and b are equal op for op, with what is in their regions, of one block at most. map: values on b's side ->
 * those that they stand for on a's; it gains those that are defined in b's regions, and may be NULL where neither op
 * has any. Operands that may change places count in any order. */
bool nr_ops_are_same(const NrOp *a, const NrOp *b, NrMap *map);
/* From here on results of b stand for those of a. */
void nr_note_same_results(const NrOp *a, const NrOp *b, NrMap *map);
static inline bool nr_operands_swap(const NrOp *op) { return nr_op_has(op, NR_COMMUTATIVE) && op->num_operands == 2; }

#endif
