/* image.h - the interface of libnoria_image.so to imports_image.c: one exported table. All calls of libjpeg, libpng,
 * libtiff, libwebp and OpenJPEG are behind it, so that programs without ImageDecoder load none of them.
 *
 * Files are untrusted. May be called by several threads at the same time. */
#ifndef NORIA_RUNTIME_IMAGE_IMAGE_H
#define NORIA_RUNTIME_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NR_IMAGE_LIBRARY "libnoria_image.so"
#define NR_IMAGE_SYMBOL "nr_image"
enum {
  NR_IMAGE_VERSION = 1,
  NR_IMAGE_MAX_PIXELS = 1 << 28, /* of an image; a larger one is refused before it is decoded */
};

typedef enum NrImageStatus {
  NR_IMAGE_OK,
  NR_IMAGE_BROKEN,    /* of no format that is known, damaged, or of a kind of its format that is not supported */
  NR_IMAGE_TOO_LARGE, /* has more than NR_IMAGE_MAX_PIXELS pixels */
  NR_IMAGE_STOPPED,   /* the caller's functions ended it */
} NrImageStatus;

/* Where the pixels go. `begin` is called once, before any pixel is decoded: it gives memory, which stays the caller's,
 * for height * width pixels of `channels` bytes, the first three of them red, green and blue, or NULL. `stopped` is
 * asked now and then. */
typedef struct NrImageSink {
  void *user;
  uint8_t *(*begin)(void *user, uint32_t width, uint32_t height, uint32_t channels);
  bool (*stopped)(void *user);
} NrImageSink;

typedef struct NrImage {
  int32_t version;
  NrImageStatus (*decode)(const uint8_t *data, size_t size, const NrImageSink *sink);
} NrImage;

#endif
