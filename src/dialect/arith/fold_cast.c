/* fold_cast.c - folds of arith's casts and of select. A cast with an undefined result (of a float that does not fit the
 * integer type) is not folded. */
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

#include <math.h>

/* Folds an integer extension or truncation of one element. */
static NrAttr resize_scalar(const NrOp *op, NrType out, const NrAttr *in, bool sign) {
  NrWide a;
  uint32_t width = nr_type_bits(out);
  if (width <= 64 && nr_type_bits(in[0]->type) <= 64) return nr_fold_scalar(op, out, in);
  if (!nr_wide_from_attr(in[0], &a) || width == 0 || width > NR_WIDE_MAX) return NULL;
  a = nr_wide_resize(&a, width, sign);
  return nr_wide_to_attr(out, &a);
}

static NrAttr unsigned_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return resize_scalar(op, out, in, false);
}
static NrAttr signed_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return resize_scalar(op, out, in, true);
}

/* The value that two casts restore: the operand of the op `id` that defines op's operand, when it has the type of op's
 * result. NULL otherwise. */
static NrValue *cast_undone_by(const NrOp *op, unsigned id) {
  NrOp *inner = nr_op_in(op)->op;
  if (!nr_op_is(inner, id) || nr_op_in(inner)->type != nr_op_result(op)->type) return NULL;
  return nr_op_in(inner);
}

bool nr_arith_fold_extui(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, unsigned_scalar);
}
bool nr_arith_fold_extsi(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, signed_scalar);
}

bool nr_arith_fold_trunci(NrOp *op, const NrAttr *c, NrFold *out) {
  NrValue *before = cast_undone_by(op, NR_OP_arith_extui);
  if (!before) before = cast_undone_by(op, NR_OP_arith_extsi);
  return before ? nr_fold_to_value(out, before) : nr_fold_elementwise(op, c, out, unsigned_scalar);
}

/* Folds a cast to index and back to the value itself, unless the first cast truncated it. `id` is the op that op
 * undoes. */
static bool fold_index_cast(NrOp *op, const NrAttr *c, NrFold *out, unsigned id, NrScalarFold fn) {
  if (nr_op_in(op)->type == nr_op_result(op)->type) return nr_fold_to_value(out, nr_op_in(op));
  NrValue *before = cast_undone_by(op, id);
  if (before && nr_type_bits(nr_type_elem(before->type)) <= nr_type_bits(nr_type_elem(nr_op_in(op)->type)))
    return nr_fold_to_value(out, before);
  return nr_fold_elementwise(op, c, out, fn);
}

bool nr_arith_fold_index_cast(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_index_cast(op, c, out, NR_OP_arith_index_cast, signed_scalar);
}
bool nr_arith_fold_index_castui(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_index_cast(op, c, out, NR_OP_arith_index_castui, unsigned_scalar);
}

static bool foldable_type(NrType type) {
  if (!nr_type_is_float(type)) return false;
  return nr_float_foldable(nr_attr_float(type, 0.0));
}

bool nr_arith_fold_extf(NrOp *op, const NrAttr *c, NrFold *out) { return nr_fold_floats(op, c, out); }

bool nr_arith_fold_truncf(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_op_attr_int(op, NR_A_roundingmode, 0) != 0) return false;
  NrValue *before = cast_undone_by(op, NR_OP_arith_extf);
  return before ? nr_fold_to_value(out, before) : nr_fold_floats(op, c, out);
}

/* Folds only where the result is rounded at most once: magnitudes of up to 64 bits for f32 and f64, of up to 53 bits
 * for narrower floats. */
static NrAttr int_to_float(const NrOp *op, NrType out, const NrAttr *in, bool sign) {
  NrWide a;
  if (!foldable_type(out) || !nr_wide_from_attr(in[0], &a)) return NULL;
  bool negative = sign && nr_wide_is_negative(&a);
  NrWide magnitude = negative ? nr_wide_neg(&a) : a;
  uint32_t digits = magnitude.width - nr_wide_leading_zeros(&magnitude);
  bool narrow = out->float_kind != NR_F32 && out->float_kind != NR_F64;
  if (digits > (narrow ? 53u : 64u)) return NULL;
  if (a.width <= 64) return nr_fold_scalar(op, out, in);
  double value = out->float_kind == NR_F32 ? (double)(float)magnitude.w[0] : (double)magnitude.w[0];
  return nr_attr_float(out, negative ? -value : value);
}

