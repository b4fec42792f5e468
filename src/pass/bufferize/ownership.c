/* ownership.c - the buffers that values are in while a function is analysed: who owns them, which op may write them,
 * where they end. */
#include "pass/bufferize/analysis.h"

static NrType bufferized_function(NrType t) {
  size_t count = t->num_inputs + t->num_results;
  NrType *types = nr_malloc((count + 1) * sizeof *types);
  for (size_t i = 0; i < t->num_inputs; i++) types[i] = nr_bufferized_type(t->inputs[i]);
  for (size_t i = 0; i < t->num_results; i++) types[t->num_inputs + i] = nr_bufferized_type(t->results[i]);
  NrType out = nr_type_function(t->ctx, types, t->num_inputs, types + t->num_inputs, t->num_results);
  nr_free(types);
  return out;
}

NrType nr_bufferized_type(NrType t) {
  if (nr_is_dispatch_tensor(t)) t = t->elem;
  if (t->kind == NR_TYPE_FUNCTION) return bufferized_function(t);
  if (t->kind == NR_TYPE_UNRANKED_TENSOR) return nr_type_memref_unranked(t->elem, NULL);
  return t->kind == NR_TYPE_TENSOR ? nr_type_memref(t->dims, t->rank, t->elem) : t;
}

NrType nr_analysis_type(NrAnalysis *a, NrType t) {
  if (t != a->last_type) {
    a->last_bufferized = nr_bufferized_type(t);
    a->last_type = t;
  }
  return a->last_bufferized;
}

/* ---- ops and values --------------------------------------------------------------------------------------------- */

uint32_t nr_analysis_number(const NrAnalysis *a, const NrOp *op) {
  return op == a->current ? a->current_number : (uint32_t)(uintptr_t)nr_map_get(&a->numbers, op);
}

void nr_analysis_set_current(NrAnalysis *a, const NrOp *op) {
  a->current_number = nr_analysis_number(a, op);
  a->current = op;
}

uint32_t nr_analysis_number_in(const NrAnalysis *a, const NrOp *op, const NrBlock *block) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op ? nr_analysis_number(a, op) : 0;
}

NrBufferBinding *nr_analysis_binding(const NrAnalysis *a, const NrValue *value) {
  return nr_map_get(&a->bindings, value);
}

NrOpPlan *nr_analysis_plan(const NrAnalysis *a, const NrOp *op) { return a->plans.data[nr_analysis_number(a, op)]; }

NrOpPlan *nr_analysis_add_plan(NrAnalysis *a, NrOp *op) {
  NrOpPlan **plan = &a->plans.data[nr_analysis_number(a, op)];
  if (*plan) return *plan;
  *plan = NR_NEW(a->arena, NrOpPlan);
  (*plan)->operands = NR_NEW_ARRAY(a->arena, NrOperandPlan, op->num_operands + 1);
  (*plan)->results = NR_NEW_ARRAY(a->arena, NrMemory *, op->num_results + 1);
  return *plan;
}

NrMemory *nr_analysis_decide(NrAnalysis *a, NrOp *op, size_t i, NrDecision decision, NrConflict why, NrMemory *memory) {
  nr_analysis_add_plan(a, op)->operands[i] = (NrOperandPlan){memory, decision, why};
  return memory;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void add_step(NrAnalysis *a, NrOp *op, NrMemory *memory, NrMemory *from) {
  NrOpPlan *plan = nr_analysis_add_plan(a, op);
  NrPlanStep *step = NR_NEW(a->arena, NrPlanStep);
  *step = (NrPlanStep){.memory = memory, .from = from};
  if (plan->last) plan->last->next = step;
  else plan->first = step;
  plan->last = step;
}

static NrMemory *new_memory(NrAnalysis *a, NrMemory memory) {
  NrMemory *made = NR_NEW(a->arena, NrMemory);
  *made = memory;
  return made;
}

NrMemory *nr_analysis_make(NrAnalysis *a, NrOp *op, NrMemory memory) {
  NrMemory *made = new_memory(a, memory);
  add_step(a, op, made, NULL);
  return made;
}

NrMemory *nr_analysis_make_slice(NrAnalysis *a, NrOp *op, NrMemory *from, NrOp *slice, NrType shape) {
  NrType type = nr_slice_type(slice, from->type, shape);
  if (!type) return from;
  return nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_SLICE, .type = type, .from = from, .of = slice,
                                            .shape = shape, .splat = from->splat});
}

void nr_analysis_copy_contents(NrAnalysis *a, NrOp *op, NrMemory *from, NrMemory *to) { add_step(a, op, to, from); }

/* New memory with the shape of tensor type t; `like` gives the dynamic sizes. */
static NrMemory *alloc(NrAnalysis *a, NrOp *op, NrType t, const NrBufferBinding *like) {
  NrMemory memory = {.kind = NR_MEMORY_ALLOC, .type = nr_analysis_type(a, t), .shape = t};
  if (like) memory.from = like->memory;
  if (like && !like->memory) {
    memory.of = like->empty;
    memory.first = NR_TENSOR_EMPTY_SIZES;
    memory.shape = like->value->type;
  }
  return nr_analysis_make(a, op, memory);
}

