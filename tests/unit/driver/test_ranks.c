/* test_ranks.c - programs with collectives through the C API: ranks that it starts, and ranks that are the caller's
 * threads and run more than once. With ThreadSanitizer (`make threads`) it looks for races, else for wrong results. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "noria/noria.h"

enum { RANKS = 4, ROWS = 6, RUNS = 20 };

/* The sum over the ranks of x, after a ring of messages, and how often the ring went around. */
static const char ring[] =
    "func.func @main(%x: tensor<6xi64>, %n: index) -> (tensor<6xi64>, tensor<6xi64>) {\n"
    "  %c = flow.channel.default : !flow.channel\n"
    "  %zero = arith.constant 0 : index\n"
    "  %one = arith.constant 1 : index\n"
    "  %r = flow.channel.rank %c : index\n"
    "  %k = flow.channel.count %c : index\n"
    "  %a = arith.addi %r, %one : index\n"
    "  %next = arith.remui %a, %k : index\n"
    "  %b = arith.addi %r, %k : index\n"
    "  %d = arith.subi %b, %one : index\n"
    "  %last = arith.remui %d, %k : index\n"
    "  %y = scf.for %i = %zero to %n step %one iter_args(%t = %x) -> (tensor<6xi64>) {\n"
    "    %s = flow.channel.split %c, %zero, %r : !flow.channel -> !flow.channel\n"
    "    %m = flow.collective.send_recv si64, %t, %t, %s, %next, %last : (tensor<6xi64>, tensor<6xi64>, !flow.channel, "
    "index, index) -> %t as tensor<6xi64>\n"
    "    scf.yield %m : tensor<6xi64>\n"
    "  }\n"
    "  %sum = flow.collective.all_reduce sum, si64, %y, %y, %c : (tensor<6xi64>, tensor<6xi64>, !flow.channel) -> "
    "%y as tensor<6xi64>\n"
    "  return %y, %sum : tensor<6xi64>, tensor<6xi64>\n"
    "}\n";
/* Fails on the rank that x names, while the others wait for it. */
static const char failing[] =
    "func.func @main(%x: index) -> tensor<6xi64> {\n"
    "  %c = flow.channel.default : !flow.channel\n"
    "  %r = flow.channel.rank %c : index\n"
    "  %ok = arith.cmpi ne, %r, %x : index\n"
    "  cf.assert %ok, \"it is me\"\n"
    "  %t = tensor.empty() : tensor<6xi64>\n"
    "  %m = flow.collective.all_reduce sum, si64, %t, %t, %c : (tensor<6xi64>, tensor<6xi64>, !flow.channel) -> %t as "
    "tensor<6xi64>\n"
    "  return %m : tensor<6xi64>\n"
    "}\n";

/* Machine code, or the interpreter, whose runs take turns but while they wait for others. */
static NoriaProgram *compile(const char *text, const char *interpret_after) {
  NoriaProgram *program = NULL;
  NoriaCompileOptions options = {.interpret_after = interpret_after};
  NoriaError error = NORIA_ERROR_INIT;
  noria_compile_memory(text, strlen(text), NULL, &options, &program, &error);
  if (error.message) print_message("%s\n", error.message);
  assert_non_null(program);
  return program;
}

static NoriaValue *index_value(int64_t value) {
  NoriaValue *v = NULL;
  assert_int_equal(noria_tensor_create(NORIA_I64, 0, NULL, &value, &v, NULL), NORIA_OK);
  return v;
}

static NoriaValue *rank_value(int64_t rank) {
  int64_t data[ROWS], count = ROWS;
  NoriaValue *v = NULL;
  for (int64_t i = 0; i < ROWS; i++) data[i] = 100 * rank + i;
  assert_int_equal(noria_tensor_create(NORIA_I64, 1, &count, data, &v, NULL), NORIA_OK);
  return v;
}

