/* values.h - values on the command line: parsing inputs and printing outputs. */
#ifndef NORIA_TOOLS_VALUES_H
#define NORIA_TOOLS_VALUES_H

#include "ir/text.h"
#include "noria/runtime.h"

/* The input or output that a value is for. */
typedef struct Place {
  const NoriaValueInfo *info; /* element type, rank, dims as far as they are known */
  const char *type;           /* text of the IR type ("index", "memref<4xf32>"), NULL where only info is known */
  uint64_t seed;              /* of random elements */
} Place;

/* Makes a value of text, a tensor of
 *   @x.npy                 a file
 *   42   1.5   true        a scalar, in the place's element type; (1,2) a complex one
 *   [[1, 2], [3, 4]]       a tensor, the same; behind both `: type` may stand, which is checked
 *   dense<1.0> : tensor<4xf32>
 *   zeros:4x4xf32          also ones, random; the element type, or all behind the colon, may be left out where the
 *                          place says it. Dims of the place that are not known are 1 when nothing says more
 *   word   "a\n"           a string: as it stands, or in quotes with the escapes of text IR
 *   ["a", "b"]             strings in lists stand in quotes
 * of a sequence `[VALUE, VALUE]`, of a map `{KEY: VALUE, KEY: VALUE}`, and of an optional `none` or the value that it
 * holds. False after setting *error. */
bool value_parse(NrContext *ctx, const char *text, const Place *place, NoriaValue **out, NoriaError *error);

/* The place of the elements of a sequence or an optional, whose dims are unknown. */
Place value_item_place(NrContext *ctx, const Place *place, NoriaValueInfo *out_info);

/* "12 : i64" where the place's type is a scalar, else "dense<...> : tensor<...>"; sequences in brackets, maps in
 * braces. No newline. */
void value_print(NrContext *ctx, const NoriaValue *value, const Place *place, NrBuf *out);

/* Sets *error; returns false. */
bool value_error(NoriaError *error, const char *format, ...) NR_PRINTF(2, 3);

/* Compares an output of two runs: kinds, types, shapes, integers and strings exactly, floats within tolerance (relative
 * and absolute). When they differ, *out gets the difference. */
bool values_agree(NrContext *ctx, const NoriaValue *a, const NoriaValue *b, double tolerance, NrBuf *out);

#endif
