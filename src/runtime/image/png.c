/* png.c - PNG, by libpng's simplified interface, which keeps its jumps to itself. */
#include <png.h>
#include <string.h>

#include "runtime/image/formats.h"

NrImageStatus nr_image_png(const uint8_t *data, size_t size, const NrImageSink *sink) {
  png_image image;
  uint8_t *pixels;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, data, size)) return NR_IMAGE_BROKEN;
  image.format = PNG_FORMAT_RGBA;
  NrImageStatus status = nr_image_begin(sink, image.width, image.height, 4, &pixels);
  if (!status && !png_image_finish_read(&image, NULL, pixels, 0, NULL)) status = NR_IMAGE_BROKEN;
  png_image_free(&image);
  return status;
}