/* Whether the outputs of a rank are those of `times` messages around the ring. */
static bool is_right(NoriaValue *const *outputs, int64_t rank, int64_t times) {
  const int64_t *moved = noria_tensor_data(outputs[0]), *sum = noria_tensor_data(outputs[1]);
  int64_t from = ((rank - times) % RANKS + RANKS) % RANKS;
  for (int64_t i = 0; i < ROWS; i++)
    if (moved[i] != 100 * from + i || sum[i] != 100 * (RANKS * (RANKS - 1) / 2) + RANKS * i) return false;
  return true;
}

static void run_ranks(const char *interpret_after) {
  NoriaProgram *program = compile(ring, interpret_after);
  NoriaValue *inputs[2 * RANKS], *outputs[2 * RANKS];
  NoriaError error = NORIA_ERROR_INIT;
  for (int64_t times = 0; times < 5; times++) {
    for (int64_t r = 0; r < RANKS; r++) {
      inputs[2 * r] = rank_value(r);
      inputs[2 * r + 1] = index_value(times);
    }
    assert_int_equal(noria_program_run_ranks(program, RANKS, (const NoriaValue *const *)inputs, 2, outputs, 2, NULL,
                                             NULL, &error), NORIA_OK);
    for (int64_t r = 0; r < RANKS; r++) assert_true(is_right(&outputs[2 * r], r, times));
    for (int64_t i = 0; i < 2 * RANKS; i++) {
      noria_value_release(inputs[i]);
      noria_value_release(outputs[i]);
    }
  }
  noria_program_destroy(program);
}

static void machine_code_runs_as_ranks(void **state) { run_ranks(NULL); }
static void the_interpreter_runs_as_ranks(void **state) { run_ranks("import"); }
static void the_interpreter_runs_buffers_as_ranks(void **state) { run_ranks("buffer"); }

static void a_failure_ends_all(void **state) {
  NoriaProgram *program = compile(failing, *state);
  for (int64_t which = 0; which < RANKS; which++) {
    NoriaValue *input = index_value(which), *outputs[RANKS];
    const NoriaValue *inputs[RANKS] = {input, input, input, input};
    NoriaError error = NORIA_ERROR_INIT;
    char begin[32];
    snprintf(begin, sizeof begin, "rank %d: ", (int)which);
    assert_int_equal(noria_program_run_ranks(program, RANKS, inputs, 1, outputs, 1, NULL, NULL, &error),
                     NORIA_ERROR_FAILED);
    assert_memory_equal(error.message, begin, strlen(begin));
    assert_non_null(strstr(error.message, "'cf.assert' op it is me"));
    for (int r = 0; r < RANKS; r++) assert_null(outputs[r]);
    noria_error_clear(&error);
    noria_value_release(input);
  }
  noria_program_destroy(program);
}

/* ---- threads of the caller --------------------------------------------------------------------------------------- */

typedef struct Rank {
  NoriaProgram *program;
  NoriaWorld *world;
  pthread_t thread;
  bool ok;
} Rank;

static void *run_often(void *user) {
  Rank *r = user;
  int64_t rank = noria_world_rank(r->world);
  NoriaRunOptions options = {.world = r->world};
  r->ok = noria_world_count(r->world) == RANKS;
  for (int64_t times = 0; times < RUNS && r->ok; times++) {
    NoriaValue *outputs[2] = {NULL, NULL}, *x = rank_value(rank), *n = index_value(times % 7);
    const NoriaValue *inputs[2] = {x, n};
    r->ok = noria_program_run(r->program, inputs, 2, outputs, 2, &options, NULL) == NORIA_OK &&
            is_right(outputs, rank, times % 7);
    noria_value_release(x);
    noria_value_release(n);
    noria_value_release(outputs[0]);
    noria_value_release(outputs[1]);
  }
  r->ok = noria_world_end(r->world, NULL, NULL) == NORIA_OK && r->ok;
  return NULL;
}

