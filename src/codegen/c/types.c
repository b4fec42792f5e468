/* types.c - C types of Noria types, and constants. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codegen/c/c.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

uint32_t nr_c_bits(NrType type) {
  uint32_t bits = nr_type_bits(type);
  return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : bits <= 128 ? 128 : 0;
}

bool nr_c_is_handle(NrType type) {
  return nr_type_is_handle(type) || type->kind == NR_TYPE_onnx_string || type->kind == NR_TYPE_flow_channel;
}

static const char *int_type(NrC *g, NrType type) {
  if (type->kind == NR_TYPE_INTEGER && type->width == 1) return "bool";
  uint32_t bits = type->kind == NR_TYPE_INTEGER && !type->width ? 0 : nr_c_bits(type);
  if (bits == 128) g->has_i128 = true;
  return bits == 8 ? "i8" : bits == 16 ? "i16" : bits == 32 ? "i32" : bits == 64 ? "i64" : bits ? "i128" : NULL;
}

static const char *float_type(NrType type) {
  switch (type->float_kind) {
  case NR_F32: return "f32";
  case NR_F64: return "f64";
  case NR_F80:
  case NR_F128: return NULL;
  default: {
    size_t bytes = nr_type_byte_size(type);
    return bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : NULL;
  }
  }
}

static const char *complex_type(NrC *g, NrType type) {
  const char *part = nr_c_type(g, type->elem);
  if (!part) return NULL;
  const char *name = nr_c_text(g, "complex_%s", part);
  if (nr_strmap_add(&g->types_known, nr_str(name), (void *)name)) return name;
  nr_buf_printf(&g->types, "typedef struct {\n  %s re, im;\n} %s;\n", part, name);
  return name;
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

enum { MAX_GNU_BYTES = 64 };

static const char *lane_type(NrC *g, NrType elem) {
  const char *name = nr_c_memory(g, elem);
  return name && elem->kind != NR_TYPE_COMPLEX && elem->kind != NR_TYPE_VECTOR ? name : NULL;
}

static int64_t lanes_of(NrType vector) { return vector->rank ? vector->dims[vector->rank - 1] : 1; }

bool nr_c_is_gnu(NrType vector) {
  int64_t lanes = lanes_of(vector);
  uint32_t bits = vector->elem->kind == NR_TYPE_FLOAT ? (uint32_t)nr_type_byte_size(vector->elem) * 8
                  : nr_type_is_int_or_index(vector->elem) ? nr_c_bits(vector->elem) : 0;
  bool power = lanes >= 2 && (lanes & (lanes - 1)) == 0;
  return vector->rank == 1 && power && bits && bits <= 64 && lanes * bits / 8 <= MAX_GNU_BYTES;
}

unsigned nr_c_gnu_bytes(NrType vector) {
  size_t bytes = (size_t)lanes_of(vector) * nr_c_elem_bytes(vector->elem);
  return bytes <= 16 ? 16 : bytes <= 32 ? 32 : 64;
}

static const char *row_type(NrC *g, NrType type) {
  const char *lane = lane_type(g, type->elem);
  long long lanes = (long long)lanes_of(type);
  if (!lane) return NULL;
  bool is_mask = type->elem->kind == NR_TYPE_INTEGER && type->elem->width == 1;
  const char *name = nr_c_text(g, "%sx%lld", is_mask ? "mask" : strcmp(lane, "void *") ? lane : "handle", lanes);
  if (nr_strmap_add(&g->types_known, nr_str(name), (void *)name)) return name;
  NrType one = type->rank == 1 ? type : nr_type_vector((int64_t[]){lanes}, 1, type->elem);
  if (nr_c_is_gnu(one))
    nr_buf_printf(&g->types,
                  "#if NORIA_GNU >= %u\ntypedef %s %s __attribute__((vector_size(%lld)));\n#else\n"
                  "typedef struct {\n  %s lane[%lld];\n} %s;\n#endif\n",
                  nr_c_gnu_bytes(one), lane, name, lanes * (long long)nr_c_elem_bytes(type->elem), lane, lanes, name);
  else nr_buf_printf(&g->types, "typedef struct {\n  %s lane[%lld];\n} %s;\n", lane, lanes, name);
  return name;
}

static const char *vector_type(NrC *g, NrType type) {
  if (type->scalable) return NULL;
  int64_t rows = 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] <= 0) return NULL;
  for (uint32_t i = 0; i + 1 < type->rank; i++) rows *= type->dims[i];
  const char *row = row_type(g, type);
  if (!row || type->rank < 2) return row;
  const char *name = nr_c_text(g, "%s_rows%lld", row, (long long)rows);
  if (nr_strmap_add(&g->types_known, nr_str(name), (void *)name)) return name;
  nr_buf_printf(&g->types, "typedef struct {\n  %s row[%lld];\n} %s;\n", row, (long long)rows, name);
  return name;
}

/* ---- all types -------------------------------------------------------------------------------------------------- */

