/* combine.h - the ops that can combine the values of a reduction: their names as kinds of other ops, and their neutral
 * elements. */
#ifndef NORIA_DIALECT_ARITH_COMBINE_H
#define NORIA_DIALECT_ARITH_COMBINE_H

#include "ir/ir.h"

typedef enum NrNeutral {
  NR_NEUTRAL_NONE,
  NR_NEUTRAL_ZERO, /* for floats -0.0: adding 0.0 would turn -0.0 into 0.0 */
  NR_NEUTRAL_ONE,
  NR_NEUTRAL_ONES,    /* all bits set */
  NR_NEUTRAL_LOWEST,  /* the lowest signed value of the type; -infinity for floats that have it */
  NR_NEUTRAL_HIGHEST, /* the highest, likewise */
  /* NaN, which minnumf and maxnumf ignore; with an infinity, a reduction of NaNs would give the infinity. In types
   * without NaN the same as LOWEST and HIGHEST. */
  NR_NEUTRAL_NAN_OR_LOWEST,
  NR_NEUTRAL_NAN_OR_HIGHEST,
} NrNeutral;

typedef struct NrCombine {
  const char *atomic; /* name as a kind of memref.atomic_rmw and affine.parallel */
  const char *vector; /* name as a kind of vector.reduction; an integer and a float op may share it */
  unsigned op_id;     /* the arith op; 0 for assign, which gives the second value and is no reduction */
  bool is_float;
  NrNeutral neutral;
} NrCombine;

/* An entry's index is MLIR's number of its atomic kind. */
enum { NR_NUM_COMBINES = 16 };
extern const NrCombine nr_combines[NR_NUM_COMBINES];

/* NULL when the op is not in the table. */
const NrCombine *nr_combine_of_op(unsigned op_id);
/* NULL for an unknown number and for assign. */
const NrCombine *nr_combine_of_atomic(int64_t kind);
static inline int64_t nr_combine_atomic_kind(const NrCombine *combine) { return combine - nr_combines; }
/* NULL for an unknown name, and for one without an op for this kind of element. */
const NrCombine *nr_combine_of_vector(NrStr kind, bool is_float);

/* The constant x such that combining x with any v of the type gives v. The type is a number type, or a static vector or
 * tensor of one. NULL when there is none. */
NrAttr nr_combine_neutral(const NrCombine *combine, NrType type);
/* The neutral element of op, in its result's type. NULL where op is NULL or not in the table. */
NrAttr nr_combine_neutral_of(const NrOp *op);

#endif
