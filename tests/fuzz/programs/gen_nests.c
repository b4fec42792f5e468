/* gen_nests.c - loops as passes over loops look for them: perfect nests over arrays, whiles that count, blocks with
 * branches to anywhere. */
#include "gen.h"

/* ---- perfect nests ---- */

enum { MAX_DEPTH = 3, MAX_TRIPS = 240 };

typedef struct Nest {
  int depth;
  GenTypeId elem; /* of the arrays */
  uint32_t ivs[MAX_DEPTH];
  int64_t lower[MAX_DEPTH], trips[MAX_DEPTH], step[MAX_DEPTH]; /* the largest iv is lower + (trips - 1) * step */
} Nest;

/* iv, iv + c, n - iv or 2 * iv: an index whose range is known. */
static uint32_t subscript(Gen *g, const Nest *n, int loop, bool may_double) {
  int64_t last = n->lower[loop] + NR_MAX(n->trips[loop] - 1, 0) * n->step[loop], shift = (int64_t)gen_below(g, 3);
  uint32_t iv = n->ivs[loop], c;
  switch (gen_below(g, 6)) {
  case 0: case 1:
    c = gen_index(g, shift);
    return gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", iv, c);
  case 2:
    c = gen_index(g, last);
    return gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", c, iv);
  case 3:
    c = gen_index(g, may_double ? 2 : 1);
    return gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", iv, c);
  default: return iv;
  }
}

/* As large as any subscript may need: twice the last iv, or 2 more; without the factor of 2 in arrays of two dims. */
static GenMemref array(Gen *g, const Nest *n, int rank) {
  int64_t last = 11;
  for (int i = 0; i < n->depth; i++) last = NR_MAX(last, n->lower[i] + n->trips[i] * n->step[i]);
  const int64_t line[] = {2 * last + 3}, square[] = {last + 3, last + 3};
  return gen_alloc(g, n->elem, rank, rank == 1 ? line : square, false);
}

/* The bits of all elements, but that NaNs are all the same, as an i32 that is visible. */
static void digest_of_line(Gen *g, const GenMemref *m) {
  const char *name = gen_types[m->elem].name;
  bool is_float = gen_types[m->elem].is_float;
  GenTypeId bits = !is_float ? m->elem : m->elem == GEN_F64 ? GEN_I64 : GEN_I32;
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), top = gen_index(g, m->dims[0]), init = gen_number(g, GEN_I32, 7);
  uint32_t weight = gen_number(g, GEN_I32, 31), iv = gen_id(g), sum = gen_id(g), r = gen_id(g);
  uint32_t canonical = is_float ? gen_number(g, m->elem, 3) : 0;
  gen_line(g, "%%v%u = scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u) -> (i32) {", r, iv, zero, top,
           one, sum, init);
  GenMark mark = gen_enter(g);
  uint32_t x = gen_load(g, m, &iv);
  if (is_float) {
    uint32_t is_nan = gen_emit(g, GEN_I1, "arith.cmpf uno, %%v%u, %%v%u : %s", x, x, name);
    x = gen_emit(g, m->elem, "arith.select %%v%u, %%v%u, %%v%u : %s", is_nan, canonical, x, name);
    x = gen_emit(g, bits, "arith.bitcast %%v%u : %s to %s", x, name, gen_types[bits].name);
  }
  if (bits != GEN_I32)
    x = gen_emit(g, GEN_I32, "arith.%s %%v%u : %s to i32", bits == GEN_I64 ? "trunci" : "extsi", x, gen_types[bits].name);
  uint32_t next = gen_emit(g, GEN_I32, "arith.muli %%v%u, %%v%u : i32", sum, weight);
  next = gen_emit(g, GEN_I32, "arith.addi %%v%u, %%v%u : i32", next, x);
  gen_line(g, "scf.yield %%v%u : i32", next);
  gen_leave(g, mark);
  gen_line(g, "}");
  gen_define(g, r, GEN_I32);
}

static void place(Gen *g, const Nest *n, const GenMemref *m, uint32_t *indices) {
  for (int d = 0; d < m->rank; d++) indices[d] = subscript(g, n, (int)gen_below(g, (uint64_t)n->depth), m->rank == 1);
}

static void statement(Gen *g, const Nest *n, const GenMemref *arrays, int num_arrays) {
  uint32_t indices[GEN_MAX_RANK];
  const GenMemref *from = &arrays[gen_below(g, (uint64_t)num_arrays)],
                  *to = &arrays[gen_below(g, (uint64_t)num_arrays)];
  place(g, n, from, indices);
  uint32_t x = gen_load(g, from, indices), y = gen_use(g, n->elem);
  if (gen_one_in(g, 2)) {
    const GenMemref *other = &arrays[gen_below(g, (uint64_t)num_arrays)];
    place(g, n, other, indices);
    y = gen_load(g, other, indices);
  }
  static const char *const of_ints[] = {"addi", "subi", "muli", "xori", "maxsi", "minui"};
  static const char *const of_floats[] = {"addf", "subf", "mulf", "maximumf", "minimumf"};
  x = gen_emit(g, n->elem, "arith.%s %%v%u, %%v%u : %s",
               gen_types[n->elem].is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints), x, y,
               gen_types[n->elem].name);
  place(g, n, to, indices);
  gen_store(g, to, x, indices);
}

