/* function.c - functions: their prototypes, and their bodies. */
#include <ctype.h>

#include "codegen/c/c.h"
#include "base/guard.h"
#include "codegen/c/scope.h"
#include "dialect/flow/flow.h"
#include "dialect/func/func.h"
#include "pass/expand/limits.h"

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static NrStatus emit_lane(NrC *g, NrOp *op, const NrCRow *row) {
  const char *args[4];
  NrValue *out = nr_op_result(op);
  if (out->type->kind == NR_TYPE_VECTOR) return nr_c_emit_lanes(g, op, row);
  assert(op->num_operands <= 4);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_c_value(g, nr_operand(op, i));
  const char *text = row->lane(g, op, row, args);
  if (!text) return nr_op_error(op, "has no C for type %s", nr_type_text(g->ctx, out->type));
  nr_c_set(g, out, text);
  return NR_OK;
}

static bool is_needed(const NrC *g, NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_map_has(&g->live, nr_result(op, i))) return true;
  return !op->num_results || !nr_op_only_reads(op);
}

NrStatus nr_c_emit_op(NrC *g, NrOp *op) {
  nr_poll();
  if (!is_needed(g, op)) return NR_OK;
  const NrCRow *row = g->rows[op->info->id];
  if (!row) return nr_op_error(op, "has no C: an earlier stage should have lowered it");
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_c_type(g, nr_result(op, i)->type))
      return nr_op_error(op, "has a result of type %s, which C does not have",
                         nr_type_text(g->ctx, nr_result(op, i)->type));
  return row->emit ? row->emit(g, op, row) : emit_lane(g, op, row);
}

