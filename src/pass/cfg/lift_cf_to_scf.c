/* lift_cf_to_scf.c - lifts blocks and branches to structured control flow.
 *   before  cf.br ^head(%x : i32)                      after  %r = scf.while (%a = %x) : (i32) -> (i32) {
 *         ^head(%a: i32):                                     %c = f(%a)
 *           %c = f(%a)                                        scf.condition(%c) %a : i32
 *           cf.cond_br %c, ^body, ^end                      } do {
 *         ^body:                                            ^bb0(%a: i32):
 *           %n = g(%a)                                        %n = g(%a)
 *           cf.br ^head(%n : i32)                             scf.yield %n : i32
 *         ^end:                                             }
 *           return %a                                       return %r
 * Works on any graph of cf.br, cond_br and switch, irreducible ones too. A region is lifted in two steps. Its cycles
 * (strongly connected components) each become one block with an scf.while, whose regions are lifted later in the same
 * way: with the condition first where only the head leaves the cycle, else with the condition last, on a flag where
 * several blocks leave (lift_cycles.c). Then, without cycles, a branch becomes an scf.if or index_switch over the
 * blocks that only it reaches; its successors' common continuation follows. Where there are several continuations, or a
 * cycle has several entries, an index selects one, and unused values are 0 (Bahmann, Reissmann, Jahre and Meyer,
 * "Perfect Reconstructability of Control Flow from Demand Dependence Graphs", 2015); for types without a 0, such as
 * buffers, ub.poison. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/flow/ops.h"
#include "dialect/func/func.h"
#include "dialect/scf/scf.h"
#include "pass/cfg/lift.h"
#include "pass/loop/parallel.h"

/* ---- the regions that are lifted --------------------------------------------------------------------------------- */

NrRegion *nr_lift_region(const NrOp *op) {
  if (nr_op_is(op, NR_OP_flow_dispatch_region)) return nr_flow_dispatch_region_region(op);
  if (nr_op_is(op, NR_OP_flow_dispatch_workgroups)) return nr_flow_dispatch_workgroups_workgroup_region(op);
  if (nr_op_is(op, NR_OP_func_func) || nr_op_is(op, NR_OP_scf_execute_region)) return nr_op_only_region(op);
  return NULL;
}

/* Builds the terminator of such a region. */
static void build_end(NrBuilder *b, const NrOp *root, NrValue *const *values, size_t count) {
  unsigned id = NR_OP_flow_return;
  if (nr_op_is(root, NR_OP_func_func)) id = NR_OP_func_return;
  if (nr_op_is(root, NR_OP_scf_execute_region)) id = NR_OP_scf_yield;
  nr_build_op(b, id, values, count, NULL, 0);
}

/* ---- one exit ---------------------------------------------------------------------------------------------------- */

/* Replaces the region's terminators (at least one) by branches to one new block, which gets the terminator. */
static NrBlock *make_exit(NrRegion *region, const NrBlockList *ends) {
  NrBlock *exit = nr_lift_new_block(region);
  NrOp *first = ends->data[0]->last;
  for (uint32_t i = 0; i < first->num_operands; i++) nr_block_add_arg(exit, nr_operand(first, i)->type, first->loc);
  for (size_t e = 0; e < ends->size; e++) {
    NrValueList operands = {0};
    NrOp *end = ends->data[e]->last;
    for (uint32_t i = 0; i < end->num_operands; i++) nr_vec_push(&operands, nr_operand(end, i));
    NrBuilder b = nr_builder_before(end);
    nr_cf_br(&b, exit, operands.data, operands.size);
    if (e == 0) {
      nr_op_unlink(end);
      nr_op_append(exit, end);
      for (uint32_t i = 0; i < end->num_operands; i++) nr_op_set_operand(end, i, exit->args[i]);
    } else {
      nr_op_erase(end);
    }
    nr_vec_deinit(&operands);
  }
  return exit;
}

