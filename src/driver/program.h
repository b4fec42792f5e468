/* program.h - a program and what it owns; used by the driver only. */
#ifndef NORIA_DRIVER_PROGRAM_H
#define NORIA_DRIVER_PROGRAM_H

#include "driver/driver.h"
#include "runtime/sanitize.h"

/* What a program owns; it is freed with the program. */
typedef struct NrOwned {
  NrCompiled *code;        /* of a program in memory, or */
  NrCacheEntry cached;     /* of one from the cache, or */
  NrInterpProgram *interp; /* with the module that it runs */
  struct NrTier *tier;     /* better code for it that is being made, or NULL */
  NrMemoryRegion *regions; /* of sanitized code */
  NR_VEC(NrOnnxModel *) models; /* whose tensors are parameters */
  NrCompilation unit;
} NrOwned;

/* What the program owns; NULL where nr_program_make did not make it. */
NrOwned *nr_program_owned(const NoriaProgram *program);

/* Makes a program of the module or, where that is NULL, of the library at path. Uses options->program, whose
 * parameter files may be models. After an error what it would own is freed, but for owned.unit.heap. */
NoriaStatus nr_program_make(NrOwned owned, const NoriaModule *module, const char *path,
                            const NoriaCompileOptions *options, NoriaProgram **out_program, NoriaError *error);

#endif
