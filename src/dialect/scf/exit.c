/* exit.c - scf.loop and its exits, scf.break and scf.continue: syntax and verification.
 *
 *   %r = scf.loop token(%l) iter_args(%a = %x) : f32 -> i64 {
 *     scf.if %done {
 *       scf.break [%l] %n : i64
 *     }
 *     scf.continue [%l] %b : f32
 *   }
 *
 * The token is the first argument of the body. It identifies the loop, so that an inner loop can end an outer one. Only
 * ops that run their regions in place may be between the loop and a break or continue. */
#include "dialect/shared/bindings.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"

static NrType token_type(NrContext *ctx) { return nr_type_of_dialect(ctx, NR_TYPE_scf_token, NULL); }

NrOp *nr_scf_exit_loop(const NrOp *exit) {
  const NrValue *token = nr_op_token(exit);
  NrOp *loop = token->op ? NULL : nr_block_parent_op(token->block);
  return nr_op_is(loop, NR_OP_scf_loop) && token->index == 0 ? loop : NULL;
}

bool nr_scf_is_exit(const NrOp *op) { return nr_op_is(op, NR_OP_scf_break) || nr_op_is(op, NR_OP_scf_continue); }

static bool is_no_exit(NrOp *op, void *user) {
  (void)user;
  return !nr_scf_is_exit(op);
}

bool nr_scf_has_exits(NrOp *op) { return !nr_walk_pre(op, is_no_exit, NULL); }

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Parses `: t -> u` or `: (t, t) -> (u, u)`; absent when the loop has neither carried values nor results. */
static NrStatus parse_types(NrParser *p, NrType **inits, size_t *num_inits, NrType **results, size_t *num_results) {
  NrStatus status;
  *num_inits = *num_results = 0;
  *inits = *results = NULL;
  if (!nr_p_try(p, ":")) return NR_OK;
  status = nr_p_peek(p, "(") ? nr_p_paren_type_list(p, inits, num_inits) : nr_p_type_list(p, inits, num_inits);
  return status ? status : nr_p_arrow_type_list(p, results, num_results);
}

/* The first argument of the body is the token. */
static NrStatus parse_loop_body(NrParser *p, NrOpState *state, NrBindings *carried) {
  NrType *types, *results;
  size_t num_types, num_results, count = carried->values.size;
  NrStatus status = parse_types(p, &types, &num_types, &results, &num_results);
  if (status) return status;
  if (num_types != count) return nr_p_op_error(p, "carries %zu values, but names %zu types for them", count, num_types);
  if ((status = nr_p_add_operands(p, state, carried->values.data, count, types, num_types))) return status;
  nr_p_add_results(p, state, results, num_results);
  for (size_t i = 0; i < count; i++) carried->args.data[1 + i].type = types[i];
  if ((status = nr_p_region(p, state, carried->args.data, carried->args.size))) return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

NrStatus nr_scf_loop_parse(NrParser *p, NrOpState *state) {
  NrArgRef token;
  NrStatus status;
  if ((status = nr_p_expect(p, "token")) || (status = nr_p_expect(p, "(")) || (status = nr_p_arg(p, &token)) ||
      (status = nr_p_expect(p, ")")))
    return status;
  NrBindings carried = {0};
  token.type = token_type(nr_p_context(p));
  nr_vec_push(&carried.args, token);
  if (nr_p_try(p, "iter_args")) status = nr_p_bindings(p, &carried);
  if (!status) status = parse_loop_body(p, state, &carried);
  nr_bindings_deinit(&carried);
  return status;
}

void nr_scf_loop_print(NrPrinter *w, NrOp *op) {
  NrBlock *body = nr_scf_loop_body(op);
  nr_w_puts(w, " token(");
  nr_w_value(w, nr_block_arg(body, 0));
  nr_w_puts(w, ")");
  if (op->num_operands) {
    nr_w_puts(w, " iter_args");
    nr_w_bindings(w, op, 0, body, 1, op->num_operands);
  }
  if (op->num_operands || op->num_results) {
    bool plain = op->num_operands == 1 && nr_operand(op, NR_SCF_LOOP_INITS)->type->kind != NR_TYPE_FUNCTION;
    nr_w_puts(w, plain ? " : " : " : (");
    nr_w_operand_types(w, op, 0, op->num_operands);
    if (!plain) nr_w_puts(w, ")");
    nr_w_arrow_results(w, op);
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_loop_region(op), false, true);
  nr_w_attr_dict(w, op, NULL);
}

/* Parses `[%l] %a, %b : t, u`. */
NrStatus nr_scf_exit_parse(NrParser *p, NrOpState *state) {
  NrOperandRef token, *refs;
  NrType *types = NULL;
  size_t count, num_types = 0;
  NrStatus status;
  if ((status = nr_p_expect(p, "[")) || (status = nr_p_operand(p, &token)) || (status = nr_p_expect(p, "]")) ||
      (status = nr_p_add_operand(p, state, token, token_type(nr_p_context(p)))) ||
      (status = nr_p_operands(p, &refs, &count)))
    return status;
  if (count && ((status = nr_p_expect(p, ":")) || (status = nr_p_type_list(p, &types, &num_types)))) return status;
  if ((status = nr_p_add_operands(p, state, refs, count, types, num_types))) return status;
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_scf_exit_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " [");
  nr_w_value(w, nr_op_token(op));
  nr_w_puts(w, "]");
  if (op->num_operands > 1) {
    nr_w_puts(w, " ");
    nr_w_values(w, op, 1, op->num_operands - 1);
    nr_w_puts(w, " : ");
    nr_w_operand_types(w, op, 1, op->num_operands - 1);
  }
  nr_w_attr_dict(w, op, NULL);
}

