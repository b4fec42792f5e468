/* grid_sample.c - GridSample, AffineGrid, CropAndResize: elements at coordinates that are data. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/sample.h"

/* ---- GridSample ---- */

typedef struct Grid {
  NrSample s;
  NrValue *grid;
  size_t spatial;
} Grid;

/* The coordinate along spatial dim d: the grid has that of the last dim first, from -1 to 1. */
static NrValue *grid_coordinate(NrLower *l, const Grid *g, NrValue *const *at, size_t d) {
  NrValue *place[NORIA_MAX_RANK] = {at[0]};
  for (size_t i = 0; i < g->spatial; i++) place[1 + i] = at[2 + i];
  place[1 + g->spatial] = nr_lower_index(l, (int64_t)(g->spatial - 1 - d));
  NrValue *x = nr_lower_widen(l, nr_lower_extract(l, g->grid, place, g->spatial + 2));
  NrValue *size = nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, g->s.x, 2 + d)), x->type);
  NrValue *one = num(l, x, 1), *half = num(l, x, .5), *from_one = add(l, x, one);
  if (g->s.align_corners) return mul(l, mul(l, from_one, half), sub(l, size, one));
  return mul(l, sub(l, mul(l, from_one, size), one), half);
}

static NrValue *grid_body(NrLower *l, NrValue *const *at, void *user) {
  const Grid *g = user;
  NrValue *coordinates[NORIA_MAX_RANK];
  for (size_t d = 0; d < g->spatial; d++) coordinates[d] = grid_coordinate(l, g, at, d);
  NrValue *x = nr_lower_sample(l, &g->s, at, coordinates);
  return g->s.filter == NR_NEAREST ? x : nr_lower_round_sum(l, x, g->s.dtype);
}

static bool read_grid_attrs(NrLower *l, Grid *g) {
  static const char *const filters[] = {"nearest", "linear", "cubic", "nearest", "bilinear", "bicubic"};
  static const char *const paddings[] = {"zeros", "border", "reflection"};
  NrStr mode = nr_lower_attr_str(l, "mode"), padding = nr_lower_attr_str(l, "padding_mode");
  size_t m = 0, p = 0;
  while (m < NR_COUNTOF(filters) && !nr_str_is(mode, filters[m])) m++;
  while (p < NR_COUNTOF(paddings) && !nr_str_is(padding, paddings[p])) p++;
  if (m == NR_COUNTOF(filters)) return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode)), false;
  if (p == NR_COUNTOF(paddings))
    return nr_lower_error(l, "padding_mode '%.*s' is not known", NR_STR_ARG(padding)), false;
  g->s.filter = (NrFilter)(m % 3);
  g->s.padding = (NrPadding)p;
  g->s.align_corners = nr_lower_attr_int(l, "align_corners") != 0;
  if (g->s.filter != NR_NEAREST) return nr_lower_takes(l, 0, NR_NUMBERS);
  if (nr_lower_dtype(l, 0) == NORIA_STRING && g->s.padding == NR_ZEROS)
    return nr_lower_error(l, "there are no zeros of strings for padding_mode 'zeros'"), false;
  return true;
}

static NrStatus grid_sample(NrLower *l, bool cubic_by_taps) {
  Grid g = {.s = {.x = nr_lower_in(l, 0), .dtype = nr_lower_dtype(l, 0), .first = 2}, .grid = nr_lower_in(l, 1)};
  size_t rank = nr_rank(g.s.x);
  if (!read_grid_attrs(l, &g)) return NR_ERROR_INVALID;
  g.s.by_taps = cubic_by_taps && g.s.filter == NR_CUBIC;
  if (rank < 3) return nr_lower_error(l, "X has rank %zu, not 3 or more", rank);
  g.spatial = rank - 2;
  if (!nr_lower_expect_rank(l, "grid", g.grid, rank) ||
      !nr_lower_expect_dim(l, "grid", g.grid, 0, nr_lower_dim(l, g.s.x, 0)) ||
      !nr_lower_expect_dim(l, "grid", g.grid, rank - 1, nr_dim((int64_t)g.spatial)))
    return NR_ERROR_INVALID;
  if (g.spatial > 3 && g.s.filter != NR_NEAREST)
    return nr_lower_error(l, "X has %zu spatial dims; interpolation takes up to 3", g.spatial);
  NrShape out = {rank, {nr_lower_dim(l, g.s.x, 0), nr_lower_dim(l, g.s.x, 1)}};
  for (size_t i = 0; i < g.spatial; i++) out.dims[2 + i] = nr_lower_dim(l, g.grid, 1 + i);
  for (size_t i = 0; i < g.spatial; i++) nr_lower_expect_elements(l, "X", g.s.x, 2 + i, &out);
  return nr_lower_out(l, 0, nr_lower_generate(l, &out, g.s.x->type->elem, grid_body, &g), g.s.dtype);
}

