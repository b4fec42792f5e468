/* plan.c - which values a function needs, and which stand where they are used. */
#include "codegen/c/c.h"
#include "dialect/memref/ops.h"

/* ---- which values are needed ------------------------------------------------------------------------------------- */

typedef NR_VEC(NrValue *) Values;

static void need(NrC *g, NrValue *value, Values *work) {
  if (nr_map_has(&g->live, value)) return;
  nr_map_set(&g->live, value, value);
  nr_vec_push(work, value);
}

static void need_operands(NrC *g, NrOp *op, Values *work) {
  if (nr_op_is(op, NR_OP_memref_reinterpret_cast)) { /* without gaps: strides and offset say nothing */
    NrGroup sizes = nr_memref_reinterpret_cast_sizes(op);
    need(g, nr_memref_reinterpret_cast_source(op), work);
    for (size_t i = 0; i < sizes.count; i++) need(g, nr_operand(op, sizes.begin + i), work);
    return;
  }
  for (size_t i = 0; i < nr_op_num_plain_operands(op); i++) need(g, nr_operand(op, i), work);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (NrOp *inner = b->first; inner; inner = inner->next) {
        need_operands(g, inner, work);
        for (uint32_t i = 0; i < inner->num_results; i++) need(g, nr_result(inner, i), work);
      }
}

/* What an op with effects, a branch's condition or a return reads, and what that is made of. */
void nr_c_find_live(NrC *g, NrRegion *region) {
  Values work = {0};
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next)
      if (op == b->last || !nr_op_only_reads(op)) need_operands(g, op, &work);
  while (work.size) {
    NrValue *value = nr_vec_pop(&work);
    if (value->op) need_operands(g, value->op, &work);
    for (NrSuccessor *s = value->block ? value->block->first_pred : NULL; s; s = s->next)
      need(g, nr_successor_operand(s->owner, (size_t)(s - s->owner->successors), value->index), &work);
  }
  nr_vec_deinit(&work);
}

/* ---- which values are written where they are used ---------------------------------------------------------------- */

/* The one op of the block that uses the value, and may hold its expression; NULL: there is none. */
static NrOp *only_user(const NrOp *op) {
  if (op->num_results != 1 || !nr_value_has_one_use(nr_op_result(op))) return NULL;
  NrOp *user = nr_op_result(op)->first_use->owner;
  bool keeps = nr_op_is(user, NR_OP_memref_reinterpret_cast) || nr_op_is(user, NR_OP_memref_reshape);
  return user->block == op->block && !keeps ? user : NULL;
}

static bool is_candidate(const NrC *g, const NrOp *op) {
  if (op->num_results != 1 || nr_op_result(op)->type->kind == NR_TYPE_VECTOR || !only_user(op)) return false;
  return (nr_op_has(op, NR_PURE) && !nr_op_is(op, NR_OP_arith_constant)) || nr_op_is(op, NR_OP_memref_load);
}

/* A load may be written later only where nothing is written in between. */
static bool stays_same(const NrC *g, const NrOp *load) {
  const NrOp *last = only_user(load);
  while (last && is_candidate(g, last)) last = only_user(last);
  for (NrOp *at = load->next; at && at != last; at = at->next)
    if (!nr_op_only_reads(at)) return false;
  return last != NULL;
}

void nr_c_plan_inlining(NrC *g, NrRegion *region) {
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next)
      if (is_candidate(g, op) && (!nr_op_is(op, NR_OP_memref_load) || stays_same(g, op)))
        nr_map_set(&g->may_inline, nr_op_result(op), op);
}

void nr_c_without_variable(NrC *g, NrRegion *region, NrMap *out) {
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next) {
      bool constant = nr_op_is(op, NR_OP_arith_constant) && nr_op_result(op)->type->kind != NR_TYPE_VECTOR;
      if (constant || (op->num_results == 1 && nr_map_has(&g->may_inline, nr_op_result(op))))
        nr_map_set(out, nr_op_result(op), op);
    }
}
