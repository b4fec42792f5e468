/* fold.c - folding an op over scalars, splats and small dense constants; see fold.h. */
#include "dialect/arith/fold.h"

#include "dialect/arith/arith.h"
#include "dialect/arith/eval.h"

#include <math.h>

NrAttr nr_splat_scalar(NrAttr constant) {
  if (!constant) return NULL;
  if (constant->kind == NR_ATTR_INTEGER || constant->kind == NR_ATTR_FLOAT) return constant;
  return constant->kind == NR_ATTR_DENSE && constant->splat ? nr_attr_element(constant, 0) : NULL;
}

/* Writes a scalar in the representation of dense constants. */
static bool store_element(NrAttr scalar, uint8_t *bytes) {
  size_t size = nr_type_byte_size(scalar->type);
  if (scalar->kind == NR_ATTR_FLOAT && size <= 8) {
    memcpy(bytes, &scalar->bits, size);
  } else if (scalar->kind == NR_ATTR_INTEGER && size <= 8) {
    uint32_t width = nr_type_bits(scalar->type);
    uint64_t word = (uint64_t)scalar->i;
    if (width == 1) word &= 1;
    memcpy(bytes, &word, size);
  } else {
    return false;
  }
  return true;
}

NrAttr nr_splat_attr(NrType type, NrAttr scalar) {
  if (!scalar || nr_type_elem(type) != scalar->type) return NULL;
  if (type == scalar->type) return scalar;
  uint8_t bytes[8];
  bool dense = (type->kind == NR_TYPE_VECTOR || type->kind == NR_TYPE_TENSOR) && nr_type_has_static_shape(type);
  if (!dense || !store_element(scalar, bytes)) return NULL;
  return nr_attr_dense(type, bytes, nr_type_byte_size(scalar->type));
}

NrAttr nr_splat_int(NrType type, int64_t value) {
  NrType elem = nr_type_elem(type);
  return nr_type_is_int_or_index(elem) ? nr_splat_attr(type, nr_attr_int(elem, value)) : NULL;
}

NrAttr nr_zero_attr(NrType type) {
  NrType elem = nr_type_elem(type);
  if (nr_type_is_float(elem)) return nr_splat_attr(type, nr_attr_float(elem, 0));
  if (type->kind != NR_TYPE_COMPLEX) return nr_splat_int(type, 0);
  NrAttr part = nr_zero_attr(type->elem);
  return part ? nr_attr_array(type->ctx, (NrAttr[]){part, part}, 2) : NULL;
}

bool nr_const_is_int(NrAttr constant, int64_t value) {
  NrAttr scalar = nr_splat_scalar(constant);
  return scalar && scalar->kind == NR_ATTR_INTEGER && scalar == nr_attr_int(scalar->type, value);
}

bool nr_const_is_float(NrAttr constant, double value) {
  NrAttr scalar = nr_splat_scalar(constant);
  return scalar && scalar->kind == NR_ATTR_FLOAT && scalar->f == value && signbit(scalar->f) == signbit(value);
}

bool nr_const_is_nan(NrAttr constant) {
  NrAttr scalar = nr_splat_scalar(constant);
  return scalar && scalar->kind == NR_ATTR_FLOAT && isnan(scalar->f);
}

enum { MAX_OPERANDS = 4 };

NrAttr nr_fold_scalar(const NrOp *op, NrType out, const NrAttr *in) {
  NrType types[MAX_OPERANDS];
  uint64_t args[MAX_OPERANDS], bits;
  const char *why = NULL;
  for (size_t i = 0; i < op->num_operands; i++) {
    types[i] = in[i]->type;
    if (in[i]->kind == NR_ATTR_FLOAT) args[i] = in[i]->bits;
    else if (in[i]->kind == NR_ATTR_INTEGER && nr_eval_has_type(types[i]))
      args[i] = nr_bits_from_int(types[i], in[i]->i);
    else return NULL;
  }
  if (!nr_eval(op, out, types, args, &bits, &why) || why) return NULL;
  return nr_type_is_float(out) ? nr_attr_float_bits(out, bits) : nr_attr_int(out, nr_bits_to_int(out, bits));
}

/* Folds element `e` of all operands, without creating an attribute for each. */
static bool fold_bits(const NrOp *op, const NrAttr *constants, NrType elem, int64_t e, uint8_t *to) {
  NrType types[MAX_OPERANDS];
  uint64_t args[MAX_OPERANDS] = {0}, bits;
  const char *why = NULL;
  for (size_t i = 0; i < op->num_operands; i++) {
    NrAttr c = constants[i];
    bool dense = nr_attr_is_elements(c);
    types[i] = dense ? c->type->elem : c->type;
    if (!nr_eval_has_type(types[i])) return false;
    if (dense) memcpy(&args[i], nr_attr_element_ptr(c, e), nr_type_byte_size(types[i]));
    else args[i] = c->kind == NR_ATTR_FLOAT ? c->bits : (uint64_t)c->i;
    if (!nr_type_is_float(types[i])) args[i] = nr_bits_from_int(types[i], (int64_t)args[i]);
  }
  if (!nr_eval(op, elem, types, args, &bits, &why) || why) return false;
  /* In dense constants integers are sign-extended, and i1 is 0 or 1. */
  bool extends = !nr_type_is_float(elem) && nr_type_bits(elem) > 1;
  if (extends) bits = (uint64_t)nr_bits_to_int(elem, bits);
  memcpy(to, &bits, nr_type_byte_size(elem));
  return true;
}

