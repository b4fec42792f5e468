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

const char *noria_dtype_name(NoriaDType dtype) { return nr_dtype_info(dtype)->name; }

NoriaDType noria_dtype_from_name(const char *name) {
  for (int32_t i = 1; name && i < NR_NUM_DTYPES; i++)
    if (strcmp(nr_dtype_info(i)->name, name) == 0) return (NoriaDType)i;
  return NORIA_UNDEFINED;
}
