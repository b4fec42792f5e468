/* gen_lanes.c - random scf.parallel around loops on data, which run a different number of times in each iteration: what
 * vectorize-parallel-loops takes. Iterations read any element of some buffers and write elements of their own of others.
 */
#include <stdio.h>

#include "gen.h"

enum { MAX_CARRIED = 4, MOST_FUEL = 9, NUM_INPUTS = 3, NUM_OUTPUTS = 3 };

/* Types that vectors have, the wide ones more often. */
static void choose_palette(Gen *g) {
  static const GenTypeId types[] = {GEN_I8, GEN_I16, GEN_I32, GEN_I64, GEN_I64, GEN_F16, GEN_F32, GEN_F32, GEN_F64};
  for (size_t i = 0; i < NR_COUNTOF(g->palette); i++) g->palette[i] = GEN_PICK(g, types);
  g->palette[0] = GEN_I32;
  g->palette[1] = GEN_I1;
  g->palette[2] = GEN_INDEX;
  g->has_palette = true;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

static void body_ops(Gen *g, int depth);

static void load_any(Gen *g) {
  GenMemref m = g->memrefs.data[gen_below(g, g->memrefs.size)];
  uint32_t index[GEN_MAX_RANK];
  for (int d = 0; d < m.rank; d++) index[d] = gen_index_within(g, &m, d);
  gen_load(g, &m, index);
}

static void put_while_head(Gen *g, const GenTypeId *types, int count, const uint32_t *args, const uint32_t *inits,
                           const GenTypeId *handed, int passed) {
  gen_put(g, "scf.while (");
  for (int i = 0; i < count; i++) gen_put(g, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  gen_put(g, ") : (");
  gen_put_types(g, types, count);
  gen_put(g, ") -> (");
  gen_put_types(g, handed, passed);
  gen_put(g, ") {\n");
}

/* The condition's region: only a test, so that lanes that have left may go on, or any ops. Gives what it hands on. */
static uint32_t put_condition(Gen *g, int depth, bool plain, const uint32_t *args, uint32_t zero) {
  if (!plain) body_ops(g, depth - 1);
  else if (gen_one_in(g, 2)) gen_scalar_op(g);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi sgt, %%v%u, %%v%u : i32", args[0], zero);
  if (gen_one_in(g, 2)) return more;
  uint32_t also = gen_use(g, GEN_I1);
  return gen_emit(g, GEN_I1, "arith.andi %%v%u, %%v%u : i1", more, also);
}

/* Its first carried value is how many iterations are left at most, a number that differs between lanes. */
static void body_while(Gen *g, int depth) {
  GenTypeId types[MAX_CARRIED] = {GEN_I32}, handed[MAX_CARRIED] = {GEN_I32};
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], after[MAX_CARRIED], values[MAX_CARRIED];
  if (g->trips * 4 > GEN_MAX_TRIPS) return;
  bool plain = gen_one_in(g, 2);
  int count = 1 + gen_random_types(g, types + 1, MAX_CARRIED - 1), passed = count;
  if (plain) memcpy(handed, types, sizeof types);
  else passed = 1 + gen_random_types(g, handed + 1, MAX_CARRIED - 1);
  uint32_t any = gen_use(g, GEN_I32), most = gen_number(g, GEN_I32, MOST_FUEL), zero = gen_number(g, GEN_I32, 0);
  uint32_t one = gen_number(g, GEN_I32, 1);
  inits[0] = gen_emit(g, GEN_I32, "arith.remui %%v%u, %%v%u : i32", any, most);
  gen_use_all(g, types + 1, count - 1, inits + 1);
  gen_begin(g);
  gen_put_results(g, ids, passed);
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  for (int i = 0; i < passed; i++) after[i] = gen_id(g);
  put_while_head(g, types, count, args, inits, handed, passed);
  GenMark m = gen_enter(g);
  g->trips *= 4;
  gen_publish(g, args, types, count);
  uint32_t more = put_condition(g, depth, plain, args, zero);
  gen_choose(g, handed, passed, args, types, count, values);
  values[0] = args[0];
  if (plain && !gen_one_in(g, 4)) memcpy(values, args, sizeof args);
  char op[40];
  snprintf(op, sizeof op, "scf.condition(%%v%u)", more);
  gen_yield(g, op, values, handed, passed);
  gen_leave(g, m);
  gen_line(g, "} do {");
  m = gen_enter(g);
  g->trips *= 4;
  gen_put(g, "^bb0(");
  for (int i = 0; i < passed; i++) gen_put(g, "%s%%v%u: %s", i ? ", " : "", after[i], gen_types[handed[i]].name);
  gen_put(g, "):\n");
  gen_publish(g, after, handed, passed);
  if (plain && gen_one_in(g, 2)) gen_scalar_op(g);
  else body_ops(g, depth - 1);
  gen_choose(g, types, count, after, handed, passed, values);
  values[0] = gen_emit(g, GEN_I32, "arith.%s %%v%u, %%v%u : i32", gen_one_in(g, 2) ? "subi" : "shrui", after[0], one);
  gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, handed, passed);
}

static void body_op(Gen *g, int depth) {
  switch (gen_below(g, depth > 0 ? 12 : 7)) {
  case 5: case 6: load_any(g); break;
  case 7: case 8: gen_if(g, depth, body_ops); break;
  case 9: body_while(g, depth); break;
  case 10: gen_index_for(g, depth, body_ops); break;
  case 11: gen_typed_for(g, depth, body_ops); break;
  default: gen_scalar_op(g);
  }
}

static void body_ops(Gen *g, int depth) {
  for (int i = 1 + (int)gen_below(g, 4); i > 0 && g->budget-- > 0; i--) body_op(g, depth);
}

