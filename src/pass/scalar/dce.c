/* dce.c - removes ops without uses and effects, and unreachable blocks.
 *   before  %0 = arith.addi %a, %b : i32          after  return %a : i32
 *           %1 = arith.muli %0, %0 : i32
 *           return %a : i32
 * Ops are visited last to first, so that one pass over them is enough. */
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static NrStatus dce_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  for (uint32_t r = 0; r < root->num_regions; r++) nr_erase_unreachable_blocks(&root->regions[r]);
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    for (uint32_t r = 0; !nr_is_erased(ops.data[i]) && r < ops.data[i]->num_regions; r++)
      nr_erase_unreachable_blocks(&ops.data[i]->regions[r]);
  for (size_t i = ops.size; i-- > 0;)
    if (!nr_is_erased(ops.data[i])) nr_erase_if_dead(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(dce, .name = "dce", .on_while = NR_WHILE_HANDLES, .run = dce_run,
        .doc = "removes ops without use or effect, and unreachable blocks")
