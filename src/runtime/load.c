/* load.c - compiled programs from shared libraries, which are looked at before the system's loader opens them. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/seal.h"
#include "runtime/internal.h"

static const char symbol[] = "noria_module";

static NoriaStatus no_symbol(const char *path, NoriaError *error) {
  return nr_error_set(error, NORIA_ERROR_INVALID, "'%s' is not a compiled program: it has no symbol %s", path, symbol);
}

/* The loader maps a file and believes it: one that is cut off ends the process (SIGBUS), and to load a library runs its
 * code. So what can be known before is checked here. */
static NoriaStatus check_file(const char *path, NoriaError *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nr_error_set(error, NORIA_ERROR_NOT_FOUND, "'%s' cannot be opened: %s", path, strerror(errno));
  NrBuf why = {0};
  NrSealState state = nr_seal_check(fd, &why);
  NoriaStatus status = NORIA_OK;
  if (state == NR_SEAL_BROKEN)
    status = nr_error_set(error, NORIA_ERROR_INVALID, "'%s' %s", path, why.data ? why.data : "is damaged");
  else if (state == NR_SEAL_NONE && nr_library_names(fd, "noria_seal"))
    status = nr_error_set(error, NORIA_ERROR_INVALID, "'%s' is damaged: its checksum is gone", path);
  else if (state == NR_SEAL_NONE && !nr_library_names(fd, symbol))
    status = no_symbol(path, error);
  nr_buf_deinit(&why);
  close(fd);
  return status;
}

NoriaStatus noria_program_load(const char *path, const NoriaProgramOptions *options, NoriaProgram **out_program,
                               NoriaError *error) {
  *out_program = NULL;
  if (!path || !*path) return nr_error_set(error, NORIA_ERROR_INVALID, "the path is empty");
  NoriaStatus status = check_file(path, error);
  if (status) return status;
  void *library = nr_library_open(path, error);
  if (!library) return NORIA_ERROR_INVALID;
  NoriaError why = NORIA_ERROR_INIT;
  const NoriaModule *module = dlsym(library, symbol);
  status = module ? noria_program_create(module, options, out_program, &why) : no_symbol(path, error);
  if (status) dlclose(library);
  else (*out_program)->library = library;
  if (status && module) nr_error_set(error, status, "'%s': %s", path, why.message ? why.message : "");
  noria_error_clear(&why);
  return status;
}