/* Gives a region without an end an exit block that is never reached. */
static NrBlock *make_unreached_exit(NrLifter *l, NrRegion *region) {
  NrBlock *exit = nr_lift_new_block(region);
  NrBuilder b = nr_lift_at_end(exit);
  bool is_function = nr_op_is(region->op, NR_OP_func_func);
  NrType type = is_function ? nr_func_type(region->op) : NULL;
  uint32_t count = is_function ? type->num_results : region->op->num_results;
  if (nr_op_is(region->op, NR_OP_flow_dispatch_workgroups)) count = 0;
  for (uint32_t i = 0; i < count; i++)
    nr_block_add_arg(exit, is_function ? type->results[i] : nr_result(region->op, i)->type, region->op->loc);
  build_end(&b, region->op, exit->args, count);
  return exit;
}

static void find_reaching(NrMap *reaching, NrBlock *from) {
  NrBlockList work = {0};
  nr_vec_push(&work, from);
  nr_map_set(reaching, from, from);
  while (work.size)
    for (NrSuccessor *pred = nr_vec_pop(&work)->first_pred; pred; pred = pred->next) {
      if (nr_map_has(reaching, pred->owner->block)) continue;
      nr_map_set(reaching, pred->owner->block, pred->owner->block);
      nr_vec_push(&work, pred->owner->block);
    }
  nr_vec_deinit(&work);
}

/* A back edge of a cycle whose blocks do not reach the exit. */
static NrSuccessor *edge_of_endless_cycle(NrBlock *block) {
  NrMap seen = {0};
  NrSuccessor *edge = NULL;
  while (!nr_map_has(&seen, block)) {
    nr_map_set(&seen, block, block);
    edge = &block->last->successors[0];
    block = edge->block;
  }
  nr_map_deinit(&seen);
  return edge;
}

/* Gives each endless cycle a branch to the exit on a constant condition that is never taken. */
static void leave_endless_cycles(NrLifter *l, NrRegion *region, NrBlock *exit) {
  NrMap reaching = {0};
  find_reaching(&reaching, exit);
  for (NrBlock *block = region->first, *next; block; block = next) {
    next = block->next;
    while (!nr_map_has(&reaching, block)) {
      NrSuccessor *edge = edge_of_endless_cycle(block);
      NrBlock *head = edge->block, *leave = nr_lift_new_block(region);
      NrValueList operands = {0}, zeros = {0};
      nr_lift_successor_operands(edge, &operands);
      for (uint32_t i = 0; i < exit->num_args; i++) nr_vec_push(&zeros, nr_lift_zero(l, exit->args[i]->type));
      NrBuilder b = nr_lift_at_end(leave);
      nr_lift_redirect(edge, leave, NULL, 0);
      if (!l->status)
        nr_cf_cond_br(&b, nr_arith_constant(&b, nr_attr_bool(b.ctx, true)), head, operands.data, operands.size, exit,
                      zeros.data, zeros.size);
      nr_vec_deinit(&operands);
      nr_vec_deinit(&zeros);
      find_reaching(&reaching, leave);
    }
  }
  nr_map_deinit(&reaching);
}

/* Rewrites the region so that it has one exit block, which every block reaches. */
static void prepare_exit(NrLifter *l, NrRegion *region) {
  NrBlockList ends = {0};
  NrMap reaching = {0};
  bool endless = false;
  for (NrBlock *block = region->first; block; block = block->next) {
    if (block->last->num_successors) continue;
    nr_vec_push(&ends, block);
    find_reaching(&reaching, block);
  }
  for (NrBlock *block = region->first; block; block = block->next) endless |= !nr_map_has(&reaching, block);
  nr_map_deinit(&reaching);
  NrBlock *exit = NULL;
  if (ends.size > 1 || (endless && ends.size)) exit = make_exit(region, &ends);
  else if (endless) exit = make_unreached_exit(l, region);
  if (endless) leave_endless_cycles(l, region, exit);
  nr_vec_deinit(&ends);
}

/* ---- branches without cycles ------------------------------------------------------------------------------------- */

/* How the sides of a branch reach a block. */
typedef struct Reach {
  uint32_t side;    /* the first that reached it */
  size_t edges, of; /* edges from this side; all edges */
  bool taken;       /* all edges are from this side: the block belongs to it */
} Reach;

