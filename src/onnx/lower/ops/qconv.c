/* qconv.c - convolutions of quantised values: ConvInteger, QLinearConv. As in qmatmul.c, the zero points are taken off
 * behind the sum of products. */
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/qmatmul.h"

/* A vector of the output channels as [groups, per group, 1..] over the spatial dims; scalars stay. NULL after an
 * error. */
static NrValue *channel_column(NrLower *l, const NrConv *c, const char *name, NrValue *p) {
  if (nr_rank(p) == 0 || (nr_rank(p) == 1 && p->type->dims[0] == 1)) return nr_lower_reshape(l, p, &(NrShape){0});
  NrShape want = {1, {nr_dim_mul(l, c->groups, c->per_group)}};
  if (!nr_lower_expect_shape(l, name, p, &want)) return NULL;
  NrShape column = {2 + c->spatial, {c->groups, c->per_group}};
  for (size_t i = 2; i < column.rank; i++) column.dims[i] = nr_dim(1);
  return nr_lower_reshape(l, p, &column);
}

/* The sums of a kernel [groups, per group, depth] over the depth, as a column of channels. */
static NrValue *kernel_sums(NrLower *l, const NrConv *c, NoriaDType dtype) {
  NrShape column = {2 + c->spatial, {c->groups, c->per_group}};
  for (size_t i = 2; i < column.rank; i++) column.dims[i] = nr_dim(1);
  return nr_lower_reshape(l, nr_lower_sum_as_i32(l, c->kernel, dtype, 1u << 2), &column);
}

/* The sums of what is under the window: [batch, groups, 1, positions..]. */
static NrValue *window_sums(NrLower *l, const NrConv *c, NoriaDType dtype) {
  uint64_t depth = 0;
  for (size_t i = 0; c->windows_dims[i]; i++)
    if (c->windows_dims[i] == 'q' || c->windows_dims[i] == 'z') depth |= UINT64_C(1) << i;
  NrValue *sum = nr_lower_sum_as_i32(l, c->windows, dtype, depth);
  NrShape s = nr_lower_shape(l, sum), with = {.rank = s.rank + 1};
  for (size_t i = 0; i < with.rank; i++) with.dims[i] = i == 2 ? nr_dim(1) : s.dims[i - (i > 2)];
  return nr_lower_reshape(l, sum, &with);
}

NrValue *nr_lower_move_channels(NrLower *l, NrValue *x, bool to_front) {
  size_t perm[NORIA_MAX_RANK] = {0}, rank = nr_rank(x);
  for (size_t i = 1; i < rank; i++) perm[i] = to_front ? i - 1 : i + 1;
  if (rank > 1) perm[to_front ? 1 : rank - 1] = to_front ? rank - 1 : 1;
  return nr_lower_transpose(l, x, perm);
}

static NrValue *less_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, sub(l, a[0], a[1]); }

/* The kernel without its zero points, a column of channels; in i32. */
static NrValue *centred_kernel(NrLower *l, const NrConv *c, NrValue *zeros, NoriaDType dtype) {
  if (nr_rank(zeros) > 0) zeros = nr_lower_reshape(l, zeros, &(NrShape){3, {c->groups, c->per_group, nr_dim(1)}});
  return nr_lower_map(l, (NrValue *[]){nr_lower_cast_tensor(l, c->kernel, dtype, NORIA_I32), zeros}, 2, NULL, less_body,
                      NULL);
}

static bool channels_last(NrLower *l) {
  return nr_lower_takes_attr(l, "channels_last") && nr_lower_attr_int(l, "channels_last") != 0;
}

/* Inputs of a convolution by their numbers; a zero point may be left out. */
typedef struct ConvInputs {
  size_t x, x_zero, w, w_zero;
} ConvInputs;

