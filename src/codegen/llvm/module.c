/* module.c - the LLVM module of a partition: created, filled with functions, verified, freed. */
#include <llvm-c/Analysis.h>
#include <stdio.h>

#include "codegen/llvm/ll.h"

static LLVMTypeRef function(LLVMTypeRef result, LLVMTypeRef *params, unsigned count) {
  return LLVMFunctionType(result, params, count, false);
}

static void init_types(NrLl *g) {
  LLVMContextRef c = g->llvm;
  g->i1 = LLVMInt1TypeInContext(c);
  g->i8 = LLVMInt8TypeInContext(c);
  g->i16 = LLVMInt16TypeInContext(c);
  g->i32 = LLVMInt32TypeInContext(c);
  g->i64 = LLVMInt64TypeInContext(c);
  g->f16 = LLVMHalfTypeInContext(c);
  g->f32 = LLVMFloatTypeInContext(c);
  g->f64 = LLVMDoubleTypeInContext(c);
  g->ptr = LLVMPointerTypeInContext(c, 0);
  g->none = LLVMVoidTypeInContext(c);
  LLVMTypeRef fields[] = {g->ptr, g->i64, g->i64, LLVMArrayType2(g->i64, NORIA_MAX_RANK)};
  g->desc = LLVMStructTypeInContext(c, fields, 4, false);
  g->entry_type = function(g->i32, (LLVMTypeRef[]){g->ptr, g->ptr, g->ptr}, 3);
  g->import_type = g->entry_type;
  g->workgroup_type = function(g->i32, (LLVMTypeRef[]){g->ptr, g->ptr, g->i64, g->i64, g->i64}, 5);
}

/* Records an error that LLVM reports. Without a handler LLVM prints it and ends the process. */
static void note_complaint(LLVMDiagnosticInfoRef info, void *user) {
  NrLl *g = user;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || g->complaint[0]) return;
  char *text = LLVMGetDiagInfoDescription(info);
  snprintf(g->complaint, sizeof g->complaint, "%s", text);
  LLVMDisposeMessage(text);
}

void nr_ll_init(NrLl *g, NrModule *module, const NrCodegenOptions *options, NrLlTables *tables, unsigned partition,
                LLVMTargetMachineRef tm) {
  *g = (NrLl){
      .module = module, .ctx = module->ctx, .options = options, .tables = tables, .partition = partition, .tm = tm};
  g->has_variables = partition == 0 && !tables->variables_apart;
  nr_arena_init(&g->arena);
  g->llvm = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(g->llvm, note_complaint, g);
  LLVMContextSetDiscardValueNames(g->llvm, true);
  g->b = LLVMCreateBuilderInContext(g->llvm);
  g->mod = LLVMModuleCreateWithNameInContext("noria", g->llvm);
  char *triple = LLVMGetTargetMachineTriple(tm), *features = LLVMGetTargetMachineFeatureString(tm);
  LLVMSetTarget(g->mod, triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
  LLVMSetModuleDataLayout(g->mod, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(features);
  init_types(g);
  nr_ll_add_rows(g);
}

void nr_ll_drop(NrLl *g) {
  if (!g->in_llvm) {
    if (g->debug) LLVMDisposeDIBuilder(g->debug);
    if (g->b) LLVMDisposeBuilder(g->b);
    if (g->mod) LLVMDisposeModule(g->mod);
    if (g->llvm) LLVMContextDispose(g->llvm);
    if (g->tm) LLVMDisposeTargetMachine(g->tm);
  }
  g->debug = NULL;
  g->b = NULL;
  g->mod = NULL;
  g->llvm = NULL;
  g->tm = NULL;
}

void nr_ll_deinit(NrLl *g) {
  nr_ll_drop(g);
  nr_map_deinit(&g->global_sizes);
  nr_vec_deinit(&g->all);
  nr_map_deinit(&g->funcs);
  nr_map_deinit(&g->global_data);
  nr_map_deinit(&g->values);
  nr_map_deinit(&g->shapes);
  nr_map_deinit(&g->blocks);
  nr_strmap_deinit(&g->strings);
  nr_arena_deinit(&g->arena);
}

NrStatus nr_ll_build(NrLl *g) {
  NrStatus status = nr_ll_declare_functions(g);
  if (!status) status = nr_ll_define_functions(g);
  if (g->debug) LLVMDIBuilderFinalize(g->debug);
  return status;
}

NrStatus nr_ll_check(NrLl *g) {
#ifdef NR_DEBUG
  char *message = NULL;
  bool wrong = LLVMVerifyModule(g->mod, LLVMReturnStatusAction, &message);
  if (wrong) nr_error(g->ctx, nr_loc_unknown(g->ctx), "wrong LLVM IR was made: %s", message);
  LLVMDisposeMessage(message);
  return wrong ? NR_ERROR_INTERNAL : NR_OK;
#else
  (void)g;
  return NR_OK;
#endif
}
