/* boundary.c - values as NoriaDesc, and the NoriaEntryFn wrappers of functions. */
#include "codegen/llvm/ll.h"
#include "dialect/rt/rt.h"

bool nr_ll_can_pass(NrType type) {
  switch (type->kind) {
  case NR_TYPE_MEMREF:
    return type->rank <= NORIA_MAX_RANK && type->elem->kind != NR_TYPE_VECTOR && nr_ll_is_dense(type);
  case NR_TYPE_UNRANKED_MEMREF: return type->elem->kind != NR_TYPE_VECTOR;
  case NR_TYPE_INTEGER:
  case NR_TYPE_FLOAT: return type->width <= 64;
  case NR_TYPE_INDEX:
  case NR_TYPE_SEQ:
  case NR_TYPE_OPTIONAL:
  case NR_TYPE_STRING: return true;
  default: return false;
  }
}

static bool is_handle(NrType type) {
  return type->kind == NR_TYPE_SEQ || type->kind == NR_TYPE_OPTIONAL || type->kind == NR_TYPE_STRING;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

static LLVMValueRef field(NrLl *g, LLVMValueRef desc, size_t offset) {
  LLVMValueRef index = nr_ll_int(g, (int64_t)offset);
  return offset ? LLVMBuildInBoundsGEP2(g->b, g->i8, desc, &index, 1, "") : desc;
}

static void put(NrLl *g, LLVMValueRef desc, size_t offset, LLVMValueRef value) {
  LLVMBuildStore(g->b, value, field(g, desc, offset));
}

static void write_unranked(NrLl *g, NrType type, NrLlMem *mem, LLVMValueRef desc) {
  mem = nr_ll_unranked_clone(g, NULL, type, mem);
  put(g, desc, offsetof(NoriaDesc, data), mem->data);
  put(g, desc, offsetof(NoriaDesc, rank), mem->rank);
  put(g, desc, offsetof(NoriaDesc, bits), nr_ll_int(g, (int64_t)nr_rt_elements(type->elem)));
  LLVMValueRef store = LLVMBuildStore(g->b, mem->all_sizes, field(g, desc, offsetof(NoriaDesc, dims)));
  LLVMSetAlignment(store, 8);
}

static NrLlMem *read_unranked(NrLl *g, LLVMValueRef desc) {
  LLVMValueRef data = LLVMBuildLoad2(g->b, g->ptr, field(g, desc, offsetof(NoriaDesc, data)), "");
  return nr_ll_unranked_dense(g, data, data, nr_ll_desc_rank(g, desc), field(g, desc, offsetof(NoriaDesc, dims)));
}

void nr_ll_desc_write_part(NrLl *g, NrType type, void *part, LLVMValueRef desc) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    write_unranked(g, type, part, desc);
    return;
  }
  if (type->kind == NR_TYPE_MEMREF) {
    NrLlMem *mem = part;
    put(g, desc, offsetof(NoriaDesc, data), mem->data);
    put(g, desc, offsetof(NoriaDesc, rank), nr_ll_int(g, type->rank));
    put(g, desc, offsetof(NoriaDesc, bits), nr_ll_int(g, (int64_t)nr_rt_elements(type->elem)));
    for (uint32_t i = 0; i < type->rank; i++)
      put(g, desc, offsetof(NoriaDesc, dims) + i * sizeof(int64_t), mem->sizes[i]);
    return;
  }
  LLVMValueRef value = part;
  if (is_handle(type)) {
    put(g, desc, offsetof(NoriaDesc, data), value);
    put(g, desc, offsetof(NoriaDesc, rank), nr_ll_int(g, 0));
    return;
  }
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
    value = LLVMBuildBitCast(g->b, value, LLVMIntTypeInContext(g->llvm, nr_type_bits(type)), "");
  put(g, desc, offsetof(NoriaDesc, rank), nr_ll_int(g, -1));
  put(g, desc, offsetof(NoriaDesc, bits), LLVMBuildIntCast2(g->b, value, g->i64, false, ""));
}

void nr_ll_desc_write(NrLl *g, NrValue *value, LLVMValueRef desc) {
  void *part = nr_type_is_memref(value->type) ? (void *)nr_ll_mem(g, value) : (void *)nr_ll_value(g, value);
  nr_ll_desc_write_part(g, value->type, part, desc);
}

LLVMValueRef nr_ll_desc_bits(NrLl *g, LLVMValueRef desc) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, bits)), "");
}

LLVMValueRef nr_ll_desc_dim(NrLl *g, LLVMValueRef desc, uint32_t dim) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, dims) + dim * sizeof(int64_t)), "");
}

LLVMValueRef nr_ll_desc_rank(NrLl *g, LLVMValueRef desc) {
  return LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, rank)), "");
}

