/* syntax.c - the text of functions and calls, in today's syntax and that of 2020. */
#include "dialect/func/func.h"

static const char *const visibilities[] = {"public", "private", "nested"};

/* A parsed signature. */
typedef struct Signature {
  NR_VEC(NrArgRef) args; /* empty for declarations without names */
  NR_VEC(NrType) inputs;
  NR_VEC(NrType) results;
  NR_VEC(NrAttr) arg_attrs, res_attrs; /* one dictionary each */
} Signature;

static void signature_deinit(Signature *s) {
  nr_vec_deinit(&s->args);
  nr_vec_deinit(&s->inputs);
  nr_vec_deinit(&s->results);
  nr_vec_deinit(&s->arg_attrs);
  nr_vec_deinit(&s->res_attrs);
}

/* Parses an optional `{..}` after a type in a parenthesised list. */
static NrStatus parse_dict(NrParser *p, NrAttr *out) {
  if (nr_p_peek(p, "{")) return nr_p_attr(p, out);
  *out = nr_attr_dict(nr_p_context(p), NULL, 0);
  return NR_OK;
}

/* Parses `%a: t {..}` or, in declarations, `t {..}`. */
static NrStatus parse_argument(NrParser *p, Signature *s) {
  NrArgRef arg = {.loc = nr_p_loc(p)};
  NrOperandRef name;
  NrType type;
  NrAttr dict;
  NrStatus status;
  bool named = nr_p_try_operand(p, &name);
  if (named != (s->args.size > 0) && s->inputs.size > 0)
    return nr_p_error(p, arg.loc, "expected all arguments of the function to have names, or none");
  if (named && (status = nr_p_expect(p, ":"))) return status;
  if ((status = nr_p_type(p, &type)) || (status = parse_dict(p, &dict))) return status;
  if (!nr_p_try_loc(p, &arg.loc)) return NR_ERROR_INVALID;
  if (named) {
    arg.name = name.name;
    arg.type = type;
    nr_vec_push(&s->args, arg);
  }
  nr_vec_push(&s->inputs, type);
  nr_vec_push(&s->arg_attrs, dict);
  return NR_OK;
}

static NrStatus parse_results(NrParser *p, Signature *s) {
  NrStatus status;
  NrType type;
  NrAttr dict;
  if (!nr_p_try(p, "(")) { /* a single type has no attributes: `{` begins the body */
    if ((status = nr_p_type(p, &type))) return status;
    nr_vec_push(&s->results, type);
    nr_vec_push(&s->res_attrs, nr_attr_dict(nr_p_context(p), NULL, 0));
    return NR_OK;
  }
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    if ((status = nr_p_type(p, &type)) || (status = parse_dict(p, &dict))) return status;
    nr_vec_push(&s->results, type);
    nr_vec_push(&s->res_attrs, dict);
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

static NrStatus parse_signature(NrParser *p, Signature *s) {
  NrStatus status = nr_p_expect(p, "(");
  if (status) return status;
  if (!nr_p_try(p, ")")) {
    do {
      if ((status = parse_argument(p, s))) return status;
    } while (nr_p_try(p, ","));
    if ((status = nr_p_expect(p, ")"))) return status;
  }
  return nr_p_try(p, "->") ? parse_results(p, s) : NR_OK;
}

static void add_dicts(NrParser *p, NrOpState *state, const char *name, const NrAttr *dicts, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || dicts[i]->num_named;
  if (any) nr_p_add_attr(p, state, name, nr_attr_array(nr_p_context(p), dicts, count));
}

NrStatus nr_func_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  Signature s = {0};
  NrStr name;
  NrStatus status;
  bool visible = false;
  for (size_t i = 0; i < NR_COUNTOF(visibilities) && !visible; i++) {
    visible = nr_p_try(p, visibilities[i]);
    if (visible) nr_p_add_attr(p, state, "sym_visibility", nr_attr_string(ctx, nr_str(visibilities[i])));
  }
  if ((status = nr_p_symbol_name(p, &name)) || (status = parse_signature(p, &s))) goto out;
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  NrType type = nr_type_function(ctx, s.inputs.data, s.inputs.size, s.results.data, s.results.size);
  nr_p_add_attr(p, state, "function_type", nr_attr_type(type));
  add_dicts(p, state, "arg_attrs", s.arg_attrs.data, s.arg_attrs.size);
  add_dicts(p, state, "res_attrs", s.res_attrs.data, s.res_attrs.size);
  if (!nr_p_try_attr_dict_keyword(p, state)) {
    status = NR_ERROR_INVALID;
  } else if (nr_p_peek(p, "{")) {
    status = nr_p_region(p, state, s.args.data, s.args.size);
  } else {
    nr_p_empty_region(p, state);
  }
out:
  signature_deinit(&s);
  return status;
}

