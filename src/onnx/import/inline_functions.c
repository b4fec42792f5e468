/* inline_functions.c - inlines calls of the model's local functions.
 *
 *   before  y = my.Scale[by=2.0](x)          after  Scale/c = Constant[value_float=2.0]()
 *           my.Scale<by>(a) => (b)                  y       = Mul(x, Scale/c)
 *             c = Constant[value_float=@by]()
 *             b = Mul(a, c)
 *
 * One pass from outer to inner calls: copies a body, renames its values, binds its attributes and expands the calls in
 * it. A new name is the call's name and the value's, clipped to a limited length, so that names cannot grow without
 * bound. */
#include "onnx/read/reader.h"

typedef NR_VEC(NrOnnxNode) Nodes;

typedef struct Inliner {
  NrOnnxModel *model;
  NrArena *arena;
  NrOnnxErrors *errors;
  NrStrMap used;     /* every name of a value, and every prefix */
  size_t made;       /* against NR_ONNX_MAX_INLINED */
  size_t serial;     /* makes names unique */
} Inliner;

/* A call that is being expanded. */
typedef struct Frame {
  const NrOnnxFunction *function;
  const NrOnnxNode *call; /* with the caller's names and attributes */
  NrStr prefix;
  NrStrMap outputs; /* function output -> the call's name for it (an NrStr *) */
} Frame;

/* Names of one graph in a function's body: old -> new (an NrStr *). The outermost is the body itself. */
typedef struct Names {
  const struct Names *outer;
  NrStrMap map;
} Names;

enum { LONGEST_PREFIX = 160, LONGEST_NAME = 256 };

static bool expand_nodes(Inliner *x, Frame *frame, Names *names, const NrOnnxNode *nodes, size_t count, Nodes *out,
                         int depth);

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* At most size bytes of s, not cutting a UTF-8 character. */
static NrStr clip(NrStr s, size_t size) {
  if (s.size <= size) return s;
  while (size && ((unsigned char)s.data[size] & 0xc0) == 0x80) size--;
  return (NrStr){s.data, size};
}

static NrStr unique(Inliner *x, NrStr wanted) {
  NrStr name = wanted;
  while (nr_strmap_has(&x->used, name))
    name = nr_str(nr_arena_printf(x->arena, "%.*s_%zu", NR_STR_ARG(wanted), ++x->serial));
  nr_strmap_set(&x->used, name, x);
  return name;
}

static NrStr prefixed(Inliner *x, const Frame *frame, NrStr name) {
  name = clip(name, LONGEST_NAME);
  return nr_str(nr_arena_printf(x->arena, "%.*s/%.*s", NR_STR_ARG(frame->prefix), NR_STR_ARG(name)));
}

static NrStr *boxed(Inliner *x, NrStr name) { return nr_arena_copy(x->arena, &name, sizeof name); }

/* The new name of a value that this graph of the body defines. */
static NrStr define(Inliner *x, Frame *frame, Names *names, NrStr name) {
  if (!name.size || !frame) return name;
  NrStr *fresh = names->outer ? NULL : nr_strmap_get(&frame->outputs, name);
  if (!fresh) fresh = boxed(x, unique(x, prefixed(x, frame, name)));
  nr_strmap_set(&names->map, name, fresh);
  return *fresh;
}

static NrStr lookup(const Names *names, NrStr name) {
  for (; names; names = names->outer) {
    const NrStr *fresh = nr_strmap_get(&names->map, name);
    if (fresh) return *fresh;
  }
  return name;
}

static void collect_names(Inliner *x, const NrOnnxGraph *graph) {
  for (size_t i = 0; i < graph->num_inputs; i++) nr_strmap_set(&x->used, graph->inputs[i].name, x);
  for (size_t i = 0; i < graph->num_initializers; i++) nr_strmap_set(&x->used, graph->initializers[i].name, x);
  for (size_t i = 0; i < graph->num_nodes; i++) {
    const NrOnnxNode *node = &graph->nodes[i];
    for (size_t o = 0; o < node->num_outputs; o++) nr_strmap_set(&x->used, node->outputs[o], x);
    for (size_t a = 0; a < node->num_attrs; a++) {
      if (node->attrs[a].type == NR_ONNX_ATTR_GRAPH) collect_names(x, node->attrs[a].g);
      if (node->attrs[a].type == NR_ONNX_ATTR_GRAPHS)
        for (size_t g = 0; g < node->attrs[a].count; g++) collect_names(x, node->attrs[a].graphs[g]);
    }
  }
}

/* ---- graphs and attributes --------------------------------------------------------------------------------------- */

static bool too_much(Inliner *x, int depth) {
  if (x->made <= NR_ONNX_MAX_INLINED && depth <= NR_ONNX_MAX_DEPTH) return false;
  nr_onnx_error(x->errors, NR_ERROR_LIMIT, NULL,
                "inlining the model's functions makes more than %d parts or nests them more than %d deep",
                (int)NR_ONNX_MAX_INLINED, (int)NR_ONNX_MAX_DEPTH);
  return true;
}

