/* dominance.c - dominators of a region's blocks.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). The search uses an explicit stack. */
#include "ir/op_info.h"

/* A block that the entry reaches. */
typedef struct Node {
  NrBlock *block;
  uint32_t idom;  /* its dominator's number */
  uint32_t first; /* place in a preorder of the dominator tree: a block dominates the size of them from there */
  uint32_t size;
  uint32_t next; /* place of the next child in that order, while it is made */
} Node;

struct NrDominance {
  NrRegion *region;
  Node *nodes; /* by the dom_number of their blocks: a dominator's is less */
  uint32_t count;
};

#define NONE UINT32_MAX

static bool number_of(const NrDominance *dom, const NrBlock *block, uint32_t *out) {
  *out = block->dom_number;
  return *out < dom->count && dom->nodes[*out].block == block;
}

/* An edge from a block that a sweep has not come to. */
typedef struct Edge {
  const NrBlock *from;
  uint32_t to;
} Edge;
typedef NR_VEC(Edge) Edges;

static uint32_t intersect(const NrDominance *dom, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a > b) a = dom->nodes[a].idom;
    while (b > a) b = dom->nodes[b].idom;
  }
  return a;
}

/* ---- the order of the blocks ------------------------------------------------------------------------------------- */

typedef struct Frame {
  NrBlock *block;
  uint32_t next_successor;
} Frame;

/* Reverse postorder of a search from the entry on. */
static void number_by_search(NrDominance *dom) {
  enum { NEW, SEEN };
  NR_VEC(Frame) stack = {0};
  NR_VEC(NrBlock *) order = {0};
  for (NrBlock *block = dom->region->first; block; block = block->next) block->mark = NEW;
  nr_vec_push(&stack, ((Frame){dom->region->first, 0}));
  dom->region->first->mark = SEEN;
  while (stack.size) {
    Frame *top = &nr_vec_last(&stack);
    NrOp *last = top->block->last;
    if (last && top->next_successor < last->num_successors) {
      NrBlock *next = last->successors[top->next_successor++].block;
      if (next && next->region == dom->region && next->mark == NEW) {
        next->mark = SEEN;
        nr_vec_push(&stack, ((Frame){next, 0}));
      }
    } else {
      nr_vec_push(&order, top->block);
      (void)nr_vec_pop(&stack);
    }
  }
  assert(order.size < UINT32_MAX);
  dom->count = (uint32_t)order.size;
  dom->nodes = nr_malloc(order.size * sizeof *dom->nodes);
  for (uint32_t i = 0; i < dom->count; i++) {
    NrBlock *block = order.data[dom->count - 1 - i];
    dom->nodes[i] = (Node){.block = block, .idom = i ? NONE : 0};
    block->dom_number = i;
  }
  nr_vec_deinit(&order);
  nr_vec_deinit(&stack);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* Numbers the blocks as they are listed and finds their dominators on the way. False when a block is listed before all
 * that lead to it: the order then says nothing. Structured programs are mostly listed in a good order, and a search
 * through a large region costs several cache misses for each block. */
static bool sweep_as_listed(NrDominance *dom, Edges *late) {
  NR_VEC(Node) nodes = {0};
  bool ordered = true;
  for (NrBlock *block = dom->region->first; block && ordered; block = block->next) {
    uint32_t best = dom->count ? NONE : 0, p;
    for (NrSuccessor *s = block->first_pred; s; s = s->next) {
      NrBlock *from = s->owner->block;
      if (!from || from->region != dom->region) continue;
      if (!number_of(dom, from, &p)) nr_vec_push(late, ((Edge){from, dom->count}));
      else best = best == NONE ? p : intersect(dom, best, p);
    }
    ordered = best != NONE;
    block->dom_number = dom->count++;
    assert(dom->count < UINT32_MAX);
    nr_vec_push(&nodes, ((Node){.block = block, .idom = best}));
    dom->nodes = nodes.data;
  }
  return ordered;
}

/* One sweep over the blocks that are numbered; true when a dominator changed. */
static bool sweep(NrDominance *dom, Edges *late) {
  bool changed = false;
  for (uint32_t i = 1; i < dom->count; i++) {
    uint32_t best = NONE, p;
    for (NrSuccessor *s = dom->nodes[i].block->first_pred; s; s = s->next) {
      if (!s->owner->block || !number_of(dom, s->owner->block, &p)) continue;
      if (dom->nodes[p].idom == NONE) nr_vec_push(late, ((Edge){s->owner->block, i}));
      else best = best == NONE ? p : intersect(dom, best, p);
    }
    changed |= best != dom->nodes[i].idom;
    dom->nodes[i].idom = best;
  }
  return changed;
}

/* Whether each late edge leads back to a dominator of where it comes from, the head of its loop: then it changes
 * nothing, and one sweep was enough. Structured programs have no other loops. */
static bool are_loops(const NrDominance *dom, const Edges *late) {
  uint32_t from;
  for (size_t i = 0; i < late->size; i++) {
    const Edge *e = &late->data[i];
    if (number_of(dom, e->from, &from) && intersect(dom, from, e->to) != e->to) return false;
  }
  return true;
}

/* A dominator's number is less than that of what it dominates: one sweep adds the sizes and one back places. */
static void number_tree(NrDominance *dom) {
  Node *nodes = dom->nodes;
  for (uint32_t i = dom->count; i-- > 1;) nodes[nodes[i].idom].size += ++nodes[i].size;
  nodes[0].size++;
  nodes[0].next = 1;
  for (uint32_t i = 1; i < dom->count; i++) {
    Node *node = &nodes[i], *parent = &nodes[node->idom];
    node->first = parent->next;
    parent->next += node->size;
    node->next = node->first + 1;
  }
}

NrDominance *nr_dominance_create(NrRegion *region) {
  NrDominance *dom = nr_calloc(1, sizeof *dom);
  dom->region = region;
  if (!region->first) return dom;
  Edges late = {0};
  if (!sweep_as_listed(dom, &late)) {
    late.size = 0;
    nr_free(dom->nodes);
    number_by_search(dom);
    sweep(dom, &late);
  }
  bool changed = !are_loops(dom, &late);
  while (changed) changed = sweep(dom, &late);
  nr_vec_deinit(&late);
  number_tree(dom);
  return dom;
}

void nr_dominance_destroy(NrDominance *dom) {
  if (!dom) return;
  nr_free(dom->nodes);
  nr_free(dom);
}

bool nr_dominance_reachable(const NrDominance *dom, const NrBlock *block) {
  uint32_t n;
  return number_of(dom, block, &n);
}

bool nr_dominates_block(const NrDominance *dom, const NrBlock *a, const NrBlock *b) {
  if (a == b) return true;
  uint32_t x, y;
  if (!number_of(dom, b, &y)) return true; /* nothing reaches b */
  if (!number_of(dom, a, &x)) return false;
  const Node *above = &dom->nodes[x];
  return dom->nodes[y].first - above->first < above->size; /* wraps to a large number when y stands before x */
}

bool nr_value_dominates(const NrDominance *dom, const NrValue *value, NrOp *user) {
  NrBlock *block = nr_value_block(value);
  if (!block) return false;
  /* Lift the user to the region where the value is defined. */
  while (user && user->block && user->block->region != block->region) user = nr_op_parent(user);
  if (!user || !user->block) return false;
  if (value->op == user) return false;
  if (user->block == block) return !value->op || nr_op_is_before(value->op, user);
  return nr_dominates_block(dom, block, user->block);
}
