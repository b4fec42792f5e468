/* roi.c - RoiAlign, MaxRoiPool: a grid of bins over each of a list of regions. How many elements a bin has depends on
 * the region, so these are loops. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"

enum { MAX_SAMPLES = 1 << 20 }; /* of a bin along a dim; limits what wild regions cost */

typedef struct Roi {
  NrValue *x, *rois, *batches;
  NoriaDType dtype;
  NrType wide;
  NrDim bins[2];
  int64_t samples; /* along each dim of a bin; 0: by the region's size */
  bool half_pixel, max;
  double scale;
  /* of the bin at hand */
  NrValue *batch, *channel, *begin[2], *step[2];
} Roi;

/* Column i of region r. */
static NrValue *roi_entry(NrLower *l, const Roi *t, NrValue *r, int64_t i) {
  NrValue *v = nr_lower_extract(l, t->rois, (NrValue *[]){r, nr_lower_index(l, i)}, 2);
  return nr_lower_widen(l, v);
}

static NrValue *size_of(NrLower *l, const Roi *t, size_t d) {
  return nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, t->x, 2 + d)), t->wide);
}

static NrValue *put(NrLower *l, NrValue *value, NrValue *into, NrValue *const *at) {
  NrValue *operands[6] = {value, into};
  for (size_t i = 0; i < 4; i++) operands[2 + i] = at[i];
  return nr_build_value(&l->b, NR_OP_tensor_insert, into->type, operands, 6);
}

static NrStatus over_bins(NrLower *l, Roi *t, NrNestFn body) {
  NrShape out = {4, {nr_lower_dim(l, t->rois, 0), nr_lower_dim(l, t->x, 1), t->bins[0], t->bins[1]}};
  for (size_t i = 2; i < 4; i++) nr_lower_expect_elements(l, "X", t->x, i, &out);
  NrValue *y = nr_lower_empty(l, &out, t->x->type->elem);
  NR_TRY(nr_lower_nest(l, &out, &y, 1, &y, body, t));
  for (size_t i = 0; i < 4; i++) nr_lower_set_dim(l, y, i, out.dims[i]);
  return nr_lower_out(l, 0, y, t->dtype);
}

/* ---- RoiAlign ---- */

/* The two neighbours of a coordinate along dim d, and the weight of the second. */
static void neighbours(NrLower *l, const Roi *t, NrValue *x, size_t d, NrValue *at[2], NrValue *weight[2]) {
  NrValue *last = sub(l, size_of(l, t, d), num(l, x, 1));
  x = nr_lower_clamp_float(l, x, num(l, x, 0), last);
  NrValue *floor = same1(l, NR_OP_math_floor, x);
  at[0] = nr_lower_clamp_index(l, nr_lower_float_to_index(l, floor), nr_lower_dim(l, t->x, 2 + d));
  at[1] = nr_lower_clamp_index(l, add(l, at[0], nr_lower_index(l, 1)), nr_lower_dim(l, t->x, 2 + d));
  weight[1] = sub(l, x, floor);
  weight[0] = sub(l, num(l, x, 1), weight[1]);
}

/* carried: the sum or the maximum of the samples before. */
static NrStatus sample_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  const Roi *t = user;
  NrValue *places[2][2], *weights[2][2], *inside = NULL, *value = NULL;
  for (size_t d = 0; d < 2; d++) {
    NrValue *k = nr_lower_index_to_float(l, at[d], t->wide);
    NrValue *x = add(l, t->begin[d], mul(l, add(l, k, num(l, k, .5)), t->step[d]));
    NrValue *near = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, x, num(l, x, -1)),
                         nr_lower_cmpf(l, NR_CMPF_OLE, x, size_of(l, t, d)));
    inside = inside ? both(l, inside, near) : near;
    neighbours(l, t, x, d, places[d], weights[d]);
  }
  for (size_t k = 0; k < 4; k++) {
    NrValue *place[4] = {t->batch, t->channel, places[0][k / 2], places[1][k % 2]};
    NrValue *x = nr_lower_widen(l, nr_lower_extract(l, t->x, place, 4));
    NrValue *part = mul(l, mul(l, weights[0][k / 2], weights[1][k % 2]), x);
    value = !value ? part : t->max ? larger(l, value, part) : add(l, value, part);
  }
  value = nr_lower_select(l, inside, value, num(l, value, 0));
  next[0] = t->max ? larger(l, carried[0], value) : add(l, carried[0], value);
  return NR_OK;
}

