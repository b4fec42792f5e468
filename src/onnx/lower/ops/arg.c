/* arg.c - ArgMax, ArgMin and Hardmax: the index of the extreme along an axis. */
#include "onnx/lower/ops/reduce.h"

#include <math.h>

typedef struct Arg {
  size_t axis;
  bool max, last; /* last: the last of equal extremes */
  bool is_unsigned;
} Arg;

static NrValue *extreme_body(NrLower *l, NrValue *const *args, void *user) {
  const Arg *a = user;
  return same2(l, extreme_op(args[0]->type, a->is_unsigned, a->max), args[0], args[1]);
}

static NrValue *widen_body(NrLower *l, NrValue *const *args, void *user) { return nr_lower_widen(l, args[0]); }

/* args: element, the extreme, the best index so far. Finds the first or last element equal to the extreme. As in NumPy,
 * a NaN is the extreme; it is found by its own test, because it equals nothing. */
static void index_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Arg *a = user;
  NrValue *x = nr_lower_widen(l, args[0]), *is_extreme;
  if (nr_type_is_float(x->type))
    is_extreme = either(l, nr_lower_cmpf(l, NR_CMPF_OEQ, x, args[1]), nr_lower_cmpf(l, NR_CMPF_UNO, x, x));
  else
    is_extreme = nr_lower_cmpi(l, NR_CMPI_EQ, x, args[1]);
  NrValue *index = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_lower_loop_index(l, a->axis));
  NrValue *candidate = nr_lower_select(l, is_extreme, index, nr_lower_int(l, index->type, a->last ? 0 : INT64_MAX));
  results[0] = same2(l, a->last ? NR_OP_arith_maxsi : NR_OP_arith_minsi, args[2], candidate);
}

/* The indices as i64, with the axis kept as 1. Two reductions, each of which vectorizes: the extreme, then its
 * index. */
static NrValue *arg_extreme(NrLower *l, NrValue *tensor, Arg a) {
  size_t rank = nr_rank(tensor);
  NrShape kept = {0}, full = nr_lower_shape(l, tensor);
  NrAffineExpr exprs[NORIA_MAX_RANK];
  char iterators[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < rank; i++) {
    iterators[i] = i == a.axis ? 'r' : 'p';
    if (i == a.axis) continue;
    exprs[kept.rank] = nr_affine_dim(l->ctx, (uint32_t)i);
    kept.dims[kept.rank++] = full.dims[i];
  }
  full.dims[a.axis] = nr_dim(1);
  NrValue *some = nr_lower_cmpi(l, NR_CMPI_NE, nr_dim_value(l, nr_lower_dim(l, tensor, a.axis)), nr_lower_index(l, 0));
  nr_lower_check(l, some, "no element along the axis", NULL, 0);
  NrType work = nr_lower_wide_type(tensor->type->elem);
  NrValue *start = nr_lower_neutral(l, extreme_op(work, a.is_unsigned, a.max), work);
  NrValue *extreme = nr_lower_reduce(l, tensor, UINT64_C(1) << a.axis, false, start, widen_body, extreme_body, &a);
  NrAttr out = nr_attr_affine_map(l->ctx, (uint32_t)rank, 0, exprs, kept.rank);
  NrAttr maps[3] = {nr_attr_affine_identity(l->ctx, (uint32_t)rank), out, out};
  NrValue *init = nr_lower_fill(l, &kept, nr_lower_int(l, nr_type_i64(l->ctx), a.last ? 0 : INT64_MAX));
  NrOp *op = nr_lower_generic(l, (NrValue *[]){tensor, extreme}, 2, &init, 1, maps, iterators, index_body, &a);
  return nr_lower_reshape(l, nr_op_result(op), &full);
}

NrValue *nr_lower_argmax_over(NrLower *l, NrValue *tensor, size_t axis) {
  return arg_extreme(l, tensor, (Arg){.axis = axis, .max = true});
}

static NrStatus arg(NrLower *l, bool max) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  Arg a = {.max = max, .is_unsigned = nr_dtype_is_unsigned(nr_lower_dtype(l, 0))};
  a.last = nr_lower_attr_int(l, "select_last_index") != 0;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(x), &a.axis)) return NR_ERROR_INVALID;
  NrValue *result = arg_extreme(l, x, a);
  NrAxes axes = {.rank = nr_rank(x), .known = UINT64_C(1) << a.axis};
  if (!nr_lower_attr_int(l, "keepdims")) result = nr_lower_drop_axes(l, result, &axes);
  return nr_lower_out(l, 0, result, NORIA_I64);
}

NrStatus nr_lower_argmax(NrLower *l) { return arg(l, true); }
NrStatus nr_lower_argmin(NrLower *l) { return arg(l, false); }

/* ---- Hardmax ---- */

typedef struct OneHot {
  NrValue *hot; /* index of the 1 along the axis, whose dim is 1 */
  size_t rank, axis;
  NrType elem;
} OneHot;

static NrValue *one_hot_body(NrLower *l, NrValue *const *indices, void *user) {
  const OneHot *h = user;
  NrValue *at[NORIA_MAX_RANK];
  for (size_t i = 0; i < h->rank; i++) at[i] = i == h->axis ? nr_lower_index(l, 0) : indices[i];
  NrValue *hot = nr_lower_as_index(l, nr_lower_extract(l, h->hot, at, h->rank));
  NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, indices[h->axis], hot);
  return nr_lower_select(l, here, nr_lower_float(l, h->elem, 1), nr_lower_float(l, h->elem, 0));
}

/* 1 at the first largest element, else 0. Before opset 13 all dims from the axis on count as one. */
NrStatus nr_lower_hardmax(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  NrShape whole = nr_lower_shape(l, x), shape = whole;
  Arg a = {.max = true};
  bool flat = l->version < 13;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), whole.rank, &a.axis)) return NR_ERROR_INVALID;
  if (flat) {
    shape = (NrShape){2, {nr_shape_elements(l, &whole, 0, a.axis), nr_shape_elements(l, &whole, a.axis, whole.rank)}};
    x = nr_lower_reshape(l, x, &shape);
    a.axis = 1;
  }
  OneHot h = {arg_extreme(l, x, a), shape.rank, a.axis, x->type->elem};
  NrValue *result = nr_lower_generate(l, &shape, h.elem, one_hot_body, &h);
  return nr_lower_out(l, 0, nr_lower_reshape(l, result, &whole), nr_lower_dtype(l, 0));
}
