/* buffer_loop_hoisting.c - hoists buffers that a loop allocates and frees in every iteration in front of the loop.
 *
 *   before  scf.for .. {                      after  %a = memref.alloc() : memref<64xf32>
 *             %a = memref.alloc() ..                 scf.for .. { .. }
 *             ..                                     memref.dealloc %a
 *             memref.dealloc %a
 *           }
 *
 * Sizes must be known before the loop. A size that is not a memref.dim may be invalid or too large in a run where the
 * loop has no iterations; it is replaced by 0 then, and such a buffer stays in an scf.while that may end before the
 * alloc. Buffers of scf.parallel stay, because its iterations may run concurrently. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "pass/bufferize/buffers.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum { MAX_DEPTH = 8 };

static bool is_inside(const NrValue *value, const NrOp *loop) {
  NrBlock *block = nr_value_block(value);
  return nr_op_is_ancestor(loop, nr_block_parent_op(block));
}

/* Whether the value is defined before the loop, or computed from such values by speculatable ops. */
static bool is_known_before(NrValue *value, const NrOp *loop, int depth) {
  if (!is_inside(value, loop)) return true;
  if (!value->op || depth == MAX_DEPTH || value->op->num_regions || !nr_op_is_speculatable(value->op)) return false;
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (!is_known_before(nr_operand(value->op, i), loop, depth + 1)) return false;
  return true;
}

static void move_before(NrValue *value, NrOp *loop) {
  if (!is_inside(value, loop)) return;
  for (uint32_t i = 0; i < value->op->num_operands; i++) move_before(nr_operand(value->op, i), loop);
  nr_op_unlink(value->op);
  nr_op_insert_before(value->op, loop);
}

/* Whether the value is a valid size. */
static bool is_size(const NrValue *value) { return nr_op_is(value->op, NR_OP_memref_dim); }

static bool may_hoist(NrOp *alloc, const NrOp *loop, size_t region) {
  bool is_reached = nr_op_is(loop, NR_OP_scf_for) || region == 0;
  if (alloc->num_operands > nr_type_num_dynamic(nr_op_result(alloc)->type)) return false; /* symbols of a layout */
  for (uint32_t i = 0; i < alloc->num_operands; i++) {
    NrValue *size = nr_operand(alloc, i);
    if (!is_known_before(size, loop, 0) || !(is_reached || is_size(size))) return false;
  }
  return true;
}

/* Clamps the alloc's sizes, which move in front of the loop: to 0 when the loop has no iterations, where they may be
 * invalid, and when they are negative. */
static void guard_sizes(NrOp *alloc, NrOp *loop) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *none = NULL, *runs = NULL;
  for (uint32_t i = 0; i < alloc->num_operands; i++) {
    NrValue *size = nr_operand(alloc, i);
    move_before(size, loop);
    if (is_size(size)) continue;
    if (!none) none = nr_arith_constant_index(&b, 0);
    if (nr_op_is(loop, NR_OP_scf_for)) {
      if (!runs) runs = nr_for_build_goes_on(&b, loop, nr_scf_for_lower_bound(loop));
      size = nr_fold_select(&b, runs, size, none);
    }
    nr_op_set_operand(alloc, i, nr_fold_binary(&b, NR_OP_arith_maxsi, size, none));
  }
}

static bool hoist_from(NrOp *loop, void *user) {
  (void)user;
  if (!nr_op_is(loop, NR_OP_scf_for) && !nr_op_is(loop, NR_OP_scf_while)) return true;
  for (size_t r = 0; r < loop->num_regions; r++) {
    NrBlock *block = nr_op_body(loop, r);
    for (NrOp *op = block ? block->first : NULL, *next; op; op = next) {
      next = op->next;
      NrOp *dealloc = nr_op_is(op, NR_OP_memref_alloc) ? nr_buffer_dealloc(nr_op_result(op)) : NULL;
      if (!dealloc || dealloc->block != block || !may_hoist(op, loop, r)) continue;
      if (next == dealloc) next = dealloc->next;
      guard_sizes(op, loop);
      nr_op_unlink(op);
      nr_op_insert_before(op, loop);
      nr_op_unlink(dealloc);
      nr_op_insert_after(dealloc, loop);
    }
  }
  return true;
}

/* Inner loops first, so that a buffer can leave several loops. */
static NrStatus buffer_loop_hoisting_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  nr_walk_post(func, hoist_from, NULL);
  return NR_OK;
}

NR_PASS(buffer_loop_hoisting, .name = "buffer-loop-hoisting", .on_while = NR_WHILE_HANDLES, .on = "func.func",
        .run = buffer_loop_hoisting_run, .doc = "hoists allocations out of loops")
