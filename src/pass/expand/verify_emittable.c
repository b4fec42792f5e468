/* verify_emittable.c - refuses ops that no backend knows. emittable.def lists those that backends know; the passes of
 * stage `expand` and of those before it have written out all others, so one that is left is what machine code cannot
 * do, or has no type for. */
#include "ir/text.h"
#include "pass/core/pass.h"

static const bool emittable[NR_OP_COUNT] = {
#define EMIT(dialect, op) [NR_OP_##dialect##_##op] = true,
#include "pass/expand/emittable.def"
#undef EMIT
};

static bool verify(NrOp *op, void *user) {
  NrStatus *status = user;
  if (emittable[op->info->id]) return true;
  NrType type = op->num_operands ? nr_operand(op, 0)->type : NULL;
  *status = type ? nr_op_error(op, "on %s has no machine code: an earlier stage should have lowered it",
                               nr_type_text(nr_op_context(op), type))
                 : nr_op_error(op, "has no machine code: an earlier stage should have lowered it");
  return false;
}

static NrStatus verify_emittable_run(NrPassContext *pass, NrOp *func) {
  NrStatus status = NR_OK;
  nr_walk_pre(func, verify, &status);
  return status;
}

NR_PASS(verify_emittable, .name = "verify-emittable", .on = "func.func", .run = verify_emittable_run,
        .doc = "an error where an op is left that no backend knows")
