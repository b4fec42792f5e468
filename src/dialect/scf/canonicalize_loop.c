/* canonicalize_loop.c - rewrites of scf.for and scf.while: removes loops that run never or once, and unneeded carried
 * values.
 *
 *   before  %r:2 = scf.for .. iter_args(%a = %x, %b = %y) {     after  %r = scf.for .. iter_args(%a = %x) {
 *             %s = f(%a, %b)                                             %s = f(%a, %y)
 *             scf.yield %s, %b                                           scf.yield %s
 *           }                                                          }
 */
#include "dialect/arith/arith.h"
#include "dialect/scf/carried.h"
#include "dialect/tensor/ops.h"

/* ---- for --------------------------------------------------------------------------------------------------------- */

/* Drops carried values that only their own next value depends on. */
static bool drop_unneeded(NrOp *op) {
  uint32_t count = op->num_results, dropped = 0;
  bool suspect = false;
  for (uint32_t i = 0; i < count; i++) suspect |= !nr_value_has_uses(nr_result(op, i));
  if (!suspect) return false;
  NrScfNeeded needed;
  nr_scf_needed_init(&needed, op);
  bool *drop = nr_calloc(count, sizeof *drop);
  for (uint32_t i = 0; i < count; i++) {
    if (needed.slots[i]) continue;
    drop[i] = true;
    dropped++;
    nr_value_replace_uses(nr_scf_for_arg(op, i), nr_scf_for_init(op, i));
  }
  if (dropped) nr_scf_for_drop_carried(op, drop);
  nr_free(drop);
  nr_scf_needed_deinit(&needed);
  return dropped > 0;
}

/* Drops carried values that never change, and those that always equal an earlier one. */
static bool drop_redundant(NrOp *op) {
  uint32_t count = op->num_results, dropped = 0;
  if (count == 0) return false;
  NrOp *yield = nr_block_terminator(nr_scf_for_body(op));
  bool *drop = nr_calloc(count, sizeof *drop);
  NrMap first = {0}; /* yielded value -> the first carried value with it */
  nr_scf_find_invariant(op, drop);
  for (uint32_t i = 0; i < count; i++) {
    NrValue *arg = nr_scf_for_arg(op, i), *init = nr_scf_for_init(op, i), *next = nr_operand(yield, i);
    NrValue *other = drop[i] ? NULL : nr_map_get(&first, next), *same_arg = init, *same_result = init;
    if (!drop[i] && !other) nr_map_set(&first, next, arg);
    if (other && nr_scf_for_init(op, other->index - 1) == init) {
      same_arg = other;
      same_result = nr_result(op, other->index - 1);
      drop[i] = true;
    }
    if (!drop[i]) continue;
    nr_value_replace_uses(arg, same_arg);
    nr_value_replace_uses(nr_result(op, i), same_result);
    dropped++;
  }
  if (dropped) nr_scf_for_drop_carried(op, drop);
  nr_map_deinit(&first);
  nr_free(drop);
  return dropped > 0;
}

static bool replace_for_by_inits(NrOp *op) {
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_scf_for_init(op, i));
  nr_op_erase(op);
  return true;
}

static bool inline_single_iteration(NrOp *op) {
  NrBlock *body = nr_scf_for_body(op);
  NrOp *yield = nr_block_terminator(body);
  NR_VEC(NrValue *) args = {0};
  nr_vec_push(&args, nr_scf_for_lower_bound(op));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&args, nr_scf_for_init(op, i));
  nr_scf_inline_before(op, body, args.data);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(op);
  nr_vec_deinit(&args);
  return true;
}

/* Replaces the results of a loop that runs at least once by the values that it yields, if its body does nothing else
 * and they are defined outside. */
static bool replace_by_yielded(NrOp *op) {
  NrBlock *body = nr_scf_for_body(op);
  if (body->first != body->last || !op->num_results) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_value_block(nr_operand(body->last, i)) == body) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), nr_operand(body->last, i));
  nr_op_erase(op);
  return true;
}

/* ---- casts of carried tensors ------------------------------------------------------------------------------------ */

enum { MAX_SHAPE_DEPTH = 16 };

/* Whether `value` has the dims of a tensor of this type in every iteration, provided that `arg` has: it is computed
 * from arg by ops that preserve the shape, or is a cast from the type. */
static bool keeps_shape(const NrValue *value, const NrValue *arg, NrType type, int depth) {
  const NrOp *op = value->op;
  if (value == arg || value->type == type) return true;
  if (!op || depth == MAX_SHAPE_DEPTH) return false;
  const NrValue *destination = nr_op_destination(op, value->index);
  if (destination) return keeps_shape(destination, arg, type, depth + 1);
  switch (op->info->id) {
  case NR_OP_tensor_cast: return keeps_shape(nr_tensor_cast_source(op), arg, type, depth + 1);
  case NR_OP_scf_for: return keeps_shape(nr_scf_for_init(op, value->index), arg, type, depth + 1) &&
                             keeps_shape(nr_operand(nr_scf_for_body(op)->last, value->index),
                                         nr_scf_for_arg(op, value->index), type, depth + 1);
  default: break;
  }
  if (!nr_op_has(op, NR_ELEMENTWISE)) return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_tensor(nr_operand(op, i)->type)) return keeps_shape(nr_operand(op, i), arg, type, depth + 1);
  return false;
}

