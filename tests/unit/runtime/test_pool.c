/* test_pool.c - grids: every workgroup once, nested, failing, stopped, with allocations, from several runs at once; short
 * and long workgroups, since the pool shares only what is long enough. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "module.h"

/* ---- what the runtime asks the system for: these definitions stand before libc's ---- */

static _Thread_local int64_t locks, system_calls;
static int held_back; /* new threads do not begin before this is 0 */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static __typeof__(&pthread_mutex_lock) real;
  if (!__atomic_load_n(&real, __ATOMIC_RELAXED)) __atomic_store_n(&real, REAL(pthread_mutex_lock), __ATOMIC_RELAXED);
  locks++;
  return __atomic_load_n(&real, __ATOMIC_RELAXED)(mutex);
}

long syscall(long number, ...) {
  static __typeof__(&syscall) real;
  if (!__atomic_load_n(&real, __ATOMIC_RELAXED)) __atomic_store_n(&real, REAL(syscall), __ATOMIC_RELAXED);
  long a[6];
  va_list args;
  va_start(args, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(args, long);
  va_end(args);
  system_calls++;
  return __atomic_load_n(&real, __ATOMIC_RELAXED)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

typedef struct Start {
  void *(*body)(void *);
  void *user;
} Start;

static void *start_when_let(void *user) {
  Start start = *(Start *)user;
  free(user);
  while (__atomic_load_n(&held_back, __ATOMIC_ACQUIRE)) sched_yield();
  return start.body(start.user);
}

static int thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user) {
  Start *start = malloc(sizeof *start);
  *start = (Start){body, user};
  return REAL(pthread_create)(thread, attributes, start_when_let, start);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user) {
  return thread_create(thread, attributes, body, user);
}

/* ---- grids ---- */

enum { X = 7, Y = 5, Z = 3, INNER = 40 };

typedef struct Args {
  int32_t *count; /* per workgroup */
  int64_t depth, fails_at;
} Args;

static int32_t count_group(NoriaExec *exec, const void *user, int64_t x, int64_t y, int64_t z) {
  const Args *args = user;
  int64_t at = (z * Y + y) * X + x;
  if (at == args->fails_at) return exec->api->fail(exec, 0, x, y, z, 0);
  __atomic_fetch_add(&args->count[at], 1, __ATOMIC_RELAXED);
  /* Memory from several threads at once. */
  char *scratch = exec->api->alloc(exec, 64 + at * 8);
  if (!scratch) return 1;
  memset(scratch, 1, (size_t)(64 + at * 8));
  if (at % 3 == 0 && !(scratch = exec->api->realloc(exec, scratch, 5000))) return 1;
  if (at % 5) exec->api->free(exec, scratch); /* the rest is the run's to free */
  return exec->api->poll(exec, 1);
}

static int32_t outer_group(NoriaExec *exec, const void *user, int64_t x, int64_t y, int64_t z) {
  Args args = *(const Args *)user;
  int32_t count[X * Y * Z] = {0};
  args.count = count;
  if (exec->api->dispatch(exec, count_group, &args, X, Y, Z)) return 1;
  for (int i = 0; i < X * Y * Z; i++)
    if (count[i] != 1) return exec->api->fail(exec, 1, x, i, count[i], 0);
  __atomic_fetch_add(&((const Args *)user)->count[x], 1, __ATOMIC_RELAXED);
  return 0;
}

/* Input: -1: all well; else the workgroup that fails; -2: never ends. */
static int32_t grid_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int32_t count[INNER] = {0};
  Args args = {.count = count, .fails_at = *(const int64_t *)inputs[0].data};
  do {
    if (exec->api->dispatch(exec, outer_group, &args, INNER, 1, 1)) return 1;
  } while (args.fails_at == -2);
  for (int i = 0; i < INNER; i++)
    if (count[i] != 1) return exec->api->fail(exec, 1, -1, i, count[i], 0);
  if (exec->api->dispatch(exec, outer_group, &args, 0, 4, 4)) return 1;
  if (args.count[0] != 1) return 1;
  outputs[0] = (NoriaDesc){.rank = 1, .dims = {0}};
  return 0;
}

static const NoriaSite sites[] = {{"node 'grid'", "workgroup %0 %1 %2"}, {"", "outer %0: workgroup %1 ran %2 times"}};
static const NoriaModule module = {.abi_version = NORIA_ABI_VERSION,
                                   .num_inputs = 1,
                                   .num_outputs = 1,
                                   .num_sites = 2,
                                   .inputs = scalar_i64,
                                   .outputs = vector_f32,
                                   .sites = sites,
                                   .entry = grid_entry};

