/* structure_exits.c - converts an scf.loop with break and continue to an scf.while without branches, for loops over
 * tensors, which need regions of one block.
 *   before  %r = scf.loop token(%l) iter_args(%a = %x)    after  %w:2 = scf.while (%a = %x) : (t) -> (t, u) {
 *                : t -> u {                                        %s:3 = scf.if %c -> (i1, t, u) {
 *             scf.if %c {                                            %v = g(%a)
 *               %v = g(%a)                                           scf.yield %false, %a, %v : i1, t, u
 *               scf.break [%l] %v : u                              } else {
 *             }                                                      %b = f(%a)
 *             %b = f(%a)                                             scf.yield %true, %b, %any : i1, t, u
 *             scf.continue [%l] %b : t                             }
 *           }                                                      scf.condition(%s#0) %s#1, %s#2 : t, u
 *                                                                } do { .. scf.yield .. }
 * The ops behind an op that may leave the loop move into the one region that continues. Where several regions continue,
 * the op yields a flag for it. Values that a path does not define are fillers, which are never used. */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "ir/region_flow.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef struct Structure {
  NrOp *loop;
  NrBlock *body; /* first block of the new loop; its arguments are the carried values */
} Structure;

/* What the regions of an op yield where several of them continue: a flag for continuing, the op's own results, and the
 * outcome of the iteration. NULL = the outcome alone: a flag for another iteration, carried values, results. */
typedef struct Frame {
  const NrType *own;
  size_t num_own;
} Frame;

/* Positions of the operands of the yields: with a frame, the flag comes first and the op's own results follow; without
 * one, the flag for another iteration comes first and the carried values follow. */
enum { CONTINUES, OWN };
enum { AGAIN, CARRIED };

typedef NR_VEC(NrValue *) Values;
typedef NR_VEC(NrType) Types;

/* ---- which loops ------------------------------------------------------------------------------------------------- */

static bool has_filler(NrType type) {
  NrType elem = nr_type_elem(type);
  if (nr_type_is_memref(type)) return false;
  return nr_type_is_int_or_index(elem) || nr_type_is_float(elem);
}

static bool may_stand_between(NrOp *op) {
  if (!nr_op_runs_one_region(op)) return false;
  for (uint32_t r = 0; r < op->num_regions; r++)
    if (op->regions[r].first != op->regions[r].last) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!has_filler(nr_result(op, i)->type)) return false;
  return true;
}

static bool can_structure(NrOp *loop) {
  for (uint32_t i = 0; i < loop->num_results; i++)
    if (!has_filler(nr_result(loop, i)->type)) return false;
  for (const NrUse *use = nr_block_arg(nr_scf_loop_body(loop), 0)->first_use; use; use = use->next)
    for (NrOp *up = nr_op_parent(use->owner); up != loop; up = nr_op_parent(up))
      if (!may_stand_between(up)) return false;
  return true;
}

static bool leaves_other(NrOp *op, void *user) {
  NrOp *loop = nr_scf_is_exit(op) ? nr_scf_exit_loop(op) : user;
  return nr_op_is_ancestor(user, loop);
}

static bool has_no_tensors(NrOp *op, void *user) {
  (void)user;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_tensor(nr_operand(op, i)->type)) return false;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_type_is_tensor(nr_result(op, i)->type)) return false;
  return true;
}

/* ---- what regions yield ------------------------------------------------------------------------------------------ */

static NrValue *filler(NrBuilder *b, NrType type) {
  NrType elem = nr_type_elem(type);
  if (nr_type_is_tensor(type)) {
    Values sizes = {0};
    for (uint32_t d = 0; d < type->rank; d++)
      if (type->dims[d] == NR_DYNAMIC) nr_vec_push(&sizes, nr_arith_constant_index(b, 0));
    NrOp *empty = nr_build_op(b, NR_OP_tensor_empty, sizes.data, sizes.size, &type, 1);
    nr_vec_deinit(&sizes);
    return nr_op_result(empty);
  }
  if (nr_type_is_float(elem)) return nr_arith_constant(b, nr_splat_attr(type, nr_attr_float(elem, 0)));
  return nr_arith_constant(b, nr_splat_int(type, 0));
}

