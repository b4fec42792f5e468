/* expand_math.c - functions that no CPU has an instruction for become arithmetic, or calls of the C library.
 *   before  %y = math.exp %x : f16                after  %0 = arith.extf %x : f16 to f32
 *                                                        %1 = .. arith and math.fma on f32 (math_f32.c)
 *                                                        %y = arith.truncf %1 : f32 to f16
 *   before  %y = math.acos %x : vector<2xf64>     after  rt.libm "acos" on each element
 * exp exp2 expm1 log log2 log10 log1p tanh erf powf sin cos tan of f32 are polynomials; narrower floats are computed in
 * f32. The other functions, and all of f64, are calls. What is left of dialect math is what a CPU or the compiler of C
 * has: absf absi ceil copysign ctlz ctpop cttz floor fma powf (of f64) round roundeven sqrt trunc. */
#include <math.h>

#include "dialect/cf/cf.h"
#include "dialect/operands.h"
#include "pass/expand/expand.h"

typedef NrExpand X;
typedef NrValue *V;

/* How an op is expanded. */
typedef struct Row {
  NrExpandLaneFn lane;
  bool scalars;             /* lane takes scalars only */
  const char *libm;         /* name in the C library */
  V (*f32)(X *x, V a);      /* NULL: f32 calls the C library too */
} Row;
static const Row rows[NR_OP_COUNT];

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool is_narrow(V v) {
  NrType elem = nr_type_elem(v->type);
  return nr_type_is_float(elem) && elem->float_kind != NR_F32 && elem->float_kind != NR_F64;
}

/* v as f32 if its type is narrower, else v. */
static V widened(X *x, V v) {
  return is_narrow(v) ? nr_expand_cast(x, NR_OP_arith_extf, v, nr_type_f32(x->b.ctx)) : v;
}

/* v converted to the element type of like. */
static V narrowed(X *x, V v, V like) {
  NrType elem = nr_type_elem(like->type);
  return elem == nr_type_elem(v->type) ? v : nr_expand_cast(x, NR_OP_arith_truncf, v, elem);
}

static V with_flags(V v, const NrOp *op) {
  NrAttr flags = nr_op_attr(op, NR_A_fastmath);
  if (flags) nr_op_set_attr(v->op, NR_A_fastmath, flags);
  return v;
}

/* ---- functions of floats ---------------------------------------------------------------------------------------- */

static void elementary(X *x, NrOp *op, V const *args, V *out) {
  const Row *row = &rows[op->info->id];
  V wide[2];
  for (uint32_t i = 0; i < op->num_operands; i++) wide[i] = widened(x, args[i]);
  bool own = row->f32 && nr_type_is_float_kind(nr_type_elem(wide[0]->type), NR_F32);
  out[0] = narrowed(x, own ? row->f32(x, wide[0]) : nr_expand_libm(x, row->libm, wide, op->num_operands), args[0]);
}

static void trigonometric(X *x, NrOp *op, V const *args, V *out) {
  static const NrTrig both[] = {NR_SIN, NR_COS};
  NrTrig which = nr_op_is(op, NR_OP_math_tan) ? NR_TAN : nr_op_is(op, NR_OP_math_cos) ? NR_COS : NR_SIN;
  size_t count = op->num_results;
  V wide = widened(x, args[0]);
  if (nr_type_is_float_kind(nr_type_elem(wide->type), NR_F32)) {
    nr_expand_trig(x, op, count == 2 ? both : &which, count, wide, out);
  } else {
    static const char *const names[] = {"sin", "cos", "tan"};
    for (size_t i = 0; i < count; i++) out[i] = nr_expand_libm(x, names[count == 2 ? both[i] : which], &wide, 1);
  }
  for (size_t i = 0; i < count; i++) out[i] = narrowed(x, out[i], args[0]);
}

static void rsqrt(X *x, NrOp *op, V const *args, V *out) {
  V wide = widened(x, args[0]), root = with_flags(nr_expand_one(x, NR_OP_math_sqrt, wide), op);
  V value = with_flags(nr_expand_two(x, NR_OP_arith_divf, nr_expand_float(x, wide, 1), root), op);
  out[0] = narrowed(x, value, args[0]);
}

/* NaN in any operand gives NaN. */
static void clampf(X *x, NrOp *op, V const *args, V *out) {
  (void)op;
  out[0] = nr_expand_two(x, NR_OP_arith_minimumf, nr_expand_two(x, NR_OP_arith_maximumf, args[0], args[1]), args[2]);
}

