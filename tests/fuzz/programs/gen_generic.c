/* gen_generic.c - random linalg.generic: permuted, broadcast, shifted and strided operands, reductions, any body.
 *
 * Floats that are added up are small integers, so that sums in any order are exact: GenTensor.bound says how large. */
#include <stdio.h>

#include "gen.h"

enum { MAX_LOOPS = 5, MAX_INPUTS = 3 };

typedef struct Operand {
  GenTensor tensor;
  char text[GEN_MAX_RANK][32]; /* of the map, for each dim */
  uint32_t arg;
} Operand;

typedef struct Generic {
  int num_loops, num_inputs;
  int64_t sizes[MAX_LOOPS];
  bool reduction[MAX_LOOPS], is_plain[MAX_LOOPS]; /* plain: an operand has it alone in a dim */
  Operand inputs[MAX_INPUTS], output;
  const char *combine; /* of reductions; NULL: none */
  double bound;        /* of the result */
} Generic;

static int add_loop(Generic *r, int64_t size) {
  r->sizes[r->num_loops] = size;
  r->reduction[r->num_loops] = false;
  r->is_plain[r->num_loops] = true;
  return r->num_loops++;
}

static int find_loop(Gen *g, const Generic *r, int64_t size) {
  int start = (int)gen_below(g, (uint64_t)r->num_loops);
  for (int i = 0; i < r->num_loops; i++)
    if (r->sizes[(start + i) % r->num_loops] == size) return (start + i) % r->num_loops;
  return -1;
}

/* ---- operands ---- */

/* The first input makes the loops: one for each dim, or two for a window that moves over it. */
static void first_input(Gen *g, Generic *r) {
  Operand *in = &r->inputs[r->num_inputs++];
  in->tensor = *gen_random_tensor(g);
  for (int d = 0; d < in->tensor.rank; d++) {
    int64_t n = in->tensor.dims[d];
    if (n >= 2 && r->num_loops + 2 <= MAX_LOOPS && r->num_inputs + 1 < MAX_INPUTS && gen_one_in(g, 5)) {
      int64_t width = 1 + (int64_t)gen_below(g, (uint64_t)NR_MIN(n, 3)), stride = 1 + (int64_t)gen_below(g, 2);
      int o = add_loop(r, (n - width) / stride + 1), k = add_loop(r, width);
      r->is_plain[k] = r->is_plain[o] = false;
      if (stride == 1) snprintf(in->text[d], sizeof *in->text, "d%d + d%d", o, k);
      else snprintf(in->text[d], sizeof *in->text, "d%d * %d + d%d", o, (int)stride, k);
    } else if (n == 1 && gen_one_in(g, 2)) {
      snprintf(in->text[d], sizeof *in->text, "0");
    } else {
      if (r->num_loops == MAX_LOOPS) { /* cannot be: ranks are at most 4 */
        r->num_inputs = 0;
        return;
      }
      snprintf(in->text[d], sizeof *in->text, "d%d", add_loop(r, n));
    }
  }
}

/* Its dims are found among the loops, in any order. */
static void other_input(Gen *g, Generic *r) {
  Operand in = {.tensor = *gen_random_tensor(g)};
  int num_loops = r->num_loops;
  bool plain[MAX_LOOPS];
  memcpy(plain, r->is_plain, sizeof plain);
  for (int d = 0; d < in.tensor.rank; d++) {
    int loop = find_loop(g, r, in.tensor.dims[d]);
    bool one = in.tensor.dims[d] == 1 && gen_one_in(g, 2);
    if (loop < 0 && !one && r->num_loops < MAX_LOOPS && gen_one_in(g, 2)) loop = add_loop(r, in.tensor.dims[d]);
    if (loop < 0 && !one) {
      r->num_loops = num_loops;
      return;
    }
    if (one) snprintf(in.text[d], sizeof *in.text, "0");
    else {
      snprintf(in.text[d], sizeof *in.text, "d%d", loop);
      plain[loop] = true;
    }
  }
  memcpy(r->is_plain, plain, sizeof plain);
  r->inputs[r->num_inputs++] = in;
}

