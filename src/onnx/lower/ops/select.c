/* select.c - results of data-dependent size: NonZero, Compress. The elements are counted first, then written. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/string.h"

/* Whether an element is not 0, as i1. NaN is not. */
static NrValue *is_set(NrLower *l, NrValue *x) {
  if (x->type == nr_type_i1(l->ctx)) return x;
  if (x->type->kind == NR_TYPE_COMPLEX)
    return nr_lower_op2(l, NR_OP_complex_neq, nr_type_i1(l->ctx), x, nr_lower_constant(l, x->type, 0));
  if (!nr_type_is_float(x->type)) return nr_lower_cmpi(l, NR_CMPI_NE, x, num(l, x, 0));
  x = nr_lower_widen(l, x);
  return nr_lower_cmpf(l, NR_CMPF_UNE, x, num(l, x, 0));
}

static NrValue *one_if_set(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_op1(l, NR_OP_arith_extui, nr_type_i64(l->ctx), is_set(l, args[0]));
}

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) { return add(l, args[0], args[1]); }

static NrDim count_set(NrLower *l, NrValue *x) {
  NrValue *zero = nr_lower_int(l, nr_type_i64(l->ctx), 0);
  NrValue *count = nr_lower_reduce(l, x, (UINT64_C(1) << nr_rank(x)) - 1, false, zero, one_if_set, sum_body, NULL);
  return nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, count)));
}

/* Writes the indices of the elements that are set; column n of the matrix is for the n-th one. */
typedef struct Places {
  NrValue *x;
  NrValue *const *indices;
} Places;

static NrStatus put_place(NrLower *l, NrValue *const *values, NrValue **next, void *user) {
  const Places *p = user;
  next[0] = values[0];
  for (size_t i = 0; i < nr_rank(p->x); i++) {
    NrValue *index = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), p->indices[i]);
    NrValue *operands[4] = {index, next[0], nr_lower_index(l, (int64_t)i), values[1]};
    next[0] = nr_build_value(&l->b, NR_OP_tensor_insert, values[0]->type, operands, 4);
  }
  next[1] = add(l, values[1], nr_lower_index(l, 1));
  return NR_OK;
}

static NrStatus place_body(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user) {
  Places p = {user, indices};
  NrValue *set = is_set(l, nr_lower_extract(l, p.x, indices, nr_rank(p.x)));
  return nr_lower_when(l, set, carried, 2, next, put_place, &p);
}

/* [rank, count] */
static NrStatus places(NrLower *l, NrValue *x, NrValue **out) {
  NrShape from = nr_lower_shape(l, x), shape = {2, {nr_dim((int64_t)from.rank), count_set(l, x)}};
  NrValue *carried[2] = {nr_lower_empty(l, &shape, nr_type_i64(l->ctx)), nr_lower_index(l, 0)};
  NrStatus status = nr_lower_nest(l, &from, carried, 2, carried, place_body, x);
  *out = carried[0];
  return status;
}

static NrValue *not_body(NrLower *l, NrValue *const *a, void *user) {
  return same2(l, NR_OP_arith_xori, a[0], num(l, a[0], 1));
}

/* Which strings are not empty. */
static NrValue *not_empty(NrLower *l, NrValue *strings) {
  NrValue *empty = nr_lower_from_scalar(l, nr_lower_constant(l, strings->type->elem, 0));
  NrValue *equal = nr_lower_string_equal(l, (NrValue *[]){strings, empty});
  return nr_lower_map(l, &equal, 1, NULL, not_body, NULL);
}

NrStatus nr_lower_nonzero(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *result;
  if (nr_lower_dtype(l, 0) == NORIA_STRING) x = not_empty(l, x);
  NrShape one = {1, {nr_dim(1)}};
  if (nr_rank(x) == 0) x = nr_lower_reshape(l, x, &one);
  NrStatus status = places(l, x, &result);
  return status ? status : nr_lower_out(l, 0, result, NORIA_I64);
}

NrStatus nr_lower_compress(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *wanted = nr_lower_in(l, 1), *found;
  size_t axis = 0;
  if (nr_lower_dtype(l, 1) != NORIA_BOOL || nr_rank(wanted) != 1)
    return nr_lower_error(l, "the condition must be a list of booleans");
  if (nr_lower_attr(l, "axis")) {
    if (!nr_lower_axis(l, nr_lower_attr_int_or(l, "axis", 0), nr_rank(x), &axis)) return NR_ERROR_INVALID;
  } else {
    NrShape from = nr_lower_shape(l, x), flat = {1, {nr_shape_elements(l, &from, 0, from.rank)}};
    x = nr_lower_reshape(l, x, &flat);
  }
  /* A condition may be shorter or longer than the dim. */
  NrDim size = nr_dim_min(l, nr_lower_dim(l, wanted, 0), nr_lower_dim(l, x, axis));
  NR_TRY(places(l, nr_lower_slice_axis(l, wanted, 0, nr_dim(0), size, nr_dim(1)), &found));
  NrShape flat = {1, {nr_lower_dim(l, found, 1)}};
  return nr_lower_out(l, 0, nr_lower_take(l, x, nr_lower_reshape(l, found, &flat), axis), nr_lower_dtype(l, 0));
}
