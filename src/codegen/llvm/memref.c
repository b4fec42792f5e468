/* memref.c - memory: addresses, loads and stores, allocation, copies. Globals are in memref_global.c, pointers in
 * pointer.c. */
#include "codegen/llvm/ll.h"

#include <llvm-c/Target.h>

#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"

/* ---- addresses -------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_element(NrLl *g, NrType elem, LLVMValueRef data, LLVMValueRef index) {
  int64_t x;
  if (nr_ll_is_int(index, &x) && x == 0) return data;
  return LLVMBuildInBoundsGEP2(g->b, nr_ll_mem_type(g, elem), data, &index, 1, "");
}

LLVMValueRef nr_ll_element_at(NrLl *g, NrValue *memref, NrValue *index) {
  return nr_ll_element(g, memref->type->elem, nr_ll_value(g, memref), nr_ll_value(g, index));
}

/* Of the element that an op on memory names by its number. */
static LLVMValueRef address_of(NrLl *g, NrOp *op) {
  return nr_ll_element_at(g, nr_op_memref(op), nr_operand(op, nr_op_indices(op).begin));
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
                : nr_type_is_handle(elem)         ? sizeof(void *)
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

static NrStatus emit_load(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_op_result(op), nr_ll_load(g, nr_memref_load_memref(op)->type->elem, address_of(g, op)));
  return NR_OK;
}

static NrStatus emit_store(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType elem = nr_memref_store_memref(op)->type->elem;
  nr_ll_store(g, elem, nr_ll_value(g, nr_memref_store_value(op)), address_of(g, op));
  return NR_OK;
}

static NrStatus emit_prefetch(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMValueRef args[] = {address_of(g, op), nr_ll_int32(g, nr_op_attr_int(op, NR_A_isWrite, 0) != 0),
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

/* What a function of the runtime gave: a block of `bytes`, or NULL where the run failed. */
static LLVMValueRef new_block(NrLl *g, NrOp *op, LLVMValueRef data, unsigned align) {
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "noalias", 0);
  nr_ll_call_attr(g, data, LLVMAttributeReturnIndex, "align", align);
  nr_ll_fail_at_unless(g, op, LLVMBuildIsNotNull(g->b, data, ""));
  return data;
}

enum { ALIGNMENT = 64 }; /* that api->alloc gives */

LLVMValueRef nr_ll_alloc(NrLl *g, NrOp *op, LLVMValueRef bytes) {
  LLVMTypeRef type = LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->ptr, g->i64}, 2, false);
  LLVMValueRef args[] = {g->exec, bytes};
  LLVMValueRef data = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, alloc), type, args, 2);
  new_block(g, op, data, ALIGNMENT);
  nr_ll_sanitize_block(g, op, data, data, bytes);
  return data;
}

static LLVMValueRef alloc_aligned(NrLl *g, NrOp *op, LLVMValueRef bytes, int64_t align) {
  LLVMTypeRef type = LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->ptr, g->i64, g->i64}, 3, false);
  LLVMValueRef args[] = {g->exec, bytes, nr_ll_int(g, align)};
  LLVMValueRef data = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, alloc_aligned), type, args, 3);
  new_block(g, op, data, (unsigned)align);
  nr_ll_sanitize_block(g, op, data, data, bytes);
  return data;
}

LLVMValueRef nr_ll_buffer_bytes(NrLl *g, NrType type, NrValue *size) {
  LLVMValueRef count = size ? nr_ll_value(g, size) : nr_ll_int(g, type->dims[0]);
  LLVMValueRef bytes = LLVMBuildMul(g->b, nr_ll_elem_bytes(g, type->elem), count, "");
  LLVMValueRef too_large = LLVMBuildICmp(g->b, LLVMIntUGT, count, nr_ll_int(g, NORIA_MAX_ELEMENTS), "");
  return LLVMBuildSelect(g->b, too_large, nr_ll_int(g, INT64_MAX), bytes, "");
}

static NrStatus emit_alloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrGroup size = nr_memref_alloc_sizes(op);
  int64_t align = nr_op_attr_int(op, NR_A_alignment, 0);
  LLVMValueRef bytes =
      nr_ll_buffer_bytes(g, nr_op_result(op)->type, size.count ? nr_operand(op, size.begin) : NULL);
  nr_ll_set(g, nr_op_result(op), align > ALIGNMENT ? alloc_aligned(g, op, bytes, align) : nr_ll_alloc(g, op, bytes));
  return NR_OK;
}

/* That a model frees each buffer once is the compiler's business, and not checked. */
static NrStatus emit_dealloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMTypeRef type = LLVMFunctionType(g->i32, (LLVMTypeRef[]){g->ptr, g->ptr}, 2, false);
  LLVMValueRef args[] = {g->exec, nr_ll_value(g, nr_memref_dealloc_memref(op))};
  LLVMValueRef status = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, free), type, args, 2);
  LLVMValueRef freed = LLVMBuildICmp(g->b, LLVMIntEQ, status, nr_ll_int32(g, 0), "");
  if (nr_loc_in_file(op->loc))
    nr_ll_fail_with_unless(g, op, NR_STR("'memref.dealloc' op uses memory that was freed"), freed);
  return NR_OK;
}

static NrStatus emit_realloc(NrLl *g, NrOp *op, const NrLlRow *row) {
  LLVMTypeRef type = LLVMFunctionType(g->ptr, (LLVMTypeRef[]){g->ptr, g->ptr, g->i64}, 3, false);
  LLVMValueRef args[] = {g->exec, nr_ll_value(g, nr_memref_realloc_source(op)),
                         nr_ll_buffer_bytes(g, nr_op_result(op)->type, nr_memref_realloc_size(op))};
  LLVMValueRef data = nr_ll_api_call(g, offsetof(NoriaRuntimeApi, realloc), type, args, 3);
  nr_ll_set(g, nr_op_result(op), new_block(g, op, data, ALIGNMENT));
  return NR_OK;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static NrStatus emit_rt_copy(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType elem = nr_rt_copy_source(op)->type->elem;
  LLVMValueRef to = nr_ll_element_at(g, nr_rt_copy_target(op), nr_rt_copy_to(op));
  LLVMValueRef from = nr_ll_element_at(g, nr_rt_copy_source(op), nr_rt_copy_from(op));
  LLVMValueRef bytes = LLVMBuildNSWMul(g->b, nr_ll_elem_bytes(g, elem), nr_ll_value(g, nr_rt_copy_count(op)), "");
  LLVMBuildMemCpy(g->b, to, nr_ll_elem_align(elem), from, nr_ll_elem_align(elem), bytes);
  return NR_OK;
}

const NrLlRow nr_ll_memref_rows[] = {
    {"memref.load", emit_load},
    {"memref.store", emit_store},
    {"memref.prefetch", emit_prefetch},
    {"memref.alloc", emit_alloc},
    {"memref.dealloc", emit_dealloc},
    {"memref.realloc", emit_realloc},
    {"rt.copy", emit_rt_copy},
    {0},
};
