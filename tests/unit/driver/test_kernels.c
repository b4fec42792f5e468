/* test_kernels.c - kernels of the library, run from C. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "../test.h"

#include "noria/kernels.h"
#include "noria/noria.h"

static NoriaValue *tensor(NoriaDType dtype, int32_t rank, const int64_t *dims, const void *data) {
  NoriaValue *value;
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_tensor_create(dtype, rank, dims, data, &value, &error)) fail_msg("%s", error.message);
  return value;
}

static void run(const char *name, NoriaValue **inputs, size_t num_inputs, NoriaValue **outputs, size_t num_outputs) {
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_kernel_run(name, (const NoriaValue *const *)inputs, num_inputs, outputs, num_outputs, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  for (size_t i = 0; i < num_inputs; i++) noria_value_release(inputs[i]);
}

static void expect_i64(NoriaValue *value, const int64_t *expected, size_t count) {
  assert_memory_equal(noria_tensor_data(value), expected, count * sizeof *expected);
  noria_value_release(value);
}

static void test_sorts(void **state) {
  (void)state;
  const float data[2][4] = {{3, NAN, -0.0f, 0}, {2, 1, 2, -INFINITY}},
              in_order[2][3] = {{-0.0f, 0, 3}, {-INFINITY, 1, 2}};
  NoriaValue *out, *x = tensor(NORIA_F32, 2, (int64_t[]){2, 4}, data);
  run("sort.f32", &x, 1, &out, 1);
  const float(*rows)[4] = noria_tensor_data(out);
  for (int i = 0; i < 2; i++) assert_memory_equal(rows[i], in_order[i], sizeof in_order[i]);
  assert_true(isnan(rows[0][3]) && rows[1][3] == 2);
  noria_value_release(out);
  x = tensor(NORIA_F32, 2, (int64_t[]){2, 4}, data);
  run("argsort.f32.descending", &x, 1, &out, 1);
  expect_i64(out, (int64_t[]){1, 0, 2, 3, 0, 2, 1, 3}, 8);
  x = tensor(NORIA_I8, 2, (int64_t[]){1, 3}, (int8_t[]){-1, 1, 0}); /* 255, 1, 0 */
  run("argsort.ui8", &x, 1, &out, 1);
  expect_i64(out, (int64_t[]){2, 1, 0}, 3);
}

static void test_lists(void **state) {
  (void)state;
  const int32_t a[] = {1, 3, 3}, b[] = {0, 3, 9};
  NoriaValue *out, *inputs[3] = {tensor(NORIA_I32, 1, (int64_t[]){3}, a), tensor(NORIA_I32, 1, (int64_t[]){3}, b)};
  run("merge.i32", inputs, 2, &out, 1);
  assert_memory_equal(noria_tensor_data(out), ((int32_t[]){0, 1, 3, 3, 3, 9}), 24);
  noria_value_release(out);
  inputs[0] = tensor(NORIA_I32, 1, (int64_t[]){3}, a);
  inputs[1] = tensor(NORIA_I32, 1, (int64_t[]){3}, b);
  inputs[2] = tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){1});
  run("searchsorted.i32.checked", inputs, 3, &out, 1);
  expect_i64(out, (int64_t[]){0, 3, 3}, 3);
}

/* Two lists, one behind the other, and the values that are searched in each. */
static void test_ragged_lists(void **state) {
  (void)state;
  const double list[] = {1, 3, 5}, values[] = {2, 9, 0};
  NoriaValue *out, *inputs[5] = {tensor(NORIA_F64, 1, (int64_t[]){3}, list),
                                 tensor(NORIA_I64, 1, (int64_t[]){3}, (int64_t[]){0, 2, 3}),
                                 tensor(NORIA_F64, 1, (int64_t[]){3}, values),
                                 tensor(NORIA_I64, 1, (int64_t[]){3}, (int64_t[]){0, 1, 3}),
                                 tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){0})};
  run("ragged_searchsorted.f64", inputs, 5, &out, 1);
  expect_i64(out, (int64_t[]){1, 1, 0}, 3);
}

