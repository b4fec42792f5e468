/* while_to_for.c - converts counting scf.while to scf.for.
 *
 *   before  %r:2 = scf.while (%i = %lb, %a = %x) {      after  %r = scf.for %i = %lb to %ub step %c2
 *             %c = arith.cmpi slt, %i, %ub : index               iter_args(%a = %x) -> (f32) {
 *             scf.condition(%c) %i, %a                         %v = f(%i, %a)
 *           } do {                                             scf.yield %v : f32
 *           ^bb0(%i: index, %a: f32):                        }
 *             %v = f(%i, %a)
 *             %n = arith.addi %i, %c2 : index
 *             scf.yield %n, %v
 *           }
 *
 * The step is a positive constant, and %n is known not to overflow before the loop ends: the step is 1, or the type has
 * enough values past the bound, or the bound is the size of a dim, or the sum is marked nsw (nuw for an unsigned
 * comparison), or %n is the bound where the sum would overflow, as for-to-while builds it. Otherwise the while might
 * continue where the for ends. Loops that count down become loops over the distance from %lb. Other ops before the
 * condition, at most MAX_COPIED, run at the start of each iteration and once more after the loop. The counter stays a
 * carried value if its last value is used.
 *
 * Loops whose work precedes the condition, which compares %n, run at least once (do_while_to_for.c). */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/loop/counted.h"
#include "pass/core/pass.h"
#include "pass/analysis/ranges.h"
#include "pass/core/rewrite.h"

enum { MAX_COPIED = 16 };

typedef NrCounted Counted;

NrValue *nr_counted_compared(Counted *c) {
  NrOp *compare = nr_scf_condition_condition(c->condition)->op;
  if (!nr_op_is(compare, NR_OP_arith_cmpi) || compare->block != nr_scf_while_before_body(c->loop)) return NULL;
  NrValue *lhs = nr_arith_cmpi_lhs(compare), *rhs = nr_arith_cmpi_rhs(compare);
  bool swapped = nr_value_is_outside(lhs, c->loop);
  NrValue *compared = swapped ? rhs : lhs;
  c->bound = swapped ? lhs : rhs;
  if (!nr_value_is_outside(c->bound, c->loop) || nr_value_block(compared) != compare->block) return NULL;
  if (!nr_type_is_int_or_index(c->bound->type)) return NULL;
  if (nr_type_bits(c->bound->type) > 64 || nr_type_bits(c->bound->type) < 2) return NULL; /* i1 has no positive step */
  NrCmpI predicate = nr_cmpi_of(compare);
  c->is_unsigned = nr_cmpi_is_unsigned(predicate);
  switch (predicate) {
  case NR_CMPI_SLT: case NR_CMPI_ULT: break;
  case NR_CMPI_SLE: case NR_CMPI_ULE: c->inclusive = true; break;
  case NR_CMPI_SGT: case NR_CMPI_UGT: c->down = true; break;
  case NR_CMPI_SGE: case NR_CMPI_UGE: c->down = c->inclusive = true; break;
  default: return NULL;
  }
  if (swapped) c->down = !c->down;
  return compared;
}

/* Whether value is the counter, as passed to `after`. */
static bool is_counter_after(const Counted *c, const NrValue *value) {
  return value->block == nr_scf_while_after_body(c->loop) && nr_counted_handed(c, value->index) == c->counter;
}

bool nr_counted_set_step(Counted *c, int64_t added) {
  if (added == INT64_MIN) return false;
  c->step = c->down ? -added : added;
  return c->step > 0;
}

/* The sum of a `next` that is select(sum overflows, bound, sum), the form that for-to-while gives a step that may
 * overflow; otherwise NULL. */
static NrOp *sum_up_to_bound(const Counted *c, NrOp *next) {
  if (!nr_op_is(next, NR_OP_arith_select) || nr_arith_select_true_value(next) != c->bound) return NULL;
  if (c->down || c->inclusive) return NULL;
  NrOp *wraps = nr_arith_select_condition(next)->op, *sum = nr_arith_select_false_value(next)->op;
  if (!nr_op_is(wraps, NR_OP_arith_cmpi) || !nr_op_is(sum, NR_OP_arith_addi)) return NULL;
  if (nr_cmpi_of(wraps) != (c->is_unsigned ? NR_CMPI_ULT : NR_CMPI_SLT)) return NULL;
  if (nr_arith_cmpi_lhs(wraps) != nr_op_result(sum) || !is_counter_after(c, nr_arith_cmpi_rhs(wraps))) return NULL;
  return is_counter_after(c, nr_arith_addi_lhs(sum)) ? sum : NULL;
}

