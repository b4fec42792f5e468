/* fold_int.c - folds of arith's integer ops. Results wrap at the width of the type; an undefined result (division by
 * zero, a quotient or shift out of range) is never folded. */
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

static bool wide_pair(const NrAttr *in, NrWide *a, NrWide *b) {
  return nr_wide_from_attr(in[0], a) && nr_wide_from_attr(in[1], b) && a->width == b->width;
}

static NrWide quotient(const NrWide *a, const NrWide *b, bool sign) {
  NrWide q, r;
  (sign ? nr_wide_divrem_signed : nr_wide_divrem_unsigned)(a, b, &q, &r);
  return q;
}

static NrWide remainder_of(const NrWide *a, const NrWide *b, bool sign) {
  NrWide q, r;
  (sign ? nr_wide_divrem_signed : nr_wide_divrem_unsigned)(a, b, &q, &r);
  return r;
}

/* The signed quotient rounded up, or down: division truncates toward zero, so an inexact one may be off by one. */
static NrWide quotient_rounded(const NrWide *a, const NrWide *b, bool up) {
  NrWide q, r, one = nr_wide_from_u64(a->width, 1);
  nr_wide_divrem_signed(a, b, &q, &r);
  if (nr_wide_is_zero(&r)) return q;
  bool negative = nr_wide_is_negative(a) != nr_wide_is_negative(b);
  if (up && !negative) return nr_wide_add(&q, &one);
  if (!up && negative) return nr_wide_sub(&q, &one);
  return q;
}

static NrWide quotient_up_unsigned(const NrWide *a, const NrWide *b) {
  NrWide q, r, one = nr_wide_from_u64(a->width, 1);
  nr_wide_divrem_unsigned(a, b, &q, &r);
  return nr_wide_is_zero(&r) ? q : nr_wide_add(&q, &one);
}

static bool overflows(const NrWide *a, const NrWide *b) { return nr_wide_is_min_signed(a) && nr_wide_is_ones(b); }
static bool bad_shift(const NrWide *b) {
  NrWide width = nr_wide_from_u64(64, b->width), count = nr_wide_resize(b, NR_MAX(b->width, 64u), false);
  width = nr_wide_resize(&width, count.width, false);
  return nr_wide_cmp_unsigned(&count, &width) >= 0;
}
static NrWide pick(bool first, const NrWide *a, const NrWide *b) { return first ? *a : *b; }

/* Computes *r; false where the result is undefined. */
static bool wide_binary(unsigned id, const NrWide *a, const NrWide *b, NrWide *r) {
  switch (id) {
  case NR_OP_arith_addi: *r = nr_wide_add(a, b); return true;
  case NR_OP_arith_subi: *r = nr_wide_sub(a, b); return true;
  case NR_OP_arith_muli: *r = nr_wide_mul(a, b); return true;
  case NR_OP_arith_andi: *r = nr_wide_and(a, b); return true;
  case NR_OP_arith_ori: *r = nr_wide_or(a, b); return true;
  case NR_OP_arith_xori: *r = nr_wide_xor(a, b); return true;
  case NR_OP_arith_maxsi: *r = pick(nr_wide_cmp_signed(a, b) >= 0, a, b); return true;
  case NR_OP_arith_minsi: *r = pick(nr_wide_cmp_signed(a, b) <= 0, a, b); return true;
  case NR_OP_arith_maxui: *r = pick(nr_wide_cmp_unsigned(a, b) >= 0, a, b); return true;
  case NR_OP_arith_minui: *r = pick(nr_wide_cmp_unsigned(a, b) <= 0, a, b); return true;
  case NR_OP_arith_shli:
  case NR_OP_arith_shrui:
  case NR_OP_arith_shrsi:
    if (bad_shift(b)) return false;
    *r = id == NR_OP_arith_shli ? nr_wide_shl(a, (uint32_t)b->w[0])
                                : nr_wide_shr(a, (uint32_t)b->w[0], id == NR_OP_arith_shrsi);
    return true;
  default: break;
  }
  if (nr_wide_is_zero(b)) return false;
  switch (id) {
  case NR_OP_arith_divui: *r = quotient(a, b, false); return true;
  case NR_OP_arith_remui: *r = remainder_of(a, b, false); return true;
  case NR_OP_arith_remsi: *r = remainder_of(a, b, true); return true;
  case NR_OP_arith_ceildivui: *r = quotient_up_unsigned(a, b); return true;
  default: break;
  }
  if (overflows(a, b)) return false;
  switch (id) {
  case NR_OP_arith_divsi: *r = quotient(a, b, true); return true;
  case NR_OP_arith_ceildivsi: *r = quotient_rounded(a, b, true); return true;
  case NR_OP_arith_floordivsi: *r = quotient_rounded(a, b, false); return true;
  default: return false;
  }
}

