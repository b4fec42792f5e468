/* dependence.h - which memory ops of loop nests may touch the same element, and how many iterations apart.
 *
 *   NrMemAccesses list = {0};
 *   bool known = nr_collect_accesses(loop, &list);   false: an op in it has unknown effects
 *   ...
 *   NrDistance d = {.iv_a = iv, .iv_b = iv, .min = 1, .max = NR_FAR};
 *   nr_may_conflict(&list.data[i], &list.data[j], &d, 1)   may i touch what j touches in a later iteration?
 *
 * Handles loops of scf and affine and accesses of memref, affine and vector, through subviews, casts and reshapes.
 * Indices are linear in induction variables, invariant values, row numbers times a row length, and quotients and
 * remainders by constants; the equalities of all dims are solved together. "No" is a proof, assuming what the language
 * guarantees: indices are in bounds, and views are inside their source. Every other case may conflict. Because
 * arithmetic on index wraps, the test ignores an equality that could hold by wrapping around 64 bits, other than over
 * more than 2^44 iterations. */
#ifndef NORIA_PASS_ANALYSIS_DEPENDENCE_H
#define NORIA_PASS_ANALYSIS_DEPENDENCE_H

#include "ir/region_flow.h"
#include "pass/analysis/integer_constraints.h"

/* Computes the trip count of a loop; false when it is not constant or does not fit. */
bool nr_loop_range_trips(const NrLoopRange *range, uint64_t *out);

/* ---- index values as sums ---------------------------------------------------------------------------------------- */

enum { NR_LINEAR_TERMS = 12 };
typedef struct NrLinearTerm {
  NrValue *value;
  int64_t factor;
} NrLinearTerm;
/* constant + the sum of factor * value, in wrapping 64-bit arithmetic. */
typedef struct NrLinear {
  int64_t constant;
  uint32_t num_terms;
  NrLinearTerm terms[NR_LINEAR_TERMS];
} NrLinear;
/* The linear form of an index or 64-bit value; a value that is not linear is a term of its own. */
void nr_linear_of(NrValue *value, NrLinear *out);
/* The linear form of an affine expression over these operands, dims first; false when it is not linear. */
bool nr_linear_of_affine(NrAffineExpr e, NrValue *const *operands, uint32_t num_dims, NrLinear *out);

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

typedef struct NrMemAccess {
  NrOp *op;
  NrValue *memref;
  uint32_t first_index; /* operand number of the first index, or of the map's first input */
  uint32_t num_indices; /* the rank: the element at these indices. 0 with a rank above 0: any elements */
  NrAttr map;           /* the indices of an affine access, else NULL */
  NrType vector;        /* a vector access to these elements from there on, else NULL */
  bool reads, writes;
} NrMemAccess;
typedef NR_VEC(NrMemAccess) NrMemAccesses;
/* Adds the accesses of op and nested ops. False when one of them may do more than access its memref operands and
 * allocate: it calls, prints, fails, or is unknown. */
bool nr_collect_accesses(NrOp *op, NrMemAccesses *out);
/* The same where it does not matter that op ends the run: rt.check, rt.poll and rt.safepoint access nothing. */
bool nr_collect_accesses_of_run(NrOp *op, NrMemAccesses *out);

/* Computes the linear form of index d of an access with indices; false when it is not linear. */
bool nr_access_index(const NrMemAccess *access, uint32_t d, NrLinear *out);

/* The memref that this one is a view of; NULL when it is no view. */
NrValue *nr_memref_source(const NrValue *memref);
/* The memref at the end of the chain of views. */
NrValue *nr_memref_root(NrValue *memref);
/* Whether two memrefs may share an element. Allocations do not alias each other, globals or function arguments;
 * arguments do not alias only when one is marked llvm.noalias or noria.noalias. */
bool nr_may_alias(NrValue *a, NrValue *b);

/* ---- conflicts --------------------------------------------------------------------------------------------------- */

/* b runs in an iteration of iv_b's loop that is between min and max iterations after the one of iv_a's loop that a runs
 * in; -NR_FAR and NR_FAR are no limits. Mostly iv_a == iv_b; else their loops must have equal ranges. */
typedef struct NrDistance {
  NrValue *iv_a, *iv_b;
  int64_t min, max;
} NrDistance;
/* Whether a and b, at least one of which writes, may touch one element at these distances. Loops around all listed ones
 * are in the same iteration for a and b; other loops that are not listed may be in any. */
bool nr_may_conflict(const NrMemAccess *a, const NrMemAccess *b, const NrDistance *distances, size_t count);

/* Maximum number of accesses that are compared pairwise. */
enum { NR_MAX_COMPARED = 256 };

/* Whether no iteration of iv's loop touches what another one writes, in the same iteration of the outer loops. list
 * holds the accesses of the loop. */
bool nr_iterations_independent(const NrMemAccesses *list, NrValue *iv);

#endif
