/* ml_read.c - see ml.h: inputs and attributes of the ops of domain ai.onnx.ml. */
#include "onnx/lower/ops/ml.h"

#include "dialect/onnx/dtype.h"

NoriaDType nr_ml_real(NoriaDType dtype) { return dtype == NORIA_F64 ? NORIA_F64 : NORIA_F32; }

static NrValue *convert_body(NrLower *l, NrValue *const *a, void *user) {
  const NoriaDType *types = user;
  return nr_lower_cast(l, a[0], types[0], types[1], false);
}

NrValue *nr_ml_convert(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to) {
  NoriaDType types[2] = {from, to};
  return from == to || !x ? x : nr_lower_map(l, &x, 1, nr_lower_elem_type(l->ctx, to), convert_body, types);
}

NrValue *nr_ml_matrix(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrShape s = nr_lower_shape(l, x);
  if (s.rank != 1 && s.rank != 2) return nr_lower_error(l, "X has rank %zu, not 1 or 2", s.rank), NULL;
  if (s.rank == 1) x = nr_lower_reshape(l, x, &(NrShape){2, {nr_dim(1), s.dims[0]}});
  NoriaDType dtype = nr_lower_dtype(l, 0);
  return nr_ml_convert(l, x, dtype, nr_ml_real(dtype));
}

bool nr_ml_expect_features(NrLower *l, NrValue *x, int64_t features) {
  return nr_lower_expect_dim(l, "X", x, nr_rank(x) - 1, nr_dim(features));
}

NrValue *nr_ml_floats(NrLower *l, const float *data, const int64_t *dims, size_t rank, NrType elem) {
  NrType type = nr_type_tensor(dims, rank, nr_type_f32(l->ctx));
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  NrValue *narrow = nr_lower_dense(l, nr_attr_dense(type, data, count * sizeof *data));
  return nr_ml_convert(l, narrow, NORIA_F32, nr_dtype_of(elem));
}

NrValue *nr_ml_i64s(NrLower *l, const int64_t *data, size_t count) {
  NrType type = nr_type_tensor(&(int64_t){(int64_t)count}, 1, nr_type_i64(l->ctx));
  return nr_lower_dense(l, nr_attr_dense(type, data, count * sizeof *data));
}

const NrStr *nr_ml_strings(NrLower *l, const char *name, size_t *count) {
  NrAttr list = nr_lower_attr(l, name);
  *count = list ? list->size : 0;
  if (!*count) return NULL;
  NrStr *strings = NR_NEW_ARRAY(&l->state->arena, NrStr, *count);
  for (size_t i = 0; i < *count; i++) strings[i] = list->items[i]->s;
  return strings;
}

NrValue *nr_ml_string_tensor(NrLower *l, const NrStr *strings, size_t count) {
  NrType type = nr_type_tensor(&(int64_t){(int64_t)count}, 1, nr_lower_elem_type(l->ctx, NORIA_STRING));
  return nr_lower_dense(l, nr_attr_dense_strings(type, strings, count));
}

bool nr_ml_labels(NrLower *l, const char *ints, const char *strings, NrMlValues *out) {
  const int64_t *numbers = NULL;
  size_t num_ints = 0, num_strings;
  const NrStr *texts = nr_ml_strings(l, strings, &num_strings);
  nr_lower_attr_ints(l, ints, &numbers, &num_ints);
  if (num_ints && num_strings) return nr_lower_error(l, "has both %s and %s", ints, strings), false;
  *out = (NrMlValues){.dtype = num_strings ? NORIA_STRING : NORIA_I64, .count = num_ints + num_strings};
  if (num_strings) out->table = nr_ml_string_tensor(l, texts, num_strings);
  if (num_ints) out->table = nr_ml_i64s(l, numbers, num_ints);
  return true;
}

typedef struct Choose {
  NrValue *numbers, *table;
} Choose;

static NrValue *choose_body(NrLower *l, NrValue *const *indices, void *user) {
  const Choose *c = user;
  NrValue *number = nr_lower_as_index(l, nr_lower_extract(l, c->numbers, indices, nr_rank(c->numbers)));
  return nr_lower_extract(l, c->table, &number, 1);
}

NrValue *nr_ml_choose(NrLower *l, NrValue *numbers, const NrMlValues *values) {
  if (!numbers || !values->table) return numbers;
  NrShape shape = nr_lower_shape(l, numbers);
  Choose c = {numbers, values->table};
  return nr_lower_generate(l, &shape, values->table->type->elem, choose_body, &c);
}
