/* shape.c - ops that read shapes, and reshapes. */
#include "dialect/arith/ops.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/data.h"

/* ---- Shape, Size ---- */

static NrValue *dim_as_i64(NrLower *l, NrDim d) {
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_dim_value(l, d));
}

static int64_t clamp_axis(int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  return axis < 0 ? 0 : axis > rank ? rank : axis;
}

NrStatus nr_lower_shape_op(NrLower *l) {
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  int64_t rank = (int64_t)shape.rank, start = clamp_axis(nr_lower_attr_int(l, "start"), rank);
  int64_t end = clamp_axis(nr_lower_attr_int_or(l, "end", rank), rank), count = end > start ? end - start : 0;
  NrValue *sizes[NORIA_MAX_RANK];
  for (int64_t i = 0; i < count; i++) sizes[i] = dim_as_i64(l, shape.dims[start + i]);
  NrType type = nr_type_tensor(&count, 1, nr_type_i64(l->ctx));
  return nr_lower_out(l, 0, nr_lower_from_elements(l, type, sizes, (size_t)count), NORIA_I64);
}

NrStatus nr_lower_size_op(NrLower *l) {
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  NrDim total = nr_shape_elements(l, &shape, 0, shape.rank);
  return nr_lower_out(l, 0, nr_lower_from_scalar(l, dim_as_i64(l, total)), NORIA_I64);
}

/* ---- Reshape ---- */

/* A number of elements as a product: of constants, and of dims that only the run knows. */
enum { MAX_FACTORS = 4 * NORIA_MAX_RANK };
typedef struct Product {
  int64_t known; /* -1: does not fit */
  size_t count, left; /* left: factors that are still to be multiplied, before any of them is split */
  NrDim dynamic[MAX_FACTORS];
} Product;

/* The integer whose bits an index or 64-bit integer has before it is cast between the two. */
static NrValue *before_casts(NrValue *v) {
  while (nr_op_is(v->op, NR_OP_arith_index_cast) && nr_type_bits(nr_arith_index_cast_in(v->op)->type) == 64)
    v = nr_arith_index_cast_in(v->op);
  return v;
}

/* Multiplies d into the product: each factor where d is a product of sizes itself, as of shapes that a model computes.
 * A product that wraps would differ from that of its factors; what claims to have a shape is checked behind the
 * lowering. */
static void multiply_by(NrLower *l, NrDim d, Product *out) {
  NrOp *op = nr_dim_known(d) ? NULL : before_casts(d.value)->op;
  if (nr_op_is(op, NR_OP_arith_muli) && nr_type_bits(nr_op_result(op)->type) == 64 &&
      out->count + out->left < MAX_FACTORS) {
    NrDim x = nr_dim_of_index(nr_arith_muli_lhs(op)), y = nr_dim_of_index(nr_arith_muli_rhs(op));
    if (nr_dim_is_size(x) && nr_dim_is_size(y)) {
      out->left++;
      multiply_by(l, x, out);
      multiply_by(l, y, out);
      return;
    }
  }
  out->left--;
  if (!nr_dim_known(d)) out->dynamic[out->count++] = nr_dim_of_index(nr_lower_as_index(l, d.value));
  else if (out->known < 0 || d.size < 0 || !nr_mul_i64(out->known, d.size, &out->known)) out->known = -1;
}

static Product product_of(NrLower *l, const NrShape *shape) {
  Product out = {.known = 1, .left = shape->rank};
  for (size_t i = 0; i < shape->rank; i++) multiply_by(l, shape->dims[i], &out);
  return out;
}

static NrDim dynamic_part(NrLower *l, const Product *x) {
  NrDim out = nr_dim(1);
  for (size_t i = 0; i < x->count; i++) out = nr_dim_mul(l, out, x->dynamic[i]);
  return out;
}

/* Cancels what both products have; what is left of them is equal where they are. */
static void cancel(Product *x, Product *y) {
  for (size_t i = 0; i < y->count; i++)
    for (size_t k = 0; k < x->count; k++)
      if (before_casts(y->dynamic[i].value) == before_casts(x->dynamic[k].value)) {
        x->dynamic[k] = x->dynamic[--x->count];
        y->dynamic[i--] = y->dynamic[--y->count];
        break;
      }
  if (x->known <= 0 || y->known <= 0) return;
  int64_t common = (int64_t)nr_gcd((uint64_t)x->known, (uint64_t)y->known);
  x->known /= common;
  y->known /= common;
}

