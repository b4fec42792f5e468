/* tensor_read.c - TensorProto in all its encodings to dense row-major bytes in memory layout.
 *
 * Raw and external bytes already have that layout on a little-endian machine and are used where they lie, as are
 * decoded lists of numbers. Copies are made only of sub-byte elements (packed in files, a byte each in memory), of
 * narrow ones in lists of wider numbers, and of booleans other than 0 and 1. */
#include "base/dtype.h"
#include "onnx/read/reader.h"

#include <limits.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw_data is little endian and is used in place");

/* What the checks of one tensor share, for its messages. */
typedef struct Source {
  NrOnnxReader *r;
  const NrOnnxPlace *place;
  const Onnx__TensorProto *proto;
  NrOnnxTensor *out;
  size_t packed; /* bytes in a file: sub-byte elements packed */
} Source;

/* Of an element in a file, where sub-byte ones are packed. */
static unsigned bits_of(NoriaDType dtype) {
  unsigned bits = nr_dtype_info(dtype)->bits;
  return bits && bits < 8 && dtype != NORIA_BOOL ? bits : 8 * (unsigned)nr_onnx_dtype_size(dtype);
}

static const char *shape_text(Source *s) {
  NrBuf text = {0};
  nr_buf_putc(&text, '[');
  for (size_t i = 0; i < s->out->rank; i++) nr_buf_printf(&text, "%s%lld", i ? "," : "", (long long)s->out->dims[i]);
  nr_buf_putc(&text, ']');
  const char *copy = nr_str_copy(s->r->arena, (NrStr){text.data, text.size}).data;
  nr_buf_deinit(&text);
  return copy;
}

#define FAIL(s, status, ...) (nr_onnx_error((s)->r->errors, status, (s)->place, __VA_ARGS__), false)
#define NAME(s) NR_STR_ARG((s)->out->name)

static bool read_dtype(Source *s) {
  int32_t dtype = s->proto->data_type;
  s->out->dtype = (NoriaDType)dtype;
  if (dtype == NORIA_UNDEFINED) return FAIL(s, NR_ERROR_INVALID, "tensor '%.*s' has no element type", NAME(s));
  if (dtype == NORIA_STRING || nr_onnx_dtype_size((NoriaDType)dtype)) return true;
  return FAIL(s, NR_ERROR_INVALID, "tensor '%.*s' has an unsupported element type (%d)", NAME(s), (int)dtype);
}

/* Zero dims are left out of the product, so that strides cannot overflow either. */
static bool read_dims(Source *s) {
  const Onnx__TensorProto *proto = s->proto;
  NrOnnxTensor *out = s->out;
  out->rank = proto->n_dims;
  out->dims = nr_arena_copy(s->r->arena, proto->dims, proto->n_dims * sizeof *proto->dims);
  if (out->rank > NORIA_MAX_RANK)
    return FAIL(s, NR_ERROR_LIMIT, "tensor '%.*s' has rank %zu; the limit is %d", NAME(s), out->rank, NORIA_MAX_RANK);
  int64_t product = 1;
  bool empty = false;
  for (size_t i = 0; i < out->rank; i++) {
    int64_t dim = out->dims[i];
    if (dim < 0)
      return FAIL(s, NR_ERROR_INVALID, "tensor '%.*s' has a negative dim in its shape %s", NAME(s), shape_text(s));
    empty = empty || dim == 0;
    if (!nr_mul_i64(product, NR_MAX(dim, 1), &product) || product > INT64_MAX / 16)
      return FAIL(s, NR_ERROR_INVALID, "tensor '%.*s': its shape %s overflows", NAME(s), shape_text(s));
  }
  out->count = empty ? 0 : (size_t)product;
  out->size = out->count * nr_onnx_dtype_size(out->dtype);
  s->packed = bits_of(out->dtype) < 8 ? (out->count * bits_of(out->dtype) + 7) / 8 : out->size;
  return true;
}

/* Sub-byte elements one to a byte, from the low bits up. A float keeps its code in the low bits. */
static const void *unpack(Source *s, const uint8_t *packed) {
  NoriaDType dtype = s->out->dtype;
  unsigned bits = bits_of(dtype), mask = (1u << bits) - 1;
  unsigned sign = dtype == NORIA_I4 || dtype == NORIA_I2 ? 1u << (bits - 1) : 0;
  uint8_t *data = nr_arena_alloc(s->r->arena, s->out->count);
  for (size_t i = 0; i < s->out->count; i++) {
    size_t first = i * bits, at = first / 8; /* elements of 6 bits reach into a second byte */
    unsigned low = packed[at], high = at + 1 < s->packed ? packed[at + 1] : 0;
    unsigned code = (high << 8 | low) >> first % 8 & mask;
    data[i] = (uint8_t)((code ^ sign) - sign);
  }
  return data;
}

