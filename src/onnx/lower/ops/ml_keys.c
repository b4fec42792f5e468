/* ml_keys.c - see ml.h: finds elements among constant values. Numbers by a binary search without branches, whose steps
 * are written out; strings by the runtime. */
#include "onnx/lower/ops/ml.h"
#include "onnx/lower/ops/sequence.h"

#include <math.h>
#include <stdlib.h>

/* A value and the place where it was given. */
typedef struct Given {
  union {
    int64_t i;
    double f;
    NrStr s;
  };
  size_t place;
} Given;

/* Equal ones in the order of their places. */
static int by_place(const Given *a, const Given *b) { return (a->place > b->place) - (a->place < b->place); }

static int by_int(const void *x, const void *y) {
  const Given *a = x, *b = y;
  return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : by_place(a, b);
}

static int by_float(const void *x, const void *y) {
  const Given *a = x, *b = y;
  return a->f != b->f ? (a->f > b->f) - (a->f < b->f) : by_place(a, b);
}

/* By bytes, a prefix first: as the runtime searches. */
static int by_string(const void *x, const void *y) {
  const Given *a = x, *b = y;
  size_t least = NR_MIN(a->s.size, b->s.size);
  int order = least ? memcmp(a->s.data, b->s.data, least) : 0;
  if (order) return order;
  return a->s.size != b->s.size ? (a->s.size > b->s.size) - (a->s.size < b->s.size) : by_place(a, b);
}

static bool same(const Given *a, const Given *b, NoriaDType dtype) {
  if (dtype == NORIA_STRING) return nr_str_eq(a->s, b->s);
  return dtype == NORIA_I64 ? a->i == b->i : a->f == b->f;
}

/* Sorts, and keeps the last of equal ones. */
static NrMlKeys sorted(NrLower *l, Given *given, size_t count, NoriaDType dtype) {
  if (count)
    qsort(given, count, sizeof *given, dtype == NORIA_STRING ? by_string : dtype == NORIA_I64 ? by_int : by_float);
  NrMlKeys keys = {.dtype = dtype, .nan = -1, .order = NR_NEW_ARRAY(&l->state->arena, size_t, count + 1)};
  for (size_t i = 0; i < count; i++) {
    if (i + 1 < count && same(&given[i], &given[i + 1], dtype)) continue;
    given[keys.count] = given[i];
    keys.order[keys.count++] = given[i].place;
  }
  return keys;
}

/* The table is filled up to a power of two with the last key, so that the search needs no test of bounds. */
static size_t padded(size_t count) {
  size_t n = 1;
  while (n < count) n *= 2;
  return n;
}

static NrValue *number_table(NrLower *l, const Given *given, size_t count, NoriaDType dtype) {
  size_t n = padded(count), size = dtype == NORIA_F32 ? sizeof(float) : sizeof(double);
  char *data = nr_arena_alloc_array(&l->state->arena, n, size);
  for (size_t i = 0; i < n; i++) {
    const Given *g = &given[NR_MIN(i, count - 1)];
    float narrow = (float)g->f;
    const void *wide = dtype == NORIA_I64 ? (const void *)&g->i : &g->f;
    memcpy(data + i * size, dtype == NORIA_F32 ? &narrow : wide, size);
  }
  NrType type = nr_type_tensor(&(int64_t){(int64_t)n}, 1, nr_lower_elem_type(l->ctx, dtype));
  return nr_lower_dense(l, nr_attr_dense(type, data, n * size));
}

NrMlKeys nr_ml_keys_ints(NrLower *l, const int64_t *values, size_t count) {
  Given *given = NR_NEW_ARRAY(&l->state->arena, Given, count + 1);
  for (size_t i = 0; i < count; i++) given[i] = (Given){.i = values[i], .place = i};
  NrMlKeys keys = sorted(l, given, count, NORIA_I64);
  if (keys.count) keys.table = number_table(l, given, keys.count, NORIA_I64);
  return keys;
}

NrMlKeys nr_ml_keys_floats(NrLower *l, const double *values, size_t count, NoriaDType dtype) {
  Given *given = NR_NEW_ARRAY(&l->state->arena, Given, count + 1);
  size_t n = 0;
  int64_t nan = -1;
  for (size_t i = 0; i < count; i++)
    if (isnan(values[i])) nan = (int64_t)i;
    else given[n++] = (Given){.f = values[i], .place = i};
  NrMlKeys keys = sorted(l, given, n, dtype);
  if (keys.count) keys.table = number_table(l, given, keys.count, dtype);
  keys.nan = nan;
  return keys;
}

