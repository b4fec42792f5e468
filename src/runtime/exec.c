/* exec.c - what one run of a program holds: limits, the first failure, handles, strings; and how runs are stopped. */
#include "runtime/internal.h"

#include "base/guard.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- all execs -------------------------------------------------------------------------------------------------- */

/* Globals, because a signal handler has no other way to find the runs. The registry only grows, by one exec for each
 * run that there ever was at the same time; execs that no program uses wait in `retired`. */
static _Atomic(NrExec *) registry;
static pthread_mutex_t retired_lock = PTHREAD_MUTEX_INITIALIZER;
static NrExec *retired;

static NrExec *exec_new(void) {
  NrExec *e = calloc(1, sizeof(NrExec));
  if (!e) return NULL;
  if (pthread_mutex_init(&e->lock, NULL)) {
    free(e);
    return NULL;
  }
  nr_allocator_init(&e->allocator);
  NrExec *first = atomic_load_explicit(&registry, memory_order_relaxed);
  do {
    e->registry_next = first;
  } while (!atomic_compare_exchange_weak_explicit(&registry, &first, e, memory_order_release, memory_order_relaxed));
  return e;
}

static void exec_retire(NrExec *e) {
  atomic_store(&e->program, NULL);
  nr_allocator_end(&e->allocator, 0);
  nr_allocator_init(&e->allocator);
  free(e->descs);
  free(e->symbols);
  free(e->strings);
  free(e->channels);
  noria_error_clear(&e->failure);
  e->descs = NULL;
  e->symbols = NULL;
  e->strings = NULL;
  e->strings_capacity = 0;
  e->channels = NULL;
  e->channels_capacity = 0;
  pthread_mutex_lock(&retired_lock);
  e->next = retired;
  retired = e;
  pthread_mutex_unlock(&retired_lock);
}

NrExec *nr_exec_acquire(NoriaProgram *program) {
  pthread_mutex_lock(&program->lock);
  NrExec *e = program->idle;
  if (e) program->idle = e->next;
  pthread_mutex_unlock(&program->lock);
  if (e) return e;
  pthread_mutex_lock(&retired_lock);
  if ((e = retired)) retired = e->next;
  pthread_mutex_unlock(&retired_lock);
  if (!e && !(e = exec_new())) return NULL;
  size_t descs = (size_t)program->module->num_inputs + (size_t)program->module->num_outputs;
  e->descs = calloc(descs + 1, sizeof(NoriaDesc));
  e->symbols = calloc((size_t)program->num_symbols + 1, sizeof(int64_t));
  if (!e->descs || !e->symbols) {
    exec_retire(e);
    return NULL;
  }
  e->pub.api = &nr_runtime_api;
  e->pub.constants = program->constants;
  e->pub.imports = program->imports;
  e->pub.threads = program->threads;
  atomic_store(&e->program, program);
  return e;
}

void nr_exec_release(NoriaProgram *program, NrExec *e, int64_t returned) {
  enum { MOST_AGE = 64 }; /* runs, after which one that was used only while many ran at once has no blocks left */
  pthread_mutex_lock(&program->lock);
  e->next = program->idle;
  program->idle = e;
  e->ran = ++program->runs;
  for (NrExec *old = e->next; old; old = old->next)
    if (program->runs - old->ran > MOST_AGE && old->allocator.cached_bytes) nr_allocator_end(&old->allocator, 0);
  int64_t kept = returned;
  for (const NrExec *each = e; each; each = each->next) kept += each->allocator.cached_bytes;
  bool too_much = nr_program_keeps(program, kept);
  pthread_mutex_unlock(&program->lock);
  if (too_much) nr_programs_evict(program);
}

void nr_exec_trim_idle(NoriaProgram *program) {
  for (NrExec *e = program->idle; e; e = e->next) nr_allocator_end(&e->allocator, 0);
}

