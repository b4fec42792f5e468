/* pool.c - pooling: a reduction over the window at each position. Out of bounds, index 0 is read and dropped, so any
 * pads, strides and dilations work. */
#include "dialect/linalg/linalg.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/qmatmul.h"

typedef struct Pool {
  NrValue *x;
  NrWindow w;
  bool column_major, count_pads;
  bool is_unsigned;
  double p;
} Pool;

/* Numbers of the loop dims: batch, channel, positions.., window... */
static NrValue *position_dim(NrLower *l, size_t i) { return nr_lower_loop_index(l, 2 + i); }
static NrValue *window_dim(NrLower *l, const Pool *pool, size_t i) {
  return nr_lower_loop_index(l, 2 + pool->w.spatial + i);
}

/* The input's index along spatial dim i, before clipping. */
static NrValue *place(NrLower *l, const Pool *pool, size_t i) {
  NrValue *at = same2(l, NR_OP_arith_muli, position_dim(l, i), nr_lower_index(l, pool->w.stride[i]));
  at = same2(l, NR_OP_arith_addi, at,
                same2(l, NR_OP_arith_muli, window_dim(l, pool, i), nr_lower_index(l, pool->w.dilation[i])));
  return same2(l, NR_OP_arith_subi, at, nr_dim_value(l, pool->w.begin[i]));
}

/* The element under the window, whether it is inside, and its indices. */
static NrValue *element(NrLower *l, const Pool *pool, NrValue **out_inside, NrValue **indices) {
  NrValue *inside = nr_lower_int(l, nr_type_i1(l->ctx), 1);
  indices[0] = nr_lower_loop_index(l, 0);
  indices[1] = nr_lower_loop_index(l, 1);
  for (size_t i = 0; i < pool->w.spatial; i++) {
    NrValue *at = place(l, pool, i);
    NrValue *ok = nr_lower_cmpi(l, NR_CMPI_ULT, at, nr_dim_value(l, nr_lower_dim(l, pool->x, i + 2)));
    inside = both(l, inside, ok);
    indices[2 + i] = nr_lower_select(l, ok, at, nr_lower_index(l, 0));
  }
  *out_inside = inside;
  return nr_lower_extract(l, pool->x, indices, pool->w.spatial + 2);
}

/* A linalg.generic over batch, channels, positions and window. An empty tensor gives the window's ranges. */
static NrOp *window_generic(NrLower *l, Pool *pool, NrValue *const *inits, size_t num_inits, NrGenericBodyFn body) {
  size_t spatial = pool->w.spatial, loops = 2 + 2 * spatial;
  NrShape window = {.rank = spatial};
  NrAffineExpr exprs[2 * NORIA_MAX_RANK];
  char iterators[2 * NORIA_MAX_RANK + 3] = {0};
  for (size_t i = 0; i < spatial; i++) window.dims[i] = pool->w.size[i];
  for (size_t i = 0; i < loops; i++) {
    exprs[i] = nr_affine_dim(l->ctx, (uint32_t)i);
    iterators[i] = i < 2 + spatial ? 'p' : 'r';
  }
  NrValue *shape = nr_lower_empty(l, &window, nr_lower_wide_type(pool->x->type->elem));
  NrAttr maps[3] = {nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs + 2 + spatial, spatial)};
  for (size_t i = 0; i < num_inits; i++)
    maps[1 + i] = nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs, 2 + spatial);
  return nr_lower_generic(l, &shape, 1, inits, num_inits, maps, iterators, body, pool);
}

static NrShape output_shape(NrLower *l, const Pool *pool) {
  NrShape out = {2 + pool->w.spatial, {nr_lower_dim(l, pool->x, 0), nr_lower_dim(l, pool->x, 1)}};
  for (size_t i = 0; i < pool->w.spatial; i++) out.dims[2 + i] = pool->w.out[i];
  return out;
}

/* Out of bounds, index 0 is read, so the input must not be empty. */
static NrStatus read_window(NrLower *l, Pool *pool) {
  NR_TRY(nr_lower_window(l, pool->x, &pool->w));
  NrShape out = output_shape(l, pool);
  for (size_t i = 0; i < pool->w.spatial; i++) nr_lower_expect_elements(l, "X", pool->x, i + 2, &out);
  return NR_OK;
}

