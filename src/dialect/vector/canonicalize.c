/* canonicalize.c - rewrites of vector ops: insertions and extractions, shuffles, transposes that cancel.
 *
 *   before  %1 = vector.transpose %0, [1, 0]              after  %2 = vector.transpose %0, [0, 2, 1] : ..
 *           %2 = vector.transpose %1, ..
 *
 * Extraction, masks, shapes and transfers are in files of their own. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/shared/fold.h"
#include "dialect/vector/vector.h"

static const NrIndexListSlot extract_slot = {1, "static_position"}, insert_slot = {2, "static_position"};

static NrValue *operand_of(const NrValue *value, unsigned op_id) {
  return nr_op_is(value->op, op_id) ? nr_operand(value->op, 0) : NULL;
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
  size_t count = nr_index_list_all(a, insert_slot, x);
  if (nr_index_list_all(b, insert_slot, y) != count) return false;
  for (size_t i = 0; i < count; i++)
    if (!nr_index_eq(x[i], y[i])) return false;
  return true;
}

/* The last of insertions of single elements, one at least at every place: the vector of them. */
static bool insert_all(NrOp *op, NrBuilder *b) {
  enum { MOST = 64 };
  NrValue *elements[MOST] = {0};
  NrType type = nr_result(op, 0)->type;
  int64_t count, found = 0;
  if (type->scalable || !nr_type_num_elements(type, &count) || count > MOST) return false;
  for (NrUse *use = nr_result(op, 0)->first_use; use; use = use->next)
    if (nr_op_is(use->owner, NR_OP_vector_insert) && nr_use_index(use) == 1) return false; /* not the last */
  NrOp *at = op;
  for (int64_t steps = 0; nr_op_is(at, NR_OP_vector_insert) && steps < 2 * MOST; steps++, at = nr_operand(at, 1)->op) {
    NrIndex position[NR_MAX_RANK];
    size_t rank = nr_index_list_all(at, insert_slot, position);
    int64_t place = 0;
    if (rank != type->rank) return false;
    for (size_t i = 0; i < rank; i++) {
      if (position[i].value) return false;
      place = place * type->dims[i] + position[i].constant;
    }
    if (elements[place]) continue;
    elements[place] = nr_operand(at, 0);
    if (++found == count) break;
  }
  if (found < count) return false;
  return nr_op_replace(op, nr_build_value(b, NR_OP_vector_from_elements, type, elements, (size_t)count));
}

bool nr_vector_insert_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *dest = nr_operand(op, 1);
  NrIndex position[NR_MAX_RANK];
  int64_t part, all;
  if (insert_all(op, b)) return true;
  NrType type = nr_operand(op, 0)->type;
  bool covers = type->kind == NR_TYPE_VECTOR && !dest->type->scalable && nr_type_num_elements(type, &part) &&
                nr_type_num_elements(dest->type, &all) && part == all;
  if (covers) return nr_op_replace(op, nr_build_broadcast(b, nr_operand(op, 0), dest->type));
  if (nr_op_is(dest->op, NR_OP_vector_insert) && same_positions(op, dest->op)) {
    nr_op_set_operand(op, 1, nr_operand(dest->op, 1)); /* what was there is written over */
    return true;
  }
  if (!nr_vector_read_positions(op, insert_slot, dest->type, position)) return false;
  size_t count = nr_index_list_size(op, insert_slot.attr);
  return nr_op_replace(op, nr_build_vector_insert(b, nr_operand(op, 0), dest, position, count));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* All elements of one vector, each taken out of it, in order. */
static NrValue *taken_from(const NrOp *op) {
  NrValue *source = operand_of(nr_operand(op, 0), NR_OP_vector_extract);
  int64_t count;
  if (!source || source->type->scalable || !nr_type_num_elements(source->type, &count) || count != op->num_operands)
    return NULL;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrIndex position[NR_MAX_RANK];
    int64_t at = 0;
    if (operand_of(nr_operand(op, k), NR_OP_vector_extract) != source) return NULL;
    size_t rank = nr_index_list_all(nr_operand(op, k)->op, extract_slot, position);
    for (size_t i = 0; i < rank; i++) {
      if (position[i].value) return NULL;
      at = at * source->type->dims[i] + position[i].constant;
    }
    if (at != k || rank != source->type->rank) return NULL;
  }
  return source;
}