NrStatus nr_lower_grid_sample(NrLower *l) { return grid_sample(l, false); }
NrStatus nr_lower_microsoft_grid_sample(NrLower *l) { return grid_sample(l, true); }

/* ---- AffineGrid ---- */

typedef struct Affine {
  NrValue *theta;
  size_t spatial;
  NrDim sizes[3];
  bool align_corners;
} Affine;

/* Place i of dim d between -1 and 1. */
static NrValue *unit_place(NrLower *l, const Affine *a, NrValue *place, size_t d, NrType type) {
  NrValue *i = nr_lower_index_to_float(l, place, type);
  NrValue *size = nr_lower_index_to_float(l, nr_dim_value(l, a->sizes[d]), type), *one = num(l, i, 1);
  if (!a->align_corners)
    return sub(l, divf(l, add(l, add(l, i, i), one), size), one);
  NrValue *gaps = sub(l, size, one);
  gaps = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, gaps, num(l, i, 0)), gaps, one);
  return sub(l, divf(l, add(l, i, i), gaps), one);
}

static NrValue *affine_body(NrLower *l, NrValue *const *at, void *user) {
  const Affine *a = user;
  NrType elem = a->theta->type->elem, wide = nr_lower_wide_type(elem);
  NrValue *sum = NULL;
  for (size_t k = 0; k <= a->spatial; k++) {
    NrValue *place[3] = {at[0], at[1 + a->spatial], nr_lower_index(l, (int64_t)k)};
    NrValue *term = nr_lower_widen(l, nr_lower_extract(l, a->theta, place, 3));
    size_t d = a->spatial - 1 - k; /* column k is for the k-th dim from the end, the last one is constant */
    if (k < a->spatial) term = mul(l, term, unit_place(l, a, at[1 + d], d, wide));
    sum = sum ? nr_lower_contract(add(l, sum, term)) : term;
  }
  return nr_lower_narrow(l, sum, elem);
}

NrStatus nr_lower_affine_grid(NrLower *l) {
  NrInts size;
  Affine a = {.theta = nr_lower_in(l, 0), .align_corners = nr_lower_attr_int(l, "align_corners") != 0};
  if (!nr_lower_ints(l, true, 1, "size", &size) || !nr_lower_sizes(l, &size)) return NR_ERROR_INVALID;
  if (size.count != 4 && size.count != 5) return nr_lower_error(l, "size has %zu elements, not 4 or 5", size.count);
  a.spatial = size.count - 2;
  int64_t rows = (int64_t)a.spatial;
  NrShape theta = {3, {size.at[0], nr_dim(rows), nr_dim(rows + 1)}}, out = {size.count, {size.at[0]}};
  if (!nr_lower_expect_shape(l, "theta", a.theta, &theta)) return NR_ERROR_INVALID;
  for (size_t i = 0; i < a.spatial; i++) out.dims[1 + i] = a.sizes[i] = size.at[2 + i];
  out.dims[1 + a.spatial] = nr_dim(rows);
  return nr_lower_out(l, 0, nr_lower_generate(l, &out, a.theta->type->elem, affine_body, &a), nr_lower_dtype(l, 0));
}

/* ---- CropAndResize ---- */

typedef struct Crop {
  NrSample s;
  NrValue *rois, *batches;
  NrDim size[2];
  double extrapolation;
} Crop;

