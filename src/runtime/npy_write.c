/* npy_write.c - writes .npy files, row-major and little-endian. */
#include <errno.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/float_format.h"
#include "runtime/npy.h"

/* The strings as rows of `*out_width` characters of 4 bytes, filled with zeros, in memory for free(). */
static NoriaStatus encode_strings(const NoriaValue *t, uint32_t **out_rows, size_t *out_width, NoriaError *error) {
  NoriaString *const *strings = t->as.tensor.data;
  size_t count = (size_t)t->as.tensor.count, cells;
  *out_width = 1; /* NumPy has no narrower strings */
  for (size_t i = 0; i < count; i++) {
    const char *p = strings[i]->data, *end = p + strings[i]->size;
    size_t width = 0;
    for (; p < end; width++)
      if (nr_utf8_take(&p, end) == UINT32_MAX)
        return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "string %zu is not UTF-8, which .npy files need", i);
    *out_width = NR_MAX(*out_width, width);
  }
  if (!nr_mul_size(count, *out_width, &cells) || !(*out_rows = calloc(cells ? cells : 1, sizeof(uint32_t))))
    return nr_error_set_memory(error, cells);
  for (size_t i = 0; i < count; i++) {
    const char *p = strings[i]->data, *end = p + strings[i]->size;
    for (uint32_t *to = *out_rows + i * *out_width; p < end;) *to++ = nr_utf8_take(&p, end);
  }
  return NORIA_OK;
}

/* The types that NumPy has not, and their formats; the ones that it has take their elements as they are. */
static const struct Narrow {
  NoriaDType dtype, as;
  const NrFloatFormat *format;
} narrow[] = {
    {NORIA_BF16, NORIA_F32, &nr_format_bf16},
    {NORIA_F8E4M3FN, NORIA_F32, &nr_format_f8e4m3fn},
    {NORIA_F8E4M3FNUZ, NORIA_F32, &nr_format_f8e4m3fnuz},
    {NORIA_F8E5M2, NORIA_F32, &nr_format_f8e5m2},
    {NORIA_F8E5M2FNUZ, NORIA_F32, &nr_format_f8e5m2fnuz},
    {NORIA_F4E2M1FN, NORIA_F32, &nr_format_f4e2m1fn},
    {NORIA_F6E2M3FN, NORIA_F32, &nr_format_f6e2m3fn},
    {NORIA_F6E3M2FN, NORIA_F32, &nr_format_f6e3m2fn},
    {NORIA_F8E8M0FNU, NORIA_F32, &nr_format_f8e8m0fnu},
    {NORIA_I4, NORIA_I8, NULL},
    {NORIA_I2, NORIA_I8, NULL},
    {NORIA_U4, NORIA_U8, NULL},
    {NORIA_U2, NORIA_U8, NULL},
};

static const struct Narrow *find_narrow(NoriaDType dtype) {
  for (size_t i = 0; i < NR_COUNTOF(narrow); i++)
    if (narrow[i].dtype == dtype) return &narrow[i];
  return NULL;
}

/* The elements as those of to->as, in memory for free(). */
static NoriaStatus widen(const NoriaValue *t, const struct Narrow *to, void **out, NoriaError *error) {
  size_t count = (size_t)t->as.tensor.count, size = noria_dtype_size(t->dtype), have = count * size;
  const uint8_t *p = t->as.tensor.data;
  if (!(*out = calloc(count + 1, noria_dtype_size(to->as)))) return nr_error_set_memory(error, have);
  if (!to->format) {
    if (have) memcpy(*out, p, have);
    nr_dtype_settle(t->dtype, *out, t->as.tensor.count);
    return NORIA_OK;
  }
  uint64_t mask = ((uint64_t)1 << nr_dtype_info(t->dtype)->bits) - 1;
  float *floats = *out;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, p + i * size, size);
    floats[i] = (float)nr_float_decode(to->format, bits & mask);
  }
  return NORIA_OK;
}

static void write_header(NrBuf *buf, const NoriaValue *t, const NrNpyType *type, size_t width) {
  NrBuf dict = {0};
  if (type)
    nr_buf_printf(&dict, "{'descr': '%c%c%d'", type->unit > 1 ? '<' : '|', type->kind, type->size);
  else
    nr_buf_printf(&dict, "{'descr': '<U%zu'", width);
  nr_buf_puts(&dict, ", 'fortran_order': False, 'shape': (");
  for (int64_t d = 0; d < t->as.tensor.rank; d++)
    nr_buf_printf(&dict, d == 0 || d < t->as.tensor.rank - 1 ? "%lld, " : "%lld", (long long)t->dims[d]);
  nr_buf_puts(&dict, "), }");
  /* The elements begin at a multiple of 64, after a newline. At most 16 dims keep the header within version 1. */
  while ((10 + dict.size + 1) % 64 != 0) nr_buf_putc(&dict, ' ');
  nr_buf_putc(&dict, '\n');
  nr_buf_append(buf, "\x93NUMPY\x01\x00", 8);
  nr_buf_putc(buf, (char)(dict.size & 0xff));
  nr_buf_putc(buf, (char)(dict.size >> 8));
  nr_buf_append(buf, dict.data, dict.size);
  nr_buf_deinit(&dict);
}

NoriaStatus noria_npy_write(const char *path, const NoriaValue *tensor, NoriaError *error) {
  if (!path || !tensor || tensor->kind != NORIA_KIND_TENSOR)
    return nr_error_set(error, NORIA_ERROR_INVALID, "a .npy file needs a path and a tensor");
  const struct Narrow *narrow_type = find_narrow(tensor->dtype);
  const NrNpyType *type = nr_npy_type_of(narrow_type ? narrow_type->as : tensor->dtype);
  uint32_t *rows = NULL;
  void *wide = NULL;
  size_t width = 0;
  NrStr parts[2] = {{0}, {tensor->as.tensor.data, tensor->as.tensor.size}};
  if (tensor->dtype == NORIA_STRING) {
    NoriaStatus status = encode_strings(tensor, &rows, &width, error);
    if (status) return status;
    parts[1] = (NrStr){(const char *)rows, (size_t)tensor->as.tensor.count * width * sizeof(uint32_t)};
  } else if (narrow_type) {
    NoriaStatus status = widen(tensor, narrow_type, &wide, error);
    if (status) return status;
    parts[1] = (NrStr){wide, (size_t)tensor->as.tensor.count * type->size};
  }
  NrBuf header = {0};
  write_header(&header, tensor, type, width);
  parts[0] = (NrStr){header.data, header.size};
  errno = 0;
  NrStatus written = nr_file_write_parts(path, parts, 2);
  if (written)
    nr_error_set(error, NORIA_ERROR_IO, "%s: %s", path, errno ? strerror(errno) : "cannot be written");
  nr_buf_deinit(&header);
  free(rows);
  free(wide);
  return written ? NORIA_ERROR_IO : NORIA_OK;
}
