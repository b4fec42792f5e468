/* nbits.c - MatMulNBits and GatherBlockQuantized of com.microsoft: weights of few bits, packed into bytes from the low
 * bits on, with a scale for each block. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/quantize.h"

NrValue *nr_lower_packed_value(NrLower *l, NrValue *bytes, NrValue *const *front, NrValue *at, int64_t bits) {
  NrType i32 = nr_type_i32(l->ctx);
  NrValue *indices[NORIA_MAX_RANK];
  size_t rank = nr_rank(bytes);
  int64_t per_byte = 8 / bits;
  for (size_t i = 0; i + 1 < rank; i++) indices[i] = front[i];
  indices[rank - 1] = same2(l, NR_OP_arith_divui, at, nr_lower_index(l, per_byte));
  NrValue *byte = nr_lower_op1(l, NR_OP_arith_extui, i32, nr_lower_extract(l, bytes, indices, rank));
  NrValue *place = same2(l, NR_OP_arith_remui, at, nr_lower_index(l, per_byte));
  NrValue *shift = nr_lower_op1(l, NR_OP_arith_index_cast, i32, mul(l, place, nr_lower_index(l, bits)));
  return both(l, same2(l, NR_OP_arith_shrui, byte, shift), nr_lower_int(l, i32, (INT64_C(1) << bits) - 1));
}

static bool check_bits(NrLower *l, int64_t bits, int64_t block) {
  if (bits != 2 && bits != 4 && bits != 8)
    return nr_lower_error(l, "bits is %lld, not 2, 4 or 8", (long long)bits), false;
  if (block < 16 || (block & (block - 1)) || block > INT32_MAX)
    return nr_lower_error(l, "block_size is %lld; it must be a power of two and at least 16", (long long)block), false;
  return true;
}

/* ---- MatMulNBits ---- */

typedef struct Weights {
  NrValue *bytes, *scales, *zeros; /* zeros may be NULL */
  NrValue *groups;                 /* for each k, which scale and zero point are its own; NULL: those of its block */
  NoriaDType scale_type, zero_type;
  int64_t bits, block;
} Weights;

static NrValue *zero_of(NrLower *l, const Weights *w, NrValue *row, NrValue *block) {
  if (!w->zeros) return nr_lower_float(l, nr_type_f32(l->ctx), (double)(1 << (w->bits - 1)));
  if (w->zero_type != NORIA_U8)
    return nr_lower_cast(l, nr_lower_extract(l, w->zeros, (NrValue *[]){row, block}, 2), w->zero_type, NORIA_F32, true);
  return nr_lower_cast(l, nr_lower_packed_value(l, w->zeros, &row, block, w->bits), NORIA_I32, NORIA_F32, true);
}

static NrValue *scale_of(NrLower *l, const Weights *w, NrValue *row, NrValue *block) {
  return nr_lower_cast(l, nr_lower_extract(l, w->scales, (NrValue *[]){row, block}, 2), w->scale_type, NORIA_F32, true);
}

/* The weights are read as they are stored, and unpacked in the loop of the product. Its lanes go along n, so bytes and
 * parameters lie along n too: these are rearranged, which of constants happens once, while compiling. */

/* Element (block, byte, n) of the bytes. */
static NrValue *byte_body(NrLower *l, NrValue *const *at, void *user) {
  return nr_lower_extract(l, ((const Weights *)user)->bytes, (NrValue *[]){at[2], at[0], at[1]}, 3);
}

/* Element (block, n) of the scales. */
static NrValue *scale_body(NrLower *l, NrValue *const *at, void *user) { return scale_of(l, user, at[1], at[0]); }

/* Element (block, n) of -zero point * scale, the value of a weight that is stored as 0. */
static NrValue *origin_body(NrLower *l, NrValue *const *at, void *user) {
  NrValue *zero = zero_of(l, user, at[1], at[0]);
  return mul(l, sub(l, num(l, zero, 0), zero), scale_of(l, user, at[1], at[0]));
}

typedef struct Part {
  NrValue *a;
  int64_t k, block, per_byte, place;
} Part;

