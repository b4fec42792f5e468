/* channel_reduce.c - reductions over the buffers of several ranks, for all element types.
 *
 * Works block by block: a block is reduced in a buffer that stays in the first cache, in the order of the sources, and
 * is then written to every output. So an output may be one of the sources. Loops have one operation and two operands,
 * so that the compiler makes vector code of them (CMakeLists.txt asks for -O3 here). */
#include "runtime/channel_internal.h"

#include <math.h>

#include "base/dtype.h"

/* Elements of a block. */
enum { BLOCK = 2048 };

/* Iterations do not depend on each other: outputs are sources or do not overlap them. The checks of sanitizers are
 * branches out of the loop, which then is no vector code; Clang warns where it was asked for. */
#if defined(__clang__)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define VECTOR_LOOP
#else
#define VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#endif
#else
#define VECTOR_LOOP _Pragma("GCC ivdep")
#endif

typedef enum Operation { SUM, PRODUCT, MINIMUM, MAXIMUM, NUM_OPERATIONS } Operation;

/* ---- scalar operations ------------------------------------------------------------------------------------------- */

/* NaN where an operand is NaN. Of two zeros, the minimum is -0 if one is: the bits of equal floats differ only there.
 */
#define FLOAT_EXTREMES(T, Bits, name)                                                                                  \
  NR_ALWAYS_INLINE T name##_of_equal(T a, T b, bool is_minimum) {                                                      \
    Bits x, y;                                                                                                         \
    memcpy(&x, &a, sizeof x);                                                                                          \
    memcpy(&y, &b, sizeof y);                                                                                          \
    x = is_minimum ? x | y : x & y;                                                                                    \
    memcpy(&a, &x, sizeof x);                                                                                          \
    return a;                                                                                                          \
  }                                                                                                                    \
  NR_ALWAYS_INLINE T name##_MINIMUM(T a, T b) {                                                                        \
    T equal = name##_of_equal(a, b, true), other = a != a ? a : b;                                                     \
    return a < b ? a : a == b ? equal : other;                                                                         \
  }                                                                                                                    \
  NR_ALWAYS_INLINE T name##_MAXIMUM(T a, T b) {                                                                        \
    T equal = name##_of_equal(a, b, false), other = a != a ? a : b;                                                    \
    return a > b ? a : a == b ? equal : other;                                                                         \
  }                                                                                                                    \
  NR_ALWAYS_INLINE T name##_SUM(T a, T b) { return a + b; }                                                            \
  NR_ALWAYS_INLINE T name##_PRODUCT(T a, T b) { return a * b; }
FLOAT_EXTREMES(float, uint32_t, f32)
FLOAT_EXTREMES(double, uint64_t, f64)

/* Sums and products wrap: unsigned arithmetic of at least 32 bits has no overflow that C leaves undefined. */
#define INTEGER(T, Wide, name)                                                                                         \
  NR_ALWAYS_INLINE T name##_SUM(T a, T b) { return (T)((Wide)a + (Wide)b); }                                           \
  NR_ALWAYS_INLINE T name##_PRODUCT(T a, T b) { return (T)((Wide)a * (Wide)b); }                                       \
  NR_ALWAYS_INLINE T name##_MINIMUM(T a, T b) { return a < b ? a : b; }                                                \
  NR_ALWAYS_INLINE T name##_MAXIMUM(T a, T b) { return a > b ? a : b; }
INTEGER(int8_t, uint32_t, i8)
INTEGER(uint8_t, uint32_t, u8)
INTEGER(int16_t, uint32_t, i16)
INTEGER(uint16_t, uint32_t, u16)
INTEGER(int32_t, uint32_t, i32)
INTEGER(uint32_t, uint32_t, u32)
INTEGER(int64_t, uint64_t, i64)
INTEGER(uint64_t, uint64_t, u64)

/* ---- passes over a block ----------------------------------------------------------------------------------------- */

/* out[i] = a[i] op b[i]; out may be a or b. */
typedef void (*PassFn)(void *out, const void *a, const void *b, size_t count);

