/* fork.c - what a child process needs to go on with the programs of its parent.
 *
 * fork() copies memory but only the calling thread: pools and watchdogs of the child have no threads, and a lock that
 * another thread held stays locked. So all locks of the runtime are taken before a fork and given back after it, and
 * the child's pools and watchdogs count as not started: they start their threads when they are next needed. A run that
 * another thread had in progress does not exist in the child; its memory stays until the child ends. */
#include "runtime/internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered; /* what pthread_atfork said */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static NoriaProgram *programs;

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

void nr_programs_trim(void) {
  if (pthread_mutex_trylock(&lock)) return;
  for (NoriaProgram *p = programs; p; p = p->next_program) {
    if (!pthread_mutex_trylock(&p->lock)) {
      nr_exec_trim_idle(p);
      pthread_mutex_unlock(&p->lock);
    }
    nr_returned_trim(p->returned, 0);
  }
  pthread_mutex_unlock(&lock);
}

void nr_programs_remove(NoriaProgram *program) {
  if (!program->is_listed) return;
  pthread_mutex_lock(&lock);
  *(program->prev_program ? &program->prev_program->next_program : &programs) = program->next_program;
  if (program->next_program) program->next_program->prev_program = program->prev_program;
  pthread_mutex_unlock(&lock);
}
