/* memref_copy.c - copies of memrefs: memcpy of what lies without gaps in both, in loops over the other dims. Whatever
 * may be large goes in pieces with safepoints between. */
#include "codegen/llvm/ll.h"

enum {
  PIECE = 1 << 25,      /* bytes between two safepoints: some 5 ms, 20 where the pages are new */
  STRIP = 1 << 16,      /* elements */
  SMALL_COPY = 256,     /* elements: see nr_ll_mem_copy */
  QUICK_COPY = 1 << 21, /* elements that are copied without safepoints */
};

/* ---- loops ------------------------------------------------------------------------------------------------------ */

typedef struct Loop {
  LLVMBasicBlockRef head, after;
  LLVMValueRef i, step;
} Loop;

/* for (i = from; i < to; i += step) { */
static Loop open_loop(NrLl *g, LLVMValueRef from, LLVMValueRef to, int64_t step) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
  Loop loop = {.head = nr_ll_new_block(g, ""), .step = nr_ll_int(g, step)};
  LLVMBuildBr(g->b, loop.head);
  LLVMPositionBuilderAtEnd(g->b, loop.head);
  loop.i = LLVMBuildPhi(g->b, g->i64, "");
  LLVMBasicBlockRef body = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, body);
  loop.after = nr_ll_new_block(g, "");
  LLVMPositionBuilderAtEnd(g->b, loop.head);
  LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, loop.i, to, ""), body, loop.after);
  LLVMAddIncoming(loop.i, &from, &before, 1);
  LLVMPositionBuilderAtEnd(g->b, body);
  return loop;
}

/* } */
static void close_loop(NrLl *g, Loop *loop) {
  LLVMValueRef next = LLVMBuildNSWAdd(g->b, loop->i, loop->step, "");
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
  LLVMBuildBr(g->b, loop->head);
  LLVMAddIncoming(loop->i, &next, &latch, 1);
  LLVMMoveBasicBlockAfter(loop->after, latch);
  LLVMPositionBuilderAtEnd(g->b, loop->after);
}

static LLVMValueRef least(NrLl *g, LLVMValueRef a, LLVMValueRef b) {
  return nr_ll_intrinsic(g, "llvm.umin", &g->i64, 1, (LLVMValueRef[]){a, b}, 2);
}

static LLVMValueRef advance(NrLl *g, LLVMValueRef pointer, LLVMValueRef bytes) {
  return LLVMBuildInBoundsGEP2(g->b, g->i8, pointer, &bytes, 1, "");
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

void nr_ll_memcpy(NrLl *g, NrOp *op, LLVMValueRef to, LLVMValueRef from, unsigned align, LLVMValueRef bytes) {
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

/* How many of the last dims lie without gaps in both. */
static uint32_t dense_dims(NrType a, NrType b) {
  if (nr_ll_is_dense(a) && nr_ll_is_dense(b)) return a->rank;
  int64_t sa[NR_MAX_RANK], sb[NR_MAX_RANK], offset, expect = 1;
  nr_ll_strides(a, sa, &offset);
  nr_ll_strides(b, sb, &offset);
  uint32_t n = 0;
  for (uint32_t i = a->rank; i-- > 0 && expect != NR_DYNAMIC; n++) {
    if (sa[i] != expect || sb[i] != expect) break;
    int64_t dim = a->dims[i] != NR_DYNAMIC ? a->dims[i] : b->dims[i];
    if (dim == NR_DYNAMIC || !nr_mul_i64(expect, dim, &expect)) expect = NR_DYNAMIC;
  }
  return n;
}

typedef struct Copy {
  NrLl *g;
  NrOp *op;
  NrType dst_type, src_type;
  NrLlMem *dst, *src;
  LLVMValueRef indices[NR_MAX_RANK];
  uint32_t loops; /* over the first dims */
  bool is_quick;
} Copy;

/* One element, or a memcpy of the dims that have no loop. */
static void copy_inner(Copy *c) {
  NrLl *g = c->g;
  LLVMValueRef to = nr_ll_mem_address(g, c->dst_type, c->dst, c->indices, c->loops);
  LLVMValueRef from = nr_ll_mem_address(g, c->src_type, c->src, c->indices, c->loops);
  if (c->loops && c->loops == c->dst_type->rank) {
    nr_ll_store(g, c->dst_type->elem, nr_ll_load(g, c->src_type->elem, from), to);
    return;
  }
  LLVMValueRef bytes = nr_ll_elem_bytes(g, c->dst_type->elem);
  for (uint32_t i = c->loops; i < c->dst_type->rank; i++) bytes = nr_ll_index_mul(g, bytes, c->src->sizes[i]);
  nr_ll_memcpy(g, c->op, to, from, nr_ll_elem_align(c->dst_type->elem), bytes);
}

static void copy_dims(Copy *c, uint32_t dim) {
  NrLl *g = c->g;
  if (dim == c->loops) {
    copy_inner(c);
    return;
  }
  bool in_strips = !c->is_quick && dim + 1 == c->loops && c->loops == c->dst_type->rank;
  LLVMValueRef from = nr_ll_int(g, 0), size = c->src->sizes[dim], to = size;
  Loop strips, loop;
  if (in_strips) {
    strips = open_loop(g, from, size, STRIP);
    from = strips.i;
    to = LLVMBuildAdd(g->b, from, least(g, LLVMBuildSub(g->b, size, from, ""), nr_ll_int(g, STRIP)), "");
  }
  loop = open_loop(g, from, to, 1);
  c->indices[dim] = loop.i;
  copy_dims(c, dim + 1);
  if (!in_strips && !c->is_quick && dim + 1 == c->loops) nr_ll_safepoint(g, c->op);
  close_loop(g, &loop);
  if (!in_strips) return;
  nr_ll_safepoint(g, c->op);
  close_loop(g, &strips);
}

/* Elements of the dims from first on, at most; INT64_MAX: not known. */
static int64_t most_elements(NrType a, NrType b, uint32_t first) {
  int64_t count = 1;
  for (uint32_t i = first; i < a->rank; i++) {
    int64_t dim = a->dims[i] != NR_DYNAMIC ? a->dims[i] : b->dims[i];
    if (dim == NR_DYNAMIC || !nr_mul_i64(count, dim, &count)) return INT64_MAX;
  }
  return count;
}

/* A small copy is a loop over elements: LLVM's passes see through that, so that values which were just computed go on
 * in registers; memcpy is opaque to them. */
void nr_ll_mem_copy(NrLl *g, NrOp *op, NrType dst_type, NrLlMem *dst, NrType src_type, NrLlMem *src) {
  uint32_t rank = dst_type->rank, dense = dense_dims(dst_type, src_type);
  bool is_small = most_elements(dst_type, src_type, rank - dense) <= SMALL_COPY;
  Copy c = {.g = g, .op = op, .dst_type = dst_type, .dst = dst, .src_type = src_type, .src = src,
            .loops = is_small ? rank : rank - dense,
            .is_quick = most_elements(dst_type, src_type, 0) <= QUICK_COPY};
  copy_dims(&c, 0);
}
