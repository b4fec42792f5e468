/* tier.c - see tier.h. */
#include "driver/tier.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "driver/program.h"
#include "runtime/error.h"
#include "runtime/thread.h"

enum {
  NICENESS = 5,      /* of the thread: runs get three times its share of a CPU */
  TICK_NS = 50000000 /* interval at which a wait looks for interrupts */
};

struct NrTier {
  _Atomic(NoriaEntryFn) entry;
  NrHold *hold; /* ends the work when what the program is in is abandoned */
  NrCompiled *first;
  NrCodegenOptions codegen;
  NrLimits limits;
  /* What is stored. The slot is NULL where nothing is. */
  NrCacheSlot *slot;
  const NrOnnxModel *model;
  NrBuf diagnostics, types;

  NrHeap *heap; /* of the better code; NULL: there is none, and none is made */
  NrCodeSource *source; /* in that heap */
  NrCompiled *made;

  /* The lock of all tiers protects the fields below. */
  NrTier *prev, *next;
  bool ended;      /* the thread uses nothing of the tier any more */
  bool stopping;
  bool lost;       /* the thread was not copied by fork() */
  NrHeap *working; /* the heap that the thread allocates from now; NULL: it does not work */
  NrCompiled *better;
  NoriaError error;
};

/* ---- all tiers whose threads work ------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* some tier has ended */
static NrTier *working;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered; /* what the system said */
static bool exiting; /* the process ends: no thread is started any more */

static int init_condition(void) {
  pthread_condattr_t attributes;
  int failed = pthread_condattr_init(&attributes);
  if (failed) return failed;
  failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  if (!failed) failed = pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return failed;
}

/* With the lock held. */
static void unlink_tier(NrTier *t) {
  *(t->prev ? &t->prev->next : &working) = t->next;
  if (t->next) t->next->prev = t->prev;
  t->prev = t->next = NULL;
  t->ended = true;
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&lock); }

