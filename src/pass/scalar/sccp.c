/* sccp.c - sparse conditional constant propagation: finds values that are constant on every feasible path.
 *   before  %r = scf.for .. iter_args(%a = %c1) {      after  %r = scf.for .. iter_args(%a = %c1) {
 *             %z = arith.cmpi eq, %a, %c0                       scf.if %false { .. }
 *             %n = scf.if %z { yield %x }                        ..
 *                  else { yield %a }                             scf.yield %c1
 *             scf.yield %n                                    }
 *           }                                                 use(%c1)
 *           use(%r)
 * The lattice of a value: undefined, one constant, unknown; a value only moves in this direction. Blocks, regions of
 * scf ops and private functions are visited once they are reachable, so that branches which constants rule out
 * contribute nothing (Wegman and Zadeck, 1991). A private function whose name appears in calls only takes the join of
 * all its calls' arguments. The pass only replaces uses; canonicalize removes dead ops. */
#include "dialect/cf/ops.h"
#include "dialect/arith/fold.h"
#include "dialect/func/func.h"
#include "dialect/scf/scf.h"
#include "interp/interp.h"
#include "ir/region_flow.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum { MAX_STEPS = 10000 };

/* The lattice value of a value; absent from the map: undefined. */
typedef struct Known {
  NrValue *value;
  NrAttr constant; /* NULL: unknown */
} Known;

typedef struct Function {
  NrOp *op;
  bool tracked; /* all of its calls are known */
  NR_VEC(NrOp *) calls;
  Known **results; /* joined over all returns; NULL until a return is reached */
  uint32_t num_results;
} Function;

typedef struct Solver {
  NrPassContext *pass;
  NrOp *root;  /* the op that the pass runs on */
  NrOp *table; /* the nearest symbol table: root or one that encloses it */
  NrMap known;     /* NrValue* -> Known* */
  NR_VEC(Known *) all;
  NrMap reached;   /* reachable NrBlock* */
  NrMap queued;    /* NrOp* in work */
  NR_VEC(NrOp *) work;
  NrStrMap functions; /* name -> Function*, of the module's own */
  NrMap by_op;        /* func op -> Function* */
  NR_VEC(Function *) all_functions;
} Solver;

/* ---- the lattice ------------------------------------------------------------------------------------------------- */

static void queue(Solver *s, NrOp *op) {
  if (nr_map_has(&s->queued, op)) return;
  nr_map_set(&s->queued, op, op);
  nr_vec_push(&s->work, op);
}

static void queue_users(Solver *s, const NrValue *value) {
  for (const NrUse *use = value->first_use; use; use = use->next) queue(s, use->owner);
}

static Known *known_of(const Solver *s, const NrValue *value) { return nr_map_get(&s->known, value); }

/* Joins the lattice value of value with a constant, or with unknown (NULL). */
static void join(Solver *s, NrValue *value, NrAttr constant) {
  Known *known = known_of(s, value);
  if (!known) {
    known = NR_NEW(s->pass->scratch, Known);
    *known = (Known){value, constant};
    nr_map_set(&s->known, value, known);
    nr_vec_push(&s->all, known);
  } else if (known->constant && known->constant != constant) {
    known->constant = NULL;
  } else {
    return;
  }
  queue_users(s, value);
}

static void join_value(Solver *s, NrValue *to, const NrValue *from) {
  Known *known = known_of(s, from);
  if (known) join(s, to, known->constant);
}

static void results_unknown(Solver *s, NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) join(s, nr_result(op, i), NULL);
}

static void reach(Solver *s, NrBlock *block) {
  if (!block || nr_map_has(&s->reached, block)) return;
  nr_map_set(&s->reached, block, block);
  for (NrOp *op = block->first; op; op = op->next) queue(s, op);
}

static void args_unknown(Solver *s, NrBlock *block) {
  for (uint32_t i = 0; block && i < block->num_args; i++) join(s, block->args[i], NULL);
}

