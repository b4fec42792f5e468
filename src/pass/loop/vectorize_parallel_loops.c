/* vectorize_parallel_loops.c - makes vectors of the iterations of parallel loops that LLVM's vectorizer leaves scalar:
 * those with loops inside that run a different number of times in each iteration, and those with functions whose code
 * branches, as sin's does.
 *
 *   before  scf.parallel (%i) = (%c0) to (%n)         after  %full = %n - %n mod 8
 *                step (%c1) {                                scf.for %i = %c0 to %full step %c8 {
 *             %x = memref.load %m[%i]                          %x = vector.load %m[%i]
 *             %r = scf.while (%y = %x) {                       %r = scf.while (%y = %x) {
 *               %c = cond(%y)                                    %go = cond(%y), in 8 lanes
 *               scf.condition(%c) %y                             %z = arith.select %go, body(%y), %y
 *             } do {                                             %any = vector.reduction <or>, %go
 *             ^bb0(%y):                                          scf.condition(%any) %z
 *               scf.yield body(%y)                             } do { .. scf.yield %z }
 *             }                                                vector.store %r, %o[%i]
 *             memref.store %r, %o[%i]                        }
 *             scf.reduce                                     the rest of them, by vector.maskedload ..
 *           }
 *
 * The lanes are iterations of the last dim. All of them go through the same code; a mask says which are active, and a
 * loop ends when none is (the rules are those of ispc: docs/while.md). What a lane loads, stores, divides or checks, it
 * does only where it is active. An scf.for becomes parallel first if its iterations are independent. Reductions of
 * integers, of floats that may be reassociated, and by maximumf and minimumf have a partial result in each lane.
 *
 * The pass takes loops that contain a loop which diverges or such a function, if by the estimate of lanes_cost.c
 * vectors are faster, and if none of the loops has noria.loop = {vectorize = false}. --explain-vectorize reports what
 * became of each of them, and why. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/core/pass.h"
#include "pass/loop/lanes.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"

static const double WORTH = 1.2; /* how much faster vectors must be by the estimate, which is coarse */
enum { LARGE_BODY = 400 };       /* ops: of a larger body there is one copy, under a mask */

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static NrOp *reduce_of(const NrLanes *l) { return l->body->last; }
static NrOp *combiner(const NrLanes *l, uint32_t i) { return nr_scf_combining_op(nr_op_body(reduce_of(l), i)); }

/* Combines two values by reduction i, both scalars or both vectors. */
static NrValue *combine(NrLanes *l, uint32_t i, NrValue *lhs, NrValue *rhs) {
  NrOp *op = combiner(l, i);
  NrOpState state = {.info = op->info, .loc = op->loc, .num_operands = 2, .operands = (NrValue *[]){lhs, rhs},
                     .num_results = 1, .result_types = &lhs->type, .num_attrs = op->num_attrs, .attrs = op->attrs};
  return nr_op_result(nr_build(&l->b, &state));
}

static NrValue *neutral(NrLanes *l, uint32_t i) {
  return nr_arith_constant(&l->b, nr_reduction_neutral(nr_op_body(reduce_of(l), i)));
}

/* The loop's result: its initial value combined with all lanes of acc. */
static NrValue *reduce_lanes(NrLanes *l, uint32_t i, NrValue *acc) {
  const NrCombine *kind = nr_combine_of_op(combiner(l, i)->info->id);
  NrValue *all = nr_lanes_reduce(l, kind->vector, acc, nr_op_attr(combiner(l, i), NR_A_fastmath));
  return combine(l, i, nr_parallel_init(l->loop, i), all);
}

/* ---- the loop over vectors --------------------------------------------------------------------------------------- */

