/* delinearize.c - delinearizes indices with a dynamic row length; see dependence_test.h.
 *
 *   for %i { for %j = 0 to %m { memref.store %x, %a[%i * %m + %j] } }
 *
 * Where 0 <= j < m, two values of i * m + j are equal only if both i and j are: one equality for i and one for j. In
 * wrapping arithmetic this holds while (difference of i) * m stays below 2^64. It does, because j runs over all of m in
 * each step of i: the loops of i are around that of j and have small steps, and no run reaches 2^50 iterations. */
#include "dialect/affine/affine.h"
#include "pass/analysis/dependence_test.h"

enum { MAX_STEP = 4, MAX_ROW_DIMS = 4 };

/* number * length + rest */
typedef struct Delinearized {
  NrValue *number, *length, *rest;
} Delinearized;

/* Finds a bound of an affine or scf loop when it is one value, or a constant (then *out_value is NULL). */
static bool bound_of(const NrValue *iv, bool upper, NrValue **out_value, int64_t *out_constant) {
  NrLoopRange range;
  *out_value = NULL;
  if (nr_loop_range(iv, &range)) {
    NrIndex bound = upper ? range.upper : range.lower;
    if (!nr_index_constant(bound, out_constant)) *out_value = bound.value;
    return !range.is_unsigned && nr_type_bits(iv->type) == 64;
  }
  if (!nr_affine_is_iv(iv)) return false;
  NrAffineBound bound = nr_affine_iv_bound(iv, upper);
  NrAffineExpr e = bound.map->exprs[bound.begin];
  if (bound.count != 1) return false;
  if (e->kind == NR_AFFINE_CONSTANT) return *out_constant = e->value, true;
  if (e->kind != NR_AFFINE_DIM && e->kind != NR_AFFINE_SYMBOL) return false;
  size_t at = (size_t)e->value + (e->kind == NR_AFFINE_SYMBOL ? bound.map->num_dims : 0);
  *out_value = nr_operand(nr_loop_of_iv(iv), bound.first + at);
  return true;
}

/* The constant step of iv; 0 when it is not known or above MAX_STEP. */
static int64_t small_step(const NrValue *iv) {
  NrLoopRange range;
  int64_t step = 0;
  if (nr_loop_range(iv, &range)) {
    if (!nr_index_constant(range.step, &step)) return 0;
  } else if (nr_affine_is_iv(iv)) {
    step = nr_affine_iv_step(iv);
  }
  return step > 0 && step <= MAX_STEP ? step : 0;
}

/* Whether iv is an induction variable that runs from a non-negative constant up to length. */
static bool runs_below(const NrValue *iv, const NrValue *length) {
  NrValue *lower, *upper;
  int64_t first, last;
  return small_step(iv) && bound_of(iv, false, &lower, &first) && !lower && first >= 0 &&
         bound_of(iv, true, &upper, &last) && upper == length;
}

/* Whether number is a sum of invariant values and small multiples of at most MAX_STEP induction variables, of loops
 * around inner's that begin near 0: its values in a and b then differ by little. */
static bool has_small_difference(const NrDependenceTest *t, const NrValue *inner, NrValue *number) {
  NrLinear sum;
  nr_linear_of(number, &sum);
  if (sum.num_terms > MAX_STEP) return false;
  for (uint32_t i = 0; i < sum.num_terms; i++) {
    NrValue *value = sum.terms[i].value, *lower;
    int64_t factor = sum.terms[i].factor, first;
    if (nr_dependence_is_same(t, value)) continue;
    int64_t step = small_step(value);
    if (!step || factor < -MAX_STEP || factor > MAX_STEP || factor * step > MAX_STEP || factor * step < -MAX_STEP)
      return false;
    if (!nr_op_is_ancestor(nr_loop_of_iv(value), nr_loop_of_iv(inner))) return false;
    if (!bound_of(value, false, &lower, &first) || lower || first < -MAX_STEP || first > MAX_STEP) return false;
  }
  return true;
}

/* Splits an index of the form number * length + rest. The number may be linearized in the same form. */
static bool delinearize(const NrDependenceTest *t, NrValue *index, int depth, Delinearized *out) {
  NrLinear sum;
  nr_linear_of(index, &sum);
  if (sum.num_terms != 2 || sum.constant || sum.terms[0].factor != 1 || sum.terms[1].factor != 1) return false;
  for (uint32_t i = 0; i < 2; i++) {
    NrValue *product = sum.terms[i].value, *rest = sum.terms[1 - i].value;
    if (!nr_op_is(product->op, NR_OP_arith_muli)) continue;
    for (uint32_t k = 0; k < 2; k++) {
      *out = (Delinearized){nr_operand(product->op, 1 - k), nr_operand(product->op, k), rest};
      if (!nr_dependence_is_same(t, out->length) || !runs_below(rest, out->length)) continue;
      if (has_small_difference(t, rest, out->number)) return true;
      Delinearized outer;
      if (depth < MAX_ROW_DIMS && delinearize(t, out->number, depth + 1, &outer) &&
          nr_op_is_ancestor(nr_loop_of_iv(outer.rest), nr_loop_of_iv(rest)))
        return true;
    }
  }
  return false;
}

static void add_equal_values(NrDependenceTest *t, NrValue *a, NrValue *b) {
  NrEquality eq = {0};
  if (nr_dependence_add_value(t, &eq, a, 0, -1) && nr_dependence_add_value(t, &eq, b, 1, 1))
    nr_constraints_add(&t->constraints, &eq);
}

void nr_dependence_delinearize(NrDependenceTest *t, NrValue *a, NrValue *b) {
  Delinearized of_a, of_b;
  for (int i = 0; i < MAX_ROW_DIMS; i++) { /* the number may be linearized itself */
    if (!delinearize(t, a, i, &of_a) || !delinearize(t, b, i, &of_b) || of_a.length != of_b.length) return;
    add_equal_values(t, of_a.rest, of_b.rest);
    add_equal_values(t, of_a.number, of_b.number);
    a = of_a.number;
    b = of_b.number;
  }
}
