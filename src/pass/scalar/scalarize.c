/* scalarize.c - replaces small tensors that control flow carries by scalars.
 *   before  scf.for .. iter_args(%a = %t) -> (tensor<f32>) {          after  scf.for .. iter_args(%x = %s) -> (f32) {
 *             %0 = linalg.generic (%x + %c) ins(%a) outs(%e)                   %0 = arith.addf %x, %c : f32
 *             scf.yield %0 : tensor<f32>                                       scf.yield %0 : f32
 * Tensors of one element, and of a few integers (shapes), are taken apart by tensor.extract where they enter, and
 * rebuilt by tensor.from_elements where an op uses the tensor; canonicalize folds such pairs. Structured and tensor ops
 * on them become scalar ops (scalarize_ops.c). A loop that carries such tensors becomes a loop on registers, and shape
 * arithmetic becomes index arithmetic. */
#include "pass/scalar/scalarize.h"

#include "dialect/tensor/tensor.h"
#include "ir/region_flow.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

enum { MAX_INTEGERS = 8 };

typedef NR_VEC(NrValue *) ValueList;
typedef NR_VEC(NrType) TypeList;

size_t nr_scalar_count(NrType type) {
  int64_t count;
  if (type->kind != NR_TYPE_TENSOR || !nr_type_num_elements(type, &count)) return 0;
  bool integer = nr_type_is_int_or_index(type->elem);
  if (!integer && !nr_type_is_float(type->elem) && type->elem->kind != NR_TYPE_COMPLEX) return 0;
  return count >= 1 && count <= (integer ? MAX_INTEGERS : 1) ? (size_t)count : 0;
}

NrValue *nr_scalar_element(NrBuilder *b, NrValue *tensor, size_t i) {
  NrValue *indices[NR_MAX_RANK];
  NrType type = tensor->type;
  if (nr_op_is(tensor->op, NR_OP_tensor_from_elements)) return nr_operand(tensor->op, i);
  for (uint32_t d = type->rank; d-- > 0;) {
    indices[d] = nr_index_value(b, nr_index_const((int64_t)i % type->dims[d]));
    i /= (size_t)type->dims[d];
  }
  return nr_build_extract(b, tensor, indices, type->rank);
}

NrValue *nr_scalar_pack(NrBuilder *b, NrType type, NrValue *const *elements) {
  return nr_build_from_elements(b, type, elements, nr_scalar_count(type));
}

/* ---- lists of values --------------------------------------------------------------------------------------------- */

static void push_scalars(NrBuilder *b, NrValue *value, ValueList *out) {
  size_t count = nr_scalar_count(value->type);
  for (size_t i = 0; i < count; i++) nr_vec_push(out, nr_scalar_element(b, value, i));
  if (!count) nr_vec_push(out, value);
}

static void push_types(NrType type, TypeList *out) {
  size_t count = nr_scalar_count(type);
  for (size_t i = 0; i < count; i++) nr_vec_push(out, type->elem);
  if (!count) nr_vec_push(out, type);
}

/* Replaces small tensors among a terminator's operands, from `first` on, by their elements. */
static void expand_operands(NrOp *terminator, uint32_t first) {
  ValueList operands = {0};
  NrBuilder b = nr_builder_before(terminator);
  for (uint32_t i = 0; i < terminator->num_operands; i++) {
    if (i < first) nr_vec_push(&operands, nr_operand(terminator, i));
    else push_scalars(&b, nr_operand(terminator, i), &operands);
  }
  nr_op_set_operands(terminator, operands.data, operands.size);
  nr_vec_deinit(&operands);
}

/* Replaces small tensors among a block's arguments, from `first` on, by scalars; the block's start rebuilds the
 * tensors. */
