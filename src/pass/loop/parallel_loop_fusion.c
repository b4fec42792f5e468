/* parallel_loop_fusion.c - fuses adjacent parallel loops over the same points.
 *
 *   before  scf.parallel (%i) = (%a) to (%b) step (%s) {      after  scf.parallel (%i) = (%a) to (%b) step (%s) {
 *             memref.store %x, %sum[%i]                                memref.store %x, %sum[%i]
 *           }                                                          %y = memref.load %sum[%i]
 *           scf.parallel (%j) = (%a) to (%b) step (%s) {               memref.store %y, %result[%i]
 *             %y = memref.load %sum[%j]                                scf.reduce
 *             memref.store %y, %result[%j]                           }
 *           }
 *
 * A point of the second loop may only depend on the same point of the first loop (dependence.h). Where that requires
 * that two memrefs do not overlap, the program tests it:
 *
 *   %apart = (the last element of %A is before the first one of %result, or vice versa)
 *   scf.if %apart { the fused loop } else { the loops }
 *
 * (or the two are one buffer, where that is harmless). The option no-overlap-tests leaves such loops unfused. Ops
 * between the loops stay before the fused one, so they must be independent of the first loop. Dims may be in another
 * order, except for reductions that depend on it. Inner loops of fused loops become adjacent, and may be fused too. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/loops.h"
#include "pass/loop/parallel.h"
#include "pass/core/rewrite.h"

/* Bounds on what is compared, not on time. */
enum { MAX_PAIRS = 12, MAX_ACCESSES = 256, MAX_DIMS = 8, MAX_LOOPS = 16, MAX_DEPTH = 6, MAX_PERMUTED = 4 };

/* Memrefs of two loops that must not overlap; with may_be_one they may be the same buffer. */
typedef struct Pair {
  NrValue *first, *second;
  bool may_be_one;
} Pair;

/* Loops of one block, in order, to be fused. */
typedef struct Group {
  NrOp *loops[MAX_LOOPS];
  NrMemAccesses accesses[MAX_LOOPS];
  size_t count;
  Pair pairs[MAX_PAIRS];
  size_t num_pairs;
} Group;

/* ---- legality ---------------------------------------------------------------------------------------------------- */

/* Whether both are the same value, equal constants, or results of equal pure ops on such values. */
static bool same_value(NrValue *a, NrValue *b, int depth) {
  NrOp *x = a->op, *y = b->op;
  NrAttr constant = nr_value_constant(a);
  if (a == b || (constant && constant == nr_value_constant(b))) return true;
  if (!x || !y || depth == 0 || x->info != y->info || a->index != b->index || !nr_op_is_pure(x)) return false;
  if (x->num_regions || x->num_operands != y->num_operands || x->num_attrs != y->num_attrs) return false;
  for (uint32_t i = 0; i < x->num_attrs; i++)
    if (x->attrs[i].value != nr_op_attr_named(y, x->attrs[i].name.data)) return false;
  for (uint32_t i = 0; i < x->num_operands; i++)
    if (!same_value(nr_operand(x, i), nr_operand(y, i), depth - 1)) return false;
  return a->type == b->type;
}

static bool same_points(NrOp *a, NrOp *b) {
  uint32_t rank = nr_parallel_rank(a);
  if (nr_op_attr(a, NR_A_noInit) || nr_op_attr(b, NR_A_noInit))
    return false; /* the first point of each loop gives the initial value */
  if (rank != nr_parallel_rank(b) || rank > MAX_DIMS) return false;
  for (uint32_t i = 0; i < 3 * rank; i++)
    if (!same_value(nr_operand(a, i), nr_operand(b, i), MAX_DEPTH)) return false;
  return true;
}

/* Whether no op in `op` uses a result of `loop`. */
static bool uses_nothing_of(NrOp *op, void *loop) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->op == loop) return false;
  return true;
}

/* Whether the loop may move past op. */
static bool passes(const NrMemAccesses *in_loop, NrOp *loop, NrOp *op) {
  NrMemAccesses list = {0};
  bool free = nr_walk_pre(op, uses_nothing_of, loop) && nr_collect_accesses(op, &list);
  for (size_t i = 0; i < in_loop->size && free; i++)
    for (size_t k = 0; k < list.size && free; k++) free = !nr_may_conflict(&in_loop->data[i], &list.data[k], NULL, 0);
  nr_vec_deinit(&list);
  return free;
}

