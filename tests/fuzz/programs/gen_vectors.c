/* gen_vectors.c - some ops on vectors of one element type, between scalars or memory and scalars or memory; in a loop
 * that carries one of them, or in a branch that gives one. */
#include "gen_vectors.h"

enum { MAX_LENGTH = 16 };

static bool same_shape(const GenVector *a, const GenVector *b) {
  return a->rank == b->rank && a->dims[0] == b->dims[0] && (a->rank == 1 || a->dims[1] == b->dims[1]);
}

void gen_put_vector_type(Gen *g, const GenVector *v) {
  gen_put(g, "vector<");
  for (int d = 0; d < v->rank; d++) gen_put(g, "%dx", v->dims[d]);
  gen_put(g, "%s>", gen_types[v->elem].name);
}

GenVector gen_vector_begin(Gen *g, GenVector type) {
  type.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = ", type.id);
  return type;
}

void gen_vector_publish(GenVectors *s, GenVector v) {
  if (s->count < GEN_MAX_VECTORS) s->items[s->count++] = v;
}

void gen_vector_end(Gen *g, GenVectors *s, GenVector v) {
  gen_put(g, " : ");
  gen_put_vector_type(g, &v);
  gen_end(g);
  gen_vector_publish(s, v);
}

void gen_put_vector_change(Gen *g, const GenVector *from, const char *word, const GenVector *to) {
  gen_put(g, " : ");
  gen_put_vector_type(g, from);
  gen_put(g, " %s ", word);
  gen_put_vector_type(g, to);
  gen_end(g);
}

void gen_vector_end_change(Gen *g, GenVectors *s, const GenVector *from, const char *word, GenVector to) {
  gen_put_vector_change(g, from, word, &to);
  gen_vector_publish(s, to);
}

/* ---- new ones ---- */

static GenVector random_type(Gen *g, const GenVectors *s) {
  static const int lengths[] = {1, 2, 3, 4, 4, 5, 7, 8, 8, 16};
  GenVector v = {.elem = s->elem, .rank = gen_one_in(g, 4) ? 2 : 1};
  v.dims[0] = GEN_PICK(g, lengths);
  if (v.rank == 2) v.dims[0] = 1 + (int)gen_below(g, 4), v.dims[1] = 1 + (int)gen_below(g, 4);
  return v;
}

GenVector gen_vector_splat(Gen *g, GenVectors *s, GenVector type, int number) {
  GenVector v = gen_vector_begin(g, type);
  if (v.elem == GEN_I1) gen_put(g, "arith.constant dense<%s>", number & 1 ? "true" : "false");
  else gen_put(g, "arith.constant dense<%d%s>", number, gen_vector_is_float(&v) ? ".0" : "");
  gen_vector_end(g, s, v);
  return v;
}

static GenVector make(Gen *g, GenVectors *s, GenVector type) {
  uint32_t values[MAX_LENGTH];
  int n = gen_vector_length(&type);
  bool by_element = n <= 8 && gen_one_in(g, 2);
  for (int i = 0; i < (by_element ? n : 1); i++) values[i] = gen_use(g, type.elem);
  GenVector v = gen_vector_begin(g, type);
  if (by_element) {
    gen_put(g, "vector.from_elements ");
    gen_put_ids(g, values, n);
    gen_vector_end(g, s, v);
    return v;
  }
  gen_put(g, "vector.broadcast %%v%u : %s to ", values[0], gen_types[v.elem].name);
  gen_put_vector_type(g, &v);
  gen_end(g);
  gen_vector_publish(s, v);
  return v;
}

GenVector gen_vector_any(Gen *g, GenVectors *s) { return s->items[gen_below(g, (uint64_t)s->count)]; }

GenVector gen_vector_like(Gen *g, GenVectors *s, GenVector type) {
  int start = (int)gen_below(g, (uint64_t)s->count);
  for (int i = 0; i < s->count; i++) {
    GenVector v = s->items[(start + i) % s->count];
    if (v.elem == type.elem && same_shape(&v, &type)) return v;
  }
  return make(g, s, type);
}

