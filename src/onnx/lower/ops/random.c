/* random.c - RandomUniform, RandomNormal and their Like forms, Bernoulli, Multinomial, Dropout.
 *
 * With a seed the numbers are those of NumPy's RandomState (lib/mt19937.mlir), and so those of the reference evaluator;
 * without one the runtime gives a seed in each run. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/ops/sequence.h"

#include <math.h>

/* The seed as i64, of which the generator takes 32 bits. */
static NrValue *seed(NrLower *l) {
  NrAttr given = nr_lower_attr(l, "seed");
  NrType i64 = nr_type_i64(l->ctx);
  if (!given) return nr_lower_call(l, "random_seed", NULL, 0, i64);
  if (given->kind == NR_ATTR_INTEGER) return nr_lower_int(l, i64, given->i);
  double value = nr_lower_attr_float(l, "seed");
  return nr_lower_int(l, i64, fabs(value) < 0x1p63 ? (int64_t)value : 0);
}

/* A list of count random numbers as f64: "random_uniform" or "random_normal". */
static NrStatus draw(NrLower *l, const char *kernel, NrDim count, NrValue **out) {
  NrValue *args[2] = {seed(l), nr_dim_value(l, count)};
  return nr_lower_kernel(l, kernel, NR_STR(""), args, 2, out, 1);
}

static NrStatus draw_shape(NrLower *l, const char *kernel, const NrShape *shape, NrValue **out) {
  NR_TRY(draw(l, kernel, nr_shape_elements(l, shape, 0, shape->rank), out));
  *out = nr_lower_reshape(l, *out, shape);
  return NR_OK;
}

/* ---- numbers of a distribution ----------------------------------------------------------------------------------- */

typedef struct Scale {
  double factor, offset;
  NoriaDType dtype;
} Scale;

static NrValue *scale_body(NrLower *l, NrValue *const *a, void *user) {
  const Scale *s = user;
  NrValue *x = add(l, mul(l, a[0], num(l, a[0], s->factor)), num(l, a[0], s->offset));
  return nr_lower_cast(l, x, NORIA_F64, s->dtype, true);
}

static NrStatus scaled(NrLower *l, const char *kernel, const NrShape *shape, Scale s) {
  bool is_float = s.dtype == NORIA_F16 || s.dtype == NORIA_F32 || s.dtype == NORIA_F64 || s.dtype == NORIA_BF16;
  if (!is_float)
    return nr_lower_error(l, "the type of the output is %s; it must be float16, bfloat16, float32 or float64",
                          nr_dtype_name(s.dtype));
  NrValue *numbers;
  NR_TRY(draw_shape(l, kernel, shape, &numbers));
  NrType elem = nr_lower_elem_type(l->ctx, s.dtype);
  return nr_lower_out(l, 0, nr_lower_map(l, &numbers, 1, elem, scale_body, &s), s.dtype);
}

static NrStatus uniform(NrLower *l, const NrShape *shape, NoriaDType dtype) {
  double low = nr_lower_attr_float(l, "low"), high = nr_lower_attr_float(l, "high");
  return scaled(l, "random_uniform", shape, (Scale){high - low, low, dtype});
}

static NrStatus normal(NrLower *l, const NrShape *shape, NoriaDType dtype) {
  Scale s = {nr_lower_attr_float(l, "scale"), nr_lower_attr_float(l, "mean"), dtype};
  return scaled(l, "random_normal", shape, s);
}

/* Attribute shape. */
static NrStatus given_shape(NrLower *l, NrShape *out) {
  const int64_t *dims = NULL;
  nr_lower_attr_ints(l, "shape", &dims, &out->rank);
  if (out->rank > NORIA_MAX_RANK)
    return nr_lower_error(l, "attribute shape has %zu dims; %d is the limit", out->rank, NORIA_MAX_RANK);
  for (size_t i = 0; i < out->rank; i++) {
    if (dims[i] < 0) return nr_lower_error(l, "dim %zu of attribute shape is %lld", i, (long long)dims[i]);
    out->dims[i] = nr_dim(dims[i]);
  }
  return NR_OK;
}

NrStatus nr_lower_random_uniform(NrLower *l) {
  NrShape shape = {0};
  NR_TRY(given_shape(l, &shape));
  return uniform(l, &shape, (NoriaDType)nr_lower_attr_int(l, "dtype"));
}

