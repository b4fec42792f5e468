/* conv_transpose.c - ConvTranspose: each output element sums the kernel elements whose stride reaches it.
 *
 * rows[n, g, p.., c, k..] = x[n, g, c, t / s] where t = p + begin - k * d is a multiple of s inside the input, else 0;
 * then y[n, g, o, p..] = b[o] + sum rows * w[g, o, (c k..)]. */
#include <stdio.h>

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"

typedef struct Scatter {
  NrValue *x;
  const NrWindow *w;
  NrDim channels;
} Scatter;

static NrValue *rows_body(NrLower *l, NrValue *const *at, void *user) {
  const Scatter *s = user;
  size_t spatial = s->w->spatial;
  NrValue *indices[NORIA_MAX_RANK], *inside = nr_lower_int(l, nr_type_i1(l->ctx), 1), *zero = nr_lower_index(l, 0);
  indices[0] = at[0];
  indices[1] = same2(l, NR_OP_arith_addi, same2(l, NR_OP_arith_muli, at[1], nr_dim_value(l, s->channels)),
                        at[2 + spatial]);
  for (size_t i = 0; i < spatial; i++) {
    NrValue *stride = nr_lower_index(l, s->w->stride[i]);
    NrValue *t = same2(l, NR_OP_arith_addi, at[2 + i], nr_dim_value(l, s->w->begin[i]));
    t = same2(l, NR_OP_arith_subi, t,
                 same2(l, NR_OP_arith_muli, at[3 + spatial + i], nr_lower_index(l, s->w->dilation[i])));
    NrValue *fits = nr_lower_cmpi(l, NR_CMPI_SGE, t, zero), *safe = nr_lower_select(l, fits, t, zero);
    NrValue *quotient = same2(l, NR_OP_arith_divui, safe, stride);
    fits = both(l, fits, nr_lower_cmpi(l, NR_CMPI_EQ, same2(l, NR_OP_arith_remui, safe, stride), zero));
    fits = both(l, fits, nr_lower_cmpi(l, NR_CMPI_ULT, quotient, nr_dim_value(l, nr_lower_dim(l, s->x, i + 2))));
    indices[2 + i] = nr_lower_select(l, fits, quotient, zero);
    inside = both(l, inside, fits);
  }
  NrValue *element = nr_lower_extract(l, s->x, indices, spatial + 2);
  return nr_lower_select(l, inside, element, nr_lower_constant(l, element->type, 0));
}

/* The sizes of the output and its padding at the begin. */
static bool output_window(NrLower *l, NrValue *x, NrWindow *w) {
  const int64_t *values;
  size_t count;
  NrStr auto_pad = nr_lower_attr_str(l, "auto_pad");
  bool given = nr_lower_attr_ints(l, "output_shape", &values, &count), same = nr_str_starts(auto_pad, "SAME");
  int64_t extra[NORIA_MAX_RANK], pads[2 * NORIA_MAX_RANK];
  w->spatial = nr_rank(x) - 2;
  if (given && count != w->spatial && count != w->spatial + 2)
    return nr_lower_error(l, "output_shape has %zu entries for %zu spatial dims", count, w->spatial), false;
  if (!nr_lower_window_list(l, "strides", w->spatial, 1, 1, w->stride) ||
      !nr_lower_window_list(l, "dilations", w->spatial, 1, 1, w->dilation) ||
      !nr_lower_window_list(l, "output_padding", w->spatial, 0, 0, extra) ||
      !nr_lower_window_list(l, "pads", 2 * w->spatial, 0, INT32_MIN, pads))
    return false;
  for (size_t i = 0; i < w->spatial; i++) {
    NrDim n = nr_lower_dim(l, x, i + 2);
    NrDim full = nr_dim_mul(l, nr_dim_sub(l, n, nr_dim(1)), nr_dim(w->stride[i]));
    full = nr_dim_add(l, full, nr_dim(extra[i]));
    full = nr_dim_add(l, full, nr_dim_mul(l, nr_dim_sub(l, w->size[i], nr_dim(1)), nr_dim(w->dilation[i])));
    full = nr_dim_add(l, full, nr_dim(1));
    if (given || same) {
      size_t offset = given && count > w->spatial ? count - w->spatial : 0;
      w->out[i] = given ? nr_dim(values[offset + i]) : nr_dim_mul(l, n, nr_dim(w->stride[i]));
      NrDim total = nr_dim_max(l, nr_dim_sub(l, full, w->out[i]), nr_dim(0)), half = nr_dim_div(l, total, nr_dim(2));
      bool upper = nr_str_is(auto_pad, "SAME_UPPER");
      w->begin[i] = upper ? half : nr_dim_sub(l, total, half);
      continue;
    }
    bool valid = nr_str_is(auto_pad, "VALID");
    w->begin[i] = nr_dim(valid ? 0 : pads[i]);
    NrDim end = nr_dim(valid ? 0 : pads[i + w->spatial]);
    w->out[i] = nr_dim_max(l, nr_dim_sub(l, nr_dim_sub(l, full, w->begin[i]), end), nr_dim(0));
  }
  return true;
}

