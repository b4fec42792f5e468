/* rewrite_flow.c - rewrites flow ops: dispatches to rt.dispatch, calls to rt.call, and queries of the grid in an
 * executable to arguments of its function.
 *
 *   before  %r = flow.dispatch @ex::@f[%n](%a) : (tensor<?xf32>{%n}) -> tensor<?xf32>{%n}
 *   after   %r = memref.alloc(%n) : memref<?xf32>
 *           rt.dispatch @ex::@f[%x, %y, %z](%a, %r)         grid from the workgroup count region of the export */
#include "dialect/arith/arith.h"
#include "pass/bufferize/bufferize.h"

/* ---- inside of executables -------------------------------------------------------------------------------------- */

/* An argument of the function, counted from the end. */
static NrStatus grid_value(NrOp *op, size_t from_end) {
  NrOp *func = op;
  while (func && !nr_op_has(func, NR_FUNCTION)) func = nr_op_parent(func);
  int64_t dimension = nr_op_attr_int(op, NR_A_dimension, 0);
  if (!func || !nr_op_attr(func, NR_A_noria_dispatch)) return nr_op_error(op, "is not in an executable");
  NrBlock *entry = nr_op_only_body(func);
  nr_value_replace_uses(nr_op_result(op), nr_block_arg(entry, entry->num_args - from_end + (size_t)dimension));
  return NR_OK;
}

/* ---- dispatches ------------------------------------------------------------------------------------------------- */

static NrStatus dispatch(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrEntryPoint *entry = nr_bufferize_entry_point(s, op);
  if (!entry) return NR_ERROR_INVALID;
  NrGroup arguments = nr_flow_dispatch_arguments(op);
  NrBlock *body = nr_op_only_body(entry->func);
  size_t extra = entry->counts ? 6 : 3, n = 3;
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, 3 + arguments.count + op->num_results + extra);
  for (size_t i = arguments.begin; i < arguments.begin + arguments.count; i++)
    operands[n++] = plan->operands[i].memory ? plan->operands[i].memory->value : nr_operand(op, i);
  for (size_t i = 0; i < op->num_results; i++)
    if (nr_tied_operand(op, i) < 0) operands[n++] = plan->results[i]->value;
  NrBuilder b = nr_builder_before(op);
  nr_flow_build_grid(&b, nr_flow_executable_export_workgroup_count_body(entry->export_op), op, operands);
  for (size_t i = 0; entry->counts && i < 3; i++) operands[n++] = operands[i];
  if (n != body->num_args) /* the 3 arguments of the grid replace the 3 of the workgroup */
    return nr_op_error(op, "(C5) does not pass the arguments of its entry point");
  for (size_t i = 3; i < n; i++)
    if (nr_type_is_memref(operands[i]->type))
      operands[i] = nr_memref_as(&b, operands[i], nr_block_arg(body, i - 3)->type);
  NrOp *call = nr_build_op(&b, NR_OP_rt_dispatch, operands, n, NULL, 0);
  nr_op_set_segments(call, (uint32_t[]){3, (uint32_t)(n - 3)}, 2);
  nr_op_set_attr(call, NR_A_entry, nr_op_attr(op, NR_A_entry_points)->items[0]);
  return NR_OK;
}

/* ---- calls of the user's functions ------------------------------------------------------------------------------- */

/* before  %r:2 = flow.call @f(%a, %i) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32)
 * after   %m = memref.alloc() : memref<4xf32>
 *         %s = rt.call "@f"(%a, %i, %m) {given = [1, 0]} : (memref<4xf32>, i32, memref<4xf32>) -> i32 */
