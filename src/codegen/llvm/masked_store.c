/* masked_store.c - masked stores whose constant mask has one active lane become scalar stores.
 *
 * A store of the lane is the better code. It is needed too: for AVX-512, LLVM 22 selects the store of a truncated
 * vector with such a mask as a scalar store of the type before the truncation, which writes over the elements behind
 * it. */
#include "codegen/llvm/ll.h"

enum { VALUE, POINTER, MASK };

/* The only active lane of a constant mask, or -1. */
static int single_lane(LLVMValueRef mask) {
  int lane = -1;
  unsigned size = LLVMGetVectorSize(LLVMTypeOf(mask));
  if (!LLVMIsConstant(mask)) return -1;
  for (unsigned i = 0; i < size; i++) {
    LLVMValueRef bit = LLVMGetAggregateElement(mask, i);
    if (!bit || !LLVMIsAConstantInt(bit) || (LLVMConstIntGetZExtValue(bit) && lane >= 0)) return -1;
    if (LLVMConstIntGetZExtValue(bit)) lane = (int)i;
  }
  return lane;
}

static unsigned alignment(LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, POINTER + 1, kind);
  return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

static void store_lane(NrLl *g, LLVMBuilderRef b, LLVMValueRef call, int lane) {
  LLVMPositionBuilderBefore(b, call);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(g->llvm), (unsigned)lane, false);
  LLVMValueRef value = LLVMBuildExtractElement(b, LLVMGetOperand(call, VALUE), index, "");
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned align = alignment(call);
  LLVMValueRef address = LLVMBuildGEP2(b, type, LLVMGetOperand(call, POINTER), &index, 1, "");
  unsigned bytes = (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(g->mod), type);
  LLVMSetAlignment(LLVMBuildStore(b, value, address), lane ? NR_MIN(align, bytes & -bytes) : align);
  LLVMInstructionEraseFromParent(call);
}

void nr_ll_split_masked_stores(NrLl *g) {
  static const char name[] = "llvm.masked.store";
  unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(g->llvm);
  for (LLVMValueRef fn = LLVMGetFirstFunction(g->mod); fn; fn = LLVMGetNextFunction(fn)) {
    if (LLVMGetIntrinsicID(fn) != id) continue;
    for (LLVMUseRef use = LLVMGetFirstUse(fn), next; use; use = next) {
      LLVMValueRef call = LLVMGetUser(use);
      next = LLVMGetNextUse(use);
      int lane = single_lane(LLVMGetOperand(call, MASK));
      if (lane >= 0) store_lane(g, b, call, lane);
    }
  }
  LLVMDisposeBuilder(b);
}
