/* conv.c - convolutions.
 *
 * Conv is lowered by im2col: x[n, c, i*s + k*d - p] -> im2col[n, g, (c k..), i..], y[n, g, o, i..] = b[o] + sum
 * w[g, o, (c k..)] * im2col. This is a product of matrices whose columns are the positions; rows of the image are
 * copied to rows of im2col, for all strides, dilations and pads. The positions are dims of their own, so that a
 * workgroup gathers the windows of some of them only. A kernel of size 1 with unit strides and no pads needs no
 * im2col. Of few positions, which would not fill a vector, the windows lie side by side as the kernel does, and each
 * sum is a dot product. Where a group has one channel, its windows would be read about once, and so they are not
 * gathered: each sum reads the input. */
#include <stdio.h>

#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"

bool nr_lower_window_list(NrLower *l, const char *name, size_t count, int64_t fallback, int64_t min, int64_t *out) {
  const int64_t *values = NULL;
  size_t given;
  if (nr_lower_takes_attr(l, name) && nr_lower_attr_ints(l, name, &values, &given) && given != count)
    return nr_lower_error(l, "%s has %zu entries, not %zu", name, given, count), false;
  for (size_t i = 0; i < count; i++) {
    out[i] = values ? values[i] : fallback;
    if (values && (out[i] < min || out[i] > INT32_MAX))
      return nr_lower_error(l, "%s has the entry %lld, which is out of range", name, (long long)out[i]), false;
  }
  return true;
}

bool nr_lower_window_kernel(NrLower *l, NrValue *k, NrWindow *w) {
  int64_t sizes[NORIA_MAX_RANK];
  size_t spatial = nr_rank(k) - 2;
  if (!nr_lower_window_list(l, "kernel_shape", spatial, NR_DYNAMIC, 1, sizes)) return false;
  for (size_t i = 0; i < spatial; i++) {
    w->size[i] = sizes[i] == NR_DYNAMIC ? nr_lower_dim(l, k, i + 2) : nr_dim(sizes[i]);
    if (!nr_lower_expect_dim(l, "W", k, i + 2, w->size[i])) return false;
    if (nr_dim_is(w->size[i], 0)) return nr_lower_error(l, "dim %zu of W is 0", i + 2), false;
    if (nr_dim_known(w->size[i])) continue;
    NrValue *size = nr_dim_value(l, w->size[i]);
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, size, nr_lower_index(l, 0)), "the kernel has a dim of 0", NULL, 0);
  }
  return true;
}

/* The number of window positions along dim i, of size n. */
static NrDim positions(NrLower *l, const NrWindow *w, size_t i, NrDim n, bool ceil_mode) {
  NrDim reach = nr_dim_add(l, nr_dim_mul(l, nr_dim_sub(l, w->size[i], nr_dim(1)), nr_dim(w->dilation[i])), nr_dim(1));
  NrDim more = nr_dim_sub(l, nr_dim_add(l, w->begin[i], w->end[i]), reach);
  if (w->stride[i] == 1 && nr_dim_known(more) && more.size >= -1) return nr_dim_add(l, n, nr_dim(more.size + 1));
  NrDim room = nr_dim_add(l, n, more), stride = nr_dim(w->stride[i]);
  NrDim steps = ceil_mode ? nr_dim_ceildiv(l, room, stride) : nr_dim_div(l, room, stride);
  return nr_dim_max(l, nr_dim_add(l, steps, nr_dim(1)), nr_dim(0));
}

