/* arith.c - the op definitions of dialect arith, builders, inference and verification. Folds are in fold_*.c, rewrites
 * in canonicalize*.c, the text in syntax.c. */
#include "dialect/arith/arith.h"
#include "dialect/arith/syntax.h"
#include "dialect/operands.h"
#include "dialect/arith/fold.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* A constant of a signed or unsigned integer type: arith.constant has signless integers only, so a cast follows it. */
static NrValue *signed_constant(NrBuilder *b, NrAttr value) {
  NrType bits = nr_type_int(b->ctx, value->type->width);
  NrAttr plain = value->words ? nr_attr_int_wide(bits, value->words, value->num_words) : nr_attr_int(bits, value->i);
  NrValue *constant = nr_arith_constant(b, plain);
  return nr_build_value(b, NR_OP_builtin_unrealized_conversion_cast, value->type, &constant, 1);
}

NrValue *nr_arith_constant(NrBuilder *b, NrAttr value) {
  if (!nr_arith_is_constant_type(value->type)) return signed_constant(b, value);
  NrOp *op = nr_build_op(b, NR_OP_arith_constant, NULL, 0, &value->type, 1);
  nr_op_set_attr(op, NR_A_value, value);
  return nr_op_result(op);
}

bool nr_arith_is_constant_type(NrType type) {
  return !nr_type_is_int(type) || type->signedness == NR_SIGNLESS;
}

NrValue *nr_arith_constant_index(NrBuilder *b, int64_t value) {
  return nr_arith_constant(b, nr_attr_index(b->ctx, value));
}

NrValue *nr_arith_constant_int(NrBuilder *b, NrType type, int64_t value) {
  return nr_arith_constant(b, nr_attr_int(type, value));
}

NrValue *nr_arith_binary(NrBuilder *b, unsigned op_id, NrValue *lhs, NrValue *rhs) {
  return nr_build_value(b, op_id, lhs->type, (NrValue *[]){lhs, rhs}, 2);
}

static NrValue *build_compare(NrBuilder *b, unsigned op_id, int64_t predicate, NrValue *lhs, NrValue *rhs) {
  NrValue *result = nr_build_value(b, op_id, nr_arith_bool_like(lhs->type), (NrValue *[]){lhs, rhs}, 2);
  nr_op_set_attr(result->op, NR_A_predicate, nr_attr_i64(b->ctx, predicate));
  return result;
}

NrValue *nr_arith_cmpi(NrBuilder *b, NrCmpI predicate, NrValue *lhs, NrValue *rhs) {
  return build_compare(b, NR_OP_arith_cmpi, predicate, lhs, rhs);
}

NrValue *nr_arith_cmpf(NrBuilder *b, NrCmpF predicate, NrValue *lhs, NrValue *rhs) {
  return build_compare(b, NR_OP_arith_cmpf, predicate, lhs, rhs);
}

NrValue *nr_arith_select(NrBuilder *b, NrValue *condition, NrValue *if_true, NrValue *if_false) {
  return nr_build_value(b, NR_OP_arith_select, if_true->type, (NrValue *[]){condition, if_true, if_false}, 3);
}

NrType nr_arith_bool_like(NrType type) {
  NrType bit = nr_type_i1(type->ctx);
  return nr_type_is_shaped(type) ? nr_type_with_elem(type, bit) : bit;
}

NrStatus nr_arith_infer_bool(NrContext *ctx, const NrOpState *state, NrType *out_types) {
  out_types[0] = nr_arith_bool_like(state->operands[0]->type);
  return NR_OK;
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrStatus constant_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType type = nr_op_result(op)->type;
  bool typed =
      value && (value->kind == NR_ATTR_INTEGER || value->kind == NR_ATTR_FLOAT || value->kind == NR_ATTR_DENSE ||
                value->kind == NR_ATTR_RESOURCE || value->kind == NR_ATTR_SPARSE ||
                value->kind == NR_ATTR_DENSE_STRINGS || value->kind == NR_ATTR_OPAQUE ||
                nr_attr_info(value->kind));
  if (!typed) return nr_op_error(op, "requires attribute 'value' to be a typed constant");
  if (value->type && value->type != type)
    return nr_op_error(op, "failed to verify that all of {value, result} have same type: '%s' vs '%s'",
                       text_of(value->type), text_of(type));
  if (!nr_arith_is_constant_type(type))
    return nr_op_error(op, "integer return type must be signless");
  if (type->kind == NR_TYPE_VECTOR && type->scalable && value->kind == NR_ATTR_DENSE && !value->splat)
    return nr_op_error(op, "a vector of unknown length needs one element for all");
  return NR_OK;
}

static NrStatus constant_infer(NrContext *ctx, const NrOpState *state, NrType *out_types) {
  for (size_t i = 0; i < state->num_attrs; i++)
    if (nr_str_is(state->attrs[i].name, "value")) out_types[0] = state->attrs[i].value->type;
  return NR_OK;
}

