/* gen_tensor_blocks.c - blocks that hand tensors on, as branches and as loops. */
#include "gen_tensors.h"

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

/* One side, or none, before what comes behind both. */
static void put_diamond(Gen *g, int depth, GenTensor type, uint32_t label) {
  uint32_t condition = gen_use(g, GEN_I1), straight = gen_tensor_for_type(g, &type);
  gen_begin(g);
  gen_put(g, "cf.cond_br %%v%u, ^a%u, ", condition, label);
  put_target(g, "b", label, 0, straight, &type);
  gen_end(g);
  gen_line(g, "^a%u:", label);
  GenMark m = gen_enter(g);
  gen_tensor_body(g, depth - 1);
  uint32_t id = gen_tensor_for_type(g, &type);
  if (gen_one_in(g, 3)) gen_tensor_yield(g, gen_tensor_for_type(g, &type), &type);
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
  uint32_t zero = gen_index(g, 0), one = gen_index(g, 1), limit = gen_fresh_index(g, 0, 3), init = gen_tensor_for_type(g, &type);
  uint32_t counter = gen_id(g);
  gen_begin(g);
  gen_put(g, "cf.br ");
  put_target(g, "h", label, zero, init, &type);
  gen_end(g);
  type.id = gen_id(g);
  put_block(g, "h", label, counter, type);
  g->trips *= 4;
  gen_define_range(g, counter, 0, 3);
  if (tests_last) gen_tensor_body(g, depth - 1);
  uint32_t next = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", counter, one);
  uint32_t more = gen_emit(g, GEN_I1, "arith.cmpi slt, %%v%u, %%v%u : index", counter, limit), id;
  gen_begin(g);
  gen_put(g, "cf.cond_br %%v%u, ", more);
  if (tests_last) {
    put_target(g, "h", label, next, gen_tensor_for_type(g, &type), &type);
    gen_put(g, ", ^e%u\n", label);
  } else {
    gen_put(g, "^l%u, ^e%u\n", label, label);
    gen_line(g, "^l%u:", label);
    GenMark m = gen_enter(g);
    gen_tensor_body(g, depth - 1);
    id = gen_tensor_for_type(g, &type);
    gen_begin(g);
    gen_put(g, "cf.br ");
    put_target(g, "h", label, next, id, &type);
    gen_end(g);
    gen_leave(g, m);
  }
  gen_line(g, "^e%u:", label);
}

void gen_tensor_blocks(Gen *g, int depth) {
  GenTensor *from = gen_random_tensor(g);
  uint32_t id = gen_id(g), label = gen_id(g);
  if (!from || g->trips * 4 > GEN_MAX_TENSOR_TRIPS) return;
  GenTensor type = *from;
  type.bound = 0;
  gen_begin(g);
  gen_put(g, "%%v%u = scf.execute_region -> ", id);
  gen_put_tensor_type(g, &type);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  if (gen_one_in(g, 2)) put_diamond(g, depth, type, label);
  else put_cycle(g, depth, type, label);
  if (gen_one_in(g, 2)) gen_tensor_body(g, depth - 1);
  gen_tensor_yield(g, gen_tensor_for_type(g, &type), &type);
  gen_leave(g, m);
  gen_line(g, "}");
  type.id = id;
  nr_vec_push(&g->tensors, type);
}
