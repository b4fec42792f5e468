/* cpu.c - asks the CPU and the system for the features in cpu.def. */
#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <pthread.h>

const char *const nr_cpu_features[] = {
#define X86(name, leaf, subleaf, reg, bit, state) name,
#define X86_UNIT(name, leaf, subleaf, reg, bit, state)
#define ARM(name, word, bit) name,
#include "base/cpu.def"
#undef X86
#undef X86_UNIT
#undef ARM
    NULL};

const char *const nr_cpu_units[] = {
#define X86(name, leaf, subleaf, reg, bit, state)
#define X86_UNIT(name, leaf, subleaf, reg, bit, state) name,
#define ARM(name, word, bit)
#include "base/cpu.def"
#undef X86
#undef X86_UNIT
#undef ARM
    NULL};

#if defined(__x86_64__)

enum { EAX, EBX, ECX, EDX };
enum { AVX10_2 = 32 }; /* no bit, but a version of at least 2 in the low byte */
/* Bits of XCR0: the registers that the system saves when it switches between processes. */
enum { STATE_NONE = 0, STATE_AVX = 0x6, STATE_AVX512 = 0xe6, STATE_AMX = 0x60000, STATE_APX = 0x80000 };

static const struct Feature {
  unsigned leaf, subleaf, reg, bit, state;
} features[] = {
#define X86(name, leaf, subleaf, reg, bit, state) {leaf, subleaf, reg, bit, state},
#define X86_UNIT(name, leaf, subleaf, reg, bit, state)
#include "base/cpu.def"
#undef X86
#undef X86_UNIT
#define X86(name, leaf, subleaf, reg, bit, state)
#define X86_UNIT(name, leaf, subleaf, reg, bit, state) {leaf, subleaf, reg, bit, state},
#include "base/cpu.def"
};

/* Results of CPUID, cached: in a virtual machine each CPUID traps, which takes microseconds. */
static struct Leaf {
  unsigned leaf, subleaf, r[4];
} leaves[] = {{1, 0}, {7, 0}, {7, 1}, {0x24, 0}, {0x80000001, 0}};
static unsigned saved_state;

static void read_leaves(void) {
  for (size_t i = 0; i < NR_COUNTOF(leaves); i++) {
    struct Leaf *l = &leaves[i];
    if (l->leaf == 7 && l->subleaf && leaves[1].r[EAX] < l->subleaf) continue; /* EAX of subleaf 0 is the highest one */
    if (!__get_cpuid_count(l->leaf, l->subleaf, &l->r[EAX], &l->r[EBX], &l->r[ECX], &l->r[EDX]))
      memset(l->r, 0, sizeof l->r);
  }
  unsigned high;
  if (leaves[0].r[ECX] >> 27 & 1) /* XGETBV is there */
    __asm__ volatile("xgetbv" : "=a"(saved_state), "=d"(high) : "c"(0));
}

static bool has(size_t i) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_leaves);
  const struct Feature *f = &features[i];
  if ((saved_state & f->state) != f->state) return false;
  const struct Leaf *l = leaves;
  while (l->leaf != f->leaf || l->subleaf != f->subleaf) l++;
  return f->bit == AVX10_2 ? (l->r[f->reg] & 0xff) >= 2 : (l->r[f->reg] >> f->bit & 1) != 0;
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

static size_t find(const char *const *names, NrStr name) {
  size_t i = 0;
  while (names[i] && !nr_str_is(name, names[i])) i++;
  return i;
}

bool nr_cpu_has(NrStr name) {
  size_t i = find(nr_cpu_features, name);
  if (!nr_cpu_features[i]) {
    size_t unit = find(nr_cpu_units, name);
    if (!nr_cpu_units[unit]) return false;
    i += unit; /* the rows of units are behind the others */
  }
  return has(i);
}

NrStr nr_cpu_missing(const char *list) {
  for (const char *at = list; *at;) {
    NrStr name = {at, strcspn(at, ",")};
    if (!nr_cpu_features[find(nr_cpu_features, name)] || !nr_cpu_has(name)) return name;
    at += name.size + (at[name.size] == ',');
  }
  return (NrStr){0};
}
