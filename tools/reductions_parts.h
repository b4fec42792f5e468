/* reductions_parts.h - shared by reductions*.c. */
#ifndef NORIA_TOOLS_REDUCTIONS_PARTS_H
#define NORIA_TOOLS_REDUCTIONS_PARTS_H

#include "pass/core/rewrite.h"
#include "reductions.h"

/* ---- places ----------------------------------------------------------------------------------------------------- */

bool reduction_is_chosen(size_t i, size_t begin, size_t end);

/* Counts places; those in a range are chosen. */
typedef struct ReductionChoice {
  size_t begin, end, count;
} ReductionChoice;
bool reduction_choose(ReductionChoice *c);
/* The reductions whose places are in ops: visit asks for each, and makes what is chosen. It may erase ops that are
 * still to come, which it then gets too. */
size_t reduction_each_op(NrModule *module, size_t begin, size_t end, void (*visit)(NrOp *op, ReductionChoice *c));

/* ---- values in place of others ---------------------------------------------------------------------------------- */

/* 0, or a tensor or vector of zeros; NULL for types without constants. */
NrValue *reduction_zero(NrBuilder *b, NrType type);
/* A value of that type defined before op: an operand, else a result of a preceding op, else an argument. */
NrValue *reduction_value_before(NrOp *op, NrType type);
/* Replaces the result's uses by another value; false when there is none. */
bool reduction_free_result(NrOp *op, uint32_t i);
/* Rebuilds the op without that result, which has no uses; regions and operands are kept. */
NrOp *reduction_without_result(NrOp *op, uint32_t result);

/* ---- reductions of reductions_regions.c -------------------------------------------------------------------------- */

size_t reduction_inline_regions(NrModule *m, size_t begin, size_t end);
size_t reduction_drop_values(NrModule *m, size_t begin, size_t end);
size_t reduction_straighten(NrModule *m, size_t begin, size_t end);
size_t reduction_join_blocks(NrModule *m, size_t begin, size_t end);

#endif
