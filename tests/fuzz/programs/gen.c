/* gen.c - randomness, text and what is visible: see gen.h. */
#include "gen.h"

#include "../random.h"

const GenType gen_types[GEN_NUM_TYPES] = {
    [GEN_I1] = {"i1", 1, false, 4},    [GEN_I3] = {"i3", 3, false, 1},        [GEN_I7] = {"i7", 7, false, 1},
    [GEN_I8] = {"i8", 8, false, 2},    [GEN_I13] = {"i13", 13, false, 1},     [GEN_I16] = {"i16", 16, false, 1},
    [GEN_I24] = {"i24", 24, false, 1}, [GEN_I32] = {"i32", 32, false, 7},     [GEN_I33] = {"i33", 33, false, 1},
    [GEN_I64] = {"i64", 64, false, 3}, [GEN_INDEX] = {"index", 64, false, 4}, [GEN_F8] = {"f8E4M3FN", 8, true, 1},
    [GEN_F16] = {"f16", 16, true, 1},  [GEN_BF16] = {"bf16", 16, true, 1},    [GEN_F32] = {"f32", 32, true, 4},
    [GEN_F64] = {"f64", 64, true, 2},
};

/* ---- randomness ---- */

uint64_t gen_below(Gen *g, uint64_t n) { return fuzz_below(&g->seed, n); }
bool gen_one_in(Gen *g, uint64_t n) { return gen_below(g, n) == 0; }

static GenTypeId any_type(Gen *g) {
  int total = 0;
  for (int i = 0; i < GEN_NUM_TYPES; i++) total += gen_types[i].weight;
  int at = (int)gen_below(g, (uint64_t)total);
  for (int i = 0; i < GEN_NUM_TYPES; i++)
    if ((at -= gen_types[i].weight) < 0) return (GenTypeId)i;
  return GEN_I32;
}

/* Few types in a program: then values meet. */
GenTypeId gen_type(Gen *g) {
  static const GenTypeId always[] = {GEN_I32, GEN_I32, GEN_INDEX, GEN_I1};
  if (!g->has_palette)
    for (size_t i = 0; i < NR_COUNTOF(g->palette); i++)
      g->palette[i] = i < NR_COUNTOF(always) ? always[i] : any_type(g);
  g->has_palette = true;
  return gen_one_in(g, 16) ? any_type(g) : GEN_PICK(g, g->palette);
}

/* ---- text ---- */

void gen_begin(Gen *g) {
  for (int i = 0; i < g->indent; i++) nr_buf_puts(g->out, "  ");
}
void gen_end(Gen *g) { nr_buf_putc(g->out, '\n'); }

void gen_put(Gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(g->out, format, args);
  va_end(args);
}

void gen_line(Gen *g, const char *format, ...) {
  gen_begin(g);
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(g->out, format, args);
  va_end(args);
  gen_end(g);
}

/* ---- values ---- */

uint32_t gen_id(Gen *g) { return g->next++; }

void gen_define_range(Gen *g, uint32_t id, int64_t lo, int64_t hi) {
  nr_vec_push(&g->values, ((GenValue){id, GEN_INDEX, lo, hi}));
}
void gen_define(Gen *g, uint32_t id, GenTypeId type) { nr_vec_push(&g->values, ((GenValue){id, type, 1, 0})); }

uint32_t gen_emit(Gen *g, GenTypeId type, const char *format, ...) {
  uint32_t id = gen_id(g);
  gen_begin(g);
  gen_put(g, "%%v%u = ", id);
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(g->out, format, args);
  va_end(args);
  gen_end(g);
  gen_define(g, id, type);
  return id;
}

