/* check.c - what the parts of a model must agree on: names, order, operator sets, attributes and calls of local
 * functions.
 *
 * Names are resolved as the ONNX specification says. A node sees what stands before it in its own graph and, from a
 * subgraph, what the node that holds the subgraph sees. Inputs and initializers of a subgraph may hide outer names; so
 * may a node's output, which the specification forbids: the import warns of it. A subgraph may give an outer value as
 * its output directly. */
#include "dialect/onnx/attrs.h"
#include "onnx/read/reader.h"

/* The names of one graph, while its nodes are walked in order. */
typedef struct Scope {
  const struct Scope *outer;
  const NrOnnxNode *nodes;
  size_t num_nodes, current;
  NrStrMap defined;   /* name -> its NrOnnxNode or one of the markers below */
  NrStrMap producers; /* name -> NrOnnxNode, of all nodes; filled when something is missing */
  bool reported_cycle;
} Scope;

typedef struct Checker {
  NrOnnxModel *model;
  NrOnnxErrors *errors;
  const NrOnnxFunction *function; /* whose body is being checked, or NULL */
  NrStrMap reported_domains;      /* domains without an import for which an error was reported */
  NrStrMap function_domains;
  NrMap heights; /* NrOnnxFunction -> depth of its call tree as an integer, or ACTIVE or REPORTED */
} Checker;

/* Markers in Scope.defined; only their addresses count. */
static const NrOnnxNode graph_input, initializer, reported_missing;
enum { ACTIVE = -1, REPORTED = -2 };

#define FAIL(c, place, ...) nr_onnx_error((c)->errors, NR_ERROR_INVALID, place, __VA_ARGS__)

static void check_nodes(Checker *c, Scope *scope, const NrOnnxPlace *outer);

/* ---- names ------------------------------------------------------------------------------------------------------ */

static bool is_visible(const Scope *scope, NrStr name) {
  for (; scope; scope = scope->outer)
    if (nr_strmap_has(&scope->defined, name)) return true;
  return false;
}

static void scope_deinit(Scope *scope) {
  nr_strmap_deinit(&scope->defined);
  nr_strmap_deinit(&scope->producers);
}

static const NrOnnxNode *find_producer(Scope *scope, NrStr name) {
  if (!scope->producers.size)
    for (size_t i = 0; i < scope->num_nodes; i++)
      for (size_t o = 0; o < scope->nodes[i].num_outputs; o++)
        nr_strmap_set(&scope->producers, scope->nodes[i].outputs[o], (void *)&scope->nodes[i]);
  return nr_strmap_get(&scope->producers, name);
}

/* Depth-first search from a node to the nodes that produce its inputs, directly or through others. */
typedef struct Search {
  Scope *scope;
  NrMap seen;
  NR_VEC(const NrOnnxNode *) todo;
} Search;

static void need(Search *s, NrStr name) {
  const NrOnnxNode *producer = name.size ? find_producer(s->scope, name) : NULL;
  if (!producer || nr_map_has(&s->seen, producer)) return;
  nr_map_set(&s->seen, producer, s);
  nr_vec_push(&s->todo, producer);
}

/* Follows also names that a subgraph of the node defines itself. Such a name can match a node of the outer graph only
 * where a node's output hides an outer name, which is an error of its own. */
static void need_inputs(Search *s, const NrOnnxNode *node);

static void need_graph(Search *s, const NrOnnxGraph *graph) {
  for (size_t i = 0; i < graph->num_nodes; i++) need_inputs(s, &graph->nodes[i]);
  for (size_t i = 0; i < graph->num_outputs; i++) need(s, graph->outputs[i].name);
}

static void need_inputs(Search *s, const NrOnnxNode *node) {
  for (size_t i = 0; i < node->num_inputs; i++) need(s, node->inputs[i]);
  for (size_t a = 0; a < node->num_attrs; a++) {
    const NrOnnxAttr *attr = &node->attrs[a];
    if (attr->ref_attr_name.size) continue;
    if (attr->type == NR_ONNX_ATTR_GRAPH) need_graph(s, attr->g);
    if (attr->type == NR_ONNX_ATTR_GRAPHS)
      for (size_t g = 0; g < attr->count; g++) need_graph(s, attr->graphs[g]);
  }
}

