/* canonicalize.c - rewrites of if, index_switch and execute_region. Merging two ifs is in canonicalize_if.c; loops are
 * in canonicalize_loop.c, canonicalize_parallel.c, canonicalize_forall.c and canonicalize_exit.c. */
#include "dialect/arith/arith.h"
#include "dialect/cf/cf.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/canonicalize.h"

bool nr_scf_replace_by_block(NrOp *op, NrBlock *block, NrValue *const *args) {
  NrOp *yield = nr_block_terminator(block);
  nr_scf_inline_before(op, block, args);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(op);
  return true;
}

bool nr_scf_is_inside(const NrOp *op, const NrRegion *region) {
  for (const NrOp *up = op; up && up->block; up = nr_op_parent(up))
    if (up->block->region == region) return true;
  return false;
}

bool nr_scf_defined_in(const NrValue *value, const NrRegion *region) {
  const NrBlock *block = nr_value_block(value);
  if (block->region == region) return true;
  const NrOp *parent = block->region ? block->region->op : NULL;
  return parent && nr_scf_is_inside(parent, region);
}

bool nr_scf_regions_yield(NrOp *op) {
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = nr_op_region(op, r)->first; block; block = block->next)
      if (!nr_op_is(block->last, NR_OP_scf_yield)) return false;
  return true;
}

/* ---- if ---------------------------------------------------------------------------------------------------------- */

/* Replaces uses of the condition inside a branch by the constant that it is there. */
static bool use_known_condition(NrOp *op, NrBuilder *b) {
  NrValue *condition = nr_scf_if_condition(op);
  NrValue *known[2] = {NULL, NULL};
  NrUse *next;
  for (NrUse *use = condition->first_use; use; use = next) {
    next = use->next;
    if (use->owner == op) continue;
    int side = nr_scf_is_inside(use->owner, nr_scf_if_then_region(op))   ? 0
               : nr_scf_is_inside(use->owner, nr_scf_if_else_region(op)) ? 1
                                                               : 2;
    if (side == 2) continue;
    if (!known[side]) known[side] = nr_arith_constant(b, nr_attr_bool(b->ctx, side == 0));
    nr_op_set_operand(use->owner, nr_use_index(use), known[side]);
  }
  return known[0] || known[1];
}

/* the condition of scf.if, the argument of scf.index_switch: the only operand of both ops */
enum { CHOICE = NR_SCF_IF_CONDITION };
_Static_assert(NR_SCF_INDEX_SWITCH_ARG == CHOICE, "both are the first operand");

/* Rebuilds the op, scf.if or scf.index_switch, without its unused results. */
static bool drop_unused_results(NrOp *op) {
  NR_VEC(NrType) types = {0};
  uint32_t count = op->num_results;
  bool *drop = nr_calloc(count + 1, sizeof *drop);
  for (uint32_t i = 0; i < count; i++) {
    drop[i] = !nr_value_has_uses(nr_result(op, i));
    if (!drop[i]) nr_vec_push(&types, nr_result(op, i)->type);
  }
  bool any = types.size < count;
  if (any) {
    NrOp *fewer = nr_op_rebuild(op, (NrValue *[]){nr_operand(op, CHOICE)}, 1, types.data, types.size);
    for (uint32_t r = 0; r < fewer->num_regions; r++)
      for (NrBlock *block = nr_op_region(fewer, r)->first; block; block = block->next)
        for (uint32_t i = count; i-- > 0;)
          if (drop[i]) nr_op_erase_operand(nr_block_terminator(block), i);
    nr_scf_replace_kept(op, fewer, drop);
  }
  nr_vec_deinit(&types);
  nr_free(drop);
  return any;
}

/* Only scalars: a select of tensors or buffers would copy. */
static bool may_select(NrType type) { return nr_type_is_int_or_index(type) || nr_type_is_float(type); }

/* Replaces result i when it needs no branch: both sides yield the same value, or two scalars defined outside, which
 * arith.select can choose from. */
static bool replace_result(NrOp *op, uint32_t i, NrBuilder *b) {
  NrValue *result = nr_result(op, i);
  NrValue *yes = nr_operand(nr_scf_if_then_body(op)->last, i), *no = nr_operand(nr_scf_if_else_body(op)->last, i);
  bool outside =
      !nr_scf_defined_in(yes, nr_scf_if_then_region(op)) && !nr_scf_defined_in(no, nr_scf_if_else_region(op));
  if (!nr_value_has_uses(result) || !outside) return false;
  NrAttr yes_constant = nr_value_constant(yes), no_constant = nr_value_constant(no);
  if (yes == no || (yes_constant && yes_constant == no_constant)) {
    nr_value_replace_uses(result, yes);
  } else if (may_select(result->type)) {
    bool is_condition =
        nr_type_is_int_width(result->type, 1) && nr_const_is_int(yes_constant, 1) && nr_const_is_int(no_constant, 0);
    nr_value_replace_uses(result, is_condition ? nr_scf_if_condition(op)
                                               : nr_arith_select(b, nr_scf_if_condition(op), yes, no));
  } else {
    return false;
  }
  return true;
}

static bool is_empty(const NrBlock *block) { return !block || block->first == block->last; }