/* An operand of which only the shape counts, for loops that no other one has alone in a dim. */
static void window_input(Gen *g, Generic *r) {
  Operand in = {.tensor = {.elem = GEN_I32}};
  for (int l = 0; l < r->num_loops; l++) {
    if (r->is_plain[l] || !r->reduction[l]) continue;
    snprintf(in.text[in.tensor.rank], sizeof *in.text, "d%d", l);
    in.tensor.dims[in.tensor.rank++] = r->sizes[l];
  }
  if (!in.tensor.rank) return;
  in.tensor = gen_filled(g, in.tensor);
  r->inputs[r->num_inputs++] = in;
}

/* The parallel loops, in any order; the output starts as an old tensor, a filled or an open one. */
static void choose_output(Gen *g, Generic *r, GenTypeId elem, bool reduces) {
  int order[MAX_LOOPS], count = 0;
  GenTensor t = {.elem = elem};
  for (int l = 0; l < r->num_loops; l++)
    if (!r->reduction[l]) order[count++] = l;
  for (int i = count; i > 1; i--) {
    int k = (int)gen_below(g, (uint64_t)i), swapped = order[i - 1];
    if (gen_one_in(g, 2)) order[i - 1] = order[k], order[k] = swapped;
  }
  for (int i = 0; i < count; i++) {
    snprintf(r->output.text[t.rank], sizeof *r->output.text, "d%d", order[i]);
    t.dims[t.rank++] = r->sizes[order[i]];
  }
  GenTensor *old = gen_one_in(g, 3) ? gen_tensor_like(g, &t) : NULL;
  if (old) r->output.tensor = *old;
  else if (reduces || gen_one_in(g, 3)) r->output.tensor = gen_filled(g, t);
  else {
    t.id = gen_empty(g, &t);
    t.bound = -1; /* not to be read */
    r->output.tensor = t;
  }
}

/* ---- bodies ---- */

/* An element of another type as one of this. Floats become integers nowhere. */
static bool convert(Gen *g, uint32_t *id, GenTypeId from, GenTypeId to, double *bound) {
  const GenType *f = &gen_types[from], *t = &gen_types[to];
  const char *op = NULL;
  if (from == to) return true;
  if (f->is_float && !t->is_float) return false;
  if (f->is_float) op = f->bits < t->bits ? "extf" : "truncf";
  else if (from == GEN_INDEX && t->is_float) return false;
  else if (from == GEN_INDEX || to == GEN_INDEX) op = "index_cast";
  else if (t->is_float) op = from == GEN_I1 ? "uitofp" : "sitofp";
  else op = f->bits < t->bits ? "extsi" : "trunci";
  if (t->is_float && !f->is_float) *bound = from == GEN_I1 ? 1 : from == GEN_I8 ? 128 : 0;
  *id = gen_emit(g, to, "arith.%s %%v%u : %s to %s", op, *id, f->name, t->name);
  return true;
}

/* An integer of at most 8 in magnitude. -0 is none: it would make the order of additions visible. */
static uint32_t clamp(Gen *g, uint32_t x, GenTypeId t) {
  uint32_t top = gen_number(g, t, 8), low = gen_number(g, t, -8);
  x = gen_emit(g, t, "arith.minimumf %%v%u, %%v%u : %s", x, top, gen_types[t].name);
  return gen_emit(g, t, "arith.maximumf %%v%u, %%v%u : %s", x, low, gen_types[t].name);
}

static void exact_op(Gen *g, GenTypeId t, const uint32_t *terms, const double *bounds, int count, uint32_t *x,
                     double *bound) {
  static const char *const ops[] = {"addf", "subf", "mulf", "maximumf", "minimumf"};
  int with = (int)gen_below(g, (uint64_t)count), which = (int)gen_below(g, 5);
  const char *name = gen_types[t].name;
  *x = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", ops[which], *x, terms[with], name);
  *bound = which == 2 ? *bound * bounds[with] : which < 2 ? *bound + bounds[with] : NR_MAX(*bound, bounds[with]);
  if (which == 2) {
    uint32_t zero = gen_number(g, t, 0);
    *x = gen_emit(g, t, "arith.addf %%v%u, %%v%u : %s", *x, zero, name);
  }
  if (*bound > 4096) {
    *x = clamp(g, *x, t);
    *bound = 8;
  }
}