static void test_counts(void **state) {
  (void)state;
  const int32_t data[] = {7, 3, 7, 5}, edges[] = {3, 5, 7};
  NoriaValue *out[4],
      *inputs[2] = {tensor(NORIA_I32, 1, (int64_t[]){4}, data), tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){1})};
  run("unique_places.i32", inputs, 2, out, 4);
  assert_memory_equal(noria_tensor_data(out[0]), ((int32_t[]){3, 5, 7}), 12);
  noria_value_release(out[0]);
  expect_i64(out[1], (int64_t[]){1, 3, 0}, 3);
  expect_i64(out[2], (int64_t[]){2, 0, 2, 1}, 4);
  expect_i64(out[3], (int64_t[]){1, 1, 2}, 3);
  inputs[0] = tensor(NORIA_I32, 1, (int64_t[]){4}, data);
  inputs[1] = tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){1});
  run("unique.i32.descending", inputs, 2, out, 2);
  assert_memory_equal(noria_tensor_data(out[0]), ((int32_t[]){7, 5, 3}), 12);
  noria_value_release(out[0]);
  expect_i64(out[1], (int64_t[]){2, 1, 1}, 3);
  inputs[0] = tensor(NORIA_I32, 2, (int64_t[]){2, 2}, (int32_t[]){7, 3, 7, 2});
  inputs[1] = tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){1});
  run("unique_rows.i32", inputs, 2, out, 4);
  assert_memory_equal(noria_tensor_data(out[0]), ((int32_t[]){7, 2, 7, 3}), 16);
  noria_value_release(out[0]);
  expect_i64(out[1], (int64_t[]){1, 0}, 2);
  expect_i64(out[2], (int64_t[]){1, 0}, 2);
  expect_i64(out[3], (int64_t[]){1, 1}, 2);
  inputs[0] = tensor(NORIA_I32, 1, (int64_t[]){3}, edges);
  inputs[1] = tensor(NORIA_I32, 1, (int64_t[]){4}, data);
  run("histogram.i32.checked", inputs, 2, out, 1);
  expect_i64(out[0], (int64_t[]){1, 3}, 2);
}

static void test_nms(void **state) {
  (void)state;
  const float boxes[3][4] = {{0, 0, 2, 2}, {0, 0, 2, 2.1f}, {5, 5, 6, 6}}, scores[] = {0.5f, 0.9f, 0.7f};
  NoriaValue *out,
      *inputs[6] = {
          tensor(NORIA_F32, 3, (int64_t[]){1, 3, 4}, boxes), tensor(NORIA_F32, 3, (int64_t[]){1, 1, 3}, scores),
          tensor(NORIA_I64, 0, NULL, (int64_t[]){3}),        tensor(NORIA_F32, 0, NULL, (float[]){0.5f}),
          tensor(NORIA_F32, 0, NULL, (float[]){0}),          tensor(NORIA_BOOL, 0, NULL, (uint8_t[]){1})};
  run("nms.f32", inputs, 6, &out, 1);
  expect_i64(out, (int64_t[]){0, 0, 1, 0, 0, 2}, 6);
}

/* A = [[1, 0, 2], [0, 0, 0], [0, 3, 0]] in CSR, at inputs[0] to inputs[2]. */
static void put_matrix(NoriaValue **inputs, int32_t column) {
  inputs[0] = tensor(NORIA_I32, 1, (int64_t[]){4}, (int32_t[]){0, 2, 2, 3});
  inputs[1] = tensor(NORIA_I32, 1, (int64_t[]){3}, (int32_t[]){0, 2, column});
  inputs[2] = tensor(NORIA_F64, 1, (int64_t[]){3}, (double[]){1, 2, 3});
}

static void test_sparse(void **state) {
  (void)state;
  NoriaValue *inputs[7], *out[3];
  put_matrix(inputs, 1);
  inputs[3] = tensor(NORIA_F64, 1, (int64_t[]){3}, (double[]){10, 100, 1000});
  run("csr_spmv.f64.i32", inputs, 4, out, 1);
  assert_memory_equal(noria_tensor_data(out[0]), ((double[]){2010, 0, 300}), 24);
  noria_value_release(out[0]);
  put_matrix(inputs, 1);
  put_matrix(inputs + 3, 0); /* [[1, 0, 2], [0, 0, 0], [3, 0, 0]] */
  inputs[6] = tensor(NORIA_I64, 0, NULL, (int64_t[]){3});
  run("csr_add.f64.i32", inputs, 7, out, 3);
  assert_memory_equal(noria_tensor_data(out[0]), ((int32_t[]){0, 2, 2, 4}), 16);
  assert_memory_equal(noria_tensor_data(out[1]), ((int32_t[]){0, 2, 0, 1}), 16);
  assert_memory_equal(noria_tensor_data(out[2]), ((double[]){2, 4, 3, 3}), 32);
  for (int i = 0; i < 3; i++) noria_value_release(out[i]);
  put_matrix(inputs, 12);
  inputs[3] = tensor(NORIA_F64, 1, (int64_t[]){3}, (double[]){1, 1, 1});
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(noria_kernel_run("csr_spmv.f64.i32", (const NoriaValue *const *)inputs, 4, out, 1, NULL, &error),
                   NORIA_ERROR_FAILED);
  assert_non_null(strstr(error.message, "indices[2] is 12, but the matrix has 3 columns"));
  noria_error_clear(&error);
  for (int i = 0; i < 4; i++) noria_value_release(inputs[i]);
}

