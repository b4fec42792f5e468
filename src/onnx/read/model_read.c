/* model_read.c - ModelProto to NrOnnxModel. It goes on after an error, with an empty value in place of the wrong one,
 * so that one run lists all errors. */
#include "base/dtype.h"
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"
#include "onnx/read/reader.h"

#include <errno.h>
#include <stdlib.h>

static NrStr text(NrOnnxReader *r, const char *s) {
  NrStr out = nr_str_copy(r->arena, nr_str(s));
  if (!nr_str_is_utf8(out)) nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "the name '%s' is not UTF-8", out.data);
  return out;
}
static NrStr bytes_text(NrOnnxReader *r, ProtobufCBinaryData b) {
  return nr_str_copy(r->arena, (NrStr){(const char *)b.data, b.len});
}
static NrStr domain_text(NrOnnxReader *r, const char *s) {
  return s && strcmp(s, "ai.onnx") == 0 ? NR_STR("") : text(r, s);
}

static NrStr *texts(NrOnnxReader *r, char **items, size_t count) {
  NrStr *out = NR_NEW_ARRAY(r->arena, NrStr, count);
  for (size_t i = 0; i < count; i++) out[i] = text(r, items[i]);
  return out;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static NoriaDType read_dtype(NrOnnxReader *r, const NrOnnxPlace *place, NrStr value, int32_t dtype) {
  if (dtype == NORIA_UNDEFINED || dtype == NORIA_STRING || nr_onnx_dtype_size((NoriaDType)dtype))
    return (NoriaDType)dtype;
  nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "value '%.*s' has an unsupported element type (%d)",
                NR_STR_ARG(value), (int)dtype);
  return NORIA_UNDEFINED;
}

/* Refuses declared dims whose product overflows, so that later arithmetic on sizes cannot. */
static void check_size(NrOnnxReader *r, const NrOnnxPlace *place, NrStr value, const NrOnnxType *type) {
  int64_t dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].kind == NR_ONNX_DIM_VALUE ? type->dims[i].value : NR_DYNAMIC;
  if (!nr_dims_fit(dims, type->rank, nr_dtype_info(type->dtype)->size))
    nr_onnx_error(r->errors, NR_ERROR_LIMIT, place, "value '%.*s' has a shape that no memory can hold",
                  NR_STR_ARG(value));
}

static void read_shape(NrOnnxReader *r, const NrOnnxPlace *place, NrStr value, const Onnx__TensorShapeProto *shape,
                       NrOnnxType *out) {
  if (!shape) return;
  if (shape->n_dim > NORIA_MAX_RANK) {
    nr_onnx_error(r->errors, NR_ERROR_LIMIT, place, "value '%.*s' has rank %zu; the limit is %d", NR_STR_ARG(value),
                  shape->n_dim, NORIA_MAX_RANK);
    return;
  }
  NrOnnxDim *dims = NR_NEW_ARRAY(r->arena, NrOnnxDim, shape->n_dim);
  out->has_shape = true;
  out->rank = shape->n_dim;
  out->dims = dims;
  for (size_t i = 0; i < out->rank; i++) {
    const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
    /* Converters write unknown dims as -1, "?" or an empty name too: they stay UNKNOWN, each on its own. */
    if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0)
      dims[i] = (NrOnnxDim){.kind = NR_ONNX_DIM_VALUE, .value = dim->dim_value};
    else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && dim->dim_param &&
             dim->dim_param[0] && strcmp(dim->dim_param, "?") != 0)
      dims[i] = (NrOnnxDim){.kind = NR_ONNX_DIM_SYMBOL, .symbol = text(r, dim->dim_param)};
  }
  check_size(r, place, value, out);
}