static void every_workgroup_runs_once(void **state) {
  for (int32_t threads = 1; threads <= 4; threads++) {
    NoriaProgram *program = make_program(&module, threads);
    NoriaRunStats stats;
    NoriaRunOptions options = {.stats = &stats};
    NoriaError error = NORIA_ERROR_INIT;
    for (int i = 0; i < 5; i++) {
      assert_int_equal(run_i64(program, -1, &options, &error), NORIA_OK);
      assert_int_equal(stats.iterations, INNER * X * Y * Z);
    }
    assert_int_equal(run_i64(program, X * Y + 2 * X + 4, NULL, &error), NORIA_ERROR_FAILED);
    assert_string_equal(error.message, "node 'grid': workgroup 4 2 1");
    options.limits.time_s = 0.02;
    assert_int_equal(run_i64(program, -2, &options, &error), NORIA_ERROR_LIMIT);
    options.limits = (NoriaRunLimits){.iterations = 10000};
    assert_int_equal(run_i64(program, -2, &options, &error), NORIA_ERROR_LIMIT);
    assert_string_equal(error.message, "the iteration limit of 10000 is reached");
    assert_int_equal(run_i64(program, -1, NULL, &error), NORIA_OK);
    noria_error_clear(&error);
    noria_program_destroy(program);
  }
}

static void *run_often(void *user) {
  intptr_t failed = 0;
  for (int i = 0; i < 10; i++) failed += run_i64(user, -1, NULL, NULL) != NORIA_OK;
  return (void *)failed;
}

static void runs_share_the_pool(void **state) {
  NoriaProgram *program = make_program(&module, 3);
  pthread_t thread[3];
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, run_often, program);
  for (int i = 0; i < 3; i++) {
    void *failed;
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
  noria_program_destroy(program);
}

static int32_t too_large_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  return exec->api->dispatch(exec, count_group, NULL, INT64_MAX, 2, 1);
}

static void a_grid_too_large_to_count_fails(void **state) {
  const NoriaModule large = {.abi_version = NORIA_ABI_VERSION, .entry = too_large_entry};
  NoriaProgram *program = make_program(&large, 2);
  assert_int_equal(noria_program_run(program, NULL, 0, NULL, 0, NULL, NULL), NORIA_ERROR_INTERNAL);
  noria_program_destroy(program);
}

/* ---- long and short workgroups ---- */

enum { GROUPS = 200, ROUNDS = 20, SHORT_ROUNDS = 500, NESTED_ROUNDS = 2 };

typedef struct Work {
  int64_t ns; /* that a workgroup takes */
  int32_t *count;
  int64_t fails_at;
} Work;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int32_t work_group(NoriaExec *exec, const void *user, int64_t x, int64_t y, int64_t z) {
  const Work *work = user;
  if (x == work->fails_at) return exec->api->fail(exec, 0, x, y, z, 0);
  for (int64_t until = now_ns() + work->ns; work->ns && now_ns() < until;) {}
  __atomic_fetch_add(&work->count[x], 1, __ATOMIC_RELAXED);
  return 0;
}

/* A grid whose workgroups dispatch grids that are themselves worth sharing. */
static int32_t nested_group(NoriaExec *exec, const void *user, int64_t x, int64_t y, int64_t z) {
  int32_t count[GROUPS] = {0};
  Work inner = {.ns = 1000, .count = count, .fails_at = -1};
  if (exec->api->dispatch(exec, work_group, &inner, GROUPS, 1, 1)) return 1;
  for (int i = 0; i < GROUPS; i++)
    if (count[i] != 1) return exec->api->fail(exec, 1, x, i, count[i], 0);
  __atomic_fetch_add(&((const Work *)user)->count[x], 1, __ATOMIC_RELAXED);
  return 0;
}

static int64_t locks_taken, quiet_rounds; /* of the second half of the rounds; quiet: no lock, no system call */

/* Input: the time of a workgroup; -1: nested grids; -2: never ends. Each round must run each workgroup once. */
static int32_t work_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int32_t count[GROUPS] = {0};
  int64_t mode = *(const int64_t *)inputs[0].data;
  Work work = {.ns = mode > 0 ? mode : mode < 0 ? 10000 : 0, .count = count, .fails_at = -1};
  int64_t locks_before = 0;
  const int rounds = mode == -1 ? NESTED_ROUNDS : mode == 0 ? SHORT_ROUNDS : ROUNDS;
  for (int round = 1; round <= 2 * rounds || mode == -2; round++) {
    int64_t asked = locks + system_calls;
    if (round == rounds + 1) locks_before = locks, quiet_rounds = 0;
    if (exec->api->dispatch(exec, mode == -1 ? nested_group : work_group, &work, GROUPS, 1, 1)) return 1;
    for (int i = 0; i < GROUPS; i++)
      if (count[i] != round) return exec->api->fail(exec, 1, -1, i, count[i], 0);
    quiet_rounds += locks + system_calls == asked;
  }
  locks_taken = locks - locks_before;
  work.fails_at = GROUPS / 2;
  if (!exec->api->dispatch(exec, work_group, &work, GROUPS, 1, 1)) return exec->api->fail(exec, 1, -1, -1, -1, 0);
  return 1;
}

static const NoriaModule work_module = {.abi_version = NORIA_ABI_VERSION,
                                        .num_inputs = 1,
                                        .num_sites = 2,
                                        .inputs = scalar_i64,
                                        .sites = sites,
                                        .entry = work_entry};