void nr_exec_retire_all(NoriaProgram *program) {
  for (NrExec *e = program->idle, *next; e; e = next) {
    next = e->next;
    exec_retire(e);
  }
  program->idle = NULL;
}

/* ---- begin and end of a run ------------------------------------------------------------------------------------- */

void nr_exec_begin(NrExec *e, const NoriaRunLimits *limits, bool stats) {
  e->limits = *limits;
  e->counts = stats || limits->iterations > 0;
  nr_allocator_begin(&e->allocator, limits->memory);
  if (limits->memory > 0) {
    NrReturned *returned = atomic_load_explicit(&e->program, memory_order_relaxed)->returned;
    nr_returned_trim(returned, NR_MAX(limits->memory - e->allocator.cached_bytes, 0));
  }
  atomic_store_explicit(&e->iterations, 0, memory_order_relaxed);
  atomic_store_explicit(&e->failed, 0, memory_order_relaxed);
  noria_error_clear(&e->failure);
  e->pub.place = -1;
  __atomic_store_n(&e->pub.stop, 0, __ATOMIC_RELAXED);
  atomic_store_explicit(&e->running, true, memory_order_release);
}

void nr_exec_finish(NrExec *e, int64_t keep) {
  atomic_store_explicit(&e->running, false, memory_order_relaxed);
  nr_exec_drop_initialization(e);
  while (e->handles) {
    NoriaValue *handle = e->handles;
    e->handles = handle->run_next;
    handle->run = NULL;
    /* Compiled code may have held several references; they all end here. */
    atomic_store_explicit(&handle->refs, 1, memory_order_relaxed);
    noria_value_release(handle);
  }
  for (size_t i = 0; i < e->num_strings; i++) nr_string_release(e->strings[i]);
  e->num_strings = 0;
  if (e->strings_capacity > 4096) {
    free(e->strings);
    e->strings = NULL;
    e->strings_capacity = 0;
  }
  for (size_t i = 0; i < e->num_channels; i++) nr_channel_release(e->channels[i]);
  e->num_channels = 0;
  e->world = NULL;
  nr_sanitize_end(e);
  nr_allocator_end(&e->allocator, keep);
}

/* ---- around fork() ---------------------------------------------------------------------------------------------- */

void nr_execs_lock(void) { pthread_mutex_lock(&retired_lock); }

void nr_execs_unlock(bool in_child) {
  /* A worker that is gone may have held the lock of a run. */
  for (NrExec *e = in_child ? atomic_load(&registry) : NULL; e; e = e->registry_next)
    pthread_mutex_init(&e->lock, NULL);
  pthread_mutex_unlock(&retired_lock);
}

/* ---- failing and stopping --------------------------------------------------------------------------------------- */

void nr_exec_stop(NrExec *e, int32_t why) { __atomic_fetch_or(&e->pub.stop, why, __ATOMIC_RELAXED); }

const char *nr_exec_site_place(const NrExec *e, int32_t site) {
  const NoriaModule *module = atomic_load_explicit(&((NrExec *)e)->program, memory_order_relaxed)->module;
  if (site < 0 || site >= module->num_sites) return NULL;
  const char *place = module->sites[site].place;
  return place && *place ? place : NULL;
}

/* True for the one thread that may write the message. */
static bool claim_failure(NrExec *e) {
  int expected = 0;
  if (!atomic_compare_exchange_strong(&e->failed, &expected, 1)) return false;
  e->failed_in = pthread_self();
  return true;
}

/* Frees text, which may be NULL: there was no memory for it. */
static void set_failure(NrExec *e, NoriaStatus code, int32_t site, char *text) {
  const char *place = nr_exec_site_place(e, site);
  e->fail_has_place = place != NULL;
  nr_error_set(&e->failure, code, "%s%s%s", place ? place : "", place ? ": " : "", text ? text : "the program failed");
  free(text);
}

