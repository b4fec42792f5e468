/* dtype.c - element types: size and name, one row each. */
#include "runtime/internal.h"

static const struct {
  const char *name;
  size_t size;
} dtypes[] = {
    [NORIA_UNDEFINED] = {"undefined", 0},
    [NORIA_F32] = {"float32", 4},
    [NORIA_U8] = {"uint8", 1},
    [NORIA_I8] = {"int8", 1},
    [NORIA_U16] = {"uint16", 2},
    [NORIA_I16] = {"int16", 2},
    [NORIA_I32] = {"int32", 4},
    [NORIA_I64] = {"int64", 8},
    [NORIA_STRING] = {"string", sizeof(NoriaString *)},
    [NORIA_BOOL] = {"bool", 1},
    [NORIA_F16] = {"float16", 2},
    [NORIA_F64] = {"float64", 8},
    [NORIA_U32] = {"uint32", 4},
    [NORIA_U64] = {"uint64", 8},
    [NORIA_C64] = {"complex64", 8},
    [NORIA_C128] = {"complex128", 16},
    [NORIA_BF16] = {"bfloat16", 2},
    [NORIA_F8E4M3FN] = {"float8_e4m3fn", 1},
    [NORIA_F8E4M3FNUZ] = {"float8_e4m3fnuz", 1},
    [NORIA_F8E5M2] = {"float8_e5m2", 1},
    [NORIA_F8E5M2FNUZ] = {"float8_e5m2fnuz", 1},
    [NORIA_U4] = {"uint4", 1},
    [NORIA_I4] = {"int4", 1},
    [NORIA_F4E2M1FN] = {"float4_e2m1fn", 1},
    [NORIA_F8E8M0FNU] = {"float8_e8m0fnu", 1},
    [NORIA_U2] = {"uint2", 1},
    [NORIA_I2] = {"int2", 1},
};

size_t noria_dtype_size(NoriaDType dtype) { return (size_t)dtype < NR_COUNTOF(dtypes) ? dtypes[dtype].size : 0; }

const char *noria_dtype_name(NoriaDType dtype) {
  return (size_t)dtype < NR_COUNTOF(dtypes) ? dtypes[dtype].name : dtypes[NORIA_UNDEFINED].name;
}

NoriaDType noria_dtype_from_name(const char *name) {
  for (size_t i = 1; name && i < NR_COUNTOF(dtypes); i++)
    if (strcmp(dtypes[i].name, name) == 0) return (NoriaDType)i;
  return NORIA_UNDEFINED;
}
