/* import.c - see import.h. A graph's names are looked up from the innermost scope outwards: captures become plain uses.
 */
#include "dialect/func/ops.h"
#include "onnx/import/import.h"

#include "ir/op_info.h"
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/lower.h"

#include <stdio.h>

typedef struct Scope {
  NrStrMap names; /* -> NrValue* */
  const struct Scope *outer;
} Scope;

typedef struct Importer {
  NrContext *ctx;
  NrModule *module;
  NrOnnxModel *model;
  const NrImportOptions *options;
  NrStrMap keys; /* resource keys in use */
  unsigned next_key;
  NrValue *none; /* the result of onnx.NoValue in the block being filled */
  size_t num_copied; /* nodes, for the bodies of Gradients */
} Importer;

static NrValue *find(const Scope *scope, NrStr name) {
  for (; scope; scope = scope->outer) {
    NrValue *v = nr_strmap_get(&scope->names, name);
    if (v) return v;
  }
  return NULL;
}

/* ---- types ---- */

static NrType import_type(NrContext *ctx, const NrOnnxType *t) {
  if (t->kind == NR_ONNX_TYPE_SEQUENCE) return nr_type_seq(import_type(ctx, t->elem));
  if (t->kind == NR_ONNX_TYPE_OPTIONAL) return nr_type_optional(import_type(ctx, t->elem));
  if (t->kind == NR_ONNX_TYPE_MAP) {
    /* ONNX's maps have values of any type; those that ops make and take are scalars. */
    bool known = (t->dtype == NORIA_I64 || t->dtype == NORIA_STRING) && t->elem->kind == NR_ONNX_TYPE_TENSOR;
    NrType value = known && (!t->elem->has_shape || !t->elem->rank) ? nr_dtype_type(ctx, t->elem->dtype) : NULL;
    return value ? nr_type_map(nr_dtype_type(ctx, t->dtype), value) : nr_type_none(ctx);
  }
  NrType elem = t->kind == NR_ONNX_TYPE_TENSOR || t->kind == NR_ONNX_TYPE_SPARSE ? nr_dtype_type(ctx, t->dtype) : NULL;
  if (!elem) return nr_type_none(ctx);
  if (!t->has_shape) return nr_type_tensor_unranked(elem);
  int64_t dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < t->rank; i++) dims[i] = t->dims[i].kind == NR_ONNX_DIM_VALUE ? t->dims[i].value : NR_DYNAMIC;
  return nr_type_tensor(dims, t->rank, elem);
}

static NrType declared_type(Importer *im, const NrOnnxGraph *g, NrStr name) {
  for (size_t i = 0; i < g->num_value_infos; i++)
    if (nr_str_eq(g->value_infos[i].name, name)) return import_type(im->ctx, g->value_infos[i].type);
  for (size_t i = 0; i < g->num_outputs; i++)
    if (nr_str_eq(g->outputs[i].name, name)) return import_type(im->ctx, g->outputs[i].type);
  return nr_type_none(im->ctx);
}

/* ---- constants ---- */

enum { INLINE_BYTES = 1024, ALIGNMENT = 64 };

static NrAttr import_tensor(Importer *im, const NrOnnxTensor *t) {
  NrType type = nr_type_tensor(t->dims, t->rank, nr_dtype_type(im->ctx, t->dtype));
  if (t->dtype == NORIA_STRING) return nr_attr_dense_strings(type, t->strings, t->count);
  if (t->size <= INLINE_BYTES) {
    /* A copy is aligned, so that the attribute can be read as one element. */
    void *copy = nr_malloc(t->size);
    memcpy(copy, t->data, t->size);
    NrAttr attr = nr_attr_dense(type, copy, t->size);
    nr_free(copy);
    return attr;
  }
  const void *data = t->data;
  if ((uintptr_t)data % ALIGNMENT) {
    char *raw = nr_arena_alloc(&im->model->arena, t->size + ALIGNMENT);
    raw += (ALIGNMENT - (uintptr_t)raw % ALIGNMENT) % ALIGNMENT;
    data = memcpy(raw, t->data, t->size);
  }
  NrStr key = t->name.size ? t->name : NR_STR("constant");
  while (nr_strmap_has(&im->keys, key))
    key = nr_str(nr_arena_printf(nr_context_arena(im->ctx), "%.*s_%u", NR_STR_ARG(t->name), im->next_key++));
  key = nr_context_intern(im->ctx, key);
  nr_strmap_set(&im->keys, key, (void *)data);
  return nr_attr_resource(type, key, data, t->size);
}

