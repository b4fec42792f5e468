/* flow_tensor.c - texts of tensor ops and collectives that a format cannot say, parameters, and dims of flow's tensors.
 */
#include "dialect/flow/flow.h"

static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- constants -------------------------------------------------------------------------------------------------- */

static NrStatus value_parse(NrParser *p, NrOpState *state, NrType *out_type) {
  NrAttr value;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_attr(p, &value));
  if (!value->type || !nr_type_is_tensor(value->type)) return nr_p_error(p, loc, "expected a constant of tensor type");
  nr_p_add_attr(p, state, "value", value);
  *out_type = value->type;
  return NR_OK;
}

NrStatus nr_flow_constant_parse(NrParser *p, NrOpState *state) {
  NrType type;
  NR_TRY(value_parse(p, state, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

static void value_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"value", NULL};
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " ");
  nr_w_attr(w, nr_op_attr(op, "value"));
}

void nr_flow_constant_print(NrPrinter *w, NrOp *op) { value_print(w, op); }

NrStatus nr_flow_dynamic_constant_parse(NrParser *p, NrOpState *state) {
  NrType type;
  NR_TRY(value_parse(p, state, &type));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

void nr_flow_dynamic_constant_print(NrPrinter *w, NrOp *op) {
  value_print(w, op);
  nr_w_puts(w, " -> ");
  nr_w_result_types(w, op);
}

#define PARAMETER_PREFIX "flow.parameter.named<"

/* A quoted string at *at; the view is without the quotes. */
static bool quoted(NrStr text, size_t *at, NrStr *out) {
  if (*at >= text.size || text.data[*at] != '"') return false;
  size_t begin = ++*at;
  while (*at < text.size && text.data[*at] != '"') *at += text.data[*at] == '\\' ? 2 : 1;
  if (*at >= text.size) return false;
  *out = (NrStr){text.data + begin, *at - begin};
  ++*at;
  return true;
}

static void blanks(NrStr text, size_t *at) {
  while (*at < text.size && (text.data[*at] == ' ' || text.data[*at] == '\n')) ++*at;
}

bool nr_flow_parameter(NrAttr attr, NrStr *out_scope, NrStr *out_key, NrStr *out_config) {
  NrStr first, second = {0}, config = {0};
  size_t at = sizeof PARAMETER_PREFIX - 1;
  if (!attr || attr->kind != NR_ATTR_OPAQUE || !nr_str_starts(attr->s, PARAMETER_PREFIX)) return false;
  NrStr text = attr->s;
  blanks(text, &at);
  if (!quoted(text, &at, &first)) return false;
  blanks(text, &at);
  bool scoped = at + 2 < text.size && text.data[at] == ':' && text.data[at + 1] == ':';
  if (scoped) {
    at += 2;
    blanks(text, &at);
    if (!quoted(text, &at, &second)) return false;
    blanks(text, &at);
  }
  if (at < text.size && text.data[at] == ',') {
    at++;
    blanks(text, &at);
    size_t end = text.size - 1;
    if (at >= end || text.data[at] != '{' || text.data[end - 1] != '}') return false;
    config = (NrStr){text.data + at, end - at};
    at = end;
  }
  if (at + 1 != text.size || text.data[at] != '>') return false;
  *out_scope = scoped ? first : (NrStr){0};
  *out_key = scoped ? second : first;
  *out_config = config;
  return out_key->size > 0;
}

NrAttr nr_flow_parameter_attr(NrType type, NrStr scope, NrStr key) {
  NrBuf text = {0};
  nr_buf_puts(&text, PARAMETER_PREFIX);
  if (scope.size) nr_buf_printf(&text, "\"%.*s\"::", NR_STR_ARG(scope));
  nr_buf_printf(&text, "\"%.*s\">", NR_STR_ARG(key));
  NrAttr attr = nr_attr_opaque(type->ctx, (NrStr){text.data, text.size}, type);
  nr_buf_deinit(&text);
  return attr;
}

/* ---- splat, store, trace, update -------------------------------------------------------------------------------- */

NrStatus nr_flow_splat_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value;
  NrType type;
  NrRefs dims = {0};
  NR_TRY(nr_p_operand(p, &value));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_TENSOR) return nr_p_error(p, loc, "expected a ranked tensor type");
  NR_TRY(nr_flow_p_dims(p, type, &dims));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  nr_p_add_result(p, state, type);
  NR_TRY(nr_p_add_operand(p, state, value, type->elem));
  return nr_p_add_indices(p, state, dims.data, dims.size);
}

