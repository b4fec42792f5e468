/* driver.h - from a file to a module, and on to code: what the tool and the C API share. */
#ifndef NORIA_DRIVER_DRIVER_H
#define NORIA_DRIVER_DRIVER_H

#include "codegen/codegen.h"
#include "ir/text.h"
#include "noria/noria.h"
#include "onnx/import.h"
#include "pass/pass.h"

/* A program on its way, with all that it refers to. Zero-initialise; nr_unit_deinit frees. */
typedef struct NrUnit {
  NrContext *ctx;
  NrModule *module;
  NrOnnxModel *model; /* NULL for text IR */
  void *owned;        /* bytes of the model, when they are the unit's */
  NrBuf errors;       /* rendered diagnostics, a line or more each */
} NrUnit;
void nr_unit_deinit(NrUnit *unit);

/* Reads path or memory (path then only names it) into unit->module: dialect onnx, or whatever the text holds. Diagnostics go
 * to unit->errors. */
NR_WARN_UNUSED NrStatus nr_unit_read_file(NrUnit *unit, const char *path, const NoriaCompileOptions *options);
NR_WARN_UNUSED NrStatus nr_unit_read_memory(NrUnit *unit, const void *data, size_t size, const char *name, const char *folder,
                                            const NoriaCompileOptions *options);
/* The pipeline, as far as pass options say. */
NR_WARN_UNUSED NrStatus nr_unit_lower(NrUnit *unit, const NrPassOptions *options);
/* Moves what compiled code refers to out of unit and makes a program of it. */
NoriaStatus nr_unit_jit(NrUnit *unit, const NoriaCompileOptions *options, NoriaProgram **out_program, NoriaError *error);

#endif
