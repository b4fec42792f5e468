/* test_threads.c - the C API from several threads at once: compiling, running shared programs, limits, interrupts,
 * errors, values and destroying. With ThreadSanitizer (`make threads`) it looks for races, else for wrong results. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "noria/noria.h"

enum { THREADS = 4, RUNS = 400, PROGRAMS = 6, COUNT = 40000 };

/* Heavy enough to be a dispatch on all threads of the program. */
static const char heavy[] = "func.func @main(%x: tensor<40000xf32>) -> tensor<40000xf32> {\n"
                            "  %0 = math.exp %x : tensor<40000xf32>\n"
                            "  %1 = arith.addf %0, %x : tensor<40000xf32>\n"
                            "  %2 = math.tanh %1 : tensor<40000xf32>\n"
                            "  return %2 : tensor<40000xf32>\n"
                            "}\n";
static const char sum[] = "func.func @main(%n: i64) -> i64 {\n"
                          "  %zero = arith.constant 0 : i64\n"
                          "  %one = arith.constant 1 : i64\n"
                          "  %r = scf.for %i = %zero to %n step %one iter_args(%a = %zero) -> (i64) : i64 {\n"
                          "    %b = arith.addi %a, %i : i64\n"
                          "    scf.yield %b : i64\n"
                          "  }\n"
                          "  return %r : i64\n"
                          "}\n";
static const char endless[] = "func.func @main(%x: i64) -> i64 {\n"
                              "  %true = arith.constant true\n"
                              "  %r = scf.while (%a = %x) : (i64) -> i64 {\n"
                              "    scf.condition(%true) %a : i64\n"
                              "  } do {\n"
                              "  ^bb0(%a: i64):\n"
                              "    %b = arith.addi %a, %x : i64\n"
                              "    scf.yield %b : i64\n"
                              "  }\n"
                              "  return %r : i64\n"
                              "}\n";
static const char wrong[] = "func.func @main(%x: i64) -> i32 { return %x : i64 }";

static NoriaProgram *compile(const char *text, const NoriaCompileOptions *options) {
  NoriaProgram *program = NULL;
  NoriaStatus status = noria_compile_memory(text, strlen(text), NULL, options, &program, NULL);
  return status ? NULL : program;
}

static NoriaValue *make_input(void) {
  int64_t count = COUNT;
  float *data = calloc(COUNT, sizeof *data);
  NoriaValue *value = NULL;
  for (int i = 0; i < COUNT; i++) data[i] = (float)i / COUNT;
  noria_tensor_create(NORIA_F32, 1, &count, data, &value, NULL);
  free(data);
  return value;
}

/* What all threads share. */
typedef struct Shared {
  NoriaProgram *heavy, *endless, *interpreted;
  NoriaValue *input, *one;
  float expected[COUNT];
  atomic_int wrong;
} Shared;

static bool runs_right(Shared *s, NoriaProgram *program) {
  const NoriaValue *inputs[] = {s->input};
  NoriaValue *output = NULL;
  bool good = noria_program_run(program, inputs, 1, &output, 1, NULL, NULL) == NORIA_OK &&
              memcmp(noria_tensor_data(output), s->expected, sizeof s->expected) == 0;
  noria_value_release(output);
  return good;
}

/* Ends by its limit, or because another thread interrupts it. */
static bool is_stopped(Shared *s) {
  const NoriaValue *inputs[] = {s->one};
  NoriaValue *output = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaRunOptions options = {.limits.time_s = 0.002};
  NoriaStatus status = noria_program_run(s->endless, inputs, 1, &output, 1, &options, &error);
  bool good = (status == NORIA_ERROR_LIMIT || status == NORIA_ERROR_INTERRUPTED) && !output && error.message;
  noria_error_clear(&error);
  return good;
}

/* The sum of 0 .. n - 1, by the interpreter. */
static bool interprets_right(Shared *s, int64_t n) {
  NoriaValue *input = NULL, *output = NULL;
  noria_tensor_create(NORIA_I64, 0, NULL, &n, &input, NULL);
  const NoriaValue *inputs[] = {input};
  bool good = noria_program_run(s->interpreted, inputs, 1, &output, 1, NULL, NULL) == NORIA_OK &&
              *(const int64_t *)noria_tensor_data(output) == n * (n - 1) / 2;
  noria_value_release(output);
  noria_value_release(input);
  return good;
}

static void *run_shared(void *user) {
  Shared *s = user;
  for (int i = 0; i < RUNS; i++) {
    bool good = i % 16 == 7 ? is_stopped(s) : i % 8 == 5 ? interprets_right(s, 100 + i) : runs_right(s, s->heavy);
    if (i % 64 == 9) noria_program_interrupt(s->endless);
    if (i % 128 == 11) noria_program_trim(s->heavy);
    NoriaValue *again = noria_value_retain(s->input);
    noria_value_release(again);
    if (!good) atomic_fetch_add(&s->wrong, 1);
  }
  return NULL;
}

/* Programs of its own, while the others run theirs. */
static void *compile_own(void *user) {
  Shared *s = user;
  for (int i = 0; i < PROGRAMS; i++) {
    NoriaCompileOptions options = {.program.threads = 2, .interpret_after = i % 3 == 2 ? "tensor" : NULL};
    NoriaProgram *program = compile(heavy, &options);
    bool good = program && (options.interpret_after || runs_right(s, program));
    noria_program_destroy(program);
    good = good && !compile(wrong, NULL);
    if (!good) atomic_fetch_add(&s->wrong, 1);
  }
  return NULL;
}

static void start(Shared *s, void *(*body)(void *), pthread_t threads[THREADS]) {
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, body, s), 0);
}

static void finish(Shared *s, pthread_t threads[THREADS]) {
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&s->wrong), 0);
}

static int set_up(void **state) {
  Shared *s = calloc(1, sizeof *s);
  NoriaCompileOptions options = {.program.threads = 3};
  int64_t one = 1;
  *state = s;
  s->heavy = compile(heavy, &options);
  s->endless = compile(endless, &options);
  s->interpreted = compile(sum, &(NoriaCompileOptions){.interpret_after = "tensor"});
  s->input = make_input();
  if (!s->heavy || !s->endless || !s->interpreted) return 1;
  if (!s->input || noria_tensor_create(NORIA_I64, 0, NULL, &one, &s->one, NULL)) return 1;
  const NoriaValue *inputs[] = {s->input};
  NoriaValue *output = NULL;
  if (noria_program_run(s->heavy, inputs, 1, &output, 1, NULL, NULL)) return 1;
  memcpy(s->expected, noria_tensor_data(output), sizeof s->expected);
  noria_value_release(output);
  return 0;
}

static int tear_down(void **state) {
  Shared *s = *state;
  noria_program_destroy(s->heavy);
  noria_program_destroy(s->endless);
  noria_program_destroy(s->interpreted);
  noria_value_release(s->input);
  noria_value_release(s->one);
  free(s);
  return 0;
}

static void programs_are_shared(void **state) {
  pthread_t threads[THREADS];
  start(*state, run_shared, threads);
  finish(*state, threads);
}

static void programs_are_compiled_at_once(void **state) {
  pthread_t threads[THREADS];
  start(*state, compile_own, threads);
  finish(*state, threads);
}

static void programs_are_compiled_while_others_run(void **state) {
  pthread_t runners[THREADS], compilers[THREADS];
  start(*state, run_shared, runners);
  start(*state, compile_own, compilers);
  finish(*state, compilers);
  finish(*state, runners);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_are_shared),
      cmocka_unit_test(programs_are_compiled_at_once),
      cmocka_unit_test(programs_are_compiled_while_others_run),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
