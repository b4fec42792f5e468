/* prover.h - proves inequalities between sizes and indices of a program.
 *
 * Each index or integer value, and each dim of a tensor, is a sum of products of atoms (sums.h): dims of arguments,
 * induction variables, loaded numbers. A sum is built only where the arithmetic that it represents cannot wrap, so sums
 * are mathematical integers. Facts are sums that are not negative. They come from ops (an induction variable is between
 * its bounds, a minimum is at most each of its operands) and from conditions that hold at the current op, above all
 * rt.check.
 *
 * To prove that a goal is not negative, the prover subtracts facts from it until interval arithmetic shows that the
 * rest is not negative (a bounded search for the coefficients of Farkas' lemma), with a case for each operand of a
 * minimum, maximum or select. "False" means not proven.
 *
 * Assumes that dims of tensors are from 0 to NR_MAX_DIM, and that the product of those that are not 0 is at most
 * NR_MAX_DIM. The runtime refuses larger inputs and allocations. */
#ifndef NORIA_PASS_ANALYSIS_PROVER_H
#define NORIA_PASS_ANALYSIS_PROVER_H

#include "dialect/shared/shaped.h"
#include "noria/exec_abi.h"
#include "pass/analysis/sums.h"

#define NR_MAX_DIM NORIA_MAX_ELEMENTS

typedef struct NrProver NrProver;
NrProver *nr_prover_create(void);
void nr_prover_destroy(NrProver *p);

/* ---- sums of the program ----------------------------------------------------------------------------------------- */

NrSum nr_prover_value(NrProver *p, NrValue *integer);
NrSum nr_prover_index(NrProver *p, NrIndex index);
NrSum nr_prover_dim(NrProver *p, NrValue *shaped, uint32_t dim);
NrSum nr_prover_rank(NrProver *p, NrValue *tensor);
/* Element i, in row-major order, of a tensor of integers. */
NrSum nr_prover_element(NrProver *p, NrValue *tensor, int64_t i);
/* An affine expression over sums for dims and symbols; unknown where it divides. */
NrSum nr_prover_affine(NrProver *p, NrAffineExpr e, const NrSum *dims, const NrSum *symbols);

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* A fact holds until nr_prover_reset to a mark that is older than the fact. */
typedef struct NrProverMark {
  size_t facts, conditions;
} NrProverMark;
NrProverMark nr_prover_mark(const NrProver *p);
void nr_prover_reset(NrProver *p, NrProverMark mark);
void nr_prover_assume(NrProver *p, NrSum not_negative);
void nr_prover_assume_equal(NrProver *p, NrSum x, NrSum y);
void nr_prover_assume_condition(NrProver *p, NrValue *condition, bool holds);
/* Adds the facts inside a region: bounds of induction variables, the condition of a branch. */
void nr_prover_enter_region(NrProver *p, NrRegion *region);
/* Adds the facts that hold after an op in its block: valid sizes of its results, the condition of an rt.check. */
void nr_prover_visit(NrProver *p, NrOp *op);
/* At the end of the body of a linalg.generic or tensor.generate: records the bounds of the yielded integers as bounds
 * of the result's elements. */
void nr_prover_leave_body(NrProver *p, NrOp *op);

/* ---- goals ------------------------------------------------------------------------------------------------------- */

bool nr_prove_not_negative(NrProver *p, NrSum x);
bool nr_prove_equal(NrProver *p, NrSum x, NrSum y);
bool nr_prove_less(NrProver *p, NrSum x, NrSum y);
bool nr_prove_condition(NrProver *p, NrValue *condition, bool holds);

#endif
