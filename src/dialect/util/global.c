/* global.c - globals: their text, their verification, and accesses by name and by pointer. */
#include "dialect/util/util.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrType declared_type(const NrOp *global) {
  NrAttr type = nr_op_attr(global, NR_A_type);
  return type && type->kind == NR_ATTR_TYPE ? type->type : NULL;
}

static NrType value_type(NrAttr value) { return value->kind == NR_ATTR_TYPE ? NULL : value->type; }

/* Equal types, or shaped ones of which only the shapes agree: IREE compares no more. */
static bool agrees(NrType a, NrType b) {
  if (a == b) return true;
  if (a->kind != b->kind || !nr_type_is_shaped(a)) return false;
  bool ranked = a->kind == NR_TYPE_TENSOR || a->kind == NR_TYPE_MEMREF || a->kind == NR_TYPE_VECTOR;
  if (!ranked) return true;
  bool ok = a->rank == b->rank;
  for (uint32_t i = 0; ok && i < a->rank; i++)
    ok = a->dims[i] == b->dims[i] || a->dims[i] == NR_DYNAMIC || b->dims[i] == NR_DYNAMIC;
  return ok;
}

NrOp *nr_util_global_of(NrOp *op) {
  NrOp *global = nr_symbol_resolve(op, nr_op_attr(op, NR_A_global));
  return nr_op_is(global, NR_OP_util_global) ? global : NULL;
}

NrOp *nr_util_pointee(NrValue *pointer) {
  return nr_op_is(pointer->op, NR_OP_util_global_address) ? nr_util_global_of(pointer->op) : NULL;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* 2020: `@v mutable init(@f) : t attributes {..}` or `@v mutable dense<..> : t`. init is kept as the attribute
 * initializer. */
static NrStatus parse_variable(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStr name;
  NrType type = NULL;
  NrAttr value = NULL;
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  if (nr_p_try(p, "mutable")) nr_p_add_attr(p, state, "is_mutable", nr_attr_unit(ctx));
  if (nr_p_try(p, "init")) {
    NR_TRY(nr_p_expect(p, "("));
    NR_TRY(nr_p_symbol_name(p, &name));
    NR_TRY(nr_p_expect(p, ")"));
    nr_p_add_attr(p, state, "initializer", nr_attr_symbol(ctx, name));
  }
  if (nr_p_try(p, ":")) NR_TRY(nr_p_type(p, &type));
  NrLoc loc = nr_p_loc(p);
  if (!type) {
    NR_TRY(nr_p_attr(p, &value));
    type = value_type(value);
    if (!type) return nr_p_error(p, loc, "expected a value with a type");
    nr_p_add_attr(p, state, "initial_value", value);
  }
  nr_p_add_attr(p, state, "type", nr_attr_type(type));
  return nr_p_try_attr_dict_keyword(p, state) ? NR_OK : NR_ERROR_INVALID;
}

/* `public mutable @g {..} : t = value`; the type may be left out where the value has it. */
NrStatus nr_util_global_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStr name;
  NrType type = NULL;
  NrAttr value = NULL;
  if (nr_str_is(nr_p_op_name(p), "flow.variable")) return parse_variable(p, state);
  NR_TRY(nr_p_visibility(p, state));
  if (nr_p_try(p, "mutable")) nr_p_add_attr(p, state, "is_mutable", nr_attr_unit(ctx));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if (nr_p_try(p, "initializer")) { /* 2021 */
    NR_TRY(nr_p_expect(p, "("));
    NR_TRY(nr_p_symbol_name(p, &name));
    NR_TRY(nr_p_expect(p, ")"));
    nr_p_add_attr(p, state, "initializer", nr_attr_symbol(ctx, name));
  }
  if (nr_p_try(p, ":")) NR_TRY(nr_p_type(p, &type));
  NrLoc loc = nr_p_loc(p);
  if (!type || nr_p_peek(p, "=")) {
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_attr(p, &value));
    nr_p_add_attr(p, state, "initial_value", value);
    if (!type) type = value_type(value);
    if (!type) return nr_p_error(p, loc, "expected a type, or a value with a type");
  }
  nr_p_add_attr(p, state, "type", nr_attr_type(type));
  return NR_OK;
}

