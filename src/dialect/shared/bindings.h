/* bindings.h - the text of block arguments of loops: `(%i, %j)`, and `(%a = %b, ..)` with initial values. */
#ifndef NORIA_DIALECT_SHARED_BINDINGS_H
#define NORIA_DIALECT_SHARED_BINDINGS_H

#include "ir/text.h"

typedef struct NrBindings {
  NR_VEC(NrArgRef) args;        /* may start with arguments that have no value */
  NR_VEC(NrOperandRef) values;
  NR_VEC(NrType) types;         /* types of the values; NULL where the text has none */
  bool typed;                   /* set by the caller: accept `%a = %b : t`, as texts of early 2020 have */
} NrBindings;
void nr_bindings_deinit(NrBindings *b);

/* The parsers append to b. */
NrStatus nr_p_ivs(NrParser *p, NrBindings *b); /* `(%i, %j)`, of type index */
NrStatus nr_p_bindings(NrParser *p, NrBindings *b);

void nr_w_ivs(NrPrinter *w, NrBlock *block, uint32_t count); /* the first `count` arguments */
/* Prints `count` arguments from first_arg on, with the operands from first_operand on as their values. */
void nr_w_bindings(NrPrinter *w, NrOp *op, size_t first_operand, NrBlock *block, uint32_t first_arg, uint32_t count);

#endif
