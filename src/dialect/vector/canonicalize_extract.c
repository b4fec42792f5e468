/* canonicalize_extract.c - rewrites of vector.extract to read from the op that defined the element.
 *
 *   before  %1 = vector.insert %x, %v[2] : f32 into vector<4xf32>       after  %2 = vector.extract %v[1] : ..
 *           %2 = vector.extract %1[1] : f32 from vector<4xf32>
 */
#include "dialect/vector/vector.h"


static bool are_constant(const NrIndex *position, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (position[i].value) return false;
  return true;
}

typedef struct Extraction {
  NrValue *source;
  NrIndex position[NR_MAX_RANK];
  size_t count;
} Extraction;

/* Steps through an insert: to the value when the position is inside it, to the destination when it is outside. */
static bool through_insert(Extraction *at) {
  NrIndex put[NR_MAX_RANK];
  size_t count = nr_index_list_all(at->source->op, nr_vector_insert_slot, put);
  bool inside = count <= at->count;
  for (size_t i = 0; i < count && i < at->count; i++) {
    if (!put[i].value && !at->position[i].value && put[i].constant != at->position[i].constant) {
      at->source = nr_vector_insert_dest(at->source->op);
      return true;
    }
    inside &= nr_index_eq(put[i], at->position[i]);
  }
  if (!inside) return false;
  at->source = nr_vector_insert_value(at->source->op);
  at->count -= count;
  memmove(at->position, at->position + count, at->count * sizeof *at->position);
  return true;
}

static bool through_extract(Extraction *at) {
  NrIndex outer[NR_MAX_RANK];
  size_t count = nr_index_list_all(at->source->op, nr_vector_extract_slot, outer);
  if (count + at->count > NR_MAX_RANK) return false;
  memmove(at->position + count, at->position, at->count * sizeof *at->position);
  memcpy(at->position, outer, count * sizeof *outer);
  at->count += count;
  at->source = nr_vector_extract_source(at->source->op);
  return true;
}

/* Steps through a shape_cast: to the element, or the vector of the last dims, with the same row-major number. False
 * when the shapes differ in these last dims. */
static bool through_shape_cast(Extraction *at) {
  NrType type = at->source->type, from = nr_vector_shape_cast_source(at->source->op)->type;
  uint32_t rest = type->rank - (uint32_t)at->count;
  int64_t number = 0;
  if (from->rank < rest) return false;
  for (uint32_t i = 1; i <= rest; i++)
    if (type->dims[type->rank - i] != from->dims[from->rank - i]) return false;
  for (uint32_t i = 0; i < at->count; i++) number = number * type->dims[i] + at->position[i].constant;
  at->count = from->rank - rest;
  for (size_t i = at->count; i-- > 0; number /= from->dims[i]) at->position[i] = nr_index_const(number % from->dims[i]);
  at->source = nr_vector_shape_cast_source(at->source->op);
  return true;
}

/* Steps through a transpose; false when it moves a dim that is not extracted from. */
static bool through_transpose(Extraction *at) {
  const int64_t *permutation = nr_index_list_statics(at->source->op, "permutation");
  NrIndex position[NR_MAX_RANK];
  for (uint32_t i = (uint32_t)at->count; i < at->source->type->rank; i++)
    if (permutation[i] != i) return false;
  for (size_t i = 0; i < at->count; i++) position[permutation[i]] = at->position[i];
  memcpy(at->position, position, at->count * sizeof *position);
  at->source = nr_vector_transpose_vector(at->source->op);
  return true;
}

static void through_slice(Extraction *at) {
  NrAttr offsets = nr_op_attr(at->source->op, NR_A_offsets);
  for (size_t i = 0; i < offsets->size; i++) at->position[i].constant += nr_vector_entry(offsets, i);
  at->source = nr_vector_extract_strided_slice_source(at->source->op);
}

/* Steps through an insert_strided_slice: to the destination when the position is outside the slice, to the value when
 * it is a single element inside. */
static bool through_insert_slice(Extraction *at) {
  NrOp *op = at->source->op;
  NrType slice = nr_vector_insert_strided_slice_value(op)->type;
  NrAttr offsets = nr_op_attr(op, NR_A_offsets);
  uint32_t more = at->source->type->rank - slice->rank;
  for (uint32_t i = 0; i < at->count; i++) {
    int64_t first = nr_vector_entry(offsets, i), size = i < more ? 1 : slice->dims[i - more];
    if (at->position[i].constant >= first && at->position[i].constant < first + size) continue;
    at->source = nr_vector_insert_strided_slice_dest(op);
    return true;
  }
  if (at->count < at->source->type->rank) return false;
  for (uint32_t i = 0; i < slice->rank; i++)
    at->position[i] = nr_index_const(at->position[more + i].constant - nr_vector_entry(offsets, more + i));
  at->count = slice->rank;
  at->source = nr_vector_insert_strided_slice_value(op);
  return true;
}

static void through_broadcast(Extraction *at) {
  NrType type = at->source->type, from = nr_vector_broadcast_source(at->source->op)->type;
  uint32_t more = type->rank - from->rank;
  for (uint32_t i = 0; i < from->rank; i++)
    at->position[i] = from->dims[i] == 1 ? nr_index_const(0) : at->position[more + i];
  at->count = from->rank;
  at->source = nr_vector_broadcast_source(at->source->op);
}

