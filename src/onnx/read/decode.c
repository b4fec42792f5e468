/* decode.c - the bytes of a protobuf message to protobuf-c's structs, by protobuf-c's descriptors of the fields.
 *
 * protobuf-c's own unpack function recurses as deep as the file says, copies every bytes field and does not say where
 * an error is. This one limits the depth (NR_ONNX_MAX_DEPTH) and the number of messages, strings and lists
 * (NR_ONNX_MAX_PARTS), leaves bytes fields, which hold the tensors, where they lie in the (mapped) file, and reports
 * the byte offset of an error. Unknown fields are skipped. A message that a file gives in several pieces is merged, as
 * the encoding demands (protobuf.dev/programming-guides/encoding). */
#include "onnx/read/reader.h"

typedef struct Decoder {
  NrArena *messages, *numbers; /* see nr_onnx_decode */
  NrOnnxErrors *errors;
  const uint8_t *start; /* of the file */
  size_t parts;
} Decoder;

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, WIRE_32 = 5, MAX_FIELDS = 64 };

/* One field as it is written: [begin, end) are the bytes of a length-delimited one, else value holds its bits. */
typedef struct Field {
  const ProtobufCFieldDescriptor *info; /* NULL: unknown */
  const uint8_t *at;                    /* of the tag */
  unsigned wire;
  uint64_t value;
  const uint8_t *begin, *end;
} Field;

static bool fail(Decoder *d, NrStatus status, const uint8_t *at, const char *what) {
  nr_onnx_error(d->errors, status, NULL, "not a valid ONNX file: %s at byte %zu", what, (size_t)(at - d->start));
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

/* Little-endian, as Noria's machines are. */
static const uint8_t *read_fixed(const uint8_t *p, const uint8_t *end, size_t size, uint64_t *out) {
  *out = 0;
  if ((size_t)(end - p) < size) return NULL;
  memcpy(out, p, size);
  return p + size;
}

/* Reads the field at *p and moves *p behind it. */
static bool next_field(Decoder *d, const ProtobufCMessageDescriptor *type, const uint8_t **p, const uint8_t *end,
                       Field *out) {
  uint64_t tag;
  const uint8_t *at = *p, *next = read_varint(at, end, &tag);
  if (!next || tag >> 3 == 0 || tag >> 32) return fail(d, NR_ERROR_INVALID, at, "a bad field");
  *out = (Field){.at = at, .wire = tag & 7};
  switch (out->wire) {
  case WIRE_VARINT: next = read_varint(next, end, &out->value); break;
  case WIRE_64: next = read_fixed(next, end, 8, &out->value); break;
  case WIRE_32: next = read_fixed(next, end, 4, &out->value); break;
  case WIRE_LENGTH:
    next = read_varint(next, end, &out->value);
    if (next && out->value > (uint64_t)(end - next)) next = NULL;
    if (next) out->begin = next, out->end = next += out->value;
    break;
  default: return fail(d, NR_ERROR_INVALID, at, "a field of unknown kind");
  }
  if (!next) return fail(d, NR_ERROR_INVALID, at, "a field that is cut short");
  out->info = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
  *p = next;
  return true;
}

/* How a single value of the type is written. */
static unsigned wire_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_FIXED32:
  case PROTOBUF_C_TYPE_SFIXED32:
  case PROTOBUF_C_TYPE_FLOAT: return WIRE_32;
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_DOUBLE: return WIRE_64;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
  case PROTOBUF_C_TYPE_MESSAGE: return WIRE_LENGTH;
  default: return WIRE_VARINT;
  }
}

/* Bytes of a value of the type in protobuf-c's structs. */
static size_t size_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_SINT64:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_DOUBLE: return 8;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
  case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
  default: return 4;
  }
}

