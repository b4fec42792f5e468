/* for_to_parallel.c - loops whose iterations do not depend on each other become parallel ones.
 *   before  %r = scf.for %i = %lb to %ub step %st         after  %r = scf.parallel (%i) = (%lb) to (%ub) step (%st)
 *                iter_args(%a = %z) -> (i32) {                         init (%z) -> i32 {
 *             %x = memref.load %m[%i]                               %x = memref.load %m[%i]
 *             memref.store %x, %o[%i]                               memref.store %x, %o[%i]
 *             %s = arith.addi %a, %x : i32                          scf.reduce(%x : i32) {
 *             scf.yield %s : i32                                    ^bb0(%l: i32, %r: i32):
 *           }                                                         %s = arith.addi %l, %r : i32
 *                                                                     scf.reduce.return %s : i32
 *                                                                 } }
 * No iteration may touch what another one writes (dependence.h). A carried value must be a reduction: all it meets is
 * one op, over and over, that gives the same in any order: of integers, or of floats that may be reassociated. Nests of
 * such loops with nothing in between become one loop of several dims. Loops that count in other types than index stay
 * as they are. */
#include "dialect/scf/scf.h"
#include "pass/dependence.h"
#include "pass/parallel.h"
#include "pass/rewrite.h"

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* One op that both combine with. */
static bool same_kind(const NrOp *a, const NrOp *b) {
  if (a->info != b->info || a->num_attrs != b->num_attrs) return false;
  for (uint32_t i = 0; i < a->num_attrs; i++)
    if (a->attrs[i].value != nr_op_attr(b, a->attrs[i].name.data)) return false;
  return true;
}

/* The ops that lead from carried value i to what is yielded for it, the last one first: all of one kind, in the body
 * itself, each using the running value once and handing its own to nobody else. False when it is no reduction. */
static bool reduction_chain(NrOp *loop, uint32_t i, NrOpList *chain) {
  NrBlock *body = nr_op_body(loop, 0);
  NrValue *at = nr_scf_for_arg(loop, i);
  chain->size = 0;
  for (;;) {
    if (!nr_value_has_one_use(at)) return false;
    NrOp *user = at->first_use->owner;
    if (user == body->last) return nr_use_index(at->first_use) == i && chain->size > 0;
    if (user->block != body || user->num_operands != 2 || user->num_results != 1) return false;
    if (!nr_reduction_op_is_exact(user) || (chain->size && !same_kind(user, chain->data[0]))) return false;
    nr_vec_push(chain, user);
    at = nr_result(user, 0);
  }
}

static bool only_reduces(NrOp *loop) {
  NrOpList chain = {0};
  bool all = true;
  for (uint32_t i = 0; i < loop->num_results && all; i++) all = reduction_chain(loop, i, &chain);
  nr_vec_deinit(&chain);
  return all;
}

/* What one iteration adds to carried value i: the chain without the value that it starts from. Its ops go, but for
 * those that combine one term of the iteration with another. */
static NrValue *term_of(NrOp *loop, uint32_t i, NrOpList *chain) {
  NrValue *running = nr_scf_for_arg(loop, i), *term = NULL;
  reduction_chain(loop, i, chain);
  for (size_t k = 0; k < chain->size; k++) {
    NrOp *op = chain->data[k];
    uint32_t side = nr_operand(op, 0) == running ? 0 : 1;
    running = nr_result(op, 0);
    if (term) {
      nr_op_set_operand(op, side, term);
      term = running;
    } else {
      term = nr_operand(op, 1 - side);
    }
  }
  return term;
}

/* ---- one loop ---------------------------------------------------------------------------------------------------- */

static bool is_independent(NrOp *loop) {
  NrMemAccesses list = {0};
  bool is_index = nr_type_is_index(nr_scf_for_iv(loop)->type) && !nr_op_attr(loop, "unsignedCmp");
  bool holds = is_index && only_reduces(loop) && nr_collect_accesses(loop, &list) &&
               nr_iterations_independent(&list, nr_scf_for_iv(loop));
  nr_vec_deinit(&list);
  return holds;
}

