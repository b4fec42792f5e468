/* syntax.c - the text of scf ops, in today's syntax and that of 2020. Parallel loops are in parallel.c and forall.c. */
#include "dialect/shared/bindings.h"
#include "dialect/scf/scf.h"

/* ---- ops that the 2020 syntax cannot express --------------------------------------------------------------------- */

const char *nr_scf_for_refuse_text(const NrOp *op, bool legacy) {
  if (!legacy) return NULL;
  if (nr_op_attr(op, NR_A_unsignedCmp)) return "bounds were signed";
  return nr_type_is_index(nr_scf_for_lower_bound(op)->type) ? NULL : "bounds were of type index";
}

/* ---- for %i = %lb to %ub step %st iter_args(%a = %x) -> (t) : i32 { .. } {attrs} --------------------------------- */

/* The types after the arrow; without an arrow, those in iter_args. If both are given they must be equal. */
static NrStatus parse_carried_types(NrParser *p, const NrBindings *carried, NrType **types, size_t *num_types) {
  NrStatus status = nr_p_arrow_type_list(p, types, num_types);
  size_t count = carried->types.size, given = 0;
  if (status) return status;
  while (given < count && carried->types.data[given]) given++;
  if (!*num_types && given == count) {
    *types = carried->types.data;
    *num_types = count;
  }
  if (*num_types != count)
    return nr_p_op_error(p, "mismatch in number of loop-carried values and defined values");
  for (size_t i = 0; i < count; i++)
    if (carried->types.data[i] && carried->types.data[i] != (*types)[i])
      return nr_p_op_error(p, "types mismatch between %zuth iter operand and defined value", i);
  return NR_OK;
}

/* The first argument of the body is the induction variable. */
static NrStatus parse_for_body(NrParser *p, NrOpState *state, const NrOperandRef *bounds, NrBindings *carried) {
  NrType *types = NULL, bound = nr_type_index(nr_p_context(p));
  size_t num_types = 0;
  NrStatus status = parse_carried_types(p, carried, &types, &num_types);
  if (status) return status;
  if (nr_p_try(p, ":") && (status = nr_p_type(p, &bound))) return status;
  for (size_t i = 0; i < 3; i++)
    if ((status = nr_p_add_operand(p, state, bounds[i], bound))) return status;
  if ((status = nr_p_add_operands(p, state, carried->values.data, carried->values.size, types, num_types)))
    return status;
  nr_p_add_results(p, state, types, num_types);
  for (size_t i = 0; i <= num_types; i++) carried->args.data[i].type = i ? types[i - 1] : bound;
  if ((status = nr_p_region(p, state, carried->args.data, carried->args.size))) return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_scf_for_parse(NrParser *p, NrOpState *state) {
  static const char *const words[] = {"=", "to", "step"};
  NrArgRef iv;
  NrOperandRef bounds[3];
  NrStatus status;
  if (nr_p_try(p, "unsigned")) nr_p_add_attr(p, state, "unsignedCmp", nr_attr_unit(nr_p_context(p)));
  if ((status = nr_p_arg(p, &iv))) return status;
  for (size_t i = 0; i < 3; i++)
    if ((status = nr_p_expect(p, words[i])) || (status = nr_p_operand(p, &bounds[i]))) return status;
  NrBindings carried = {.typed = true};
  nr_vec_push(&carried.args, iv);
  if (nr_p_try(p, "iter_args")) status = nr_p_bindings(p, &carried);
  if (!status) status = parse_for_body(p, state, bounds, &carried);
  nr_bindings_deinit(&carried);
  return status;
}

void nr_scf_for_print(NrPrinter *w, NrOp *op) {
  NrBlock *body = nr_scf_for_body(op);
  if (nr_op_attr(op, NR_A_unsignedCmp)) nr_w_puts(w, " unsigned");
  nr_w_puts(w, " ");
  nr_w_value(w, nr_block_arg(body, 0));
  nr_w_puts(w, " = ");
  nr_w_value(w, nr_scf_for_lower_bound(op));
  nr_w_puts(w, " to ");
  nr_w_value(w, nr_scf_for_upper_bound(op));
  nr_w_puts(w, " step ");
  nr_w_value(w, nr_scf_for_step(op));
  if (nr_scf_for_num_inits(op)) {
    nr_w_puts(w, " iter_args");
    nr_w_bindings(w, op, 3, body, 1, op->num_results);
    nr_w_puts(w, " -> (");
    nr_w_result_types(w, op);
    nr_w_puts(w, ")");
  }
  NrType bound = nr_scf_for_lower_bound(op)->type;
  if (!nr_type_is_index(bound)) {
    nr_w_puts(w, " : ");
    nr_w_type(w, bound);
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_for_region(op), false, op->num_results > 0);
  nr_w_attr_dict(w, op, (const char *const[]){"unsignedCmp", NULL});
}

/* ---- if %c -> (t) { .. } else { .. } {attrs} --------------------------------------------------------------------- */

NrStatus nr_scf_if_parse(NrParser *p, NrOpState *state) {
  NrOperandRef condition;
  NrType *types = NULL;
  size_t num_types = 0;
  NrStatus status = nr_p_operand(p, &condition);
  const char *end = nr_p_end(p);
  if (status || (status = nr_p_add_operand(p, state, condition, nr_type_i1(nr_p_context(p)))) ||
      (status = nr_p_arrow_type_list(p, &types, &num_types)) || (status = nr_p_region(p, state, NULL, 0)))
    return status;
  if (!nr_p_try(p, "else")) nr_p_empty_region(p, state);
  else if ((status = nr_p_region(p, state, NULL, 0))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  nr_p_add_results(p, state, types, num_types);
  if (!nr_p_is_legacy(p) || num_types || !nr_p_try(p, ":")) return NR_OK;
  /* The first proposal of 2020 had the types after the regions: `: (i1) -> f32`. */
  NrType type;
  if ((status = nr_p_function_type(p, &type))) return status;
  nr_p_add_results(p, state, type->results, type->num_results);
  NrBuf results = {0};
  for (uint32_t i = 0; i < type->num_results; i++)
    nr_buf_printf(&results, "%s%s", i ? ", " : "", nr_type_text(nr_p_context(p), type->results[i]));
  nr_p_proposal(p, end, " -> (%.*s) {", (int)results.size, results.size ? results.data : "");
  nr_buf_deinit(&results);
  return NR_OK;
}

void nr_scf_if_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_scf_if_condition(op));
  if (op->num_results) {
    nr_w_puts(w, " -> (");
    nr_w_result_types(w, op);
    nr_w_puts(w, ")");
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_if_then_region(op), false, op->num_results > 0);
  if (nr_scf_if_else_body(op)) {
    nr_w_puts(w, " else ");
    nr_w_region(w, nr_scf_if_else_region(op), false, op->num_results > 0);
  }
  nr_w_attr_dict(w, op, NULL);
}

