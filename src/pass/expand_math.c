/* expand_math.c - exp, log, tanh and erf of f32 become arithmetic, so that they are computed in vector registers.
 *   before  %1 = math.exp %0 : f32        after  reduction, polynomial and scaling in arith ops, without branches
 *
 * Coefficients are minimax fits of our own (weighted least squares on Chebyshev points), rounded to f32. Errors over the whole
 * range, against the C library in double: exp 1 ulp, log 1 ulp, tanh 1.5 ulp, erf 2.5 ulp; tests/python/test_math.py holds
 * them to this. Infinities, NaN and -0 come out as the C library gives them. Nothing here may be reassociated: the
 * reductions rely on the order of operations. f64 stays with the C library. */
#include "pass/pass.h"

#include <math.h>

typedef struct Emit {
  NrBuilder b;
  NrType f, i, i1; /* f32, i32 and i1, or vectors of them */
} Emit;

typedef NrValue *V;

static V constant(Emit *e, NrType type, NrAttr scalar) {
  NrAttr value = scalar;
  if (type->kind == NR_TYPE_VECTOR) {
    uint32_t bits = scalar->kind == NR_ATTR_FLOAT ? (uint32_t)scalar->bits : (uint32_t)scalar->i;
    value = nr_attr_dense(type, &bits, sizeof bits);
  }
  NrOp *op = nr_build_op(&e->b, NR_OP_arith_constant, NULL, 0, &type, 1);
  nr_op_set_attr(op, "value", value);
  return nr_result(op, 0);
}

static V num(Emit *e, double v) { return constant(e, e->f, nr_attr_float(nr_type_f32(e->b.ctx), v)); }
static V whole(Emit *e, int32_t v) { return constant(e, e->i, nr_attr_int(nr_type_i32(e->b.ctx), v)); }
static V op1(Emit *e, unsigned id, NrType t, V a) { return nr_build_value(&e->b, id, t, &a, 1); }
static V op2(Emit *e, unsigned id, V a, V b) { return nr_build_value(&e->b, id, a->type, (V[]){a, b}, 2); }
static V add(Emit *e, V a, V b) { return op2(e, NR_OP_arith_addf, a, b); }
static V sub(Emit *e, V a, V b) { return op2(e, NR_OP_arith_subf, a, b); }
static V mul(Emit *e, V a, V b) { return op2(e, NR_OP_arith_mulf, a, b); }
static V fma3(Emit *e, V a, V b, V c) { return nr_build_value(&e->b, NR_OP_math_fma, a->type, (V[]){a, b, c}, 3); }

static V compare(Emit *e, int64_t predicate, V a, V b) {
  NrOp *op = nr_build_op(&e->b, NR_OP_arith_cmpf, (V[]){a, b}, 2, &e->i1, 1);
  nr_op_set_attr(op, "predicate", nr_attr_i64(e->b.ctx, predicate));
  return nr_result(op, 0);
}
enum { EQUAL = 1, GREATER = 2, LESS = 4, BELOW_OR_EQUAL = 5, UNORDERED = 14 }; /* false for NaN, but the last */
static V choose(Emit *e, V cond, V a, V b) { return nr_build_value(&e->b, NR_OP_arith_select, a->type, (V[]){cond, a, b}, 3); }
static V bits(Emit *e, V a) { return op1(e, NR_OP_arith_bitcast, e->i, a); }
static V from_bits(Emit *e, V a) { return op1(e, NR_OP_arith_bitcast, e->f, a); }
static V magnitude(Emit *e, V a) { return op1(e, NR_OP_math_absf, e->f, a); }

/* c[0] + c[1] x + .. by Horner's rule, with one rounding a step. */
static V polynomial(Emit *e, V x, const float *c, size_t count) {
  V p = num(e, c[count - 1]);
  for (size_t k = count - 1; k-- > 0;) p = fma3(e, p, x, num(e, c[k]));
  return p;
}

