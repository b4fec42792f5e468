/* conv_transpose.c - ConvTranspose: each output element sums the kernel elements whose stride reaches it.
 *
 * Those are the same for all outputs that are a multiple of the stride apart, which are a phase. So this is a
 * convolution of x with unit strides, whose output channels are those of the node for each phase: for kernel elements
 * k = phase + s * m, y[phase + s * j] = sum over m of x[j - m] * w[k]. Phases with fewer elements than others are a
 * convolution of their own. The outputs of the phases are interleaved.
 * Where a dim has more phases than kernel elements, or a stride and a dilation, most phases would have no element or
 * a kernel most of whose elements are zeros: then the products are a matrix of columns, which are summed as Col2Im
 * does. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"

/* The outputs t = p + begin, of stride s, as t = s * (first + j) + phase, and p = s * j + phase - rest. */
typedef struct Phases {
  NrWindow w;                     /* of the node */
  bool follows[NORIA_MAX_RANK];   /* the output is of size stride * (n - 1) + over, if that is not negative */
  NrDim over[NORIA_MAX_RANK];
  NrDim first[NORIA_MAX_RANK], rest[NORIA_MAX_RANK];
  int64_t from[NORIA_MAX_RANK], count[NORIA_MAX_RANK]; /* phases with the same number of kernel elements */
  NrWindow of_each;               /* the window over x of the outputs of one of them */
  NrDim channels;                 /* of x in a group */
  NrValue *kernel;                /* of the node */
  NrValue **parts;                /* the outputs, [batch, channels, phases.., j..]; two parts along each dim, or one */
} Phases;

/* Reads the window: sizes and padding. */
static bool output_window(NrLower *l, NrValue *x, Phases *p) {
  NrWindow *w = &p->w;
  const int64_t *values;
  size_t count;
  NrStr auto_pad = nr_lower_attr_str(l, "auto_pad");
  bool given = nr_lower_attr_ints(l, "output_shape", &values, &count), same = nr_str_starts(auto_pad, "SAME");
  int64_t extra[NORIA_MAX_RANK], pads[2 * NORIA_MAX_RANK];
  w->spatial = nr_rank(x) - 2;
  if (given && count != w->spatial && count != w->spatial + 2)
    return nr_lower_error(l, "output_shape has %zu entries for %zu spatial dims", count, w->spatial), false;
  if (!nr_lower_window_list(l, "strides", w->spatial, 1, 1, w->stride) ||
      !nr_lower_window_list(l, "dilations", w->spatial, 1, 1, w->dilation) ||
      !nr_lower_window_list(l, "output_padding", w->spatial, 0, 0, extra) ||
      !nr_lower_window_list(l, "pads", 2 * w->spatial, 0, INT32_MIN, pads))
    return false;
  for (size_t i = 0; i < w->spatial; i++) {
    NrDim n = nr_lower_dim(l, x, i + 2);
    NrDim reach = nr_dim_mul(l, nr_dim_sub(l, w->size[i], nr_dim(1)), nr_dim(w->dilation[i]));
    NrDim over = nr_dim_add(l, reach, nr_dim(extra[i] + 1));
    NrDim full = nr_dim_add(l, nr_dim_mul(l, nr_dim_sub(l, n, nr_dim(1)), nr_dim(w->stride[i])), over);
    p->follows[i] = !given && !same;
    if (!p->follows[i]) {
      size_t offset = given && count > w->spatial ? count - w->spatial : 0;
      w->out[i] = given ? nr_dim(values[offset + i]) : nr_dim_mul(l, n, nr_dim(w->stride[i]));
      NrDim total = nr_dim_max(l, nr_dim_sub(l, full, w->out[i]), nr_dim(0)), half = nr_dim_div(l, total, nr_dim(2));
      bool upper = nr_str_is(auto_pad, "SAME_UPPER");
      w->begin[i] = upper ? half : nr_dim_sub(l, total, half);
      continue;
    }
    bool valid = nr_str_is(auto_pad, "VALID");
    w->begin[i] = nr_dim(valid ? 0 : pads[i]);
    w->end[i] = nr_dim(valid ? 0 : pads[i + w->spatial]);
    w->out[i] = nr_dim_max(l, nr_dim_sub(l, nr_dim_sub(l, full, w->begin[i]), w->end[i]), nr_dim(0));
    p->over[i] = nr_dim_sub(l, over, nr_dim_add(l, w->begin[i], w->end[i]));
  }
  return true;
}

/* ---- columns ---- */

/* Whether columns serve dim i better than phases. Where the stride does not divide the kernel, the phases are up to two
 * convolutions along each dim; with many channels they take longer than to add up columns (3x3, stride 2, 256 channels
 * of 8x8: 0.94 ms and 0.65), with fewer not (128 channels of 32x32: 1.5 and 2.0). */
