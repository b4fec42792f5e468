/* gen_memory.c - random buffers, views of them, loads and stores. */
#include "gen.h"

static void put_number(Gen *g, int64_t value) {
  if (value == GEN_UNKNOWN) gen_put(g, "?");
  else gen_put(g, "%lld", (long long)value);
}

bool gen_is_plain(const GenMemref *m) {
  int64_t stride = 1;
  for (int d = m->rank; d-- > 0;) {
    if (m->strides[d] != stride) return false;
    stride = stride == GEN_UNKNOWN || m->dims[d] == GEN_UNKNOWN ? GEN_UNKNOWN : stride * m->dims[d];
  }
  return m->offset == 0;
}

void gen_put_memref_type(Gen *g, const GenMemref *m) {
  gen_put(g, "memref<");
  for (int d = 0; d < m->rank; d++) {
    put_number(g, m->dims[d]);
    gen_put(g, "x");
  }
  gen_put(g, "%s", gen_types[m->elem].name);
  if (!gen_is_plain(m)) {
    gen_put(g, ", strided<[");
    for (int d = 0; d < m->rank; d++) {
      if (d) gen_put(g, ", ");
      put_number(g, m->strides[d]);
    }
    gen_put(g, "]");
    if (m->offset) {
      gen_put(g, ", offset: ");
      put_number(g, m->offset);
    }
    gen_put(g, ">");
  }
  gen_put(g, ">");
}

bool gen_may_write(const Gen *g, const GenMemref *m) { return m->root >= g->pure && !m->constant; }

GenMemref *gen_random_memref(Gen *g) {
  return g->memrefs.size ? &g->memrefs.data[gen_below(g, g->memrefs.size)] : NULL;
}

GenMemref *gen_memref_like(Gen *g, const GenMemref *like) {
  size_t n = g->memrefs.size, start = gen_below(g, n);
  for (size_t i = 0; i < n; i++) {
    GenMemref *m = &g->memrefs.data[(start + i) % n];
    if (m->elem != like->elem || m->rank != like->rank || m->offset != like->offset || m->constant != like->constant)
      continue;
    if (memcmp(m->dims, like->dims, (size_t)m->rank * sizeof *m->dims) ||
        memcmp(m->strides, like->strides, (size_t)m->rank * sizeof *m->strides))
      continue;
    return m;
  }
  return NULL;
}

static void put_access(Gen *g, const GenMemref *m, const uint32_t *indices) {
  gen_put(g, "%%v%u[", m->id);
  gen_put_ids(g, indices, m->rank);
  gen_put(g, "] : ");
  gen_put_memref_type(g, m);
}

uint32_t gen_load(Gen *g, const GenMemref *m, const uint32_t *indices) {
  uint32_t id = gen_id(g);
  GenMemref copy = *m;
  gen_begin(g);
  gen_put(g, "%%v%u = memref.load ", id);
  put_access(g, &copy, indices);
  gen_end(g);
  gen_define(g, id, copy.elem);
  return id;
}

void gen_store(Gen *g, const GenMemref *m, uint32_t value, const uint32_t *indices) {
  gen_begin(g);
  gen_put(g, "memref.store %%v%u, ", value);
  put_access(g, m, indices);
  gen_end(g);
}

uint32_t gen_dim(Gen *g, const GenMemref *m, int dim) {
  if (m->dims[dim] != GEN_UNKNOWN && !gen_one_in(g, 8)) return gen_index(g, m->dims[dim]);
  uint32_t which = gen_index(g, dim), id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.dim %%v%u, %%v%u : ", id, m->id, which);
  gen_put_memref_type(g, m);
  gen_end(g);
  gen_define(g, id, GEN_INDEX);
  return id;
}

uint32_t gen_index_within(Gen *g, const GenMemref *m, int dim) {
  int64_t size = m->dims[dim];
  size_t n = g->values.size, start = gen_below(g, n);
  for (size_t i = 0; i < n && size != GEN_UNKNOWN; i++) {
    GenValue v = g->values.data[(start + i) % n];
    if (v.type == GEN_INDEX && v.lo <= v.hi && v.lo >= 0 && v.hi < size && !gen_one_in(g, 4)) return v.id;
  }
  GenMemref copy = *m;
  uint32_t any = gen_use(g, GEN_INDEX), top = gen_dim(g, &copy, dim);
  uint32_t id = gen_emit(g, GEN_INDEX, "arith.remui %%v%u, %%v%u : index", any, top);
  if (size != GEN_UNKNOWN) {
    nr_vec_last(&g->values).lo = 0;
    nr_vec_last(&g->values).hi = size - 1;
  }
  return id;
}