static NrAttr fold_dense(const NrOp *op, const NrAttr *constants, NrType result, NrScalarFold fn) {
  NrType elem = nr_type_elem(result);
  size_t size = nr_type_byte_size(elem);
  int64_t count = 0;
  bool all_splat = true;
  if (size == 0 || size > 8 || !nr_type_num_elements(result, &count)) return NULL;
  for (size_t i = 0; i < op->num_operands; i++) {
    bool scalar = constants[i]->kind == NR_ATTR_INTEGER || constants[i]->kind == NR_ATTR_FLOAT;
    if (!scalar && !nr_attr_is_elements(constants[i])) return NULL;
    int64_t have = count;
    if (!scalar && (!nr_type_num_elements(constants[i]->type, &have) || have != count)) return NULL;
    all_splat = all_splat && (scalar || constants[i]->splat);
  }
  if (all_splat && count) count = 1;
  if (count > NR_FOLD_MAX_ELEMENTS) return NULL;
  uint8_t *bytes = nr_calloc((size_t)count + 1, size);
  NrAttr folded = NULL;
  for (int64_t e = 0; e < count; e++) {
    NrAttr in[MAX_OPERANDS];
    if (fn == nr_fold_scalar) {
      if (fold_bits(op, constants, elem, e, bytes + (size_t)e * size)) continue;
      goto out;
    }
    for (size_t i = 0; i < op->num_operands; i++)
      in[i] = nr_attr_is_elements(constants[i]) ? nr_attr_element(constants[i], e) : constants[i];
    NrAttr value = fn(op, elem, in);
    if (!value || !store_element(value, bytes + (size_t)e * size)) goto out;
  }
  folded = nr_attr_dense(result, bytes, (size_t)count * size);
out:
  nr_free(bytes);
  return folded;
}

NrAttr nr_fold_elementwise_attr(const NrOp *op, const NrAttr *constants, NrType result, NrScalarFold fn) {
  if (op->num_operands == 0 || op->num_operands > MAX_OPERANDS) return NULL;
  for (size_t i = 0; i < op->num_operands; i++)
    if (!constants[i]) return NULL;
  if (!nr_type_is_shaped(result)) {
    for (size_t i = 0; i < op->num_operands; i++)
      if (constants[i]->kind != NR_ATTR_INTEGER && constants[i]->kind != NR_ATTR_FLOAT) return NULL;
    return fn(op, result, constants);
  }
  bool dense = result->kind == NR_TYPE_VECTOR || result->kind == NR_TYPE_TENSOR;
  if (!dense || !nr_type_has_static_shape(result) || (result->kind == NR_TYPE_VECTOR && result->scalable)) return NULL;
  return fold_dense(op, constants, result, fn);
}

bool nr_fold_elementwise(const NrOp *op, const NrAttr *constants, NrFold *out, NrScalarFold fn) {
  return nr_fold_to_attr(out, nr_fold_elementwise_attr(op, constants, nr_op_result(op)->type, fn));
}

/* ---- folding builders -------------------------------------------------------------------------------------------- */

NrValue *nr_build_folded(NrBuilder *b, NrOp *op) {
  NrAttr constants[MAX_OPERANDS];
  NrFold out = {0};
  assert(op->num_operands <= MAX_OPERANDS && op->num_results == 1);
  for (uint32_t i = 0; i < op->num_operands; i++) constants[i] = nr_value_constant(nr_operand(op, i));
  NrValue *result = nr_op_result(op), *value;
  if (!op->info->fold || !op->info->fold(op, constants, &out)) return result;
  value = out.attr ? nr_arith_constant(b, out.attr) : out.value;
  if (!value || value == result) return result;
  nr_op_erase(op);
  return value;
}

NrValue *nr_fold_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs) {
  return nr_build_folded(b, nr_arith_binary(b, op_id, lhs, rhs)->op);
}
NrValue *nr_fold_cmpi(NrBuilder *b, NrCmpI predicate, NrValue *lhs, NrValue *rhs) {
  return nr_build_folded(b, nr_arith_cmpi(b, predicate, lhs, rhs)->op);
}
NrValue *nr_fold_select(NrBuilder *b, NrValue *condition, NrValue *if_true, NrValue *if_false) {
  return nr_build_folded(b, nr_arith_select(b, condition, if_true, if_false)->op);
}