static const NrOnnxType *read_type(NrOnnxReader *r, const NrOnnxPlace *place, NrStr value,
                                   const Onnx__TypeProto *proto) {
  NrOnnxType *out = NR_NEW(r->arena, NrOnnxType);
  switch (proto ? proto->value_case : ONNX__TYPE_PROTO__VALUE__NOT_SET) {
  case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
    out->kind = NR_ONNX_TYPE_TENSOR;
    out->dtype = read_dtype(r, place, value, proto->tensor_type->elem_type);
    read_shape(r, place, value, proto->tensor_type->shape, out);
    break;
  case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
    out->kind = NR_ONNX_TYPE_SPARSE;
    out->dtype = read_dtype(r, place, value, proto->sparse_tensor_type->elem_type);
    read_shape(r, place, value, proto->sparse_tensor_type->shape, out);
    break;
  case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
    out->kind = NR_ONNX_TYPE_SEQUENCE;
    out->elem = read_type(r, place, value, proto->sequence_type->elem_type);
    break;
  case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
    out->kind = NR_ONNX_TYPE_OPTIONAL;
    out->elem = read_type(r, place, value, proto->optional_type->elem_type);
    break;
  case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
    out->kind = NR_ONNX_TYPE_MAP;
    out->dtype = read_dtype(r, place, value, proto->map_type->key_type);
    out->elem = read_type(r, place, value, proto->map_type->value_type);
    break;
  case ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE: out->kind = NR_ONNX_TYPE_OPAQUE; break;
  default: break;
  }
  return out;
}

static NrOnnxValue *read_values(NrOnnxReader *r, const NrOnnxPlace *place, Onnx__ValueInfoProto **items, size_t count) {
  NrOnnxValue *out = NR_NEW_ARRAY(r->arena, NrOnnxValue, count);
  for (size_t i = 0; i < count; i++) {
    out[i].name = text(r, items[i]->name);
    out[i].type = read_type(r, place, out[i].name, items[i]->type);
  }
  return out;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static NrOnnxGraph *read_graph(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__GraphProto *proto);

/* Files of IR version 1 have no type field: the field that is set gives the type. */
static int attr_type(const Onnx__AttributeProto *p) {
  if (p->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED) return (int)p->type;
  return p->has_f          ? NR_ONNX_ATTR_FLOAT
         : p->has_i        ? NR_ONNX_ATTR_INT
         : p->has_s        ? NR_ONNX_ATTR_STRING
         : p->t            ? NR_ONNX_ATTR_TENSOR
         : p->g            ? NR_ONNX_ATTR_GRAPH
         : p->tp           ? NR_ONNX_ATTR_TYPE
         : p->n_floats     ? NR_ONNX_ATTR_FLOATS
         : p->n_ints       ? NR_ONNX_ATTR_INTS
         : p->n_strings    ? NR_ONNX_ATTR_STRINGS
         : p->n_tensors    ? NR_ONNX_ATTR_TENSORS
         : p->n_graphs     ? NR_ONNX_ATTR_GRAPHS
         : p->n_type_protos ? NR_ONNX_ATTR_TYPES
                           : NR_ONNX_ATTR_UNDEFINED;
}

/* Sparse tensors are made dense here, so that no later stage handles them. */
enum {
  SPARSE_TENSOR = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR,
  SPARSE_TENSORS = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSORS,
};

static const NrOnnxTensor *new_tensor(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *p) {
  static const Onnx__TensorProto no_tensor = ONNX__TENSOR_PROTO__INIT;
  NrOnnxTensor *tensor = NR_NEW(r->arena, NrOnnxTensor);
  nr_onnx_read_tensor(r, place, p ? p : &no_tensor, tensor);
  return tensor;
}

static const NrOnnxTensor *new_dense(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__SparseTensorProto *p) {
  static const Onnx__SparseTensorProto no_tensor = ONNX__SPARSE_TENSOR_PROTO__INIT;
  NrOnnxTensor *tensor = NR_NEW(r->arena, NrOnnxTensor);
  nr_onnx_read_sparse(r, place, p ? p : &no_tensor, tensor);
  return tensor;
}

static NrOnnxGraph *new_graph(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__GraphProto *p) {
  static const Onnx__GraphProto no_graph = ONNX__GRAPH_PROTO__INIT;
  if (!p) nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "the attribute has no graph");
  return read_graph(r, place, p ? p : &no_graph);
}

