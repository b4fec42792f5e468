/* body.h - short names for writing the bodies of maps and reductions: scalar arithmetic of one type.
 *
 * Floats narrower than 32 bits are computed as f32 and rounded once at the end of a body: nr_lower_map_wide does that,
 * so bodies never see them. Integers are signless; the dtype of the op's input says how to read them. */
#ifndef NORIA_ONNX_LOWER_CORE_BODY_H
#define NORIA_ONNX_LOWER_CORE_BODY_H

#include "onnx/lower/core/lower.h"

/* The type in which a scalar of this type is computed: f32 for narrower floats, else itself. */
NrType nr_lower_wide_type(NrType scalar);
NrValue *nr_lower_widen(NrLower *l, NrValue *scalar);
NrValue *nr_lower_narrow(NrLower *l, NrValue *scalar, NrType type); /* to a float type of at most its width */
/* nr_lower_map whose body gets widened scalars and whose result is narrowed to elem (NULL: that of input 0). */
NrValue *nr_lower_map_wide(NrLower *l, NrValue *const *inputs, size_t count, NrType elem, NrBodyFn body, void *user);
/* The tensor in the type in which it is computed, and back. */
NrValue *nr_lower_widen_tensor(NrLower *l, NrValue *tensor);
NrValue *nr_lower_narrow_tensor(NrLower *l, NrValue *tensor, NrType elem);
/* Allows a sum or product that was just built to be contracted to an fma, which only makes it more exact. */
NrValue *nr_lower_contract(NrValue *value);

/* Inputs first..first+count-1 are there and of one dtype; an error names what is wrong. */
bool nr_lower_same_dtypes(NrLower *l, size_t first, size_t count);
/* Input i is there and its dtype is in the class, else an error. */
typedef enum NrDTypeClass { NR_FLOATS = 1, NR_INTS = 2, NR_NUMBERS = 3, NR_BOOL = 4 } NrDTypeClass;
bool nr_lower_takes(NrLower *l, size_t i, NrDTypeClass class);
/* Inputs 0 and 1 of a broadcasting op; before opset 7 attribute axis says which dims of input 0 those of input 1 are.
 */
bool nr_lower_two_inputs(NrLower *l, NrValue *out[2]);

/* A constant of the type of `like`. */
static inline NrValue *num(NrLower *l, NrValue *like, double value) { return nr_lower_constant(l, like->type, value); }

static inline NrValue *add(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_add(l, a, b); }
static inline NrValue *sub(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_sub(l, a, b); }
static inline NrValue *mul(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_mul(l, a, b); }
/* Two operands of one type, result of the same. */
static inline NrValue *same2(NrLower *l, unsigned op_id, NrValue *a, NrValue *b) {
  return nr_lower_op2(l, op_id, a->type, a, b);
}
/* One operand, result of its type: math.exp and the like. */
static inline NrValue *same1(NrLower *l, unsigned op_id, NrValue *a) { return nr_lower_op1(l, op_id, a->type, a); }
static inline NrValue *divf(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_divf, a, b); }
static inline NrValue *negf(NrLower *l, NrValue *a) { return same1(l, NR_OP_arith_negf, a); }
/* Both give NaN when either operand is NaN. */
/* The op that takes the larger or smaller of two elements. */
static inline unsigned extreme_op(NrType elem, bool is_unsigned, bool max) {
  if (nr_type_is_float(elem)) return max ? NR_OP_arith_maximumf : NR_OP_arith_minimumf;
  if (is_unsigned) return max ? NR_OP_arith_maxui : NR_OP_arith_minui;
  return max ? NR_OP_arith_maxsi : NR_OP_arith_minsi;
}
static inline NrValue *larger(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_maximumf, a, b); }
static inline NrValue *smaller(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_minimumf, a, b); }
static inline NrValue *either(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_ori, a, b); }
static inline NrValue *both(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_andi, a, b); }

#endif
