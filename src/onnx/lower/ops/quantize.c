/* quantize.c - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and what all quantised ops share. */
#include "onnx/lower/ops/quantize.h"

#include <math.h>

#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/reduce.h"

/* ---- one number ---- */

static uint32_t bits_of(NrLower *l, NoriaDType number) { return nr_type_bits(nr_lower_elem_type(l->ctx, number)); }

NrValue *nr_lower_to_i32(NrLower *l, NrValue *x, NoriaDType dtype) {
  return nr_lower_cast(l, x, dtype, NORIA_I32, true);
}

/* max(low, min(x, high)) of floats; NaN gives low. */
static NrValue *limited(NrLower *l, NrValue *x, double low, double high) {
  NrValue *least = num(l, x, low), *most = num(l, x, high);
  x = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, x, least), x, least);
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, x, most), x, most);
}

/* The integer is far inside of i32, so that the zero point can be added. */
static NrValue *quantized_int(NrLower *l, NrValue *scaled, NrValue *zero, NoriaDType to) {
  uint32_t bits = bits_of(l, to);
  bool is_unsigned = nr_dtype_is_unsigned(to);
  NrType i32 = nr_type_i32(l->ctx);
  int64_t low = is_unsigned ? 0 : -(INT64_C(1) << (bits - 1)), high = low + (INT64_C(1) << bits) - 1;
  NrValue *whole = limited(l, same1(l, NR_OP_math_roundeven, scaled), -0x1p20, 0x1p20);
  NrValue *q = nr_lower_op1(l, NR_OP_arith_fptosi, i32, whole);
  if (zero) q = add(l, q, nr_lower_to_i32(l, zero, to));
  q = same2(l, NR_OP_arith_maxsi, q, nr_lower_int(l, i32, low));
  q = same2(l, NR_OP_arith_minsi, q, nr_lower_int(l, i32, high));
  return nr_lower_op1(l, NR_OP_arith_trunci, nr_lower_elem_type(l->ctx, to), q);
}

NrValue *nr_quantized(NrLower *l, NrValue *scaled, NrValue *zero, NoriaDType to, bool saturate) {
  if (nr_dtype_is_int(to)) return quantized_int(l, scaled, zero, to);
  NoriaDType from = nr_type_bits(scaled->type) == 64 ? NORIA_F64 : NORIA_F32;
  if (zero) { /* a zero point of 0 keeps the sign of -0 */
    NrValue *moved = nr_lower_cast(l, zero, to, from, true);
    NrValue *none = nr_lower_cmpf(l, NR_CMPF_OEQ, moved, num(l, moved, 0));
    scaled = nr_lower_select(l, none, scaled, add(l, scaled, moved));
  }
  return nr_lower_cast(l, scaled, from, to, saturate);
}

NrValue *nr_quantized_distance(NrLower *l, NrValue *q, NrValue *zero, NoriaDType dtype) {
  bool wide = nr_dtype_is_int(dtype) && zero && bits_of(l, dtype) > 16;
  NoriaDType work = nr_dtype_is_float(dtype) ? NORIA_F32 : wide ? NORIA_I64 : NORIA_I32;
  q = nr_lower_cast(l, q, dtype, work, true);
  return zero ? sub(l, q, nr_lower_cast(l, zero, dtype, work, true)) : q;
}

NrValue *nr_dequantized(NrLower *l, NrValue *q, NrValue *scale, NrValue *zero, NoriaDType dtype) {
  NrValue *x = nr_quantized_distance(l, q, zero, dtype);
  if (nr_type_is_int(x->type)) x = nr_lower_op1(l, NR_OP_arith_sitofp, scale->type, x);
  return mul(l, x, scale);
}

bool nr_is_zero_point_0(NrValue *zero) {
  if (!zero) return true;
  NrAttr known = nr_value_constant(zero);
  if (!known || known->kind != NR_ATTR_DENSE || !known->splat) return false;
  int64_t value;
  return nr_attr_is_int(nr_attr_element(known, 0), &value) && value == 0;
}

/* ---- which scale belongs to which element ---- */

static bool is_single(NrValue *parameter) {
  return nr_rank(parameter) == 0 || (nr_rank(parameter) == 1 && parameter->type->dims[0] == 1);
}

