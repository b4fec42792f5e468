/* c_wrappers.c - for finalize-memref: functions that are called from outside get a wrapper with the C interface
 * (NoriaEntryFn).
 *   before  func.func @f(%a: memref<4xf32>) -> i32 attributes {noria.entry} { .. }
 *   after   func.func @f(%a: memref<4xf32>) -> i32 attributes {noria.c_wrapper, noria.entry} {
 *             %0 = call @f_0(%a) : (memref<4xf32>) -> i32
 *             return %0 : i32
 *           }
 *           func.func private @f_0(%a: memref<4xf32> {noria.noalias}) -> i32 { .. }
 * Wrappers keep their signatures: what they take and give are values as the runtime has them (NoriaDesc). All other
 * functions take pointers and sizes. */
#include "dialect/flow/flow.h"
#include "dialect/func/func.h"
#include "pass/expand/descriptor.h"
#include "pass/expand/limits.h"

typedef struct Wrapped {
  NrOp *func;
  NrStr name; /* the new name of the function that has the body */
  bool is_called;
} Wrapped;

typedef struct Wrappers {
  NrContext *ctx;
  NR_VEC(Wrapped) all;
  NrMap index; /* func.func -> its index in `all`, plus 1 */
  NrSymbolTables symbols;
} Wrappers;

/* ---- which functions -------------------------------------------------------------------------------------------- */

static bool all_pass(const NrType *types, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!nr_passes_to_runtime(types[i])) return false;
  return true;
}

static bool is_called_from_outside(NrOp *func) {
  if (!nr_op_is(func, NR_OP_func_func) || !nr_func_func_body(func)) return false;
  NrType type = nr_func_type(func);
  if (!type || nr_op_attr(func, NR_A_noria_entry)) return type != NULL;
  if (nr_str_is(nr_op_attr_str(func, NR_A_sym_visibility), "private")) return false;
  return all_pass(type->inputs, type->num_inputs) && all_pass(type->results, type->num_results);
}

static void collect(Wrappers *w, NrOp *module) {
  NrSymbolNames names = {0};
  for (NrOp *op = nr_op_only_body(module)->first; op; op = op->next) {
    nr_op_remove_attr(op, NR_A_noria_c_wrapper); /* a wrapper in a program that was lowered before */
    if (!is_called_from_outside(op)) continue;
    NrStr name = nr_symbol_numbered_name(&names, module, nr_op_attr_str(op, NR_A_sym_name));
    nr_vec_push(&w->all, ((Wrapped){.func = op, .name = name}));
    nr_map_set(&w->index, op, (void *)w->all.size);
  }
  nr_symbol_names_deinit(&names);
}

/* ---- calls inside of the program -------------------------------------------------------------------------------- */

static const NrAttrName *callee_name(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_func_call: return NR_A_callee;
  case NR_OP_func_constant: return NR_A_value;
  case NR_OP_rt_dispatch: return NR_A_entry;
  default: return NULL;
  }
}

/* Redirects calls within the program to the function that has the body. */
static bool redirect(NrOp *op, void *user) {
  Wrappers *w = user;
  const NrAttrName *name = callee_name(op);
  NrOp *func = name ? nr_symbol_find(&w->symbols, op, nr_op_attr(op, name)) : NULL;
  size_t index = func ? (uintptr_t)nr_map_get(&w->index, func) : 0;
  if (!index) return true;
  Wrapped *to = &w->all.data[index - 1];
  to->is_called = true;
  nr_op_set_attr(op, name, nr_attr_symbol(w->ctx, to->name));
  return true;
}

/* ---- wrappers --------------------------------------------------------------------------------------------------- */

static void move_attr(NrOp *from, NrOp *to, const NrAttrName *name) {
  NrAttr value = nr_op_attr(from, name);
  if (value) nr_op_set_attr(to, name, value);
  nr_op_remove_attr(from, name);
}

/* Marks the memref arguments of an entry noria.noalias: buffers that the caller passes do not overlap, and the
 * function reaches them through no other value. */