/* What the body makes of its inputs; 0 as *bound where floats are not small integers. */
static uint32_t gen_term(Gen *g, const Generic *r, GenTypeId t, double *bound) {
  uint32_t terms[MAX_INPUTS + 1];
  double bounds[MAX_INPUTS + 1];
  int count = 0;
  for (int i = 0; i < r->num_inputs; i++) {
    uint32_t id = r->inputs[i].arg;
    double b = r->inputs[i].tensor.bound;
    if (convert(g, &id, r->inputs[i].tensor.elem, t, &b)) terms[count] = id, bounds[count++] = b;
  }
  if (!count) terms[0] = gen_number(g, t, 1), bounds[count++] = 1;
  bool exact = true;
  for (int i = 0; i < count; i++) exact &= bounds[i] > 0;
  int start = (int)gen_below(g, (uint64_t)count);
  uint32_t x = terms[start];
  *bound = bounds[start];
  for (int i = (int)gen_below(g, 4); i > 0; i--) {
    if (!gen_types[t].is_float) {
      gen_int_op(g, t);
      x = nr_vec_last(&g->values).type == t ? nr_vec_last(&g->values).id : x;
    } else if (exact) exact_op(g, t, terms, bounds, count, &x, bound);
    else {
      gen_float_op(g, t);
      x = nr_vec_last(&g->values).type == t ? nr_vec_last(&g->values).id : x;
      *bound = 0;
    }
  }
  if (gen_types[t].is_float && !exact) *bound = 0;
  if (gen_one_in(g, 6)) {
    uint32_t condition = gen_use(g, GEN_I1), other = terms[gen_below(g, (uint64_t)count)];
    *bound = 0;
    x = gen_emit(g, t, "arith.select %%v%u, %%v%u, %%v%u : %s", condition, x, other, gen_types[t].name);
  }
  return x;
}

static const char *combination(Gen *g, GenTypeId t, bool exact) {
  static const char *const of_ints[] = {"addi", "muli", "maxsi", "minui", "andi", "xori"};
  static const char *const of_exact[] = {"addf", "addf", "maximumf", "minimumf"};
  static const char *const of_floats[] = {"maximumf", "minimumf"};
  return !gen_types[t].is_float ? GEN_PICK(g, of_ints) : exact ? GEN_PICK(g, of_exact) : GEN_PICK(g, of_floats);
}

/* ---- text ---- */

static void put_map(Gen *g, const Generic *r, const Operand *o) {
  gen_put(g, "affine_map<(");
  for (int l = 0; l < r->num_loops; l++) gen_put(g, "%sd%d", l ? ", " : "", l);
  gen_put(g, ") -> (");
  for (int d = 0; d < o->tensor.rank; d++) gen_put(g, "%s%s", d ? ", " : "", o->text[d]);
  gen_put(g, ")>");
}

static void put_head(Gen *g, const Generic *r, uint32_t id) {
  gen_begin(g);
  gen_put(g, "%%v%u = linalg.generic {indexing_maps = [", id);
  for (int i = 0; i < r->num_inputs; i++) {
    put_map(g, r, &r->inputs[i]);
    gen_put(g, ", ");
  }
  put_map(g, r, &r->output);
  gen_put(g, "], iterator_types = [");
  for (int l = 0; l < r->num_loops; l++)
    gen_put(g, "%s\"%s\"", l ? ", " : "", r->reduction[l] ? "reduction" : "parallel");
  gen_put(g, "]}");
  for (int i = 0; i < r->num_inputs; i++) gen_put(g, "%s%%v%u", i ? ", " : " ins(", r->inputs[i].tensor.id);
  for (int i = 0; i < r->num_inputs; i++) {
    gen_put(g, i ? ", " : " : ");
    gen_put_tensor_type(g, &r->inputs[i].tensor);
  }
  gen_put(g, "%s outs(%%v%u : ", r->num_inputs ? ")" : "", r->output.tensor.id);
  gen_put_tensor_type(g, &r->output.tensor);
  gen_put(g, ") {\n");
}

