/* cast.c - Cast, CastLike, BitCast, and the conversions that other lowerings use.
 *
 * ONNX leaves floats that do not fit an integer open; here they come out as x86 and so NumPy give them: conversion to a
 * signed integer of 32 or 64 bits gives the smallest value, narrower and unsigned targets take the low bits of that. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/string.h"

#include <math.h>

typedef struct Cast {
  NoriaDType from, to;
  bool saturate;
  NrStr round_mode; /* to float8e8m0: up, down or nearest */
} Cast;

/* ---- float to integer ---- */

/* To a signed integer of `width` bits; what does not fit gives the smallest one. */
static NrValue *to_signed(NrLower *l, NrValue *x, uint32_t width) {
  NrType type = nr_type_int(l->ctx, width);
  double limit = ldexp(1, (int)width - 1);
  NrValue *low = nr_lower_cmpf(l, NR_CMPF_OGE, x, num(l, x, -limit)),
          *high = nr_lower_cmpf(l, NR_CMPF_OLT, x, num(l, x, limit));
  NrValue *fits = both(l, low, high);
  NrValue *whole = nr_lower_op1(l, NR_OP_arith_fptosi, type, nr_lower_select(l, fits, x, num(l, x, 0)));
  return nr_lower_select(l, fits, whole, nr_lower_int(l, type, width == 32 ? INT32_MIN : INT64_MIN));
}

static NrValue *float_to_int(NrLower *l, NrValue *x, NoriaDType to) {
  NrType type = nr_lower_elem_type(l->ctx, to);
  uint32_t bits = nr_type_bits(type);
  if (to == NORIA_U64) { /* the upper half is converted 2^63 lower */
    double half = ldexp(1, 63);
    NrValue *big = nr_lower_cmpf(l, NR_CMPF_OGE, x, num(l, x, half));
    NrValue *lowered = nr_lower_select(l, big, sub(l, x, num(l, x, half)), x), *whole = to_signed(l, lowered, 64);
    return nr_lower_select(l, big, same2(l, NR_OP_arith_xori, whole, nr_lower_int(l, type, INT64_MIN)), whole);
  }
  uint32_t work = bits == 64 || to == NORIA_U32 ? 64 : 32;
  NrValue *whole = to_signed(l, x, work);
  return bits == work ? whole : nr_lower_op1(l, NR_OP_arith_trunci, type, whole);
}

/* ---- to float ---- */

/* The largest finite value of the f8 types that saturate; 0 for other types. */
static double largest(NoriaDType t) {
  switch (t) {
  case NORIA_F8E4M3FN: return 448;
  case NORIA_F8E4M3FNUZ: return 240;
  case NORIA_F8E5M2:
  case NORIA_F8E5M2FNUZ: return 57344;
  default: return 0;
  }
}

/* To float8e8m0, which keeps only the exponent: the bits of the f32 decide. Infinities become NaN. */
static NrValue *to_e8m0(NrLower *l, NrValue *x, const Cast *c) {
  NrContext *ctx = l->ctx;
  NrType i32 = nr_type_i32(ctx), i8 = nr_type_int(ctx, 8);
  NrValue *bits = nr_lower_op1(l, NR_OP_arith_bitcast, i32, x);
  NrValue *shift = nr_lower_int(l, i32, 23), *ones = nr_lower_int(l, i32, 0xFF), *zero = nr_lower_int(l, i32, 0);
  NrValue *exponent = both(l, same2(l, NR_OP_arith_shrui, bits, shift), ones);
  NrValue *fraction = both(l, bits, nr_lower_int(l, i32, 0x7FFFFF)), *up;
  if (nr_str_is(c->round_mode, "down"))
    up = nr_lower_int(l, nr_type_i1(ctx), 0);
  else if (nr_str_is(c->round_mode, "nearest")) {
    /* A tie goes up, but for the least exponent, where the fraction is of a subnormal number. */
    NrValue *half = nr_lower_int(l, i32, 0x400000), *least = nr_lower_cmpi(l, NR_CMPI_EQ, exponent, zero);
    up = nr_lower_select(l, least, nr_lower_cmpi(l, NR_CMPI_UGT, fraction, half),
                         nr_lower_cmpi(l, NR_CMPI_UGE, fraction, half));
  } else
    up = nr_lower_cmpi(l, NR_CMPI_NE, fraction, zero);
  NrValue *stays = nr_lower_cmpi(l, NR_CMPI_EQ, exponent, ones);
  if (c->saturate) stays = either(l, stays, nr_lower_cmpi(l, NR_CMPI_EQ, exponent, nr_lower_int(l, i32, 0xFE)));
  NrValue *step = nr_lower_select(l, stays, zero, nr_lower_op1(l, NR_OP_arith_extui, i32, up));
  NrValue *byte = nr_lower_op1(l, NR_OP_arith_trunci, i8, add(l, exponent, step));
  return nr_lower_op1(l, NR_OP_arith_bitcast, nr_lower_elem_type(ctx, NORIA_F8E8M0FNU), byte);
}

