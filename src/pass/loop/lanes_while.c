/* lanes_while.c - loops with a condition, in lanes; see lanes.h. A loop whose condition is uniform stays as it is. One
 * that diverges runs while a lane is active.
 *
 *   %r = scf.while (%x = %a) {         %r:2 = scf.while (%x = %a) {
 *     %c = cond(%x)                      %go = cond(%x)
 *     scf.condition(%c) %x        is     %any = vector.reduction <or>, %go
 *   } do {                               scf.condition(%any) %x, %go
 *   ^bb0(%x):                          } do {
 *     %y = body(%x)                    ^bb0(%x, %go):
 *     scf.yield %y                       %y = body(%x) under %go
 *   }                                    %z = arith.select %go, %y, %x
 *                                        scf.yield %z
 *                                      }
 * A lane that has left keeps its values, for which the condition stays false: so no mask is carried, which would be
 * packed and unpacked in each iteration on CPUs without registers for masks. This needs a condition that has no
 * effects, reads no memory and depends on what varies only (a part that is uniform ends the loop for all lanes). Where
 * the body has no branches either, it moves in front of the test, so that the loop is one block and its masks stay in
 * it; the iteration in which the last lane leaves then does nothing. Polls would be branches: they, and the safepoint
 * that insert-safepoints adds, go in a loop around it. The inner loop is left every MOST_TRIPS iterations, or as often
 * as the program polls (noria.most_trips), so that it has one counter and not two.
 *
 * Other loops carry the mask, and the results of the lanes that have left:
 *
 *   %r:2 = scf.while (%x = %a, %on = %mask, %s = 0) {
 *     %c = cond(%x) under %on
 *     %go = arith.select %on, %c, false
 *     %t = arith.select %on, %x, %s
 *     %any = vector.reduction <or>, %go
 *     scf.condition(%any) %x, %go, %t
 *   } do { ^bb0(%x, %go, %t): .. scf.yield body(%x), %go, %t } */
#include "dialect/arith/arith.h"
#include "dialect/arith/compare.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "pass/core/rewrite.h"
#include "pass/loop/lanes.h"

enum { MOST_TRIPS = 1 << 10 }; /* as often as insert-loop-polls polls */

/* A loop under construction: the values at its entry and at the ends of its regions, the types of its results. */
typedef struct While {
  NrOp *op, *made;
  NrBlock *before, *after;
  NR_VEC(NrValue *) inits;
  NR_VEC(NrValue *) passed;
  NR_VEC(NrValue *) yielded;
  NR_VEC(NrType) types;
  bool diverges, freezes;
  int64_t every; /* the body's one poll is due after each so many iterations; else 0 */
} While;

static NrValue *passed_on(const While *w, uint32_t i) { return nr_operand(w->before->last, NR_SCF_CONDITION_ARGS + i); }

/* ---- whether lanes that have left may go on with their last values ---------------------------------------------- */

/* Whether the value is the same in each iteration after a lane has left. */
static bool is_frozen(const NrLanes *l, const While *w, const NrValue *value) {
  if (nr_value_is_outside(value, w->op)) return true;
  if (value->block) return nr_lanes_varies(l, value);
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (!is_frozen(l, w, nr_operand(value->op, i))) return false;
  return true;
}

static bool stays_false(const NrLanes *l, const While *w, const NrValue *cond) {
  if (!nr_lanes_varies(l, cond) || is_frozen(l, w, cond)) return true;
  return nr_op_is(cond->op, NR_OP_arith_andi) && stays_false(l, w, nr_arith_andi_lhs(cond->op)) &&
         stays_false(l, w, nr_arith_andi_rhs(cond->op));
}

static bool can_freeze(const NrLanes *l, const While *w) {
  if (!nr_lanes_diverges(l, w->op)) return false;
  for (NrOp *op = w->before->first; op != w->before->last; op = op->next)
    if (op->num_regions || !nr_op_is_pure(op) || !nr_op_is_speculatable(op)) return false;
  for (uint32_t i = 0; i < w->op->num_results; i++) {
    bool is_arg = passed_on(w, i)->block == w->before;
    if (nr_value_has_uses(nr_result(w->op, i)) && !is_arg && !is_frozen(l, w, passed_on(w, i))) return false;
  }
  return stays_false(l, w, nr_scf_condition_condition(w->before->last));
}

static While describe(NrOp *op) {
  return (While){.op = op, .before = nr_scf_while_before_body(op), .after = nr_scf_while_after_body(op)};
}

