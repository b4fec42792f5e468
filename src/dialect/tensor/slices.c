/* slices.c - hooks of extract_slice, insert_slice and pad, and builders of all tensor ops. */
#include "dialect/tensor/tensor.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

NrType nr_tensor_slice_type(NrType source, const NrIndex *sizes) {
  int64_t dims[NR_MAX_RANK];
  for (uint32_t i = 0; i < source->rank; i++) dims[i] = sizes[i].value ? NR_DYNAMIC : sizes[i].constant;
  return nr_type_tensor(dims, source->rank, source->elem);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

NrStatus nr_tensor_extract_slice_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText lists[3];
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_slice_lists(p, lists));
  NR_TRY(nr_p_change(p, state, source, "to"));
  return nr_p_add_slice_lists(p, state, lists, (uint32_t[]){1}, 1);
}

void nr_tensor_extract_slice_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_tensor_extract_slice_source(op));
  nr_w_slice_lists(w, op, nr_extract_slice_slots);
  nr_w_change(w, op, nr_op_source(op), "to", nr_slice_attrs);
}

static NrStatus insert_parse(NrParser *p, NrOpState *state, bool has_result) {
  NrOperandRef source, dest;
  NrIndexListText lists[3];
  NrType type, dest_type;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_operand(p, &dest));
  NR_TRY(nr_p_slice_lists(p, lists));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_type(p, &dest_type));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  NR_TRY(nr_p_add_operand(p, state, dest, dest_type));
  if (has_result) nr_p_add_result(p, state, dest_type);
  return nr_p_add_slice_lists(p, state, lists, (uint32_t[]){1, 1}, 2);
}

NrStatus nr_tensor_insert_slice_parse(NrParser *p, NrOpState *state) { return insert_parse(p, state, true); }
NrStatus nr_tensor_parallel_insert_slice_parse(NrParser *p, NrOpState *state) { return insert_parse(p, state, false); }

void nr_tensor_insert_slice_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_source(op));
  nr_w_puts(w, " into ");
  nr_w_value(w, nr_op_dest(op));
  nr_w_slice_lists(w, op, nr_insert_slice_slots);
  nr_w_attr_dict(w, op, nr_slice_attrs);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_source(op)->type);
  nr_w_puts(w, " into ");
  nr_w_type(w, nr_op_dest(op)->type);
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

/* whole: the tensor that is sliced or inserted into; part: the slice. */
static NrStatus slice_verify(NrOp *op, const NrIndexListSlot *slots, NrType whole, NrType part, const char *what) {
  NrIndex lists[3][NR_MAX_RANK];
  NR_TRY(nr_slice_lists_verify(op, slots, whole->rank, lists));
  NR_TRY(nr_slice_bounds_verify(op, "C3", lists, whole));
  NrType full = nr_tensor_slice_type(whole, lists[1]);
  if (part->elem != full->elem || !nr_dims_rank_reduced(full->dims, full->rank, part->dims, part->rank, NULL))
    return nr_op_error(op, "(C2) expected %s type to be %s or a rank-reduced version of it, got %s", what,
                       text_of(op, full), text_of(op, part));
  return NR_OK;
}

NrStatus nr_tensor_extract_slice_verify(NrOp *op) {
  return slice_verify(op, nr_extract_slice_slots, nr_tensor_extract_slice_source(op)->type, nr_op_result(op)->type,
                      "result");
}

NrStatus nr_tensor_insert_slice_verify(NrOp *op) {
  return slice_verify(op, nr_insert_slice_slots, nr_op_dest(op)->type, nr_op_source(op)->type, "source");
}

/* ---- pad -------------------------------------------------------------------------------------------------------- */

const NrIndexListSlot nr_pad_slots[2] = {{NR_TENSOR_PAD_LOW_GROUP, "static_low"},
                                         {NR_TENSOR_PAD_HIGH_GROUP, "static_high"}};

NrStatus nr_tensor_pad_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText low, high;
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  if (nr_p_try(p, "nofold")) nr_p_add_attr(p, state, "nofold", nr_attr_unit(nr_p_context(p)));
  NR_TRY(nr_p_expect(p, "low"));
  NR_TRY(nr_p_index_list(p, &low));
  NR_TRY(nr_p_expect(p, "high"));
  NR_TRY(nr_p_index_list(p, &high));
  NR_TRY(nr_p_region(p, state, NULL, 0));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &result));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  NR_TRY(nr_p_add_index_list(p, state, &low, nr_pad_slots[0].attr));
  NR_TRY(nr_p_add_index_list(p, state, &high, nr_pad_slots[1].attr));
  nr_p_set_segments(p, state, (uint32_t[]){1, (uint32_t)low.num_refs, (uint32_t)high.num_refs}, 3);
  nr_p_add_result(p, state, result);
  return NR_OK;
}