/* Of LpPool and GlobalLpPool. */
static double norm_order(NrLower *l) {
  return l->version < 2 ? nr_lower_attr_float(l, "p") : (double)nr_lower_attr_int(l, "p");
}

/* pool->x is input 0, unless it was set. */
static NrStatus read_pool(NrLower *l, Pool *pool) {
  int64_t kernel[NORIA_MAX_RANK];
  if (!pool->x) pool->x = nr_lower_in(l, 0);
  if (nr_rank(pool->x) < 3)
    return nr_lower_error(l, "the input has rank %u; pooling needs 3 or more", nr_rank(pool->x));
  size_t count = nr_rank(pool->x) - 2;
  if (count * 2 + 2 > NORIA_MAX_RANK) return nr_lower_error(l, "too many spatial dims");
  if (!nr_lower_attr(l, "kernel_shape")) return nr_lower_error(l, "kernel_shape is missing");
  if (!nr_lower_window_list(l, "kernel_shape", count, 1, 1, kernel)) return NR_ERROR_INVALID;
  for (size_t i = 0; i < count; i++) pool->w.size[i] = nr_dim(kernel[i]);
  pool->is_unsigned = nr_dtype_is_unsigned(nr_lower_dtype(l, 0));
  pool->count_pads = nr_lower_takes_attr(l, "count_include_pad") && nr_lower_attr_int(l, "count_include_pad") != 0;
  pool->column_major = nr_lower_takes_attr(l, "storage_order") && nr_lower_attr_int(l, "storage_order") != 0;
  if (nr_lower_takes_attr(l, "p")) pool->p = norm_order(l);
  return read_window(l, pool);
}

/* ---- MaxPool ---- */

static NrValue *lowest(NrLower *l, NrType t, bool is_unsigned) {
  return nr_lower_neutral(l, extreme_op(t, is_unsigned, true), t);
}

static NrValue *is_larger(NrLower *l, const Pool *pool, NrValue *a, NrValue *b) {
  if (nr_type_is_float(a->type)) return nr_lower_cmpf(l, NR_CMPF_OGT, a, b);
  return nr_lower_cmpi(l, pool->is_unsigned ? NR_CMPI_UGT : NR_CMPI_SGT, a, b);
}

/* The index of an element in the flattened input; the spatial part is row-major or column-major. */
static NrValue *flat_index(NrLower *l, const Pool *pool, NrValue *const *indices) {
  size_t spatial = pool->w.spatial;
  NrValue *at =
      same2(l, NR_OP_arith_addi,
               same2(l, NR_OP_arith_muli, indices[0], nr_dim_value(l, nr_lower_dim(l, pool->x, 1))), indices[1]);
  NrValue *inner = nr_lower_index(l, 0), *size = nr_lower_index(l, 1);
  for (size_t k = 0; k < spatial; k++) {
    size_t i = pool->column_major ? spatial - 1 - k : k;
    NrValue *dim = nr_dim_value(l, nr_lower_dim(l, pool->x, 2 + i));
    inner = same2(l, NR_OP_arith_addi, same2(l, NR_OP_arith_muli, inner, dim), indices[2 + i]);
    size = same2(l, NR_OP_arith_muli, size, dim);
  }
  return same2(l, NR_OP_arith_addi, same2(l, NR_OP_arith_muli, at, size), inner);
}

static void max_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pool *pool = user;
  NrValue *inside, *indices[NORIA_MAX_RANK], *x = element(l, pool, &inside, indices);
  NrValue *better = both(l, inside, is_larger(l, pool, x, args[1]));
  results[0] = nr_lower_select(l, better, x, args[1]);
}

