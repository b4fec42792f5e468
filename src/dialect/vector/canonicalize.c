/* canonicalize.c - rewrites of insert, from_elements, to_elements, shuffle, strided slices and reductions.
 *
 *   before  %1 = vector.extract_strided_slice %0 {offsets = [2], ..}      after  %2 = vector.extract_strided_slice %0
 *           %2 = vector.extract_strided_slice %1 {offsets = [1], ..}                 {offsets = [3], ..}
 *
 * Rewrites of extract, masks, shapes and transfers are in files of their own. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"
#include "dialect/vector/vector.h"


static NrValue *operand_of(const NrValue *value, unsigned op_id) {
  return nr_op_is(value->op, op_id) ? nr_op_source(value->op) : NULL;
}

NrValue *nr_vector_broadcast_scalar(const NrValue *value) {
  NrValue *source = operand_of(value, NR_OP_vector_broadcast);
  return source && source->type->kind != NR_TYPE_VECTOR ? source : NULL;
}

int64_t nr_vector_entry(NrAttr list, size_t i) {
  int64_t value = 0;
  nr_attr_is_int(list->items[i], &value);
  return value;
}

bool nr_vector_read_positions(const NrOp *op, NrIndexListSlot slot, NrType type, NrIndex *position) {
  size_t count = nr_index_list_all(op, slot, position);
  bool more = false;
  for (size_t i = 0; i < count; i++) {
    NrIndex known = position[i].value ? nr_index_of(position[i].value) : position[i];
    if (!position[i].value || known.value || known.constant < 0 || known.constant >= type->dims[i]) continue;
    position[i] = known;
    more = true;
  }
  return more;
}

/* ---- insert ------------------------------------------------------------------------------------------------------ */

static bool same_positions(const NrOp *a, const NrOp *b) {
  NrIndex x[NR_MAX_RANK], y[NR_MAX_RANK];
  size_t count = nr_index_list_all(a, nr_vector_insert_slot, x);
  if (nr_index_list_all(b, nr_vector_insert_slot, y) != count) return false;
  for (size_t i = 0; i < count; i++)
    if (!nr_index_eq(x[i], y[i])) return false;
  return true;
}

/* Replaces the last of a chain of insertions that together set every element by a from_elements. */
static bool insert_all(NrOp *op, NrBuilder *b) {
  enum { MAX_ELEMENTS = 64 };
  NrValue *elements[MAX_ELEMENTS] = {0};
  NrType type = nr_op_result(op)->type;
  int64_t count, found = 0;
  if (type->scalable || !nr_type_num_elements(type, &count) || count > MAX_ELEMENTS) return false;
  for (NrUse *use = nr_op_result(op)->first_use; use; use = use->next)
    /* not the last of its chain */
    if (nr_op_is(use->owner, NR_OP_vector_insert) && nr_use_index(use) == NR_VECTOR_INSERT_DEST) return false;
  NrOp *at = op;
  for (int64_t steps = 0; nr_op_is(at, NR_OP_vector_insert) && steps < 2 * MAX_ELEMENTS;
       steps++, at = nr_vector_insert_dest(at)->op) {
    NrIndex position[NR_MAX_RANK];
    size_t rank = nr_index_list_all(at, nr_vector_insert_slot, position);
    int64_t number = 0;
    if (rank != type->rank) return false;
    for (size_t i = 0; i < rank; i++) {
      if (position[i].value) return false;
      number = number * type->dims[i] + position[i].constant;
    }
    if (elements[number]) continue;
    elements[number] = nr_vector_insert_value(at);
    if (++found == count) break;
  }
  if (found < count) return false;
  return nr_op_replace(op, nr_build_value(b, NR_OP_vector_from_elements, type, elements, (size_t)count));
}

