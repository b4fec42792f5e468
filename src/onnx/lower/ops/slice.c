/* slice.c - Slice, Split, Concat and Tile. */
#include "onnx/lower/ops/data.h"

/* ---- Slice ---- */

typedef struct Range {
  NrDim start, end, step;
} Range;

/* Clamps a range to a dim. */
static void clamp_range(NrLower *l, const Range *r, NrDim dim, NrDim *offset, NrDim *size) {
  NrDim zero = nr_dim(0), one = nr_dim(1);
  NrDim start = nr_dim_wrap(l, r->start, dim), end = nr_dim_wrap(l, r->end, dim);
  /* For a positive step, both are in [0, dim]; for a negative one, start in [0, dim - 1] and end in [-1, dim - 1]. */
  if (nr_dim_known(r->step)) {
    bool up = r->step.size > 0;
    NrDim low = up ? zero : nr_dim(-1), high = up ? dim : nr_dim_sub(l, dim, one);
    NrDim from = nr_dim_clamp(l, start, zero, high), to;
    bool to_the_end = up && nr_dim_is(r->end, INT64_MAX), is_size = up && nr_dim_is_size(end);
    to = to_the_end ? dim : is_size ? nr_dim_min(l, end, dim) : nr_dim_clamp(l, end, low, high);
    if (up && nr_dim_is_size(start)) from = nr_dim_is(start, 0) ? zero : nr_dim_min(l, start, dim);
    NrDim span = up ? nr_dim_sub(l, to, from) : nr_dim_sub(l, from, to);
    *size = nr_dim_ceildiv(l, nr_dim_is(from, 0) && up ? span : nr_dim_max(l, span, zero),
                           nr_dim(up ? r->step.size : -NR_MAX(r->step.size, -INT64_MAX)));
    *offset = from;
    return;
  }
  NrValue *up = nr_lower_cmpi(l, NR_CMPI_SGT, r->step.value, nr_lower_index(l, 0));
  NrDim low = nr_dim_select(l, up, zero, nr_dim(-1)), high = nr_dim_select(l, up, dim, nr_dim_sub(l, dim, one));
  NrDim from = nr_dim_clamp(l, start, zero, high), to = nr_dim_clamp(l, end, low, high);
  NrDim span = nr_dim_select(l, up, nr_dim_sub(l, to, from), nr_dim_sub(l, from, to));
  NrDim stride = nr_dim_select(l, up, r->step, nr_dim_sub(l, zero, nr_dim_max(l, r->step, nr_dim(-INT64_MAX))));
  *size = nr_dim_ceildiv(l, nr_dim_max(l, span, zero), nr_dim_max(l, stride, one));
  *offset = from;
}

/* Slices along dynamic axes: each dim may have any of the ranges. */
static NrValue *slice_dynamic_axes(NrLower *l, NrValue *x, const NrInts *axes, const Range *ranges) {
  NrDim rank = nr_dim((int64_t)nr_rank(x));
  for (size_t i = 0; i < nr_rank(x); i++) {
    NrDim dim = nr_lower_dim(l, x, i);
    Range r = {nr_dim(0), dim, nr_dim(1)};
    for (size_t k = 0; k < axes->count; k++) {
      NrValue *axis = nr_lower_position(l, nr_dim_value(l, axes->at[k]), rank);
      if (!axis) return NULL;
      NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, axis, nr_lower_index(l, (int64_t)i));
      r = (Range){nr_dim_select(l, here, ranges[k].start, r.start), nr_dim_select(l, here, ranges[k].end, r.end),
                  nr_dim_select(l, here, ranges[k].step, r.step)};
    }
    NrDim offset, size;
    clamp_range(l, &r, dim, &offset, &size);
    x = nr_lower_slice_axis(l, x, i, offset, size, r.step);
  }
  return x;
}

