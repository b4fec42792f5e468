/* bufferize.c - bufferizes tensors: memrefs with one owner each, in-place updates, and deallocs.
 *
 *   before  %1 = tensor.insert %x into %0[%i] : tensor<?xf32>      after  memref.store %x, %0[%i] : memref<?xf32>
 *
 * Needs no reference counts: a buffer has one owner at a time, the block that allocated it or to which it was moved. An
 * op writes its destination in place when its block owns the buffer and no later op needs the old contents; else it
 * writes a copy. Function arguments and constants are borrowed; function results are always new buffers. Time is linear
 * in the size of the program times the depth of its regions. See bufferize.h. */
#include "pass/bufferize/bufferize.h"

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static bool touches_tensors(const NrBufferize *s, const NrOp *op) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (nr_needs_buffer(nr_operand(op, i)->type) || nr_bufferize_binding(s, nr_operand(op, i))) return true;
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_needs_buffer(op->results[i].type)) return true;
  return false;
}

static NrStatus handle_op(NrBufferize *s, NrOp *op) {
  NrStr dialect = nr_str(op->info->dialect);
  if (nr_str_is(dialect, "flow")) return nr_bufferize_flow_op(s, op);
  if (nr_op_is(op, NR_OP_scf_forall)) return nr_bufferize_forall(s, op);
  if (nr_op_is(op, NR_OP_scf_forall_in_parallel)) return nr_bufferize_in_parallel(s, op);
  if (nr_linalg_is_structured(op)) return nr_bufferize_linalg_op(s, op);
  if (op->num_regions) return nr_bufferize_regions(s, op);
  if (!touches_tensors(s, op)) return NR_OK;
  if (nr_op_has(op, NR_RETURN_LIKE)) return nr_bufferize_terminator(s, op);
  switch (op->info->id) {
  case NR_OP_func_call:
  case NR_OP_func_call_indirect:
  case NR_OP_rt_call: return nr_bufferize_call(s, op);
  case NR_OP_linalg_fill: return nr_bufferize_linalg_op(s, op);
  default: return nr_bufferize_tensor_op(s, op);
  }
}

NrStatus nr_bufferize_ops(NrBufferize *s, NrBlock *block, size_t base) {
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    NrStatus status = handle_op(s, op);
    if (status) return status;
  }
  nr_bufferize_release(s, block, base);
  return NR_OK;
}