/* The tensor that the initial value is a cast of, if the cast only hides static sizes and the loop can carry the tensor
 * without the cast; otherwise NULL. */
static NrValue *uncast_init(const NrOp *op, uint32_t i) {
  const NrValue *init = nr_scf_for_init(op, i), *result = nr_result(op, i);
  if (!nr_op_is(init->op, NR_OP_tensor_cast)) return NULL;
  NrValue *source = nr_tensor_cast_source(init->op);
  NrType from = source->type, to = init->type;
  if (from->kind != NR_TYPE_TENSOR || to->kind != NR_TYPE_TENSOR || from->layout != to->layout) return NULL;
  for (uint32_t d = 0; d < from->rank; d++)
    if (from->dims[d] != to->dims[d] && to->dims[d] != NR_DYNAMIC) return NULL;
  const NrOp *user = nr_value_has_one_use(result) ? result->first_use->owner : NULL;
  if (!user || (nr_op_is(user, NR_OP_tensor_cast) && nr_op_result(user)->type != from)) return NULL;
  return keeps_shape(nr_operand(nr_scf_for_body(op)->last, i), nr_scf_for_arg(op, i), from, 0) ? source : NULL;
}

static NrValue *cast_to(NrBuilder *b, NrValue *value, NrType type) {
  return nr_build_value(b, NR_OP_tensor_cast, type, &value, 1);
}

/* Moves the cast of an initial value into the loop, so that the loop carries the static type:
 *
 *   %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>      scf.for .. iter_args(%a = %x) -> (tensor<4xf32>) {
 *   scf.for .. iter_args(%a = %0) -> (tensor<?xf32>) {          %b = tensor.cast %a to tensor<?xf32>
 *     .. scf.yield %c                                           .. scf.yield (tensor.cast %c to tensor<4xf32>)
 *
 * Only if the yielded value is known to have that shape: the rewrite must not add a cast that can fail. */
static bool carry_uncast(NrOp *op) {
  NrBlock *body = nr_scf_for_body(op);
  bool changed = false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *source = uncast_init(op, i), *arg = nr_scf_for_arg(op, i), *result = nr_result(op, i);
    if (!source) continue;
    NrType old = arg->type;
    nr_op_set_operand(op, NR_SCF_FOR_INIT_ARGS + i, source);
    arg->type = result->type = source->type;
    NrBuilder inside = nr_builder_at_start(nr_block_module(body), body, op->loc), end = nr_builder_before(body->last);
    NrValue *as_before = cast_to(&inside, arg, old);
    nr_value_replace_uses_except(arg, as_before, as_before->op);
    nr_op_set_operand(body->last, i, cast_to(&end, nr_operand(body->last, i), source->type));
    NrBuilder behind = nr_builder_after(op);
    NrValue *out = cast_to(&behind, result, old);
    nr_value_replace_uses_except(result, out, out->op);
    changed = true;
  }
  return changed;
}

bool nr_scf_for_canonicalize(NrOp *op, NrBuilder *b) {
  uint64_t trips;
  if (nr_scf_for_trip_count(op, &trips)) {
    if (trips == 0) return replace_for_by_inits(op);
    if (trips == 1) return inline_single_iteration(op);
    if (replace_by_yielded(op)) return true;
  }
  return drop_redundant(op) || drop_unneeded(op) || carry_uncast(op);
}

/* ---- while ------------------------------------------------------------------------------------------------------- */

/* Replaces a loop whose condition is always false: `before` runs once, `after` never. */
static bool inline_before_region(NrOp *op) {
  NrBlock *before = nr_scf_while_before_body(op);
  NrOp *condition = nr_block_terminator(before);
  NR_VEC(NrValue *) args = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&args, nr_operand(op, i));
  nr_scf_inline_before(op, before, args.data);
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), nr_operand(condition, NR_SCF_CONDITION_ARGS + i));
  nr_op_erase(op);
  nr_vec_deinit(&args);
  return true;
}

/* Replaces arguments of `after`, and results, by values that they equal: an earlier argument or result, a value from
 * outside, or, for the condition itself inside `after`, true. */
