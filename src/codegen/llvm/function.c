/* function.c - functions and their blocks, and the values in them. */
#include "codegen/llvm/ll.h"
#include "dialect/flow/flow.h"
#include "pass/core/rewrite.h"

/* ---- values ----------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_value(NrLl *g, NrValue *value) {
  LLVMValueRef ll = nr_map_get(&g->values, value);
  assert(ll && !nr_type_is_memref(value->type));
  return ll;
}

NrLlMem *nr_ll_mem(NrLl *g, NrValue *value) {
  NrLlMem *mem = nr_map_get(&g->values, value);
  assert(mem && nr_type_is_memref(value->type));
  return mem;
}

void nr_ll_set(NrLl *g, NrValue *value, LLVMValueRef ll) { nr_map_set(&g->values, value, ll); }
void nr_ll_set_mem(NrLl *g, NrValue *value, NrLlMem *mem) { nr_map_set(&g->values, value, mem); }

LLVMTypeRef nr_ll_shape_type(NrLl *g) { return LLVMArrayType2(g->i64, NORIA_MAX_RANK); }

/* ---- small helpers ---------------------------------------------------------------------------------------------- */

static LLVMAttributeRef attribute(NrLl *g, const char *name, uint64_t value) {
  return LLVMCreateEnumAttribute(g->llvm, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

void nr_ll_attr(NrLl *g, LLVMValueRef func, unsigned index, const char *name, uint64_t value) {
  LLVMAddAttributeAtIndex(func, index, attribute(g, name, value));
}

void nr_ll_call_attr(NrLl *g, LLVMValueRef call, unsigned index, const char *name, uint64_t value) {
  LLVMAddCallSiteAttribute(call, index, attribute(g, name, value));
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

/* A function of the runtime. Read once, in the entry block: a read inside a loop would keep LLVM from holding what the
 * loop stores in registers, for it could be what is stored. */
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

/* Calls what stands at `offset` in the runtime's table. All but dispatch reach no memory that compiled code knows,
 * other than through their arguments: so values stay in registers across a poll. */
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

LLVMBasicBlockRef nr_ll_new_block(NrLl *g, const char *name) {
  LLVMBasicBlockRef block = LLVMCreateBasicBlockInContext(g->llvm, name);
  LLVMInsertExistingBasicBlockAfterInsertBlock(g->b, block);
  return block;
}

/* ---- leaving with failure --------------------------------------------------------------------------------------- */

/* { 1, poison... } or 1. */
static LLVMValueRef failure_value(NrLl *g) {
  LLVMTypeRef type = LLVMGetReturnType(g->func->ll_type);
  LLVMValueRef one = nr_ll_int32(g, 1);
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind) return one;
  return LLVMBuildInsertValue(g->b, LLVMGetPoison(type), one, 0, "");
}

LLVMBasicBlockRef nr_ll_fail_block(NrLl *g) {
  if (g->fail) return g->fail;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
  g->fail = LLVMAppendBasicBlockInContext(g->llvm, g->func->value, "fail");
  LLVMPositionBuilderAtEnd(g->b, g->fail);
  LLVMBuildRet(g->b, failure_value(g));
  LLVMPositionBuilderAtEnd(g->b, here);
  return g->fail;
}

void nr_ll_weights(NrLl *g, LLVMValueRef branch, uint32_t yes, uint32_t no) {
  LLVMMetadataRef weights[] = {
      LLVMMDStringInContext2(g->llvm, "branch_weights", strlen("branch_weights")),
      LLVMValueAsMetadata(nr_ll_int32(g, yes)),
      LLVMValueAsMetadata(nr_ll_int32(g, no)),
  };
  nr_ll_metadata(g, branch, "prof", LLVMMDNodeInContext2(g->llvm, weights, 3));
}

void nr_ll_cond_br_likely(NrLl *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef unlikely) {
  nr_ll_weights(g, LLVMBuildCondBr(g->b, cond, likely, unlikely), 1 << 20, 1);
}

void nr_ll_fail_unless(NrLl *g, LLVMValueRef ok) {
  LLVMBasicBlockRef next = nr_ll_new_block(g, "");
  nr_ll_cond_br_likely(g, ok, next, nr_ll_fail_block(g));
  LLVMPositionBuilderAtEnd(g->b, next);
}

/* ---- declarations ----------------------------------------------------------------------------------------------- */

static NrType function_type(NrOp *op) {
  NrAttr attr = nr_op_attr(op, NR_A_function_type);
  return attr && attr->kind == NR_ATTR_TYPE ? attr->type : NULL;
}

static NrStatus check_signature(NrLl *g, NrOp *op, NrType type) {
  for (uint32_t i = 0; i < type->num_inputs + type->num_results; i++) {
    NrType t = i < type->num_inputs ? type->inputs[i] : type->results[i - type->num_inputs];
    if (!nr_ll_supports(g, t))
      return nr_op_error(op, "has type %s in its signature, which machine code does not have", nr_type_text(g->ctx, t));
  }
  return NR_OK;
}

LLVMTypeRef nr_ll_function_type(NrLl *g, NrType type) {
  NrLlParts params = {0}, results = {0};
  nr_vec_push(&params.types, g->ptr);
  nr_vec_push(&results.types, g->i32);
  for (uint32_t i = 0; i < type->num_inputs; i++) nr_ll_part_types(g, type->inputs[i], &params);
  for (uint32_t i = 0; i < type->num_results; i++) nr_ll_part_types(g, type->results[i], &results);
  LLVMTypeRef result = results.types.size == 1
                           ? g->i32
                           : LLVMStructTypeInContext(g->llvm, results.types.data, (unsigned)results.types.size, false);
  LLVMTypeRef out = LLVMFunctionType(result, params.types.data, (unsigned)params.types.size, false);
  nr_ll_parts_deinit(&params);
  nr_ll_parts_deinit(&results);
  return out;
}

void nr_ll_set_vector_width(NrLl *g, LLVMValueRef func) {
  static const char *const names[] = {"prefer-vector-width", "min-legal-vector-width"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(g->llvm, names[i], (unsigned)strlen(names[i]), "512", 3);
    LLVMAddAttributeAtIndex(func, LLVMAttributeFunctionIndex, a);
  }
}

/* Attributes of the data pointers, from the marks of earlier stages. */
static void set_param_attrs(NrLl *g, NrLlFunc *func) {
  NrAttr marks = nr_op_attr(func->op, NR_A_arg_attrs);
  bool entry = nr_op_attr(func->op, NR_A_noria_entry); /* what a program writes to is no input of it */
  nr_ll_set_vector_width(g, func->value);
  nr_ll_attr(g, func->value, 1, "nonnull", 0);
  nr_ll_attr(g, func->value, 1, "noundef", 0);
  nr_ll_attr(g, func->value, 1, "noalias", 0); /* no buffer lies over it */
  nr_ll_attr(g, func->value, 1, "dereferenceable", sizeof(NoriaExec));
  unsigned index = 2; /* attribute index of the next parameter; 1 is exec */
  for (uint32_t i = 0; i < func->type->num_inputs; i++) {
    NrType type = func->type->inputs[i];
    NrLlParts parts = {0};
    nr_ll_part_types(g, type, &parts);
    if (type->kind == NR_TYPE_MEMREF) {
      NrAttr dict = marks && marks->kind == NR_ATTR_ARRAY && i < marks->size ? marks->items[i] : NULL;
      unsigned data = index + 1;
      bool alone = dict && (nr_dict_get(dict, "noria.noalias") || nr_dict_get(dict, "llvm.noalias"));
      if (entry || alone) nr_ll_attr(g, func->value, data, "noalias", 0);
      if (dict && nr_dict_get(dict, "noria.readonly")) nr_ll_attr(g, func->value, data, "readonly", 0);
      if (dict && nr_dict_get(dict, "noria.aligned")) nr_ll_attr(g, func->value, data, "align", 64);
    }
    index += (unsigned)parts.types.size;
    nr_ll_parts_deinit(&parts);
  }
}

/* "prefix.name" for symbols of the program, else the names on the way with their lengths, so that "a.b" of one table
 * and b in a table a differ. */
const char *nr_ll_symbol(NrLl *g, const char *prefix, NrOp *op) {
  NrStr name = nr_op_attr_str(op, NR_A_sym_name);
  if (nr_op_parent(op) == g->module->op) return nr_arena_printf(&g->arena, "%s.%.*s", prefix, NR_STR_ARG(name));
  const char *path = nr_arena_printf(&g->arena, "%.*s", NR_STR_ARG(name));
  for (NrOp *up = nr_op_parent(op); up && up != g->module->op; up = nr_op_parent(up)) {
    NrStr table = nr_op_attr_str(up, NR_A_sym_name);
    if (table.size) path = nr_arena_printf(&g->arena, "%zu.%.*s.%s", table.size, NR_STR_ARG(table), path);
  }
  return nr_arena_printf(&g->arena, "%s@%s", prefix, path);
}

static bool is_here(const NrLl *g, const NrOp *func) {
  return (uintptr_t)nr_map_get(&g->tables->func_partition, func) == g->partition + 1;
}

static NrStatus declare_function(NrLl *g, NrOp *op) {
  NrType type = function_type(op);
  if (!type) return nr_op_error(op, "has no function type");
  if (!nr_op_body(op, 0)) return NR_OK; /* a declaration; a call of it is an error */
  NrStatus status = check_signature(g, op, type);
  if (status) return status;
  NrLlFunc *func = NR_NEW(&g->arena, NrLlFunc);
  *func = (NrLlFunc){.op = op, .type = type, .ll_type = nr_ll_function_type(g, type)};
  func->value = LLVMAddFunction(g->mod, nr_ll_symbol(g, "noria", op), func->ll_type);
  func->here = is_here(g, op);
  if (func->here && !nr_map_has(&g->tables->outside_calls, op)) LLVMSetLinkage(func->value, LLVMInternalLinkage);
  else LLVMSetVisibility(func->value, LLVMHiddenVisibility);
  nr_ll_attr(g, func->value, LLVMAttributeFunctionIndex, "nounwind", 0);
  if (nr_op_attr(op, NR_A_no_inline)) nr_ll_attr(g, func->value, LLVMAttributeFunctionIndex, "noinline", 0);
  set_param_attrs(g, func);
  if (nr_op_attr(op, NR_A_noria_entry)) {
    if (g->entry) return nr_op_error(op, "is a second entry of the program");
    g->entry = func;
  }
  nr_vec_push(&g->all, func);
  nr_map_set(&g->funcs, op, func);
  return NR_OK;
}

/* Declares the functions whose bodies are in this partition; in the first one also what wrappers may call. Others are
 * declared when they are first named. Goes through the ops of a table and of nested ones, not through bodies. */
static NrStatus declare_functions(NrLl *g, NrOp *table) {
  for (uint32_t r = 0; r < table->num_regions; r++)
    for (NrBlock *block = table->regions[r].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next) {
        bool wanted = is_here(g, op) || (!g->partition && table == g->module->op);
        if (nr_op_is(op, NR_OP_func_func) && wanted) NR_TRY(declare_function(g, op));
        if (nr_op_has(op, NR_SYMBOL_TABLE)) NR_TRY(declare_functions(g, op));
      }
  return NR_OK;
}

NrStatus nr_ll_declare_functions(NrLl *g) { return declare_functions(g, g->module->op); }

NrLlFunc *nr_ll_find_func(NrLl *g, NrOp *user, NrAttr symbol) {
  NrOp *op = nr_flow_function(nr_symbol_find(&g->tables->symbols, user, symbol));
  if (nr_op_is(op, NR_OP_func_func) && !nr_map_has(&g->funcs, op) && declare_function(g, op)) return NULL;
  NrLlFunc *func = op ? nr_map_get(&g->funcs, op) : NULL;
  NrStr name = symbol->size ? symbol->items[symbol->size - 1]->s : symbol->s;
  if (!func) nr_op_error(user, "calls '%.*s', which has no body here", NR_STR_ARG(name));
  return func;
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

void nr_ll_bind(NrLl *g, NrValue *value, const LLVMValueRef *parts, size_t *next) {
  nr_map_set(&g->values, value, nr_ll_from_parts(g, value->type, parts, next));
}

/* Block arguments become phis, one per part. */
static NrStatus make_phis(NrLl *g, NrBlock *block) {
  LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, block));
  NrLlParts parts = {0};
  for (uint32_t i = 0; i < block->num_args; i++) {
    NrType type = block->args[i]->type;
    if (!nr_ll_supports(g, type)) {
      nr_ll_parts_deinit(&parts);
      return nr_op_error(nr_block_parent_op(block), "has a block argument of type %s, which machine code does not have",
                         nr_type_text(g->ctx, type));
    }
    nr_ll_part_types(g, type, &parts);
  }
  for (size_t i = 0; i < parts.types.size; i++)
    nr_vec_push(&parts.values, LLVMBuildPhi(g->b, parts.types.data[i], ""));
  size_t next = 0;
  for (uint32_t i = 0; i < block->num_args; i++) nr_ll_bind(g, block->args[i], parts.values.data, &next);
  nr_ll_parts_deinit(&parts);
  return NR_OK;
}

static void bind_params(NrLl *g, NrBlock *entry) {
  NrLlParts parts = {0};
  unsigned count = LLVMCountParams(g->func->value);
  for (unsigned i = 1; i < count; i++) nr_vec_push(&parts.values, LLVMGetParam(g->func->value, i));
  LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, entry));
  size_t next = 0;
  for (uint32_t i = 0; i < entry->num_args; i++) nr_ll_bind(g, entry->args[i], parts.values.data, &next);
  nr_ll_parts_deinit(&parts);
}

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
  nr_map_clear(&g->blocks);
}

