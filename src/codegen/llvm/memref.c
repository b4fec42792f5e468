/* memref.c - memory: addresses, loads and stores, allocation, copies. Globals are in memref_global.c. */
#include "codegen/llvm/ll.h"

#include <llvm-c/Target.h>

/* ---- arithmetic on sizes and strides ---------------------------------------------------------------------------- */

bool nr_ll_is_int(LLVMValueRef v, int64_t *out) {
  if (!LLVMIsAConstantInt(v)) return false;
  *out = LLVMConstIntGetSExtValue(v);
  return true;
}

LLVMValueRef nr_ll_index_mul(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  int64_t x;
  if (nr_ll_is_int(a, &x) && x == 1) return b;
  if (nr_ll_is_int(b, &x) && x == 1) return a;
  return LLVMBuildNSWMul(g->b, a, b, "");
}

LLVMValueRef nr_ll_index_add(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  int64_t x;
  if (nr_ll_is_int(a, &x) && x == 0) return b;
  if (nr_ll_is_int(b, &x) && x == 0) return a;
  return LLVMBuildNSWAdd(g->b, a, b, "");
}

NrLlMem *nr_ll_mem_new(NrLl *g, NrType type) {
  NrLlMem *mem = NR_NEW(&g->arena, NrLlMem);
  int64_t strides[NR_MAX_RANK], offset;
  nr_ll_strides(type, strides, &offset);
  mem->sizes = NR_NEW_ARRAY(&g->arena, LLVMValueRef, type->rank ? type->rank : 1);
  mem->strides = NR_NEW_ARRAY(&g->arena, LLVMValueRef, type->rank ? type->rank : 1);
  if (offset != NR_DYNAMIC) mem->offset = nr_ll_int(g, offset);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] != NR_DYNAMIC) mem->sizes[i] = nr_ll_int(g, type->dims[i]);
    if (strides[i] != NR_DYNAMIC) mem->strides[i] = nr_ll_int(g, strides[i]);
  }
  return mem;
}

void nr_ll_mem_finish(NrLl *g, NrType type, NrLlMem *mem) {
  if (!nr_ll_is_dense(type)) return;
  for (uint32_t i = type->rank; i-- > 0;)
    if (!mem->strides[i]) mem->strides[i] = nr_ll_index_mul(g, mem->strides[i + 1], mem->sizes[i + 1]);
}

LLVMValueRef nr_ll_mem_count(NrLl *g, NrType type, NrLlMem *mem) {
  LLVMValueRef count = nr_ll_int(g, 1);
  for (uint32_t i = 0; i < type->rank; i++) count = nr_ll_index_mul(g, count, mem->sizes[i]);
  return count;
}

LLVMValueRef nr_ll_element(NrLl *g, NrType elem, LLVMValueRef data, LLVMValueRef index) {
  int64_t x;
  if (nr_ll_is_int(index, &x) && x == 0) return data;
  return LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, elem), data, &index, 1, "");
}

LLVMValueRef nr_ll_mem_data(NrLl *g, NrType elem, NrLlMem *mem) {
  return nr_ll_element(g, elem, mem->data, mem->offset);
}

LLVMValueRef nr_ll_mem_address(NrLl *g, NrType type, NrLlMem *mem, LLVMValueRef *indices, size_t count) {
  LLVMValueRef at = mem->offset;
  for (size_t i = 0; i < count; i++) at = nr_ll_index_add(g, at, nr_ll_index_mul(g, indices[i], mem->strides[i]));
  return nr_ll_element(g, type->elem, mem->data, at);
}

/* ---- elements in memory ----------------------------------------------------------------------------------------- */

/* Integers whose width is no whole number of bytes, and their vectors, take more bits in memory, where they are kept
 * sign-extended; i1 and unsigned types with zeros. */
LLVMValueRef nr_ll_widen(NrLl *g, NrType elem, LLVMValueRef value, LLVMTypeRef want) {
  bool zeros = elem->signedness == NR_UNSIGNED || elem->width == 1;
  return zeros ? LLVMBuildZExt(g->b, value, want, "") : LLVMBuildSExt(g->b, value, want, "");
}

/* Vectors of more than one dim are arrays of rows. */
static LLVMValueRef convert(NrLl *g, NrType elem, LLVMValueRef value, LLVMTypeRef want, bool widen) {
  if (LLVMTypeOf(value) == want) return value;
  if (LLVMGetTypeKind(want) != LLVMArrayTypeKind)
    return widen ? nr_ll_widen(g, elem, value, want) : LLVMBuildTrunc(g->b, value, want, "");
  LLVMValueRef rows = LLVMGetPoison(want);
  for (unsigned i = 0; i < LLVMGetArrayLength2(want); i++) {
    LLVMValueRef row = LLVMBuildExtractValue(g->b, value, i, "");
    rows = LLVMBuildInsertValue(g->b, rows, convert(g, elem, row, LLVMGetElementType(want), widen), i, "");
  }
  return rows;
}

