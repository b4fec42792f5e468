/* vector.c - the rows of dialect vector and their hooks. */
#include "dialect/vector/vector.h"
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static NrType result_of(const NrOp *op) { return nr_result(op, 0)->type; }

static NrStatus broadcast_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
  if (nr_type_elem(from) != to->elem)
    return nr_op_error(op, "(C1) source and result differ in element type");
  if (from->kind != NR_TYPE_VECTOR) return NR_OK;
  if (from->rank > to->rank) return nr_op_error(op, "(C2) source rank higher than destination rank");
  for (uint32_t i = 0; i < from->rank; i++) {
    int64_t dim = to->dims[to->rank - from->rank + i];
    if (from->dims[i] != 1 && from->dims[i] != dim)
      return nr_op_error(op, "(C2) dimension mismatch (%lld vs. %lld)", (long long)from->dims[i], (long long)dim);
  }
  return NR_OK;
}

static const NrIndexListSlot extract_slot = {1, "static_position"};

static NrStatus extract_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText list;
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_index_list(p, &list));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &result));
  NR_TRY(nr_p_expect(p, "from"));
  NR_TRY(nr_p_type(p, &type));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  nr_p_add_result(p, state, result);
  return nr_p_add_index_list(p, state, &list, extract_slot.attr);
}

static void extract_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"static_position", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_index_list(w, op, extract_slot);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, result_of(op));
  nr_w_puts(w, " from ");
  nr_w_type(w, operand_type(op, 0));
}

/* whole[position] has type part. */
static NrStatus position_verify(NrOp *op, NrIndexListSlot slot, NrType whole, NrType part) {
  size_t count = nr_index_list_size(op, slot.attr);
  NrIndex list[NR_MAX_RANK];
  if (count > whole->rank) return nr_op_error(op, "(C1) expected at most %u positions, got %zu", whole->rank, count);
  NR_TRY(nr_index_list_verify(op, slot, "position", count));
  nr_index_list_all(op, slot, list);
  for (size_t i = 0; i < count; i++)
    if (!list[i].value && (list[i].constant < 0 || list[i].constant >= whole->dims[i]))
      return nr_op_error(op, "(C3) expected position #%zu to be a non-negative integer smaller than the dim size %lld",
                         i + 1, (long long)whole->dims[i]);
  size_t rest = whole->rank - count;
  bool scalar = rest == 0 && part == whole->elem;
  bool vector = part->kind == NR_TYPE_VECTOR && part->elem == whole->elem && part->rank == rest &&
                !memcmp(part->dims, whole->dims + count, rest * sizeof *part->dims);
  if (!scalar && !vector)
    return nr_op_error(op, "(C2) %s is not what %zu positions leave of %s", text_of(op, part), count,
                       text_of(op, whole));
  return NR_OK;
}

static NrStatus extract_verify(NrOp *op) {
  return position_verify(op, extract_slot, operand_type(op, 0), result_of(op));
}

static const NrIndexListSlot insert_slot = {2, "static_position"};

static NrStatus insert_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, dest;
  NrIndexListText list;
  NrType type, dest_type;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &dest));
  NR_TRY(nr_p_index_list(p, &list));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(nr_p_type(p, &dest_type));
  NR_TRY(nr_p_add_operand(p, state, value, type));
  NR_TRY(nr_p_add_operand(p, state, dest, dest_type));
  nr_p_add_result(p, state, dest_type);
  return nr_p_add_index_list(p, state, &list, insert_slot.attr);
}

static void insert_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"static_position", NULL};
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  nr_w_index_list(w, op, insert_slot);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, operand_type(op, 0));
  nr_w_puts(w, " into ");
  nr_w_type(w, operand_type(op, 1));
}

static NrStatus insert_verify(NrOp *op) {
  return position_verify(op, insert_slot, operand_type(op, 1), operand_type(op, 0));
}

