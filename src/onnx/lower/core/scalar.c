/* scalar.c - scalars while lowering: constants, and ops that fold as they are built. */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/arith/fold.h"
#include "onnx/lower/core/state.h"
#include "pass/core/rewrite.h"

NrValue *nr_lower_fold(NrLower *l, NrOp *op) { return nr_build_folded(&l->b, op); }

static NrValue *constant(NrLower *l, NrType type, NrAttr value) {
  NrOp *op = nr_build_op(&l->b, NR_OP_arith_constant, NULL, 0, &type, 1);
  nr_op_set_attr(op, NR_A_value, value);
  return nr_op_result(op);
}

NrValue *nr_lower_index(NrLower *l, int64_t value) {
  NrType index = nr_type_index(l->ctx);
  return constant(l, index, nr_attr_int(index, value));
}

NrValue *nr_lower_int(NrLower *l, NrType type, int64_t value) { return constant(l, type, nr_attr_int(type, value)); }
NrValue *nr_lower_float(NrLower *l, NrType type, double value) { return constant(l, type, nr_attr_float(type, value)); }
NrValue *nr_lower_neutral(NrLower *l, unsigned op_id, NrType type) {
  return constant(l, type, nr_combine_neutral(nr_combine_of_op(op_id), type));
}

static NrValue *empty_string(NrLower *l, NrType type) {
  NrValue *none = nr_lower_dense(l, nr_attr_dense_strings(nr_type_tensor(NULL, 0, type), &NR_STR(""), 1));
  return nr_lower_extract(l, none, NULL, 0);
}

static NrValue *complex_constant(NrLower *l, NrType type, double value) {
  NrAttr parts[2] = {nr_attr_float(type->elem, value), nr_attr_float(type->elem, 0)};
  return nr_op_result(nr_build_constant(&l->b, nr_attr_array(l->ctx, parts, 2), type));
}

/* The nearest of an int64's values. */
static int64_t saturated(double value) {
  return value >= 0x1p63 ? INT64_MAX : value >= -0x1p63 ? (int64_t)value : INT64_MIN;
}

NrValue *nr_lower_constant(NrLower *l, NrType type, double value) {
  if (type->kind == NR_TYPE_onnx_string) return empty_string(l, type);
  if (type->kind == NR_TYPE_COMPLEX) return complex_constant(l, type, value);
  return nr_type_is_float(type) ? nr_lower_float(l, type, value) : nr_lower_int(l, type, saturated(value));
}

NrValue *nr_lower_op1(NrLower *l, unsigned op_id, NrType result, NrValue *a) {
  return nr_lower_fold(l, nr_build_op(&l->b, op_id, &a, 1, &result, 1));
}

NrValue *nr_lower_op2(NrLower *l, unsigned op_id, NrType result, NrValue *a, NrValue *b) {
  return nr_lower_fold(l, nr_build_op(&l->b, op_id, (NrValue *[]){a, b}, 2, &result, 1));
}

NrValue *nr_lower_op3(NrLower *l, unsigned op_id, NrType result, NrValue *a, NrValue *b, NrValue *c) {
  return nr_lower_fold(l, nr_build_op(&l->b, op_id, (NrValue *[]){a, b, c}, 3, &result, 1));
}

static NrValue *compare(NrLower *l, unsigned op_id, int64_t predicate, NrValue *a, NrValue *b) {
  NrType i1 = nr_type_i1(l->ctx);
  NrOp *op = nr_build_op(&l->b, op_id, (NrValue *[]){a, b}, 2, &i1, 1);
  nr_op_set_attr(op, NR_A_predicate, nr_attr_i64(l->ctx, predicate));
  return nr_lower_fold(l, op);
}

NrValue *nr_lower_cmpi(NrLower *l, NrCmpI predicate, NrValue *a, NrValue *b) {
  return compare(l, NR_OP_arith_cmpi, predicate, a, b);
}
NrValue *nr_lower_cmpf(NrLower *l, NrCmpF predicate, NrValue *a, NrValue *b) {
  return compare(l, NR_OP_arith_cmpf, predicate, a, b);
}
NrValue *nr_lower_select(NrLower *l, NrValue *cond, NrValue *a, NrValue *b) {
  return nr_lower_op3(l, NR_OP_arith_select, a->type, cond, a, b);
}

NrValue *nr_lower_fast(NrValue *value) {
  if (value->op && !nr_op_has(value->op, NR_CONSTANT_LIKE) && nr_type_is_float(value->type))
    nr_op_set_attr(value->op, NR_A_fastmath,
                   nr_arith_fastmath_attr(nr_value_context(value), NR_FASTMATH_REASSOC | NR_FASTMATH_CONTRACT));
  return value;
}

static NrValue *arithmetic(NrLower *l, unsigned int_op, unsigned float_op, NrValue *a, NrValue *b) {
  return nr_lower_op2(l, nr_type_is_float(a->type) ? float_op : int_op, a->type, a, b);
}
NrValue *nr_lower_add(NrLower *l, NrValue *a, NrValue *b) {
  return arithmetic(l, NR_OP_arith_addi, NR_OP_arith_addf, a, b);
}
NrValue *nr_lower_sub(NrLower *l, NrValue *a, NrValue *b) {
  return arithmetic(l, NR_OP_arith_subi, NR_OP_arith_subf, a, b);
}
NrValue *nr_lower_mul(NrLower *l, NrValue *a, NrValue *b) {
  return arithmetic(l, NR_OP_arith_muli, NR_OP_arith_mulf, a, b);
}