static void runs_and_fails_in_the_middle(NoriaProgram *program, int64_t mode) {
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(run_i64(program, mode, NULL, &error), NORIA_ERROR_FAILED);
  assert_string_equal(error.message, "node 'grid': workgroup 100 0 0");
  noria_error_clear(&error);
}

static void a_dispatch_takes_no_lock(void **state) {
  NoriaProgram *program = make_program(&work_module, 2);
  runs_and_fails_in_the_middle(program, 0);
  /* Short dispatches wake no thread; one that loses its CPU in the middle looks long, and may. */
  assert_true(quiet_rounds > SHORT_ROUNDS / 2);
  runs_and_fails_in_the_middle(program, 2000);
  assert_in_range(locks_taken, 0, 1); /* shared: one, where the thread is started as late as that */
  noria_program_destroy(program);
}

static void long_workgroups_run_once(void **state) {
  const int32_t threads[] = {1, 2, 3, 32};
  for (int i = 0; i < LENGTH(threads); i++) {
    NoriaProgram *program = make_program(&work_module, threads[i]);
    runs_and_fails_in_the_middle(program, 5000);
    if (threads[i] < 4) runs_and_fails_in_the_middle(program, -1);
    NoriaRunOptions options = {.limits.time_s = 0.05};
    assert_int_equal(run_i64(program, -2, &options, NULL), NORIA_ERROR_LIMIT);
    noria_program_destroy(program);
  }
}

static void helpers_that_do_not_begin_are_not_waited_for(void **state) {
  __atomic_store_n(&held_back, 1, __ATOMIC_RELEASE);
  NoriaProgram *program = make_program(&work_module, 4);
  runs_and_fails_in_the_middle(program, 5000);
  __atomic_store_n(&held_back, 0, __ATOMIC_RELEASE);
  noria_program_destroy(program);
}

/* A second run finds the only helper in a workgroup that does not end. */
static int occupied, released;

static int32_t occupying_group(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z) {
  if (pthread_equal(pthread_self(), *(const pthread_t *)args)) {
    while (!__atomic_load_n(&occupied, __ATOMIC_ACQUIRE)) sched_yield();
    return 0;
  }
  __atomic_store_n(&occupied, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE)) sched_yield();
  return 0;
}

static int32_t occupying_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  if (*(const int64_t *)inputs[0].data) return work_entry(exec, inputs, outputs);
  pthread_t self = pthread_self();
  return exec->api->dispatch(exec, occupying_group, &self, 2, 1, 1);
}

static void *occupy(void *program) {
  return run_i64(program, 0, NULL, NULL) == NORIA_OK ? program : NULL;
}

static void a_helper_of_another_run_is_not_waited_for(void **state) {
  NoriaModule occupying = work_module;
  occupying.entry = occupying_entry;
  NoriaProgram *program = make_program(&occupying, 2);
  pthread_t other;
  void *good;
  assert_int_equal(thread_create(&other, NULL, occupy, program), 0);
  while (!__atomic_load_n(&occupied, __ATOMIC_ACQUIRE)) sched_yield();
  runs_and_fails_in_the_middle(program, 5000);
  __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
  pthread_join(other, &good);
  assert_non_null(good);
  noria_program_destroy(program);
}

/* Workgroups of a larger z begin later: at most a chunk of each other thread, a quarter of the grid, is taken before a
 * workgroup and begins behind it. */
static int32_t ordered_group(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z) {
  int32_t *begun = *(int32_t *const *)args;
  int32_t before = __atomic_fetch_add(begun, 1, __ATOMIC_RELAXED);
  int64_t until = now_ns() + 20000;
  while (now_ns() < until) {}
  return before >= z - GROUPS / 4 - 1 ? 0 : exec->api->fail(exec, 1, x, y, z, before);
}

static int32_t ordered_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int32_t begun, *pointer = &begun;
  for (int round = 0; round < ROUNDS; round++) {
    begun = 0;
    if (exec->api->dispatch(exec, ordered_group, &pointer, 1, 1, GROUPS)) return 1;
  }
  return 0;
}

static void workgroups_begin_in_the_order_of_z(void **state) {
  NoriaModule ordered = work_module;
  ordered.entry = ordered_entry;
  NoriaProgram *program = make_program(&ordered, 2);
  assert_int_equal(run_i64(program, 0, NULL, NULL), NORIA_OK);
  noria_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_workgroup_runs_once),
      cmocka_unit_test(runs_share_the_pool),
      cmocka_unit_test(a_grid_too_large_to_count_fails),
      cmocka_unit_test(a_dispatch_takes_no_lock),
      cmocka_unit_test(long_workgroups_run_once),
      cmocka_unit_test(helpers_that_do_not_begin_are_not_waited_for),
      cmocka_unit_test(a_helper_of_another_run_is_not_waited_for),
      cmocka_unit_test(workgroups_begin_in_the_order_of_z),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
