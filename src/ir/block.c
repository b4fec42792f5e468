/* block.c - blocks, regions, values, and walks over them. */
#include "base/guard.h"
#include "ir/op_info.h"

/* ---- blocks ---- */

NrBlock *nr_block_create(NrModule *module) {
  NrBlock *block = NR_NEW(&module->arena, NrBlock);
  block->module = module;
  block->ordered = true;
  return block;
}

static void link_between(NrRegion *region, NrBlock *block, NrBlock *prev, NrBlock *next) {
  assert(!block->region);
  block->region = region;
  block->prev = prev;
  block->next = next;
  if (prev) prev->next = block;
  else region->first = block;
  if (next) next->prev = block;
  else region->last = block;
}

void nr_block_append(NrRegion *region, NrBlock *block) { link_between(region, block, region->last, NULL); }
void nr_block_insert_before(NrBlock *block, NrBlock *anchor) {
  link_between(anchor->region, block, anchor->prev, anchor);
}
void nr_block_insert_after(NrBlock *block, NrBlock *anchor) {
  link_between(anchor->region, block, anchor, anchor->next);
}

void nr_block_unlink(NrBlock *block) {
  NrRegion *region = block->region;
  if (!region) return;
  if (block->prev) block->prev->next = block->next;
  else region->first = block->next;
  if (block->next) block->next->prev = block->prev;
  else region->last = block->prev;
  block->region = NULL;
  block->prev = block->next = NULL;
}

void nr_block_erase(NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next) nr_op_drop_uses(op);
  while (block->last) nr_op_erase(block->last);
  nr_block_unlink(block);
}

NrValue *nr_block_insert_arg(NrBlock *block, size_t i, NrType type, NrLoc loc) {
  NrArena *arena = &block->module->arena;
  assert(i <= block->num_args);
  if (block->num_args == block->cap_args) {
    uint32_t capacity = block->cap_args ? block->cap_args * 2 : 2;
    NrValue **fresh = NR_NEW_ARRAY(arena, NrValue *, capacity);
    if (block->num_args) memcpy(fresh, block->args, block->num_args * sizeof *fresh);
    block->args = fresh;
    block->cap_args = capacity;
  }
  memmove(&block->args[i + 1], &block->args[i], (block->num_args - i) * sizeof *block->args);
  block->num_args++;
  NrArg *arg = NR_NEW(arena, NrArg);
  *arg = (NrArg){{.type = type, .block = block}, loc};
  block->args[i] = &arg->value;
  for (size_t k = i; k < block->num_args; k++) block->args[k]->index = (uint32_t)k;
  return &arg->value;
}

NrValue *nr_block_add_arg(NrBlock *block, NrType type, NrLoc loc) {
  return nr_block_insert_arg(block, block->num_args, type, loc);
}

void nr_block_erase_arg(NrBlock *block, size_t i) {
  assert(i < block->num_args && !block->args[i]->first_use);
  memmove(&block->args[i], &block->args[i + 1], (block->num_args - i - 1) * sizeof *block->args);
  block->num_args--;
  for (size_t k = i; k < block->num_args; k++) block->args[k]->index = (uint32_t)k;
}

NrOp *nr_block_terminator(const NrBlock *block) {
  return block->last && nr_op_has(block->last, NR_TERMINATOR) ? block->last : NULL;
}
NrOp *nr_block_parent_op(const NrBlock *block) { return block->region ? block->region->op : NULL; }
NrModule *nr_block_module(const NrBlock *block) { return block->module; }

void nr_block_split(NrBlock *block, NrOp *first, NrBlock *tail) {
  nr_block_insert_after(tail, block);
  if (!first) return;
  assert(first->block == block);
  tail->first = first;
  tail->last = block->last;
  block->last = first->prev;
  if (first->prev) first->prev->next = NULL;
  else block->first = NULL;
  first->prev = NULL;
  for (NrOp *op = first; op; op = op->next) op->block = tail;
  tail->ordered = block->ordered;
}

void nr_block_splice(NrBlock *from, NrBlock *to, NrOp *before) {
  while (from->first) {
    NrOp *op = from->first;
    nr_op_unlink(op);
    if (before) nr_op_insert_before(op, before);
    else nr_op_append(to, op);
  }
}

void nr_region_take(NrRegion *to, NrRegion *from) {
  while (from->first) {
    NrBlock *block = from->first;
    nr_block_unlink(block);
    nr_block_append(to, block);
  }
}

/* ---- values ---- */

bool nr_value_has_uses(const NrValue *value) { return value->first_use != NULL; }
bool nr_value_has_one_use(const NrValue *value) { return value->first_use && !value->first_use->next; }

void nr_value_replace_uses_except(NrValue *from, NrValue *to, const NrOp *except) {
  assert(from != to);
  for (NrUse *use = from->first_use, *next; use; use = next) {
    next = use->next;
    if (use->owner != except) nr_op_set_operand(use->owner, nr_use_index(use), to);
  }
}

void nr_value_replace_uses(NrValue *from, NrValue *to) { nr_value_replace_uses_except(from, to, NULL); }

bool nr_op_replace(NrOp *op, NrValue *by) {
  nr_value_replace_uses(nr_result(op, 0), by);
  nr_op_erase(op);
  return true;
}

NrContext *nr_value_context(const NrValue *value) { return value->type->ctx; }

NrAttr nr_value_constant(const NrValue *value) {
  return value->op && nr_op_has(value->op, NR_CONSTANT_LIKE) ? nr_op_attr(value->op, NR_A_value) : NULL;
}

bool nr_value_constant_int(const NrValue *value, int64_t *out) { return nr_attr_is_int(nr_value_constant(value), out); }

/* ---- walks ---- */

static bool walk_inside(NrOp *root, NrWalkFn fn, void *user, bool (*walk)(NrOp *, NrWalkFn, void *)) {
  for (uint32_t r = 0; r < root->num_regions; r++)
    for (NrBlock *b = root->regions[r].first, *next_block; b; b = next_block) {
      next_block = b->next;
      for (NrOp *op = b->first, *next; op; op = next) {
        next = op->next;
        nr_op_prefetch_head(op);
        nr_poll();
        if (!walk(op, fn, user)) return false;
      }
    }
  return true;
}

bool nr_walk_post(NrOp *root, NrWalkFn fn, void *user) {
  return walk_inside(root, fn, user, nr_walk_post) && fn(root, user);
}

bool nr_walk_pre(NrOp *root, NrWalkFn fn, void *user) {
  return fn(root, user) && walk_inside(root, fn, user, nr_walk_pre);
}