/* out->FIELD = an array of count items, made from items[i] by the expression `make`. */
#define READ_LIST(FIELD, Type, number, make)                                                                           \
  do {                                                                                                                 \
    Type *list = NR_NEW_ARRAY(r->arena, Type, number);                                                                 \
    out->count = (number);                                                                                             \
    for (size_t i = 0; i < out->count; i++) list[i] = (make);                                                          \
    out->FIELD = list;                                                                                                 \
  } while (0)

static void read_attr_value(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__AttributeProto *p, int type,
                            NrOnnxAttr *out) {
  switch (type) {
  case NR_ONNX_ATTR_FLOAT: out->f = p->f; break;
  case NR_ONNX_ATTR_INT: out->i = p->i; break;
  case NR_ONNX_ATTR_STRING: out->s = bytes_text(r, p->s); break;
  case NR_ONNX_ATTR_TYPE: out->tp = read_type(r, place, out->name, p->tp); break;
  case NR_ONNX_ATTR_TENSOR: out->t = new_tensor(r, place, p->t); break;
  case NR_ONNX_ATTR_GRAPH: out->g = new_graph(r, place, p->g); break;
  case SPARSE_TENSOR: out->t = new_dense(r, place, p->sparse_tensor); break;
  case NR_ONNX_ATTR_FLOATS: READ_LIST(floats, float, p->n_floats, p->floats[i]); break;
  case NR_ONNX_ATTR_INTS: READ_LIST(ints, int64_t, p->n_ints, p->ints[i]); break;
  case NR_ONNX_ATTR_STRINGS: READ_LIST(strings, NrStr, p->n_strings, bytes_text(r, p->strings[i])); break;
  case NR_ONNX_ATTR_TENSORS:
    READ_LIST(tensors, const NrOnnxTensor *, p->n_tensors, new_tensor(r, place, p->tensors[i]));
    break;
  case SPARSE_TENSORS:
    READ_LIST(tensors, const NrOnnxTensor *, p->n_sparse_tensors, new_dense(r, place, p->sparse_tensors[i]));
    break;
  case NR_ONNX_ATTR_GRAPHS:
    READ_LIST(graphs, NrOnnxGraph *, p->n_graphs, read_graph(r, place, p->graphs[i]));
    break;
  case NR_ONNX_ATTR_TYPES:
    READ_LIST(types, const NrOnnxType *, p->n_type_protos, read_type(r, place, out->name, p->type_protos[i]));
    break;
  default:
    nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "the attribute has no known type (%d)", type);
    out->type = NR_ONNX_ATTR_UNDEFINED;
    break;
  }
}

/* place is that of the node, or of the function whose default it is. */
static void read_attr(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__AttributeProto *p, NrOnnxAttr *out) {
  *out = (NrOnnxAttr){.name = text(r, p->name), .ref_attr_name = text(r, p->ref_attr_name)};
  NrOnnxPlace inside = *place;
  inside.attr = out->name;
  int type = attr_type(p);
  out->type = type == SPARSE_TENSOR    ? NR_ONNX_ATTR_TENSOR
              : type == SPARSE_TENSORS ? NR_ONNX_ATTR_TENSORS
                                       : (NrOnnxAttrType)type;
  if (!out->ref_attr_name.size) read_attr_value(r, &inside, p, type, out);
}

/* ---- nodes, graphs, functions ----------------------------------------------------------------------------------- */