static bool depends_on(Scope *scope, const NrOnnxNode *node, const NrOnnxNode *other) {
  Search search = {.scope = scope};
  need_inputs(&search, node);
  while (search.todo.size && !nr_map_has(&search.seen, other)) need_inputs(&search, nr_vec_pop(&search.todo));
  bool found = nr_map_has(&search.seen, other);
  nr_map_deinit(&search.seen);
  nr_vec_deinit(&search.todo);
  return found;
}

/* Reports why name, an input of the node at place, is not visible: undefined, produced later, or part of a cycle. */
static void report_missing(Checker *c, Scope *innermost, const NrOnnxPlace *place, NrStr name) {
  for (Scope *scope = innermost; scope && c->errors->count < NR_ONNX_MAX_ERRORS; scope = (Scope *)scope->outer) {
    const NrOnnxNode *producer = find_producer(scope, name), *user = &scope->nodes[scope->current];
    if (!producer) continue;
    nr_strmap_set(&scope->defined, name, (void *)&reported_missing);
    NrBuf label = {0};
    nr_onnx_node_label(&label, producer);
    if (producer == user)
      FAIL(c, place, "the graph is cyclic: uses '%.*s', which %s itself produces", NR_STR_ARG(name), label.data);
    else if (!depends_on(scope, producer, user))
      FAIL(c, place, "uses '%.*s' before %s produces it; nodes must be in topological order", NR_STR_ARG(name),
           label.data);
    else if (!scope->reported_cycle) /* one error for each cycle */
      FAIL(c, place, "the graph is cyclic: uses '%.*s', which %s makes from what this node produces", NR_STR_ARG(name),
           label.data), scope->reported_cycle = true;
    nr_buf_deinit(&label);
    return;
  }
  nr_strmap_set(&innermost->defined, name, (void *)&reported_missing);
  FAIL(c, place, "input '%.*s' is not defined: no node, graph input or initializer has that name", NR_STR_ARG(name));
}

