/* gen_affine.c - loops of the affine dialect over arrays. */
#include "gen.h"

enum { MAX_DEPTH = 3, TOP = 7, SIZE = 32 }; /* induction variables lie in 0 .. TOP, subscripts below SIZE */

typedef struct Affine {
  int depth;
  uint32_t ivs[MAX_DEPTH];
  GenMemref arrays[2];
  uint32_t symbol; /* an index that the run knows, or 0 */
} Affine;

static uint32_t any_iv(Gen *g, const Affine *a) { return a->ivs[gen_below(g, (uint64_t)a->depth)]; }

/* Something from 0 to 2 * TOP + 3 of the variables around. */
static void put_subscript(Gen *g, const Affine *a) {
  uint32_t i = any_iv(g, a), j = any_iv(g, a);
  int c = (int)gen_below(g, 4);
  switch (gen_below(g, a->symbol ? 9 : 7)) {
  case 7: gen_put(g, "%%v%u + symbol(%%v%u) mod %d", i, a->symbol, 1 + c); break;
  case 8: gen_put(g, "(%%v%u + symbol(%%v%u) mod 8) floordiv %d", i, a->symbol, 1 + c); break;
  case 0: gen_put(g, "%%v%u + %d", i, c); break;
  case 1: gen_put(g, "%d - %%v%u", TOP + c, i); break;
  case 2: gen_put(g, "%%v%u * 2 + %d", i, c); break;
  case 3: gen_put(g, "%%v%u + %%v%u", i, j); break;
  case 4: gen_put(g, "(%%v%u * 3 + %%v%u) mod %d", i, j, 4 + c); break;
  case 5: gen_put(g, "(%%v%u + %d) floordiv 2", i, c); break;
  default: gen_put(g, "%%v%u", i); break;
  }
}

static void put_subscripts(Gen *g, const Affine *a, const GenMemref *m) {
  gen_put(g, "%%v%u[", m->id);
  for (int d = 0; d < m->rank; d++) {
    if (d) gen_put(g, ", ");
    put_subscript(g, a);
  }
  gen_put(g, "]");
}

static void put_place(Gen *g, const Affine *a, const GenMemref *m) {
  put_subscripts(g, a, m);
  gen_put(g, " : ");
  gen_put_memref_type(g, m);
  gen_end(g);
}

static uint32_t load(Gen *g, const Affine *a, const GenMemref *m) {
  uint32_t id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = affine.load ", id);
  put_place(g, a, m);
  gen_define(g, id, GEN_I32);
  return id;
}

static void store(Gen *g, const Affine *a, const GenMemref *m, uint32_t value) {
  gen_begin(g);
  gen_put(g, "affine.store %%v%u, ", value);
  put_place(g, a, m);
}

/* A transfer of a few elements, from one array to the other one or in one, also of every second one. */
static void transfer(Gen *g, const Affine *a) {
  const GenMemref *from = &a->arrays[gen_below(g, 2)], *to = &a->arrays[gen_below(g, 2)];
  uint32_t n = gen_index(g, (int64_t)gen_below(g, 5)), tag = gen_id(g);
  bool strided = gen_one_in(g, 2);
  uint32_t stride = strided ? gen_index(g, 2) : 0, run = strided ? gen_index(g, 1) : 0;
  gen_line(g, "%%v%u = memref.alloca() : memref<1xi32>", tag);
  gen_begin(g);
  gen_put(g, "affine.dma_start ");
  put_subscripts(g, a, from);
  gen_put(g, ", ");
  put_subscripts(g, a, to);
  gen_put(g, ", %%v%u[0], %%v%u", tag, n);
  if (strided) gen_put(g, ", %%v%u, %%v%u", stride, run);
  gen_put(g, " : ");
  gen_put_memref_type(g, from);
  gen_put(g, ", ");
  gen_put_memref_type(g, to);
  gen_put(g, ", memref<1xi32>");
  gen_end(g);
  gen_line(g, "affine.dma_wait %%v%u[0], %%v%u : memref<1xi32>", tag, n);
}

/* An index of a map's results, or the least or largest of them. */
static void apply(Gen *g, const Affine *a) {
  uint32_t i = any_iv(g, a), j = any_iv(g, a), id = gen_id(g);
  int c = 1 + (int)gen_below(g, 4);
  switch (gen_below(g, 4)) {
  case 0: gen_line(g, "%%v%u = affine.apply affine_map<(d0, d1) -> (d0 * %d + d1)>(%%v%u, %%v%u)", id, c, i, j); break;
  case 1:
    gen_line(g, "%%v%u = affine.apply affine_map<(d0, d1) -> (d0 ceildiv %d + d1 mod 3)>(%%v%u, %%v%u)", id, c, i, j);
    break;
  case 2: gen_line(g, "%%v%u = affine.min affine_map<(d0, d1) -> (d0 + %d, d1, 5)>(%%v%u, %%v%u)", id, c, i, j); break;
  default: gen_line(g, "%%v%u = affine.max affine_map<(d0, d1) -> (d0 - %d, d1)>(%%v%u, %%v%u)", id, c, i, j); break;
  }
  gen_define(g, id, GEN_INDEX);
}

