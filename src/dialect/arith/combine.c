/* combine.c - the table of the ops that can combine the values of a reduction. */
#include "dialect/arith/combine.h"

#include "base/float_format.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/arith/fold.h"

#include <math.h>

const NrCombine nr_combines[NR_NUM_COMBINES] = {
    {"addf", "add", NR_OP_arith_addf, true, NR_NEUTRAL_ZERO},
    {"addi", "add", NR_OP_arith_addi, false, NR_NEUTRAL_ZERO},
    {"andi", "and", NR_OP_arith_andi, false, NR_NEUTRAL_ONES},
    {"assign", NULL, 0, false, NR_NEUTRAL_NONE},
    {"maximumf", "maximumf", NR_OP_arith_maximumf, true, NR_NEUTRAL_LOWEST},
    {"maxnumf", "maxnumf", NR_OP_arith_maxnumf, true, NR_NEUTRAL_NAN_OR_LOWEST},
    {"maxs", "maxsi", NR_OP_arith_maxsi, false, NR_NEUTRAL_LOWEST},
    {"maxu", "maxui", NR_OP_arith_maxui, false, NR_NEUTRAL_ZERO},
    {"minimumf", "minimumf", NR_OP_arith_minimumf, true, NR_NEUTRAL_HIGHEST},
    {"minnumf", "minnumf", NR_OP_arith_minnumf, true, NR_NEUTRAL_NAN_OR_HIGHEST},
    {"mins", "minsi", NR_OP_arith_minsi, false, NR_NEUTRAL_HIGHEST},
    {"minu", "minui", NR_OP_arith_minui, false, NR_NEUTRAL_ONES},
    {"mulf", "mul", NR_OP_arith_mulf, true, NR_NEUTRAL_ONE},
    {"muli", "mul", NR_OP_arith_muli, false, NR_NEUTRAL_ONE},
    {"ori", "or", NR_OP_arith_ori, false, NR_NEUTRAL_ZERO},
    {"xori", "xor", NR_OP_arith_xori, false, NR_NEUTRAL_ZERO},
};

const NrCombine *nr_combine_of_op(unsigned op_id) {
  for (size_t i = 0; op_id && i < NR_NUM_COMBINES; i++)
    if (nr_combines[i].op_id == op_id) return &nr_combines[i];
  return NULL;
}

const NrCombine *nr_combine_of_atomic(int64_t kind) {
  return kind >= 0 && kind < NR_NUM_COMBINES && nr_combines[kind].op_id ? &nr_combines[kind] : NULL;
}

const NrCombine *nr_combine_of_vector(NrStr kind, bool is_float) {
  for (size_t i = 0; i < NR_NUM_COMBINES; i++)
    if (nr_combines[i].vector && nr_combines[i].is_float == is_float && nr_str_is(kind, nr_combines[i].vector))
      return &nr_combines[i];
  return NULL;
}

/* ---- neutral elements -------------------------------------------------------------------------------------------- */

/* The lowest or highest value of a float type: an infinity where the type has one. */
static double end_of(const NrFloatFormat *format, bool lowest) {
  if (format && lowest && format->unsigned_no_zero) return nr_float_decode(format, 0);
  if (format && format->nan != NR_NAN_IEEE)
    return nr_float_decode(format, nr_float_encode(format, lowest ? -1e300 : 1e300, true));
  return lowest ? -(double)INFINITY : (double)INFINITY;
}

static NrAttr float_neutral(NrNeutral neutral, NrType type) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  bool lowest = neutral == NR_NEUTRAL_LOWEST || neutral == NR_NEUTRAL_NAN_OR_LOWEST;
  switch (neutral) {
  case NR_NEUTRAL_ZERO: return format && format->unsigned_no_zero ? NULL : nr_attr_float(type, -0.0);
  case NR_NEUTRAL_ONE: return nr_attr_float(type, 1.0);
  case NR_NEUTRAL_NAN_OR_LOWEST:
  case NR_NEUTRAL_NAN_OR_HIGHEST:
    if (!format || format->nan != NR_NAN_NONE) return nr_attr_float(type, (double)NAN);
    return nr_attr_float(type, end_of(format, lowest));
  case NR_NEUTRAL_LOWEST:
  case NR_NEUTRAL_HIGHEST: return nr_attr_float(type, end_of(format, lowest));
  default: return NULL;
  }
}

static NrAttr int_neutral(NrNeutral neutral, NrType type) {
  uint32_t bits = nr_type_bits(type);
  if (neutral == NR_NEUTRAL_ZERO) return nr_attr_int(type, 0);
  if (neutral == NR_NEUTRAL_ONE) return nr_attr_int(type, 1);
  if (neutral == NR_NEUTRAL_ONES) return nr_attr_int(type, -1);
  if (bits > NR_WIDE_MAX) return NULL;
  NrWide one = nr_wide_from_u64(bits, 1), lowest = nr_wide_shl(&one, bits - 1);
  NrWide highest = nr_wide_sub(&lowest, &one);
  return nr_wide_to_attr(type, neutral == NR_NEUTRAL_LOWEST ? &lowest : &highest);
}

NrAttr nr_combine_neutral(const NrCombine *combine, NrType type) {
  NrType elem = nr_type_elem(type);
  bool fits = combine && (combine->is_float ? nr_type_is_float(elem) : nr_type_is_int_or_index(elem));
  if (!fits || combine->neutral == NR_NEUTRAL_NONE) return NULL;
  NrAttr scalar = combine->is_float ? float_neutral(combine->neutral, elem) : int_neutral(combine->neutral, elem);
  return scalar ? nr_splat_attr(type, scalar) : NULL;
}

NrAttr nr_combine_neutral_of(const NrOp *op) {
  const NrCombine *combine = op ? nr_combine_of_op(op->info->id) : NULL;
  bool extreme = nr_op_is(op, NR_OP_arith_maximumf) || nr_op_is(op, NR_OP_arith_minimumf) ||
                 nr_op_is(op, NR_OP_arith_maxnumf) || nr_op_is(op, NR_OP_arith_minnumf);
  if (extreme && nr_arith_fastmath_has(op, "ninf")) return NULL; /* an infinity, which the op may not take */
  return combine ? nr_combine_neutral(combine, nr_op_result(op)->type) : NULL;
}
