/* tensor.c - the text of tensor ops that a format cannot express, parameters, and dims of flow's tensors. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"



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
  nr_w_attr(w, nr_op_attr(op, NR_A_value));
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

/* "scope"::"key", {config} */
NrStatus nr_flow_parameter_parse(NrParser *p, NrAttr *out_params) {
  NrContext *ctx = nr_p_context(p);
  NrStr scope = {0}, key;
  NrLoc loc = nr_p_loc(p);
  if (!nr_p_try_string(p, &key)) return nr_p_error(p, loc, "expected the key of a parameter");
  key = nr_context_intern(ctx, key);
  if (nr_p_try(p, "::")) {
    scope = key;
    loc = nr_p_loc(p);
    if (!nr_p_try_string(p, &key)) return nr_p_error(p, loc, "expected the key of a parameter");
  }
  out_params[0] = nr_attr_string(ctx, scope);
  out_params[1] = nr_attr_string(ctx, key);
  out_params[2] = nr_attr_unit(ctx);
  return nr_p_try(p, ",") ? nr_p_attr(p, &out_params[2]) : NR_OK;
}

void nr_flow_parameter_print(NrPrinter *w, const NrAttr *params) {
  if (params[0]->s.size) {
    nr_w_string(w, params[0]->s);
    nr_w_puts(w, "::");
  }
  nr_w_string(w, params[1]->s);
  if (params[2]->kind == NR_ATTR_UNIT) return;
  nr_w_puts(w, ", ");
  nr_w_attr(w, params[2]);
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
  nr_w_value(w, nr_flow_tensor_splat_value(op));
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, nr_op_result(op)->type, &next);
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
  nr_op_operand_group(op, NR_FLOW_TENSOR_STORE_INDICES_GROUP, &begin, &count);
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  if (count) nr_w_indices(w, op, begin, count);
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, nr_flow_tensor_store_target(op)->type, &next);
  nr_w_attr_dict_keyword(w, op, segments_only);
}

NrStatus nr_flow_trace_parse(NrParser *p, NrOpState *state) {
  NrStr key;
  NrRefs values = {0}, dims = {0};
  NrType *types = NULL;
  size_t capacity = 0;
  NrLoc loc = nr_p_loc(p);
  if (nr_p_peek(p, "%") || nr_p_peek(p, "{")) return nr_flow_p_trace_2020(p, state);
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
  nr_op_operand_group(op, NR_FLOW_TENSOR_TRACE_VALUES_GROUP, &begin, &count);
  next = begin + count;
  nr_w_puts(w, " ");
  nr_w_string(w, nr_op_attr_str(op, NR_A_key));
  nr_w_puts(w, " = [");
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_operand(op, i));
    nr_w_puts(w, " : ");
    nr_flow_w_type(w, op, nr_operand(op, i)->type, &next);
  }
  nr_w_puts(w, "]");
  nr_w_attr_dict_keyword(w, op, elided);
}

NrStr nr_flow_trace_text(NrArena *arena, NrOp *trace) {
  NrGroup values = nr_flow_tensor_trace_values(trace);
  NrBuf text = {0};
  for (size_t i = 0; i < values.count; i++) {
    NrType elem = nr_operand(trace, values.begin + i)->type->elem;
    nr_buf_printf(&text, "%s%s", i ? "," : "", nr_type_text(nr_op_context(trace), elem));
  }
  nr_buf_putc(&text, ';');
  nr_buf_str(&text, nr_op_attr_str(trace, NR_A_key));
  NrStr kept = nr_str_copy(arena, (NrStr){text.data, text.size});
  nr_buf_deinit(&text);
  return kept;
}

bool nr_flow_can_trace(const NrOp *trace) {
  NrGroup values = nr_flow_tensor_trace_values(trace);
  for (size_t i = 0; i < values.count; i++) {
    NrType elem = nr_operand(trace, values.begin + i)->type->elem;
    if (elem->kind == NR_TYPE_COMPLEX) elem = elem->elem;
    bool number = nr_type_is_index(elem) || elem->kind == NR_TYPE_INTEGER || elem->kind == NR_TYPE_FLOAT;
    if (!number || nr_type_bits(elem) > 64 || nr_type_bits(elem) == 0) return false;
  }
  return true;
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

/* Prints `%target as type{%d}`. */
void nr_flow_w_tied_result(NrPrinter *w, NrOp *op, size_t first_dim) {
  nr_w_value(w, nr_op_target(op));
  nr_w_puts(w, " as ");
  nr_flow_w_type(w, op, nr_op_result(op)->type, &first_dim);
}

void nr_flow_update_print(NrPrinter *w, NrOp *op) {
  size_t start, num_start, update, one;
  nr_op_operand_group(op, NR_FLOW_TENSOR_UPDATE_START_INDICES_GROUP, &start, &num_start);
  nr_op_operand_group(op, NR_FLOW_TENSOR_UPDATE_UPDATE_GROUP, &update, &one);
  size_t next = update + 1;
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, update));
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_flow_tensor_update_target(op));
  nr_w_indices(w, op, start, num_start);
  nr_w_puts(w, " : ");
  nr_flow_w_type(w, op, nr_operand(op, update)->type, &next);
  nr_w_puts(w, " -> ");
  nr_flow_w_tied_result(w, op, 1);
  nr_w_attr_dict_keyword(w, op, segments_only);
}

