/* parallel_to_dispatch.c - runs expensive parallel loops on all threads: outlines the body to a function and dispatches
 * it over a grid of workgroups.
 *   before  %r = scf.parallel (%i) = (%lb) to (%ub)       after  %w = points * picoseconds of the body
 *                step (%st) init (%z) -> i64 {                   %r = scf.if (%w >= 20000000) -> (i64) {
 *             body(%i, %m)                                         %p = memref.alloc(%n) : memref<?xi64>
 *             scf.reduce(%x : i64) { addi }                        rt.dispatch @ex::@f[%n](%m, %lb, .., %p)
 *           }                                                      scf.yield (%z + all of %p)
 *                                                                } else { the loop }
 *           func.func @f(%m, %lb, .., %p, %x, %y, %z) attributes {noria.dispatch} {      in executable @ex
 *             %s = scf.parallel (%k) = (%c0) to (points of this workgroup) step (%c1) init (0) {
 *               body(%lb + (%x * tile + %k) * %st, %m) .. }
 *             memref.store %s, %p[%x]
 *           }
 * The cost model estimates the time of a point (an iteration). A loop that takes less than nr_cost_dispatch_ns is not
 * dispatched; a workgroup takes about nr_cost_workgroup_ns. The test at run time is omitted when the number of points
 * is known. The first dim is tiled; the second and third are tiled too while one step in the dim before takes longer
 * than a workgroup should. The tiles depend on the number of points and the target only, not on the number of threads,
 * so that a sum of floats is the same in every run; its order differs from the loop's, as scf.parallel allows. Loops
 * with a reduction that has no known neutral element, and loops inside other dispatched loops, are not dispatched. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "dialect/arith/fold.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/parallel.h"
#include "pass/core/outline.h"
#include "target/cost.h"

enum { TILE_MULTIPLE = 16 }; /* of tiles of the last dim, when its points are vectorized */
/* Tiles of a last dim of unknown size are multiples of this or, smaller ones, powers of two: vectors leave no rest. */
enum { MOST_LANES = 64 };
enum { MAX_CUTS = 3, MIN_COST = 4, MAX_COST = 1 << 30 };
enum { LARGE_TRIPS = 1 << 24 }; /* larger counts are clamped to this, so that products do not overflow */
static const int64_t LARGE_WORK = INT64_C(1) << 38;

typedef struct Dispatch {
  NrPassContext *pass;
  NrExecutables *executables;
  int64_t min_dispatch, min_workgroup; /* in picoseconds: the minimal work of a dispatch, of a workgroup */
  int64_t point;                       /* estimated picoseconds of one point */
  NrOp *loop, *func; /* func: the function of the host program that has the loop */
  uint32_t rank, cuts;
  bool lanes;                          /* adjacent points of the last dim can be vectorized */
  NrOutline body;             /* the loop's body */
  NrValue **trips, **tiles;   /* a value for each dim; the tiles of the first `cuts` */
  NrValue *grid[MAX_CUTS], *work;
  NrValue **partials;         /* for each reduction: a buffer of the results of the workgroups */
} Dispatch;

/* ---- cost of a point --------------------------------------------------------------------------------------------- */

/* Whether the index advances by one from point to point: it is the induction variable iv, or a sum with it. The
 * accesses are contiguous when this holds for their last index. */
static bool moves_by_one(NrValue *index, NrValue *iv) {
  bool sum = index->op && (nr_op_is(index->op, NR_OP_arith_addi) || nr_op_is(index->op, NR_OP_arith_subi));
  return index == iv || (sum && (nr_op_lhs(index->op) == iv || nr_op_rhs(index->op) == iv));
}

