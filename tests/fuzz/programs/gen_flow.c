/* gen_flow.c - programs of tensors with ops of flow: flow.tensor.*, dispatch regions, and dispatches over a grid. */
#include "gen_tensors.h"

/* "tensor<4x?xf32>{%v1}" */
static void put_shaped(Gen *g, const GenTensor *t) {
  int dynamic = 0;
  gen_put_tensor_type(g, t);
  for (int d = 0; d < t->rank; d++)
    if (t->dims[d] < 0) gen_put(g, "%s%%v%u", dynamic++ ? ", " : "{", g->sizes.data[-1 - t->dims[d]]);
  if (dynamic) gen_put(g, "}");
}

static void push(Gen *g, GenTensor t) { nr_vec_push(&g->tensors, t); }

/* ---- whole tensors ----------------------------------------------------------------------------------------------- */

static void same(Gen *g) {
  static const char *const words[] = {"clone", "tie_shape", "transfer"};
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor t = *from, r = t;
  const char *word = GEN_PICK(g, words);
  r.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.%s %%v%u : ", r.id, word, t.id);
  put_shaped(g, &t);
  if (word[1] == 'r') gen_put(g, " to \"%s\"", gen_one_in(g, 2) ? "a" : "b");
  gen_end(g);
  push(g, r);
}

static void splat(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor t = *from;
  uint32_t value = gen_use(g, t.elem);
  t.id = gen_id(g);
  t.bound = 0;
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.splat %%v%u : ", t.id, value);
  put_shaped(g, &t);
  gen_end(g);
  push(g, t);
}

