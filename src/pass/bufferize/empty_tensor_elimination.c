/* empty_tensor_elimination.c - computes a result that is only inserted into a larger tensor, or stored to an output of
 * a dispatch, in its final location.
 *
 *   before  %row = linalg.generic .. outs(%empty)            after  %part = memref.subview %rows[%i, 0] ..
 *           %next = tensor.insert_slice %row into %rows[%i]         linalg.generic .. outs(%part)
 *
 * Requires that the insert_slice may overwrite %rows, that no op in between reads %rows, and that no op in between may
 * end the run, because %i may be out of bounds. */
#include "pass/bufferize/bufferize.h"

enum { MAX_USES = 256 }; /* visited before giving up, so that the pass stays linear */

/* Whether a dispatch.tensor.load or store covers the whole dispatch tensor; operand group `dims` gives its dynamic
 * dims. */
static bool is_whole_binding(NrOp *slice, NrValue *memref, size_t dims) {
  const NrIndexListSlot *slots = nr_slice_slots(slice);
  size_t begin, count, next = 0;
  if (!nr_op_operand_group(slice, dims, &begin, &count)) return false;
  for (uint32_t i = 0; i < memref->type->rank; i++) {
    bool dynamic = memref->type->dims[i] == NR_DYNAMIC;
    NrIndex all =
        dynamic && next < count ? nr_index_of(nr_operand(slice, begin + next)) : nr_index_const(memref->type->dims[i]);
    next += dynamic;
    if (!nr_index_is(nr_index_list_get(slice, slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(slice, slots[2], i), 1) ||
        !nr_index_eq(nr_index_list_get(slice, slots[1], i), all))
      return false;
  }
  return true;
}

NrValue *nr_bufferize_subview(NrBuilder *b, NrValue *memref, NrOp *slice, NrType shape) {
  NrIndex lists[3][NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  bool load = nr_op_is(slice, NR_OP_flow_dispatch_tensor_load),
       store = nr_op_is(slice, NR_OP_flow_dispatch_tensor_store);
  if ((load || store) && nr_bufferized_type(shape) == memref->type && is_whole_binding(slice, memref, load ? 1 : 2))
    return memref;
  for (size_t k = 0; k < 3; k++) nr_index_list_all(slice, nr_slice_slots(slice)[k], lists[k]);
  for (uint32_t i = 0; i < memref->type->rank; i++) /* the memref may have static dims that the tensor's type has not */
    if (!nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], memref->type->dims[i], NULL))
      lists[0][i] = (NrIndex){nr_index_value(b, lists[0][i]), 0};
  NrType type = nr_memref_subview_type(memref->type, lists[0], lists[1], lists[2]);
  assert(type);
  if (shape->rank != type->rank && nr_dims_rank_reduced(type->dims, type->rank, shape->dims, shape->rank, keep))
    type = nr_memref_drop_dims(type, keep);
  return nr_build_subview(b, memref, lists[0], lists[1], lists[2], type);
}

static bool same_slice(NrOp *a, NrOp *b) {
  const NrIndexListSlot *of_a = nr_slice_slots(a), *of_b = nr_slice_slots(b);
  size_t rank = nr_index_list_size(a, of_a[0].attr);
  if (rank != nr_index_list_size(b, of_b[0].attr)) return false;
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < rank; i++)
      if (!nr_index_eq(nr_index_list_get(a, of_a[k], i), nr_index_list_get(b, of_b[k], i))) return false;
  return true;
}

static NrOp *only_user(const NrValue *value) { return nr_value_has_one_use(value) ? value->first_use->owner : NULL; }

/* The number of the op of block that is op or contains it. */
static uint32_t number_in(const NrBufferize *s, const NrOp *op, const NrBlock *block) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op ? nr_bufferize_number(s, op) : 0;
}

/* Whether the buffer has a use behind op and before op number `to` of its block, or inside op's regions; also true when
 * that is not known. */
static bool used_between(const NrBufferize *s, const NrBuffer *buffer, const NrOp *op, uint32_t to) {
  size_t budget = MAX_USES;
  uint32_t from = nr_bufferize_number(s, op);
  for (const NrBufferBinding *member = buffer->members; member; member = member->next) {
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      if (budget-- == 0) return true;
      uint32_t number = number_in(s, use->owner, op->block);
      if (number >= from && number < to && use->owner != op) return true;
    }
  }
  return false;
}

NrValue *nr_bufferize_bound_dest(NrBufferize *s, NrOp *op, NrValue *result, const NrBufferBinding *dest) {
  if (dest->bound_for != op) return NULL;
  nr_bufferize_join(s, result, dest->buffer, dest->memref)->bound_for = only_user(result);
  return dest->memref;
}

