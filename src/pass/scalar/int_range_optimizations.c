/* int_range_optimizations.c - replaces comparisons that the ranges of their operands decide by constants.
 *   before  scf.for %i = 0 to %n step 1 {            after  scf.for %i = 0 to %n step 1 {
 *             %0 = arith.cmpi slt, %i, 0                      %0 = arith.constant false
 * An index of ONNX counts from the end where it is negative; this removes the test of an induction variable. */
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/operands.h"
#include "pass/analysis/ranges.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* The relations between x and y that their ranges leave possible. */
static unsigned possible_relations(NrRange x, NrRange y) {
  return (x.min < y.max ? NR_LESS : 0) | (x.max > y.min ? NR_GREATER : 0) |
         (x.min <= y.max && y.min <= x.max ? NR_EQUAL : 0);
}

/* Whether op is decided; then *out is its value. */
static bool decide(const NrOp *op, bool *out) {
  NrRange x = nr_range_of(nr_op_lhs(op)), y = nr_range_of(nr_op_rhs(op));
  NrCmpI predicate = nr_cmpi_of(op);
  /* Numbers that are not negative have the same order with and without a sign. */
  if (nr_cmpi_is_unsigned(predicate) && (x.min < 0 || y.min < 0)) return false;
  unsigned possible = possible_relations(x, y), allowed = nr_cmpi_predicates[predicate].relations;
  *out = (possible & allowed) != 0;
  return !(possible & allowed) || !(possible & ~allowed);
}

static bool compares_numbers(const NrOp *op) {
  return nr_op_is(op, NR_OP_arith_cmpi) && nr_type_is_int_or_index(nr_op_lhs(op)->type) &&
         nr_type_bits(nr_op_lhs(op)->type) <= 64;
}

static NrStatus int_range_optimizations_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  nr_collect_pre(root, compares_numbers, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    bool holds;
    if (!decide(op, &holds)) continue;
    NrBuilder b = nr_builder_before(op);
    nr_value_replace_uses(nr_op_result(op), nr_arith_constant_int(&b, nr_op_result(op)->type, holds));
    nr_op_erase(op);
  }
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(int_range_optimizations, .name = "int-range-optimizations", .run = int_range_optimizations_run,
        .doc = "replaces comparisons that the ranges of their operands decide by constants")