static NrAttr wide_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  NrWide a, b, r;
  return wide_pair(in, &a, &b) && wide_binary(op->info->id, &a, &b, &r) ? nr_wide_to_attr(out, &r) : NULL;
}

static bool fold_binary(const NrOp *op, const NrAttr *c, NrFold *out) {
  bool small = nr_type_bits(nr_type_elem(nr_op_lhs(op)->type)) <= 64;
  return nr_fold_elementwise(op, c, out, small ? nr_fold_scalar : wide_scalar);
}

/* Defines NAME_scalar, which folds one result of an op with two results: r = EXPR of a and b, unless UNDEFINED. */
#define SCALAR(NAME, UNDEFINED, EXPR)                                                                                  \
  static NrAttr NAME##_scalar(const NrOp *op, NrType out, const NrAttr *in) {                                          \
    NrWide a, b;                                                                                                       \
    if (!wide_pair(in, &a, &b) || (UNDEFINED)) return NULL;                                                            \
    NrWide r = (EXPR);                                                                                                 \
    return nr_wide_to_attr(out, &r);                                                                                   \
  }

SCALAR(addi, false, nr_wide_add(&a, &b))
SCALAR(muli, false, nr_wide_mul(&a, &b))

static NrWide high_half(const NrWide *a, const NrWide *b, bool sign) {
  NrWide x = nr_wide_resize(a, 2 * a->width, sign), y = nr_wide_resize(b, 2 * b->width, sign);
  NrWide product = nr_wide_mul(&x, &y);
  product = nr_wide_shr(&product, a->width, false);
  return nr_wide_resize(&product, a->width, false);
}
SCALAR(high_signed, 2 * a.width > NR_WIDE_MAX, high_half(&a, &b, true))
SCALAR(high_unsigned, 2 * a.width > NR_WIDE_MAX, high_half(&a, &b, false))

static NrAttr carry_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  NrWide a, b;
  if (!wide_pair(in, &a, &b)) return NULL;
  NrWide sum = nr_wide_add(&a, &b);
  return nr_attr_int(out, nr_wide_cmp_unsigned(&sum, &a) < 0);
}

static bool same_operands(const NrOp *op) { return nr_op_lhs(op) == nr_op_rhs(op); }

/* Folds to `value` as a constant, or splat, of the result's type. */
static bool fold_to_int(NrOp *op, NrFold *out, int64_t value) {
  return nr_fold_to_attr(out, nr_splat_int(nr_op_result(op)->type, value));
}

bool nr_arith_fold_addi(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 0)) return nr_fold_to_value(out, nr_arith_addi_lhs(op));
  if (nr_const_is_int(c[0], 0)) return nr_fold_to_value(out, nr_arith_addi_rhs(op));
  /* (x - y) + y = x, also when the subtraction wraps. */
  for (size_t i = 0; i < 2; i++) {
    NrOp *sub = nr_operand(op, i)->op;
    if (nr_op_is(sub, NR_OP_arith_subi) && nr_arith_subi_rhs(sub) == nr_operand(op, 1 - i))
      return nr_fold_to_value(out, nr_arith_subi_lhs(sub));
  }
  return fold_binary(op, c, out);
}

