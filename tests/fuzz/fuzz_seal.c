/* fuzz_seal.c - any bytes as a library that is to be loaded: looked at, never loaded. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int fd = memfd_create("library", MFD_CLOEXEC);
  if (fd < 0 || !nr_fd_write(fd, data, size)) abort();
  NrBuf why = {0};
  NrSealState state = nr_seal_check(fd, &why);
  if ((state == NR_SEAL_BROKEN) != (why.size > 0)) abort(); /* a refusal says why, and nothing else does */
  nr_library_names(fd, "noria_module");
  why.size = 0;
  if (nr_seal_write(fd)) nr_seal_check(fd, &why);
  nr_buf_deinit(&why);
  close(fd);
  return 0;
}
