/* grid.c - chooses shared loops of the ops of a dispatch to distribute over the grid, and their tile sizes.
 *
 * The loops are taken from the outermost one of the root on, or by what is read again, at most three, as long as a
 * workgroup has enough work to be divided in two (nr_cost_workgroup_ns). nr_cost_tile prefers a tile that divides the
 * range, since all sizes are then static. See tile_dispatches.c. */
#include "pass/dispatch/tiling.h"

enum { LINE_BYTES = 64, MAX_TILE = 1 << 24, ASSUMED_RANGE = 1024 /* of a loop whose range is not known */ };
enum {
  MIN_VECTORS = 8
}; /* per row of a contraction tile; with fewer accumulators each step would wait for the one before it */

/* The work of a tile. */
typedef struct Work {
  const NrTarget *target;
  const NrTiling *t;
  NrCost points[NR_TILING_OPS];
  int64_t whole[NR_TILING_OPS][NR_MAX_RANK]; /* the ranges of each op's loops, 1 where unknown */
  int64_t tile[NR_MAX_RANK];                 /* of the root's loops */
} Work;

static double work_ns(const Work *w) {
  int64_t sizes[NR_MAX_RANK];
  double ns = 0;
  for (size_t i = 0; i < w->t->num_ops; i++) {
    NrOp *op = w->t->ops[i];
    if (!nr_tiling_is_work(op)) continue;
    memcpy(sizes, w->whole[i], nr_linalg_num_loops(op) * sizeof *sizes);
    for (uint32_t d = 0; d < w->t->num_loops; d++)
      if (w->t->shared >> d & 1) sizes[w->t->loop[i][d]] = w->tile[d];
    ns += nr_cost_points_ns(w->target, op, w->points[i], sizes);
  }
  return ns;
}

static void measure(Work *w) {
  for (size_t i = 0; i < w->t->num_ops; i++) {
    if (!nr_tiling_is_work(w->t->ops[i])) continue;
    w->points[i] = nr_cost_of_point(w->target, w->t->ops[i]);
    nr_cost_known_sizes(w->t->ops[i], w->whole[i]);
  }
  memcpy(w->tile, w->whole[w->t->root], w->t->num_loops * sizeof *w->tile);
}

/* Whether operand k of a member lies in memory that other workgroups use too, not only in this one's. */
static bool is_outside(const NrTiling *t, const NrOp *op, size_t k) {
  size_t num_inputs = nr_linalg_num_inputs(op);
  if (k < num_inputs) return nr_tiling_find(t, nr_operand(op, k)->op) == SIZE_MAX;
  for (NrUse *use = nr_result(op, k - num_inputs)->first_use; use; use = use->next)
    if (nr_tiling_find(t, use->owner) == SIZE_MAX) return true;
  return false;
}

/* The loop that indexes the last dim of the op's first output, or the one before that; -1: none. */
static int loop_of_output(const NrOp *op, uint32_t from_end) {
  size_t out = nr_linalg_num_inputs(op);
  for (uint32_t d = 0; d < nr_linalg_num_loops(op); d++)
    if (nr_tiling_operand_dim(op, out, d) == (int)nr_operand(op, out)->type->rank - 1 - (int)from_end) return (int)d;
  return -1;
}

/* Whether rows of a contraction along the loop use what has vectors along its output's rows again. */
static bool reuses_vectors(const NrOp *op, uint32_t loop) {
  int along = loop_of_output(op, 0);
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++)
    if (nr_type_is_tensor(nr_operand(op, k)->type) && nr_tiling_operand_dim(op, k, loop) == -1 &&
        (along < 0 || along == (int)loop || nr_tiling_operand_dim(op, k, (uint32_t)along) >= 0))
      return true;
  return false;
}

/* The same, and no loop inside of it has rows of the same kind, which are then those of a tile. */
static bool has_rows(const NrOp *op, uint32_t loop) {
  int along = loop_of_output(op, 0);
  for (uint32_t d = loop + 1; d < nr_linalg_num_loops(op); d++)
    if ((int)d != along && !nr_linalg_is_reduction(op, d) && nr_linalg_static_range(op, d) != 1 &&
        reuses_vectors(op, d))
      return false;
  return reuses_vectors(op, loop);
}

/* The rows of the output that have MIN_VECTORS vectors together, as short rows that lie side by side have them
 * (merge_loops.c); 1 where the loop is another one. */
