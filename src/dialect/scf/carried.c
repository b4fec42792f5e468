/* carried.c - which values that scf.for and scf.while carry are needed, and which are loop-invariant.
 *
 * A slot is a value that a loop passes to a block argument or result:
 *
 *   scf.for .. iter_args(%a = %x, %b = %y)       one slot per carried value: the argument and the result
 *   scf.while (%a = %x) .. condition(%c) %p      one for %a, which `after` yields, and one for %p, which the condition
 *                                                passes to the argument of `after` and to the result
 */
#include "dialect/scf/carried.h"

static bool is_for(const NrOp *loop) { return nr_op_is(loop, NR_OP_scf_for); }

static uint32_t num_carried(const NrOp *loop) { return is_for(loop) ? loop->num_results : loop->num_operands; }

uint32_t nr_scf_num_slots(const NrOp *loop) {
  return is_for(loop) ? loop->num_results : loop->num_operands + loop->num_results;
}

static NrOp *yield_of(NrOp *loop) {
  return nr_block_terminator(is_for(loop) ? nr_scf_for_body(loop) : nr_scf_while_after_body(loop));
}
static NrOp *condition_of(NrOp *loop) { return nr_block_terminator(nr_scf_while_before_body(loop)); }

/* The value that a slot gets from the terminator: from the yield, or from the condition. */
static NrValue *source(NrOp *loop, uint32_t slot) {
  if (slot < num_carried(loop)) return nr_operand(yield_of(loop), slot);
  return nr_operand(condition_of(loop), NR_SCF_CONDITION_ARGS + slot - num_carried(loop));
}

static NrValue *result(NrOp *loop, uint32_t slot) {
  if (is_for(loop)) return nr_result(loop, slot);
  return slot < num_carried(loop) ? NULL : nr_result(loop, slot - num_carried(loop));
}

/* The slot of a region's argument; false for other values and for induction variables. */
static bool slot_of(NrOp *loop, const NrValue *value, uint32_t *out) {
  if (!value->block || value->block->region->op != loop) return false;
  if (is_for(loop)) {
    *out = value->index - 1;
    return value->index > 0;
  }
  *out = value->index + (value->block == nr_scf_while_after_body(loop) ? num_carried(loop) : 0);
  return true;
}

/* ---- needed ------------------------------------------------------------------------------------------------------ */

static void need_op(NrScfNeeded *n, NrOp *op) {
  if (nr_map_has(&n->ops, op)) return;
  nr_map_set(&n->ops, op, op);
  nr_vec_push(&n->work, op);
}

/* Marks the slot of an argument and the slots that its value comes from, up to a slot that is marked already or to a
 * value that an op defines. */
static void need_value(NrScfNeeded *n, NrValue *value) {
  for (uint32_t slot; slot_of(n->loop, value, &slot); value = source(n->loop, slot)) {
    if (n->slots[slot]) return;
    n->slots[slot] = true;
  }
  if (value->op && value->op->block->region->op == n->loop) need_op(n, value->op);
}

static bool need_operands(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_operands; i++) need_value(user, nr_operand(op, i));
  return true;
}

void nr_scf_needed_init(NrScfNeeded *n, NrOp *loop) {
  uint32_t count = nr_scf_num_slots(loop);
  *n = (NrScfNeeded){.loop = loop, .slots = nr_calloc(count + 1, sizeof(bool))};
  for (uint32_t i = 0; i < count; i++) {
    NrValue *out = result(loop, i);
    if (!out || !nr_value_has_uses(out) || n->slots[i]) continue;
    n->slots[i] = true;
    need_value(n, source(loop, i));
  }
  if (!is_for(loop)) need_value(n, nr_scf_condition_condition(condition_of(loop)));
  for (uint32_t r = 0; r < loop->num_regions; r++) {
    NrBlock *block = nr_op_body(loop, r);
    for (NrOp *op = block->first; op != block->last; op = op->next)
      if (!nr_op_is_pure(op)) need_op(n, op);
  }
  while (n->work.size) nr_walk_pre(nr_vec_pop(&n->work), need_operands, n);
}

void nr_scf_needed_deinit(NrScfNeeded *n) {
  nr_free(n->slots);
  nr_map_deinit(&n->ops);
  nr_vec_deinit(&n->work);
}

/* ---- invariant --------------------------------------------------------------------------------------------------- */

static NrValue *init_of(NrOp *loop, uint32_t slot) {
  return is_for(loop) ? nr_scf_for_init(loop, slot) : nr_operand(loop, slot);
}

/* Assumes that all carried values are invariant and removes those that are not, until nothing changes. */
void nr_scf_find_invariant(NrOp *loop, bool *out) {
  uint32_t carried = num_carried(loop);
  for (uint32_t i = 0; i < nr_scf_num_slots(loop); i++) out[i] = i < carried;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < carried; i++) {
      NrValue *next = source(loop, i);
      uint32_t slot;
      if (!out[i]) continue;
      /* passed through by the condition */
      if (slot_of(loop, next, &slot) && slot >= carried) next = source(loop, slot);
      bool same = slot_of(loop, next, &slot) ? out[slot] && init_of(loop, slot) == init_of(loop, i)
                                               : next == init_of(loop, i);
      if (same) continue;
      out[i] = false;
      changed = true;
    }
  }
}