/* The size with which `rest` has as many elements as `from`; 0 for none. For constant dims, the division must be
 * exact. */
static NrDim infer(NrLower *l, const NrShape *from, const NrShape *rest) {
  Product have = product_of(l, from), want = product_of(l, rest);
  cancel(&have, &want);
  if (have.known < 0 || want.known < 0) return nr_dim(0);
  NrDim dynamic_have = dynamic_part(l, &have), dynamic_want = dynamic_part(l, &want);
  if (want.known > 0 && have.known % want.known == 0 && nr_dim_is(dynamic_want, 1))
    return nr_dim_mul(l, dynamic_have, nr_dim(have.known / want.known));
  NrDim divisor = nr_dim_max(l, nr_dim_mul(l, dynamic_want, nr_dim(want.known)), nr_dim(1));
  return nr_dim_div(l, nr_dim_mul(l, dynamic_have, nr_dim(have.known)), divisor);
}

/* Whether dynamic dims give a shape of `have` elements without overflow: no size is negative, and each partial product
 * is at most `have`, unless that is 0. */
static NrValue *multiplies(NrLower *l, NrDim have, const NrShape *to) {
  NrType i1 = nr_type_i1(l->ctx);
  NrDim product = nr_dim(1);
  NrValue *fits = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, have), nr_lower_index(l, 0));
  NrValue *sizes = nr_lower_int(l, i1, 1), *small = nr_lower_int(l, i1, 1);
  for (size_t i = 0; i < to->rank; i++) {
    NrDim d = to->dims[i], size = nr_dim_max(l, d, nr_dim(1)), limit = nr_dim_div(l, have, size);
    if (!nr_dim_is_size(d))
      sizes = both(l, sizes, nr_lower_cmpi(l, NR_CMPI_SGE, nr_dim_value(l, d), nr_lower_index(l, 0)));
    small = both(l, small, nr_lower_cmpi(l, NR_CMPI_SLE, nr_dim_value(l, product), nr_dim_value(l, limit)));
    product = nr_dim_mul(l, product, size);
  }
  return both(l, sizes, either(l, fits, small));
}

/* An error now or in the run unless both shapes have as many elements. */
static bool check_elements(NrLower *l, const NrShape *from, const NrShape *to) {
  Product a = product_of(l, from), b = product_of(l, to);
  cancel(&a, &b);
  NrDim have = nr_dim_mul(l, dynamic_part(l, &a), nr_dim(a.known));
  NrDim want = nr_dim_mul(l, dynamic_part(l, &b), nr_dim(b.known));
  if (a.known >= 0 && b.known >= 0 && nr_lower_dims_equal(l, have, want)) return true;
  have = nr_shape_elements(l, from, 0, from->rank);
  want = nr_shape_elements(l, to, 0, to->rank);
  if (nr_dim_known(have) && nr_dim_known(want)) {
    nr_lower_error(l, "%lld elements do not fit a shape of %lld", (long long)have.size, (long long)want.size);
    return false;
  }
  NrValue *values[2] = {nr_dim_value(l, have), nr_dim_value(l, want)};
  NrValue *same = nr_lower_cmpi(l, NR_CMPI_EQ, values[0], values[1]);
  nr_lower_check(l, same, "%0 elements do not fit a shape of %1", values, 2);
  nr_lower_check(l, multiplies(l, have, to), "%0 elements do not fit the shape, whose sizes are negative or too large",
                 values, 1);
  return true;
}

/* The result's shape: 0 copies the input's dim, -1 is inferred. A size that is computed from sizes is taken literally:
 * an empty batch is no request to copy a dim. */