/* New memory with the contents of the binding; an unranked memref is cloned. */
static NrMemory *copied(NrAnalysis *a, NrOp *op, NrType type, const NrBufferBinding *binding) {
  NrMemory *from = binding->memory;
  if (from && from->type->kind == NR_TYPE_UNRANKED_MEMREF)
    return nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_CLONE, .type = from->type, .from = from});
  NrMemory *memory = alloc(a, op, type, binding);
  if (from) nr_analysis_copy_contents(a, op, from, memory);
  return memory;
}

NrMemory *nr_analysis_copy_of(NrAnalysis *a, NrOp *op, const NrBufferBinding *binding) {
  return copied(a, op, binding->value->type, binding);
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

/* The number of the last op of block that uses the value, itself or in a nested op. */
static uint32_t last_use(const NrAnalysis *a, const NrValue *value, const NrBlock *block) {
  uint32_t last = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    uint32_t number = nr_analysis_number_in(a, use->owner, block);
    last = NR_MAX(last, number);
  }
  return last;
}

NrBufferBinding *nr_analysis_join(NrAnalysis *a, NrValue *value, NrBuffer *buffer, NrMemory *memory) {
  NrBufferBinding *binding = NR_NEW(a->arena, NrBufferBinding);
  *binding = (NrBufferBinding){.value = value, .memory = memory, .buffer = buffer, .next = buffer->members};
  buffer->members = binding;
  nr_map_set(&a->bindings, value, binding);
  if (value->op) nr_analysis_add_plan(a, value->op)->results[value->index] = memory;
  if (buffer->owner) buffer->last = NR_MAX(buffer->last, last_use(a, value, buffer->owner));
  return binding;
}

NrBuffer *nr_analysis_own(NrAnalysis *a, NrMemory *root, NrBlock *block, uint32_t last) {
  NrBuffer *buffer = NR_NEW(a->arena, NrBuffer);
  *buffer = (NrBuffer){.root = root, .owner = block, .last = last};
  if (block) nr_vec_push(&a->owned, buffer);
  return buffer;
}

void nr_analysis_adopt(NrAnalysis *a, NrValue *value, NrBlock *owner) {
  uint32_t last = value->op ? nr_analysis_number(a, value->op) : 0;
  NrMemory *memory = new_memory(
      a, (NrMemory){.kind = NR_MEMORY_VALUE, .type = nr_analysis_type(a, value->type), .value = value});
  nr_analysis_join(a, value, nr_analysis_own(a, memory, owner, last), memory);
}

void nr_analysis_release(NrAnalysis *a, NrBlock *block, size_t base) {
  while (a->owned.size > base) {
    NrBuffer *buffer = nr_vec_pop(&a->owned);
    if (!buffer->moved) nr_vec_push(&a->frees, ((NrFree){buffer->root, block, a->ops.data[buffer->last]}));
  }
}

/* ---- conflicts -------------------------------------------------------------------------------------------------- */

/* Why a buffer that no block owns must not be written. */
static NrConflictKind borrowed_from(const NrBuffer *buffer) {
  if (buffer->shared) return NR_OF_FORALL;
  if (buffer->output) return NR_OF_OUTPUT;
  return buffer->root->kind == NR_MEMORY_CONSTANT ? NR_OF_CONSTANT : NR_OF_CALLER;
}

NrConflict nr_analysis_conflict(const NrAnalysis *a, const NrOp *op, const NrBuffer *buffer) {
  uint32_t number = nr_analysis_number(a, op);
  NrConflict conflict = {NR_NO_CONFLICT, NULL, buffer};
  if (!buffer) conflict.kind = NR_UNDEFINED;
  else if (!buffer->owner) conflict.kind = borrowed_from(buffer);
  else if (buffer->owner != op->block) {
    conflict.kind = NR_OF_OTHER_BLOCK;
    conflict.with = a->ops.data[nr_analysis_number_in(a, op, buffer->owner)];
  } else if (buffer->moved) conflict.kind = NR_MOVED_BEFORE;
  else if (buffer->last > number) {
    conflict.kind = NR_USED_LATER;
    conflict.with = a->ops.data[buffer->last];
  } else if (buffer->captured_by == number) conflict.kind = NR_USED_IN_REGION;
  else if (buffer->claimed_by == number) conflict.kind = NR_TAKEN_BY_RESULT;
  return conflict;
}

static bool mark_op(NrOp *op, void *user) {
  NrAnalysis *a = ((void **)user)[0];
  uint32_t number = (uint32_t)(uintptr_t)((void **)user)[1];
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
    if (binding && binding->buffer) binding->buffer->captured_by = number;
  }
  return true;
}

void nr_analysis_mark_captured(NrAnalysis *a, NrOp *op) {
  void *user[2] = {a, (void *)(uintptr_t)nr_analysis_number(a, op)};
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) nr_walk_pre(inner, mark_op, user);
}

