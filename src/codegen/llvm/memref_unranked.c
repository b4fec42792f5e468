/* memref_unranked.c - memrefs of unknown rank: up to NORIA_MAX_RANK sizes and strides in arrays. */
#include "codegen/llvm/ll.h"

static LLVMValueRef none(NrLl *g) { return LLVMConstNull(nr_ll_shape_type(g)); }

LLVMValueRef nr_ll_shape_item(NrLl *g, LLVMValueRef shape, LLVMValueRef index) {
  LLVMValueRef at[] = {nr_ll_int(g, 0), index};
  return LLVMBuildGEP2(g->b, nr_ll_shape_type(g), shape, at, 2, "");
}

static LLVMValueRef item(NrLl *g, LLVMValueRef shape, LLVMValueRef index) {
  return LLVMBuildLoad2(g->b, g->i64, nr_ll_shape_item(g, shape, index), "");
}

static LLVMValueRef in_memory(NrLl *g, LLVMValueRef shape) {
  LLVMValueRef slot = nr_ll_alloca(g, nr_ll_shape_type(g), 8);
  LLVMBuildStore(g->b, shape, slot);
  return slot;
}

static LLVMValueRef from_memory(NrLl *g, LLVMValueRef slot) {
  return LLVMBuildLoad2(g->b, nr_ll_shape_type(g), slot, "");
}

NrLlMem *nr_ll_forget_rank(NrLl *g, NrType type, NrLlMem *source) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) return source;
  NrLlMem *mem = NR_NEW(&g->arena, NrLlMem);
  *mem = (NrLlMem){.base = source->base, .data = source->data, .offset = source->offset,
                   .rank = nr_ll_int(g, type->rank), .all_sizes = none(g), .all_strides = none(g)};
  for (uint32_t i = 0; i < type->rank; i++) {
    mem->all_sizes = LLVMBuildInsertValue(g->b, mem->all_sizes, source->sizes[i], i, "");
    mem->all_strides = LLVMBuildInsertValue(g->b, mem->all_strides, source->strides[i], i, "");
  }
  return mem;
}

NrLlMem *nr_ll_with_rank(NrLl *g, NrType type, NrLlMem *source) {
  NrLlMem *mem = nr_ll_mem_new(g, type);
  mem->base = source->base;
  mem->data = source->data;
  if (!mem->offset) mem->offset = source->offset;
  for (uint32_t i = 0; i < type->rank && i < NORIA_MAX_RANK; i++) {
    if (!mem->sizes[i]) mem->sizes[i] = LLVMBuildExtractValue(g->b, source->all_sizes, i, "");
    if (!mem->strides[i]) mem->strides[i] = LLVMBuildExtractValue(g->b, source->all_strides, i, "");
  }
  return mem;
}

/* ---- loops over dims and elements ------------------------------------------------------------------------------- */

/* A loop that counts down: its body begins at the builder, with the numbers from count - 1 to 0 in index and values
 * that it carries; end_loop closes it with their next ones, and gives those behind it in carried. */
typedef struct Down {
  LLVMBasicBlockRef before, head;
  LLVMValueRef left, index, carried[3];
  size_t count;
} Down;

static Down begin_loop(NrLl *g, LLVMValueRef count, const LLVMValueRef *carried, size_t num_carried) {
  Down l = {.before = LLVMGetInsertBlock(g->b), .head = nr_ll_new_block(g, ""), .count = num_carried};
  LLVMBuildBr(g->b, l.head);
  LLVMPositionBuilderAtEnd(g->b, l.head);
  l.left = LLVMBuildPhi(g->b, g->i64, "");
  LLVMAddIncoming(l.left, &count, &l.before, 1);
  for (size_t i = 0; i < num_carried; i++) {
    LLVMValueRef first = carried[i];
    l.carried[i] = LLVMBuildPhi(g->b, g->i64, "");
    LLVMAddIncoming(l.carried[i], &first, &l.before, 1);
  }
  LLVMPositionBuilderAtEnd(g->b, nr_ll_new_block(g, ""));
  l.index = LLVMBuildSub(g->b, l.left, nr_ll_int(g, 1), "");
  return l;
}

static void end_loop(NrLl *g, Down *l, LLVMBasicBlockRef body, const LLVMValueRef *next) {
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
  LLVMBuildBr(g->b, l->head);
  LLVMAddIncoming(l->left, &l->index, &latch, 1);
  for (size_t i = 0; i < l->count; i++) {
    LLVMValueRef value = next[i];
    LLVMAddIncoming(l->carried[i], &value, &latch, 1);
  }
  LLVMBasicBlockRef after = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, l->head);
  LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, l->left, nr_ll_int(g, 0), ""), body, after);
  LLVMPositionBuilderAtEnd(g->b, after);
}

