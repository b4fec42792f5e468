/* outline.c - moves or copies ops to functions and executables; see outline.h. */
#include "dialect/func/ops.h"
#include "dialect/memref/ops.h"
#include "dialect/scf/ops.h"
#include "pass/core/outline.h"

#include "dialect/flow/flow.h"
#include "pass/analysis/dependence.h"
#include "pass/analysis/same_ops.h"

enum { MAX_REMADE = 8 }; /* longest chain of ops that is copied into a function */

/* ---- captures ---------------------------------------------------------------------------------------------------- */

static bool note_inside(NrOp *op, void *user) {
  NrMap *inside = user;
  nr_map_set(inside, op, op);
  for (uint32_t i = 0; i < op->num_results; i++) nr_map_set(inside, nr_result(op, i), op);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++) nr_map_set(inside, block->args[i], op);
  return true;
}

void nr_outline_init(NrOutline *o, NrPassContext *pass, NrOp *first, NrOp *last,
                     NrCapture (*capture)(const NrValue *)) {
  *o = (NrOutline){.pass = pass, .from = nr_op_parent(first), .first = first, .last = last, .capture = capture};
  while (o->from && !nr_op_has(o->from, NR_FUNCTION)) o->from = nr_op_parent(o->from);
  for (NrOp *op = first; op != last->next; op = op->next) nr_walk_pre(op, note_inside, &o->inside);
}

void nr_outline_deinit(NrOutline *o) {
  nr_vec_deinit(&o->inputs);
  nr_vec_deinit(&o->remade);
  nr_vec_deinit(&o->symbols);
  nr_map_deinit(&o->inside);
  nr_map_deinit(&o->values);
}

static bool needs_symbols(NrOp *op, void *user);

/* Captures value. The operands of an op to be copied are captured before it, so that o->remade is in program order. */
static bool needs(NrOutline *o, NrValue *value, unsigned depth) {
  if (nr_map_has(&o->inside, value) || nr_map_has(&o->values, value)) return true;
  NrCapture how = o->capture(value);
  if (how == NR_CAPTURE_REFUSE) return false;
  nr_map_set(&o->values, value, value);
  if (how == NR_CAPTURE_PASS || depth == MAX_REMADE) {
    nr_vec_push(&o->inputs, value);
    return true;
  }
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (!needs(o, nr_operand(value->op, i), depth + 1)) return false;
  if (o->own_table && !needs_symbols(value->op, o)) return false;
  nr_vec_push(&o->remade, value->op);
  return true;
}

bool nr_outline_needs(NrOutline *o, NrValue *value) { return needs(o, value, 0); }

/* Collects a symbol to be copied. False for a global buffer that is not constant, since copies would not share writes,
 * and for symbols other than functions and buffers. */
static bool needs_symbol(NrOutline *o, NrOp *symbol) {
  if (!symbol) return false;
  if (nr_map_has(&o->values, symbol)) return true;
  nr_map_set(&o->values, symbol, symbol);
  nr_vec_push(&o->symbols, symbol);
  if (nr_op_is(symbol, NR_OP_memref_global)) return nr_op_attr(symbol, NR_A_constant) != NULL;
  return nr_op_is(symbol, NR_OP_func_func) && nr_walk_pre(symbol, needs_symbols, o);
}

static bool needs_symbols(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].value->kind == NR_ATTR_SYMBOL && !needs_symbol(user, nr_symbol_resolve(op, op->attrs[i].value)))
      return false;
  return true;
}

/* Sets gets_others when op can access a buffer that is not an input (through a call, a global or a buffer of buffers)
 * or frees an input. */
