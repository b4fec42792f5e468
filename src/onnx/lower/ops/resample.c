/* resample.c - see resample.h. What depends on one dim only, positions and weights, is computed once into tables of
 * that dim; each pass then resizes one dim. Nearest is one gather over all dims.
 *
 * Coordinates are computed in f32, the type of input scales and what ONNX Runtime does: near a tie, more digits would
 * choose another neighbour. */
#include "onnx/lower/ops/resample.h"

#include "onnx/lower/core/body.h"

#include <math.h>

enum { CUBIC_TAPS = 4 };

/* ---- scalars ---- */

NrValue *nr_lower_index_to_float(NrLower *l, NrValue *index, NrType type) {
  NrValue *whole = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), index);
  return nr_lower_op1(l, NR_OP_arith_sitofp, type, whole);
}

NrValue *nr_lower_clamp_float(NrLower *l, NrValue *x, NrValue *low, NrValue *high) {
  x = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, x, low), x, low);
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, x, high), x, high);
}

NrValue *nr_lower_float_to_index(NrLower *l, NrValue *x) {
  NrValue *whole = nr_lower_op1(l, NR_OP_arith_fptosi, nr_type_i64(l->ctx), x);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_index(l->ctx), whole);
}

NrValue *nr_lower_clamp_index(NrLower *l, NrValue *index, NrDim size) {
  NrValue *last = nr_dim_value(l, nr_dim_sub(l, size, nr_dim(1)));
  index = same2(l, NR_OP_arith_minsi, index, last);
  return same2(l, NR_OP_arith_maxsi, index, nr_lower_index(l, 0));
}

/* The cubic convolution kernel of parameter a at distance d: near for d <= 1, far for 1 <= d <= 2. */
static NrValue *cubic_near(NrLower *l, NrValue *d, double a) {
  NrValue *inner = sub(l, mul(l, num(l, d, a + 2), d), num(l, d, a + 3));
  return add(l, mul(l, mul(l, inner, d), d), num(l, d, 1));
}

static NrValue *cubic_far(NrLower *l, NrValue *d, double a) {
  NrValue *inner = sub(l, mul(l, num(l, d, a), d), num(l, d, 5 * a));
  return sub(l, mul(l, add(l, mul(l, inner, d), num(l, d, 8 * a)), d), num(l, d, 4 * a));
}

void nr_lower_cubic_weights(NrLower *l, NrValue *t, double a, NrValue *out[4]) {
  NrValue *rest = sub(l, num(l, t, 1), t);
  out[0] = cubic_far(l, add(l, t, num(l, t, 1)), a);
  out[1] = cubic_near(l, t, a);
  out[2] = cubic_near(l, rest, a);
  out[3] = cubic_far(l, add(l, rest, num(l, t, 1)), a);
}

NoriaDType nr_resample_dtype(NrLower *l, NoriaDType dtype) {
  if (dtype == NORIA_F64) return NORIA_F64;
  return nr_dtype_is_int(dtype) && nr_type_bits(nr_lower_elem_type(l->ctx, dtype)) >= 32 ? NORIA_F64 : NORIA_F32;
}

NrValue *nr_lower_round_sum(NrLower *l, NrValue *sum, NoriaDType dtype) {
  NoriaDType from = nr_resample_dtype(l, dtype);
  if (!nr_dtype_is_int(dtype)) return nr_lower_cast(l, sum, from, dtype, true);
  unsigned bits = nr_type_bits(nr_lower_elem_type(l->ctx, dtype));
  bool is_signed = !nr_dtype_is_unsigned(dtype);
  double above = ldexp(1, (int)bits - is_signed), low = is_signed ? -above : 0;
  double high = bits == 64 ? nextafter(above, 0) : above - 1;
  NrValue *whole = same1(l, NR_OP_math_roundeven, sum);
  whole = nr_lower_clamp_float(l, whole, num(l, sum, low), num(l, sum, high));
  return nr_lower_cast(l, whole, from, dtype, true);
}

/* ---- coordinates ---- */

