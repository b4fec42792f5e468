/* watchdog.c - one thread per program that sets the stop flag of runs whose time is over. It starts with the first
 * run that has a time limit. */
#include "runtime/internal.h"

#include <time.h>

static bool init_condition(NrWatchdog *w) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  bool ok = pthread_cond_init(&w->changed, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  return ok;
}

bool nr_watchdog_init(NrWatchdog *w) {
  *w = (NrWatchdog){0};
  if (pthread_mutex_init(&w->lock, NULL)) return false;
  bool ok = init_condition(w);
  if (!ok) pthread_mutex_destroy(&w->lock);
  return ok;
}

void nr_watchdog_lose_thread(NrWatchdog *w) {
  w->started = false;
  init_condition(w); /* a thread of the parent may wait for it */
}

void nr_watchdog_deinit(NrWatchdog *w) {
  pthread_mutex_lock(&w->lock);
  w->quit = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  if (w->started) pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
}

static void unlink_run(NrWatchdog *w, NrExec *e) {
  if (e->deadline_ns == 0) return;
  *(e->watch_prev ? &e->watch_prev->watch_next : &w->first) = e->watch_next;
  if (e->watch_next) e->watch_next->watch_prev = e->watch_prev;
  e->deadline_ns = 0;
}

static void *watch(void *user) {
  NrWatchdog *w = user;
  pthread_mutex_lock(&w->lock);
  while (!w->quit) {
    int64_t now = nr_now_ns(), earliest = INT64_MAX;
    for (NrExec *e = w->first, *next; e; e = next) {
      next = e->watch_next;
      if (e->deadline_ns <= now) {
        nr_exec_stop(e, NR_STOP_TIME);
        unlink_run(w, e);
      } else {
        earliest = NR_MIN(earliest, e->deadline_ns);
      }
    }
    if (earliest == INT64_MAX) {
      pthread_cond_wait(&w->changed, &w->lock);
    } else {
      struct timespec until = {earliest / 1000000000, earliest % 1000000000};
      pthread_cond_timedwait(&w->changed, &w->lock, &until);
    }
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

bool nr_watchdog_add(NrWatchdog *w, NrExec *e, int64_t deadline_ns) {
  pthread_mutex_lock(&w->lock);
  if (!w->started) w->started = nr_thread_start(&w->thread, watch, w) == 0;
  bool ok = w->started;
  if (ok) {
    e->deadline_ns = deadline_ns;
    e->watch_prev = NULL;
    e->watch_next = w->first;
    if (w->first) w->first->watch_prev = e;
    w->first = e;
    pthread_cond_signal(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return ok;
}

void nr_watchdog_remove(NrWatchdog *w, NrExec *e) {
  pthread_mutex_lock(&w->lock);
  unlink_run(w, e);
  pthread_mutex_unlock(&w->lock);
}
