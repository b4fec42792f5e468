/* loop_unroll.c - unrolls loops.
 *
 *   before  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %x) { %b = f(%i, %a); yield %b }
 *   after   %m = scf.for %i = %lb to %split step %s * 2 iter_args(%a = %x) {      split: lb + trips / 2 * 2 * s
 *             %b = f(%i, %a)
 *             %c = f(%i + %s, %b)
 *             yield %c
 *           }
 *           %r = scf.for %i = %split to %ub step %s iter_args(%a = %m) { .. }      only what is left
 *
 * An affine.for stays affine: its split is a symbol or an expression over outer loops' variables (loops_affine.c); it
 * is not unrolled where that might overflow. A loop with a constant trip count up to unroll-full-threshold is unrolled
 * fully; with unroll-factor=-1 and no threshold, every loop with a constant trip count is. No loop grows beyond 65536
 * ops, and no function beyond 2^17 (or by more than 2^15, if it is larger already). Unrolls innermost loops, or those
 * at loop-depth (0: the outermost). Where factor * step would overflow in a run, the second loop runs all
 * iterations. */
#include "dialect/arith/arith.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

/* Bounds on the size of code. Whether unrolling gains is the user's decision: the pipeline does not run this pass. */
enum { MAX_OPS = 65536, MAX_FACTOR = 4096, MAX_REPS = 16 };

/* Replaces the loop by copies of its body. */
static void unroll_whole(NrOp *loop, uint64_t trips) {
  NrBuilder b = nr_builder_before(loop);
  NR_VEC(NrValue *) carried = {0};
  bool uses_iv = nr_value_has_uses(nr_for_iv(loop));
  NrValue *lower = nr_for_bounds(&b, loop).lower;
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&carried, nr_for_init(loop, i));
  for (uint64_t n = 0; n < trips; n++) {
    NrValue *iv = uses_iv ? nr_for_build_later(&b, loop, lower, (int64_t)n) : lower;
    nr_for_clone_body(&b, loop, iv, carried.data);
  }
  nr_for_replace(loop, carried.data);
  nr_vec_deinit(&carried);
}

/* `loop` keeps the remaining iterations; it is erased when there are none. */
static void unroll_by(NrOp *loop, int64_t factor) {
  NrBuilder b = nr_builder_before(loop);
  NrForCut cut = nr_for_build_cut(&b, loop, factor);
  NR_VEC(NrValue *) carried = {0};
  if (cut.none) return;
  for (uint32_t i = 0; i < loop->num_results; i++) nr_vec_push(&carried, nr_for_init(loop, i));
  NrOp *main = nr_for_build_main(&b, loop, &cut, carried.data);
  NrBuilder inner = nr_scf_body_builder(nr_op_only_body(main));
  NrValue *iv = nr_for_iv(main);
  bool uses_iv = nr_value_has_uses(nr_for_iv(loop));
  for (uint32_t i = 0; i < loop->num_results; i++) carried.data[i] = nr_for_arg(main, i);
  for (int64_t k = 0; k < factor; k++)
    nr_for_clone_body(&inner, loop, uses_iv ? nr_for_build_later(&inner, loop, iv, k) : iv, carried.data);
  nr_for_yield(&inner, main, carried.data, carried.size);
  for (uint32_t i = 0; i < loop->num_results; i++) carried.data[i] = nr_result(main, i);
  if (cut.all) nr_for_replace(loop, carried.data);
  else nr_for_keep_rest(loop, &cut, carried.data);
  nr_vec_deinit(&carried);
}

/* ---- choosing loops ---------------------------------------------------------------------------------------------- */

typedef struct Options {
  int64_t factor, threshold, depth;
  bool up_to, cleanup;
  size_t left; /* budget of new ops */
} Options;

static bool find_other_loop(NrOp *op, void *user) { return op == user || !nr_is_for(op); }
static bool is_innermost(NrOp *loop) { return nr_walk_pre(loop, find_other_loop, loop); }

