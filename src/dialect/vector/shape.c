/* shape.c - hooks of ops that change the shape of a vector or the order of its elements. */
#include "dialect/vector/vector.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

/* Integer i of an array attribute; false when it has none. */
static bool entry(NrAttr array, size_t i, int64_t *out) {
  return i < array->size && nr_attr_is_int(array->items[i], out);
}

static bool all_ones(NrAttr array) {
  int64_t v;
  for (size_t i = 0; i < array->size; i++)
    if (!entry(array, i, &v) || v != 1) return false;
  return true;
}

NrStatus nr_vector_extract_strided_slice_verify(NrOp *op) {
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), sizes = nr_op_attr(op, NR_A_sizes),
         strides = nr_op_attr(op, NR_A_strides);
  NrType from = nr_vector_extract_strided_slice_source(op)->type, to = result_of(op);
  if (offsets->size != sizes->size || offsets->size != strides->size || offsets->size > from->rank)
    return nr_op_error(op, "(C1) expected offsets, sizes and strides attributes of same size, at most the rank");
  if (!all_ones(strides)) return nr_op_error(op, "(C1) expected strides to be 1");
  if (to->rank != from->rank || to->elem != from->elem)
    return nr_op_error(op, "(C2) result's rank or element type differ");
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t offset = 0, size = from->dims[i], end;
    if (i < offsets->size && (!entry(offsets, i, &offset) || !entry(sizes, i, &size)))
      return nr_op_error(op, "(C1) expected integers");
    if (offset < 0 || size <= 0 || !nr_add_i64(offset, size, &end) || end > from->dims[i])
      return nr_op_error(op, "(C2) the part runs out of dim %u of %s", i, text_of(op, from));
    if (to->dims[i] != size)
      return nr_op_error(op, "(C2) expected dim %u of the result to be %lld", i, (long long)size);
  }
  return NR_OK;
}

NrStatus nr_vector_insert_strided_slice_verify(NrOp *op) {
  NrAttr offsets = nr_op_attr(op, NR_A_offsets), strides = nr_op_attr(op, NR_A_strides);
  NrType part = nr_vector_insert_strided_slice_value(op)->type, whole = nr_vector_insert_strided_slice_dest(op)->type;
  if (part->rank > whole->rank || part->elem != whole->elem)
    return nr_op_error(op, "(C2) value's rank or element type do not fit %s", text_of(op, whole));
  if (offsets->size != whole->rank || strides->size != part->rank || !all_ones(strides))
    return nr_op_error(op, "(C1) expected an offset per dim of dest and a stride of 1 per dim of value");
  for (uint32_t i = 0; i < whole->rank; i++) {
    int64_t offset, end, size = i + part->rank < whole->rank ? 1 : part->dims[i + part->rank - whole->rank];
    if (!entry(offsets, i, &offset) || offset < 0 || !nr_add_i64(offset, size, &end) || end > whole->dims[i])
      return nr_op_error(op, "(C2) value runs out of dim %u of %s", i, text_of(op, whole));
  }
  return NR_OK;
}

NrStatus nr_vector_shape_cast_verify(NrOp *op) {
  int64_t a, b;
  NrType from = nr_vector_shape_cast_source(op)->type, to = result_of(op);
  if (from->elem != to->elem) return nr_op_error(op, "(C1) source and result differ in element type");
  if (!nr_type_num_elements(from, &a) || !nr_type_num_elements(to, &b) || a != b)
    return nr_op_error(op, "(C1) source and result differ in their number of elements");
  return NR_OK;
}

NrStatus nr_vector_bitcast_verify(NrOp *op) {
  NrType from = nr_vector_bitcast_source(op)->type, to = result_of(op);
  if (from->rank != to->rank || (from->rank && memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims)))
    return nr_op_error(op, "(C1) dimension size mismatch");
  int64_t a = nr_type_bits(from->elem), b = nr_type_bits(to->elem);
  if (from->rank && (!nr_mul_i64(a, from->dims[from->rank - 1], &a) || !nr_mul_i64(b, to->dims[to->rank - 1], &b)))
    return nr_op_error(op, "(C2) the last dims are too large");
  if (a != b || a == 0) return nr_op_error(op, "(C2) source/result bitwidth of the minor 1-D vectors must be equal");
  return NR_OK;
}

