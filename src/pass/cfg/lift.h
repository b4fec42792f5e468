/* lift.h - shared by the files of lift-cf-to-scf. */
#ifndef NORIA_PASS_CFG_LIFT_H
#define NORIA_PASS_CFG_LIFT_H

#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef NR_VEC(NrValue *) NrValueList;
typedef NR_VEC(NrSuccessor *) NrEdgeList;

typedef struct NrLifter {
  NrPassContext *pass;
  NR_VEC(NrRegion *) work; /* regions to lift, in their final place in the program */
  NrOp *root;              /* the op whose region is lifted; constants are created at the region's start */
  NrMap constants;         /* NrAttr -> NrValue*, there; NrType -> the ub.poison of that type */
  bool where_possible;     /* report no error when status is set */
  int64_t blocks_left;     /* budget for where_possible: blocks to visit, counted at each nesting level */
  NrStatus status;         /* of the first failure; the ops built until then stay */
} NrLifter;

/* A block that branches to one of several targets: its arguments are those of all targets, then, for more than one, the
 * target's number. */
typedef struct NrMultiplexer {
  NrBlock *block;
  NrBlockList targets;
  NR_VEC(uint32_t) first; /* first argument of each target */
  uint32_t num_values;
} NrMultiplexer;

NrValue *nr_lift_constant(NrLifter *l, NrAttr value);
/* A value for an operand that is never used: 0, or ub.poison for types without a 0. */
NrValue *nr_lift_zero(NrLifter *l, NrType type);
/* The region of a function, an scf.execute_region or a dispatch that is lifted; NULL for other ops. */
NrRegion *nr_lift_region(const NrOp *op);
NrBlock *nr_lift_new_block(NrRegion *region);
NrBuilder nr_lift_at_end(NrBlock *block);

size_t nr_lift_successor_number(const NrSuccessor *edge);
void nr_lift_successor_operands(const NrSuccessor *edge, NrValueList *out); /* appends */
/* Redirects an edge to another block, with other operands. */
void nr_lift_redirect(NrSuccessor *edge, NrBlock *to, NrValue *const *operands, size_t count);
/* A block without terminator at the edge: that of a cf.br, which is erased, or a new one. */
NrBlock *nr_lift_block_of_edge(NrSuccessor *edge);

void nr_lift_add_target(NrMultiplexer *m, NrBlock *target); /* once */
void nr_lift_add_target_args(NrBlock *block, const NrMultiplexer *m);
/* Appends the multiplexer's operands for a branch to target with these operands; target NULL: any target. */
void nr_lift_push_target(NrLifter *l, const NrMultiplexer *m, const NrBlock *target, const NrValueList *operands,
                         NrValueList *out);
/* Ends a block, whose arguments from `first` on are the multiplexer's, with a branch to the chosen target. */
void nr_lift_dispatch(const NrMultiplexer *m, NrBlock *block, uint32_t first);
void nr_lift_deinit_multiplexer(NrMultiplexer *m);

/* Adds the region to the work list if it has several blocks. */
void nr_lift_queue(NrLifter *l, NrRegion *region);
/* Replaces each cycle of the region by one block with an scf.while (lift_cycles.c). All blocks must reach the region's
 * end. */
void nr_lift_cycles(NrLifter *l, NrRegion *region);

#endif
