/* axes.c - see reduce.h.
 *
 * For constant axes: a linalg.generic over the tensor's dims. For dynamic axes: one over twice as many loops; each dim
 * has a parallel loop, of size 1 where it is reduced, and a reduction loop, of size 1 elsewhere. */
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/reduce.h"

#include <math.h>

enum { SMALL = 32 };

/* ---- which axes ---- */

/* The axis counted from the front, checked, as a bit of a 64-bit mask. */
static NrValue *axis_bit(NrLower *l, NrValue *const *a, void *user) {
  const size_t *rank = user;
  NrType i64 = nr_type_i64(l->ctx);
  NrValue *n = nr_lower_int(l, i64, (int64_t)*rank), *zero = nr_lower_int(l, i64, 0);
  NrValue *axis = a[0]->type == i64 ? a[0] : nr_lower_op1(l, NR_OP_arith_extsi, i64, a[0]);
  NrValue *at = nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_SLT, axis, zero), add(l, axis, n), axis);
  NrValue *fits = nr_lower_cmpi(l, NR_CMPI_ULT, at, n);
  nr_lower_check(l, fits, "axis %0 is out of range for rank %1", (NrValue *[]){axis, n}, 2);
  return same2(l, NR_OP_arith_shli, nr_lower_int(l, i64, 1), nr_lower_select(l, fits, at, zero));
}

static NrValue *or_body(NrLower *l, NrValue *const *a, void *user) { return either(l, a[0], a[1]); }

/* The mask of the axes in a 1-d tensor (or one axis in a 0-d one). */
static NrValue *axes_mask(NrLower *l, NrValue *tensor, size_t rank, bool none_is_noop, size_t *out_count) {
  NrType i64 = nr_type_i64(l->ctx);
  NrValue *none = nr_lower_int(l, i64, none_is_noop ? 0 : (int64_t)((UINT64_C(1) << rank) - 1));
  NrValue *elements[SMALL], *mask = nr_lower_int(l, i64, 0);
  if (nr_lower_elements(l, tensor, elements, SMALL, out_count, true)) {
    for (size_t i = 0; i < *out_count; i++) mask = either(l, mask, axis_bit(l, &elements[i], &rank));
    return *out_count ? mask : none;
  }
  NrDim length = nr_lower_dim(l, tensor, 0);
  mask = nr_lower_scalar(l, nr_lower_reduce(l, tensor, 1, false, mask, axis_bit, or_body, &rank));
  *out_count = NR_AXES_UNKNOWN;
  NrValue *empty = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, length), nr_lower_index(l, 0));
  return nr_lower_select(l, empty, none, mask);
}

static bool axes_from_input(NrLower *l, NrValue *tensor, bool none_is_noop, NrAxes *out) {
  int64_t known[SMALL], bits;
  size_t count, axis;
  if (nr_rank(tensor) > 1 || !nr_dtype_is_int(nr_lower_dtype(l, 1)))
    return nr_lower_error(l, "the axes must be a list of integers"), false;
  if (nr_lower_const_ints(l, tensor, known, SMALL, &count)) /* for errors before the run */
    for (size_t i = 0; i < count; i++)
      if (!nr_lower_axis(l, known[i], out->rank, &axis)) return false;
  NrValue *mask = axes_mask(l, tensor, out->rank, none_is_noop, &out->count);
  if (nr_value_constant_int(mask, &bits)) {
    out->known = (uint64_t)bits;
    return true;
  }
  out->dynamic = true;
  for (size_t i = 0; i < out->rank; i++) {
    NrValue *shifted = same2(l, NR_OP_arith_shrui, mask, nr_lower_int(l, mask->type, (int64_t)i));
    out->reduced[i] = nr_lower_op1(l, NR_OP_arith_trunci, nr_type_i1(l->ctx), shifted);
  }
  return true;
}

