/* memref_view.c - views of memory, and what a memref is. A view touches no memory: it is arithmetic on the parts of a
 * memref. Parts that the result's type fixes are already there when a view is made; only the others are computed. */
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
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = view_of(g, type, source);
  set_part(&mem->offset, source->offset);
  for (uint32_t i = 0; i < type->rank; i++) {
    set_part(&mem->sizes[i], source->sizes[i]);
    set_part(&mem->strides[i], source->strides[i]);
  }
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
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

static size_t i64_count(NrOp *op, const char *name) {
  NrAttr a = nr_op_attr_named(op, name);
  return a ? a->data_size / sizeof(int64_t) : 0;
}

/* Operand groups: source, offsets, sizes, strides. Result dims are those of the source, without some of static size 1.
 */
static NrStatus emit_subview(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = view_of(g, type, source);
  size_t rank = i64_count(op, "static_sizes"), drop = rank - type->rank;
  size_t offsets = group_begin(op, 1), sizes = group_begin(op, 2), strides = group_begin(op, 3);
  LLVMValueRef offset = source->offset;
  for (size_t i = 0, to = 0; i < rank; i++) {
    LLVMValueRef at = mixed(g, op, "static_offsets", i, &offsets), size = mixed(g, op, "static_sizes", i, &sizes);
    LLVMValueRef step = mixed(g, op, "static_strides", i, &strides);
    offset = nr_ll_index_add(g, offset, nr_ll_index_mul(g, at, source->strides[i]));
    int64_t one;
    bool may_drop = drop && nr_ll_is_int(size, &one) && one == 1;
    /* A dim of size 1 stays when the result has a 1 here too; which of several goes makes no difference. */
    if (may_drop && (to == type->rank || type->dims[to] != 1 || rank - i <= drop)) {
      drop--;
      continue;
    }
    set_part(&mem->sizes[to], size);
    set_part(&mem->strides[to], nr_ll_index_mul(g, step, source->strides[i]));
    to++;
  }
  set_part(&mem->offset, offset);
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
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

/* memref.view %bytes[%shift][%sizes...] */
static NrStatus emit_view(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type, bytes = nr_operand(op, 0)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = nr_ll_mem_sized(g, op, type, 2);
  LLVMValueRef shift = nr_ll_value(g, nr_operand(op, 1));
  mem->base = source->base;
  mem->data = nr_ll_element(g, bytes->elem, source->data, nr_ll_index_add(g, source->offset, shift));
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

/* The dims of the longer shape that dim i of the shorter one stands for. */
static void group_dims(NrAttr reassociation, size_t i, uint32_t *begin, uint32_t *end) {
  NrAttr group = reassociation->items[i];
  if (group->kind == NR_ATTR_DENSE_ARRAY) {
    const int64_t *dims = group->data;
    size_t n = group->data_size / sizeof(int64_t);
    *begin = n ? (uint32_t)dims[0] : 0;
    *end = *begin + (uint32_t)n;
  } else {
    *begin = group->size ? (uint32_t)group->items[0]->i : 0;
    *end = *begin + (uint32_t)group->size;
  }
}

/* Older texts give no output shape: the one size of a group that the type leaves open is what the others leave over. */
static void infer_size(NrLl *g, NrLlMem *mem, uint32_t begin, uint32_t end, LLVMValueRef whole) {
  LLVMValueRef others = nr_ll_int(g, 1);
  for (uint32_t d = begin; d < end; d++)
    if (mem->sizes[d]) others = nr_ll_index_mul(g, others, mem->sizes[d]);
  LLVMValueRef bounded[] = {others, nr_ll_int(g, 1)};
  others = nr_ll_intrinsic(g, "llvm.umax", &g->i64, 1, bounded, 2); /* with a size of 0 any other will do */
  for (uint32_t d = begin; d < end; d++) set_part(&mem->sizes[d], LLVMBuildUDiv(g->b, whole, others, ""));
}

static NrStatus emit_expand_shape(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = view_of(g, type, source);
  NrAttr reassociation = nr_op_attr(op, NR_A_reassociation);
  size_t next = 1;
  if (i64_count(op, "static_output_shape") == type->rank)
    for (uint32_t i = 0; i < type->rank; i++) set_part(&mem->sizes[i], mixed(g, op, "static_output_shape", i, &next));
  for (size_t i = 0; i < reassociation->size; i++) {
    uint32_t begin, end;
    group_dims(reassociation, i, &begin, &end);
    infer_size(g, mem, begin, end, source->sizes[i]);
    LLVMValueRef stride = source->strides[i];
    for (uint32_t d = end; d-- > begin;) {
      set_part(&mem->strides[d], stride);
      stride = nr_ll_index_mul(g, mem->strides[d], mem->sizes[d]);
    }
  }
  for (uint32_t i = 0; i < type->rank; i++) set_part(&mem->strides[i], nr_ll_int(g, 1));
  set_part(&mem->offset, source->offset);
  nr_ll_set_mem(g, nr_result(op, 0), mem);
  return NR_OK;
}

static NrStatus emit_collapse_shape(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = view_of(g, type, source);
  NrAttr reassociation = nr_op_attr(op, NR_A_reassociation);
  for (uint32_t i = 0; i < type->rank; i++) {
    uint32_t begin, end;
    group_dims(reassociation, i, &begin, &end);
    LLVMValueRef size = nr_ll_int(g, 1), stride = nr_ll_int(g, 1);
    int64_t one;
    bool found = false; /* the innermost dim that is not of size 1 has the stride */
    for (uint32_t d = end; d-- > begin;) {
      size = nr_ll_index_mul(g, size, source->sizes[d]);
      if (found) continue;
      stride = source->strides[d];
      found = !(nr_ll_is_int(source->sizes[d], &one) && one == 1);
    }
    set_part(&mem->sizes[i], size);
    set_part(&mem->strides[i], stride);
  }
  set_part(&mem->offset, source->offset);
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

static NrStatus emit_transpose(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_result(op, 0)->type;
  NrLlMem *source = nr_ll_mem(g, nr_operand(op, 0)), *mem = view_of(g, type, source);
  NrAttr map = nr_op_attr(op, NR_A_permutation);
  for (uint32_t i = 0; i < type->rank; i++) {
    size_t from = (size_t)map->exprs[i]->value;
    set_part(&mem->sizes[i], source->sizes[from]);
    set_part(&mem->strides[i], source->strides[from]);
  }
  set_part(&mem->offset, source->offset);
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
  NrType type = nr_operand(op, 0)->type;
  NrLlMem *mem = nr_ll_mem(g, nr_operand(op, 0));
  LLVMValueRef index = nr_ll_value(g, nr_operand(op, 1));
  int64_t i;
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    LLVMValueRef slot = nr_ll_alloca(g, nr_ll_shape_type(g), 8);
    LLVMBuildStore(g->b, mem->all_sizes, slot);
    nr_ll_set(g, nr_result(op, 0), LLVMBuildLoad2(g->b, g->i64, nr_ll_shape_item(g, slot, index), ""));
    return NR_OK;
  }
  if (nr_ll_is_int(index, &i)) {
    LLVMValueRef size = i >= 0 && i < type->rank ? mem->sizes[i] : LLVMGetPoison(g->i64);
    nr_ll_set(g, nr_result(op, 0), size);
    return NR_OK;
  }
  LLVMValueRef size = LLVMGetPoison(g->i64);
  for (uint32_t d = 0; d < type->rank; d++) {
    LLVMValueRef here = LLVMBuildICmp(g->b, LLVMIntEQ, index, nr_ll_int(g, d), "");
    size = d ? LLVMBuildSelect(g->b, here, mem->sizes[d], size, "") : mem->sizes[d];
  }
  nr_ll_set(g, nr_result(op, 0), size);
  return NR_OK;
}

static NrStatus emit_rank(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *source = nr_operand(op, 0);
  bool known = source->type->kind == NR_TYPE_MEMREF;
  nr_ll_set(g, nr_result(op, 0), known ? nr_ll_int(g, source->type->rank) : nr_ll_mem(g, source)->rank);
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
    {"builtin.unrealized_conversion_cast", emit_unrealized_cast},
    {"memref.subview", emit_subview},
    {"memref.reinterpret_cast", emit_reinterpret_cast},
    {"memref.view", emit_view},
    {"memref.expand_shape", emit_expand_shape},
    {"memref.collapse_shape", emit_collapse_shape},
    {"memref.transpose", emit_transpose},
    {"memref.reshape", emit_reshape},
    {"memref.memory_space_cast", emit_alias},
    {"memref.assume_alignment", emit_assume_alignment},
    {"memref.dim", emit_dim},
    {"memref.rank", emit_rank},
    {"memref.extract_strided_metadata", emit_metadata},
    {"memref.extract_aligned_pointer_as_index", emit_pointer},
    {0},
};