NrMlKeys nr_ml_keys_strings(NrLower *l, const NrStr *values, size_t count) {
  Given *given = NR_NEW_ARRAY(&l->state->arena, Given, count + 1);
  NrStr *strings = NR_NEW_ARRAY(&l->state->arena, NrStr, count + 1);
  for (size_t i = 0; i < count; i++) given[i] = (Given){.s = values[i], .place = i};
  NrMlKeys keys = sorted(l, given, count, NORIA_STRING);
  for (size_t i = 0; i < keys.count; i++) strings[i] = given[i].s;
  if (keys.count) keys.table = nr_ml_string_tensor(l, strings, keys.count);
  return keys;
}

/* ---- the search ---- */

typedef struct Find {
  const NrMlKeys *keys;
  NoriaDType dtype;  /* of the elements */
  NrValue *places;   /* i64: the given value of each key, padded as the keys are */
  int64_t count;
} Find;

static NrValue *number_body(NrLower *l, NrValue *const *a, void *user) {
  const Find *f = user;
  NrValue *x = nr_lower_cast(l, a[0], f->dtype, f->keys->dtype, false), *at = nr_lower_index(l, 0);
  NrValue *none = nr_lower_int(l, nr_type_i64(l->ctx), f->count);
  bool real = f->keys->dtype != NORIA_I64;
  for (size_t step = padded(f->keys->count) / 2; step; step /= 2) {
    NrValue *next = add(l, at, nr_lower_index(l, (int64_t)step)), *key = nr_lower_extract(l, f->keys->table, &next, 1);
    NrValue *below = real ? nr_lower_cmpf(l, NR_CMPF_OLE, key, x) : nr_lower_cmpi(l, NR_CMPI_SLE, key, x);
    at = nr_lower_select(l, below, next, at);
  }
  NrValue *key = nr_lower_extract(l, f->keys->table, &at, 1);
  NrValue *equal = real ? nr_lower_cmpf(l, NR_CMPF_OEQ, key, x) : nr_lower_cmpi(l, NR_CMPI_EQ, key, x);
  NrValue *place = nr_lower_select(l, equal, nr_lower_extract(l, f->places, &at, 1), none);
  if (f->keys->nan < 0) return place;
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_UNO, x, x), nr_lower_int(l, none->type, f->keys->nan), place);
}

static NrValue *only_nan_body(NrLower *l, NrValue *const *a, void *user) {
  const Find *f = user;
  NrValue *none = nr_lower_int(l, nr_type_i64(l->ctx), f->count);
  if (f->keys->nan < 0 || !nr_type_is_float(a[0]->type)) return none;
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_UNO, a[0], a[0]), nr_lower_int(l, none->type, f->keys->nan), none);
}

static NrValue *find_strings(NrLower *l, const Find *f, NrValue *x) {
  NrShape shape = nr_lower_shape(l, x), flat = {1, {nr_shape_elements(l, &shape, 0, shape.rank)}};
  NrValue *args[2] = {f->keys->table, nr_lower_reshape(l, x, &flat)};
  NrType open = nr_open_tensor_type(1, nr_type_i64(l->ctx));
  NrValue *found = nr_lower_tensor_cast(l, nr_lower_call(l, "string_find", args, 2, open),
                                        nr_shape_type(l, &flat, nr_type_i64(l->ctx)));
  nr_lower_set_dim(l, found, 0, flat.dims[0]);
  NrMlValues places = {NORIA_I64, f->keys->count + 1, f->places};
  return nr_lower_reshape(l, nr_ml_choose(l, found, &places), &shape);
}

NrValue *nr_ml_find(NrLower *l, const NrMlKeys *keys, size_t count, NrValue *x, NoriaDType dtype) {
  Find f = {.keys = keys, .dtype = dtype, .count = (int64_t)count};
  NrType i64 = nr_type_i64(l->ctx);
  if (!keys->count && dtype == NORIA_STRING) {
    NrShape shape = nr_lower_shape(l, x);
    return nr_lower_fill(l, &shape, nr_lower_int(l, i64, f.count));
  }
  if (!keys->count) return nr_lower_map(l, &x, 1, i64, only_nan_body, &f);
  bool strings = keys->dtype == NORIA_STRING;
  size_t n = strings ? keys->count + 1 : padded(keys->count);
  int64_t *places = NR_NEW_ARRAY(&l->state->arena, int64_t, n);
  for (size_t i = 0; i < n; i++) places[i] = (int64_t)keys->order[NR_MIN(i, keys->count - 1)];
  if (strings) places[keys->count] = f.count;
  f.places = nr_ml_i64s(l, places, n);
  return strings ? find_strings(l, &f, x) : nr_lower_map(l, &x, 1, i64, number_body, &f);
}
