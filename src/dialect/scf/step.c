/* step.c - scf.for taken apart: its comparison and its step as ops, for the passes that make other loops of it. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"

/* Whether lower + step, .. may pass the end of the type before it passes upper. Of index and i64 loops only those with
 * a huge step are suspected when their upper bound is not known: it is a size then. */
static bool may_wrap(NrOp *op) {
  NrType type = nr_scf_for_lower(op)->type;
  bool is_unsigned = nr_op_attr(op, "unsignedCmp") != NULL;
  uint32_t bits = nr_type_bits(type);
  int64_t step, upper;
  bool known = nr_value_constant_int(nr_scf_for_step(op), &step);
  if (known && step == 1) return false;
  if (bits > 64) return true;
  uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  uint64_t largest = is_unsigned ? mask : mask >> 1;
  bool upper_known = nr_value_constant_int(nr_scf_for_upper(op), &upper);
  if (bits == 64 && !upper_known) return known && (uint64_t)step > UINT32_MAX;
  if (bits == 64 && !known) return (is_unsigned || upper > 0) && largest - (uint64_t)upper < INT64_MAX / 2;
  if (!known || !upper_known) return true;
  if (!is_unsigned && upper <= 0) return false;
  return ((uint64_t)step & mask) - 1 > largest - ((uint64_t)upper & mask);
}

NrValue *nr_scf_for_next_iv(NrBuilder *b, NrOp *op, NrValue *iv) {
  NrValue *sum = nr_arith_binary(b, NR_OP_arith_addi, iv, nr_scf_for_step(op));
  if (!may_wrap(op)) return sum;
  NrValue *left = nr_arith_binary(b, NR_OP_arith_subi, nr_scf_for_upper(op), iv); /* exact when unsigned: iv is below */
  NrValue *goes_on = nr_arith_cmpi(b, NR_CMPI_UGT, left, nr_scf_for_step(op));
  return nr_arith_select(b, goes_on, sum, nr_scf_for_upper(op));
}

NrValue *nr_scf_for_goes_on(NrBuilder *b, NrOp *op, NrValue *iv) {
  NrCmpI predicate = nr_op_attr(op, "unsignedCmp") ? NR_CMPI_ULT : NR_CMPI_SLT;
  return nr_arith_cmpi(b, predicate, iv, nr_scf_for_upper(op));
}
