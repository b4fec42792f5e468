/* make.c - tensors made from shapes and scalars, or stretched: ConstantOfShape, Expand, Range, EyeLike, OneHot,
 * Trilu. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/core/state.h"

#include <math.h>

/* ---- ConstantOfShape, Expand ---- */

static NrShape shape_of(const NrInts *sizes) {
  NrShape shape = {.rank = sizes->count};
  memcpy(shape.dims, sizes->at, sizes->count * sizeof *sizes->at);
  return shape;
}

NrStatus nr_lower_constant_of_shape(NrLower *l) {
  NrInts sizes;
  if (!nr_lower_ints(l, true, 0, "shape", &sizes) || !nr_lower_sizes(l, &sizes)) return NR_ERROR_INVALID;
  NrShape shape = shape_of(&sizes);
  NrAttr value = nr_lower_attr(l, "value");
  NoriaDType dtype = nr_attr_is_elements(value) ? nr_dtype_of(value->type) : NORIA_F32;
  NrType elem = nr_lower_elem_type(l->ctx, dtype);
  NrValue *scalar = nr_lower_constant(l, elem, 0);
  if (nr_attr_is_elements(value)) {
    int64_t count;
    if (!nr_type_num_elements(value->type, &count) || count != 1)
      return nr_lower_error(l, "the value must have one element");
    NrAttr first = nr_attr_element(value, 0);
    scalar = first->kind == NR_ATTR_FLOAT ? nr_lower_float(l, elem, first->f) : nr_lower_int(l, elem, first->i);
  }
  return nr_lower_out(l, 0, nr_lower_fill(l, &shape, scalar), dtype);
}

NrStatus nr_lower_expand(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *elements[NR_SMALL_LIST];
  NrInts sizes;
  if (!nr_lower_ints(l, true, 1, "shape", &sizes) || !nr_lower_sizes(l, &sizes)) return NR_ERROR_INVALID;
  NrShape shapes[2] = {nr_lower_shape(l, x), shape_of(&sizes)}, to;
  if (!nr_lower_broadcast(l, shapes, 2, &to)) return NR_ERROR_INVALID;
  size_t count;
  if (to.rank == 1 && nr_dim_known(to.dims[0]) && to.dims[0].size <= NR_SMALL_LIST &&
      nr_lower_elements(l, x, elements, 1, &count, false) && count == 1) {
    for (int64_t i = 1; i < to.dims[0].size; i++) elements[i] = elements[0];
    NrType type = nr_shape_type(l, &to, x->type->elem);
    return nr_lower_out(l, 0, nr_lower_from_elements(l, type, elements, (size_t)to.dims[0].size), nr_lower_dtype(l, 0));
  }
  return nr_lower_out(l, 0, nr_lower_broadcast_to(l, x, &to), nr_lower_dtype(l, 0));
}

/* ---- Range ---- */

typedef struct Steps {
  NrValue *start, *delta;
  NoriaDType dtype;
} Steps;

static NrValue *steps_body(NrLower *l, NrValue *const *indices, void *user) {
  const Steps *s = user;
  NrType type = s->start->type;
  NrValue *i = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), indices[0]);
  if (!nr_dtype_is_float(s->dtype))
    i = nr_lower_op1(l, NR_OP_arith_index_cast, type, indices[0]);
  else
    i = nr_lower_op1(l, NR_OP_arith_sitofp, type, i);
  return nr_lower_add(l, s->start, nr_lower_mul(l, i, s->delta));
}

/* The number of steps by delta, which is not 0, from start until limit. */
static NrDim count_int_steps(NrLower *l, NrValue *start, NrValue *limit, NrValue *delta) {
  NrDim from = nr_dim_of_index(nr_lower_as_index(l, start)), to = nr_dim_of_index(nr_lower_as_index(l, limit));
  NrDim step = nr_dim_of_index(nr_lower_as_index(l, delta)), zero = nr_dim(0);
  NrValue *down = nr_lower_cmpi(l, NR_CMPI_SLT, nr_dim_value(l, step), nr_dim_value(l, zero));
  NrDim low = nr_dim_select(l, down, to, from), high = nr_dim_select(l, down, from, to);
  NrDim width = nr_dim_select(l, down, nr_dim_sub(l, zero, step), step);
  if (nr_dim_known(low) && low.size >= 0 && nr_dim_known(width))
    return nr_dim_ceildiv(l, nr_dim_sub(l, nr_dim_max(l, high, low), low), width);
  /* The distance of the ends and the magnitude of the smallest step may need one bit more, so both are unsigned. */
  NrValue *rises = nr_lower_cmpi(l, NR_CMPI_SLT, nr_dim_value(l, low), nr_dim_value(l, high));
  NrDim span = nr_dim_select(l, rises, nr_dim_sub(l, high, low), zero);
  NrValue *count =
      nr_lower_op2(l, NR_OP_arith_ceildivui, nr_type_index(l->ctx), nr_dim_value(l, span), nr_dim_value(l, width));
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, count, nr_dim_value(l, zero)),
                 "the range has more elements than can be counted", NULL, 0);
  return nr_dim_of_index(count);
}

