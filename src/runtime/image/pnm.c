/* pnm.c - the portable formats P1 to P6: bits, greys and colours, as text or bytes. */
#include "runtime/image/formats.h"

typedef struct Reader {
  const uint8_t *at, *end;
} Reader;

static bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* Blanks, and comments from # to the end of the line. */
static void skip_blanks(Reader *r) {
  bool comment = false;
  for (; r->at < r->end && (comment || is_blank(*r->at) || *r->at == '#'); r->at++)
    comment = *r->at == '#' || (comment && *r->at != '\n' && *r->at != '\r');
}

static bool read_number(Reader *r, uint32_t most, uint32_t *out) {
  *out = 0;
  skip_blanks(r);
  if (r->at == r->end || !is_digit(*r->at)) return false;
  for (; r->at < r->end && is_digit(*r->at); r->at++) {
    *out = *out * 10 + (uint32_t)(*r->at - '0');
    if (*out > most) return false;
  }
  return true;
}

/* The next sample as text; digits of bits need no blanks between them. */
static bool text_sample(Reader *r, bool bits, uint32_t max, uint32_t *out) {
  if (!bits) return read_number(r, max, out);
  skip_blanks(r);
  if (r->at == r->end || (*r->at != '0' && *r->at != '1')) return false;
  *out = *r->at++ == '0'; /* 1 is black */
  return true;
}

static uint32_t byte_sample(const uint8_t *row, uint64_t i, bool bits, uint32_t max) {
  if (bits) return !(row[i / 8] >> (7 - i % 8) & 1);
  return max > 255 ? (uint32_t)row[2 * i] << 8 | row[2 * i + 1] : row[i];
}

static bool read_row(Reader *r, bool text, bool bits, uint64_t count, uint32_t max, uint32_t repeat, uint8_t *to) {
  uint64_t bytes = bits ? (count + 7) / 8 : max > 255 ? 2 * count : count;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t value = 0;
    if (!text) value = byte_sample(r->at, i, bits, max);
    else if (!text_sample(r, bits, max, &value)) return false;
    for (uint32_t k = 0; k < repeat; k++) *to++ = nr_image_scale(value, max);
  }
  if (!text) r->at += bytes;
  return true;
}

NrImageStatus nr_image_pnm(const uint8_t *data, size_t size, const NrImageSink *sink) {
  Reader r = {data + 2, data + size};
  bool text = data[1] <= '3', bits = data[1] == '1' || data[1] == '4', colours = data[1] == '3' || data[1] == '6';
  uint32_t width, height, max = 1, samples = colours ? 3 : 1;
  uint8_t *pixels;
  if (!read_number(&r, NR_IMAGE_MAX_PIXELS, &width) || !read_number(&r, NR_IMAGE_MAX_PIXELS, &height) ||
      (!bits && (!read_number(&r, 65535, &max) || !max)) || r.at == r.end || !is_blank(*r.at++))
    return NR_IMAGE_BROKEN;
  /* A sample takes a byte, eight bits share one, and text may have one of a digit: so the file must have this many. */
  uint64_t count = (uint64_t)width * samples, row = text || !bits ? count : (count + 7) / 8;
  if (!text && max > 255) row *= 2;
  if (height && row > (uint64_t)(r.end - r.at) / height) return NR_IMAGE_BROKEN;
  NrImageStatus status = nr_image_begin(sink, width, height, 3, &pixels);
  for (uint32_t y = 0; y < height && !status; y++) {
    if (!read_row(&r, text, bits, count, max, 3 / samples, pixels + (size_t)y * width * 3)) return NR_IMAGE_BROKEN;
    if (sink->stopped(sink->user)) return NR_IMAGE_STOPPED;
  }
  return status;
}
