/* outline_dispatches.c - moves the bodies of dispatches to functions of executables; equal bodies share one.
 *   before  %r = flow.dispatch.workgroups[%n](%a) : .. = (..) { body } count(..) { grid }
 *   after   flow.executable private @main_dispatch_0 { export @main_dispatch_0 workgroups(..) { grid }
 *             module { func.func { body } } }
 *           %r = flow.dispatch @main_dispatch_0::@main_dispatch_0[%n](%a) : .. */
#include "dialect/flow/flow.h"
#include "pass/core/outline.h"
#include "pass/dispatch/dispatch_graph.h"
#include "pass/dispatch/nested_dispatches.h"
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
  return !nr_op_is(op, NR_OP_flow_dispatch);
}

/* A dispatch of the host program. */
typedef struct Dispatch {
  NrOp *op;
  NrOutline symbols; /* that its body names */
  NrOp *executable;
} Dispatch;

static NrStatus collect_symbols(Dispatch *d) {
  if (!nr_outline_needs_symbols(&d->symbols, d->op))
    return nr_op_error(d->op, "uses a symbol that is neither a function nor a constant buffer");
  for (size_t i = 0; i < d->symbols.symbols.size; i++) {
    NrOp *symbol = d->symbols.symbols.data[i];
    if (!nr_walk_pre(symbol, stop_at_dispatch, NULL))
      return nr_op_error(d->op, "calls '%.*s', which dispatches an executable: a workgroup cannot",
                         NR_STR_ARG(nr_op_attr_str(symbol, NR_A_sym_name)));
  }
  return NR_OK;
}

/* The executable has copies of the functions and constants that the body names; dispatches in it become loops. With
 * keep, the body stays too: other executables get copies of the function that it is in. */
static NrStatus make_executable(NrExecutables *all, Dispatch *d, bool keep) {
  NrOp *from = d->op;
  if (keep) {
    NrMap map = {0};
    from = nr_op_clone(d->op->module, d->op, &map);
    nr_op_insert_before(from, d->op);
    nr_map_deinit(&map);
  }
  NrOp *executable = build_executable(&d->symbols, from);
  if (keep) nr_op_erase(from);
  NR_TRY(nr_nested_dispatches_to_loops(executable));
  d->executable = nr_executable_share(all, executable, enclosing_function(d->op), "dispatch", label_of(d->op));
  return NR_OK;
}

static void replace(NrOp *op, const NrOp *executable, NrArena *arena) {
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
}

static NrStatus outline(Dispatch *dispatches, size_t count, NrArena *arena) {
  NrExecutables all = {0};
  NrMap copied = {0}; /* functions that executables get copies of */
  NrStatus status = NR_OK;
  for (size_t i = 0; i < count && !status; i++) {
    status = collect_symbols(&dispatches[i]);
    for (size_t k = 0; k < dispatches[i].symbols.symbols.size; k++)
      nr_map_set(&copied, dispatches[i].symbols.symbols.data[k], dispatches[i].op);
  }
  for (size_t i = 0; i < count && !status; i++)
    status = make_executable(&all, &dispatches[i], nr_map_has(&copied, enclosing_function(dispatches[i].op)));
  for (size_t i = 0; i < count && !status; i++) replace(dispatches[i].op, dispatches[i].executable, arena);
  for (size_t i = 0; i < count; i++) nr_outline_deinit(&dispatches[i].symbols);
  nr_map_deinit(&copied);
  nr_executables_deinit(&all);
  return status;
}

static bool is_workgroups(const NrOp *op) {
  if (!nr_op_is(op, NR_OP_flow_dispatch_workgroups)) return false;
  for (NrOp *up = nr_op_parent(op); up; up = nr_op_parent(up))
    if (nr_op_is(up, NR_OP_flow_dispatch_workgroups)) return false;
  return true;
}

static bool is_executable(const NrOp *op) { return nr_op_is(op, NR_OP_flow_executable); }

static NrStatus outline_dispatches_run(NrPassContext *pass, NrOp *root) {
  NrOpList executables = {0}, found = {0};
  NrStatus status = NR_OK;
  nr_collect_pre(root, is_executable, &executables);
  for (size_t i = 0; i < executables.size && !status; i++)
    status = nr_nested_dispatches_to_loops(executables.data[i]);
  if (!status) nr_collect_pre(root, is_workgroups, &found);
  Dispatch *dispatches = NR_NEW_ARRAY(pass->scratch, Dispatch, found.size + 1);
  for (size_t i = 0; i < found.size; i++) dispatches[i] = (Dispatch){.op = found.data[i]};
  if (!status) status = outline(dispatches, found.size, pass->scratch);
  nr_vec_deinit(&executables);
  nr_vec_deinit(&found);
  if (pass->dispatch_graph && !status) nr_dispatch_graph(root, pass->dispatch_graph);
  return status;
}

NR_PASS(outline_dispatches, .name = "outline-dispatches", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = outline_dispatches_run, .doc = "bodies of dispatches become functions of executables, equal ones once")
