/* unique.c - Unique, of elements or of slices along an axis.
 *
 * The slices are rows of a matrix. The rows are sorted by each column with a stable sort, the last column first, so
 * that the first column is the primary key. Equal rows are then adjacent, in the order of the input. */
#include "onnx/lower/core/body.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/qmatmul.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/core/kernel.h"

typedef struct Rows {
  NrValue *x; /* [n, m] */
  NoriaDType dtype;
  NrValue *places, *column;
} Rows;

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

/* ---- sorting ---- */

static NrValue *column_body(NrLower *l, NrValue *const *indices, void *user) {
  const Rows *r = user;
  NrValue *where[2] = {nr_lower_as_index(l, at(l, r->places, indices[1])), r->column};
  return nr_lower_extract(l, r->x, where, 2);
}

static NrValue *iota_body(NrLower *l, NrValue *const *indices, void *user) {
  (void)user;
  return as_i64(l, indices[0]);
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

static NrStatus sort_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Rows r = *(const Rows *)user;
  NrShape row = {3, {nr_dim(1), nr_lower_dim(l, r.x, 0), nr_dim(1)}};
  NrValue *last = nr_dim_value(l, nr_dim_sub(l, nr_lower_dim(l, r.x, 1), nr_dim(1))), *order;
  r.places = carried[0];
  r.column = sub(l, last, iv);
  NrValue *values = nr_lower_generate(l, &row, r.x->type->elem, column_body, &r);
  NrStatus status = sort_row(l, values, r.dtype, &order);
  if (!status) next[0] = nr_lower_take(l, r.places, order, 0);
  return status;
}

/* ---- groups of equal rows ---- */

static NrValue *differ(NrLower *l, NrValue *a, NrValue *b) {
  if (!nr_type_is_float(a->type)) return nr_lower_cmpi(l, NR_CMPI_NE, a, b);
  a = nr_lower_widen(l, a);
  b = nr_lower_widen(l, b);
  /* NaNs are equal to each other. */
  NrValue *numbers = either(l, nr_lower_cmpf(l, NR_CMPF_ORD, a, a), nr_lower_cmpf(l, NR_CMPF_ORD, b, b));
  return both(l, nr_lower_cmpf(l, NR_CMPF_UNE, a, b), numbers);
}

static void differs_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Rows *r = user;
  NrValue *i = nr_lower_loop_index(l, 0), *c = nr_lower_loop_index(l, 1), *zero = nr_lower_index(l, 0);
  NrValue *first = nr_lower_cmpi(l, NR_CMPI_EQ, i, zero);
  NrValue *before = nr_lower_select(l, first, zero, sub(l, i, nr_lower_index(l, 1)));
  NrValue *here[2] = {nr_lower_as_index(l, at(l, r->places, i)), c};
  NrValue *there[2] = {nr_lower_as_index(l, at(l, r->places, before)), c};
  NrValue *other = differ(l, nr_lower_extract(l, r->x, here, 2), nr_lower_extract(l, r->x, there, 2));
  NrValue *starts = nr_lower_op1(l, NR_OP_arith_extui, nr_type_i64(l->ctx), either(l, first, other));
  results[0] = either(l, args[1], starts);
}

static NrValue *first_body(NrLower *l, NrValue *const *indices, void *user) {
  (void)user;
  NrValue *first = nr_lower_cmpi(l, NR_CMPI_EQ, indices[0], nr_lower_index(l, 0));
  return nr_lower_op1(l, NR_OP_arith_extui, nr_type_i64(l->ctx), first);
}

