/* program.c - compiled models: making, loading, running. */
#include "base/cpu.h"
#include "base/guard.h"
#include "runtime/entry.h"
#include "runtime/internal.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 1024 };

/* ---- making ----------------------------------------------------------------------------------------------------- */

static int32_t count_threads(int32_t wanted) {
  if (wanted > 0) return NR_MIN(wanted, MOST_THREADS);
  return NR_MIN(nr_machine_cpus(), MOST_THREADS);
}

static NoriaStatus check_limits(const NoriaRunLimits *limits, NoriaError *error) {
  if (limits->time_s >= 0 && limits->iterations >= 0 && limits->memory >= 0) return NORIA_OK; /* NaN is not */
  return nr_error_set(error, NORIA_ERROR_INVALID,
                      "a limit of %g seconds, %lld iterations, %lld bytes: none may be negative", limits->time_s,
                      (long long)limits->iterations, (long long)limits->memory);
}

static NoriaStatus check_options(const NoriaProgramOptions *options, NoriaError *error) {
  if (!options) return NORIA_OK;
  if (options->threads < 0)
    return nr_error_set(error, NORIA_ERROR_INVALID, "%d threads: 0 is one per CPU, 1 starts none",
                        (int)options->threads);
  return check_limits(&options->limits, error);
}

static NoriaStatus check_values(const NoriaModule *module, const char *what, const NoriaValueInfo *infos, int32_t count,
                                NoriaError *error) {
  for (int32_t i = 0; i < count; i++)
    if (!infos || !infos[i].name || infos[i].rank > NORIA_MAX_RANK || (infos[i].rank > 0 && !infos[i].dims) ||
        noria_dtype_size((NoriaDType)infos[i].dtype) == 0)
      return nr_error_set(error, NORIA_ERROR_INVALID, "%s %d of module '%s' is malformed", what, (int)i,
                      module->name ? module->name : "");
  return NORIA_OK;
}

static NrStr missing_feature(const NoriaModule *module) { return nr_cpu_missing(module->cpu ? module->cpu : ""); }

/* The module itself, or the first of its fallbacks that this CPU can run; the last one where it can run none. */
static const NoriaModule *for_this_cpu(const NoriaModule *module) {
  while (module && module->abi_version == NORIA_ABI_VERSION && module->fallback && missing_feature(module).size)
    module = module->fallback;
  return module;
}

static NoriaStatus check_module(const NoriaModule *module, NoriaError *error) {
  if (!module) return nr_error_set(error, NORIA_ERROR_INVALID, "there is no module");
  if (module->abi_version != NORIA_ABI_VERSION)
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED,
                        "the program was compiled for ABI version %d, this runtime has %d", (int)module->abi_version,
                        NORIA_ABI_VERSION);
  NrStr missing = missing_feature(module);
  if (missing.size)
    return nr_error_set(error, NORIA_ERROR_UNSUPPORTED,
                        "the program was compiled for a CPU with %.*s, which this one, or its system, does not have",
                        NR_STR_ARG(missing));
  if (!module->entry || module->num_inputs < 0 || module->num_outputs < 0 || module->num_constants < 0 ||
      module->num_imports < 0 || module->num_sites < 0 || (module->num_constants > 0 && !module->constants) ||
      (module->num_imports > 0 && !module->imports) || (module->num_sites > 0 && !module->sites) ||
      module->num_parameters < 0 || (module->num_parameters > 0 && !module->parameters))
    return nr_error_set(error, NORIA_ERROR_INVALID, "the module is malformed");
  NoriaStatus status = check_values(module, "input", module->inputs, module->num_inputs, error);
  return status ? status : check_values(module, "output", module->outputs, module->num_outputs, error);
}

static NoriaStatus resolve_constants(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error) {
  const NoriaModule *module = program->module;
  NoriaStatus status = nr_parameters_open(program, options, error);
  if (!status) status = nr_parameters_resolve(program, options, error);
  if (status) return status;
  for (int32_t i = 0; i < module->num_constants; i++) {
    if (!program->constants[i]) program->constants[i] = module->constants[i].data;
    if (!program->constants[i] && module->constants[i].size > 0)
      return nr_error_set(error, NORIA_ERROR_INVALID, "constant %d has no data", (int)i);
  }
  return NORIA_OK;
}

