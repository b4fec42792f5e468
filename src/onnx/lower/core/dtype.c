/* dtype.c - what lowerings ask of an element type: its class, its name, its type in IR. See lower.h. */
#include "base/dtype.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/lower.h"

static NrDTypeClass class_of(NoriaDType t) { return nr_dtype_info(t)->class; }

const char *nr_dtype_name(NoriaDType t) { return nr_dtype_info(t)->name; }
bool nr_dtype_is_unsigned(NoriaDType t) { return class_of(t) == NR_DTYPE_UNSIGNED; }
bool nr_dtype_is_int(NoriaDType t) { return class_of(t) == NR_DTYPE_UNSIGNED || class_of(t) == NR_DTYPE_SIGNED; }
bool nr_dtype_is_float(NoriaDType t) { return class_of(t) == NR_DTYPE_FLOAT; }
bool nr_dtype_is_complex(NoriaDType t) { return class_of(t) == NR_DTYPE_COMPLEX; }

NrType nr_lower_elem_type(NrContext *ctx, NoriaDType dtype) {
  NrType t = nr_dtype_type(ctx, dtype);
  return t ? nr_type_lowered(t) : NULL;
}