/* ---- lists of elements ------------------------------------------------------------------------------------------ */

static NrStatus from_elements_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operands(p, &refs, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_VECTOR) return nr_p_error(p, loc, "expected a vector type");
  nr_p_add_result(p, state, type);
  for (size_t i = 0; i < count; i++) NR_TRY(nr_p_add_operand(p, state, refs[i], type->elem));
  return NR_OK;
}

static void from_elements_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, op->num_operands);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

static NrStatus elements_verify(NrOp *op, NrType vector, size_t count) {
  int64_t need;
  if (!nr_type_num_elements(vector, &need) || need != (int64_t)count)
    return nr_op_error(op, "(C1) expected as many elements as %s has, got %zu", text_of(op, vector), count);
  return NR_OK;
}

static NrStatus from_elements_verify(NrOp *op) {
  NR_TRY(elements_verify(op, result_of(op), op->num_operands));
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (operand_type(op, i) != result_of(op)->elem)
      return nr_op_error(op, "(C1) operand #%u is not of the element type", i);
  return NR_OK;
}

static NrStatus to_elements_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  int64_t count;
  NR_TRY(nr_p_operand(p, &source));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_VECTOR || !nr_type_num_elements(type, &count) || count > 1 << 16)
    return nr_p_error(p, loc, "expected a vector type of at most %d elements", 1 << 16);
  NR_TRY(nr_p_add_operand(p, state, source, type));
  for (int64_t i = 0; i < count; i++) nr_p_add_result(p, state, type->elem);
  return NR_OK;
}

static void to_elements_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 1);
}

static NrStatus to_elements_verify(NrOp *op) {
  NR_TRY(elements_verify(op, operand_type(op, 0), op->num_results));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_result(op, i)->type != operand_type(op, 0)->elem)
      return nr_op_error(op, "(C1) result #%u is not of the element type", i);
  return NR_OK;
}

static NrStatus step_verify(NrOp *op) {
  if (result_of(op)->rank != 1 || !nr_type_is_index(result_of(op)->elem))
    return nr_op_error(op, "(C1) expected a 1-D vector of index, got %s", text_of(op, result_of(op)));
  return NR_OK;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* Entry i of an array of integer attributes; false when it is none. */
static bool entry(NrAttr array, size_t i, int64_t *out) {
  return i < array->size && nr_attr_is_int(array->items[i], out);
}

static bool all_ones(NrAttr array) {
  int64_t v;
  for (size_t i = 0; i < array->size; i++)
    if (!entry(array, i, &v) || v != 1) return false;
  return true;
}

static NrStatus extract_strided_slice_verify(NrOp *op) {
  NrAttr offsets = nr_op_attr(op, "offsets"), sizes = nr_op_attr(op, "sizes"), strides = nr_op_attr(op, "strides");
  NrType from = operand_type(op, 0), to = result_of(op);
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

static NrStatus insert_strided_slice_verify(NrOp *op) {
  NrAttr offsets = nr_op_attr(op, "offsets"), strides = nr_op_attr(op, "strides");
  NrType part = operand_type(op, 0), whole = operand_type(op, 1);
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

static NrStatus shape_cast_verify(NrOp *op) {
  int64_t a, b;
  NrType from = operand_type(op, 0), to = result_of(op);
  if (from->elem != to->elem) return nr_op_error(op, "(C1) source and result differ in element type");
  if (!nr_type_num_elements(from, &a) || !nr_type_num_elements(to, &b) || a != b)
    return nr_op_error(op, "(C1) source and result differ in their number of elements");
  return NR_OK;
}

static NrStatus bitcast_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
  if (from->rank != to->rank || (from->rank && memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims)))
    return nr_op_error(op, "(C1) dimension size mismatch");
  int64_t a = nr_type_bits(from->elem), b = nr_type_bits(to->elem);
  if (from->rank && (!nr_mul_i64(a, from->dims[from->rank - 1], &a) || !nr_mul_i64(b, to->dims[to->rank - 1], &b)))
    return nr_op_error(op, "(C2) the last dims are too large");
  if (a != b || a == 0) return nr_op_error(op, "(C2) source/result bitwidth of the minor 1-D vectors must be equal");
  return NR_OK;
}

static NrStatus interleave_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
  bool ok = from->rank == to->rank && from->rank && from->elem == to->elem &&
            !memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims) &&
            to->dims[to->rank - 1] / 2 == from->dims[from->rank - 1] && to->dims[to->rank - 1] % 2 == 0;
  return ok ? NR_OK : nr_op_error(op, "(C1) expected the result's last dim to be twice that of %s", text_of(op, from));
}

