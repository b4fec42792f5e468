/* channel_copy.c - copies of collectives. */
#include "runtime/channel_internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>

/* Both in steps of a cache line; to is aligned to 16 bytes. */
static void stream(char *to, const char *from, size_t size) {
  for (size_t i = 0; i < size; i += 64) {
    __m128i a = _mm_loadu_si128((const __m128i *)(from + i)), b = _mm_loadu_si128((const __m128i *)(from + i + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(from + i + 32)),
            d = _mm_loadu_si128((const __m128i *)(from + i + 48));
    _mm_stream_si128((__m128i *)(to + i), a);
    _mm_stream_si128((__m128i *)(to + i + 16), b);
    _mm_stream_si128((__m128i *)(to + i + 32), c);
    _mm_stream_si128((__m128i *)(to + i + 48), d);
  }
  _mm_sfence();
}

void nr_copy(void *to, const void *from, size_t size, bool streams) {
  if (size == 0 || to == from) return;
  if (!streams || size < 4096) {
    memcpy(to, from, size);
    return;
  }
  size_t head = -(uintptr_t)to & 63, middle = (size - head) / 64 * 64, tail = size - head - middle;
  memcpy(to, from, head);
  stream((char *)to + head, (const char *)from + head, middle);
  memcpy((char *)to + head + middle, (const char *)from + head + middle, tail);
}
#else
void nr_copy(void *to, const void *from, size_t size, bool streams) {
  if (size && to != from) memcpy(to, from, size);
}
#endif