/* exp(x) = 2^n exp(r), r = x - n ln 2 in two parts, |r| <= ln 2 / 2. */
static V expand_exp(Emit *e, V x) {
  static const float c[] = {0.49999994039535522f, 0.16666521131992340f, 0.041668388992547989f, 0.0083687100559473038f,
                            0.0013814611593261361f};
  const double magic = 12582912.0; /* 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits */
  /* Beyond these the result is 0 or infinity. The comparisons are false for NaN, which passes through. */
  x = choose(e, compare(e, LESS, x, num(e, -104.0)), num(e, -104.0), x);
  x = choose(e, compare(e, GREATER, x, num(e, 89.0)), num(e, 89.0), x);
  V shifted = fma3(e, x, num(e, 1.44269504088896341), num(e, magic));
  V n = sub(e, shifted, num(e, magic));
  V r = fma3(e, n, num(e, -0.693145751953125), x);          /* ln 2, the leading bits: exact */
  r = fma3(e, n, num(e, -1.42860682030941723e-6), r);       /* and the rest */
  V p = polynomial(e, r, c, NR_COUNTOF(c));
  p = add(e, fma3(e, mul(e, r, r), p, r), num(e, 1));
  /* 2^n in two factors, so that the result may be subnormal or overflow by itself. */
  V k = op2(e, NR_OP_arith_subi, bits(e, shifted), whole(e, 0x4B400000));
  V half = op2(e, NR_OP_arith_shrsi, k, whole(e, 1)), rest = op2(e, NR_OP_arith_subi, k, half);
  V two[2] = {half, rest};
  for (size_t i = 0; i < 2; i++) {
    V biased = op2(e, NR_OP_arith_shli, op2(e, NR_OP_arith_addi, two[i], whole(e, 127)), whole(e, 23));
    p = mul(e, p, from_bits(e, biased));
  }
  return p;
}

/* log(x) = log(m) + k ln 2, m in [sqrt(1/2), sqrt(2)). */
static V expand_log(Emit *e, V x) {
  static const float c[] = {0.33333313465118408f, -0.25000008940696716f, 0.20002119243144989f,
                            -0.16667996346950531f, 0.14219550788402557f, -0.12405589967966080f,
                            0.11888178437948227f,  -0.11675652861595154f, 0.067466080188751221f};
  V tiny = compare(e, LESS, x, num(e, 1.17549435e-38));
  V scaled = choose(e, tiny, mul(e, x, num(e, 8388608.0)), x);
  V b = bits(e, scaled);
  /* The exponent counts from sqrt(1/2): what is added moves the boundary there. */
  V t = op2(e, NR_OP_arith_addi, b, whole(e, 0x3F800000 - 0x3F3504F3));
  V k = op2(e, NR_OP_arith_subi, op2(e, NR_OP_arith_shrui, t, whole(e, 23)), whole(e, 127));
  V m = op2(e, NR_OP_arith_addi, op2(e, NR_OP_arith_andi, t, whole(e, 0x7FFFFF)), whole(e, 0x3F3504F3));
  V f = sub(e, from_bits(e, m), num(e, 1));
  V n = op1(e, NR_OP_arith_sitofp, e->f, k);
  n = choose(e, tiny, sub(e, n, num(e, 23)), n);
  V z = mul(e, f, f);
  V p = mul(e, mul(e, f, z), polynomial(e, f, c, NR_COUNTOF(c)));
  p = fma3(e, n, num(e, 1.42860682030941723e-6), p);
  p = fma3(e, z, num(e, -0.5), p);
  p = fma3(e, n, num(e, 0.693145751953125), add(e, f, p));
  p = choose(e, compare(e, EQUAL, x, num(e, 0)), num(e, -INFINITY), p);
  p = choose(e, compare(e, LESS, x, num(e, 0)), num(e, NAN), p);
  /* Infinity and NaN give themselves. */
  return choose(e, compare(e, BELOW_OR_EQUAL, x, num(e, 3.4028234663852886e38)), p, x);
}