/* Whether b at a point of the second loop may touch what a touches at another point of the first. Tries each d as the
 * first dim in which the points differ. */
static bool meet_elsewhere(NrOp *first, NrOp *second, const NrMemAccess *a, const NrMemAccess *b) {
  uint32_t rank = nr_parallel_rank(first);
  NrDistance distances[MAX_DIMS];
  for (uint32_t d = 0; d < rank; d++)
    for (int later = 0; later < 2; later++) {
      for (uint32_t k = 0; k < rank; k++) {
        bool same = k < d;
        distances[k] = (NrDistance){nr_scf_parallel_body(first)->args[k], nr_scf_parallel_body(second)->args[k],
                                    same ? 0 : -NR_FAR, same ? 0 : NR_FAR};
      }
      if (later) distances[d].min = 1;
      else distances[d].max = -1;
      if (nr_may_conflict(a, b, distances, rank)) return true;
    }
  return false;
}

/* Whether memref is defined before the group's first loop. */
static bool is_from_outside(const Group *g, const NrOp *last, const NrValue *memref) {
  for (size_t i = 0; i < g->count; i++)
    if (!nr_value_is_outside(memref, g->loops[i])) return false;
  if (!nr_value_is_outside(memref, last)) return false;
  return !(memref->op && memref->op->block == last->block && nr_op_is_before(g->loops[0], memref->op));
}

/* Whether the address range of a memref of this type can be computed: known rank, byte-sized elements. */
static bool has_range(NrType type) {
  int64_t strides[NR_MAX_RANK], offset;
  return type->kind == NR_TYPE_MEMREF && !type->space && nr_type_byte_size(type->elem) &&
         nr_memref_strides(type, strides, &offset);
}

static Pair *find_pair(Group *f, NrValue *first, NrValue *second) {
  for (size_t i = 0; i < f->num_pairs; i++)
    if (f->pairs[i].first == first && f->pairs[i].second == second) return &f->pairs[i];
  if (f->num_pairs == MAX_PAIRS) return NULL;
  bool may_be_one = first->type == second->type && nr_memref_is_identity(first->type);
  f->pairs[f->num_pairs] = (Pair){first, second, may_be_one};
  return &f->pairs[f->num_pairs++];
}

/* Checks all pairs of accesses of loop m of the group and the next loop; collects the memrefs that a test must prove
 * not to overlap. False: the loops cannot be fused. */
static bool may_join(Group *g, size_t m, NrOp *next, const NrMemAccesses *in_next) {
  for (size_t i = 0; i < g->accesses[m].size; i++)
    for (size_t k = 0; k < in_next->size; k++) {
      const NrMemAccess *a = &g->accesses[m].data[i];
      NrMemAccess b = in_next->data[k];
      if (!meet_elsewhere(g->loops[m], next, a, &b)) continue;
      if (a->memref == b.memref || !is_from_outside(g, next, a->memref) || !is_from_outside(g, next, b.memref))
        return false;
      if (!has_range(a->memref->type) || !has_range(b.memref->type)) return false;
      Pair *pair = find_pair(g, a->memref, b.memref);
      if (!pair) return false;
      b.memref = a->memref;
      pair->may_be_one = pair->may_be_one && !meet_elsewhere(g->loops[m], next, a, &b);
    }
  return true;
}

/* ---- the test ---------------------------------------------------------------------------------------------------- */

typedef struct Range {
  NrValue *start, *begin, *end; /* addresses: of the buffer; of the first element; past the last element */
} Range;

static NrValue *times(NrBuilder *b, NrValue *value, int64_t factor) {
  return nr_arith_binary(b, NR_OP_arith_muli, value, nr_arith_constant_index(b, factor));
}

static NrValue *pointer_of(NrBuilder *b, NrValue *memref) {
  return nr_build_value(b, NR_OP_memref_extract_aligned_pointer_as_index, nr_type_index(b->ctx), &memref, 1);
}

/* The range of a row-major buffer. */
static Range whole_range(NrBuilder *b, NrValue *memref) {
  Range r = {.start = pointer_of(b, memref)};
  int64_t known = (int64_t)nr_type_byte_size(memref->type->elem);
  NrValue *bytes = NULL;
  for (uint32_t d = 0; d < memref->type->rank; d++) {
    NrIndex size = nr_dim_build(b, memref, d);
    if (!size.value && nr_mul_i64(known, size.constant, &known)) continue;
    NrValue *value = nr_index_value(b, size);
    bytes = bytes ? nr_arith_binary(b, NR_OP_arith_muli, bytes, value) : value;
  }
  bytes = bytes ? times(b, bytes, known) : nr_arith_constant_index(b, known);
  r.begin = r.start;
  r.end = nr_arith_binary(b, NR_OP_arith_addi, r.start, bytes);
  return r;
}

