/* cpus.c - the names of CPUs that LLVM 22 knows. Its C interface cannot list them, and a wrong name ends the process
 * deep in code generation, so names are checked here first. */
#include "codegen/llvm/ll.h"

#if defined(__x86_64__)
static const char names[] =
    " alderlake amdfam10 arrowlake arrowlake-s athlon-fx athlon64 athlon64-sse3 atom barcelona bdver1 bdver2 bdver3 "
    "bdver4 bonnell broadwell btver1 btver2 cannonlake cascadelake clearwaterforest cooperlake core-avx-i core-avx2 "
    "core2 corei7 corei7-avx diamondrapids emeraldrapids generic goldmont goldmont-plus gracemont grandridge "
    "graniterapids graniterapids-d haswell icelake-client icelake-server ivybridge k8 k8-sse3 knl knm lunarlake "
    "meteorlake nehalem nocona novalake opteron opteron-sse3 pantherlake penryn raptorlake rocketlake sandybridge "
    "sapphirerapids sierraforest silvermont skx skylake skylake-avx512 slm tigerlake tremont westmere wildcatlake "
    "x86-64 x86-64-v2 x86-64-v3 x86-64-v4 znver1 znver2 znver3 znver4 znver5 ";
#elif defined(__aarch64__)
static const char names[] =
    " a64fx ampere1 ampere1a ampere1b ampere1c apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 apple-a15 "
    "apple-a16 apple-a17 apple-a18 apple-a19 apple-a7 apple-a8 apple-a9 apple-m1 apple-m2 apple-m3 apple-m4 "
    "apple-m5 apple-s10 apple-s4 apple-s5 apple-s6 apple-s7 apple-s8 apple-s9 c1-nano c1-premium c1-pro c1-ultra "
    "carmel cobalt-100 cortex-a320 cortex-a34 cortex-a35 cortex-a510 cortex-a520 cortex-a520ae cortex-a53 "
    "cortex-a55 cortex-a57 cortex-a65 cortex-a65ae cortex-a710 cortex-a715 cortex-a72 cortex-a720 cortex-a720ae "
    "cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78 cortex-a78ae cortex-a78c "
    "cortex-r82 cortex-r82ae cortex-x1 cortex-x1c cortex-x2 cortex-x3 cortex-x4 cortex-x925 cyclone exynos-m3 "
    "exynos-m4 exynos-m5 falkor fujitsu-monaka gb10 generic grace kryo neoverse-512tvb neoverse-e1 neoverse-n1 "
    "neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 neoverse-v3ae olympus oryon-1 saphira thunderx "
    "thunderx2t99 thunderx3t110 thunderxt81 thunderxt83 thunderxt88 tsv110 ";
#else
static const char names[] = "generic ";
#endif

NrStatus nr_ll_check_cpu(NrContext *ctx, const char *cpu) {
  NrStr wanted = nr_str(cpu);
  NrNearest nearest = nr_nearest(wanted);
  for (const char *at = names; *at;) {
    NrStr name = {at, strcspn(at, " ")};
    if (nr_str_eq(name, wanted)) return NR_OK;
    nr_nearest_try(&nearest, name);
    at += name.size + strspn(at + name.size, " ");
  }
  return nr_error(ctx, nr_loc_unknown(ctx), "unknown CPU '%s'" NR_HINT, cpu, NR_HINT_ARG(nearest));
}
