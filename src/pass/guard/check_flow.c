/* check_flow.c - the checks of insert-ub-checks for flow ops: the dims that an op declares for its operands, which
 * passes rely on, and the indices of elements and slices, also of dispatch tensors. Such an op works on a whole tensor,
 * so the cost of its checks is not measurable.
 *
 *   before  %r = flow.tensor.clone %x : tensor<?xf32>{%n}
 *   after   %d = tensor.dim %x, %c0 : tensor<?xf32>
 *           %same = arith.cmpi eq, %d, %n : index
 *           rt.check %same, "'flow.tensor.clone' op dim 0 of operand #0 is %0, not %1 as the op says"(%d, %n)
 *           %r = flow.tensor.clone %x : tensor<?xf32>{%n} */
#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/shared/fold.h"
#include "pass/core/checks.h"
#include "pass/loop/loops.h"

#include <stdio.h>

static void unless(NrBuilder *b, NrOp *op, NrValue *cond, const char *text, NrValue *const *values, size_t count) {
  int64_t known;
  if (!nr_value_constant_int(cond, &known) || !known) nr_check_unless(b, op, cond, text, values, count);
}

/* Whether size is a tensor.dim of the value itself. */
static bool is_own_dim(NrValue *value, uint32_t dim, NrValue *size) {
  int64_t d;
  return nr_op_is(size->op, NR_OP_tensor_dim) && nr_operand(size->op, 0) == value &&
         nr_value_constant_int(nr_operand(size->op, 1), &d) && d == dim;
}

static bool check_claim(void *user, const NrFlowClaim *claim) {
  NrOp *op = user;
  NrValue *value = nr_operand(op, claim->operand);
  if (is_own_dim(value, claim->dim, claim->size)) return true;
  NrBuilder b = nr_builder_before(op);
  NrValue *values[] = {nr_check_size_of(&b, value, claim->dim), claim->size};
  char text[96];
  snprintf(text, sizeof text, NR_FLOW_CLAIM_TEXT("%%0", "%%1"), claim->dim, claim->operand);
  unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, values[0], values[1]), text, values, 2);
  return true;
}

static size_t first_of(NrOp *op, size_t group) {
  size_t first = 0, count;
  nr_op_operand_group(op, group, &first, &count);
  return first;
}

/* The dims of a type; the operands from `next` on give the dynamic ones. */
static void sizes_of(NrBuilder *b, NrOp *op, NrType type, size_t next, NrValue **out) {
  for (uint32_t d = 0; d < type->rank; d++)
    out[d] = type->dims[d] == NR_DYNAMIC ? nr_operand(op, next++) : nr_arith_constant_index(b, type->dims[d]);
}

/* Checks that the slice from the operands of group `starts`, of `lengths`, is inside the tensor. */
static void check_box(NrBuilder *b, NrOp *op, NrValue *whole, size_t starts, NrValue *const *lengths) {
  size_t first = first_of(op, starts);
  for (uint32_t d = 0; d < whole->type->rank; d++) {
    NrValue *values[] = {nr_operand(op, first + d), lengths[d], nr_check_size_of(b, whole, d)};
    /* As unsigned numbers, negative ones are larger than any size. */
    NrValue *begins = nr_fold_cmpi(b, NR_CMPI_ULE, values[0], values[2]);
    NrValue *left = nr_fold_binary(b, NR_OP_arith_subi, values[2], values[0]);
    NrValue *ends = nr_fold_cmpi(b, NR_CMPI_ULE, values[1], left);
    char text[96];
    snprintf(text, sizeof text, NR_FLOW_BOX_TEXT("%%0", "%%1", "%%2"), d);
    unless(b, op, nr_fold_binary(b, NR_OP_arith_andi, begins, ends), text, values, 3);
  }
}

static void check_slice(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType type = nr_result(op, 0)->type;
  NrValue *lengths[NR_MAX_RANK], *sizes[NR_MAX_RANK];
  size_t first = first_of(op, 3);
  nr_check_sizes(op, type, first_of(op, 4));
  sizes_of(&b, op, type, first_of(op, 4), sizes);
  for (uint32_t d = 0; d < type->rank; d++) {
    lengths[d] = nr_operand(op, first + d);
    char text[96];
    snprintf(text, sizeof text, NR_FLOW_LENGTH_TEXT("%%0", "%%1"), d);
    unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, lengths[d], sizes[d]), text, (NrValue *[]){lengths[d], sizes[d]}, 2);
  }
  check_box(&b, op, nr_operand(op, 0), 2, lengths);
}

static void check_update(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *update = nr_op_group_operand(op, 3), *sizes[NR_MAX_RANK];
  sizes_of(&b, op, update->type, first_of(op, 4), sizes);
  check_box(&b, op, nr_operand(op, 0), 2, sizes);
}

static NrValue *size_in(NrBuilder *b, NrOp *op, NrType type, size_t group, bool in_bytes) {
  NrValue *sizes[NR_MAX_RANK];
  NrValue *n = nr_arith_constant_index(b, in_bytes ? (int64_t)nr_type_byte_size(type->elem) : 1);
  sizes_of(b, op, type, first_of(op, group), sizes);
  for (uint32_t d = 0; d < type->rank; d++) n = nr_check_product(b, n, sizes[d]);
  return n;
}

/* Checks that reshape and bitcast keep the number of elements or bytes. */
static void check_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  if (!nr_flow_can_bitcast(from->elem, to->elem)) return;
  nr_check_sizes(op, to, first_of(op, 2));
  bool in_bytes = !nr_flow_same_width(from->elem, to->elem);
  NrValue *sizes[] = {size_in(&b, op, from, 1, in_bytes), size_in(&b, op, to, 2, in_bytes)};
  NrValue *same = nr_fold_cmpi(&b, NR_CMPI_EQ, sizes[0], sizes[1]);
  unless(&b, op, same, in_bytes ? NR_FLOW_BYTES_TEXT("%0", "%1") : NR_FLOW_COUNT_TEXT("%0", "%1"), sizes, 2);
}

static void check_dispatch(NrOp *op) {
  size_t next = first_of(op, NR_FLOW_RESULT_DIMS);
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_check_sizes(op, nr_result(op, i)->type, next);
    next += nr_flow_num_dims(nr_result(op, i)->type);
  }
}

void nr_check_flow(NrOp *op) {
  nr_flow_each_claim(op, check_claim, op);
  switch (op->info->id) {
  case NR_OP_flow_tensor_alloca:
  case NR_OP_flow_tensor_empty: nr_check_sizes(op, nr_result(op, 0)->type, 0); return;
  case NR_OP_flow_tensor_splat: nr_check_sizes(op, nr_result(op, 0)->type, 1); return;
  case NR_OP_flow_tensor_load: nr_check_indices(op, 0, (uint32_t)first_of(op, 2), NULL); return;
  case NR_OP_flow_tensor_store: nr_check_indices(op, 1, (uint32_t)first_of(op, 3), NULL); return;
  case NR_OP_flow_dispatch_tensor_load: nr_check_slice(op, nr_operand(op, 0), nr_flow_load_slots); return;
  case NR_OP_flow_dispatch_tensor_store:
    nr_check_slice(op, nr_operand(op, 1), nr_flow_store_slots);
    nr_check_inserted(op);
    return;
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_reshape: check_reshape(op); return;
  case NR_OP_flow_tensor_slice: check_slice(op); return;
  case NR_OP_flow_tensor_update: check_update(op); return;
  case NR_OP_flow_dispatch:
  case NR_OP_flow_dispatch_workgroups: check_dispatch(op); return;
  default: return;
  }
}
