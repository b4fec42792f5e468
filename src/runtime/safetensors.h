/* safetensors.h - reads the header of a safetensors file.
 *
 * The format: 8 bytes, little-endian, with the size of the header; the header, a JSON object; the bytes of the tensors.
 *   {"key": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"name": "text"}}
 * Offsets count from the end of the header. The tensors follow each other without gaps and fill the file. */
#ifndef NORIA_RUNTIME_SAFETENSORS_H
#define NORIA_RUNTIME_SAFETENSORS_H

#include "base/base.h"
#include "noria/runtime.h"

typedef struct NrSafetensor {
  NrStr key;
  NrStr type;       /* its name in the file */
  NoriaDType dtype; /* NORIA_UNDEFINED: a type that Noria does not have */
  uint32_t rank;
  int64_t dims[NORIA_MAX_RANK];
  uint64_t begin, end; /* offsets in the file */
} NrSafetensor;

typedef struct NrSafetensors {
  NrArena arena; /* of the keys */
  NR_VEC(NrSafetensor) tensors; /* sorted by key */
} NrSafetensors;

/* Reads the header of a file of `size` bytes that begins with `data`. Everything is checked: sizes against types and
 * shapes, and that the tensors lie side by side in the file. The message begins with the file's name. */
NoriaStatus nr_safetensors_read(const void *data, size_t size, const char *name, NrSafetensors *out, NoriaError *error);
void nr_safetensors_deinit(NrSafetensors *file);
const NrSafetensor *nr_safetensors_find(const NrSafetensors *file, NrStr key); /* NULL: there is none */

#endif