/* Some bounds are the outer loop's variable, some are known in the run only. */
static uint32_t upper_bound(Gen *g, const Nest *n, int loop) {
  int64_t end = n->lower[loop] + n->trips[loop] * n->step[loop] - (int64_t)gen_below(g, (uint64_t)n->step[loop]);
  if (n->trips[loop] == 0) end = n->lower[loop];
  if (loop && gen_one_in(g, 4) && n->lower[loop - 1] + (n->trips[loop - 1] - 1) * n->step[loop - 1] <= end)
    return n->ivs[loop - 1]; /* a triangle */
  return gen_one_in(g, 4) ? gen_fresh_index(g, NR_MAX(end - 1, 0), end) : gen_index(g, end);
}

void gen_nest(Gen *g) {
  static const GenTypeId types[] = {GEN_I32, GEN_I32, GEN_I32, GEN_F32, GEN_F32, GEN_F64, GEN_I8, GEN_I16, GEN_I64};
  Nest n = {.depth = 1 + (int)gen_below(g, MAX_DEPTH), .elem = GEN_PICK(g, types)};
  GenMemref arrays[3];
  int num_arrays = 1 + (int)gen_below(g, 3);
  bool carries = gen_one_in(g, 2);
  int64_t trips = 1;
  uint32_t bounds[MAX_DEPTH][3], results[MAX_DEPTH], args[MAX_DEPTH];
  if (g->pure) return;
  for (int i = 0; i < n.depth; i++) {
    n.lower[i] = (int64_t)gen_below(g, 2);
    n.trips[i] = (int64_t)gen_below(g, 7);
    if (i == n.depth - 1 && trips < 8 && gen_one_in(g, 3)) n.trips[i] = 8 + (int64_t)gen_below(g, 40);
    n.step[i] = gen_one_in(g, 4) ? 2 : 1;
    trips *= NR_MAX(n.trips[i], 1);
  }
  if (g->trips * trips > MAX_TRIPS) return;
  GenMark outside = gen_enter(g);
  g->indent--;
  for (int i = 0; i < num_arrays; i++) arrays[i] = array(g, &n, gen_one_in(g, 3) && n.elem == GEN_I32 ? 2 : 1);
  uint32_t init = gen_use(g, GEN_I32);
  bool early = gen_one_in(g, 2); /* all bounds before the loops, so that the nest is perfect */
  for (int i = 0; i < n.depth; i++) {
    n.ivs[i] = gen_id(g), results[i] = gen_id(g), args[i] = gen_id(g);
    if (i && !early) continue;
    bounds[i][0] = gen_index(g, n.lower[i]);
    bounds[i][2] = gen_index(g, n.step[i]);
    bounds[i][1] = early ? gen_index(g, n.lower[i] + n.trips[i] * n.step[i]) : upper_bound(g, &n, i);
  }
  for (int i = 0; i < n.depth; i++) {
    if (i && !early) {
      bounds[i][0] = gen_index(g, n.lower[i]);
      bounds[i][2] = gen_index(g, n.step[i]);
      bounds[i][1] = upper_bound(g, &n, i);
    }
    gen_begin(g);
    if (carries) gen_put(g, "%%v%u = ", results[i]);
    gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u", n.ivs[i], bounds[i][0], bounds[i][1], bounds[i][2]);
    if (carries) gen_put(g, " iter_args(%%v%u = %%v%u) -> (i32)", args[i], i ? args[i - 1] : init);
    gen_put(g, " {\n");
    g->indent++;
  }
  g->trips *= trips;
  GenMark inside = gen_enter(g);
  g->indent--;
  for (int i = 0; i < n.depth; i++)
    gen_define_range(g, n.ivs[i], n.lower[i], n.lower[i] + NR_MAX(n.trips[i] - 1, 0) * n.step[i]);
  if (carries) gen_define(g, args[n.depth - 1], GEN_I32);
  for (int i = 1 + (int)gen_below(g, 3); i > 0; i--) statement(g, &n, arrays, num_arrays);
  uint32_t value = gen_use(g, GEN_I32);
  if (carries) value = gen_emit(g, GEN_I32, "arith.addi %%v%u, %%v%u : i32", args[n.depth - 1], value);
  g->indent++;
  gen_leave(g, inside);
  for (int i = n.depth; i-- > 0;) {
    if (carries) gen_line(g, "scf.yield %%v%u : i32", i == n.depth - 1 ? value : results[i + 1]);
    g->indent--;
    gen_line(g, "}");
  }
  g->indent++;
  gen_leave(g, outside);
  for (int i = 0; i < num_arrays; i++) {
    if (outside.trips == 1 && gen_one_in(g, 2)) gen_digest(g, &arrays[i]);
    if (outside.trips < 4 && n.elem != GEN_I32) digest_of_line(g, &arrays[i]);
    nr_vec_push(&g->memrefs, arrays[i]);
  }
  if (carries) gen_define(g, results[0], GEN_I32);
}