/* The range of a strided view: from the lowest to the highest address that indices reach. */
static Range strided_range(NrBuilder *b, NrValue *memref) {
  NrType type = memref->type, index = nr_type_index(b->ctx), types[2 * NR_MAX_RANK + 2];
  int64_t bytes = (int64_t)nr_type_byte_size(type->elem);
  size_t count = 0;
  Range r = {.start = pointer_of(b, memref)};
  types[count++] = nr_type_memref(NULL, 0, type->elem);
  while (count < 2 * type->rank + 2) types[count++] = index;
  NrOp *parts = nr_build_op(b, NR_OP_memref_extract_strided_metadata, &memref, 1, types, count);
  NrValue *zero = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1);
  NrValue *low = nr_memref_extract_strided_metadata_offset(parts), *high = low;
  const uint32_t sizes = NR_MEMREF_EXTRACT_STRIDED_METADATA_SIZES_AND_STRIDES, strides = sizes + type->rank;
  for (uint32_t d = 0; d < type->rank; d++) {
    NrValue *last = nr_arith_binary(b, NR_OP_arith_subi, nr_result(parts, sizes + d), one);
    NrValue *reach = nr_arith_binary(b, NR_OP_arith_muli, last, nr_result(parts, strides + d));
    low = nr_arith_binary(b, NR_OP_arith_addi, low, nr_arith_binary(b, NR_OP_arith_minsi, reach, zero));
    high = nr_arith_binary(b, NR_OP_arith_addi, high, nr_arith_binary(b, NR_OP_arith_maxsi, reach, zero));
  }
  r.begin = nr_arith_binary(b, NR_OP_arith_addi, r.start, times(b, low, bytes));
  high = nr_arith_binary(b, NR_OP_arith_addi, high, one);
  r.end = nr_arith_binary(b, NR_OP_arith_addi, r.start, times(b, high, bytes));
  return r;
}

static Range range_of(NrBuilder *b, NrValue *memref) {
  return nr_memref_is_identity(memref->type) ? whole_range(b, memref) : strided_range(b, memref);
}

static NrValue *both(NrBuilder *b, NrValue *x, NrValue *y) {
  return x ? nr_arith_binary(b, NR_OP_arith_andi, x, y) : y;
}

/* Builds the test whether both are the same buffer with the same shape. */
static NrValue *are_one(NrBuilder *b, const Pair *pair, const Range *x, const Range *y) {
  NrValue *holds = nr_arith_cmpi(b, NR_CMPI_EQ, x->start, y->start);
  for (uint32_t d = 0; d < pair->first->type->rank; d++) {
    if (pair->first->type->dims[d] != NR_DYNAMIC) continue;
    NrValue *size = nr_index_value(b, nr_dim_build(b, pair->first, d));
    NrValue *other = nr_index_value(b, nr_dim_build(b, pair->second, d));
    holds = both(b, holds, nr_arith_cmpi(b, NR_CMPI_EQ, size, other));
  }
  return holds;
}

static NrValue *may_run_fused(NrBuilder *b, const Group *f) {
  NrValue *all = NULL;
  for (size_t i = 0; i < f->num_pairs; i++) {
    const Pair *pair = &f->pairs[i];
    Range x = range_of(b, pair->first), y = range_of(b, pair->second);
    NrValue *before = nr_arith_cmpi(b, NR_CMPI_ULE, x.end, y.begin);
    NrValue *behind = nr_arith_cmpi(b, NR_CMPI_ULE, y.end, x.begin);
    NrValue *holds = nr_arith_binary(b, NR_OP_arith_ori, before, behind);
    if (pair->may_be_one) holds = nr_arith_binary(b, NR_OP_arith_ori, holds, are_one(b, pair, &x, &y));
    all = both(b, all, holds);
  }
  return all;
}

/* ---- fusing ------------------------------------------------------------------------------------------------------ */

