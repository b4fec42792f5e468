/* cpu_needs.c - the features that code for a target machine may use.
 *
 * LLVM's C interface cannot list them. But LLVM's inliner checks them: a function that uses a feature is inlined only
 * into a caller that may use it too. So this builds a module with a function for each feature, and one that calls them
 * all and is compiled for the target; a function that is not inlined uses a feature that the target lacks. That takes
 * tens of milliseconds, since LLVM sets up a target for each function. For the host CPU LLVM lists the features
 * itself. */
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

/* Gives the function an empty body. */
static void add_body(LLVMValueRef func, LLVMBuilderRef b, const char *cpu, const char *features) {
  LLVMPositionBuilderAtEnd(
      b, LLVMAppendBasicBlockInContext(LLVMGetModuleContext(LLVMGetGlobalParent(func)), func, ""));
  set(func, "target-cpu", cpu);
  set(func, "target-features", features);
}

/* The features to test. */
static const char *const *const questions[] = {nr_cpu_features, nr_cpu_units};

static const char *name_at(size_t i) {
  for (size_t k = 0; k < NR_COUNTOF(questions); k++)
    for (const char *const *name = questions[k]; *name; name++)
      if (i-- == 0) return *name;
  return NULL;
}

static LLVMModuleRef make_question(LLVMContextRef llvm, LLVMTargetMachineRef tm) {
  LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("features", llvm);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(llvm);
  char *triple = LLVMGetTargetMachineTriple(tm), *cpu = LLVMGetTargetMachineCPU(tm);
  char *features = LLVMGetTargetMachineFeatureString(tm);
  const char *baseline = strncmp(triple, "x86", 3) == 0 ? "x86-64" : "generic", *name;
  LLVMSetTarget(mod, triple);
  LLVMValueRef asker = add_function(mod, "asker");
  for (size_t i = 0; (name = name_at(i)); i++) {
    NrBuf plus = {0};
    nr_buf_printf(&plus, "+%s", name);
    LLVMValueRef func = add_function(mod, name);
    LLVMSetLinkage(func, LLVMInternalLinkage);
    add_body(func, b, baseline, plus.data);
    LLVMBuildRetVoid(b);
    nr_buf_deinit(&plus);
  }
  add_body(asker, b, cpu, features);
  for (size_t i = 0; (name = name_at(i)); i++) {
    LLVMValueRef func = LLVMGetNamedFunction(mod, name);
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

/* Whether a list "+avx,-fma,.." enables a feature; the last mention counts. */
static bool is_listed(const char *list, const char *name) {
  size_t size = strlen(name);
  bool listed = false;
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at + 1, name, size) == 0 && (at[1 + size] == ',' || !at[1 + size])) listed = *at == '+';
  return listed;
}

static bool is_in(const char *list, const char *name) {
  size_t size = strlen(name);
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == size && strncmp(at, name, size) == 0) return true;
  return false;
}

static void host_needs(LLVMTargetMachineRef tm, NrBuf *out) {
  char *list = LLVMGetTargetMachineFeatureString(tm);
  for (const char *const *name = nr_cpu_features; *name; name++)
    if (is_listed(list, *name) || (nr_ll_is_without(*name) && is_in(nr_target_host()->features, *name)))
      add_name(out, *name);
  LLVMDisposeMessage(list);
}

/* Finds the available features: the inliner removes a function that it inlined everywhere. */
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
  const char *name;
  for (size_t i = 0; !status && (name = name_at(i)); i++)
    if (!LLVMGetNamedFunction(mod, name)) add_name(out, name);
  LLVMDisposeModule(mod);
  LLVMContextDispose(llvm);
  return status;
}

/* Adds the features of the CPU that code may use. */
static void add_needs(const char *has, NrBuf *out) {
  for (const char *const *name = nr_cpu_features; *name; name++)
    if (is_in(has, *name)) add_name(out, *name);
}

NrStatus nr_ll_cpu_needs(const NrCodegenOptions *options, LLVMTargetMachineRef tm, NrContext *ctx, NrBuf *out) {
  if (nr_ll_is_host(options)) {
    host_needs(tm, out);
    return NR_OK;
  }
  if (options->target) {
    add_needs(options->target->features, out);
    return NR_OK;
  }
  NrBuf has = {0};
  NrStatus status = ask_inliner(tm, ctx, &has);
  if (!status) add_needs(has.data ? has.data : "", out);
  nr_buf_deinit(&has);
  return status;
}

typedef struct Question {
  NrContext *ctx;
  NrCodegenOptions options;
  NrBuf has;
  NrStatus status;
} Question;

static void drop_target(void *tm) { LLVMDisposeTargetMachine(tm); }

static void run_question(void *user) {
  Question *q = user;
  LLVMTargetMachineRef tm = NULL;
  q->status = nr_ll_target(q->ctx, &q->options, NR_LL_TARGET_ASKED, &tm);
  if (q->status) return;
  NrHold *hold = nr_hold(drop_target);
  hold->what = tm;
  q->status = ask_inliner(tm, q->ctx, &q->has);
  nr_hold_end(hold);
  drop_target(tm);
}

NrStatus nr_ll_features(NrContext *ctx, const char *cpu, const char *features, NrBuf *out) {
  Question *q = nr_calloc(1, sizeof *q);
  q->ctx = ctx;
  NrCodegenTimes times;
  nr_ll_copy_options(&(NrCodegenOptions){.cpu = cpu, .features = features}, &q->options, &times);
  nr_ll_apart(ctx, run_question, q);
  NrStatus status = q->status;
  if (!status && q->has.size) nr_buf_append(out, q->has.data, q->has.size);
  nr_buf_deinit(&q->has);
  nr_ll_free_options(&q->options);
  nr_free(q);
  return status;
}
