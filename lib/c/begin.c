/* How floats are computed: as written, in their own precision. */
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off", "no-math-errno", "no-trapping-math")
#ifdef __x86_64__ /* else GCC loads a vector again for each product that it is in */
#pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
#if defined(__i386__) && !defined(__SSE2_MATH__)
#pragma GCC target("sse2,fpmath=sse")
#endif
#endif

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
/* Bytes of a vector register. Vectors up to that size are those of the compiler, others arrays of lanes. */
#if defined(__AVX512F__)
#define NORIA_GNU 64
#elif defined(__AVX__)
#define NORIA_GNU 32
#else
#define NORIA_GNU 16
#endif
#define NORIA_ALIAS __attribute__((may_alias))
#define NORIA_UNUSED __attribute__((unused))
#define NORIA_COLD __attribute__((cold, noinline, unused))
#define NORIA_NEW __attribute__((malloc, unused))
#define NORIA_EXPORT __attribute__((visibility("default")))
#ifdef __clang__
#define NORIA_RECURSIVE __attribute__((disable_tail_calls))
#else
#define NORIA_RECURSIVE __attribute__((optimize("no-optimize-sibling-calls")))
#endif
#define NORIA_PREFETCH(p, write, locality) __builtin_prefetch(p, write, locality)
#if defined(__clang__) || __GNUC__ >= 12
#define NORIA_SHUFFLE 1
#endif
#if defined(__clang__) || __GNUC__ >= 9
#define NORIA_CONVERT 1
#endif
#else /* then the file needs a compiler that does not tell memory apart by its types */
#define NORIA_ALIAS
#define NORIA_UNUSED
#define NORIA_COLD
#define NORIA_NEW
#define NORIA_EXPORT
#define NORIA_RECURSIVE
#define NORIA_PREFETCH(p, write, locality) ((void)(p))
#define NORIA_GNU 0
#endif

#if NORIA_GNU >= 16
#define AT16(vector, i) ((vector)[i])
#define LANES16(...) {__VA_ARGS__}
#else
#define AT16(vector, i) ((vector).lane[i])
#define LANES16(...) {{__VA_ARGS__}}
#endif

#if NORIA_GNU >= 32
#define AT32(vector, i) ((vector)[i])
#define LANES32(...) {__VA_ARGS__}
#else
#define AT32(vector, i) ((vector).lane[i])
#define LANES32(...) {{__VA_ARGS__}}
#endif

#if NORIA_GNU >= 64
#define AT64(vector, i) ((vector)[i])
#define LANES64(...) {__VA_ARGS__}
#else
#define AT64(vector, i) ((vector).lane[i])
#define LANES64(...) {{__VA_ARGS__}}
#endif

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NORIA_LITTLE_ENDIAN 1
#endif
#define NORIA_ALIGNED(n) _Alignas(n)

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16 NORIA_ALIAS;
typedef uint16_t u16 NORIA_ALIAS;
typedef int32_t i32 NORIA_ALIAS;
typedef uint32_t u32 NORIA_ALIAS;
typedef int64_t i64 NORIA_ALIAS;
typedef uint64_t u64 NORIA_ALIAS;
typedef float f32 NORIA_ALIAS;
typedef double f64 NORIA_ALIAS;
