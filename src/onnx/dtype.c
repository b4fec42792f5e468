/* dtype.c - see dtype.h; and the questions about dtypes of lower.h. */
#include "onnx/dtype.h"

#include "onnx/lower.h"

typedef enum Class { OTHER, FLOAT, SIGNED, UNSIGNED, BOOL, COMPLEX, STRING } Class;
typedef struct Row {
  const char *name;
  Class class;
  uint32_t width;
  NrFloatKind kind;
} Row;

static const Row rows[] = {
    [NORIA_UNDEFINED] = {"undefined", OTHER, 0, 0},
    [NORIA_F32] = {"float32", FLOAT, 32, NR_F32},
    [NORIA_U8] = {"uint8", UNSIGNED, 8, 0},
    [NORIA_I8] = {"int8", SIGNED, 8, 0},
    [NORIA_U16] = {"uint16", UNSIGNED, 16, 0},
    [NORIA_I16] = {"int16", SIGNED, 16, 0},
    [NORIA_I32] = {"int32", SIGNED, 32, 0},
    [NORIA_I64] = {"int64", SIGNED, 64, 0},
    [NORIA_STRING] = {"string", STRING, 0, 0},
    [NORIA_BOOL] = {"bool", BOOL, 1, 0},
    [NORIA_F16] = {"float16", FLOAT, 16, NR_F16},
    [NORIA_F64] = {"float64", FLOAT, 64, NR_F64},
    [NORIA_U32] = {"uint32", UNSIGNED, 32, 0},
    [NORIA_U64] = {"uint64", UNSIGNED, 64, 0},
    [NORIA_C64] = {"complex64", COMPLEX, 32, NR_F32},
    [NORIA_C128] = {"complex128", COMPLEX, 64, NR_F64},
    [NORIA_BF16] = {"bfloat16", FLOAT, 16, NR_BF16},
    [NORIA_F8E4M3FN] = {"float8e4m3fn", FLOAT, 8, NR_F8E4M3FN},
    [NORIA_F8E4M3FNUZ] = {"float8e4m3fnuz", FLOAT, 8, NR_F8E4M3FNUZ},
    [NORIA_F8E5M2] = {"float8e5m2", FLOAT, 8, NR_F8E5M2},
    [NORIA_F8E5M2FNUZ] = {"float8e5m2fnuz", FLOAT, 8, NR_F8E5M2FNUZ},
    [NORIA_U4] = {"uint4", UNSIGNED, 4, 0},
    [NORIA_I4] = {"int4", SIGNED, 4, 0},
    [NORIA_F4E2M1FN] = {"float4e2m1", FLOAT, 4, NR_F4E2M1FN},
    [NORIA_F8E8M0FNU] = {"float8e8m0", FLOAT, 8, NR_F8E8M0FNU},
    [NORIA_U2] = {"uint2", UNSIGNED, 2, 0},
    [NORIA_I2] = {"int2", SIGNED, 2, 0},
};

static const Row *row(NoriaDType t) { return (size_t)t < NR_COUNTOF(rows) ? &rows[t] : &rows[NORIA_UNDEFINED]; }

const char *nr_dtype_name(NoriaDType t) { return row(t)->name; }
bool nr_dtype_is_unsigned(NoriaDType t) { return row(t)->class == UNSIGNED; }
bool nr_dtype_is_int(NoriaDType t) { return row(t)->class == UNSIGNED || row(t)->class == SIGNED; }
bool nr_dtype_is_float(NoriaDType t) { return row(t)->class == FLOAT; }

NrType nr_dtype_type(NrContext *ctx, NoriaDType t) {
  const Row *r = row(t);
  switch (r->class) {
  case FLOAT: return nr_type_float(ctx, r->kind);
  case SIGNED:
  case BOOL: return nr_type_int(ctx, r->width);
  case UNSIGNED: return nr_type_int_signed(ctx, r->width, NR_UNSIGNED);
  case COMPLEX: return nr_type_complex(nr_type_float(ctx, r->kind));
  case STRING: return nr_type_string(ctx);
  case OTHER: break;
  }
  return NULL;
}

NrType nr_lower_elem_type(NrContext *ctx, NoriaDType dtype) {
  NrType t = nr_dtype_type(ctx, dtype);
  return t ? nr_type_lowered(t) : NULL;
}

NoriaDType nr_dtype_of(NrType t) {
  while (nr_type_is_shaped(t) || t->kind == NR_TYPE_SEQ || t->kind == NR_TYPE_OPTIONAL) t = t->elem;
  for (size_t i = 1; i < NR_COUNTOF(rows); i++)
    if (nr_dtype_type(t->ctx, (NoriaDType)i) == t) return (NoriaDType)i;
  return NORIA_UNDEFINED;
}

NrType nr_type_lowered(NrType t) {
  if (t->kind == NR_TYPE_INTEGER) return nr_type_int(t->ctx, t->width);
  if (nr_type_is_shaped(t)) return nr_type_with_elem(t, nr_type_lowered(t->elem));
  if (t->kind == NR_TYPE_SEQ) return nr_type_seq(nr_type_lowered(t->elem));
  if (t->kind == NR_TYPE_OPTIONAL) return nr_type_optional(nr_type_lowered(t->elem));
  return t;
}