static int64_t rows_of_vectors(const NrTarget *target, const NrOp *op, uint32_t loop) {
  int last = loop_of_output(op, 0);
  if (last < 0 || loop_of_output(op, 1) != (int)loop) return 1;
  int64_t bytes = NR_MAX((int64_t)nr_type_byte_size(nr_operand(op, nr_linalg_num_inputs(op))->type->elem), 1);
  int64_t row = nr_linalg_static_range(op, (size_t)last), wanted = MIN_VECTORS * (int64_t)target->vector_bytes / bytes;
  return row < 1 || row >= wanted ? 1 : (wanted + row - 1) / row;
}

/* The number of which a tile of the op's loop must be a multiple. When the loop indexes the last dim of an operand: a
 * cache line, so that workgroups do not share one, or MIN_VECTORS vectors for the output of a contraction. When a
 * contraction reuses vectors along the loop: twice the rows that it computes at once. Otherwise 1. */
static int64_t multiple_of_op(const NrTarget *target, const NrTiling *t, const NrOp *op, uint32_t loop) {
  bool contracts = nr_linalg_num_reductions(op) > 0, reused = contracts && has_rows(op, loop);
  int64_t multiple = 1;
  size_t num_inputs = nr_linalg_num_inputs(op);
  for (size_t k = 0; k < op->num_operands; k++) {
    int at = nr_tiling_operand_dim(op, k, loop);
    NrType type = nr_operand(op, k)->type;
    int64_t bytes = NR_MAX((int64_t)nr_type_byte_size(nr_type_elem(type)), 1);
    if (at < 0 || at + 1 != (int)type->rank) continue;
    bool vectors = k >= num_inputs && reused;
    if (!vectors && !is_outside(t, op, k)) continue;
    multiple = NR_MAX(multiple, (vectors ? MIN_VECTORS * (int64_t)target->vector_bytes : LINE_BYTES) / bytes);
  }
  if (reused) return NR_MAX(multiple, 2 * nr_cost_rows(target));
  return contracts && nr_tiling_kind(op) == 0 ? NR_MAX(multiple, rows_of_vectors(target, op, loop)) : multiple;
}

/* The largest multiple that an op needs. */
static int64_t multiple_of(const NrTarget *target, const NrTiling *t, uint32_t d) {
  int64_t multiple = 1;
  for (size_t i = 0; i < t->num_ops; i++)
    if (nr_tiling_is_work(t->ops[i]))
      multiple = NR_MAX(multiple, multiple_of_op(target, t, t->ops[i], (uint32_t)t->loop[i][d]));
  return multiple;
}

/* The bytes that two adjacent workgroups along the cut both read: those of the root's inputs that do not depend on its
 * loop. */
static double shared_bytes(const NrTiling *t, const NrCut *cuts, uint32_t num_cuts, const NrCut *cut) {
  const NrOp *op = t->ops[t->root];
  double sum = 0;
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    NrType type = nr_operand(op, k)->type;
    if (!nr_type_is_tensor(type) || nr_tiling_indexes(op, k, cut->loop)) continue;
    double bytes = (double)nr_type_byte_size(type->elem);
    for (uint32_t r = 0; r < type->rank; r++) {
      int64_t size = type->dims[r];
      for (uint32_t i = 0; i < num_cuts; i++)
        if (nr_tiling_operand_dim(op, k, cuts[i].loop) == (int)r) size = cuts[i].tile;
      if (size > 0) bytes *= (double)size;
    }
    sum += bytes;
  }
  return sum;
}

/* Makes x the cut along which adjacent workgroups share the most bytes, which are then in the caches; when they share
 * none, x is the innermost dim, along which memory is contiguous. */
static void order_cuts(const NrTiling *t, NrCut *cuts, uint32_t num_cuts) {
  for (uint32_t i = 0; i < num_cuts / 2; i++) {
    NrCut swapped = cuts[i];
    cuts[i] = cuts[num_cuts - 1 - i];
    cuts[num_cuts - 1 - i] = swapped;
  }
  uint32_t first = 0;
  for (uint32_t i = 1; i < num_cuts; i++)
    if (shared_bytes(t, cuts, num_cuts, &cuts[i]) > shared_bytes(t, cuts, num_cuts, &cuts[first])) first = i;
  NrCut x = cuts[first];
  for (uint32_t i = first; i > 0; i--) cuts[i] = cuts[i - 1];
  if (num_cuts) cuts[0] = x;
}

/* Whether a workgroup with so many multiples of loop d takes at least ns. */
static bool takes(Work *w, uint32_t d, int64_t size, double ns) {
  w->tile[d] = size;
  return work_ns(w) >= ns;
}

