/* scalar.c - element-wise ops: scalars by nr_eval or by the op's fold; shaped values element by element. */
#include "dialect/arith/fold.h"
#include "interp/internal.h"

#include <math.h>

bool nr_scalar_combine(const NrCombine *combine, NrType t, NrIValue a, NrIValue b, NrIValue *out) {
  const char *why = NULL;
  *out = (NrIValue){0};
  return combine && nr_eval_has_type(t) && nr_eval_binary(combine->op_id, t, a.bits, b.bits, &out->bits, &why) && !why;
}

enum { MAX_OPERANDS = 8, MAX_RESULTS = 4 };

/* Why an integer op of any width has no value, in the words of nr_eval. */
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

static void sincos_of(NrType type, NrIValue arg, NrIValue *results) {
  double a = nr_ivalue_float(type, arg);
  results[0] = nr_ivalue_from_float(type, sin(a));
  results[1] = nr_ivalue_from_float(type, cos(a));
}

static bool one(NrInterp *in, NrOp *op, const NrType *types, const NrIValue *args, const NrType *outs,
                NrIValue *results) {
  const char *why = NULL;
  uint64_t bits[MAX_OPERANDS];
  if (nr_op_is(op, NR_OP_arith_select)) return results[0] = args[0].bits ? args[1] : args[2], true;
  if (nr_op_is(op, NR_OP_math_sincos) && nr_eval_has_type(types[0])) return sincos_of(types[0], args[0], results), true;
  for (uint32_t i = 0; i < op->num_operands; i++) bits[i] = args[i].bits;
  if (op->num_results == 1 && nr_eval(op, outs[0], types, bits, &results[0].bits, &why))
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
    nr_set(in, nr_op_result(op), (NrIValue){.view = chosen});
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
