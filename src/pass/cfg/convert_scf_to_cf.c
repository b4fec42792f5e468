/* convert_scf_to_cf.c - converts structured control flow to blocks and branches.
 *   before  %r = scf.for %i = %lb to %ub step %c1        after    cf.br ^cond(%lb, %x : index, f32)
 *                iter_args(%a = %x) -> (f32) {                  ^cond(%i: index, %r: f32):
 *             %v = f(%i, %a)                                      %c = arith.cmpi slt, %i, %ub : index
 *             scf.yield %v : f32                                  cf.cond_br %c, ^body, ^end
 *           }                                                   ^body:
 *                                                                 %v = f(%i, %r)
 *                                                                 %n = arith.addi %i, %c1 : index
 *                                                                 cf.br ^cond(%n, %v : index, f32)
 *                                                               ^end:
 * Where the sum may overflow, %n is min(sum, upper bound), so that the loop ends. The pass is linear: it splits a block
 * from its end, so that each op moves at most once, and moves the blocks of a body to their final region before it
 * looks inside them. It converts ops in program order, so that later walks go through memory in order. Ops in regions
 * that may have only one block (linalg.generic, ..) stay structured. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/scf/scf.h"
#include "ir/region_flow.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"

/* A structured op to convert, the last one of its block. */
typedef struct Found {
  NrOp *op;
  NrBlock *end;  /* the block where control continues */
  bool may_wrap; /* of scf.for; computed while its bounds are still structured */
} Found;

typedef struct Converter {
  NrPassContext *pass;
  NR_VEC(NrBlock *) blocks; /* in their final region, to be searched; the last one first */
  NR_VEC(Found) work;       /* likewise */
  NR_VEC(NrBranchTarget) targets; /* of the branch that is being built */
  NR_VEC(NrValue *) values;
  bool only_exits;        /* only scf.loop, and ops that a break or continue leaves */
  bool bounds_are_sizes;  /* see nr_for_may_wrap */
} Converter;

/* Replaces a terminator by a branch to `to`, with `more` and its operands from `first` on. */
static void branch_instead(NrOp *terminator, NrBlock *to, NrValue *const *more, size_t num_more, uint32_t first) {
  NR_VEC(NrValue *) operands = {0};
  for (size_t i = 0; i < num_more; i++) nr_vec_push(&operands, more[i]);
  for (uint32_t i = first; i < terminator->num_operands; i++) nr_vec_push(&operands, nr_operand(terminator, i));
  NrBuilder b = nr_builder_before(terminator);
  nr_cf_br(&b, to, operands.data, operands.size);
  nr_op_erase(terminator);
  nr_vec_deinit(&operands);
}

/* Moves the blocks of a region of op behind `after` and queues them; returns the last one. */
static NrBlock *adopt(Converter *c, NrRegion *from, NrBlock *after) {
  for (NrBlock *block = from->first, *next; block; block = next) {
    next = block->next;
    nr_block_unlink(block);
    nr_block_insert_after(block, after);
    nr_vec_push(&c->blocks, block);
    after = block;
  }
  return after;
}

static NrBlock *new_block_after(NrOp *op, NrBlock *after) {
  NrBlock *block = nr_block_create(op->module);
  nr_block_insert_after(block, after);
  return block;
}

static void replace_results(NrOp *op, NrBlock *by_args, uint32_t first) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *arg = nr_block_arg(by_args, first + i);
    if (!arg->name) arg->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), arg);
  }
}

static void add_result_args(NrOp *op, NrBlock *block) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_block_add_arg(block, nr_result(op, i)->type, op->loc);
}

static void convert_for(Converter *c, NrOp *op, NrBlock *end, bool may_wrap) {
  NrBlock *before = op->block, *body = nr_scf_for_body(op);
  NrBlock *condition = new_block_after(op, before);
  NR_VEC(NrValue *) inits = {0};
  nr_vec_push(&inits, nr_scf_for_lower_bound(op));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&inits, nr_scf_for_init(op, i));
  for (uint32_t i = 0; i < body->num_args; i++) {
    NrValue *arg = nr_block_add_arg(condition, body->args[i]->type, nr_arg_loc(body->args[i]));
    arg->name = body->args[i]->name;
    nr_value_replace_uses(body->args[i], arg);
  }
  replace_results(op, condition, 1);
  while (body->num_args) nr_block_erase_arg(body, body->num_args - 1);
  adopt(c, nr_scf_for_region(op), condition);
  NrBuilder b = nr_builder_before(op);
  nr_cf_br(&b, condition, inits.data, inits.size);
  b = nr_builder_at_end(op->module, condition, op->loc);
  NrValue *goes_on = nr_for_build_goes_on(&b, op, condition->args[0]);
  nr_cf_cond_br(&b, goes_on, body, NULL, 0, end, NULL, 0);
  NrOp *yield = nr_block_terminator(body);
  b = nr_builder_before(yield);
  NrValue *next = nr_for_build_next(&b, op, condition->args[0], may_wrap);
  NrBlock *latch = yield->block;
  branch_instead(yield, condition, &next, 1, 0);
  NrAttr properties = nr_op_attr(op, NR_A_noria_loop);
  if (properties) nr_op_set_attr(latch->last, NR_A_noria_loop, properties);
  nr_op_erase(op);
  nr_vec_deinit(&inits);
}

