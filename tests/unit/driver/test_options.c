/* test_options.c - wrong options of the C API: each is refused, with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "noria/noria.h"

static const char text[] = "func.func @f(%x: i64) -> i64 { return %x : i64 }";

static void expect_refused(const NoriaCompileOptions *options, NoriaStatus status, const char *message) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaProgram *program = NULL;
  assert_int_equal(noria_compile_memory(text, strlen(text), NULL, options, &program, &error), status);
  assert_null(program);
  assert_string_equal(error.message, message);
  noria_error_clear(&error);
}

static void wrong_compile_options_are_refused(void **state) {
  expect_refused(&(NoriaCompileOptions){.format = "text"}, NORIA_ERROR_INVALID,
                 "error: there is no format 'text'; it is onnx, mlir or kernel");
  expect_refused(&(NoriaCompileOptions){.opt_level = 4}, NORIA_ERROR_INVALID,
                 "error: there is no optimisation level 4; it is 1, 2 or 3");
  expect_refused(&(NoriaCompileOptions){.interpret_after = "lunch"}, NORIA_ERROR_INVALID,
                 "error: the pipeline has no stage 'lunch'");
  expect_refused(&(NoriaCompileOptions){.entry = "g"}, NORIA_ERROR_NOT_FOUND,
                 "error: there is no function 'g'; the program has @f");
  expect_refused(&(NoriaCompileOptions){.cpu = "abacus"}, NORIA_ERROR_INVALID, "error: unknown CPU 'abacus'");
}

static void wrong_program_options_are_refused(void **state) {
  expect_refused(&(NoriaCompileOptions){.program.threads = -1}, NORIA_ERROR_INVALID,
                 "-1 threads: 0 is one per CPU, 1 starts none");
  expect_refused(&(NoriaCompileOptions){.program.limits.time_s = -0.5}, NORIA_ERROR_INVALID,
                 "a limit of -0.5 seconds, 0 iterations, 0 bytes: none may be negative");
  expect_refused(&(NoriaCompileOptions){.program.limits.memory = -8}, NORIA_ERROR_INVALID,
                 "a limit of 0 seconds, 0 iterations, -8 bytes: none may be negative");
}

static void wrong_run_options_are_refused(void **state) {
  NoriaProgram *program = NULL;
  NoriaValue *x = NULL, *y = NULL;
  int64_t seven = 7;
  assert_int_equal(noria_compile_memory(text, strlen(text), NULL, NULL, &program, NULL), NORIA_OK);
  assert_int_equal(noria_tensor_create(NORIA_I64, 0, NULL, &seven, &x, NULL), NORIA_OK);
  const NoriaValue *inputs[] = {x};
  NoriaRunOptions options = {.limits.iterations = -1};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, &options, NULL), NORIA_ERROR_INVALID);
  assert_null(y);
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, NULL), NORIA_OK);
  noria_value_release(y);
  noria_value_release(x);
  noria_program_destroy(program);
}

static void expect_seven(NoriaProgram *program) {
  NoriaValue *x, *y;
  int64_t seven = 7;
  assert_int_equal(noria_tensor_create(NORIA_I64, 0, NULL, &seven, &x, NULL), NORIA_OK);
  const NoriaValue *inputs[] = {x};
  assert_int_equal(noria_program_run(program, inputs, 1, &y, 1, NULL, NULL), NORIA_OK);
  assert_int_equal(*(const int64_t *)noria_tensor_data(y), 7);
  noria_value_release(y);
  noria_value_release(x);
}

/* noria_compile_file opens a library; the options of compiling, and a library with the name of a model, are refused. */
static void a_library_is_opened(void **state) {
  char folder[] = "/tmp/noria-options-XXXXXX", source[100], library[100], named[100];
  assert_non_null(mkdtemp(folder));
  snprintf(source, sizeof source, "%s/f.mlir", folder);
  snprintf(library, sizeof library, "%s/f", folder);
  snprintf(named, sizeof named, "%s/f.onnx", folder);
  FILE *file = fopen(source, "w");
  fputs(text, file);
  fclose(file);
  assert_int_equal(noria_compile_to_file(source, NULL, NORIA_FILE_SHARED, library, NULL, NULL), NORIA_OK);
  NoriaProgram *program = NULL;
  assert_int_equal(noria_compile_file(library, &(NoriaCompileOptions){.program.threads = 1}, &program, NULL), NORIA_OK);
  expect_seven(program);
  noria_program_destroy(program);
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(noria_compile_file(library, &(NoriaCompileOptions){.cpu = "native"}, &program, &error),
                   NORIA_ERROR_INVALID);
  assert_non_null(strstr(error.message, "is compiled already: cpu is an option of compiling"));
  noria_error_clear(&error);
  assert_int_equal(noria_compile_file(library, &(NoriaCompileOptions){.program.threads = -1}, &program, &error),
                   NORIA_ERROR_INVALID);
  noria_error_clear(&error);
  assert_int_equal(rename(library, named), 0);
  assert_int_equal(noria_compile_file(named, NULL, &program, &error), NORIA_ERROR_INVALID);
  assert_non_null(strstr(error.message, "this is compiled code"));
  noria_error_clear(&error);
  assert_int_equal(unlink(named) | unlink(source) | rmdir(folder), 0);
}

static void expect_in_file(const char *path, const char *words) {
  char content[65536];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  content[fread(content, 1, sizeof content - 1, file)] = 0;
  fclose(file);
  assert_non_null(strstr(content, words));
}

/* The header lies beside the source, or where it is asked for; several CPUs are refused, and nothing is written. */
static void c_source_is_written(void **state) {
  char folder[] = "/tmp/noria-options-XXXXXX", paths[4][100];
  const char *names[] = {"f.mlir", "own.c", "own.h", "named.h"};
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < 4; i++) snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
  FILE *file = fopen(paths[0], "w");
  fputs(text, file);
  fclose(file);
  NoriaError error = NORIA_ERROR_INIT;
  NoriaCompileOptions several = {.cpu = "x86-64-v2,x86-64-v3"};
  assert_int_equal(noria_compile_to_file(paths[0], &several, NORIA_FILE_C, paths[1], NULL, &error), NORIA_ERROR_INVALID);
  assert_non_null(strstr(error.message, "C source is for one CPU"));
  noria_error_clear(&error);
  assert_int_equal(access(paths[1], F_OK), -1);
  assert_int_equal(noria_compile_to_file(paths[0], NULL, NORIA_FILE_C, paths[1], NULL, NULL), NORIA_OK);
  expect_in_file(paths[1], "int own_run(");
  expect_in_file(paths[2], "int own_run(");
  assert_int_equal(unlink(paths[2]), 0);
  assert_int_equal(noria_compile_to_file(paths[0], NULL, NORIA_FILE_C, paths[1], paths[3], NULL), NORIA_OK);
  expect_in_file(paths[3], "int own_run(");
  assert_int_equal(noria_compile_to_file(paths[0], NULL, (NoriaFileKind)5, paths[1], NULL, &error), NORIA_ERROR_INVALID);
  assert_non_null(strstr(error.message, "there is no file kind 5"));
  noria_error_clear(&error);
  assert_int_equal(unlink(paths[0]) | unlink(paths[1]) | unlink(paths[3]) | rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_compile_options_are_refused),
      cmocka_unit_test(wrong_program_options_are_refused),
      cmocka_unit_test(wrong_run_options_are_refused),
      cmocka_unit_test(a_library_is_opened),
      cmocka_unit_test(c_source_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
