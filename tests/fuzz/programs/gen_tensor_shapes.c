/* gen_tensor_shapes.c - random ops that give a tensor another shape: pads, concats, reshapes, casts. */
#include "gen.h"

void gen_tensor_pad(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  int64_t low[GEN_MAX_RANK], high[GEN_MAX_RANK];
  uint32_t ivs[GEN_MAX_RANK] = {0}, low_ids[GEN_MAX_RANK], high_ids[GEN_MAX_RANK];
  if (!from || from->rank == 0) return;
  GenTensor t = *from, p = t;
  for (int d = 0; d < t.rank; d++) {
    low[d] = (int64_t)gen_below(g, 3), high[d] = (int64_t)gen_below(g, 3);
    bool dynamic = gen_one_in(g, 5);
    if (dynamic) low_ids[d] = gen_fresh_index(g, 0, 2), low[d] = -1;
    if (!dynamic && t.dims[d] >= 0) p.dims[d] = t.dims[d] + low[d] + high[d];
    else if (dynamic || low[d] + high[d]) {
      uint32_t n = gen_size_value(g, t.dims[d]), more = dynamic ? low_ids[d] : gen_index(g, low[d]),
               after = gen_index(g, high[d]);
      n = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", n, more);
      n = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", n, after);
      p.dims[d] = gen_size_of(g, n);
    }
    ivs[d] = gen_id(g);
    high_ids[d] = 0;
  }
  uint32_t value = gen_number(g, t.elem, (int64_t)gen_below(g, 2));
  p.bound = t.bound ? NR_MAX(t.bound, 1) : 0;
  p.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.pad %%v%u low[", p.id, t.id);
  for (int side = 0; side < 2; side++) {
    if (side) gen_put(g, "] high[");
    for (int d = 0; d < t.rank; d++) {
      int64_t amount = side ? high[d] : low[d];
      if (d) gen_put(g, ", ");
      if (amount < 0) gen_put(g, "%%v%u", side ? high_ids[d] : low_ids[d]);
      else gen_put(g, "%lld", (long long)amount);
    }
  }
  gen_put(g, "] {\n");
  gen_put_index_args(g, ivs, t.rank);
  gen_line(g, "  tensor.yield %%v%u : %s", value, gen_types[t.elem].name);
  gen_begin(g);
  gen_put(g, "}");
  gen_put_change(g, &t, "to", &p);
  nr_vec_push(&g->tensors, p);
}

void gen_tensor_concat(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from || from->rank == 0) return;
  GenTensor a = *from, b = *gen_tensor_like(g, &a), c = a;
  int dim = (int)gen_below(g, (uint64_t)a.rank);
  if (a.dims[dim] >= 0) c.dims[dim] = 2 * a.dims[dim];
  else {
    uint32_t n = gen_size_value(g, a.dims[dim]);
    c.dims[dim] = gen_size_of(g, gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", n, n));
  }
  c.bound = a.bound && b.bound ? NR_MAX(a.bound, b.bound) : 0;
  c.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.concat dim(%d) %%v%u, %%v%u : (", c.id, dim, a.id, b.id);
  gen_put_tensor_types(g, (GenTensor[]){a, b}, 2);
  gen_put(g, ") -> ");
  gen_put_tensor_type(g, &c);
  gen_end(g);
  nr_vec_push(&g->tensors, c);
}

/* Two dims become one. */
void gen_tensor_collapse(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from || from->rank < 2) return;
  GenTensor t = *from, c = {.elem = t.elem, .rank = t.rank - 1, .bound = t.bound};
  int at = (int)gen_below(g, (uint64_t)t.rank - 1);
  for (int d = 0, k = 0; d < t.rank; d++) {
    if (d != at) {
      c.dims[k++] = t.dims[d];
      continue;
    }
    int64_t a = t.dims[d], b = t.dims[++d];
    if (a >= 0 && b >= 0) {
      c.dims[k++] = a * b;
      continue;
    }
    uint32_t x = gen_size_value(g, a), y = gen_size_value(g, b);
    c.dims[k++] = gen_size_of(g, gen_emit(g, GEN_INDEX, "arith.muli %%v%u, %%v%u : index", x, y));
  }
  c.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.collapse_shape %%v%u [", c.id, t.id);
  for (int d = 0; d < t.rank; d++) {
    gen_put(g, "%s[%d", d ? ", " : "", d);
    if (d == at) gen_put(g, ", %d", ++d);
    gen_put(g, "]");
  }
  gen_put(g, "]");
  gen_put_change(g, &t, "into", &c);
  nr_vec_push(&g->tensors, c);
}

/* One dim becomes two, of which one is 1 unless its size is a number that has a divisor. */
void gen_tensor_expand(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from || from->rank == 0 || from->rank >= 3) return;
  GenTensor t = *from, e = {.elem = t.elem, .rank = t.rank + 1, .bound = t.bound};
  int at = (int)gen_below(g, (uint64_t)t.rank);
  bool first = gen_one_in(g, 2);
  for (int d = 0, k = 0; d < t.rank; d++) {
    int64_t n = t.dims[d], part = n > 0 && n % 2 == 0 ? 2 : 1;
    if (d == at) e.dims[k++] = first ? part : n < 0 ? n : n / part;
    e.dims[k++] = d != at ? n : !first ? part : n < 0 ? n : n / part;
  }
  e.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.expand_shape %%v%u [", e.id, t.id);
  for (int d = 0, k = 0; d < t.rank; d++) {
    gen_put(g, "%s[%d", d ? ", " : "", k++);
    if (d == at) gen_put(g, ", %d", k++);
    gen_put(g, "]");
  }
  gen_put(g, "] output_shape [");
  for (int d = 0; d < e.rank; d++) {
    if (e.dims[d] < 0) gen_put(g, "%s%%v%u", d ? ", " : "", g->sizes.data[-1 - e.dims[d]]);
    else gen_put(g, "%s%lld", d ? ", " : "", (long long)e.dims[d]);
  }
  gen_put(g, "]");
  gen_put_change(g, &t, "into", &e);
  nr_vec_push(&g->tensors, e);
}

/* Forgets a size, or finds it again where it is known to be the number it was. */
void gen_tensor_cast(Gen *g) {
  GenTensor *from = gen_random_tensor(g);
  if (!from || from->rank == 0) return;
  GenTensor t = *from, c = t;
  int d = (int)gen_below(g, (uint64_t)t.rank);
  if (t.dims[d] < 0) return;
  uint32_t n = gen_index(g, t.dims[d]);
  c.dims[d] = gen_size_of(g, n);
  c.id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = tensor.cast %%v%u", c.id, t.id);
  gen_put_change(g, &t, "to", &c);
  nr_vec_push(&g->tensors, c);
}
