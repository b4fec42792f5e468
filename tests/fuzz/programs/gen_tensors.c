/* gen_tensors.c - programs of tensors: chains of structured ops inside of loops and branches, and calls. */
#include <stdio.h>

#include "gen.h"

enum { MAX_TRIPS = 24 };

static void gen_op(Gen *g, int depth);

static void gen_ops(Gen *g, int depth) {
  for (int count = 1 + (int)gen_below(g, 4); count > 0 && g->budget > 0; count--, g->budget--) gen_op(g, depth);
}

/* ---- control flow that carries tensors and a scalar -------------------------------------------------------------- */

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

static void put_types(Gen *g, const Carried *c) {
  gen_put(g, "(");
  for (int i = 0; i < c->count; i++) {
    gen_put_tensor_type(g, &c->inits[i]);
    gen_put(g, ", ");
  }
  gen_put(g, "%s)", gen_types[c->scalar].name);
}

static void put_inits(Gen *g, const Carried *c) {
  for (int i = 0; i < c->count; i++) gen_put(g, "%%v%u = %%v%u, ", c->args[i].id, c->inits[i].id);
  gen_put(g, "%%v%u = %%v%u", c->arg, c->init);
}

static void publish(Gen *g, const Carried *c, const GenTensor *tensors, uint32_t scalar) {
  for (int i = 0; i < c->count; i++) nr_vec_push(&g->tensors, tensors[i]);
  gen_define(g, scalar, c->scalar);
}

/* Of the same type: one computed last, more often than not. `?` need not be equal sizes. */
static uint32_t value_for(Gen *g, const GenTensor *like) {
  GenTensor *t = gen_tensor_like(g, like);
  for (size_t i = g->tensors.size; i-- > 0 && gen_one_in(g, 2) == false;) {
    GenTensor *last = &g->tensors.data[i];
    bool same = last->elem == like->elem && last->rank == like->rank;
    for (int d = 0; d < like->rank && same; d++) same = last->dims[d] == like->dims[d];
    if (same) return last->id;
  }
  return t ? t->id : like->id;
}

static void put_terminator(Gen *g, const Carried *c, const char *op, uint32_t scalar) {
  uint32_t ids[2];
  for (int i = 0; i < c->count; i++) ids[i] = value_for(g, &c->inits[i]);
  gen_begin(g);
  gen_put(g, "%s ", op);
  for (int i = 0; i < c->count; i++) gen_put(g, "%%v%u, ", ids[i]);
  gen_put(g, "%%v%u : ", scalar);
  for (int i = 0; i < c->count; i++) {
    gen_put_tensor_type(g, &c->inits[i]);
    gen_put(g, ", ");
  }
  gen_put(g, "%s\n", gen_types[c->scalar].name);
}

