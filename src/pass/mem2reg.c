/* mem2reg.c - buffers in the frame become values.
 *   before  %m = memref.alloca() : memref<f32>          after  %r = scf.for .. iter_args(%v = %x) -> (f32) {
 *           memref.store %x, %m[]                                %n = f(%v)
 *           scf.for .. {                                         scf.yield %n : f32
 *             %v = memref.load %m[]                            }
 *             %n = f(%v)                                       use(%r)
 *             memref.store %n, %m[]
 *           }
 *           %r = memref.load %m[]
 *           use(%r)
 * A memref.alloca of a static shape with at most MAX_ELEMENTS elements is promoted, each element for itself, when it is
 * only read and written, with constant indices that are inside, and the writes are in blocks, scf.for, while, if,
 * index_switch and execute_region. What was never written is 0.
 *
 * First every region becomes whole in itself, inner ones first: an op whose regions write an element takes it as an
 * operand, hands it in and gives it back, by a load before it, stores at the regions' starts, loads at their ends and a
 * store behind it. Then each region's loads are replaced by what was stored last, with block arguments where ways meet;
 * those that turn out to be one value go again. */
#include "dialect/arith/arith.h"
#include "dialect/fold.h"
#include "dialect/scf/scf.h"
#include "pass/pass.h"
#include "pass/rewrite.h"

#include <stdlib.h>

enum { MAX_ELEMENTS = 16 };

/* One element of a promoted buffer. */
typedef struct Slot {
  NrOp *alloca;
  NrType type;
  uint32_t number; /* among all slots */
} Slot;

typedef NR_VEC(Slot *) SlotList;

typedef struct Promoter {
  NrPassContext *pass;
  NrMap buffers; /* alloca op -> Slot* of its first element; the others follow */
  SlotList slots;
  NrMap accesses; /* load or store op -> Slot* */
} Promoter;

static Slot *slot_of(const Promoter *p, const NrOp *op) { return nr_map_get(&p->accesses, op); }

/* ---- which buffers ----------------------------------------------------------------------------------------------- */

/* The element that an access with constant indices touches; false when one is not constant or outside. */
static bool element_of(const NrOp *access, uint32_t first_index, NrType type, int64_t *out) {
  *out = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    int64_t index;
    if (!nr_value_constant_int(nr_operand(access, first_index + d), &index) || index < 0 || index >= type->dims[d])
      return false;
    *out = *out * type->dims[d] + index;
  }
  return true;
}

/* May values go in and out of the regions of this op? */
static bool can_carry(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_scf_for: case NR_OP_scf_while: case NR_OP_scf_if: case NR_OP_scf_index_switch:
  case NR_OP_scf_execute_region: break;
  default: return false;
  }
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (const NrBlock *block = op->regions[r].first; block; block = block->next) {
      const NrOp *last = block->last;
      if (!nr_op_is(last, NR_OP_scf_yield) && !nr_op_is(last, NR_OP_scf_condition) && !nr_op_has(last, NR_BRANCH))
        return false;
    }
  return true;
}

/* Every region between the access and the alloca's block can hand the element on: to be read from, it only needs to
 * see values from outside; to be written, they must leave it too. */
static bool is_reachable(const NrOp *access, const NrOp *alloca, bool writes) {
  const NrRegion *home = alloca->block->region;
  for (const NrBlock *block = access->block; block->region != home;) {
    const NrOp *around = block->region->op;
    if (!around || nr_op_has(around, NR_ISOLATED) || (writes && !can_carry(around))) return false;
    block = around->block;
    if (!block) return false;
  }
  return true;
}