/* All steps are positive constants, so one tensor.extract_slice is enough. */
static NrValue *slice_at_once(NrLower *l, NrValue *x, const size_t *axes, const Range *ranges, size_t count) {
  NrShape sizes = nr_lower_shape(l, x);
  NrDim offsets[NORIA_MAX_RANK], steps[NORIA_MAX_RANK];
  for (size_t i = 0; i < sizes.rank; i++) offsets[i] = nr_dim(0), steps[i] = nr_dim(1);
  for (size_t k = 0; k < count; k++) {
    clamp_range(l, &ranges[k], sizes.dims[axes[k]], &offsets[axes[k]], &sizes.dims[axes[k]]);
    steps[axes[k]] = ranges[k].step;
  }
  return nr_lower_slice(l, x, offsets, sizes.dims, steps);
}

NrStatus nr_lower_slice_op(NrLower *l) {
  bool inputs = l->version >= 10;
  NrInts starts, ends, axes, steps;
  if (!nr_lower_ints(l, inputs, 1, "starts", &starts) ||
      !nr_lower_ints_of(l, inputs, 2, "ends", starts.count, &ends) ||
      !nr_lower_ints_of(l, inputs, 3, "axes", starts.count, &axes) ||
      !nr_lower_ints_of(l, true, 4, "steps", starts.count, &steps))
    return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  if (!axes.given)
    for (axes.count = 0; axes.count < starts.count; axes.count++) axes.at[axes.count] = nr_dim((int64_t)axes.count);
  if (ends.count != starts.count || axes.count != starts.count || (steps.given && steps.count != starts.count))
    return nr_lower_error(l, "starts, ends, axes and steps must have one length");
  if (starts.count > nr_rank(x)) return nr_lower_error(l, "%zu ranges for rank %u", starts.count, nr_rank(x));
  Range ranges[NORIA_MAX_RANK];
  bool at_once = true;
  for (size_t i = 0; i < starts.count; i++) {
    ranges[i] = (Range){starts.at[i], ends.at[i], steps.given ? steps.at[i] : nr_dim(1)};
    NrDim step = ranges[i].step;
    if (nr_dim_is(step, 0)) return nr_lower_error(l, "a step is 0");
    if (!nr_dim_known(step))
      nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, step.value, nr_lower_index(l, 0)), "a step is 0", NULL, 0);
    at_once &= nr_dim_known(step) && step.size > 0;
  }
  if (!nr_ints_known(&axes)) return nr_lower_out(l, 0, slice_dynamic_axes(l, x, &axes, ranges), nr_lower_dtype(l, 0));
  size_t at[NORIA_MAX_RANK];
  if (!nr_lower_known_axes(l, &axes, nr_rank(x), at)) return NR_ERROR_INVALID;
  if (at_once && nr_rank(x) != 1)
    return nr_lower_out(l, 0, slice_at_once(l, x, at, ranges, starts.count), nr_lower_dtype(l, 0));
  for (size_t i = 0; i < starts.count; i++) {
    NrDim offset, size;
    clamp_range(l, &ranges[i], nr_lower_dim(l, x, at[i]), &offset, &size);
    x = nr_lower_slice_axis(l, x, at[i], offset, size, ranges[i].step);
  }
  return nr_lower_out(l, 0, x, nr_lower_dtype(l, 0));
}

/* ---- Split ---- */

/* Default sizes: equal ones; since opset 18 the last may be smaller. */
static bool equal_parts(NrLower *l, NrDim dim, size_t parts, NrInts *out) {
  NrDim n = nr_dim((int64_t)parts), size = nr_dim_ceildiv(l, dim, n), left = dim;
  if (l->version < 18 && nr_dim_known(dim) && dim.size % n.size != 0) {
    nr_lower_error(l, "%lld elements do not split into %zu equal parts", (long long)dim.size, parts);
    return false;
  }
  if (l->version < 18 && !nr_dim_known(dim))
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, nr_dim_mul(l, size, n)), dim.value),
                   "%0 elements do not split into equal parts", (NrValue *[]){dim.value}, 1);
  for (size_t i = 0; i < parts; i++) {
    out->at[i] = l->version < 18 ? size : nr_dim_clamp(l, size, nr_dim(0), nr_dim_max(l, left, nr_dim(0)));
    left = nr_dim_sub(l, left, out->at[i]);
  }
  out->count = parts;
  return true;
}

