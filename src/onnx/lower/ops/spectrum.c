/* spectrum.c - DFT and STFT. Rows of numbers are transformed in f64 by the kernel lib/dft.mlir. */
#include <math.h>

#include "onnx/lower/core/body.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"

enum {
  MOST_ROOTS = 1 << 16 /* longer tables of roots of unity are made in the run: as constants they take a megabyte */
};
static const int64_t MOST_LENGTH = INT64_C(1) << 48; /* so that sums and products of a few lengths do not overflow */

/* ---- tables of roots of unity ---- */

/* Element j is exp(sign * 2 pi i * f(j) / whole), where f(j) is j, or j * j modulo whole. */
typedef struct Roots {
  NrDim count, whole;
  bool squares;
  double sign;
} Roots;

/* cos and sin of part / whole of a turn; exact where they are 0, 0.5 is or 1. part < whole. */
static void root_of(int64_t part, int64_t whole, double out[2]) {
  const double quarter_turn = 0x1.921fb54442d18p+0;
  int64_t quarter = 4 * part / whole, rest = 4 * part % whole;
  bool mirrored = rest > whole - rest; /* sines and cosines of at most an eighth of a turn are the most exact */
  double angle = quarter_turn * (double)(mirrored ? whole - rest : rest) / (double)whole;
  double c = mirrored ? sin(angle) : cos(angle), s = mirrored ? cos(angle) : sin(angle);
  out[0] = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  out[1] = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

static NrValue *known_roots(NrLower *l, const Roots *r) {
  int64_t shape[2] = {r->count.size, 2};
  double(*table)[2] = nr_arena_alloc(&l->state->arena, (size_t)r->count.size * sizeof *table);
  for (int64_t j = 0; j < r->count.size; j++) {
    root_of(r->squares ? j * j % r->whole.size : j, r->whole.size, table[j]);
    table[j][1] *= r->sign;
  }
  NrType type = nr_type_tensor(shape, 2, nr_type_f64(l->ctx));
  return nr_lower_dense(l, nr_attr_dense(type, table, (size_t)r->count.size * sizeof *table));
}

/* at: j, part. */
static NrValue *root_body(NrLower *l, NrValue *const *at, void *user) {
  const Roots *r = user;
  NrType f64 = nr_type_f64(l->ctx);
  NrValue *whole = nr_dim_value(l, r->whole), *j = at[0];
  if (r->squares) j = same2(l, NR_OP_arith_remui, mul(l, j, j), whole);
  NrValue *turn = divf(l, nr_lower_index_to_float(l, j, f64), nr_lower_index_to_float(l, whole, f64));
  NrValue *angle = mul(l, turn, nr_lower_float(l, f64, 0x1.921fb54442d18p+2));
  NrValue *s = mul(l, same1(l, NR_OP_math_sin, angle), nr_lower_float(l, f64, r->sign));
  NrValue *is_real = nr_lower_cmpi(l, NR_CMPI_EQ, at[1], nr_lower_index(l, 0));
  return nr_lower_select(l, is_real, same1(l, NR_OP_math_cos, angle), s);
}

static NrValue *roots(NrLower *l, Roots r) {
  if (nr_dim_known(r.count) && nr_dim_known(r.whole) && r.count.size <= MOST_ROOTS) return known_roots(l, &r);
  NrShape shape = {2, {r.count, nr_dim(2)}};
  return nr_lower_generate(l, &shape, nr_type_f64(l->ctx), root_body, &r);
}

/* ---- transforms ---- */

typedef struct Transform {
  NrDim n, length; /* of a row, and of the transforms that are computed for it (lib/dft_length.mlir) */
  NrValue *twiddles, *chirp;
  double sign;
} Transform;

static bool is_smooth(int64_t n) {
  for (int64_t factor = 2; factor < 32; factor++)
    while (n > 0 && n % factor == 0) n /= factor;
  return n <= 1;
}

static NrStatus find_length(NrLower *l, NrDim n, NrDim *out) {
  if (nr_dim_known(n)) {
    int64_t length = 1;
    while (length < 2 * n.size - 1) length *= 2;
    *out = is_smooth(n.size) ? n : nr_dim(length);
    return NR_OK;
  }
  NrValue *length, *arg = nr_dim_value(l, n);
  NR_TRY(nr_lower_kernel(l, "dft_length", (NrStr){0}, &arg, 1, &length, 1));
  *out = nr_dim_of_index(length);
  return NR_OK;
}

/* at: 0, t, part. The conjugate of the chirp, and again from the end. */
static NrValue *filter_body(NrLower *l, NrValue *const *at, void *user) {
  const Transform *f = user;
  NrValue *mirrored = sub(l, nr_dim_value(l, f->length), at[1]);
  NrValue *n = nr_dim_value(l, f->n);
  NrValue *t = same2(l, NR_OP_arith_minui, at[1], mirrored);
  NrValue *there = nr_lower_cmpi(l, NR_CMPI_ULT, t, n);
  NrValue *x = nr_lower_extract(l, f->chirp, (NrValue *[]){nr_lower_clamp_index(l, t, f->n), at[2]}, 2);
  NrValue *is_real = nr_lower_cmpi(l, NR_CMPI_EQ, at[2], nr_lower_index(l, 0));
  return nr_lower_select(l, there, nr_lower_select(l, is_real, x, negf(l, x)), num(l, x, 0));
}

/* Transforms rows x[rows, n, 1 or 2] to out[rows, bins, 2]. */
static NrStatus run_kernel(NrLower *l, const Transform *f, NrValue *x, NrValue *filter, NrDim bins, NrValue **out) {
  NrShape shape = {3, {nr_lower_dim(l, x, 0), bins, nr_dim(2)}};
  NrValue *args[] = {x, f->twiddles, f->chirp, filter, nr_lower_float(l, nr_type_f64(l->ctx), f->sign),
                     nr_dim_value(l, bins)};
  NR_TRY(nr_lower_kernel(l, "dft", (NrStr){0}, args, 6, out, 1));
  *out = nr_lower_tensor_cast(l, *out, nr_shape_type(l, &shape, nr_type_f64(l->ctx)));
  for (size_t i = 0; i < 3; i++) nr_lower_set_dim(l, *out, i, shape.dims[i]);
  return NR_OK;
}

/* The transforms of rows x[rows, n, 1 or 2] of f64, over exp(sign * ..); not divided by n. */
static NrStatus transform(NrLower *l, NrValue *x, double sign, NrDim bins, NrValue **out) {
  NrType f64 = nr_type_f64(l->ctx);
  Transform f = {.n = nr_lower_dim(l, x, 1), .sign = sign};
  NrValue *n = nr_dim_value(l, f.n);
  NR_TRY(find_length(l, f.n, &f.length));
  f.twiddles = roots(l, (Roots){.count = f.length, .whole = f.length, .sign = sign});
  if (nr_dim_same(f.length, f.n)) {
    f.chirp = nr_lower_empty(l, &(NrShape){2, {nr_dim(0), nr_dim(2)}}, f64);
    NrValue *none = nr_lower_empty(l, &(NrShape){3, {nr_dim(1), nr_dim(0), nr_dim(2)}}, f64);
    return run_kernel(l, &f, x, none, bins, out);
  }
  NrValue *direct = nr_lower_cmpi(l, NR_CMPI_EQ, n, nr_dim_value(l, f.length));
  NrDim chirps = nr_dim_select(l, direct, nr_dim(0), f.n), filters = nr_dim_select(l, direct, nr_dim(0), nr_dim(1));
  Transform plain = f;
  f.chirp = roots(l, (Roots){.count = chirps, .whole = nr_dim_mul(l, f.n, nr_dim(2)), .squares = true, .sign = sign});
  plain.chirp = nr_lower_empty(l, &(NrShape){2, {nr_dim(0), nr_dim(2)}}, f64);
  NrShape shape = {3, {filters, f.length, nr_dim(2)}};
  NrValue *row = nr_lower_generate(l, &shape, f64, filter_body, &f), *filter;
  NrValue *none = nr_lower_empty(l, &(NrShape){3, {nr_dim(1), nr_dim(0), nr_dim(2)}}, f64);
  NR_TRY(run_kernel(l, &plain, row, none, f.length, &filter));
  return run_kernel(l, &f, x, filter, bins, out);
}

/* ---- complex numbers as the last dim of a tensor ---- */

/* The last dim is 1, of real numbers, or 2. */
static bool expect_parts(NrLower *l, const char *name, NrValue *x) {
  NrDim parts = nr_lower_dim(l, x, nr_rank(x) - 1);
  if (nr_dim_is(parts, 1) || nr_dim_is(parts, 2)) return true;
  if (nr_dim_known(parts))
    return nr_lower_error(l, "the last dim of %s is %lld, not 1 or 2", name, (long long)parts.size), false;
  NrValue *one = nr_lower_cmpi(l, NR_CMPI_EQ, parts.value, nr_lower_index(l, 1));
  NrValue *two = nr_lower_cmpi(l, NR_CMPI_EQ, parts.value, nr_lower_index(l, 2));
  nr_lower_check(l, either(l, one, two), "the last dim of the input is %0, not 1 or 2", &parts.value, 1);
  return true;
}

/* Part 0 or 1 of a complex number as f64. at: all other indices, with room for one more. */
static NrValue *part_of(NrLower *l, NrValue *x, NoriaDType dtype, NrValue **at, NrValue *part) {
  size_t rank = nr_rank(x);
  NrDim parts = nr_lower_dim(l, x, rank - 1);
  at[rank - 1] = nr_lower_clamp_index(l, part, parts);
  NrValue *value = nr_lower_cast(l, nr_lower_extract(l, x, at, rank), dtype, NORIA_F64, true);
  NrValue *there = nr_lower_cmpi(l, NR_CMPI_ULT, part, nr_dim_value(l, parts));
  return nr_lower_select(l, there, value, num(l, value, 0));
}

/* ---- DFT ---- */

/* The input as x[outer, in, inner, parts], of which `in` is the axis, which may be known only in the run. */
typedef struct Dft {
  NrValue *x, *spectrum;
  NoriaDType dtype;
  NrDim axis, outer, in, inner;
  NrDim n, bins; /* the length; how many elements of the transform the result has */
  bool inverse, onesided;
} Dft;

/* at: outer, inner, t, part. Elements behind the end of x are 0. A one-sided spectrum has conjugates behind its middle.
 */
static NrValue *input_body(NrLower *l, NrValue *const *at, void *user) {
  const Dft *d = user;
  NrValue *t = at[2], *mirrored = NULL, *n = nr_dim_value(l, d->n);
  if (d->inverse && d->onesided) {
    mirrored = nr_lower_cmpi(l, NR_CMPI_UGT, t, nr_dim_value(l, nr_dim_div(l, d->n, nr_dim(2))));
    t = nr_lower_select(l, mirrored, sub(l, n, t), t);
  }
  NrValue *place[4] = {at[0], nr_lower_clamp_index(l, t, d->in), at[1]};
  NrValue *x = part_of(l, d->x, d->dtype, place, at[3]);
  x = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_ULT, t, nr_dim_value(l, d->in)), x, num(l, x, 0));
  if (!mirrored) return x;
  NrValue *imaginary = nr_lower_cmpi(l, NR_CMPI_EQ, at[3], nr_lower_index(l, 1));
  return nr_lower_select(l, both(l, mirrored, imaginary), negf(l, x), x);
}

