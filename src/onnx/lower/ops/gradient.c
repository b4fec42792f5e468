/* gradient.c - Gradient, in reverse mode: its body is lowered, then the gradient of its result goes back from op to op
 * to the arguments. */
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"
#include "dialect/onnx/ops.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/contract.h"
#include "onnx/lower/ops/gradient.h"
#include "onnx/lower/ops/reduce.h"

static NrValue *sum_body(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  return add(l, args[0], args[1]);
}

NrValue *nr_gradient_in_shape_of(NrLower *l, NrValue *g, NrValue *x) {
  NrShape from = nr_lower_shape(l, g), to = nr_lower_shape(l, x);
  size_t added = from.rank - to.rank;
  NrAxes axes = {.rank = from.rank};
  for (size_t i = 0; i < from.rank; i++) {
    NrDim dim = i < added ? nr_dim(1) : to.dims[i - added];
    bool stays = i >= added && nr_dim_same(dim, from.dims[i]);
    axes.known |= (uint64_t)(nr_dim_is(dim, 1) && !stays) << i;
    axes.dynamic = axes.dynamic || (!nr_dim_known(dim) && !stays);
    NrValue *is_one = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, dim), nr_lower_index(l, 1));
    axes.reduced[i] = stays ? nr_lower_int(l, nr_type_i1(l->ctx), 0) : is_one;
  }
  if (!axes.dynamic && !axes.known) return nr_lower_reshape(l, g, &to);
  NrValue *wide = nr_lower_widen_tensor(l, g);
  NrValue *sum = nr_lower_reduce_axes(l, wide, &axes, nr_lower_constant(l, wide->type->elem, 0), NULL, sum_body, NULL);
  return sum ? nr_lower_reshape(l, nr_lower_narrow_tensor(l, sum, g->type->elem), &to) : NULL;
}

/* ---- ops that move elements ---- */

static NrStatus to_shape_of_input(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  out[0] = nr_lower_reshape(l, g, &shape);
  return NR_OK;
}

static NrStatus of_transpose(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  const int64_t *perm = NULL;
  size_t count = 0, rank = nr_rank(g), back[NORIA_MAX_RANK];
  nr_lower_attr_ints(l, "perm", &perm, &count);
  for (size_t i = 0; i < rank; i++) back[perm ? (size_t)perm[i] : rank - 1 - i] = i;
  out[0] = nr_lower_transpose(l, g, back);
  return NR_OK;
}

static NrStatus of_expand(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)l, (void)y;
  out[0] = g;
  return NR_OK;
}

static NrStatus of_concat(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  size_t axis;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(g), &axis)) return NR_ERROR_INVALID;
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t d = 0; d < nr_rank(g); d++) offsets[d] = nr_dim(0);
  for (size_t i = 0; i < nr_lower_num_in(l); i++) {
    NrShape sizes = nr_lower_shape(l, nr_lower_in(l, i));
    out[i] = nr_lower_slice(l, g, offsets, sizes.dims, NULL);
    offsets[axis] = nr_dim_add(l, offsets[axis], sizes.dims[axis]);
  }
  return NR_OK;
}

static NrValue *where_body(NrLower *l, NrValue *const *args, void *user) {
  NrValue *zero = num(l, args[1], 0);
  return *(const bool *)user ? nr_lower_select(l, args[0], args[1], zero) : nr_lower_select(l, args[0], zero, args[1]);
}

static NrStatus of_where(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  for (size_t i = 1; i < 3; i++) {
    bool chosen = i == 1;
    out[i] = nr_lower_map(l, (NrValue *[]){nr_lower_in(l, 0), g}, 2, g->type->elem, where_body, &chosen);
    if (!out[i]) return NR_ERROR_INVALID;
  }
  return NR_OK;
}

/* ---- sums ---- */

static NrValue *quotient_body(NrLower *l, NrValue *const *args, void *user) {
  return divf(l, args[0], nr_lower_op1(l, NR_OP_arith_sitofp, args[0]->type, user));
}

