/* gen_control.c - random structured control flow around a body that the caller gives. */
#include "gen.h"

enum { MAX_CARRIED = 4, MAX_TRIPS = 300 };

static int random_types(Gen *g, GenTypeId *types, int most) {
  int count = (int)gen_below(g, (uint64_t)most + 1);
  for (int i = 0; i < count; i++) types[i] = i && gen_one_in(g, 2) ? types[i - 1] : gen_type(g);
  return count;
}

static void use_all(Gen *g, const GenTypeId *types, int count, uint32_t *out) {
  for (int i = 0; i < count; i++) out[i] = gen_use(g, types[i]);
}

/* ---- branches ---- */

static void gen_if(Gen *g, int depth, GenBody body) {
  GenTypeId types[3];
  uint32_t ids[3], values[3], condition = gen_use(g, GEN_I1);
  int count = random_types(g, types, 3);
  bool with_else = count || gen_one_in(g, 2);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.if %%v%u%s", condition, count ? " -> (" : "");
  gen_put_types(g, types, count);
  gen_put(g, count ? ") {\n" : " {\n");
  for (int side = 0; side < (with_else ? 2 : 1); side++) {
    if (side) gen_line(g, "} else {");
    GenMark m = gen_enter(g);
    if (!gen_one_in(g, 4)) body(g, depth - 1);
    gen_choose(g, types, count, NULL, NULL, 0, values);
    if (count) gen_yield(g, "scf.yield", values, types, count);
    gen_leave(g, m);
  }
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

static void gen_switch(Gen *g, int depth, GenBody body) {
  GenTypeId types[2];
  uint32_t ids[2], values[2], arg = gen_one_in(g, 2) ? gen_fresh_index(g, 0, 3) : gen_use(g, GEN_INDEX);
  int count = random_types(g, types, 2), cases = (int)gen_below(g, 4);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.index_switch %%v%u%s", arg, count ? " -> " : "");
  gen_put_types(g, types, count);
  gen_end(g);
  for (int i = 0; i <= cases; i++) {
    if (i < cases) gen_line(g, "case %d {", i * 2 - 1);
    else gen_line(g, "default {");
    GenMark m = gen_enter(g);
    if (!gen_one_in(g, 4)) body(g, depth - 1);
    gen_choose(g, types, count, NULL, NULL, 0, values);
    gen_yield(g, "scf.yield", values, types, count);
    gen_leave(g, m);
    gen_line(g, "}");
  }
  gen_publish(g, ids, types, count);
}

/* Blocks: a diamond whose sides may end the region, or a loop on its own label. */
static void gen_blocks(Gen *g, int depth, GenBody body) {
  GenTypeId type = gen_type(g);
  uint32_t condition = gen_use(g, GEN_I1), id = gen_id(g), label = gen_id(g), arg = gen_id(g), value;
  gen_line(g, "%%v%u = scf.execute_region -> %s {", id, gen_types[type].name);
  GenMark m = gen_enter(g);
  body(g, depth - 1);
  uint32_t a = gen_use(g, type), b = gen_use(g, type);
  gen_line(g, "cf.cond_br %%v%u, ^a%u, ^b%u(%%v%u : %s)", condition, label, label, a, gen_types[type].name);
  gen_line(g, "^a%u:", label);
  GenMark n = gen_enter(g);
  body(g, depth - 1);
  value = gen_use(g, type);
  if (gen_one_in(g, 2)) gen_yield(g, "scf.yield", &value, &type, 1);
  else gen_line(g, "cf.br ^b%u(%%v%u : %s)", label, b, gen_types[type].name);
  gen_leave(g, n);
  gen_line(g, "^b%u(%%v%u: %s):", label, arg, gen_types[type].name);
  gen_define(g, arg, type);
  body(g, depth - 1);
  value = gen_use(g, type);
  gen_yield(g, "scf.yield", &value, &type, 1);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_define(g, id, type);
}

static void gen_block_loop(Gen *g, int depth, GenBody body) {
  GenTypeId type = gen_type(g);
  int trips = (int)gen_below(g, 5);
  if (g->trips * (trips + 1) > MAX_TRIPS) return;
  uint32_t id = gen_id(g), label = gen_id(g), arg = gen_id(g), counter = gen_id(g), init = gen_use(g, type);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), limit = gen_index(g, trips), value;
  const char *t = gen_types[type].name;
  gen_line(g, "%%v%u = scf.execute_region -> %s {", id, t);
  GenMark m = gen_enter(g);
  g->trips *= trips + 1;
  gen_line(g, "cf.br ^h%u(%%v%u, %%v%u : index, %s)", label, zero, init, t);
  gen_line(g, "^h%u(%%v%u: index, %%v%u: %s):", label, counter, arg, t);
  gen_define_range(g, counter, 0, trips);
  gen_define(g, arg, type);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : index", counter, limit);
  gen_line(g, "cf.cond_br %%v%u, ^l%u, ^e%u", more, label, label);
  gen_line(g, "^l%u:", label);
  GenMark n = gen_enter(g);
  body(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", counter, one);
  value = gen_use(g, type);
  gen_line(g, "cf.br ^h%u(%%v%u, %%v%u : index, %s)", label, next, value, t);
  gen_leave(g, n);
  gen_line(g, "^e%u:", label);
  value = gen_one_in(g, 2) ? arg : gen_use(g, type);
  gen_yield(g, "scf.yield", &value, &type, 1);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_define(g, id, type);
}

/* ---- loops ---- */

typedef struct Range {
  uint32_t lower, upper, step;
  int64_t lo, hi, trips; /* of the induction variable, and at most so many trips */
} Range;

static Range gen_range(Gen *g) {
  Range r = {.lo = (int64_t)gen_below(g, 4) - 1};
  int64_t end = r.lo + (int64_t)gen_below(g, 6) - 1, step = 1 + (int64_t)gen_below(g, 3);
  if (gen_one_in(g, 40)) { /* at the end of the type */
    r.lo = INT64_MAX - 4;
    end = INT64_MAX;
  }
  bool dynamic = gen_one_in(g, 3) && r.lo < 100;
  r.trips = NR_MAX(end - r.lo, 0);
  r.hi = NR_MAX(end - 1, r.lo);
  r.lower = dynamic && gen_one_in(g, 2) ? gen_fresh_index(g, r.lo, r.lo + 1) : gen_index(g, r.lo);
  r.upper = dynamic ? gen_fresh_index(g, end - 1, end) : gen_index(g, end);
  r.step = dynamic && gen_one_in(g, 2) ? gen_fresh_index(g, 1, step) : gen_index(g, step);
  return r;
}

static void put_inits(Gen *g, const uint32_t *args, const uint32_t *inits, const GenTypeId *types, int count) {
  if (!count) return;
  gen_put(g, " iter_args(");
  for (int i = 0; i < count; i++) gen_put(g, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  gen_put(g, ") -> (");
  gen_put_types(g, types, count);
  gen_put(g, ")");
}

static void gen_for(Gen *g, int depth, GenBody body) {
  GenTypeId types[MAX_CARRIED];
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], values[MAX_CARRIED];
  int count = random_types(g, types, MAX_CARRIED);
  Range r = gen_range(g);
  if (g->trips * r.trips > MAX_TRIPS) return;
  use_all(g, types, count, inits);
  uint32_t iv = gen_id(g);
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u", iv, r.lower, r.upper, r.step);
  put_inits(g, args, inits, types, count);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(r.trips, 1);
  gen_define_range(g, iv, r.lo, r.hi);
  gen_publish(g, args, types, count);
  body(g, depth - 1);
  gen_choose(g, types, count, args, types, count, values);
  if (count) gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

/* Bounds of a narrow type, up to the ends of its range: the last step may go past them. */
static void gen_narrow_for(Gen *g, int depth, GenBody body) {
  static const int bounds[] = {-128, -100, -3, 0, 1, 5, 100, 120, 127, -1}, steps[] = {1, 2, 7, 50, 100, 127};
  static const int small_bounds[] = {-4, -1, 0, 2, 3}, small_steps[] = {1, 2, 3};
  GenTypeId t = gen_one_in(g, 3) ? GEN_I3 : gen_one_in(g, 3) ? GEN_I32 : GEN_I8, types[2];
  bool is_unsigned = gen_one_in(g, 2);
  if (g->trips > 1) return;
  uint32_t range[3], ids[2], inits[2], args[2], values[2], iv = gen_id(g);
  for (int i = 0; i < 3; i++) {
    int64_t value = t == GEN_I3 ? i == 2 ? GEN_PICK(g, small_steps) : GEN_PICK(g, small_bounds)
                                : i == 2 ? GEN_PICK(g, steps) : GEN_PICK(g, bounds);
    if (t == GEN_I32 && is_unsigned && i < 2) value = NR_MAX(value, 0);
    if (is_unsigned && i == 2 && t == GEN_I8 && gen_one_in(g, 4)) value = -56; /* 200 */
    range[i] = gen_number(g, t, value);
  }
  int count = random_types(g, types, 2);
  use_all(g, types, count, inits);
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.for%s %%v%u = %%v%u to %%v%u step %%v%u", is_unsigned ? " unsigned" : "", iv, range[0], range[1],
          range[2]);
  put_inits(g, args, inits, types, count);
  gen_put(g, " : %s {\n", gen_types[t].name);
  GenMark m = gen_enter(g);
  g->trips *= MAX_TRIPS;
  gen_define(g, iv, t);
  gen_publish(g, args, types, count);
  body(g, NR_MIN(depth - 1, 1));
  gen_choose(g, types, count, args, types, count, values);
  if (count) gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

/* Counts in its first carried value, up to 3 and, sometimes, while a random condition holds. What is handed on has
 * types of its own. */
static void gen_while(Gen *g, int depth, GenBody body) {
  GenTypeId types[MAX_CARRIED], handed[MAX_CARRIED];
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], after[MAX_CARRIED], values[MAX_CARRIED];
  if (g->trips * 4 > MAX_TRIPS) return;
  int count = 1 + random_types(g, types + 1, MAX_CARRIED - 1),
      passed = 1 + random_types(g, handed + 1, MAX_CARRIED - 1);
  if (passed > 1 && count > 1 && gen_one_in(g, 2)) handed[1] = types[1];
  GenTypeId counter = gen_one_in(g, 2) ? GEN_I32 : GEN_INDEX;
  types[0] = handed[0] = counter;
  uint32_t zero = gen_number(g, counter, 0), limit = gen_number(g, counter, 3), one = gen_number(g, counter, 1);
  use_all(g, types, count, inits);
  inits[0] = zero;
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  for (int i = 0; i < passed; i++) after[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, passed);
  gen_put(g, "scf.while (");
  for (int i = 0; i < count; i++) gen_put(g, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  gen_put(g, ") : (");
  gen_put_types(g, types, count);
  gen_put(g, ") -> (");
  gen_put_types(g, handed, passed);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= 4;
  gen_publish(g, args, types, count);
  if (gen_one_in(g, 2)) body(g, depth - 1);
  uint32_t below = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : %s", args[0], limit, gen_types[counter].name);
  uint32_t other = gen_use(g, GEN_I1);
  uint32_t both = gen_one_in(g, 2) ? below : gen_emit(g, GEN_I1, "arith.andi %%v%u, %%v%u : i1", below, other);
  gen_choose(g, handed, passed, args, types, count, values);
  values[0] = args[0];
  gen_begin(g);
  gen_put(g, "scf.condition(%%v%u) ", both);
  gen_put_ids(g, values, passed);
  gen_put(g, " : ");
  gen_put_types(g, handed, passed);
  gen_end(g);
  gen_leave(g, m);
  gen_line(g, "} do {");
  m = gen_enter(g);
  g->trips *= 4;
  gen_put(g, "^bb0(");
  for (int i = 0; i < passed; i++) gen_put(g, "%s%%v%u: %s", i ? ", " : "", after[i], gen_types[handed[i]].name);
  gen_put(g, "):\n");
  gen_publish(g, after, handed, passed);
  if (!gen_one_in(g, 4)) body(g, depth - 1);
  uint32_t next = gen_emit(g, counter, "arith.addi %%v%u, %%v%u : %s", after[0], one, gen_types[counter].name);
  gen_choose(g, types, count, after, handed, passed, values);
  values[0] = next;
  gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, handed, passed);
}

/* Two buffers of one type that change places from trip to trip. */
static void gen_swap(Gen *g, int depth, GenBody body) {
  size_t n = g->memrefs.size;
  if (!n) return;
  GenMemref a = g->memrefs.data[gen_below(g, n)], *other = gen_memref_like(g, &a), b = *other;
  Range r = gen_range(g);
  if (g->trips * r.trips > MAX_TRIPS || !gen_may_write(g, &a) || !gen_may_write(g, &b)) return;
  uint32_t iv = gen_id(g), x = gen_id(g), y = gen_id(g), first = gen_id(g), second = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u, %%v%u = scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u, %%v%u = %%v%u) -> (",
          first, second, iv, r.lower, r.upper, r.step, x, a.id, y, b.id);
  gen_put_memref_type(g, &a);
  gen_put(g, ", ");
  gen_put_memref_type(g, &a);
  gen_put(g, ") {\n");
  a.owned = b.owned = false;
  a.root = b.root = 0;
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(r.trips, 1);
  gen_define_range(g, iv, r.lo, r.hi);
  a.id = x, b.id = y;
  nr_vec_push(&g->memrefs, a);
  nr_vec_push(&g->memrefs, b);
  body(g, depth - 1);
  gen_begin(g);
  gen_put(g, "scf.yield %%v%u, %%v%u : ", gen_one_in(g, 4) ? x : y, gen_one_in(g, 4) ? y : x);
  gen_put_memref_type(g, &a);
  gen_put(g, ", ");
  gen_put_memref_type(g, &a);
  gen_end(g);
  gen_leave(g, m);
  gen_line(g, "}");
  a.id = first, b.id = second;
  nr_vec_push(&g->memrefs, a);
  nr_vec_push(&g->memrefs, b);
}

/* ---- loops that are left from inside ---- */

static void put_exit(Gen *g, const GenExit *e, bool leaves) {
  const GenTypeId *types = leaves ? e->results : e->carried;
  int count = leaves ? e->num_results : e->num_carried;
  uint32_t values[MAX_CARRIED];
  use_all(g, types, count, values);
  if (!leaves) values[0] = e->next;
  gen_begin(g);
  gen_put(g, "scf.%s [%%v%u]", leaves ? "break" : "continue", e->token);
  if (count) gen_put(g, " ");
  gen_put_ids(g, values, count);
  if (count) gen_put(g, " : ");
  gen_put_types(g, types, count);
  gen_end(g);
}

/* Out of a loop around, or to its next round, from within a branch: perhaps one of two, that gives a value. */
static void gen_exit(Gen *g) {
  if (!g->exits.size) return;
  GenExit e = g->exits.data[gen_below(g, g->exits.size)];
  uint32_t condition = gen_use(g, GEN_I1), id = gen_id(g), value;
  bool gives = gen_one_in(g, 3);
  if (gives) gen_line(g, "%%v%u = scf.if %%v%u -> (i32) {", id, condition);
  else gen_line(g, "scf.if %%v%u {", condition);
  GenMark m = gen_enter(g);
  if (gen_one_in(g, 2)) gen_scalar_op(g);
  put_exit(g, &e, gen_one_in(g, 2));
  gen_leave(g, m);
  if (gives) {
    gen_line(g, "} else {");
    m = gen_enter(g);
    value = gen_use(g, GEN_I32);
    gen_line(g, "scf.yield %%v%u : i32", value);
    gen_leave(g, m);
  }
  gen_line(g, "}");
  if (gives) gen_define(g, id, GEN_I32);
}

/* Counts in its first carried value, and leaves at 3 at the latest. */
static void gen_loop(Gen *g, int depth, GenBody body) {
  GenExit e = {.token = gen_id(g), .carried = {GEN_INDEX}};
  uint32_t inits[MAX_CARRIED], args[MAX_CARRIED], ids[MAX_CARRIED];
  if (g->trips * 4 > MAX_TRIPS) return;
  e.num_carried = 1 + random_types(g, e.carried + 1, MAX_CARRIED - 1);
  e.num_results = random_types(g, e.results, MAX_CARRIED);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), limit = gen_index(g, 3);
  use_all(g, e.carried, e.num_carried, inits);
  inits[0] = zero;
  for (int i = 0; i < e.num_carried; i++) args[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, e.num_results);
  gen_put(g, "scf.loop token(%%v%u) iter_args(", e.token);
  for (int i = 0; i < e.num_carried; i++) gen_put(g, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  gen_put(g, ") : ");
  gen_put_types(g, e.carried, e.num_carried);
  if (e.num_results) gen_put(g, e.num_results > 1 ? " -> (" : " -> ");
  gen_put_types(g, e.results, e.num_results);
  gen_put(g, e.num_results > 1 ? ") {\n" : " {\n");
  GenMark m = gen_enter(g);
  g->trips *= 4;
  gen_publish(g, args, e.carried, e.num_carried);
  e.next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", args[0], one);
  uint32_t done = gen_emit(g, GEN_I1, "arith.cmpi sge, %%v%u, %%v%u : index", args[0], limit);
  gen_line(g, "scf.if %%v%u {", done);
  GenMark n = gen_enter(g);
  put_exit(g, &e, true);
  gen_leave(g, n);
  gen_line(g, "}");
  nr_vec_push(&g->exits, e);
  body(g, depth - 1);
  gen_exit(g);
  put_exit(g, &e, gen_one_in(g, 4));
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, e.results, e.num_results);
}