static bool has_lanes(NrOp *loop) {
  NrBlock *body = nr_scf_parallel_body(loop);
  if (nr_scf_stays_scalar(loop)) return false;
  for (uint32_t i = 0; i < loop->num_results; i++)
    if (nr_type_is_float(nr_result(loop, i)->type)) return false; /* LLVM does not reorder float reductions */
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    bool access = nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store);
    if (!access && (op->num_regions || !nr_op_is_pure(op))) return false;
    NrValue *last = op->num_operands ? nr_operand(op, op->num_operands - 1) : NULL;
    if (access && nr_type_is_index(last->type) && !moves_by_one(last, body->args[body->num_args - 1])) return false;
  }
  return true;
}

/* Estimates the picoseconds of one point. The loop's total memory is not known; near the threshold of dispatching it is
 * about the size of the L2 cache, so the estimate uses that. */
static int64_t cost_of_point(const NrTarget *target, NrOp *loop) {
  int64_t told = nr_op_attr_int(loop, NR_A_noria_point_ns, 0); /* by who knows how long the loops in a point are */
  if (told > 0) return NR_MIN(told, MAX_COST / 1000) * 1000;
  NrCost cost = nr_cost_of_block(target, nr_scf_parallel_body(loop), has_lanes(loop));
  double ps = 1000 * nr_cost_ns(target, cost, (double)target->cache_bytes[1]);
  return (int64_t)NR_MAX(NR_MIN(ps, (double)MAX_COST), MIN_COST);
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static NrValue *number(NrBuilder *b, int64_t n) { return nr_arith_constant_index(b, n); }

/* The tile of dim d; when the number of points is known, adjusted so that all tiles are of similar size. */
static NrValue *tile_of(const Dispatch *w, NrBuilder *b, uint32_t d, NrValue *tile) {
  int64_t trips, points;
  if (!nr_value_constant_int(w->trips[d], &trips) || !nr_value_constant_int(tile, &points) || trips < 1) return tile;
  return number(b, nr_cost_tile(trips, points, w->lanes && d + 1 == w->rank ? TILE_MULTIPLE : 1));
}

/* How many steps in dim d, each of the time `each`, take as long as a workgroup should. */
static NrValue *share_of(const Dispatch *w, NrBuilder *b, uint32_t d, NrValue *each) {
  NrValue *least = nr_fold_binary(b, NR_OP_arith_maxui, each, number(b, 1));
  NrValue *tile = nr_fold_binary(b, NR_OP_arith_divui, number(b, w->min_workgroup), least);
  int64_t points, trips, lanes = TILE_MULTIPLE;
  bool open = d + 1 == w->rank && !nr_value_constant_int(w->trips[d], &trips);
  if (open && nr_value_constant_int(tile, &points) && points > lanes) {
    while (lanes < MOST_LANES && 2 * lanes <= points) lanes *= 2;
    return number(b, points - points % lanes);
  }
  return nr_fold_binary(b, NR_OP_arith_maxui, tile, number(b, 1));
}

/* Builds the sizes of the grid and of the tiles. cost[d] is the time of one step in dim d, which includes all points of
 * the dims after it. */
static void cut(Dispatch *w, NrBuilder *b) {
  NrValue **cost = NR_NEW_ARRAY(w->pass->scratch, NrValue *, w->rank);
  NrValue *share = number(b, w->min_workgroup), *one = number(b, 1);
  w->trips = NR_NEW_ARRAY(w->pass->scratch, NrValue *, w->rank);
  w->tiles = NR_NEW_ARRAY(w->pass->scratch, NrValue *, w->rank);
  w->work = number(b, w->point);
  for (uint32_t d = w->rank; d-- > 0;) {
    w->trips[d] = nr_trip_count_value(b, nr_parallel_lower(w->loop, d), nr_parallel_upper(w->loop, d),
                                      nr_parallel_step(w->loop, d));
    cost[d] = w->work;
    NrValue *trips = nr_fold_binary(b, NR_OP_arith_minui, w->trips[d], number(b, LARGE_TRIPS));
    w->work = nr_fold_binary(b, NR_OP_arith_minui, nr_fold_binary(b, NR_OP_arith_muli, w->work, trips),
                             number(b, LARGE_WORK));
  }
  for (uint32_t d = 0; d < w->cuts; d++) {
    NrValue *tile = share_of(w, b, d, cost[d]);
    int64_t known;
    if (d && nr_value_constant_int(cost[d - 1], &known)) tile = known > w->min_workgroup ? tile : w->trips[d];
    else if (d) tile = nr_arith_select(b, nr_arith_cmpi(b, NR_CMPI_UGT, cost[d - 1], share), tile, w->trips[d]);
    w->tiles[d] = tile_of(
        w, b, d, nr_fold_binary(b, NR_OP_arith_maxui, nr_fold_binary(b, NR_OP_arith_minui, tile, w->trips[d]), one));
    w->grid[d] = nr_fold_binary(b, NR_OP_arith_ceildivui, w->trips[d], w->tiles[d]);
  }
}

/* ---- what can be dispatched -------------------------------------------------------------------------------------- */

/* Whether partial results can be reduced in any order and grouping, without overflow that the loop does not have. */
static bool reduces_in_parts(NrBlock *reduction) {
  NrOp *op = nr_scf_combining_op(reduction);
  if (!op || !nr_reduction_neutral(reduction) || !nr_type_byte_size(nr_op_result(op)->type)) return false;
  return nr_reduction_op_is_exact(op) || nr_type_is_float(nr_op_result(op)->type);
}

static bool can_pass(NrType type) {
  if (nr_type_is_int(type)) return type->width <= 64;
  return nr_type_is_index(type) || nr_type_is_float(type) || type->kind == NR_TYPE_VECTOR ||
         (type->kind == NR_TYPE_MEMREF && nr_type_byte_size(type->elem));
}

static NrCapture capture(const NrValue *value) {
  if (nr_value_constant(value)) return NR_CAPTURE_REMAKE;
  return can_pass(value->type) ? NR_CAPTURE_PASS : NR_CAPTURE_REFUSE;
}

static bool runs_anywhere(NrOp *op, void *user) {
  (void)user;
  const char *dialect = op->info->dialect;
  bool of_host = nr_op_is(op, NR_OP_rt_call) || nr_op_is(op, NR_OP_rt_dispatch);
  return !of_host && dialect && strcmp(dialect, "flow") != 0;
}

/* Hoists memref.get_global out of the loop, so that global buffers become arguments of the function: an executable
 * cannot refer to globals of the host program. */
static void hoist_globals(NrOp *loop) {
  NrOpList ops = {0};
  nr_collect_ops(loop, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_memref_get_global)) {
      nr_op_unlink(ops.data[i]);
      nr_op_insert_before(ops.data[i], loop);
    }
  nr_vec_deinit(&ops);
}

