/* jit.c - machine code in memory. */
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <math.h>
#include <stdlib.h>

#include "codegen/llvm/ll.h"

typedef struct Jit {
  NrCompiled base; /* first: callers see only this */
  LLVMOrcLLJITRef jit;
  NR_VEC(void *) data; /* aligned copies of constants */
} Jit;

static NrStatus llvm_error(NrContext *ctx, const char *what, LLVMErrorRef error) {
  if (!error) return NR_OK;
  char *message = LLVMGetErrorMessage(error);
  nr_error(ctx, nr_loc_unknown(ctx), "%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
  return NR_ERROR_INTERNAL;
}

/* ---- symbols that code may refer to ----------------------------------------------------------------------------- */

typedef struct Symbol {
  const char *name;
  void *address;
} Symbol;

#define ONE(function) {#function, (void *)(uintptr_t)function}
#define BOTH(function) ONE(function), ONE(function##f)
static const Symbol symbols[] = {
    ONE(memcpy), ONE(memmove), ONE(memset),     ONE(memcmp), BOTH(acos),  BOTH(acosh), BOTH(asin),  BOTH(asinh),
    BOTH(atan),  BOTH(atan2),  BOTH(atanh),     BOTH(cbrt),  BOTH(ceil),  BOTH(cos),   BOTH(cosh),  BOTH(erf),
    BOTH(erfc),  BOTH(exp),    BOTH(exp2),      BOTH(expm1), BOTH(floor), BOTH(fma),   BOTH(fmax),  BOTH(fmin),
    BOTH(fmod),  BOTH(log),    BOTH(log10),     BOTH(log1p), BOTH(log2),  BOTH(pow),   BOTH(rint),  BOTH(round),
    BOTH(sin),   BOTH(sincos), BOTH(nearbyint), BOTH(sinh),  BOTH(sqrt),  BOTH(tan),   BOTH(tanh),  BOTH(trunc),
    BOTH(ldexp), BOTH(frexp),  BOTH(roundeven),
};
#undef ONE
#undef BOTH

static NrStatus define_symbols(NrContext *ctx, LLVMOrcLLJITRef jit) {
  LLVMOrcCSymbolMapPair pairs[NR_COUNTOF(symbols)];
  for (size_t i = 0; i < NR_COUNTOF(symbols); i++) {
    pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, symbols[i].name);
    pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address;
    pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
    pairs[i].Sym.Flags.TargetFlags = 0;
  }
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, NR_COUNTOF(pairs));
  LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), unit);
  if (error) LLVMOrcDisposeMaterializationUnit(unit);
  return llvm_error(ctx, "the names of C functions could not be defined", error);
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

/* Pointers for NoriaModule.constants: the bytes where they are if they lie on 64 and stay (resources), else a copy. */
static LLVMValueRef *place_constants(NrLl *g, Jit *out) {
  size_t n = g->constants.size;
  LLVMValueRef *pointers = nr_malloc((n + 1) * sizeof *pointers);
  for (size_t i = 0; i < n; i++) {
    NrAttr value = g->constants.data[i];
    const void *data = value->data;
    if (value->kind != NR_ATTR_RESOURCE || value->splat || (uintptr_t)data % 64) {
      size_t size = nr_ll_constant_size(g, i);
      void *copy = aligned_alloc(64, (size + 64) / 64 * 64);
      if (!copy) nr_oom();
      nr_ll_constant_copy(g, i, copy);
      nr_vec_push(&out->data, copy);
      data = copy;
    }
    pointers[i] = LLVMConstIntToPtr(nr_ll_int(g, (int64_t)(uintptr_t)data), g->ptr);
  }
  return pointers;
}

/* ---- the way through -------------------------------------------------------------------------------------------- */

static NrStatus link_object(NrContext *ctx, LLVMMemoryBufferRef object, Jit *out) {
  NrStatus status = llvm_error(ctx, "LLVM's linker did not start", LLVMOrcCreateLLJIT(&out->jit, NULL));
  if (status) {
    LLVMDisposeMemoryBuffer(object);
    return status;
  }
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(out->jit);
  status = llvm_error(ctx, "object code was not accepted", LLVMOrcLLJITAddObjectFile(out->jit, library, object));
  if (!status) status = define_symbols(ctx, out->jit);
  LLVMOrcExecutorAddress address = 0;
  if (!status)
    status = llvm_error(ctx, "object code was not linked", LLVMOrcLLJITLookup(out->jit, &address, "noria_module"));
  out->base.module = (const NoriaModule *)(uintptr_t)address;
  return status;
}

static int64_t lap(int64_t *since) {
  int64_t now = nr_now_ns(), spent = now - *since;
  *since = now;
  return spent;
}

static NrStatus compile(NrLl *g, Jit *out, NrCodegenTimes *times) {
  int64_t clock = nr_now_ns();
  NrStatus status = nr_ll_build(g);
  if (status) return status;
  LLVMValueRef *pointers = place_constants(g, out);
  status = nr_ll_define_tables(g, pointers);
  nr_free(pointers);
  if (!status) status = nr_ll_check(g);
  times->build = lap(&clock);
  if (!status) status = nr_ll_optimize(g);
  times->optimize = lap(&clock);
  if (status) return status;
  LLVMMemoryBufferRef object;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(g->tm, g->mod, LLVMObjectFile, &message, &object)) {
    nr_error(g->ctx, nr_loc_unknown(g->ctx), "LLVM made no machine code: %s", message);
    LLVMDisposeMessage(message);
    return NR_ERROR_INTERNAL;
  }
  times->emit = lap(&clock);
  status = link_object(g->ctx, object, out);
  times->link = lap(&clock);
  return status;
}

NrStatus nr_ll_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled) {
  LLVMTargetMachineRef tm;
  NrCodegenTimes none, *times = options->times ? options->times : &none;
  NrStatus status = nr_ll_target(module->ctx, options, true, &tm);
  if (status) return status;
  NrLl g;
  Jit *out = nr_calloc(1, sizeof *out);
  out->base.backend = &nr_llvm_backend;
  nr_ll_init(&g, module, options, tm, false);
  status = compile(&g, out, times);
  nr_ll_deinit(&g);
  LLVMDisposeTargetMachine(tm);
  if (status) nr_ll_jit_destroy(&out->base);
  else *out_compiled = &out->base;
  return status;
}

NoriaEntryFn nr_ll_jit_function(const NrCompiled *compiled, const char *name) {
  const Jit *jit = (const Jit *)compiled;
  NrBuf symbol = {0};
  nr_buf_printf(&symbol, "noria.call.%s", name);
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->jit, &address, symbol.data);
  if (error) LLVMConsumeError(error);
  nr_buf_deinit(&symbol);
  return error ? NULL : (NoriaEntryFn)(uintptr_t)address;
}

void nr_ll_jit_destroy(NrCompiled *compiled) {
  Jit *jit = (Jit *)compiled;
  if (jit->jit) {
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->jit);
    if (error) LLVMConsumeError(error);
  }
  for (size_t i = 0; i < jit->data.size; i++) free(jit->data.data[i]);
  nr_vec_deinit(&jit->data);
  nr_free(jit);
}
