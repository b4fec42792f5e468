/* dependence.h - which memory ops of loop nests may touch the same element, and how many iterations apart.
 *
 *   NrMemAccesses list = {0};
 *   bool known = nr_collect_accesses(loop, &list);   false: something in it does what is not understood
 *   ...
 *   NrDistance d = {.iv_a = iv, .iv_b = iv, .min = 1, .max = NR_FAR};
 *   nr_may_conflict(&list.data[i], &list.data[j], &d, 1)   may i touch what j touches in a later iteration?
 *
 * Loops of scf and affine, accesses of memref, affine and vector, through subviews, casts and reshapes. Indices are
 * taken as sums of induction variables, values that do not change, numbers of rows times the length of a row, and what
 * is left when sums are divided by constants; distances and positions that solve "both indices are equal" are narrowed
 * from all dims together. The answer "no" is sure, with what the language promises: indices are in bounds, and views
 * lie in what they are views of. Whatever is not understood may conflict. Arithmetic on index wraps, so a factor that
 * could carry an index once around (a loop of more than 2^44 iterations apart) is not believed. */
#ifndef NORIA_PASS_ANALYSIS_DEPENDENCE_H
#define NORIA_PASS_ANALYSIS_DEPENDENCE_H

#include "ir/op_info.h"
#include "pass/analysis/integer_constraints.h"

/* ---- loops by their induction variable --------------------------------------------------------------------------- */

/* The range of an induction variable of scf.for or scf.parallel; those of affine loops: affine.h. */
typedef struct NrLoopRange {
  NrValue *lower, *upper, *step;
  bool is_unsigned;
} NrLoopRange;
bool nr_loop_range(const NrValue *iv, NrLoopRange *out); /* false: iv is no such variable */
/* The number of iterations when it is known and fits. */
bool nr_loop_range_trips(const NrLoopRange *range, uint64_t *out);

/* ---- index values as sums ---------------------------------------------------------------------------------------- */

enum { NR_LINEAR_TERMS = 12 };
typedef struct NrLinearTerm {
  NrValue *value;
  int64_t factor;
} NrLinearTerm;
/* constant + the sum of factor * value, as integers of 64 bits that wrap. */
typedef struct NrLinear {
  int64_t constant;
  uint32_t num_terms;
  NrLinearTerm terms[NR_LINEAR_TERMS];
} NrLinear;
/* Of an index or 64-bit value. What is no sum stands for itself, so there is always an answer. */
void nr_linear_of(NrValue *value, NrLinear *out);
/* Of an affine expression over these operands, dims first; false when it is no sum. */
bool nr_linear_of_affine(NrAffineExpr e, NrValue *const *operands, uint32_t num_dims, NrLinear *out);

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

typedef struct NrMemAccess {
  NrOp *op;
  NrValue *memref;
  uint32_t first_index; /* operand number of the first index, or of the map's first input */
  uint32_t num_indices; /* the rank: the element at these indices. 0 with a rank above 0: any elements */
  NrAttr map;           /* what gives the indices in dialect affine, else NULL */
  NrType vector;        /* so many elements from there on, else NULL */
  bool reads, writes;
} NrMemAccess;
typedef NR_VEC(NrMemAccess) NrMemAccesses;
/* Adds the accesses of op and of all ops in it. False when an op among them may do more than touch its memref operands
 * and allocate: call, print, fail, or it is unknown. */
bool nr_collect_accesses(NrOp *op, NrMemAccesses *out);

/* Index d of an access that has indices; false when it is no sum. */
bool nr_access_index(const NrMemAccess *access, uint32_t d, NrLinear *out);

/* The memref that this one is a view of; NULL when it is none. */
NrValue *nr_memref_source(const NrValue *memref);
/* The memref that views lead back to. */
NrValue *nr_memref_root(NrValue *memref);
/* Whether they may have an element in common. Allocations are apart from each other, from globals and from the
 * function's arguments; arguments are apart only when one is marked llvm.noalias or noria.noalias. */
bool nr_may_alias(NrValue *a, NrValue *b);

/* ---- conflicts --------------------------------------------------------------------------------------------------- */

/* b runs in an iteration of iv_b's loop that is between min and max iterations after the one of iv_a's loop that a runs
 * in; -NR_FAR and NR_FAR are no limits. Mostly iv_a == iv_b; else their loops must have equal ranges. */
typedef struct NrDistance {
  NrValue *iv_a, *iv_b;
  int64_t min, max;
} NrDistance;
/* May a and b touch one element, at least one of them writing, at these distances? Loops around all of the listed ones
 * are in the same iteration for a and b, other loops that are not listed in any. */
bool nr_may_conflict(const NrMemAccess *a, const NrMemAccess *b, const NrDistance *distances, size_t count);

/* More accesses than these are not compared with each other. */
enum { NR_MAX_COMPARED = 256 };

/* Any two iterations of iv's loop (in the same iteration of the loops around it) touch nothing that the other writes.
 * list holds the accesses of the loop. */
bool nr_iterations_independent(const NrMemAccesses *list, NrValue *iv);

#endif
