/* cpu_needs.c - which features the code of a target machine may use.
 *
 * LLVM's C interface does not tell. But its inliner asks the same tables: a function that uses a feature is inlined
 * only into one that may use it too. So a module is made with a function for each feature in question and one that
 * calls them all, compiled for the target; what is not inlined is not had. That takes tens of milliseconds, in which
 * LLVM sets up a target for each. For the CPU that it runs on, LLVM lists the features itself. */
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/cpu.h"
#include "codegen/llvm/ll.h"

static void set(LLVMValueRef func, const char *name, const char *value) {
  LLVMContextRef llvm = LLVMGetModuleContext(LLVMGetGlobalParent(func));
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(func, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static LLVMValueRef add_function(LLVMModuleRef mod, const char *name) {
  LLVMContextRef llvm = LLVMGetModuleContext(mod);
  return LLVMAddFunction(mod, name, LLVMFunctionType(LLVMVoidTypeInContext(llvm), NULL, 0, false));
}

/* With a body that does nothing. */
static void add_body(LLVMValueRef func, LLVMBuilderRef b, const char *cpu, const char *features) {
  LLVMPositionBuilderAtEnd(
      b, LLVMAppendBasicBlockInContext(LLVMGetModuleContext(LLVMGetGlobalParent(func)), func, ""));
  set(func, "target-cpu", cpu);
  set(func, "target-features", features);
}

static LLVMModuleRef make_question(LLVMContextRef llvm, LLVMTargetMachineRef tm) {
  LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("features", llvm);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(llvm);
  char *triple = LLVMGetTargetMachineTriple(tm), *cpu = LLVMGetTargetMachineCPU(tm);
  char *features = LLVMGetTargetMachineFeatureString(tm);
  const char *least = strncmp(triple, "x86", 3) == 0 ? "x86-64" : "generic";
  LLVMSetTarget(mod, triple);
  LLVMValueRef asker = add_function(mod, "asker");
  for (const char *const *name = nr_cpu_features; *name; name++) {
    NrBuf plus = {0};
    nr_buf_printf(&plus, "+%s", *name);
    LLVMValueRef func = add_function(mod, *name);
    LLVMSetLinkage(func, LLVMInternalLinkage);
    add_body(func, b, least, plus.data);
    LLVMBuildRetVoid(b);
    nr_buf_deinit(&plus);
  }
  add_body(asker, b, cpu, features);
  for (const char *const *name = nr_cpu_features; *name; name++) {
    LLVMValueRef func = LLVMGetNamedFunction(mod, *name);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(func), func, NULL, 0, "");
  }
  LLVMBuildRetVoid(b);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  LLVMDisposeBuilder(b);
  return mod;
}

static void add_name(NrBuf *out, const char *name) { nr_buf_printf(out, "%s%s", out->size ? "," : "", name); }

/* In a list "+avx,-fma,.." the last mention of a feature holds. */
static bool is_listed(const char *list, const char *name) {
  size_t size = strlen(name);
  bool listed = false;
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at + 1, name, size) == 0 && (at[1 + size] == ',' || !at[1 + size])) listed = *at == '+';
  return listed;
}

static void host_needs(LLVMTargetMachineRef tm, NrBuf *out) {
  char *list = LLVMGetTargetMachineFeatureString(tm);
  for (const char *const *name = nr_cpu_features; *name; name++)
    if (is_listed(list, *name)) add_name(out, *name);
  LLVMDisposeMessage(list);
}

/* A function that is inlined everywhere is removed. */
static NrStatus ask_inliner(LLVMTargetMachineRef tm, NrContext *ctx, NrBuf *out) {
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMModuleRef mod = make_question(llvm, tm);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(mod, "cgscc(inline)", tm, options);
  NrStatus status = NR_OK;
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    nr_error(ctx, nr_loc_unknown(ctx), "LLVM does not tell the features of the CPU: %s", message);
    LLVMDisposeErrorMessage(message);
    status = NR_ERROR_INTERNAL;
  }
  for (const char *const *name = nr_cpu_features; *name && !status; name++)
    if (!LLVMGetNamedFunction(mod, *name)) add_name(out, *name);
  LLVMDisposeModule(mod);
  LLVMContextDispose(llvm);
  return status;
}

NrStatus nr_ll_cpu_needs(const NrCodegenOptions *options, LLVMTargetMachineRef tm, NrContext *ctx, NrBuf *out) {
  if (!nr_ll_is_host(options)) return ask_inliner(tm, ctx, out);
  host_needs(tm, out);
  return NR_OK;
}
