/* formats.h - the decoders, one for each format; for src/runtime/image only. Each gives what NrImage.decode does. */
#ifndef NORIA_RUNTIME_IMAGE_FORMATS_H
#define NORIA_RUNTIME_IMAGE_FORMATS_H

#include "runtime/image/image.h"

NrImageStatus nr_image_bmp(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_jpeg(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_jpeg2000(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_png(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_pnm(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_tiff(const uint8_t *data, size_t size, const NrImageSink *sink);
NrImageStatus nr_image_webp(const uint8_t *data, size_t size, const NrImageSink *sink);

/* Checks the size of an image and asks the sink for its memory. */
NrImageStatus nr_image_begin(const NrImageSink *sink, uint64_t width, uint64_t height, uint32_t channels,
                             uint8_t **out_pixels);

/* A sample of 0 .. max (below 2^16) as one of 0 .. 255, rounded to the nearest. */
static inline uint8_t nr_image_scale(uint32_t sample, uint32_t max) {
  return (uint8_t)(((sample < max ? sample : max) * 255u + max / 2) / max);
}

#endif