const char *nr_c_type(NrC *g, NrType type) {
  switch (type->kind) {
  case NR_TYPE_INTEGER:
  case NR_TYPE_INDEX: return int_type(g, type);
  case NR_TYPE_FLOAT: return float_type(type);
  case NR_TYPE_COMPLEX: return complex_type(g, type);
  case NR_TYPE_VECTOR: return vector_type(g, type);
  case NR_TYPE_FUNCTION: return "NoriaFunction";
  case NR_TYPE_MEMREF:
  case NR_TYPE_UNRANKED_MEMREF: {
    const char *elem = nr_c_memory(g, type->elem);
    return elem ? nr_c_text(g, elem[strlen(elem) - 1] == '*' ? "%s*" : "%s *", elem) : NULL;
  }
  default: return nr_c_is_handle(type) ? "void *" : NULL;
  }
}

const char *nr_c_memory(NrC *g, NrType elem) {
  if (nr_type_is_memref(elem)) return NULL;
  if (elem->kind == NR_TYPE_INTEGER && elem->width == 1) return "u8";
  return nr_c_type(g, elem);
}

const char *nr_c_declare(NrC *g, NrType type, const char *name) {
  const char *text = nr_c_type(g, type);
  return nr_c_text(g, text[strlen(text) - 1] == '*' ? "%s%s" : "%s %s", text, name);
}

/* A row of a vector takes a power of two of bytes, as it does for LLVM. */
size_t nr_c_elem_bytes(NrType elem) {
  if (elem->kind != NR_TYPE_VECTOR) {
    size_t size = nr_type_byte_size(elem);
    return size ? size : sizeof(void *);
  }
  size_t row = (size_t)lanes_of(elem) * nr_c_elem_bytes(elem->elem);
  for (uint32_t i = 0; i + 1 < elem->rank; i++) row *= (size_t)elem->dims[i];
  return row;
}

unsigned nr_c_elem_align(NrType type) {
  NrType elem = nr_type_elem(type);
  size_t size = elem->kind == NR_TYPE_COMPLEX ? nr_type_byte_size(elem->elem) : nr_c_elem_bytes(elem);
  return size && (size & (size - 1)) == 0 && size <= 16 ? (unsigned)size : 1;
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

const char *nr_c_int(NrC *g, int64_t value) {
  if (value == INT64_MIN) return "INT64_MIN";
  if (value >= INT32_MIN + 1LL && value <= INT32_MAX)
    return nr_c_text(g, value < 0 ? "(%lld)" : "%lld", (long long)value);
  return nr_c_text(g, value < 0 ? "(-INT64_C(%llu))" : "INT64_C(%llu)",
                   (unsigned long long)(value < 0 ? -(uint64_t)value : (uint64_t)value));
}

/* The shortest decimal text where that is short, else hexadecimal: both exact. */
static const char *decimal(NrC *g, double value, bool is_f32) {
  char text[64];
  snprintf(text, sizeof text, is_f32 ? "%.7g" : "%.12g", value);
  double back = is_f32 ? (double)strtof(text, NULL) : strtod(text, NULL);
  if (back != value || signbit(back) != signbit(value)) snprintf(text, sizeof text, "%a", value);
  const char *dot = strpbrk(text, ".ep") ? "" : ".0";
  return nr_c_text(g, signbit(value) ? "(%s%s%s)" : "%s%s%s", text, dot, is_f32 ? "f" : "");
}

static const char *float_constant(NrC *g, NrType type, uint64_t bits) {
  if (type->float_kind == NR_F32) {
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    if (isnan(value)) return nr_c_text(g, "noria_f32(0x%08xu)", (unsigned)narrow);
    return isinf(value) ? (value > 0 ? "INFINITY" : "(-INFINITY)") : decimal(g, value, true);
  }
  if (type->float_kind == NR_F64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value)) return nr_c_text(g, "noria_f64(UINT64_C(0x%016llx))", (unsigned long long)bits);
    return isinf(value) ? (value > 0 ? "(f64)INFINITY" : "(-(f64)INFINITY)") : decimal(g, value, false);
  }
  return nr_c_type(g, type) ? nr_c_text(g, "0x%llx", (unsigned long long)bits) : NULL;
}

static const char *int_constant(NrC *g, NrAttr attr, NrType type) {
  const char *name = nr_c_type(g, type);
  if (!name) return NULL;
  if (strcmp(name, "bool") == 0) return attr->i & 1 ? "true" : "false";
  if (attr->num_words)
    return nr_c_text(g, "NORIA_I128(0x%llx, 0x%llx)",
                     (unsigned long long)(attr->num_words > 1 ? attr->words[1] : 0),
                     (unsigned long long)attr->words[0]);
  int64_t value = attr->i;
  uint32_t bits = nr_type_bits(type);
  if (bits < 64) value = (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
  if (value == INT32_MIN) return "INT32_MIN";
  return nr_c_int(g, value);
}

const char *nr_c_constant(NrC *g, NrAttr attr, NrType type) {
  if (attr->kind == NR_ATTR_STRING && type->kind == NR_TYPE_onnx_string) return nr_c_static_string(g, attr->s);
  if (attr->kind == NR_ATTR_FLOAT) return float_constant(g, type, attr->bits);
  return attr->kind == NR_ATTR_INTEGER ? int_constant(g, attr, type) : NULL;
}