NrStatus nr_vector_interleave_verify(NrOp *op) {
  NrType from = nr_vector_interleave_lhs(op)->type, to = result_of(op);
  bool ok = from->rank == to->rank && from->rank && from->elem == to->elem &&
            !memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims) &&
            to->dims[to->rank - 1] / 2 == from->dims[from->rank - 1] && to->dims[to->rank - 1] % 2 == 0;
  return ok ? NR_OK : nr_op_error(op, "(C1) expected the result's last dim to be twice that of %s", text_of(op, from));
}

NrStatus nr_vector_deinterleave_verify(NrOp *op) {
  NrType from = nr_vector_deinterleave_source(op)->type, to = nr_vector_deinterleave_even(op)->type;
  bool ok = from->rank == to->rank && from->rank && from->elem == to->elem &&
            !memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims) &&
            from->dims[from->rank - 1] / 2 == to->dims[to->rank - 1] && from->dims[from->rank - 1] % 2 == 0;
  return ok ? NR_OK : nr_op_error(op, "(C1) expected the results' last dim to be half that of %s", text_of(op, from));
}

NrStatus nr_vector_transpose_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_integers(p, state, "permutation"));
  return nr_p_change(p, state, source, "to");
}

void nr_vector_transpose_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"permutation", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_vector_transpose_vector(op));
  nr_w_puts(w, ", ");
  nr_w_integers(w, op, "permutation");
  nr_w_change(w, op, nr_vector_transpose_vector(op), "to", elided);
}

NrStatus nr_vector_transpose_verify(NrOp *op) {
  NrType from = nr_vector_transpose_vector(op)->type, to = result_of(op);
  const int64_t *permutation = nr_index_list_statics(op, "permutation");
  uint64_t seen = 0;
  if (nr_index_list_size(op, "permutation") != from->rank || to->rank != from->rank)
    return nr_op_error(op, "(C1) expected a permutation of %u dims", from->rank);
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t d = permutation[i];
    if (d < 0 || d >= from->rank || (seen >> d & 1))
      return nr_op_error(op, "(C1) expected a permutation of %u dims", from->rank);
    seen |= UINT64_C(1) << d;
    if (to->dims[i] != from->dims[d]) return nr_op_error(op, "(C2) dimension size mismatch at: %u", i);
  }
  return from->elem == to->elem ? NR_OK : nr_op_error(op, "(C2) element types differ");
}

NrStatus nr_vector_shuffle_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType types[2];
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &refs[1]));
  NrIndexListText mask;
  NR_TRY(nr_p_index_list(p, &mask));
  if (mask.num_refs) return nr_p_op_error(p, "expected integers in the mask");
  nr_p_add_attr(p, state, "mask", nr_attr_i64_array(nr_p_context(p), mask.statics, mask.size));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &types[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_type(p, &types[1]));
  NR_TRY(nr_p_add_operands(p, state, refs, 2, types, 2));
  if (types[0]->kind != NR_TYPE_VECTOR) return nr_p_error(p, loc, "expected a vector type");
  int64_t dims[NR_MAX_RANK] = {0};
  if (types[0]->rank) memcpy(dims, types[0]->dims, types[0]->rank * sizeof *dims);
  dims[0] = (int64_t)mask.size;
  nr_p_add_result(p, state, nr_type_vector(dims, types[0]->rank ? types[0]->rank : 1, types[0]->elem));
  return NR_OK;
}

void nr_vector_shuffle_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"mask", NULL};
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  nr_w_integers(w, op, "mask");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 2);
}

NrStatus nr_vector_shuffle_verify(NrOp *op) {
  NrType a = nr_vector_shuffle_v1(op)->type, b = nr_vector_shuffle_v2(op)->type, to = result_of(op);
  size_t count = nr_index_list_size(op, "mask");
  bool scalars = a->rank == 0 && b->rank == 0;
  if (a->elem != b->elem || a->elem != to->elem || a->rank != b->rank || to->rank != (scalars ? 1 : a->rank) ||
      (!scalars && memcmp(a->dims + 1, b->dims + 1, (a->rank - 1) * sizeof *a->dims)) ||
      (!scalars && memcmp(a->dims + 1, to->dims + 1, (a->rank - 1) * sizeof *a->dims)))
    return nr_op_error(op, "(C1) element types or trailing dims differ");
  if (to->dims[0] != (int64_t)count || !count) return nr_op_error(op, "(C3) mask length mismatch");
  int64_t limit = scalars ? 2 : a->dims[0] + b->dims[0];
  for (size_t i = 0; i < count; i++) {
    int64_t m = nr_index_list_statics(op, "mask")[i];
    if (m < -1 || m >= limit) return nr_op_error(op, "(C2) mask index #%zu out of range", i + 1);
  }
  return NR_OK;
}
