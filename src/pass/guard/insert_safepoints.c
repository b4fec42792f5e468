/* insert_safepoints.c - bounds the work between safepoints, where a run can be stopped.
 *
 *   before  scf.for %i = .. to %m step %c1 {       after  scf.for %i = .. to %m step %c1 {
 *             scf.for %j = .. to %n step %c1 {              scf.for %s = .. to %n step %strip {
 *               body                                          scf.for %j = %s to min(%s + %strip, %n) step %c1 {
 *             }                                                 body
 *           }                                                 }
 *                                                             scf.if (the strip was full) { rt.safepoint }
 *                                                           }
 *                                                           rt.safepoint
 *                                                         }
 *
 * The work is estimated in scalar ops (work.h), from inner loops outwards. A loop of at most NR_MAX_WORK in total gets
 * no safepoint. Any other loop gets one at the end of its body; where the body is so light that this would cost time or
 * prevent vectorization, the loop is strip-mined first. Straight-line code gets a safepoint after each NR_MAX_WORK of
 * work, and the entry function one before it returns. Safepoints do not count iterations; the polls of the program's
 * own loops do (insert-loop-polls). A loop that polls often enough gets no safepoint. */
#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/func/ops.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "ir/region_flow.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"
#include "pass/analysis/work.h"

enum {
  HEAVY_OPS = 1 << 14,  /* an iteration so long that a safepoint's cost is negligible */
  RETURN_OPS = 1 << 12, /* work before a return of the entry that needs a safepoint */
};

/* The work since the last safepoint, or all work where there is none. */
typedef struct Work {
  int64_t ops;
  bool safe;   /* every path has a safepoint */
  bool varies; /* contains a loop of unknown trip count: the work may be small */
} Work;

typedef struct Function {
  NrOp *op;
  enum { NEW, OPEN, DONE } state;
  Work work;
} Function;

typedef struct Inserter {
  NrPassContext *pass;
  NrSymbolTables symbols;
  NrMap by_op;
  bool shared;      /* the function has ops of several source locations: its safepoints name none */
} Inserter;

static int64_t sum(int64_t a, int64_t b) { return nr_add_i64(a, b, &a) ? a : INT64_MAX; }

/* ---- lengths of loops -------------------------------------------------------------------------------------------- */

/* Upper limit of upper - lower; INT64_MAX: not known. */
static int64_t max_distance(NrValue *lower, NrValue *upper) {
  NrOp *op = upper->op;
  int64_t distance;
  if (op && nr_op_is(op, NR_OP_arith_addi))
    for (uint32_t i = 0; i < 2; i++)
      if (nr_operand(op, i) == lower) return NR_MAX(nr_range_of(nr_operand(op, 1 - i)).max, 0);
  if (op && (nr_op_is(op, NR_OP_arith_minsi) || nr_op_is(op, NR_OP_arith_minui)))
    return NR_MIN(max_distance(lower, nr_op_lhs(op)), max_distance(lower, nr_op_rhs(op)));
  op = lower->op;
  if (op && nr_op_is(op, NR_OP_arith_subi) && nr_arith_subi_lhs(op) == upper)
    return NR_MAX(nr_range_of(nr_arith_subi_rhs(op)).max, 0);
  return nr_sub_i64(nr_range_of(upper).max, nr_range_of(lower).min, &distance) ? NR_MAX(distance, 0) : INT64_MAX;
}

/* Upper limit of the trip count; UINT64_MAX: not known. noria.most_trips comes from passes only:
 * insert-loop-polls removes what the text says. */
static uint64_t max_trips(NrOp *loop) {
  uint64_t trips;
  int64_t step;
  if (nr_op_attr(loop, NR_A_noria_most_trips)) return (uint64_t)nr_op_attr_int(loop, NR_A_noria_most_trips, -1);
  if (!nr_op_is(loop, NR_OP_scf_for)) return UINT64_MAX;
  if (nr_scf_for_trip_count(loop, &trips)) return trips;
  if (nr_is_unsigned_for(loop) || !nr_type_is_index(nr_scf_for_iv(loop)->type)) return UINT64_MAX;
  int64_t distance = max_distance(nr_scf_for_lower_bound(loop), nr_scf_for_upper_bound(loop));
  if (distance == INT64_MAX) return UINT64_MAX;
  bool known = nr_value_constant_int(nr_scf_for_step(loop), &step) && step > 0;
  return known ? (uint64_t)(distance / step + 1) : (uint64_t)distance;
}