bool nr_vector_insert_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *dest = nr_vector_insert_dest(op);
  NrIndex position[NR_MAX_RANK];
  int64_t part, all;
  if (insert_all(op, b)) return true;
  NrType type = nr_vector_insert_value(op)->type;
  bool covers = type->kind == NR_TYPE_VECTOR && !dest->type->scalable && nr_type_num_elements(type, &part) &&
                nr_type_num_elements(dest->type, &all) && part == all;
  if (covers) return nr_op_replace(op, nr_build_broadcast(b, nr_vector_insert_value(op), dest->type));
  if (nr_op_is(dest->op, NR_OP_vector_insert) && same_positions(op, dest->op)) {
    nr_op_set_operand(op, NR_VECTOR_INSERT_DEST, nr_vector_insert_dest(dest->op)); /* op overwrites that insertion */
    return true;
  }
  if (!nr_vector_read_positions(op, nr_vector_insert_slot, dest->type, position)) return false;
  size_t count = nr_index_list_size(op, nr_vector_insert_slot.attr);
  return nr_op_replace(op, nr_build_vector_insert(b, nr_vector_insert_value(op), dest, position, count));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The vector whose elements are extracted in order to form the operands, or NULL. */
static NrValue *taken_from(const NrOp *op) {
  NrValue *source = operand_of(nr_operand(op, NR_VECTOR_FROM_ELEMENTS_ELEMENTS), NR_OP_vector_extract);
  int64_t count;
  if (!source || source->type->scalable || !nr_type_num_elements(source->type, &count) || count != op->num_operands)
    return NULL;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrIndex position[NR_MAX_RANK];
    int64_t at = 0;
    if (operand_of(nr_operand(op, k), NR_OP_vector_extract) != source) return NULL;
    size_t rank = nr_index_list_all(nr_operand(op, k)->op, nr_vector_extract_slot, position);
    for (size_t i = 0; i < rank; i++) {
      if (position[i].value) return NULL;
      at = at * source->type->dims[i] + position[i].constant;
    }
    if (at != k || rank != source->type->rank) return NULL;
  }
  return source;
}

bool nr_vector_from_elements_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *first = op->num_operands ? nr_operand(op, NR_VECTOR_FROM_ELEMENTS_ELEMENTS) : NULL;
  if (!first) return false;
  NrOp *apart = first->op;
  bool same = op->num_operands > 1, whole = nr_op_is(apart, NR_OP_vector_to_elements);
  whole = whole && nr_vector_to_elements_source(apart)->type == nr_op_result(op)->type;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    same &= nr_operand(op, i) == first;
    whole = whole && nr_operand(op, i) == nr_result(apart, i);
  }
  if (whole) return nr_op_replace(op, nr_vector_to_elements_source(apart));
  NrValue *source = taken_from(op);
  if (source) return nr_op_replace(op, nr_build_shape_cast(b, source, nr_op_result(op)->type));
  return same && nr_op_replace(op, nr_build_broadcast(b, first, nr_op_result(op)->type));
}

/* Reads the elements of the source of a broadcast to new leading dims; each is used several times. */
bool nr_vector_to_elements_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *vector = nr_vector_to_elements_source(op), *source = operand_of(vector, NR_OP_vector_broadcast);
  int64_t count;
  if (!source || source->type->kind != NR_TYPE_VECTOR || source->type->scalable) return false;
  for (uint32_t i = 1; i <= source->type->rank; i++)
    if (source->type->dims[source->type->rank - i] != vector->type->dims[vector->type->rank - i]) return false;
  if (!nr_type_num_elements(source->type, &count) || count == 0) return false;
  NrType *types = nr_calloc((size_t)count, sizeof *types);
  for (int64_t i = 0; i < count; i++) types[i] = source->type->elem;
  NrOp *fresh = nr_build_op(b, NR_OP_vector_to_elements, &source, 1, types, (size_t)count);
  nr_free(types);
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), nr_result(fresh, i % (uint32_t)count));
  nr_op_erase(op);
  return true;
}

bool nr_vector_to_elements_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrOp *source = nr_vector_to_elements_source(op)->op;
  NrValue *scalar = nr_vector_broadcast_scalar(nr_vector_to_elements_source(op));
  bool made = nr_op_is(source, NR_OP_vector_from_elements);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (scalar || made) out[i].value = scalar ? scalar : nr_operand(source, i);
    else if (!constants[0] || !nr_attr_is_elements(constants[0])) return false;
    else if (!(out[i].attr = nr_attr_element(constants[0], i))) return false;
  }
  return true;
}

/* ---- shuffles and strided slices --------------------------------------------------------------------------------- */