typedef struct Pass {
  const NrResample *r;
  const NrResized *dim;
  NrValue *x; /* what is resized */
  size_t axis;
  NoriaDType dtype; /* of x */
  NrType sum;       /* the type of sums */
  int tap;          /* which neighbour a table is for */
} Pass;

/* Where end and begin are not finite, NaN or an infinity, which clamp_float and outside take. */
static NrValue *crop_coordinate(NrLower *l, const NrResized *d, NrValue *i, NrValue *last_in) {
  NrValue *one = num(l, i, 1), *out = nr_lower_index_to_float(l, nr_dim_value(l, d->out), i->type);
  NrValue *start = mul(l, d->begin, last_in), *part = mul(l, sub(l, d->end, d->begin), last_in);
  NrValue *several = nr_lower_cmpf(l, NR_CMPF_OGT, out, one);
  NrValue *gaps = nr_lower_select(l, several, sub(l, out, one), one);
  NrValue *middle = mul(l, mul(l, num(l, i, .5), add(l, d->begin, d->end)), last_in);
  return nr_lower_select(l, several, add(l, start, divf(l, mul(l, i, part), gaps)), middle);
}

/* The coordinate in the input of place i of the result. */
static NrValue *coordinate(NrLower *l, const Pass *p, NrValue *place) {
  const NrResized *d = p->dim;
  NrType f32 = nr_type_f32(l->ctx);
  NrValue *i = nr_lower_index_to_float(l, place, f32), *one = num(l, i, 1), *half = num(l, i, .5);
  NrValue *in = nr_lower_index_to_float(l, nr_dim_value(l, d->in), f32), *last_in = sub(l, in, one);
  NrValue *centred = divf(l, add(l, i, half), d->scale);
  switch (p->r->coordinates) {
  case NR_ASYMMETRIC: return divf(l, i, d->scale);
  case NR_TF_HALF_PIXEL_FOR_NN: return centred;
  case NR_TF_CROP_AND_RESIZE: return crop_coordinate(l, d, i, last_in);
  case NR_ALIGN_CORNERS: {
    NrValue *single = nr_lower_cmpf(l, NR_CMPF_OEQ, d->width, one);
    NrValue *gaps = nr_lower_select(l, single, one, sub(l, d->width, one));
    return nr_lower_select(l, single, num(l, i, 0), divf(l, mul(l, i, last_in), gaps));
  }
  case NR_PYTORCH_HALF_PIXEL: {
    NrValue *several = nr_lower_cmpi(l, NR_CMPI_SGT, nr_dim_value(l, d->out), nr_lower_index(l, 1));
    return nr_lower_select(l, several, sub(l, centred, half), num(l, i, 0));
  }
  case NR_HALF_PIXEL_SYMMETRIC: {
    NrValue *out = nr_lower_index_to_float(l, nr_dim_value(l, d->out), f32);
    NrValue *offset = mul(l, mul(l, in, half), sub(l, one, divf(l, out, d->width)));
    return add(l, offset, sub(l, centred, half));
  }
  case NR_HALF_PIXEL: break;
  }
  return sub(l, centred, half);
}

/* Limits a coordinate to what can be an index, farther outside than any neighbour that counts. */
static NrValue *limited(NrLower *l, const Pass *p, NrValue *x) {
  NrValue *in = nr_lower_index_to_float(l, nr_dim_value(l, p->dim->in), x->type);
  return nr_lower_clamp_float(l, x, num(l, x, -4), add(l, in, num(l, x, 4)));
}

/* Whether place indices[0] of the result lies outside of the input (i1). */
static NrValue *outside_body(NrLower *l, NrValue *const *indices, void *user) {
  const Pass *p = user;
  NrValue *x = coordinate(l, p, indices[0]);
  NrValue *in = nr_lower_index_to_float(l, nr_dim_value(l, p->dim->in), x->type);
  return either(l, nr_lower_cmpf(l, NR_CMPF_OLT, x, num(l, x, 0)),
                nr_lower_cmpf(l, NR_CMPF_OGT, x, sub(l, in, num(l, x, 1))));
}

