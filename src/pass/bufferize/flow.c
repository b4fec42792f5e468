/* flow.c - bufferizes flow ops: loads and stores of dispatch tensors become views and copies, a dispatch becomes
 * rt.dispatch.
 *
 *   before  %r = flow.dispatch @ex::@f[%n](%a) : (tensor<?xf32>{%n}) -> tensor<?xf32>{%n}
 *   after   %r = memref.alloc(%n) : memref<?xf32>
 *           rt.dispatch @ex::@f[%x, %y, %z](%a, %r)         grid from the workgroup count region of the export */
#include "pass/bufferize/bufferize.h"

/* ---- inside of executables -------------------------------------------------------------------------------------- */

static bool is_view(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_tensor_cast:
  case NR_OP_tensor_collapse_shape:
  case NR_OP_tensor_expand_shape:
  case NR_OP_tensor_extract_slice:
  case NR_OP_tensor_reshape: return true;
  default: return false;
  }
}

static uint32_t number_in(const NrBufferize *s, const NrOp *op, const NrBlock *block) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op ? nr_bufferize_number(s, op) : 0;
}

/* The number of the last op of block that reads the value or a view of it. */
static uint32_t last_read(const NrBufferize *s, const NrValue *value, const NrBlock *block) {
  uint32_t last = 0;
  for (const NrUse *use = value->first_use; use; use = use->next) {
    uint32_t number = number_in(s, use->owner, block);
    last = NR_MAX(last, number);
    if (!is_view(use->owner)) continue;
    number = last_read(s, nr_result(use->owner, 0), block);
    last = NR_MAX(last, number);
  }
  return last;
}

/* Whether the dispatch tensor is written while the loaded value is still used, so that the value cannot be a view. */
static bool is_overwritten(const NrBufferize *s, NrOp *load, const NrBuffer *buffer) {
  if (!buffer->output) return false;
  uint32_t number = nr_bufferize_number(s, load), last = last_read(s, nr_result(load, 0), load->block);
  for (const NrBufferBinding *member = buffer->members; member; member = member->next) {
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      if (!nr_op_is(use->owner, NR_OP_flow_dispatch_tensor_store) || nr_use_index(use) != 1) continue;
      uint32_t store = number_in(s, use->owner, load->block);
      if (store >= number && (last > store || (last == store && use->owner->block != load->block))) return true;
    }
  }
  return false;
}

static void load(NrBufferize *s, NrOp *op) {
  NrBufferBinding *source = nr_bufferize_binding(s, nr_operand(op, 0));
  NrValue *result = nr_result(op, 0);
  NrBuilder b = nr_builder_before(op);
  NrValue *part = nr_bufferize_subview(&b, source->memref, op, result->type);
  if (!is_overwritten(s, op, source->buffer)) {
    nr_bufferize_join(s, result, source->buffer, part)->load = op;
    return;
  }
  NrBufferBinding *binding = nr_bufferize_join(s, result, source->buffer, part);
  NrValue *copy = nr_bufferize_read_copy(s, op, binding);
  nr_bufferize_join(s, result, nr_bufferize_own(s, copy, op->block, nr_bufferize_number(s, op)), copy);
}

static void store(NrBufferize *s, NrOp *op) {
  NrValue *value = nr_operand(op, 0);
  NrBufferBinding *from = nr_bufferize_binding(s, value), *target = nr_bufferize_binding(s, nr_operand(op, 1));
  if (from->bound_for == op || !from->memref) return;
  NrBuilder b = nr_builder_before(op);
  NrValue *part = nr_bufferize_subview(&b, target->memref, op, value->type);
  if (part == from->memref) return;
  NrBufferBinding source = *from;
  if (from->buffer == target->buffer) { /* slices that may overlap */
    source.memref = nr_bufferize_read_copy(s, op, from);
    nr_bufferize_own(s, source.memref, op->block, nr_bufferize_number(s, op));
  }
  nr_bufferize_copy_contents(op, &source, part);
}