static void max_index_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pool *pool = user;
  NrValue *inside, *indices[NORIA_MAX_RANK], *x = element(l, pool, &inside, indices);
  NrValue *first = nr_lower_cmpi(l, NR_CMPI_SLT, args[2], nr_lower_int(l, args[2]->type, 0));
  NrValue *better = both(l, inside, either(l, first, is_larger(l, pool, x, args[1])));
  NrValue *index = nr_lower_op1(l, NR_OP_arith_index_cast, args[2]->type, flat_index(l, pool, indices));
  results[0] = nr_lower_select(l, better, x, args[1]);
  results[1] = nr_lower_select(l, better, index, args[2]);
}

static void max_of_input_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  results[0] = nr_lower_select(l, is_larger(l, user, args[0], args[2]), args[0], args[2]);
}

/* The maximum over windows of which none reaches out of x. */
static NrValue *max_inside(NrLower *l, Pool *pool, NrValue *init) {
  size_t spatial = pool->w.spatial, loops = 2 + 2 * spatial;
  NrAffineExpr exprs[2 * NORIA_MAX_RANK], x[NORIA_MAX_RANK];
  char iterators[2 * NORIA_MAX_RANK + 3] = {0};
  NrShape window = {.rank = spatial};
  for (size_t i = 0; i < loops; i++) {
    exprs[i] = nr_affine_dim(l->ctx, (uint32_t)i);
    iterators[i] = i < 2 + spatial ? 'p' : 'r';
  }
  x[0] = exprs[0];
  x[1] = exprs[1];
  for (size_t i = 0; i < spatial; i++) {
    window.dims[i] = pool->w.size[i];
    NrAffineExpr stride = nr_affine_constant(l->ctx, pool->w.stride[i]);
    NrAffineExpr dilation = nr_affine_constant(l->ctx, pool->w.dilation[i]);
    x[2 + i] = nr_affine_binary(NR_AFFINE_ADD, nr_affine_binary(NR_AFFINE_MUL, exprs[2 + i], stride),
                                nr_affine_binary(NR_AFFINE_MUL, exprs[2 + spatial + i], dilation));
  }
  NrValue *shape = nr_lower_empty(l, &window, pool->x->type->elem);
  NrAttr maps[3] = {nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, x, 2 + spatial),
                    nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs + 2 + spatial, spatial),
                    nr_attr_affine_map(l->ctx, (uint32_t)loops, 0, exprs, 2 + spatial)};
  return nr_op_result(nr_lower_generic(l, (NrValue *[]){pool->x, shape}, 2, &init, 1, maps, iterators,
                                       max_of_input_body, pool));
}

/* Windows of one element along dim i, so that it stays as it is. */
static void keep_dim(NrLower *l, Pool *pool, size_t i) {
  pool->w.size[i] = nr_dim(1);
  pool->w.stride[i] = pool->w.dilation[i] = 1;
  pool->w.begin[i] = pool->w.end[i] = nr_dim(0);
  pool->w.out[i] = nr_lower_dim(l, pool->x, i + 2);
}

/* Whether no window reaches out of the input and a padding of known size. In ceil_mode the last one may. */
static bool stays_in_padding(NrLower *l, const Pool *pool) {
  const NrWindow *w = &pool->w;
  if (nr_lower_takes_attr(l, "ceil_mode") && nr_lower_attr_int(l, "ceil_mode") != 0) return false;
  for (size_t i = 0; i < w->spatial; i++) {
    NrDim begin = w->begin[i], end = w->end[i];
    if (!nr_dim_known(begin) || !nr_dim_known(end) || begin.size < 0 || end.size < 0) return false;
  }
  return true;
}

/* The maximum over windows: first of all spatial dims but the last one, then of the last one. Where both stages take
 * several elements, that is fewer of them, and the first stage, which takes most, reads whole rows. Padding is
 * written around the input, so that no window reaches out of it. (3x3 with strides of 2 on 64 channels of 112x112: 0.21
 * ms instead of 0.71, 0.28 instead of 1.5 where only the run knows the image's size.) */