/* Row-major strides of the sizes in memory; gives how many elements there are. */
static LLVMValueRef row_major(NrLl *g, LLVMValueRef rank, LLVMValueRef sizes, LLVMValueRef strides) {
  LLVMBuildStore(g->b, none(g), strides);
  LLVMValueRef one = nr_ll_int(g, 1);
  Down dims = begin_loop(g, rank, &one, 1);
  LLVMBasicBlockRef body = LLVMGetInsertBlock(g->b);
  LLVMBuildStore(g->b, dims.carried[0], nr_ll_shape_item(g, strides, dims.index));
  LLVMValueRef next = LLVMBuildMul(g->b, dims.carried[0], item(g, sizes, dims.index), "");
  end_loop(g, &dims, body, &next);
  return dims.carried[0];
}

NrLlMem *nr_ll_unranked_dense(NrLl *g, LLVMValueRef base, LLVMValueRef data, LLVMValueRef rank, LLVMValueRef sizes) {
  NrLlMem *mem = NR_NEW(&g->arena, NrLlMem);
  LLVMValueRef strides = nr_ll_alloca(g, nr_ll_shape_type(g), 8);
  row_major(g, rank, sizes, strides);
  *mem = (NrLlMem){.base = base, .data = data, .offset = nr_ll_int(g, 0), .rank = rank,
                   .all_sizes = from_memory(g, sizes), .all_strides = from_memory(g, strides)};
  return mem;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

enum { PIECE = 1 << 25 }; /* bytes between two safepoints */

static LLVMValueRef least(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  return nr_ll_intrinsic(g, "llvm.umin", &g->i64, 1, (LLVMValueRef[]){a, b}, 2);
}

static LLVMValueRef advance(NrLl *g, LLVMValueRef pointer, LLVMValueRef bytes) {
  return LLVMBuildInBoundsGEP2(g->b, g->i8, pointer, &bytes, 1, "");
}

static void copy_bytes(NrLl *g, NrOp *op, LLVMValueRef to, LLVMValueRef from, unsigned align, LLVMValueRef bytes) {
  if (LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) <= PIECE) {
    LLVMBuildMemCpy(g->b, to, align, from, align, bytes);
    return;
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), head = nr_ll_new_block(g, "");
  LLVMBuildBr(g->b, head);
  LLVMPositionBuilderAtEnd(g->b, head);
  LLVMValueRef at = LLVMBuildPhi(g->b, g->i64, ""), zero = nr_ll_int(g, 0);
  LLVMValueRef size = least(g, LLVMBuildSub(g->b, bytes, at, ""), nr_ll_int(g, PIECE));
  LLVMBuildMemCpy(g->b, advance(g, to, at), align, advance(g, from, at), align, size);
  LLVMValueRef next = LLVMBuildAdd(g->b, at, size, "");
  LLVMBasicBlockRef again = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, again);
  nr_ll_safepoint(g, op);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
  LLVMBuildBr(g->b, head);
  LLVMBasicBlockRef after = nr_ll_new_block(g, "");
  LLVMAddIncoming(at, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
  LLVMPositionBuilderAtEnd(g->b, head);
  nr_ll_cond_br_likely(g, LLVMBuildICmp(g->b, LLVMIntUGE, next, bytes, ""), after, again);
  LLVMPositionBuilderAtEnd(g->b, after);
}

typedef struct Layout {
  LLVMValueRef data, offset, strides; /* strides in memory */
} Layout;

static LLVMValueRef bytes_of(NrLl *g, NrType elem, LLVMValueRef count) {
  return LLVMBuildNSWMul(g->b, count, nr_ll_elem_bytes(g, elem), "");
}

/* Element by element; the number of each is taken apart into indices. */
static void copy_elements(NrLl *g, NrOp *op, NrType elem, LLVMValueRef rank, LLVMValueRef sizes, LLVMValueRef count,
                          const Layout *to, const Layout *from) {
  Down elements = begin_loop(g, count, NULL, 0);
  LLVMBasicBlockRef outer = LLVMGetInsertBlock(g->b);
  Down dims = begin_loop(g, rank, (LLVMValueRef[]){elements.index, to->offset, from->offset}, 3);
  LLVMBasicBlockRef inner = LLVMGetInsertBlock(g->b);
  LLVMValueRef size = item(g, sizes, dims.index), index = LLVMBuildURem(g->b, dims.carried[0], size, "");
  LLVMValueRef next[] = {
      LLVMBuildUDiv(g->b, dims.carried[0], size, ""),
      LLVMBuildAdd(g->b, dims.carried[1], LLVMBuildMul(g->b, index, item(g, to->strides, dims.index), ""), ""),
      LLVMBuildAdd(g->b, dims.carried[2], LLVMBuildMul(g->b, index, item(g, from->strides, dims.index), ""), "")};
  end_loop(g, &dims, inner, next);
  LLVMValueRef value = nr_ll_load(g, elem, nr_ll_element(g, elem, from->data, dims.carried[2]));
  nr_ll_store(g, elem, value, nr_ll_element(g, elem, to->data, dims.carried[1]));
  nr_ll_safepoint(g, op);
  end_loop(g, &elements, outer, NULL);
}

static LLVMValueRef equal_shapes(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  LLVMTypeRef all = LLVMIntTypeInContext(g->llvm, 64 * NORIA_MAX_RANK);
  LLVMValueRef x = LLVMBuildLoad2(g->b, all, a, ""), y = LLVMBuildLoad2(g->b, all, b, "");
  LLVMSetAlignment(x, 8);
  LLVMSetAlignment(y, 8);
  return LLVMBuildICmp(g->b, LLVMIntEQ, x, y, "");
}