GenVector gen_vector_mask(Gen *g, GenVectors *s, GenVector type) {
  type.elem = GEN_I1;
  uint32_t sizes[2];
  bool varies = gen_one_in(g, 2);
  if (gen_one_in(g, 2)) return gen_vector_like(g, s, type);
  for (int d = 0; d < type.rank && varies; d++)
    sizes[d] = gen_one_in(g, 6) ? gen_use(g, GEN_INDEX) : gen_fresh_index(g, -1, type.dims[d] + 1);
  GenVector v = gen_vector_begin(g, type);
  gen_put(g, "vector.%s_mask ", varies ? "create" : "constant");
  if (varies) gen_put_ids(g, sizes, v.rank);
  else if (v.rank == 1) gen_put(g, "[%d]", 1 + (int)gen_below(g, (uint64_t)v.dims[0]));
  else gen_put(g, "[%d, %d]", 1 + (int)gen_below(g, (uint64_t)v.dims[0]), 1 + (int)gen_below(g, (uint64_t)v.dims[1]));
  gen_vector_end(g, s, v);
  return v;
}

/* ---- element by element ---- */

static void on_ints(Gen *g, GenVectors *s, GenVector a, GenVector b) {
  static const char *const ops[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                    "xori", "maxsi", "minsi", "maxui", "minui"};
  static const char *const divisions[] = {"divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"};
  static const char *const shifts[] = {"shli", "shrsi", "shrui"};
  const char *op = GEN_PICK(g, ops);
  int bits = gen_types[a.elem].bits;
  if (bits > 3 && gen_one_in(g, 5)) {
    op = GEN_PICK(g, shifts);
    b = gen_vector_splat(g, s, a, (int)gen_below(g, (uint64_t)bits));
  } else if (bits > 3 && gen_one_in(g, 5)) {
    GenVector six = gen_vector_splat(g, s, a, 6), one = gen_vector_splat(g, s, a, 1), low = gen_vector_begin(g, a);
    gen_put(g, "arith.andi %%v%u, %%v%u", b.id, six.id);
    gen_vector_end(g, s, low);
    b = gen_vector_begin(g, a);
    gen_put(g, "arith.ori %%v%u, %%v%u", low.id, one.id);
    gen_vector_end(g, s, b);
    op = GEN_PICK(g, divisions);
  }
  GenVector r = gen_vector_begin(g, a);
  gen_put(g, "arith.%s %%v%u, %%v%u", op, a.id, b.id);
  gen_vector_end(g, s, r);
}

/* Ops that have a form of their own on each element only in the interpreter. */
static void on_ints_rarely(Gen *g, GenVectors *s, GenVector a, GenVector b) {
  static const char *const unary[] = {"ctlz", "cttz", "ctpop", "absi"};
  static const char *const extended[] = {"mulsi_extended", "mului_extended"};
  GenVector r = gen_vector_begin(g, a);
  if (gen_one_in(g, 2)) {
    gen_put(g, "math.%s %%v%u", GEN_PICK(g, unary), a.id);
    gen_vector_end(g, s, r);
    return;
  }
  GenVector high = a;
  high.id = gen_id(g);
  g->out->size -= strlen(" = ");
  gen_put(g, ", %%v%u = arith.%s %%v%u, %%v%u", high.id, GEN_PICK(g, extended), a.id, b.id);
  gen_vector_end(g, s, r);
  gen_vector_publish(s, high);
}