/* The smallest tile of loop d, a multiple of `multiple`, with which a workgroup takes at least ns; found by bisection,
 * which starts from where it is if the time grows evenly. */
static int64_t tile_for(Work *w, uint32_t d, int64_t multiple, double ns) {
  int64_t limit = nr_tiling_range(w->t, d), min = 1, before = w->tile[d];
  if (limit == NR_DYNAMIC) limit = MAX_TILE;
  int64_t max = NR_MAX(limit / multiple, 1);
  w->tile[d] = multiple;
  double one = work_ns(w);
  w->tile[d] = 2 * multiple;
  double guess = 1 + (ns - one) / NR_MAX(work_ns(w) - one, 1e-6);
  for (int64_t near = -1; near <= 1 && min < max; near++) {
    int64_t probe = (int64_t)NR_MIN(NR_MAX(guess + (double)near, 1), (double)max);
    if (probe < min || probe >= max) continue;
    if (takes(w, d, probe * multiple, ns)) max = probe;
    else min = probe + 1;
  }
  while (min < max) {
    int64_t middle = min + (max - min) / 2;
    if (takes(w, d, middle * multiple, ns)) max = middle;
    else min = middle + 1;
  }
  w->tile[d] = before;
  return min * multiple;
}

/* Distributes loop d. False when the grid has no dim left. */
static bool add_cut(Work *w, NrGrid *g, uint32_t d, int64_t tile, int64_t multiple) {
  if (g->num_cuts == NR_GRID_DIMS) return false;
  g->cuts[g->num_cuts++] = (NrCut){d, nr_tiling_range(w->t, d), tile, multiple};
  w->tile[d] = tile;
  return true;
}

/* Puts the cuts in the order of the loops. */
static void sort_cuts(NrGrid *g) {
  for (uint32_t c = 1; c < g->num_cuts; c++)
    for (uint32_t i = c; i > 0 && g->cuts[i].loop < g->cuts[i - 1].loop; i--) {
      NrCut swapped = g->cuts[i];
      g->cuts[i] = g->cuts[i - 1];
      g->cuts[i - 1] = swapped;
    }
}

/* The points that a workgroup of a contraction has at least: as rows_of_vectors, of rows whose length the run knows. */
static int64_t points_of_vectors(const NrTarget *target, const NrTiling *t, const NrGrid *g) {
  const NrOp *op = t->ops[t->root];
  int row = loop_of_output(op, 0), rows = loop_of_output(op, 1);
  bool cuts_rows = false;
  if (nr_tiling_kind(op) || row < 0 || rows < 0 || nr_tiling_range(t, (uint32_t)row) != NR_DYNAMIC) return 1;
  for (uint32_t c = 0; c < g->num_cuts; c++) cuts_rows |= (int)g->cuts[c].loop == rows;
  if (!cuts_rows) return 1;
  int64_t bytes = (int64_t)nr_type_byte_size(nr_operand(op, nr_linalg_num_inputs(op))->type->elem);
  return MIN_VECTORS * (int64_t)target->vector_bytes / NR_MAX(bytes, 1);
}

/* Several loops are of unknown range, or one that is not shared: a tile that is right for short ranges would be far
 * from right for long ones, so the run chooses. Loops of unknown range go first. */
static void choose_in_run(Work *w, NrGrid *g) {
  static const double FEWER = 4; /* workgroups, each of which takes longer to begin: its sizes are not constants */
  const NrTiling *t = w->t;
  for (int known = 0; known < 2; known++)
    for (uint32_t d = 0; d < t->num_loops; d++) {
      int64_t multiple = multiple_of(w->target, t, d), range = nr_tiling_range(t, d);
      bool open = range == NR_DYNAMIC;
      if (!(t->shared >> d & 1) || open == (bool)known || (!open && range < 2 * multiple)) continue;
      add_cut(w, g, d, 1, multiple);
    }
  sort_cuts(g);
  double points = FEWER * (double)nr_cost_workgroup_ns(w->target) / NR_MAX(work_ns(w), 1e-3);
  g->points = (int64_t)NR_MAX(NR_MIN(points, (double)MAX_TILE), (double)points_of_vectors(w->target, t, g));
  for (uint32_t c = 0; c < g->num_cuts; c++) g->cuts[c].tile = g->cuts[c].multiple; /* as order_cuts needs one */
}