NrStatus nr_lower_window(NrLower *l, NrValue *x, NrWindow *w) {
  int64_t pads[2 * NORIA_MAX_RANK];
  NrStr auto_pad = nr_lower_takes_attr(l, "auto_pad") ? nr_lower_attr_str(l, "auto_pad") : NR_STR("NOTSET");
  bool ceil_mode = nr_lower_takes_attr(l, "ceil_mode") && nr_lower_attr_int(l, "ceil_mode") != 0;
  w->spatial = nr_rank(x) - 2;
  if (!nr_lower_window_list(l, "strides", w->spatial, 1, 1, w->stride) ||
      !nr_lower_window_list(l, "dilations", w->spatial, 1, 1, w->dilation) ||
      !nr_lower_window_list(l, "pads", 2 * w->spatial, 0, INT32_MIN, pads))
    return NR_ERROR_INVALID;
  for (size_t i = 0; i < w->spatial; i++) {
    NrDim n = nr_lower_dim(l, x, i + 2);
    if (nr_str_starts(auto_pad, "SAME")) {
      /* ceil(n / stride) positions; an odd element of padding goes to the side that the name says. */
      w->out[i] = nr_dim_ceildiv(l, n, nr_dim(w->stride[i]));
      NrDim reach =
          nr_dim_add(l, nr_dim_mul(l, nr_dim_sub(l, w->size[i], nr_dim(1)), nr_dim(w->dilation[i])), nr_dim(1));
      NrDim need = nr_dim_add(l, nr_dim_mul(l, nr_dim_sub(l, w->out[i], nr_dim(1)), nr_dim(w->stride[i])), reach);
      NrDim total = nr_dim_max(l, nr_dim_sub(l, need, n), nr_dim(0)), half = nr_dim_div(l, total, nr_dim(2));
      bool lower = nr_str_is(auto_pad, "SAME_LOWER");
      w->begin[i] = lower ? nr_dim_sub(l, total, half) : half;
      w->end[i] = nr_dim_sub(l, total, w->begin[i]);
      continue;
    }
    bool valid = nr_str_is(auto_pad, "VALID");
    w->begin[i] = nr_dim(valid ? 0 : pads[i]);
    w->end[i] = nr_dim(valid ? 0 : pads[i + w->spatial]);
    w->out[i] = positions(l, w, i, n, ceil_mode);
    if (ceil_mode && !nr_dim_is(w->out[i], 0)) {
      /* Drops a last window that begins in the padding behind the input. */
      NrDim last = nr_dim_mul(l, nr_dim_sub(l, w->out[i], nr_dim(1)), nr_dim(w->stride[i]));
      NrDim limit = nr_dim_add(l, n, w->begin[i]);
      if (nr_dim_known(last) && nr_dim_known(limit))
        w->out[i] = nr_dim(w->out[i].size - (last.size >= limit.size));
      else {
        NrValue *beyond = nr_lower_cmpi(l, NR_CMPI_SGE, nr_dim_value(l, last), nr_dim_value(l, limit));
        w->out[i] = nr_dim_select(l, beyond, nr_dim_sub(l, w->out[i], nr_dim(1)), w->out[i]);
      }
    }
  }
  return NR_OK;
}

/* ---- im2col -- */

typedef struct Im2col {
  NrValue *x;
  const NrWindow *w;
  NrDim channels; /* of a group */
  NrValue *padding; /* the element out of bounds; NULL: 0 */
} Im2col;