static bool takes_columns(const Phases *p, size_t i) {
  enum { MANY_CHANNELS = 256 };
  const NrWindow *w = &p->w;
  if (w->stride[i] == 1) return false;
  if (!nr_dim_known(w->size[i]) || w->dilation[i] > 1 || w->stride[i] > w->size[i].size) return true;
  bool many = nr_dim_known(p->channels) && p->channels.size >= MANY_CHANNELS;
  return many && w->size[i].size % w->stride[i] != 0;
}

/* The sums as the definition has them: the product of each element of x with each of its kernel elements, of which
 * each output adds up those that reach it. */
static NrValue *sum_by_columns(NrLower *l, NrValue *x, const Phases *p, NrDim groups, NrDim per_group,
                               const NrShape *result) {
  NrShape sx = nr_lower_shape(l, x);
  NrDim taps = nr_dim(1), positions = taps;
  NrWindow w = p->w;
  for (size_t i = 0; i < w.spatial; i++) {
    w.out[i] = sx.dims[2 + i];
    taps = nr_dim_mul(l, taps, w.size[i]);
    positions = nr_dim_mul(l, positions, w.out[i]);
  }
  NrDim rows = nr_dim_mul(l, per_group, taps), all = nr_dim_mul(l, groups, rows);
  NrShape out = {4, {sx.dims[0], groups, rows, positions}};
  x = nr_lower_reshape(l, x, &(NrShape){4, {sx.dims[0], groups, p->channels, positions}});
  NrValue *k = nr_lower_reshape(l, p->kernel, &(NrShape){3, {groups, p->channels, rows}});
  NrValue *init = nr_lower_zeros(l, &out, nr_lower_wide_type(x->type->elem));
  NrValue *products = nr_lower_sum_integers(l, x, "ngqp", k, "gqo", "ngop", init, (NrSigns){0});
  products = nr_lower_reshape(l, products, &(NrShape){3, {sx.dims[0], all, positions}});
  return nr_lower_sum_columns(l, "X", products, &w, result);
}

/* ---- phases ---- */

/* The least j, known or not negative. */
static NrDim floor_div(NrLower *l, NrDim a, int64_t b) {
  if (nr_dim_known(a) && a.size < 0) return nr_dim(-((-a.size + b - 1) / b));
  return nr_dim_div(l, a, nr_dim(b));
}

/* The first phases have one kernel element more than the others where the stride does not divide the kernel. */
static int64_t longer_phases(const Phases *p, size_t i) {
  return p->w.stride[i] > 1 ? p->w.size[i].size % p->w.stride[i] : 0;
}

/* Finds the phases along dim i, of size n. */
static void find_phases(NrLower *l, Phases *p, size_t i, NrDim n) {
  const NrWindow *w = &p->w;
  NrWindow *each = &p->of_each;
  NrDim stride = nr_dim(w->stride[i]), one = nr_dim(1);
  p->first[i] = floor_div(l, w->begin[i], w->stride[i]);
  p->rest[i] = nr_dim_sub(l, w->begin[i], nr_dim_mul(l, p->first[i], stride));
  each->stride[i] = 1;
  each->dilation[i] = w->dilation[i]; /* 1 where there is a stride */
  NrDim before = nr_dim_mul(l, nr_dim_sub(l, each->size[i], one), nr_dim(each->dilation[i]));
  each->begin[i] = nr_dim_sub(l, before, p->first[i]);
  NrDim over = nr_dim_add(l, p->rest[i], p->over[i]);
  if (p->follows[i] && nr_dim_known(over) && over.size > 0) { /* then no unknown n is compared in the run */
    NrDim behind = nr_dim((over.size + w->stride[i] - 1) / w->stride[i] - 1);
    each->out[i] = nr_dim_add(l, n, behind);
    each->end[i] = nr_dim_sub(l, nr_dim_add(l, before, behind), each->begin[i]);
    return;
  }
  each->out[i] = nr_dim_ceildiv(l, nr_dim_add(l, p->rest[i], w->out[i]), stride);
  each->end[i] = nr_dim_sub(l, nr_dim_sub(l, nr_dim_add(l, each->out[i], before), n), each->begin[i]);
}

