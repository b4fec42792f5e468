/* insert_loop_polls.c - inserts polls of the runtime into loops, so that limits and interrupts can end them.
 *
 *   before  scf.for %i = %lb to %ub step %st {     after  scf.for %n = 0 to (%ub - %lb) ceildiv %span step 1 {
 *             body                                          %o = %lb + %n * %span
 *           }                                               %end = min(%o + %span, %ub)
 *                                                           scf.for %i = %o to %end step %st { body }
 *                                                           scf.if (the span was full) { rt.poll }
 *                                                         }
 * Strip mining keeps an inner loop that can be vectorized, and makes the cost of the poll negligible. A small loop that
 * is entered often, in another loop or in a private function, stays as it is for when it is short:
 *
 *   scf.if %ub - %lb <= %span { scf.for %i = %lb to %ub step %st { body } } else { the loop over spans }
 *
 * scf.while, and scf.for over types other than index or whose induction variable may overflow, carry a count of
 * iterations, and poll before the body: only what the loop carries is live there, so that the call takes no registers
 * from the body. A merge of two sparse rows takes 0.8 of the time that it takes with the poll behind the body. Loops of
 * blocks carry a count as an argument of the loop header. Loops that poll already and loops with a small constant trip
 * count stay. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/scf/scf.h"
#include "ir/region_flow.h"
#include "pass/core/pass.h"
#include "pass/loop/loops.h"

/* Iterations between polls, powers of two; fewer for a body with loops, calls or structured ops, which may take
 * long. */
enum { LIGHT = 1 << 14, COUNTED = 1 << 10, HEAVY = 1 << 4, SHORT_TRIPS = 1 << 12 };

/* How often a small loop in another one is short for each time that it is long. Without it LLVM assumes that the loop
 * over spans, which is nested deeper, runs more often, and gives it the registers. */
enum { SHORT_FOR_EACH_LONG = 256 };

/* The most ops of a body that is written twice. */
enum { SMALL_BODY = 64 };

typedef struct Body {
  const NrOp *loop;
  int num_ops;
  bool polls, heavy;
} Body;

static bool look_at(NrOp *op, void *user) {
  Body *body = user;
  if (op == body->loop) return true;
  body->num_ops++;
  body->polls |= nr_op_is(op, NR_OP_rt_poll);
  body->heavy |= nr_op_has(op, NR_LOOP) || nr_op_has(op, NR_CALL) || nr_str_is(nr_str(op->info->dialect), "linalg");
  return true;
}

static Body body_of(NrOp *loop) {
  Body body = {.loop = loop};
  nr_walk_pre(loop, look_at, &body);
  return body;
}

/* Builds an rt.poll for `every` iterations under the condition due. */
static void poll_if(NrBuilder *b, NrValue *due, int64_t every) {
  NrOp *op = nr_scf_if(b, due, NULL, 0, false);
  NrBuilder inner = nr_scf_body_builder(nr_scf_if_then_body(op));
  NrValue *count = nr_arith_constant_index(&inner, every);
  nr_build_op(&inner, NR_OP_rt_poll, &count, 1, NULL, 0);
  nr_scf_yield(&inner, NULL, 0);
}

/* Increments the count, and polls when it is a multiple of `every`. */
static NrValue *count_iteration(NrBuilder *b, NrValue *count, int64_t every) {
  NrValue *next = nr_arith_binary(b, NR_OP_arith_addi, count, nr_arith_constant_index(b, 1));
  NrValue *rest = nr_arith_binary(b, NR_OP_arith_andi, next, nr_arith_constant_index(b, every - 1));
  poll_if(b, nr_arith_cmpi(b, NR_CMPI_EQ, rest, nr_arith_constant_index(b, 0)), every);
  return next;
}

/* ---- loops that carry a count ----------------------------------------------------------------------------------- */

/* Adds a carried index to the loop, initially 0, as the last argument of its regions. */
static NrOp *carry_count(NrOp *loop) {
  NrBuilder b = nr_builder_before(loop);
  NrValue *none = nr_arith_constant_index(&b, 0);
  NrOp *counted = nr_scf_extend(loop, &none, 1, &none->type, 1);
  for (uint32_t r = 0; r < counted->num_regions; r++)
    nr_block_add_arg(nr_op_body(counted, r), none->type, counted->loc);
  return counted;
}

static NrValue *last_arg(const NrBlock *block) { return nr_block_arg(block, block->num_args - 1); }
static void append_operand(NrOp *op, NrValue *value) { nr_op_insert_operand(op, op->num_operands, value); }

