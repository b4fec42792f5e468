/* qmatmul.c - products of quantised matrices.
 *
 * Integers are multiplied as they are stored, and what the zero points add is taken off behind:
 *   sum (a - za) * (b - zb)  =  sum a * b  -  za * (sum b - k * zb)  -  zb * sum a
 * so the product has narrow factors, and the sums have one element a row or column. i32 wraps in all of it alike. */
#include "onnx/lower/ops/qmatmul.h"

/* ---- tensors of i32 and f32 ---- */

typedef struct Convert {
  NoriaDType from, to;
} Convert;

static NrValue *convert_body(NrLower *l, NrValue *const *a, void *user) {
  const Convert *c = user;
  return nr_lower_cast(l, a[0], c->from, c->to, true);
}

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) { return (void)user, add(l, a[0], a[1]); }

NrValue *nr_lower_sum_as_i32(NrLower *l, NrValue *x, NoriaDType dtype, uint64_t axes) {
  Convert c = {dtype, NORIA_I32};
  return nr_lower_reduce(l, x, axes, false, nr_lower_int(l, nr_type_i32(l->ctx), 0), convert_body, add_body, &c);
}

static NrValue *take_product_body(NrLower *l, NrValue *const *a, void *user) {
  return (void)user, sub(l, a[0], mul(l, a[1], a[2]));
}

NrValue *nr_lower_take_product(NrLower *l, NrValue *x, NrValue *y, NrValue *z) {
  return nr_lower_map(l, (NrValue *[]){x, y, z}, 3, NULL, take_product_body, NULL);
}

static NrValue *factor_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *product = mul(l, a[0], a[1]);
  return user ? divf(l, product, a[2]) : product;
}

NrValue *nr_lower_factor(NrLower *l, NrValue *a, NrValue *b, NrValue *c) {
  return nr_lower_map(l, (NrValue *[]){a, b, c}, c ? 3 : 2, NULL, factor_body, c);
}

static NrValue *requantize_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = nr_type_is_int(a[0]->type) ? nr_lower_op1(l, NR_OP_arith_sitofp, a[1]->type, a[0]) : a[0];
  return nr_quantized(l, mul(l, x, a[1]), a[2], *(const NoriaDType *)user, true);
}

static NrValue *requantize_without_zero(NrLower *l, NrValue *const *a, void *user) {
  return requantize_body(l, (NrValue *[]){a[0], a[1], NULL}, user);
}

NrValue *nr_lower_requantize(NrLower *l, NrValue *sum, NrValue *factor, NrValue *zero, NoriaDType to) {
  return nr_lower_map(l, (NrValue *[]){sum, factor, zero}, zero ? 3 : 2, nr_lower_elem_type(l->ctx, to),
                      zero ? requantize_body : requantize_without_zero, &to);
}

/* ---- the product ---- */

NrValue *nr_lower_side(NrLower *l, const char *name, NrValue *p, const NrMatMul *m, bool left) {
  NrShape want = m->out;
  want.dims[want.rank - (left ? 1 : 2)] = nr_dim(1);
  if (nr_rank(p) == 1 && p->type->dims[0] == 1) p = nr_lower_reshape(l, p, &(NrShape){0});
  if (nr_rank(p) == 1 && left) p = nr_lower_reshape(l, p, &(NrShape){2, {nr_lower_dim(l, p, 0), nr_dim(1)}});
  return nr_lower_expect_broadcast(l, name, p, &want) ? p : NULL;
}

/* The sums of a matrix over k, in a shape that broadcasts to the product. */
static NrValue *sums(NrLower *l, NrValue *x, const char *dims, NoriaDType dtype, bool left) {
  size_t k = (size_t)(strchr(dims, 'k') - dims);
  NrValue *sum = nr_lower_sum_as_i32(l, x, dtype, UINT64_C(1) << k);
  NrShape s = nr_lower_shape(l, sum);
  s.dims[s.rank] = left ? nr_dim(1) : s.dims[s.rank - 1];
  if (!left) s.dims[s.rank - 1] = nr_dim(1);
  s.rank++;
  return nr_lower_reshape(l, sum, &s);
}


