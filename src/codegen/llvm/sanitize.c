/* sanitize.c - machine code under address sanitizer: LLVM's own pass, with callbacks of ours instead of its runtime.
 *
 * The functions of the program have the attribute sanitize_address. After all other passes LLVM's puts a call of
 * __asan_load4(address) and the like before each access, vectors and masked ones included; each becomes a call of
 * NrSanitizeCalls.access, with the site of the op that the access was made for. Ops are told from each other by debug
 * locations, whose line is the number of their site, and 1: passes keep them. What wrappers and thunks read is the
 * runtime's and is not watched. */
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>

#include "codegen/llvm/ll.h"

/* ---- while LLVM IR is built ------------------------------------------------------------------------------------- */

static int32_t site_of(NrLl *g, NrOp *op) { return (int32_t)nr_ll_site(g, nr_ll_place(g, op), (NrStr){0}); }

void nr_ll_sanitize_function(NrLl *g, NrLlFunc *func) {
  if (!g->options->sanitize) return;
  nr_ll_attr(g, func->value, LLVMAttributeFunctionIndex, "sanitize_address", 0);
  if (!g->debug) {
    g->debug = LLVMCreateDIBuilder(g->mod);
    g->file = LLVMDIBuilderCreateFile(g->debug, "noria", 5, "", 0);
    LLVMDIBuilderCreateCompileUnit(g->debug, LLVMDWARFSourceLanguageC, g->file, "noria", 5, true, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
  }
  NrStr name = nr_op_attr_str(func->op, NR_A_sym_name);
  const char *place = nr_arena_printf(&g->tables->arena, "function '%.*s'", NR_STR_ARG(name));
  unsigned line = nr_ll_site(g, nr_str(place), (NrStr){0}) + 1;
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(g->debug, g->file, NULL, 0, LLVMDIFlagZero);
  g->scope = LLVMDIBuilderCreateFunction(g->debug, g->file, name.data, name.size, "", 0, g->file, line, type, true,
                                         true, line, LLVMDIFlagZero, true);
  LLVMSetSubprogram(func->value, g->scope);
  LLVMSetCurrentDebugLocation2(g->b, LLVMDIBuilderCreateDebugLocation(g->llvm, 0, 0, g->scope, NULL));
}

void nr_ll_sanitize_op(NrLl *g, NrOp *op) {
  if (!g->scope) return;
  unsigned line = (unsigned)site_of(g, op) + 1;
  LLVMSetCurrentDebugLocation2(g->b, LLVMDIBuilderCreateDebugLocation(g->llvm, line, 0, g->scope, NULL));
}

void nr_ll_sanitize_end(NrLl *g) {
  if (g->options->sanitize) LLVMSetCurrentDebugLocation2(g->b, NULL);
  g->scope = NULL;
}

static LLVMValueRef callback(NrLl *g, const char *name, LLVMTypeRef *params, unsigned count, LLVMTypeRef *out_type) {
  *out_type = LLVMFunctionType(g->none, params, count, false);
  LLVMValueRef f = LLVMGetNamedFunction(g->mod, name);
  return f ? f : LLVMAddFunction(g->mod, name, *out_type);
}

static void call_access(NrLl *g, LLVMValueRef address, LLVMValueRef size, int32_t site, bool is_write) {
  LLVMTypeRef params[] = {g->ptr, g->i64, g->i32, g->i32}, type;
  LLVMValueRef f = callback(g, NR_SANITIZE_ACCESS, params, 4, &type);
  LLVMValueRef args[] = {address, size, nr_ll_int32(g, site), nr_ll_int32(g, is_write)};
  LLVMBuildCall2(g->b, type, f, args, 4, "");
}

void nr_ll_sanitize_read(NrLl *g, NrOp *op, LLVMValueRef address, LLVMValueRef size) {
  if (g->options->sanitize) call_access(g, address, size, site_of(g, op), false);
}

void nr_ll_sanitize_block(NrLl *g, NrOp *op, LLVMValueRef base, LLVMValueRef data, LLVMValueRef size) {
  if (!g->options->sanitize) return;
  LLVMTypeRef params[] = {g->ptr, g->ptr, g->i64, g->i32}, type;
  LLVMValueRef f = callback(g, NR_SANITIZE_ALLOCATED, params, 4, &type);
  LLVMValueRef args[] = {base, data, size, nr_ll_int32(g, op ? site_of(g, op) : -1)};
  LLVMBuildCall2(g->b, type, f, args, 4, "");
}

/* ---- after the other passes ------------------------------------------------------------------------------------- */

/* These options are global to the process, and affect others only if they run this pass too. LLVM's C interface has no
 * other way to request calls, and nothing else of its runtime. */
static void set_options(void) {
  static const char *const options[] = {"noria",
                                        "-asan-instrumentation-with-call-threshold=0",
                                        "-asan-max-ins-per-bb=1000000000",
                                        "-asan-constructor-kind=none",
                                        "-asan-globals=0",
                                        "-asan-stack=0"};
  LLVMParseCommandLineOptions(NR_COUNTOF(options), options, NULL);
}

/* The site of an access. Where passes merged the accesses of several ops, it is that of a nearby instruction, otherwise
 * that of the function. */
static int32_t site_at(LLVMValueRef instruction, LLVMValueRef func) {
  unsigned line = 0;
  for (LLVMValueRef i = instruction; i && !line; i = LLVMGetPreviousInstruction(i)) line = LLVMGetDebugLocLine(i);
  for (LLVMValueRef i = instruction; i && !line; i = LLVMGetNextInstruction(i)) line = LLVMGetDebugLocLine(i);
  LLVMMetadataRef scope = LLVMGetSubprogram(func);
  if (!line && scope) line = LLVMDISubprogramGetLine(scope);
  return (int32_t)line - 1;
}

/* Parses the suffix of a callback: 1, 2, 4, 8 or 16, which is written to *out, or N, for which *out is 0. */
static bool parse_size(const char *text, int64_t *out) {
  *out = 0;
  if (strcmp(text, "N") == 0) return true;
  for (; *text >= '0' && *text <= '9'; text++) *out = *out * 10 + (*text - '0');
  return !*text && *out;
}

/* Replaces a call of LLVM's runtime by calls of ours, or inserts ours before it. */
static void replace_call(NrLl *g, LLVMValueRef call, LLVMValueRef func) {
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
  if (strncmp(name, "__asan_", 7) != 0) return;
  name += 7;
  bool is_write = strncmp(name, "store", 5) == 0, is_read = strncmp(name, "load", 4) == 0;
  int64_t size;
  int32_t site = site_at(call, func);
  LLVMPositionBuilderBefore(g->b, call);
  if ((is_write || is_read) && parse_size(name + (is_write ? 5 : 4), &size)) {
    LLVMValueRef address = LLVMBuildIntToPtr(g->b, LLVMGetOperand(call, 0), g->ptr, "");
    call_access(g, address, size ? nr_ll_int(g, size) : LLVMGetOperand(call, 1), site, is_write);
    LLVMInstructionEraseFromParent(call);
    return;
  }
  if (strncmp(name, "mem", 3) != 0) return;
  /* The runtime's memcpy, memmove and memset are C's here. */
  LLVMValueRef count = LLVMGetOperand(call, 2);
  if (strcmp(name, "memset") != 0) call_access(g, LLVMGetOperand(call, 1), count, site, false);
  call_access(g, LLVMGetOperand(call, 0), count, site, true);
}

static void replace_calls(NrLl *g) {
  LLVMSetCurrentDebugLocation2(g->b, NULL);
  for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i))) replace_call(g, i, f);
      }
}

