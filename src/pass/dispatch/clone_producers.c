/* clone_producers.c - copies into dispatch regions what is cheaper to compute again than to pass.
 *   before  %z = arith.constant dense<0.0> : tensor<64x64xf32>     after  flow.dispatch.region {
 *           flow.dispatch.region {                                         %e = tensor.empty() : tensor<64x64xf32>
 *             linalg.generic .. outs(%z) }                                 %z = linalg.fill ins(0.0) outs(%e)
 *                                                                          linalg.generic .. outs(%z) }
 *
 * These are the tensors that the ops of a region start from, when they have no contents or all elements are equal,
 * constants that are scalars, and slices of constants. Each use gets a copy of its own, so that each can be cut as its
 * user is. */
#include "dialect/flow/flow.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static NrValue *copy_of(NrBuilder *b, NrValue *value) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, value->op, &map);
  nr_builder_insert(b, copy);
  nr_map_deinit(&map);
  return nr_op_result(copy);
}

static NrValue *scalar_copy(NrBuilder *b, NrValue *value) {
  return value->op && nr_op_has(value->op, NR_CONSTANT_LIKE) ? copy_of(b, value) : value;
}

/* A copy of the op that computes an op's destination tensor; NULL where the tensor is passed as an argument instead. */
static NrValue *copy_start(NrBuilder *b, NrValue *value) {
  NrType type = value->type;
  if (nr_op_is(value->op, NR_OP_tensor_empty)) return copy_of(b, value);
  if (nr_op_is(value->op, NR_OP_linalg_fill)) {
    NrValue *start = nr_linalg_fill_output(value->op);
    NrValue *fresh = nr_op_is(start->op, NR_OP_tensor_empty) ? copy_of(b, start) : start;
    return nr_build_fill(b, scalar_copy(b, nr_linalg_fill_value(value->op)), fresh);
  }
  NrAttr constant = nr_value_constant(value);
  if (!constant || constant->kind != NR_ATTR_DENSE || !constant->splat || !nr_type_has_static_shape(type)) return NULL;
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < type->rank; d++) dims[d] = nr_index_const(type->dims[d]);
  NrValue *scalar = nr_op_result(nr_build_op(b, NR_OP_arith_constant, NULL, 0, &type->elem, 1));
  nr_op_set_attr(scalar->op, NR_A_value, nr_attr_element(constant, 0));
  return nr_build_fill(b, scalar, nr_build_empty(b, type->elem, dims, type->rank));
}

/* Whether value is a part of a constant that the host program would copy to pass it: the region gets the constant. */
static bool is_part_of_constant(const NrValue *value) {
  NrOp *slice = value->op;
  if (!slice || !nr_op_is(slice, NR_OP_tensor_extract_slice)) return false;
  NrOp *source = nr_tensor_extract_slice_source(slice)->op;
  return source && nr_op_has(source, NR_CONSTANT_LIKE);
}

typedef struct Copies {
  NrOp *region, *member;
} Copies;

/* Copies the constant scalars that op, which is a member or in one, uses. */
static bool copy_scalars(NrOp *op, void *user) {
  const Copies *c = user;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrValue *value = nr_operand(op, k);
    bool constant = value->op && nr_op_has(value->op, NR_CONSTANT_LIKE) && !nr_type_is_tensor(value->type);
    if (!constant || !nr_value_is_outside(value, c->region)) continue;
    NrBuilder b = nr_builder_before(c->member);
    nr_op_set_operand(op, k, copy_of(&b, value));
  }
  return true;
}

static void clone_into(NrOp *region) {
  for (NrBlock *block = nr_flow_dispatch_region_body(region); block; block = block->next)
    for (NrOp *op = block->first; op; op = op->next) {
      if (!nr_linalg_is_structured(op)) continue;
      for (uint32_t j = 0; j < op->num_results; j++) {
        size_t at = nr_op_destination_index(op, j);
        if (at == SIZE_MAX || !nr_value_is_outside(nr_operand(op, at), region)) continue;
        NrBuilder b = nr_builder_before(op);
        NrValue *copy = copy_start(&b, nr_operand(op, at));
        if (copy) nr_op_set_operand(op, at, copy);
      }
      for (uint32_t k = 0; k < nr_linalg_num_inputs(op); k++) {
        if (!is_part_of_constant(nr_operand(op, k)) || !nr_value_is_outside(nr_operand(op, k), region)) continue;
        NrBuilder b = nr_builder_before(op);
        nr_op_set_operand(op, k, copy_of(&b, nr_operand(op, k)));
      }
      nr_walk_pre(op, copy_scalars, &(Copies){region, op});
    }
}

static bool is_region(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch_region); }

static NrStatus clone_producers_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  nr_collect_pre(root, is_region, &found);
  for (size_t i = 0; i < found.size; i++) clone_into(found.data[i]);
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(clone_producers, .name = "clone-producers-into-dispatch-regions", .run = clone_producers_run,
        .doc = "copies empty tensors, fills, constants and slices of constants into the dispatch regions that use them")