#define PASS(T, name, OP)                                                                                              \
  static void pass_##name##_##OP(void *out, const void *a, const void *b, size_t count) {                              \
    T *to = out;                                                                                                       \
    const T *x = a, *y = b;                                                                                            \
    VECTOR_LOOP for (size_t i = 0; i < count; i++) to[i] = name##_##OP(x[i], y[i]);                                    \
  }
#define PASSES(T, name) PASS(T, name, SUM) PASS(T, name, PRODUCT) PASS(T, name, MINIMUM) PASS(T, name, MAXIMUM)
PASSES(float, f32)
PASSES(double, f64)
PASSES(int8_t, i8)
PASSES(uint8_t, u8)
PASSES(int16_t, i16)
PASSES(uint16_t, u16)
PASSES(int32_t, i32)
PASSES(uint32_t, u32)
PASSES(int64_t, i64)
PASSES(uint64_t, u64)

#define ROW(id, name)                                                                                                  \
  [NORIA_##id] = {pass_##name##_SUM, pass_##name##_PRODUCT, pass_##name##_MINIMUM, pass_##name##_MAXIMUM}
/* f16 and bf16 are reduced as f32. */
static const PassFn passes[NR_NUM_DTYPES][NUM_OPERATIONS] = {
    ROW(I8, i8),   ROW(U8, u8),   ROW(I16, i16), ROW(U16, u16), ROW(I32, i32), ROW(U32, u32),
    ROW(I64, i64), ROW(U64, u64), ROW(F32, f32), ROW(F64, f64), ROW(F16, f32), ROW(BF16, f32),
};

/* ---- halves ------------------------------------------------------------------------------------------------------ */

NR_ALWAYS_INLINE float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
NR_ALWAYS_INLINE uint32_t bits_of(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* Exact. Without branches, so that loops become vector code: the exponent is corrected by a product with 2^112, which
 * also makes subnormals right; infinities and NaN get all ones as exponent afterwards. */
NR_ALWAYS_INLINE float f16_to_f32(uint16_t h) {
  uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
  uint32_t bits = bits_of(float_of(magnitude) * 0x1p112f);
  uint32_t special = magnitude >= 0x7c00u << 13 ? 0x7f800000u : 0;
  return float_of(bits | special | sign);
}

/* To nearest, ties to even. Normal results are rounded by adding to the bits; the sum with 0.5 has subnormal results in
 * its last bits, rounded by the processor. */
NR_ALWAYS_INLINE uint16_t f32_to_f16(float f) {
  uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t small = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  uint32_t result = magnitude < 113u << 23 ? small : normal;
  result = magnitude >= 0x47800000 ? 0x7c00 : result; /* 2^16 and above; normal has rounded what is just below to it */
  result = magnitude > 0x7f800000 ? 0x7e00 : result;
  return (uint16_t)(result | sign);
}

NR_ALWAYS_INLINE float bf16_to_f32(uint16_t h) { return float_of((uint32_t)h << 16); }
NR_ALWAYS_INLINE uint16_t f32_to_bf16(float f) {
  uint32_t bits = bits_of(f), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : rounded);
}

static void widen(NoriaDType dtype, float *restrict to, const uint16_t *restrict from, size_t count) {
  if (dtype == NORIA_F16)
    for (size_t i = 0; i < count; i++) to[i] = f16_to_f32(from[i]);
  else
    for (size_t i = 0; i < count; i++) to[i] = bf16_to_f32(from[i]);
}

static void narrow(NoriaDType dtype, uint16_t *restrict to, const float *restrict from, size_t count) {
  if (dtype == NORIA_F16)
    for (size_t i = 0; i < count; i++) to[i] = f32_to_f16(from[i]);
  else
    for (size_t i = 0; i < count; i++) to[i] = f32_to_bf16(from[i]);
}

static bool is_half(NoriaDType dtype) { return dtype == NORIA_F16 || dtype == NORIA_BF16; }

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef union Block {
  _Alignas(64) float f32[BLOCK];
  double f64[BLOCK];
} Block;

static const char *at(const void *base, size_t offset) { return (const char *)base + offset; }

static void reduce_halves(NoriaDType dtype, PassFn pass, const void *const *sources, int32_t n, size_t offset,
                          size_t count, float divisor, uint16_t *out) {
  float sum[BLOCK], next[BLOCK];
  widen(dtype, sum, (const void *)at(sources[0], offset), count);
  for (int32_t r = 1; r < n; r++) {
    widen(dtype, next, (const void *)at(sources[r], offset), count);
    pass(sum, sum, next, count);
  }
  if (divisor != 1)
    for (size_t i = 0; i < count; i++) sum[i] /= divisor;
  narrow(dtype, out, sum, count);
}

static void reduce_same(PassFn pass, const void *const *sources, int32_t n, size_t offset, size_t size, size_t count,
                        void *out) {
  if (n == 1)
    memcpy(out, at(sources[0], offset), size);
  else
    pass(out, at(sources[0], offset), at(sources[1], offset), count);
  for (int32_t r = 2; r < n; r++) pass(out, out, at(sources[r], offset), count);
}

/* The exact sum of the integers fits: there are fewer than 2^32 ranks. */
#define AVERAGE(T, Sum)                                                                                                \
  for (size_t i = 0; i < count; i++) {                                                                                 \
    Sum sum = 0;                                                                                                       \
    for (int32_t r = 0; r < n; r++) sum += ((const T *)at(sources[r], offset))[i];                                     \
    ((T *)out)[i] = (T)(sum / n);                                                                                      \
  }                                                                                                                    \
  return

static void average_integers(NoriaDType dtype, const void *const *sources, int32_t n, size_t offset, size_t count,
                             void *out) {
  switch (dtype) {
    case NORIA_I8: AVERAGE(int8_t, int64_t);
    case NORIA_U8: AVERAGE(uint8_t, int64_t);
    case NORIA_I16: AVERAGE(int16_t, int64_t);
    case NORIA_U16: AVERAGE(uint16_t, int64_t);
    case NORIA_I32: AVERAGE(int32_t, int64_t);
    case NORIA_U32: AVERAGE(uint32_t, int64_t);
    case NORIA_I64: AVERAGE(int64_t, __int128);
    default: AVERAGE(uint64_t, __int128);
  }
}

static void reduce_block(NoriaDType dtype, NrReduction reduction, const void *const *sources, int32_t n, size_t offset,
                         size_t size, size_t count, void *out) {
  static const Operation operations[NR_NUM_REDUCTIONS] = {SUM, SUM, PRODUCT, MINIMUM, MAXIMUM, SUM};
  PassFn pass = passes[dtype][operations[reduction]];
  bool averages = reduction == NR_REDUCTION_AVERAGE;
  if (is_half(dtype)) {
    reduce_halves(dtype, pass, sources, n, offset, count, averages ? (float)n : 1, out);
  } else if (averages && nr_dtype_info(dtype)->class != NR_DTYPE_FLOAT) {
    average_integers(dtype, sources, n, offset, count, out);
  } else {
    reduce_same(pass, sources, n, offset, size, count, out);
    if (averages && dtype == NORIA_F32)
      for (size_t i = 0; i < count; i++) ((float *)out)[i] /= (float)n;
    if (averages && dtype == NORIA_F64)
      for (size_t i = 0; i < count; i++) ((double *)out)[i] /= n;
  }
}

bool nr_reduction_supports(NoriaDType dtype) { return (uint32_t)dtype < NR_NUM_DTYPES && passes[dtype][SUM]; }

void nr_reduce(NoriaDType dtype, NrReduction reduction, const void *const *sources, int32_t count, void *const *outs,
               int32_t num_outs, int64_t elements, bool streams) {
  Block block;
  size_t element = nr_dtype_info(dtype)->size;
  /* A source after the second would be read after the result of the first two was written. */
  bool is_direct = num_outs == 1 && !streams;
  for (int32_t r = 2; r < count; r++) is_direct = is_direct && sources[r] != outs[0];
  for (size_t i = 0; i < (size_t)elements; i += BLOCK) {
    size_t n = NR_MIN((size_t)elements - i, (size_t)BLOCK), offset = i * element;
    void *first = is_direct ? (char *)outs[0] + offset : (void *)&block;
    reduce_block(dtype, reduction, sources, count, offset, n * element, n, first);
    for (int32_t k = 0; !is_direct && k < num_outs; k++)
      nr_copy((char *)outs[k] + offset, &block, n * element, streams);
  }
}