static NrValue *max_over_windows(NrLower *l, const Pool *pool) {
  Pool rows = *pool, columns = *pool;
  size_t last = pool->w.spatial - 1;
  bool several = false;
  for (size_t i = 0; i < last; i++) several |= !nr_dim_is(pool->w.size[i], 1);
  if (several && !nr_dim_is(pool->w.size[last], 1)) {
    keep_dim(l, &rows, last);
    columns.x = max_over_windows(l, &rows);
    for (size_t i = 0; i < last; i++) keep_dim(l, &columns, i);
  }
  NrShape out = output_shape(l, &columns);
  NrValue *init = nr_lower_fill(l, &out, lowest(l, columns.x->type->elem, pool->is_unsigned));
  if (!stays_in_padding(l, &columns)) return nr_op_result(window_generic(l, &columns, &init, 1, max_body));
  columns.x = nr_lower_padded(l, columns.x, lowest(l, columns.x->type->elem, pool->is_unsigned), &columns.w, &out);
  return max_inside(l, &columns, init);
}

NrStatus nr_lower_maxpool(NrLower *l) {
  Pool pool = {0};
  enum { MAX_RESULT, INDEX_RESULT };
  NR_TRY(read_pool(l, &pool));
  if (!nr_lower_wants(l, 1)) return nr_lower_out(l, 0, max_over_windows(l, &pool), nr_lower_dtype(l, 0));
  NrShape out = output_shape(l, &pool);
  NrValue *inits[2] = {nr_lower_fill(l, &out, lowest(l, pool.x->type->elem, pool.is_unsigned)),
                       nr_lower_fill(l, &out, nr_lower_int(l, nr_type_i64(l->ctx), -1))};
  NrOp *op = window_generic(l, &pool, inits, 2, max_index_body);
  NR_TRY(nr_lower_out(l, 0, nr_result(op, MAX_RESULT), nr_lower_dtype(l, 0)));
  return nr_lower_out(l, 1, nr_result(op, INDEX_RESULT), NORIA_I64);
}

NrStatus nr_lower_nhwc_max_pool(NrLower *l) {
  Pool pool = {.x = nr_lower_move_channels(l, nr_lower_in(l, 0), true)};
  NR_TRY(read_pool(l, &pool));
  NrValue *y = max_over_windows(l, &pool);
  return nr_lower_out(l, 0, nr_lower_move_channels(l, y, false), nr_lower_dtype(l, 0));
}

/* ---- AveragePool, LpPool ---- */

/* The sum of the elements in bounds, and the number of elements to divide by. */
static void average_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pool *pool = user;
  NrValue *inside, *indices[NORIA_MAX_RANK], *x = nr_lower_widen(l, element(l, pool, &inside, indices));
  NrValue *counts = inside;
  if (pool->count_pads) {
    /* Padding counts, but not what ceil_mode adds beyond it. */
    counts = nr_lower_int(l, nr_type_i1(l->ctx), 1);
    for (size_t i = 0; i < pool->w.spatial; i++) {
      NrDim end = nr_dim_add(l, nr_lower_dim(l, pool->x, i + 2), pool->w.end[i]);
      counts = both(l, counts, nr_lower_cmpi(l, NR_CMPI_SLT, place(l, pool, i), nr_dim_value(l, end)));
    }
  }
  results[0] = nr_lower_select(l, inside, add(l, args[1], x), args[1]);
  results[1] = nr_lower_select(l, counts, add(l, args[2], num(l, args[2], 1)), args[2]);
}

static NrValue *quotient_body(NrLower *l, NrValue *const *args, void *user) { return divf(l, args[0], args[1]); }

NrValue *nr_lower_average_over_windows(NrLower *l, NrValue *x) {
  Pool pool = {.x = x};
  if (read_pool(l, &pool)) return NULL;
  NrShape out = output_shape(l, &pool);
  NrType wide = nr_lower_wide_type(x->type->elem);
  NrValue *inits[2] = {nr_lower_zeros(l, &out, wide), nr_lower_zeros(l, &out, wide)};
  NrOp *op = window_generic(l, &pool, inits, 2, average_body);
  NrValue *totals[2];
  for (size_t i = 0; i < 2; i++) totals[i] = nr_result(op, i);
  return nr_lower_map(l, totals, 2, NULL, quotient_body, NULL);
}