static bool is_promotable(const NrOp *alloca) {
  NrType type = nr_result(alloca, 0)->type;
  int64_t count, element;
  if (!nr_type_num_elements(type, &count) || count < 1 || count > MAX_ELEMENTS || !nr_memref_is_identity(type))
    return false;
  NrAttr zero = nr_type_is_float(type->elem)          ? nr_attr_float(type->elem, 0)
                : nr_type_is_int_or_index(type->elem) ? nr_attr_int(type->elem, 0)
                                                      : NULL;
  if (!zero) return false;
  for (const NrUse *use = nr_result(alloca, 0)->first_use; use; use = use->next) {
    bool loads = nr_op_is(use->owner, NR_OP_memref_load) && nr_use_index(use) == 0;
    bool stores = nr_op_is(use->owner, NR_OP_memref_store) && nr_use_index(use) == 1;
    if (!loads && !stores) return false;
    if (!element_of(use->owner, loads ? 1 : 2, type, &element)) return false;
    if (!is_reachable(use->owner, alloca, stores)) return false;
  }
  return true;
}

static void add_buffer(Promoter *p, NrOp *alloca) {
  NrType type = nr_result(alloca, 0)->type;
  int64_t count = 1, element;
  nr_type_num_elements(type, &count);
  Slot *slots = NR_NEW_ARRAY(p->pass->scratch, Slot, count);
  for (int64_t e = 0; e < count; e++) {
    slots[e] = (Slot){.alloca = alloca, .type = type->elem, .number = (uint32_t)p->slots.size};
    nr_vec_push(&p->slots, &slots[e]);
  }
  nr_map_set(&p->buffers, alloca, slots);
  for (const NrUse *use = nr_result(alloca, 0)->first_use; use; use = use->next) {
    element_of(use->owner, nr_op_is(use->owner, NR_OP_memref_load) ? 1 : 2, type, &element);
    nr_map_set(&p->accesses, use->owner, &slots[element]);
  }
}

/* ---- regions that are whole in themselves ------------------------------------------------------------------------ */

/* Loads and stores without indices stand for accesses while the pass runs; none of them stays. */
static NrValue *load_at(Promoter *p, NrBuilder *b, Slot *slot) {
  NrOp *op = nr_build_op(b, NR_OP_memref_load, (NrValue *[]){nr_result(slot->alloca, 0)}, 1, &slot->type, 1);
  nr_map_set(&p->accesses, op, slot);
  return nr_result(op, 0);
}

static void store_at(Promoter *p, NrBuilder *b, Slot *slot, NrValue *value) {
  NrOp *op = nr_build_op(b, NR_OP_memref_store, (NrValue *[]){value, nr_result(slot->alloca, 0)}, 2, NULL, 0);
  nr_map_set(&p->accesses, op, slot);
}

static int by_number(const void *a, const void *b) {
  const Slot *x = *(Slot *const *)a, *y = *(Slot *const *)b;
  return (x->number > y->number) - (x->number < y->number);
}

static bool is_inside(const NrOp *op, const NrOp *around) { return op != around && nr_op_is_ancestor(around, op); }

/* Elements of buffers from outside that the op's own blocks load (those that they store also), in order of number. What
 * is nested deeper has been brought to these blocks before. */
static void find_crossing(const Promoter *p, NrOp *op, SlotList *loaded, SlotList *stored) {
  NrMap seen = {0};
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) {
        Slot *slot = slot_of(p, inner);
        if (!slot || is_inside(slot->alloca, op)) continue;
        uintptr_t state = (uintptr_t)nr_map_get(&seen, slot);
        uintptr_t now = state | (nr_op_is(inner, NR_OP_memref_store) ? 2 : 1);
        if (state == now) continue;
        if ((now & 2) && !(state & 2)) nr_vec_push(stored, slot);
        nr_map_set(&seen, slot, (void *)now);
      }
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) {
        Slot *slot = slot_of(p, inner);
        if (!slot || nr_map_get(&seen, slot) != (void *)1) continue;
        nr_map_set(&seen, slot, (void *)4);
        nr_vec_push(loaded, slot);
      }
  nr_map_deinit(&seen);
  if (stored->size) qsort(stored->data, stored->size, sizeof *stored->data, by_number);
}