/* ---- ops whose definition describes control flow by .region_flow ------------------------------------------------- */

/* Whether the block's terminator returns to the parent op; that of a block that ends in scf.break or a branch does not.
 */
static bool ends_region(const NrBlock *block) { return nr_op_has(block->last, NR_RETURN_LIKE); }

/* Builds the branch along the edges from source: op, or a terminator in `from`. with_values: end has an argument for
 * each result. */
static void branch_along(Converter *c, const NrOp *op, const NrRegion *from, NrOp *source, NrBlock *end,
                         bool with_values) {
  NrBuilder b = nr_builder_before(source);
  NrRegionFlow flow = nr_region_flow(op, from);
  c->targets.size = c->values.size = 0;
  for (NrRegionEdge edge; nr_region_flow_next(&flow, &edge);) {
    size_t count = NR_MIN(edge.num_operands, source->num_operands - edge.first_operand);
    for (size_t i = c->values.size; i < count; i++) nr_vec_push(&c->values, nr_operand(source, edge.first_operand + i));
    if (!edge.to && !with_values) count = 0;
    nr_vec_push(&c->targets, ((NrBranchTarget){edge.to ? edge.to->first : end, NULL, count}));
  }
  NrBranchTarget *first = c->targets.data;
  for (size_t i = 0; i < c->targets.size; i++) first[i].values = c->values.data;
  assert(c->targets.size == 1 || source->info->build_branch);
  if (c->targets.size == 1) nr_cf_br(&b, first->block, first->values, first->num_values);
  else source->info->build_branch(source, &b, first, c->targets.size);
}

/* The terminator of a loop that decides whether to exit (scf.condition) and is the only one that exits, or NULL. Its
 * operands are the results of the loop. */
static NrOp *only_exit_of(NrOp *op) {
  NrOp *found = NULL;
  if (!nr_op_has(op, NR_LOOP)) return NULL;
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrRegionFlow flow = nr_region_flow(op, &op->regions[r]);
    bool leaves = false;
    size_t edges = 0;
    for (NrRegionEdge edge; nr_region_flow_next(&flow, &edge); edges++) leaves |= !edge.to;
    if (leaves && (found || edges == 1)) return NULL;
    if (leaves) found = op->regions[r].last->last;
  }
  return found;
}

static void replace_results_by_operands(NrOp *op, NrOp *last, NrRegion *region) {
  NrRegionFlow flow = nr_region_flow(op, region);
  for (NrRegionEdge edge; nr_region_flow_next(&flow, &edge);)
    for (uint32_t i = 0; !edge.to && i < op->num_results; i++)
      nr_value_replace_uses(nr_result(op, i), nr_operand(last, edge.first_operand + i));
}

static void convert_flow(Converter *c, NrOp *op, NrBlock *end) {
  NrOp *exit = only_exit_of(op);
  NrBlock *at = op->block;
  if (exit) replace_results_by_operands(op, exit, exit->block->region);
  else add_result_args(op, end);
  branch_along(c, op, NULL, op, end, !exit);
  if (nr_op_is(op, NR_OP_scf_if)) nr_cf_set_odds_of(op->prev, op);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next) {
      if (!ends_region(block)) continue;
      NrOp *last = block->last;
      branch_along(c, op, block->region, last, end, !exit);
      nr_op_erase(last);
    }
  for (uint32_t r = 0; r < op->num_regions; r++) at = adopt(c, &op->regions[r], at);
  if (!exit) replace_results(op, end, 0);
  nr_op_erase(op);
}

/* ---- loops with rules of their own ------------------------------------------------------------------------------- */

/* Each iteration begins with the body's first block. Breaks and continues become branches; the ops around them become
 * blocks of the same region in turn. */