bool nr_vector_shuffle_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  const int64_t *mask = nr_index_list_statics(op, "mask");
  size_t count = nr_index_list_size(op, "mask");
  for (size_t side = 0; side < 2; side++) {
    NrValue *source = nr_operand(op, side);
    if (source->type != nr_op_result(op)->type) continue;
    int64_t first = side ? nr_vector_shuffle_v1(op)->type->dims[0] : 0;
    size_t i = 0;
    while (i < count && mask[i] == first + (int64_t)i) i++;
    if (i == count) return nr_fold_to_value(out, source);
  }
  return false;
}

bool nr_vector_shuffle_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *v1 = nr_vector_shuffle_v1(op), *one = nr_vector_broadcast_scalar(v1);
  return one && one == nr_vector_broadcast_scalar(nr_vector_shuffle_v2(op)) && nr_vector_of_one_scalar(op, v1, b);
}

bool nr_vector_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  bool inserts = nr_op_is(op, NR_OP_vector_insert_strided_slice);
  NrValue *taken = inserts ? nr_vector_insert_strided_slice_value(op) : nr_vector_extract_strided_slice_source(op);
  if (taken->type == nr_op_result(op)->type) return nr_fold_to_value(out, taken);
  NrOp *part = taken->op;
  NrValue *scalar = nr_vector_broadcast_scalar(taken);
  if (inserts && scalar &&
      scalar == nr_vector_broadcast_scalar(nr_vector_insert_strided_slice_dest(op)))
    return nr_fold_to_value(out, nr_vector_insert_strided_slice_dest(op));
  if (!inserts || !nr_op_is(part, NR_OP_vector_extract_strided_slice))
    return false;
  NrAttr from = nr_op_attr(part, NR_A_offsets), to = nr_op_attr(op, NR_A_offsets);
  if (nr_vector_extract_strided_slice_source(part) != nr_vector_insert_strided_slice_dest(op)) return false;
  for (size_t i = 0; i < to->size; i++)
    if (nr_vector_entry(to, i) != (i < from->size ? nr_vector_entry(from, i) : 0)) return false;
  /* the slice is inserted where it was extracted */
  return nr_fold_to_value(out, nr_vector_insert_strided_slice_dest(op));
}

/* The first index and the size of an inserted slice along dim i of the destination; leading dims that the slice lacks
 * have size 1. */
static void part_range(const NrOp *insert, uint32_t i, int64_t *first, int64_t *size) {
  NrType value = nr_vector_insert_strided_slice_value(insert)->type;
  uint32_t more = nr_op_result(insert)->type->rank - value->rank;
  *first = nr_vector_entry(nr_op_attr(insert, NR_A_offsets), i);
  *size = i < more ? 1 : value->dims[i - more];
}

/* Extracts from an insertion: gives the inserted slice itself, or extracts from the destination if the slices do not
 * overlap. */
static bool part_of_insert(NrOp *op, NrOp *insert) {
  NrType type = nr_op_result(op)->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets);
  bool same = nr_vector_insert_strided_slice_value(insert)->type == type;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t at = i < offsets->size ? nr_vector_entry(offsets, i) : 0, first, size;
    part_range(insert, i, &first, &size);
    if (at + type->dims[i] <= first || first + size <= at) {
      nr_op_set_operand(op, NR_VECTOR_EXTRACT_STRIDED_SLICE_SOURCE, nr_vector_insert_strided_slice_dest(insert));
      return true;
    }
    same = same && at == first && size == type->dims[i];
  }
  return same && nr_op_replace(op, nr_vector_insert_strided_slice_value(insert));
}

/* Extracts from a broadcast: broadcasts to the type of the slice, if it contains the whole source in each dim. */
static bool part_of_broadcast(NrOp *op, NrBuilder *b) {
  NrType type = nr_op_result(op)->type,
         from = nr_vector_broadcast_source(nr_vector_extract_strided_slice_source(op)->op)->type;
  for (uint32_t i = 1; i <= from->rank; i++)
    if (from->dims[from->rank - i] != 1 && from->dims[from->rank - i] != type->dims[type->rank - i]) return false;
  return nr_op_replace(
      op, nr_build_broadcast(b, nr_vector_broadcast_source(nr_vector_extract_strided_slice_source(op)->op), type));
}