bool gen_has_elements(const GenMemref *m) {
  for (int d = 0; d < m->rank; d++)
    if (m->dims[d] == 0) return false;
  return true;
}

/* ---- making buffers ---- */

/* Every element by its place, so that views that are mixed up are noticed. */
static void fill_by_place(Gen *g, const GenMemref *m) {
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), ivs[GEN_MAX_RANK], tops[GEN_MAX_RANK];
  size_t values = g->values.size;
  for (int d = 0; d < m->rank; d++) tops[d] = gen_dim(g, m, d);
  for (int d = 0; d < m->rank; d++) {
    ivs[d] = gen_id(g);
    gen_line(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u {", ivs[d], zero, tops[d], one);
    g->indent++;
  }
  uint32_t place = zero, weight = gen_index(g, 7);
  for (int d = 0; d < m->rank; d++) {
    place = gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", place, weight);
    place = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", place, ivs[d]);
  }
  uint32_t as_int = place;
  const GenType *t = &gen_types[m->elem];
  if (m->elem != GEN_INDEX) {
    GenTypeId through = t->is_float ? GEN_I16 : m->elem;
    as_int = gen_emit(g, through, "arith.index_cast %%v%u : index to %s", place, gen_types[through].name);
    if (t->is_float) as_int = gen_emit(g, m->elem, "arith.sitofp %%v%u : i16 to %s", as_int, t->name);
  }
  gen_store(g, m, as_int, ivs);
  for (int d = 0; d < m->rank; d++) {
    g->indent--;
    gen_line(g, "}");
  }
  g->values.size = values;
}

void gen_fill(Gen *g, const GenMemref *m) {
  if (!gen_one_in(g, 3) && m->rank > 0) {
    fill_by_place(g, m);
    return;
  }
  uint32_t value = gen_use(g, m->elem);
  gen_begin(g);
  gen_put(g, "linalg.fill ins(%%v%u : %s) outs(%%v%u : ", value, gen_types[m->elem].name, m->id);
  gen_put_memref_type(g, m);
  gen_put(g, ")\n");
}

GenMemref gen_alloc(Gen *g, GenTypeId elem, int rank, const int64_t *dims, bool on_stack) {
  GenMemref m = {.elem = elem, .rank = rank, .owned = true};
  uint32_t sizes[GEN_MAX_RANK];
  int dynamic = 0;
  int64_t stride = 1;
  for (int d = 0; d < rank; d++) {
    m.dims[d] = dims[d];
    if (dims[d] == GEN_UNKNOWN) sizes[dynamic++] = gen_fresh_index(g, 1, 6);
  }
  for (int d = rank; d-- > 0;) {
    m.strides[d] = stride;
    stride = stride == GEN_UNKNOWN || dims[d] == GEN_UNKNOWN ? GEN_UNKNOWN : stride * dims[d];
  }
  m.id = m.root = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.alloc%s(", m.id, on_stack && dynamic == 0 && g->trips == 1 && gen_one_in(g, 3) ? "a" : "");
  gen_put_ids(g, sizes, dynamic);
  gen_put(g, ") : ");
  gen_put_memref_type(g, &m);
  gen_end(g);
  gen_fill(g, &m);
  nr_vec_push(&g->memrefs, m);
  return m;
}

static void random_alloc(Gen *g, bool on_stack) {
  int64_t dims[2];
  int rank = (int)gen_below(g, 6) % 3;
  if (rank == 0 && !gen_one_in(g, 2)) rank = 1;
  for (int d = 0; d < rank; d++)
    dims[d] = gen_one_in(g, 4) ? GEN_UNKNOWN : gen_one_in(g, 20) ? 0 : 1 + (int64_t)gen_below(g, 8);
  gen_alloc(g, gen_one_in(g, 2) ? GEN_I32 : gen_type(g), rank, dims, on_stack);
}

/* From one to another that shares nothing with it. */
static void copy(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from || !from->root) return;
  GenMemref a = *from;
  for (size_t i = 0; i < g->memrefs.size; i++) {
    GenMemref b = g->memrefs.data[i];
    bool same = b.elem == a.elem && b.rank == a.rank && b.root && b.root != a.root && gen_may_write(g, &b);
    for (int d = 0; d < a.rank && same; d++) same = a.dims[d] == b.dims[d] && a.dims[d] != GEN_UNKNOWN;
    if (!same) continue;
    gen_begin(g);
    gen_put(g, "memref.copy %%v%u, %%v%u : ", a.id, b.id);
    gen_put_memref_type(g, &a);
    gen_put(g, " to ");
    gen_put_memref_type(g, &b);
    gen_end(g);
    return;
  }
}

/* A load or a store, often where one was before. */
static void access(Gen *g) {
  GenMemref *p = gen_random_memref(g);
  GenPlace place;
  bool store = gen_one_in(g, 2);
  if (g->places.size && gen_one_in(g, 2)) place = g->places.data[gen_below(g, g->places.size)];
  else {
    if (!p || !gen_has_elements(p)) return;
    place.memref = *p;
    for (int d = 0; d < place.memref.rank; d++) place.indices[d] = gen_index_within(g, &place.memref, d);
    nr_vec_push(&g->places, place);
  }
  if (store && !gen_may_write(g, &place.memref)) return;
  if (store) gen_store(g, &place.memref, gen_use(g, place.memref.elem), place.indices);
  else gen_load(g, &place.memref, place.indices);
}

/* A buffer that nothing else sees, and that is freed. */
static void scratch(Gen *g) {
  size_t others = g->memrefs.size;
  GenMemref *saved = nr_malloc((others + 1) * sizeof *saved);
  if (others) memcpy(saved, g->memrefs.data, others * sizeof *saved);
  g->memrefs.size = g->places.size = 0;
  random_alloc(g, false);
  GenMemref m = g->memrefs.data[0];
  for (int i = 2 + (int)gen_below(g, 4); i > 0; i--) gen_memory_op(g);
  gen_begin(g);
  gen_put(g, "memref.dealloc %%v%u : ", m.id);
  gen_put_memref_type(g, &m);
  gen_end(g);
  g->memrefs.size = g->places.size = 0;
  for (size_t i = 0; i < others; i++) nr_vec_push(&g->memrefs, saved[i]);
  nr_free(saved);
}

/* ---- variables -------------------------------------------------------------------------------------------------- */

/* A small buffer on the stack that is only read and written at its elements: it may become values. */
static void new_slot(Gen *g) {
  GenMemref m = {.id = gen_id(g), .elem = gen_one_in(g, 2) ? GEN_I32 : gen_type(g), .rank = (int)gen_below(g, 3) % 2};
  if (g->trips > 20) return;
  m.root = m.id;
  m.dims[0] = 1 + (int64_t)gen_below(g, 3);
  m.strides[0] = 1;
  gen_begin(g);
  gen_put(g, "%%v%u = memref.alloca() : ", m.id);
  gen_put_memref_type(g, &m);
  gen_end(g);
  for (int64_t i = 0; i < (m.rank ? m.dims[0] : 1); i++) {
    uint32_t value = gen_use(g, m.elem), at = gen_index(g, i);
    gen_store(g, &m, value, &at);
  }
  nr_vec_push(&g->slots, m);
}

static void slot_op(Gen *g) {
  if (!g->slots.size) {
    new_slot(g);
    return;
  }
  GenMemref m = g->slots.data[g->slots.size - 1 - gen_below(g, g->slots.size)];
  uint32_t at = gen_one_in(g, 5) ? gen_fresh_index(g, 0, m.dims[0] - 1)
                                 : gen_index(g, (int64_t)gen_below(g, (uint64_t)m.dims[0]));
  if (gen_one_in(g, 2) || !gen_may_write(g, &m)) {
    gen_load(g, &m, &at);
    return;
  }
  uint32_t value = gen_use(g, m.elem);
  gen_store(g, &m, value, &at);
}

void gen_memory_op(Gen *g) {
  switch (gen_below(g, 24)) {
  case 0: random_alloc(g, true); return;
  case 1: case 2: case 3: case 4: gen_view(g); return;
  case 5: copy(g); return;
  case 6: scratch(g); return;
  case 7: new_slot(g); return;
  case 8: case 9: case 10: case 11: case 12: slot_op(g); return;
  case 20: gen_get_global(g); return;
  case 21: case 22: gen_atomic(g); return;
  case 23: gen_transfer(g); return;
  default: break;
  }
  access(g);
}