static const void *plain_bools(Source *s, const uint8_t *bytes) {
  size_t i = 0;
  while (i < s->out->count && bytes[i] <= 1) i++;
  if (i == s->out->count) return bytes;
  uint8_t *data = nr_arena_alloc(s->r->arena, s->out->count);
  for (i = 0; i < s->out->count; i++) data[i] = bytes[i] != 0;
  return data;
}

/* From the bytes of a file, s->packed of them, to memory layout. */
static void use_bytes(Source *s, const void *bytes) {
  if (bits_of(s->out->dtype) < 8) s->out->data = unpack(s, bytes);
  else if (s->out->dtype == NORIA_BOOL) s->out->data = plain_bools(s, bytes);
  else s->out->data = bytes;
}

static bool fits(Source *s, size_t have, size_t need, const char *unit) {
  if (have == need) return true;
  return FAIL(s, NR_ERROR_INVALID, "tensor '%.*s': %zu %s do not fit shape %s of %s (%zu %s)", NAME(s), have, unit,
              shape_text(s), nr_dtype_info(s->out->dtype)->name, need, unit);
}

/* An empty raw_data counts as absent: some writers set it beside the field that they use. */
static bool has_raw(const Onnx__TensorProto *proto) { return proto->has_raw_data && proto->raw_data.len; }

static bool read_raw(Source *s) {
  const ProtobufCBinaryData *raw = &s->proto->raw_data;
  if (!fits(s, raw->len, s->packed, "bytes")) return false;
  use_bytes(s, raw->data);
  return true;
}

static bool read_strings(Source *s) {
  const Onnx__TensorProto *proto = s->proto;
  if (!fits(s, proto->n_string_data, s->out->count, "elements")) return false;
  NrStr *strings = NR_NEW_ARRAY(s->r->arena, NrStr, s->out->count);
  for (size_t i = 0; i < s->out->count; i++)
    strings[i] = nr_str_copy(s->r->arena, (NrStr){(const char *)proto->string_data[i].data, proto->string_data[i].len});
  s->out->strings = strings;
  return true;
}

/* A list whose elements are as in memory. Where there are none it is NULL, which NrOnnxTensor.data never is. */
static bool use_list(Source *s, const void *items) {
  if (items) s->out->data = items;
  return true;
}

/* An element of 6 bits for each entry of int32_data. */
static bool read_codes(Source *s) {
  uint8_t *data = nr_arena_alloc(s->r->arena, s->out->count);
  if (!fits(s, s->proto->n_int32_data, s->out->count, "elements")) return false;
  for (size_t i = 0; i < s->out->count; i++) data[i] = (uint8_t)s->proto->int32_data[i] & 0x3F;
  s->out->data = data;
  return true;
}

/* int32_data holds anything of at most 32 bits; elements of 2 and 4 bits as packed bytes. */
static bool read_int32s(Source *s) {
  if (bits_of(s->out->dtype) == 6) return read_codes(s);
  size_t bytes = bits_of(s->out->dtype) < 8 ? 1 : nr_onnx_dtype_size(s->out->dtype), count = s->packed / bytes;
  if (!fits(s, s->proto->n_int32_data, count, "elements")) return false;
  if (bytes == 4) return use_list(s, s->proto->int32_data);
  uint8_t *data = nr_arena_alloc(s->r->arena, s->packed);
  for (size_t i = 0; i < count; i++) memcpy(data + i * bytes, &s->proto->int32_data[i], bytes);
  use_bytes(s, data);
  return true;
}

static bool read_uint64s(Source *s) {
  if (!fits(s, s->proto->n_uint64_data, s->out->count, "elements")) return false;
  if (s->out->dtype == NORIA_U64) return use_list(s, s->proto->uint64_data);
  uint32_t *data = NR_NEW_ARRAY(s->r->arena, uint32_t, s->out->count);
  for (size_t i = 0; i < s->out->count; i++) data[i] = (uint32_t)s->proto->uint64_data[i];
  s->out->data = data;
  return true;
}

/* Fields whose elements are as in memory; complex numbers are two each. */
static bool read_plain(Source *s, const void *items, size_t count, size_t item_size) {
  return fits(s, count, s->packed / item_size, "elements") && use_list(s, items);
}

static bool read_typed(Source *s) {
  const Onnx__TensorProto *p = s->proto;
  switch (s->out->dtype) {
  case NORIA_F32:
  case NORIA_C64: return read_plain(s, p->float_data, p->n_float_data, sizeof(float));
  case NORIA_F64:
  case NORIA_C128: return read_plain(s, p->double_data, p->n_double_data, sizeof(double));
  case NORIA_I64: return read_plain(s, p->int64_data, p->n_int64_data, sizeof(int64_t));
  case NORIA_U32:
  case NORIA_U64: return read_uint64s(s);
  default: return read_int32s(s);
  }
}

