/* loop_step.c - builds the comparison and the step of an scf.for as ops, for passes that convert it to other loops;
 * strip mining. */
#include "dialect/arith/arith.h"
#include "pass/analysis/ranges.h"
#include "pass/loop/loops.h"

enum { SIZE_BITS = 62 };

/* The largest value of a bound, with the signedness of the loop's comparison. */
static uint64_t largest_of(NrValue *value, bool is_unsigned, uint64_t largest, bool is_size) {
  int64_t constant;
  if (nr_value_constant_int(value, &constant)) return (uint64_t)constant & (is_unsigned ? largest : UINT64_MAX);
  NrRange range = nr_range_of(value);
  uint64_t max = is_unsigned && range.min < 0 ? largest : (uint64_t)NR_MAX(range.max, 0);
  return is_size ? NR_MIN(max, UINT64_C(1) << SIZE_BITS) : max;
}

bool nr_for_may_wrap(const NrOp *loop, bool bounds_are_sizes) {
  bool is_unsigned = nr_is_unsigned_for(loop);
  uint32_t bits = nr_type_bits(nr_scf_for_iv(loop)->type);
  int64_t step, upper;
  if (nr_value_constant_int(nr_scf_for_step(loop), &step) && step == 1) return false;
  if (bits > 64) return true;
  if (!is_unsigned && nr_value_constant_int(nr_scf_for_upper_bound(loop), &upper) && upper <= 0) return false;
  uint64_t largest = nr_for_largest(loop);
  bool sizes = bounds_are_sizes && bits == 64;
  uint64_t end = largest_of(nr_scf_for_upper_bound(loop), is_unsigned, largest, sizes);
  return largest_of(nr_scf_for_step(loop), is_unsigned, largest, sizes) > largest - NR_MIN(end, largest) + 1;
}

NrValue *nr_for_build_next(NrBuilder *b, NrOp *loop, NrValue *iv, bool may_wrap) {
  NrValue *upper = nr_scf_for_upper_bound(loop), *step = nr_scf_for_step(loop);
  NrValue *sum = nr_arith_binary(b, NR_OP_arith_addi, iv, step);
  if (!may_wrap) return sum;
  NrCmpI below = nr_is_unsigned_for(loop) ? NR_CMPI_ULT : NR_CMPI_SLT;
  return nr_arith_select(b, nr_arith_cmpi(b, below, sum, iv), upper, sum); /* an overflowed sum is below iv */
}

NrValue *nr_for_build_goes_on(NrBuilder *b, NrOp *loop, NrValue *iv) {
  return nr_arith_cmpi(b, nr_is_unsigned_for(loop) ? NR_CMPI_ULT : NR_CMPI_SLT, iv, nr_scf_for_upper_bound(loop));
}

/* ---- strip mining ------------------------------------------------------------------------------------------------ */

/* The length of a strip: `every` * step, or one step where that might overflow. */
static NrValue *span_of(NrBuilder *b, NrValue *step, int64_t every) {
  const int64_t max = INT64_C(1) << 40;
  NrValue *span = nr_fold_binary(b, NR_OP_arith_muli, step, nr_arith_constant_index(b, every));
  NrValue *small = nr_fold_cmpi(b, NR_CMPI_SLE, step, nr_arith_constant_index(b, max));
  return nr_fold_select(b, small, span, step);
}

NrValue *nr_for_build_is_one_strip(NrBuilder *b, NrOp *loop, int64_t every) {
  NrValue *span = span_of(b, nr_scf_for_step(loop), every);
  return nr_arith_cmpi(b, NR_CMPI_ULE, nr_for_build_distance(b, loop), span);
}

/* Builds the outer loop, over strips, with an empty body; *out_begin is the start of a strip. */
static NrOp *open_strips(NrBuilder *b, NrOp *loop, NrValue *span, bool any_bounds, NrValue **out_begin) {
  NrValue *lower = nr_scf_for_lower_bound(loop), *upper = nr_scf_for_upper_bound(loop);
  NR_VEC(NrValue *) inits = {0};
  for (uint32_t i = 0; i < nr_scf_for_num_inits(loop); i++) nr_vec_push(&inits, nr_scf_for_init(loop, i));
  NrOp *outer;
  if (any_bounds) {
    NrValue *strips = nr_fold_binary(b, NR_OP_arith_ceildivui, nr_for_build_distance(b, loop), span);
    outer = nr_scf_for(b, nr_arith_constant_index(b, 0), strips, nr_arith_constant_index(b, 1), inits.data, inits.size);
    *b = nr_scf_body_builder(nr_op_only_body(outer));
    NrValue *offset = nr_arith_binary(b, NR_OP_arith_muli, nr_scf_for_iv(outer), span);
    *out_begin = nr_fold_binary(b, NR_OP_arith_addi, lower, offset);
  } else {
    outer = nr_scf_for(b, lower, upper, span, inits.data, inits.size);
    *b = nr_scf_body_builder(nr_op_only_body(outer));
    *out_begin = nr_scf_for_iv(outer);
  }
  nr_vec_deinit(&inits);
  return outer;
}

NrBuilder nr_for_strip_mine(NrOp *loop, int64_t every, bool any_bounds, NrValue **out_whole) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *begin, *upper = nr_scf_for_upper_bound(loop), *span = span_of(&b, nr_scf_for_step(loop), every);
  NrOp *outer = open_strips(&b, loop, span, any_bounds, &begin);
  /* The distance is exact as an unsigned number, even where it does not fit a signed one. */
  NrValue *left = nr_arith_binary(&b, NR_OP_arith_subi, upper, begin);
  NrValue *size = nr_arith_binary(&b, NR_OP_arith_minui, left, span);
  NrValue *end = nr_arith_binary(&b, NR_OP_arith_addi, begin, size);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(outer, i));
  nr_op_unlink(loop);
  nr_builder_insert(&b, loop);
  nr_op_set_operand(loop, NR_SCF_FOR_LOWER_BOUND, begin);
  nr_op_set_operand(loop, NR_SCF_FOR_UPPER_BOUND, end);
  for (uint32_t i = 0; i < loop->num_results; i++)
    nr_op_set_operand(loop, NR_SCF_FOR_INIT_ARGS + i, nr_scf_for_arg(outer, i));
  *out_whole = nr_arith_cmpi(&b, NR_CMPI_EQ, size, span);
  return nr_builder_before(nr_scf_yield_results_of(nr_scf_for_body(outer), &loop, 1));
}
