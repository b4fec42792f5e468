/* contents.c - counts what is in a program; see contents.h. */
#include "contents.h"

#include <stdlib.h>

#include "onnx/lower/core/lower.h"

void counts_add(Counts *c, NrStr name, const char *remark) {
  size_t at = (size_t)(uintptr_t)nr_strmap_get(&c->index, name);
  if (!at) {
    nr_vec_push(&c->all, ((Count){name, remark, 0}));
    nr_strmap_set(&c->index, name, (void *)(uintptr_t)(at = c->all.size));
  }
  c->all.data[at - 1].times++;
}

static int by_times(const void *a, const void *b) {
  const Count *x = a, *y = b;
  if (x->times != y->times) return x->times < y->times ? 1 : -1;
  return nr_str_cmp(x->name, y->name);
}

void counts_put(NrBuf *out, const char *heading, Counts *c) {
  if (c->all.size) qsort(c->all.data, c->all.size, sizeof *c->all.data, by_times);
  nr_buf_printf(out, "%s\n", heading);
  for (size_t i = 0; i < c->all.size; i++) {
    const Count *n = &c->all.data[i];
    nr_buf_printf(out, "  %6lld  %.*s%s%s\n", (long long)n->times, NR_STR_ARG(n->name), n->remark ? "  " : "",
                  n->remark ? n->remark : "");
  }
}

void counts_deinit(Counts *c) {
  nr_strmap_deinit(&c->index);
  nr_vec_deinit(&c->all);
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

/* The op as rows of lowerings name it: "Add", "ai.onnx.ml.Scaler". */
static NrStr name_of(Contents *c, const NrOnnxNode *n) {
  if (!n->domain.size) return n->op_type;
  return nr_str(nr_arena_printf(&c->arena, "%.*s.%.*s", NR_STR_ARG(n->domain), NR_STR_ARG(n->op_type)));
}

static void look_at_weight(Contents *c, const NrOnnxTensor *t) {
  c->weights++;
  c->weight_bytes += (int64_t)t->size;
  if (!c->largest || t->size > c->largest->size) c->largest = t;
}

static void look_at_graph(Contents *c, const NrOnnxGraph *g, size_t depth);

static void look_at_nodes(Contents *c, const NrOnnxNode *nodes, size_t count, size_t depth) {
  c->depth = NR_MAX(c->depth, depth);
  c->nodes += (int64_t)count;
  for (size_t i = 0; i < count; i++) {
    const NrOnnxNode *n = &nodes[i];
    const NrOnnxFunction *function = nr_onnx_find_function(c->model, n);
    NrStr name = name_of(c, n);
    bool known = function || nr_lower_find(name);
    c->unknown += !known;
    if (c->versions && !function)
      name = nr_str(nr_arena_printf(&c->arena, "%.*s (opset %lld)", NR_STR_ARG(name), (long long)n->version));
    counts_add(&c->ops, name, function ? "(a function of the model)" : known ? NULL : "(not known)");
    for (size_t a = 0; a < n->num_attrs; a++) {
      const NrOnnxAttr *attr = &n->attrs[a];
      if (attr->type == NR_ONNX_ATTR_TENSOR) look_at_weight(c, attr->t);
      if (attr->type == NR_ONNX_ATTR_GRAPH) look_at_graph(c, attr->g, depth + 1);
      for (size_t k = 0; attr->type == NR_ONNX_ATTR_GRAPHS && k < attr->count; k++)
        look_at_graph(c, attr->graphs[k], depth + 1);
    }
  }
}

static void look_at_graph(Contents *c, const NrOnnxGraph *g, size_t depth) {
  for (size_t i = 0; i < g->num_initializers; i++) look_at_weight(c, &g->initializers[i]);
  look_at_nodes(c, g->nodes, g->num_nodes, depth);
}

void contents_of_model(const NrOnnxModel *m, bool versions, Contents *out) {
  *out = (Contents){.model = m, .versions = versions};
  look_at_graph(out, m->graph, 0);
  for (size_t i = 0; i < m->num_functions; i++)
    look_at_nodes(out, m->functions[i].nodes, m->functions[i].num_nodes, 0);
}

void contents_deinit(Contents *c) {
  counts_deinit(&c->ops);
  nr_arena_deinit(&c->arena);
}
