/* expand_complex.c - arithmetic on complex numbers becomes arithmetic on their parts.
 *   before  %c = complex.add %a, %b : complex<f32>     after  %0 = complex.re %a, %1 = complex.re %b, ..
 *                                                             %2 = arith.addf %0, %1 : f32
 *                                                             %c = complex.create %2, %3 : complex<f32>
 * What is left is what takes pairs apart and puts them together: complex.constant, create, re and im. Each step is
 * rounded to the type of the parts. */
#include "dialect/complex/ops.h"
#include "dialect/operands.h"
#include "pass/expand/expand.h"

typedef NrExpand X;
typedef NrValue *V;

typedef struct Pair {
  V re, im;
} Pair;

static V part(X *x, unsigned op_id, V whole) {
  NrOp *made = whole->op;
  if (nr_op_is(made, NR_OP_complex_create))
    return op_id == NR_OP_complex_im ? nr_complex_create_imaginary(made) : nr_complex_create_real(made);
  return nr_build_value(&x->b, op_id, whole->type->elem, &whole, 1);
}

static Pair parts_of(X *x, V whole) {
  V re = part(x, NR_OP_complex_re, whole);
  return (Pair){re, part(x, NR_OP_complex_im, whole)};
}

static V create(X *x, const NrOp *op, V re, V im) {
  return nr_build_value(&x->b, NR_OP_complex_create, nr_op_result(op)->type, (V[]){re, im}, 2);
}

/* Builds one op of arithmetic with the fast-math flags of op. */
static V step(X *x, const NrOp *op, unsigned op_id, V a, V b) {
  V out = nr_expand_two(x, op_id, a, b);
  NrAttr flags = nr_op_attr(op, NR_A_fastmath);
  if (flags) nr_op_set_attr(out->op, NR_A_fastmath, flags);
  return out;
}

static V sum(X *x, NrOp *op) {
  unsigned id = nr_op_is(op, NR_OP_complex_add) ? NR_OP_arith_addf : NR_OP_arith_subf;
  Pair a = parts_of(x, nr_op_lhs(op)), b = parts_of(x, nr_op_rhs(op));
  V re = step(x, op, id, a.re, b.re);
  return create(x, op, re, step(x, op, id, a.im, b.im));
}

static V product(X *x, NrOp *op) {
  Pair a = parts_of(x, nr_op_lhs(op)), b = parts_of(x, nr_op_rhs(op));
  V rr = step(x, op, NR_OP_arith_mulf, a.re, b.re), ii = step(x, op, NR_OP_arith_mulf, a.im, b.im);
  V ri = step(x, op, NR_OP_arith_mulf, a.re, b.im), ir = step(x, op, NR_OP_arith_mulf, a.im, b.re);
  V re = step(x, op, NR_OP_arith_subf, rr, ii);
  return create(x, op, re, step(x, op, NR_OP_arith_addf, ri, ir));
}

/* Smith's method: numerator and denominator are divided by the larger part of the divisor first. */
static V quotient(X *x, NrOp *op) {
  Pair a = parts_of(x, nr_op_lhs(op)), b = parts_of(x, nr_op_rhs(op));
  V size_re = nr_expand_one(x, NR_OP_math_absf, b.re), size_im = nr_expand_one(x, NR_OP_math_absf, b.im);
  V wide = nr_arith_cmpf(&x->b, NR_CMPF_OGE, size_re, size_im);
  V large = nr_expand_pick(x, wide, b.re, b.im), small = nr_expand_pick(x, wide, b.im, b.re);
  V ratio = step(x, op, NR_OP_arith_divf, small, large);
  V below = step(x, op, NR_OP_arith_addf, step(x, op, NR_OP_arith_mulf, small, ratio), large);
  V re_scaled = step(x, op, NR_OP_arith_mulf, a.re, ratio), im_scaled = step(x, op, NR_OP_arith_mulf, a.im, ratio);
  V re = nr_expand_pick(x, wide, step(x, op, NR_OP_arith_addf, im_scaled, a.re),
                        step(x, op, NR_OP_arith_addf, re_scaled, a.im));
  V im = nr_expand_pick(x, wide, step(x, op, NR_OP_arith_subf, a.im, re_scaled),
                        step(x, op, NR_OP_arith_subf, im_scaled, a.re));
  V by_zero = nr_expand_two(x, NR_OP_arith_andi, nr_expand_compare(x, NR_CMPF_OEQ, b.re, 0),
                            nr_expand_compare(x, NR_CMPF_OEQ, b.im, 0));
  below = nr_expand_pick(x, by_zero, size_re, below);
  re = step(x, op, NR_OP_arith_divf, nr_expand_pick(x, by_zero, a.re, re), below);
  return create(x, op, re, step(x, op, NR_OP_arith_divf, nr_expand_pick(x, by_zero, a.im, im), below));
}

