/* mem2reg_blocks.c - the second part of mem2reg: replaces the loads of promoted elements in a region's blocks by the
 * values stored last.
 *
 *   before  memref.store %x, %m[]                          after  cf.cond_br %c, ^b, ^e(%x : i32)
 *           cf.cond_br %c, ^b, ^e                               ^b:
 *         ^b:                                                     cf.br ^e(%y : i32)
 *           memref.store %y, %m[]                               ^e(%v: i32):
 *           cf.br ^e                                              use(%v)
 *         ^e:
 *           %v = memref.load %m[]
 *           use(%v)
 *
 * Removes block arguments that are the same value on all incoming edges. */
#include "dialect/arith/arith.h"
#include "dialect/memref/ops.h"
#include "dialect/arith/fold.h"
#include "pass/scalar/mem2reg.h"

static NrValue *zero_before(NrOp *op, NrType type) {
  NrBuilder b = nr_builder_before(op);
  return nr_arith_constant(&b, nr_type_is_float(type) ? nr_attr_float(type, 0) : nr_attr_int(type, 0));
}

/* Walks down a block and replaces the loads of elements whose value is known. last (NrSlot* -> NrValue*) ends as the
 * values at the block's end. exposed collects the other loads, replaced maps each replaced load to its value. */
static void walk_block(NrPromoter *p, NrBlock *block, NrMap *last, NrOpList *exposed, NrMap *replaced) {
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    NrSlot *slots = nr_map_get(&p->buffers, op), *slot = nr_slot_of(p, op);
    int64_t count = 0;
    if (slots) nr_type_num_elements(nr_op_result(op)->type, &count);
    for (int64_t e = 0; e < count; e++) nr_map_set(last, &slots[e], zero_before(op, slots[e].type));
    if (!slot) continue;
    if (nr_op_is(op, NR_OP_memref_store)) {
      nr_map_set(last, slot, nr_memref_store_value(op));
    } else {
      NrValue *value = nr_map_get(last, slot);
      if (!value) {
        nr_vec_push(exposed, op);
        continue;
      }
      nr_value_replace_uses(nr_op_result(op), value);
      nr_map_set(replaced, nr_op_result(op), value);
    }
    nr_map_remove(&p->accesses, op);
    nr_op_erase(op);
  }
}

/* Values during the promotion over several blocks: of all slots at the ends of blocks, of one slot at their starts. */
typedef struct Flow {
  NrPromoter *p;
  NrMap ends;     /* NrBlock* -> NrMap*: NrSlot* -> NrValue* */
  NrMap replaced; /* NrValue* -> NrValue*: replacements of erased loads and arguments */
  NrSlot *slot;     /* the slot being promoted */
  NrMap starts;   /* NrBlock* -> NrValue* */
  NR_VEC(NrBlock *) needed; /* blocks at whose start the value of slot is needed */
} Flow;

static NrValue *value_at_end(const Flow *f, const NrBlock *block) {
  NrValue *value = nr_map_get(nr_map_get(&f->ends, block), f->slot);
  if (!value) value = nr_map_get(&f->starts, block);
  for (NrValue *by; value && (by = nr_map_get(&f->replaced, value));) value = by;
  return value;
}

static void replace(Flow *f, NrValue *value, NrValue *by) {
  nr_value_replace_uses(value, by);
  nr_map_set(&f->replaced, value, by);
}

static void need(Flow *f, NrMap *seen, NrBlock *block) {
  if (nr_map_has(seen, block)) return;
  nr_map_set(seen, block, block);
  nr_vec_push(&f->needed, block);
}

/* Finds the blocks at whose start the slot's value is needed: those with exposed loads, and their predecessors up to a
 * store. A block with several predecessors gets an argument. */
static void find_starts(Flow *f, const NrOpList *loads) {
  NrMap seen = {0};
  f->needed.size = 0;
  for (size_t i = 0; i < loads->size; i++) need(f, &seen, loads->data[i]->block);
  for (size_t i = 0; i < f->needed.size; i++) {
    NrBlock *block = f->needed.data[i];
    for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
      if (!nr_map_has(nr_map_get(&f->ends, pred->owner->block), f->slot)) need(f, &seen, pred->owner->block);
    if (block->first_pred && block->first_pred->next)
      nr_map_set(&f->starts, block, nr_block_add_arg(block, f->slot->type, f->slot->alloca->loc));
  }
  nr_map_deinit(&seen);
}

