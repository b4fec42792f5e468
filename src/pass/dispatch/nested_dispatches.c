/* nested_dispatches.c - a dispatch in a workgroup runs in it: its grid becomes loops, its operands become buffers.
 *   before  %r = flow.dispatch.workgroups[%n](%a) : (tensor<?xf32>{%n}) -> tensor<?xf32>{%n} = (%x, %out) { body }
 *   after   %x = memref.alloc(%n) : memref<?xf32>
 *           bufferization.materialize_in_destination %a in writable %x
 *           %out = memref.alloc(%n) : memref<?xf32>
 *           scf.for %i = 0 to %grid_x { scf.for %j .. { scf.for %k .. { body, on parts of %x and %out } } }
 *           %r = bufferization.to_tensor %out
 *           memref.dealloc %x, %out
 *
 * A tied result is computed in the copy of its argument. A load copies the part, since a store may follow. */
#include "pass/dispatch/nested_dispatches.h"
#include "dialect/arith/arith.h"
#include "dialect/bufferization/ops.h"
#include "dialect/flow/flow.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/core/rewrite.h"

typedef struct Nested {
  NrOp *op;
  NrBuilder b;
  NrFlowCallGroups groups;
  NrMap buffers;             /* dispatch tensors of the body -> memrefs */
  NR_VEC(NrValue *) made;    /* these memrefs */
  NR_VEC(NrValue *) results; /* the one that each result is computed in */
  NrValue *ids[3], *grid[3];
} Nested;

/* ---- arguments and results --------------------------------------------------------------------------------------- */

/* Of the tensor type's shape; dims has its dynamic dims. */
static NrValue *alloc(NrBuilder *b, NrType type, NrValue *const *dims) {
  size_t count = nr_type_num_dynamic(type);
  NrType memref = nr_type_memref(type->dims, type->rank, type->elem);
  NrValue *buffer = nr_build_value(b, NR_OP_memref_alloc, memref, dims, count);
  nr_op_set_segments(buffer->op, (uint32_t[]){(uint32_t)count, 0}, 2);
  return buffer;
}

static void write(NrBuilder *b, NrValue *tensor, NrValue *buffer) {
  NrValue *operands[] = {tensor, buffer};
  NrOp *store = nr_build_op(b, NR_OP_bufferization_materialize_in_destination, operands, 2, NULL, 0);
  nr_op_set_attr(store, NR_A_writable, nr_attr_unit(b->ctx));
}

static NrValue *copied(NrBuilder *b, NrValue *tensor) {
  NrValue *dims[NR_MAX_RANK];
  size_t count = 0;
  for (uint32_t d = 0; d < tensor->type->rank; d++)
    if (tensor->type->dims[d] == NR_DYNAMIC) dims[count++] = nr_index_value(b, nr_dim_build(b, tensor, d));
  NrValue *buffer = alloc(b, tensor->type, dims);
  write(b, tensor, buffer);
  return buffer;
}

static void bind(Nested *n, NrValue *arg, NrValue *buffer) {
  nr_map_set(&n->buffers, arg, buffer);
  nr_vec_push(&n->made, buffer);
}

