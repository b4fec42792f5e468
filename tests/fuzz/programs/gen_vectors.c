/* gen_vectors.c - some ops on vectors of one element type, between scalars or memory and scalars or memory; in a loop
 * that carries one of them, or in a branch that gives one. */
#include "gen.h"

enum { MAX_VECTORS = 40, MAX_LENGTH = 16 };

typedef struct Vector {
  uint32_t id;
  GenTypeId elem;
  int rank;
  int dims[2];
} Vector;

typedef struct Vectors {
  int count;
  Vector items[MAX_VECTORS];
  GenTypeId elem;
} Vectors;

static const char *name_of(GenTypeId t) { return gen_types[t].name; }
static bool is_float(const Vector *v) { return gen_types[v->elem].is_float; }
static int length(const Vector *v) { return v->rank == 2 ? v->dims[0] * v->dims[1] : v->dims[0]; }
static int last_dim(const Vector *v) { return v->dims[v->rank - 1]; }

static bool same_shape(const Vector *a, const Vector *b) {
  return a->rank == b->rank && a->dims[0] == b->dims[0] && (a->rank == 1 || a->dims[1] == b->dims[1]);
}

static void put_type(Gen *g, const Vector *v) {
  gen_put(g, "vector<");
  for (int d = 0; d < v->rank; d++) gen_put(g, "%dx", v->dims[d]);
  gen_put(g, "%s>", name_of(v->elem));
}

/* "%vN = ", for what the caller goes on with. */
static Vector begin(Gen *g, Vector type) {
  type.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = ", type.id);
  return type;
}

static void publish(Vectors *s, Vector v) {
  if (s->count < MAX_VECTORS) s->items[s->count++] = v;
}

/* ": vector<..>" ends the line. */
static void end_typed(Gen *g, Vectors *s, Vector v) {
  gen_put(g, " : ");
  put_type(g, &v);
  gen_end(g);
  publish(s, v);
}

/* ": FROM word TO" ends the line. */
static void end_cast(Gen *g, Vectors *s, const Vector *from, const char *word, Vector to) {
  gen_put(g, " : ");
  put_type(g, from);
  gen_put(g, " %s ", word);
  put_type(g, &to);
  gen_end(g);
  publish(s, to);
}

/* ---- new ones ---- */

static Vector random_type(Gen *g, const Vectors *s) {
  static const int lengths[] = {1, 2, 3, 4, 4, 5, 7, 8, 8, 16};
  Vector v = {.elem = s->elem, .rank = gen_one_in(g, 4) ? 2 : 1};
  v.dims[0] = GEN_PICK(g, lengths);
  if (v.rank == 2) v.dims[0] = 1 + (int)gen_below(g, 4), v.dims[1] = 1 + (int)gen_below(g, 4);
  return v;
}

static Vector splat(Gen *g, Vectors *s, Vector type, int number) {
  Vector v = begin(g, type);
  if (v.elem == GEN_I1) gen_put(g, "arith.constant dense<%s>", number & 1 ? "true" : "false");
  else gen_put(g, "arith.constant dense<%d%s>", number, is_float(&v) ? ".0" : "");
  end_typed(g, s, v);
  return v;
}

static Vector make(Gen *g, Vectors *s, Vector type) {
  uint32_t values[MAX_LENGTH];
  int n = length(&type);
  bool by_element = n <= 8 && gen_one_in(g, 2);
  for (int i = 0; i < (by_element ? n : 1); i++) values[i] = gen_use(g, type.elem);
  Vector v = begin(g, type);
  if (by_element) {
    gen_put(g, "vector.from_elements ");
    gen_put_ids(g, values, n);
    end_typed(g, s, v);
    return v;
  }
  gen_put(g, "vector.broadcast %%v%u : %s to ", values[0], name_of(v.elem));
  put_type(g, &v);
  gen_end(g);
  publish(s, v);
  return v;
}

