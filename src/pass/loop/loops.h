/* loops.h - shared by the passes that rewrite scf.for: arithmetic on bounds that handles overflow, and copies of
 * bodies. */
#ifndef NORIA_PASS_LOOP_LOOPS_H
#define NORIA_PASS_LOOP_LOOPS_H

#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "pass/core/rewrite.h"

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* Collects the scf.for ops in root whose bounds have at most 64 bits, outer loops first. The caller deinits the
 * list. */
void nr_collect_fors(NrOp *root, NrOpList *out);
static inline bool nr_is_unsigned_for(const NrOp *loop) { return nr_op_attr(loop, NR_A_unsignedCmp) != NULL; }
/* Collects the loops of a perfect nest from loop inwards, all of one kind, at most max: each body is the next loop and
 * a yield, carried values pass through unchanged, and all bounds are defined outside the nest. Moves constants between
 * the loops out of the nest. */
size_t nr_perfect_nest(NrOp *loop, NrOp **out, size_t max);
/* Counts the ops in op and its regions; stops counting above limit. */
size_t nr_count_ops(NrOp *op, size_t limit);
/* The budget of ops that a pass may add to root, because copying nested loops can grow a program without bound, and so
 * can several passes in sequence: up to 2^17 ops in all, or 2^15 more where root is larger. */
size_t nr_copies_left(NrOp *root);
/* Takes `copies` times the ops of loop from the budget; false, taking nothing, when that exceeds it. */
bool nr_take_copies(size_t *left, NrOp *loop, uint64_t copies);

/* A constant operand of arith.minsi or minui, or the smallest constant result of affine.min; for nested minima, the
 * first found. */
bool nr_minimum_constant(const NrValue *value, int64_t *out);

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Bounds and step as values. */
typedef struct NrForBounds {
  NrValue *lower, *upper, *step;
} NrForBounds;

/* max(upper - lower, 0) as an unsigned number of the induction variable's type. */
NrValue *nr_for_build_distance(NrBuilder *b, NrOp *loop);
NrValue *nr_for_bounds_distance(NrBuilder *b, NrForBounds bounds, bool is_unsigned);
/* The trip count, an unsigned number of the induction variable's type, in which it always fits. */
NrValue *nr_for_build_trips(NrBuilder *b, NrOp *loop);
/* lower + n * step, for n below the trip count, so it does not overflow. */
NrValue *nr_for_build_iv(NrBuilder *b, NrOp *loop, NrValue *n);
/* The largest value of the induction variable's type, with the signedness of the loop's comparison. */
uint64_t nr_for_largest(const NrOp *loop);
/* Splits a loop into a main loop with `factor` times the step, from lower to split, and a second loop from split to
 * upper. Where the larger step overflows, which may be known only in a run, the second loop runs all iterations. The
 * factor is at least 2 and fits the type. */
typedef struct NrForCut {
  NrValue *split, *step;
  NrAffineExpr expr; /* the split of affine loops as an expression over the operands of both bounds */
  int64_t wide;      /* the main loop's step, with expr */
  bool keep_lower;   /* expr may be below the lower bound of a loop that does not run */
  bool keep_upper;   /* expr may be above the upper bound */
  bool all;  /* no iterations remain */
  bool none; /* all iterations remain */
} NrForCut;
NrValue *nr_for_bounds_trips(NrBuilder *b, NrForBounds bounds, bool is_unsigned);
NrForCut nr_for_bounds_cut(NrBuilder *b, NrOp *loop, NrForBounds bounds, int64_t factor);
/* Converts an unsigned number of a loop's type to index; nr_from_count converts back. */
NrValue *nr_to_count(NrBuilder *b, NrValue *value);
NrValue *nr_from_count(NrBuilder *b, NrValue *count, NrType type);

/* ---- loops of scf and of affine (loops_affine.c) ----------------------------------------------------------------- */

