/* function.c - functions whose results may be tied to arguments, their calls and returns. */
#include "dialect/func/func.h"
#include "dialect/util/util.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

/* ---- tied results ------------------------------------------------------------------------------------------------ */

NrStatus nr_util_tied_verify(NrOp *op, size_t num_results, size_t num_arguments) {
  NrAttr tied = nr_op_attr(op, NR_A_tied_operands);
  if (!tied || !tied->size) return NR_OK;
  if (tied->size != num_results)
    return nr_op_error(op, "(C1) must have %zu tied operand entries, one per result, got %zu", num_results, tied->size);
  for (size_t i = 0; i < tied->size; i++) {
    int64_t argument;
    if (!nr_attr_is_int(tied->items[i], &argument))
      return nr_op_error(op, "(C1) entry %zu of tied_operands is no integer", i);
    if (argument < -1 || argument >= (int64_t)num_arguments)
      return nr_op_error(op, "(C1) result #%zu tied to invalid operand index %lld", i, (long long)argument);
  }
  return NR_OK;
}

/* ---- signatures, in ---------------------------------------------------------------------------------------------- */

typedef struct Signature {
  NrTiedArgs *args;
  NR_VEC(NrType) inputs, results;
  NR_VEC(NrAttr) arg_attrs, res_attrs; /* one dictionary each */
  NR_VEC(int64_t) tied;
  bool any_arg_attrs, any_res_attrs;
} Signature;

static void signature_deinit(Signature *s) {
  nr_vec_deinit(&s->inputs);
  nr_vec_deinit(&s->results);
  nr_vec_deinit(&s->arg_attrs);
  nr_vec_deinit(&s->res_attrs);
  nr_vec_deinit(&s->tied);
}

static NrStatus parse_dict(NrParser *p, NrAttr *out, bool *any) {
  *out = nr_attr_dict(nr_p_context(p), NULL, 0);
  if (!nr_p_peek(p, "{")) return NR_OK;
  NR_TRY(nr_p_attr(p, out));
  *any |= (*out)->num_named > 0;
  return NR_OK;
}

/* `%a: t {..}` or, in declarations, `t {..}` */
static NrStatus parse_argument(NrParser *p, Signature *s) {
  NrArgRef arg = {.loc = nr_p_loc(p)};
  NrOperandRef name;
  NrAttr dict;
  bool named = nr_p_try_operand(p, &name);
  if (named != (s->args->refs.size > 0) && s->inputs.size > 0)
    return nr_p_error(p, arg.loc, "expected all arguments of the function to have names, or none");
  if (named) NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_type(p, &arg.type));
  NR_TRY(parse_dict(p, &dict, &s->any_arg_attrs));
  if (!nr_p_try_loc(p, &arg.loc)) return NR_ERROR_INVALID;
  if (named) {
    arg.name = name.name;
    nr_vec_push(&s->args->refs, arg);
  }
  nr_vec_push(&s->inputs, arg.type);
  nr_vec_push(&s->arg_attrs, dict);
  return NR_OK;
}

/* `t`, `%a` or `%a as t`; in parentheses with attributes. */
static NrStatus parse_result(NrParser *p, Signature *s, bool in_parentheses) {
  NrOperandRef ref;
  NrType type = NULL;
  NrAttr dict = nr_attr_dict(nr_p_context(p), NULL, 0);
  int64_t tied = -1;
  NrLoc loc = nr_p_loc(p);
  if (nr_p_try_operand(p, &ref)) {
    for (size_t i = 0; i < s->args->refs.size && tied < 0; i++)
      if (nr_str_eq(s->args->refs.data[i].name, ref.name)) tied = (int64_t)i;
    if (tied < 0) return nr_p_error(p, loc, "tied operand not found for result reference");
    type = s->inputs.data[tied];
  }
  if (tied < 0 || nr_p_try(p, "as")) NR_TRY(nr_p_type(p, &type));
  if (in_parentheses) NR_TRY(parse_dict(p, &dict, &s->any_res_attrs));
  nr_vec_push(&s->results, type);
  nr_vec_push(&s->res_attrs, dict);
  nr_vec_push(&s->tied, tied);
  return NR_OK;
}

