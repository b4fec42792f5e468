/* gen_scalars.c - random ops on integers and floats. */
#include "gen.h"

static const char *name_of(GenTypeId t) { return gen_types[t].name; }

static const char *const int_ops[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                      "xori", "maxsi", "minsi", "maxui", "minui"};
static const char *const divisions[] = {"divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"};
static const char *const shifts[] = {"shli", "shrsi", "shrui"};
static const char *const int_predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
static const char *const float_ops[] = {"addf",     "subf",    "mulf",    "divf", "maximumf",
                                        "minimumf", "maxnumf", "minnumf", "remf"};
static const char *const float_predicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                               "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
static const char *const unary_ops[] = {"absf", "floor", "ceil", "roundeven", "trunc", "sqrt"};

/* From 1 to 7, or to 3 where more would be negative. */
static uint32_t divisor(Gen *g, GenTypeId t) {
  uint32_t b = gen_use(g, t), mask = gen_number(g, t, gen_types[t].bits > 3 ? 6 : 2), one = gen_number(g, t, 1);
  uint32_t low = gen_emit(g, t, "arith.andi %%v%u, %%v%u : %s", b, mask, name_of(t));
  return gen_emit(g, t, "arith.ori %%v%u, %%v%u : %s", low, one, name_of(t));
}

static uint32_t shift_amount(Gen *g, GenTypeId t) {
  uint32_t b = gen_use(g, t), width = gen_number(g, t, gen_types[t].bits);
  return gen_emit(g, t, "arith.remui %%v%u, %%v%u : %s", b, width, name_of(t));
}

void gen_int_op(Gen *g, GenTypeId t) {
  uint32_t a = gen_use(g, t), b = gen_one_in(g, 8) ? a : gen_use(g, t);
  const char *n = name_of(t);
  switch (gen_below(g, gen_types[t].bits > 1 ? 13 : 6)) {
  case 12: {
    static const char *const counts[] = {"ctlz", "cttz", "ctpop", "absi"};
    const char *op = GEN_PICK(g, counts);
    if (gen_one_in(g, 3)) {
      uint32_t mask = gen_number(g, t, 3), power = gen_emit(g, t, "arith.andi %%v%u, %%v%u : %s", b, mask, n);
      gen_emit(g, t, "math.ipowi %%v%u, %%v%u : %s", a, power, n);
    } else gen_emit(g, t, "math.%s %%v%u : %s", op, a, n);
    break;
  }
  case 6: case 7: {
    const char *op = GEN_PICK(g, divisions);
    b = divisor(g, t);
    gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", op, a, b, n);
    break;
  }
  case 8: case 9: {
    const char *op = GEN_PICK(g, shifts);
    b = shift_amount(g, t);
    gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", op, a, b, n);
    break;
  }
  case 10: {
    static const char *const extended[] = {"addui_extended", "mulsi_extended", "mului_extended"};
    int which = (int)gen_below(g, 3);
    uint32_t low = gen_id(g), high = gen_id(g);
    if (which == 0) gen_line(g, "%%v%u, %%v%u = arith.%s %%v%u, %%v%u : %s, i1", low, high, extended[0], a, b, n);
    else gen_line(g, "%%v%u, %%v%u = arith.%s %%v%u, %%v%u : %s", low, high, extended[which], a, b, n);
    gen_define(g, low, t);
    gen_define(g, high, which == 0 ? GEN_I1 : t);
    break;
  }
  case 4: case 5:
    gen_emit(g, GEN_I1, "arith.cmpi %s, %%v%u, %%v%u : %s", GEN_PICK(g, int_predicates), a, b, n);
    break;
  default: gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", GEN_PICK(g, int_ops), a, b, n);
  }
}

void gen_float_op(Gen *g, GenTypeId t) {
  uint32_t a = gen_use(g, t), b = gen_one_in(g, 8) ? a : gen_use(g, t);
  switch (gen_below(g, 10)) {
  case 8: {
    uint32_t c = gen_use(g, t);
    gen_emit(g, t, "math.fma %%v%u, %%v%u, %%v%u : %s", a, b, c, name_of(t));
    break;
  }
  case 9: {
    static const char *const tests[] = {"isnan", "isinf", "isfinite", "isnormal"};
    gen_emit(g, GEN_I1, "math.%s %%v%u : %s", GEN_PICK(g, tests), a, name_of(t));
    break;
  }
  case 0: gen_emit(g, t, "math.%s %%v%u : %s", GEN_PICK(g, unary_ops), a, name_of(t)); break;
  case 1: gen_emit(g, t, "arith.negf %%v%u : %s", a, name_of(t)); break;
  case 2: case 3:
    gen_emit(g, GEN_I1, "arith.cmpf %s, %%v%u, %%v%u : %s", GEN_PICK(g, float_predicates), a, b, name_of(t));
    break;
  default: {
    /* The sign of a zero is open in maxnumf and minnumf: they get their operands without -0. */
    const char *op = GEN_PICK(g, float_ops);
    if (op[3] == 'n' && op[0] == 'm') {
      uint32_t zero = gen_number(g, t, 0);
      a = gen_emit(g, t, "arith.addf %%v%u, %%v%u : %s", a, zero, name_of(t));
      b = gen_emit(g, t, "arith.addf %%v%u, %%v%u : %s", b, zero, name_of(t));
    }
    gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", op, a, b, name_of(t));
  }
  }
}

