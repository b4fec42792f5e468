/* statements.c - the statements that a tree of blocks stands for. */
#include "codegen/c/c.h"
#include "dialect/arith/compare.h"
#include "dialect/arith/ops.h"
#include "dialect/cf/ops.h"
#include "dialect/rt/ops.h"


static const char *zero_of(NrType type) {
  return type->kind == NR_TYPE_VECTOR || type->kind == NR_TYPE_COMPLEX ? "{0}"
         : type->kind == NR_TYPE_INTEGER && type->width == 1           ? "false"
                                                                       : "0";
}

static void put_declared(NrC *g, const NrCNode *node) {
  for (size_t i = 0; i < node->declared.size; i++) {
    NrValue *value = node->declared.data[i];
    if (!nr_c_type(g, value->type) || (node->begin && value == node->counter)) continue;
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
    if (from != arg && arg != node->counter && nr_map_has(&g->live, arg))
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
  NrStatus status = nr_c_put_list(g, list);
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

/* What an op of two operands computes, though it is not reached yet. */
static const char *computed(NrC *g, NrOp *op) {
  const char *args[2];
  for (uint32_t i = 0; i < NR_COUNTOF(args); i++) args[i] = nr_c_value(g, nr_operand(op, i));
  const NrCRow *row = g->rows[op->info->id];
  return row->lane(g, op, row, args);
}

/* A counter below a number of its type has room for one more. */
static const char *step_of(NrC *g, const NrCNode *loop, bool is_below) {
  int64_t step;
  bool is_one = nr_value_constant_int(nr_arith_addi_rhs(loop->step), &step) && step == 1;
  if (is_one && is_below) return nr_c_text(g, "%s++", nr_c_name(g, loop->counter));
  return nr_c_text(g, "%s = %s", nr_c_name(g, loop->counter), computed(g, loop->step));
}

static NrStatus put_for(NrC *g, const NrCNode *loop) {
  NrCNode *head = loop->body.first, *test = head->next;
  const char *name = nr_c_name(g, loop->counter), *begin = "";
  if (loop->begin)
    begin = nr_c_text(g, "%s = %s", nr_c_declare(g, loop->counter->type, name), nr_c_plain(g, loop->begin));
  bool is_below = test->negated && nr_cmpi_of(loop->test) == NR_CMPI_SLT;
  const char *compared = computed(g, loop->test), *step = step_of(g, loop, is_below);
  if (!test->negated) compared = nr_c_text(g, "!%s", nr_c_group(g, compared));
  nr_c_line(g, "for (%s; %s; %s) {", begin, compared, step);
  NrCList rest = {.first = test->next};
  NR_TRY(put_braces(g, &rest));
  nr_c_line(g, "}");
  return NR_OK;
}

/* A loop that begins with a test is a while. */
static NrStatus put_loop(NrC *g, const NrCNode *node) {
  if (node->counter) return put_for(g, node);
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

NrStatus nr_c_put_list(NrC *g, const NrCList *list) {
  NrStatus status = NR_OK;
  for (const NrCNode *node = list->first; node && !status; node = node->next) status = put_node(g, node);
  return status;
}