/* Builds the iterations from number n on, for the lanes of mask; accs: what the lanes have reduced so far. */
static void emit_iterations(NrLanes *l, NrValue *n, NrValue *mask, NrValue **accs) {
  NrValue *lower = nr_parallel_lower(l->loop, 0), *step = nr_parallel_step(l->loop, 0);
  NrValue *lanes = nr_lanes_numbers(l);
  NrValue *far = l->adjacent ? n : nr_arith_binary(&l->b, NR_OP_arith_muli, n, step);
  if (!l->adjacent) lanes = nr_arith_binary(&l->b, NR_OP_arith_muli, lanes, nr_lanes_splat(l, step));
  int64_t zero;
  bool from_zero = nr_value_constant_int(lower, &zero) && zero == 0;
  l->first = from_zero ? far : nr_arith_binary(&l->b, NR_OP_arith_addi, lower, far);
  NrValue *iv = nr_arith_binary(&l->b, NR_OP_arith_addi, nr_lanes_splat(l, l->first), lanes);
  iv->name = l->iv->name;
  nr_map_set(&l->values, l->iv, iv);
  nr_lanes_emit_block(l, l->body, mask);
  for (uint32_t i = 0; i < l->loop->num_results; i++) {
    NrValue *sum = combine(l, i, accs[i], nr_lanes_vector(l, nr_operand(reduce_of(l), i)));
    accs[i] = nr_lanes_blend(l, mask, sum, accs[i]);
  }
}

static NrValue *create_mask(NrLanes *l, NrValue *count) {
  NrType type = nr_type_vector(&l->count, 1, nr_type_i1(l->b.ctx));
  return nr_lanes_of_flat(l, nr_build_value(&l->b, NR_OP_vector_create_mask, type, &count, 1));
}

/* All iterations in one loop, each under its mask. */
static void emit_masked_loop(NrLanes *l, NrValue *trips, NrValue **accs, uint32_t count) {
  NrValue *n;
  NrOp *loop = nr_scf_open_for(&l->b, nr_arith_constant_index(&l->b, 0), trips,
                               nr_arith_constant_index(&l->b, l->count), accs, count, &n);
  NrValue *left = nr_arith_binary(&l->b, NR_OP_arith_subi, trips, n);
  emit_iterations(l, n, create_mask(l, left), accs);
  nr_scf_close_for(&l->b, loop, accs, count);
}

/* A loop over full vectors, without a mask, and the rest under one. */
static void emit_full_and_rest(NrLanes *l, NrValue *trips, NrValue **accs, uint32_t count) {
  NrValue *n, *wide = nr_arith_constant_index(&l->b, l->count);
  NrValue *rest = nr_arith_binary(&l->b, NR_OP_arith_remui, trips, wide);
  NrValue *full = nr_arith_binary(&l->b, NR_OP_arith_subi, trips, rest);
  NrOp *loop = nr_scf_open_for(&l->b, nr_arith_constant_index(&l->b, 0), full, wide, accs, count, &n);
  emit_iterations(l, n, NULL, accs);
  nr_scf_close_for(&l->b, loop, accs, count);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&types, accs[i]->type);
  NrValue *some = nr_arith_cmpi(&l->b, NR_CMPI_NE, rest, nr_arith_constant_index(&l->b, 0));
  NrOp *branch = nr_scf_if(&l->b, some, types.data, count, count > 0);
  NrBuilder outer = l->b;
  if (count) {
    l->b = nr_scf_body_builder(nr_scf_if_else_body(branch));
    nr_scf_yield(&l->b, accs, count);
  }
  l->b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  emit_iterations(l, full, create_mask(l, rest), accs);
  nr_scf_yield(&l->b, accs, count);
  l->b = outer;
  for (uint32_t i = 0; i < count; i++) accs[i] = nr_result(branch, i);
  nr_vec_deinit(&types);
}

