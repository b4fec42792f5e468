/* cf.h - building branches. */
#ifndef NORIA_DIALECT_CF_CF_H
#define NORIA_DIALECT_CF_CF_H

#include "dialect/cf/ops.h"
#include "ir/op_info.h"

NrOp *nr_cf_br(NrBuilder *b, NrBlock *dest, NrValue *const *operands, size_t count);
/* The operand arrays may be NULL when their number is 0. */
NrOp *nr_cf_cond_br(NrBuilder *b, NrValue *condition, NrBlock *if_true, NrValue *const *true_operands, size_t num_true,
                    NrBlock *if_false, NrValue *const *false_operands, size_t num_false);

bool nr_cf_assert_canonicalize(NrOp *op, NrBuilder *b);
bool nr_cf_br_canonicalize(NrOp *op, NrBuilder *b);
bool nr_cf_cond_br_canonicalize(NrOp *op, NrBuilder *b);
/* Drops cases that have the same successor and operands as the default, and cases that repeat the value of an earlier
 * case; true when there were any. */
bool nr_cf_switch_drop_cases(NrOp *op, NrBuilder *b);
bool nr_cf_switch_canonicalize(NrOp *op, NrBuilder *b);

#endif
