/* gen_tensor_control.c - loops and branches that carry tensors, most of them with a scalar. */
#include <stdio.h>

#include "gen_tensors.h"

typedef struct Carried {
  int count;
  GenTensor inits[2], args[2], results[2];
  GenTypeId scalar;
  uint32_t init, arg, result;
} Carried;

static bool choose_carried(Gen *g, Carried *c) {
  *c = (Carried){.count = 1 + (int)gen_below(g, 2), .scalar = gen_type(g)};
  GenTensor *t = gen_random_tensor(g);
  if (!t) return false;
  c->inits[0] = *t;
  c->inits[1] = gen_one_in(g, 2) ? *gen_tensor_like(g, t) : *gen_random_tensor(g);
  c->init = gen_use(g, c->scalar);
  return true;
}

static void name_values(Gen *g, Carried *c, GenTensor *tensors, uint32_t *scalar) {
  for (int i = 0; i < c->count; i++) {
    tensors[i] = c->inits[i];
    tensors[i].id = gen_id(g);
    tensors[i].bound = 0;
  }
  *scalar = gen_id(g);
}

static void put_results(Gen *g, const Carried *c) {
  gen_begin(g);
  for (int i = 0; i < c->count; i++) gen_put(g, "%%v%u, ", c->results[i].id);
  gen_put(g, "%%v%u = ", c->result);
}

/* "tensor<..>, i32" */
static void put_types(Gen *g, const Carried *c) {
  gen_put_tensor_types(g, c->inits, c->count);
  gen_put(g, ", %s", gen_types[c->scalar].name);
}

static void put_inits(Gen *g, const Carried *c) {
  for (int i = 0; i < c->count; i++) gen_put(g, "%%v%u = %%v%u, ", c->args[i].id, c->inits[i].id);
  gen_put(g, "%%v%u = %%v%u", c->arg, c->init);
}

static void publish(Gen *g, const Carried *c, const GenTensor *tensors, uint32_t scalar) {
  for (int i = 0; i < c->count; i++) nr_vec_push(&g->tensors, tensors[i]);
  gen_define(g, scalar, c->scalar);
}

static void put_terminator(Gen *g, const Carried *c, const char *op, uint32_t scalar) {
  uint32_t ids[2];
  for (int i = 0; i < c->count; i++) ids[i] = gen_tensor_for_type(g, &c->inits[i]);
  gen_begin(g);
  gen_put(g, "%s ", op);
  for (int i = 0; i < c->count; i++) gen_put(g, "%%v%u, ", ids[i]);
  gen_put(g, "%%v%u : ", scalar);
  put_types(g, c);
  gen_end(g);
}

