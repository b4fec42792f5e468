/* gen_vector_memory.c - vectors that are read from buffers and written to them. */
#include "gen_vectors.h"

/* A buffer of this element type with so many elements in a row, and where they may begin. */
static bool find_place(Gen *g, GenTypeId elem, int n, bool write, GenMemref *out, uint32_t *out_at) {
  const int64_t dims[] = {n + (int64_t)gen_below(g, 4)};
  size_t start = gen_below(g, g->memrefs.size), found = SIZE_MAX;
  for (size_t i = 0; i < g->memrefs.size; i++) {
    size_t k = (start + i) % g->memrefs.size;
    GenMemref *m = &g->memrefs.data[k];
    bool fits = m->elem == elem && m->rank == 1 && m->dims[0] != GEN_UNKNOWN && m->dims[0] >= n && m->strides[0] == 1;
    if (fits && (!write || gen_may_write(g, m))) found = k;
  }
  if (found == SIZE_MAX && g->trips > 8) return false;
  *out = found == SIZE_MAX ? gen_alloc(g, elem, 1, dims, true) : g->memrefs.data[found];
  *out_at = gen_fresh_index(g, 0, out->dims[0] - n);
  return true;
}

static void put_place(Gen *g, const GenMemref *m, uint32_t at) { gen_put(g, "%%v%u[%%v%u]", m->id, at); }

/* Numbers of the elements that are accessed: each its own, so that the order of writes does not matter. */
static GenVector lanes(Gen *g, GenVectors *s, const GenVector *type) {
  GenVector step = gen_vector_begin(g, (GenVector){.elem = GEN_INDEX, .rank = 1, .dims = {type->dims[0]}});
  gen_put(g, "vector.step");
  gen_vector_end(g, s, step);
  if (gen_one_in(g, 2)) return step;
  GenVector last = gen_vector_splat(g, s, step, type->dims[0] - 1), turned = gen_vector_begin(g, step);
  gen_put(g, "arith.subi %%v%u, %%v%u", last.id, step.id);
  gen_vector_end(g, s, turned);
  return turned;
}

static void read(Gen *g, GenVectors *s, GenVector type, const GenMemref *m, uint32_t at) {
  int how = (int)gen_below(g, 6);
  GenVector mask = {0}, through = {0}, index = {0};
  uint32_t padding = 0;
  if (how >= 2 && how <= 4) mask = gen_vector_mask(g, s, type), through = gen_vector_like(g, s, type);
  if (how == 4) index = lanes(g, s, &type);
  if (how == 5) padding = gen_use(g, type.elem), at = gen_fresh_index(g, 0, m->dims[0] - 1);
  GenVector v = gen_vector_begin(g, type);
  static const char *const ops[] = {"load", "load", "maskedload", "expandload", "gather", "transfer_read"};
  gen_put(g, "vector.%s ", ops[how]);
  put_place(g, m, at);
  if (how == 4) gen_put(g, " [%%v%u]", index.id);
  if (how >= 2 && how <= 4) gen_put(g, ", %%v%u, %%v%u", mask.id, through.id);
  if (how == 5) gen_put(g, ", %%v%u", padding);
  gen_put(g, " : ");
  gen_put_memref_type(g, m);
  if (how == 4) gen_put(g, ", "), gen_put_vector_type(g, &index);
  if (how >= 2 && how <= 4) {
    gen_put(g, ", ");
    gen_put_vector_type(g, &mask);
    gen_put(g, ", ");
    gen_put_vector_type(g, &through);
    gen_put(g, " into ");
  } else gen_put(g, ", ");
  gen_put_vector_type(g, &v);
  gen_end(g);
  gen_vector_publish(s, v);
}

static void write(Gen *g, GenVectors *s, GenVector v, const GenMemref *m, uint32_t at) {
  static const char *const ops[] = {"store", "transfer_write", "maskedstore", "compressstore", "scatter"};
  int how = (int)gen_below(g, 5);
  GenVector mask = {0}, index = {0};
  if (how >= 2) mask = gen_vector_mask(g, s, v);
  if (how == 4) index = lanes(g, s, &v);
  if (how == 1) at = gen_fresh_index(g, 0, m->dims[0] - 1);
  gen_begin(g);
  gen_put(g, "vector.%s ", ops[how]);
  if (how < 2) gen_put(g, "%%v%u, ", v.id);
  put_place(g, m, at);
  if (how == 4) gen_put(g, " [%%v%u]", index.id);
  if (how >= 2) gen_put(g, ", %%v%u, %%v%u", mask.id, v.id);
  gen_put(g, " : ");
  if (how == 1) gen_put_vector_type(g, &v), gen_put(g, ", ");
  gen_put_memref_type(g, m);
  if (how == 4) gen_put(g, ", "), gen_put_vector_type(g, &index);
  if (how >= 2) gen_put(g, ", "), gen_put_vector_type(g, &mask);
  if (how != 1) gen_put(g, ", "), gen_put_vector_type(g, &v);
  gen_end(g);
}

void gen_vector_memory(Gen *g, GenVectors *s) {
  static const GenTypeId in_memory[] = {GEN_I8, GEN_I16, GEN_I32, GEN_I64, GEN_INDEX, GEN_F32, GEN_F64};
  GenVector v = gen_vector_any(g, s);
  GenMemref m;
  uint32_t at;
  bool known = false, writes = gen_one_in(g, 2);
  for (size_t i = 0; i < NR_COUNTOF(in_memory); i++) known |= in_memory[i] == v.elem;
  if (!known || v.rank != 1 || !find_place(g, v.elem, v.dims[0], writes, &m, &at)) return;
  if (writes) write(g, s, v, &m, at);
  else read(g, s, v, &m, at);
}
