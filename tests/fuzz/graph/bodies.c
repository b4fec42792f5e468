/* bodies.c - random nodes with bodies: If, Loop, Scan, SequenceMap. */
#include "graph.h"

enum { MAX_CARRIED = 2, MAX_BODY_NODES = 3 };

/* The body that is being made. What it adds to the values ends with it. */
typedef struct Body {
  Onnx__GraphProto *graph;
  GraphNodes nodes, *outer;
  size_t first; /* of its values */
} Body;

static void begin_body(GraphGen *g, Body *body) {
  enum { MOST = 8 };
  *body = (Body){.outer = g->nodes, .first = g->values.size};
  body->graph = graph_message(g, &onnx__graph_proto__descriptor);
  body->graph->name = graph_name(g);
  body->graph->input = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, MOST);
  body->graph->output = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, MOST);
  g->nodes = &body->nodes;
}

static void end_body(GraphGen *g, Body *body) {
  body->graph->n_node = body->nodes.size;
  body->graph->node = nr_arena_copy(g->arena, body->nodes.data, body->nodes.size * sizeof *body->nodes.data);
  nr_vec_deinit(&body->nodes);
  g->nodes = body->outer;
  g->values.size = body->first;
}

/* open: the type leaves out the shape. */
static void body_input(GraphGen *g, Body *body, GraphValue v, bool open) {
  v.name = graph_name(g);
  v.constant = NULL;
  GraphValue shown = v;
  if (open && v.kind == NORIA_KIND_TENSOR) graph_set_shape(g, &shown, GRAPH_ANY_RANK, NULL);
  body->graph->input[body->graph->n_input++] = graph_value_info(g, &shown, !open || !graph_one_in(g, 4));
  nr_vec_push(&g->values, v);
}

static void body_output(GraphGen *g, Body *body, const GraphValue *v) {
  Onnx__NodeProto *node = graph_node(g, "", "Identity");
  GraphValue out = {.name = graph_node_output(g, node)};
  graph_node_input(g, node, v->name);
  nr_vec_push(&body->nodes, node);
  body->graph->output[body->graph->n_output++] = graph_value_info(g, &out, false);
}

static void fill_body(GraphGen *g, int depth) {
  for (uint64_t i = 1 + graph_choose(g, MAX_BODY_NODES); i > 0; i--) graph_add_node(g, depth);
}

/* The last value, from `from` on, of this kind and type, of any where like is NULL. */
static const GraphValue *last_like(const GraphGen *g, size_t from, const GraphValue *like) {
  for (size_t i = g->values.size; i-- > from;) {
    const GraphValue *v = &g->values.data[i];
    if (!like || (v->kind == like->kind && v->dtype == like->dtype)) return v;
  }
  return NULL;
}

static void add_body(GraphGen *g, Onnx__NodeProto *node, const char *name, Body *body) {
  end_body(g, body);
  graph_node_attr(g, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH)->g = body->graph;
}

/* A boolean of rank 0. */
static GraphValue condition(GraphGen *g) {
  for (size_t i = g->values.size; i-- > 0;) {
    const GraphValue *v = &g->values.data[i];
    if (v->kind == NORIA_KIND_TENSOR && v->dtype == NORIA_BOOL && v->rank == 0) return *v;
  }
  GraphValue v = graph_tensor(g, NORIA_BOOL, 0, NULL);
  if (graph_one_in(g, 3)) v.constant = graph_constant(g, &v);
  nr_vec_push(&g->inputs, v);
  nr_vec_push(&g->values, v);
  return v;
}

static bool any_value(GraphGen *g, GraphValue *out) {
  static const NrLowerInput any = {.what = {"any", 3}};
  if (!g->values.size || graph_one_in(g, 4)) return graph_new_input(g, &any, NORIA_UNDEFINED, NULL, false, out);
  size_t count = g->values.size, back = graph_one_in(g, 2) ? 1 : 1 + graph_choose(g, count);
  return *out = g->values.data[count - back], true;
}

static bool add_if(GraphGen *g, int depth) {
  Onnx__NodeProto *node = graph_node(g, "", "If");
  GraphValue wanted[MAX_CARRIED];
  graph_node_input(g, node, condition(g).name);
  size_t count = 1 + graph_choose(g, MAX_CARRIED);
  for (int branch = 0; branch < 2; branch++) {
    Body body;
    begin_body(g, &body);
    fill_body(g, depth);
    for (size_t i = 0; i < count; i++) {
      const GraphValue *v = last_like(g, branch || i ? 0 : body.first, branch ? &wanted[i] : NULL);
      if (!v) v = last_like(g, 0, NULL);
      if (!branch) wanted[i] = *v;
      body_output(g, &body, v);
    }
    add_body(g, node, branch ? "else_branch" : "then_branch", &body);
  }
  for (size_t i = 0; i < count; i++) graph_node_output(g, node);
  return graph_take(g, node);
}

