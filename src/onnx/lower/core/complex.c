/* complex.c - tensors of complex numbers as tensors of their real and imaginary parts. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/state.h"

static NrValue *part_body(NrLower *l, NrValue *const *args, void *user) {
  bool is_real = *(const NrPart *)user == NR_REAL;
  return nr_lower_op1(l, is_real ? NR_OP_complex_re : NR_OP_complex_im, args[0]->type->elem, args[0]);
}

NrValue *nr_lower_parts_of(NrLower *l, NrValue *tensor, NrPart part) {
  return nr_lower_map(l, &tensor, 1, tensor->type->elem->elem, part_body, &part);
}

static NrValue *create_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_op2(l, NR_OP_complex_create, *(const NrType *)user, args[0], args[1]);
}

NrValue *nr_lower_of_parts(NrLower *l, NrValue *real, NrValue *imaginary) {
  NrType elem = nr_type_complex(real->type->elem);
  return nr_lower_map(l, (NrValue *[]){real, imaginary}, 2, elem, create_body, &elem);
}

/* What the op finds as its first input. */
static void set_first_input(NrLower *l, NrLowered *value) {
  size_t first = 0;
  nr_map_set(&l->state->values, nr_operand(l->op, first), value);
}

NrStatus nr_lower_by_parts(NrLower *l, NrLowerFn lower) {
  NrLowered whole = {nr_lower_in(l, 0), nr_lower_dtype(l, 0)}, *kept = NR_NEW(&l->state->arena, NrLowered);
  NrValue *parts[2];
  NrStatus status = NR_OK;
  if (l->op->num_results != 1) return nr_lower_error(l, "has %u outputs; the op gives one", l->op->num_results);
  *kept = whole;
  for (size_t i = 0; i < 2 && !status; i++) {
    l->part = i ? NR_IMAGINARY : NR_REAL;
    NrValue *x = nr_lower_parts_of(l, whole.value, l->part);
    NrLowered part = {x, nr_dtype_of(x->type)};
    set_first_input(l, &part);
    status = lower(l);
    if (!status) status = l->state->refused;
    set_first_input(l, kept);
    if (!status) parts[i] = ((NrLowered *)nr_map_get(&l->state->values, nr_op_result(l->op)))->value;
  }
  l->part = NR_WHOLE;
  return status ? status : nr_lower_out(l, 0, nr_lower_of_parts(l, parts[0], parts[1]), whole.dtype);
}
