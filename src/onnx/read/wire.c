/* wire.c - walks the bytes of a protobuf message before protobuf-c does, and copies all but the tensors' bytes.
 *
 * protobuf-c recurses as deep as the file says and copies every bytes field. So this walk, which knows from
 * protobuf-c's own descriptors which fields are messages, first
 *   - refuses what is cut short, malformed, nested deeper than NR_ONNX_MAX_DEPTH or of too many parts, with the byte
 * offset;
 *   - replaces each raw_data by an NrOnnxRawRef, so that tensors stay in the (mapped) file and are never copied;
 *   - drops unknown fields.
 * A length in front of a rewritten message takes five bytes always, padded as varints may be, so that it can be filled
 * in when the message is written. */
#include "onnx/read/reader.h"

typedef struct Walk {
  NrOnnxErrors *errors;
  const uint8_t *start;
  NrBuf *out;
  size_t parts;
} Walk;

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, WIRE_32 = 5, LENGTH_BYTES = 5, RAW_DATA_FIELD = 9 };
static const size_t longest_message = INT32_MAX; /* protobuf-c's own limit, for what is left without tensor data */

static bool bad(Walk *w, NrStatus status, const uint8_t *at, const char *what) {
  nr_onnx_error(w->errors, status, NULL, "not a valid ONNX file: %s at byte %zu", what, (size_t)(at - w->start));
  return false;
}

/* Reads a varint of at most ten bytes; NULL when the input ends before it does. */
static const uint8_t *read_varint(const uint8_t *p, const uint8_t *end, uint64_t *out) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
    uint8_t byte = *p++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return *out = value, p;
  }
  return NULL;
}

static void put_varint(NrBuf *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) nr_buf_putc(out, (char)(value | 0x80));
  nr_buf_putc(out, (char)value);
}

static void fill_length(NrBuf *out, size_t at, size_t length) {
  for (int i = 0; i < LENGTH_BYTES; i++, length >>= 7)
    out->data[at + (size_t)i] = (char)((length & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

static bool copy_message(Walk *w, const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end,
                         int depth);

/* Copies one length-delimited field whose content is [p, p + size). */
static bool copy_delimited(Walk *w, const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field,
                           uint64_t tag, const uint8_t *p, size_t size, int depth) {
  if (++w->parts > NR_ONNX_MAX_PARTS) return bad(w, NR_ERROR_LIMIT, p, "too many messages and strings");
  put_varint(w->out, tag);
  if (type == &onnx__tensor_proto__descriptor && field->id == RAW_DATA_FIELD) {
    NrOnnxRawRef ref = {(uint64_t)(p - w->start), size};
    put_varint(w->out, sizeof ref);
    nr_buf_append(w->out, &ref, sizeof ref);
    return true;
  }
  if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
    if (size > longest_message) return bad(w, NR_ERROR_LIMIT, p, "a field of more than 2 GiB");
    put_varint(w->out, size);
    nr_buf_append(w->out, p, size);
    return true;
  }
  if (depth == NR_ONNX_MAX_DEPTH) return bad(w, NR_ERROR_LIMIT, p, "messages nested too deeply");
  size_t at = w->out->size;
  nr_buf_append(w->out, "\0\0\0\0\0", LENGTH_BYTES);
  if (!copy_message(w, field->descriptor, p, p + size, depth + 1)) return false;
  size_t length = w->out->size - at - LENGTH_BYTES;
  if (length > longest_message) return bad(w, NR_ERROR_LIMIT, p, "a message of more than 2 GiB besides tensor data");
  fill_length(w->out, at, length);
  return true;
}

static bool copy_message(Walk *w, const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end,
                         int depth) {
  while (p < end) {
    const uint8_t *start = p, *content;
    uint64_t tag, value;
    if (!(p = read_varint(p, end, &tag)) || tag >> 3 == 0 || tag >> 32)
      return bad(w, NR_ERROR_INVALID, start, "a bad field");
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
    content = p;
    switch (tag & 7) {
    case WIRE_VARINT: p = read_varint(p, end, &value); break;
    case WIRE_64: p = end - p >= 8 ? p + 8 : NULL; break;
    case WIRE_32: p = end - p >= 4 ? p + 4 : NULL; break;
    case WIRE_LENGTH:
      p = read_varint(p, end, &value);
      if (!p || value > (uint64_t)(end - p)) return bad(w, NR_ERROR_INVALID, start, "a field that is cut short");
      if (field && !copy_delimited(w, type, field, tag, p, (size_t)value, depth)) return false;
      p += value;
      continue;
    default: return bad(w, NR_ERROR_INVALID, start, "a field of unknown kind");
    }
    if (!p) return bad(w, NR_ERROR_INVALID, start, "a field that is cut short");
    if (!field) continue;
    put_varint(w->out, tag);
    nr_buf_append(w->out, content, (size_t)(p - content));
  }
  return true;
}

bool nr_onnx_compact(NrOnnxErrors *errors, const uint8_t *bytes, size_t size, NrBuf *out) {
  Walk w = {.errors = errors, .start = bytes, .out = out};
  return copy_message(&w, &onnx__model_proto__descriptor, bytes, bytes + size, 0);
}