static bool reshape_target(NrLower *l, const NrShape *from, const NrInts *asked, bool zero_copies, NrShape *out) {
  NrValue *is_rest[NORIA_MAX_RANK] = {0};
  NrShape rest = {.rank = asked->count};
  bool any = false, surely = false;
  out->rank = asked->count;
  for (size_t i = 0; i < asked->count; i++) {
    NrDim d = asked->at[i];
    if (nr_dim_known(d) && d.size < -1)
      return nr_lower_error(l, "size %lld at %zu is below -1", (long long)d.size, i), false;
    if (nr_dim_is(d, -1) && surely) return nr_lower_error(l, "two sizes are -1"), false;
    surely |= nr_dim_is(d, -1);
    if (zero_copies && i < from->rank) {
      if (nr_dim_is(d, 0))
        d = from->dims[i];
      else if (!nr_dim_is_size(d) && !nr_dim_known(d))
        d = nr_dim_select(l, nr_lower_cmpi(l, NR_CMPI_EQ, d.value, nr_lower_index(l, 0)), from->dims[i], d);
    } else if (zero_copies && nr_dim_is(d, 0)) {
      return nr_lower_error(l, "size 0 at %zu copies a dim that the input does not have", i), false;
    }
    rest.dims[i] = out->dims[i] = d;
    if (nr_dim_is_size(d)) continue;
    any = true;
    is_rest[i] = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, d), nr_lower_index(l, -1));
    rest.dims[i] = nr_dim_select(l, is_rest[i], nr_dim(1), d);
  }
  if (!any) return true;
  NrDim inferred = infer(l, from, &rest);
  for (size_t i = 0; i < asked->count; i++)
    if (is_rest[i]) out->dims[i] = nr_dim_select(l, is_rest[i], inferred, out->dims[i]);
  return true;
}

NrStatus nr_lower_reshape_op(NrLower *l) {
  NrInts asked;
  if (!nr_lower_ints(l, l->version >= 5, 1, "shape", &asked)) return NR_ERROR_INVALID;
  if (!asked.given) return nr_lower_error(l, "the shape is missing");
  NrShape from = nr_lower_shape(l, nr_lower_in(l, 0)), to;
  if (!reshape_target(l, &from, &asked, nr_lower_attr_int(l, "allowzero") == 0, &to)) return NR_ERROR_INVALID;
  if (!check_elements(l, &from, &to)) return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_reshape(l, nr_lower_in(l, 0), &to), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_flatten(NrLower *l) {
  NrShape from = nr_lower_shape(l, nr_lower_in(l, 0));
  int64_t axis = nr_lower_attr_int(l, "axis"), rank = (int64_t)from.rank;
  if (axis < -rank || axis > rank)
    return nr_lower_error(l, "axis %lld is out of range for rank %zu", (long long)axis, from.rank);
  size_t at = (size_t)(axis < 0 ? axis + rank : axis);
  NrShape to = {2, {nr_shape_elements(l, &from, 0, at), nr_shape_elements(l, &from, at, from.rank)}};
  return nr_lower_out(l, 0, nr_lower_reshape(l, nr_lower_in(l, 0), &to), nr_lower_dtype(l, 0));
}

/* ---- Squeeze, Unsqueeze ---- */

/* For each dim, whether a list of dynamic axes contains it; checks that the axes are different. */
static void dynamic_axes(NrLower *l, const NrInts *axes, size_t rank, NrValue **out_named) {
  NrType i1 = nr_type_i1(l->ctx);
  NrDim total = nr_dim(0);
  for (size_t i = 0; i < rank; i++) out_named[i] = nr_lower_int(l, i1, 0);
  for (size_t k = 0; k < axes->count; k++) {
    NrValue *axis = nr_lower_position(l, nr_dim_value(l, axes->at[k]), nr_dim((int64_t)rank));
    for (size_t i = 0; axis && i < rank; i++) {
      NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, axis, nr_lower_index(l, (int64_t)i));
      out_named[i] = nr_lower_op2(l, NR_OP_arith_ori, i1, out_named[i], here);
    }
  }
  for (size_t i = 0; i < rank; i++) total = nr_dim_add(l, total, nr_dim_select(l, out_named[i], nr_dim(1), nr_dim(0)));
  nr_lower_check_dims_equal(l, total, nr_dim((int64_t)axes->count), "an axis is named twice; axes");
}

/* The dim at a dynamic position of a shape. */
static NrDim pick_dim(NrLower *l, const NrShape *shape, NrDim position) {
  NrDim d = nr_dim(1);
  for (size_t i = 0; i < shape->rank; i++) {
    NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, position), nr_lower_index(l, (int64_t)i));
    d = nr_dim_select(l, here, shape->dims[i], d);
  }
  return d;
}

