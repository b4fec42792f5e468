/* fold.h - functions for the fold hooks of element-wise ops. */
#ifndef NORIA_DIALECT_SHARED_FOLD_H
#define NORIA_DIALECT_SHARED_FOLD_H

#include "dialect/arith/compare.h"
#include "ir/op_info.h"

/* The op on scalars: the result of type out from in[0..num_operands), or NULL where it is not defined or not exact. */
typedef NrAttr (*NrScalarFold)(const NrOp *op, NrType out, const NrAttr *in);

/* The same by nr_eval, of scalars of at most 64 bits. */
NrAttr nr_fold_scalar(const NrOp *op, NrType out, const NrAttr *in);

/* Folds an op with one result by fn, fastest by nr_fold_scalar, when all of its operands are constant: scalars, splats,
 * and dense constants of up to NR_FOLD_MAX_ELEMENTS elements (more would move tensor work into the compiler). */
enum { NR_FOLD_MAX_ELEMENTS = 4096 };
bool nr_fold_elementwise(const NrOp *op, const NrAttr *constants, NrFold *out, NrScalarFold fn);
/* The same for a given result of several. */
NrAttr nr_fold_elementwise_attr(const NrOp *op, const NrAttr *constants, NrType result, NrScalarFold fn);

/* A scalar attribute, or what every element of a splat is; NULL for anything else. */
NrAttr nr_splat_scalar(NrAttr constant);
/* A constant of a scalar, vector or static tensor type whose elements are all `scalar`; NULL for other types. */
NrAttr nr_splat_attr(NrType type, NrAttr scalar);
/* An integer constant (index too, or a splat) of `value`; NULL when type has no such constant. */
NrAttr nr_splat_int(NrType type, int64_t value);
/* 0 as a constant of a number type, or of a static vector or tensor of one; NULL for other types. */
NrAttr nr_zero_attr(NrType type);

bool nr_const_is_int(NrAttr constant, int64_t value); /* scalar or splat; value as the type wraps it */
bool nr_const_is_float(NrAttr constant, double value); /* equal, and of the same sign when zero */
bool nr_const_is_nan(NrAttr constant);

/* ---- ops that fold as they are built ---- */

/* The value of a new op of one result and at most three operands; or the one that it folds to, with the op erased. */
NrValue *nr_build_folded(NrBuilder *b, NrOp *op);
NrValue *nr_fold_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs); /* an op of arith, of lhs's type */
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
