/* structure.c - loops and ifs from blocks.
 *
 * A block that only its dominator branches to stands in the branch, others behind their dominator with a label; those
 * that a loop is left for stand behind the loop. Then a branch is a fall through, continue, break, or goto.
 * Source: Ramsey, "Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured Control Flow"
 * (2022). Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). */
#include "codegen/c/structure.h"

#include "codegen/c/loops.h"
#include "dialect/cf/ops.h"
#include "dialect/func/ops.h"
#include "ir/op_info.h"

#define NONE UINT32_MAX

typedef struct Info {
  NrBlock *block;
  uint32_t idom, loop; /* loop: number of the innermost one's header, or NONE */
  uint32_t home;       /* the header behind whose loop it stands, or NONE */
  uint32_t child, sibling, last_child; /* in the dominator tree, by number */
  uint32_t num_preds; /* edges */
  bool is_header, in_branch, is_placed;
  NrCNode *label;
} Info;

typedef struct Loop {
  uint32_t header, break_to;
  bool in_switch; /* a break would leave the switch */
} Loop;

typedef struct Structure {
  NrArena *arena;
  Info *blocks; /* in reverse postorder */
  uint32_t count;
} Structure;

/* ---- order, dominators, loops ----------------------------------------------------------------------------------- */

typedef struct Visit {
  NrBlock *block;
  uint32_t next;
} Visit;

static uint32_t num_successors(const NrBlock *block) { return block->last ? block->last->num_successors : 0; }

/* Numbers the reachable blocks in reverse postorder, in their field mark. */
static void order_blocks(Structure *s, NrRegion *region) {
  NR_VEC(Visit) stack = {0};
  NR_VEC(NrBlock *) done = {0};
  for (NrBlock *b = region->first; b; b = b->next) b->mark = 0;
  nr_vec_push(&stack, ((Visit){region->first, 0}));
  region->first->mark = 1;
  while (stack.size) {
    Visit *top = &nr_vec_last(&stack);
    uint32_t count = num_successors(top->block);
    if (top->next == count) {
      nr_vec_push(&done, top->block);
      stack.size--;
      continue;
    }
    NrBlock *to = top->block->last->successors[count - ++top->next].block; /* the last first: so it comes last */
    if (to->mark) continue;
    to->mark = 1;
    nr_vec_push(&stack, ((Visit){to, 0}));
  }
  for (NrBlock *b = region->first; b; b = b->next) b->mark = NONE;
  s->count = (uint32_t)done.size;
  s->blocks = NR_NEW_ARRAY(s->arena, Info, done.size);
  for (uint32_t i = 0; i < s->count; i++) {
    NrBlock *block = done.data[s->count - 1 - i];
    s->blocks[i] = (Info){.block = block, .idom = NONE, .loop = NONE, .home = NONE, .child = NONE, .sibling = NONE};
    block->mark = i;
  }
  nr_vec_deinit(&stack);
  nr_vec_deinit(&done);
}

static uint32_t intersect(const Structure *s, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a > b) a = s->blocks[a].idom;
    while (b > a) b = s->blocks[b].idom;
  }
  return a;
}

#define FOR_EACH_PRED(p, s, b)                                                                                         \
  for (NrSuccessor *edge_ = (s)->blocks[b].block->first_pred; edge_; edge_ = edge_->next)                              \
    for (uint32_t p = edge_->owner->block->mark, once_ = 1; once_ && p != NONE; once_ = 0)

static void find_dominators(Structure *s) {
  s->blocks[0].idom = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 1; b < s->count; b++) {
      uint32_t best = NONE;
      FOR_EACH_PRED(p, s, b)
        if (s->blocks[p].idom != NONE) best = best == NONE ? p : intersect(s, p, best);
      changed |= best != s->blocks[b].idom;
      s->blocks[b].idom = best;
    }
  }
  for (uint32_t b = 1; b < s->count; b++) { /* children in order */
    Info *parent = &s->blocks[s->blocks[b].idom];
    if (parent->child == NONE) parent->child = b;
    else s->blocks[parent->last_child].sibling = b;
    parent->last_child = b;
  }
}

static bool dominates(const Structure *s, uint32_t a, uint32_t b) {
  while (b > a) b = s->blocks[b].idom;
  return a == b;
}