static NrValue *outside_table(NrLower *l, const Pass *p) {
  return nr_lower_generate(l, &(NrShape){1, {p->dim->out}}, nr_type_i1(l->ctx), outside_body, (void *)p);
}

/* ---- nearest ---- */

static NrValue *nearest_body(NrLower *l, NrValue *const *indices, void *user) {
  const Pass *p = user;
  NrValue *x = coordinate(l, p, indices[0]), *half = num(l, x, .5);
  NrValue *down = same1(l, NR_OP_math_floor, x), *up = same1(l, NR_OP_math_ceil, x);
  switch (p->r->nearest) {
  case NR_FLOOR: x = down; break;
  case NR_CEIL: x = up; break;
  case NR_PREFER_FLOOR: x = same1(l, NR_OP_math_ceil, sub(l, x, half)); break;
  case NR_PREFER_CEIL: x = same1(l, NR_OP_math_floor, add(l, x, half)); break;
  case NR_SIMPLE: x = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, p->dim->scale, num(l, x, 1)), up, down); break;
  }
  NrValue *at = nr_lower_clamp_index(l, nr_lower_float_to_index(l, limited(l, p, x)), p->dim->in);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), at);
}

typedef struct Gather {
  NrValue *x;
  NrValue *tables[NORIA_MAX_RANK];  /* positions along each dim that changes, else NULL */
  NrValue *outside[NORIA_MAX_RANK]; /* whether they are outside, or NULL */
  NrValue *extrapolation;
} Gather;

static NrValue *gather_body(NrLower *l, NrValue *const *indices, void *user) {
  const Gather *g = user;
  NrValue *at[NORIA_MAX_RANK], *outside = NULL;
  size_t rank = nr_rank(g->x);
  for (size_t i = 0; i < rank; i++) {
    at[i] = g->tables[i] ? nr_lower_as_index(l, nr_lower_extract(l, g->tables[i], &indices[i], 1)) : indices[i];
    if (!g->outside[i]) continue;
    NrValue *out = nr_lower_extract(l, g->outside[i], &indices[i], 1);
    outside = outside ? either(l, outside, out) : out;
  }
  NrValue *x = nr_lower_extract(l, g->x, at, rank);
  return outside ? nr_lower_select(l, outside, g->extrapolation, x) : x;
}

/* The scalar that stands for places outside. */
static NrValue *extrapolation(NrLower *l, const NrResample *r, NoriaDType dtype) {
  NoriaDType sum = nr_resample_dtype(l, dtype);
  return nr_lower_round_sum(l, nr_lower_float(l, nr_lower_elem_type(l->ctx, sum), r->extrapolation), dtype);
}

static NrValue *resample_nearest(NrLower *l, Pass *p, const NrResized *dims, NrValue *x) {
  Gather g = {.x = x};
  NrShape shape = {.rank = nr_rank(x)};
  bool crops = p->r->coordinates == NR_TF_CROP_AND_RESIZE;
  for (size_t i = 0; i < shape.rank; i++) {
    shape.dims[i] = dims[i].out;
    if (!dims[i].changes) continue;
    p->dim = &dims[i];
    NrShape row = {1, {dims[i].out}};
    g.tables[i] = nr_lower_generate(l, &row, nr_type_i64(l->ctx), nearest_body, p);
    if (crops) g.outside[i] = outside_table(l, p);
  }
  if (crops) g.extrapolation = extrapolation(l, p->r, p->dtype);
  return nr_lower_generate(l, &shape, x->type->elem, gather_body, &g);
}

/* ---- linear and cubic ---- */

static NrValue *cubic_at(NrLower *l, NrValue *distance, double a) {
  NrValue *far = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, distance, num(l, distance, 2)),
                                 cubic_far(l, distance, a), num(l, distance, 0));
  NrValue *is_near = nr_lower_cmpf(l, NR_CMPF_OLE, distance, num(l, distance, 1));
  return nr_lower_select(l, is_near, cubic_near(l, distance, a), far);
}