static NrStatus grid_value(NrOp *op, size_t from_end) {
  NrOp *func = op;
  while (func && !nr_op_has(func, NR_FUNCTION)) func = nr_op_parent(func);
  int64_t dimension = nr_op_attr_int(op, NR_A_dimension, 0);
  if (!func || !nr_op_attr(func, NR_A_noria_dispatch)) return nr_op_error(op, "is not in an executable");
  NrBlock *entry = nr_op_body(func, 0);
  nr_value_replace_uses(nr_result(op, 0), nr_block_arg(entry, entry->num_args - from_end + (size_t)dimension));
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

/* The grid: the export's workgroup count region for this workload, or one workgroup. */
static void build_grid(NrOp *op, NrOp *export_op, NrBuilder *b, NrValue **grid) {
  size_t begin = 0, count = 0;
  NrBlock *region = nr_op_body(export_op, 0);
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &count);
  for (size_t i = 0; i < 3; i++) grid[i] = NULL;
  NrMap map = {0};
  for (size_t i = 0; region && i < region->num_args && i < count; i++)
    nr_map_set(&map, nr_block_arg(region, i), nr_operand(op, begin + i));
  for (NrOp *inner = region ? region->first : NULL; inner; inner = inner->next) {
    if (nr_op_is(inner, NR_OP_flow_return)) {
      for (size_t i = 0; i < 3 && i < inner->num_operands; i++) {
        NrValue *mapped = nr_map_get(&map, nr_operand(inner, i));
        grid[i] = mapped ? mapped : nr_operand(inner, i);
      }
    } else if (nr_op_is(inner, NR_OP_flow_dispatch_workgroup_count_from_dag_root) ||
               nr_op_is(inner, NR_OP_flow_dispatch_workgroup_count_from_slice)) {
      /* The backend may choose the count: one workgroup does all work. */
      for (size_t i = 0; i < 3; i++) nr_map_set(&map, nr_result(inner, i), nr_index_value(b, nr_index_const(1)));
    } else {
      NrOp *copy = nr_op_clone(b->module, inner, &map);
      nr_op_insert_before(copy, op);
    }
  }
  for (size_t i = 0; i < 3; i++)
    if (!grid[i]) grid[i] = nr_index_value(b, nr_index_const(1));
  nr_map_deinit(&map);
}

static NrValue *as_type(NrBuilder *b, NrValue *memref, NrType type) {
  return memref->type == type ? memref : nr_build_value(b, NR_OP_memref_cast, type, &memref, 1);
}

/* The memory of a result: its tied operand's, or a new buffer. */
static NrValue *result_memory(NrBufferize *s, NrOp *op, size_t result, size_t *next_dim) {
  NrValue *value = nr_result(op, result);
  size_t arguments, num_arguments;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &arguments, &num_arguments);
  int64_t tied = nr_flow_tied_operand(op, result);
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t i = 0; i < value->type->rank; i++) {
    bool dynamic = value->type->dims[i] == NR_DYNAMIC;
    dims[i] = dynamic ? (NrIndex){nr_operand(op, (*next_dim)++), 0} : nr_index_const(value->type->dims[i]);
  }
  if (tied >= 0) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, arguments + (size_t)tied));
    if (binding->memref && !binding->memref->type->layout)
      return nr_bufferize_dest(s, op, arguments + (size_t)tied, value, true);
  }
  NrBuilder b = nr_builder_before(op);
  NrValue *memory = nr_build_alloc(&b, NR_OP_memref_alloc, value->type->elem, dims, value->type->rank);
  nr_bufferize_join(s, value, nr_bufferize_own(s, memory, op->block, nr_bufferize_number(s, op)), memory);
  if (tied >= 0) {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, arguments + (size_t)tied));
    if (binding->memref) nr_bufferize_copy_contents(op, binding, memory);
  }
  return memory;
}