NrStatus nr_lower_random_normal(NrLower *l) {
  NrShape shape = {0};
  NR_TRY(given_shape(l, &shape));
  return normal(l, &shape, (NoriaDType)nr_lower_attr_int(l, "dtype"));
}

static NoriaDType dtype_or_that_of_input(NrLower *l) {
  return (NoriaDType)nr_lower_attr_int_or(l, "dtype", nr_lower_dtype(l, 0));
}

NrStatus nr_lower_random_uniform_like(NrLower *l) {
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  return uniform(l, &shape, dtype_or_that_of_input(l));
}

NrStatus nr_lower_random_normal_like(NrLower *l) {
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  return normal(l, &shape, dtype_or_that_of_input(l));
}

/* ---- Bernoulli --------------------------------------------------------------------------------------------------- */

/* 1 where the random number is below the probability. */
static NrValue *bernoulli_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *p = nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_F64, true);
  NrValue *is_one = nr_lower_cmpf(l, NR_CMPF_OLT, a[1], p);
  return nr_lower_cast(l, is_one, NORIA_BOOL, *(NoriaDType *)user, true);
}

NrStatus nr_lower_bernoulli(NrLower *l) {
  NoriaDType dtype = dtype_or_that_of_input(l);
  NrType elem = nr_lower_elem_type(l->ctx, dtype);
  if (!elem || !(nr_dtype_is_float(dtype) || nr_dtype_is_int(dtype) || dtype == NORIA_BOOL))
    return nr_lower_error(l, "attribute dtype is %d, which is no type of numbers", (int)dtype);
  NrValue *in[2] = {nr_lower_in(l, 0)};
  NrShape shape = nr_lower_shape(l, in[0]);
  NR_TRY(draw_shape(l, "random_uniform", &shape, &in[1]));
  return nr_lower_out(l, 0, nr_lower_map(l, in, 2, elem, bernoulli_body, &dtype), dtype);
}

/* ---- Multinomial ------------------------------------------------------------------------------------------------- */

static NrValue *to_f64(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_F64, true);
}

static NrValue *from_i64(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cast(l, a[0], NORIA_I64, *(NoriaDType *)user, true);
}

NrStatus nr_lower_multinomial(NrLower *l) {
  NoriaDType dtype = (NoriaDType)nr_lower_attr_int(l, "dtype");
  int64_t samples = nr_lower_attr_int(l, "sample_size");
  NrValue *x = nr_lower_in(l, 0), *numbers, *drawn;
  if (dtype != NORIA_I32 && dtype != NORIA_I64)
    return nr_lower_error(l, "attribute dtype is %d; it must be int32 or int64", (int)dtype);
  if (samples < 0) return nr_lower_error(l, "sample_size is %lld", (long long)samples);
  if (!nr_lower_expect_rank(l, "input", x, 2)) return NR_ERROR_INVALID;
  NrShape shape = {2, {nr_lower_dim(l, x, 0), nr_dim(samples)}};
  NR_TRY(draw(l, "random_uniform", nr_shape_elements(l, &shape, 0, 2), &numbers));
  NrValue *wide = nr_lower_map(l, &x, 1, nr_type_f64(l->ctx), to_f64, NULL);
  NrValue *args[3] = {wide, numbers, nr_lower_index(l, samples)};
  NR_TRY(nr_lower_kernel(l, "multinomial", NR_STR(""), args, 3, &drawn, 1));
  drawn = nr_lower_tensor_cast(l, drawn, nr_shape_type(l, &shape, drawn->type->elem));
  return nr_lower_out(l, 0, nr_lower_map(l, &drawn, 1, nr_lower_elem_type(l->ctx, dtype), from_i64, &dtype), dtype);
}

/* ---- Dropout ----------------------------------------------------------------------------------------------------- */

typedef struct Drop {
  NrValue *numbers, *active; /* active: i1, whether elements are dropped; if not, there is one number */
  NrValue *ratio;            /* f64 */
  NrShape shape;
} Drop;