/* How far the kernel reaches to either side, at a scale of 1. */
static int reach(const NrResample *r) { return r->filter == NR_CUBIC ? 2 : 1; }

/* The neighbour of place i at `tap`, and the fraction of the coordinate. The first tap is the one `before` positions
 * before the coordinate. Positions may be outside. */
static NrValue *neighbour(NrLower *l, const Pass *p, NrValue *place, NrValue *tap, NrValue *before,
                          NrValue **fraction) {
  NrValue *x = limited(l, p, coordinate(l, p, place)), *floor = same1(l, NR_OP_math_floor, x);
  *fraction = sub(l, x, floor);
  return sub(l, add(l, nr_lower_float_to_index(l, floor), tap), before);
}

/* 0 where exclude_outside is set and the neighbour is outside. */
static NrValue *weight_inside(NrLower *l, const Pass *p, NrValue *weight, NrValue *position) {
  if (!p->r->exclude_outside) return weight;
  NrValue *inside = nr_lower_cmpi(l, NR_CMPI_ULT, position, nr_dim_value(l, p->dim->in));
  return nr_lower_select(l, inside, weight, num(l, weight, 0));
}

/* The position of neighbour p->tap of place indices[0], at the edge where it would be outside. */
static NrValue *position_body(NrLower *l, NrValue *const *indices, void *user) {
  const Pass *p = user;
  NrValue *fraction, *before = nr_lower_index(l, reach(p->r) - 1);
  NrValue *at = neighbour(l, p, indices[0], nr_lower_index(l, p->tap), before, &fraction);
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_lower_clamp_index(l, at, p->dim->in));
}

static NrValue *weight_body(NrLower *l, NrValue *const *indices, void *user) {
  const Pass *p = user;
  NrValue *t, *weights[CUBIC_TAPS], *before = nr_lower_index(l, reach(p->r) - 1), *total = NULL;
  NrValue *first = neighbour(l, p, indices[0], nr_lower_index(l, 0), before, &t);
  if (p->r->filter == NR_LINEAR) return p->tap ? t : sub(l, num(l, t, 1), t);
  nr_lower_cubic_weights(l, t, p->r->cubic_a, weights);
  if (!p->r->exclude_outside) return weights[p->tap];
  for (int64_t k = 0; k < CUBIC_TAPS; k++) {
    weights[k] = weight_inside(l, p, weights[k], add(l, first, nr_lower_index(l, k)));
    total = total ? add(l, total, weights[k]) : weights[k];
  }
  return divf(l, weights[p->tap], total);
}

static NrValue *to_sum(NrLower *l, const Pass *p, NrValue *x) {
  return nr_lower_cast(l, x, p->dtype, nr_resample_dtype(l, p->dtype), true);
}

static NrValue *weight_as_sum(NrLower *l, const Pass *p, NrValue *weight) {
  return p->sum == weight->type ? weight : nr_lower_op1(l, NR_OP_arith_extf, p->sum, weight);
}

/* Element of x at the loop's place, but at `position` along the axis. dims_before: loop dims up to and with the axis;
 * `skipped` loop dims follow it that x does not have. */
static NrValue *element_at(NrLower *l, const Pass *p, NrValue *position, size_t skipped) {
  NrValue *at[NORIA_MAX_RANK];
  size_t rank = nr_rank(p->x);
  for (size_t i = 0; i < rank; i++)
    at[i] = i == p->axis ? position : nr_lower_loop_index(l, i < p->axis ? i : i + skipped);
  return to_sum(l, p, nr_lower_extract(l, p->x, at, rank));
}

/* args: position and weight of each tap. */
static void taps_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pass *p = user;
  NrValue *sum = NULL;
  for (int k = 0; k < 2 * reach(p->r); k++) {
    NrValue *x = element_at(l, p, nr_lower_as_index(l, args[2 * k]), 0);
    NrValue *product = mul(l, x, weight_as_sum(l, p, args[2 * k + 1]));
    sum = sum ? nr_lower_contract(add(l, sum, product)) : product;
  }
  results[0] = sum;
}