/* Lists the partition's variables and constants as {address, size}, terminated by address 0, for the code in memory. */
static void list_globals(NrLl *g) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(g->mod);
  LLVMTypeRef fields[] = {g->ptr, g->i64}, type = LLVMStructTypeInContext(g->llvm, fields, 2, false);
  NR_VEC(LLVMValueRef) items = {0};
  for (LLVMValueRef v = LLVMGetFirstGlobal(g->mod); v; v = LLVMGetNextGlobal(v)) {
    if (LLVMIsDeclaration(v)) continue;
    uintptr_t known = (uintptr_t)nr_map_get(&g->global_sizes, v); /* without its red zone */
    uint64_t size = known ? known - 1 : LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v));
    LLVMValueRef item[] = {v, nr_ll_int(g, (int64_t)size)};
    nr_vec_push(&items, LLVMConstStructInContext(g->llvm, item, 2, false));
  }
  nr_vec_push(&items, LLVMConstNull(type));
  LLVMValueRef list = LLVMConstArray2(type, items.data, items.size);
  NrBuf name = {0};
  nr_buf_printf(&name, NR_SANITIZE_REGIONS "%u", g->partition);
  LLVMValueRef global = LLVMAddGlobal(g->mod, LLVMTypeOf(list), name.data);
  LLVMSetInitializer(global, list);
  nr_buf_deinit(&name);
  nr_vec_deinit(&items);
}

LLVMErrorRef nr_ll_sanitize(NrLl *g) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_options);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(g->mod, "asan", g->tm, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) return error;
  replace_calls(g);
  LLVMStripModuleDebugInfo(g->mod);
  list_globals(g);
  return NULL;
}