/* ---- scf.parallel ---- */

static const char *reduction_of(Gen *g, GenTypeId type) {
  static const char *const of_ints[] = {"addi", "muli", "andi", "ori", "xori", "maxsi", "minui"};
  static const char *const of_floats[] = {"maximumf", "minimumf"}; /* in any order the same */
  return gen_types[type].is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints);
}

static void put_reduce(Gen *g, const uint32_t *values, const GenTypeId *types, int count) {
  if (!count) return;
  gen_begin(g);
  gen_put(g, "scf.reduce(");
  gen_put_ids(g, values, count);
  gen_put(g, " : ");
  gen_put_types(g, types, count);
  gen_put(g, ") {");
  for (int i = 0; i < count; i++) {
    const char *t = gen_types[types[i]].name;
    uint32_t l = gen_id(g), r = gen_id(g), s = gen_id(g);
    gen_put(g, "%s\n", i ? "}, {" : "");
    gen_line(g, "^bb0(%%v%u: %s, %%v%u: %s):", l, t, r, t);
    gen_line(g, "  %%v%u = arith.%s %%v%u, %%v%u : %s", s, reduction_of(g, types[i]), l, r, t);
    gen_line(g, "  scf.reduce.return %%v%u : %s", s, t);
  }
  gen_put(g, "}\n");
}

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
  if (!found || !found->root) return false;
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

