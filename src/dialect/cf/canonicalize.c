/* canonicalize.c - rewrites of branches: with constant conditions, to blocks that only branch, and in blocks where the
 * condition is known. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/arith/fold.h"

typedef NR_VEC(NrValue *) ValueList;

bool nr_cf_assert_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  int64_t value;
  if (!nr_value_constant_int(nr_cf_assert_arg(op), &value) || !value) return false;
  nr_op_erase(op);
  return true;
}

/* Replaces a branch by one that always takes successor s. */
static bool take_successor(NrOp *op, NrBuilder *b, uint32_t s) {
  ValueList operands = {0};
  for (uint32_t i = 0; i < op->successors[s].num_operands; i++) nr_vec_push(&operands, nr_successor_operand(op, s, i));
  nr_cf_br(b, op->successors[s].block, operands.data, operands.size);
  nr_vec_deinit(&operands);
  nr_op_erase(op);
  return true;
}

static bool same_edge(const NrOp *op, uint32_t s, uint32_t t) {
  if (op->successors[s].block != op->successors[t].block) return false;
  for (uint32_t i = 0; i < op->successors[s].num_operands; i++)
    if (nr_successor_operand(op, s, i) != nr_successor_operand(op, t, i)) return false;
  return true;
}

static bool has_one_pred(const NrBlock *block) { return block->first_pred && !block->first_pred->next; }

/* ---- blocks that only branch ------------------------------------------------------------------------------------- */

/* The branch of a block that contains nothing else and whose arguments only the branch uses; otherwise NULL. */
static NrOp *only_branch(const NrBlock *block) {
  NrOp *br = block->first;
  if (!nr_op_is(br, NR_OP_cf_br) || br->successors[0].block == block) return NULL;
  for (uint32_t i = 0; i < block->num_args; i++)
    for (const NrUse *use = block->args[i]->first_use; use; use = use->next)
      if (use->owner != br) return NULL;
  return br;
}

/* Whether following such blocks ends: they may form a cycle. */
static bool chain_ends(const NrBlock *block) {
  for (size_t steps = 0; steps < 100; steps++) {
    const NrOp *br = only_branch(block);
    if (!br) return true;
    block = br->successors[0].block;
  }
  return false;
}

/* Redirects an edge to the successor of a block that only branches. */
static bool skip_block(NrOp *op, uint32_t s) {
  NrBlock *block = op->successors[s].block;
  NrOp *br = only_branch(block);
  if (!br || !chain_ends(block)) return false;
  ValueList operands = {0};
  for (uint32_t i = 0; i < br->num_operands; i++) {
    NrValue *value = nr_operand(br, i);
    nr_vec_push(&operands, value->block == block ? nr_successor_operand(op, s, value->index) : value);
  }
  while (op->successors[s].num_operands) nr_successor_erase_operand(op, s, op->successors[s].num_operands - 1);
  nr_op_set_successor(op, s, br->successors[0].block);
  for (size_t i = 0; i < operands.size; i++) nr_successor_append_operand(op, s, operands.data[i]);
  nr_vec_deinit(&operands);
  return true;
}

static bool skip_empty_blocks(NrOp *op) {
  bool changed = false;
  for (uint32_t s = 0; s < op->num_successors; s++)
    while (skip_block(op, s)) changed = true;
  return changed;
}

/* Merges a block into its only predecessor, if that ends in an unconditional branch to it. */
bool nr_cf_br_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  NrBlock *from = op->block, *to = op->successors[0].block;
  if (!has_one_pred(to) || to == from || to == to->region->first) return skip_empty_blocks(op);
  for (uint32_t i = 0; i < to->num_args; i++) {
    if (nr_successor_operand(op, 0, i)->block == to) return false; /* an unreachable loop */
  }
  for (uint32_t i = 0; i < to->num_args; i++) nr_value_replace_uses(to->args[i], nr_successor_operand(op, 0, i));
  nr_op_erase(op);
  nr_block_splice(to, from, NULL);
  nr_block_erase(to);
  return true;
}

/* ---- known conditions -------------------------------------------------------------------------------------------- */

/* Replaces uses of the flag in a block whose only predecessor is this edge by the constant `known`. Looks at a bounded
 * number of uses, since every branch on the flag does. */
static bool use_known_flag(NrOp *op, NrValue *flag, NrBuilder *b, uint32_t s, NrAttr known) {
  enum { MAX_USES = 64 };
  uint32_t count = 0;
  NrBlock *block = op->successors[s].block;
  NrValue *constant = NULL;
  if (!has_one_pred(block) || block == op->block) return false;
  for (NrUse *use = flag->first_use, *next; use && count < MAX_USES; use = next, count++) {
    next = use->next;
    const NrOp *user = use->owner;
    while (user && user->block && user->block->region != block->region) user = nr_op_parent(user);
    if (!user || user->block != block) continue;
    if (!constant) constant = nr_arith_constant(b, known);
    nr_op_set_operand(use->owner, nr_use_index(use), constant);
  }
  return constant != NULL;
}

