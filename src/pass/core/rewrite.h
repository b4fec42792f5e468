/* rewrite.h - what passes that rewrite ops share. */
#ifndef NORIA_PASS_CORE_REWRITE_H
#define NORIA_PASS_CORE_REWRITE_H

#include "ir/op_info.h"

/* All ops nested in root, without root, an op before those in its regions. The caller deinits. Later erasures leave
 * erased ops in the list: nr_is_erased tells. */
typedef NR_VEC(NrOp *) NrOpList;
void nr_collect_ops(NrOp *root, NrOpList *out);
static inline bool nr_is_erased(const NrOp *op) { return op->block == NULL; }

/* Nobody uses its results and it does nothing else: no effects, or only reads, or memory that nobody uses. */
bool nr_op_is_dead(NrOp *op);
/* Erases op when it is dead, and then what only it used. */
bool nr_erase_if_dead(NrOp *op);
/* Erases op, which has no uses left, and then what only it used. */
void nr_erase_with_operands(NrOp *op);

/* Erases the blocks of a region that no branch reaches. */
bool nr_erase_unreachable_blocks(NrRegion *region);

/* Of the blocks of a region, but its first one, that are equal op for op one stays (merge_blocks.c). */
bool nr_merge_equal_blocks(NrRegion *region);

/* May run where the program would not have run it: pure, and neither fails nor goes on for ever (speculation.c). */
bool nr_op_is_speculatable(NrOp *op);
/* The results of an affine map are there for any operands: it divides by nothing but positive constants. */
bool nr_map_never_fails(NrAttr map);

/* The nearest op around op whose regions use nothing from above; the top module in the end. */
NrOp *nr_isolated_parent(const NrOp *op);

/* A constant op of `type` at builder b, from the dialect that has such constants; NULL when none has. */
NrOp *nr_build_constant(NrBuilder *b, NrAttr value, NrType type);

#endif
