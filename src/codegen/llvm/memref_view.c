/* memref_view.c - pointers, the parts of memrefs and memrefs of parts, and views of memrefs of unknown rank. */
#include "codegen/llvm/ll.h"

/* Sets a part unless the type has fixed it. */
static void set_part(LLVMValueRef *part, LLVMValueRef value) {
  if (!*part) *part = value;
}

static NrLlMem *view_of(NrLl *g, NrType type, NrLlMem *source) {
  NrLlMem *mem = nr_ll_mem_new(g, type);
  mem->base = source->base;
  mem->data = source->data;
  return mem;
}

/* ---- casts and slices ------------------------------------------------------------------------------------------- */

/* builtin.unrealized_conversion_cast: the same bits under other types. */
static NrStatus emit_unrealized_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType to = nr_result(op, i)->type;
    if (op->num_operands != op->num_results || !nr_types_alike(nr_operand(op, i)->type, to))
      return nr_op_error(op, "is compiled between types that differ in the signs of integers only");
    if (nr_type_is_memref(to)) nr_ll_set_mem(g, nr_result(op, i), nr_ll_mem(g, nr_operand(op, i)));
    else nr_ll_set(g, nr_result(op, i), nr_ll_value(g, nr_operand(op, i)));
  }
  return NR_OK;
}

static NrStatus too_many_dims(NrOp *op) {
  return nr_op_error(op, "is compiled for up to %d dims of a memref of unknown rank", NORIA_MAX_RANK);
}

static NrStatus forget_rank(NrLl *g, NrOp *op) {
  NrType type = nr_operand(op, 0)->type;
  if (type->kind == NR_TYPE_MEMREF && type->rank > NORIA_MAX_RANK) return too_many_dims(op);
  nr_ll_set_mem(g, nr_result(op, 0), nr_ll_forget_rank(g, type, nr_ll_mem(g, nr_operand(op, 0))));
  return NR_OK;
}

static NrStatus emit_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) return forget_rank(g, op);
  if (nr_operand(op, 0)->type->kind == NR_TYPE_UNRANKED_MEMREF) {
    if (type->rank > NORIA_MAX_RANK) return too_many_dims(op);
    nr_ll_set_mem(g, nr_result(op, 0), nr_ll_with_rank(g, type, nr_ll_mem(g, nr_operand(op, 0))));
    return NR_OK;
  }
  return nr_op_error(op, "between memrefs with a rank should have been lowered");
}

/* Entry i of a static_* array, or the next operand where that is dynamic. */
static LLVMValueRef mixed(NrLl *g, NrOp *op, const char *name, size_t i, size_t *next) {
  NrAttr fixed = nr_op_attr_named(op, name);
  int64_t value = ((const int64_t *)fixed->data)[i];
  return value == NR_DYNAMIC ? nr_ll_value(g, nr_operand(op, (*next)++)) : nr_ll_int(g, value);
}

static size_t group_begin(NrOp *op, size_t group) {
  size_t begin = 0, count = 0;
  nr_op_operand_group(op, group, &begin, &count);
  return begin;
}