static void change_shared(Gen *g, const GenMemref *m, const char *kind) {
  uint32_t at = gen_index_within(g, m, 0), value = gen_use(g, m->elem), id = gen_id(g);
  gen_line(g, "%%v%u = memref.atomic_rmw %s %%v%u, %%v%u[%%v%u] : (i32, memref<8xi32>) -> i32", id, kind, value, m->id,
           at);
}

/* Iterations write only what they allocate. */
static void gen_parallel(Gen *g, int depth, GenBody body) {
  GenTypeId types[2];
  uint32_t ids[2], inits[2], values[2], lower[2], upper[2], step[2], ivs[2];
  int64_t trips = 1;
  int dims = 1 + (int)gen_below(g, 2), count = random_types(g, types, 2);
  Range ranges[2];
  for (int d = 0; d < dims; d++) {
    ranges[d] = gen_range(g);
    lower[d] = ranges[d].lower, upper[d] = ranges[d].upper, step[d] = ranges[d].step, ivs[d] = gen_id(g);
    trips *= ranges[d].trips;
  }
  if (g->trips * trips > MAX_TRIPS) return;
  use_all(g, types, count, inits);
  static const char *const kinds[] = {"addi", "maxs", "minu", "ori", "andi"};
  const char *kind = GEN_PICK(g, kinds);
  GenMemref shared;
  MemrefList all = {0};
  bool shares = choose_shared(g, &shared, &all);
  size_t exits = g->exits.size;
  GenExit *saved = nr_malloc((exits + 1) * sizeof *saved);
  if (exits) memcpy(saved, g->exits.data, exits * sizeof *saved);
  gen_begin(g);
  gen_put_results(g, ids, count);
  put_list(g, "scf.parallel ", ivs, dims);
  put_list(g, " = ", lower, dims);
  put_list(g, " to ", upper, dims);
  put_list(g, " step ", step, dims);
  if (count) put_list(g, " init ", inits, count);
  if (count) gen_put(g, " -> ");
  if (count > 1) gen_put(g, "(");
  gen_put_types(g, types, count);
  gen_put(g, count > 1 ? ") {\n" : " {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  g->pure = g->next;
  g->exits.size = 0; /* not out of an scf.parallel */
  for (int d = 0; d < dims; d++) gen_define_range(g, ivs[d], ranges[d].lo, ranges[d].hi);
  body(g, depth - 1);
  if (shares) change_shared(g, &shared, kind);
  gen_choose(g, types, count, NULL, NULL, 0, values);
  put_reduce(g, values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
  if (shares) g->memrefs.size = g->places.size = 0;
  for (size_t i = 0; i < all.size; i++) nr_vec_push(&g->memrefs, all.data[i]);
  nr_vec_deinit(&all);
  for (size_t i = 0; i < exits; i++) nr_vec_push(&g->exits, saved[i]);
  nr_free(saved);
}

/* Neighbours over equal ranges, which a pass may join: each writes one buffer at a place of its own, and reads others,
 * which may be views of the same memory. */
static void gen_parallel_row(Gen *g) {
  static const int64_t eight[] = {8};
  if (g->pure) return;
  for (int i = (int)gen_below(g, 3); i > 0; i--) gen_alloc(g, GEN_I32, 1, eight, false);
  if (!g->memrefs.size) return;
  int loops = 2 + (int)gen_below(g, 2);
  int64_t trips = 1 + (int64_t)gen_below(g, 4);
  if (g->trips * trips > MAX_TRIPS) return;
  uint32_t zero = gen_index(g, 0), n = gen_one_in(g, 3) ? gen_fresh_index(g, trips, trips) : gen_index(g, trips),
           one = gen_index(g, 1);
  for (int l = 0; l < loops; l++) {
    GenMemref w = g->memrefs.data[gen_below(g, g->memrefs.size)];
    if (w.rank != 1 || w.dims[0] == GEN_UNKNOWN || w.dims[0] < trips) continue;
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

void gen_control_op(Gen *g, int depth, GenBody body) {
  switch (gen_below(g, 20)) {
  case 16: gen_loop(g, depth, body); break;
  case 17: case 18: gen_exit(g); break;
  case 0: case 1: case 2: gen_if(g, depth, body); break;
  case 3: case 4: case 5: gen_for(g, depth, body); break;
  case 6: case 7: gen_while(g, depth, body); break;
  case 8: gen_switch(g, depth, body); break;
  case 9: gen_blocks(g, depth, body); break;
  case 10: gen_block_loop(g, depth, body); break;
  case 11: gen_narrow_for(g, depth, body); break;
  case 12: gen_swap(g, depth, body); break;
  case 13: case 19: gen_parallel_row(g); break;
  default: gen_parallel(g, depth, body); break;
  }
}