/* The sum of (x - x_zero) * (w - w_zero) as [batch, groups, per group, positions..]; NULL after an error. */
static NrValue *integer_conv(NrLower *l, const ConvInputs *in, NrConv *c) {
  NrValue *x_zero = nr_lower_in(l, in->x_zero), *w_zero = nr_lower_in(l, in->w_zero);
  NoriaDType x_type = nr_lower_dtype(l, in->x), w_type = nr_lower_dtype(l, in->w);
  if ((x_zero && nr_lower_dtype(l, in->x_zero) != x_type) || (w_zero && nr_lower_dtype(l, in->w_zero) != w_type))
    return nr_lower_error(l, "a zero point has another type than its tensor"), NULL;
  NrValue *padding = x_zero ? nr_lower_scalar(l, x_zero) : NULL;
  NrValue *x = nr_lower_in(l, in->x);
  if (channels_last(l)) x = nr_lower_move_channels(l, x, true);
  if (nr_lower_conv_windows(l, x, nr_lower_in(l, in->w), padding, c)) return NULL;
  NrType i32 = nr_type_i32(l->ctx);
  NrSigns signs = {nr_dtype_is_unsigned(x_type), nr_dtype_is_unsigned(w_type)};
  NrValue *wz = NULL;
  if (!nr_is_zero_point_0(w_zero)) {
    if (!(wz = channel_column(l, c, "w_zero_point", w_zero))) return NULL;
    wz = nr_lower_cast_tensor(l, wz, w_type, NORIA_I32);
  }
  if (wz && c->direct) {
    c->kernel = centred_kernel(l, c, wz, w_type);
    w_type = NORIA_I32;
    wz = NULL;
  }
  NrValue *sum = nr_lower_conv_sum(l, c, nr_lower_zeros(l, &c->out, i32), signs);
  if (!nr_is_zero_point_0(x_zero)) {
    NrValue *sums = kernel_sums(l, c, w_type);
    NrValue *xz = nr_lower_from_scalar(l, nr_lower_to_i32(l, padding, x_type));
    NrValue *depth = nr_lower_op1(l, NR_OP_arith_index_cast, i32, nr_dim_value(l, c->depth));
    if (wz) sums = nr_lower_take_product(l, sums, wz, nr_lower_from_scalar(l, depth));
    sum = nr_lower_take_product(l, sum, xz, sums);
  }
  return wz ? nr_lower_take_product(l, sum, wz, window_sums(l, c, x_type)) : sum;
}

static bool are_bytes(NrLower *l, const size_t *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    NoriaDType t = nr_lower_dtype(l, inputs[i]);
    if (t != NORIA_I8 && t != NORIA_U8)
      return nr_lower_error(l, "input %zu is %s, not int8 or uint8", inputs[i], nr_dtype_name(t)), false;
  }
  return true;
}

NrStatus nr_lower_conv_integer(NrLower *l) {
  NrConv c;
  if (!are_bytes(l, (const size_t[]){0, 1}, 2)) return NR_ERROR_INVALID;
  NrValue *sum = integer_conv(l, &(ConvInputs){0, 2, 1, 3}, &c);
  return nr_lower_out(l, 0, sum ? nr_lower_reshape(l, sum, &c.result) : NULL, NORIA_I32);
}

NrStatus nr_lower_qlinear_conv(NrLower *l) {
  NrConv c;
  NoriaDType to = nr_lower_dtype(l, 7);
  if (!are_bytes(l, (const size_t[]){0, 3, 7}, 3)) return NR_ERROR_INVALID;
  NrValue *sum = integer_conv(l, &(ConvInputs){0, 2, 3, 5}, &c), *bias = nr_lower_in(l, 8);
  if (!sum) return NR_ERROR_INVALID;
  if (bias) {
    if (!(bias = channel_column(l, &c, "B", bias))) return NR_ERROR_INVALID;
    sum = nr_lower_sum(l, sum, bias);
  }
  NrValue *x_scale = nr_lower_from_scalar(l, nr_lower_scalar(l, nr_lower_in(l, 1)));
  NrValue *w_scale = channel_column(l, &c, "w_scale", nr_lower_in(l, 4));
  NrValue *y_scale = nr_lower_from_scalar(l, nr_lower_scalar(l, nr_lower_in(l, 6)));
  NrValue *zero = nr_lower_from_scalar(l, nr_lower_scalar(l, nr_lower_in(l, 7)));
  if (!w_scale) return NR_ERROR_INVALID;
  NrValue *y = nr_lower_requantize(l, sum, nr_lower_factor(l, x_scale, w_scale, y_scale), zero, to);
  if (!y) return NR_ERROR_INVALID;
  y = nr_lower_reshape(l, y, &c.result);
  return nr_lower_out(l, 0, channels_last(l) ? nr_lower_move_channels(l, y, false) : y, to);
}
