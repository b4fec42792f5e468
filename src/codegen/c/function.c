/* function.c - functions: their prototypes, their bodies, and the statements that a tree of blocks stands for. */
#include <ctype.h>

#include "codegen/c/c.h"
#include "base/guard.h"
#include "codegen/c/scope.h"
#include "dialect/cf/ops.h"
#include "dialect/flow/flow.h"
#include "dialect/func/func.h"
#include "dialect/memref/ops.h"
#include "pass/expand/limits.h"

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static NrStatus emit_lane(NrC *g, NrOp *op, const NrCRow *row) {
  const char *args[4];
  NrValue *out = nr_op_result(op);
  if (!nr_map_has(&g->live, out)) return NR_OK;
  if (out->type->kind == NR_TYPE_VECTOR) return nr_c_emit_lanes(g, op, row);
  assert(op->num_operands <= 4);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_c_value(g, nr_operand(op, i));
  const char *text = row->lane(g, op, row, args);
  if (!text) return nr_op_error(op, "has no C for type %s", nr_type_text(g->ctx, out->type));
  nr_c_set(g, out, text);
  return NR_OK;
}

NrStatus nr_c_emit_op(NrC *g, NrOp *op) {
  nr_poll();
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

/* ---- which values are needed ------------------------------------------------------------------------------------- */

typedef NR_VEC(NrValue *) Values;

static void need(NrC *g, NrValue *value, Values *work) {
  if (nr_map_has(&g->live, value)) return;
  nr_map_set(&g->live, value, value);
  nr_vec_push(work, value);
}

static void need_operands(NrC *g, NrOp *op, Values *work) {
  if (nr_op_is(op, NR_OP_memref_reinterpret_cast)) { /* without gaps: strides and offset say nothing */
    NrGroup sizes = nr_memref_reinterpret_cast_sizes(op);
    need(g, nr_memref_reinterpret_cast_source(op), work);
    for (size_t i = 0; i < sizes.count; i++) need(g, nr_operand(op, sizes.begin + i), work);
    return;
  }
  for (size_t i = 0; i < nr_op_num_plain_operands(op); i++) need(g, nr_operand(op, i), work);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (NrOp *inner = b->first; inner; inner = inner->next) {
        need_operands(g, inner, work);
        for (uint32_t i = 0; i < inner->num_results; i++) need(g, nr_result(inner, i), work);
      }
}

/* What an op with effects, a branch's condition or a return reads, and what that is made of. */
void nr_c_find_live(NrC *g, NrRegion *region) {
  Values work = {0};
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next)
      if (op == b->last || !(nr_op_has(op, NR_PURE) || nr_op_is(op, NR_OP_memref_load))) need_operands(g, op, &work);
  while (work.size) {
    NrValue *value = nr_vec_pop(&work);
    if (value->op) need_operands(g, value->op, &work);
    for (NrSuccessor *s = value->block ? value->block->first_pred : NULL; s; s = s->next)
      need(g, nr_successor_operand(s->owner, (size_t)(s - s->owner->successors), value->index), &work);
  }
  nr_vec_deinit(&work);
}

/* ---- which values are written where they are used ---------------------------------------------------------------- */

static bool reads_only(const NrC *g, const NrOp *op) {
  return nr_op_has(op, NR_PURE) || nr_op_is(op, NR_OP_memref_load);
}

/* The one op of the block that uses the value, and may hold its expression; NULL: there is none. */
static NrOp *only_user(const NrOp *op) {
  if (op->num_results != 1 || !nr_value_has_one_use(nr_op_result(op))) return NULL;
  NrOp *user = nr_op_result(op)->first_use->owner;
  bool keeps = nr_op_is(user, NR_OP_memref_reinterpret_cast) || nr_op_is(user, NR_OP_memref_reshape);
  return user->block == op->block && !keeps ? user : NULL;
}

static bool is_candidate(const NrC *g, const NrOp *op) {
  if (op->num_results != 1 || nr_op_result(op)->type->kind == NR_TYPE_VECTOR || !only_user(op)) return false;
  return (nr_op_has(op, NR_PURE) && !nr_op_is(op, NR_OP_arith_constant)) || nr_op_is(op, NR_OP_memref_load);
}