static NrOnnxNode *read_nodes(NrOnnxReader *r, const NrOnnxPlace *outer, Onnx__NodeProto **items, size_t count) {
  NrOnnxNode *nodes = NR_NEW_ARRAY(r->arena, NrOnnxNode, count);
  for (size_t i = 0; i < count; i++) {
    const Onnx__NodeProto *p = items[i];
    NrOnnxNode *node = &nodes[i];
    node->name = text(r, p->name);
    node->op_type = text(r, p->op_type);
    node->domain = domain_text(r, p->domain);
    node->overload = text(r, p->overload);
    node->version = nr_onnx_opset_version(r->model, r->function, node->domain);
    node->num_inputs = p->n_input;
    node->inputs = texts(r, p->input, p->n_input);
    node->num_outputs = p->n_output;
    node->outputs = texts(r, p->output, p->n_output);
    node->num_attrs = p->n_attribute;
    node->attrs = NR_NEW_ARRAY(r->arena, NrOnnxAttr, p->n_attribute);
    NrOnnxPlace place = {.outer = outer, .node = node};
    for (size_t a = 0; a < p->n_attribute; a++) read_attr(r, &place, p->attribute[a], &node->attrs[a]);
  }
  return nodes;
}

static NrOnnxGraph *read_graph(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__GraphProto *p) {
  NrOnnxGraph *out = NR_NEW(r->arena, NrOnnxGraph);
  out->name = text(r, p->name);
  out->num_inputs = p->n_input;
  out->inputs = read_values(r, place, p->input, p->n_input);
  out->num_outputs = p->n_output;
  out->outputs = read_values(r, place, p->output, p->n_output);
  out->num_value_infos = p->n_value_info;
  out->value_infos = read_values(r, place, p->value_info, p->n_value_info);
  out->num_initializers = p->n_initializer + p->n_sparse_initializer;
  out->initializers = NR_NEW_ARRAY(r->arena, NrOnnxTensor, out->num_initializers);
  for (size_t i = 0; i < p->n_initializer; i++) nr_onnx_read_tensor(r, place, p->initializer[i], &out->initializers[i]);
  for (size_t i = 0; i < p->n_sparse_initializer; i++)
    nr_onnx_read_sparse(r, place, p->sparse_initializer[i], &out->initializers[p->n_initializer + i]);
  out->num_nodes = p->n_node;
  out->nodes = read_nodes(r, place, p->node, p->n_node);
  return out;
}

static NrOnnxOpset *read_opsets(NrOnnxReader *r, const NrOnnxPlace *place, Onnx__OperatorSetIdProto **items,
                                size_t count, size_t *out_count) {
  NrOnnxOpset *out = NR_NEW_ARRAY(r->arena, NrOnnxOpset, NR_MIN(count, (size_t)NR_ONNX_MAX_OPSETS));
  *out_count = 0;
  if (count > NR_ONNX_MAX_OPSETS) {
    nr_onnx_error(r->errors, NR_ERROR_LIMIT, place, "more than %d opset imports", (int)NR_ONNX_MAX_OPSETS);
    return out;
  }
  for (size_t i = 0; i < count; i++) {
    NrOnnxOpset opset = {domain_text(r, items[i]->domain), items[i]->version};
    NrStr shown = opset.domain.size ? opset.domain : NR_STR("ai.onnx");
    if (opset.version < 1) continue; /* says nothing: a missing version reads as 0 */
    size_t same = 0;
    while (same < *out_count && !nr_str_eq(out[same].domain, opset.domain)) same++;
    if (same == *out_count) out[(*out_count)++] = opset;
    else if (out[same].version != opset.version)
      nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "domain '%.*s' is imported with versions %lld and %lld",
                    NR_STR_ARG(shown), (long long)out[same].version, (long long)opset.version);
  }
  return out;
}

static void read_function(NrOnnxReader *r, const Onnx__FunctionProto *p, NrOnnxFunction *out) {
  out->name = text(r, p->name);
  out->domain = domain_text(r, p->domain);
  out->overload = text(r, p->overload);
  NrOnnxPlace place = {.function = out};
  out->opsets = read_opsets(r, &place, p->opset_import, p->n_opset_import, &out->num_opsets);
  r->function = out;
  out->num_inputs = p->n_input;
  out->inputs = texts(r, p->input, p->n_input);
  out->num_outputs = p->n_output;
  out->outputs = texts(r, p->output, p->n_output);
  out->num_attrs = p->n_attribute;
  out->attrs = texts(r, p->attribute, p->n_attribute);
  out->num_defaults = p->n_attribute_proto;
  out->defaults = NR_NEW_ARRAY(r->arena, NrOnnxAttr, p->n_attribute_proto);
  for (size_t i = 0; i < p->n_attribute_proto; i++) read_attr(r, &place, p->attribute_proto[i], &out->defaults[i]);
  out->num_value_infos = p->n_value_info;
  out->value_infos = read_values(r, &place, p->value_info, p->n_value_info);
  out->num_nodes = p->n_node;
  out->nodes = read_nodes(r, &place, p->node, p->n_node);
  r->function = NULL;
}