/* Captures the values that the body uses; false when one cannot be passed. */
static bool capture_body(Dispatch *w) {
  for (NrOp *op = nr_scf_parallel_body(w->loop)->first; op; op = op->next)
    if (!nr_outline_needs_op(&w->body, op)) return false;
  return true;
}

static bool can_dispatch(Dispatch *w) {
  NrOp *reduce = nr_block_terminator(nr_scf_parallel_body(w->loop));
  for (uint32_t i = 0; i < w->loop->num_results; i++)
    if (!reduces_in_parts(nr_op_body(reduce, i))) return false;
  return !nr_op_attr(w->loop, NR_A_noInit) && capture_body(w);
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static NrOp *make_function(Dispatch *w, NrOp *executable) {
  NrBuilder b = nr_executable_builder(executable);
  NrOp *func = nr_outline_function(&w->body, &b, MAX_CUTS, NULL, 0);
  nr_op_set_attr(func, NR_A_noria_dispatch, nr_attr_unit(b.ctx));
  return func;
}

static NrValue *inside(const Dispatch *w, NrValue *value) { return nr_outline_inside(&w->body, value); }

/* Whether the tile of dim d is known to divide the number of points. */
static bool divides(const Dispatch *w, uint32_t d) {
  int64_t trips, tile;
  return nr_value_constant_int(w->trips[d], &trips) && nr_value_constant_int(w->tiles[d], &tile) && trips % tile == 0;
}

/* Builds the loop over the points of a workgroup, whose induction variables start at the workgroup's first point. */
static NrOp *fill_loop(Dispatch *w, NrBuilder *b, NrValue *const *ids) {
  NrArena *arena = w->pass->scratch;
  uint32_t rank = w->rank, count = w->loop->num_results;
  NrValue **list = NR_NEW_ARRAY(arena, NrValue *, 4 * rank + count);
  NrValue **zero = list, **one = list + rank, **points = list + 2 * rank, **start = list + 3 * rank;
  NrValue **neutral = list + 4 * rank;
  NrBlock *from = nr_scf_parallel_body(w->loop);
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *trips = inside(w, w->trips[d]);
    zero[d] = number(b, 0);
    one[d] = number(b, 1);
    points[d] = trips;
    start[d] = inside(w, nr_parallel_lower(w->loop, d));
    if (d >= w->cuts) continue;
    NrValue *tile = inside(w, w->tiles[d]), *first = nr_arith_binary(b, NR_OP_arith_muli, ids[d], tile);
    points[d] = divides(w, d)
                    ? tile
                    : nr_arith_binary(b, NR_OP_arith_minui, nr_arith_binary(b, NR_OP_arith_subi, trips, first), tile);
    NrValue *by = nr_arith_binary(b, NR_OP_arith_muli, first, inside(w, nr_parallel_step(w->loop, d)));
    start[d] = nr_arith_binary(b, NR_OP_arith_addi, start[d], by);
  }
  for (uint32_t i = 0; i < count; i++)
    neutral[i] = nr_arith_constant(b, nr_reduction_neutral(nr_op_body(from->last, i)));
  NrOp *loop = nr_scf_parallel(b, zero, points, one, rank, neutral, count);
  NrAttr hints = nr_op_attr(w->loop, NR_A_noria_loop);
  if (hints) nr_op_set_attr(loop, NR_A_noria_loop, hints);
  NrBuilder in = nr_scf_body_builder(nr_op_only_body(loop));
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *k = nr_scf_parallel_body(loop)->args[d], *step = inside(w, nr_parallel_step(w->loop, d));
    NrValue *moved = nr_arith_binary(&in, NR_OP_arith_muli, k, step);
    nr_map_set(&w->body.values, from->args[d], nr_arith_binary(&in, NR_OP_arith_addi, start[d], moved));
  }
  for (NrOp *op = from->first; op; op = op->next)
    nr_op_append(nr_scf_parallel_body(loop), nr_op_clone(b->module, op, &w->body.values));
  return loop;
}