/* A load may be written later only where nothing is written in between. */
static bool stays_same(const NrC *g, const NrOp *load) {
  const NrOp *last = only_user(load);
  while (last && is_candidate(g, last)) last = only_user(last);
  for (const NrOp *at = load->next; at && at != last; at = at->next)
    if (!reads_only(g, at)) return false;
  return last != NULL;
}

static void plan_inlining(NrC *g, NrRegion *region) {
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next)
      if (is_candidate(g, op) && (!nr_op_is(op, NR_OP_memref_load) || stays_same(g, op)))
        nr_map_set(&g->may_inline, nr_op_result(op), op);
}

/* Values without a variable: the former, and constants. */
static void without_variable(NrC *g, NrRegion *region, NrMap *out) {
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next) {
      bool constant = nr_op_is(op, NR_OP_arith_constant) && nr_op_result(op)->type->kind != NR_TYPE_VECTOR;
      if (constant || (op->num_results == 1 && nr_map_has(&g->may_inline, nr_op_result(op))))
        nr_map_set(out, nr_op_result(op), op);
    }
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static NrStatus put_list(NrC *g, const NrCList *list);

static const char *zero_of(NrType type) {
  return type->kind == NR_TYPE_VECTOR || type->kind == NR_TYPE_COMPLEX ? "{0}"
         : type->kind == NR_TYPE_INTEGER && type->width == 1           ? "false"
                                                                       : "0";
}

static void put_declared(NrC *g, const NrCNode *node) {
  for (size_t i = 0; i < node->declared.size; i++) {
    NrValue *value = node->declared.data[i];
    if (!nr_c_type(g, value->type)) continue; /* reported where it is defined */
    nr_c_line(g, "%s = %s;", nr_c_declare(g, value->type, nr_c_name(g, value)), zero_of(value->type));
  }
}

/* Whether the value's expression reads the variable of `argument`. */
static bool reads(NrC *g, const NrValue *value, const NrValue *argument) {
  if (value == argument) return true;
  if (!value->op || !nr_map_has(&g->inlined, value)) return false;
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (reads(g, nr_operand(value->op, i), argument)) return true;
  return false;
}

typedef struct Assign {
  NrValue *to, *from;
  const char *text; /* of from */
  bool done;
} Assign;

static bool is_read_by_others(NrC *g, const Assign *all, size_t count, size_t i) {
  for (size_t k = 0; k < count; k++)
    if (k != i && !all[k].done && all[k].from && reads(g, all[k].from, all[i].to)) return true;
  return false;
}

static void put_assign(NrC *g, const NrCNode *node, const Assign *a) {
  bool here = false;
  for (size_t i = 0; i < node->declared.size; i++) here |= node->declared.data[i] == a->to;
  const char *name = nr_c_name(g, a->to);
  nr_c_line(g, "%s = %s;", here ? nr_c_declare(g, a->to->type, name) : name, a->text);
}

/* All at once: an assignment comes after those that read what it changes; one of a cycle is kept aside. */
static void put_edge(NrC *g, const NrCNode *node) {
  NR_VEC(Assign) all = {0};
  NrBlock *to = node->op->successors[node->successor].block;
  for (uint32_t i = 0; i < node->op->successors[node->successor].num_operands; i++) {
    NrValue *from = nr_successor_operand(node->op, node->successor, i), *arg = nr_block_arg(to, i);
    if (from != arg && nr_map_has(&g->live, arg))
      nr_vec_push(&all, ((Assign){.to = arg, .from = from, .text = nr_c_plain(g, from)}));
  }
  for (size_t left = all.size; left;) {
    size_t next = 0, first = all.size;
    while (next < all.size && (all.data[next].done || is_read_by_others(g, all.data, all.size, next))) {
      if (!all.data[next].done && first == all.size && all.data[next].from) first = next;
      next++;
    }
    if (next < all.size) {
      put_assign(g, node, &all.data[next]);
      all.data[next].done = true;
      left--;
      continue;
    }
    Assign *a = &all.data[first];
    const char *aside = nr_c_local_name(g, nr_str(nr_c_text(g, "next_%s", nr_c_name(g, a->to))));
    nr_c_line(g, "%s = %s;", nr_c_declare(g, a->to->type, aside), a->text);
    a->text = aside;
    a->from = NULL;
  }
  nr_vec_deinit(&all);
}