/* Element (n, g, i.., c, k..) of the im2col tensor. */
static NrValue *im2col_body(NrLower *l, NrValue *const *at, void *user) {
  const Im2col *r = user;
  NrType index = nr_type_index(l->ctx);
  size_t spatial = r->w->spatial;
  NrValue *indices[NORIA_MAX_RANK], *inside = NULL;
  indices[0] = at[0];
  NrValue *c = at[2 + spatial];
  indices[1] = nr_lower_op2(l, NR_OP_arith_addi, index,
                            nr_lower_op2(l, NR_OP_arith_muli, index, at[1], nr_dim_value(l, r->channels)), c);
  for (size_t i = 0; i < spatial; i++) {
    NrValue *p = nr_lower_op2(l, NR_OP_arith_muli, index, at[2 + i], nr_lower_index(l, r->w->stride[i]));
    NrValue *k = nr_lower_op2(l, NR_OP_arith_muli, index, at[3 + spatial + i], nr_lower_index(l, r->w->dilation[i]));
    p = nr_lower_op2(l, NR_OP_arith_addi, index, p, k);
    if (!nr_dim_is(r->w->begin[i], 0)) p = nr_lower_op2(l, NR_OP_arith_subi, index, p, nr_dim_value(l, r->w->begin[i]));
    if (!nr_dim_is(r->w->begin[i], 0) || !nr_dim_is(r->w->end[i], 0)) {
      /* One unsigned comparison checks both ends; out of bounds, the body reads index 0 and drops it. */
      NrValue *ok = nr_lower_cmpi(l, NR_CMPI_ULT, p, nr_dim_value(l, nr_lower_dim(l, r->x, i + 2)));
      inside = inside ? nr_lower_op2(l, NR_OP_arith_andi, ok->type, inside, ok) : ok;
      p = nr_lower_select(l, ok, p, nr_lower_index(l, 0));
    }
    indices[2 + i] = p;
  }
  NrValue *element = nr_lower_extract(l, r->x, indices, spatial + 2);
  if (inside)
    element = nr_lower_select(l, inside, element, r->padding ? r->padding : nr_lower_constant(l, element->type, 0));
  return nr_lower_widen(l, element);
}

/* ---- windows of bytes ---- */

/* Whether windows of these sizes are gathered by four. The position in the kernel is the remainder of a division, whose
 * divisor is to be known. A grid has three dims: where more loops have ranges that only the run knows, its workgroups
 * are of few positions each, and do these divisions for each (3x3, 64 channels of 56x56: 8 ms instead of 2.2). */
static bool takes_fours(const NrShape *sx, const NrWindow *w) {
  enum { MOST_OPEN = 2 };
  size_t open = !nr_dim_known(sx->dims[0]);
  for (size_t i = 0; i < w->spatial; i++) {
    if (!nr_dim_known(w->size[i])) return false;
    open += !nr_dim_known(sx->dims[2 + i]);
  }
  return open <= MOST_OPEN;
}

NrValue *nr_lower_padded(NrLower *l, NrValue *x, NrValue *padding, NrWindow *w, const NrShape *result) {
  NrDim offsets[NORIA_MAX_RANK] = {nr_dim(0), nr_dim(0)};
  NrShape s = nr_lower_shape(l, x);
  bool any = false, fits = true;
  for (size_t i = 0; i < w->spatial; i++) {
    fits &= nr_dim_known(w->begin[i]) && nr_dim_known(w->end[i]) && w->begin[i].size >= 0 && w->end[i].size >= 0;
    any |= !nr_dim_is(w->begin[i], 0) || !nr_dim_is(w->end[i], 0);
    offsets[2 + i] = w->begin[i];
    s.dims[2 + i] = nr_dim_add(l, nr_dim_add(l, s.dims[2 + i], w->begin[i]), w->end[i]);
  }
  if (!any) return x;
  if (!fits) {
    for (size_t i = 0; i < w->spatial; i++)
      if (!nr_dim_is(w->begin[i], 0) || !nr_dim_is(w->end[i], 0)) nr_lower_expect_elements(l, "X", x, i + 2, result);
    return x;
  }
  for (size_t i = 0; i < w->spatial; i++) w->begin[i] = w->end[i] = nr_dim(0);
  NrValue *border = padding ? padding : nr_lower_constant(l, x->type->elem, 0);
  return nr_lower_insert_slice(l, x, nr_lower_fill(l, &s, border), offsets);
}

typedef struct Fours {
  Im2col windows;
  NrDim depth;
} Fours;

