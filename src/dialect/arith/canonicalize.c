/* canonicalize.c - rewrites of arith ops that create new ops: they combine the constants of a chain into one and move
 * the constant of a comparison to the right.
 *
 *   before  %1 = arith.addi %x, %c3      after  %2 = arith.addi %x, %c7
 *           %2 = arith.addi %1, %c4
 *
 * Integers wrap, so these rewrites hold at every width; the overflow flags of the merged ops are dropped. */
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

/* Whether the value is an integer constant or a splat of one; *out is the integer. */
static bool int_constant(const NrValue *value, NrWide *out) {
  NrAttr scalar = nr_splat_scalar(nr_value_constant(value));
  return scalar && nr_wide_from_attr(scalar, out);
}

/* Replaces op by `x op_id c`, or `c op_id x` with constant_first. */
static bool replace_by(NrOp *op, NrBuilder *b, unsigned op_id, NrValue *x, const NrWide *c, bool constant_first) {
  NrType type = nr_op_result(op)->type;
  NrAttr value = nr_splat_attr(type, nr_wide_to_attr(nr_type_elem(type), c));
  if (!value) return false;
  NrValue *k = nr_arith_constant(b, value);
  NrValue *result = nr_arith_binary(b, op_id, constant_first ? k : x, constant_first ? x : k);
  return nr_op_replace(op, result);
}

/* A sum or difference of a value x and a constant c: x + c, or -x + c when negated. */
typedef struct Linear {
  NrValue *x;
  NrWide c;
  bool negated;
} Linear;

static bool match_linear(NrOp *op, Linear *out) {
  NrWide c;
  if (nr_op_is(op, NR_OP_arith_addi)) {
    for (size_t i = 0; i < 2; i++)
      if (int_constant(nr_operand(op, i), &c)) return *out = (Linear){nr_operand(op, 1 - i), c, false}, true;
  } else if (nr_op_is(op, NR_OP_arith_subi)) {
    if (int_constant(nr_arith_subi_rhs(op), &c))
      return *out = (Linear){nr_arith_subi_lhs(op), nr_wide_neg(&c), false}, true;
    if (int_constant(nr_arith_subi_lhs(op), &c)) return *out = (Linear){nr_arith_subi_rhs(op), c, true}, true;
  }
  return false;
}

static bool merge_linear(NrOp *op, NrBuilder *b) {
  Linear outer, inner;
  if (!match_linear(op, &outer) || !match_linear(outer.x->op, &inner)) return false;
  NrWide c = outer.negated ? nr_wide_sub(&outer.c, &inner.c) : nr_wide_add(&outer.c, &inner.c);
  if (outer.negated != inner.negated) return replace_by(op, b, NR_OP_arith_subi, inner.x, &c, true);
  return replace_by(op, b, NR_OP_arith_addi, inner.x, &c, false);
}

bool nr_arith_canon_addi(NrOp *op, NrBuilder *b) { return merge_linear(op, b); }

/* Rewrites (x - y) - x to 0 - y. */
static bool negate_rest(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_arith_subi_lhs(op)->op;
  if (!nr_op_is(first, NR_OP_arith_subi) || nr_arith_subi_lhs(first) != nr_arith_subi_rhs(op)) return false;
  NrAttr zero = nr_splat_int(nr_op_result(op)->type, 0);
  if (!zero) return false;
  NrValue *rest = nr_arith_binary(b, NR_OP_arith_subi, nr_arith_constant(b, zero), nr_arith_subi_rhs(first));
  return nr_op_replace(op, rest);
}

bool nr_arith_canon_subi(NrOp *op, NrBuilder *b) { return merge_linear(op, b) || negate_rest(op, b); }

