/* frame.c - memref.alloca: buffers that live until their function returns. Small buffers of static size are on the
 * stack. Others would overflow it: they are blocks of the runtime, linked by a pointer in their first bytes, which the
 * function frees when it returns. After a failure the runtime frees them. Under the address sanitizer all buffers are
 * such blocks. */
#include "codegen/llvm/ll.h"
#include "dialect/memref/memref.h"

enum { STACK_BYTES = 128 << 10 /* limit for a function */, HEADER = 64 };

/* Frees a chain of blocks: while (p) { next = *p; api->free(exec, p); p = next; } */
static LLVMValueRef make_free_frame(NrLl *g) {
  LLVMTypeRef params[] = {g->ptr, g->ptr}, type = LLVMFunctionType(g->none, params, 2, false);
  LLVMTypeRef free_type = LLVMFunctionType(g->i32, params, 2, false);
  LLVMValueRef f = LLVMAddFunction(g->mod, "noria.free_frame", type);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b), entry = LLVMAppendBasicBlockInContext(g->llvm, f, "");
  LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(g->llvm, f, ""),
                    body = LLVMAppendBasicBlockInContext(g->llvm, f, ""),
                    done = LLVMAppendBasicBlockInContext(g->llvm, f, "");
  LLVMPositionBuilderAtEnd(g->b, entry);
  LLVMValueRef exec = LLVMGetParam(f, 0), first = LLVMGetParam(f, 1);
  LLVMValueRef at = nr_ll_int(g, offsetof(NoriaExec, api)), slot = nr_ll_int(g, offsetof(NoriaRuntimeApi, free));
  LLVMValueRef api = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->i8, exec, &at, 1, ""), "");
  LLVMValueRef give = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->i8, api, &slot, 1, ""), "");
  LLVMBuildBr(g->b, head);
  LLVMPositionBuilderAtEnd(g->b, head);
  LLVMValueRef block = LLVMBuildPhi(g->b, g->ptr, "");
  LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, block, ""), done, body);
  LLVMPositionBuilderAtEnd(g->b, body);
  LLVMValueRef next = LLVMBuildLoad2(g->b, g->ptr, block, "");
  LLVMBuildCall2(g->b, free_type, give, (LLVMValueRef[]){exec, block}, 2, "");
  LLVMBuildBr(g->b, head);
  LLVMAddIncoming(block, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){entry, body}, 2);
  LLVMPositionBuilderAtEnd(g->b, done);
  LLVMBuildRetVoid(g->b);
  LLVMPositionBuilderAtEnd(g->b, here);
  return f;
}

/* The function's variable that points to the last allocated block. */
static LLVMValueRef frame_slot(NrLl *g) {
  if (g->frame) return g->frame;
  g->frame = nr_ll_alloca(g, g->ptr, 8);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  LLVMBuildStore(g->b, LLVMConstNull(g->ptr), g->frame);
  LLVMPositionBuilderAtEnd(g->b, here);
  return g->frame;
}

static LLVMValueRef on_heap(NrLl *g, NrOp *op, LLVMValueRef bytes, int64_t align) {
  LLVMValueRef slot = frame_slot(g), extra = nr_ll_int(g, HEADER + (align > HEADER ? align : 0));
  LLVMValueRef whole = nr_ll_intrinsic(g, "llvm.sadd.sat", &g->i64, 1, (LLVMValueRef[]){bytes, extra}, 2);
  LLVMValueRef base = nr_ll_alloc(g, op, whole);
  LLVMBuildStore(g->b, LLVMBuildLoad2(g->b, g->ptr, slot, ""), base);
  LLVMBuildStore(g->b, base, slot);
  LLVMValueRef begin = nr_ll_int(g, HEADER + (align > HEADER ? align - 1 : 0));
  LLVMValueRef data = LLVMBuildInBoundsGEP2(g->b, g->i8, base, &begin, 1, "");
  LLVMValueRef args[] = {data, nr_ll_int(g, -align)};
  if (align > HEADER) data = nr_ll_intrinsic(g, "llvm.ptrmask", (LLVMTypeRef[]){g->ptr, g->i64}, 2, args, 2);
  nr_ll_sanitize_block(g, op, base, data, bytes);
  return data;
}

static NrStatus emit_alloca(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_op_result(op)->type;
  NrGroup sizes = nr_memref_alloca_sizes(op);
  LLVMValueRef bytes = nr_ll_buffer_bytes(g, type, sizes.count ? nr_operand(op, sizes.begin) : NULL), data;
  int64_t size, align = nr_op_attr_int(op, NR_A_alignment, 0);
  bool watched = g->options->sanitize; /* a runtime block, with red zones */
  if (!watched && nr_ll_is_int(bytes, &size) && size <= STACK_BYTES - g->stack_bytes) {
    g->stack_bytes += size;
    LLVMTypeRef elem = nr_ll_mem_type(g, type->elem);
    LLVMTypeRef array = LLVMArrayType2(elem, (uint64_t)type->dims[0]);
    data = nr_ll_alloca(g, array, (unsigned)(align ? align : type->dims[0] < 16 ? 16 : 64));
  } else data = on_heap(g, op, bytes, align);
  nr_ll_set(g, nr_op_result(op), data);
  return NR_OK;
}

void nr_ll_end_frame(NrLl *g) {
  if (!g->frame) return;
  if (!g->free_frame) g->free_frame = make_free_frame(g);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(g->func->value); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (!last || LLVMGetInstructionOpcode(last) != LLVMRet || block == g->fail) continue;
    LLVMPositionBuilderBefore(g->b, last);
    LLVMValueRef args[] = {g->exec, LLVMBuildLoad2(g->b, g->ptr, g->frame, "")};
    LLVMBuildCall2(g->b, LLVMGlobalGetValueType(g->free_frame), g->free_frame, args, 2, "");
  }
}

const NrLlRow nr_ll_frame_rows[] = {{"memref.alloca", emit_alloca}, {0}};