/* Replaces the loop, an scf.parallel of one dim. */
static void vectorize(NrPassContext *pass, NrLanes *l) {
  uint32_t count = l->loop->num_results;
  NrValue **accs = NR_NEW_ARRAY(pass->scratch, NrValue *, count + 1);
  l->b = nr_builder_before(l->loop);
  nr_lanes_shape(l);
  NrValue *trips = nr_trip_count_value(&l->b, nr_parallel_lower(l->loop, 0), nr_parallel_upper(l->loop, 0),
                                       nr_parallel_step(l->loop, 0));
  for (uint32_t i = 0; i < count; i++) accs[i] = nr_lanes_splat(l, neutral(l, i));
  bool large = nr_count_ops(l->loop, LARGE_BODY) >= LARGE_BODY;
  if (large) emit_masked_loop(l, trips, accs, count);
  else emit_full_and_rest(l, trips, accs, count);
  for (uint32_t i = 0; i < count; i++) {
    NrValue *result = reduce_lanes(l, i, accs[i]);
    result->name = nr_result(l->loop, i)->name;
    nr_value_replace_uses(nr_result(l->loop, i), result);
  }
  nr_op_erase(l->loop);
}

/* ---- loops of several dims --------------------------------------------------------------------------------------- */

/* Makes a loop of its own of the last dim of op. Returns it; the loop around it replaces op. The results of the inner
 * loop, which begins with the neutral elements, are reduced by the outer one. */
static NrOp *split_last_dim(NrOp *op) {
  uint32_t rank = nr_parallel_rank(op), outer_rank = rank - 1, count = op->num_results;
  NrBlock *body = nr_scf_parallel_body(op);
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(NrValue *) bounds = {0};
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&inits, nr_parallel_init(op, i));
  for (uint32_t g = 0; g < 3; g++)
    for (uint32_t d = 0; d < outer_rank; d++) nr_vec_push(&bounds, nr_operand(op, g * rank + d));
  NrBuilder b = nr_builder_before(op);
  NrOp *outer = nr_scf_parallel(&b, bounds.data, bounds.data + outer_rank, bounds.data + 2 * outer_rank, outer_rank,
                                inits.data, count);
  b = nr_builder_at_end(op->module, nr_scf_parallel_body(outer), op->loc);
  for (uint32_t i = 0; i < count; i++)
    inits.data[i] = nr_arith_constant(&b, nr_reduction_neutral(nr_op_body(body->last, i)));
  NrOp *inner = nr_scf_parallel(&b, &(NrValue *){nr_parallel_lower(op, outer_rank)},
                                &(NrValue *){nr_parallel_upper(op, outer_rank)},
                                &(NrValue *){nr_parallel_step(op, outer_rank)}, 1, inits.data, count);
  for (uint32_t i = 0; i < count; i++) inits.data[i] = nr_result(inner, i);
  NrOp *reduce = nr_scf_reduce(&b, inits.data, count);
  NrMap map = {0};
  for (uint32_t i = 0; i < count; i++)
    nr_region_clone(op->module, nr_op_region(body->last, i), nr_op_region(reduce, i), &map);
  nr_map_deinit(&map);
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *iv = d < outer_rank ? nr_scf_parallel_body(outer)->args[d] : nr_scf_parallel_body(inner)->args[0];
    iv->name = body->args[d]->name;
    nr_value_replace_uses(body->args[d], iv);
  }
  nr_block_splice(body, nr_scf_parallel_body(inner), NULL);
  nr_replace_loop(op, outer);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&bounds);
  return inner;
}

/* ---- what is vectorized ------------------------------------------------------------------------------------------ */

typedef struct Remark {
  NrLoc loc;
  const char *kind; /* a string of this file or lanes_uniform.c, compared by address */
} Remark;

typedef struct Finder {
  NrPassContext *pass;
  int64_t lanes; /* that the pass was asked for, or 0 */
  NR_VEC(Remark) remarks;
} Finder;

