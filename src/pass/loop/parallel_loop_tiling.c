/* parallel_loop_tiling.c - tiles innermost parallel loops: a loop over tiles around a loop over a tile's points.
 *   before  scf.parallel (%i) = (%lb)      after  %span = arith.muli %st, %points : index
 *             to (%ub) step (%st) {               scf.parallel (%t) = (%lb) to (%ub) step (%span) {
 *             body(%i)                              %left = arith.subi %ub, %t : index
 *           }                                       %size = arith.minui %left, %span : index
 *                                                   scf.parallel (%k) = (%c0) to (%size) step (%st) {
 *                                                     %i = arith.addi %k, %t : index
 *                                                     body(%i)
 *                                                   }
 *                                                 }
 * (%points is 4, or 1 where the product would overflow; %left is exact as an unsigned number.) Where all tiles are
 * known to be full, a constant replaces the minimum. With no-min-max-bounds all tiles have full size, and an scf.if
 * skips the points behind the bound. A reduction starts in each tile from its neutral element, so loops with reductions
 * that depend on the order stay. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "pass/loop/parallel.h"
#include "pass/analysis/ranges.h"
#include "pass/core/rewrite.h"

enum { MAX_SIZES = 16 };

typedef struct Tiling {
  int64_t sizes[MAX_SIZES];
  size_t num_sizes;
  bool whole_tiles;
} Tiling;

typedef struct Dim {
  NrValue *lower, *upper, *step, *span, *size;
  bool checked; /* some points of a tile may be past the bound */
} Dim;

static int64_t size_of(const Tiling *t, uint32_t d) { return d < t->num_sizes ? t->sizes[d] : 1; }

/* Whether the tiles of dim d are known to be full. */
static bool fills_tiles(const NrOp *op, uint32_t d, int64_t size) {
  uint64_t trips;
  return size == 1 || (nr_parallel_trip_count(op, d, &trips) && trips % (uint64_t)size == 0);
}

/* The step between tiles; NULL when it is known to overflow. Where it overflows in a run, tiles have one point. */
static NrValue *span_of(NrBuilder *b, NrValue *step, int64_t size) {
  int64_t number, span;
  if (size == 1) return step;
  if (nr_value_constant_int(step, &number))
    return nr_mul_i64(number, size, &span) ? nr_arith_constant_index(b, span) : NULL;
  NrValue *points = nr_arith_constant_index(b, size);
  if (nr_range_of(step).max > INT64_MAX / size) {
    NrValue *fits = nr_arith_cmpi(b, NR_CMPI_SLE, step, nr_arith_constant_index(b, INT64_MAX / size));
    points = nr_arith_select(b, fits, points, nr_arith_constant_index(b, 1));
  }
  return nr_arith_binary(b, NR_OP_arith_muli, step, points);
}

/* The inner loop's upper bound in dim d, for the tile that starts at first. */
static NrValue *tile_size(NrBuilder *b, const Dim *dim, NrValue *first, bool whole) {
  if (whole || dim->checked) return dim->span;
  return nr_arith_binary(b, NR_OP_arith_minui, nr_arith_binary(b, NR_OP_arith_subi, dim->upper, first), dim->span);
}

static void reduce_results(NrOp *outer, NrOp *inner, NrOp *like) {
  NR_VEC(NrValue *) results = {0};
  for (uint32_t i = 0; i < inner->num_results; i++) nr_vec_push(&results, nr_result(inner, i));
  NrBuilder b = nr_scf_body_builder(nr_op_only_body(outer));
  NrOp *reduce = nr_scf_reduce(&b, results.data, results.size);
  for (uint32_t i = 0; i < like->num_regions; i++) {
    NrMap map = {0};
    nr_region_clone(outer->module, nr_op_region(like, i), nr_op_region(reduce, i), &map);
    nr_map_deinit(&map);
  }
  nr_vec_deinit(&results);
}

/* Guards the body by an scf.if that tests the bounds; for points outside them, neutral elements are reduced. */
static void guard_body(NrOp *outer, NrOp *inner, const Dim *dims, uint32_t rank, NrOp *first, NrBuilder *b) {
  NrBlock *body = nr_scf_parallel_body(inner);
  NrOp *reduce = nr_block_terminator(body);
  NrValue *inside = NULL;
  for (uint32_t d = 0; d < rank; d++) {
    if (!dims[d].checked) continue;
    NrValue *left = nr_arith_binary(b, NR_OP_arith_subi, dims[d].upper, nr_scf_parallel_body(outer)->args[d]);
    NrValue *holds = nr_arith_cmpi(b, NR_CMPI_ULT, body->args[d], left);
    inside = inside ? nr_arith_binary(b, NR_OP_arith_andi, inside, holds) : holds;
  }
  NR_VEC(NrValue *) values = {0};
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < reduce->num_operands; i++) nr_vec_push(&types, nr_operand(reduce, i)->type);
  NrOp *guard = nr_scf_if(b, inside, types.data, types.size, types.size > 0);
  for (NrOp *op = first, *next; op && op != reduce; op = next) {
    next = op->next;
    nr_op_unlink(op);
    nr_op_append(nr_scf_if_then_body(guard), op);
  }
  for (uint32_t i = 0; i < reduce->num_operands; i++) nr_vec_push(&values, nr_operand(reduce, i));
  NrBuilder then = nr_scf_body_builder(nr_scf_if_then_body(guard));
  nr_scf_yield(&then, values.data, values.size);
  if (types.size) {
    NrBuilder outside = nr_scf_body_builder(nr_scf_if_else_body(guard));
    for (uint32_t i = 0; i < reduce->num_operands; i++)
      values.data[i] = nr_arith_constant(&outside, nr_reduction_neutral(nr_op_body(reduce, i)));
    nr_scf_yield(&outside, values.data, values.size);
    for (uint32_t i = 0; i < reduce->num_operands; i++) nr_op_set_operand(reduce, i, nr_result(guard, i));
  }
  nr_vec_deinit(&values);
  nr_vec_deinit(&types);
}