static Vector any(Gen *g, Vectors *s) { return s->items[gen_below(g, (uint64_t)s->count)]; }

/* One of this shape and element type. */
static Vector like(Gen *g, Vectors *s, Vector type) {
  int start = (int)gen_below(g, (uint64_t)s->count);
  for (int i = 0; i < s->count; i++) {
    Vector v = s->items[(start + i) % s->count];
    if (v.elem == type.elem && same_shape(&v, &type)) return v;
  }
  return make(g, s, type);
}

static Vector mask_for(Gen *g, Vectors *s, Vector type) {
  type.elem = GEN_I1;
  uint32_t sizes[2];
  bool varies = gen_one_in(g, 2);
  if (gen_one_in(g, 2)) return like(g, s, type);
  for (int d = 0; d < type.rank && varies; d++)
    sizes[d] = gen_one_in(g, 6) ? gen_use(g, GEN_INDEX) : gen_fresh_index(g, -1, type.dims[d] + 1);
  Vector v = begin(g, type);
  gen_put(g, "vector.%s_mask ", varies ? "create" : "constant");
  if (varies) gen_put_ids(g, sizes, v.rank);
  else if (v.rank == 1) gen_put(g, "[%d]", 1 + (int)gen_below(g, (uint64_t)v.dims[0]));
  else gen_put(g, "[%d, %d]", 1 + (int)gen_below(g, (uint64_t)v.dims[0]), 1 + (int)gen_below(g, (uint64_t)v.dims[1]));
  end_typed(g, s, v);
  return v;
}

/* ---- element by element ---- */

static void on_ints(Gen *g, Vectors *s, Vector a, Vector b) {
  static const char *const ops[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                    "xori", "maxsi", "minsi", "maxui", "minui"};
  static const char *const divisions[] = {"divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"};
  static const char *const shifts[] = {"shli", "shrsi", "shrui"};
  const char *op = GEN_PICK(g, ops);
  int bits = gen_types[a.elem].bits;
  if (bits > 3 && gen_one_in(g, 5)) {
    op = GEN_PICK(g, shifts);
    b = splat(g, s, a, (int)gen_below(g, (uint64_t)bits));
  } else if (bits > 3 && gen_one_in(g, 5)) {
    Vector six = splat(g, s, a, 6), one = splat(g, s, a, 1), low = begin(g, a);
    gen_put(g, "arith.andi %%v%u, %%v%u", b.id, six.id);
    end_typed(g, s, low);
    b = begin(g, a);
    gen_put(g, "arith.ori %%v%u, %%v%u", low.id, one.id);
    end_typed(g, s, b);
    op = GEN_PICK(g, divisions);
  }
  Vector r = begin(g, a);
  gen_put(g, "arith.%s %%v%u, %%v%u", op, a.id, b.id);
  end_typed(g, s, r);
}

/* Ops that have a form of their own on each element only in the interpreter. */
static void on_ints_rarely(Gen *g, Vectors *s, Vector a, Vector b) {
  static const char *const unary[] = {"ctlz", "cttz", "ctpop", "absi"};
  static const char *const extended[] = {"mulsi_extended", "mului_extended"};
  Vector r = begin(g, a);
  if (gen_one_in(g, 2)) {
    gen_put(g, "math.%s %%v%u", GEN_PICK(g, unary), a.id);
    end_typed(g, s, r);
    return;
  }
  Vector high = a;
  high.id = gen_id(g);
  g->out->size -= strlen(" = ");
  gen_put(g, ", %%v%u = arith.%s %%v%u, %%v%u", high.id, GEN_PICK(g, extended), a.id, b.id);
  end_typed(g, s, r);
  publish(s, high);
}