/* Elements that are only read: what they are before the op, they are inside. */
static void load_outside(Promoter *p, NrOp *op, const SlotList *slots) {
  NrBuilder b = nr_builder_before(op);
  NrMap values = {0};
  for (size_t i = 0; i < slots->size; i++) nr_map_set(&values, slots->data[i], load_at(p, &b, slots->data[i]));
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first, *next; inner; inner = next) {
        next = inner->next;
        Slot *slot = slot_of(p, inner);
        NrValue *value = slot ? nr_map_get(&values, slot) : NULL;
        if (!value) continue;
        nr_value_replace_uses(nr_result(inner, 0), value);
        nr_map_remove(&p->accesses, inner);
        nr_op_erase(inner);
      }
  nr_map_deinit(&values);
}

/* At the start of a block: the elements are what values says. */
static void store_at_start(Promoter *p, NrBlock *block, const SlotList *slots, NrValue *const *values) {
  NrBuilder b = nr_builder_at_start(block->module, block, block->first->loc);
  for (size_t i = 0; i < slots->size; i++) store_at(p, &b, slots->data[i], values[i]);
}

/* In front of a terminator, which hands them on too. */
static void load_at_end(Promoter *p, NrOp *terminator, const SlotList *slots) {
  NrBuilder b = nr_builder_before(terminator);
  for (size_t i = 0; i < slots->size; i++)
    nr_op_insert_operand(terminator, terminator->num_operands, load_at(p, &b, slots->data[i]));
}

/* More arguments of a block, and stores of them. */
static void take_as_arguments(Promoter *p, NrBlock *block, const SlotList *slots) {
  uint32_t first = block->num_args;
  for (size_t i = 0; i < slots->size; i++) nr_block_add_arg(block, slots->data[i]->type, block->first->loc);
  store_at_start(p, block, slots, block->args + first);
}

/* Regions that are entered once, from outside, and end in scf.yield. */
static void carry_through_branches(Promoter *p, NrOp *op, const SlotList *slots, NrValue *const *values) {
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrRegion *region = nr_op_region(op, r);
    if (!region->first) {
      NrBlock *block = nr_block_create(op->module);
      nr_block_append(region, block);
      NrBuilder b = nr_builder_at_end(op->module, block, op->loc);
      nr_scf_yield(&b, NULL, 0);
    }
    store_at_start(p, region->first, slots, values);
    for (NrBlock *block = region->first; block; block = block->next)
      if (nr_op_is(block->last, NR_OP_scf_yield)) load_at_end(p, block->last, slots);
  }
}

static void carry(Promoter *p, NrOp *op, const SlotList *slots) {
  NR_VEC(NrValue *) values = {0};
  NR_VEC(NrType) types = {0};
  NrBuilder b = nr_builder_before(op);
  for (size_t i = 0; i < slots->size; i++) {
    nr_vec_push(&values, load_at(p, &b, slots->data[i]));
    nr_vec_push(&types, slots->data[i]->type);
  }
  uint32_t first = op->num_results;
  bool loops = nr_op_has(op, NR_LOOP);
  NrOp *more = nr_scf_extend(op, values.data, loops ? values.size : 0, types.data, types.size);
  if (loops)
    for (uint32_t r = 0; r < more->num_regions; r++) {
      NrBlock *block = nr_op_body(more, r);
      take_as_arguments(p, block, slots);
      load_at_end(p, block->last, slots);
    }
  else carry_through_branches(p, more, slots, values.data);
  b = nr_builder_after(more);
  for (size_t i = 0; i < slots->size; i++) store_at(p, &b, slots->data[i], nr_result(more, first + (uint32_t)i));
  nr_vec_deinit(&values);
  nr_vec_deinit(&types);
}

static void make_whole(Promoter *p, NrOp *op) {
  SlotList loaded = {0}, stored = {0};
  find_crossing(p, op, &loaded, &stored);
  if (loaded.size) load_outside(p, op, &loaded);
  if (stored.size) carry(p, op, &stored);
  nr_vec_deinit(&loaded);
  nr_vec_deinit(&stored);
}