static NrAttr import_attr(Importer *im, const NrOnnxAttr *a) {
  NrContext *ctx = im->ctx;
  switch (a->type) {
  case NR_ONNX_ATTR_FLOAT: return nr_attr_float(nr_type_f32(ctx), a->f);
  case NR_ONNX_ATTR_INT: return nr_attr_i64(ctx, a->i);
  case NR_ONNX_ATTR_STRING: return nr_attr_string(ctx, a->s);
  case NR_ONNX_ATTR_TENSOR: return import_tensor(im, a->t);
  case NR_ONNX_ATTR_FLOATS: return nr_attr_dense_array(nr_type_f32(ctx), a->floats, a->count * sizeof(float));
  case NR_ONNX_ATTR_INTS: return nr_attr_i64_array(ctx, a->ints, a->count);
  case NR_ONNX_ATTR_TYPE: return nr_attr_type(import_type(ctx, a->tp));
  case NR_ONNX_ATTR_STRINGS:
  case NR_ONNX_ATTR_TENSORS: {
    NrAttr *items = nr_malloc(a->count * sizeof *items);
    for (size_t i = 0; i < a->count; i++)
      items[i] =
          a->type == NR_ONNX_ATTR_STRINGS ? nr_attr_string(ctx, a->strings[i]) : import_tensor(im, a->tensors[i]);
    NrAttr attr = nr_attr_array(ctx, items, a->count);
    nr_free(items);
    return attr;
  }
  default: return NULL; /* graphs become regions */
  }
}

/* ---- graphs ---- */

static const NrOpInfo *node_info(const NrOnnxNode *n) {
  char name[128];
  int size = snprintf(name, sizeof name, "onnx.%.*s%s%.*s", NR_STR_ARG(n->domain), n->domain.size ? "." : "",
                      NR_STR_ARG(n->op_type));
  if (size < 0 || (size_t)size >= sizeof name) return NULL;
  bool legacy;
  return nr_op_info_find((NrStr){name, (size_t)size}, &legacy);
}

static NrStatus import_graph(Importer *im, const NrOnnxGraph *g, NrBlock *block, Scope *scope, NrLoc loc);

static NrLoc node_loc(Importer *im, const NrOnnxNode *n) {
  NrStr name = n->name;
  for (size_t i = 0; i < n->num_outputs && !name.size; i++) name = n->outputs[i];
  return nr_loc_name(im->ctx, name, NULL);
}

/* Interned, so it outlives the model. */
static const char *value_name(Importer *im, NrStr name) {
  return name.size ? nr_context_intern(im->ctx, name).data : NULL;
}

static NrValue *no_value(Importer *im, NrBuilder *b) {
  NrType none = nr_type_none(im->ctx);
  if (!im->none) im->none = nr_op_result(nr_build_op(b, NR_OP_onnx_NoValue, NULL, 0, &none, 1));
  return im->none;
}

/* Names that Noria's own attributes use, such as noria.opset: no attribute of an ONNX op has a dot. */
static bool is_reserved(NrStr name) { return memchr(name.data, '.', name.size); }

/* All attributes but graphs, checked by the row of the op. */
static NrStatus import_attrs(Importer *im, const NrOnnxNode *n, NrOp *op) {
  nr_op_set_attr(op, NR_A_noria_opset, nr_attr_i64(im->ctx, n->version));
  for (size_t i = 0; i < n->num_attrs; i++) {
    const NrOnnxAttr *a = &n->attrs[i];
    NrAttr value = import_attr(im, a);
    /* Lists of graphs and of types are refused: no op takes them. */
    NrVersionedKind kind = a->type == NR_ONNX_ATTR_GRAPH ? NR_VERSIONED_GRAPH : 0;
    if (value && !is_reserved(a->name)) nr_op_set_attr_named(op, nr_context_intern(im->ctx, a->name).data, value);
    else if (nr_onnx_check_attr(op, a->name, kind)) return NR_ERROR_INVALID;
  }
  return nr_onnx_verify(op);
}

