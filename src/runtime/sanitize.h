/* sanitize.h - the address sanitizer of compiled code: which memory a run may touch.
 *
 * The code generator has LLVM call nr_sanitize_access before each access. The run keeps a table of its memory: the
 * blocks of api->alloc to the byte, inputs, constants and variables, and what the runtime shares with compiled code.
 * Blocks have red zones around them, and freed ones are not given out again while there is room, so an access that is
 * off by a little hits neither a neighbour nor a successor. A wrong access does not happen: the run fails, and leaves
 * compiled code at once. */
#ifndef NORIA_RUNTIME_SANITIZE_H
#define NORIA_RUNTIME_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "noria/exec_abi.h"

typedef struct NoriaProgram NoriaProgram;

/* Memory that compiled code brings along. */
typedef struct NrMemoryRegion {
  const void *data;
  size_t size;
} NrMemoryRegion;

/* Watches the program's runs; its code was made for that. To be called before the first run. regions live as long as
 * the program. */
void nr_program_sanitize(NoriaProgram *program, const NrMemoryRegion *regions, size_t num_regions);

/* What compiled code calls. site: an index into NoriaModule.sites, or -1. */
void nr_sanitize_access(const void *data, int64_t size, int32_t site, int32_t is_write);
/* The block at `base` was made at site, and only the bytes from data on are for use. */
void nr_sanitize_allocated(const void *base, const void *data, int64_t size, int32_t site);

#endif
