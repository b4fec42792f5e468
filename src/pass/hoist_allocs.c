/* hoist_allocs.c - buffers that a loop makes and frees in every iteration are made once, before it.
 *
 *   before  scf.for .. {                      after  %a = memref.alloc() : memref<64xf32>
 *             %a = memref.alloc() ..                 scf.for .. { .. }
 *             ..                                     memref.dealloc %a
 *             memref.dealloc %a
 *           }
 *
 * Sizes must be known before the loop. Iterations of scf.parallel may run at once, so theirs stay. */
#include "dialect/memref/memref.h"
#include "pass/buffers.h"
#include "pass/pass.h"

static bool is_inside(const NrValue *value, const NrOp *loop) {
  NrBlock *block = nr_value_block(value);
  return nr_op_is_ancestor(loop, nr_block_parent_op(block));
}

static bool hoist_from(NrOp *loop, void *user) {
  (void)user;
  if (!nr_op_is(loop, NR_OP_scf_for) && !nr_op_is(loop, NR_OP_scf_while)) return true;
  for (size_t r = 0; r < loop->num_regions; r++) {
    NrBlock *block = nr_op_body(loop, r);
    for (NrOp *op = block ? block->first : NULL, *next; op; op = next) {
      next = op->next;
      NrOp *dealloc = nr_op_is(op, NR_OP_memref_alloc) ? nr_buffer_dealloc(nr_result(op, 0)) : NULL;
      if (!dealloc || dealloc->block != block) continue;
      bool invariant = true;
      for (size_t i = 0; i < op->num_operands; i++) invariant &= !is_inside(nr_operand(op, i), loop);
      if (!invariant) continue;
      if (next == dealloc) next = dealloc->next;
      nr_op_unlink(op);
      nr_op_insert_before(op, loop);
      nr_op_unlink(dealloc);
      nr_op_insert_after(dealloc, loop);
    }
  }
  return true;
}

/* Inner loops come first, so that what leaves one can leave the next. */
static NrStatus hoist_allocs_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  nr_walk_post(func, hoist_from, NULL);
  return NR_OK;
}

NR_PASS(hoist_allocs, .name = "hoist-allocs", .on = "func.func", .run = hoist_allocs_run,
        .doc = "makes the buffers of a loop's iterations once, before the loop")