/* The graph of region i of the op; NULL, and an error unless the row says that it may be left out, when the node has
 * none. */
static NrStatus graph_of(Importer *im, const NrOnnxNode *n, NrOp *op, size_t i, const NrOnnxGraph **out) {
  const NrSpecItem *region = &nr_op_spec(im->ctx, op->info)->regions[i];
  *out = NULL;
  for (size_t k = 0; k < n->num_attrs && !*out; k++)
    if (n->attrs[k].type == NR_ONNX_ATTR_GRAPH && nr_str_eq(n->attrs[k].name, region->name)) *out = n->attrs[k].g;
  return *out || region->arity == '?' ? NR_OK : nr_onnx_missing_attr(op, region->name);
}

/* Fills the op's regions with the node's graphs. */
static NrStatus import_graphs(Importer *im, const NrOnnxNode *n, NrOp *op, Scope *scope) {
  const NrOnnxGraph *graph;
  for (size_t i = 0; i < op->num_regions; i++) {
    NR_TRY(graph_of(im, n, op, i, &graph));
    if (!graph) continue;
    NrBlock *body = nr_block_create(im->module);
    nr_block_append(nr_op_region(op, i), body);
    Scope inner = {.outer = scope};
    NrValue *outer_none = im->none;
    NrStatus status = import_graph(im, graph, body, &inner, op->loc);
    im->none = outer_none;
    nr_strmap_deinit(&inner.names);
    if (status) return status;
  }
  return NR_OK;
}

/* The values that attributes xs and zs of a Gradient name, and y. */
static NrStatus import_gradient(Importer *im, NrOp *op, const Scope *scope) {
  static const char *const lists[] = {"xs", "zs"};
  NrAttr target = nr_op_attr_named(op, "y");
  NrValue *y = find(scope, target->s), **values = nr_calloc(op->num_operands + 1, sizeof *values);
  size_t count = 0;
  NrStatus status = NR_OK;
  if (!y) status = nr_onnx_op_error(op, "nothing gives the tensor that attribute y names");
  for (size_t k = 0; k < NR_COUNTOF(lists) && !status; k++) {
    NrAttr names = nr_op_attr_named(op, lists[k]);
    for (size_t i = 0; names && i < names->size && !status; i++, count++) {
      if (count >= op->num_operands) status = nr_onnx_op_error(op, "xs and zs name more tensors than there are inputs");
      else if (!(values[count] = find(scope, names->items[i]->s)))
        status = nr_onnx_op_error(op, "nothing gives a tensor that attribute xs or zs names");
    }
  }
  if (!status && count != op->num_operands)
    status = nr_onnx_op_error(op, "xs and zs name fewer tensors than there are inputs");
  if (!status) status = nr_import_gradient(op, y, values, count, &im->num_copied);
  nr_free(values);
  return status;
}

/* The values that the node's inputs name. */
static NrStatus find_operands(Importer *im, const NrOnnxNode *n, NrBuilder *b, const Scope *scope, NrValue **out) {
  for (size_t i = 0; i < n->num_inputs; i++) {
    out[i] = n->inputs[i].size ? find(scope, n->inputs[i]) : no_value(im, b);
    if (!out[i])
      return nr_error(im->ctx, b->loc, "no node, input or initializer defines the value '%.*s'",
                      NR_STR_ARG(n->inputs[i]));
  }
  return NR_OK;
}

/* Builds the op of the node; the contents of its graphs are imported later. */
static NrOp *build_node(Importer *im, const NrOnnxGraph *g, const NrOnnxNode *n, NrBuilder *b, const Scope *scope) {
  const NrOpInfo *info = node_info(n);
  NrValue **operands = nr_calloc(n->num_inputs, sizeof *operands);
  NrType *types = nr_calloc(n->num_outputs, sizeof *types);
  NrOp *op = NULL;
  if (!find_operands(im, n, b, scope, operands)) {
    for (size_t i = 0; i < n->num_outputs; i++) types[i] = declared_type(im, g, n->outputs[i]);
    op = nr_build(b, &(NrOpState){.info = info,
                                  .operands = operands,
                                  .num_operands = n->num_inputs,
                                  .result_types = types,
                                  .num_results = n->num_outputs,
                                  .num_regions = nr_op_spec(im->ctx, info)->num_regions});
  }
  nr_free(operands);
  nr_free(types);
  return op;
}

