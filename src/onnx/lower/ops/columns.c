/* columns.c - DeformConv, which gathers columns of a window at positions that are data, and Col2Im, which sums columns
 * back into an image. */
#include <stdio.h>

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/sample.h"

/* ---- DeformConv ---- */

typedef struct Deform {
  NrSample s;
  NrValue *offset, *mask;
  NrWindow w;
  NrDim channels, per_offset_group, taps; /* channels of a group and of an offset group; elements of the kernel */
} Deform;

/* at: batch, group, positions.., channel, kernel.. */
static NrValue *gather_body(NrLower *l, NrValue *const *at, void *user) {
  const Deform *f = user;
  size_t spatial = f->w.spatial;
  NrValue *const *kernel = at + 3 + spatial, *place[NORIA_MAX_RANK] = {at[0]}, *coordinates[NORIA_MAX_RANK];
  NrValue *channel = add(l, mul(l, at[1], nr_dim_value(l, f->channels)), at[2 + spatial]);
  NrValue *tap = same2(l, NR_OP_arith_divui, channel, nr_dim_value(l, f->per_offset_group));
  for (size_t i = 0; i < spatial; i++) {
    tap = add(l, mul(l, tap, nr_dim_value(l, f->w.size[i])), kernel[i]);
    place[2 + i] = at[2 + i];
  }
  for (size_t i = 0; i < spatial; i++) {
    NrValue *p = add(l, mul(l, at[2 + i], nr_lower_index(l, f->w.stride[i])),
                     mul(l, kernel[i], nr_lower_index(l, f->w.dilation[i])));
    p = sub(l, p, nr_dim_value(l, f->w.begin[i]));
    place[1] = add(l, mul(l, tap, nr_lower_index(l, (int64_t)spatial)), nr_lower_index(l, (int64_t)i));
    NrValue *moved = nr_lower_widen(l, nr_lower_extract(l, f->offset, place, 2 + spatial));
    coordinates[i] = add(l, nr_lower_index_to_float(l, p, moved->type), moved);
  }
  NrValue *x = nr_lower_sample(l, &f->s, (NrValue *[]){at[0], channel}, coordinates);
  if (!f->mask) return x;
  place[1] = tap;
  return mul(l, x, nr_lower_widen(l, nr_lower_extract(l, f->mask, place, 2 + spatial)));
}

/* Checks offset and mask against the window's positions. */
static bool expect_offsets(NrLower *l, Deform *f, NrDim batch, NrDim offset_groups) {
  size_t spatial = f->w.spatial;
  NrDim taps = nr_dim_mul(l, offset_groups, f->taps);
  NrShape mask = {2 + spatial, {batch, taps}}, offset = {2 + spatial, {batch}};
  offset.dims[1] = nr_dim_mul(l, taps, nr_dim((int64_t)spatial));
  for (size_t i = 0; i < spatial; i++) mask.dims[2 + i] = offset.dims[2 + i] = f->w.out[i];
  return nr_lower_expect_shape(l, "offset", f->offset, &offset) &&
         (!f->mask || nr_lower_expect_shape(l, "mask", f->mask, &mask));
}

static NrValue *optional_in(NrLower *l, size_t i) { return i < nr_lower_num_in(l) ? nr_lower_in(l, i) : NULL; }

