/* dominance.c - dominators of a region's blocks.
 *
 * The block order of most programs gives the dominators in one sweep. Source: Cooper, Harvey, Kennedy, "A Simple, Fast
 * Dominance Algorithm" (2001). Otherwise, or when the sweep takes too many steps, a depth-first search finds them in
 * O(n log n). Source: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), simple
 * version.
 */
#include "ir/op_info.h"

/* A reachable block. */
typedef struct Node {
  NrBlock *block;
  uint32_t idom;  /* its dominator's number */
  uint32_t first; /* number in a preorder of the dominator tree: a block dominates first .. first + size - 1 */
  uint32_t size;
  uint32_t next; /* number of the next child, while the preorder is computed */
} Node;

struct NrDominance {
  NrRegion *region;
  Node *nodes; /* by dom_number; dominators have smaller numbers */
  uint32_t count;
  uint64_t steps; /* that the sweep walked up the tree */
};

#define NONE UINT32_MAX

static bool number_of(const NrDominance *dom, const NrBlock *block, uint32_t *out) {
  *out = block->dom_number;
  return *out < dom->count && dom->nodes[*out].block == block;
}

/* ---- one sweep --------------------------------------------------------------------------------------------------- */

/* An edge from a block that the sweep has not visited yet. */
typedef struct Edge {
  const NrBlock *from;
  uint32_t to;
} Edge;
typedef NR_VEC(Edge) Edges;

static uint32_t intersect(NrDominance *dom, uint32_t a, uint32_t b) {
  for (; a != b; dom->steps++) {
    while (a > b) a = dom->nodes[a].idom, dom->steps++;
    while (b > a) b = dom->nodes[b].idom, dom->steps++;
  }
  return a;
}

/* Many edges from deep in the tree to one block, as of many early exits, would take quadratic time in total. */
static bool is_too_far(const NrDominance *dom) { return dom->steps > 16 * (uint64_t)dom->count + 4096; }

/* Numbers the blocks in list order and finds their dominators in the same sweep. Returns false when a block is listed
 * before all of its predecessors: the order is then useless. Most structured programs have a good order, and searching
 * a large region costs several cache misses for each block. */
static bool sweep_as_listed(NrDominance *dom, Edges *late) {
  NR_VEC(Node) nodes = {0};
  bool ordered = true;
  for (NrBlock *block = dom->region->first; block && ordered; block = block->next) {
    uint32_t best = dom->count ? NONE : 0, p;
    nr_block_prefetch(block);
    for (NrSuccessor *s = block->first_pred; s && !is_too_far(dom); s = s->next) {
      NrBlock *from = s->owner->block;
      if (!from || from->region != dom->region) continue;
      if (!number_of(dom, from, &p)) nr_vec_push(late, ((Edge){from, dom->count}));
      else best = best == NONE ? p : intersect(dom, best, p);
    }
    ordered = best != NONE && !is_too_far(dom);
    block->dom_number = dom->count++;
    assert(dom->count < UINT32_MAX);
    nr_vec_push(&nodes, ((Node){.block = block, .idom = best}));
    dom->nodes = nodes.data;
  }
  return ordered;
}

/* Whether each late edge is a back edge, to a block that dominates its source: then the result of the sweep is right.
 * Structured programs have no other late edges. */
static bool are_loops(NrDominance *dom, const Edges *late) {
  uint32_t from;
  for (size_t i = 0; i < late->size; i++) {
    const Edge *e = &late->data[i];
    if (is_too_far(dom) || (number_of(dom, e->from, &from) && intersect(dom, from, e->to) != e->to)) return false;
  }
  return true;
}

/* ---- any graph --------------------------------------------------------------------------------------------------- */

/* A node of the search, by its depth-first number, which is larger than those of its ancestors. */
typedef struct Search {
  uint32_t parent, semi;
  uint32_t up, least;         /* in the forest of processed nodes: the parent, and the node of least semi up to it */
  uint32_t first_in, next_in; /* the bucket: nodes whose semidominator this is */
} Search;

typedef struct Frame {
  uint32_t node, next_successor;
} Frame;

typedef NR_VEC(uint32_t) Numbers;