/* Gives every argument of the body its value or buffer. */
static NrStatus bind_arguments(Nested *n, NrBlock *body) {
  size_t num_args = n->groups.arguments.count, next = num_args, dim = n->groups.result_dims.begin;
  for (size_t i = 0; i < num_args; i++) {
    NrValue *value = nr_operand(n->op, n->groups.arguments.begin + i), *arg = nr_block_arg(body, i);
    if (value->type->kind == NR_TYPE_flow_dispatch_tensor)
      return nr_op_error(n->op, "in a workgroup takes a dispatch tensor as argument, which cannot be compiled");
    if (nr_type_is_tensor(value->type))
      bind(n, arg, copied(&n->b, value));
    else
      nr_value_replace_uses(arg, value);
  }
  for (uint32_t r = 0; r < n->op->num_results; r++) {
    NrType type = nr_result(n->op, r)->type;
    int64_t tied = nr_tied_operand(n->op, r);
    NrValue *dims[NR_MAX_RANK];
    for (size_t i = 0; i < nr_flow_num_dims(type); i++) dims[i] = nr_operand(n->op, dim++);
    NrValue *arg = nr_block_arg(body, tied >= 0 ? (size_t)tied : next++);
    if (tied < 0) bind(n, arg, alloc(&n->b, type, dims));
    nr_vec_push(&n->results, nr_map_get(&n->buffers, arg));
  }
  return NR_OK;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* The part of a memref that a load or store is of, with the shape of the tensor `part`. */
static NrValue *part_of(NrBuilder *b, NrOp *access, NrValue *memref, NrType part) {
  NrIndex lists[3][NR_MAX_RANK];
  bool keep[NR_MAX_RANK];
  for (size_t k = 0; k < 3; k++) nr_index_list_all(access, nr_slice_slots(access)[k], lists[k]);
  NrType type = nr_memref_subview_type(memref->type, lists[0], lists[1], lists[2]);
  if (type->rank != part->rank && nr_slice_keeps(access, part, keep)) type = nr_memref_drop_dims(type, keep);
  return nr_build_subview(b, memref, lists[0], lists[1], lists[2], type);
}

static NrValue *buffer_of(Nested *n, NrValue *dispatch_tensor) {
  while (nr_op_is(dispatch_tensor->op, NR_OP_flow_dispatch_tie_shape))
    dispatch_tensor = nr_flow_dispatch_tie_shape_operand(dispatch_tensor->op);
  return nr_map_get(&n->buffers, dispatch_tensor);
}

/* Rewrites an op of the body that uses a dispatch tensor or asks for the workgroup. *out: what its result becomes. */
static void lower(Nested *n, NrOp *op, NrValue **out) {
  NrBuilder b = nr_builder_before(op);
  NrValue *buffer;
  switch (op->info->id) {
  case NR_OP_flow_dispatch_workgroup_id: *out = n->ids[nr_op_attr_int(op, NR_A_dimension, 0)]; break;
  case NR_OP_flow_dispatch_workgroup_count: *out = n->grid[nr_op_attr_int(op, NR_A_dimension, 0)]; break;
  case NR_OP_flow_dispatch_tensor_load:
    buffer = part_of(&b, op, buffer_of(n, nr_flow_dispatch_tensor_load_source(op)), nr_op_result(op)->type);
    *out = nr_build_value(&b, NR_OP_bufferization_to_tensor, nr_op_result(op)->type, &buffer, 1);
    break;
  case NR_OP_flow_dispatch_tensor_store: {
    NrValue *value = nr_flow_dispatch_tensor_store_value(op);
    write(&b, value, part_of(&b, op, buffer_of(n, nr_flow_dispatch_tensor_store_target(op)), value->type));
    break;
  }
  case NR_OP_flow_dispatch_tensor_dim:
    buffer = buffer_of(n, nr_flow_dispatch_tensor_dim_source(op));
    *out = nr_index_value(&b, nr_dim_build(&b, buffer, (size_t)nr_op_attr_int(op, NR_A_dimension, 0)));
    break;
  default: break;
  }
}

static NrOp *enclosing_dispatch(const NrOp *op) {
  NrOp *up = nr_op_parent(op);
  while (up && !nr_op_is(up, NR_OP_flow_dispatch_workgroups)) up = nr_op_parent(up);
  return up;
}

static bool is_of_dispatch(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_dispatch_workgroup_id:
  case NR_OP_flow_dispatch_workgroup_count:
  case NR_OP_flow_dispatch_tensor_load:
  case NR_OP_flow_dispatch_tensor_store:
  case NR_OP_flow_dispatch_tensor_dim:
  case NR_OP_flow_dispatch_tie_shape: return true;
  default: return false;
  }
}

