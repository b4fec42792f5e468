/* eval.h - evaluation of element-wise ops on scalars of at most 64 bits, for constant folding and the interpreter.
 *
 * A scalar is its bits, zero-extended to 64. Wider integers are in dialect/arith/wide.h. */
#ifndef NORIA_DIALECT_ARITH_EVAL_H
#define NORIA_DIALECT_ARITH_EVAL_H

#include "ir/op_info.h"

/* Whether it is an integer, index or float type of at most 64 bits. */
bool nr_eval_has_type(NrType type);

int64_t nr_bits_to_int(NrType type, uint64_t bits); /* sign-extended */
uint64_t nr_bits_from_int(NrType type, int64_t value);
double nr_bits_to_float(NrType type, uint64_t bits);
uint64_t nr_bits_from_float(NrType type, double value); /* rounded to nearest, ties to even */

/* Evaluates op's only result, of type out. False when the op, or the op on these types, is not supported. Where the
 * result is undefined, *why is set to the reason and *result to 0; otherwise *why is unchanged.
 *
 * Functions that libm does not round correctly (exp, sin, ..) give libm's result. A NaN result is the first NaN among
 * the operands, or the type's default NaN. */
bool nr_eval(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
             const char **why);
/* The same for an arith op with two operands of one type and without attributes that matter. */
bool nr_eval_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result, const char **why);
/* The parts of nr_eval: integer ops with two operands are in eval.c, all that take or give floats in eval_float.c. */
bool nr_eval_float(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
                   const char **why);
bool nr_eval_float_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result);

#endif
