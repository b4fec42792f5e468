/* loops.h - what the passes that rewrite scf.for share: arithmetic on bounds that is right at every extreme, and copies
 * of bodies. */
#ifndef NORIA_PASS_LOOP_LOOPS_H
#define NORIA_PASS_LOOP_LOOPS_H

#include "dialect/scf/scf.h"
#include "pass/core/rewrite.h"

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* Every scf.for in root whose bounds have at most 64 bits, outer ones first. The caller deinits. */
void nr_collect_fors(NrOp *root, NrOpList *out);
static inline bool nr_is_unsigned_for(const NrOp *loop) { return nr_op_attr(loop, "unsignedCmp") != NULL; }
/* Defined neither by op nor in it. */
bool nr_is_outside(const NrValue *value, const NrOp *op);
/* The loops of a perfect nest from loop inwards, all of its kind, at most max of them: each body holds the next loop
 * and a yield, what is carried is handed through unchanged, and all bounds are defined outside of loop. Constants in
 * between move out. */
size_t nr_perfect_nest(NrOp *loop, NrOp **out, size_t max);
/* Ops in op and its regions; stops counting above limit. */
size_t nr_count_ops(NrOp *op, size_t limit);
/* Copies of loops in loops can grow without measure, and so can what several passes make one after another: ops that a
 * pass may still add to root. They fill it up to 2^17 in all, or are 2^15 where it is larger. */
size_t nr_copies_left(NrOp *root);
/* Takes `copies` times the ops of loop from what is left; false, and nothing is taken, when that is too much. */
bool nr_take_copies(size_t *left, NrOp *loop, uint64_t copies);

/* A constant that a minimum is at most: an operand of arith.minsi or minui, or the least constant result of affine.min.
 * Of nested minima the first. */
bool nr_minimum_constant(const NrValue *value, int64_t *out);

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The op on two values, or what it folds to. cmpi takes the predicate, an NrCmpI. */
NrValue *nr_fold_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs);
NrValue *nr_fold_cmpi(NrBuilder *b, int predicate, NrValue *lhs, NrValue *rhs);
NrValue *nr_fold_select(NrBuilder *b, NrValue *condition, NrValue *if_true, NrValue *if_false);

/* Bounds and step as values. */
typedef struct NrForBounds {
  NrValue *lower, *upper, *step;
} NrForBounds;

/* upper - lower where the loop runs, else 0: an unsigned number of the induction variable's type. */
NrValue *nr_for_build_distance(NrBuilder *b, NrOp *loop);
NrValue *nr_for_bounds_distance(NrBuilder *b, NrForBounds bounds, bool is_unsigned);
/* The number of iterations, an unsigned number of the induction variable's type, in which it always fits. */
NrValue *nr_for_build_trips(NrBuilder *b, NrOp *loop);
/* lower + n * step for n below the number of iterations, where it does not wrap. */
NrValue *nr_for_build_iv(NrBuilder *b, NrOp *loop, NrValue *n);
/* Largest value that loop's comparison knows in its type. */
uint64_t nr_for_largest(const NrOp *loop);
/* Cuts a loop into one of `factor` iterations at once, from lower to split by step, and what is left, from split to
 * upper. A step too large for its type, which may show in the run only, leaves everything to the second. The factor is
 * at least 2 and fits the type. */
typedef struct NrForCut {
  NrValue *split, *step;
  NrAffineExpr expr; /* where affine loops have no split: over the operands of both bounds */
  int64_t wide;      /* their step */
  bool keep_lower;   /* expr may lie below the lower bound, of a loop that does not run */
  bool keep_upper;   /* expr may lie above the upper bound */
  bool all;  /* nothing is left */
  bool none; /* everything is left */
} NrForCut;
NrValue *nr_for_bounds_trips(NrBuilder *b, NrForBounds bounds, bool is_unsigned);
NrForCut nr_for_bounds_cut(NrBuilder *b, NrOp *loop, NrForBounds bounds, int64_t factor);
/* An unsigned number of a loop's type as an index, from which it comes back by nr_from_count. */
NrValue *nr_to_count(NrBuilder *b, NrValue *value);
NrValue *nr_from_count(NrBuilder *b, NrValue *count, NrType type);

/* ---- loops of scf and of affine (loops_affine.c) ----------------------------------------------------------------- */

/* What follows, and what copies bodies, is for both. Their bodies have the same arguments, so nr_scf_for_iv and
 * nr_scf_for_arg serve both as well. */
