/* same_ops.h - structural equality of ops, and hashes that go with it. */
#ifndef NORIA_PASS_ANALYSIS_SAME_OPS_H
#define NORIA_PASS_ANALYSIS_SAME_OPS_H

#include "ir/op_info.h"

/* Whether a and b are equal, including nested ops. map: values and blocks of b -> the equal ones of a; gains those that
 * b's regions define, and may be NULL where neither op has regions. Operands of commutative ops compare in any
 * order. Locations and names of values do not count. */
bool nr_ops_are_same(const NrOp *a, const NrOp *b, NrMap *map);
bool nr_regions_are_same(const NrRegion *a, const NrRegion *b, NrMap *map);
/* Whether a and b, ops with sym_names such as functions, differ in that name at most. */
bool nr_symbols_are_same(const NrOp *a, const NrOp *b);
/* Records in map that the results of b equal those of a. */
void nr_note_same_results(const NrOp *a, const NrOp *b, NrMap *map);
static inline bool nr_operands_swap(const NrOp *op) { return nr_op_has(op, NR_COMMUTATIVE) && op->num_operands == 2; }

/* Hashes of ops; equal ops have equal hashes. They are valid in this process only, because they use addresses. */
uint64_t nr_op_hash(NrOp *op);
uint64_t nr_regions_hash(NrOp *op); /* of the ops in its regions */
uint64_t nr_symbol_hash(NrOp *op); /* without the sym_name */

#endif
