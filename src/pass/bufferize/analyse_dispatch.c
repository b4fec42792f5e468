/* analyse_dispatch.c - analyses dispatches and calls, and the loads and stores of dispatch tensors in executables. */
#include "pass/bufferize/analysis.h"

static const NrConflict none = {NR_NO_CONFLICT, NULL, NULL};

/* ---- inside of executables -------------------------------------------------------------------------------------- */

/* The number of the last op of block that reads the value or a view of it. */
static uint32_t last_read(const NrAnalysis *a, const NrValue *value, const NrBlock *block) {
  uint32_t last = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    uint32_t number = nr_analysis_number_in(a, use->owner, block);
    last = NR_MAX(last, number);
    if (!nr_op_has(use->owner, NR_VIEW)) continue;
    number = last_read(a, nr_op_result(use->owner), block);
    last = NR_MAX(last, number);
  }
  return last;
}

/* The store that writes the dispatch tensor while the loaded value is still used, so that the value cannot be a view;
 * NULL: there is none. */
static NrOp *overwriting_store(const NrAnalysis *a, NrOp *load, const NrBuffer *buffer) {
  if (!buffer->output) return NULL;
  uint32_t number = nr_analysis_number(a, load), last = last_read(a, nr_op_result(load), load->block);
  for (const NrBufferBinding *member = buffer->members; member; member = member->next) {
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      NrOp *store = use->owner;
      if (!nr_op_is(store, NR_OP_flow_dispatch_tensor_store) ||
          nr_use_index(use) != NR_FLOW_DISPATCH_TENSOR_STORE_TARGET)
        continue;
      uint32_t at = nr_analysis_number_in(a, store, load->block);
      if (at >= number && (last > at || (last == at && store->block != load->block))) return store;
    }
  }
  return NULL;
}

static void load(NrAnalysis *a, NrOp *op) {
  size_t operand = NR_FLOW_DISPATCH_TENSOR_LOAD_SOURCE;
  NrBufferBinding *source = nr_analysis_binding(a, nr_operand(op, operand));
  NrValue *result = nr_op_result(op);
  NrMemory *part = nr_analysis_make_slice(a, op, source->memory, op, result->type);
  NrOp *store = overwriting_store(a, op, source->buffer);
  NrBufferBinding *binding = nr_analysis_join(a, result, source->buffer, part);
  if (!store) {
    binding->load = op;
    nr_analysis_decide(a, op, operand, NR_ALIASED, none, part);
    return;
  }
  NrMemory *copy = nr_analysis_copy_of(a, op, binding);
  nr_analysis_join(a, result, nr_analysis_own(a, copy, op->block, nr_analysis_number(a, op)), copy);
  nr_analysis_decide(a, op, operand, NR_COPIED, (NrConflict){NR_WRITTEN_LATER, store, source->buffer}, copy);
}

