/* gen_control.c - random structured control flow around a body that the caller gives. */
#include <stdio.h>

#include "gen.h"

enum { MAX_CARRIED = 4, MAX_TRIPS = GEN_MAX_TRIPS };

int gen_random_types(Gen *g, GenTypeId *types, int most) {
  int count = (int)gen_below(g, (uint64_t)most + 1);
  for (int i = 0; i < count; i++) types[i] = i && gen_one_in(g, 2) ? types[i - 1] : gen_type(g);
  return count;
}

void gen_use_all(Gen *g, const GenTypeId *types, int count, uint32_t *out) {
  for (int i = 0; i < count; i++) out[i] = gen_use(g, types[i]);
}

/* ---- branches ---- */

void gen_if(Gen *g, int depth, GenBody body) {
  GenTypeId types[3];
  uint32_t ids[3], values[3], condition = gen_use(g, GEN_I1);
  int count = gen_random_types(g, types, 3);
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
  int count = gen_random_types(g, types, 2), cases = (int)gen_below(g, 4);
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

/* Blocks that branch to each other, of which several end the region. */
static void gen_region_graph(Gen *g) {
  GenTypeId types[2];
  uint32_t ids[2];
  int count = gen_random_types(g, types, 2);
  if (g->trips > 4) return;
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.execute_region%s", count ? " -> " : "");
  if (count > 1) gen_put(g, "(");
  gen_put_types(g, types, count);
  gen_put(g, count > 1 ? ") {\n" : " {\n");
  GenMark m = gen_enter(g);
  gen_graph(g, "scf.yield", types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

/* ---- loops that test ---- */

/* "%ids = scf.while (%args = %inits) : (types) -> (handed) {": the first region, in which args are visible. */
static GenMark open_while(Gen *g, const GenTypeId *types, int count, const uint32_t *args, const uint32_t *inits,
                          const GenTypeId *handed, int passed, uint32_t *ids) {
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
  return m;
}

/* The end of the first region, which hands values on, and the start of the second one, in which they are `after`. */
static GenMark go_on_while(Gen *g, GenMark first, uint32_t condition, const uint32_t *values, const GenTypeId *handed,
                           int passed, const uint32_t *after) {
  char op[40];
  snprintf(op, sizeof op, "scf.condition(%%v%u)", condition);
  gen_yield(g, op, values, handed, passed);
  gen_leave(g, first);
  gen_line(g, "} do {");
  GenMark m = gen_enter(g);
  gen_put(g, "^bb0(");
  for (int i = 0; i < passed; i++) gen_put(g, "%s%%v%u: %s", i ? ", " : "", after[i], gen_types[handed[i]].name);
  gen_put(g, "):\n");
  return m;
}

/* Counts in its first carried value, up to 3 and, sometimes, while a random condition holds. What is handed on has
 * types of its own. */
static void gen_while(Gen *g, int depth, GenBody body) {
  GenTypeId types[MAX_CARRIED], handed[MAX_CARRIED];
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], after[MAX_CARRIED], values[MAX_CARRIED];
  if (g->trips * 4 > MAX_TRIPS) return;
  int count = 1 + gen_random_types(g, types + 1, MAX_CARRIED - 1),
      passed = 1 + gen_random_types(g, handed + 1, MAX_CARRIED - 1);
  if (passed > 1 && count > 1 && gen_one_in(g, 2)) handed[1] = types[1];
  GenTypeId counter = gen_one_in(g, 2) ? GEN_I32 : GEN_INDEX;
  types[0] = handed[0] = counter;
  uint32_t zero = gen_number(g, counter, 0), limit = gen_number(g, counter, 3), one = gen_number(g, counter, 1);
  gen_use_all(g, types, count, inits);
  inits[0] = zero;
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  for (int i = 0; i < passed; i++) after[i] = gen_id(g);
  GenMark m = open_while(g, types, count, args, inits, handed, passed, ids);
  if (gen_one_in(g, 2)) body(g, depth - 1);
  uint32_t below = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : %s", args[0], limit, gen_types[counter].name);
  uint32_t other = gen_use(g, GEN_I1);
  uint32_t both = gen_one_in(g, 2) ? below : gen_emit(g, GEN_I1, "arith.andi %%v%u, %%v%u : i1", below, other);
  gen_choose(g, handed, passed, args, types, count, values);
  values[0] = args[0];
  m = go_on_while(g, m, both, values, handed, passed, after);
  g->trips *= 4;
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

/* All in the first region; the second one only hands on, sometimes in another order. */
static void gen_do_while(Gen *g, int depth, GenBody body) {
  GenTypeId types[MAX_CARRIED] = {GEN_INDEX};
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], after[MAX_CARRIED], values[MAX_CARRIED];
  if (g->trips * 4 > MAX_TRIPS) return;
  int count = 1 + gen_random_types(g, types + 1, MAX_CARRIED - 1);
  uint32_t zero = gen_index(g, 0), limit = gen_index(g, 1 + (int64_t)gen_below(g, 3)), one = gen_index(g, 1);
  gen_use_all(g, types, count, inits);
  inits[0] = zero;
  for (int i = 0; i < count; i++) args[i] = gen_id(g), after[i] = gen_id(g);
  GenMark m = open_while(g, types, count, args, inits, types, count, ids);
  body(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", args[0], one), other = gen_use(g, GEN_I1);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : index", next, limit);
  if (gen_one_in(g, 2)) more = gen_emit(g, GEN_I1, "arith.andi %%v%u, %%v%u : i1", more, other);
  gen_choose(g, types, count, args, types, count, values);
  values[0] = next;
  m = go_on_while(g, m, more, values, types, count, after);
  if (gen_one_in(g, 3)) gen_choose(g, types, count, after, types, count, values);
  else memcpy(values, after, sizeof after);
  values[0] = after[0];
  gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

/* Two buffers of one type that change places from trip to trip. */
static void gen_swap(Gen *g, int depth, GenBody body) {
  size_t n = g->memrefs.size;
  if (!n) return;
  GenMemref a = g->memrefs.data[gen_below(g, n)], *other = gen_memref_like(g, &a), b = *other;
  GenRange r = gen_range(g);
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
  gen_use_all(g, types, count, values);
  if (!leaves) values[0] = e->next;
  char op[40];
  snprintf(op, sizeof op, "scf.%s [%%v%u]", leaves ? "break" : "continue", e->token);
  gen_yield(g, op, values, types, count);
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
  e.num_carried = 1 + gen_random_types(g, e.carried + 1, MAX_CARRIED - 1);
  e.num_results = gen_random_types(g, e.results, MAX_CARRIED);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), limit = gen_index(g, 3);
  gen_use_all(g, e.carried, e.num_carried, inits);
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

void gen_control_op(Gen *g, int depth, GenBody body) {
  switch (gen_below(g, 24)) {
  case 21: gen_do_while(g, depth, body); break;
  case 22: gen_region_graph(g); break;
  case 16: gen_loop(g, depth, body); break;
  case 17: case 18: gen_exit(g); break;
  case 0: case 1: case 2: gen_if(g, depth, body); break;
  case 3: case 4: case 5: gen_index_for(g, depth, body); break;
  case 6: case 7: gen_while(g, depth, body); break;
  case 8: gen_switch(g, depth, body); break;
  case 9: gen_blocks(g, depth, body); break;
  case 10: gen_block_loop(g, depth, body); break;
  case 11: case 20: gen_typed_for(g, depth, body); break;
  case 12: gen_swap(g, depth, body); break;
  case 13: case 19: gen_parallel_row(g); break;
  default: gen_parallel(g, depth, body); break;
  }
}