/* ---- one region -------------------------------------------------------------------------------------------------- */

static NrValue *zero_before(NrOp *op, NrType type) {
  NrBuilder b = nr_builder_before(op);
  return nr_arith_constant(&b, nr_type_is_float(type) ? nr_attr_float(type, 0) : nr_attr_int(type, 0));
}

/* Walks down a block and replaces the loads of what is known there; last holds Slot* -> NrValue* and is, in the end,
 * what is known at its end. Loads of other elements go to exposed, replaced loads with what replaced them to replaced.
 */
static void walk_block(Promoter *p, NrBlock *block, NrMap *last, NrOpList *exposed, NrMap *replaced) {
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    Slot *slots = nr_map_get(&p->buffers, op), *slot = slot_of(p, op);
    int64_t count = 0;
    if (slots) nr_type_num_elements(nr_result(op, 0)->type, &count);
    for (int64_t e = 0; e < count; e++) nr_map_set(last, &slots[e], zero_before(op, slots[e].type));
    if (!slot) continue;
    if (nr_op_is(op, NR_OP_memref_store)) {
      nr_map_set(last, slot, nr_operand(op, 0));
    } else {
      NrValue *value = nr_map_get(last, slot);
      if (!value) {
        nr_vec_push(exposed, op);
        continue;
      }
      nr_value_replace_uses(nr_result(op, 0), value);
      nr_map_set(replaced, nr_result(op, 0), value);
    }
    nr_map_remove(&p->accesses, op);
    nr_op_erase(op);
  }
}