static NrValue *distance_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *distance = nr_quantized_distance(l, a[0], a[1], *(const NoriaDType *)user);
  return nr_type_is_int(distance->type) ? nr_lower_op1(l, NR_OP_arith_sitofp, nr_type_f32(l->ctx), distance) : distance;
}

static NrValue *as_f32(NrLower *l, NrValue *x, const NrQuantMatrix *q) {
  NoriaDType dtype = q->dtype;
  if (!q->zero) return nr_lower_cast_tensor(l, x, dtype, NORIA_F32);
  return nr_lower_map(l, (NrValue *[]){x, q->zero}, 2, nr_type_f32(l->ctx), distance_body, &dtype);
}

static NrValue *integer_matmul(NrLower *l, const NrMatMul *m, const NrQuantMatrix *a, const NrQuantMatrix *b) {
  NrType i32 = nr_type_i32(l->ctx);
  NrSigns signs = {nr_dtype_is_unsigned(a->dtype), nr_dtype_is_unsigned(b->dtype)};
  NrValue *product = nr_lower_matmul_sum(l, m, i32, signs);
  bool a_moves = !nr_is_zero_point_0(a->zero), b_moves = !nr_is_zero_point_0(b->zero);
  NrValue *za = a_moves ? nr_lower_cast_tensor(l, a->zero, a->dtype, NORIA_I32) : NULL;
  NrValue *zb = b_moves ? nr_lower_cast_tensor(l, b->zero, b->dtype, NORIA_I32) : NULL;
  if (za) {
    NrValue *columns = sums(l, m->b, m->b_dims, b->dtype, false);
    NrValue *k = nr_lower_op1(l, NR_OP_arith_index_cast, i32, nr_dim_value(l, m->k));
    if (zb) columns = nr_lower_take_product(l, columns, zb, nr_lower_from_scalar(l, k));
    product = nr_lower_take_product(l, product, za, columns);
  }
  return zb ? nr_lower_take_product(l, product, zb, sums(l, m->a, m->a_dims, a->dtype, true)) : product;
}

NrValue *nr_lower_quantized_matmul(NrLower *l, const NrMatMul *m, const NrQuantMatrix *a, const NrQuantMatrix *b) {
  if (nr_dtype_is_int(a->dtype) && nr_dtype_is_int(b->dtype)) return integer_matmul(l, m, a, b);
  NrMatMul wide = *m;
  wide.a = as_f32(l, m->a, a);
  wide.b = as_f32(l, m->b, b);
  return wide.a && wide.b ? nr_lower_matmul_sum(l, &wide, nr_type_f32(l->ctx), (NrSigns){0}) : NULL;
}

/* ---- the ops ---- */

/* The zero points, which may be left out, of the two matrices of a product; both by their inputs. False after an
 * error. */
static bool zero_points(NrLower *l, const size_t at[2], const size_t zeros[2], const NrMatMul *m, NrQuantMatrix q[2]) {
  static const char *const names[] = {"a_zero_point", "b_zero_point"};
  for (size_t i = 0; i < 2; i++) {
    q[i] = (NrQuantMatrix){nr_lower_dtype(l, at[i]), nr_lower_in(l, zeros[i])};
    if (!q[i].zero) continue;
    if (nr_lower_dtype(l, zeros[i]) != q[i].dtype)
      return nr_lower_error(l, "%s is %s, but its matrix is %s", names[i], nr_dtype_name(nr_lower_dtype(l, zeros[i])),
                            nr_dtype_name(q[i].dtype)), false;
    if (!(q[i].zero = nr_lower_side(l, names[i], q[i].zero, m, i == 0))) return false;
  }
  return true;
}