/* Of ReduceSum and ReduceMean, over axes that are known before the run. */
static NrStatus of_sum(NrLower *l, NrValue *g, bool is_mean, NrValue **out) {
  NrValue *x = nr_lower_in(l, 0);
  NrAxes axes;
  bool from_input = l->version >= (is_mean ? 18 : 13);
  if (!nr_lower_axes(l, x, from_input, nr_lower_attr_int(l, "noop_with_empty_axes") != 0, &axes))
    return NR_ERROR_INVALID;
  if (axes.dynamic) return nr_lower_error(l, "has no derivative here: its axes are known in the run only");
  NrShape shape = nr_lower_shape(l, x), kept = shape;
  for (size_t i = 0; i < shape.rank; i++)
    if (axes.known >> i & 1) kept.dims[i] = nr_dim(1);
  NrValue *count = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx),
                                nr_dim_value(l, nr_lower_reduced_size(l, x, &axes)));
  if (is_mean) g = nr_lower_map_wide(l, &g, 1, NULL, quotient_body, count);
  out[0] = nr_lower_broadcast_to(l, nr_lower_reshape(l, g, &kept), &shape);
  return NR_OK;
}
static NrStatus of_reduce_sum(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  return of_sum(l, g, false, out);
}
static NrStatus of_reduce_mean(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  return of_sum(l, g, true, out);
}

static NrStatus of_cast(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)l, (void)y;
  out[0] = g; /* go_back casts it */
  return NR_OK;
}

static NrValue *product_body(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  return mul(l, args[0], args[1]);
}
static NrValue *softmax_body(NrLower *l, NrValue *const *args, void *user) { /* g, y, the sum of their products */
  (void)user;
  return mul(l, args[1], sub(l, args[0], args[2]));
}

static NrStatus of_softmax(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  size_t axis;
  if (l->version < 13) return nr_lower_error(l, "Gradient has no derivative of versions of this op below 13");
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(y), &axis)) return NR_ERROR_INVALID;
  NrValue *wide[3] = {nr_lower_widen_tensor(l, g), nr_lower_widen_tensor(l, y)};
  NrValue *products = nr_lower_map(l, wide, 2, NULL, product_body, NULL);
  wide[2] = nr_lower_sum_over(l, products, UINT64_C(1) << axis);
  NrValue *x = nr_lower_map(l, wide, 3, NULL, softmax_body, NULL);
  out[0] = nr_lower_narrow_tensor(l, x, y->type->elem);
  return NR_OK;
}

/* ---- products of matrices ---- */

static NrValue *transposed(NrLower *l, NrValue *matrices) {
  size_t rank = nr_rank(matrices), perm[NORIA_MAX_RANK];
  for (size_t i = 0; i < rank; i++) perm[i] = i;
  perm[rank - 2] = rank - 1;
  perm[rank - 1] = rank - 2;
  return nr_lower_transpose(l, matrices, perm);
}

static NrStatus product(NrLower *l, NrValue *a, NrValue *b, NrValue **out) {
  NrMatMul m;
  NrType elem = a->type->elem;
  NR_TRY(nr_lower_matmul_shapes(l, a, b, &m));
  NrValue *sum = nr_lower_matmul_sum(l, &m, nr_lower_wide_type(elem), (NrSigns){0});
  *out = nr_lower_reshape(l, nr_lower_narrow_tensor(l, sum, elem), &m.result);
  return NR_OK;
}

/* A vector as the matrix that it stands for in a product. */
static NrValue *as_matrices(NrLower *l, NrValue *x, bool is_row) {
  if (nr_rank(x) != 1) return x;
  NrDim n = nr_lower_dim(l, x, 0), one = nr_dim(1);
  return nr_lower_reshape(l, x, &(NrShape){2, {is_row ? one : n, is_row ? n : one}});
}

static NrStatus of_matmul(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)}, *m[2];
  NrShape shape = nr_lower_shape(l, g), whole = {0};
  for (size_t i = 0; i < 2; i++) m[i] = as_matrices(l, in[i], i == 0);
  size_t rows = nr_rank(in[0]) > 1, columns = nr_rank(in[1]) > 1, batch = shape.rank - rows - columns;
  for (size_t i = 0; i < batch; i++) whole.dims[i] = shape.dims[i];
  whole.dims[batch] = rows ? shape.dims[batch] : nr_dim(1);
  whole.dims[batch + 1] = columns ? shape.dims[shape.rank - 1] : nr_dim(1);
  whole.rank = batch + 2;
  g = nr_lower_reshape(l, g, &whole);
  NR_TRY(product(l, g, transposed(l, m[1]), &out[0]));
  NR_TRY(product(l, transposed(l, m[0]), g, &out[1]));
  for (size_t i = 0; i < 2; i++) {
    NrShape own = nr_lower_shape(l, in[i]);
    out[i] = nr_gradient_in_shape_of(l, out[i], m[i]);
    if (out[i]) out[i] = nr_lower_reshape(l, out[i], &own);
  }
  return NR_OK;
}

static NrValue *scale_body(NrLower *l, NrValue *const *args, void *user) {
  return mul(l, args[0], num(l, args[0], *(const double *)user));
}