static NrStatus deinterleave_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
  bool ok = from->rank == to->rank && from->rank && from->elem == to->elem &&
            !memcmp(from->dims, to->dims, (from->rank - 1) * sizeof *to->dims) &&
            from->dims[from->rank - 1] / 2 == to->dims[to->rank - 1] && from->dims[from->rank - 1] % 2 == 0;
  return ok ? NR_OK : nr_op_error(op, "(C1) expected the results' last dim to be half that of %s", text_of(op, from));
}

/* ---- lists of integers ------------------------------------------------------------------------------------------ */

static NrStatus ints_parse(NrParser *p, NrOpState *state, const char *attr) {
  NrIndexListText list;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_index_list(p, &list));
  if (list.num_refs) return nr_p_error(p, loc, "expected integers");
  nr_p_add_attr(p, state, attr, nr_attr_i64_array(nr_p_context(p), list.statics, list.size));
  return NR_OK;
}

static void ints_print(NrPrinter *w, NrOp *op, const char *attr) {
  size_t count = nr_index_list_size(op, attr);
  nr_w_puts(w, "[");
  for (size_t i = 0; i < count; i++)
    nr_w_printf(w, i ? ", %lld" : "%lld", (long long)nr_index_list_statics(op, attr)[i]);
  nr_w_puts(w, "]");
}

static NrStatus transpose_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(ints_parse(p, state, "permutation"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &result));
  nr_p_add_result(p, state, result);
  return nr_p_add_operand(p, state, source, type);
}

static void transpose_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"permutation", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, ", ");
  ints_print(w, op, "permutation");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, operand_type(op, 0));
  nr_w_puts(w, " to ");
  nr_w_type(w, result_of(op));
}

static NrStatus transpose_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
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

static NrStatus shuffle_parse(NrParser *p, NrOpState *state) {
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

static void shuffle_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"mask", NULL};
  nr_w_puts(w, " ");
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  ints_print(w, op, "mask");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, 0, 2);
}

