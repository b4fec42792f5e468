/* expand.c - expands affine expressions to arith ops. Affine division rounds down, also below 0, where arith's division
 * truncates. Unless the ranges of the operands prove the dividend non-negative, selects correct the result. */
#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"
#include "dialect/arith/arith.h"

static NrValue *binary(NrBuilder *b, unsigned id, NrValue *lhs, NrValue *rhs) {
  return nr_arith_binary(b, id, lhs, rhs);
}

static NrValue *number(NrBuilder *b, int64_t value) { return nr_arith_constant_index(b, value); }

/* r = a rem b; r < 0 ? r + b : r */
static NrValue *expand_mod(NrBuilder *b, NrValue *lhs, NrValue *rhs) {
  NrValue *rest = binary(b, NR_OP_arith_remsi, lhs, rhs);
  NrValue *zero = number(b, 0);
  NrValue *negative = nr_arith_cmpi(b, NR_CMPI_SLT, rest, zero);
  NrValue *shifted = binary(b, NR_OP_arith_addi, rest, rhs);
  return nr_arith_select(b, negative, shifted, rest);
}

/* a < 0 ? -1 - (-1 - a) / b : a / b */
static NrValue *expand_floordiv(NrBuilder *b, NrValue *lhs, NrValue *rhs) {
  NrValue *zero = number(b, 0), *minus_one = number(b, -1);
  NrValue *negative = nr_arith_cmpi(b, NR_CMPI_SLT, lhs, zero);
  NrValue *mirrored = binary(b, NR_OP_arith_subi, minus_one, lhs);
  NrValue *dividend = nr_arith_select(b, negative, mirrored, lhs);
  NrValue *quotient = binary(b, NR_OP_arith_divsi, dividend, rhs);
  NrValue *mirrored_back = binary(b, NR_OP_arith_subi, minus_one, quotient);
  return nr_arith_select(b, negative, mirrored_back, quotient);
}

/* a <= 0 ? -(-a / b) : (a - 1) / b + 1 */
static NrValue *expand_ceildiv(NrBuilder *b, NrValue *lhs, NrValue *rhs) {
  NrValue *zero = number(b, 0), *one = number(b, 1);
  NrValue *at_most_0 = nr_arith_cmpi(b, NR_CMPI_SLE, lhs, zero);
  NrValue *negated = binary(b, NR_OP_arith_subi, zero, lhs), *less = binary(b, NR_OP_arith_subi, lhs, one);
  NrValue *dividend = nr_arith_select(b, at_most_0, negated, less);
  NrValue *quotient = binary(b, NR_OP_arith_divsi, dividend, rhs);
  NrValue *negated_back = binary(b, NR_OP_arith_subi, zero, quotient),
          *more = binary(b, NR_OP_arith_addi, quotient, one);
  return nr_arith_select(b, at_most_0, negated_back, more);
}

/* The unsigned op for a division or remainder of a non-negative dividend by a positive constant; 0 when the dividend
 * may be negative. */
static unsigned plain_division(NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of) {
  bool positive = e->rhs->kind == NR_AFFINE_CONSTANT && e->rhs->value > 0;
  if (!positive || nr_affine_range(e->lhs, num_dims, operands, of, NULL).min < 0) return 0;
  if (e->kind == NR_AFFINE_CEILDIV) return NR_OP_arith_ceildivui;
  return e->kind == NR_AFFINE_MOD ? NR_OP_arith_remui : NR_OP_arith_divui;
}

static NrValue *expand(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands, NrRangeOf of) {
  if (e->kind == NR_AFFINE_DIM) return operands[e->value];
  if (e->kind == NR_AFFINE_SYMBOL) return operands[num_dims + (size_t)e->value];
  if (e->kind == NR_AFFINE_CONSTANT) return number(b, e->value);
  NrValue *lhs = expand(b, e->lhs, num_dims, operands, of);
  NrValue *rhs = expand(b, e->rhs, num_dims, operands, of);
  if (e->kind == NR_AFFINE_ADD) return binary(b, NR_OP_arith_addi, lhs, rhs);
  if (e->kind == NR_AFFINE_MUL) return binary(b, NR_OP_arith_muli, lhs, rhs);
  unsigned plain = plain_division(e, num_dims, operands, of);
  if (plain) return binary(b, plain, lhs, rhs);
  switch (e->kind) {
  case NR_AFFINE_MOD: return expand_mod(b, lhs, rhs);
  case NR_AFFINE_FLOORDIV: return expand_floordiv(b, lhs, rhs);
  default: return expand_ceildiv(b, lhs, rhs);
  }
}

NrValue *nr_affine_expand(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  return expand(b, e, num_dims, operands, NULL);
}

static NrRange from_zero(void *user, NrValue *value) {
  (void)user;
  (void)value;
  return (NrRange){0, INT64_MAX};
}

NrValue *nr_affine_expand_indices(NrBuilder *b, NrAffineExpr e, uint32_t num_dims, NrValue *const *operands) {
  return expand(b, e, num_dims, operands, from_zero);
}

NrValue *nr_affine_expand_extreme(NrBuilder *b, NrAttr map, uint32_t begin, uint32_t count, NrValue *const *operands,
                                  bool greatest) {
  NrValue *extreme = NULL;
  for (uint32_t i = 0; i < count; i++) {
    NrValue *value = nr_affine_expand(b, map->exprs[begin + i], map->num_dims, operands);
    extreme = extreme ? binary(b, greatest ? NR_OP_arith_maxsi : NR_OP_arith_minsi, extreme, value) : value;
  }
  return extreme;
}
