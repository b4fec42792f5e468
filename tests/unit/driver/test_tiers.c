/* test_tiers.c - programs that run code of level 1 while better code is made (NoriaCompileOptions.tiered). */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"

#include "base/guard.h"
#include "noria/noria.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

/* Adds to a variable, and calls the embedding program %x times, from one place. */
static const char text[] = "memref.global \"private\" @sum : memref<i64> = dense<1000>\n"
                           "memref.global \"private\" constant @weights : memref<100xi64> = dense<3>\n"
                           "flow.func private @look() -> i64\n"
                           "func.func @main(%x: i64) -> i64 {\n"
                           "  %c0 = arith.constant 0 : index\n"
                           "  %c1 = arith.constant 1 : index\n"
                           "  %c2 = arith.constant 2 : index\n"
                           "  %g = memref.get_global @sum : memref<i64>\n"
                           "  %w = memref.get_global @weights : memref<100xi64>\n"
                           "  %n = arith.index_cast %x : i64 to index\n"
                           "  scf.for %i = %c0 to %n step %c1 {\n"
                           "    %unused = flow.call @look() : () -> i64\n"
                           "  }\n"
                           "  %a = memref.load %g[] : memref<i64>\n"
                           "  %b = memref.load %w[%c2] : memref<100xi64>\n"
                           "  %c = arith.muli %x, %b : i64\n"
                           "  %d = arith.addi %a, %c : i64\n"
                           "  memref.store %d, %g[] : memref<i64>\n"
                           "  return %d : i64\n"
                           "}\n";

/* So much code that to make it better takes a while. */
static char *much_text(void) {
  enum { FUNCTIONS = 20 };
  size_t size = 1 << 20, at = 0;
  char *out = malloc(size);
  for (int f = 0; f < FUNCTIONS; f++)
    at += (size_t)snprintf(out + at, size - at,
                           "func.func private @f%d(%%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
                           "  %%c = arith.constant dense<%d.5> : tensor<64x64xf32>\n"
                           "  %%0 = math.exp %%x : tensor<64x64xf32>\n"
                           "  %%1 = arith.addf %%0, %%c : tensor<64x64xf32>\n"
                           "  %%2 = math.tanh %%1 : tensor<64x64xf32>\n"
                           "  %%3 = math.sin %%2 : tensor<64x64xf32>\n"
                           "  return %%3 : tensor<64x64xf32>\n}\n",
                           f, f);
  at += (size_t)snprintf(out + at, size - at, "func.func @main(%%v0: tensor<64x64xf32>) -> tensor<64x64xf32> {\n");
  for (int f = 0; f < FUNCTIONS; f++)
    at += (size_t)snprintf(out + at, size - at,
                           "  %%v%d = func.call @f%d(%%v%d) : (tensor<64x64xf32>) -> tensor<64x64xf32>\n", f + 1, f, f);
  snprintf(out + at, size - at, "  return %%v%d : tensor<64x64xf32>\n}\n", FUNCTIONS);
  return out;
}

/* ---- the embedding program's function --------------------------------------------------------------------------- */

static NoriaProgram *waits_for; /* the call waits until its better code is there; NULL: not at all */
static _Atomic(void *) places[4]; /* in compiled code, from which the calls came */
static atomic_int num_places;

static int32_t look(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  (void)exec, (void)args;
  int i = atomic_fetch_add(&num_places, 1);
  if (i < 4) atomic_store(&places[i], __builtin_return_address(0));
  if (waits_for && noria_program_tier(waits_for, -1, NULL) != NORIA_TIER_OPTIMIZED) return 1;
  results[0].bits = 0;
  return 0;
}

static const NoriaImport imports[] = {{"look", look}};

static NoriaProgram *compile(const char *program_text, const char *cache) {
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaCompileOptions options = {
      .program = {.threads = 2, .imports = imports, .num_imports = 1}, .cache = cache, .tiered = 1};
  if (noria_compile_memory(program_text, strlen(program_text), NULL, &options, &program, &error))
    fail_msg("%s", error.message);
  return program;
}