/* Handles an op without a transfer function: its regions are reachable, their arguments and its results unknown. */
static void reach_unknown(Solver *s, NrOp *op) {
  for (uint32_t r = 0; r < op->num_regions; r++) {
    reach(s, op->regions[r].first);
    args_unknown(s, op->regions[r].first);
  }
  results_unknown(s, op);
}

/* Finds the operand's constant, NULL for unknown; false while the operand is undefined. */
static bool operand_known(const Solver *s, const NrOp *op, uint32_t i, NrAttr *out) {
  Known *known = known_of(s, nr_operand(op, i));
  *out = known ? known->constant : NULL;
  return known != NULL;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static Function *callee_of(const Solver *s, const NrOp *call) {
  NrAttr symbol = nr_op_attr(call, NR_A_callee);
  return symbol && symbol->kind == NR_ATTR_SYMBOL && symbol->size == 0 ? nr_strmap_get(&s->functions, symbol->s) : NULL;
}

/* Stops tracking the functions that an attribute names, at any depth: they may have calls that the pass cannot see. */
static void untrack_named(Solver *s, NrAttr attr) {
  if (!attr) return;
  if (attr->kind == NR_ATTR_SYMBOL) {
    Function *f = nr_strmap_get(&s->functions, attr->s);
    if (f) f->tracked = false;
  }
  if (attr->kind == NR_ATTR_ARRAY)
    for (size_t i = 0; i < attr->size; i++) untrack_named(s, attr->items[i]);
  for (size_t i = 0; attr->kind == NR_ATTR_DICT && i < attr->num_named; i++) untrack_named(s, attr->named[i].value);
}

/* Whether op is in no other symbol table, in which a call may refer to another function of that name. */
static bool is_in_own_table(const NrOp *op, const NrOp *module) {
  const NrOp *up = nr_op_parent(op);
  while (up && !nr_op_has(up, NR_SYMBOL_TABLE)) up = nr_op_parent(up);
  return up == module;
}

static bool find_calls(NrOp *op, void *user) {
  Solver *s = user;
  bool is_call = nr_op_is(op, NR_OP_func_call) && is_in_own_table(op, s->table);
  Function *callee = is_call ? callee_of(s, op) : NULL;
  if (callee) nr_vec_push(&callee->calls, op);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (!callee || !nr_str_is(op->attrs[i].name, "callee")) untrack_named(s, op->attrs[i].value);
  return true;
}

static void add_function(Solver *s, NrOp *op) {
  Function *f = NR_NEW(s->pass->scratch, Function);
  NrType type = nr_func_type(op);
  f->op = op;
  f->tracked = op != s->root && nr_func_func_body(op) &&
               nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private") && !nr_op_attr(op, NR_A_noria_entry);
  f->num_results = type ? type->num_results : 0;
  f->results = NR_NEW_ARRAY(s->pass->scratch, Known *, f->num_results + 1);
  nr_strmap_set(&s->functions, nr_op_attr_str(op, NR_A_sym_name), f);
  nr_map_set(&s->by_op, op, f);
  nr_vec_push(&s->all_functions, f);
}

/* When the pass runs on a single function, its callers are not known, and its calls have unknown results. */
static void collect_functions(Solver *s) {
  NrBlock *body = nr_op_only_body(s->root);
  if (nr_op_is(s->root, NR_OP_func_func)) {
    add_function(s, s->root);
  } else {
    for (NrOp *op = body ? body->first : NULL; op; op = op->next)
      if (nr_op_is(op, NR_OP_func_func)) add_function(s, op);
  }
  nr_walk_pre(s->root, find_calls, s);
}

static void visit_return(Solver *s, NrOp *op) {
  Function *f = nr_map_get(&s->by_op, nr_op_parent(op));
  for (uint32_t i = 0; f && i < op->num_operands && i < f->num_results; i++) {
    NrAttr constant;
    Known *result = f->results[i];
    if (!operand_known(s, op, i, &constant)) continue;
    if (result && (!result->constant || result->constant == constant)) continue;
    f->results[i] = NR_NEW(s->pass->scratch, Known);
    *f->results[i] = (Known){NULL, result ? NULL : constant};
    for (size_t c = 0; c < f->calls.size; c++) queue(s, f->calls.data[c]);
  }
}

static void visit_call(Solver *s, NrOp *op) {
  Function *f = nr_op_is(op, NR_OP_func_call) && is_in_own_table(op, s->table) ? callee_of(s, op) : NULL;
  NrBlock *entry = f ? nr_func_func_body(f->op) : NULL;
  if (!entry || entry->num_args != op->num_operands || f->num_results != op->num_results) {
    results_unknown(s, op);
    return;
  }
  if (f->tracked) {
    for (uint32_t i = 0; i < op->num_operands; i++) join_value(s, entry->args[i], nr_operand(op, i));
    reach(s, entry);
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    if (f->results[i]) join(s, nr_result(op, i), f->results[i]->constant);
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

static void take_edge(Solver *s, NrOp *op, uint32_t successor) {
  NrBlock *to = op->successors[successor].block;
  for (uint32_t i = 0; i < to->num_args; i++) {
    if (i < op->successors[successor].num_operands)
      join_value(s, to->args[i], nr_successor_operand(op, successor, i));
    else join(s, to->args[i], NULL);
  }
  reach(s, to);
}

/* The successor that a constant flag selects. */
static uint32_t chosen_successor(const NrOp *op, NrAttr flag) {
  if (nr_op_is(op, NR_OP_cf_cond_br)) return nr_const_is_int(flag, 0) ? 1 : 0;
  NrAttr values = nr_op_attr(op, NR_A_case_values);
  for (uint32_t i = 1; values && i < op->num_successors; i++)
    if (nr_attr_element(values, (int64_t)i - 1) == flag) return i;
  return 0;
}

static void visit_branch(Solver *s, NrOp *op) {
  NrAttr flag = NULL;
  if (nr_op_is(op, NR_OP_cf_cond_br) && !operand_known(s, op, NR_CF_COND_BR_CONDITION, &flag)) return;
  if (nr_op_is(op, NR_OP_cf_switch) && !operand_known(s, op, NR_CF_SWITCH_FLAG, &flag)) return;
  for (uint32_t i = 0; i < op->num_successors; i++)
    if (!flag || i == chosen_successor(op, flag)) take_edge(s, op, i);
}

/* Visits the edges along which control leaves op, which is owner or a terminator in `from`, to regions of owner or to
 * the op after it. */
static void visit_edges(Solver *s, NrOp *owner, const NrRegion *from, NrOp *op) {
  size_t chosen = SIZE_MAX, number = 0;
  if (op->info->choose_edge) {
    NrAttr *constants = NR_NEW_ARRAY(s->pass->scratch, NrAttr, op->num_operands + 1);
    for (uint32_t i = 0; i < op->num_operands; i++) {
      bool known = operand_known(s, op, i, &constants[i]);
      if (!known && i == 0) return; /* the first operand selects the edge */
    }
    chosen = op->info->choose_edge(op, constants);
  }
  NrRegionFlow flow = nr_region_flow(owner, from);
  NrRegionEdge edge;
  for (; nr_region_flow_next(&flow, &edge); number++) {
    if (chosen != SIZE_MAX && number != chosen) continue;
    NrBlock *to = edge.to ? edge.to->first : NULL;
    for (uint32_t i = 0; to && i < edge.first_target; i++) join(s, to->args[i], NULL);
    uint32_t count = NR_MIN(edge.num_operands, op->num_operands - NR_MIN(edge.first_operand, op->num_operands));
    for (uint32_t i = 0; i < count; i++) {
      NrValue *target = nr_region_edge_target(owner, &edge, i);
      if (target) join_value(s, target, nr_operand(op, edge.first_operand + i));
    }
    reach(s, to);
  }
}

/* Visits an scf.loop, which ends by scf.break. Its token argument has no lattice value. */
static void visit_loop(Solver *s, NrOp *op) {
  NrBlock *body = nr_scf_loop_body(op);
  for (uint32_t i = 0; i < op->num_operands; i++) join_value(s, body->args[1 + i], nr_operand(op, i));
  reach(s, body);
}

static void visit_exit(Solver *s, NrOp *op) {
  NrOp *loop = nr_scf_exit_loop(op);
  bool leaves = nr_op_is(op, NR_OP_scf_break);
  for (uint32_t i = 1; loop && i < op->num_operands; i++)
    join_value(s, leaves ? nr_result(loop, i - 1) : nr_scf_loop_body(loop)->args[i], nr_operand(op, i));
}

static void visit_parallel(Solver *s, NrOp *op) {
  NrGroup inits = nr_scf_parallel_init_vals(op);
  NrBlock *body = nr_scf_parallel_body(op);
  for (uint32_t i = 0; i < inits.count; i++) join_value(s, nr_result(op, i), nr_operand(op, inits.begin + i));
  args_unknown(s, body);
  reach(s, body);
  queue(s, body->last); /* its regions see the initial values too */
}

/* A reduction's accumulator is the initial value, or a point's value where there is none, or the result of its body. */
static void visit_reduce(Solver *s, NrOp *op) {
  NrOp *loop = nr_op_parent(op);
  NrGroup inits = nr_scf_parallel_init_vals(loop);
  for (uint32_t i = 0; i < op->num_regions; i++) {
    NrBlock *block = nr_op_body(op, i);
    join_value(s, block->args[0], i < inits.count ? nr_operand(loop, inits.begin + i) : nr_operand(op, i));
    join_value(s, block->args[1], nr_operand(op, i));
    if (i >= inits.count) join_value(s, nr_result(loop, i), nr_operand(op, i));
    reach(s, block);
  }
}

static void visit_reduce_return(Solver *s, NrOp *op) {
  NrOp *reduce = nr_op_parent(op);
  uint32_t i = (uint32_t)(op->block->region - reduce->regions);
  join_value(s, op->block->args[0], nr_scf_reduce_return_result(op));
  join_value(s, nr_result(nr_op_parent(reduce), i), nr_scf_reduce_return_result(op));
}

/* ---- ops --------------------------------------------------------------------------------------------------------- */

/* The constant that a fold gives. A fold to a value counts only when the value is an operand: then a change of it
 * queues the op again. */
static NrAttr folded_constant(const NrOp *op, const NrAttr *constants, const NrFold *folded) {
  for (uint32_t k = 0; k < op->num_operands && folded->value; k++)
    if (nr_operand(op, k) == folded->value) return constants[k];
  return folded->attr;
}

/* Applies the op's fold or, when all operands are constants, interprets the op; waits until no operand is undefined. */
static void visit_computation(Solver *s, NrOp *op) {
  NrAttr *constants = NR_NEW_ARRAY(s->pass->scratch, NrAttr, op->num_operands + 1);
  NrAttr *results = NR_NEW_ARRAY(s->pass->scratch, NrAttr, op->num_results + 1);
  NrFold *folded = NR_NEW_ARRAY(s->pass->scratch, NrFold, op->num_results + 1);
  bool all = op->num_operands > 0, missing = true;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (!operand_known(s, op, i, &constants[i])) return;
    all = all && constants[i] && (constants[i]->kind == NR_ATTR_INTEGER || constants[i]->kind == NR_ATTR_FLOAT);
  }
  if (op->info->fold && op->info->fold(op, constants, folded)) {
    missing = false;
    for (uint32_t i = 0; i < op->num_results; i++) {
      results[i] = folded_constant(op, constants, &folded[i]);
      missing |= !results[i];
    }
  }
  /* Ops of other dialects may differ in the last bit between the interpreter and machine code. */
  if (missing && all && strcmp(op->info->dialect, "arith") == 0)
    if (!nr_interp_fold(op, constants, MAX_STEPS, results)) memset(results, 0, op->num_results * sizeof *results);
  for (uint32_t i = 0; i < op->num_results; i++) join(s, nr_result(op, i), results[i]);
}

static void visit(Solver *s, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_scf_loop: visit_loop(s, op); return;
  case NR_OP_scf_break:
  case NR_OP_scf_continue: visit_exit(s, op); return;
  case NR_OP_scf_parallel: visit_parallel(s, op); return;
  case NR_OP_scf_reduce: visit_reduce(s, op); return;
  case NR_OP_scf_reduce_return: visit_reduce_return(s, op); return;
  case NR_OP_func_return: visit_return(s, op); return;
  default: break;
  }
  NrOp *around = nr_op_has(op, NR_RETURN_LIKE) ? nr_op_parent(op) : NULL;
  if (op->info->region_flow) visit_edges(s, op, NULL, op);
  else if (around && around->info->region_flow) visit_edges(s, around, op->block->region, op);
  else if (nr_op_has(op, NR_CONSTANT_LIKE) && op->num_results == 1)
    join(s, nr_op_result(op), nr_op_attr(op, NR_A_value));
  else if (op->num_successors) visit_branch(s, op);
  else if (nr_op_has(op, NR_CALL)) visit_call(s, op);
  else if (op->num_regions) reach_unknown(s, op);
  else if (op->num_results && nr_op_has(op, NR_PURE)) visit_computation(s, op);
  else results_unknown(s, op);
}

/* Functions that are not tracked are reachable from outside, with unknown arguments. */
static void solve(Solver *s) {
  for (size_t i = 0; i < s->all_functions.size; i++) {
    Function *f = s->all_functions.data[i];
    NrBlock *entry = nr_func_func_body(f->op);
    if (f->tracked) continue;
    reach(s, entry);
    args_unknown(s, entry);
  }
  NrOp *top = nr_op_is(s->root, NR_OP_func_func) ? NULL : s->root;
  NrBlock *body = top ? nr_op_only_body(top) : NULL;
  for (NrOp *op = body ? body->first : NULL; op; op = op->next)
    if (!nr_op_is(op, NR_OP_func_func)) queue(s, op);
  while (s->work.size) {
    NrOp *op = nr_vec_pop(&s->work);
    nr_map_remove(&s->queued, op);
    bool at_top = top && nr_op_parent(op) == top;
    if (at_top || nr_map_has(&s->reached, op->block)) visit(s, op);
  }
}

/* ---- replacing --------------------------------------------------------------------------------------------------- */

static void replace_constants(Solver *s) {
  for (size_t i = 0; i < s->all.size; i++) {
    Known *known = s->all.data[i];
    NrValue *value = known->value;
    bool is_constant_op = value->op && nr_op_has(value->op, NR_CONSTANT_LIKE);
    if (!known->constant || is_constant_op || !nr_value_has_uses(value)) continue;
    NrBlock *block = nr_value_block(value);
    NrBuilder b = value->op ? nr_builder_before(value->op)
                            : nr_builder_at_start(block->module, block,
                                                  nr_arg_loc(value) ? nr_arg_loc(value) : block->first->loc);
    NrOp *constant = nr_build_constant(&b, known->constant, value->type);
    if (constant) nr_value_replace_uses(value, nr_op_result(constant));
  }
}

static NrStatus sccp_run(NrPassContext *pass, NrOp *op) {
  Solver s = {.pass = pass, .root = op, .table = op};
  while (s.table && !nr_op_has(s.table, NR_SYMBOL_TABLE)) s.table = nr_op_parent(s.table);
  collect_functions(&s);
  solve(&s);
  replace_constants(&s);
  for (size_t i = 0; i < s.all_functions.size; i++) nr_vec_deinit(&s.all_functions.data[i]->calls);
  nr_vec_deinit(&s.all_functions);
  nr_strmap_deinit(&s.functions);
  nr_map_deinit(&s.by_op);
  nr_map_deinit(&s.known);
  nr_map_deinit(&s.reached);
  nr_map_deinit(&s.queued);
  nr_vec_deinit(&s.all);
  nr_vec_deinit(&s.work);
  return NR_OK;
}

NR_PASS(sccp, .name = "sccp", .on_while = NR_WHILE_HANDLES, .run = sccp_run,
        .doc = "propagates constants along feasible paths, through loops, branches and private functions")
