/* vector_canonicalize.c - rewrites of vector ops: what is put together and taken apart again, and moved there and back.
 *
 *   before  %1 = vector.insert %x, %v[2] : f32 into vector<4xf32>       after  %2 = vector.extract %v[1] : ..
 *           %2 = vector.extract %1[1] : f32 from vector<4xf32>
 */
#include "dialect/arith/arith.h"
#include "dialect/fold.h"
#include "dialect/vector/vector.h"

#include <stdio.h>

static const NrIndexListSlot extract_slot = {1, "static_position"}, insert_slot = {2, "static_position"};

static NrValue *operand_of(const NrValue *value, unsigned op_id) {
  return nr_op_is(value->op, op_id) ? nr_operand(value->op, 0) : NULL;
}

/* The scalar that all elements are. */
static NrValue *broadcast_scalar(const NrValue *value) {
  NrValue *source = operand_of(value, NR_OP_vector_broadcast);
  return source && source->type->kind != NR_TYPE_VECTOR ? source : NULL;
}

static bool are_constant(const NrIndex *position, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (position[i].value) return false;
  return true;
}

static int64_t entry(NrAttr list, size_t i) {
  int64_t value = 0;
  nr_attr_is_int(list->items[i], &value);
  return value;
}

/* ---- extract ----------------------------------------------------------------------------------------------------- */

