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
  NrValue *channels_last; /* RoiAlign: x as [batch, height, width, channel] */
  /* of the region at hand, in RoiAlign; grid: the samples of a bin */
  NrValue *first[2], *bin[2];
  NrShape grid;
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

/* Loops over the first `depth` dims of the result: regions, channels, rows and columns of bins. */
static NrStatus over_bins(NrLower *l, Roi *t, size_t depth, NrNestFn body) {
  NrShape out = {4, {nr_lower_dim(l, t->rois, 0), nr_lower_dim(l, t->x, 1), t->bins[0], t->bins[1]}};
  for (size_t i = 2; i < 4; i++) nr_lower_expect_elements(l, "X", t->x, i, &out);
  NrValue *y = nr_lower_empty(l, &out, t->x->type->elem);
  NrShape loops = out;
  loops.rank = depth;
  NR_TRY(nr_lower_nest(l, &loops, &y, 1, &y, body, t));
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

/* A sample: its four neighbours' weights, and whether it counts. Its value is 0 outside of the image. */
typedef struct Sample {
  const Roi *t;
  NrValue *weights[4], *inside;
} Sample;

/* args: the neighbours' elements in a channel, and the sum or the maximum of the samples before. */
static void add_sample(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Sample *s = user;
  NrValue *value = NULL;
  for (size_t k = 0; k < 4; k++) {
    NrValue *part = nr_lower_contract(mul(l, s->weights[k], nr_lower_widen(l, args[k])));
    value = !value ? part : s->t->max ? larger(l, value, part) : nr_lower_contract(add(l, value, part));
  }
  value = nr_lower_select(l, s->inside, value, num(l, value, 0));
  results[0] = s->t->max ? larger(l, args[4], value) : add(l, args[4], value);
}

/* The elements of all channels at a place. */
static NrValue *channels_at(NrLower *l, const Roi *t, NrValue *row, NrValue *column) {
  NrDim at[4] = {nr_dim_of_index(t->batch), nr_dim_of_index(row), nr_dim_of_index(column), nr_dim(0)};
  NrDim sizes[4] = {nr_dim(1), nr_dim(1), nr_dim(1), nr_lower_dim(l, t->x, 1)};
  NrValue *slice = nr_lower_slice(l, t->channels_last, at, sizes, NULL);
  return nr_lower_reshape(l, slice, &(NrShape){1, {sizes[3]}});
}

/* carried: of each channel the sum or the maximum of the samples before. */
static NrStatus sample_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  const Roi *t = user;
  Sample s = {.t = t};
  NrValue *places[2][2], *weights[2][2], *elements[4];
  for (size_t d = 0; d < 2; d++) {
    NrValue *k = nr_lower_index_to_float(l, at[d], t->wide);
    NrValue *x = add(l, t->begin[d], mul(l, add(l, k, num(l, k, .5)), t->step[d]));
    NrValue *near = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, x, num(l, x, -1)),
                         nr_lower_cmpf(l, NR_CMPF_OLE, x, size_of(l, t, d)));
    s.inside = s.inside ? both(l, s.inside, near) : near;
    neighbours(l, t, x, d, places[d], weights[d]);
  }
  for (size_t k = 0; k < 4; k++) {
    s.weights[k] = mul(l, weights[0][k / 2], weights[1][k % 2]);
    elements[k] = channels_at(l, t, places[0][k / 2], places[1][k % 2]);
  }
  NrAttr along = nr_attr_affine_identity(l->ctx, 1), maps[5] = {along, along, along, along, along};
  next[0] = nr_op_result(nr_lower_generic(l, elements, 4, carried, 1, maps, "p", add_sample, &s));
  return NR_OK;
}

typedef struct Mean {
  const Roi *t;
  NrValue *some, *divisor; /* whether there are samples, and how many */
} Mean;

static NrValue *finish_body(NrLower *l, NrValue *const *args, void *user) {
  const Mean *m = user;
  NrValue *value = m->t->max ? nr_lower_select(l, m->some, args[0], num(l, args[0], 0)) : divf(l, args[0], m->divisor);
  return nr_lower_narrow(l, value, m->t->x->type->elem);
}