static V negated(X *x, NrOp *op) {
  Pair a = parts_of(x, nr_op_complex(op));
  V re = nr_op_is(op, NR_OP_complex_neg) ? nr_expand_one(x, NR_OP_arith_negf, a.re) : a.re;
  return create(x, op, re, nr_expand_one(x, NR_OP_arith_negf, a.im));
}

static V compared(X *x, NrOp *op) {
  Pair a = parts_of(x, nr_op_lhs(op)), b = parts_of(x, nr_op_rhs(op));
  V equal = nr_expand_two(x, NR_OP_arith_andi, nr_arith_cmpf(&x->b, NR_CMPF_OEQ, a.re, b.re),
                          nr_arith_cmpf(&x->b, NR_CMPF_OEQ, a.im, b.im));
  return nr_op_is(op, NR_OP_complex_eq) ? equal
                                        : nr_expand_two(x, NR_OP_arith_xori, equal, nr_expand_int(x, equal, 1));
}

/* Types narrower than f32 are computed in f32, as math ops are. */
static V absolute(X *x, NrOp *op) {
  Pair a = parts_of(x, nr_op_complex(op));
  NrType type = a.re->type;
  bool narrow = type->float_kind != NR_F32 && type->float_kind != NR_F64;
  V args[] = {a.re, a.im};
  for (size_t i = 0; i < 2 && narrow; i++)
    args[i] = nr_expand_cast(x, NR_OP_arith_extf, args[i], nr_type_f32(x->b.ctx));
  V out = nr_expand_libm(x, "hypot", args, 2);
  return narrow ? nr_expand_cast(x, NR_OP_arith_truncf, out, type) : out;
}

static NrStatus expand(NrExpand *x, NrOp *op) {
  static V (*const functions[NR_OP_COUNT])(X * x, NrOp * op) = {
      [NR_OP_complex_abs] = absolute, [NR_OP_complex_add] = sum,      [NR_OP_complex_sub] = sum,
      [NR_OP_complex_mul] = product,  [NR_OP_complex_div] = quotient, [NR_OP_complex_neg] = negated,
      [NR_OP_complex_conj] = negated, [NR_OP_complex_eq] = compared,  [NR_OP_complex_neq] = compared,
  };
  if (!functions[op->info->id]) return NR_OK;
  NrType type = nr_op_operand_type(op);
  if (type->kind != NR_TYPE_COMPLEX || !nr_type_is_float(type->elem) || type->elem->float_kind == NR_F80 ||
      type->elem->float_kind == NR_F128)
    return NR_OK;
  nr_expand_at(x, op);
  nr_op_replace(op, functions[op->info->id](x, op));
  return NR_OK;
}

static NrStatus expand_complex_run(NrPassContext *pass, NrOp *root) {
  return nr_expand_matching(pass, root, expand);
}

NR_PASS(expand_complex, .name = "expand-complex", .on_while = NR_WHILE_BARRIER, .run = expand_complex_run,
        .doc = "arithmetic on complex numbers becomes arithmetic on their parts")
