/* lanes.c - the peers of bench/lanes.py: the same loops in plain C, which compilers leave scalar. */
#include <stdint.h>

void mandelbrot(int64_t n, int32_t *out) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      float cx = (float)i * 0.003f - 2.0f, cy = (float)j * 0.003f - 2.0f, a = 0, b = 0;
      int32_t k = 0;
      while (a * a + b * b < 4.0f && k < 256) {
        float next = a * a - b * b + cx, ab = a * b;
        b = ab + ab + cy;
        a = next;
        k++;
      }
      out[i * n + j] = k;
    }
}

void collatz_lengths(int64_t n, const int64_t *starts, int64_t *out) {
  for (int64_t i = 0; i < n; i++) {
    int64_t y = starts[i], k = 0;
    while (y > 1) {
      y = y & 1 ? 3 * y + 1 : y >> 1;
      k++;
    }
    out[i] = k;
  }
}

void gcds(int64_t n, const int32_t *a, const int32_t *b, int32_t *out) {
  for (int64_t i = 0; i < n; i++) {
    int32_t p = a[i], q = b[i];
    while (q) {
      int32_t rest = p % q;
      p = q;
      q = rest;
    }
    out[i] = p;
  }
}