static V with_sign_of(Emit *e, V value, V sign) { return op2(e, NR_OP_math_copysign, value, sign); }

/* A polynomial near 0; elsewhere 1 - 2 / (exp(2|x|) + 1), where nothing cancels. */
static V expand_tanh(Emit *e, V x) {
  static const float c[] = {-0.33333283662796021f, 0.13331490755081177f, -0.053743492811918259f, 0.020650574937462807f,
                            -0.0057170325890183449f};
  V a = magnitude(e, x), z = mul(e, x, x);
  V near = fma3(e, mul(e, x, z), polynomial(e, z, c, NR_COUNTOF(c)), x);
  V grown = expand_exp(e, add(e, a, a));
  V far = sub(e, num(e, 1), op2(e, NR_OP_arith_divf, num(e, 2), add(e, grown, num(e, 1))));
  return with_sign_of(e, choose(e, compare(e, LESS, a, num(e, 0.625)), near, far), x);
}

/* A polynomial below 1; above, 1 - exp(-x^2) Q(t), t = 1 / (1 + |x| / 2); 1 from 4.2 on. */
static V expand_erf(Emit *e, V x) {
  static const float low[] = {1.1283792257308960f,   -0.37612637877464294f, 0.11283782124519348f, -0.026865400373935699f,
                              0.0052209454588592052f, -0.00084828288527205586f, 0.00011256948346272111f,
                              -9.6415151347173378e-6f};
  static const float high[] = {-0.00037549220724031329f, 0.28824299573898315f, 0.23789359629154205f, 0.42879310250282288f,
                               -0.29054033756256104f,    0.83764767646789551f, -0.72132426500320435f, 0.24882306158542633f,
                               -0.029138756915926933f};
  V a = magnitude(e, x), z = mul(e, x, x);
  V near = mul(e, x, polynomial(e, z, low, NR_COUNTOF(low)));
  V capped = choose(e, compare(e, GREATER, a, num(e, 4.2)), num(e, 4.2), a);
  V t = op2(e, NR_OP_arith_divf, num(e, 1), fma3(e, capped, num(e, 0.5), num(e, 1)));
  V tail = mul(e, expand_exp(e, op1(e, NR_OP_arith_negf, e->f, mul(e, capped, capped))), polynomial(e, t, high, NR_COUNTOF(high)));
  V far = with_sign_of(e, sub(e, num(e, 1), tail), x);
  far = choose(e, compare(e, UNORDERED, x, x), x, far);
  return choose(e, compare(e, LESS, a, num(e, 1)), near, far);
}

static V expand(Emit *e, NrOp *op) {
  V x = nr_operand(op, 0);
  switch (op->info->id) {
  case NR_OP_math_exp: return expand_exp(e, x);
  case NR_OP_math_log: return expand_log(e, x);
  case NR_OP_math_tanh: return expand_tanh(e, x);
  case NR_OP_math_erf: return expand_erf(e, x);
  default: return NULL;
  }
}

static bool visit(NrOp *op, void *user) {
  (void)user;
  if (op->num_results != 1 || op->num_operands != 1) return true;
  NrType type = nr_result(op, 0)->type, elem = nr_type_elem(type);
  if (!nr_type_is_float_kind(elem, NR_F32) || (type != elem && type->kind != NR_TYPE_VECTOR)) return true;
  NrContext *ctx = nr_op_context(op);
  Emit e = {nr_builder_before(op), type, nr_type_with_elem(type, nr_type_i32(ctx)), nr_type_with_elem(type, nr_type_i1(ctx))};
  V value = expand(&e, op);
  if (!value) return true;
  nr_value_replace_uses(nr_result(op, 0), value);
  nr_op_erase(op);
  return true;
}

static NrStatus expand_math_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  nr_walk_post(root, visit, NULL);
  return NR_OK;
}

NR_PASS(expand_math, .name = "expand-math", .run = expand_math_run,
        .doc = "exp, log, tanh and erf of f32 become arithmetic that runs in vector registers")