/* Element (n, g, four of the depth, i.., element of the four). */
static NrValue *fours_body(NrLower *l, NrValue *const *at, void *user) {
  const Fours *f = user;
  size_t spatial = f->windows.w->spatial;
  NrValue *window[2 * NORIA_MAX_RANK], *inside;
  NrValue *rest = nr_lower_place_in_fours(l, at[2], at[3 + spatial], f->depth, &inside);
  memcpy(window, at, 2 * sizeof *at);
  memcpy(window + 2, at + 3, spatial * sizeof *at);
  for (size_t i = spatial; i-- > 0;) {
    NrValue *size = nr_dim_value(l, f->windows.w->size[i]);
    window[3 + spatial + i] = same2(l, NR_OP_arith_remui, rest, size);
    rest = same2(l, NR_OP_arith_divui, rest, size);
  }
  window[2 + spatial] = rest;
  NrValue *element = im2col_body(l, window, (void *)&f->windows);
  return inside ? nr_lower_select(l, inside, element, nr_lower_constant(l, element->type, 0)) : element;
}

/* The windows by four, with all positions in one dim: [batch, groups, fours, positions, 4]. */
static NrValue *gather_fours(NrLower *l, NrValue *x, const NrShape *sk, NrWindow *w, NrValue *padding, NrConv *c) {
  NrDim batch = nr_lower_dim(l, x, 0);
  NrShape fours = {4 + w->spatial, {batch, c->groups, nr_lower_fours(l, c->depth)}};
  NrDim positions = nr_shape_elements(l, &c->result, 2, c->result.rank);
  NrShape folded = {5, {batch, c->groups, fours.dims[2], positions, nr_dim(4)}};
  for (size_t i = 0; i < w->spatial; i++) fours.dims[3 + i] = w->out[i];
  fours.dims[3 + w->spatial] = nr_dim(4);
  nr_lower_expect_elements(l, "X", x, 1, &fours); /* behind the end of the depth, its first element is read */
  x = nr_lower_padded(l, x, padding, w, &fours);
  Fours f = {{x, w, sk->dims[1], padding}, c->depth};
  c->by_four = true;
  c->spatial = 1;
  c->out = (NrShape){4, {batch, c->groups, c->per_group, positions}};
  snprintf(c->out_dims, sizeof c->out_dims, "ngop");
  snprintf(c->windows_dims, sizeof c->windows_dims, "ngqpz");
  return nr_lower_reshape(l, nr_lower_generate(l, &fours, x->type->elem, fours_body, &f), &folded);
}

/* ---- depthwise ---- */

/* Whether the sums read the input: of a group with one channel, where few sums read an element, and whose kernel is
 * small enough to be written out. */
static bool is_direct(const NrShape *sk, const NrConv *c, const NrWindow *w) {
  enum { MOST_TAPS = 64, MOST_PER_GROUP = 4 };
  for (size_t i = 0; i < w->spatial; i++)
    if (!nr_dim_known(w->size[i])) return false;
  return nr_dim_is(sk->dims[1], 1) && nr_dim_known(c->depth) && c->depth.size <= MOST_TAPS &&
         nr_dim_known(c->per_group) && c->per_group.size <= MOST_PER_GROUP;
}

typedef struct Direct {
  const NrConv *c;
  Im2col windows;
  NrType acc;
  NrSigns signs;
} Direct;

/* Element (n, g, o, i..) of the result. */
static NrValue *direct_body(NrLower *l, NrValue *const *at, void *user) {
  Direct *d = user;
  size_t spatial = d->c->spatial;
  NrValue *window[2 * NORIA_MAX_RANK], *sum = nr_lower_constant(l, d->acc, 0);
  memcpy(window, at, 2 * sizeof *at);
  memcpy(window + 2, at + 3, spatial * sizeof *at);
  window[2 + spatial] = nr_lower_index(l, 0);
  int64_t taps = d->c->depth.size;
  for (int64_t tap = 0; tap < taps; tap++) {
    int64_t rest = tap;
    for (size_t i = spatial; i-- > 0; rest /= d->c->window.size[i].size)
      window[3 + spatial + i] = nr_lower_index(l, rest % d->c->window.size[i].size);
    NrValue *x = im2col_body(l, window, &d->windows);
    NrValue *w = nr_lower_extract(l, d->c->kernel, (NrValue *[]){at[1], at[2], nr_lower_index(l, tap)}, 3);
    nr_multiply_add_body(l, (NrValue *[]){x, w, sum}, &sum, &d->signs);
  }
  return sum;
}

