/* analyse_tensor.c - analyses tensor ops: views, reads and writes of elements and slices, new tensors. */
#include "dialect/bufferization/ops.h"
#include "pass/bufferize/analysis.h"

static const NrConflict none = {NR_NO_CONFLICT, NULL, NULL};

/* ---- new tensors ------------------------------------------------------------------------------------------------ */

NrStatus nr_analyse_constant(NrAnalysis *a, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value && value->kind == NR_ATTR_SPARSE) value = nr_attr_sparse_to_dense(value);
  bool parameter = nr_attr_is_parameter(value) && nr_type_has_static_shape(value->type);
  if (!nr_attr_is_elements(value) && !parameter && !(value && value->kind == NR_ATTR_DENSE_STRINGS))
    return nr_op_error(op, "has a constant that cannot be stored in a buffer");
  NrMemory memory = {.kind = NR_MEMORY_CONSTANT, .type = nr_analysis_type(a, nr_op_result(op)->type), .of = op};
  if (value->kind == NR_ATTR_DENSE && value->splat) memory.splat = nr_attr_element(value, 0);
  NrMemory *made = nr_analysis_make(a, op, memory);
  nr_analysis_join(a, nr_op_result(op), nr_analysis_own(a, made, NULL, 0), made);
  return NR_OK;
}

static void empty(NrAnalysis *a, NrOp *op) {
  NrBufferBinding *binding = NR_NEW(a->arena, NrBufferBinding);
  *binding = (NrBufferBinding){.value = nr_op_result(op), .empty = op};
  nr_map_set(&a->bindings, nr_op_result(op), binding);
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* Whether an extract_slice takes the first rows of its source, each whole. */
static bool is_leading(const NrOp *op) {
  NrValue *source = nr_tensor_extract_slice_source(op);
  if (source->type->rank == 0 || nr_op_result(op)->type->rank != source->type->rank) return false;
  for (uint32_t i = 0; i < source->type->rank; i++) {
    NrIndex all;
    if (!nr_index_is(nr_index_list_get(op, nr_extract_slice_slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(op, nr_extract_slice_slots[2], i), 1))
      return false;
    if (i && !(nr_dim_of(source, i, &all) && nr_index_eq(nr_index_list_get(op, nr_extract_slice_slots[1], i), all)))
      return false;
  }
  return true;
}

/* The memory of op's result as a view of `source`; NULL when the view needs a dense source. */
static NrMemory *view_of(NrAnalysis *a, NrOp *op, NrMemory *source) {
  NrType result = nr_op_result(op)->type;
  if (nr_is_dispatch_tensor(result)) return source;
  if (nr_op_is(op, NR_OP_tensor_extract_slice)) {
    NrMemory *part = nr_analysis_make_slice(a, op, source, op, result);
    part->leading = !source->type->layout && is_leading(op);
    return part;
  }
  NrType type = nr_view_type(op, source->type);
  if (!type || (type == source->type && nr_op_is(op, NR_OP_tensor_cast))) return type ? source : NULL;
  return nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_VIEW, .type = type, .from = source, .of = op,
                                            .splat = source->splat});
}

/* Analyses an op with NR_VIEW: its result is a view of its first operand. */
NrStatus nr_analyse_view(NrAnalysis *a, NrOp *op) {
  size_t viewed = 0;
  NrValue *result = nr_op_result(op);
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, viewed));
  if (binding->bound_for == op) { /* only for an insert_slice, which only needs that the value is in place */
    nr_analysis_join(a, result, binding->buffer, binding->memory)->bound_for = result->first_use->owner;
    nr_analysis_decide(a, op, viewed, NR_ALIASED, none, binding->memory);
    return NR_OK;
  }
  NrBuffer *buffer;
  for (size_t i = viewed + 1; i < op->num_operands; i++) /* a shape */
    if (nr_analysis_binding(a, nr_operand(op, i))) nr_analysis_read_dense(a, op, i, NULL);
  NrMemory *view = view_of(a, op, nr_analysis_read(a, op, viewed, &buffer));
  if (!view) view = view_of(a, op, nr_analysis_read_dense(a, op, viewed, &buffer));
  nr_analysis_join(a, result, buffer, view);
  NrOperandPlan *plan = &nr_analysis_add_plan(a, op)->operands[viewed];
  if (plan->decision == NR_READ) plan->decision = NR_ALIASED;
  return NR_OK;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Whether an insert_slice replaces all of its destination. */
static bool is_whole(const NrOp *op) {
  NrValue *dest = nr_tensor_insert_slice_dest(op);
  for (uint32_t i = 0; i < dest->type->rank; i++) {
    NrIndex size = nr_index_list_get(op, nr_insert_slice_slots[1], i), of_dest;
    if (!nr_index_is(nr_index_list_get(op, nr_insert_slice_slots[0], i), 0) ||
        !nr_index_is(nr_index_list_get(op, nr_insert_slice_slots[2], i), 1))
      return false;
    if (!nr_dim_of(dest, i, &of_dest) || !nr_index_eq(size, of_dest)) return false;
  }
  return true;
}