/* Element (m, block, byte) of the left factors of the values at one place of the bytes; 0 behind its end. */
static NrValue *part_body(NrLower *l, NrValue *const *at, void *user) {
  const Part *p = user;
  NrValue *k = add(l, mul(l, at[1], nr_lower_index(l, p->block)), mul(l, at[2], nr_lower_index(l, p->per_byte)));
  k = add(l, k, nr_lower_index(l, p->place));
  NrValue *inside = p->k % p->block ? nr_lower_cmpi(l, NR_CMPI_ULT, k, nr_lower_index(l, p->k)) : NULL;
  if (inside) k = same2(l, NR_OP_arith_minsi, k, nr_lower_index(l, p->k - 1));
  NrValue *x = nr_lower_extract(l, p->a, (NrValue *[]){at[0], k}, 2);
  return inside ? nr_lower_select(l, inside, x, num(l, x, 0)) : x;
}

/* args: bytes, scales, origins, a left factor for each value of a byte, the sum. */
static void multiply_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Weights *w = user;
  NrType i32 = nr_type_i32(l->ctx);
  size_t count = (size_t)(8 / w->bits);
  NrValue *byte = nr_lower_op1(l, NR_OP_arith_extui, i32, args[0]), *sum = NULL;
  for (size_t i = 0; i < count; i++) {
    NrValue *q = byte;
    if (i) q = same2(l, NR_OP_arith_shrui, q, nr_lower_int(l, i32, (int64_t)i * w->bits));
    if (i + 1 < count) q = both(l, q, nr_lower_int(l, i32, (INT64_C(1) << w->bits) - 1));
    q = nr_lower_op1(l, NR_OP_arith_sitofp, nr_type_f32(l->ctx), q);
    NrValue *weight = nr_lower_fast(add(l, nr_lower_fast(mul(l, q, args[1])), args[2]));
    NrValue *term = nr_lower_fast(mul(l, weight, args[3 + i]));
    sum = sum ? nr_lower_fast(add(l, sum, term)) : term;
  }
  results[0] = nr_lower_fast(add(l, args[3 + count], sum));
}

/* init[m, n] + the sum over k of a[m, k] * weight[n, k]; blocks: how many there are along k. */
static NrValue *product(NrLower *l, const Weights *w, NrValue *a, int64_t k, int64_t n, int64_t blocks, NrValue *init) {
  enum { MOST = 4, LOOPS = 4 }; /* values of a byte; loops m, n, block, byte */
  int64_t per_byte = 8 / w->bits, bytes = w->block / per_byte;
  NrShape packed = {3, {nr_dim(blocks), nr_dim(bytes), nr_dim(n)}}, table = {2, {nr_dim(blocks), nr_dim(n)}};
  NrShape left = {3, {nr_lower_dim(l, a, 0), nr_dim(blocks), nr_dim(bytes)}};
  NrType f32 = nr_type_f32(l->ctx), i8 = w->bytes->type->elem;
  NrValue *inputs[3 + MOST] = {nr_lower_generate(l, &packed, i8, byte_body, (void *)w),
                               nr_lower_generate(l, &table, f32, scale_body, (void *)w),
                               nr_lower_generate(l, &table, f32, origin_body, (void *)w)};
  NrAffineExpr d[LOOPS];
  for (uint32_t i = 0; i < LOOPS; i++) d[i] = nr_affine_dim(l->ctx, i);
  NrAttr maps[4 + MOST], row = nr_attr_affine_map(l->ctx, LOOPS, 0, (NrAffineExpr[]){d[0], d[2], d[3]}, 3);
  maps[0] = nr_attr_affine_map(l->ctx, LOOPS, 0, (NrAffineExpr[]){d[2], d[3], d[1]}, 3);
  maps[1] = maps[2] = nr_attr_affine_map(l->ctx, LOOPS, 0, (NrAffineExpr[]){d[2], d[1]}, 2);
  for (int64_t i = 0; i < per_byte; i++) {
    Part p = {a, k, w->block, per_byte, i};
    inputs[3 + i] = nr_lower_generate(l, &left, f32, part_body, &p);
    maps[3 + i] = row;
  }
  maps[3 + per_byte] = nr_attr_affine_map(l->ctx, LOOPS, 0, d, 2);
  return nr_op_result(nr_lower_generic(l, inputs, (size_t)(3 + per_byte), &init, 1, maps, "pprr", multiply_body,
                                       (void *)w));
}