bool nr_lower_axes(NrLower *l, NrValue *tensor, bool from_input, bool none_is_noop, NrAxes *out) {
  size_t rank = nr_rank(tensor);
  *out = (NrAxes){.rank = rank};
  const int64_t *list;
  size_t count = 0, axis;
  if (from_input && nr_lower_in(l, 1)) return axes_from_input(l, nr_lower_in(l, 1), none_is_noop, out);
  if (!from_input && nr_lower_attr_ints(l, "axes", &list, &count)) {
    for (size_t i = 0; i < count; i++) {
      if (!nr_lower_axis(l, list[i], rank, &axis)) return false;
      out->known |= UINT64_C(1) << axis;
    }
  }
  if (count == 0 && !none_is_noop) out->known = (UINT64_C(1) << rank) - 1;
  return true;
}

/* A dim that is `a` where axis i is reduced and `b` where it is not. */
static NrDim by_axis(NrLower *l, const NrAxes *axes, size_t i, NrDim a, NrDim b) {
  if (axes->dynamic) return nr_dim_select(l, axes->reduced[i], a, b);
  return axes->known >> i & 1 ? a : b;
}

NrDim nr_lower_reduced_size(NrLower *l, NrValue *tensor, const NrAxes *axes) {
  NrDim n = nr_dim(1);
  for (size_t i = 0; i < axes->rank; i++)
    n = nr_dim_mul(l, n, by_axis(l, axes, i, nr_lower_dim(l, tensor, i), nr_dim(1)));
  return n;
}

/* ---- the reduction ---- */

typedef struct Gather {
  NrValue *tensor;
  size_t rank;
  NrBodyFn pre, combine;
  void *user;
} Gather;

static void gather_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Gather *g = user;
  NrValue *indices[NORIA_MAX_RANK];
  for (size_t i = 0; i < g->rank; i++)
    indices[i] = add(l, nr_lower_loop_index(l, i), nr_lower_loop_index(l, g->rank + i));
  NrValue *x = nr_lower_extract(l, g->tensor, indices, g->rank);
  if (g->pre) x = g->pre(l, &x, g->user);
  results[0] = g->combine(l, (NrValue *[]){args[1], x}, g->user);
}

static NrValue *reduce_dynamic(NrLower *l, NrValue *tensor, const NrAxes *axes, NrValue *init, Gather g) {
  size_t rank = axes->rank;
  if (2 * rank > NORIA_MAX_RANK)
    return nr_lower_error(l, "axes that are not known before the run are limited to rank %d", NORIA_MAX_RANK / 2), NULL;
  NrShape kept = {.rank = rank}, reduced = {.rank = rank};
  NrAffineExpr exprs[NORIA_MAX_RANK];
  char iterators[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < 2 * rank; i++) exprs[i] = nr_affine_dim(l->ctx, (uint32_t)i);
  for (size_t i = 0; i < rank; i++) {
    NrDim d = nr_lower_dim(l, tensor, i);
    kept.dims[i] = by_axis(l, axes, i, nr_dim(1), d);
    reduced.dims[i] = by_axis(l, axes, i, d, nr_dim(1));
    iterators[i] = 'p';
    iterators[rank + i] = 'r';
  }
  NrAttr maps[2] = {nr_attr_affine_map(l->ctx, (uint32_t)(2 * rank), 0, exprs + rank, rank),
                    nr_attr_affine_map(l->ctx, (uint32_t)(2 * rank), 0, exprs, rank)};
  /* The first operand only gives the ranges of the reduction loops. */
  NrValue *ranges = nr_lower_empty(l, &reduced, tensor->type->elem), *acc = nr_lower_fill(l, &kept, init);
  return nr_op_result(nr_lower_generic(l, &ranges, 1, &acc, 1, maps, iterators, gather_body, &g));
}

/* A short list of known scalars, reduced as scalars: products of dims and the like. */
static NrValue *reduce_list(NrLower *l, NrValue *tensor, NrValue *init, NrBodyFn pre, NrBodyFn combine, void *user) {
  NrValue *elements[SMALL];
  size_t count;
  if (!nr_lower_elements(l, tensor, elements, SMALL, &count, false)) return NULL;
  NrValue *acc = init;
  for (size_t i = 0; i < count; i++) {
    NrValue *x = pre ? pre(l, &elements[i], user) : elements[i];
    acc = combine(l, (NrValue *[]){acc, x}, user);
  }
  NrShape ones = {.rank = nr_rank(tensor)};
  for (size_t i = 0; i < ones.rank; i++) ones.dims[i] = nr_dim(1);
  return nr_lower_from_elements(l, nr_shape_type(l, &ones, acc->type), &acc, 1);
}

