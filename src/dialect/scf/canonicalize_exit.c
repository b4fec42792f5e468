/* canonicalize_exit.c - rewrites of scf.loop: removes loops that run once and unneeded carried values and results. Also
 * replaces an op by the region that it always runs, where that region may end in a break or continue.
 *
 *   before  %r:2 = scf.loop token(%l) iter_args(%a = %x)    after  %r = scf.loop token(%l) : () -> f32 {
 *                : f32 -> (f32, f32) {                                scf.if %c {
 *             scf.if %c {                                               %v = f(%x)
 *               %v = f(%a)                                              scf.break [%l] %v : f32
 *               scf.break [%l] %v, %a : f32, f32                      }
 *             }                                                       scf.continue [%l]
 *             scf.continue [%l] %a : f32                            }
 *           }
 */
#include "dialect/scf/canonicalize.h"

typedef NR_VEC(NrOp *) Exits;

static void find_exits(NrOp *loop, Exits *breaks, Exits *continues) {
  for (const NrUse *use = nr_scf_loop_body(loop)->args[0]->first_use; use; use = use->next) {
    if (nr_op_is(use->owner, NR_OP_scf_break)) nr_vec_push(breaks, use->owner);
    else nr_vec_push(continues, use->owner);
  }
}

/* Whether the body ends in scf.break and has no other exit from the loop. */
static bool runs_once(const NrOp *loop) {
  const NrBlock *body = nr_scf_loop_body(loop);
  const NrUse *use = body->args[0]->first_use;
  return use && !use->next && use->owner == body->last && nr_op_is(use->owner, NR_OP_scf_break);
}

static bool replace_by_body(NrOp *loop) {
  NrBlock *body = nr_scf_loop_body(loop);
  NrOp *exit = body->last;
  for (uint32_t i = 0; i < loop->num_operands; i++) nr_value_replace_uses(body->args[1 + i], nr_operand(loop, i));
  for (uint32_t i = 0; i < loop->num_results; i++)
    nr_value_replace_uses(nr_result(loop, i), nr_operand(exit, NR_SCF_EXIT_VALUES + i));
  nr_op_erase(exit);
  nr_block_splice(body, loop->block, loop);
  nr_op_erase(loop);
  return true;
}

/* ---- carried values and results ---------------------------------------------------------------------------------- */

/* Whether carried value i has its initial value in every iteration. */
static bool never_changes(const NrOp *loop, const Exits *continues, uint32_t i) {
  NrValue *arg = nr_scf_loop_body(loop)->args[1 + i];
  for (size_t k = 0; k < continues->size; k++) {
    NrValue *next = nr_operand(continues->data[k], NR_SCF_EXIT_VALUES + i);
    if (next != arg && next != nr_operand(loop, i)) return false;
  }
  return true;
}

/* Whether carried value i is only used as its own next value. */
static bool is_only_carried(const NrOp *loop, uint32_t i) {
  for (const NrUse *use = nr_scf_loop_body(loop)->args[1 + i]->first_use; use; use = use->next)
    if (!nr_op_is(use->owner, NR_OP_scf_continue) || nr_scf_exit_loop(use->owner) != loop ||
        nr_use_index(use) != NR_SCF_EXIT_VALUES + i)
      return false;
  return true;
}

/* The value that every break passes as result i, if it is defined outside the loop; otherwise NULL. */
static NrValue *only_result(NrOp *loop, const Exits *breaks, uint32_t i) {
  NrValue *only = breaks->size ? nr_operand(breaks->data[0], NR_SCF_EXIT_VALUES + i) : NULL;
  for (size_t k = 1; k < breaks->size; k++)
    if (nr_operand(breaks->data[k], NR_SCF_EXIT_VALUES + i) != only) return NULL;
  return only && !nr_scf_defined_in(only, nr_scf_loop_region(loop)) ? only : NULL;
}

static void drop_operands(const Exits *exits, const bool *drop, uint32_t count) {
  for (size_t k = 0; k < exits->size; k++)
    for (uint32_t i = count; i-- > 0;)
      if (drop[i]) nr_op_erase_operand(exits->data[k], NR_SCF_EXIT_VALUES + i);
}

/* Rebuilds the loop without some carried values and results, which have no uses left. The caller has already dropped
 * the operands of breaks and continues. */
static void rebuild(NrOp *loop, const bool *drop_carried, const bool *drop_result) {
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < loop->num_operands; i++)
    if (!drop_carried[i]) nr_vec_push(&inits, nr_operand(loop, i));
  for (uint32_t i = 0; i < loop->num_results; i++)
    if (!drop_result[i]) nr_vec_push(&types, nr_result(loop, i)->type);
  NrBlock *body = nr_scf_loop_body(loop);
  for (uint32_t i = loop->num_operands; i-- > 0;)
    if (drop_carried[i]) nr_block_erase_arg(body, 1 + i);
  NrOp *fewer = nr_op_rebuild(loop, inits.data, inits.size, types.data, types.size);
  nr_scf_replace_kept(loop, fewer, drop_result);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&types);
}

static bool drop_unneeded(NrOp *loop) {
  Exits breaks = {0}, continues = {0};
  bool *drop_carried = nr_calloc(loop->num_operands + 1, sizeof *drop_carried), any = false;
  bool *drop_result = nr_calloc(loop->num_results + 1, sizeof *drop_result);
  find_exits(loop, &breaks, &continues);
  for (uint32_t i = 0; i < loop->num_operands; i++) {
    bool same = never_changes(loop, &continues, i);
    if (same) nr_value_replace_uses(nr_scf_loop_body(loop)->args[1 + i], nr_operand(loop, i));
    any |= drop_carried[i] = same || is_only_carried(loop, i);
  }
  for (uint32_t i = 0; i < loop->num_results; i++) {
    NrValue *only = only_result(loop, &breaks, i);
    if (only) nr_value_replace_uses(nr_result(loop, i), only);
    any |= drop_result[i] = !nr_value_has_uses(nr_result(loop, i));
  }
  drop_operands(&continues, drop_carried, loop->num_operands);
  drop_operands(&breaks, drop_result, loop->num_results);
  if (any) rebuild(loop, drop_carried, drop_result);
  nr_free(drop_carried);
  nr_free(drop_result);
  nr_vec_deinit(&breaks);
  nr_vec_deinit(&continues);
  return any;
}

bool nr_scf_loop_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  return runs_once(op) ? replace_by_body(op) : drop_unneeded(op);
}

/* ---- replacing an op by the region that it runs ------------------------------------------------------------------ */

bool nr_scf_replace_by_taken(NrOp *op, NrBlock *taken) {
  if (!taken) {
    nr_op_erase(op);
    return true;
  }
  if (nr_op_is(taken->last, NR_OP_scf_yield)) return nr_scf_replace_by_block(op, taken, NULL);
  NrOp *parent = nr_op_parent(op);
  NrBlock *block = op->block;
  bool may_end = !nr_op_is(parent, NR_OP_scf_for) && !nr_op_is(parent, NR_OP_scf_while) && !block->last->num_successors;
  if (!may_end || !nr_scf_is_exit(taken->last)) return false;
  while (block->last != op) nr_op_erase(block->last); /* unreachable: the block now ends in a break or continue */
  nr_block_splice(taken, block, NULL);
  nr_op_erase(op);
  return true;
}