/* at: outer, k, inner, part. */
static NrValue *output_body(NrLower *l, NrValue *const *at, void *user) {
  const Dft *d = user;
  NrValue *y = nr_lower_extract(l, d->spectrum, (NrValue *[]){at[0], at[2], at[1], at[3]}, 4);
  if (d->inverse) y = divf(l, y, nr_lower_index_to_float(l, nr_dim_value(l, d->n), y->type));
  return nr_lower_cast(l, y, NORIA_F64, d->dtype, true);
}

/* The axis among the dims but the last, which has the complex parts. */
static bool find_axis(NrLower *l, size_t rank, NrDim *out) {
  int64_t known = -2;
  NrValue *input = l->version >= 20 && nr_lower_num_in(l) > 2 ? nr_lower_in(l, 2) : NULL;
  if (l->version < 20) known = nr_lower_attr_int(l, "axis");
  *out = input ? nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, input))) : nr_dim(known);
  if (nr_dim_known(*out)) {
    size_t axis;
    if (!nr_lower_axis(l, out->size, rank, &axis)) return false;
    if (axis == rank - 1)
      return nr_lower_error(l, "axis %lld is that of the complex parts", (long long)out->size), false;
    *out = nr_dim((int64_t)axis);
    return true;
  }
  NrDim wrapped = nr_dim_wrap(l, *out, nr_dim((int64_t)rank));
  NrValue *in_range = nr_lower_cmpi(l, NR_CMPI_ULT, nr_dim_value(l, wrapped), nr_lower_index(l, (int64_t)rank - 1));
  nr_lower_check(l, in_range, "axis %0 is none of the input's dims before the last", &out->value, 1);
  *out = wrapped;
  return true;
}