static NoriaStatus resolve_imports(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error) {
  const NoriaModule *module = program->module;
  for (int32_t i = 0; i < module->num_imports; i++) {
    NoriaImportFn found = NULL;
    if (module->imports[i][0] == '@') { /* never one of the runtime's: the two have different contracts */
      NoriaStatus status = nr_libraries_find(program, options, module->imports[i] + 1, &program->imports[i], error);
      if (status) return status;
      continue;
    }
    for (size_t k = 0; options && k < options->num_imports && !found; k++)
      if (strcmp(options->imports[k].name, module->imports[i]) == 0) found = options->imports[k].function;
    if (!found) found = nr_import_find(module->imports[i]);
    if (!found) {
      NrNearest nearest = nr_import_nearest(module->imports[i]);
      return nr_error_set(error, NORIA_ERROR_NOT_FOUND,
                          "the program imports '%s', which this runtime does not have" NR_HINT, module->imports[i],
                          NR_HINT_ARG(nearest));
    }
    program->imports[i] = found;
  }
  return NORIA_OK;
}

/* Frees everything but what the caller of create still owns after a failure. */
static void program_free(NoriaProgram *program) {
  if (program->returned) nr_returned_stop(program->returned);
  nr_programs_remove(program);
  nr_pool_destroy(program->pool);
  nr_returned_close(program->returned);
  nr_exec_retire_all(program);
  nr_watchdog_deinit(&program->watchdog);
  pthread_mutex_destroy(&program->lock);
  nr_globals_drop(program);
  nr_libraries_close(program);
  nr_parameters_close(program);
  free(program->constants);
  free(program->imports);
  free(program->dim_symbols);
  free(program);
}

static NoriaProgram *program_new(const NoriaModule *module) {
  NoriaProgram *program = calloc(1, sizeof(NoriaProgram));
  if (!program) return NULL;
  if (!nr_watchdog_init(&program->watchdog)) {
    free(program);
    return NULL;
  }
  if (pthread_mutex_init(&program->lock, NULL)) {
    nr_watchdog_deinit(&program->watchdog);
    free(program);
    return NULL;
  }
  program->module = module;
  program->constants = calloc((size_t)module->num_constants + 1, sizeof(void *));
  program->imports = calloc((size_t)module->num_imports + 1, sizeof(NoriaImportFn));
  if (program->constants && program->imports && nr_feeds_prepare(program)) return program;
  program_free(program);
  return NULL;
}

NoriaStatus noria_program_create(const NoriaModule *module, const NoriaProgramOptions *options,
                                 NoriaProgram **out_program, NoriaError *error) {
  *out_program = NULL;
  module = for_this_cpu(module);
  NoriaStatus status = check_module(module, error);
  if (!status) status = check_options(options, error);
  if (status) return status;
  NoriaProgram *program = program_new(module);
  if (!program) return nr_error_set_memory(error, sizeof(NoriaProgram));
  program->threads = count_threads(options ? options->threads : 0);
  program->cache_size = INT64_MAX;
  if (options) {
    program->limits = options->limits;
    if (options->cache_size) program->cache_size = NR_MAX(options->cache_size, 0);
  }
  status = resolve_constants(program, options, error);
  if (!status) status = nr_libraries_open(program, options, error);
  if (!status) status = resolve_imports(program, options, error);
  if (status) goto failed;
  if (program->threads > 1 && !(program->pool = nr_pool_create(program->threads))) {
    status = nr_error_set_memory(error, sizeof(NoriaProgram));
    goto failed;
  }
  if (!(program->returned = nr_returned_create(program->cache_size)) || !nr_programs_add(program)) {
    status = nr_error_set_memory(error, sizeof(NoriaProgram));
    goto failed;
  }
  if (options) {
    program->trace = options->trace;
    program->trace_user = options->trace_user;
    program->warn = options->warn;
    program->warn_user = options->warn_user;
    program->release = options->release;
    program->user = options->user;
  }
  *out_program = program;
  return NORIA_OK;
failed:
  program_free(program);
  return status;
}

void noria_program_destroy(NoriaProgram *program) {
  if (!program) return;
  void *library = program->library, *user = program->user;
  NoriaReleaseFn release = program->release;
  program_free(program);
  if (library) dlclose(library);
  if (release) release(user);
}

