/* target.h - the machine that code is made for. Passes and code generation ask the same NrTarget, which is resolved
 * once: nr_target_host for this machine, nr_codegen_target (codegen.h) for another CPU or with other features. */
#ifndef NORIA_TARGET_TARGET_H
#define NORIA_TARGET_TARGET_H

#include "base/base.h"

typedef enum NrArch { NR_ARCH_OTHER, NR_ARCH_X86_64, NR_ARCH_AARCH64 } NrArch;

/* Units that not every CPU has, as bits. */
typedef enum NrUnit {
#define UNIT(id, name, x86, aarch64, doc) NR_UNIT_BIT_##id,
#include "target/target.def"
#undef UNIT
#define UNIT(id, name, x86, aarch64, doc) NR_UNIT_##id = 1 << NR_UNIT_BIT_##id,
#include "target/target.def"
#undef UNIT
} NrUnit;

enum { NR_CACHE_LEVELS = 3 };

typedef struct NrTarget {
  NrArch arch;
  const char *cpu;       /* LLVM's name, or "native" */
  const char *features;  /* beyond what every CPU of the architecture has: "avx,fma"; of those in base/cpu.def */
  uint32_t vector_bytes; /* of the widest vector register that is worth using */
  uint32_t unit_bytes;   /* of the widest vectors that an arithmetic unit works on in one step, at most vector_bytes */
  uint32_t registers;    /* vector registers */
  uint32_t fma_ports;    /* arithmetic ops on such vectors that start in a cycle, at least 1 */
  uint32_t units;        /* NrUnit */
  uint32_t cores;        /* that the process may use; of another machine those of this one */
  double ghz;
  int64_t cache_bytes[NR_CACHE_LEVELS];
  double bandwidth[NR_CACHE_LEVELS + 1]; /* bytes per ns that one core moves: of each cache, then of the memory */
  /* What it costs to hand work to other threads. The pool is written to keep below these (src/runtime/pool.c). */
  int64_t dispatch_ns; /* of the call that hands it out, without a thread to wake */
  int64_t wake_ns;     /* until a sleeping worker has begun */
} NrTarget;

NrArch nr_arch_host(void);
/* A CPU of that name with exactly these features, "avx,fma". The strings stay the caller's and must live as long. */
NrTarget nr_target_of(NrArch arch, const char *cpu, const char *features);
/* This machine, asked once. It needs no LLVM. */
const NrTarget *nr_target_host(void);
/* For people: a line for each thing known. */
void nr_target_print(NrBuf *out, const NrTarget *target);

#endif