/* Undefined contents, which a fill defines. */
static void empty(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor t = *from;
  uint32_t value = gen_use(g, t.elem), made = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.%s : ", made, gen_one_in(g, 2) ? "empty" : "alloca");
  put_shaped(g, &t);
  gen_end(g);
  t.id = gen_id(g);
  t.bound = 0;
  gen_begin(g);
  gen_put(g, "%%v%u = linalg.fill ins(%%v%u : %s) outs(%%v%u : ", t.id, value, gen_types[t.elem].name, made);
  gen_put_tensor_type(g, &t);
  gen_put(g, ") -> ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  push(g, t);
}

static void put_elements(Gen *g, const GenTensor *t, int dim, int *next) {
  if (dim == t->rank) {
    int number = gen_types[t->elem].bits == 1 ? *next & 1 : *next % 7;
    if (gen_types[t->elem].is_float) gen_put(g, "%d.0", number);
    else if (t->elem == GEN_I1) gen_put(g, number ? "true" : "false");
    else gen_put(g, "%d", number);
    ++*next;
    return;
  }
  gen_put(g, "[");
  for (int64_t i = 0; i < t->dims[dim]; i++) {
    if (i) gen_put(g, ", ");
    put_elements(g, t, dim + 1, next);
  }
  gen_put(g, "]");
}

static void constant(Gen *g) {
  GenTensor t = {.elem = gen_element_type(g), .rank = (int)gen_below(g, 3), .bound = 8};
  for (int d = 0; d < t.rank; d++) t.dims[d] = 1 + (int64_t)gen_below(g, 4);
  bool dynamic = t.rank && gen_one_in(g, 3);
  int next = (int)gen_below(g, 5);
  t.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.%s dense<", t.id, dynamic ? "dynamic_constant" : "constant");
  put_elements(g, &t, 0, &next);
  gen_put(g, "> : ");
  gen_put_tensor_type(g, &t);
  if (!dynamic) {
    gen_end(g);
    push(g, t);
    return;
  }
  int hidden = (int)gen_below(g, (uint64_t)t.rank);
  t.dims[hidden] = -1;
  gen_put(g, " -> ");
  gen_put_tensor_type(g, &t);
  gen_end(g);
  t.dims[hidden] = gen_size_of_dim(g, &t, hidden);
  push(g, t);
}

/* ---- elements ----------------------------------------------------------------------------------------------------- */

static void element(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t indices[GEN_MAX_RANK];
  if (!from) return;
  GenTensor t = *from;
  if (!gen_place_within(g, &t, indices)) return;
  bool store = gen_one_in(g, 2);
  uint32_t value = store ? gen_use(g, t.elem) : 0, id = gen_id(g);
  gen_begin(g);
  if (store) gen_put(g, "%%v%u = flow.tensor.store %%v%u, %%v%u", id, value, t.id);
  else gen_put(g, "%%v%u = flow.tensor.load %%v%u", id, t.id);
  if (t.rank) {
    gen_put(g, "[");
    gen_put_ids(g, indices, t.rank);
    gen_put(g, "]");
  }
  gen_put(g, " : ");
  put_shaped(g, &t);
  gen_end(g);
  if (!store) {
    gen_define(g, id, t.elem);
    return;
  }
  t.id = id;
  t.bound = 0;
  push(g, t);
}

/* ---- boxes -------------------------------------------------------------------------------------------------------- */

/* A box within t: its starts and lengths, and the tensor that it is. */
static GenTensor box_in(Gen *g, const GenTensor *t, uint32_t *starts, uint32_t *lengths) {
  GenTensor box = {.elem = t->elem, .rank = t->rank, .bound = t->bound};
  for (int d = 0; d < t->rank; d++) {
    int64_t n = t->dims[d];
    if (n < 0) { /* all of it, or all from a place on */
      lengths[d] = gen_size_value(g, n);
      starts[d] = gen_index(g, 0);
      box.dims[d] = n;
      if (gen_one_in(g, 2)) continue;
      uint32_t any = gen_use(g, GEN_INDEX), one = gen_index(g, 1);
      uint32_t top = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", lengths[d], one);
      starts[d] = gen_emit(g, GEN_INDEX, "arith.remui %%v%u, %%v%u : index", any, top);
      lengths[d] = gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", lengths[d], starts[d]);
      box.dims[d] = gen_size_of(g, lengths[d]);
      continue;
    }
    int64_t size = (int64_t)gen_below(g, (uint64_t)n + 1), room = n - size;
    starts[d] = gen_one_in(g, 2) ? gen_index(g, (int64_t)gen_below(g, (uint64_t)room + 1)) : gen_fresh_index(g, 0, room);
    lengths[d] = gen_index(g, size);
    box.dims[d] = size;
    if (!gen_one_in(g, 4)) continue;
    lengths[d] = gen_fresh_index(g, 0, size);
    box.dims[d] = gen_size_of(g, lengths[d]);
  }
  return box;
}

static void slice(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t starts[GEN_MAX_RANK] = {0}, lengths[GEN_MAX_RANK] = {0};
  if (!from) return;
  GenTensor t = *from, box = box_in(g, &t, starts, lengths);
  box.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.slice %%v%u[", box.id, t.id);
  gen_put_ids(g, starts, t.rank);
  gen_put(g, " for ");
  gen_put_ids(g, lengths, t.rank);
  gen_put(g, "] : ");
  put_shaped(g, &t);
  gen_put(g, " -> ");
  put_shaped(g, &box);
  gen_end(g);
  push(g, box);
}

static void update(Gen *g) {
  GenTensor *into = gen_random_tensor(g);
  uint32_t starts[GEN_MAX_RANK] = {0}, lengths[GEN_MAX_RANK] = {0};
  if (!into) return;
  GenTensor t = *into, box = box_in(g, &t, starts, lengths), *found = gen_tensor_like(g, &box);
  box = found ? *found : gen_filled(g, box);
  uint32_t id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.update %%v%u, %%v%u[", id, box.id, t.id);
  gen_put_ids(g, starts, t.rank);
  gen_put(g, "] : ");
  put_shaped(g, &box);
  gen_put(g, " -> %%v%u as ", t.id);
  put_shaped(g, &t);
  gen_end(g);
  t.bound = t.bound && box.bound ? NR_MAX(t.bound, box.bound) : 0;
  t.id = id;
  push(g, t);
}

/* ---- other types -------------------------------------------------------------------------------------------------- */

static void put_change(Gen *g, const char *op, const GenTensor *from, GenTensor *to) {
  to->id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.tensor.%s %%v%u : ", to->id, op, from->id);
  put_shaped(g, from);
  gen_put(g, " -> ");
  put_shaped(g, to);
  gen_end(g);
  push(g, *to);
}

static void reshape(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor t = *from, r = {.elem = t.elem, .bound = t.bound};
  int64_t count = 1;
  for (int d = 0; d < t.rank; d++) count = count < 0 || t.dims[d] < 0 ? -1 : count * t.dims[d];
  if (count >= 0) {
    static const int64_t factors[] = {1, 2, 3, 4, 6};
    for (int i = (int)gen_below(g, 3); i > 0; i--) {
      int64_t f = GEN_PICK(g, factors);
      if (count % f) continue;
      r.dims[r.rank++] = f;
      count /= f;
    }
    if (count != 1 || gen_one_in(g, 2)) r.dims[r.rank++] = count;
    int hidden = (int)gen_below(g, 8);
    if (hidden < r.rank) r.dims[hidden] = gen_size_of(g, gen_index(g, r.dims[hidden]));
  } else if (gen_one_in(g, 2) && t.rank < GEN_MAX_RANK) {
    int at = (int)gen_below(g, (uint64_t)t.rank + 1);
    for (int d = 0; d <= t.rank; d++) r.dims[d] = d < at ? t.dims[d] : d == at ? 1 : t.dims[d - 1];
    r.rank = t.rank + 1;
  } else {
    uint32_t product = gen_size_value(g, t.dims[0]);
    for (int d = 1; d < t.rank; d++)
      product = gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", product, gen_size_value(g, t.dims[d]));
    r.rank = 1;
    r.dims[0] = gen_size_of(g, product);
  }
  put_change(g, "reshape", &t, &r);
}

/* Of elements of one width, or two of half of it. Floats that may be NaN stay floats. */
static void bitcast(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from) return;
  GenTensor t = *from, r = t;
  r.bound = 0;
  if (gen_types[t.elem].is_float && !t.bound) return;
  switch (t.elem) {
  case GEN_I32: r.elem = GEN_F32; break;
  case GEN_F32: r.elem = GEN_I32; break;
  case GEN_F64: r.elem = GEN_I64; break;
  case GEN_I64:
    if (t.rank && t.dims[t.rank - 1] >= 0 && gen_one_in(g, 2)) r.elem = GEN_I32, r.dims[t.rank - 1] *= 2;
    else r.elem = GEN_F64;
    break;
  default: return;
  }
  put_change(g, "bitcast", &t, &r);
}

/* ---- dispatches ---------------------------------------------------------------------------------------------------- */

enum { MAX_RESULTS = 3 };

/* A tensor whose sizes were known at the mark, of those that are visible now. */
static GenTensor known_at(Gen *g, GenMark m, const GenTensor *otherwise) {
  for (int tries = 0; tries < 6; tries++) {
    GenTensor *t = gen_random_tensor(g);
    bool known = true;
    for (int d = 0; d < t->rank; d++) known = known && (t->dims[d] >= 0 || (size_t)(-1 - t->dims[d]) < m.sizes);
    if (known) return *t;
  }
  return *otherwise;
}

/* What stands in the body is known before the types of the results. */
static void region(Gen *g, int depth) {
  GenTensor *any = gen_random_tensor(g);
  if (!any) return;
  GenTensor outer = *any, results[MAX_RESULTS];
  NrBuf body = {0}, *out = g->out;
  int count = 1 + (int)gen_below(g, MAX_RESULTS);
  bool grid = gen_one_in(g, 4);
  uint32_t workload = grid ? gen_use(g, GEN_INDEX) : 0;
  GenMark m = gen_enter(g);
  g->out = &body;
  gen_tensor_body(g, depth - 1);
  for (int i = 0; i < count; i++) results[i] = known_at(g, m, &outer);
  gen_leave(g, m);
  g->out = out;
  uint32_t inside[MAX_RESULTS];
  gen_begin(g);
  for (int i = 0; i < count; i++) {
    inside[i] = results[i].id;
    results[i].id = gen_id(g);
    gen_put(g, "%s%%v%u", i ? ", " : "", results[i].id);
  }
  gen_put(g, " = flow.dispatch.region");
  if (grid) gen_put(g, "[%%v%u]", workload);
  gen_put(g, " -> (");
  for (int i = 0; i < count; i++) {
    if (i) gen_put(g, ", ");
    put_shaped(g, &results[i]);
  }
  gen_put(g, ") {\n");
  nr_buf_append(out, body.data, body.size);
  gen_begin(g);
  gen_put(g, "  flow.return ");
  gen_put_ids(g, inside, count);
  gen_put(g, " : ");
  gen_put_tensor_types(g, results, count);
  gen_end(g);
  uint32_t x = gen_id(g);
  if (grid) gen_line(g, "} count(%%v%u: index) -> (index, index, index) {\n  flow.return %%v%u, %%v%u, %%v%u : index, "
                        "index, index\n}", x, x, x, x);
  else gen_line(g, "}");
  for (int i = 0; i < count; i++) push(g, results[i]);
  nr_buf_deinit(&body);
}

static void put_binding(Gen *g, const char *access, const GenTensor *t) {
  gen_put(g, "!flow.dispatch.tensor<%s:", access);
  gen_put_tensor_type(g, t);
  gen_put(g, ">");
}

/* The row of a binding that the workgroup has; `sizes` are the values of its dims. */
static void put_row(Gen *g, uint32_t id, const GenTensor *t, const uint32_t *sizes) {
  gen_put(g, ", offsets = [%%v%u", id);
  for (int d = 1; d < t->rank; d++) gen_put(g, ", 0");
  gen_put(g, "], sizes = [1");
  for (int d = 1; d < t->rank; d++) {
    if (t->dims[d] < 0) gen_put(g, ", %%v%u", sizes[d]);
    else gen_put(g, ", %lld", (long long)t->dims[d]);
  }
  gen_put(g, "], strides = [1");
  for (int d = 1; d < t->rank; d++) gen_put(g, ", 1");
  gen_put(g, "] : ");
}

static void put_dims(Gen *g, const GenTensor *t, const uint32_t *sizes) {
  int dynamic = 0;
  for (int d = 0; d < t->rank; d++)
    if (t->dims[d] < 0) gen_put(g, "%s%%v%u", dynamic++ ? ", " : "{", sizes[d]);
  if (dynamic) gen_put(g, "}");
}

/* The body: loads a row, computes, stores it. Nothing from outside is visible. */
static void put_grid_body(Gen *g, const GenTensor *t, uint32_t from, uint32_t to, const char *from_access,
                          const char *to_access, const uint32_t *sizes, uint32_t scalar, int depth) {
  Gen outer = *g;
  memset(&g->values, 0, sizeof g->values);
  memset(&g->memrefs, 0, sizeof g->memrefs);
  memset(&g->slots, 0, sizeof g->slots);
  memset(&g->tensors, 0, sizeof g->tensors);
  memset(&g->sizes, 0, sizeof g->sizes);
  memset(&g->exits, 0, sizeof g->exits);
  memset(&g->places, 0, sizeof g->places);
  g->symbol = 0;
  g->in_grid = true;
  g->indent++;
  gen_define(g, scalar, GEN_I32);
  uint32_t id = gen_emit(g, GEN_INDEX, "flow.dispatch.workgroup.id[0] : index");
  GenTensor row = *t;
  row.dims[0] = 1;
  bool reduced = gen_one_in(g, 2);
  for (int d = reduced; d < t->rank; d++) row.dims[d - reduced] = d == 0 ? 1 : t->dims[d];
  row.rank = t->rank - reduced;
  for (int d = 1; d < t->rank; d++)
    if (t->dims[d] < 0) row.dims[d - reduced] = gen_size_of(g, sizes[d]);
  row.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = flow.dispatch.tensor.load %%v%u", row.id, from);
  put_row(g, id, t, sizes);
  put_binding(g, from_access, t);
  put_dims(g, t, sizes);
  gen_put(g, " -> ");
  gen_put_tensor_type(g, &row);
  gen_end(g);
  push(g, row);
  gen_tensor_body(g, depth - 1);
  uint32_t value = gen_tensor_for_type(g, &row);
  gen_begin(g);
  gen_put(g, "flow.dispatch.tensor.store %%v%u, %%v%u", value, to);
  put_row(g, id, t, sizes);
  gen_put_tensor_type(g, &row);
  gen_put(g, " -> ");
  put_binding(g, to_access, t);
  put_dims(g, t, sizes);
  gen_end(g);
  gen_line(g, "flow.return");
  Gen inner = *g;
  *g = outer;
  g->next = inner.next;
  g->seed = inner.seed;
  g->budget = inner.budget;
  nr_vec_deinit(&inner.values);
  nr_vec_deinit(&inner.memrefs);
  nr_vec_deinit(&inner.slots);
  nr_vec_deinit(&inner.tensors);
  nr_vec_deinit(&inner.sizes);
  nr_vec_deinit(&inner.exits);
  nr_vec_deinit(&inner.places);
}

/* A workgroup for each row of a tensor. */
static void grid(Gen *g, int depth) {
  GenTensor *any = gen_random_tensor(g);
  if (!any || any->rank == 0 || any->elem == GEN_INDEX || g->in_grid) return;
  GenTensor t = *any, r = t;
  bool tied = gen_one_in(g, 3);
  uint32_t scalar = gen_use(g, GEN_I32), rows = gen_size_value(g, t.dims[0]), sizes[GEN_MAX_RANK] = {0};
  uint32_t from = gen_id(g), to = tied ? from : gen_id(g), inner_scalar = gen_id(g), x = gen_id(g), one = gen_id(g);
  r.id = gen_id(g);
  r.bound = 0;
  gen_begin(g);
  gen_put(g, "%%v%u = flow.dispatch.workgroups[%%v%u](%%v%u, %%v%u", r.id, rows, t.id, scalar);
  for (int d = 0; d < t.rank; d++)
    if (t.dims[d] < 0) gen_put(g, ", %%v%u", gen_size_value(g, t.dims[d]));
  gen_put(g, ") : (");
  put_shaped(g, &t);
  gen_put(g, ", i32");
  for (int d = 0; d < t.rank; d++)
    if (t.dims[d] < 0) gen_put(g, ", index");
  gen_put(g, ") -> ");
  if (tied) gen_put(g, "%%v%u as ", t.id);
  put_shaped(g, &r);
  gen_put(g, " =\n    (%%v%u: ", from);
  put_binding(g, tied ? "readwrite" : "readonly", &t);
  gen_put(g, ", %%v%u: i32", inner_scalar);
  for (int d = 0; d < t.rank; d++) {
    if (t.dims[d] >= 0) continue;
    sizes[d] = gen_id(g);
    gen_put(g, ", %%v%u: index", sizes[d]);
  }
  if (!tied) {
    gen_put(g, ", %%v%u: ", to);
    put_binding(g, "writeonly", &t);
  }
  gen_put(g, ") {\n");
  put_grid_body(g, &t, from, to, tied ? "readwrite" : "readonly", tied ? "readwrite" : "writeonly", sizes,
                inner_scalar, depth);
  gen_line(g, "} count(%%v%u: index) -> (index, index, index) {", x);
  gen_line(g, "  %%v%u = arith.constant 1 : index", one);
  gen_line(g, "  flow.return %%v%u, %%v%u, %%v%u : index, index, index\n}", x, one, one);
  push(g, r);
}

void gen_flow_op(Gen *g, int depth) {
  bool heavy = depth > 0 && g->trips < 8;
  switch (gen_below(g, heavy ? 18 : 13)) {
  case 0: same(g); break;
  case 1: splat(g); break;
  case 2: empty(g); break;
  case 3: constant(g); break;
  case 4: case 5: element(g); break;
  case 6: case 7: slice(g); break;
  case 8: case 9: update(g); break;
  case 10: case 11: reshape(g); break;
  case 12: bitcast(g); break;
  case 13: case 14: case 15: region(g, depth); break;
  default: grid(g, depth); break;
  }
}
