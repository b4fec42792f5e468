/* reductions_regions.c - reductions of control flow: structured ops, carried values, branches. */
#include "dialect/scf/scf.h"
#include "reductions_parts.h"

/* ---- regions ---------------------------------------------------------------------------------------------------- */

/* The initial values of the arguments of the region's block; false if unknown. */
static bool first_arguments(NrOp *op, uint32_t region, NrValue **args) {
  NrBlock *block = nr_op_body(op, region);
  size_t first = 0, count;
  if (nr_op_is(op, NR_OP_scf_for)) {
    args[0] = nr_operand(op, 0);
    for (uint32_t i = 1; i < block->num_args; i++) args[i] = nr_operand(op, 2 + i);
    return true;
  }
  if (nr_op_is(op, NR_OP_scf_while) && region == 1) return false;
  if (nr_op_is(op, NR_OP_scf_parallel)) nr_op_operand_group(op, 0, &first, &count);
  if (block->num_args + first > op->num_operands) return false;
  for (uint32_t i = 0; i < block->num_args; i++)
    if ((args[i] = nr_operand(op, first + i))->type != block->args[i]->type) return false;
  return true;
}

/* Runs one region once, in place of the op. */
static bool inline_region(NrOp *op, uint32_t region) {
  NrBlock *block = nr_op_body(op, region);
  NrValue *args[64], *results[64];
  if (!block || block->next || block->num_args > 64 || op->num_results > 64 || !first_arguments(op, region, args))
    return false;
  NrOp *last = nr_block_terminator(block);
  if (!last || last->num_successors || last->num_operands > 64) return false;
  uint32_t given = nr_op_is(last, NR_OP_scf_condition) ? 1 : 0;
  bool parallel = nr_op_is(op, NR_OP_scf_parallel);
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (given + i >= last->num_operands) return false;
    results[i] = nr_operand(last, given + i);
    if (results[i]->type != nr_result(op, i)->type) return false;
    for (uint32_t k = 0; k < block->num_args && !parallel; k++)
      if (results[i] == block->args[k]) results[i] = args[k];
  }
  for (uint32_t i = 0; i < block->num_args; i++) {
    for (uint32_t k = 0; k < op->num_results; k++)
      if (results[k] == block->args[i]) results[k] = args[i];
    nr_value_replace_uses(block->args[i], args[i]);
  }
  for (NrOp *inner = block->first, *next; inner != last; inner = next) {
    next = inner->next;
    nr_op_unlink(inner);
    nr_op_insert_before(inner, op);
  }
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), results[i]);
  nr_op_erase(op);
  return true;
}

static bool is_structured(const NrOp *op) {
  return op->num_regions && !nr_op_has(op, NR_SYMBOL) && !nr_op_has(op, NR_TERMINATOR) &&
         nr_str_is(nr_str(op->info->dialect), "scf");
}

static void inline_regions_of(NrOp *op, ReductionChoice *c) {
  uint32_t regions = is_structured(op) ? op->num_regions : 0;
  for (uint32_t r = 0; r < regions; r++)
    if (reduction_choose(c) && !nr_is_erased(op)) inline_region(op, r);
}

size_t reduction_inline_regions(NrModule *m, size_t begin, size_t end) {
  return reduction_each_op(m, begin, end, inline_regions_of);
}

/* ---- carried values and results --------------------------------------------------------------------------------- */

static void drop_argument(NrBlock *block, uint32_t i, NrValue *other) {
  nr_value_replace_uses(block->args[i], other);
  nr_block_erase_arg(block, i);
}

static bool drop_of_while(NrOp *op, uint32_t i) {
  NrBlock *before = nr_op_body(op, 0), *after = nr_op_body(op, 1);
  if (i < op->num_operands) { /* carried */
    drop_argument(before, i, nr_operand(op, i));
    nr_op_erase_operand(nr_block_terminator(after), i);
    nr_op_erase_operand(op, i);
    return true;
  }
  i -= op->num_operands; /* handed on */
  NrBuilder b = nr_builder_before(op);
  NrValue *other = reduction_zero(&b, nr_result(op, i)->type);
  if (!other) other = reduction_value_before(op, nr_result(op, i)->type);
  if (!other || !reduction_free_result(op, i)) return false;
  drop_argument(after, i, other);
  nr_op_erase_operand(nr_block_terminator(before), 1 + i);
  reduction_without_result(op, i);
  return true;
}

static bool drop_of_for(NrOp *op, uint32_t i) {
  if (!reduction_free_result(op, i)) return false;
  drop_argument(nr_op_body(op, 0), 1 + i, nr_operand(op, 3 + i));
  nr_op_erase_operand(nr_block_terminator(nr_op_body(op, 0)), i);
  nr_op_erase_operand(op, 3 + i);
  reduction_without_result(op, i);
  return true;
}