static NrStatus parse_results(NrParser *p, Signature *s) {
  bool in_parentheses = nr_p_try(p, "(");
  if (in_parentheses && nr_p_try(p, ")")) return NR_OK;
  do NR_TRY(parse_result(p, s, in_parentheses));
  while (nr_p_try(p, ","));
  return in_parentheses ? nr_p_expect(p, ")") : NR_OK;
}

static NrStatus parse_lists(NrParser *p, Signature *s) {
  NR_TRY(nr_p_expect(p, "("));
  if (!nr_p_try(p, ")")) {
    do NR_TRY(parse_argument(p, s));
    while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, ")"));
  }
  return nr_p_try(p, "->") ? parse_results(p, s) : NR_OK;
}

NrStatus nr_util_p_signature(NrParser *p, NrOpState *state, NrTiedArgs *out_args) {
  NrContext *ctx = nr_p_context(p);
  Signature s = {.args = out_args};
  NrStr name;
  NR_TRY(nr_p_visibility(p, state));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  NrStatus status = parse_lists(p, &s);
  if (!status) {
    NrType type = nr_type_function(ctx, s.inputs.data, s.inputs.size, s.results.data, s.results.size);
    nr_p_add_attr(p, state, "function_type", nr_attr_type(type));
    NrAttr tied = nr_tied_attr(ctx, s.tied.data, s.tied.size);
    if (tied) nr_p_add_attr(p, state, "tied_operands", tied);
    if (s.any_arg_attrs) nr_p_add_attr(p, state, "arg_attrs", nr_attr_array(ctx, s.arg_attrs.data, s.arg_attrs.size));
    if (s.any_res_attrs) nr_p_add_attr(p, state, "res_attrs", nr_attr_array(ctx, s.res_attrs.data, s.res_attrs.size));
    if (!nr_p_try_attr_dict_keyword(p, state)) status = NR_ERROR_INVALID;
  }
  signature_deinit(&s);
  return status;
}

/* ---- signatures, out --------------------------------------------------------------------------------------------- */

static bool has_dict(NrAttr dicts, size_t i) {
  return dicts && dicts->kind == NR_ATTR_ARRAY && i < dicts->size && dicts->items[i]->num_named;
}

static void print_dict(NrPrinter *w, NrAttr dicts, size_t i) {
  if (!has_dict(dicts, i)) return;
  nr_w_puts(w, " ");
  nr_w_attr(w, dicts->items[i]);
}

static void print_arg_name(NrPrinter *w, NrBlock *entry, size_t i) {
  if (entry) nr_w_value(w, nr_block_arg(entry, (uint32_t)i));
  else nr_w_printf(w, "%%arg%zu", i);
}

static void print_results(NrPrinter *w, NrOp *op, NrType type, NrBlock *entry) {
  NrAttr dicts = nr_op_attr(op, NR_A_res_attrs);
  bool plain = type->num_results == 1 && type->results[0]->kind != NR_TYPE_FUNCTION && !has_dict(dicts, 0);
  if (!type->num_results) return;
  nr_w_puts(w, plain ? " -> " : " -> (");
  for (uint32_t i = 0; i < type->num_results; i++) {
    int64_t tied = nr_tied_operand(op, i);
    bool valid = tied >= 0 && tied < (int64_t)type->num_inputs;
    bool same = valid && type->inputs[tied] == type->results[i];
    if (i) nr_w_puts(w, ", ");
    if (valid) print_arg_name(w, entry, (size_t)tied);
    if (valid && !same) nr_w_puts(w, " as ");
    if (!same) nr_w_type(w, type->results[i]);
    print_dict(w, dicts, i);
  }
  if (!plain) nr_w_puts(w, ")");
}