static NrStatus import_node(Importer *im, const NrOnnxGraph *g, const NrOnnxNode *n, NrBuilder *b, Scope *scope) {
  b->loc = node_loc(im, n);
  NrOp *op = build_node(im, g, n, b, scope);
  NrStatus status = op ? import_attrs(im, n, op) : NR_ERROR_INVALID;
  if (!status && nr_op_is(op, NR_OP_onnx_If) && n->num_inputs != 1)
    status = nr_error(im->ctx, b->loc, "node '%.*s' (%s) has %zu inputs; it must have 1", NR_STR_ARG(b->loc->name),
                      op->info->name, n->num_inputs);
  if (!status && nr_op_is(op, NR_OP_onnx_training_Gradient)) status = import_gradient(im, op, scope);
  else if (!status) status = import_graphs(im, n, op, scope);
  for (size_t i = 0; i < n->num_outputs && !status; i++) {
    nr_result(op, i)->name = value_name(im, n->outputs[i]);
    if (n->outputs[i].size && find(scope->outer, n->outputs[i]))
      nr_warning(im->ctx, op->loc, "the output '%.*s' hides a value of that name outside of this graph",
                 NR_STR_ARG(n->outputs[i]));
    if (n->outputs[i].size) nr_strmap_set(&scope->names, n->outputs[i], nr_result(op, i));
  }
  return status;
}

static bool is_initializer(const NrOnnxGraph *g, NrStr name) {
  for (size_t i = 0; i < g->num_initializers; i++)
    if (nr_str_eq(g->initializers[i].name, name)) return true;
  return false;
}

/* Fills block, adds its arguments for the graph's inputs, and ends it with onnx.Yield. */
static NrStatus import_graph(Importer *im, const NrOnnxGraph *g, NrBlock *block, Scope *scope, NrLoc loc) {
  NrBuilder b = nr_builder_at_end(im->module, block, loc);
  im->none = NULL;
  for (size_t i = 0; i < g->num_inputs; i++) {
    NrStr name = g->inputs[i].name;
    if (is_initializer(g, name)) continue; /* an initializer is its value */
    NrValue *arg = nr_block_add_arg(block, import_type(im->ctx, g->inputs[i].type), loc);
    arg->name = value_name(im, name);
    nr_strmap_set(&scope->names, name, arg);
  }
  for (size_t i = 0; i < g->num_initializers; i++) {
    const NrOnnxTensor *t = &g->initializers[i];
    NrAttr value = import_tensor(im, t);
    NrOp *op = nr_build_op(&b, NR_OP_onnx_Constant, NULL, 0, &value->type, 1);
    op->loc = nr_loc_name(im->ctx, t->name, NULL);
    nr_op_set_attr(op, NR_A_value, value);
    nr_op_result(op)->name = value_name(im, t->name);
    nr_strmap_set(&scope->names, t->name, nr_op_result(op));
  }
  for (size_t i = 0; i < g->num_nodes; i++) NR_TRY(import_node(im, g, &g->nodes[i], &b, scope));
  NR_VEC(NrValue *) outputs = {0};
  NrStatus status = NR_OK;
  for (size_t i = 0; i < g->num_outputs && !status; i++) {
    NrValue *v = find(scope, g->outputs[i].name);
    if (!v) status = nr_error(im->ctx, loc, "nothing gives the output '%.*s'", NR_STR_ARG(g->outputs[i].name));
    else nr_vec_push(&outputs, v);
  }
  b.loc = loc;
  if (!status) nr_build_op(&b, NR_OP_onnx_Yield, outputs.data, outputs.size, NULL, 0);
  nr_vec_deinit(&outputs);
  return status;
}

/* ---- the entry's description ---- */