/* What the body gives for what it was given: of the same type, if there is such a value. */
static void carry(GraphGen *g, Body *body, size_t at) {
  const GraphValue *in = &g->values.data[at], *v = last_like(g, at, in);
  body_output(g, body, v ? v : in);
}

static bool add_loop(GraphGen *g, int depth) {
  Onnx__NodeProto *node = graph_node(g, "", "Loop");
  GraphValue carried[MAX_CARRIED], trips = graph_tensor(g, NORIA_I64, 0, NULL);
  bool counts = !graph_one_in(g, 8), tests = graph_one_in(g, 2), open = graph_one_in(g, 2);
  size_t count = graph_choose(g, MAX_CARRIED + 1);
  if (graph_one_in(g, 2)) trips.constant = graph_constant(g, &trips);
  nr_vec_push(&g->inputs, trips);
  nr_vec_push(&g->values, trips);
  graph_node_input(g, node, counts ? trips.name : "");
  graph_node_input(g, node, tests ? condition(g).name : "");
  for (size_t i = 0; i < count; i++) {
    if (!any_value(g, &carried[i])) return false;
    graph_node_input(g, node, carried[i].name);
  }
  Body body;
  begin_body(g, &body);
  body_input(g, &body, graph_tensor(g, NORIA_I64, 0, NULL), false);
  body_input(g, &body, graph_tensor(g, NORIA_BOOL, 0, NULL), false);
  for (size_t i = 0; i < count; i++) body_input(g, &body, carried[i], open);
  fill_body(g, depth);
  if (graph_one_in(g, 2)) carry(g, &body, body.first + 1);
  else body_output(g, &body, &g->values.data[body.first + 1]);
  for (size_t i = 0; i < count; i++) carry(g, &body, body.first + 2 + i);
  size_t scans = count ? graph_choose(g, 2) : 1;
  if (scans) body_output(g, &body, last_like(g, body.first, NULL));
  add_body(g, node, "body", &body);
  for (size_t i = 0; i < count + scans; i++) graph_node_output(g, node);
  return graph_take(g, node);
}

static bool add_scan(GraphGen *g, int depth) {
  static const NrLowerInput any = {.what = {"any", 3}};
  Onnx__NodeProto *node = graph_node(g, "", "Scan");
  GraphValue scanned, state;
  bool has_state = graph_one_in(g, 2);
  if (has_state && !any_value(g, &state)) return false;
  if (!any_value(g, &scanned) ||
      ((scanned.kind != NORIA_KIND_TENSOR || scanned.rank == 0 || scanned.rank == GRAPH_ANY_RANK) &&
       !graph_new_input(g, &any, NORIA_UNDEFINED, NULL, false, &scanned)))
    return false;
  if (scanned.rank == 0 || scanned.rank == GRAPH_ANY_RANK) return false;
  if (has_state) graph_node_input(g, node, state.name);
  graph_node_input(g, node, scanned.name);
  graph_node_int(g, node, "num_scan_inputs", 1);
  Body body;
  begin_body(g, &body);
  if (has_state) body_input(g, &body, state, false);
  GraphValue slice = scanned;
  graph_set_shape(g, &slice, scanned.rank - 1, scanned.dims + 1);
  body_input(g, &body, slice, false);
  fill_body(g, depth);
  if (has_state) carry(g, &body, body.first);
  body_output(g, &body, last_like(g, body.first, NULL));
  add_body(g, node, "body", &body);
  for (size_t i = 0; i < 1u + has_state; i++) graph_node_output(g, node);
  return graph_take(g, node);
}

static bool add_sequence_map(GraphGen *g, int depth) {
  static const NrLowerInput seq = {.what = {"seq", 3}};
  Onnx__NodeProto *node = graph_node(g, "", "SequenceMap");
  GraphValue items, item;
  if (!graph_new_input(g, &seq, NORIA_UNDEFINED, NULL, false, &items)) return false;
  graph_node_input(g, node, items.name);
  item = graph_tensor(g, items.dtype, GRAPH_ANY_RANK, NULL);
  Body body;
  begin_body(g, &body);
  body_input(g, &body, item, false);
  fill_body(g, depth);
  body_output(g, &body, last_like(g, body.first, NULL));
  add_body(g, node, "body", &body);
  graph_node_output(g, node);
  return graph_take(g, node);
}

bool graph_add_control(GraphGen *g, int depth) {
  static bool (*const all[])(GraphGen *, int) = {add_if, add_loop, add_loop, add_scan, add_if, add_sequence_map};
  size_t num_inputs = g->inputs.size, num_values = g->values.size;
  if (all[graph_choose(g, NR_COUNTOF(all))](g, depth)) return true;
  g->inputs.size = num_inputs;
  g->values.size = num_values;
  return false;
}