bool nr_arith_fold_addui(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 0)) {
    out[0] = (NrFold){.value = nr_arith_addui_extended_lhs(op)};
    out[1] = (NrFold){.attr = nr_splat_int(nr_arith_addui_extended_overflow(op)->type, 0)};
    return out[1].attr != NULL;
  }
  out[0] = (NrFold){.attr = nr_fold_elementwise_attr(op, c, nr_arith_addui_extended_sum(op)->type, addi_scalar)};
  out[1] = (NrFold){.attr = nr_fold_elementwise_attr(op, c, nr_arith_addui_extended_overflow(op)->type, carry_scalar)};
  return out[0].attr && out[1].attr;
}

static bool fold_mul_extended(NrOp *op, const NrAttr *c, NrFold *out, NrScalarFold high) {
  NrType type = nr_op_operand_type(op); /* both results have this type too */
  for (size_t i = 0; i < 2; i++) {
    if (!nr_const_is_int(c[i], 0)) continue;
    out[0] = out[1] = (NrFold){.attr = c[i]};
    return true;
  }
  out[0] = (NrFold){.attr = nr_fold_elementwise_attr(op, c, type, muli_scalar)};
  out[1] = (NrFold){.attr = nr_fold_elementwise_attr(op, c, type, high)};
  return out[0].attr && out[1].attr;
}

bool nr_arith_fold_mulsi_extended(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_mul_extended(op, c, out, high_signed_scalar);
}

bool nr_arith_fold_mului_extended(NrOp *op, const NrAttr *c, NrFold *out) {
  NrAttr zero = nr_splat_int(nr_arith_mului_extended_low(op)->type, 0);
  for (size_t i = 0; i < 2 && zero; i++) {
    if (!nr_const_is_int(c[i], 1) || c[1 - i]) continue;
    out[0] = (NrFold){.value = nr_operand(op, 1 - i)};
    out[1] = (NrFold){.attr = zero};
    return true;
  }
  return fold_mul_extended(op, c, out, high_unsigned_scalar);
}

bool nr_arith_fold_subi(NrOp *op, const NrAttr *c, NrFold *out) {
  if (same_operands(op) && fold_to_int(op, out, 0)) return true;
  if (nr_const_is_int(c[1], 0)) return nr_fold_to_value(out, nr_arith_subi_lhs(op));
  /* (x + y) - y = x and (x + y) - x = y, also when the addition wraps. */
  NrOp *add = nr_arith_subi_lhs(op)->op;
  if (nr_op_is(add, NR_OP_arith_addi))
    for (size_t i = 0; i < 2; i++)
      if (nr_operand(add, i) == nr_arith_subi_rhs(op)) return nr_fold_to_value(out, nr_operand(add, 1 - i));
  return fold_binary(op, c, out);
}

bool nr_arith_fold_muli(NrOp *op, const NrAttr *c, NrFold *out) {
  for (size_t i = 0; i < 2; i++) {
    if (nr_const_is_int(c[i], 0)) return nr_fold_to_attr(out, c[i]);
    if (nr_const_is_int(c[i], 1)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
  }
  return fold_binary(op, c, out);
}

/* Folds x / 1 to x. Not for signed i1, whose 1 is -1. */
static bool fold_quotient(NrOp *op, const NrAttr *c, NrFold *out) {
  bool is_unsigned = nr_op_is(op, NR_OP_arith_divui) || nr_op_is(op, NR_OP_arith_ceildivui);
  bool bit = !is_unsigned && nr_type_is_int_width(nr_type_elem(nr_op_result(op)->type), 1);
  if (!bit && nr_const_is_int(c[1], 1)) return nr_fold_to_value(out, nr_op_lhs(op));
  return fold_binary(op, c, out);
}

bool nr_arith_fold_divui(NrOp *op, const NrAttr *c, NrFold *out) { return fold_quotient(op, c, out); }
bool nr_arith_fold_divsi(NrOp *op, const NrAttr *c, NrFold *out) { return fold_quotient(op, c, out); }
bool nr_arith_fold_ceildivui(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_quotient(op, c, out);
}
bool nr_arith_fold_ceildivsi(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_quotient(op, c, out);
}
bool nr_arith_fold_floordivsi(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_quotient(op, c, out);
}

bool nr_arith_fold_remui(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 1) && fold_to_int(op, out, 0)) return true;
  return fold_binary(op, c, out);
}