static void store(NrAnalysis *a, NrOp *op) {
  size_t operand = NR_FLOW_DISPATCH_TENSOR_STORE_VALUE, out = NR_FLOW_DISPATCH_TENSOR_STORE_TARGET;
  NrBufferBinding *from = nr_analysis_binding(a, nr_operand(op, operand)),
                  *target = nr_analysis_binding(a, nr_operand(op, out));
  nr_analysis_decide(a, op, out, NR_IN_PLACE, none, target->memory);
  nr_analysis_decide(a, op, operand, NR_PLACED, none, from->memory);
  if (from->bound_for == op || !from->memory) return;
  NrMemory *part = nr_analysis_make_slice(a, op, target->memory, op, from->value->type), *source = from->memory;
  if (part == source) return;
  NrConflict why = none;
  if (from->buffer == target->buffer) { /* slices that may overlap */
    why = (NrConflict){NR_OTHER_OPERAND, NULL, from->buffer};
    source = nr_analysis_copy_of(a, op, from);
    nr_analysis_own(a, source, op->block, nr_analysis_number(a, op));
  }
  nr_analysis_copy_contents(a, op, source, part);
  nr_analysis_decide(a, op, operand, why.kind ? NR_COPIED : NR_INSERTED, why, source);
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

/* Binds a result to the memory of its tied operand, or to a new buffer whose sizes are the operands from *next_dim on.
 */
static void dispatch_result(NrAnalysis *a, NrOp *op, size_t result, size_t *next_dim) {
  NrValue *value = nr_result(op, result);
  if (!nr_needs_buffer(value->type)) return; /* a scalar of a call */
  int64_t tied = nr_tied_operand(op, result);
  size_t argument = tied < 0 ? SIZE_MAX : nr_flow_call_groups(op).arguments.begin + (size_t)tied;
  NrBufferBinding *binding = tied < 0 ? NULL : nr_analysis_binding(a, nr_operand(op, argument));
  size_t first = *next_dim;
  *next_dim += nr_type_num_dynamic(value->type);
  if (binding && binding->memory && !binding->memory->type->layout) {
    nr_analysis_write(a, op, argument, value, true);
    return;
  }
  NrMemory shape = {.kind = NR_MEMORY_ALLOC, .type = nr_analysis_type(a, value->type), .of = op,
                    .first = (uint32_t)first, .shape = value->type};
  NrMemory *memory = nr_analysis_make(a, op, shape);
  nr_analysis_join(a, value, nr_analysis_own(a, memory, op->block, nr_analysis_number(a, op)), memory);
  if (!binding) return;
  if (binding->memory) nr_analysis_copy_contents(a, op, binding->memory, memory);
  NrConflict why = {binding->memory ? NR_STRIDED : NR_UNDEFINED, NULL, binding->buffer};
  nr_analysis_decide(a, op, argument, binding->memory ? NR_COPIED : NR_NEW_BUFFER, why, memory);
}

/* Of a dispatch or a call. */
static void dispatch(NrAnalysis *a, NrOp *op) {
  NrOpPlan *plan = nr_analysis_add_plan(a, op);
  NrGroup arguments = nr_flow_call_groups(op).arguments;
  size_t next_dim = nr_flow_call_groups(op).result_dims.begin;
  for (size_t i = 0; i < op->num_results; i++) dispatch_result(a, op, i, &next_dim);
  for (size_t i = arguments.begin; i < arguments.begin + arguments.count; i++)
    if (!plan->operands[i].memory && nr_analysis_binding(a, nr_operand(op, i))) nr_analysis_read_dense(a, op, i, NULL);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

NrStatus nr_analyse_flow(NrAnalysis *a, NrOp *op) {
  nr_analysis_add_plan(a, op);
  if (nr_flow_is_collective(op)) return nr_analyse_collective(a, op), NR_OK;
  switch (op->info->id) {
  case NR_OP_flow_call:
    if (!nr_flow_call_ties_match(op)) return nr_op_error(op, NR_FLOW_TIES_TEXT);
    dispatch(a, op);
    break;
  case NR_OP_flow_dispatch: dispatch(a, op); break;
  case NR_OP_flow_tensor_trace:
    if (!nr_flow_can_trace(op)) return nr_op_error(op, NR_FLOW_TRACE_TEXT);
    for (size_t i = 0; i < nr_flow_tensor_trace_values(op).count; i++) nr_analysis_read_dense(a, op, i, NULL);
    break;
  case NR_OP_flow_func: break;
  case NR_OP_flow_tensor_constant: return nr_analyse_constant(a, op); /* a parameter: host.c replaces others */
  case NR_OP_flow_dispatch_tensor_load: load(a, op); break;
  case NR_OP_flow_dispatch_tensor_store: store(a, op); break;
  case NR_OP_flow_dispatch_tensor_dim: nr_analysis_read(a, op, NR_FLOW_DISPATCH_TENSOR_DIM_SOURCE, NULL); break;
  case NR_OP_flow_dispatch_tie_shape: return nr_analyse_view(a, op);
  case NR_OP_flow_dispatch_workgroup_id:
  case NR_OP_flow_dispatch_workgroup_count:
  case NR_OP_flow_dispatch_workgroup_size:
  case NR_OP_flow_dispatch_workload_ordinal: break;
  case NR_OP_flow_dispatch_region:
  case NR_OP_flow_dispatch_workgroups:
    return nr_op_error(op, "must be outlined to an executable before it can be bufferized");
  default: return nr_op_error(op, "cannot be bufferized");
  }
  return NR_OK;
}