/* carried: the bins of a region, channels last. */
static NrStatus bin_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  Roi *t = user;
  NrDim channels = nr_lower_dim(l, t->x, 1);
  for (size_t d = 0; d < 2; d++)
    t->begin[d] = add(l, t->first[d], mul(l, nr_lower_index_to_float(l, at[d], t->wide), t->bin[d]));
  NrValue *none = t->max ? nr_lower_neutral(l, NR_OP_arith_maximumf, t->wide) : nr_lower_constant(l, t->wide, 0);
  NrValue *value = nr_lower_fill(l, &(NrShape){1, {channels}}, none);
  NR_TRY(nr_lower_nest(l, &t->grid, &value, 1, &value, sample_body, t));
  NrDim count = nr_dim_mul(l, t->grid.dims[0], t->grid.dims[1]);
  Mean mean = {t, nr_lower_cmpi(l, NR_CMPI_SGT, nr_dim_value(l, count), nr_lower_index(l, 0)), NULL};
  mean.divisor = nr_lower_index_to_float(l, nr_dim_value(l, nr_dim_max(l, count, nr_dim(1))), t->wide);
  value = nr_lower_map(l, &value, 1, t->x->type->elem, finish_body, &mean);
  value = nr_lower_reshape(l, value, &(NrShape){3, {nr_dim(1), nr_dim(1), channels}});
  NrDim place[3] = {nr_dim_of_index(at[0]), nr_dim_of_index(at[1]), nr_dim(0)};
  next[0] = nr_lower_insert_slice(l, value, carried[0], place);
  return NR_OK;
}

/* Where a sample lies is computed once for all channels, which lie side by side. */
static NrStatus align_body(NrLower *l, NrValue *const *at, NrValue *const *carried, NrValue **next, void *user) {
  Roi *t = user;
  t->grid = (NrShape){.rank = 2};
  t->batch = nr_lower_as_index(l, nr_lower_extract(l, t->batches, at, 1));
  NrValue *scale = nr_lower_float(l, t->wide, t->scale), *offset = num(l, scale, t->half_pixel ? .5 : 0);
  for (size_t d = 0; d < 2; d++) { /* rows first; a region has columns first */
    NrValue *begin = sub(l, mul(l, roi_entry(l, t, at[0], d ? 0 : 1), scale), offset);
    NrValue *end = sub(l, mul(l, roi_entry(l, t, at[0], d ? 2 : 3), scale), offset);
    NrValue *size = sub(l, end, begin);
    if (!t->half_pixel) size = larger(l, size, num(l, size, 1));
    t->first[d] = begin;
    t->bin[d] = divf(l, size, nr_lower_index_to_float(l, nr_dim_value(l, t->bins[d]), t->wide));
    t->grid.dims[d] = nr_dim(t->samples);
    if (!t->samples) {
      NrValue *count = same1(l, NR_OP_math_ceil, t->bin[d]);
      count = nr_lower_clamp_float(l, count, num(l, count, 0), num(l, count, MAX_SAMPLES));
      t->grid.dims[d] = nr_dim_of_index(nr_lower_float_to_index(l, count));
    }
    NrDim some = nr_dim_max(l, t->grid.dims[d], nr_dim(1));
    t->step[d] = divf(l, t->bin[d], nr_lower_index_to_float(l, nr_dim_value(l, some), t->wide));
  }
  NrDim channels = nr_lower_dim(l, t->x, 1), place[4] = {nr_dim_of_index(at[0]), nr_dim(0), nr_dim(0), nr_dim(0)};
  NrShape bins = {2, {t->bins[0], t->bins[1]}}, last = {3, {t->bins[0], t->bins[1], channels}};
  NrValue *value = nr_lower_empty(l, &last, t->x->type->elem);
  NR_TRY(nr_lower_nest(l, &bins, &value, 1, &value, bin_body, t));
  value = nr_lower_transpose(l, value, (size_t[]){2, 0, 1});
  value = nr_lower_reshape(l, value, &(NrShape){4, {nr_dim(1), channels, t->bins[0], t->bins[1]}});
  next[0] = nr_lower_insert_slice(l, value, carried[0], place);
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
  if (!t.batches) return NR_ERROR_INVALID;
  t.channels_last = nr_lower_transpose(l, t.x, (size_t[]){0, 2, 3, 1});
  return over_bins(l, &t, 1, align_body);
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
  return over_bins(l, &t, 4, pool_body);
}