/* One side of a branch: the blocks that only this successor reaches, the entry first, and the edges that leave them. */
typedef struct Side {
  NrBlockList blocks;
  NrEdgeList leaving;
} Side;

static void reach_over(NrLifter *l, NrMap *reached, Side *sides, uint32_t side, NrBlock *block) {
  Reach *reach = nr_map_get(reached, block);
  if (!reach) {
    reach = NR_NEW(l->pass->scratch, Reach);
    reach->side = side;
    for (const NrSuccessor *pred = block->first_pred; pred; pred = pred->next) reach->of++;
    nr_map_set(reached, block, reach);
  }
  if (reach->side != side || ++reach->edges < reach->of) return;
  reach->taken = true;
  nr_vec_push(&sides[side].blocks, block);
}

static void find_sides(NrLifter *l, NrOp *branch, Side *sides) {
  NrMap reached = {0};
  for (uint32_t s = 0; s < branch->num_successors; s++) {
    reach_over(l, &reached, sides, s, branch->successors[s].block);
    for (size_t i = 0; i < sides[s].blocks.size; i++) {
      NrOp *last = sides[s].blocks.data[i]->last;
      for (uint32_t k = 0; k < last->num_successors; k++)
        reach_over(l, &reached, sides, s, last->successors[k].block);
    }
  }
  for (uint32_t s = 0; s < branch->num_successors; s++) {
    if (!sides[s].blocks.size) nr_vec_push(&sides[s].leaving, &branch->successors[s]);
    for (size_t i = 0; i < sides[s].blocks.size; i++) {
      NrOp *last = sides[s].blocks.data[i]->last;
      for (uint32_t k = 0; k < last->num_successors; k++) {
        Reach *reach = nr_map_get(&reached, last->successors[k].block);
        if (!reach->taken || reach->side != s) nr_vec_push(&sides[s].leaving, &last->successors[k]);
      }
    }
  }
  nr_map_deinit(&reached);
}

/* The block where all sides continue: their common target, or a multiplexer of several. */
static NrBlock *meeting_block(NrLifter *l, NrRegion *region, const Side *sides, uint32_t count) {
  NrMultiplexer m = {0};
  for (uint32_t s = 0; s < count; s++)
    for (size_t e = 0; e < sides[s].leaving.size; e++) nr_lift_add_target(&m, sides[s].leaving.data[e]->block);
  NrBlock *meeting = m.targets.size ? m.targets.data[0] : NULL;
  if (m.targets.size > 1) {
    meeting = nr_lift_new_block(region);
    nr_lift_add_target_args(meeting, &m);
    for (uint32_t s = 0; s < count; s++)
      for (size_t e = 0; e < sides[s].leaving.size && !l->status; e++) {
        NrSuccessor *edge = sides[s].leaving.data[e];
        NrValueList old = {0}, operands = {0};
        nr_lift_successor_operands(edge, &old);
        nr_lift_push_target(l, &m, edge->block, &old, &operands);
        if (!l->status) nr_lift_redirect(edge, meeting, operands.data, operands.size);
        nr_vec_deinit(&old);
        nr_vec_deinit(&operands);
      }
    nr_lift_dispatch(&m, meeting, 0);
  }
  nr_lift_deinit_multiplexer(&m);
  return meeting;
}

/* scf.index_switch over the flag of a cf.switch. */
static NrOp *build_switch(NrBuilder *b, NrOp *branch, const NrType *types, size_t count) {
  NrValue *flag = nr_cf_switch_flag(branch);
  NrAttr values = nr_op_attr(branch, NR_A_case_values);
  uint32_t bits = nr_type_bits(flag->type);
  NR_VEC(int64_t) cases = {0};
  for (uint32_t i = 1; i < branch->num_successors; i++) { /* the cast sign-extends */
    uint64_t value = (uint64_t)nr_attr_element(values, (int64_t)i - 1)->i << (64 - bits);
    nr_vec_push(&cases, (int64_t)value >> (64 - bits));
  }
  if (!nr_type_is_index(flag->type))
    flag = nr_build_value(b, NR_OP_arith_index_cast, nr_type_index(b->ctx), &flag, 1);
  NrOp *op = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_index_switch],
                                      .operands = &flag,
                                      .num_operands = 1,
                                      .result_types = types,
                                      .num_results = count,
                                      .num_regions = branch->num_successors});
  nr_op_set_attr(op, NR_A_cases, nr_attr_i64_array(b->ctx, cases.data, cases.size));
  nr_vec_deinit(&cases);
  return op;
}