static void on_floats(Gen *g, GenVectors *s, GenVector a, GenVector b) {
  static const char *const ops[] = {"addf", "subf", "mulf", "divf", "maximumf", "minimumf"};
  static const char *const unary[] = {"arith.negf", "math.absf", "math.floor", "math.ceil", "math.sqrt"};
  GenVector c = gen_vector_like(g, s, a), r = gen_vector_begin(g, a);
  switch (gen_below(g, 5)) {
  case 0: gen_put(g, "%s %%v%u", GEN_PICK(g, unary), a.id); break;
  case 1: gen_put(g, "%s.fma %%v%u, %%v%u, %%v%u", gen_one_in(g, 2) ? "vector" : "math", a.id, b.id, c.id); break;
  default: gen_put(g, "arith.%s %%v%u, %%v%u", GEN_PICK(g, ops), a.id, b.id); break;
  }
  gen_vector_end(g, s, r);
}

static void arithmetic(Gen *g, GenVectors *s) {
  GenVector a = gen_vector_any(g, s), b = gen_vector_like(g, s, a);
  if (gen_vector_is_float(&a)) on_floats(g, s, a, b);
  else if (gen_types[a.elem].bits > 1 && gen_one_in(g, 6)) on_ints_rarely(g, s, a, b);
  else on_ints(g, s, a, b);
}

static void compare(Gen *g, GenVectors *s) {
  static const char *const of_ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  static const char *const of_floats[] = {"oeq", "ogt", "olt", "ole", "ord", "ueq", "uge", "ult", "une", "uno"};
  GenVector a = gen_vector_any(g, s), b = gen_vector_like(g, s, a), r = a;
  r.elem = GEN_I1;
  r = gen_vector_begin(g, r);
  gen_put(g, "arith.cmp%s %s, %%v%u, %%v%u : ", gen_vector_is_float(&a) ? "f" : "i",
          gen_vector_is_float(&a) ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints), a.id, b.id);
  gen_put_vector_type(g, &a);
  gen_end(g);
  gen_vector_publish(s, r);
}

static void choose(Gen *g, GenVectors *s) {
  GenVector a = gen_vector_any(g, s), b = gen_vector_like(g, s, a);
  if (gen_one_in(g, 4)) {
    uint32_t condition = gen_use(g, GEN_I1);
    GenVector r = gen_vector_begin(g, a);
    gen_put(g, "arith.select %%v%u, %%v%u, %%v%u", condition, a.id, b.id);
    gen_vector_end(g, s, r);
    return;
  }
  GenVector mask = gen_vector_mask(g, s, a), r = gen_vector_begin(g, a);
  gen_put(g, "arith.select %%v%u, %%v%u, %%v%u : ", mask.id, a.id, b.id);
  gen_put_vector_type(g, &mask);
  gen_put(g, ", ");
  gen_put_vector_type(g, &r);
  gen_end(g);
  gen_vector_publish(s, r);
}

/* Never from floats to integers: what does not fit has no meaning. */
static void convert(Gen *g, GenVectors *s) {
  static const GenTypeId ints[] = {GEN_I1, GEN_I7, GEN_I8, GEN_I16, GEN_I32, GEN_I33, GEN_I64};
  static const GenTypeId floats[] = {GEN_F16, GEN_BF16, GEN_F32, GEN_F64};
  GenVector a = gen_vector_any(g, s), to = a;
  to.elem = gen_vector_is_float(&a) || gen_one_in(g, 4) ? GEN_PICK(g, floats) : GEN_PICK(g, ints);
  const GenType *f = &gen_types[a.elem], *t = &gen_types[to.elem];
  const char *op = NULL;
  if (a.elem == GEN_INDEX) op = t->is_float ? NULL : gen_one_in(g, 2) ? "index_cast" : "index_castui";
  else if (f->is_float) op = t->bits > f->bits ? "extf" : t->bits < f->bits ? "truncf" : NULL;
  else if (t->is_float) op = gen_one_in(g, 2) ? "sitofp" : "uitofp";
  else if (t->bits != f->bits) op = t->bits < f->bits ? "trunci" : gen_one_in(g, 2) ? "extsi" : "extui";
  if (!op) return;
  to = gen_vector_begin(g, to);
  gen_put(g, "arith.%s %%v%u", op, a.id);
  gen_vector_end_change(g, s, &a, "to", to);
}

