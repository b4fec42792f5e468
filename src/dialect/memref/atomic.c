/* atomic.c - hooks of atomic_rmw and generic_atomic_rmw, and the kinds of atomic_rmw. */
#include "dialect/arith/combine.h"
#include "dialect/memref/memref.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

const char *nr_atomic_kind_name(int64_t kind) {
  return kind >= 0 && kind < NR_NUM_COMBINES ? nr_combines[kind].atomic : NULL;
}

bool nr_atomic_kind_find(NrStr name, int64_t *out) {
  if (nr_str_is(name, "maxf")) name = nr_str("maximumf"); /* names of 2020 */
  if (nr_str_is(name, "minf")) name = nr_str("minimumf");
  for (*out = 0; nr_atomic_kind_name(*out); ++*out)
    if (nr_str_is(name, nr_combines[*out].atomic)) return true;
  return false;
}

NrNearest nr_atomic_kind_nearest(NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (int64_t i = 0; nr_atomic_kind_name(i); i++) nr_nearest_try(&nearest, nr_str(nr_atomic_kind_name(i)));
  return nearest;
}

NrStatus nr_memref_atomic_rmw_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, memref, *indices;
  size_t count;
  NrType types[2], result;
  NrStr kind;
  NrLoc loc = nr_p_loc(p);
  if (!nr_p_try_string(p, &kind)) NR_TRY(nr_p_keyword(p, &kind));
  int64_t number;
  if (!nr_atomic_kind_find(kind, &number)) {
    NrNearest nearest = nr_atomic_kind_nearest(kind);
    return nr_p_error(p, loc, "unknown kind of atomic_rmw '%.*s'" NR_HINT, NR_STR_ARG(kind), NR_HINT_ARG(nearest));
  }
  nr_p_add_attr(p, state, "kind", nr_attr_i64(nr_p_context(p), number));
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &memref));
  NR_TRY(nr_p_indices(p, &indices, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_type(p, &types[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_type(p, &types[1]));
  NR_TRY(nr_p_expect(p, ")"));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type(p, &result));
  NR_TRY(nr_p_add_operand(p, state, value, types[0]));
  NR_TRY(nr_p_add_operand(p, state, memref, types[1]));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  nr_p_add_result(p, state, result);
  return NR_OK;
}

void nr_memref_atomic_rmw_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"kind", NULL};
  nr_w_printf(w, nr_w_is_legacy(w) ? " \"%s\" " : " %s ", nr_atomic_kind_name(nr_op_attr_int(op, NR_A_kind, 0)));
  nr_w_value(w, nr_memref_atomic_rmw_value(op));
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_memref_atomic_rmw_memref(op));
  nr_w_indices(w, op, 2, op->num_operands - 2);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : (");
  nr_w_operand_types(w, op, 0, 2);
  nr_w_puts(w, ") -> ");
  nr_w_result_types(w, op);
}

NrStatus nr_memref_atomic_rmw_verify(NrOp *op) {
  NR_TRY(nr_memref_access_verify(op, "atomic_rmw"));
  NrType type = nr_memref_atomic_rmw_value(op)->type;
  NR_TRY(nr_memref_elem_verify(op, type));
  int64_t kind = nr_op_attr_int(op, NR_A_kind, -1);
  if (!nr_atomic_kind_name(kind)) return nr_op_error(op, "(C3) unknown kind");
  const NrCombine *combine = nr_combine_of_atomic(kind);
  if (!combine) return NR_OK; /* kind assign, which has no requirement on the type */
  if (combine->is_float ? !nr_type_is_float(type) : !nr_type_is_int(type))
    return nr_op_error(op, "(C3) kind '%s' expects %s type, got %s", combine->atomic,
                       combine->is_float ? "a floating-point" : "an integer", text_of(op, type));
  return NR_OK;
}

NrStatus nr_memref_generic_atomic_rmw_parse(NrParser *p, NrOpState *state) {
  NrOperandRef memref, *indices;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operand(p, &memref));
  NR_TRY(nr_p_indices(p, &indices, &count));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (!nr_type_is_memref(type)) return nr_p_error(p, loc, "expected a memref type");
  NR_TRY(nr_p_add_operand(p, state, memref, type));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  nr_p_add_result(p, state, type->elem);
  NR_TRY(nr_p_region(p, state, NULL, 0));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_memref_generic_atomic_rmw_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_generic_atomic_rmw_memref(op));
  nr_w_indices(w, op, 1, op->num_operands - 1);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_memref_generic_atomic_rmw_memref(op)->type);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_memref_generic_atomic_rmw_region(op), true, true);
  nr_w_attr_dict(w, op, NULL);
}

NrStatus nr_memref_generic_atomic_rmw_verify(NrOp *op) {
  NrType memref = nr_memref_generic_atomic_rmw_memref(op)->type;
  NR_TRY(nr_memref_access_verify(op, "generic_atomic_rmw"));
  NR_TRY(nr_memref_elem_verify(op, nr_op_result(op)->type));
  if (!nr_type_is_scalar(memref->elem))
    return nr_op_error(op, "(C4) expected a memref of numbers, got %s", text_of(op, memref));
  NrBlock *body = nr_memref_generic_atomic_rmw_body(op);
  if (!body || body->num_args != 1 || nr_block_arg(body, 0)->type != memref->elem)
    return nr_op_error(op, "(C2) expected a body with one argument of type %s", text_of(op, memref->elem));
  for (NrOp *inner = body->first; inner; inner = inner->next)
    if (!nr_op_has(inner, NR_TERMINATOR) && !nr_op_is_pure(inner) && !nr_op_is(inner, NR_OP_rt_check))
      return nr_op_error(inner, "(C3) has effects: the body of generic_atomic_rmw may run more than once");
  return NR_OK;
}

NrStatus nr_memref_atomic_yield_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  if (parent && parent->num_results == 1 && nr_op_result(parent)->type != nr_memref_atomic_yield_value(op)->type)
    return nr_op_error(op, "(C1) types mismatch between yield op: %s and its parent: %s",
                       text_of(op, nr_memref_atomic_yield_value(op)->type), text_of(op, nr_op_result(parent)->type));
  return NR_OK;
}
