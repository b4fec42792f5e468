/* test_fork.c - programs of the parent in a child process: runs on several threads, limits, destroying. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "module.h"

enum { MEET = 0, FOREVER = -1, FORK = -2, FORK_IN_GRID = -3 };

/* The sanitizers' runtimes limit what a child process can do; where they do, only the parent's side is tested.
 * ThreadSanitizer's cannot start threads in the child of a process that had several. AddressSanitizer's of GCC 12 keeps
 * the locks of its allocator as they were at the fork: where another thread held one, the child waits for ever. */
#ifdef __SANITIZE_THREAD__
enum { CHILDREN_HAVE_THREADS = 0 };
#else
enum { CHILDREN_HAVE_THREADS = 1 };
#endif
#ifdef __SANITIZE_ADDRESS__
enum { CHILDREN_OF_BUSY_PROCESSES_ALLOCATE = 0 };
#else
enum { CHILDREN_OF_BUSY_PROCESSES_ALLOCATE = 1 };
#endif

static pid_t forked; /* by the run with FORK */

typedef struct Meeting {
  int32_t inside, met;
} Meeting;

/* Ends at once when two threads met in the grid, and else waits some milliseconds for another one. Many workgroups that
 * wait are work that the pool shares even when the machine is busy. */
enum { MEETING_GROUPS = 64, PATIENCE_MS = 5 };
static int32_t meet(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z) {
  Meeting *m = *(Meeting *const *)args;
  struct timespec now, begun;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  if (__atomic_add_fetch(&m->inside, 1, __ATOMIC_SEQ_CST) == 2) __atomic_store_n(&m->met, 1, __ATOMIC_SEQ_CST);
  do {
    if (__atomic_load_n(&m->met, __ATOMIC_SEQ_CST)) break;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < PATIENCE_MS);
  __atomic_fetch_sub(&m->inside, 1, __ATOMIC_SEQ_CST);
  return exec->api->poll(exec, 0);
}

typedef struct Fork {
  pthread_t caller;
  int32_t helper_inside, done;
} Fork;

/* The caller forks while a helper holds a workgroup, once. */
static int32_t fork_beside_a_helper(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z) {
  Fork *f = *(Fork *const *)args;
  bool is_caller = pthread_equal(pthread_self(), f->caller);
  if (!is_caller) __atomic_store_n(&f->helper_inside, 1, __ATOMIC_SEQ_CST);
  for (int ms = 0; !__atomic_load_n(&f->done, __ATOMIC_SEQ_CST) && (!is_caller || ms < PATIENCE_MS); ms++) {
    if (is_caller && __atomic_load_n(&f->helper_inside, __ATOMIC_SEQ_CST)) {
      forked = fork();
      __atomic_store_n(&f->done, 1, __ATOMIC_SEQ_CST);
    } else {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      if (exec->api->poll(exec, 0)) return 1;
    }
  }
  return 0;
}

static int32_t fork_in_grid(NoriaExec *exec) {
  Fork fork_state = {.caller = pthread_self()}, *f = &fork_state;
  while (!f->done)
    if (exec->api->dispatch(exec, fork_beside_a_helper, &f, MEETING_GROUPS, 1, 1)) return 1;
  return 0;
}

static int32_t entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t mode = *(const int64_t *)inputs[0].data;
  while (mode == FOREVER)
    if (exec->api->poll(exec, 1)) return 1;
  if (mode == FORK) forked = fork();
  if (mode == FORK_IN_GRID && fork_in_grid(exec)) return 1;
  Meeting meeting, *m = &meeting;
  do {
    meeting = (Meeting){0};
    if (exec->api->dispatch(exec, meet, &m, MEETING_GROUPS, 1, 1) || exec->api->poll(exec, 0)) return 1;
  } while (!meeting.met);
  outputs[0] = (NoriaDesc){.rank = 1, .dims = {0}};
  return 0;
}

static const NoriaModule module = MODULE(entry, scalar_i64, vector_f32);

static bool meets(NoriaProgram *program) {
  return run_i64(program, MEET, &(NoriaRunOptions){.limits.time_s = 60}, NULL) == NORIA_OK;
}

