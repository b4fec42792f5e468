/* mutate.c - see mutate.h. A message is walked by its descriptor, so every field of every kind of message can be
 * changed, and new ones of the format need nothing here. */
#include "mutate.h"

#include <math.h>

#include "../random.h"
#include "onnx.pb-c.h"

typedef ProtobufCMessage Message;
typedef ProtobufCFieldDescriptor Field;

enum { MAX_MUTATIONS = 4, MAX_REPEATED = 4096, MAX_BYTES = 1 << 20, MAX_CONSTANT = 1024, RARE = 24 };

/* A field of a message. */
typedef struct Site {
  Message *message;
  const Field *field;
} Site;

typedef struct Mutator {
  const Seeds *seeds;
  uint64_t random;
  NrArena *arena;
  ProtobufCAllocator allocator;
  Onnx__ModelProto *model;
  NR_VEC(Site) sites;
  NR_VEC(Message *) messages;
  NR_VEC(char *) names; /* of values */
  NrBuf *what;
} Mutator;

static uint64_t below(Mutator *m, uint64_t n) { return fuzz_below(&m->random, n); }
static bool one_in(Mutator *m, uint64_t n) { return below(m, n) == 0; }

static void *arena_alloc(void *arena, size_t size) { return nr_arena_alloc(arena, size); }
static void arena_free(void *arena, void *data) {}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static void *at(Message *message, size_t offset) { return (char *)message + offset; }
static void *value_of(const Site *s) { return at(s->message, s->field->offset); }
static size_t *count_of(const Site *s) { return at(s->message, s->field->quantifier_offset); }
static bool is_repeated(const Field *f) { return f->label == PROTOBUF_C_LABEL_REPEATED; }
static bool is_oneof(const Field *f) { return f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF; }
static bool is_message(const Message *message, const ProtobufCMessageDescriptor *descriptor) {
  return message->descriptor == descriptor;
}
static bool is_field(const Field *f, const char *name) { return strcmp(f->name, name) == 0; }

static size_t element_size(const Field *f) {
  switch (f->type) {
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_DOUBLE: return 8;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
  case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
  default: return 4;
  }
}

static bool is_set(const Site *s) {
  const Field *f = s->field;
  if (is_repeated(f)) return *count_of(s) > 0;
  if (is_oneof(f)) return *(int *)at(s->message, f->quantifier_offset) == (int)f->id;
  if (f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_MESSAGE) return *(void **)value_of(s) != NULL;
  return f->label == PROTOBUF_C_LABEL_REQUIRED || *(protobuf_c_boolean *)at(s->message, f->quantifier_offset);
}

