/* vectors_blocks.h - the part of lower-vectors for functions, blocks and calls. */
#ifndef NORIA_PASS_EXPAND_VECTORS_BLOCKS_H
#define NORIA_PASS_EXPAND_VECTORS_BLOCKS_H

#include "pass/expand/lower_vectors.h"

typedef NR_VEC(NrBlock *) NrRowBlocks; /* blocks whose arguments become rows */

/* Converts the types of the functions among ops, and adds arguments for rows to all blocks in them. */
void nr_rows_open_blocks(NrRows *r, NrOp *const *ops, size_t count, NrRowBlocks *out);
/* Passes rows along the branches to these blocks, then erases the old arguments and all lowered ops. */
void nr_rows_close_blocks(NrRows *r, const NrRowBlocks *blocks);
/* Whether an operand or a result of op is a vector that becomes rows. */
bool nr_rows_are_in(const NrOp *op);
/* Rebuilds a call, call_indirect, return or dispatch with rows in place of vectors. */
NrStatus nr_rows_call(NrRows *r, NrOp *op);

#endif
