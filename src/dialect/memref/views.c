/* views.c - hooks of the ops that make views of a buffer: casts, slices and reshapes; and the types of views. */
#include "dialect/memref/memref.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType source_of(const NrOp *op) { return nr_op_source(op)->type; }
static NrType result_of(const NrOp *op) { return nr_op_result(op)->type; }

/* ---- types of views ---------------------------------------------------------------------------------------------- */

/* NR_DYNAMIC when a factor is dynamic, or when the product overflows, which no buffer in memory can have. */
static int64_t times(int64_t a, int64_t b) {
  int64_t r;
  if (a == 0 || b == 0) return 0;
  return a == NR_DYNAMIC || b == NR_DYNAMIC || !nr_mul_i64(a, b, &r) ? NR_DYNAMIC : r;
}

static int64_t plus(int64_t a, int64_t b) {
  int64_t r;
  return a == NR_DYNAMIC || b == NR_DYNAMIC || !nr_add_i64(a, b, &r) ? NR_DYNAMIC : r;
}

static int64_t static_of(NrIndex i) { return i.value ? NR_DYNAMIC : i.constant; }

NrType nr_memref_subview_type(NrType source, const NrIndex *offsets, const NrIndex *sizes, const NrIndex *strides) {
  int64_t source_strides[NR_MAX_RANK], offset, dims[NR_MAX_RANK], out[NR_MAX_RANK];
  if (!nr_memref_strides(source, source_strides, &offset)) return NULL;
  for (uint32_t i = 0; i < source->rank; i++) {
    dims[i] = static_of(sizes[i]);
    out[i] = times(source_strides[i], static_of(strides[i]));
    offset = plus(offset, times(source_strides[i], static_of(offsets[i])));
  }
  NrAttr layout = nr_attr_strided(source->ctx, out, source->rank, offset);
  return nr_type_memref_layout(dims, source->rank, source->elem, layout, source->space);
}

NrType nr_memref_drop_dims(NrType type, const bool *keep) {
  int64_t strides[NR_MAX_RANK], offset, dims[NR_MAX_RANK], out[NR_MAX_RANK];
  if (!nr_memref_strides(type, strides, &offset)) return NULL;
  size_t n = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (!keep[i]) continue;
    dims[n] = type->dims[i];
    out[n++] = strides[i];
  }
  return nr_type_memref_layout(dims, n, type->elem, nr_attr_strided(type->ctx, out, n, offset), type->space);
}

static NrType strided_type(NrType like, const int64_t *dims, size_t rank, const int64_t *strides, int64_t offset) {
  NrAttr layout = nr_attr_strided(like->ctx, strides, rank, offset);
  return nr_type_memref_layout(dims, rank, like->elem, layout, like->space);
}

NrType nr_memref_expanded_type(NrType source, const NrGroups *groups, const int64_t *dims, size_t rank) {
  if (!source->layout) return nr_type_memref_layout(dims, rank, source->elem, NULL, source->space);
  int64_t strides[NR_MAX_RANK], offset, out[NR_MAX_RANK];
  if (!nr_memref_strides(source, strides, &offset)) return NULL;
  for (size_t i = 0; i < rank; i++) out[i] = 1; /* if source has rank 0, all dims have size 1 */
  for (size_t g = 0; g < groups->count; g++) {
    int64_t stride = strides[g];
    for (uint32_t k = groups->size[g]; k-- > 0;) {
      out[groups->begin[g] + k] = stride;
      stride = times(stride, dims[groups->begin[g] + k]);
    }
  }
  return strided_type(source, dims, rank, out, offset);
}