static void gen_for(Gen *g, int depth) {
  Carried c;
  int64_t lo = (int64_t)gen_below(g, 2), trips = (int64_t)gen_below(g, 4);
  if (g->trips * NR_MAX(trips, 1) > MAX_TRIPS || !choose_carried(g, &c)) return;
  uint32_t lower = gen_index(g, lo),
           upper = gen_one_in(g, 3) ? gen_fresh_index(g, lo, lo + trips) : gen_index(g, lo + trips);
  uint32_t step = gen_index(g, 1 + (int64_t)gen_below(g, 2)), iv = gen_id(g);
  name_values(g, &c, c.args, &c.arg);
  name_values(g, &c, c.results, &c.result);
  put_results(g, &c);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(", iv, lower, upper, step);
  put_inits(g, &c);
  gen_put(g, ") -> ");
  put_types(g, &c);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(trips, 1);
  gen_define_range(g, iv, lo, lo + NR_MAX(trips - 1, 0));
  publish(g, &c, c.args, c.arg);
  gen_ops(g, depth - 1);
  put_terminator(g, &c, "scf.yield", gen_use(g, c.scalar));
  gen_leave(g, m);
  gen_line(g, "}");
  publish(g, &c, c.results, c.result);
}

/* Counts in the carried scalar, or ends at once. */
static void gen_while(Gen *g, int depth) {
  Carried c;
  if (g->trips * 3 > MAX_TRIPS || !choose_carried(g, &c)) return;
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
  gen_put(g, ") : ");
  put_types(g, &c);
  gen_put(g, " -> ");
  put_types(g, &c);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  g->trips *= 3;
  publish(g, &c, c.args, c.arg);
  if (gen_one_in(g, 2)) gen_ops(g, depth - 1);
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
  gen_ops(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", counter, one);
  put_terminator(g, &c, "scf.yield", next);
  gen_leave(g, m);
  gen_line(g, "}");
  publish(g, &c, c.results, c.result);
}

/* Branches that give a tensor each; of sizes that the run decides when they differ. */
static void gen_if(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t condition = gen_use(g, GEN_I1), id = gen_id(g), ids[2];
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
    gen_ops(g, depth - 1);
    if (!open) ids[side] = value_for(g, &result);
    else {
      GenTensor made = result;
      made.dims[at] = 1 + (int64_t)gen_below(g, 4);
      made = gen_filled(g, made);
      ids[side] = gen_id(g);
      gen_begin(g);
      gen_put(g, "%%v%u = tensor.cast %%v%u", ids[side], made.id);
      gen_put_change(g, &made, "to", &result);
    }
    gen_begin(g);
    gen_put(g, "scf.yield %%v%u : ", ids[side]);
    gen_put_tensor_type(g, &result);
    gen_end(g);
    gen_leave(g, m);
  }
  gen_line(g, "}");
  result.id = id;
  result.bound = 0;
  if (open) {
    uint32_t which = gen_index(g, at), size = gen_id(g);
    gen_begin(g);
    gen_put(g, "%%v%u = tensor.dim %%v%u, %%v%u : ", size, id, which);
    gen_put_tensor_type(g, &result);
    gen_end(g);
    gen_define(g, size, GEN_INDEX);
    result.dims[at] = gen_size_of(g, size);
  }
  nr_vec_push(&g->tensors, result);
}

/* Case by case; none has sizes of its own. */
static void gen_switch(Gen *g, int depth) {
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
    gen_ops(g, depth - 1);
    gen_begin(g);
    gen_put(g, "scf.yield %%v%u : ", value_for(g, &result));
    gen_put_tensor_type(g, &result);
    gen_end(g);
    gen_leave(g, m);
    gen_line(g, "}");
  }
  result.id = id;
  result.bound = 0;
  nr_vec_push(&g->tensors, result);
}

/* ---- blocks that hand tensors on ---- */

static void put_typed(Gen *g, uint32_t id, const GenTensor *type) {
  gen_put(g, "%%v%u : ", id);
  gen_put_tensor_type(g, type);
}

/* "^name(%v1: tensor<..>):", which is visible from here on. */
static void put_block(Gen *g, const char *name, uint32_t label, uint32_t counter, GenTensor arg) {
  gen_begin(g);
  gen_put(g, "^%s%u(", name, label);
  if (counter) gen_put(g, "%%v%u: index, ", counter);
  gen_put(g, "%%v%u: ", arg.id);
  gen_put_tensor_type(g, &arg);
  gen_put(g, "):\n");
  nr_vec_push(&g->tensors, arg);
}

/* "^name(%v1 : tensor<..>)" */
static void put_target(Gen *g, const char *name, uint32_t label, uint32_t counter, uint32_t id, const GenTensor *type) {
  gen_put(g, "^%s%u(", name, label);
  if (counter) gen_put(g, "%%v%u, ", counter);
  gen_put(g, "%%v%u : %s", id, counter ? "index, " : "");
  gen_put_tensor_type(g, type);
  gen_put(g, ")");
}

