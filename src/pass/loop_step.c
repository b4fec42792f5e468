/* loop_step.c - scf.for taken apart: its comparison and its step as ops, for the passes that make other loops of it. */
#include "dialect/arith/arith.h"
#include "pass/loops.h"
#include "pass/ranges.h"

enum { SIZE_BITS = 62 };

/* The largest number that value may be, as the loop compares it. */
static uint64_t largest_of(NrValue *value, bool is_unsigned, uint64_t largest, bool is_size) {
  int64_t constant;
  if (nr_value_constant_int(value, &constant)) return (uint64_t)constant & (is_unsigned ? largest : UINT64_MAX);
  NrRange range = nr_range_of(value);
  uint64_t most = is_unsigned && range.min < 0 ? largest : (uint64_t)NR_MAX(range.max, 0);
  return is_size ? NR_MIN(most, UINT64_C(1) << SIZE_BITS) : most;
}

bool nr_for_may_wrap(const NrOp *loop, bool bounds_are_sizes) {
  bool is_unsigned = nr_is_unsigned_for(loop);
  uint32_t bits = nr_type_bits(nr_scf_for_iv(loop)->type);
  int64_t step, upper;
  if (nr_value_constant_int(nr_scf_for_step(loop), &step) && step == 1) return false;
  if (bits > 64) return true;
  if (!is_unsigned && nr_value_constant_int(nr_scf_for_upper(loop), &upper) && upper <= 0) return false;
  uint64_t largest = nr_for_largest(loop);
  bool sizes = bounds_are_sizes && bits == 64;
  uint64_t end = largest_of(nr_scf_for_upper(loop), is_unsigned, largest, sizes);
  return largest_of(nr_scf_for_step(loop), is_unsigned, largest, sizes) > largest - NR_MIN(end, largest) + 1;
}

NrValue *nr_for_build_next(NrBuilder *b, NrOp *loop, NrValue *iv, bool may_wrap) {
  NrValue *upper = nr_scf_for_upper(loop), *step = nr_scf_for_step(loop);
  NrValue *sum = nr_arith_binary(b, NR_OP_arith_addi, iv, step);
  if (!may_wrap) return sum;
  NrCmpI below = nr_is_unsigned_for(loop) ? NR_CMPI_ULT : NR_CMPI_SLT;
  return nr_arith_select(b, nr_arith_cmpi(b, below, sum, iv), upper, sum); /* a sum that wraps is below its parts */
}

NrValue *nr_for_build_goes_on(NrBuilder *b, NrOp *loop, NrValue *iv) {
  return nr_arith_cmpi(b, nr_is_unsigned_for(loop) ? NR_CMPI_ULT : NR_CMPI_SLT, iv, nr_scf_for_upper(loop));
}