/* Extracts from a constant_mask: each size is reduced by the offset. */
static bool part_of_mask(NrOp *op, NrBuilder *b) {
  NrType type = nr_op_result(op)->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets);
  const int64_t *sizes = nr_index_list_statics(nr_vector_extract_strided_slice_source(op)->op, "mask_dim_sizes");
  int64_t left[NR_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) {
    left[i] = sizes[i] - (i < offsets->size ? nr_vector_entry(offsets, i) : 0);
    left[i] = NR_MAX(0, NR_MIN(left[i], type->dims[i]));
  }
  return nr_op_replace(op, nr_vector_constant_mask(b, type, left));
}

static bool simplify_part(NrOp *op, NrBuilder *b) {
  NrOp *source = nr_vector_extract_strided_slice_source(op)->op;
  if (!source || nr_vector_extract_strided_slice_source(op)->type->scalable) return false;
  switch (source->info->id) {
  case NR_OP_vector_insert_strided_slice: return part_of_insert(op, source);
  case NR_OP_vector_broadcast:
    return nr_vector_broadcast_source(source)->type->kind == NR_TYPE_VECTOR && part_of_broadcast(op, b);
  case NR_OP_vector_constant_mask: return part_of_mask(op, b);
  default: return false;
  }
}

/* Merges two consecutive extract_strided_slices. */
bool nr_vector_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_vector_extract_strided_slice_source(op);
  NrOp *first = source->op;
  if (!nr_op_is(first, NR_OP_vector_extract_strided_slice))
    return nr_vector_of_one_scalar(op, source, b) || simplify_part(op, b);
  NrAttr outer = nr_op_attr(first, NR_A_offsets), inner = nr_op_attr(op, NR_A_offsets);
  NrType type = nr_op_result(op)->type;
  size_t count = NR_MAX(outer->size, inner->size);
  NrAttr offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  for (size_t i = 0; i < count; i++) {
    int64_t at = (i < outer->size ? nr_vector_entry(outer, i) : 0) + (i < inner->size ? nr_vector_entry(inner, i) : 0);
    offsets[i] = nr_attr_i64(b->ctx, at);
    sizes[i] = nr_attr_i64(b->ctx, type->dims[i]);
    strides[i] = nr_attr_i64(b->ctx, 1);
  }
  nr_op_set_attr(op, NR_A_offsets, nr_attr_array(b->ctx, offsets, count));
  nr_op_set_attr(op, NR_A_sizes, nr_attr_array(b->ctx, sizes, count));
  nr_op_set_attr(op, NR_A_strides, nr_attr_array(b->ctx, strides, count));
  nr_op_set_operand(op, NR_VECTOR_EXTRACT_STRIDED_SLICE_SOURCE, nr_vector_extract_strided_slice_source(first));
  return true;
}

bool nr_vector_deinterleave_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  NrOp *first = nr_vector_deinterleave_source(op)->op;
  if (!nr_op_is(first, NR_OP_vector_interleave)) return false;
  for (size_t i = 0; i < 2; i++) out[i].value = nr_operand(first, i);
  return true;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Combines acc and value by the op of a reduction kind; NULL for an unknown kind. */
static NrValue *combine(NrBuilder *b, NrStr kind, NrValue *acc, NrValue *value) {
  const NrCombine *combine = nr_combine_of_vector(kind, nr_type_is_float(nr_type_elem(value->type)));
  return combine ? nr_arith_binary(b, combine->op_id, acc, value) : NULL;
}

bool nr_vector_reduction_canonicalize(NrOp *op, NrBuilder *b) {
  NrType type = nr_vector_reduction_vector(op)->type;
  NrIndex zero = nr_index_const(0);
  if (type->scalable || type->rank > 1 || (type->rank == 1 && type->dims[0] != 1)) return false;
  NrValue *element = nr_build_vector_extract(b, nr_vector_reduction_vector(op), &zero, type->rank);
  NrValue *all = op->num_operands > 1 ? combine(b, nr_vector_kind(op), nr_vector_reduction_acc(op), element) : element;
  return all && nr_op_replace(op, all);
}

bool nr_vector_multi_reduction_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_vector_multi_reduction_source(op), *acc = nr_vector_multi_reduction_acc(op);
  if (nr_index_list_size(op, "reduction_dims") || source->type != acc->type) return false;
  NrValue *all = combine(b, nr_vector_kind(op), acc, source);
  return all && nr_op_replace(op, all);
}