void nr_tensor_pad_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"nofold", "static_low", "static_high", "operandSegmentSizes", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_tensor_pad_source(op));
  nr_w_puts(w, nr_op_attr(op, NR_A_nofold) ? " nofold low" : " low");
  nr_w_index_list(w, op, nr_pad_slots[0]);
  nr_w_puts(w, " high");
  nr_w_index_list(w, op, nr_pad_slots[1]);
  nr_w_puts(w, " ");
  nr_w_region(w, nr_tensor_pad_region(op), true, true);
  nr_w_change(w, op, nr_op_source(op), "to", elided);
}

NrStatus nr_tensor_pad_verify(NrOp *op) {
  NrType from = nr_tensor_pad_source(op)->type, to = nr_op_result(op)->type;
  NrIndex low[NR_MAX_RANK], high[NR_MAX_RANK];
  NR_TRY(nr_index_list_verify(op, nr_pad_slots[0], "low", from->rank));
  NR_TRY(nr_index_list_verify(op, nr_pad_slots[1], "high", from->rank));
  nr_index_list_all(op, nr_pad_slots[0], low);
  nr_index_list_all(op, nr_pad_slots[1], high);
  if (from->rank != to->rank || from->elem != to->elem)
    return nr_op_error(op, "(C2) rank and element type of source and result differ");
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t sum = from->dims[i];
    bool known = sum != NR_DYNAMIC && !low[i].value && !high[i].value && nr_add_i64(sum, low[i].constant, &sum) &&
                 nr_add_i64(sum, high[i].constant, &sum);
    if (known && to->dims[i] != NR_DYNAMIC && to->dims[i] != sum)
      return nr_op_error(op, "(C2) dim %u of the result is %lld but source and padding give %lld", i,
                         (long long)to->dims[i], (long long)sum);
  }
  NrBlock *body = nr_tensor_pad_body(op);
  NrOp *yield = body ? nr_block_terminator(body) : NULL;
  if (!body || body->num_args != from->rank)
    return nr_op_error(op, "(C3) expected the body to have %u arguments", from->rank);
  if (!nr_op_is(yield, NR_OP_tensor_yield) || yield->num_operands != 1 ||
      nr_tensor_yield_value(yield)->type != from->elem)
    return nr_op_error(op, "(C3) expected the body to yield %s", text_of(op, from->elem));
  return NR_OK;
}

bool nr_tensor_pad_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrIndex list[NR_MAX_RANK];
  if (nr_tensor_pad_source(op)->type != nr_op_result(op)->type || nr_op_attr(op, NR_A_nofold)) return false;
  for (size_t s = 0; s < 2; s++) {
    size_t count = nr_index_list_all(op, nr_pad_slots[s], list);
    for (size_t i = 0; i < count; i++)
      if (!nr_index_is(list[i].value ? nr_index_of(list[i].value) : list[i], 0)) return false;
  }
  out->value = nr_tensor_pad_source(op);
  return true;
}

/* ---- builders --------------------------------------------------------------------------------------------------- */

/* Splits dims into static sizes, and operands for the dynamic ones. If a tensor with the static sizes would be too
 * large for a type, all are dynamic. */
static size_t split_dims(NrBuilder *b, NrType elem, const NrIndex *dims, size_t rank, int64_t *sizes,
                         NrValue **operands) {
  size_t count = 0;
  for (size_t i = 0; i < rank; i++) sizes[i] = dims[i].value ? NR_DYNAMIC : dims[i].constant;
  bool fits = !nr_type_tensor(sizes, rank, elem)->oversized;
  for (size_t i = 0; i < rank; i++) {
    if (!fits) sizes[i] = NR_DYNAMIC;
    if (sizes[i] == NR_DYNAMIC) operands[count++] = nr_index_value(b, dims[i]);
  }
  return count;
}

