/* range.h - ranges of affine expressions, from the bounds of the enclosing loops.
 *
 * Overflow in affine expressions is undefined behaviour, so INT64_MIN and INT64_MAX mean no bound. In a loop that never
 * runs any range is right. */
#ifndef NORIA_DIALECT_AFFINE_RANGE_H
#define NORIA_DIALECT_AFFINE_RANGE_H

#include "ir/ir.h"

typedef struct NrRange {
  int64_t min, max;
} NrRange;

/* Ranges of values from elsewhere; NULL: only constants, loops, sizes and other affine ops are used. */
typedef NrRange (*NrRangeOf)(void *user, NrValue *value);

/* Of an expression over these operands, dims first. Sums are taken as wholes: of %n - %i, in a loop up to %n, it is
 * known that it is above 0. */
NrRange nr_affine_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of, void *user);
/* Of an induction variable of affine.for or affine.parallel. */
NrRange nr_affine_iv_range(NrValue *iv, NrRangeOf of, void *user);
/* The remainder of a division by a positive number, if it is constant. */
bool nr_affine_rest(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, int64_t divisor, int64_t *out);
/* Simplifies quotients and remainders whose value follows from the ranges of the operands. */
NrAffineExpr nr_affine_simplify_in_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

#endif
