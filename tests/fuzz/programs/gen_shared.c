/* gen_shared.c - random globals, atomic changes of elements, and transfers between buffers. */
#include "gen.h"

/* ---- globals ----------------------------------------------------------------------------------------------------- */

/* Sizes that no parameter of a function has: what is constant is never written. */
static void constant_shape(Gen *g, GenMemref *m) {
  m->rank = 1 + (int)gen_below(g, 2);
  for (int d = 0; d < m->rank; d++) m->dims[d] = 1 + (int64_t)gen_below(g, m->rank == 1 ? 7 : 3);
  m->strides[0] = m->rank == 2 ? m->dims[1] : 1;
  m->strides[1] = 1;
}

static void put_row(Gen *g, const GenMemref *m, int dim) {
  if (dim == m->rank) {
    gen_put(g, gen_types[m->elem].is_float ? "%lld.5" : "%lld", (long long)gen_below(g, 100));
    return;
  }
  gen_put(g, "[");
  for (int64_t i = 0; i < m->dims[dim]; i++) {
    if (i) gen_put(g, ", ");
    put_row(g, m, dim + 1);
  }
  gen_put(g, "]");
}

void gen_globals(Gen *g) {
  static const GenTypeId types[] = {GEN_I32, GEN_I32, GEN_I16, GEN_I64, GEN_INDEX, GEN_F32, GEN_F64};
  for (int i = (int)gen_below(g, 4); i > 0; i--) {
    GenMemref m = {.elem = GEN_I32, .rank = 1, .dims = {8}, .strides = {1}, .constant = gen_one_in(g, 2)};
    m.id = m.root = gen_id(g);
    if (m.constant) {
      m.elem = GEN_PICK(g, types);
      constant_shape(g, &m);
    }
    gen_put(g, "memref.global \"private\" %s@g%u : ", m.constant ? "constant " : "", m.id);
    gen_put_memref_type(g, &m);
    if (m.constant || gen_one_in(g, 2)) {
      gen_put(g, " = dense<");
      put_row(g, &m, gen_one_in(g, 4) ? m.rank : 0);
      gen_put(g, ">\n");
    } else gen_put(g, " = uninitialized\n");
    nr_vec_push(&g->globals, m);
  }
}

static GenMemref get_global(Gen *g, const GenMemref *global) {
  GenMemref m = *global;
  m.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.get_global @g%u : ", m.id, m.root);
  gen_put_memref_type(g, &m);
  gen_end(g);
  nr_vec_push(&g->memrefs, m);
  return m;
}

/* What runs in parallel sees constants only, and so do functions that may run there. */
void gen_get_global(Gen *g) {
  if (!g->globals.size) return;
  GenMemref m = g->globals.data[gen_below(g, g->globals.size)];
  if (m.constant || (g->has_log && !g->pure)) get_global(g, &m);
}

void gen_fill_globals(Gen *g) {
  for (size_t i = 0; i < g->globals.size; i++) {
    if (g->globals.data[i].constant) continue;
    GenMemref m = get_global(g, &g->globals.data[i]);
    gen_fill(g, &m);
  }
}

/* ---- atomic changes ---------------------------------------------------------------------------------------------- */

static void put_generic_begin(Gen *g, const GenMemref *m, const uint32_t *indices, uint32_t id, uint32_t current) {
  gen_begin(g);
  gen_put(g, "%%v%u = memref.generic_atomic_rmw %%v%u[", id, m->id);
  gen_put_ids(g, indices, m->rank);
  gen_put(g, "] : ");
  gen_put_memref_type(g, m);
  gen_put(g, " {\n");
  gen_line(g, "^bb0(%%v%u: %s):", current, gen_types[m->elem].name);
}

static void generic(Gen *g, const GenMemref *m, const uint32_t *indices) {
  uint32_t id = gen_id(g), current = gen_id(g);
  put_generic_begin(g, m, indices, id, current);
  GenMark inside = gen_enter(g);
  gen_define(g, current, m->elem);
  for (int i = (int)gen_below(g, 3); i > 0; i--)
    gen_types[m->elem].is_float ? gen_float_op(g, m->elem) : gen_int_op(g, m->elem);
  gen_line(g, "memref.atomic_yield %%v%u : %s", gen_use(g, m->elem), gen_types[m->elem].name);
  gen_leave(g, inside);
  gen_line(g, "}");
  gen_define(g, id, m->elem);
}

