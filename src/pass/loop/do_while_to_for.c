/* do_while_to_for.c - the part of while-to-for for loops whose work precedes the condition.
 *
 *   before  %r:2 = scf.while (%i = %c0, %a = %x) {      after  %some = arith.cmpi slt, %c0, %ub : index
 *             %v = f(%i, %a)                                   %end = arith.select %some, %ub, %c1 : index
 *             %n = arith.addi %i, %c1 : index                  %r = scf.for %i = %c0 to %end step %c1
 *             %c = arith.cmpi slt, %n, %ub : index                  iter_args(%a = %x) -> (f32) {
 *             scf.condition(%c) %n, %v                           %v = f(%i, %a)
 *           } do {                                               scf.yield %v : f32
 *           ^bb0(%m: index, %b: f32):                          }
 *             scf.yield %m, %b
 *           }
 *
 * Such a loop runs at least once, so its new upper bound is at least one step above the lower one, and the first sum
 * must be known not to overflow. Ops after the condition run one more time, so they must be speculatable. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/loop/counted.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* Matches a compared sum that adds a constant to the counter and is the counter's next value. */
static bool match_sum(NrCounted *c, NrOp *sum) {
  NrBlock *before = nr_scf_while_before_body(c->loop), *after = nr_scf_while_after_body(c->loop);
  bool adds = nr_op_is(sum, NR_OP_arith_addi);
  int64_t constant;
  if (!adds && !nr_op_is(sum, NR_OP_arith_subi)) return false;
  bool swapped = adds && nr_op_lhs(sum)->block != before;
  NrValue *added = swapped ? nr_op_lhs(sum) : nr_op_rhs(sum);
  c->counter = swapped ? nr_op_rhs(sum) : nr_op_lhs(sum);
  if (c->counter->block != before || !nr_value_constant_int(added, &constant)) return false;
  c->sum = sum;
  c->from = nr_operand(c->loop, c->counter->index);
  NrValue *next = nr_operand(c->yield, c->counter->index);
  if (next->block != after || nr_counted_handed(c, next->index) != nr_op_result(sum)) return false;
  return constant != INT64_MIN && nr_counted_set_step(c, adds ? constant : -constant);
}

static bool first_sum_is_there(const NrCounted *c) {
  int64_t from, least, largest;
  uint32_t bits = nr_type_bits(c->counter->type);
  if (nr_counted_is_marked(c)) return true;
  if (!nr_value_constant_int(c->from, &from)) return false;
  if (c->is_unsigned && bits < 64) from &= (int64_t)((UINT64_C(1) << bits) - 1);
  nr_counted_limits(c, &least, &largest);
  uint64_t room = c->down ? (uint64_t)from - (uint64_t)least : (uint64_t)largest - (uint64_t)from;
  return (uint64_t)c->step <= room;
}

static bool may_run_once_more(NrBlock *after, NrOp *yield) {
  for (NrOp *op = after->first; op != yield; op = op->next)
    if (op->num_regions || !nr_op_is_speculatable(op)) return false;
  return true;
}

static NrValue *any_value(NrBuilder *b, NrType type) {
  return nr_build_value(b, NR_OP_ub_poison, type, NULL, 0);
}

/* The number of the carried value that equals result i of the while at its end; UINT32_MAX when there is none. */
static uint32_t carried_number(const NrCounted *c, uint32_t i) {
  NrValue *last = nr_counted_handed(c, i);
  for (uint32_t k = 0; k < c->yield->num_operands; k++) {
    NrValue *next = nr_operand(c->yield, k);
    if (next->block == nr_scf_while_after_body(c->loop) && nr_counted_handed(c, next->index) == last) return k;
  }
  return UINT32_MAX;
}

static void convert(const NrCounted *c) {
  NrOp *op = c->loop;
  NrBuilder b = nr_builder_before(op);
  NrValue *range[3];
  NR_VEC(NrValue *) inits = {0};
  NR_VEC(uint32_t) numbers = {0};
  nr_counted_build_range(c, &b, true, range);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&inits, nr_operand(op, i));
  /* results with uses that are not carried yet become carried values */
  for (uint32_t i = 0; i < op->num_results; i++) {
    uint32_t number = carried_number(c, i);
    bool more = number == UINT32_MAX && nr_value_has_uses(nr_result(op, i));
    if (more) number = (uint32_t)inits.size;
    nr_vec_push(&numbers, number);
    if (!more) continue;
    nr_vec_push(&inits, any_value(&b, nr_result(op, i)->type));
    nr_op_insert_operand(c->yield, c->yield->num_operands, nr_counted_handed(c, i));
  }
  NrOp *loop = nr_scf_for(&b, range[0], range[1], range[2], inits.data, inits.size);
  if (c->is_unsigned || c->down) nr_op_set_attr(loop, NR_A_unsignedCmp, nr_attr_unit(b.ctx));
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_value_has_uses(nr_result(op, i))) nr_value_replace_uses(nr_result(op, i), nr_result(loop, numbers.data[i]));
  nr_counted_move_body(c, loop);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&numbers);
}

bool nr_do_while_to_for(NrCounted *c) {
  NrValue *compared = nr_counted_compared(c);
  if (!compared || !compared->op || !match_sum(c, compared->op)) return false;
  if (!nr_counted_never_wraps(c) || !first_sum_is_there(c)) return false;
  if (!may_run_once_more(nr_scf_while_after_body(c->loop), c->yield)) return false;
  convert(c);
  return true;
}
