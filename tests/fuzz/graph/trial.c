/* trial.c - whether the compiler takes a node, and of which types its results are. */
#include "dialect/onnx/dtype.h"
#include "driver/driver.h"
#include "gen.h"
#include "graph.h"

/* The domains that dialect onnx knows, and their newest operator sets. */
static const char *const domains[GRAPH_DOMAINS] = {"", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training",
                                                   "com.microsoft"};

ProtobufCBinaryData graph_pack(GraphGen *g, Onnx__GraphProto *graph) {
  Onnx__ModelProto *model = graph_message(g, &onnx__model_proto__descriptor);
  model->has_ir_version = true;
  model->ir_version = 10;
  model->graph = graph;
  model->n_opset_import = GRAPH_DOMAINS;
  model->opset_import = NR_NEW_ARRAY(g->arena, Onnx__OperatorSetIdProto *, GRAPH_DOMAINS);
  for (size_t i = 0; i < GRAPH_DOMAINS; i++) {
    Onnx__OperatorSetIdProto *set = graph_message(g, &onnx__operator_set_id_proto__descriptor);
    set->domain = (char *)domains[i];
    set->has_version = true;
    set->version = g->opsets[i];
    model->opset_import[i] = set;
  }
  ProtobufCBinaryData bytes = {.len = protobuf_c_message_get_packed_size(&model->base)};
  bytes.data = nr_arena_alloc(g->arena, bytes.len);
  protobuf_c_message_pack(&model->base, bytes.data);
  return bytes;
}

static void add_value(GraphGen *g, Onnx__GraphProto *graph, const GraphValue *v) {
  if (v->constant) graph->initializer[graph->n_initializer++] = v->constant;
  else graph->input[graph->n_input++] = graph_value_info(g, v, true);
}

static bool is_input(const GraphGen *g, const GraphValue *v) {
  for (size_t i = 0; i < g->inputs.size; i++)
    if (g->inputs.data[i].name == v->name) return true;
  return false;
}

/* All values are there, so that the bodies of the node find what they use. */
static Onnx__GraphProto *graph_around(GraphGen *g, Onnx__NodeProto *node) {
  Onnx__GraphProto *graph = graph_message(g, &onnx__graph_proto__descriptor);
  graph->name = "g";
  graph->node = NR_NEW_ARRAY(g->arena, Onnx__NodeProto *, 1);
  graph->node[graph->n_node++] = node;
  graph->input = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, g->values.size + g->inputs.size);
  graph->initializer = NR_NEW_ARRAY(g->arena, Onnx__TensorProto *, g->inputs.size);
  graph->output = NR_NEW_ARRAY(g->arena, Onnx__ValueInfoProto *, node->n_output);
  for (size_t i = 0; i < g->inputs.size; i++) add_value(g, graph, &g->inputs.data[i]);
  for (size_t i = 0; i < g->values.size; i++)
    if (!is_input(g, &g->values.data[i])) add_value(g, graph, &g->values.data[i]);
  for (size_t i = 0; i < node->n_output; i++) {
    GraphValue v = {.name = node->output[i]};
    if (*v.name) graph->output[graph->n_output++] = graph_value_info(g, &v, false);
  }
  return graph;
}

static NrOp *entry_of(const NrModule *module) {
  NrOp *op = nr_op_only_body(module->op)->first;
  while (op && !nr_op_attr(op, NR_A_noria_entry)) op = op->next;
  return op;
}

/* The results as stage `shape` types them. */
static bool take_results(GraphGen *g, const Onnx__NodeProto *node, const NrModule *module) {
  NrOp *entry = entry_of(module), *yield = entry ? nr_block_terminator(nr_op_only_body(entry)) : NULL;
  uint32_t next = 0;
  size_t first = g->values.size;
  for (size_t i = 0; yield && i < node->n_output; i++) {
    GraphValue v;
    if (!*node->output[i]) continue;
    if (next == yield->num_operands || !graph_value_of_type(g, node->output[i], yield->operands[next++].value->type, &v))
      break;
    nr_vec_push(&g->values, v);
    if (i + 1 == node->n_output) return true;
  }
  g->values.size = first;
  return false;
}

bool graph_take(GraphGen *g, Onnx__NodeProto *node) {
  ProtobufCBinaryData bytes = graph_pack(g, graph_around(g, node));
  NrCompilation unit = {0};
  NrPassOptions passes = {.stop_after = "shape"};
  NrStatus status = nr_compilation_read_memory(&unit, bytes.data, bytes.len, "model.onnx", NULL, NULL);
  if (!status) status = nr_compilation_lower(&unit, &passes);
  assert(status != NR_ERROR_INTERNAL);
  bool taken = !status && take_results(g, node, unit.module);
  if (taken) nr_vec_push(g->nodes, node);
  nr_compilation_deinit(&unit);
  return taken;
}
