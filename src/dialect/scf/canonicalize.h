/* canonicalize.h - shared by canonicalize*.c. Internal to this folder. */
#ifndef NORIA_DIALECT_SCF_CANONICALIZE_H
#define NORIA_DIALECT_SCF_CANONICALIZE_H

#include "dialect/scf/scf.h"

bool nr_scf_is_inside(const NrOp *op, const NrRegion *region); /* at any depth */
bool nr_scf_defined_in(const NrValue *value, const NrRegion *region);
/* Whether all regions end in a yield, none in a break or continue. */
bool nr_scf_regions_yield(NrOp *op);
/* Replaces op by the ops of one of its blocks, with args for the block's arguments, and its results by the terminator's
 * operands. */
bool nr_scf_replace_by_block(NrOp *op, NrBlock *block, NrValue *const *args);

/* The same for a block without arguments that may also end in a break or continue; the ops after op are then erased.
 * NULL stands for an absent else region. False when op cannot be replaced, since a break or continue may not end its
 * block. */
bool nr_scf_replace_by_taken(NrOp *op, NrBlock *taken);

/* Rewrites of an scf.if whose regions yield; true when the program changed (canonicalize_if.c). */
bool nr_scf_if_join_next(NrOp *op);
bool nr_scf_if_join_nested(NrOp *op, NrBuilder *b);
bool nr_scf_if_drop_negation(NrOp *op);

#endif
