/* aot.c - machine code as files. */
#include "codegen/llvm/ll.h"
NrStatus nr_ll_emit_file(NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind, const char *path) { return NR_OK; }