/* The bytes of the root's inputs that the loop indexes: those that are not read again when it is cut. */
static double bytes_along(const NrTiling *t, uint32_t d) {
  const NrOp *op = t->ops[t->root];
  int64_t sizes[NR_MAX_RANK];
  double sum = 0;
  nr_cost_known_sizes(op, sizes);
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++)
    if (nr_tiling_indexes(op, k, d)) sum += nr_cost_part_bytes(op, k, sizes);
  return sum;
}

/* The shared loops in the order in which they are cut: from the outermost on, but of a contraction those first along
 * which the larger input is cut. Each workgroup reads the other one. */
static uint32_t order_loops(const NrTiling *t, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t d = 0; d < t->num_loops; d++)
    if (t->shared >> d & 1) out[count++] = d;
  if (nr_tiling_kind(t->ops[t->root])) return count;
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t j = i; j > 0 && bytes_along(t, out[j]) > bytes_along(t, out[j - 1]); j--) {
      uint32_t swapped = out[j];
      out[j] = out[j - 1];
      out[j - 1] = swapped;
    }
  return count;
}

static void choose_now(Work *w, NrGrid *g) {
  const NrTiling *t = w->t;
  double ns = (double)nr_cost_workgroup_ns(w->target);
  uint32_t loops[NR_MAX_RANK], count = order_loops(t, loops);
  for (uint32_t i = 0; i < count && g->num_cuts < NR_GRID_DIMS; i++) {
    uint32_t d = loops[i];
    int64_t range = nr_tiling_range(t, d), multiple = multiple_of(w->target, t, d);
    bool open = range == NR_DYNAMIC;
    if (!open && (range < 2 * multiple || work_ns(w) < 2 * ns)) continue;
    int64_t tile = tile_for(w, d, multiple, ns), before = w->tile[d];
    if (!open) tile = nr_cost_tile(range, tile, multiple);
    if (!open && tile >= range) continue;
    add_cut(w, g, d, tile, multiple);
    if (open) w->tile[d] = before;
  }
  sort_cuts(g);
}

NrGrid nr_tiling_choose_grid(const NrTarget *target, const NrTiling *t) {
  NrGrid g = {0};
  uint32_t num_open = 0;
  if (!t->shared) return g;
  Work *w = nr_calloc(1, sizeof *w);
  w->target = target;
  w->t = t;
  measure(w);
  for (uint32_t d = 0; d < t->num_loops; d++) {
    if (nr_tiling_range(t, d) != NR_DYNAMIC) continue;
    num_open++;
    g.open |= 1ull << d;
  }
  if (num_open > 1 || (g.open & ~t->shared)) choose_in_run(w, &g);
  else choose_now(w, &g);
  for (uint32_t c = 0; c < g.num_cuts; c++) g.open &= ~(1ull << g.cuts[c].loop);
  nr_free(w);
  order_cuts(t, g.cuts, g.num_cuts);
  return g;
}

int nr_grid_next(const NrGrid *grid, int c) {
  int next = -1;
  for (int i = 0; i < (int)grid->num_cuts; i++)
    if ((c < 0 || grid->cuts[i].loop > grid->cuts[c].loop) &&
        (next < 0 || grid->cuts[i].loop < grid->cuts[next].loop))
      next = i;
  return next;
}

/* ---- what a region takes ----------------------------------------------------------------------------------------- */

/* Sizes of the loops of each op in one workgroup, and in all. */
typedef struct Parts {
  const NrTarget *target;
  const NrTiling *t;
  int64_t whole[NR_TILING_OPS][NR_MAX_RANK], tile[NR_TILING_OPS][NR_MAX_RANK];
  double groups;       /* workgroups */
  double tile_bytes;   /* of what a workgroup touches */
  double outer_bytes;  /* of what all workgroups read and write outside of them */
} Parts;

/* The tiles that the run would choose; tile_dispatches.c builds the same. */
static void tiles_of_run(NrGrid *g, const int64_t *ranges, uint32_t num_loops) {
  int64_t left = g->points;
  for (int c = nr_grid_next(g, -1); c >= 0; c = nr_grid_next(g, c)) {
    NrCut *cut = &g->cuts[c];
    int64_t inner = 1, range = ranges[cut->loop];
    for (int i = nr_grid_next(g, c); i >= 0; i = nr_grid_next(g, i))
      inner = nr_mul_i64_saturated(inner, ranges[g->cuts[i].loop]);
    for (uint32_t d = 0; d < num_loops; d++)
      if (g->open >> d & 1) inner = nr_mul_i64_saturated(inner, ranges[d]);
    int64_t wanted = NR_MAX(left / NR_MAX(inner, 1), 1), parts = NR_MAX((range + wanted / 2) / wanted, 1);
    int64_t tile = range / parts + (range % parts != 0);
    cut->tile = (tile + cut->multiple - 1) / cut->multiple * cut->multiple;
    left = NR_MAX(left / NR_MAX(cut->tile, 1), 1);
  }
}

