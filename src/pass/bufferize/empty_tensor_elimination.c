/* empty_tensor_elimination.c - computes a result that is only inserted into a larger tensor, or stored to an output of
 * a dispatch, in its final location.
 *
 *   before  %row = linalg.generic .. outs(%empty)            after  %part = memref.subview %rows[%i, 0] ..
 *           %next = tensor.insert_slice %row into %rows[%i]         linalg.generic .. outs(%part)
 *
 * Requires that the insert_slice may overwrite %rows, that no op in between reads %rows, and that no op in between may
 * end the run, because %i may be out of bounds. */
#include "pass/bufferize/analysis.h"

enum { MAX_USES = 256 }; /* limit of the search, so that the pass stays linear */

static bool same_slice(const NrOp *x, const NrOp *y) {
  const NrIndexListSlot *of_x = nr_slice_slots(x), *of_y = nr_slice_slots(y);
  size_t rank = nr_index_list_size(x, of_x[0].attr);
  if (rank != nr_index_list_size(y, of_y[0].attr)) return false;
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < rank; i++)
      if (!nr_index_eq(nr_index_list_get(x, of_x[k], i), nr_index_list_get(y, of_y[k], i))) return false;
  return true;
}

static NrOp *only_user(const NrValue *value) { return nr_value_has_one_use(value) ? value->first_use->owner : NULL; }

/* The user of the value behind all others, which only read it as inputs of structured ops in the same block; NULL when
 * there is none, or the user is an operand twice. */
static NrOp *final_user(const NrAnalysis *a, const NrValue *value) {
  NrOp *last = NULL;
  size_t budget = MAX_USES;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    if (budget-- == 0 || use->owner->block != value->first_use->owner->block) return NULL;
    if (!last || nr_analysis_number(a, use->owner) > nr_analysis_number(a, last)) last = use->owner;
  }
  size_t uses = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    bool reads = nr_linalg_is_structured(use->owner) && nr_use_index(use) < nr_linalg_num_inputs(use->owner);
    uses += use->owner == last;
    if (use->owner != last && !reads) return NULL;
  }
  return uses == 1 ? last : NULL;
}

/* Whether the buffer has a use behind op and before op number `to` of its block, or inside op's regions; also true when
 * that is not known. */
static bool used_between(const NrAnalysis *a, const NrBuffer *buffer, const NrOp *op, uint32_t to) {
  size_t budget = MAX_USES;
  uint32_t from = nr_analysis_number(a, op);
  for (const NrBufferBinding *member = buffer->members; member; member = member->next) {
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      if (budget-- == 0) return true;
      uint32_t number = nr_analysis_number_in(a, use->owner, op->block);
      if (number >= from && number < to && use->owner != op) return true;
    }
  }
  return false;
}

NrMemory *nr_analysis_bound_dest(NrAnalysis *a, NrOp *op, NrValue *result, const NrBufferBinding *dest) {
  if (dest->bound_for != op) return NULL;
  nr_analysis_join(a, result, dest->buffer, dest->memory)->bound_for = final_user(a, result);
  return dest->memory;
}

/* The operand of op that was loaded from the slice of the output that the store writes. */
static NrBufferBinding *loaded_from(const NrAnalysis *a, NrOp *op, NrOp *store, const NrBufferBinding *target) {
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
    if (binding && binding->buffer == target->buffer && binding->load && same_slice(binding->load, store))
      return binding;
  }
  return NULL;
}

/* Whether op's own operands in the buffer allow op to write its result to part; NULL: a part that none of them is. */
static bool operands_allow(const NrAnalysis *a, NrOp *op, const NrValue *result, const NrBuffer *buffer,
                           const NrMemory *part) {
  size_t dest = nr_op_destination_index(op, result->index);
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
    if (!binding || binding->buffer != buffer || binding->bound_for == op) continue;
    if (binding->memory != part) return false;
    if (i != dest && (dest == SIZE_MAX || !nr_analysis_in_step(op, i, dest))) return false;
  }
  return true;
}

/* Whether the value is defined before op number `number` of block. */
static bool is_before(const NrAnalysis *a, const NrValue *value, const NrBlock *block, uint32_t number) {
  if (!value->op || value->op->block != block) return true;
  return nr_analysis_number(a, value->op) < number;
}