/* The caller's own failure in poll or alloc, which know no place, gets that of the site. */
static void place_failure(NrExec *e, int32_t site) {
  const char *place = nr_exec_site_place(e, site);
  if (!place || e->fail_has_place || !pthread_equal(e->failed_in, pthread_self())) return;
  const char *text = e->failure.message ? e->failure.message : "the program failed";
  nr_error_set(&e->failure, e->failure.code, "%s: %s", place, text);
  e->fail_has_place = true;
}

void nr_exec_place_failure(NrExec *e) { place_failure(e, e->pub.place); }

static int32_t publish_failure(NrExec *e) {
  nr_exec_stop(e, NR_STOP_FAILED);
  return 1;
}

int32_t nr_exec_fail(NrExec *e, NoriaStatus code, int32_t site, const char *format, ...) {
  if (claim_failure(e)) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    set_failure(e, code, site, text);
  }
  return publish_failure(e);
}

char *nr_site_text(const char *format, const int64_t *values) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  for (const char *p = format; *p; p++) {
    if (p[0] == '%' && p[1] >= '0' && p[1] <= '3') fprintf(out, "%lld", (long long)values[*++p - '0']);
    else putc(*p == '%' && p[1] == '%' ? *++p : *p, out); /* %% is a % */
  }
  if (!fclose(out)) return text;
  free(text);
  return NULL;
}

static int32_t api_fail(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d) {
  NrExec *e = nr_exec(exec);
  const NoriaModule *module = atomic_load_explicit(&e->program, memory_order_relaxed)->module;
  if (site < 0 || site >= module->num_sites)
    return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "the program failed at site %d of %d", (int)site,
                        (int)module->num_sites);
  if (claim_failure(e))
    set_failure(e, NORIA_ERROR_FAILED, site, nr_site_text(module->sites[site].text, (const int64_t[]){a, b, c, d}));
  else place_failure(e, site);
  return publish_failure(e);
}

static int32_t api_error(NoriaExec *exec, const char *text) {
  return nr_exec_fail(nr_exec(exec), NORIA_ERROR_FAILED, -1, "%s", text && *text ? text : "the program failed");
}

static int32_t api_poll(NoriaExec *exec, int64_t iterations) {
  NrExec *e = nr_exec(exec);
  int64_t total = 0;
  if (e->counts) total = atomic_fetch_add_explicit(&e->iterations, iterations, memory_order_relaxed) + iterations;
  if (e->limits.iterations > 0 && total > e->limits.iterations)
    return nr_exec_fail(e, NORIA_ERROR_LIMIT, -1, "the iteration limit of %lld is reached",
                        (long long)e->limits.iterations);
  int32_t stop = __atomic_load_n(&e->pub.stop, __ATOMIC_RELAXED);
  if (stop == 0) return 0;
  if (stop & NR_STOP_INTERRUPT) return nr_exec_fail(e, NORIA_ERROR_INTERRUPTED, -1, "the run was interrupted");
  if (stop & NR_STOP_TIME)
    return nr_exec_fail(e, NORIA_ERROR_LIMIT, -1, "the time limit of %g s is reached", e->limits.time_s);
  return 1;
}

bool nr_exec_stopped(NrExec *e) { return __atomic_load_n(&e->pub.stop, __ATOMIC_RELAXED) && api_poll(&e->pub, 0); }

bool nr_exec_copy(NrExec *e, void *to, const void *from, size_t size) {
  const size_t piece = (size_t)1 << 24; /* a few milliseconds, also where the pages are new */
  for (size_t at = 0; at < size; at += piece) {
    if (at && nr_exec_stopped(e)) return false;
    memcpy((char *)to + at, (const char *)from + at, NR_MIN(piece, size - at));
  }
  return true;
}

static int32_t api_enter(NoriaExec *exec, int32_t site) {
  if (nr_stack_is_low()) return api_fail(exec, site, 0, 0, 0, 0);
  if (!__atomic_load_n(&exec->stop, __ATOMIC_RELAXED) || !api_poll(exec, 0)) return 0;
  place_failure(nr_exec(exec), site);
  return 1;
}

