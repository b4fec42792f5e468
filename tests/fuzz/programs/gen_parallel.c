/* gen_parallel.c - random scf.parallel and scf.forall: their iterations write what they allocate, places of their own, or
 * by atomic ops. */
#include "gen.h"

enum { MAX_RESULTS = 2, MAX_DIMS = 2 };

typedef enum Form {
  WITH_INITS,
  WITHOUT_INITS, /* the text of early 2020 */
  FORALL,        /* no results */
} Form;

typedef struct Loop {
  Form form;
  int dims, num_results;
  GenRange ranges[MAX_DIMS];
  GenTypeId types[MAX_RESULTS];
} Loop;

/* ---- reductions: in any order the same -------------------------------------------------------------------------- */

static const char *reduction_of(Gen *g, GenTypeId type) {
  static const char *const of_ints[] = {"addi", "muli", "andi", "ori", "xori", "maxsi", "minui"};
  static const char *const of_floats[] = {"maximumf", "minimumf"};
  return gen_types[type].is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints);
}

/* One op, or two that no pass knows to have a neutral element. */
static void put_reduction(Gen *g, GenTypeId type, const char *end, bool may_be_unknown) {
  const char *t = gen_types[type].name;
  uint32_t l = gen_id(g), r = gen_id(g), s = gen_id(g);
  gen_line(g, "^bb0(%%v%u: %s, %%v%u: %s):", l, t, r, t);
  if (may_be_unknown && !gen_types[type].is_float && gen_one_in(g, 3)) {
    uint32_t c = gen_id(g);
    gen_line(g, "  %%v%u = arith.cmpi ult, %%v%u, %%v%u : %s", c, l, r, t);
    gen_line(g, "  %%v%u = arith.select %%v%u, %%v%u, %%v%u : %s", s, c, l, r, t);
  } else gen_line(g, "  %%v%u = arith.%s %%v%u, %%v%u : %s", s, reduction_of(g, type), l, r, t);
  gen_line(g, "  %s %%v%u : %s", end, s, t);
}

static void put_reduce(Gen *g, const uint32_t *values, const GenTypeId *types, int count) {
  if (!count) return;
  gen_begin(g);
  gen_put(g, "scf.reduce(");
  gen_put_ids(g, values, count);
  gen_put(g, " : ");
  gen_put_types(g, types, count);
  gen_put(g, ") {\n");
  for (int i = 0; i < count; i++) {
    if (i) gen_line(g, "}, {");
    put_reduction(g, types[i], "scf.reduce.return", true);
  }
  gen_line(g, "}");
}

/* Without an initial value there must be a point, or a neutral element. */
static void put_reduce_2020(Gen *g, const Loop *loop, const uint32_t *values) {
  bool runs = true;
  for (int d = 0; d < loop->dims; d++) runs &= loop->ranges[d].runs;
  for (int i = 0; i < loop->num_results; i++) {
    gen_line(g, "loop.reduce(%%v%u) {", values[i]);
    put_reduction(g, loop->types[i], "loop.reduce.return", runs);
    gen_line(g, "} : %s", gen_types[loop->types[i]].name);
  }
}

/* ---- loops ------------------------------------------------------------------------------------------------------ */

static void put_list(Gen *g, const char *before, const uint32_t *ids, int count) {
  gen_put(g, "%s(", before);
  gen_put_ids(g, ids, count);
  gen_put(g, ")");
}

typedef NR_VEC(GenMemref) MemrefList;

/* A buffer that iterations change by one atomic op, in any order, and otherwise do not see. The rest stays visible. */
static bool choose_shared(Gen *g, GenMemref *shared, MemrefList *all) {
  GenMemref like = {.elem = GEN_I32, .rank = 1, .dims = {8}, .strides = {1}};
  GenMemref *found = g->pure || !gen_one_in(g, 3) ? NULL : gen_memref_like(g, &like);
  if (!found || !found->root || found->constant) return false;
  *shared = *found;
  size_t left = 0;
  for (size_t i = 0; i < g->memrefs.size; i++) {
    GenMemref m = g->memrefs.data[i];
    nr_vec_push(all, m);
    if (m.root && m.root != shared->root) g->memrefs.data[left++] = m;
  }
  g->memrefs.size = left;
  g->places.size = 0;
  return true;
}

static void put_head(Gen *g, const Loop *loop, const uint32_t *ivs, const uint32_t *inits) {
  static const char *const names[] = {"scf.parallel ", "loop.parallel ", "scf.forall "};
  uint32_t lower[MAX_DIMS], upper[MAX_DIMS], step[MAX_DIMS];
  int n = loop->num_results;
  for (int d = 0; d < loop->dims; d++)
    lower[d] = loop->ranges[d].lower, upper[d] = loop->ranges[d].upper, step[d] = loop->ranges[d].step;
  put_list(g, names[loop->form], ivs, loop->dims);
  put_list(g, " = ", lower, loop->dims);
  put_list(g, " to ", upper, loop->dims);
  put_list(g, " step ", step, loop->dims);
  if (n && loop->form == WITH_INITS) {
    put_list(g, " init ", inits, n);
    gen_put(g, n > 1 ? " -> (" : " -> ");
    gen_put_types(g, loop->types, n);
    gen_put(g, n > 1 ? ")" : "");
  }
  gen_put(g, " {\n");
}

static void put_tail(Gen *g, const Loop *loop, const uint32_t *values) {
  if (loop->form == WITH_INITS) put_reduce(g, values, loop->types, loop->num_results);
  else if (loop->form == WITHOUT_INITS) put_reduce_2020(g, loop, values);
}

