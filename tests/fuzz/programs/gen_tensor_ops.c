/* gen_tensor_ops.c - random ops that make, cut and join tensors. Sizes that are known in the run only have names: -1 -
 * i is the value %v<sizes[i]>, and equal names are equal sizes. */
#include "gen.h"

/* ---- types and sizes ---- */

void gen_put_tensor_type(Gen *g, const GenTensor *t) {
  gen_put(g, "tensor<");
  for (int d = 0; d < t->rank; d++) {
    if (t->dims[d] < 0) gen_put(g, "?x");
    else gen_put(g, "%lldx", (long long)t->dims[d]);
  }
  gen_put(g, "%s>", gen_types[t->elem].name);
}

void gen_put_tensor_types(Gen *g, const GenTensor *list, int count) {
  for (int i = 0; i < count; i++) {
    if (i) gen_put(g, ", ");
    gen_put_tensor_type(g, &list[i]);
  }
}

void gen_put_change(Gen *g, const GenTensor *from, const char *word, const GenTensor *to) {
  gen_put(g, " : ");
  gen_put_tensor_type(g, from);
  gen_put(g, " %s ", word);
  gen_put_tensor_type(g, to);
  gen_end(g);
}

GenTypeId gen_element_type(Gen *g) {
  static const GenTypeId types[] = {GEN_I1,  GEN_I8,  GEN_I32, GEN_I32, GEN_I64,
                                    GEN_F32, GEN_F32, GEN_F32, GEN_F64, GEN_INDEX};
  static const GenTypeId rare[] = {GEN_F16, GEN_I16, GEN_I7, GEN_I33};
  if (g->has_flow && gen_one_in(g, 6)) return GEN_PICK(g, rare);
  return GEN_PICK(g, types);
}

int64_t gen_size_of(Gen *g, uint32_t value) {
  nr_vec_push(&g->sizes, value);
  return -(int64_t)g->sizes.size;
}

int64_t gen_size_of_dim(Gen *g, const GenTensor *t, int dim) {
  uint32_t which = gen_index(g, dim), size = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.dim %%v%u, %%v%u : ", size, t->id, which);
  gen_put_tensor_type(g, t);
  gen_end(g);
  gen_define(g, size, GEN_INDEX);
  return gen_size_of(g, size);
}

uint32_t gen_size_value(Gen *g, int64_t size) {
  return size < 0 ? g->sizes.data[-1 - size] : gen_index(g, size);
}

GenTensor *gen_random_tensor(Gen *g) {
  size_t n = g->tensors.size;
  return n ? &g->tensors.data[n - 1 - gen_below(g, 1 + gen_below(g, n))] : NULL;
}

GenTensor *gen_tensor_like(Gen *g, const GenTensor *like) {
  size_t n = g->tensors.size, start = gen_below(g, n);
  for (size_t i = 0; i < n; i++) {
    GenTensor *t = &g->tensors.data[(start + i) % n];
    if (t->elem == like->elem && t->rank == like->rank &&
        memcmp(t->dims, like->dims, (size_t)t->rank * sizeof *t->dims) == 0)
      return t;
  }
  return NULL;
}

/* ---- new ones ---- */

static int64_t random_size(Gen *g) {
  if (g->sizes.size && gen_one_in(g, 3)) return -1 - (int64_t)gen_below(g, g->sizes.size);
  if (gen_one_in(g, 12)) return 0;
  if (gen_one_in(g, 6)) return 1;
  if (gen_one_in(g, 12)) return gen_size_of(g, gen_fresh_index(g, 0, 5));
  return 2 + (int64_t)gen_below(g, 4);
}

