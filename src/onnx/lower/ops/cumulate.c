/* cumulate.c - CumSum and CumProd.
 *
 * The axis may be dynamic, so the tensor is reshaped to [before, along, after] with dynamic sizes. One loop runs over
 * `before`, an inner one over `along`, which carries a running row of `after`. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/state.h"

typedef struct Cumulate {
  NrValue *tensor;
  NrDim along, after;
  NrType work; /* element type of the running row */
  bool product, exclusive, reverse;
  NrValue *outer; /* index along the first dim */
} Cumulate;

static NrValue *combine_body(NrLower *l, NrValue *const *a, void *user) {
  const Cumulate *c = user;
  NrValue *x = nr_lower_widen(l, a[1]);
  return c->product ? mul(l, a[0], x) : add(l, a[0], x);
}

/* carried: result, running row. */
static NrStatus along_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Cumulate *c = user;
  nr_lower_set_dim(l, carried[1], 0, c->after);
  NrDim at = nr_dim_of_index(iv);
  if (c->reverse) at = nr_dim_sub(l, nr_dim_sub(l, c->along, nr_dim(1)), at);
  NrDim offsets[3] = {nr_dim_of_index(c->outer), at, nr_dim(0)}, sizes[3] = {nr_dim(1), nr_dim(1), c->after};
  NrShape row = {1, {c->after}}, slice = {3, {nr_dim(1), nr_dim(1), c->after}};
  NrValue *x = nr_lower_reshape(l, nr_lower_slice(l, c->tensor, offsets, sizes, NULL), &row);
  NrValue *sum = nr_lower_map(l, (NrValue *[]){carried[1], x}, 2, c->work, combine_body, c);
  if (!sum) return NR_ERROR_INVALID;
  NrValue *written = nr_lower_narrow_tensor(l, c->exclusive ? carried[1] : sum, c->tensor->type->elem);
  next[0] = nr_lower_insert_slice(l, nr_lower_reshape(l, written, &slice), carried[0], offsets);
  next[1] = sum;
  return NR_OK;
}

static NrStatus outer_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Cumulate *c = user;
  c->outer = iv;
  NrShape row = {1, {c->after}};
  NrValue *start = nr_lower_fill(l, &row, nr_lower_constant(l, c->work, c->product)), *out[2];
  NrStatus status = nr_lower_for(l, c->along, (NrValue *[]){carried[0], start}, 2, out, along_body, c);
  next[0] = out[0];
  return status;
}

/* The axis, counted from the front, as an index value. */
static NrValue *axis_index(NrLower *l, NrValue *tensor, size_t rank) {
  NrValue *axis = nr_lower_as_index(l, nr_lower_scalar(l, tensor)), *zero = nr_lower_index(l, 0);
  NrValue *n = nr_lower_index(l, (int64_t)rank);
  NrValue *at = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, axis, zero), add(l, axis, n), axis);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULT, at, n), "axis %0 is out of range for rank %1", (NrValue *[]){axis, n},
                 2);
  return at;
}

static NrStatus cumulate(NrLower *l, bool product) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS) || !nr_lower_takes(l, 1, NR_INTS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0), *axis_tensor = nr_lower_in(l, 1), *result;
  NrShape shape = nr_lower_shape(l, x), flat = {3, {nr_dim(1), nr_dim(1), nr_dim(1)}};
  int64_t known;
  size_t count, checked;
  if (nr_lower_const_ints(l, axis_tensor, &known, 1, &count) && count == 1 &&
      !nr_lower_axis(l, known, shape.rank, &checked))
    return NR_ERROR_INVALID;
  NrValue *axis = axis_index(l, axis_tensor, shape.rank);
  for (size_t i = 0; i < shape.rank; i++) {
    NrValue *here = nr_lower_index(l, (int64_t)i);
    NrValue *before = nr_lower_cmpi(l, NR_CMPI_SLT, here, axis), *at = nr_lower_cmpi(l, NR_CMPI_EQ, here, axis);
    NrDim d = shape.dims[i], one = nr_dim(1), after = nr_dim_select(l, before, one, nr_dim_select(l, at, one, d));
    flat.dims[0] = nr_dim_mul(l, flat.dims[0], nr_dim_select(l, before, d, one));
    flat.dims[1] = nr_dim_mul(l, flat.dims[1], nr_dim_select(l, at, d, one));
    flat.dims[2] = nr_dim_mul(l, flat.dims[2], after);
  }
  Cumulate c = {nr_lower_reshape(l, x, &flat), flat.dims[1], flat.dims[2], nr_lower_wide_type(x->type->elem), product};
  c.exclusive = nr_lower_attr_int(l, "exclusive") != 0;
  c.reverse = nr_lower_attr_int(l, "reverse") != 0;
  NrValue *empty = nr_lower_empty(l, &flat, x->type->elem);
  NrStatus status = nr_lower_for(l, flat.dims[0], &empty, 1, &result, outer_body, &c);
  return status ? status : nr_lower_out(l, 0, nr_lower_reshape(l, result, &shape), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_cumsum(NrLower *l) { return cumulate(l, false); }
NrStatus nr_lower_cumprod(NrLower *l) { return cumulate(l, true); }
