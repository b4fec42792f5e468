/* cse.c - replaces an op by an earlier one that computes the same.
 *   before  %0 = arith.addi %a, %b : i32          after  %0 = arith.addi %a, %b : i32
 *           %1 = arith.addi %b, %a : i32                 %2 = arith.muli %0, %0 : i32
 *           %2 = arith.muli %0, %1 : i32
 * The earlier op must dominate the later one. Ops that read memory are replaced only within a block, when no op in
 * between may write. Ops with regions are equal when their nested ops are. */
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/analysis/same_ops.h"

/* Maximum number of entries compared per hash. Entries of sibling blocks do not dominate, so that without a limit many
 * of them would make the pass quadratic. */
enum { MAX_CANDIDATES = 16 };

/* An op that may replace later ones; it is in the hash table and in the list of the current region. */
typedef struct Entry {
  struct Entry *same_hash; /* the next older one */
  NrOp *op;
  uint64_t hash;
  uint64_t epoch; /* when the entry was made; compared for ops that read */
} Entry;

typedef struct Cse {
  NrPassContext *pass;
  NrMap buckets; /* hash | 1, as a pointer -> newest Entry* */
  NR_VEC(Entry *) scope;
  uint64_t epoch; /* changes with every op that may write */
  NrMap dominance; /* NrRegion* -> NrDominance*, of the regions with several blocks that are being walked */
} Cse;

/* ---- equality ---------------------------------------------------------------------------------------------------- */

static bool same_ops(const NrOp *a, const NrOp *b) {
  NrMap map = {0}; /* of values that regions define */
  bool same = nr_ops_are_same(a, b, &map);
  nr_map_deinit(&map);
  return same;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static const void *key_of(uint64_t hash) { return (const void *)(uintptr_t)(hash | 1); }

/* The table is scoped: leaving a region drops its entries, so earlier's region encloses op. There, earlier's block must
 * dominate. */
static bool dominates(const Cse *c, const NrOp *earlier, const NrOp *op) {
  NrRegion *region = earlier->block->region;
  const NrDominance *dominance = nr_map_get(&c->dominance, region);
  if (earlier->block == op->block || !dominance) return true;
  while (op->block->region != region) op = nr_op_parent(op);
  return nr_dominates_block(dominance, earlier->block, op->block);
}

static NrOp *find_equal(Cse *c, const Entry *newest, NrOp *op, uint64_t hash, bool pure) {
  size_t tried = 0;
  for (const Entry *e = newest; e && tried < MAX_CANDIDATES; e = e->same_hash, tried++) {
    if (e->hash != hash || !same_ops(e->op, op) || !dominates(c, e->op, op)) continue;
    if (!pure && (e->op->block != op->block || e->epoch != c->epoch)) continue;
    return e->op;
  }
  return NULL;
}

static void remember(Cse *c, Entry *newest, NrOp *op, uint64_t hash) {
  Entry *entry = NR_NEW(c->pass->scratch, Entry);
  *entry = (Entry){newest, op, hash, c->epoch};
  nr_map_set(&c->buckets, key_of(hash), entry);
  nr_vec_push(&c->scope, entry);
}

static void leave_scope(Cse *c, size_t size) {
  if (size == 0) { /* dropping all entries at once avoids a look-up for each */
    nr_map_deinit(&c->buckets);
    c->scope.size = 0;
  }
  while (c->scope.size > size) {
    Entry *entry = nr_vec_pop(&c->scope);
    if (entry->same_hash) nr_map_set(&c->buckets, key_of(entry->hash), entry->same_hash);
    else nr_map_remove(&c->buckets, key_of(entry->hash));
  }
}

static void walk_regions(Cse *c, NrOp *op);

static void visit(Cse *c, NrOp *op) {
  if (nr_op_is_dead(op)) {
    nr_op_erase(op);
    return;
  }
  if (op->num_regions) walk_regions(c, op);
  bool pure = nr_op_is_pure(op), reads = !pure && nr_op_only_reads(op);
  if (!pure && !reads) c->epoch++;
  bool candidate = (pure || reads) && op->num_results && !nr_op_has(op, NR_TERMINATOR) && !op->num_successors;
  if (!candidate) return;
  uint64_t hash = nr_op_hash(op);
  Entry *newest = nr_map_get(&c->buckets, key_of(hash));
  NrOp *equal = find_equal(c, newest, op, hash, pure);
  if (!equal) {
    remember(c, newest, op, hash);
    return;
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(equal, i));
  nr_op_erase(op);
}

static void walk_blocks(Cse *c, NrRegion *region, const NrDominance *dominance) {
  for (NrBlock *block = region->first; block; block = block->next) {
    if (dominance && !nr_dominance_reachable(dominance, block)) continue;
    for (NrOp *op = block->first, *next; op; op = next) {
      next = op->next;
      nr_op_prefetch(op);
      visit(c, op);
    }
  }
}

/* Depth is bounded by NR_MAX_NESTING. */
static void walk_regions(Cse *c, NrOp *op) {
  bool isolated = nr_op_has(op, NR_ISOLATED);
  Cse outer = *c;
  if (isolated) {
    c->buckets = (NrMap){0};
    memset(&c->scope, 0, sizeof c->scope);
  }
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrRegion *region = &op->regions[r];
    size_t size = c->scope.size;
    NrDominance *dominance = region->first != region->last ? nr_dominance_create(region) : NULL;
    if (dominance) nr_map_set(&c->dominance, region, dominance);
    walk_blocks(c, region, dominance);
    if (dominance) {
      nr_map_remove(&c->dominance, region);
      nr_dominance_destroy(dominance);
    }
    leave_scope(c, size);
  }
  if (isolated) {
    nr_map_deinit(&c->buckets);
    nr_vec_deinit(&c->scope);
    c->buckets = outer.buckets;
    memcpy(&c->scope, &outer.scope, sizeof c->scope);
  }
}

static NrStatus cse_run(NrPassContext *pass, NrOp *op) {
  Cse c = {.pass = pass};
  walk_regions(&c, op);
  nr_map_deinit(&c.buckets);
  nr_map_deinit(&c.dominance);
  nr_vec_deinit(&c.scope);
  return NR_OK;
}

NR_PASS(cse, .name = "cse", .on_while = NR_WHILE_HANDLES, .run = cse_run, .doc = "eliminates common subexpressions")
