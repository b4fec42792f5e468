/* rewrite.h - what passes that rewrite ops share. */
#ifndef NORIA_PASS_CORE_REWRITE_H
#define NORIA_PASS_CORE_REWRITE_H

#include "ir/op_info.h"

/* All ops nested in root, without root, an op before those in its regions. The caller deinits. Ops that are erased
 * later stay in the list; nr_is_erased recognises them. */
typedef NR_VEC(NrOp *) NrOpList;
void nr_collect_ops(NrOp *root, NrOpList *out);
/* The wanted ops of root and those nested in it: an op before those in its regions, or behind them. */
void nr_collect_pre(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out);
void nr_collect_post(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out);
static inline bool nr_is_erased(const NrOp *op) { return op->block == NULL; }

/* Its results have no uses, and it has no effect, or only reads, or allocates memory without uses. */
bool nr_op_is_dead(NrOp *op);
/* Erases op when it is dead, and then what only it used. */
bool nr_erase_if_dead(NrOp *op);
/* Erases op, which has no uses left, and then what only it used. */
void nr_erase_with_operands(NrOp *op);

/* Expands the ops in root whose rows have .expand, and what they become, where `wanted` says so (NULL: all). */
NrStatus nr_expand_ops(NrOp *root, bool (*wanted)(const NrOp *op));

/* The blocks of a region that are reached, each behind those that dominate it. The caller deinits. */
typedef NR_VEC(NrBlock *) NrBlockList;
void nr_collect_blocks(NrRegion *region, NrBlockList *out);
/* Erases the blocks of a region that no branch reaches. */
bool nr_erase_unreachable_blocks(NrRegion *region);

/* Merges blocks of a region, other than the entry block, that are equal op for op (merge_blocks.c). */
bool nr_merge_equal_blocks(NrRegion *region);

/* May run where the program would not have run it: it is pure, does not fail and terminates (speculation.c). */
bool nr_op_is_speculatable(NrOp *op);
/* The affine map has results for all operands: it divides only by positive constants. */
bool nr_map_never_fails(NrAttr map);

/* The nearest enclosing op that is isolated from above; at last the top module. */
NrOp *nr_isolated_parent(const NrOp *op);

/* Builds a constant op of `type`, of the dialect that has such constants; NULL when none has. */
NrOp *nr_build_constant(NrBuilder *b, NrAttr value, NrType type);

#endif