/* What is dense in both is one block. */
static void copy(NrLl *g, NrOp *op, NrType elem, NrLlMem *to, NrLlMem *from) {
  LLVMValueRef sizes = in_memory(g, from->all_sizes), dense = nr_ll_alloca(g, nr_ll_shape_type(g), 8);
  LLVMValueRef count = row_major(g, from->rank, sizes, dense);
  Layout target = {to->data, to->offset, in_memory(g, to->all_strides)};
  Layout source = {from->data, from->offset, in_memory(g, from->all_strides)};
  LLVMValueRef both =
      LLVMBuildAnd(g->b, equal_shapes(g, target.strides, dense), equal_shapes(g, source.strides, dense), "");
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b), block = nr_ll_new_block(g, ""), after = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, block);
  copy_bytes(g, op, nr_ll_mem_data(g, elem, to), nr_ll_mem_data(g, elem, from), 1, bytes_of(g, elem, count));
  LLVMBuildBr(g->b, after);
  LLVMBasicBlockRef gaps = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, here);
  LLVMBuildCondBr(g->b, both, block, gaps);
  LLVMPositionBuilderAtEnd(g->b, gaps);
  copy_elements(g, op, elem, from->rank, sizes, count, &target, &source);
  LLVMBuildBr(g->b, after);
  LLVMPositionBuilderAtEnd(g->b, after);
}

static NrStatus check_rank(NrOp *op, NrType type) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF || type->rank <= NORIA_MAX_RANK) return NR_OK;
  return nr_op_error(op, "is compiled for up to %d dims of a memref of unknown rank", NORIA_MAX_RANK);
}

NrStatus nr_ll_unranked_copy(NrLl *g, NrOp *op, NrType to_type, NrLlMem *to, NrType from_type, NrLlMem *from) {
  NrStatus status = check_rank(op, to_type);
  if (!status) status = check_rank(op, from_type);
  if (!status) copy(g, op, to_type->elem, nr_ll_forget_rank(g, to_type, to), nr_ll_forget_rank(g, from_type, from));
  return status;
}

NrLlMem *nr_ll_unranked_clone(NrLl *g, NrOp *op, NrType type, NrLlMem *from) {
  LLVMValueRef sizes = in_memory(g, from->all_sizes), strides = nr_ll_alloca(g, nr_ll_shape_type(g), 8);
  LLVMValueRef count = row_major(g, from->rank, sizes, strides);
  LLVMValueRef memory = nr_ll_alloc(g, op, bytes_of(g, type->elem, count));
  NrLlMem *mem = NR_NEW(&g->arena, NrLlMem);
  *mem = (NrLlMem){.base = memory, .data = memory, .offset = nr_ll_int(g, 0), .rank = from->rank,
                   .all_sizes = from->all_sizes, .all_strides = from_memory(g, strides)};
  copy(g, op, type->elem, mem, from);
  return mem;
}

NrStatus nr_ll_unranked_clone_op(NrLl *g, NrOp *op) {
  NrType from = nr_operand(op, 0)->type, to = nr_result(op, 0)->type;
  NrStatus status = check_rank(op, from);
  if (!status) status = check_rank(op, to);
  if (status) return status;
  NrLlMem *mem = nr_ll_unranked_clone(g, op, from, nr_ll_forget_rank(g, from, nr_ll_mem(g, nr_operand(op, 0))));
  nr_ll_set_mem(g, nr_result(op, 0), to->kind == NR_TYPE_MEMREF ? nr_ll_with_rank(g, to, mem) : mem);
  return NR_OK;
}

/* ---- reshape ---------------------------------------------------------------------------------------------------- */

NrStatus nr_ll_reshape_unranked(NrLl *g, NrOp *op, LLVMValueRef base, LLVMValueRef data) {
  NrType shape = nr_operand(op, 1)->type;
  NrLlMem *list = nr_ll_mem(g, nr_operand(op, 1));
  LLVMValueRef sizes = in_memory(g, none(g));
  int64_t length;
  if (nr_ll_is_int(list->sizes[0], &length) && length > NORIA_MAX_RANK)
    return nr_op_error(op, "is compiled for up to %d dims of a memref of unknown rank", NORIA_MAX_RANK);
  Down dims = begin_loop(g, list->sizes[0], NULL, 0);
  LLVMBasicBlockRef body = LLVMGetInsertBlock(g->b);
  LLVMValueRef size = nr_ll_load(g, shape->elem, nr_ll_mem_address(g, shape, list, &dims.index, 1));
  LLVMBuildStore(g->b, LLVMBuildIntCast2(g->b, size, g->i64, true, ""), nr_ll_shape_item(g, sizes, dims.index));
  end_loop(g, &dims, body, NULL);
  nr_ll_set_mem(g, nr_result(op, 0), nr_ll_unranked_dense(g, base, data, list->sizes[0], sizes));
  return NR_OK;
}