/* Weight (k, n), by the group of k. */
static NrValue *weight_body(NrLower *l, NrValue *const *at, void *user) {
  const Weights *w = user;
  NrValue *size = nr_lower_index(l, w->block), *block = same2(l, NR_OP_arith_divui, at[0], size);
  NrValue *place = same2(l, NR_OP_arith_remui, at[0], size);
  NrValue *q = nr_lower_packed_value(l, w->bytes, (NrValue *[]){at[1], block}, place, w->bits);
  NrValue *group = nr_lower_as_index(l, nr_lower_extract(l, w->groups, at, 1));
  q = nr_lower_op1(l, NR_OP_arith_sitofp, nr_type_f32(l->ctx), q);
  return mul(l, sub(l, q, zero_of(l, w, at[1], group)), scale_of(l, w, at[1], group));
}

/* The same product where any weights share a scale. They are unpacked first: a scale for each weight, in the loop of
 * the product, would take as much memory. */
static NrValue *product_by_groups(NrLower *l, const Weights *w, NrValue *a, int64_t k, int64_t n, NrValue *init) {
  NrShape shape = {2, {nr_dim(k), nr_dim(n)}};
  NrValue *weights = nr_lower_generate(l, &shape, nr_type_f32(l->ctx), weight_body, (void *)w);
  return nr_lower_sum_products(l, a, "mk", weights, "kn", "mn", init);
}

/* Input g_idx: a group for each k, perhaps also for what pads the last block. False after an error. */
static bool read_groups(NrLower *l, int64_t k, int64_t blocks, Weights *w) {
  NrValue *groups = nr_lower_in(l, 4);
  if (!groups) return true;
  w->groups = groups;
  if (!nr_lower_expect_rank(l, "g_idx", groups, 1)) return false;
  NrValue *counts[3] = {nr_dim_value(l, nr_lower_dim(l, groups, 0)), nr_lower_index(l, k),
                        nr_lower_index(l, blocks * w->block)};
  NrValue *fits = either(l, nr_lower_cmpi(l, NR_CMPI_EQ, counts[0], counts[1]),
                         nr_lower_cmpi(l, NR_CMPI_EQ, counts[0], counts[2]));
  nr_lower_check(l, fits, "g_idx has %0 entries, neither %1 nor %2", counts, 3);
  return nr_lower_expect_values(l, "g_idx", groups, nr_dim(blocks - 1));
}

/* A parameter of shape [rows, columns], which may come as one dim. */
static NrValue *table(NrLower *l, const char *name, NrValue *p, int64_t rows, int64_t columns) {
  NrShape flat = {1, {nr_dim(rows * columns)}}, want = {2, {nr_dim(rows), nr_dim(columns)}};
  if (!nr_lower_expect_shape(l, name, p, nr_rank(p) == 1 ? &flat : &want)) return NULL;
  return nr_lower_reshape(l, p, &want);
}

NrStatus nr_lower_matmul_nbits(NrLower *l) {
  int64_t n = nr_lower_attr_int(l, "N"), k = nr_lower_attr_int(l, "K");
  NrValue *a = nr_lower_in(l, 0), *bias = nr_lower_in(l, 5);
  Weights w = {.bytes = nr_lower_in(l, 1), .scale_type = nr_lower_dtype(l, 2), .zero_type = NORIA_U8,
               .bits = nr_lower_attr_int(l, "bits"), .block = nr_lower_attr_int(l, "block_size")};
  if (!check_bits(l, w.bits, w.block)) return NR_ERROR_INVALID;
  if (n < 1 || k < 1 || n > INT32_MAX || k > INT32_MAX)
    return nr_lower_error(l, "N is %lld and K is %lld", (long long)n, (long long)k);
  if (nr_lower_attr_int(l, "weight_prepacked")) return nr_lower_error(l, "weight_prepacked is not 0");
  if (nr_rank(a) == 0) return nr_lower_error(l, "A is a scalar");
  int64_t blocks = (k + w.block - 1) / w.block;
  NrShape bytes = {3, {nr_dim(n), nr_dim(blocks), nr_dim(w.block * w.bits / 8)}};
  NrShape from = nr_lower_shape(l, a), to = from;
  if (nr_lower_dtype(l, 1) != NORIA_U8 || !nr_lower_expect_shape(l, "B", w.bytes, &bytes) ||
      !nr_lower_expect_dim(l, "A", a, from.rank - 1, nr_dim(k)) ||
      !(w.scales = table(l, "scales", nr_lower_in(l, 2), n, blocks)) || !read_groups(l, k, blocks, &w))
    return NR_ERROR_INVALID;
  if (nr_lower_in(l, 3)) {
    w.zero_type = nr_lower_dtype(l, 3);
    int64_t columns = w.zero_type == NORIA_U8 ? (blocks * w.bits + 7) / 8 : blocks;
    if (!(w.zeros = table(l, "zero_points", nr_lower_in(l, 3), n, columns))) return NR_ERROR_INVALID;
  }
  NrType f32 = nr_type_f32(l->ctx), elem = a->type->elem;
  NrShape rows = {2, {nr_shape_elements(l, &from, 0, from.rank - 1), nr_dim(k)}};
  NrShape sum = {2, {rows.dims[0], nr_dim(n)}}, columns = {1, {nr_dim(n)}};
  if (bias && !nr_lower_expect_shape(l, "bias", bias, &columns)) return NR_ERROR_INVALID;
  NrValue *init = bias ? nr_lower_broadcast_to(l, nr_lower_widen_tensor(l, bias), &sum) : nr_lower_zeros(l, &sum, f32);
  NrValue *flat = nr_lower_widen_tensor(l, nr_lower_reshape(l, a, &rows));
  NrValue *y = w.groups ? product_by_groups(l, &w, flat, k, n, init) : product(l, &w, flat, k, n, blocks, init);
  to.dims[to.rank - 1] = nr_dim(n);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, nr_lower_reshape(l, y, &to), elem), nr_lower_dtype(l, 0));
}

