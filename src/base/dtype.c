/* dtype.c - see dtype.h. */
#include "base/dtype.h"

static const NrDTypeInfo infos[] = {
#define DTYPE(id, class, bits, size, name) {name, NR_DTYPE_##class, bits, size},
#include "base/dtype.def"
};

_Static_assert(sizeof infos / sizeof *infos == NR_NUM_DTYPES, "a row for each type");

const NrDTypeInfo *nr_dtype_info(int64_t dtype) {
  return &infos[dtype >= 0 && dtype < NR_NUM_DTYPES ? dtype : 0];
}