/* Whether an operand of op other than number `except` is in the buffer. */
static bool is_aliased(const NrAnalysis *a, const NrOp *op, size_t except, const NrBuffer *buffer) {
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = i == except ? NULL : nr_analysis_binding(a, nr_operand(op, i));
    if (binding && binding->buffer == buffer && binding->bound_for != op) return true;
  }
  return false;
}

/* ---- reading, moving, writing ------------------------------------------------------------------------------------ */

static const NrConflict none = {NR_NO_CONFLICT, NULL, NULL};

NrMemory *nr_analysis_read(NrAnalysis *a, NrOp *op, size_t i, NrBuffer **out_buffer) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
  NrMemory *memory = binding->memory;
  NrBuffer *buffer = binding->buffer;
  NrConflict why = none;
  if (!memory) {
    why.kind = NR_UNDEFINED;
    memory = alloc(a, op, binding->value->type, binding);
    buffer = nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op));
  }
  if (out_buffer) *out_buffer = buffer;
  return nr_analysis_decide(a, op, i, binding->memory ? NR_READ : NR_NEW_BUFFER, why, memory);
}

NrMemory *nr_analysis_read_dense(NrAnalysis *a, NrOp *op, size_t i, NrBuffer **out_buffer) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
  if (!binding->memory || !binding->memory->type->layout) return nr_analysis_read(a, op, i, out_buffer);
  NrMemory *memory = nr_analysis_copy_of(a, op, binding);
  NrBuffer *buffer = nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op));
  if (out_buffer) *out_buffer = buffer;
  return nr_analysis_decide(a, op, i, NR_COPIED, (NrConflict){NR_STRIDED, NULL, binding->buffer}, memory);
}

NrMemory *nr_analysis_take(NrAnalysis *a, NrOp *op, size_t i) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, i));
  NrMemory *memory = binding->memory;
  NrType type = binding->value->type;
  bool whole = memory && (nr_type_is_handle(type) || !memory->type->layout);
  NrConflict why = nr_analysis_conflict(a, op, binding->buffer);
  if (why.kind == NR_NO_CONFLICT && !whole) {
    /* The buffer shrinks to its first rows when no other value uses the rest. */
    bool aliased = is_aliased(a, op, i, binding->buffer);
    why.kind = aliased ? NR_OTHER_OPERAND : NR_STRIDED;
    if (!aliased && memory->leading && !nr_type_has_static_shape(memory->type)) {
      memory = nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_SHRUNK, .from = memory,
                                                  .type = nr_type_memref(memory->type->dims, memory->type->rank,
                                                                         memory->type->elem)});
      why.kind = NR_NO_CONFLICT;
    }
  }
  if (why.kind == NR_NO_CONFLICT) {
    binding->buffer->moved = true;
    return nr_analysis_decide(a, op, i, NR_MOVED, why, memory);
  }
  if (nr_type_is_handle(type))
    memory = nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_RETAINED, .type = type, .from = memory});
  else memory = copied(a, op, type, binding);
  return nr_analysis_decide(a, op, i, why.kind == NR_UNDEFINED ? NR_NEW_BUFFER : NR_COPIED, why, memory);
}

NrMemory *nr_analysis_fresh(NrAnalysis *a, NrOp *op, NrValue *result, const NrBufferBinding *like) {
  NrMemory *memory = nr_analysis_eliminate_empty(a, op, result);
  if (memory) return memory;
  memory = alloc(a, op, result->type, like);
  nr_analysis_join(a, result, nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op)), memory);
  return memory;
}

NrMemory *nr_analysis_write_copy(NrAnalysis *a, NrOp *op, size_t dest, NrValue *result, bool keep, NrConflict why) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, dest));
  NrMemory *memory = nr_analysis_fresh(a, op, result, binding);
  bool final = nr_analysis_binding(a, result)->bound_for, copies = keep && binding->memory && binding->memory != memory;
  if (copies) nr_analysis_copy_contents(a, op, binding->memory, memory);
  NrDecision decision = copies ? NR_COPIED : final ? NR_FINAL_PLACE : NR_NEW_BUFFER;
  return nr_analysis_decide(a, op, dest, decision, why, memory);
}

NrMemory *nr_analysis_write(NrAnalysis *a, NrOp *op, size_t dest, NrValue *result, bool keep) {
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, dest));
  NrBuffer *buffer = binding->buffer;
  NrMemory *bound = nr_analysis_bound_dest(a, op, result, binding);
  if (bound) return nr_analysis_decide(a, op, dest, NR_IN_PLACE, none, bound);
  NrConflict why = nr_analysis_conflict(a, op, buffer);
  if (why.kind == NR_NO_CONFLICT && is_aliased(a, op, dest, buffer)) why.kind = NR_OTHER_OPERAND;
  if (why.kind != NR_NO_CONFLICT) return nr_analysis_write_copy(a, op, dest, result, keep, why);
  nr_analysis_join(a, result, buffer, binding->memory);
  return nr_analysis_decide(a, op, dest, NR_IN_PLACE, none, binding->memory);
}