/* ---- loops that count without saying so ---- */

/* scf.while with one comparison: up or down, by any step, tested before or after the step. */
void gen_counting_while(Gen *g) {
  static const GenTypeId types[] = {GEN_INDEX, GEN_I32, GEN_I64, GEN_I8};
  GenTypeId t = GEN_PICK(g, types), s = gen_type(g);
  const char *n = gen_types[t].name, *m = gen_types[s].name;
  bool down = t != GEN_INDEX && gen_one_in(g, 3), after_step = gen_one_in(g, 3), by_inequality = gen_one_in(g, 4);
  int64_t step = 1 + (int64_t)gen_below(g, 3), from = (int64_t)gen_below(g, 3), trips = (int64_t)gen_below(g, 5);
  if (g->trips * (trips + 1) > MAX_TRIPS) return;
  int64_t to = down ? from - trips * step : from + trips * step;
  uint32_t lower = gen_number(g, t, from), limit = gen_number(g, t, to), by = gen_number(g, t, step),
           init = gen_use(g, s);
  uint32_t i = gen_id(g), x = gen_id(g), j = gen_id(g), y = gen_id(g), r = gen_id(g), z = gen_id(g), value;
  static const char *const up_predicates[] = {"slt", "slt", "sle", "ult"}, *const down_predicates[] = {"sgt", "sge"};
  const char *predicate = by_inequality ? "ne" : down ? GEN_PICK(g, down_predicates) : GEN_PICK(g, up_predicates);
  gen_line(g, "%%v%u, %%v%u = scf.while (%%v%u = %%v%u, %%v%u = %%v%u) : (%s, %s) -> (%s, %s) {", r, z, i, lower, x,
           init, n, m, n, m);
  GenMark mark = gen_enter(g);
  gen_define(g, i, t);
  gen_define(g, x, s);
  uint32_t counter = i;
  if (after_step && !by_inequality)
    counter = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", down ? "subi" : "addi", i, by, n);
  uint32_t left = counter, right = limit;
  if (gen_one_in(g, 4) && !by_inequality) { /* the other way round */
    static const char *const turned[][2] = {
        {"slt", "sgt"}, {"sle", "sge"}, {"ult", "ugt"}, {"sgt", "slt"}, {"sge", "sle"}};
    for (size_t k = 0; k < NR_COUNTOF(turned); k++)
      if (strcmp(turned[k][0], predicate) == 0) {
        predicate = turned[k][1];
        left = limit, right = counter;
        break;
      }
  }
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi %s, %%v%u, %%v%u : %s", predicate, left, right, n);
  gen_line(g, "scf.condition(%%v%u) %%v%u, %%v%u : %s, %s", more, gen_one_in(g, 4) ? counter : i, x, n, m);
  gen_leave(g, mark);
  gen_line(g, "} do {");
  mark = gen_enter(g);
  g->trips *= trips + 1;
  gen_line(g, "^bb0(%%v%u: %s, %%v%u: %s):", j, n, y, m);
  gen_define(g, j, t);
  gen_define(g, y, s);
  for (int k = (int)gen_below(g, 3); k > 0; k--) gen_scalar_op(g);
  value = gen_use(g, s);
  uint32_t next = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", down ? "subi" : "addi", j, by, n);
  gen_line(g, "scf.yield %%v%u, %%v%u : %s, %s", next, value, n, m);
  gen_leave(g, mark);
  gen_line(g, "}");
  gen_define(g, r, t);
  gen_define(g, z, s);
}

/* ---- blocks ---- */

enum { MAX_BLOCKS = 7, MAX_STATE = 3, FUEL = 12 };

typedef struct Graph {
  uint32_t label; /* ^g<label>_<block> */
  int num_blocks, num_state;
  GenTypeId types[MAX_STATE]; /* of what each block takes, behind the fuel */
} Graph;

typedef struct Target {
  int block;
  uint32_t fuel, values[MAX_STATE];
} Target;

/* Chosen before the branch is written: a value may have to be made. */
static Target target(Gen *g, const Graph *c, int block, uint32_t fuel) {
  Target t = {.block = block, .fuel = fuel};
  for (int i = 0; i < c->num_state; i++) t.values[i] = gen_use(g, c->types[i]);
  return t;
}

