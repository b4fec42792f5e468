/* dtype.h - properties of element types: the table of dtype.def, by NoriaDType. */
#ifndef NORIA_BASE_DTYPE_H
#define NORIA_BASE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum NrDTypeClass {
  NR_DTYPE_OTHER,
  NR_DTYPE_FLOAT,
  NR_DTYPE_SIGNED,
  NR_DTYPE_UNSIGNED,
  NR_DTYPE_BOOL,
  NR_DTYPE_COMPLEX,
  NR_DTYPE_STRING,
} NrDTypeClass;

typedef struct NrDTypeInfo {
  const char *name;
  NrDTypeClass class;
  uint32_t bits; /* of a value, of each part of a complex one; 0 for strings */
  size_t size;   /* bytes in memory */
} NrDTypeInfo;

enum { NR_NUM_DTYPES = 29 };

/* Never NULL: the entry of the undefined type for an unknown number. */
const NrDTypeInfo *nr_dtype_info(int64_t dtype);

#endif
