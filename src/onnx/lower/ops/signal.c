/* signal.c - ops for signals: HannWindow, HammingWindow, BlackmanWindow. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"

/* A window is a sum of cosines: element i is a - b * cos(x) + c * cos(2 * x) where x = i * 2 * pi / divisor. */
typedef struct Window {
  NrValue *step; /* 2 * pi / divisor */
  double a, b, c;
  NoriaDType dtype;
} Window;

static NrValue *cosine(NrLower *l, NrValue *x) { return nr_lower_op1(l, NR_OP_math_cos, x->type, x); }

static NrValue *window_body(NrLower *l, NrValue *const *indices, void *user) {
  const Window *w = user;
  NrType type = w->step->type;
  NrValue *i = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), indices[0]);
  NrValue *x = nr_lower_mul(l, nr_lower_op1(l, NR_OP_arith_sitofp, type, i), w->step);
  NrValue *sum = nr_lower_sub(l, nr_lower_float(l, type, w->a),
                              nr_lower_mul(l, nr_lower_float(l, type, w->b), cosine(l, x)));
  if (w->c != 0)
    sum = nr_lower_add(l, sum, nr_lower_mul(l, nr_lower_float(l, type, w->c), cosine(l, nr_lower_add(l, x, x))));
  return nr_lower_cast(l, sum, NORIA_F64, w->dtype, true);
}

static NrStatus window(NrLower *l, double a, double b, double c) {
  Window w = {.a = a, .b = b, .c = c, .dtype = (NoriaDType)nr_lower_attr_int(l, "output_datatype")};
  NrType elem = nr_lower_elem_type(l->ctx, w.dtype);
  if (!elem || !(nr_dtype_is_float(w.dtype) || nr_dtype_is_int(w.dtype)))
    return nr_lower_error(l, "output_datatype %d is no type of numbers", (int)w.dtype);
  NrType type = nr_type_f64(l->ctx); /* the sum is near 0 at both ends, where f32 has few digits left */
  NrDim size = nr_dim_of_index(nr_lower_as_index(l, nr_lower_scalar(l, nr_lower_in(l, 0))));
  if (!nr_lower_size(l, &size)) return NR_ERROR_INVALID;
  NrDim divisor = nr_lower_attr_int(l, "periodic") ? size : nr_dim_sub(l, size, nr_dim(1));
  NrValue *whole = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), nr_dim_value(l, divisor));
  w.step = nr_lower_op2(l, NR_OP_arith_divf, type, nr_lower_float(l, type, 0x1.921fb54442d18p+2),
                        nr_lower_op1(l, NR_OP_arith_sitofp, type, whole));
  NrShape shape = {1, {size}};
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, elem, window_body, &w), w.dtype);
}

NrStatus nr_lower_hann_window(NrLower *l) { return window(l, 0.5, 0.5, 0); }
NrStatus nr_lower_hamming_window(NrLower *l) { return window(l, 25.0 / 46, 21.0 / 46, 0); }
NrStatus nr_lower_blackman_window(NrLower *l) { return window(l, 0.42, 0.5, 0.08); }
