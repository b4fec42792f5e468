/* verify_emittable.c - refuses ops that no backend knows. emittable.def lists those that backends know; the passes of
 * stage `expand` and of those before it have written out all others, so one that is left is what machine code cannot
 * do, or has no type for. So is arithmetic on floats of which a backend has the bits only. */
#include "ir/text.h"
#include "pass/core/pass.h"

static const bool emittable[NR_OP_COUNT] = {
#define EMIT(dialect, op) [NR_OP_##dialect##_##op] = true,
#include "pass/expand/emittable.def"
#undef EMIT
};

/* A float that no CPU computes with: backends have its bits only. */
static bool is_bits(NrType type) {
  type = nr_type_elem(type);
  return nr_type_is_float(type) && type->float_kind != NR_F16 && nr_float_format(type->float_kind) != NULL;
}

/* Whether op computes with such floats, rather than only moves them. */
static bool computes_with_bits(const NrOp *op) {
  if (!nr_op_has(op, NR_ELEMENTWISE) || nr_op_is(op, NR_OP_arith_bitcast) || nr_op_is(op, NR_OP_arith_select))
    return false;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (is_bits(nr_operand(op, i)->type)) return true;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (is_bits(nr_result(op, i)->type)) return true;
  return false;
}

/* The operand type that the message names: one that backends have the bits of only, else that of the first operand. */
static NrType named_type(const NrOp *op) {
  NrType type = NULL;
  for (uint32_t i = op->num_operands; i-- > 0;)
    if (!type || !is_bits(type)) type = nr_operand(op, i)->type;
  return type;
}

static bool verify(NrOp *op, void *user) {
  NrStatus *status = user;
  if (emittable[op->info->id] && !computes_with_bits(op)) return true;
  NrType type = named_type(op);
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

NR_PASS(verify_emittable, .name = "verify-emittable", .on_while = NR_WHILE_REJECTS, .on = "func.func",
        .run = verify_emittable_run, .doc = "an error where an op is left that no backend knows")