static NrValue *kept_body(NrLower *l, NrValue *const *indices, void *user) {
  const Drop *d = user;
  NrDim at = nr_dim(0);
  for (size_t i = 0; i < d->shape.rank; i++)
    at = nr_dim_add(l, nr_dim_mul(l, at, d->shape.dims[i]), nr_dim_of_index(indices[i]));
  NrValue *place = nr_lower_select(l, d->active, nr_dim_value(l, at), nr_lower_index(l, 0));
  NrValue *is_kept = nr_lower_cmpf(l, NR_CMPF_OGE, nr_lower_extract(l, d->numbers, &place, 1), d->ratio);
  NrValue *yes = nr_lower_int(l, nr_type_i1(l->ctx), 1);
  return nr_lower_select(l, d->active, is_kept, yes);
}

static NrValue *drop_body(NrLower *l, NrValue *const *a, void *user) {
  const Drop *d = user;
  NrValue *x = nr_lower_widen(l, a[0]), *one = nr_lower_float(l, d->ratio->type, 1);
  NrValue *scale = nr_lower_select(l, d->active, divf(l, one, sub(l, one, d->ratio)), one);
  NrValue *scaled = mul(l, x, nr_lower_cast(l, scale, NORIA_F64, x->type == one->type ? NORIA_F64 : NORIA_F32, true));
  return nr_lower_narrow(l, nr_lower_select(l, a[1], scaled, num(l, x, 0)), a[0]->type);
}

/* Whether elements are dropped: in training, with a ratio that is not 0. Sets the ratio. */
static NrValue *drops(NrLower *l, NrValue **out_ratio) {
  NrType i1 = nr_type_i1(l->ctx), f64 = nr_type_f64(l->ctx);
  NrValue *ratio = nr_lower_in(l, 1), *training = nr_lower_in(l, 2), *no = nr_lower_int(l, i1, 0);
  if (l->version >= 12) {
    *out_ratio = ratio ? nr_lower_cast(l, nr_lower_scalar(l, ratio), nr_lower_dtype(l, 1), NORIA_F64, true)
                       : nr_lower_float(l, f64, 0.5);
    training = training ? nr_lower_scalar(l, training) : no;
  } else {
    *out_ratio = nr_lower_float(l, f64, nr_lower_attr_float(l, "ratio"));
    training = nr_lower_int(l, i1, l->version < 7 && !nr_lower_attr_int(l, "is_test"));
  }
  NrValue *zero = nr_lower_float(l, f64, 0), *one = nr_lower_float(l, f64, 1);
  NrValue *legal = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, *out_ratio, zero),
                        nr_lower_cmpf(l, NR_CMPF_OLE, *out_ratio, one));
  nr_lower_check(l, legal, "the ratio is not from 0 to 1", NULL, 0);
  return both(l, training, nr_lower_cmpf(l, NR_CMPF_UNE, *out_ratio, zero));
}

static NrValue *mask_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cast(l, a[0], NORIA_BOOL, nr_lower_dtype(l, 0), true);
}

/* Before version 10 the mask has the type of the input. */
static NrStatus put_mask(NrLower *l, NrValue *mask) {
  if (l->version >= 10) return nr_lower_out(l, 1, mask, NORIA_BOOL);
  NrType elem = nr_lower_in(l, 0)->type->elem;
  return nr_lower_out(l, 1, nr_lower_map(l, &mask, 1, elem, mask_body, NULL), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_dropout(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  Drop d = {.shape = nr_lower_shape(l, x)};
  d.active = drops(l, &d.ratio);
  int64_t known;
  bool never = nr_value_constant_int(d.active, &known) && !known;
  NrValue *mask;
  if (never) {
    mask = nr_lower_fill(l, &d.shape, nr_lower_int(l, nr_type_i1(l->ctx), 1));
  } else {
    NrDim count = nr_dim_select(l, d.active, nr_shape_elements(l, &d.shape, 0, d.shape.rank), nr_dim(1));
    NR_TRY(draw(l, "random_uniform", count, &d.numbers));
    mask = nr_lower_generate(l, &d.shape, nr_type_i1(l->ctx), kept_body, &d);
    x = nr_lower_map(l, (NrValue *[]){x, mask}, 2, NULL, drop_body, &d);
  }
  if (nr_lower_wants(l, 1)) NR_TRY(put_mask(l, mask));
  return nr_lower_out(l, 0, x, nr_lower_dtype(l, 0));
}
