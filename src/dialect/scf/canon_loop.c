/* canon_loop.c - rewrites of scf.for and scf.while: loops that run never or once, and carried values that need not be
 * carried.
 *
 *   before  %r:2 = scf.for .. iter_args(%a = %x, %b = %y) {     after  %r = scf.for .. iter_args(%a = %x) {
 *             %s = f(%a, %b)                                             %s = f(%a, %y)
 *             scf.yield %s, %b                                           scf.yield %s
 *           }                                                          }
 */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"

/* ---- for: which carried values are needed ------------------------------------------------------------------------ */

/* Marks values of the body as needed, backwards from what has effects and from results that are used. */
typedef struct Needed {
  NrOp *loop;
  NrOp *yield;
  NrMap seen; /* NrOp* of the body's own ops */
  NR_VEC(NrOp *) work;
  bool *carried;
} Needed;

static void need_carried(Needed *n, uint32_t i);

static void need_value(Needed *n, const NrValue *value) {
  NrBlock *body = nr_op_body(n->loop, 0);
  if (value->block == body) {
    if (value->index > 0) need_carried(n, value->index - 1);
    return;
  }
  NrOp *op = value->op;
  if (!op) return;
  if (op->block != body || nr_map_has(&n->seen, op)) return;
  nr_map_set(&n->seen, op, op);
  nr_vec_push(&n->work, op);
}

static bool need_operands(NrOp *op, void *user) {
  for (uint32_t i = 0; i < op->num_operands; i++) need_value(user, nr_operand(op, i));
  return true;
}

static void need_carried(Needed *n, uint32_t i) {
  if (n->carried[i]) return;
  n->carried[i] = true;
  need_value(n, nr_operand(n->yield, i)); /* recursion ends: it only queues, or marks another carried value */
}

static void find_needed(Needed *n) {
  NrBlock *body = nr_op_body(n->loop, 0);
  for (uint32_t i = 0; i < n->loop->num_results; i++)
    if (nr_value_has_uses(nr_result(n->loop, i))) need_carried(n, i);
  for (NrOp *op = body->first; op != n->yield; op = op->next) {
    if (nr_map_has(&n->seen, op) || nr_op_is_pure(op)) continue;
    nr_map_set(&n->seen, op, op);
    nr_vec_push(&n->work, op);
  }
  while (n->work.size) nr_walk_pre(nr_vec_pop(&n->work), need_operands, n);
}

/* Takes out carried values that nothing but their own next value depends on. */
static bool drop_unneeded(NrOp *op) {
  uint32_t count = nr_scf_for_num_inits(op), dropped = 0;
  bool suspect = false;
  for (uint32_t i = 0; i < count; i++) suspect |= !nr_value_has_uses(nr_result(op, i));
  if (!suspect) return false;
  Needed n = {
      .loop = op, .yield = nr_block_terminator(nr_op_body(op, 0)), .carried = nr_calloc(count + 1, sizeof(bool))};
  find_needed(&n);
  for (uint32_t i = 0; i < count; i++) {
    n.carried[i] = !n.carried[i]; /* from here on: to be dropped */
    if (!n.carried[i]) continue;
    dropped++;
    nr_value_replace_uses(nr_scf_for_arg(op, i), nr_scf_for_init(op, i));
  }
  if (dropped) nr_scf_for_drop_carried(op, n.carried);
  nr_free(n.carried);
  nr_map_deinit(&n.seen);
  nr_vec_deinit(&n.work);
  return dropped > 0;
}