static void define_output(Checker *c, Scope *scope, const NrOnnxPlace *place, NrStr name) {
  if (!name.size) return;
  const NrOnnxNode *before = nr_strmap_get(&scope->defined, name);
  if (before && before != &reported_missing) {
    NrBuf label = {0};
    if (before == &graph_input || before == &initializer)
      nr_buf_puts(&label, before == &initializer ? "an initializer" : "a graph input");
    else nr_onnx_node_label(&label, before);
    FAIL(c, place, "its output '%.*s' has the name of %s%s; names must be unique", NR_STR_ARG(name),
         before == &graph_input || before == &initializer ? "" : "an output of ", label.data);
    nr_buf_deinit(&label);
    return;
  }
  nr_strmap_set(&scope->defined, name, (void *)place->node);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static void define_input(Checker *c, Scope *scope, const NrOnnxPlace *place, NrStr name) {
  if (!name.size) FAIL(c, place, "a graph input has no name");
  else if (nr_strmap_has(&scope->defined, name))
    FAIL(c, place, "two graph inputs have the name '%.*s'", NR_STR_ARG(name));
  else nr_strmap_set(&scope->defined, name, (void *)&graph_input);
}

static void check_output(Checker *c, Scope *scope, const NrOnnxPlace *place, NrStr name) {
  if (!name.size) FAIL(c, place, "a graph output has no name");
  else if (!is_visible(scope, name))
    FAIL(c, place, "graph output '%.*s' is not defined: no node, graph input or initializer has that name",
         NR_STR_ARG(name));
}

static void check_graph(Checker *c, const NrOnnxGraph *graph, const Scope *outer, const NrOnnxPlace *place) {
  Scope scope = {.outer = outer, .nodes = graph->nodes, .num_nodes = graph->num_nodes};
  for (size_t i = 0; i < graph->num_inputs; i++) define_input(c, &scope, place, graph->inputs[i].name);
  for (size_t i = 0; i < graph->num_initializers; i++) {
    NrStr name = graph->initializers[i].name;
    if (!name.size) FAIL(c, place, "an initializer has no name");
    else if (nr_strmap_get(&scope.defined, name) == &initializer)
      FAIL(c, place, "two initializers have the name '%.*s'", NR_STR_ARG(name));
    else nr_strmap_set(&scope.defined, name, (void *)&initializer); /* an input of that name has it as its default */
  }
  check_nodes(c, &scope, place);
  if (!outer && !c->function && graph->num_outputs == 0) FAIL(c, place, "the graph has no outputs");
  for (size_t i = 0; i < graph->num_outputs; i++) check_output(c, &scope, place, graph->outputs[i].name);
  scope_deinit(&scope);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static bool function_has_attr(const NrOnnxFunction *f, NrStr name) {
  for (size_t i = 0; i < f->num_attrs; i++)
    if (nr_str_eq(f->attrs[i], name)) return true;
  for (size_t i = 0; i < f->num_defaults; i++)
    if (nr_str_eq(f->defaults[i].name, name)) return true;
  return false;
}

static void check_attr(Checker *c, Scope *scope, const NrOnnxPlace *outer, const NrOnnxAttr *attr) {
  NrOnnxPlace place = {.outer = outer->outer, .node = outer->node, .attr = attr->name};
  if (!attr->name.size) FAIL(c, outer, "an attribute has no name");
  if (attr->ref_attr_name.size) {
    if (!c->function || !function_has_attr(c->function, attr->ref_attr_name))
      FAIL(c, &place, "refers to the attribute '%.*s', which %s", NR_STR_ARG(attr->ref_attr_name),
           c->function ? "the function does not have" : "only the body of a function may do");
  } else if (attr->type == NR_ONNX_ATTR_GRAPH) {
    check_graph(c, attr->g, scope, &place);
  } else if (attr->type == NR_ONNX_ATTR_GRAPHS) {
    for (size_t i = 0; i < attr->count; i++) check_graph(c, attr->graphs[i], scope, &place);
  }
}

static void check_attrs(Checker *c, Scope *scope, const NrOnnxPlace *place) {
  const NrOnnxNode *node = place->node;
  NrStrMap names = {0};
  for (size_t i = 0; i < node->num_attrs; i++) {
    const NrOnnxAttr *attr = &node->attrs[i];
    if (nr_strmap_has(&names, attr->name))
      FAIL(c, place, "has two attributes of the name '%.*s'", NR_STR_ARG(attr->name));
    if (node->num_attrs > 1) nr_strmap_set(&names, attr->name, c);
    check_attr(c, scope, place, attr);
  }
  nr_strmap_deinit(&names);
}

/* Domains whose ops Noria knows. A missing op of another domain is a missing local function; one of these is left to
 * the importer, which reports unknown ops. */
static bool is_known_domain(NrStr domain) { return nr_onnx_newest_opset(domain) != 0; }

static void check_op(Checker *c, const NrOnnxPlace *place) {
  const NrOnnxNode *node = place->node;
  if (!node->op_type.size) {
    FAIL(c, place, "the node has no op_type");
    return;
  }
  const NrOnnxFunction *callee = nr_onnx_find_function(c->model, node);
  if (callee) {
    if (node->num_inputs > callee->num_inputs || node->num_outputs > callee->num_outputs)
      FAIL(c, place, "gives %zu inputs and takes %zu outputs of a function that has %zu and %zu", node->num_inputs,
           node->num_outputs, callee->num_inputs, callee->num_outputs);
    return;
  }
  if (!node->num_outputs) FAIL(c, place, "the node has no outputs; every op has at least one");
  if (node->overload.size || (!is_known_domain(node->domain) && nr_strmap_has(&c->function_domains, node->domain))) {
    FAIL(c, place, "calls a function '%.*s%s%.*s'%s%.*s%s that the model does not define", NR_STR_ARG(node->domain),
         node->domain.size ? "." : "", NR_STR_ARG(node->op_type), node->overload.size ? " of overload '" : "",
         NR_STR_ARG(node->overload), node->overload.size ? "'" : "");
  } else if (!node->version && !nr_strmap_has(&c->reported_domains, node->domain)) {
    nr_strmap_set(&c->reported_domains, node->domain, c);
    NrStr shown = node->domain.size ? node->domain : NR_STR("ai.onnx");
    FAIL(c, place, "the %s imports no operator set of domain '%.*s'", c->function ? "function" : "model",
         NR_STR_ARG(shown));
  }
}

static void check_nodes(Checker *c, Scope *scope, const NrOnnxPlace *outer) {
  for (; scope->current < scope->num_nodes; scope->current++) {
    const NrOnnxNode *node = &scope->nodes[scope->current];
    NrOnnxPlace place = {.outer = outer, .node = node};
    check_op(c, &place);
    for (size_t i = 0; i < node->num_inputs; i++)
      if (node->inputs[i].size && !is_visible(scope, node->inputs[i]))
        report_missing(c, scope, &place, node->inputs[i]);
    check_attrs(c, scope, &place);
    for (size_t i = 0; i < node->num_outputs; i++) define_output(c, scope, &place, node->outputs[i]);
  }
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

typedef NR_VEC(const NrOnnxFunction *) Callees;

static void collect_callees(Checker *c, const NrOnnxNode *nodes, size_t count, Callees *out) {
  for (size_t i = 0; i < count; i++) {
    const NrOnnxNode *node = &nodes[i];
    const NrOnnxFunction *callee = nr_onnx_find_function(c->model, node);
    if (callee) nr_vec_push(out, callee);
    for (size_t a = 0; a < node->num_attrs; a++) {
      const NrOnnxAttr *attr = &node->attrs[a];
      if (attr->ref_attr_name.size) continue;
      if (attr->type == NR_ONNX_ATTR_GRAPH) collect_callees(c, attr->g->nodes, attr->g->num_nodes, out);
      if (attr->type == NR_ONNX_ATTR_GRAPHS)
        for (size_t g = 0; g < attr->count; g++)
          collect_callees(c, attr->graphs[g]->nodes, attr->graphs[g]->num_nodes, out);
    }
  }
}

/* The depth of the call tree below f, f counted. Reports recursion and a tree that is too deep. */
static intptr_t measure_function(Checker *c, const NrOnnxFunction *f, int depth) {
  NrOnnxPlace place = {.function = f};
  intptr_t known = (intptr_t)nr_map_get(&c->heights, f);
  if (known == ACTIVE) FAIL(c, &place, "the function calls itself, directly or through others");
  if (known) return NR_MAX(known, 0);
  nr_map_set(&c->heights, f, (void *)(intptr_t)ACTIVE);
  intptr_t height = depth > NR_ONNX_MAX_CALL_DEPTH ? NR_ONNX_MAX_CALL_DEPTH : 0;
  Callees callees = {0};
  if (!height) collect_callees(c, f->nodes, f->num_nodes, &callees);
  for (size_t i = 0; i < callees.size; i++) {
    intptr_t below = measure_function(c, callees.data[i], depth + 1);
    height = NR_MAX(height, below);
  }
  nr_vec_deinit(&callees);
  if (++height > NR_ONNX_MAX_CALL_DEPTH) {
    nr_onnx_error(c->errors, NR_ERROR_LIMIT, &place, "functions call functions more than %d deep",
                  (int)NR_ONNX_MAX_CALL_DEPTH);
    height = REPORTED; /* reported once, not again for each caller */
  }
  nr_map_set(&c->heights, f, (void *)height);
  return NR_MAX(height, 0);
}

static void check_function(Checker *c, const NrOnnxFunction *f) {
  NrOnnxPlace place = {.function = f};
  if (!f->name.size) FAIL(c, &place, "the function has no name");
  for (const NrOnnxFunction *other = f->next_same_name; other; other = other->next_same_name)
    if (nr_str_eq(other->domain, f->domain) && nr_str_eq(other->overload, f->overload)) {
      FAIL(c, &place, "the model defines this function twice");
      break;
    }
  Scope scope = {.nodes = f->nodes, .num_nodes = f->num_nodes};
  c->function = f;
  nr_strmap_clear(&c->reported_domains);
  for (size_t i = 0; i < f->num_defaults; i++)
    if (f->defaults[i].ref_attr_name.size || f->defaults[i].type == NR_ONNX_ATTR_GRAPH ||
        f->defaults[i].type == NR_ONNX_ATTR_GRAPHS)
      FAIL(c, &place, "the default of attribute '%.*s' is not a plain value", NR_STR_ARG(f->defaults[i].name));
  for (size_t i = 0; i < f->num_inputs; i++) define_input(c, &scope, &place, f->inputs[i]);
  check_nodes(c, &scope, &place);
  for (size_t i = 0; i < f->num_outputs; i++) check_output(c, &scope, &place, f->outputs[i]);
  scope_deinit(&scope);
  c->function = NULL;
}

bool nr_onnx_check(NrOnnxModel *model, NrOnnxErrors *errors) {
  size_t before = errors->count;
  Checker c = {.model = model, .errors = errors};
  for (size_t i = 0; i < model->num_functions; i++) nr_strmap_set(&c.function_domains, model->functions[i].domain, &c);
  check_graph(&c, model->graph, NULL, NULL);
  for (size_t i = 0; i < model->num_functions; i++) check_function(&c, &model->functions[i]);
  for (size_t i = 0; i < model->num_functions; i++) measure_function(&c, &model->functions[i], 1);
  nr_strmap_deinit(&c.reported_domains);
  nr_strmap_deinit(&c.function_domains);
  nr_map_deinit(&c.heights);
  return errors->count == before;
}