static bool simplify_after_args(NrOp *op, NrOp *condition, NrBuilder *b) {
  NrBlock *after = nr_scf_while_after_body(op);
  NrRegion *before_region = nr_scf_while_before_region(op);
  bool changed = false;
  for (uint32_t i = 0; i < after->num_args; i++) {
    NrValue *passed = nr_operand(condition, NR_SCF_CONDITION_ARGS + i), *arg = after->args[i], *known = NULL,
            *result = NULL;
    if (nr_value_block(passed)->region != before_region && !nr_value_block(passed)->region->op) continue;
    for (uint32_t j = 0; j < i && !known; j++)
      if (nr_operand(condition, NR_SCF_CONDITION_ARGS + j) == passed) {
        known = after->args[j];
        result = nr_result(op, j);
      }
    const NrBlock *defined = nr_value_block(passed);
    bool outside = defined->region != before_region && !nr_op_is_ancestor(op, nr_block_parent_op(defined));
    if (!known && outside) known = result = passed;
    if (known && nr_value_has_uses(arg)) {
      nr_value_replace_uses(arg, known);
      changed = true;
    }
    if (result && nr_value_has_uses(nr_result(op, i))) {
      nr_value_replace_uses(nr_result(op, i), result);
      changed = true;
    }
    if (passed == nr_scf_condition_condition(condition) && nr_value_has_uses(arg)) {
      nr_value_replace_uses(arg, nr_arith_constant(b, nr_attr_bool(b->ctx, true)));
      changed = true;
    }
  }
  return changed;
}

/* Erases the ops that are not needed, users before definitions. */
static void erase_unneeded(const NrScfNeeded *needed, NrBlock *block) {
  for (NrOp *op = block->last->prev, *prev; op; op = prev) {
    prev = op->prev;
    if (!nr_map_has(&needed->ops, op)) nr_op_erase(op);
  }
}

/* Rebuilds the op without the carried values and results that the flags select. `needed`, if not NULL, selects the ops
 * to keep. The old op is erased. */
static void rebuild_while(NrOp *op, const bool *drop_init, const bool *drop_result, const NrScfNeeded *needed) {
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(NrType) types = {0};
  NrBlock *before = nr_scf_while_before_body(op), *after = nr_scf_while_after_body(op);
  NrOp *condition = nr_block_terminator(before), *yield = nr_block_terminator(after);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!drop_init[i]) nr_vec_push(&inits, nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!drop_result[i]) nr_vec_push(&types, nr_result(op, i)->type);
  for (uint32_t i = op->num_operands; i-- > 0;)
    if (drop_init[i]) nr_op_erase_operand(yield, i);
  for (uint32_t i = op->num_results; i-- > 0;)
    if (drop_result[i]) nr_op_erase_operand(condition, NR_SCF_CONDITION_ARGS + i);
  if (needed) {
    erase_unneeded(needed, before);
    erase_unneeded(needed, after);
  }
  for (uint32_t i = op->num_operands; i-- > 0;)
    if (drop_init[i]) nr_block_erase_arg(before, i);
  for (uint32_t i = op->num_results; i-- > 0;)
    if (drop_result[i]) nr_block_erase_arg(after, i);
  nr_scf_replace_kept(op, nr_op_rebuild(op, inits.data, inits.size, types.data, types.size), drop_result);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&types);
}

/* Drops carried values that never change or are not used, and results that are not used. */
static bool drop_from_while(NrOp *op) {
  NrBlock *before = nr_scf_while_before_body(op), *after = nr_scf_while_after_body(op);
  NrOp *yield = nr_block_terminator(after);
  bool *drop_init = nr_calloc(nr_scf_num_slots(op) + 1, sizeof(bool)),
       *drop_result = nr_calloc(op->num_results + 1, sizeof(bool));
  bool any = false;
  nr_scf_find_invariant(op, drop_init);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    if (drop_init[i]) nr_value_replace_uses(before->args[i], nr_operand(op, i));
    drop_init[i] |= !nr_value_has_uses(before->args[i]);
    any |= drop_init[i];
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    /* A use by the yield of a dropped carried value does not count. */
    bool used = nr_value_has_uses(nr_result(op, i));
    for (const NrUse *use = after->args[i]->first_use; use && !used; use = use->next)
      used = use->owner != yield || !drop_init[nr_use_index(use)];
    drop_result[i] = !used;
    any |= drop_result[i];
  }
  if (any) rebuild_while(op, drop_init, drop_result, NULL);
  nr_free(drop_init);
  nr_free(drop_result);
  return any;
}

/* Drops carried values that only their own next value depends on, and the ops that compute them. */
static bool drop_unneeded_from_while(NrOp *op) {
  bool suspect = false, any = false;
  for (uint32_t i = 0; i < op->num_results; i++) suspect |= !nr_value_has_uses(nr_result(op, i));
  if (!suspect) return false;
  NrScfNeeded needed;
  nr_scf_needed_init(&needed, op);
  uint32_t count = nr_scf_num_slots(op);
  /* inverted: now the slots to drop */
  for (uint32_t i = 0; i < count; i++) any |= needed.slots[i] = !needed.slots[i];
  if (any) rebuild_while(op, needed.slots, needed.slots + op->num_operands, &needed);
  nr_scf_needed_deinit(&needed);
  return any;
}

bool nr_scf_while_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *condition = nr_block_terminator(nr_scf_while_before_body(op));
  int64_t value;
  if (nr_value_constant_int(nr_scf_condition_condition(condition), &value) && !value) return inline_before_region(op);
  return simplify_after_args(op, condition, b) || drop_from_while(op) || drop_unneeded_from_while(op);
}