/* ---- GatherBlockQuantized ---- */

typedef struct Blocks {
  NrValue *data, *indices, *scales, *zeros; /* zeros may be NULL */
  NoriaDType data_type, scale_type;
  size_t gather, quantize, depth; /* axes; the rank of indices */
  int64_t bits, block;            /* bits: 0 unless values are packed into bytes */
  NrDim size;                     /* of the axis that is gathered from */
} Blocks;

/* (value - zero point) of data at some indices, block indices being those of the parameters. */
static NrValue *block_distance(NrLower *l, const Blocks *g, NrValue *const *at, NrValue *const *block) {
  size_t rank = nr_rank(g->data);
  if (!g->bits) {
    NrValue *q = nr_lower_extract(l, g->data, at, rank);
    NrValue *zero = g->zeros ? nr_lower_extract(l, g->zeros, block, rank) : NULL;
    NrValue *x = nr_quantized_distance(l, q, zero, g->data_type);
    return nr_type_is_int(x->type) ? nr_lower_op1(l, NR_OP_arith_sitofp, nr_type_f32(l->ctx), x) : x;
  }
  NrValue *q = nr_lower_packed_value(l, g->data, at, at[rank - 1], g->bits);
  NrValue *zero = g->zeros ? nr_lower_packed_value(l, g->zeros, block, block[rank - 1], g->bits)
                           : nr_lower_int(l, q->type, INT64_C(1) << (g->bits - 1));
  return nr_lower_cast(l, sub(l, q, zero), NORIA_I32, NORIA_F32, true);
}

static NrValue *block_body(NrLower *l, NrValue *const *indices, void *user) {
  const Blocks *g = user;
  size_t rank = nr_rank(g->data);
  NrValue *at[NORIA_MAX_RANK], *block[NORIA_MAX_RANK], *scale[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++)
    if (i != g->gather) at[i] = indices[i < g->gather ? i : i + g->depth - 1];
  NrValue *zero = nr_lower_index(l, 0), *size = nr_dim_value(l, g->size);
  NrValue *position = nr_lower_as_index(l, nr_lower_extract(l, g->indices, indices + g->gather, g->depth));
  NrValue *negative = nr_lower_cmpi(l, NR_CMPI_SLT, position, zero);
  position = nr_lower_select(l, negative, add(l, position, size), position);
  NrValue *inside = nr_lower_cmpi(l, NR_CMPI_ULT, position, size);
  at[g->gather] = nr_lower_select(l, inside, position, zero);
  for (size_t i = 0; i < rank; i++) block[i] = at[i];
  block[g->quantize] = g->block ? same2(l, NR_OP_arith_divui, at[g->quantize], nr_lower_index(l, g->block)) : zero;
  for (size_t i = 0; i < rank; i++) {
    NrValue *have = nr_dim_value(l, nr_lower_dim(l, g->scales, i));
    scale[i] = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, have, nr_lower_index(l, 1)), zero, block[i]);
  }
  NrValue *s = nr_lower_cast(l, nr_lower_extract(l, g->scales, scale, rank), g->scale_type, NORIA_F32, true);
  NrValue *x = mul(l, block_distance(l, g, at, block), s);
  x = nr_lower_select(l, inside, x, num(l, x, 0));
  return nr_lower_cast(l, x, NORIA_F32, g->scale_type, true);
}