static NrOp *build_structured(NrOp *branch, const NrBlock *meeting, bool with_else) {
  NrBuilder b = nr_builder_before(branch);
  NR_VEC(NrType) types = {0};
  NrOp *op;
  for (uint32_t i = 0; i < meeting->num_args; i++) nr_vec_push(&types, meeting->args[i]->type);
  if (nr_op_is(branch, NR_OP_cf_switch)) {
    op = build_switch(&b, branch, types.data, types.size);
  } else {
    op = nr_scf_if(&b, nr_cf_cond_br_condition(branch), types.data, types.size, with_else);
    for (uint32_t r = 0; r < 2; r++)
      if (nr_op_body(op, r)) nr_block_erase(nr_op_body(op, r));
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_result(op, i)->name = meeting->args[i]->name;
  nr_vec_deinit(&types);
  return op;
}

/* Moves a side's blocks into a region; edges that leave it become yields. */
static void fill_side(NrLifter *l, const Side *side, NrSuccessor *entry, NrRegion *region) {
  NrValueList operands = {0};
  nr_lift_successor_operands(entry, &operands);
  if (!side->blocks.size) {
    NrBuilder b = nr_lift_at_end(nr_lift_new_block(region));
    nr_scf_yield(&b, operands.data, operands.size);
  } else {
    NrBlock *first = side->blocks.data[0];
    for (uint32_t i = 0; i < first->num_args; i++) nr_value_replace_uses(first->args[i], operands.data[i]);
    while (first->num_args) nr_block_erase_arg(first, first->num_args - 1);
    for (size_t i = 0; i < side->blocks.size; i++) {
      nr_block_unlink(side->blocks.data[i]);
      nr_block_append(region, side->blocks.data[i]);
    }
    for (size_t e = 0; e < side->leaving.size; e++) {
      NrValueList values = {0};
      nr_lift_successor_operands(side->leaving.data[e], &values);
      NrBuilder b = nr_lift_at_end(nr_lift_block_of_edge(side->leaving.data[e]));
      nr_scf_yield(&b, values.data, values.size);
      nr_vec_deinit(&values);
    }
    nr_lift_queue(l, region);
  }
  nr_vec_deinit(&operands);
}

/* Appends the ops of next, the block that follows a branch, to block, with values for its arguments. */
static void append_block(NrBlock *block, NrBlock *next, NrValue *const *values) {
  for (uint32_t i = 0; i < next->num_args; i++) nr_value_replace_uses(next->args[i], values[i]);
  nr_block_splice(next, block, NULL);
  nr_block_erase(next);
}

static void lift_branch(NrLifter *l, NrBlock *block) {
  NrOp *branch = block->last;
  uint32_t count = branch->num_successors;
  Side *sides = NR_NEW_ARRAY(l->pass->scratch, Side, count);
  find_sides(l, branch, sides);
  NrBlock *meeting = meeting_block(l, block->region, sides, count);
  if (!l->status) {
    bool with_else = meeting->num_args || sides[1].blocks.size || nr_op_is(branch, NR_OP_cf_switch);
    NrOp *op = build_structured(branch, meeting, with_else);
    for (uint32_t s = 0; s < count; s++)
      if (s == 0 || with_else) fill_side(l, &sides[s], &branch->successors[s], nr_op_region(op, s));
    nr_op_erase(branch);
    NrValueList results = {0};
    for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&results, nr_result(op, i));
    append_block(block, meeting, results.data);
    nr_vec_deinit(&results);
  }
  for (uint32_t s = 0; s < count; s++) {
    nr_vec_deinit(&sides[s].blocks);
    nr_vec_deinit(&sides[s].leaving);
  }
}