static void put_region_end(Gen *g, const GenTensor *type) {
  uint32_t id = value_for(g, type);
  gen_begin(g);
  gen_put(g, "scf.yield ");
  put_typed(g, id, type);
  gen_end(g);
}

/* One side, or none, before what comes behind both. */
static void put_diamond(Gen *g, int depth, GenTensor type, uint32_t label) {
  uint32_t condition = gen_use(g, GEN_I1), straight = value_for(g, &type);
  gen_begin(g);
  gen_put(g, "cf.cond_br %%v%u, ^a%u, ", condition, label);
  put_target(g, "b", label, 0, straight, &type);
  gen_end(g);
  gen_line(g, "^a%u:", label);
  GenMark m = gen_enter(g);
  gen_ops(g, depth - 1);
  uint32_t id = value_for(g, &type);
  if (gen_one_in(g, 3)) put_region_end(g, &type);
  else {
    gen_begin(g);
    gen_put(g, "cf.br ");
    put_target(g, "b", label, 0, id, &type);
    gen_end(g);
  }
  gen_leave(g, m);
  type.id = gen_id(g);
  put_block(g, "b", label, 0, type);
}

/* A loop that tests before, or behind, its ops. */
static void put_cycle(Gen *g, int depth, GenTensor type, uint32_t label) {
  bool tests_last = gen_one_in(g, 3);
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), limit = gen_fresh_index(g, 0, 3), init = value_for(g, &type);
  uint32_t counter = gen_id(g);
  gen_begin(g);
  gen_put(g, "cf.br ");
  put_target(g, "h", label, zero, init, &type);
  gen_end(g);
  type.id = gen_id(g);
  put_block(g, "h", label, counter, type);
  g->trips *= 4;
  gen_define_range(g, counter, 0, 3);
  if (tests_last) gen_ops(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", counter, one);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : index", counter, limit), id;
  gen_begin(g);
  gen_put(g, "cf.cond_br %%v%u, ", more);
  if (tests_last) {
    put_target(g, "h", label, next, value_for(g, &type), &type);
    gen_put(g, ", ^e%u\n", label);
  } else {
    gen_put(g, "^l%u, ^e%u\n", label, label);
    gen_line(g, "^l%u:", label);
    GenMark m = gen_enter(g);
    gen_ops(g, depth - 1);
    id = value_for(g, &type);
    gen_begin(g);
    gen_put(g, "cf.br ");
    put_target(g, "h", label, next, id, &type);
    gen_end(g);
    gen_leave(g, m);
  }
  gen_line(g, "^e%u:", label);
}

