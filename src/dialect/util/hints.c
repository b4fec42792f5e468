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

static NrStatus same_types_verify(NrOp *op, const char *id) {
  bool same = op->num_operands == op->num_results;
  for (uint32_t i = 0; same && i < op->num_results; i++) same = nr_operand(op, i)->type == nr_result(op, i)->type;
  if (same) return NR_OK;
  return nr_op_error(op, "(%s) failed to verify that all of {operands, results} have same type", id);
}

NrStatus nr_util_barrier_verify(NrOp *op) { return same_types_verify(op, "C1"); }

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

/* ---- util.assume.int --------------------------------------------------------------------------------------------- */

typedef enum Fact { UMIN, UMAX, UDIV, NUM_FACTS } Fact;
static const char *const fact_names[NUM_FACTS] = {"umin", "umax", "udiv"};

/* umin = 1, umax = 2, udiv = 16 */
NrStatus nr_util_assumption_parse(NrParser *p, NrAttr *out_params) {
  for (size_t i = 0; i < NUM_FACTS; i++) out_params[i] = nr_attr_i64(nr_p_context(p), -1);
  if (nr_p_peek(p, ">")) return NR_OK;
  do {
    int64_t fact, value;
    NR_TRY(nr_p_choice(p, NR_STR("umin|umax|udiv"), &fact));
    NR_TRY(nr_p_expect(p, "="));
    NrLoc loc = nr_p_loc(p);
    NR_TRY(nr_p_int(p, &value));
    if (value < (fact == UDIV)) return nr_p_error(p, loc, "%s cannot be %lld", fact_names[fact], (long long)value);
    out_params[fact] = nr_attr_i64(nr_p_context(p), value);
  } while (nr_p_try(p, ","));
  return NR_OK;
}

void nr_util_assumption_print(NrPrinter *w, const NrAttr *params) {
  bool any = false;
  for (size_t i = 0; i < NUM_FACTS; i++) {
    if (params[i]->i < 0) continue;
    nr_w_printf(w, any ? ", %s = %lld" : "%s = %lld", fact_names[i], (long long)params[i]->i);
    any = true;
  }
}

static NrStatus parse_assumption(NrParser *p, NrAttr *out) {
  NrAttr params[NUM_FACTS];
  if (nr_p_peek(p, "#")) return nr_p_attr(p, out);
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(nr_util_assumption_parse(p, params));
  NR_TRY(nr_p_expect(p, ">"));
  *out = nr_attr_of_dialect(nr_p_context(p), NR_ATTR_util_int_assumption, params, NULL);
  return NR_OK;
}

/* `<..>`, `[<..>, <..>]` or `[]` */
static NrStatus parse_row(NrParser *p, NrAttr *out) {
  NR_VEC(NrAttr) row = {0};
  NrAttr one;
  NrStatus status = NR_OK;
  bool many = nr_p_try(p, "[");
  if (!(many && nr_p_peek(p, "]"))) {
    do {
      if (!(status = parse_assumption(p, &one))) nr_vec_push(&row, one);
    } while (!status && many && nr_p_try(p, ","));
  }
  if (!status && many) status = nr_p_expect(p, "]");
  if (!status) *out = nr_attr_array(nr_p_context(p), row.data, row.size);
  nr_vec_deinit(&row);
  return status;
}

