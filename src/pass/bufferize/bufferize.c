/* bufferize.c - bufferizes tensors: memrefs with one owner each, in-place updates, and deallocs.
 *
 *   before  %1 = tensor.insert %x into %0[%i] : tensor<?xf32>      after  memref.store %x, %0[%i] : memref<?xf32>
 *
 * Needs no reference counts: a buffer has one owner at a time, the block that allocated it or to which it was moved. An
 * op writes its destination in place when its block owns the buffer and no later op needs the old contents; else it
 * writes a copy. Function arguments and constants are borrowed; function results are always new buffers. Time is linear
 * in the size of the program times the depth of its regions.
 *
 * Three steps for each function: prepare.c rewrites it to fewer kinds of ops, analysis.h decides, and rewrite.c carries
 * the decisions out. */
#include "pass/bufferize/bufferize.h"

/* ---- functions -------------------------------------------------------------------------------------------------- */

static void erase_dead(NrBufferize *s) {
  for (size_t i = 0; i < s->dead.size; i++) nr_op_drop_uses(s->dead.data[i]);
  for (size_t i = 0; i < s->dead.size; i++) nr_op_erase(s->dead.data[i]);
}

static NrStatus refuse_branching_function(NrOp *func) {
  NrBlock *entry = nr_op_only_body(func);
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
  NrBlock *entry = nr_op_only_body(func);
  NrStatus status = refuse_branching_function(func);
  if (!entry || status) return status;
  NR_TRY(nr_bufferize_prepare(func));
  status = nr_analyse_function(&s->analysis, func);
  if (!status && s->explain) nr_analysis_explain(&s->analysis);
  s->number = 0;
  for (NrBlock *block = entry; block && !status; block = block->next) status = nr_rewrite_block(s, block);
  if (!status) {
    nr_carry_out_frees(s);
    erase_dead(s);
  }
  nr_analysis_clear(&s->analysis);
  s->dead.size = 0;
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
  NrBuilder b = nr_builder_at_start(c->table->module, nr_op_only_body(c->table), c->table->loc);
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
      if ((table == s->table) != of_host || !nr_value_has_uses(nr_op_result(get))) continue;
      if (table != c.table) nr_map_clear(&c.names);
      c.table = table;
      nr_op_set_attr(get, NR_A_name, constant_global(&c, nr_op_result(get)->type, s->constant_values.data[i]));
    }
  for (size_t i = 0; i < s->constants.size; i++)
    if (!nr_value_has_uses(nr_op_result(s->constants.data[i]))) nr_op_erase(s->constants.data[i]);
  nr_map_deinit(&c.names);
  nr_symbol_names_deinit(&c.free_names);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

static bool collect_function(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_func_func)) nr_vec_push(&((NrBufferize *)user)->dead, op);
  return true;
}

static NrStatus bufferize_run(NrPassContext *pass, NrOp *module) {
  NrBufferize s = {.ctx = pass->ctx, .module = pass->module, .table = module, .arena = pass->scratch,
                   .analysis = {.ctx = pass->ctx, .arena = pass->scratch},
                   .explain = pass->explain};
  nr_bufferize_open_executables(&s);
  NrStatus status = NR_OK;
  nr_walk_post(module, collect_function, &s);
  size_t count = s.dead.size;
  NrOp **functions = count ? nr_arena_copy(s.arena, s.dead.data, count * sizeof *functions) : NULL;
  s.dead.size = 0;
  for (size_t i = 0; i < count && !status; i++) status = bufferize_function(&s, functions[i]);
  if (!status) nr_bufferize_close_executables(&s);
  if (!status) create_constant_globals(&s);
  nr_analysis_deinit(&s.analysis);
  nr_vec_deinit(&s.dead);
  nr_vec_deinit(&s.constants);
  nr_vec_deinit(&s.constant_values);
  nr_map_deinit(&s.exports);
  nr_symbol_tables_deinit(&s.symbols);
  return status;
}

NR_PASS(bufferize, .name = "bufferize", .on_while = NR_WHILE_HANDLES, .of_table = true, .run = bufferize_run,
        .explains = "bufferize", .doc = "bufferizes tensors: memrefs with one owner each, in-place updates, deallocs")