/* Whether the value, which is computed in `before`, depends on this argument. */
static bool depends_on(const While *w, const NrValue *value, const NrValue *arg) {
  if (value == arg) return true;
  if (nr_value_is_outside(value, w->op) || value->block) return false;
  for (uint32_t i = 0; i < value->op->num_operands; i++)
    if (depends_on(w, nr_operand(value->op, i), arg)) return true;
  return false;
}

bool nr_lanes_wants_vector(const NrLanes *l, NrOp *op, uint32_t i) {
  While w = describe(op);
  NrValue *arg = w.before->args[i];
  if (!can_freeze(l, &w)) return false;
  for (uint32_t k = 0; k < op->num_results; k++)
    if (nr_value_has_uses(nr_result(op, k)) && passed_on(&w, k) == arg) return true;
  return depends_on(&w, nr_scf_condition_condition(w.before->last), arg);
}

/* Whether the value is what argument i of `before` has in the next iteration: itself plus 1, from 0 on. */
static bool counts_iterations(const While *w, const NrValue *value, uint32_t i) {
  int64_t first, by;
  if (!nr_op_is(value->op, NR_OP_arith_addi) || nr_operand(w->after->last, i) != value) return false;
  const NrValue *before = nr_op_lhs(value->op);
  if (before->block != w->after || passed_on(w, before->index) != w->before->args[i]) return false;
  return nr_value_constant_int(nr_operand(w->op, i), &first) && first == 0 &&
         nr_value_constant_int(nr_op_rhs(value->op), &by) && by == 1;
}

/* How many iterations lie between two polls by this op, if it polls whenever the number of the loop's iterations is a
 * multiple of a power of two, as insert-loop-polls writes it; else 0. */
static int64_t polls_every(const While *w, const NrOp *poll) {
  const NrOp *cmp = nr_scf_if_condition(poll)->op, *rest = nr_op_is(cmp, NR_OP_arith_cmpi) ? nr_op_lhs(cmp)->op : NULL;
  int64_t zero, low;
  if (!nr_op_is(rest, NR_OP_arith_andi) || nr_cmpi_of(cmp) != NR_CMPI_EQ) return 0;
  if (!nr_value_constant_int(nr_op_rhs(cmp), &zero) || zero != 0) return 0;
  if (!nr_value_constant_int(nr_op_rhs(rest), &low) || low < 0 || low >= MOST_TRIPS || (low & (low + 1))) return 0;
  for (uint32_t i = 0; i < w->before->num_args; i++)
    if (counts_iterations(w, nr_op_lhs(rest), i)) return low + 1;
  return 0;
}

/* An scf.if that only polls, under a uniform condition. */
static bool is_poll(const NrLanes *l, const While *w, const NrOp *op) {
  if (!nr_op_is(op, NR_OP_scf_if) || op->num_results || nr_scf_if_else_body(op)) return false;
  if (nr_lanes_varies(l, nr_scf_if_condition(op))) return false;
  const NrBlock *block = nr_scf_if_then_body(op);
  for (NrOp *inner = block->first; inner != block->last; inner = inner->next)
    if (!nr_op_is(inner, NR_OP_rt_poll) || !nr_value_is_outside(nr_rt_poll_iterations(inner), w->op)) return false;
  return true;
}

static bool varies(const NrLanes *l, const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_lanes_varies(l, nr_operand(op, i))) return true;
  return false;
}

/* Whether the op has no effect when no lane is active, and no branch. */
static bool is_harmless(const NrLanes *l, const While *w, NrOp *op) {
  bool is_access = nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store);
  if (is_access) return varies(l, op);
  if (nr_op_is(op, NR_OP_scf_if))
    return is_poll(l, w, op) || (varies(l, op) && nr_lanes_is_predicated(op));
  return !op->num_regions && nr_op_is_pure(op) && (varies(l, op) || nr_op_is_speculatable(op));
}

