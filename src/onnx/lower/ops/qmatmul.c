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

NrValue *nr_lower_cast_tensor(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to) {
  Convert c = {from, to};
  return x && from != to ? nr_lower_map(l, &x, 1, nr_lower_elem_type(l->ctx, to), convert_body, &c) : x;
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
  return nr_quantized_distance(l, a[0], a[1], *(const NoriaDType *)user);
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

/* Inputs a_in and b_in with their zero points, which may be left out, as a product; false after an error. */
static bool quantized_inputs(NrLower *l, size_t a_in, size_t b_in, size_t a_zero, size_t b_zero, NrMatMul *m,
                             NrQuantMatrix q[2]) {
  static const char *const names[] = {"a_zero_point", "b_zero_point"};
  size_t at[2] = {a_in, b_in}, zeros[2] = {a_zero, b_zero};
  if (nr_lower_matmul_shapes(l, nr_lower_in(l, a_in), nr_lower_in(l, b_in), m)) return false;
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
