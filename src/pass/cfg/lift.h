/* lift.h - what the files of lift-cf-to-scf share. Internal to them. */
#ifndef NORIA_PASS_CFG_LIFT_H
#define NORIA_PASS_CFG_LIFT_H

#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef NR_VEC(NrBlock *) NrBlockList;
typedef NR_VEC(NrValue *) NrValueList;
typedef NR_VEC(NrSuccessor *) NrEdgeList;

typedef struct NrLifter {
  NrPassContext *pass;
  NR_VEC(NrRegion *) work; /* regions that may have several blocks; they are in their place in the program */
  NrOp *root;              /* whose region is lifted: constants stand at its start */
  NrMap constants;         /* NrAttr -> NrValue*, there; NrType -> the ub.poison of that type */
  bool where_possible;     /* nothing is reported when status is set */
  int64_t blocks_left;     /* where possible: that may be looked at, once for each level that they are nested */
  NrStatus status;         /* of the first refusal; what was built until then stays */
} NrLifter;

/* A block that stands for several targets: its arguments are those of all of them, and a number behind them when there
 * is more than one. */
typedef struct NrMultiplexer {
  NrBlock *block;
  NrBlockList targets;
  NR_VEC(uint32_t) first; /* argument of each target */
  uint32_t num_values;
} NrMultiplexer;

NrValue *nr_lift_constant(NrLifter *l, NrAttr value);
/* A value for where none is asked for: 0, or ub.poison of types that have no such constant. */
NrValue *nr_lift_zero(NrLifter *l, NrType type);
NrBlock *nr_lift_new_block(NrRegion *region);
NrBuilder nr_lift_at_end(NrBlock *block);

size_t nr_lift_successor_number(const NrSuccessor *edge);
void nr_lift_successor_operands(const NrSuccessor *edge, NrValueList *out); /* appends */
/* Sends an edge elsewhere, with other operands. */
void nr_lift_redirect(NrSuccessor *edge, NrBlock *to, NrValue *const *operands, size_t count);
/* A block, without terminator, whose end stands for the edge: that of a cf.br, which goes, or a new one. */
NrBlock *nr_lift_block_of_edge(NrSuccessor *edge);

void nr_lift_add_target(NrMultiplexer *m, NrBlock *target); /* once */
void nr_lift_add_target_args(NrBlock *block, const NrMultiplexer *m);
/* Appends the operands that say `target, with these operands` at the multiplexer; target NULL: whatever. */
void nr_lift_push_target(NrLifter *l, const NrMultiplexer *m, const NrBlock *target, const NrValueList *operands,
                         NrValueList *out);
/* Ends a block, whose arguments from `first` on are the multiplexer's, with the branch to its targets. */
void nr_lift_dispatch(const NrMultiplexer *m, NrBlock *block, uint32_t first);
void nr_lift_deinit_multiplexer(NrMultiplexer *m);

/* The region is to be lifted when it has several blocks. */
void nr_lift_queue(NrLifter *l, NrRegion *region);
/* Each cycle of the region becomes one block with an scf.while (lift_cycles.c). All blocks reach the region's end. */
void nr_lift_cycles(NrLifter *l, NrRegion *region);

#endif
