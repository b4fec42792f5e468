/* kernels.c - noria_kernel_run: a kernel is a program, compiled at its first run and kept. */
#include <pthread.h>
#include <stdio.h>

#include "base/base.h"
#include "noria/kernels.h"
#include "noria/noria.h"
#include "runtime/error.h"

/* The kernels that were compiled, never freed. There are fewer names of kernels than places. */
enum { MAX_KERNELS = 1024, MAX_NAME = 64 };
typedef struct Kernel {
  char name[MAX_NAME];
  NoriaProgram *program;
} Kernel;
static Kernel kernels[MAX_KERNELS];
static size_t num_kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NoriaProgram *find(const char *name) {
  for (size_t i = 0; i < num_kernels; i++)
    if (!strcmp(kernels[i].name, name)) return kernels[i].program;
  return NULL;
}

static NoriaStatus compile(const char *name, NoriaProgram **out, NoriaError *error) {
  NoriaCompileOptions options = {.format = "kernel"};
  return noria_compile_memory(name, strlen(name), NULL, &options, out, error);
}

/* Two threads may compile the same kernel; the first stays. No lock is held meanwhile. */
static NoriaStatus program_of(const char *name, NoriaProgram **out, NoriaError *error) {
  pthread_mutex_lock(&lock);
  *out = find(name);
  pthread_mutex_unlock(&lock);
  if (*out) return NORIA_OK;
  NoriaProgram *made, *unused = NULL;
  NoriaStatus status = compile(name, &made, error);
  if (status) return status;
  pthread_mutex_lock(&lock);
  *out = find(name);
  if (*out) {
    unused = made;
  } else if (num_kernels < MAX_KERNELS) {
    snprintf(kernels[num_kernels].name, MAX_NAME, "%s", name);
    kernels[num_kernels++].program = *out = made;
  }
  pthread_mutex_unlock(&lock);
  noria_program_destroy(unused);
  if (!*out) noria_program_destroy(made);
  return *out ? NORIA_OK : nr_error_set(error, NORIA_ERROR_LIMIT, "more than %d kernels are compiled", MAX_KERNELS);
}

NoriaStatus noria_kernel_run(const char *name, const NoriaValue *const *inputs, size_t num_inputs,
                             NoriaValue **out_outputs, size_t num_outputs, const NoriaRunOptions *options,
                             NoriaError *error) {
  NoriaProgram *program;
  for (size_t i = 0; i < num_outputs; i++) out_outputs[i] = NULL;
  if (!name) return nr_error_set(error, NORIA_ERROR_INVALID, "the name of a kernel is NULL");
  NoriaStatus status = program_of(name, &program, error);
  return status ? status : noria_program_run(program, inputs, num_inputs, out_outputs, num_outputs, options, error);
}