bool nr_arith_fold_remsi(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 1) && fold_to_int(op, out, 0)) return true;
  return fold_binary(op, c, out);
}

/* The operand a op b of (a op b) op b, which equals the whole for `and` and `or`; NULL for other operands. */
static NrValue *absorbing_operand(const NrOp *op) {
  for (size_t i = 0; i < 2; i++) {
    const NrOp *first = nr_operand(op, i)->op;
    NrValue *again = nr_operand(op, 1 - i);
    if (first && first->info == op->info && (nr_op_lhs(first) == again || nr_op_rhs(first) == again))
      return nr_operand(op, i);
  }
  return NULL;
}

/* Whether the operands are x and not x. */
static bool are_complements(const NrOp *op) {
  for (size_t i = 0; i < 2; i++) {
    const NrOp *negation = nr_operand(op, i)->op;
    if (nr_op_is(negation, NR_OP_arith_xori) && nr_arith_xori_lhs(negation) == nr_operand(op, 1 - i) &&
        nr_const_is_int(nr_value_constant(nr_arith_xori_rhs(negation)), -1))
      return true;
  }
  return false;
}

bool nr_arith_fold_andi(NrOp *op, const NrAttr *c, NrFold *out) {
  if (same_operands(op)) return nr_fold_to_value(out, nr_arith_andi_lhs(op));
  if (absorbing_operand(op)) return nr_fold_to_value(out, absorbing_operand(op));
  if (are_complements(op) && fold_to_int(op, out, 0)) return true;
  for (size_t i = 0; i < 2; i++) {
    if (nr_const_is_int(c[i], 0)) return nr_fold_to_attr(out, c[i]);
    if (nr_const_is_int(c[i], -1)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
  }
  return fold_binary(op, c, out);
}

bool nr_arith_fold_ori(NrOp *op, const NrAttr *c, NrFold *out) {
  if (same_operands(op)) return nr_fold_to_value(out, nr_arith_ori_lhs(op));
  if (absorbing_operand(op)) return nr_fold_to_value(out, absorbing_operand(op));
  if (are_complements(op) && fold_to_int(op, out, -1)) return true;
  for (size_t i = 0; i < 2; i++) {
    if (nr_const_is_int(c[i], 0)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
    if (nr_const_is_int(c[i], -1)) return nr_fold_to_attr(out, c[i]);
  }
  return fold_binary(op, c, out);
}

bool nr_arith_fold_xori(NrOp *op, const NrAttr *c, NrFold *out) {
  if (same_operands(op) && fold_to_int(op, out, 0)) return true;
  for (size_t i = 0; i < 2; i++) {
    if (nr_const_is_int(c[i], 0)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
    /* (x ^ y) ^ y = x. */
    NrOp *inner = nr_operand(op, i)->op;
    if (!nr_op_is(inner, NR_OP_arith_xori)) continue;
    for (size_t j = 0; j < 2; j++)
      if (nr_operand(inner, j) == nr_operand(op, 1 - i)) return nr_fold_to_value(out, nr_operand(inner, 1 - j));
  }
  return fold_binary(op, c, out);
}

static bool fold_shift(NrOp *op, const NrAttr *c, NrFold *out) {
  if (nr_const_is_int(c[1], 0)) return nr_fold_to_value(out, nr_op_lhs(op));
  return fold_binary(op, c, out);
}

bool nr_arith_fold_shli(NrOp *op, const NrAttr *c, NrFold *out) { return fold_shift(op, c, out); }
bool nr_arith_fold_shrui(NrOp *op, const NrAttr *c, NrFold *out) { return fold_shift(op, c, out); }
bool nr_arith_fold_shrsi(NrOp *op, const NrAttr *c, NrFold *out) { return fold_shift(op, c, out); }

/* Folds min and max of equal operands, and with the constants that decide the result: `wins` is always the result,
 * `loses` never. */
static bool fold_min_max(NrOp *op, const NrAttr *c, NrFold *out, int64_t wins, int64_t loses) {
  if (same_operands(op)) return nr_fold_to_value(out, nr_op_lhs(op));
  for (size_t i = 0; i < 2; i++) {
    if (nr_const_is_int(c[i], wins)) return nr_fold_to_attr(out, c[i]);
    if (nr_const_is_int(c[i], loses)) return nr_fold_to_value(out, nr_operand(op, 1 - i));
  }
  return fold_binary(op, c, out);
}

/* The largest signed value of the op's type; false for types of more than 64 bits. */
static bool largest(const NrOp *op, int64_t *out) {
  uint32_t bits = nr_type_bits(nr_type_elem(nr_op_result(op)->type));
  if (bits > 64) return false;
  *out = (int64_t)(UINT64_MAX >> 1 >> (64 - bits));
  return true;
}

bool nr_arith_fold_maxsi(NrOp *op, const NrAttr *c, NrFold *out) {
  int64_t end;
  if (!largest(op, &end)) return fold_binary(op, c, out);
  return fold_min_max(op, c, out, end, -end - 1);
}

bool nr_arith_fold_minsi(NrOp *op, const NrAttr *c, NrFold *out) {
  int64_t end;
  if (!largest(op, &end)) return fold_binary(op, c, out);
  return fold_min_max(op, c, out, -end - 1, end);
}

bool nr_arith_fold_maxui(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, -1, 0);
}

bool nr_arith_fold_minui(NrOp *op, const NrAttr *c, NrFold *out) {
  return fold_min_max(op, c, out, 0, -1);
}

static unsigned relation_of(int order) { return order == 0 ? NR_EQUAL : order < 0 ? NR_LESS : NR_GREATER; }

static NrAttr wide_cmpi_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  NrWide a, b;
  if (!wide_pair(in, &a, &b)) return NULL;
  NrCmpI predicate = nr_cmpi_of(op);
  int order = nr_cmpi_is_unsigned(predicate) ? nr_wide_cmp_unsigned(&a, &b) : nr_wide_cmp_signed(&a, &b);
  return nr_attr_int(out, nr_cmpi_allows(predicate, relation_of(order)));
}

bool nr_arith_fold_cmpi(NrOp *op, const NrAttr *c, NrFold *out) {
  NrCmpI predicate = nr_cmpi_of(op);
  if (same_operands(op) && fold_to_int(op, out, nr_cmpi_allows(predicate, NR_EQUAL))) return true;
  /* No unsigned value is below 0. */
  if (nr_const_is_int(c[1], 0) && (predicate == NR_CMPI_ULT || predicate == NR_CMPI_UGE) &&
      fold_to_int(op, out, predicate == NR_CMPI_UGE))
    return true;
  /* For i1, x != 0 and x == 1 are x. */
  if (nr_type_is_int_width(nr_type_elem(nr_arith_cmpi_lhs(op)->type), 1) &&
      ((predicate == NR_CMPI_NE && nr_const_is_int(c[1], 0)) || (predicate == NR_CMPI_EQ && nr_const_is_int(c[1], 1))))
    return nr_fold_to_value(out, nr_arith_cmpi_lhs(op));
  bool small = nr_type_bits(nr_type_elem(nr_arith_cmpi_lhs(op)->type)) <= 64;
  return nr_fold_elementwise(op, c, out, small ? nr_fold_scalar : wide_cmpi_scalar);
}
