/* types.c - LLVM types of Noria types, and constants. */
#include "codegen/llvm/ll.h"

/* Float formats that CPUs do not compute with are the integer of their bits, in whole bytes (expand-floats). */
static LLVMTypeRef float_type(NrLl *g, NrType type) {
  switch (type->float_kind) {
  case NR_F16: return g->f16;
  case NR_F32: return g->f32;
  case NR_F64: return g->f64;
  case NR_F80:
  case NR_F128: return NULL;
  default: return LLVMIntTypeInContext(g->llvm, (unsigned)nr_type_byte_size(type) * 8);
  }
}

static LLVMTypeRef vector_type(NrType type, LLVMTypeRef elem) {
  if (!elem) return NULL;
  LLVMTypeKind kind = LLVMGetTypeKind(elem);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || type->scalable) return NULL;
  if (type->rank == 0) return LLVMVectorType(elem, 1);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] <= 0 || type->dims[i] > UINT32_MAX) return NULL;
  unsigned last = (unsigned)type->dims[type->rank - 1];
  LLVMTypeRef t = LLVMVectorType(elem, last);
  for (uint32_t i = type->rank - 1; i-- > 0;) t = LLVMArrayType2(t, (uint64_t)type->dims[i]);
  return t;
}

LLVMTypeRef nr_ll_type(NrLl *g, NrType type) {
  switch (type->kind) {
  case NR_TYPE_INTEGER: return type->width ? LLVMIntTypeInContext(g->llvm, type->width) : NULL;
  case NR_TYPE_INDEX: return g->i64;
  case NR_TYPE_FLOAT: return float_type(g, type);
  case NR_TYPE_COMPLEX: {
    LLVMTypeRef part = nr_ll_type(g, type->elem);
    return part ? LLVMStructTypeInContext(g->llvm, (LLVMTypeRef[]){part, part}, 2, false) : NULL;
  }
  case NR_TYPE_VECTOR: return vector_type(type, nr_ll_type(g, type->elem));
  case NR_TYPE_flow_channel:
  case NR_TYPE_FUNCTION:
  case NR_TYPE_onnx_string: return g->ptr;
  case NR_TYPE_MEMREF:
  case NR_TYPE_UNRANKED_MEMREF: return nr_ll_mem_type(g, type->elem) ? g->ptr : NULL;
  default: return nr_type_is_handle(type) ? g->ptr : NULL;
  }
}

LLVMTypeRef nr_ll_mem_type(NrLl *g, NrType elem) {
  if (nr_type_is_memref(elem)) return NULL;
  if (elem->kind == NR_TYPE_INTEGER) return LLVMIntTypeInContext(g->llvm, (unsigned)nr_type_byte_size(elem) * 8);
  if (elem->kind == NR_TYPE_VECTOR) return vector_type(elem, nr_ll_mem_type(g, elem->elem));
  return nr_ll_type(g, elem);
}

LLVMValueRef nr_ll_int(NrLl *g, int64_t value) { return LLVMConstInt(g->i64, (uint64_t)value, true); }
LLVMValueRef nr_ll_int32(NrLl *g, int64_t value) { return LLVMConstInt(g->i32, (uint64_t)value, true); }

LLVMTypeRef nr_ll_like(LLVMTypeRef elem, LLVMValueRef shape) {
  LLVMTypeRef t = LLVMTypeOf(shape);
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMVectorType(elem, LLVMGetVectorSize(t)) : elem;
}

LLVMValueRef nr_ll_splat(LLVMValueRef scalar_constant, LLVMValueRef shape) {
  LLVMTypeRef t = LLVMTypeOf(shape);
  if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return scalar_constant;
  unsigned n = LLVMGetVectorSize(t);
  LLVMValueRef *items = nr_malloc(n * sizeof *items);
  for (unsigned i = 0; i < n; i++) items[i] = scalar_constant;
  LLVMValueRef vector = LLVMConstVector(items, n);
  nr_free(items);
  return vector;
}

static LLVMTypeRef lane_type(LLVMValueRef shape) {
  LLVMTypeRef t = LLVMTypeOf(shape);
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

LLVMValueRef nr_ll_const_f(NrLl *g, LLVMValueRef shape, double value) {
  (void)g;
  return nr_ll_splat(LLVMConstReal(lane_type(shape), value), shape);
}

LLVMValueRef nr_ll_const_i(NrLl *g, LLVMValueRef shape, uint64_t value) {
  (void)g;
  return nr_ll_splat(LLVMConstInt(lane_type(shape), value, false), shape);
}

LLVMValueRef nr_ll_string(NrLl *g, NrStr s) {
  LLVMValueRef global = nr_strmap_get(&g->strings, s);
  if (global) return global;
  LLVMValueRef text = LLVMConstStringInContext2(g->llvm, s.data, s.size, false);
  global = LLVMAddGlobal(g->mod, LLVMTypeOf(text), "");
  LLVMSetInitializer(global, text);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  nr_strmap_set(&g->strings, nr_str_copy(&g->arena, s), global);
  return global;
}

LLVMValueRef nr_ll_noria_string(NrLl *g, NrStr s) {
  LLVMValueRef fields[] = {nr_ll_int(g, 0), nr_ll_int(g, (int64_t)s.size),
                           LLVMConstStringInContext2(g->llvm, s.data, s.size, false)};
  LLVMValueRef init = LLVMConstStructInContext(g->llvm, fields, 3, false);
  LLVMValueRef global = LLVMAddGlobal(g->mod, LLVMTypeOf(init), "");
  LLVMSetInitializer(global, init);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  return global;
}

/* A float constant from its bits, so that NaN keeps its payload. */
static LLVMValueRef float_constant(NrLl *g, NrType type, uint64_t bits) {
  LLVMTypeRef t = nr_ll_type(g, type);
  if (!t) return NULL;
  if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind) return LLVMConstInt(t, bits, false);
  return LLVMConstBitCast(LLVMConstInt(LLVMIntTypeInContext(g->llvm, type->width), bits, false), t);
}

static LLVMValueRef scalar_constant(NrLl *g, NrAttr attr, NrType type) {
  LLVMTypeRef t = nr_ll_type(g, type);
  if (!t) return NULL;
  if (attr->kind == NR_ATTR_STRING && type->kind == NR_TYPE_onnx_string) return nr_ll_noria_string(g, attr->s);
  if (attr->kind == NR_ATTR_FLOAT) return float_constant(g, type, attr->bits);
  if (attr->kind != NR_ATTR_INTEGER) return NULL;
  if (attr->num_words) return LLVMConstIntOfArbitraryPrecision(t, (unsigned)attr->num_words, attr->words);
  return LLVMConstInt(t, (uint64_t)attr->i, type->signedness != NR_UNSIGNED);
}

LLVMValueRef nr_ll_constant(NrLl *g, NrAttr attr, NrType type) {
  if (type->kind != NR_TYPE_VECTOR) return scalar_constant(g, attr, type);
  if (!nr_attr_is_elements(attr) || type->rank != 1 || !nr_ll_type(g, type)) return NULL;
  unsigned lanes = (unsigned)type->dims[0];
  LLVMValueRef *items = nr_malloc(lanes * sizeof *items), out = NULL;
  unsigned i = 0;
  while (i < lanes && (items[i] = scalar_constant(g, nr_attr_element(attr, i), type->elem))) i++;
  if (i == lanes) out = LLVMConstVector(items, lanes);
  nr_free(items);
  return out;
}