static NrStatus define_function(NrLl *g, NrLlFunc *func) {
  nr_ll_begin_function(g, func);
  nr_ll_sanitize_function(g, func);
  NrBlock *entry = nr_op_body(func->op, 0);
  NrBlockList blocks = {0};
  NrStatus status = NR_OK;
  nr_collect_blocks(nr_op_region(func->op, 0), &blocks);
  for (size_t i = 0; i < blocks.size; i++)
    nr_map_set(&g->blocks, blocks.data[i], LLVMAppendBasicBlockInContext(g->llvm, func->value, ""));
  bind_params(g, entry);
  for (size_t i = 0; i < blocks.size && !status; i++)
    if (blocks.data[i] != entry) status = make_phis(g, blocks.data[i]);
  for (size_t i = 0; i < blocks.size && !status; i++) {
    LLVMPositionBuilderAtEnd(g->b, nr_map_get(&g->blocks, blocks.data[i]));
    for (NrOp *op = blocks.data[i]->first; op && !status; op = op->next) status = nr_ll_emit_op(g, op);
  }
  LLVMPositionBuilderAtEnd(g->b, g->allocas);
  LLVMBuildBr(g->b, nr_map_get(&g->blocks, entry));
  if (!status) nr_ll_end_frame(g);
  nr_ll_sanitize_end(g);
  nr_vec_deinit(&blocks);
  return status;
}

NrStatus nr_ll_define_functions(NrLl *g) {
  for (size_t i = 0; i < g->all.size; i++) {
    NrStatus status = g->all.data[i]->here ? define_function(g, g->all.data[i]) : NR_OK;
    if (status) return status;
  }
  return NR_OK;
}