static bool match_step(Counted *c) {
  NrOp *next = nr_operand(c->yield, c->counter->index)->op, *clamped = sum_up_to_bound(c, next);
  NrOp *sum = c->sum = clamped ? clamped : next;
  bool adds = nr_op_is(sum, NR_OP_arith_addi), subtracts = nr_op_is(sum, NR_OP_arith_subi);
  if ((!adds && !subtracts) || sum->block != nr_scf_while_after_body(c->loop)) return false;
  bool swapped = adds && !is_counter_after(c, nr_op_lhs(sum));
  if (!is_counter_after(c, swapped ? nr_op_rhs(sum) : nr_op_lhs(sum))) return false;
  c->clamped = clamped != NULL;
  NrValue *step = swapped ? nr_op_lhs(sum) : nr_op_rhs(sum);
  int64_t constant;
  if (nr_value_constant_int(step, &constant))
    return constant != INT64_MIN && nr_counted_set_step(c, adds ? constant : -constant);
  c->any_step = step;
  return clamped && nr_value_is_outside(step, c->loop) && nr_range_of(step).min > 0;
}

void nr_counted_limits(const Counted *c, int64_t *min, int64_t *max) {
  uint32_t bits = nr_type_bits(c->counter->type);
  uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  *max = (int64_t)(c->is_unsigned ? mask : mask >> 1);
  *min = c->is_unsigned ? 0 : -*max - 1;
}

/* The number of values between the bound and the end of the type in the counter's direction; false when the bound is
 * not constant. */
static bool room_behind_bound(const Counted *c, uint64_t *out) {
  int64_t bound, min, max;
  uint32_t bits = nr_type_bits(c->bound->type);
  if (!nr_value_constant_int(c->bound, &bound)) return false;
  if (c->is_unsigned && bits < 64) bound &= (int64_t)((UINT64_C(1) << bits) - 1);
  nr_counted_limits(c, &min, &max);
  *out = c->down ? (uint64_t)bound - (uint64_t)min : (uint64_t)max - (uint64_t)bound;
  return true;
}

static bool is_dim(const NrValue *value) {
  return nr_op_is(value->op, NR_OP_memref_dim) || nr_op_is(value->op, NR_OP_tensor_dim);
}

bool nr_counted_is_marked(const Counted *c) {
  /* adding -1 always wraps as an unsigned sum, so nuw cannot be meant */
  bool adds_down = c->is_unsigned && c->down && nr_op_is(c->sum, NR_OP_arith_addi);
  return !adds_down && nr_arith_overflow_has(c->sum, c->is_unsigned ? "nuw" : "nsw");
}

bool nr_counted_never_wraps(const Counted *c) {
  if (c->clamped) return true;
  uint64_t room, needed = (uint64_t)c->step - (c->inclusive ? 0 : 1);
  if (needed == 0) return true;
  if (room_behind_bound(c, &room)) return needed <= room;
  if (is_dim(c->bound) && !c->down) return needed <= INT32_MAX; /* sizes are far below 2^62 */
  if (c->inclusive) return false; /* the bound may be the last value of the type, where the next one wraps */
  return nr_counted_is_marked(c);
}

/* Whether the ops before the condition are few and simple enough to be copied. */
static bool may_copy_before(const Counted *c) {
  size_t count = 0;
  for (NrOp *op = nr_scf_while_before_body(c->loop)->first; op != c->condition; op = op->next)
    if (op->num_regions || nr_op_has(op, NR_ALLOCATES) || ++count > MAX_COPIED) return false;
  return true;
}

static bool match(Counted *c) {
  NrValue *compared = nr_counted_compared(c);
  if (!compared || compared->op) return false;
  c->counter = compared;
  if (!match_step(c) || !nr_counted_never_wraps(c) || !may_copy_before(c)) return false;
  c->from = nr_operand(c->loop, c->counter->index);
  return true;
}

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

void nr_counted_build_range(const Counted *c, NrBuilder *b, bool at_least_once, NrValue **range) {
  NrType type = c->counter->type;
  NrValue *bound = c->bound, *one = c->inclusive || at_least_once ? nr_arith_constant_int(b, type, 1) : NULL;
  range[2] = c->any_step ? c->any_step : nr_arith_constant_int(b, type, c->step);
  if (c->inclusive) bound = nr_arith_binary(b, c->down ? NR_OP_arith_subi : NR_OP_arith_addi, bound, one);
  range[0] = c->down ? nr_arith_constant_int(b, type, 0) : c->from;
  range[1] = c->down ? nr_arith_binary(b, NR_OP_arith_subi, c->from, bound) : bound;
  if (!c->down && !at_least_once) return;
  NrValue *fallback = !at_least_once ? range[0] : c->down ? one : nr_arith_binary(b, NR_OP_arith_addi, c->from, one);
  NrCmpI ahead = c->down ? (c->is_unsigned ? NR_CMPI_UGT : NR_CMPI_SGT) : c->is_unsigned ? NR_CMPI_ULT : NR_CMPI_SLT;
  range[1] = nr_arith_select(b, nr_arith_cmpi(b, ahead, c->from, bound), range[1], fallback);
}