static void note_memory(NrOutline *o, NrOp *op) {
  bool loads_buffer = nr_op_is(op, NR_OP_memref_load) && nr_type_is_memref(nr_op_result(op)->type);
  bool is_call = nr_op_has(op, NR_CALL) || nr_op_is(op, NR_OP_rt_call);
  o->gets_others |= loads_buffer || is_call || nr_op_is(op, NR_OP_memref_get_global);
  NrValue *freed = NULL;
  if (nr_op_is(op, NR_OP_memref_dealloc)) freed = nr_memref_root(nr_memref_dealloc_memref(op));
  if (nr_op_is(op, NR_OP_memref_realloc)) freed = nr_memref_root(nr_memref_realloc_source(op));
  o->gets_others |= freed && !(nr_op_is(freed->op, NR_OP_memref_alloc) && nr_map_has(&o->inside, freed));
}

static bool needs_operands(NrOp *op, void *user) {
  NrOutline *o = user;
  note_memory(o, op);
  if (o->own_table && !needs_symbols(op, o)) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!needs(o, nr_operand(op, i), 0)) return false;
  return true;
}

bool nr_outline_needs_op(NrOutline *o, NrOp *op) { return nr_walk_pre(op, needs_operands, o); }

bool nr_outline_needs_symbols(NrOutline *o, NrOp *op) { return nr_walk_pre(op, needs_symbols, o); }

void nr_outline_copy_symbols(NrOutline *o, NrBuilder *b) {
  for (size_t i = 0; i < o->symbols.size; i++) {
    NrOp *copy = nr_op_clone(b->module, o->symbols.data[i], &o->values);
    nr_builder_insert(b, copy);
    nr_op_set_attr(copy, NR_A_sym_visibility, nr_attr_string(b->ctx, NR_STR("private")));
  }
}

bool nr_outline_needs_ops(NrOutline *o) {
  for (NrOp *op = o->first; op != o->last->next; op = op->next)
    if (!nr_outline_needs_op(o, op)) return false;
  return true;
}

/* ---- aliasing of arguments --------------------------------------------------------------------------------------- */

/* nr_may_alias, except that the arguments of the program's entry never overlap: callers must guarantee it (codegen.h).
 */
static bool may_overlap(const NrOutline *o, NrValue *a, NrValue *b) {
  const NrValue *x = nr_memref_root(a), *y = nr_memref_root(b);
  const NrBlock *entry = nr_op_attr(o->from, NR_A_noria_entry) ? nr_op_only_body(o->from) : NULL;
  if (x != y && entry && x->block == entry && y->block == entry) return false;
  return nr_may_alias(a, b);
}

static bool is_alone(const NrOutline *o, NrValue *memref) {
  for (size_t i = 0; i < o->inputs.size; i++) {
    NrValue *other = o->inputs.data[i];
    if (other != memref && nr_type_is_memref(other->type) && may_overlap(o, memref, other)) return false;
  }
  for (size_t i = 0; i < o->remade.size; i++) {
    NrOp *op = o->remade.data[i];
    if (nr_op_is(op, NR_OP_memref_get_global) && nr_may_alias(memref, nr_op_result(op))) return false;
  }
  return true;
}

