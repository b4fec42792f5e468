/* string.c - tensors of strings in Cast and Equal: calls of the runtime (src/runtime/imports.c). */
#include "onnx/lower/ops/string.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/core/state.h"

/* Casts the result of a call, which has dynamic dims, to this shape. */
static NrValue *of_shape(NrLower *l, NrValue *open, const NrShape *shape) {
  NrValue *value = nr_lower_tensor_cast(l, open, nr_shape_type(l, shape, open->type->elem));
  for (size_t i = 0; i < shape->rank; i++) nr_lower_set_dim(l, value, i, shape->dims[i]);
  return value;
}

NrValue *nr_lower_string_cast(NrLower *l, NrValue *tensor, NoriaDType from, NoriaDType to) {
  NrShape shape = nr_lower_shape(l, tensor);
  NrType type = nr_open_tensor_type((uint32_t)shape.rank, nr_lower_elem_type(l->ctx, to));
  NrValue *args[2] = {nr_lower_int(l, nr_type_i32(l->ctx), to == NORIA_STRING ? from : to), tensor};
  if (to != NORIA_STRING) return of_shape(l, nr_lower_call_at_site(l, "string_to", args, 2, type), &shape);
  return of_shape(l, nr_lower_call(l, "string_from", args, 2, type), &shape);
}

NrValue *nr_lower_string_equal(NrLower *l, NrValue *const *tensors) {
  NrShape shapes[2], shape;
  for (size_t i = 0; i < 2; i++) shapes[i] = nr_lower_shape(l, tensors[i]);
  if (!nr_lower_broadcast(l, shapes, 2, &shape)) return NULL;
  NrType type = nr_open_tensor_type((uint32_t)shape.rank, nr_type_i1(l->ctx));
  return of_shape(l, nr_lower_call_at_site(l, "string_equal", tensors, 2, type), &shape);
}