void nr_flow_splat_print(NrPrinter *w, NrOp *op) {
  size_t next = 1;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, nr_result(op, 0)->type, &next);
  nr_w_attr_dict_keyword(w, op, NULL);
}

NrStatus nr_flow_tensor_store_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, target, *indices = NULL;
  size_t count = 0;
  NrType type;
  NrRefs dims = {0};
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &target));
  if (nr_p_peek(p, "[")) NR_TRY(nr_p_indices(p, &indices, &count));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_TENSOR) return nr_p_error(p, loc, "expected a ranked tensor type");
  NR_TRY(nr_flow_p_dims(p, type, &dims));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  nr_p_add_result(p, state, type);
  NR_TRY(nr_p_add_operand(p, state, value, type->elem));
  NR_TRY(nr_p_add_operand(p, state, target, type));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  nr_p_set_segments(p, state, (uint32_t[]){1, 1, (uint32_t)dims.size, (uint32_t)count}, 4);
  return NR_OK;
}

static const char *const segments_only[] = {"operandSegmentSizes", NULL};

void nr_flow_tensor_store_print(NrPrinter *w, NrOp *op) {
  size_t next = 2, begin, count;
  nr_op_operand_group(op, 3, &begin, &count);
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  if (count) nr_w_indices(w, op, begin, count);
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, operand_type(op, 1), &next);
  nr_w_attr_dict_keyword(w, op, segments_only);
}

NrStatus nr_flow_trace_parse(NrParser *p, NrOpState *state) {
  NrStr key;
  NrRefs values = {0}, dims = {0};
  NrType *types = NULL;
  size_t capacity = 0;
  NrLoc loc = nr_p_loc(p);
  if (!nr_p_try_string(p, &key)) return nr_p_error(p, loc, "expected the key as a string");
  nr_p_add_attr(p, state, "key", nr_attr_string(nr_p_context(p), key));
  NR_TRY(nr_p_expect(p, "="));
  NR_TRY(nr_p_expect(p, "["));
  if (!nr_p_try(p, "]")) {
    do {
      NrOperandRef ref;
      NrType type;
      NR_TRY(nr_p_operand(p, &ref));
      NR_TRY(nr_p_colon_type(p, &type));
      NR_TRY(nr_flow_p_dims(p, type, &dims));
      if (values.size == capacity) {
        capacity = NR_MAX(8, 2 * capacity);
        NrType *more = NR_NEW_ARRAY(&nr_p_module(p)->arena, NrType, capacity);
        if (values.size) memcpy(more, types, values.size * sizeof *types);
        types = more;
      }
      types[values.size] = type;
      nr_flow_push_ref(p, &values, ref);
    } while (nr_p_try(p, ","));
    NR_TRY(nr_p_expect(p, "]"));
  }
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_add_operands(p, state, values.data, values.size, types, values.size));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)values.size, (uint32_t)dims.size}, 2);
  return NR_OK;
}

void nr_flow_trace_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"operandSegmentSizes", "key", NULL};
  size_t begin, count, next;
  nr_op_operand_group(op, 0, &begin, &count);
  next = begin + count;
  nr_w_puts(w, " ");
  nr_w_string(w, nr_op_attr_str(op, "key"));
  nr_w_puts(w, " = [");
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_operand(op, i));
    nr_w_puts(w, " : ");
    nr_flow_w_type(w, op, operand_type(op, i), &next);
  }
  nr_w_puts(w, "]");
  nr_w_attr_dict_keyword(w, op, elided);
}

NrStatus nr_flow_update_parse(NrParser *p, NrOpState *state) {
  NrOperandRef update, target, *start;
  size_t num_start;
  NrType type, target_type;
  NrRefs dims = {0}, target_dims = {0};
  NR_TRY(nr_p_operand(p, &update));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &target));
  NR_TRY(nr_p_indices(p, &start, &num_start));
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_flow_p_dims(p, type, &dims));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_flow_p_tied_result(p, target, &target_type, &target_dims));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  nr_p_add_result(p, state, target_type);
  NR_TRY(nr_p_add_operand(p, state, target, target_type));
  NR_TRY(nr_p_add_indices(p, state, target_dims.data, target_dims.size));
  NR_TRY(nr_p_add_indices(p, state, start, num_start));
  NR_TRY(nr_p_add_operand(p, state, update, type));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  nr_p_set_segments(p, state, (uint32_t[]){1, (uint32_t)target_dims.size, (uint32_t)num_start, 1, (uint32_t)dims.size},
                    5);
  return NR_OK;
}