static void on_floats(Gen *g, Vectors *s, Vector a, Vector b) {
  static const char *const ops[] = {"addf", "subf", "mulf", "divf", "maximumf", "minimumf"};
  static const char *const unary[] = {"arith.negf", "math.absf", "math.floor", "math.ceil", "math.sqrt"};
  Vector c = like(g, s, a), r = begin(g, a);
  switch (gen_below(g, 5)) {
  case 0: gen_put(g, "%s %%v%u", GEN_PICK(g, unary), a.id); break;
  case 1: gen_put(g, "%s.fma %%v%u, %%v%u, %%v%u", gen_one_in(g, 2) ? "vector" : "math", a.id, b.id, c.id); break;
  default: gen_put(g, "arith.%s %%v%u, %%v%u", GEN_PICK(g, ops), a.id, b.id); break;
  }
  end_typed(g, s, r);
}

static void arithmetic(Gen *g, Vectors *s) {
  Vector a = any(g, s), b = like(g, s, a);
  if (is_float(&a)) on_floats(g, s, a, b);
  else if (gen_types[a.elem].bits > 1 && gen_one_in(g, 6)) on_ints_rarely(g, s, a, b);
  else on_ints(g, s, a, b);
}

static void compare(Gen *g, Vectors *s) {
  static const char *const of_ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  static const char *const of_floats[] = {"oeq", "ogt", "olt", "ole", "ord", "ueq", "uge", "ult", "une", "uno"};
  Vector a = any(g, s), b = like(g, s, a), r = a;
  r.elem = GEN_I1;
  r = begin(g, r);
  gen_put(g, "arith.cmp%s %s, %%v%u, %%v%u : ", is_float(&a) ? "f" : "i",
          is_float(&a) ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints), a.id, b.id);
  put_type(g, &a);
  gen_end(g);
  publish(s, r);
}

static void choose(Gen *g, Vectors *s) {
  Vector a = any(g, s), b = like(g, s, a);
  if (gen_one_in(g, 4)) {
    uint32_t condition = gen_use(g, GEN_I1);
    Vector r = begin(g, a);
    gen_put(g, "arith.select %%v%u, %%v%u, %%v%u", condition, a.id, b.id);
    end_typed(g, s, r);
    return;
  }
  Vector mask = mask_for(g, s, a), r = begin(g, a);
  gen_put(g, "arith.select %%v%u, %%v%u, %%v%u : ", mask.id, a.id, b.id);
  put_type(g, &mask);
  gen_put(g, ", ");
  put_type(g, &r);
  gen_end(g);
  publish(s, r);
}

/* Never from floats to integers: what does not fit has no meaning. */
static void convert(Gen *g, Vectors *s) {
  static const GenTypeId ints[] = {GEN_I1, GEN_I7, GEN_I8, GEN_I16, GEN_I32, GEN_I33, GEN_I64};
  static const GenTypeId floats[] = {GEN_F16, GEN_BF16, GEN_F32, GEN_F64};
  Vector a = any(g, s), to = a;
  to.elem = is_float(&a) || gen_one_in(g, 4) ? GEN_PICK(g, floats) : GEN_PICK(g, ints);
  const GenType *f = &gen_types[a.elem], *t = &gen_types[to.elem];
  const char *op = NULL;
  if (a.elem == GEN_INDEX) op = t->is_float ? NULL : gen_one_in(g, 2) ? "index_cast" : "index_castui";
  else if (f->is_float) op = t->bits > f->bits ? "extf" : t->bits < f->bits ? "truncf" : NULL;
  else if (t->is_float) op = gen_one_in(g, 2) ? "sitofp" : "uitofp";
  else if (t->bits != f->bits) op = t->bits < f->bits ? "trunci" : gen_one_in(g, 2) ? "extsi" : "extui";
  if (!op) return;
  to = begin(g, to);
  gen_put(g, "arith.%s %%v%u", op, a.id);
  end_cast(g, s, &a, "to", to);
}

/* ---- elements ---- */

