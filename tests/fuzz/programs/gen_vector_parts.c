/* gen_vector_parts.c - elements and parts of vectors, other shapes of them, and what they are reduced to. */
#include "gen_vectors.h"

enum { MAX_LENGTH = 16 };

static int last_dim(const GenVector *v) { return v->dims[v->rank - 1]; }

/* ---- elements ---- */

/* "[0, %v3]": a position of as many leading dims. */
static void put_position(Gen *g, const GenVector *v, int count, const uint32_t *ids) {
  gen_put(g, "[");
  for (int d = 0; d < count; d++) {
    gen_put(g, d ? ", " : "");
    if (ids[d]) gen_put(g, "%%v%u", ids[d]);
    else gen_put(g, "%d", (int)gen_below(g, (uint64_t)v->dims[d]));
  }
  gen_put(g, "]");
}

static void choose_position(Gen *g, const GenVector *v, uint32_t *ids) {
  for (int d = 0; d < v->rank; d++) ids[d] = gen_one_in(g, 3) ? gen_fresh_index(g, 0, v->dims[d] - 1) : 0;
}

static void extract(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s);
  uint32_t ids[2], id;
  choose_position(g, &v, ids);
  if (v.rank == 2 && gen_one_in(g, 3)) {
    GenVector row = gen_vector_begin(g, (GenVector){.elem = v.elem, .rank = 1, .dims = {v.dims[1]}});
    gen_put(g, "vector.extract %%v%u", v.id);
    put_position(g, &v, 1, ids);
    gen_put_vector_change(g, &row, "from", &v);
    gen_vector_publish(s, row);
    return;
  }
  id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = vector.extract %%v%u", id, v.id);
  put_position(g, &v, v.rank, ids);
  gen_put(g, " : %s from ", gen_types[v.elem].name);
  gen_put_vector_type(g, &v);
  gen_end(g);
  gen_define(g, id, v.elem);
}

static void insert(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s);
  uint32_t ids[2];
  bool whole_row = v.rank == 2 && gen_one_in(g, 2);
  GenVector row = {.elem = v.elem, .rank = 1, .dims = {v.dims[1]}};
  uint32_t value = whole_row ? gen_vector_like(g, s, row).id : gen_use(g, v.elem);
  choose_position(g, &v, ids);
  GenVector r = gen_vector_begin(g, v);
  gen_put(g, "vector.insert %%v%u, %%v%u", value, v.id);
  put_position(g, &v, whole_row ? 1 : v.rank, ids);
  gen_put(g, " : ");
  if (whole_row) gen_put_vector_type(g, &row);
  else gen_put(g, "%s", gen_types[v.elem].name);
  gen_put(g, " into ");
  gen_put_vector_type(g, &r);
  gen_end(g);
  gen_vector_publish(s, r);
}

/* ---- other shapes ---- */

static void shuffle(Gen *g, GenVectors *s) {
  GenVector a = gen_vector_any(g, s), b = gen_vector_like(g, s, a), r = a;
  if (a.rank != 1) return;
  r.dims[0] = 1 + (int)gen_below(g, 8);
  r = gen_vector_begin(g, r);
  gen_put(g, "vector.shuffle %%v%u, %%v%u [", a.id, b.id);
  for (int i = 0; i < r.dims[0]; i++) gen_put(g, "%s%d", i ? ", " : "", (int)gen_below(g, 2 * (uint64_t)a.dims[0]));
  gen_put(g, "] : ");
  gen_put_vector_type(g, &a);
  gen_put(g, ", ");
  gen_put_vector_type(g, &b);
  gen_end(g);
  gen_vector_publish(s, r);
}

static void reshape(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s), r = v;
  if (v.rank == 2 && gen_one_in(g, 2)) {
    r.dims[0] = v.dims[1], r.dims[1] = v.dims[0];
    r = gen_vector_begin(g, r);
    gen_put(g, "vector.transpose %%v%u, [1, 0]", v.id);
  } else {
    r.rank = v.rank == 2 ? 1 : 2;
    r.dims[0] = v.rank == 2 ? gen_vector_length(&v) : v.dims[0] % 2 ? 1 : 2;
    if (r.rank == 2) r.dims[1] = v.dims[0] / r.dims[0];
    r = gen_vector_begin(g, r);
    gen_put(g, "vector.shape_cast %%v%u", v.id);
  }
  gen_vector_end_change(g, s, &v, "to", r);
}