bool nr_c_is_pure(const NrC *g, const NrOp *op) {
  const NrCRow *row = g->rows[op->info->id];
  return row && row->lane;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static void put_prototype(NrC *g, NrBuf *out, const NrCFunc *func) {
  nr_buf_printf(out, "static int32_t %s(NoriaExec *exec", func->name);
  if (func->is_wrapper) {
    nr_buf_puts(out, ", const NoriaDesc *inputs, NoriaDesc *outputs)");
    return;
  }
  NrBlock *entry = nr_func_func_body(func->op);
  for (uint32_t i = 0; i < func->type->num_inputs; i++) {
    NrType type = func->type->inputs[i];
    bool alone = nr_type_is_memref(type) && (nr_func_arg_attr(func->op, i, "noria.noalias") ||
                                             nr_func_arg_attr(func->op, i, "llvm.noalias"));
    const char *name = out == &g->declarations ? nr_c_text(g, "arg%u", i) : nr_c_name(g, nr_block_arg(entry, i));
    nr_buf_printf(out, ", %s", nr_c_declare(g, type, alone ? nr_c_text(g, "restrict %s", name) : name));
  }
  for (uint32_t i = 0; i < func->type->num_results; i++)
    nr_buf_printf(out, ", %s", nr_c_text(g, "%s*result%u", nr_c_declare(g, func->type->results[i], ""), i));
  nr_buf_putc(out, ')');
}

static NrStatus add_function(NrC *g, NrOp *op, NrCFunc func) {
  NrCFunc *kept = NR_NEW(&g->arena, NrCFunc);
  func.name = nr_c_global_name(g, nr_op_attr_str(op, NR_A_sym_name));
  *kept = func;
  nr_vec_push(&g->all, kept);
  nr_map_set(&g->funcs, op, kept);
  if (!nr_op_attr(op, NR_A_noria_entry)) return NR_OK;
  if (g->entry) return nr_op_error(op, "is a second entry of the program");
  g->entry = kept;
  return NR_OK;
}

static NrStatus declare_function(NrC *g, NrOp *op) {
  NrType type = nr_func_type(op);
  if (!type) return nr_op_error(op, "has no function type");
  if (!nr_func_func_body(op)) return NR_OK; /* a declaration; calling it is an error */
  bool is_wrapper = nr_op_attr(op, NR_A_noria_c_wrapper) != NULL;
  if (is_wrapper && !nr_op_attr(op, NR_A_noria_entry)) return NR_OK; /* nothing calls this wrapper */
  for (uint32_t i = 0; i < type->num_inputs + type->num_results; i++) {
    NrType t = i < type->num_inputs ? type->inputs[i] : type->results[i - type->num_inputs];
    if (is_wrapper && !nr_passes_to_runtime(t))
      return nr_op_error(op, "is the program's entry, but has a type that cannot pass the boundary");
    if (!nr_c_type(g, t))
      return nr_op_error(op, "has type %s in its signature, which C does not have", nr_type_text(g->ctx, t));
  }
  return add_function(g, op, (NrCFunc){.op = op, .type = type, .is_wrapper = is_wrapper});
}

static NrStatus declare_in(NrC *g, NrOp *table) {
  for (uint32_t r = 0; r < table->num_regions; r++)
    for (NrBlock *block = table->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next)
        NR_TRY(nr_op_is(op, NR_OP_func_func) ? declare_function(g, op) : declare_in(g, op));
  return NR_OK;
}

NrStatus nr_c_declare_functions(NrC *g) {
  NR_TRY(declare_in(g, g->module->op));
  for (size_t i = 0; i < g->all.size; i++) {
    const NrOp *first = nr_func_func_body(g->all.data[i]->op)->first;
    while (first && nr_op_is(first, NR_OP_arith_constant)) first = first->next;
    bool recursive = first && nr_op_is(first, NR_OP_rt_enter); /* each call takes stack, which that checks */
    nr_buf_puts(&g->declarations, recursive ? "NORIA_UNUSED NORIA_RECURSIVE " : "NORIA_UNUSED ");
    put_prototype(g, &g->declarations, g->all.data[i]);
    nr_buf_puts(&g->declarations, ";\n");
  }
  return NR_OK;
}

NrCFunc *nr_c_find_func(NrC *g, NrOp *user, NrAttr symbol) {
  NrOp *op = nr_flow_function(nr_symbol_find(&g->symbols, user, symbol));
  NrCFunc *func = op ? nr_map_get(&g->funcs, op) : NULL;
  if (!func) nr_op_error(user, "names a function without a body: '%.*s'", NR_STR_ARG(symbol->s));
  return func;
}

static void begin_function(NrC *g, NrCFunc *func) {
  NrMap *maps[] = {&g->live, &g->value_names, &g->inlined, &g->may_inline, &g->hoisted, &g->shapes,
                   &g->heap_allocas};
  for (size_t i = 0; i < NR_COUNTOF(maps); i++) nr_map_clear(maps[i]);
  nr_strmap_clear(&g->local_names);
  g->locals.size = 0;
  g->func = func;
  g->indent = 1;
  g->next_name = 0;
  g->num_descs = 0;
}

/* Says that a parameter is not read where the text does not name it. */
static void put_unused(NrBuf *out, const NrBuf *body, const char *name) {
  size_t size = strlen(name);
  for (const char *at = body->size ? strstr(body->data, name) : NULL; at; at = strstr(at + 1, name)) {
    bool begins = at == body->data || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (begins && !isalnum((unsigned char)at[size]) && at[size] != '_') return;
  }
  nr_buf_printf(out, "  (void)%s;\n", name);
}

static void put_function(NrC *g, NrCFunc *func, const NrBuf *body) {
  NrBlock *entry = nr_func_func_body(func->op);
  NrBuf *out = &g->bodies;
  nr_buf_putc(out, '\n');
  put_prototype(g, out, func);
  nr_buf_puts(out, " {\n");
  if (g->heap_allocas.size) nr_buf_puts(out, "  void *frame = NULL;\n");
  if (g->num_descs) nr_buf_printf(out, "  NoriaDesc desc[%u] = {{0}};\n", g->num_descs);
  if (g->locals.size) nr_buf_append(out, g->locals.data, g->locals.size);
  put_unused(out, body, "exec");
  if (func->is_wrapper) put_unused(out, body, "inputs"), put_unused(out, body, "outputs");
  for (uint32_t i = 0; !func->is_wrapper && i < entry->num_args; i++)
    put_unused(out, body, nr_c_name(g, nr_block_arg(entry, i)));
  if (body->size) nr_buf_append(out, body->data, body->size);
  nr_buf_puts(out, "}\n");
}

static void free_declared(NrCList *list) {
  for (NrCNode *node = list->first; node; node = node->next) {
    nr_vec_deinit(&node->declared);
    free_declared(&node->body);
    free_declared(&node->other);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) free_declared(&node->cases[i]);
  }
}

static NrStatus define_function(NrC *g, NrCFunc *func) {
  NrRegion *region = nr_func_func_region(func->op);
  NrBlock *entry = nr_func_func_body(func->op);
  NrArena arena;
  NrMap skip = {0};
  NrBuf body = {0};
  begin_function(g, func);
  nr_arena_init(&arena);
  nr_c_find_live(g, region);
  nr_c_plan_inlining(g, region);
  nr_c_without_variable(g, region, &skip);
  NrCList *tree = nr_c_structure(&arena, region, &g->live);
  nr_c_scope(tree, &skip, &g->live, &g->hoisted);
  g->out = &body;
  nr_c_plan_allocas(g, region);
  for (uint32_t i = 0; i < entry->num_args; i++) {
    if (func->is_wrapper) nr_c_desc_read(g, nr_block_arg(entry, i), nr_c_text(g, "inputs[%u]", i));
    else nr_c_name(g, nr_block_arg(entry, i));
  }
  NrStatus status = nr_c_put_list(g, tree);
  if (!status) put_function(g, func, &body);
  free_declared(tree);
  nr_buf_deinit(&body);
  nr_map_deinit(&skip);
  nr_arena_deinit(&arena);
  return status;
}

NrStatus nr_c_define_functions(NrC *g) {
  for (size_t i = 0; i < g->all.size; i++) NR_TRY(define_function(g, g->all.data[i]));
  return NR_OK;
}