/* The arg_attrs, with noria.noalias where it holds; NULL when no argument has it. */
static NrAttr argument_attrs(const NrOutline *o, size_t num_args) {
  NrContext *ctx = o->pass->ctx;
  NrAttr *marks = NR_NEW_ARRAY(o->pass->scratch, NrAttr, num_args + 1);
  NrNamedAttr alone = {nr_context_intern(ctx, NR_STR("noria.noalias")), nr_attr_unit(ctx)};
  bool any = false;
  for (size_t i = 0; i < num_args; i++) {
    NrValue *value = i < o->inputs.size ? o->inputs.data[i] : NULL;
    bool marked = value && !o->gets_others && value->type->kind == NR_TYPE_MEMREF && is_alone(o, value);
    marks[i] = nr_attr_dict(ctx, &alone, marked);
    any |= marked;
  }
  return any ? nr_attr_array(ctx, marks, num_args) : NULL;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Creates the entry block with its arguments and the copies of o->remade. */
static void fill_entry(NrOutline *o, NrOp *func, size_t num_indices) {
  NrBlock *body = nr_block_create(func->module);
  nr_block_append(nr_func_func_region(func), body);
  for (size_t i = 0; i < o->inputs.size; i++) {
    NrValue *input = o->inputs.data[i], *arg = nr_block_add_arg(body, input->type, func->loc);
    arg->name = input->name;
    nr_map_set(&o->values, input, arg);
  }
  for (size_t i = 0; i < num_indices; i++) nr_block_add_arg(body, nr_type_index(o->pass->ctx), func->loc);
  for (size_t i = 0; i < o->remade.size; i++)
    nr_op_append(body, nr_op_clone(func->module, o->remade.data[i], &o->values));
}

NrOp *nr_outline_function(NrOutline *o, NrBuilder *b, size_t num_indices, const NrType *results, size_t num_results) {
  NrContext *ctx = o->pass->ctx;
  size_t num_args = o->inputs.size + num_indices;
  NrType *types = NR_NEW_ARRAY(o->pass->scratch, NrType, num_args + 1);
  for (size_t i = 0; i < num_args; i++)
    types[i] = i < o->inputs.size ? o->inputs.data[i]->type : nr_type_index(ctx);
  NrOp *func = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .loc = o->first->loc, .num_regions = 1});
  nr_op_set_attr(func, NR_A_function_type,
                 nr_attr_type(nr_type_function(ctx, types, num_args, results, num_results)));
  NrAttr attrs = argument_attrs(o, num_args);
  if (attrs) nr_op_set_attr(func, NR_A_arg_attrs, attrs);
  fill_entry(o, func, num_indices);
  nr_outline_copy_symbols(o, b);
  return func;
}

NrValue *nr_outline_inside(const NrOutline *o, NrValue *value) {
  NrValue *inside = nr_map_get(&o->values, value);
  assert(inside);
  return inside;
}

static bool remap_operands(NrOp *op, void *user) {
  NrMap *map = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *to = nr_map_get(map, nr_operand(op, i));
    if (to) nr_op_set_operand(op, i, to);
  }
  return true;
}

void nr_outline_move(NrOutline *o, NrOp *func) {
  for (NrOp *op = o->first, *end = o->last->next, *next; op != end; op = next) {
    next = op->next;
    nr_op_unlink(op);
    nr_op_append(nr_func_func_body(func), op);
    nr_walk_pre(op, remap_operands, &o->values);
  }
}

NrStr nr_outline_name(NrSymbolNames *names, NrOp *table, const NrOp *func, const char *kind) {
  NrStr of = func ? nr_op_attr_str(func, NR_A_sym_name) : NR_STR("main");
  NrStr base = nr_str(nr_arena_printf(nr_context_arena(nr_op_context(table)), "%.*s_%s", NR_STR_ARG(of), kind));
  return nr_symbol_numbered_name(names, table, base);
}

NrOp *nr_host_function(NrOp *op) {
  NrOp *func = NULL;
  for (NrOp *up = nr_op_parent(op); up; up = nr_op_parent(up)) {
    if (nr_op_is(up, NR_OP_scf_parallel) || nr_op_is(up, NR_OP_flow_executable)) return NULL;
    if (strcmp(up->info->dialect, "linalg") == 0 || strcmp(up->info->dialect, "flow") == 0) return NULL;
    if (!func && nr_op_has(up, NR_FUNCTION)) func = up;
  }
  return func && nr_op_is(func, NR_OP_func_func) && !nr_op_attr(func, NR_A_noria_dispatch) ? func : NULL;
}

/* ---- executables ------------------------------------------------------------------------------------------------- */

NrOp *nr_executable_export(const NrOp *executable) {
  NrBlock *body = nr_flow_executable_body(executable);
  for (NrOp *op = body ? body->first : NULL; op; op = op->next)
    if (nr_op_is(op, NR_OP_flow_executable_export)) return op;
  return NULL;
}

NrOp *nr_executable_func(const NrOp *executable) { return nr_op_only_body(nr_flow_inner_module(executable))->first; }