uint32_t gen_number(Gen *g, GenTypeId type, int64_t value) {
  if (type == GEN_INDEX) return gen_index(g, value);
  if (type == GEN_I1) return gen_emit(g, type, "arith.constant %s", value & 1 ? "true" : "false");
  if (gen_types[type].is_float) return gen_emit(g, type, "arith.constant %lld.0 : %s", (long long)value,
                                                gen_types[type].name);
  for (size_t i = g->values.size; i-- > 0 && !gen_one_in(g, 8);) {
    GenValue v = g->values.data[i];
    if (v.type == type && v.lo == value && v.hi == value) return v.id;
  }
  uint32_t id = gen_emit(g, type, "arith.constant %lld : %s", (long long)value, gen_types[type].name);
  nr_vec_last(&g->values).lo = nr_vec_last(&g->values).hi = value;
  return id;
}

uint32_t gen_index(Gen *g, int64_t value) {
  for (size_t i = g->values.size; i-- > 0 && !gen_one_in(g, 8);) {
    GenValue v = g->values.data[i];
    if (v.type == GEN_INDEX && v.lo == value && v.hi == value) return v.id;
  }
  uint32_t id = gen_emit(g, GEN_INDEX, "arith.constant %lld : index", (long long)value);
  nr_vec_last(&g->values).lo = nr_vec_last(&g->values).hi = value;
  return id;
}

static uint32_t random_float(Gen *g, GenTypeId type) {
  static const char *const texts[] = {"0.0",    "-0.0",   "1.0", "-1.0", "1.5",    "-2.75",
                                      "100.25", "1.0e-3", "3.0", "-7.0", "65504.0"};
  static const char *const nans[] = {"0x7F", "0x7E00", "0x7FC0", "0x7FC00000", "0x7FF8000000000000"};
  static const char *const infs[] = {"0xFE", "0x7C00", "0xFF80", "0xFF800000", "0x7FF0000000000000"};
  int special = (int)gen_below(g, 12);
  return gen_emit(g, type, "arith.constant %s : %s",
                  special == 0   ? nans[type - GEN_F8]
                  : special == 1 ? infs[type - GEN_F8]
                                 : GEN_PICK(g, texts),
                  gen_types[type].name);
}

uint32_t gen_constant(Gen *g, GenTypeId type) {
  static const int64_t some[] = {0, 0, 1, 1, -1, 2, 3, 5, 7, -3, 100, 255, -128, 65535, 123456789};
  if (gen_types[type].is_float) return random_float(g, type);
  if (type == GEN_I1) return gen_number(g, type, (int64_t)gen_below(g, 2));
  if (type == GEN_INDEX && !gen_one_in(g, 6)) return gen_index(g, (int64_t)gen_below(g, 5));
  int bits = gen_types[type].bits;
  int64_t lowest = (int64_t)(UINT64_C(1) << (bits - 1)), value = GEN_PICK(g, some);
  if (gen_one_in(g, 8)) value = gen_one_in(g, 2) ? lowest : ~lowest;
  uint64_t raw = (uint64_t)value << (64 - bits);
  return gen_number(g, type, (int64_t)raw >> (64 - bits)); /* as the type would hold it */
}

uint32_t gen_use(Gen *g, GenTypeId type) {
  size_t n = g->values.size;
  if (!n || gen_one_in(g, 14)) return gen_constant(g, type);
  /* recent values more often */
  size_t start = n - 1 - gen_below(g, 1 + gen_below(g, n));
  for (size_t i = 0; i < n; i++) {
    GenValue v = g->values.data[(start + n - i) % n];
    if (v.type == type) return v.id;
  }
  return gen_constant(g, type);
}

uint32_t gen_fresh_index(Gen *g, int64_t lo, int64_t hi) {
  uint32_t any = gen_use(g, GEN_INDEX), count = gen_index(g, hi - lo + 1), base = gen_index(g, lo);
  uint32_t in = gen_emit(g, GEN_INDEX, "arith.remui %%v%u, %%v%u : index", any, count);
  nr_vec_last(&g->values).lo = 0;
  nr_vec_last(&g->values).hi = hi - lo;
  if (lo == 0) return in;
  uint32_t sum = gen_emit(g, GEN_INDEX, "arith.addi %%v%u, %%v%u : index", in, base);
  nr_vec_last(&g->values).lo = lo;
  nr_vec_last(&g->values).hi = hi;
  return sum;
}

