/* norm.c - normalisation by given statistics (batch) or by the input's own statistics over some axes. */
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/norm.h"
#include "onnx/lower/ops/qmatmul.h"

typedef struct Norm {
  double epsilon;
  NrDim count;
} Norm;

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_fast(add(l, args[0], args[1]));
}

/* sum / count */
static NrValue *mean_body(NrLower *l, NrValue *const *args, void *user) {
  const Norm *n = user;
  NrType i64 = nr_type_i64(l->ctx);
  NrValue *count = nr_lower_op1(l, NR_OP_arith_index_cast, i64, nr_dim_value(l, n->count));
  return divf(l, args[0], nr_lower_op1(l, NR_OP_arith_sitofp, args[0]->type, count));
}

/* 1 / sqrt(variance + epsilon) */
static NrValue *inverse_body(NrLower *l, NrValue *const *args, void *user) {
  const Norm *n = user;
  NrValue *root = same1(l, NR_OP_math_sqrt, add(l, args[0], num(l, args[0], n->epsilon)));
  return divf(l, num(l, root, 1), root);
}

static NrValue *centre_body(NrLower *l, NrValue *const *args, void *user) { return sub(l, args[0], args[1]); }
static NrValue *square_body(NrLower *l, NrValue *const *args, void *user) { return mul(l, args[0], args[0]); }
static NrValue *scale_body(NrLower *l, NrValue *const *args, void *user) { return mul(l, args[0], args[1]); }

static NrValue *map2(NrLower *l, NrValue *a, NrValue *b, NrBodyFn body) {
  return nr_lower_map(l, (NrValue *[]){a, b}, 2, NULL, body, NULL);
}

static NrValue *mean_over(NrLower *l, NrValue *x, uint64_t axes, Norm *n) {
  NrDim count = nr_dim(1);
  for (size_t i = 0; i < nr_rank(x); i++)
    if (axes >> i & 1) count = nr_dim_mul(l, count, nr_lower_dim(l, x, i));
  n->count = count;
  NrValue *sum = nr_lower_reduce(l, x, axes, true, nr_lower_constant(l, x->type->elem, 0), NULL, sum_body, NULL);
  return nr_lower_map(l, &sum, 1, NULL, mean_body, n);
}

NrValue *nr_lower_normalise(NrLower *l, NrValue *x, uint64_t axes, double epsilon, bool centred, NrValue **mean,
                            NrValue **inverse) {
  Norm n = {.epsilon = epsilon};
  NrValue *m = centred ? mean_over(l, x, axes, &n) : NULL;
  NrValue *centre = m ? map2(l, x, m, centre_body) : x;
  NrValue *squares = nr_lower_map(l, &centre, 1, NULL, square_body, NULL);
  NrValue *variance = mean_over(l, squares, axes, &n);
  NrValue *factor = nr_lower_map(l, &variance, 1, NULL, inverse_body, &n);
  if (mean) *mean = m;
  if (inverse) *inverse = factor;
  return map2(l, centre, factor, scale_body);
}

/* Input i, a vector over the channels of input 0, as [1, C, 1, ..], widened. NULL after an error. */
static NrValue *per_channel(NrLower *l, size_t i, size_t rank) {
  NrValue *vector = nr_lower_in(l, i);
  if (rank < 2) return nr_lower_error(l, "input 0 has rank %zu; it needs a channel dim", rank), NULL;
  NrDim size = nr_lower_dim(l, nr_lower_in(l, 0), 1);
  if (!nr_lower_is_vector(l, i, size)) return NULL;
  NrShape shape = {.rank = rank};
  for (size_t d = 0; d < rank; d++) shape.dims[d] = d == 1 ? size : nr_dim(1);
  return nr_lower_widen_tensor(l, nr_lower_reshape(l, vector, &shape));
}

/* Input i, which has a number for each position of input 0's items, as [1, C, D1, ..], widened. NULL after an error. */
static NrValue *per_position(NrLower *l, size_t i, size_t rank) {
  static const char *const names[] = {"X", "scale", "B", "mean", "var"};
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0)), item = {.rank = rank - 1};
  for (size_t d = 1; d < rank; d++) item.dims[d - 1] = shape.dims[d];
  if (!nr_lower_expect_shape(l, names[i], nr_lower_in(l, i), &item)) return NULL;
  shape.dims[0] = nr_dim(1);
  return nr_lower_widen_tensor(l, nr_lower_reshape(l, nr_lower_in(l, i), &shape));
}