NrStatus nr_lower_averagepool(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *mean = nr_lower_average_over_windows(l, x);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, mean, x->type->elem), nr_lower_dtype(l, 0));
}

static NrValue *power(NrLower *l, NrValue *x, double p) {
  if (p == 1) return x;
  if (p == 2) return mul(l, x, x);
  return same2(l, NR_OP_math_powf, x, num(l, x, p));
}

static NrValue *power_body(NrLower *l, NrValue *const *args, void *user) {
  return power(l, same1(l, NR_OP_math_absf, args[0]), ((const Pool *)user)->p);
}

static NrValue *root_body(NrLower *l, NrValue *const *args, void *user) {
  double p = ((const Pool *)user)->p;
  if (p == 2) return same1(l, NR_OP_math_sqrt, args[0]);
  return p == 1 ? args[0] : same2(l, NR_OP_math_powf, args[0], num(l, args[0], 1 / p));
}

static void power_sum_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Pool *pool = user;
  NrValue *inside, *indices[NORIA_MAX_RANK], *x = nr_lower_widen(l, element(l, pool, &inside, indices));
  NrValue *sum = add(l, args[1], power(l, same1(l, NR_OP_math_absf, x), pool->p));
  results[0] = nr_lower_select(l, inside, sum, args[1]);
}

NrStatus nr_lower_lppool(NrLower *l) {
  Pool pool = {0};
  NR_TRY(read_pool(l, &pool));
  NrShape out = output_shape(l, &pool);
  NrType elem = pool.x->type->elem;
  NrValue *init = nr_lower_zeros(l, &out, nr_lower_wide_type(elem));
  NrValue *sum = nr_op_result(window_generic(l, &pool, &init, 1, power_sum_body));
  NrValue *root = nr_lower_map(l, &sum, 1, NULL, root_body, &pool);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, root, elem), nr_lower_dtype(l, 0));
}

/* ---- over all positions ---- */

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_fast(add(l, args[0], args[1]));
}
static NrValue *max_combine(NrLower *l, NrValue *const *args, void *user) { return larger(l, args[0], args[1]); }

/* All dims behind the channel. */
static uint64_t spatial_axes(NrValue *x) { return ((1ull << nr_rank(x)) - 1) & ~3ull; }

NrStatus nr_lower_globalmaxpool(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *init = lowest(l, x->type->elem, false);
  return nr_lower_out(l, 0, nr_lower_reduce(l, x, spatial_axes(x), true, init, NULL, max_combine, NULL),
                      nr_lower_dtype(l, 0));
}

static NrValue *scale_body(NrLower *l, NrValue *const *args, void *user) {
  NrDim *count = user;
  NrType i64 = nr_type_i64(l->ctx);
  NrValue *n = nr_lower_op1(l, NR_OP_arith_index_cast, i64, nr_dim_value(l, *count));
  return divf(l, args[0], nr_lower_op1(l, NR_OP_arith_sitofp, args[0]->type, n));
}

NrStatus nr_lower_globalaveragepool(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, x);
  NrDim count = nr_shape_elements(l, &shape, 2, shape.rank);
  NrType elem = x->type->elem;
  x = nr_lower_widen_tensor(l, x);
  NrValue *sum =
      nr_lower_reduce(l, x, spatial_axes(x), true, nr_lower_constant(l, x->type->elem, 0), NULL, sum_body, NULL);
  NrValue *mean = nr_lower_map(l, &sum, 1, NULL, scale_body, &count);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, mean, elem), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_globallppool(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  Pool pool = {.p = norm_order(l)};
  NrType elem = x->type->elem;
  x = nr_lower_widen_tensor(l, x);
  NrValue *powers = nr_lower_map(l, &x, 1, NULL, power_body, &pool);
  NrValue *sum =
      nr_lower_reduce(l, powers, spatial_axes(x), true, nr_lower_constant(l, x->type->elem, 0), NULL, sum_body, NULL);
  NrValue *root = nr_lower_map(l, &sum, 1, NULL, root_body, &pool);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, root, elem), nr_lower_dtype(l, 0));
}