NrValue *nr_lower_reduce_axes(NrLower *l, NrValue *tensor, const NrAxes *axes, NrValue *init, NrBodyFn pre,
                              NrBodyFn combine, void *user) {
  if (axes->dynamic) return reduce_dynamic(l, tensor, axes, init, (Gather){tensor, axes->rank, pre, combine, user});
  if (!axes->known) return pre ? nr_lower_map(l, &tensor, 1, init->type, pre, user) : tensor;
  if (axes->known == (UINT64_C(1) << axes->rank) - 1) {
    NrValue *few = reduce_list(l, tensor, init, pre, combine, user);
    if (few) return few;
  }
  return nr_lower_reduce(l, tensor, axes->known, true, init, pre, combine, user);
}

NrValue *nr_lower_drop_axes(NrLower *l, NrValue *reduced, const NrAxes *axes) {
  NrShape all = nr_lower_shape(l, reduced), shape = {0};
  if (!axes->dynamic) {
    for (size_t i = 0; i < axes->rank; i++)
      if (!(axes->known >> i & 1)) shape.dims[shape.rank++] = all.dims[i];
    return nr_lower_reshape(l, reduced, &shape);
  }
  if (axes->count == NR_AXES_UNKNOWN && nr_lower_want_length(l, nr_lower_in(l, 1))) return NULL;
  if (axes->count == NR_AXES_UNKNOWN)
    return nr_lower_error(l, "the number of axes is not known before the run: the rank of the result depends on it"),
           NULL;
  if (axes->count > axes->rank) return nr_lower_error(l, "more axes than dims"), NULL;
  /* Dim p of the result is the kept dim with p kept dims before it. */
  shape.rank = axes->rank - axes->count;
  for (size_t p = 0; p < shape.rank; p++) shape.dims[p] = nr_dim(0);
  NrDim before = nr_dim(0);
  for (size_t i = 0; i < axes->rank; i++) {
    for (size_t p = 0; p < shape.rank && p <= i; p++) {
      NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, before), nr_lower_index(l, (int64_t)p));
      NrDim d = nr_dim_select(l, here, by_axis(l, axes, i, nr_dim(0), all.dims[i]), nr_dim(0));
      shape.dims[p] = nr_dim_add(l, shape.dims[p], d);
    }
    before = nr_dim_add(l, before, by_axis(l, axes, i, nr_dim(0), nr_dim(1)));
  }
  nr_lower_check_dims_equal(l, before, nr_dim((int64_t)shape.rank), "an axis is named twice; dims that stay");
  return nr_lower_reshape(l, reduced, &shape);
}

/* ---- sums and maxima of floats ---- */

static NrValue *sum_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_fast(add(l, a[0], a[1])); }
static NrValue *max_body(NrLower *l, NrValue *const *a, void *user) { return larger(l, a[0], a[1]); }

NrValue *nr_lower_sum_over(NrLower *l, NrValue *tensor, uint64_t axes) {
  return nr_lower_reduce(l, tensor, axes, true, nr_lower_float(l, tensor->type->elem, 0), NULL, sum_body, NULL);
}

NrValue *nr_lower_max_over(NrLower *l, NrValue *tensor, uint64_t axes) {
  return nr_lower_reduce(l, tensor, axes, true, nr_lower_neutral(l, NR_OP_arith_maximumf, tensor->type->elem), NULL,
                         max_body, NULL);
}

static NrValue *divide_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *n = user;
  NrType i64 = nr_type_i64(l->ctx);
  n = nr_lower_op1(l, NR_OP_arith_index_cast, i64, n);
  return divf(l, a[0], nr_lower_op1(l, NR_OP_arith_sitofp, a[0]->type, n));
}

NrValue *nr_lower_mean_over(NrLower *l, NrValue *tensor, uint64_t axes) {
  NrAxes a = {.rank = nr_rank(tensor), .known = axes};
  NrValue *n = nr_dim_value(l, nr_lower_reduced_size(l, tensor, &a)), *sum = nr_lower_sum_over(l, tensor, axes);
  return nr_lower_map(l, &sum, 1, NULL, divide_body, n);
}
