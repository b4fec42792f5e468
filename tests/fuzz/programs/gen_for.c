/* gen_for.c - random loops that count: scf.for over indices and integers of any width. */
#include "gen.h"

enum { MAX_CARRIED = 4 };

GenRange gen_range(Gen *g) {
  GenRange r = {.lo = (int64_t)gen_below(g, 4) - 1};
  int64_t end = r.lo + (int64_t)gen_below(g, 6) - 1, step = 1 + (int64_t)gen_below(g, 3);
  if (gen_one_in(g, 20)) { /* at the end of the type */
    r.lo = INT64_MAX - 4;
    end = INT64_MAX;
  }
  bool dynamic = gen_one_in(g, 3);
  r.trips = NR_MAX(end - r.lo, 0);
  r.hi = NR_MAX(end - 1, r.lo);
  r.lower = dynamic && gen_one_in(g, 2) ? gen_fresh_index(g, r.lo, r.lo + 1) : gen_index(g, r.lo);
  r.upper = dynamic ? gen_fresh_index(g, end - 1, end) : gen_index(g, end);
  r.step = dynamic && gen_one_in(g, 2) ? gen_fresh_index(g, 1, step) : gen_index(g, step);
  r.runs = dynamic ? end - 1 > r.lo + 1 : r.trips > 0;
  return r;
}

static void put_inits(Gen *g, const uint32_t *args, const uint32_t *inits, const GenTypeId *types, int count) {
  if (!count) return;
  gen_put(g, " iter_args(");
  for (int i = 0; i < count; i++) gen_put(g, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  gen_put(g, ") -> (");
  gen_put_types(g, types, count);
  gen_put(g, ")");
}

void gen_index_for(Gen *g, int depth, GenBody body) {
  GenTypeId types[MAX_CARRIED];
  uint32_t ids[MAX_CARRIED], inits[MAX_CARRIED], args[MAX_CARRIED], values[MAX_CARRIED];
  int count = gen_random_types(g, types, MAX_CARRIED);
  GenRange r = gen_range(g);
  if (g->trips * r.trips > GEN_MAX_TRIPS) return;
  gen_use_all(g, types, count, inits);
  uint32_t iv = gen_id(g);
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.for %%v%u = %%v%u to %%v%u step %%v%u", iv, r.lower, r.upper, r.step);
  put_inits(g, args, inits, types, count);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  g->trips *= NR_MAX(r.trips, 1);
  gen_define_range(g, iv, r.lo, r.hi);
  gen_publish(g, args, types, count);
  body(g, depth - 1);
  gen_choose(g, types, count, args, types, count, values);
  if (count) gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}

/* ---- bounds of any integer type ---------------------------------------------------------------------------------- */

typedef struct Bounds {
  int64_t lowest, highest, lower, upper, step; /* unsigned ones of 64 bits as signed ones of the same bits */
  int64_t trips;
} Bounds;

/* Few iterations: at the type's ends or around 0, by small steps or such that few fit the type. */
static Bounds random_bounds(Gen *g, int bits, bool is_unsigned) {
  int64_t highest = (int64_t)((UINT64_C(1) << (bits - 1)) - 1), small = (int64_t)gen_below(g, 4);
  Bounds b = {.lowest = -highest - 1, .highest = highest, .step = 1 + small % 3, .trips = 6};
  bool is_wide = is_unsigned && bits < 64;
  if (is_wide) b.lowest = 0, b.highest = 2 * highest + 1;
  int64_t near = NR_MIN(b.highest, 8);
  switch (gen_below(g, 4)) {
  case 0: b.lower = b.highest - (int64_t)gen_below(g, (uint64_t)near), b.upper = b.highest - small % 2; break;
  case 1: b.lower = b.lowest + small % 2, b.upper = b.lowest + (int64_t)gen_below(g, (uint64_t)near); break;
  case 2: b.lower = b.lowest + small, b.upper = b.highest - small, b.step = highest - small % 2; break;
  default:
    b.lower = is_unsigned ? small % 2 : small % 3 - 1;
    b.upper = NR_MIN(b.lower + (int64_t)gen_below(g, (uint64_t)near), b.highest);
  }
  if (is_unsigned && bits == 64 && gen_one_in(g, 2)) b.lower = -8 + small, b.upper = -1 - small % 2; /* the end */
  b.trips = 9;
  return b;
}

/* The number, or what the run finds it to be: or one that is larger by 1. */
static uint32_t bound(Gen *g, GenTypeId t, int64_t value, bool may_vary, bool known) {
  if (known) return gen_number(g, t, value);
  uint32_t any = gen_use(g, t), mask = gen_number(g, t, may_vary ? 1 : 0), base = gen_number(g, t, value);
  uint32_t more = gen_emit(g, t, "arith.andi %%v%u, %%v%u : %s", any, mask, gen_types[t].name);
  return gen_emit(g, t, "arith.addi %%v%u, %%v%u : %s", base, more, gen_types[t].name);
}

/* Up to the ends of the range: the last step may go past them. Numbers are written as signed ones of the type. */
static int64_t as_signed(int64_t value, int bits) { return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits); }

void gen_typed_for(Gen *g, int depth, GenBody body) {
  static const GenTypeId kinds[] = {GEN_I3,  GEN_I7,  GEN_I8,  GEN_I8,  GEN_I13,   GEN_I16,
                                    GEN_I24, GEN_I32, GEN_I33, GEN_I64, GEN_INDEX, GEN_INDEX};
  GenTypeId t = GEN_PICK(g, kinds), types[2];
  bool is_unsigned = gen_one_in(g, 2), known = gen_one_in(g, 2);
  int bits = gen_types[t].bits;
  Bounds b = random_bounds(g, bits, is_unsigned);
  if (g->trips * b.trips > GEN_MAX_TRIPS) return;
  uint32_t ids[2], inits[2], args[2], values[2], iv = gen_id(g);
  uint32_t lower = bound(g, t, as_signed(b.lower, bits), b.lower != b.highest, known || gen_one_in(g, 2));
  uint32_t upper = bound(g, t, as_signed(b.upper, bits), b.upper != b.highest, known);
  uint32_t step = bound(g, t, as_signed(b.step, bits), b.step < 3 && b.highest > 3, known || gen_one_in(g, 3));
  int count = gen_random_types(g, types, 2);
  gen_use_all(g, types, count, inits);
  for (int i = 0; i < count; i++) args[i] = gen_id(g);
  gen_begin(g);
  gen_put_results(g, ids, count);
  gen_put(g, "scf.for%s %%v%u = %%v%u to %%v%u step %%v%u", is_unsigned ? " unsigned" : "", iv, lower, upper, step);
  put_inits(g, args, inits, types, count);
  if (t != GEN_INDEX) gen_put(g, " : %s", gen_types[t].name);
  gen_put(g, " {\n");
  GenMark m = gen_enter(g);
  g->trips *= b.trips;
  gen_define(g, iv, t);
  gen_publish(g, args, types, count);
  body(g, NR_MIN(depth - 1, 1));
  gen_choose(g, types, count, args, types, count, values);
  if (count) gen_yield(g, "scf.yield", values, types, count);
  gen_leave(g, m);
  gen_line(g, "}");
  gen_publish(g, ids, types, count);
}
