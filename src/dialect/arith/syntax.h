/* syntax.h - parse and print hooks of arith ops. Internal to this folder. */
#ifndef NORIA_DIALECT_ARITH_SYNTAX_H
#define NORIA_DIALECT_ARITH_SYNTAX_H

#include "ir/text.h"

void nr_arith_constant_print(NrPrinter *w, NrOp *op);
NrStatus nr_arith_addui_parse(NrParser *p, NrOpState *state);
void nr_arith_addui_print(NrPrinter *w, NrOp *op);
NrStatus nr_arith_cmp_parse(NrParser *p, NrOpState *state);
void nr_arith_cmp_print(NrPrinter *w, NrOp *op);
NrStatus nr_arith_select_parse(NrParser *p, NrOpState *state);
void nr_arith_select_print(NrPrinter *w, NrOp *op);

#endif
