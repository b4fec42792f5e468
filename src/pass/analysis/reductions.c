/* reductions.c - matches reductions; see reductions.h. */
#include "pass/analysis/reductions.h"

#include "dialect/arith/arith.h"
#include "pass/loop/parallel.h"

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The arith op for a select on a comparison of its operands: a minimum or maximum. 0 when it is neither. */
static unsigned selected_extreme(const NrOp *select, const NrOp *compare) {
  const NrValue *x = nr_arith_cmpi_lhs(compare), *y = nr_arith_cmpi_rhs(compare);
  const NrValue *chosen = nr_arith_select_true_value(select), *other = nr_arith_select_false_value(select);
  bool straight = chosen == x && other == y, crossed = chosen == y && other == x;
  if (straight == crossed) return 0;
  switch (nr_cmpi_of(compare)) {
  case NR_CMPI_SLT:
  case NR_CMPI_SLE: return straight ? NR_OP_arith_minsi : NR_OP_arith_maxsi;
  case NR_CMPI_SGT:
  case NR_CMPI_SGE: return straight ? NR_OP_arith_maxsi : NR_OP_arith_minsi;
  case NR_CMPI_ULT:
  case NR_CMPI_ULE: return straight ? NR_OP_arith_minui : NR_OP_arith_maxui;
  case NR_CMPI_UGT:
  case NR_CMPI_UGE: return straight ? NR_OP_arith_maxui : NR_OP_arith_minui;
  default: return 0;
  }
}

/* Matches a running value whose only uses are a comparison and the select on it. */
static bool selection_step(const NrValue *running, NrReductionStep *out) {
  const NrUse *first = running->first_use, *second = first->next;
  if (!second || second->next) return false;
  bool swapped = nr_op_is(first->owner, NR_OP_arith_select);
  NrOp *select = swapped ? first->owner : second->owner, *compare = swapped ? second->owner : first->owner;
  if (!nr_op_is(select, NR_OP_arith_select) || !nr_op_is(compare, NR_OP_arith_cmpi)) return false;
  NrValue *holds = nr_op_result(compare), *chosen = nr_arith_select_true_value(select);
  if (nr_arith_select_condition(select) != holds || !nr_value_has_one_use(holds)) return false;
  if (!nr_type_is_scalar(running->type)) return false;
  *out = (NrReductionStep){.op = select, .compare = compare, .combine = selected_extreme(select, compare)};
  out->term = chosen == running ? nr_arith_select_false_value(select) : chosen;
  return out->combine != 0;
}

static bool step_of(const NrValue *running, NrReductionStep *out) {
  if (!running->first_use) return false;
  if (!nr_value_has_one_use(running)) return selection_step(running, out);
  NrOp *op = running->first_use->owner;
  if (op->num_operands != 2 || op->num_results != 1) return false;
  size_t other = !nr_use_index(running->first_use);
  *out = (NrReductionStep){.op = op, .combine = op->info->id, .term = nr_operand(op, other)};
  if (nr_op_is(op, NR_OP_arith_subi) && other == NR_ARITH_SUBI_RHS) {
    out->combine = NR_OP_arith_addi;
    out->negated = true;
    return nr_type_is_scalar(running->type) && !nr_op_attr(op, NR_A_overflowFlags);
  }
  return nr_reduction_op_is_exact(op);
}

/* Whether both combine by the same op, with the same fast-math flags. */
static bool same_kind(const NrReductionStep *a, const NrReductionStep *b) {
  if (a->combine != b->combine) return false;
  return nr_op_attr(a->op, NR_A_fastmath) == nr_op_attr(b->op, NR_A_fastmath);
}

bool nr_reduction_between(NrValue *from, NrOp *to, uint32_t operand, NrReduction *out) {
  NrValue *at = from;
  *out = (NrReduction){0};
  for (NrReductionStep step; !(nr_value_has_one_use(at) && at->first_use->owner == to);) {
    bool is_step = step_of(at, &step) && step.op->block == to->block;
    if (!is_step || (step.compare && step.compare->block != to->block)) return false;
    if (out->steps.size && !same_kind(&step, &out->steps.data[0])) return false;
    nr_vec_push(&out->steps, step);
    at = nr_op_result(step.op);
  }
  return nr_use_index(at->first_use) == operand && out->steps.size > 0;
}

bool nr_reduction_of(NrOp *loop, uint32_t i, NrReduction *out) {
  NrBlock *body = nr_op_only_body(loop);
  return nr_reduction_between(nr_block_arg(body, 1 + i), body->last, i, out);
}

bool nr_only_reduces(NrOp *loop) {
  bool all = true;
  for (uint32_t i = 0; i < loop->num_results && all; i++) {
    NrReduction r;
    all = nr_reduction_of(loop, i, &r);
    nr_vec_deinit(&r.steps);
  }
  return all;
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

NrValue *nr_reduction_combine(NrBuilder *b, const NrReduction *r, NrValue *lhs, NrValue *rhs) {
  const NrOp *like = r->steps.data[0].op;
  NrValue *both = nr_arith_binary(b, r->steps.data[0].combine, lhs, rhs);
  if (nr_op_attr(like, NR_A_fastmath) && both->op)
    nr_op_set_attr(both->op, NR_A_fastmath, nr_op_attr(like, NR_A_fastmath));
  return both;
}

static NrValue *term_of(const NrReductionStep *step) {
  NrBuilder b = nr_builder_before(step->op);
  if (!step->negated) return step->term;
  return nr_arith_binary(&b, NR_OP_arith_subi, nr_arith_constant_int(&b, step->term->type, 0), step->term);
}

NrValue *nr_reduction_build_term(const NrReduction *r) {
  NrValue *term = term_of(&r->steps.data[0]);
  for (size_t k = 1; k < r->steps.size; k++) {
    NrValue *next = term_of(&r->steps.data[k]);
    NrBuilder b = nr_builder_before(r->steps.data[k].op);
    term = nr_reduction_combine(&b, r, next, term);
  }
  return term;
}

void nr_reduction_erase(const NrReduction *r) {
  for (size_t k = r->steps.size; k-- > 0;) {
    nr_op_erase(r->steps.data[k].op);
    if (r->steps.data[k].compare) nr_op_erase(r->steps.data[k].compare);
  }
}