static void mark_arguments_alone(NrOp *func, NrType type) {
  NrContext *ctx = type->ctx;
  NR_VEC(NrAttr) dicts = {0};
  NrAttr old = nr_op_attr(func, NR_A_arg_attrs);
  NrNamedAttr alone = {nr_context_intern(ctx, NR_STR("noria.noalias")), nr_attr_unit(ctx)};
  for (size_t i = 0; i < type->num_inputs; i++) {
    NrAttr dict = old && old->kind == NR_ATTR_ARRAY && i < old->size ? old->items[i] : nr_attr_dict(ctx, NULL, 0);
    if (type->inputs[i]->kind == NR_TYPE_MEMREF && !nr_dict_get(dict, "noria.noalias")) {
      NR_VEC(NrNamedAttr) named = {0};
      for (size_t k = 0; k < dict->num_named; k++) nr_vec_push(&named, dict->named[k]);
      nr_vec_push(&named, alone);
      dict = nr_attr_dict(ctx, named.data, named.size);
      nr_vec_deinit(&named);
    }
    nr_vec_push(&dicts, dict);
  }
  nr_op_set_attr(func, NR_A_arg_attrs, nr_attr_array(ctx, dicts.data, dicts.size));
  nr_vec_deinit(&dicts);
}

static bool mark_return(NrOp *op, void *user) {
  (void)user;
  if (nr_op_is(op, NR_OP_func_return)) nr_op_set_attr(op, NR_A_noria_leaves_place, nr_attr_unit(nr_op_context(op)));
  return true;
}

static void build_body(NrOp *wrapper, NrType type, NrStr callee) {
  NrBlock *block = nr_block_create(wrapper->module);
  nr_block_append(nr_func_func_region(wrapper), block);
  for (size_t i = 0; i < type->num_inputs; i++) nr_block_add_arg(block, type->inputs[i], wrapper->loc);
  NrBuilder b = nr_builder_at_end(wrapper->module, block, wrapper->loc);
  NrOp *call = nr_build_op(&b, NR_OP_func_call, block->args, block->num_args, type->results, type->num_results);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(b.ctx, callee));
  NR_VEC(NrValue *) results = {0};
  for (size_t i = 0; i < call->num_results; i++) nr_vec_push(&results, nr_result(call, i));
  nr_build_op(&b, NR_OP_func_return, results.data, results.size, NULL, 0);
  nr_vec_deinit(&results);
}

static void wrap(Wrappers *w, const Wrapped *f) {
  NrOp *func = f->func;
  NrType type = nr_func_type(func);
  NrBuilder b = nr_builder_before(func);
  NrAttr visibility = nr_op_attr(func, NR_A_sym_visibility);
  NrOp *wrapper = nr_func_create(&b, nr_op_attr_str(func, NR_A_sym_name), type, false);
  if (visibility) nr_op_set_attr(wrapper, NR_A_sym_visibility, visibility);
  nr_op_set_attr(wrapper, NR_A_noria_c_wrapper, nr_attr_unit(w->ctx));
  build_body(wrapper, type, f->name);
  if (nr_op_attr(func, NR_A_noria_entry)) {
    if (!f->is_called) mark_arguments_alone(func, type);
    nr_walk_pre(func, mark_return, NULL);
  }
  move_attr(func, wrapper, NR_A_noria_entry);
  move_attr(func, wrapper, NR_A_noria_inputs);
  move_attr(func, wrapper, NR_A_noria_outputs);
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(w->ctx, f->name));
  nr_op_set_attr(func, NR_A_sym_visibility, nr_attr_string(w->ctx, NR_STR("private")));
}

void nr_add_c_wrappers(NrOp *module) {
  Wrappers w = {.ctx = nr_op_context(module)};
  collect(&w, module);
  if (w.all.size) nr_walk_pre(module, redirect, &w);
  for (size_t i = 0; i < w.all.size; i++) wrap(&w, &w.all.data[i]);
  nr_vec_deinit(&w.all);
  nr_map_deinit(&w.index);
  nr_symbol_tables_deinit(&w.symbols);
}
