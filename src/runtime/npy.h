/* npy.h - element types of .npy files, shared by reading and writing. */
#ifndef NORIA_RUNTIME_NPY_H
#define NORIA_RUNTIME_NPY_H

#include "runtime/internal.h"

/* NumPy's kind letter and item size of a type; unit is what byte order swaps. */
typedef struct NrNpyType {
  NoriaDType dtype;
  char kind;
  uint8_t size, unit;
} NrNpyType;

/* NULL when NumPy has no such type. Strings are not among them: their item size differs from file to file. */
const NrNpyType *nr_npy_type_of(NoriaDType dtype);
const NrNpyType *nr_npy_type_named(char kind, int64_t size);

#endif
