/* fuzz_image.c - any bytes as a file of an image: all of its pixels, or none; and memory for it is asked for once. */
#include <stdlib.h>

#include "runtime/image/image.h"

extern const NrImage nr_image;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 24 };

typedef struct Pixels {
  uint8_t *data;
  size_t size;
} Pixels;

static uint8_t *begin(void *user, uint32_t width, uint32_t height, uint32_t channels) {
  Pixels *p = user;
  if (p->data || !width || !height || channels < 3 || channels > 4) abort();
  p->size = (size_t)width * height * channels;
  return p->data = p->size > MOST_BYTES ? NULL : malloc(p->size);
}

static bool stopped(void *user) { return (void)user, false; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Pixels p = {NULL, 0};
  NrImageStatus status = nr_image.decode(data, size, &(NrImageSink){&p, begin, stopped});
  if (status == NR_IMAGE_OK && !p.data) abort();
  volatile uint64_t seen = 0;
  for (size_t i = 0; status == NR_IMAGE_OK && i < p.size; i++) seen += p.data[i];
  free(p.data);
  return 0;
}