/* ---- verification ------------------------------------------------------------------------------------------------ */

NrStatus nr_scf_loop_verify(NrOp *op) {
  NrBlock *body = nr_scf_loop_body(op);
  if (body->num_args != op->num_operands + 1 || body->args[0]->type != token_type(nr_op_context(op)))
    return nr_op_error(op, "(C1) expects the body to have a token and %u carried values as arguments",
                       op->num_operands);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type != body->args[i + 1]->type)
      return nr_op_error(op, "(C1) types mismatch between carried value #%u and its initial value", i);
  for (const NrUse *use = body->args[0]->first_use; use; use = use->next)
    if (!nr_scf_is_exit(use->owner)) return nr_op_error(op, "(C2) the token is for scf.break and scf.continue only");
  return nr_scf_is_exit(nr_block_terminator(body))
             ? NR_OK
             : nr_op_error(op, "(C3) expects the body to terminate with 'scf.continue' or 'scf.break'");
}

/* Whether the op runs its regions in place, so that a break or continue inside may exit it. */
static bool runs_in_place(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_scf_if:
  case NR_OP_scf_index_switch:
  case NR_OP_scf_execute_region:
  case NR_OP_scf_for:
  case NR_OP_scf_while:
  case NR_OP_scf_loop: return true;
  default: return false;
  }
}

NrStatus nr_scf_exit_verify(NrOp *op) {
  NrOp *loop = nr_scf_exit_loop(op), *parent = nr_op_parent(op);
  bool leaves = nr_op_is(op, NR_OP_scf_break);
  if (!loop) return nr_op_error(op, "(C1) expects the token of a 'scf.loop' around it");
  if (nr_op_is(parent, NR_OP_scf_for) || nr_op_is(parent, NR_OP_scf_while))
    return nr_op_error(op, "(C2) cannot end the body of '%.*s'; it may stand in an 'scf.if' there",
                       NR_STR_ARG(nr_op_shown_name(parent)));
  for (NrOp *up = parent; up && up != loop; up = nr_op_parent(up))
    if (!runs_in_place(up)) return nr_op_error(op, "(C2) cannot leave '%.*s'", NR_STR_ARG(nr_op_shown_name(up)));
  uint32_t count = op->num_operands - 1, wanted = leaves ? loop->num_results : loop->num_operands;
  const char *what = leaves ? "results" : "carried values";
  if (count != wanted) return nr_op_error(op, "(C3) has %u values, but the loop has %u %s", count, wanted, what);
  for (uint32_t i = 0; i < count; i++) {
    NrType type = leaves ? nr_result(loop, i)->type : nr_operand(loop, i)->type;
    if (nr_operand(op, NR_SCF_EXIT_VALUES + i)->type != type)
      return nr_op_error(op, "(C3) value #%u has type '%s', but the loop's %s have '%s'", i,
                         nr_type_text(type->ctx, nr_operand(op, NR_SCF_EXIT_VALUES + i)->type), what,
                         nr_type_text(type->ctx, type));
  }
  return NR_OK;
}
