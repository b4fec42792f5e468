/* check_lanes.c - the checks of check-bounds for vectors in memory: each lane that is read or written is inside every
 * dim. An access past the end of a row is out of bounds even where the next row follows, because dialect `vector` does
 * not define it. The message names the smallest index out of bounds, as the interpreter does. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"
#include "pass/core/checks.h"

#include <stdio.h>

static const char out_of_bounds[] = "index %%0 of dim %u is out of bounds: the dim is %%1";

static void fail_unless(NrBuilder *b, NrOp *op, NrValue *inside, uint32_t d, NrValue *wrong, NrValue *size) {
  char text[96];
  snprintf(text, sizeof text, out_of_bounds, d);
  nr_check_unless(b, op, inside, text, (NrValue *[]){wrong, size}, 2);
}

/* Checks an access to `extent` elements of a dim from index on. */
static void check_range(NrBuilder *b, NrOp *op, NrValue *base, uint32_t d, NrValue *index, int64_t extent) {
  NrValue *size = nr_check_size_of(b, base, d), *wrong = index;
  /* As an unsigned number, a negative index is larger than any size. */
  NrValue *inside = nr_arith_cmpi(b, NR_CMPI_ULT, index, size);
  if (extent > 1) {
    NrValue *end = nr_arith_binary(b, NR_OP_arith_subi, size, nr_arith_constant_index(b, extent - 1));
    wrong = nr_arith_select(b, inside, size, index);
    inside = nr_arith_binary(b, NR_OP_arith_andi, inside, nr_arith_cmpi(b, NR_CMPI_SLT, index, end));
  }
  fail_unless(b, op, inside, d, wrong, size);
}

void nr_check_indices(NrOp *op, NrValue *base, size_t first, NrType vector) {
  NrBuilder b = nr_builder_before(op);
  uint32_t rank = base->type->rank, lanes = vector && base->type->elem != vector ? NR_MIN(vector->rank, rank) : 0;
  for (uint32_t d = 0; d < rank; d++) {
    int64_t extent = d + lanes >= rank ? vector->dims[d + vector->rank - rank] : 1;
    check_range(&b, op, base, d, nr_operand(op, first + d), extent);
  }
}

/* ---- with a mask ------------------------------------------------------------------------------------------------ */

/* The 1-D vector type with as many elements as `like`; masks of any rank are flattened. */
static NrType row_type(NrType like, NrType elem) {
  int64_t count = 1;
  nr_type_num_elements(like, &count);
  return nr_type_vector(&count, 1, elem);
}

static NrValue *as_row(NrBuilder *b, NrValue *vector) {
  return nr_build_shape_cast(b, vector, row_type(vector->type, vector->type->elem));
}

static NrValue *not(NrBuilder *b, NrValue *v) {
  NrValue *on = nr_arith_constant(b, nr_attr_bool(b->ctx, true));
  if (v->type->kind == NR_TYPE_VECTOR) on = nr_build_broadcast(b, on, v->type);
  return nr_arith_binary(b, NR_OP_arith_xori, v, on);
}

/* Builds a constant: for each lane of a vector of this shape, its index in dim k. */
static NrValue *lane_offsets(NrBuilder *b, NrType shape, uint32_t k) {
  int64_t count = 1, below = 1;
  nr_type_num_elements(shape, &count);
  for (uint32_t d = k + 1; d < shape->rank; d++) below *= shape->dims[d];
  int64_t *offsets = nr_calloc((size_t)count, sizeof *offsets);
  for (int64_t i = 0; i < count; i++) offsets[i] = i / below % shape->dims[k];
  NrType type = row_type(shape, nr_type_index(b->ctx));
  NrValue *value = nr_arith_constant(b, nr_attr_dense(type, offsets, (size_t)count * sizeof *offsets));
  nr_free(offsets);
  return value;
}

/* Checks a dim in which the active lanes access index + offsets; when offsets is NULL, all access index. */
static void check_set(NrBuilder *b, NrOp *op, NrValue *base, uint32_t d, NrValue *index, NrValue *mask,
                      NrValue *offsets) {
  NrValue *size = nr_check_size_of(b, base, d);
  if (!offsets) {
    NrValue *none = not(b, nr_build_reduction(b, "or", mask, NULL, NULL));
    NrValue *inside = nr_arith_cmpi(b, NR_CMPI_ULT, index, size);
    fail_unless(b, op, nr_arith_binary(b, NR_OP_arith_ori, inside, none), d, index, size);
    return;
  }
  NrType type = offsets->type;
  NrValue *at = nr_arith_binary(b, NR_OP_arith_addi, nr_build_broadcast(b, index, type), offsets);
  NrValue *inside = nr_arith_cmpi(b, NR_CMPI_ULT, at, nr_build_broadcast(b, size, type));
  NrValue *fine = nr_arith_binary(b, NR_OP_arith_ori, inside, not(b, mask));
  NrValue *max = nr_build_broadcast(b, nr_arith_constant_index(b, INT64_MAX), type);
  NrValue *wrong = nr_build_reduction(b, "minsi", nr_arith_select(b, fine, max, at), NULL, NULL);
  fail_unless(b, op, nr_build_reduction(b, "and", fine, NULL, NULL), d, wrong, size);
}