static NrOnnxValue *rename_values(Inliner *x, const Names *names, const NrOnnxValue *values, size_t count) {
  NrOnnxValue *out = nr_arena_copy(x->arena, values, count * sizeof *values);
  for (size_t i = 0; i < count; i++) out[i].name = lookup(names, out[i].name);
  return out;
}

/* A copy of a graph in a function's body; a graph of the model itself (frame NULL) is changed in place. */
static NrOnnxGraph *expand_graph(Inliner *x, Frame *frame, Names *outer, NrOnnxGraph *graph, int depth) {
  Names names = {.outer = outer};
  NrOnnxGraph *out = frame ? nr_arena_copy(x->arena, graph, sizeof *graph) : graph;
  x->made += frame ? graph->num_inputs + graph->num_initializers + graph->num_outputs + graph->num_value_infos : 0;
  if (too_much(x, depth)) return NULL;
  if (frame) {
    for (size_t i = 0; i < graph->num_inputs; i++) define(x, frame, &names, graph->inputs[i].name);
    out->inputs = rename_values(x, &names, graph->inputs, graph->num_inputs);
    out->initializers =
        nr_arena_copy(x->arena, graph->initializers, graph->num_initializers * sizeof *graph->initializers);
    for (size_t i = 0; i < graph->num_initializers; i++) {
      NrStr name = graph->initializers[i].name, *known = nr_strmap_get(&names.map, name);
      out->initializers[i].name = known ? *known : define(x, frame, &names, name);
    }
  }
  Nodes nodes = {0};
  bool ok = expand_nodes(x, frame, &names, graph->nodes, graph->num_nodes, &nodes, depth);
  out->num_nodes = nodes.size;
  out->nodes = nr_arena_copy(x->arena, nodes.data, nodes.size * sizeof *nodes.data);
  nr_vec_deinit(&nodes);
  if (frame) {
    out->outputs = rename_values(x, &names, graph->outputs, graph->num_outputs);
    out->value_infos = rename_values(x, &names, graph->value_infos, graph->num_value_infos);
  }
  nr_strmap_deinit(&names.map);
  return ok ? out : NULL;
}

static const NrOnnxAttr *find_attr(const NrOnnxAttr *attrs, size_t count, NrStr name) {
  for (size_t i = 0; i < count; i++)
    if (nr_str_eq(attrs[i].name, name)) return &attrs[i];
  return NULL;
}

/* The value of an attribute of the function for this call. Neither given nor with a default: *out keeps no value and
 * the attribute that refers to it is absent. */
static bool bind_attr(Inliner *x, const Frame *frame, const NrOnnxAttr *ref, NrOnnxAttr *out, bool *out_present) {
  const NrOnnxFunction *f = frame->function;
  const NrOnnxAttr *value = find_attr(frame->call->attrs, frame->call->num_attrs, ref->ref_attr_name);
  if (!value) value = find_attr(f->defaults, f->num_defaults, ref->ref_attr_name);
  *out_present = value != NULL;
  if (!value) return true;
  *out = *value;
  out->name = ref->name;
  if (ref->type == NR_ONNX_ATTR_UNDEFINED || ref->type == value->type) return true;
  NrOnnxPlace place = {.node = frame->call};
  nr_onnx_error(x->errors, NR_ERROR_INVALID, &place, "attribute '%.*s' is of another type than the function uses",
                NR_STR_ARG(ref->ref_attr_name));
  return false;
}

static bool expand_attr(Inliner *x, Frame *frame, Names *names, const NrOnnxAttr *attr, NrOnnxAttr *out,
                        bool *out_present, int depth) {
  *out_present = true;
  if (attr->ref_attr_name.size) return bind_attr(x, frame, attr, out, out_present);
  *out = *attr;
  if (attr->type == NR_ONNX_ATTR_GRAPH) return (out->g = expand_graph(x, frame, names, attr->g, depth + 1)) != NULL;
  if (attr->type != NR_ONNX_ATTR_GRAPHS) return true;
  NrOnnxGraph **graphs = NR_NEW_ARRAY(x->arena, NrOnnxGraph *, attr->count);
  for (size_t i = 0; i < attr->count; i++)
    if (!(graphs[i] = expand_graph(x, frame, names, attr->graphs[i], depth + 1))) return false;
  out->graphs = graphs;
  return true;
}