void gen_tensor_for(Gen *g, int depth) {
  Carried c;
  int64_t lo = (int64_t)gen_below(g, 2), trips = (int64_t)gen_below(g, 4);
  if (g->trips * NR_MAX(trips, 1) > GEN_MAX_TENSOR_TRIPS || !choose_carried(g, &c)) return;
  uint32_t lower = gen_index(g, lo),
           upper = gen_one_in(g, 3) ? gen_fresh_index(g, lo, lo + trips) : gen_index(g, lo + trips);
  uint32_t step = gen_index(g, 1 + (int64_t)gen_below(g, 2)), iv = gen_id(g);
  name_values(g, &c, c.args, &c.arg);
  name_values(g, &c, c.results, &c.result);
  put_results(g, &c);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(", iv, lower, upper, step);
  put_inits(g, &c);
  gen_put(g, ") -> (");
  put_types(g, &c);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  gen_define_range(g, iv, lo, lo + NR_MAX(trips - 1, 0));
  publish(g, &c, c.args, c.arg);
  gen_tensor_body(g, depth - 1);
  put_terminator(g, &c, "scf.yield", gen_use(g, c.scalar));
  gen_leave(g, m);
  gen_line(g, "}");
  publish(g, &c, c.results, c.result);
}

/* Counts in the carried scalar, or ends at once. */
void gen_tensor_while(Gen *g, int depth) {
  Carried c;
  if (g->trips * 3 > GEN_MAX_TENSOR_TRIPS || !choose_carried(g, &c)) return;
  c.scalar = GEN_INDEX;
  c.init = gen_fresh_index(g, 0, 4);
  uint32_t limit = gen_index(g, 3), one = gen_index(g, 1), counter = gen_id(g);
  GenTensor handed[2];
  name_values(g, &c, c.args, &c.arg);
  name_values(g, &c, handed, &counter);
  name_values(g, &c, c.results, &c.result);
  put_results(g, &c);
  gen_put(g, "scf.while (");
  put_inits(g, &c);
  gen_put(g, ") : (");
  put_types(g, &c);
  gen_put(g, ") -> (");
  put_types(g, &c);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= 3;
  publish(g, &c, c.args, c.arg);
  if (gen_one_in(g, 2)) gen_tensor_body(g, depth - 1);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : index", c.arg, limit);
  char op[40];
  snprintf(op, sizeof op, "scf.condition(%%v%u)", more);
  put_terminator(g, &c, op, c.arg);
  gen_leave(g, m);
  gen_line(g, "} do {");
  m = gen_enter(g);
  g->trips *= 3;
  gen_put(g, "^bb0(");
  for (int i = 0; i < c.count; i++) {
    gen_put(g, "%%v%u: ", handed[i].id);
    gen_put_tensor_type(g, &handed[i]);
    gen_put(g, ", ");
  }
  gen_put(g, "%%v%u: index):\n", counter);
  publish(g, &c, handed, counter);
  gen_tensor_body(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", counter, one);
  put_terminator(g, &c, "scf.yield", next);
  gen_leave(g, m);
  gen_line(g, "}");
  publish(g, &c, c.results, c.result);
}

/* Branches that give a tensor each; of sizes that the run decides when they differ. */
void gen_tensor_if(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t condition = gen_use(g, GEN_I1), id = gen_id(g);
  if (!from) return;
  GenTensor result = *from;
  bool open = result.rank && gen_one_in(g, 3); /* one dim that the branches do not agree on */
  int at = (int)gen_below(g, (uint64_t)result.rank);
  if (open) result.dims[at] = -1;
  gen_begin(g);
  gen_put(g, "%%v%u = scf.if %%v%u -> (", id, condition);
  gen_put_tensor_type(g, &result);
  gen_put(g, ") {\n");
  for (int side = 0; side < 2; side++) {
    if (side) gen_line(g, "} else {");
    GenMark m = gen_enter(g);
    gen_tensor_body(g, depth - 1);
    uint32_t value;
    if (!open) value = gen_tensor_for_type(g, &result);
    else {
      GenTensor made = result;
      made.dims[at] = 1 + (int64_t)gen_below(g, 4);
      made = gen_filled(g, made);
      value = gen_id(g);
      gen_begin(g);
      gen_put(g, "%%v%u = tensor.cast %%v%u", value, made.id);
      gen_put_change(g, &made, "to", &result);
    }
    gen_tensor_yield(g, value, &result);
    gen_leave(g, m);
  }
  gen_line(g, "}");
  result.id = id;
  result.bound = 0;
  if (open) result.dims[at] = gen_size_of_dim(g, &result, at);
  nr_vec_push(&g->tensors, result);
}

/* Case by case; none has sizes of its own. */
void gen_tensor_switch(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t flag = gen_fresh_index(g, 0, 3), id = gen_id(g);
  if (!from) return;
  GenTensor result = *from;
  gen_begin(g);
  gen_put(g, "%%v%u = scf.index_switch %%v%u -> ", id, flag);
  gen_put_tensor_type(g, &result);
  gen_end(g);
  for (int i = 0; i < 3; i++) {
    if (i < 2) gen_line(g, "case %d {", i);
    else gen_line(g, "default {");
    GenMark m = gen_enter(g);
    gen_tensor_body(g, depth - 1);
    gen_tensor_yield(g, gen_tensor_for_type(g, &result), &result);
    gen_leave(g, m);
    gen_line(g, "}");
  }
  result.id = id;
  result.bound = 0;
  nr_vec_push(&g->tensors, result);
}

/* ---- loops that are left from inside ---- */

/* scf.break or scf.continue, perhaps in a branch. */
static void put_exit(Gen *g, const Carried *c, uint32_t token, uint32_t next, bool leaves, bool in_branch) {
  uint32_t condition = in_branch ? gen_use(g, GEN_I1) : 0;
  char op[64];
  if (in_branch) gen_line(g, "scf.if %%v%u {", condition);
  GenMark m = gen_enter(g);
  if (!in_branch) g->indent--;
  snprintf(op, sizeof op, "scf.%s [%%v%u]", leaves ? "break" : "continue", token);
  put_terminator(g, c, op, next);
  if (!in_branch) g->indent++;
  gen_leave(g, m);
  if (in_branch) gen_line(g, "}");
}

/* Counts in the carried scalar; left at 3 at the latest. */
void gen_tensor_exits(Gen *g, int depth) {
  Carried c;
  if (g->trips * 4 > GEN_MAX_TENSOR_TRIPS || !choose_carried(g, &c)) return;
  c.scalar = GEN_INDEX;
  c.init = gen_fresh_index(g, 0, 3);
  uint32_t limit = gen_index(g, 3), one = gen_index(g, 1), token = gen_id(g);
  name_values(g, &c, c.args, &c.arg);
  name_values(g, &c, c.results, &c.result);
  put_results(g, &c);
  gen_put(g, "scf.loop token(%%v%u) iter_args(", token);
  put_inits(g, &c);
  gen_put(g, ") : ");
  put_types(g, &c);
  gen_put(g, " -> (");
  put_types(g, &c);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= 4;
  publish(g, &c, c.args, c.arg);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", c.arg, one);
  uint32_t done = gen_emit(g, GEN_I1, "arith.cmpi sge, %%v%u, %%v%u : index", c.arg, limit);
  gen_line(g, "scf.if %%v%u {", done);
  GenMark n = gen_enter(g);
  char op[64];
  snprintf(op, sizeof op, "scf.break [%%v%u]", token);
  put_terminator(g, &c, op, c.arg);
  gen_leave(g, n);
  gen_line(g, "}");
  for (int i = (int)gen_below(g, 3); i > 0; i--) {
    gen_tensor_body(g, depth - 1);
    put_exit(g, &c, token, next, gen_one_in(g, 2), true);
  }
  gen_tensor_body(g, depth - 1);
  put_exit(g, &c, token, next, gen_one_in(g, 4), false);
  gen_leave(g, m);
  gen_line(g, "}");
  publish(g, &c, c.results, c.result);
}

/* "[%i, 0] [1, 4] [1, 1]": the row at the first dims' indices. */
static void put_row(Gen *g, const GenTensor *t, const uint32_t *ivs, int over) {
  gen_put(g, "[");
  for (int d = 0; d < t->rank; d++)
    if (d < over) gen_put(g, "%s%%v%u", d ? ", " : "", ivs[d]);
    else gen_put(g, ", 0");
  gen_put(g, "] [");
  for (int d = 0; d < t->rank; d++) {
    if (d >= over && t->dims[d] < 0) gen_put(g, ", %%v%u", g->sizes.data[-1 - t->dims[d]]);
    else gen_put(g, "%s%lld", d ? ", " : "", d < over ? 1ll : (long long)t->dims[d]);
  }
  gen_put(g, "] [");
  for (int d = 0; d < t->rank; d++) gen_put(g, d ? ", 1" : "1");
  gen_put(g, "]");
}

/* All rows of a tensor at once, each made in the body; what the row was is read by it alone. */
void gen_tensor_forall(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  if (!from || from->rank == 0 || g->trips > 4) return;
  GenTensor t = *from, row = {.elem = t.elem};
  int over = 1 + (int)gen_below(g, (uint64_t)NR_MIN(t.rank, 2));
  uint32_t bounds[GEN_MAX_RANK], ivs[GEN_MAX_RANK], out = gen_id(g), result = gen_id(g), old = gen_id(g), value;
  bool keeps_rank = gen_one_in(g, 2);
  for (int d = 0; d < t.rank; d++) {
    if (d >= over || keeps_rank) row.dims[row.rank++] = d < over ? 1 : t.dims[d];
    if (d >= over) continue;
    if (t.dims[d] < 0) bounds[d] = gen_size_value(g, t.dims[d]);
    ivs[d] = gen_id(g);
  }
  gen_begin(g);
  gen_put(g, "%%v%u = scf.forall (", result);
  gen_put_ids(g, ivs, over);
  gen_put(g, ") in (");
  for (int d = 0; d < over; d++) {
    if (t.dims[d] < 0) gen_put(g, "%s%%v%u", d ? ", " : "", bounds[d]);
    else gen_put(g, "%s%lld", d ? ", " : "", (long long)t.dims[d]);
  }
  gen_put(g, ") shared_outs(%%v%u = %%v%u) -> (", out, t.id);
  gen_put_tensor_type(g, &t);
  gen_put(g, ") {\n");
  GenMark m = gen_enter(g);
  g->trips *= 8;
  for (int d = 0; d < over; d++) gen_define(g, ivs[d], GEN_INDEX);
  row.id = old;
  if (gen_one_in(g, 2)) {
    gen_begin(g);
    gen_put(g, "%%v%u = tensor.extract_slice %%v%u", old, out);
    put_row(g, &t, ivs, over);
    gen_put_change(g, &t, "to", &row);
  } else row.id = gen_filled(g, row).id;
  nr_vec_push(&g->tensors, row);
  gen_tensor_body(g, depth - 1);
  value = gen_tensor_for_type(g, &row);
  gen_line(g, "scf.forall.in_parallel {");
  gen_begin(g);
  gen_put(g, "  tensor.parallel_insert_slice %%v%u into %%v%u", value, out);
  put_row(g, &t, ivs, over);
  gen_put_change(g, &row, "into", &t);
  gen_line(g, "}");
  gen_leave(g, m);
  gen_line(g, "}");
  t.id = result;
  t.bound = 0;
  nr_vec_push(&g->tensors, t);
}
