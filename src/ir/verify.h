/* verify.h - the parts of the verifier, for verify*.c only. */
#ifndef NORIA_IR_VERIFY_H
#define NORIA_IR_VERIFY_H

#include "ir/text.h"

/* Each reports all that it finds through nr_op_error and answers whether nothing was wrong. */
bool nr_verify_row(NrContext *ctx, NrOp *op); /* verify_row.c: numbers, types and attributes against the row */

typedef struct NrSymbolTables {
  NrMap tables; /* NrOp* of a symbol table -> NrStrMap* of its symbols */
  NR_VEC(NrStrMap *) all;
  size_t num_suggestions; /* that were looked up; each goes through a whole table, so few are */
} NrSymbolTables;
/* verify_symbols.c: a symbol's place and visibility; names in a table are unique; symbol attributes lead somewhere. */
bool nr_verify_symbol(NrOp *op);
bool nr_verify_symbol_table(NrOp *table);
bool nr_verify_symbol_uses(NrSymbolTables *tables, NrOp *op);
void nr_symbol_tables_deinit(NrSymbolTables *tables);

#endif
