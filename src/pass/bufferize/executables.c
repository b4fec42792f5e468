/* executables.c - moves the functions of flow.executables to the module, to be called by rt.dispatch.
 *
 *   before  flow.executable @ex { flow.executable.export @f; builtin.module {
 *             func.func @f(%a: !flow.dispatch.tensor<readonly:tensor<4xf32>>, %r: !..<writeonly:..>) }}
 *   after   func.func private @f(%a: !flow.dispatch.tensor<..> {noria.readonly}, %r: .. {noria.noalias},
 *             %x: index, %y: index, %z: index) attributes {noria.dispatch} */
#include "pass/bufferize/bufferize.h"

/* ---- names ------------------------------------------------------------------------------------------------------ */

static NrStr free_name(NrBufferize *s, NrStr executable, NrStr name) {
  NrStr text = name;
  for (size_t i = 0; nr_strmap_has(&s->names, text); i++)
    text = nr_str(i == 0 ? nr_arena_printf(s->arena, "%.*s_%.*s", NR_STR_ARG(executable), NR_STR_ARG(name))
                         : nr_arena_printf(s->arena, "%.*s_%.*s_%zu", NR_STR_ARG(executable), NR_STR_ARG(name), i));
  return nr_context_intern(s->ctx, text);
}

static bool rename_reference(NrOp *op, void *user) {
  NrStrMap *renamed = user;
  for (size_t i = 0; i < op->num_attrs; i++) {
    NrAttr value = op->attrs[i].value;
    NrStr *name = value->kind == NR_ATTR_SYMBOL && value->size == 0 ? nr_strmap_get(renamed, value->s) : NULL;
    if (name) op->attrs[i].value = nr_attr_symbol(value->ctx, *name);
  }
  return true;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static bool note_counts(NrOp *op, void *user) {
  *(bool *)user |= nr_op_is(op, NR_OP_flow_dispatch_workgroup_count);
  return true;
}

/* The arg_attrs with marks for the access of each dispatch tensor. */
static NrAttr argument_attrs(NrBufferize *s, NrOp *func, NrType type, size_t num_args) {
  NrAttr old = nr_op_attr(func, NR_A_arg_attrs);
  NrAttr *dicts = NR_NEW_ARRAY(s->arena, NrAttr, num_args + 1);
  for (size_t i = 0; i < num_args; i++) {
    NrAttr dict = old && i < old->size ? old->items[i] : nr_attr_dict(s->ctx, NULL, 0);
    NrType t = i < type->num_inputs ? type->inputs[i] : NULL;
    if (t && nr_is_dispatch_tensor(t) && t->access != NR_READWRITE) {
      NrNamedAttr *named = NR_NEW_ARRAY(s->arena, NrNamedAttr, dict->num_named + 1);
      for (size_t k = 0; k < dict->num_named; k++) named[k] = dict->named[k];
      const char *name = t->access == NR_READONLY ? "noria.readonly" : "noria.noalias";
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
    nr_block_add_arg(nr_op_body(func, 0), inputs[n + i], func->loc);
  }
  nr_op_set_attr(func, NR_A_arg_attrs, argument_attrs(s, func, type, n + extra));
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(nr_type_function(s->ctx, inputs, n + extra, NULL, 0)));
  nr_op_set_attr(func, NR_A_noria_dispatch, nr_attr_unit(s->ctx));
  return entry;
}

/* ---- executables ------------------------------------------------------------------------------------------------ */

static NrOp *inner_module(NrOp *executable) {
  NrBlock *block = nr_op_body(executable, 0);
  for (NrOp *op = block ? block->first : NULL; op; op = op->next)
    if (nr_op_is(op, NR_OP_builtin_module)) return op;
  return NULL;
}

/* Moves all symbols of the executable's module to the module, renamed where needed. */
static void move_symbols(NrBufferize *s, NrOp *executable, NrStrMap *moved) {
  NrOp *module = inner_module(executable);
  NrStrMap renamed = {0};
  NR_VEC(NrOp *) ops = {0};
  for (NrOp *op = module ? nr_op_body(module, 0)->first : NULL; op; op = op->next)
    if (nr_op_has(op, NR_SYMBOL)) nr_vec_push(&ops, op);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    NrStr old = nr_op_attr_str(op, NR_A_sym_name);
    NrStr *name = NR_NEW(s->arena, NrStr);
    *name = free_name(s, nr_op_attr_str(executable, NR_A_sym_name), old);
    nr_strmap_set(&s->names, *name, op);
    nr_strmap_set(&renamed, old, name);
    nr_strmap_set(moved, old, op);
    nr_op_unlink(op);
    nr_op_insert_before(op, executable);
    nr_op_set_attr(op, NR_A_sym_name, nr_attr_string(s->ctx, *name));
    nr_op_set_attr(op, NR_A_sym_visibility, nr_attr_string(s->ctx, NR_STR("private")));
  }
  for (size_t i = 0; i < ops.size; i++) nr_walk_pre(ops.data[i], rename_reference, &renamed);
  nr_strmap_deinit(&renamed);
  nr_vec_deinit(&ops);
}

