/* clock.h - times and time limits of the programs that try generated input, and their options. */
#ifndef NORIA_TESTS_FUZZ_CLOCK_H
#define NORIA_TESTS_FUZZ_CLOCK_H

#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* Limits are of processor time, so that a loaded machine fails nothing. A process that waits uses none: that ends by
 * wall time. */
enum { FUZZ_WAIT_SECONDS = 600 };

static inline double fuzz_now(void) { return (double)nr_now_ns() / 1e9; }

/* Seconds of processor time that the process used. */
static inline double fuzz_process_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The process is killed by SIGPROF after `seconds` of processor time, by SIGALRM after FUZZ_WAIT_SECONDS; 0: no limit.
 */
static inline void fuzz_limit_time(int seconds) {
  struct itimerval t = {.it_value.tv_sec = seconds};
  setitimer(ITIMER_PROF, &t, NULL);
  alarm(seconds ? FUZZ_WAIT_SECONDS : 0);
}

/* Whether arg is the option `name` or `name=value`; *value is "" without a value. */
static inline bool fuzz_take_option(const char *arg, const char *name, const char **value) {
  size_t n = strlen(name);
  if (strncmp(arg, name, n) != 0 || (arg[n] && arg[n] != '=')) return false;
  *value = arg[n] ? arg + n + 1 : "";
  return true;
}

#endif
