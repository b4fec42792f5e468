/* progress.c - the progress line: the current work and its duration. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { QUIET_NS = 1000000000, STEP_NS = 250000000 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool running, done, shown;
  const char *what, *of;
  int64_t start;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void wait_until(int64_t wait_ns) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  int64_t ns = at.tv_nsec + wait_ns;
  at.tv_sec += (time_t)(ns / 1000000000);
  at.tv_nsec = (long)(ns % 1000000000);
  pthread_cond_timedwait(&line.changed, &line.lock, &at);
}

static void *show(void *unused) {
  pthread_mutex_lock(&line.lock);
  while (!line.done) {
    int64_t age = nr_now_ns() - line.start;
    wait_until(age < QUIET_NS ? QUIET_NS - age : STEP_NS);
    age = nr_now_ns() - line.start;
    if (line.done || age < QUIET_NS) continue;
    fprintf(stderr, "\r\033[K%s %s ... %.1f s", line.what, line.of, (double)age / 1e9);
    line.shown = true;
  }
  if (line.shown) fputs("\r\033[K", stderr);
  pthread_mutex_unlock(&line.lock);
  return unused;
}

void progress_begin(const char *what, const char *of) {
  progress_end();
  if (!isatty(STDERR_FILENO)) return;
  line.what = what;
  line.of = of;
  line.start = nr_now_ns();
  line.done = line.shown = false;
  line.running = pthread_create(&line.thread, NULL, show, NULL) == 0;
}

void progress_end(void) {
  if (!line.running) return;
  pthread_mutex_lock(&line.lock);
  line.done = true;
  pthread_cond_signal(&line.changed);
  pthread_mutex_unlock(&line.lock);
  pthread_join(line.thread, NULL);
  line.running = false;
}
