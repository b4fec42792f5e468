/* dominance.c - dominators of a region's blocks.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Order and search use explicit stacks.
 */
#include "ir/op_info.h"

struct NrDominance {
  NrRegion *region;
  NrBlock **blocks; /* by postorder number, which is their dom_number; without those that nothing reaches */
  uint32_t *idom;   /* by postorder number, as the next two */
  uint32_t *first;  /* place in a preorder of the dominator tree: a block dominates the size of them from there */
  uint32_t *size;
  uint32_t count;
};

#define NONE UINT32_MAX

typedef struct Frame {
  NrBlock *block;
  uint32_t next_successor;
} Frame;

static void postorder(NrDominance *dom) {
  enum { NEW, SEEN };
  NR_VEC(Frame) stack = {0};
  NR_VEC(NrBlock *) order = {0};
  for (NrBlock *block = dom->region->first; block; block = block->next) block->mark = NEW;
  if (dom->region->first) {
    nr_vec_push(&stack, ((Frame){dom->region->first, 0}));
    dom->region->first->mark = SEEN;
  }
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
      top->block->dom_number = (uint32_t)order.size;
      nr_vec_push(&order, top->block);
      (void)nr_vec_pop(&stack);
    }
  }
  assert(order.size < UINT32_MAX);
  dom->blocks = order.data;
  dom->count = (uint32_t)order.size;
  nr_vec_deinit(&stack);
}

static bool number_of(const NrDominance *dom, const NrBlock *block, uint32_t *out) {
  *out = block->dom_number;
  return *out < dom->count && dom->blocks[*out] == block;
}

typedef struct Edge {
  uint32_t from, to;
} Edge;
typedef NR_VEC(Edge) Edges;

static uint32_t intersect(const NrDominance *dom, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a < b) a = dom->idom[a];
    while (b < a) b = dom->idom[b];
  }
  return a;
}

/* A dominator has a higher postorder number than what it dominates, so one sweep up adds the sizes and one down places.
 */
static void number_tree(NrDominance *dom) {
  uint32_t *next = nr_calloc(dom->count, sizeof *next); /* place of the next child */
  dom->first = nr_calloc(dom->count, sizeof *dom->first);
  dom->size = nr_calloc(dom->count, sizeof *dom->size);
  uint32_t entry = dom->count - 1;
  for (uint32_t i = 0; i <= entry; i++) {
    dom->size[i]++;
    if (i != entry) dom->size[dom->idom[i]] += dom->size[i];
  }
  next[entry] = 1;
  for (uint32_t i = entry; i-- > 0;) {
    uint32_t parent = dom->idom[i];
    dom->first[i] = next[parent];
    next[parent] += dom->size[i];
    next[i] = dom->first[i] + 1;
  }
  nr_free(next);
}

/* One sweep over the blocks, from the entry on. Edges from blocks that it had not come to are added to late. */
static bool sweep(NrDominance *dom, Edges *late) {
  bool changed = false;
  for (uint32_t i = dom->count - 1; i-- > 0;) {
    uint32_t best = NONE, p;
    for (NrSuccessor *s = dom->blocks[i]->first_pred; s; s = s->next) {
      if (!s->owner->block || !number_of(dom, s->owner->block, &p)) continue;
      if (dom->idom[p] == NONE) nr_vec_push(late, ((Edge){p, i}));
      else best = best == NONE ? p : intersect(dom, best, p);
    }
    changed |= best != dom->idom[i];
    dom->idom[i] = best;
  }
  return changed;
}

/* Whether each late edge leads back to a dominator of where it comes from, the head of its loop: then it changes
 * nothing, and one sweep was enough. Structured programs have no other loops. */
static bool are_loops(const NrDominance *dom, const Edges *late) {
  for (size_t i = 0; i < late->size; i++)
    if (intersect(dom, late->data[i].from, late->data[i].to) != late->data[i].to) return false;
  return true;
}

NrDominance *nr_dominance_create(NrRegion *region) {
  NrDominance *dom = nr_calloc(1, sizeof *dom);
  dom->region = region;
  postorder(dom);
  dom->idom = nr_malloc(((size_t)dom->count + 1) * sizeof *dom->idom);
  for (uint32_t i = 0; i < dom->count; i++) dom->idom[i] = NONE;
  if (!dom->count) return dom;
  dom->idom[dom->count - 1] = dom->count - 1;
  Edges late = {0};
  bool changed = sweep(dom, &late) && !are_loops(dom, &late);
  while (changed) changed = sweep(dom, &late);
  nr_vec_deinit(&late);
  number_tree(dom);
  return dom;
}

void nr_dominance_destroy(NrDominance *dom) {
  if (!dom) return;
  nr_free(dom->blocks);
  nr_free(dom->idom);
  nr_free(dom->first);
  nr_free(dom->size);
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
  return dom->first[y] - dom->first[x] < dom->size[x]; /* wraps to a large number when y stands before x */
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
