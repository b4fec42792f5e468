/* atomic.c - atomic memory ops. Where the CPU has no instruction, they are a compare-and-exchange loop. */
#include "codegen/llvm/ll.h"
#include "dialect/memref/memref.h"

/* The LLVM operation for each kind of memref.atomic_rmw. */
static const struct {
  LLVMAtomicRMWBinOp instruction; /* if there is an instruction for the type, else opcode or intrinsic */
  LLVMOpcode opcode;              /* or */
  const char *intrinsic;
  bool no_instruction;
} combines[] = {
    {LLVMAtomicRMWBinOpFAdd, .opcode = LLVMFAdd},
    {LLVMAtomicRMWBinOpAdd, .opcode = LLVMAdd},
    {LLVMAtomicRMWBinOpAnd, .opcode = LLVMAnd},
    {LLVMAtomicRMWBinOpXchg},
    {LLVMAtomicRMWBinOpFMaximum, .intrinsic = "llvm.maximum"},
    {LLVMAtomicRMWBinOpFMax, .intrinsic = "llvm.maxnum"},
    {LLVMAtomicRMWBinOpMax, .intrinsic = "llvm.smax"},
    {LLVMAtomicRMWBinOpUMax, .intrinsic = "llvm.umax"},
    {LLVMAtomicRMWBinOpFMinimum, .intrinsic = "llvm.minimum"},
    {LLVMAtomicRMWBinOpFMin, .intrinsic = "llvm.minnum"},
    {LLVMAtomicRMWBinOpMin, .intrinsic = "llvm.smin"},
    {LLVMAtomicRMWBinOpUMin, .intrinsic = "llvm.umin"},
    {.no_instruction = true, .opcode = LLVMFMul},
    {.no_instruction = true, .opcode = LLVMMul},
    {LLVMAtomicRMWBinOpOr, .opcode = LLVMOr},
    {LLVMAtomicRMWBinOpXor, .opcode = LLVMXor},
};

/* ---- compare-and-exchange loops ---------------------------------------------------------------------------------- */

typedef struct Exchange {
  LLVMTypeRef bits;
  LLVMValueRef address;
  LLVMValueRef seen; /* phi: the bits that were read from memory */
  LLVMBasicBlockRef head;
} Exchange;

/* The integer type for an element in memory; NULL where the CPU has no atomic access of its size. */
static LLVMTypeRef exchange_type(NrLl *g, NrType elem) {
  LLVMTypeRef memory = nr_ll_mem_type(g, elem);
  LLVMTypeKind kind = memory ? LLVMGetTypeKind(memory) : LLVMVoidTypeKind;
  size_t size = nr_type_byte_size(elem);
  bool scalar = kind != LLVMVoidTypeKind && kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind &&
                kind != LLVMPointerTypeKind && kind != LLVMVectorTypeKind;
  return scalar && size && size <= 8 && !(size & (size - 1))
             ? LLVMIntTypeInContext(g->llvm, (unsigned)size * 8) : NULL;
}

static LLVMValueRef from_bits(NrLl *g, NrType elem, LLVMValueRef bits) {
  return nr_ll_from_memory(g, elem, LLVMBuildBitCast(g->b, bits, nr_ll_mem_type(g, elem), ""));
}

/* Begins the loop; returns the element that was read. */
static LLVMValueRef exchange_begin(NrLl *g, NrType elem, LLVMValueRef address, Exchange *out) {
  out->bits = exchange_type(g, elem);
  out->address = address;
  LLVMValueRef first = LLVMBuildLoad2(g->b, out->bits, address, "");
  LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(first, (unsigned)nr_type_byte_size(elem));
  LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
  out->head = nr_ll_new_block(g, "");
  LLVMBuildBr(g->b, out->head);
  LLVMPositionBuilderAtEnd(g->b, out->head);
  out->seen = LLVMBuildPhi(g->b, out->bits, "");
  LLVMAddIncoming(out->seen, &first, &before, 1);
  return from_bits(g, elem, out->seen);
}