static void outcome_types(const Structure *s, const Frame *frame, Types *out) {
  NrType flag = nr_type_i1(nr_op_context(s->loop));
  if (frame) {
    nr_vec_push(out, flag);
    for (size_t i = 0; i < frame->num_own; i++) nr_vec_push(out, frame->own[i]);
  }
  nr_vec_push(out, flag);
  for (uint32_t i = 0; i < s->loop->num_operands; i++) nr_vec_push(out, nr_operand(s->loop, i)->type);
  for (uint32_t i = 0; i < s->loop->num_results; i++) nr_vec_push(out, nr_result(s->loop, i)->type);
}

static NrValue *flag(NrBuilder *b, bool value) { return nr_arith_constant(b, nr_attr_bool(b->ctx, value)); }

/* Replaces the terminator of a region by a yield of the outcome: break, continue, or continuing behind the op. */
static void replace_terminator(const Structure *s, const Frame *frame, NrOp *last) {
  NrBuilder b = nr_builder_before(last);
  Values values = {0};
  bool breaks = nr_op_is(last, NR_OP_scf_break), continues = nr_op_is(last, NR_OP_scf_continue);
  if (frame) {
    nr_vec_push(&values, flag(&b, !breaks && !continues));
    for (size_t i = 0; i < frame->num_own; i++)
      nr_vec_push(&values, breaks || continues ? filler(&b, frame->own[i]) : nr_operand(last, i));
  }
  nr_vec_push(&values, flag(&b, continues));
  for (uint32_t i = 0; i < s->loop->num_operands; i++)
    nr_vec_push(&values, continues ? nr_operand(last, NR_SCF_EXIT_VALUES + i) : nr_block_arg(s->body, i));
  for (uint32_t i = 0; i < s->loop->num_results; i++)
    nr_vec_push(&values, breaks ? nr_operand(last, NR_SCF_EXIT_VALUES + i) : filler(&b, nr_result(s->loop, i)->type));
  nr_scf_yield(&b, values.data, values.size);
  nr_op_erase(last);
  nr_vec_deinit(&values);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool goes_on(const NrBlock *block) { return nr_op_is(block->last, NR_OP_scf_yield); }

/* Rebuilds op with other results; the old op, without regions, keeps its results until their uses are replaced. */
static NrOp *with_results(NrOp *op, const Types *types) {
  Values operands = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, nr_operand(op, i));
  NrOp *other = nr_op_rebuild(op, operands.data, operands.size, types->data, types->size);
  nr_vec_deinit(&operands);
  for (uint32_t r = 0; r < op->num_regions; r++) {
    if (nr_op_region(other, r)->first) continue;
    NrBlock *block = nr_block_create(op->module); /* a missing else region */
    nr_block_append(nr_op_region(other, r), block);
    NrBuilder inner = nr_builder_at_end(op->module, block, op->loc);
    nr_scf_yield(&inner, NULL, 0);
  }
  return other;
}

/* Moves the ops behind op, terminator included, to the end of a block. */
static void move_rest(NrOp *op, NrBlock *to) {
  while (op->next) {
    NrOp *moved = op->next;
    nr_op_unlink(moved);
    nr_op_append(to, moved);
  }
}

static void end_in_yield(const Structure *s, const Frame *frame, NrBlock *block);

/* At most one region continues: the following ops move there, or are never reached. */
static void continue_in_region(const Structure *s, const Frame *frame, NrBlock *block, NrOp *op, NrBlock *on) {
  if (on) {
    NrOp *yield = on->last;
    for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_operand(yield, i));
    nr_op_erase(yield);
    move_rest(op, on);
  } else {
    while (op->next) nr_op_erase(block->last);
  }
  Types types = {0};
  outcome_types(s, frame, &types);
  NrOp *other = with_results(op, &types);
  nr_vec_deinit(&types);
  nr_op_erase(op);
  for (uint32_t r = 0; r < other->num_regions; r++) end_in_yield(s, frame, nr_op_body(other, r));
  nr_scf_yield_results_of(block, &other, 1);
}