/* ---- BatchNormalization ---- */

static NrValue *batch_body(NrLower *l, NrValue *const *a, void *user) {
  const Norm *n = user;
  NrValue *root = same1(l, NR_OP_math_sqrt, add(l, a[4], num(l, a[4], n->epsilon)));
  return add(l, mul(l, divf(l, sub(l, a[0], a[3]), root), a[1]), a[2]);
}

typedef struct Momentum {
  double keep;
} Momentum;

static NrValue *running_body(NrLower *l, NrValue *const *a, void *user) {
  double keep = ((const Momentum *)user)->keep;
  return add(l, mul(l, a[0], num(l, a[0], keep)), mul(l, a[1], num(l, a[1], 1 - keep)));
}

/* Training mode: normalises by the batch's statistics over axes and updates the running ones. */
static NrStatus train(NrLower *l, NrValue *x, uint64_t axes, NrValue **mean, NrValue **variance) {
  Momentum m = {nr_lower_attr_float(l, "momentum")};
  Norm n = {0};
  NrValue *batch_mean = mean_over(l, x, axes, &n), *centre = map2(l, x, batch_mean, centre_body);
  NrValue *squares = nr_lower_map(l, &centre, 1, NULL, square_body, NULL), *batch_var = mean_over(l, squares, axes, &n);
  NrValue *batch[2] = {batch_mean, batch_var}, *running[2] = {*mean, *variance};
  for (size_t i = 0; i < 2; i++) {
    NrValue *next = nr_lower_map(l, (NrValue *[]){running[i], batch[i]}, 2, NULL, running_body, &m);
    NrShape shape = nr_lower_shape(l, nr_lower_in(l, 3 + i));
    NrType elem = nr_lower_in(l, 3 + i)->type->elem;
    NR_TRY(nr_lower_out(l, 1 + i, nr_lower_narrow_tensor(l, nr_lower_reshape(l, next, &shape), elem),
                                   nr_lower_dtype(l, 3 + i)));
  }
  *mean = batch_mean;
  *variance = batch_var;
  return NR_OK;
}

NrStatus nr_lower_batchnormalization(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrType elem = x->type->elem;
  size_t rank = nr_rank(x);
  Norm n = {.epsilon = nr_lower_attr_float(l, "epsilon")};
  if (rank < 2) return nr_lower_error(l, "the input has rank %zu; it needs a channel dim", rank);
  bool positions = nr_lower_attr_int(l, "spatial") == 0 && nr_rank(nr_lower_in(l, 1)) != 1;
  NrValue *args[5] = {nr_lower_widen_tensor(l, x)};
  bool doubles = nr_type_bits(x->type->elem) == 64;
  for (size_t i = 1; i < 5; i++) {
    if (!(args[i] = positions ? per_position(l, i, rank) : per_channel(l, i, rank))) return NR_ERROR_INVALID;
    doubles |= nr_type_bits(args[i]->type->elem) == 64;
  }
  /* The input, the scales and the statistics may have types of their own: all is computed in the widest. */
  for (size_t i = 0; i < 5; i++)
    args[i] = nr_lower_cast_tensor(l, args[i], nr_type_bits(args[i]->type->elem) == 64 ? NORIA_F64 : NORIA_F32,
                                   doubles ? NORIA_F64 : NORIA_F32);
  bool training = l->version >= 14
                      ? nr_lower_attr_int(l, "training_mode") != 0
                      : l->version < 7 && nr_lower_attr_int(l, "is_test") == 0 && nr_lower_num_out(l) > 1;
  uint64_t axes = positions ? 1 : ((1ull << rank) - 1) & ~2ull;
  NR_TRY(training ? train(l, args[0], axes, &args[3], &args[4]) : NR_OK);
  NrValue *y = nr_lower_map(l, args, 5, NULL, batch_body, &n);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, elem), nr_lower_dtype(l, 0));
}

/* ---- LayerNormalization, RMSNormalization ---- */

static NrValue *to_scale_type(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), nr_lower_dtype(l, 1), true);
}

