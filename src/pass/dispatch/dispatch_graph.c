/* dispatch_graph.c - writes which dispatches a program has, and which tensors go from one to another, for Graphviz.
 *
 *   digraph "main" {
 *     n0 [label="argument 0", shape=plaintext];
 *     n1 [label="main_dispatch_0_matmul_64x128x32_f32\nworkload 64 x 128", shape=box];
 *     n0 -> n1 [label="tensor<64x32xf32>"];
 *   }
 *
 * A node is a dispatch, an argument of the function, its return, or an op of the host program that a dispatch gets a
 * tensor from. Changes of shape are followed to what they change. */
#include "dialect/flow/flow.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/dispatch_graph.h"

typedef struct Graph {
  NrBuf *out;
  NrMap nodes; /* an op or a block argument -> 1 + its number */
  size_t num_nodes;
} Graph;

/* Appends a string of dot's syntax, without its quotes. */
static void put_quoted(NrBuf *out, NrStr text) {
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == '"' || text.data[i] == '\\') nr_buf_putc(out, '\\');
    nr_buf_putc(out, text.data[i]);
  }
}

/* Opens the node of an op or a block argument; the caller appends the rest of its label. False: it is there already. */
static bool open_node(Graph *g, const void *of, size_t *out_number) {
  size_t known = (size_t)(uintptr_t)nr_map_get(&g->nodes, of);
  *out_number = known ? known - 1 : g->num_nodes;
  if (known) return false;
  nr_map_set(&g->nodes, of, (void *)(uintptr_t)++g->num_nodes);
  nr_buf_printf(g->out, "  n%zu [label=\"", *out_number);
  return true;
}

static void put_dispatch(Graph *g, NrOp *op) {
  size_t number;
  if (!open_node(g, op, &number)) return;
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  put_quoted(g->out, points->size && points->items[0]->size ? points->items[0]->items[0]->s : nr_op_name(op));
  NrGroup workload = nr_flow_dispatch_workload(op);
  for (size_t i = 0; i < workload.count; i++) {
    int64_t size;
    nr_buf_puts(g->out, i ? " x " : "\\nworkload ");
    bool known = nr_value_constant_int(nr_operand(op, workload.begin + i), &size);
    if (known) nr_buf_printf(g->out, "%lld", (long long)size);
    else nr_buf_putc(g->out, '?');
  }
  nr_buf_puts(g->out, "\", shape=box];\n");
}

/* The node that computes the value. */
static size_t source_node(Graph *g, const NrValue *value) {
  size_t number;
  while (value->op && nr_op_has(value->op, NR_VIEW) && value->op->num_operands) value = value->op->operands->value;
  if (nr_op_is(value->op, NR_OP_flow_dispatch)) {
    put_dispatch(g, value->op);
    open_node(g, value->op, &number);
  } else if (value->op) {
    if (open_node(g, value->op, &number)) {
      put_quoted(g->out, nr_op_name(value->op));
      nr_buf_puts(g->out, "\", shape=ellipse];\n");
    }
  } else if (open_node(g, value, &number)) {
    nr_buf_printf(g->out, "argument %u\", shape=plaintext];\n", value->index);
  }
  return number;
}

static void put_edge(Graph *g, const NrValue *value, size_t to) {
  if (!nr_type_is_tensor(value->type)) return;
  size_t from = source_node(g, value);
  nr_buf_printf(g->out, "  n%zu -> n%zu [label=\"", from, to);
  const char *type = nr_type_text(nr_value_context(value), value->type);
  put_quoted(g->out, nr_str(type));
  nr_buf_puts(g->out, "\"];\n");
}

static bool put_op(NrOp *op, void *user) {
  Graph *g = user;
  size_t number;
  if (nr_op_is(op, NR_OP_flow_dispatch)) {
    put_dispatch(g, op);
    open_node(g, op, &number);
    NrGroup arguments = nr_flow_dispatch_arguments(op);
    for (size_t i = 0; i < arguments.count; i++) put_edge(g, nr_operand(op, arguments.begin + i), number);
  } else if (nr_op_has(op, NR_RETURN_LIKE) && nr_op_has(nr_op_parent(op), NR_FUNCTION)) {
    if (open_node(g, op, &number)) nr_buf_puts(g->out, "return\", shape=plaintext];\n");
    for (uint32_t i = 0; i < op->num_operands; i++) put_edge(g, nr_operand(op, i), number);
  }
  return true;
}

static bool is_dispatch(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch); }

/* Whether the op is a function of the host program that has dispatches. */
static bool has_dispatches(NrOp *op) {
  NrOpList found = {0};
  if (!nr_op_has(op, NR_FUNCTION)) return false;
  nr_collect_pre(op, is_dispatch, &found);
  bool has = found.size > 0;
  nr_vec_deinit(&found);
  return has;
}

static bool put_function(NrOp *op, void *user) {
  if (!has_dispatches(op)) return true;
  Graph g = {.out = user};
  nr_buf_puts(g.out, "digraph \"");
  put_quoted(g.out, nr_op_attr_str(op, NR_A_sym_name));
  nr_buf_puts(g.out, "\" {\n");
  nr_walk_pre(op, put_op, &g);
  nr_buf_puts(g.out, "}\n");
  nr_map_deinit(&g.nodes);
  return true;
}

void nr_dispatch_graph(NrOp *root, NrBuf *out) { nr_walk_pre(root, put_function, out); }