NrStatus nr_lower_split(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t axis, parts = nr_lower_num_out(l);
  NrInts sizes;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(x), &axis)) return NR_ERROR_INVALID;
  if (parts > NORIA_MAX_RANK) return nr_lower_error(l, "more than %d parts", NORIA_MAX_RANK);
  if (!nr_lower_ints_of(l, l->version >= 13 || (l->version == 1 && nr_lower_in(l, 1)), 1, "split", parts, &sizes))
    return NR_ERROR_INVALID;
  NrDim dim = nr_lower_dim(l, x, axis), offset = nr_dim(0), total = nr_dim(0);
  if (!sizes.given && !equal_parts(l, dim, parts, &sizes)) return NR_ERROR_INVALID;
  if (sizes.count != parts) return nr_lower_error(l, "%zu sizes for %zu outputs", sizes.count, parts);
  for (size_t i = 0; i < parts; i++) total = nr_dim_add(l, total, sizes.at[i]);
  if (nr_dim_known(total) && nr_dim_known(dim) && total.size != dim.size)
    return nr_lower_error(l, "parts of %lld elements in all do not fit a dim of %lld", (long long)total.size,
                          (long long)dim.size);
  if (sizes.given) nr_lower_check_dims_equal(l, total, dim, "elements of all parts, and of the dim");
  NrStatus status = NR_OK;
  for (size_t i = 0; i < parts && !status; i++) {
    NrDim size = sizes.at[i];
    if (nr_dim_known(size) && size.size < 0) return nr_lower_error(l, "a part has %lld elements", (long long)size.size);
    if (sizes.given && !nr_dim_is_size(size))
      nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, size.value, nr_lower_index(l, 0)), "a part has %0 elements",
                     &size.value, 1);
    status = nr_lower_out(l, i, nr_lower_slice_axis(l, x, axis, offset, size, nr_dim(1)), nr_lower_dtype(l, 0));
    offset = nr_dim_add(l, offset, size);
  }
  return status;
}

/* ---- Concat ---- */

NrStatus nr_lower_concat_op(NrLower *l) {
  size_t count = nr_lower_num_in(l), axis;
  NrValue *tensors[256];
  if (count == 0 || count > NR_COUNTOF(tensors)) return nr_lower_error(l, "%zu inputs: 1 to 256 can be joined", count);
  for (size_t i = 0; i < count; i++) {
    tensors[i] = nr_lower_in(l, i);
    if (!tensors[i]) return nr_lower_error(l, "input %zu is missing", i);
    if (nr_lower_dtype(l, i) != nr_lower_dtype(l, 0))
      return nr_lower_error(l, "input %zu is %s, the first one is %s", i, nr_dtype_name(nr_lower_dtype(l, i)),
                            nr_dtype_name(nr_lower_dtype(l, 0)));
    if (nr_rank(tensors[i]) != nr_rank(tensors[0]))
      return nr_lower_error(l, "input %zu has rank %u, the first one %u", i, nr_rank(tensors[i]), nr_rank(tensors[0]));
  }
  if (!nr_lower_axis(l, nr_lower_attr_int_or(l, "axis", 1), nr_rank(tensors[0]), &axis)) return NR_ERROR_INVALID;
  for (size_t k = 1; k < count; k++)
    for (size_t i = 0; i < nr_rank(tensors[0]); i++) {
      NrDim a = nr_lower_dim(l, tensors[0], i), b = nr_lower_dim(l, tensors[k], i);
      if (i != axis && nr_dim_known(a) && nr_dim_known(b) && a.size != b.size)
        return nr_lower_error(l, "input %zu has %lld elements in dim %zu, the first one %lld", k, (long long)b.size, i,
                              (long long)a.size);
    }
  return nr_lower_out(l, 0, nr_lower_concat(l, tensors, count, axis), nr_lower_dtype(l, 0));
}