void *nr_ll_desc_read(NrLl *g, NrType type, LLVMValueRef desc) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) return read_unranked(g, desc);
  if (type->kind == NR_TYPE_MEMREF) {
    NrLlMem *mem = nr_ll_mem_new(g, type);
    mem->base = mem->data = LLVMBuildLoad2(g->b, g->ptr, field(g, desc, offsetof(NoriaDesc, data)), "");
    if (!mem->offset) mem->offset = nr_ll_int(g, 0);
    for (uint32_t i = 0; i < type->rank; i++)
      if (!mem->sizes[i])
        mem->sizes[i] =
            LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, dims) + i * sizeof(int64_t)), "");
    for (uint32_t i = type->rank; i-- > 0;)
      if (!mem->strides[i])
        mem->strides[i] = i + 1 == type->rank ? nr_ll_int(g, 1)
                                              : LLVMBuildNSWMul(g->b, mem->strides[i + 1], mem->sizes[i + 1], "");
    return mem;
  }
  if (is_handle(type)) return LLVMBuildLoad2(g->b, g->ptr, field(g, desc, offsetof(NoriaDesc, data)), "");
  LLVMValueRef bits = LLVMBuildLoad2(g->b, g->i64, field(g, desc, offsetof(NoriaDesc, bits)), "");
  LLVMTypeRef want = nr_ll_type(g, type);
  if (LLVMGetTypeKind(want) == LLVMIntegerTypeKind) return LLVMBuildIntCast2(g->b, bits, want, false, "");
  LLVMValueRef narrow = LLVMBuildIntCast2(g->b, bits, LLVMIntTypeInContext(g->llvm, nr_type_bits(type)), false, "");
  return LLVMBuildBitCast(g->b, narrow, want, "");
}

/* ---- wrappers --------------------------------------------------------------------------------------------------- */

static bool can_wrap(NrLlFunc *func) {
  for (uint32_t i = 0; i < func->type->num_inputs; i++)
    if (!nr_ll_can_pass(func->type->inputs[i])) return false;
  for (uint32_t i = 0; i < func->type->num_results; i++)
    if (!nr_ll_can_pass(func->type->results[i])) return false;
  return true;
}

/* int32_t wrapper(exec, inputs, outputs): reads descriptors, calls, writes descriptors. */
static void define_wrapper(NrLl *g, NrLlFunc *func, bool exported) {
  NrStr name = nr_op_attr_str(func->op, NR_A_sym_name);
  const char *symbol = nr_arena_printf(&g->arena, "noria.call.%.*s", NR_STR_ARG(name));
  NrLlFunc self = {.op = func->op, .type = func->type, .ll_type = g->entry_type};
  self.value = func->wrapper = LLVMAddFunction(g->mod, symbol, g->entry_type);
  LLVMSetLinkage(self.value, exported ? LLVMExternalLinkage : LLVMInternalLinkage);
  nr_ll_attr(g, self.value, LLVMAttributeFunctionIndex, "nounwind", 0);
  nr_ll_set_vector_width(g, self.value);
  nr_ll_begin_function(g, &self);
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(g->llvm, self.value, "");
  LLVMPositionBuilderAtEnd(g->b, body);
  NrLlParts args = {0}, results = {0};
  for (uint32_t i = 0; i < func->type->num_inputs; i++) {
    LLVMValueRef desc = field(g, LLVMGetParam(self.value, 1), i * sizeof(NoriaDesc));
    nr_ll_push_parts(g, func->type->inputs[i], nr_ll_desc_read(g, func->type->inputs[i], desc), &args);
  }
  nr_ll_call_func(g, func, args.values.data, args.values.size, &results);
  size_t next = 0;
  for (uint32_t i = 0; i < func->type->num_results; i++) {
    void *part = nr_ll_from_parts(g, func->type->results[i], results.values.data, &next);
    LLVMValueRef desc = field(g, LLVMGetParam(self.value, 2), i * sizeof(NoriaDesc));
    nr_ll_desc_write_part(g, func->type->results[i], part, desc);
  }
  LLVMBuildRet(g->b, nr_ll_int32(g, 0));
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  LLVMBuildBr(g->b, body);
  nr_ll_parts_deinit(&args);
  nr_ll_parts_deinit(&results);
}

NrStatus nr_ll_define_wrappers(NrLl *g) {
  if (g->entry && !can_wrap(g->entry))
    return nr_op_error(g->entry->op, "is the program's entry, but has a type that cannot pass the boundary");
  for (size_t i = 0; i < g->all.size; i++) {
    NrLlFunc *func = g->all.data[i];
    bool wanted = g->options->all_functions && nr_op_parent(func->op) == g->module->op &&
                  !nr_str_is(nr_op_attr_str(func->op, NR_A_sym_visibility), "private");
    if (func == g->entry || (wanted && can_wrap(func))) define_wrapper(g, func, wanted);
  }
  return NR_OK;
}
