/* gen_contractions.c - linalg.generic of the forms that have passes of their own: products of matrices, batches of them,
 * convolutions and pooling, operands in any order of their dims, sizes around those of vectors and register tiles. */
#include "gen_tensors.h"

enum { MAX_LOOPS = 6, MAX_POINTS = 6000 };

/* The index of a dim: one loop, or window * stride + place * dilation. */
typedef struct Dim {
  int loop, place, stride, dilation; /* place -1: one loop */
} Dim;

typedef struct Operand {
  GenTensor tensor;
  Dim dims[GEN_MAX_RANK];
} Operand;

typedef struct Contraction {
  int num_loops;
  int64_t sizes[MAX_LOOPS], most[MAX_LOOPS]; /* of a size of the run: its maximum */
  bool reduction[MAX_LOOPS];
  Operand a, b, out; /* pooling has no b but the shape of its window */
  bool pools;
} Contraction;

static int add_loop(Gen *g, Contraction *c, int64_t size, bool reduction) {
  int64_t points = 1;
  for (int l = 0; l < c->num_loops; l++) points *= c->most[l];
  size = NR_MIN(size, NR_MAX(1, MAX_POINTS / points));
  c->most[c->num_loops] = size;
  c->sizes[c->num_loops] = gen_one_in(g, 5) ? gen_size_of(g, gen_fresh_index(g, gen_one_in(g, 3) ? 0 : 1, size)) : size;
  c->reduction[c->num_loops] = reduction;
  return c->num_loops++;
}

static int64_t size_near_vectors(Gen *g) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 16, 17, 24, 28, 31, 32, 33, 37};
  return GEN_PICK(g, sizes);
}

/* Puts the dims in another order. */
static void shuffle(Gen *g, Dim *dims, int count) {
  for (int i = count; i > 1; i--) {
    int k = (int)gen_below(g, (uint64_t)i);
    Dim d = dims[i - 1];
    dims[i - 1] = dims[k];
    dims[k] = d;
  }
}

static void add_dim(Operand *o, int loop) { o->dims[o->tensor.rank++] = (Dim){loop, -1, 1, 1}; }

static void product(Gen *g, Contraction *c) {
  bool has_m = !gen_one_in(g, 6), has_n = !gen_one_in(g, 6), has_batch = gen_one_in(g, 4);
  if (has_m) {
    int m = add_loop(g, c, size_near_vectors(g), false);
    add_dim(&c->a, m);
    add_dim(&c->out, m);
  }
  if (has_n) {
    int n = add_loop(g, c, size_near_vectors(g), false);
    add_dim(&c->b, n);
    add_dim(&c->out, n);
  }
  int k = add_loop(g, c, size_near_vectors(g), true);
  add_dim(&c->a, k);
  add_dim(&c->b, k);
  if (!has_batch) return;
  int batch = add_loop(g, c, 1 + (int64_t)gen_below(g, 3), false);
  add_dim(&c->a, batch);
  if (gen_one_in(g, 2)) add_dim(&c->b, batch);
  add_dim(&c->out, batch);
}

/* One or two dims with windows. */
static void convolution(Gen *g, Contraction *c) {
  c->pools = gen_one_in(g, 3);
  for (int i = gen_one_in(g, 2) ? 2 : 1; i > 0; i--) {
    int at = add_loop(g, c, 1 + (int64_t)gen_below(g, 9), false), place = add_loop(g, c, 1 + (int64_t)gen_below(g, 3), true);
    c->a.dims[c->a.tensor.rank++] = (Dim){at, place, 1 + (int)gen_below(g, 2), 1 + (int)gen_below(g, 2)};
    add_dim(&c->b, place);
    add_dim(&c->out, at);
  }
  int channel = add_loop(g, c, size_near_vectors(g), !c->pools && !gen_one_in(g, 4));
  add_dim(&c->a, channel);
  if (!c->reduction[channel]) add_dim(&c->out, channel);
  if (c->pools) return;
  add_dim(&c->b, channel);
  if (!c->reduction[channel] || gen_one_in(g, 4)) return;
  int filter = add_loop(g, c, size_near_vectors(g), false);
  add_dim(&c->b, filter);
  add_dim(&c->out, filter);
}

/* ---- operands ---- */