static bool is_packed(const Field *f) {
  return f->info->label == PROTOBUF_C_LABEL_REPEATED && f->wire == WIRE_LENGTH && wire_of(f->info->type) != WIRE_LENGTH;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void store_number(ProtobufCType type, uint64_t value, void *slot) {
  if (type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SINT64) value = (value >> 1) ^ (0 - (value & 1));
  if (type == PROTOBUF_C_TYPE_BOOL) value = value != 0;
  memcpy(slot, &value, size_of(type));
}

static bool decode_message(Decoder *d, ProtobufCMessage *message, const uint8_t *p, const uint8_t *end, int depth);

/* Stores the field's value at slot; a message is merged with the one that is there. */
static bool store_value(Decoder *d, const Field *f, void *slot, int depth) {
  ProtobufCType type = f->info->type;
  if (f->wire != wire_of(type)) return fail(d, NR_ERROR_INVALID, f->at, "a field of the wrong kind");
  if (f->wire != WIRE_LENGTH) return store_number(type, f->value, slot), true;
  if (++d->parts > NR_ONNX_MAX_PARTS) return fail(d, NR_ERROR_LIMIT, f->begin, "too many messages and strings");
  size_t size = (size_t)(f->end - f->begin);
  if (type == PROTOBUF_C_TYPE_BYTES) {
    *(ProtobufCBinaryData *)slot = (ProtobufCBinaryData){size, (uint8_t *)f->begin};
  } else if (type == PROTOBUF_C_TYPE_STRING) {
    *(const char **)slot = nr_str_copy(d->messages, (NrStr){(const char *)f->begin, size}).data;
  } else {
    ProtobufCMessage **message = slot;
    const ProtobufCMessageDescriptor *descriptor = f->info->descriptor;
    if (depth == NR_ONNX_MAX_DEPTH) return fail(d, NR_ERROR_LIMIT, f->begin, "messages nested too deeply");
    if (!*message) {
      *message = nr_arena_alloc(d->messages, descriptor->sizeof_message);
      protobuf_c_message_init(descriptor, *message);
    }
    return decode_message(d, *message, f->begin, f->end, depth + 1);
  }
  return true;
}

/* ---- fields of a message ---------------------------------------------------------------------------------------- */

static void *member(ProtobufCMessage *message, unsigned offset) { return (char *)message + offset; }

static size_t *count_of(ProtobufCMessage *message, const ProtobufCFieldDescriptor *info) {
  return member(message, info->quantifier_offset);
}

/* The number of values in a packed list. */
static size_t packed_count(const Field *f) {
  size_t count = 0, bytes = (size_t)(f->end - f->begin);
  if (wire_of(f->info->type) != WIRE_VARINT) return bytes / size_of(f->info->type);
  for (const uint8_t *p = f->begin; p < f->end; p++) count += !(*p & 0x80);
  return count;
}

/* The number of values that a list of `count` has room for: a power of two, so that a list in many pieces grows in
 * linear time. */
static size_t capacity(size_t count) {
  size_t room = 1;
  while (room < count) room *= 2;
  return count ? room : 0;
}

static void reserve_list(Decoder *d, ProtobufCMessage *message, const ProtobufCFieldDescriptor *info, size_t more) {
  size_t size = size_of(info->type), count = *count_of(message, info);
  void **list = member(message, info->offset);
  if (count + more <= capacity(count)) return;
  NrArena *arena = wire_of(info->type) == WIRE_LENGTH ? d->messages : d->numbers;
  char *values = nr_arena_alloc_array(arena, capacity(count + more), size);
  if (count) memcpy(values, *list, count * size);
  *list = values;
}

/* Makes room in all repeated fields for the values in [p, end), behind those that they have. */
static bool reserve_lists(Decoder *d, ProtobufCMessage *message, const uint8_t *p, const uint8_t *end) {
  const ProtobufCMessageDescriptor *type = message->descriptor;
  size_t more[MAX_FIELDS] = {0};
  assert(type->n_fields <= MAX_FIELDS);
  for (Field f; p < end;) {
    if (!next_field(d, type, &p, end, &f)) return false;
    if (f.info && f.info->label == PROTOBUF_C_LABEL_REPEATED)
      more[f.info - type->fields] += is_packed(&f) ? packed_count(&f) : 1;
  }
  for (unsigned i = 0; i < type->n_fields; i++)
    if (more[i]) reserve_list(d, message, &type->fields[i], more[i]);
  return true;
}

/* Values of fixed size are as in memory. */
static bool append_packed(Decoder *d, const Field *f, char *slot, size_t *count) {
  size_t size = size_of(f->info->type);
  unsigned wire = wire_of(f->info->type);
  const uint8_t *p = f->begin;
  uint64_t value;
  if (wire != WIRE_VARINT) {
    size_t bytes = (size_t)(f->end - p);
    if (bytes % size) return fail(d, NR_ERROR_INVALID, f->at, "a field that is cut short");
    if (bytes) memcpy(slot, p, bytes);
    *count += bytes / size;
    return true;
  }
  for (; p < f->end; slot += size, ++*count) {
    const uint8_t *next = read_varint(p, f->end, &value);
    if (!next) return fail(d, NR_ERROR_INVALID, p, "a field that is cut short");
    store_number(f->info->type, value, slot);
    p = next;
  }
  return true;
}

static bool append(Decoder *d, ProtobufCMessage *message, const Field *f, int depth) {
  size_t *count = count_of(message, f->info);
  char *slot = *(char **)member(message, f->info->offset) + *count * size_of(f->info->type);
  if (is_packed(f)) return append_packed(d, f, slot, count);
  memset(slot, 0, size_of(f->info->type));
  return store_value(d, f, slot, depth) && ++*count;
}

/* A field that stands once: the last value counts. Another member of its oneof, whose memory it shares, goes. */
static bool set(Decoder *d, ProtobufCMessage *message, const Field *f, int depth) {
  const ProtobufCFieldDescriptor *info = f->info;
  void *slot = member(message, info->offset);
  if (info->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
    uint32_t *which = member(message, info->quantifier_offset);
    if (*which != info->id) memset(slot, 0, size_of(info->type));
    *which = info->id;
  } else if (info->label == PROTOBUF_C_LABEL_OPTIONAL && info->type != PROTOBUF_C_TYPE_STRING &&
             info->type != PROTOBUF_C_TYPE_MESSAGE) {
    *(protobuf_c_boolean *)member(message, info->quantifier_offset) = true;
  }
  return store_value(d, f, slot, depth);
}

static bool decode_message(Decoder *d, ProtobufCMessage *message, const uint8_t *p, const uint8_t *end, int depth) {
  if (!reserve_lists(d, message, p, end)) return false;
  for (Field f; p < end;) {
    if (!next_field(d, message->descriptor, &p, end, &f)) return false;
    if (!f.info) continue;
    bool ok = f.info->label == PROTOBUF_C_LABEL_REPEATED ? append(d, message, &f, depth) : set(d, message, &f, depth);
    if (!ok) return false;
  }
  return true;
}

Onnx__ModelProto *nr_onnx_decode(NrArena *messages, NrArena *numbers, NrOnnxErrors *errors, const uint8_t *bytes,
                                 size_t size) {
  Decoder d = {messages, numbers, errors, bytes, 0};
  Onnx__ModelProto *model = NR_NEW(messages, Onnx__ModelProto);
  onnx__model_proto__init(model);
  return decode_message(&d, &model->base, bytes, bytes + size, 0) ? model : NULL;
}