/* ---- Tile ---- */

typedef struct Tile {
  NrValue *x;
  NrShape shape;
} Tile;

static NrValue *tile_body(NrLower *l, NrValue *const *indices, void *user) {
  const Tile *t = user;
  NrValue *at[NORIA_MAX_RANK];
  for (size_t i = 0; i < t->shape.rank; i++)
    at[i] = nr_lower_op2(l, NR_OP_arith_remui, indices[i]->type, indices[i], nr_dim_value(l, t->shape.dims[i]));
  return nr_lower_extract(l, t->x, at, t->shape.rank);
}

/* Repeats by broadcasting: reshapes [d] to [1, d], broadcasts to [n, d] and reshapes to [n * d]. */
static NrValue *tile(NrLower *l, NrValue *x, const NrInts *repeats) {
  NrShape from = nr_lower_shape(l, x), apart = {0}, wide = {0}, result = {.rank = from.rank};
  size_t splits = 0;
  for (size_t i = 0; i < from.rank; i++) splits += !nr_dim_is(repeats->at[i], 1);
  bool fits = from.rank + splits <= NORIA_MAX_RANK;
  for (size_t i = 0; i < from.rank; i++) {
    NrDim n = repeats->at[i], d = from.dims[i];
    result.dims[i] = nr_dim_mul(l, n, d);
    if (fits && !nr_dim_is(n, 1)) apart.dims[apart.rank++] = nr_dim(1), wide.dims[wide.rank++] = n;
    if (fits) apart.dims[apart.rank++] = wide.dims[wide.rank++] = d;
  }
  if (fits) return nr_lower_reshape(l, nr_lower_broadcast_to(l, nr_lower_reshape(l, x, &apart), &wide), &result);
  Tile t = {x, from};
  return nr_lower_generate(l, &result, x->type->elem, tile_body, &t);
}

NrStatus nr_lower_tile(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrInts repeats;
  if (!nr_lower_ints_of(l, true, 1, "repeats", l->version < 6 ? 1 : nr_rank(x), &repeats)) return NR_ERROR_INVALID;
  if (l->version < 6) {
    /* One axis, given by the third input. */
    NrInts axis, count = repeats;
    if (!nr_lower_ints(l, true, 2, "axis", &axis)) return NR_ERROR_INVALID;
    if (count.count != 1 || axis.count != 1) return nr_lower_error(l, "tiles and axis must be one integer each");
    repeats.count = nr_rank(x);
    NrValue *at = nr_lower_position(l, nr_dim_value(l, axis.at[0]), nr_dim((int64_t)repeats.count));
    if (!at) return NR_ERROR_INVALID;
    for (size_t i = 0; i < repeats.count; i++) {
      NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, at, nr_lower_index(l, (int64_t)i));
      repeats.at[i] = nr_dim_select(l, here, count.at[0], nr_dim(1));
    }
  }
  if (repeats.count != nr_rank(x)) return nr_lower_error(l, "%zu repeats for rank %u", repeats.count, nr_rank(x));
  for (size_t i = 0; i < repeats.count; i++) {
    NrDim n = repeats.at[i];
    if (nr_dim_known(n) && n.size < 0) return nr_lower_error(l, "repeats must not be negative");
    if (!nr_dim_is_size(n))
      nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SGE, n.value, nr_lower_index(l, 0)),
                     "repeats must not be negative, as %0 is", &n.value, 1);
  }
  return nr_lower_out(l, 0, tile(l, x, &repeats), nr_lower_dtype(l, 0));
}