/* Erases the terminator that older generic texts have after the yield: the implicit terminator was not the yield
 * then. */
NrStatus nr_scf_yield_post_parse(NrParser *p, NrOp *op) {
  for (uint32_t i = 0; i < op->num_regions; i++)
    for (NrBlock *block = nr_op_region(op, i)->first; block; block = block->next) {
      NrOp *last = block->last;
      if (nr_op_is(last, NR_OP_scf_yield) && nr_op_is(last->prev, NR_OP_scf_yield) && last->num_operands == 0 &&
          last->num_results == 0)
        nr_op_erase(last);
    }
  return NR_OK;
}

/* ---- while (%a = %x) : (t) -> u { .. } do { ^bb0(%b: u): .. } attributes {..} ------------------------------------ */

static NrStatus parse_while_regions(NrParser *p, NrOpState *state, NrBindings *inits) {
  NrType type;
  NrStatus status;
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_function_type(p, &type))) return status;
  if (type->num_inputs != inits->args.size)
    return nr_p_op_error(p, "expected as many input types as operands (expected %zu got %u)", inits->args.size,
                         type->num_inputs);
  if ((status = nr_p_add_operands(p, state, inits->values.data, inits->values.size, type->inputs, type->num_inputs)))
    return status;
  nr_p_add_results(p, state, type->results, type->num_results);
  for (uint32_t i = 0; i < type->num_inputs; i++) inits->args.data[i].type = type->inputs[i];
  if ((status = nr_p_region(p, state, inits->args.data, inits->args.size)) || (status = nr_p_expect(p, "do")) ||
      (status = nr_p_region(p, state, NULL, 0)))
    return status;
  return nr_p_try_attr_dict_keyword(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_scf_while_parse(NrParser *p, NrOpState *state) {
  NrBindings inits = {.typed = true};
  NrStatus status = nr_p_peek(p, "(") ? nr_p_bindings(p, &inits) : NR_OK;
  if (!status) status = parse_while_regions(p, state, &inits);
  nr_bindings_deinit(&inits);
  return status;
}

void nr_scf_while_print(NrPrinter *w, NrOp *op) {
  if (op->num_operands) {
    nr_w_puts(w, " ");
    nr_w_bindings(w, op, 0, nr_scf_while_before_body(op), 0, op->num_operands);
  }
  nr_w_puts(w, " : ");
  nr_w_functional_type(w, op);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_while_before_region(op), false, true);
  nr_w_puts(w, " do ");
  nr_w_region(w, nr_scf_while_after_region(op), true, true);
  nr_w_attr_dict_keyword(w, op, NULL);
}

