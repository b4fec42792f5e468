/* ranges.h - between which numbers an integer or index value lies. */
#ifndef NORIA_PASS_ANALYSIS_RANGES_H
#define NORIA_PASS_ANALYSIS_RANGES_H

#include "dialect/affine/range.h"

/* As signed numbers; of types wider than 64 bits nothing is known. */
/* Where the value is computed. From constants, sizes, induction variables and what is made of them; what may overflow
 * is not believed. Always an answer: all numbers of the type at worst. */
NrRange nr_range_of(NrValue *value);
/* Of one result of an affine map over these operands. */
NrRange nr_range_of_affine(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

#endif
