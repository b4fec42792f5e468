/* fold.h - helpers for the fold hooks of element-wise ops. */
#ifndef NORIA_DIALECT_ARITH_FOLD_H
#define NORIA_DIALECT_ARITH_FOLD_H

#include "dialect/arith/compare.h"
#include "ir/op_info.h"

/* Evaluates the op on scalars in[0..num_operands). NULL where the result is undefined or inexact. */
typedef NrAttr (*NrScalarFold)(const NrOp *op, NrType out, const NrAttr *in);

/* An NrScalarFold that uses nr_eval, for scalars of at most 64 bits. */
NrAttr nr_fold_scalar(const NrOp *op, NrType out, const NrAttr *in);

/* Folds an op with one result when all operands are constant: scalars, splats, and dense constants of up to
 * NR_FOLD_MAX_ELEMENTS elements (folding more would move tensor work into the compiler). fn evaluates each element;
 * nr_fold_scalar has a fast path. */
enum { NR_FOLD_MAX_ELEMENTS = 4096 };
bool nr_fold_elementwise(const NrOp *op, const NrAttr *constants, NrFold *out, NrScalarFold fn);
/* The same for one result of an op with several. */
NrAttr nr_fold_elementwise_attr(const NrOp *op, const NrAttr *constants, NrType result, NrScalarFold fn);

/* The scalar itself, or the element of a splat; NULL for other attributes. */
NrAttr nr_splat_scalar(NrAttr constant);
/* A constant of a scalar, vector or static tensor type with all elements equal to scalar; NULL for other types. */
NrAttr nr_splat_attr(NrType type, NrAttr scalar);
/* An integer or index constant, or a splat of it; NULL when type has no such constant. */
NrAttr nr_splat_int(NrType type, int64_t value);
/* A zero constant of a number type, or of a static vector or tensor of one; NULL for other types. */
NrAttr nr_zero_attr(NrType type);

bool nr_const_is_int(NrAttr constant, int64_t value); /* scalar or splat; value wraps at the type's width */
bool nr_const_is_float(NrAttr constant, double value); /* equal, and of the same sign if zero */
bool nr_const_is_nan(NrAttr constant);

/* ---- folding builders -------------------------------------------------------------------------------------------- */

/* Folds a new op with one result and at most three operands. Returns the value that it folds to, and erases the op; or
 * its result when it does not fold. */
NrValue *nr_build_folded(NrBuilder *b, NrOp *op);
/* an arith op; the result has lhs's type */
NrValue *nr_fold_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs);
NrValue *nr_fold_cmpi(NrBuilder *b, NrCmpI predicate, NrValue *lhs, NrValue *rhs);
NrValue *nr_fold_select(NrBuilder *b, NrValue *condition, NrValue *if_true, NrValue *if_false);

static inline bool nr_fold_to_value(NrFold *out, NrValue *value) {
  *out = (NrFold){.value = value};
  return true;
}
static inline bool nr_fold_to_attr(NrFold *out, NrAttr attr) {
  *out = (NrFold){.attr = attr};
  return attr != NULL;
}

#endif
