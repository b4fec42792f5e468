/* outline_dispatches.c - the body of a dispatch becomes a function of an executable; equal bodies share one.
 *   before  %r = flow.dispatch.workgroups[%n](%a) : .. = (..) { body } count(..) { grid }
 *   after   flow.executable private @main_dispatch_0 { export @main_dispatch_0 workgroups(..) { grid }
 *             module { func.func { body } } }
 *           %r = flow.dispatch @main_dispatch_0::@main_dispatch_0[%n](%a) : .. */
#include "dialect/flow/flow.h"
#include "ir/text.h"
#include "pass/core/pass.h"

typedef struct Outline {
  NrModule *module;
  NrOp *table;
  NrArena *arena;
  NrStrMap known; /* text of body and count -> name */
  NrSymbolNames names;
  unsigned count;
} Outline;

/* What makes two dispatches the same: the text of their regions, without names and places. */
static NrStr region_text(Outline *o, NrOp *op) {
  NrBuf text = {0};
  for (size_t i = 0; i < 2; i++) {
    NrBlock *block = nr_op_body(op, i);
    for (uint32_t a = 0; block && a < block->num_args; a++) {
      nr_print_type(&text, block->args[a]->type);
      nr_buf_putc(&text, ' ');
    }
  }
  NrPrintOptions generic = {.generic = true};
  size_t begin = text.size;
  nr_print_op(&text, op, &generic);
  /* The operands' numbers before the first region differ from place to place. */
  char *open = memchr(text.data + begin, '{', text.size - begin);
  if (open) {
    size_t at = (size_t)(open - text.data);
    memmove(text.data + begin, text.data + at, text.size - at);
    text.size -= at - begin;
  }
  NrStr copy = nr_str_copy(o->arena, (NrStr){text.data, text.size});
  nr_buf_deinit(&text);
  return copy;
}

static NrStr enclosing_name(NrOp *op) {
  while (op && !nr_op_has(op, NR_FUNCTION)) op = nr_op_parent(op);
  return op ? nr_op_attr_str(op, NR_A_sym_name) : NR_STR("main");
}

static NrStr make_executable(Outline *o, NrOp *op) {
  NrContext *ctx = o->module->ctx;
  NrStr base = enclosing_name(op);
  NrStr name = nr_str(nr_arena_printf(nr_context_arena(ctx), "%.*s_dispatch_%u", NR_STR_ARG(base), o->count++));
  name = nr_symbol_free_name(&o->names, o->table, name);
  NrBuilder top = nr_builder_at_start(o->module, nr_op_body(o->table, 0), op->loc);
  NrOp *executable = nr_build(&top, &(NrOpState){.info = nr_op_infos[NR_OP_flow_executable], .num_regions = 1});
  nr_op_set_attr(executable, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(executable, NR_A_sym_visibility, nr_attr_string(ctx, NR_STR("private")));
  NrBlock *block = nr_block_create(o->module);
  nr_block_append(nr_op_region(executable, 0), block);
  NrBuilder b = nr_builder_at_end(o->module, block, op->loc);
  NrOp *export_op = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_flow_executable_export], .num_regions = 1});
  nr_op_set_attr(export_op, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(export_op, NR_A_function_ref, nr_attr_symbol(ctx, name));
  nr_region_take(nr_op_region(export_op, 0), nr_op_region(op, 1));
  NrOp *inner = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_builtin_module], .num_regions = 1});
  nr_build_op(&b, NR_OP_flow_executable_end, NULL, 0, NULL, 0);
  NrBlock *module_block = nr_block_create(o->module);
  nr_block_append(nr_op_region(inner, 0), module_block);
  NrBuilder in = nr_builder_at_end(o->module, module_block, op->loc);
  NrOp *func = nr_build(&in, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .num_regions = 1});
  nr_region_take(nr_op_region(func, 0), nr_op_region(op, 0));
  NrBlock *body = nr_op_body(func, 0);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < body->num_args; i++) nr_vec_push(&types, body->args[i]->type);
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(ctx, name));
  nr_op_set_attr(func, NR_A_function_type, nr_attr_type(nr_type_function(ctx, types.data, types.size, NULL, 0)));
  nr_vec_deinit(&types);
  for (NrBlock *at = body; at; at = at->next) {
    NrOp *end = nr_block_terminator(at);
    if (!nr_op_is(end, NR_OP_flow_return)) continue;
    NrBuilder before = nr_builder_before(end);
    nr_build_op(&before, NR_OP_func_return, NULL, 0, NULL, 0);
    nr_op_erase(end);
  }
  return name;
}

static void outline(Outline *o, NrOp *op) {
  NrContext *ctx = o->module->ctx;
  NrStr text = region_text(o, op);
  NrStr *known = nr_strmap_get(&o->known, text);
  if (!known) {
    known = NR_NEW(o->arena, NrStr);
    *known = make_executable(o, op);
    nr_strmap_set(&o->known, text, known);
  }
  NrBuilder b = nr_builder_before(op);
  NrValue **operands = NR_NEW_ARRAY(o->arena, NrValue *, op->num_operands);
  NrType *types = NR_NEW_ARRAY(o->arena, NrType, op->num_results);
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = nr_operand(op, i);
  for (uint32_t i = 0; i < op->num_results; i++) types[i] = nr_result(op, i)->type;
  NrOp *dispatch = nr_build_op(&b, NR_OP_flow_dispatch, operands, op->num_operands, types, op->num_results);
  NrAttr entry = nr_attr_symbol_nested(ctx, *known, known, 1), tied = nr_op_attr(op, NR_A_tied_operands);
  nr_op_set_attr(dispatch, NR_A_entry_points, nr_attr_array(ctx, &entry, 1));
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
  Outline o = {.module = pass->module, .table = root, .arena = pass->scratch};
  nr_walk_pre(root, collect, &found);
  for (size_t i = 0; i < found.ops.size; i++) outline(&o, found.ops.data[i]);
  nr_vec_deinit(&found.ops);
  nr_strmap_deinit(&o.known);
  nr_symbol_names_deinit(&o.names);
  return NR_OK;
}

NR_PASS(outline_dispatches, .name = "outline-dispatches", .of_table = true, .run = outline_dispatches_run,
        .doc = "bodies of dispatches become functions of executables, equal ones once")