/* Positions; those that constants give, and that lie inside, become numbers: true when there are such. */
static bool read_positions(const NrOp *op, NrIndexListSlot slot, NrType type, NrIndex *position) {
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

typedef struct Place {
  NrValue *source;
  NrIndex position[NR_MAX_RANK];
  size_t count;
} Place;

/* An extraction from what was inserted into: from the value when the position is in it, from dest when it is not. */
static bool through_insert(Place *at) {
  NrIndex put[NR_MAX_RANK];
  size_t count = nr_index_list_all(at->source->op, insert_slot, put);
  bool inside = count <= at->count;
  for (size_t i = 0; i < count && i < at->count; i++) {
    if (!put[i].value && !at->position[i].value && put[i].constant != at->position[i].constant) {
      at->source = nr_operand(at->source->op, 1);
      return true;
    }
    inside &= nr_index_eq(put[i], at->position[i]);
  }
  if (!inside) return false;
  at->source = nr_operand(at->source->op, 0);
  at->count -= count;
  memmove(at->position, at->position + count, at->count * sizeof *at->position);
  return true;
}

static bool through_extract(Place *at) {
  NrIndex outer[NR_MAX_RANK];
  size_t count = nr_index_list_all(at->source->op, extract_slot, outer);
  if (count + at->count > NR_MAX_RANK) return false;
  memmove(at->position + count, at->position, at->count * sizeof *at->position);
  memcpy(at->position, outer, count * sizeof *outer);
  at->count += count;
  at->source = nr_operand(at->source->op, 0);
  return true;
}

/* The element with the same number in row-major order. */
static void through_shape_cast(Place *at) {
  NrType type = at->source->type, from = nr_operand(at->source->op, 0)->type;
  int64_t number = 0;
  for (uint32_t i = 0; i < type->rank; i++) number = number * type->dims[i] + at->position[i].constant;
  for (uint32_t i = from->rank; i-- > 0; number /= from->dims[i])
    at->position[i] = nr_index_const(number % from->dims[i]);
  at->count = from->rank;
  at->source = nr_operand(at->source->op, 0);
}

static void through_transpose(Place *at) {
  const int64_t *permutation = nr_index_list_statics(at->source->op, "permutation");
  NrIndex position[NR_MAX_RANK];
  for (size_t i = 0; i < at->count; i++) position[permutation[i]] = at->position[i];
  memcpy(at->position, position, at->count * sizeof *position);
  at->source = nr_operand(at->source->op, 0);
}

static void through_slice(Place *at) {
  NrAttr offsets = nr_op_attr(at->source->op, "offsets");
  for (size_t i = 0; i < offsets->size; i++) at->position[i].constant += entry(offsets, i);
  at->source = nr_operand(at->source->op, 0);
}

static void through_broadcast(Place *at) {
  NrType type = at->source->type, from = nr_operand(at->source->op, 0)->type;
  uint32_t more = type->rank - from->rank;
  for (uint32_t i = 0; i < from->rank; i++)
    at->position[i] = from->dims[i] == 1 ? nr_index_const(0) : at->position[more + i];
  at->count = from->rank;
  at->source = nr_operand(at->source->op, 0);
}

static bool through_shuffle(Place *at) {
  const int64_t *mask = nr_index_list_statics(at->source->op, "mask");
  int64_t picked = mask[at->position[0].constant], first = nr_operand(at->source->op, 0)->type->dims[0];
  if (picked < 0) return false;
  at->position[0] = nr_index_const(picked < first ? picked : picked - first);
  at->source = nr_operand(at->source->op, picked < first ? 0 : 1);
  return true;
}

/* One step back along what the vector was made of; false when there is none. */
static bool step_back(Place *at) {
  const NrOp *op = at->source->op;
  if (!op || at->source->type->scalable || at->count == 0) return false;
  bool element = at->count == at->source->type->rank, known = are_constant(at->position, at->count);
  switch (op->info->id) {
  case NR_OP_vector_insert: return through_insert(at);
  case NR_OP_vector_extract: return through_extract(at);
  case NR_OP_vector_shape_cast:
    if (!element || !known || nr_operand(op, 0)->type->scalable) return false;
    through_shape_cast(at);
    return true;
  case NR_OP_vector_transpose:
    if (element) through_transpose(at);
    return element;
  case NR_OP_vector_extract_strided_slice:
    if (!known || at->count < nr_op_attr(op, "offsets")->size) return false;
    through_slice(at);
    return true;
  case NR_OP_vector_broadcast:
    if (!element || nr_operand(op, 0)->type->kind != NR_TYPE_VECTOR) return false;
    through_broadcast(at);
    return true;
  case NR_OP_vector_shuffle: return known && nr_operand(op, 0)->type->rank > 0 && through_shuffle(at);
  default: return false;
  }
}

bool nr_vector_extract_canonicalize(NrOp *op, NrBuilder *b) {
  Place at = {.source = nr_operand(op, 0)};
  if (at.source->type->scalable) return false;
  bool changed = read_positions(op, extract_slot, at.source->type, at.position);
  at.count = nr_index_list_size(op, extract_slot.attr);
  for (int steps = 0; steps < 64 && step_back(&at); steps++) changed = true;
  if (!changed) {
    NrValue *inner = operand_of(at.source, NR_OP_vector_broadcast);
    NrType type = nr_result(op, 0)->type;
    bool rest = inner && type->kind == NR_TYPE_VECTOR && inner->type->kind == NR_TYPE_VECTOR;
    if (!rest || at.count + inner->type->rank > at.source->type->rank) return false;
    return nr_op_replace(op, nr_build_broadcast(b, inner, type));
  }
  if (at.count == 0 && at.source->type == nr_result(op, 0)->type) return nr_op_replace(op, at.source);
  if (at.source->type->kind != NR_TYPE_VECTOR) return false;
  NrValue *value = nr_build_vector_extract(b, at.source, at.position, at.count);
  return value->type == nr_result(op, 0)->type && nr_op_replace(op, value);
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

bool nr_vector_insert_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *dest = nr_operand(op, 1);
  NrIndex position[NR_MAX_RANK];
  if (nr_op_is(dest->op, NR_OP_vector_insert) && same_positions(op, dest->op)) {
    nr_op_set_operand(op, 1, nr_operand(dest->op, 1)); /* what was there is written over */
    return true;
  }
  if (!read_positions(op, insert_slot, dest->type, position)) return false;
  size_t count = nr_index_list_size(op, insert_slot.attr);
  return nr_op_replace(op, nr_build_vector_insert(b, nr_operand(op, 0), dest, position, count));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

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
  return same && nr_op_replace(op, nr_build_broadcast(b, first, nr_result(op, 0)->type));
}

bool nr_vector_to_elements_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrOp *source = nr_operand(op, 0)->op;
  NrValue *scalar = broadcast_scalar(nr_operand(op, 0));
  bool made = nr_op_is(source, NR_OP_vector_from_elements);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (scalar || made) out[i].value = scalar ? scalar : nr_operand(source, i);
    else if (!constants[0] || !nr_attr_is_elements(constants[0])) return false;
    else if (!(out[i].attr = nr_attr_element(constants[0], i))) return false;
  }
  return true;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

bool nr_vector_broadcast_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  NrValue *source = operand_of(nr_operand(op, 0), NR_OP_vector_broadcast);
  if (!source) return false;
  nr_op_set_operand(op, 0, source);
  return true;
}

