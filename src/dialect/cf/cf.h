/* cf.h - building branches. */
#ifndef NORIA_DIALECT_CF_CF_H
#define NORIA_DIALECT_CF_CF_H

#include "dialect/cf/ops.h"
#include "ir/op_info.h"

NrOp *nr_cf_br(NrBuilder *b, NrBlock *dest, NrValue *const *operands, size_t count);
/* The operand arrays may be NULL when their number is 0. */
NrOp *nr_cf_cond_br(NrBuilder *b, NrValue *condition, NrBlock *if_true, NrValue *const *true_operands, size_t num_true,
                    NrBlock *if_false, NrValue *const *false_operands, size_t num_false);

/* Sets branch_weights of a cond_br, or of the scf.if that becomes one: how often the first successor or region is taken
 * for each time that the other one is. */
void nr_cf_set_odds(NrOp *branch, int32_t first, int32_t second);
/* The same as another op's, if they are weights of two successors. */
void nr_cf_set_odds_of(NrOp *branch, const NrOp *other);

bool nr_cf_assert_canonicalize(NrOp *op, NrBuilder *b);
bool nr_cf_br_canonicalize(NrOp *op, NrBuilder *b);
bool nr_cf_cond_br_canonicalize(NrOp *op, NrBuilder *b);
/* Drops cases that have the same successor and operands as the default, and cases that repeat the value of an earlier
 * case; true when there were any. */
bool nr_cf_switch_drop_cases(NrOp *op, NrBuilder *b);
bool nr_cf_switch_canonicalize(NrOp *op, NrBuilder *b);

#endif
