/* target.c - the CPU to compile for, and the passes that run on the LLVM IR. */
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>

#include "codegen/llvm/ll.h"

static void init_native(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
}

static LLVMCodeGenOptLevel codegen_level(int level) {
  return level <= 0 ? LLVMCodeGenLevelNone : level == 1 ? LLVMCodeGenLevelLess
                                         : level == 2 ? LLVMCodeGenLevelDefault
                                                      : LLVMCodeGenLevelAggressive;
}

/* With these, LLVM 22 takes a sum of products of bytes that is added up by halves for a dot product, and leaves lanes
 * of it out. */
static const char without[] = "-avx512vnni,-avxvnni";

NrStatus nr_ll_target(NrContext *ctx, const NrCodegenOptions *options, bool jit, LLVMTargetMachineRef *out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_native);
  bool native = !options->cpu || strcmp(options->cpu, "native") == 0;
  NrStatus status = native ? NR_OK : nr_ll_check_cpu(ctx, options->cpu);
  if (status) return status;
  char *triple = LLVMGetDefaultTargetTriple(), *error = NULL;
  char *cpu = native ? LLVMGetHostCPUName() : NULL, *features = native ? LLVMGetHostCPUFeatures() : NULL;
  NrBuf wanted = {0}; /* what is asked for by name comes last and holds */
  if (!options->features && features) nr_buf_printf(&wanted, "%s,", features);
  if (strncmp(triple, "x86", 3) == 0) nr_buf_puts(&wanted, without);
  if (options->features) nr_buf_printf(&wanted, ",%s", options->features);
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &error)) {
    status = nr_error(ctx, nr_loc_unknown(ctx), "LLVM cannot compile for %s: %s", triple, error);
    LLVMDisposeMessage(error);
    goto out;
  }
  *out = LLVMCreateTargetMachine(target, triple, cpu ? cpu : options->cpu, wanted.data ? wanted.data : "",
                                 codegen_level(options->opt_level), LLVMRelocPIC,
                                 jit ? LLVMCodeModelJITDefault : LLVMCodeModelDefault);
  if (!*out)
    status = nr_error(ctx, nr_loc_unknown(ctx), "LLVM has no target machine for CPU '%s'", cpu ? cpu : options->cpu);
out:
  nr_buf_deinit(&wanted);
  LLVMDisposeMessage(triple);
  if (cpu) LLVMDisposeMessage(cpu);
  if (features) LLVMDisposeMessage(features);
  return status;
}

/* What runs at level 2 in place of LLVM's default pipeline: half its time on our modules and the same code, because
 * much of the default is for what C and C++ front ends leave behind. Loops are not unrolled at run time: the vectoriser
 * interleaves those that gain by it, and scalar recurrences wait for their own results. */
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
static const char *const pipelines[] = {"default<O0>", "default<O1>", level_2, "default<O3>"};

char *nr_ll_optimize(NrLl *g) {
  int level = NR_MIN(NR_MAX(g->options->opt_level, 0), 3);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, level == 3);
  LLVMPassBuilderOptionsSetSLPVectorization(options, level == 3);
  LLVMErrorRef error = LLVMRunPasses(g->mod, pipelines[level], g->tm, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error && g->options->sanitize) error = nr_ll_sanitize(g);
  if (!error) return NULL;
  char *text = LLVMGetErrorMessage(error), *message = LLVMCreateMessage(text);
  LLVMDisposeErrorMessage(text);
  return message;
}

char *nr_ll_machine_code(NrLl *g, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out) {
  char *message = NULL;
  return LLVMTargetMachineEmitToMemoryBuffer(g->tm, g->mod, kind, &message, out) ? message : NULL;
}
