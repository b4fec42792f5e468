/* invert.c - Det and Inverse, by elimination in f64 (lib/eliminate.mlir). */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/core/state.h"
#include "onnx/lower/ops/resample.h"

typedef struct Matrices {
  NrValue *x; /* [batch, n, n], of dtype */
  NoriaDType dtype;
  NrDim n;
} Matrices;

/* at: batch, row, column. What is to the right of a matrix is the identity. */
static NrValue *matrix_body(NrLower *l, NrValue *const *at, void *user) {
  const Matrices *m = user;
  NrValue *n = nr_dim_value(l, m->n), *column = nr_lower_clamp_index(l, at[2], m->n);
  NrValue *x = nr_lower_extract(l, m->x, (NrValue *[]){at[0], at[1], column}, 3);
  x = nr_lower_cast(l, x, m->dtype, NORIA_F64, true);
  NrValue *diagonal = nr_lower_cmpi(l, NR_CMPI_EQ, sub(l, at[2], n), at[1]);
  NrValue *unit = nr_lower_select(l, diagonal, num(l, x, 1), num(l, x, 0));
  return nr_lower_select(l, nr_lower_cmpi(l, NR_CMPI_ULT, at[2], n), x, unit);
}

static NrValue *right_body(NrLower *l, NrValue *const *at, void *user) {
  const Matrices *m = user;
  NrValue *place[3] = {at[0], at[1], add(l, at[2], nr_dim_value(l, m->n))};
  return nr_lower_cast(l, nr_lower_extract(l, m->x, place, 3), NORIA_F64, m->dtype, true);
}

static NrValue *det_body(NrLower *l, NrValue *const *args, void *user) {
  return nr_lower_cast(l, args[0], NORIA_F64, *(const NoriaDType *)user, true);
}

/* Eliminates in matrices with `times` * n columns. */
static NrStatus eliminate(NrLower *l, Matrices *m, NrShape *shape, int64_t times, NrValue *out[2]) {
  NrValue *x = nr_lower_in(l, 0);
  size_t rank = nr_rank(x);
  m->dtype = nr_lower_dtype(l, 0);
  if (rank < 2) return nr_lower_error(l, "X has rank %zu, not 2 or more", rank);
  *shape = nr_lower_shape(l, x);
  m->n = shape->dims[rank - 1];
  if (!nr_lower_expect_dim(l, "X", x, rank - 2, m->n)) return NR_ERROR_INVALID;
  NrShape flat = {3, {nr_shape_elements(l, shape, 0, rank - 2), m->n, m->n}}, wide = flat;
  wide.dims[2] = nr_dim_mul(l, m->n, nr_dim(times));
  m->x = nr_lower_reshape(l, x, &flat);
  NrValue *input = nr_lower_generate(l, &wide, nr_type_f64(l->ctx), matrix_body, m);
  NR_TRY(nr_lower_kernel(l, "eliminate", (NrStr){0}, &input, 1, out, 2));
  for (size_t i = 0; i < 3; i++) nr_lower_set_dim(l, out[0], i, wide.dims[i]);
  nr_lower_set_dim(l, out[1], 0, wide.dims[0]);
  return NR_OK;
}

NrStatus nr_lower_det(NrLower *l) {
  Matrices m;
  NrShape shape;
  NrValue *out[2];
  NR_TRY(eliminate(l, &m, &shape, 1, out));
  shape.rank -= 2;
  NrType elem = nr_lower_in(l, 0)->type->elem;
  NrValue *dets = nr_lower_map(l, &out[1], 1, elem, det_body, &m.dtype);
  return nr_lower_out(l, 0, nr_lower_reshape(l, dets, &shape), m.dtype);
}

NrStatus nr_lower_inverse(NrLower *l) {
  Matrices m;
  NrShape shape;
  NrValue *out[2];
  NR_TRY(eliminate(l, &m, &shape, 2, out));
  NrShape flat = {3, {nr_shape_elements(l, &shape, 0, shape.rank - 2), m.n, m.n}};
  m.x = out[0];
  NrType elem = nr_lower_in(l, 0)->type->elem;
  NrValue *inverse = nr_lower_generate(l, &flat, elem, right_body, &m);
  return nr_lower_out(l, 0, nr_lower_reshape(l, inverse, &shape), m.dtype);
}