static NrAttr uitofp_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return int_to_float(op, out, in, false);
}
static NrAttr sitofp_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return int_to_float(op, out, in, true);
}
bool nr_arith_fold_uitofp(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, uitofp_scalar);
}
bool nr_arith_fold_sitofp(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, sitofp_scalar);
}

static NrAttr float_to_int(const NrOp *op, NrType out, NrAttr in, bool sign) {
  uint32_t width = nr_type_bits(out);
  if (width <= 64) return nr_float_foldable(in) ? nr_fold_scalar(op, out, &in) : NULL;
  if (!nr_float_foldable(in) || width > NR_WIDE_MAX) return NULL;
  int exponent;
  /* fraction is in [0.5, 1): the value is fraction * 2^exponent */
  double fraction = frexp(fabs(trunc(in->f)), &exponent);
  if (!isfinite(in->f)) return NULL;
  bool negative = in->f <= -1.0;
  if (negative && !sign) return NULL;
  if (exponent > (int)width + 1 || exponent > NR_WIDE_MAX - 2) return NULL;
  /* Shift the 53 bits of the fraction to their position in an integer wide enough for all of them. */
  uint32_t room = NR_MIN(NR_MAX(width + 2, 64u), (uint32_t)NR_WIDE_MAX);
  NrWide a = nr_wide_from_u64(room, (uint64_t)ldexp(fraction, 53));
  a = exponent >= 53 ? nr_wide_shl(&a, (uint32_t)exponent - 53) : nr_wide_shr(&a, (uint32_t)(53 - exponent), false);
  if (negative) a = nr_wide_neg(&a);
  NrWide r = nr_wide_resize(&a, width, false), back = nr_wide_resize(&r, room, sign);
  return nr_wide_cmp_unsigned(&a, &back) == 0 ? nr_wide_to_attr(out, &r) : NULL;
}

static NrAttr fptoui_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return float_to_int(op, out, in[0], false);
}
static NrAttr fptosi_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return float_to_int(op, out, in[0], true);
}
bool nr_arith_fold_fptoui(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, fptoui_scalar);
}
bool nr_arith_fold_fptosi(NrOp *op, const NrAttr *c, NrFold *out) {
  return nr_fold_elementwise(op, c, out, fptosi_scalar);
}

bool nr_arith_fold_bitcast(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_arith_bitcast_in(op)->type == nr_op_result(op)->type) return nr_fold_to_value(out, nr_arith_bitcast_in(op));
  NrValue *before = cast_undone_by(op, NR_OP_arith_bitcast);
  return before ? nr_fold_to_value(out, before) : nr_fold_elementwise(op, c, out, nr_fold_scalar);
}

static NrAttr select_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  return nr_const_is_int(in[0], 0) ? in[2] : in[1];
}

/* The value of `select (a == b), a, b`, which is b in both cases, or of `select (a != b), a, b`, which is a; NULL for
 * other selects. */
static NrValue *only_value(const NrOp *op) {
  NrOp *compare = nr_arith_select_condition(op)->op;
  NrValue *if_true = nr_arith_select_true_value(op), *if_false = nr_arith_select_false_value(op);
  if (!nr_op_is(compare, NR_OP_arith_cmpi)) return NULL;
  NrValue *a = nr_arith_cmpi_lhs(compare), *b = nr_arith_cmpi_rhs(compare);
  bool both = (a == if_true && b == if_false) || (b == if_true && a == if_false);
  if (!both) return NULL;
  NrCmpI predicate = nr_cmpi_of(compare);
  return predicate == NR_CMPI_EQ ? if_false : predicate == NR_CMPI_NE ? if_true : NULL;
}

bool nr_arith_fold_select(NrOp *op, const NrAttr *c, NrFold *out) {
  NrValue *if_true = nr_arith_select_true_value(op), *if_false = nr_arith_select_false_value(op);
  if (if_true == if_false || nr_const_is_int(c[0], 1)) return nr_fold_to_value(out, if_true);
  if (nr_const_is_int(c[0], 0)) return nr_fold_to_value(out, if_false);
  if (nr_arith_select_condition(op)->type == nr_op_result(op)->type && nr_const_is_int(c[1], 1) &&
      nr_const_is_int(c[2], 0))
    return nr_fold_to_value(out, nr_arith_select_condition(op));
  NrValue *same = only_value(op);
  if (same) return nr_fold_to_value(out, same);
  return nr_fold_elementwise(op, c, out, select_scalar);
}