void nr_program_follow(NoriaProgram *program, const _Atomic(NoriaEntryFn) *entry) { program->entry = entry; }

void *nr_program_user(const NoriaProgram *program, NoriaReleaseFn release) {
  return program->release == release ? program->user : NULL;
}

const NoriaModule *noria_program_module(const NoriaProgram *program) { return program->module; }

/* free() alone keeps blocks that are smaller than 32 MiB. */
static void trim_heap(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void noria_program_trim(NoriaProgram *program) {
  pthread_mutex_lock(&program->lock);
  nr_exec_trim_idle(program);
  nr_program_keeps(program, 0);
  pthread_mutex_unlock(&program->lock);
  nr_returned_trim(program->returned, 0);
  trim_heap();
}

void noria_trim(void) {
  nr_programs_trim();
  trim_heap();
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

/* A tensor that compiled code made becomes a value: its block leaves the run. */
static NoriaValue *take_tensor(const NoriaProgram *program, NrExec *e, const NoriaValueInfo *info,
                               const NoriaDesc *desc, NoriaError *error) {
  NoriaDType dtype = (NoriaDType)info->dtype;
  int64_t count;
  size_t size;
  if (nr_shape_size(dtype, desc->rank, desc->dims, &count, &size, error)) return NULL;
  if (!desc->data && count > 0) {
    nr_error_set(error, NORIA_ERROR_INTERNAL, "output '%s' has no data", info->name);
    return NULL;
  }
  NrBlock *block = desc->data ? nr_allocator_detach(&e->allocator, desc->data) : NULL;
  if (block && count > 0 && size > nr_allocator_size(desc->data)) {
    nr_error_set(error, NORIA_ERROR_INTERNAL, "output '%s' of %zu bytes is in a block of %zu", info->name, size,
                 nr_allocator_size(desc->data));
    free(block->base);
    return NULL;
  }
  NoriaValue *value;
  if (block || count == 0) {
    void *user = NULL;
    NoriaReleaseFn release = block ? nr_returned_lend(program->returned, block, &user) : NULL;
    value = nr_tensor_new(dtype, desc->rank, desc->dims, block ? desc->data : NULL, release, user);
    if (!value && release) release(user);
  } else {
    /* The block is an earlier output's already. */
    value = nr_tensor_alloc(dtype, desc->rank, desc->dims, count, size);
    if (value) memcpy(value->as.tensor.data, desc->data, size);
  }
  if (!value) nr_error_set_memory(error, size);
  if (value) nr_dtype_settle(dtype, value->as.tensor.data, count);
  NoriaString **strings = value && dtype == NORIA_STRING ? value->as.tensor.data : NULL;
  for (int64_t i = 0; strings && i < count; i++) {
    if (!(strings[i] = nr_string_retain(strings[i]))) {
      /* The elements after this one are the run's, not ours. */
      memset(strings + i, 0, (size_t)(count - i) * sizeof(*strings));
      noria_value_release(value);
      nr_error_set_memory(error, size);
      return NULL;
    }
  }
  return value;
}

static NoriaValue *take_handle(NrExec *e, const NoriaValueInfo *info, const NoriaDesc *desc, NoriaError *error) {
  NoriaValue *handle = desc->data;
  if (!handle) {
    nr_error_set(error, NORIA_ERROR_INTERNAL, "output '%s' has no data", info->name);
    return NULL;
  }
  if (handle->run == e && atomic_load_explicit(&handle->refs, memory_order_relaxed) == 1) {
    nr_exec_unlink_handle(e, handle);
    return handle;
  }
  NoriaValue *copy = nr_handle_copy(handle);
  if (!copy) nr_error_set_memory(error, sizeof(NoriaValue));
  return copy;
}

static NoriaStatus take_outputs(NoriaProgram *program, NrExec *e, NoriaValue **out_outputs, NoriaError *error) {
  const NoriaModule *module = program->module;
  NoriaError own = NORIA_ERROR_INIT, *to = error ? error : &own;
  NoriaStatus status = NORIA_OK;
  for (int32_t i = 0; i < module->num_outputs && !status; i++) {
    const NoriaValueInfo *info = &module->outputs[i];
    const NoriaDesc *desc = &e->descs[module->num_inputs + i];
    out_outputs[i] = info->kind == NORIA_KIND_TENSOR ? take_tensor(program, e, info, desc, to)
                                                      : take_handle(e, info, desc, to);
    if (!out_outputs[i]) status = to->code;
  }
  for (int32_t i = 0; i < module->num_outputs && status; i++) {
    noria_value_release(out_outputs[i]);
    out_outputs[i] = NULL;
  }
  noria_error_clear(&own);
  return status;
}

/* The deadline of a run that starts now; 0 without a limit. */
static int64_t deadline(double time_s) {
  if (!(time_s > 0) || time_s > 1e9) return 0;
  return nr_now_ns() + (int64_t)(time_s * 1e9) + 1;
}

static NoriaStatus call_entry(NoriaProgram *program, NrExec *e, NoriaError *error) {
  const NoriaModule *module = program->module;
  int64_t until = deadline(e->limits.time_s);
  if (until && !nr_watchdog_add(&program->watchdog, e, until))
    return nr_error_set(error, NORIA_ERROR_MEMORY, "the system gives no thread to watch the time limit");
  /* What an earlier run wrote there must not pass for an output of this one. */
  for (int32_t i = 0; i < module->num_outputs; i++) e->descs[module->num_inputs + i].data = NULL;
  NoriaDesc *outputs = e->descs + module->num_inputs;
  NoriaEntryFn entry = program->entry ? atomic_load_explicit(program->entry, memory_order_acquire) : module->entry;
  int32_t result =
      e->sanitizer ? nr_sanitize_entry(e, entry, e->descs, outputs) : entry(&e->pub, e->descs, outputs);
  /* A run that ends after its time, or after an interrupt, fails too, whether or not compiled code met a safepoint. */
  if (until) {
    nr_watchdog_remove(&program->watchdog, e);
    if (nr_now_ns() > until) nr_exec_stop(e, NR_STOP_TIME);
  }
  if (nr_exec_stopped(e) && !result) result = 1;
  bool failed = atomic_load(&e->failed) != 0;
  if (failed) nr_exec_place_failure(e);
  if (failed && result == NORIA_RESULT_INTERNAL) e->failure.code = NORIA_ERROR_INTERNAL;
  if (failed)
    return nr_error_set(error, e->failure.code, "%s", e->failure.message ? e->failure.message : "the program failed");
  if (result)
    return nr_error_set(error, NORIA_ERROR_INTERNAL, "the program failed with %d and no message", (int)result);
  return NORIA_OK;
}

NoriaStatus noria_program_run(NoriaProgram *program, const NoriaValue *const *inputs, size_t num_inputs,
                              NoriaValue **out_outputs, size_t num_outputs, const NoriaRunOptions *options,
                              NoriaError *error) {
  for (size_t i = 0; i < num_outputs; i++) out_outputs[i] = NULL;
  if (num_outputs != (size_t)program->module->num_outputs)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the program has %d outputs, but there is room for %zu",
                    (int)program->module->num_outputs, num_outputs);
  NoriaStatus status = options ? check_limits(&options->limits, error) : NORIA_OK;
  if (status) return status;
  NrExec *e = nr_exec_acquire(program);
  if (!e) return nr_error_set_memory(error, sizeof(NrExec));
  nr_exec_begin(e, options ? &options->limits : &program->limits, options && options->stats);
  e->world = options ? (NrWorld *)options->world : NULL;
  if (program->sanitize) nr_sanitize_begin(e, inputs, inputs ? num_inputs : 0);
  status = nr_feeds_bind(program, e, inputs, num_inputs, error);
  if (!status) status = call_entry(program, e, error);
  if (!status) status = take_outputs(program, e, out_outputs, error);
  if (options && options->stats)
    *options->stats = (NoriaRunStats){.peak_memory = e->allocator.peak_bytes,
                                      .iterations = atomic_load_explicit(&e->iterations, memory_order_relaxed),
                                      .allocations = e->allocator.allocations};
  int64_t returned = nr_returned_ran(program->returned, e->allocator.lent_bytes);
  nr_exec_finish(e, program->cache_size);
  nr_exec_release(program, e, returned);
  /* The other ranks must not wait for this one. */
  if (status && options && options->world)
    noria_world_end(options->world, error && error->message ? error->message : noria_status_name(status), NULL);
  return status;
}