/* Copies the ops before the condition to after the loop, applied to its results; they compute the while's results. */
static void finish_behind(const Counted *c, NrOp *loop) {
  NrBlock *before = nr_scf_while_before_body(c->loop);
  NrMap map = {0};
  for (uint32_t i = 0; i < before->num_args; i++) nr_map_set(&map, before->args[i], nr_result(loop, i));
  NrOpList copies = {0};
  for (NrOp *op = before->first; op != c->condition; op = op->next) {
    NrOp *copy = nr_op_clone(op->module, op, &map);
    nr_op_insert_before(copy, c->loop);
    nr_vec_push(&copies, copy);
  }
  for (uint32_t i = 0; i < c->loop->num_results; i++) {
    NrValue *handed = nr_counted_handed(c, i), *copy = nr_map_get(&map, handed);
    nr_value_replace_uses(nr_result(c->loop, i), copy ? copy : handed);
  }
  for (size_t i = copies.size; i-- > 0;)
    if (nr_op_is_dead(copies.data[i])) nr_op_erase(copies.data[i]); /* usually the comparison */
  nr_vec_deinit(&copies);
  nr_map_deinit(&map);
}

void nr_counted_move_body(const Counted *c, NrOp *loop) {
  NrBlock *before = nr_scf_while_before_body(c->loop), *after = nr_scf_while_after_body(c->loop);
  NrBlock *body = nr_scf_for_body(loop);
  NrValue *iv = nr_scf_for_iv(loop);
  iv->name = c->counter->name;
  if (c->down) {
    NrBuilder b = nr_scf_body_builder(nr_op_only_body(loop));
    iv = nr_arith_binary(&b, NR_OP_arith_subi, c->from, iv);
  }
  for (uint32_t i = 0; i < before->num_args; i++) {
    NrValue *arg = nr_scf_for_arg(loop, i);
    arg->name = before->args[i]->name;
    nr_value_replace_uses(before->args[i], before->args[i] == c->counter ? iv : arg);
  }
  for (uint32_t i = 0; i < after->num_args; i++)
    nr_value_replace_uses(after->args[i], nr_counted_handed(c, i));
  nr_erase_with_operands(c->condition);
  nr_block_splice(before, body, NULL);
  nr_block_splice(after, body, NULL);
  nr_op_erase(c->loop);
}

static void convert(const Counted *c) {
  NrOp *op = c->loop;
  NrBuilder b = nr_builder_before(op);
  NrValue *range[3];
  NR_VEC(NrValue *) inits = {0};
  nr_counted_build_range(c, &b, false, range);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&inits, nr_operand(op, i));
  NrOp *loop = nr_scf_for(&b, range[0], range[1], range[2], inits.data, inits.size);
  if (c->is_unsigned || c->down) nr_op_set_attr(loop, NR_A_unsignedCmp, nr_attr_unit(b.ctx));
  finish_behind(c, loop);

  uint32_t counter = c->counter->index;
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_result(loop, i)->name = nr_scf_while_before_body(op)->args[i]->name;
  nr_counted_move_body(c, loop);

  /* A counter that is unused after the loop need not be carried. */
  bool *drop = nr_calloc(inits.size + 1, sizeof *drop);
  drop[counter] = !nr_value_has_uses(nr_result(loop, counter));
  NrValue *next = nr_operand(nr_block_terminator(nr_scf_for_body(loop)), counter);
  if (drop[counter]) {
    nr_scf_for_drop_carried(loop, drop);
    nr_erase_if_dead(next->op);
  }
  nr_free(drop);
  nr_vec_deinit(&inits);
}

static void visit(NrOp *op) {
  Counted c = {.loop = op,
               .condition = nr_block_terminator(nr_scf_while_before_body(op)),
               .yield = nr_block_terminator(nr_scf_while_after_body(op))};
  if (!nr_op_is(c.condition, NR_OP_scf_condition) || !nr_op_is(c.yield, NR_OP_scf_yield)) return;
  Counted late = c;
  if (match(&c)) convert(&c);
  else nr_do_while_to_for(&late);
}

static NrStatus while_to_for_run(NrPassContext *pass, NrOp *root) {
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = ops.size; i-- > 0;) /* inner loops first */
    if (!nr_is_erased(ops.data[i]) && nr_op_is(ops.data[i], NR_OP_scf_while)) visit(ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

NR_PASS(while_to_for, .name = "while-to-for", .on_while = NR_WHILE_HANDLES, .run = while_to_for_run,
        .doc = "turns scf.while that counts into scf.for")