static NrStatus lower_body(Nested *n, NrBlock *body) {
  NrOpList ops = {0};
  NrStatus status = NR_OK;
  size_t count = 0;
  nr_collect_pre(n->op, is_of_dispatch, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (enclosing_dispatch(ops.data[i]) == n->op) ops.data[count++] = ops.data[i];
  for (size_t i = 0; i < count; i++) {
    NrValue *value = NULL;
    lower(n, ops.data[i], &value);
    if (value) nr_value_replace_uses(nr_op_result(ops.data[i]), value);
  }
  for (size_t i = count; i-- > 0;) {
    bool used = ops.data[i]->num_results && nr_value_has_uses(nr_op_result(ops.data[i]));
    if (!used) nr_op_erase(ops.data[i]);
  }
  for (uint32_t i = 0; i < body->num_args && !status; i++)
    if (nr_value_has_uses(nr_block_arg(body, i)))
      status = nr_op_error(n->op, "in a workgroup passes a dispatch tensor on, which cannot be compiled");
  nr_vec_deinit(&ops);
  return status;
}

/* Builds loops over the grid; a builder in the innermost one, in front of its terminator. */
static NrBuilder open_loops(Nested *n) {
  NrValue *zero = nr_arith_constant_index(&n->b, 0), *one = nr_arith_constant_index(&n->b, 1);
  NrBuilder inner = n->b;
  for (size_t i = 0; i < 3; i++) {
    NrOp *loop = nr_scf_for(&inner, zero, n->grid[i], one, NULL, 0);
    n->ids[i] = nr_scf_for_iv(loop);
    inner = nr_scf_body_builder(nr_scf_for_body(loop));
    inner = nr_builder_before(nr_scf_yield(&inner, NULL, 0));
  }
  return inner;
}

/* ---- the op ------------------------------------------------------------------------------------------------------ */

/* Reads the results, a tied one with the bytes of its argument's type, and frees the buffers. */
static void read_results(Nested *n) {
  size_t dim = n->groups.result_dims.begin;
  for (uint32_t r = 0; r < n->op->num_results; r++) {
    NrValue *buffer = n->results.data[r], *operands[1 + 2 * NR_MAX_RANK];
    NrType type = nr_result(n->op, r)->type, memref = buffer->type;
    NrType as = nr_type_tensor(memref->dims, memref->rank, memref->elem);
    size_t count = nr_flow_num_dims(type), num_operands = 1;
    NrValue *value = nr_build_value(&n->b, NR_OP_bufferization_to_tensor, as, &buffer, 1);
    if (as != type) {
      operands[0] = value;
      for (uint32_t d = 0; d < as->rank; d++)
        if (as->dims[d] == NR_DYNAMIC) operands[num_operands++] = nr_index_value(&n->b, nr_dim_build(&n->b, value, d));
      uint32_t source_dims = (uint32_t)num_operands - 1;
      for (size_t i = 0; i < count; i++) operands[num_operands++] = nr_operand(n->op, dim + i);
      value = nr_build_value(&n->b, NR_OP_flow_tensor_bitcast, type, operands, num_operands);
      nr_op_set_segments(value->op, (uint32_t[]){1, source_dims, (uint32_t)count}, 3);
    }
    dim += count;
    nr_value_replace_uses(nr_result(n->op, r), value);
  }
  for (size_t i = 0; i < n->made.size; i++) nr_build_op(&n->b, NR_OP_memref_dealloc, &n->made.data[i], 1, NULL, 0);
}

static NrStatus to_loops(Nested *n) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(n->op);
  if (body->next) return nr_op_error(n->op, "in a workgroup must have one block; run lift-cf-to-scf first");
  n->groups = nr_flow_call_groups(n->op);
  nr_flow_build_grid(&n->b, nr_flow_dispatch_workgroups_workgroup_count_body(n->op), n->op, n->grid);
  NR_TRY(bind_arguments(n, body));
  NrBuilder inner = open_loops(n);
  NR_TRY(lower_body(n, body));
  nr_op_erase(nr_block_terminator(body));
  nr_block_splice(body, inner.block, inner.before);
  read_results(n);
  nr_op_erase(n->op);
  return NR_OK;
}

static bool is_workgroups(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch_workgroups); }

NrStatus nr_nested_dispatches_to_loops(NrOp *root) {
  NrOpList found = {0};
  NrStatus status = NR_OK;
  nr_collect_pre(root, is_workgroups, &found);
  for (size_t i = 0; i < found.size && !status; i++) {
    Nested n = {.op = found.data[i], .b = nr_builder_before(found.data[i])};
    status = to_loops(&n);
    nr_map_deinit(&n.buffers);
    nr_vec_deinit(&n.made);
    nr_vec_deinit(&n.results);
  }
  nr_vec_deinit(&found);
  return status;
}