NrType nr_memref_collapsed_type(NrType source, const NrGroups *groups) {
  int64_t strides[NR_MAX_RANK], offset, out[NR_MAX_RANK], dims[NR_MAX_RANK];
  for (size_t g = 0; g < groups->count; g++)
    dims[g] = nr_dims_product(source->dims + groups->begin[g], groups->size[g]);
  if (!source->layout) return nr_type_memref_layout(dims, groups->count, source->elem, NULL, source->space);
  if (!nr_memref_strides(source, strides, &offset)) return NULL;
  for (size_t g = 0; g < groups->count; g++) {
    /* The stride of the group is that of its innermost dim with a size other than 1; strides of dims of size 1 are
     * unused. */
    uint32_t k = groups->size[g] - 1;
    while (k > 0 && source->dims[groups->begin[g] + k] == 1) k--;
    out[g] = strides[groups->begin[g] + k];
  }
  return strided_type(source, dims, groups->count, out, offset);
}

/* Whether two types have the same shape and offset, and the same strides in dims with a size other than 1. */
static bool same_view(NrType a, NrType b) {
  int64_t sa[NR_MAX_RANK], sb[NR_MAX_RANK], oa, ob;
  if (a == b) return true;
  if (a->elem != b->elem || a->space != b->space || a->rank != b->rank) return false;
  if (memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) return false;
  if (!nr_memref_strides(a, sa, &oa) || !nr_memref_strides(b, sb, &ob) || oa != ob) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (sa[i] != sb[i] && a->dims[i] != 1) return false;
  return true;
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

NrStatus nr_memref_cast_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  int64_t sf[NR_MAX_RANK], st[NR_MAX_RANK], of, ot;
  bool ok = from->space == to->space && nr_types_cast_compatible(from, to);
  if (from->kind == NR_TYPE_UNRANKED_MEMREF && to->kind == NR_TYPE_UNRANKED_MEMREF) ok = false;
  if (ok && from->kind == NR_TYPE_MEMREF && to->kind == NR_TYPE_MEMREF && from->layout != to->layout) {
    ok = nr_memref_strides(from, sf, &of) && nr_memref_strides(to, st, &ot);
    ok = ok && (of == ot || of == NR_DYNAMIC || ot == NR_DYNAMIC);
    for (uint32_t i = 0; ok && i < from->rank; i++)
      ok = sf[i] == st[i] || sf[i] == NR_DYNAMIC || st[i] == NR_DYNAMIC || from->dims[i] == 1;
  }
  if (!ok)
    return nr_op_error(op, "(C1) operand type %s and result type %s are cast incompatible", text_of(op, from),
                       text_of(op, to));
  return NR_OK;
}

NrStatus nr_memref_memory_space_cast_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  bool ok = from->kind == to->kind && from->elem == to->elem;
  if (ok && from->kind == NR_TYPE_MEMREF)
    ok = nr_type_memref_layout(from->dims, from->rank, from->elem, from->layout, to->space) == to;
  if (!ok)
    return nr_op_error(op, "(C1) operand type %s and result type %s are cast incompatible", text_of(op, from),
                       text_of(op, to));
  return NR_OK;
}

/* ---- view ------------------------------------------------------------------------------------------------------- */

NrStatus nr_memref_view_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source, *shift, *sizes;
  size_t num_shift, num_sizes;
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_indices(p, &shift, &num_shift));
  /* In 2019 the shift could be omitted, which meant 0. */
  if (num_shift > 1 || (num_shift == 0 && !nr_p_is_legacy(p))) return nr_p_error(p, loc, "expected one byte shift");
  NR_TRY(nr_p_indices(p, &sizes, &num_sizes));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &result));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  if (num_shift == 0) nr_p_add_attr(p, state, "no_shift", nr_attr_unit(nr_p_context(p)));
  NR_TRY(nr_p_add_indices(p, state, shift, num_shift));
  NR_TRY(nr_p_add_indices(p, state, sizes, num_sizes));
  nr_p_add_result(p, state, result);
  return NR_OK;
}

NrStatus nr_memref_view_post_parse(NrParser *p, NrOp *op) {
  (void)p;
  if (!nr_op_attr(op, NR_A_no_shift) || !op->num_operands) return NR_OK;
  NrBuilder b = nr_builder_before(op);
  nr_op_insert_operand(op, NR_MEMREF_VIEW_BYTE_SHIFT, nr_index_value(&b, nr_index_const(0)));
  nr_op_remove_attr(op, NR_A_no_shift);
  return NR_OK;
}