static NrLanes open_lanes(const Finder *f, NrOp *loop) {
  NrBlock *body = nr_op_only_body(loop);
  bool parallel = nr_op_is(loop, NR_OP_scf_parallel);
  uint32_t last = parallel ? nr_parallel_rank(loop) - 1 : 0;
  int64_t step;
  NrValue *by = parallel ? nr_parallel_step(loop, last) : nr_scf_for_step(loop);
  NrLanes l = {.module = loop->module, .target = f->pass->target, .loop = loop, .body = body, .iv = body->args[last],
               .b = nr_builder_before(loop), .adjacent = nr_value_constant_int(by, &step) && step == 1};
  nr_lanes_find_varying(&l);
  return l;
}

static void close_lanes(NrLanes *l) {
  nr_map_deinit(&l->varying);
  nr_map_deinit(&l->values);
}

static uint64_t trips_of(const NrOp *loop) {
  uint64_t trips;
  bool known = nr_op_is(loop, NR_OP_scf_for) ? nr_scf_for_trip_count(loop, &trips)
                                             : nr_parallel_trip_count(loop, nr_parallel_rank(loop) - 1, &trips);
  return known ? trips : UINT64_MAX;
}

/* Whether a remark of this kind about the loop is due: --explain-vectorize is given, and none was made. The loops that
 * passes have made of one in the program, as that of a dispatch and the one that runs without threads, have one. */
static bool explains(Finder *f, const NrOp *loop, const char *kind) {
  if (!f->pass->explain) return false;
  for (size_t i = 0; i < f->remarks.size; i++)
    if (f->remarks.data[i].loc == loop->loc && f->remarks.data[i].kind == kind) return false;
  nr_vec_push(&f->remarks, ((Remark){loop->loc, kind}));
  return true;
}

/* line:column of the op; with its file, where that is another than the loop's. */
static void place_of(const NrOp *op, const NrOp *loop, NrBuf *out) {
  NrLoc at = nr_loc_in_file(op->loc), around = nr_loc_in_file(loop->loc);
  if (at && around && nr_str_eq(at->name, around->name)) nr_buf_printf(out, "%u:%u", at->line, at->column);
  else nr_loc_place(op->loc, out);
}

/* A remark at the loop, which names the op that is the reason, if it is one. */
static void explain(Finder *f, const NrOp *loop, const NrOp *at, const char *why) {
  if (!explains(f, loop, why)) return;
  NrContext *ctx = f->pass->ctx;
  if (!at) {
    nr_remark(ctx, loop->loc, "not vectorized: %s", why);
    return;
  }
  NrBuf place = {0};
  NrStr name = nr_op_info_shown_name(ctx, at->info);
  place_of(at, loop, &place);
  nr_remark(ctx, loop->loc, "not vectorized: '%.*s' op%s%s %s", NR_STR_ARG(name), place.size ? " at " : "",
            place.size ? place.data : "", why);
  nr_note(ctx, at->loc, "'%.*s' op is here", NR_STR_ARG(name));
  nr_buf_deinit(&place);
}

/* Why the loop's reductions have no partial results in lanes; NULL if they do. */
static const char *refuse_reductions(const NrOp *loop) {
  if (!loop->num_results || nr_parallel_reduces_exactly(loop)) return NULL;
  NrOp *reduce = nr_block_terminator(nr_scf_parallel_body(loop));
  if (nr_op_attr(loop, NR_A_noInit)) return "its reductions have no initial values";
  for (uint32_t i = 0; i < loop->num_results; i++)
    if (!nr_reduction_neutral(nr_op_body(reduce, i))) return "its reduction is not by one op with a neutral element";
  return "the order of its reduction would change the result";
}

typedef struct Scalars {
  const NrLanes *l;
  NrOp *found;
} Scalars;

/* Stops at a loop that says itself that it stays scalar, if it is the one that would have lanes, or diverges in it. */
static bool allows_lanes(NrOp *op, void *user) {
  Scalars *s = user;
  bool inner = nr_op_is(op, NR_OP_scf_for) || nr_op_is(op, NR_OP_scf_while);
  bool counts = op == s->l->loop || (inner && nr_lanes_loop_diverges(s->l, op));
  if (!counts || !nr_scf_stays_scalar(op)) return true;
  s->found = op;
  return false;
}

