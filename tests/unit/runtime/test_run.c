/* test_run.c - programs: inputs checked, outputs handed over, failures, limits, several runs at once. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "module.h"

static int32_t stopped(NoriaExec *exec) { return __atomic_load_n(&exec->stop, __ATOMIC_RELAXED); }

/* ---- y = a + b --------------------------------------------------------------------------------------------------- */

static int32_t add_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t n = inputs[0].dims[0];
  const float *a = inputs[0].data, *b = inputs[1].data;
  float *y = exec->api->alloc(exec, n * (int64_t)sizeof(float));
  if (!y) return 1;
  for (int64_t i = 0; i < n; i++) y[i] = a[i] + b[i];
  outputs[0].data = y;
  outputs[0].rank = 1;
  outputs[0].dims[0] = n;
  return 0;
}

static const NoriaValueInfo add_inputs[] = {{"a", NORIA_KIND_TENSOR, NORIA_F32, 1, 0, any_1d, symbol_n},
                                            {"b", NORIA_KIND_TENSOR, NORIA_F32, 1, 0, any_1d, symbol_n}};
static const NoriaModule add_module = MODULE(add_entry, add_inputs, vector_f32);

static NoriaValue *make_f32(int64_t n, float first) {
  float data[16];
  for (int64_t i = 0; i < n; i++) data[i] = first + (float)i;
  NoriaValue *v = NULL;
  assert_int_equal(noria_tensor_create(NORIA_F32, 1, &n, data, &v, NULL), NORIA_OK);
  return v;
}

static void adds_two_tensors(void **state) {
  NoriaProgram *program = make_program(&add_module, 1);
  NoriaValue *a = make_f32(4, 1), *b = make_f32(4, 10), *y = NULL;
  const NoriaValue *inputs[] = {a, b};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(noria_program_run(program, inputs, 2, &y, 1, NULL, NULL), NORIA_OK);
    assert_int_equal(noria_tensor_rank(y), 1);
    assert_int_equal(noria_tensor_dims(y)[0], 4);
    assert_int_equal(noria_tensor_size(y), 16);
    assert_int_equal((uintptr_t)noria_tensor_data(y) % 64, 0);
    const float *data = noria_tensor_data(y);
    for (int k = 0; k < 4; k++) assert_true(data[k] == 11.0f + 2.0f * (float)k);
    if (i < 2) noria_value_release(y);
  }
  noria_program_destroy(program);
  assert_true(((const float *)noria_tensor_data(y))[3] == 17.0f); /* outlives the program */
  noria_value_release(y);
  noria_value_release(a);
  noria_value_release(b);
}

static void expect_feed_error(NoriaProgram *program, const NoriaValue *a, const NoriaValue *b, size_t count,
                              const char *message) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaValue *y = NULL;
  const NoriaValue *inputs[] = {a, b};
  assert_int_equal(noria_program_run(program, inputs, count, &y, 1, NULL, &error), NORIA_ERROR_INVALID);
  assert_null(y);
  assert_int_equal(error.code, NORIA_ERROR_INVALID);
  assert_string_equal(error.message, message);
  noria_error_clear(&error);
}

static void wrong_feeds_are_named(void **state) {
  NoriaProgram *program = make_program(&add_module, 1);
  NoriaValue *a = make_f32(4, 1), *b = make_f32(3, 1), *scalar = make_i64(1), *matrix = NULL, *sequence = NULL;
  NoriaValue *y = NULL;
  assert_int_equal(noria_tensor_create(NORIA_F32, 2, (int64_t[]){2, 2}, NULL, &matrix, NULL), NORIA_OK);
  assert_int_equal(noria_sequence_create(NORIA_F32, NULL, 0, &sequence, NULL), NORIA_OK);
  expect_feed_error(program, a, a, 1, "the program has 2 inputs, but 1 are given");
  expect_feed_error(program, a, NULL, 2, "input 'b' is missing");
  expect_feed_error(program, a, scalar, 2, "input 'b' is of type float32, but the value is of type int64");
  expect_feed_error(program, a, sequence, 2, "input 'b' is a tensor, but the value is a sequence");
  expect_feed_error(program, matrix, a, 2,
                    "input 'a' has rank 1 and shape [N], but the value has rank 2 and shape [2, 2]");
  expect_feed_error(program, a, b, 2, "dim 0 of input 'b' is 3, but 'N' is 4 (dim 0 of input 'a')");
  const NoriaValue *inputs[] = {a, a};
  assert_int_equal(noria_program_run(program, inputs, 2, &y, 1, NULL, NULL), NORIA_OK);
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(noria_program_run(program, inputs, 2, NULL, 0, NULL, &error), NORIA_ERROR_INVALID);
  noria_error_clear(&error);
  noria_value_release(y);
  noria_value_release(a);
  noria_value_release(b);
  noria_value_release(scalar);
  noria_value_release(matrix);
  noria_value_release(sequence);
  noria_program_destroy(program);
}