void nr_memref_view_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_view_source(op));
  nr_w_indices(w, op, 1, 1);
  nr_w_indices(w, op, 2, op->num_operands - 2);
  nr_w_change(w, op, nr_op_source(op), "to", NULL);
}

NrStatus nr_memref_view_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  if (from->rank != 1 || !nr_type_is_int_width(from->elem, 8) || from->layout)
    return nr_op_error(op, "(C1) source must be a 1-D memref of i8 without layout, got %s", text_of(op, from));
  if (to->layout) return nr_op_error(op, "(C2) unsupported map for result memref type %s", text_of(op, to));
  if (from->space != to->space) return nr_op_error(op, "(C2) different memory spaces specified for source and result");
  if (op->num_operands - 2 != nr_type_num_dynamic(to))
    return nr_op_error(op, "(C3) incorrect number of size operands for type %s", text_of(op, to));
  return NR_OK;
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

/* In 2019 the three lists could be empty, and the result's layout determined them. Computes the lists from the layouts;
 * the offset is divided by the strides, largest first. */
static NrStatus lists_of_layout(NrParser *p, NrLoc loc, NrType source, NrType result, NrIndexListText *lists) {
  int64_t from[NR_MAX_RANK], to[NR_MAX_RANK], from_offset, offset;
  bool ok = source->kind == NR_TYPE_MEMREF && result->kind == NR_TYPE_MEMREF && source->rank == result->rank &&
            nr_type_has_static_shape(result) && nr_memref_strides(source, from, &from_offset) &&
            nr_memref_strides(result, to, &offset) && from_offset != NR_DYNAMIC && offset != NR_DYNAMIC &&
            nr_sub_i64(offset, from_offset, &offset) && offset >= 0;
  for (uint32_t i = 0; ok && i < source->rank; i++) {
    ok = from[i] != NR_DYNAMIC && to[i] != NR_DYNAMIC && from[i] > 0 && to[i] % from[i] == 0;
    ok = ok && (i == 0 || from[i] <= from[i - 1]);
    if (!ok) break;
    lists[0].statics[i] = offset / from[i];
    lists[1].statics[i] = result->dims[i];
    lists[2].statics[i] = to[i] / from[i];
    offset %= from[i];
  }
  if (!ok || offset) return nr_p_error(p, loc, "without offsets, sizes and strides the result's layout must give them");
  for (size_t i = 0; i < 3; i++) lists[i].size = source->rank;
  return NR_OK;
}

/* Parses the source, the three lists, attributes and `: type to type`. with_words: the lists are named, as in
 * reinterpret_cast. */
static NrStatus slice_parse(NrParser *p, NrOpState *state, bool with_words) {
  static const char *const words[] = {"offset", "sizes", "strides"};
  NrOperandRef source;
  NrIndexListText lists[3];
  NrType type, result;
  NR_TRY(nr_p_operand(p, &source));
  if (with_words) NR_TRY(nr_p_expect(p, "to"));
  for (size_t i = 0; i < 3; i++) {
    if (with_words && i) NR_TRY(nr_p_expect(p, ","));
    if (with_words) NR_TRY(nr_p_expect(p, words[i]));
    if (with_words) NR_TRY(nr_p_expect(p, ":"));
    NR_TRY(nr_p_index_list(p, &lists[i]));
  }
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "to"));
  NR_TRY(nr_p_type(p, &result));
  bool empty = !lists[0].size && !lists[1].size && !lists[2].size;
  if (nr_p_is_legacy(p) && empty && type->kind == NR_TYPE_MEMREF && type->rank)
    NR_TRY(lists_of_layout(p, loc, type, result, lists));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  nr_p_add_result(p, state, result);
  return nr_p_add_slice_lists(p, state, lists, (uint32_t[]){1}, 1);
}

