/* backend.h - the interface of libnoria_llvm.so to codegen.c: one exported table. */
#ifndef NORIA_CODEGEN_BACKEND_H
#define NORIA_CODEGEN_BACKEND_H

#include "codegen/codegen.h"

typedef struct NrBackend {
  NrStatus (*jit)(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled);
  NrStatus (*link)(NrContext *ctx, const NrCodeParts *parts, NrCompiled **out_compiled);
  NrStatus (*again)(NrContext *ctx, const NrCodeSource *source, const NrCodegenOptions *options,
                    NrCompiled **out_compiled);
  NrStatus (*emit)(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path);
  /* Appends the features of a CPU that base/cpu.def lists, as "avx,fma". */
  NrStatus (*features)(NrContext *ctx, const char *cpu, const char *features, NrBuf *out);
  NoriaEntryFn (*function)(const NrCompiled *compiled, const char *name);
  void (*destroy)(NrCompiled *compiled);
} NrBackend;

#define NR_BACKEND_SYMBOL "nr_llvm_backend"
#define NR_BACKEND_LIBRARY "libnoria_llvm.so"

/* The part of a compiled program that codegen.c reads. */
struct NrCompiled {
  const NrBackend *backend;
  const NoriaModule *module;
  const NrCodeRegion *regions; /* under the address sanitizer */
  size_t num_regions;
  NrCodeParts parts;
  NrCodeSource source;
};

#define NR_CONSTANT_SYMBOL "noria.constant." /* and its number: the address of a constant, in objects */

#endif