/* The elements that windows reach, and sometimes more. */
static int64_t size_of_window(Gen *g, const Contraction *c, const Dim *d) {
  int64_t at = c->sizes[d->loop], place = c->sizes[d->place];
  if (at > 0 && place > 0) return (at - 1) * d->stride + (place - 1) * d->dilation + 1 + (int64_t)gen_below(g, 2);
  uint32_t stride = gen_index(g, d->stride), dilation = gen_index(g, d->dilation), one = gen_index(g, 1);
  uint32_t far = gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", gen_size_value(g, at), stride);
  uint32_t more = gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", gen_size_value(g, place), dilation);
  far = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", far, more);
  return gen_size_of(g, gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", far, one));
}

static void choose_operand(Gen *g, const Contraction *c, Operand *o, GenTypeId elem) {
  GenTensor *t = &o->tensor;
  t->elem = elem;
  shuffle(g, o->dims, t->rank);
  for (int i = 0; i < t->rank; i++)
    t->dims[i] = o->dims[i].place < 0 ? c->sizes[o->dims[i].loop] : size_of_window(g, c, &o->dims[i]);
  GenTensor *old = gen_one_in(g, 2) ? gen_tensor_like(g, t) : NULL;
  bool exact = old && (!gen_types[elem].is_float || (old->bound > 0 && old->bound <= 64));
  *t = exact ? *old : gen_by_place(g, *t);
}

/* ---- text ---- */

static void put_map(Gen *g, const Contraction *c, const Operand *o) {
  gen_put(g, "affine_map<(");
  for (int l = 0; l < c->num_loops; l++) gen_put(g, "%sd%d", l ? ", " : "", l);
  gen_put(g, ") -> (");
  for (int i = 0; i < o->tensor.rank; i++) {
    const Dim *d = &o->dims[i];
    gen_put(g, "%sd%d", i ? ", " : "", d->loop);
    if (d->stride > 1) gen_put(g, " * %d", d->stride);
    if (d->place >= 0) gen_put(g, " + d%d", d->place);
    if (d->dilation > 1) gen_put(g, " * %d", d->dilation);
  }
  gen_put(g, ")>");
}

static void put_head(Gen *g, const Contraction *c, uint32_t id) {
  GenTensor inputs[] = {c->a.tensor, c->b.tensor};
  gen_begin(g);
  gen_put(g, "%%v%u = linalg.generic {indexing_maps = [", id);
  put_map(g, c, &c->a);
  gen_put(g, ", ");
  put_map(g, c, &c->b);
  gen_put(g, ", ");
  put_map(g, c, &c->out);
  gen_put(g, "], iterator_types = [");
  for (int l = 0; l < c->num_loops; l++)
    gen_put(g, "%s\"%s\"", l ? ", " : "", c->reduction[l] ? "reduction" : "parallel");
  gen_put(g, "]} ins(%%v%u, %%v%u : ", inputs[0].id, inputs[1].id);
  gen_put_tensor_types(g, inputs, 2);
  gen_put(g, ") outs(%%v%u : ", c->out.tensor.id);
  gen_put_tensor_type(g, &c->out.tensor);
  gen_put(g, ") {\n");
}

static uint32_t widened(Gen *g, uint32_t id, GenTypeId from, GenTypeId to) {
  if (from == to) return id;
  return gen_emit(g, to, "arith.%s %%v%u : %s to %s", gen_types[to].is_float ? "extf" : "extsi", id,
                  gen_types[from].name, gen_types[to].name);
}

static void put_body(Gen *g, const Contraction *c) {
  static const char *const of_ints[] = {"addi", "maxsi", "minsi", "maxui"}, *const of_floats[] = {"addf", "maximumf",
                                                                                                "minimumf"};
  GenTypeId from = c->a.tensor.elem, other = c->b.tensor.elem, t = c->out.tensor.elem;
  bool is_float = gen_types[t].is_float;
  uint32_t a = gen_id(g), b = gen_id(g), old = gen_id(g);
  gen_line(g, "^bb0(%%v%u: %s, %%v%u: %s, %%v%u: %s):", a, gen_types[from].name, b, gen_types[other].name, old,
           gen_types[t].name);
  GenMark m = gen_enter(g);
  uint32_t x = widened(g, a, from, t), sum;
  if (c->pools) {
    const char *op = is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints);
    sum = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", op, old, x, gen_types[t].name);
  } else {
    uint32_t y = widened(g, b, other, t);
    x = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", is_float ? "mulf" : "muli", x, y, gen_types[t].name);
    if (gen_one_in(g, 4)) { /* whichever is first */
      uint32_t swapped = x;
      x = old;
      old = swapped;
    }
    sum = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", is_float ? "addf" : "addi", old, x, gen_types[t].name);
  }
  gen_line(g, "linalg.yield %%v%u : %s", sum, gen_types[t].name);
  gen_leave(g, m);
}

void gen_contraction(Gen *g) {
  static const GenTypeId types[][2] = {{GEN_F32, GEN_F32}, {GEN_F32, GEN_F32}, {GEN_F32, GEN_F64}, {GEN_F64, GEN_F64},
                                       {GEN_I32, GEN_I32}, {GEN_I8, GEN_I32},  {GEN_I8, GEN_I8},   {GEN_I32, GEN_I64}};
  Contraction c = {0};
  if (g->trips > 3) return;
  size_t which = gen_below(g, NR_COUNTOF(types));
  if (gen_one_in(g, 3)) convolution(g, &c);
  else product(g, &c);
  double trips = 1;
  for (int l = 0; l < c.num_loops; l++)
    if (c.reduction[l]) trips *= (double)c.most[l];
  choose_operand(g, &c, &c.a, types[which][0]);
  choose_operand(g, &c, &c.b, types[which][0]);
  c.out.tensor.elem = types[which][1];
  shuffle(g, c.out.dims, c.out.tensor.rank);
  for (int i = 0; i < c.out.tensor.rank; i++) c.out.tensor.dims[i] = c.sizes[c.out.dims[i].loop];
  GenTensor *old = gen_one_in(g, 2) ? gen_tensor_like(g, &c.out.tensor) : NULL;
  bool exact = old && (!gen_types[old->elem].is_float || (old->bound > 0 && old->bound < 100000));
  c.out.tensor = exact ? *old : gen_filled(g, c.out.tensor);
  GenTensor t = c.out.tensor;
  t.id = gen_id(g);
  put_head(g, &c, t.id);
  put_body(g, &c);
  gen_begin(g);
  gen_put(g, "} -> ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  t.bound = 64.0 * 64 * trips + c.out.tensor.bound;
  nr_vec_push(&g->tensors, t);
}