static bool bounds_of(NrOp *op, const Tiling *t, NrBuilder *b, Dim *dims) {
  for (uint32_t d = 0; d < nr_parallel_rank(op); d++) {
    dims[d] = (Dim){nr_parallel_lower(op, d), nr_parallel_upper(op, d), nr_parallel_step(op, d), NULL, NULL, false};
    dims[d].span = span_of(b, dims[d].step, size_of(t, d));
    if (!dims[d].span) return false;
    dims[d].checked = t->whole_tiles && !fills_tiles(op, d, size_of(t, d));
  }
  return true;
}

static void tile(NrPassContext *pass, NrOp *op, const Tiling *t) {
  NrBlock *body = nr_scf_parallel_body(op);
  uint32_t rank = nr_parallel_rank(op), count = op->num_results;
  NrBuilder b = nr_builder_before(op);
  Dim *dims = NR_NEW_ARRAY(pass->scratch, Dim, rank);
  NrValue **list = NR_NEW_ARRAY(pass->scratch, NrValue *, 5 * rank + 2 * count);
  NrValue **lower = list, **upper = list + rank, **step = list + 2 * rank, **ivs = list + 3 * rank;
  NrValue **zero = list + 4 * rank, **inits = list + 5 * rank, **neutral = inits + count;
  if (!bounds_of(op, t, &b, dims)) return;
  NrOp *reduce = nr_block_terminator(body);
  for (uint32_t d = 0; d < rank; d++) {
    zero[d] = nr_arith_constant_index(&b, 0);
    lower[d] = dims[d].lower;
    upper[d] = dims[d].upper;
    step[d] = dims[d].span;
  }
  for (uint32_t i = 0; i < count; i++) {
    inits[i] = nr_parallel_init(op, i);
    neutral[i] = nr_arith_constant(&b, nr_reduction_neutral(nr_op_body(reduce, i)));
  }
  NrOp *outer = nr_scf_parallel(&b, lower, upper, step, rank, inits, count);
  b = nr_scf_body_builder(nr_op_only_body(outer));
  for (uint32_t d = 0; d < rank; d++) {
    NrValue *first = nr_scf_parallel_body(outer)->args[d];
    upper[d] = tile_size(&b, &dims[d], first, fills_tiles(op, d, size_of(t, d)));
    step[d] = dims[d].step;
  }
  NrOp *inner = nr_scf_parallel(&b, zero, upper, step, rank, neutral, count);
  NrBlock *to = nr_scf_parallel_body(inner);
  b = nr_scf_body_builder(nr_op_only_body(inner));
  for (uint32_t d = 0; d < rank; d++) {
    ivs[d] = nr_arith_binary(&b, NR_OP_arith_addi, to->args[d], nr_scf_parallel_body(outer)->args[d]);
    ivs[d]->name = body->args[d]->name;
    nr_value_replace_uses(body->args[d], ivs[d]);
  }
  NrOp *first = body->first;
  bool checked = false;
  for (uint32_t d = 0; d < rank; d++) checked |= dims[d].checked;
  nr_block_splice(body, to, NULL);
  b = nr_builder_before(first);
  if (checked) guard_body(outer, inner, dims, rank, first, &b);
  reduce_results(outer, inner, reduce);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (!nr_str_is(op->attrs[i].name, "operandSegmentSizes"))
      nr_op_set_attr_named(outer, op->attrs[i].name.data, op->attrs[i].value);
  nr_replace_loop(op, outer);
}

static bool is_loop(NrOp *op, void *user) { return op == user || !nr_op_is(op, NR_OP_scf_parallel); }

static NrStatus parallel_loop_tiling_run(NrPassContext *pass, NrOp *root) {
  Tiling t = {.whole_tiles = nr_pass_flag(pass, "no-min-max-bounds")};
  NrOpList ops = {0};
  t.num_sizes = nr_pass_ints(pass, "parallel-loop-tile-sizes", t.sizes);
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) { /* inner loops come after outer ones in ops */
    NrOp *op = ops.data[i];
    bool innermost = nr_op_is(op, NR_OP_scf_parallel) && nr_walk_pre(op, is_loop, op);
    ops.data[i] = innermost && nr_parallel_reduces_exactly(op) ? op : NULL;
  }
  for (size_t i = 0; i < ops.size; i++)
    if (ops.data[i]) tile(pass, ops.data[i], &t);
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INTS("parallel-loop-tile-sizes", MAX_SIZES, 1, INT64_MAX, "points of a tile in each dim; default 1"),
    NR_FLAG("no-min-max-bounds", false, "tiles have full size, an scf.if skips points behind the bound"),
    {0},
};
NR_PASS(parallel_loop_tiling, .name = "scf-parallel-loop-tiling", .on_while = NR_WHILE_BARRIER,
        .run = parallel_loop_tiling_run, .options = options, .doc = "tiles parallel loops")