typedef struct Polls {
  const NrOp *loop;
  int64_t every; /* iterations; 0: it does not poll */
} Polls;

static bool find_poll(NrOp *op, Polls *polls) {
  if (nr_op_is(op, NR_OP_rt_poll)) return nr_value_constant_int(nr_rt_poll_iterations(op), &polls->every);
  if (nr_op_has(op, NR_LOOP) && op != polls->loop) return false;
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next)
        if (find_poll(inner, polls)) return true;
  return false;
}

/* ---- inserting --------------------------------------------------------------------------------------------------- */

static void insert(Inserter *in, NrBuilder *b, NrLoc loc) {
  NrOp *op = nr_build_op(b, NR_OP_rt_safepoint, NULL, 0, NULL, 0);
  op->loc = in->shared ? nr_loc_unknown(b->ctx) : loc;
}

static bool can_strip(const NrOp *loop) {
  int64_t step;
  return nr_op_is(loop, NR_OP_scf_for) && nr_type_is_index(nr_scf_for_iv(loop)->type) && !nr_is_unsigned_for(loop) &&
         nr_value_constant_int(nr_scf_for_step(loop), &step) && step <= 1 << 20 && !nr_for_may_wrap(loop, true);
}

static void strip(Inserter *in, NrOp *loop, int64_t length) {
  NrValue *whole;
  NrBuilder b = nr_for_strip_mine(loop, length, false, &whole);
  b.loc = loop->loc;
  NrOp *branch = nr_scf_if(&b, whole, NULL, 0, false);
  NrBuilder inner = nr_scf_body_builder(nr_scf_if_then_body(branch));
  insert(in, &inner, loop->loc);
  nr_scf_yield(&inner, NULL, 0);
}

/* Inserts a safepoint at the end of an iteration: then the ops before it always run when the loop is entered, so that
 * LLVM can hoist invariant loads. For a loop whose iterations may end anywhere (scf.loop), at the start. */
static void insert_in_body(Inserter *in, NrOp *loop) {
  const NrRegion *latch = nr_loop_latch(loop);
  NrBuilder b = nr_builder_before(latch ? latch->last->last : nr_op_only_body(loop)->first);
  insert(in, &b, loop->loc);
}

/* Inserts the safepoints that the loop needs; returns its work. */
static Work limit_loop(Inserter *in, NrOp *loop, Work body) {
  uint64_t trips = max_trips(loop);
  Polls polls = {.loop = loop};
  int64_t all = nr_work_times(NR_MAX(body.ops, 1), trips);
  if (body.safe) return (Work){body.ops, false, true};
  if (all <= NR_MAX_WORK) return (Work){all, false, body.varies};
  bool is_polled = !body.varies && find_poll(loop, &polls);
  if (is_polled && nr_work_times(body.ops, (uint64_t)polls.every) <= NR_MAX_WORK)
    return (Work){nr_work_times(body.ops, (uint64_t)polls.every), false, true};
  if (!body.varies && body.ops < HEAVY_OPS && can_strip(loop)) {
    strip(in, loop, nr_strip_length(body.ops));
    return (Work){NR_STRIP_WORK, false, true};
  }
  insert_in_body(in, loop);
  return (Work){body.ops, false, true};
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static Work walk_function(Inserter *in, NrOp *func);
static Work walk_block(Inserter *in, NrBlock *block);

static Work walk_callee(Inserter *in, NrOp *op, NrAttr symbol) {
  NrOp *func = nr_flow_function(nr_symbol_find(&in->symbols, op, symbol));
  Function *f = func ? nr_map_get(&in->by_op, func) : NULL;
  if (!f || f->state == OPEN) return (Work){NR_STRIP_WORK, false, true};
  return walk_function(in, f->op);
}

/* The work of an op of which one region runs: the maximum over its regions. */
static Work walk_regions(Inserter *in, NrOp *op) {
  Work max = {1, op->num_regions > 0, false};
  for (uint32_t r = 0; r < op->num_regions; r++) {
    Work all = {0};
    for (NrBlock *block = op->regions[r].first; block; block = block->next) {
      Work one = walk_block(in, block);
      all = (Work){sum(all.ops, one.ops), one.safe && !block->next && !all.ops, all.varies || one.varies};
    }
    max.ops = NR_MAX(max.ops, all.ops);
    max.safe &= all.safe;
    max.varies |= all.varies;
  }
  return max;
}

static Work walk_loop(Inserter *in, NrOp *loop) {
  Work body = {0};
  for (uint32_t r = 0; r < loop->num_regions; r++) {
    Work one = walk_block(in, nr_op_body(loop, r));
    /* All regions run in each iteration. */
    body = (Work){sum(body.ops, one.ops), body.safe || one.safe, body.varies || one.varies};
  }
  return limit_loop(in, loop, body);
}

static Work walk_op(Inserter *in, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_func_call: return walk_callee(in, op, nr_op_attr(op, NR_A_callee));
  case NR_OP_rt_dispatch: /* the runtime checks between workgroups */
    return walk_callee(in, op, nr_op_attr(op, NR_A_entry));
  case NR_OP_func_call_indirect: return (Work){NR_STRIP_WORK, false, true};
  default:
    if (nr_op_has(op, NR_LOOP) && nr_op_has(op, NR_SINGLE_BLOCK)) return walk_loop(in, op);
    return nr_op_runs_one_region(op) ? walk_regions(in, op) : (Work){nr_work_of(op), false, false};
  }
}