static bool simplify_results(NrOp *op, NrBuilder *b) {
  bool changed = false;
  for (uint32_t i = 0; i < op->num_results; i++) changed |= replace_result(op, i, b);
  return drop_unused_results(op) || changed;
}

/* Removes an empty `then` region: negates the condition and swaps the regions. */
static bool move_else_to_then(NrOp *op, NrBuilder *b) {
  NrValue *yes = nr_arith_constant(b, nr_attr_bool(b->ctx, true));
  NrValue *negated = nr_arith_binary(b, NR_OP_arith_xori, nr_scf_if_condition(op), yes);
  nr_op_set_operand(op, NR_SCF_IF_CONDITION, negated);
  nr_block_erase(nr_scf_if_then_body(op));
  nr_region_take(nr_scf_if_then_region(op), nr_scf_if_else_region(op));
  return true;
}

bool nr_scf_if_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t value;
  NrBlock *yes = nr_scf_if_then_body(op), *no = nr_scf_if_else_body(op);
  if (nr_value_constant_int(nr_scf_if_condition(op), &value)) return nr_scf_replace_by_taken(op, value ? yes : no);
  if (!nr_scf_regions_yield(op)) return false;
  if (op->num_results) {
    if (simplify_results(op, b)) return true;
  } else if (is_empty(yes) && is_empty(no)) {
    nr_op_erase(op);
    return true;
  } else if (no && is_empty(no)) {
    nr_block_erase(no);
    return true;
  } else if (is_empty(yes)) {
    return move_else_to_then(op, b);
  }
  if (use_known_condition(op, b)) return true;
  return nr_scf_if_drop_negation(op) || nr_scf_if_join_nested(op, b) || nr_scf_if_join_next(op);
}

/* ---- index_switch ------------------------------------------------------------------------------------------------ */

/* The value that every region yields as result i, if it is defined outside the op; otherwise NULL. */
static NrValue *only_yielded(NrOp *op, uint32_t i) {
  NrValue *only = nr_operand(nr_scf_index_switch_default_body(op)->last, i);
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (nr_operand(nr_op_body(op, r)->last, i) != only || nr_scf_defined_in(only, nr_op_region(op, r))) return NULL;
  return only;
}

static bool drop_switch_results(NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *only = only_yielded(op, i);
    if (only) nr_value_replace_uses(nr_result(op, i), only);
  }
  return drop_unused_results(op);
}

bool nr_scf_index_switch_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t value;
  NrAttr cases = nr_op_attr(op, NR_A_cases);
  if (op->num_regions == 1) return nr_scf_replace_by_taken(op, nr_scf_index_switch_default_body(op));
  if (!nr_value_constant_int(nr_scf_index_switch_arg(op), &value))
    return nr_scf_regions_yield(op) && drop_switch_results(op);
  uint32_t taken = 0;
  for (uint32_t i = 1; i < op->num_regions && !taken; i++)
    if (((const int64_t *)cases->data)[i - 1] == value) taken = i;
  return nr_scf_replace_by_taken(op, nr_op_body(op, taken));
}

/* ---- execute_region ---------------------------------------------------------------------------------------------- */

/* Moves the region's blocks into the parent region, if that may have several blocks. The ops after op become a block of
 * their own, to which the region's yields branch. */
static bool inline_blocks(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  bool has_blocks = nr_op_has(parent, NR_FUNCTION) || nr_op_is(parent, NR_OP_scf_execute_region);
  if (!has_blocks || !op->next) return false;
  NrRegion *region = nr_scf_execute_region_region(op);
  for (NrBlock *block = region->first; block; block = block->next) {
    bool stays = nr_op_has(block->last, NR_BRANCH) || nr_op_is(block->last, NR_OP_scf_yield);
    if (!stays) return false; /* a break or continue of an enclosing loop */
  }
  NrBlock *before = op->block, *after = nr_block_create(nr_block_module(before)), *entry = region->first, *at = before;
  nr_block_split(before, op->next, after);
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_result(op, i), *arg = nr_block_add_arg(after, result->type, op->loc);
    nr_value_replace_uses(result, arg);
  }
  NrBuilder b = nr_builder_before(op);
  nr_cf_br(&b, entry, NULL, 0);
  for (NrBlock *block = entry, *next; block; at = block, block = next) {
    next = block->next;
    nr_block_unlink(block);
    nr_block_insert_after(block, at);
    NrOp *yield = block->last;
    if (!nr_op_is(yield, NR_OP_scf_yield)) continue;
    NR_VEC(NrValue *) values = {0};
    for (uint32_t i = 0; i < yield->num_operands; i++) nr_vec_push(&values, nr_operand(yield, i));
    NrBuilder end = nr_builder_before(yield);
    nr_cf_br(&end, after, values.data, values.size);
    nr_op_erase(yield);
    nr_vec_deinit(&values);
  }
  nr_op_erase(op);
  return true;
}

/* Replaces an execute_region by its ops, or by its blocks where the parent may have several. */
bool nr_scf_execute_region_canonicalize(NrOp *op, NrBuilder *b) {
  NrRegion *region = nr_scf_execute_region_region(op);
  if (nr_op_attr(op, NR_A_no_inline)) return false;
  if (region->first != region->last) return inline_blocks(op);
  return nr_scf_replace_by_taken(op, region->first);
}