bool nr_lower_grain(NrLower *l, NrValue *x, NrValue *scale, NrValue *zero, NrGrain *out) {
  *out = (NrGrain){.shape = nr_lower_shape(l, x)};
  if (nr_lower_takes_attr(l, "block_size")) out->block = nr_lower_attr_int(l, "block_size");
  if (out->block < 0) return nr_lower_error(l, "block_size is %lld", (long long)out->block), false;
  NrAttr axis = nr_lower_attr(l, "axis");
  bool single = is_single(scale) && (!zero || is_single(zero));
  out->whole = single || (!axis && out->shape.rank < 2);
  if (out->whole) return out->block = 0, true;
  if (!nr_lower_axis(l, axis ? axis->i : 1, out->shape.rank, &out->axis)) return false;
  if (!out->block) return true;
  NrDim size = out->shape.dims[out->axis];
  out->split = nr_dim_known(size) && size.size % out->block == 0 && out->shape.rank < NORIA_MAX_RANK;
  return true;
}

/* The shape with [.., blocks, inner, ..] in place of the axis. */
static NrShape blocks_shape(NrLower *l, const NrGrain *g, int64_t inner) {
  NrShape s = {.rank = g->shape.rank + 1};
  for (size_t i = 0; i < s.rank; i++) s.dims[i] = g->shape.dims[i - (i > g->axis)];
  s.dims[g->axis] = nr_dim_div(l, g->shape.dims[g->axis], nr_dim(g->block));
  s.dims[g->axis + 1] = nr_dim(inner);
  return s;
}

typedef struct Repeat {
  NrValue *parameter;
  const NrGrain *grain;
} Repeat;

static NrValue *repeat_body(NrLower *l, NrValue *const *at, void *user) {
  const Repeat *r = user;
  NrValue *indices[NORIA_MAX_RANK];
  size_t rank = r->grain->shape.rank, axis = r->grain->axis;
  for (size_t i = 0; i < rank; i++) indices[i] = at[i];
  indices[axis] = same2(l, NR_OP_arith_divui, at[axis], nr_lower_index(l, r->grain->block));
  return nr_lower_extract(l, r->parameter, indices, rank);
}

/* One entry for each block along the axis. */
static NrValue *spread_blocks(NrLower *l, const NrGrain *g, const char *name, NrValue *parameter) {
  NrShape want = g->shape;
  want.dims[g->axis] = nr_dim_ceildiv(l, want.dims[g->axis], nr_dim(g->block));
  if (!nr_lower_expect_shape(l, name, parameter, &want)) return NULL;
  if (g->split) {
    NrShape s = blocks_shape(l, g, 1);
    return nr_lower_reshape(l, parameter, &s);
  }
  Repeat r = {parameter, g};
  return nr_lower_generate(l, &g->shape, parameter->type->elem, repeat_body, &r);
}

NrValue *nr_lower_grain_spread(NrLower *l, const NrGrain *g, const char *name, NrValue *parameter) {
  if (is_single(parameter) || g->whole) return nr_lower_from_scalar(l, nr_lower_scalar(l, parameter));
  if (g->block) return spread_blocks(l, g, name, parameter);
  if (nr_rank(parameter) != 1)
    return nr_lower_error(l, "%s has rank %u; without block_size it must be a scalar or a vector", name,
                          nr_rank(parameter)), NULL;
  NrShape want = {1, {g->shape.dims[g->axis]}}, column = {.rank = g->shape.rank - g->axis};
  if (!nr_lower_expect_broadcast(l, name, parameter, &want)) return NULL;
  column.dims[0] = nr_lower_dim(l, parameter, 0);
  for (size_t i = 1; i < column.rank; i++) column.dims[i] = nr_dim(1);
  return nr_lower_reshape(l, parameter, &column);
}

NrValue *nr_lower_grain_view(NrLower *l, const NrGrain *g, NrValue *x) {
  if (!g->split) return x;
  NrShape s = blocks_shape(l, g, g->block);
  return nr_lower_reshape(l, x, &s);
}

NrValue *nr_lower_grain_unview(NrLower *l, const NrGrain *g, NrValue *y) {
  return y && g->split ? nr_lower_reshape(l, y, &g->shape) : y;
}

/* Inputs 0 to 2 as they enter a map; false after an error. */
static bool grain_inputs(NrLower *l, NrGrain *g, const char *const names[2], NrValue *out[3], size_t *count) {
  NrValue *x = nr_lower_in(l, 0), *scale = nr_lower_in(l, 1), *zero = nr_lower_in(l, 2);
  if (!nr_lower_grain(l, x, scale, zero, g)) return false;
  if (zero && nr_type_has_static_shape(zero->type) && nr_type_has_static_shape(scale->type) &&
      is_single(zero) != is_single(scale))
    return nr_lower_error(l, "%s and %s have different shapes; both must be scalars, or of one shape", names[0],
                          names[1]), false;
  out[0] = nr_lower_grain_view(l, g, x);
  out[1] = nr_lower_grain_spread(l, g, names[0], scale);
  if (out[1] && zero) out[2] = nr_lower_grain_spread(l, g, names[1], zero);
  *count = zero ? 3 : 2;
  return out[1] && (!zero || out[2]);
}

