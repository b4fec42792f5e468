/* merge_blocks.c - of blocks that do the same and go on to the same place one is enough; see rewrite.h.
 *
 *   before  cf.cond_br %c, ^a, ^b           after  cf.cond_br %c, ^a, ^a
 *           ^a:  call @f(%x)  return               ^a:  call @f(%x)  return
 *           ^b:  call @f(%x)  return
 *
 * What a block uses from outside dominates the other one too, which uses the same. */
#include "pass/rewrite.h"

/* values: those of b -> those of a. */
static bool same_value(const NrValue *a, const NrValue *b, const NrMap *values) {
  return a == b || nr_map_get(values, b) == a;
}

static bool same_op(NrOp *a, NrOp *b, NrMap *values) {
  if (a->info != b->info || a->raw_name != b->raw_name || a->num_regions || b->num_regions) return false;
  if (a->num_operands != b->num_operands || a->num_results != b->num_results || a->num_attrs != b->num_attrs ||
      a->num_successors != b->num_successors)
    return false;
  for (uint32_t i = 0; i < a->num_operands; i++)
    if (!same_value(nr_operand(a, i), nr_operand(b, i), values)) return false;
  for (uint32_t i = 0; i < a->num_attrs; i++)
    if (a->attrs[i].value != b->attrs[i].value || !nr_str_eq(a->attrs[i].name, b->attrs[i].name)) return false;
  for (uint32_t i = 0; i < a->num_successors; i++)
    if (a->successors[i].block != b->successors[i].block ||
        a->successors[i].num_operands != b->successors[i].num_operands)
      return false;
  for (uint32_t i = 0; i < a->num_results; i++) {
    if (nr_result(a, i)->type != nr_result(b, i)->type) return false;
    nr_map_set(values, nr_result(b, i), nr_result(a, i));
  }
  return true;
}

/* Nobody outside of the block uses what is made in it. */
static bool keeps_to_itself(const NrBlock *block) {
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
  for (; same && x && y; x = x->next, y = y->next) same = same_op(x, y, &values);
  nr_map_deinit(&values);
  return same && !x && !y && keeps_to_itself(b);
}

static uint64_t hash_block(const NrBlock *block) {
  uint64_t h = nr_hash_mix(block->num_args, 1);
  for (const NrOp *op = block->first; op; op = op->next) h = nr_hash_mix(h, (uintptr_t)op->info);
  return h | 1;
}

bool nr_merge_equal_blocks(NrRegion *region) {
  NrMap by_hash = {0}; /* hash -> the first block that has it */
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