/* Carried values that stay what they were, and those that are the same as an earlier one. */
static bool drop_redundant(NrOp *op) {
  uint32_t count = nr_scf_for_num_inits(op), dropped = 0;
  if (count == 0) return false;
  NrOp *yield = nr_block_terminator(nr_op_body(op, 0));
  bool *drop = nr_calloc(count, sizeof *drop);
  NrMap first = {0}; /* yielded value -> the first carried value with it */
  for (uint32_t i = 0; i < count; i++) {
    NrValue *arg = nr_scf_for_arg(op, i), *init = nr_scf_for_init(op, i), *next = nr_operand(yield, i);
    NrValue *same_arg = NULL, *same_result = NULL;
    if (next == arg || next == init) {
      same_arg = same_result = init;
    } else {
      NrValue *other = nr_map_get(&first, next);
      if (!other) nr_map_set(&first, next, arg);
      else if (nr_scf_for_init(op, other->index - 1) == init) {
        same_arg = other;
        same_result = nr_result(op, other->index - 1);
      }
    }
    if (!same_arg) continue;
    nr_value_replace_uses(arg, same_arg);
    nr_value_replace_uses(nr_result(op, i), same_result);
    drop[i] = true;
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
  NrBlock *body = nr_op_body(op, 0);
  NrOp *yield = nr_block_terminator(body);
  NR_VEC(NrValue *) args = {0};
  nr_vec_push(&args, nr_scf_for_lower(op));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&args, nr_scf_for_init(op, i));
  nr_scf_inline_before(op, body, args.data);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
  nr_op_erase(op);
  nr_vec_deinit(&args);
  return true;
}

/* A loop that only yields values from outside gives them when it runs at all. */
static bool replace_by_yielded(NrOp *op) {
  NrBlock *body = nr_op_body(op, 0);
  if (body->first != body->last || !op->num_results) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_value_block(nr_operand(body->last, i)) == body) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_value_replace_uses(nr_result(op, i), nr_operand(body->last, i));
  nr_op_erase(op);
  return true;
}

bool nr_scf_for_canonicalize(NrOp *op, NrBuilder *b) {
  uint64_t trips;
  if (nr_scf_for_trip_count(op, &trips)) {
    if (trips == 0) return replace_for_by_inits(op);
    if (trips == 1) return inline_single_iteration(op);
    if (replace_by_yielded(op)) return true;
  }
  return drop_redundant(op) || drop_unneeded(op);
}

/* ---- while ------------------------------------------------------------------------------------------------------- */

/* A condition that is false at once: `before` runs once, `after` never. */
static bool inline_before_region(NrOp *op) {
  NrBlock *before = nr_op_body(op, 0);
  NrOp *condition = nr_block_terminator(before);
  NR_VEC(NrValue *) args = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&args, nr_operand(op, i));
  nr_scf_inline_before(op, before, args.data);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(condition, 1 + i));
  nr_op_erase(op);
  nr_vec_deinit(&args);
  return true;
}

/* What the values handed to `after` are known to be there: another argument of it, a value from outside, or true. */
static bool simplify_after_args(NrOp *op, NrOp *condition, NrBuilder *b) {
  NrBlock *after = nr_op_body(op, 1);
  NrRegion *before_region = nr_op_region(op, 0);
  bool changed = false;
  for (uint32_t i = 0; i < after->num_args; i++) {
    NrValue *handed = nr_operand(condition, 1 + i), *arg = after->args[i], *known = NULL, *result = NULL;
    if (nr_value_block(handed)->region != before_region && !nr_value_block(handed)->region->op) continue;
    for (uint32_t j = 0; j < i && !known; j++)
      if (nr_operand(condition, 1 + j) == handed) {
        known = after->args[j];
        result = nr_result(op, j);
      }
    const NrBlock *defined = nr_value_block(handed);
    bool outside = defined->region != before_region && !nr_op_is_ancestor(op, nr_block_parent_op(defined));
    if (!known && outside) known = result = handed;
    if (known && nr_value_has_uses(arg)) {
      nr_value_replace_uses(arg, known);
      changed = true;
    }
    if (result && nr_value_has_uses(nr_result(op, i))) {
      nr_value_replace_uses(nr_result(op, i), result);
      changed = true;
    }
    if (handed == nr_operand(condition, 0) && nr_value_has_uses(arg)) {
      nr_value_replace_uses(arg, nr_arith_constant(b, nr_attr_bool(b->ctx, true)));
      changed = true;
    }
  }
  return changed;
}

