/* dtype.c - element types by name, as the interface has them. */
#include "base/dtype.h"
#include "runtime/internal.h"

/* The rows stand in the order of the numbers. */
#define DTYPE(id, class, bits, size, name) AT_##id,
enum {
#include "base/dtype.def"
};
#define DTYPE(id, class, bits, size, name) _Static_assert((int)AT_##id == (int)NORIA_##id, "the row's place");
#include "base/dtype.def"

size_t noria_dtype_size(NoriaDType dtype) { return nr_dtype_info(dtype)->size; }

void nr_dtype_settle(NoriaDType dtype, void *data, int64_t count) {
  const NrDTypeInfo *info = nr_dtype_info(dtype);
  if (info->size != 1 || info->bits >= 8 || info->bits < 2) return;
  unsigned mask = (1u << info->bits) - 1, sign = info->class == NR_DTYPE_SIGNED ? 1u << (info->bits - 1) : 0;
  uint8_t *bytes = data;
  for (int64_t i = 0; i < count; i++) bytes[i] = (uint8_t)(((bytes[i] & mask) ^ sign) - sign);
}

const char *noria_dtype_name(NoriaDType dtype) { return nr_dtype_info(dtype)->name; }

NoriaDType noria_dtype_from_name(const char *name) {
  for (int32_t i = 1; name && i < NR_NUM_DTYPES; i++)
    if (strcmp(nr_dtype_info(i)->name, name) == 0) return (NoriaDType)i;
  return NORIA_UNDEFINED;
}
