/* check_sizes.c - builds sizes and element counts for the checks; see core/checks.h. */
#include "dialect/flow/flow.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"
#include "pass/guard/check_shapes.h"
#include "pass/loop/loops.h"

NrValue *nr_check_both(NrBuilder *b, NrValue *x, NrValue *y) {
  return x ? nr_fold_binary(b, NR_OP_arith_andi, x, y) : y;
}

NrValue *nr_check_size_of(NrBuilder *b, NrValue *shaped, uint32_t dim) {
  bool bound = shaped->type->kind == NR_TYPE_flow_dispatch_tensor;
  NrType type = bound ? shaped->type->elem : shaped->type;
  if (type->dims[dim] != NR_DYNAMIC) return nr_check_number(b, type->dims[dim]);
  if (bound) {
    NrOp *op = nr_build_op(b, NR_OP_flow_dispatch_tensor_dim, &shaped, 1, (NrType[]){nr_type_index(b->ctx)}, 1);
    nr_op_set_attr(op, NR_A_dimension, nr_attr_int(nr_type_index(b->ctx), dim));
    return nr_op_result(op);
  }
  unsigned id = shaped->type->kind == NR_TYPE_MEMREF ? NR_OP_memref_dim : NR_OP_tensor_dim;
  return nr_build_value(b, id, nr_type_index(b->ctx), (NrValue *[]){shaped, nr_check_number(b, dim)}, 2);
}

NrValue *nr_check_product(NrBuilder *b, NrValue *x, NrValue *y) {
  int64_t n, m;
  if (nr_value_constant_int(x, &n) && n == 1) return y;
  if (nr_value_constant_int(y, &m) && m == 1) return x;
  NrType i64 = nr_type_i64(b->ctx), types[2] = {i64, i64};
  NrValue *wide[2] = {nr_build_value(b, NR_OP_arith_index_cast, i64, &x, 1),
                      nr_build_value(b, NR_OP_arith_index_cast, i64, &y, 1)};
  NrOp *op = nr_build_op(b, NR_OP_arith_mului_extended, wide, 2, types, 2);
  NrValue *low = nr_arith_mului_extended_low(op), *none = nr_arith_constant_int(b, i64, 0);
  NrValue *fits = nr_check_both(b, nr_arith_cmpi(b, NR_CMPI_EQ, nr_arith_mului_extended_high(op), none),
                       nr_arith_cmpi(b, NR_CMPI_SGE, low, none));
  NrValue *index = nr_build_value(b, NR_OP_arith_index_cast, nr_type_index(b->ctx), &low, 1);
  return nr_arith_select(b, fits, index, nr_check_number(b, INT64_MAX));
}

bool nr_check_is_product(const NrValue *value, NrValue **out_x, NrValue **out_y) {
  const NrOp *op = value->op, *cast, *wide;
  int64_t fallback;
  if (!nr_op_is(op, NR_OP_arith_select)) return false;
  if (!nr_value_constant_int(nr_arith_select_false_value(op), &fallback) || fallback != INT64_MAX) return false;
  cast = nr_arith_select_true_value(op)->op;
  wide = nr_op_is(cast, NR_OP_arith_index_cast) ? nr_arith_index_cast_in(cast)->op : NULL;
  if (!nr_op_is(wide, NR_OP_arith_mului_extended)) return false;
  if (nr_arith_index_cast_in(cast) != nr_arith_mului_extended_low(wide)) return false;
  NrValue **out[] = {out_x, out_y};
  for (size_t i = 0; i < 2; i++) {
    const NrOp *from = nr_operand(wide, i)->op;
    if (!nr_op_is(from, NR_OP_arith_index_cast) || !nr_type_is_index(nr_arith_index_cast_in(from)->type)) return false;
    *out[i] = nr_arith_index_cast_in(from);
  }
  return true;
}

NrValue *nr_check_count_of(NrBuilder *b, NrValue *shaped, uint32_t begin, uint32_t end) {
  NrValue *n = nr_check_number(b, 1);
  for (uint32_t d = begin; d < end; d++) n = nr_check_product(b, n, nr_check_size_of(b, shaped, d));
  return n;
}
