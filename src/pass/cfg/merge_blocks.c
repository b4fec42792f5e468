/* merge_blocks.c - merges blocks with equal ops and successors; see rewrite.h.
 *
 *   before  cf.cond_br %c, ^a, ^b           after  cf.cond_br %c, ^a, ^a
 *           ^a:  call @f(%x)  return               ^a:  call @f(%x)  return
 *           ^b:  call @f(%x)  return
 *
 * The values that one block uses from outside dominate the other one too, because it uses the same values. */
#include "pass/core/rewrite.h"
#include "pass/analysis/same_ops.h"

/* Whether no value that the block defines has uses outside it. */
static bool has_local_values_only(const NrBlock *block) {
  for (uint32_t i = 0; i < block->num_args; i++)
    for (const NrUse *use = block->args[i]->first_use; use; use = use->next)
      if (use->owner->block != block) return false;
  for (const NrOp *op = block->first; op; op = op->next)
    for (uint32_t i = 0; i < op->num_results; i++)
      for (const NrUse *use = nr_result(op, i)->first_use; use; use = use->next)
        if (use->owner->block != block) return false;
  return true;
}

static bool same_block(NrBlock *a, NrBlock *b) {
  NrMap values = {0};
  bool same = a->num_args == b->num_args;
  for (uint32_t i = 0; i < a->num_args && same; i++) {
    same = a->args[i]->type == b->args[i]->type;
    nr_map_set(&values, b->args[i], a->args[i]);
  }
  NrOp *x = a->first, *y = b->first;
  for (; same && x && y; x = x->next, y = y->next) {
    same = nr_ops_are_same(x, y, &values);
    if (same) nr_note_same_results(x, y, &values);
  }
  nr_map_deinit(&values);
  return same && !x && !y && has_local_values_only(b);
}

static uint64_t hash_block(const NrBlock *block) {
  uint64_t h = nr_hash_mix(block->num_args, 1);
  for (const NrOp *op = block->first; op; op = op->next) h = nr_hash_mix(h, (uintptr_t)op->info);
  return h | 1;
}

bool nr_merge_equal_blocks(NrRegion *region) {
  NrMap by_hash = {0}; /* hash -> the first block with it */
  bool changed = false;
  for (NrBlock *block = region->first ? region->first->next : NULL, *next; block; block = next) {
    next = block->next;
    const void *key = (const void *)(uintptr_t)hash_block(block);
    NrBlock *first = nr_map_get(&by_hash, key);
    if (!first) nr_map_set(&by_hash, key, block);
    if (!first || !same_block(first, block)) continue;
    while (block->first_pred) {
      NrSuccessor *pred = block->first_pred;
      nr_op_set_successor(pred->owner, (size_t)(pred - pred->owner->successors), first);
    }
    nr_block_erase(block);
    changed = true;
  }
  nr_map_deinit(&by_hash);
  return changed;
}