/* Inputs a_in and b_in with their zero points as a product; false after an error. */
static bool quantized_inputs(NrLower *l, size_t a_in, size_t b_in, size_t a_zero, size_t b_zero, NrMatMul *m,
                             NrQuantMatrix q[2]) {
  return !nr_lower_matmul_shapes(l, nr_lower_in(l, a_in), nr_lower_in(l, b_in), m) &&
         zero_points(l, (const size_t[]){a_in, b_in}, (const size_t[]){a_zero, b_zero}, m, q);
}

/* Whether inputs `first` and `second` have one of the 8-bit integer types. */
static bool bytes(NrLower *l, size_t first, size_t second) {
  size_t at[2] = {first, second};
  for (size_t i = 0; i < 2; i++) {
    NoriaDType t = nr_lower_dtype(l, at[i]);
    if (t != NORIA_I8 && t != NORIA_U8)
      return nr_lower_error(l, "input %zu is %s, not int8 or uint8", at[i], nr_dtype_name(t)), false;
  }
  return true;
}

NrStatus nr_lower_matmul_integer(NrLower *l) {
  NrMatMul m;
  NrQuantMatrix q[2];
  if (!bytes(l, 0, 1) || !quantized_inputs(l, 0, 1, 2, 3, &m, q)) return NR_ERROR_INVALID;
  NrValue *product = nr_lower_quantized_matmul(l, &m, &q[0], &q[1]);
  return nr_lower_out(l, 0, nr_lower_reshape(l, product, &m.result), NORIA_I32);
}

/* A scale, input i, as f32 on one side of the product. */
static NrValue *side_scale(NrLower *l, size_t i, const char *name, const NrMatMul *m, bool left) {
  NrValue *scale = nr_lower_side(l, name, nr_lower_in(l, i), m, left);
  return nr_lower_cast_tensor(l, scale, nr_lower_dtype(l, i), NORIA_F32);
}

/* A parameter of the result, input i; NULL after an error. */
static NrValue *result_parameter(NrLower *l, size_t i, const char *name, const NrMatMul *m) {
  NrValue *p = nr_lower_in(l, i);
  if (nr_rank(p) == 1 && p->type->dims[0] == 1) p = nr_lower_reshape(l, p, &(NrShape){0});
  return nr_lower_expect_broadcast(l, name, p, &m->out) ? p : NULL;
}

NrStatus nr_lower_qlinear_matmul(NrLower *l) {
  NrMatMul m;
  NrQuantMatrix q[2];
  NoriaDType to = nr_lower_dtype(l, 7);
  if (!nr_is_quantized_type(l, to))
    return nr_lower_error(l, "y_zero_point is %s, which is no type of quantised values", nr_dtype_name(to));
  if (!quantized_inputs(l, 0, 3, 2, 5, &m, q)) return NR_ERROR_INVALID;
  NrValue *a = side_scale(l, 1, "a_scale", &m, true), *b = side_scale(l, 4, "b_scale", &m, false);
  NrValue *y = nr_lower_cast_tensor(l, result_parameter(l, 6, "y_scale", &m), nr_lower_dtype(l, 6), NORIA_F32);
  NrValue *zero = result_parameter(l, 7, "y_zero_point", &m);
  if (!a || !b || !y || !zero) return NR_ERROR_INVALID;
  NrValue *sum = nr_lower_quantized_matmul(l, &m, &q[0], &q[1]);
  NrValue *result = nr_lower_requantize(l, sum, nr_lower_factor(l, a, b, y), zero, to);
  return nr_lower_out(l, 0, result ? nr_lower_reshape(l, result, &m.result) : NULL, to);
}