void nr_util_w_signature(NrPrinter *w, NrOp *op) {
  static const char *const shown[] = {"sym_name",      "sym_visibility", "function_type",
                                      "tied_operands", "arg_attrs",      "res_attrs",     NULL};
  NrType type = nr_func_type(op);
  NrBlock *entry = nr_op_only_body(op);
  if (entry && type && entry->num_args < type->num_inputs) entry = NULL; /* the verifier reports it */
  nr_w_visibility(w, op);
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_puts(w, "(");
  for (uint32_t i = 0; type && i < type->num_inputs; i++) {
    if (i) nr_w_puts(w, ", ");
    print_arg_name(w, entry, i);
    nr_w_puts(w, ": ");
    nr_w_type(w, entry ? nr_block_arg(entry, i)->type : type->inputs[i]);
    print_dict(w, nr_op_attr(op, NR_A_arg_attrs), i);
    if (entry) nr_w_trailing_loc(w, nr_arg_loc(nr_block_arg(entry, i)));
  }
  nr_w_puts(w, ")");
  if (type) print_results(w, op, type, entry);
  nr_w_attr_dict_keyword(w, op, shown);
}

/* ---- util.func --------------------------------------------------------------------------------------------------- */

NrStatus nr_util_func_parse(NrParser *p, NrOpState *state) {
  NrTiedArgs args = {0};
  NrStatus status = nr_util_p_signature(p, state, &args);
  if (!status && nr_p_peek(p, "{")) status = nr_p_region(p, state, args.refs.data, args.refs.size);
  else if (!status) nr_p_empty_region(p, state);
  nr_vec_deinit(&args.refs);
  return status;
}

void nr_util_func_print(NrPrinter *w, NrOp *op) {
  nr_util_w_signature(w, op);
  if (!nr_util_func_body(op)) return;
  nr_w_puts(w, " ");
  nr_w_region(w, nr_op_only_region(op), false, true);
}

NrStatus nr_util_func_verify(NrOp *op) {
  NR_TRY(nr_func_verify(op));
  return nr_util_tied_verify(op, nr_func_type(op)->num_results, nr_func_type(op)->num_inputs);
}

NrStatus nr_util_return_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  NrType type = nr_op_is(parent, NR_OP_util_func) ? nr_func_type(parent) : NULL;
  uint32_t count = type ? type->num_results : 0;
  if (!type && nr_op_is(parent, NR_OP_util_func)) return NR_OK; /* the function's verifier reports it */
  if (op->num_operands != count)
    return nr_op_error(op, "(C1) has %u operands, but enclosing function-like op returns %u", op->num_operands, count);
  for (uint32_t i = 0; i < count; i++)
    if (nr_operand(op, i)->type != type->results[i])
      return nr_op_error(op, "(C1) type of return operand %u (%s) doesn't match function result type (%s)", i,
                         text_of(nr_operand(op, i)->type), text_of(type->results[i]));
  return NR_OK;
}

/* ---- util.call --------------------------------------------------------------------------------------------------- */

typedef struct CallText {
  const NrOperandRef *operands;
  const NrType *types;
  size_t count;
  NR_VEC(NrType) results;
  NR_VEC(int64_t) tied;
} CallText;

static NrStatus parse_call_result(NrParser *p, CallText *c) {
  NrOperandRef ref;
  NrType type = NULL;
  int64_t tied = -1;
  NrLoc loc = nr_p_loc(p);
  if (nr_p_try_operand(p, &ref)) {
    for (size_t i = 0; i < c->count && tied < 0; i++)
      if (nr_str_eq(c->operands[i].name, ref.name) && c->operands[i].number == ref.number) tied = (int64_t)i;
    if (tied < 0) return nr_p_error(p, loc, "tied operand not found for result reference");
    type = c->types[tied];
  }
  if (tied < 0 || nr_p_try(p, "as")) NR_TRY(nr_p_type(p, &type));
  nr_vec_push(&c->results, type);
  nr_vec_push(&c->tied, tied);
  return NR_OK;
}