static NrStatus shuffle_verify(NrOp *op) {
  NrType a = operand_type(op, 0), b = operand_type(op, 1), to = result_of(op);
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

/* ---- masks ------------------------------------------------------------------------------------------------------ */

static NrStatus create_mask_verify(NrOp *op) {
  NrType type = result_of(op);
  if (!nr_type_is_int_width(type->elem, 1)) return nr_op_error(op, "(C2) expected elements of type i1");
  if (op->num_operands != NR_MAX(type->rank, 1))
    return nr_op_error(op, "(C1) must specify an operand for each result vector dimension");
  return NR_OK;
}

static NrStatus constant_mask_parse(NrParser *p, NrOpState *state) {
  NrType type;
  NR_TRY(ints_parse(p, state, "mask_dim_sizes"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

static void constant_mask_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"mask_dim_sizes", NULL};
  nr_w_puts(w, " ");
  ints_print(w, op, "mask_dim_sizes");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

static NrStatus constant_mask_verify(NrOp *op) {
  NrType type = result_of(op);
  if (!nr_type_is_int_width(type->elem, 1)) return nr_op_error(op, "(C2) expected elements of type i1");
  if (nr_index_list_size(op, "mask_dim_sizes") != NR_MAX(type->rank, 1))
    return nr_op_error(op, "(C1) must specify array attr of size equal vector result rank");
  for (uint32_t i = 0; i < NR_MAX(type->rank, 1); i++) {
    int64_t size = nr_index_list_statics(op, "mask_dim_sizes")[i];
    if (size < 0 || size > (type->rank ? type->dims[i] : 1))
      return nr_op_error(op, "(C1) array attr of size out of bounds of vector result dimension size");
  }
  return NR_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* base[indices] with `tail` operands behind, of which the last is the vector when it is no result. */
static NrStatus base_verify(NrOp *op, size_t base, size_t tail, NrType vector) {
  NrType type = operand_type(op, base);
  size_t count = op->num_operands - base - 1 - tail;
  if (!nr_type_is_ranked(type) || type->kind == NR_TYPE_VECTOR)
    return nr_op_error(op, "expected a ranked buffer or tensor");
  if (count != type->rank) return nr_op_error(op, "(C1) requires %u indices, got %zu", type->rank, count);
  bool agrees = type->elem == vector->elem || type->elem == vector;
  if (!agrees) return nr_op_error(op, "(C2) base and vector types should have the same element type");
  return NR_OK;
}

static NrStatus access_verify(NrOp *op) { return base_verify(op, 0, 0, result_of(op)); }
static NrStatus store_verify(NrOp *op) { return base_verify(op, 1, 0, operand_type(op, 0)); }

static NrStatus same_shape(NrOp *op, NrType of, NrType vector, bool mask) {
  if (of->rank != vector->rank || memcmp(of->dims, vector->dims, of->rank * sizeof *of->dims))
    return nr_op_error(op, "(C3) expected %s to have the shape of %s", text_of(op, of), text_of(op, vector));
  if (mask && !nr_type_is_int_width(of->elem, 1)) return nr_op_error(op, "(C3) expected the mask's elements to be i1");
  return NR_OK;
}

static NrStatus masked_verify(NrOp *op) {
  NrType vector = operand_type(op, op->num_operands - 1);
  NR_TRY(base_verify(op, 0, 2, vector));
  return same_shape(op, operand_type(op, op->num_operands - 2), vector, true);
}

static NrStatus gather_verify(NrOp *op) {
  NrType vector = operand_type(op, op->num_operands - 1);
  NR_TRY(base_verify(op, 0, 3, vector));
  NR_TRY(same_shape(op, operand_type(op, op->num_operands - 2), vector, true));
  NrType positions = operand_type(op, op->num_operands - 3);
  if (!nr_type_is_int_or_index(positions->elem)) return nr_op_error(op, "(C3) expected indices to be integers");
  return same_shape(op, positions, vector, false);
}

/* ---- reductions ------------------------------------------------------------------------------------------------- */

#define KIND_PREFIX "vector.kind<"

NrStr nr_vector_kind(const NrOp *op) {
  NrAttr kind = nr_op_attr(op, "kind");
  size_t prefix = sizeof KIND_PREFIX - 1;
  if (!kind || kind->kind != NR_ATTR_OPAQUE || !nr_str_starts(kind->s, KIND_PREFIX) || kind->s.size <= prefix + 1)
    return (NrStr){0};
  return (NrStr){kind->s.data + prefix, kind->s.size - prefix - 1};
}

NrAttr nr_vector_kind_attr(NrContext *ctx, const char *kind) {
  NrBuf buf = {0};
  nr_buf_printf(&buf, KIND_PREFIX "%s>", kind);
  NrAttr attr = nr_attr_opaque(ctx, (NrStr){buf.data, buf.size}, NULL);
  nr_buf_deinit(&buf);
  return attr;
}

/* `<add>`, */
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
  static const char *const ints[] = {"add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"};
  static const char *const floats[] = {"add", "mul", "minnumf", "minimumf", "maxnumf", "maximumf"};
  bool is_float = nr_type_is_float(elem);
  if (!is_float && !nr_type_is_int_or_index(elem))
    return nr_op_error(op, "(C3) unsupported element type %s", text_of(op, elem));
  const char *const *kinds = is_float ? floats : ints;
  NrStr kind = nr_vector_kind(op);
  NrNearest nearest = nr_nearest(kind);
  for (size_t i = 0; i < (is_float ? NR_COUNTOF(floats) : NR_COUNTOF(ints)); i++) {
    if (nr_str_is(kind, kinds[i])) return NR_OK;
    nr_nearest_try(&nearest, nr_str(kinds[i]));
  }
  return nr_op_error(op, "(C3) unsupported reduction kind '%.*s' for element type %s" NR_HINT, NR_STR_ARG(kind),
                     text_of(op, elem), NR_HINT_ARG(nearest));
}

static NrStatus reduction_parse(NrParser *p, NrOpState *state) {
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

static void reduction_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"kind", "fastmath", NULL};
  nr_w_printf(w, " <%.*s>, ", NR_STR_ARG(nr_vector_kind(op)));
  nr_w_values(w, op, 0, op->num_operands);
  nr_arith_print_flags(w, op);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, operand_type(op, 0));
  nr_w_puts(w, " into ");
  nr_w_type(w, result_of(op));
}

static NrStatus reduction_verify(NrOp *op) {
  NrType type = operand_type(op, 0);
  if (type->rank > 1) return nr_op_error(op, "(C1) unsupported reduction rank: %u", type->rank);
  if (result_of(op) != type->elem || (op->num_operands == 2 && operand_type(op, 1) != type->elem))
    return nr_op_error(op, "(C2) expected accumulator and result to be of the element type %s",
                       text_of(op, type->elem));
  return kind_verify(op, type->elem);
}

static NrStatus multi_reduction_parse(NrParser *p, NrOpState *state) {
  NrOperandRef refs[2];
  NrType types[2];
  NR_TRY(kind_parse(p, state));
  NR_TRY(nr_p_operand(p, &refs[0]));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &refs[1]));
  NR_TRY(ints_parse(p, state, "reduction_dims"));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &types[0]));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &types[1]));
  nr_p_add_result(p, state, types[1]);
  return nr_p_add_operands(p, state, refs, 2, types, 2);
}