/* Sums over 2 or 4 neighbours, whose positions and weights are a table each. */
static NrValue *taps_pass(NrLower *l, Pass *p, const NrShape *shape) {
  NrValue *tables[2 * CUBIC_TAPS];
  NrAttr maps[2 * CUBIC_TAPS + 1];
  NrShape row = {1, {p->dim->out}};
  int taps = 2 * reach(p->r);
  NrAffineExpr along = nr_affine_dim(l->ctx, (uint32_t)p->axis);
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', shape->rank);
  for (p->tap = 0; p->tap < taps; p->tap++) {
    tables[2 * p->tap] = nr_lower_generate(l, &row, nr_type_i64(l->ctx), position_body, p);
    tables[2 * p->tap + 1] = nr_lower_generate(l, &row, nr_type_f32(l->ctx), weight_body, p);
  }
  for (int k = 0; k < 2 * taps; k++) maps[k] = nr_attr_affine_map(l->ctx, (uint32_t)shape->rank, 0, &along, 1);
  maps[2 * taps] = nr_attr_affine_identity(l->ctx, (uint32_t)shape->rank);
  NrValue *empty = nr_lower_empty(l, shape, p->sum);
  return nr_op_result(
      nr_lower_generic(l, tables, (size_t)(2 * taps), &empty, 1, maps, iterators, taps_body, p));
}

/* ---- with a kernel that is as wide as the scale asks for ---- */

/* min(scale, 1) */
static NrValue *shrink(NrLower *l, const Pass *p) {
  NrValue *one = num(l, p->dim->scale, 1);
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OLT, p->dim->scale, one), p->dim->scale, one);
}

/* How many neighbours count to either side: reach / shrink, rounded up. A result with elements has a scale of at least
 * half of 1 / in; limiting the number by that makes it fit an index in any case. */
static NrDim side(NrLower *l, const Pass *p) {
  NrValue *s = shrink(l, p), *wide = divf(l, num(l, s, reach(p->r)), s);
  NrDim most = nr_dim_mul(l, nr_dim_add(l, p->dim->in, nr_dim(1)), nr_dim(2 * reach(p->r)));
  NrValue *limit = nr_lower_index_to_float(l, nr_dim_value(l, most), s->type);
  wide = nr_lower_clamp_float(l, same1(l, NR_OP_math_ceil, wide), num(l, s, 1), limit);
  return nr_dim_of_index(nr_lower_float_to_index(l, wide));
}

static NrValue *wide_neighbour(NrLower *l, const Pass *p, NrValue *place, NrValue *tap, NrValue **fraction) {
  NrDim before = nr_dim_sub(l, side(l, p), nr_dim(1));
  return neighbour(l, p, place, tap, nr_dim_value(l, before), fraction);
}

static NrValue *wide_position_body(NrLower *l, NrValue *const *indices, void *user) {
  NrValue *fraction, *at = wide_neighbour(l, user, indices[0], indices[1], &fraction);
  NrDim in = ((const Pass *)user)->dim->in;
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_lower_clamp_index(l, at, in));
}

static NrValue *wide_weight_body(NrLower *l, NrValue *const *indices, void *user) {
  const Pass *p = user;
  NrValue *fraction, *at = wide_neighbour(l, p, indices[0], indices[1], &fraction);
  NrDim before = nr_dim_sub(l, side(l, p), nr_dim(1));
  NrValue *from_floor = nr_lower_index_to_float(l, sub(l, indices[1], nr_dim_value(l, before)), fraction->type);
  NrValue *distance = same1(l, NR_OP_math_absf, mul(l, sub(l, from_floor, fraction), shrink(l, p)));
  if (p->r->filter == NR_CUBIC) return weight_inside(l, p, cubic_at(l, distance, p->r->cubic_a), at);
  NrValue *weight = sub(l, num(l, distance, 1), distance);
  return weight_inside(l, p, larger(l, weight, num(l, weight, 0)), at);
}

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  return add(l, args[0], args[1]);
}

static NrValue *share_body(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  return divf(l, args[0], args[1]);
}