NrBuilder nr_executable_builder(const NrOp *executable) {
  NrOp *module = nr_flow_inner_module(executable);
  return nr_builder_at_end(module->module, nr_op_only_body(module), executable->loc);
}

/* Builds an op with a region of one block and returns a builder at the end of that block. */
static NrBuilder open_op(NrBuilder *b, unsigned id) {
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[id], .num_regions = 1});
  nr_block_append(nr_op_only_region(op), nr_block_create(b->module));
  return nr_builder_at_end(b->module, nr_op_only_body(op), b->loc);
}

NrOp *nr_executable_create(NrOp *user) {
  NrOp *symbol = user;
  while (!nr_op_has(nr_op_parent(symbol), NR_SYMBOL_TABLE)) symbol = nr_op_parent(symbol);
  NrBuilder top = nr_builder_before(symbol);
  top.loc = user->loc;
  NrBuilder in = open_op(&top, NR_OP_flow_executable);
  NrOp *executable = nr_block_parent_op(in.block);
  nr_op_set_attr(executable, NR_A_sym_visibility, nr_attr_string(in.ctx, NR_STR("private")));
  nr_build(&in, &(NrOpState){.info = nr_op_infos[NR_OP_flow_executable_export], .num_regions = 1});
  open_op(&in, NR_OP_builtin_module);
  nr_build_op(&in, NR_OP_flow_executable_end, NULL, 0, NULL, 0);
  return executable;
}

/* Whether two executables are equal. Both must be in one symbol table: copied symbols keep the names that they have
 * there, so equal names mean equal symbols. */
static bool same_executables(const NrOp *a, const NrOp *b) {
  NrMap map = {0};
  NrRegion *count_a = nr_flow_executable_export_workgroup_count_region(nr_executable_export(a));
  NrRegion *count_b = nr_flow_executable_export_workgroup_count_region(nr_executable_export(b));
  bool same = nr_op_parent(a) == nr_op_parent(b) && nr_regions_are_same(count_a, count_b, &map) &&
              nr_symbols_are_same(nr_executable_func(a), nr_executable_func(b));
  nr_map_deinit(&map);
  return same;
}

NrOp *nr_executable_share(NrExecutables *all, NrOp *executable, const NrOp *func, const char *kind, NrStr label) {
  NrContext *ctx = nr_op_context(executable);
  NrOp *export_op = nr_executable_export(executable), *inner = nr_executable_func(executable), *known;
  uint64_t hash = nr_hash_mix(nr_symbol_hash(inner), nr_symbol_hash(export_op)) | 1;
  for (; (known = nr_map_get(&all->known, (const void *)(uintptr_t)hash)); hash += 2) {
    if (!same_executables(known, executable)) continue;
    nr_op_erase(executable);
    return known;
  }
  NrOp *table = nr_op_parent(executable);
  NrStr name = nr_outline_name(&all->names, table, func, kind);
  if (label.size) {
    const char *text = nr_arena_printf(nr_context_arena(ctx), "%.*s_%.*s", NR_STR_ARG(name), NR_STR_ARG(label));
    name = nr_symbol_free_name(&all->names, table, nr_str(text));
  }
  nr_map_set(&all->known, (const void *)(uintptr_t)hash, executable);
  nr_op_set_attr(executable, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(export_op, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(export_op, NR_A_function_ref, nr_attr_symbol(ctx, name));
  nr_op_set_attr(inner, NR_A_sym_name, nr_attr_string(ctx, name));
  return executable;
}

NrAttr nr_executable_entry(const NrOp *executable) {
  NrStr name = nr_op_attr_str(executable, NR_A_sym_name);
  NrStr entry = nr_op_attr_str(nr_executable_export(executable), NR_A_sym_name);
  return nr_attr_symbol_nested(nr_op_context(executable), name, &entry, 1);
}

void nr_executables_deinit(NrExecutables *all) {
  nr_symbol_names_deinit(&all->names);
  nr_map_deinit(&all->known);
}
