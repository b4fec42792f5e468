/* same_ops.h - structural equality of ops. */
#ifndef NORIA_PASS_ANALYSIS_SAME_OPS_H
#define NORIA_PASS_ANALYSIS_SAME_OPS_H

#include "ir/op_info.h"

/* Whether a and b are equal, including nested ops in regions of at most one block. map: values of b -> the equal values
 * of a; gains the values that b's regions define, and may be NULL where neither op has regions. Operands of commutative
 * ops compare in any order. */
bool nr_ops_are_same(const NrOp *a, const NrOp *b, NrMap *map);
/* Records in map that the results of b equal those of a. */
void nr_note_same_results(const NrOp *a, const NrOp *b, NrMap *map);
static inline bool nr_operands_swap(const NrOp *op) { return nr_op_has(op, NR_COMMUTATIVE) && op->num_operands == 2; }

#endif
