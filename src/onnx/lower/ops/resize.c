/* resize.c - Resize and Upsample: what their operands say of each dim. resample.c computes the result. */
#include <math.h>

#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"

/* A node's lists, one element for each of the axes. */
typedef struct Resize {
  NrValue *x;
  size_t count, axes[NORIA_MAX_RANK];
  bool stretches; /* the scales follow from the sizes */
  NrValue *scales[NORIA_MAX_RANK]; /* f32 */
  NrDim sizes[NORIA_MAX_RANK];
  NrValue *roi[2 * NORIA_MAX_RANK]; /* f32; set for NR_TF_CROP_AND_RESIZE */
  NrResample how;
  NrResized dims[NORIA_MAX_RANK];
} Resize;

/* ---- attributes ---- */

/* The place of the attribute's value among names, NULL at their end. An error gives false. */
static bool one_of(NrLower *l, const char *name, const char *const *names, int *out) {
  NrStr value = nr_lower_attr_str(l, name);
  for (*out = 0; names[*out]; ++*out)
    if (nr_str_is(value, names[*out])) return true;
  nr_lower_error(l, "attribute %s is '%.*s', which the op does not know", name, (int)value.size, value.data);
  return false;
}

static bool read_filter(NrLower *l, Resize *r) {
  static const char *const filters[] = {"nearest", "linear", "cubic", NULL};
  static const char *const old_filters[] = {"nearest", "linear", "bilinear", NULL}; /* bilinear in Upsample 1 */
  int filter;
  bool has_cubic = nr_lower_takes_attr(l, "cubic_coeff_a") && l->version >= 11;
  if (!one_of(l, "mode", has_cubic ? filters : old_filters, &filter)) return false;
  r->how.filter = has_cubic ? (NrFilter)filter : filter ? NR_LINEAR : NR_NEAREST;
  if (r->how.filter == NR_NEAREST || nr_lower_takes(l, 0, NR_NUMBERS)) return true;
  return false;
}

