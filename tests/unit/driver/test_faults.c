/* test_faults.c - what goes wrong while something is compiled ends the call with a status, and nothing else: internal
 * errors in every pass, memory that is not to be had, limits, interrupts. Run with the address sanitizer, they show
 * that nothing is left behind either. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"

#include "base/guard.h"
#include "noria/noria.h"
#include "pass/core/pass.h"

static const char text[] = "func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {\n"
                           "  %c0 = arith.constant 0 : index\n"
                           "  %c1 = arith.constant 1 : index\n"
                           "  %c10 = arith.constant 10 : index\n"
                           "  %one = arith.constant dense<1> : tensor<4xi64>\n"
                           "  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%s = %x) -> (tensor<4xi64>) {\n"
                           "    %t = arith.addi %s, %one : tensor<4xi64>\n"
                           "    scf.yield %t : tensor<4xi64>\n"
                           "  }\n"
                           "  return %r : tensor<4xi64>\n"
                           "}\n";

/* A program to compile: text, or the file of a model. */
typedef struct Source {
  const char *text, *path;
} Source;
static const Source of_text = {.text = text};
static const Source of_model = {.path = TEST_SOURCE_DIR "/fuzz/corpus/onnx/loop.onnx"};

static NoriaStatus compile(const Source *source, const NoriaCompileOptions *options, NoriaProgram **out,
                           NoriaError *error) {
  if (source->path) return noria_compile_file(source->path, options, out, error);
  return noria_compile_memory(source->text, strlen(source->text), NULL, options, out, error);
}

static void expect_that_it_works(const Source *source) {
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  if (compile(source, NULL, &program, &error)) fail_msg("%s", error.message);
  if (source->text) {
    NoriaValue *x, *y;
    assert_int_equal(noria_tensor_create(NORIA_I64, 1, (int64_t[]){4}, (int64_t[]){1, 2, 3, -4}, &x, NULL), NORIA_OK);
    const NoriaValue *inputs[] = {x};
    assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, NULL), NORIA_OK);
    assert_memory_equal(noria_tensor_data(y), ((int64_t[]){11, 12, 13, 6}), 32);
    noria_value_release(x);
    noria_value_release(y);
  }
  noria_program_destroy(program);
}

/* ---- faults in every pass --------------------------------------------------------------------------------------- */

/* Whether the pass ran, and so failed. */
static bool fails_in(const Source *source, const char *step, NrStatus fault) {
  NoriaProgram *program = (NoriaProgram *)&program;
  NoriaError error = NORIA_ERROR_INIT;
  char place[100];
  snprintf(place, sizeof place, "pass '%s'", step);
  nr_injection = (NrInjection){.step = step, .status = fault};
  NoriaStatus status = compile(source, NULL, &program, &error);
  size_t hits = nr_injection.hits;
  nr_injection = (NrInjection){0};
  if (hits) {
    assert_int_equal(status, fault == NR_ERROR_MEMORY ? NORIA_ERROR_MEMORY : NORIA_ERROR_INTERNAL);
    assert_null(program);
    if (!strstr(error.message, nr_pass_find(nr_str(step)) ? place : step)) fail_msg("%s: %s", step, error.message);
    if (fault == NR_ERROR_INTERNAL) assert_non_null(strstr(error.message, "please report it"));
  } else {
    assert_int_equal(status, NORIA_OK);
    noria_program_destroy(program);
  }
  noria_error_clear(&error);
  return hits != 0;
}

static bool is_always(const NrStep *step) { return !step->checks_bounds && !step->shard; }

/* The passes that every run of the pipeline has, each once. */
static size_t pipeline_passes(const char **out, size_t size) {
  size_t count = 0;
  for (size_t i = 0; nr_pass_at(i); i++) {
    bool named = false;
    size_t n = strlen(nr_pass_at(i)->name);
    for (const NrStep *step = nr_pipeline; step->stage && !named; step++)
      for (const char *at = step->passes; is_always(step) && (at = strstr(at, nr_pass_at(i)->name)); at += n)
        named |= (at == step->passes || at[-1] == ',') && (!at[n] || at[n] == ',' || at[n] == '{');
    assert_true(count < size);
    if (named) out[count++] = nr_pass_at(i)->name;
  }
  return count;
}

