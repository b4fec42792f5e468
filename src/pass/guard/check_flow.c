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
#include "dialect/operands.h"
#include "dialect/arith/fold.h"
#include "dialect/tensor/ops.h"
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
  return nr_op_is(size->op, NR_OP_tensor_dim) && nr_tensor_dim_source(size->op) == value &&
         nr_value_constant_int(nr_tensor_dim_index(size->op), &d) && d == dim;
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

/* The dims of a type; the operands from `next` on give the dynamic ones. */
static void sizes_of(NrBuilder *b, NrOp *op, NrType type, size_t next, NrValue **out) {
  for (uint32_t d = 0; d < type->rank; d++)
    out[d] = type->dims[d] == NR_DYNAMIC ? nr_operand(op, next++) : nr_arith_constant_index(b, type->dims[d]);
}

/* Checks that the slice from the operands `starts`, of `lengths`, is inside the tensor. */
static void check_box(NrBuilder *b, NrOp *op, NrValue *whole, NrGroup starts, NrValue *const *lengths) {
  for (uint32_t d = 0; d < whole->type->rank; d++) {
    NrValue *values[] = {nr_operand(op, starts.begin + d), lengths[d], nr_check_size_of(b, whole, d)};
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
  NrType type = nr_op_result(op)->type;
  NrValue *lengths[NR_MAX_RANK], *sizes[NR_MAX_RANK];
  size_t first = nr_flow_tensor_slice_lengths(op).begin, dims = nr_flow_tensor_slice_result_dims(op).begin;
  nr_check_sizes(op, type, dims);
  sizes_of(&b, op, type, dims, sizes);
  for (uint32_t d = 0; d < type->rank; d++) {
    lengths[d] = nr_operand(op, first + d);
    char text[96];
    snprintf(text, sizeof text, NR_FLOW_LENGTH_TEXT("%%0", "%%1"), d);
    unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, lengths[d], sizes[d]), text, (NrValue *[]){lengths[d], sizes[d]}, 2);
  }
  check_box(&b, op, nr_flow_tensor_slice_source(op), nr_flow_tensor_slice_start_indices(op), lengths);
}

static void check_update(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *update = nr_flow_tensor_update_update(op), *sizes[NR_MAX_RANK];
  sizes_of(&b, op, update->type, nr_flow_tensor_update_update_dims(op).begin, sizes);
  check_box(&b, op, nr_flow_tensor_update_target(op), nr_flow_tensor_update_start_indices(op), sizes);
}

/* The number of elements or bytes of a type whose dynamic dims are the operands `dims`. */
static NrValue *size_in(NrBuilder *b, NrOp *op, NrType type, NrGroup dims, bool in_bytes) {
  NrValue *sizes[NR_MAX_RANK];
  NrValue *n = nr_arith_constant_index(b, in_bytes ? (int64_t)nr_type_byte_size(type->elem) : 1);
  sizes_of(b, op, type, dims.begin, sizes);
  for (uint32_t d = 0; d < type->rank; d++) n = nr_check_product(b, n, sizes[d]);
  return n;
}

/* Checks that reshape and bitcast keep the number of elements or bytes. */
static void check_reshape(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  bool is_bitcast = nr_op_is(op, NR_OP_flow_tensor_bitcast);
  NrGroup have = is_bitcast ? nr_flow_tensor_bitcast_source_dims(op) : nr_flow_tensor_reshape_source_dims(op);
  NrGroup want = is_bitcast ? nr_flow_tensor_bitcast_result_dims(op) : nr_flow_tensor_reshape_result_dims(op);
  NrType from = nr_op_source(op)->type, to = nr_op_result(op)->type;
  if (!nr_flow_can_bitcast(from->elem, to->elem)) return;
  nr_check_sizes(op, to, want.begin);
  bool in_bytes = !nr_flow_same_width(from->elem, to->elem);
  NrValue *sizes[] = {size_in(&b, op, from, have, in_bytes), size_in(&b, op, to, want, in_bytes)};
  NrValue *same = nr_fold_cmpi(&b, NR_CMPI_EQ, sizes[0], sizes[1]);
  unless(&b, op, same, in_bytes ? NR_FLOW_BYTES_TEXT("%0", "%1") : NR_FLOW_COUNT_TEXT("%0", "%1"), sizes, 2);
}