bool nr_vector_from_elements_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *first = op->num_operands ? nr_operand(op, 0) : NULL;
  if (!first) return false;
  NrOp *apart = first->op;
  bool same = op->num_operands > 1, whole = nr_op_is(apart, NR_OP_vector_to_elements);
  whole = whole && nr_operand(apart, 0)->type == nr_result(op, 0)->type;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    same &= nr_operand(op, i) == first;
    whole = whole && nr_operand(op, i) == nr_result(apart, i);
  }
  if (whole) return nr_op_replace(op, nr_operand(apart, 0));
  NrValue *source = taken_from(op);
  if (source) return nr_op_replace(op, nr_build_shape_cast(b, source, nr_result(op, 0)->type));
  return same && nr_op_replace(op, nr_build_broadcast(b, first, nr_result(op, 0)->type));
}

/* Of a vector repeated along new leading dims: its elements, again and again. */
bool nr_vector_to_elements_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *vector = nr_operand(op, 0), *source = operand_of(vector, NR_OP_vector_broadcast);
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
  NrOp *source = nr_operand(op, 0)->op;
  NrValue *scalar = nr_vector_broadcast_scalar(nr_operand(op, 0));
  bool made = nr_op_is(source, NR_OP_vector_from_elements);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (scalar || made) out[i].value = scalar ? scalar : nr_operand(source, i);
    else if (!constants[0] || !nr_attr_is_elements(constants[0])) return false;
    else if (!(out[i].attr = nr_attr_element(constants[0], i))) return false;
  }
  return true;
}

/* ---- picking ----------------------------------------------------------------------------------------------------- */

bool nr_vector_shuffle_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  const int64_t *mask = nr_index_list_statics(op, "mask");
  size_t count = nr_index_list_size(op, "mask");
  for (size_t side = 0; side < 2; side++) {
    NrValue *source = nr_operand(op, side);
    if (source->type != nr_result(op, 0)->type) continue;
    int64_t first = side ? nr_operand(op, 0)->type->dims[0] : 0;
    size_t i = 0;
    while (i < count && mask[i] == first + (int64_t)i) i++;
    if (i == count) return nr_fold_to_value(out, source);
  }
  return false;
}

bool nr_vector_shuffle_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *one = nr_vector_broadcast_scalar(nr_operand(op, 0));
  return one && one == nr_vector_broadcast_scalar(nr_operand(op, 1)) && nr_vector_of_one_scalar(op, b);
}

bool nr_vector_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  bool whole = nr_operand(op, 0)->type == nr_result(op, 0)->type; /* of extract and of insert: the first operand */
  if (whole) return nr_fold_to_value(out, nr_operand(op, 0));
  NrOp *part = nr_operand(op, 0)->op;
  NrValue *scalar = nr_vector_broadcast_scalar(nr_operand(op, 0));
  if (nr_op_is(op, NR_OP_vector_insert_strided_slice) && scalar &&
      scalar == nr_vector_broadcast_scalar(nr_operand(op, 1)))
    return nr_fold_to_value(out, nr_operand(op, 1));
  if (!nr_op_is(op, NR_OP_vector_insert_strided_slice) || !nr_op_is(part, NR_OP_vector_extract_strided_slice))
    return false;
  NrAttr from = nr_op_attr(part, NR_A_offsets), to = nr_op_attr(op, NR_A_offsets);
  if (nr_operand(part, 0) != nr_operand(op, 1)) return false;
  for (size_t i = 0; i < to->size; i++)
    if (nr_vector_entry(to, i) != (i < from->size ? nr_vector_entry(from, i) : 0)) return false;
  return nr_fold_to_value(out, nr_operand(op, 1)); /* it was there */
}

/* From dim i of a part on: where it begins, and its size in dims of rank, the last of which are those of value. */
static void part_range(const NrOp *insert, uint32_t i, int64_t *first, int64_t *size) {
  NrType value = nr_operand(insert, 0)->type;
  uint32_t more = nr_result(insert, 0)->type->rank - value->rank;
  *first = nr_vector_entry(nr_op_attr(insert, NR_A_offsets), i);
  *size = i < more ? 1 : value->dims[i - more];
}