static double least_normal(NrType type) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  if (!format) return nr_type_is_float_kind(type, NR_F64) ? 0x1p-1022 : 0x1p-126;
  return ldexp(1, (format->unsigned_no_zero ? 0 : 1) - format->bias);
}

static void classify(X *x, NrOp *op, V const *args, V *out) {
  V wide = widened(x, args[0]);
  if (nr_op_is(op, NR_OP_math_isnan)) {
    out[0] = nr_arith_cmpf(&x->b, NR_CMPF_UNO, wide, wide);
    return;
  }
  V size = nr_expand_one(x, NR_OP_math_absf, wide);
  out[0] = nr_expand_compare(x, nr_op_is(op, NR_OP_math_isinf) ? NR_CMPF_OEQ : NR_CMPF_OLT, size, INFINITY);
  if (!nr_op_is(op, NR_OP_math_isnormal)) return;
  V normal = nr_expand_compare(x, NR_CMPF_OGE, size, least_normal(nr_type_elem(args[0]->type)));
  out[0] = nr_expand_two(x, NR_OP_arith_andi, out[0], normal);
}

/* ---- powers ----------------------------------------------------------------------------------------------------- */

/* f64 stays. */
static void powf_of(X *x, NrOp *op, V const *args, V *out) {
  V base = widened(x, args[0]), y = widened(x, args[1]);
  bool own = nr_type_is_float_kind(nr_type_elem(base->type), NR_F32);
  V value = own ? nr_expand_pow(x, base, y, nr_op_rhs(op)) : nr_expand_two(x, NR_OP_math_powf, base, y);
  out[0] = narrowed(x, own ? value : with_flags(value, op), args[0]);
}

static V lowest_bit(X *x, V v) {
  NrType i1 = nr_type_i1(x->b.ctx);
  return nr_expand_cast(x, nr_type_elem(v->type)->kind == NR_TYPE_INDEX ? NR_OP_arith_index_cast : NR_OP_arith_trunci,
                        v, i1);
}

/* Computes |lhs| to the power of rhs in f64. The sign depends on whether rhs is odd, which is read from the integer,
 * because a float may not hold rhs exactly. */
static void fpowi(X *x, NrOp *op, V const *args, V *out) {
  (void)op;
  NrType f64 = nr_type_f64(x->b.ctx);
  V base = nr_expand_cast(x, NR_OP_arith_extf, args[0], f64), power = args[1];
  if (nr_type_elem(power->type)->kind == NR_TYPE_INDEX)
    power = nr_expand_cast(x, NR_OP_arith_index_cast, power, nr_type_i64(x->b.ctx));
  V size = nr_expand_two(x, NR_OP_math_powf, nr_expand_one(x, NR_OP_math_absf, base),
                         nr_expand_cast(x, NR_OP_arith_sitofp, power, f64));
  V as_base = nr_expand_two(x, NR_OP_math_copysign, size, base);
  V value = nr_expand_pick(x, lowest_bit(x, power), as_base, size);
  if (is_narrow(args[0])) value = nr_expand_cast(x, NR_OP_arith_truncf, value, nr_type_f32(x->b.ctx));
  out[0] = narrowed(x, value, args[0]);
}

/* The state of exponentiation by squaring: the product so far, the base to a power of two, the bits of the power
 * that are left. */
typedef struct Squaring {
  V product, square, left;
} Squaring;

static Squaring square_step(X *x, Squaring s) {
  V next = nr_expand_pick(x, lowest_bit(x, s.left), nr_expand_two(x, NR_OP_arith_muli, s.product, s.square), s.product);
  return (Squaring){next, nr_expand_two(x, NR_OP_arith_muli, s.square, s.square),
                    nr_expand_two(x, NR_OP_arith_shrui, s.left, nr_expand_int(x, s.left, 1))};
}

/* Builds a loop over the bits of the power, which splits the block of op into three. */
static V power_by_loop(X *x, NrOp *op, Squaring s) {
  NrModule *module = x->b.module;
  NrBlock *before = op->block, *head = nr_block_create(module), *after = nr_block_create(module);
  NrType type = s.product->type;
  V zero = nr_expand_int(x, s.left, 0);
  nr_block_split(before, op, after);
  nr_block_insert_after(head, before);
  x->b = nr_builder_at_end(module, before, op->loc);
  nr_cf_br(&x->b, head, (V[]){s.product, s.square, s.left}, 3);
  Squaring now = {nr_block_add_arg(head, type, op->loc), nr_block_add_arg(head, type, op->loc),
                  nr_block_add_arg(head, type, op->loc)};
  x->b = nr_builder_at_end(module, head, op->loc);
  Squaring next = square_step(x, now);
  V more = nr_arith_cmpi(&x->b, NR_CMPI_NE, next.left, zero);
  nr_cf_cond_br(&x->b, more, head, (V[]){next.product, next.square, next.left}, 3, after, NULL, 0);
  nr_expand_at(x, op);
  return next.product;
}