NrStatus nr_lower_deform_conv(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *k = nr_lower_in(l, 1), *bias = optional_in(l, 3);
  Deform f = {.s = {.x = x, .dtype = nr_lower_dtype(l, 0), .first = 2, .filter = NR_LINEAR, .padding = NR_ZEROS},
              .offset = nr_lower_in(l, 2), .mask = optional_in(l, 4)};
  size_t rank = nr_rank(x);
  if (rank < 3 || rank > 5) return nr_lower_error(l, "X has rank %zu, not 3 to 5", rank);
  if (!nr_lower_expect_rank(l, "W", k, rank)) return NR_ERROR_INVALID;
  int64_t group = nr_lower_attr_int(l, "group"), offset_group = nr_lower_attr_int(l, "offset_group");
  if (group < 1 || offset_group < 1) return nr_lower_error(l, "group and offset_group must be positive");
  if (!nr_lower_window_kernel(l, k, &f.w)) return NR_ERROR_INVALID;
  NR_TRY(nr_lower_window(l, x, &f.w));
  NrShape sx = nr_lower_shape(l, x), sk = nr_lower_shape(l, k);
  NrDim groups = nr_dim(group), offset_groups = nr_dim(offset_group);
  NrDim per_group = nr_dim_div(l, sk.dims[0], groups), depth;
  f.channels = sk.dims[1];
  f.per_offset_group = nr_dim_max(l, nr_dim_div(l, sx.dims[1], offset_groups), nr_dim(1));
  f.taps = nr_shape_elements(l, &sk, 2, rank);
  depth = nr_dim_mul(l, f.channels, f.taps);
  if (!nr_lower_dims_agree(l, nr_dim_mul(l, f.channels, groups), sx.dims[1], "channels of W and X") ||
      !nr_lower_dims_agree(l, nr_dim_mul(l, per_group, groups), sk.dims[0], "output channels, and as many groups") ||
      !nr_lower_dims_agree(l, nr_dim_mul(l, f.per_offset_group, offset_groups), sx.dims[1],
                           "channels of X, and as many offset groups") ||
      (bias && !nr_lower_is_vector(l, 3, sk.dims[0])) || !expect_offsets(l, &f, sx.dims[0], offset_groups))
    return NR_ERROR_INVALID;
  NrShape columns = {2 * rank - 1, {sx.dims[0], groups}}, folded = {rank + 1, {sx.dims[0], groups}};
  NrShape out = {rank + 1, {sx.dims[0], groups, per_group}}, result = {rank, {sx.dims[0], sk.dims[0]}};
  for (size_t i = 0; i < f.w.spatial; i++) {
    columns.dims[2 + i] = folded.dims[2 + i] = out.dims[3 + i] = result.dims[2 + i] = f.w.out[i];
    columns.dims[1 + rank + i] = f.w.size[i];
  }
  columns.dims[rank] = f.channels;
  folded.dims[rank] = depth;
  for (size_t i = 2; i < rank; i++) nr_lower_expect_elements(l, "X", x, i, &columns);
  char column_dims[NORIA_MAX_RANK + 4], out_dims[NORIA_MAX_RANK + 4];
  snprintf(column_dims, sizeof column_dims, "ng%.*sq", (int)f.w.spatial, "abc");
  snprintf(out_dims, sizeof out_dims, "ngo%.*s", (int)f.w.spatial, "abc");
  NrType wide = nr_lower_wide_type(x->type->elem);
  NrValue *gathered = nr_lower_reshape(l, nr_lower_generate(l, &columns, wide, gather_body, &f), &folded);
  NrValue *flat = nr_lower_widen_tensor(l, nr_lower_reshape(l, k, &(NrShape){3, {groups, per_group, depth}}));
  NrValue *y = nr_lower_sum_products(l, gathered, column_dims, flat, "goq", out_dims, nr_lower_zeros(l, &out, wide));
  y = nr_lower_reshape(l, y, &result);
  if (bias) {
    NrShape column = {rank - 1, {sk.dims[0], nr_dim(1), nr_dim(1), nr_dim(1)}};
    y = nr_lower_sum(l, y, nr_lower_widen_tensor(l, nr_lower_reshape(l, bias, &column)));
  }
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, x->type->elem), nr_lower_dtype(l, 0));
}

/* ---- Col2Im ---- */

typedef struct Columns {
  NrValue *x;
  const NrWindow *w;
} Columns;

/* How many elements of the kernel an output looks at along dim i: without dilation, those a stride apart. */
static NrDim steps(NrLower *l, const NrWindow *w, size_t i) {
  return w->dilation[i] == 1 ? nr_dim_ceildiv(l, w->size[i], nr_dim(w->stride[i])) : w->size[i];
}

/* Kernel element *out_k and position *out_block of step m that reach p; the result says whether there are such ones. */
static NrValue *reaching(NrLower *l, const NrWindow *w, size_t i, NrValue *p, NrValue *m, NrValue **out_k,
                         NrValue **out_block) {
  NrValue *stride = nr_lower_index(l, w->stride[i]), *ok;
  if (w->dilation[i] == 1) {
    NrValue *whole = same2(l, NR_OP_arith_floordivsi, p, stride), *phase = sub(l, p, mul(l, whole, stride));
    *out_k = add(l, phase, mul(l, m, stride));
    *out_block = sub(l, whole, m);
    ok = nr_lower_cmpi(l, NR_CMPI_ULT, *out_k, nr_dim_value(l, w->size[i]));
  } else {
    p = sub(l, p, mul(l, m, nr_lower_index(l, w->dilation[i])));
    *out_k = m;
    *out_block = same2(l, NR_OP_arith_floordivsi, p, stride);
    ok = nr_lower_cmpi(l, NR_CMPI_EQ, mul(l, *out_block, stride), p);
  }
  return both(l, ok, nr_lower_cmpi(l, NR_CMPI_ULT, *out_block, nr_dim_value(l, w->out[i])));
}

/* Loops: batch, channel, image.., steps... args: the shape of the steps, the running sum. */
static void image_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Columns *c = user;
  const NrWindow *w = c->w;
  NrValue *tap = nr_lower_loop_index(l, 1), *column = nr_lower_index(l, 0);
  NrValue *inside = nr_lower_int(l, nr_type_i1(l->ctx), 1), *zero = nr_lower_index(l, 0);
  for (size_t i = 0; i < w->spatial; i++) {
    NrValue *p = add(l, nr_lower_loop_index(l, 2 + i), nr_dim_value(l, w->begin[i])), *k, *block;
    NrValue *ok = reaching(l, w, i, p, nr_lower_loop_index(l, 2 + w->spatial + i), &k, &block);
    inside = both(l, inside, ok);
    tap = add(l, mul(l, tap, nr_dim_value(l, w->size[i])), nr_lower_select(l, ok, k, zero));
    column = add(l, mul(l, column, nr_dim_value(l, w->out[i])), nr_lower_select(l, ok, block, zero));
  }
  NrValue *x = nr_lower_widen(l, nr_lower_extract(l, c->x, (NrValue *[]){nr_lower_loop_index(l, 0), tap, column}, 3));
  results[0] = nr_lower_select(l, inside, add(l, args[1], x), args[1]);
}