/* ---- dims ------------------------------------------------------------------------------------------------------- */

size_t nr_flow_claim_groups(const NrOp *op, size_t (*out)[2]) {
  size_t count = 1;
  switch (op->info->id) {
  case NR_OP_flow_call:
  case NR_OP_flow_tensor_barrier:
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_clone:
  case NR_OP_flow_tensor_encode:
  case NR_OP_flow_tensor_load:
  case NR_OP_flow_tensor_reshape:
  case NR_OP_flow_tensor_slice:
  case NR_OP_flow_tensor_tie_shape:
  case NR_OP_flow_tensor_trace:
  case NR_OP_flow_tensor_transfer:
  case NR_OP_flow_tensor_update:
  case NR_OP_flow_collective_all_gather:
  case NR_OP_flow_collective_all_reduce:
  case NR_OP_flow_collective_all_to_all:
  case NR_OP_flow_collective_reduce_scatter:
  case NR_OP_flow_collective_send_recv:
  case NR_OP_flow_dispatch_tensor_load:
  case NR_OP_flow_dispatch_tie_shape: out[0][0] = 0; break;
  case NR_OP_flow_tensor_store:
  case NR_OP_flow_dispatch_tensor_store: out[0][0] = 1; break;
  case NR_OP_flow_dispatch:
  case NR_OP_flow_dispatch_workgroups: out[0][0] = NR_FLOW_ARGUMENTS; break;
  default: return 0;
  }
  if (nr_op_is(op, NR_OP_flow_tensor_update)) out[count++][0] = 3;
  for (size_t i = 0; i < count; i++) out[i][1] = out[i][0] + 1;
  return count;
}

bool nr_flow_each_claim(const NrOp *op, NrFlowClaimFn fn, void *user) {
  size_t groups[2][2], count = nr_flow_claim_groups(op, groups);
  for (size_t g = 0; g < count; g++) {
    size_t first, num, next, num_dims;
    if (!nr_op_operand_group(op, groups[g][0], &first, &num)) continue;
    if (!nr_op_operand_group(op, groups[g][1], &next, &num_dims)) continue;
    for (size_t i = first; i < first + num; i++) {
      NrType t = nr_operand(op, i)->type;
      if (t->kind == NR_TYPE_flow_dispatch_tensor) t = t->elem;
      if (t->kind != NR_TYPE_TENSOR) continue;
      for (uint32_t d = 0; d < t->rank; d++) {
        if (t->dims[d] != NR_DYNAMIC) continue;
        NrFlowClaim claim = {(uint32_t)i, d, nr_operand(op, next++)};
        if (!fn(user, &claim)) return false;
      }
    }
  }
  return true;
}

/* ---- bitcasts of elements ---------------------------------------------------------------------------------------- */

static bool is_number(NrType t) {
  return nr_type_is_int_or_index(t) || nr_type_is_float(t) || t->kind == NR_TYPE_COMPLEX;
}

bool nr_flow_same_width(NrType a, NrType b) {
  return nr_type_bits(a) == nr_type_bits(b) && nr_type_byte_size(a) == nr_type_byte_size(b);
}

static bool fills_bytes(NrType t) { return nr_type_bits(t) == 8 * nr_type_byte_size(t); }

static bool is_plain(NrType t) {
  bool number = (t->kind == NR_TYPE_INTEGER && t->signedness == NR_SIGNLESS) || nr_type_is_float(t);
  return number && nr_type_bits(t) <= 64 && fills_bytes(t);
}

bool nr_flow_can_bitcast(NrType from, NrType to) {
  if (from == to) return true;
  if (!is_number(from) || !is_number(to)) return false;
  if (!nr_flow_same_width(from, to)) return is_plain(from) && is_plain(to);
  bool whole = fills_bytes(from) && fills_bytes(to);
  return whole || (from->kind != NR_TYPE_COMPLEX && to->kind != NR_TYPE_COMPLEX && nr_type_bits(to) <= 64);
}