static V power_by_steps(X *x, Squaring s) {
  uint32_t width = nr_type_bits(s.left->type);
  for (uint32_t i = 0; i < width; i++) s = square_step(x, s);
  return s.product;
}

/* A negative power is 1 / base^|power| truncated to an integer: 0, except for bases 1 and -1. */
static void ipowi(X *x, NrOp *op, V const *args, V *out) {
  V base = args[0], power = args[1];
  if (nr_type_bits(base->type) == 1) { /* 1 for 0 ** 0, 1 ** 0 and 1 ** -1 */
    V none = nr_expand_two(x, NR_OP_arith_xori, power, nr_expand_int(x, power, 1));
    out[0] = nr_expand_two(x, NR_OP_arith_ori, base, none);
    return;
  }
  V zero = nr_expand_int(x, base, 0), one = nr_expand_int(x, base, 1), minus = nr_expand_int(x, base, ~0ull);
  Squaring start = {one, base, power};
  V value = nr_expand_has_blocks(op) ? power_by_loop(x, op, start) : power_by_steps(x, start);
  V of_minus = nr_expand_pick(x, lowest_bit(x, power), minus, one);
  V small = nr_expand_pick(x, nr_arith_cmpi(&x->b, NR_CMPI_EQ, base, minus), of_minus, zero);
  small = nr_expand_pick(x, nr_arith_cmpi(&x->b, NR_CMPI_EQ, base, one), one, small);
  out[0] = nr_expand_pick(x, nr_arith_cmpi(&x->b, NR_CMPI_SLT, power, zero), small, value);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

#define LIBM(op) [NR_OP_math_##op] = {elementary, false, #op, NULL}
#define POLYNOMIAL(op) [NR_OP_math_##op] = {elementary, false, #op, nr_expand_##op}
static const Row rows[NR_OP_COUNT] = {
    POLYNOMIAL(exp),  POLYNOMIAL(exp2), POLYNOMIAL(expm1), POLYNOMIAL(log), POLYNOMIAL(log2), POLYNOMIAL(log10),
    POLYNOMIAL(log1p), POLYNOMIAL(tanh), POLYNOMIAL(erf),
    LIBM(acos),  LIBM(acosh), LIBM(asin), LIBM(asinh), LIBM(atan), LIBM(atan2), LIBM(atanh), LIBM(cbrt), LIBM(cosh),
    LIBM(erfc),  LIBM(sinh),
    [NR_OP_math_powf] = {powf_of},
    [NR_OP_math_sin] = {trigonometric},
    [NR_OP_math_cos] = {trigonometric},
    [NR_OP_math_tan] = {trigonometric},
    [NR_OP_math_sincos] = {trigonometric},
    [NR_OP_math_rsqrt] = {rsqrt},
    [NR_OP_math_clampf] = {clampf},
    [NR_OP_math_isnan] = {classify},
    [NR_OP_math_isinf] = {classify},
    [NR_OP_math_isfinite] = {classify},
    [NR_OP_math_isnormal] = {classify},
    [NR_OP_math_fpowi] = {fpowi},
    [NR_OP_math_ipowi] = {ipowi, .scalars = true},
};

static NrStatus expand(NrExpand *x, NrOp *op) {
  const Row *row = &rows[op->info->id];
  V out[NR_EXPAND_RESULTS];
  if (!row->lane || !nr_expand_can(op)) return NR_OK;
  nr_expand_at(x, op);
  nr_expand_lanes(x, op, row->scalars, row->lane, out);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), out[i]);
  nr_op_erase(op);
  return NR_OK;
}

static NrStatus expand_math_run(NrPassContext *pass, NrOp *root) {
  return nr_expand_matching(pass, root, expand);
}

NR_PASS(expand_math, .name = "expand-math", .on_while = NR_WHILE_BARRIER, .run = expand_math_run,
        .doc = "functions that no CPU has an instruction for become arithmetic, or calls of the C library")
