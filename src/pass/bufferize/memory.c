/* memory.c - builds the memory that the analysis plans: allocs, copies, views, constants. */
#include "dialect/bufferization/ops.h"
#include "dialect/rt/ops.h"
#include "pass/bufferize/bufferize.h"
#include "pass/core/rewrite.h"

/* ---- new buffers ------------------------------------------------------------------------------------------------ */

static NrValue *alloc(NrBuilder *b, const NrMemory *memory) {
  NrType t = memory->type;
  NrIndex dims[NR_MAX_RANK];
  uint32_t next = memory->first;
  for (uint32_t i = 0; i < t->rank; i++) {
    bool counts = memory->of && memory->shape->dims[i] == NR_DYNAMIC; /* the size is an operand of memory->of */
    if (t->dims[i] != NR_DYNAMIC) dims[i] = nr_index_const(t->dims[i]);
    else if (memory->from) dims[i] = (NrIndex){nr_index_value(b, nr_dim_build(b, memory->from->value, i)), 0};
    else dims[i] = (NrIndex){nr_operand(memory->of, next), 0};
    next += counts;
  }
  return nr_build_alloc(b, NR_OP_memref_alloc, t->elem, dims, t->rank);
}

static NrValue *snapshot(NrBuilder *b, const NrMemory *memory) {
  NrValue *source = nr_bufferization_to_tensor_buffer(memory->of);
  NrType t = source->type;
  NrIndex dims[NR_MAX_RANK];
  if (t->kind == NR_TYPE_UNRANKED_MEMREF)
    return nr_build_value(b, NR_OP_bufferization_clone, memory->type, &source, 1);
  for (uint32_t i = 0; i < t->rank; i++) dims[i] = nr_dim_build(b, source, i);
  NrValue *copy = nr_build_alloc(b, NR_OP_memref_alloc, t->elem, dims, t->rank);
  nr_build_op(b, NR_OP_memref_copy, (NrValue *[]){source, copy}, 2, NULL, 0);
  return copy;
}

NrOp *nr_build_runtime_call(NrBuilder *b, const char *name, NrValue *arg, const NrType *result) {
  NrOp *call = nr_build_op(b, NR_OP_rt_call, &arg, 1, result, result ? 1 : 0);
  nr_op_set_attr(call, NR_A_name, nr_attr_string(b->ctx, nr_str(name)));
  return call;
}

/* Builds a memref.get_global. It gets its name when all constants of the module are known. */
static NrValue *constant(NrBufferize *s, NrBuilder *b, const NrMemory *memory) {
  NrAttr value = nr_op_attr(memory->of, NR_A_value);
  if (value->kind == NR_ATTR_SPARSE) value = nr_attr_sparse_to_dense(value);
  NrValue *memref = nr_build_value(b, NR_OP_memref_get_global, memory->type, NULL, 0);
  nr_vec_push(&s->constants, memref->op);
  nr_vec_push(&s->constant_values, value);
  return memref;
}

/* ---- resizing -------------------------------------------------------------------------------------------------- */

/* Resizes a dense buffer along its first dim: returns the memref of type with dims, in a buffer that replaces it. */
static NrValue *resize(NrBuilder *b, NrValue *memref, NrType type, const NrIndex *dims) {
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
  if (rank == 1) return nr_memref_as(b, memref, type);
  NrValue *operands[NR_MAX_RANK + 1] = {memref};
  size_t num_operands = 1;
  for (uint32_t i = 0; i < rank; i++)
    if (type->dims[i] == NR_DYNAMIC) operands[num_operands++] = nr_index_value(b, dims[i]);
  memref = nr_build_value(b, NR_OP_memref_expand_shape, type, operands, num_operands);
  nr_op_set_attr(memref->op, NR_A_reassociation, reassociation);
  nr_op_set_attr(memref->op, NR_A_static_output_shape, nr_attr_i64_array(b->ctx, type->dims, rank));
  return memref;
}

static NrValue *shrunk(NrBuilder *b, const NrMemory *memory) {
  const NrMemory *part = memory->from;
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t i = 0; i < memory->type->rank; i++) dims[i] = nr_dim_build(b, part->value, i);
  return resize(b, part->from->value, memory->type, dims);
}