/* `%a[<umin = 0>, <udiv = 5>], %b<umax = 10> : index, i64` */
NrStatus nr_util_assume_parse(NrParser *p, NrOpState *state) {
  NR_VEC(NrOperandRef) refs = {0};
  NR_VEC(NrAttr) rows = {0};
  NrOperandRef ref;
  NrAttr row;
  NrType *types;
  size_t count;
  NrStatus status;
  do {
    if ((status = nr_p_operand(p, &ref)) || (status = parse_row(p, &row))) break;
    nr_vec_push(&refs, ref);
    nr_vec_push(&rows, row);
  } while (nr_p_try(p, ","));
  if (!status && !nr_p_try_attr_dict(p, state)) status = NR_ERROR_INVALID;
  if (!status && !(status = nr_p_expect(p, ":")) && !(status = nr_p_type_list(p, &types, &count))) {
    nr_p_add_attr(p, state, "assumptions", nr_attr_array(nr_p_context(p), rows.data, rows.size));
    status = nr_p_add_operands(p, state, refs.data, refs.size, types, count);
    if (!status) nr_p_add_results(p, state, types, count);
  }
  nr_vec_deinit(&refs);
  nr_vec_deinit(&rows);
  return status;
}

void nr_util_assume_print(NrPrinter *w, NrOp *op) {
  NrAttr rows = nr_op_attr(op, NR_A_assumptions);
  bool lines = op->num_operands > 1;
  if (lines) nr_w_indent(w, 4);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrAttr row = i < rows->size && rows->items[i]->kind == NR_ATTR_ARRAY ? rows->items[i] : NULL;
    if (i) nr_w_puts(w, ",");
    if (lines) nr_w_newline(w);
    else nr_w_puts(w, " ");
    nr_w_value(w, nr_operand(op, i));
    if (!row || row->size != 1) nr_w_puts(w, "[");
    for (size_t k = 0; row && k < row->size; k++) {
      if (k) nr_w_puts(w, ", ");
      nr_w_puts(w, "<");
      if (row->items[k]->kind == NR_ATTR_util_int_assumption) nr_util_assumption_print(w, row->items[k]->items);
      nr_w_puts(w, ">");
    }
    if (!row || row->size != 1) nr_w_puts(w, "]");
  }
  if (lines) nr_w_newline(w);
  nr_w_attr_dict(w, op, (const char *const[]){"assumptions", NULL});
  nr_w_puts(w, lines ? ": " : " : ");
  nr_w_operand_types(w, op, 0, op->num_operands);
  if (lines) nr_w_indent(w, -4);
}

NrStatus nr_util_assume_verify(NrOp *op) {
  NrAttr rows = nr_op_attr(op, NR_A_assumptions);
  size_t longest = 1;
  if (rows->size != op->num_operands)
    return nr_op_error(op, "(C1) expected %u assumption rows to match number of operands", op->num_operands);
  for (size_t i = 0; i < rows->size; i++) {
    NrAttr row = rows->items[i];
    bool valid = row->kind == NR_ATTR_ARRAY;
    for (size_t k = 0; valid && k < row->size; k++) valid = row->items[k]->kind == NR_ATTR_util_int_assumption;
    if (!valid) return nr_op_error(op, "(C1) row %zu is no list of #util.int.assumption", i);
    if (row->size <= 1) continue;
    if (longest > 1 && row->size != longest)
      return nr_op_error(op, "(C2) expected operand #%zu to have %zu assumptions but it has %zu", i, longest,
                         row->size);
    longest = row->size;
  }
  return same_types_verify(op, "C3");
}

/* A constant is itself, and a number between equal bounds is known. */
bool nr_util_assume_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrAttr rows = nr_op_attr(op, NR_A_assumptions);
  bool all = op->num_results > 0;
  for (uint32_t i = 0; i < op->num_results && all; i++) {
    NrAttr row = rows->items[i], one = row->size == 1 ? row->items[0] : NULL;
    int64_t umin = one ? one->items[UMIN]->i : -1, umax = one ? one->items[UMAX]->i : -1;
    if (constants[i]) out[i].attr = constants[i];
    else if (umin >= 0 && umin == umax) out[i].attr = nr_attr_int(nr_result(op, i)->type, umin);
    else if (one && umin < 0 && umax < 0 && one->items[UDIV]->i < 0) out[i].value = nr_operand(op, i);
    else if (!row->size) out[i].value = nr_operand(op, i);
    else all = false;
  }
  return all;
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
