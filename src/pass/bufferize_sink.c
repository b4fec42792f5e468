/* bufferize_sink.c - results that are only put into a larger tensor are computed in place there.
 *
 *   before  %row = linalg.generic .. outs(%empty)            after  %part = memref.subview %rows[%i, 0] ..
 *           %next = tensor.insert_slice %row into %rows[%i]         linalg.generic .. outs(%part)
 *
 * Allowed when the insert_slice may overwrite %rows, which it then does not copy, and nothing reads %rows between the two. */
#include "pass/bufferize.h"

enum { MAX_USES = 256 }; /* looked at before giving up, so that the pass stays linear */

NrValue *nr_bufferize_subview(NrBuilder *b, NrValue *memref, NrOp *slice, const NrIndexListSlot *slots, NrType shape) {
  NrIndex lists[3][NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  for (size_t k = 0; k < 3; k++) nr_index_list_all(slice, slots[k], lists[k]);
  NrType type = nr_memref_subview_type(memref->type, lists[0], lists[1], lists[2]);
  assert(type);
  if (shape->rank != type->rank && nr_dims_rank_reduced(type->dims, type->rank, shape->dims, shape->rank, keep))
    type = nr_memref_drop_dims(type, keep);
  return nr_build_subview(b, memref, lists[0], lists[1], lists[2], type);
}

/* The op of block that op is, or is inside of. */
static uint32_t number_in(const NrBufferize *s, const NrOp *op, const NrBlock *block) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op ? nr_bufferize_number(s, op) : 0;
}

/* Whether something uses the buffer from op number `from` on and before number `to`. True also when it is not known. */
static bool used_between(const NrBufferize *s, const NrBuffer *buffer, uint32_t from, uint32_t to) {
  size_t budget = MAX_USES;
  for (const NrPlace *member = buffer->members; member; member = member->next) {
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      if (budget-- == 0) return true;
      uint32_t number = number_in(s, use->owner, buffer->owner);
      if (number >= from && number < to) return true;
    }
  }
  return false;
}

/* Whether the value is there before op number `number` of block. */
static bool is_before(const NrBufferize *s, const NrValue *value, const NrBlock *block, uint32_t number) {
  if (!value->op || value->op->block != block) return true;
  return nr_bufferize_number(s, value->op) < number; /* ops made on the way have number 0 */
}

static NrOp *only_user(const NrValue *value) { return nr_value_has_one_use(value) ? value->first_use->owner : NULL; }

/* Follows the only uses of the value through reshapes in block that only add dims of size 1 on the whole, up to an insert_slice
 * of which it is the source: that, else NULL. */
static NrOp *find_insert(NrValue *result, const NrBlock *block) {
  NrValue *source = result;
  NrOp *user = only_user(source);
  bool joined = false;
  while ((nr_op_is(user, NR_OP_tensor_expand_shape) || nr_op_is(user, NR_OP_tensor_collapse_shape)) && user->block == block) {
    joined |= nr_op_is(user, NR_OP_tensor_collapse_shape);
    source = nr_result(user, 0);
    user = only_user(source);
  }
  if (!nr_op_is(user, NR_OP_tensor_insert_slice) || user->block != block) return NULL;
  if (nr_operand(user, 0) != source || nr_operand(user, 1) == source) return NULL;
  NrType wide = source->type, narrow = result->type;
  if (!nr_dims_rank_reduced(wide->dims, wide->rank, narrow->dims, narrow->rank, NULL)) return NULL;
  /* Of joined and split dims, two that are not known could change places. */
  return joined && nr_type_num_dynamic(narrow) > 1 ? NULL : user;
}

NrValue *nr_bufferize_sink(NrBufferize *s, NrOp *op, NrValue *result) {
  NrOp *insert = find_insert(result, op->block);
  if (!insert) return NULL;
  NrPlace *dest = nr_bufferize_place(s, nr_operand(insert, 1));
  if (!dest || !dest->memref || !nr_bufferize_may_write(s, insert, dest->buffer)) return NULL;
  uint32_t number = nr_bufferize_number(s, op);
  if (used_between(s, dest->buffer, number, nr_bufferize_number(s, insert))) return NULL;
  for (size_t i = 2; i < insert->num_operands; i++)
    if (!is_before(s, nr_operand(insert, i), op->block, number)) return NULL;
  NrBuilder b = nr_builder_before(op);
  NrValue *part = nr_bufferize_subview(&b, dest->memref, insert, nr_insert_slice_slots, result->type);
  if (part->type->rank != result->type->rank) return NULL;
  nr_bufferize_join(s, result, dest->buffer, part)->placed_for = only_user(result);
  return part;
}
