/* rewrite.h - what passes that rewrite ops share. */
#ifndef NORIA_PASS_CORE_REWRITE_H
#define NORIA_PASS_CORE_REWRITE_H

#include "ir/op_info.h"
#include "pass/analysis/prover.h"

/* All ops nested in root, without root, an op before those in its regions. The caller deinits. Ops that are erased
 * later stay in the list; nr_is_erased recognises them. */
typedef NR_VEC(NrOp *) NrOpList;
void nr_collect_ops(NrOp *root, NrOpList *out);
/* Collects root and its nested ops where wanted(op) holds, in pre-order (an op before its regions) or post-order. */
void nr_collect_pre(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out);
void nr_collect_post(NrOp *root, bool (*wanted)(const NrOp *op), NrOpList *out);
static inline bool nr_is_erased(const NrOp *op) { return op->block == NULL; }

/* Whether op can be erased: its results have no uses and it is pure, only reads, or allocates memory without uses. */
bool nr_op_is_dead(NrOp *op);
/* Erases op when it is dead, then the ops that only it used. */
bool nr_erase_if_dead(NrOp *op);
/* Erases op, whose results have no uses, then the ops that only it used. */
void nr_erase_with_operands(NrOp *op);

/* Expands the ops in root whose definition has .expand, and the ops that these expand to, where wanted(op) holds (NULL:
 * all). */
NrStatus nr_expand_ops(NrOp *root, bool (*wanted)(const NrOp *op));

/* The reachable blocks of a region in an order in which dominators come first. The caller deinits. */
typedef NR_VEC(NrBlock *) NrBlockList;
void nr_collect_blocks(NrRegion *region, NrBlockList *out);
/* Erases the unreachable blocks of a region; returns whether there were any. */
bool nr_erase_unreachable_blocks(NrRegion *region);

/* Merges blocks of a region, other than the entry block, that are equal op for op (merge_blocks.c). */
bool nr_merge_equal_blocks(NrRegion *region);

/* Whether op may run where the program would not have run it: it is pure, does not fail and terminates (speculation.c).
 */
bool nr_op_is_speculatable(NrOp *op);
/* The same for a place in the program: `known` (analysis/prover.h) has visited the checks that come before it. */
bool nr_op_is_speculatable_where(NrOp *op, NrProver *known);
/* Whether the affine map is defined for all operands: it divides only by positive constants. */
bool nr_map_never_fails(NrAttr map);

/* The nearest enclosing op that is isolated from above; the top module is one. */
NrOp *nr_isolated_parent(const NrOp *op);
/* The region of that op which op is in: its first block is where constants and stack buffers for op belong. */
NrRegion *nr_isolated_region(const NrOp *op);

/* Builds the constant op of `type`, in the dialect that defines constants of it; NULL when no dialect does. */
NrOp *nr_build_constant(NrBuilder *b, NrAttr value, NrType type);

#endif
