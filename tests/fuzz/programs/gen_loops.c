/* gen_loops.c - programs of control flow, scalars and memory: a few functions, and @main that calls them. */
#include "gen.h"

/* Calls leave a trace: what is lost, done twice or done in another order changes it. */
static const char log_func[] = "func.func private @log(%log: memref<16xi32>, %count: memref<index>, %x: i32) {\n"
                               "  %c1 = arith.constant 1 : index\n"
                               "  %c16 = arith.constant 16 : index\n"
                               "  %c31 = arith.constant 31 : i32\n"
                               "  %n = memref.load %count[] : memref<index>\n"
                               "  %at = arith.remui %n, %c16 : index\n"
                               "  %old = memref.load %log[%at] : memref<16xi32>\n"
                               "  %mixed = arith.muli %old, %c31 : i32\n"
                               "  %new = arith.addi %mixed, %x : i32\n"
                               "  memref.store %new, %log[%at] : memref<16xi32>\n"
                               "  %next = arith.addi %n, %c1 : index\n"
                               "  memref.store %next, %count[] : memref<index>\n"
                               "  return\n"
                               "}\n"
                               "func.func private @digest(%m: memref<?x?xi32, strided<[?, ?], offset: ?>>, %log: "
                               "memref<16xi32>, %count: memref<index>) "
                               "{\n"
                               "  %c0 = arith.constant 0 : index\n"
                               "  %c1 = arith.constant 1 : index\n"
                               "  %c31 = arith.constant 31 : i32\n"
                               "  %rows = memref.dim %m, %c0 : memref<?x?xi32, strided<[?, ?], offset: ?>>\n"
                               "  %columns = memref.dim %m, %c1 : memref<?x?xi32, strided<[?, ?], offset: ?>>\n"
                               "  %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%a = %c31) -> (i32) {\n"
                               "    %row = scf.for %j = %c0 to %columns step %c1 iter_args(%b = %a) -> (i32) {\n"
                               "      %x = memref.load %m[%i, %j] : memref<?x?xi32, strided<[?, ?], offset: ?>>\n"
                               "      %mixed = arith.muli %b, %c31 : i32\n"
                               "      %next = arith.addi %mixed, %x : i32\n"
                               "      scf.yield %next : i32\n"
                               "    }\n"
                               "    scf.yield %row : i32\n"
                               "  }\n"
                               "  call @log(%log, %count, %sum) : (memref<16xi32>, memref<index>, i32) -> ()\n"
                               "  return\n"
                               "}\n";

/* All elements of a buffer go into the trace. */
void gen_digest(Gen *g, const GenMemref *m) {
  static const char type[] = "memref<?x?xi32, strided<[?, ?], offset: ?>>";
  uint32_t id = m->id;
  GenMemref square = *m;
  if (!g->has_log || g->pure || m->elem != GEN_I32 || m->rank == 0 || m->rank > 2 || !gen_has_elements(m)) return;
  if (m->rank == 1) {
    if (m->offset || m->strides[0] != 1 || m->dims[0] == GEN_UNKNOWN) return;
    id = gen_id(g);
    square.rank = 2;
    square.dims[0] = 1, square.dims[1] = m->dims[0];
    square.strides[0] = m->dims[0], square.strides[1] = 1;
    gen_begin(g);
    gen_put(g, "%%v%u = memref.expand_shape %%v%u [[0, 1]] output_shape [1, %lld] : ", id, m->id,
            (long long)m->dims[0]);
    gen_put_memref_type(g, m);
    gen_put(g, " into ");
    gen_put_memref_type(g, &square);
    gen_end(g);
  }
  uint32_t open = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.cast %%v%u : ", open, id);
  gen_put_memref_type(g, &square);
  gen_put(g, " to %s\n", type);
  gen_line(g, "func.call @digest(%%v%u, %%log, %%count) : (%s, memref<16xi32>, memref<index>) -> ()", open, type);
}