/* Ends the loop: writes next if memory still holds the value that was read, otherwise repeats. */
static void exchange_end(NrLl *g, NrType elem, Exchange *e, LLVMValueRef next) {
  LLVMValueRef bits = LLVMBuildBitCast(g->b, nr_ll_to_memory(g, elem, next), e->bits, "");
  LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, e->address, e->seen, bits, LLVMAtomicOrderingAcquireRelease,
                                             LLVMAtomicOrderingMonotonic, false);
  LLVMValueRef now = LLVMBuildExtractValue(g->b, pair, 0, ""), done = LLVMBuildExtractValue(g->b, pair, 1, "");
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b), after = nr_ll_new_block(g, "");
  LLVMAddIncoming(e->seen, &now, &latch, 1);
  LLVMBuildCondBr(g->b, done, after, e->head);
  LLVMPositionBuilderAtEnd(g->b, after);
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef combine(NrLl *g, size_t kind, LLVMValueRef old, LLVMValueRef value) {
  LLVMValueRef args[] = {old, value};
  LLVMTypeRef type = LLVMTypeOf(old);
  return combines[kind].intrinsic ? nr_ll_intrinsic(g, combines[kind].intrinsic, &type, 1, args, 2)
                                  : LLVMBuildBinOp(g->b, combines[kind].opcode, old, value, "");
}

static NrStatus emit_atomic(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *memref = nr_memref_atomic_rmw_memref(op);
  NrType elem = memref->type->elem;
  size_t kind = (size_t)nr_op_attr_int(op, NR_A_kind, 0);
  bool assigns = !combines[kind].opcode && !combines[kind].intrinsic;
  LLVMValueRef value = nr_ll_value(g, nr_memref_atomic_rmw_value(op));
  if (!exchange_type(g, elem))
    return nr_op_error(op, "is not compiled for %s: there is no atomic step of its size", nr_type_text(g->ctx, elem));
  LLVMValueRef address = nr_ll_element_at(g, memref, nr_operand(op, NR_MEMREF_ATOMIC_RMW_INDICES));
  bool plain = nr_ll_mem_type(g, elem) == nr_ll_type(g, elem);
  if (plain && !combines[kind].no_instruction) {
    nr_ll_set(g, nr_op_result(op), LLVMBuildAtomicRMW(g->b, combines[kind].instruction, address, value,
                                                      LLVMAtomicOrderingAcquireRelease, false));
    return NR_OK;
  }
  Exchange e;
  LLVMValueRef old = exchange_begin(g, elem, address, &e);
  exchange_end(g, elem, &e, assigns ? value : combine(g, kind, old, value));
  nr_ll_set(g, nr_op_result(op), old);
  return NR_OK;
}

static NrStatus emit_generic_atomic(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrValue *memref = nr_memref_generic_atomic_rmw_memref(op);
  NrType elem = memref->type->elem;
  NrBlock *body = nr_memref_generic_atomic_rmw_body(op);
  if (!exchange_type(g, elem))
    return nr_op_error(op, "is not compiled for %s: there is no atomic step of its size", nr_type_text(g->ctx, elem));
  Exchange e;
  LLVMValueRef address = nr_ll_element_at(g, memref, nr_operand(op, NR_MEMREF_GENERIC_ATOMIC_RMW_INDICES));
  LLVMValueRef old = exchange_begin(g, elem, address, &e);
  nr_ll_set(g, nr_block_arg(body, 0), old);
  for (NrOp *inner = body->first; inner != body->last; inner = inner->next) {
    NrStatus status = g->emit_op(g, inner);
    if (status) return status;
  }
  exchange_end(g, elem, &e, nr_ll_value(g, nr_memref_atomic_yield_value(body->last)));
  nr_ll_set(g, nr_op_result(op), old);
  return NR_OK;
}

const NrLlRow nr_ll_atomic_rows[] = {
    {"memref.atomic_rmw", emit_atomic},     {"memref.generic_atomic_rmw", emit_generic_atomic},
    {0},
};
