/* lower_elementwise.c - ops that work element by element: a body of scalar ops, broadcast by nr_lower_map. */
#include "onnx/lower.h"

/* ---- two operands ---- */

static NrValue *add_body(NrLower *l, NrValue *const *a, void *user) { (void)user; return nr_lower_fast(nr_lower_add(l, a[0], a[1])); }
static NrValue *sub_body(NrLower *l, NrValue *const *a, void *user) { (void)user; return nr_lower_fast(nr_lower_sub(l, a[0], a[1])); }
static NrValue *mul_body(NrLower *l, NrValue *const *a, void *user) { (void)user; return nr_lower_fast(nr_lower_mul(l, a[0], a[1])); }

static NrStatus binary(NrLower *l, NrBodyFn body) {
  NrValue *inputs[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  if (nr_lower_dtype(l, 0) != nr_lower_dtype(l, 1))
    return nr_lower_error(l, "the inputs are %s and %s; they must be of one type", nr_dtype_name(nr_lower_dtype(l, 0)),
                          nr_dtype_name(nr_lower_dtype(l, 1)));
  return nr_lower_out(l, 0, nr_lower_map(l, inputs, 2, NULL, body, NULL), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_add_op(NrLower *l) { return binary(l, add_body); }
NrStatus nr_lower_sub_op(NrLower *l) { return binary(l, sub_body); }
NrStatus nr_lower_mul_op(NrLower *l) { return binary(l, mul_body); }
