/* region_flow.h - where control, and values with it, go between an op and its regions.
 *
 * MLIR's RegionBranchOpInterface as a line of the op definition, .region_flow, with clauses `from -> to, to`:
 *
 *   "initArgs -> region 1.., results; region -> region 1.., results"                                        scf.for
 *   "inits -> before; before 1.. -> after, results; after -> before"                                      scf.while
 *   "begin -> thenRegion, elseRegion; thenRegion -> results; elseRegion -> results"                          scf.if
 *
 * from: an operand group of the op, whose values go along when control comes to the op; `begin`: control without
 * values; or a region, from whose terminators the operands go along, with ` 1..` all but the first. to: a region, whose
 * first block's arguments take the values, with ` 1..` all but the first; or `results`: control goes on behind the op.
 * The order counts: .choose_edge names edges by their number among those of one `from`.
 *
 * An op without the line (a parallel loop, a structured op, a function) has values that no edge explains. */
#ifndef NORIA_IR_REGION_FLOW_H
#define NORIA_IR_REGION_FLOW_H

#include "ir/op_info.h"

typedef struct NrRegionEdge {
  NrRegion *to;           /* NULL: control goes on behind the op */
  uint32_t first_operand; /* of the op, or of the terminator that control leaves from: from here on operands go along */
  uint32_t num_operands;  /* that go along; UINT32_MAX: all that are left */
  uint32_t first_target;  /* the argument that takes the first; what is before it has another source */
} NrRegionEdge;

/* The edges from one place, in order:
 *   NrRegionFlow flow = nr_region_flow(op, NULL);
 *   while (nr_region_flow_next(&flow, &edge)) .. */
typedef struct NrRegionFlow {
  const NrOp *op;
  const NrOpSpec *spec;
  const NrRegion *from;
  size_t row, target;
} NrRegionFlow;
/* from: a region of op; NULL: where control comes to op. No edges where the definition has no .region_flow. */
NrRegionFlow nr_region_flow(const NrOp *op, const NrRegion *from);
bool nr_region_flow_next(NrRegionFlow *flow, NrRegionEdge *out);
/* What takes value i of the edge: an argument or a result; NULL where there are no more. */
NrValue *nr_region_edge_target(const NrOp *op, const NrRegionEdge *edge, size_t i);

/* Control that comes to the op always enters this region first. */
bool nr_region_is_entered_first(const NrRegion *region);
/* At most one region runs, once: control never goes from region to region. */
bool nr_op_runs_one_region(const NrOp *op);

/* ---- loops ------------------------------------------------------------------------------------------------------ */

/* The range of induction variable i of a loop that counts (.loop_range); false past the last one, and for other ops. */
static inline bool nr_op_loop_range(const NrOp *op, uint32_t i, NrLoopRange *out) {
  return op->info->loop_range && op->info->loop_range(op, i, out);
}
uint32_t nr_op_num_ivs(const NrOp *op);
/* The range of an induction variable, where its bounds are indices; false for affine loops and other values. */
bool nr_loop_range(const NrValue *iv, NrLoopRange *out);

/* The region whose end starts the next iteration: control goes from it to a region that is entered first. NULL where no
 * edge says so. */
NrRegion *nr_loop_latch(const NrOp *loop);
/* What argument i of a region starts as, and what the end of an iteration gives for the next one. False when it is not
 * carried around. */
bool nr_region_carried(const NrRegion *region, uint32_t i, NrValue **out_init, NrValue **out_next);

/* For op_spec.c. */
const NrFlowRow *nr_region_flow_parse(NrArena *arena, const char *text, const NrOpSpec *spec, size_t *out_count);

#endif
