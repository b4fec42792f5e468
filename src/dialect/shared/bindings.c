/* bindings.c - see bindings.h. */
#include "dialect/shared/bindings.h"

#include "dialect/shared/shaped.h"

void nr_bindings_deinit(NrBindings *b) {
  nr_vec_deinit(&b->args);
  nr_vec_deinit(&b->values);
  nr_vec_deinit(&b->types);
}

NrStatus nr_p_ivs(NrParser *p, NrBindings *b) {
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NrArgRef arg;
    NR_TRY(nr_p_arg(p, &arg));
    arg.type = nr_type_index(nr_p_context(p));
    nr_vec_push(&b->args, arg);
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

NrStatus nr_p_bindings(NrParser *p, NrBindings *b) {
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NrArgRef arg;
    NrOperandRef value;
    NrType type = NULL;
    NR_TRY(nr_p_arg(p, &arg));
    NR_TRY(nr_p_expect(p, "="));
    NR_TRY(nr_p_operand(p, &value));
    if (b->typed && nr_p_is_legacy(p) && nr_p_try(p, ":")) NR_TRY(nr_p_type(p, &type));
    nr_vec_push(&b->args, arg);
    nr_vec_push(&b->values, value);
    nr_vec_push(&b->types, type);
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

void nr_w_ivs(NrPrinter *w, NrBlock *block, uint32_t count) {
  nr_w_puts(w, "(");
  for (uint32_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(block, i));
  }
  nr_w_puts(w, ")");
}

void nr_w_bindings(NrPrinter *w, NrOp *op, size_t first_operand, NrBlock *block, uint32_t first_arg, uint32_t count) {
  nr_w_puts(w, "(");
  for (uint32_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_block_arg(block, first_arg + i));
    nr_w_puts(w, " = ");
    nr_w_value(w, nr_operand(op, first_operand + i));
  }
  nr_w_puts(w, ")");
}
