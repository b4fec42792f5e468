/* cpu.c - asks the CPU and the system for the features in cpu.def. */
#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

const char *const nr_cpu_features[] = {
#define X86(name, leaf, subleaf, reg, bit, state) name,
#define ARM(name, word, bit) name,
#include "base/cpu.def"
#undef X86
#undef ARM
    NULL};

#if defined(__x86_64__)

enum { EAX, EBX, ECX, EDX };
enum { AVX10_2 = 32 }; /* no bit, but a version of at least 2 in the low byte */
/* Bits of XCR0: the registers that the system saves when it switches between processes. */
enum { STATE_NONE = 0, STATE_AVX = 0x6, STATE_AVX512 = 0xe6, STATE_APX = 0x80000 };

static const struct Feature {
  unsigned leaf, subleaf, reg, bit, state;
} features[] = {
#define X86(name, leaf, subleaf, reg, bit, state) {leaf, subleaf, reg, bit, state},
#include "base/cpu.def"
};

static unsigned saved_state(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 0; /* no XGETBV */
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return a;
}

static bool has(size_t i) {
  const struct Feature *f = &features[i];
  unsigned r[4], highest;
  if ((saved_state() & f->state) != f->state) return false;
  if (!__get_cpuid_count(f->leaf, f->subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) return false;
  if (f->leaf == 7 && f->subleaf) { /* EAX of subleaf 0 is the highest one */
    unsigned rest[3];
    if (!__get_cpuid_count(7, 0, &highest, &rest[0], &rest[1], &rest[2]) || f->subleaf > highest) return false;
  }
  return f->bit == AVX10_2 ? (r[f->reg] & 0xff) >= 2 : (r[f->reg] >> f->bit & 1) != 0;
}

#elif defined(__aarch64__)

static const struct Feature {
  int word, bit;
} features[] = {
#define ARM(name, word, bit) {word, bit},
#include "base/cpu.def"
};

static bool has(size_t i) {
  return getauxval(features[i].word == 1 ? AT_HWCAP : AT_HWCAP2) >> features[i].bit & 1;
}

#else

static bool has(size_t i) { return false; }

#endif

NrStr nr_cpu_missing(const char *list) {
  for (const char *at = list; *at;) {
    NrStr name = {at, strcspn(at, ",")};
    size_t i = 0;
    while (nr_cpu_features[i] && !nr_str_is(name, nr_cpu_features[i])) i++;
    if (!nr_cpu_features[i] || !has(i)) return name;
    at += name.size + (at[name.size] == ',');
  }
  return (NrStr){0};
}
