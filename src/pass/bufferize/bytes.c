/* bytes.c - reinterprets the bytes of a tensor as elements of another width.
 *
 *   tensor<4xi32> as i64    tensor<2xi64>: element i is  x[2 * i] | x[2 * i + 1] << 32
 *   tensor<2xi64> as i32    tensor<4xi32>: element (i, k) of 2x2 is  x[i] >> 32 * k
 *
 * Elements are treated as the integers that they are in memory, little-endian. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"
#include "pass/bufferize/bufferize.h"

static NrType stored_as(NrType elem) { return nr_type_int(elem->ctx, 8 * (uint32_t)nr_type_byte_size(elem)); }

static NrValue *cast(NrBuilder *b, unsigned op_id, NrValue *x, NrType type) {
  return x->type == type ? x : nr_build_value(b, op_id, type, &x, 1);
}

/* Converts an element to the integer that it is in memory; from_stored converts back. */
static NrValue *to_stored(NrBuilder *b, NrValue *x) {
  NrType stored = stored_as(x->type), bits = nr_type_int(b->ctx, nr_type_bits(x->type));
  return cast(b, NR_OP_arith_extui, cast(b, NR_OP_arith_bitcast, x, bits), stored);
}

static NrValue *from_stored(NrBuilder *b, NrValue *x, NrType elem) {
  x = cast(b, NR_OP_arith_trunci, x, nr_type_int(b->ctx, nr_type_bits(elem)));
  return cast(b, NR_OP_arith_bitcast, x, elem);
}

/* The bit of the wider element at which the current part begins. */
static NrValue *part_shift(NrBuilder *b, NrType wide, NrType part) {
  NrOp *index = nr_build_op(b, NR_OP_linalg_index, NULL, 0, (NrType[]){nr_type_index(b->ctx)}, 1);
  nr_op_set_attr(index, NR_A_dim, nr_attr_i64(b->ctx, 1));
  NrValue *number = cast(b, NR_OP_arith_trunci, cast(b, NR_OP_arith_index_castui, nr_op_result(index),
                                                     nr_type_i64(b->ctx)), wide);
  return nr_arith_binary(b, NR_OP_arith_muli, number, nr_arith_constant_int(b, wide, part->width));
}

/* Converts between element widths. One of from and to is 1-D, the other has n x parts elements. */
static NrValue *convert(NrBuilder *b, NrValue *from, NrValue *to) {
  bool splits = to->type->rank == 2;
  NrAffineExpr dims[2] = {nr_affine_dim(b->ctx, 0), nr_affine_dim(b->ctx, 1)};
  NrAttr one = nr_attr_affine_map(b->ctx, 2, 0, dims, 1), two = nr_attr_affine_map(b->ctx, 2, 0, dims, 2);
  NrAttr maps[2] = {splits ? one : two, splits ? two : one};
  NrOp *generic = nr_build_generic(b, &from, 1, &to, 1, maps, splits ? "pp" : "pr");
  NrBlock *block = nr_op_only_body(generic);
  NrBuilder body = nr_builder_at_end(b->module, block, generic->loc);
  NrType elem = to->type->elem, wide = stored_as(splits ? from->type->elem : elem);
  NrType part = stored_as(splits ? elem : from->type->elem);
  NrValue *x = to_stored(&body, nr_block_arg(block, 0)), *shift = part_shift(&body, wide, part);
  if (splits) {
    x = cast(&body, NR_OP_arith_trunci, nr_arith_binary(&body, NR_OP_arith_shrui, x, shift), part);
  } else {
    x = nr_arith_binary(&body, NR_OP_arith_shli, cast(&body, NR_OP_arith_extui, x, wide), shift);
    x = nr_arith_binary(&body, NR_OP_arith_ori, nr_block_arg(block, 1), x);
  }
  if (splits) x = from_stored(&body, x, elem);
  nr_build_op(&body, NR_OP_linalg_yield, &x, 1, NULL, 0);
  return nr_op_result(generic);
}

/* Converts a 1-D tensor of stored integers to a tensor of `elem`. */
static NrValue *element_wise(NrBuilder *b, NrValue *row, NrType elem) {
  NrIndex dims[1] = {nr_dim_build(b, row, 0)};
  NrValue *to = nr_build_empty(b, elem, dims, 1);
  NrAttr maps[2] = {nr_attr_affine_identity(b->ctx, 1), nr_attr_affine_identity(b->ctx, 1)};
  NrOp *generic = nr_build_generic(b, &row, 1, &to, 1, maps, "p");
  NrBlock *block = nr_op_only_body(generic);
  NrBuilder body = nr_builder_at_end(b->module, block, generic->loc);
  NrValue *x = from_stored(&body, nr_block_arg(block, 0), elem);
  nr_build_op(&body, NR_OP_linalg_yield, &x, 1, NULL, 0);
  return nr_op_result(generic);
}

NrValue *nr_bytes_as(NrBuilder *b, NrValue *row, NrType elem) {
  int64_t have = (int64_t)nr_type_byte_size(row->type->elem), want = (int64_t)nr_type_byte_size(elem);
  NrGroups groups = {.count = 1, .begin = {0}, .size = {2}};
  NrIndex dims[2] = {nr_dim_build(b, row, 0), nr_index_const(have / want)};
  if (have > want)
    return nr_build_collapse_shape(b, convert(b, row, nr_build_empty(b, elem, dims, 2)), &groups);
  int64_t parts = want / have;
  NrValue *by = nr_arith_constant_index(b, parts);
  dims[0] = dims[0].value ? nr_index_of(nr_arith_binary(b, NR_OP_arith_divui, dims[0].value, by))
                          : nr_index_const(dims[0].constant / parts);
  dims[1] = nr_index_const(parts);
  NrType stored = stored_as(elem);
  NrValue *zeros = nr_build_fill(b, nr_arith_constant_int(b, stored, 0), nr_build_empty(b, stored, dims, 1));
  return element_wise(b, convert(b, nr_build_expand_shape(b, row, &groups, dims, 2), zeros), elem);
}