/* dims of the input before, at and behind the axis, without the parts. */
static void split_at_axis(NrLower *l, const NrShape *shape, Dft *d) {
  d->outer = d->inner = d->in = nr_dim(1);
  for (size_t i = 0; i + 1 < shape->rank; i++) {
    NrValue *axis = nr_dim_value(l, d->axis), *here = nr_lower_index(l, (int64_t)i);
    NrDim dim = shape->dims[i], one = nr_dim(1);
    d->outer = nr_dim_mul(l, d->outer, nr_dim_select(l, nr_lower_cmpi(l, NR_CMPI_ULT, here, axis), dim, one));
    d->inner = nr_dim_mul(l, d->inner, nr_dim_select(l, nr_lower_cmpi(l, NR_CMPI_UGT, here, axis), dim, one));
    d->in = nr_dim_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, here, axis), dim, d->in);
  }
}

static bool find_n(NrLower *l, Dft *d) {
  bool half = d->inverse && d->onesided;
  d->n = half ? nr_dim_max(l, nr_dim_mul(l, nr_dim_sub(l, d->in, nr_dim(1)), nr_dim(2)), nr_dim(0)) : d->in;
  bool given = nr_lower_num_in(l) > 1 && nr_lower_in(l, 1);
  if (given && !nr_lower_size_input(l, 1, "dft_length", 1, &d->n)) return false;
  return nr_lower_fits(l, d->n, nr_dim(MOST_LENGTH), "a length of %0 is more than %1");
}