NrValue *nr_build_empty(NrBuilder *b, NrType elem, const NrIndex *dims, size_t rank) {
  NrValue *operands[NR_MAX_RANK];
  int64_t sizes[NR_MAX_RANK];
  size_t count = split_dims(b, elem, dims, rank, sizes, operands);
  return nr_build_value(b, NR_OP_tensor_empty, nr_type_tensor(sizes, rank, elem), operands, count);
}

NrValue *nr_build_splat(NrBuilder *b, NrValue *value, const NrIndex *dims, size_t rank) {
  NrValue *operands[1 + NR_MAX_RANK] = {value};
  int64_t sizes[NR_MAX_RANK];
  size_t count = split_dims(b, value->type, dims, rank, sizes, operands + 1);
  return nr_build_value(b, NR_OP_tensor_splat, nr_type_tensor(sizes, rank, value->type), operands, 1 + count);
}

NrValue *nr_build_from_elements(NrBuilder *b, NrType type, NrValue *const *elements, size_t count) {
  return nr_build_value(b, NR_OP_tensor_from_elements, type, elements, count);
}

NrValue *nr_build_extract(NrBuilder *b, NrValue *tensor, NrValue *const *indices, size_t count) {
  NrValue *operands[1 + NR_MAX_RANK] = {tensor};
  if (count) memcpy(operands + 1, indices, count * sizeof *indices);
  return nr_build_value(b, NR_OP_tensor_extract, tensor->type->elem, operands, 1 + count);
}

NrValue *nr_build_insert(NrBuilder *b, NrValue *scalar, NrValue *dest, NrValue *const *indices, size_t count) {
  NrValue *operands[2 + NR_MAX_RANK] = {scalar, dest};
  if (count) memcpy(operands + 2, indices, count * sizeof *indices);
  return nr_build_value(b, NR_OP_tensor_insert, dest->type, operands, 2 + count);
}

NrValue *nr_build_extract_slice(NrBuilder *b, NrValue *source, const NrIndex *offsets, const NrIndex *sizes,
                                const NrIndex *strides, NrType type) {
  NrValue *operands[1 + 3 * NR_MAX_RANK] = {source};
  const NrIndex *const lists[] = {offsets, sizes, strides};
  if (!type) type = nr_tensor_slice_type(source->type, sizes);
  return nr_build_slice(b, NR_OP_tensor_extract_slice, type, operands, 1, source->type->rank, lists);
}

NrValue *nr_build_insert_slice(NrBuilder *b, NrValue *source, NrValue *dest, const NrIndex *offsets,
                               const NrIndex *sizes, const NrIndex *strides) {
  NrValue *operands[2 + 3 * NR_MAX_RANK] = {source, dest};
  const NrIndex *const lists[] = {offsets, sizes, strides};
  return nr_build_slice(b, NR_OP_tensor_insert_slice, dest->type, operands, 2, dest->type->rank, lists);
}

NrValue *nr_build_collapse_shape(NrBuilder *b, NrValue *source, const NrGroups *groups) {
  int64_t dims[NR_MAX_RANK];
  for (size_t g = 0; g < groups->count; g++)
    dims[g] = nr_dims_product(source->type->dims + groups->begin[g], groups->size[g]);
  NrType type = nr_type_tensor(dims, groups->count, source->type->elem);
  NrValue *value = nr_build_value(b, NR_OP_tensor_collapse_shape, type, &source, 1);
  nr_op_set_attr(value->op, NR_A_reassociation, nr_groups_attr(b->ctx, groups));
  return value;
}

NrValue *nr_build_expand_shape(NrBuilder *b, NrValue *source, const NrGroups *groups, const NrIndex *dims,
                               size_t rank) {
  NrValue *operands[1 + NR_MAX_RANK] = {source};
  int64_t sizes[NR_MAX_RANK];
  size_t count = split_dims(b, source->type->elem, dims, rank, sizes, operands + 1);
  NrType type = nr_type_tensor(sizes, rank, source->type->elem);
  NrValue *value = nr_build_value(b, NR_OP_tensor_expand_shape, type, operands, 1 + count);
  nr_op_set_attr(value->op, NR_A_reassociation, nr_groups_attr(b->ctx, groups));
  nr_op_set_attr_named(value->op, nr_output_shape_slot.attr, nr_attr_i64_array(b->ctx, sizes, rank));
  return value;
}

NrValue *nr_build_tensor_cast(NrBuilder *b, NrValue *value, NrType type) {
  return value->type == type ? value : nr_build_value(b, NR_OP_tensor_cast, type, &value, 1);
}