static const char *condition(NrC *g, const NrCNode *node, bool negated) {
  NrValue *value = nr_cf_cond_br_condition(node->op);
  const char *text = nr_c_plain(g, value);
  return node->negated == negated ? text : nr_c_text(g, "!%s", nr_c_group(g, text));
}

static NrStatus put_braces(NrC *g, const NrCList *list) {
  g->indent++;
  NrStatus status = put_list(g, list);
  g->indent--;
  return status;
}

static NrStatus put_if(NrC *g, const NrCNode *node) {
  if (!node->body.first && !node->other.first) return NR_OK;
  nr_c_line(g, "if (%s) {", condition(g, node, false));
  NR_TRY(put_braces(g, &node->body));
  if (node->other.first) {
    nr_c_line(g, "} else {");
    NR_TRY(put_braces(g, &node->other));
  }
  nr_c_line(g, "}");
  return NR_OK;
}

/* The first successor is the default; of equal values the first counts. */
static NrStatus put_switch(NrC *g, const NrCNode *node) {
  NrAttr values = nr_op_attr(node->op, NR_A_case_values);
  NrMap seen = {0};
  NrStatus status = NR_OK;
  nr_c_line(g, "switch (%s%s) {", nr_type_is_int_width(nr_cf_switch_flag(node->op)->type, 1) ? "(int)" : "",
            nr_c_value(g, nr_cf_switch_flag(node->op)));
  for (uint32_t i = 1; i <= node->op->num_successors && !status; i++) {
    bool otherwise = i == node->op->num_successors;
    NrAttr attr = otherwise ? NULL : nr_attr_element(values, i - 1);
    int64_t value = 0;
    if (attr && nr_map_has(&seen, attr)) continue;
    if (attr) nr_map_set(&seen, attr, node->op);
    if (attr) nr_attr_is_int(attr, &value);
    if (nr_type_is_int_width(nr_cf_switch_flag(node->op)->type, 1)) value &= 1;
    if (otherwise) nr_c_line(g, "default: {");
    else nr_c_line(g, "case %s: {", nr_c_int(g, value));
    status = put_braces(g, &node->cases[otherwise ? 0 : i]);
    g->indent++;
    nr_c_line(g, "break;");
    g->indent--;
    nr_c_line(g, "}");
  }
  nr_c_line(g, "}");
  nr_map_deinit(&seen);
  return status;
}

static NrStatus put_block(NrC *g, NrBlock *block) {
  NrStatus status = NR_OK;
  for (NrOp *op = block->first; op != block->last && !status; op = op->next) status = nr_c_emit_op(g, op);
  return status;
}

/* A loop that begins with a test is a while. */
static NrStatus put_loop(NrC *g, const NrCNode *node) {
  NrCNode *first = node->body.first, *test = first ? first->next : NULL;
  bool tests = test && first->kind == NR_C_BLOCK && !first->declared.size && !test->declared.size &&
               test->kind == NR_C_IF && test->body.first && test->body.first->kind == NR_C_BREAK && !test->other.first;
  NrStatus status = NR_OK;
  NrBuf head = {0}, *out = g->out;
  if (tests) {
    g->out = &head;
    g->indent++;
    status = put_block(g, first->block);
    g->indent--;
    g->out = out;
  }
  if (tests && !head.size) {
    nr_c_line(g, "while (%s) {", condition(g, test, true));
    NrCList rest = {.first = test->next};
    if (!status) status = put_braces(g, &rest);
  } else {
    nr_c_line(g, "for (;;) {");
    if (head.size) nr_buf_append(g->out, head.data, head.size);
    NrCList rest = {.first = tests ? test : first};
    if (!status) status = put_braces(g, &rest);
  }
  nr_c_line(g, "}");
  nr_buf_deinit(&head);
  return status;
}