/* "[0, %v3]": a position of as many leading dims. */
static void put_position(Gen *g, const Vector *v, int count, const uint32_t *ids) {
  gen_put(g, "[");
  for (int d = 0; d < count; d++) {
    gen_put(g, d ? ", " : "");
    if (ids[d]) gen_put(g, "%%v%u", ids[d]);
    else gen_put(g, "%d", (int)gen_below(g, (uint64_t)v->dims[d]));
  }
  gen_put(g, "]");
}

static void choose_position(Gen *g, const Vector *v, uint32_t *ids) {
  for (int d = 0; d < v->rank; d++) ids[d] = gen_one_in(g, 3) ? gen_fresh_index(g, 0, v->dims[d] - 1) : 0;
}

static void extract(Gen *g, Vectors *s) {
  Vector v = any(g, s);
  uint32_t ids[2], id;
  choose_position(g, &v, ids);
  if (v.rank == 2 && gen_one_in(g, 3)) {
    Vector row = begin(g, (Vector){.elem = v.elem, .rank = 1, .dims = {v.dims[1]}});
    gen_put(g, "vector.extract %%v%u", v.id);
    put_position(g, &v, 1, ids);
    gen_put(g, " : ");
    put_type(g, &row);
    gen_put(g, " from ");
    put_type(g, &v);
    gen_end(g);
    publish(s, row);
    return;
  }
  id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = vector.extract %%v%u", id, v.id);
  put_position(g, &v, v.rank, ids);
  gen_put(g, " : %s from ", name_of(v.elem));
  put_type(g, &v);
  gen_end(g);
  gen_define(g, id, v.elem);
}

static void insert(Gen *g, Vectors *s) {
  Vector v = any(g, s);
  uint32_t ids[2];
  bool whole_row = v.rank == 2 && gen_one_in(g, 2);
  Vector row = {.elem = v.elem, .rank = 1, .dims = {v.dims[1]}};
  uint32_t value = whole_row ? like(g, s, row).id : gen_use(g, v.elem);
  choose_position(g, &v, ids);
  Vector r = begin(g, v);
  gen_put(g, "vector.insert %%v%u, %%v%u", value, v.id);
  put_position(g, &v, whole_row ? 1 : v.rank, ids);
  gen_put(g, " : ");
  if (whole_row) put_type(g, &row);
  else gen_put(g, "%s", name_of(v.elem));
  gen_put(g, " into ");
  put_type(g, &r);
  gen_end(g);
  publish(s, r);
}

/* ---- other shapes ---- */

static void shuffle(Gen *g, Vectors *s) {
  Vector a = any(g, s), b = like(g, s, a), r = a;
  if (a.rank != 1) return;
  r.dims[0] = 1 + (int)gen_below(g, 8);
  r = begin(g, r);
  gen_put(g, "vector.shuffle %%v%u, %%v%u [", a.id, b.id);
  for (int i = 0; i < r.dims[0]; i++) gen_put(g, "%s%d", i ? ", " : "", (int)gen_below(g, 2 * (uint64_t)a.dims[0]));
  gen_put(g, "] : ");
  put_type(g, &a);
  gen_put(g, ", ");
  put_type(g, &b);
  gen_end(g);
  publish(s, r);
}

static void reshape(Gen *g, Vectors *s) {
  Vector v = any(g, s), r = v;
  if (v.rank == 2 && gen_one_in(g, 2)) {
    r.dims[0] = v.dims[1], r.dims[1] = v.dims[0];
    r = begin(g, r);
    gen_put(g, "vector.transpose %%v%u, [1, 0]", v.id);
  } else {
    r.rank = v.rank == 2 ? 1 : 2;
    r.dims[0] = v.rank == 2 ? length(&v) : v.dims[0] % 2 ? 1 : 2;
    if (r.rank == 2) r.dims[1] = v.dims[0] / r.dims[0];
    r = begin(g, r);
    gen_put(g, "vector.shape_cast %%v%u", v.id);
  }
  end_cast(g, s, &v, "to", r);
}