static void read_functions(NrOnnxReader *r, const Onnx__ModelProto *p) {
  NrOnnxModel *model = r->model;
  model->num_functions = p->n_functions;
  model->functions = NR_NEW_ARRAY(r->arena, NrOnnxFunction, p->n_functions);
  for (size_t i = 0; i < p->n_functions; i++) {
    NrOnnxFunction *f = &model->functions[i];
    read_function(r, p->functions[i], f);
    f->next_same_name = nr_strmap_get(&model->functions_by_name, f->name);
    nr_strmap_set(&model->functions_by_name, f->name, f);
  }
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

static void read_opset_imports(NrOnnxReader *r, const Onnx__ModelProto *p) {
  NrOnnxModel *model = r->model;
  NrOnnxOpset *read = read_opsets(r, NULL, p->opset_import, p->n_opset_import, &model->num_opsets);
  model->opsets = read;
  for (size_t i = 0; i < model->num_opsets; i++)
    if (!read[i].domain.size) return;
  /* Operator sets came with IR version 3; until then there was one. */
  bool had_one = model->ir_version < ONNX__VERSION__IR_VERSION_2017_11_3;
  model->assumes_opset = !had_one;
  model->opsets = NR_NEW_ARRAY(r->arena, NrOnnxOpset, model->num_opsets + 1);
  if (model->num_opsets) memcpy(model->opsets, read, model->num_opsets * sizeof *read);
  model->opsets[model->num_opsets++] = (NrOnnxOpset){NR_STR(""), had_one ? 1 : nr_onnx_newest_opset(NR_STR(""))};
}

static void read_model(NrOnnxReader *r, const Onnx__ModelProto *p) {
  NrOnnxModel *model = r->model;
  model->ir_version = p->ir_version;
  if (model->ir_version < 1)
    nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "the model has no IR version");
  else if (model->ir_version > ONNX__VERSION__IR_VERSION)
    nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "the model has IR version %lld; the latest known is %d",
                  (long long)model->ir_version, (int)ONNX__VERSION__IR_VERSION);
  model->model_version = p->model_version;
  model->producer_name = text(r, p->producer_name);
  model->producer_version = text(r, p->producer_version);
  model->domain = text(r, p->domain);
  model->doc_string = text(r, p->doc_string);
  model->num_metadata = p->n_metadata_props;
  model->metadata = NR_NEW_ARRAY(r->arena, NrOnnxMetadata, p->n_metadata_props);
  for (size_t i = 0; i < p->n_metadata_props; i++)
    model->metadata[i] = (NrOnnxMetadata){text(r, p->metadata_props[i]->key), text(r, p->metadata_props[i]->value)};
  read_opset_imports(r, p);
  read_functions(r, p);
  if (p->graph) model->graph = read_graph(r, NULL, p->graph);
  else nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "the model has no graph");
}

/* Files that are often taken for models, by the bytes at `at`. */
static const struct {
  size_t at;
  const char *bytes, *what;
} other_files[] = {
    {0, "version https://git-lfs", "this is a Git LFS pointer, not a model: fetch it with `git lfs pull`"},
    {0, "PK\3\4", "this is a zip archive, not a model: unpack it first"},
    {0, "\x1f\x8b", "this file is compressed by gzip: unpack it first"},
    {4, "ORTM", "this is a model in ONNX Runtime's own format (.ort): give the .onnx file that it was made from"},
    {4, "TFL3", "this is a TensorFlow Lite model: convert it to ONNX first"},
};