/* From a float of at least 32 bits. */
static NrValue *float_to_float(NrLower *l, NrValue *x, const Cast *c) {
  NrType type = nr_lower_elem_type(l->ctx, c->to);
  if (x->type == type) return x;
  if (c->to == NORIA_F64) return nr_lower_op1(l, NR_OP_arith_extf, type, x);
  if (c->to == NORIA_F8E8M0FNU) return to_e8m0(l, nr_lower_narrow(l, x, nr_type_f32(l->ctx)), c);
  /* Types of 4 and 6 bits have no NaN: as in ml_dtypes, which the reference uses, NaN becomes -0. */
  if (nr_type_bits(type) < 8) x = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_ORD, x, x), x, num(l, x, -0.0));
  double limit = c->saturate ? largest(c->to) : 0;
  if (limit) x = larger(l, smaller(l, x, num(l, x, limit)), num(l, x, -limit));
  return nr_lower_narrow(l, x, type);
}

static NrValue *int_to_float(NrLower *l, NrValue *x, const Cast *c) {
  bool zero_extends = nr_dtype_is_unsigned(c->from) || c->from == NORIA_BOOL;
  NrType work = c->to == NORIA_F64 ? nr_type_f64(l->ctx) : nr_type_f32(l->ctx);
  return float_to_float(l, nr_lower_op1(l, zero_extends ? NR_OP_arith_uitofp : NR_OP_arith_sitofp, work, x), c);
}

/* ---- any to any ---- */

static NrValue *int_to_int(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to) {
  NrType type = nr_lower_elem_type(l->ctx, to);
  uint32_t old = nr_type_bits(x->type), new = nr_type_bits(type);
  if (old == new) return x;
  if (old > new) return nr_lower_op1(l, NR_OP_arith_trunci, type, x);
  bool zero_extends = nr_dtype_is_unsigned(from) || from == NORIA_BOOL;
  return nr_lower_op1(l, zero_extends ? NR_OP_arith_extui : NR_OP_arith_extsi, type, x);
}

static NrValue *cast_scalar(NrLower *l, NrValue *x, const Cast *c) {
  if (c->from == c->to) return x;
  if (nr_dtype_is_float(c->from)) {
    x = nr_lower_widen(l, x);
    if (c->to == NORIA_BOOL) return nr_lower_cmpf(l, NR_CMPF_UNE, x, num(l, x, 0));
    return nr_dtype_is_float(c->to) ? float_to_float(l, x, c) : float_to_int(l, x, c->to);
  }
  if (c->to == NORIA_BOOL) return nr_lower_cmpi(l, NR_CMPI_NE, x, num(l, x, 0));
  return nr_dtype_is_float(c->to) ? int_to_float(l, x, c) : int_to_int(l, x, c->from, c->to);
}

NrValue *nr_lower_cast(NrLower *l, NrValue *scalar, NoriaDType from, NoriaDType to, bool saturate) {
  Cast c = {from, to, saturate, NR_STR("up")};
  return cast_scalar(l, scalar, &c);
}

static NrValue *cast_body(NrLower *l, NrValue *const *a, void *user) { return cast_scalar(l, a[0], user); }

NrValue *nr_lower_cast_tensor(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to) {
  Cast c = {from, to, true, NR_STR("up")};
  return x && from != to ? nr_lower_map(l, &x, 1, nr_lower_elem_type(l->ctx, to), cast_body, &c) : x;
}

/* ---- the ops ---- */

static bool is_number(NoriaDType t) { return nr_dtype_is_float(t) || nr_dtype_is_int(t) || t == NORIA_BOOL; }

static NrStatus cast_to(NrLower *l, NoriaDType to) {
  NrValue *in = nr_lower_in(l, 0);
  NoriaDType from = nr_lower_dtype(l, 0);
  if (!in) return nr_lower_error(l, "input 0 is missing");
  if (from == to) return nr_lower_out(l, 0, in, to);
  bool strings = from == NORIA_STRING || to == NORIA_STRING;
  if (strings && (is_number(from) || is_number(to)))
    return nr_lower_out(l, 0, nr_lower_string_cast(l, in, from, to), to);
  if (!is_number(from) || !is_number(to))
    return nr_lower_error(l, "no conversion from %s to %s", nr_dtype_name(from), nr_dtype_name(to));
  NrType type = nr_lower_elem_type(l->ctx, to);
  if (type == in->type->elem && nr_dtype_is_int(from)) return nr_lower_out(l, 0, in, to); /* only the sign's meaning */
  Cast c = {from, to, nr_lower_attr_int(l, "saturate") != 0, nr_lower_attr_str(l, "round_mode")};
  if (!nr_str_is(c.round_mode, "up") && !nr_str_is(c.round_mode, "down") && !nr_str_is(c.round_mode, "nearest"))
    return nr_lower_error(l, "attribute round_mode is '%.*s'; it must be up, down or nearest",
                          NR_STR_ARG(c.round_mode));
  return nr_lower_out(l, 0, nr_lower_map(l, &in, 1, type, cast_body, &c), to);
}