NrStatus nr_lower_convtranspose(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *k = nr_lower_in(l, 1), *bias = nr_lower_in(l, 2);
  size_t rank = nr_rank(x);
  int64_t group = nr_lower_attr_int(l, "group");
  if (rank < 3 || nr_rank(k) != rank)
    return nr_lower_error(l, "input and kernel have ranks %zu and %u; both must be 3 or more, and equal", rank,
                          nr_rank(k));
  if (2 * rank > NORIA_MAX_RANK || group < 1) return nr_lower_error(l, "too many spatial dims, or no group");
  NrShape sx = nr_lower_shape(l, x), sk = nr_lower_shape(l, k);
  NrWindow w = {0};
  if (!nr_lower_window_kernel(l, k, &w)) return NR_ERROR_INVALID;
  if (!output_window(l, x, &w)) return NR_ERROR_INVALID;
  NrDim groups = nr_dim(group), channels = nr_dim_div(l, sk.dims[0], groups), per_group = sk.dims[1];
  if (!nr_lower_dims_agree(l, sx.dims[1], sk.dims[0], "channels of input and kernel") ||
      !nr_lower_dims_agree(l, nr_dim_mul(l, channels, groups), sk.dims[0], "channels, and as many groups") ||
      (bias && !nr_lower_is_vector(l, 2, nr_dim_mul(l, per_group, groups))))
    return NR_ERROR_INVALID;
  NrDim taps = nr_shape_elements(l, &sk, 2, rank), depth = nr_dim_mul(l, channels, taps);
  /* The kernel as [g, o, (c k..)]. */
  static const size_t swap[4] = {0, 2, 1, 3};
  NrValue *flat =
      nr_lower_transpose(l, nr_lower_reshape(l, k, &(NrShape){4, {groups, channels, per_group, taps}}), swap);
  flat = nr_lower_reshape(l, flat, &(NrShape){3, {groups, per_group, depth}});
  NrShape rows = {2 * rank - 1, {sx.dims[0], groups}}, folded = {w.spatial + 3, {sx.dims[0], groups}};
  NrShape out = {rank + 1, {sx.dims[0], groups, per_group}},
          result = {rank, {sx.dims[0], nr_dim_mul(l, per_group, groups)}};
  char row_dims[NORIA_MAX_RANK + 4], out_dims[NORIA_MAX_RANK + 4], spatial[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < w.spatial; i++) {
    folded.dims[i + 2] = rows.dims[i + 2] = out.dims[i + 3] = result.dims[i + 2] = w.out[i];
    rows.dims[3 + w.spatial + i] = w.size[i];
    spatial[i] = (char)('a' + i);
  }
  rows.dims[2 + w.spatial] = channels;
  folded.dims[2 + w.spatial] = depth;
  snprintf(row_dims, sizeof row_dims, "ng%sq", spatial);
  snprintf(out_dims, sizeof out_dims, "ngo%s", spatial);
  /* Out of bounds, index 0 is read, so the input must not be empty. */
  for (size_t i = 2; i < rank; i++) nr_lower_expect_elements(l, "X", x, i, &rows);
  Scatter s = {x, &w, channels};
  NrType elem = x->type->elem;
  NrValue *gathered = nr_lower_reshape(l, nr_lower_generate(l, &rows, elem, rows_body, &s), &folded);
  NrValue *y = nr_lower_sum_products(l, gathered, row_dims, flat, "goq", out_dims,
                                     nr_lower_zeros(l, &out, nr_lower_wide_type(elem)));
  y = nr_lower_reshape(l, y, &result);
  if (bias) {
    NrShape column = {.rank = rank};
    for (size_t i = 0; i < rank; i++) column.dims[i] = i == 1 ? result.dims[1] : nr_dim(1);
    y = nr_lower_sum(l, y, nr_lower_widen_tensor(l, nr_lower_reshape(l, bias, &column)));
  }
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, elem), nr_lower_dtype(l, 0));
}