NrStatus nr_memref_subview_parse(NrParser *p, NrOpState *state) { return slice_parse(p, state, false); }
NrStatus nr_memref_reinterpret_cast_parse(NrParser *p, NrOpState *state) { return slice_parse(p, state, true); }

void nr_memref_subview_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_subview_source(op));
  nr_w_slice_lists(w, op, nr_extract_slice_slots);
  nr_w_change(w, op, nr_op_source(op), "to", nr_slice_attrs);
}

void nr_memref_reinterpret_cast_print(NrPrinter *w, NrOp *op) {
  static const char *const words[] = {" to offset: ", ", sizes: ", ", strides: "};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_reinterpret_cast_source(op));
  for (size_t i = 0; i < 3; i++) {
    nr_w_puts(w, words[i]);
    nr_w_index_list(w, op, nr_extract_slice_slots[i]);
  }
  nr_w_change(w, op, nr_op_source(op), "to", nr_slice_attrs);
}

NrStatus nr_memref_subview_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  NrIndex lists[3][NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  NR_TRY(nr_slice_lists_verify(op, nr_extract_slice_slots, from->rank, lists));
  NR_TRY(nr_slice_bounds_verify(op, "C3", lists, from));
  NrType full = nr_memref_subview_type(from, lists[0], lists[1], lists[2]);
  if (!full) return nr_op_error(op, "(C2) expected the source %s to have a strided layout", text_of(op, from));
  if (!nr_dims_rank_reduced(full->dims, full->rank, to->dims, to->rank, keep) ||
      !same_view(nr_memref_drop_dims(full, keep), to))
    return nr_op_error(op, "(C2) expected result type to be %s or a rank-reduced version of it, got %s",
                       text_of(op, full), text_of(op, to));
  return NR_OK;
}

/* Whether an entry of a list agrees with the corresponding value in the type. */
static bool agrees(NrIndex i, int64_t in_type) { return in_type == NR_DYNAMIC || (!i.value && i.constant == in_type); }

NrStatus nr_memref_reinterpret_cast_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  NrIndex list[NR_MAX_RANK];
  int64_t strides[NR_MAX_RANK], offset;
  if (from->elem != to->elem || from->space != to->space)
    return nr_op_error(op, "(C3) source %s and result %s differ in element type or memory space", text_of(op, from),
                       text_of(op, to));
  NR_TRY(nr_index_list_verify(op, nr_extract_slice_slots[0], "offset", 1));
  NR_TRY(nr_index_list_verify(op, nr_extract_slice_slots[1], "size", to->rank));
  NR_TRY(nr_index_list_verify(op, nr_extract_slice_slots[2], "stride", to->rank));
  if (!nr_memref_strides(to, strides, &offset)) return nr_op_error(op, "(C2) result must have a strided layout");
  nr_index_list_all(op, nr_extract_slice_slots[0], list);
  if (!agrees(list[0], offset)) return nr_op_error(op, "(C2) expected the result's offset to be the one given");
  nr_index_list_all(op, nr_extract_slice_slots[1], list);
  for (uint32_t i = 0; i < to->rank; i++)
    if (!agrees(list[i], to->dims[i]))
      return nr_op_error(op, "(C2) expected dim %u of the result to be the size given", i);
  nr_index_list_all(op, nr_extract_slice_slots[2], list);
  for (uint32_t i = 0; i < to->rank; i++)
    if (!agrees(list[i], strides[i]))
      return nr_op_error(op, "(C2) expected stride %u of the result to be the one given", i);
  return NR_OK;
}

NrValue *nr_build_subview(NrBuilder *b, NrValue *source, const NrIndex *offsets, const NrIndex *sizes,
                          const NrIndex *strides, NrType type) {
  NrValue *operands[1 + 3 * NR_MAX_RANK] = {source};
  const NrIndex *const lists[] = {offsets, sizes, strides};
  if (!type) type = nr_memref_subview_type(source->type, offsets, sizes, strides);
  return nr_build_slice(b, NR_OP_memref_subview, type, operands, 1, source->type->rank, lists);
}

