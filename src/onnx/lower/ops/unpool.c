/* unpool.c - MaxUnpool: writes each element to the index that MaxPool took it from; all others are 0. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"

typedef struct Unpool {
  NrValue *x, *places;
  NrDim total; /* elements of the result */
} Unpool;

static NrStatus place_body(NrLower *l, NrValue *const *indices, NrValue *const *carried, NrValue **next, void *user) {
  const Unpool *u = user;
  size_t rank = nr_rank(u->x);
  NrValue *at = nr_lower_position(l, nr_lower_extract(l, u->places, indices, rank), u->total);
  if (!at) return NR_ERROR_INVALID;
  NrValue *operands[3] = {nr_lower_extract(l, u->x, indices, rank), carried[0], at};
  next[0] = nr_build_value(&l->b, NR_OP_tensor_insert, carried[0]->type, operands, 3);
  return NR_OK;
}

/* The input shape of the pooling, from window sizes, strides and pads. */
static NrStatus pooled_shape(NrLower *l, NrValue *x, NrShape *out) {
  int64_t size[NORIA_MAX_RANK], stride[NORIA_MAX_RANK], pads[2 * NORIA_MAX_RANK];
  *out = nr_lower_shape(l, x);
  if (out->rank < 3) return nr_lower_error(l, "the input has rank %zu; pooling needs 3 or more", out->rank);
  size_t spatial = out->rank - 2;
  if (!nr_lower_window_list(l, "kernel_shape", spatial, 1, 1, size) ||
      !nr_lower_window_list(l, "strides", spatial, 1, 1, stride) ||
      !nr_lower_window_list(l, "pads", 2 * spatial, 0, INT32_MIN, pads))
    return NR_ERROR_INVALID;
  for (size_t i = 0; i < spatial; i++) {
    NrDim *dim = &out->dims[i + 2];
    NrDim last = nr_dim_mul(l, nr_dim_sub(l, *dim, nr_dim(1)), nr_dim(stride[i]));
    *dim = nr_dim_max(l, nr_dim_add(l, last, nr_dim(size[i] - pads[i] - pads[i + spatial])), nr_dim(0));
  }
  return NR_OK;
}

/* The indices refer to the input shape of the pooling; a larger output_shape is padded with zeros. */
NrStatus nr_lower_maxunpool(NrLower *l) {
  Unpool u = {.x = nr_lower_in(l, 0), .places = nr_lower_in(l, 1)};
  NrValue *wanted = nr_lower_in(l, 2);
  NrShape from = nr_lower_shape(l, u.x), pooled, to;
  if (nr_rank(u.places) != from.rank) return nr_lower_error(l, "input and indices must have one rank");
  for (size_t i = 0; i < from.rank; i++)
    if (!nr_lower_dims_agree(l, from.dims[i], nr_lower_dim(l, u.places, i), "dims of input and indices"))
      return NR_ERROR_INVALID;
  NR_TRY(pooled_shape(l, u.x, &pooled));
  u.total = nr_shape_elements(l, &pooled, 0, pooled.rank);
  NrType elem = u.x->type->elem;
  NrValue *result = nr_lower_zeros(l, &(NrShape){1, {u.total}}, elem);
  NR_TRY(nr_lower_nest(l, &from, &result, 1, &result, place_body, &u));
  result = nr_lower_reshape(l, result, &pooled);
  if (wanted) {
    if (!nr_lower_dims_operand(l, wanted, "output_shape", &to)) return NR_ERROR_INVALID;
    if (to.rank != from.rank)
      return nr_lower_error(l, "output_shape has %zu entries for rank %zu", to.rank, from.rank);
    bool larger = false;
    for (size_t i = 0; i < to.rank; i++) {
      if (!nr_lower_size(l, &to.dims[i]) ||
          !nr_lower_fits(l, pooled.dims[i], to.dims[i], "the pooled dim of %0 does not fit an output of %1"))
        return NR_ERROR_INVALID;
      larger |= !nr_dim_same(pooled.dims[i], to.dims[i]);
    }
    NrDim zeros[NORIA_MAX_RANK] = {{0}};
    if (larger) result = nr_lower_insert_slice(l, result, nr_lower_zeros(l, &to, elem), zeros);
  }
  return nr_lower_out(l, 0, result, nr_lower_dtype(l, 0));
}