NrValue *nr_lower_sum_columns(NrLower *l, const char *name, NrValue *x, const NrWindow *w, const NrShape *image) {
  Columns c = {x, w};
  size_t loops = 2 + 2 * w->spatial;
  NrShape window = {.rank = w->spatial}, all = {.rank = loops};
  NrAffineExpr exprs[2 * NORIA_MAX_RANK];
  char iterators[2 * NORIA_MAX_RANK + 3] = {0};
  for (size_t i = 0; i < w->spatial; i++) window.dims[i] = steps(l, w, i);
  for (size_t i = 0; i < loops; i++) {
    exprs[i] = nr_affine_dim(l->ctx, (uint32_t)i);
    iterators[i] = i < image->rank ? 'p' : 'r';
    all.dims[i] = i < image->rank ? image->dims[i] : window.dims[i - image->rank];
  }
  nr_lower_expect_elements(l, name, x, 2, &all);
  NrType wide = nr_lower_wide_type(x->type->elem);
  NrValue *ranges = nr_lower_empty(l, &window, wide), *init = nr_lower_zeros(l, image, wide);
  NrAttr maps[2] = {nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs + image->rank, w->spatial),
                    nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs, image->rank)};
  return nr_op_result(nr_lower_generic(l, &ranges, 1, &init, 1, maps, iterators, image_body, &c));
}

static bool read_columns(NrLower *l, NrValue *x, const NrInts *image, const NrInts *block, NrWindow *w,
                         NrDim *out_taps) {
  int64_t pads[2 * NORIA_MAX_RANK];
  w->spatial = image->count;
  if (block->count != w->spatial || 2 * w->spatial + 2 > NORIA_MAX_RANK || !w->spatial)
    return nr_lower_error(l, "image_shape and block_shape have %zu and %zu elements", image->count,
                          block->count), false;
  if (!nr_lower_window_list(l, "strides", w->spatial, 1, 1, w->stride) ||
      !nr_lower_window_list(l, "dilations", w->spatial, 1, 1, w->dilation) ||
      !nr_lower_window_list(l, "pads", 2 * w->spatial, 0, INT32_MIN, pads))
    return false;
  NrDim total = nr_dim(1);
  *out_taps = nr_dim(1);
  for (size_t i = 0; i < w->spatial; i++) {
    w->size[i] = block->at[i];
    w->begin[i] = nr_dim(pads[i]);
    NrDim reach = nr_dim_add(l, nr_dim_mul(l, nr_dim_sub(l, w->size[i], nr_dim(1)), nr_dim(w->dilation[i])), nr_dim(1));
    NrDim room = nr_dim_sub(l, nr_dim_add(l, image->at[i], nr_dim(pads[i] + pads[i + w->spatial])), reach);
    w->out[i] = nr_dim_max(l, nr_dim_add(l, nr_dim_div(l, room, nr_dim(w->stride[i])), nr_dim(1)), nr_dim(0));
    total = nr_dim_mul(l, total, w->out[i]);
    *out_taps = nr_dim_mul(l, *out_taps, w->size[i]);
  }
  return nr_lower_expect_dim(l, "input", x, 2, total);
}

NrStatus nr_lower_col2im(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrInts image, block;
  NrWindow w = {0};
  NrDim taps;
  if (!nr_lower_takes(l, 0, NR_NUMBERS) || !nr_lower_expect_rank(l, "input", x, 3) ||
      !nr_lower_ints(l, true, 1, "image_shape", &image) || !nr_lower_ints(l, true, 2, "block_shape", &block) ||
      !nr_lower_sizes(l, &image) || !nr_lower_sizes(l, &block) || !read_columns(l, x, &image, &block, &w, &taps))
    return NR_ERROR_INVALID;
  NrDim have = nr_lower_dim(l, x, 1), channels = nr_dim_div(l, have, nr_dim_max(l, taps, nr_dim(1)));
  if (!nr_lower_dims_agree(l, nr_dim_mul(l, channels, taps), have, "dim 1 of input, and whole blocks"))
    return NR_ERROR_INVALID;
  NrShape out = {2 + w.spatial, {nr_lower_dim(l, x, 0), channels}};
  for (size_t i = 0; i < w.spatial; i++) out.dims[2 + i] = image.at[i];
  NrValue *sums = nr_lower_sum_columns(l, "input", x, &w, &out);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, sums, x->type->elem), nr_lower_dtype(l, 0));
}