static void gen_blocks(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t id = gen_id(g), label = gen_id(g);
  if (!from || g->trips * 4 > MAX_TRIPS) return;
  GenTensor type = *from;
  type.bound = 0;
  gen_begin(g);
  gen_put(g, "%%v%u = scf.execute_region -> ", id);
  gen_put_tensor_type(g, &type);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  if (gen_one_in(g, 2)) put_diamond(g, depth, type, label);
  else put_cycle(g, depth, type, label);
  if (gen_one_in(g, 2)) gen_ops(g, depth - 1);
  put_region_end(g, &type);
  gen_leave(g, m);
  gen_line(g, "}");
  type.id = id;
  nr_vec_push(&g->tensors, type);
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
static void gen_exits(Gen *g, int depth) {
  Carried c;
  if (g->trips * 4 > MAX_TRIPS || !choose_carried(g, &c)) return;
  c.scalar = GEN_INDEX;
  c.init = gen_fresh_index(g, 0, 3);
  uint32_t limit = gen_index(g, 3), one = gen_index(g, 1), token = gen_id(g);
  name_values(g, &c, c.args, &c.arg);
  name_values(g, &c, c.results, &c.result);
  put_results(g, &c);
  gen_put(g, "scf.loop token(%%v%u) iter_args(", token);
  put_inits(g, &c);
  gen_put(g, ") : ");
  for (int i = 0; i < c.count; i++) {
    gen_put_tensor_type(g, &c.inits[i]);
    gen_put(g, ", ");
  }
  gen_put(g, "index -> ");
  put_types(g, &c);
  gen_put(g, " {\n");
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
    gen_ops(g, depth - 1);
    put_exit(g, &c, token, next, gen_one_in(g, 2), true);
  }
  gen_ops(g, depth - 1);
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
static void gen_forall(Gen *g, int depth) {
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
  gen_ops(g, depth - 1);
  value = value_for(g, &row);
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

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void put_func_type(Gen *g, const GenTensorFunc *f) {
  gen_put(g, "(");
  for (int i = 0; i < 2; i++) {
    gen_put_tensor_type(g, &f->params[i]);
    gen_put(g, ", ");
  }
  gen_put(g, "i32) -> (");
  gen_put_tensor_type(g, &f->params[0]);
  gen_put(g, ", i32)");
}

static void gen_call(Gen *g) {
  uint32_t args[2], scalar = gen_use(g, GEN_I32), result = gen_id(g), number = gen_id(g);
  if (!g->tensor_funcs.size || g->trips > 8) return;
  GenTensorFunc f = g->tensor_funcs.data[gen_below(g, g->tensor_funcs.size)];
  for (int i = 0; i < 2; i++) {
    GenTensor *found = gen_tensor_like(g, &f.params[i]);
    args[i] = found ? found->id : gen_filled(g, f.params[i]).id;
  }
  gen_begin(g);
  gen_put(g, "%%v%u, %%v%u = func.call @f%u(%%v%u, %%v%u, %%v%u) : ", result, number, f.id, args[0], args[1], scalar);
  put_func_type(g, &f);
  gen_end(g);
  f.params[0].id = result;
  f.params[0].bound = 0;
  nr_vec_push(&g->tensors, f.params[0]);
  gen_define(g, number, GEN_I32);
}

static void gen_function(Gen *g) {
  GenTensorFunc f = {.id = gen_id(g)};
  for (int i = 0; i < 2; i++) {
    f.params[i] = (GenTensor){.id = gen_id(g), .elem = gen_element_type(g), .rank = 1 + (int)gen_below(g, 2)};
    if (i && gen_one_in(g, 2)) f.params[i] = f.params[0], f.params[i].id = gen_id(g);
    else
      for (int d = 0; d < f.params[i].rank; d++) f.params[i].dims[d] = 1 + (int64_t)gen_below(g, 4);
  }
  uint32_t scalar = gen_id(g);
  gen_put(g, "func.func private @f%u(", f.id);
  for (int i = 0; i < 2; i++) {
    gen_put(g, "%%v%u: ", f.params[i].id);
    gen_put_tensor_type(g, &f.params[i]);
    gen_put(g, ", ");
    nr_vec_push(&g->tensors, f.params[i]);
  }
  gen_put(g, "%%v%u: i32) -> (", scalar);
  gen_put_tensor_type(g, &f.params[0]);
  gen_put(g, ", i32) {\n");
  gen_define(g, scalar, GEN_I32);
  g->budget = 1 + (int)gen_below(g, 5);
  while (g->budget > 0) gen_ops(g, 1);
  uint32_t value = value_for(g, &f.params[0]), number = gen_use(g, GEN_I32);
  gen_begin(g);
  gen_put(g, "return %%v%u, %%v%u : ", value, number);
  gen_put_tensor_type(g, &f.params[0]);
  gen_put(g, ", i32\n}\n");
  g->values.size = g->tensors.size = g->sizes.size = 0;
  nr_vec_push(&g->tensor_funcs, f);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void gen_op(Gen *g, int depth) {
  switch (gen_below(g, depth > 0 ? 26 : 15)) {
  case 14: gen_call(g); break;
  case 23: case 24: gen_blocks(g, depth); break;
  case 21: gen_exits(g, depth); break;
  case 22: gen_switch(g, depth); break;
  case 25: gen_while(g, depth); break;
  case 0: case 1: case 2: gen_scalar_op(g); break;
  case 3: case 4: case 5: case 6: case 7: gen_tensor_op(g); break;
  case 15: case 16: gen_for(g, depth); break;
  case 17: gen_while(g, depth); break;
  case 18: gen_forall(g, depth); break;
  case 19: case 20: gen_if(g, depth); break;
  default: gen_generic(g); break;
  }
}

static void put_params(Gen *g) {
  static const GenTypeId scalars[] = {GEN_I32, GEN_INDEX, GEN_I1, GEN_F32};
  gen_put(g, "func.func @main(");
  for (size_t i = 0; i < NR_COUNTOF(scalars); i++) {
    uint32_t id = gen_id(g);
    gen_put(g, "%s%%v%u: %s", i ? ", " : "", id, gen_types[scalars[i]].name);
    gen_define(g, id, scalars[i]);
  }
  for (int i = 1 + (int)gen_below(g, 3); i > 0; i--) {
    GenTensor t = {.id = gen_id(g), .elem = gen_element_type(g), .rank = 1 + (int)gen_below(g, 3), .bound = 8};
    for (int d = 0; d < t.rank; d++) t.dims[d] = gen_one_in(g, 3) ? -1 : 1 + (int64_t)gen_below(g, 5);
    gen_put(g, ", %%v%u: ", t.id);
    gen_put_tensor_type(g, &t);
    nr_vec_push(&g->tensors, t);
  }
}

/* All `?` of the arguments are one size: the runs see to that. */
static void name_argument_sizes(Gen *g) {
  int64_t name = 0;
  for (size_t i = 0; i < g->tensors.size; i++) {
    GenTensor t = g->tensors.data[i];
    for (int d = 0; d < t.rank && !name; d++) {
      if (t.dims[d] >= 0) continue;
      uint32_t which = gen_index(g, d), size = gen_id(g);
      gen_begin(g);
      gen_put(g, "%%v%u = tensor.dim %%v%u, %%v%u : ", size, t.id, which);
      gen_put_tensor_type(g, &t);
      gen_end(g);
      gen_define(g, size, GEN_INDEX);
      name = gen_size_of(g, size);
    }
  }
  for (size_t i = 0; i < g->tensors.size; i++)
    for (int d = 0; d < g->tensors.data[i].rank; d++)
      if (g->tensors.data[i].dims[d] < 0) g->tensors.data[i].dims[d] = name;
}

void gen_tensors(uint64_t seed, NrBuf *out) {
  Gen g = {.out = out, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1, .trips = 1, .indent = 1};
  NrBuf body = {0};
  for (int i = (int)gen_below(&g, 3); i > 0; i--) gen_function(&g);
  put_params(&g);
  g.out = &body; /* what is returned is known at the end */
  name_argument_sizes(&g);
  g.budget = 4 + (int)gen_below(&g, 14);
  while (g.budget > 0) gen_ops(&g, 2);
  GenTensor results[6];
  int count = 2 + (int)gen_below(&g, 5);
  uint32_t scalar = gen_use(&g, GEN_I32);
  for (int i = 0; i < count; i++) results[i] = *gen_random_tensor(&g);
  g.out = out;
  gen_put(&g, ") -> (i32");
  for (int i = 0; i < count; i++) {
    gen_put(&g, ", ");
    gen_put_tensor_type(&g, &results[i]);
  }
  gen_put(&g, ") {\n");
  nr_buf_append(out, body.data, body.size);
  gen_put(&g, "  return %%v%u", scalar);
  for (int i = 0; i < count; i++) gen_put(&g, ", %%v%u", results[i].id);
  gen_put(&g, " : i32");
  for (int i = 0; i < count; i++) {
    gen_put(&g, ", ");
    gen_put_tensor_type(&g, &results[i]);
  }
  gen_put(&g, "\n}\n");
  nr_buf_deinit(&body);
  gen_deinit(&g);
}
