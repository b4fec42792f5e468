/* range.h - between which numbers an affine expression lies, by the bounds of the loops around it.
 *
 * Affine expressions do not overflow, or the program has no meaning: the largest and the least number of 64 bits stand
 * for no limit. A loop that does not run makes any answer right. */
#ifndef NORIA_DIALECT_AFFINE_RANGE_H
#define NORIA_DIALECT_AFFINE_RANGE_H

#include "ir/ir.h"

typedef struct NrRange {
  int64_t min, max;
} NrRange;

/* What else is known of a value; NULL: constants, loops, sizes and other affine ops are looked at. */
typedef NrRange (*NrRangeOf)(void *user, NrValue *value);

/* Of an expression over these operands, dims first. Sums are taken as wholes: of %n - %i, in a loop up to %n, it is
 * known that it is above 0. */
NrRange nr_affine_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of, void *user);
/* Of an induction variable of affine.for or affine.parallel. */
NrRange nr_affine_iv_range(NrValue *iv, NrRangeOf of, void *user);
/* The rest of a division by a positive number, when it is always the same one. */
bool nr_affine_rest(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, int64_t divisor, int64_t *out);
/* The expression with quotients and rests left out that the ranges of the operands decide. */
NrAffineExpr nr_affine_simplify_in_range(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

#endif