/* Two computations at a time with one program. */
static void worlds_serve_many_runs(void **state) {
  NoriaProgram *program = compile(ring, NULL);
  NoriaWorld *worlds[2][RANKS];
  Rank ranks[2][RANKS];
  for (int w = 0; w < 2; w++) assert_int_equal(noria_world_create_threads(RANKS, NULL, worlds[w], NULL), NORIA_OK);
  for (int i = 0; i < 2 * RANKS; i++) {
    Rank *r = &ranks[i % 2][i / 2];
    *r = (Rank){.program = program, .world = worlds[i % 2][i / 2]};
    assert_int_equal(pthread_create(&r->thread, NULL, run_often, r), 0);
  }
  for (int i = 0; i < 2 * RANKS; i++) pthread_join(ranks[i % 2][i / 2].thread, NULL);
  for (int i = 0; i < 2 * RANKS; i++) {
    assert_true(ranks[i % 2][i / 2].ok);
    noria_world_destroy(worlds[i % 2][i / 2]);
  }
  noria_program_destroy(program);
}

static void a_run_that_fails_ends_its_world(void **state) {
  NoriaProgram *program = compile(failing, NULL);
  NoriaWorld *worlds[2];
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(noria_world_create_threads(2, NULL, worlds, NULL), NORIA_OK);
  NoriaValue *input = index_value(1), *output;
  for (int r = 1; r >= 0; r--) { /* rank 1 fails by itself, then rank 0 because of that */
    NoriaRunOptions options = {.world = worlds[r]};
    const NoriaValue *inputs[1] = {input};
    assert_int_equal(noria_program_run(program, inputs, 1, &output, 1, &options, &error), NORIA_ERROR_FAILED);
    assert_non_null(strstr(error.message, r ? "'cf.assert' op it is me" : "rank 1 ended"));
    assert_int_equal(noria_world_reports(worlds[r]) != 0, r);
  }
  noria_error_clear(&error);
  noria_value_release(input);
  for (int r = 0; r < 2; r++) noria_world_destroy(worlds[r]);
  noria_program_destroy(program);
}

/* ---- wrong calls ------------------------------------------------------------------------------------------------- */

static void wrong_arguments(void **state) {
  NoriaProgram *program = compile(failing, NULL);
  NoriaValue *input = index_value(9), *outputs[2];
  const NoriaValue *inputs[2] = {input, input};
  NoriaError error = NORIA_ERROR_INIT;
  for (int i = 0; i < 3; i++) {
    int32_t ranks = (int32_t[]){0, -1, 1025}[i];
    assert_int_equal(noria_program_run_ranks(program, ranks, inputs, 1, outputs, 0, NULL, NULL, &error),
                     NORIA_ERROR_INVALID);
    assert_non_null(strstr(error.message, "there are 1 to 1024 in a process"));
  }
  NoriaRunOptions options = {.limits.time_s = -1};
  assert_int_equal(noria_program_run_ranks(program, 2, inputs, 1, outputs, 1, &options, NULL, &error),
                   NORIA_ERROR_INVALID);
  assert_int_equal(noria_program_run_ranks(program, 2, inputs, 0, outputs, 1, NULL, NULL, &error),
                   NORIA_ERROR_INVALID);
  assert_int_equal(noria_world_rank(NULL), 0);
  assert_int_equal(noria_world_count(NULL), 1);
  assert_int_equal(noria_world_end(NULL, "why", NULL), NORIA_OK);
  noria_world_destroy(NULL);
  noria_error_clear(&error);
  noria_value_release(input);
  noria_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machine_code_runs_as_ranks),
      cmocka_unit_test(the_interpreter_runs_as_ranks),
      cmocka_unit_test(the_interpreter_runs_buffers_as_ranks),
      cmocka_unit_test_prestate(a_failure_ends_all, NULL),
      cmocka_unit_test_prestate(a_failure_ends_all, "import"),
      cmocka_unit_test(worlds_serve_many_runs),
      cmocka_unit_test(a_run_that_fails_ends_its_world),
      cmocka_unit_test(wrong_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