/* These functions handle scf.for and affine.for. */
bool nr_is_for(const NrOp *op);
static inline NrBlock *nr_for_body(const NrOp *loop) {
  assert(nr_op_is(loop, NR_OP_scf_for) || nr_op_is(loop, NR_OP_affine_for));
  return nr_op_only_body(loop);
}
static inline NrValue *nr_for_iv(const NrOp *loop) { return nr_block_arg(nr_for_body(loop), 0); }
static inline NrValue *nr_for_arg(const NrOp *loop, uint32_t i) { return nr_block_arg(nr_for_body(loop), 1 + i); }
void nr_collect_loops(NrOp *root, NrOpList *out); /* like nr_collect_fors */
NrValue *nr_for_init(const NrOp *loop, uint32_t i);
bool nr_for_trip_count(const NrOp *loop, uint64_t *out);
bool nr_for_constant_step(const NrOp *loop, int64_t *out);
NrForBounds nr_for_bounds(NrBuilder *b, NrOp *loop);
/* Builds a loop with the bounds and attributes of this one, other inits and an empty body. */
NrOp *nr_for_with_inits(NrBuilder *b, NrOp *loop, NrValue *const *inits, size_t count);
void nr_for_yield(NrBuilder *b, const NrOp *loop, NrValue *const *values, size_t count);
/* iv + n * step, which does not overflow. */
NrValue *nr_for_build_later(NrBuilder *b, NrOp *loop, NrValue *iv, int64_t n);
/* The op before which an affine loop's bounds are defined and new values are valid symbols: loop itself, or an
 * enclosing op, if the bounds are plain operands or constants. NULL when there is none. */
NrOp *nr_for_symbols_before(NrOp *loop);
/* Builds a loop of the same kind from 0 to upper by 1, with an empty body. */
NrOp *nr_for_upto(NrBuilder *b, NrOp *loop, NrValue *upper, NrValue *const *inits, size_t count);
/* none is also set where affine bounds cannot express the split. */
NrForCut nr_for_build_cut(NrBuilder *b, NrOp *loop, int64_t factor);
/* Builds the main loop with an empty body; nr_for_keep_rest turns loop into the second one. inits: as many as loop
 * has. */
NrOp *nr_for_build_main(NrBuilder *b, NrOp *loop, const NrForCut *cut, NrValue *const *inits);
void nr_for_keep_rest(NrOp *loop, const NrForCut *cut, NrValue *const *inits);

/* The split after the last full step, or, with front, after the first step. none is set where it cannot be
 * expressed. */
NrForCut nr_for_build_split(NrBuilder *b, NrOp *loop, bool front);
/* Makes first run up to the split, and second, an equal loop after it, continue from there with first's results. */
void nr_for_chain(NrOp *first, NrOp *second, const NrForCut *cut);

/* Bounds, step and signedness of a loop, to be set on another loop of the same kind. */
typedef struct NrForRange {
  NR_VEC(NrValue *) operands;
  NrAttr attrs[4];
  NrType type; /* of the induction variable */
} NrForRange;
NrForRange nr_for_range(const NrOp *loop);
void nr_for_set_range(NrOp *loop, const NrForRange *range);
void nr_for_range_deinit(NrForRange *range);

/* ---- steps (loop_step.c) ---------------------------------------------------------------------------------------- */

/* Whether iv + step may overflow before it reaches upper, by the ranges of bounds and step. bounds_are_sizes: assume
 * that unknown 64-bit bounds are at most 2^62. */
bool nr_for_may_wrap(const NrOp *loop, bool bounds_are_sizes);
/* Builds iv + step; with may_wrap, upper where the sum would overflow. */
NrValue *nr_for_build_next(NrBuilder *b, NrOp *loop, NrValue *iv, bool may_wrap);
/* Builds the test iv < upper with the signedness of the loop's comparison. */
NrValue *nr_for_build_goes_on(NrBuilder *b, NrOp *loop, NrValue *iv);

/* Strip-mines a loop over indices, by a step that does not overflow, into strips of `every` iterations. Returns a
 * builder after the inner loop; *out_whole is whether the strip was full. any_bounds: the outer loop counts strips,
 * which never overflows; otherwise its step is the length of a strip. */
NrBuilder nr_for_strip_mine(NrOp *loop, int64_t every, bool any_bounds, NrValue **out_whole);
/* Builds the test that such a loop is at most one strip of `every` iterations long. */
NrValue *nr_for_build_is_one_strip(NrBuilder *b, NrOp *loop, int64_t every);

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* Builds an scf.if at b that replaces ops: they move into its else region, and its results replace theirs, in order.
 * The caller fills the then region and yields as many values. */
NrOp *nr_build_versions(NrBuilder *b, NrValue *condition, NrOp *const *ops, size_t count);

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Clones the loop at b. */
NrOp *nr_for_clone(NrBuilder *b, NrOp *loop);
/* Clones the ops of the body at b for this iv. carried: the values of the body's arguments, replaced by the yielded
 * values. */
void nr_for_clone_body(NrBuilder *b, NrOp *loop, NrValue *iv, NrValue **carried);
/* Replaces all results of loop by values and erases it. */
void nr_for_replace(NrOp *loop, NrValue *const *values);

#endif