static NrStatus parse_call_results(NrParser *p, CallText *c) {
  if (!nr_p_try(p, "(")) return parse_call_result(p, c);
  if (nr_p_try(p, ")")) return NR_OK;
  do NR_TRY(parse_call_result(p, c));
  while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

/* `@f(%a, %b) {..} : (t, u) -> (%a as v, w)` */
NrStatus nr_util_call_parse(NrParser *p, NrOpState *state) {
  NrStr callee;
  NrOperandRef *operands;
  NrType *types;
  size_t count, num_types;
  NR_TRY(nr_p_symbol_name(p, &callee));
  nr_p_add_attr(p, state, "callee", nr_attr_symbol(nr_p_context(p), callee));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &operands, &count));
  NR_TRY(nr_p_expect(p, ")"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_paren_type_list(p, &types, &num_types));
  if (num_types != count) return nr_p_error(p, loc, "%zu operands but %zu types", count, num_types);
  NR_TRY(nr_p_expect(p, "->"));
  CallText c = {.operands = operands, .types = types, .count = count};
  NrStatus status = parse_call_results(p, &c);
  NrAttr tied = status ? NULL : nr_tied_attr(nr_p_context(p), c.tied.data, c.tied.size);
  if (tied) nr_p_add_attr(p, state, "tied_operands", tied);
  if (!status) nr_p_add_results(p, state, c.results.data, c.results.size);
  nr_vec_deinit(&c.results);
  nr_vec_deinit(&c.tied);
  return status ? status : nr_p_add_operands(p, state, operands, count, types, count);
}

/* "tied_operands" when the text `-> %a` determines the attribute, otherwise NULL. `%a` stands for the first of equal
 * operands. */
static const char *named_ties(const NrOp *op) {
  for (uint32_t r = 0; r < op->num_results; r++) {
    int64_t tied = nr_tied_operand(op, r);
    for (int64_t i = 0; i < tied; i++)
      if (nr_operand(op, (size_t)i) == nr_operand(op, (size_t)tied)) return NULL;
  }
  return "tied_operands";
}

void nr_util_call_print(NrPrinter *w, NrOp *op) {
  const char *const elided[] = {"callee", named_ties(op), NULL};
  nr_w_puts(w, " ");
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_callee));
  nr_w_puts(w, "(");
  nr_w_values(w, op, 0, op->num_operands);
  nr_w_puts(w, ")");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : (");
  nr_w_operand_types(w, op, 0, op->num_operands);
  nr_w_puts(w, op->num_results == 1 ? ") -> " : ") -> (");
  for (uint32_t i = 0; i < op->num_results; i++) {
    int64_t tied = elided[1] ? nr_tied_operand(op, i) : -1;
    NrValue *operand = tied >= 0 && tied < (int64_t)op->num_operands ? nr_operand(op, (size_t)tied) : NULL;
    bool same = operand && operand->type == nr_result(op, i)->type;
    if (i) nr_w_puts(w, ", ");
    if (operand) nr_w_value(w, operand);
    if (operand && !same) nr_w_puts(w, " as ");
    if (!same) nr_w_type(w, nr_result(op, i)->type);
  }
  if (op->num_results != 1) nr_w_puts(w, ")");
}

NrStatus nr_util_call_verify(NrOp *op) { return nr_util_tied_verify(op, op->num_results, op->num_operands); }

NrStatus nr_util_call_verify_symbol(NrOp *op, NrOp *callee) {
  NrStr name = nr_op_attr_str(op, NR_A_callee);
  if (!nr_op_is(callee, NR_OP_util_func))
    return nr_op_error(op, "(C2) undefined/incompatible callee: @%.*s is no util.func", NR_STR_ARG(name));
  NrType type = nr_func_type(callee);
  if (!type) return NR_OK; /* the function's verifier reports it */
  bool equal = type->num_inputs == op->num_operands && type->num_results == op->num_results;
  for (uint32_t i = 0; equal && i < op->num_operands; i++) equal = type->inputs[i] == nr_operand(op, i)->type;
  for (uint32_t i = 0; equal && i < op->num_results; i++) equal = type->results[i] == nr_result(op, i)->type;
  if (!equal) return nr_op_error(op, "(C2) function type mismatch; callee is %s", text_of(type));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_tied_operand(op, i) != nr_tied_operand(callee, i))
      return nr_op_error(op, "(C3) function tied operands mismatch; result #%u is tied to %lld, but to %lld in @%.*s",
                         i, (long long)nr_tied_operand(op, i), (long long)nr_tied_operand(callee, i),
                         NR_STR_ARG(name));
  return NR_OK;
}
