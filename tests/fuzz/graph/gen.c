/* gen.c - see gen.h. */
#include "gen.h"

#include "../random.h"
#include "dialect/onnx/attrs.h"
#include "graph.h"

enum { MAX_NODES = 5, DEPTH = 2, MAX_SIZE = 4 };

uint64_t graph_choose(GraphGen *g, uint64_t n) {
  uint64_t byte = g->at < g->size ? g->data[g->at] : fuzz_random(&g->random) >> 32;
  g->at++;
  if (n <= 256) return n ? (byte & 255) % n : 0;
  uint64_t low = g->at < g->size ? g->data[g->at] : fuzz_random(&g->random) >> 32;
  g->at++;
  return ((byte & 255) << 8 | (low & 255)) % n;
}

static int64_t opset(GraphGen *g, const char *domain) {
  int64_t newest = nr_onnx_newest_opset(nr_str(domain));
  return graph_one_in(g, 2) ? newest : 1 + (int64_t)graph_choose(g, (uint64_t)newest);
}

static bool is_used(const GraphGen *g, const char *name) {
  for (size_t i = 0; i < g->nodes->size; i++)
    for (size_t k = 0; k < g->nodes->data[i]->n_input; k++)
      if (strcmp(g->nodes->data[i]->input[k], name) == 0) return true;
  return false;
}

/* What no node uses is an output, and now and then what one does. */
static Onnx__GraphProto *whole_graph(GraphGen *g) {
  Onnx__GraphProto *graph = graph_message(g, &onnx__graph_proto__descriptor);
  graph->name = "g";
  graph->n_node = g->nodes->size;
  graph->node = g->nodes->data;
  graph->input = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, g->inputs.size);
  graph->initializer = NR_NEW_ARRAY(g->arena, Onnx__TensorProto *, g->inputs.size);
  graph->output = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, g->values.size);
  for (size_t i = 0; i < g->inputs.size; i++) {
    const GraphValue *v = &g->inputs.data[i];
    if (v->constant) graph->initializer[graph->n_initializer++] = v->constant;
    else graph->input[graph->n_input++] = graph_value_info(g, v, true);
  }
  for (size_t i = 0; i < g->nodes->size; i++)
    for (size_t k = 0; k < g->nodes->data[i]->n_output; k++) {
      GraphValue v = {.name = g->nodes->data[i]->output[k]};
      if (!is_used(g, v.name) || graph_one_in(g, 8)) graph->output[graph->n_output++] = graph_value_info(g, &v, false);
    }
  return graph;
}

void graph_make(const uint8_t *data, size_t size, GraphMade *out) {
  NrArena arena;
  GraphNodes nodes = {0};
  nr_arena_init(&arena);
  GraphGen g = {.arena = &arena, .data = data, .size = size, .nodes = &nodes};
  g.random = nr_hash_bytes(data, size) | 1;
  g.opsets[0] = opset(&g, "");
  g.opsets[1] = opset(&g, "ai.onnx.ml");
  for (size_t i = 2; i < GRAPH_DOMAINS; i++) g.opsets[i] = 1;
  g.usual_size = 1 + (int64_t)graph_choose(&g, MAX_SIZE);
  for (uint64_t i = 1 + graph_choose(&g, MAX_NODES); i > 0; i--) graph_add_node(&g, DEPTH);
  *out = (GraphMade){.random = fuzz_random(&g.random) | 1, .usual_size = g.usual_size};
  if (nodes.size) {
    ProtobufCBinaryData bytes = graph_pack(&g, whole_graph(&g));
    nr_buf_append(&out->model, bytes.data, bytes.len);
  }
  nr_vec_deinit(&nodes);
  nr_vec_deinit(&g.values);
  nr_vec_deinit(&g.inputs);
  nr_arena_deinit(&arena);
}
