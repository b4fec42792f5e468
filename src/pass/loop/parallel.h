/* parallel.h - shared by the passes on parallel loops. */
#ifndef NORIA_PASS_LOOP_PARALLEL_H
#define NORIA_PASS_LOOP_PARALLEL_H

#include "dialect/scf/scf.h"
#include "pass/core/pass.h"

static inline uint32_t nr_parallel_rank(const NrOp *op) { return nr_scf_parallel_body(op)->num_args; }
static inline NrValue *nr_parallel_lower(const NrOp *op, uint32_t d) {
  return nr_operand(op, NR_SCF_PARALLEL_LOWER_BOUND + d);
}
static inline NrValue *nr_parallel_upper(const NrOp *op, uint32_t d) {
  return nr_operand(op, nr_scf_parallel_upper_bound(op).begin + d);
}
static inline NrValue *nr_parallel_step(const NrOp *op, uint32_t d) {
  return nr_operand(op, nr_scf_parallel_step(op).begin + d);
}
static inline NrValue *nr_parallel_init(const NrOp *op, uint32_t i) {
  return nr_operand(op, nr_scf_parallel_init_vals(op).begin + i);
}

/* The number of iterations from lower up to upper, 0 when upper is not above lower; exact for all indices. */
NrValue *nr_trip_count_value(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step);
/* The same for dim d, if bounds and step are constant; otherwise false. */
bool nr_parallel_trip_count(const NrOp *op, uint32_t d, uint64_t *out);

/* Whether every order of combining gives the same bits, but for those of a NaN: one associative and commutative op on
 * the two values, of integers, of floats that may be reassociated, or maximumf or minimumf (NaN is the result where one
 * value is NaN, and 0.0 is above -0.0). */
bool nr_reduction_is_exact(NrBlock *reduction);
bool nr_reduction_op_is_exact(const NrOp *op); /* the same for the op */
/* The neutral element of an exact reduction or one of floats; NULL when it is not known. */
NrAttr nr_reduction_neutral(NrBlock *reduction);
/* Whether all reductions of an scf.parallel are exact and have a neutral element. */
bool nr_parallel_reduces_exactly(const NrOp *op);

/* Converts op, an scf.parallel, to a nest of scf.for, with the reductions inlined at the end of the innermost body: the
 * left value is the carried one, the right value the point's. Returns the outermost loop, which replaces op. */
NrOp *nr_parallel_to_for(NrOp *op);
/* Builds a bound or step of scf.forall: which is 0 (lower), 1 (upper) or 2 (step). */
NrValue *nr_forall_bound(NrBuilder *b, NrOp *op, size_t which, uint32_t d);
/* Appends all bounds in the order of scf.parallel: lower bounds, upper bounds, steps. */
typedef NR_VEC(NrValue *) NrBounds;
void nr_forall_bounds(NrBuilder *b, NrOp *op, NrBounds *out);
/* Converts op, an scf.forall over buffers, to a nest of scf.for; NULL when it has no dims and is replaced by its
 * body. */
NrOp *nr_forall_to_for(NrOp *op);

/* Whether an scf.for's iterations are independent, apart from reductions that it carries. It may contain blocks. */
bool nr_for_is_independent(NrOp *loop);
/* Makes an scf.for parallel whose iterations are independent, and replaces it; NULL when they may not be. */
NrOp *nr_for_to_parallel(NrOp *loop);

/* Replaces op by another scf.parallel, scf.for or scf.forall with the same results. */
void nr_replace_loop(NrOp *op, NrOp *by);

#endif