/* Where elements stand does not matter when all are one scalar. */
bool nr_vector_of_one_scalar(NrOp *op, NrBuilder *b) {
  NrValue *scalar = broadcast_scalar(nr_operand(op, 0));
  return scalar && nr_op_replace(op, nr_build_broadcast(b, scalar, nr_result(op, 0)->type));
}

bool nr_vector_transpose_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  const int64_t *permutation = nr_index_list_statics(op, "permutation");
  for (uint32_t i = 0; i < nr_result(op, 0)->type->rank; i++)
    if (permutation[i] != i) return false;
  return nr_fold_to_value(out, nr_operand(op, 0));
}

bool nr_vector_transpose_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_operand(op, 0)->op;
  if (!nr_op_is(first, NR_OP_vector_transpose)) return nr_vector_of_one_scalar(op, b);
  const int64_t *outer = nr_index_list_statics(op, "permutation"), *inner = nr_index_list_statics(first, "permutation");
  int64_t both[NR_MAX_RANK];
  for (uint32_t i = 0; i < nr_result(op, 0)->type->rank; i++) both[i] = inner[outer[i]];
  nr_op_set_attr(op, "permutation", nr_attr_i64_array(b->ctx, both, nr_result(op, 0)->type->rank));
  nr_op_set_operand(op, 0, nr_operand(first, 0));
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
  NrValue *one = broadcast_scalar(nr_operand(op, 0));
  return one && one == broadcast_scalar(nr_operand(op, 1)) && nr_vector_of_one_scalar(op, b);
}

bool nr_vector_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  bool whole = nr_operand(op, 0)->type == nr_result(op, 0)->type; /* of extract and of insert: the first operand */
  if (whole) return nr_fold_to_value(out, nr_operand(op, 0));
  NrOp *part = nr_operand(op, 0)->op;
  if (!nr_op_is(op, NR_OP_vector_insert_strided_slice) || !nr_op_is(part, NR_OP_vector_extract_strided_slice))
    return false;
  NrAttr from = nr_op_attr(part, "offsets"), to = nr_op_attr(op, "offsets");
  if (nr_operand(part, 0) != nr_operand(op, 1)) return false;
  for (size_t i = 0; i < to->size; i++)
    if (entry(to, i) != (i < from->size ? entry(from, i) : 0)) return false;
  return nr_fold_to_value(out, nr_operand(op, 1)); /* it was there */
}

/* A part of a part. */
bool nr_vector_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *first = nr_operand(op, 0)->op;
  if (!nr_op_is(first, NR_OP_vector_extract_strided_slice)) return nr_vector_of_one_scalar(op, b);
  NrAttr outer = nr_op_attr(first, "offsets"), inner = nr_op_attr(op, "offsets");
  NrType type = nr_result(op, 0)->type;
  size_t count = NR_MAX(outer->size, inner->size);
  NrAttr offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  for (size_t i = 0; i < count; i++) {
    int64_t at = (i < outer->size ? entry(outer, i) : 0) + (i < inner->size ? entry(inner, i) : 0);
    offsets[i] = nr_attr_i64(b->ctx, at);
    sizes[i] = nr_attr_i64(b->ctx, type->dims[i]);
    strides[i] = nr_attr_i64(b->ctx, 1);
  }
  nr_op_set_attr(op, "offsets", nr_attr_array(b->ctx, offsets, count));
  nr_op_set_attr(op, "sizes", nr_attr_array(b->ctx, sizes, count));
  nr_op_set_attr(op, "strides", nr_attr_array(b->ctx, strides, count));
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
  static const char *const spelled[][3] = {{"add", "arith.addi", "arith.addf"}, {"mul", "arith.muli", "arith.mulf"},
                                           {"and", "arith.andi", ""},           {"or", "arith.ori", ""},
                                           {"xor", "arith.xori", ""}};
  char name[32];
  snprintf(name, sizeof name, "arith.%.*s", NR_STR_ARG(kind));
  for (size_t i = 0; i < NR_COUNTOF(spelled); i++)
    if (nr_str_is(kind, spelled[i][0]))
      snprintf(name, sizeof name, "%s", spelled[i][nr_type_is_float(nr_type_elem(value->type)) ? 2 : 1]);
  const NrOpInfo *info = nr_op_info_find(nr_str(name), NULL);
  return info ? nr_arith_binary(b, info->id, acc, value) : NULL;
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
