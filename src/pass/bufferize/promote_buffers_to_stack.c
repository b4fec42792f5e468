/* promote_buffers_to_stack.c - promotes small buffers of static size that do not outlive their block to the stack.
 *
 *   before  %a = memref.alloc() : memref<4xf32>       after  %a = memref.alloca() : memref<4xf32>
 *           memref.dealloc %a
 *
 * The alloca goes to the function's entry block, so that a loop does not grow the stack; inside an scf.parallel, whose
 * iterations may run concurrently, to the entry of its body. */
#include "dialect/memref/memref.h"
#include "pass/bufferize/buffers.h"
#include "pass/core/pass.h"

typedef struct Promote {
  int64_t limit, total; /* bytes per buffer, bytes per function: they limit the size of the stack */
  int64_t used;
} Promote;

static bool promote(NrOp *op, void *user) {
  Promote *p = user;
  if (!nr_op_is(op, NR_OP_memref_alloc)) return true;
  NrValue *memref = nr_op_result(op);
  NrOp *dealloc = nr_buffer_dealloc(memref);
  int64_t bytes;
  if (!dealloc || dealloc->block != op->block || !nr_buffer_bytes(memref->type, &bytes)) return true;
  if (bytes > p->limit || p->used + bytes > p->total) return true;
  NrBlock *block = op->block;
  for (NrOp *outer = nr_block_parent_op(block); !nr_op_has(outer, NR_FUNCTION); outer = nr_block_parent_op(block)) {
    if (nr_op_is(outer, NR_OP_scf_parallel) || nr_op_is(outer, NR_OP_scf_forall)) break;
    block = outer->block;
    if (!block) return true;
  }
  NrBuilder b = nr_builder_at_start(op->module, block, op->loc);
  NrOp *on_stack = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_memref_alloca],
                                             .result_types = &memref->type,
                                             .num_results = 1,
                                             .attrs = op->attrs,
                                             .num_attrs = op->num_attrs});
  p->used += bytes;
  nr_op_erase(dealloc);
  nr_value_replace_uses(memref, nr_op_result(on_stack));
  nr_op_erase(op);
  return true;
}

static NrStatus promote_buffers_to_stack_run(NrPassContext *pass, NrOp *func) {
  Promote p = {.limit = nr_pass_int(pass, "limit"), .total = nr_pass_int(pass, "total")};
  nr_walk_post(func, promote, &p);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("limit", 1024, 0, INT64_MAX, "maximum bytes of a promoted buffer"),
    NR_INT("total", 65536, 0, INT64_MAX, "maximum bytes of the promoted buffers of a function"),
    {0},
};
NR_PASS(promote_buffers_to_stack, .name = "promote-buffers-to-stack", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = promote_buffers_to_stack_run, .options = options,
        .doc = "promotes small buffers that do not outlive their block to the stack")