static NrValue *direct_sum(NrLower *l, const NrConv *c, NrValue *init, NrSigns signs) {
  Direct d = {c, {c->x, &c->window, nr_dim(1), c->padding}, init->type->elem, signs};
  return nr_lower_sum(l, nr_lower_generate(l, &c->out, init->type->elem, direct_body, &d), init);
}

static bool is_pointwise(const NrWindow *w) {
  for (size_t i = 0; i < w->spatial; i++)
    if (!nr_dim_is(w->size[i], 1) || w->stride[i] != 1 || !nr_dim_is(w->begin[i], 0) || !nr_dim_is(w->end[i], 0))
      return false;
  return true;
}

/* The bias broadcast to the output, or zeros. */
static NrValue *bias_init(NrLower *l, NrValue *bias, const NrShape *out, NrDim groups, NrDim per_group, NrType acc) {
  if (!bias) return nr_lower_zeros(l, out, acc);
  NrShape column = {out->rank, {nr_dim(1), groups, per_group}};
  for (size_t i = 3; i < out->rank; i++) column.dims[i] = nr_dim(1);
  return nr_lower_broadcast_to(l, nr_lower_widen_tensor(l, nr_lower_reshape(l, bias, &column)), out);
}

/* Sums over all positions in one dim, as a product of matrices has its columns. */
static void fold_positions(NrLower *l, NrConv *c, NrDim batch) {
  c->positions = nr_shape_elements(l, &c->result, 2, c->result.rank);
  c->spatial = 1;
  c->out = (NrShape){4, {batch, c->groups, c->per_group, c->positions}};
  snprintf(c->out_dims, sizeof c->out_dims, "ngop");
  snprintf(c->windows_dims, sizeof c->windows_dims, "ngqp");
}

/* The windows of a kernel of one element, which are x. Known positions stay dims of their own, so that what uses the
 * result computes tiles of the same shape; vectorize-contractions makes one loop of them. It cannot know that rows of
 * unknown length lie side by side in a tile. */
static NrValue *view_positions(NrLower *l, NrValue *x, const NrShape *sx, NrDim channels, NrConv *c) {
  enum { MOST_SPATIAL = 'g' - 'a' }; /* 'g' is the letter of the groups */
  NrShape view = {sx->rank + 1, {sx->dims[0], c->groups, channels}};
  bool known = sx->rank - 2 <= MOST_SPATIAL;
  for (size_t i = 2; i < sx->rank; i++) {
    known &= nr_dim_known(sx->dims[i]);
    view.dims[i + 1] = sx->dims[i];
  }
  if (known) {
    snprintf(c->windows_dims, sizeof c->windows_dims, "ngq%s", c->out_dims + 3);
    return nr_lower_reshape(l, x, &view);
  }
  fold_positions(l, c, sx->dims[0]);
  return nr_lower_reshape(l, x, &(NrShape){4, {sx->dims[0], c->groups, channels, c->positions}});
}

/* Element (n, g, c, k.., i..) of the im2col tensor. */
static NrValue *windows_body(NrLower *l, NrValue *const *at, void *user) {
  const Im2col *r = user;
  size_t spatial = r->w->spatial;
  NrValue *window[2 * NORIA_MAX_RANK];
  memcpy(window, at, 2 * sizeof *at);
  memcpy(window + 2, at + 3 + spatial, spatial * sizeof *at);
  memcpy(window + 2 + spatial, at + 2, (spatial + 1) * sizeof *at);
  return im2col_body(l, window, user);
}

/* Whether a vector of positions would be half empty, while the depth fills one. */
static bool has_few_positions(NrLower *l, const NrConv *c) {
  enum { FEW = 8 };
  NrDim positions = nr_shape_elements(l, &c->result, 2, c->result.rank);
  return nr_dim_known(positions) && positions.size < FEW && nr_dim_known(c->depth) && c->depth.size > positions.size;
}