/* The slot's value at the start of block; with one predecessor, that is the value at the predecessor's end. */
static NrValue *value_at_start(Flow *f, NrBlock *block) {
  NrBlock *from = block;
  while (!nr_map_has(&f->starts, from) && from->first_pred && !value_at_end(f, from->first_pred->owner->block))
    from = from->first_pred->owner->block;
  NrValue *value = nr_map_get(&f->starts, from);
  if (!value && from->first_pred) value = value_at_end(f, from->first_pred->owner->block);
  if (!value) value = zero_before(from->first, f->slot->type); /* unreachable: an alloca dominates its loads */
  for (NrBlock *at = block; at != from; at = at->first_pred->owner->block) nr_map_set(&f->starts, at, value);
  nr_map_set(&f->starts, from, value);
  return value;
}

/* Replaces an argument by the one value that all edges pass to it, apart from itself. */
static bool drop_argument(Flow *f, NrValue *arg) {
  NrBlock *block = arg->block;
  NrValue *only = NULL;
  for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next) {
    NrValue *value = nr_successor_operand(pred->owner, (size_t)(pred - pred->owner->successors), arg->index);
    if (value == arg) continue;
    if (only && only != value) return false;
    only = value;
  }
  if (!only) return false;
  replace(f, arg, only);
  for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
    nr_successor_erase_operand(pred->owner, (size_t)(pred - pred->owner->successors), arg->index);
  nr_block_erase_arg(block, arg->index);
  return true;
}

static void drop_arguments(Flow *f) {
  NR_VEC(NrValue *) args = {0};
  for (size_t i = 0; i < f->needed.size; i++) {
    NrBlock *block = f->needed.data[i];
    NrValue *value = nr_map_get(&f->starts, block);
    if (value && value->block == block && value->index + 1 == block->num_args && block->first_pred->next)
      nr_vec_push(&args, value);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < args.size; i++) {
      if (!args.data[i] || !drop_argument(f, args.data[i])) continue;
      args.data[i] = NULL;
      changed = true;
    }
  }
  nr_vec_deinit(&args);
}

static void solve_slot(Flow *f, NrSlot *slot, const NrOpList *loads) {
  f->slot = slot;
  nr_map_clear(&f->starts);
  find_starts(f, loads);
  for (size_t i = 0; i < f->needed.size; i++) value_at_start(f, f->needed.data[i]);
  for (size_t i = 0; i < f->needed.size; i++) {
    NrBlock *block = f->needed.data[i];
    if (!block->first_pred || !block->first_pred->next) continue;
    for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
      nr_successor_append_operand(pred->owner, (size_t)(pred - pred->owner->successors),
                                  value_at_end(f, pred->owner->block));
  }
  for (size_t i = 0; i < loads->size; i++) {
    NrOp *load = loads->data[i];
    replace(f, nr_op_result(load), value_at_start(f, load->block));
    nr_map_remove(&f->p->accesses, load);
    nr_op_erase(load);
  }
  drop_arguments(f);
}

static void promote_in_blocks(NrPromoter *p, NrRegion *region) {
  Flow f = {.p = p};
  NrOpList exposed = {0};
  NR_VEC(NrMap *) maps = {0};
  for (NrBlock *block = region->first; block; block = block->next) {
    NrMap *end = NR_NEW(p->pass->scratch, NrMap);
    nr_vec_push(&maps, end);
    nr_map_set(&f.ends, block, end);
    walk_block(p, block, end, &exposed, &f.replaced);
  }
  NrMap lists = {0}; /* NrSlot* -> NrOpList* */
  NrSlotList slots = {0};
  for (size_t i = 0; i < exposed.size; i++) {
    NrSlot *slot = nr_slot_of(p, exposed.data[i]);
    NrOpList *list = nr_map_get(&lists, slot);
    if (!list) {
      nr_map_set(&lists, slot, list = NR_NEW(p->pass->scratch, NrOpList));
      nr_vec_push(&slots, slot);
    }
    nr_vec_push(list, exposed.data[i]);
  }
  for (size_t i = 0; i < slots.size; i++) {
    NrOpList *list = nr_map_get(&lists, slots.data[i]);
    solve_slot(&f, slots.data[i], list);
    nr_vec_deinit(list);
  }
  for (size_t i = 0; i < maps.size; i++) nr_map_deinit(maps.data[i]);
  nr_vec_deinit(&maps);
  nr_vec_deinit(&slots);
  nr_vec_deinit(&exposed);
  nr_map_deinit(&lists);
  nr_map_deinit(&f.ends);
  nr_map_deinit(&f.replaced);
  nr_map_deinit(&f.starts);
  nr_vec_deinit(&f.needed);
}

void nr_promote_in_region(NrPromoter *p, NrRegion *region) {
  if (region->first != region->last) {
    promote_in_blocks(p, region);
  } else if (region->first) {
    NrMap last = {0}, replaced = {0};
    NrOpList exposed = {0}; /* stays empty: an alloca or a store precedes each load */
    walk_block(p, region->first, &last, &exposed, &replaced);
    nr_vec_deinit(&exposed);
    nr_map_deinit(&last);
    nr_map_deinit(&replaced);
  }
}
