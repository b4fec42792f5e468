/* driver.h - from a file to a module and to code; shared by the tool and the C API. */
#ifndef NORIA_DRIVER_DRIVER_H
#define NORIA_DRIVER_DRIVER_H

#include "base/guard.h"
#include "codegen/codegen.h"
#include "driver/cache.h"
#include "driver/fold_constants.h"
#include "interp/interp.h"
#include "ir/text.h"
#include "noria/noria.h"
#include "onnx/import/import.h"
#include "pass/core/pass.h"

/* The program once more, for another CPU. */
typedef struct NrCompilationVariant {
  const char *cpu;
  const NrTarget *target;
  NrModule *module; /* once it is lowered */
} NrCompilationVariant;

/* A program being compiled, with all that it refers to. Zero-initialise; nr_compilation_deinit frees. */
typedef struct NrCompilation {
  NrContext *ctx;
  NrModule *module;
  NrOnnxModel *model; /* NULL for text IR */
  void *owned;        /* bytes of the model, if owned */
  NrBuf name;         /* the graph's, or the file's without folder and ending; NoriaModule.name */
  NrBuf errors;       /* rendered diagnostics, a line or more each */
  NrBuf warnings;     /* of errors, those that its user has shown already */
  NrDiagList shown;   /* in errors */
  const char *cpu;             /* the first of the options' list, or NULL */
  const NrTarget *target;      /* the machine that it is compiled for */
  NR_VEC(NrCompilationVariant) variants; /* the other CPUs of the list */
  const char *shard;           /* of the options that it was read with */
  bool check_bounds, check_input, sanitize; /* of the options that it was read with: for nr_compilation_lower */
  NrCacheSlot *slot;  /* where nr_compilation_jit stores the program; NULL: nowhere */
  int64_t fold_memory; /* bytes that folded constants may take; 0: none are folded */
  NrFolded folded;
  NrHeap *heap;       /* the compiled program takes it over; NULL: the caller's */
} NrCompilation;
void nr_compilation_deinit(NrCompilation *unit);

/* Reads path or memory (path then only names it) into unit->module: dialect onnx, or whatever the text holds.
 * Diagnostics go to unit->errors. */
NR_WARN_UNUSED NrStatus nr_compilation_read_file(NrCompilation *unit, const char *path,
                                                 const NoriaCompileOptions *options);
NR_WARN_UNUSED NrStatus nr_compilation_read_memory(NrCompilation *unit, const void *data, size_t size, const char *name,
                                            const char *folder, const NoriaCompileOptions *options);
/* Makes a program of one in the cache. False when it is not there. *out_status is that of making the program;
 * out_notes gets what nr_cache_store was given. The program takes over heap; NULL: the caller's. */
typedef struct NrCacheNotes {
  NrBuf diagnostics, types;
} NrCacheNotes;
bool nr_compilation_find(NrCacheSlot *slot, NrHeap *heap, const NoriaCompileOptions *options, NrCacheNotes *out_notes,
                         NoriaProgram **out_program, NoriaError *error, NoriaStatus *out_status);
/* Appends the types of the entry's inputs and outputs as IR prints them, a NUL after each; empty ones for a model.
 * Returns the number of inputs. */
size_t nr_compilation_types(const NrCompilation *unit, NrBuf *out);
/* Makes a function the program's entry (nr_abi_wrap_entry). */
NR_WARN_UNUSED NrStatus nr_compilation_set_entry(NrCompilation *unit, const char *name);
/* The unit is to become C source: it is lowered for nr_codegen_target_c's machine. Before nr_compilation_lower. */
NR_WARN_UNUSED NrStatus nr_compilation_set_c(NrCompilation *unit, const NoriaCompileOptions *options);
/* Runs the pipeline, to the stage in the options; for each CPU of the list where that is the last one. */
NR_WARN_UNUSED NrStatus nr_compilation_lower(NrCompilation *unit, const NrPassOptions *options);
/* Moves constants of at least min_bytes to a safetensors file at path and puts parameters in their place. The modules
 * are of one context, and share the parameters. The file is whole or untouched. */
NR_WARN_UNUSED NrStatus nr_outline_parameters(NrModule *const *modules, size_t count, const char *path,
                                              int64_t min_bytes);
/* Constants of fewer bytes stay in the program, unless the user says otherwise. */
enum { NR_OUTLINE_MIN_BYTES = 4096 };
/* jit and interpret make a program of the unit, which is empty afterwards, also after an error.
 * jit: of a lowered unit. times may be NULL. */
NoriaStatus nr_compilation_jit(NrCompilation *unit, const NoriaCompileOptions *options, NrCodegenTimes *times,
                        NoriaProgram **out_program, NoriaError *error);
/* emit: of a lowered unit, which only options->outline_parameters changes. header: a path, or NULL. Files are written
 * whole or not at all. */
NR_WARN_UNUSED NrStatus nr_compilation_emit(NrCompilation *unit, const NoriaCompileOptions *options,
                                            NrCodegenTimes *times, NrCodegenKind kind, const char *path,
                                            const char *header);
/* interpret: runs the unit in the interpreter, after any stage; a model only from stage `tensor` on. Uses the program's
 * options only. */
NoriaStatus nr_compilation_interpret(NrCompilation *unit, const NoriaCompileOptions *options,
                                     NoriaProgram **out_program, NoriaError *error);
/* Whether the file at path begins as compiled code does. False where it cannot be read twice. */
bool nr_file_is_elf(const char *path);
/* Whether the file at path is to be opened as a compiled library: by its content, or the ending .so. Never where the
 * format or the ending says that it is a model or text, whose reading must not run code. */
bool nr_is_library(const char *path, const char *format);
/* An option that is given and changes what is compiled, so that it cannot go with compiled code: its field's name, or
 * the command line's. NULL: none. */
const char *nr_compiler_option(const NoriaCompileOptions *options, bool flag);
/* noria_program_load for a library, with options->program, whose parameter files may be models. An option of
 * nr_compiler_option is an error. The program takes over heap; NULL: the caller's. */
NoriaStatus nr_library_load(const char *path, NrHeap *heap, const NoriaCompileOptions *options,
                            NoriaProgram **out_program, NoriaError *error);
/* Moves the reported errors to *error, frees the unit and returns the API's status. */
NoriaStatus nr_compilation_fail(NrCompilation *unit, NrStatus status, NoriaError *error);
NoriaStatus nr_public_status(NrStatus status); /* the status of the C API */

#endif