/* The same of floats. */
static NrDim count_float_steps(NrLower *l, NrValue *start, NrValue *limit, NrValue *delta) {
  NrAttr a = nr_value_constant(start), b = nr_value_constant(limit), c = nr_value_constant(delta);
  if (a && b && c) {
    double n = ceil((b->f - a->f) / c->f);
    if (!(n < 0x1p62)) nr_lower_error(l, "the number of steps is not finite");
    return nr_dim(n > 0 && n < 0x1p62 ? (int64_t)n : 0);
  }
  NrType f64 = nr_type_f64(l->ctx);
  NrValue *ends[3] = {start, limit, delta};
  for (int i = 0; i < 3; i++)
    if (ends[i]->type != f64) ends[i] = nr_lower_op1(l, NR_OP_arith_extf, f64, ends[i]);
  NrValue *n = nr_lower_op2(l, NR_OP_arith_divf, f64, nr_lower_sub(l, ends[1], ends[0]), ends[2]);
  n = nr_lower_op1(l, NR_OP_math_ceil, f64, n);
  NrValue *sane = nr_lower_cmpf(l, NR_CMPF_OLT, n, nr_lower_float(l, f64, 0x1p62)); /* false for NaN */
  nr_lower_check(l, sane, "the number of steps is not finite", NULL, 0);
  n = nr_lower_op2(l, NR_OP_arith_maximumf, f64, n, nr_lower_float(l, f64, 0));
  NrValue *whole = nr_lower_op1(l, NR_OP_arith_fptosi, nr_type_i64(l->ctx), n);
  return nr_dim_of_index(nr_lower_as_index(l, whole));
}

NrStatus nr_lower_range(NrLower *l) {
  NoriaDType dtype = nr_lower_dtype(l, 0);
  bool is_float = nr_dtype_is_float(dtype);
  NrType elem = nr_lower_in(l, 0)->type->elem;
  NrValue *ends[3];
  for (size_t i = 0; i < 3; i++) {
    if (nr_lower_dtype(l, i) != dtype) return nr_lower_error(l, "start, limit and delta must be of one type");
    ends[i] = nr_lower_scalar(l, nr_lower_in(l, i));
  }
  int64_t step, start;
  if (!is_float) {
    if (nr_value_constant_int(ends[2], &step) && step == 0) return nr_lower_error(l, "delta is 0");
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, ends[2], nr_lower_int(l, elem, 0)), "delta is 0", NULL, 0);
  }
  NrDim count = (is_float ? count_float_steps : count_int_steps)(l, ends[0], ends[1], ends[2]);
  NrShape shape = {1, {is_float ? nr_dim_max(l, count, nr_dim(0)) : count}};
  bool known = !is_float && nr_value_constant_int(ends[0], &start) && nr_value_constant_int(ends[2], &step);
  if (known && nr_dim_known(shape.dims[0]) && shape.dims[0].size <= NR_SMALL_LIST) {
    NrValue *elements[NR_SMALL_LIST];
    for (int64_t i = 0; i < shape.dims[0].size; i++)
      elements[i] = nr_lower_int(l, elem, (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)step));
    NrType type = nr_shape_type(l, &shape, elem);
    return nr_lower_out(l, 0, nr_lower_from_elements(l, type, elements, (size_t)shape.dims[0].size), dtype);
  }
  Steps s = {ends[0], ends[2], dtype};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, elem, steps_body, &s), dtype);
}

/* ---- EyeLike, Trilu ---- */

typedef struct Diagonal {
  NrValue *x, *k; /* k: index */
  NrValue *on, *off;
  bool upper;
} Diagonal;

static NrValue *eye_body(NrLower *l, NrValue *const *indices, void *user) {
  const Diagonal *d = user;
  NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, indices[1], nr_lower_add(l, indices[0], d->k));
  return nr_lower_select(l, here, d->on, d->off);
}

NrStatus nr_lower_eye_like(NrLower *l) {
  NrValue *like = nr_lower_in(l, 0);
  if (nr_rank(like) != 2) return nr_lower_error(l, "the input has rank %u, not 2", nr_rank(like));
  NoriaDType dtype = (NoriaDType)nr_lower_attr_int_or(l, "dtype", nr_lower_dtype(l, 0));
  NrType elem = nr_lower_elem_type(l->ctx, dtype);
  if (!elem) return nr_lower_error(l, "dtype %d is not known", (int)dtype);
  NrShape shape = nr_lower_shape(l, like);
  Diagonal d = {.k = nr_lower_index(l, nr_lower_attr_int(l, "k")),
                .on = nr_lower_constant(l, elem, 1),
                .off = nr_lower_constant(l, elem, 0)};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, elem, eye_body, &d), dtype);
}

