/* builtin.c - the op definitions of dialect builtin, and the hooks of its ops. */
#include "ir/op_info.h"
#include "dialect/builtin/ops.h"
#include "ir/text.h"

/* ---- module @name attributes {..} { .. } ------------------------------------------------------------------------- */

static NrStatus module_parse(NrParser *p, NrOpState *state) {
  if (nr_p_peek(p, "@")) {
    NrStr name;
    NR_TRY(nr_p_symbol_name(p, &name));
    nr_p_add_attr(p, state, "sym_name", nr_attr_string(nr_p_context(p), name));
  }
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  return nr_p_region(p, state, NULL, 0);
}

static void module_print(NrPrinter *w, NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_sym_name);
  if (name.size) {
    nr_w_puts(w, " ");
    nr_w_symbol_name(w, name);
  }
  nr_w_attr_dict_keyword(w, op, (const char *const[]){"sym_name", NULL});
  nr_w_puts(w, " ");
  nr_w_region(w, nr_builtin_module_body_region(op), false, true);
}

static NrStatus module_verify(NrOp *op) {
  NrBlock *body = nr_builtin_module_body_body(op);
  return body && body->num_args ? nr_op_error(op, "region should have no arguments") : NR_OK;
}

/* Adds a missing body, and erases the terminator that older texts have. */
static NrStatus module_post_parse(NrParser *p, NrOp *op) {
  NrBlock *body = nr_builtin_module_body_body(op);
  if (!body && op->num_regions == 1) nr_block_append(nr_builtin_module_body_region(op), nr_block_create(op->module));
  NrOp *last = body ? body->last : NULL;
  if (nr_op_is(last, NR_OP_builtin_module_terminator) && last->num_results == 0) nr_op_erase(last);
  return NR_OK;
}

/* ---- unrealized_conversion_cast %a, %b : t, t to u --------------------------------------------------------------- */

static NrStatus cast_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs = NULL;
  NrType *types = NULL, *outs;
  size_t count = 0, num_types = 0, num_outs;
  NrStatus status;
  if (!nr_p_peek(p, "to")) {
    if ((status = nr_p_operands(p, &refs, &count)) || (status = nr_p_expect(p, ":")) ||
        (status = nr_p_type_list(p, &types, &num_types)))
      return status;
  }
  if ((status = nr_p_expect(p, "to")) || (status = nr_p_type_list(p, &outs, &num_outs))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  nr_p_add_results(p, state, outs, num_outs);
  return nr_p_add_operands(p, state, refs, count, types, num_types);
}

static void cast_print(NrPrinter *w, NrOp *op) {
  if (op->num_operands) {
    nr_w_puts(w, " ");
    nr_w_values(w, op, 0, op->num_operands);
    nr_w_puts(w, " : ");
    nr_w_operand_types(w, op, 0, op->num_operands);
  }
  nr_w_puts(w, " to ");
  nr_w_result_types(w, op);
  nr_w_attr_dict(w, op, NULL);
}

/* Folds casts to the operands' own types, and pairs of casts that cancel. */
static bool cast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  bool same = op->num_operands == op->num_results && op->num_operands > 0;
  for (uint32_t i = 0; same && i < op->num_operands; i++) same = nr_operand(op, i)->type == nr_result(op, i)->type;
  NrOp *inner = op->num_operands ? nr_operand(op, NR_BUILTIN_UNREALIZED_CONVERSION_CAST_INPUTS)->op : NULL;
  bool undone = nr_op_is(inner, NR_OP_builtin_unrealized_conversion_cast) && inner->num_results == op->num_operands &&
                inner->num_operands == op->num_results;
  for (uint32_t i = 0; undone && i < op->num_operands; i++) undone = nr_operand(op, i) == nr_result(inner, i);
  for (uint32_t i = 0; undone && i < op->num_results; i++)
    undone = nr_operand(inner, i)->type == nr_result(op, i)->type;
  if (!same && !undone) return false;
  for (uint32_t i = 0; i < op->num_results; i++) out[i] = (NrFold){.value = nr_operand(same ? op : inner, i)};
  return true;
}

#include "ir/rows.h"
#include "dialect/builtin/ops.def"
