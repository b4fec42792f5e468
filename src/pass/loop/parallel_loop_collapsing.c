/* parallel_loop_collapsing.c - collapses dims of a parallel loop.
 *   before  scf.parallel (%i, %j) = (%a, %b)      after  %n = (points from %a to %c) * %m, %m = (from %b to %d)
 *             to (%c, %d) step (%s, %t) {                scf.parallel (%k) = (%c0) to (%n) step (%c1) {
 *             body(%i, %j)                                 %q = arith.divui %k, %m     %r = arith.remui %k, %m
 *           }                                              %i = %a + %q * %s           %j = %b + %r * %t
 *                                                          body(%i, %j)
 *                                                        }
 * The options name the dims that become dim 0, 1 and 2 of the new loop; without options, all become one. Loops of
 * another rank stay, and so do those with a reduction that depends on the order of points, if the order would
 * change. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "pass/loop/parallel.h"
#include "pass/core/rewrite.h"

enum { MAX_GROUPS = 3 };

typedef struct Groups {
  size_t count, sizes[MAX_GROUPS];
  int64_t dims[MAX_GROUPS][NR_MAX_RANK];
} Groups;

/* Whether every dim of a loop of this rank is in the groups exactly once; *out_in_order: in ascending order. */
static bool covers(const Groups *g, uint32_t rank, bool *out_in_order) {
  bool seen[NR_MAX_RANK] = {false};
  uint32_t total = 0;
  *out_in_order = true;
  for (size_t i = 0; i < g->count; i++)
    for (size_t k = 0; k < g->sizes[i]; k++) {
      int64_t d = g->dims[i][k];
      if (d < 0 || d >= rank || seen[d]) return false;
      *out_in_order &= d == total++;
      seen[d] = true;
    }
  return total == rank;
}

/* Multiplies *product by trips, folding constants; false when the product is known to overflow. */
static bool times(NrBuilder *b, NrValue **product, NrValue *trips) {
  int64_t x, y, both;
  if (!*product) *product = trips;
  else if (!nr_value_constant_int(*product, &x) || !nr_value_constant_int(trips, &y))
    *product = nr_arith_binary(b, NR_OP_arith_muli, *product, trips);
  else if (!nr_mul_i64(x, y, &both)) return false;
  else *product = nr_arith_constant_index(b, both);
  return true;
}

/* Builds lower + number * step. */
static NrValue *point(NrBuilder *b, NrOp *op, uint32_t d, NrValue *number) {
  int64_t constant;
  bool plain_step = nr_value_constant_int(nr_parallel_step(op, d), &constant) && constant == 1;
  NrValue *moved = plain_step ? number : nr_arith_binary(b, NR_OP_arith_muli, number, nr_parallel_step(op, d));
  bool plain_lower = nr_value_constant_int(nr_parallel_lower(op, d), &constant) && constant == 0;
  return plain_lower ? moved : nr_arith_binary(b, NR_OP_arith_addi, moved, nr_parallel_lower(op, d));
}

/* Computes the old induction variables of a group from the new one; the last dim runs fastest. */
static void split(NrBuilder *b, NrOp *op, const int64_t *dims, size_t count, NrValue *const *trips, NrValue *iv) {
  NrBlock *body = nr_scf_parallel_body(op);
  for (size_t k = count; k-- > 0;) {
    uint32_t d = (uint32_t)dims[k];
    NrValue *number = k ? nr_arith_binary(b, NR_OP_arith_remui, iv, trips[d]) : iv;
    if (k) iv = nr_arith_binary(b, NR_OP_arith_divui, iv, trips[d]);
    NrValue *old = point(b, op, d, number);
    nr_value_replace_uses(body->args[d], old);
  }
}

static void collapse(NrPassContext *pass, NrOp *op, const Groups *g) {
  uint32_t rank = nr_parallel_rank(op), count = op->num_results;
  NrBuilder b = nr_builder_before(op);
  NrValue **trips = NR_NEW_ARRAY(pass->scratch, NrValue *, rank + count), **inits = trips + rank;
  NrValue *zero[MAX_GROUPS], *one[MAX_GROUPS], *upper[MAX_GROUPS] = {NULL};
  for (uint32_t d = 0; d < rank; d++)
    trips[d] = nr_trip_count_value(&b, nr_parallel_lower(op, d), nr_parallel_upper(op, d), nr_parallel_step(op, d));
  for (size_t i = 0; i < g->count; i++) {
    zero[i] = nr_arith_constant_index(&b, 0);
    one[i] = nr_arith_constant_index(&b, 1);
    for (size_t k = 0; k < g->sizes[i]; k++)
      if (!times(&b, &upper[i], trips[g->dims[i][k]])) return;
  }
  for (uint32_t i = 0; i < count; i++) inits[i] = nr_parallel_init(op, i);
  NrOp *loop = nr_scf_parallel(&b, zero, upper, one, g->count, inits, count);
  NrBlock *to = nr_scf_parallel_body(loop);
  b = nr_scf_body_builder(nr_op_only_body(loop));
  for (size_t i = 0; i < g->count; i++) split(&b, op, g->dims[i], g->sizes[i], trips, to->args[i]);
  nr_block_splice(nr_scf_parallel_body(op), to, NULL);
  nr_replace_loop(op, loop);
}

static NrStatus parallel_loop_collapsing_run(NrPassContext *pass, NrOp *root) {
  static const char *const names[] = {"collapsed-indices-0", "collapsed-indices-1", "collapsed-indices-2"};
  Groups given = {0};
  NrOpList ops = {0};
  for (size_t i = 0; i < MAX_GROUPS; i++) {
    size_t size = nr_pass_ints(pass, names[i], given.dims[given.count]);
    if (size) given.sizes[given.count++] = size;
  }
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *op = ops.data[i];
    if (!nr_op_is(op, NR_OP_scf_parallel) || nr_op_attr(op, NR_A_noInit)) continue;
    Groups g = given;
    bool in_order;
    if (!g.count) {
      g.count = 1;
      g.sizes[0] = NR_MIN(nr_parallel_rank(op), NR_MAX_RANK);
      for (size_t d = 0; d < g.sizes[0]; d++) g.dims[0][d] = (int64_t)d;
    }
    if (g.count == nr_parallel_rank(op) || !covers(&g, nr_parallel_rank(op), &in_order)) continue;
    if (in_order || nr_parallel_reduces_exactly(op)) collapse(pass, op, &g);
  }
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INTS("collapsed-indices-0", NR_MAX_RANK, 0, NR_MAX_RANK - 1, "dims that become dim 0 of the new loop"),
    NR_INTS("collapsed-indices-1", NR_MAX_RANK, 0, NR_MAX_RANK - 1, "dims that become dim 1"),
    NR_INTS("collapsed-indices-2", NR_MAX_RANK, 0, NR_MAX_RANK - 1, "dim 2"),
    {0},
};
NR_PASS(parallel_loop_collapsing, .name = "scf-parallel-loop-collapsing", .on_while = NR_WHILE_BARRIER,
        .run = parallel_loop_collapsing_run, .options = options,
        .doc = "collapses the dims of parallel loops to one, two or three")
