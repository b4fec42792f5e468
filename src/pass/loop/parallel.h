/* parallel.h - shared by the passes on parallel loops. */
#ifndef NORIA_PASS_LOOP_PARALLEL_H
#define NORIA_PASS_LOOP_PARALLEL_H

#include "pass/core/pass.h"

static inline uint32_t nr_parallel_rank(const NrOp *op) { return nr_op_body(op, 0)->num_args; }
static inline NrValue *nr_parallel_lower(const NrOp *op, uint32_t d) { return nr_operand(op, d); }
static inline NrValue *nr_parallel_upper(const NrOp *op, uint32_t d) {
  return nr_operand(op, nr_parallel_rank(op) + d);
}
static inline NrValue *nr_parallel_step(const NrOp *op, uint32_t d) {
  return nr_operand(op, 2 * nr_parallel_rank(op) + d);
}
static inline NrValue *nr_parallel_init(const NrOp *op, uint32_t i) {
  return nr_operand(op, 3 * nr_parallel_rank(op) + i);
}

/* The number of iterations from lower up to upper, 0 when upper is not above lower: exact for all indices. */
NrValue *nr_trip_count_value(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step);
/* The same of dim d, when bounds and step are constant. */
bool nr_parallel_trip_count(const NrOp *op, uint32_t d, uint64_t *out);

/* Whether every order of combining gives the same bits: one associative and commutative op on the two values, of
 * integers or of floats that may be reassociated. */
bool nr_reduction_is_exact(NrBlock *reduction);
bool nr_reduction_op_is_exact(const NrOp *op); /* the same of the op */
/* The neutral element of an exact reduction or one of floats; NULL = not known. */
NrAttr nr_reduction_neutral(NrBlock *reduction);
/* All reductions of an scf.parallel are exact and have a neutral element. */
bool nr_parallel_reduces_exactly(const NrOp *op);

/* Converts op, an scf.parallel, to a nest of scf.for, with the reductions inlined at the end of the innermost body:
 * left is the running value, right the point's. Returns the outermost loop, which replaces op. */
NrOp *nr_parallel_to_for(NrOp *op);
/* Bound or step of scf.forall: which is 0 (lower), 1 (upper) or 2 (step). */
NrValue *nr_forall_bound(NrBuilder *b, NrOp *op, size_t which, uint32_t d);
/* Appends all in the order of scf.parallel: lower bounds, upper bounds, steps. */
typedef NR_VEC(NrValue *) NrBounds;
void nr_forall_bounds(NrBuilder *b, NrOp *op, NrBounds *out);
/* Converts op, an scf.forall over buffers, to a nest of scf.for; NULL when it has no dims and is replaced by its
 * body. */
NrOp *nr_forall_to_for(NrOp *op);

/* Replaces op by another scf.parallel, scf.for or scf.forall with the same results. */
void nr_replace_loop(NrOp *op, NrOp *by);

#endif