/* The result of op whose destination is the value, or NULL. */
static NrValue *result_from(NrOp *op, const NrValue *value) {
  for (size_t i = 0; i < op->num_results; i++) {
    size_t dest = nr_op_destination_index(op, i);
    if (dest != SIZE_MAX && nr_operand(op, dest) == value) return nr_result(op, i);
  }
  return NULL;
}

/* The tensor or dispatch tensor that an insert_slice or a store writes to. */
static NrValue *target_of(const NrOp *user) {
  return nr_op_is(user, NR_OP_tensor_insert_slice) ? nr_tensor_insert_slice_dest(user)
                                                   : nr_flow_dispatch_tensor_store_target(user);
}

/* Whether the destination, offsets, sizes and strides of an insert_slice or store are defined before op number
 * `number`. */
static bool has_target_before(const NrAnalysis *a, const NrOp *user, const NrBlock *block, uint32_t number) {
  for (size_t i = 0; i < user->num_operands; i++) {
    NrValue *value = nr_operand(user, i);
    if (!nr_needs_buffer(value->type) && !is_before(a, value, block, number)) return false;
  }
  return true;
}

/* Follows the result's last uses in block, through updates and then through reshapes that in total only add or drop
 * unit dims, to an insert_slice of which it is the source or a dispatch.tensor.store; returns that, else NULL. */
static NrOp *find_user(const NrAnalysis *a, NrValue *result, const NrBlock *block) {
  NrValue *source = result, *updated;
  NrOp *user = final_user(a, source);
  bool joined = false;
  while (user && user->block == block && (updated = result_from(user, source))) {
    source = updated;
    user = final_user(a, source);
  }
  while (user && user->block == block &&
         (nr_op_is(user, NR_OP_tensor_expand_shape) || nr_op_is(user, NR_OP_tensor_collapse_shape))) {
    joined |= nr_op_is(user, NR_OP_tensor_collapse_shape);
    source = nr_op_result(user);
    user = only_user(source);
  }
  bool store = nr_op_is(user, NR_OP_flow_dispatch_tensor_store);
  if ((!nr_op_is(user, NR_OP_tensor_insert_slice) && !store) || user->block != block) return NULL;
  NrValue *inserted = store ? nr_flow_dispatch_tensor_store_value(user) : nr_tensor_insert_slice_source(user);
  if (inserted != source || target_of(user) == source) return NULL;
  NrType wide = source->type, narrow = result->type;
  if (!nr_dims_rank_reduced(wide->dims, wide->rank, narrow->dims, narrow->rank, NULL)) return NULL;
  /* Through a collapse and an expand, two dynamic dims could be exchanged. */
  return joined && nr_type_num_dynamic(narrow) > 1 ? NULL : user;
}

NrMemory *nr_analysis_eliminate_empty(NrAnalysis *a, NrOp *op, NrValue *result) {
  NrOp *user = find_user(a, result, op->block);
  NrBufferBinding *dest = user ? nr_analysis_binding(a, target_of(user)) : NULL;
  if (!dest || !dest->memory) return NULL;
  bool store = nr_op_is(user, NR_OP_flow_dispatch_tensor_store);
  if (!(store ? dest->buffer->output : nr_analysis_may_write(a, user, dest->buffer))) return NULL;
  uint32_t number = nr_analysis_number(a, op), last = nr_analysis_number(a, user);
  if (a->stops.data[number] != a->stops.data[last] || used_between(a, dest->buffer, op, last)) return NULL;
  if (!has_target_before(a, user, op->block, number)) return NULL;
  NrBufferBinding *loaded = store ? loaded_from(a, op, user, dest) : NULL;
  NrType type = loaded ? NULL : nr_slice_type(user, dest->memory->type, result->type);
  NrMemory *part = loaded ? loaded->memory : type ? NULL : dest->memory;
  if (!type) type = part->type;
  if (type->rank != result->type->rank || !operands_allow(a, op, result, dest->buffer, part)) return NULL;
  if (!part) part = nr_analysis_make_slice(a, op, dest->memory, user, result->type);
  nr_analysis_join(a, result, dest->buffer, part)->bound_for = final_user(a, result);
  return part;
}