/* The number of fields with elements that are set. More than one is an error: they may disagree. */
static size_t count_fields(const Onnx__TensorProto *p) {
  return (size_t)has_raw(p) + (p->n_float_data != 0) + (p->n_int32_data != 0) + (p->n_int64_data != 0) +
         (p->n_double_data != 0) + (p->n_uint64_data != 0) + (p->n_string_data != 0);
}

bool nr_onnx_read_tensor(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *proto, NrOnnxTensor *out) {
  *out = (NrOnnxTensor){.name = nr_str_copy(r->arena, nr_str(proto->name)), .data = ""};
  Source s = {r, place, proto, out, 0};
  if (!read_dtype(&s) || !read_dims(&s)) return false;
  if (proto->segment) return FAIL(&s, NR_ERROR_INVALID, "tensor '%.*s' is split in segments", NAME(&s));
  bool external = proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  size_t fields = count_fields(proto);
  if (fields + external > 1) return FAIL(&s, NR_ERROR_INVALID, "tensor '%.*s' has its data in two places", NAME(&s));
  if (out->dtype == NORIA_STRING) {
    if (external || has_raw(proto))
      return FAIL(&s, NR_ERROR_INVALID, "tensor '%.*s': strings must be in string_data", NAME(&s));
    return read_strings(&s);
  }
  if (external) {
    const void *bytes;
    if (!nr_onnx_map_external(r, place, proto, s.packed, &bytes)) return false;
    use_bytes(&s, bytes);
    return true;
  }
  return has_raw(proto) ? read_raw(&s) : read_typed(&s);
}

/* ---- sparse tensors --------------------------------------------------------------------------------------------- */

/* Linear index of non-zero i in the dense tensor. Indices are linear, [n], or one row per non-zero, [n, rank]. */
static bool sparse_index(const NrOnnxTensor *dense, const NrOnnxTensor *indices, size_t i, size_t *out) {
  int64_t index = 0, linear = 0;
  if (indices->rank == 1) {
    nr_onnx_tensor_int(indices, i, &linear);
    return *out = (size_t)linear, linear >= 0 && (uint64_t)linear < dense->count;
  }
  for (size_t d = 0; d < dense->rank; d++) {
    nr_onnx_tensor_int(indices, i * dense->rank + d, &index);
    if (index < 0 || index >= dense->dims[d]) return false;
    linear = linear * dense->dims[d] + index;
  }
  *out = (size_t)linear;
  return true;
}

bool nr_onnx_read_sparse(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__SparseTensorProto *proto,
                         NrOnnxTensor *out) {
  static const Onnx__TensorProto no_tensor = ONNX__TENSOR_PROTO__INIT;
  NrOnnxTensor values, indices;
  if (!nr_onnx_read_tensor(r, place, proto->values ? proto->values : &no_tensor, &values)) return false;
  Onnx__TensorProto shape = ONNX__TENSOR_PROTO__INIT;
  shape.dims = proto->dims;
  shape.n_dims = proto->n_dims;
  *out = (NrOnnxTensor){.name = values.name, .dtype = values.dtype};
  Source s = {r, place, &shape, out, 0};
  if (!read_dims(&s)) return false;
  if (values.dtype == NORIA_STRING || values.rank != 1)
    return FAIL(&s, NR_ERROR_INVALID, "sparse tensor '%.*s': values must be numbers of rank 1", NAME(&s));
  if (out->size > NR_ONNX_MAX_SPARSE_BYTES)
    return FAIL(&s, NR_ERROR_LIMIT, "sparse tensor '%.*s' of shape %s takes %zu bytes when dense; the limit is %d",
                NAME(&s), shape_text(&s), out->size, (int)NR_ONNX_MAX_SPARSE_BYTES);
  if (!proto->indices && values.count == 0)
    indices = (NrOnnxTensor){.dtype = NORIA_I64, .rank = 1, .dims = values.dims};
  else if (!nr_onnx_read_tensor(r, place, proto->indices ? proto->indices : &no_tensor, &indices)) return false;
  bool shaped = indices.dtype == NORIA_I64 &&
                (indices.rank == 1 || (indices.rank == 2 && out->rank == (size_t)indices.dims[1])) &&
                indices.dims[0] == values.dims[0];
  if (!shaped)
    return FAIL(&s, NR_ERROR_INVALID, "sparse tensor '%.*s': indices must be int64 of shape [%zu] or [%zu,%zu]",
                NAME(&s), values.count, values.count, out->rank);
  size_t item = nr_onnx_dtype_size(out->dtype);
  char *data = nr_arena_alloc(r->arena, out->size);
  for (size_t i = 0; i < values.count; i++) {
    size_t at;
    if (!sparse_index(out, &indices, i, &at))
      return FAIL(&s, NR_ERROR_INVALID, "sparse tensor '%.*s': index %zu is outside shape %s", NAME(&s), i,
                  shape_text(&s));
    memcpy(data + at * item, (const char *)values.data + i * item, item);
  }
  out->data = data;
  return true;
}