static NrStatus of_gemm(NrLower *l, NrValue *g, NrValue *y, NrValue **out) {
  (void)y;
  NrValue *a = nr_lower_in(l, 0), *b = nr_lower_in(l, 1);
  bool ta = nr_lower_attr_int(l, "transA") != 0, tb = nr_lower_attr_int(l, "transB") != 0;
  double alpha = nr_lower_attr_float(l, "alpha"), beta = nr_lower_attr_float(l, "beta");
  NrValue *scaled = nr_lower_map_wide(l, &g, 1, NULL, scale_body, &alpha);
  NrValue *right = tb ? b : transposed(l, b), *left = ta ? a : transposed(l, a);
  NR_TRY(product(l, scaled, right, &out[0]));
  NR_TRY(product(l, left, scaled, &out[1]));
  if (ta) out[0] = transposed(l, out[0]);
  if (tb) out[1] = transposed(l, out[1]);
  if (nr_lower_num_in(l) > 2 && nr_lower_in(l, 2)) out[2] = nr_lower_map_wide(l, &g, 1, NULL, scale_body, &beta);
  return NR_OK;
}

/* ---- the op ---- */

static const struct {
  const char *op;
  NrGradientFn derivative;
} table[] = {
    {"Reshape", to_shape_of_input},  {"Flatten", to_shape_of_input},  {"Squeeze", to_shape_of_input},
    {"Unsqueeze", to_shape_of_input}, {"Transpose", of_transpose},    {"Expand", of_expand},
    {"Concat", of_concat},           {"Where", of_where},             {"ReduceSum", of_reduce_sum},
    {"ReduceMean", of_reduce_mean},  {"MatMul", of_matmul},           {"Gemm", of_gemm},
    {"Cast", of_cast},               {"Softmax", of_softmax},
};

static NrGradientFn gradient_of(NrStr op) {
  for (size_t i = 0; i < NR_COUNTOF(table); i++)
    if (nr_str_is(op, table[i].op)) return table[i].derivative;
  return nr_gradient_of_elements(op);
}

typedef struct Reverse {
  NrMap active;    /* values of the body that depend on one of xs -> themselves */
  NrMap gradients; /* value of the body -> NrValue* */
  bool found;
} Reverse;

static NrValue *lowered(NrLower *l, NrValue *onnx) { return ((NrLowered *)nr_map_get(&l->state->values, onnx))->value; }

static bool find_active(NrOp *op, void *user) {
  Reverse *r = user;
  for (uint32_t i = 0; i < op->num_operands && !r->found; i++) r->found = nr_map_has(&r->active, nr_operand(op, i));
  return !r->found;
}

static void mark_active(Reverse *r, NrBlock *body, size_t num_xs) {
  for (uint32_t i = 0; i < num_xs; i++) nr_map_set(&r->active, nr_block_arg(body, i), nr_block_arg(body, i));
  for (NrOp *op = body->first; op; op = op->next) {
    r->found = false;
    nr_walk_pre(op, find_active, r);
    for (uint32_t k = 0; k < op->num_results && r->found; k++)
      nr_map_set(&r->active, nr_result(op, k), nr_result(op, k));
  }
}

static bool has_gradient(const Reverse *r, const NrOp *op) {
  bool has = false;
  for (uint32_t k = 0; k < op->num_results; k++)
    has = has || (nr_map_has(&r->gradients, nr_result(op, k)) && nr_map_has(&r->active, nr_result(op, k)));
  return has;
}

static NrValue *cast_body(NrLower *l, NrValue *const *args, void *user) {
  const NoriaDType *dtypes = user;
  return nr_lower_cast(l, args[0], dtypes[0], dtypes[1], true);
}

/* As a gradient of x, which may be a float of another type. */
static NrValue *in_type_of(NrLower *l, NrValue *g, NrValue *x) {
  NoriaDType dtypes[2] = {nr_dtype_of(g->type), nr_dtype_of(x->type)};
  if (dtypes[0] == dtypes[1]) return g;
  return nr_lower_map(l, &g, 1, x->type->elem, cast_body, dtypes);
}