static void part(Gen *g, Vectors *s) {
  Vector v = any(g, s), r = v;
  int size = 1 + (int)gen_below(g, (uint64_t)v.dims[0]), at = (int)gen_below(g, (uint64_t)(v.dims[0] - size + 1));
  r.dims[0] = size;
  if (gen_one_in(g, 2)) {
    r = begin(g, r);
    gen_put(g, "vector.extract_strided_slice %%v%u {offsets = [%d], sizes = [%d], strides = [1]}", v.id, at, size);
    end_cast(g, s, &v, "to", r);
    return;
  }
  Vector value = like(g, s, r);
  r = begin(g, v);
  gen_put(g, "vector.insert_strided_slice %%v%u, %%v%u {offsets = [%d%s], strides = [1%s]}", value.id, v.id, at,
          v.rank == 2 ? ", 0" : "", v.rank == 2 ? ", 1" : "");
  end_cast(g, s, &value, "into", r);
}

static void interleave(Gen *g, Vectors *s) {
  Vector a = any(g, s), b = like(g, s, a), r = a;
  if (gen_one_in(g, 2) && last_dim(&a) <= 4) {
    r.dims[r.rank - 1] *= 2;
    r = begin(g, r);
    gen_put(g, "vector.interleave %%v%u, %%v%u", a.id, b.id);
    end_cast(g, s, &a, "->", r);
  } else if (last_dim(&a) % 2 == 0) {
    r.dims[r.rank - 1] /= 2;
    r.id = gen_id(g);
    Vector odd = r;
    odd.id = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u, %%v%u = vector.deinterleave %%v%u", r.id, odd.id, a.id);
    end_cast(g, s, &a, "->", r);
    publish(s, odd);
  }
}

static void broadcast(Gen *g, Vectors *s) {
  Vector v = any(g, s), r = {.elem = v.elem, .rank = 2, .dims = {1 + (int)gen_below(g, 3), v.dims[0]}};
  if (v.rank != 1 || length(&r) > MAX_LENGTH) return;
  r = begin(g, r);
  gen_put(g, "vector.broadcast %%v%u", v.id);
  end_cast(g, s, &v, "to", r);
}

/* ---- reductions ---- */

static const char *kind_of(Gen *g, const Vector *v) {
  static const char *const of_ints[] = {"add", "mul", "and", "or", "xor", "maxsi", "minsi", "maxui", "minui"};
  static const char *const of_floats[] = {"add", "mul", "maximumf", "minimumf"};
  return is_float(v) ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints);
}

static void reduce(Gen *g, Vectors *s) {
  Vector v = any(g, s);
  const char *kind = kind_of(g, &v);
  if (v.rank == 2) {
    int over = (int)gen_below(g, 2);
    Vector type = {.elem = v.elem, .rank = 1, .dims = {v.dims[1 - over]}}, acc = like(g, s, type), r = begin(g, type);
    gen_put(g, "vector.multi_reduction <%s>, %%v%u, %%v%u [%d]", kind, v.id, acc.id, over);
    end_cast(g, s, &v, "to", r);
    return;
  }
  uint32_t acc = gen_use(g, v.elem), id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = vector.reduction <%s>, %%v%u", id, kind, v.id);
  if (gen_one_in(g, 2)) gen_put(g, ", %%v%u", acc);
  gen_put(g, " : ");
  put_type(g, &v);
  gen_put(g, " into %s\n", name_of(v.elem));
  gen_define(g, id, v.elem);
}

/* ---- memory ---- */

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
static Vector lanes(Gen *g, Vectors *s, const Vector *type) {
  Vector step = begin(g, (Vector){.elem = GEN_INDEX, .rank = 1, .dims = {type->dims[0]}});
  gen_put(g, "vector.step");
  end_typed(g, s, step);
  if (gen_one_in(g, 2)) return step;
  Vector last = splat(g, s, step, type->dims[0] - 1), turned = begin(g, step);
  gen_put(g, "arith.subi %%v%u, %%v%u", last.id, step.id);
  end_typed(g, s, turned);
  return turned;
}

