/* libraries.c - shared libraries with the functions that flow.call calls. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/seal.h"
#include "runtime/internal.h"

void *nr_library_open(const char *path, NoriaError *error) {
  /* dlopen searches the system's folders for a name without a slash, but a path means the file. */
  char *file = NULL;
  if (asprintf(&file, "%s%s", strchr(path, '/') ? "" : "./", path) < 0) {
    nr_error_set_memory(error, strlen(path));
    return NULL;
  }
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  free(file);
  if (!library) {
    const char *why = dlerror();
    nr_error_set(error, NORIA_ERROR_INVALID, "%s", why ? why : path);
  }
  return library;
}

/* Compares the file with its headers, because the loader ends the process where a library is cut off (SIGBUS). */
static NoriaStatus check_file(const char *path, NoriaError *error) {
  if (!path || !*path) return nr_error_set(error, NORIA_ERROR_INVALID, "the path of a library is empty");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return nr_error_set(error, NORIA_ERROR_NOT_FOUND, "library '%s' cannot be opened: %s", path, strerror(errno));
  NrBuf why = {0};
  NoriaStatus status = NORIA_OK;
  if (nr_seal_check(fd, &why) == NR_SEAL_BROKEN)
    status = nr_error_set(error, NORIA_ERROR_INVALID, "library '%s' %s", path, why.data ? why.data : "is damaged");
  nr_buf_deinit(&why);
  close(fd);
  return status;
}

NoriaStatus nr_libraries_open(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error) {
  size_t count = options ? options->num_libraries : 0;
  if (!count) return NORIA_OK;
  program->libraries = calloc(count, sizeof *program->libraries);
  if (!program->libraries) return nr_error_set_memory(error, count * sizeof *program->libraries);
  for (size_t i = 0; i < count; i++) {
    NoriaStatus status = check_file(options->libraries[i], error);
    if (status) return status;
    void *library = nr_library_open(options->libraries[i], error);
    if (!library) return NORIA_ERROR_INVALID;
    program->libraries[program->num_libraries++] = library;
  }
  return NORIA_OK;
}

void nr_libraries_close(NoriaProgram *program) {
  for (size_t i = program->num_libraries; i-- > 0;) dlclose(program->libraries[i]);
  free(program->libraries);
}

/* "liba.so, libb.so" */
static void list_libraries(const NoriaProgramOptions *options, NrBuf *out) {
  for (size_t i = 0; options && i < options->num_libraries; i++)
    nr_buf_printf(out, "%s'%s'", i ? ", " : "", options->libraries[i]);
}

/* Whether the symbol of a library is data: to call it would end the process. */
static bool is_data(void *symbol) {
  Dl_info info;
  const ElfW(Sym) *entry = NULL;
  if (!dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry || info.dli_saddr != symbol) return false;
  int type = entry->st_info & 0xf; /* ELF32_ST_TYPE and ELF64_ST_TYPE are this */
  return type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
}

NoriaStatus nr_libraries_find(const NoriaProgram *program, const NoriaProgramOptions *options, const char *name,
                              NoriaImportFn *out, NoriaError *error) {
  for (size_t i = 0; options && i < options->num_imports; i++) {
    if (strcmp(options->imports[i].name, name) != 0) continue;
    *out = options->imports[i].function;
    return NORIA_OK;
  }
  for (size_t i = 0; i < program->num_libraries; i++) {
    void *symbol = dlsym(program->libraries[i], name);
    if (!symbol) continue;
    if (is_data(symbol))
      return nr_error_set(error, NORIA_ERROR_INVALID, "the program calls '%s', which is data and no function in '%s'",
                          name, options->libraries[i]);
    memcpy(out, &symbol, sizeof *out); /* ISO C has no cast from an object pointer to a function pointer */
    return NORIA_OK;
  }
  NrBuf searched = {0};
  list_libraries(options, &searched);
  NoriaStatus status =
      searched.size ? nr_error_set(error, NORIA_ERROR_NOT_FOUND, "the program calls function '%s', which is not in %s",
                                   name, searched.data)
                    : nr_error_set(error, NORIA_ERROR_NOT_FOUND,
                                   "the program calls function '%s', but was given no library with it", name);
  nr_buf_deinit(&searched);
  return status;
}