/* A part of what a part was put into: that part again, or of what was there when it lies beside it. */
static bool part_of_insert(NrOp *op, NrOp *insert) {
  NrType type = nr_result(op, 0)->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets);
  bool same = nr_operand(insert, 0)->type == type;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t at = i < offsets->size ? nr_vector_entry(offsets, i) : 0, first, size;
    part_range(insert, i, &first, &size);
    if (at + type->dims[i] <= first || first + size <= at) {
      nr_op_set_operand(op, 0, nr_operand(insert, 1));
      return true;
    }
    same = same && at == first && size == type->dims[i];
  }
  return same && nr_op_replace(op, nr_operand(insert, 0));
}

/* A part of a vector repeated that holds the whole vector. */
static bool part_of_broadcast(NrOp *op, NrBuilder *b) {
  NrType type = nr_result(op, 0)->type, from = nr_operand(nr_operand(op, 0)->op, 0)->type;
  for (uint32_t i = 1; i <= from->rank; i++)
    if (from->dims[from->rank - i] != 1 && from->dims[from->rank - i] != type->dims[type->rank - i]) return false;
  return nr_op_replace(op, nr_build_broadcast(b, nr_operand(nr_operand(op, 0)->op, 0), type));
}

/* The sizes of the mask at an offset in each dim. */
static bool part_of_mask(NrOp *op, NrBuilder *b) {
  NrType type = nr_result(op, 0)->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets);
  const int64_t *sizes = nr_index_list_statics(nr_operand(op, 0)->op, "mask_dim_sizes");
  int64_t left[NR_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) {
    left[i] = sizes[i] - (i < offsets->size ? nr_vector_entry(offsets, i) : 0);
    left[i] = NR_MAX(0, NR_MIN(left[i], type->dims[i]));
  }
  return nr_op_replace(op, nr_vector_constant_mask(b, type, left));
}

static bool simplify_part(NrOp *op, NrBuilder *b) {
  NrOp *source = nr_operand(op, 0)->op;
  if (!source || nr_operand(op, 0)->type->scalable) return false;
  switch (source->info->id) {
  case NR_OP_vector_insert_strided_slice: return part_of_insert(op, source);
  case NR_OP_vector_broadcast: return nr_operand(source, 0)->type->kind == NR_TYPE_VECTOR && part_of_broadcast(op, b);
  case NR_OP_vector_constant_mask: return part_of_mask(op, b);
  default: return false;
  }
}

/* A part of a part. */
bool nr_vector_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_operand(op, 0)->op;
  if (!nr_op_is(first, NR_OP_vector_extract_strided_slice))
    return nr_vector_of_one_scalar(op, b) || simplify_part(op, b);
  NrAttr outer = nr_op_attr(first, NR_A_offsets), inner = nr_op_attr(op, NR_A_offsets);
  NrType type = nr_result(op, 0)->type;
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
  nr_op_set_operand(op, 0, nr_operand(first, 0));
  return true;
}

bool nr_vector_deinterleave_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  NrOp *first = nr_operand(op, 0)->op;
  if (!nr_op_is(first, NR_OP_vector_interleave)) return false;
  for (size_t i = 0; i < 2; i++) out[i].value = nr_operand(first, i);
  return true;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* acc combined with value, element by element. */
static NrValue *combine(NrBuilder *b, NrStr kind, NrValue *acc, NrValue *value) {
  const NrCombine *combine = nr_combine_of_vector(kind, nr_type_is_float(nr_type_elem(value->type)));
  return combine ? nr_arith_binary(b, combine->op_id, acc, value) : NULL;
}

bool nr_vector_reduction_canonicalize(NrOp *op, NrBuilder *b) {
  NrType type = nr_operand(op, 0)->type;
  NrIndex zero = nr_index_const(0);
  if (type->scalable || type->rank > 1 || (type->rank == 1 && type->dims[0] != 1)) return false;
  NrValue *element = nr_build_vector_extract(b, nr_operand(op, 0), &zero, type->rank);
  NrValue *all = op->num_operands > 1 ? combine(b, nr_vector_kind(op), nr_operand(op, 1), element) : element;
  return all && nr_op_replace(op, all);
}

bool nr_vector_multi_reduction_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_operand(op, 0), *acc = nr_operand(op, 1);
  if (nr_index_list_size(op, "reduction_dims") || source->type != acc->type) return false;
  NrValue *all = combine(b, nr_vector_kind(op), acc, source);
  return all && nr_op_replace(op, all);
}