void nr_util_global_print(NrPrinter *w, NrOp *op) {
  static const char *const shown[] = {"sym_name", "sym_visibility", "type", "is_mutable", "initial_value", NULL};
  NrAttr value = nr_op_attr(op, NR_A_initial_value);
  NrType type = declared_type(op);
  nr_w_visibility(w, op);
  if (nr_op_attr(op, NR_A_is_mutable)) nr_w_puts(w, "mutable ");
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_attr_dict(w, op, shown);
  if (type && !(value && value_type(value) == type)) {
    nr_w_puts(w, " : ");
    nr_w_type(w, type);
  }
  if (!value) return;
  nr_w_puts(w, " = ");
  nr_w_attr(w, value);
}

/* Address and load: `immutable @g {..} : t`. */
NrStatus nr_util_global_use_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStr name;
  NrType type;
  if (nr_p_try(p, "immutable")) nr_p_add_attr(p, state, "is_immutable", nr_attr_unit(ctx));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "global", nr_attr_symbol(ctx, name));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

void nr_util_global_use_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, nr_op_attr(op, NR_A_is_immutable) ? " immutable " : " ");
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_global));
  nr_w_attr_dict(w, op, (const char *const[]){"global", "is_immutable", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

NrStatus nr_util_initializer_parse(NrParser *p, NrOpState *state) {
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  return nr_p_region(p, state, NULL, 0);
}

void nr_util_initializer_print(NrPrinter *w, NrOp *op) {
  nr_w_attr_dict_keyword(w, op, NULL);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_op_only_region(op), false, true);
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

/* by: the function that returns the initial value */
static NrStatus verify_initializer(NrOp *op, NrAttr by, NrType type) {
  NrOp *func = nr_symbol_resolve(op, by);
  NrAttr has = func && nr_op_has(func, NR_FUNCTION) ? nr_op_attr(func, NR_A_function_type) : NULL;
  NrType is = has && has->kind == NR_ATTR_TYPE && has->type->kind == NR_TYPE_FUNCTION ? has->type : NULL;
  if (!is) return nr_op_error(op, "(C1) initializer function @%.*s not found", NR_STR_ARG(by->s));
  if (is->num_inputs == 0 && is->num_results == 1 && is->results[0] == type) return NR_OK;
  return nr_op_error(op, "(C1) initializer function @%.*s is %s, but must return %s", NR_STR_ARG(by->s), text_of(is),
                     text_of(type));
}

NrStatus nr_util_global_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_initial_value), by = nr_op_attr(op, NR_A_initializer);
  NrType type = declared_type(op), has = value ? value_type(value) : NULL;
  if (value && by) return nr_op_error(op, "(C1) variables can have either an initializer or an initial value");
  if (by) return verify_initializer(op, by, type);
  if (!value || !has || agrees(type, has)) return NR_OK;
  return nr_op_error(op, "(C1) initial value type mismatch; global @%.*s is %s but initial value provided is %s",
                     NR_STR_ARG(nr_op_attr_str(op, NR_A_sym_name)), text_of(type), text_of(has));
}

static NrStatus verify_access(NrOp *op, NrOp *global, NrType type, const char *what, bool exactly) {
  NrStr name = nr_op_attr_str(op, NR_A_global);
  if (!nr_op_is(global, NR_OP_util_global)) return nr_op_error(op, "(C1) undefined global: @%.*s", NR_STR_ARG(name));
  NrType has = declared_type(global);
  if (!has) return NR_OK; /* the global's verifier reports it */
  if (exactly ? has != type : !agrees(has, type))
    return nr_op_error(op, "(C1) global type mismatch; global %.*s is %s but %s is %s", NR_STR_ARG(name), text_of(has),
                       what, text_of(type));
  if (nr_op_attr(op, NR_A_is_immutable) && nr_op_attr(global, NR_A_is_mutable))
    return nr_op_error(op, "(C2) is marked as immutable but the global is mutable");
  return NR_OK;
}

