/* fuzz_npy.c - any bytes as a .npy file: a tensor whose every element can be read, or a message. */
#include "noria/runtime.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NoriaValue *value = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = noria_npy_decode(data, size, &value, &error);
  if ((status == NORIA_OK) != (value != NULL) || (status == NORIA_OK) != (error.message == NULL)) abort();
  if (value) {
    volatile uint64_t seen = 0;
    const unsigned char *bytes = noria_tensor_data(value);
    for (size_t i = 0; bytes && i < noria_tensor_size(value); i++) seen += bytes[i];
    for (int64_t i = 0; !bytes && i < noria_tensor_count(value); i++) {
      size_t length;
      const char *text = noria_tensor_string(value, i, &length);
      if (text) seen += (unsigned char)text[length];
    }
  }
  noria_value_release(value);
  noria_error_clear(&error);
  return 0;
}