static Work walk_block_after(Inserter *in, NrBlock *block, Work before) {
  Work all = before;
  NrOp *heaviest = NULL;
  int64_t max_ops = 0;
  for (NrOp *op = block->first, *next; op; op = next) {
    next = op->next;
    bool returns = nr_op_is(op, NR_OP_func_return) && nr_op_attr(nr_op_parent(op), NR_A_noria_entry);
    Work one = walk_op(in, op);
    all = (Work){one.safe ? one.ops : sum(all.ops, one.ops), all.safe || one.safe, all.varies || one.varies};
    if (one.ops > max_ops) heaviest = op, max_ops = one.ops;
    if (!next ? !returns || all.ops < RETURN_OPS : all.ops <= NR_MAX_WORK) continue;
    NrBuilder b = next ? nr_builder_before(next) : nr_builder_before(op);
    insert(in, &b, heaviest ? heaviest->loc : op->loc);
    all = (Work){0, true, all.varies};
    heaviest = NULL, max_ops = 0;
  }
  return all;
}

static Work walk_block(Inserter *in, NrBlock *block) { return walk_block_after(in, block, (Work){0}); }

/* ---- loops of blocks --------------------------------------------------------------------------------------------- */

typedef struct Graph {
  Inserter *in;
  NrMap works;  /* NrBlock* -> Work* */
  NrMap states; /* NrBlock* -> OPEN_BLOCK or DONE_BLOCK in the depth-first walk */
} Graph;

typedef struct Cycle {
  NrMap seen;
  Work work;
  int64_t every;
} Cycle;

/* Adds the blocks that reach this one, up to the header, which is in seen. */
static void add_to_cycle(Graph *g, Cycle *cycle, NrBlock *block) {
  NR_VEC(NrBlock *) blocks = {0};
  nr_vec_push(&blocks, block);
  while (blocks.size) {
    NrBlock *next = nr_vec_pop(&blocks);
    if (nr_map_has(&cycle->seen, next)) continue;
    nr_map_set(&cycle->seen, next, next);
    const Work *one = nr_map_get(&g->works, next);
    if (one) {
      cycle->work.ops = sum(cycle->work.ops, one->ops);
      cycle->work.varies |= one->varies;
    }
    Polls polls = {0};
    for (NrOp *op = next->first; op && !polls.every; op = op->next) find_poll(op, &polls);
    cycle->every = NR_MAX(cycle->every, polls.every);
    for (NrSuccessor *s = next->first_pred; s; s = s->next) nr_vec_push(&blocks, s->owner->block);
  }
  nr_vec_deinit(&blocks);
}

static void close_cycle(Graph *g, NrOp *branch, NrBlock *header) {
  Cycle cycle = {0};
  const Work *own = nr_map_get(&g->works, header);
  cycle.work = own ? *own : (Work){0};
  nr_map_set(&cycle.seen, header, header);
  if (branch->block != header) add_to_cycle(g, &cycle, branch->block);
  int64_t between = nr_work_times(cycle.work.ops, (uint64_t)cycle.every); /* between two polls */
  bool is_polled = cycle.every && !cycle.work.varies && between <= NR_MAX_WORK;
  if (!is_polled && !nr_op_is(header->first, NR_OP_rt_safepoint)) {
    NrBuilder b = nr_builder_before(header->first);
    insert(g->in, &b, branch->loc);
  }
  nr_map_deinit(&cycle.seen);
}