/* ---- failures and limits ----------------------------------------------------------------------------------------- */

/* n = 0: fails at site 0; 1: fails without a message; 2: loops until stopped; 3: allocates without end; 4: fine;
 * 5: leaves a place, ends */
static int32_t trouble_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t n = *(const int64_t *)inputs[0].data;
  char *held = exec->api->alloc(exec, 1000);
  if (!held) return 1;
  held[999] = 1;
  if (n == 0) return exec->api->fail(exec, 0, 7, -2, 0, 0);
  if (n == 1) return 1;
  if (n == 2)
    for (int64_t since = 0;; since++)
      if (since == 1000 || stopped(exec)) {
        if (exec->api->poll(exec, since)) return 1;
        since = 0;
      }
  while (n == 3)
    if (!exec->api->alloc(exec, 1 << 20)) return 1;
  if (n == 5) exec->place = 0;
  exec->api->free(exec, held);
  outputs[0].data = exec->api->alloc(exec, 0);
  outputs[0].rank = 1;
  outputs[0].dims[0] = 0;
  return 0;
}

static const NoriaSite trouble_sites[] = {{"node 'loop/Div_3'", "division of %0 by %1, 100% wrong"}};
static const NoriaModule trouble_module = {.abi_version = NORIA_ABI_VERSION,
                                           .num_inputs = 1,
                                           .num_outputs = 1,
                                           .num_sites = 1,
                                           .name = "trouble",
                                           .inputs = scalar_i64,
                                           .outputs = vector_f32,
                                           .sites = trouble_sites,
                                           .entry = trouble_entry};

static void expect_run_error(NoriaProgram *program, int64_t n, NoriaRunLimits limits, NoriaStatus code,
                             const char *message) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaRunStats stats;
  NoriaRunOptions options = {.limits = limits, .stats = &stats};
  assert_int_equal(run_i64(program, n, &options, &error), code);
  assert_string_equal(error.message, message);
  noria_error_clear(&error);
  assert_int_equal(run_i64(program, 4, NULL, NULL), NORIA_OK); /* still usable */
}

static void failures_tell_why(void **state) {
  NoriaProgram *program = make_program(&trouble_module, 1);
  NoriaRunLimits none = {0};
  expect_run_error(program, 0, none, NORIA_ERROR_FAILED, "node 'loop/Div_3': division of 7 by -2, 100% wrong");
  expect_run_error(program, 1, none, NORIA_ERROR_INTERNAL, "the program failed with 1 and no message");
  expect_run_error(program, 2, (NoriaRunLimits){.iterations = 1000000}, NORIA_ERROR_LIMIT,
                   "the iteration limit of 1000000 is reached");
  expect_run_error(program, 2, (NoriaRunLimits){.time_s = 0.02}, NORIA_ERROR_LIMIT,
                   "the time limit of 0.02 s is reached");
  expect_run_error(program, 5, (NoriaRunLimits){.time_s = 1e-9}, NORIA_ERROR_LIMIT,
                   "node 'loop/Div_3': the time limit of 1e-09 s is reached");
  expect_run_error(program, 4, (NoriaRunLimits){.time_s = 1e-9}, NORIA_ERROR_LIMIT,
                   "the time limit of 1e-09 s is reached"); /* the place was the other run's */
  expect_run_error(program, 3, (NoriaRunLimits){.memory = 1 << 22}, NORIA_ERROR_LIMIT,
                   "the memory limit of 4194304 bytes is reached: the run holds 3146728 bytes and asks for 1048576");
  noria_program_destroy(program);
}

static void program_limits_are_the_default(void **state) {
  NoriaProgram *program = NULL;
  NoriaProgramOptions options = {.threads = 1, .limits = {.iterations = 5000}};
  assert_int_equal(noria_program_create(&trouble_module, &options, &program, NULL), NORIA_OK);
  assert_int_equal(run_i64(program, 2, NULL, NULL), NORIA_ERROR_LIMIT);
  noria_program_destroy(program);
}