NrStatus nr_lower_dft(NrLower *l) {
  Dft d = {.x = nr_lower_in(l, 0), .dtype = nr_lower_dtype(l, 0), .inverse = nr_lower_attr_int(l, "inverse") != 0,
           .onesided = nr_lower_attr_int(l, "onesided") != 0};
  NrType elem = d.x->type->elem;
  size_t rank = nr_rank(d.x);
  if (rank < 2) return nr_lower_error(l, "input has rank %zu, not 2 or more", rank);
  if (!expect_parts(l, "input", d.x) || !find_axis(l, rank, &d.axis)) return NR_ERROR_INVALID;
  NrShape result = nr_lower_shape(l, d.x);
  NrDim parts = result.dims[rank - 1], two = nr_dim(2);
  split_at_axis(l, &result, &d);
  if (!find_n(l, &d)) return NR_ERROR_INVALID;
  d.bins = d.onesided && !d.inverse ? nr_dim_add(l, nr_dim_div(l, d.n, two), nr_dim(1)) : d.n;
  for (size_t i = 0; i + 1 < rank && !nr_dim_same(d.bins, d.in); i++) {
    NrValue *is_axis = nr_lower_cmpi(l, NR_CMPI_EQ, nr_lower_index(l, (int64_t)i), nr_dim_value(l, d.axis));
    result.dims[i] = nr_dim_select(l, is_axis, d.bins, result.dims[i]);
  }
  result.dims[rank - 1] = nr_dim(d.onesided && d.inverse ? 1 : 2);
  NrShape in = {4, {d.outer, d.in, d.inner, parts}};
  NrShape read = {4, {d.outer, d.inner, d.n, nr_dim_is(parts, 1) ? parts : two}};
  NrShape rows = {3, {nr_dim_mul(l, d.outer, d.inner), d.n, read.dims[3]}};
  NrShape made = {4, {d.outer, d.inner, d.bins, two}}, out = {4, {d.outer, d.bins, d.inner, result.dims[rank - 1]}};
  d.x = nr_lower_reshape(l, d.x, &in);
  nr_lower_expect_elements(l, "input", d.x, 1, &out);
  NrValue *x = nr_lower_generate(l, &read, nr_type_f64(l->ctx), input_body, &d);
  NR_TRY(transform(l, nr_lower_reshape(l, x, &rows), d.inverse ? 1 : -1, d.bins, &d.spectrum));
  d.spectrum = nr_lower_reshape(l, d.spectrum, &made);
  NrValue *y = nr_lower_generate(l, &out, elem, output_body, &d);
  return nr_lower_out(l, 0, nr_lower_reshape(l, y, &result), d.dtype);
}