static void insert_slice(NrAnalysis *a, NrOp *op) {
  size_t source = NR_TENSOR_INSERT_SLICE_SOURCE, dest = NR_TENSOR_INSERT_SLICE_DEST;
  NrValue *value = nr_operand(op, source), *result = nr_op_result(op);
  NrBufferBinding *from = nr_analysis_binding(a, value);
  bool bound = from->bound_for == op, whole = is_whole(op);
  if (whole && !bound && from->memory && value->type == result->type) { /* the result is the source */
    nr_analysis_join(a, result, from->buffer, from->memory);
    nr_analysis_decide(a, op, source, NR_ALIASED, none, from->memory);
    return;
  }
  NrMemory *to = nr_analysis_write(a, op, dest, result, !whole);
  nr_analysis_decide(a, op, source, bound ? NR_PLACED : NR_INSERTED, none, from->memory);
  if (bound || !from->memory) return;
  bool same = whole && value->type->rank == result->type->rank;
  nr_analysis_copy_contents(a, op, from->memory, same ? to : nr_analysis_make_slice(a, op, to, op, value->type));
}

static void materialize(NrAnalysis *a, NrOp *op) {
  size_t source = NR_BUFFERIZATION_MATERIALIZE_IN_DESTINATION_SOURCE;
  size_t dest = NR_BUFFERIZATION_MATERIALIZE_IN_DESTINATION_DEST;
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, source));
  nr_analysis_decide(a, op, source, NR_INSERTED, none, binding->memory);
  if (!op->num_results) return; /* into a memref */
  NrMemory *to = nr_analysis_write(a, op, dest, nr_op_result(op), false);
  if (binding->memory && binding->memory != to) nr_analysis_copy_contents(a, op, binding->memory, to);
}

/* ---- to_tensor and to_buffer ------------------------------------------------------------------------------------- */

/* Whether op makes no other name for the memory of a memref that it uses. */
static bool only_accesses(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_memref_load:
  case NR_OP_memref_store:
  case NR_OP_memref_dim:
  case NR_OP_memref_prefetch:
  case NR_OP_vector_load:
  case NR_OP_vector_store:
  case NR_OP_vector_maskedload:
  case NR_OP_vector_maskedstore:
  case NR_OP_vector_gather:
  case NR_OP_vector_scatter:
  case NR_OP_vector_expandload:
  case NR_OP_vector_compressstore: return true;
  case NR_OP_func_call: break;
  default: return false;
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!nr_type_is_scalar(nr_result(op, i)->type) && nr_result(op, i)->type->kind != NR_TYPE_VECTOR) return false;
  return true;
}

/* Whether all uses of the memref are before op, op aside, and so are those of its views and of the results of loops and
 * branches that it enters: inside these it can have other names, which end with them. */
static bool ends_before(const NrAnalysis *a, const NrOp *op, const NrValue *memref, uint32_t *left) {
  for (const NrUse *use = memref->first_use; use; use = use->next) {
    const NrOp *owner = nr_op_has(use->owner, NR_TERMINATOR) ? nr_op_parent(use->owner) : use->owner;
    uint32_t number = nr_analysis_number_in(a, owner, op->block);
    if (use->owner == op) continue;
    if (!*left || !number || number > nr_analysis_number(a, op)) return false;
    --*left;
    if (only_accesses(owner)) continue;
    if (!owner->info->region_flow && !nr_op_has(owner, NR_VIEW)) return false;
    for (uint32_t i = 0; i < owner->num_results; i++)
      if (nr_type_is_memref(nr_result(owner, i)->type) && !ends_before(a, op, nr_result(owner, i), left)) return false;
  }
  return true;
}

/* Whether the memref is allocated in op's block and nothing can reach its memory behind op. */
static bool ends_here(const NrAnalysis *a, const NrOp *op, const NrValue *memref) {
  uint32_t left = 1000; /* uses to look at */
  bool is_new = memref->op && nr_op_is(memref->op, NR_OP_memref_alloc) && memref->op->block == op->block;
  return is_new && ends_before(a, op, memref, &left);
}

/* Copies the source memref, because it, or a memref made from the tensor, may be written later; takes over one that
 * ends here. */
static void to_tensor(NrAnalysis *a, NrOp *op) {
  NrValue *source = nr_bufferization_to_tensor_buffer(op);
  if (source->type == nr_analysis_type(a, nr_op_result(op)->type) && ends_here(a, op, source)) {
    NrMemory *memory = nr_analysis_make(
        a, op, (NrMemory){.kind = NR_MEMORY_VALUE, .type = source->type, .value = source});
    nr_analysis_join(a, nr_op_result(op), nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op)), memory);
    nr_analysis_decide(a, op, NR_BUFFERIZATION_TO_TENSOR_BUFFER, NR_MOVED, (NrConflict){.kind = NR_NO_CONFLICT}, NULL);
    return;
  }
  NrType type = nr_analysis_type(a, nr_op_result(op)->type);
  NrMemory *copy = nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_SNAPSHOT, .type = type, .of = op});
  NrBuffer *buffer = nr_analysis_own(a, copy, op->block, nr_analysis_number(a, op));
  NrMemory *memory = nr_analysis_make(a, op, (NrMemory){.kind = NR_MEMORY_CAST, .type = type, .from = copy});
  nr_analysis_join(a, nr_op_result(op), buffer, memory);
  nr_analysis_decide(a, op, NR_BUFFERIZATION_TO_TENSOR_BUFFER, NR_COPIED, (NrConflict){.kind = NR_SNAPSHOT}, NULL);
}