static void read(Gen *g, Vectors *s, Vector type, const GenMemref *m, uint32_t at) {
  int how = (int)gen_below(g, 6);
  Vector mask = {0}, through = {0}, index = {0};
  uint32_t padding = 0;
  if (how >= 2 && how <= 4) mask = mask_for(g, s, type), through = like(g, s, type);
  if (how == 4) index = lanes(g, s, &type);
  if (how == 5) padding = gen_use(g, type.elem), at = gen_fresh_index(g, 0, m->dims[0] - 1);
  Vector v = begin(g, type);
  static const char *const ops[] = {"load", "load", "maskedload", "expandload", "gather", "transfer_read"};
  gen_put(g, "vector.%s ", ops[how]);
  put_place(g, m, at);
  if (how == 4) gen_put(g, " [%%v%u]", index.id);
  if (how >= 2 && how <= 4) gen_put(g, ", %%v%u, %%v%u", mask.id, through.id);
  if (how == 5) gen_put(g, ", %%v%u", padding);
  gen_put(g, " : ");
  gen_put_memref_type(g, m);
  if (how == 4) gen_put(g, ", "), put_type(g, &index);
  if (how >= 2 && how <= 4) {
    gen_put(g, ", ");
    put_type(g, &mask);
    gen_put(g, ", ");
    put_type(g, &through);
    gen_put(g, " into ");
  } else gen_put(g, ", ");
  put_type(g, &v);
  gen_end(g);
  publish(s, v);
}

static void write(Gen *g, Vectors *s, Vector v, const GenMemref *m, uint32_t at) {
  static const char *const ops[] = {"store", "transfer_write", "maskedstore", "compressstore", "scatter"};
  int how = (int)gen_below(g, 5);
  Vector mask = {0}, index = {0};
  if (how >= 2) mask = mask_for(g, s, v);
  if (how == 4) index = lanes(g, s, &v);
  if (how == 1) at = gen_fresh_index(g, 0, m->dims[0] - 1);
  gen_begin(g);
  gen_put(g, "vector.%s ", ops[how]);
  if (how < 2) gen_put(g, "%%v%u, ", v.id);
  put_place(g, m, at);
  if (how == 4) gen_put(g, " [%%v%u]", index.id);
  if (how >= 2) gen_put(g, ", %%v%u, %%v%u", mask.id, v.id);
  gen_put(g, " : ");
  if (how == 1) put_type(g, &v), gen_put(g, ", ");
  gen_put_memref_type(g, m);
  if (how == 4) gen_put(g, ", "), put_type(g, &index);
  if (how >= 2) gen_put(g, ", "), put_type(g, &mask);
  if (how != 1) gen_put(g, ", "), put_type(g, &v);
  gen_end(g);
}

static void memory(Gen *g, Vectors *s) {
  static const GenTypeId in_memory[] = {GEN_I8, GEN_I16, GEN_I32, GEN_I64, GEN_INDEX, GEN_F32, GEN_F64};
  Vector v = any(g, s);
  GenMemref m;
  uint32_t at;
  bool known = false, writes = gen_one_in(g, 2);
  for (size_t i = 0; i < NR_COUNTOF(in_memory); i++) known |= in_memory[i] == v.elem;
  if (!known || v.rank != 1 || !find_place(g, v.elem, v.dims[0], writes, &m, &at)) return;
  if (writes) write(g, s, v, &m, at);
  else read(g, s, v, &m, at);
}

/* ---- all of it ---- */

