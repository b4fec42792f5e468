/* shaped_text.c - text shared by ops of shaped types: lists of indices and integers, slices, dim, rank,
 * from_elements. */
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"

NrStatus nr_p_index_list(NrParser *p, NrIndexListText *out) {
  NrArena *arena = &nr_p_module(p)->arena;
  *out = (NrIndexListText){.refs = NR_NEW_ARRAY(arena, NrOperandRef, NR_MAX_RANK),
                           .statics = NR_NEW_ARRAY(arena, int64_t, NR_MAX_RANK)};
  NrStatus status = nr_p_expect(p, "[");
  if (status || nr_p_try(p, "]")) return status;
  do {
    if (out->size == NR_MAX_RANK) return nr_p_error(p, nr_p_loc(p), "more than %d indices", NR_MAX_RANK);
    if (nr_p_try_operand(p, &out->refs[out->num_refs])) {
      out->num_refs++;
      out->statics[out->size++] = NR_DYNAMIC;
    } else {
      if ((status = nr_p_int(p, &out->statics[out->size]))) return status;
      out->size++;
    }
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, "]");
}

NrStatus nr_p_add_index_list(NrParser *p, NrOpState *state, const NrIndexListText *list, const char *attr) {
  NrContext *ctx = nr_p_context(p);
  nr_p_add_attr(p, state, attr, nr_attr_i64_array(ctx, list->statics, list->size));
  for (size_t i = 0; i < list->num_refs; i++) {
    NR_TRY(nr_p_add_operand(p, state, list->refs[i], nr_type_index(ctx)));
  }
  return NR_OK;
}

void nr_w_index_list(NrPrinter *w, NrOp *op, NrIndexListSlot slot) {
  NrIndex list[NR_MAX_RANK];
  size_t n = nr_index_list_all(op, slot, list);
  nr_w_puts(w, "[");
  for (size_t i = 0; i < n; i++) {
    if (i) nr_w_puts(w, ", ");
    if (list[i].value) nr_w_value(w, list[i].value);
    else nr_w_printf(w, "%lld", (long long)list[i].constant);
  }
  nr_w_puts(w, "]");
}

NrStatus nr_p_integers(NrParser *p, NrOpState *state, const char *attr) {
  NrIndexListText list;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_index_list(p, &list));
  if (list.num_refs) return nr_p_error(p, loc, "expected integers");
  nr_p_add_attr(p, state, attr, nr_attr_i64_array(nr_p_context(p), list.statics, list.size));
  return NR_OK;
}

void nr_w_integers(NrPrinter *w, NrOp *op, const char *attr) {
  size_t count = nr_index_list_size(op, attr);
  const int64_t *statics = nr_index_list_statics(op, attr);
  nr_w_puts(w, "[");
  for (size_t i = 0; i < count; i++) nr_w_printf(w, i ? ", %lld" : "%lld", (long long)statics[i]);
  nr_w_puts(w, "]");
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

const char *const nr_slice_attrs[] = {"static_offsets", "static_sizes", "static_strides", "operandSegmentSizes", NULL};

NrStatus nr_p_slice_lists(NrParser *p, NrIndexListText *out_lists) {
  for (size_t i = 0; i < 3; i++) NR_TRY(nr_p_index_list(p, &out_lists[i]));
  return NR_OK;
}

NrStatus nr_p_add_slice_lists(NrParser *p, NrOpState *state, const NrIndexListText *lists, const uint32_t *before,
                              size_t num_before) {
  enum { MAX_BEFORE = 3 };
  uint32_t segments[MAX_BEFORE + 3];
  assert(num_before <= MAX_BEFORE);
  memcpy(segments, before, num_before * sizeof *before);
  for (size_t i = 0; i < 3; i++) {
    NR_TRY(nr_p_add_index_list(p, state, &lists[i], nr_slice_attrs[i]));
    segments[num_before + i] = (uint32_t)lists[i].num_refs;
  }
  nr_p_set_segments(p, state, segments, num_before + 3);
  return NR_OK;
}

void nr_w_slice_lists(NrPrinter *w, NrOp *op, const NrIndexListSlot *slots) {
  for (size_t i = 0; i < 3; i++) {
    if (i) nr_w_puts(w, " ");
    nr_w_index_list(w, op, slots[i]);
  }
}

NrStatus nr_slice_lists_verify(NrOp *op, const NrIndexListSlot *slots, uint32_t rank,
                               NrIndex (*out_lists)[NR_MAX_RANK]) {
  static const char *const names[] = {"offset", "size", "stride"};
  for (size_t i = 0; i < 3; i++) {
    NR_TRY(nr_index_list_verify(op, slots[i], names[i], rank));
    nr_index_list_all(op, slots[i], out_lists[i]);
  }
  return NR_OK;
}

/* ---- types and operands ------------------------------------------------------------------------------------------ */

NrStatus nr_p_colon_type(NrParser *p, NrType *out) {
  NrStatus status = nr_p_expect(p, ":");
  return status ? status : nr_p_type(p, out);
}

NrStatus nr_p_change(NrParser *p, NrOpState *state, NrOperandRef source, const char *word) {
  NrType type, result;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, word));
  NR_TRY(nr_p_type(p, &result));
  nr_p_add_result(p, state, result);
  return nr_p_add_operand(p, state, source, type);
}

