/* hints.c - ops whose results are their operands: barriers for folds, and facts about numbers. */
#include "dialect/arith/arith.h"
#include "dialect/util/util.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

/* ---- util.optimization_barrier ----------------------------------------------------------------------------------- */

/* `{..} %a, %b : t, u`; till 2022, as util.do_not_optimize, `(%a, %b) {..} : t, u`. */
NrStatus nr_util_barrier_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *operands;
  NrType *types = NULL;
  size_t count, num_types = 0;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  bool in_parentheses = nr_p_try(p, "(");
  NR_TRY(nr_p_operands(p, &operands, &count));
  if (in_parentheses) {
    NR_TRY(nr_p_expect(p, ")"));
    if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  }
  if (count) {
    NR_TRY(nr_p_expect(p, ":"));
    NR_TRY(nr_p_type_list(p, &types, &num_types));
  }
  NR_TRY(nr_p_add_operands(p, state, operands, count, types, num_types));
  nr_p_add_results(p, state, types, num_types);
  return NR_OK;
}

void nr_util_barrier_print(NrPrinter *w, NrOp *op) {
  nr_w_attr_dict(w, op, NULL);
  if (!op->num_operands) nr_w_puts(w, "()"); /* else the name of the next op's result would be an operand */
  if (!op->num_operands) return;
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, op->num_operands);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, op->num_operands);
}

NrStatus nr_util_same_types_verify(NrOp *op, const char *id) {
  bool same = op->num_operands == op->num_results;
  for (uint32_t i = 0; same && i < op->num_results; i++) same = nr_operand(op, i)->type == nr_result(op, i)->type;
  if (same) return NR_OK;
  return nr_op_error(op, "(%s) failed to verify that all of {operands, results} have same type", id);
}

NrStatus nr_util_barrier_verify(NrOp *op) { return nr_util_same_types_verify(op, "C1"); }

/* The results are the operands. */
NrStatus nr_util_barrier_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  (void)b;
  for (uint32_t i = 0; i < op->num_results; i++) out[i] = nr_operand(op, i);
  return NR_OK;
}

/* ---- util.unfoldable_constant ------------------------------------------------------------------------------------ */

/* `{..} 42 : i32`, `@f : (f32) -> ()` */
NrStatus nr_util_unfoldable_parse(NrParser *p, NrOpState *state) {
  NrAttr value;
  NrType type;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_attr(p, &value));
  if (value->kind == NR_ATTR_SYMBOL) NR_TRY(nr_p_colon_type(p, &type));
  else type = value->kind == NR_ATTR_TYPE ? NULL : value->type;
  if (!type) return nr_p_error(p, loc, "expected a constant with a type");
  nr_p_add_attr(p, state, "value", value);
  nr_p_add_result(p, state, type);
  return NR_OK;
}

void nr_util_unfoldable_print(NrPrinter *w, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  nr_w_attr_dict(w, op, (const char *const[]){"value", NULL});
  nr_w_puts(w, " ");
  nr_w_attr(w, value);
  if (value->kind != NR_ATTR_SYMBOL) return;
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

NrStatus nr_util_unfoldable_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value->kind == NR_ATTR_SYMBOL || value->type == nr_op_result(op)->type) return NR_OK;
  return nr_op_error(op, "(C1) the value is not one of type %s", text_of(nr_op_result(op)->type));
}

static NrValue *build_constant(NrBuilder *b, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  bool function = value->kind == NR_ATTR_SYMBOL;
  unsigned id = function ? NR_OP_func_constant : NR_OP_arith_constant;
  NrValue *made = nr_build_value(b, id, nr_op_result(op)->type, NULL, 0);
  nr_op_set_attr(made->op, NR_A_value, value);
  return made;
}

NrStatus nr_util_unfoldable_expand(NrOp *op, NrBuilder *b, NrValue **out) {
  *out = build_constant(b, op);
  return NR_OK;
}

/* A constant behind a barrier. */
bool nr_util_unfoldable_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *constant = build_constant(b, op);
  NrType type = constant->type;
  NrOp *barrier = nr_build_op(b, NR_OP_util_optimization_barrier, &constant, 1, &type, 1);
  nr_value_replace_uses(nr_op_result(op), nr_op_result(barrier));
  nr_op_erase(op);
  return true;
}

/* ---- util.numeric.optional_narrow -------------------------------------------------------------------------------- */

/* `%a : i32 as si8 {..}` */
NrStatus nr_util_narrow_parse(NrParser *p, NrOpState *state) {
  NrOperandRef operand;
  NrType type, narrow;
  NR_TRY(nr_p_operand(p, &operand));
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "as"));
  NR_TRY(nr_p_type(p, &narrow));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  nr_p_add_attr(p, state, "semantic_type", nr_attr_type(narrow));
  nr_p_add_result(p, state, type);
  return nr_p_add_operand(p, state, operand, type);
}

void nr_util_narrow_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_util_numeric_optional_narrow_operand(op));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
  nr_w_puts(w, " as ");
  nr_w_type(w, nr_op_attr(op, NR_A_semantic_type)->type);
  nr_w_attr_dict(w, op, (const char *const[]){"semantic_type", NULL});
}

NrStatus nr_util_narrow_verify(NrOp *op) {
  NrType type = nr_util_numeric_optional_narrow_operand(op)->type, narrow = nr_op_attr(op, NR_A_semantic_type)->type;
  NrType elem = nr_type_is_shaped(type) ? nr_type_elem(type) : type;
  bool numbers = nr_type_is_int_or_index(elem) || nr_type_is_float(elem);
  if (!numbers || type != nr_op_result(op)->type || !(nr_type_is_int(narrow) || nr_type_is_float(narrow)))
    return nr_op_error(op, "(C1) cannot say that %s holds numbers of %s", text_of(type), text_of(narrow));
  return NR_OK;
}