LLVMValueRef nr_ll_to_memory(NrLl *g, NrType type, LLVMValueRef value) {
  return convert(g, nr_type_elem(type), value, nr_ll_mem_type(g, type), true);
}

LLVMValueRef nr_ll_from_memory(NrLl *g, NrType type, LLVMValueRef value) {
  return convert(g, nr_type_elem(type), value, nr_ll_type(g, type), false);
}

unsigned nr_ll_elem_align(NrType type) {
  NrType elem = nr_type_elem(type);
  size_t size = elem->kind == NR_TYPE_COMPLEX ? nr_type_byte_size(elem->elem)
                : elem->kind == NR_TYPE_SEQ || elem->kind == NR_TYPE_OPTIONAL || elem->kind == NR_TYPE_STRING
                    ? sizeof(void *)
                    : nr_type_byte_size(elem);
  return size && (size & (size - 1)) == 0 && size <= 16 ? (unsigned)size : 1;
}

LLVMValueRef nr_ll_load(NrLl *g, NrType elem, LLVMValueRef address) {
  LLVMValueRef value = LLVMBuildLoad2(g->b, nr_ll_mem_type(g, elem), address, "");
  LLVMSetAlignment(value, nr_ll_elem_align(elem));
  return nr_ll_from_memory(g, elem, value);
}

void nr_ll_store(NrLl *g, NrType elem, LLVMValueRef value, LLVMValueRef address) {
  LLVMValueRef store = LLVMBuildStore(g->b, nr_ll_to_memory(g, elem, value), address);
  LLVMSetAlignment(store, nr_ll_elem_align(elem));
}

static void read_indices(NrLl *g, NrOp *op, size_t begin, LLVMValueRef *out) {
  for (size_t i = begin; i < op->num_operands; i++) out[i - begin] = nr_ll_value(g, nr_operand(op, i));
}

static NrStatus emit_load(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrType type = nr_operand(op, 0)->type;
  read_indices(g, op, 1, indices);
  LLVMValueRef address = nr_ll_mem_address(g, type, nr_ll_mem(g, nr_operand(op, 0)), indices, type->rank);
  nr_ll_set(g, nr_result(op, 0), nr_ll_load(g, type->elem, address));
  return NR_OK;
}

static NrStatus emit_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrType type = nr_operand(op, 1)->type;
  read_indices(g, op, 2, indices);
  LLVMValueRef address = nr_ll_mem_address(g, type, nr_ll_mem(g, nr_operand(op, 1)), indices, type->rank);
  nr_ll_store(g, type->elem, nr_ll_value(g, nr_operand(op, 0)), address);
  return NR_OK;
}

static NrStatus emit_prefetch(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef indices[NR_MAX_RANK];
  NrType type = nr_operand(op, 0)->type;
  read_indices(g, op, 1, indices);
  LLVMValueRef args[] = {nr_ll_mem_address(g, type, nr_ll_mem(g, nr_operand(op, 0)), indices, type->rank),
                         nr_ll_int32(g, nr_op_attr_int(op, NR_A_isWrite, 0) != 0),
                         nr_ll_int32(g, nr_op_attr_int(op, NR_A_localityHint, 3)),
                         nr_ll_int32(g, nr_op_attr_int(op, NR_A_isDataCache, 1) != 0)};
  nr_ll_intrinsic(g, "llvm.prefetch", &g->ptr, 1, args, 4);
  return NR_OK;
}

/* ---- allocation ------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_elem_bytes(NrLl *g, NrType elem) {
  if (elem->kind != NR_TYPE_VECTOR) {
    size_t size = nr_type_byte_size(elem);
    return nr_ll_int(g, (int64_t)(size ? size : sizeof(void *)));
  }
  return nr_ll_int(g, (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(g->mod), nr_ll_mem_type(g, elem)));
}

LLVMValueRef nr_ll_alloc(NrLl *g, NrOp *op, LLVMValueRef bytes) {
  LLVMTypeRef type = LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->ptr, g->i64}, 2, false);
  LLVMValueRef args[] = {g->exec, bytes};
  LLVMValueRef data = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, alloc), type, args, 2);
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "noalias", 0);
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "align", 64);
  nr_ll_fail_at_unless(g, op, LLVMBuildIsNotNull(g->b, data, ""));
  nr_ll_sanitize_block(g, op, data, data, bytes);
  return data;
}

/* Fills the dynamic sizes from operands [begin...). */
NrLlMem *nr_ll_mem_sized(NrLl *g, NrOp *op, NrType type, size_t begin) {
  NrLlMem *mem = nr_ll_mem_new(g, type);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!mem->sizes[i]) mem->sizes[i] = nr_ll_value(g, nr_operand(op, begin++));
  nr_ll_mem_finish(g, type, mem);
  return mem;
}

