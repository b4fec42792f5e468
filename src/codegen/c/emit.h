/* emit.h - the interface of the C source backend to codegen.c. */
#ifndef NORIA_CODEGEN_C_EMIT_H
#define NORIA_CODEGEN_C_EMIT_H

#include "codegen/codegen.h"

/* Writes the C file of a module after stage `expand`, whole or not at all. */
NrStatus nr_c_emit_file(NrModule *module, const NrCodegenOptions *options, const char *path);

#endif