/* Cuts the loops as the grid does. */
static void cut_parts(Parts *p) {
  const NrTiling *t = p->t;
  NrGrid grid = nr_tiling_choose_grid(p->target, t);
  const NrCut *cuts = grid.cuts;
  uint32_t num_cuts = grid.num_cuts;
  p->groups = 1;
  for (size_t i = 0; i < t->num_ops; i++) {
    if (!nr_tiling_is_work(t->ops[i])) continue;
    for (size_t d = 0; d < nr_linalg_num_loops(t->ops[i]); d++) {
      int64_t range = nr_linalg_static_range(t->ops[i], d);
      p->whole[i][d] = p->tile[i][d] = range == NR_DYNAMIC ? ASSUMED_RANGE : range;
    }
  }
  if (grid.points) tiles_of_run(&grid, p->whole[t->root], t->num_loops);
  for (uint32_t c = 0; c < num_cuts; c++) {
    int64_t range = p->whole[t->root][cuts[c].loop];
    p->groups *= (double)((range + cuts[c].tile - 1) / cuts[c].tile);
    for (size_t i = 0; i < t->num_ops; i++)
      if (nr_tiling_is_work(t->ops[i])) p->tile[i][t->loop[i][cuts[c].loop]] = NR_MIN(cuts[c].tile, range);
  }
}

static void measure_bytes(Parts *p) {
  const NrTiling *t = p->t;
  for (size_t i = 0; i < t->num_ops; i++) {
    if (!nr_tiling_is_work(t->ops[i])) continue;
    for (uint32_t k = 0; k < t->ops[i]->num_operands; k++) {
      bool outside = is_outside(t, t->ops[i], k);
      if (outside) p->outer_bytes += nr_cost_part_bytes(t->ops[i], k, p->whole[i]);
      if (outside || k >= nr_linalg_num_inputs(t->ops[i]))
        p->tile_bytes += nr_cost_part_bytes(t->ops[i], k, p->tile[i]);
    }
  }
}

/* Of op i in all workgroups. What lies outside comes once from the level that holds all of that, and again from the
 * level that holds what a workgroup touches; what the ops exchange, from the level that holds what this op touches.
 * Reads that go beyond a core's own caches again and again are not all hidden behind the arithmetic. */
static double member_ns(const Parts *p, size_t i) {
  static const double NOT_HIDDEN = 0.25;
  NrOp *op = p->t->ops[i];
  NrCost point = nr_cost_of_point(p->target, op);
  double points = p->groups, once = 0, again = 0, inside = 0, own_bytes = 0;
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) points *= (double)p->tile[i][d];
  for (uint32_t k = 0; k < op->num_operands; k++) {
    double tile = nr_cost_part_bytes(op, k, p->tile[i]);
    own_bytes += tile;
    if (!is_outside(p->t, op, k)) {
      inside += p->groups * tile;
      continue;
    }
    bool stored = k >= nr_linalg_num_inputs(op); /* a store reads the line before it writes it */
    double whole = nr_cost_part_bytes(op, k, p->whole[i]);
    once += stored ? 2 * whole : whole;
    again += NR_MAX(p->groups * tile - whole, 0);
  }
  double arithmetic = nr_cost_ns(p->target, (NrCost){point.cycles * points, 0}, 0);
  double repeated = nr_cost_ns(p->target, (NrCost){0, again}, p->tile_bytes);
  double memory = nr_cost_ns(p->target, (NrCost){0, once}, NR_MAX(p->outer_bytes, p->tile_bytes)) + repeated +
                  nr_cost_ns(p->target, (NrCost){0, inside + point.bytes * points}, own_bytes);
  bool far = p->tile_bytes > (double)p->target->cache_bytes[1];
  return NR_MAX(arithmetic, memory) + (far ? NOT_HIDDEN * NR_MIN(arithmetic, repeated) : 0);
}

double nr_tiling_ns(const NrTarget *target, const NrTiling *t) {
  Parts *p = nr_calloc(1, sizeof *p);
  double ns = 0;
  p->target = target;
  p->t = t;
  cut_parts(p);
  measure_bytes(p);
  for (size_t i = 0; i < t->num_ops; i++)
    if (nr_tiling_is_work(t->ops[i])) ns += member_ns(p, i);
  nr_free(p);
  return ns;
}