static bool read_attrs(NrLower *l, Resize *r) {
  static const char *const coordinates[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                            "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                                            "tf_crop_and_resize", NULL};
  static const char *const nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
  int k;
  r->how = (NrResample){.coordinates = NR_ASYMMETRIC, .nearest = NR_SIMPLE};
  if (!read_filter(l, r)) return false;
  if (!nr_lower_takes_attr(l, "nearest_mode") || l->version < 11) return true;
  if (!one_of(l, "coordinate_transformation_mode", coordinates, &k)) return false;
  r->how.coordinates = (NrCoordinates)k;
  if (!one_of(l, "nearest_mode", nearest, &k)) return false;
  r->how.nearest = (NrRounding)k;
  r->how.exclude_outside = nr_lower_attr_int(l, "exclude_outside") != 0;
  r->how.cubic_a = nr_lower_attr_float(l, "cubic_coeff_a");
  r->how.extrapolation = l->part == NR_IMAGINARY ? 0 : nr_lower_attr_float(l, "extrapolation_value");
  r->how.antialias = l->version >= 18 && nr_lower_attr_int(l, "antialias") != 0;
  if (r->how.coordinates == NR_TF_CROP_AND_RESIZE && nr_lower_dtype(l, 0) == NORIA_STRING)
    return nr_lower_error(l, "strings have no extrapolation_value for tf_crop_and_resize"), false;
  return true;
}

static bool read_axes(NrLower *l, Resize *r) {
  NrInts axes = {0};
  r->count = nr_rank(r->x);
  for (size_t i = 0; i < r->count; i++) r->axes[i] = i;
  if (!nr_lower_takes_attr(l, "axes") || l->version < 18) return true;
  if (!nr_lower_ints(l, false, 0, "axes", &axes)) return false;
  if (!axes.given) return true;
  r->count = axes.count;
  return nr_lower_known_axes(l, &axes, nr_rank(r->x), r->axes);
}

/* ---- operands ---- */

/* Input i when it is there and not known to be empty, which means the same. */
static NrValue *given(NrLower *l, size_t i) {
  NrValue *list = i < nr_lower_num_in(l) ? nr_lower_in(l, i) : NULL;
  return list && !(nr_rank(list) == 1 && nr_dim_is(nr_lower_dim(l, list, 0), 0)) ? list : NULL;
}

/* The elements of a list that has `count` of them. */
static bool elements_of(NrLower *l, NrValue *list, const char *name, size_t count, NrValue **out) {
  if (!nr_lower_expect_rank(l, name, list, 1) || !nr_lower_expect_dim(l, name, list, 0, nr_dim((int64_t)count)))
    return false;
  NrShape shape = {1, {nr_dim((int64_t)count)}};
  list = nr_lower_tensor_cast(l, list, nr_shape_type(l, &shape, list->type->elem));
  size_t n;
  return nr_lower_elements(l, list, out, 2 * NORIA_MAX_RANK, &n, true);
}

static void take_scale(NrLower *l, Resize *r, size_t i, NrValue *scale) {
  NrDim in = nr_lower_dim(l, r->x, r->axes[i]);
  NrAttr known = nr_value_constant(scale);
  r->scales[i] = scale;
  if (known && known->kind == NR_ATTR_FLOAT && known->f >= 1 && known->f <= 0x1p15 && known->f == floor(known->f)) {
    r->sizes[i] = nr_dim_mul(l, in, nr_dim((int64_t)known->f)); /* in f32, a large dim would be another number */
    return;
  }
  NrValue *width = mul(l, scale, nr_lower_index_to_float(l, nr_dim_value(l, in), scale->type));
  NrValue *fits = both(l, nr_lower_cmpf(l, NR_CMPF_OGT, scale, num(l, scale, 0)),
                       nr_lower_cmpf(l, NR_CMPF_OLT, width, num(l, width, 0x1p53)));
  nr_lower_check(l, fits, "a scale is not above 0, or makes a dim too large", NULL, 0);
  NrValue *safe = nr_lower_clamp_float(l, width, num(l, width, 0), num(l, width, 0x1p53));
  r->sizes[i] = nr_dim_of_index(nr_lower_float_to_index(l, same1(l, NR_OP_math_floor, safe)));
}

static bool read_scales(NrLower *l, Resize *r, size_t input) {
  NrValue *list = given(l, input), *scales[2 * NORIA_MAX_RANK];
  if (!list) return nr_lower_error(l, "there are neither scales nor sizes"), false;
  if (!elements_of(l, list, "scales", r->count, scales)) return false;
  for (size_t i = 0; i < r->count; i++)
    take_scale(l, r, i, nr_lower_cast(l, scales[i], nr_lower_dtype(l, input), NORIA_F32, true));
  return true;
}

/* Sizes that keep the ratio of the dims: all are scaled by the least or the largest of the scales. */
static void keep_ratio(NrLower *l, Resize *r, bool larger_one) {
  NrType f64 = nr_type_f64(l->ctx);
  NrValue *in[NORIA_MAX_RANK], *chosen = NULL;
  for (size_t i = 0; i < r->count; i++) {
    in[i] = nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, r->x, r->axes[i])), f64);
    NrValue *scale = divf(l, nr_lower_index_to_float(l, nr_dim_value(l, r->sizes[i]), f64), in[i]);
    chosen = !chosen ? scale : larger_one ? larger(l, chosen, scale) : smaller(l, chosen, scale);
  }
  for (size_t i = 0; i < r->count; i++) {
    NrValue *size = same1(l, NR_OP_math_floor, add(l, mul(l, chosen, in[i]), num(l, chosen, .5)));
    size = nr_lower_clamp_float(l, size, num(l, size, 0), num(l, size, 0x1p53));
    r->sizes[i] = nr_dim_of_index(nr_lower_float_to_index(l, size));
    r->scales[i] = nr_lower_op1(l, NR_OP_arith_truncf, nr_type_f32(l->ctx), chosen);
  }
}

static bool read_sizes(NrLower *l, Resize *r, NrValue *list) {
  static const char *const policies[] = {"stretch", "not_larger", "not_smaller", NULL};
  NrValue *elements[2 * NORIA_MAX_RANK];
  int policy = 0;
  if (!elements_of(l, list, "sizes", r->count, elements)) return false;
  for (size_t i = 0; i < r->count; i++) {
    r->sizes[i] = nr_dim_of_index(nr_lower_as_index(l, elements[i]));
    if (!nr_lower_size(l, &r->sizes[i])) return false;
  }
  if (l->version >= 18 && !one_of(l, "keep_aspect_ratio_policy", policies, &policy)) return false;
  if (policy) {
    keep_ratio(l, r, policy == 2);
    return true;
  }
  r->stretches = true;
  for (size_t i = 0; i < r->count; i++) {
    NrType f32 = nr_type_f32(l->ctx);
    NrValue *out = nr_lower_index_to_float(l, nr_dim_value(l, r->sizes[i]), f32);
    NrDim in = nr_lower_dim(l, r->x, r->axes[i]);
    r->scales[i] = divf(l, out, nr_lower_index_to_float(l, nr_dim_value(l, in), f32));
  }
  return true;
}

