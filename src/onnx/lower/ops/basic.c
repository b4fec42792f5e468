/* basic.c - Constant and Identity. */
#include "onnx/lower/core/state.h"

#include "dialect/onnx/dtype.h"

static NrStatus list(NrLower *l, NrType elem, const void *data, size_t size, NoriaDType dtype) {
  int64_t n = (int64_t)(size / nr_type_byte_size(elem));
  return nr_lower_out(l, 0, nr_lower_dense(l, nr_attr_dense(nr_type_tensor(&n, 1, elem), data, size)), dtype);
}

NrStatus nr_lower_constant_op(NrLower *l) {
  NrAttr value = nr_lower_attr(l, "value"), a;
  if (!value) value = nr_lower_attr(l, "sparse_value"); /* the reader made it dense */
  NrContext *ctx = l->ctx;
  const int64_t *ints;
  const float *floats;
  size_t count;
  if (nr_attr_is_elements(value)) {
    NoriaDType dtype = nr_dtype_of(value->type);
    return nr_lower_out(l, 0, nr_lower_dense(l, nr_attr_retyped(value, nr_type_lowered(value->type))), dtype);
  }
  if (value && value->kind == NR_ATTR_DENSE_STRINGS) return nr_lower_out(l, 0, nr_lower_dense(l, value), NORIA_STRING);
  if ((a = nr_lower_attr(l, "value_float")))
    return nr_lower_out(l, 0, nr_lower_from_scalar(l, nr_lower_float(l, nr_type_f32(ctx), a->f)), NORIA_F32);
  if ((a = nr_lower_attr(l, "value_int")))
    return nr_lower_out(l, 0, nr_lower_from_scalar(l, nr_lower_int(l, nr_type_i64(ctx), a->i)), NORIA_I64);
  if (nr_lower_attr_ints(l, "value_ints", &ints, &count))
    return list(l, nr_type_i64(ctx), ints, count * sizeof *ints, NORIA_I64);
  if (nr_lower_attr_floats(l, "value_floats", &floats, &count))
    return list(l, nr_type_f32(ctx), floats, count * sizeof *floats, NORIA_F32);
  if ((a = nr_lower_attr(l, "value_string"))) {
    NrType type = nr_type_tensor(NULL, 0, nr_type_string(ctx));
    return nr_lower_out(l, 0, nr_lower_dense(l, nr_attr_dense_strings(type, &a->s, 1)), NORIA_STRING);
  }
  if ((a = nr_lower_attr(l, "value_strings"))) {
    NrStr *strings = NR_NEW_ARRAY(&l->state->arena, NrStr, a->size);
    for (size_t i = 0; i < a->size; i++) strings[i] = a->items[i]->s;
    int64_t n = (int64_t)a->size;
    NrType type = nr_type_tensor(&n, 1, nr_type_string(ctx));
    return nr_lower_out(l, 0, nr_lower_dense(l, nr_attr_dense_strings(type, strings, a->size)), NORIA_STRING);
  }
  return nr_lower_error(l, "the constant has no value");
}

NrStatus nr_lower_identity(NrLower *l) { return nr_lower_out(l, 0, nr_lower_in(l, 0), nr_lower_dtype(l, 0)); }
