/* rewrite.c - carries out the plans of the analysis, op by op in program order.
 *
 * New ops go before the op that they replace; that op stays until the end of its function, as frees stand behind it. */
#include "dialect/bufferization/ops.h"
#include "dialect/scf/scf.h"
#include "pass/bufferize/bufferize.h"

static NrValue *operand_memory(const NrOpPlan *plan, size_t i) { return plan->operands[i].memory->value; }

static void convert_results(NrOp *op, const NrOpPlan *plan) {
  for (size_t i = 0; plan && i < op->num_results; i++)
    if (plan->results[i]) nr_result(op, i)->type = plan->results[i]->type;
}

static void convert(NrValue *value) {
  if (nr_needs_buffer(value->type) || value->type->kind == NR_TYPE_FUNCTION)
    value->type = nr_bufferized_type(value->type);
}

/* ---- tensor ops ------------------------------------------------------------------------------------------------- */

static size_t copy_group(const NrOp *op, NrGroup group, NrValue **out) {
  for (size_t i = 0; i < group.count; i++) out[i] = nr_operand(op, group.begin + i);
  return group.count;
}

static void from_elements(NrBuilder *b, NrOp *op, const NrOpPlan *plan) {
  NrType t = nr_op_result(op)->type;
  NrGroup elements = nr_tensor_from_elements_elements(op);
  NrValue *indices[NR_MAX_RANK];
  for (size_t i = 0; i < elements.count; i++) {
    size_t rest = i;
    for (uint32_t d = t->rank; d-- > 0; rest /= (size_t)t->dims[d])
      indices[d] = nr_index_value(b, nr_index_const((int64_t)(rest % (size_t)t->dims[d])));
    nr_build_store(b, nr_operand(op, elements.begin + i), plan->results[0]->value, indices, t->rank);
  }
}

static NrValue *dim(NrBuilder *b, NrOp *op, const NrOpPlan *plan) {
  NrValue *index = nr_tensor_dim_index(op), *source = nr_tensor_dim_source(op);
  NrMemory *memory = plan->operands[NR_TENSOR_DIM_SOURCE].memory;
  int64_t i;
  NrIndex known = {0};
  if (!nr_value_constant_int(index, &i) || i < 0 || i >= source->type->rank)
    return nr_build_value(b, NR_OP_memref_dim, nr_type_index(b->ctx), (NrValue *[]){memory->value, index}, 2);
  if (memory) return nr_index_value(b, nr_dim_build(b, memory->value, (size_t)i));
  nr_dim_of(source, (size_t)i, &known);
  return nr_index_value(b, known);
}

/* Builds what the steps of the plan do not cover: accesses to elements, sizes, and the copy to a given memref. */
static void tensor_op(NrOp *op, const NrOpPlan *plan) {
  NrBuilder b = nr_builder_before(op);
  NrValue *indices[NR_MAX_RANK], *memory;
  size_t count;
  switch (op->info->id) {
  case NR_OP_tensor_from_elements: from_elements(&b, op, plan); break;
  case NR_OP_tensor_extract:
    count = copy_group(op, nr_tensor_extract_indices(op), indices);
    memory = operand_memory(plan, NR_TENSOR_EXTRACT_TENSOR);
    nr_value_replace_uses(nr_op_result(op), nr_build_load(&b, memory, indices, count));
    break;
  case NR_OP_tensor_insert:
    count = copy_group(op, nr_tensor_insert_indices(op), indices);
    nr_build_store(&b, nr_tensor_insert_scalar(op), operand_memory(plan, NR_TENSOR_INSERT_DEST), indices, count);
    break;
  case NR_OP_tensor_dim: nr_value_replace_uses(nr_op_result(op), dim(&b, op, plan)); break;
  case NR_OP_tensor_rank:
    memory = operand_memory(plan, NR_TENSOR_RANK_SOURCE);
    nr_value_replace_uses(nr_op_result(op), nr_build_value(&b, NR_OP_memref_rank, nr_type_index(b.ctx), &memory, 1));
    break;
  case NR_OP_bufferization_to_buffer:
    memory = operand_memory(plan, NR_BUFFERIZATION_TO_BUFFER_TENSOR);
    nr_value_replace_uses(nr_op_result(op), nr_memref_as(&b, memory, nr_op_result(op)->type));
    break;
  case NR_OP_bufferization_materialize_in_destination: {
    NrMemory *source = plan->operands[NR_BUFFERIZATION_MATERIALIZE_IN_DESTINATION_SOURCE].memory;
    if (source && !op->num_results)
      nr_copy_contents(op, source, nr_bufferization_materialize_in_destination_dest(op));
    break;
  }
  default: break;
  }
}

/* ---- ops that stay ---------------------------------------------------------------------------------------------- */

static void set_operands(NrOp *op, const NrOpPlan *plan) {
  for (size_t i = 0; plan && i < op->num_operands; i++)
    if (plan->operands[i].memory) nr_op_set_operand(op, i, operand_memory(plan, i));
}

