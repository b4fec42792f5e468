/* causal_conv.c - CausalConvWithState: each channel is convolved with its own kernel, over what came before. */
#include "onnx/lower/ops/activation.h"
#include "onnx/lower/ops/contract.h"

static NrValue *silu_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], nr_activation_sigmoid(l, a[0]));
}

/* sum over j of x[b, c, i + j] * w[c, j], from init */
static NrValue *convolved(NrLower *l, NrValue *x, NrValue *w, NrValue *init) {
  NrAffineExpr e[4];
  for (uint32_t i = 0; i < 4; i++) e[i] = nr_affine_dim(l->ctx, i);
  NrAttr maps[3] = {
      nr_attr_affine_map(l->ctx, 4, 0, (NrAffineExpr[]){e[0], e[1], nr_affine_binary(NR_AFFINE_ADD, e[2], e[3])}, 3),
      nr_attr_affine_map(l->ctx, 4, 0, (NrAffineExpr[]){e[1], e[3]}, 2), nr_attr_affine_map(l->ctx, 4, 0, e, 3)};
  return nr_op_result(
      nr_lower_generic(l, (NrValue *[]){x, w}, 2, &init, 1, maps, "pppr", nr_multiply_add_body, NULL));
}

NrStatus nr_lower_causal_conv(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *w = nr_lower_in(l, 1), *bias = nr_lower_in(l, 2), *past = nr_lower_in(l, 3);
  NrStr activation = nr_lower_attr_str(l, "activation");
  bool silu = nr_str_is(activation, "silu") || nr_str_is(activation, "swish");
  if (!silu && !nr_str_is(activation, "none"))
    return nr_lower_error(l, "activation '%.*s' is not silu, swish or none", NR_STR_ARG(activation));
  if (!nr_lower_expect_rank(l, "input", x, 3) || !nr_lower_expect_rank(l, "weight", w, 3)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, x), state = shape;
  NrDim channels = shape.dims[1], size = nr_lower_dim(l, w, 2);
  if (!nr_lower_expect_dim(l, "weight", w, 0, channels) || !nr_lower_expect_dim(l, "weight", w, 1, nr_dim(1)) ||
      (bias && !nr_lower_expect_shape(l, "bias", bias, &(NrShape){1, {channels}})))
    return NR_ERROR_INVALID;
  if (nr_dim_is(size, 0)) return nr_lower_error(l, "dim 2 of weight is 0");
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, size), nr_lower_index(l, 0)), "dim 2 of weight is 0",
                 NULL, 0);
  NrType elem = x->type->elem, acc = nr_lower_wide_type(elem);
  state.dims[2] = nr_dim_sub(l, size, nr_dim(1));
  if (past && !nr_lower_expect_shape(l, "past_state", past, &state)) return NR_ERROR_INVALID;
  if (!past) past = nr_lower_zeros(l, &state, elem);
  NrValue *padded = nr_lower_concat(l, (NrValue *[]){past, x}, 2, 2), *init = nr_lower_zeros(l, &shape, acc);
  if (bias) {
    NrValue *column = nr_lower_reshape(l, bias, &(NrShape){2, {channels, nr_dim(1)}});
    init = nr_lower_broadcast_to(l, nr_lower_widen_tensor(l, column), &shape);
  }
  NrValue *y = convolved(l, padded, nr_lower_reshape(l, w, &(NrShape){2, {channels, size}}), init);
  y = nr_lower_narrow_tensor(l, y, elem);
  if (silu) y = nr_lower_map_wide(l, &y, 1, NULL, silu_body, NULL);
  NR_TRY(nr_lower_out(l, 0, y, nr_lower_dtype(l, 0)));
  NrDim from[3] = {nr_dim(0), nr_dim(0), shape.dims[2]};
  return nr_lower_out(l, 1, nr_lower_slice(l, padded, from, state.dims, NULL), nr_lower_dtype(l, 0));
}
