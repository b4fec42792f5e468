/* programs.c - the list of all programs of the process: what a fork does with them, and the memory that they keep. */
#include "runtime/internal.h"

#include "base/guard.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static NoriaProgram *programs;

/* ---- around fork() ----------------------------------------------------------------------------------------------
 *
 * fork() copies memory but only the calling thread: pools and watchdogs of the child have no threads, and a lock that
 * another thread held stays locked. So all locks of the runtime are taken before a fork and given back after it, and
 * the child's pools and watchdogs count as not started: they start their threads when they are next needed. A run that
 * another thread had in progress does not exist in the child; its memory stays until the child ends. */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered; /* what pthread_atfork said */

static void before_fork(void) {
  pthread_mutex_lock(&lock);
  for (NoriaProgram *p = programs; p; p = p->next_program) {
    pthread_mutex_lock(&p->lock);
    if (p->pool) nr_pool_lock(p->pool);
    pthread_mutex_lock(&p->watchdog.lock);
    nr_returned_lock(p->returned);
  }
  nr_execs_lock();
}

static void after_fork(bool in_child) {
  nr_execs_unlock(in_child);
  for (NoriaProgram *p = programs; p; p = p->next_program) {
    nr_returned_unlock(p->returned);
    if (in_child) nr_watchdog_lose_thread(&p->watchdog);
    pthread_mutex_unlock(&p->watchdog.lock);
    if (p->pool) nr_pool_unlock(p->pool, in_child);
    pthread_mutex_unlock(&p->lock);
  }
  pthread_mutex_unlock(&lock);
}

static void after_fork_in_parent(void) { after_fork(false); }
static void after_fork_in_child(void) { after_fork(true); }
static void register_handlers(void) {
  registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- memory that programs keep for their next runs --------------------------------------------------------------- */

static _Atomic int64_t all_kept; /* the sum of the programs' */
static _Atomic uint64_t all_runs;

static int64_t kept_by(const NoriaProgram *p) { return atomic_load_explicit(&p->kept, memory_order_relaxed); }
static uint64_t last_run_of(const NoriaProgram *p) { return atomic_load_explicit(&p->last_run, memory_order_relaxed); }

static void note_kept(NoriaProgram *p, int64_t bytes) {
  atomic_fetch_add_explicit(&all_kept, bytes - kept_by(p), memory_order_relaxed);
  atomic_store_explicit(&p->kept, bytes, memory_order_relaxed);
}

/* False where the program is busy. */
static bool trim(NoriaProgram *p) {
  if (pthread_mutex_trylock(&p->lock)) return false;
  nr_exec_trim_idle(p);
  note_kept(p, 0);
  pthread_mutex_unlock(&p->lock);
  nr_returned_trim(p->returned, 0);
  return true;
}

void nr_programs_trim(void) {
  if (pthread_mutex_trylock(&lock)) return;
  for (NoriaProgram *p = programs; p; p = p->next_program) trim(p);
  pthread_mutex_unlock(&lock);
}

bool nr_program_keeps(NoriaProgram *program, int64_t bytes) {
  if (bytes == 0 && kept_by(program) == 0) return false;
  uint64_t run = atomic_fetch_add_explicit(&all_runs, 1, memory_order_relaxed);
  atomic_store_explicit(&program->last_run, run, memory_order_relaxed);
  if (bytes != kept_by(program)) note_kept(program, bytes);
  return atomic_load_explicit(&all_kept, memory_order_relaxed) > nr_machine_memory() / NR_KEPT_PART;
}

void nr_programs_evict(const NoriaProgram *but) {
  if (pthread_mutex_trylock(&lock)) return;
  int64_t most = nr_machine_memory() / NR_KEPT_PART;
  while (atomic_load_explicit(&all_kept, memory_order_relaxed) > most) {
    NoriaProgram *oldest = NULL;
    for (NoriaProgram *p = programs; p; p = p->next_program)
      if (p != but && kept_by(p) && (!oldest || last_run_of(p) < last_run_of(oldest))) oldest = p;
    if (!oldest || !trim(oldest)) break;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

bool nr_programs_add(NoriaProgram *program) {
  if (pthread_once(&once, register_handlers) || registered) return false;
  pthread_mutex_lock(&lock);
  program->next_program = programs;
  if (programs) programs->prev_program = program;
  programs = program;
  program->is_listed = true;
  pthread_mutex_unlock(&lock);
  return true;
}

void nr_programs_remove(NoriaProgram *program) {
  if (!program->is_listed) return;
  pthread_mutex_lock(&lock);
  note_kept(program, 0);
  *(program->prev_program ? &program->prev_program->next_program : &programs) = program->next_program;
  if (program->next_program) program->next_program->prev_program = program->prev_program;
  pthread_mutex_unlock(&lock);
}