static NrAttr value_info(Importer *im, NrStr name, const NrOnnxType *t) {
  NrContext *ctx = im->ctx;
  const NrOnnxType *tensor = t;
  NrType type = import_type(ctx, t);
  while (tensor->elem && tensor->kind != NR_ONNX_TYPE_TENSOR && tensor->kind != NR_ONNX_TYPE_NONE)
    tensor = tensor->elem;
  int64_t dims[NORIA_MAX_RANK];
  NrAttr names[NORIA_MAX_RANK];
  size_t rank = nr_type_kind(type) == NORIA_KIND_TENSOR && tensor->has_shape ? tensor->rank : 0;
  for (size_t i = 0; i < rank; i++) {
    dims[i] = tensor->dims[i].kind == NR_ONNX_DIM_VALUE ? tensor->dims[i].value : -1;
    names[i] = nr_attr_string(ctx, tensor->dims[i].kind == NR_ONNX_DIM_SYMBOL ? tensor->dims[i].symbol : NR_STR(""));
  }
  NrNamedAttr items[7] = {
      {NR_STR("name"), nr_attr_string(ctx, name)},
      {NR_STR("dtype"), nr_attr_i64(ctx, tensor->dtype)},
      {NR_STR("dims"), nr_attr_i64_array(ctx, dims, rank)},
      {NR_STR("dim_names"), nr_attr_array(ctx, names, rank)},
  };
  size_t count = type->kind == NR_TYPE_UNRANKED_TENSOR ? 2 : 4; /* of any rank: without dims */
  return nr_attr_dict(ctx, items, count + nr_type_kind_attrs(type, items + count));
}

static NrAttr value_infos(Importer *im, const NrOnnxGraph *g, const NrOnnxValue *values, size_t count, bool inputs) {
  NR_VEC(NrAttr) items = {0};
  for (size_t i = 0; i < count; i++)
    if (!inputs || !is_initializer(g, values[i].name))
      nr_vec_push(&items, value_info(im, values[i].name, values[i].type));
  NrAttr attr = nr_attr_array(im->ctx, items.data, items.size);
  nr_vec_deinit(&items);
  return attr;
}

/* ---- shapes fixed by the user ---- */

bool nr_shape_fix_parse(NrStr text, NrShapeFix *out) {
  *out = (NrShapeFix){0};
  size_t eq = 0;
  while (eq < text.size && text.data[eq] != '=') eq++;
  if (eq == 0 || eq + 1 >= text.size) return false;
  out->name = (NrStr){text.data, eq};
  if (nr_str_is((NrStr){text.data + eq + 1, text.size - eq - 1}, "input")) return out->is_input = true;
  if (nr_str_is((NrStr){text.data + eq + 1, text.size - eq - 1}, "warn")) return out->is_warning = true;
  for (size_t i = eq + 1; i < text.size;) {
    int64_t n = 0;
    if (out->rank == NORIA_MAX_RANK) return false;
    if (text.data[i] == '?') {
      n = NR_DYNAMIC;
      i++;
    } else {
      if (text.data[i] < '0' || text.data[i] > '9') return false;
      for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
        if (!nr_mul_i64(n, 10, &n) || !nr_add_i64(n, text.data[i] - '0', &n)) return false;
    }
    out->dims[out->rank++] = n;
    if (i < text.size && (text.data[i++] != 'x' || i == text.size)) return false;
  }
  out->is_symbol = out->rank == 1 && out->dims[0] != NR_DYNAMIC;
  return true;
}

/* Takes the value of an initializer that is also an input of the graph, so that it must be fed. */
static NrStatus free_initializer(Importer *im, NrOnnxGraph *g, NrStr name) {
  size_t at = 0, input = 0;
  while (at < g->num_initializers && !nr_str_eq(g->initializers[at].name, name)) at++;
  while (input < g->num_inputs && !nr_str_eq(g->inputs[input].name, name)) input++;
  if (at == g->num_initializers || input == g->num_inputs)
    return nr_error(im->ctx, NULL, "no initializer that is an input is named '%.*s'", NR_STR_ARG(name));
  if (im->model->ir_version < 4)
    return nr_error(im->ctx, NULL, "the initializer '%.*s' is a constant: the model has IR version %lld, below 4",
                    NR_STR_ARG(name), (long long)im->model->ir_version);
  g->num_initializers--;
  memmove(&g->initializers[at], &g->initializers[at + 1], (g->num_initializers - at) * sizeof *g->initializers);
  return NR_OK;
}