LLVMValueRef nr_ll_mem_bytes(NrLl *g, NrType type, NrLlMem *mem) {
  LLVMValueRef count = nr_ll_mem_count(g, type, mem), most = nr_ll_int(g, NORIA_MAX_ELEMENTS);
  LLVMValueRef bytes = LLVMBuildMul(g->b, nr_ll_elem_bytes(g, type->elem), count, "");
  LLVMValueRef too_large = LLVMBuildICmp(g->b, LLVMIntUGT, count, most, "");
  return LLVMBuildSelect(g->b, too_large, nr_ll_int(g, INT64_MAX), bytes, "");
}

static NrStatus emit_alloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *mem = nr_ll_mem_sized(g, op, type, 0);
  int64_t align = nr_op_attr_int(op, NR_A_alignment, 0);
  LLVMValueRef bytes = nr_ll_mem_bytes(g, type, mem);
  if (align <= 64) {
    mem->base = mem->data = nr_ll_alloc(g, op, bytes);
  } else { /* more than the runtime gives: take some more and round up */
    LLVMValueRef mask = nr_ll_int(g, -align);
    mem->base = nr_ll_alloc(g, op, LLVMBuildAdd(g->b, bytes, nr_ll_int(g, align), ""));
    LLVMValueRef slack = nr_ll_int(g, align - 1);
    LLVMValueRef args[] = {LLVMBuildGEP2(g->b, g->i8, mem->base, &slack, 1, ""), mask};
    mem->data = nr_ll_intrinsic(g, "llvm.ptrmask", (LLVMTypeRef[]){g->ptr, g->i64}, 2, args, 2);
    nr_ll_sanitize_block(g, op, mem->base, mem->data, bytes);
  }
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* That a model frees each buffer once is the compiler's matter, and not asked. */
static NrStatus emit_dealloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMTypeRef type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->ptr}, 2, false);
  LLVMValueRef args[] = {g->exec, nr_ll_mem(g, nr_operand(op, 0))->base};
  LLVMValueRef status = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, free), type, args, 2);
  LLVMValueRef freed = LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), "");
  if (nr_loc_in_file(op->loc))
    nr_ll_fail_with_unless(g, op, NR_STR("'memref.dealloc' op uses memory that was freed"), freed);
  return NR_OK;
}

static NrStatus emit_realloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *mem = nr_ll_mem_sized(g, op, type, 1);
  LLVMTypeRef fn = LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->ptr, g->ptr, g->i64}, 3, false);
  LLVMValueRef args[] = {g->exec, nr_ll_mem(g, nr_operand(op, 0))->base, nr_ll_mem_bytes(g, type, mem)};
  LLVMValueRef data = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, realloc), fn, args, 3);
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "noalias", 0);
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "align", 64);
  nr_ll_fail_at_unless(g, op, LLVMBuildIsNotNull(g->b, data, ""));
  mem->base = mem->data = data;
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* Of memrefs of which one at least has no rank. */
static NrStatus emit_copy(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *from = nr_operand(op, 0), *to = nr_operand(op, 1);
  return nr_ll_unranked_copy(g, op, to->type, nr_ll_mem(g, to), from->type, nr_ll_mem(g, from));
}

static NrStatus emit_clone(NrLl *g, NrOp *op, const NrLlRow *row) { return nr_ll_unranked_clone_op(g, op); }

static LLVMValueRef address_of(NrLl *g, NrOp *op, size_t pointer) {
  NrValue *whole = nr_operand(op, pointer);
  LLVMValueRef index = nr_ll_value(g, nr_operand(op, pointer + 1));
  return nr_ll_mem_address(g, whole->type, nr_ll_mem(g, whole), &index, 1);
}

static NrStatus emit_rt_copy(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType elem = nr_operand(op, 0)->type->elem;
  LLVMValueRef bytes = nr_ll_index_mul(g, nr_ll_elem_bytes(g, elem), nr_ll_value(g, nr_operand(op, 4)));
  unsigned align = nr_ll_elem_align(elem);
  LLVMBuildMemCpy(g->b, address_of(g, op, 2), align, address_of(g, op, 0), align, bytes);
  return NR_OK;
}

const NrLlRow nr_ll_memref_rows[] = {
    {"memref.load", emit_load},
    {"memref.store", emit_store},
    {"memref.prefetch", emit_prefetch},
    {"memref.alloc", emit_alloc},
    {"memref.dealloc", emit_dealloc},
    {"memref.realloc", emit_realloc},
    {"memref.copy", emit_copy},
    {"rt.copy", emit_rt_copy},
    {"bufferization.clone", emit_clone},
    {0},
};