static int64_t depth_of(const NrOp *loop) {
  int64_t depth = 0;
  for (NrOp *up = nr_op_parent(loop); up; up = nr_op_parent(up)) depth += nr_is_for(up);
  return depth;
}

static bool is_wanted(const Options *options, NrOp *loop) {
  if (options->depth >= 0) return depth_of(loop) == options->depth;
  return options->factor == -1 || is_innermost(loop);
}

static void unroll(NrOp *loop, Options *options) {
  uint64_t trips;
  bool known = nr_for_trip_count(loop, &trips);
  size_t ops = nr_count_ops(loop, MAX_OPS);
  int64_t factor = options->factor;
  bool whole = known && ((factor == -1 && !options->threshold) || trips <= (uint64_t)options->threshold);
  if (whole && trips <= MAX_OPS / ops && nr_take_copies(&options->left, loop, trips)) {
    unroll_whole(loop, trips);
    return;
  }
  if (known && options->up_to && trips < (uint64_t)factor) factor = (int64_t)trips;
  if (factor < 2 || (uint64_t)factor > nr_for_largest(loop) || (uint64_t)factor > MAX_OPS / ops) return;
  if (!nr_take_copies(&options->left, loop, (uint64_t)factor)) return;
  unroll_by(loop, factor);
  if (options->cleanup && !nr_is_erased(loop) && nr_for_trip_count(loop, &trips) && trips < (uint64_t)factor)
    unroll_whole(loop, trips);
}

static void unroll_all(NrPassContext *pass, NrOp *func, Options *options) {
  NrOpList loops = {0};
  nr_collect_loops(func, &loops);
  bool *wanted = NR_NEW_ARRAY(pass->scratch, bool, loops.size + 1); /* evaluated before unrolling changes the nests */
  for (size_t i = 0; i < loops.size; i++) wanted[i] = is_wanted(options, loops.data[i]);
  for (size_t i = loops.size; i-- > 0;) /* inner loops first */
    if (wanted[i]) unroll(loops.data[i], options);
  nr_vec_deinit(&loops);
}

static NrStatus unroll_run(NrPassContext *pass, NrOp *func) {
  Options options = {.factor = nr_pass_int(pass, "unroll-factor"),
                     .threshold = nr_pass_int(pass, "unroll-full-threshold"),
                     .depth = nr_pass_int(pass, "loop-depth"),
                     .up_to = nr_pass_flag(pass, "unroll-up-to-factor"),
                     .cleanup = nr_pass_flag(pass, "cleanup-unroll"),
                     .left = nr_copies_left(func)};
  if (options.factor == 0) return nr_error(pass->ctx, NULL, "loop-unroll: unroll-factor is 1 or more, or -1 for all");
  if (nr_pass_flag(pass, "unroll-full")) options.factor = -1;
  for (int64_t i = nr_pass_int(pass, "unroll-num-reps"); i > 0; i--) unroll_all(pass, func, &options);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("unroll-factor", 4, -1, MAX_FACTOR, "iterations per new iteration; -1: all"),
    NR_FLAG("unroll-full", false, "same as unroll-factor=-1"),
    NR_INT("unroll-full-threshold", 0, 0, INT64_MAX,
           "fully unroll loops of at most this trip count; with unroll-factor=-1, only those"),
    NR_FLAG("unroll-up-to-factor", false, "unroll by the trip count, if that is less"),
    NR_FLAG("cleanup-unroll", false, "fully unroll the loop of remaining iterations, if its trip count is constant"),
    NR_INT("unroll-num-reps", 1, 1, MAX_REPS, "run the pass this many times"),
    NR_INT("loop-depth", -1, -1, INT64_MAX, "nesting depth of the loops to unroll; -1: innermost loops"),
    {0},
};
NR_PASS(loop_unroll, .name = "loop-unroll", .on_while = NR_WHILE_BARRIER, .on = "func.func", .run = unroll_run,
        .options = options,
        .doc = "unrolls loops fully, or by a factor with a loop for the remaining iterations")
