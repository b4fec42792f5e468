/* bindings.c - buffer bindings of tensor values while a function is bufferized: ownership, writing in place,
 * freeing. */
#include "pass/bufferize/bufferize.h"

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

uint32_t nr_bufferize_number(const NrBufferize *s, const NrOp *op) {
  return (uint32_t)(uintptr_t)nr_map_get(&s->numbers, op);
}

NrBufferBinding *nr_bufferize_binding(const NrBufferize *s, const NrValue *value) {
  return nr_map_get(&s->bindings, value);
}

/* The number of the last op of block that uses the value, itself or in a nested op. */
static uint32_t last_use(const NrBufferize *s, const NrValue *value, const NrBlock *block) {
  uint32_t last = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    const NrOp *op = use->owner;
    while (op && op->block != block) op = nr_op_parent(op);
    uint32_t number = op ? nr_bufferize_number(s, op) : 0;
    last = NR_MAX(last, number);
  }
  return last;
}

NrBufferBinding *nr_bufferize_join(NrBufferize *s, NrValue *value, NrBuffer *buffer, NrValue *memref) {
  NrBufferBinding *binding = NR_NEW(s->arena, NrBufferBinding);
  *binding = (NrBufferBinding){.value = value, .memref = memref, .buffer = buffer, .next = buffer->members};
  buffer->members = binding;
  nr_map_set(&s->bindings, value, binding);
  if (buffer->owner) buffer->last = NR_MAX(buffer->last, last_use(s, value, buffer->owner));
  return binding;
}

NrBuffer *nr_bufferize_own(NrBufferize *s, NrValue *root, NrBlock *block, uint32_t last) {
  NrBuffer *buffer = NR_NEW(s->arena, NrBuffer);
  *buffer = (NrBuffer){.root = root, .owner = block, .last = last};
  if (block) nr_vec_push(&s->owned, buffer);
  return buffer;
}

void nr_bufferize_adopt(NrBufferize *s, NrValue *value, NrBlock *owner) {
  uint32_t last = value->op ? nr_bufferize_number(s, value->op) : 0;
  value->type = nr_bufferized_type(value->type);
  nr_bufferize_join(s, value, nr_bufferize_own(s, value, owner, last), value);
}

/* ---- handles ---------------------------------------------------------------------------------------------------- */

static NrOp *runtime_call(NrBuilder *b, const char *name, NrValue *arg, const NrType *result) {
  NrOp *call = nr_build_op(b, NR_OP_rt_call, &arg, 1, result, result ? 1 : 0);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(b->ctx, nr_str(name)));
  return call;
}

/* ---- freeing ---------------------------------------------------------------------------------------------------- */

void nr_bufferize_release(NrBufferize *s, NrBlock *block, size_t base) {
  while (s->owned.size > base) {
    NrBuffer *buffer = nr_vec_pop(&s->owned);
    if (buffer->moved) continue;
    NrOp *last = s->ops.data[buffer->last];
    NrBuilder b = !last ? nr_builder_at_start(s->module, block, buffer->root->op ? buffer->root->op->loc : NULL)
                  : nr_op_has(last, NR_TERMINATOR) ? nr_builder_before(last)
                                                   : nr_builder_after(last);
    if (!b.loc) b.loc = nr_block_parent_op(block)->loc;
    if (nr_is_handle(buffer->root->type)) runtime_call(&b, "value_release", buffer->root, NULL);
    else nr_build_op(&b, NR_OP_memref_dealloc, &buffer->root, 1, NULL, 0);
  }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Builds an alloc before op with the shape of type t; `like` gives the dynamic sizes. */
static NrValue *alloc(NrBufferize *s, NrOp *op, NrType t, const NrBufferBinding *like) {
  NrBuilder b = nr_builder_before(op);
  NrIndex dims[NR_MAX_RANK];
  size_t dynamic = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    bool known = t->dims[i] != NR_DYNAMIC;
    if (known) dims[i] = nr_index_const(t->dims[i]);
    else if (like->memref) dims[i] = (NrIndex){nr_index_value(&b, nr_dim_build(&b, like->memref, i)), 0};
    else dims[i] = (NrIndex){nr_operand(like->empty, dynamic), 0};
    dynamic += like && !like->memref && like->value->type->dims[i] == NR_DYNAMIC;
  }
  return nr_build_alloc(&b, NR_OP_memref_alloc, t->elem, dims, t->rank);
}

