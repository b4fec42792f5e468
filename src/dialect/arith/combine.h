/* combine.h - the ops that reductions combine values with: their names as kinds of other ops, and neutral elements. */
#ifndef NORIA_DIALECT_ARITH_COMBINE_H
#define NORIA_DIALECT_ARITH_COMBINE_H

#include "ir/ir.h"

typedef enum NrNeutral {
  NR_NEUTRAL_NONE,
  NR_NEUTRAL_ZERO, /* of floats -0.0: 0.0 + -0.0 is 0.0, so 0.0 would change a sum of -0.0 */
  NR_NEUTRAL_ONE,
  NR_NEUTRAL_ONES,    /* all bits set */
  NR_NEUTRAL_LOWEST,  /* the lowest value of the type, signed: -infinity where it has that */
  NR_NEUTRAL_HIGHEST, /* the highest, likewise */
  /* A NaN, which minnumf and maxnumf ignore; an infinity would win over NaN. In types without NaN as the two before. */
  NR_NEUTRAL_NAN_OR_LOWEST,
  NR_NEUTRAL_NAN_OR_HIGHEST,
} NrNeutral;

typedef struct NrCombine {
  const char *atomic; /* its name as a kind of memref.atomic_rmw and affine.parallel */
  const char *vector; /* and of vector.reduction; an integer and a float op may share it */
  unsigned op_id;     /* the arith op; 0: assign, which gives the second value and is no reduction */
  bool is_float;
  NrNeutral neutral;
} NrCombine;

/* The rows stand at MLIR's number of their atomic kind. */
enum { NR_NUM_COMBINES = 16 };
extern const NrCombine nr_combines[NR_NUM_COMBINES];

/* NULL when the op is none of them. */
const NrCombine *nr_combine_of_op(unsigned op_id);
/* NULL for an unknown number and for assign. */
const NrCombine *nr_combine_of_atomic(int64_t kind);
static inline int64_t nr_combine_atomic_kind(const NrCombine *combine) { return combine - nr_combines; }
/* NULL for an unknown name, and for one that the kind of element does not have. */
const NrCombine *nr_combine_of_vector(NrStr kind, bool is_float);

/* The constant x for which combining x with any v of the type gives v: of a number type, or of a static vector or
 * tensor of one. NULL when there is none. */
NrAttr nr_combine_neutral(const NrCombine *combine, NrType type);
/* The same of such an op, of its result's type. NULL where op is NULL or another op. */
NrAttr nr_combine_neutral_of(const NrOp *op);

#endif