/* The result of @main on an i64; INT64_MIN after an error. */
static int64_t run(NoriaProgram *program, int64_t x) {
  NoriaValue *input = NULL, *output = NULL;
  int64_t result = INT64_MIN;
  noria_tensor_create(NORIA_I64, 0, NULL, &x, &input, NULL);
  if (!noria_program_run(program, (const NoriaValue *[]){input}, 1, &output, 1, NULL, NULL))
    result = *(const int64_t *)noria_tensor_data(output);
  noria_value_release(input);
  noria_value_release(output);
  return result;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void a_run_keeps_its_code_and_later_ones_have_the_better(void **state) {
  (void)state;
  NoriaProgram *program = compile(text, NULL);
  /* The first run, and with it the first call, may begin too late on a busy machine; a try that does shows nothing. */
  for (int i = 0; noria_program_tier(program, 0, NULL) != NORIA_TIER_FIRST && i < 50; i++) {
    noria_program_destroy(program);
    program = compile(text, NULL);
  }
  waits_for = program;
  num_places = 0;
  assert_int_equal(run(program, 2), 1006);
  assert_int_equal(noria_program_tier(program, 0, NULL), NORIA_TIER_OPTIMIZED);
  assert_int_equal(run(program, 2), 1012); /* the variable is the same one */
  waits_for = NULL;
  assert_int_equal(num_places, 4);
  assert_ptr_equal(places[0], places[1]);
  assert_ptr_equal(places[2], places[3]);
  assert_ptr_not_equal(places[0], places[2]);
  noria_program_destroy(program);
}

static atomic_int num_wrong;

/* Threads may overwrite what others add, but each result is what one of them left and 3 more. */
static void *add_ones(void *program) {
  for (int i = 0; i < 200; i++) {
    int64_t result = run(program, 1);
    if (result < 1003 || (result - 1000) % 3) atomic_fetch_add(&num_wrong, 1);
  }
  return NULL;
}

static void threads_run_while_the_code_changes(void **state) {
  (void)state;
  pthread_t threads[3];
  NoriaProgram *counter = compile(text, NULL);
  for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, add_ones, counter), 0);
  assert_int_equal(noria_program_tier(counter, -1, NULL), NORIA_TIER_OPTIMIZED);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&num_wrong), 0);
  assert_true(run(counter, 1) > 1003); /* the variable did not begin anew */
  noria_program_destroy(counter);
}

