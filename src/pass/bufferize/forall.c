/* forall.c - bufferizes scf.forall to an scf.parallel that writes into shared buffers.
 *
 *   before  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) {     after  scf.parallel (%i) = (0) to (%n) step (1) {
 *             scf.forall.in_parallel {                                       memref.copy %row, (part of %t)
 *               tensor.parallel_insert_slice %row into %o[%i] ..             scf.reduce
 *             }                                                            }
 *           }
 *
 * A point reads the outputs as they were before the loop. Where it reads more of an output than the slice that it
 * writes, it reads from a copy. */
#include "pass/bufferize/bufferize.h"

static bool same_lists(NrOp *slice, NrOp *insert) {
  size_t rank = nr_index_list_size(insert, "static_offsets");
  if (rank != nr_index_list_size(slice, "static_offsets")) return false;
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < rank; i++)
      if (!nr_index_eq(nr_index_list_get(slice, nr_extract_slice_slots[k], i),
                       nr_index_list_get(insert, nr_insert_slice_slots[k], i)))
        return false;
  return true;
}

/* Whether the output is read outside the slice that is written. */
static bool is_read_elsewhere(const NrValue *output) {
  NrOp *insert = NULL;
  for (const NrUse *use = output->first_use; use; use = use->next) {
    if (!nr_op_is(use->owner, NR_OP_tensor_parallel_insert_slice)) continue;
    if (insert) return true;
    insert = use->owner;
  }
  for (const NrUse *use = output->first_use; use; use = use->next)
    if (use->owner != insert &&
        !(nr_op_is(use->owner, NR_OP_tensor_extract_slice) && insert && same_lists(use->owner, insert)))
      return true;
  return false;
}

NrStatus nr_bufferize_in_parallel(NrBufferize *s, NrOp *op) {
  NrBlock *block = nr_op_body(op, 0);
  for (NrOp *insert = block ? block->first : NULL; insert; insert = insert->next) {
    if (!nr_op_is(insert, NR_OP_tensor_parallel_insert_slice)) return nr_op_error(insert, "cannot be bufferized");
    NrBufferBinding *source = nr_bufferize_binding(s, nr_operand(insert, 0)),
            *dest = nr_bufferize_binding(s, nr_operand(insert, 1));
    if (!source->memref) continue;
    NrBuilder b = nr_builder_before(op);
    NrValue *part = nr_bufferize_subview(&b, dest->buffer->root, insert, nr_operand(insert, 0)->type);
    nr_bufferize_copy_contents(op, source, part);
  }
  nr_vec_push(&s->dead, op);
  return NR_OK;
}

/* Builds the loop, with bounds as values and a body without the outputs. An scf.forall without dims gets one dim with
 * one point. */
static void build_parallel(NrBufferize *s, NrOp *op, size_t rank) {
  static const NrIndexListSlot slots[3] = {{0, "staticLowerBound"}, {1, "staticUpperBound"}, {2, "staticStep"}};
  NrBuilder b = nr_builder_before(op);
  size_t dims = NR_MAX(rank, 1);
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, 3 * dims);
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < rank; i++) operands[k * rank + i] = nr_index_value(&b, nr_index_list_get(op, slots[k], i));
    if (!rank) operands[k] = nr_index_value(&b, nr_index_const(k > 0));
  }
  NrOp *loop = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_parallel],
                                         .operands = operands,
                                         .num_operands = 3 * dims,
                                         .num_regions = 1});
  uint32_t n = (uint32_t)dims;
  nr_op_set_segments(loop, (uint32_t[]){n, n, n, 0}, 4);
  nr_region_take(nr_op_region(loop, 0), nr_op_region(op, 0));
  NrBlock *body = nr_op_body(loop, 0);
  b = nr_builder_at_end(s->module, body, op->loc);
  nr_build_op(&b, NR_OP_scf_reduce, NULL, 0, NULL, 0);
  while (body->num_args > rank) nr_block_erase_arg(body, body->num_args - 1);
  if (!rank) nr_block_add_arg(body, nr_type_index(s->ctx), op->loc);
}

NrStatus nr_bufferize_forall(NrBufferize *s, NrOp *op) {
  NrBlock *body = nr_op_body(op, 0);
  size_t outputs, num_outputs, rank = nr_index_list_size(op, "staticLowerBound");
  if (!nr_op_operand_group(op, 3, &outputs, &num_outputs) || !body || body->num_args != rank + num_outputs)
    return nr_op_error(op, "does not have an argument of its body for every loop and output");
  nr_bufferize_mark_captured(s, op);
  NrValue **memory = NR_NEW_ARRAY(s->arena, NrValue *, num_outputs + 1);
  for (size_t i = 0; i < num_outputs; i++) {
    NrValue *arg = nr_block_arg(body, rank + i);
    memory[i] = nr_bufferize_take(s, nr_operand(op, outputs + i), op);
    NrBufferBinding shared = {.value = arg, .memref = memory[i]};
    NrValue *read = memory[i];
    if (is_read_elsewhere(arg)) {
      read = nr_bufferize_read_copy(s, op, &shared);
      nr_bufferize_own(s, read, op->block, nr_bufferize_number(s, op));
    }
    nr_bufferize_join(s, arg, nr_bufferize_own(s, memory[i], NULL, 0), read);
  }
  NrStatus status = nr_bufferize_ops(s, body, s->owned.size);
  if (status) return status;
  for (size_t i = 0; i < num_outputs; i++) {
    nr_value_replace_uses(nr_block_arg(body, rank + i), memory[i]);
    NrBuffer *buffer = nr_bufferize_own(s, memory[i], op->block, nr_bufferize_number(s, op));
    nr_bufferize_join(s, nr_result(op, i), buffer, memory[i]);
  }
  build_parallel(s, op, rank);
  nr_vec_push(&s->dead, op);
  return NR_OK;
}
