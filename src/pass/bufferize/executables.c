/* executables.c - rewrites the functions of flow.executables for rt.dispatch, with the workgroup id as arguments.
 *
 *   before  flow.executable @ex { flow.executable.export @f workgroups(..) {..}; builtin.module {
 *             func.func @f(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %r: !..<writeonly:..>) }}
 *   after   flow.executable @ex { flow.executable.export @f; builtin.module {
 *             func.func @f(%a: !flow.dispatch.tensor<..> {noria.readonly}, %r: .. {noria.noalias},
 *               %x: index, %y: index, %z: index) attributes {noria.dispatch} }}
 *
 * The grid is computed where the dispatch is, so the exports lose their workgroup counts. */
#include "dialect/func/func.h"
#include "pass/bufferize/bufferize.h"

/* ---- functions -------------------------------------------------------------------------------------------------- */

static bool note_counts(NrOp *op, void *user) {
  *(bool *)user |= nr_op_is(op, NR_OP_flow_dispatch_workgroup_count);
  return true;
}

/* The arg_attrs, which mark the access of each dispatch tensor. */
static NrAttr argument_attrs(NrBufferize *s, NrOp *func, NrType type, size_t num_args) {
  NrAttr old = nr_op_attr(func, NR_A_arg_attrs);
  NrAttr *dicts = NR_NEW_ARRAY(s->arena, NrAttr, num_args + 1);
  for (size_t i = 0; i < num_args; i++) {
    NrAttr dict = old && i < old->size ? old->items[i] : nr_attr_dict(s->ctx, NULL, 0);
    NrType t = i < type->num_inputs ? type->inputs[i] : NULL;
    if (t && nr_is_dispatch_tensor(t) && nr_flow_access(t) != NR_READWRITE) {
      NrNamedAttr *named = NR_NEW_ARRAY(s->arena, NrNamedAttr, dict->num_named + 1);
      for (size_t k = 0; k < dict->num_named; k++) named[k] = dict->named[k];
      const char *name = nr_flow_access(t) == NR_READONLY ? "noria.readonly" : "noria.noalias";
      named[dict->num_named] = (NrNamedAttr){nr_context_intern(s->ctx, nr_str(name)), nr_attr_unit(s->ctx)};
      dict = nr_attr_dict(s->ctx, named, dict->num_named + 1);
    }
    dicts[i] = dict;
  }
  return nr_attr_array(s->ctx, dicts, num_args);
}

/* Adds arguments for the size of the grid and the workgroup's id. */
static NrEntryPoint *make_entry_point(NrBufferize *s, NrOp *func) {
  NrEntryPoint *entry = NR_NEW(s->arena, NrEntryPoint);
  bool counts = false;
  nr_walk_pre(func, note_counts, &counts);
  *entry = (NrEntryPoint){.func = func, .counts = counts};
  NrType type = nr_op_attr(func, NR_A_function_type)->type;
  size_t extra = counts ? 6 : 3, n = type->num_inputs;
  NrType *inputs = NR_NEW_ARRAY(s->arena, NrType, n + extra);
  for (size_t i = 0; i < n; i++) inputs[i] = type->inputs[i];
  for (size_t i = 0; i < extra; i++) {
    inputs[n + i] = nr_type_index(s->ctx);
    nr_block_add_arg(nr_op_only_body(func), inputs[n + i], func->loc);
  }
  nr_op_set_attr(func, NR_A_arg_attrs, argument_attrs(s, func, type, n + extra));
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(nr_type_function(s->ctx, inputs, n + extra, NULL, 0)));
  nr_op_set_attr(func, NR_A_noria_dispatch, nr_attr_unit(s->ctx));
  return entry;
}

/* ---- executables ------------------------------------------------------------------------------------------------ */

/* Exports without a function, or of one that returns values, are left: an error only where they are dispatched
 * (nr_bufferize_entry_point). */
static void open_executable(NrBufferize *s, NrOp *executable) {
  NrMap entries = {0}; /* function -> NrEntryPoint */
  for (NrOp *op = nr_op_only_body(executable)->first; op; op = op->next) {
    if (!nr_op_is(op, NR_OP_flow_executable_export)) continue;
    NrOp *func = nr_flow_function(op);
    if (!nr_op_is(func, NR_OP_func_func) || !nr_op_only_body(func) || nr_func_type(func)->num_results) continue;
    bool is_open = nr_op_attr(func, NR_A_noria_dispatch) && !nr_map_has(&entries, func);
    if (is_open) continue; /* rt.dispatch runs it already */
    NrEntryPoint *first = nr_map_get(&entries, func), *entry = NR_NEW(s->arena, NrEntryPoint);
    if (!first) nr_map_set(&entries, func, first = make_entry_point(s, func));
    *entry = *first;
    entry->export_op = op;
    nr_map_set(&s->exports, op, entry);
  }
  nr_map_deinit(&entries);
}

void nr_bufferize_open_executables(NrBufferize *s) {
  for (NrOp *op = nr_op_only_body(s->table)->first; op; op = op->next)
    if (nr_op_is(op, NR_OP_flow_executable)) open_executable(s, op);
}

NrEntryPoint *nr_bufferize_entry_point(NrBufferize *s, NrOp *dispatch) {
  NrAttr points = nr_op_attr(dispatch, NR_A_entry_points);
  NrAttr first = points && points->kind == NR_ATTR_ARRAY && points->size ? points->items[0] : NULL;
  NrOp *export_op = nr_symbol_find(&s->symbols, dispatch, first);
  NrEntryPoint *entry = export_op ? nr_map_get(&s->exports, export_op) : NULL;
  if (!entry) nr_op_error(dispatch, "(C4) names no entry point of an executable of this module");
  return entry;
}

/* Rebuilds an export without its workgroup count region. */
static void drop_count(NrOp *export_op) {
  NrRegion *region = nr_flow_executable_export_workgroup_count_region(export_op);
  while (region && region->first) nr_block_erase(region->first);
}

void nr_bufferize_close_executables(NrBufferize *s) {
  for (NrOp *op = nr_op_only_body(s->table)->first; op; op = op->next)
    for (NrOp *in = nr_op_is(op, NR_OP_flow_executable) ? nr_op_only_body(op)->first : NULL; in; in = in->next)
      if (nr_op_is(in, NR_OP_flow_executable_export)) drop_count(in);
}
