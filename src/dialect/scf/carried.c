/* carried.c - which values that scf.for and scf.while carry are needed, and which are loop-invariant.
 *
 *   scf.for .. iter_args(%a = %x, %b = %y)       a place each: %a gets what is yielded first, so do the results
 *   scf.while (%a = %x) .. condition(%c) %p       a place for %a, which gets what `after` yields, and one for %p: the
 *                                                 argument of `after` and the result get it
 */
#include "dialect/scf/carried.h"

static bool is_for(const NrOp *loop) { return nr_op_is(loop, NR_OP_scf_for); }

static uint32_t num_carried(const NrOp *loop) { return is_for(loop) ? loop->num_results : loop->num_operands; }

uint32_t nr_scf_num_places(const NrOp *loop) {
  return is_for(loop) ? loop->num_results : loop->num_operands + loop->num_results;
}

static NrOp *yield_of(NrOp *loop) {
  return nr_block_terminator(is_for(loop) ? nr_scf_for_body(loop) : nr_scf_while_after_body(loop));
}
static NrOp *condition_of(NrOp *loop) { return nr_block_terminator(nr_scf_while_before_body(loop)); }

/* What comes to a place in the next iteration, or behind the condition. */
static NrValue *source(NrOp *loop, uint32_t place) {
  if (place < num_carried(loop)) return nr_operand(yield_of(loop), place);
  return nr_operand(condition_of(loop), NR_SCF_CONDITION_ARGS + place - num_carried(loop));
}

static NrValue *result(NrOp *loop, uint32_t place) {
  if (is_for(loop)) return nr_result(loop, place);
  return place < num_carried(loop) ? NULL : nr_result(loop, place - num_carried(loop));
}

/* The place of a region's argument; false for other values and for induction variables. */
static bool place_of(NrOp *loop, const NrValue *value, uint32_t *out) {
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

/* A place leads to the next one at most twice in a row: from `after` to the condition, or around. */
static void need_value(NrScfNeeded *n, NrValue *value) {
  for (uint32_t place; place_of(n->loop, value, &place); value = source(n->loop, place)) {
    if (n->places[place]) return;
    n->places[place] = true;
  }
  if (value->op && value->op->block->region->op == n->loop) need_op(n, value->op);
}

static bool need_operands(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_operands; i++) need_value(user, nr_operand(op, i));
  return true;
}

void nr_scf_needed_init(NrScfNeeded *n, NrOp *loop) {
  uint32_t count = nr_scf_num_places(loop);
  *n = (NrScfNeeded){.loop = loop, .places = nr_calloc(count + 1, sizeof(bool))};
  for (uint32_t i = 0; i < count; i++) {
    NrValue *out = result(loop, i);
    if (!out || !nr_value_has_uses(out) || n->places[i]) continue;
    n->places[i] = true;
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
  nr_free(n->places);
  nr_map_deinit(&n->ops);
  nr_vec_deinit(&n->work);
}

/* ---- invariant --------------------------------------------------------------------------------------------------- */

static NrValue *init_of(NrOp *loop, uint32_t place) {
  return is_for(loop) ? nr_scf_for_init(loop, place) : nr_operand(loop, place);
}

/* All are taken for invariant, until no more turn out not to be. */
void nr_scf_find_invariant(NrOp *loop, bool *out) {
  uint32_t carried = num_carried(loop);
  for (uint32_t i = 0; i < nr_scf_num_places(loop); i++) out[i] = i < carried;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < carried; i++) {
      NrValue *next = source(loop, i);
      uint32_t place;
      if (!out[i]) continue;
      if (place_of(loop, next, &place) && place >= carried) next = source(loop, place); /* handed on by the condition */
      bool same = place_of(loop, next, &place) ? out[place] && init_of(loop, place) == init_of(loop, i)
                                               : next == init_of(loop, i);
      if (same) continue;
      out[i] = false;
      changed = true;
    }
  }
}
