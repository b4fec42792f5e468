/* visibility.c - text of the attribute sym_visibility; see visibility.h. */
#include "dialect/shared/visibility.h"

NrStatus nr_p_visibility(NrParser *p, NrOpState *state) {
  static const char *const words[] = {"public", "private", "nested"};
  for (size_t i = 0; i < NR_COUNTOF(words); i++) {
    if (!nr_p_try(p, words[i])) continue;
    nr_p_add_attr(p, state, "sym_visibility", nr_attr_string(nr_p_context(p), nr_str(words[i])));
    break;
  }
  return NR_OK;
}

void nr_w_visibility(NrPrinter *w, NrOp *op) {
  NrStr visibility = nr_op_attr_str(op, NR_A_sym_visibility);
  nr_w_printf(w, " %.*s ", NR_STR_ARG(visibility.size ? visibility : NR_STR("public")));
}