/* Element (g, o, phase.., c, m..) of the kernel, of which m counts down. */
static NrValue *kernel_body(NrLower *l, NrValue *const *at, void *user) {
  const Phases *p = user;
  size_t spatial = p->w.spatial;
  NrValue *indices[NORIA_MAX_RANK];
  indices[0] = same2(l, NR_OP_arith_addi, same2(l, NR_OP_arith_muli, at[0], nr_dim_value(l, p->channels)),
                     at[2 + spatial]);
  indices[1] = at[1];
  for (size_t i = 0; i < spatial; i++) {
    NrDim last = nr_dim_sub(l, p->of_each.size[i], nr_dim(1));
    NrValue *k = same2(l, NR_OP_arith_subi, nr_dim_value(l, last), at[3 + spatial + i]);
    if (p->w.stride[i] > 1) {
      k = same2(l, NR_OP_arith_muli, k, nr_lower_index(l, p->w.stride[i]));
      k = same2(l, NR_OP_arith_addi, k, same2(l, NR_OP_arith_addi, at[2 + i], nr_lower_index(l, p->from[i])));
    }
    indices[2 + i] = k;
  }
  return nr_lower_extract(l, p->kernel, indices, spatial + 2);
}

/* The kernel of the convolution: [groups * (outputs, phases..), channels of a group, m..]. */
static NrValue *phases_kernel(NrLower *l, Phases *p, NrDim groups, NrDim per_group) {
  size_t spatial = p->w.spatial;
  NrShape apart = {2 * spatial + 3, {groups, per_group}}, joined = {spatial + 2, {nr_dim_mul(l, groups, per_group)}};
  for (size_t i = 0; i < spatial; i++) {
    apart.dims[2 + i] = nr_dim(p->count[i]);
    joined.dims[0] = nr_dim_mul(l, joined.dims[0], apart.dims[2 + i]);
    apart.dims[3 + spatial + i] = joined.dims[2 + i] = p->of_each.size[i];
  }
  apart.dims[2 + spatial] = joined.dims[1] = p->channels;
  return nr_lower_reshape(l, nr_lower_generate(l, &apart, p->kernel->type->elem, kernel_body, p), &joined);
}

/* Element (n, c, phases.., j..) of the outputs: of the part that has these phases, among those from `part` on. */
static NrValue *element_of(NrLower *l, const Phases *p, NrValue *const *at, size_t i, NrValue **parts, size_t each) {
  if (i == p->w.spatial) return nr_lower_extract(l, *parts, at, 2 + 2 * i);
  int64_t longer = longer_phases(p, i);
  if (!longer) return element_of(l, p, at, i + 1, parts, each);
  NrValue *first[NORIA_MAX_RANK], *second[NORIA_MAX_RANK], *bound = nr_lower_index(l, longer);
  NrValue *is_first = nr_lower_cmpi(l, NR_CMPI_ULT, at[2 + i], bound), *zero = nr_lower_index(l, 0);
  memcpy(first, at, sizeof first);
  memcpy(second, at, sizeof second);
  first[2 + i] = nr_lower_select(l, is_first, at[2 + i], zero);
  second[2 + i] = nr_lower_select(l, is_first, zero, same2(l, NR_OP_arith_subi, at[2 + i], bound));
  return nr_lower_select(l, is_first, element_of(l, p, first, i + 1, parts, each / 2),
                         element_of(l, p, second, i + 1, parts + each / 2, each / 2));
}

/* Element (n, c, p..) of the result. */
static NrValue *interleave_body(NrLower *l, NrValue *const *at, void *user) {
  const Phases *p = user;
  size_t spatial = p->w.spatial, parts = 1;
  NrValue *indices[NORIA_MAX_RANK] = {at[0], at[1]};
  for (size_t i = 0; i < spatial; i++) {
    NrValue *t = same2(l, NR_OP_arith_addi, at[2 + i], nr_dim_value(l, p->rest[i]));
    NrValue *stride = nr_lower_index(l, p->w.stride[i]), *j = same2(l, NR_OP_arith_divui, t, stride);
    indices[2 + i] = same2(l, NR_OP_arith_remui, t, stride);
    bool known = nr_dim_known(p->of_each.out[i]);
    indices[2 + spatial + i] = known ? j : nr_lower_clamp_index(l, j, p->of_each.out[i]);
    if (longer_phases(p, i)) parts *= 2;
  }
  return element_of(l, p, indices, 0, p->parts, parts);
}

/* The sums of the phases at hand, [batch, channels, phases.., j..]. */
static NrValue *sum_of_phases(NrLower *l, NrValue *x, Phases *p, NrDim groups, NrDim per_group) {
  NrConv c;
  size_t spatial = p->w.spatial;
  if (nr_lower_conv_under(l, x, phases_kernel(l, p, groups, per_group), groups, p->of_each, NULL, &c)) return NULL;
  NrValue *init = nr_lower_zeros(l, &c.out, nr_lower_wide_type(x->type->elem));
  NrShape apart = {2 + 2 * spatial, {nr_lower_dim(l, x, 0), nr_dim_mul(l, groups, per_group)}};
  for (size_t i = 0; i < spatial; i++) {
    apart.dims[2 + i] = nr_dim(p->count[i]);
    apart.dims[2 + spatial + i] = p->of_each.out[i];
  }
  return nr_lower_reshape(l, nr_lower_conv_sum(l, &c, init, (NrSigns){0}), &apart);
}