static void fail_in_every_pass(const Source *source, NrStatus fault) {
  const char *names[200];
  size_t count = pipeline_passes(names, 200);
  assert_true(count > 25);
  for (size_t i = 0; i < count; i++)
    if (!fails_in(source, names[i], fault)) fail_msg("pass %s did not run", names[i]);
  const char *others[] = {"reading", "machine code", "LLVM", "linking"};
  for (size_t i = 0; i < NR_COUNTOF(others); i++)
    if (!fails_in(source, others[i], NR_ERROR_INTERNAL)) fail_msg("there is no step %s", others[i]);
  expect_that_it_works(source);
}

static void every_pass_may_fail(void **state) {
  fail_in_every_pass(&of_text, NR_ERROR_INTERNAL);
  fail_in_every_pass(&of_model, NR_ERROR_INTERNAL);
}

/* A pass that allocates nothing leaves the fault to the next. */
static void every_pass_may_run_out_of_memory(void **state) {
  const char *names[200];
  size_t count = pipeline_passes(names, 200);
  for (size_t i = 0; i < count; i++)
    for (int model = 0; model < 2; model++) {
      NoriaProgram *program;
      NoriaError error = NORIA_ERROR_INIT;
      nr_injection = (NrInjection){.step = names[i], .status = NR_ERROR_MEMORY};
      assert_int_equal(compile(model ? &of_model : &of_text, NULL, &program, &error), NORIA_ERROR_MEMORY);
      assert_non_null(strstr(error.message, "the system has no more memory"));
      noria_error_clear(&error);
    }
  nr_injection = (NrInjection){0};
  expect_that_it_works(&of_text);
}

/* The first allocations one by one, then more and more of them at a time. */
static void any_allocation_may_fail(void **state) {
  const Source *sources[] = {&of_text, &of_model};
  for (size_t k = 0; k < 2; k++) {
    size_t failed = 0;
    for (size_t n = 1;; n += 1 + n / 40) {
      NoriaProgram *program;
      NoriaError error = NORIA_ERROR_INIT;
      nr_injection = (NrInjection){.allocation = n};
      NoriaStatus status = compile(sources[k], NULL, &program, &error);
      nr_injection = (NrInjection){0};
      if (status == NORIA_OK) {
        noria_program_destroy(program);
        break;
      }
      assert_int_equal(status, NORIA_ERROR_MEMORY);
      noria_error_clear(&error);
      failed++;
    }
    assert_true(failed > 100);
    expect_that_it_works(sources[k]);
  }
}

static void files_may_fail(void **state) {
  const char *names[] = {"cse", "machine code", "LLVM"};
  const NoriaFileKind kinds[] = {NORIA_FILE_OBJECT, NORIA_FILE_SHARED, NORIA_FILE_LLVM_IR, NORIA_FILE_ASSEMBLY};
  char folder[] = "/tmp/noria-faults-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/out", folder);
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    for (size_t k = 0; k < NR_COUNTOF(kinds); k++) {
      NoriaError error = NORIA_ERROR_INIT;
      nr_injection = (NrInjection){.step = names[i], .status = NR_ERROR_INTERNAL};
      NoriaStatus status = noria_compile_to_file(of_model.path, NULL, kinds[k], path, NULL, &error);
      assert_int_equal(status, NORIA_ERROR_INTERNAL);
      noria_error_clear(&error);
    }
  nr_injection = (NrInjection){0};
  assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

static void the_interpreter_may_fail(void **state) {
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaValue *x, *y;
  NoriaCompileOptions options = {.interpret_after = "tensor"};
  assert_int_equal(compile(&of_text, &options, &program, &error), NORIA_OK);
  assert_int_equal(noria_tensor_create(NORIA_I64, 1, (int64_t[]){4}, NULL, &x, NULL), NORIA_OK);
  const NoriaValue *inputs[] = {x};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, &error), NORIA_OK);
  noria_value_release(y);
  nr_injection = (NrInjection){.step = "the interpreter", .status = NR_ERROR_INTERNAL};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, &error), NORIA_ERROR_INTERNAL);
  assert_non_null(strstr(error.message, "(the interpreter)"));
  nr_injection = (NrInjection){0};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, &error), NORIA_ERROR_INTERNAL);
  noria_error_clear(&error);
  noria_program_destroy(program);
  noria_value_release(x);
}

/* ---- limits and interrupts -------------------------------------------------------------------------------------- */