/* ---- reshapes --------------------------------------------------------------------------------------------------- */


static NrStatus reshaped_verify(NrOp *op, NrType expected) {
  if (!expected) return nr_op_error(op, "expected the source to have a strided layout");
  if (!same_view(expected, result_of(op)))
    return nr_op_error(op, "(C2) expected the result to be %s, got %s", text_of(op, expected),
                       text_of(op, result_of(op)));
  return NR_OK;
}

NrStatus nr_memref_expand_shape_verify(NrOp *op) {
  NrType to = result_of(op);
  NrGroups groups;
  NR_TRY(nr_groups_verify(op, to, source_of(op)));
  NR_TRY(nr_output_shape_verify(op));
  nr_groups_of(op, &groups);
  return reshaped_verify(op, nr_memref_expanded_type(source_of(op), &groups, to->dims, to->rank));
}

NrStatus nr_memref_collapse_shape_verify(NrOp *op) {
  NrGroups groups;
  NR_TRY(nr_groups_verify(op, source_of(op), result_of(op)));
  nr_groups_of(op, &groups);
  return reshaped_verify(op, nr_memref_collapsed_type(source_of(op), &groups));
}

NrStatus nr_memref_transpose_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrAttr map;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_affine_map_of(p, &map));
  nr_p_add_attr(p, state, "permutation", map);
  return nr_p_change(p, state, source, "to");
}

void nr_memref_transpose_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"permutation", NULL};
  NrBuf map = {0};
  nr_print_affine_map(&map, nr_op_attr(op, NR_A_permutation));
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_transpose_source(op));
  nr_w_printf(w, " %s", map.data);
  nr_buf_deinit(&map);
  nr_w_change(w, op, nr_op_source(op), "to", elided);
}

NrStatus nr_memref_transpose_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op);
  NrAttr map = nr_op_attr(op, NR_A_permutation);
  int64_t strides[NR_MAX_RANK], offset, dims[NR_MAX_RANK], permuted[NR_MAX_RANK];
  uint64_t seen = 0;
  if (map->num_dims != from->rank || map->num_exprs != from->rank || map->num_symbols)
    return nr_op_error(op, "(C1) expected a permutation of %u dims", from->rank);
  if (!nr_memref_strides(from, strides, &offset)) return nr_op_error(op, "(C2) expected a strided source");
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    if (e->kind != NR_AFFINE_DIM || (seen >> e->value & 1))
      return nr_op_error(op, "(C1) expected a permutation of %u dims", from->rank);
    seen |= UINT64_C(1) << e->value;
    dims[i] = from->dims[e->value];
    permuted[i] = strides[e->value];
  }
  NrType expected = strided_type(from, dims, from->rank, permuted, offset);
  if (!same_view(expected, to))
    return nr_op_error(op, "(C2) result type %s is not equivalent to the canonical transposed type %s", text_of(op, to),
                       text_of(op, expected));
  return NR_OK;
}

NrStatus nr_memref_reshape_verify(NrOp *op) {
  NrType from = source_of(op), to = result_of(op), shape = nr_memref_reshape_shape(op)->type;
  if (from->elem != to->elem || from->space != to->space)
    return nr_op_error(op, "(C1) element types of source and destination memref types should be the same");
  if (from->layout || to->layout) return nr_op_error(op, "(C2) source and result must have an identity layout");
  if (shape->rank != 1 || !nr_type_is_int_or_index(shape->elem))
    return nr_op_error(op, "(C3) the shape must be a 1-D memref of integers, got %s", text_of(op, shape));
  if (to->kind == NR_TYPE_MEMREF && shape->dims[0] != to->rank)
    return nr_op_error(op, "(C3) length of shape operand differs from the result's memref rank");
  return NR_OK;
}