static void read_bytes(NrOnnxReader *r) {
  if (r->size == 0) {
    nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "not a valid ONNX file: it is empty");
    return;
  }
  for (size_t i = 0; i < NR_COUNTOF(other_files); i++) {
    size_t at = other_files[i].at;
    if (r->size < at || !nr_str_starts((NrStr){(const char *)r->bytes + at, r->size - at}, other_files[i].bytes))
      continue;
    nr_onnx_error(r->errors, NR_ERROR_INVALID, NULL, "%s", other_files[i].what);
    return;
  }
  NrArena scratch;
  nr_arena_init(&scratch);
  Onnx__ModelProto *proto = nr_onnx_decode(&scratch, r->arena, r->errors, r->bytes, r->size);
  if (proto) read_model(r, proto);
  nr_arena_deinit(&scratch);
  if (r->model->graph) nr_onnx_check(r->model, r->errors);
}

static NrOnnxModel *new_model(void) {
  NrOnnxModel *model = nr_calloc(1, sizeof *model);
  nr_arena_init(&model->arena);
  return model;
}

static NrStatus finish(NrOnnxModel *model, NrOnnxErrors *errors, NrOnnxModel **out_model) {
  nr_onnx_errors_finish(errors);
  if (errors->count) nr_onnx_model_destroy(model);
  *out_model = errors->count ? NULL : model;
  return errors->status;
}

/* The folder part of path, in the arena. */
static const char *folder_of(NrArena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return ".";
  return nr_str_copy(arena, (NrStr){path, slash == path ? 1 : (size_t)(slash - path)}).data;
}

/* Maps the file, or reads it where it is a pipe. */
static bool load_file(NrOnnxReader *r, const char *path) {
  bool is_stdin = strcmp(path, "-") == 0;
  const NrOnnxMapping *map = is_stdin ? NULL : nr_onnx_map_file(r->model, path);
  if (map) {
    r->bytes = map->data;
    r->size = map->size;
    return true;
  }
  if (is_stdin || errno == EINVAL) {
    if (nr_file_read(path, &r->model->bytes) == NR_OK) {
      r->bytes = (const uint8_t *)r->model->bytes.data;
      r->size = r->model->bytes.size;
      return true;
    }
  }
  nr_onnx_error(r->errors, errno == ENOENT ? NR_ERROR_NOT_FOUND : NR_ERROR_IO, NULL, "cannot read '%s': %s", path,
                strerror(errno));
  return false;
}

NrStatus nr_onnx_read_file(const char *path, NrOnnxModel **out_model, NrBuf *errors) {
  NrOnnxErrors list = {.text = errors};
  NrOnnxModel *model = new_model();
  NrOnnxReader r = {.model = model, .arena = &model->arena, .errors = &list};
  if (load_file(&r, path)) {
    char *real = nr_file_real_path(path);
    if (strcmp(path, "-") != 0) r.folder = folder_of(r.arena, path);
    if (r.folder && real) r.real_folder = folder_of(r.arena, real);
    nr_free(real);
    read_bytes(&r);
  }
  return finish(model, &list, out_model);
}

NrStatus nr_onnx_read_memory(const void *data, size_t size, const char *folder, NrOnnxModel **out_model,
                             NrBuf *errors) {
  NrOnnxErrors list = {.text = errors};
  NrOnnxModel *model = new_model();
  NrOnnxReader r = {
      .model = model, .arena = &model->arena, .errors = &list, .bytes = data, .size = size, .folder = folder};
  read_bytes(&r);
  return finish(model, &list, out_model);
}

void nr_onnx_model_destroy(NrOnnxModel *model) {
  if (!model) return;
  nr_onnx_unmap_all(model);
  nr_strmap_deinit(&model->functions_by_name);
  nr_buf_deinit(&model->bytes);
  nr_arena_deinit(&model->arena);
  nr_free(model);
}