/* The im2col tensor [batch, groups, depth, positions..], or, with all positions in one dim, [batch, groups, positions,
 * depth]. */
static NrValue *gather_windows(NrLower *l, NrValue *x, const NrShape *sk, NrWindow *w, NrValue *padding, NrConv *c) {
  size_t rank = nr_rank(x);
  NrDim batch = nr_lower_dim(l, x, 0);
  bool depth_first = !has_few_positions(l, c);
  NrShape im2col = {2 * rank - 1, {batch, c->groups}}, folded = {3 + w->spatial, {batch, c->groups, c->depth}};
  if (im2col.rank > NORIA_MAX_RANK) return nr_lower_error(l, "too many spatial dims"), NULL;
  NrDim *depth = im2col.dims + (depth_first ? 2 : 2 + w->spatial);
  NrDim *positions = im2col.dims + (depth_first ? 3 + w->spatial : 2);
  depth[0] = sk->dims[1];
  for (size_t i = 0; i < w->spatial; i++) {
    depth[1 + i] = w->size[i];
    positions[i] = folded.dims[3 + i] = w->out[i];
  }
  x = nr_lower_padded(l, x, padding, w, &im2col);
  Im2col r = {x, w, sk->dims[1], padding};
  snprintf(c->windows_dims, sizeof c->windows_dims, "ngq%s", c->out_dims + 3);
  if (!depth_first) {
    fold_positions(l, c, batch);
    folded = (NrShape){4, {batch, c->groups, c->positions, c->depth}};
    snprintf(c->windows_dims, sizeof c->windows_dims, "ngpq");
  }
  NrBodyFn body = depth_first ? windows_body : im2col_body;
  NrValue *windows = nr_lower_generate(l, &im2col, nr_lower_wide_type(x->type->elem), body, &r);
  return nr_lower_reshape(l, windows, &folded);
}

/* The shapes of x, kernel and result as groups; x with its number of channels where that follows from the kernel. */
static NrStatus conv_shapes(NrLower *l, NrValue **x, NrValue *k, NrDim groups, const NrWindow *w, NrConv *out) {
  size_t rank = nr_rank(*x);
  NrShape sx = nr_lower_shape(l, *x), sk = nr_lower_shape(l, k);
  NrDim channels = sk.dims[1], all = nr_dim_mul(l, channels, groups);
  *out = (NrConv){.spatial = w->spatial, .groups = groups};
  out->per_group = nr_dim_div(l, sk.dims[0], groups);
  if (!nr_lower_dims_agree(l, all, sx.dims[1], "channels of kernel and input") ||
      !nr_lower_dims_agree(l, nr_dim_mul(l, out->per_group, groups), sk.dims[0],
                           "output channels, and as many groups"))
    return NR_ERROR_INVALID;
  if (nr_dim_known(all) && !nr_dim_known(sx.dims[1])) { /* what is read of x need not be checked along the channels */
    sx.dims[1] = all;
    *x = nr_lower_tensor_cast(l, *x, nr_shape_type(l, &sx, (*x)->type->elem));
  }
  out->out = (NrShape){rank + 1, {sx.dims[0], groups, out->per_group}};
  out->result = (NrShape){rank, {sx.dims[0], sk.dims[0]}};
  char spatial[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < w->spatial; i++) {
    out->out.dims[i + 3] = out->result.dims[i + 2] = w->out[i];
    spatial[i] = (char)('a' + i);
  }
  out->depth = nr_dim_mul(l, channels, nr_shape_elements(l, &sk, 2, rank));
  /* Each element is multiplied with many: widened in front of the sums, a constant is when the model is compiled. */
  out->kernel = nr_lower_reshape(l, nr_lower_widen_tensor(l, k), &(NrShape){3, {groups, out->per_group, out->depth}});
  snprintf(out->out_dims, sizeof out->out_dims, "ngo%s", spatial);
  return NR_OK;
}