/* A copy of the op without carried values and results that nothing reads any more. The old op is erased. */
static void rebuild_while(NrOp *op, const bool *drop_init, const bool *drop_result, NrBuilder *b) {
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(NrType) types = {0};
  NrBlock *before = nr_op_body(op, 0), *after = nr_op_body(op, 1);
  NrOp *condition = nr_block_terminator(before), *yield = nr_block_terminator(after);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (!drop_init[i]) nr_vec_push(&inits, nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!drop_result[i]) nr_vec_push(&types, nr_result(op, i)->type);
  for (uint32_t i = op->num_operands; i-- > 0;)
    if (drop_init[i]) {
      nr_op_erase_operand(yield, i);
      nr_block_erase_arg(before, i);
    }
  for (uint32_t i = op->num_results; i-- > 0;)
    if (drop_result[i]) {
      nr_op_erase_operand(condition, 1 + i);
      nr_block_erase_arg(after, i);
    }
  NrOp *loop = nr_build(b, &(NrOpState){.info = op->info,
                                        .operands = inits.data,
                                        .num_operands = inits.size,
                                        .result_types = types.data,
                                        .num_results = types.size,
                                        .attrs = op->attrs,
                                        .num_attrs = op->num_attrs,
                                        .num_regions = 2});
  for (uint32_t r = 0; r < 2; r++) nr_region_take(nr_op_region(loop, r), nr_op_region(op, r));
  for (uint32_t i = 0, k = 0; i < op->num_results; i++) {
    if (drop_result[i]) continue;
    nr_result(loop, k)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(loop, k++));
  }
  nr_op_erase(op);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&types);
}

/* The next value of carried value i is itself: it was handed on unchanged, or never left `before`'s outside. */
static bool is_invariant(NrOp *op, NrOp *condition, NrOp *yield, uint32_t i) {
  NrValue *next = nr_operand(yield, i), *arg = nr_op_body(op, 0)->args[i];
  if (next == nr_operand(op, i)) return true;
  if (next->block != nr_op_body(op, 1)) return false;
  NrValue *handed = nr_operand(condition, 1 + next->index);
  return handed == arg || handed == nr_operand(op, i);
}

static bool drop_from_while(NrOp *op, NrBuilder *b) {
  NrBlock *before = nr_op_body(op, 0), *after = nr_op_body(op, 1);
  NrOp *condition = nr_block_terminator(before), *yield = nr_block_terminator(after);
  bool *drop_init = nr_calloc(op->num_operands + 1, sizeof(bool)),
       *drop_result = nr_calloc(op->num_results + 1, sizeof(bool));
  bool any = false;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    bool invariant = is_invariant(op, condition, yield, i);
    if (invariant) nr_value_replace_uses(before->args[i], nr_operand(op, i));
    drop_init[i] = invariant || !nr_value_has_uses(before->args[i]);
    any |= drop_init[i];
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    /* Uses by yields of carried values that go are no uses. */
    bool used = nr_value_has_uses(nr_result(op, i));
    for (const NrUse *use = after->args[i]->first_use; use && !used; use = use->next)
      used = use->owner != yield || !drop_init[nr_use_index(use)];
    drop_result[i] = !used;
    any |= drop_result[i];
  }
  if (any) rebuild_while(op, drop_init, drop_result, b);
  nr_free(drop_init);
  nr_free(drop_result);
  return any;
}

bool nr_scf_while_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *condition = nr_block_terminator(nr_op_body(op, 0));
  int64_t value;
  if (nr_value_constant_int(nr_operand(condition, 0), &value) && !value) return inline_before_region(op);
  return simplify_after_args(op, condition, b) || drop_from_while(op, b);
}