/* "%target as type{%d}". */
static void tied_result_print(NrPrinter *w, NrOp *op, size_t first_dim) {
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, " as ");
  nr_flow_w_type(w, op, nr_result(op, 0)->type, &first_dim);
}

void nr_flow_update_print(NrPrinter *w, NrOp *op) {
  size_t start, num_start, update, one;
  nr_op_operand_group(op, 2, &start, &num_start);
  nr_op_operand_group(op, 3, &update, &one);
  size_t next = update + 1;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, update));
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_indices(w, op, start, num_start);
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, operand_type(op, update), &next);
  nr_w_puts(w, " -> ");
  tied_result_print(w, op, 1);
  nr_w_attr_dict_keyword(w, op, segments_only);
}

/* ---- collectives ------------------------------------------------------------------------------------------------ */

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
  nr_op_operand_group(op, 1, &begin, &dims);
  nr_op_operand_group(op, 2, &source, &one);
  if (reduces(op->info)) nr_w_printf(w, " %s,", nr_flow_reduction_name(nr_op_attr_int(op, "reduction_op", 0)));
  nr_w_printf(w, " %s, ", nr_flow_element_name(nr_op_attr_int(op, "element_type", 0)));
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, ", ");
  nr_w_values(w, op, source, op->num_operands - source);
  nr_w_puts(w, " : (");
  nr_w_operand_types(w, op, 0, 1);
  nr_w_puts(w, ", ");
  nr_w_operand_types(w, op, source, op->num_operands - source);
  nr_w_puts(w, ") -> ");
  tied_result_print(w, op, 1);
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
  nr_op_operand_group(op, 2, &at, &one);
  NrType source = operand_type(op, at);
  int64_t kind = nr_op_attr_int(op, "element_type", -1), reduction = nr_op_attr_int(op, "reduction_op", -1);
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

/* ---- dims ------------------------------------------------------------------------------------------------------- */

/* The group of result dims of an op, SIZE_MAX when it has none. */
static size_t result_dims_group(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_dispatch_region:
  case NR_OP_flow_tensor_alloca:
  case NR_OP_flow_tensor_empty: return 0;
  case NR_OP_flow_tensor_splat:
  case NR_OP_flow_tensor_clone:
  case NR_OP_flow_tensor_transfer:
  case NR_OP_flow_tensor_tie_shape:
  case NR_OP_flow_dispatch_tie_shape:
  case NR_OP_flow_tensor_update:
  case NR_OP_flow_collective_all_gather:
  case NR_OP_flow_collective_all_reduce:
  case NR_OP_flow_collective_all_to_all:
  case NR_OP_flow_collective_reduce_scatter:
  case NR_OP_flow_collective_send_recv: return 1;
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_reshape:
  case NR_OP_flow_tensor_store:
  case NR_OP_flow_call: return 2;
  case NR_OP_flow_dispatch_workgroups:
  case NR_OP_flow_dispatch: return NR_FLOW_RESULT_DIMS;
  case NR_OP_flow_tensor_slice: return 4;
  default: return SIZE_MAX;
  }
}

bool nr_flow_dim_of(NrValue *value, size_t i, NrIndex *out) {
  NrOp *op = value->op;
  NrType type = value->type->kind == NR_TYPE_DISPATCH_TENSOR ? value->type->elem : value->type;
  if (type->kind != NR_TYPE_TENSOR || i >= type->rank) return false;
  if (type->dims[i] != NR_DYNAMIC) return *out = nr_index_const(type->dims[i]), true;
  if (!op) return false;
  if (nr_op_is(op, NR_OP_flow_dispatch_tensor_load)) {
    if (nr_index_list_size(op, "static_sizes") != type->rank) return false;
    *out = nr_index_list_get(op, (NrIndexListSlot){3, "static_sizes"}, i);
    return true;
  }
  size_t group = result_dims_group(op), begin, count, before = 0;
  if (group == SIZE_MAX || !nr_op_operand_group(op, group, &begin, &count)) return false;
  for (uint32_t r = 0; r < value->index; r++) before += nr_flow_num_dims(nr_result(op, r)->type);
  for (size_t k = 0; k < i; k++) before += type->dims[k] == NR_DYNAMIC;
  if (before >= count) return false;
  *out = nr_index_of(nr_operand(op, begin + before));
  return true;
}