/* ---- the loop around it ------------------------------------------------------------------------------------------ */

typedef struct Lanes {
  GenMemref outputs[NUM_OUTPUTS];
  int64_t dims[2];
  uint32_t ivs[2];
  int rank;
  bool reduces;
} Lanes;

/* An i32 of a random value of the iteration. */
static uint32_t some_i32(Gen *g) {
  static const GenTypeId types[] = {GEN_I8, GEN_I16, GEN_I64, GEN_F16, GEN_F32, GEN_F64};
  if (gen_one_in(g, 2)) return gen_use(g, GEN_I32);
  GenTypeId t = GEN_PICK(g, types);
  if (gen_types[t].is_float) return gen_to_integer(g, t, GEN_I32);
  uint32_t x = gen_use(g, t);
  return gen_emit(g, GEN_I32, "arith.%s %%v%u : %s to i32", gen_types[t].bits < 32 ? "extsi" : "trunci", x,
                  gen_types[t].name);
}

/* Elements of this iteration alone: its own place, or the one as far from the end. */
static void store_results(Gen *g, const Lanes *l) {
  for (int k = 0; k < NUM_OUTPUTS; k++) {
    uint32_t at[2] = {l->ivs[0], l->ivs[1]}, value = some_i32(g), last = gen_index(g, l->dims[l->rank - 1] - 1);
    if (k == 1) at[l->rank - 1] = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", last, at[l->rank - 1]);
    bool branches = gen_one_in(g, 4);
    uint32_t cond = branches ? gen_use(g, GEN_I1) : 0;
    if (branches) gen_line(g, "scf.if %%v%u {", cond);
    gen_store(g, &l->outputs[k], value, at);
    if (branches) gen_line(g, "}");
  }
}

static void put_reduction(Gen *g) {
  static const char *const ops[] = {"addi", "xori", "maxsi", "minui", "muli"};
  uint32_t value = some_i32(g), l = gen_id(g), r = gen_id(g), s = gen_id(g);
  gen_line(g, "scf.reduce(%%v%u : i32) {", value);
  gen_line(g, "^bb0(%%v%u: i32, %%v%u: i32):", l, r);
  gen_line(g, "  %%v%u = arith.%s %%v%u, %%v%u : i32", s, GEN_PICK(g, ops), l, r);
  gen_line(g, "  scf.reduce.return %%v%u : i32", s);
  gen_line(g, "}");
}

static void put_head(Gen *g, const Lanes *l, const uint32_t *lower, const uint32_t *upper, const uint32_t *step,
                     uint32_t init) {
  const uint32_t *lists[] = {l->ivs, lower, upper, step};
  static const char *const words[] = {"scf.parallel (", " = (", " to (", " step ("};
  for (int i = 0; i < 4; i++) {
    gen_put(g, "%s", words[i]);
    gen_put_ids(g, lists[i], l->rank);
    gen_put(g, ")");
  }
  if (l->reduces) gen_put(g, " init (%%v%u) -> i32", init);
  gen_put(g, " {\n");
}

void gen_lane_loop(Gen *g) {
  Lanes l = {.rank = 1 + (int)gen_one_in(g, 4), .reduces = gen_one_in(g, 3)};
  uint32_t lower[2], upper[2], step[2], id = 0, init = gen_use(g, GEN_I32);
  GenTypeId result = GEN_I32;
  choose_palette(g);
  for (int d = 0; d < l.rank; d++) l.dims[d] = d + 1 < l.rank ? 2 : 1 + (int64_t)gen_below(g, gen_one_in(g, 3) ? 9 : 40);
  for (int k = 0; k < NUM_OUTPUTS; k++) l.outputs[k] = gen_alloc(g, GEN_I32, l.rank, l.dims, false);
  size_t outputs = g->memrefs.size;
  for (int k = 0; k < NUM_INPUTS; k++) gen_alloc(g, gen_type(g), 1, &l.dims[l.rank - 1], false);
  NR_VEC(GenMemref) all = {0};
  for (size_t i = 0; i < g->memrefs.size; i++) nr_vec_push(&all, g->memrefs.data[i]);
  g->memrefs.size = 0; /* iterations see the inputs only */
  for (size_t i = outputs; i < all.size; i++) nr_vec_push(&g->memrefs, all.data[i]);
  g->places.size = 0;
  for (int d = 0; d < l.rank; d++) {
    lower[d] = gen_index(g, 0);
    step[d] = gen_index(g, gen_one_in(g, 6) ? 2 : 1);
    upper[d] = gen_one_in(g, 2) ? gen_fresh_index(g, (l.dims[d] + 1) / 2, l.dims[d]) : gen_index(g, l.dims[d]);
    l.ivs[d] = gen_id(g);
  }
  gen_begin(g);
  if (l.reduces) gen_put_results(g, &id, 1);
  put_head(g, &l, lower, upper, step, init);
  GenMark m = gen_enter(g);
  g->pure = g->next;
  for (int d = 0; d < l.rank; d++) gen_define_range(g, l.ivs[d], 0, l.dims[d] - 1);
  for (int k = 0; k < NUM_INPUTS; k++)
    if (!gen_one_in(g, 3)) gen_load(g, &g->memrefs.data[k], &l.ivs[l.rank - 1]);
  body_while(g, 2);
  body_ops(g, 3);
  store_results(g, &l);
  if (l.reduces) put_reduction(g);
  gen_leave(g, m);
  gen_line(g, "}");
  if (l.reduces) gen_publish(g, &id, &result, 1);
  g->memrefs.size = g->places.size = 0;
  for (size_t i = 0; i < all.size; i++) nr_vec_push(&g->memrefs, all.data[i]);
  nr_vec_deinit(&all);
}