/* Adds the gradients of the op's inputs, from that of its output. outer: the lowering of Gradient. */
static NrStatus go_back(NrLower *outer, Reverse *r, NrOp *op) {
  if (!has_gradient(r, op)) return NR_OK;
  NrLower l = *outer;
  l.op = op;
  l.version = nr_onnx_version(op);
  NrGradientFn derivative = op->num_results == 1 ? gradient_of(nr_str(op->info->name)) : NULL;
  if (!derivative) return nr_lower_error(&l, "Gradient has no derivative of this op");
  NrValue **out = NR_NEW_ARRAY(&l.state->arena, NrValue *, op->num_operands + 1);
  memset(out, 0, op->num_operands * sizeof *out);
  NR_TRY(derivative(&l, nr_map_get(&r->gradients, nr_op_result(op)), lowered(&l, nr_op_result(op)), out));
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *x = nr_operand(op, i), *before = nr_map_get(&r->gradients, x);
    if (!out[i] || !nr_map_has(&r->active, x) || !nr_dtype_is_float(nr_dtype_of(lowered(&l, x)->type))) continue;
    NrValue *sum = nr_gradient_in_shape_of(&l, out[i], lowered(&l, x));
    sum = sum ? in_type_of(&l, sum, lowered(&l, x)) : NULL;
    if (sum && before) sum = nr_lower_map_wide(&l, (NrValue *[]){before, sum}, 2, NULL, sum_body, NULL);
    if (!sum) return NR_ERROR_INVALID;
    nr_map_set(&r->gradients, x, sum);
  }
  outer->b = l.b;
  return NR_OK;
}

/* Values of several ranks would split the body into parts that do not see each other's values. */
static bool is_in_one_piece(NrLower *l, NrBlock *body) {
  for (NrOp *op = body->first; op; op = op->next)
    for (uint32_t k = 0; k < op->num_results; k++) {
      NrLowered *v = nr_map_get(&l->state->values, nr_result(op, k));
      if (!v || !nr_type_is_ranked(v->value->type)) continue;
      NrBlock *at = nr_value_block(v->value), *seen = l->b.block;
      while (seen && seen != at) seen = nr_block_parent_op(seen) ? nr_block_parent_op(seen)->block : NULL;
      if (!seen) return false;
    }
  return true;
}

static NrStatus write_gradients(NrLower *l, const Reverse *r, NrBlock *body) {
  for (uint32_t i = 0; i < nr_lower_num_out(l); i++) {
    NrValue *x = nr_lower_in(l, i), *g = nr_map_get(&r->gradients, nr_block_arg(body, i));
    NrShape shape = nr_lower_shape(l, x);
    if (!g) g = nr_lower_fill(l, &shape, nr_lower_constant(l, x->type->elem, 0));
    NR_TRY(nr_lower_out(l, i, g, nr_lower_dtype(l, i)));
  }
  return NR_OK;
}

static NrStatus reverse(NrLower *l, Reverse *r, NrBlock *body, size_t num_xs) {
  NrOp *yield = nr_block_terminator(body);
  NrValue *y = nr_operand(yield, nr_onnx_yield_values(yield).begin);
  NrValue *result = lowered(l, y);
  if (!nr_dtype_is_float(nr_dtype_of(result->type))) return nr_lower_error(l, "y is not a tensor of floats");
  NrShape shape = nr_lower_shape(l, result);
  mark_active(r, body, num_xs);
  nr_map_set(&r->gradients, y, nr_lower_fill(l, &shape, nr_lower_constant(l, result->type->elem, 1)));
  for (NrOp *op = body->last->prev; op; op = op->prev) NR_TRY(go_back(l, r, op));
  return write_gradients(l, r, body);
}

NrStatus nr_lower_gradient(NrLower *l) {
  NrBlock *body = nr_op_only_body(l->op);
  size_t count = nr_lower_num_in(l), num_xs = nr_lower_attr(l, "xs")->size;
  if (nr_lower_num_out(l) > num_xs)
    return nr_lower_error(l, "has %zu outputs; xs names %zu tensors", nr_lower_num_out(l), num_xs);
  NrLowered *args = NR_NEW_ARRAY(&l->state->arena, NrLowered, count + 1), y;
  for (size_t i = 0; i < count; i++) {
    args[i] = (NrLowered){nr_lower_in(l, i), nr_lower_dtype(l, i)};
    if (i < num_xs && !nr_dtype_is_float(args[i].dtype))
      return nr_lower_error(l, "input %zu is %s; derivatives are by floats", i, nr_dtype_name(args[i].dtype));
  }
  NR_TRY(nr_lower_region(l, body->region, args, count, &y, 1));
  if (!is_in_one_piece(l, body))
    return nr_lower_error(l, "the graph between xs and y has ranks that are known in the run only");
  Reverse r = {0};
  NrStatus status = reverse(l, &r, body, num_xs);
  nr_map_deinit(&r.active);
  nr_map_deinit(&r.gradients);
  return status;
}