static void statement(Gen *g, const Affine *a) {
  static const char *const ops[] = {"addi", "subi", "muli", "xori"};
  uint32_t x = load(g, a, &a->arrays[gen_below(g, 2)]), y = gen_use(g, GEN_I32), i = any_iv(g, a), j = any_iv(g, a), r;
  if (gen_one_in(g, 2)) y = load(g, a, &a->arrays[gen_below(g, 2)]);
  x = gen_emit(g, GEN_I32, "arith.%s %%v%u, %%v%u : i32", GEN_PICK(g, ops), x, y);
  if (gen_one_in(g, 3)) apply(g, a);
  if (gen_one_in(g, 8)) transfer(g, a);
  if (gen_one_in(g, 3)) {
    r = gen_id(g);
    gen_line(g, "%%v%u = affine.if affine_set<(d0, d1) : (d0 - d1 + %d >= 0, d0 * 2 - 3 %s 0)>(%%v%u, %%v%u) -> i32 {",
             r, (int)gen_below(g, 3), gen_one_in(g, 3) ? "==" : ">=", i, j);
    gen_line(g, "  affine.yield %%v%u : i32", x);
    gen_line(g, "} else {");
    gen_line(g, "  affine.yield %%v%u : i32", y);
    gen_line(g, "}");
    gen_define(g, r, GEN_I32);
    x = r;
  }
  if (!gen_one_in(g, 5)) store(g, a, &a->arrays[gen_below(g, 2)], x);
}

/* Numbers, or the least and largest of some that the loop around decides. */
static void put_bounds(Gen *g, const Affine *a, int loop) {
  int lower = (int)gen_below(g, 3), upper = lower + (int)gen_below(g, TOP + 2 - lower);
  if (a->symbol && gen_one_in(g, 4)) {
    gen_put(g, "%d to affine_map<()[s0] -> (s0 mod %d)>()[%%v%u]", lower, TOP + 2, a->symbol);
    if (gen_one_in(g, 2)) gen_put(g, " step %d", 1 + (int)gen_below(g, 3));
    return;
  }
  if (loop && gen_one_in(g, 3)) {
    uint32_t outer = a->ivs[gen_below(g, (uint64_t)loop)];
    if (gen_one_in(g, 2)) gen_put(g, "max affine_map<(d0) -> (%d, d0 - 2)>(%%v%u)", lower, outer);
    else gen_put(g, "%d", lower);
    gen_put(g, " to min affine_map<(d0) -> (%d, d0 + 2)>(%%v%u)", upper, outer);
  } else gen_put(g, "%d to %d", lower, upper);
  if (gen_one_in(g, 3)) gen_put(g, " step %d", 1 + (int)gen_below(g, 3));
}

static void parallel(Gen *g, Affine *a) {
  static const char *const kinds[] = {"addi", "maxs", "minu", "muli"};
  uint32_t result = gen_id(g), i = gen_id(g), j = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = affine.parallel (%%v%u, %%v%u) = (0, 1) to (", result, i, j);
  if (a->symbol && gen_one_in(g, 2)) gen_put(g, "symbol(%%v%u) mod 5", a->symbol);
  else gen_put(g, "%d", 1 + (int)gen_below(g, 4));
  gen_put(g, ", %d) step (1, %d) reduce (\"%s\") -> (i32) {\n", (int)gen_below(g, 5), 1 + (int)gen_below(g, 2),
          GEN_PICK(g, kinds));
  GenMark m = gen_enter(g);
  a->depth = 2;
  a->ivs[0] = i, a->ivs[1] = j;
  uint32_t x = load(g, a, &a->arrays[0]);
  if (gen_one_in(g, 2)) {
    uint32_t y = load(g, a, &a->arrays[1]);
    x = gen_emit(g, GEN_I32, "arith.muli %%v%u, %%v%u : i32", x, y);
  }
  gen_line(g, "affine.yield %%v%u : i32", x);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_define(g, result, GEN_I32);
}

void gen_affine(Gen *g) {
  static const int64_t dims[2] = {SIZE, SIZE};
  Affine a = {.depth = 1 + (int)gen_below(g, MAX_DEPTH), .symbol = g->symbol};
  if (g->pure || g->trips > 1) return;
  for (int i = 0; i < 2; i++) a.arrays[i] = gen_alloc(g, GEN_I32, gen_one_in(g, 4) ? 2 : 1, dims, false);
  if (gen_one_in(g, 4)) {
    parallel(g, &a);
    return;
  }
  bool carries = gen_one_in(g, 2);
  uint32_t init = gen_use(g, GEN_I32), results[MAX_DEPTH], args[MAX_DEPTH];
  GenMark outside = gen_enter(g);
  g->indent--;
  for (int i = 0; i < a.depth; i++) {
    a.ivs[i] = gen_id(g), results[i] = gen_id(g), args[i] = gen_id(g);
    gen_begin(g);
    if (carries) gen_put(g, "%%v%u = ", results[i]);
    gen_put(g, "affine.for %%v%u = ", a.ivs[i]);
    put_bounds(g, &a, i);
    if (carries) gen_put(g, " iter_args(%%v%u = %%v%u) -> (i32)", args[i], i ? args[i - 1] : init);
    gen_put(g, " {\n");
    g->indent++;
  }
  for (int i = 0; i < a.depth; i++) gen_define_range(g, a.ivs[i], 0, TOP);
  if (carries) gen_define(g, args[a.depth - 1], GEN_I32);
  for (int i = 1 + (int)gen_below(g, 3); i > 0; i--) statement(g, &a);
  uint32_t value = gen_use(g, GEN_I32);
  if (carries) value = gen_emit(g, GEN_I32, "arith.addi %%v%u, %%v%u : i32", args[a.depth - 1], value);
  for (int i = a.depth; i-- > 0;) {
    if (carries) gen_line(g, "affine.yield %%v%u : i32", i == a.depth - 1 ? value : results[i + 1]);
    g->indent--;
    gen_line(g, "}");
  }
  g->indent++;
  gen_leave(g, outside);
  for (int i = 0; i < 2; i++) gen_digest(g, &a.arrays[i]);
  if (carries) gen_define(g, results[0], GEN_I32);
}
