/* imports_global.c - globals whose size a run chooses: the program keeps a copy of what was stored last. */
#include <stdlib.h>

#include "runtime/imports.h"

/* What was stored. Runs that copy it hold references, so that another run may store in the meantime. */
typedef struct NrGlobal {
  atomic_int refs;
  size_t size;    /* bytes */
  NoriaDesc desc; /* data is `bytes` */
  _Alignas(64) unsigned char bytes[];
} NrGlobal;

static void release(NrGlobal *global) {
  if (global && atomic_fetch_sub(&global->refs, 1) == 1) free(global);
}

/* A reference of what is stored under the number; NULL: nothing. */
static NrGlobal *retain(NoriaProgram *program, uint64_t number) {
  pthread_mutex_lock(&program->lock);
  NrGlobal *global = number < program->num_globals ? program->globals[number] : NULL;
  if (global) atomic_fetch_add(&global->refs, 1);
  pthread_mutex_unlock(&program->lock);
  return global;
}

/* Puts the global under the number, in place of the one that was there. False without memory. */
static bool replace(NoriaProgram *program, uint64_t number, NrGlobal *global) {
  NrGlobal *old = NULL;
  pthread_mutex_lock(&program->lock);
  bool ok = number < program->num_globals;
  if (!ok && number < INT32_MAX) {
    size_t count = (size_t)number + 1;
    NrGlobal **more = realloc(program->globals, count * sizeof *more);
    if (more) {
      memset(more + program->num_globals, 0, (count - program->num_globals) * sizeof *more);
      program->globals = more;
      program->num_globals = count;
      ok = true;
    }
  }
  if (ok) {
    old = program->globals[number];
    program->globals[number] = global;
  }
  pthread_mutex_unlock(&program->lock);
  release(old);
  return ok;
}

int32_t nr_import_global_store(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaDesc *tensor = &args[1];
  int64_t count = nr_desc_count(tensor), bytes;
  (void)results;
  if (!tensor->bits || tensor->bits & NORIA_DESC_STRINGS || !nr_mul_i64(count, (int64_t)tensor->bits, &bytes))
    return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a global of elements that cannot be kept");
  NrGlobal *global = aligned_alloc(64, (sizeof(NrGlobal) + (size_t)bytes + 63) / 64 * 64);
  if (!global)
    return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for %lld bytes", (long long)bytes);
  atomic_init(&global->refs, 1);
  global->size = (size_t)bytes;
  global->desc = *tensor;
  global->desc.data = global->bytes;
  bool ok = !bytes || nr_exec_copy(e, global->bytes, tensor->data, (size_t)bytes);
  if (ok && replace(atomic_load(&e->program), (uint64_t)nr_arg_i64(&args[0]), global)) return 0;
  release(global);
  return ok ? nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a global") : 1;
}

int32_t nr_import_global_load(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NrGlobal *global = retain(atomic_load(&e->program), (uint64_t)nr_arg_i64(&args[1]));
  if (!global) {
    const NoriaModule *module = atomic_load(&e->program)->module;
    int32_t site = nr_arg_i32(&args[0]);
    bool named = site >= 0 && site < module->num_sites;
    return nr_exec_fail(e, NORIA_ERROR_FAILED, site, "the sizes of @%s are not known before it is stored to",
                        named ? module->sites[site].text : "?");
  }
  results[0] = global->desc;
  results[0].data = nr_api_alloc(exec, (int64_t)global->size);
  bool ok = results[0].data && (!global->size || nr_exec_copy(e, results[0].data, global->bytes, global->size));
  release(global);
  return ok ? 0 : 1;
}

void nr_globals_drop(NoriaProgram *program) {
  for (size_t i = 0; i < program->num_globals; i++) release(program->globals[i]);
  free(program->globals);
  program->globals = NULL;
  program->num_globals = 0;
}
