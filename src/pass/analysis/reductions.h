/* reductions.h - carried values of loops that are only combined, one op after the other, in any order. */
#ifndef NORIA_PASS_ANALYSIS_REDUCTIONS_H
#define NORIA_PASS_ANALYSIS_REDUCTIONS_H

#include "pass/core/rewrite.h"

/* One op that combines the running value with a term. */
typedef struct NrReductionStep {
  NrOp *op;
  unsigned combine; /* the arith op that it comes to: of a selected greater one arith.maxsi */
  NrValue *term;
  bool negated;     /* combine with 0 - term: a subtraction */
  NrOp *compare;    /* what a selection looks at; NULL for other steps */
} NrReductionStep;
/* From the carried value to what is yielded for it. */
typedef struct NrReduction {
  NR_VEC(NrReductionStep) steps;
} NrReduction;

/* Carried value i of an scf.for or affine.for. True when all it meets is one kind of op, in the body itself, which
 * gives the same in any order (nr_reduction_op_is_exact), and nobody else sees what is between. The caller deinits the
 * steps in any case. */
bool nr_reduction_of(NrOp *loop, uint32_t i, NrReduction *out);
/* The same from a value in the loop's body to operand number `operand` of an op in it. */
bool nr_reduction_between(NrValue *from, NrOp *to, uint32_t operand, NrReduction *out);
/* All carried values are reductions. */
bool nr_only_reduces(NrOp *loop);
/* What one iteration adds: builds it in the body. */
NrValue *nr_reduction_build_term(const NrReduction *r);
/* Erases the steps; nobody uses what they give. */
void nr_reduction_erase(const NrReduction *r);
/* The op that combines two such values at b. */
NrValue *nr_reduction_combine(NrBuilder *b, const NrReduction *r, NrValue *lhs, NrValue *rhs);

#endif