/* Converts three older forms: declarations without visibility, the attribute name `type` instead of function_type, and,
 * in the first proposals of 2020, functions without result types. */
NrStatus nr_func_post_parse(NrParser *p, NrOp *op) {
  NrAttr old = nr_op_attr(op, NR_A_type);
  if (old && !nr_op_attr(op, NR_A_function_type)) {
    nr_op_remove_attr(op, NR_A_type);
    nr_op_set_attr(op, NR_A_function_type, old);
  }
  NrType type = nr_func_type(op);
  NrBlock *last = op->num_regions ? nr_func_func_region(op)->last : NULL;
  /* Declarations of 2020 have no visibility; today's must be private. */
  if (!last && nr_p_is_legacy(p) && !nr_op_attr(op, NR_A_sym_visibility))
    nr_op_set_attr(op, NR_A_sym_visibility, nr_attr_string(nr_p_context(p), NR_STR("private")));
  if (!type || type->num_results || !last || !nr_p_is_legacy(p)) return NR_OK;
  NrOp *ret = last->last;
  if (!nr_op_is(ret, NR_OP_func_return) || ret->num_operands == 0) return NR_OK;
  NR_VEC(NrType) results = {0};
  NrBuf types = {0};
  for (uint32_t i = 0; i < ret->num_operands; i++) {
    nr_vec_push(&results, nr_operand(ret, i)->type);
    nr_buf_printf(&types, "%s%s", i ? ", " : "", nr_type_text(nr_p_context(p), results.data[i]));
  }
  nr_p_proposal(p, nr_p_signature_end(p), results.size == 1 ? " -> %.*s" : " -> (%.*s)", (int)types.size, types.data);
  nr_buf_deinit(&types);
  type = nr_type_function(nr_p_context(p), type->inputs, type->num_inputs, results.data, results.size);
  nr_op_set_attr(op, NR_A_function_type, nr_attr_type(type));
  nr_vec_deinit(&results);
  return NR_OK;
}

static void print_dict(NrPrinter *w, NrAttr dicts, size_t i) {
  if (!dicts || dicts->kind != NR_ATTR_ARRAY || i >= dicts->size || !dicts->items[i]->num_named) return;
  nr_w_puts(w, " ");
  nr_w_attr(w, dicts->items[i]);
}

static void print_results(NrPrinter *w, NrOp *op, NrType type) {
  NrAttr dicts = nr_op_attr(op, NR_A_res_attrs);
  bool plain = type->num_results == 1 && type->results[0]->kind != NR_TYPE_FUNCTION &&
               !(dicts && dicts->kind == NR_ATTR_ARRAY && dicts->size && dicts->items[0]->num_named);
  if (type->num_results == 0) return;
  nr_w_puts(w, plain ? " -> " : " -> (");
  for (uint32_t i = 0; i < type->num_results; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_type(w, type->results[i]);
    print_dict(w, dicts, i);
  }
  if (!plain) nr_w_puts(w, ")");
}

