/* licm.c - loop-invariant code motion: what is the same in every iteration is computed once, before the loop.
 *   before  scf.for %i = %lb to %ub step %st {          after  %0 = arith.mulf %a, %b : f32
 *             %0 = arith.mulf %a, %b : f32                     scf.for %i = %lb to %ub step %st {
 *             memref.store %0, %m[%i] : memref<?xf32>            memref.store %0, %m[%i] : memref<?xf32>
 *           }                                                  }
 * Only ops that may run although the loop runs no iteration are moved: not a division by what may be 0, and nothing
 * that touches memory. Inner loops first, so that an op leaves as many loops as it can. */
#include "pass/pass.h"
#include "pass/rewrite.h"

/* Every value that op and the ops in it use is from outside of the loop, or from op itself. */
typedef struct Invariance {
  const NrOp *loop, *op;
} Invariance;

static bool uses_outside_only(NrOp *inner, void *user) {
  const Invariance *v = user;
  for (uint32_t i = 0; i < inner->num_operands; i++) {
    const NrOp *owner = nr_block_parent_op(nr_value_block(nr_operand(inner, i)));
    bool from_op = inner != v->op && nr_op_is_ancestor(v->op, owner);
    if (!from_op && nr_op_is_ancestor(v->loop, owner)) return false;
  }
  return true;
}

static void hoist_from(NrOp *loop) {
  for (uint32_t r = 0; r < loop->num_regions; r++)
    for (NrBlock *block = loop->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first, *next; op; op = next) {
        next = op->next;
        if (nr_op_has(op, NR_TERMINATOR) || !nr_op_is_speculatable(op)) continue;
        if (!nr_walk_pre(op, uses_outside_only, &(Invariance){loop, op})) continue;
        nr_op_unlink(op);
        nr_op_insert_before(op, loop);
      }
}

static bool visit(NrOp *op, void *user) {
  if (nr_op_has(op, NR_LOOP) && !nr_op_has(op, NR_ISOLATED) && op->block) hoist_from(op);
  return true;
}

static NrStatus licm_run(NrPassContext *pass, NrOp *op) {
  nr_walk_post(op, visit, NULL);
  return NR_OK;
}

NR_PASS(licm, .name = "licm", .run = licm_run, .doc = "moves what does not change in a loop in front of it")