static NrStatus align_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  Roi *t = user;
  NrShape samples = {.rank = 2};
  t->batch = nr_lower_as_index(l, nr_lower_extract(l, t->batches, at, 1));
  t->channel = at[1];
  NrValue *scale = nr_lower_float(l, t->wide, t->scale), *offset = num(l, scale, t->half_pixel ? .5 : 0);
  for (size_t d = 0; d < 2; d++) { /* rows first; a region has columns first */
    NrValue *begin = sub(l, mul(l, roi_entry(l, t, at[0], d ? 0 : 1), scale), offset);
    NrValue *end = sub(l, mul(l, roi_entry(l, t, at[0], d ? 2 : 3), scale), offset);
    NrValue *size = sub(l, end, begin);
    if (!t->half_pixel) size = larger(l, size, num(l, size, 1));
    NrValue *bin = divf(l, size, nr_lower_index_to_float(l, nr_dim_value(l, t->bins[d]), t->wide));
    samples.dims[d] = nr_dim(t->samples);
    if (!t->samples) {
      NrValue *count = same1(l, NR_OP_math_ceil, bin);
      count = nr_lower_clamp_float(l, count, num(l, count, 0), num(l, count, MAX_SAMPLES));
      samples.dims[d] = nr_dim_of_index(nr_lower_float_to_index(l, count));
    }
    t->begin[d] = add(l, begin, mul(l, nr_lower_index_to_float(l, at[2 + d], t->wide), bin));
    NrDim some = nr_dim_max(l, samples.dims[d], nr_dim(1));
    t->step[d] = divf(l, bin, nr_lower_index_to_float(l, nr_dim_value(l, some), t->wide));
  }
  NrDim count = nr_dim_mul(l, samples.dims[0], samples.dims[1]);
  NrValue *zero = nr_lower_constant(l, t->wide, 0);
  NrValue *value = t->max ? nr_lower_neutral(l, NR_OP_arith_maximumf, t->wide) : zero;
  NR_TRY(nr_lower_nest(l, &samples, &value, 1, &value, sample_body, t));
  NrValue *some = nr_lower_cmpi(l, NR_CMPI_SGT, nr_dim_value(l, count), nr_lower_index(l, 0));
  NrValue *divisor = nr_lower_index_to_float(l, nr_dim_value(l, nr_dim_max(l, count, nr_dim(1))), t->wide);
  value = t->max ? nr_lower_select(l, some, value, zero) : divf(l, value, divisor);
  next[0] = put(l, nr_lower_narrow(l, value, t->x->type->elem), carried[0], at);
  return NR_OK;
}

NrStatus nr_lower_roi_align(NrLower *l) {
  Roi t = {.x = nr_lower_in(l, 0), .rois = nr_lower_in(l, 1), .dtype = nr_lower_dtype(l, 0)};
  NrStr mode = nr_lower_attr_str(l, "mode");
  t.max = nr_str_is(mode, "max");
  if (!t.max && !nr_str_is(mode, "avg")) return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  if (l->version >= 16) {
    NrStr space = nr_lower_attr_str(l, "coordinate_transformation_mode");
    t.half_pixel = nr_str_is(space, "half_pixel");
    if (!t.half_pixel && !nr_str_is(space, "output_half_pixel"))
      return nr_lower_error(l, "coordinate_transformation_mode '%.*s' is not known", NR_STR_ARG(space));
  }
  int64_t height = nr_lower_attr_int(l, "output_height"), width = nr_lower_attr_int(l, "output_width");
  t.samples = nr_lower_attr_int(l, "sampling_ratio");
  t.scale = nr_lower_attr_float(l, "spatial_scale");
  t.wide = nr_lower_wide_type(t.x->type->elem);
  if (height < 1 || width < 1)
    return nr_lower_error(l, "the result is %lld x %lld", (long long)height, (long long)width);
  if (t.samples < 0 || t.samples > MAX_SAMPLES)
    return nr_lower_error(l, "sampling_ratio %lld is out of range", (long long)t.samples);
  t.bins[0] = nr_dim(height);
  t.bins[1] = nr_dim(width);
  if (!nr_lower_expect_rank(l, "X", t.x, 4) || !nr_lower_expect_rank(l, "rois", t.rois, 2) ||
      !nr_lower_expect_dim(l, "rois", t.rois, 1, nr_dim(4)) || !nr_lower_is_vector(l, 2, nr_lower_dim(l, t.rois, 0)))
    return NR_ERROR_INVALID;
  t.batches = nr_lower_positions(l, nr_lower_in(l, 2), nr_lower_dim(l, t.x, 0));
  return t.batches ? over_bins(l, &t, align_body) : NR_ERROR_INVALID;
}

