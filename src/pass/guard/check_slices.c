/* check_slices.c - the checks of check-bounds and check-claims for slices: a slice is inside its source, and an
 * inserted tensor has the slice's shape. */
#include "dialect/arith/arith.h"
#include "dialect/flow/ops.h"
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"
#include "pass/core/checks.h"
#include "pass/analysis/prover.h"

#include <stdio.h>

/* Builds x * y and *out_fits, the condition that it does not overflow; NULL when that is known. */
static NrValue *exact_product(NrBuilder *b, NrValue *x, NrValue *y, NrValue **out_fits) {
  int64_t factor;
  *out_fits = NULL;
  if (nr_value_constant_int(y, &factor) && factor == 1) return x;
  NrType i64 = nr_type_i64(b->ctx), types[2] = {i64, i64};
  NrValue *wide[2] = {nr_build_value(b, NR_OP_arith_index_cast, i64, &x, 1),
                      nr_build_value(b, NR_OP_arith_index_cast, i64, &y, 1)};
  NrOp *op = nr_build_op(b, NR_OP_arith_mulsi_extended, wide, 2, types, 2);
  NrValue *low = nr_arith_mulsi_extended_low(op), *shift = nr_arith_constant_int(b, i64, 63);
  NrValue *sign = nr_arith_binary(b, NR_OP_arith_shrsi, low, shift);
  *out_fits = nr_arith_cmpi(b, NR_CMPI_EQ, nr_arith_mulsi_extended_high(op), sign);
  return nr_build_value(b, NR_OP_arith_index_cast, nr_type_index(b->ctx), &low, 1);
}

/* A tensor.parallel_insert_slice is in a region that allows no other ops. */
static NrBuilder before_slice(NrOp *op) {
  NrBuilder b = nr_builder_before(nr_op_is(op, NR_OP_tensor_parallel_insert_slice) ? nr_op_parent(op) : op);
  b.loc = op->loc;
  return b;
}

/* For a stride that may be negative: the distance from the first to the last element must not overflow, and both must
 * be inside the dim. */
static NrValue *ends_inside(NrBuilder *b, NrValue *const *v) {
  NrValue *fits, *steps = nr_arith_binary(b, NR_OP_arith_subi, v[1], nr_arith_constant_index(b, 1));
  NrValue *distance = exact_product(b, steps, v[2], &fits), *far = nr_arith_constant_index(b, NR_MAX_DIM);
  NrValue *near = nr_arith_binary(b, NR_OP_arith_andi, nr_arith_cmpi(b, NR_CMPI_SLE, distance, far),
                                  nr_arith_cmpi(b, NR_CMPI_SGE, distance, nr_arith_constant_index(b, -NR_MAX_DIM)));
  if (fits) near = nr_arith_binary(b, NR_OP_arith_andi, fits, near);
  NrValue *last = nr_arith_binary(b, NR_OP_arith_addi, v[0], distance);
  NrValue *inside = nr_arith_binary(b, NR_OP_arith_andi, nr_arith_cmpi(b, NR_CMPI_ULT, v[0], v[3]), near);
  return nr_arith_binary(b, NR_OP_arith_andi, inside, nr_arith_cmpi(b, NR_CMPI_ULT, last, v[3]));
}

/* Checks offsets, sizes and strides of a view or slice of `shaped`: it is empty, or its first and last elements are in
 * bounds. The prover relies on the order of the conditions (prover.c). */
void nr_check_slice(NrOp *op, NrValue *shaped, const NrIndexListSlot *slots) {
  enum { MAX_STRIDE = 1 << 15 }; /* times a dim, it does not overflow */
  NrBuilder b = before_slice(op);
  NrValue *zero = nr_arith_constant_index(&b, 0), *one = nr_arith_constant_index(&b, 1);
  bool bound = shaped->type->kind == NR_TYPE_flow_dispatch_tensor;
  NrType type = bound ? shaped->type->elem : shaped->type;
  for (uint32_t d = 0; d < type->rank; d++) {
    NrIndex part[3];
    NrValue *v[4], *fine;
    int64_t step;
    for (size_t k = 0; k < 3; k++) part[k] = nr_index_list_get(op, slots[k], d);
    bool known = !part[0].value && !part[1].value && !part[2].value && type->dims[d] != NR_DYNAMIC;
    if (bound && known) continue; /* the verifier checked it */
    for (size_t k = 0; k < 3; k++) v[k] = nr_index_value(&b, part[k]);
    v[3] = nr_check_size_of(&b, shaped, d);
    NrValue *none = nr_arith_cmpi(&b, NR_CMPI_EQ, v[1], zero);
    NrValue *signs = nr_arith_binary(&b, NR_OP_arith_andi, nr_arith_cmpi(&b, NR_CMPI_SGE, v[0], zero),
                                     nr_arith_cmpi(&b, NR_CMPI_SGE, v[1], zero));
    if (nr_value_constant_int(v[2], &step) && step > 0 && step <= MAX_STRIDE) {
      NrValue *room = nr_arith_binary(&b, NR_OP_arith_subi, v[3], v[0]);
      NrValue *distance = nr_arith_binary(&b, NR_OP_arith_subi, v[1], one);
      if (step > 1) distance = nr_arith_binary(&b, NR_OP_arith_muli, distance, v[2]);
      fine = nr_arith_cmpi(&b, NR_CMPI_SLE, v[1], v[3]);
      fine = nr_arith_binary(&b, NR_OP_arith_andi, fine, nr_arith_cmpi(&b, NR_CMPI_SLT, distance, room));
    } else {
      fine = ends_inside(&b, v);
    }
    fine = nr_arith_binary(&b, NR_OP_arith_andi, signs, nr_arith_binary(&b, NR_OP_arith_ori, none, fine));
    char text[96];
    snprintf(text, sizeof text, "the slice [%%0, +%%1, step %%2] leaves dim %u of %%3", d);
    nr_check_unless(&b, op, fine, text, v, 4);
  }
}

/* The source of an insert has the shape of the slice, where unit dims may be dropped. */
void nr_check_inserted(NrOp *op) {
  NrBuilder b = before_slice(op);
  bool is_store = nr_op_is(op, NR_OP_flow_dispatch_tensor_store);
  NrValue *source = is_store ? nr_flow_dispatch_tensor_store_value(op) : nr_op_source(op), *same = NULL;
  NrIndexListSlot sizes = nr_slice_slots(op)[1];
  uint32_t rank = (uint32_t)nr_index_list_size(op, sizes.attr), from = 0;
  for (uint32_t d = 0; d < rank && from < source->type->rank; d++) {
    NrIndex size = nr_index_list_get(op, sizes, d);
    if (source->type->rank < rank && nr_index_is(size, 1) && source->type->dims[from] != 1) continue;
    NrValue *have = nr_check_size_of(&b, source, from++);
    NrValue *equal = nr_arith_cmpi(&b, NR_CMPI_EQ, have, nr_index_value(&b, size));
    same = same ? nr_arith_binary(&b, NR_OP_arith_andi, same, equal) : equal;
  }
  if (same) nr_check_unless(&b, op, same, "the source does not have the shape of the slice", NULL, 0);
}