static void the_cache_has_the_better_code(void **state) {
  char folder[] = "/tmp/noria-test-tiers-XXXXXX", command[100];
  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 2; i++) {
    NoriaProgram *program = compile(text, folder);
    assert_int_equal(noria_program_tier(program, -1, NULL), i ? NORIA_TIER_ONLY : NORIA_TIER_OPTIMIZED);
    assert_int_equal(run(program, 1), 1003);
    assert_int_equal(run(program, 1), 1006);
    noria_program_destroy(program);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* The status of a background compilation in which a step fails. */
static NoriaStatus fails_with(NrStatus status) {
  NoriaError error = NORIA_ERROR_INIT;
  nr_injection = (NrInjection){.step = "background compilation", .status = status};
  NoriaProgram *program = compile(text, NULL);
  assert_int_equal(noria_program_tier(program, -1, &error), NORIA_TIER_FAILED);
  nr_injection = (NrInjection){0};
  assert_non_null(strstr(error.message, "background compilation"));
  assert_int_equal(run(program, 1), 1003);
  assert_int_equal(run(program, 1), 1006);
  NoriaStatus code = error.code;
  noria_error_clear(&error);
  noria_program_destroy(program);
  return code;
}

static void a_program_runs_when_no_better_code_can_be_made(void **state) {
  (void)state;
  assert_int_equal(fails_with(NR_ERROR_INTERNAL), NORIA_ERROR_INTERNAL);
  assert_int_equal(fails_with(NR_ERROR_MEMORY), NORIA_ERROR_MEMORY);
}

static void a_program_can_be_destroyed_at_any_time(void **state) {
  char *much = much_text();
  (void)state;
  for (int i = 0; i < 3; i++) {
    NoriaProgram *program = compile(much, NULL);
    usleep((unsigned)i * 20000);
    noria_program_destroy(program);
  }
  free(much);
}

/* How a child process ends that calls body and returns from its main. */
static int status_of(void (*body)(NoriaProgram *program), NoriaProgram *program) {
  int status = -1;
  fflush(stdout);
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) {
    alarm(100);
    body(program);
    exit(0);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static NoriaProgram *left; /* at exit */

static void leave_one(NoriaProgram *unused) {
  char *much = much_text();
  (void)unused;
  left = compile(much, NULL);
  free(much);
}

/* LLVM works for one that is destroyed already, too. */
static void leave_two(NoriaProgram *unused) {
  leave_one(unused);
  noria_program_destroy(left);
  leave_one(unused);
}

static NoriaProgram *busy; /* whose code takes a while */

/* In the child there is no thread that makes it, so nothing may wait for one. */
static void use_and_destroy(NoriaProgram *program) {
  NoriaProgram *programs[] = {program, busy};
  if (run(program, 1) != 1003) _exit(1);
  for (int i = 0; i < 2; i++) {
    NoriaError error = NORIA_ERROR_INIT;
    NoriaTier tier = noria_program_tier(programs[i], -1, &error);
    if (tier != NORIA_TIER_OPTIMIZED && (tier != NORIA_TIER_FAILED || !strstr(error.message, "fork()"))) _exit(2);
    noria_error_clear(&error);
    noria_program_destroy(programs[i]);
  }
#ifdef SANITIZED /* what the thread was at is lost */
  _exit(0);
#endif
}

static void the_process_can_end(void **state) {
  (void)state;
#ifdef SANITIZED /* its allocator ends the process where LLVM, whose data are gone, asks for nonsense */
  skip();
#endif
  assert_int_equal(status_of(leave_one, NULL), 0);
  assert_int_equal(status_of(leave_two, NULL), 0);
}

static void the_process_can_fork(void **state) {
  (void)state;
  char *much = much_text();
  busy = compile(much, NULL);
  NoriaProgram *program = compile(text, NULL);
  assert_int_equal(status_of(use_and_destroy, program), 0);
  assert_int_equal(noria_program_tier(program, -1, NULL), NORIA_TIER_OPTIMIZED);
  assert_int_equal(run(program, 1), 1003);
  noria_program_destroy(program);
  noria_program_destroy(busy);
  free(much);
}

static int threads_of_process(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  while (tasks && readdir(tasks)) count++;
  if (tasks) closedir(tasks);
  return count;
}

static void *no_work(void *user) { return user; }

int main(void) {
  pthread_t first; /* with which a sanitizer may start one of its own */
  if (pthread_create(&first, NULL, no_work, NULL) == 0) pthread_join(first, NULL);
  int threads = threads_of_process();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_process_can_end), /* first: its child compiles, while no other thread does */
      cmocka_unit_test(a_run_keeps_its_code_and_later_ones_have_the_better),
      cmocka_unit_test(threads_run_while_the_code_changes),
      cmocka_unit_test(the_cache_has_the_better_code),
      cmocka_unit_test(a_program_runs_when_no_better_code_can_be_made),
      cmocka_unit_test(a_program_can_be_destroyed_at_any_time),
      cmocka_unit_test(the_process_can_fork),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int i = 0; i < 10000 && threads_of_process() > threads; i++) usleep(10000); /* LLVM's, of destroyed programs */
  return failed;
}
