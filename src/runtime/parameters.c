/* parameters.c - the parameters of a program (#flow.parameter.named): from memory of the caller, or from safetensors
 * files, which are mapped, so that nothing is read that is not used. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "runtime/internal.h"
#include "runtime/safetensors.h"

struct NrParameterFile {
  NrStr scope;
  const char *path; /* the caller's, while the program is created */
  const char *data; /* mapped; NULL: nothing */
  size_t size;
  NrSafetensors contents;
  struct NrParameterFile *next; /* they are searched in the order in which they were given */
};

/* ---- files ------------------------------------------------------------------------------------------------------ */

static NoriaStatus map_file(NrParameterFile *file, NoriaError *error) {
  struct stat about;
  /* Without O_NONBLOCK, opening a named pipe would wait for its writer. */
  int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  NoriaStatus status = NORIA_OK;
  if (fd < 0 || fstat(fd, &about) != 0)
    status = nr_error_set(error, NORIA_ERROR_NOT_FOUND, "parameter file '%s' cannot be opened: %s", file->path,
                          strerror(errno));
  else if (!S_ISREG(about.st_mode))
    status = nr_error_set(error, NORIA_ERROR_INVALID, "parameter file '%s' is no file", file->path);
  else if (about.st_size > 0) {
    void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      status = nr_error_set(error, NORIA_ERROR_IO, "parameter file '%s' cannot be mapped: %s", file->path,
                            strerror(errno));
    else {
      file->data = data;
      file->size = (size_t)about.st_size;
    }
  }
  if (fd >= 0) close(fd);
  return status;
}

/* Splits "scope=path"; a "=" behind a slash belongs to the path. */
static void split(const char *text, NrStr *out_scope, const char **out_path) {
  size_t n = strcspn(text, "=/");
  *out_scope = text[n] == '=' ? (NrStr){text, n} : NR_STR("");
  *out_path = text[n] == '=' ? text + n + 1 : text;
}

NoriaStatus nr_parameters_open(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error) {
  NrParameterFile **link = &program->parameter_files;
  for (size_t i = 0; options && i < options->num_parameter_files; i++) {
    const char *text = options->parameter_files[i];
    if (!text || !*text) return nr_error_set(error, NORIA_ERROR_INVALID, "the path of a parameter file is empty");
    NrParameterFile *file = calloc(1, sizeof *file);
    if (!file) return nr_error_set_memory(error, sizeof *file);
    *link = file;
    link = &file->next;
    split(text, &file->scope, &file->path);
    NoriaStatus status = map_file(file, error);
    if (!status) status = nr_safetensors_read(file->data, file->size, file->path, &file->contents, error);
    if (status) return status;
  }
  return NORIA_OK;
}

void nr_parameters_close(NoriaProgram *program) {
  for (NrParameterFile *file = program->parameter_files, *next; file; file = next) {
    next = file->next;
    nr_safetensors_deinit(&file->contents);
    if (file->data) munmap((void *)file->data, file->size);
    free(file);
  }
  for (size_t i = 0; i < program->num_parameter_copies; i++) free(program->parameter_copies[i]);
  free(program->parameter_copies);
}

/* ---- one parameter ---------------------------------------------------------------------------------------------- */

/* A parameter as its source says it. */
typedef struct Found {
  const char *source; /* the path; NULL: memory of the caller */
  NoriaDType dtype;
  NrStr type;
  int64_t rank;
  const int64_t *dims;
  const void *data;
} Found;

static bool find(const NoriaProgram *program, const NoriaProgramOptions *options, const NoriaParameterInfo *info,
                 Found *out) {
  for (size_t i = 0; options && i < options->num_parameters; i++) {
    const NoriaParameter *p = &options->parameters[i];
    if (strcmp(p->scope ? p->scope : "", info->scope) != 0 || strcmp(p->key, info->key) != 0) continue;
    *out = (Found){NULL, p->dtype, nr_str(noria_dtype_name(p->dtype)), p->rank, p->dims, p->data};
    return true;
  }
  for (const NrParameterFile *file = program->parameter_files; file; file = file->next) {
    const NrSafetensor *t =
        nr_str_is(file->scope, info->scope) ? nr_safetensors_find(&file->contents, nr_str(info->key)) : NULL;
    if (!t) continue;
    *out = (Found){file->path, t->dtype, t->type, (int64_t)t->rank, t->dims, file->data + t->begin};
    return true;
  }
  return false;
}

