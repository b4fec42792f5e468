/* reductions.h - carried values of loops that are reductions: combined by one op in any order. */
#ifndef NORIA_PASS_ANALYSIS_REDUCTIONS_H
#define NORIA_PASS_ANALYSIS_REDUCTIONS_H

#include "pass/core/rewrite.h"

/* One op that combines the running value with a term. */
typedef struct NrReductionStep {
  NrOp *op;
  unsigned combine; /* the arith op: for a select of the greater value, arith.maxsi */
  NrValue *term;
  bool negated;     /* combine with 0 - term: a subtraction */
  NrOp *compare;    /* the comparison of a select; NULL for other steps */
} NrReductionStep;
/* The steps from the carried value to the yielded one. */
typedef struct NrReduction {
  NR_VEC(NrReductionStep) steps;
} NrReduction;

/* Matches carried value i of an scf.for or affine.for. True when the body itself combines it by one kind of op that
 * gives the same result in any order (nr_reduction_op_is_exact), and intermediate values have no other uses. The caller
 * deinits the steps in any case. */
bool nr_reduction_of(NrOp *loop, uint32_t i, NrReduction *out);
/* Matches the steps from a value in the loop's body to operand number `operand` of an op in it. */
bool nr_reduction_between(NrValue *from, NrOp *to, uint32_t operand, NrReduction *out);
/* Whether all carried values are reductions. */
bool nr_only_reduces(NrOp *loop);
/* Builds in the body the value that one iteration combines with the running value. */
NrValue *nr_reduction_build_term(const NrReduction *r);
/* Erases the steps, whose results must have no uses. */
void nr_reduction_erase(const NrReduction *r);
/* Builds the op that combines two such values at b. */
NrValue *nr_reduction_combine(NrBuilder *b, const NrReduction *r, NrValue *lhs, NrValue *rhs);

#endif
