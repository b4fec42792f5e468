/* forall_to_for.c - converts scf.forall to a nest of scf.for.
 *   before  %r = scf.forall (%i) in (%n) shared_outs(%o = %t)     after  %r = scf.for %i = %c0 to %n step %c1
 *                -> (tensor<?xf32>) {                                          iter_args(%o = %t) -> (tensor<?xf32>) {
 *             scf.forall.in_parallel {                                      %s = tensor.insert_slice %x into %o[%i] ..
 *               tensor.parallel_insert_slice %x into %o[%i] ..              scf.yield %s : tensor<?xf32>
 *             }                                                           }
 *           }
 * At every point, the body reads the shared outputs as they were before the loop. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/ops.h"
#include "pass/loop/parallel.h"
#include "pass/core/rewrite.h"

/* An attribute holds constant bounds; the group's operands are the other bounds, in order. */
NrValue *nr_forall_bound(NrBuilder *b, NrOp *op, size_t which, uint32_t dim) {
  static const char *const names[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  const int64_t *values = nr_op_attr_named(op, names[which])->data;
  if (values[dim] != NR_DYNAMIC) return nr_arith_constant_index(b, values[dim]);
  size_t begin = nr_op_group(op, NR_SCF_FORALL_DYNAMIC_LOWER_BOUND_GROUP + which).begin;
  for (uint32_t d = 0; d < dim; d++) begin += values[d] == NR_DYNAMIC;
  return nr_operand(op, begin);
}

void nr_forall_bounds(NrBuilder *b, NrOp *op, NrBounds *out) {
  uint32_t rank = nr_scf_forall_body(op)->num_args - op->num_results;
  for (size_t which = 0; which < 3; which++)
    for (uint32_t d = 0; d < rank; d++) nr_vec_push(out, nr_forall_bound(b, op, which, d));
}

/* Builds one loop for each dim, which carry the shared outputs; moves b into the innermost. */
static NrOp *open_nest(NrOp *op, uint32_t rank, NrValue **carried, NrBuilder *b, NrOp **out_innermost) {
  NrBlock *body = nr_scf_forall_body(op);
  NrOp *outermost = NULL, *loop = NULL;
  uint32_t count = op->num_results;
  NrBuilder bounds = *b;
  for (uint32_t d = 0; d < rank; d++) {
    NrOp *outer = loop;
    NrValue *bound[3];
    for (size_t w = 0; w < 3; w++) bound[w] = nr_forall_bound(&bounds, op, w, d);
    loop = nr_scf_for(b, bound[0], bound[1], bound[2], carried, count);
    if (!outermost) {
      outermost = loop;
      bounds = nr_builder_before(loop);
    }
    nr_scf_for_iv(loop)->name = body->args[d]->name;
    nr_value_replace_uses(body->args[d], nr_scf_for_iv(loop));
    for (uint32_t i = 0; i < count; i++) carried[i] = nr_result(loop, i);
    if (outer) nr_scf_yield(b, carried, count);
    for (uint32_t i = 0; i < count; i++) carried[i] = nr_scf_for_arg(loop, i);
    *b = nr_scf_body_builder(nr_op_only_body(loop));
  }
  *out_innermost = loop;
  return outermost;
}

/* Replaces a tensor.parallel_insert_slice by a tensor.insert_slice into the carried tensor. */
static void insert_in_order(NrOp *insert, uint32_t rank, NrValue **carried) {
  NrValue *into = nr_tensor_parallel_insert_slice_dest(insert);
  uint32_t output = into->index - rank;
  NrBuilder b = nr_builder_before(nr_block_parent_op(insert->block));
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < insert->num_operands; i++) nr_vec_push(&operands, nr_operand(insert, i));
  operands.data[NR_TENSOR_PARALLEL_INSERT_SLICE_DEST] = carried[output];
  NrOp *in_order = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_tensor_insert_slice],
                                             .loc = insert->loc,
                                             .operands = operands.data,
                                             .num_operands = operands.size,
                                             .result_types = &into->type,
                                             .num_results = 1,
                                             .attrs = insert->attrs,
                                             .num_attrs = insert->num_attrs});
  carried[output] = nr_op_result(in_order);
  nr_vec_deinit(&operands);
}

NrOp *nr_forall_to_for(NrOp *op) {
  NrBlock *body = nr_scf_forall_body(op);
  uint32_t count = op->num_results, rank = body->num_args - count;
  NrGroup outputs = nr_scf_forall_outputs(op);
  NrBuilder b = nr_builder_before(op);
  NrOp *terminator = nr_block_terminator(body), *innermost = NULL;
  NR_VEC(NrValue *) carried = {0};
  for (size_t i = 0; i < outputs.count; i++) nr_vec_push(&carried, nr_operand(op, outputs.begin + i));
  NrOp *outermost = open_nest(op, rank, carried.data, &b, &innermost);
  NrBlock *insertions = nr_scf_forall_in_parallel_body(terminator);
  for (NrOp *insert = insertions ? insertions->first : NULL; insert; insert = insert->next)
    if (nr_op_is(insert, NR_OP_tensor_parallel_insert_slice)) insert_in_order(insert, rank, carried.data);
  nr_op_erase(terminator);
  for (uint32_t i = 0; i < count; i++) nr_value_replace_uses(body->args[rank + i], nr_operand(op, outputs.begin + i));
  if (innermost) {
    nr_block_splice(body, nr_scf_for_body(innermost), NULL);
    b = nr_scf_body_builder(nr_op_only_body(innermost));
    nr_scf_yield(&b, carried.data, count);
    nr_replace_loop(op, outermost);
  } else {
    nr_block_splice(body, op->block, op);
    for (uint32_t i = 0; i < count; i++) nr_value_replace_uses(nr_result(op, i), carried.data[i]);
    nr_op_erase(op);
  }
  nr_vec_deinit(&carried);
  return outermost;
}

static NrStatus forall_to_for_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (nr_op_is(ops.data[i], NR_OP_scf_forall)) nr_forall_to_for(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(forall_to_for, .name = "scf-forall-to-for", .on_while = NR_WHILE_BARRIER, .run = forall_to_for_run,
        .doc = "turns scf.forall, over buffers or tensors, into nests of scf.for")