/* Joins the two reductions into the terminator of the fused body. */
static void join_reductions(NrOp *first, NrOp *second) {
  NR_VEC(NrValue *) values = {0};
  NrOp *both_of[] = {first, second};
  for (size_t n = 0; n < 2; n++)
    for (uint32_t i = 0; i < both_of[n]->num_operands; i++) nr_vec_push(&values, nr_operand(both_of[n], i));
  NrBuilder b = nr_builder_before(second);
  NrOp *joined = nr_scf_reduce(&b, values.data, values.size);
  uint32_t at = 0;
  for (size_t n = 0; n < 2; n++)
    for (uint32_t i = 0; i < both_of[n]->num_regions; i++)
      nr_region_take(nr_op_region(joined, at++), nr_op_region(both_of[n], i));
  nr_op_erase(first);
  nr_op_erase(second);
  nr_vec_deinit(&values);
}

/* Builds the fused loop before `second` and erases both; its results are those of the first, then those of the
 * second. */
static NrOp *fuse(NrOp *first, NrOp *second) {
  uint32_t rank = nr_parallel_rank(first);
  NrBlock *from[] = {nr_scf_parallel_body(first), nr_scf_parallel_body(second)};
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < first->num_operands; i++) nr_vec_push(&operands, nr_operand(first, i));
  for (uint32_t i = 0; i < second->num_results; i++) nr_vec_push(&operands, nr_parallel_init(second, i));
  NrBuilder b = nr_builder_before(second);
  NrValue *const *o = operands.data;
  NrOp *loop = nr_scf_parallel(&b, o, o + rank, o + 2 * rank, rank, o + 3 * rank, operands.size - 3 * rank);
  nr_vec_deinit(&operands);
  NrBlock *body = nr_scf_parallel_body(loop);
  NrOp *reductions[] = {nr_block_terminator(from[0]), nr_block_terminator(from[1])};
  for (size_t n = 0; n < 2; n++) {
    for (uint32_t d = 0; d < rank; d++) {
      if (!body->args[d]->name) body->args[d]->name = from[n]->args[d]->name;
      nr_value_replace_uses(from[n]->args[d], body->args[d]);
    }
    nr_block_splice(from[n], body, NULL);
  }
  join_reductions(reductions[0], reductions[1]);
  uint32_t at = 0;
  NrOp *old[] = {first, second};
  for (size_t n = 0; n < 2; n++) {
    for (uint32_t i = 0; i < old[n]->num_attrs; i++)
      if (!nr_op_attr_named(loop, old[n]->attrs[i].name.data))
        nr_op_set_attr_named(loop, old[n]->attrs[i].name.data, old[n]->attrs[i].value);
    for (uint32_t i = 0; i < old[n]->num_results; i++, at++) {
      nr_result(loop, at)->name = nr_result(old[n], i)->name;
      nr_value_replace_uses(nr_result(old[n], i), nr_result(loop, at));
    }
    nr_op_erase(old[n]);
  }
  return loop;
}

static NrOp *fuse_all(NrOp *const *loops, size_t count) {
  NrOp *fused = loops[0];
  for (size_t n = 1; n < count; n++) fused = fuse(fused, loops[n]);
  return fused;
}

static void fuse_from(NrOp *first, bool test_overlaps, NrMap *tested);

/* Builds the fused loop for the case that the test holds, and the separate loops for the other case; some of these may
 * be fused without a test. */
static void fuse_where_apart(const Group *g, NrMap *tested) {
  NrOp *copies[MAX_LOOPS] = {NULL};
  NrBuilder b = nr_builder_before(g->loops[g->count - 1]);
  NrOp *branch = nr_build_versions(&b, may_run_fused(&b, g), g->loops, g->count);
  for (size_t n = 0; n < g->count; n++) {
    NrMap map = {0};
    copies[n] = nr_op_clone(g->loops[n]->module, g->loops[n], &map);
    nr_map_deinit(&map);
    nr_op_append(nr_scf_if_then_body(branch), copies[n]);
    nr_map_set(tested, g->loops[n], branch);
  }
  NrOp *fused = fuse_all(copies, g->count);
  nr_scf_yield_results_of(nr_scf_if_then_body(branch), &fused, 1);
  for (size_t n = 0; n < g->count; n++)
    if (!nr_is_erased(g->loops[n])) fuse_from(g->loops[n], false, tested);
}

/* The next parallel loop after the group, if all loops of the group may move there; otherwise NULL. */
static NrOp *next_loop(const Group *g) {
  NrOp *next = g->loops[g->count - 1]->next;
  for (; next && !nr_op_is(next, NR_OP_scf_parallel); next = next->next)
    for (size_t n = 0; n < g->count; n++)
      if (nr_op_has(next, NR_TERMINATOR) || !passes(&g->accesses[n], g->loops[n], next)) return NULL;
  return next;
}

