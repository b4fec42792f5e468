/* float_format.h - binary floating-point formats of at most 64 bits as data, and exact conversion from and to double.
 */
#ifndef NORIA_BASE_FLOAT_FORMAT_H
#define NORIA_BASE_FLOAT_FORMAT_H

#include "base/base.h"

typedef enum NrNanStyle {
  NR_NAN_IEEE,     /* exponent all ones: infinity (mantissa 0) or NaN */
  NR_NAN_ALL_ONES, /* only exponent and mantissa all ones are NaN; no infinity */
  NR_NAN_NEG_ZERO, /* only the pattern of -0 is NaN; no infinity, no -0 */
  NR_NAN_NONE,     /* no NaN, no infinity */
} NrNanStyle;

typedef struct NrFloatFormat {
  uint8_t exponent_bits, mantissa_bits;
  int16_t bias;
  NrNanStyle nan;
  bool unsigned_no_zero; /* f8E8M0FNU: no sign, no zero, no subnormals */
} NrFloatFormat;

extern const NrFloatFormat nr_format_f16, nr_format_bf16, nr_format_tf32, nr_format_f8e5m2, nr_format_f8e4m3,
    nr_format_f8e4m3fn, nr_format_f8e5m2fnuz, nr_format_f8e4m3fnuz, nr_format_f8e4m3b11fnuz, nr_format_f8e3m4,
    nr_format_f8e8m0fnu, nr_format_f4e2m1fn, nr_format_f6e2m3fn, nr_format_f6e3m2fn;

/* Rounds to nearest, ties to even. On overflow: infinity, or NaN in a format without infinity, or the largest value in
 * a format without both; with saturate always the largest value. */
uint64_t nr_float_encode(const NrFloatFormat *format, double value, bool saturate);
double nr_float_decode(const NrFloatFormat *format, uint64_t bits);

enum { NR_FLOAT_TEXT = 64 };
/* Writes a float of width bits as MLIR does: six digits if they are exact (1.500000e+00), else enough digits to
 * round-trip (3.14159274); infinity and NaN as their bits. format NULL: float where width is 32, else double. Returns
 * the size of the text. */
size_t nr_float_text(char out[NR_FLOAT_TEXT], const NrFloatFormat *format, uint32_t width, uint64_t bits);

#endif