uint32_t gen_empty(Gen *g, const GenTensor *t) {
  uint32_t sizes[GEN_MAX_RANK], id = gen_id(g);
  int dynamic = 0;
  for (int d = 0; d < t->rank; d++)
    if (t->dims[d] < 0) sizes[dynamic++] = gen_size_value(g, t->dims[d]);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.empty(", id);
  gen_put_ids(g, sizes, dynamic);
  gen_put(g, ") : ");
  gen_put_tensor_type(g, t);
  gen_end(g);
  return id;
}

/* Filled with a small number. */
GenTensor gen_filled(Gen *g, GenTensor t) {
  int64_t number = (int64_t)gen_below(g, 5) - (gen_types[t.elem].bits > 1 && t.elem != GEN_INDEX ? 2 : 0);
  uint32_t empty = gen_empty(g, &t), value = gen_number(g, t.elem, number);
  t.id = gen_id(g);
  t.bound = 2;
  gen_begin(g);
  gen_put(g, "%%v%u = linalg.fill ins(%%v%u : %s) outs(%%v%u : ", t.id, value, gen_types[t.elem].name, empty);
  gen_put_tensor_type(g, &t);
  gen_put(g, ") -> ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  return t;
}

/* Each element by its place; visible. */
GenTensor gen_by_place(Gen *g, GenTensor t) {
  uint32_t empty = gen_empty(g, &t), out = gen_id(g);
  const GenType *type = &gen_types[t.elem];
  t.id = gen_id(g);
  t.bound = 64;
  gen_begin(g);
  gen_put(g, "%%v%u = linalg.generic {indexing_maps = [affine_map<(", t.id);
  for (int d = 0; d < t.rank; d++) gen_put(g, "%sd%d", d ? ", " : "", d);
  gen_put(g, ") -> (");
  for (int d = 0; d < t.rank; d++) gen_put(g, "%sd%d", d ? ", " : "", d);
  gen_put(g, ")>], iterator_types = [");
  for (int d = 0; d < t.rank; d++) gen_put(g, "%s\"parallel\"", d ? ", " : "");
  gen_put(g, "]} outs(%%v%u : ", empty);
  gen_put_tensor_type(g, &t);
  gen_put(g, ") {\n");
  gen_line(g, "^bb0(%%v%u: %s):", out, type->name);
  GenMark m = gen_enter(g);
  uint32_t place = gen_index(g, 1), weight = gen_index(g, 3), limit = gen_index(g, 61), value;
  for (int d = 0; d < t.rank; d++) {
    uint32_t i = gen_emit(g, GEN_INDEX, "linalg.index %d : index", d);
    place = gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", place, weight);
    place = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", place, i);
  }
  value = place = gen_emit(g, GEN_INDEX, "arith.remui %%v%u, %%v%u : index", place, limit);
  if (t.elem != GEN_INDEX) {
    GenTypeId through = type->is_float ? GEN_I16 : t.elem;
    value = gen_emit(g, through, "arith.index_cast %%v%u : index to %s", place, gen_types[through].name);
    if (type->is_float) value = gen_emit(g, t.elem, "arith.sitofp %%v%u : i16 to %s", value, type->name);
  }
  gen_line(g, "linalg.yield %%v%u : %s", value, type->name);
  gen_leave(g, m);
  gen_begin(g);
  gen_put(g, "} -> ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  nr_vec_push(&g->tensors, t);
  return t;
}

static void new_tensor(Gen *g) {
  GenTensor t = {.elem = gen_element_type(g), .rank = (int)gen_below(g, 4)};
  if (t.rank == 3 && gen_one_in(g, 2)) t.rank = 2;
  for (int d = 0; d < t.rank; d++) t.dims[d] = random_size(g);
  if (t.rank && g->trips < 4 && gen_one_in(g, 6)) /* more than a vector holds */
    t.dims[gen_below(g, (uint64_t)t.rank)] = 14 + (int64_t)gen_below(g, 60);
  if (gen_one_in(g, 3)) nr_vec_push(&g->tensors, gen_filled(g, t));
  else gen_by_place(g, t);
}

static void from_elements(Gen *g) {
  GenTensor t = {.elem = gen_element_type(g), .rank = 1};
  uint32_t values[3];
  t.dims[0] = 1 + (int64_t)gen_below(g, 3);
  for (int i = 0; i < t.dims[0]; i++) values[i] = gen_use(g, t.elem);
  t.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.from_elements ", t.id);
  gen_put_ids(g, values, (int)t.dims[0]);
  gen_put(g, " : ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  nr_vec_push(&g->tensors, t);
}

void gen_put_index_args(Gen *g, const uint32_t *ivs, int rank) {
  gen_begin(g);
  gen_put(g, "^bb0(");
  for (int d = 0; d < rank; d++) gen_put(g, "%s%%v%u: index", d ? ", " : "", ivs[d]);
  gen_put(g, "):\n");
}

static void generate(Gen *g) {
  GenTensor t = {.elem = gen_element_type(g), .rank = 1 + (int)gen_below(g, 2)};
  uint32_t sizes[GEN_MAX_RANK], ivs[GEN_MAX_RANK] = {0};
  int dynamic = 0;
  for (int d = 0; d < t.rank; d++) {
    t.dims[d] = random_size(g);
    if (t.dims[d] < 0) sizes[dynamic++] = gen_size_value(g, t.dims[d]);
    ivs[d] = gen_id(g);
  }
  t.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.generate ", t.id);
  gen_put_ids(g, sizes, dynamic);
  gen_put(g, " {\n");
  gen_put_index_args(g, ivs, t.rank);
  GenMark m = gen_enter(g);
  for (int d = 0; d < t.rank; d++) gen_define(g, ivs[d], GEN_INDEX);
  for (int i = (int)gen_below(g, 3); i > 0; i--) gen_scalar_op(g);
  uint32_t value = gen_use(g, t.elem);
  gen_line(g, "tensor.yield %%v%u : %s", value, gen_types[t.elem].name);
  gen_leave(g, m);
  gen_begin(g);
  gen_put(g, "} : ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  nr_vec_push(&g->tensors, t);
}

/* ---- elements ---- */

/* A place within; false when there is none for sure. A size of the run may be 0: then nothing is there to be read. */
bool gen_place_within(Gen *g, const GenTensor *t, uint32_t *indices) {
  for (int d = 0; d < t->rank; d++)
    if (t->dims[d] <= 0) return false;
  for (int d = 0; d < t->rank; d++) indices[d] = gen_fresh_index(g, 0, t->dims[d] - 1);
  return true;
}

static void element(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t indices[GEN_MAX_RANK];
  if (!from) return;
  GenTensor t = *from;
  if (!gen_place_within(g, &t, indices)) return;
  bool insert = gen_one_in(g, 2);
  uint32_t value = insert ? gen_use(g, t.elem) : 0, id = gen_id(g);
  gen_begin(g);
  if (insert) gen_put(g, "%%v%u = tensor.insert %%v%u into %%v%u[", id, value, t.id);
  else gen_put(g, "%%v%u = tensor.extract %%v%u[", id, t.id);
  gen_put_ids(g, indices, t.rank);
  gen_put(g, "] : ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  if (!insert) {
    gen_define(g, id, t.elem);
    return;
  }
  t.id = id;
  t.bound = 0;
  nr_vec_push(&g->tensors, t);
}

/* ---- slices ---- */

typedef struct Part {
  int64_t offset, size, stride; /* negative: offset_id; a size name */
  uint32_t offset_id;
} Part;

/* Of a size of the run: all, or all from a place on, or every second one from there. */
static Part part_of_named(Gen *g, int64_t size) {
  Part p = {.size = size, .stride = 1};
  if (gen_one_in(g, 2)) return p;
  uint32_t n = gen_size_value(g, size), any = gen_use(g, GEN_INDEX), one = gen_index(g, 1);
  uint32_t top = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", n, one);
  p.offset = -1;
  p.offset_id = gen_emit(g, GEN_INDEX, "arith.remui %%v%u, %%v%u : index", any, top);
  uint32_t left = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", n, p.offset_id);
  if (gen_one_in(g, 3)) {
    uint32_t two = gen_index(g, 2);
    left = gen_emit(g, GEN_INDEX, "arith.ceildivui %%v%u, %%v%u : index", left, two);
    p.stride = 2;
  }
  p.size = gen_size_of(g, left);
  return p;
}

static Part part_of(Gen *g, int64_t n) {
  Part p = {.stride = 1};
  if (n < 0) return part_of_named(g, n);
  p.stride = n > 2 && gen_one_in(g, 3) ? 2 : 1;
  p.size = n == 0 || gen_one_in(g, 15) ? 0 : 1 + (int64_t)gen_below(g, (uint64_t)((n - 1) / p.stride + 1));
  int64_t room = p.size ? n - 1 - (p.size - 1) * p.stride : n;
  p.offset = (int64_t)gen_below(g, (uint64_t)room + 1);
  if (gen_one_in(g, 3)) {
    p.offset_id = gen_fresh_index(g, 0, room);
    p.offset = -1;
  }
  if (gen_one_in(g, 5) && p.size > 0) p.size = gen_size_of(g, gen_fresh_index(g, 0, p.size));
  return p;
}

static void put_parts(Gen *g, const Part *parts, int rank) {
  for (int which = 0; which < 3; which++) {
    gen_put(g, which ? " [" : "[");
    for (int d = 0; d < rank; d++) {
      const Part *p = &parts[d];
      int64_t value = which == 0 ? p->offset : which == 1 ? p->size : p->stride;
      if (d) gen_put(g, ", ");
      if (value < 0) gen_put(g, "%%v%u", which == 0 ? p->offset_id : g->sizes.data[-1 - value]);
      else gen_put(g, "%lld", (long long)value);
    }
    gen_put(g, "]");
  }
}

/* The tensor that parts of t are; dims of 1 may drop out. */
static GenTensor parts_of(Gen *g, const GenTensor *t, Part *parts) {
  GenTensor s = {.elem = t->elem, .bound = t->bound};
  for (int d = 0; d < t->rank; d++) {
    parts[d] = part_of(g, t->dims[d]);
    if (parts[d].size == 1 && gen_one_in(g, 2)) continue;
    s.dims[s.rank++] = parts[d].size;
  }
  return s;
}

static void extract_slice(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  Part parts[GEN_MAX_RANK];
  if (!from || from->rank == 0) return;
  GenTensor t = *from, s = parts_of(g, &t, parts);
  s.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.extract_slice %%v%u", s.id, t.id);
  put_parts(g, parts, t.rank);
  gen_put_change(g, &t, "to", &s);
  nr_vec_push(&g->tensors, s);
}

static void insert_slice(Gen *g) {
  GenTensor *into = gen_random_tensor(g);
  Part parts[GEN_MAX_RANK];
  if (!into || into->rank == 0) return;
  GenTensor t = *into, s = parts_of(g, &t, parts), *same = gen_tensor_like(g, &s);
  s = same ? *same : gen_filled(g, s);
  t.bound = t.bound && s.bound ? NR_MAX(t.bound, s.bound) : 0;
  uint32_t id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.insert_slice %%v%u into %%v%u", id, s.id, t.id);
  put_parts(g, parts, t.rank);
  gen_put_change(g, &s, "into", &t);
  t.id = id;
  nr_vec_push(&g->tensors, t);
}

/* ---- all of them ---- */

/* An op of scalars on all elements. */
static void element_wise(Gen *g) {
  static const char *const of_ints[] = {"addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui"};
  static const char *const of_floats[] = {"addf", "subf", "maximumf", "minimumf"};
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor a = *from, b = *gen_tensor_like(g, &a), r = a;
  bool is_float = gen_types[a.elem].is_float;
  if (gen_types[a.elem].bits > 1 && gen_one_in(g, 4)) {
    static const char *const ints[] = {"ctlz", "cttz", "ctpop", "absi"}, *const floats[] = {"absf", "floor"};
    r.id = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u = math.%s %%v%u : ", r.id, is_float ? GEN_PICK(g, floats) : GEN_PICK(g, ints), a.id);
    gen_put_tensor_type(g, &r);
    gen_end(g);
    nr_vec_push(&g->tensors, r);
    return;
  }
  r.bound = is_float && a.bound && b.bound && a.bound + b.bound < 4096 ? a.bound + b.bound : 0;
  r.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = arith.%s %%v%u, %%v%u : ", r.id, is_float ? GEN_PICK(g, of_floats) : GEN_PICK(g, of_ints), a.id,
          b.id);
  gen_put_tensor_type(g, &r);
  gen_end(g);
  nr_vec_push(&g->tensors, r);
}

void gen_tensor_op(Gen *g) {
  switch (gen_below(g, 18)) {
  case 14: case 15: element_wise(g); break;
  case 0: new_tensor(g); break;
  case 1: from_elements(g); break;
  case 2: generate(g); break;
  case 3: case 4: element(g); break;
  case 5: case 6: case 7: extract_slice(g); break;
  case 8: case 9: insert_slice(g); break;
  case 10: gen_tensor_pad(g); break;
  case 11: gen_tensor_concat(g); break;
  case 12: gen_tensor_collapse(g); break;
  case 13: gen_tensor_expand(g); break;
  default: gen_tensor_cast(g); break;
  }
}