static NrStatus check_symbol(Importer *im, const NrOnnxGraph *g, NrStr name) {
  bool found = nr_str_is(name, "*");
  for (size_t i = 0; i < g->num_inputs; i++)
    for (size_t d = 0; d < g->inputs[i].type->rank; d++) {
      const NrOnnxDim *dim = &g->inputs[i].type->dims[d];
      found |= dim->kind == NR_ONNX_DIM_SYMBOL && nr_str_eq(dim->symbol, name);
    }
  return found ? NR_OK : nr_error(im->ctx, NULL, "no symbol is named '%.*s'", NR_STR_ARG(name));
}

/* The symbols whose dims may differ; NULL: none. */
static NrAttr warned_symbols(Importer *im) {
  NR_VEC(NrAttr) names = {0};
  for (size_t f = 0; im->options && f < im->options->num_fixes; f++)
    if (im->options->fixes[f].is_warning) nr_vec_push(&names, nr_attr_string(im->ctx, im->options->fixes[f].name));
  NrAttr list = names.size ? nr_attr_array(im->ctx, names.data, names.size) : NULL;
  nr_vec_deinit(&names);
  return list;
}

/* Applies the fixes to the graph's inputs in place. A fix names a symbol or an input. */
static NrStatus fix_shapes(Importer *im, NrOnnxGraph *g) {
  for (size_t f = 0; im->options && f < im->options->num_fixes; f++) {
    const NrShapeFix *fix = &im->options->fixes[f];
    bool used = false;
    if (fix->is_input) NR_TRY(free_initializer(im, g, fix->name));
    if (fix->is_warning) NR_TRY(check_symbol(im, g, fix->name));
    if (fix->is_input || fix->is_warning) continue;
    for (size_t i = 0; i < g->num_inputs; i++) {
      NrOnnxType *t = nr_arena_copy(&im->model->arena, g->inputs[i].type, sizeof *t);
      NrOnnxDim *dims = nr_arena_copy(&im->model->arena, t->dims, t->rank * sizeof *dims);
      bool whole = nr_str_eq(g->inputs[i].name, fix->name) && t->has_shape && t->rank == fix->rank;
      bool changed = false;
      for (size_t d = 0; d < t->rank; d++) {
        bool by_symbol = fix->is_symbol && dims[d].kind == NR_ONNX_DIM_SYMBOL && nr_str_eq(dims[d].symbol, fix->name);
        int64_t n = by_symbol ? fix->dims[0] : whole ? fix->dims[d] : NR_DYNAMIC;
        if (n == NR_DYNAMIC) continue;
        if (dims[d].kind == NR_ONNX_DIM_VALUE && dims[d].value != n)
          return nr_error(im->ctx, NULL, "input '%.*s' has %lld elements in dim %zu, not %lld",
                          NR_STR_ARG(g->inputs[i].name), (long long)dims[d].value, d, (long long)n);
        dims[d] = (NrOnnxDim){.kind = NR_ONNX_DIM_VALUE, .value = n};
        changed = true;
      }
      used |= whole || changed;
      t->dims = dims;
      g->inputs[i].type = t;
    }
    if (!used)
      return nr_error(im->ctx, NULL, "no input of rank %zu and no symbol is named '%.*s'", fix->rank,
                      NR_STR_ARG(fix->name));
  }
  return NR_OK;
}

/* ---- unknown ops ---- */

static void list_unknown(const NrOnnxGraph *g, NrStrMap *seen, NrBuf *text) {
  for (size_t i = 0; i < g->num_nodes; i++) {
    const NrOnnxNode *n = &g->nodes[i];
    for (size_t a = 0; a < n->num_attrs; a++)
      if (n->attrs[a].type == NR_ONNX_ATTR_GRAPH) list_unknown(n->attrs[a].g, seen, text);
    const NrOpInfo *info = node_info(n);
    if ((info && nr_lower_find(nr_str(info->name))) || nr_strmap_has(seen, n->op_type)) continue;
    nr_strmap_set(seen, n->op_type, (void *)n);
    NrStr name = n->name.size ? n->name : nr_onnx_output(n, 0);
    nr_buf_printf(text, "%s%.*s%s%.*s (opset %lld, node '%.*s')", text->size ? ", " : "", NR_STR_ARG(n->domain),
                  n->domain.size ? "." : "", NR_STR_ARG(n->op_type), (long long)n->version, NR_STR_ARG(name));
  }
}