static bool expand_attrs(Inliner *x, Frame *frame, Names *names, const NrOnnxNode *node, NrOnnxNode *out, int depth) {
  bool plain = true; /* plain ones are shared with the function */
  for (size_t i = 0; i < node->num_attrs; i++)
    plain = plain && !node->attrs[i].ref_attr_name.size && node->attrs[i].type != NR_ONNX_ATTR_GRAPH &&
            node->attrs[i].type != NR_ONNX_ATTR_GRAPHS;
  if (plain) return true;
  out->attrs = NR_NEW_ARRAY(x->arena, NrOnnxAttr, node->num_attrs);
  out->num_attrs = 0;
  for (size_t i = 0; i < node->num_attrs; i++) {
    bool present;
    if (!expand_attr(x, frame, names, &node->attrs[i], &out->attrs[out->num_attrs], &present, depth)) return false;
    out->num_attrs += present;
  }
  return true;
}

/* ---- nodes and calls -------------------------------------------------------------------------------------------- */

/* A function output that no node of the body makes under the call's name: it is one of its inputs, or given twice. */
static bool forward_output(Inliner *x, const Frame *frame, const Names *names, NrStr from, NrStr to, Nodes *out) {
  const NrOnnxNode *call = frame->call;
  NrStr source = lookup(names, from);
  if (!source.size) {
    NrOnnxPlace place = {.node = call};
    nr_onnx_error(x->errors, NR_ERROR_INVALID, &place,
                  "output '%.*s' is the function's input '%.*s', which the call leaves out", NR_STR_ARG(to),
                  NR_STR_ARG(from));
    return false;
  }
  int64_t version = nr_onnx_opset_version(x->model, frame->function, NR_STR(""));
  if (!version) version = nr_onnx_opset_version(x->model, NULL, NR_STR(""));
  NrOnnxNode node = {.name = frame->prefix, .op_type = NR_STR("Identity"), .version = NR_MAX(version, 1),
                     .num_inputs = 1, .inputs = boxed(x, source), .num_outputs = 1, .outputs = boxed(x, to)};
  nr_vec_push(out, node);
  return true;
}

static bool expand_call(Inliner *x, const NrOnnxFunction *f, const NrOnnxNode *call, Nodes *out, int depth) {
  Frame frame = {.function = f, .call = call};
  frame.prefix = unique(x, clip(call->name.size ? call->name : f->name, LONGEST_PREFIX));
  Names names = {0};
  for (size_t i = 0; i < f->num_inputs; i++) nr_strmap_set(&names.map, f->inputs[i], boxed(x, nr_onnx_input(call, i)));
  for (size_t i = 0; i < f->num_outputs; i++)
    if (nr_onnx_output(call, i).size && !nr_strmap_has(&frame.outputs, f->outputs[i]))
      nr_strmap_set(&frame.outputs, f->outputs[i], &call->outputs[i]);
  bool ok = expand_nodes(x, &frame, &names, f->nodes, f->num_nodes, out, depth + 1);
  for (size_t i = 0; i < f->num_outputs && ok; i++) {
    NrStr to = nr_onnx_output(call, i);
    if (to.size && !nr_str_eq(lookup(&names, f->outputs[i]), to))
      ok = forward_output(x, &frame, &names, f->outputs[i], to, out);
  }
  nr_strmap_deinit(&names.map);
  nr_strmap_deinit(&frame.outputs);
  return ok;
}

static bool expand_nodes(Inliner *x, Frame *frame, Names *names, const NrOnnxNode *nodes, size_t count, Nodes *out,
                         int depth) {
  for (size_t i = 0; i < count; i++) {
    const NrOnnxNode *node = &nodes[i];
    NrOnnxNode copy = *node;
    x->made += frame ? 1 + node->num_inputs + node->num_outputs + node->num_attrs : 0;
    if (too_much(x, depth)) return false;
    const NrOnnxFunction *callee = nr_onnx_find_function(x->model, node);
    if (frame) {
      NrStr name = !node->name.size && callee ? callee->name : node->name;
      copy.name = name.size ? prefixed(x, frame, name) : frame->prefix;
      copy.inputs = NR_NEW_ARRAY(x->arena, NrStr, node->num_inputs);
      for (size_t k = 0; k < node->num_inputs; k++) copy.inputs[k] = lookup(names, node->inputs[k]);
    }
    if (!expand_attrs(x, frame, names, node, &copy, depth)) return false;
    if (frame) {
      copy.outputs = NR_NEW_ARRAY(x->arena, NrStr, node->num_outputs);
      for (size_t k = 0; k < node->num_outputs; k++) copy.outputs[k] = define(x, frame, names, node->outputs[k]);
    }
    if (!callee) nr_vec_push(out, copy);
    else if (!expand_call(x, callee, &copy, out, depth)) return false;
  }
  return true;
}

NrStatus nr_onnx_inline_functions(NrOnnxModel *model, NrBuf *errors) {
  if (!model->num_functions) return NR_OK;
  NrOnnxErrors list = {.text = errors};
  Inliner x = {.model = model, .arena = &model->arena, .errors = &list};
  collect_names(&x, model->graph);
  expand_graph(&x, NULL, NULL, model->graph, 0);
  nr_strmap_deinit(&x.used);
  nr_onnx_errors_finish(&list);
  return list.status;
}
