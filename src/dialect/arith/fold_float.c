/* fold_float.c - folds of arith's float ops, rounded as IEEE 754 requires: to nearest, ties to even.
 *
 * f32 and f64 fold in their own precision. f16, bf16 and tf32 fold in double, which has more than twice their digits,
 * so that rounding twice gives the same result as rounding once (Figueroa 1995). Other formats (8 bits and fewer, f80,
 * f128) are not folded: their overflow depends on the target. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

#include <math.h>

static bool is_foldable(NrType type) {
  if (!nr_type_is_float(type)) return false;
  switch (type->float_kind) {
  case NR_F16:
  case NR_BF16:
  case NR_TF32:
  case NR_F32:
  case NR_F64: return true;
  default: return false;
  }
}

bool nr_float_foldable(NrAttr attr) { return attr && attr->kind == NR_ATTR_FLOAT && is_foldable(attr->type); }

bool nr_fold_floats(NrOp *op, const NrAttr *constants, NrFold *out) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (!is_foldable(nr_type_elem(nr_operand(op, i)->type))) return false;
  return is_foldable(nr_type_elem(nr_op_result(op)->type)) && nr_fold_elementwise(op, constants, out, nr_fold_scalar);
}

bool nr_arith_fold_negf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrOp *inner = nr_arith_negf_operand(op)->op;
  if (nr_op_is(inner, NR_OP_arith_negf)) return nr_fold_to_value(out, nr_arith_negf_operand(inner));
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_addf(NrOp *op, const NrAttr *c, NrFold *out) {
  /* x + -0.0 = x for all x. x + 0.0 = x except for x = -0.0, which nsz allows. */
  bool nsz = nr_arith_fastmath_has(op, "nsz");
  for (size_t i = 0; i < 2; i++)
    if (nr_const_is_float(c[i], -0.0) || (nsz && nr_const_is_float(c[i], 0.0)))
      return nr_fold_to_value(out, nr_operand(op, 1 - i));
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_subf(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_float(c[1], 0.0) || (nr_arith_fastmath_has(op, "nsz") && nr_const_is_float(c[1], -0.0)))
    return nr_fold_to_value(out, nr_arith_subf_lhs(op));
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_mulf(NrOp *op, const NrAttr *c, NrFold *out) {
  for (size_t i = 0; i < 2; i++)
    if (nr_const_is_float(c[i], 1.0)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_divf(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_float(c[1], 1.0)) return nr_fold_to_value(out, nr_arith_divf_lhs(op));
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_remf(NrOp *op, const NrAttr *c, NrFold *out) { return nr_fold_floats(op, c, out); }

/* Folds min and max. neutral: the infinity that never decides the result; nan_wins: a NaN operand makes the result
 * NaN. */
static bool fold_min_max(NrOp *op, const NrAttr *c, NrFold *out, double neutral, bool nan_wins) {
  if (nr_op_lhs(op) == nr_op_rhs(op)) return nr_fold_to_value(out, nr_op_lhs(op));
  for (size_t i = 0; i < 2; i++) {
    if (nan_wins && nr_const_is_float(c[i], neutral)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
    if (!nr_const_is_nan(c[i])) continue;
    return nan_wins ? nr_fold_to_attr(out, c[i]) : nr_fold_to_value(out, nr_operand(op, 1 - i));
  }
  return nr_fold_floats(op, c, out);
}

bool nr_arith_fold_maximumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, -(double)INFINITY, true);
}
bool nr_arith_fold_minimumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, (double)INFINITY, true);
}
bool nr_arith_fold_maxnumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, -(double)INFINITY, false);
}
bool nr_arith_fold_minnumf(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, (double)INFINITY, false);
}

bool nr_arith_fold_cmpf(NrOp *op, const NrAttr *c, NrFold *out) {
  NrCmpF predicate = nr_cmpf_of(op);
  NrType type = nr_op_result(op)->type;
  if (predicate == NR_CMPF_FALSE || predicate == NR_CMPF_TRUE)
    return nr_fold_to_attr(out, nr_splat_int(type, predicate == NR_CMPF_TRUE));
  if (nr_const_is_nan(c[0]) || nr_const_is_nan(c[1]))
    return nr_fold_to_attr(out, nr_splat_int(type, nr_cmpf_allows(predicate, NR_UNORDERED)));
  return is_foldable(nr_type_elem(nr_arith_cmpf_lhs(op)->type)) && nr_fold_elementwise(op, c, out, nr_fold_scalar);
}