/* Operator sets of the model that are newer than what is known of their domain. */
static void list_too_new(const NrOnnxModel *model, NrBuf *text) {
  for (size_t i = 0; i < model->num_opsets; i++) {
    const NrOnnxOpset *set = &model->opsets[i];
    int64_t newest = nr_onnx_newest_opset(set->domain);
    if (!newest || set->version <= newest) continue;
    nr_buf_printf(text, "%sthose of operator set %lld%s%.*s (the newest that is known is %lld)",
                  text->size ? ", and " : "", (long long)set->version, set->domain.size ? " of " : "",
                  NR_STR_ARG(set->domain), (long long)newest);
  }
}

static NrStatus check_known(Importer *im) {
  NrStrMap seen = {0};
  NrBuf text = {0};
  list_unknown(im->model->graph, &seen, &text);
  list_too_new(im->model, &text);
  NrStatus status = text.size ? nr_error(im->ctx, NULL, "the model uses ops that are not known: %s", text.data) : NR_OK;
  nr_strmap_deinit(&seen);
  nr_buf_deinit(&text);
  return status;
}

NrStatus nr_onnx_import(NrContext *ctx, NrOnnxModel *model, const NrImportOptions *options, NrModule **out) {
  Importer im = {.ctx = ctx, .model = model, .options = options};
  *out = NULL;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_inline_functions(model, &errors);
  if (status) nr_error(ctx, NULL, "%s", errors.data ? errors.data : "the model's functions cannot be inlined");
  nr_buf_deinit(&errors);
  if (!status) status = check_known(&im);
  if (!status) status = fix_shapes(&im, model->graph);
  if (status) return status;
  if (model->assumes_opset)
    nr_warning(ctx, NULL, "the model imports no operator set of ai.onnx; the newest, %lld, is taken",
               (long long)nr_onnx_newest_opset(NR_STR("")));
  NrOnnxGraph *g = model->graph;
  NrLoc loc = nr_loc_name(ctx, g->name, NULL);
  im.module = nr_module_create(ctx, loc);
  NrOpState state = {.info = nr_op_infos[NR_OP_func_func], .loc = loc, .num_regions = 1};
  NrBuilder b = nr_builder_at_end(im.module, nr_op_only_body(im.module->op), loc);
  NrOp *func = nr_build(&b, &state);
  NrBlock *block = nr_block_create(im.module);
  nr_block_append(nr_func_func_region(func), block);
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(ctx, NR_STR("main")));
  nr_op_set_attr(func, NR_A_noria_entry, nr_attr_unit(ctx));
  NrAttr warned = warned_symbols(&im);
  if (warned) nr_op_set_attr(func, NR_A_noria_warn_symbols, warned);
  nr_op_set_attr(func, NR_A_noria_inputs, value_infos(&im, g, g->inputs, g->num_inputs, true));
  nr_op_set_attr(func, NR_A_noria_outputs, value_infos(&im, g, g->outputs, g->num_outputs, false));
  Scope scope = {0};
  status = import_graph(&im, g, block, &scope, loc);
  if (!status) {
    NR_VEC(NrType) types = {0};
    NrOp *yield = block->last;
    for (uint32_t i = 0; i < block->num_args; i++) nr_vec_push(&types, block->args[i]->type);
    for (uint32_t i = 0; i < yield->num_operands; i++) nr_vec_push(&types, nr_operand(yield, i)->type);
    NrType type = nr_type_function(ctx, types.data, block->num_args, types.data + block->num_args, yield->num_operands);
    nr_op_set_attr(func, NR_A_function_type, nr_attr_type(type));
    nr_vec_deinit(&types);
  }
  nr_strmap_deinit(&scope.names);
  nr_strmap_deinit(&im.keys);
  if (status) nr_module_destroy(im.module);
  else *out = im.module;
  return status;
}