/* Several blocks: what each knows at its end, and what a slot is at the start of those that ask. */
typedef struct Flow {
  Promoter *p;
  NrMap ends;     /* NrBlock* -> NrMap*: Slot* -> NrValue* */
  NrMap replaced; /* NrValue* -> NrValue*: what took the place of loads and arguments that are gone */
  Slot *slot;     /* the one at hand */
  NrMap starts;   /* NrBlock* -> NrValue* */
  NR_VEC(NrBlock *) asking;
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

static void ask(Flow *f, NrMap *asked, NrBlock *block) {
  if (nr_map_has(asked, block)) return;
  nr_map_set(asked, block, block);
  nr_vec_push(&f->asking, block);
}

/* The blocks at whose start the slot's value is wanted: those with exposed loads, and before them all blocks up to
 * where it is stored. Where ways meet it becomes an argument. */
static void find_starts(Flow *f, const NrOpList *loads) {
  NrMap asked = {0};
  f->asking.size = 0;
  for (size_t i = 0; i < loads->size; i++) ask(f, &asked, loads->data[i]->block);
  for (size_t i = 0; i < f->asking.size; i++) {
    NrBlock *block = f->asking.data[i];
    for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
      if (!nr_map_has(nr_map_get(&f->ends, pred->owner->block), f->slot)) ask(f, &asked, pred->owner->block);
    if (block->first_pred && block->first_pred->next)
      nr_map_set(&f->starts, block, nr_block_add_arg(block, f->slot->type, f->slot->alloca->loc));
  }
  nr_map_deinit(&asked);
}

/* A block with one predecessor starts with what that one ends with. */
static NrValue *value_at_start(Flow *f, NrBlock *block) {
  NrBlock *from = block;
  while (!nr_map_has(&f->starts, from) && from->first_pred && !value_at_end(f, from->first_pred->owner->block))
    from = from->first_pred->owner->block;
  NrValue *value = nr_map_get(&f->starts, from);
  if (!value && from->first_pred) value = value_at_end(f, from->first_pred->owner->block);
  if (!value) value = zero_before(from->first, f->slot->type); /* not reached: an alloca is in front of its loads */
  for (NrBlock *at = block; at != from; at = at->first_pred->owner->block) nr_map_set(&f->starts, at, value);
  nr_map_set(&f->starts, from, value);
  return value;
}

/* Arguments that are one value wherever they come from, themselves aside, are that value. */
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
  for (size_t i = 0; i < f->asking.size; i++) {
    NrBlock *block = f->asking.data[i];
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

static void solve_slot(Flow *f, Slot *slot, const NrOpList *loads) {
  f->slot = slot;
  nr_map_clear(&f->starts);
  find_starts(f, loads);
  for (size_t i = 0; i < f->asking.size; i++) value_at_start(f, f->asking.data[i]);
  for (size_t i = 0; i < f->asking.size; i++) {
    NrBlock *block = f->asking.data[i];
    if (!block->first_pred || !block->first_pred->next) continue;
    for (NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
      nr_successor_append_operand(pred->owner, (size_t)(pred - pred->owner->successors),
                                  value_at_end(f, pred->owner->block));
  }
  for (size_t i = 0; i < loads->size; i++) {
    NrOp *load = loads->data[i];
    replace(f, nr_result(load, 0), value_at_start(f, load->block));
    nr_map_remove(&f->p->accesses, load);
    nr_op_erase(load);
  }
  drop_arguments(f);
}

static void promote_in_blocks(Promoter *p, NrRegion *region) {
  Flow f = {.p = p};
  NrOpList exposed = {0};
  NR_VEC(NrMap *) maps = {0};
  for (NrBlock *block = region->first; block; block = block->next) {
    NrMap *end = NR_NEW(p->pass->scratch, NrMap);
    nr_vec_push(&maps, end);
    nr_map_set(&f.ends, block, end);
    walk_block(p, block, end, &exposed, &f.replaced);
  }
  NrMap lists = {0}; /* Slot* -> NrOpList* */
  SlotList slots = {0};
  for (size_t i = 0; i < exposed.size; i++) {
    Slot *slot = slot_of(p, exposed.data[i]);
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
  nr_vec_deinit(&f.asking);
}

static void promote_in_region(Promoter *p, NrRegion *region) {
  if (region->first != region->last) {
    promote_in_blocks(p, region);
  } else if (region->first) {
    NrMap last = {0}, replaced = {0};
    NrOpList exposed = {0}; /* stays empty: an alloca or a store is in front */
    walk_block(p, region->first, &last, &exposed, &replaced);
    nr_vec_deinit(&exposed);
    nr_map_deinit(&last);
    nr_map_deinit(&replaced);
  }
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void promote(Promoter *p, NrOp *root) {
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;)
    if (ops.data[i]->num_regions) make_whole(p, ops.data[i]);
  ops.size = 0;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    for (uint32_t r = 0; !nr_is_erased(ops.data[i]) && r < ops.data[i]->num_regions; r++)
      promote_in_region(p, nr_op_region(ops.data[i], r));
  nr_vec_deinit(&ops);
}

static NrStatus mem2reg_run(NrPassContext *pass, NrOp *root) {
  Promoter p = {.pass = pass};
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    for (uint32_t r = 0; !nr_is_erased(ops.data[i]) && r < ops.data[i]->num_regions; r++)
      nr_erase_unreachable_blocks(nr_op_region(ops.data[i], r));
  for (size_t i = 0; i < ops.size; i++)
    if (!nr_is_erased(ops.data[i]) && nr_op_is(ops.data[i], NR_OP_memref_alloca) && is_promotable(ops.data[i]))
      add_buffer(&p, ops.data[i]);
  if (p.slots.size) promote(&p, root);
  for (size_t i = 0; i < ops.size; i++)
    if (!nr_is_erased(ops.data[i]) && nr_map_has(&p.buffers, ops.data[i])) nr_op_erase(ops.data[i]);
  nr_vec_deinit(&ops);
  nr_vec_deinit(&p.slots);
  nr_map_deinit(&p.buffers);
  nr_map_deinit(&p.accesses);
  return NR_OK;
}

NR_PASS(mem2reg, .name = "mem2reg", .run = mem2reg_run, .doc = "turns small buffers in the frame into values")