void nr_w_change(NrPrinter *w, NrOp *op, const NrValue *from, const char *word, const char *const *elided) {
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, from->type);
  nr_w_printf(w, " %s ", word);
  nr_w_type(w, nr_op_result(op)->type);
}

NrStatus nr_p_indices(NrParser *p, NrOperandRef **out, size_t *count) {
  NrStatus status = nr_p_expect(p, "[");
  if (!status) status = nr_p_operands(p, out, count);
  return status ? status : nr_p_expect(p, "]");
}

NrStatus nr_p_add_indices(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count) {
  NrStatus status = NR_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = nr_p_add_operand(p, state, refs[i], nr_type_index(nr_p_context(p)));
  return status;
}

void nr_w_indices(NrPrinter *w, NrOp *op, size_t begin, size_t count) {
  nr_w_puts(w, "[");
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, "]");
}

static bool is_memref_op(const NrOpState *state) { return strcmp(state->info->dialect, "memref") == 0; }

NrStatus nr_p_dim_op(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrOperandRef source, index = {0};
  NrType type;
  int64_t dim = 0;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrStatus status = nr_p_operand(p, &source);
  if (status || (status = nr_p_expect(p, ","))) return status;
  bool constant = nr_p_is_legacy(p) && nr_p_try_int(p, &dim);
  if (!constant && (status = nr_p_operand(p, &index))) return status;
  if ((status = nr_p_colon_type(p, &type)) || (status = nr_p_add_operand(p, state, source, type))) return status;
  if (constant) nr_p_add_attr(p, state, "index", nr_attr_index(ctx, dim));
  else if ((status = nr_p_add_operand(p, state, index, nr_type_index(ctx)))) return status;
  if (is_memref_op(state) && nr_type_is_tensor(type)) state->info = nr_op_infos[NR_OP_tensor_dim];
  nr_p_add_result(p, state, nr_type_index(ctx));
  return NR_OK;
}

NrStatus nr_p_dim_post_parse(NrParser *p, NrOp *op) {
  (void)p;
  int64_t index;
  if (!nr_attr_is_int(nr_op_attr(op, NR_A_index), &index) || op->num_operands != 1) return NR_OK;
  NrBuilder b = nr_builder_before(op);
  nr_op_insert_operand(op, nr_op_index_index(op), nr_index_value(&b, nr_index_const(index)));
  nr_op_remove_attr(op, NR_A_index);
  return NR_OK;
}

NrStatus nr_p_rank_op(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  NrStatus status = nr_p_operand(p, &source);
  if (status) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  if ((status = nr_p_colon_type(p, &type)) || (status = nr_p_add_operand(p, state, source, type))) return status;
  if (is_memref_op(state) && nr_type_is_tensor(type)) state->info = nr_op_infos[NR_OP_tensor_rank];
  nr_p_add_result(p, state, nr_type_index(nr_p_context(p)));
  return NR_OK;
}

NrStatus nr_p_from_elements(NrParser *p, NrOpState *state) {
  bool vector = state->info->id == NR_OP_vector_from_elements;
  NrOperandRef *refs;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operands(p, &refs, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != (vector ? NR_TYPE_VECTOR : NR_TYPE_TENSOR))
    return nr_p_error(p, loc, vector ? "expected a vector type" : "expected a ranked tensor type");
  nr_p_add_result(p, state, type);
  for (size_t i = 0; i < count; i++) NR_TRY(nr_p_add_operand(p, state, refs[i], type->elem));
  return NR_OK;
}