NrStatus nr_lower_matmul_integer16(NrLower *l) {
  NrMatMul m;
  bool a_unsigned = nr_lower_dtype(l, 0) == NORIA_U16, b_unsigned = nr_lower_dtype(l, 1) == NORIA_U16;
  for (size_t i = 0; i < 2; i++)
    if (nr_lower_dtype(l, i) != NORIA_U16 && nr_lower_dtype(l, i) != NORIA_I16)
      return nr_lower_error(l, "input %zu is %s, not int16 or uint16", i, nr_dtype_name(nr_lower_dtype(l, i)));
  NR_TRY(nr_lower_matmul_shapes(l, nr_lower_in(l, 0), nr_lower_in(l, 1), &m));
  NrValue *product = nr_lower_matmul_sum(l, &m, nr_type_i32(l->ctx), (NrSigns){a_unsigned, b_unsigned});
  return nr_lower_out(l, 0, nr_lower_reshape(l, product, &m.result), a_unsigned && b_unsigned ? NORIA_U32 : NORIA_I32);
}

/* ---- products of integers as floats ---- */

static NrValue *scaled_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = nr_type_is_int(a[0]->type) ? nr_lower_op1(l, NR_OP_arith_sitofp, a[1]->type, a[0]) : a[0];
  x = mul(l, x, a[1]);
  return user ? add(l, x, a[2]) : x;
}

/* sum * factor + bias, f32; bias, a vector of the columns, may be NULL. */
static NrValue *scaled_sum(NrLower *l, const NrMatMul *m, NrValue *sum, NrValue *factor, NrValue *bias) {
  NrShape columns = {1, {m->out.dims[m->out.rank - 1]}};
  if (!factor || (bias && !nr_lower_expect_shape(l, "bias", bias, &columns))) return NULL;
  return nr_lower_map(l, (NrValue *[]){sum, factor, bias}, bias ? 3 : 2, nr_type_f32(l->ctx), scaled_body, bias);
}

NrValue *nr_lower_scaled_matmul(NrLower *l, const NrScaledMatMul *in) {
  NrMatMul m;
  NrQuantMatrix q[2];
  if (!bytes(l, in->a, in->b) || !quantized_inputs(l, in->a, in->b, in->a_zero, in->b_zero, &m, q)) return NULL;
  NrValue *a = side_scale(l, in->a_scale, "a_scale", &m, true);
  NrValue *b = a ? side_scale(l, in->b_scale, "b_scale", &m, false) : NULL;
  if (!b) return NULL;
  NrValue *sum = nr_lower_quantized_matmul(l, &m, &q[0], &q[1]), *bias = nr_lower_in(l, in->bias);
  if (bias) bias = nr_lower_cast_tensor(l, bias, nr_lower_dtype(l, in->bias), NORIA_F32);
  NrValue *y = scaled_sum(l, &m, sum, nr_lower_factor(l, a, b, NULL), bias);
  if (!y) return NULL;
  return nr_lower_reshape(l, nr_lower_cast_tensor(l, y, NORIA_F32, nr_lower_dtype(l, in->a_scale)), &m.result);
}

NrStatus nr_lower_matmul_integer_to_float(NrLower *l) {
  NrScaledMatMul in = {.a = 0, .b = 1, .a_scale = 2, .b_scale = 3, .a_zero = 4, .b_zero = 5, .bias = 6};
  return nr_lower_out(l, 0, nr_lower_scaled_matmul(l, &in), nr_lower_dtype(l, 2));
}