static bool is_stopped_in_time(NoriaProgram *program) {
  return run_i64(program, FOREVER, &(NoriaRunOptions){.limits.time_s = 0.02}, NULL) == NORIA_ERROR_LIMIT;
}

/* In the child; a hang ends in SIGALRM. Returns the exit code: which step failed. */
static int use_in_child(NoriaProgram *program) {
  if (!CHILDREN_HAVE_THREADS) return 0;
  alarm(120);
  if (!is_stopped_in_time(program)) return 1;
  if (!meets(program)) return 2;
  noria_program_destroy(program);
  NoriaProgram *fresh = make_program(&module, 2);
  if (!meets(fresh)) return 3;
  noria_program_destroy(fresh);
  return 0;
}

static void expect_success_of(pid_t child) {
  int status = -1;
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void the_child_has_threads_of_its_own(void **state) {
  NoriaProgram *program = make_program(&module, 3);
  for (int used = 0; used < 2; used++) { /* before the parent has any threads, and with them */
    pid_t child = fork();
    if (child == 0) _exit(use_in_child(program));
    expect_success_of(child);
    assert_true(meets(program));
    assert_true(is_stopped_in_time(program));
  }
  noria_program_destroy(program);
}

static void a_child_may_fork_again(void **state) {
  if (!CHILDREN_HAVE_THREADS) skip();
  NoriaProgram *program = make_program(&module, 2);
  assert_true(meets(program));
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    if (!meets(program)) _exit(10);
    pid_t grandchild = fork();
    if (grandchild == 0) _exit(use_in_child(program));
    int status = -1;
    waitpid(grandchild, &status, 0);
    _exit(status ? 11 : use_in_child(program));
  }
  expect_success_of(child);
  noria_program_destroy(program);
}

/* Both processes finish the run in which the fork was. */
static void a_run_may_fork(void **state) {
  if (!CHILDREN_HAVE_THREADS) skip();
  NoriaProgram *program = make_program(&module, 2);
  assert_true(meets(program));
  NoriaStatus status = run_i64(program, FORK, NULL, NULL);
  if (forked == 0) _exit(status ? 20 : use_in_child(program));
  assert_int_equal(status, NORIA_OK);
  expect_success_of(forked);
  noria_program_destroy(program);
}

/* What the helper held is never done in the child, so the run fails there. */
static void a_workgroup_may_fork(void **state) {
  if (!CHILDREN_HAVE_THREADS) skip();
  NoriaProgram *program = make_program(&module, 2);
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = run_i64(program, FORK_IN_GRID, NULL, &error);
  if (forked == 0)
    _exit(status == NORIA_ERROR_FAILED && strstr(error.message, "fork()") ? use_in_child(program) : 30);
  assert_int_equal(status, NORIA_OK);
  expect_success_of(forked);
  noria_program_destroy(program);
}

static atomic_bool over;

static void *run_again_and_again(void *user) {
  bool good = true;
  while (!atomic_load(&over) && good) {
    good = meets(user) && is_stopped_in_time(user);
    NoriaProgram *other = make_program(&module, 2);
    good = good && meets(other);
    noria_program_destroy(other);
  }
  return good ? user : NULL;
}

/* Whatever locks the other threads hold at the moment. */
static void forks_while_other_threads_run(void **state) {
  NoriaProgram *program = make_program(&module, 2);
  pthread_t threads[2];
  atomic_store(&over, false);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_again_and_again, program);
  for (int i = 0; i < 40; i++) {
    pid_t child = fork();
    if (child == 0) _exit(CHILDREN_OF_BUSY_PROCESSES_ALLOCATE ? use_in_child(program) : 0);
    expect_success_of(child);
  }
  atomic_store(&over, true);
  for (int i = 0; i < 2; i++) {
    void *good;
    pthread_join(threads[i], &good);
    assert_non_null(good);
  }
  noria_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_child_has_threads_of_its_own),
      cmocka_unit_test(a_child_may_fork_again),
      cmocka_unit_test(a_run_may_fork),
      cmocka_unit_test(a_workgroup_may_fork),
      cmocka_unit_test(forks_while_other_threads_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
