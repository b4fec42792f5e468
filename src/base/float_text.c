/* float_text.c - floats as text; see nr_float_text in float_format.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/float_format.h"

static double decode(const NrFloatFormat *format, uint32_t width, uint64_t bits) {
  if (format) return nr_float_decode(format, bits);
  double value;
  if (width == 32) {
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    return f;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t encode(const NrFloatFormat *format, uint32_t width, const char *text) {
  uint64_t bits = 0;
  if (!format && width == 32) {
    float f = strtof(text, NULL);
    memcpy(&bits, &f, sizeof f);
    return bits;
  }
  double value = strtod(text, NULL);
  if (format) return nr_float_encode(format, value, false);
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Fast path for integers of few digits, which most constants are: 1.200000e+01. 0 for others. */
static size_t small_whole(char *out, double value) {
  enum { DIGITS = 7 };
  double size = value < 0 ? -value : value;
  if (!(size < 1e6) || size != (double)(uint32_t)size || (value == 0 && signbit(value))) return 0;
  char text[] = "0.000000e+00", digits[DIGITS];
  int count = 0;
  for (uint32_t rest = (uint32_t)size; rest; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  for (int i = 0; i < count; i++) text[i ? i + 1 : 0] = digits[count - 1 - i];
  text[sizeof text - 2] = (char)('0' + (count ? count - 1 : 0));
  if (value < 0) *out++ = '-';
  memcpy(out, text, sizeof text);
  return sizeof text - 1 + (value < 0);
}

size_t nr_float_text(char text[NR_FLOAT_TEXT], const NrFloatFormat *format, uint32_t width, uint64_t bits) {
  double value = decode(format, width, bits);
  if (value - value != 0) /* infinity or NaN */
    return (size_t)snprintf(text, NR_FLOAT_TEXT, "0x%0*llX", (int)((width > 64 ? 64 : width) + 3) / 4,
                            (unsigned long long)bits);
  size_t whole = small_whole(text, value);
  if (whole) return whole;
  int precision = width <= 32 ? 8 : 16, n = snprintf(text, NR_FLOAT_TEXT, "%.5e", value);
  if (encode(format, width, text) == bits) {
    char *e = strchr(text, 'e');
    memmove(e + 1, e, (size_t)(text + n - e));
    *e = '0';
    return (size_t)n + 1;
  }
  n = snprintf(text, NR_FLOAT_TEXT, "%.*e", precision, value);
  int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
  if (exponent >= -3 && exponent < precision) {
    n = snprintf(text, NR_FLOAT_TEXT, "%.*f", precision - exponent, value);
    while (text[n - 1] == '0' && text[n - 2] != '.') n--;
    return (size_t)n;
  }
  char *e = strchr(text, 'e'), *last = e;
  while (last[-1] == '0' && last[-2] != '.') last--;
  return (size_t)(last - text) + (size_t)snprintf(last, NR_FLOAT_TEXT - (size_t)(last - text), "E%+d", exponent);
}
