/* map.c - maps: a tensor of keys, sorted, and one of their values. Maps that a program made of the rows of a matrix
 * share their keys. */
#include "runtime/internal.h"

#include <stdlib.h>

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static int order_of(NoriaDType dtype, const void *a, const void *b) {
  if (dtype == NORIA_STRING) return nr_string_order(*(NoriaString *const *)a, *(NoriaString *const *)b);
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static const char *element(const NoriaValue *tensor, int64_t i) {
  return (const char *)tensor->as.tensor.data + (size_t)i * noria_dtype_size(tensor->dtype);
}

int64_t nr_map_find(const NoriaValue *keys, const void *key) {
  int64_t low = 0, high = keys->as.tensor.count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = order_of(keys->dtype, element(keys, middle), key);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

typedef struct Place {
  const void *key;
  NoriaDType dtype;
  int64_t place;
} Place;

static int by_key(const void *a, const void *b) {
  const Place *x = a, *y = b;
  return order_of(x->dtype, x->key, y->key);
}

/* ---- making maps ------------------------------------------------------------------------------------------------ */

NoriaValue *nr_map_new(NoriaValue *keys, NoriaValue *values) {
  NoriaValue *v = keys && values ? nr_handle_new(NORIA_KIND_MAP, values->dtype) : NULL;
  if (!v) {
    noria_value_release(keys);
    noria_value_release(values);
    return NULL;
  }
  v->key_dtype = (uint8_t)keys->dtype;
  v->as.map.keys = keys;
  v->as.map.values = values;
  return v;
}

/* The elements of a tensor of one dim in another order. NULL without memory. */
static NoriaValue *reordered(const NoriaValue *tensor, const Place *order) {
  int64_t count = tensor->as.tensor.count;
  size_t size = noria_dtype_size(tensor->dtype);
  NoriaValue *v = nr_tensor_alloc(tensor->dtype, 1, &count, count, tensor->as.tensor.size);
  bool ok = v != NULL;
  for (int64_t i = 0; i < count && ok; i++) {
    char *to = (char *)v->as.tensor.data + (size_t)i * size;
    const char *from = element(tensor, order[i].place);
    if (tensor->dtype != NORIA_STRING) memcpy(to, from, size);
    else ok = (*(NoriaString **)to = nr_string_retain(*(NoriaString *const *)from)) != NULL;
  }
  if (ok) return v;
  noria_value_release(v);
  return NULL;
}

static NoriaStatus same_key(const void *key, NoriaDType dtype, NoriaError *error) {
  if (dtype == NORIA_STRING)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the key '%s' occurs twice", (*(NoriaString *const *)key)->data);
  int64_t number;
  memcpy(&number, key, sizeof number);
  return nr_error_set(error, NORIA_ERROR_INVALID, "the key %lld occurs twice", (long long)number);
}

NoriaStatus noria_map_create(const NoriaValue *keys, const NoriaValue *values, NoriaValue **out_value,
                             NoriaError *error) {
  *out_value = NULL;
  if (!keys || keys->kind != NORIA_KIND_TENSOR || (keys->dtype != NORIA_I64 && keys->dtype != NORIA_STRING) ||
      keys->as.tensor.rank != 1)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the keys of a map are a tensor of int64 or strings of rank 1");
  if (!values || values->kind != NORIA_KIND_TENSOR || values->as.tensor.rank != 1)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the values of a map are a tensor of rank 1");
  int64_t count = keys->as.tensor.count;
  if (values->as.tensor.count != count)
    return nr_error_set(error, NORIA_ERROR_INVALID, "a map has %lld keys but %lld values", (long long)count,
                        (long long)values->as.tensor.count);
  Place *order = calloc((size_t)count + 1, sizeof *order);
  if (!order) return nr_error_set_memory(error, ((size_t)count + 1) * sizeof *order);
  bool sorted = true;
  for (int64_t i = 0; i < count; i++) {
    order[i] = (Place){element(keys, i), keys->dtype, i};
    sorted &= i == 0 || by_key(&order[i - 1], &order[i]) < 0;
  }
  NoriaStatus status = NORIA_OK;
  if (!sorted) qsort(order, (size_t)count, sizeof *order, by_key);
  for (int64_t i = 1; i < count && !sorted && !status; i++)
    if (by_key(&order[i - 1], &order[i]) == 0) status = same_key(order[i].key, keys->dtype, error);
  if (!status) {
    *out_value = sorted ? nr_map_new(noria_value_retain(keys), noria_value_retain(values))
                        : nr_map_new(reordered(keys, order), reordered(values, order));
    if (!*out_value) status = nr_error_set_memory(error, sizeof(NoriaValue));
  }
  free(order);
  return status;
}

const NoriaValue *noria_map_keys(const NoriaValue *map) {
  return map->kind == NORIA_KIND_MAP ? map->as.map.keys : NULL;
}

const NoriaValue *noria_map_values(const NoriaValue *map) {
  return map->kind == NORIA_KIND_MAP ? map->as.map.values : NULL;
}

NoriaDType noria_value_key_dtype(const NoriaValue *value) { return (NoriaDType)value->key_dtype; }