static void *run_until_stopped(void *user) {
  NoriaProgram *program = user;
  return (void *)(intptr_t)run_i64(program, 2, NULL, NULL);
}

static void interrupts_reach_running_programs(void **state) {
  NoriaProgram *program = make_program(&trouble_module, 1);
  for (int all = 0; all < 2; all++) {
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, run_until_stopped, program);
    /* The threads may not run yet, so try until both came back. */
    for (int i = 0; i < 2; i++) {
      void *status;
      struct timespec soon;
      do {
        if (all)
          noria_interrupt_all();
        else
          noria_program_interrupt(program);
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 1000000;
        if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
      } while (pthread_timedjoin_np(thread[i], &status, &soon) != 0);
      assert_int_equal((intptr_t)status, NORIA_ERROR_INTERRUPTED);
    }
  }
  assert_int_equal(run_i64(program, 4, NULL, NULL), NORIA_OK);
  noria_program_destroy(program);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A scan output of n scalars that grows by doubling, and a scratch block made and freed in each trip. */
static int32_t scan_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t n = *(const int64_t *)inputs[0].data, room = 16;
  float *rows = exec->api->realloc(exec, NULL, room * 4);
  for (int64_t i = 0; rows && i < n; i++) {
    float *scratch = exec->api->alloc(exec, 256);
    if (!scratch) return 1;
    scratch[0] = (float)i;
    if (i == room) rows = exec->api->realloc(exec, rows, (room *= 2) * 4);
    if (!rows) return 1;
    rows[i] = scratch[0];
    exec->api->free(exec, scratch);
  }
  if (!rows || !(rows = exec->api->realloc(exec, rows, n * 4))) return 1;
  outputs[0].data = rows;
  outputs[0].rank = 1;
  outputs[0].dims[0] = n;
  return 0;
}

static const NoriaModule scan_module = MODULE(scan_entry, scalar_i64, vector_f32);

static void a_growing_output_stays_within_three_times_its_size(void **state) {
  NoriaProgram *program = make_program(&scan_module, 1);
  NoriaValue *n = make_i64(1000000), *y = NULL;
  const NoriaValue *inputs[] = {n};
  NoriaRunStats stats;
  NoriaRunOptions options = {.stats = &stats};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, &options, NULL), NORIA_OK);
  const float *data = noria_tensor_data(y);
  for (int64_t i = 0; i < 1000000; i++)
    if (data[i] != (float)i) assert_int_equal(i, -1);
  assert_true(stats.peak_memory < 3 * 4000000);
  assert_true(stats.allocations >= 1000000);
  noria_value_release(y);
  noria_value_release(n);
  assert_int_equal(run_i64(program, 0, NULL, NULL), NORIA_OK);
  noria_program_destroy(program);
}

/* Blocks of many sizes, written to the last byte, moved and freed in another order than made. */
static int32_t churn_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  enum { LIVE = 61 };
  unsigned char *block[LIVE] = {0};
  int64_t size[LIVE] = {0};
  uint64_t seed = (uint64_t)*(const int64_t *)inputs[0].data;
  for (int i = 0; i < 5000; i++) {
    int k = (int)(test_random(&seed) % LIVE);
    int64_t fresh = (int64_t)(test_random(&seed) % ((uint64_t)1 << (test_random(&seed) % 20)));
    for (int64_t b = 0; b < size[k]; b += 97)
      if (block[k][b] != (unsigned char)k) return exec->api->fail(exec, 0, i, k, b, 0);
    if (test_random(&seed) % 2 && block[k]) {
      exec->api->free(exec, block[k]);
      block[k] = NULL;
    }
    int64_t kept = block[k] ? (size[k] < fresh ? size[k] : fresh) : 0;
    block[k] = exec->api->realloc(exec, block[k], fresh);
    if (!block[k] || (uintptr_t)block[k] % 64) return 1;
    for (int64_t b = 0; b < kept; b += 97)
      if (block[k][b] != (unsigned char)k) return exec->api->fail(exec, 0, i, k, b, 1);
    memset(block[k], k, (size_t)fresh);
    size[k] = fresh;
  }
  outputs[0].data = NULL;
  outputs[0].rank = 1;
  outputs[0].dims[0] = 0;
  return 0;
}

