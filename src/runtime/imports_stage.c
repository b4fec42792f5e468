/* imports_stage.c - how the stages of a wavefront wait for each other. Each stage counts the iterations that it has
 * done; what it wrote in them is visible to a stage that has seen the count. */
#include <sched.h>
#include <time.h>

#include "runtime/imports.h"
#include "runtime/relax.h"

enum { COUNTER_WORDS = 8, PAUSES = 64, LOOK_NS = 20000, SLEEP_NS = 20000 };

/* NULL after failing: the counters have no such stage. */
static int64_t *counter_of(NrExec *e, const NoriaDesc *args) {
  int64_t stage = nr_arg_i64(&args[1]), count = args[0].dims[0] / COUNTER_WORDS;
  if (stage >= 0 && stage < count) return (int64_t *)args[0].data + stage * COUNTER_WORDS;
  nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "stage %lld of %lld", (long long)stage, (long long)count);
  return NULL;
}

/* Looks for some microseconds, since the other thread is at most an iteration away as a rule; then lets others have the
 * CPU, which that thread may have lost. */
int32_t nr_import_stage_wait(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  (void)results;
  NrExec *e = nr_exec(exec);
  const int64_t *counter = counter_of(e, args), want = nr_arg_i64(&args[2]);
  if (!counter) return 1;
  if (__atomic_load_n(counter, __ATOMIC_ACQUIRE) >= want) return 0;
  int64_t sleep_from = nr_now_ns() + LOOK_NS;
  for (;;) {
    for (int i = 0; i < PAUSES; i++) {
      if (__atomic_load_n(counter, __ATOMIC_ACQUIRE) >= want) return 0;
      nr_relax();
    }
    if (nr_exec_stopped(e)) return 1;
    if (nr_now_ns() > sleep_from) nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    else sched_yield();
  }
}

int32_t nr_import_stage_post(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  (void)results;
  int64_t *counter = counter_of(nr_exec(exec), args);
  if (!counter) return 1;
  __atomic_store_n(counter, nr_arg_i64(&args[2]), __ATOMIC_RELEASE);
  return 0;
}
