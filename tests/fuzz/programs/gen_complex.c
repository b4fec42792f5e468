/* gen_complex.c - some ops on complex numbers, between floats and floats. */
#include "gen.h"

enum { MAX_NUMBERS = 12 };

typedef struct Numbers {
  const char *part; /* the type of parts */
  GenTypeId type;
  int count;
  uint32_t ids[MAX_NUMBERS];
} Numbers;

static uint32_t any(Gen *g, const Numbers *n) { return n->ids[gen_below(g, (uint64_t)n->count)]; }

static void publish(Numbers *n, uint32_t id) {
  if (n->count < MAX_NUMBERS) n->ids[n->count++] = id;
}

static void create(Gen *g, Numbers *n) {
  uint32_t re = gen_use(g, n->type), im = gen_use(g, n->type), id = gen_id(g);
  gen_line(g, "%%v%u = complex.create %%v%u, %%v%u : complex<%s>", id, re, im, n->part);
  publish(n, id);
}

static void op(Gen *g, Numbers *n) {
  static const char *const binary[] = {"add", "sub", "mul", "div"}, *const unary[] = {"neg", "conj"},
                    *const parts[] = {"re", "im"}, *const comparisons[] = {"eq", "neq"};
  uint32_t a = any(g, n), b = any(g, n), id;
  switch (gen_below(g, 9)) {
  case 0: create(g, n); return;
  case 1:
    id = gen_id(g);
    gen_line(g, "%%v%u = complex.%s %%v%u : complex<%s>", id, GEN_PICK(g, unary), a, n->part);
    break;
  case 2: case 3: gen_emit(g, n->type, "complex.%s %%v%u : complex<%s>", GEN_PICK(g, parts), a, n->part); return;
  case 4:
    gen_emit(g, GEN_I1, "complex.%s %%v%u, %%v%u : complex<%s>", GEN_PICK(g, comparisons), a, b, n->part);
    return;
  case 5: {
    uint32_t condition = gen_use(g, GEN_I1);
    id = gen_id(g);
    gen_line(g, "%%v%u = arith.select %%v%u, %%v%u, %%v%u : complex<%s>", id, condition, a, b, n->part);
    break;
  }
  default:
    id = gen_id(g);
    gen_line(g, "%%v%u = complex.%s %%v%u, %%v%u : complex<%s>", id, GEN_PICK(g, binary), a, b, n->part);
    break;
  }
  publish(n, id);
}

/* A loop that carries one, or a branch that gives one. */
static void around(Gen *g, Numbers *n) {
  bool is_loop = gen_one_in(g, 2);
  int outside = n->count, trips = (int)gen_below(g, 4);
  uint32_t condition = gen_use(g, GEN_I1), zero = gen_index(g, 0), one = gen_index(g, 1), top = gen_index(g, trips);
  uint32_t r = gen_id(g), iv = gen_id(g), arg = gen_id(g), init = any(g, n);
  if (is_loop)
    gen_line(g, "%%v%u = scf.for %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u) -> (complex<%s>) {", r, iv,
             zero, top, one, arg, init, n->part);
  else gen_line(g, "%%v%u = scf.if %%v%u -> (complex<%s>) {", r, condition, n->part);
  for (int side = 0; side < (is_loop ? 1 : 2); side++) {
    if (side) gen_line(g, "} else {");
    GenMark m = gen_enter(g);
    if (is_loop) publish(n, arg);
    for (int i = (int)gen_below(g, 4); i > 0; i--) op(g, n);
    gen_line(g, "scf.yield %%v%u : complex<%s>", any(g, n), n->part);
    gen_leave(g, m);
    n->count = outside;
  }
  gen_line(g, "}");
  publish(n, r);
}

void gen_complex(Gen *g) {
  static const GenTypeId types[] = {GEN_F32, GEN_F32, GEN_F64};
  Numbers n = {.type = GEN_PICK(g, types)};
  n.part = gen_types[n.type].name;
  for (int i = 0; i < 2; i++) create(g, &n);
  for (int i = 1 + (int)gen_below(g, 5); i > 0; i--) op(g, &n);
  if (gen_one_in(g, 2)) around(g, &n);
  for (int i = 0; i < 2; i++)
    gen_emit(g, n.type, "complex.%s %%v%u : complex<%s>", i ? "im" : "re", n.ids[n.count - 1], n.part);
}
