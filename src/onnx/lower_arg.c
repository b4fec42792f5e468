/* lower_arg.c - ArgMax, ArgMin and Hardmax: where along an axis the extreme stands. */
#include "onnx/lower_reduce.h"

#include <math.h>

typedef struct Arg {
  size_t axis;
  bool max, last; /* last: the last of equal extremes */
  bool is_unsigned;
} Arg;

/* Whether x takes the place of best, which came before it. The first NaN is the extreme, as in NumPy. */
static NrValue *wins(NrLower *l, const Arg *a, NrValue *x, NrValue *best) {
  if (nr_type_is_float(x->type)) {
    NrValue *better = a->max ? nr_lower_cmpf(l, a->last ? NR_F_OGE : NR_F_OGT, x, best)
                             : nr_lower_cmpf(l, a->last ? NR_F_OLE : NR_F_OLT, x, best);
    NrValue *nan = nr_lower_cmpf(l, NR_F_UNO, x, x);
    if (!a->last) nan = both(l, nan, nr_lower_cmpf(l, NR_F_ORD, best, best));
    return either(l, better, nan);
  }
  static const int64_t predicates[2][2][2] = {{{NR_I_SLT, NR_I_SLE}, {NR_I_SGT, NR_I_SGE}},
                                              {{NR_I_ULT, NR_I_ULE}, {NR_I_UGT, NR_I_UGE}}};
  return nr_lower_cmpi(l, predicates[a->is_unsigned][a->max][a->last], x, best);
}

/* args: element, best element so far, its index. */
static void arg_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Arg *a = user;
  NrValue *x = nr_lower_widen(l, args[0]), *taken = wins(l, a, x, args[1]);
  NrValue *index = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_lower_loop_index(l, a->axis));
  results[0] = nr_lower_select(l, taken, x, args[1]);
  results[1] = nr_lower_select(l, taken, index, args[2]);
}

/* A value that nothing but itself loses to. */
static NrValue *worst(NrLower *l, const Arg *a, NrType type) {
  if (nr_type_is_float(type)) return nr_lower_float(l, type, a->max ? -HUGE_VAL : HUGE_VAL);
  int64_t low = a->is_unsigned ? 0 : (int64_t)(UINT64_MAX << (nr_type_bits(type) - 1));
  return nr_lower_int(l, type, a->max ? low : a->is_unsigned ? -1 : ~low);
}

/* The indices as i64, with the axis kept as 1. */
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
  NrAttr out = nr_attr_affine_map(l->ctx, (uint32_t)rank, 0, exprs, kept.rank);
  NrAttr maps[3] = {nr_attr_affine_identity(l->ctx, (uint32_t)rank), out, out};
  NrType elem = nr_lower_wide_type(tensor->type->elem);
  NrValue *inits[2] = {nr_lower_fill(l, &kept, worst(l, &a, elem)),
                       nr_lower_fill(l, &kept, nr_lower_int(l, nr_type_i64(l->ctx), 0))};
  NrOp *op = nr_lower_generic(l, &tensor, 1, inits, 2, maps, iterators, arg_body, &a);
  return nr_lower_reshape(l, nr_result(op, 1), &full);
}

static NrStatus arg(NrLower *l, bool max) {
  if (!nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  Arg a = {.max = max, .is_unsigned = nr_dtype_is_unsigned(nr_lower_dtype(l, 0))};
  a.last = nr_lower_attr_int(l, "select_last_index", 0) != 0;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis", 0), nr_rank(x), &a.axis)) return NR_ERROR_INVALID;
  NrValue *result = arg_extreme(l, x, a);
  NrAxes axes = {.rank = nr_rank(x), .known = UINT64_C(1) << a.axis};
  if (!nr_lower_attr_int(l, "keepdims", 1)) result = nr_lower_drop_axes(l, result, &axes);
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
  NrValue *here = nr_lower_cmpi(l, NR_I_EQ, indices[h->axis], hot);
  return nr_lower_select(l, here, nr_lower_float(l, h->elem, 1), nr_lower_float(l, h->elem, 0));
}

/* 1 at the first largest element, else 0. Before opset 13 all dims from the axis on count as one. */
NrStatus nr_lower_hardmax(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_FLOATS)) return NR_ERROR_INVALID;
  NrValue *x = nr_lower_in(l, 0);
  NrShape whole = nr_lower_shape(l, x), shape = whole;
  Arg a = {.max = true};
  bool flat = l->version < 13;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis", flat ? 1 : -1), whole.rank, &a.axis)) return NR_ERROR_INVALID;
  if (flat) {
    shape = (NrShape){2, {nr_shape_elements(l, &whole, 0, a.axis), nr_shape_elements(l, &whole, a.axis, whole.rank)}};
    x = nr_lower_reshape(l, x, &shape);
    a.axis = 1;
  }
  OneHot h = {arg_extreme(l, x, a), shape.rank, a.axis, x->type->elem};
  NrValue *result = nr_lower_generate(l, &shape, h.elem, one_hot_body, &h);
  return nr_lower_out(l, 0, nr_lower_reshape(l, result, &whole), nr_lower_dtype(l, 0));
}
