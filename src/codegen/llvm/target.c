/* target.c - the target machine, and the passes that run on LLVM IR. */
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>

#include "codegen/llvm/ll.h"

/* ---- LLVM's fatal errors ----------------------------------------------------------------------------------------- */

/* LLVM ends the process after these handlers, unless they do not return. They raise a fault, which leaks what LLVM
 * holds: its frames have no destructors that could run. In a thread without a guard LLVM's default behaviour
 * remains. */
static void on_fatal_error(const char *reason) {
  if (nr_guard_now) nr_raise(NR_ERROR_INTERNAL, "LLVM cannot go on: %s; please report it", reason);
}

static void on_bad_alloc(void *user, const char *reason, bool wants_dump) {
  (void)user, (void)reason, (void)wants_dump;
  if (nr_guard_now) nr_oom();
}

/* llvm::install_bad_alloc_error_handler, which the C interface lacks. */
void install_bad_alloc_error_handler(void (*handler)(void *user, const char *reason, bool wants_dump), void *user)
    __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

static void init_native(void) {
  LLVMInstallFatalErrorHandler(on_fatal_error);
  install_bad_alloc_error_handler(on_bad_alloc, NULL);
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
}

void nr_ll_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_native);
}

static LLVMCodeGenOptLevel codegen_level(int level) {
  return level <= 0 ? LLVMCodeGenLevelNone : level == 1 ? LLVMCodeGenLevelLess
                                         : level == 2 ? LLVMCodeGenLevelDefault
                                                      : LLVMCodeGenLevelAggressive;
}

/* Only functions with rt.dot have these features: with them LLVM 22 matches a sum of byte products as a dot product,
 * and drops lanes of it where it is reduced in halves that are vectors of their own. */
static const char without[] = "-avx512vnni,-avxvnni";

/* LLVM's description of the machine; the strings are LLVM's. */
typedef struct Machine {
  char *triple, *cpu, *features; /* cpu and features are set for the host only */
} Machine;

static void drop_machine(void *machine) {
  Machine *m = machine;
  LLVMDisposeMessage(m->triple);
  if (m->cpu) LLVMDisposeMessage(m->cpu);
  if (m->features) LLVMDisposeMessage(m->features);
}

static NrStatus make_target(NrContext *ctx, const NrCodegenOptions *options, NrLlTargetKind kind, const Machine *m,
                            LLVMTargetMachineRef *out) {
  NrBuf wanted = {0}; /* features given by name come last, so they take precedence */
  if (m->features) nr_buf_printf(&wanted, "%s,", m->features);
  if (kind != NR_LL_TARGET_ASKED && strncmp(m->triple, "x86", 3) == 0) nr_buf_puts(&wanted, without);
  if (options->features) nr_buf_printf(&wanted, ",%s", options->features);
  const char *cpu = m->cpu ? m->cpu : options->cpu;
  LLVMTargetRef target;
  char *error = NULL;
  bool known = !LLVMGetTargetFromTriple(m->triple, &target, &error);
  *out = known ? LLVMCreateTargetMachine(target, m->triple, cpu, wanted.data ? wanted.data : "",
                                         codegen_level(options->opt_level), LLVMRelocPIC,
                                         kind == NR_LL_TARGET_JIT ? LLVMCodeModelJITDefault : LLVMCodeModelDefault)
               : NULL;
  NrStatus status = NR_OK;
  if (!known) status = nr_error(ctx, nr_loc_unknown(ctx), "LLVM cannot compile for %s: %s", m->triple, error);
  else if (!*out) status = nr_error(ctx, nr_loc_unknown(ctx), "LLVM has no target machine for CPU '%s'", cpu);
  if (error) LLVMDisposeMessage(error);
  nr_buf_deinit(&wanted);
  return status;
}

bool nr_ll_is_without(const char *feature) {
  const char *at = strstr(without, feature);
  size_t size = strlen(feature);
  return at && (at[size] == ',' || !at[size]) && at[-1] == '-';
}