NrStatus nr_bufferize_block(NrBufferize *s, NrBlock *block) {
  size_t base = s->owned.size;
  for (size_t i = 0; i < block->num_args; i++)
    if (nr_needs_buffer(nr_block_arg(block, i)->type)) nr_bufferize_adopt(s, nr_block_arg(block, i), block);
  return nr_bufferize_ops(s, block, base);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

/* Converts the type of a function value, like that of a function. */
static void convert_function_value(NrValue *value) {
  if (value->type->kind == NR_TYPE_FUNCTION) value->type = nr_bufferized_type(value->type);
}

static bool may_stop(const NrOp *op) {
  return nr_op_is(op, NR_OP_rt_check) || nr_op_is(op, NR_OP_cf_assert) || nr_op_is(op, NR_OP_func_call) ||
         nr_op_is(op, NR_OP_func_call_indirect);
}

static bool number_op(NrOp *op, void *user) {
  NrBufferize *s = user;
  nr_map_set(&s->numbers, op, (void *)(uintptr_t)s->ops.size);
  uint32_t stops = nr_vec_last(&s->stops) + may_stop(op);
  nr_vec_push(&s->stops, stops);
  for (size_t i = 0; i < op->num_results; i++) convert_function_value(nr_result(op, i));
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (size_t i = 0; i < block->num_args; i++) convert_function_value(nr_block_arg(block, i));
  nr_vec_push(&s->ops, op);
  return true;
}

static void erase_dead(NrBufferize *s) {
  for (size_t i = 0; i < s->dead.size; i++) nr_op_drop_uses(s->dead.data[i]);
  for (size_t i = 0; i < s->dead.size; i++) nr_op_erase(s->dead.data[i]);
}

static NrStatus refuse_branching_function(NrOp *func) {
  NrBlock *entry = nr_op_body(func, 0);
  for (NrBlock *block = entry; block; block = block->next) {
    for (size_t i = 0; i < block->num_args && block != entry; i++)
      if (nr_needs_buffer(nr_block_arg(block, i)->type))
        return nr_op_error(func, "passes tensors between blocks; only functions of one block can be bufferized");
    for (NrOp *op = block->first; op && entry->next; op = op->next)
      for (size_t i = 0; i < op->num_results; i++)
        if (nr_needs_buffer(nr_result(op, i)->type))
          return nr_op_error(op, "computes a tensor in a function of several blocks, which cannot be bufferized");
  }
  return NR_OK;
}

static NrStatus bufferize_function(NrBufferize *s, NrOp *func) {
  NrAttr type = nr_op_attr(func, NR_A_function_type);
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(nr_bufferized_type(type->type)));
  NrBlock *entry = nr_op_body(func, 0);
  NrStatus status = refuse_branching_function(func);
  if (!entry || status) return status;
  if ((status = nr_bufferize_prepare(func))) return status;
  nr_vec_push(&s->ops, NULL);
  nr_vec_push(&s->stops, 0);
  for (NrBlock *block = entry; block; block = block->next) {
    for (size_t i = 0; i < block->num_args; i++) convert_function_value(nr_block_arg(block, i));
    for (NrOp *op = block->first; op; op = op->next) nr_walk_pre(op, number_op, s);
  }
  for (size_t i = 0; i < entry->num_args; i++) {
    NrValue *arg = nr_block_arg(entry, i);
    if (!nr_needs_buffer(arg->type)) continue;
    bool output = nr_is_dispatch_tensor(arg->type) && arg->type->access != NR_READONLY;
    nr_bufferize_adopt(s, arg, NULL);
    nr_bufferize_binding(s, arg)->buffer->output = output;
  }
  for (NrBlock *block = entry; block && !status; block = block->next) status = nr_bufferize_ops(s, block, 0);
  if (!status) erase_dead(s);
  nr_map_clear(&s->bindings);
  nr_map_clear(&s->numbers);
  s->ops.size = s->stops.size = s->dead.size = s->owned.size = 0;
  return status;
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

typedef struct Constants {
  NrOp *table;
  NrMap names; /* value -> symbol of its global in the table */
  NrSymbolNames free_names;
} Constants;

static NrAttr constant_global(Constants *c, NrType type, NrAttr value) {
  NrAttr known = nr_map_get(&c->names, value);
  if (known) return known;
  NrContext *ctx = nr_op_context(c->table);
  NrStr text = nr_symbol_numbered_name(&c->free_names, c->table, NR_STR("__constant"));
  NrBuilder b = nr_builder_at_start(c->table->module, nr_op_body(c->table, 0), c->table->loc);
  NrOp *global = nr_build_op(&b, NR_OP_memref_global, NULL, 0, NULL, 0);
  nr_op_set_attr(global, NR_A_sym_name, nr_attr_string(ctx, text));
  nr_op_set_attr(global, NR_A_sym_visibility, nr_attr_string(ctx, NR_STR("private")));
  nr_op_set_attr(global, NR_A_type, nr_attr_type(type));
  nr_op_set_attr(global, NR_A_initial_value, value);
  nr_op_set_attr(global, NR_A_constant, nr_attr_unit(ctx));
  NrAttr name = nr_attr_symbol(ctx, text);
  nr_map_set(&c->names, value, (void *)name);
  return name;
}

static NrOp *table_of(NrOp *op) {
  while (!nr_op_has(op, NR_SYMBOL_TABLE)) op = nr_op_parent(op);
  return op;
}

/* Creates a memref.global for each different constant that is still used, in the symbol table around its users. Tables
 * that have equal ones share the attribute, of which code generation makes one copy. */
static void create_constant_globals(NrBufferize *s) {
  Constants c = {0};
  for (int of_host = 0; of_host < 2; of_host++) /* then the constants of a table follow each other */
    for (size_t i = 0; i < s->constants.size; i++) {
      NrOp *get = s->constants.data[i], *table = table_of(get);
      if ((table == s->table) != of_host || !nr_value_has_uses(nr_result(get, 0))) continue;
      if (table != c.table) nr_map_clear(&c.names);
      c.table = table;
      nr_op_set_attr(get, NR_A_name, constant_global(&c, nr_result(get, 0)->type, s->constant_values.data[i]));
    }
  for (size_t i = 0; i < s->constants.size; i++)
    if (!nr_value_has_uses(nr_result(s->constants.data[i], 0))) nr_op_erase(s->constants.data[i]);
  nr_map_deinit(&c.names);
  nr_symbol_names_deinit(&c.free_names);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static bool collect_function(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_func_func)) nr_vec_push(&((NrBufferize *)user)->dead, op);
  return true;
}

static NrStatus bufferize_run(NrPassContext *pass, NrOp *module) {
  NrBufferize s = {.ctx = pass->ctx, .module = pass->module, .table = module, .arena = pass->scratch};
  NrStatus status = nr_bufferize_open_executables(&s);
  nr_walk_post(module, collect_function, &s);
  size_t count = s.dead.size;
  NrOp **functions = count ? nr_arena_copy(s.arena, s.dead.data, count * sizeof *functions) : NULL;
  s.dead.size = 0;
  for (size_t i = 0; i < count && !status; i++) status = bufferize_function(&s, functions[i]);
  if (!status) nr_bufferize_close_executables(&s);
  if (!status) create_constant_globals(&s);
  nr_map_deinit(&s.bindings);
  nr_map_deinit(&s.numbers);
  nr_vec_deinit(&s.ops);
  nr_vec_deinit(&s.stops);
  nr_vec_deinit(&s.dead);
  nr_vec_deinit(&s.owned);
  nr_vec_deinit(&s.constants);
  nr_vec_deinit(&s.constant_values);
  nr_map_deinit(&s.exports);
  nr_symbol_tables_deinit(&s.symbols);
  return status;
}

NR_PASS(bufferize, .name = "bufferize", .of_table = true, .run = bufferize_run,
        .doc = "bufferizes tensors: memrefs with one owner each, in-place updates, deallocs")