/* Whether the loop gets lanes; sets their number. */
static bool is_worth_it(Finder *f, NrLanes *l) {
  NrOp *at = NULL;
  Scalars scalars = {.l = l};
  if (!nr_walk_pre(l->loop, allows_lanes, &scalars))
    return explain(f, l->loop, scalars.found, "has noria.loop = {vectorize = false}"), false;
  const char *why = nr_lanes_refuse(l, &at);
  if (why) return explain(f, l->loop, at, why), false;
  why = refuse_reductions(l->loop);
  if (why) return explain(f, l->loop, NULL, why), false;
  l->count = f->lanes ? f->lanes : nr_lanes_choose(l, trips_of(l->loop));
  if (!l->count) return explain(f, l->loop, NULL, "it has too few iterations"), false;
  NrLanesCost cost = nr_lanes_cost(l);
  bool pays = f->lanes || cost.scalar > WORTH * cost.vector;
  if (explains(f, l->loop, pays ? "" : "not "))
    nr_remark(f->pass->ctx, l->loop->loc,
              "%svectorized: %lld iterations take %.0f cycles one by one, %.0f in %lld lanes", pays ? "" : "not ",
              (long long)l->count, cost.scalar, cost.vector, (long long)l->count);
  return pays;
}

/* Whether LLVM's vectorizer leaves the loop scalar. */
static bool stays_scalar(const NrLanes *l) {
  return nr_lanes_have_divergent_loop(l) || nr_lanes_have_branching_function(l);
}

/* Whether the block has an scf.while on scalars, other than in a parallel loop inside. */
static bool has_while(NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next) {
    const NrBlock *before = nr_op_is(op, NR_OP_scf_while) ? nr_scf_while_before_body(op) : NULL;
    if (before) return !before->num_args || before->args[0]->type->kind != NR_TYPE_VECTOR;
    for (uint32_t r = 0; !nr_op_is(op, NR_OP_scf_parallel) && r < op->num_regions; r++)
      if (nr_op_body(op, r) && has_while(nr_op_body(op, r))) return true;
  }
  return false;
}

/* An op in the block with a region of several blocks, as a loop with breaks that lift-cf-to-scf has left; or NULL. */
static NrOp *find_blocks(const NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next)
    for (uint32_t r = 0; r < op->num_regions; r++) {
      const NrBlock *first = nr_op_region(op, r)->first;
      if (first && first->next) return op;
      NrOp *inner = first ? find_blocks(first) : NULL;
      if (inner) return inner;
    }
  return NULL;
}

static void visit_parallel(Finder *f, NrOp *loop) {
  NrLanes l = open_lanes(f, loop);
  bool scalar = stays_scalar(&l), takes = scalar && is_worth_it(f, &l);
  NrOp *blocks = scalar ? NULL : find_blocks(l.body);
  if (blocks) explain(f, loop, blocks, "holds blocks");
  else if (!scalar && has_while(l.body)) explain(f, loop, NULL, "its inner loops run equally often in each iteration");
  int64_t count = l.count;
  close_lanes(&l);
  if (!takes) return;
  nr_lanes_expand_switches(loop);
  if (nr_parallel_rank(loop) > 1) loop = split_last_dim(loop);
  l = open_lanes(f, loop);
  l.count = count;
  vectorize(f->pass, &l);
  close_lanes(&l);
}

/* The lanes are then those of the loop around it. */
static bool is_in_parallel(const NrOp *loop) {
  const NrOp *around = nr_op_parent(loop);
  while (around && !nr_op_has(around, NR_ISOLATED) && !nr_op_is(around, NR_OP_scf_parallel))
    around = nr_op_parent(around);
  return nr_op_is(around, NR_OP_scf_parallel);
}

