/* scalar.c - elementwise ops: scalars directly on their bits, or by the op's fold; shaped values element by element. */
#include "dialect/arith/compare.h"
#include "dialect/shared/fold.h"
#include "interp/internal.h"

/* ---- integers of at most 64 bits ---- */

static uint64_t mask_of(NrType t) {
  uint32_t w = nr_type_is_index(t) ? 64 : t->width;
  return w >= 64 ? UINT64_MAX : (1ull << w) - 1;
}

/* *why is set where the result is undefined. */
static bool int_binary(unsigned id, NrType t, uint64_t a, uint64_t b, uint64_t *out, const char **why) {
  int64_t x = nr_ivalue_int(t, (NrIValue){.bits = a}), y = nr_ivalue_int(t, (NrIValue){.bits = b});
  uint32_t width = nr_type_is_index(t) ? 64 : t->width;
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

static bool is_small(NrType t) {
  return (nr_type_is_int_or_index(t) || nr_type_is_float(t)) && nr_type_bits(t) <= 64;
}

bool nr_scalar_fast(NrOp *op, NrType out, const NrType *types, const NrIValue *args, NrIValue *result,
                    const char **why) {
  unsigned id = op->info->id;
  size_t n = op->num_operands;
  *result = (NrIValue){0};
  if (id == NR_OP_arith_select) {
    *result = args[0].bits ? args[1] : args[2];
    return true;
  }
  for (size_t i = 0; i < n; i++)
    if (!is_small(types[i])) return false;
  if (!is_small(out)) return false;
  if (id == NR_OP_arith_cmpi) {
    result->bits = nr_cmpi_holds(nr_cmpi_of(op), nr_type_bits(types[0]), args[0].bits, args[1].bits);
    return true;
  }
  bool ints = n == 2 && !nr_type_is_float(types[0]);
  if (ints && int_binary(id, types[0], args[0].bits, args[1].bits, &result->bits, why)) {
    result->bits &= mask_of(out);
    return true;
  }
  return nr_scalar_float(op, out, types, args, result, why);
}

bool nr_scalar_combine(const NrCombine *combine, NrType t, NrIValue a, NrIValue b, NrIValue *out) {
  const char *why = NULL;
  if (!combine || !is_small(t)) return false;
  if (nr_type_is_float(t)) {
    double d;
    if (!nr_scalar_float_binary(combine->op_id, nr_ivalue_float(t, a), nr_ivalue_float(t, b), &d)) return false;
    *out = nr_ivalue_from_float(t, d);
    return true;
  }
  NrIValue result = {0};
  if (!int_binary(combine->op_id, t, a.bits, b.bits, &result.bits, &why) || why) return false;
  result.bits &= mask_of(t);
  *out = result;
  return true;
}

/* ---- any op ---- */

enum { MAX_OPERANDS = 8, MAX_RESULTS = 4 };

/* Why an integer op of any width has no value, in the words of int_binary. */
static const char *why_undefined(const NrOp *op, const NrAttr *constants) {
  if (nr_op_has(op, NR_DIVIDES))
    return nr_const_is_int(constants[1], 0) ? "division by zero" : "the quotient overflows";
  switch (op->info->id) {
  case NR_OP_arith_shli:
  case NR_OP_arith_shrsi:
  case NR_OP_arith_shrui: return "shift by the width or more";
  default: return "its value is not defined for these operands";
  }
}

/* A scalar copy of the op for its fold. Its operands have no defining ops, so the fold can only use the constants. */
static NrOp *scalar_form(NrInterp *in, NrOp *op, const NrType *types, const NrType *outs) {
  NrOp *scalar = nr_map_get(&in->scalar_forms, op);
  if (scalar) return scalar;
  NrValue *operands[MAX_OPERANDS];
  NrBlock *block = nr_block_create(in->module);
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = nr_block_add_arg(block, types[i], op->loc);
  NrBuilder b = nr_builder_at_end(in->module, block, op->loc);
  scalar = nr_build(&b, &(NrOpState){.info = op->info,
                                     .loc = op->loc,
                                     .operands = operands,
                                     .num_operands = op->num_operands,
                                     .result_types = outs,
                                     .num_results = op->num_results,
                                     .attrs = op->attrs,
                                     .num_attrs = op->num_attrs});
  nr_map_set(&in->scalar_forms, op, scalar);
  return scalar;
}

/* Computes one element by the op's fold; types are the scalar types. */
static bool by_fold(NrInterp *in, NrOp *op, const NrType *types, const NrIValue *args, const NrType *outs,
                    NrIValue *results) {
  NrAttr constants[MAX_OPERANDS];
  NrFold folded[MAX_RESULTS] = {{0}};
  if (!op->info->fold) return nr_interp_fail(in, op, "the interpreter cannot compute it");
  for (uint32_t i = 0; i < op->num_operands; i++) constants[i] = nr_ivalue_to_attr(in, types[i], args[i]);
  NrOp *scalar = scalar_form(in, op, types, outs);
  if (!op->info->fold(scalar, constants, folded)) return nr_interp_fail(in, op, "%s", why_undefined(op, constants));
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (folded[i].attr) results[i] = nr_ivalue_of_attr(in, folded[i].attr);
    else if (folded[i].value) {
      for (uint32_t k = 0; k < op->num_operands; k++)
        if (nr_operand(scalar, k) == folded[i].value) results[i] = args[k];
    } else return nr_interp_fail(in, op, "its value is not defined for these operands");
  }
  return true;
}