/* Whether all that uses the memref loads from it, prefetches it or asks for its sizes. */
static bool is_only_read(const NrValue *memref) {
  for (const NrUse *use = memref->first_use; use; use = use->next) {
    const NrOp *op = use->owner;
    bool reads = nr_op_has(op, NR_READS) && !nr_op_has(op, NR_WRITES) && !nr_op_has(op, NR_ALLOCATES) &&
                 !nr_op_has(op, NR_CALL) && !op->num_regions && op->num_results == 1 &&
                 !nr_type_is_memref(nr_op_result(op)->type) && !nr_type_is_tensor(nr_op_result(op)->type);
    if (!reads && !nr_op_is(op, NR_OP_memref_dim) && !nr_op_is(op, NR_OP_memref_prefetch)) return false;
  }
  return true;
}

/* Copies the tensor's buffer, unless the memref is only read and the buffer is one that nothing writes: it is
 * borrowed, or its owner keeps it until the last read. */
static void to_buffer(NrAnalysis *a, NrOp *op) {
  size_t source = NR_BUFFERIZATION_TO_BUFFER_TENSOR;
  NrBufferBinding *binding = nr_analysis_binding(a, nr_operand(op, source));
  NrBuffer *buffer = binding->buffer;
  bool stays = buffer && !buffer->output && !buffer->shared && !binding->memory->type->layout;
  if (!binding->memory || (stays && is_only_read(nr_op_result(op)))) {
    NrMemory *memory = nr_analysis_read(a, op, source, NULL);
    if (buffer) nr_analysis_join(a, nr_op_result(op), buffer, memory);
  } else {
    NrMemory *copy = nr_analysis_copy_of(a, op, binding);
    nr_analysis_decide(a, op, source, NR_COPIED, (NrConflict){.kind = NR_SNAPSHOT}, copy);
  }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------ */

/* The size is a memref.dim or, for a tensor without memory, an operand of its tensor.empty. */
static NrStatus dim(NrAnalysis *a, NrOp *op) {
  NrValue *source = nr_tensor_dim_source(op);
  NrBufferBinding *binding = nr_analysis_binding(a, source);
  int64_t i;
  NrIndex known;
  bool is_constant = nr_value_constant_int(nr_tensor_dim_index(op), &i) && i >= 0 && i < source->type->rank;
  if (!is_constant || binding->memory) nr_analysis_read(a, op, NR_TENSOR_DIM_SOURCE, NULL);
  else if (!nr_dim_of(source, (size_t)i, &known)) return nr_op_error(op, "asks for a size that is not known");
  return NR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

NrStatus nr_analyse_tensor(NrAnalysis *a, NrOp *op) {
  bool any_rank = nr_op_is(op, NR_OP_tensor_cast) || nr_op_is(op, NR_OP_tensor_reshape) ||
                  nr_op_is(op, NR_OP_bufferization_to_tensor);
  for (size_t i = 0; i < op->num_results && !any_rank; i++)
    if (nr_result(op, i)->type->kind == NR_TYPE_UNRANKED_TENSOR)
      return nr_op_error(op, "makes a tensor of unknown rank, which is compiled for casts and reshapes only");
  nr_analysis_add_plan(a, op);
  if (nr_op_has(op, NR_VIEW)) return nr_analyse_view(a, op);
  switch (op->info->id) {
  case NR_OP_arith_constant: return nr_analyse_constant(a, op);
  case NR_OP_tensor_empty: empty(a, op); break;
  case NR_OP_tensor_from_elements: nr_analysis_fresh(a, op, nr_op_result(op), NULL); break;
  case NR_OP_tensor_extract: nr_analysis_read(a, op, NR_TENSOR_EXTRACT_TENSOR, NULL); break;
  case NR_OP_tensor_insert: nr_analysis_write(a, op, NR_TENSOR_INSERT_DEST, nr_op_result(op), true); break;
  case NR_OP_tensor_dim: return dim(a, op);
  case NR_OP_tensor_rank: nr_analysis_read(a, op, NR_TENSOR_RANK_SOURCE, NULL); break;
  case NR_OP_tensor_insert_slice: insert_slice(a, op); break;
  case NR_OP_bufferization_to_tensor: to_tensor(a, op); break;
  case NR_OP_bufferization_to_buffer: to_buffer(a, op); break;
  case NR_OP_bufferization_materialize_in_destination: materialize(a, op); break;
  default: return nr_op_error(op, "cannot be bufferized");
  }
  return NR_OK;
}
