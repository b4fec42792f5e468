/* nodes.c - random nodes, by the rows of lower.def and dialect onnx. */
#include "dialect/onnx/attrs.h"
#include "graph.h"
#include "onnx/lower/core/lower.h"

/* Nodes drawn for one that is taken, at most; choices of inputs and attributes for one op. */
enum { DRAWN_NODES = 8, DRAWN_CHOICES = 4, MAX_LIST = 4 };

/* ---- parts of a node -------------------------------------------------------------------------------------------- */

Onnx__NodeProto *graph_node(GraphGen *g, const char *domain, const char *op) {
  enum { MOST = 64 };
  Onnx__NodeProto *node = graph_message(g, &onnx__node_proto__descriptor);
  node->domain = (char *)domain;
  node->op_type = (char *)op;
  node->name = graph_name(g);
  node->input = NR_NEW_ARRAY(g->arena, char *, MOST);
  node->output = NR_NEW_ARRAY(g->arena, char *, MOST);
  node->attribute = NR_NEW_ARRAY(g->arena, Onnx__AttributeProto *, MOST);
  return node;
}

void graph_node_input(GraphGen *g, Onnx__NodeProto *node, char *name) { node->input[node->n_input++] = name; }

char *graph_node_output(GraphGen *g, Onnx__NodeProto *node) { return node->output[node->n_output++] = graph_name(g); }

Onnx__AttributeProto *graph_node_attr(GraphGen *g, Onnx__NodeProto *node, const char *name,
                                      Onnx__AttributeProto__AttributeType type) {
  Onnx__AttributeProto *a = graph_message(g, &onnx__attribute_proto__descriptor);
  a->name = (char *)name;
  a->has_type = true;
  a->type = type;
  node->attribute[node->n_attribute++] = a;
  return a;
}