static void some_op(Gen *g, Vectors *s) {
  switch (gen_below(g, 18)) {
  case 0: compare(g, s); break;
  case 1: choose(g, s); break;
  case 2: convert(g, s); break;
  case 3: case 4: extract(g, s); break;
  case 5: insert(g, s); break;
  case 6: shuffle(g, s); break;
  case 7: reshape(g, s); break;
  case 8: part(g, s); break;
  case 9: interleave(g, s); break;
  case 10: broadcast(g, s); break;
  case 11: reduce(g, s); break;
  case 12: case 13: memory(g, s); break;
  default: arithmetic(g, s); break;
  }
}

static void some_ops(Gen *g, Vectors *s) {
  for (int i = 1 + (int)gen_below(g, 5); i > 0; i--) some_op(g, s);
}

static void yield(Gen *g, Vectors *s, Vector type) {
  Vector v = like(g, s, type);
  gen_begin(g);
  gen_put(g, "scf.yield %%v%u : ", v.id);
  put_type(g, &v);
  gen_end(g);
}

static void loop(Gen *g, Vectors *s) {
  Vector init = any(g, s), r = init, arg = init;
  int64_t trips = (int64_t)gen_below(g, 4);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1),
           top = gen_one_in(g, 2) ? gen_fresh_index(g, 0, trips) : gen_index(g, trips), iv = gen_id(g);
  int outside = s->count;
  arg.id = gen_id(g);
  r = begin(g, r);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u) -> (", iv, zero, top, one, arg.id,
          init.id);
  put_type(g, &r);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  gen_define_range(g, iv, 0, NR_MAX(trips - 1, 0));
  publish(s, arg);
  some_ops(g, s);
  yield(g, s, arg);
  gen_leave(g, m);
  gen_line(g, "}");
  s->count = outside;
  publish(s, r);
}

static void branch(Gen *g, Vectors *s) {
  uint32_t condition = gen_use(g, GEN_I1);
  Vector type = any(g, s), r = begin(g, type);
  int outside = s->count;
  gen_put(g, "scf.if %%v%u -> (", condition);
  put_type(g, &r);
  gen_put(g, ") {\n");
  for (int side = 0; side < 2; side++) {
    if (side) gen_line(g, "} else {");
    GenMark m = gen_enter(g);
    if (!gen_one_in(g, 3)) some_ops(g, s);
    yield(g, s, type);
    gen_leave(g, m);
    s->count = outside;
  }
  gen_line(g, "}");
  publish(s, r);
}

/* All of a vector in one scalar. */
static void digest(Gen *g, Vectors *s, Vector v) {
  if (v.rank == 2) {
    Vector flat = begin(g, (Vector){.elem = v.elem, .rank = 1, .dims = {length(&v)}});
    gen_put(g, "vector.shape_cast %%v%u", v.id);
    end_cast(g, s, &v, "to", flat);
    v = flat;
  }
  for (int i = 0; i < v.dims[0] && i < 4; i++) {
    uint32_t id = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u = vector.extract %%v%u[%d] : %s from ", id, v.id, v.dims[0] - 1 - i, name_of(v.elem));
    put_type(g, &v);
    gen_end(g);
    gen_define(g, id, v.elem);
  }
}

void gen_vectors(Gen *g) {
  static const GenTypeId elements[] = {GEN_I1,  GEN_I7,    GEN_I8,    GEN_I16, GEN_I32, GEN_I32, GEN_I33,
                                       GEN_I64, GEN_INDEX, GEN_INDEX, GEN_F16, GEN_BF16, GEN_F32, GEN_F32, GEN_F64};
  Vectors s = {.elem = GEN_PICK(g, elements)};
  if (g->trips > 60) return;
  for (int i = 0; i < 2; i++) make(g, &s, random_type(g, &s));
  some_ops(g, &s);
  if (gen_one_in(g, 3)) loop(g, &s);
  if (gen_one_in(g, 3)) branch(g, &s);
  some_ops(g, &s);
  digest(g, &s, s.items[s.count - 1]);
  digest(g, &s, any(g, &s));
}
