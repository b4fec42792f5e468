/* canonicalize_shapes.c - rewrites of broadcast, transpose, shape_cast and bitcast, which rearrange elements.
 *
 *   before  %1 = vector.broadcast %x : vector<4xf32> to vector<1x1x4xf32>      after  %2 = vector.broadcast %x : ..
 *           %2 = vector.shape_cast %1 : vector<1x1x4xf32> to vector<1x4xf32>
 */
#include "dialect/arith/fold.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"

/* Replaces an op that rearranges poison by poison. */
bool nr_vector_of_poison(NrOp *op, const NrValue *vector, NrBuilder *b) {
  if (!nr_op_is(vector->op, NR_OP_ub_poison)) return false;
  return nr_op_replace(op, nr_build_value(b, NR_OP_ub_poison, nr_op_result(op)->type, NULL, 0));
}

/* The number of leading dims of size 1. */
static uint32_t leading_ones(NrType type) {
  uint32_t count = 0;
  while (count < type->rank && type->dims[count] == 1) count++;
  return count;
}

bool nr_vector_broadcast_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_vector_broadcast_source(op);
  NrOp *first = source->op;
  NrType type = nr_op_result(op)->type;
  if (nr_vector_of_poison(op, source, b)) return true;
  if (nr_op_is(first, NR_OP_vector_broadcast)) {
    nr_op_set_operand(op, NR_VECTOR_BROADCAST_SOURCE, nr_vector_broadcast_source(first));
    return true;
  }
  if (!nr_op_is(first, NR_OP_vector_shape_cast) || type->scalable) return false;
  /* A shape_cast that only adds or drops leading dims of size 1 can be skipped: broadcast adds them. */
  NrType from = nr_vector_shape_cast_source(first)->type, middle = nr_vector_broadcast_source(op)->type;
  uint32_t skipped = leading_ones(from), ones = leading_ones(middle), rest = middle->rank - ones;
  if (from->rank > type->rank || from->rank - skipped != rest) return false;
  if (rest && memcmp(from->dims + skipped, middle->dims + ones, rest * sizeof *from->dims) != 0) return false;
  nr_op_set_operand(op, NR_VECTOR_BROADCAST_SOURCE, nr_vector_shape_cast_source(first));
  return true;
}

/* Replaces an op that rearranges a broadcast scalar by a broadcast of the scalar. */
bool nr_vector_of_one_scalar(NrOp *op, const NrValue *vector, NrBuilder *b) {
  NrValue *scalar = nr_vector_broadcast_scalar(vector);
  return scalar && nr_op_replace(op, nr_build_broadcast(b, scalar, nr_op_result(op)->type));
}

bool nr_vector_transpose_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  (void)constants;
  const int64_t *permutation = nr_index_list_statics(op, "permutation");
  for (uint32_t i = 0; i < nr_op_result(op)->type->rank; i++)
    if (permutation[i] != i) return false;
  return nr_fold_to_value(out, nr_vector_transpose_vector(op));
}

/* Whether a transpose moves dims of size 1 only, so that the order of elements stays. */
static bool keeps_order(const NrOp *transpose) {
  const int64_t *permutation = nr_index_list_statics(transpose, "permutation");
  NrType from = nr_vector_transpose_vector(transpose)->type;
  int64_t last = -1;
  if (from->scalable) return false;
  for (uint32_t i = 0; i < from->rank; i++) {
    if (from->dims[permutation[i]] == 1) continue;
    if (permutation[i] < last) return false;
    last = permutation[i];
  }
  return true;
}

/* Replaces the transpose of a broadcast by a broadcast, if it only moves dims along which the source is repeated. */
static bool transpose_broadcast(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_vector_broadcast_source(nr_vector_transpose_vector(op)->op);
  const int64_t *permutation = nr_index_list_statics(op, "permutation");
  NrType type = nr_op_result(op)->type;
  if (type->scalable || source->type->kind != NR_TYPE_VECTOR) return false;
  uint32_t more = type->rank - source->type->rank;
  for (uint32_t i = more; i < type->rank; i++)
    if (source->type->dims[i - more] != 1 && permutation[i] != i) return false;
  return nr_op_replace(op, nr_build_broadcast(b, source, type));
}