static bool is_visible(const Gen *g, uint32_t id) {
  for (size_t i = 0; i < g->values.size; i++)
    if (g->values.data[i].id == id) return true;
  for (size_t i = 0; i < g->memrefs.size; i++)
    if (g->memrefs.data[i].id == id) return true;
  return false;
}

/* Those that are not visible any more. */
static void forget_places(Gen *g) {
  size_t left = 0;
  for (size_t i = 0; i < g->places.size; i++) {
    GenPlace p = g->places.data[i];
    bool visible = is_visible(g, p.memref.id);
    for (int d = 0; d < p.memref.rank; d++) visible = visible && is_visible(g, p.indices[d]);
    if (visible) g->places.data[left++] = p;
  }
  g->places.size = left;
}

GenMark gen_enter(Gen *g) {
  g->indent++;
  return (GenMark){g->values.size, g->memrefs.size, g->slots.size, g->tensors.size,
                   g->sizes.size,  g->exits.size,   g->pure,       g->trips};
}

void gen_leave(Gen *g, GenMark mark) {
  g->indent--;
  g->values.size = mark.values;
  g->memrefs.size = mark.memrefs;
  g->slots.size = mark.slots;
  g->tensors.size = mark.tensors;
  g->sizes.size = mark.sizes;
  g->exits.size = NR_MIN(g->exits.size, mark.exits);
  g->pure = mark.pure;
  g->trips = mark.trips;
  forget_places(g);
}

void gen_deinit(Gen *g) {
  nr_vec_deinit(&g->values);
  nr_vec_deinit(&g->memrefs);
  nr_vec_deinit(&g->globals);
  nr_vec_deinit(&g->slots);
  nr_vec_deinit(&g->tensors);
  nr_vec_deinit(&g->funcs);
  nr_vec_deinit(&g->tensor_funcs);
  nr_vec_deinit(&g->exits);
  nr_vec_deinit(&g->places);
  nr_vec_deinit(&g->sizes);
}

/* ---- lists ---- */

void gen_put_ids(Gen *g, const uint32_t *ids, int count) {
  for (int i = 0; i < count; i++) gen_put(g, "%s%%v%u", i ? ", " : "", ids[i]);
}

void gen_put_types(Gen *g, const GenTypeId *types, int count) {
  for (int i = 0; i < count; i++) gen_put(g, "%s%s", i ? ", " : "", gen_types[types[i]].name);
}

void gen_put_results(Gen *g, uint32_t *ids, int count) {
  for (int i = 0; i < count; i++) ids[i] = gen_id(g);
  gen_put_ids(g, ids, count);
  if (count) gen_put(g, " = ");
}

void gen_publish(Gen *g, const uint32_t *ids, const GenTypeId *types, int count) {
  for (int i = 0; i < count; i++) gen_define(g, ids[i], types[i]);
}

void gen_choose(Gen *g, const GenTypeId *types, int count, const uint32_t *args, const GenTypeId *arg_types,
                int num_args, uint32_t *out) {
  for (int i = 0; i < count; i++) {
    out[i] = UINT32_MAX;
    if (num_args && gen_one_in(g, 2)) {
      int start = (int)gen_below(g, (uint64_t)num_args);
      for (int k = 0; k < num_args && out[i] == UINT32_MAX; k++)
        if (arg_types[(start + k) % num_args] == types[i]) out[i] = args[(start + k) % num_args];
    }
    if (i && types[i] == types[i - 1] && gen_one_in(g, 3)) out[i] = out[i - 1];
    if (out[i] == UINT32_MAX) out[i] = gen_use(g, types[i]);
  }
}

void gen_yield(Gen *g, const char *op, const uint32_t *ids, const GenTypeId *types, int count) {
  gen_begin(g);
  gen_put(g, "%s", op);
  if (count) gen_put(g, " ");
  gen_put_ids(g, ids, count);
  if (count) gen_put(g, " : ");
  gen_put_types(g, types, count);
  gen_end(g);
}