void gen_atomic(Gen *g) {
  static const char *const of_ints[] = {"assign", "addi", "muli", "maxs", "maxu", "mins", "minu", "ori", "andi"};
  static const char *const of_floats[] = {"assign", "addf", "mulf", "maximumf", "minimumf"};
  GenMemref *found = gen_random_memref(g);
  uint32_t indices[GEN_MAX_RANK];
  if (!found || !gen_has_elements(found) || !gen_may_write(g, found)) return;
  GenMemref m = *found;
  const GenType *t = &gen_types[m.elem];
  for (int d = 0; d < m.rank; d++) indices[d] = gen_index_within(g, &m, d);
  if (m.elem == GEN_INDEX || gen_one_in(g, 3)) {
    generic(g, &m, indices);
    return;
  }
  uint32_t value = gen_use(g, m.elem), id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.atomic_rmw %s %%v%u, %%v%u[", id, t->is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints),
          value, m.id);
  gen_put_ids(g, indices, m.rank);
  gen_put(g, "] : (%s, ", t->name);
  gen_put_memref_type(g, &m);
  gen_put(g, ") -> %s\n", t->name);
  gen_define(g, id, m.elem);
}

void gen_atomic_in_any_order(Gen *g, const GenMemref *m, size_t kind) {
  static const char *const kinds[] = {"addi", "maxs", "minu", "ori", "andi"};
  static const char *const ops[] = {"addi", "maxsi", "minui", "ori", "andi"};
  uint32_t at = gen_index_within(g, m, 0), value = gen_use(g, m->elem), id = gen_id(g);
  kind %= NR_COUNTOF(kinds);
  if (gen_one_in(g, 2)) {
    gen_line(g, "%%v%u = memref.atomic_rmw %s %%v%u, %%v%u[%%v%u] : (i32, memref<8xi32>) -> i32", id, kinds[kind], value,
             m->id, at);
    return;
  }
  uint32_t current = gen_id(g), next = gen_id(g);
  put_generic_begin(g, m, &at, id, current);
  gen_line(g, "  %%v%u = arith.%s %%v%u, %%v%u : i32", next, ops[kind], current, value);
  gen_line(g, "  memref.atomic_yield %%v%u : i32", next);
  gen_line(g, "}");
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

static bool is_static(const GenMemref *m) {
  for (int d = 0; d < m->rank; d++)
    if (m->dims[d] == GEN_UNKNOWN) return false;
  return m->rank > 0 && m->root && gen_is_plain(m) && gen_has_elements(m);
}

/* A place; the number of elements from there on. */
static int64_t put_place(Gen *g, const GenMemref *m, uint32_t *indices) {
  int64_t left = 0;
  for (int d = 0; d < m->rank; d++) {
    int64_t i = (int64_t)gen_below(g, (uint64_t)m->dims[d]);
    indices[d] = gen_index(g, i);
    left = left * m->dims[d] + (m->dims[d] - 1 - i);
  }
  return left + 1;
}

/* From one buffer to another that shares nothing with it. */
void gen_transfer(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  uint32_t source[GEN_MAX_RANK], target[GEN_MAX_RANK];
  if (!from || !is_static(from) || g->trips > 20) return;
  GenMemref a = *from;
  for (size_t i = 0; i < g->memrefs.size; i++) {
    GenMemref b = g->memrefs.data[i];
    if (b.elem != a.elem || b.root == a.root || !is_static(&b) || !gen_may_write(g, &b)) continue;
    int64_t most = put_place(g, &a, source), room = put_place(g, &b, target);
    uint32_t n = gen_fresh_index(g, 0, NR_MIN(most, room)), zero = gen_index(g, 0), tag = gen_id(g);
    gen_line(g, "%%v%u = memref.alloca() : memref<1xi32>", tag);
    gen_begin(g);
    gen_put(g, "memref.dma_start %%v%u[", a.id);
    gen_put_ids(g, source, a.rank);
    gen_put(g, "], %%v%u[", b.id);
    gen_put_ids(g, target, b.rank);
    gen_put(g, "], %%v%u, %%v%u[%%v%u] : ", n, tag, zero);
    gen_put_memref_type(g, &a);
    gen_put(g, ", ");
    gen_put_memref_type(g, &b);
    gen_put(g, ", memref<1xi32>\n");
    gen_scalar_op(g);
    gen_line(g, "memref.dma_wait %%v%u[%%v%u], %%v%u : memref<1xi32>", tag, zero, n);
    return;
  }
}
