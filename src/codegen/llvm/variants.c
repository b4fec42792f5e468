/* variants.c - several variants of a program, for different CPUs, in one LLVM module.
 *
 * Each variant is built and optimised as a module of its own. LLVM takes the CPU of a function from the function's
 * attributes rather than from the target machine, so the variants can be moved into one module and compiled to one
 * object. They are in different LLVM contexts: bitcode transfers them. */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>

#include "codegen/llvm/ll.h"

enum { NAME_SIZE = 32 };

static void put_name(char name[static NAME_SIZE], size_t i) { snprintf(name, NAME_SIZE, "noria_module.%zu", i); }

LLVMValueRef nr_ll_variant_declare(NrLl *g, size_t i) {
  char name[NAME_SIZE];
  put_name(name, i);
  return LLVMAddGlobal(g->mod, g->ptr, name);
}

static void set_attribute(NrLl *g, LLVMValueRef func, const char *name, const char *value) {
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(g->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(func, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* Makes a symbol that only the variant itself uses internal, so that it does not collide with those of other
 * variants. */
static void hide(LLVMValueRef global) {
  if (LLVMIsDeclaration(global) || LLVMGetLinkage(global) != LLVMExternalLinkage) return;
  size_t size;
  const char *name = LLVMGetValueName2(global, &size);
  if (strncmp(name, "noria_module", strlen("noria_module")) == 0 || strcmp(name, "noria_data") == 0) return;
  LLVMSetVisibility(global, LLVMDefaultVisibility);
  LLVMSetLinkage(global, LLVMInternalLinkage);
}

void nr_ll_variant_seal(NrLl *g, size_t i, size_t count) {
  char *cpu = LLVMGetTargetMachineCPU(g->tm), *features = LLVMGetTargetMachineFeatureString(g->tm);
  for (LLVMValueRef f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f)) {
    hide(f);
    if (LLVMIsDeclaration(f)) continue;
    set_attribute(g, f, "target-cpu", cpu);
    if (!LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "target-features", 15))
      set_attribute(g, f, "target-features", features);
  }
  for (LLVMValueRef v = LLVMGetFirstGlobal(g->mod); v; v = LLVMGetNextGlobal(v)) hide(v);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  if (i + 1 == count) return;
  char name[NAME_SIZE];
  put_name(name, i);
  LLVMSetValueName2(LLVMGetNamedGlobal(g->mod, "noria_module"), name, strlen(name));
}

NrStatus nr_ll_variant_join(NrLl *into, NrLl *from) {
  LLVMModuleRef copy = NULL;
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(from->mod);
  LLVMDisposeBuilder(from->b);
  LLVMDisposeModule(from->mod);
  from->b = NULL;
  from->mod = NULL;
  bool failed = LLVMParseBitcodeInContext2(into->llvm, bitcode, &copy) || LLVMLinkModules2(into->mod, copy);
  LLVMDisposeMemoryBuffer(bitcode);
  if (!failed) return NR_OK;
  nr_error(into->ctx, nr_loc_unknown(into->ctx), "LLVM does not join code for several CPUs%s%s",
           into->complaint[0] ? ": " : "", into->complaint);
  return NR_ERROR_INTERNAL;
}

void nr_ll_variant_hide(NrLl *g) {
  for (LLVMValueRef v = LLVMGetFirstGlobal(g->mod); v; v = LLVMGetNextGlobal(v)) {
    size_t size;
    const char *name = LLVMGetValueName2(v, &size);
    bool variant = strncmp(name, "noria_module.", strlen("noria_module.")) == 0;
    if (!variant && (strcmp(name, "noria_data") != 0 || LLVMIsDeclaration(v))) continue;
    LLVMSetVisibility(v, LLVMDefaultVisibility);
    LLVMSetLinkage(v, LLVMInternalLinkage);
  }
}