static void multi_reduction_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"kind", "reduction_dims", NULL};
  nr_w_printf(w, " <%.*s>, ", NR_STR_ARG(nr_vector_kind(op)));
  nr_w_values(w, op, 0, 2);
  nr_w_puts(w, " ");
  ints_print(w, op, "reduction_dims");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, operand_type(op, 0));
  nr_w_puts(w, " to ");
  nr_w_type(w, result_of(op));
}

static NrStatus multi_reduction_verify(NrOp *op) {
  NrType from = operand_type(op, 0), to = result_of(op);
  int64_t dims[NR_MAX_RANK];
  size_t count = nr_index_list_size(op, "reduction_dims"), left = 0, next = 0;
  const int64_t *reduced = nr_index_list_statics(op, "reduction_dims");
  for (size_t i = 0; i < count; i++)
    if (reduced[i] < 0 || reduced[i] >= from->rank || (i && reduced[i] <= reduced[i - 1]))
      return nr_op_error(op, "(C1) reduction_dims must ascend and be less than the rank");
  for (uint32_t i = 0; i < from->rank; i++) {
    if (next < count && reduced[next] == i) next++;
    else dims[left++] = from->dims[i];
  }
  NrType vector = nr_type_vector(dims, left, from->elem);
  if (to != (left ? vector : from->elem) && to != vector)
    return nr_op_error(op, "(C2) destination type %s is incompatible with source type %s", text_of(op, to),
                       text_of(op, from));
  return kind_verify(op, from->elem);
}

#include "dialect/rows.h"
#include "dialect/vector/vector.def"
