/* arithmetic.c - Add, Sub, Mul, Div, Mod, Pow with broadcasting, and the sums and extremes of any number of
 * tensors. */
#include "onnx/lower/core/body.h"

static bool is_unsigned(NrLower *l) { return nr_dtype_is_unsigned(nr_lower_dtype(l, 0)); }

static NrStatus binary(NrLower *l, NrBodyFn body) {
  NrValue *in[2];
  if (!nr_lower_takes(l, 0, NR_NUMBERS) || !nr_lower_same_dtypes(l, 0, 2) || !nr_lower_two_inputs(l, in))
    return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_map_wide(l, in, 2, NULL, body, NULL), nr_lower_dtype(l, 0));
}

/* ---- sum, difference, product ---- */

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_contract(add(l, a[0], a[1])); }
static NrValue *sub_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_contract(sub(l, a[0], a[1])); }
static NrValue *mul_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_contract(mul(l, a[0], a[1])); }

NrStatus nr_lower_add_op(NrLower *l) { return binary(l, add_body); }
NrStatus nr_lower_sub_op(NrLower *l) { return binary(l, sub_body); }
NrStatus nr_lower_mul_op(NrLower *l) { return binary(l, mul_body); }

/* ---- quotient and remainder ---- */

/* Checks an integer divisor and returns one for which division is always defined: 1 replaces 0, which the check
 * refuses, and -1, because INT_MIN / -1 overflows. *out_minus (may be NULL): whether it was -1. */
static NrValue *safe_divisor(NrLower *l, NrValue *d, NrValue **out_minus) {
  NrValue *one = num(l, d, 1), *is_zero = nr_lower_cmpi(l, NR_CMPI_EQ, d, num(l, d, 0)), *odd = is_zero;
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, d, num(l, d, 0)), "integer division by zero", NULL, 0);
  if (!is_unsigned(l)) {
    NrValue *minus = nr_lower_cmpi(l, NR_CMPI_EQ, d, num(l, d, -1));
    odd = either(l, is_zero, minus);
    if (out_minus) *out_minus = minus;
  }
  return nr_lower_select(l, odd, one, d);
}

static NrValue *div_body(NrLower *l, NrValue *const *a, void *user) {
  if (nr_type_is_float(a[0]->type)) return divf(l, a[0], a[1]);
  NrValue *minus = NULL, *d = safe_divisor(l, a[1], &minus);
  if (!minus) return same2(l, NR_OP_arith_divui, a[0], d);
  return nr_lower_select(l, minus, sub(l, num(l, a[0], 0), a[0]), same2(l, NR_OP_arith_divsi, a[0], d));
}

/* Remainder of the division that rounds to 0: it has the dividend's sign. */
static NrValue *fmod_body(NrLower *l, NrValue *const *a, void *user) {
  if (nr_type_is_float(a[0]->type)) return same2(l, NR_OP_arith_remf, a[0], a[1]);
  return same2(l, is_unsigned(l) ? NR_OP_arith_remui : NR_OP_arith_remsi, a[0], safe_divisor(l, a[1], NULL));
}

/* Remainder of the division that rounds down: it has the divisor's sign, a zero of floats too. */
static NrValue *mod_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *r = fmod_body(l, a, user), *zero = num(l, r, 0);
  if (nr_type_is_float(r->type)) {
    NrValue *other_sign = nr_lower_op2(l, NR_OP_arith_xori, nr_type_i1(l->ctx), nr_lower_cmpf(l, NR_CMPF_OLT, r, zero),
                                       nr_lower_cmpf(l, NR_CMPF_OLT, a[1], zero));
    NrValue *moved = nr_lower_select(l, other_sign, add(l, r, a[1]), r);
    return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, r, zero), same2(l, NR_OP_math_copysign, zero, a[1]), moved);
  }
  if (is_unsigned(l)) return r;
  NrValue *other_sign = nr_lower_cmpi(l, NR_CMPI_SLT, same2(l, NR_OP_arith_xori, r, a[1]), zero);
  NrValue *moves = both(l, other_sign, nr_lower_cmpi(l, NR_CMPI_NE, r, zero));
  return nr_lower_select(l, moves, add(l, r, a[1]), r);
}

NrStatus nr_lower_div_op(NrLower *l) { return binary(l, div_body); }
NrStatus nr_lower_mod_op(NrLower *l) { return binary(l, nr_lower_attr_int(l, "fmod") ? fmod_body : mod_body); }

/* ---- power ---- */

/* Small whole powers as products; NULL for others. */
static NrValue *known_power(NrLower *l, NrValue *x, NrValue *exponent) {
  NrAttr known = nr_value_constant(exponent);
  double e;
  if (!known) return NULL;
  if (known->kind == NR_ATTR_FLOAT)
    e = known->f;
  else if (known->kind == NR_ATTR_INTEGER)
    e = (double)known->i;
  else
    return NULL;
  if (e == 0) return num(l, x, 1);
  if (e == 1) return x;
  if (e == 2) return mul(l, x, x);
  if (e == 3) return mul(l, mul(l, x, x), x);
  return NULL;
}

