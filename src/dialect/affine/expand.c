/* expand.c - affine expressions as ops of arith. Quotients and remainders round down, also below 0, where arith's
 * division truncates. */
#include "dialect/affine/affine.h"
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

NrValue *nr_affine_expand(NrBuilder *b, NrAffineExpr e, NrValue *const *dims, NrValue *const *symbols) {
  if (e->kind == NR_AFFINE_DIM) return dims[e->value];
  if (e->kind == NR_AFFINE_SYMBOL) return symbols[e->value];
  if (e->kind == NR_AFFINE_CONSTANT) return number(b, e->value);
  NrValue *lhs = nr_affine_expand(b, e->lhs, dims, symbols), *rhs = nr_affine_expand(b, e->rhs, dims, symbols);
  switch (e->kind) {
  case NR_AFFINE_ADD: return binary(b, NR_OP_arith_addi, lhs, rhs);
  case NR_AFFINE_MUL: return binary(b, NR_OP_arith_muli, lhs, rhs);
  case NR_AFFINE_MOD: return expand_mod(b, lhs, rhs);
  case NR_AFFINE_FLOORDIV: return expand_floordiv(b, lhs, rhs);
  default: return expand_ceildiv(b, lhs, rhs);
  }
}

NrValue *nr_affine_expand_extreme(NrBuilder *b, NrAttr map, uint32_t begin, uint32_t count, NrValue *const *operands,
                                  bool greatest) {
  NrValue *extreme = NULL;
  for (uint32_t i = 0; i < count; i++) {
    NrValue *value = nr_affine_expand(b, map->exprs[begin + i], operands, operands + map->num_dims);
    extreme = extreme ? binary(b, greatest ? NR_OP_arith_maxsi : NR_OP_arith_minsi, extreme, value) : value;
  }
  return extreme;
}