static void put_target(Gen *g, const Graph *c, const Target *t) {
  gen_put(g, "^g%u_%d(%%v%u", c->label, t->block, t->fuel);
  for (int i = 0; i < c->num_state; i++) gen_put(g, ", %%v%u", t->values[i]);
  gen_put(g, " : index");
  for (int i = 0; i < c->num_state; i++) gen_put(g, ", %s", gen_types[c->types[i]].name);
  gen_put(g, ")");
}

static int block_after(Gen *g, const Graph *c, int block) {
  return block + 1 + (int)gen_below(g, (uint64_t)(c->num_blocks - 1 - block));
}

static void put_switch(Gen *g, const Graph *c, int block, uint32_t fuel) {
  uint32_t flag = gen_use(g, GEN_I32);
  Target t[3];
  for (int i = 0; i < 3; i++) t[i] = target(g, c, block_after(g, c, block), fuel);
  gen_begin(g);
  gen_put(g, "cf.switch %%v%u : i32, [default: ", flag);
  put_target(g, c, &t[0]);
  for (int i = 1; i < 3; i++) {
    gen_put(g, ", %d: ", i);
    put_target(g, c, &t[i]);
  }
  gen_put(g, "]\n");
}

/* On to a later block, or, as long as there is fuel, back to any. */
static void put_branch(Gen *g, const Graph *c, int block, uint32_t fuel) {
  if (gen_one_in(g, 5)) {
    put_switch(g, c, block, fuel);
    return;
  }
  Target on = target(g, c, block_after(g, c, block), fuel), other = target(g, c, block_after(g, c, block), fuel);
  if (gen_one_in(g, 4)) {
    gen_begin(g);
    gen_put(g, "cf.br ");
    put_target(g, c, &on);
    gen_end(g);
    return;
  }
  uint32_t condition = gen_use(g, GEN_I1);
  if (block && gen_one_in(g, 2)) {
    uint32_t zero = gen_index(g, 0), one = gen_index(g, 1);
    uint32_t left = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", fuel, one);
    uint32_t alive = gen_emit(g, GEN_I1, "arith.cmpi sgt, %%v%u, %%v%u : index", fuel, zero);
    if (gen_one_in(g, 2)) condition = gen_emit(g, GEN_I1, "arith.andi %%v%u, %%v%u : i1", alive, condition);
    else condition = alive;
    other = target(g, c, 1 + (int)gen_below(g, (uint64_t)block), left);
    gen_begin(g);
    gen_put(g, "cf.cond_br %%v%u, ", condition);
    put_target(g, c, &other);
    gen_put(g, ", ");
    put_target(g, c, &on);
    gen_end(g);
    return;
  }
  gen_begin(g);
  gen_put(g, "cf.cond_br %%v%u, ", condition);
  put_target(g, c, &on);
  gen_put(g, ", ");
  put_target(g, c, &other);
  gen_end(g);
}

/* Everything that goes around is an argument; values from dominating blocks are used when they happen to be the
 * entry's. Several blocks return. */
void gen_graph(Gen *g, const char *end, const GenTypeId *results, int num_results) {
  Graph c = {.label = gen_id(g),
             .num_blocks = 3 + (int)gen_below(g, MAX_BLOCKS - 2),
             .num_state = 1 + (int)gen_below(g, MAX_STATE)};
  uint32_t values[MAX_STATE];
  for (int i = 0; i < c.num_state; i++) c.types[i] = i < num_results ? results[i] : gen_type(g);
  uint32_t fuel = gen_index(g, FUEL);
  Target first = target(g, &c, 1, fuel);
  gen_begin(g);
  gen_put(g, "cf.br ");
  put_target(g, &c, &first);
  gen_end(g);
  for (int block = 1; block < c.num_blocks; block++) {
    uint32_t args[MAX_STATE];
    GenMark m = gen_enter(g);
    fuel = gen_id(g);
    gen_put(g, "^g%u_%d(%%v%u: index", c.label, block, fuel);
    for (int i = 0; i < c.num_state; i++) {
      args[i] = gen_id(g);
      gen_put(g, ", %%v%u: %s", args[i], gen_types[c.types[i]].name);
    }
    gen_put(g, "):\n");
    for (int i = 0; i < c.num_state; i++) gen_define(g, args[i], c.types[i]);
    g->trips *= FUEL + 1;
    for (int k = (int)gen_below(g, 5); k > 0; k--) gen_one_in(g, 3) ? gen_memory_op(g) : gen_scalar_op(g);
    if (block == c.num_blocks - 1 || gen_one_in(g, 6)) {
      gen_choose(g, results, num_results, args, c.types, c.num_state, values);
      gen_yield(g, end, values, results, num_results);
    } else put_branch(g, &c, block, fuel);
    gen_leave(g, m);
  }
}