/* Whether both are scalars, or both have the same container, dims and encoding. */
static bool same_shape(NrType a, NrType b) {
  if (!nr_type_is_shaped(a) || !nr_type_is_shaped(b)) return !nr_type_is_shaped(a) && !nr_type_is_shaped(b);
  if (a->kind != b->kind) return false;
  if (!nr_type_is_ranked(a)) return true;
  if (a->kind == NR_TYPE_TENSOR && a->layout != b->layout) return false;
  if (a->rank != b->rank || a->scalable != b->scalable) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

static NrStatus cast_verify(NrOp *op) {
  NrType in = nr_op_in(op)->type, out = nr_op_result(op)->type;
  if (!same_shape(in, out))
    return nr_op_error(op, "operand type '%s' and result type '%s' are cast incompatible", text_of(in), text_of(out));
  if (nr_op_has_scale(op) && !same_shape(nr_op_scale(op)->type, out))
    return nr_op_error(op, "operand types '%s', '%s' and result type '%s' are cast incompatible", text_of(in),
                       text_of(nr_op_scale(op)->type), text_of(out));
  NrType from = nr_type_elem(in), to = nr_type_elem(out);
  if (nr_type_is_index(from) || nr_type_is_index(to))
    return nr_op_error(op, "works on integers of a fixed width, not on index: use arith.index_cast");
  uint32_t from_bits = nr_type_bits(from), to_bits = nr_type_bits(to);
  switch (op->info->id) {
  case NR_OP_arith_extui:
  case NR_OP_arith_extsi:
  case NR_OP_arith_extf:
  case NR_OP_arith_scaling_extf:
    if (from_bits < to_bits) return NR_OK;
    return nr_op_error(op, "result type '%s' must be wider than operand type '%s'", text_of(out), text_of(in));
  case NR_OP_arith_trunci:
  case NR_OP_arith_truncf:
  case NR_OP_arith_scaling_truncf:
    if (from_bits > to_bits) return NR_OK;
    return nr_op_error(op, "result type '%s' must be shorter than operand type '%s'", text_of(out), text_of(in));
  default: return NR_OK;
  }
}

static bool index_castable(NrType type) {
  NrType elem = nr_type_elem(type);
  return nr_type_is_index(elem) || (nr_type_is_int(elem) && elem->signedness == NR_SIGNLESS);
}

static NrStatus index_cast_verify(NrOp *op) {
  NrType in = nr_op_in(op)->type, out = nr_op_result(op)->type;
  const char *what = "signless-integer-like or memref of signless-integer";
  if (!index_castable(in)) return nr_op_error(op, "operand #0 must be %s, but got '%s'", what, text_of(in));
  if (!index_castable(out)) return nr_op_error(op, "result #0 must be %s, but got '%s'", what, text_of(out));
  bool one_index = nr_type_is_index(nr_type_elem(in)) != nr_type_is_index(nr_type_elem(out));
  if (!same_shape(in, out) || !one_index)
    return nr_op_error(op, "operand type '%s' and result type '%s' are cast incompatible", text_of(in), text_of(out));
  return NR_OK;
}

static NrStatus bitcast_verify(NrOp *op) {
  NrType in = nr_op_in(op)->type, out = nr_op_result(op)->type;
  uint32_t bits = nr_type_bits(nr_type_elem(in));
  bool indexed = nr_type_is_index(nr_type_elem(in)) || nr_type_is_index(nr_type_elem(out));
  if (same_shape(in, out) && bits && !indexed && bits == nr_type_bits(nr_type_elem(out))) return NR_OK;
  return nr_op_error(op, "operand type '%s' and result type '%s' are cast incompatible", text_of(in), text_of(out));
}

NrStatus nr_arith_verify_bool(NrOp *op) {
  if (nr_op_result(op)->type == nr_arith_bool_like(nr_op_operand_type(op))) return NR_OK;
  return nr_op_error(op, "failed to verify that result type has i1 element type and same shape as operands");
}

static NrStatus cmp_verify(NrOp *op) {
  NR_TRY(nr_arith_verify_bool(op));
  int64_t predicate = nr_op_attr_int(op, NR_A_predicate, -1);
  if (predicate < 0 || predicate > (nr_op_is(op, NR_OP_arith_cmpi) ? (int64_t)NR_CMPI_UGE : (int64_t)NR_CMPF_TRUE))
    return nr_op_error(op, "attribute 'predicate' failed to satisfy constraint: a known comparison");
  return NR_OK;
}

static NrStatus select_verify(NrOp *op) {
  NrType condition = nr_arith_select_condition(op)->type, type = nr_op_result(op)->type;
  if (!nr_type_is_shaped(condition)) return NR_OK;
  bool shaped = type->kind == NR_TYPE_VECTOR || nr_type_is_tensor(type);
  if (!shaped) return nr_op_error(op, "expected condition to be a signless i1, but got '%s'", text_of(condition));
  if (condition != nr_arith_bool_like(type))
    return nr_op_error(op,
                       "expected condition type to have the same shape as the result type, expected '%s', but got '%s'",
                       text_of(nr_arith_bool_like(type)), text_of(condition));
  return NR_OK;
}

#include "ir/rows.h"
#include "dialect/arith/attrs.def"
#include "dialect/arith/ops.def"
