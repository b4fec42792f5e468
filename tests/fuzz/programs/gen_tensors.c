/* gen_tensors.c - programs of tensors: chains of structured ops inside of loops and branches, and calls. Control flow
 * is in files of its own. */
#include "gen_tensors.h"

uint32_t gen_tensor_for_type(Gen *g, const GenTensor *like) {
  GenTensor *t = gen_tensor_like(g, like);
  for (size_t i = g->tensors.size; i-- > 0 && gen_one_in(g, 2) == false;) {
    GenTensor *last = &g->tensors.data[i];
    bool same = last->elem == like->elem && last->rank == like->rank;
    for (int d = 0; d < like->rank && same; d++) same = last->dims[d] == like->dims[d];
    if (same) return last->id;
  }
  return t ? t->id : like->id;
}

void gen_tensor_yield(Gen *g, uint32_t id, const GenTensor *type) {
  gen_begin(g);
  gen_put(g, "scf.yield %%v%u : ", id);
  gen_put_tensor_type(g, type);
  gen_end(g);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void put_func_type(Gen *g, const GenTensorFunc *f) {
  gen_put(g, "(");
  gen_put_tensor_types(g, f->params, 2);
  gen_put(g, ", i32) -> (");
  gen_put_tensor_type(g, &f->params[0]);
  gen_put(g, ", i32)");
}

static void gen_call(Gen *g) {
  uint32_t args[2], scalar = gen_use(g, GEN_I32), result = gen_id(g), number = gen_id(g);
  if (!g->tensor_funcs.size || g->trips > 8 || g->in_grid) return;
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
  while (g->budget > 0) gen_tensor_body(g, 1);
  uint32_t value = gen_tensor_for_type(g, &f.params[0]), number = gen_use(g, GEN_I32);
  gen_begin(g);
  gen_put(g, "return %%v%u, %%v%u : ", value, number);
  gen_put_tensor_type(g, &f.params[0]);
  gen_put(g, ", i32\n}\n");
  g->values.size = g->tensors.size = g->sizes.size = 0;
  nr_vec_push(&g->tensor_funcs, f);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void gen_op(Gen *g, int depth) {
  if (g->has_flow && gen_one_in(g, 2)) {
    gen_flow_op(g, depth);
    return;
  }
  switch (gen_below(g, depth > 0 ? 28 : 17)) {
  case 14: gen_call(g); break;
  case 15: case 16: gen_contraction(g); break;
  case 25: case 26: gen_tensor_blocks(g, depth); break;
  case 23: gen_tensor_exits(g, depth); break;
  case 24: gen_tensor_switch(g, depth); break;
  case 27: gen_tensor_while(g, depth); break;
  case 0: case 1: case 2: gen_scalar_op(g); break;
  case 3: case 4: case 5: case 6: case 7: gen_tensor_op(g); break;
  case 17: case 18: gen_tensor_for(g, depth); break;
  case 19: gen_tensor_while(g, depth); break;
  case 20: gen_tensor_forall(g, depth); break;
  case 21: case 22: gen_tensor_if(g, depth); break;
  default: gen_generic(g); break;
  }
}

void gen_tensor_body(Gen *g, int depth) {
  for (int count = 1 + (int)gen_below(g, 4); count > 0 && g->budget > 0; count--, g->budget--) gen_op(g, depth);
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
      if (t.dims[d] < 0) name = gen_size_of_dim(g, &t, d);
    }
  }
  for (size_t i = 0; i < g->tensors.size; i++)
    for (int d = 0; d < g->tensors.data[i].rank; d++)
      if (g->tensors.data[i].dims[d] < 0) g->tensors.data[i].dims[d] = name;
}

static void gen_program(uint64_t seed, NrBuf *out, bool has_flow) {
  Gen g = {.out = out, .has_flow = has_flow, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1, .trips = 1, .indent = 1};
  NrBuf body = {0};
  for (int i = (int)gen_below(&g, 3); i > 0; i--) gen_function(&g);
  put_params(&g);
  g.out = &body; /* what is returned is known at the end */
  name_argument_sizes(&g);
  g.budget = 4 + (int)gen_below(&g, 14);
  while (g.budget > 0) gen_tensor_body(&g, 2);
  GenTensor results[6];
  int count = 2 + (int)gen_below(&g, 5);
  uint32_t scalar = gen_use(&g, GEN_I32);
  for (int i = 0; i < count; i++) results[i] = *gen_random_tensor(&g);
  g.out = out;
  gen_put(&g, ") -> (i32, ");
  gen_put_tensor_types(&g, results, count);
  gen_put(&g, ") {\n");
  nr_buf_append(out, body.data, body.size);
  gen_put(&g, "  return %%v%u", scalar);
  for (int i = 0; i < count; i++) gen_put(&g, ", %%v%u", results[i].id);
  gen_put(&g, " : i32, ");
  gen_put_tensor_types(&g, results, count);
  gen_put(&g, "\n}\n");
  nr_buf_deinit(&body);
  gen_deinit(&g);
}

void gen_tensors(uint64_t seed, NrBuf *out) { gen_program(seed, out, false); }

void gen_flow(uint64_t seed, NrBuf *out) { gen_program(seed, out, true); }
