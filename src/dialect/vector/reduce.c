/* reduce.c - hooks of reduction and multi_reduction, and their kinds. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/vector/vector.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

NrStr nr_vector_kind(const NrOp *op) {
  NrAttr kind = nr_op_attr(op, NR_A_kind);
  return kind && kind->kind == NR_ATTR_vector_kind ? kind->items[0]->s : (NrStr){0};
}

NrAttr nr_vector_kind_attr(NrContext *ctx, const char *kind) {
  NrAttr params[] = {nr_attr_string(ctx, nr_str(kind))};
  return nr_attr_of_dialect(ctx, NR_ATTR_vector_kind, params, NULL);
}

/* Parses `<add>,`. */
static NrStatus kind_parse(NrParser *p, NrOpState *state) {
  NrStr kind;
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(nr_p_keyword(p, &kind));
  NR_TRY(nr_p_expect(p, ">"));
  NR_TRY(nr_p_expect(p, ","));
  nr_p_add_attr(p, state, "kind", nr_vector_kind_attr(nr_p_context(p), nr_context_intern(nr_p_context(p), kind).data));
  return NR_OK;
}

static NrStatus kind_verify(NrOp *op, NrType elem) {
  bool is_float = nr_type_is_float(elem);
  if (!is_float && !nr_type_is_int_or_index(elem))
    return nr_op_error(op, "(C3) unsupported element type %s", text_of(op, elem));
  NrStr kind = nr_vector_kind(op);
  if (nr_combine_of_vector(kind, is_float)) return NR_OK;
  NrNearest nearest = nr_nearest(kind);
  for (size_t i = 0; i < NR_NUM_COMBINES; i++)
    if (nr_combines[i].vector && nr_combines[i].is_float == is_float)
      nr_nearest_try(&nearest, nr_str(nr_combines[i].vector));
  return nr_op_error(op, "(C3) unsupported reduction kind '%.*s' for element type %s" NR_HINT, NR_STR_ARG(kind),
                     text_of(op, elem), NR_HINT_ARG(nearest));
}

NrStatus nr_vector_reduction_parse(NrParser *p, NrOpState *state) {
  NrOperandRef vector, acc;
  NrType type, result;
  NR_TRY(kind_parse(p, state));
  NR_TRY(nr_p_operand(p, &vector));
  bool has_acc = nr_p_try(p, ",");
  if (has_acc) NR_TRY(nr_p_operand(p, &acc));
  NR_TRY(nr_arith_parse_flags(p, state));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_type(p, &result));
  NR_TRY(nr_p_add_operand(p, state, vector, type));
  if (has_acc) NR_TRY(nr_p_add_operand(p, state, acc, result));
  nr_p_add_result(p, state, result);
  return NR_OK;
}

void nr_vector_reduction_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"kind", "fastmath", NULL};
  nr_w_printf(w, " <%.*s>, ", NR_STR_ARG(nr_vector_kind(op)));
  nr_w_values(w, op, 0, op->num_operands);
  nr_arith_print_flags(w, op);
  nr_w_change(w, op, nr_vector_reduction_vector(op), "into", elided);
}

NrStatus nr_vector_reduction_verify(NrOp *op) {
  NrType type = nr_vector_reduction_vector(op)->type;
  if (type->rank > 1) return nr_op_error(op, "(C1) unsupported reduction rank: %u", type->rank);
  if (result_of(op) != type->elem || (op->num_operands == 2 && nr_vector_reduction_acc(op)->type != type->elem))
    return nr_op_error(op, "(C2) expected accumulator and result to be of the element type %s",
                       text_of(op, type->elem));
  return kind_verify(op, type->elem);
}

NrStatus nr_vector_multi_reduction_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType types[2];
  NR_TRY(kind_parse(p, state));
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &refs[1]));
  NR_TRY(nr_p_integers(p, state, "reduction_dims"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &types[0]));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &types[1]));
  nr_p_add_result(p, state, types[1]);
  return nr_p_add_operands(p, state, refs, 2, types, 2);
}

void nr_vector_multi_reduction_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"kind", "reduction_dims", NULL};
  nr_w_printf(w, " <%.*s>, ", NR_STR_ARG(nr_vector_kind(op)));
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  nr_w_integers(w, op, "reduction_dims");
  nr_w_change(w, op, nr_vector_multi_reduction_source(op), "to", elided);
}

NrStatus nr_vector_multi_reduction_verify(NrOp *op) {
  NrType from = nr_vector_multi_reduction_source(op)->type, to = result_of(op);
  int64_t dims[NR_MAX_RANK];
  uint64_t scalable = 0;
  size_t count = nr_index_list_size(op, "reduction_dims"), left = 0, next = 0;
  const int64_t *reduced = nr_index_list_statics(op, "reduction_dims");
  for (size_t i = 0; i < count; i++)
    if (reduced[i] < 0 || reduced[i] >= from->rank || (i && reduced[i] <= reduced[i - 1]))
      return nr_op_error(op, "(C1) reduction_dims must ascend and be less than the rank");
  for (uint32_t i = 0; i < from->rank; i++) {
    if (next < count && reduced[next] == i) {
      next++;
      continue;
    }
    scalable |= (from->scalable >> i & 1) << left;
    dims[left++] = from->dims[i];
  }
  NrType vector = nr_type_vector_scalable(dims, left, from->elem, scalable);
  if (to != (left ? vector : from->elem) && to != vector)
    return nr_op_error(op, "(C2) destination type %s is incompatible with source type %s", text_of(op, to),
                       text_of(op, from));
  return kind_verify(op, from->elem);
}