/* Lifts a region without cycles, from its entry to its end. */
static void lift_branches(NrLifter *l, NrRegion *region) {
  NrBlock *block = region->first;
  while (!l->status && block->last->num_successors) {
    NrOp *branch = block->last;
    if (branch->num_successors > 1) {
      lift_branch(l, block);
      continue;
    }
    NrValueList operands = {0};
    NrBlock *next = branch->successors[0].block;
    nr_lift_successor_operands(&branch->successors[0], &operands);
    nr_op_erase(branch);
    append_block(block, next, operands.data);
    nr_vec_deinit(&operands);
  }
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Checks that the region has only cf branches and one kind of terminator. Drops repeated cases of a cf.switch. */
static NrStatus check_region(const NrLifter *l, NrRegion *region) {
  NrOp *end = NULL;
  for (NrBlock *block = region->first; block; block = block->next) {
    NrOp *last = block->last;
    if (nr_op_is(last, NR_OP_cf_br) || nr_op_is(last, NR_OP_cf_cond_br)) continue;
    if (nr_op_is(last, NR_OP_cf_switch)) {
      NrBuilder b = nr_builder_before(last);
      nr_cf_switch_drop_cases(last, &b);
      continue;
    }
    bool is_other = last->num_successors || last->num_regions, differs = end && end->info != last->info;
    if ((is_other || differs) && l->where_possible) return NR_ERROR_INVALID;
    if (is_other) return nr_op_error(last, "cannot be lifted");
    if (differs)
      return nr_op_error(last, "and '%.*s' end one region: it cannot be lifted", NR_STR_ARG(nr_op_name(end)));
    end = last;
  }
  return NR_OK;
}

static NrStatus lift_root(NrLifter *l, NrOp *root) {
  NrRegion *region = nr_lift_region(root);
  nr_erase_unreachable_blocks(region);
  if (region->first == region->last) return NR_OK;
  NR_TRY(check_region(l, region));
  nr_erase_unreachable_blocks(region); /* targets of dropped cases */
  l->root = root;
  nr_map_clear(&l->constants);
  nr_vec_push(&l->work, region);
  while (l->work.size && !l->status) {
    NrRegion *next = nr_vec_pop(&l->work);
    prepare_exit(l, next);
    if (!l->status) nr_lift_cycles(l, next);
    if (!l->status) lift_branches(l, next);
  }
  return l->status;
}

static bool is_tensor(const NrValue *value) {
  return value->type->kind == NR_TYPE_TENSOR || value->type->kind == NR_TYPE_UNRANKED_TENSOR;
}

/* Whether ops in the region's blocks have tensor results, or a block other than the entry has tensor arguments. */
static bool has_tensors(const NrRegion *region) {
  for (NrBlock *block = region->first; block; block = block->next) {
    for (uint32_t i = 0; block != region->first && i < block->num_args; i++)
      if (is_tensor(block->args[i])) return true;
    for (NrOp *op = block->first; op; op = op->next)
      for (uint32_t i = 0; i < op->num_results; i++)
        if (is_tensor(nr_result(op, i))) return true;
  }
  return false;
}

/* Limits for where-possible: about half a second of work, counted in blocks so that the outcome is deterministic. */
enum { MAX_VISITED = 500000, MAX_VISITS_PER_BLOCK = 20 };

static bool stop_at_tensor(NrOp *op, void *user) {
  (void)user;
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (has_tensors(&op->regions[r])) return false;
  return true;
}

/* Whether root has tensors, or is an scf.execute_region in a function with tensors, whose blocks would become the
 * function's blocks when canonicalize inlines it. */
static bool is_by_tensors(NrOp *root) {
  NrOp *func = nr_isolated_parent(root);
  if (has_tensors(nr_lift_region(root))) return true;
  return nr_op_is(root, NR_OP_scf_execute_region) && func && !nr_walk_pre(func, stop_at_tensor, NULL);
}

/* Whether the loop's iterations may become lanes. Asks once about each scf.for, as many regions may be in one. */
static bool is_independent(NrMap *asked, NrOp *loop) {
  static char yes, no;
  if (nr_op_is(loop, NR_OP_scf_parallel) || nr_op_is(loop, NR_OP_scf_forall)) return true;
  if (!nr_op_is(loop, NR_OP_scf_for)) return false;
  if (!nr_map_has(asked, loop)) nr_map_set(asked, loop, nr_for_is_independent(loop) ? &yes : &no);
  return nr_map_get(asked, loop) == &yes;
}

/* Whether root is an scf.execute_region in a loop that may become one over vectors (vectorize-parallel-loops), which
 * takes structured control flow only. Where iterations depend on each other, blocks are better code: a loop with two
 * exits takes 0.65 of the time. */
static bool is_in_parallel_loop(NrMap *asked, const NrOp *root) {
  if (!nr_op_is(root, NR_OP_scf_execute_region)) return false;
  for (NrOp *up = nr_op_parent(root); up && !nr_op_has(up, NR_ISOLATED); up = nr_op_parent(up))
    if (is_independent(asked, up)) return true;
  return false;
}

/* Lifts root; where that fails, restores it from a copy. */
static void lift_where_possible(NrLifter *l, NrOp *root) {
  NrMap map = {0};
  l->blocks_left = MAX_VISITED;
  for (const NrBlock *block = nr_lift_region(root)->first; block; block = block->next)
    l->blocks_left += MAX_VISITS_PER_BLOCK;
  NrOp *copy = nr_op_clone(root->module, root, &map);
  nr_op_insert_after(copy, root);
  NrOp *dropped = copy;
  if (lift_root(l, root)) {
    for (uint32_t i = 0; i < root->num_results; i++) nr_value_replace_uses(nr_result(root, i), nr_result(copy, i));
    dropped = root;
  }
  nr_op_erase(dropped);
  nr_map_deinit(&map);
  l->work.size = 0;
  l->status = NR_OK;
}

static bool has_blocks(const NrRegion *region, int64_t least) {
  for (const NrBlock *block = region->first; block && least > 0; block = block->next) least--;
  return least <= 0;
}

static NrStatus lift_run(NrPassContext *pass, NrOp *op) {
  NrLifter l = {.pass = pass};
  bool where_possible = nr_pass_flag(pass, "where-possible");
  NrMap asked = {0};
  bool on_tensors = nr_pass_flag(pass, "on-tensors"), in_loops = nr_pass_flag(pass, "in-parallel-loops");
  int64_t min_blocks = nr_pass_int(pass, "min-blocks");
  NrOpList ops = {0};
  NrStatus status = NR_OK;
  nr_collect_ops(op, &ops);
  for (size_t i = 0; i < ops.size && !status; i++) {
    NrOp *root = ops.data[i];
    if (nr_is_erased(root) || !nr_lift_region(root) || !has_blocks(nr_lift_region(root), min_blocks)) continue;
    bool must = on_tensors ? is_by_tensors(root) : !in_loops;
    if (!must && !(in_loops && is_in_parallel_loop(&asked, root))) continue;
    l.where_possible = where_possible || !must;
    if (l.where_possible) lift_where_possible(&l, root);
    else status = lift_root(&l, root);
  }
  nr_vec_deinit(&ops);
  nr_vec_deinit(&l.work);
  nr_map_deinit(&asked);
  nr_map_deinit(&l.constants);
  return status;
}

static const NrPassOption options[] = {
    NR_FLAG("on-tensors", false, "only regions whose blocks compute or pass tensors, or that are nested beside such"),
    NR_FLAG("in-parallel-loops", false, "only scf.execute_region in parallel loops and scf.for with independent "
                                        "iterations, and only where possible; with on-tensors, these too"),
    NR_INT("min-blocks", 2, 2, INT64_MAX, "only regions of at least this many blocks"),
    NR_FLAG("where-possible", false, "leave regions that cannot be lifted, or only with much work"),
    {0},
};
NR_PASS(lift_cf_to_scf, .name = "lift-cf-to-scf", .on_while = NR_WHILE_HANDLES, .run = lift_run, .options = options,
        .doc = "lifts blocks and branches to structured loops and conditionals")
