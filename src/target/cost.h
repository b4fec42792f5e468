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
/* Whether machine code of the op, on a scalar or a vector, has a branch: loops with it have vectors only where a pass
 * makes them. */
bool nr_cost_branches(const NrOp *op);
/* Of one run of an op without regions that is not structured. lanes: as below. */
NrCost nr_cost_of_op(const NrTarget *target, NrOp *op, bool lanes);
/* How often the regions of the op run: the trips of a loop, or as many as are taken for it. */
double nr_cost_trips(NrOp *op);
/* Of one run of the block, its loops included; of a loop of unknown length some iterations. lanes: many runs go side by
 * side in the lanes of vectors; without, ops run one after another. */
NrCost nr_cost_of_block(const NrTarget *target, NrBlock *block, bool lanes);
/* Of all points of a structured op, each operand moved once. Unknown ranges count as 1; *out_known: there were none. */
NrCost nr_cost_of_structured(const NrTarget *target, NrOp *op, bool *out_known);
double nr_cost_structured_ns(const NrTarget *target, NrOp *op, bool *out_known);
/* The ranges of its loops, 1 where unknown; whether all are known. */
bool nr_cost_known_sizes(const NrOp *op, int64_t out_sizes[NR_MAX_RANK]);
/* Of a part of its points, sizes[d] along loop d. The operands come from the level that holds all of them. */
double nr_cost_part_ns(const NrTarget *target, NrOp *op, const int64_t *sizes);
/* The same of an op of which the cost of one point, without its operands, is known. */
NrCost nr_cost_of_point(const NrTarget *target, NrOp *op);
double nr_cost_points_ns(const NrTarget *target, NrOp *op, NrCost point, const int64_t *sizes);
/* Of the part of operand k that sizes[d] points along each loop d need: a dim that a sum of loops indexes is whole. */
double nr_cost_part_bytes(const NrOp *op, size_t k, const int64_t *sizes);
/* Of what is known of its size. */
double nr_cost_operand_bytes(const NrValue *value);
/* Whether runs of the block can go side by side: it has no control flow, no calls, and reads no memory at random. */
bool nr_cost_has_lanes(NrBlock *block);

/* Work that takes less than this is not handed to other threads: they would be late. */
static inline int64_t nr_cost_dispatch_ns(const NrTarget *target) { return 4 * target->wake_ns; }
/* What a thread should get at least. */
static inline int64_t nr_cost_workgroup_ns(const NrTarget *target) { return target->wake_ns; }

/* An iteration whose result another thread waits for should take this long: the hand-over takes about a fifth of it. */
static inline int64_t nr_cost_stage_ns(const NrTarget *target) { return target->wake_ns / 10; }

/* ---- chains ------------------------------------------------------------------------------------------------------
 * A core looks some 300 operations ahead, and holds about 100 that wait for their operands. A loop whose body is a long
 * chain of ops, each of which needs the result of the one before, runs at the speed of its units while the bodies of
 * several iterations are in that window. Tanh on vectors of 16 f32 (Zen 4, units: 10 cycles): 12 cycles each in a loop
 * with one, 22 with four in a row, 45 with forty. */

/* Slots of the longest such chain in the block, calls of the C library included. *out_all: of all ops. */
int64_t nr_cost_chain(NrBlock *block, int64_t *out_all);
/* Whether a loop over elements should do the work of both blocks, the second of which needs what the first gives, or
 * two loops that pass `between` bytes; 0: an unknown number. Two loops where they run faster and their memory stays in
 * the core's own caches, or where the chain would be longer than the window. */
bool nr_cost_is_one_loop(const NrTarget *target, NrBlock *first, NrBlock *second, double between);
/* How many vectors such a loop should work on side by side, a power of two; 1: what LLVM thinks best. The range is
 * that of the loop, or NR_DYNAMIC. */
int64_t nr_cost_interleave(const NrTarget *target, NrBlock *body, int64_t range);

/* How many rows of a product are computed together, so that what is loaded serves all of them and their accumulators
 * stay in registers. */
static inline int64_t nr_cost_rows(const NrTarget *target) { return target->registers >= 32 ? 8 : 4; }

/* Of a range whose parts should be of about `tile` points: a divisor of it near the tile, so that no part is smaller,
 * or else a tile of which as few parts cover the range as evenly as they can. A multiple of `multiple` where that is
 * possible. */
int64_t nr_cost_tile(int64_t range, int64_t tile, int64_t multiple);

#endif
