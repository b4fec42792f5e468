/* target.c - a target from the features of its CPU, and the host's. */
#include "target/target.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/guard.h"

typedef struct CpuRow {
  const char *name;
  uint32_t ports, vector_bytes;
  double ghz;
  int64_t cache_kib[NR_CACHE_LEVELS];
} CpuRow;

#define ROW(name, ports, vector, ghz, l1, l2, l3) {name, ports, vector, ghz, {l1, l2, l3}},
static const CpuRow x86_cpus[] = {
#define X86_CPU ROW
#include "target/target.def"
#undef X86_CPU
};
static const CpuRow arm_cpus[] = {
#define ARM_CPU ROW
#include "target/target.def"
#undef ARM_CPU
};

typedef struct UnitRow {
  const char *name, *features[3]; /* by NrArch */
  uint32_t unit;
  const char *doc;
} UnitRow;

static const UnitRow units[] = {
#define UNIT(id, name, x86, aarch64, doc) {name, {NULL, x86, aarch64}, NR_UNIT_##id, doc},
#include "target/target.def"
#undef UNIT
};

NrArch nr_arch_host(void) {
#if defined(__x86_64__)
  return NR_ARCH_X86_64;
#elif defined(__aarch64__)
  return NR_ARCH_AARCH64;
#else
  return NR_ARCH_OTHER;
#endif
}

/* Whether name is one of the names in a list that `between` parts. */
static bool lists(const char *list, char between, NrStr name) {
  for (const char *at = list; *at;) {
    size_t size = strcspn(at, (char[]){between, 0});
    if (nr_str_eq(name, (NrStr){at, size})) return true;
    at += size + (at[size] != 0);
  }
  return false;
}

static bool has(const char *features, const char *name) { return lists(features, ',', nr_str(name)); }

/* any: "fma|avx512f". */
static bool has_any(const char *features, const char *any) {
  if (!any || !*any) return any != NULL;
  for (const char *at = features; *at;) {
    size_t size = strcspn(at, ",");
    if (lists(any, '|', (NrStr){at, size})) return true;
    at += size + (at[size] != 0);
  }
  return false;
}

static const CpuRow *find_row(NrArch arch, const char *cpu, uint32_t vector_bytes) {
  const CpuRow *rows = arch == NR_ARCH_AARCH64 ? arm_cpus : x86_cpus;
  size_t count = arch == NR_ARCH_AARCH64 ? NR_COUNTOF(arm_cpus) : NR_COUNTOF(x86_cpus);
  for (size_t i = 0; i < count; i++)
    if (cpu && strcmp(rows[i].name, cpu) == 0) return &rows[i];
  /* The last rows are the levels of the architecture, the highest one first. */
  for (size_t i = count - (arch == NR_ARCH_X86_64 ? 3 : 1); i < count; i++)
    if (rows[i].vector_bytes <= vector_bytes) return &rows[i];
  return &rows[count - 1];
}

static void set_vectors(NrTarget *t) {
  t->vector_bytes = 16;
  t->registers = 16;
  if (t->arch == NR_ARCH_AARCH64) t->registers = 32;
  if (t->arch != NR_ARCH_X86_64) return;
  bool wide = has(t->features, "avx512f") && has(t->features, "avx512vl");
  if (wide) t->registers = 32;
  t->vector_bytes = wide ? 64 : has(t->features, "avx2") ? 32 : 16;
}

/* A core reads as many vectors in a cycle from its first cache as it works on, and a line of 64 bytes in about two
 * cycles from the second one; a third of that comes from the last one and a sixth from memory. */
static void set_bandwidth(NrTarget *t) {
  t->bandwidth[0] = t->fma_ports * t->vector_bytes * t->ghz;
  t->bandwidth[1] = NR_MIN(t->bandwidth[0], 64.0 / 2 * t->ghz);
  t->bandwidth[2] = t->bandwidth[1] / 3;
  t->bandwidth[3] = t->bandwidth[1] / 6;
}

/* The host has no name here. Of AMD's CPUs with AVX-512 only Zen 4 lacks AVX-VNNI. */
static bool is_zen4(const char *cpu, const char *features) {
  bool named = cpu && strcmp(cpu, "native") != 0;
  return !named && has(features, "sse4a") && has(features, "avx512f") && !has(features, "avxvnni");
}