static void add_combination(NrOp *reduce, uint32_t i, const NrOp *like) {
  NrBlock *block = nr_block_create(reduce->module);
  nr_block_append(nr_op_region(reduce, i), block);
  NrType type = nr_result(like, 0)->type;
  NrValue *args[2];
  for (size_t k = 0; k < 2; k++) args[k] = nr_block_add_arg(block, type, reduce->loc);
  NrBuilder b = nr_builder_at_end(reduce->module, block, reduce->loc);
  NrValue *combined = nr_result(nr_build(&b, &(NrOpState){.info = like->info,
                                                          .loc = like->loc,
                                                          .operands = args,
                                                          .num_operands = 2,
                                                          .result_types = &type,
                                                          .num_results = 1,
                                                          .attrs = like->attrs,
                                                          .num_attrs = like->num_attrs}),
                                0);
  nr_build_op(&b, NR_OP_scf_reduce_return, &combined, 1, NULL, 0);
}

static NrOp *to_parallel(NrOp *loop) {
  uint32_t count = loop->num_results;
  NrBlock *from = nr_op_body(loop, 0);
  NrBuilder b = nr_builder_before(loop);
  NR_VEC(NrValue *) values = {0};
  NrOpList firsts = {0}, chain = {0};
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&values, nr_scf_for_init(loop, i));
  NrOp *parallel = nr_scf_parallel(&b, &(NrValue *){nr_scf_for_lower(loop)}, &(NrValue *){nr_scf_for_upper(loop)},
                                   &(NrValue *){nr_scf_for_step(loop)}, 1, values.data, count);
  NrBlock *body = nr_op_body(parallel, 0);
  body->args[0]->name = nr_scf_for_iv(loop)->name;
  nr_value_replace_uses(nr_scf_for_iv(loop), body->args[0]);
  for (uint32_t i = 0; i < count; i++) {
    values.data[i] = term_of(loop, i, &chain);
    nr_vec_push(&firsts, chain.data[0]);
  }
  nr_op_erase(from->last);
  nr_block_splice(from, body, NULL);
  b = nr_scf_body_builder(parallel, 0);
  NrOp *reduce = nr_scf_reduce(&b, values.data, count);
  for (uint32_t i = 0; i < count; i++) {
    add_combination(reduce, i, firsts.data[i]);
    nr_op_erase(firsts.data[i]); /* it stood where the running value came in */
  }
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    nr_op_set_attr(parallel, loop->attrs[i].name.data, loop->attrs[i].value);
  nr_replace_loop(loop, parallel);
  nr_vec_deinit(&values);
  nr_vec_deinit(&firsts);
  nr_vec_deinit(&chain);
  return parallel;
}

/* ---- nests ------------------------------------------------------------------------------------------------------- */

/* A parallel loop with nothing in it but another one, whose bounds do not change: one with the dims of both. */
static void merge_nest(NrOp *outer) {
  NrBlock *body = nr_op_body(outer, 0);
  NrOp *inner = body->first;
  if (outer->num_results || !nr_op_is(inner, NR_OP_scf_parallel) || inner->num_results || inner->next != body->last)
    return;
  uint32_t ranks[] = {nr_parallel_rank(outer), nr_parallel_rank(inner)}, rank = ranks[0] + ranks[1];
  for (uint32_t i = 0; i < inner->num_operands; i++)
    if (nr_value_block(nr_operand(inner, i)) == body) return;
  NR_VEC(NrValue *) bounds = {0};
  NrOp *loops[] = {outer, inner};
  for (uint32_t g = 0; g < 3; g++)
    for (size_t n = 0; n < 2; n++)
      for (uint32_t d = 0; d < ranks[n]; d++) nr_vec_push(&bounds, nr_operand(loops[n], g * ranks[n] + d));
  NrBuilder b = nr_builder_before(outer);
  NrOp *merged = nr_scf_parallel(&b, bounds.data, bounds.data + rank, bounds.data + 2 * rank, rank, NULL, 0);
  nr_vec_deinit(&bounds);
  NrBlock *to = nr_op_body(merged, 0);
  for (size_t n = 0, at = 0; n < 2; n++)
    for (uint32_t d = 0; d < ranks[n]; d++, at++) {
      NrValue *old = nr_op_body(loops[n], 0)->args[d];
      to->args[at]->name = old->name;
      nr_value_replace_uses(old, to->args[at]);
    }
  nr_block_splice(nr_op_body(inner, 0), to, NULL);
  nr_op_erase(outer);
}

static NrStatus for_to_parallel_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  NR_VEC(NrOp *) made = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_scf_for) && is_independent(ops.data[i]))
      nr_vec_push(&made, to_parallel(ops.data[i]));
  for (size_t i = made.size; i-- > 0;) merge_nest(made.data[i]);
  nr_vec_deinit(&made);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(for_to_parallel, .name = "scf-for-to-parallel", .run = for_to_parallel_run,
        .doc = "makes parallel loops of those whose iterations do not depend on each other")