typedef struct Visit {
  NrBlock *block;
  uint32_t next; /* the next successor to visit */
} Visit;

/* Visits the blocks depth first; a branch to a block that is still on the stack closes a cycle. */
static bool close_cycles(Graph *g, NrBlock *entry) {
  enum { OPEN_BLOCK = 1, DONE_BLOCK };
  NR_VEC(Visit) stack = {0};
  bool any = false;
  nr_vec_push(&stack, ((Visit){entry, 0}));
  nr_map_set(&g->states, entry, (void *)OPEN_BLOCK);
  while (stack.size) {
    Visit *top = &stack.data[stack.size - 1];
    NrOp *branch = top->block->last;
    if (!branch || top->next == branch->num_successors) {
      nr_map_set(&g->states, top->block, (void *)DONE_BLOCK);
      (void)nr_vec_pop(&stack);
      continue;
    }
    NrBlock *to = branch->successors[top->next++].block;
    uintptr_t state = (uintptr_t)nr_map_get(&g->states, to);
    if (state == OPEN_BLOCK) {
      close_cycle(g, branch, to);
      any = true;
    } else if (!state) {
      nr_map_set(&g->states, to, (void *)OPEN_BLOCK);
      nr_vec_push(&stack, ((Visit){to, 0}));
    }
  }
  nr_vec_deinit(&stack);
  return any;
}

static Work walk_blocks(Inserter *in, NrRegion *region) {
  if (region->first == region->last) return region->first ? walk_block(in, region->first) : (Work){0};
  Graph g = {.in = in};
  Work all = {0};
  for (NrBlock *block = region->first; block; block = block->next) {
    Work *own = NR_NEW(in->pass->scratch, Work), before = {all.ops, false, false};
    Work after = walk_block_after(in, block, before);
    *own = (Work){after.safe ? after.ops : after.ops - before.ops, after.safe, after.varies};
    nr_map_set(&g.works, block, own);
    all = (Work){after.ops, false, all.varies || after.varies};
  }
  if (close_cycles(&g, region->first)) all = (Work){NR_MAX(all.ops, NR_STRIP_WORK), false, true};
  nr_map_deinit(&g.works);
  nr_map_deinit(&g.states);
  return all;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Converts parallel loops to scf.for, which limit_loop handles. */
static void sequentialize(NrOp *func) {
  NrOpList ops = {0};
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    if (nr_is_erased(ops.data[i])) continue;
    if (nr_op_is(ops.data[i], NR_OP_scf_parallel)) nr_parallel_to_for(ops.data[i]);
    else if (nr_op_is(ops.data[i], NR_OP_scf_forall)) nr_forall_to_for(ops.data[i]);
  }
  nr_vec_deinit(&ops);
}

static Work walk_function(Inserter *in, NrOp *func) {
  Function *f = nr_map_get(&in->by_op, func);
  if (f->state == DONE) return f->work;
  f->state = OPEN;
  bool outer = in->shared;
  in->shared = nr_op_attr(func, NR_A_noria_dispatch) != NULL;
  sequentialize(func);
  f->work = walk_blocks(in, nr_func_func_region(func));
  f->state = DONE;
  in->shared = outer;
  return f->work;
}

static bool collect_function(NrOp *op, void *user) {
  Inserter *in = user;
  if (!nr_op_is(op, NR_OP_func_func) || !nr_func_func_body(op)) return true;
  Function *f = NR_NEW(in->pass->scratch, Function);
  *f = (Function){.op = op};
  nr_map_set(&in->by_op, op, f);
  return true;
}

static bool walk_one(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_func_func) && nr_func_func_body(op)) walk_function(user, op);
  return true;
}

static NrStatus insert_safepoints_run(NrPassContext *pass, NrOp *root) {
  Inserter in = {.pass = pass};
  nr_walk_pre(root, collect_function, &in);
  nr_walk_pre(root, walk_one, &in);
  nr_symbol_tables_deinit(&in.symbols);
  nr_map_deinit(&in.by_op);
  return NR_OK;
}

NR_PASS(insert_safepoints, .name = "insert-safepoints", .on_while = NR_WHILE_HANDLES, .run = insert_safepoints_run,
        .doc = "bounds the work between safepoints, where a run can be stopped")
