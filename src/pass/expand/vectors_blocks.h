/* vectors_blocks.h - the part of lower-vectors for functions, blocks and calls. */
#ifndef NORIA_PASS_EXPAND_VECTORS_BLOCKS_H
#define NORIA_PASS_EXPAND_VECTORS_BLOCKS_H

#include "pass/expand/lower_vectors.h"

typedef NR_VEC(NrBlock *) NrRowBlocks; /* whose arguments become rows */

/* Gives the functions among ops their new types, and rows to the arguments of all blocks in them. */
void nr_rows_open_blocks(NrRows *r, NrOp *const *ops, size_t count, NrRowBlocks *out);
/* Gives the branches to these blocks their rows, and erases the old arguments and all that was lowered. */
void nr_rows_close_blocks(NrRows *r, const NrRowBlocks *blocks);
/* call, call_indirect, return, dispatch: with rows in place of vectors. */
NrStatus nr_rows_call(NrRows *r, NrOp *op);

#endif
