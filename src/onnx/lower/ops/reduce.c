/* reduce.c - the ops Reduce*: a map of each element, a reduction, a map of each result.
 *
 * Floats narrower than 32 bits are summed as f32. Means of integers are summed as i64 and rounded to 0. ReduceLogSum
 * sums integers in 64 bits, modulo 2^64 as ReduceSum does, and takes the logarithm of the sum as f64: a sum of floats
 * would lose small addends next to large ones of opposite signs. The roots of ReduceL2 and the exponentials of
 * ReduceLogSumExp are f64; their addends are not negative. An empty set gives the reduction's neutral element, or NaN
 * for a mean of floats. */
#include "onnx/lower/ops/reduce.h"

#include <math.h>

typedef enum Kind { SUM, MEAN, PROD, MAX, MIN, L1, L2, SUM_SQUARE, LOG_SUM, LOG_SUM_EXP } Kind;

typedef struct Reduction {
  Kind kind;
  int64_t input_since; /* the opset version from which the axes are an input */
  NoriaDType dtype, work;
  NrValue *count; /* MEAN: elements in each result, index */
} Reduction;

static NrValue *square(NrLower *l, NrValue *x) { return nr_lower_fast(mul(l, x, x)); }

static NrValue *absolute(NrLower *l, NrValue *x, NoriaDType dtype) {
  if (nr_type_is_float(x->type)) return same1(l, NR_OP_math_absf, x);
  return nr_dtype_is_unsigned(dtype) ? x : same1(l, NR_OP_math_absi, x);
}

static NrValue *pre_body(NrLower *l, NrValue *const *a, void *user) {
  const Reduction *r = user;
  NrValue *x = nr_lower_cast(l, a[0], r->dtype, r->work, true);
  if (r->kind == L1) return absolute(l, x, r->dtype);
  return r->kind == L2 || r->kind == SUM_SQUARE ? square(l, x) : x;
}

static unsigned extreme_of(const Reduction *r, NrType type) {
  return extreme_op(type, nr_dtype_is_unsigned(r->work) || r->work == NORIA_BOOL, r->kind == MAX);
}

static NrValue *combine_body(NrLower *l, NrValue *const *a, void *user) {
  const Reduction *r = user;
  if (r->kind == MAX || r->kind == MIN) return same2(l, extreme_of(r, a[0]->type), a[0], a[1]);
  return nr_lower_fast(r->kind == PROD ? mul(l, a[0], a[1]) : add(l, a[0], a[1]));
}

static NrValue *post_body(NrLower *l, NrValue *const *a, void *user) {
  const Reduction *r = user;
  NrValue *x = a[0];
  NoriaDType from = r->work;
  if (r->kind == LOG_SUM && nr_dtype_is_int(from)) {
    x = nr_lower_cast(l, x, from, NORIA_F64, true);
    from = NORIA_F64;
  }
  if (r->kind == L2) x = same1(l, NR_OP_math_sqrt, x);
  if (r->kind == LOG_SUM || r->kind == LOG_SUM_EXP) x = same1(l, NR_OP_math_log, x);
  if (r->kind == LOG_SUM_EXP) x = add(l, x, a[1]);
  if (r->kind == MEAN) {
    NrValue *n = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), r->count);
    if (nr_type_is_float(x->type))
      x = divf(l, x, nr_lower_op1(l, NR_OP_arith_sitofp, x->type, n));
    else
      x = same2(l, NR_OP_arith_divsi, x, same2(l, NR_OP_arith_maxsi, n, nr_lower_int(l, n->type, 1)));
  }
  return nr_lower_cast(l, x, from, r->dtype, true);
}

/* The initial value, which is also the result for an empty set. */
static NrValue *start(NrLower *l, const Reduction *r) {
  NrType type = nr_lower_elem_type(l->ctx, r->work);
  if (r->kind == MAX || r->kind == MIN) return nr_lower_neutral(l, extreme_of(r, type), type);
  return nr_lower_constant(l, type, r->kind == PROD); /* an empty sum is 0.0, not the neutral -0.0 */
}

static NoriaDType work_type(Kind kind, NoriaDType t) {
  if (nr_dtype_is_int(t)) {
    if (kind == L2 || kind == LOG_SUM_EXP) return NORIA_F64;
    if (kind == LOG_SUM) return t == NORIA_U64 ? NORIA_U64 : NORIA_I64;
    return kind == MEAN ? NORIA_I64 : t;
  }
  return nr_dtype_is_float(t) && t != NORIA_F64 ? NORIA_F32 : t;
}