static NrStatus emit_reinterpret_cast(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *mem = view_of(g, type, nr_ll_mem(g, nr_operand(op, 0)));
  size_t offsets = group_begin(op, 1), sizes = group_begin(op, 2), strides = group_begin(op, 3);
  set_part(&mem->offset, mixed(g, op, "static_offsets", 0, &offsets));
  for (uint32_t i = 0; i < type->rank; i++) {
    set_part(&mem->sizes[i], mixed(g, op, "static_sizes", i, &sizes));
    set_part(&mem->strides[i], mixed(g, op, "static_strides", i, &strides));
  }
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* The shape stands in memory; source and result are row-major. */
static NrStatus emit_reshape(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type, from = nr_operand(op, 0)->type, shape = nr_operand(op, 1)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *sizes = nr_ll_mem(g, nr_operand(op, 1));
  LLVMValueRef data = nr_ll_mem_data(g, from->elem, source);
  if (type->kind == NR_TYPE_UNRANKED_MEMREF)
    return nr_ll_reshape_unranked(g, op, source->base, data);
  if (!nr_ll_is_dense(type)) return nr_op_error(op, "is compiled for results of identity layout only");
  NrLlMem *mem = view_of(g, type, source);
  mem->data = data;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (mem->sizes[i]) continue;
    LLVMValueRef index = nr_ll_int(g, i);
    LLVMValueRef size = nr_ll_load(g, shape->elem, nr_ll_mem_address(g, shape, sizes, &index, 1));
    mem->sizes[i] = LLVMBuildIntCast2(g->b, size, g->i64, true, "");
  }
  nr_ll_mem_finish(g, type, mem);
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* Its size is that of the allocation, which nothing reads. */
static NrStatus emit_rt_pointer(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *from = nr_operand(op, 0);
  NrLlMem *mem = view_of(g, nr_result(op, 0)->type, nr_ll_mem(g, from));
  if (op->num_operands > 1)
    mem->data = nr_ll_element(g, from->type->elem, mem->data, nr_ll_value(g, nr_operand(op, 1)));
  mem->sizes[0] = LLVMGetPoison(g->i64);
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

static NrStatus emit_alias(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set_mem(g, nr_result(op, 0), nr_ll_mem(g, nr_operand(op, 0)));
  return NR_OK;
}

static NrStatus emit_assume_alignment(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlMem *mem = nr_ll_mem(g, nr_operand(op, 0));
  NrType type = nr_operand(op, 0)->type;
  LLVMValueRef args[] = {nr_ll_mem_data(g, type->elem, mem), nr_ll_int(g, nr_op_attr_int(op, NR_A_alignment, 1))};
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("align", strlen("align"), args, 2);
  unsigned id = LLVMLookupIntrinsicID("llvm.assume", strlen("llvm.assume"));
  LLVMValueRef yes = LLVMConstInt(g->i1, 1, false);
  LLVMBuildCallWithOperandBundles(g->b, LLVMIntrinsicGetType(g->llvm, id, NULL, 0),
                                  LLVMGetIntrinsicDeclaration(g->mod, id, NULL, 0), &yes, 1, &bundle, 1, "");
  LLVMDisposeOperandBundle(bundle);
  if (op->num_results) nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* ---- what a memref is ------------------------------------------------------------------------------------------- */

static NrStatus emit_dim(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlMem *mem = nr_ll_mem(g, nr_operand(op, 0));
  LLVMValueRef slot = nr_ll_alloca(g, nr_ll_shape_type(g), 8), index = nr_ll_value(g, nr_operand(op, 1));
  LLVMBuildStore(g->b, mem->all_sizes, slot);
  nr_ll_set(g, nr_result(op, 0), LLVMBuildLoad2(g->b, g->i64, nr_ll_shape_item(g, slot, index), ""));
  return NR_OK;
}

static NrStatus emit_rank(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_result(op, 0), nr_ll_mem(g, nr_operand(op, 0))->rank);
  return NR_OK;
}

/* Results: the buffer as a memref of rank 0, offset, sizes, strides. */
static NrStatus emit_metadata(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0));
  NrLlMem *base = view_of(g, nr_result(op, 0)->type, source);
  uint32_t rank = nr_operand(op, 0)->type->rank;
  set_part(&base->offset, nr_ll_int(g, 0));
  nr_ll_set_mem(g, nr_result(op, 0), base);
  nr_ll_set(g, nr_result(op, 1), source->offset);
  for (uint32_t i = 0; i < rank; i++) {
    nr_ll_set(g, nr_result(op, 2 + i), source->sizes[i]);
    nr_ll_set(g, nr_result(op, 2 + rank + i), source->strides[i]);
  }
  return NR_OK;
}

static NrStatus emit_pointer(NrLl *g, NrOp *op, const NrLlRow *row) {
  nr_ll_set(g, nr_result(op, 0), LLVMBuildPtrToInt(g->b, nr_ll_mem(g, nr_operand(op, 0))->data, g->i64, ""));
  return NR_OK;
}

const NrLlRow nr_ll_memref_view_rows[] = {
    {"memref.cast", emit_cast},
    {"rt.pointer", emit_rt_pointer},
    {"builtin.unrealized_conversion_cast", emit_unrealized_cast},
    {"memref.reinterpret_cast", emit_reinterpret_cast},
    {"memref.reshape", emit_reshape},
    {"memref.memory_space_cast", emit_alias},
    {"memref.assume_alignment", emit_assume_alignment},
    {"memref.dim", emit_dim},
    {"memref.rank", emit_rank},
    {"memref.extract_strided_metadata", emit_metadata},
    {"memref.extract_aligned_pointer_as_index", emit_pointer},
    {0},
};
