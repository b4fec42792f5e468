/* dlpack.c - tensors to and from other array libraries without copies. */
#include "noria/dlpack.h"

#include <stdlib.h>

#include "runtime/internal.h"

static const struct {
  NoriaDType dtype;
  uint8_t code, bits;
} types[] = {
    {NORIA_F32, DL_FLOAT, 32},
    {NORIA_F64, DL_FLOAT, 64},
    {NORIA_F16, DL_FLOAT, 16},
    {NORIA_BF16, DL_BFLOAT, 16},
    {NORIA_I8, DL_INT, 8},
    {NORIA_I16, DL_INT, 16},
    {NORIA_I32, DL_INT, 32},
    {NORIA_I64, DL_INT, 64},
    {NORIA_I4, DL_INT, 4},
    {NORIA_I2, DL_INT, 2},
    {NORIA_U8, DL_UINT, 8},
    {NORIA_U16, DL_UINT, 16},
    {NORIA_U32, DL_UINT, 32},
    {NORIA_U64, DL_UINT, 64},
    {NORIA_U4, DL_UINT, 4},
    {NORIA_U2, DL_UINT, 2},
    {NORIA_BOOL, DL_BOOL, 8},
    {NORIA_C64, DL_COMPLEX, 64},
    {NORIA_C128, DL_COMPLEX, 128},
    {NORIA_F8E4M3FN, DL_FLOAT8_E4M3FN, 8},
    {NORIA_F8E4M3FNUZ, DL_FLOAT8_E4M3FNUZ, 8},
    {NORIA_F8E5M2, DL_FLOAT8_E5M2, 8},
    {NORIA_F8E5M2FNUZ, DL_FLOAT8_E5M2FNUZ, 8},
    {NORIA_F8E8M0FNU, DL_FLOAT8_E8M0FNU, 8},
    {NORIA_F4E2M1FN, DL_FLOAT4_E2M1FN, 4},
    {NORIA_F6E2M3FN, DL_FLOAT6_E2M3FN, 6},
    {NORIA_F6E3M2FN, DL_FLOAT6_E3M2FN, 6},
};

/* ---- in ---------------------------------------------------------------------------------------------------------- */

static NoriaStatus dtype_from_dl(const DLTensor *t, bool padded, NoriaDType *out_dtype, NoriaError *error) {
  for (size_t i = 0; i < NR_COUNTOF(types) && t->dtype.lanes == 1; i++) {
    if (types[i].code != t->dtype.code || types[i].bits != t->dtype.bits) continue;
    if (types[i].bits < 8 && !padded)
      return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "packed %s elements", noria_dtype_name(types[i].dtype));
    *out_dtype = types[i].dtype;
    return NORIA_OK;
  }
  return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "DLPack type of code %d, %d bits, %d lanes", t->dtype.code,
                      t->dtype.bits, t->dtype.lanes);
}

static bool is_row_major(const DLTensor *t) {
  int64_t step = 1;
  if (!t->strides) return true;
  for (int32_t d = t->ndim - 1; d >= 0; d--) {
    if (t->shape[d] != 1 && t->strides[d] != step) return false;
    step *= t->shape[d];
  }
  return true;
}

/* Copies the elements, in row-major order, wherever the strides say that they are. */
static void copy_strided(const DLTensor *t, const char *from, char *to, size_t element, int64_t count) {
  int64_t index[NORIA_MAX_RANK] = {0}, at = 0;
  int64_t inner = t->ndim ? t->shape[t->ndim - 1] : 1, step = t->ndim ? t->strides[t->ndim - 1] : 0;
  for (int64_t done = 0; done < count; done += inner) {
    for (int64_t i = 0; i < inner; i++, to += element) memcpy(to, from + (at + i * step) * (int64_t)element, element);
    for (int32_t d = t->ndim - 2; d >= 0; d--) {
      at += t->strides[d];
      if (++index[d] < t->shape[d]) break;
      at -= t->strides[d] * t->shape[d];
      index[d] = 0;
    }
  }
}

/* The tensor, and whether it still needs the lender's memory. */
static NoriaStatus import(const DLTensor *t, bool padded, NoriaReleaseFn release, void *user, NoriaValue **out_value,
                          bool *out_borrows, NoriaError *error) {
  NoriaDType dtype = NORIA_UNDEFINED;
  int64_t count = 0;
  size_t size = 0;
  if (t->device.device_type != DL_CPU && t->device.device_type != DL_CUDA_HOST)
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "memory of DLPack device type %d", (int)t->device.device_type);
  NoriaStatus status = dtype_from_dl(t, padded, &dtype, error);
  if (!status) status = nr_shape_size(dtype, t->ndim, t->shape, &count, &size, error);
  if (status) return status;
  if (!t->data && count > 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "%lld elements at NULL", (long long)count);
  char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
  *out_borrows = count > 0 && is_row_major(t) && (uintptr_t)data % nr_dtype_alignment(dtype) == 0;
  if (*out_borrows) {
    *out_value = nr_tensor_new(dtype, t->ndim, t->shape, data, release, user);
  } else {
    *out_value = nr_tensor_alloc(dtype, t->ndim, t->shape, count, size);
    if (*out_value && count > 0) {
      if (is_row_major(t))
        memcpy((*out_value)->as.tensor.data, data, size);
      else
        copy_strided(t, data, (*out_value)->as.tensor.data, noria_dtype_size(dtype), count);
    }
  }
  return *out_value ? NORIA_OK : nr_error_set_memory(error, size);
}

