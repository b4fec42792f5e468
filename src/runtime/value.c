/* value.c - reference counts and tensors. */
#include "runtime/internal.h"

#include <stdlib.h>

/* ---- references ------------------------------------------------------------------------------------------------- */

NoriaValue *noria_value_retain(const NoriaValue *value) {
  NoriaValue *v = (NoriaValue *)value;
  if (v) atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
  return v;
}

static void tensor_free_data(NoriaValue *v) {
  if (v->dtype == NORIA_STRING && v->as.tensor.data) {
    NoriaString **strings = v->as.tensor.data;
    for (int64_t i = 0; i < v->as.tensor.count; i++) nr_string_release(strings[i]);
  }
  if (v->as.tensor.account) nr_account_release(v->as.tensor.account, nr_value_cost(v));
  if (v->as.tensor.release) v->as.tensor.release(v->as.tensor.user);
}

void noria_value_release(NoriaValue *value) {
  /* Values nest at most four deep (optional, sequence, map, tensor), so this may recurse. */
  if (!value || atomic_fetch_sub_explicit(&value->refs, 1, memory_order_acq_rel) != 1) return;
  switch ((NoriaKind)value->kind) {
  case NORIA_KIND_TENSOR:
    tensor_free_data(value);
    break;
  case NORIA_KIND_SEQUENCE:
    nr_items_release(value->as.sequence.items);
    break;
  case NORIA_KIND_OPTIONAL:
    noria_value_release(value->as.item);
    break;
  case NORIA_KIND_MAP:
    noria_value_release(value->as.map.keys);
    noria_value_release(value->as.map.values);
    break;
  }
  free(value);
}

NoriaKind noria_value_kind(const NoriaValue *value) { return (NoriaKind)value->kind; }
NoriaDType noria_value_dtype(const NoriaValue *value) { return value->dtype; }

/* ---- making tensors --------------------------------------------------------------------------------------------- */

NoriaStatus nr_shape_size(NoriaDType dtype, int64_t rank, const int64_t *dims, int64_t *out_count, size_t *out_size,
                          NoriaError *error) {
  size_t element = noria_dtype_size(dtype);
  if (element == 0) return nr_error_set(error, NORIA_ERROR_INVALID, "%d is not an element type", (int)dtype);
  if (rank < 0 || rank > NORIA_MAX_RANK)
    return nr_error_set(error, NORIA_ERROR_INVALID, "rank %lld is not in 0..%d", (long long)rank, NORIA_MAX_RANK);
  if (rank > 0 && !dims) return nr_error_set(error, NORIA_ERROR_INVALID, "a tensor of rank %d needs dims", (int)rank);
  int64_t count = 1, size; /* of the dims that are not 0 */
  bool empty = false;
  for (int64_t i = 0; i < rank; i++) {
    if (dims[i] < 0)
      return nr_error_set(error, NORIA_ERROR_INVALID, "dim %d is negative: %lld", (int)i, (long long)dims[i]);
    empty |= dims[i] == 0;
  }
  for (int64_t i = 0; i < rank; i++)
    if (!nr_mul_i64(count, NR_MAX(dims[i], 1), &count) || count > NORIA_MAX_ELEMENTS)
      return nr_error_set(error, NORIA_ERROR_INVALID, "the dims multiply to more than %lld",
                          (long long)NORIA_MAX_ELEMENTS);
  if (empty) count = 0;
  if (!nr_mul_i64(count, (int64_t)element, &size))
    return nr_error_set(error, NORIA_ERROR_INVALID, "the size in bytes does not fit 64 bits");
  *out_count = count;
  *out_size = (size_t)size;
  return NORIA_OK;
}

NoriaValue *nr_tensor_new(NoriaDType dtype, int64_t rank, const int64_t *dims, void *data, NoriaReleaseFn release,
                          void *user) {
  NoriaValue *v = malloc(sizeof(NoriaValue) + (size_t)rank * sizeof(int64_t));
  if (!v) return NULL;
  atomic_init(&v->refs, 1);
  v->kind = NORIA_KIND_TENSOR;
  v->key_dtype = NORIA_UNDEFINED;
  v->read_only = false;
  v->dtype = dtype;
  v->run = NULL;
  uint64_t count = 1; /* wraps beside a dim of 0 only */
  for (int64_t i = 0; i < rank; i++) {
    v->dims[i] = dims[i];
    count *= (uint64_t)dims[i];
  }
  v->as.tensor.rank = rank;
  v->as.tensor.count = (int64_t)count;
  v->as.tensor.size = (size_t)count * noria_dtype_size(dtype);
  v->as.tensor.data = data;
  v->as.tensor.release = release;
  v->as.tensor.user = user;
  v->as.tensor.account = NULL;
  return v;
}

void *nr_aligned_malloc(size_t size, void **out_base) {
  size_t bytes;
  /* malloc plus rounding keeps small blocks in malloc's fast path, which aligned_alloc does not. */
  if (!nr_add_size(size, 64, &bytes)) return NULL;
  char *base = malloc(bytes);
  if (!base) return NULL;
  *out_base = base;
  return base + (-(uintptr_t)base & 63);
}