/* inverse_at: the output that is what the rows are multiplied by. */
static NrStatus layer(NrLower *l, bool centred, size_t inverse_at) {
  NrValue *x = nr_lower_in(l, 0), *scale = nr_lower_in(l, 1), *bias = centred ? nr_lower_in(l, 2) : NULL;
  NrType elem = x->type->elem;
  size_t axis;
  if (!nr_lower_takes(l, 0, NR_FLOATS) || !nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(x), &axis))
    return NR_ERROR_INVALID;
  uint64_t axes = ((1ull << nr_rank(x)) - 1) & ~((1ull << axis) - 1);
  NrValue *mean = NULL, *inverse;
  NrValue *y = nr_lower_normalise(l, nr_lower_widen_tensor(l, x), axes, nr_lower_attr_float(l, "epsilon"), centred,
                                  &mean, &inverse);
  /* The normalised value is rounded to the input's type before scaling, as ONNX defines. */
  y = nr_lower_narrow_tensor(l, y, elem);
  NrType result = scale ? scale->type->elem : elem;
  NoriaDType dtype = nr_lower_dtype(l, scale ? 1 : 0);
  if (dtype != nr_lower_dtype(l, 0)) y = nr_lower_map(l, &y, 1, result, to_scale_type, NULL);
  y = nr_lower_widen_tensor(l, y);
  if (scale) y = map2(l, y, nr_lower_widen_tensor(l, scale), scale_body);
  if (bias) y = nr_lower_sum(l, y, nr_lower_widen_tensor(l, bias));
  NrStatus status = nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, result), dtype);
  NoriaDType wide = nr_type_bits(elem) < 32 ? NORIA_F32 : nr_lower_dtype(l, 0);
  /* The types that U may be. float64 is normalised in float64 all the same. */
  NoriaDType stash = nr_lower_attr_int(l, "stash_type") == NORIA_BF16 ? NORIA_BF16 : NORIA_F32;
  if (!status && mean && nr_lower_wants(l, 1))
    status = nr_lower_out(l, 1, nr_lower_cast_tensor(l, mean, wide, stash), stash);
  if (!status && nr_lower_wants(l, inverse_at))
    status = nr_lower_out(l, inverse_at, nr_lower_cast_tensor(l, inverse, wide, stash), stash);
  return status;
}

NrStatus nr_lower_layernormalization(NrLower *l) { return layer(l, true, 2); }
NrStatus nr_lower_rmsnormalization(NrLower *l) { return layer(l, false, 1); }

/* ---- InstanceNormalization, GroupNormalization ---- */

NrStatus nr_lower_instancenormalization(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t rank = nr_rank(x);
  uint64_t axes = ((1ull << rank) - 1) & ~3ull;
  NrValue *y =
      nr_lower_normalise(l, nr_lower_widen_tensor(l, x), axes, nr_lower_attr_float(l, "epsilon"), true, NULL, NULL);
  y = map2(l, y, per_channel(l, 1, rank), scale_body);
  y = nr_lower_sum(l, y, per_channel(l, 2, rank));
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, x->type->elem), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_groupnormalization(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *params[2];
  NrShape shape = nr_lower_shape(l, x);
  NrDim groups = nr_dim(nr_lower_attr_int(l, "num_groups")), channels = shape.dims[1];
  if (groups.size < 1 || shape.rank < 2)
    return nr_lower_error(l, "num_groups must be positive, and the input needs a channel dim");
  if (nr_dim_known(channels) && channels.size % groups.size != 0)
    return nr_lower_error(l, "%lld channels do not divide by %lld groups", (long long)channels.size,
                          (long long)groups.size);
  nr_lower_check_dims_equal(l, channels, nr_dim_mul(l, groups, nr_dim_div(l, channels, groups)),
                            "channels, and groups of them");
  /* [N, G, C / G, rest]: one row a group. */
  NrShape split = {
      4, {shape.dims[0], groups, nr_dim_div(l, channels, groups), nr_shape_elements(l, &shape, 2, shape.rank)}};
  NrValue *rows = nr_lower_reshape(l, nr_lower_widen_tensor(l, x), &split);
  NrValue *y = nr_lower_normalise(l, rows, 0xC, nr_lower_attr_float(l, "epsilon"), true, NULL, NULL);
  if (l->version < 21) { /* scale and bias are per group */
    for (size_t i = 0; i < 2; i++) {
      NrShape column = {4, {nr_dim(1), groups, nr_dim(1), nr_dim(1)}};
      if (!nr_lower_is_vector(l, i + 1, groups)) return NR_ERROR_INVALID;
      params[i] = nr_lower_widen_tensor(l, nr_lower_reshape(l, nr_lower_in(l, i + 1), &column));
    }
    y = nr_lower_sum(l, map2(l, y, params[0], scale_body), params[1]);
    y = nr_lower_reshape(l, y, &shape);
  } else {
    y = nr_lower_reshape(l, y, &shape);
    y = nr_lower_sum(l, map2(l, y, per_channel(l, 1, shape.rank), scale_body), per_channel(l, 2, shape.rank));
  }
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, x->type->elem), nr_lower_dtype(l, 0));
}