/* Several regions continue: the following ops move into an scf.if on the flag, behind op. */
static void continue_behind(const Structure *s, const Frame *frame, NrBlock *block, NrOp *op) {
  Types own = {0}, types = {0}, outer = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&own, nr_result(op, i)->type);
  Frame inner = {own.data, own.size};
  outcome_types(s, &inner, &types);
  NrOp *other = with_results(op, &types);
  for (uint32_t i = 0; i < op->num_results; i++) nr_value_replace_uses(nr_result(op, i), nr_result(other, OWN + i));
  NrBlock *rest = nr_block_create(op->module);
  move_rest(op, rest);
  nr_op_erase(op);
  for (uint32_t r = 0; r < other->num_regions; r++) end_in_yield(s, &inner, nr_op_body(other, r));
  outcome_types(s, frame, &outer);
  NrBuilder b = nr_builder_at_end(block->module, block, other->loc);
  NrOp *choice = nr_scf_if(&b, nr_result(other, CONTINUES), outer.data, outer.size, true);
  NrBuilder else_body = nr_scf_body_builder(nr_scf_if_else_body(choice));
  Values values = {0};
  if (frame) {
    nr_vec_push(&values, flag(&else_body, false));
    for (size_t i = 0; i < frame->num_own; i++) nr_vec_push(&values, filler(&else_body, frame->own[i]));
  }
  for (uint32_t i = OWN + (uint32_t)own.size; i < other->num_results; i++) nr_vec_push(&values, nr_result(other, i));
  nr_scf_yield(&else_body, values.data, values.size);
  nr_block_splice(rest, nr_scf_if_then_body(choice), NULL);
  end_in_yield(s, frame, nr_scf_if_then_body(choice));
  nr_scf_yield_results_of(block, &choice, 1);
  nr_vec_deinit(&values);
  nr_vec_deinit(&own);
  nr_vec_deinit(&types);
  nr_vec_deinit(&outer);
}

static bool leaves(NrOp *op, void *user) {
  const Structure *s = user;
  return !(nr_scf_is_exit(op) && nr_scf_exit_loop(op) == s->loop);
}

/* Makes the block end in a yield of the outcome. */
static void end_in_yield(const Structure *s, const Frame *frame, NrBlock *block) {
  NrOp *op = block->first;
  while (op != block->last && (!op->num_regions || nr_walk_pre(op, leaves, (void *)s))) op = op->next;
  if (op == block->last) {
    replace_terminator(s, frame, op);
    return;
  }
  NrBlock *on = NULL;
  size_t count = 0;
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrBlock *inner = nr_op_body(op, r);
    if (inner && !goes_on(inner)) continue;
    on = inner;
    count++;
  }
  if (count > 1) {
    continue_behind(s, frame, block, op);
    return;
  }
  if (count && !on) { /* a missing else region */
    on = nr_block_create(op->module);
    nr_block_append(nr_op_region(op, op->num_regions - 1), on);
    NrBuilder b = nr_builder_at_end(op->module, on, op->loc);
    nr_scf_yield(&b, NULL, 0);
  }
  continue_in_region(s, frame, block, op, on);
}

bool nr_structure_exits(NrOp *loop) {
  if (nr_walk_pre(loop, has_no_tensors, NULL) || !nr_walk_pre(loop, leaves_other, loop) || !can_structure(loop))
    return false;
  NrBuilder b = nr_builder_before(loop);
  NrBlock *body = nr_scf_loop_body(loop);
  Values inits = {0};
  Types types = {0};
  Structure s = {.loop = loop};
  for (uint32_t i = 0; i < loop->num_operands; i++) nr_vec_push(&inits, nr_operand(loop, i));
  outcome_types(&s, NULL, &types);
  NrOp *other = nr_scf_while(&b, inits.data, inits.size, types.data + CARRIED, types.size - CARRIED);
  s.body = nr_scf_while_before_body(other);
  for (uint32_t i = 0; i < loop->num_operands; i++) {
    s.body->args[i]->name = body->args[i + 1]->name;
    nr_value_replace_uses(body->args[i + 1], s.body->args[i]);
  }
  end_in_yield(&s, NULL, body);
  nr_block_splice(body, s.body, NULL);
  NrOp *yield = s.body->last;
  b = nr_builder_before(yield);
  Values out = {0};
  for (uint32_t i = CARRIED; i < yield->num_operands; i++) nr_vec_push(&out, nr_operand(yield, i));
  nr_scf_condition(&b, nr_operand(yield, AGAIN), out.data, out.size);
  nr_op_erase(yield);
  b = nr_scf_body_builder(nr_scf_while_after_body(other));
  nr_scf_yield(&b, nr_scf_while_after_body(other)->args, loop->num_operands);
  for (uint32_t i = 0; i < loop->num_results; i++)
    nr_value_replace_uses(nr_result(loop, i), nr_result(other, loop->num_operands + i));
  nr_op_erase(loop);
  nr_vec_deinit(&inits);
  nr_vec_deinit(&types);
  nr_vec_deinit(&out);
  return true;
}
