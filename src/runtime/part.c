/* part.c - loads the libraries of ours that not every process needs. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/error.h"
#include "runtime/part.h"

/* Open MPI loads parts of itself, which must see its names: hence RTLD_GLOBAL. */
NoriaStatus nr_part_load(const char *what, const char *library, const char *symbol, int32_t version,
                         const void **out_table, NoriaError *error) {
  Dl_info self;
  char path[4096];
  bool known = dladdr((const void *)&nr_part_load, &self) && self.dli_fname;
  const char *slash = known ? strrchr(self.dli_fname, '/') : NULL;
  int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, slash ? self.dli_fname : "", library);
  void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  const int32_t *table = handle ? dlsym(handle, symbol) : NULL;
  *out_table = table;
  if (table && *table == version) return NORIA_OK;
  const char *why = table ? "it is of another version of Noria" : dlerror();
  return nr_error_set(error, NORIA_ERROR_UNSUPPORTED, "%s cannot be used: %s", what, why ? why : library);
}