/* Checks the last dim of a compress or expand, whose active lanes are contiguous in memory. */
static void check_packed(NrBuilder *b, NrOp *op, NrValue *base, uint32_t d, NrValue *index, NrValue *mask) {
  NrValue *size = nr_check_size_of(b, base, d), *zero = nr_arith_constant_index(b, 0);
  NrType wide = row_type(mask->type, nr_type_i64(b->ctx));
  NrValue *ones = nr_build_value(b, NR_OP_arith_extui, wide, &mask, 1);
  NrValue *sum = nr_build_reduction(b, "add", ones, NULL, NULL);
  NrValue *count = nr_build_value(b, NR_OP_arith_index_cast, nr_type_index(b->ctx), &sum, 1);
  NrValue *begins = nr_arith_cmpi(b, NR_CMPI_ULT, index, size);
  NrValue *left = nr_arith_binary(b, NR_OP_arith_subi, size, index);
  NrValue *fits = nr_arith_binary(b, NR_OP_arith_andi, begins, nr_arith_cmpi(b, NR_CMPI_ULE, count, left));
  fits = nr_arith_binary(b, NR_OP_arith_ori, fits, nr_arith_cmpi(b, NR_CMPI_EQ, count, zero));
  fail_unless(b, op, fits, d, nr_arith_select(b, begins, size, index), size);
}

void nr_check_masked(NrOp *op, NrMaskedKind kind) {
  NrBuilder b = nr_builder_before(op);
  NrValue *base = nr_op_base(op), *mask = nr_op_mask(op);
  size_t first = nr_op_indices(op).begin;
  NrType shape = mask->type;
  uint32_t rank = base->type->rank;
  if (shape->scalable) return;
  mask = as_row(&b, mask);
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *index = nr_operand(op, first + d), *offsets = NULL;
    bool last = d + 1 == rank;
    if (kind == NR_MASKED_PACKED && last) {
      check_packed(&b, op, base, d, index, mask);
      continue;
    }
    if (kind == NR_MASKED_INDEXED && last) {
      offsets = as_row(&b, nr_op_index_vec(op));
      NrType type = row_type(shape, nr_type_index(b.ctx));
      if (offsets->type != type) offsets = nr_build_value(&b, NR_OP_arith_index_cast, type, &offsets, 1);
    }
    if (kind == NR_MASKED_ROWS && d + shape->rank >= rank) offsets = lane_offsets(&b, shape, d + shape->rank - rank);
    check_set(&b, op, base, d, index, mask, offsets);
  }
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

/* Checks vector dims that are marked in_bounds, and all other dims. A mask has the vector's dims, in the base's
 * order. */
void nr_check_transfer(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  bool reads = nr_op_is(op, NR_OP_vector_transfer_read);
  size_t first = reads ? NR_VECTOR_TRANSFER_READ_INDICES : NR_VECTOR_TRANSFER_WRITE_INDICES;
  NrValue *base = nr_transfer_base(op), *mask = nr_transfer_mask(op);
  NrAttr map = nr_op_attr(op, NR_A_permutation_map);
  NrType shape = mask ? mask->type : NULL;
  if (nr_transfer_vector_type(op)->scalable) return;
  if (mask) mask = as_row(&b, mask);
  for (uint32_t d = 0, moved = 0; d < base->type->rank; d++) {
    int64_t extent = 1;
    bool asks = true, moves = false;
    for (uint32_t r = 0; r < map->num_exprs; r++) {
      if (map->exprs[r]->kind != NR_AFFINE_DIM || map->exprs[r]->value != (int64_t)d) continue;
      moves = true;
      asks = nr_transfer_in_bounds(op, r);
      extent = nr_transfer_vector_type(op)->dims[r];
    }
    NrValue *index = nr_operand(op, first + d);
    if (asks && mask) check_set(&b, op, base, d, index, mask, moves ? lane_offsets(&b, shape, moved) : NULL);
    else if (asks) check_range(&b, op, base, d, index, extent);
    moved += moves;
  }
}