static void release_managed(void *user) {
  DLManagedTensor *managed = user;
  if (managed->deleter) managed->deleter(managed);
}

static void release_versioned(void *user) {
  DLManagedTensorVersioned *managed = user;
  if (managed->deleter) managed->deleter(managed);
}

NoriaStatus noria_tensor_from_dlpack(DLManagedTensor *managed, NoriaValue **out_value, NoriaError *error) {
  bool borrows;
  *out_value = NULL;
  if (!managed) return nr_error_set(error, NORIA_ERROR_INVALID, "there is no DLPack tensor");
  NoriaStatus status = import(&managed->dl_tensor, false, release_managed, managed, out_value, &borrows, error);
  if (!status && !borrows) release_managed(managed);
  return status;
}

NoriaStatus noria_tensor_from_dlpack_versioned(DLManagedTensorVersioned *managed, NoriaValue **out_value,
                                               NoriaError *error) {
  bool borrows;
  *out_value = NULL;
  if (!managed) return nr_error_set(error, NORIA_ERROR_INVALID, "there is no DLPack tensor");
  if (managed->version.major != 1)
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "DLPack version %u", (unsigned)managed->version.major);
  NoriaStatus status = import(&managed->dl_tensor, (managed->flags & DL_FLAG_SUBBYTE_PADDED) != 0, release_versioned,
                              managed, out_value, &borrows, error);
  if (status) return status;
  (*out_value)->read_only = borrows && (managed->flags & DL_FLAG_READ_ONLY);
  if (!borrows) release_versioned(managed);
  return NORIA_OK;
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

/* One block: what DLPack wants, then shape and strides. */
typedef struct Export {
  union {
    DLManagedTensor plain;
    DLManagedTensorVersioned versioned;
  } as;
  NoriaValue *value;
  int64_t dims[]; /* shape, then strides */
} Export;

static void delete_plain(DLManagedTensor *self) {
  noria_value_release(((Export *)self->manager_ctx)->value);
  free(self->manager_ctx);
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  noria_value_release(((Export *)self->manager_ctx)->value);
  free(self->manager_ctx);
}

static NoriaStatus describe(const NoriaValue *value, bool padded, Export **out_export, DLTensor *out_tensor,
                            NoriaError *error) {
  if (!value || value->kind != NORIA_KIND_TENSOR)
    return nr_error_set(error, NORIA_ERROR_INVALID, "only tensors go to DLPack");
  size_t i = 0;
  while (i < NR_COUNTOF(types) && types[i].dtype != value->dtype) i++;
  if (i == NR_COUNTOF(types) || (types[i].bits < 8 && !padded))
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "%s has no DLPack type%s", noria_dtype_name(value->dtype),
                        i < NR_COUNTOF(types) ? " in this form" : "");
  int64_t rank = value->as.tensor.rank, step = 1;
  Export *e = calloc(1, sizeof(Export) + 2 * (size_t)rank * sizeof(int64_t));
  if (!e) return nr_error_set_memory(error, sizeof(Export));
  for (int64_t d = rank - 1; d >= 0; d--) {
    e->dims[d] = value->dims[d];
    e->dims[rank + d] = step;
    step = (int64_t)((uint64_t)step * (uint64_t)NR_MAX(value->dims[d], 1)); /* wraps only where there are no elements */
  }
  e->value = noria_value_retain(value);
  *out_tensor = (DLTensor){.data = value->as.tensor.data,
                           .device = {DL_CPU, 0},
                           .ndim = (int32_t)rank,
                           .dtype = {types[i].code, types[i].bits, 1},
                           .shape = e->dims,
                           .strides = e->dims + rank};
  *out_export = e;
  return NORIA_OK;
}

NoriaStatus noria_tensor_to_dlpack(const NoriaValue *tensor, DLManagedTensor **out_managed, NoriaError *error) {
  Export *e;
  DLTensor t;
  *out_managed = NULL;
  NoriaStatus status = describe(tensor, false, &e, &t, error);
  if (status) return status;
  e->as.plain = (DLManagedTensor){.dl_tensor = t, .manager_ctx = e, .deleter = delete_plain};
  *out_managed = &e->as.plain;
  return NORIA_OK;
}

NoriaStatus noria_tensor_to_dlpack_versioned(const NoriaValue *tensor, DLManagedTensorVersioned **out_managed,
                                             NoriaError *error) {
  Export *e;
  DLTensor t;
  *out_managed = NULL;
  NoriaStatus status = describe(tensor, true, &e, &t, error);
  if (status) return status;
  e->as.versioned = (DLManagedTensorVersioned){.version = {1, 0},
                                               .manager_ctx = e,
                                               .deleter = delete_versioned,
                                               .flags = tensor->read_only ? DL_FLAG_READ_ONLY : 0,
                                               .dl_tensor = t};
  if (t.dtype.bits < 8) {
    /* The flag for padded elements came with 1.1. */
    e->as.versioned.version.minor = 1;
    e->as.versioned.flags |= DL_FLAG_SUBBYTE_PADDED;
  }
  *out_managed = &e->as.versioned;
  return NORIA_OK;
}