void nr_bufferize_copy_contents(NrOp *op, const NrBufferBinding *from, NrValue *to) {
  NrBuilder b = nr_builder_before(op);
  if (!from->splat) {
    nr_build_op(&b, NR_OP_memref_copy, (NrValue *[]){from->memref, to}, 2, NULL, 0);
    return;
  }
  NrValue *element = nr_build_value(&b, NR_OP_arith_constant, from->splat->type, NULL, 0);
  nr_op_set_attr(element->op, NR_A_value, from->splat);
  if (to->type->rank == 0) nr_build_store(&b, element, to, NULL, 0);
  else nr_build_fill(&b, element, to);
}

NrValue *nr_bufferize_read(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer) {
  NrBufferBinding *binding = nr_bufferize_binding(s, value);
  NrValue *memory = binding->memref;
  NrBuffer *buffer = binding->buffer;
  if (!memory) {
    memory = alloc(s, op, value->type, binding);
    buffer = nr_bufferize_own(s, memory, op->block, nr_bufferize_number(s, op));
  }
  if (out_buffer) *out_buffer = buffer;
  return memory;
}

/* Builds a new buffer with the same contents; an unranked one by bufferization.clone. */
static NrValue *copied(NrBufferize *s, NrOp *op, NrType type, const NrBufferBinding *binding) {
  NrBuilder b = nr_builder_before(op);
  if (binding->memref && binding->memref->type->kind == NR_TYPE_UNRANKED_MEMREF)
    return nr_build_value(&b, NR_OP_bufferization_clone, binding->memref->type, &binding->memref, 1);
  NrValue *memory = alloc(s, op, type, binding);
  if (binding->memref) nr_bufferize_copy_contents(op, binding, memory);
  return memory;
}

NrValue *nr_bufferize_read_copy(NrBufferize *s, NrOp *op, const NrBufferBinding *binding) {
  return copied(s, op, binding->value->type, binding);
}

NrValue *nr_bufferize_read_dense(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer) {
  NrBufferBinding *binding = nr_bufferize_binding(s, value);
  if (!binding->memref || !binding->memref->type->layout) return nr_bufferize_read(s, value, op, out_buffer);
  NrValue *memory = nr_bufferize_read_copy(s, op, binding);
  NrBuffer *buffer = nr_bufferize_own(s, memory, op->block, nr_bufferize_number(s, op));
  if (out_buffer) *out_buffer = buffer;
  return memory;
}

bool nr_bufferize_may_write(NrBufferize *s, NrOp *op, const NrBuffer *buffer) {
  uint32_t number = nr_bufferize_number(s, op);
  return buffer && buffer->owner == op->block && !buffer->moved && buffer->last <= number &&
         buffer->captured_by != number && buffer->claimed_by != number;
}

NrValue *nr_bufferize_resize(NrBuilder *b, NrValue *memref, NrType type, const NrIndex *dims) {
  uint32_t rank = type->rank;
  NrGroups groups = {.count = 1, .begin = {0}, .size = {rank}};
  NrAttr reassociation = nr_groups_attr(b->ctx, &groups);
  NrValue *total = nr_index_value(b, dims[0]);
  for (uint32_t i = 1; i < rank; i++)
    if (!nr_index_is(dims[i], 1))
      total = nr_build_value(b, NR_OP_arith_muli, total->type, (NrValue *[]){total, nr_index_value(b, dims[i])}, 2);
  if (rank > 1) {
    memref =
        nr_build_value(b, NR_OP_memref_collapse_shape, nr_memref_collapsed_type(memref->type, &groups), &memref, 1);
    nr_op_set_attr(memref->op, NR_A_reassociation, reassociation);
  }
  NrType flat = nr_type_memref((int64_t[]){NR_DYNAMIC}, 1, type->elem);
  memref = nr_build_value(b, NR_OP_memref_realloc, flat, (NrValue *[]){memref, total}, 2);
  if (rank == 1) return memref->type == type ? memref : nr_build_value(b, NR_OP_memref_cast, type, &memref, 1);
  NrValue *operands[NR_MAX_RANK + 1] = {memref};
  size_t num_operands = 1;
  for (uint32_t i = 0; i < rank; i++)
    if (type->dims[i] == NR_DYNAMIC) operands[num_operands++] = nr_index_value(b, dims[i]);
  memref = nr_build_value(b, NR_OP_memref_expand_shape, type, operands, num_operands);
  nr_op_set_attr(memref->op, NR_A_reassociation, reassociation);
  nr_op_set_attr(memref->op, NR_A_static_output_shape, nr_attr_i64_array(b->ctx, type->dims, rank));
  return memref;
}

