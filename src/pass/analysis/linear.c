/* linear.c - linear forms of index values, and trip counts; see dependence.h. */
#include "dialect/affine/affine.h"
#include "dialect/arith/ops.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"

enum { MAX_DEPTH = 32 };

bool nr_loop_range_trips(const NrLoopRange *range, uint64_t *out) {
  int64_t lower, upper, step;
  uint32_t bits = nr_type_bits(range->iv->type);
  if (bits > 64 || !nr_index_constant(range->lower, &lower) || !nr_index_constant(range->upper, &upper) ||
      !nr_index_constant(range->step, &step))
    return false;
  if (range->is_unsigned && bits < 64) {
    int64_t mask = (int64_t)((UINT64_C(1) << bits) - 1);
    lower &= mask;
    upper &= mask;
    step &= mask;
  }
  return nr_scf_trip_count(lower, upper, step, range->is_unsigned, out);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

static bool add_term(NrLinear *sum, NrValue *value, int64_t factor) {
  for (uint32_t i = 0; i < sum->num_terms; i++) {
    if (sum->terms[i].value != value) continue;
    sum->terms[i].factor = wrap_add(sum->terms[i].factor, factor);
    if (!sum->terms[i].factor) sum->terms[i] = sum->terms[--sum->num_terms];
    return true;
  }
  if (sum->num_terms == NR_LINEAR_TERMS) return false;
  if (factor) sum->terms[sum->num_terms++] = (NrLinearTerm){value, factor};
  return true;
}

/* A cast that keeps the value: from 64 bits, or of an induction variable, which does not wrap, extended as its loop
 * compares. */
static bool keeps_number(const NrOp *cast) {
  const NrValue *from = nr_op_in(cast);
  NrLoopRange range;
  bool is_unsigned = nr_op_is(cast, NR_OP_arith_index_castui) || nr_op_is(cast, NR_OP_arith_extui);
  if (nr_type_bits(nr_op_result(cast)->type) != 64) return false;
  if (nr_type_bits(from->type) == 64) return true;
  return nr_loop_range(from, &range) && range.is_unsigned == is_unsigned;
}

static bool add_value(NrLinear *sum, NrValue *value, int64_t factor, int depth);

static bool add_affine(NrLinear *sum, NrAffineExpr e, NrValue *const *operands, uint32_t num_dims, int64_t factor,
                       int depth) {
  if (depth == MAX_DEPTH) return false;
  switch (e->kind) {
  case NR_AFFINE_CONSTANT: sum->constant = wrap_add(sum->constant, wrap_mul(e->value, factor)); return true;
  case NR_AFFINE_DIM: return add_value(sum, operands[e->value], factor, depth + 1);
  case NR_AFFINE_SYMBOL: return add_value(sum, operands[num_dims + (size_t)e->value], factor, depth + 1);
  case NR_AFFINE_ADD:
    return add_affine(sum, e->lhs, operands, num_dims, factor, depth + 1) &&
           add_affine(sum, e->rhs, operands, num_dims, factor, depth + 1);
  case NR_AFFINE_MUL:
    return e->rhs->kind == NR_AFFINE_CONSTANT &&
           add_affine(sum, e->lhs, operands, num_dims, wrap_mul(factor, e->rhs->value), depth + 1);
  default: return false;
  }
}

/* Adds the result of an affine.apply: its linear form or, when it is not linear, the value as a term. */
static bool add_apply(NrLinear *sum, NrValue *value, int64_t factor, int depth) {
  NrAttr map = nr_op_attr(value->op, NR_A_map);
  NrValue *operands[NR_LINEAR_TERMS];
  NrLinear with = *sum;
  uint32_t count = value->op->num_operands;
  for (uint32_t i = 0; i < count && count <= NR_LINEAR_TERMS; i++) operands[i] = nr_operand(value->op, i);
  if (count > NR_LINEAR_TERMS || !add_affine(&with, map->exprs[0], operands, map->num_dims, factor, depth + 1))
    return add_term(sum, value, factor);
  *sum = with;
  return true;
}

static bool add_value(NrLinear *sum, NrValue *value, int64_t factor, int depth) {
  NrOp *op = value->op;
  int64_t constant;
  if (nr_value_constant_int(value, &constant)) {
    sum->constant = wrap_add(sum->constant, wrap_mul(constant, factor));
    return true;
  }
  bool wide = nr_type_is_int_or_index(value->type) && nr_type_bits(value->type) == 64;
  if (!op || !wide || depth == MAX_DEPTH) return add_term(sum, value, factor);
  switch (op->info->id) {
  case NR_OP_arith_addi:
  case NR_OP_arith_subi: {
    int64_t second = nr_op_is(op, NR_OP_arith_subi) ? wrap_mul(factor, -1) : factor;
    return add_value(sum, nr_op_lhs(op), factor, depth + 1) && add_value(sum, nr_op_rhs(op), second, depth + 1);
  }
  case NR_OP_arith_muli:
    for (uint32_t i = 0; i < 2; i++)
      if (nr_value_constant_int(nr_operand(op, i), &constant))
        return add_value(sum, nr_operand(op, 1 - i), wrap_mul(factor, constant), depth + 1);
    return add_term(sum, value, factor);
  case NR_OP_arith_shli:
    if (!nr_value_constant_int(nr_arith_shli_rhs(op), &constant) || constant < 0 || constant > 62)
      return add_term(sum, value, factor);
    return add_value(sum, nr_arith_shli_lhs(op), wrap_mul(factor, INT64_C(1) << constant), depth + 1);
  case NR_OP_affine_apply: return add_apply(sum, value, factor, depth);
  case NR_OP_arith_index_cast:
  case NR_OP_arith_index_castui:
  case NR_OP_arith_extsi:
  case NR_OP_arith_extui:
    if (!keeps_number(op)) return add_term(sum, value, factor);
    return add_value(sum, nr_op_in(op), factor, depth + 1);
  default: return add_term(sum, value, factor);
  }
}

void nr_linear_of(NrValue *value, NrLinear *out) {
  *out = (NrLinear){0};
  if (add_value(out, value, 1, 0)) return;
  *out = (NrLinear){.num_terms = 1, .terms = {{value, 1}}};
}

bool nr_linear_of_affine(NrAffineExpr e, NrValue *const *operands, uint32_t num_dims, NrLinear *out) {
  *out = (NrLinear){0};
  return add_affine(out, e, operands, num_dims, 1, 0);
}