static NrOp *build_executable(Dispatch *w) {
  NrOp *executable = nr_executable_create(w->loop), *func = make_function(w, executable);
  NrBlock *body = nr_op_only_body(func);
  NrBuilder b = nr_builder_at_end(func->module, body, w->loop->loc);
  NrValue **ids = body->args + w->body.inputs.size;
  NrOp *loop = fill_loop(w, &b, ids);
  if (loop->num_results) {
    NrValue *id = ids[w->cuts - 1]; /* x + gx * (y + gy * z) */
    for (uint32_t d = w->cuts - 1; d-- > 0;)
      id = nr_arith_binary(&b, NR_OP_arith_addi, ids[d],
                           nr_arith_binary(&b, NR_OP_arith_muli, id, inside(w, w->grid[d])));
    for (uint32_t i = 0; i < loop->num_results; i++)
      nr_build_store(&b, nr_result(loop, i), inside(w, w->partials[i]), &id, 1);
  }
  nr_build_op(&b, NR_OP_func_return, NULL, 0, NULL, 0);
  return nr_executable_share(w->executables, executable, w->func, "parallel", (NrStr){0});
}

/* ---- the host's part --------------------------------------------------------------------------------------------- */

/* Captures bounds, steps, tiles and grid sizes, which the function needs besides the captures of the body. */
static void capture_shape(Dispatch *w) {
  for (uint32_t d = 0; d < w->rank; d++) {
    nr_outline_needs(&w->body, nr_parallel_lower(w->loop, d));
    nr_outline_needs(&w->body, nr_parallel_step(w->loop, d));
    nr_outline_needs(&w->body, w->trips[d]);
    if (d < w->cuts) nr_outline_needs(&w->body, w->tiles[d]);
    if (d + 1 < w->cuts && w->loop->num_results) nr_outline_needs(&w->body, w->grid[d]);
  }
}

