/* scope.c - where the variables of a function are declared: in the innermost braces that have all of their uses, before
 * the first of them. A variable whose op stands there is declared by its definition. */
#include "codegen/c/scope.h"

#include "dialect/cf/ops.h"
#include "ir/op_info.h"

typedef struct Site {
  NrCList *list;  /* innermost one that has all definitions and uses so far */
  bool declared;
} Site;

typedef struct Scope {
  NrArena arena;
  NrMap sites; /* NrValue* -> Site* */
  const NrMap *skip, *live;
  NrMap *hoisted;
  bool assigns; /* the second walk */
} Scope;

static NrCList *common(NrCList *a, NrCList *b) {
  while (a != b) {
    if (a->depth >= b->depth) a = a->owner->list;
    else b = b->owner->list;
  }
  return a;
}

static void visit(Scope *s, NrValue *value, NrCNode *node) {
  bool is_argument = value->block && nr_block_parent_op(value->block) && !value->block->first_pred;
  if (is_argument || !nr_map_has(s->live, value) || nr_map_has(s->skip, value)) return;
  Site *site = nr_map_get(&s->sites, value);
  if (!s->assigns) {
    if (!site) {
      site = NR_NEW(&s->arena, Site);
      site->list = node->list;
      nr_map_set(&s->sites, value, site);
    } else site->list = common(site->list, node->list);
    return;
  }
  if (site->declared) return;
  site->declared = true;
  bool in_place = value->op && node->kind == NR_C_BLOCK && value->op->block == node->block && node->list == site->list;
  if (in_place) return;
  while (node->list != site->list) node = node->list->owner;
  nr_vec_push(&node->declared, value);
  if (value->op) nr_map_set(s->hoisted, value, value);
}

static void visit_nested(Scope *s, NrOp *op, NrCNode *node) {
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrOp *from = nr_operand(op, i)->op;
    visit(s, nr_operand(op, i), node);
    /* The sizes of a memref are read where it passes to the runtime. */
    if (from && (nr_op_is(from, NR_OP_memref_reinterpret_cast) || nr_op_is(from, NR_OP_memref_reshape)))
      for (uint32_t k = 0; k < from->num_operands; k++) visit(s, nr_operand(from, k), node);
  }
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (NrOp *inner = b->first; inner; inner = inner->next) visit_nested(s, inner, node);
}

static void walk(Scope *s, NrCList *list) {
  for (NrCNode *node = list->first; node; node = node->next) {
    NrOp *op = node->op;
    switch (node->kind) {
    case NR_C_BLOCK:
      for (NrOp *at = node->block->first; at != node->block->last; at = at->next) {
        visit_nested(s, at, node);
        for (uint32_t i = 0; i < at->num_results; i++) visit(s, nr_result(at, i), node);
      }
      break;
    case NR_C_EDGE:
      for (uint32_t i = 0; i < op->successors[node->successor].num_operands; i++) {
        if (nr_block_arg(op->successors[node->successor].block, i) == node->counter) continue;
        visit(s, nr_successor_operand(op, node->successor, i), node);
        visit(s, nr_block_arg(op->successors[node->successor].block, i), node);
      }
      break;
    case NR_C_IF:
    case NR_C_SWITCH:
      visit(s, nr_op_is(op, NR_OP_cf_switch) ? nr_cf_switch_flag(op) : nr_cf_cond_br_condition(op), node);
      break;
    case NR_C_RETURN: visit_nested(s, op, node); break;
    case NR_C_LOOP:
      if (!node->counter) break;
      if (node->begin) visit(s, node->begin, node);
      visit_nested(s, node->test, node);
      visit_nested(s, node->step, node);
      break;
    default: break;
    }
    walk(s, &node->body);
    walk(s, &node->other);
    for (uint32_t i = 0; node->cases && i < op->num_successors; i++) walk(s, &node->cases[i]);
  }
}

void nr_c_scope(NrCList *tree, const NrMap *skip, const NrMap *live, NrMap *hoisted) {
  Scope s = {.skip = skip, .live = live, .hoisted = hoisted};
  nr_arena_init(&s.arena);
  walk(&s, tree);
  s.assigns = true;
  walk(&s, tree);
  nr_map_deinit(&s.sites);
  nr_arena_deinit(&s.arena);
}