static bool drop_of_parallel(NrOp *op, uint32_t i) {
  NrContext *ctx = nr_op_context(op);
  size_t begin, sizes[4];
  int32_t segments[4];
  for (size_t group = 0; group < 4; group++) {
    nr_op_operand_group(op, group, &begin, &sizes[group]);
    segments[group] = (int32_t)sizes[group];
  }
  NrOp *reduce = nr_block_terminator(nr_op_body(op, 0));
  if (!reduction_free_result(op, i) || !reduce || reduce->num_operands != op->num_results) return false;
  segments[3]--;
  nr_op_erase_operand(op, begin + i);
  nr_op_set_attr(op, NR_A_operandSegmentSizes, nr_attr_dense_array(nr_type_i32(ctx), segments, sizeof segments));
  reduction_without_result(op, i);
  NrBuilder b = nr_builder_before(reduce);
  NR_VEC(NrValue *) left = {0};
  for (uint32_t k = 0; k < reduce->num_operands; k++)
    if (k != i) nr_vec_push(&left, nr_operand(reduce, k));
  NrOp *copy = nr_scf_reduce(&b, left.data, left.size);
  for (uint32_t k = 0, to = 0; k < reduce->num_regions; k++)
    if (k != i) nr_region_take(nr_op_region(copy, to++), nr_op_region(reduce, k));
  nr_op_erase(reduce);
  nr_vec_deinit(&left);
  return true;
}

/* Regions that each yield all results. */
static bool drop_of_branches(NrOp *op, uint32_t i) {
  if (!reduction_free_result(op, i)) return false;
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next)
      if (block->last && nr_op_is(block->last, NR_OP_scf_yield)) nr_op_erase_operand(block->last, i);
  reduction_without_result(op, i);
  return true;
}

static bool drop_value(NrOp *op, uint32_t i) {
  switch (op->info->id) {
  case NR_OP_scf_for: return drop_of_for(op, i);
  case NR_OP_scf_while: return drop_of_while(op, i);
  case NR_OP_scf_parallel: return drop_of_parallel(op, i);
  case NR_OP_scf_if:
  case NR_OP_scf_index_switch:
  case NR_OP_scf_execute_region: return drop_of_branches(op, i);
  default: return false;
  }
}

/* One value of an op at a time: dropping makes a new op. */
static void drop_values_of(NrOp *op, ReductionChoice *c) {
  bool dropped = false;
  uint32_t values = !is_structured(op) ? 0 : op->num_results + (nr_op_is(op, NR_OP_scf_while) ? op->num_operands : 0);
  for (uint32_t k = 0; k < values; k++)
    if (reduction_choose(c) && !dropped && !nr_is_erased(op)) dropped = drop_value(op, k);
}

size_t reduction_drop_values(NrModule *m, size_t begin, size_t end) {
  return reduction_each_op(m, begin, end, drop_values_of);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void branch_always(NrOp *op, uint32_t successor) {
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t k = 0; k < op->successors[successor].num_operands; k++)
    nr_vec_push(&operands, nr_successor_operand(op, successor, k));
  NrBuilder b = nr_builder_before(op);
  uint32_t passed = (uint32_t)operands.size;
  nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_cf_br],
                            .operands = operands.data,
                            .num_operands = operands.size,
                            .successors = &op->successors[successor].block,
                            .num_successors = 1,
                            .successor_operands = &passed});
  NrRegion *region = op->block->region;
  nr_op_erase(op);
  nr_erase_unreachable_blocks(region);
  nr_vec_deinit(&operands);
}

/* Replaces a branch with several successors by a branch to one. */
static void straighten_branch(NrOp *op, ReductionChoice *c) {
  uint32_t ways = op->num_successors > 1 ? op->num_successors : 0;
  for (uint32_t s = 0; s < ways; s++)
    if (reduction_choose(c) && !nr_is_erased(op)) branch_always(op, s);
}

size_t reduction_straighten(NrModule *m, size_t begin, size_t end) {
  return reduction_each_op(m, begin, end, straighten_branch);
}

/* Merges a block into its only predecessor, if that has no other successor. */
static void join_block(NrOp *op, ReductionChoice *c) {
  if (nr_is_erased(op) || !nr_op_is(op, NR_OP_cf_br)) return;
  NrBlock *to = op->successors[0].block, *from = op->block;
  if (to == from || to == to->region->first || to->first_pred->next || !reduction_choose(c)) return;
  for (uint32_t k = 0; k < to->num_args; k++) nr_value_replace_uses(to->args[k], nr_successor_operand(op, 0, k));
  nr_op_erase(op);
  nr_block_splice(to, from, NULL);
  while (to->num_args) nr_block_erase_arg(to, to->num_args - 1);
  nr_block_erase(to);
}

size_t reduction_join_blocks(NrModule *m, size_t begin, size_t end) {
  return reduction_each_op(m, begin, end, join_block);
}