static void check_dispatch(NrOp *op) {
  size_t next = nr_flow_call_groups(op).result_dims.begin;
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (!nr_type_is_tensor(nr_result(op, i)->type)) continue;
    nr_check_sizes(op, nr_result(op, i)->type, next);
    next += nr_flow_num_dims(nr_result(op, i)->type);
  }
}

/* Checks in the body of a dispatch.region that what it returns has the declared dims. */
static void check_region(NrOp *op) {
  for (NrBlock *block = nr_flow_dispatch_region_body(op); block; block = block->next) {
    NrOp *yield = nr_block_terminator(block);
    if (!nr_op_is(yield, NR_OP_flow_return)) continue;
    NrBuilder b = nr_builder_before(yield);
    size_t next = nr_flow_dispatch_region_result_dims(op).begin;
    for (uint32_t r = 0; r < op->num_results; r++) {
      NrType t = nr_result(op, r)->type;
      for (uint32_t d = 0; d < t->rank; d++) {
        if (t->dims[d] != NR_DYNAMIC) continue;
        NrValue *values[] = {nr_check_size_of(&b, nr_operand(yield, r), d), nr_operand(op, next++)};
        char text[96];
        snprintf(text, sizeof text, NR_FLOW_RESULT_TEXT("%%0", "%%1"), d, r);
        unless(&b, op, nr_fold_cmpi(&b, NR_CMPI_EQ, values[0], values[1]), text, values, 2);
      }
    }
  }
}

void nr_check_flow(NrOp *op) {
  nr_flow_each_claim(op, check_claim, op);
  switch (op->info->id) {
  case NR_OP_flow_tensor_alloca:
    nr_check_sizes(op, nr_op_result(op)->type, NR_FLOW_TENSOR_ALLOCA_RESULT_DIMS);
    return;
  case NR_OP_flow_tensor_empty:
    nr_check_sizes(op, nr_op_result(op)->type, NR_FLOW_TENSOR_EMPTY_RESULT_DIMS);
    return;
  case NR_OP_flow_tensor_splat:
    nr_check_sizes(op, nr_op_result(op)->type, NR_FLOW_TENSOR_SPLAT_RESULT_DIMS);
    return;
  case NR_OP_flow_tensor_load:
    nr_check_indices(op, nr_flow_tensor_load_source(op), nr_flow_tensor_load_indices(op).begin, NULL);
    return;
  case NR_OP_flow_tensor_store:
    nr_check_indices(op, nr_flow_tensor_store_target(op), nr_flow_tensor_store_indices(op).begin, NULL);
    return;
  case NR_OP_flow_dispatch_tensor_load:
    nr_check_slice(op, nr_flow_dispatch_tensor_load_source(op), nr_flow_load_slots);
    return;
  case NR_OP_flow_dispatch_tensor_store:
    nr_check_slice(op, nr_flow_dispatch_tensor_store_target(op), nr_flow_store_slots);
    nr_check_inserted(op);
    return;
  case NR_OP_flow_tensor_bitcast:
  case NR_OP_flow_tensor_reshape: check_reshape(op); return;
  case NR_OP_flow_tensor_slice: check_slice(op); return;
  case NR_OP_flow_tensor_update: check_update(op); return;
  case NR_OP_flow_dispatch_region: check_region(op); return;
  case NR_OP_flow_call:
  case NR_OP_flow_dispatch:
  case NR_OP_flow_dispatch_workgroups: check_dispatch(op); return;
  default: return;
  }
}