/* Reduces the results of the workgroups in order, starting with the loop's initial values. */
static void reduce_partials(Dispatch *w, NrBuilder *b, NrValue *groups, NrValue **results) {
  uint32_t count = w->loop->num_results;
  NrOp *reduce = nr_block_terminator(nr_scf_parallel_body(w->loop));
  NrValue *iv;
  for (uint32_t i = 0; i < count; i++) results[i] = nr_parallel_init(w->loop, i);
  NrOp *loop = nr_scf_open_for(b, number(b, 0), groups, number(b, 1), results, count, &iv);
  for (uint32_t i = 0; i < count; i++) {
    NrOp *op = nr_scf_combining_op(nr_op_body(reduce, i));
    NrMap map = {0};
    nr_map_set(&map, nr_op_body(reduce, i)->args[0], results[i]);
    nr_map_set(&map, nr_op_body(reduce, i)->args[1], nr_build_load(b, w->partials[i], &iv, 1));
    NrOp *copy = nr_op_clone(b->module, op, &map);
    nr_builder_insert(b, copy);
    results[i] = nr_op_result(copy);
    nr_map_deinit(&map);
  }
  nr_scf_close_for(b, loop, results, count);
}

/* Builds the dispatch at b; results replace those of the loop. */
static void build_dispatch(Dispatch *w, NrBuilder *b, NrValue **results) {
  uint32_t count = w->loop->num_results;
  NrValue *groups = w->grid[0];
  for (uint32_t d = 1; d < w->cuts; d++) groups = nr_fold_binary(b, NR_OP_arith_muli, groups, w->grid[d]);
  w->partials = NR_NEW_ARRAY(w->pass->scratch, NrValue *, count + 1);
  capture_shape(w);
  for (uint32_t i = 0; i < count; i++) {
    NrIndex size = nr_index_of(groups);
    w->partials[i] = nr_build_alloc(b, NR_OP_memref_alloc, nr_result(w->loop, i)->type, &size, 1);
    nr_outline_needs(&w->body, w->partials[i]);
  }
  NrOp *executable = build_executable(w);
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t d = 0; d < w->cuts; d++) nr_vec_push(&operands, w->grid[d]);
  for (size_t i = 0; i < w->body.inputs.size; i++) nr_vec_push(&operands, w->body.inputs.data[i]);
  NrOp *call = nr_build_op(b, NR_OP_rt_dispatch, operands.data, operands.size, NULL, 0);
  nr_op_set_segments(call, (uint32_t[]){w->cuts, (uint32_t)w->body.inputs.size}, 2);
  nr_op_set_attr(call, NR_A_entry, nr_executable_entry(executable));
  nr_vec_deinit(&operands);
  if (!count) return;
  reduce_partials(w, b, groups, results);
  for (uint32_t i = 0; i < count; i++) nr_build_op(b, NR_OP_memref_dealloc, &w->partials[i], 1, NULL, 0);
}

