/* collective.c - texts and checks of collectives. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"

static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

static const char *const element_names[] = {"si8",  "ui8",  "si16", "ui16", "si32", "ui32",
                                            "si64", "ui64", "f16",  "f32",  "f64",  "bf16"};
static const char *const reduction_names[] = {"none", "sum", "product", "minimum", "maximum", "average"};

const char *nr_flow_element_name(int64_t kind) {
  return kind >= 0 && kind < (int64_t)NR_COUNTOF(element_names) ? element_names[kind] : NULL;
}

const char *nr_flow_reduction_name(int64_t kind) {
  return kind >= 0 && kind < (int64_t)NR_COUNTOF(reduction_names) ? reduction_names[kind] : NULL;
}

static bool reduces(const NrOpInfo *info) {
  return info->id == NR_OP_flow_collective_all_reduce || info->id == NR_OP_flow_collective_reduce_scatter;
}

/* A bare word of a list, as its number. */
static NrStatus enum_parse(NrParser *p, NrOpState *state, const char *attr, const char *const *names, size_t count) {
  NrStr word;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_keyword(p, &word));
  size_t i = 0;
  while (i < count && !nr_str_is(word, names[i])) i++;
  if (i == count) return nr_p_error(p, loc, "'%.*s' is not a valid %s", NR_STR_ARG(word), attr);
  nr_p_add_attr(p, state, attr, nr_attr_int(nr_type_i32(nr_p_context(p)), (int64_t)i));
  return nr_p_expect(p, ",");
}

/* op, element, target, source, channel (, send, recv)? : (types) -> target as type{dims} */
NrStatus nr_flow_collective_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs;
  NrType *types, result;
  size_t count, num_types, need = state->info->id == NR_OP_flow_collective_send_recv ? 5 : 3;
  NrRefs dims = {0};
  if (reduces(state->info))
    NR_TRY(enum_parse(p, state, "reduction_op", reduction_names, NR_COUNTOF(reduction_names)));
  NR_TRY(enum_parse(p, state, "element_type", element_names, NR_COUNTOF(element_names)));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_operands(p, &refs, &count));
  if (count != need) return nr_p_error(p, loc, "expected %zu operands, got %zu", need, count);
  NR_TRY(nr_p_expect(p, ":"));
  loc = nr_p_loc(p);
  NR_TRY(nr_p_paren_type_list(p, &types, &num_types));
  if (num_types != need) return nr_p_error(p, loc, "expected %zu types, got %zu", need, num_types);
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_flow_p_tied_result(p, refs[0], &result, &dims));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  nr_p_add_attr(p, state, "tied_operands", nr_flow_tied_attr(nr_p_context(p), (int64_t[]){0}, 1));
  nr_p_add_result(p, state, result);
  NR_TRY(nr_p_add_operand(p, state, refs[0], types[0]));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  return nr_p_add_operands(p, state, refs + 1, need - 1, types + 1, need - 1);
}

void nr_flow_collective_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"reduction_op", "element_type", "tied_operands", NULL};
  size_t source, one, begin, dims;
  nr_op_operand_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_TARGET_DIMS_GROUP, &begin, &dims);
  nr_op_operand_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_SOURCE_GROUP, &source, &one);
  if (reduces(op->info)) nr_w_printf(w, " %s,", nr_flow_reduction_name(nr_op_attr_int(op, NR_A_reduction_op, 0)));
  nr_w_printf(w, " %s, ", nr_flow_element_name(nr_op_attr_int(op, NR_A_element_type, 0)));
  nr_w_value(w, nr_op_target(op));
  nr_w_puts(w, ", ");
  nr_w_values(w, op, source, op->num_operands - source);
  nr_w_puts(w, " : (");
  nr_w_operand_types(w, op, 0, 1);
  nr_w_puts(w, ", ");
  nr_w_operand_types(w, op, source, op->num_operands - source);
  nr_w_puts(w, ") -> ");
  nr_flow_w_tied_result(w, op, 1);
  nr_w_attr_dict_keyword(w, op, elided);
}

/* Whether element_type is the tensors': a signless integer goes with either sign, since the op says which is meant. */
static bool element_fits(int64_t kind, NrType elem) {
  static const NrFloatKind floats[] = {NR_F16, NR_F32, NR_F64, NR_BF16};
  if (kind >= 8) return nr_type_is_float_kind(elem, floats[kind - 8]);
  if (!nr_type_is_int_width(elem, 8u << (kind / 2))) return false;
  return elem->signedness == NR_SIGNLESS || elem->signedness == (kind % 2 ? NR_UNSIGNED : NR_SIGNED);
}

static bool same_tail(NrType a, NrType b) {
  if (a->elem != b->elem || a->rank != b->rank || a->rank == 0) return false;
  for (uint32_t i = 1; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && a->dims[i] != NR_DYNAMIC && b->dims[i] != NR_DYNAMIC) return false;
  return true;
}

NrStatus nr_flow_collective_verify(NrOp *op) {
  size_t at, one;
  NrType target = operand_type(op, 0);
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(target), 1));
  nr_op_operand_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_SOURCE_GROUP, &at, &one);
  NrType source = operand_type(op, at);
  int64_t kind = nr_op_attr_int(op, NR_A_element_type, -1), reduction = nr_op_attr_int(op, NR_A_reduction_op, -1);
  if (!nr_flow_element_name(kind) || !element_fits(kind, target->elem) || !element_fits(kind, source->elem))
    return nr_op_error(op, "(C2) element_type does not fit tensors of %s and %s", text_of(op, source),
                       text_of(op, target));
  if (reduces(op->info)) {
    if (!nr_flow_reduction_name(reduction) || reduction == NR_FLOW_NONE)
      return nr_op_error(op, "(C5) expected a reduction_op that combines");
    if (reduction == NR_FLOW_AVERAGE && kind < 8)
      return nr_op_error(op, "(C5) average is for floating-point elements only");
  }
  bool gathers = nr_op_is(op, NR_OP_flow_collective_all_gather),
       scatters = nr_op_is(op, NR_OP_flow_collective_reduce_scatter);
  if (gathers || scatters) {
    NrType whole = gathers ? target : source, part = gathers ? source : target;
    if (!same_tail(whole, part)) return nr_op_error(op, "(C3) dims of source and target differ beyond the first");
    bool known = whole->dims[0] != NR_DYNAMIC && part->dims[0] != NR_DYNAMIC;
    if (known && (part->dims[0] == 0 ? whole->dims[0] != 0 : whole->dims[0] % part->dims[0] != 0))
      return nr_op_error(op, "(C4) dim 0 of the whole (%lld) is not a multiple of that of a part (%lld)",
                         (long long)whole->dims[0], (long long)part->dims[0]);
  }
  for (size_t group = 4; group < 6 && nr_op_is(op, NR_OP_flow_collective_send_recv); group++) {
    int64_t rank;
    if (nr_value_constant_int(nr_op_group_operand(op, group), &rank) && rank < -1)
      return nr_op_error(op, "(C6) %s must be a rank or -1, got %lld", group == 4 ? "send" : "recv", (long long)rank);
  }
  return NR_OK;
}