/* A pointer's target; the first parameter of the type. */
static NrType target_of(NrType pointer) { return pointer->params[0]->type; }

NrStatus nr_util_global_use_verify_symbol(NrOp *op, NrOp *global) {
  NrType type = nr_op_result(op)->type;
  bool address = nr_op_is(op, NR_OP_util_global_address);
  return verify_access(op, global, address ? target_of(type) : type, address ? "pointer" : "load", false);
}

NrStatus nr_util_store_verify_symbol(NrOp *op, NrOp *global) {
  return verify_access(op, global, nr_util_global_store_value(op)->type, "store", true);
}

NrStatus nr_util_indirect_verify(NrOp *op) {
  bool load = nr_op_is(op, NR_OP_util_global_load_indirect);
  NrValue *pointer = load ? nr_util_global_load_indirect_global(op) : nr_util_global_store_indirect_global(op);
  NrType type = load ? nr_op_result(op)->type : nr_util_global_store_indirect_value(op)->type;
  if (agrees(target_of(pointer->type), type)) return NR_OK;
  return nr_op_error(op, "(C1) global type mismatch; global pointer is to %s but %s is %s",
                     text_of(target_of(pointer->type)), load ? "load" : "store", text_of(type));
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */

/* An initializer that does nothing. */
bool nr_util_initializer_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  NrBlock *body = nr_util_initializer_body(op);
  if (!body || body->next || !nr_op_is(body->first, NR_OP_util_return)) return false;
  nr_op_erase(op);
  return true;
}

/* Whether an op between the two may change the global. Only those of one block are looked at. */
static bool may_change_between(NrOp *from, NrOp *to) {
  if (from->block != to->block) return true;
  for (NrOp *op = from->next; op; op = op->next) {
    if (op == to) return false;
    if (!nr_op_only_reads(op)) return true;
  }
  return true;
}

/* store(load @g), @g */
bool nr_util_store_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  NrOp *load = nr_util_global_store_value(op)->op;
  if (!nr_op_is(load, NR_OP_util_global_load)) return false;
  if (nr_op_attr(load, NR_A_global) != nr_op_attr(op, NR_A_global) || may_change_between(load, op)) return false;
  nr_op_erase(op);
  return true;
}

bool nr_util_load_indirect_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *address = nr_util_global_load_indirect_global(op)->op;
  if (!nr_op_is(address, NR_OP_util_global_address)) return false;
  NrValue *load = nr_build_value(b, NR_OP_util_global_load, nr_op_result(op)->type, NULL, 0);
  nr_op_set_attr(load->op, NR_A_global, nr_op_attr(address, NR_A_global));
  if (nr_op_attr(op, NR_A_is_immutable) || nr_op_attr(address, NR_A_is_immutable))
    nr_op_set_attr(load->op, NR_A_is_immutable, nr_attr_unit(b->ctx));
  nr_value_replace_uses(nr_op_result(op), load);
  nr_op_erase(op);
  return true;
}

bool nr_util_store_indirect_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *address = nr_util_global_store_indirect_global(op)->op;
  NrValue *value = nr_util_global_store_indirect_value(op);
  NrOp *global = nr_util_pointee(nr_util_global_store_indirect_global(op));
  if (!global || declared_type(global) != value->type) return false; /* a direct store has exactly the global's type */
  NrOp *store = nr_build_op(b, NR_OP_util_global_store, &value, 1, NULL, 0);
  nr_op_set_attr(store, NR_A_global, nr_op_attr(address, NR_A_global));
  nr_op_erase(op);
  return true;
}