/* The outputs of all phases along dims i and later, to *io_parts on, which moves behind them. Longer and shorter phases
 * are convolutions of their own: a zero in a kernel would make NaN of an infinity, and take time. */
static bool sum_from_dim(NrLower *l, NrValue *x, Phases *p, size_t i, NrDim groups, NrDim per_group,
                         NrValue ***io_parts) {
  if (i == p->w.spatial) return (*(*io_parts)++ = sum_of_phases(l, x, p, groups, per_group)) != NULL;
  int64_t s = p->w.stride[i], longer = longer_phases(p, i);
  for (size_t part = longer ? 0 : 1; part < 2; part++) {
    p->from[i] = part ? longer : 0;
    p->count[i] = part ? s - longer : longer;
    p->of_each.size[i] = s > 1 ? nr_dim(p->w.size[i].size / s + (part ? 0 : 1)) : p->w.size[i];
    find_phases(l, p, i, nr_lower_dim(l, x, 2 + i));
    if (!sum_from_dim(l, x, p, i + 1, groups, per_group, io_parts)) return false;
  }
  return true;
}

static NrValue *sum_by_phases(NrLower *l, NrValue *x, Phases *p, NrDim groups, NrDim per_group, const NrShape *result) {
  NrValue *parts[1 << (NORIA_MAX_RANK / 2)], **end = parts;
  size_t spatial = p->of_each.spatial = p->w.spatial;
  bool one = true;
  for (size_t i = 0; i < spatial; i++) one &= p->w.stride[i] == 1;
  if (!sum_from_dim(l, x, p, 0, groups, per_group, &end)) return NULL;
  if (one) return nr_lower_reshape(l, parts[0], result);
  for (size_t i = 0; i < spatial; i++)
    if (!nr_dim_known(p->of_each.out[i])) nr_lower_expect_elements(l, "X", parts[0], 2 + spatial + i, result);
  p->parts = parts;
  return nr_lower_generate(l, result, parts[0]->type->elem, interleave_body, p);
}

NrStatus nr_lower_convtranspose(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *k = nr_lower_in(l, 1), *bias = nr_lower_in(l, 2);
  size_t rank = nr_rank(x);
  int64_t group = nr_lower_attr_int(l, "group");
  if (rank < 3 || nr_rank(k) != rank)
    return nr_lower_error(l, "input and kernel have ranks %zu and %u; both must be 3 or more, and equal", rank,
                          nr_rank(k));
  if (2 * rank > NORIA_MAX_RANK || group < 1) return nr_lower_error(l, "too many spatial dims, or no group");
  Phases p = {.kernel = k};
  if (!nr_lower_window_kernel(l, k, &p.w)) return NR_ERROR_INVALID;
  if (!output_window(l, x, &p)) return NR_ERROR_INVALID;
  NrShape sx = nr_lower_shape(l, x), sk = nr_lower_shape(l, k);
  NrDim groups = nr_dim(group), per_group = sk.dims[1], outputs = nr_dim_mul(l, per_group, groups);
  p.channels = nr_dim_div(l, sk.dims[0], groups);
  if (!nr_lower_dims_agree(l, sx.dims[1], sk.dims[0], "channels of input and kernel") ||
      !nr_lower_dims_agree(l, nr_dim_mul(l, p.channels, groups), sk.dims[0], "channels, and as many groups") ||
      (bias && !nr_lower_is_vector(l, 2, outputs)))
    return NR_ERROR_INVALID;
  NrShape result = {rank, {sx.dims[0], outputs}};
  bool columns = false;
  for (size_t i = 0; i < p.w.spatial; i++) {
    columns |= takes_columns(&p, i);
    result.dims[2 + i] = p.w.out[i];
  }
  NrValue *y = columns ? sum_by_columns(l, x, &p, groups, per_group, &result)
                       : sum_by_phases(l, x, &p, groups, per_group, &result);
  if (!y) return NR_ERROR_INVALID;
  if (bias) {
    NrShape column = {.rank = rank};
    for (size_t i = 0; i < rank; i++) column.dims[i] = i == 1 ? outputs : nr_dim(1);
    y = nr_lower_sum(l, y, nr_lower_widen_tensor(l, nr_lower_reshape(l, bias, &column)));
  }
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, x->type->elem), nr_lower_dtype(l, 0));
}
