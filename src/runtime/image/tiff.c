/* tiff.c - the first image of a TIFF file, by libtiff, from memory. */
#include <string.h>

#include <tiffio.h>

#include "runtime/image/formats.h"

/* The file. */
typedef struct Memory {
  const uint8_t *data;
  uint64_t size, at;
} Memory;

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t size) {
  Memory *m = handle;
  uint64_t left = m->at < m->size ? m->size - m->at : 0, count = size < 0 ? 0 : (uint64_t)size;
  if (count > left) count = left;
  memcpy(to, m->data + (count ? m->at : 0), (size_t)count);
  m->at += count;
  return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t size) {
  (void)handle, (void)from, (void)size;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  Memory *m = handle;
  m->at = offset + (whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->size : 0);
  return m->at;
}

static int close_file(thandle_t handle) { return (void)handle, 0; }
static toff_t size_of(thandle_t handle) { return ((Memory *)handle)->size; }

/* Errors are known by what the functions return. */
static int quiet(TIFF *tiff, void *user, const char *module, const char *format, va_list args) {
  (void)tiff, (void)user, (void)module, (void)format, (void)args;
  return 1;
}

static TIFF *open_memory(Memory *m) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)NR_IMAGE_MAX_PIXELS * 8);
  TIFFOpenOptionsSetErrorHandlerExtR(options, quiet, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR(options, quiet, NULL);
  /* m: no file is mapped */
  TIFF *tiff = TIFFClientOpenExt("image", "rm", m, read_bytes, write_bytes, seek, close_file, size_of, NULL, NULL,
                                 options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

/* The colours of a pixel with alpha stay as they are, as in the other formats. libtiff multiplies them by alpha where
 * the file says that they are not multiplied yet. */
static void keep_colours(TIFF *tiff) {
  uint16_t count = 0, *kinds = NULL, multiplied = EXTRASAMPLE_ASSOCALPHA;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count == 1 && *kinds == EXTRASAMPLE_UNASSALPHA)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &multiplied);
}

NrImageStatus nr_image_tiff(const uint8_t *data, size_t size, const NrImageSink *sink) {
  Memory m = {data, size, 0};
  uint32_t width = 0, height = 0;
  uint8_t *pixels;
  TIFF *tiff = open_memory(&m);
  if (!tiff) return NR_IMAGE_BROKEN;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  keep_colours(tiff);
  NrImageStatus status = nr_image_begin(sink, width, height, 4, &pixels);
  if (!status && !TIFFReadRGBAImageOriented(tiff, width, height, (uint32_t *)(void *)pixels, ORIENTATION_TOPLEFT, 1))
    status = NR_IMAGE_BROKEN;
  TIFFClose(tiff);
  for (size_t i = 0; i < (size_t)width * height && !status; i++) {
    uint32_t packed;
    memcpy(&packed, pixels + 4 * i, sizeof packed);
    uint8_t rgba[4] = {(uint8_t)TIFFGetR(packed), (uint8_t)TIFFGetG(packed), (uint8_t)TIFFGetB(packed),
                       (uint8_t)TIFFGetA(packed)};
    memcpy(pixels + 4 * i, rgba, sizeof rgba);
  }
  return status;
}