/* All integers that are visible, in one. */
static uint32_t digest_of_values(Gen *g) {
  size_t n = g->values.size;
  uint32_t sum = gen_number(g, GEN_I32, 7), weight = gen_number(g, GEN_I32, 31);
  for (size_t i = 0; i < n; i++) {
    GenValue v = g->values.data[i];
    const GenType *t = &gen_types[v.type];
    uint32_t x = v.id;
    if (t->is_float || (v.lo == v.hi && v.type != GEN_I1)) continue;
    if (v.type == GEN_INDEX) x = gen_emit(g, GEN_I32, "arith.index_cast %%v%u : index to i32", x);
    else if (t->bits != 32)
      x = gen_emit(g, GEN_I32, "arith.%s %%v%u : %s to i32", t->bits < 32 ? "extui" : "trunci", x, t->name);
    sum = gen_emit(g, GEN_I32, "arith.muli %%v%u, %%v%u : i32", sum, weight);
    sum = gen_emit(g, GEN_I32, "arith.addi %%v%u, %%v%u : i32", sum, x);
  }
  return sum;
}

/* A function has a parameter at least. */
static void put_func_type(Gen *g, const GenFunc *f) {
  gen_put(g, "(");
  gen_put_types(g, f->params, f->num_params);
  if (f->takes_memrefs) gen_put(g, ", memref<8xi32>, memref<8xi32>");
  if (f->has_effects) gen_put(g, ", memref<16xi32>, memref<index>");
  gen_put(g, ") -> (");
  gen_put_types(g, f->results, f->num_results);
  gen_put(g, ")");
}

static void gen_call(Gen *g) {
  uint32_t args[4], ids[3];
  if (!g->pure && g->has_log && (!g->funcs.size || gen_one_in(g, 3))) {
    uint32_t x = gen_use(g, GEN_I32);
    gen_line(g, "func.call @log(%%log, %%count, %%v%u) : (memref<16xi32>, memref<index>, i32) -> ()", x);
    return;
  }
  if (!g->funcs.size) return;
  GenFunc f = g->funcs.data[gen_below(g, g->funcs.size)];
  GenMemref a = {0}, b = {0};
  if (f.has_effects && (g->pure || !g->has_log)) return;
  if (f.takes_memrefs) {
    GenMemref like = {.elem = GEN_I32, .rank = 1, .dims = {8}, .strides = {1}}, *found = gen_memref_like(g, &like);
    if (!found) return;
    a = *found;
    b = gen_one_in(g, 3) ? a : *gen_memref_like(g, &like);
  }
  if (g->trips > 60) return;
  for (int i = 0; i < f.num_params; i++) args[i] = gen_use(g, f.params[i]);
  if (f.recurses) args[0] = gen_fresh_index(g, 0, 4);
  uint32_t pointer = gen_one_in(g, 4) ? gen_id(g) : 0;
  if (pointer) {
    gen_begin(g);
    gen_put(g, "%%v%u = func.constant @f%u : ", pointer, f.id);
    put_func_type(g, &f);
    gen_end(g);
  }
  gen_begin(g);
  gen_put_results(g, ids, f.num_results);
  if (pointer) gen_put(g, "func.call_indirect %%v%u(", pointer);
  else gen_put(g, "func.call @f%u(", f.id);
  gen_put_ids(g, args, f.num_params);
  if (f.takes_memrefs) gen_put(g, ", %%v%u, %%v%u", a.id, b.id);
  if (f.has_effects) gen_put(g, ", %%log, %%count");
  gen_put(g, ") : ");
  put_func_type(g, &f);
  gen_end(g);
  gen_publish(g, ids, f.results, f.num_results);
}

static void gen_op(Gen *g, int depth);

static void gen_ops(Gen *g, int depth) {
  for (int count = 1 + (int)gen_below(g, 5); count > 0 && g->budget > 0; count--, g->budget--) gen_op(g, depth);
}

static void gen_op(Gen *g, int depth) {
  switch (gen_below(g, depth > 0 ? 19 : 12)) {
  case 0: gen_call(g); break;
  case 1: gen_one_in(g, 2) ? gen_vectors(g) : gen_one_in(g, 3) ? gen_complex(g) : gen_memory_op(g); break;
  case 2: case 3: case 4: gen_memory_op(g); break;
  case 12: case 13:
    switch (gen_below(g, 4)) {
    case 0: gen_affine(g); break;
    case 1: gen_counting_while(g); break;
    default: gen_nest(g); break;
    }
    break;
  case 5: case 6: case 7: case 8: case 9: case 10: case 11: gen_scalar_op(g); break;
  default: gen_control_op(g, depth, gen_ops); break;
  }
}

static void begin_function(Gen *g) {
  g->values.size = g->memrefs.size = g->slots.size = g->sizes.size = g->places.size = 0;
  g->trips = 1;
  g->symbol = 0;
  g->pure = 0;
  g->indent = 1;
}