/* The operand of op that was loaded from the slice of the output that the store writes. */
static NrBufferBinding *loaded_from(NrBufferize *s, NrOp *op, NrOp *store, const NrBufferBinding *target) {
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, i));
    if (binding && binding->buffer == target->buffer && binding->load && same_slice(binding->load, store))
      return binding;
  }
  return NULL;
}

/* Whether op's own operands in the buffer allow op to write its result to part. */
static bool operands_allow(NrBufferize *s, NrOp *op, const NrValue *result, const NrBuffer *buffer,
                           const NrValue *part) {
  size_t dest = nr_op_destination_index(op, result->index);
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, i));
    if (!binding || binding->buffer != buffer || binding->bound_for == op) continue;
    if (binding->memref != part) return false;
    if (i != dest && (dest == SIZE_MAX || !nr_bufferize_in_step(op, i, dest))) return false;
  }
  return true;
}

/* Whether the value is defined before op number `number` of block. */
static bool is_before(const NrBufferize *s, const NrValue *value, const NrBlock *block, uint32_t number) {
  if (!value->op || value->op->block != block) return true;
  return nr_bufferize_number(s, value->op) < number; /* new ops have number 0 */
}

/* The result of op whose destination is the value, or NULL. */
static NrValue *result_from(NrOp *op, const NrValue *value) {
  for (size_t i = 0; i < op->num_results; i++) {
    size_t dest = nr_op_destination_index(op, i);
    if (dest != SIZE_MAX && nr_operand(op, dest) == value) return nr_result(op, i);
  }
  return NULL;
}

/* Follows the result's only uses in block, through updates and then through reshapes that in total only add or drop
 * unit dims, to an insert_slice of which it is the source or a dispatch.tensor.store; returns that, else NULL. */
static NrOp *find_user(NrValue *result, const NrBlock *block) {
  NrValue *source = result, *updated;
  NrOp *user = only_user(source);
  bool joined = false;
  while (user && user->block == block && (updated = result_from(user, source))) {
    source = updated;
    user = only_user(source);
  }
  while (user && user->block == block &&
         (nr_op_is(user, NR_OP_tensor_expand_shape) || nr_op_is(user, NR_OP_tensor_collapse_shape))) {
    joined |= nr_op_is(user, NR_OP_tensor_collapse_shape);
    source = nr_result(user, 0);
    user = only_user(source);
  }
  bool store = nr_op_is(user, NR_OP_flow_dispatch_tensor_store);
  if ((!nr_op_is(user, NR_OP_tensor_insert_slice) && !store) || user->block != block) return NULL;
  if (nr_operand(user, 0) != source || nr_operand(user, 1) == source) return NULL;
  NrType wide = source->type, narrow = result->type;
  if (!nr_dims_rank_reduced(wide->dims, wide->rank, narrow->dims, narrow->rank, NULL)) return NULL;
  /* Through a collapse and an expand, two dynamic dims could be exchanged. */
  return joined && nr_type_num_dynamic(narrow) > 1 ? NULL : user;
}

NrValue *nr_bufferize_eliminate_empty(NrBufferize *s, NrOp *op, NrValue *result) {
  NrOp *user = find_user(result, op->block);
  NrBufferBinding *dest = user ? nr_bufferize_binding(s, nr_operand(user, 1)) : NULL;
  if (!dest || !dest->memref) return NULL;
  bool store = nr_op_is(user, NR_OP_flow_dispatch_tensor_store);
  if (!(store ? dest->buffer->output : nr_bufferize_may_write(s, user, dest->buffer))) return NULL;
  uint32_t number = nr_bufferize_number(s, op), last = nr_bufferize_number(s, user);
  if (s->stops.data[number] != s->stops.data[last] || used_between(s, dest->buffer, op, last)) return NULL;
  for (size_t i = 2; i < user->num_operands; i++)
    if (!is_before(s, nr_operand(user, i), op->block, number)) return NULL;
  NrBufferBinding *loaded = store ? loaded_from(s, op, user, dest) : NULL;
  NrBuilder b = nr_builder_before(op);
  NrValue *part = loaded ? loaded->memref : nr_bufferize_subview(&b, dest->memref, user, result->type);
  if (part->type->rank != result->type->rank || !operands_allow(s, op, result, dest->buffer, part)) return NULL;
  nr_bufferize_join(s, result, dest->buffer, part)->bound_for = only_user(result);
  return part;
}