static void visit_for(Finder *f, NrOp *loop) {
  NrLanes l = open_lanes(f, loop);
  bool takes = stays_scalar(&l);
  NrOp *parallel = takes ? nr_for_to_parallel(loop) : NULL, *blocks = takes ? NULL : find_blocks(l.body);
  close_lanes(&l);
  if (parallel) visit_parallel(f, parallel);
  else if (is_in_parallel(loop)) return;
  else if (blocks && nr_for_is_independent(loop)) explain(f, loop, blocks, "holds blocks");
  else if (takes || blocks) explain(f, loop, NULL, "its iterations may depend on each other");
}

/* Whether op begins at `from` and has at most `length` iterations; length may be NULL. */
static bool is_strip(const NrOp *op, const NrValue *from, const NrValue *length) {
  if (!nr_op_is(op, NR_OP_scf_for) || nr_scf_for_lower_bound(op) != from) return false;
  const NrOp *end = nr_scf_for_upper_bound(op)->op;
  const NrOp *size = nr_op_is(end, NR_OP_arith_addi) && nr_op_lhs(end) == from ? nr_op_rhs(end)->op : NULL;
  return !length || (nr_op_is(size, NR_OP_arith_minui) && nr_op_rhs(size) == length);
}

/* Whether a strip begins at the value, or at its sum with a lower bound. */
static bool begins_strip(const NrValue *value, const NrValue *length, bool sum) {
  for (const NrUse *use = value->first_use; use; use = use->next) {
    if (is_strip(use->owner, value, length)) return true;
    if (sum && nr_op_is(use->owner, NR_OP_arith_addi) && begins_strip(nr_op_result(use->owner), length, false))
      return true;
  }
  return false;
}

/* Whether the iterations of an scf.for are strips of a loop inside, which begin at its induction variable, as
 * convert-linalg-to-loops makes them, or at a multiple of it, as insert-loop-polls does: vectors are made of that one,
 * whose iterations lie side by side. */
static bool is_over_strips(const NrOp *loop) {
  const NrValue *iv = nr_op_only_body(loop)->args[0];
  if (begins_strip(iv, NULL, false)) return true;
  for (const NrUse *use = iv->first_use; use; use = use->next)
    if (nr_op_is(use->owner, NR_OP_arith_muli) && nr_op_rhs(use->owner) != iv &&
        begins_strip(nr_op_result(use->owner), nr_op_rhs(use->owner), true))
      return true;
  return false;
}

static bool is_candidate(const NrOp *op) {
  return nr_op_is(op, NR_OP_scf_parallel) || (nr_op_is(op, NR_OP_scf_for) && !is_over_strips(op));
}

static NrStatus vectorize_run(NrPassContext *pass, NrOp *root) {
  Finder f = {.pass = pass, .lanes = nr_pass_int(pass, "lanes")};
  NrOpList loops = {0};
  nr_collect_post(root, is_candidate, &loops); /* inner loops first: of a nest, the innermost that diverges has lanes */
  for (size_t i = 0; i < loops.size; i++) {
    NrOp *loop = loops.data[i];
    if (nr_is_erased(loop)) continue;
    if (nr_op_is(loop, NR_OP_scf_for)) visit_for(&f, loop);
    else if (nr_parallel_rank(loop)) visit_parallel(&f, loop);
  }
  nr_vec_deinit(&loops);
  nr_vec_deinit(&f.remarks);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("lanes", 0, 0, 64, "as many lanes, whatever the cost model says; 0: it decides"),
    {0},
};
NR_PASS(vectorize_parallel_loops, .name = "vectorize-parallel-loops", .on_while = NR_WHILE_HANDLES,
        .explains = "vectorize", .run = vectorize_run,
        .options = options, .doc = "makes vectors with masks of parallel loops whose iterations loop differently often")