static void part(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s), r = v;
  int size = 1 + (int)gen_below(g, (uint64_t)v.dims[0]), at = (int)gen_below(g, (uint64_t)(v.dims[0] - size + 1));
  r.dims[0] = size;
  if (gen_one_in(g, 2)) {
    r = gen_vector_begin(g, r);
    gen_put(g, "vector.extract_strided_slice %%v%u {offsets = [%d], sizes = [%d], strides = [1]}", v.id, at, size);
    gen_vector_end_change(g, s, &v, "to", r);
    return;
  }
  GenVector value = gen_vector_like(g, s, r);
  r = gen_vector_begin(g, v);
  gen_put(g, "vector.insert_strided_slice %%v%u, %%v%u {offsets = [%d%s], strides = [1%s]}", value.id, v.id, at,
          v.rank == 2 ? ", 0" : "", v.rank == 2 ? ", 1" : "");
  gen_vector_end_change(g, s, &value, "into", r);
}

static void interleave(Gen *g, GenVectors *s) {
  GenVector a = gen_vector_any(g, s), b = gen_vector_like(g, s, a), r = a;
  if (gen_one_in(g, 2) && last_dim(&a) <= 4) {
    r.dims[r.rank - 1] *= 2;
    r = gen_vector_begin(g, r);
    gen_put(g, "vector.interleave %%v%u, %%v%u", a.id, b.id);
    gen_vector_end_change(g, s, &a, "->", r);
  } else if (last_dim(&a) % 2 == 0) {
    r.dims[r.rank - 1] /= 2;
    r.id = gen_id(g);
    GenVector odd = r;
    odd.id = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u, %%v%u = vector.deinterleave %%v%u", r.id, odd.id, a.id);
    gen_vector_end_change(g, s, &a, "->", r);
    gen_vector_publish(s, odd);
  }
}

static void broadcast(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s), r = {.elem = v.elem, .rank = 2, .dims = {1 + (int)gen_below(g, 3), v.dims[0]}};
  if (v.rank != 1 || gen_vector_length(&r) > MAX_LENGTH) return;
  r = gen_vector_begin(g, r);
  gen_put(g, "vector.broadcast %%v%u", v.id);
  gen_vector_end_change(g, s, &v, "to", r);
}

/* ---- reductions ---- */

static const char *kind_of(Gen *g, const GenVector *v) {
  static const char *const of_ints[] = {"add", "mul", "and", "or", "xor", "maxsi", "minsi", "maxui", "minui"};
  static const char *const of_floats[] = {"add", "mul", "maximumf", "minimumf"};
  return gen_vector_is_float(v) ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints);
}

static void reduce(Gen *g, GenVectors *s) {
  GenVector v = gen_vector_any(g, s);
  const char *kind = kind_of(g, &v);
  if (v.rank == 2) {
    int over = (int)gen_below(g, 2);
    GenVector type = {.elem = v.elem, .rank = 1, .dims = {v.dims[1 - over]}};
    GenVector acc = gen_vector_like(g, s, type), r = gen_vector_begin(g, type);
    gen_put(g, "vector.multi_reduction <%s>, %%v%u, %%v%u [%d]", kind, v.id, acc.id, over);
    gen_vector_end_change(g, s, &v, "to", r);
    return;
  }
  uint32_t acc = gen_use(g, v.elem), id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = vector.reduction <%s>, %%v%u", id, kind, v.id);
  if (gen_one_in(g, 2)) gen_put(g, ", %%v%u", acc);
  gen_put(g, " : ");
  gen_put_vector_type(g, &v);
  gen_put(g, " into %s\n", gen_types[v.elem].name);
  gen_define(g, id, v.elem);
}

void gen_vector_part(Gen *g, GenVectors *s) {
  switch (gen_below(g, 9)) {
  case 0: case 1: extract(g, s); break;
  case 2: insert(g, s); break;
  case 3: shuffle(g, s); break;
  case 4: reshape(g, s); break;
  case 5: part(g, s); break;
  case 6: interleave(g, s); break;
  case 7: broadcast(g, s); break;
  default: reduce(g, s); break;
  }
}