/* ---- all of it ---- */

static void some_op(Gen *g, GenVectors *s) {
  switch (gen_below(g, 18)) {
  case 0: compare(g, s); break;
  case 1: choose(g, s); break;
  case 2: convert(g, s); break;
  case 3: case 4: case 5: case 6: case 7: case 8: case 9: case 10: case 11: gen_vector_part(g, s); break;
  case 12: case 13: gen_vector_memory(g, s); break;
  default: arithmetic(g, s); break;
  }
}

static void some_ops(Gen *g, GenVectors *s) {
  for (int i = 1 + (int)gen_below(g, 5); i > 0; i--) some_op(g, s);
}

static void yield(Gen *g, GenVectors *s, GenVector type) {
  GenVector v = gen_vector_like(g, s, type);
  gen_begin(g);
  gen_put(g, "scf.yield %%v%u : ", v.id);
  gen_put_vector_type(g, &v);
  gen_end(g);
}

static void loop(Gen *g, GenVectors *s) {
  GenVector init = gen_vector_any(g, s), r = init, arg = init;
  int64_t trips = (int64_t)gen_below(g, 4);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1),
           top = gen_one_in(g, 2) ? gen_fresh_index(g, 0, trips) : gen_index(g, trips), iv = gen_id(g);
  int outside = s->count;
  arg.id = gen_id(g);
  r = gen_vector_begin(g, r);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u) -> (", iv, zero, top, one, arg.id,
          init.id);
  gen_put_vector_type(g, &r);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  gen_define_range(g, iv, 0, NR_MAX(trips - 1, 0));
  gen_vector_publish(s, arg);
  some_ops(g, s);
  yield(g, s, arg);
  gen_leave(g, m);
  gen_line(g, "}");
  s->count = outside;
  gen_vector_publish(s, r);
}

static void branch(Gen *g, GenVectors *s) {
  uint32_t condition = gen_use(g, GEN_I1);
  GenVector type = gen_vector_any(g, s), r = gen_vector_begin(g, type);
  int outside = s->count;
  gen_put(g, "scf.if %%v%u -> (", condition);
  gen_put_vector_type(g, &r);
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
  gen_vector_publish(s, r);
}

/* All of a vector in one scalar. */
static void digest(Gen *g, GenVectors *s, GenVector v) {
  if (v.rank == 2) {
    GenVector flat = gen_vector_begin(g, (GenVector){.elem = v.elem, .rank = 1, .dims = {gen_vector_length(&v)}});
    gen_put(g, "vector.shape_cast %%v%u", v.id);
    gen_vector_end_change(g, s, &v, "to", flat);
    v = flat;
  }
  for (int i = 0; i < v.dims[0] && i < 4; i++) {
    uint32_t id = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u = vector.extract %%v%u[%d] : %s from ", id, v.id, v.dims[0] - 1 - i, gen_types[v.elem].name);
    gen_put_vector_type(g, &v);
    gen_end(g);
    gen_define(g, id, v.elem);
  }
}

void gen_vectors(Gen *g) {
  static const GenTypeId elements[] = {GEN_I1,  GEN_I7,    GEN_I8,    GEN_I16, GEN_I32, GEN_I32, GEN_I33,
                                       GEN_I64, GEN_INDEX, GEN_INDEX, GEN_F16, GEN_BF16, GEN_F32, GEN_F32, GEN_F64};
  GenVectors s = {.elem = GEN_PICK(g, elements)};
  if (g->trips > 60) return;
  for (int i = 0; i < 2; i++) make(g, &s, random_type(g, &s));
  some_ops(g, &s);
  if (gen_one_in(g, 3)) loop(g, &s);
  if (gen_one_in(g, 3)) branch(g, &s);
  some_ops(g, &s);
  digest(g, &s, s.items[s.count - 1]);
  digest(g, &s, gen_vector_any(g, &s));
}