/* Replaces the transpose of a mask by a mask of the permuted sizes. */
static bool transpose_mask(NrOp *op, NrBuilder *b) {
  NrOp *mask = nr_vector_transpose_vector(op)->op;
  const int64_t *permutation = nr_index_list_statics(op, "permutation");
  NrType type = nr_op_result(op)->type;
  NrValue *operands[NR_MAX_RANK];
  int64_t sizes[NR_MAX_RANK];
  bool constant = nr_op_is(mask, NR_OP_vector_constant_mask);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (constant) sizes[i] = nr_index_list_statics(mask, "mask_dim_sizes")[permutation[i]];
    else operands[i] = nr_operand(mask, (uint32_t)permutation[i]);
  }
  return nr_op_replace(op, constant ? nr_vector_constant_mask(b, type, sizes)
                                    : nr_build_value(b, NR_OP_vector_create_mask, type, operands, type->rank));
}

bool nr_vector_transpose_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *vector = nr_vector_transpose_vector(op);
  NrOp *first = vector->op;
  if (nr_vector_of_poison(op, vector, b) || nr_vector_of_one_scalar(op, vector, b)) return true;
  switch (first ? first->info->id : NR_OP_unregistered) {
  case NR_OP_vector_transpose: break;
  case NR_OP_vector_broadcast: return transpose_broadcast(op, b);
  case NR_OP_vector_create_mask:
  case NR_OP_vector_constant_mask: return transpose_mask(op, b);
  case NR_OP_vector_shape_cast:
    return keeps_order(op) &&
           nr_op_replace(op, nr_build_shape_cast(b, nr_vector_shape_cast_source(first), nr_op_result(op)->type));
  default: return false;
  }
  const int64_t *outer = nr_index_list_statics(op, "permutation"), *inner = nr_index_list_statics(first, "permutation");
  int64_t both[NR_MAX_RANK];
  for (uint32_t i = 0; i < nr_op_result(op)->type->rank; i++) both[i] = inner[outer[i]];
  nr_op_set_attr(op, NR_A_permutation, nr_attr_i64_array(b->ctx, both, nr_op_result(op)->type->rank));
  nr_op_set_operand(op, NR_VECTOR_TRANSPOSE_VECTOR, nr_vector_transpose_vector(first));
  return true;
}

/* Whether the last dims of type are those of part. */
static bool ends_in(NrType type, NrType part) {
  if (part->rank > type->rank) return false;
  for (uint32_t i = 1; i <= part->rank; i++)
    if (type->dims[type->rank - i] != part->dims[part->rank - i]) return false;
  return true;
}

/* Replaces the shape_cast of a broadcast to new leading dims: by a shape_cast of the source when it is not repeated, by
 * a broadcast when the result ends in the source's dims too. */
static bool cast_broadcast(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_vector_broadcast_source(nr_vector_shape_cast_source(op)->op);
  NrType type = nr_op_result(op)->type;
  int64_t before, after;
  if (source->type->kind != NR_TYPE_VECTOR || type->scalable || source->type->scalable) return false;
  if (!nr_type_num_elements(source->type, &before) || !nr_type_num_elements(type, &after)) return false;
  if (before == after) return nr_op_replace(op, nr_build_shape_cast(b, source, type));
  if (!ends_in(nr_vector_shape_cast_source(op)->type, source->type) || !ends_in(type, source->type)) return false;
  return nr_op_replace(op, nr_build_broadcast(b, source, type));
}

bool nr_vector_shape_cast_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  NrOp *def = source->op;
  bool bits = nr_op_is(op, NR_OP_vector_bitcast);
  if (nr_vector_of_poison(op, source, b) || (!bits && nr_vector_of_one_scalar(op, source, b))) return true;
  if (!bits && nr_op_is(def, NR_OP_vector_broadcast) && cast_broadcast(op, b)) return true;
  bool passed = nr_op_is(def, op->info->id) || (!bits && nr_op_is(def, NR_OP_vector_transpose) && keeps_order(def));
  if (!passed) return false;
  nr_op_set_operand(op, nr_op_source_index(op), nr_op_only_operand(def));
  return true;
}
