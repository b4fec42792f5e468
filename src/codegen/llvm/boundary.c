/* boundary.c - values as NoriaDesc, which is how they pass between compiled code and the runtime. */
#include "codegen/llvm/ll.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/rt.h"

static bool is_handle(NrType type) {
  return nr_type_is_handle(type) || type->kind == NR_TYPE_onnx_string || type->kind == NR_TYPE_flow_channel;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

LLVMValueRef nr_ll_desc_at(NrLl *g, LLVMValueRef descs, size_t i) {
  LLVMValueRef index = nr_ll_int(g, (int64_t)i);
  return i ? LLVMBuildInBoundsGEP2(g->b, g->desc, descs, &index, 1, "") : descs;
}

static LLVMValueRef field(NrLl *g, LLVMValueRef desc, size_t offset) {
  LLVMValueRef index = nr_ll_int(g, (int64_t)offset);
  return offset ? LLVMBuildInBoundsGEP2(g->b, g->i8, desc, &index, 1, "") : desc;
}

static void put(NrLl *g, LLVMValueRef desc, size_t offset, LLVMValueRef value) {
  LLVMBuildStore(g->b, value, field(g, desc, offset));
}

LLVMValueRef nr_ll_desc_bits(NrLl *g, LLVMValueRef desc) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, bits)), "");
}

LLVMValueRef nr_ll_desc_dim(NrLl *g, LLVMValueRef desc, uint32_t dim) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, dims) + dim * sizeof(int64_t)), "");
}

LLVMValueRef nr_ll_desc_rank(NrLl *g, LLVMValueRef desc) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, rank)), "");
}

static LLVMTypeRef all_sizes_type(NrLl *g) { return LLVMVectorType(g->i64, NORIA_MAX_RANK); }

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

static NrLlShape *new_shape(NrLl *g, NrValue *memref) {
  NrType type = memref->type;
  NrLlShape *shape = NR_NEW(&g->arena, NrLlShape);
  for (uint32_t i = 0; type->kind == NR_TYPE_MEMREF && i < type->rank; i++)
    if (type->dims[i] != NR_DYNAMIC) shape->sizes[i] = nr_ll_int(g, type->dims[i]);
  nr_map_set(&g->shapes, memref, shape);
  return shape;
}

NrLlShape *nr_ll_shape_of(NrLl *g, NrValue *memref) {
  NrLlShape *shape = nr_map_get(&g->shapes, memref);
  return shape ? shape : new_shape(g, memref); /* of a type that fixes all sizes */
}

static void write_memref(NrLl *g, NrValue *memref, LLVMValueRef desc) {
  NrType type = memref->type;
  NrLlShape *shape = nr_ll_shape_of(g, memref);
  put(g, desc, offsetof(NoriaDesc, data), nr_ll_value(g, memref));
  put(g, desc, offsetof(NoriaDesc, rank), shape->rank ? shape->rank : nr_ll_int(g, type->rank));
  put(g, desc, offsetof(NoriaDesc, bits), nr_ll_int(g, (int64_t)nr_rt_elements(type->elem)));
  if (shape->rank) {
    LLVMValueRef store = LLVMBuildStore(g->b, shape->all_sizes, field(g, desc, offsetof(NoriaDesc, dims)));
    LLVMSetAlignment(store, 8);
    return;
  }
  for (uint32_t i = 0; i < type->rank; i++)
    put(g, desc, offsetof(NoriaDesc, dims) + i * sizeof(int64_t), shape->sizes[i]);
}

static void read_memref(NrLl *g, NrValue *memref, LLVMValueRef desc) {
  NrType type = memref->type;
  NrLlShape *shape = new_shape(g, memref);
  nr_ll_set(g, memref, LLVMBuildLoad2(g->b, g->ptr, field(g, desc, offsetof(NoriaDesc, data)), ""));
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    shape->rank = nr_ll_desc_rank(g, desc);
    shape->all_sizes = LLVMBuildLoad2(g->b, all_sizes_type(g), field(g, desc, offsetof(NoriaDesc, dims)), "");
    LLVMSetAlignment(shape->all_sizes, 8);
    return;
  }
  for (uint32_t i = 0; i < type->rank; i++)
    if (!shape->sizes[i]) shape->sizes[i] = nr_ll_desc_dim(g, desc, i);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