static void put_memref_params(Gen *g, int count) {
  for (int i = 0; i < count; i++) {
    GenMemref m = {.id = gen_id(g), .elem = GEN_I32, .rank = 1, .dims = {8}, .strides = {1}};
    gen_put(g, ", %%v%u: memref<8xi32>", m.id); /* root 0: they may be one */
    nr_vec_push(&g->memrefs, m);
  }
}

static void gen_function(Gen *g) {
  GenFunc f = {.id = gen_id(g), .num_params = 1 + (int)gen_below(g, 3), .num_results = (int)gen_below(g, 4)};
  uint32_t values[3];
  f.takes_memrefs = gen_one_in(g, 2);
  f.has_effects = f.takes_memrefs || gen_one_in(g, 2);
  g->has_log = f.has_effects;
  begin_function(g);
  gen_put(g, "func.func private @f%u(", f.id);
  for (int i = 0; i < f.num_params; i++) {
    uint32_t id = gen_id(g);
    f.params[i] = gen_type(g);
    gen_put(g, "%s%%v%u: %s", i ? ", " : "", id, gen_types[f.params[i]].name);
    gen_define(g, id, f.params[i]);
  }
  put_memref_params(g, f.takes_memrefs ? 2 : 0);
  if (f.has_effects) gen_put(g, ", %%log: memref<16xi32>, %%count: memref<index>");
  for (int i = 0; i < f.num_results; i++) f.results[i] = gen_type(g);
  gen_put(g, ") -> (");
  gen_put_types(g, f.results, f.num_results);
  gen_put(g, ") {\n");
  if (!f.has_effects) g->pure = 1; /* nothing outside of it is visible anyway */
  g->budget = 2 + (int)gen_below(g, 12);
  bool blocks = gen_one_in(g, 3);
  while (g->budget > (blocks ? 8 : 0)) gen_ops(g, 2);
  if (blocks) gen_graph(g, "return", f.results, f.num_results);
  else {
    gen_choose(g, f.results, f.num_results, NULL, NULL, 0, values);
    gen_yield(g, "return", values, f.results, f.num_results);
  }
  gen_put(g, "}\n");
  nr_vec_push(&g->funcs, f);
}

/* Something before it calls itself and something behind, or behind one call and before another. */
static void gen_recursion(Gen *g) {
  GenFunc f = {.id = gen_id(g), .num_params = 2, .num_results = 1, .params = {GEN_INDEX}, .recurses = true};
  GenTypeId t = f.params[1] = f.results[0] = gen_type(g);
  const char *name = gen_types[t].name;
  begin_function(g);
  g->has_log = false;
  g->pure = 1;
  uint32_t n = gen_id(g), x = gen_id(g), r = gen_id(g);
  gen_put(g, "func.func private @f%u(%%v%u: index, %%v%u: %s) -> %s {\n", f.id, n, x, name, name);
  gen_define(g, x, t);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1);
  gen_define_range(g, n, 0, 4);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi sgt, %%v%u, %%v%u : index", n, zero);
  gen_line(g, "%%v%u = scf.if %%v%u -> (%s) {", r, more, name);
  GenMark m = gen_enter(g);
  uint32_t less = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", n, one), result = x;
  for (int i = 1 + (int)gen_below(g, 2); i > 0; i--) {
    gen_scalar_op(g);
    uint32_t value = gen_use(g, t);
    result = gen_emit(g, t, "func.call @f%u(%%v%u, %%v%u) : (index, %s) -> %s", f.id, less, value, name, name);
  }
  gen_scalar_op(g);
  if (gen_one_in(g, 2)) result = gen_use(g, t);
  gen_line(g, "scf.yield %%v%u : %s", result, name);
  gen_leave(g, m);
  gen_line(g, "} else {");
  gen_line(g, "  scf.yield %%v%u : %s", x, name);
  gen_line(g, "}");
  gen_line(g, "return %%v%u : %s", r, name);
  gen_put(g, "}\n");
  nr_vec_push(&g->funcs, f);
}

/* What passes between programs. */
static GenTypeId outer_type(Gen *g) {
  static const GenTypeId types[] = {GEN_I1,    GEN_I8,  GEN_I16,  GEN_I32, GEN_I32, GEN_I64,
                                    GEN_INDEX, GEN_F16, GEN_BF16, GEN_F32, GEN_F32, GEN_F64};
  return GEN_PICK(g, types);
}