const NoriaRuntimeApi nr_runtime_api = {
    .alloc = nr_api_alloc,
    .free = nr_api_free,
    .dispatch = nr_api_dispatch,
    .poll = api_poll,
    .fail = api_fail,
    .realloc = nr_api_realloc,
    .enter = api_enter,
    .charge = nr_api_charge,
    .alloc_aligned = nr_api_alloc_aligned,
    .error = api_error,
};

static void interrupt(NoriaProgram *only) {
  for (NrExec *e = atomic_load_explicit(&registry, memory_order_acquire); e; e = e->registry_next)
    if (atomic_load_explicit(&e->running, memory_order_acquire) && (!only || atomic_load(&e->program) == only))
      nr_exec_stop(e, NR_STOP_INTERRUPT);
}

void noria_program_interrupt(NoriaProgram *program) { interrupt(program); }
void noria_interrupt_all(void) {
  atomic_fetch_add_explicit(&nr_interrupts, 1, memory_order_relaxed); /* what compiles looks at this */
  interrupt(NULL);
}

/* ---- handles and strings ---------------------------------------------------------------------------------------- */

NoriaValue *nr_exec_add_handle(NrExec *e, NoriaValue *handle) {
  if (!handle) {
    nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a sequence");
    return NULL;
  }
  bool locked = nr_exec_lock(e);
  handle->run = e;
  handle->run_prev = NULL;
  handle->run_next = e->handles;
  if (e->handles) e->handles->run_prev = handle;
  e->handles = handle;
  nr_exec_unlock(e, locked);
  return handle;
}

void nr_exec_unlink_handle(NrExec *e, NoriaValue *handle) {
  bool locked = nr_exec_lock(e);
  *(handle->run_prev ? &handle->run_prev->run_next : &e->handles) = handle->run_next;
  if (handle->run_next) handle->run_next->run_prev = handle->run_prev;
  handle->run = NULL;
  nr_exec_unlock(e, locked);
}

void nr_exec_drop_handle(NrExec *e, NoriaValue *handle) {
  if (atomic_fetch_sub_explicit(&handle->refs, 1, memory_order_acq_rel) != 1) return;
  nr_exec_unlink_handle(e, handle);
  atomic_store_explicit(&handle->refs, 1, memory_order_relaxed);
  noria_value_release(handle);
}

bool nr_exec_hold_string(NrExec *e, NoriaString *string) {
  bool ok = string != NULL;
  if (ok && !nr_charge_string(e, string)) {
    nr_string_release(string);
    return false;
  }
  bool locked = nr_exec_lock(e);
  if (ok && e->num_strings == e->strings_capacity) {
    size_t capacity = NR_MAX(2 * e->strings_capacity, (size_t)64);
    NoriaString **grown = realloc(e->strings, capacity * sizeof(NoriaString *));
    ok = grown != NULL;
    if (ok) {
      e->strings = grown;
      e->strings_capacity = capacity;
    }
  }
  if (ok) e->strings[e->num_strings++] = string;
  nr_exec_unlock(e, locked);
  if (!ok) {
    nr_string_release(string);
    nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a string");
  }
  return ok;
}

bool nr_exec_hold_channel(NrExec *e, NrChannel *channel) {
  bool locked = nr_exec_lock(e), ok = true;
  if (e->num_channels == e->channels_capacity) {
    size_t capacity = NR_MAX(2 * e->channels_capacity, (size_t)8);
    NrChannel **grown = realloc(e->channels, capacity * sizeof(NrChannel *));
    ok = grown != NULL;
    if (ok) {
      e->channels = grown;
      e->channels_capacity = capacity;
    }
  }
  if (ok) e->channels[e->num_channels++] = channel;
  nr_exec_unlock(e, locked);
  if (!ok) {
    nr_channel_release(channel);
    nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a channel");
  }
  return ok;
}