/* What a thread was working on is never freed in the child, unless the better code was there already. */
static void after_fork_in_child(void) {
  exiting = false;
  while (working) {
    working->lost = true;
    unlink_tier(working);
  }
  init_condition(); /* threads of the parent may wait for it */
  pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void stop(NrTier *t) {
  t->stopping = true;
  if (t->working) nr_heap_abandon(t->working);
}

/* LLVM's destructors free what the threads use. The threads stop waiting for LLVM here; its own threads may run on, and
 * are dealt with by the handler in src/codegen/llvm/thread.c, which was registered before and so runs after this. */
static void at_exit(void) {
  pthread_mutex_lock(&lock);
  exiting = true;
  for (NrTier *t = working; t; t = t->next) stop(t);
  while (working) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void register_handlers(void) {
  registered = init_condition();
  if (!registered) registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  if (!registered) registered = atexit(at_exit);
}

/* ---- the thread ------------------------------------------------------------------------------------------------- */

static void compile(void *user) {
  NrTier *t = user;
  NrContext *ctx = nr_context_create();
  NrBuf why = {0};
  NrDiagCapture capture;
  nr_guard_step("background compilation", false);
  nr_diag_capture_begin(&capture, ctx);
  NrStatus status = nr_codegen_again(ctx, t->source, &t->codegen, &t->made);
  nr_diag_capture_end(&capture, &why);
  if (status) nr_raise(status, "%s", why.size ? why.data : "no code was made");
  nr_code_source_deinit(t->source);
  nr_buf_deinit(&why);
  nr_context_destroy(ctx);
}

static void store(void *user) {
  NrTier *t = user;
  nr_guard_step("storing", false);
  nr_cache_store(t->slot, &(NrCacheContents){nr_compiled_parts(t->made),
                                             {t->diagnostics.data, t->diagnostics.size},
                                             {t->types.data, t->types.size},
                                             t->model});
}

/* Calls body(t) under a guard with the heap, unless the work is to stop. False after a fault or a stop. */
static bool work_in(NrTier *t, NrHeap *heap, void (*body)(void *user), NrFault *fault) {
  *fault = (NrFault){.status = NR_ERROR_INTERRUPTED, .text = "compiling was stopped"};
  pthread_mutex_lock(&lock);
  bool go_on = heap && !t->stopping;
  if (go_on) t->working = heap;
  pthread_mutex_unlock(&lock);
  bool good = go_on && nr_guard_run(heap, body, t, fault);
  pthread_mutex_lock(&lock);
  t->working = NULL;
  pthread_mutex_unlock(&lock);
  return good;
}

/* Runs that begin from now on use the better code. */
static void publish(NrTier *t) {
  pthread_mutex_lock(&lock);
  t->better = t->made;
  atomic_store_explicit(&t->entry, nr_compiled_module(t->made)->entry, memory_order_release);
  pthread_mutex_unlock(&lock);
}

static void work(NrTier *t) {
  NrFault fault;
  if (!work_in(t, t->heap, compile, &fault)) {
    nr_heap_destroy(t->heap);
    t->heap = NULL;
    nr_error_set(&t->error, nr_public_status(fault.status), "%s", fault.text);
    return;
  }
  publish(t);
  NrHeap *heap = t->slot ? nr_heap_create(&t->limits, false) : NULL;
  work_in(t, heap, store, &fault); /* nothing about the cache is an error of the program */
  nr_heap_destroy(heap);
}

static void *thread_main(void *user) {
  NrTier *t = user;
  (void)!nice(NICENESS); /* on Linux the thread's alone; LLVM's thread, which it starts, has it too */
  work(t);
  pthread_mutex_lock(&lock);
  unlink_tier(t);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

static void end(void *tier) {
  NrTier *t = tier;
  pthread_mutex_lock(&lock);
  stop(t);
  while (!t->ended) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  nr_compiled_destroy(t->better);
  if (!t->lost || t->better) nr_heap_destroy(t->heap);
  noria_error_clear(&t->error);
  nr_buf_deinit(&t->types);
  nr_buf_deinit(&t->diagnostics);
  nr_free(t);
}

NrTier *nr_tier_create(const NrCompilation *unit, NrCompiled *first, const NoriaCompileOptions *options) {
  NrTier *t = nr_calloc(1, sizeof *t);
  t->hold = nr_hold(end);
  atomic_init(&t->entry, nr_compiled_module(first)->entry);
  t->first = first;
  t->codegen = (NrCodegenOptions){.cpu = options->cpu,
                                  .features = options->features,
                                  .opt_level = options->opt_level ? options->opt_level : 2,
                                  .threads = 1,
                                  .keep_objects = unit->slot != NULL};
  t->limits = (NrLimits){options->compile_memory, options->compile_time_s};
  t->slot = unit->slot;
  t->model = unit->model;
  t->ended = true;
  t->hold->what = t;
  if (!t->slot) return t;
  nr_compilation_types(unit, &t->types);
  nr_buf_append(&t->diagnostics, unit->warnings.data, unit->warnings.size);
  nr_buf_append(&t->diagnostics, unit->errors.data, unit->errors.size);
  return t;
}

bool nr_tier_stores(const NrTier *tier) { return tier->slot != NULL; }

const _Atomic(NoriaEntryFn) *nr_tier_entry(const NrTier *tier) { return &tier->entry; }

static const char *copy_text(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  return text ? memcpy(nr_malloc(size), text, size) : NULL;
}

/* LLVM's thread may outlive the program: all that it reads is in the heap that it then owns. */
static void copy_source(void *user) {
  NrTier *t = user;
  t->source = nr_code_source_copy(nr_compiled_source(t->first));
  t->codegen.cpu = copy_text(t->codegen.cpu);
  t->codegen.features = copy_text(t->codegen.features);
}

static bool start_thread(NrTier *t) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  if (exiting) {
    pthread_mutex_unlock(&lock);
    return false;
  }
  t->next = working;
  if (working) working->prev = t;
  working = t;
  t->ended = false;
  bool started = nr_thread_start(&thread, thread_main, t) == 0;
  if (started) pthread_detach(thread);
  else unlink_tier(t);
  pthread_mutex_unlock(&lock);
  return started;
}

void nr_tier_start(NrTier *t) {
  NrFault fault = {.status = NR_ERROR_MEMORY, .text = "the system has no more memory"};
  bool ready = !pthread_once(&once, register_handlers) && !registered;
  if (ready) t->heap = nr_heap_create(&t->limits, false);
  if (t->heap && nr_guard_run(t->heap, copy_source, t, &fault)) {
    nr_compiled_drop_source(t->first);
    if (start_thread(t)) return;
    fault = (NrFault){.status = NR_ERROR_MEMORY, .text = "the system gives no thread to compile in the background"};
  }
  nr_heap_destroy(t->heap);
  t->heap = NULL;
  nr_error_set(&t->error, nr_public_status(fault.status), "%s", fault.text);
}

/* Waits, with the lock held, until the thread has ended or the time is over. False when calls were interrupted. */
static bool wait_for_end(const NrTier *t, int64_t until) {
  unsigned interrupts = atomic_load(&nr_interrupts);
  int64_t now;
  while (!t->ended && (now = nr_now_ns()) < until) {
    if (atomic_load(&nr_interrupts) != interrupts) return false;
    int64_t at = NR_MIN(now + TICK_NS, until);
    struct timespec tick = {at / 1000000000, at % 1000000000};
    pthread_cond_timedwait(&changed, &lock, &tick);
  }
  return true;
}

NoriaTier nr_tier_wait(NrTier *t, double wait_s, NoriaError *error) {
  bool forever = wait_s < 0 || wait_s > 1e9;
  int64_t until = forever ? INT64_MAX : wait_s > 0 ? nr_now_ns() + (int64_t)(wait_s * 1e9) : 0;
  pthread_mutex_lock(&lock);
  bool undisturbed = wait_for_end(t, until);
  bool ended = t->ended, lost = t->lost, better = t->better != NULL;
  pthread_mutex_unlock(&lock);
  if (better && ended) return NORIA_TIER_OPTIMIZED;
  if (!ended && !undisturbed) nr_error_set(error, NORIA_ERROR_INTERRUPTED, "the wait was interrupted");
  if (!ended) return NORIA_TIER_FIRST;
  if (lost) nr_error_set(error, NORIA_ERROR_FAILED, "the process is the child of a fork() that came before the code");
  else nr_error_set(error, t->error.code, "%s", t->error.message ? t->error.message : "no code was made");
  return NORIA_TIER_FAILED;
}

void nr_tier_destroy(NrTier *t) {
  if (!t) return;
  nr_hold_end(t->hold);
  end(t);
}

NoriaTier noria_program_tier(const NoriaProgram *program, double wait_s, NoriaError *error) {
  const NrOwned *owned = nr_program_owned(program);
  if (error) noria_error_clear(error);
  return owned && owned->tier ? nr_tier_wait(owned->tier, wait_s, error) : NORIA_TIER_ONLY;
}
