/* dtype.c - see dtype.h. */
#include "dialect/onnx/dtype.h"

#include "base/dtype.h"

/* Float kinds of the dtypes that are floats. */
static const NrFloatKind float_kinds[] = {
#define FLOAT(id, bits, size, name) [NORIA_##id] = NR_##id,
#define DTYPE(id, class, bits, size, name)
#include "base/dtype.def"
};

NrType nr_type_seq(NrType elem) {
  NrAttr params[] = {nr_attr_type(elem)};
  return nr_type_of_dialect(elem->ctx, NR_TYPE_onnx_seq, params);
}
NrType nr_type_optional(NrType elem) {
  NrAttr params[] = {nr_attr_type(elem)};
  return nr_type_of_dialect(elem->ctx, NR_TYPE_onnx_optional, params);
}
NrType nr_type_map(NrType key, NrType elem) {
  NrAttr params[] = {nr_attr_i64(elem->ctx, key->kind == NR_TYPE_onnx_string), nr_attr_type(elem)};
  return nr_type_of_dialect(elem->ctx, NR_TYPE_onnx_map, params);
}
NoriaDType nr_type_map_key(NrType type) {
  while (type->kind == NR_TYPE_onnx_seq || type->kind == NR_TYPE_onnx_optional) type = type->elem;
  if (type->kind != NR_TYPE_onnx_map) return NORIA_UNDEFINED;
  return type->params[0]->i ? NORIA_STRING : NORIA_I64;
}
NrType nr_type_string(NrContext *ctx) { return nr_type_of_dialect(ctx, NR_TYPE_onnx_string, NULL); }

NrType nr_dtype_type(NrContext *ctx, NoriaDType t) {
  uint32_t bits = nr_dtype_info(t)->bits;
  switch (nr_dtype_info(t)->class) {
  case NR_DTYPE_FLOAT: return nr_type_float(ctx, float_kinds[t]);
  case NR_DTYPE_SIGNED:
  case NR_DTYPE_BOOL: return nr_type_int(ctx, bits);
  case NR_DTYPE_UNSIGNED: return nr_type_int_signed(ctx, bits, NR_UNSIGNED);
  case NR_DTYPE_COMPLEX: return nr_type_complex(nr_type_float(ctx, bits == 32 ? NR_F32 : NR_F64));
  case NR_DTYPE_STRING: return nr_type_string(ctx);
  case NR_DTYPE_OTHER: break;
  }
  return NULL;
}

NoriaDType nr_dtype_of(NrType t) {
  while (nr_type_is_shaped(t) || nr_type_is_handle(t)) t = t->elem;
  for (size_t i = 1; i < NR_NUM_DTYPES; i++)
    if (nr_dtype_type(t->ctx, (NoriaDType)i) == t) return (NoriaDType)i;
  return NORIA_UNDEFINED;
}

NoriaDType nr_dtype_of_parameter(NrType elem) {
  if (nr_type_is_index(elem)) return NORIA_I64;
  bool is_signed = elem->kind == NR_TYPE_INTEGER && elem->signedness == NR_SIGNED;
  return nr_dtype_of(is_signed ? nr_type_int(elem->ctx, elem->width) : elem);
}

NoriaKind nr_type_kind(NrType type) {
  return type->kind == NR_TYPE_onnx_seq        ? NORIA_KIND_SEQUENCE
         : type->kind == NR_TYPE_onnx_optional ? NORIA_KIND_OPTIONAL
         : type->kind == NR_TYPE_onnx_map      ? NORIA_KIND_MAP
                                               : NORIA_KIND_TENSOR;
}

size_t nr_type_kind_attrs(NrType type, NrNamedAttr *out) {
  NoriaKind kind = nr_type_kind(type), item = kind == NORIA_KIND_OPTIONAL ? nr_type_kind(type->elem) : 0;
  NoriaDType key = nr_type_map_key(type);
  size_t count = 0;
  out[count++] = (NrNamedAttr){NR_STR("kind"), nr_attr_i64(type->ctx, kind)};
  if (item) out[count++] = (NrNamedAttr){NR_STR("item_kind"), nr_attr_i64(type->ctx, item)};
  if (key) out[count++] = (NrNamedAttr){NR_STR("key_dtype"), nr_attr_i64(type->ctx, key)};
  return count;
}

/* A handle's type with other items. */
static NrType with_items(NrType handle, NrType elem) {
  if (handle->kind == NR_TYPE_onnx_seq) return nr_type_seq(elem);
  if (handle->kind == NR_TYPE_onnx_optional) return nr_type_optional(elem);
  return nr_type_of_dialect(elem->ctx, NR_TYPE_onnx_map, (NrAttr[]){handle->params[0], nr_attr_type(elem)});
}

NrType nr_type_lowered(NrType t) {
  if (t->kind == NR_TYPE_INTEGER) return nr_type_int(t->ctx, t->width);
  if (nr_type_is_shaped(t)) return nr_type_with_elem(t, nr_type_lowered(t->elem));
  return nr_type_is_handle(t) ? with_items(t, nr_type_lowered(t->elem)) : t;
}

NrType nr_type_raised(NrType t, NoriaDType dtype) {
  if (nr_type_is_shaped(t)) return nr_type_with_elem(t, nr_type_raised(t->elem, dtype));
  NrType elem = nr_dtype_type(t->ctx, dtype);
  if (nr_type_is_handle(t)) {
    bool open = t->elem->kind == NR_TYPE_NONE && elem;
    return with_items(t, open ? nr_type_tensor_unranked(elem) : nr_type_raised(t->elem, dtype));
  }
  return elem && t->kind != NR_TYPE_NONE ? elem : t;
}

NrAttr nr_attr_retyped(NrAttr elements, NrType type) {
  if (type == elements->type) return elements;
  if (elements->kind == NR_ATTR_RESOURCE)
    return nr_attr_resource(type, elements->s, elements->data, elements->data_size);
  return nr_attr_dense(type, elements->data, elements->data_size);
}

bool nr_dims_fit(const int64_t *dims, size_t rank, size_t elem_size) {
  int64_t bytes = (int64_t)NR_MAX(elem_size, (size_t)1);
  for (size_t i = 0; i < rank; i++)
    if (dims[i] != NR_DYNAMIC && (dims[i] < 0 || !nr_mul_i64(bytes, NR_MAX(dims[i], 1), &bytes))) return false;
  return true;
}
