/* canonicalize_cast.c - rewrites of extensions, truncations and selects.
 *
 *   before  %1 = arith.extsi %x : i8 to i16           after  %2 = arith.extsi %x : i8 to i32
 *           %2 = arith.extsi %1 : i16 to i32
 *
 *   before  %1 = arith.select %c, %c1, %c0 : i32      after  %1 = arith.extui %c : i1 to i32
 */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

static NrValue *cast(NrBuilder *b, unsigned id, NrValue *value, NrType type) {
  return nr_build_value(b, id, type, &value, 1);
}

/* ---- extension and truncation ------------------------------------------------------------------------------------ */

/* Merges two extensions into one. After extui the sign bit is 0, so extsi of extui is one extui. */
bool nr_arith_canon_ext(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_op_in(op)->op;
  bool zeros = nr_op_is(first, NR_OP_arith_extui);
  if (!zeros && !(nr_op_is(first, NR_OP_arith_extsi) && nr_op_is(op, NR_OP_arith_extsi))) return false;
  return nr_op_replace(op, cast(b, first->info->id, nr_op_in(first), nr_op_result(op)->type));
}

/* Rewrites the truncation of an extended or truncated value to one extension or truncation of the original value, or to
 * the value itself when the widths are equal. */
bool nr_arith_canon_trunci(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_arith_trunci_in(op)->op;
  bool widened = nr_op_is(first, NR_OP_arith_extui) || nr_op_is(first, NR_OP_arith_extsi);
  if (!widened && !nr_op_is(first, NR_OP_arith_trunci)) return false;
  NrValue *value = nr_op_in(first);
  NrType type = nr_op_result(op)->type;
  uint32_t from = nr_type_bits(nr_type_elem(value->type)), to = nr_type_bits(nr_type_elem(type));
  if (from == to) return nr_op_replace(op, value);
  return nr_op_replace(op, cast(b, to > from ? first->info->id : NR_OP_arith_trunci, value, type));
}

/* Whether both operands are extended by the same op from the same type. */
static bool both_widened(const NrOp *op) {
  const NrOp *lhs = nr_op_lhs(op)->op, *rhs = nr_op_rhs(op)->op;
  if (!nr_op_is(lhs, NR_OP_arith_extui) && !nr_op_is(lhs, NR_OP_arith_extsi)) return false;
  return nr_op_is(rhs, lhs->info->id) && nr_op_in(lhs)->type == nr_op_in(rhs)->type;
}

/* Rewrites and, or and xor of two extended values to the extension of the narrow op. */
bool nr_arith_canon_bits(NrOp *op, NrBuilder *b) {
  if (!both_widened(op)) return false;
  NrOp *lhs = nr_op_lhs(op)->op, *rhs = nr_op_rhs(op)->op;
  NrValue *narrow = nr_arith_binary(b, op->info->id, nr_op_in(lhs), nr_op_in(rhs));
  return nr_op_replace(op, cast(b, lhs->info->id, narrow, nr_op_result(op)->type));
}

/* Merges an extension into a following cast to index with the same signedness. */
bool nr_arith_canon_index_cast(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_op_in(op)->op;
  unsigned widens = nr_op_is(op, NR_OP_arith_index_cast) ? NR_OP_arith_extsi : NR_OP_arith_extui;
  NrType type = nr_op_result(op)->type;
  if (!nr_op_is(first, widens) || !nr_type_is_index(nr_type_elem(type))) return false;
  if (nr_type_bits(nr_type_elem(nr_op_in(op)->type)) > nr_type_bits(nr_type_elem(type))) return false;
  return nr_op_replace(op, cast(b, op->info->id, nr_op_in(first), type));
}

/* Compares two values before their extension. After extui the sign bits are 0, so the narrow comparison is unsigned;
 * extsi preserves both the signed and the unsigned order. */
static bool compare_narrow(NrOp *op, NrBuilder *b, NrCmpI predicate) {
  if (!both_widened(op)) return false;
  NrOp *lhs = nr_op_lhs(op)->op, *rhs = nr_op_rhs(op)->op;
  NrCmpI narrow = nr_op_is(lhs, NR_OP_arith_extui) ? nr_cmpi_unsigned(predicate) : predicate;
  return nr_op_replace(op, nr_arith_cmpi(b, narrow, nr_op_in(lhs), nr_op_in(rhs)));
}

