/* cost.h - what work costs on a target: the one model by which passes decide what is worth it.
 *
 *   time = max(operations / (lanes * ports * clock), bytes / bandwidth of the level that holds them)
 *
 * It is right within a factor of about two for loops over vectors (docs/codegen.md has figures), which is what a
 * threshold needs. All is per thread. */
#ifndef NORIA_TARGET_COST_H
#define NORIA_TARGET_COST_H

#include "ir/op_info.h"
#include "target/target.h"

typedef struct NrCost {
  double cycles; /* of a core's units */
  double bytes;  /* between the core and the level that holds them */
} NrCost;

/* Of work whose memory is footprint bytes in all, in nanoseconds. */
double nr_cost_ns(const NrTarget *target, NrCost cost, double footprint);

/* What an op takes of a port, beside what it reads and writes: an add is 1. *out_libm: the cycles of each element where
 * it is a call of the C library, else 0. */
int64_t nr_cost_slots(const NrOp *op, int64_t *out_libm);
/* Of one run of the block, its loops included; of a loop of unknown length some iterations. lanes: many runs go side by
 * side in the lanes of vectors; without, ops run one after another. */
NrCost nr_cost_of_block(const NrTarget *target, NrBlock *block, bool lanes);
/* Of all points of a structured op (linalg.generic), each operand moved once. Unknown ranges count as 1; *out_known:
 * there were none. */
NrCost nr_cost_of_structured(const NrTarget *target, NrOp *op, bool *out_known);
double nr_cost_structured_ns(const NrTarget *target, NrOp *op, bool *out_known);
/* Whether runs of the block can go side by side: it has no control flow, no calls, and reads no memory at random. */
bool nr_cost_has_lanes(NrBlock *block);

/* Work that takes less than this is not handed to other threads: they would be late. */
static inline int64_t nr_cost_dispatch_ns(const NrTarget *target) { return 4 * target->wake_ns; }
/* What a thread should get at least. */
static inline int64_t nr_cost_workgroup_ns(const NrTarget *target) { return target->wake_ns; }

/* Of a range whose parts should be of about `tile` points: a divisor of it near the tile, so that no part is smaller,
 * or else a tile of which as few parts cover the range as evenly as they can. A multiple of `multiple` where that is
 * possible. */
int64_t nr_cost_tile(int64_t range, int64_t tile, int64_t multiple);

#endif
