/* fuzz_safetensors.c - any bytes as a safetensors file: tensors that lie inside of it and are found by their keys, or a
 * message. */
#include "runtime/safetensors.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NrSafetensors file;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = nr_safetensors_read(data, size, "input", &file, &error);
  if ((status == NORIA_OK) != (error.message == NULL)) abort();
  volatile uint64_t seen = 0;
  for (size_t i = 0; status == NORIA_OK && i < file.tensors.size; i++) {
    const NrSafetensor *t = &file.tensors.data[i];
    if (nr_safetensors_find(&file, t->key) != t) abort();
    if (t->begin > t->end || t->end > size) abort();
    uint64_t bytes = noria_dtype_size(t->dtype);
    for (uint32_t d = 0; d < t->rank; d++) bytes *= (uint64_t)t->dims[d];
    if (t->dtype != NORIA_UNDEFINED && bytes != t->end - t->begin) abort();
    for (uint64_t at = t->begin; at < t->end; at++) seen += data[at];
  }
  nr_safetensors_deinit(&file);
  noria_error_clear(&error);
  return 0;
}
