/* values.c - values of graphs: their types, and new ones. */
#include "../feeds.h"
#include "base/dtype.h"
#include "dialect/onnx/dtype.h"
#include "graph.h"

void *graph_message(GraphGen *g, const ProtobufCMessageDescriptor *descriptor) {
  ProtobufCMessage *message = nr_arena_alloc(g->arena, descriptor->sizeof_message);
  memset(message, 0, descriptor->sizeof_message);
  message->descriptor = descriptor;
  return message;
}

char *graph_name(GraphGen *g) { return (char *)nr_arena_printf(g->arena, "v%zu", g->num_names++); }

/* ---- types ------------------------------------------------------------------------------------------------------ */

static Onnx__TypeProto *tensor_type(GraphGen *g, NoriaDType dtype, size_t rank, const int64_t *dims, bool symbols) {
  Onnx__TypeProto *type = graph_message(g, &onnx__type_proto__descriptor);
  type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  Onnx__TypeProto__Tensor *tensor = graph_message(g, &onnx__type_proto__tensor__descriptor);
  type->tensor_type = tensor;
  tensor->has_elem_type = true;
  tensor->elem_type = dtype;
  if (rank == GRAPH_ANY_RANK) return type;
  tensor->shape = graph_message(g, &onnx__tensor_shape_proto__descriptor);
  tensor->shape->n_dim = rank;
  tensor->shape->dim = NR_NEW_ARRAY(g->arena, Onnx__TensorShapeProto__Dimension *, rank);
  for (size_t i = 0; i < rank; i++) {
    Onnx__TensorShapeProto__Dimension *dim = graph_message(g, &onnx__tensor_shape_proto__dimension__descriptor);
    tensor->shape->dim[i] = dim;
    if (dims[i] >= 0) {
      dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
      dim->dim_value = dims[i];
    } else if (symbols && !graph_one_in(g, 3)) {
      dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
      dim->dim_param = "N";
    }
  }
  return type;
}

static Onnx__TypeProto *handle_type(GraphGen *g, NoriaKind kind, Onnx__TypeProto *item, NoriaDType key) {
  Onnx__TypeProto *type = graph_message(g, &onnx__type_proto__descriptor);
  if (kind == NORIA_KIND_SEQUENCE) {
    type->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
    type->sequence_type = graph_message(g, &onnx__type_proto__sequence__descriptor);
    type->sequence_type->elem_type = item;
  } else if (kind == NORIA_KIND_OPTIONAL) {
    type->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
    type->optional_type = graph_message(g, &onnx__type_proto__optional__descriptor);
    type->optional_type->elem_type = item;
  } else {
    type->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
    type->map_type = graph_message(g, &onnx__type_proto__map__descriptor);
    type->map_type->has_key_type = true;
    type->map_type->key_type = key;
    type->map_type->value_type = item;
  }
  return type;
}

/* NULL: the compiler does not know enough of it. */
static Onnx__TypeProto *type_of(GraphGen *g, NrType type) {
  NoriaKind kind = nr_type_kind(type);
  if (kind == NORIA_KIND_TENSOR) {
    NoriaDType dtype = nr_type_is_shaped(type) ? nr_dtype_of(type) : NORIA_UNDEFINED;
    int64_t dims[NORIA_MAX_RANK];
    if (!dtype || (type->kind == NR_TYPE_TENSOR && type->rank > NORIA_MAX_RANK)) return NULL;
    if (type->kind != NR_TYPE_TENSOR) return tensor_type(g, dtype, GRAPH_ANY_RANK, NULL, false);
    for (size_t i = 0; i < type->rank; i++) dims[i] = type->dims[i] == NR_DYNAMIC ? -1 : type->dims[i];
    return tensor_type(g, dtype, type->rank, dims, false);
  }
  if (kind == NORIA_KIND_MAP)
    return handle_type(g, kind, tensor_type(g, nr_dtype_of(type), 0, NULL, false), nr_type_map_key(type));
  Onnx__TypeProto *item = type_of(g, type->elem);
  return item ? handle_type(g, kind, item, NORIA_UNDEFINED) : NULL;
}