bool nr_arith_canon_muli(NrOp *op, NrBuilder *b) {
  NrWide outer, inner;
  NrOp *first = nr_arith_muli_lhs(op)->op;
  if (!int_constant(nr_arith_muli_rhs(op), &outer) || !nr_op_is(first, NR_OP_arith_muli)) return false;
  if (!int_constant(nr_arith_muli_rhs(first), &inner)) return false;
  NrWide c = nr_wide_mul(&outer, &inner);
  return replace_by(op, b, NR_OP_arith_muli, nr_arith_muli_lhs(first), &c, false);
}

/* Rewrites (-x) * (-y) to x * y, and (-x) / (-y) to x / y. */
bool nr_arith_canon_negated(NrOp *op, NrBuilder *b) {
  (void)b;
  NrOp *lhs = nr_op_lhs(op)->op, *rhs = nr_op_rhs(op)->op;
  if (!nr_op_is(lhs, NR_OP_arith_negf) || !nr_op_is(rhs, NR_OP_arith_negf)) return false;
  nr_op_set_operand(op, nr_op_lhs_index(op), nr_arith_negf_operand(lhs));
  nr_op_set_operand(op, nr_op_rhs_index(op), nr_arith_negf_operand(rhs));
  return true;
}

/* Rewrites not (a < b) to a >= b. */
bool nr_arith_canon_xori(NrOp *op, NrBuilder *b) {
  if (nr_arith_canon_bits(op, b)) return true;
  NrOp *compare = nr_arith_xori_lhs(op)->op;
  if (!nr_op_is(compare, NR_OP_arith_cmpi) || !nr_const_is_int(nr_value_constant(nr_arith_xori_rhs(op)), 1))
    return false;
  NrCmpI predicate = nr_cmpi_negated(nr_cmpi_of(compare));
  return nr_op_replace(op, nr_arith_cmpi(b, predicate, nr_arith_cmpi_lhs(compare), nr_arith_cmpi_rhs(compare)));
}

/* Whether a value has a bit that is always set. */
static bool has_set_bit(const NrValue *value) {
  int64_t bits;
  return nr_op_is(value->op, NR_OP_arith_ori) && nr_type_is_scalar(value->type) &&
         nr_value_constant_int(nr_arith_ori_rhs(value->op), &bits) && bits;
}

bool nr_arith_canon_cmpi(NrOp *op, NrBuilder *b) {
  NrValue *lhs = nr_arith_cmpi_lhs(op), *rhs = nr_arith_cmpi_rhs(op);
  bool is_eq = nr_cmpi_of(op) == NR_CMPI_EQ, is_ne = nr_cmpi_of(op) == NR_CMPI_NE;
  if ((is_eq || is_ne) && has_set_bit(lhs) && nr_const_is_int(nr_value_constant(rhs), 0))
    return nr_op_replace(op, nr_arith_constant_int(b, nr_op_result(op)->type, is_ne));
  if (!nr_value_constant(lhs) || nr_value_constant(rhs)) return nr_arith_canon_cmpi_widened(op, b);
  NrCmpI predicate = nr_cmpi_swapped(nr_cmpi_of(op));
  nr_op_set_operand(op, NR_ARITH_CMPI_LHS, rhs);
  nr_op_set_operand(op, NR_ARITH_CMPI_RHS, lhs);
  nr_op_set_attr(op, NR_A_predicate, nr_attr_i64(b->ctx, predicate));
  return true;
}

/* Replaces an op whose high result is unused by the op that computes only the low bits. */
bool nr_arith_canon_extended(NrOp *op, NrBuilder *b) {
  /* the indices are equal for all three ops */
  enum { LOW = NR_ARITH_MULSI_EXTENDED_LOW, HIGH = NR_ARITH_MULSI_EXTENDED_HIGH };
  if (nr_value_has_uses(nr_result(op, HIGH))) return false;
  unsigned id = nr_op_is(op, NR_OP_arith_addui_extended) ? NR_OP_arith_addi : NR_OP_arith_muli;
  nr_value_replace_uses(nr_result(op, LOW), nr_arith_binary(b, id, nr_op_lhs(op), nr_op_rhs(op)));
  nr_op_erase(op);
  return true;
}