static NrStatus call(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrGroup arguments = nr_flow_call_groups(op).arguments;
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, arguments.count + op->num_results);
  NrType *types = NR_NEW_ARRAY(s->arena, NrType, op->num_results);
  int64_t *given = NR_NEW_ARRAY(s->arena, int64_t, op->num_results);
  size_t n = 0, num_scalars = 0;
  for (size_t i = arguments.begin; i < arguments.begin + arguments.count; i++)
    operands[n++] = plan->operands[i].memory ? plan->operands[i].memory->value : nr_operand(op, i);
  for (size_t i = 0; i < op->num_results; i++) {
    int64_t tied = nr_tied_operand(op, i);
    given[i] = nr_needs_buffer(nr_result(op, i)->type);
    if (given[i]) operands[n++] = tied < 0 ? plan->results[i]->value : operands[tied];
    else types[num_scalars++] = nr_result(op, i)->type;
  }
  NrStr callee = nr_op_attr_str(op, NR_A_callee);
  NrBuilder b = nr_builder_before(op);
  NrOp *made = nr_build_op(&b, NR_OP_rt_call, operands, n, types, num_scalars);
  NrStr name = nr_str(nr_arena_printf(s->arena, "@%.*s", NR_STR_ARG(callee)));
  nr_op_set_attr(made, NR_A_name, nr_attr_string(s->ctx, name));
  nr_op_set_attr(made, NR_A_given, nr_attr_i64_array(s->ctx, given, op->num_results));
  for (size_t i = 0, next = 0; i < op->num_results; i++)
    if (!given[i]) nr_value_replace_uses(nr_result(op, i), nr_result(made, next++));
  return NR_OK;
}

/* before  flow.tensor.trace "key" = [%t : tensor<4xf32>]
 * after   rt.call "trace"(%c-1, %c0, %m) {text = "f32;key"} : (i32, i64, memref<4xf32>) -> () */
static void trace(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrGroup values = nr_flow_tensor_trace_values(op);
  NrBuilder b = nr_builder_before(op);
  NrValue **operands = NR_NEW_ARRAY(s->arena, NrValue *, values.count + 2);
  operands[0] = nr_arith_constant_int(&b, nr_type_int(s->ctx, 32), -1); /* code generation puts the site here */
  operands[1] = nr_arith_constant_int(&b, nr_type_int(s->ctx, 64), (int64_t)values.count);
  for (size_t i = 0; i < values.count; i++) operands[2 + i] = plan->operands[values.begin + i].memory->value;
  NrOp *made = nr_build_op(&b, NR_OP_rt_call, operands, values.count + 2, NULL, 0);
  nr_op_set_attr(made, NR_A_name, nr_attr_string(s->ctx, NR_STR("trace")));
  nr_op_set_attr(made, NR_A_text, nr_attr_string(s->ctx, nr_flow_trace_text(s->arena, op)));
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

NrStatus nr_rewrite_flow(NrBufferize *s, NrOp *op, const NrOpPlan *plan) {
  NrStatus status = NR_OK;
  NrBuilder b = nr_builder_before(op);
  NrValue *value = NULL;
  if (nr_flow_is_collective(op)) nr_rewrite_collective(op, plan);
  switch (op->info->id) {
  case NR_OP_flow_dispatch: status = dispatch(s, op, plan); break;
  case NR_OP_flow_call: status = call(s, op, plan); break;
  case NR_OP_flow_tensor_trace: trace(s, op, plan); break;
  case NR_OP_flow_tensor_constant: break; /* the plan makes a memref.get_global of a parameter */
  case NR_OP_flow_func: return NR_OK; /* its calls may come later */
  case NR_OP_flow_dispatch_tensor_dim: {
    NrValue *memref = plan->operands[NR_FLOW_DISPATCH_TENSOR_DIM_SOURCE].memory->value;
    value = nr_index_value(&b, nr_dim_build(&b, memref, (size_t)nr_op_attr_int(op, NR_A_dimension, 0)));
    break;
  }
  case NR_OP_flow_dispatch_workgroup_id: status = grid_value(op, 3); break;
  case NR_OP_flow_dispatch_workgroup_count: status = grid_value(op, 6); break;
  case NR_OP_flow_dispatch_workgroup_size: value = nr_index_value(&b, nr_index_const(1)); break;
  case NR_OP_flow_dispatch_workload_ordinal: value = nr_flow_dispatch_workload_ordinal_operand(op); break;
  default: break; /* loads, stores and views, which are memory and copies */
  }
  if (value) nr_value_replace_uses(nr_op_result(op), value);
  nr_vec_push(&s->dead, op);
  return status;
}