bool graph_value_of_type(GraphGen *g, char *name, NrType type, GraphValue *out) {
  *out = (GraphValue){.name = name, .kind = nr_type_kind(type), .rank = GRAPH_ANY_RANK};
  out->type = type_of(g, type);
  if (!out->type) return false;
  out->dtype = nr_dtype_of(type);
  if (type->kind != NR_TYPE_TENSOR) return true;
  out->rank = type->rank;
  for (size_t i = 0; i < type->rank; i++) out->dims[i] = type->dims[i] == NR_DYNAMIC ? -1 : type->dims[i];
  return true;
}

Onnx__ValueInfoProto *graph_value_info(GraphGen *g, const GraphValue *value, bool typed) {
  Onnx__ValueInfoProto *info = graph_message(g, &onnx__value_info_proto__descriptor);
  info->name = value->name;
  if (typed) info->type = value->type;
  return info;
}

/* ---- new values ------------------------------------------------------------------------------------------------- */

void graph_set_shape(GraphGen *g, GraphValue *value, size_t rank, const int64_t *dims) {
  value->rank = rank;
  for (size_t i = 0; i < rank && rank != GRAPH_ANY_RANK; i++) value->dims[i] = dims[i];
  value->type = tensor_type(g, value->dtype, rank, value->dims, true);
}

GraphValue graph_tensor(GraphGen *g, NoriaDType dtype, size_t rank, const int64_t *dims) {
  GraphValue v = {.name = graph_name(g), .kind = NORIA_KIND_TENSOR, .dtype = dtype};
  graph_set_shape(g, &v, rank, dims);
  return v;
}

Onnx__TensorProto *graph_constant(GraphGen *g, const GraphValue *v) {
  const NrDTypeInfo *info = nr_dtype_info(v->dtype);
  size_t count = 1, bits = info->class == NR_DTYPE_BOOL ? 8 : info->bits < 8 ? info->bits : 8 * info->size;
  for (size_t i = 0; i < v->rank; i++) count *= (size_t)NR_MAX(v->dims[i], 0);
  uint64_t random = graph_choose(g, 256) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  Onnx__TensorProto *t = graph_message(g, &onnx__tensor_proto__descriptor);
  t->name = v->name;
  t->has_data_type = true;
  t->data_type = v->dtype;
  t->n_dims = v->rank;
  t->dims = nr_arena_copy(g->arena, v->dims, v->rank * sizeof *t->dims);
  if (v->dtype == NORIA_STRING) {
    t->n_string_data = count;
    t->string_data = NR_NEW_ARRAY(g->arena, ProtobufCBinaryData, count);
    for (size_t i = 0; i < count; i++) {
      const char *word = fuzz_word(&random);
      t->string_data[i] = (ProtobufCBinaryData){strlen(word), (uint8_t *)word};
    }
    return t;
  }
  bool wild = graph_one_in(g, 8);
  t->has_raw_data = true;
  t->raw_data.len = (count * bits + 7) / 8;
  t->raw_data.data = nr_arena_alloc(g->arena, t->raw_data.len);
  memset(t->raw_data.data, 0, t->raw_data.len);
  for (size_t i = 0; i < count; i++) {
    uint64_t element = fuzz_bits(&random, v->dtype, wild);
    if (bits < 8) t->raw_data.data[i * bits / 8] |= (uint8_t)((element & ((1u << bits) - 1)) << (i * bits % 8));
    else memcpy(t->raw_data.data + i * bits / 8, &element, NR_MIN(bits / 8, sizeof element));
  }
  return t;
}

/* One that the part takes, mostly of the usual ones. */
static NoriaDType dtype_for(GraphGen *g, const NrLowerInput *part) {
  static const NoriaDType usual[] = {NORIA_F32, NORIA_I64, NORIA_F32, NORIA_BOOL, NORIA_I32,
                                     NORIA_STRING, NORIA_F64, NORIA_U8, NORIA_I8, NORIA_F16};
  bool any = graph_one_in(g, 6);
  size_t count = any ? NR_NUM_DTYPES : NR_COUNTOF(usual), first = graph_choose(g, graph_one_in(g, 2) ? count : 4);
  for (size_t i = 0; i < count; i++) {
    size_t k = (first + i) % count;
    NoriaDType dtype = any ? (NoriaDType)k : usual[k];
    if (dtype && (nr_str_is(part->what, "value") || nr_lower_input_takes(part, dtype))) return dtype;
  }
  return nr_lower_input_takes(part, NORIA_C64) ? NORIA_C64 : NORIA_UNDEFINED;
}

