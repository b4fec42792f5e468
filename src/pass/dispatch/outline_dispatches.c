/* outline_dispatches.c - moves the bodies of dispatches to functions of executables; equal bodies share one.
 *   before  %r = flow.dispatch.workgroups[%n](%a) : .. = (..) { body } count(..) { grid }
 *   after   flow.executable private @main_dispatch_0 { export @main_dispatch_0 workgroups(..) { grid }
 *             module { func.func { body } } }
 *           %r = flow.dispatch @main_dispatch_0::@main_dispatch_0[%n](%a) : .. */
#include "dialect/flow/flow.h"
#include "pass/core/outline.h"
#include "pass/dispatch/dispatch_graph.h"
#include "pass/dispatch/tiling.h"

static NrOp *enclosing_function(NrOp *op) {
  while (op && !nr_op_has(op, NR_FUNCTION)) op = nr_op_parent(op);
  return op;
}

/* Ends the function in a return without values; the body of a dispatch stores its results. */
static void finish_function(NrOp *func) {
  NrBlock *body = nr_op_only_body(func);
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

static NrOp *build_executable(NrOutline *symbols, NrOp *op) {
  NrOp *executable = nr_executable_create(op);
  NrBuilder b = nr_executable_builder(executable);
  NrOp *func = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .num_regions = 1});
  nr_region_take(nr_op_only_region(nr_executable_export(executable)),
                 nr_flow_dispatch_workgroups_workgroup_count_region(op));
  nr_region_take(nr_op_only_region(func), nr_flow_dispatch_workgroups_workgroup_region(op));
  finish_function(func);
  nr_outline_copy_symbols(symbols, &b);
  return executable;
}

/* What tile-dispatches says that the dispatch computes; empty: it is one of the program's own. */
static NrStr label_of(const NrOp *op) {
  NrAttr label = nr_op_attr_named(op, NR_TILING_LABEL);
  return label && label->kind == NR_ATTR_STRING ? label->s : (NrStr){0};
}

static bool stop_at_dispatch(NrOp *op, void *user) {
  (void)user;
  return !nr_op_is(op, NR_OP_flow_dispatch) && !nr_op_is(op, NR_OP_flow_dispatch_workgroups);
}

/* The executable has copies of the functions and constants that the body names. NULL: one cannot be copied. */
static NrOp *make_executable(NrExecutables *all, NrOp *op) {
  NrOutline symbols = {0};
  bool ok = nr_outline_needs_symbols(&symbols, op);
  if (!ok) nr_op_error(op, "uses a symbol that is neither a function nor a constant buffer");
  for (size_t i = 0; i < symbols.symbols.size && ok; i++) {
    NrOp *symbol = symbols.symbols.data[i];
    ok = nr_walk_pre(symbol, stop_at_dispatch, NULL);
    if (!ok)
      nr_op_error(op, "calls '%.*s', which dispatches: a workgroup cannot",
                  NR_STR_ARG(nr_op_attr_str(symbol, NR_A_sym_name)));
  }
  NrOp *executable = ok ? build_executable(&symbols, op) : NULL;
  nr_outline_deinit(&symbols);
  return ok ? nr_executable_share(all, executable, enclosing_function(op), "dispatch", label_of(op)) : NULL;
}

static NrStatus outline(NrExecutables *all, NrOp *op, NrArena *arena) {
  NrOp *executable = make_executable(all, op);
  if (!executable) return NR_ERROR_INVALID;
  NrAttr entry = nr_executable_entry(executable), tied = nr_op_attr(op, NR_A_tied_operands);
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
  return NR_OK;
}

static bool is_workgroups(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch_workgroups); }

static NrStatus outline_dispatches_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  NrExecutables all = {0};
  nr_collect_pre(root, is_workgroups, &found);
  NrStatus status = NR_OK;
  for (size_t i = 0; i < found.size && !status; i++) status = outline(&all, found.data[i], pass->scratch);
  nr_vec_deinit(&found);
  nr_executables_deinit(&all);
  if (pass->dispatch_graph && !status) nr_dispatch_graph(root, pass->dispatch_graph);
  return status;
}

NR_PASS(outline_dispatches, .name = "outline-dispatches", .of_table = true, .run = outline_dispatches_run,
        .doc = "bodies of dispatches become functions of executables, equal ones once")
