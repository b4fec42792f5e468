/* math_trig.c - sin, cos and tan of f32 as code. The angle is reduced in f64 by a two-part pi/2. That is not exact
 * enough for angles above 2^20, for which a branch that is rarely taken calls the C library. Largest errors below
 * 2^20: sin 1.6 ulp, cos 1.6, tan 3.5 (tests/unit/codegen/test_math.c). */
#include "dialect/cf/cf.h"
#include "dialect/vector/vector.h"
#include "pass/expand/expand.h"

typedef NrExpand G;
typedef NrValue *V;

static const double sin_tail[] = {-0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f32p-13f, 0x1.6cbecep-19f};
static const double cos_tail[] = {0x1.555556p-5f, -0x1.6c16b8p-10f, 0x1.a010c4p-16f, -0x1.2417dep-22f};
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_HIGH 0x1.921fb544p+0 /* 33 bits: products with quadrants below 2^20 are exact */
#define HALF_PI_LOW 0x1.0b4611a626331p-34
#define ROUNDER 0x1.8p52
#define LARGE 0x1p20

static V num(G *g, V like, double value) { return nr_expand_float(g, like, value); }
static V fused(G *g, V a, V b, V c) { return nr_expand_fused(g, a, b, c); }
static V mul(G *g, V a, V b) { return nr_expand_two(g, NR_OP_arith_mulf, a, b); }
static V pick(G *g, V cond, V yes, V no) { return nr_expand_pick(g, cond, yes, no); }
static V negated(G *g, V x) { return nr_expand_one(g, NR_OP_arith_negf, x); }

/* x = quadrant * pi/2 + r, |r| <= pi/4. */
static void reduce(G *g, V x, V *out_quadrant, V *out_r) {
  NrContext *ctx = g->b.ctx;
  V wide = nr_expand_cast(g, NR_OP_arith_extf, x, nr_type_f64(ctx)), rounder = num(g, wide, ROUNDER);
  V shifted = fused(g, wide, num(g, wide, TWO_OVER_PI), rounder);
  V whole = nr_expand_two(g, NR_OP_arith_subf, shifted, rounder);
  V r = fused(g, whole, num(g, wide, -HALF_PI_HIGH), wide);
  r = fused(g, whole, num(g, wide, -HALF_PI_LOW), r);
  *out_r = nr_expand_cast(g, NR_OP_arith_truncf, r, nr_type_f32(ctx));
  *out_quadrant = nr_expand_cast(g, NR_OP_arith_trunci, nr_expand_bits(g, shifted), nr_type_i32(ctx));
}

static V sin_of(G *g, V r, V square) {
  V value = fused(g, mul(g, r, square), nr_expand_polynomial(g, square, sin_tail, NR_COUNTOF(sin_tail)), r);
  return pick(g, nr_expand_compare(g, NR_CMPF_OLT, square, 0x1p-26), r, value); /* keeps the sign of 0 */
}

static V cos_of(G *g, V r, V square) {
  V head = fused(g, square, num(g, r, -0.5), num(g, r, 1));
  return fused(g, mul(g, square, square), nr_expand_polynomial(g, square, cos_tail, NR_COUNTOF(cos_tail)), head);
}

static V bit(G *g, V n, unsigned which) {
  V masked = nr_expand_two(g, NR_OP_arith_andi, n, nr_expand_int(g, n, 1u << which));
  return nr_expand_compare_int(g, NR_CMPI_NE, masked, 0);
}

static V negate_if(G *g, V cond, V x) { return pick(g, cond, negated(g, x), x); }

/* s and c are the sine and cosine of the angle reduced by n quadrants. */
static V of_quadrant(G *g, NrTrig which, V n, V s, V c) {
  V odd = bit(g, n, 0);
  if (which == NR_TAN)
    return nr_expand_two(g, NR_OP_arith_divf, pick(g, odd, negated(g, c), s), pick(g, odd, s, c));
  if (which == NR_SIN) return negate_if(g, bit(g, n, 1), pick(g, odd, c, s));
  V next = nr_expand_two(g, NR_OP_arith_addi, n, nr_expand_int(g, n, 1));
  return negate_if(g, bit(g, next, 1), pick(g, odd, s, c));
}

static void straight(G *g, const NrTrig *which, size_t count, V x, V *out) {
  V n, r;
  reduce(g, x, &n, &r);
  V square = mul(g, r, r), s = sin_of(g, r, square), c = cos_of(g, r, square);
  for (size_t i = 0; i < count; i++) out[i] = of_quadrant(g, which[i], n, s, c);
}

typedef V (*LibmFn)(G *g, const char *name, V const *args, size_t count);

static void by_library(G *g, LibmFn call, const NrTrig *which, size_t count, V x, V *out) {
  static const char *const names[] = {"sin", "cos", "tan"};
  for (size_t i = 0; i < count; i++) out[i] = call(g, names[which[i]], &x, 1);
}

/* Which elements the code without calls handles; it handles NaN. */
static V usual_elements(G *g, V x) {
  return nr_expand_compare(g, NR_CMPF_ULE, nr_expand_one(g, NR_OP_math_absf, x), LARGE);
}

static V all_of(G *g, V usual) {
  if (usual->type->kind != NR_TYPE_VECTOR) return usual;
  if (usual->type->rank == 0) return nr_build_vector_extract(&g->b, usual, NULL, 0);
  return nr_build_reduction(&g->b, "and", usual, NULL, NULL);
}

/* Builds the code without calls, and a block with the calls for vectors with a large angle, which joins in front of op.
 * There only large angles take the library's result: an element's must not depend on those beside it. In the body of an
 * atomic op, which is one block, only the calls. */
void nr_expand_trig(G *g, NrOp *op, const NrTrig *which, size_t count, V x, V *out) {
  enum { USUAL = 1 << 20, RARE = 1 };
  if (!nr_expand_has_blocks(op)) {
    by_library(g, nr_expand_libm, which, count, x, out);
    return;
  }
  NrModule *module = g->b.module;
  V usual = usual_elements(g, x), results[NR_EXPAND_RESULTS], called[NR_EXPAND_RESULTS];
  V condition = all_of(g, usual);
  straight(g, which, count, x, results);
  NrBlock *head = op->block, *join = nr_block_create(module), *rare = nr_block_create(module);
  nr_block_split(head, op, join);
  nr_block_insert_after(rare, head);
  for (size_t i = 0; i < count; i++) out[i] = nr_block_add_arg(join, x->type, op->loc);
  g->b = nr_builder_at_end(module, head, op->loc);
  NrOp *branch = nr_cf_cond_br(&g->b, condition, join, results, count, rare, NULL, 0);
  nr_cf_set_odds(branch, USUAL, RARE);
  g->b = nr_builder_at_end(module, rare, op->loc);
  by_library(g, nr_expand_rare_libm, which, count, x, called);
  for (size_t i = 0; i < count && x->type->kind == NR_TYPE_VECTOR; i++)
    called[i] = pick(g, usual, results[i], called[i]);
  nr_cf_br(&g->b, join, called, count);
  nr_expand_at(g, op);
}