/* The region that ends an iteration increments the count first; the others pass it on unchanged. */
static void count_iterations(NrOp *loop, int64_t every) {
  loop = carry_count(loop);
  const NrRegion *latch = nr_loop_latch(loop);
  for (uint32_t r = 0; r < loop->num_regions; r++) {
    NrBlock *body = nr_op_body(loop, r);
    NrBuilder b = nr_builder_before(body->first);
    b.loc = loop->loc;
    NrValue *count = last_arg(body);
    append_operand(body->last, body->region == latch ? count_iteration(&b, count, every) : count);
  }
}

/* Each scf.continue increments the count; scf.break ends the loop. */
static void count_loop(NrOp *loop, int64_t every) {
  NrBuilder b = nr_builder_before(loop);
  append_operand(loop, nr_arith_constant_index(&b, 0));
  NrBlock *body = nr_scf_loop_body(loop);
  NrValue *count = nr_block_add_arg(body, nr_type_index(b.ctx), loop->loc);
  for (NrUse *use = body->args[0]->first_use, *next; use; use = next) { /* changing operands moves the use */
    next = use->next;
    if (!nr_op_is(use->owner, NR_OP_scf_continue)) continue;
    b = nr_builder_before(use->owner);
    b.loc = loop->loc;
    append_operand(use->owner, count_iteration(&b, count, every));
  }
}

static bool is_entered_often(NrOp *loop) {
  for (NrOp *op = nr_op_parent(loop); op; op = nr_op_parent(op)) {
    if (nr_op_has(op, NR_LOOP)) return true;
    if (nr_op_is(op, NR_OP_func_func)) return nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private");
  }
  return false;
}

/* A copy of the loop runs where it has at most `every` iterations, the loop itself elsewhere. */
static void keep_if_short(NrOp *loop, int64_t every) {
  NrBuilder b = nr_builder_before(loop);
  NrMap map = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&types, nr_result(loop, i)->type);
  NrValue *is_short = nr_for_build_is_one_strip(&b, loop, every);
  NrOp *choice = nr_scf_if(&b, is_short, types.data, types.size, true);
  nr_cf_set_odds(choice, SHORT_FOR_EACH_LONG, 1);
  NrBuilder then = nr_scf_body_builder(nr_scf_if_then_body(choice)),
            other = nr_scf_body_builder(nr_scf_if_else_body(choice));
  NrOp *copy = nr_op_clone(loop->module, loop, &map);
  nr_builder_insert(&then, copy);
  nr_op_set_attr(copy, NR_A_noria_most_trips, nr_attr_i64(b.ctx, every));
  nr_scf_yield_results_of(nr_scf_if_then_body(choice), &copy, 1);
  for (uint32_t i = 0; i < loop->num_results; i++) nr_value_replace_uses(nr_result(loop, i), nr_result(choice, i));
  nr_op_unlink(loop);
  nr_builder_insert(&other, loop);
  nr_scf_yield_results_of(nr_scf_if_else_body(choice), &loop, 1);
  nr_vec_deinit(&types);
  nr_map_deinit(&map);
}

static void strip_mine_for(NrOp *loop, int64_t every) {
  NrValue *whole;
  NrBuilder b = nr_for_strip_mine(loop, every, true, &whole);
  poll_if(&b, whole, every);
}

/* ---- back edges ------------------------------------------------------------------------------------------------- */

typedef struct Edge {
  NrOp *branch;
  uint32_t successor;
} Edge;

/* Inserts a block on a back edge, which increments the count. */
static void count_edge(NrOp *branch, uint32_t successor, NrValue *count) {
  NrBlock *header = branch->successors[successor].block, *latch = nr_block_create(branch->module);
  NrBuilder b = nr_builder_at_end(branch->module, latch, branch->loc);
  NR_VEC(NrValue *) operands = {0};
  nr_block_insert_after(latch, branch->block);
  for (uint32_t i = 0; i < branch->successors[successor].num_operands; i++)
    nr_vec_push(&operands, nr_successor_operand(branch, successor, i));
  while (branch->successors[successor].num_operands)
    nr_successor_erase_operand(branch, successor, branch->successors[successor].num_operands - 1);
  nr_op_set_successor(branch, successor, latch);
  nr_vec_push(&operands, count_iteration(&b, count, COUNTED));
  nr_cf_br(&b, header, operands.data, operands.size);
  nr_vec_deinit(&operands);
}