void graph_node_int(GraphGen *g, Onnx__NodeProto *node, const char *name, int64_t value) {
  Onnx__AttributeProto *a = graph_node_attr(g, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
  a->has_i = true;
  a->i = value;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

static int64_t any_int(GraphGen *g, const NrVersionedAttr *row) {
  switch (graph_choose(g, 8)) {
  case 0: return -1;
  case 1: return 2;
  case 2: return 3;
  case 3: return row->kind == NR_VERSIONED_INT && row->has_default ? row->i : 0;
  case 4:
  case 5: return (int64_t)graph_choose(g, 27); /* a type, or a number of bits */
  default: return (int64_t)graph_choose(g, 2);
  }
}

static float any_float(GraphGen *g) {
  static const float some[] = {0.0f, 1.0f, 0.5f, -1.0f, 2.0f, 0.01f, 3.0f, -0.25f};
  return some[graph_choose(g, NR_COUNTOF(some))];
}

/* The defaults of all rows are words that mean something, and there are others. */
static const char *any_string(GraphGen *g) {
  static const char *const others[] = {"SAME_UPPER", "SAME_LOWER", "VALID",  "reflect", "edge",     "wrap", "linear",
                                       "cubic",      "nearest",    "tanh",   "mul",     "add",      "max",  "min",
                                       "ij,jk->ik",  "...i->...",  "RIGHT",  "CRD",     "LOGISTIC", "sum",  "none",
                                       "asymmetric", "align_corners", "floor", "ceil",  "a",        "bidirectional"};
  size_t seen = 0;
  const char *found = others[graph_choose(g, NR_COUNTOF(others))];
  if (graph_one_in(g, 2)) return found;
  size_t wanted = graph_choose(g, 48);
  for (size_t i = 0; i < nr_num_lower_rows; i++) {
    const NrOpInfo *info = nr_op_info_find(nr_str(nr_arena_printf(g->arena, "onnx.%s", nr_lower_rows[i].name)), NULL);
    for (const NrVersionedAttr *a = info ? info->versioned_attrs : NULL; a && a->name; a++)
      if (a->kind == NR_VERSIONED_STRING && a->has_default && seen++ == wanted) return a->s;
  }
  return found;
}

static ProtobufCBinaryData string_data(const char *s) { return (ProtobufCBinaryData){strlen(s), (uint8_t *)s}; }

static void fill_ints(GraphGen *g, Onnx__AttributeProto *a, size_t rank) {
  static const int64_t some[] = {1, 0, 2, 1, -1, 3, 0, 1};
  size_t lengths[] = {rank, rank, 1, 2, rank >= 2 ? rank - 2 : 0, rank >= 2 ? 2 * rank - 4 : 0, 2 * rank, 0};
  a->n_ints = lengths[graph_choose(g, NR_COUNTOF(lengths))];
  a->ints = NR_NEW_ARRAY(g->arena, int64_t, a->n_ints);
  bool permutes = graph_one_in(g, 3);
  size_t turn = graph_choose(g, 5), same = graph_choose(g, 2 * NR_COUNTOF(some));
  for (size_t i = 0; i < a->n_ints; i++)
    a->ints[i] = permutes                  ? (int64_t)((i + turn) % a->n_ints)
                 : same < NR_COUNTOF(some) ? some[same]
                                           : some[graph_choose(g, NR_COUNTOF(some))];
}

static void fill_tensor(GraphGen *g, Onnx__AttributeProto *a) {
  static const NrLowerInput any = {.what = {"any", 3}};
  GraphValue value;
  size_t num_inputs = g->inputs.size, num_values = g->values.size;
  if (graph_new_input(g, &any, NORIA_UNDEFINED, NULL, true, &value)) a->t = value.constant;
  g->inputs.size = num_inputs;
  g->values.size = num_values;
}

static void add_attr(GraphGen *g, Onnx__NodeProto *node, const NrVersionedAttr *row, size_t rank) {
  static const Onnx__AttributeProto__AttributeType types[] = {
      [NR_VERSIONED_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
      [NR_VERSIONED_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
      [NR_VERSIONED_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
      [NR_VERSIONED_TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
      [NR_VERSIONED_TYPE] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO,
      [NR_VERSIONED_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
      [NR_VERSIONED_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
      [NR_VERSIONED_STRINGS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS,
  };
  if (row->kind >= NR_COUNTOF(types) || !types[row->kind]) return;
  Onnx__AttributeProto *a = graph_node_attr(g, node, row->name, types[row->kind]);
  switch (row->kind) {
  case NR_VERSIONED_INT: a->has_i = true, a->i = any_int(g, row); break;
  case NR_VERSIONED_FLOAT: a->has_f = true, a->f = any_float(g); break;
  case NR_VERSIONED_STRING: a->has_s = true, a->s = string_data(any_string(g)); break;
  case NR_VERSIONED_TENSOR: fill_tensor(g, a); break;
  case NR_VERSIONED_TYPE: a->tp = graph_tensor(g, NORIA_F32, GRAPH_ANY_RANK, NULL).type; break;
  case NR_VERSIONED_INTS: fill_ints(g, a, rank); break;
  case NR_VERSIONED_FLOATS:
    a->n_floats = graph_one_in(g, 2) ? (size_t)g->usual_size : 1 + graph_choose(g, MAX_LIST);
    a->floats = NR_NEW_ARRAY(g->arena, float, a->n_floats);
    for (size_t i = 0; i < a->n_floats; i++) a->floats[i] = any_float(g);
    break;
  default:
    a->n_strings = graph_one_in(g, 2) ? (size_t)g->usual_size : 1 + graph_choose(g, MAX_LIST);
    a->strings = NR_NEW_ARRAY(g->arena, ProtobufCBinaryData, a->n_strings);
    for (size_t i = 0; i < a->n_strings; i++) a->strings[i] = string_data(any_string(g));
    break;
  }
}

/* Two runs of what draws random numbers are equal with a seed only. */
static bool is_seed(const NrVersionedAttr *a) { return strcmp(a->name, "seed") == 0; }

static void add_attrs(GraphGen *g, Onnx__NodeProto *node, const NrOpInfo *info, int64_t version, size_t rank) {
  for (const NrVersionedAttr *a = info->versioned_attrs; a && a->name; a++) {
    bool exists = nr_onnx_attr_at(info, nr_str(a->name), version) == a;
    if (exists && (a->required || is_seed(a) || graph_one_in(g, 3))) add_attr(g, node, a, rank);
  }
}

/* ---- inputs ----------------------------------------------------------------------------------------------------- */

static bool fits(const GraphValue *v, const NrLowerInput *part, NoriaDType dtype) {
  if (nr_str_is(part->what, "value")) return true;
  if (nr_str_is(part->what, "seq")) return v->kind == NORIA_KIND_SEQUENCE;
  if (nr_str_is(part->what, "map")) return v->kind == NORIA_KIND_MAP;
  if (nr_str_is(part->what, "optional")) return v->kind == NORIA_KIND_OPTIONAL;
  return v->kind == NORIA_KIND_TENSOR && (dtype ? v->dtype == dtype : nr_lower_input_takes(part, v->dtype));
}

/* The latest values first: graphs are to be deep. */
static bool existing(GraphGen *g, const NrLowerInput *part, NoriaDType dtype, GraphValue *out) {
  size_t skip = graph_one_in(g, 2) ? 0 : graph_choose(g, 4), count = g->values.size;
  for (size_t i = 2 * count; i-- > 0;) {
    const GraphValue *v = &g->values.data[i % NR_MAX(count, (size_t)1)];
    if (fits(v, part, dtype) && !skip--) return *out = *v, true;
    if (skip == SIZE_MAX) skip = 0;
  }
  return false;
}

static bool add_input(GraphGen *g, Onnx__NodeProto *node, const NrLowerInput *part, NoriaDType *dtype,
                      GraphValue *first) {
  GraphValue v;
  bool has_first = first->name != NULL, constant = graph_one_in(g, has_first ? 2 : 8);
  if ((graph_one_in(g, 4) || !existing(g, part, *dtype, &v)) &&
      !graph_new_input(g, part, *dtype, has_first ? first : NULL, constant, &v))
    return false;
  if (!has_first) *first = v;
  if (v.kind == NORIA_KIND_TENSOR && part->same) *dtype = v.dtype;
  graph_node_input(g, node, v.name);
  return true;
}

static bool add_inputs(GraphGen *g, Onnx__NodeProto *node, const char *text, GraphValue *first) {
  NoriaDType same[128] = {0};
  NrLowerInput part;
  size_t needed = 0;
  while (nr_lower_next_input(&text, &part)) {
    NoriaDType none = NORIA_UNDEFINED, *dtype = part.same ? &same[part.same & 127] : &none;
    uint64_t count = part.repeat == '+'   ? 1 + graph_choose(g, 3)
                     : part.repeat == '*' ? graph_choose(g, 3)
                     : part.repeat == '?' ? graph_choose(g, 2)
                                          : 1;
    if (part.repeat == '?' && !count) graph_node_input(g, node, "");
    for (; count; count--)
      if (!add_input(g, node, &part, dtype, first)) return false;
      else needed = node->n_input;
  }
  node->n_input = needed;
  return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* "ai.onnx.ml.Scaler": the op behind the last dot, its domain in front. */
static const char *split_name(GraphGen *g, const char *name, const char **out_op) {
  const char *dot = strrchr(name, '.');
  *out_op = dot ? dot + 1 : name;
  return dot ? nr_arena_printf(g->arena, "%.*s", (int)(dot - name), name) : "";
}

static int64_t opset_of(const GraphGen *g, const char *domain) {
  static const char *const with_number[] = {"", "ai.onnx.ml"};
  for (size_t i = 0; i < NR_COUNTOF(with_number); i++)
    if (strcmp(with_number[i], domain) == 0) return g->opsets[i];
  return 1;
}

/* Not what has bodies, nor what draws random numbers without a seed: Dropout has none in its first versions. */
static bool may_be_drawn(const NrOpInfo *info, int64_t version) {
  bool is_random = info && !(info->traits & NR_PURE), has_seed = false;
  if (!info || info->regions) return false;
  for (const NrVersionedAttr *a = info->versioned_attrs; a && a->name; a++) {
    is_random |= is_seed(a);
    has_seed |= is_seed(a) && nr_onnx_attr_at(info, nr_str(a->name), version);
  }
  return has_seed || !is_random;
}

static bool draw(GraphGen *g, const NrLowerRow *row) {
  const char *op, *domain = split_name(g, row->name, &op);
  const NrOpInfo *info = nr_op_info_find(nr_str(nr_arena_printf(g->arena, "onnx.%s", row->name)), NULL);
  if (!may_be_drawn(info, opset_of(g, domain))) return false;
  Onnx__NodeProto *node = graph_node(g, domain, op);
  size_t num_inputs = g->inputs.size, num_values = g->values.size;
  GraphValue first = {0};
  bool drawn = add_inputs(g, node, row->inputs, &first);
  if (drawn) {
    size_t rank = first.name && first.rank <= GRAPH_MAX_RANK ? first.rank : 2;
    add_attrs(g, node, info, opset_of(g, domain), rank);
    graph_node_output(g, node);
    for (size_t i = graph_one_in(g, 3) ? graph_choose(g, 3) : 0; i > 0; i--) graph_node_output(g, node);
  }
  if (drawn && graph_take(g, node)) return true;
  g->inputs.size = num_inputs;
  g->values.size = num_values;
  return false;
}

bool graph_add_node(GraphGen *g, int depth) {
  if (depth > 0 && graph_one_in(g, 6) && graph_add_control(g, depth - 1)) return true;
  for (int i = 0; i < DRAWN_NODES; i++) {
    const NrLowerRow *row = &nr_lower_rows[graph_choose(g, nr_num_lower_rows)];
    for (int k = 0; k < DRAWN_CHOICES; k++)
      if (draw(g, row)) return true;
  }
  return false;
}