/* Narrows comparisons of two extended values, and equality of an extended value with a constant that fits the narrow
 * type. */
bool nr_arith_canon_cmpi_widened(NrOp *op, NrBuilder *b) {
  NrCmpI predicate = nr_cmpi_of(op);
  NrOp *first = nr_op_lhs(op)->op;
  if (compare_narrow(op, b, predicate)) return true;
  bool is_signed = nr_op_is(first, NR_OP_arith_extsi);
  if (predicate > NR_CMPI_NE || (!is_signed && !nr_op_is(first, NR_OP_arith_extui))) return false;
  NrValue *value = nr_op_in(first);
  NrAttr constant = nr_splat_scalar(nr_value_constant(nr_op_rhs(op)));
  uint32_t bits = nr_type_bits(nr_type_elem(value->type));
  int64_t number;
  if (!constant || !nr_attr_is_int(constant, &number) || bits >= 63) return false;
  int64_t min = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
  if (number < min || number >= min + (INT64_C(1) << bits)) return false;
  NrAttr narrow = nr_splat_int(value->type, number);
  if (!narrow) return false;
  return nr_op_replace(op, nr_arith_cmpi(b, predicate, value, nr_arith_constant(b, narrow)));
}

/* Merges an extf into a following truncf to a narrower type than the original. extf is exact, so the value is rounded
 * once either way. */
bool nr_arith_canon_truncf(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_arith_truncf_in(op)->op;
  (void)b;
  if (!nr_op_is(first, NR_OP_arith_extf)) return false;
  NrType from = nr_arith_extf_in(first)->type, to = nr_op_result(op)->type;
  if (nr_type_bits(nr_type_elem(to)) >= nr_type_bits(nr_type_elem(from))) return false;
  nr_op_set_operand(op, NR_ARITH_TRUNCF_IN, nr_arith_extf_in(first));
  return true;
}

/* ---- select ------------------------------------------------------------------------------------------------------ */

/* The operand that a nested select with the same condition yields for this side, or NULL. */
static NrValue *nested_choice(const NrOp *op, size_t side) {
  NrOp *inner = nr_operand(op, NR_ARITH_SELECT_TRUE_VALUE + side)->op;
  return nr_op_is(inner, NR_OP_arith_select) && nr_arith_select_condition(inner) == nr_arith_select_condition(op)
             ? nr_operand(inner, NR_ARITH_SELECT_TRUE_VALUE + side)
             : NULL;
}

bool nr_arith_canon_select(NrOp *op, NrBuilder *b) {
  NrValue *condition = nr_arith_select_condition(op);
  NrType type = nr_op_result(op)->type;
  NrOp *negation = condition->op;
  if (nr_op_is(negation, NR_OP_arith_xori) && nr_const_is_int(nr_value_constant(nr_arith_xori_rhs(negation)), 1)) {
    NrValue *if_true = nr_arith_select_true_value(op), *if_false = nr_arith_select_false_value(op);
    nr_op_set_operand(op, NR_ARITH_SELECT_CONDITION, nr_arith_xori_lhs(negation));
    nr_op_set_operand(op, NR_ARITH_SELECT_TRUE_VALUE, if_false);
    nr_op_set_operand(op, NR_ARITH_SELECT_FALSE_VALUE, if_true);
    return true;
  }
  for (size_t side = 0; side < 2; side++) {
    NrValue *value = nested_choice(op, side);
    if (!value) continue;
    nr_op_set_operand(op, NR_ARITH_SELECT_TRUE_VALUE + side, value);
    return true;
  }
  NrAttr yes = nr_value_constant(nr_arith_select_true_value(op)),
         no = nr_value_constant(nr_arith_select_false_value(op));
  if (!yes || !no || !nr_type_is_int(type) || !nr_type_is_int_width(condition->type, 1)) return false;
  if (nr_type_is_int_width(type, 1)) {
    if (!nr_const_is_int(yes, 0) || !nr_const_is_int(no, 1)) return false;
    return nr_op_replace(op, nr_arith_binary(b, NR_OP_arith_xori, condition, nr_arith_select_false_value(op)));
  }
  if (!nr_const_is_int(no, 0)) return false;
  if (nr_const_is_int(yes, 1)) return nr_op_replace(op, cast(b, NR_OP_arith_extui, condition, type));
  return nr_const_is_int(yes, -1) && nr_op_replace(op, cast(b, NR_OP_arith_extsi, condition, type));
}