static void dispatch_where_heavy(Dispatch *w, NrBuilder *b) {
  uint32_t count = w->loop->num_results;
  NrValue **results = NR_NEW_ARRAY(w->pass->scratch, NrValue *, count + 1);
  NrType *types = NR_NEW_ARRAY(w->pass->scratch, NrType, count + 1);
  for (uint32_t i = 0; i < count; i++) types[i] = nr_result(w->loop, i)->type;
  NrOp *branch = nr_scf_if(b, nr_arith_cmpi(b, NR_CMPI_UGE, w->work, number(b, w->min_dispatch)), types, count, true);
  for (uint32_t i = 0; i < count; i++) nr_value_replace_uses(nr_result(w->loop, i), nr_result(branch, i));
  NrBuilder in = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrBuilder in_place = nr_scf_body_builder(nr_scf_if_else_body(branch));
  build_dispatch(w, &in, results);
  nr_scf_yield(&in, results, count);
  nr_op_unlink(w->loop);
  nr_builder_insert(&in_place, w->loop);
  for (uint32_t i = 0; i < count; i++) results[i] = nr_result(w->loop, i);
  nr_scf_yield(&in_place, results, count);
}

static void dispatch(Dispatch *w) {
  NrBuilder b = nr_builder_before(w->loop);
  int64_t work, known_points = 1;
  uint64_t trips;
  bool known = true;
  for (uint32_t d = 0; d < w->rank; d++) {
    known = nr_parallel_trip_count(w->loop, d, &trips) && known;
    if (known) known_points = NR_MIN(known_points * (int64_t)NR_MIN(trips, LARGE_TRIPS), LARGE_WORK);
  }
  if (known && known_points < MAX_COST && known_points * w->point < w->min_dispatch) return;
  cut(w, &b);
  if (!nr_value_constant_int(w->work, &work)) {
    dispatch_where_heavy(w, &b);
    return;
  }
  NrValue **results = NR_NEW_ARRAY(w->pass->scratch, NrValue *, w->loop->num_results + 1);
  build_dispatch(w, &b, results);
  for (uint32_t i = 0; i < w->loop->num_results; i++) nr_value_replace_uses(nr_result(w->loop, i), results[i]);
  nr_op_erase(w->loop);
}

static NrStatus parallel_to_dispatch_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  NrExecutables executables = {0};
  int64_t min_dispatch = nr_pass_int(pass, "min-dispatch-ns"), min_workgroup = nr_pass_int(pass, "min-workgroup-ns");
  if (min_dispatch < 0) min_dispatch = nr_cost_dispatch_ns(pass->target);
  if (min_workgroup < 0) min_workgroup = nr_cost_workgroup_ns(pass->target);
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (nr_is_erased(op) || !nr_op_is(op, NR_OP_scf_parallel)) continue;
    uint32_t rank = nr_parallel_rank(op);
    Dispatch w = {.pass = pass,
                  .executables = &executables,
                  .min_dispatch = min_dispatch * 1000,
                  .min_workgroup = NR_MAX(min_workgroup * 1000, 1),
                  .point = cost_of_point(pass->target, op),
                  .loop = op,
                  .rank = rank,
                  .cuts = NR_MIN(rank, MAX_CUTS),
                  .lanes = has_lanes(op)};
    w.func = nr_host_function(op);
    if (!w.func || !nr_walk_pre(op, runs_anywhere, NULL)) continue;
    hoist_globals(op);
    nr_outline_init(&w.body, pass, op, op, capture);
    w.body.own_table = true;
    if (can_dispatch(&w)) dispatch(&w);
    nr_outline_deinit(&w.body);
  }
  nr_vec_deinit(&ops);
  nr_executables_deinit(&executables);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("min-dispatch-ns", -1, -1, MAX_COST,
           "minimal estimated time of a loop that is dispatched; -1: the target's"),
    NR_INT("min-workgroup-ns", -1, -1, MAX_COST, "minimal estimated time of a workgroup; -1: the target's"),
    {0},
};
NR_PASS(parallel_to_dispatch, .name = "parallel-to-dispatch", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = parallel_to_dispatch_run, .options = options,
        .doc = "converts expensive parallel loops over buffers to dispatches, which run on all threads")
