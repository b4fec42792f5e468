/* imports_random.c - what random numbers begin with. Signatures: base/imports.def. */
#include <sys/random.h>
#include <time.h>

#include "runtime/imports.h"

int32_t nr_import_random_seed(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  uint64_t bits;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits) { /* early in the boot of the machine */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    bits = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec;
  }
  nr_result_scalar(&results[0], bits);
  return 0;
}
