/* body.c - see body.h. */
#include "onnx/lower/core/body.h"

#include "dialect/arith/arith.h"

enum { MAX_ARGS = 64 };

/* ---- floats narrower than f32 ---- */

NrType nr_lower_wide_type(NrType t) { return nr_type_is_float(t) && nr_type_bits(t) < 32 ? nr_type_f32(t->ctx) : t; }

NrValue *nr_lower_widen(NrLower *l, NrValue *scalar) {
  NrType wide = nr_lower_wide_type(scalar->type);
  return wide == scalar->type ? scalar : nr_lower_op1(l, NR_OP_arith_extf, wide, scalar);
}

NrValue *nr_lower_narrow(NrLower *l, NrValue *scalar, NrType type) {
  return scalar->type == type ? scalar : nr_lower_op1(l, NR_OP_arith_truncf, type, scalar);
}

typedef struct Wide {
  NrBodyFn body;
  void *user;
  size_t count;
  NrType elem;
} Wide;

static NrValue *wide_body(NrLower *l, NrValue *const *args, void *user) {
  const Wide *w = user;
  NrValue *wide[MAX_ARGS];
  for (size_t i = 0; i < w->count; i++) wide[i] = nr_lower_widen(l, args[i]);
  NrValue *result = w->body(l, wide, w->user);
  return result ? nr_lower_narrow(l, result, w->elem) : NULL;
}

NrValue *nr_lower_map_wide(NrLower *l, NrValue *const *inputs, size_t count, NrType elem, NrBodyFn body, void *user) {
  if (count > MAX_ARGS) return nr_lower_error(l, "more than %d inputs", MAX_ARGS), NULL;
  Wide w = {body, user, count, elem ? elem : inputs[0] ? nr_type_elem(inputs[0]->type) : NULL};
  return nr_lower_map(l, inputs, count, w.elem, wide_body, &w);
}

static NrValue *same_body(NrLower *l, NrValue *const *args, void *user) { return args[0]; }

static NrValue *convert_tensor(NrLower *l, NrValue *tensor, NrType elem) {
  return !tensor || tensor->type->elem == elem ? tensor : nr_lower_map_wide(l, &tensor, 1, elem, same_body, NULL);
}

NrValue *nr_lower_widen_tensor(NrLower *l, NrValue *tensor) {
  return tensor ? convert_tensor(l, tensor, nr_lower_wide_type(tensor->type->elem)) : NULL;
}

NrValue *nr_lower_narrow_tensor(NrLower *l, NrValue *tensor, NrType elem) { return convert_tensor(l, tensor, elem); }

NrValue *nr_lower_contract(NrValue *value) {
  NrOp *op = value->op;
  if (op && (nr_op_is(op, NR_OP_arith_addf) || nr_op_is(op, NR_OP_arith_subf) || nr_op_is(op, NR_OP_arith_mulf)))
    nr_op_set_attr(op, NR_A_fastmath, nr_arith_fastmath_attr(nr_value_context(value), NR_FASTMATH_CONTRACT));
  return value;
}

/* ---- what an op's inputs are ---- */

bool nr_lower_same_dtypes(NrLower *l, size_t first, size_t count) {
  for (size_t i = first; i < first + count; i++) {
    if (!nr_lower_in(l, i)) return nr_lower_error(l, "input %zu is missing", i), false;
    if (nr_lower_dtype(l, i) == nr_lower_dtype(l, first)) continue;
    nr_lower_error(l, "inputs %zu and %zu are %s and %s; they must be of one type", first, i,
                   nr_dtype_name(nr_lower_dtype(l, first)), nr_dtype_name(nr_lower_dtype(l, i)));
    return false;
  }
  return true;
}

bool nr_lower_takes(NrLower *l, size_t i, NrDTypeClass class) {
  if (!nr_lower_in(l, i)) return nr_lower_error(l, "input %zu is missing", i), false;
  NoriaDType t = nr_lower_dtype(l, i);
  if (((class & NR_FLOATS) && nr_dtype_is_float(t)) || ((class & NR_INTS) && nr_dtype_is_int(t)) ||
      ((class & NR_BOOL) && t == NORIA_BOOL))
    return true;
  return nr_lower_error(l, "input %zu is %s, which the op does not take", i, nr_dtype_name(t)), false;
}

bool nr_lower_two_inputs(NrLower *l, NrValue *out[2]) {
  if (nr_lower_num_in(l) > 2) return nr_lower_error(l, "%zu inputs instead of two", nr_lower_num_in(l)), false;
  for (size_t i = 0; i < 2; i++)
    if (!(out[i] = nr_lower_in(l, i))) return nr_lower_error(l, "input %zu is missing", i), false;
  bool by_axis = l->version < 7 && nr_lower_takes_attr(l, "axis") && nr_lower_attr(l, "axis");
  if (!by_axis || nr_rank(out[1]) == 0) return true;
  size_t axis, rank = nr_rank(out[0]);
  if (!nr_lower_axis(l, nr_lower_attr_int_or(l, "axis", 0), rank, &axis)) return false;
  NrShape shape = nr_lower_shape(l, out[1]);
  if (axis + shape.rank > rank) {
    nr_lower_error(l, "axis %zu leaves no room for the %zu dims of the second input", axis, shape.rank);
    return false;
  }
  while (axis + shape.rank < rank) shape.dims[shape.rank++] = nr_dim(1);
  out[1] = nr_lower_reshape(l, out[1], &shape);
  return true;
}