static bool can_be_eager(const NrLanes *l, const While *w) {
  for (NrOp *op = w->after->first; op != w->after->last; op = op->next)
    if (!is_harmless(l, w, op)) return false;
  return true;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* What a divergent loop has behind the values of the program: in the first form, the varying arguments of `before` at
 * the start of the iteration (in `after` only); else the mask (at the entry) and the results. In both, `after` has the
 * active lanes as the first of them. */
static bool has_rest(const While *w, uint32_t i) {
  return w->diverges && !w->freezes && nr_value_has_uses(nr_result(w->op, i));
}

static void open_while(NrLanes *l, While *w, NrValue *mask) {
  for (uint32_t i = 0; i < w->before->num_args; i++)
    nr_vec_push(&w->inits, nr_lanes_form(l, nr_operand(w->op, i), w->before->args[i]));
  for (uint32_t i = 0; i < w->after->num_args; i++) nr_vec_push(&w->types, nr_lanes_form_type(l, w->after->args[i]));
  if (w->diverges) nr_vec_push(&w->types, nr_lanes_type(l, nr_type_i1(l->b.ctx)));
  if (w->diverges && !w->freezes) nr_vec_push(&w->inits, nr_lanes_pack(l, mask ? mask : nr_lanes_all(l)));
  for (uint32_t i = 0; i < w->op->num_results; i++) {
    if (!has_rest(w, i)) continue;
    nr_vec_push(&w->inits, nr_lanes_zeros(l, nr_result(w->op, i)->type));
    nr_vec_push(&w->types, nr_lanes_type(l, nr_result(w->op, i)->type));
  }
  for (uint32_t i = 0; w->freezes && i < w->before->num_args; i++)
    if (nr_lanes_varies(l, w->before->args[i]))
      nr_vec_push(&w->types, nr_lanes_form_type(l, w->before->args[i]));
  w->made = nr_scf_while(&l->b, w->inits.data, w->inits.size, w->types.data, w->types.size);
}

static void fill_before(NrLanes *l, While *w, NrValue *mask) {
  NrBlock *block = nr_scf_while_before_body(w->made);
  uint32_t count = w->before->num_args, at = count + 1;
  for (uint32_t i = 0; i < count; i++) nr_lanes_set(l, w->before->args[i], block->args[i]);
  l->b = nr_scf_body_builder(block);
  bool carries_mask = w->diverges && !w->freezes;
  NrValue *active = carries_mask ? nr_lanes_unpack(l, block->args[count]) : mask;
  nr_lanes_emit_block(l, w->before, active);
  for (uint32_t i = 0; i < w->after->num_args; i++)
    nr_vec_push(&w->passed, nr_lanes_form(l, passed_on(w, i), w->after->args[i]));
  NrValue *cond = nr_lanes_value(l, nr_scf_condition_condition(w->before->last));
  if (w->diverges) nr_vec_push(&w->passed, cond = nr_lanes_where(l, active, cond));
  for (uint32_t i = 0; i < w->op->num_results; i++)
    if (has_rest(w, i))
      nr_vec_push(&w->passed, nr_lanes_blend(l, active, nr_lanes_vector(l, passed_on(w, i)), block->args[at++]));
  for (uint32_t i = 0; w->freezes && i < count; i++)
    if (nr_lanes_varies(l, w->before->args[i])) nr_vec_push(&w->passed, block->args[i]);
  nr_scf_condition(&l->b, w->diverges ? nr_lanes_any(l, cond) : cond, w->passed.data, w->passed.size);
}

static void fill_after(NrLanes *l, While *w, NrValue *mask) {
  NrBlock *block = nr_scf_while_after_body(w->made);
  uint32_t count = w->after->num_args, rest = count + 1, old = rest;
  for (uint32_t i = 0; i < count; i++) nr_lanes_set(l, w->after->args[i], block->args[i]);
  l->b = nr_scf_body_builder(block);
  NrValue *active = w->diverges ? block->args[count] : mask;
  nr_lanes_emit_block(l, w->after, active);
  for (uint32_t i = 0; i < w->before->num_args; i++) {
    NrValue *next = nr_lanes_form(l, nr_operand(w->after->last, i), w->before->args[i]);
    bool blends = w->freezes && nr_lanes_varies(l, w->before->args[i]);
    if (blends) next = nr_lanes_blend(l, active, next, block->args[old++]);
    nr_vec_push(&w->yielded, next);
  }
  if (w->diverges && !w->freezes) nr_vec_push(&w->yielded, nr_lanes_pack(l, active));
  for (uint32_t i = 0; i < w->op->num_results; i++)
    if (has_rest(w, i)) nr_vec_push(&w->yielded, block->args[rest++]);
  nr_scf_yield(&l->b, w->yielded.data, w->yielded.size);
}

/* ---- the loop with its body in front of the test ----------------------------------------------------------------- */

/* Whether result i is passed on beside the arguments. One that is an argument of `before` is not: when no lane is
 * active any more, the next value of each argument is the one it has. */
static bool passes_result(const NrLanes *l, const While *w, uint32_t i) {
  const NrValue *value = passed_on(w, i);
  return nr_value_has_uses(nr_result(w->op, i)) && (value->block != w->before || !nr_lanes_varies(l, value));
}

/* The copies of the body's ops but for the polls. */
static void emit_body(NrLanes *l, While *w, NrValue *active) {
  for (uint32_t i = 0; i < w->after->num_args; i++)
    nr_map_set(&l->values, w->after->args[i], nr_lanes_form(l, passed_on(w, i), w->after->args[i]));
  for (NrOp *op = w->after->first; op != w->after->last; op = op->next)
    if (!is_poll(l, w, op)) nr_lanes_emit_op(l, op, active);
}

/* What the tests pass on: the next values of the arguments, the results, the conditions of polls other than those that
 * the end of the inner loop stands for, and whether a lane is active. Returns whether the inner loop must end. */
static NrValue *pass_on(NrLanes *l, While *w, NrBlock *block, NrValue *active, NrValue *due) {
  for (uint32_t i = 0; i < w->before->num_args; i++) {
    NrValue *next = nr_lanes_form(l, nr_operand(w->after->last, i), w->before->args[i]);
    bool blends = nr_lanes_varies(l, w->before->args[i]);
    nr_vec_push(&w->passed, blends ? nr_lanes_blend(l, active, next, block->args[i]) : next);
  }
  for (uint32_t i = 0; i < w->op->num_results; i++)
    if (passes_result(l, w, i)) nr_vec_push(&w->passed, nr_lanes_vector(l, passed_on(w, i)));
  for (NrOp *op = w->after->first; op != w->after->last; op = op->next) {
    if (!is_poll(l, w, op) || w->every) continue;
    NrValue *one = nr_lanes_value(l, nr_scf_if_condition(op));
    nr_vec_push(&w->passed, one);
    due = nr_arith_binary(&l->b, NR_OP_arith_ori, due, one);
  }
  nr_vec_push(&w->passed, nr_lanes_any(l, active));
  return due;
}

/* A loop of a limited number of iterations, which is one block of machine code. Its results are what pass_on lists. */
static NrOp *emit_inner(NrLanes *l, While *w, NrBlock *from, NrValue *mask) {
  uint32_t count = (uint32_t)w->inits.size;
  NrType index = nr_type_index(l->b.ctx);
  NR_VEC(NrValue *) inits = {0};
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&inits, from->args[i]);
  nr_vec_push(&inits, nr_arith_constant_index(&l->b, 1));
  nr_vec_push(&w->types, index);
  NrOp *made = nr_scf_while(&l->b, inits.data, inits.size, w->types.data, w->types.size);
  int64_t most = w->every ? w->every : MOST_TRIPS;
  nr_op_set_attr(made, NR_A_noria_most_trips, nr_attr_i64(l->b.ctx, most));
  NrBlock *before = nr_scf_while_before_body(made), *after = nr_scf_while_after_body(made);
  for (uint32_t i = 0; i < count; i++) nr_lanes_set(l, w->before->args[i], before->args[i]);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(before);
  nr_lanes_emit_block(l, w->before, mask);
  NrValue *active = nr_lanes_where(l, mask, nr_lanes_value(l, nr_scf_condition_condition(w->before->last)));
  emit_body(l, w, active);
  NrValue *trips = before->args[count];
  NrValue *due = nr_arith_cmpi(&l->b, NR_CMPI_EQ, trips, nr_arith_constant_index(&l->b, most));
  due = pass_on(l, w, before, active, due);
  nr_vec_push(&w->passed, nr_arith_binary(&l->b, NR_OP_arith_addi, trips, nr_arith_constant_index(&l->b, 1)));
  NrValue *never = nr_arith_constant(&l->b, nr_attr_bool(l->b.ctx, false));
  NrValue *any = w->passed.data[w->passed.size - 2];
  nr_scf_condition(&l->b, nr_arith_select(&l->b, due, never, any), w->passed.data, w->passed.size);
  l->b = nr_scf_body_builder(after);
  inits.size = 0;
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&inits, after->args[i]);
  nr_vec_push(&inits, after->args[after->num_args - 1]);
  nr_scf_yield(&l->b, inits.data, inits.size);
  nr_vec_deinit(&inits);
  l->b = outer;
  return made;
}