/* args: position, weight, running sum. */
static void wide_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pass *p = user;
  NrValue *x = element_at(l, p, nr_lower_as_index(l, args[0]), 1);
  results[0] = nr_lower_contract(add(l, args[2], mul(l, x, weight_as_sum(l, p, args[1]))));
}

/* The loop over taps is directly inside of that over the axis, so that inner dims stay contiguous. */
static NrValue *wide_pass(NrLower *l, Pass *p, const NrShape *shape) {
  NrShape table = {2, {p->dim->out, nr_dim_mul(l, side(l, p), nr_dim(2))}}, column = {2, {p->dim->out, nr_dim(1)}};
  NrValue *tables[2] = {nr_lower_generate(l, &table, nr_type_i64(l->ctx), wide_position_body, p),
                        nr_lower_generate(l, &table, nr_type_f32(l->ctx), wide_weight_body, p)};
  NrValue *zero = nr_lower_float(l, nr_type_f32(l->ctx), 0);
  NrValue *total = nr_lower_reduce(l, tables[1], 2, false, zero, NULL, sum_body, NULL);
  tables[1] = nr_lower_map(l, (NrValue *[]){tables[1], nr_lower_reshape(l, total, &column)}, 2, NULL, share_body, NULL);

  uint32_t loops = (uint32_t)shape->rank + 1;
  NrAffineExpr exprs[NORIA_MAX_RANK + 1], along[2];
  char iterators[NORIA_MAX_RANK + 2] = {0};
  for (uint32_t i = 0; i < loops; i++) iterators[i] = i == p->axis + 1 ? 'r' : 'p';
  for (uint32_t i = 0; i < shape->rank; i++) exprs[i] = nr_affine_dim(l->ctx, i <= p->axis ? i : i + 1);
  for (uint32_t i = 0; i < 2; i++) along[i] = nr_affine_dim(l->ctx, (uint32_t)p->axis + i);
  NrAttr row = nr_attr_affine_map(l->ctx, loops, 0, along, 2);
  NrAttr maps[3] = {row, row, nr_attr_affine_map(l->ctx, loops, 0, exprs, shape->rank)};
  NrValue *init = nr_lower_fill(l, shape, nr_lower_constant(l, p->sum, 0));
  return nr_op_result(nr_lower_generic(l, tables, 2, &init, 1, maps, iterators, wide_body, p));
}

/* ---- all dims ---- */

static NrValue *extrapolate_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_select(l, args[1], num(l, args[0], *(const double *)user), args[0]);
}

static NrValue *round_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_round_sum(l, args[0], *(const NoriaDType *)user);
}

NrValue *nr_lower_resample(NrLower *l, const NrResample *r, const NrResized *dims, NrValue *x, NoriaDType dtype) {
  NoriaDType sum = nr_resample_dtype(l, dtype);
  Pass p = {.r = r, .dtype = dtype, .sum = nr_lower_elem_type(l->ctx, sum)};
  if (r->filter == NR_NEAREST) return resample_nearest(l, &p, dims, x);
  NrType elem = x->type->elem;
  for (size_t i = nr_rank(x); i-- > 0;) {
    if (!dims[i].changes) continue;
    NrShape shape = nr_lower_shape(l, x);
    shape.dims[i] = dims[i].out;
    p.dim = &dims[i];
    p.axis = i;
    p.x = x;
    x = r->antialias ? wide_pass(l, &p, &shape) : taps_pass(l, &p, &shape);
    p.dtype = sum;
    if (r->coordinates != NR_TF_CROP_AND_RESIZE) continue;
    NrShape column = {.rank = shape.rank - i, .dims = {dims[i].out}};
    for (size_t k = 1; k < column.rank; k++) column.dims[k] = nr_dim(1);
    NrValue *outside = nr_lower_reshape(l, outside_table(l, &p), &column);
    double value = r->extrapolation;
    x = nr_lower_map(l, (NrValue *[]){x, outside}, 2, NULL, extrapolate_body, &value);
  }
  return x->type->elem == elem ? x : nr_lower_map(l, &x, 1, elem, round_body, &dtype);
}
