/* lanes_divide.c - divisions of integers in lanes, of which no CPU has vectors; see lanes.h. Those of up to 32 bits are
 * divisions of floats:
 *
 *   %q = arith.divsi %a, %b : i32      %x = arith.sitofp %a : vector<8xi32> to vector<8xf64>, %y of %b likewise
 *                                      %q = arith.fptosi %x / %y
 *   %r = arith.remsi %a, %b : i32      %r = arith.fptosi %x - math.trunc(%x / %y) * %y
 *
 * This is exact. With |a| of at most n bits, a quotient that is no integer is at least 1 / |b| from the next one, which
 * is 2^-n of the quotient or more; rounding to p bits moves it by at most 2^-p of it, and p is 53 for n of up to 32, 24
 * for n of up to 16. The product and the difference are integers below 2^n. A divisor of 0, and a quotient that
 * overflows, are excluded before, in active lanes by the program or its checks, in others by dividing by 1.
 *
 * Divisors that are constants stay: the code generator multiplies by them, or shifts. Others of 64 bits are divided
 * lane by lane. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "pass/loop/lanes.h"

NrLanesDivision nr_lanes_division(const NrOp *op) {
  int64_t by;
  uint32_t bits = nr_type_bits(nr_op_result(op)->type);
  if (nr_value_constant_int(nr_op_rhs(op), &by) && (bits <= 32 || (by > 0 && (by & (by - 1)) == 0)))
    return NR_LANES_BY_CONSTANT;
  unsigned id = op->info->id;
  bool plain = id == NR_OP_arith_divsi || id == NR_OP_arith_divui || id == NR_OP_arith_remsi || id == NR_OP_arith_remui;
  bool exact = bits > 1 && bits <= 32;
  return plain && exact ? NR_LANES_BY_FLOATS : NR_LANES_BY_LANE;
}

NrValue *nr_lanes_divide(NrLanes *l, const NrOp *op, NrValue *lhs, NrValue *rhs) {
  NrContext *ctx = l->b.ctx;
  unsigned id = op->info->id;
  bool is_signed = id == NR_OP_arith_divsi || id == NR_OP_arith_remsi;
  NrType type = lhs->type, elem = nr_type_bits(type->elem) <= 16 ? nr_type_f32(ctx) : nr_type_f64(ctx);
  NrType floats = nr_lanes_type(l, elem);
  unsigned to = is_signed ? NR_OP_arith_sitofp : NR_OP_arith_uitofp;
  unsigned back = is_signed ? NR_OP_arith_fptosi : NR_OP_arith_fptoui;
  NrValue *x = nr_build_value(&l->b, to, floats, &lhs, 1), *y = nr_build_value(&l->b, to, floats, &rhs, 1);
  NrValue *result = nr_arith_binary(&l->b, NR_OP_arith_divf, x, y);
  if (id == NR_OP_arith_remsi || id == NR_OP_arith_remui) {
    NrValue *whole = nr_build_value(&l->b, NR_OP_math_trunc, floats, &result, 1);
    result = nr_arith_binary(&l->b, NR_OP_arith_subf, x, nr_arith_binary(&l->b, NR_OP_arith_mulf, whole, y));
  }
  return nr_build_value(&l->b, back, type, &result, 1);
}
