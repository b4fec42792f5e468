/* eval.c - scalars as bits, and the evaluation of integer ops; see eval.h. */
#include "dialect/arith/eval.h"

#include "base/float_format.h"
#include "dialect/arith/compare.h"

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static uint32_t width_of(NrType type) { return nr_type_is_index(type) ? 64 : type->width; }
static uint64_t mask_of(uint32_t width) { return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1; }
static int64_t sign_extend(uint32_t width, uint64_t bits) {
  return width >= 64 || width == 0 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

bool nr_eval_has_type(NrType type) {
  return (nr_type_is_int_or_index(type) || nr_type_is_float(type)) && nr_type_bits(type) <= 64;
}

int64_t nr_bits_to_int(NrType type, uint64_t bits) { return sign_extend(width_of(type), bits); }
uint64_t nr_bits_from_int(NrType type, int64_t value) { return (uint64_t)value & mask_of(width_of(type)); }

double nr_bits_to_float(NrType type, uint64_t bits) {
  if (nr_type_is_float_kind(type, NR_F32)) {
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
  }
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (format) return nr_float_decode(format, bits);
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

uint64_t nr_bits_from_float(NrType type, double value) {
  uint64_t bits = 0;
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (nr_type_is_float_kind(type, NR_F32)) {
    float f = (float)value;
    memcpy(&bits, &f, sizeof f);
  } else if (format) bits = nr_float_encode(format, value, false);
  else memcpy(&bits, &value, sizeof value);
  return bits;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* The caller clears the bits of *out above width. */
static bool int_binary(unsigned id, uint32_t width, uint64_t a, uint64_t b, uint64_t *out, const char **why) {
  int64_t x = sign_extend(width, a), y = sign_extend(width, b);
  bool overflow = y == -1 && x == (width >= 64 ? INT64_MIN : -(1ll << (width - 1)));
  switch (id) {
  case NR_OP_arith_addi: *out = a + b; return true;
  case NR_OP_arith_subi: *out = a - b; return true;
  case NR_OP_arith_muli: *out = a * b; return true;
  case NR_OP_arith_andi: *out = a & b; return true;
  case NR_OP_arith_ori: *out = a | b; return true;
  case NR_OP_arith_xori: *out = a ^ b; return true;
  case NR_OP_arith_maxsi: *out = x > y ? a : b; return true;
  case NR_OP_arith_minsi: *out = x < y ? a : b; return true;
  case NR_OP_arith_maxui: *out = a > b ? a : b; return true;
  case NR_OP_arith_minui: *out = a < b ? a : b; return true;
  case NR_OP_arith_shli:
  case NR_OP_arith_shrui:
  case NR_OP_arith_shrsi:
    if (b >= width) *why = "shift by the width or more";
    else *out = id == NR_OP_arith_shli ? a << b : id == NR_OP_arith_shrui ? a >> b : (uint64_t)(x >> b);
    return true;
  case NR_OP_arith_divsi:
  case NR_OP_arith_remsi:
  case NR_OP_arith_floordivsi:
  case NR_OP_arith_ceildivsi:
    if (y == 0) *why = "division by zero";
    else if (overflow) {
      if (id == NR_OP_arith_remsi) *out = 0;
      else *why = "the quotient overflows";
    } else if (id == NR_OP_arith_divsi) *out = (uint64_t)(x / y);
    else if (id == NR_OP_arith_remsi) *out = (uint64_t)(x % y);
    else if (id == NR_OP_arith_floordivsi) *out = (uint64_t)(x / y - ((x % y != 0) && ((x < 0) != (y < 0))));
    else *out = (uint64_t)(x / y + ((x % y != 0) && ((x < 0) == (y < 0))));
    return true;
  case NR_OP_arith_divui:
  case NR_OP_arith_remui:
  case NR_OP_arith_ceildivui:
    if (b == 0) *why = "division by zero";
    else *out = id == NR_OP_arith_divui ? a / b : id == NR_OP_arith_remui ? a % b : a / b + (a % b != 0);
    return true;
  default: return false;
  }
}

bool nr_eval_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result, const char **why) {
  *result = 0;
  if (nr_type_is_float(type)) return nr_eval_float_binary(op_id, type, a, b, result);
  if (!int_binary(op_id, width_of(type), a, b, result, why)) return false;
  *result &= mask_of(width_of(type));
  return true;
}

bool nr_eval(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
             const char **why) {
  size_t n = op->num_operands;
  *result = 0;
  for (size_t i = 0; i < n; i++)
    if (!nr_eval_has_type(types[i])) return false;
  if (!nr_eval_has_type(out)) return false;
  if (nr_op_is(op, NR_OP_arith_cmpi)) {
    *result = nr_cmpi_holds(nr_cmpi_of(op), width_of(types[0]), args[0], args[1]);
    return true;
  }
  if (n == 2 && !nr_type_is_float(types[0]) && nr_eval_binary(op->info->id, types[0], args[0], args[1], result, why))
    return true;
  return nr_eval_float(op, out, types, args, result, why);
}