static bool one(NrInterp *in, NrOp *op, const NrType *types, const NrIValue *args, const NrType *outs,
                NrIValue *results) {
  const char *why = NULL;
  if (nr_op_is(op, NR_OP_math_sincos) && is_small(types[0])) return nr_scalar_sincos(types[0], args[0], results), true;
  if (op->num_results == 1 && nr_scalar_fast(op, outs[0], types, args, &results[0], &why))
    return why ? nr_interp_fail(in, op, "%s", why) : true;
  return by_fold(in, op, types, args, outs, results);
}

bool nr_interp_scalar(NrInterp *in, NrOp *op) {
  NrIValue args[MAX_OPERANDS], results[MAX_RESULTS] = {{0}};
  NrType types[MAX_OPERANDS], outs[MAX_RESULTS];
  if (op->num_operands > MAX_OPERANDS || op->num_results > MAX_RESULTS || op->num_results == 0)
    return nr_interp_fail(in, op, "the interpreter cannot compute it");
  NrIView *shape = NULL;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    args[i] = nr_get(in, nr_operand(op, i));
    types[i] = nr_type_elem(nr_operand(op, i)->type);
    if (args[i].view) shape = args[i].view;
  }
  for (uint32_t i = 0; i < op->num_results; i++) outs[i] = nr_type_elem(nr_result(op, i)->type);
  if (!shape) {
    if (!one(in, op, types, args, outs, results)) return false;
    for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), results[i]);
    return true;
  }
  /* A scalar condition selects a whole value; the two may have different shapes. */
  if (nr_op_is(op, NR_OP_arith_select) && !args[0].view) {
    NrIView *chosen = args[args[0].bits & 1 ? 1 : 2].view;
    chosen->refs++;
    nr_set(in, nr_result(op, 0), (NrIValue){.view = chosen});
    return true;
  }
  for (uint32_t i = 0; i < op->num_operands; i++) {
    bool fits = !args[i].view || args[i].view->rank == shape->rank;
    for (size_t d = 0; d < shape->rank && fits && args[i].view; d++) fits = args[i].view->dims[d] == shape->dims[d];
    if (!fits) return nr_interp_fail(in, op, "its operands have different shapes");
  }
  NrIView *views[MAX_RESULTS] = {NULL};
  int64_t indices[NR_MAX_RANK] = {0};
  bool ok = true;
  for (uint32_t i = 0; i < op->num_results && ok; i++)
    ok = (views[i] = nr_iview_new(in, outs[i], shape->dims, shape->rank)) != NULL;
  if (ok && nr_iview_count(shape)) do {
      NrIValue elements[MAX_OPERANDS] = {{0}};
      for (uint32_t i = 0; i < op->num_operands && ok; i++)
        if (!args[i].view) elements[i] = args[i];
        else ok = nr_ivalue_load_any(in, types[i], nr_iview_at(args[i].view, indices), &elements[i]);
      ok = ok && one(in, op, types, elements, outs, results);
      for (uint32_t i = 0; i < op->num_results && ok; i++)
        nr_ivalue_store(outs[i], nr_iview_at(views[i], indices), results[i]);
      for (uint32_t i = 0; i < op->num_operands; i++) nr_iview_release(elements[i].view);
    } while (ok && nr_interp_next(in, shape->dims, shape->rank, indices));
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (ok) nr_set(in, nr_result(op, i), (NrIValue){.view = views[i]});
    else nr_iview_release(views[i]);
  }
  return ok;
}