void nr_ll_desc_write_scalar(NrLl *g, LLVMValueRef value, LLVMValueRef desc) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(g->mod), type);
    value = LLVMBuildBitCast(g->b, value, LLVMIntTypeInContext(g->llvm, bits), "");
  }
  put(g, desc, offsetof(NoriaDesc, rank), nr_ll_int(g, -1));
  put(g, desc, offsetof(NoriaDesc, bits), LLVMBuildIntCast2(g->b, value, g->i64, false, ""));
}

void nr_ll_desc_write(NrLl *g, NrValue *value, LLVMValueRef desc) {
  if (nr_type_is_memref(value->type)) {
    write_memref(g, value, desc);
  } else if (is_handle(value->type)) {
    put(g, desc, offsetof(NoriaDesc, data), nr_ll_value(g, value));
    put(g, desc, offsetof(NoriaDesc, rank), nr_ll_int(g, 0));
  } else {
    nr_ll_desc_write_scalar(g, nr_ll_value(g, value), desc);
  }
}

static LLVMValueRef read_scalar(NrLl *g, NrType type, LLVMValueRef desc) {
  LLVMValueRef bits = nr_ll_desc_bits(g, desc);
  LLVMTypeRef want = nr_ll_type(g, type);
  if (LLVMGetTypeKind(want) == LLVMIntegerTypeKind) return LLVMBuildIntCast2(g->b, bits, want, false, "");
  LLVMValueRef narrow = LLVMBuildIntCast2(g->b, bits, LLVMIntTypeInContext(g->llvm, nr_type_bits(type)), false, "");
  return LLVMBuildBitCast(g->b, narrow, want, "");
}

void nr_ll_desc_read(NrLl *g, NrValue *value, LLVMValueRef desc) {
  if (nr_type_is_memref(value->type)) {
    read_memref(g, value, desc);
    return;
  }
  nr_ll_set(g, value, is_handle(value->type)
                          ? LLVMBuildLoad2(g->b, g->ptr, field(g, desc, offsetof(NoriaDesc, data)), "")
                          : read_scalar(g, value->type, desc));
}

/* ---- what a memref is, and memrefs of pointers ------------------------------------------------------------------ */

static NrStatus emit_dim(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlShape *shape = nr_ll_shape_of(g, nr_memref_dim_source(op));
  LLVMValueRef index = nr_ll_value(g, nr_memref_dim_index(op));
  int64_t at;
  if (shape->rank) nr_ll_set(g, nr_op_result(op), LLVMBuildExtractElement(g->b, shape->all_sizes, index, ""));
  else if (nr_ll_is_int(index, &at) && shape->sizes[at]) nr_ll_set(g, nr_op_result(op), shape->sizes[at]);
  else
    return nr_op_error(op,
                       "of a memref that the runtime did not give has no machine code: finalize-memref comes first");
  return NR_OK;
}

static NrStatus emit_rank(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_op_result(op), nr_ll_shape_of(g, nr_memref_rank_source(op))->rank);
  return NR_OK;
}

/* A pointer with sizes, without gaps. */
static NrStatus emit_reinterpret_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *out = nr_op_result(op);
  NrLlShape *shape = new_shape(g, out);
  NrIndex sizes[NR_MAX_RANK];
  nr_index_list_all(op, nr_extract_slice_slots[1], sizes);
  for (uint32_t i = 0; i < out->type->rank; i++)
    if (!shape->sizes[i])
      shape->sizes[i] = sizes[i].value ? nr_ll_value(g, sizes[i].value) : nr_ll_int(g, sizes[i].constant);
  nr_ll_set(g, out, nr_ll_value(g, nr_memref_reinterpret_cast_source(op)));
  return NR_OK;
}

/* A pointer with sizes in a buffer of NORIA_MAX_RANK numbers: a memref without a rank. */
static NrStatus emit_reshape(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *list = nr_memref_reshape_shape(op), *out = nr_op_result(op);
  NrLlShape *shape = new_shape(g, out);
  shape->rank = nr_ll_shape_of(g, list)->sizes[0];
  shape->all_sizes = LLVMBuildLoad2(g->b, all_sizes_type(g), nr_ll_value(g, list), "");
  LLVMSetAlignment(shape->all_sizes, 8);
  nr_ll_set(g, out, nr_ll_value(g, nr_memref_reshape_source(op)));
  return NR_OK;
}

const NrLlRow nr_ll_boundary_rows[] = {
    {"memref.dim", emit_dim},
    {"memref.rank", emit_rank},
    {"memref.reinterpret_cast", emit_reinterpret_cast},
    {"memref.reshape", emit_reshape},
    {0},
};