/* Signless integers of a program take those of either sign. */
static bool same_type(NoriaDType have, const NoriaParameterInfo *want) {
  const NrDTypeInfo *a = nr_dtype_info(have), *b = nr_dtype_info(want->dtype);
  if (have == (NoriaDType)want->dtype) return have != NORIA_UNDEFINED;
  return b->class == NR_DTYPE_SIGNED && a->class == NR_DTYPE_UNSIGNED && a->bits == b->bits;
}

static void put_shape(NrBuf *out, int64_t rank, const int64_t *dims, NrStr type) {
  for (int64_t i = 0; i < rank; i++) nr_buf_printf(out, "%lldx", (long long)dims[i]);
  nr_buf_str(out, type);
}

/* "parameter 'key' of 'file'", with the scope where there is one. */
static void put_name(NrBuf *out, const NoriaParameterInfo *info, const char *source) {
  nr_buf_puts(out, "parameter '");
  if (*info->scope) nr_buf_printf(out, "%s::", info->scope);
  nr_buf_printf(out, "%s'", info->key);
  if (source) nr_buf_printf(out, " of '%s'", source);
}

static NoriaStatus check(const NoriaParameterInfo *info, const Found *found, NoriaError *error) {
  bool same = same_type(found->dtype, info) && found->rank == info->rank;
  for (int32_t i = 0; same && i < info->rank; i++) same = found->dims[i] == info->dims[i];
  if (same) return NORIA_OK;
  NrBuf text = {0};
  put_name(&text, info, found->source);
  nr_buf_puts(&text, " is ");
  put_shape(&text, found->rank, found->dims, found->type);
  nr_buf_puts(&text, ", but the program takes ");
  put_shape(&text, info->rank, info->dims, nr_str(noria_dtype_name((NoriaDType)info->dtype)));
  NoriaStatus status = nr_error_set(error, NORIA_ERROR_INVALID, "%s", text.data);
  nr_buf_deinit(&text);
  return status;
}

/* The data itself, or a copy where it is not aligned to its elements. NULL without memory. */
static const void *aligned(NoriaProgram *program, const NoriaParameterInfo *info, const void *data) {
  enum { ALIGNMENT = 64 };
  size_t size = (size_t)program->module->constants[info->constant].size;
  if ((uintptr_t)data % nr_dtype_alignment((NoriaDType)info->dtype) == 0) return data;
  size_t count = program->num_parameter_copies + 1;
  void **copies = realloc(program->parameter_copies, count * sizeof *copies);
  if (!copies) return NULL;
  program->parameter_copies = copies;
  void *copy = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (!copy) return NULL;
  copies[program->num_parameter_copies++] = copy;
  return memcpy(copy, data, size);
}

static NoriaStatus not_found(const NoriaProgram *program, const NoriaParameterInfo *info, NoriaError *error) {
  NrBuf text = {0};
  put_name(&text, info, NULL);
  nr_buf_puts(&text, " is in none of the parameter files");
  bool any = false;
  for (const NrParameterFile *file = program->parameter_files; file; file = file->next) {
    if (!nr_str_is(file->scope, info->scope)) continue;
    nr_buf_printf(&text, "%s'%s'", any ? ", " : ": ", file->path);
    any = true;
  }
  if (!any && *info->scope) nr_buf_printf(&text, ": none was given with the scope '%s'", info->scope);
  else if (!any) nr_buf_puts(&text, ": none was given without a scope");
  NoriaStatus status = nr_error_set(error, NORIA_ERROR_NOT_FOUND, "%s", text.data);
  nr_buf_deinit(&text);
  return status;
}

NoriaStatus nr_parameters_resolve(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error) {
  const NoriaModule *module = program->module;
  for (int64_t i = 0; i < module->num_parameters; i++) {
    const NoriaParameterInfo *info = &module->parameters[i];
    Found found;
    if (info->constant < 0 || info->constant >= module->num_constants || !info->scope || !info->key)
      return nr_error_set(error, NORIA_ERROR_INVALID, "parameter %lld of the module is malformed", (long long)i);
    if (!find(program, options, info, &found)) return not_found(program, info, error);
    NoriaStatus status = check(info, &found, error);
    if (status) return status;
    const void *data = aligned(program, info, found.data);
    if (!data && module->constants[info->constant].size > 0)
      return nr_error_set_memory(error, (size_t)module->constants[info->constant].size);
    program->constants[info->constant] = data;
  }
  return NORIA_OK;
}
