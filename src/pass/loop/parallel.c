/* parallel.c - shared by the passes on parallel loops; see parallel.h. */
#include "pass/loop/parallel.h"

#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/scf/scf.h"

/* ---- iterations -------------------------------------------------------------------------------------------------- */

NrValue *nr_trip_count_value(NrBuilder *b, NrValue *lower, NrValue *upper, NrValue *step) {
  int64_t from, to, by;
  uint64_t trips;
  bool known = nr_value_constant_int(lower, &from) && nr_value_constant_int(upper, &to);
  if (known && nr_value_constant_int(step, &by) && nr_scf_trip_count(from, to, by, false, &trips))
    return nr_arith_constant_index(b, (int64_t)trips);
  NrValue *none = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1);
  if (nr_value_constant_int(lower, &from) && from == 0 && nr_value_constant_int(step, &by) && by == 1)
    return nr_arith_binary(b, NR_OP_arith_maxsi, upper, none);
  /* The distance is exact as an unsigned number if there are iterations. */
  NrValue *distance = nr_arith_binary(b, NR_OP_arith_subi, upper, lower);
  NrValue *last = nr_arith_binary(b, NR_OP_arith_subi, distance, one);
  NrValue *count = nr_arith_binary(b, NR_OP_arith_addi, nr_arith_binary(b, NR_OP_arith_divui, last, step), one);
  return nr_arith_select(b, nr_arith_cmpi(b, NR_CMPI_SLT, lower, upper), count, none);
}

bool nr_parallel_trip_count(const NrOp *op, uint32_t d, uint64_t *out) {
  int64_t lower, upper, step;
  return nr_value_constant_int(nr_parallel_lower(op, d), &lower) &&
         nr_value_constant_int(nr_parallel_upper(op, d), &upper) &&
         nr_value_constant_int(nr_parallel_step(op, d), &step) && nr_scf_trip_count(lower, upper, step, false, out);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

bool nr_reduction_op_is_exact(const NrOp *op) {
  bool is_scalar = op->num_results == 1 && nr_type_is_scalar(nr_op_result(op)->type);
  const NrCombine *combine = is_scalar ? nr_combine_of_op(op->info->id) : NULL;
  if (!combine) return false;
  bool is_extreme = nr_op_is(op, NR_OP_arith_maximumf) || nr_op_is(op, NR_OP_arith_minimumf);
  if (combine->is_float) return is_extreme || nr_arith_fastmath_has(op, "reassoc");
  /* A partial sum or product may overflow where the total does not. */
  bool may_overflow = nr_op_is(op, NR_OP_arith_addi) || nr_op_is(op, NR_OP_arith_muli);
  return !may_overflow || !nr_op_attr(op, NR_A_overflowFlags);
}

bool nr_reduction_is_exact(NrBlock *reduction) {
  NrOp *op = nr_scf_combining_op(reduction);
  return op && nr_reduction_op_is_exact(op);
}

NrAttr nr_reduction_neutral(NrBlock *reduction) { return nr_combine_neutral_of(nr_scf_combining_op(reduction)); }

bool nr_parallel_reduces_exactly(const NrOp *op) {
  NrOp *reduce = nr_block_terminator(nr_scf_parallel_body(op));
  if (nr_op_attr(op, NR_A_noInit)) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_reduction_is_exact(nr_op_body(reduce, i)) || !nr_reduction_neutral(nr_op_body(reduce, i))) return false;
  return true;
}

void nr_replace_loop(NrOp *op, NrOp *by) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_result(by, i)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(by, i));
  }
  nr_op_erase(op);
}
