/* mem2reg.c - promotes stack buffers to values.
 *   before  %m = memref.alloca() : memref<f32>          after  %r = scf.for .. iter_args(%v = %x) -> (f32) {
 *           memref.store %x, %m[]                                %n = f(%v)
 *           scf.for .. {                                         scf.yield %n : f32
 *             %v = memref.load %m[]                            }
 *             %n = f(%v)                                       use(%r)
 *             memref.store %n, %m[]
 *           }
 *           %r = memref.load %m[]
 *           use(%r)
 * Promotes each element of a memref.alloca with a static shape of at most MAX_ELEMENTS elements, when it is only loaded
 * and stored with constant indices in bounds, and the stores are in blocks, scf.for, while, if, index_switch and
 * execute_region. An element that was never written is 0.
 *
 * First, every region becomes independent of the others, inner ones first: an op whose regions write an element takes
 * it as an operand and returns it as a result, by a load before the op, a store at the start of each region, a load at
 * its end, and a store after the op. Then the loads of each region are replaced by the last stored values, with block
 * arguments where control flow joins; arguments that are always one value are removed (mem2reg_blocks.c). */
#include "dialect/memref/ops.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/scalar/mem2reg.h"

#include <stdlib.h>

enum { MAX_ELEMENTS = 16 };

/* ---- which buffers ----------------------------------------------------------------------------------------------- */

/* Computes the element of an access; false when an index is not constant or out of bounds. */
static bool element_of(const NrOp *access, NrType type, int64_t *out) {
  size_t first_index = nr_op_indices(access).begin;
  *out = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    int64_t index;
    if (!nr_value_constant_int(nr_operand(access, first_index + d), &index) || index < 0 || index >= type->dims[d])
      return false;
    *out = *out * type->dims[d] + index;
  }
  return true;
}

/* Whether operands and results can be added to this op and its regions. */
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

/* Whether every region between the access and the alloca's block can pass the element on. For a load the region only
 * needs to see values from outside; for a store it must return them too. */
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
  NrType type = nr_op_result(alloca)->type;
  int64_t count, element;
  if (!nr_type_num_elements(type, &count) || count < 1 || count > MAX_ELEMENTS || !nr_memref_is_identity(type))
    return false;
  NrAttr zero = nr_type_is_float(type->elem)          ? nr_attr_float(type->elem, 0)
                : nr_type_is_int_or_index(type->elem) ? nr_attr_int(type->elem, 0)
                                                      : NULL;
  if (!zero) return false;
  for (const NrUse *use = nr_op_result(alloca)->first_use; use; use = use->next) {
    bool loads = nr_op_is(use->owner, NR_OP_memref_load) && nr_use_index(use) == NR_MEMREF_LOAD_MEMREF;
    bool stores = nr_op_is(use->owner, NR_OP_memref_store) && nr_use_index(use) == NR_MEMREF_STORE_MEMREF;
    if (!loads && !stores) return false;
    if (!element_of(use->owner, type, &element)) return false;
    if (!is_reachable(use->owner, alloca, stores)) return false;
  }
  return true;
}

static void add_buffer(NrPromoter *p, NrOp *alloca) {
  NrType type = nr_op_result(alloca)->type;
  int64_t count = 1, element;
  nr_type_num_elements(type, &count);
  NrSlot *slots = NR_NEW_ARRAY(p->pass->scratch, NrSlot, count);
  for (int64_t e = 0; e < count; e++) {
    slots[e] = (NrSlot){.alloca = alloca, .type = type->elem, .number = (uint32_t)p->slots.size};
    nr_vec_push(&p->slots, &slots[e]);
  }
  nr_map_set(&p->buffers, alloca, slots);
  for (const NrUse *use = nr_op_result(alloca)->first_use; use; use = use->next) {
    element_of(use->owner, type, &element);
    nr_map_set(&p->accesses, use->owner, &slots[element]);
  }
}

/* ---- regions independent of each other -------------------------------------------------------------------------- */

/* Builds a load of the element. The pass represents it without indices, and erases all such loads and stores later. */
static NrValue *load_at(NrPromoter *p, NrBuilder *b, NrSlot *slot) {
  NrOp *op = nr_build_op(b, NR_OP_memref_load, (NrValue *[]){nr_op_result(slot->alloca)}, 1, &slot->type, 1);
  nr_map_set(&p->accesses, op, slot);
  return nr_op_result(op);
}

static void store_at(NrPromoter *p, NrBuilder *b, NrSlot *slot, NrValue *value) {
  NrOp *op = nr_build_op(b, NR_OP_memref_store, (NrValue *[]){value, nr_op_result(slot->alloca)}, 2, NULL, 0);
  nr_map_set(&p->accesses, op, slot);
}