/* Of the edges to the header, those from blocks that it dominates are back edges, the others enter the loop. */
static void count_header(const NrDominance *dom, NrBlock *header) {
  NR_VEC(Edge) edges = {0};
  bool loops = false, polls = false;
  for (NrSuccessor *s = header->first_pred; s; s = s->next) {
    nr_vec_push(&edges, ((Edge){s->owner, (uint32_t)(s - s->owner->successors)}));
    loops |= nr_dominates_block(dom, header, s->owner->block);
    for (NrOp *op = s->owner->block->first; op; op = op->next) polls |= nr_op_is(op, NR_OP_rt_poll);
  }
  NrValue *count = loops && !polls ? nr_block_add_arg(header, nr_type_index(header->module->ctx), NULL) : NULL;
  for (size_t i = 0; i < edges.size && count; i++) {
    NrOp *branch = edges.data[i].branch;
    if (nr_dominates_block(dom, header, branch->block)) {
      count_edge(branch, edges.data[i].successor, count);
    } else {
      NrBuilder b = nr_builder_before(branch);
      nr_successor_append_operand(branch, edges.data[i].successor, nr_arith_constant_index(&b, 0));
    }
  }
  nr_vec_deinit(&edges);
}

static void count_blocks(NrRegion *region) {
  NrDominance *dom = nr_dominance_create(region);
  NR_VEC(NrBlock *) blocks = {0};
  for (NrBlock *block = region->first; block; block = block->next)
    if (block->first_pred && nr_dominance_reachable(dom, block)) nr_vec_push(&blocks, block);
  for (size_t i = 0; i < blocks.size; i++) count_header(dom, blocks.data[i]);
  nr_vec_deinit(&blocks);
  nr_dominance_destroy(dom);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

typedef struct Loops {
  NR_VEC(NrOp *) ops;
  NR_VEC(NrRegion *) regions;
} Loops;

static bool collect(NrOp *op, void *user) {
  Loops *loops = user;
  bool is_scf_loop = nr_op_has(op, NR_LOOP) && strcmp(op->info->dialect, "scf") == 0; /* affine loops are lowered */
  if (is_scf_loop && (nr_loop_latch(op) || nr_op_is(op, NR_OP_scf_loop))) nr_vec_push(&loops->ops, op);
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) nr_vec_push(&loops->regions, &op->regions[r]);
  return true;
}

static void handle_loop(NrOp *loop) {
  uint64_t trips;
  Body body = body_of(loop);
  nr_op_remove_attr(loop, NR_A_noria_most_trips); /* a claim of the text, which nothing has checked */
  if (body.polls) return;
  if (nr_op_is(loop, NR_OP_scf_loop)) {
    count_loop(loop, body.heavy ? HEAVY : COUNTED);
    return;
  }
  if (!nr_op_is(loop, NR_OP_scf_for)) {
    count_iterations(loop, body.heavy ? HEAVY : COUNTED);
    return;
  }
  if (nr_scf_for_trip_count(loop, &trips) && trips <= (body.heavy ? HEAVY : SHORT_TRIPS)) return;
  bool can_cut =
      nr_type_is_index(nr_scf_for_iv(loop)->type) && !nr_is_unsigned_for(loop) && !nr_for_may_wrap(loop, false);
  if (can_cut) {
    if (!body.heavy && body.num_ops <= SMALL_BODY && is_entered_often(loop)) keep_if_short(loop, LIGHT);
    strip_mine_for(loop, body.heavy ? HEAVY : LIGHT);
  } else {
    count_iterations(loop, body.heavy ? HEAVY : COUNTED);
  }
}

/* Outer loops first: a strip-mined inner loop must not make an outer body count as heavy. */
static NrStatus insert_loop_polls_run(NrPassContext *pass, NrOp *func) {
  Loops loops = {0};
  nr_walk_pre(func, collect, &loops);
  for (size_t i = 0; i < loops.regions.size; i++) count_blocks(loops.regions.data[i]);
  for (size_t i = 0; i < loops.ops.size; i++) handle_loop(loops.ops.data[i]);
  nr_vec_deinit(&loops.ops);
  nr_vec_deinit(&loops.regions);
  return NR_OK;
}

NR_PASS(insert_loop_polls, .name = "insert-loop-polls", .on_while = NR_WHILE_HANDLES, .on = "func.func",
        .run = insert_loop_polls_run, .doc = "inserts polls into loops, so that limits and interrupts can end them")