static NrStatus dispatch(NrBufferize *s, NrOp *op) {
  NrEntryPoint *entry = nr_bufferize_entry_point(s, op);
  if (!entry) return NR_ERROR_INVALID;
  size_t arguments, num_arguments, next_dim, num_dims, n = 3;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &arguments, &num_arguments);
  nr_op_operand_group(op, NR_FLOW_RESULT_DIMS, &next_dim, &num_dims);
  NrBlock *body = nr_op_body(entry->func, 0);
  size_t extra = entry->counts ? 6 : 3;
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, 3 + num_arguments + op->num_results + extra);
  NrValue **results = NR_NEW_ARRAY(s->arena, NrValue *, op->num_results + 1);
  for (size_t i = 0; i < op->num_results; i++) results[i] = result_memory(s, op, i, &next_dim);
  for (size_t i = 0; i < num_arguments; i++) {
    NrValue *value = nr_operand(op, arguments + i);
    operands[n] = nr_bufferize_binding(s, value) ? nr_bufferize_read_dense(s, value, op, NULL) : value;
    for (size_t k = 0; k < op->num_results; k++)
      if (nr_flow_tied_operand(op, k) == (int64_t)i) operands[n] = results[k];
    n++;
  }
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_flow_tied_operand(op, i) < 0) operands[n++] = results[i];
  NrBuilder b = nr_builder_before(op);
  build_grid(op, entry->export_op, &b, operands);
  for (size_t i = 0; entry->counts && i < 3; i++) operands[n++] = operands[i];
  if (n != body->num_args) /* the 3 arguments of the grid replace the 3 of the workgroup */
    return nr_op_error(op, "(C5) does not pass the arguments of its entry point");
  for (size_t i = 3; i < n; i++)
    if (nr_type_is_memref(operands[i]->type)) operands[i] = as_type(&b, operands[i], nr_block_arg(body, i - 3)->type);
  NrOp *call = nr_build_op(&b, NR_OP_rt_dispatch, operands, n, NULL, 0);
  nr_op_set_segments(call, (uint32_t[]){3, (uint32_t)(n - 3)}, 2);
  nr_op_set_attr(call, NR_A_entry, nr_op_attr(op, NR_A_entry_points)->items[0]);
  return NR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

NrStatus nr_bufferize_flow_op(NrBufferize *s, NrOp *op) {
  NrStatus status = NR_OK;
  switch (op->info->id) {
  case NR_OP_flow_dispatch: status = dispatch(s, op); break;
  case NR_OP_flow_dispatch_tensor_load: load(s, op); break;
  case NR_OP_flow_dispatch_tensor_store: store(s, op); break;
  case NR_OP_flow_dispatch_tensor_dim: {
    NrBuilder b = nr_builder_before(op);
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, 0));
    size_t dim = (size_t)nr_op_attr_int(op, NR_A_dimension, 0);
    nr_value_replace_uses(nr_result(op, 0), nr_index_value(&b, nr_dim_build(&b, binding->memref, dim)));
    break;
  }
  case NR_OP_flow_dispatch_tie_shape: {
    NrBufferBinding *binding = nr_bufferize_binding(s, nr_operand(op, 0));
    nr_bufferize_join(s, nr_result(op, 0), binding->buffer, binding->memref);
    break;
  }
  case NR_OP_flow_dispatch_workgroup_id: status = grid_value(op, 3); break;
  case NR_OP_flow_dispatch_workgroup_count: status = grid_value(op, 6); break;
  case NR_OP_flow_dispatch_workgroup_size: {
    NrBuilder b = nr_builder_before(op);
    nr_value_replace_uses(nr_result(op, 0), nr_index_value(&b, nr_index_const(1)));
    break;
  }
  case NR_OP_flow_dispatch_workload_ordinal: nr_value_replace_uses(nr_result(op, 0), nr_operand(op, 0)); break;
  case NR_OP_flow_dispatch_region:
  case NR_OP_flow_dispatch_workgroups:
    return nr_op_error(op, "must be outlined to an executable before it can be bufferized");
  default: return nr_op_error(op, "cannot be bufferized");
  }
  nr_vec_push(&s->dead, op);
  return status;
}
