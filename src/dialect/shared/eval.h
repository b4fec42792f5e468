/* eval.h - what element-wise ops do to scalars of at most 64 bits: the meaning that folding and the interpreter share.
 *
 * A scalar is its bits, zero-extended to 64. Wider integers have a meaning of their own (dialect/arith/wide.h). */
#ifndef NORIA_DIALECT_SHARED_EVAL_H
#define NORIA_DIALECT_SHARED_EVAL_H

#include "ir/op_info.h"

/* An integer, index or float type of at most 64 bits. */
bool nr_eval_has_type(NrType type);

int64_t nr_bits_to_int(NrType type, uint64_t bits); /* sign-extended */
uint64_t nr_bits_from_int(NrType type, int64_t value);
double nr_bits_to_float(NrType type, uint64_t bits);
uint64_t nr_bits_from_float(NrType type, double value); /* rounded to nearest, ties to even */

/* The only result of op, of type out, for operands of these types. False when the op, or the op on these types, is not
 * known here. Where the op leaves the result undefined, *why says so and *result is 0; else *why is left alone.
 *
 * Functions that libm does not round exactly (exp, sin, ..) are libm's. A NaN is the first NaN among the operands, or
 * the default NaN of the type. */
bool nr_eval(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
             const char **why);
/* The same for an arith op of two operands of one type that has no attributes to look at. */
bool nr_eval_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result, const char **why);
/* The parts of nr_eval: integer ops of two operands (eval.c) and all that reads or makes floats (eval_float.c). */
bool nr_eval_float(const NrOp *op, NrType out, const NrType *types, const uint64_t *args, uint64_t *result,
                   const char **why);
bool nr_eval_float_binary(unsigned op_id, NrType type, uint64_t a, uint64_t b, uint64_t *result);

#endif