/* ---- the logarithm of a sum of exponentials: relative to the maximum, so that nothing overflows ---- */

/* Infinite maxima would make the differences NaN. */
static NrValue *finite_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *infinite = nr_lower_cmpf(l, NR_CMPF_OEQ, same1(l, NR_OP_math_absf, a[0]), num(l, a[0], HUGE_VAL));
  return nr_lower_select(l, infinite, num(l, a[0], 0), a[0]);
}

static NrValue *exp_from_body(NrLower *l, NrValue *const *a, void *user) {
  const Reduction *r = user;
  return same1(l, NR_OP_math_exp, sub(l, nr_lower_cast(l, a[0], r->dtype, r->work, true), a[1]));
}

/* The exponentials, and the maxima that they are relative to. */
static NrValue *relative(NrLower *l, const Reduction *r, NrValue *x, const NrAxes *axes, NrValue **out_exp) {
  Reduction max = {MAX, .dtype = r->dtype, .work = r->work};
  NrValue *top = nr_lower_reduce_axes(l, x, axes, start(l, &max), pre_body, combine_body, &max);
  if (top) top = nr_lower_map(l, &top, 1, NULL, finite_body, NULL);
  if (!top) return NULL;
  NrType type = nr_lower_elem_type(l->ctx, r->work);
  Reduction copy = *r;
  *out_exp = nr_lower_map(l, (NrValue *[]){x, top}, 2, type, exp_from_body, &copy);
  return *out_exp ? top : NULL;
}

static NrStatus reduce(NrLower *l, Reduction r) {
  NrDTypeClass takes = NR_NUMBERS | (r.kind == MAX || r.kind == MIN ? NR_BOOL : 0);
  if (!nr_lower_takes(l, 0, takes)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0), *in[2] = {x};
  NrAxes axes;
  if (!nr_lower_axes(l, x, l->version >= r.input_since, nr_lower_attr_int(l, "noop_with_empty_axes") != 0, &axes))
    return NR_ERROR_INVALID;
  r.dtype = nr_lower_dtype(l, 0);
  r.work = work_type(r.kind, r.dtype);
  if (r.kind == MEAN) r.count = nr_dim_value(l, nr_lower_reduced_size(l, x, &axes));
  Reduction pre = r;
  if (r.kind == LOG_SUM_EXP) {
    if (!(in[1] = relative(l, &r, x, &axes, &x))) return NR_ERROR_INVALID;
    pre.dtype = r.work;
  }
  in[0] = nr_lower_reduce_axes(l, x, &axes, start(l, &r), pre_body, combine_body, &pre);
  if (!in[0]) return NR_ERROR_INVALID;
  bool maps = r.kind == MEAN || r.kind == L2 || r.kind == LOG_SUM || r.kind == LOG_SUM_EXP || r.work != r.dtype;
  if (maps) in[0] = nr_lower_map(l, in, in[1] ? 2 : 1, nr_lower_elem_type(l->ctx, r.dtype), post_body, &r);
  if (in[0] && !nr_lower_attr_int(l, "keepdims")) in[0] = nr_lower_drop_axes(l, in[0], &axes);
  return nr_lower_out(l, 0, in[0], r.dtype);
}

NrStatus nr_lower_reduce_sum(NrLower *l) { return reduce(l, (Reduction){SUM, 13}); }
NrStatus nr_lower_reduce_mean(NrLower *l) { return reduce(l, (Reduction){MEAN, 18}); }
NrStatus nr_lower_reduce_prod(NrLower *l) { return reduce(l, (Reduction){PROD, 18}); }
NrStatus nr_lower_reduce_max(NrLower *l) { return reduce(l, (Reduction){MAX, 18}); }
NrStatus nr_lower_reduce_min(NrLower *l) { return reduce(l, (Reduction){MIN, 18}); }
NrStatus nr_lower_reduce_l1(NrLower *l) { return reduce(l, (Reduction){L1, 18}); }
NrStatus nr_lower_reduce_l2(NrLower *l) { return reduce(l, (Reduction){L2, 18}); }
NrStatus nr_lower_reduce_sum_square(NrLower *l) { return reduce(l, (Reduction){SUM_SQUARE, 18}); }
NrStatus nr_lower_reduce_log_sum(NrLower *l) { return reduce(l, (Reduction){LOG_SUM, 18}); }
NrStatus nr_lower_reduce_log_sum_exp(NrLower *l) { return reduce(l, (Reduction){LOG_SUM_EXP, 18}); }