/* Headers from the inside out: each claims the blocks that reach its back edges, or the loops that they are in. */
static void find_loops(Structure *s) {
  NR_VEC(uint32_t) work = {0};
  for (uint32_t h = s->count; h-- > 0;) {
    FOR_EACH_PRED(p, s, h)
      if (p >= h && dominates(s, h, p)) nr_vec_push(&work, p), s->blocks[h].is_header = true;
    while (work.size) {
      uint32_t b = nr_vec_pop(&work);
      while (b != h && s->blocks[b].loop != NONE && s->blocks[b].loop != h) b = s->blocks[b].loop;
      if (b == h || s->blocks[b].loop == h) continue;
      s->blocks[b].loop = h;
      FOR_EACH_PRED(p, s, b) nr_vec_push(&work, p);
    }
  }
  nr_vec_deinit(&work);
}

/* A header is in its own loop; .loop of a header is the next one outwards. */
static uint32_t loop_at(const Structure *s, uint32_t b) { return s->blocks[b].is_header ? b : s->blocks[b].loop; }

static bool is_in(const Structure *s, uint32_t b, uint32_t header) {
  for (uint32_t at = loop_at(s, b); at != NONE; at = s->blocks[at].loop)
    if (at == header) return true;
  return false;
}

/* Few ops and a return: such a block may stand inside of the loop that it leaves. */
static bool is_short_return(const NrBlock *block) {
  size_t ops = 0;
  for (NrOp *op = block->first; op; op = op->next) ops++;
  return ops <= 4 && nr_op_is(block->last, NR_OP_func_return);
}