static void expand_arguments(NrBlock *block, uint32_t first, NrLoc loc) {
  NrValue *elements[MAX_INTEGERS];
  NrBuilder b = nr_builder_at_start(nr_block_module(block), block, loc);
  for (uint32_t i = first; i < block->num_args;) {
    NrValue *arg = nr_block_arg(block, i);
    size_t count = nr_scalar_count(arg->type);
    if (!count) {
      i++;
      continue;
    }
    for (size_t k = 0; k < count; k++)
      elements[k] = nr_block_insert_arg(block, i + 1 + k, arg->type->elem, nr_arg_loc(arg) ? nr_arg_loc(arg) : loc);
    if (nr_value_has_uses(arg)) nr_value_replace_uses(arg, nr_scalar_pack(&b, arg->type, elements));
    nr_block_erase_arg(block, i);
    i += (uint32_t)count;
  }
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

/* Positions of the values that an op of control flow carries, which are always the last ones. */
typedef struct CarriedValues {
  uint32_t first_init; /* the first such operand of op */
  NR_VEC(uint32_t) first_arg, first_out; /* per region: the first such argument, and operand of its terminator */
} CarriedValues;

/* Fills out; false for ops without .region_flow, or with operand segments, which would have to be changed. */
static bool find_carried(const NrOp *op, CarriedValues *out) {
  if (!op->info->region_flow || nr_op_has(op, NR_SEGMENTS)) return false;
  out->first_init = UINT32_MAX;
  out->first_arg.size = out->first_out.size = 0;
  for (uint32_t r = 0; r < op->num_regions; r++) {
    nr_vec_push(&out->first_arg, 0);
    nr_vec_push(&out->first_out, 0);
  }
  for (uint32_t r = 0; r <= op->num_regions; r++) {
    NrRegionFlow flow = nr_region_flow(op, r < op->num_regions ? nr_op_region(op, r) : NULL);
    NrRegionEdge edge;
    while (nr_region_flow_next(&flow, &edge)) {
      if (r < op->num_regions) out->first_out.data[r] = edge.first_operand;
      else if (edge.num_operands) out->first_init = edge.first_operand;
      if (edge.to) out->first_arg.data[edge.to - op->regions] = edge.first_target;
    }
  }
  return true;
}

static bool carries_small(const NrOp *op, const CarriedValues *c) {
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_scalar_count(op->results[i].type)) return true;
  for (uint32_t i = c->first_init; i < op->num_operands; i++)
    if (nr_scalar_count(nr_operand(op, i)->type)) return true;
  return false;
}

/* Rebuilds op with scalars; its regions move to the new op. */
static void scalarize_control(NrOp *op, const CarriedValues *c) {
  ValueList operands = {0};
  TypeList types = {0};
  NrValue *elements[MAX_INTEGERS];
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (i < c->first_init) nr_vec_push(&operands, nr_operand(op, i));
    else push_scalars(&b, nr_operand(op, i), &operands);
  }
  for (uint32_t i = 0; i < op->num_results; i++) push_types(nr_result(op, i)->type, &types);
  NrOp *fresh = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrRegion *region = nr_op_region(fresh, r);
    if (region->first) expand_arguments(region->first, c->first_arg.data[r], op->loc);
    for (NrBlock *block = region->first; block; block = block->next)
      if (nr_op_has(block->last, NR_RETURN_LIKE)) expand_operands(block->last, c->first_out.data[r]);
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i);
    size_t count = nr_scalar_count(result->type);
    if (!count) {
      nr_result(fresh, next)->name = result->name;
      nr_value_replace_uses(result, nr_result(fresh, next++));
      continue;
    }
    for (size_t k = 0; k < count; k++) elements[k] = nr_result(fresh, next++);
    if (nr_value_has_uses(result)) nr_value_replace_uses(result, nr_scalar_pack(&b, result->type, elements));
  }
  nr_op_erase(op);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static NrStatus scalarize_run(NrPassContext *pass, NrOp *op) {
  NrOpList ops = {0};
  CarriedValues carried = {0};
  (void)pass;
  nr_collect_ops(op, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    if (nr_is_erased(ops.data[i])) continue;
    if (!find_carried(ops.data[i], &carried)) nr_scalarize_op(ops.data[i]);
    else if (carries_small(ops.data[i], &carried)) scalarize_control(ops.data[i], &carried);
  }
  nr_vec_deinit(&carried.first_arg);
  nr_vec_deinit(&carried.first_out);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(scalarize, .name = "scalarize", .on_while = NR_WHILE_HANDLES, .on = "func.func", .run = scalarize_run,
        .doc = "replaces tensors of one element or a few integers by scalars, in control flow and in computations")
