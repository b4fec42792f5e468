/* ub.c - the op definition of dialect ub, and its hooks. */
#include "dialect/shared/shaped.h"
#include "ir/text.h"

static NrStatus poison_parse(NrParser *p, NrOpState *state) {
  NrType type;
  if (nr_p_try(p, "<")) {
    NrAttr value;
    NR_TRY(nr_p_attr(p, &value));
    NR_TRY(nr_p_expect(p, ">"));
    nr_p_add_attr(p, state, "value", value);
  }
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

static void poison_print(NrPrinter *w, NrOp *op) {
  nr_w_attr_dict(w, op, (const char *const[]){"value", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

static NrStatus poison_verify(NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (!value || value->kind == NR_ATTR_ub_poison) return NR_OK;
  return nr_op_error(op, "(C1) has a value other than #ub.poison");
}

#include "ir/rows.h"
#include "dialect/ub/attrs.def"
#include "dialect/ub/ops.def"