/* ---- MaxRoiPool ---- */

static NrStatus largest_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  const Roi *t = user;
  NrValue *place[4] = {t->batch, t->channel, add(l, t->begin[0], at[0]), add(l, t->begin[1], at[1])};
  next[0] = larger(l, carried[0], nr_lower_extract(l, t->x, place, 4));
  return NR_OK;
}

/* A float as an index in [0, size]. */
static NrValue *place_in(NrLower *l, const Roi *t, NrValue *x, size_t d) {
  return nr_lower_float_to_index(l, nr_lower_clamp_float(l, x, num(l, x, 0), size_of(l, t, d)));
}

static NrStatus pool_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  Roi *t = user;
  NrShape window = {.rank = 2};
  NrValue *number = roi_entry(l, t, at[0], 0), *batches =
      nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, t->x, 0)), t->wide);
  NrValue *exists = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, number, num(l, number, 0)),
                         nr_lower_cmpf(l, NR_CMPF_OLT, number, batches));
  nr_lower_check(l, exists, "a region is of a batch that X does not have", NULL, 0);
  number = nr_lower_clamp_float(l, number, num(l, number, 0), batches);
  t->batch = nr_lower_clamp_index(l, nr_lower_float_to_index(l, number), nr_lower_dim(l, t->x, 0));
  t->channel = at[1];
  NrValue *scale = nr_lower_float(l, t->wide, t->scale), *one = num(l, scale, 1);
  for (size_t d = 0; d < 2; d++) {
    NrValue *begin = same1(l, NR_OP_math_round, mul(l, roi_entry(l, t, at[0], d ? 1 : 2), scale));
    NrValue *end = same1(l, NR_OP_math_round, mul(l, roi_entry(l, t, at[0], d ? 3 : 4), scale));
    NrValue *size = larger(l, add(l, sub(l, end, begin), one), one);
    NrValue *bin = divf(l, size, nr_lower_index_to_float(l, nr_dim_value(l, t->bins[d]), t->wide));
    NrValue *k = nr_lower_index_to_float(l, at[2 + d], t->wide);
    NrValue *from = add(l, begin, same1(l, NR_OP_math_floor, mul(l, k, bin)));
    NrValue *to = add(l, begin, same1(l, NR_OP_math_ceil, mul(l, add(l, k, one), bin)));
    t->begin[d] = place_in(l, t, from, d);
    NrDim count = nr_dim_sub(l, nr_dim_of_index(place_in(l, t, to, d)), nr_dim_of_index(t->begin[d]));
    window.dims[d] = nr_dim_max(l, count, nr_dim(0));
  }
  NrType elem = t->x->type->elem;
  NrValue *value = nr_lower_neutral(l, NR_OP_arith_maximumf, elem);
  NR_TRY(nr_lower_nest(l, &window, &value, 1, &value, largest_body, t));
  NrDim count = nr_dim_mul(l, window.dims[0], window.dims[1]);
  NrValue *some = nr_lower_cmpi(l, NR_CMPI_SGT, nr_dim_value(l, count), nr_lower_index(l, 0));
  next[0] = put(l, nr_lower_select(l, some, value, nr_lower_constant(l, elem, 0)), carried[0], at);
  return NR_OK;
}

NrStatus nr_lower_max_roi_pool(NrLower *l) {
  Roi t = {.x = nr_lower_in(l, 0), .rois = nr_lower_in(l, 1), .dtype = nr_lower_dtype(l, 0)};
  int64_t bins[NORIA_MAX_RANK];
  if (!nr_lower_window_list(l, "pooled_shape", 2, 1, 1, bins)) return NR_ERROR_INVALID;
  for (size_t d = 0; d < 2; d++) t.bins[d] = nr_dim(bins[d]);
  t.scale = nr_lower_attr_float(l, "spatial_scale");
  t.wide = nr_lower_wide_type(t.x->type->elem);
  if (!nr_lower_expect_rank(l, "X", t.x, 4) || !nr_lower_expect_rank(l, "rois", t.rois, 2) ||
      !nr_lower_expect_dim(l, "rois", t.rois, 1, nr_dim(5)))
    return NR_ERROR_INVALID;
  NrShape some = {4, {nr_lower_dim(l, t.rois, 0), nr_lower_dim(l, t.x, 1), t.bins[0], t.bins[1]}};
  nr_lower_expect_elements(l, "X", t.x, 0, &some);
  return over_bins(l, &t, pool_body);
}