/* ---- STFT ---- */

typedef struct Stft {
  NrValue *signal, *window;
  NoriaDType dtype;
  NrDim step;
} Stft;

/* at: batch, frame, t, part. */
static NrValue *frame_body(NrLower *l, NrValue *const *at, void *user) {
  const Stft *s = user;
  NrValue *place[3] = {at[0], add(l, mul(l, at[1], nr_dim_value(l, s->step)), at[2])};
  NrValue *x = part_of(l, s->signal, s->dtype, place, at[3]);
  if (!s->window) return x;
  return mul(l, x, nr_lower_cast(l, nr_lower_extract(l, s->window, &at[2], 1), s->dtype, NORIA_F64, true));
}

static NrValue *rounded_body(NrLower *l, NrValue *const *args, void *user) {
  const Stft *s = user;
  return nr_lower_cast(l, args[0], NORIA_F64, s->dtype, true);
}

/* The length of a frame: input frame_length, else the window's, else the signal's. */
static bool find_frame(NrLower *l, const Stft *s, NrDim *n) {
  NrDim length = nr_lower_dim(l, s->signal, 1);
  if (s->window && !nr_lower_expect_rank(l, "window", s->window, 1)) return false;
  *n = s->window ? nr_lower_dim(l, s->window, 0) : length;
  if (nr_lower_num_in(l) > 3 && nr_lower_in(l, 3)) {
    if (!nr_lower_size_input(l, 3, "frame_length", 1, n)) return false;
    if (s->window && !nr_lower_expect_dim(l, "window", s->window, 0, *n)) return false;
  }
  if (!nr_lower_fits(l, *n, nr_dim(MOST_LENGTH), "a length of %0 is more than %1")) return false;
  return nr_lower_fits(l, *n, length, "a frame of %0 elements is longer than the signal of %1");
}

NrStatus nr_lower_stft(NrLower *l) {
  Stft s = {.signal = nr_lower_in(l, 0), .dtype = nr_lower_dtype(l, 0)};
  NrDim n, two = nr_dim(2);
  if (nr_rank(s.signal) == 2) { /* real numbers; exporters leave out the dim of the parts */
    NrShape parts = {3, {nr_lower_dim(l, s.signal, 0), nr_lower_dim(l, s.signal, 1), nr_dim(1)}};
    s.signal = nr_lower_reshape(l, s.signal, &parts);
  }
  if (!nr_lower_expect_rank(l, "signal", s.signal, 3) || !expect_parts(l, "signal", s.signal) ||
      !nr_lower_size_input(l, 1, "frame_step", 1, &s.step))
    return NR_ERROR_INVALID;
  s.window = nr_lower_num_in(l) > 2 ? nr_lower_in(l, 2) : NULL;
  if (!find_frame(l, &s, &n)) return NR_ERROR_INVALID;
  NrShape in = nr_lower_shape(l, s.signal);
  NrDim frames = nr_dim_add(l, nr_dim_div(l, nr_dim_sub(l, in.dims[1], n), s.step), nr_dim(1));
  NrDim bins = nr_lower_attr_int(l, "onesided") ? nr_dim_add(l, nr_dim_div(l, n, two), nr_dim(1)) : n;
  NrShape read = {4, {in.dims[0], frames, n, nr_dim_is(in.dims[2], 1) ? in.dims[2] : two}};
  NrShape rows = {3, {nr_dim_mul(l, in.dims[0], frames), n, read.dims[3]}};
  NrShape out = {4, {in.dims[0], frames, bins, two}};
  nr_lower_expect_elements(l, "signal", s.signal, 1, &out);
  if (s.window) nr_lower_expect_elements(l, "window", s.window, 0, &out);
  NrValue *x = nr_lower_generate(l, &read, nr_type_f64(l->ctx), frame_body, &s), *y;
  NR_TRY(transform(l, nr_lower_reshape(l, x, &rows), -1, bins, &y));
  y = nr_lower_map(l, (NrValue *[]){nr_lower_reshape(l, y, &out)}, 1, s.signal->type->elem, rounded_body, &s);
  return nr_lower_out(l, 0, y, s.dtype);
}
