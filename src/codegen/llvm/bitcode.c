/* bitcode.c - a program's modules as LLVM's bitcode, from which another level's code is made. Bitcode belongs to no
 * LLVM context and refers to nothing of the program that is compiled: another thread can read it at any time. */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>

#include "codegen/llvm/ll.h"

static void drop_buffer(void *buffer) { LLVMDisposeMemoryBuffer(buffer); }

static NrStr save(LLVMModuleRef module) {
  NrHold *hold = nr_hold(drop_buffer);
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
  hold->what = buffer;
  NrStr bytes = nr_ll_copy_bytes(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  nr_hold_end(hold);
  drop_buffer(buffer);
  return bytes;
}

void nr_ll_program_save(const NrLlProgram *p, NrCodeSource *out) {
  size_t count = p->num_partitions - p->variables_last;
  out->modules = nr_calloc(count, sizeof *out->modules);
  for (size_t i = 0; i < count; i++) out->modules[out->num_modules++] = save(p->partitions[i].mod);
}

/* Puts the module of the bitcode in place of g's empty one. */
static NrStatus restore(NrLl *g, NrStr bitcode) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode.data, bitcode.size, "", false);
  LLVMModuleRef module = NULL;
  g->in_llvm = true;
  bool failed = LLVMParseBitcodeInContext2(g->llvm, buffer, &module);
  g->in_llvm = false;
  LLVMDisposeMemoryBuffer(buffer);
  if (failed) {
    nr_error(g->ctx, nr_loc_unknown(g->ctx), "LLVM cannot read its own code: %s", g->complaint);
    return NR_ERROR_INTERNAL;
  }
  LLVMDisposeModule(g->mod);
  g->mod = module;
  return NR_OK;
}

NrStatus nr_ll_program_restore(NrLlProgram *p, const NrCodeSource *source, NrModule *empty,
                               const NrCodegenOptions *options) {
  nr_ll_program_init(p, empty, options);
  nr_ll_program_reserve(p, source->num_modules);
  NrStatus status = NR_OK;
  for (size_t i = 0; i < source->num_modules && !status; i++) {
    status = nr_ll_program_add(p, NR_LL_TARGET_JIT);
    if (!status) status = restore(&p->partitions[i], source->modules[i]);
  }
  return status;
}