/* ---- LRN ---- */

typedef struct Window {
  NrValue *x;
  int64_t before; /* channels of the window before the current one */
  double alpha, beta, bias;
} Window;

/* acc + x[n, c + w - before, ..]^2, where that channel exists. */
static void window_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Window *win = user;
  size_t rank = nr_rank(win->x);
  NrType index = nr_type_index(l->ctx);
  NrValue *indices[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++) indices[i] = nr_lower_loop_index(l, i);
  NrValue *at = nr_lower_op2(l, NR_OP_arith_addi, index, indices[1], nr_lower_loop_index(l, rank));
  at = nr_lower_op2(l, NR_OP_arith_subi, index, at, nr_lower_index(l, win->before));
  NrValue *inside = nr_lower_cmpi(l, NR_CMPI_ULT, at, nr_dim_value(l, nr_lower_dim(l, win->x, 1)));
  indices[1] = nr_lower_select(l, inside, at, nr_lower_index(l, 0));
  NrValue *x = nr_lower_widen(l, nr_lower_extract(l, win->x, indices, rank));
  results[0] = nr_lower_select(l, inside, add(l, args[1], mul(l, x, x)), args[1]);
}

static NrValue *lrn_body(NrLower *l, NrValue *const *args, void *user) {
  const Window *win = user;
  NrValue *base = add(l, num(l, args[1], win->bias), mul(l, args[1], num(l, args[1], win->alpha)));
  return divf(l, args[0], same2(l, NR_OP_math_powf, base, num(l, base, win->beta)));
}

NrStatus nr_lower_lrn(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  size_t rank = nr_rank(x);
  int64_t size = nr_lower_attr_int(l, "size");
  if (size < 1 || rank < 2 || rank >= NORIA_MAX_RANK)
    return nr_lower_error(l, "size must be positive, and the input needs a channel dim");
  Window win = {x, (size - 1) / 2, nr_lower_attr_float(l, "alpha") / (double)size,
                nr_lower_attr_float(l, "beta"), nr_lower_attr_float(l, "bias")};
  NrType elem = x->type->elem, wide = nr_lower_wide_type(elem);
  NrShape shape = nr_lower_shape(l, x), window = {1, {nr_dim(size)}};
  NrAffineExpr exprs[NORIA_MAX_RANK + 1];
  char iterators[NORIA_MAX_RANK + 2] = {0};
  for (size_t i = 0; i <= rank; i++) {
    exprs[i] = nr_affine_dim(l->ctx, (uint32_t)i);
    iterators[i] = i < rank ? 'p' : 'r';
  }
  NrAttr maps[2] = {nr_attr_affine_map(l->ctx, (uint32_t)rank + 1, 0, exprs + rank, 1),
                    nr_attr_affine_map(l->ctx, (uint32_t)rank + 1, 0, exprs, rank)};
  NrValue *range = nr_lower_empty(l, &window, wide), *init = nr_lower_zeros(l, &shape, wide);
  NrValue *sum = nr_op_result(nr_lower_generic(l, &range, 1, &init, 1, maps, iterators, window_body, &win));
  NrValue *y = nr_lower_map(l, (NrValue *[]){nr_lower_widen_tensor(l, x), sum}, 2, NULL, lrn_body, &win);
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, y, elem), nr_lower_dtype(l, 0));
}
