/* range.h - ranges of affine expressions, derived from the bounds of the enclosing loops.
 *
 * Overflow in affine expressions is undefined behaviour, so INT64_MIN and INT64_MAX mean unbounded. In a loop that
 * never runs any range is correct. */
#ifndef NORIA_DIALECT_AFFINE_RANGE_H
#define NORIA_DIALECT_AFFINE_RANGE_H

#include "ir/ir.h"

typedef struct NrRange {
  int64_t min, max;
} NrRange;

/* A callback that gives the ranges of further values. NULL: only constants, loops, sizes and other affine ops are
 * used. */
typedef NrRange (*NrRangeOf)(void *user, NrValue *value);

/* The range of an expression over operands, dims first. Terms of a sum are not bounded one by one only: %n - %i is
 * known to be above 0 in a loop over %i up to %n. */
NrRange nr_affine_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of, void *user);
/* The range of an induction variable of affine.for or affine.parallel. */
NrRange nr_affine_iv_range(NrValue *iv, NrRangeOf of, void *user);
/* The remainder of the expression modulo a positive divisor, if it is the same for all values of the operands. */
bool nr_affine_rest(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, int64_t divisor, int64_t *out);
/* Simplifies quotients and remainders whose value follows from the ranges of the operands. */
NrAffineExpr nr_affine_simplify_in_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

#endif