/* The entry records a place for the message about a run that exceeded its limit without reaching another safepoint. */
static void leave_place(NrC *g, NrOp *op) {
  NrOp *asks = op->prev;
  while (asks && !nr_op_is(asks, NR_OP_rt_safepoint)) asks = asks->prev;
  NrStr place = nr_c_place(g, asks ? asks : op);
  if (place.size) nr_c_line(g, "exec->place = %u;", nr_c_site(g, place, (NrStr){0}));
}

static void put_return(NrC *g, NrOp *op) {
  if (nr_op_attr(op, NR_A_noria_leaves_place)) leave_place(g, op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    if (g->func->is_wrapper) nr_c_desc_write(g, value, nr_c_text(g, "outputs[%u]", i));
    else nr_c_line(g, "*result%u = %s;", i, nr_c_plain(g, value));
  }
  if (g->heap_allocas.size) nr_c_line(g, "noria_free_frame(exec, frame);");
  nr_c_line(g, "return 0;");
}

static NrStatus put_node(NrC *g, const NrCNode *node) {
  if (node->kind == NR_C_EDGE) {
    for (size_t i = 0; i < node->declared.size; i++) { /* those that it assigns are declared there */
      NrValue *value = node->declared.data[i];
      NrBlock *to = node->op->successors[node->successor].block;
      if (value->block == to && nr_successor_operand(node->op, node->successor, value->index) != value) continue;
      nr_c_line(g, "%s = %s;", nr_c_declare(g, value->type, nr_c_name(g, value)), zero_of(value->type));
    }
    put_edge(g, node);
    return NR_OK;
  }
  put_declared(g, node);
  switch (node->kind) {
  case NR_C_BLOCK: return put_block(g, node->block);
  case NR_C_IF: return put_if(g, node);
  case NR_C_SWITCH: return put_switch(g, node);
  case NR_C_LOOP: return put_loop(g, node);
  case NR_C_LABEL:
    if (node->used) nr_c_line(g, "block%u:;", node->block->mark);
    return NR_OK;
  case NR_C_GOTO: nr_c_line(g, "goto block%u;", node->block->mark); return NR_OK;
  case NR_C_CONTINUE: nr_c_line(g, "continue;"); return NR_OK;
  case NR_C_BREAK: nr_c_line(g, "break;"); return NR_OK;
  default: put_return(g, node->op); return NR_OK;
  }
}

static NrStatus put_list(NrC *g, const NrCList *list) {
  NrStatus status = NR_OK;
  for (const NrCNode *node = list->first; node && !status; node = node->next) status = put_node(g, node);
  return status;
}

static void free_declared(NrCList *list) {
  for (NrCNode *node = list->first; node; node = node->next) {
    nr_vec_deinit(&node->declared);
    free_declared(&node->body);
    free_declared(&node->other);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) free_declared(&node->cases[i]);
  }
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

static NrStatus define_function(NrC *g, NrCFunc *func) {
  NrRegion *region = nr_func_func_region(func->op);
  NrBlock *entry = nr_func_func_body(func->op);
  NrArena arena;
  NrMap skip = {0};
  NrBuf body = {0};
  begin_function(g, func);
  nr_arena_init(&arena);
  nr_c_find_live(g, region);
  plan_inlining(g, region);
  without_variable(g, region, &skip);
  NrCList *tree = nr_c_structure(&arena, region);
  nr_c_scope(tree, &skip, &g->live, &g->hoisted);
  g->out = &body;
  nr_c_plan_allocas(g, region);
  for (uint32_t i = 0; i < entry->num_args; i++) {
    if (func->is_wrapper) nr_c_desc_read(g, nr_block_arg(entry, i), nr_c_text(g, "inputs[%u]", i));
    else nr_c_name(g, nr_block_arg(entry, i));
  }
  NrStatus status = put_list(g, tree);
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