/* Replaces a branch whose successors are the same block, without other predecessors, by br; selects between differing
 * operands. */
static bool select_operands(NrOp *op, NrBuilder *b) {
  NrBlock *block = op->successors[0].block;
  if (op->successors[1].block != block || block == op->block) return false;
  for (const NrSuccessor *pred = block->first_pred; pred; pred = pred->next)
    if (pred->owner != op) return false;
  ValueList operands = {0};
  for (uint32_t i = 0; i < block->num_args; i++) {
    NrType type = block->args[i]->type;
    bool same = nr_successor_operand(op, 0, i) == nr_successor_operand(op, 1, i);
    if (same || nr_type_is_int_or_index(type) || nr_type_is_float(type)) continue;
    return false;
  }
  for (uint32_t i = 0; i < block->num_args; i++) {
    NrValue *yes = nr_successor_operand(op, 0, i), *no = nr_successor_operand(op, 1, i);
    nr_vec_push(&operands, yes == no ? yes : nr_arith_select(b, nr_cf_cond_br_condition(op), yes, no));
  }
  nr_cf_br(b, block, operands.data, operands.size);
  nr_vec_deinit(&operands);
  nr_op_erase(op);
  return true;
}

bool nr_cf_cond_br_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t value;
  if (nr_value_constant_int(nr_cf_cond_br_condition(op), &value)) return take_successor(op, b, value ? 0 : 1);
  if (skip_empty_blocks(op)) return true;
  if (same_edge(op, 0, 1)) return take_successor(op, b, 0);
  if (select_operands(op, b)) return true;
  bool changed = false;
  for (uint32_t s = 0; s < 2 && op->successors[0].block != op->successors[1].block; s++)
    changed |= use_known_flag(op, nr_cf_cond_br_condition(op), b, s, nr_attr_bool(b->ctx, s == 0));
  return changed;
}

/* ---- switch ------------------------------------------------------------------------------------------------------ */

bool nr_cf_switch_drop_cases(NrOp *op, NrBuilder *b) {
  NrAttr values = nr_op_attr(op, NR_A_case_values);
  NrType type = nr_cf_switch_flag(op)->type;
  size_t size = nr_type_byte_size(type);
  NR_VEC(NrBlock *) blocks = {0};
  NR_VEC(uint32_t) counts = {0};
  NR_VEC(uint8_t) kept = {0};
  ValueList operands = {0};
  NrMap seen = {0};
  nr_vec_push(&operands, nr_cf_switch_flag(op));
  for (uint32_t s = 0; s < op->num_successors; s++) {
    NrAttr value = s ? nr_attr_element(values, (int64_t)s - 1) : NULL;
    bool hidden = s && nr_map_has(&seen, value);
    if (s) nr_map_set(&seen, value, op);
    if (hidden || (s && same_edge(op, 0, s))) continue;
    nr_vec_push(&blocks, op->successors[s].block);
    nr_vec_push(&counts, op->successors[s].num_operands);
    for (uint32_t i = 0; i < op->successors[s].num_operands; i++)
      nr_vec_push(&operands, nr_successor_operand(op, s, i));
    const uint8_t *bytes = s ? nr_attr_element_ptr(values, (int64_t)s - 1) : NULL;
    for (size_t i = 0; bytes && i < size; i++) nr_vec_push(&kept, bytes[i]);
  }
  bool fewer = blocks.size < op->num_successors;
  if (fewer) {
    int64_t count = (int64_t)blocks.size - 1;
    NrOp *made = nr_build(b, &(NrOpState){.info = op->info,
                                          .operands = operands.data,
                                          .num_operands = operands.size,
                                          .successors = blocks.data,
                                          .num_successors = blocks.size,
                                          .successor_operands = counts.data});
    if (count)
      nr_op_set_attr(made, NR_A_case_values, nr_attr_dense(nr_type_vector(&count, 1, type), kept.data, kept.size));
    nr_op_erase(op);
  }
  nr_map_deinit(&seen);
  nr_vec_deinit(&blocks);
  nr_vec_deinit(&counts);
  nr_vec_deinit(&kept);
  nr_vec_deinit(&operands);
  return fewer;
}

bool nr_cf_switch_canonicalize(NrOp *op, NrBuilder *b) {
  NrAttr flag = nr_value_constant(nr_cf_switch_flag(op)), values = nr_op_attr(op, NR_A_case_values);
  if (op->num_successors == 1) return take_successor(op, b, 0);
  if (!values) return false;
  if (flag) {
    uint32_t taken = 0;
    for (uint32_t i = 1; i < op->num_successors && !taken; i++)
      if (nr_attr_element(values, (int64_t)i - 1) == flag) taken = i;
    return take_successor(op, b, taken);
  }
  if (skip_empty_blocks(op) || nr_cf_switch_drop_cases(op, b)) return true;
  bool changed = false;
  for (uint32_t s = 1; s < op->num_successors; s++)
    changed |= use_known_flag(op, nr_cf_switch_flag(op), b, s, nr_attr_element(values, (int64_t)s - 1));
  return changed;
}