static const NoriaSite churn_sites[] = {{"", "at step %0 block %1 byte %2 (%3)"}};
static const NoriaModule churn_module = {.abi_version = NORIA_ABI_VERSION,
                                         .num_inputs = 1,
                                         .num_outputs = 1,
                                         .num_sites = 1,
                                         .inputs = scalar_i64,
                                         .outputs = vector_f32,
                                         .sites = churn_sites,
                                         .entry = churn_entry};

static void blocks_keep_their_bytes(void **state) {
  NoriaProgram *program = make_program(&churn_module, 1);
  for (int64_t seed = 1; seed < 6; seed++) {
    NoriaError error = NORIA_ERROR_INIT;
    assert_int_equal(run_i64(program, seed, NULL, &error), NORIA_OK);
  }
  noria_program_trim(program);
  assert_int_equal(run_i64(program, 9, NULL, NULL), NORIA_OK);
  noria_program_destroy(program);
}

static int32_t twice_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  float *y = exec->api->alloc(exec, 8);
  if (!y) return 1;
  y[0] = 1, y[1] = 2;
  for (int i = 0; i < 2; i++) outputs[i] = (NoriaDesc){.data = y, .rank = 1, .dims = {2}};
  return 0;
}

static void one_block_as_two_outputs_is_two_values(void **state) {
  const NoriaValueInfo outputs[] = {vector_f32[0], vector_f32[0]};
  const NoriaModule module = {
      .abi_version = NORIA_ABI_VERSION, .num_outputs = 2, .outputs = outputs, .entry = twice_entry};
  NoriaProgram *program = make_program(&module, 1);
  NoriaValue *y[2];
  assert_int_equal(noria_program_run(program, NULL, 0, y, 2, NULL, NULL), NORIA_OK);
  assert_ptr_not_equal(noria_tensor_data(y[0]), noria_tensor_data(y[1]));
  assert_memory_equal(noria_tensor_data(y[0]), noria_tensor_data(y[1]), 8);
  noria_value_release(y[0]);
  noria_value_release(y[1]);
  noria_program_destroy(program);
}

static int32_t boast_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  float *y = exec->api->alloc(exec, 8);
  if (!y) return 1;
  y[0] = 1, y[1] = 2;
  outputs[0] = (NoriaDesc){.data = y, .rank = 1, .dims = {*(const int64_t *)inputs[0].data}};
  return 0;
}

/* What is behind the block is not handed out, whatever compiled code says of its size. */
static void an_output_is_no_larger_than_its_block(void **state) {
  const NoriaModule module = MODULE(boast_entry, scalar_i64, vector_f32);
  NoriaProgram *program = make_program(&module, 1);
  for (int64_t n = 0; n < 5; n++) {
    NoriaError error = NORIA_ERROR_INIT;
    assert_int_equal(run_i64(program, n, NULL, &error), n <= 2 ? NORIA_OK : NORIA_ERROR_INTERNAL);
    if (n == 3) assert_string_equal(error.message, "output 'y' of 12 bytes is in a block of 8");
    noria_error_clear(&error);
  }
  noria_program_destroy(program);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static int32_t double_import(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  results[0].bits = 2 * args[0].bits;
  return 0;
}

static int32_t import_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc arg = {.rank = -1, .bits = 21}, result;
  if (exec->imports[0](exec, &arg, &result)) return 1;
  int64_t *y = exec->api->alloc(exec, 8);
  if (!y) return 1;
  *y = (int64_t)result.bits + *(const int64_t *)exec->constants[0];
  outputs[0] = (NoriaDesc){.data = y};
  return 0;
}

static void count_release(void *user) { ++*(int *)user; }

static void imports_and_constants_are_resolved(void **state) {
  static const int64_t hundred = 100;
  const NoriaConstant constants[] = {{&hundred, 8}};
  const char *const names[] = {"test_double"};
  NoriaModule module = {.abi_version = NORIA_ABI_VERSION,
                        .num_outputs = 1,
                        .num_constants = 1,
                        .num_imports = 1,
                        .outputs = scalar_i64,
                        .constants = constants,
                        .imports = names,
                        .entry = import_entry};
  const NoriaImport imports[] = {{"test_double", double_import}};
  int released = 0;
  NoriaProgramOptions options = {.imports = imports, .num_imports = 1, .release = count_release, .user = &released};
  NoriaProgram *program = NULL;
  NoriaValue *y = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(noria_program_create(&module, &options, &program, NULL), NORIA_OK);
  assert_int_equal(noria_program_run(program, NULL, 0, &y, 1, NULL, NULL), NORIA_OK);
  assert_int_equal(*(const int64_t *)noria_tensor_data(y), 142);
  noria_value_release(y);
  noria_program_destroy(program);
  assert_int_equal(released, 1);
  assert_int_equal(noria_program_create(&module, NULL, &program, &error), NORIA_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.message, "test_double"));
  assert_null(program);
  module.abi_version = 99;
  assert_int_equal(noria_program_create(&module, &options, &program, &error), NORIA_ERROR_UNSUPPORTED);
  noria_error_clear(&error);
  assert_int_equal(noria_program_load("no/such/file.so", NULL, &program, &error), NORIA_ERROR_NOT_FOUND);
  assert_non_null(strstr(error.message, "no/such/file.so"));
  noria_error_clear(&error);
  assert_int_equal(released, 1);
}