static void put_body(Gen *g, Generic *r, bool reduces) {
  GenTypeId t = r->output.tensor.elem;
  const char *name = gen_types[t].name;
  gen_begin(g);
  gen_put(g, "^bb0(");
  for (int i = 0; i < r->num_inputs; i++)
    gen_put(g, "%%v%u: %s, ", r->inputs[i].arg, gen_types[r->inputs[i].tensor.elem].name);
  gen_put(g, "%%v%u: %s):\n", r->output.arg, name);
  GenMark m = gen_enter(g);
  for (int i = 0; i < r->num_inputs; i++) gen_define(g, r->inputs[i].arg, r->inputs[i].tensor.elem);
  bool reads_output = r->output.tensor.bound >= 0 && !reduces;
  if (reads_output) gen_define(g, r->output.arg, t);
  if (r->num_loops && gen_one_in(g, 4))
    gen_emit(g, GEN_INDEX, "linalg.index %d : index", (int)gen_below(g, (uint64_t)r->num_loops));
  double bound, trips = 1, old = r->output.tensor.bound;
  uint32_t x = gen_term(g, r, t, &bound);
  for (int l = 0; l < r->num_loops; l++)
    if (r->reduction[l]) trips *= r->sizes[l] < 0 ? 16 : (double)r->sizes[l];
  bool exact = bound > 0 && old > 0 && bound * trips + old < 100000;
  if (reduces) {
    const char *op = combination(g, t, exact);
    uint32_t a = r->output.arg, b = x;
    if (gen_one_in(g, 4)) a = x, b = r->output.arg;
    x = gen_emit(g, t, "arith.%s %%v%u, %%v%u : %s", op, a, b, name);
    bound = exact ? strcmp(op, "addf") ? NR_MAX(bound, old) : bound * NR_MAX(trips, 1) + old : 0;
  }
  r->bound = bound;
  gen_line(g, "linalg.yield %%v%u : %s", x, name);
  gen_leave(g, m);
}

void gen_generic(Gen *g) {
  Generic r = {0};
  if (!g->tensors.size) return;
  first_input(g, &r);
  if (!r.num_inputs) return;
  if (gen_one_in(g, 2)) other_input(g, &r);
  bool reduces = false;
  for (int l = 0; l < r.num_loops; l++) {
    r.reduction[l] = gen_one_in(g, 3);
    reduces |= r.reduction[l];
  }
  if (r.num_inputs < MAX_INPUTS) window_input(g, &r);
  for (int l = 0; l < r.num_loops; l++)
    if (r.reduction[l] && !r.is_plain[l] && r.num_inputs == MAX_INPUTS) return; /* no room for its window */
  int parallel = 0;
  for (int l = 0; l < r.num_loops; l++) parallel += !r.reduction[l];
  if (parallel > GEN_MAX_RANK - 1) return;
  GenTypeId elem = gen_one_in(g, 3) ? gen_element_type(g) : r.inputs[0].tensor.elem;
  if (gen_types[r.inputs[0].tensor.elem].is_float && !gen_types[elem].is_float) elem = r.inputs[0].tensor.elem;
  choose_output(g, &r, elem, reduces);
  for (int i = 0; i < r.num_inputs; i++) r.inputs[i].arg = gen_id(g);
  r.output.arg = gen_id(g);
  uint32_t id = gen_id(g);
  put_head(g, &r, id);
  put_body(g, &r, reduces);
  gen_begin(g);
  gen_put(g, "} -> ");
  gen_put_tensor_type(g, &r.output.tensor);
  gen_end(g);
  GenTensor t = r.output.tensor;
  t.id = id;
  t.bound = r.bound;
  nr_vec_push(&g->tensors, t);
}
