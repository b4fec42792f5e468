/* verify.h - the parts of the verifier, for verify*.c only. */
#ifndef NORIA_IR_VERIFY_H
#define NORIA_IR_VERIFY_H

#include "ir/text.h"

/* Each reports all errors through nr_op_error and returns true if there were none. */
bool nr_verify_row(NrContext *ctx, NrOp *op); /* verify_row.c: numbers, types and attributes against the definition */

/* verify_symbols.c: parents and visibility of symbols, unique names in a table, existing targets of references. */
bool nr_verify_symbol(NrOp *op);
bool nr_verify_symbol_table(NrOp *table);
bool nr_verify_symbol_uses(NrSymbolTables *tables, NrOp *op);

#endif