/* The shape of scales: that of the values with blocks along the axis; of floats, other dims may be 1. */
static bool check_parameters(NrLower *l, const Blocks *g, const NrShape *values) {
  NrShape want = *values;
  NrDim size = want.dims[g->quantize];
  want.dims[g->quantize] = g->block ? nr_dim_ceildiv(l, size, nr_dim(g->block)) : nr_dim(1);
  bool fit = nr_dtype_is_float(g->data_type) ? nr_lower_expect_broadcast(l, "scales", g->scales, &want)
                                             : nr_lower_expect_shape(l, "scales", g->scales, &want);
  if (!fit) return false;
  if (g->bits) {
    NrDim last = nr_dim_mul(l, want.dims[want.rank - 1], nr_dim(g->bits));
    want.dims[want.rank - 1] = nr_dim_ceildiv(l, last, nr_dim(8));
  }
  return !g->zeros || nr_lower_expect_shape(l, "zero_points", g->zeros, &want);
}

NrStatus nr_lower_gather_block_quantized(NrLower *l) {
  Blocks g = {nr_lower_in(l, 0), nr_lower_in(l, 1), nr_lower_in(l, 2), nr_lower_in(l, 3),
              .data_type = nr_lower_dtype(l, 0), .scale_type = nr_lower_dtype(l, 2),
              .block = nr_lower_attr_int(l, "block_size")};
  NrShape values = nr_lower_shape(l, g.data), q = nr_lower_shape(l, g.indices), out = {0};
  g.depth = q.rank;
  bool floats = nr_dtype_is_float(g.data_type);
  if (!nr_is_quantized_type(l, g.data_type))
    return nr_lower_error(l, "input 0 is %s, which is no type of quantised values", nr_dtype_name(g.data_type));
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "gather_axis"), values.rank, &g.gather) ||
      !nr_lower_axis(l, nr_lower_attr_int(l, "quantize_axis"), values.rank, &g.quantize) ||
      !nr_lower_expect_rank(l, "scales", g.scales, values.rank))
    return NR_ERROR_INVALID;
  if (g.data_type == NORIA_U8) g.bits = nr_lower_attr_int(l, "bits");
  if (!(floats && g.block == 0) && !check_bits(l, g.bits ? g.bits : 8, g.block)) return NR_ERROR_INVALID;
  if (g.zeros && (floats || nr_lower_dtype(l, 3) != g.data_type))
    return nr_lower_error(l, "zero_points is %s; data is %s", nr_dtype_name(nr_lower_dtype(l, 3)),
                          nr_dtype_name(g.data_type));
  if (g.bits && (g.gather != 0 || (g.bits < 8 && g.gather == g.quantize)))
    return nr_lower_error(l, "data of bytes needs gather_axis 0 and another quantize_axis");
  if (g.bits) values.dims[values.rank - 1] = nr_dim_mul(l, values.dims[values.rank - 1], nr_dim(8 / g.bits));
  if (!check_parameters(l, &g, &values)) return NR_ERROR_INVALID;
  if (values.rank + q.rank > NORIA_MAX_RANK + 1) return nr_lower_error(l, "the result has too many dims");
  for (size_t i = 0; i < g.gather; i++) out.dims[out.rank++] = values.dims[i];
  for (size_t i = 0; i < q.rank; i++) out.dims[out.rank++] = q.dims[i];
  for (size_t i = g.gather + 1; i < values.rank; i++) out.dims[out.rank++] = values.dims[i];
  g.size = values.dims[g.gather];
  nr_lower_expect_elements(l, "data", g.data, g.gather, &out);
  NrValue *y = nr_lower_generate(l, &out, nr_lower_elem_type(l->ctx, g.scale_type), block_body, &g);
  return nr_lower_out(l, 0, y, g.scale_type);
}