/* Other integers pass as an i64, an f8 as an f64. */
static uint32_t widen(Gen *g, uint32_t id, GenTypeId type) {
  if (type == GEN_F8) return gen_emit(g, GEN_F64, "arith.extf %%v%u : f8E4M3FN to f64", id);
  return gen_emit(g, GEN_I64, "arith.extui %%v%u : %s to i64", id, gen_types[type].name);
}

static bool passes(GenTypeId t) {
  return (gen_types[t].is_float && t != GEN_F8) || t == GEN_INDEX || t == GEN_I1 || t == GEN_I8 || t == GEN_I16 ||
         t == GEN_I32 || t == GEN_I64;
}

static void gen_main(Gen *g) {
  GenTypeId types[6];
  uint32_t values[6];
  int num_params = 3 + (int)gen_below(g, 3), num_results = 2 + (int)gen_below(g, 5);
  begin_function(g);
  g->has_log = true;
  gen_put(g, "func.func @main(");
  for (int i = 0; i < num_params; i++) {
    GenTypeId t = i == 0 ? GEN_I32 : i == 1 ? GEN_INDEX : outer_type(g);
    uint32_t id = gen_id(g);
    gen_put(g, "%s%%v%u: %s", i ? ", " : "", id, gen_types[t].name);
    gen_define(g, id, t);
    if (i == 1) g->symbol = id;
  }
  if (gen_one_in(g, 2)) {
    GenMemref m = {.id = gen_id(g), .elem = GEN_I32, .rank = 1, .dims = {8}, .strides = {1}};
    m.root = m.id;
    gen_put(g, ", %%v%u: memref<8xi32>", m.id);
    nr_vec_push(&g->memrefs, m);
  }
  if (gen_one_in(g, 3)) {
    GenMemref m = {.id = gen_id(g), .elem = GEN_F32, .rank = 2, .dims = {4, 5}, .strides = {5, 1}};
    m.root = m.id;
    gen_put(g, ", %%v%u: memref<4x5xf32>", m.id);
    nr_vec_push(&g->memrefs, m);
  }
  gen_put(g, ", %%log: memref<16xi32>, %%count: memref<index>) -> (");
  for (int i = 0; i < num_results; i++) types[i] = i ? gen_type(g) : GEN_I32;
  for (int i = 0; i < num_results; i++)
    gen_put(g, "%s%s", i ? ", " : "", passes(types[i]) ? gen_types[types[i]].name : types[i] == GEN_F8 ? "f64" : "i64");
  gen_put(g, ") {\n");
  gen_fill_globals(g);
  for (int i = g->has_lanes ? 1 + (int)gen_below(g, 2) : 0; i > 0; i--) {
    g->budget = 20 + (int)gen_below(g, 30);
    gen_lane_loop(g);
  }
  g->budget = g->has_lanes ? 2 : 8 + (int)gen_below(g, 30);
  while (g->budget > 0) gen_ops(g, 3);
  for (size_t i = 0; i < g->memrefs.size; i++)
    if (g->memrefs.data[i].rank == 1) gen_digest(g, &g->memrefs.data[i]);
  gen_choose(g, types, num_results, NULL, NULL, 0, values);
  values[0] = digest_of_values(g);
  for (int i = 0; i < num_results; i++)
    if (!passes(types[i])) {
      values[i] = widen(g, values[i], types[i]);
      types[i] = types[i] == GEN_F8 ? GEN_F64 : GEN_I64;
    }
  gen_yield(g, "return", values, types, num_results);
  gen_put(g, "}\n");
}

void gen_lanes(uint64_t seed, NrBuf *out) {
  Gen g = {.out = out, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1, .has_lanes = true};
  g.next = 1;
  gen_put(&g, "%s", log_func);
  gen_main(&g);
  gen_deinit(&g);
}

void gen_loops(uint64_t seed, NrBuf *out) {
  Gen g = {.out = out, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
  g.next = 1; /* a root is not 0 */
  gen_put(&g, "%s", log_func);
  gen_globals(&g);
  for (int i = (int)gen_below(&g, 4); i > 0; i--) gen_one_in(&g, 5) ? gen_recursion(&g) : gen_function(&g);
  gen_main(&g);
  gen_deinit(&g);
}