/* A chain of ops that LLVM takes many seconds for, most of them in one pass; or many functions, for our passes. */
static NrBuf slow_program(size_t ops) {
  NrBuf b = {0};
  nr_buf_puts(&b, "func.func @main(%v0: f64) -> f64 {\n  %v1 = arith.mulf %v0, %v0 : f64\n");
  for (size_t i = 2; i < ops; i++)
    nr_buf_printf(&b, "  %%v%zu = arith.%s %%v%zu, %%v%zu : f64\n", i, i % 2 ? "addf" : "mulf", i - 1,
                  i * 7919 % i / 2);
  nr_buf_printf(&b, "  return %%v%zu : f64\n}\n", ops - 1);
  return b;
}

static void expect_end(const NrBuf *program_text, const NoriaCompileOptions *options, NoriaStatus status,
                       const char *message) {
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus is = noria_compile_memory(program_text->data, program_text->size, NULL, options, &program, &error);
  if (is != status || !strstr(error.message, message)) fail_msg("%d: %s", (int)is, error.message ? error.message : "");
  noria_error_clear(&error);
}

static void memory_is_limited(void **state) {
  NrBuf b = slow_program(3000);
  expect_end(&b, &(NoriaCompileOptions){.compile_memory = 200 << 10}, NORIA_ERROR_LIMIT,
             "compiling takes more memory than the limit of 200 KiB (reading");
  expect_end(&b, &(NoriaCompileOptions){.compile_memory = 1 << 10}, NORIA_ERROR_LIMIT, "1 KiB");
  nr_buf_deinit(&b);
  NoriaProgram *program;
  assert_int_equal(compile(&of_text, &(NoriaCompileOptions){.compile_memory = -1}, &program, NULL), NORIA_OK);
  noria_program_destroy(program);
  expect_that_it_works(&of_text);
}

static void time_is_limited(void **state) {
  NrBuf b = slow_program(60000);
  expect_end(&b, &(NoriaCompileOptions){.compile_time_s = 0.01}, NORIA_ERROR_LIMIT,
             "the time limit of 0.01 s (reading");
  expect_end(&b, &(NoriaCompileOptions){.compile_time_s = -1}, NORIA_ERROR_INVALID, "cannot be negative");
  nr_buf_deinit(&b);
}

typedef struct Interrupter {
  int64_t delay_ns, at_ns;
  atomic_bool heard;
} Interrupter;

static void *interrupt_later(void *user) {
  Interrupter *i = user;
  nanosleep(&(struct timespec){i->delay_ns / 1000000000, i->delay_ns % 1000000000}, NULL);
  i->at_ns = nr_now_ns();
  /* Once would be enough, had the call begun by now. */
  for (; !atomic_load(&i->heard); nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL)) noria_interrupt_all();
  return NULL;
}

/* From our own passes to the middle of LLVM's. The bound is loose, for machines under load; without a load the caller
 * hears of it within 20 ms. */
static void interrupts_are_heard(void **state) {
  NrBuf b = slow_program(40000);
  const int64_t delays_ms[] = {1, 5, 20, 80, 300};
  for (size_t i = 0; i < NR_COUNTOF(delays_ms); i++) {
    pthread_t thread;
    Interrupter interrupter = {.delay_ns = delays_ms[i] * 1000000};
    assert_int_equal(pthread_create(&thread, NULL, interrupt_later, &interrupter), 0);
    NoriaProgram *program;
    NoriaError error = NORIA_ERROR_INIT;
    assert_int_equal(noria_compile_memory(b.data, b.size, NULL, NULL, &program, &error), NORIA_ERROR_INTERRUPTED);
    int64_t end = nr_now_ns();
    atomic_store(&interrupter.heard, true);
    pthread_join(thread, NULL);
    assert_non_null(strstr(error.message, "compiling was interrupted"));
    assert_true(end - interrupter.at_ns < 2000000000);
    noria_error_clear(&error);
  }
  nr_buf_deinit(&b);
  expect_that_it_works(&of_text); /* while the abandoned thread still runs, and so at the end of the process */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pass_may_fail),     cmocka_unit_test(every_pass_may_run_out_of_memory),
      cmocka_unit_test(any_allocation_may_fail), cmocka_unit_test(files_may_fail),
      cmocka_unit_test(the_interpreter_may_fail), cmocka_unit_test(memory_is_limited),
      cmocka_unit_test(time_is_limited),         cmocka_unit_test(interrupts_are_heard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