/* The coordinate of place i along spatial dim d of region r, which runs from corner to corner. */
static NrValue *crop_coordinate(NrLower *l, const Crop *c, NrValue *r, NrValue *place, size_t d) {
  NrValue *begin = nr_lower_extract(l, c->rois, (NrValue *[]){r, nr_lower_index(l, (int64_t)d)}, 2);
  NrValue *end = nr_lower_extract(l, c->rois, (NrValue *[]){r, nr_lower_index(l, (int64_t)d + 2)}, 2);
  begin = nr_lower_widen(l, begin);
  end = nr_lower_widen(l, end);
  NrValue *size = nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, c->s.x, 2 + d)), begin->type);
  NrValue *out = nr_lower_index_to_float(l, nr_dim_value(l, c->size[d]), begin->type);
  NrValue *one = num(l, out, 1), *last = sub(l, size, one), *several = nr_lower_cmpf(l, NR_CMPF_OGT, out, one);
  NrValue *gaps = nr_lower_select(l, several, sub(l, out, one), one);
  NrValue *step = divf(l, mul(l, sub(l, end, begin), last), gaps);
  NrValue *at = add(l, mul(l, begin, last), mul(l, nr_lower_index_to_float(l, place, begin->type), step));
  return nr_lower_select(l, several, at, mul(l, mul(l, num(l, one, .5), add(l, begin, end)), last));
}

static NrValue *crop_body(NrLower *l, NrValue *const *at, void *user) {
  const Crop *c = user;
  NrValue *indices[2] = {nr_lower_as_index(l, nr_lower_extract(l, c->batches, at, 1)), at[1]};
  NrValue *coordinates[2], *inside = nr_lower_int(l, nr_type_i1(l->ctx), 1);
  for (size_t d = 0; d < 2; d++) {
    NrValue *x = coordinates[d] = crop_coordinate(l, c, at[0], at[2 + d], d);
    NrValue *size = nr_lower_index_to_float(l, nr_dim_value(l, nr_lower_dim(l, c->s.x, 2 + d)), x->type);
    inside = both(l, inside, nr_lower_cmpf(l, NR_CMPF_OGE, x, num(l, x, 0)));
    inside = both(l, inside, nr_lower_cmpf(l, NR_CMPF_OLE, x, sub(l, size, num(l, size, 1))));
    if (c->s.filter == NR_NEAREST) coordinates[d] = same1(l, NR_OP_math_round, x);
  }
  NrValue *x = nr_lower_widen(l, nr_lower_sample(l, &c->s, indices, coordinates));
  x = nr_lower_select(l, inside, x, num(l, x, c->extrapolation));
  return nr_lower_narrow(l, x, c->s.x->type->elem);
}

NrStatus nr_lower_crop_and_resize(NrLower *l) {
  Crop c = {.s = {.x = nr_lower_in(l, 0), .dtype = nr_lower_dtype(l, 0), .first = 2, .padding = NR_BORDER},
            .rois = nr_lower_in(l, 1), .extrapolation = nr_lower_attr_float(l, "extrapolation_value")};
  NrStr mode = nr_lower_attr_str(l, "mode");
  if (!nr_str_is(mode, "bilinear") && !nr_str_is(mode, "nearest"))
    return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  c.s.filter = nr_str_is(mode, "nearest") ? NR_NEAREST : NR_LINEAR;
  NrInts size;
  if (!nr_lower_expect_rank(l, "X", c.s.x, 4) || !nr_lower_expect_rank(l, "rois", c.rois, 2) ||
      !nr_lower_expect_dim(l, "rois", c.rois, 1, nr_dim(4)) || !nr_lower_is_vector(l, 2, nr_lower_dim(l, c.rois, 0)) ||
      !nr_lower_ints(l, true, 3, "crop_size", &size) || !nr_lower_sizes(l, &size))
    return NR_ERROR_INVALID;
  if (size.count != 2) return nr_lower_error(l, "crop_size has %zu elements, not 2", size.count);
  c.size[0] = size.at[0];
  c.size[1] = size.at[1];
  c.batches = nr_lower_positions(l, nr_lower_in(l, 2), nr_lower_dim(l, c.s.x, 0));
  if (!c.batches) return NR_ERROR_INVALID;
  NrShape out = {4, {nr_lower_dim(l, c.rois, 0), nr_lower_dim(l, c.s.x, 1), size.at[0], size.at[1]}};
  for (size_t i = 2; i < 4; i++) nr_lower_expect_elements(l, "X", c.s.x, i, &out);
  return nr_lower_out(l, 0, nr_lower_generate(l, &out, c.s.x->type->elem, crop_body, &c), c.s.dtype);
}