static void convert_loop(Converter *c, NrOp *op, NrBlock *end) {
  NrBlock *before = op->block, *body = nr_scf_loop_body(op);
  NrValue *token = body->args[0];
  NR_VEC(NrValue *) inits = {0};
  add_result_args(op, end);
  while (token->first_use) {
    NrOp *exit = token->first_use->owner;
    branch_instead(exit, nr_op_is(exit, NR_OP_scf_break) ? end : body, NULL, 0, NR_SCF_EXIT_VALUES);
  }
  nr_block_erase_arg(body, 0);
  adopt(c, nr_scf_loop_region(op), before);
  replace_results(op, end, 0);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&inits, nr_operand(op, i));
  NrBuilder b = nr_builder_before(op);
  nr_cf_br(&b, body, inits.data, inits.size);
  nr_op_erase(op);
  nr_vec_deinit(&inits);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool stays_inside(NrOp *op, void *user) {
  if (nr_scf_is_exit(op)) return false;
  for (uint32_t i = 0; i < op->num_successors; i++)
    if (op->successors[i].block->region != op->block->region) return false;
  return true;
}

/* Whether a break, a continue, or a branch made from one leaves op. */
static bool has_branches_out(NrOp *op) { return !nr_walk_pre(op, stays_inside, NULL); }

static bool is_scf(const NrOp *op) { return strcmp(op->info->dialect, "scf") == 0; }

/* The op to convert in place of op, or NULL. An scf.forall without dims is replaced by its body. */
static NrOp *to_convert(Converter *c, NrOp *op) {
  if (c->only_exits && !nr_op_is(op, NR_OP_scf_loop) && !(op->num_regions && has_branches_out(op))) return NULL;
  switch (op->info->id) {
  case NR_OP_scf_parallel: return nr_parallel_to_for(op);
  case NR_OP_scf_forall: return nr_forall_to_for(op);
  case NR_OP_scf_loop: return op;
  default: return is_scf(op) && op->info->region_flow ? op : NULL;
  }
}

/* Creates the new blocks in program order and fills them from the last one. */
static void find_in(Converter *c, NrBlock *block) {
  size_t begin = c->work.size;
  for (NrOp *op = block->last; op; op = op->prev) {
    NrOp *next = op->next, *found = to_convert(c, op);
    if (found) {
      bool may_wrap = nr_op_is(found, NR_OP_scf_for) && nr_for_may_wrap(found, c->bounds_are_sizes);
      nr_vec_push(&c->work, ((Found){found, NULL, may_wrap}));
      op = found;
    } else if (nr_is_erased(op)) {
      op = next;
    }
  }
  for (size_t i = c->work.size; i-- > begin;) c->work.data[i].end = nr_block_create(block->module);
  for (size_t i = begin; i < c->work.size; i++) nr_block_split(block, c->work.data[i].op->next, c->work.data[i].end);
}

static void convert(Converter *c, const Found *found) {
  NrOp *op = found->op;
  NrBlock *end = found->end;
  switch (op->info->id) {
  case NR_OP_scf_for: convert_for(c, op, end, found->may_wrap); break;
  case NR_OP_scf_loop: convert_loop(c, op, end); break;
  default: convert_flow(c, op, end); break;
  }
}

static void convert_region(Converter *c, NrRegion *region) {
  for (NrBlock *block = region->first; block; block = block->next) nr_vec_push(&c->blocks, block);
  while (c->blocks.size || c->work.size) {
    while (c->blocks.size) find_in(c, nr_vec_pop(&c->blocks));
    if (c->work.size) {
      Found found = nr_vec_pop(&c->work);
      convert(c, &found);
    }
  }
}

static void deinit(Converter *c) {
  nr_vec_deinit(&c->blocks);
  nr_vec_deinit(&c->work);
  nr_vec_deinit(&c->targets);
  nr_vec_deinit(&c->values);
}

/* Ops outside of scf whose regions may have several blocks: the pass starts from their regions. */
static bool is_multi_block_op(const NrOp *op) {
  return op->num_regions && !is_scf(op) && !nr_op_has(op, NR_SINGLE_BLOCK);
}

static NrStatus convert_run(NrPassContext *pass, NrOp *root) {
  Converter c = {.pass = pass, .bounds_are_sizes = nr_pass_flag(pass, "assume-sizes")};
  NrOpList homes = {0};
  nr_collect_pre(root, is_multi_block_op, &homes);
  for (size_t i = 0; i < homes.size; i++)
    for (uint32_t r = 0; r < homes.data[i]->num_regions; r++) convert_region(&c, &homes.data[i]->regions[r]);
  nr_vec_deinit(&homes);
  deinit(&c);
  return NR_OK;
}

void nr_convert_exits(NrPassContext *pass, NrOp *op) {
  Converter c = {.pass = pass, .only_exits = true};
  convert_region(&c, &op->regions[0]);
  deinit(&c);
}

static const NrPassOption options[] = {
    NR_FLAG("assume-sizes", false, "assume that unknown bounds and steps are at most 2^62"),
    {0},
};
NR_PASS(convert_scf_to_cf, .name = "convert-scf-to-cf", .on_while = NR_WHILE_HANDLES, .run = convert_run,
        .options = options, .doc = "converts structured loops and conditionals to blocks and branches")
