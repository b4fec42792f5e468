/* build.c - what the emission of all ops builds with: the values of the function that is emitted, attributes, blocks,
 * fields of NoriaExec and calls of the runtime's table. */
#include "codegen/llvm/ll.h"

void nr_ll_begin_function(NrLl *g, NrLlFunc *func) {
  g->func = func;
  g->exec = LLVMGetParam(func->value, 0);
  g->allocas = LLVMAppendBasicBlockInContext(g->llvm, func->value, "entry");
  g->fail = g->report = g->stopped = NULL;
  g->api = g->constant_table = g->import_table = g->call_descs = NULL;
  g->num_call_descs = 0;
  g->frame = NULL;
  g->stack_bytes = 0;
  memset(g->api_functions, 0, sizeof g->api_functions);
  nr_map_clear(&g->values);
  nr_map_clear(&g->shapes);
  nr_map_clear(&g->blocks);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_value(NrLl *g, NrValue *value) {
  LLVMValueRef ll = nr_map_get(&g->values, value);
  assert(ll);
  return ll;
}

void nr_ll_set(NrLl *g, NrValue *value, LLVMValueRef ll) { nr_map_set(&g->values, value, ll); }

/* With AVX-512, LLVM 22 cannot hand a <1 x i1> to a function and ends the process. So a vector of one bool goes as an
 * i1. */
static bool is_single_bool(NrType type) {
  return type->kind == NR_TYPE_VECTOR && nr_type_is_int_width(type->elem, 1) && type->rank == 1 && type->dims[0] == 1;
}

LLVMTypeRef nr_ll_passed_type(NrLl *g, NrType type) { return is_single_bool(type) ? g->i1 : nr_ll_type(g, type); }

LLVMValueRef nr_ll_passed(NrLl *g, NrValue *value) {
  LLVMValueRef ll = nr_ll_value(g, value);
  return is_single_bool(value->type) ? LLVMBuildBitCast(g->b, ll, g->i1, "") : ll;
}

void nr_ll_receive(NrLl *g, NrValue *value, LLVMValueRef passed) {
  if (is_single_bool(value->type)) passed = LLVMBuildBitCast(g->b, passed, nr_ll_type(g, value->type), "");
  nr_ll_set(g, value, passed);
}

/* ---- attributes and metadata ------------------------------------------------------------------------------------- */

static LLVMAttributeRef attribute(NrLl *g, const char *name, uint64_t value) {
  return LLVMCreateEnumAttribute(g->llvm, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

void nr_ll_attr(NrLl *g, LLVMValueRef func, unsigned index, const char *name, uint64_t value) {
  LLVMAddAttributeAtIndex(func, index, attribute(g, name, value));
}

void nr_ll_call_attr(NrLl *g, LLVMValueRef call, unsigned index, const char *name, uint64_t value) {
  LLVMAddCallSiteAttribute(call, index, attribute(g, name, value));
}

void nr_ll_metadata(NrLl *g, LLVMValueRef inst, const char *kind, LLVMMetadataRef node) {
  LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(g->llvm, kind, (unsigned)strlen(kind)),
                  LLVMMetadataAsValue(g->llvm, node));
}

void nr_ll_invariant(NrLl *g, LLVMValueRef load) {
  nr_ll_metadata(g, load, "invariant.load", LLVMMDNodeInContext2(g->llvm, NULL, 0));
}

void nr_ll_metadata_int(NrLl *g, LLVMValueRef inst, const char *kind, int64_t value) {
  LLVMMetadataRef item = LLVMValueAsMetadata(nr_ll_int(g, value));
  nr_ll_metadata(g, inst, kind, LLVMMDNodeInContext2(g->llvm, &item, 1));
}

void nr_ll_set_vector_width(NrLl *g, LLVMValueRef func) {
  static const char *const names[] = {"prefer-vector-width", "min-legal-vector-width"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(g->llvm, names[i], (unsigned)strlen(names[i]), "512", 3);
    LLVMAddAttributeAtIndex(func, LLVMAttributeFunctionIndex, a);
  }
}

void nr_ll_weights(NrLl *g, LLVMValueRef branch, uint32_t yes, uint32_t no) {
  LLVMMetadataRef weights[] = {
      LLVMMDStringInContext2(g->llvm, "branch_weights", strlen("branch_weights")),
      LLVMValueAsMetadata(nr_ll_int32(g, yes)),
      LLVMValueAsMetadata(nr_ll_int32(g, no)),
  };
  nr_ll_metadata(g, branch, "prof", LLVMMDNodeInContext2(g->llvm, weights, 3));
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

LLVMBasicBlockRef nr_ll_new_block(NrLl *g, const char *name) {
  LLVMBasicBlockRef block = LLVMCreateBasicBlockInContext(g->llvm, name);
  LLVMInsertExistingBasicBlockAfterInsertBlock(g->b, block);
  return block;
}

void nr_ll_cond_br_likely(NrLl *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef unlikely) {
  nr_ll_weights(g, LLVMBuildCondBr(g->b, cond, likely, unlikely), 1 << 20, 1);
}

LLVMValueRef nr_ll_alloca(NrLl *g, LLVMTypeRef type, unsigned align) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  LLVMValueRef first = LLVMGetFirstInstruction(g->allocas);
  if (first) LLVMPositionBuilderBefore(g->b, first);
  else LLVMPositionBuilderAtEnd(g->b, g->allocas);
  LLVMValueRef slot = LLVMBuildAlloca(g->b, type, "");
  if (align) LLVMSetAlignment(slot, align);
  LLVMPositionBuilderAtEnd(g->b, here);
  return slot;
}

bool nr_ll_is_int(LLVMValueRef v, int64_t *out) {
  if (!LLVMIsAConstantInt(v)) return false;
  *out = LLVMConstIntGetSExtValue(v);
  return true;
}

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

static LLVMValueRef load_invariant(NrLl *g, LLVMValueRef base, size_t offset) {
  LLVMValueRef index = nr_ll_int(g, (int64_t)offset);
  LLVMValueRef value = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildInBoundsGEP2(g->b, g->i8, base, &index, 1, ""), "");
  nr_ll_invariant(g, value);
  return value;
}

LLVMValueRef nr_ll_exec_field(NrLl *g, LLVMValueRef *cache, size_t offset) {
  if (*cache) return *cache;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  *cache = load_invariant(g, g->exec, offset);
  LLVMPositionBuilderAtEnd(g->b, here);
  return *cache;
}

/* A function of the runtime's table. It is loaded once, in the entry block: a load inside a loop would keep LLVM from
 * holding what the loop stores in registers, because the store might change the table. */
static LLVMValueRef api_function(NrLl *g, size_t offset) {
  LLVMValueRef api = nr_ll_exec_field(g, &g->api, offsetof(NoriaExec, api));
  LLVMValueRef *cache = &g->api_functions[offset / sizeof(void *)];
  if (*cache) return *cache;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  *cache = load_invariant(g, api, offset);
  LLVMPositionBuilderAtEnd(g->b, here);
  return *cache;
}

/* Calls the runtime function at `offset` of the table. All but dispatch access no memory that compiled code knows,
 * except through their arguments, so values stay in registers across a poll. */
static LLVMValueRef api_call(NrLl *g, LLVMValueRef fn, size_t offset, LLVMTypeRef type, LLVMValueRef *args,
                             unsigned count) {
  LLVMValueRef call = LLVMBuildCall2(g->b, type, fn, args, count, "");
  nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "nounwind", 0);
  enum { ARGUMENTS = 3 << 0, INACCESSIBLE = 3 << 2 }; /* LLVM's MemoryEffects: read and write, two bits per kind */
  if (offset != offsetof(NoriaRuntimeApi, dispatch))
    nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "memory", ARGUMENTS | INACCESSIBLE);
  return call;
}

LLVMValueRef nr_ll_api_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count) {
  return api_call(g, api_function(g, offset), offset, type, args, count);
}

LLVMValueRef nr_ll_api_cold_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count) {
  LLVMValueRef fn = load_invariant(g, nr_ll_exec_field(g, &g->api, offsetof(NoriaExec, api)), offset);
  LLVMValueRef call = api_call(g, fn, offset, type, args, count);
  nr_ll_call_attr(g, call, LLVMAttributeFunctionIndex, "cold", 0);
  return call;
}
