/* ml.c - ops of domain ai.onnx.ml that are element-wise. */
#include "onnx/lower/core/body.h"

/* The threshold is a float, so integers are compared as floats. */
static NrValue *binarizer_body(NrLower *l, NrValue *const *a, void *user) {
  NrValue *x = nr_lower_cast(l, a[0], nr_lower_dtype(l, 0), NORIA_F64, true);
  NrValue *above = nr_lower_cmpf(l, NR_CMPF_OGT, x, num(l, x, nr_lower_attr_float(l, "threshold")));
  return nr_lower_select(l, above, num(l, a[0], 1), num(l, a[0], 0));
}

NrStatus nr_lower_ml_binarizer(NrLower *l) {
  return nr_lower_out(l, 0, nr_lower_map(l, (NrValue *[]){nr_lower_in(l, 0)}, 1, NULL, binarizer_body, NULL),
                      nr_lower_dtype(l, 0));
}
