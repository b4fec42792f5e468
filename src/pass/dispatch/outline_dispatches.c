/* outline_dispatches.c - the body of a dispatch becomes a function of an executable; equal bodies share one.
 *   before  %r = flow.dispatch.workgroups[%n](%a) : .. = (..) { body } count(..) { grid }
 *   after   flow.executable private @main_dispatch_0 { export @main_dispatch_0 workgroups(..) { grid }
 *             module { func.func { body } } }
 *           %r = flow.dispatch @main_dispatch_0::@main_dispatch_0[%n](%a) : .. */
#include "pass/core/outline.h"

static NrOp *enclosing_function(NrOp *op) {
  while (op && !nr_op_has(op, NR_FUNCTION)) op = nr_op_parent(op);
  return op;
}

/* The function returns nothing, as the body of a dispatch does. */
static void finish_function(NrOp *func) {
  NrBlock *body = nr_op_body(func, 0);
  NrContext *ctx = nr_op_context(func);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < body->num_args; i++) nr_vec_push(&types, body->args[i]->type);
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(nr_type_function(ctx, types.data, types.size, NULL, 0)));
  nr_vec_deinit(&types);
  for (NrBlock *at = body; at; at = at->next) {
    NrOp *end = nr_block_terminator(at);
    if (!nr_op_is(end, NR_OP_flow_return)) continue;
    NrBuilder before = nr_builder_before(end);
    nr_build_op(&before, NR_OP_func_return, NULL, 0, NULL, 0);
    nr_op_erase(end);
  }
}

static NrOp *make_executable(NrExecutables *all, NrOp *op) {
  NrOp *executable = nr_executable_create(op);
  NrBuilder b = nr_executable_builder(executable);
  NrOp *func = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .num_regions = 1});
  nr_region_take(nr_op_region(nr_executable_export(executable), 0), nr_op_region(op, 1));
  nr_region_take(nr_op_region(func, 0), nr_op_region(op, 0));
  finish_function(func);
  return nr_executable_share(all, executable, enclosing_function(op), "dispatch");
}

static void outline(NrExecutables *all, NrOp *op, NrArena *arena) {
  NrAttr entry = nr_executable_entry(make_executable(all, op)), tied = nr_op_attr(op, NR_A_tied_operands);
  NrBuilder b = nr_builder_before(op);
  NrValue **operands = NR_NEW_ARRAY(arena, NrValue *, op->num_operands);
  NrType *types = NR_NEW_ARRAY(arena, NrType, op->num_results);
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = nr_operand(op, i);
  for (uint32_t i = 0; i < op->num_results; i++) types[i] = nr_result(op, i)->type;
  NrOp *dispatch = nr_build_op(&b, NR_OP_flow_dispatch, operands, op->num_operands, types, op->num_results);
  nr_op_set_attr(dispatch, NR_A_entry_points, nr_attr_array(b.ctx, &entry, 1));
  nr_op_set_attr(dispatch, NR_A_operandSegmentSizes, nr_op_attr(op, NR_A_operandSegmentSizes));
  if (tied) nr_op_set_attr(dispatch, NR_A_tied_operands, tied);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(dispatch, i));
  nr_op_erase(op);
}

typedef struct Found {
  NR_VEC(NrOp *) ops;
} Found;

static bool collect(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_flow_dispatch_workgroups)) nr_vec_push(&((Found *)user)->ops, op);
  return true;
}

static NrStatus outline_dispatches_run(NrPassContext *pass, NrOp *root) {
  Found found = {{0}};
  NrExecutables all = {0};
  nr_walk_pre(root, collect, &found);
  for (size_t i = 0; i < found.ops.size; i++) outline(&all, found.ops.data[i], pass->scratch);
  nr_vec_deinit(&found.ops);
  nr_executables_deinit(&all);
  return NR_OK;
}

NR_PASS(outline_dispatches, .name = "outline-dispatches", .of_table = true, .run = outline_dispatches_run,
        .doc = "bodies of dispatches become functions of executables, equal ones once")