/* ---- QuantizeLinear ---- */

typedef struct Quantize {
  NoriaDType x, scale, y;
  NoriaDType precision; /* of the division */
  bool saturate;
} Quantize;

static NrValue *quantize_body(NrLower *l, NrValue *const *a, void *user) {
  const Quantize *q = user;
  NrType precision = nr_lower_elem_type(l->ctx, q->precision);
  NrValue *x = nr_lower_cast(l, a[0], q->x, q->precision, true);
  NrValue *s = nr_lower_cast(l, a[1], q->scale, q->precision, true);
  NrValue *scaled = divf(l, nr_lower_widen(l, x), nr_lower_widen(l, s));
  if (precision != scaled->type) scaled = nr_lower_widen(l, nr_lower_narrow(l, scaled, precision));
  return nr_quantized(l, scaled, a[2], q->y, q->saturate);
}

static NrValue *quantize_without_zero(NrLower *l, NrValue *const *a, void *user) {
  return quantize_body(l, (NrValue *[]){a[0], a[1], NULL}, user);
}

bool nr_is_quantized_type(NrLower *l, NoriaDType t) {
  return (nr_dtype_is_int(t) && bits_of(l, t) <= 16) ||
         (nr_dtype_is_float(t) && bits_of(l, t) <= 8 && t != NORIA_F8E8M0FNU);
}

/* The type of attribute `name`, or `absent` when it is not given. */
static NoriaDType dtype_attr(NrLower *l, const char *name, NoriaDType absent) {
  int64_t given = nr_lower_takes_attr(l, name) ? nr_lower_attr_int(l, name) : 0;
  return given ? (NoriaDType)given : absent;
}

NrStatus nr_lower_quantize_linear(NrLower *l) {
  NrGrain g;
  NrValue *inputs[3] = {NULL};
  size_t count;
  NoriaDType from_zero = nr_lower_in(l, 2) ? nr_lower_dtype(l, 2) : NORIA_U8;
  Quantize q = {nr_lower_dtype(l, 0), nr_lower_dtype(l, 1), dtype_attr(l, "output_dtype", from_zero), 0, true};
  if (nr_lower_takes_attr(l, "saturate")) q.saturate = nr_lower_attr_int(l, "saturate") != 0;
  /* A quotient of integers is not an integer, and float8e8m0 has no digits. */
  NoriaDType own = q.scale == NORIA_I32 ? NORIA_F64 : q.scale == NORIA_F8E8M0FNU ? NORIA_F32 : q.scale;
  q.precision = dtype_attr(l, "precision", own);
  if (nr_lower_in(l, 2) && q.y != from_zero)
    return nr_lower_error(l, "output_dtype is %s, but the zero point is %s", nr_dtype_name(q.y),
                          nr_dtype_name(from_zero));
  if (!nr_is_quantized_type(l, q.y)) return nr_lower_error(l, "%s is no type of quantised values", nr_dtype_name(q.y));
  if (!nr_dtype_is_float(q.precision) || bits_of(l, q.precision) < 16)
    return nr_lower_error(l, "precision is %s, not a float of at least 16 bits", nr_dtype_name(q.precision));
  if (!grain_inputs(l, &g, (const char *const[]){"y_scale", "y_zero_point"}, inputs, &count)) return NR_ERROR_INVALID;
  NrValue *y = nr_lower_map(l, inputs, count, nr_lower_elem_type(l->ctx, q.y),
                            count == 3 ? quantize_body : quantize_without_zero, &q);
  return nr_lower_out(l, 0, nr_lower_grain_unview(l, &g, y), q.y);
}

/* ---- DequantizeLinear ---- */

typedef struct Dequantize {
  NoriaDType x, scale, y;
} Dequantize;

static NrValue *dequantize_body(NrLower *l, NrValue *const *a, void *user) {
  const Dequantize *d = user;
  NrValue *scale = nr_lower_cast(l, a[1], d->scale, NORIA_F32, true);
  return nr_lower_cast(l, nr_dequantized(l, a[0], scale, a[2], d->x), NORIA_F32, d->y, true);
}

static NrValue *dequantize_without_zero(NrLower *l, NrValue *const *a, void *user) {
  return dequantize_body(l, (NrValue *[]){a[0], a[1], NULL}, user);
}

