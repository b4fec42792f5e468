/* bmp.c - BMP files without compression: of 1, 4 and 8 bits with a palette, and of 16, 24 and 32 bits. */
#include <stdlib.h>

#include "runtime/image/formats.h"

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, MASKS = 12, PLAIN = 0, BITFIELDS = 3 };

typedef struct Bmp {
  const uint8_t *palette;
  uint32_t width, height, bits, palette_size, entry; /* entry: bytes of one in the palette */
  uint32_t masks[3];                                 /* red, green, blue: for 16 and 32 bits */
  bool downwards;                                    /* the first row is the top one */
} Bmp;

static uint32_t u16(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }
static uint32_t u32(const uint8_t *at) { return u16(at) | u16(at + 2) << 16; }

static bool read_info(const uint8_t *info, size_t left, uint32_t header, Bmp *out) {
  int32_t height = (int32_t)u32(info + 8);
  uint32_t compression = u32(info + 16), colours = u32(info + 32), behind = header;
  if (height == INT32_MIN || (int32_t)u32(info + 4) <= 0 || (compression != PLAIN && compression != BITFIELDS))
    return false;
  out->width = u32(info + 4);
  out->height = (uint32_t)abs(height);
  out->downwards = height < 0;
  out->bits = u16(info + 14);
  out->entry = 4;
  if (compression == BITFIELDS) {
    if ((out->bits != 16 && out->bits != 32) || left < INFO_HEADER + MASKS) return false;
    for (int c = 0; c < 3; c++) out->masks[c] = u32(info + INFO_HEADER + 4 * c);
    if (header == INFO_HEADER) behind += MASKS;
  }
  if (behind > left) return false;
  out->palette = info + behind;
  out->palette_size = colours;
  return true;
}

static bool read_core(const uint8_t *info, Bmp *out) {
  out->width = u16(info + 4);
  out->height = u16(info + 6);
  out->bits = u16(info + 10);
  out->entry = 3;
  out->palette = info + CORE_HEADER;
  return true;
}

static bool read_headers(const uint8_t *data, size_t size, Bmp *out) {
  if (size < FILE_HEADER + CORE_HEADER) return false;
  const uint8_t *info = data + FILE_HEADER;
  size_t left = size - FILE_HEADER;
  uint32_t header = u32(info);
  *out = (Bmp){.masks = {0, 0, 0}};
  bool is_core = header == CORE_HEADER;
  if (!is_core && (header < INFO_HEADER || header > left)) return false;
  if (!(is_core ? read_core(info, out) : read_info(info, left, header, out))) return false;
  uint32_t bits = out->bits;
  if (bits <= 8) {
    uint32_t most = UINT32_C(1) << bits, given = out->palette_size ? out->palette_size : most;
    out->palette_size = given < most ? given : most;
    return (bits == 1 || bits == 4 || bits == 8) &&
           out->palette_size <= (size_t)(data + size - out->palette) / out->entry;
  }
  static const uint32_t usual[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
  bool given = (out->masks[0] | out->masks[1] | out->masks[2]) != 0;
  for (int c = 0; c < 3 && !given; c++) out->masks[c] = usual[bits == 32][c];
  return bits == 16 || bits == 24 || bits == 32;
}

/* What a mask of adjoining bits says of a pixel. */
static uint8_t masked(uint32_t pixel, uint32_t mask) {
  if (!mask) return 0;
  while (!(mask & 1)) mask >>= 1, pixel >>= 1;
  while (mask > 0xffff) mask >>= 1, pixel >>= 1;
  return nr_image_scale(pixel & mask, mask);
}

/* False where a pixel has a number that the palette lacks. */
static bool put_pixel(const Bmp *b, const uint8_t *row, uint32_t x, uint8_t *to) {
  const uint8_t *at = row + (size_t)x * (b->bits / 8); /* blue first, also in palettes */
  if (b->bits <= 8) {
    uint32_t first = x * b->bits, number = row[first / 8] >> (8 - b->bits - first % 8) & ((1u << b->bits) - 1);
    if (number >= b->palette_size) return false;
    at = b->palette + (size_t)number * b->entry;
  }
  uint32_t pixel = b->bits == 16 ? u16(at) : b->bits == 32 ? u32(at) : 0;
  bool whole = b->bits <= 8 || b->bits == 24;
  for (int c = 0; c < 3; c++) to[c] = whole ? at[2 - c] : masked(pixel, b->masks[c]);
  return true;
}

NrImageStatus nr_image_bmp(const uint8_t *data, size_t size, const NrImageSink *sink) {
  Bmp b;
  uint8_t *pixels;
  if (!read_headers(data, size, &b)) return NR_IMAGE_BROKEN;
  uint64_t begin = u32(data + 10), row = ((uint64_t)b.width * b.bits + 31) / 32 * 4;
  if (begin > size || !b.height || row > (size - begin) / b.height) return NR_IMAGE_BROKEN;
  NrImageStatus status = nr_image_begin(sink, b.width, b.height, 3, &pixels);
  for (uint32_t y = 0; y < b.height && !status; y++) {
    const uint8_t *from = data + begin + row * (b.downwards ? y : b.height - 1 - y);
    uint8_t *to = pixels + (size_t)y * b.width * 3;
    for (uint32_t x = 0; x < b.width; x++)
      if (!put_pixel(&b, from, x, to + (size_t)x * 3)) return NR_IMAGE_BROKEN;
    if (sink->stopped(sink->user)) return NR_IMAGE_STOPPED;
  }
  return status;
}
