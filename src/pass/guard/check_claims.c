/* check_claims.c - inserts a check in front of each op on tensors whose claims about shapes are not proven; see
 * claims.h.
 *
 *   before  %c = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
 *   after   %d = tensor.dim %t, %c0 : tensor<?xf32>
 *           %same = arith.cmpi eq, %d, %c4 : index
 *           rt.check %same, "'tensor.cast' op dim 0 is %0, where 4 is expected"(%d)
 *           %c = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
 *
 * A claim that follows from declared dims, arithmetic on them or earlier checks needs no check. A checked op has the
 * attribute `noria.checked` until verify-claims has found its checks; that pass reports a claim that is neither proven
 * nor checked as an internal error.
 *
 * What the prover finds depends on what it was asked before: a number that it met when few facts were known stays an
 * unknown of its own. A walk that inserts checks asks about more than a walk over the program that it leaves. So
 * check-claims walks until nothing changes: its last walk is the one that verify-claims repeats. */
#include "dialect/linalg/linalg.h"
#include "dialect/rt/ops.h"
#include "pass/core/checks.h"
#include "pass/guard/claims.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef struct Walk {
  NrProver *prover;
  bool verify, changed; /* changed: a check was left, or an op is marked that was not */
  NrStatus status;
} Walk;

static const char mark[] = "noria.checked";

static void visit_op(Walk *w, NrOp *op);

/* The op before which op's checks are inserted: the parent of a tensor.parallel_insert_slice, since its region allows
 * no checks. */
static NrOp *check_anchor(NrOp *op) {
  return nr_op_is(op, NR_OP_tensor_parallel_insert_slice) ? nr_op_parent(op) : op;
}

/* Whether an rt.check that names op precedes it, with no op with regions in between. */
static bool has_checks(NrOp *op) {
  NrBuf begin = {0};
  NrStr name = nr_op_run_name(op);
  bool found = false;
  nr_buf_printf(&begin, "'%.*s' op ", NR_STR_ARG(name));
  for (const NrOp *before = check_anchor(op)->prev; before && !found && !before->num_regions; before = before->prev)
    found = nr_op_is(before, NR_OP_rt_check) && nr_str_starts(nr_op_attr_str(before, NR_A_text), begin.data);
  nr_buf_deinit(&begin);
  return found;
}

/* Facts from a block's ops hold to its end; those from the entry block, which dominates the others, to the end of the
 * region. */
static void visit_region(Walk *w, NrRegion *region) {
  NrProverMark outside = nr_prover_mark(w->prover);
  nr_prover_enter_region(w->prover, region);
  for (NrBlock *block = region->first; block; block = block->next) {
    NrProverMark before = nr_prover_mark(w->prover);
    for (NrOp *op = block->first, *next; op && !w->status; op = next) {
      next = op->next;
      visit_op(w, op);
    }
    if (nr_linalg_is_structured(region->op) || nr_op_is(region->op, NR_OP_tensor_generate))
      nr_prover_leave_body(w->prover, region->op);
    if (block != region->first) nr_prover_reset(w->prover, before);
  }
  nr_prover_reset(w->prover, outside);
}

/* Inserts op's checks, erases those that are proven, and assumes the others from here on. Returns whether all are
 * proven. */
static bool insert_checks(Walk *w, NrOp *op) {
  NrOp *anchor = check_anchor(op), *before = anchor->prev, *next;
  bool all_proven = true;
  nr_check_claims(op);
  nr_op_set_attr_named(op, mark, nr_attr_unit(nr_op_context(op)));
  for (NrOp *new = before ? before->next : anchor->block->first; new != anchor; new = next) {
    next = new->next;
    bool is_check = nr_op_is(new, NR_OP_rt_check);
    bool is_proven = is_check && nr_prove_condition(w->prover, nr_rt_check_cond(new), true);
    if (is_proven) nr_erase_with_operands(new);
    else nr_prover_visit(w->prover, new);
    all_proven &= is_proven || !is_check;
  }
  return all_proven;
}

/* Where a claim as a whole is not proven, all conditions of its checks may be. */
static void check_op(Walk *w, NrOp *op) {
  bool marked = nr_op_attr_named(op, mark);
  if ((marked && has_checks(op)) || nr_claims_hold(w->prover, op)) return;
  bool proven = (marked || !w->verify) && insert_checks(w, op);
  w->changed |= !marked || !proven;
  if (proven || !w->verify) return;
  nr_op_error(op, "claims a shape or an index that is neither proven nor checked");
  w->status = NR_ERROR_INTERNAL;
}

static void visit_op(Walk *w, NrOp *op) {
  check_op(w, op);
  if (w->verify) nr_op_remove_attr_named(op, mark);
  /* A function has its own prover, because no facts hold across functions. */
  NrProver *outer = w->prover;
  bool isolated = nr_op_has(op, NR_ISOLATED);
  if (isolated) w->prover = nr_prover_create();
  for (uint32_t r = 0; r < op->num_regions && !w->status; r++) visit_region(w, &op->regions[r]);
  if (isolated) nr_prover_destroy(w->prover);
  w->prover = outer;
  nr_prover_visit(w->prover, op);
}

static Walk walk(NrOp *root, bool verify) {
  Walk w = {.prover = nr_prover_create(), .verify = verify};
  visit_op(&w, root);
  nr_prover_destroy(w.prover);
  return w;
}

static bool is_unknown(const NrOp *op) { return !nr_linalg_is_structured(op); }

static NrStatus check_claims_run(NrPassContext *pass, NrOp *root) {
  enum { MOST_WALKS = 8 }; /* each leaves more checks, so that two mostly suffice */
  (void)pass;
  NR_TRY(nr_expand_ops(root, is_unknown)); /* nr_claims_hold knows only the expanded ops */
  Walk last = {.changed = true};
  for (int i = 0; i < MOST_WALKS && last.changed && !last.status; i++) last = walk(root, false);
  return last.status;
}

static NrStatus verify_claims_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  return walk(root, true).status;
}

NR_PASS(check_claims, .name = "check-claims", .on_while = NR_WHILE_HANDLES, .run = check_claims_run,
        .doc = "inserts checks for claims of ops about shapes of tensors that cannot be proven")
NR_PASS(verify_claims, .name = "verify-claims", .on_while = NR_WHILE_HANDLES, .run = verify_claims_run,
        .doc = "reports claims that are neither proven nor checked as internal errors")