void nr_func_print(NrPrinter *w, NrOp *op) {
  static const char *const shown[] = {"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs", NULL};
  NrType type = nr_func_type(op);
  NrBlock *entry = nr_func_func_body(op);
  NrStr visibility = nr_op_attr_str(op, NR_A_sym_visibility);
  bool implied = nr_w_is_legacy(w) && !entry && nr_str_is(visibility, "private");
  nr_w_puts(w, " ");
  if (visibility.size && !implied) nr_w_printf(w, "%.*s ", NR_STR_ARG(visibility));
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_puts(w, "(");
  uint32_t count = entry ? entry->num_args : type ? type->num_inputs : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    if (entry) {
      nr_w_value(w, nr_block_arg(entry, i));
      nr_w_puts(w, ": ");
    }
    nr_w_type(w, entry ? nr_block_arg(entry, i)->type : type->inputs[i]);
    print_dict(w, nr_op_attr(op, NR_A_arg_attrs), i);
    if (entry) nr_w_trailing_loc(w, nr_arg_loc(nr_block_arg(entry, i)));
  }
  nr_w_puts(w, ")");
  if (type) print_results(w, op, type);
  nr_w_attr_dict_keyword(w, op, shown);
  if (!entry) return;
  nr_w_puts(w, " ");
  nr_w_region(w, nr_func_func_region(op), false, true);
}

static void warn_return(NrParser *p, const char *end, const NrType *types, size_t count) {
  NrBuf text = {0};
  for (size_t i = 0; i < count; i++)
    nr_buf_printf(&text, "%s%s", i ? ", " : "", nr_type_text(nr_p_context(p), types[i]));
  nr_p_proposal(p, end, " : %.*s", (int)text.size, text.data);
  nr_buf_deinit(&text);
}

/* Parses `return %a` without types, if the types of the values are known. */
static NrStatus return_known(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count) {
  NR_VEC(NrType) types = {0};
  for (size_t i = 0; i < count; i++) {
    NrType type = nr_p_known_type(p, refs[i]);
    if (type) nr_vec_push(&types, type);
  }
  NrStatus status = types.size == count ? NR_OK : nr_p_expect(p, ":");
  if (!status) warn_return(p, nr_p_end(p), types.data, types.size);
  if (!status) status = nr_p_add_operands(p, state, refs, count, types.data, types.size);
  nr_vec_deinit(&types);
  return status;
}

/* Parses `return %a, %b : t, u`. The first proposal of 2020 wrote `return %a : () -> t`, and in some places `return
 * %a`. */
NrStatus nr_func_return_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs = NULL;
  NrType *types = NULL;
  size_t count = 0, num_types = 0;
  NrStatus status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_operands(p, &refs, &count)) || count == 0) return status;
  const char *end = nr_p_end(p);
  if (nr_p_is_legacy(p) && nr_p_peek(p, "}")) return return_known(p, state, refs, count);
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_type_list(p, &types, &num_types))) return status;
  bool proposal =
      nr_p_is_legacy(p) && num_types == 1 && types[0]->kind == NR_TYPE_FUNCTION && types[0]->num_inputs == 0;
  if (proposal && nr_p_known_type(p, refs[0]) != types[0]) {
    warn_return(p, end, types[0]->results, types[0]->num_results);
    return nr_p_add_operands(p, state, refs, count, types[0]->results, types[0]->num_results);
  }
  return nr_p_add_operands(p, state, refs, count, types, num_types);
}

/* Parses `%f(%a, %b) : (t, u) -> v`. */
NrStatus nr_func_call_indirect_parse(NrParser *p, NrOpState *state) {
  NrOperandRef callee, *refs;
  size_t count;
  NrType type;
  NrStatus status;
  if ((status = nr_p_operand(p, &callee)) || (status = nr_p_expect(p, "(")) ||
      (status = nr_p_operands(p, &refs, &count)) || (status = nr_p_expect(p, ")")))
    return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_expect(p, ":")) || (status = nr_p_function_type(p, &type))) return status;
  if ((status = nr_p_add_operand(p, state, callee, type))) return status;
  nr_p_add_results(p, state, type->results, type->num_results);
  return nr_p_add_operands(p, state, refs, count, type->inputs, type->num_inputs);
}

void nr_func_call_indirect_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_func_call_indirect_callee(op));
  nr_w_puts(w, "(");
  nr_w_values(w, op, 1, op->num_operands - 1);
  nr_w_puts(w, ")");
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_func_call_indirect_callee(op)->type);
}

void nr_func_constant_print(NrPrinter *w, NrOp *op) {
  nr_w_attr_dict(w, op, (const char *const[]){"value", NULL});
  nr_w_puts(w, " ");
  nr_w_attr(w, nr_op_attr(op, NR_A_value));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}