/* Polls where the inner loop has stopped for it. conditions: of the polls, in order. The one poll that is due after
 * every w->every iterations needs none: here, with a lane active, the inner loop has run so many. */
static void emit_polls(NrLanes *l, While *w, NrValue *const *conditions) {
  size_t at = 0;
  for (NrOp *op = w->after->first; op != w->after->last; op = op->next) {
    if (!is_poll(l, w, op)) continue;
    if (w->every) {
      nr_lanes_emit_block(l, nr_scf_if_then_body(op), NULL);
      continue;
    }
    NrValue *condition = nr_scf_if_condition(op), *copy = nr_lanes_value(l, condition);
    nr_map_set(&l->values, condition, conditions[at++]);
    nr_lanes_emit_op(l, op, NULL);
    nr_map_set(&l->values, condition, copy); /* it may be used behind the loop */
  }
}

/* The number of polls in the body. Sets w->every. */
static uint32_t find_polls(NrLanes *l, While *w) {
  uint32_t count = 0;
  for (NrOp *op = w->after->first; op != w->after->last; op = op->next) {
    if (!is_poll(l, w, op)) continue;
    w->every = count++ ? 0 : polls_every(w, op);
  }
  return w->every ? 0 : count;
}

/* Two loops: the inner one leaves when no lane is active, or a poll is due, which is in the outer one. */
static void emit_eager(NrLanes *l, While *w, NrValue *mask) {
  NrType i1 = nr_type_i1(l->b.ctx);
  for (uint32_t i = 0; i < w->before->num_args; i++)
    nr_vec_push(&w->inits, nr_lanes_form(l, nr_operand(w->op, i), w->before->args[i]));
  uint32_t count = (uint32_t)w->inits.size, polls = find_polls(l, w);
  for (uint32_t i = 0; i < count; i++) nr_vec_push(&w->types, w->inits.data[i]->type);
  for (uint32_t i = 0; i < w->op->num_results; i++)
    if (passes_result(l, w, i)) nr_vec_push(&w->types, nr_lanes_type(l, nr_result(w->op, i)->type));
  uint32_t first_poll = (uint32_t)w->types.size;
  for (uint32_t i = 0; i < polls + 1; i++) nr_vec_push(&w->types, i1);
  w->made = nr_scf_while(&l->b, w->inits.data, count, w->types.data, w->types.size);
  NrBlock *before = nr_scf_while_before_body(w->made), *after = nr_scf_while_after_body(w->made);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(before);
  NrOp *inner = emit_inner(l, w, before, mask);
  w->passed.size = 0;
  for (uint32_t i = 0; i + 1 < inner->num_results; i++) nr_vec_push(&w->passed, nr_result(inner, i));
  nr_scf_condition(&l->b, w->passed.data[w->passed.size - 1], w->passed.data, w->passed.size);
  l->b = nr_scf_body_builder(after);
  emit_polls(l, w, after->args + first_poll);
  nr_scf_yield(&l->b, after->args, count);
  l->b = outer;
  for (uint32_t i = 0, at = count; i < w->op->num_results; i++) {
    NrValue *from = passed_on(w, i), *result = nr_result(w->op, i);
    if (passes_result(l, w, i)) nr_lanes_set(l, result, nr_result(w->made, at++));
    else if (nr_value_has_uses(result)) nr_lanes_set(l, result, nr_result(w->made, from->index));
  }
}

static void emit_lazy(NrLanes *l, While *w, NrValue *mask) {
  open_while(l, w, mask);
  NrBuilder outer = l->b;
  fill_before(l, w, mask);
  fill_after(l, w, mask);
  l->b = outer;
  uint32_t at = w->after->num_args + 1;
  for (uint32_t i = 0; i < w->op->num_results; i++) {
    if (has_rest(w, i)) nr_lanes_set(l, nr_result(w->op, i), nr_result(w->made, at++));
    else if (!w->diverges || w->freezes) nr_lanes_set(l, nr_result(w->op, i), nr_result(w->made, i));
  }
}

void nr_lanes_emit_while(NrLanes *l, NrOp *op, NrValue *mask) {
  While w = describe(op);
  w.diverges = nr_lanes_diverges(l, op);
  w.freezes = can_freeze(l, &w);
  if (w.freezes && can_be_eager(l, &w)) emit_eager(l, &w, mask);
  else emit_lazy(l, &w, mask);
  nr_vec_deinit(&w.inits);
  nr_vec_deinit(&w.passed);
  nr_vec_deinit(&w.yielded);
  nr_vec_deinit(&w.types);
}