static bool through_shuffle(Extraction *at) {
  const int64_t *mask = nr_index_list_statics(at->source->op, "mask");
  int64_t picked = mask[at->position[0].constant], first = nr_vector_shuffle_v1(at->source->op)->type->dims[0];
  if (picked < 0) return false;
  at->position[0] = nr_index_const(picked < first ? picked : picked - first);
  at->source = picked < first ? nr_vector_shuffle_v1(at->source->op) : nr_vector_shuffle_v2(at->source->op);
  return true;
}

/* Steps through the op that defines the source; false when that is not possible. */
static bool step_back(Extraction *at) {
  const NrOp *op = at->source->op;
  if (!op || at->source->type->scalable || at->count == 0) return false;
  bool element = at->count == at->source->type->rank, known = are_constant(at->position, at->count);
  switch (op->info->id) {
  case NR_OP_vector_insert: return through_insert(at);
  case NR_OP_vector_extract: return through_extract(at);
  case NR_OP_vector_shape_cast:
    return known && !nr_vector_shape_cast_source(op)->type->scalable && through_shape_cast(at);
  case NR_OP_vector_transpose: return through_transpose(at);
  case NR_OP_vector_insert_strided_slice: return known && through_insert_slice(at);
  case NR_OP_vector_extract_strided_slice:
    if (!known || at->count < nr_op_attr(op, NR_A_offsets)->size) return false;
    through_slice(at);
    return true;
  case NR_OP_vector_broadcast:
    if (!element || nr_vector_broadcast_source(op)->type->kind != NR_TYPE_VECTOR) return false;
    through_broadcast(at);
    return true;
  case NR_OP_vector_shuffle: return known && nr_vector_shuffle_v1(op)->type->rank > 0 && through_shuffle(at);
  default: return false;
  }
}

/* Replaces the extraction of a vector from a from_elements by a from_elements of some of its operands. */
static bool extract_elements(NrOp *op, NrBuilder *b, const NrIndex *position, size_t count) {
  NrOp *made = nr_vector_extract_source(op)->op;
  NrType type = nr_op_result(op)->type, from = nr_vector_extract_source(op)->type;
  int64_t at = 0, num;
  if (!nr_op_is(made, NR_OP_vector_from_elements) || type->kind != NR_TYPE_VECTOR || !are_constant(position, count))
    return false;
  if (!nr_type_num_elements(type, &num)) return false;
  for (size_t i = 0; i < count; i++) at = at * from->dims[i] + position[i].constant;
  NrValue **elements = nr_calloc((size_t)num + 1, sizeof *elements);
  for (int64_t i = 0; i < num; i++) elements[i] = nr_operand(made, (size_t)(at * num + i));
  NrValue *value = nr_build_value(b, NR_OP_vector_from_elements, type, elements, (size_t)num);
  nr_free(elements);
  return nr_op_replace(op, value);
}

/* Replaces the extraction of a row from a create_mask: the row is empty if its position is not below the mask's size,
 * otherwise a mask of the remaining sizes. */
static bool extract_mask(NrOp *op, NrBuilder *b, const NrIndex *position, size_t count) {
  NrOp *mask = nr_vector_extract_source(op)->op;
  NrType type = nr_op_result(op)->type;
  int64_t size;
  if (!nr_op_is(mask, NR_OP_vector_create_mask) || type->kind != NR_TYPE_VECTOR || type->scalable) return false;
  for (size_t i = 0; i < count; i++) {
    if (position[i].value || !nr_value_constant_int(nr_operand(mask, i), &size)) return false;
    if (position[i].constant >= size) return nr_op_replace(op, nr_vector_constant_mask(b, type, 0));
  }
  NrValue *sizes[NR_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) sizes[i] = nr_operand(mask, count + i);
  return nr_op_replace(op, nr_build_value(b, NR_OP_vector_create_mask, type, sizes, type->rank));
}

bool nr_vector_extract_canonicalize(NrOp *op, NrBuilder *b) {
  Extraction at = {.source = nr_vector_extract_source(op)};
  if (nr_vector_of_poison(op, at.source, b)) return true;
  if (at.source->type->scalable) return false;
  bool changed = nr_vector_read_positions(op, nr_vector_extract_slot, at.source->type, at.position);
  at.count = nr_index_list_size(op, nr_vector_extract_slot.attr);
  for (int steps = 0; steps < 64 && step_back(&at); steps++) changed = true;
  if (!changed && (extract_elements(op, b, at.position, at.count) || extract_mask(op, b, at.position, at.count)))
    return true;
  if (!changed) {
    NrValue *inner = nr_op_is(at.source->op, NR_OP_vector_broadcast) ? nr_vector_broadcast_source(at.source->op) : NULL;
    NrType type = nr_op_result(op)->type;
    bool rest = inner && type->kind == NR_TYPE_VECTOR && inner->type->kind == NR_TYPE_VECTOR;
    if (!rest || at.count + inner->type->rank > at.source->type->rank) return false;
    return nr_op_replace(op, nr_build_broadcast(b, inner, type));
  }
  if (at.count == 0 && at.source->type == nr_op_result(op)->type) return nr_op_replace(op, at.source);
  if (at.source->type->kind != NR_TYPE_VECTOR) return false;
  NrValue *value = nr_build_vector_extract(b, at.source, at.position, at.count);
  return value->type == nr_op_result(op)->type && nr_op_replace(op, value);
}
