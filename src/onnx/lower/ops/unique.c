/* unique.c - Unique, of elements or of slices along an axis, which are the rows of a matrix: by the kernel
 * lib/unique_row_places.mlir. */
#include "onnx/lower/core/body.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/core/kernel.h"

static NrValue *at(NrLower *l, NrValue *list, NrValue *i) { return nr_lower_extract(l, list, &i, 1); }

static NrValue *as_i64(NrLower *l, NrValue *index) {
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), index);
}

static NrValue *put(NrLower *l, NrValue *list, NrValue *i, NrValue *value) {
  NrValue *operands[3] = {value, list, i};
  return nr_build_value(&l->b, NR_OP_tensor_insert, list->type, operands, 3);
}

static NrValue *list_of(NrLower *l, NrDim n) {
  NrShape shape = {1, {n}};
  return nr_lower_empty(l, &shape, nr_type_i64(l->ctx));
}

/* The indices of the row [1, n, 1] in ascending order of its elements. */
static NrStatus sort_row(NrLower *l, NrValue *row, NoriaDType dtype, NrValue **out) {
  NrDim n = nr_lower_dim(l, row, 1);
  NrShape flat = {1, {n}};
  NrValue *sorted[2];
  NrStatus status = nr_lower_top(l, row, dtype, false, n, sorted);
  if (!status) *out = nr_lower_reshape(l, sorted[1], &flat);
  return status;
}

static NrStatus invert_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  next[0] = put(l, carried[0], nr_lower_as_index(l, at(l, user, iv)), as_i64(l, iv));
  return NR_OK;
}

/* Reorders groups by their first occurrence: lists[0] first indices, lists[1] group of each row, lists[2] counts. */
static NrStatus order_by_place(NrLower *l, NrValue *lists[3]) {
  NrDim count = nr_lower_dim(l, lists[0], 0);
  NrShape row = {3, {nr_dim(1), count, nr_dim(1)}};
  NrValue *order, *position = list_of(l, count);
  NrStatus status = sort_row(l, nr_lower_reshape(l, lists[0], &row), NORIA_I64, &order);
  if (!status) status = nr_lower_for(l, count, &position, 1, &position, invert_body, order);
  if (status) return status;
  lists[0] = nr_lower_take(l, lists[0], order, 0);
  lists[1] = nr_lower_take(l, position, lists[1], 0);
  lists[2] = nr_lower_take(l, lists[2], order, 0);
  return NR_OK;
}

/* ---- the op ---- */

/* The slices along axis as rows. */
static NrValue *as_rows(NrLower *l, NrValue *x, size_t axis) {
  size_t rank = nr_rank(x), perm[NORIA_MAX_RANK] = {axis};
  for (size_t i = 0, next = 1; i < rank; i++)
    if (i != axis) perm[next++] = i;
  NrValue *moved = nr_lower_transpose(l, x, perm);
  NrShape shape = nr_lower_shape(l, moved), rows = {2, {shape.dims[0], nr_shape_elements(l, &shape, 1, rank)}};
  return nr_lower_reshape(l, moved, &rows);
}

/* Strings as their places in the order of all of them. */
static NrValue *ranks_of(NrLower *l, NrValue *strings) {
  NrShape shape = nr_lower_shape(l, strings);
  NrValue *ranks = nr_lower_call(l, "string_rank", &strings, 1, nr_open_tensor_type(1, nr_type_i64(l->ctx)));
  return nr_lower_reshape(l, ranks, &shape);
}

/* Rows of complex numbers as rows of their parts, the real one first, as NumPy orders them. */
static NrValue *parts_as_rows(NrLower *l, NrValue *rows) {
  NrShape shape = nr_lower_shape(l, rows), single = {3, {shape.dims[0], shape.dims[1], nr_dim(1)}};
  NrShape flat = {2, {shape.dims[0], nr_dim_mul(l, shape.dims[1], nr_dim(2))}};
  NrValue *parts[2];
  for (size_t i = 0; i < 2; i++)
    parts[i] = nr_lower_reshape(l, nr_lower_parts_of(l, rows, i ? NR_IMAGINARY : NR_REAL), &single);
  return nr_lower_reshape(l, nr_lower_concat(l, parts, 2, 2), &flat);
}

/* lists[0]: the place of the first row of each group of equal ones, lists[1]: the group of each row, lists[2]: how many
 * rows each group has. */
static NrStatus find_rows(NrLower *l, NrValue *rows, NoriaDType dtype, NrValue *lists[3]) {
  NR_TRY(nr_lower_ordered(l, rows, dtype));
  NrBuf prelude = {0};
  nr_kernel_prelude(l->ctx, &prelude, dtype, false);
  NrValue *equal_nan = nr_lower_int(l, nr_type_i1(l->ctx), 1), *args[2] = {rows, equal_nan};
  NrStatus status =
      nr_lower_kernel(l, "unique_row_places", (NrStr){prelude.data, prelude.size}, args, 2, lists, 3);
  nr_buf_deinit(&prelude);
  if (!status) nr_lower_set_dim(l, lists[1], 0, nr_lower_dim(l, rows, 0));
  return status;
}

NrStatus nr_lower_unique(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t axis = 0;
  if (!nr_lower_attr(l, "axis")) {
    NrShape from = nr_lower_shape(l, x), flat = {1, {nr_shape_elements(l, &from, 0, from.rank)}};
    x = nr_lower_reshape(l, x, &flat);
  } else if (!nr_lower_axis(l, nr_lower_attr_int_or(l, "axis", 0), nr_rank(x), &axis))
    return NR_ERROR_INVALID;
  NrValue *rows = x;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  if (dtype == NORIA_STRING) {
    rows = ranks_of(l, x);
    dtype = NORIA_I64;
  } else if (dtype == NORIA_BOOL) {
    rows = nr_lower_cast_tensor(l, x, NORIA_BOOL, NORIA_U8);
    dtype = NORIA_U8;
  }
  rows = as_rows(l, rows, axis);
  if (nr_dtype_is_complex(dtype)) {
    rows = parts_as_rows(l, rows);
    dtype = nr_dtype_of(rows->type);
  }
  NrValue *lists[3];
  NR_TRY(find_rows(l, rows, dtype, lists));
  if (!nr_lower_attr_int(l, "sorted")) NR_TRY(order_by_place(l, lists));
  NR_TRY(nr_lower_out(l, 0, nr_lower_take(l, x, lists[0], axis), nr_lower_dtype(l, 0)));
  for (size_t i = 0; i < 3; i++) NR_TRY(nr_lower_out(l, i + 1, lists[i], NORIA_I64));
  return NR_OK;
}