static void place(Structure *s) {
  for (uint32_t b = 1; b < s->count; b++) {
    Info *info = &s->blocks[b];
    FOR_EACH_PRED(p, s, b) info->num_preds++;
    for (uint32_t at = loop_at(s, info->idom); at != NONE; at = s->blocks[at].loop)
      if (!is_in(s, b, at)) info->home = at;
    bool is_single = info->num_preds == 1 && !info->is_header;
    bool ends_loop = s->blocks[info->idom].is_header; /* by its test */
    if (is_single && !ends_loop && is_short_return(info->block)) info->home = NONE;
    info->in_branch = is_single && info->home == NONE;
  }
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static NrCNode *add(Structure *s, NrCList *list, NrCNodeKind kind) {
  NrCNode *node = NR_NEW(s->arena, NrCNode);
  node->kind = kind;
  if (list->last) list->last->next = node;
  else list->first = node;
  list->last = node;
  return node;
}

static void put_block(Structure *s, uint32_t b, NrCList *list, uint32_t next, const Loop *loop);

static void put_label(Structure *s, uint32_t b, NrCList *list) {
  NrCNode *node = add(s, list, NR_C_LABEL);
  node->block = s->blocks[b].block;
  node->used = s->blocks[b].label != NULL; /* a goto came first */
  s->blocks[b].label = node;
}

static void put_goto(Structure *s, uint32_t b, NrCList *list) {
  static NrCNode later;
  add(s, list, NR_C_GOTO)->block = s->blocks[b].block;
  if (s->blocks[b].label && s->blocks[b].label != &later) s->blocks[b].label->used = true;
  else s->blocks[b].label = &later;
}

static void put_edge(Structure *s, NrOp *op, uint32_t successor, NrCList *list, uint32_t next, const Loop *loop) {
  uint32_t to = op->successors[successor].block->mark;
  if (op->successors[successor].num_operands) {
    NrCNode *edge = add(s, list, NR_C_EDGE);
    edge->op = op;
    edge->successor = successor;
  }
  if (to == next) return;
  if (loop && to == loop->header) add(s, list, NR_C_CONTINUE);
  else if (loop && !loop->in_switch && to == loop->break_to) add(s, list, NR_C_BREAK);
  else if (s->blocks[to].in_branch) put_block(s, to, list, next, loop);
  else put_goto(s, to, list);
}

static bool leaves(const NrCList *list) {
  if (!list->last) return false;
  NrCNodeKind kind = list->last->kind;
  return kind == NR_C_CONTINUE || kind == NR_C_BREAK || kind == NR_C_GOTO || kind == NR_C_RETURN;
}

static void splice(NrCList *to, NrCList *from) {
  if (!from->first) return;
  if (to->last) to->last->next = from->first;
  else to->first = from->first;
  to->last = from->last;
  *from = (NrCList){0};
}

/* An if without else where a branch does nothing or leaves. */
static void put_if(Structure *s, NrOp *op, NrCList *list, uint32_t next, const Loop *loop) {
  NrCNode *node = add(s, list, NR_C_IF);
  node->op = op;
  put_edge(s, op, 0, &node->body, next, loop);
  put_edge(s, op, 1, &node->other, next, loop);
  if (!node->body.first || (!leaves(&node->body) && leaves(&node->other))) {
    NrCList swapped = node->body;
    node->body = node->other;
    node->other = swapped;
    node->negated = true;
  }
  if (leaves(&node->body)) splice(list, &node->other);
}

static void put_switch(Structure *s, NrOp *op, NrCList *list, uint32_t next, const Loop *loop) {
  NrCNode *node = add(s, list, NR_C_SWITCH);
  Loop inner = loop ? *loop : (Loop){NONE, NONE, false};
  inner.in_switch = true;
  node->op = op;
  node->cases = NR_NEW_ARRAY(s->arena, NrCList, op->num_successors);
  for (uint32_t i = 0; i < op->num_successors; i++) put_edge(s, op, i, &node->cases[i], next, loop ? &inner : NULL);
}

static void put_terminator(Structure *s, NrOp *op, NrCList *list, uint32_t next, const Loop *loop) {
  if (op->num_successors == 0) add(s, list, NR_C_RETURN)->op = op;
  else if (op->num_successors == 1) put_edge(s, op, 0, list, next, loop);
  else if (nr_op_is(op, NR_OP_cf_cond_br)) put_if(s, op, list, next, loop);
  else put_switch(s, op, list, next, loop);
}

static bool is_behind(const Structure *s, uint32_t b) { return s->blocks[b].home == NONE && !s->blocks[b].in_branch; }

/* The next child of b, from `at` on, that stands behind it. */
static uint32_t next_behind(const Structure *s, uint32_t at) {
  while (at != NONE && !is_behind(s, at)) at = s->blocks[at].sibling;
  return at;
}

/* b without what is behind its loop, if it heads one. */
static void put_body(Structure *s, uint32_t b, NrCList *list, uint32_t next, const Loop *loop) {
  for (;;) {
    uint32_t behind = next_behind(s, s->blocks[b].child);
    add(s, list, NR_C_BLOCK)->block = s->blocks[b].block;
    put_terminator(s, s->blocks[b].block->last, list, behind == NONE ? next : behind, loop);
    while (behind != NONE) {
      uint32_t following = next_behind(s, s->blocks[behind].sibling);
      put_label(s, behind, list);
      if (following == NONE && !s->blocks[behind].is_header) break; /* the usual case needs no stack */
      put_block(s, behind, list, following == NONE ? next : following, loop);
      behind = following;
    }
    if (behind == NONE) return;
    b = behind;
  }
}

/* The first block from b on that stands behind the loop of header; in order. */
static uint32_t next_home(const Structure *s, uint32_t b, uint32_t header) {
  while (b < s->count && s->blocks[b].home != header) b++;
  return b < s->count ? b : NONE;
}

static void put_block(Structure *s, uint32_t b, NrCList *list, uint32_t next, const Loop *loop) {
  if (!s->blocks[b].is_header) {
    put_body(s, b, list, next, loop);
    return;
  }
  uint32_t behind = next_home(s, b + 1, b);
  Loop inner = {b, behind == NONE ? next : behind, false};
  NrCNode *node = add(s, list, NR_C_LOOP);
  node->block = s->blocks[b].block;
  put_body(s, b, &node->body, b, &inner);
  while (behind != NONE) {
    uint32_t following = next_home(s, behind + 1, b);
    put_label(s, behind, list);
    put_block(s, behind, list, following == NONE ? next : following, loop);
    behind = following;
  }
}

static void link_lists(NrCList *list, NrCNode *owner) {
  list->owner = owner;
  list->depth = owner ? owner->list->depth + 1 : 0;
  for (NrCNode *node = list->first; node; node = node->next) {
    node->list = list;
    link_lists(&node->body, node);
    link_lists(&node->other, node);
    for (uint32_t i = 0; node->cases && i < node->op->num_successors; i++) link_lists(&node->cases[i], node);
  }
}

NrCList *nr_c_structure(NrArena *arena, NrRegion *region, NrMap *live) {
  Structure s = {.arena = arena};
  order_blocks(&s, region);
  find_dominators(&s);
  find_loops(&s);
  place(&s);
  NrCList *list = NR_NEW(arena, NrCList);
  put_block(&s, 0, list, NONE, NULL);
  nr_c_find_fors(list, live);
  link_lists(list, NULL);
  return list;
}
