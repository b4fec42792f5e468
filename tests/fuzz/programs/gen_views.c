/* gen_views.c - random views of buffers: parts, other layouts, other types. */
#include "gen.h"

typedef struct Part {
  int64_t offset, size, stride; /* GEN_UNKNOWN: the value below */
  uint32_t offset_id, size_id, stride_id;
} Part;

static Part random_part(Gen *g, const GenMemref *m, int d) {
  Part p = {.stride = 1};
  int64_t n = m->dims[d];
  if (n == GEN_UNKNOWN) { /* all of it, or its first element at any place */
    p.offset = 0;
    p.size = GEN_UNKNOWN;
    p.size_id = gen_dim(g, m, d);
    if (gen_one_in(g, 2)) {
      p.offset = GEN_UNKNOWN;
      p.offset_id = gen_index_within(g, m, d);
      p.size = 1;
    }
    return p;
  }
  p.stride = n > 2 && gen_one_in(g, 3) ? 2 : 1;
  p.size = n == 0 ? 0 : 1 + (int64_t)gen_below(g, (uint64_t)((n - 1) / p.stride + 1));
  int64_t room = p.size ? n - 1 - (p.size - 1) * p.stride : n;
  p.offset = (int64_t)gen_below(g, (uint64_t)room + 1);
  if (gen_one_in(g, 3)) {
    p.offset_id = gen_fresh_index(g, 0, room);
    p.offset = GEN_UNKNOWN;
  }
  if (gen_one_in(g, 4) && p.size > 0) {
    p.size_id = gen_fresh_index(g, 1, p.size);
    p.size = GEN_UNKNOWN;
  }
  if (gen_one_in(g, 6)) {
    p.stride_id = gen_fresh_index(g, 1, p.stride);
    p.stride = GEN_UNKNOWN;
  }
  return p;
}

static void put_part_numbers(Gen *g, const Part *parts, int rank, int which) {
  gen_put(g, "[");
  for (int d = 0; d < rank; d++) {
    const Part *p = &parts[d];
    int64_t value = which == 0 ? p->offset : which == 1 ? p->size : p->stride;
    if (d) gen_put(g, ", ");
    if (value == GEN_UNKNOWN) gen_put(g, "%%v%u", which == 0 ? p->offset_id : which == 1 ? p->size_id : p->stride_id);
    else gen_put(g, "%lld", (long long)value);
  }
  gen_put(g, "]");
}

/* " : FROM to TO", and it becomes visible. */
static void end(Gen *g, const GenMemref *from, const char *word, GenMemref to) {
  gen_put(g, " : ");
  gen_put_memref_type(g, from);
  gen_put(g, " %s ", word);
  gen_put_memref_type(g, &to);
  gen_end(g);
  to.owned = false;
  to.constant = from->constant;
  nr_vec_push(&g->memrefs, to);
}

static void subview(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from || from->rank == 0 || !gen_has_elements(from)) return;
  GenMemref m = *from, v = {.elem = m.elem, .root = m.root, .offset = m.offset, .constant = m.constant};
  Part parts[GEN_MAX_RANK];
  for (int d = 0; d < m.rank; d++) {
    Part p = parts[d] = random_part(g, &m, d);
    bool known = v.offset != GEN_UNKNOWN && p.offset != GEN_UNKNOWN && (m.strides[d] != GEN_UNKNOWN || p.offset == 0);
    v.offset = known ? v.offset + (p.offset ? p.offset * m.strides[d] : 0) : GEN_UNKNOWN;
    if (p.size == 1 && (d + 1 < m.rank || v.rank) && gen_one_in(g, 2)) continue; /* drops the dim */
    v.dims[v.rank] = p.size;
    bool steps_known = m.strides[d] != GEN_UNKNOWN && p.stride != GEN_UNKNOWN;
    v.strides[v.rank++] = steps_known ? m.strides[d] * p.stride : GEN_UNKNOWN;
  }
  v.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.subview %%v%u", v.id, m.id);
  for (int which = 0; which < 3; which++) {
    gen_put(g, which ? " " : "");
    put_part_numbers(g, parts, m.rank, which);
  }
  end(g, &m, "to", v);
}

static void cast(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from || from->rank == 0 || !gen_has_elements(from)) return;
  GenMemref m = *from, to = m;
  to.dims[gen_below(g, (uint64_t)m.rank)] = GEN_UNKNOWN;
  if (gen_is_plain(&m)) { /* an identity stays one: strides follow from the dims */
    int64_t stride = 1;
    for (int d = to.rank; d-- > 0;) {
      to.strides[d] = stride;
      stride = stride == GEN_UNKNOWN || to.dims[d] == GEN_UNKNOWN ? GEN_UNKNOWN : stride * to.dims[d];
    }
  }
  to.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.cast %%v%u", to.id, m.id);
  end(g, &m, "to", to);
}

static void choose_buffer(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from) return;
  GenMemref a = *from, b = *gen_memref_like(g, &a), m = a;
  uint32_t condition = gen_use(g, GEN_I1);
  m.id = gen_id(g);
  if (b.root != a.root) m.root = 0;
  m.owned = false;
  gen_begin(g);
  gen_put(g, "%%v%u = arith.select %%v%u, %%v%u, %%v%u : ", m.id, condition, a.id, b.id);
  gen_put_memref_type(g, &m);
  gen_end(g);
  nr_vec_push(&g->memrefs, m);
}

