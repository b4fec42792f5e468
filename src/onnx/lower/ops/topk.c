/* topk.c - TopK, by the kernel lib/topk.mlir. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/core/state.h"

NrStatus nr_lower_ordered(NrLower *l, NrValue *x, NoriaDType dtype) {
  uint32_t width = nr_type_elem(x->type)->width;
  /* No version of TopK or Unique has these. */
  if (nr_dtype_is_float(dtype) ? width < 16 : nr_dtype_is_int(dtype) && width < 8)
    return nr_lower_error(l, "elements are %s, which it does not order", nr_dtype_name(dtype));
  return NR_OK;
}

NrStatus nr_lower_top(NrLower *l, NrValue *x, NoriaDType dtype, bool largest, NrDim k, NrValue *out[2]) {
  NrBuf prelude = {0};
  NR_TRY(nr_lower_ordered(l, x, dtype));
  nr_kernel_prelude(l->ctx, &prelude, dtype, largest);
  NrValue *args[2] = {x, nr_dim_value(l, k)};
  NrStatus status = nr_lower_kernel(l, "topk", (NrStr){prelude.data, prelude.size}, args, 2, out, 2);
  nr_buf_deinit(&prelude);
  for (size_t i = 0; i < 2 && !status; i++)
    for (size_t d = 0; d < 3; d++) nr_lower_set_dim(l, out[i], d, d == 1 ? k : nr_lower_dim(l, x, d));
  return status;
}

/* The number of elements k: an attribute in the first version, later an input. */
static bool count_wanted(NrLower *l, NrDim along, NrDim *out) {
  if (l->version < 10)
    *out = nr_dim(nr_lower_attr_int(l, "k"));
  else if (nr_lower_takes(l, 1, NR_INTS))
    *out = nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, nr_lower_in(l, 1))));
  else
    return false;
  if (nr_dim_known(*out) && nr_dim_known(along) && (out->size < 0 || out->size > along.size))
    return nr_lower_error(l, "k is %lld, but there are %lld elements", (long long)out->size, (long long)along.size),
           false;
  NrValue *k = nr_dim_value(l, *out), *n = nr_dim_value(l, along);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULE, k, n), "k is %0, but there are %1 elements", (NrValue *[]){k, n}, 2);
  return true;
}

NrStatus nr_lower_topk(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0), *out[2];
  NrShape shape = nr_lower_shape(l, x);
  size_t axis;
  NrDim k;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), shape.rank, &axis)) return NR_ERROR_INVALID;
  if (!count_wanted(l, shape.dims[axis], &k)) return NR_ERROR_INVALID;
  NrShape rows = {
      3, {nr_shape_elements(l, &shape, 0, axis), shape.dims[axis], nr_shape_elements(l, &shape, axis + 1, shape.rank)}};
  bool largest = nr_lower_attr_int(l, "largest") != 0;
  NrStatus status = nr_lower_top(l, nr_lower_reshape(l, x, &rows), nr_lower_dtype(l, 0), largest, k, out);
  shape.dims[axis] = k;
  for (size_t i = 0; i < 2 && !status; i++)
    status = nr_lower_out(l, i, nr_lower_reshape(l, out[i], &shape), i ? NORIA_I64 : nr_lower_dtype(l, 0));
  return status;
}