NrStatus nr_lower_dequantize_linear(NrLower *l) {
  NrGrain g;
  NrValue *inputs[3] = {NULL};
  size_t count;
  NoriaDType scale = nr_lower_dtype(l, 1), own = scale == NORIA_F8E8M0FNU ? NORIA_F32 : scale;
  Dequantize d = {nr_lower_dtype(l, 0), scale, dtype_attr(l, "output_dtype", own)};
  if (nr_lower_in(l, 2) && nr_lower_dtype(l, 2) != d.x)
    return nr_lower_error(l, "x is %s, but the zero point is %s", nr_dtype_name(d.x),
                          nr_dtype_name(nr_lower_dtype(l, 2)));
  if (!nr_is_quantized_type(l, d.x) && d.x != NORIA_I32)
    return nr_lower_error(l, "input 0 is %s, which is no type of quantised values", nr_dtype_name(d.x));
  if (!nr_dtype_is_float(d.y) || bits_of(l, d.y) < 16)
    return nr_lower_error(l, "output_dtype is %s, not a float of at least 16 bits", nr_dtype_name(d.y));
  if (!grain_inputs(l, &g, (const char *const[]){"x_scale", "x_zero_point"}, inputs, &count)) return NR_ERROR_INVALID;
  if (nr_is_zero_point_0(inputs[2])) count = 2;
  NrValue *y = nr_lower_map(l, inputs, count, nr_lower_elem_type(l->ctx, d.y),
                            count == 3 ? dequantize_body : dequantize_without_zero, &d);
  return nr_lower_out(l, 0, nr_lower_grain_unview(l, &g, y), d.y);
}

/* ---- DynamicQuantizeLinear ---- */

static NrValue *least_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, smaller(l, a[0], a[1]); }
static NrValue *most_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, larger(l, a[0], a[1]); }

/* (high - low) / 255, and 1 where all elements are 0. */
static NrValue *scale_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  NrValue *range = sub(l, a[1], a[0]), *none = nr_lower_cmpf(l, NR_CMPF_OEQ, range, num(l, range, 0));
  return nr_lower_select(l, none, num(l, range, 1), divf(l, range, num(l, range, 255)));
}

static NrValue *zero_body(NrLower *l, NrValue *const *a, void *user) {
  (void)user;
  NrValue *exact = limited(l, sub(l, num(l, a[0], 0), divf(l, a[0], a[1])), 0, 255);
  return nr_quantized(l, exact, NULL, NORIA_U8, true);
}

bool nr_lower_dynamic_scale(NrLower *l, NrValue *x, uint64_t axes, NrValue **out_scale, NrValue **out_zero) {
  NrValue *none = nr_lower_float(l, x->type->elem, 0), *ends[2];
  ends[0] = nr_lower_reduce(l, x, axes, true, none, NULL, least_body, NULL);
  ends[1] = nr_lower_reduce(l, x, axes, true, none, NULL, most_body, NULL);
  *out_scale = nr_lower_map(l, ends, 2, NULL, scale_body, NULL);
  ends[1] = *out_scale;
  *out_zero = nr_lower_map(l, ends, 2, nr_lower_elem_type(l->ctx, NORIA_U8), zero_body, NULL);
  return *out_scale && *out_zero;
}

NrValue *nr_lower_quantize_u8(NrLower *l, NrValue *x, NrValue *scale, NrValue *zero) {
  Quantize q = {NORIA_F32, NORIA_F32, NORIA_U8, NORIA_F32, true};
  return nr_lower_map(l, (NrValue *[]){x, scale, zero}, 3, nr_lower_elem_type(l->ctx, NORIA_U8), quantize_body, &q);
}

NrStatus nr_lower_dynamic_quantize_linear(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *scale, *zero;
  if (nr_lower_dtype(l, 0) != NORIA_F32)
    return nr_lower_error(l, "input 0 is %s, not float32", nr_dtype_name(nr_lower_dtype(l, 0)));
  if (!nr_lower_dynamic_scale(l, x, (UINT64_C(1) << nr_rank(x)) - 1, &scale, &zero)) return NR_ERROR_INVALID;
  scale = nr_lower_reshape(l, scale, &(NrShape){0});
  zero = nr_lower_reshape(l, zero, &(NrShape){0});
  NR_TRY(nr_lower_out(l, 0, nr_lower_quantize_u8(l, x, scale, zero), NORIA_U8));
  if (nr_lower_num_out(l) > 1) NR_TRY(nr_lower_out(l, 1, scale, NORIA_F32));
  return nr_lower_num_out(l) > 2 ? nr_lower_out(l, 2, zero, NORIA_U8) : NR_OK;
}