static int by_number(const void *a, const void *b) {
  const NrSlot *x = *(NrSlot *const *)a, *y = *(NrSlot *const *)b;
  return (x->number > y->number) - (x->number < y->number);
}

static bool is_inside(const NrOp *op, const NrOp *around) { return op != around && nr_op_is_ancestor(around, op); }

/* Collects the elements of outer buffers that the op's own blocks access: those that they store, and those that they
 * only load. Accesses that are nested deeper have been moved to these blocks before. */
static void find_crossing(const NrPromoter *p, NrOp *op, NrSlotList *loaded, NrSlotList *stored) {
  NrMap seen = {0};
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) {
        NrSlot *slot = nr_slot_of(p, inner);
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
        NrSlot *slot = nr_slot_of(p, inner);
        if (!slot || nr_map_get(&seen, slot) != (void *)1) continue;
        nr_map_set(&seen, slot, (void *)4);
        nr_vec_push(loaded, slot);
      }
  nr_map_deinit(&seen);
  if (stored->size) qsort(stored->data, stored->size, sizeof *stored->data, by_number);
}

/* Replaces the loads of elements that op only reads by one load before it. */
static void load_outside(NrPromoter *p, NrOp *op, const NrSlotList *slots) {
  NrBuilder b = nr_builder_before(op);
  NrMap values = {0};
  for (size_t i = 0; i < slots->size; i++) nr_map_set(&values, slots->data[i], load_at(p, &b, slots->data[i]));
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first, *next; inner; inner = next) {
        next = inner->next;
        NrSlot *slot = nr_slot_of(p, inner);
        NrValue *value = slot ? nr_map_get(&values, slot) : NULL;
        if (!value) continue;
        nr_value_replace_uses(nr_op_result(inner), value);
        nr_map_remove(&p->accesses, inner);
        nr_op_erase(inner);
      }
  nr_map_deinit(&values);
}

/* Stores the values into the elements at the start of a block. */
static void store_at_start(NrPromoter *p, NrBlock *block, const NrSlotList *slots, NrValue *const *values) {
  NrBuilder b = nr_builder_at_start(block->module, block, block->first->loc);
  for (size_t i = 0; i < slots->size; i++) store_at(p, &b, slots->data[i], values[i]);
}

/* Loads the elements before a terminator and appends them to its operands. */
static void load_at_end(NrPromoter *p, NrOp *terminator, const NrSlotList *slots) {
  NrBuilder b = nr_builder_before(terminator);
  for (size_t i = 0; i < slots->size; i++)
    nr_op_insert_operand(terminator, terminator->num_operands, load_at(p, &b, slots->data[i]));
}

/* Adds an argument for each element to a block, and stores the arguments at its start. */
static void take_as_arguments(NrPromoter *p, NrBlock *block, const NrSlotList *slots) {
  uint32_t first = block->num_args;
  for (size_t i = 0; i < slots->size; i++) nr_block_add_arg(block, slots->data[i]->type, block->first->loc);
  store_at_start(p, block, slots, block->args + first);
}

/* For ops whose regions are entered once, from outside, and end in scf.yield. */
static void carry_through_branches(NrPromoter *p, NrOp *op, const NrSlotList *slots, NrValue *const *values) {
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

static void carry(NrPromoter *p, NrOp *op, const NrSlotList *slots) {
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

static void make_whole(NrPromoter *p, NrOp *op) {
  NrSlotList loaded = {0}, stored = {0};
  find_crossing(p, op, &loaded, &stored);
  if (loaded.size) load_outside(p, op, &loaded);
  if (stored.size) carry(p, op, &stored);
  nr_vec_deinit(&loaded);
  nr_vec_deinit(&stored);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void promote(NrPromoter *p, NrOp *root) {
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;)
    if (ops.data[i]->num_regions) make_whole(p, ops.data[i]);
  ops.size = 0;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    for (uint32_t r = 0; !nr_is_erased(ops.data[i]) && r < ops.data[i]->num_regions; r++)
      nr_promote_in_region(p, nr_op_region(ops.data[i], r));
  nr_vec_deinit(&ops);
}

static NrStatus mem2reg_run(NrPassContext *pass, NrOp *root) {
  NrPromoter p = {.pass = pass};
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

NR_PASS(mem2reg, .name = "mem2reg", .on_while = NR_WHILE_HANDLES, .run = mem2reg_run,
        .doc = "promotes small stack buffers to values")