NrStatus nr_lower_conv_under(NrLower *l, NrValue *x, NrValue *k, NrDim groups, NrWindow w, NrValue *padding,
                             NrConv *out) {
  if (nr_rank(x) + 3 > NORIA_MAX_RANK) return nr_lower_error(l, "too many spatial dims");
  NR_TRY(conv_shapes(l, &x, k, groups, &w, out));
  NrShape sx = nr_lower_shape(l, x), sk = nr_lower_shape(l, k);
  if (is_direct(&sk, out, &w)) {
    out->direct = true;
    out->x = nr_lower_padded(l, x, padding, &w, &out->result);
    out->padding = padding;
    out->window = w;
    return out->x ? NR_OK : NR_ERROR_INVALID;
  }
  if (nr_lower_is_of_bytes(x, k) && (is_pointwise(&w) || takes_fours(&sx, &w))) {
    out->windows = gather_fours(l, x, &sk, &w, padding, out);
  } else if (is_pointwise(&w) && !has_few_positions(l, out)) {
    out->windows = view_positions(l, x, &sx, sk.dims[1], out);
  } else {
    out->windows = gather_windows(l, x, &sk, &w, padding, out);
  }
  return out->windows ? NR_OK : NR_ERROR_INVALID;
}

/* The elements of the kernel along dim i that lie in x under some window; all where a size is not known, or none does.
 * Element k of window o lies at o * stride + k * dilation - begin. */
static void find_taps(const NrWindow *w, size_t i, NrDim n, int64_t *out_first, int64_t *out_last) {
  *out_first = *out_last = 0;
  if (!nr_dim_known(w->size[i])) return;
  *out_last = w->size[i].size - 1;
  int64_t begin = w->begin[i].size, last_window;
  if (!nr_dim_known(w->out[i]) || !nr_dim_known(w->begin[i]) || !nr_dim_known(w->end[i]) || !nr_dim_known(n)) return;
  if (begin < 0 || n.size < 1 || w->out[i].size < 1 || !nr_mul_i64(w->out[i].size - 1, w->stride[i], &last_window))
    return;
  int64_t d = w->dilation[i], first = begin > last_window ? (begin - last_window + d - 1) / d : 0;
  int64_t last = NR_MIN((n.size - 1 + begin) / d, *out_last);
  if (first > last) return;
  *out_first = first;
  *out_last = last;
}

typedef struct Taps {
  NrValue *kernel;
  int64_t first[NORIA_MAX_RANK];
} Taps;

/* Element (m, c, k..) of the trimmed kernel. */
static NrValue *taps_body(NrLower *l, NrValue *const *at, void *user) {
  const Taps *t = user;
  size_t rank = nr_rank(t->kernel);
  NrValue *indices[NORIA_MAX_RANK] = {at[0], at[1]};
  for (size_t i = 2; i < rank; i++) indices[i] = same2(l, NR_OP_arith_addi, at[i], nr_lower_index(l, t->first[i - 2]));
  return nr_lower_extract(l, t->kernel, indices, rank);
}

/* The kernel without the elements that lie in the padding under all windows, as most do of a kernel that is dilated
 * beyond the image. It is a copy, so that a constant is one again; a slice would have its rows far apart. */
static NrValue *trim_kernel(NrLower *l, NrValue *x, NrValue *k, NrWindow *w) {
  Taps t = {.kernel = k};
  NrShape s = nr_lower_shape(l, k);
  bool any = false;
  for (size_t i = 0; i < w->spatial; i++) {
    int64_t last;
    find_taps(w, i, nr_lower_dim(l, x, i + 2), &t.first[i], &last);
    if (!nr_dim_known(w->size[i]) || last - t.first[i] + 1 == w->size[i].size) continue;
    int64_t behind = w->size[i].size - 1 - last;
    any = true;
    w->size[i] = s.dims[i + 2] = nr_dim(last - t.first[i] + 1);
    w->begin[i] = nr_dim(w->begin[i].size - t.first[i] * w->dilation[i]);
    w->end[i] = nr_dim(w->end[i].size - behind * w->dilation[i]);
  }
  return any ? nr_lower_generate(l, &s, k->type->elem, taps_body, &t) : k;
}

