/* affine_parallelize.c - makes affine loops parallel whose iterations are independent.
 *   before  affine.for %i = 0 to %n {                      after  affine.parallel (%i) = (0) to (symbol(%n)) {
 *             %x = affine.load %a[%i * 2 + 1]                       %x = affine.load %a[%i * 2 + 1]
 *             affine.store %x, %a[%i * 2]                           affine.store %x, %a[%i * 2]
 *           }                                                     }
 *           %r = affine.for %i = 0 to %n                          %s = affine.parallel (%i) = (0) to (symbol(%n))
 *                iter_args(%a = %z) -> i32 {                           reduce ("addi") -> i32 {
 *             %s = arith.addi %a, %x : i32                          affine.yield %x : i32
 *             affine.yield %s : i32                               }
 *           }                                                     %r = arith.addi %z, %s : i32
 * Does for affine.for what for-to-parallel does for scf.for; for loops that carry reductions only with the option
 * parallel-reductions. A reduction of affine.parallel starts from its identity element. For float sums that is +0,
 * which loses the sign of a sum of -0s, so loops that carry floats stay; so do those that carry indices, for which
 * MLIR's affine.parallel has no reductions. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/parallel.h"
#include "pass/core/pass.h"
#include "pass/analysis/reductions.h"

typedef NR_VEC(NrReduction) Reductions;

static void reductions_deinit(Reductions *r) {
  for (size_t i = 0; i < r->size; i++) nr_vec_deinit(&r->data[i].steps);
  nr_vec_deinit(r);
}

/* Matches all carried values as integer reductions, with their kinds. */
static bool find_reductions(NrOp *loop, Reductions *out, int64_t *kinds) {
  for (uint32_t i = 0; i < loop->num_results; i++) {
    NrReduction r;
    NrType type = nr_result(loop, i)->type;
    bool found = nr_reduction_of(loop, i, &r);
    nr_vec_push(out, r);
    if (!found || nr_type_is_float(type) || nr_type_is_index(type)) return false;
    const NrCombine *combine = nr_combine_of_op(r.steps.data[0].combine);
    if (!nr_type_is_scalar(type) || !nr_combine_neutral(combine, type)) return false;
    kinds[i] = nr_combine_atomic_kind(combine);
  }
  return true;
}

static bool is_independent(NrOp *loop) {
  NrMemAccesses list = {0};
  bool holds =
      nr_collect_accesses(loop, &list) && nr_iterations_independent(&list, nr_block_arg(nr_affine_for_body(loop), 0));
  nr_vec_deinit(&list);
  return holds;
}

static void parallelize(NrOp *loop, const Reductions *reductions, const int64_t *kinds) {
  NrBuilder b = nr_builder_before(loop);
  NrBlock *from = nr_affine_for_body(loop);
  NrOp *parallel = nr_affine_parallel_like(&b, loop, kinds);
  NrBlock *body = nr_affine_parallel_body(parallel);
  size_t inits = nr_affine_for_inits(loop).begin;
  NR_VEC(NrValue *) terms = {0};
  for (size_t i = 0; i < reductions->size; i++) {
    NrValue *term = nr_reduction_build_term(&reductions->data[i]);
    nr_vec_push(&terms, term == from->args[0] ? body->args[0] : term);
    NrValue *result = nr_result(parallel, i), *init = nr_operand(loop, inits + i);
    nr_value_replace_uses(nr_result(loop, i), nr_reduction_combine(&b, &reductions->data[i], init, result));
  }
  body->args[0]->name = from->args[0]->name;
  nr_value_replace_uses(from->args[0], body->args[0]);
  nr_op_erase(from->last);
  nr_block_splice(from, body, NULL);
  NrBuilder end = nr_builder_at_end(parallel->module, body, loop->loc);
  nr_build_op(&end, NR_OP_affine_yield, terms.data, terms.size, NULL, 0);
  for (size_t i = 0; i < reductions->size; i++) nr_reduction_erase(&reductions->data[i]);
  nr_vec_deinit(&terms);
  nr_op_erase(loop);
}

/* The number of enclosing parallel loops. */
static int64_t parallel_around(const NrOp *loop) {
  int64_t depth = 0;
  for (const NrOp *up = nr_op_parent(loop); up; up = nr_op_parent(up)) depth += nr_op_is(up, NR_OP_affine_parallel);
  return depth;
}

static NrStatus parallelize_run(NrPassContext *pass, NrOp *root) {
  int64_t given = nr_pass_int(pass, "max-nested"), max_nested = given < 0 ? INT64_MAX : given;
  bool with_reductions = nr_pass_flag(pass, "parallel-reductions");
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *loop = ops.data[i];
    if (!nr_op_is(loop, NR_OP_affine_for) || parallel_around(loop) >= max_nested) continue;
    if (loop->num_results && !with_reductions) continue;
    Reductions reductions = {0};
    int64_t *kinds = nr_calloc(loop->num_results + 1, sizeof *kinds);
    if (find_reductions(loop, &reductions, kinds) && is_independent(loop)) parallelize(loop, &reductions, kinds);
    reductions_deinit(&reductions);
    nr_free(kinds);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("max-nested", -1, -1, INT64_MAX, "greatest depth of nested parallel loops; -1: no limit"),
    NR_FLAG("parallel-reductions", false, "also loops that carry reductions"),
    {0},
};
NR_PASS(affine_parallelize, .name = "affine-parallelize", .on_while = NR_WHILE_BARRIER, .run = parallelize_run,
        .options = options,
        .doc = "makes affine loops parallel whose iterations are independent")
