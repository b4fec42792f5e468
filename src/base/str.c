/* str.c - string views and growing byte strings. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

bool nr_str_starts(NrStr s, const char *prefix) {
  size_t n = strlen(prefix);
  return s.size >= n && (n == 0 || memcmp(s.data, prefix, n) == 0);
}

bool nr_str_ends(NrStr s, const char *suffix) {
  size_t n = strlen(suffix);
  return s.size >= n && memcmp(s.data + s.size - n, suffix, n) == 0;
}

int nr_str_cmp(NrStr a, NrStr b) {
  size_t n = NR_MIN(a.size, b.size);
  int c = n ? memcmp(a.data, b.data, n) : 0;
  return c ? c : (a.size > b.size) - (a.size < b.size);
}

NrStr nr_str_doubled(NrArena *arena, NrStr s, char c) {
  NrBuf buf = {0};
  for (size_t i = 0; i < s.size; i++) {
    if (s.data[i] == c) nr_buf_putc(&buf, c);
    nr_buf_putc(&buf, s.data[i]);
  }
  NrStr out = nr_str_copy(arena, (NrStr){buf.data, buf.size});
  nr_buf_deinit(&buf);
  return out;
}

NrStr nr_str_copy(NrArena *arena, NrStr s) {
  char *p = nr_arena_alloc(arena, s.size + 1);
  if (s.size) memcpy(p, s.data, s.size);
  return (NrStr){p, s.size};
}

const char *nr_arena_printf(NrArena *arena, const char *format, ...) {
  NrBuf buf = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&buf, format, args);
  va_end(args);
  const char *p = nr_str_copy(arena, (NrStr){buf.data, buf.size}).data;
  nr_buf_deinit(&buf);
  return p;
}

static uint64_t load_u32(const unsigned char *p) {
  uint32_t word;
  memcpy(&word, p, 4);
  return word;
}

static uint64_t load_u64(const unsigned char *p) {
  uint64_t word;
  memcpy(&word, p, 8);
  return word;
}

/* Mixes eight bytes at a time by a product and a fold; most keys are short. The last word read may overlap the one
 * before it. */
uint64_t nr_hash_bytes(const void *data, size_t size) {
  const unsigned char *p = size ? data : (const void *)"", *end = p + size;
  uint64_t h = 0xcbf29ce484222325ull ^ size * 0x9e3779b97f4a7c15ull, rest = 0;
  for (; end - p > 8; p += 8) {
    h = (h ^ load_u64(p)) * 0x9fb21c651e98df25ull;
    h ^= h >> 32;
  }
  if (size >= 8) rest = load_u64(end - 8);
  else if (size >= 4) rest = load_u32(p) | load_u32(end - 4) << 32;
  else if (size) rest = p[0] | (uint64_t)p[size / 2] << 8 | (uint64_t)end[-1] << 16;
  /* A product propagates differences only upwards; folding twice brings those of the last bytes to the low bits. */
  h = (h ^ rest) * 0x9fb21c651e98df25ull;
  h = (h ^ h >> 32) * 0xbf58476d1ce4e5b9ull;
  return h ^ h >> 32;
}

size_t nr_edit_distance(NrStr a, NrStr b, size_t limit) {
  enum { LONGEST = 128 };
  size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
  if (a.size > LONGEST || b.size > LONGEST) return limit + 1;
  if ((a.size > b.size ? a.size - b.size : b.size - a.size) > limit) return limit + 1;
  for (size_t j = 0; j <= b.size; j++) row[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    size_t *oldest = before;
    before = last, last = row, row = oldest;
    row[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
      size_t replace = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
      row[j] = NR_MIN(replace, NR_MIN(last[j], row[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
      if (swapped) row[j] = NR_MIN(row[j], before[j - 2] + 1);
    }
  }
  return NR_MIN(row[b.size], limit + 1);
}

NrNearest nr_nearest(NrStr wrong) {
  size_t limit = wrong.size < 2 || wrong.size >= 64 ? 0 : 1 + NR_MAX(1, NR_MIN(3, wrong.size / 3));
  return (NrNearest){.wrong = wrong, .limit = limit};
}

void nr_nearest_try(NrNearest *n, NrStr candidate) {
  size_t distance = n->limit && candidate.size ? nr_edit_distance(n->wrong, candidate, n->limit) : n->limit;
  if (distance >= n->limit) return;
  n->limit = distance;
  n->best = candidate;
}

void nr_buf_deinit(NrBuf *buf) {
  nr_free(buf->data);
  *buf = (NrBuf){0};
}

void nr_buf_reserve(NrBuf *buf, size_t extra) {
  size_t need;
  if (!nr_add_size(buf->size, extra, &need) || !nr_add_size(need, 1, &need)) nr_oom();
  if (need > buf->capacity) buf->data = nr_vec_grow(buf->data, &buf->capacity, NR_MAX(need, (size_t)64), 1);
}

void nr_buf_append(NrBuf *buf, const void *data, size_t size) {
  nr_buf_reserve(buf, size);
  if (size) memcpy(buf->data + buf->size, data, size);
  buf->size += size;
  buf->data[buf->size] = 0;
}

void nr_buf_str(NrBuf *buf, NrStr s) { nr_buf_append(buf, s.data, s.size); }
void nr_buf_puts(NrBuf *buf, const char *c_string) { nr_buf_append(buf, c_string, strlen(c_string)); }
void nr_buf_putc(NrBuf *buf, char c) { nr_buf_append(buf, &c, 1); }

void nr_buf_vprintf(NrBuf *buf, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  assert(n >= 0);
  nr_buf_reserve(buf, (size_t)n);
  vsnprintf(buf->data + buf->size, (size_t)n + 1, format, again);
  va_end(again);
  buf->size += (size_t)n;
}

void nr_buf_printf(NrBuf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(buf, format, args);
  va_end(args);
}

/* ---- UTF-8 ---- */

uint32_t nr_utf8_take(const char **p, const char *end) {
  const unsigned char *at = (const unsigned char *)(*p)++;
  uint32_t c = *at++;
  if (c < 0x80) return c;
  int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
  if (more == 0 || (const unsigned char *)end - at < more) return UINT32_MAX;
  static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  c &= 0x3fu >> more;
  for (int i = 0; i < more; i++) {
    if ((*at & 0xc0) != 0x80) return UINT32_MAX;
    c = c << 6 | (*at++ & 0x3f);
  }
  if (c < smallest[more] || c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) return UINT32_MAX;
  *p = (const char *)at;
  return c;
}

bool nr_str_is_utf8(NrStr s) {
  for (const char *p = s.data, *end = p + s.size; p < end;)
    if (nr_utf8_take(&p, end) == UINT32_MAX) return false;
  return true;
}

bool nr_parse_size(const char *text, int64_t *out) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  *out = text ? strtoll(text, &end, 10) : 0;
  if (!text || end == text || errno || *out < 0) return false;
  const char *unit = *end ? strchr(units, *end) : NULL;
  for (const char *u = units; unit && u <= unit; u++)
    if (!nr_mul_i64(*out, 1024, out)) return false;
  return !end[unit != NULL];
}
