/* bindings.h - text of the arguments of loops' bodies: `(%i, %j)`, and `(%a = %b, ..)` with what they start with. */
#ifndef NORIA_DIALECT_SHARED_BINDINGS_H
#define NORIA_DIALECT_SHARED_BINDINGS_H

#include "ir/text.h"

typedef struct NrBindings {
  NR_VEC(NrArgRef) args;        /* some may stand in front of those with values */
  NR_VEC(NrOperandRef) values;
  NR_VEC(NrType) types;         /* of the values; NULL where none is said */
  bool typed;                   /* the texts of early 2020 could give each a type: `%a = %b : t` */
} NrBindings;
void nr_bindings_deinit(NrBindings *b);

/* Each appends. */
NrStatus nr_p_ivs(NrParser *p, NrBindings *b); /* `(%i, %j)` of type index */
NrStatus nr_p_bindings(NrParser *p, NrBindings *b);

void nr_w_ivs(NrPrinter *w, NrBlock *block, uint32_t count); /* the first arguments */
/* `count` arguments from first_arg on, with the operands from first_operand on. */
void nr_w_bindings(NrPrinter *w, NrOp *op, size_t first_operand, NrBlock *block, uint32_t first_arg, uint32_t count);

#endif
