/* ranges.h - ranges of integer and index values. */
#ifndef NORIA_PASS_ANALYSIS_RANGES_H
#define NORIA_PASS_ANALYSIS_RANGES_H

#include "dialect/affine/range.h"

/* The range of a value, as a signed number; the full range for types wider than 64 bits. Derived from constants, sizes,
 * induction variables and arithmetic on them, where that cannot overflow; at worst the type's full range. */
NrRange nr_range_of(NrValue *value);
/* The same where loops may not be counted yet: their induction variables may wrap. */
NrRange nr_range_without_loops(NrValue *value);
/* The range of one result of an affine map over these operands. */
NrRange nr_range_of_affine(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands);

#endif