/* Most dims have the usual size, so that shapes fit each other. */
static size_t any_shape(GraphGen *g, int64_t *dims) {
  static const size_t ranks[] = {1, 2, 2, 3, 4, 0, 2, 3};
  static const int64_t sizes[] = {1, 0, 5, 3};
  size_t rank = ranks[graph_choose(g, NR_COUNTOF(ranks))];
  bool all_usual = !graph_one_in(g, 3);
  for (size_t i = 0; i < rank; i++)
    dims[i] = all_usual || !graph_one_in(g, 3) ? g->usual_size : sizes[graph_choose(g, NR_COUNTOF(sizes))];
  return rank;
}

static bool new_handle(GraphGen *g, const NrLowerInput *part, GraphValue *out) {
  static const NoriaDType dtypes[] = {NORIA_F32, NORIA_I64, NORIA_STRING, NORIA_BOOL, NORIA_F64};
  NoriaDType dtype = dtypes[graph_choose(g, NR_COUNTOF(dtypes))], key = graph_one_in(g, 2) ? NORIA_I64 : NORIA_STRING;
  NoriaKind kind = nr_str_is(part->what, "seq")   ? NORIA_KIND_SEQUENCE
                   : nr_str_is(part->what, "map") ? NORIA_KIND_MAP
                                                  : NORIA_KIND_OPTIONAL;
  *out = (GraphValue){.name = graph_name(g), .kind = kind, .dtype = dtype, .rank = GRAPH_ANY_RANK};
  size_t rank = kind == NORIA_KIND_MAP ? 0 : GRAPH_ANY_RANK;
  out->type = handle_type(g, kind, tensor_type(g, dtype, rank, NULL, false), key);
  return true;
}

bool graph_new_input(GraphGen *g, const NrLowerInput *part, NoriaDType dtype, const GraphValue *like, bool constant,
                     GraphValue *out) {
  if (nr_str_is(part->what, "seq") || nr_str_is(part->what, "map") || nr_str_is(part->what, "optional")) {
    if (!new_handle(g, part, out)) return false;
  } else {
    int64_t dims[NORIA_MAX_RANK];
    if (!dtype) dtype = dtype_for(g, part);
    if (!dtype) return false;
    bool same = like && like->kind == NORIA_KIND_TENSOR && like->rank <= GRAPH_MAX_RANK && graph_one_in(g, 2);
    size_t rank = same ? like->rank : any_shape(g, dims);
    if (same) memcpy(dims, like->dims, rank * sizeof *dims);
    if (same)
      for (size_t i = 0; i < rank; i++) dims[i] = dims[i] < 0 ? g->usual_size : dims[i];
    if (like && !same && graph_one_in(g, 3)) rank = 0; /* many later inputs are one number */
    /* A list of sizes, axes or indices. */
    if (like && nr_str_is(part->what, "int") && graph_one_in(g, 2)) {
      rank = graph_choose(g, 4) != 0;
      dims[0] = graph_one_in(g, 2) && like->rank <= GRAPH_MAX_RANK ? (int64_t)like->rank : 1 + (int64_t)graph_choose(g, 3);
    }
    for (size_t i = 0; i < rank && !constant; i++)
      if (dims[i] == g->usual_size && graph_one_in(g, 3)) dims[i] = -1;
    *out = graph_tensor(g, dtype, !constant && graph_one_in(g, 16) ? GRAPH_ANY_RANK : rank, dims);
    if (constant) out->constant = graph_constant(g, out);
  }
  nr_vec_push(&g->inputs, *out);
  nr_vec_push(&g->values, *out);
  return true;
}
