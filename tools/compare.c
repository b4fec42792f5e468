/* compare.c - compares the results of two runs. */
#include <math.h>

#include "base/float_format.h"
#include "dialect/onnx/dtype.h"
#include "values.h"

static double element(const NoriaValue *v, NrType elem, int64_t i) {
  const uint8_t *at = (const uint8_t *)noria_tensor_data(v) + (size_t)i * nr_type_byte_size(elem);
  const struct NrFloatFormat *format = nr_float_format(elem->float_kind);
  uint64_t bits = 0;
  double d;
  float f;
  if (format) return memcpy(&bits, at, nr_type_byte_size(elem)), nr_float_decode(format, bits);
  if (elem->width == 32) return memcpy(&f, at, sizeof f), (double)f;
  return memcpy(&d, at, sizeof d), d;
}

static bool near(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b)) return a == b;
  return fabs(a - b) <= tolerance * (1 + fmax(fabs(a), fabs(b)));
}

static void put_place(const NoriaValue *v, int64_t i, NrBuf *out) {
  const int64_t *dims = noria_tensor_dims(v);
  int64_t rank = noria_tensor_rank(v), stride = noria_tensor_count(v);
  if (rank == 0) return;
  nr_buf_puts(out, "at [");
  for (int64_t d = 0; d < rank; d++) {
    stride /= dims[d];
    nr_buf_printf(out, d ? ", %lld" : "%lld", (long long)(i / stride));
    i %= stride;
  }
  nr_buf_puts(out, "] ");
}

static bool same_floats(const NoriaValue *a, const NoriaValue *b, NrType elem, double tolerance, NrBuf *out) {
  int64_t parts = elem->kind == NR_TYPE_COMPLEX ? 2 : 1;
  if (parts == 2) elem = elem->elem;
  for (int64_t i = 0; i < noria_tensor_count(a) * parts; i++) {
    double x = element(a, elem, i), y = element(b, elem, i);
    if (near(x, y, tolerance)) continue;
    put_place(b, i / parts, out);
    nr_buf_printf(out, "%.9g instead of %.9g", y, x);
    return false;
  }
  return true;
}

static bool same_bytes(const NoriaValue *a, const NoriaValue *b, NrBuf *out) {
  const uint8_t *x = noria_tensor_data(a), *y = noria_tensor_data(b);
  size_t size = noria_dtype_size(noria_value_dtype(a));
  for (int64_t i = 0; i < noria_tensor_count(a); i++, x += size, y += size) {
    if (memcmp(x, y, size) == 0) continue;
    int64_t is = 0, was = 0;
    put_place(b, i, out);
    memcpy(&was, x, NR_MIN(size, sizeof was));
    memcpy(&is, y, NR_MIN(size, sizeof is));
    uint32_t unused = size < 8 ? 64 - 8 * (uint32_t)size : 0;
    nr_buf_printf(out, "%lld instead of %lld", (long long)((int64_t)((uint64_t)is << unused) >> unused),
                  (long long)((int64_t)((uint64_t)was << unused) >> unused));
    return false;
  }
  return true;
}

static bool same_strings(const NoriaValue *a, const NoriaValue *b, NrBuf *out) {
  for (int64_t i = 0; i < noria_tensor_count(a); i++) {
    NrStr x, y;
    x.data = noria_tensor_string(a, i, &x.size);
    y.data = noria_tensor_string(b, i, &y.size);
    if (nr_str_eq(x, y)) continue;
    put_place(b, i, out);
    nr_buf_printf(out, "\"%.*s\" instead of \"%.*s\"", NR_STR_ARG(y), NR_STR_ARG(x));
    return false;
  }
  return true;
}

static bool same_shape(const NoriaValue *a, const NoriaValue *b) {
  int64_t rank = noria_tensor_rank(a);
  return rank == noria_tensor_rank(b) &&
         memcmp(noria_tensor_dims(a), noria_tensor_dims(b), (size_t)rank * sizeof(int64_t)) == 0;
}

static void put_shape(const NoriaValue *v, NrBuf *out) {
  for (int64_t d = 0; d < noria_tensor_rank(v); d++)
    nr_buf_printf(out, d ? "x%lld" : "%lld", (long long)noria_tensor_dims(v)[d]);
  if (noria_tensor_rank(v) == 0) nr_buf_puts(out, "scalar");
}

static bool same_tensors(NrContext *ctx, const NoriaValue *a, const NoriaValue *b, double tolerance, NrBuf *out) {
  if (noria_value_dtype(a) != noria_value_dtype(b)) {
    nr_buf_printf(out, "type %s instead of %s", noria_dtype_name(noria_value_dtype(b)),
                  noria_dtype_name(noria_value_dtype(a)));
    return false;
  }
  if (!same_shape(a, b)) {
    nr_buf_puts(out, "shape ");
    put_shape(b, out);
    nr_buf_puts(out, " instead of ");
    put_shape(a, out);
    return false;
  }
  NrType elem = nr_dtype_type(ctx, noria_value_dtype(a));
  if (elem->kind == NR_TYPE_onnx_string) return same_strings(a, b, out);
  bool exact = nr_type_is_int_or_index(elem);
  return exact ? same_bytes(a, b, out) : same_floats(a, b, elem, tolerance, out);
}

bool values_agree(NrContext *ctx, const NoriaValue *a, const NoriaValue *b, double tolerance, NrBuf *out) {
  if (noria_value_kind(a) == NORIA_KIND_TENSOR && noria_value_kind(b) == NORIA_KIND_TENSOR)
    return same_tensors(ctx, a, b, tolerance, out);
  if (noria_value_kind(a) != noria_value_kind(b)) return nr_buf_puts(out, "a value of another kind"), false;
  if (noria_value_kind(a) == NORIA_KIND_OPTIONAL) {
    const NoriaValue *x = noria_optional_item(a), *y = noria_optional_item(b);
    if (x && y) return values_agree(ctx, x, y, tolerance, out);
    if (x || y) nr_buf_puts(out, y ? "a value instead of none" : "none instead of a value");
    return !x && !y;
  }
  if (noria_value_kind(a) == NORIA_KIND_MAP) {
    const NoriaValue *x = noria_map_keys(a), *y = noria_map_keys(b);
    if (!same_tensors(ctx, x, y, tolerance, out)) return nr_buf_puts(out, " in the keys"), false;
    if (same_tensors(ctx, noria_map_values(a), noria_map_values(b), tolerance, out)) return true;
    return nr_buf_puts(out, " in the values"), false;
  }
  if (noria_sequence_length(a) != noria_sequence_length(b)) {
    nr_buf_printf(out, "%lld items instead of %lld", (long long)noria_sequence_length(b),
                  (long long)noria_sequence_length(a));
    return false;
  }
  for (int64_t i = 0; i < noria_sequence_length(a); i++)
    if (!values_agree(ctx, noria_sequence_at(a, i), noria_sequence_at(b, i), tolerance, out)) {
      nr_buf_printf(out, " in item %lld", (long long)i);
      return false;
    }
  return true;
}