/* Attribute `to`: a number, in the first versions its name. */
static bool target(NrLower *l, NoriaDType *out) {
  NrAttr to = nr_lower_attr(l, "to");
  if (to && to->kind == NR_ATTR_STRING) {
    static const char *const names[] = {"UNDEFINED", "FLOAT",  "UINT8", "INT8",    "UINT16", "INT16",  "INT32",
                                        "INT64",     "STRING", "BOOL",  "FLOAT16", "DOUBLE", "UINT32", "UINT64"};
    for (size_t i = 1; i < NR_COUNTOF(names); i++)
      if (nr_str_is(to->s, names[i])) return *out = (NoriaDType)i, true;
    return nr_lower_error(l, "attribute to is '%.*s', which is no element type", NR_STR_ARG(to->s)), false;
  }
  *out = (NoriaDType)nr_lower_attr_int(l, "to");
  if (is_number(*out) || *out == NORIA_STRING || *out == NORIA_C64 || *out == NORIA_C128) return true;
  return nr_lower_error(l, "attribute to is %lld, which is no element type", (long long)nr_lower_attr_int(l, "to")),
         false;
}

NrStatus nr_lower_cast_op(NrLower *l) {
  NoriaDType to;
  return target(l, &to) ? cast_to(l, to) : NR_ERROR_INVALID;
}

NrStatus nr_lower_cast_like(NrLower *l) {
  if (!nr_lower_in(l, 1)) return nr_lower_error(l, "input 1 is missing");
  return cast_to(l, nr_lower_dtype(l, 1));
}

/* complex64 as 64 bits, the real part in the lower ones, and back. */
static NrValue *complex_bits(NrLower *l, NrValue *x) {
  NrType i32 = nr_type_int(l->ctx, 32), i64 = nr_type_i64(l->ctx);
  NrValue *bits[2];
  for (size_t i = 0; i < 2; i++) {
    NrValue *part = nr_lower_op1(l, i ? NR_OP_complex_im : NR_OP_complex_re, x->type->elem, x);
    bits[i] = nr_lower_op1(l, NR_OP_arith_extui, i64, nr_lower_op1(l, NR_OP_arith_bitcast, i32, part));
  }
  return either(l, bits[0], same2(l, NR_OP_arith_shli, bits[1], nr_lower_int(l, i64, 32)));
}

static NrValue *complex_of_bits(NrLower *l, NrValue *bits, NrType to) {
  NrType i32 = nr_type_int(l->ctx, 32), i64 = nr_type_i64(l->ctx);
  NrValue *high = same2(l, NR_OP_arith_shrui, bits, nr_lower_int(l, i64, 32)), *parts[2];
  for (size_t i = 0; i < 2; i++) {
    NrValue *word = nr_lower_op1(l, NR_OP_arith_trunci, i32, i ? high : bits);
    parts[i] = nr_lower_op1(l, NR_OP_arith_bitcast, to->elem, word);
  }
  return nr_lower_op2(l, NR_OP_complex_create, to, parts[0], parts[1]);
}

static NrValue *bitcast_body(NrLower *l, NrValue *const *a, void *user) {
  NrType to = *(NrType *)user, i1 = nr_type_i1(l->ctx);
  /* A boolean is a byte of 0 or 1. */
  NrType i8 = nr_type_int(l->ctx, 8);
  NrValue *x = a[0]->type == i1 ? nr_lower_op1(l, NR_OP_arith_extui, i8, a[0]) : a[0];
  if (x->type->kind == NR_TYPE_COMPLEX) x = complex_bits(l, x);
  if (to->kind == NR_TYPE_COMPLEX) {
    NrType i64 = nr_type_i64(l->ctx);
    return complex_of_bits(l, x->type == i64 ? x : nr_lower_op1(l, NR_OP_arith_bitcast, i64, x), to);
  }
  if (to == i1) {
    NrValue *byte = x->type == i8 ? x : nr_lower_op1(l, NR_OP_arith_bitcast, i8, x);
    return nr_lower_cmpi(l, NR_CMPI_NE, byte, nr_lower_int(l, i8, 0));
  }
  return x->type == to ? x : nr_lower_op1(l, NR_OP_arith_bitcast, to, x);
}

static uint32_t bits_of(NrType t) { return nr_type_is_int_width(t, 1) ? 8 : nr_type_bits(t); }

NrStatus nr_lower_bitcast_op(NrLower *l) {
  NrValue *in = nr_lower_in(l, 0);
  NoriaDType from = nr_lower_dtype(l, 0), to;
  if (!in) return nr_lower_error(l, "input 0 is missing");
  if (!target(l, &to)) return NR_ERROR_INVALID;
  NrType type = nr_lower_elem_type(l->ctx, to);
  if (from == to) return nr_lower_out(l, 0, in, to);
  bool is_bits = (is_number(from) || nr_dtype_is_complex(from)) && (is_number(to) || nr_dtype_is_complex(to));
  if (!is_bits || bits_of(in->type->elem) != bits_of(type))
    return nr_lower_error(l, "the bits of %s cannot be read as %s", nr_dtype_name(from), nr_dtype_name(to));
  if (type == in->type->elem) return nr_lower_out(l, 0, in, to);
  return nr_lower_out(l, 0, nr_lower_map(l, &in, 1, type, bitcast_body, &type), to);
}