NrStatus nr_lower_unsqueeze(NrLower *l) {
  NrInts axes;
  if (!nr_lower_ints(l, l->version >= 13, 1, "axes", &axes)) return NR_ERROR_INVALID;
  if (!axes.given) return nr_lower_error(l, "the axes are missing");
  NrShape from = nr_lower_shape(l, nr_lower_in(l, 0)), to = {.rank = from.rank + axes.count};
  if (to.rank > NORIA_MAX_RANK) return nr_lower_error(l, "the result has more than %d dims", NORIA_MAX_RANK);
  if (nr_ints_known(&axes)) {
    size_t at[NORIA_MAX_RANK];
    if (!nr_lower_known_axes(l, &axes, to.rank, at)) return NR_ERROR_INVALID;
    uint64_t added = 0;
    for (size_t i = 0; i < axes.count; i++) added |= UINT64_C(1) << at[i];
    for (size_t i = 0, next = 0; i < to.rank; i++) to.dims[i] = added >> i & 1 ? nr_dim(1) : from.dims[next++];
  } else {
    NrValue *added[NORIA_MAX_RANK];
    dynamic_axes(l, &axes, to.rank, added);
    NrDim next = nr_dim(0);
    for (size_t i = 0; i < to.rank; i++) {
      to.dims[i] = nr_dim_select(l, added[i], nr_dim(1), pick_dim(l, &from, next));
      next = nr_dim_add(l, next, nr_dim_select(l, added[i], nr_dim(0), nr_dim(1)));
    }
  }
  return nr_lower_out(l, 0, nr_lower_reshape(l, nr_lower_in(l, 0), &to), nr_lower_dtype(l, 0));
}

/* Without axes, drops static dims of 1. Dynamic dims stay, because the rank must not depend on the run. */
static void squeeze_ones(NrLower *l, const NrShape *from, NrShape *to) {
  for (size_t i = 0; i < from->rank; i++) {
    NrDim d = from->dims[i];
    if (nr_dim_is(d, 1)) continue;
    if (!nr_dim_known(d))
      nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_NE, d.value, nr_lower_index(l, 1)),
                     "a dim that was not known before the run is 1: name the axes that go", NULL, 0);
    to->dims[to->rank++] = d;
  }
}

NrStatus nr_lower_squeeze(NrLower *l) {
  NrInts axes;
  if (!nr_lower_ints(l, l->version >= 13, 1, "axes", &axes)) return NR_ERROR_INVALID;
  NrShape from = nr_lower_shape(l, nr_lower_in(l, 0)), to = {0};
  if (!axes.given) {
    squeeze_ones(l, &from, &to);
  } else if (nr_ints_known(&axes)) {
    size_t at[NORIA_MAX_RANK];
    if (!nr_lower_known_axes(l, &axes, from.rank, at)) return NR_ERROR_INVALID;
    uint64_t gone = 0;
    for (size_t i = 0; i < axes.count; i++) {
      NrDim d = from.dims[at[i]];
      if (nr_dim_known(d) && d.size != 1)
        return nr_lower_error(l, "dim %zu has %lld elements, not 1", at[i], (long long)d.size);
      nr_lower_check_dims_equal(l, d, nr_dim(1), "a dim that goes must be 1");
      gone |= UINT64_C(1) << at[i];
    }
    for (size_t i = 0; i < from.rank; i++)
      if (!(gone >> i & 1)) to.dims[to.rank++] = from.dims[i];
  } else {
    NrValue *gone[NORIA_MAX_RANK];
    if (axes.count > from.rank) return nr_lower_error(l, "more axes than dims");
    dynamic_axes(l, &axes, from.rank, gone);
    to.rank = from.rank - axes.count;
    for (size_t p = 0; p < to.rank; p++) to.dims[p] = nr_dim(1);
    NrDim kept = nr_dim(0);
    for (size_t i = 0; i < from.rank; i++) {
      nr_lower_check_dims_equal(l, nr_dim_select(l, gone[i], from.dims[i], nr_dim(1)), nr_dim(1),
                                "a dim that goes must be 1");
      for (size_t p = 0; p < to.rank && p <= i; p++) {
        NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, kept), nr_lower_index(l, (int64_t)p));
        NrDim d = nr_dim_select(l, gone[i], to.dims[p], from.dims[i]);
        to.dims[p] = nr_dim_select(l, here, d, to.dims[p]);
      }
      kept = nr_dim_add(l, kept, nr_dim_select(l, gone[i], nr_dim(0), nr_dim(1)));
    }
  }
  return nr_lower_out(l, 0, nr_lower_reshape(l, nr_lower_in(l, 0), &to), nr_lower_dtype(l, 0));
}