/* ---- execute_region -> t no_inline { .. } ------------------------------------------------------------------------ */

NrStatus nr_scf_execute_region_parse(NrParser *p, NrOpState *state) {
  NrType *types = NULL;
  size_t count = 0;
  bool stays = nr_p_try(p, "no_inline");
  NrStatus status = nr_p_arrow_type_list(p, &types, &count);
  if (!status && !stays) stays = nr_p_try(p, "no_inline");
  if (stays) nr_p_add_attr(p, state, "no_inline", nr_attr_unit(nr_p_context(p)));
  if (status || (status = nr_p_region(p, state, NULL, 0))) return status;
  nr_p_add_results(p, state, types, count);
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_scf_execute_region_print(NrPrinter *w, NrOp *op) {
  nr_w_arrow_results(w, op);
  if (nr_op_attr(op, NR_A_no_inline)) nr_w_puts(w, " no_inline");
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_execute_region_region(op), false, true);
  nr_w_attr_dict(w, op, (const char *const[]){"no_inline", NULL});
}

/* ---- index_switch %i {attrs} -> t case 2 { .. } default { .. } --------------------------------------------------- */

/* The text has the default region last, the op has it first. Until the post_parse hook moves it, the case values are in
 * an attribute of this name. */
static const char unordered_cases[] = "cases_as_read";

NrStatus nr_scf_index_switch_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrOperandRef arg;
  NrType *types = NULL;
  size_t count = 0;
  NrStatus status = nr_p_operand(p, &arg);
  if (status || (status = nr_p_add_operand(p, state, arg, nr_type_index(ctx)))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if (nr_p_try(p, "->") && (status = nr_p_peek(p, "(") ? nr_p_paren_type_list(p, &types, &count)
                                                     : nr_p_type_list(p, &types, &count)))
    return status;
  nr_p_add_results(p, state, types, count);
  NR_VEC(int64_t) cases = {0};
  while (!status && nr_p_try(p, "case")) {
    int64_t value;
    if ((status = nr_p_int(p, &value)) || (status = nr_p_region(p, state, NULL, 0))) break;
    nr_vec_push(&cases, value);
  }
  if (!status) nr_p_add_attr(p, state, unordered_cases, nr_attr_i64_array(ctx, cases.data, cases.size));
  nr_vec_deinit(&cases);
  if (status || (status = nr_p_expect(p, "default"))) return status;
  return nr_p_region(p, state, NULL, 0);
}

NrStatus nr_scf_index_switch_post_parse(NrParser *p, NrOp *op) {
  NrAttr cases = nr_op_attr_named(op, unordered_cases);
  if (!cases || op->num_regions == 0) return NR_OK;
  NrRegion last = {.op = op};
  nr_region_take(&last, nr_op_region(op, op->num_regions - 1));
  for (uint32_t i = op->num_regions - 1; i > 0; i--) nr_region_take(nr_op_region(op, i), nr_op_region(op, i - 1));
  nr_region_take(nr_scf_index_switch_default_region(op), &last);
  nr_op_remove_attr_named(op, unordered_cases);
  nr_op_set_attr(op, NR_A_cases, cases);
  return NR_OK;
}

void nr_scf_index_switch_print(NrPrinter *w, NrOp *op) {
  NrAttr cases = nr_op_attr(op, NR_A_cases);
  nr_w_puts(w, " ");
  nr_w_value(w, nr_scf_index_switch_arg(op));
  nr_w_attr_dict(w, op, (const char *const[]){"cases", NULL});
  if (op->num_results) nr_w_puts(w, " -> "); /* no parentheses: MLIR reads several types only without them */
  nr_w_result_types(w, op);
  for (uint32_t i = 1; i < op->num_regions; i++) {
    nr_w_newline(w);
    nr_w_printf(w, "case %lld ", (long long)((const int64_t *)cases->data)[i - 1]);
    nr_w_region(w, nr_op_region(op, i), false, true);
  }
  nr_w_newline(w);
  nr_w_puts(w, "default ");
  nr_w_region(w, nr_scf_index_switch_default_region(op), false, true);
}