static NrValue *grown(NrBuilder *b, const NrMemory *memory) {
  NrValue *old = memory->from->value, *rows = nr_grow_rows(memory->of);
  NrIndex dims[NR_MAX_RANK] = {nr_index_of(rows)};
  for (uint32_t i = 1; i < old->type->rank; i++) dims[i] = nr_dim_build(b, old, i);
  return resize(b, old, memory->type, dims);
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

NrValue *nr_memref_as(NrBuilder *b, NrValue *memref, NrType type) {
  return memref->type == type ? memref : nr_build_value(b, NR_OP_memref_cast, type, &memref, 1);
}

static unsigned op_of_view(const NrOp *view) {
  switch (view->info->id) {
  case NR_OP_tensor_collapse_shape: return NR_OP_memref_collapse_shape;
  case NR_OP_tensor_expand_shape: return NR_OP_memref_expand_shape;
  case NR_OP_tensor_reshape: return NR_OP_memref_reshape;
  default: return NR_OP_memref_cast;
  }
}

/* Builds the memref op of a tensor view, with the same attributes and, after the source, the same operands. */
static NrValue *view(NrBufferize *s, NrBuilder *b, const NrMemory *memory) {
  NrOp *op = memory->of;
  NrOpPlan *plan = nr_analysis_plan(&s->analysis, op);
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, op->num_operands);
  for (size_t i = 0; i < op->num_operands; i++)
    operands[i] = plan->operands[i].memory ? plan->operands[i].memory->value : nr_operand(op, i);
  operands[0] = memory->from->value;
  bool as_planned = operands[0]->type == memory->from->type;
  NrType type = as_planned ? memory->type : nr_view_type(op, operands[0]->type);
  NrOp *made = nr_build(b, &(NrOpState){.info = nr_op_infos[op_of_view(op)],
                                        .operands = operands,
                                        .num_operands = op->num_operands,
                                        .result_types = &type,
                                        .num_results = 1,
                                        .attrs = op->attrs,
                                        .num_attrs = op->num_attrs});
  return nr_op_result(made);
}

/* Whether an offset, size or stride of the slice is a value, which may have become a constant since the analysis. */
static bool has_index_operands(const NrOp *slice) {
  for (size_t i = 0; i < slice->num_operands; i++)
    if (nr_type_is_index(nr_operand(slice, i)->type)) return true;
  return false;
}

static NrValue *slice(NrBuilder *b, const NrMemory *memory) {
  NrIndex lists[3][NR_MAX_RANK];
  bool materialize[NR_MAX_RANK];
  NrValue *whole = memory->from->value;
  bool as_planned = whole->type == memory->from->type && !has_index_operands(memory->of);
  NrType type = as_planned ? memory->type : nr_slice_type(memory->of, whole->type, memory->shape);
  if (!type) return whole;
  nr_slice_lists(memory->of, whole->type, lists, materialize);
  for (uint32_t i = 0; i < whole->type->rank; i++)
    if (materialize[i]) lists[0][i] = (NrIndex){nr_index_value(b, lists[0][i]), 0};
  return nr_build_subview(b, whole, lists[0], lists[1], lists[2], type);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static NrValue *built(NrBufferize *s, NrOp *op, const NrMemory *memory) {
  NrBuilder b = nr_builder_before(op);
  NrValue *from = memory->from ? memory->from->value : NULL;
  switch (memory->kind) {
  case NR_MEMORY_VALUE: break;
  case NR_MEMORY_CONSTANT: return constant(s, &b, memory);
  case NR_MEMORY_ALLOC: return alloc(&b, memory);
  case NR_MEMORY_CLONE: return nr_build_value(&b, NR_OP_bufferization_clone, from->type, &from, 1);
  case NR_MEMORY_RETAINED: return nr_op_result(nr_build_runtime_call(&b, "value_retain", from, &memory->type));
  case NR_MEMORY_SNAPSHOT: return snapshot(&b, memory);
  case NR_MEMORY_CAST: return nr_memref_as(&b, from, memory->type);
  case NR_MEMORY_VIEW: return view(s, &b, memory);
  case NR_MEMORY_SLICE: return slice(&b, memory);
  case NR_MEMORY_SHRUNK: return shrunk(&b, memory);
  case NR_MEMORY_GROWN: return grown(&b, memory);
  }
  return memory->value;
}

void nr_copy_contents(NrOp *op, const NrMemory *from, NrValue *to) {
  NrBuilder b = nr_builder_before(op);
  if (!from->splat) {
    nr_build_op(&b, NR_OP_memref_copy, (NrValue *[]){from->value, to}, 2, NULL, 0);
    return;
  }
  NrValue *element = nr_op_result(nr_build_constant(&b, from->splat, to->type->elem));
  if (to->type->rank == 0) nr_build_store(&b, element, to, NULL, 0);
  else nr_build_fill(&b, element, to);
}

void nr_carry_out_steps(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  for (const NrPlanStep *step = plan->first; step; step = step->next) {
    if (step->from) nr_copy_contents(op, step->from, step->memory->value);
    else step->memory->value = built(s, op, step->memory);
  }
}

void nr_carry_out_frees(NrBufferize *s) {
  for (size_t i = 0; i < s->analysis.frees.size; i++) {
    const NrFree *free = &s->analysis.frees.data[i];
    NrValue *root = free->root->value;
    NrBuilder b = !free->last ? nr_builder_at_start(s->module, free->block, root->op ? root->op->loc : NULL)
                  : nr_op_has(free->last, NR_TERMINATOR) ? nr_builder_before(free->last)
                                                         : nr_builder_after(free->last);
    if (!b.loc) b.loc = nr_block_parent_op(free->block)->loc;
    if (nr_type_is_handle(root->type)) nr_build_runtime_call(&b, "value_release", root, NULL);
    else nr_build_op(&b, NR_OP_memref_dealloc, &root, 1, NULL, 0);
  }
}