void nr_ll_allow_dots(NrLl *g) {
  static const char name[] = "target-features";
  LLVMValueRef func = g->func->value;
  LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  if (LLVMGetStringAttributeAtIndex(func, index, name, sizeof name - 1)) return;
  const NrTarget *target = g->options->target ? g->options->target : nr_target_host();
  char *all = LLVMGetTargetMachineFeatureString(g->tm);
  NrBuf text = {0};
  nr_buf_printf(&text, "%s,%s", all, strstr(target->features, "avx512vnni") ? "+avx512vnni" : "+avxvnni");
  LLVMAddAttributeAtIndex(func, index, LLVMCreateStringAttribute(g->llvm, name, sizeof name - 1, text.data,
                                                                 (unsigned)text.size));
  LLVMDisposeMessage(all);
  nr_buf_deinit(&text);
}

NrStatus nr_ll_target(NrContext *ctx, const NrCodegenOptions *options, NrLlTargetKind kind, LLVMTargetMachineRef *out) {
  nr_ll_start();
  bool native = !options->cpu || strcmp(options->cpu, "native") == 0;
  NrStatus status = native ? NR_OK : nr_ll_check_cpu(ctx, options->cpu);
  if (!status && options->features) status = nr_ll_check_features(ctx, options->features);
  if (status) return status;
  Machine *machine = nr_calloc(1, sizeof *machine);
  NrHold *hold = nr_hold(drop_machine);
  machine->triple = LLVMGetDefaultTargetTriple();
  if (native) machine->cpu = LLVMGetHostCPUName();
  if (native) machine->features = LLVMGetHostCPUFeatures();
  hold->what = machine;
  status = make_target(ctx, options, kind, machine, out);
  nr_hold_end(hold);
  drop_machine(machine);
  nr_free(machine);
  return status;
}

/* The pipeline at level 2. It takes half the time of LLVM's default on our modules and gives the same code, because
 * much of the default cleans up after C and C++ front ends. It does not unroll loops with unknown trip counts: the
 * vectoriser interleaves those that profit, and scalar recurrences are bound by latency. */
static const char level_2[] = "cgscc(inline),"
                              "function<eager-inv>("
                              "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
                              "loop-mssa(loop-rotate,licm<allowspeculation>),simplifycfg,"
                              "loop(indvars,loop-deletion,loop-unroll-full),gvn,instcombine<no-verify-fixpoint>,"
                              "loop-vectorize,"
                              "loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound>,"
                              "slp-vectorizer,instcombine<no-verify-fixpoint>,early-cse<memssa>,"
                              "loop-mssa(licm<allowspeculation>),simplifycfg),"
                              "globaldce";
/* At level 1: what makes the code small, because the time that generating machine code takes follows from its size. */
static const char level_1[] = "always-inline,"
                              "function<eager-inv>("
                              "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
                              "loop-mssa(licm<allowspeculation>),simplifycfg),"
                              "globaldce";
static const char *const pipelines[] = {"default<O0>", level_1, level_2, "default<O3>"};

/* Returns the message, or the first error that LLVM reported meanwhile. */
static char *end_work(NrLl *g, char *message, NrDoing before) {
  g->in_llvm = false;
  nr_guard_done(before);
  return message || !g->complaint[0] ? message : LLVMCreateMessage(g->complaint);
}

char *nr_ll_optimize(NrLl *g) {
  int level = NR_MIN(NR_MAX(g->options->opt_level, 0), 3);
  NrDoing before = nr_guard_step("LLVM", false);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, level == 3);
  LLVMPassBuilderOptionsSetSLPVectorization(options, level == 3);
  g->in_llvm = true;
  LLVMErrorRef error = LLVMRunPasses(g->mod, pipelines[level], g->tm, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error) nr_ll_split_masked_stores(g);
  if (!error && g->options->sanitize) error = nr_ll_sanitize(g);
  char *text = error ? LLVMGetErrorMessage(error) : NULL, *message = text ? LLVMCreateMessage(text) : NULL;
  if (text) LLVMDisposeErrorMessage(text);
  return end_work(g, message, before);
}

char *nr_ll_machine_code(NrLl *g, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out) {
  char *message = NULL;
  NrDoing before = nr_guard_step("LLVM", false);
  g->in_llvm = true;
  bool failed = LLVMTargetMachineEmitToMemoryBuffer(g->tm, g->mod, kind, &message, out);
  message = end_work(g, failed ? message : NULL, before);
  if (message && !failed) {
    LLVMDisposeMemoryBuffer(*out);
    *out = NULL;
  }
  return message;
}