static void search(NrDominance *dom, Search **out) {
  NR_VEC(Frame) stack = {0};
  NR_VEC(Node) nodes = {0};
  NR_VEC(Search) all = {0};
  enum { NEW, SEEN };
  for (NrBlock *block = dom->region->first; block; block = block->next) block->mark = NEW;
  NrBlock *found = dom->region->first;
  uint32_t parent = 0;
  for (;;) {
    if (found) {
      uint32_t number = (uint32_t)nodes.size;
      assert(nodes.size < UINT32_MAX);
      found->mark = SEEN;
      found->dom_number = number;
      nr_vec_push(&nodes, ((Node){.block = found}));
      nr_vec_push(&all, ((Search){parent, number, NONE, number, NONE, NONE}));
      nr_vec_push(&stack, ((Frame){number, 0}));
      found = NULL;
    }
    if (!stack.size) break;
    Frame *top = &nr_vec_last(&stack);
    NrOp *last = nodes.data[top->node].block->last;
    if (!last || top->next_successor >= last->num_successors) {
      (void)nr_vec_pop(&stack);
      continue;
    }
    NrBlock *next = last->successors[top->next_successor++].block;
    parent = top->node;
    if (next && next->region == dom->region && next->mark == NEW) found = next;
  }
  nr_vec_deinit(&stack);
  dom->nodes = nodes.data;
  dom->count = (uint32_t)nodes.size;
  *out = all.data;
}

/* The node of least semi between node and the root of its tree in the forest; compresses the path. */
static uint32_t least_above(Search *s, uint32_t node, Numbers *path) {
  if (s[node].up == NONE) return s[node].least;
  for (uint32_t n = node; s[s[n].up].up != NONE; n = s[n].up) nr_vec_push(path, n);
  while (path->size) {
    uint32_t n = nr_vec_pop(path), up = s[n].up;
    if (s[s[up].least].semi < s[s[n].least].semi) s[n].least = s[up].least;
    s[n].up = s[up].up;
  }
  return s[node].least;
}

static void find_by_search(NrDominance *dom) {
  Search *s;
  Numbers path = {0};
  search(dom, &s);
  for (uint32_t i = dom->count; i-- > 1;) {
    uint32_t p, parent = s[i].parent, *first;
    for (NrSuccessor *edge = dom->nodes[i].block->first_pred; edge; edge = edge->next) {
      if (!edge->owner->block || !number_of(dom, edge->owner->block, &p)) continue;
      s[i].semi = NR_MIN(s[i].semi, s[least_above(s, p, &path)].semi);
    }
    first = &s[s[i].semi].first_in;
    s[i].next_in = *first;
    *first = i;
    s[i].up = parent;
    for (uint32_t n = s[parent].first_in; n != NONE; n = s[n].next_in) {
      uint32_t least = least_above(s, n, &path);
      dom->nodes[n].idom = s[least].semi < s[n].semi ? least : parent;
    }
    s[parent].first_in = NONE;
  }
  for (uint32_t i = 1; i < dom->count; i++)
    if (dom->nodes[i].idom != s[i].semi) dom->nodes[i].idom = dom->nodes[dom->nodes[i].idom].idom;
  nr_vec_deinit(&path);
  nr_free(s);
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Dominators have smaller numbers than what they dominate: one sweep adds the sizes and one numbers the preorder. */
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
  if (!sweep_as_listed(dom, &late) || !are_loops(dom, &late)) {
    nr_free(dom->nodes);
    find_by_search(dom);
  }
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
  if (!number_of(dom, b, &y)) return true; /* b is unreachable */
  if (!number_of(dom, a, &x)) return false;
  const Node *above = &dom->nodes[x];
  return dom->nodes[y].first - above->first < above->size; /* wraps to a large number when y is before x */
}

bool nr_value_dominates(const NrDominance *dom, const NrValue *value, NrOp *user) {
  NrBlock *block = nr_value_block(value);
  if (!block) return false;
  /* Replace the user by its ancestor in the region that defines the value. */
  while (user && user->block && user->block->region != block->region) user = nr_op_parent(user);
  if (!user || !user->block) return false;
  if (value->op == user) return false;
  if (user->block == block) return !value->op || nr_op_is_before(value->op, user);
  return nr_dominates_block(dom, block, user->block);
}