/* For each row in sorted order, 1 where a group begins, else 0. Rows without elements are equal: one group. */
static NrValue *group_starts(NrLower *l, const Rows *r) {
  NrAffineExpr d[2] = {nr_affine_dim(l->ctx, 0), nr_affine_dim(l->ctx, 1)};
  NrAttr maps[2] = {nr_attr_affine_map(l->ctx, 2, 0, d, 2), nr_attr_affine_map(l->ctx, 2, 0, d, 1)};
  NrShape list = {1, {nr_lower_dim(l, r->x, 0)}};
  NrValue *init = nr_lower_generate(l, &list, nr_type_i64(l->ctx), first_body, NULL), *x = r->x;
  return nr_op_result(nr_lower_generic(l, &x, 1, &init, 1, maps, "pr", differs_body, (void *)r));
}

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) { return add(l, args[0], args[1]); }

typedef struct Groups {
  NrValue *places, *starts;
} Groups;

/* Carries the first index of each group, the group of each row, the counts and the current group's number. */
static NrStatus group_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  const Groups *g = user;
  NrValue *start = at(l, g->starts, iv), *place = at(l, g->places, iv), *one = nr_lower_int(l, start->type, 1);
  NrValue *begins = nr_lower_cmpi(l, NR_CMPI_EQ, start, one);
  NrValue *group = add(l, carried[3], start), *slot = nr_lower_as_index(l, group);
  next[0] = put(l, carried[0], slot, nr_lower_select(l, begins, place, at(l, carried[0], slot)));
  next[1] = put(l, carried[1], nr_lower_as_index(l, place), group);
  NrValue *before = nr_lower_select(l, begins, nr_lower_int(l, start->type, 0), at(l, carried[2], slot));
  next[2] = put(l, carried[2], slot, add(l, before, one));
  next[3] = group;
  return NR_OK;
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

NrStatus nr_lower_unique(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t axis = 0;
  if (!nr_lower_attr(l, "axis")) {
    NrShape from = nr_lower_shape(l, x), flat = {1, {nr_shape_elements(l, &from, 0, from.rank)}};
    x = nr_lower_reshape(l, x, &flat);
  } else if (!nr_lower_axis(l, nr_lower_attr_int_or(l, "axis", 0), nr_rank(x), &axis))
    return NR_ERROR_INVALID;
  Rows r = {.x = x, .dtype = nr_lower_dtype(l, 0)};
  if (r.dtype == NORIA_STRING)
    r = (Rows){.x = ranks_of(l, x), .dtype = NORIA_I64};
  else if (r.dtype == NORIA_BOOL)
    r = (Rows){.x = nr_lower_cast_tensor(l, x, NORIA_BOOL, NORIA_U8), .dtype = NORIA_U8};
  r.x = as_rows(l, r.x, axis);
  if (nr_dtype_is_complex(r.dtype)) {
    r.x = parts_as_rows(l, r.x);
    r.dtype = nr_dtype_of(r.x->type);
  }
  NrType i64 = nr_type_i64(l->ctx);
  NrShape list = {1, {nr_lower_dim(l, r.x, 0)}};
  NrDim n = list.dims[0];
  r.places = nr_lower_generate(l, &list, i64, iota_body, NULL);
  NR_TRY(nr_lower_for(l, nr_lower_dim(l, r.x, 1), &r.places, 1, &r.places, sort_body, &r));
  Groups g = {r.places, group_starts(l, &r)};
  NrValue *total = nr_lower_reduce(l, g.starts, 1, false, nr_lower_int(l, i64, 0), NULL, sum_body, NULL);
  NrDim count = nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, total)));
  NrValue *lists[4] = {list_of(l, count), list_of(l, n), list_of(l, count), nr_lower_int(l, i64, -1)};
  NR_TRY(nr_lower_for(l, n, lists, 4, lists, group_body, &g));
  if (!nr_lower_attr_int(l, "sorted")) NR_TRY(order_by_place(l, lists));
  NR_TRY(nr_lower_out(l, 0, nr_lower_take(l, x, lists[0], axis), nr_lower_dtype(l, 0)));
  for (size_t i = 0; i < 3; i++) NR_TRY(nr_lower_out(l, i + 1, lists[i], NORIA_I64));
  return NR_OK;
}
