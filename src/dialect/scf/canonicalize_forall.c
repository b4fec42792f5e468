/* canonicalize_forall.c - rewrites of scf.forall: folds constant bounds, removes loops over no points or one, and
 * unused shared outputs.
 *
 *   before  %r = scf.forall (%i) in (1) shared_outs(%o = %t)     after  %r = tensor.insert_slice %x into %t[0] ..
 *                -> (tensor<4xf32>) {
 *             scf.forall.in_parallel {
 *               tensor.parallel_insert_slice %x into %o[%i] ..
 *             }
 *           }
 */
#include "dialect/arith/arith.h"
#include "dialect/scf/canonicalize.h"
#include "dialect/shared/shaped.h"
#include "dialect/tensor/ops.h"

const NrIndexListSlot nr_scf_forall_slots[3] = {{NR_SCF_FORALL_DYNAMIC_LOWER_BOUND_GROUP, "staticLowerBound"},
                                                   {NR_SCF_FORALL_DYNAMIC_UPPER_BOUND_GROUP, "staticUpperBound"},
                                                   {NR_SCF_FORALL_DYNAMIC_STEP_GROUP, "staticStep"}};

static size_t rank_of(const NrOp *op) { return nr_index_list_size(op, nr_scf_forall_slots[0].attr); }

static NrValue *output(const NrOp *op, uint32_t i) {
  return nr_operand(op, nr_scf_forall_outputs(op).begin + i);
}

/* The number of points: 0, 1, or 2 for more or an unknown number. */
static uint64_t points(const NrOp *op) {
  uint64_t all = 1;
  for (size_t d = 0; d < rank_of(op); d++) {
    NrIndex bound[3];
    uint64_t count;
    for (size_t k = 0; k < 3; k++) bound[k] = nr_index_list_get(op, nr_scf_forall_slots[k], d);
    if (nr_index_eq(bound[0], bound[1])) return 0;
    bool known = !bound[0].value && !bound[1].value && !bound[2].value && bound[2].constant > 0;
    if (known && nr_scf_trip_count(bound[0].constant, bound[1].constant, bound[2].constant, false, &count)) {
      if (count == 0) return 0;
      if (count > 1) all = 2;
    } else {
      all = 2;
    }
  }
  return all;
}

static bool replace_by_outputs(NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), output(op, i));
  nr_op_erase(op);
  return true;
}

/* Replaces a loop over one point by its body; each parallel_insert_slice becomes an insert_slice, in their order. */
static bool inline_only_point(NrOp *op, NrBuilder *b) {
  NrBlock *body = nr_scf_forall_body(op), *parts = nr_scf_forall_in_parallel_body(body->last);
  size_t rank = rank_of(op);
  NR_VEC(NrValue *) outputs = {0};
  for (size_t d = 0; d < rank; d++)
    nr_value_replace_uses(body->args[d], nr_index_value(b, nr_index_list_get(op, nr_scf_forall_slots[0], d)));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&outputs, output(op, i));
  for (NrOp *part = parts ? parts->first : NULL; part; part = part->next) {
    uint32_t i = nr_tensor_parallel_insert_slice_dest(part)->index - (uint32_t)rank;
    NrBuilder at = nr_builder_before(body->last);
    NR_VEC(NrValue *) operands = {0};
    for (uint32_t k = 0; k < part->num_operands; k++) nr_vec_push(&operands, nr_operand(part, k));
    operands.data[1] = outputs.data[i];
    NrOp *insert = nr_build(&at, &(NrOpState){.info = nr_op_infos[NR_OP_tensor_insert_slice],
                                              .loc = part->loc,
                                              .operands = operands.data,
                                              .num_operands = operands.size,
                                              .result_types = &outputs.data[i]->type,
                                              .num_results = 1,
                                              .attrs = part->attrs,
                                              .num_attrs = part->num_attrs});
    outputs.data[i] = nr_op_result(insert);
    nr_vec_deinit(&operands);
  }
  nr_op_erase(body->last);
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_value_replace_uses(body->args[rank + i], output(op, i));
    nr_value_replace_uses(nr_result(op, i), outputs.data[i]);
  }
  nr_block_splice(body, op->block, op);
  nr_op_erase(op);
  nr_vec_deinit(&outputs);
  return true;
}

/* Whether result i is unused and the body does not read its shared output. */
static bool is_unused(const NrOp *op, uint32_t i) {
  const NrValue *shared = nr_scf_forall_body(op)->args[rank_of(op) + i];
  if (nr_value_has_uses(nr_result(op, i))) return false;
  for (const NrUse *use = shared->first_use; use; use = use->next)
    if (!nr_op_is(use->owner, NR_OP_tensor_parallel_insert_slice) ||
        nr_use_index(use) != NR_TENSOR_PARALLEL_INSERT_SLICE_DEST)
      return false;
  return true;
}

static bool drop_unused(NrOp *op) {
  NrBlock *body = nr_scf_forall_body(op);
  size_t rank = rank_of(op), begin = 0, count = 0;
  bool *drop = nr_calloc(op->num_results + 1, sizeof *drop), any = false;
  for (uint32_t i = 0; i < op->num_results; i++) any |= drop[i] = is_unused(op, i);
  if (any) {
    NR_VEC(NrValue *) operands = {0};
    NR_VEC(NrType) types = {0};
    uint32_t segments[4];
    size_t first = nr_scf_forall_outputs(op).begin;
    for (size_t k = 0; k < first; k++) nr_vec_push(&operands, nr_operand(op, k));
    for (uint32_t i = 0; i < op->num_results; i++) {
      if (drop[i]) continue;
      nr_vec_push(&operands, output(op, i));
      nr_vec_push(&types, nr_result(op, i)->type);
    }
    for (size_t k = 0; k < 4; k++) {
      nr_op_operand_group(op, k, &begin, &count);
      segments[k] = k < 3 ? (uint32_t)count : (uint32_t)types.size;
    }
    for (uint32_t i = op->num_results; i-- > 0;) {
      if (!drop[i]) continue;
      NrValue *shared = body->args[rank + i];
      while (shared->first_use) nr_op_erase(shared->first_use->owner);
      nr_block_erase_arg(body, (uint32_t)rank + i);
    }
    NrOp *fewer = nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
    nr_op_set_segments(fewer, segments, 4);
    nr_scf_replace_kept(op, fewer, drop);
    nr_vec_deinit(&operands);
    nr_vec_deinit(&types);
  }
  nr_free(drop);
  return any;
}

bool nr_scf_forall_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_index_lists_fold_constants(op, nr_scf_forall_slots, 3)) return true;
  uint64_t count = points(op);
  if (count == 0) return replace_by_outputs(op);
  if (count == 1 && !nr_op_attr(op, NR_A_mapping)) return inline_only_point(op, b);
  return drop_unused(op);
}
