/* driver.h - from a file to a module, and on to code: what the tool and the C API share. */
#ifndef NORIA_DRIVER_DRIVER_H
#define NORIA_DRIVER_DRIVER_H

#include "base/guard.h"
#include "codegen/codegen.h"
#include "interp/interp.h"
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
  NrBuf name;         /* the graph's, or the file's without folder and ending; NoriaModule.name */
  NrBuf errors;       /* rendered diagnostics, a line or more each */
  NrDiagList shown;   /* in it */
  bool check_bounds, sanitize; /* of the options that it was read with: for nr_unit_lower */
  NrHeap *heap;       /* that the program which is made of the unit takes over; NULL: it is the caller's */
} NrUnit;
void nr_unit_deinit(NrUnit *unit);

/* Reads path or memory (path then only names it) into unit->module: dialect onnx, or whatever the text holds.
 * Diagnostics go to unit->errors. */
NR_WARN_UNUSED NrStatus nr_unit_read_file(NrUnit *unit, const char *path, const NoriaCompileOptions *options);
NR_WARN_UNUSED NrStatus nr_unit_read_memory(NrUnit *unit, const void *data, size_t size, const char *name,
                                            const char *folder, const NoriaCompileOptions *options);
/* Makes a function the program's entry: the one named; with NULL the one that is marked noria.entry, else @main, else
 * the only public one. Its scalars become tensors of rank 0 at the boundary; memrefs that it takes are copied, and
 * given back behind its results under the names of its arguments. What the entry does not need is dropped. Models have
 * an entry already. */
NR_WARN_UNUSED NrStatus nr_unit_set_entry(NrUnit *unit, const char *name);
/* The pipeline, as far as pass options say. */
NR_WARN_UNUSED NrStatus nr_unit_lower(NrUnit *unit, const NrPassOptions *options);
/* jit and interpret make a program of the unit, which is empty afterwards, also after an error.
 * jit: of a lowered unit. times may be NULL. */
NoriaStatus nr_unit_jit(NrUnit *unit, const NoriaCompileOptions *options, NrCodegenTimes *times,
                        NoriaProgram **out_program, NoriaError *error);
/* emit: of a lowered unit, which stays as it is. header: a path, or NULL. The files are whole or untouched. */
NR_WARN_UNUSED NrStatus nr_unit_emit(NrUnit *unit, const NoriaCompileOptions *options, NrCodegenTimes *times,
                                     NrCodegenKind kind, const char *path, const char *header);
/* interpret: the interpreter runs the unit as it stands, which may be after any stage; of models those before `tensor`
 * are refused. Of options, those of the program are used. */
NoriaStatus nr_unit_interpret(NrUnit *unit, const NoriaCompileOptions *options, NoriaProgram **out_program,
                              NoriaError *error);
/* Puts what was reported into *error, frees the unit and gives the status in the API's words. */
NoriaStatus nr_unit_fail(NrUnit *unit, NrStatus status, NoriaError *error);
NoriaStatus nr_public_status(NrStatus status); /* in the API's words */

#endif
