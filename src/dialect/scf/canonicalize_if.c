/* canonicalize_if.c - rewrites of scf.if that merge two ifs into one, and that remove the negation of a condition.
 *
 *   before  scf.if %c { f }                 after  scf.if %c { f  g }
 *           scf.if %c { g } else { h }             else { h }
 *
 *   before  scf.if %c { scf.if %d { f } }   after  %e = arith.andi %c, %d
 *                                                  scf.if %e { f }
 */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/canonicalize.h"

static bool only_yields(const NrBlock *block) { return !block || block->first == block->last; }

/* The block of a region; a missing one is created, with an scf.yield of no values. */
static NrBlock *body_or_new(NrOp *op, NrRegion *region) {
  if (region->first) return region->first;
  NrBlock *block = nr_block_create(op->module);
  nr_block_append(region, block);
  NrBuilder b = nr_builder_at_end(op->module, block, op->loc);
  nr_scf_yield(&b, NULL, 0);
  return block;
}

/* ---- consecutive ifs --------------------------------------------------------------------------------------------- */

/* Inside one region of `second`, replaces the results of `first` by the values that its region on the same side
 * yields. */
static void use_yielded(NrOp *first, NrOp *second, size_t side) {
  NrOp *yield = nr_op_body(first, side)->last;
  for (uint32_t i = 0; i < first->num_results; i++)
    for (NrUse *use = nr_result(first, i)->first_use, *next; use; use = next) {
      next = use->next;
      if (nr_scf_is_inside(use->owner, nr_op_region(second, side)))
        nr_op_set_operand(use->owner, nr_use_index(use), nr_operand(yield, i));
    }
}

/* Appends the ops of one region of `second`, and the values that it yields, to the same region of `first`. */
static void append_side(NrOp *first, NrOp *second, size_t side) {
  NrBlock *to = nr_op_body(first, side), *from = nr_op_body(second, side);
  NrOp *yield = to->last;
  NR_VEC(NrValue *) values = {0};
  for (uint32_t i = 0; i < yield->num_operands; i++) nr_vec_push(&values, nr_operand(yield, i));
  for (uint32_t i = 0; i < from->last->num_operands; i++) nr_vec_push(&values, nr_operand(from->last, i));
  nr_op_erase(yield);
  nr_op_erase(from->last);
  nr_block_splice(from, to, NULL);
  NrBuilder b = nr_builder_at_end(to->module, to, second->loc);
  nr_scf_yield(&b, values.data, values.size);
  nr_vec_deinit(&values);
}

static bool is_negation_of(const NrValue *value, const NrValue *condition) {
  return nr_op_is(value->op, NR_OP_arith_xori) && nr_arith_xori_lhs(value->op) == condition &&
         nr_const_is_int(nr_value_constant(nr_arith_xori_rhs(value->op)), 1);
}

/* Gives op the negated condition, `condition`, and swaps its regions. */
static void swap_sides(NrOp *op, NrValue *condition) {
  NrBlock *yes = body_or_new(op, nr_scf_if_then_region(op)), *no = body_or_new(op, nr_scf_if_else_region(op));
  nr_op_set_operand(op, NR_SCF_IF_CONDITION, condition);
  nr_block_unlink(yes);
  nr_block_unlink(no);
  nr_block_append(nr_scf_if_then_region(op), no);
  nr_block_append(nr_scf_if_else_region(op), yes);
}

bool nr_scf_if_join_next(NrOp *op) {
  NrOp *next = op->next;
  if (!nr_op_is(next, NR_OP_scf_if) || !nr_scf_regions_yield(next)) return false;
  if (is_negation_of(nr_scf_if_condition(next), nr_scf_if_condition(op))) swap_sides(next, nr_scf_if_condition(op));
  if (nr_scf_if_condition(next) != nr_scf_if_condition(op)) return false;
  uint32_t count = op->num_results, more = next->num_results;
  bool with_else = nr_scf_if_else_body(op) || nr_scf_if_else_body(next);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < more; i++) nr_vec_push(&types, nr_result(next, i)->type);
  for (size_t side = 0; side < 1 + (size_t)with_else; side++) {
    body_or_new(op, nr_op_region(op, side));
    body_or_new(next, nr_op_region(next, side));
    use_yielded(op, next, side);
    append_side(op, next, side);
  }
  NrOp *both = nr_scf_extend(op, NULL, 0, types.data, more);
  for (uint32_t i = 0; i < more; i++) {
    nr_result(both, count + i)->name = nr_result(next, i)->name;
    nr_value_replace_uses(nr_result(next, i), nr_result(both, count + i));
  }
  nr_op_erase(next);
  nr_vec_deinit(&types);
  return true;
}

/* ---- nested ifs -------------------------------------------------------------------------------------------------- */

/* The value for result i after merging `inner` into op: inner's result, if both else regions yield the same value. NULL
 * when the ifs cannot be merged. */
static NrValue *joined_value(NrOp *op, NrOp *inner, uint32_t i) {
  NrValue *value = nr_operand(nr_scf_if_then_body(op)->last, i);
  if (value->op != inner) return NULL;
  NrValue *outer_else = nr_operand(nr_scf_if_else_body(op)->last, i);
  return nr_operand(nr_scf_if_else_body(inner)->last, value->index) == outer_else ? value : NULL;
}

bool nr_scf_if_join_nested(NrOp *op, NrBuilder *b) {
  NrBlock *yes = nr_scf_if_then_body(op);
  NrOp *inner = yes->first;
  if (!nr_op_is(inner, NR_OP_scf_if) || inner->next != yes->last || !nr_scf_regions_yield(inner)) return false;
  if (!only_yields(nr_scf_if_else_body(op)) || !only_yields(nr_scf_if_else_body(inner))) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!joined_value(op, inner, i)) return false;
  NrValue *condition = nr_arith_binary(b, NR_OP_arith_andi, nr_scf_if_condition(op), nr_scf_if_condition(inner));
  nr_op_set_operand(inner, NR_SCF_IF_CONDITION, condition);
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), joined_value(op, inner, i));
  nr_op_unlink(inner);
  nr_op_insert_before(inner, op);
  nr_op_erase(op);
  return true;
}

/* ---- negated conditions ------------------------------------------------------------------------------------------ */

bool nr_scf_if_drop_negation(NrOp *op) {
  NrOp *negation = nr_scf_if_condition(op)->op;
  if (!nr_scf_if_else_body(op) || !negation || !nr_op_is(negation, NR_OP_arith_xori)) return false;
  if (!is_negation_of(nr_scf_if_condition(op), nr_arith_xori_lhs(negation))) return false;
  swap_sides(op, nr_arith_xori_lhs(negation));
  return true;
}
