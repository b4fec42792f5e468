/* test_pool.c - grids: every workgroup once, nested, failing, stopped, with allocations, from several runs at once. */
#include <pthread.h>
#include <string.h>

#include "../test.h"
#include "module.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_workgroup_runs_once),
      cmocka_unit_test(runs_share_the_pool),
      cmocka_unit_test(a_grid_too_large_to_count_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