static bool has_pads(const NrWindow *w) {
  for (size_t i = 0; i < w->spatial; i++)
    if (w->begin[i].size < 0 || w->end[i].size < 0) return false;
  return true;
}

NrStatus nr_lower_conv_windows(NrLower *l, NrValue *x, NrValue *k, NrValue *padding, NrConv *out) {
  size_t rank = nr_rank(x);
  if (rank < 3 || nr_rank(k) != rank)
    return nr_lower_error(l, "input and kernel have ranks %zu and %u; both must be 3 or more, and equal", rank,
                          nr_rank(k));
  int64_t group = nr_lower_attr_int(l, "group");
  if (group < 1) return nr_lower_error(l, "group must be positive");
  NrWindow w = {0};
  if (!nr_lower_window_kernel(l, k, &w)) return NR_ERROR_INVALID;
  NR_TRY(nr_lower_window(l, x, &w));
  bool by_channels = !padding && nr_lower_conv_takes_channels(x, k, group, &w);
  if (!padding && nr_type_is_float(x->type->elem)) k = trim_kernel(l, x, k, &w);
  /* Without the elements that met padding only, a kernel may begin inside of the image. */
  if (by_channels && has_pads(&w)) {
    NR_TRY(conv_shapes(l, &x, k, nr_dim(group), &w, out));
    out->x = nr_lower_padded(l, x, NULL, &w, &out->result);
    out->window = w;
    nr_lower_conv_by_channels(l, k, out);
    return NR_OK;
  }
  return nr_lower_conv_under(l, x, k, nr_dim(group), w, padding, out);
}

NrValue *nr_lower_conv_sum(NrLower *l, const NrConv *c, NrValue *init, NrSigns signs) {
  if (c->direct) return direct_sum(l, c, init, signs);
  if (c->by_channels) return nr_lower_conv_channels_sum(l, c, init);
  NrValue *kernel = c->by_four ? nr_lower_by_four(l, c->kernel, "goq", 'q', "goq") : c->kernel;
  NrValue *sum = nr_lower_sum_integers(l, c->windows, c->windows_dims, kernel, c->by_four ? "goqz" : "goq", c->out_dims,
                                       init, signs);
  /* of a signal whose length the run knows: models that listen get it in short pieces */
  bool is_signal = c->result.rank == 3 && !nr_dim_known(c->result.dims[2]);
  if (is_signal && !c->by_four) nr_op_set_attr(sum->op, NR_A_noria_may_be_short, nr_attr_unit(l->ctx));
  return sum;
}

NrStatus nr_lower_conv_of(NrLower *l, NrValue **out_y) {
  NrConv c;
  NrValue *x = nr_lower_in(l, 0), *bias = nr_lower_in(l, 2);
  NR_TRY(nr_lower_conv_windows(l, x, nr_lower_in(l, 1), NULL, &c));
  if (bias && !nr_lower_is_vector(l, 2, c.result.dims[1])) return NR_ERROR_INVALID;
  NrType elem = x->type->elem;
  NrType acc = nr_lower_wide_type(elem);
  NrValue *start = c.by_channels ? NULL : bias; /* by channels, it is added to the sums as they are transposed */
  NrValue *init = bias_init(l, start, &c.out, c.groups, c.per_group, acc);
  NrValue *y = nr_lower_conv_sum(l, &c, init, (NrSigns){0});
  y = c.by_channels ? nr_lower_conv_channels_result(l, &c, y, bias) : nr_lower_reshape(l, y, &c.result);
  *out_y = nr_lower_narrow_tensor(l, y, elem);
  return NR_OK;
}

NrStatus nr_lower_conv(NrLower *l) {
  NrValue *y;
  NR_TRY(nr_lower_conv_of(l, &y));
  return nr_lower_out(l, 0, y, nr_lower_dtype(l, 0));
}