static void put_end(Gen *g, const Loop *loop) {
  gen_begin(g);
  gen_put(g, "}");
  if (loop->form == WITHOUT_INITS && loop->num_results) {
    gen_put(g, " : ");
    gen_put_types(g, loop->types, loop->num_results);
  }
  gen_end(g);
}

/* Iterations write only what they allocate. */
void gen_parallel(Gen *g, int depth, GenBody body) {
  static const Form forms[] = {WITH_INITS, WITH_INITS, WITHOUT_INITS, FORALL};
  Loop loop = {.form = GEN_PICK(g, forms), .dims = 1 + (int)gen_below(g, MAX_DIMS)};
  uint32_t ids[MAX_RESULTS], inits[MAX_RESULTS], values[MAX_RESULTS], ivs[MAX_DIMS];
  int64_t trips = 1;
  if (loop.form != FORALL) loop.num_results = gen_random_types(g, loop.types, MAX_RESULTS);
  for (int d = 0; d < loop.dims; d++) {
    loop.ranges[d] = gen_range(g);
    ivs[d] = gen_id(g);
    trips *= loop.ranges[d].trips;
  }
  if (g->trips * trips > GEN_MAX_TRIPS) return;
  gen_use_all(g, loop.types, loop.num_results, inits);
  size_t kind = gen_below(g, 1000);
  GenMemref shared;
  MemrefList all = {0};
  bool shares = choose_shared(g, &shared, &all);
  size_t exits = g->exits.size;
  GenExit *saved = nr_malloc((exits + 1) * sizeof *saved);
  if (exits) memcpy(saved, g->exits.data, exits * sizeof *saved);
  gen_begin(g);
  gen_put_results(g, ids, loop.num_results);
  put_head(g, &loop, ivs, inits);
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  g->pure = g->next;
  g->exits.size = 0; /* not out of an scf.parallel */
  for (int d = 0; d < loop.dims; d++) gen_define_range(g, ivs[d], loop.ranges[d].lo, loop.ranges[d].hi);
  body(g, depth - 1);
  if (shares) gen_atomic_in_any_order(g, &shared, kind);
  gen_choose(g, loop.types, loop.num_results, NULL, NULL, 0, values);
  put_tail(g, &loop, values);
  gen_leave(g, m);
  put_end(g, &loop);
  gen_publish(g, ids, loop.types, loop.num_results);
  if (shares) g->memrefs.size = g->places.size = 0;
  for (size_t i = 0; i < all.size; i++) nr_vec_push(&g->memrefs, all.data[i]);
  nr_vec_deinit(&all);
  for (size_t i = 0; i < exits; i++) nr_vec_push(&g->exits, saved[i]);
  nr_free(saved);
}

/* Neighbours over equal ranges, which a pass may join: each writes one buffer at a place of its own, and reads others,
 * which may be views of the same memory. */
void gen_parallel_row(Gen *g) {
  static const int64_t eight[] = {8};
  if (g->pure) return;
  for (int i = (int)gen_below(g, 3); i > 0; i--) gen_alloc(g, GEN_I32, 1, eight, false);
  if (!g->memrefs.size) return;
  int loops = 2 + (int)gen_below(g, 2);
  int64_t trips = 1 + (int64_t)gen_below(g, 4);
  if (g->trips * trips > GEN_MAX_TRIPS) return;
  uint32_t zero = gen_index(g, 0), n = gen_one_in(g, 3) ? gen_fresh_index(g, trips, trips) : gen_index(g, trips),
           one = gen_index(g, 1);
  for (int l = 0; l < loops; l++) {
    GenMemref w = g->memrefs.data[gen_below(g, g->memrefs.size)];
    if (w.rank != 1 || w.dims[0] == GEN_UNKNOWN || w.dims[0] < trips || w.constant) continue;
    uint32_t iv = gen_id(g), at = iv, index[GEN_MAX_RANK], value = UINT32_MAX;
    int64_t shift = (int64_t)gen_below(g, (uint64_t)(w.dims[0] - trips + 1));
    gen_line(g, "scf.parallel (%%v%u) = (%%v%u) to (%%v%u) step (%%v%u) {", iv, zero, n, one);
    GenMark m = gen_enter(g);
    g->trips *= trips;
    gen_define_range(g, iv, 0, trips - 1);
    if (shift) {
      uint32_t c = gen_index(g, shift);
      at = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", iv, c);
      nr_vec_last(&g->values).lo = shift;
      nr_vec_last(&g->values).hi = shift + trips - 1;
    } else if (gen_one_in(g, 4)) { /* from the other end */
      uint32_t c = gen_index(g, trips - 1);
      at = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", c, iv);
    }
    if (gen_one_in(g, 2)) value = gen_load(g, &w, &at);
    for (int k = 0; k < 2; k++) {
      GenMemref r = g->memrefs.data[gen_below(g, g->memrefs.size)];
      if (r.elem != w.elem || !r.root || !w.root || r.root == w.root || !gen_has_elements(&r)) continue;
      for (int d = 0; d < r.rank; d++) index[d] = gen_index_within(g, &r, d);
      uint32_t x = gen_load(g, &r, index);
      value = value == UINT32_MAX
                  ? x
                  : gen_emit(g, w.elem, "arith.%s %%v%u, %%v%u : %s", gen_types[w.elem].is_float ? "subf" : "subi",
                             value, x, gen_types[w.elem].name);
    }
    if (value == UINT32_MAX || gen_one_in(g, 4)) value = gen_use(g, w.elem);
    gen_store(g, &w, value, &at);
    gen_leave(g, m);
    gen_line(g, "}");
  }
}

