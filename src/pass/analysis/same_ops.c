/* same_ops.c - see same_ops.h. */
#include "pass/analysis/same_ops.h"

static bool same_value(const NrValue *a, const NrValue *b, const NrMap *map) {
  return a == b || (map && nr_map_get(map, b) == a);
}

static bool same_operands(const NrOp *a, const NrOp *b, const NrMap *map) {
  bool same = true, swapped = nr_operands_swap(a);
  for (uint32_t i = 0; i < a->num_operands && same; i++) same = same_value(nr_operand(a, i), nr_operand(b, i), map);
  if (same || !swapped) return same;
  for (uint32_t i = 0; i < 2 && swapped; i++) swapped = same_value(nr_operand(a, i), nr_operand(b, !i), map);
  return swapped;
}

static bool same_successors(const NrOp *a, const NrOp *b, const NrMap *map) {
  for (uint32_t i = 0; i < a->num_successors; i++) {
    const NrSuccessor *s = &a->successors[i], *t = &b->successors[i];
    bool same_block = s->block == t->block || (map && nr_map_get(map, t->block) == s->block);
    if (!same_block || s->num_operands != t->num_operands) return false;
  }
  return true;
}

/* Whether the ops have equal attributes in the same order. The attribute `without` (NULL: none) is ignored. */
static bool same_attrs(const NrOp *a, const NrOp *b, const char *without) {
  uint32_t i = 0, k = 0;
  for (;; i++, k++) {
    if (without && i < a->num_attrs && a->attrs[i].name.data == without) i++;
    if (without && k < b->num_attrs && b->attrs[k].name.data == without) k++;
    if (i >= a->num_attrs || k >= b->num_attrs) break;
    if (a->attrs[i].value != b->attrs[k].value || a->attrs[i].name.data != b->attrs[k].name.data) return false;
  }
  return i == a->num_attrs && k == b->num_attrs;
}

static bool same_but_for_regions(const NrOp *a, const NrOp *b, const NrMap *map, const char *without) {
  if (a->info != b->info || a->raw_name != b->raw_name || a->num_operands != b->num_operands ||
      a->num_results != b->num_results || a->num_regions != b->num_regions ||
      a->num_successors != b->num_successors || !same_operands(a, b, map) || !same_successors(a, b, map))
    return false;
  for (uint32_t i = 0; i < a->num_results; i++)
    if (a->results[i].type != b->results[i].type) return false;
  return same_attrs(a, b, without);
}

/* Maps the blocks and their arguments to each other first, because branches and uses may refer to later blocks. */
static bool pair_blocks(const NrRegion *a, const NrRegion *b, NrMap *map) {
  NrBlock *x = a->first, *y = b->first;
  for (; x && y; x = x->next, y = y->next) {
    if (x->num_args != y->num_args) return false;
    nr_map_set(map, y, x);
    for (uint32_t i = 0; i < x->num_args; i++) {
      if (x->args[i]->type != y->args[i]->type) return false;
      nr_map_set(map, y->args[i], x->args[i]);
    }
  }
  return !x && !y;
}

/* Blocks are compared in order: regions whose blocks are permuted are not found to be equal. */
bool nr_regions_are_same(const NrRegion *a, const NrRegion *b, NrMap *map) {
  if (!a->first && !b->first) return true;
  if (!pair_blocks(a, b, map)) return false;
  for (const NrBlock *x = a->first, *y = b->first; x; x = x->next, y = y->next) {
    const NrOp *p = x->first, *q = y->first;
    for (; p && q; p = p->next, q = q->next) {
      if (!nr_ops_are_same(p, q, map)) return false;
      nr_note_same_results(p, q, map);
    }
    if (p || q) return false;
  }
  return true;
}

static bool same_regions(const NrOp *a, const NrOp *b, NrMap *map) {
  for (uint32_t r = 0; r < a->num_regions; r++)
    if (!nr_regions_are_same(&a->regions[r], &b->regions[r], map)) return false;
  return true;
}

/* Depth is bounded by NR_MAX_NESTING. */
bool nr_ops_are_same(const NrOp *a, const NrOp *b, NrMap *map) {
  return same_but_for_regions(a, b, map, NULL) && same_regions(a, b, map);
}

bool nr_symbols_are_same(const NrOp *a, const NrOp *b) {
  NrMap map = {0};
  bool same = same_but_for_regions(a, b, &map, NR_A_sym_name->text) && same_regions(a, b, &map);
  nr_map_deinit(&map);
  return same;
}

void nr_note_same_results(const NrOp *a, const NrOp *b, NrMap *map) {
  for (uint32_t i = 0; i < a->num_results; i++) nr_map_set(map, nr_result(b, i), nr_result(a, i));
}

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_attrs(uint64_t h, const NrOp *op, const char *without) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].name.data != without)
      h = nr_hash_mix(nr_hash_mix(h, (uintptr_t)op->attrs[i].name.data), (uintptr_t)op->attrs[i].value);
  return h;
}

static uint64_t hash_types(uint64_t h, const NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) h = nr_hash_mix(h, (uintptr_t)op->results[i].type);
  return h;
}

/* Adds a nested op to the hash, without its operands, because values defined inside differ between equal regions. */
static bool hash_nested(NrOp *op, void *user) {
  uint64_t *h = user;
  *h = hash_attrs(hash_types(nr_hash_mix(*h, (uintptr_t)op->info), op), op, NULL);
  return true;
}

static uint64_t hash_regions(uint64_t h, NrOp *op) {
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) nr_walk_pre(inner, hash_nested, &h);
  return h;
}

static uint64_t hash_operands(uint64_t h, const NrOp *op) {
  if (nr_operands_swap(op)) { /* independent of their order */
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (uint32_t i = 0; i < 2; i++) {
      low = NR_MIN(low, (uintptr_t)nr_operand(op, i));
      high = NR_MAX(high, (uintptr_t)nr_operand(op, i));
    }
    return nr_hash_mix(nr_hash_mix(h, low), high);
  }
  for (uint32_t i = 0; i < op->num_operands; i++) h = nr_hash_mix(h, (uintptr_t)nr_operand(op, i));
  return h;
}

static uint64_t hash_op(NrOp *op, const char *without) {
  uint64_t h = hash_types(hash_operands(nr_hash_mix((uintptr_t)op->info, op->num_results), op), op);
  if (op->num_regions) h = hash_regions(h, op);
  return hash_attrs(h, op, without);
}

uint64_t nr_op_hash(NrOp *op) { return hash_op(op, NULL); }
uint64_t nr_regions_hash(NrOp *op) { return hash_regions(0, op); }
uint64_t nr_symbol_hash(NrOp *op) { return hash_op(op, NR_A_sym_name->text); }