static NrStr export_key(NrBufferize *s, NrStr executable, NrStr name) {
  return nr_str(nr_arena_printf(s->arena, "%.*s/%.*s", NR_STR_ARG(executable), NR_STR_ARG(name)));
}

static NrStatus open_executable(NrBufferize *s, NrOp *executable) {
  NrStrMap moved = {0}, entries = {0};
  NrStatus status = NR_OK;
  move_symbols(s, executable, &moved);
  for (NrOp *op = nr_op_body(executable, 0)->first; op && !status; op = op->next) {
    if (!nr_op_is(op, NR_OP_flow_executable_export)) continue;
    NrStr name = nr_op_attr_str(op, NR_A_function_ref);
    NrOp *func = nr_strmap_get(&moved, name);
    if (!nr_op_is(func, NR_OP_func_func) || !nr_op_body(func, 0)) {
      status = nr_op_error(op, "(C2) names no function of the executable");
      break;
    }
    NrEntryPoint *first = nr_strmap_get(&entries, name), *entry = NR_NEW(s->arena, NrEntryPoint);
    if (!first) nr_strmap_set(&entries, name, first = make_entry_point(s, func));
    *entry = *first;
    entry->export_op = op;
    nr_strmap_set(&s->exports,
                  export_key(s, nr_op_attr_str(executable, NR_A_sym_name), nr_op_attr_str(op, NR_A_sym_name)), entry);
  }
  nr_strmap_deinit(&moved);
  nr_strmap_deinit(&entries);
  return status;
}

NrStatus nr_bufferize_open_executables(NrBufferize *s) {
  NrStatus status = NR_OK;
  for (NrOp *op = nr_op_body(s->table, 0)->first; op; op = op->next) {
    if (nr_op_has(op, NR_SYMBOL)) nr_strmap_set(&s->names, nr_op_attr_str(op, NR_A_sym_name), op);
    if (nr_op_is(op, NR_OP_flow_executable)) nr_vec_push(&s->executables, op);
  }
  for (size_t i = 0; i < s->executables.size && !status; i++) status = open_executable(s, s->executables.data[i]);
  return status;
}

NrEntryPoint *nr_bufferize_entry_point(NrBufferize *s, NrOp *dispatch) {
  NrAttr points = nr_op_attr(dispatch, NR_A_entry_points);
  NrAttr first = points && points->kind == NR_ATTR_ARRAY && points->size ? points->items[0] : NULL;
  NrEntryPoint *entry = NULL;
  if (first && first->kind == NR_ATTR_SYMBOL && first->size == 1)
    entry = nr_strmap_get(&s->exports, export_key(s, first->s, first->items[0]->s));
  if (!entry) nr_op_error(dispatch, "(C4) names no entry point of an executable of this module");
  return entry;
}

void nr_bufferize_close_executables(NrBufferize *s) {
  for (size_t i = 0; i < s->executables.size; i++) nr_op_erase(s->executables.data[i]);
}