bool nr_is_for(const NrOp *op);
void nr_collect_loops(NrOp *root, NrOpList *out); /* as nr_collect_fors */
NrValue *nr_for_init(const NrOp *loop, uint32_t i);
bool nr_for_trip_count(const NrOp *loop, uint64_t *out);
bool nr_for_constant_step(const NrOp *loop, int64_t *out);
NrForBounds nr_for_bounds(NrBuilder *b, NrOp *loop);
/* A loop with the bounds and attributes of this one, other inits and an empty body. */
NrOp *nr_for_with_inits(NrBuilder *b, NrOp *loop, NrValue *const *inits, size_t count);
void nr_for_yield(NrBuilder *b, const NrOp *loop, NrValue *const *values, size_t count);
/* iv + n * step, which does not overflow. */
NrValue *nr_for_build_later(NrBuilder *b, NrOp *loop, NrValue *iv, int64_t n);
/* The op before which an affine loop's bounds are all known and computed values are symbols: loop itself, or one around
 * it, where only bounds that nothing is computed for count. NULL when there is none. */
NrOp *nr_for_symbols_before(NrOp *loop);
/* A loop of the same kind from 0 to a number by 1, with an empty body. */
NrOp *nr_for_upto(NrBuilder *b, NrOp *loop, NrValue *upper, NrValue *const *inits, size_t count);
/* none: also where an affine loop could not say what is left. */
NrForCut nr_for_build_cut(NrBuilder *b, NrOp *loop, int64_t factor);
/* The first part, with an empty body; and what is left, which loop becomes. inits: as many as loop has. */
NrOp *nr_for_build_main(NrBuilder *b, NrOp *loop, const NrForCut *cut, NrValue *const *inits);
void nr_for_keep_rest(NrOp *loop, const NrForCut *cut, NrValue *const *inits);

/* Where full steps end, from which on a step does not fill; or with front the end of the first one. none: it could not
 * be said. */
NrForCut nr_for_build_split(NrBuilder *b, NrOp *loop, bool front);
/* first runs up to the cut and second, an equal loop behind it, from there on with its results. */
void nr_for_chain(NrOp *first, NrOp *second, const NrForCut *cut);

/* Bounds, step, and how they compare, to be given to another loop of the kind. */
typedef struct NrForRange {
  NR_VEC(NrValue *) operands;
  NrAttr attrs[4];
  NrType type; /* of the induction variable */
} NrForRange;
NrForRange nr_for_range(const NrOp *loop);
void nr_for_set_range(NrOp *loop, const NrForRange *range);
void nr_for_range_deinit(NrForRange *range);

/* ---- taken apart (loop_step.c) ---------------------------------------------------------------------------------- */

/* Whether iv + step may pass the end of its type before it passes upper: no, where bounds and step say so.
 * bounds_are_sizes: of 64 bits, those that are not known are at most 2^62. */
bool nr_for_may_wrap(const NrOp *loop, bool bounds_are_sizes);
/* iv + step; of a loop that may wrap it is upper where that lies no further. */
NrValue *nr_for_build_next(NrBuilder *b, NrOp *loop, NrValue *iv, bool may_wrap);
/* Whether the loop has an iteration iv. */
NrValue *nr_for_build_goes_on(NrBuilder *b, NrOp *loop, NrValue *iv);

/* Puts loop, over indices by a step that does not wrap, into an outer loop over strips of `every` iterations. Returns a
 * builder behind the inner loop, where *out_whole is whether the strip was a whole one. any_bounds: the outer loop
 * counts strips, so that it does not pass the end of the type whatever the bounds are; else its step is the length of a
 * strip. */
NrBuilder nr_for_strip_mine(NrOp *loop, int64_t every, bool any_bounds, NrValue **out_whole);

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* An scf.if at b that takes the place of ops: they move into its else, and it gives their results, in order. The caller
 * fills the then and ends it with as many values. */
NrOp *nr_build_versions(NrBuilder *b, NrValue *condition, NrOp *const *ops, size_t count);

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* A whole copy of loop at b. */
NrOp *nr_for_clone(NrBuilder *b, NrOp *loop);
/* The ops of the body once more at b, for this iv; carried: the values of the arguments, then the yielded ones. */
void nr_for_clone_body(NrBuilder *b, NrOp *loop, NrValue *iv, NrValue **carried);
/* All results of loop replaced by values, and loop erased. */
void nr_for_replace(NrOp *loop, NrValue *const *values);

#endif