/* A program of one's own: the kernel's inputs have names, and the options are those of any program. */
static void test_as_a_program(void **state) {
  (void)state;
  NoriaCompileOptions options = {.format = "kernel", .check_input = 1};
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_compile_memory("merge.i32", 9, NULL, &options, &program, &error)) fail_msg("%s", error.message);
  const NoriaModule *module = noria_program_module(program);
  assert_int_equal(module->num_inputs, 2);
  assert_string_equal(module->inputs[1].name, "b");
  NoriaValue *out, *a = tensor(NORIA_I32, 1, (int64_t[]){2}, (int32_t[]){2, 1});
  assert_int_equal(noria_program_run(program, (const NoriaValue *[]){a, a}, 2, &out, 1, NULL, &error),
                   NORIA_ERROR_FAILED);
  assert_non_null(strstr(error.message, "a is not sorted"));
  noria_error_clear(&error);
  noria_value_release(a);
  noria_program_destroy(program);
}

static void expect_error(const char *name, NoriaValue *a, NoriaValue *b, const char *message) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaValue *out = a;
  assert_int_not_equal(noria_kernel_run(name, (const NoriaValue *[]){a, b}, b ? 2 : 1, &out, 1, NULL, &error),
                       NORIA_OK);
  assert_null(out);
  if (!strstr(error.message, message)) fail_msg("%s: %s", name, error.message);
  noria_error_clear(&error);
}

/* A matrix of one row, with itself. */
static void expect_width_error(const char *name) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaValue *out[3], *p = tensor(NORIA_I32, 1, (int64_t[]){2}, (int32_t[]){0, 2}),
             *i = tensor(NORIA_I32, 1, (int64_t[]){2}, (int32_t[]){-90, -89}),
             *d = tensor(NORIA_F64, 1, (int64_t[]){2}, (double[]){1, 2}),
             *n = tensor(NORIA_I64, 0, NULL, (int64_t[]){-1});
  assert_int_not_equal(noria_kernel_run(name, (const NoriaValue *[]){p, i, d, p, i, d, n}, 7, out, 3, NULL, &error),
                       NORIA_OK);
  if (!strstr(error.message, "the number of columns is -1, less than zero")) fail_msg("%s: %s", name, error.message);
  noria_error_clear(&error);
  noria_value_release(p);
  noria_value_release(i);
  noria_value_release(d);
  noria_value_release(n);
}

static void test_negative_width(void **state) {
  (void)state;
  expect_width_error("csr_add.f64.i32");
  expect_width_error("csr_multiply.f64.i32");
  expect_width_error("csr_spgemm.f64.i32");
}

static void test_errors(void **state) {
  (void)state;
  NoriaValue *a = tensor(NORIA_F32, 1, (int64_t[]){3}, (float[]){1, 3, 2}),
             *b = tensor(NORIA_I64, 1, (int64_t[]){1}, (int64_t[]){1});
  expect_error("merge.f32.checked", a, a, "a is not sorted: element 2 is before the one ahead of it");
  expect_error(NULL, a, a, "the name of a kernel is NULL");
  expect_error("mergesort.f32", a, a, "the library has no kernel 'mergesort'");
  expect_error("merge", a, a, "'' is no type of elements; expected noria.merge.TYPE");
  expect_error("merge.f32.up", a, a, "expected noria.merge.f32");
  expect_error("merge.f32\") }", a, a, "'f32\") }' is no type of elements");
  expect_error("csr_spmv.f64", a, a, "expected noria.csr_spmv.f64.i32 or noria.csr_spmv.f64.i64");
  expect_error("", a, a, "the program is empty");
  expect_error("merge.f32", a, b, "is of type float32, but the value is of type int64");
  expect_error("sort.f32", a, NULL, "rank");
  noria_value_release(a);
  noria_value_release(b);
}

static void *sort_many(void *unused) {
  for (int i = 0; i < 20; i++) test_sorts(NULL);
  return unused;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, sort_many, NULL), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_sorts),
                                     cmocka_unit_test(test_lists),   cmocka_unit_test(test_ragged_lists),
                                     cmocka_unit_test(test_counts),  cmocka_unit_test(test_nms),
                                     cmocka_unit_test(test_sparse),  cmocka_unit_test(test_as_a_program),
                                     cmocka_unit_test(test_errors), cmocka_unit_test(test_negative_width)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