/* What is out of the integer's range, NaN included, becomes a number within it first. */
uint32_t gen_to_integer(Gen *g, GenTypeId from, GenTypeId to) {
  if (to == GEN_INDEX) to = GEN_I64;
  bool is_signed = gen_types[to].bits > 1 && gen_one_in(g, 2);
  int64_t most = gen_types[to].bits > 7 ? 120 : gen_types[to].bits > 3 ? 60 : gen_types[to].bits > 1 ? 3 : 1;
  uint32_t x = gen_use(g, from), top = gen_number(g, from, most), low = gen_number(g, from, is_signed ? -most : 0);
  uint32_t is_number = gen_emit(g, GEN_I1, "arith.cmpf ord, %%v%u, %%v%u : %s", x, x, name_of(from));
  uint32_t y = gen_emit(g, from, "arith.select %%v%u, %%v%u, %%v%u : %s", is_number, x, top, name_of(from));
  y = gen_emit(g, from, "arith.minimumf %%v%u, %%v%u : %s", y, top, name_of(from));
  y = gen_emit(g, from, "arith.maximumf %%v%u, %%v%u : %s", y, low, name_of(from));
  return gen_emit(g, to, "arith.%s %%v%u : %s to %s", is_signed ? "fptosi" : "fptoui", y, name_of(from), name_of(to));
}

static void cast(Gen *g) {
  GenTypeId from = gen_type(g), to = gen_type(g);
  const GenType *f = &gen_types[from], *t = &gen_types[to];
  const char *op;
  if (from == to) return;
  if (f->is_float && !t->is_float) {
    gen_to_integer(g, from, to);
    return;
  }
  if (t->is_float && !f->is_float && f->bits == t->bits && from != GEN_INDEX && gen_one_in(g, 3)) op = "bitcast";
  else if (t->is_float && from == GEN_INDEX) return;
  else if (f->is_float) op = t->bits > f->bits ? "extf" : t->bits < f->bits ? "truncf" : NULL;
  else if (t->is_float) op = gen_one_in(g, 2) ? "sitofp" : "uitofp";
  else if (from == GEN_INDEX || to == GEN_INDEX) op = gen_one_in(g, 2) ? "index_cast" : "index_castui";
  else op = t->bits < f->bits ? "trunci" : gen_one_in(g, 2) ? "extsi" : "extui";
  if (!op) return;
  uint32_t a = gen_use(g, from);
  gen_emit(g, to, "arith.%s %%v%u : %s to %s", op, a, f->name, t->name);
}

/* An index whose place is known: a number times another that is known, and one more. So loops get negative steps, and
 * memory is reached by sums of induction variables. */
static void affine_op(Gen *g) {
  size_t n = g->values.size, start = gen_below(g, n);
  for (size_t i = 0; i < n; i++) {
    GenValue v = g->values.data[(start + i) % n];
    if (v.type != GEN_INDEX || v.lo > v.hi || v.hi > 1000 || v.lo < -1000) continue;
    int64_t k = (int64_t)gen_below(g, 4);
    if (gen_one_in(g, 2)) {
      int64_t most = v.hi + (gen_one_in(g, 2) ? k : 0);
      uint32_t top = gen_index(g, most);
      gen_emit(g, GEN_INDEX, "arith.subi %%v%u, %%v%u : index", top, v.id);
      nr_vec_last(&g->values).lo = most - v.hi;
      nr_vec_last(&g->values).hi = most - v.lo;
    } else {
      bool times = gen_one_in(g, 2);
      uint32_t c = gen_index(g, k);
      gen_emit(g, GEN_INDEX, "arith.%s %%v%u, %%v%u : index", times ? "muli" : "addi", v.id, c);
      nr_vec_last(&g->values).lo = times ? v.lo * k : v.lo + k;
      nr_vec_last(&g->values).hi = times ? v.hi * k : v.hi + k;
    }
    return;
  }
}

void gen_scalar_op(Gen *g) {
  GenTypeId t = gen_type(g);
  switch (gen_below(g, 10)) {
  case 0: case 1: cast(g); break;
  case 2: {
    uint32_t c = gen_use(g, GEN_I1), a = gen_use(g, t), b = gen_use(g, t);
    gen_emit(g, t, "arith.select %%v%u, %%v%u, %%v%u : %s", c, a, b, name_of(t));
    break;
  }
  case 3: affine_op(g); break;
  default: gen_types[t].is_float ? gen_float_op(g, t) : gen_int_op(g, t);
  }
}