static void call(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  const char *owned = nr_owned_variant(op);
  size_t handle = nr_handle_operand(op);
  if (nr_is_grow(op)) { /* the plan grows the buffer */
    nr_vec_push(&s->dead, op);
    return;
  }
  if (owned && plan->operands[handle].decision == NR_MOVED)
    nr_op_set_attr(op, NR_A_name, nr_attr_string(s->ctx, nr_str(owned)));
  set_operands(op, plan);
  convert_results(op, plan);
}

static NrStatus regions(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  set_operands(op, plan);
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next) NR_TRY(nr_rewrite_block(s, block));
  convert_results(op, plan);
  return NR_OK;
}

/* ---- structured ops and scf.forall ------------------------------------------------------------------------------- */

static NrStatus structured(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, op->num_operands);
  for (size_t i = 0; i < op->num_operands; i++)
    operands[i] = plan->operands[i].memory ? operand_memory(plan, i) : nr_operand(op, i);
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next) NR_TRY(nr_rewrite_block(s, block));
  nr_op_rebuild(op, operands, op->num_operands, NULL, 0);
  nr_vec_push(&s->dead, op);
  return NR_OK;
}

/* Builds the scf.parallel that an scf.forall becomes, with bounds as values and a body without the outputs. An
 * scf.forall without dims gets one dim with one point. */
static void build_parallel(NrBufferize *s, NrOp *op, size_t rank) {
  const NrIndexListSlot *slots = nr_scf_forall_slots;
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
  if (rank) nr_scf_keep_forall_attrs(op, loop);
  uint32_t n = (uint32_t)dims;
  nr_op_set_segments(loop, (uint32_t[]){n, n, n, 0}, 4);
  nr_region_take(nr_op_only_region(loop), nr_op_only_region(op));
  NrBlock *body = nr_op_only_body(loop);
  b = nr_builder_at_end(s->module, body, op->loc);
  nr_build_op(&b, NR_OP_scf_reduce, NULL, 0, NULL, 0);
  while (body->num_args > rank) nr_block_erase_arg(body, body->num_args - 1);
  if (!rank) nr_block_add_arg(body, nr_type_index(s->ctx), op->loc);
}

/* before  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) {     after  scf.parallel (%i) = (0) to (%n) step (1) {
 *           scf.forall.in_parallel {                                       memref.copy %row, (part of %t)
 *             tensor.parallel_insert_slice %row into %o[%i] ..             scf.reduce
 *           }                                                            }
 *         } */
static NrStatus forall(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrBlock *body = nr_scf_forall_body(op);
  NrGroup outputs = nr_scf_forall_outputs(op);
  size_t rank = nr_index_list_size(op, "staticLowerBound");
  NR_TRY(nr_rewrite_ops(s, body));
  for (size_t i = 0; i < outputs.count; i++)
    nr_value_replace_uses(nr_block_arg(body, rank + i), operand_memory(plan, outputs.begin + i));
  build_parallel(s, op, rank);
  nr_vec_push(&s->dead, op);
  return NR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static NrStatus rewrite_op(NrBufferize *s, NrOp *op) {
  while (s->analysis.ops.data[s->number] != op) s->number++; /* they are rewritten in the order of their numbers */
  const NrOpPlan *plan = s->analysis.plans.data[s->number];
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_result(op, i)->type->kind == NR_TYPE_FUNCTION) convert(nr_result(op, i));
  if (!plan && !op->num_regions) return NR_OK;
  if (plan) nr_carry_out_steps(s, op, plan);
  if (nr_str_is(nr_str(op->info->dialect), "flow")) return nr_rewrite_flow(s, op, plan);
  if (nr_op_is(op, NR_OP_scf_forall)) return forall(s, op, plan);
  if (plan && (nr_linalg_is_structured(op) || nr_op_is(op, NR_OP_linalg_fill))) return structured(s, op, plan);
  if (op->num_regions && !nr_op_is(op, NR_OP_scf_forall_in_parallel)) return regions(s, op, plan);
  if (!plan) return NR_OK;
  if (nr_op_has(op, NR_RETURN_LIKE)) set_operands(op, plan);
  else if (nr_op_has(op, NR_CALL) || nr_op_is(op, NR_OP_rt_call)) call(s, op, plan);
  else {
    tensor_op(op, plan);
    nr_vec_push(&s->dead, op);
  }
  return NR_OK;
}

NrStatus nr_rewrite_ops(NrBufferize *s, NrBlock *block) {
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    NR_TRY(rewrite_op(s, op));
  }
  return NR_OK;
}

NrStatus nr_rewrite_block(NrBufferize *s, NrBlock *block) {
  for (size_t i = 0; i < block->num_args; i++) convert(nr_block_arg(block, i));
  return nr_rewrite_ops(s, block);
}