/* Makes a field present or absent. What a oneof held before is no longer told. */
static void set_present(const Site *s, bool present) {
  const Field *f = s->field;
  if (is_oneof(f)) {
    bool was = is_set(s);
    *(int *)at(s->message, f->quantifier_offset) = present ? (int)f->id : 0;
    if (present && !was) memset(value_of(s), 0, element_size(f));
  } else if (f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_MESSAGE) {
    if (!present) *(void **)value_of(s) = NULL;
  } else if (f->label != PROTOBUF_C_LABEL_REQUIRED) {
    *(protobuf_c_boolean *)at(s->message, f->quantifier_offset) = present;
  }
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

/* What nothing is done with. */
static bool is_idle(const Field *f) {
  static const char *const names[] = {"doc_string",       "metadata_props",         "producer_name",
                                      "producer_version", "model_version",          "training_info",
                                      "denotation",       "quantization_annotation", "device_configurations",
                                      "configuration"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    if (is_field(f, names[i])) return true;
  return false;
}

static void note_names(Mutator *m, const Site *s) {
  const Field *f = s->field;
  if (f->type != PROTOBUF_C_TYPE_STRING) return;
  if (is_message(s->message, &onnx__node_proto__descriptor) && is_repeated(f)) {
    for (size_t i = 0; i < *count_of(s); i++) nr_vec_push(&m->names, (*(char ***)value_of(s))[i]);
  } else if ((is_message(s->message, &onnx__value_info_proto__descriptor) ||
              is_message(s->message, &onnx__tensor_proto__descriptor)) &&
             is_field(f, "name") && is_set(s)) {
    nr_vec_push(&m->names, *(char **)value_of(s));
  }
}

static void walk(Mutator *m, Message *message) {
  nr_vec_push(&m->messages, message);
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    Site s = {message, &message->descriptor->fields[i]};
    if (is_idle(s.field)) continue;
    bool set = is_set(&s);
    note_names(m, &s);
    /* What is not there is added now and then. What an attribute holds counts twice: it is what ops look at. */
    if (set || one_in(m, RARE)) nr_vec_push(&m->sites, s);
    if (set && is_message(message, &onnx__attribute_proto__descriptor)) nr_vec_push(&m->sites, s);
    if (!set || s.field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    size_t count = is_repeated(s.field) ? *count_of(&s) : 1;
    Message **items = is_repeated(s.field) ? *(Message ***)value_of(&s) : (Message **)value_of(&s);
    for (size_t k = 0; k < count; k++) walk(m, items[k]);
  }
}

static void walk_again(Mutator *m) {
  m->sites.size = m->messages.size = m->names.size = 0;
  walk(m, &m->model->base);
}

static Message *copy_of(Mutator *m, const Message *message) {
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = nr_arena_alloc(m->arena, size);
  protobuf_c_message_pack(message, bytes);
  return protobuf_c_message_unpack(message->descriptor, &m->allocator, size, bytes);
}

static Onnx__ModelProto *read_seed(Mutator *m, size_t i) {
  const NrBuf *bytes = &m->seeds->models.data[i].bytes;
  return onnx__model_proto__unpack(&m->allocator, bytes->size, (const uint8_t *)bytes->data);
}

/* A copy of a message of this kind, of this model or of another seed; NULL when none is found. */
static Message *donor(Mutator *m, const ProtobufCMessageDescriptor *descriptor) {
  Mutator other = {.seeds = m->seeds, .random = m->random, .arena = m->arena, .allocator = m->allocator};
  Mutator *from = m;
  if (one_in(m, 2)) {
    other.model = read_seed(m, below(m, m->seeds->models.size));
    from = &other;
    walk_again(from);
  }
  Message *found = NULL;
  size_t seen = 0;
  for (size_t i = 0; i < from->messages.size; i++)
    if (is_message(from->messages.data[i], descriptor) && one_in(m, ++seen)) found = from->messages.data[i];
  if (found) found = copy_of(m, found);
  nr_vec_deinit(&other.sites);
  nr_vec_deinit(&other.messages);
  nr_vec_deinit(&other.names);
  return found;
}

static Message *new_message(Mutator *m, const ProtobufCMessageDescriptor *descriptor) {
  Message *found = donor(m, descriptor);
  if (found) return found;
  found = nr_arena_alloc(m->arena, descriptor->sizeof_message);
  descriptor->message_init(found);
  return found;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int64_t edge_int(Mutator *m, int64_t old) {
  static const int64_t edges[] = {0,          1,         -1,        2,          3,         INT64_MIN,
                                  INT64_MAX,  INT32_MAX, INT32_MIN, 1ll << 31,  1ll << 32, 1ll << 62,
                                  -(1ll << 31), 65536,   1000000,   3037000500, -2,        INT64_MIN + 1,
                                  INT64_MAX - 1};
  switch (below(m, 8)) {
  case 0: return (int64_t)((uint64_t)old + 1);
  case 1: return (int64_t)((uint64_t)old - 1);
  case 2: return (int64_t)(0 - (uint64_t)old);
  case 3: return (int64_t)((uint64_t)old * 2);
  case 4: return (int64_t)below(m, 20);
  default: return edges[below(m, NR_COUNTOF(edges))];
  }
}

static double edge_float(Mutator *m, double old) {
  static const double edges[] = {0.0, -0.0, 1.0, -1.0, NAN, INFINITY, -INFINITY, 1e38, -1e38, 1e-40, 0.5, 1e308, 3.0};
  return one_in(m, 4) ? old * -2 : edges[below(m, NR_COUNTOF(edges))];
}

static char *any_op(Mutator *m, size_t num_inputs) {
  const SeedOp *found = NULL;
  size_t seen = 0;
  bool any = one_in(m, 8);
  for (size_t i = 0; i < m->seeds->ops.size; i++)
    if ((any || m->seeds->ops.data[i].num_inputs == num_inputs) && one_in(m, ++seen)) found = &m->seeds->ops.data[i];
  return found ? (char *)found->name : "Add";
}

static char *any_string(Mutator *m, const Site *s) {
  static char *const odd[] = {"",      "\xff\xfe", "a\nb\tc", "%s%n%d", "../../etc/passwd", "ai.onnx", "ai.onnx.ml",
                              "own",   "x\x01y",   "\xc3\xa9", "N",      "SAME_UPPER",       "VALID",   "NOTSET",
                              "ij,jk->ik", "...i,...->i", "reflect", "wrap", "linear", "cubic", "\"quoted\"", "$0"};
  if (is_message(s->message, &onnx__node_proto__descriptor) && is_field(s->field, "op_type"))
    return any_op(m, ((Onnx__NodeProto *)s->message)->n_input);
  if (m->names.size && !one_in(m, 4)) return m->names.data[below(m, m->names.size)];
  if (one_in(m, 16)) {
    size_t size = 1000 + below(m, 70000);
    char *text = nr_arena_alloc(m->arena, size + 1);
    memset(text, 'x', size);
    text[size] = 0;
    return text;
  }
  return odd[below(m, NR_COUNTOF(odd))];
}

/* Bytes of a tensor, or of a string attribute: another length, or an element that is an edge. */
static ProtobufCBinaryData changed_bytes(Mutator *m, ProtobufCBinaryData old) {
  size_t size = old.len;
  switch (below(m, 6)) {
  case 0: size = 0; break;
  case 1: size = below(m, old.len + 1); break;
  case 2: size = old.len + 1 + below(m, 16); break;
  case 3: size = old.len * 2; break;
  default: break;
  }
  ProtobufCBinaryData out = {size, nr_arena_alloc(m->arena, size)};
  for (size_t i = 0; i < size; i++) out.data[i] = i < old.len ? old.data[i] : (uint8_t)fuzz_random(&m->random);
  static const size_t widths[] = {8, 8, 4, 2, 1};
  size_t width = widths[below(m, NR_COUNTOF(widths))];
  if (size != old.len || size < width) return out;
  size_t place = below(m, size / width) * width;
  int64_t value = 0;
  memcpy(&value, out.data + place, width);
  value = edge_int(m, value);
  if (one_in(m, 4)) {
    double d = edge_float(m, 1);
    float f = (float)d;
    memcpy(&value, width == 4 ? (void *)&f : (void *)&d, width == 4 ? 4 : 8);
  }
  memcpy(out.data + place, &value, width);
  return out;
}

static bool names_a_type(const Field *f) {
  return is_field(f, "elem_type") || is_field(f, "data_type") || is_field(f, "key_type");
}

/* Another value for the element at p. */
static void change_element(Mutator *m, const Site *s, void *p) {
  switch (s->field->type) {
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_UINT64: {
    int64_t old = *(int64_t *)p;
    *(int64_t *)p = edge_int(m, old);
    nr_buf_printf(m->what, " %lld -> %lld", (long long)old, (long long)*(int64_t *)p);
    return;
  }
  case PROTOBUF_C_TYPE_DOUBLE: *(double *)p = edge_float(m, *(double *)p); return;
  case PROTOBUF_C_TYPE_FLOAT: *(float *)p = (float)edge_float(m, *(float *)p); return;
  case PROTOBUF_C_TYPE_STRING:
    nr_buf_printf(m->what, " '%.40s'", *(char **)p ? *(char **)p : "");
    *(char **)p = any_string(m, s);
    nr_buf_printf(m->what, " -> '%.40s'", *(char **)p);
    return;
  case PROTOBUF_C_TYPE_BYTES: *(ProtobufCBinaryData *)p = changed_bytes(m, *(ProtobufCBinaryData *)p); return;
  case PROTOBUF_C_TYPE_MESSAGE: *(Message **)p = new_message(m, s->field->descriptor); return;
  case PROTOBUF_C_TYPE_ENUM: *(int32_t *)p = (int32_t)below(m, 30); break;
  default:
    *(int32_t *)p =
        names_a_type(s->field) && !one_in(m, 16) ? (int32_t)below(m, 30) : (int32_t)edge_int(m, *(int32_t *)p);
    break;
  }
  nr_buf_printf(m->what, " -> %d", *(int32_t *)p);
}

static void change_list(Mutator *m, const Site *s) {
  size_t size = element_size(s->field), count = *count_of(s), i = below(m, count), k = below(m, count);
  char *items = nr_arena_alloc(m->arena, (count + 1) * size);
  if (count) memcpy(items, *(char **)value_of(s), count * size);
  memset(items + count * size, 0, size);
  uint64_t way = count && count < MAX_REPEATED ? below(m, 8) : count ? 0 : 5;
  char swap[sizeof(ProtobufCBinaryData)];
  switch (way) {
  case 0:
    nr_buf_printf(m->what, " without [%zu]", i);
    memmove(items + i * size, items + (i + 1) * size, (--count - i) * size);
    break;
  case 1:
    nr_buf_printf(m->what, " [%zu] twice", i);
    memmove(items + (i + 1) * size, items + i * size, (count++ - i) * size);
    if (s->field->type == PROTOBUF_C_TYPE_MESSAGE)
      ((Message **)items)[i] = copy_of(m, ((Message **)items)[i + 1]);
    break;
  case 2:
    nr_buf_printf(m->what, " [%zu] and [%zu] swapped", i, k);
    memcpy(swap, items + i * size, size);
    memmove(items + i * size, items + k * size, size);
    memcpy(items + k * size, swap, size);
    break;
  case 3: nr_buf_printf(m->what, " cut to %zu", count = i); break;
  case 4:
  case 5:
    nr_buf_puts(m->what, " with one more:");
    change_element(m, s, items + count++ * size);
    break;
  default:
    nr_buf_printf(m->what, " [%zu]", i);
    change_element(m, s, items + i * size);
  }
  *(char **)value_of(s) = items;
  *count_of(s) = count;
}

static void change_site(Mutator *m, const Site *s) {
  nr_buf_printf(m->what, "\n  %s.%s", s->message->descriptor->short_name, s->field->name);
  if (is_repeated(s->field)) {
    change_list(m, s);
  } else if (is_set(s) && s->field->label != PROTOBUF_C_LABEL_REQUIRED && one_in(m, 8)) {
    nr_buf_puts(m->what, " absent");
    set_present(s, false);
  } else {
    set_present(s, true);
    change_element(m, s, value_of(s));
  }
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

static size_t width_of(int32_t dtype) {
  switch (dtype) {
  case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64: return 8;
  case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32: return 4;
  case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
  case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16: return 2;
  case ONNX__TENSOR_PROTO__DATA_TYPE__STRING: return 0;
  default: return 1;
  }
}

static void fill_constant(Mutator *m, Onnx__TensorProto *t, size_t count) {
  size_t width = width_of(t->data_type);
  bool is_float = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
  bool edges = one_in(m, 2);
  t->has_raw_data = true;
  t->raw_data = (ProtobufCBinaryData){count * width, nr_arena_alloc(m->arena, count * width)};
  for (size_t i = 0; i < count; i++) {
    int64_t value = edges ? edge_int(m, (int64_t)below(m, 5)) : (int64_t)below(m, 5);
    float f = edges ? (float)edge_float(m, 1) : (float)value;
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL) value &= 1;
    memcpy(t->raw_data.data + i * width, is_float ? (void *)&f : (void *)&value, width);
  }
}

/* An input of the graph becomes a constant: what is known is folded, and lowered in other ways. */
static bool make_input_constant(Mutator *m) {
  Onnx__GraphProto *g = m->model->graph;
  if (!g || !g->n_input) return false;
  Onnx__ValueInfoProto *input = g->input[below(m, g->n_input)];
  if (!input->type || input->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) return false;
  const Onnx__TypeProto__Tensor *type = input->type->tensor_type;
  if (!type->shape || !type->has_elem_type || !width_of(type->elem_type)) return false;
  Onnx__TensorProto *t = nr_arena_alloc(m->arena, sizeof *t);
  onnx__tensor_proto__init(t);
  t->name = input->name;
  t->has_data_type = true;
  t->data_type = type->elem_type;
  t->n_dims = type->shape->n_dim;
  t->dims = nr_arena_alloc(m->arena, t->n_dims * sizeof *t->dims);
  size_t count = 1;
  for (size_t i = 0; i < t->n_dims; i++) {
    const Onnx__TensorShapeProto__Dimension *dim = type->shape->dim[i];
    bool known = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    t->dims[i] = known ? dim->dim_value : 1 + (int64_t)below(m, 3);
    if (t->dims[i] < 0 || t->dims[i] > MAX_CONSTANT || (count *= (size_t)t->dims[i]) > MAX_CONSTANT) return false;
  }
  fill_constant(m, t, count);
  Onnx__TensorProto **list = nr_arena_alloc(m->arena, (g->n_initializer + 1) * sizeof *list);
  if (g->n_initializer) memcpy(list, g->initializer, g->n_initializer * sizeof *list);
  list[g->n_initializer++] = t;
  g->initializer = list;
  nr_buf_printf(m->what, "\n  input '%s' is a constant", input->name);
  return true;
}

/* ---- a mutant --------------------------------------------------------------------------------------------------- */

void mutant_make(const Seeds *seeds, uint64_t number, NrBuf *out_bytes, NrBuf *out_what) {
  NrArena arena;
  nr_arena_init(&arena);
  /* Numbers that are close are to be far apart as states. */
  Mutator m = {.seeds = seeds,
               .random = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1,
               .arena = &arena,
               .allocator = {arena_alloc, arena_free, &arena},
               .what = out_what};
  for (int i = 0; i < 4; i++) fuzz_random(&m.random);
  size_t seed = below(&m, seeds->models.size);
  nr_buf_printf(out_what, "%.*s", NR_STR_ARG(seeds->models.data[seed].name));
  m.model = read_seed(&m, seed);
  uint64_t count = one_in(&m, 2) ? 1 : 1 + below(&m, MAX_MUTATIONS);
  for (uint64_t i = 0; i < count; i++) {
    if (one_in(&m, 5) && make_input_constant(&m)) continue;
    walk_again(&m);
    if (!m.sites.size) break;
    Site s = m.sites.data[below(&m, m.sites.size)];
    change_site(&m, &s);
  }
  size_t size = protobuf_c_message_get_packed_size(&m.model->base);
  if (size <= MAX_BYTES) {
    uint8_t *bytes = nr_arena_alloc(&arena, size);
    nr_buf_append(out_bytes, (char *)bytes, protobuf_c_message_pack(&m.model->base, bytes));
  }
  nr_vec_deinit(&m.sites);
  nr_vec_deinit(&m.messages);
  nr_vec_deinit(&m.names);
  nr_arena_deinit(&arena);
}