static bool read_roi(NrLower *l, Resize *r) {
  if (r->how.coordinates != NR_TF_CROP_AND_RESIZE) return true;
  NrValue *list = given(l, 1);
  if (!list) return nr_lower_error(l, "tf_crop_and_resize needs roi"), false;
  if (!elements_of(l, list, "roi", 2 * r->count, r->roi)) return false;
  for (size_t i = 0; i < 2 * r->count; i++)
    r->roi[i] = nr_lower_cast(l, r->roi[i], nr_lower_dtype(l, 1), NORIA_F32, true);
  return true;
}

/* ---- the result ---- */

static bool is_float(NrValue *scalar, double value) {
  NrAttr known = nr_value_constant(scalar);
  return known && known->kind == NR_ATTR_FLOAT && known->f == value;
}

/* Whether the elements along axis i of the lists are known to stay where they are. */
static bool stays(const Resize *r, size_t i) {
  const NrResized *d = &r->dims[r->axes[i]];
  if (!nr_dim_same(d->in, d->out) || (!r->stretches && !is_float(r->scales[i], 1))) return false;
  return r->how.coordinates != NR_TF_CROP_AND_RESIZE || (is_float(r->roi[i], 0) && is_float(r->roi[r->count + i], 1));
}

static NrStatus finish(NrLower *l, Resize *r) {
  NrShape out = nr_lower_shape(l, r->x);
  for (size_t i = 0; i < out.rank; i++) r->dims[i] = (NrResized){.in = out.dims[i], .out = out.dims[i]};
  for (size_t i = 0; i < r->count; i++) out.dims[r->axes[i]] = r->dims[r->axes[i]].out = r->sizes[i];
  for (size_t i = 0; i < r->count; i++) {
    NrResized *d = &r->dims[r->axes[i]];
    if (stays(r, i)) continue;
    d->changes = true;
    d->scale = r->scales[i];
    d->width = mul(l, d->scale, nr_lower_index_to_float(l, nr_dim_value(l, d->in), d->scale->type));
    d->begin = r->roi[i];
    d->end = r->roi[r->count + i];
    nr_lower_expect_elements(l, "X", r->x, r->axes[i], &out);
  }
  NoriaDType dtype = nr_lower_dtype(l, 0);
  return nr_lower_out(l, 0, nr_lower_resample(l, &r->how, r->dims, r->x, dtype), dtype);
}

NrStatus nr_lower_resize(NrLower *l) {
  Resize r = {.x = nr_lower_in(l, 0)};
  bool old = l->version < 11;
  if (!read_attrs(l, &r) || !read_axes(l, &r)) return NR_ERROR_INVALID;
  NrValue *sizes = old ? NULL : given(l, 3);
  bool read = sizes ? read_sizes(l, &r, sizes) : read_scales(l, &r, old ? 1 : 2);
  return read && read_roi(l, &r) ? finish(l, &r) : NR_ERROR_INVALID;
}

/* ---- Upsample ---- */

/* The scales of versions without an input for them. */
static bool attr_scales(NrLower *l, Resize *r) {
  const float *scales;
  size_t count;
  float by_name[4] = {1, 1};
  if (l->version < 7) {
    if (r->count != 4) return nr_lower_error(l, "X has rank %zu, not 4", r->count), false;
    by_name[2] = (float)nr_lower_attr_float(l, "height_scale");
    by_name[3] = (float)nr_lower_attr_float(l, "width_scale");
    scales = by_name;
    count = 4;
  } else if (!nr_lower_attr_floats(l, "scales", &scales, &count) || count != r->count) {
    return nr_lower_error(l, "scales must have %zu elements, one for each dim", r->count), false;
  }
  for (size_t i = 0; i < count; i++) take_scale(l, r, i, nr_lower_float(l, nr_type_f32(l->ctx), scales[i]));
  return true;
}

NrStatus nr_lower_upsample(NrLower *l) {
  Resize r = {.x = nr_lower_in(l, 0)};
  if (!read_attrs(l, &r) || !read_axes(l, &r)) return NR_ERROR_INVALID;
  if (!(l->version < 9 ? attr_scales(l, &r) : read_scales(l, &r, 1))) return NR_ERROR_INVALID;
  return finish(l, &r);
}
