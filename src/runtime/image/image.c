/* image.c - the format of an image, by its first bytes, and the table of libnoria_image.so. */
#include "runtime/image/image.h"

#include <string.h>

#include "runtime/image/formats.h"

NrImageStatus nr_image_begin(const NrImageSink *sink, uint64_t width, uint64_t height, uint32_t channels,
                             uint8_t **out_pixels) {
  *out_pixels = NULL;
  if (width == 0 || height == 0) return NR_IMAGE_BROKEN;
  if (width > NR_IMAGE_MAX_PIXELS || height > NR_IMAGE_MAX_PIXELS / width) return NR_IMAGE_TOO_LARGE;
  *out_pixels = sink->begin(sink->user, (uint32_t)width, (uint32_t)height, channels);
  return *out_pixels ? NR_IMAGE_OK : NR_IMAGE_STOPPED;
}

static const struct Format {
  const char *magic; /* '?' is any byte, '0' one of 1 to 6 */
  size_t size;
  NrImageStatus (*decode)(const uint8_t *data, size_t size, const NrImageSink *sink);
} formats[] = {
    {"\xff\xd8\xff", 3, nr_image_jpeg},
    {"\x89PNG\r\n\x1a\n", 8, nr_image_png},
    {"RIFF????WEBP", 12, nr_image_webp},
    {"II*\0", 4, nr_image_tiff},
    {"MM\0*", 4, nr_image_tiff},
    {"II+\0", 4, nr_image_tiff},
    {"MM\0+", 4, nr_image_tiff},
    {"\0\0\0\x0cjP  \r\n\x87\n", 12, nr_image_jpeg2000},
    {"\xff\x4f\xff\x51", 4, nr_image_jpeg2000},
    {"BM", 2, nr_image_bmp},
    {"P0", 2, nr_image_pnm},
};

static bool begins_with(const uint8_t *data, const struct Format *format) {
  for (size_t i = 0; i < format->size; i++) {
    char want = format->magic[i], have = (char)data[i];
    if (want == '0' ? have < '1' || have > '6' : want != '?' && want != have) return false;
  }
  return true;
}

static NrImageStatus decode(const uint8_t *data, size_t size, const NrImageSink *sink) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (size >= formats[i].size && begins_with(data, &formats[i])) return formats[i].decode(data, size, sink);
  return NR_IMAGE_BROKEN;
}

extern const NrImage nr_image;
const NrImage nr_image = {.version = NR_IMAGE_VERSION, .decode = decode};