/* Base and exponent may differ in type; the result has the base's. Two integers are multiplied out, all else goes
 * through the wider float type of the two. */
static NrValue *pow_body(NrLower *l, NrValue *const *a, void *user) {
  NoriaDType base = nr_lower_dtype(l, 0), exponent = nr_lower_dtype(l, 1);
  NrValue *known = known_power(l, a[0], a[1]);
  if (known) return known;
  if (nr_dtype_is_int(base) && nr_dtype_is_int(exponent)) {
    NrValue *x = nr_lower_cast(l, a[0], base, NORIA_I64, true), *n = nr_lower_cast(l, a[1], exponent, NORIA_I64, true);
    NrValue *defined =
        either(l, nr_lower_cmpi(l, NR_CMPI_SGE, n, num(l, n, 0)), nr_lower_cmpi(l, NR_CMPI_NE, x, num(l, x, 0)));
    nr_lower_check(l, defined, "integer zero to the negative power %0", &n, 1);
    x = nr_lower_select(l, defined, x, num(l, x, 1));
    return nr_lower_cast(l, same2(l, NR_OP_math_ipowi, x, n), NORIA_I64, base, true);
  }
  bool small = base == NORIA_F32 || base == NORIA_F16 || base == NORIA_BF16;
  NoriaDType work = small && exponent != NORIA_F64 ? NORIA_F32 : NORIA_F64;
  NrValue *power =
      same2(l, NR_OP_math_powf, nr_lower_cast(l, a[0], base, work, true), nr_lower_cast(l, a[1], exponent, work, true));
  return nr_lower_cast(l, power, work, base, true);
}

NrStatus nr_lower_pow_op(NrLower *l) {
  NrValue *in[2];
  if (!nr_lower_takes(l, 0, NR_NUMBERS) || !nr_lower_takes(l, 1, NR_NUMBERS) || !nr_lower_two_inputs(l, in))
    return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_map(l, in, 2, NULL, pow_body, NULL), nr_lower_dtype(l, 0));
}

/* ---- any number of operands ---- */

typedef struct Variadic {
  unsigned float_op, signed_op, unsigned_op;
  size_t count;
  double divisor; /* of the result; 0 = none */
} Variadic;

static NrValue *variadic_body(NrLower *l, NrValue *const *a, void *user) {
  const Variadic *v = user;
  unsigned op = nr_type_is_float(a[0]->type) ? v->float_op : is_unsigned(l) ? v->unsigned_op : v->signed_op;
  NrValue *acc = a[0];
  for (size_t i = 1; i < v->count; i++) acc = same2(l, op, acc, a[i]);
  return v->divisor ? divf(l, acc, num(l, acc, v->divisor)) : acc;
}

/* Combines the inputs some at a time. */
static NrStatus variadic(NrLower *l, Variadic v, NrDTypeClass takes) {
  enum { CHUNK = 16 };
  size_t total = nr_lower_num_in(l), next = 1;
  if (!total || !nr_lower_takes(l, 0, takes) || !nr_lower_same_dtypes(l, 0, total)) return NR_ERROR_INVALID;
  double divisor = v.divisor;
  NrValue *in[CHUNK] = {nr_lower_in(l, 0)};
  do {
    v.count = 1;
    while (v.count < CHUNK && next < total) in[v.count++] = nr_lower_in(l, next++);
    v.divisor = next == total ? divisor : 0;
    in[0] = nr_lower_map_wide(l, in, v.count, NULL, variadic_body, &v);
    if (!in[0]) return NR_ERROR_INVALID;
  } while (next < total);
  return nr_lower_out(l, 0, in[0], nr_lower_dtype(l, 0));
}

NrStatus nr_lower_max_op(NrLower *l) {
  return variadic(l, (Variadic){NR_OP_arith_maximumf, NR_OP_arith_maxsi, NR_OP_arith_maxui, 0, 0}, NR_NUMBERS);
}
NrStatus nr_lower_min_op(NrLower *l) {
  return variadic(l, (Variadic){NR_OP_arith_minimumf, NR_OP_arith_minsi, NR_OP_arith_minui, 0, 0}, NR_NUMBERS);
}
NrStatus nr_lower_sum_op(NrLower *l) {
  return variadic(l, (Variadic){NR_OP_arith_addf, NR_OP_arith_addi, NR_OP_arith_addi, 0, 0}, NR_NUMBERS);
}
NrStatus nr_lower_mean_op(NrLower *l) {
  Variadic v = {NR_OP_arith_addf, NR_OP_arith_addi, NR_OP_arith_addi, 0, (double)nr_lower_num_in(l)};
  return variadic(l, v, NR_FLOATS);
}