/* Whether an operand of op other than number `except` is in the buffer. */
static bool is_aliased(NrBufferize *s, NrOp *op, size_t except, const NrBuffer *buffer) {
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = i == except ? NULL : nr_bufferize_binding(s, nr_operand(op, i));
    if (binding && binding->buffer == buffer && binding->bound_for != op) return true;
  }
  return false;
}

/* Shrinks an owned buffer to the first rows that binding views, instead of copying them to a new buffer. */
static NrValue *shrink(NrOp *op, const NrBufferBinding *binding) {
  NrBuilder b = nr_builder_before(op);
  NrValue *view = binding->memref, *whole = view->op ? nr_operand(view->op, 0) : NULL;
  NrIndex dims[NR_MAX_RANK];
  if (!binding->leading || nr_type_has_static_shape(view->type)) return NULL;
  for (uint32_t i = 0; i < view->type->rank; i++) dims[i] = nr_dim_build(&b, view, i);
  return nr_bufferize_resize(&b, whole, nr_type_memref(view->type->dims, view->type->rank, view->type->elem), dims);
}

NrValue *nr_bufferize_take(NrBufferize *s, NrValue *value, NrOp *op) {
  NrBufferBinding *binding = nr_bufferize_binding(s, value);
  NrBuffer *buffer = binding->buffer;
  bool whole = binding->memref && (nr_is_handle(value->type) || !binding->memref->type->layout);
  if (whole && nr_bufferize_may_write(s, op, buffer)) {
    buffer->moved = true;
    return binding->memref;
  }
  if (!whole && nr_bufferize_may_write(s, op, buffer)) {
    size_t operand = 0;
    while (operand < op->num_operands && nr_operand(op, operand) != value) operand++;
    NrValue *shorter = is_aliased(s, op, operand, buffer) ? NULL : shrink(op, binding);
    if (shorter) {
      buffer->moved = true;
      return shorter;
    }
  }
  NrBuilder b = nr_builder_before(op);
  if (nr_is_handle(value->type)) return nr_result(runtime_call(&b, "value_retain", binding->memref, &value->type), 0);
  return copied(s, op, value->type, binding);
}

NrValue *nr_bufferize_fresh(NrBufferize *s, NrOp *op, NrValue *result, NrValue *like) {
  NrValue *memory = nr_bufferize_eliminate_empty(s, op, result);
  if (memory) return memory;
  memory = alloc(s, op, result->type, nr_bufferize_binding(s, like));
  nr_bufferize_join(s, result, nr_bufferize_own(s, memory, op->block, nr_bufferize_number(s, op)), memory);
  return memory;
}

NrValue *nr_bufferize_copy(NrBufferize *s, NrOp *op, NrValue *result, NrValue *from, bool keep) {
  NrValue *memory = nr_bufferize_fresh(s, op, result, from);
  NrBufferBinding *binding = nr_bufferize_binding(s, from);
  if (keep && binding->memref && binding->memref != memory) nr_bufferize_copy_contents(op, binding, memory);
  return memory;
}

NrValue *nr_bufferize_dest(NrBufferize *s, NrOp *op, size_t dest, NrValue *result, bool keep) {
  NrValue *value = nr_operand(op, dest);
  NrBufferBinding *binding = nr_bufferize_binding(s, value);
  NrBuffer *buffer = binding->buffer;
  NrValue *bound = nr_bufferize_bound_dest(s, op, result, binding);
  if (bound) return bound;
  if (!nr_bufferize_may_write(s, op, buffer) || is_aliased(s, op, dest, buffer))
    return nr_bufferize_copy(s, op, result, value, keep);
  nr_bufferize_join(s, result, buffer, binding->memref);
  return binding->memref;
}

static bool mark_op(NrOp *op, void *user) {
  NrBufferize *s = ((void **)user)[0];
  uint32_t number = (uint32_t)(uintptr_t)((void **)user)[1];
  for (size_t i = 0; i < op->num_operands; i++) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, i));
    if (binding && binding->buffer) binding->buffer->captured_by = number;
  }
  return true;
}

void nr_bufferize_mark_captured(NrBufferize *s, NrOp *op) {
  void *user[2] = {s, (void *)(uintptr_t)nr_bufferize_number(s, op)};
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) nr_walk_pre(inner, mark_op, user);
}