NrStatus nr_lower_dynamic_quantize_matmul(NrLower *l) {
  NrMatMul m;
  NrValue *x = nr_lower_in(l, 0), *scale, *zero;
  if (nr_lower_dtype(l, 0) != NORIA_F32 || !bytes(l, 1, 1))
    return nr_lower_error(l, "the factors are %s and %s, not float32 and one of int8 and uint8",
                          nr_dtype_name(nr_lower_dtype(l, 0)), nr_dtype_name(nr_lower_dtype(l, 1)));
  if (!nr_lower_dynamic_scale(l, x, (UINT64_C(1) << nr_rank(x)) - 1, &scale, &zero)) return NR_ERROR_INVALID;
  scale = nr_lower_reshape(l, scale, &(NrShape){0});
  zero = nr_lower_reshape(l, zero, &(NrShape){0});
  NR_TRY(nr_lower_matmul_shapes(l, nr_lower_quantize_u8(l, x, scale, zero), nr_lower_in(l, 1), &m));
  NrQuantMatrix a = {NORIA_U8, zero}, b = {nr_lower_dtype(l, 1), nr_lower_in(l, 3)};
  if (b.zero && nr_lower_dtype(l, 3) != b.dtype) return nr_lower_error(l, "b_zero_point and B are of different types");
  if (b.zero && !(b.zero = nr_lower_side(l, "b_zero_point", b.zero, &m, false))) return NR_ERROR_INVALID;
  NrValue *b_scale = side_scale(l, 2, "b_scale", &m, false);
  if (!b_scale) return NR_ERROR_INVALID;
  NrValue *sum = nr_lower_quantized_matmul(l, &m, &a, &b);
  NrValue *y = scaled_sum(l, &m, sum, nr_lower_factor(l, scale, b_scale, NULL), nr_lower_in(l, 4));
  return nr_lower_out(l, 0, y ? nr_lower_reshape(l, y, &m.result) : NULL, NORIA_F32);
}

static NrValue *times_body(NrLower *l, NrValue *const *a, void *user) {
  return mul(l, a[0], num(l, a[0], *(const double *)user));
}

NrStatus nr_lower_qgemm(NrLower *l) {
  bool ta = nr_lower_attr_int(l, "transA") != 0, tb = nr_lower_attr_int(l, "transB") != 0;
  double alpha = nr_lower_attr_float(l, "alpha");
  NrValue *a = nr_lower_in(l, 0), *b = nr_lower_in(l, 3), *c = nr_lower_in(l, 6);
  if (!bytes(l, 0, 3)) return NR_ERROR_INVALID;
  if (!nr_lower_expect_rank(l, "A", a, 2) || !nr_lower_expect_rank(l, "B", b, 2)) return NR_ERROR_INVALID;
  if (!nr_lower_in(l, 7) != !nr_lower_in(l, 8)) return nr_lower_error(l, "y_scale and y_zero_point go together");
  NrMatMul m = {.a = a, .b = b, .k = nr_lower_dim(l, a, !ta), .out_dims = "mn"};
  if (!nr_lower_expect_dim(l, "B", b, tb, m.k)) return NR_ERROR_INVALID;
  m.out = m.result = (NrShape){2, {nr_lower_dim(l, a, ta), nr_lower_dim(l, b, !tb)}};
  memcpy(m.a_dims, ta ? "km" : "mk", 2);
  memcpy(m.b_dims, tb ? "nk" : "kn", 2);
  NrQuantMatrix q[2];
  if (!zero_points(l, (const size_t[]){0, 3}, (const size_t[]){2, 5}, &m, q)) return NR_ERROR_INVALID;
  NrValue *a_scale = side_scale(l, 1, "a_scale", &m, true), *b_scale = side_scale(l, 4, "b_scale", &m, false);
  if (!a_scale || !b_scale) return NR_ERROR_INVALID;
  NrValue *sum = nr_lower_quantized_matmul(l, &m, &q[0], &q[1]);
  if (c && !nr_lower_expect_broadcast(l, "C", c, &m.out)) return NR_ERROR_INVALID;
  if (c) sum = nr_lower_sum(l, sum, c);
  NrValue *product = nr_lower_map(l, &a_scale, 1, NULL, times_body, &alpha);
  if (!nr_lower_in(l, 7))
    return nr_lower_out(l, 0, scaled_sum(l, &m, sum, nr_lower_factor(l, product, b_scale, NULL), NULL), NORIA_F32);
  NrValue *y_scale = result_parameter(l, 7, "y_scale", &m), *y_zero = result_parameter(l, 8, "y_zero_point", &m);
  if (!y_scale || !y_zero) return NR_ERROR_INVALID;
  NrValue *factor = nr_lower_factor(l, product, b_scale, y_scale);
  return nr_lower_out(l, 0, nr_lower_requantize(l, sum, factor, y_zero, nr_lower_dtype(l, 8)), nr_lower_dtype(l, 8));
}