/* ---- other layouts of the same memory ---------------------------------------------------------------------------- */

static void transpose(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from || from->rank != 2) return;
  GenMemref m = *from, t = m;
  for (int d = 0; d < 2; d++) t.dims[d] = m.dims[1 - d], t.strides[d] = m.strides[1 - d];
  t.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.transpose %%v%u (d0, d1) -> (d1, d0)", t.id, m.id);
  end(g, &m, "to", t);
}

/* How many elements a buffer has that begins at 0 and leaves no holes; 0 when it is no such one. */
static int64_t dense_count(const GenMemref *m) {
  int64_t n = 1;
  if (!gen_is_plain(m)) return 0;
  for (int d = 0; d < m->rank; d++) {
    if (m->dims[d] == GEN_UNKNOWN) return 0;
    n *= m->dims[d];
  }
  return n;
}

/* One or two dims of any strides, backwards too, that stay within. */
static void reinterpret(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  int64_t n = from ? dense_count(from) : 0, last = 0, first = 0;
  if (n < 1) return;
  GenMemref m = *from, v = {.elem = m.elem, .root = m.root, .constant = m.constant, .id = gen_id(g)};
  v.rank = 1 + (int)gen_below(g, 2);
  for (int d = 0; d < v.rank; d++) {
    int64_t stride = 1 + (int64_t)gen_below(g, 3), room = (n - 1 - (last - first)) / stride;
    v.dims[d] = 1 + (int64_t)gen_below(g, (uint64_t)NR_MIN(room, 4) + 1);
    v.strides[d] = gen_one_in(g, 4) ? -stride : stride;
    if (v.strides[d] < 0) first += (v.dims[d] - 1) * v.strides[d];
    else last += (v.dims[d] - 1) * stride;
  }
  v.offset = -first + (int64_t)gen_below(g, (uint64_t)(n - (last - first)));
  gen_begin(g);
  gen_put(g, "%%v%u = memref.reinterpret_cast %%v%u to offset: [%lld], sizes: [", v.id, m.id, (long long)v.offset);
  for (int d = 0; d < v.rank; d++) gen_put(g, "%s%lld", d ? ", " : "", (long long)v.dims[d]);
  gen_put(g, "], strides: [");
  for (int d = 0; d < v.rank; d++) gen_put(g, "%s%lld", d ? ", " : "", (long long)v.strides[d]);
  gen_put(g, "]");
  end(g, &m, "to", v);
}

static void reshape(Gen *g) {
  GenMemref *from = gen_random_memref(g);
  if (!from || from->rank == 0 || !gen_has_elements(from)) return;
  GenMemref m = *from, v = m;
  v.id = gen_id(g);
  bool known = true;
  for (int d = 0; d < m.rank; d++) known &= m.dims[d] != GEN_UNKNOWN && m.strides[d] != GEN_UNKNOWN;
  if (!known) return;
  v.rank = 3 - m.rank;
  if (m.rank == 2) {
    if (m.strides[0] != m.dims[1] * m.strides[1]) return;
    v.dims[0] = m.dims[0] * m.dims[1], v.strides[0] = m.strides[1];
    gen_begin(g);
    gen_put(g, "%%v%u = memref.collapse_shape %%v%u [[0, 1]]", v.id, m.id);
  } else {
    v.dims[1] = m.dims[0] % 2 ? 1 : 2, v.dims[0] = m.dims[0] / v.dims[1];
    v.strides[0] = m.strides[0] * v.dims[1], v.strides[1] = m.strides[0];
    gen_begin(g);
    gen_put(g, "%%v%u = memref.expand_shape %%v%u [[0, 1]] output_shape [%lld, %lld]", v.id, m.id,
            (long long)v.dims[0], (long long)v.dims[1]);
  }
  end(g, &m, "into", v);
}

/* Bytes, and integers of another width over them. */
static void bytes(Gen *g) {
  static const GenTypeId types[] = {GEN_I16, GEN_I32, GEN_I64};
  static const int64_t dims[] = {24};
  GenTypeId t = GEN_PICK(g, types);
  if (g->trips > 8) return;
  GenMemref m = gen_alloc(g, GEN_I8, 1, dims, true), v = {.elem = t, .rank = 1, .strides = {1}, .root = m.root};
  uint32_t shift = gen_index(g, 8 * (int64_t)gen_below(g, 2));
  v.dims[0] = 1 + (int64_t)gen_below(g, (uint64_t)(16 / (gen_types[t].bits / 8)));
  v.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = memref.view %%v%u[%%v%u][]", v.id, m.id, shift);
  end(g, &m, "to", v);
}

void gen_view(Gen *g) {
  switch (gen_below(g, 9)) {
  case 0: case 1: case 2: subview(g); return;
  case 3: cast(g); return;
  case 4: choose_buffer(g); return;
  case 5: transpose(g); return;
  case 6: reinterpret(g); return;
  case 7: reshape(g); return;
  default: bytes(g); return;
  }
}