NrTarget nr_target_of(NrArch arch, const char *cpu, const char *features) {
  NrTarget t = {.arch = arch, .cpu = cpu, .features = features, .cores = (uint32_t)nr_machine_cpus()};
  set_vectors(&t);
  const CpuRow *row = find_row(arch, cpu, t.vector_bytes);
  bool narrow = row->vector_bytes < t.vector_bytes || is_zen4(cpu, features);
  t.unit_bytes = narrow ? NR_MIN(row->vector_bytes, 32) : t.vector_bytes;
  /* A CPU whose units are narrower than its registers runs an op in several steps. */
  t.fma_ports = NR_MAX(row->ports * NR_MIN(row->vector_bytes, t.vector_bytes) / t.vector_bytes, 1);
  t.ghz = row->ghz;
  for (size_t i = 0; i < NR_CACHE_LEVELS; i++) t.cache_bytes[i] = row->cache_kib[i] << 10;
  for (size_t i = 0; i < NR_COUNTOF(units); i++)
    if (has_any(features, units[i].features[arch])) t.units |= units[i].unit;
  if (t.vector_bytes < 64) t.units &= ~(uint32_t)NR_UNIT_EXPAND; /* of vectors of 16 and 32 bytes it takes AVX-512VL */
  set_bandwidth(&t);
  t.dispatch_ns = 1000;
  t.wake_ns = 5000;
  return t;
}

/* ---- this machine ------------------------------------------------------------------------------------------------ */

static NrTarget host;
static char host_features[1024];

static void add_features(size_t *io_size, const char *const *names) {
  for (size_t i = 0; names[i]; i++) {
    size_t size = strlen(names[i]);
    if (!nr_cpu_has(nr_str(names[i])) || *io_size + size + 2 > sizeof host_features) continue;
    if (*io_size) host_features[(*io_size)++] = ',';
    memcpy(host_features + *io_size, names[i], size + 1);
    *io_size += size;
  }
}

static void find_host(void) {
  static const int levels[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  size_t size = 0;
  add_features(&size, nr_cpu_features);
  add_features(&size, nr_cpu_units);
  host = nr_target_of(nr_arch_host(), "native", host_features);
  for (size_t i = 0; i < NR_CACHE_LEVELS; i++) {
    long bytes = sysconf(levels[i]); /* the C library asked when the process began; 0: it does not know */
    if (bytes > 0) host.cache_bytes[i] = bytes;
  }
}

const NrTarget *nr_target_host(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_host);
  return &host;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void put_size(NrBuf *out, int64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) nr_buf_printf(out, " %lld MiB", (long long)bytes >> 20);
  else nr_buf_printf(out, " %lld KiB", (long long)bytes >> 10);
}

/* A list "avx,avx2" broken into lines. */
static void put_features(NrBuf *out, const char *list) {
  size_t column = 0;
  for (const char *at = list; *at;) {
    size_t size = strcspn(at, ",");
    if (column && column + size > 78) column = 0, nr_buf_puts(out, "\n                 ");
    nr_buf_printf(out, " %.*s", (int)size, at);
    column += size + 1;
    at += size + (at[size] == ',');
  }
  nr_buf_puts(out, *list ? "\n" : " none beyond those of its architecture\n");
}

void nr_target_print(NrBuf *out, const NrTarget *t) {
  static const char *const arches[] = {"unknown", "x86-64", "AArch64"};
  nr_buf_printf(out, "CPU               %s (%s)\n", t->cpu, arches[t->arch]);
  nr_buf_printf(out, "vectors           %u registers of %u bytes\n", t->registers, t->vector_bytes);
  nr_buf_printf(out, "arithmetic        %u vector ops a cycle at %.1f GHz\n", t->fma_ports, t->ghz);
  nr_buf_puts(out, "units            ");
  if (!t->units) nr_buf_puts(out, " none");
  for (size_t i = 0; i < NR_COUNTOF(units); i++)
    if (t->units & units[i].unit) nr_buf_printf(out, " %s", units[i].name);
  nr_buf_puts(out, "\ncaches           ");
  for (size_t i = 0; i < NR_CACHE_LEVELS; i++) put_size(out, t->cache_bytes[i]);
  nr_buf_printf(out, "\nbandwidth         %.0f %.0f %.0f %.0f bytes/ns (caches, memory)\n", t->bandwidth[0],
                t->bandwidth[1], t->bandwidth[2], t->bandwidth[3]);
  nr_buf_printf(out, "cores             %u\n", t->cores);
  nr_buf_printf(out, "a dispatch        %lld ns, and %lld ns to wake a worker\n", (long long)t->dispatch_ns,
                (long long)t->wake_ns);
  nr_buf_puts(out, "features         ");
  put_features(out, t->features);
}