/* ---- several at once --------------------------------------------------------------------------------------------- */

static void *run_scan_often(void *user) {
  intptr_t failed = 0;
  for (int i = 0; i < 50; i++) failed += run_i64(user, 100 + i, NULL, NULL) != NORIA_OK;
  return (void *)failed;
}

static void runs_at_once_do_not_meet(void **state) {
  NoriaProgram *program = make_program(&scan_module, 2);
  pthread_t thread[4];
  for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, run_scan_often, program);
  for (int i = 0; i < 4; i++) {
    void *failed;
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
  noria_program_destroy(program);
}

/* ---- blocks of outputs ------------------------------------------------------------------------------------------- */

enum { LARGE = 40 << 20, MARK = 42 }; /* bytes: the C library gives such blocks back to the system */

/* The first element says what was there before, which nobody may rely on. */
static int32_t mark_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  float *y = exec->api->alloc(exec, LARGE);
  if (!y) return 1;
  y[0] = y[1];
  y[1] = MARK;
  outputs[0] = (NoriaDesc){.data = y, .rank = 1, .dims = {LARGE / 4}};
  return 0;
}

static const NoriaModule mark_module = MODULE(mark_entry, scalar_i64, vector_f32);

static NoriaValue *run_marked(NoriaProgram *program, bool expect_mark) {
  NoriaValue *n = make_i64(0), *y = NULL;
  const NoriaValue *inputs[] = {n};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, NULL), NORIA_OK);
  assert_true((*(const float *)noria_tensor_data(y) == MARK) == expect_mark);
  noria_value_release(n);
  return y;
}

static void *release_value(void *value) {
  noria_value_release(value);
  return NULL;
}

static void released_outputs_are_used_again(void **state) {
  NoriaProgram *program = make_program(&mark_module, 1);
  NoriaValue *first = run_marked(program, false), *second = run_marked(program, false);
  noria_value_release(first);
  first = run_marked(program, true);
  noria_value_release(first);
  noria_value_release(second); /* more than the cache holds */
  noria_value_release(run_marked(program, true));
  noria_program_trim(program);
  first = run_marked(program, false);
  pthread_t thread;
  pthread_create(&thread, NULL, release_value, first);
  pthread_join(thread, NULL);
  first = run_marked(program, true);
  second = run_marked(program, false);
  noria_value_release(first);
  noria_program_destroy(program);
  noria_value_release(second); /* outlives the program */
}

static void a_program_without_a_cache_keeps_no_outputs(void **state) {
  NoriaProgram *program = NULL;
  NoriaProgramOptions options = {.threads = 1, .cache_size = -1};
  assert_int_equal(noria_program_create(&mark_module, &options, &program, NULL), NORIA_OK);
  for (int i = 0; i < 2; i++) noria_value_release(run_marked(program, false));
  noria_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds_two_tensors),
      cmocka_unit_test(wrong_feeds_are_named),
      cmocka_unit_test(failures_tell_why),
      cmocka_unit_test(program_limits_are_the_default),
      cmocka_unit_test(interrupts_reach_running_programs),
      cmocka_unit_test(a_growing_output_stays_within_three_times_its_size),
      cmocka_unit_test(blocks_keep_their_bytes),
      cmocka_unit_test(one_block_as_two_outputs_is_two_values),
      cmocka_unit_test(an_output_is_no_larger_than_its_block),
      cmocka_unit_test(imports_and_constants_are_resolved),
      cmocka_unit_test(runs_at_once_do_not_meet),
      cmocka_unit_test(released_outputs_are_used_again),
      cmocka_unit_test(a_program_without_a_cache_keeps_no_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
