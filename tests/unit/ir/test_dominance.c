/* test_dominance.c - dominators of random graphs, good and bad orders of the blocks, loops of every kind, against the
 * definition: a dominates b when nothing reaches b without it. */
#include "ir/op_info.h"

#include "../test.h"

enum { MOST = 30, GRAPHS = 3000 };

typedef struct Graph {
  NrModule *module;
  NrRegion *region;
  NrBlock *blocks[MOST];
  size_t count;
} Graph;

/* A block ends in an op with up to two successors; the entry is nobody's. */
static void make_graph(Graph *g, NrContext *ctx, uint64_t *seed, bool ordered) {
  g->module = nr_module_create(ctx, nr_loc_unknown(ctx));
  NrOpState holder = {.info = &nr_unregistered_op_info, .raw_name = nr_context_intern(ctx, NR_STR("t.holder")),
                      .num_regions = 1};
  NrOp *op = nr_op_create(g->module, &holder);
  nr_op_append(nr_op_body(g->module->op, 0), op);
  g->region = nr_op_region(op, 0);
  g->count = 2 + test_random(seed) % (MOST - 1);
  for (size_t i = 0; i < g->count; i++) nr_block_append(g->region, g->blocks[i] = nr_block_create(g->module));
  for (size_t i = 0; i < g->count; i++) {
    NrBlock *next[2];
    size_t edges = test_random(seed) % 3;
    for (size_t k = 0; k < edges; k++) next[k] = g->blocks[1 + test_random(seed) % (g->count - 1)];
    if (ordered && i + 1 < g->count) next[0] = g->blocks[i + 1], edges += edges == 0;
    NrOpState end = {.info = &nr_unregistered_op_info, .raw_name = nr_context_intern(ctx, NR_STR("t.end")),
                     .successors = next, .num_successors = edges};
    nr_op_append(g->blocks[i], nr_op_create(g->module, &end));
  }
}

static void reach(const Graph *g, size_t from, size_t without, bool *seen) {
  if (from == without || seen[from]) return;
  seen[from] = true;
  const NrOp *end = g->blocks[from]->last;
  for (uint32_t k = 0; k < end->num_successors; k++)
    for (size_t i = 0; i < g->count; i++)
      if (g->blocks[i] == end->successors[k].block) reach(g, i, without, seen);
}

static void check_graph(const Graph *g) {
  NrDominance *dom = nr_dominance_create(g->region);
  bool reached[MOST] = {0};
  reach(g, 0, MOST, reached);
  for (size_t a = 0; a < g->count; a++) {
    bool seen[MOST] = {0};
    reach(g, 0, a, seen);
    assert_int_equal(nr_dominance_reachable(dom, g->blocks[a]), reached[a]);
    for (size_t b = 0; reached[a] && b < g->count; b++)
      assert_int_equal(nr_dominates_block(dom, g->blocks[a], g->blocks[b]), !seen[b] || a == b);
  }
  nr_dominance_destroy(dom);
}

static void dominators_are_those_of_the_definition(void **state) {
  uint64_t seed = 7;
  for (int i = 0; i < GRAPHS; i++) {
    NrContext *ctx = nr_context_create();
    Graph g;
    make_graph(&g, ctx, &seed, i % 2);
    check_graph(&g);
    nr_module_destroy(g.module);
    nr_context_destroy(ctx);
  }
}

static NrBlock *add_block(NrModule *module, NrRegion *region) {
  NrBlock *block = nr_block_create(module);
  nr_block_append(region, block);
  return block;
}

static void end_block(NrModule *module, NrBlock *block, NrBlock **next, size_t count) {
  NrOpState end = {.info = &nr_unregistered_op_info,
                   .raw_name = nr_context_intern(nr_op_context(module->op), NR_STR("t.end")),
                   .successors = next, .num_successors = count};
  nr_op_append(block, nr_op_create(module, &end));
}

/* A hundred thousand tests that all leave to one block, and go back to one: each only dominates those behind it. */
static void many_edges_to_one_block_take_no_longer(void **state) {
  enum { MANY = 100000 };
  NrContext *ctx = nr_context_create();
  NrModule *module = nr_module_create(ctx, nr_loc_unknown(ctx));
  NrOpState holder = {.info = &nr_unregistered_op_info, .raw_name = nr_context_intern(ctx, NR_STR("t.holder")),
                      .num_regions = 1};
  NrOp *op = nr_op_create(module, &holder);
  nr_op_append(nr_op_body(module->op, 0), op);
  NrRegion *region = nr_op_region(op, 0);
  NrBlock *entry = add_block(module, region), *exit = nr_block_create(module), *head = add_block(module, region);
  NrBlock *last = head, *middle = NULL;
  end_block(module, entry, &head, 1);
  for (int i = 0; i < MANY; i++) {
    NrBlock *next = add_block(module, region);
    end_block(module, last, (NrBlock *[]){exit, next, head}, 3);
    if (i == MANY / 2) middle = next;
    last = next;
  }
  nr_block_append(region, exit);
  end_block(module, last, &exit, 1);
  end_block(module, exit, NULL, 0);
  NrDominance *dom = nr_dominance_create(region);
  assert_true(nr_dominates_block(dom, head, exit));
  assert_true(nr_dominates_block(dom, middle, last));
  assert_false(nr_dominates_block(dom, last, middle));
  assert_false(nr_dominates_block(dom, middle, exit));
  assert_false(nr_dominates_block(dom, last, head));
  nr_dominance_destroy(dom);
  nr_module_destroy(module);
  nr_context_destroy(ctx);
}

static void an_empty_region_has_none(void **state) {
  NrRegion empty = {0};
  nr_dominance_destroy(nr_dominance_create(&empty));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dominators_are_those_of_the_definition),
      cmocka_unit_test(many_edges_to_one_block_take_no_longer),
      cmocka_unit_test(an_empty_region_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