NoriaValue *nr_tensor_alloc(NoriaDType dtype, int64_t rank, const int64_t *dims, int64_t count, size_t size) {
  void *base, *data = nr_aligned_malloc(size, &base);
  if (!data) return NULL;
  if (dtype == NORIA_STRING) memset(data, 0, size);
  NoriaValue *v = nr_tensor_new(dtype, rank, dims, data, free, base);
  if (!v) free(base);
  return v;
}

NoriaStatus noria_tensor_create(NoriaDType dtype, int64_t rank, const int64_t *dims, const void *data,
                                NoriaValue **out_value, NoriaError *error) {
  int64_t count;
  size_t size;
  *out_value = NULL;
  NoriaStatus status = nr_shape_size(dtype, rank, dims, &count, &size, error);
  if (status) return status;
  if (dtype == NORIA_STRING)
    return nr_error_set(error, NORIA_ERROR_INVALID, "string tensors are made by noria_tensor_create_strings");
  NoriaValue *v = nr_tensor_alloc(dtype, rank, dims, count, size);
  if (!v) return nr_error_set_memory(error, size);
  if (data && size)
    memcpy(v->as.tensor.data, data, size);
  else
    memset(v->as.tensor.data, 0, size);
  *out_value = v;
  return NORIA_OK;
}

size_t nr_dtype_alignment(NoriaDType dtype) {
  size_t size = noria_dtype_size(dtype);
  return dtype == NORIA_C64 || dtype == NORIA_C128 ? size / 2 : size;
}

NoriaStatus noria_tensor_wrap(NoriaDType dtype, int64_t rank, const int64_t *dims, void *data, NoriaReleaseFn release,
                              void *user, NoriaValue **out_value, NoriaError *error) {
  int64_t count;
  size_t size;
  *out_value = NULL;
  NoriaStatus status = nr_shape_size(dtype, rank, dims, &count, &size, error);
  if (status) return status;
  if (dtype == NORIA_STRING) return nr_error_set(error, NORIA_ERROR_INVALID, "string tensors cannot wrap memory");
  if (!data && count > 0) return nr_error_set(error, NORIA_ERROR_INVALID, "%lld elements at NULL", (long long)count);
  if ((uintptr_t)data % nr_dtype_alignment(dtype) != 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the data is not aligned to its %s elements",
                        noria_dtype_name(dtype));
  NoriaValue *v = nr_tensor_new(dtype, rank, dims, data, release, user);
  if (!v) return nr_error_set_memory(error, sizeof(NoriaValue));
  *out_value = v;
  return NORIA_OK;
}

NoriaStatus noria_tensor_create_strings(int64_t rank, const int64_t *dims, const char *const *strings,
                                        const size_t *sizes, NoriaValue **out_value, NoriaError *error) {
  int64_t count;
  size_t size;
  *out_value = NULL;
  NoriaStatus status = nr_shape_size(NORIA_STRING, rank, dims, &count, &size, error);
  if (status) return status;
  if (!strings && count > 0) return nr_error_set(error, NORIA_ERROR_INVALID, "%lld strings at NULL", (long long)count);
  NoriaValue *v = nr_tensor_alloc(NORIA_STRING, rank, dims, count, size);
  if (!v) return nr_error_set_memory(error, size);
  NoriaString **elements = v->as.tensor.data;
  for (int64_t i = 0; i < count; i++) {
    const char *text = strings[i];
    size_t bytes = sizes ? sizes[i] : text ? strlen(text) : 0;
    if (!text && (bytes > 0 || !sizes)) {
      noria_value_release(v);
      return nr_error_set(error, NORIA_ERROR_INVALID, "string %lld is NULL", (long long)i);
    }
    if (!(elements[i] = nr_string_new(text, bytes))) {
      noria_value_release(v);
      return nr_error_set_memory(error, bytes);
    }
  }
  *out_value = v;
  return NORIA_OK;
}

/* ---- looking at tensors ----------------------------------------------------------------------------------------- */

static bool is_tensor(const NoriaValue *value) { return value->kind == NORIA_KIND_TENSOR; }

int64_t noria_tensor_rank(const NoriaValue *tensor) { return is_tensor(tensor) ? tensor->as.tensor.rank : 0; }
const int64_t *noria_tensor_dims(const NoriaValue *tensor) { return is_tensor(tensor) ? tensor->dims : NULL; }
int64_t noria_tensor_count(const NoriaValue *tensor) { return is_tensor(tensor) ? tensor->as.tensor.count : 0; }
size_t noria_tensor_size(const NoriaValue *tensor) { return is_tensor(tensor) ? tensor->as.tensor.size : 0; }

const void *noria_tensor_data(const NoriaValue *tensor) {
  return is_tensor(tensor) && tensor->dtype != NORIA_STRING ? tensor->as.tensor.data : NULL;
}

void *noria_tensor_mutable_data(NoriaValue *tensor) {
  return tensor->read_only ? NULL : (void *)noria_tensor_data(tensor);
}

const char *noria_tensor_string(const NoriaValue *tensor, int64_t index, size_t *out_size) {
  if (!is_tensor(tensor) || tensor->dtype != NORIA_STRING || index < 0 || index >= tensor->as.tensor.count) return NULL;
  const NoriaString *s = ((NoriaString *const *)tensor->as.tensor.data)[index];
  if (out_size) *out_size = (size_t)s->size;
  return s->data;
}