/* Adds a loop to the group if that is legal. */
static bool join(Group *g, NrOp *loop, bool test_overlaps) {
  size_t num_pairs = g->num_pairs;
  NrMemAccesses *list = &g->accesses[g->count];
  bool can = g->count < MAX_LOOPS && (g->count == 0 || same_points(g->loops[0], loop));
  if (can) {
    *list = (NrMemAccesses){0};
    can = nr_collect_accesses(loop, list) && list->size < MAX_ACCESSES;
    for (size_t n = 0; n < g->count && can; n++)
      can = nr_walk_pre(loop, uses_nothing_of, g->loops[n]) && may_join(g, n, loop, list);
    can = can && (test_overlaps || g->num_pairs == num_pairs);
    if (!can) nr_vec_deinit(list);
  }
  if (can) g->loops[g->count++] = loop;
  else g->num_pairs = num_pairs;
  return can;
}

/* Exchanges two dims of a parallel loop. */
static void exchange_dims(NrOp *loop, uint32_t i, uint32_t k) {
  NrBlock *body = nr_scf_parallel_body(loop);
  uint32_t rank = nr_parallel_rank(loop);
  for (uint32_t g = 0; g < 3; g++) {
    NrValue *bound = nr_operand(loop, g * rank + i);
    nr_op_set_operand(loop, g * rank + i, nr_operand(loop, g * rank + k));
    nr_op_set_operand(loop, g * rank + k, bound);
  }
  NrValue *iv = body->args[i];
  body->args[i] = body->args[k];
  body->args[k] = iv;
  body->args[i]->index = i;
  body->args[k]->index = k;
}

/* Tries join with the dims from `from` on in every order, the current one first; restores it when all fail. */
static bool join_permuted(Group *g, NrOp *loop, bool test_overlaps, uint32_t from) {
  uint32_t rank = nr_parallel_rank(loop);
  /* Other attributes may refer to dims by number, and reductions may depend on the order of points. */
  bool fixed = loop->num_attrs > 1 || !nr_parallel_reduces_exactly(loop);
  if (g->count == 0 || fixed || from + 1 >= rank || rank > MAX_PERMUTED) return join(g, loop, test_overlaps);
  for (uint32_t k = from; k < rank; k++) {
    exchange_dims(loop, from, k);
    if (join_permuted(g, loop, test_overlaps, from + 1)) return true;
    exchange_dims(loop, from, k);
  }
  return false;
}

/* Prefers any order of dims without a test to one with a test. */
static bool join_in_any_order(Group *g, NrOp *loop, bool test_overlaps) {
  return join_permuted(g, loop, false, 0) || (test_overlaps && join_permuted(g, loop, true, 0));
}

/* Fuses a loop with as many of the following ones as possible. tested: loops that run where a test has failed. */
static void fuse_from(NrOp *first, bool test_overlaps, NrMap *tested) {
  Group g = {.count = 0};
  if (!join(&g, first, test_overlaps)) return;
  for (NrOp *next; (next = next_loop(&g)) && join_in_any_order(&g, next, test_overlaps);) continue;
  for (size_t n = 0; n < g.count; n++) nr_vec_deinit(&g.accesses[n]);
  if (g.count > 1 && g.num_pairs == 0) fuse_all(g.loops, g.count);
  else if (g.count > 1) fuse_where_apart(&g, tested);
}

static NrStatus parallel_loop_fusion_run(NrPassContext *pass, NrOp *root) {
  bool test_overlaps = !nr_pass_flag(pass, "no-overlap-tests");
  NrOpList ops = {0};
  NrMap tested = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (nr_is_erased(op) || !nr_op_is(op, NR_OP_scf_parallel) || nr_map_has(&tested, op)) continue;
    fuse_from(op, test_overlaps, &tested);
  }
  nr_map_deinit(&tested);
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("no-overlap-tests", false, "do not fuse loops that need a test for overlap"),
    {0},
};
NR_PASS(parallel_loop_fusion, .name = "scf-parallel-loop-fusion", .on_while = NR_WHILE_BARRIER,
        .run = parallel_loop_fusion_run, .options = options,
        .doc = "fuses adjacent parallel loops over the same points, under a test for overlapping memory where needed")
