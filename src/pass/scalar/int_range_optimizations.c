/* int_range_optimizations.c - replaces comparisons that the ranges of their operands decide by constants, and drops
 * divisions of multiples.
 *   before  scf.for %i = 0 to %n step 1 {            after  scf.for %i = 0 to %n step 1 {
 *             %0 = arith.cmpi slt, %i, 0                      %0 = arith.constant false
 *           %m = arith.divui %a, 8  // of util.assume.int %x<udiv = 16>
 *           %1 = arith.muli %m, 8                         %1 = %a
 * An index of ONNX counts from the end where it is negative; this removes the test of an induction variable. */
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/operands.h"
#include "dialect/util/util.h"
#include "pass/analysis/ranges.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* The relations between x and y that their ranges leave possible. */
static unsigned possible_relations(NrRange x, NrRange y) {
  return (x.min < y.max ? NR_LESS : 0) | (x.max > y.min ? NR_GREATER : 0) |
         (x.min <= y.max && y.min <= x.max ? NR_EQUAL : 0);
}

typedef NrRange (*RangeOf)(NrValue *value);

/* Whether op is decided; then *out is its value. */
static bool decide(const NrOp *op, RangeOf range_of, bool *out) {
  NrRange x = range_of(nr_op_lhs(op)), y = range_of(nr_op_rhs(op));
  NrCmpI predicate = nr_cmpi_of(op);
  /* Numbers that are not negative have the same order with and without a sign. */
  if (nr_cmpi_is_unsigned(predicate) && (x.min < 0 || y.min < 0)) return false;
  unsigned possible = possible_relations(x, y), allowed = nr_cmpi_predicates[predicate].relations;
  *out = (possible & allowed) != 0;
  return !(possible & allowed) || !(possible & ~allowed);
}

static NrValue *decided(NrOp *op, RangeOf range_of) {
  bool holds;
  if (!nr_type_is_int_or_index(nr_op_lhs(op)->type) || nr_type_bits(nr_op_lhs(op)->type) > 64) return NULL;
  if (!decide(op, range_of, &holds)) return NULL;
  NrBuilder b = nr_builder_before(op);
  return nr_arith_constant_int(&b, nr_op_result(op)->type, holds);
}

/* Whether a value is assumed to be a multiple of a positive constant. */
static bool is_multiple(const NrValue *value, const NrValue *of, int64_t *out) {
  return nr_value_constant_int(of, out) && *out > 0 && nr_util_assumed_divisor(value) % *out == 0;
}

/* (x / c) * c */
static NrValue *product(const NrOp *op, NrValue *quotient, NrValue *factor) {
  int64_t c, again;
  if (!nr_op_is(quotient->op, NR_OP_arith_divui)) return NULL;
  NrValue *x = nr_op_lhs(quotient->op), *divisor = nr_op_rhs(quotient->op);
  bool same = nr_value_constant_int(factor, &again) && is_multiple(x, divisor, &c) && c == again;
  return same && nr_op_result(op)->type == x->type ? x : NULL;
}

/* What op is; NULL: not known. */
static NrValue *simplified(NrOp *op, RangeOf range_of) {
  int64_t c;
  if (nr_op_is(op, NR_OP_arith_cmpi)) return decided(op, range_of);
  NrValue *lhs = nr_op_lhs(op), *rhs = nr_op_rhs(op);
  if (nr_op_is(op, NR_OP_arith_remui)) {
    NrBuilder b = nr_builder_before(op);
    return is_multiple(lhs, rhs, &c) ? nr_arith_constant_int(&b, lhs->type, 0) : NULL;
  }
  NrValue *found = product(op, lhs, rhs);
  return found ? found : product(op, rhs, lhs);
}

static bool is_candidate(const NrOp *op) {
  return nr_op_is(op, NR_OP_arith_cmpi) || nr_op_is(op, NR_OP_arith_muli) || nr_op_is(op, NR_OP_arith_remui);
}

static NrStatus int_range_optimizations_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  RangeOf range_of = nr_pass_flag(pass, "loops") ? nr_range_of : nr_range_without_loops;
  nr_collect_pre(root, is_candidate, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    NrValue *value = simplified(op, range_of);
    if (value) nr_op_replace(op, value);
  }
  nr_vec_deinit(&found);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("loops", true, "use the ranges of induction variables, which must not wrap"),
    {0},
};
NR_PASS(int_range_optimizations, .name = "int-range-optimizations", .on_while = NR_WHILE_BARRIER,
        .run = int_range_optimizations_run, .options = options,
        .doc = "replaces comparisons that ranges decide by constants, and drops divisions of multiples")