static NrValue *trilu_body(NrLower *l, NrValue *const *indices, void *user) {
  const Diagonal *d = user;
  size_t rank = nr_rank(d->x);
  NrValue *diagonal = nr_lower_add(l, indices[rank - 2], d->k);
  NrValue *keep = nr_lower_cmpi(l, d->upper ? NR_CMPI_SGE : NR_CMPI_SLE, indices[rank - 1], diagonal);
  return nr_lower_select(l, keep, nr_lower_extract(l, d->x, indices, rank), d->off);
}

NrStatus nr_lower_trilu(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *k = nr_lower_in(l, 1);
  if (nr_rank(x) < 2) return nr_lower_error(l, "the input has rank %u, less than 2", nr_rank(x));
  NrShape shape = nr_lower_shape(l, x);
  Diagonal d = {.x = x,
                .k = k ? nr_lower_as_index(l, nr_lower_scalar(l, k)) : nr_lower_index(l, 0),
                .off = nr_lower_constant(l, x->type->elem, 0),
                .upper = nr_lower_attr_int(l, "upper") != 0};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, x->type->elem, trilu_body, &d), nr_lower_dtype(l, 0));
}

/* ---- OneHot ---- */

typedef struct Hot {
  NrValue *positions, *on, *off;
  NrDim depth;
  size_t axis;
} Hot;

static NrValue *hot_body(NrLower *l, NrValue *const *indices, void *user) {
  const Hot *h = user;
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = nr_rank(h->positions);
  for (size_t i = 0; i < rank; i++) at[i] = indices[i < h->axis ? i : i + 1];
  NrValue *position = nr_lower_as_index(l, nr_lower_extract(l, h->positions, at, rank));
  position = nr_dim_value(l, nr_dim_wrap(l, nr_dim_of_index(position), h->depth));
  return nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, position, indices[h->axis]), h->on, h->off);
}

static NrValue *to_i64_body(NrLower *l, NrValue *const *args, void *user) {
  const NoriaDType *dtype = user;
  NrValue *x = nr_lower_cast(l, args[0], *dtype, NORIA_I64, false);
  if (*dtype != NORIA_U64) return x;
  /* A value beyond int64 is larger than any depth; it must not wrap to a position from the end. */
  NrValue *wraps = nr_lower_cmpi(l, NR_CMPI_SLT, x, nr_lower_int(l, x->type, 0));
  return nr_lower_select(l, wraps, nr_lower_int(l, x->type, INT64_MAX), x);
}

static NrValue *as_i64(NrLower *l, size_t input) {
  NrValue *x = nr_lower_in(l, input);
  NoriaDType dtype = nr_lower_dtype(l, input);
  return dtype == NORIA_I64 ? x : nr_lower_map(l, &x, 1, nr_type_i64(l->ctx), to_i64_body, &dtype);
}

NrStatus nr_lower_one_hot(NrLower *l) {
  NrValue *positions = as_i64(l, 0), *depth = as_i64(l, 1), *values = nr_lower_in(l, 2);
  NrShape from, shape = {0};
  Hot h = {.positions = positions};
  if (!positions || !depth) return NR_ERROR_INVALID;
  from = nr_lower_shape(l, positions);
  shape.rank = from.rank + 1;
  if (shape.rank > NORIA_MAX_RANK) return nr_lower_error(l, "the result has more than %d dims", NORIA_MAX_RANK);
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), shape.rank, &h.axis)) return NR_ERROR_INVALID;
  NrInts sizes = {true, 1, {nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, depth)))}};
  if (!nr_lower_sizes(l, &sizes)) return NR_ERROR_INVALID;
  h.depth = sizes.at[0];
  for (size_t i = 0, k = 0; i < shape.rank; i++) shape.dims[i] = i == h.axis ? h.depth : from.dims[k++];
  if (nr_rank(values) != 1) return nr_lower_error(l, "the values must be two: off and on");
  nr_lower_check_dims_equal(l, nr_lower_dim(l, values, 0), nr_dim(2), "number of values, off and on");
  NrValue *zero = nr_lower_index(l, 0), *one = nr_lower_index(l, 1);
  h.off = nr_lower_extract(l, values, &zero, 1);
  h.on = nr_lower_extract(l, values, &one, 1);
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, values->type->elem, hot_body, &h), nr_lower_dtype(l, 2));
}
