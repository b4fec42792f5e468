/* test_values.c - tensors, sequences, optionals, DLPack and .npy files through the public interface. */
#include "noria/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "noria/dlpack.h"

static NoriaError error = NORIA_ERROR_INIT;

static void expect_error(NoriaStatus status, NoriaStatus code, const char *message) {
  assert_int_equal(status, code);
  assert_int_equal(error.code, code);
  assert_non_null(error.message);
  if (!strstr(error.message, message)) assert_string_equal(error.message, message);
  noria_error_clear(&error);
  assert_null(error.message);
}

static void count_release(void *user) { ++*(int *)user; }

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static void types_have_sizes_and_names(void **state) {
  for (int i = NORIA_F32; i <= NORIA_F6E3M2FN; i++) {
    assert_true(noria_dtype_size((NoriaDType)i) > 0);
    assert_int_equal(noria_dtype_from_name(noria_dtype_name((NoriaDType)i)), i);
  }
  assert_int_equal(noria_dtype_size((NoriaDType)29), 0);
  assert_int_equal(noria_dtype_size((NoriaDType)-1), 0);
  assert_int_equal(noria_dtype_from_name("float31"), NORIA_UNDEFINED);
  assert_string_equal(noria_status_name(NORIA_ERROR_LIMIT), "limit");
}

static void tensors_are_copies_or_wrap(void **state) {
  int16_t data[] = {1, 2, 3, 4, 5, 6};
  int released = 0;
  NoriaValue *copy = NULL, *wrap = NULL, *zeros = NULL;
  assert_int_equal(noria_tensor_create(NORIA_I16, 2, (int64_t[]){2, 3}, data, &copy, &error), NORIA_OK);
  assert_int_equal(
      noria_tensor_wrap(NORIA_I16, 2, (int64_t[]){3, 2}, data, count_release, &released, &wrap, &error), NORIA_OK);
  assert_int_equal(noria_tensor_create(NORIA_F64, 0, NULL, NULL, &zeros, &error), NORIA_OK);
  data[0] = 9;
  assert_int_equal(((const int16_t *)noria_tensor_data(copy))[0], 1);
  assert_ptr_equal(noria_tensor_data(wrap), data);
  assert_int_equal(noria_tensor_count(copy), 6);
  assert_int_equal(noria_tensor_size(copy), 12);
  assert_int_equal(noria_tensor_dims(wrap)[0], 3);
  assert_int_equal(noria_tensor_count(zeros), 1);
  assert_true(*(const double *)noria_tensor_data(zeros) == 0);
  ((int16_t *)noria_tensor_mutable_data(copy))[1] = 7;
  assert_ptr_equal(noria_value_retain(wrap), wrap);
  noria_value_release(wrap);
  assert_int_equal(released, 0);
  noria_value_release(wrap);
  assert_int_equal(released, 1);
  noria_value_release(copy);
  noria_value_release(zeros);
  noria_value_release(NULL);
}

static void wrong_tensors_are_refused(void **state) {
  NoriaValue *v = NULL;
  char data[64];
  char *odd = data + ((uintptr_t)data % 2 == 0);
  expect_error(noria_tensor_create(NORIA_F32, 1, (int64_t[]){-1}, NULL, &v, &error), NORIA_ERROR_INVALID, "negative");
  expect_error(noria_tensor_create(NORIA_F32, 2, (int64_t[]){INT64_MAX, 2}, NULL, &v, &error), NORIA_ERROR_INVALID,
               "multiply to more than");
  expect_error(noria_tensor_create(NORIA_F32, 1, (int64_t[]){INT64_MAX / 2}, NULL, &v, &error), NORIA_ERROR_INVALID,
               "multiply to more than");
  expect_error(noria_tensor_create(NORIA_F32, 17, (int64_t[17]){0}, NULL, &v, &error), NORIA_ERROR_INVALID, "rank 17");
  expect_error(noria_tensor_create((NoriaDType)0, 0, NULL, NULL, &v, &error), NORIA_ERROR_INVALID, "element type");
  expect_error(noria_tensor_create(NORIA_STRING, 0, NULL, NULL, &v, &error), NORIA_ERROR_INVALID, "create_strings");
  expect_error(noria_tensor_wrap(NORIA_F32, 1, (int64_t[]){4}, NULL, NULL, NULL, &v, &error), NORIA_ERROR_INVALID,
               "NULL");
  expect_error(noria_tensor_wrap(NORIA_F32, 1, (int64_t[]){4}, odd, NULL, NULL, &v, &error), NORIA_ERROR_INVALID,
               "aligned");
  assert_null(v);
  /* No elements, but other dims as large as they may be. */
  assert_int_equal(noria_tensor_create(NORIA_F32, 3, (int64_t[]){1 << 20, 0, 1 << 20}, NULL, &v, &error), NORIA_OK);
  assert_int_equal(noria_tensor_count(v), 0);
  noria_value_release(v);
}

static void string_tensors_hold_bytes(void **state) {
  const char *const text[] = {"hello", "", "a\0b"};
  const size_t sizes[] = {5, 0, 3};
  NoriaValue *v = NULL;
  size_t size = 99;
  assert_int_equal(noria_tensor_create_strings(1, (int64_t[]){3}, text, sizes, &v, &error), NORIA_OK);
  assert_string_equal(noria_tensor_string(v, 0, NULL), "hello");
  assert_string_equal(noria_tensor_string(v, 1, &size), "");
  assert_int_equal(size, 0);
  assert_memory_equal(noria_tensor_string(v, 2, &size), "a\0b\0", 4);
  assert_int_equal(size, 3);
  assert_null(noria_tensor_string(v, 3, NULL));
  assert_null(noria_tensor_data(v));
  noria_value_release(v);
  expect_error(noria_tensor_create_strings(0, NULL, (const char *const[]){NULL}, NULL, &v, &error), NORIA_ERROR_INVALID,
               "string 0");
}

static NoriaValue *vector(NoriaDType dtype, int64_t count, const void *data) {
  NoriaValue *v = NULL;
  assert_int_equal(noria_tensor_create(dtype, 1, &count, data, &v, &error), NORIA_OK);
  return v;
}

static void maps(void **state) {
  NoriaValue *keys = vector(NORIA_I64, 3, (int64_t[]){7, -1, 3}), *twice = vector(NORIA_I64, 3, (int64_t[]){7, 1, 7});
  NoriaValue *values = vector(NORIA_F32, 3, (float[]){1, 2, 3}), *two = vector(NORIA_F32, 2, (float[]){1, 2});
  NoriaValue *words = NULL, *named = NULL, *map = NULL, *s = NULL, *none = NULL;
  assert_int_equal(noria_tensor_create_strings(1, (int64_t[]){3}, (const char *[]){"b", "", "a"}, NULL, &words, &error),
                   NORIA_OK);
  expect_error(noria_map_create(values, values, &map, &error), NORIA_ERROR_INVALID, "a tensor of int64 or strings");
  expect_error(noria_map_create(keys, two, &map, &error), NORIA_ERROR_INVALID, "3 keys but 2 values");
  expect_error(noria_map_create(twice, values, &map, &error), NORIA_ERROR_INVALID, "the key 7 occurs twice");
  assert_int_equal(noria_map_create(keys, values, &map, &error), NORIA_OK);
  assert_int_equal(noria_value_kind(map), NORIA_KIND_MAP);
  assert_int_equal(noria_value_dtype(map), NORIA_F32);
  assert_int_equal(noria_value_key_dtype(map), NORIA_I64);
  assert_memory_equal(noria_tensor_data(noria_map_keys(map)), ((int64_t[]){-1, 3, 7}), 3 * sizeof(int64_t));
  assert_memory_equal(noria_tensor_data(noria_map_values(map)), ((float[]){2, 3, 1}), 3 * sizeof(float));
  assert_int_equal(noria_map_create(words, words, &named, &error), NORIA_OK);
  assert_string_equal(noria_tensor_string(noria_map_keys(named), 0, NULL), "");
  assert_string_equal(noria_tensor_string(noria_map_values(named), 2, NULL), "b");
  expect_error(noria_sequence_create(NORIA_F32, (const NoriaValue *[]){map, values}, 2, &s, &error),
               NORIA_ERROR_INVALID, "items 0 and 1 of the sequence are a map from integers and a tensor");
  assert_int_equal(noria_sequence_create(NORIA_F32, (const NoriaValue *[]){map, map}, 2, &s, &error), NORIA_OK);
  assert_int_equal(noria_value_key_dtype(s), NORIA_I64);
  assert_int_equal(noria_value_key_dtype(values), NORIA_UNDEFINED);
  assert_null(noria_map_keys(s));
  NoriaValue *all[] = {keys, twice, values, two, words, named, map, s, none};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) noria_value_release(all[i]);
}

static void sequences_and_optionals(void **state) {
  NoriaValue *a = NULL, *b = NULL, *s = NULL, *o = NULL, *none = NULL;
  assert_int_equal(noria_tensor_create(NORIA_F32, 0, NULL, NULL, &a, &error), NORIA_OK);
  assert_int_equal(noria_tensor_create(NORIA_I8, 0, NULL, NULL, &b, &error), NORIA_OK);
  expect_error(noria_sequence_create(NORIA_F32, (const NoriaValue *[]){a, b}, 2, &s, &error), NORIA_ERROR_INVALID,
               "item 1 is int8");
  assert_int_equal(noria_sequence_create(NORIA_F32, (const NoriaValue *[]){a, a}, 2, &s, &error), NORIA_OK);
  assert_int_equal(noria_optional_create(s, NORIA_KIND_TENSOR, NORIA_F32, &o, &error), NORIA_OK);
  assert_int_equal(noria_optional_create(NULL, NORIA_KIND_TENSOR, NORIA_I8, &none, &error), NORIA_OK);
  noria_value_release(a);
  noria_value_release(s);
  assert_int_equal(noria_value_kind(o), NORIA_KIND_OPTIONAL);
  assert_int_equal(noria_value_dtype(o), NORIA_F32);
  assert_int_equal(noria_optional_item_kind(o), NORIA_KIND_SEQUENCE);
  assert_int_equal(noria_sequence_length(noria_optional_item(o)), 2);
  assert_ptr_equal(noria_sequence_at(noria_optional_item(o), 1), a);
  assert_null(noria_sequence_at(noria_optional_item(o), 2));
  assert_null(noria_optional_item(none));
  assert_int_equal(noria_tensor_rank(o), 0);
  assert_null(noria_tensor_data(o));
  noria_value_release(o);
  noria_value_release(none);
  noria_value_release(b);
}

/* ---- DLPack ------------------------------------------------------------------------------------------------------ */

static void dlpack_round_trip_is_the_same_memory(void **state) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int released = 0;
  NoriaValue *v = NULL, *back = NULL;
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  assert_int_equal(noria_tensor_wrap(NORIA_F32, 2, (int64_t[]){2, 3}, data, count_release, &released, &v, &error), 0);
  assert_int_equal(noria_tensor_to_dlpack(v, &plain, &error), NORIA_OK);
  assert_int_equal(noria_tensor_to_dlpack_versioned(v, &versioned, &error), NORIA_OK);
  assert_int_equal(plain->dl_tensor.strides[0], 3);
  assert_int_equal(plain->dl_tensor.dtype.code, DL_FLOAT);
  noria_value_release(v);
  assert_int_equal(noria_tensor_from_dlpack(plain, &back, &error), NORIA_OK);
  assert_ptr_equal(noria_tensor_data(back), data);
  noria_value_release(back);
  versioned->flags |= DL_FLAG_READ_ONLY;
  assert_int_equal(noria_tensor_from_dlpack_versioned(versioned, &back, &error), NORIA_OK);
  assert_ptr_equal(noria_tensor_data(back), data);
  assert_null(noria_tensor_mutable_data(back));
  assert_int_equal(released, 0);
  noria_value_release(back);
  assert_int_equal(released, 1);
}

static void deleted(DLManagedTensor *self) { ++*(int *)self->manager_ctx; }

static void dlpack_strides_are_copied(void **state) {
  int32_t data[12];
  for (int i = 0; i < 12; i++) data[i] = i;
  int count = 0;
  int64_t shape[] = {2, 3}, strides[] = {-6, 2};
  DLManagedTensor lent = {.dl_tensor = {.data = data, .device = {DL_CPU, 0}, .ndim = 2, .dtype = {DL_INT, 32, 1},
                                        .shape = shape, .strides = strides, .byte_offset = 24},
                          .manager_ctx = &count, .deleter = deleted};
  NoriaValue *v = NULL;
  assert_int_equal(noria_tensor_from_dlpack(&lent, &v, &error), NORIA_OK);
  assert_int_equal(count, 1);
  assert_memory_equal(noria_tensor_data(v), ((int32_t[]){6, 8, 10, 0, 2, 4}), 24);
  noria_value_release(v);
  lent.dl_tensor.dtype.lanes = 4;
  expect_error(noria_tensor_from_dlpack(&lent, &v, &error), NORIA_ERROR_UNSUPPORTED, "4 lanes");
  lent.dl_tensor.dtype = (DLDataType){DL_INT, 4, 1};
  expect_error(noria_tensor_from_dlpack(&lent, &v, &error), NORIA_ERROR_UNSUPPORTED, "packed int4");
  lent.dl_tensor.device.device_type = 2;
  expect_error(noria_tensor_from_dlpack(&lent, &v, &error), NORIA_ERROR_UNSUPPORTED, "device type 2");
  assert_int_equal(count, 1);
}

static void dlpack_small_types_need_the_versioned_form(void **state) {
  NoriaValue *v = NULL, *back = NULL;
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  assert_int_equal(noria_tensor_create(NORIA_U4, 1, (int64_t[]){3}, "\1\2\3", &v, &error), NORIA_OK);
  expect_error(noria_tensor_to_dlpack(v, &plain, &error), NORIA_ERROR_UNSUPPORTED, "uint4");
  assert_int_equal(noria_tensor_to_dlpack_versioned(v, &versioned, &error), NORIA_OK);
  assert_int_equal(noria_tensor_from_dlpack_versioned(versioned, &back, &error), NORIA_OK);
  assert_int_equal(noria_value_dtype(back), NORIA_U4);
  noria_value_release(v);
  noria_value_release(back);
  assert_int_equal(noria_tensor_create_strings(0, NULL, (const char *const[]){"x"}, NULL, &v, &error), NORIA_OK);
  expect_error(noria_tensor_to_dlpack_versioned(v, &versioned, &error), NORIA_ERROR_UNSUPPORTED, "string");
  noria_value_release(v);
}

/* ---- .npy files -------------------------------------------------------------------------------------------------- */

/* A file of version 1 with this dict and these bytes after it. */
static size_t npy(char *out, const char *dict, const void *data, size_t size) {
  size_t length = strlen(dict);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(length & 0xff);
  out[9] = (char)(length >> 8);
  memcpy(out + 10, dict, length);
  memcpy(out + 10 + length, data, size);
  return 10 + length + size;
}

static void npy_files_round_trip(void **state) {
  char path[64];
  snprintf(path, sizeof path, "noria_test_%ld.npy", (long)getpid());
  for (int dtype = NORIA_F32; dtype <= NORIA_C128; dtype++) {
    static const int64_t shapes[][3] = {{2, 3, 4}, {5, 0, 1}, {7, 1, 1}};
    for (int64_t rank = 0; rank <= 3; rank++) {
      NoriaValue *v = NULL, *back = NULL;
      if (dtype == NORIA_STRING) continue;
      assert_int_equal(noria_tensor_create((NoriaDType)dtype, rank, shapes[rank % 3], NULL, &v, &error), NORIA_OK);
      for (size_t i = 0; i < noria_tensor_size(v) && dtype != NORIA_BOOL; i++)
        ((unsigned char *)noria_tensor_mutable_data(v))[i] = (unsigned char)(37 * i + 1);
      assert_int_equal(noria_npy_write(path, v, &error), NORIA_OK);
      assert_int_equal(noria_npy_read(path, &back, &error), NORIA_OK);
      assert_int_equal(noria_value_dtype(back), dtype);
      assert_int_equal(noria_tensor_rank(back), rank);
      for (int64_t d = 0; d < rank; d++) assert_int_equal(noria_tensor_dims(back)[d], noria_tensor_dims(v)[d]);
      if (noria_tensor_size(v))
        assert_memory_equal(noria_tensor_data(back), noria_tensor_data(v), noria_tensor_size(v));
      noria_value_release(v);
      noria_value_release(back);
    }
  }
  remove(path);
}

static void npy_strings_round_trip(void **state) {
  char path[64];
  snprintf(path, sizeof path, "noria_test_s%ld.npy", (long)getpid());
  const char *const text[] = {"", "z\xc3\xbcrich", "\xe2\x82\xac\xf0\x9f\x98\x80"};
  NoriaValue *v = NULL, *back = NULL;
  assert_int_equal(noria_tensor_create_strings(2, (int64_t[]){3, 1}, text, NULL, &v, &error), NORIA_OK);
  assert_int_equal(noria_npy_write(path, v, &error), NORIA_OK);
  assert_int_equal(noria_npy_read(path, &back, &error), NORIA_OK);
  for (int i = 0; i < 3; i++) assert_string_equal(noria_tensor_string(back, i, NULL), text[i]);
  noria_value_release(v);
  noria_value_release(back);
  assert_int_equal(noria_tensor_create_strings(0, NULL, (const char *const[]){"\xff"}, NULL, &v, &error), NORIA_OK);
  expect_error(noria_npy_write(path, v, &error), NORIA_ERROR_UNSUPPORTED, "not UTF-8");
  noria_value_release(v);
  remove(path);
}

static void npy_orders_become_row_major(void **state) {
  char file[256];
  NoriaValue *v = NULL;
  int16_t data[] = {0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x0006};
  size_t size = npy(file, "{'shape': (2, 3), 'fortran_order': True, 'descr': '>i2'}\n", data, sizeof data);
  assert_int_equal(noria_npy_decode(file, size, &v, &error), NORIA_OK);
  assert_memory_equal(noria_tensor_data(v), ((int16_t[]){0x100, 0x300, 0x500, 0x200, 0x400, 0x600}), 12);
  noria_value_release(v);
  size = npy(file, "{\"descr\": '|b1', \"shape\": (3L,), \"fortran_order\": False, }", "\0\2\1", 3);
  assert_int_equal(noria_npy_decode(file, size, &v, &error), NORIA_OK);
  assert_memory_equal(noria_tensor_data(v), "\0\1\1", 3);
  noria_value_release(v);
  size = npy(file, "{'descr': '|S3', 'fortran_order': True, 'shape': (2,), }", "ab\0cde", 6);
  assert_int_equal(noria_npy_decode(file, size, &v, &error), NORIA_OK);
  assert_string_equal(noria_tensor_string(v, 0, NULL), "ab");
  assert_string_equal(noria_tensor_string(v, 1, NULL), "cde");
  noria_value_release(v);
}

static void malformed_npy_files_are_refused(void **state) {
  static const struct {
    const char *dict, *message;
    NoriaStatus code;
  } rows[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", "16 bytes of data", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "multiply to more",
       NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "shape", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "shape", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': False}", "missing", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", "repeated", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "fortran_order", NORIA_ERROR_INVALID},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "follows", NORIA_ERROR_INVALID},
      {"{'descr': '<f4", "descr", NORIA_ERROR_INVALID},
      {"{'descr': '", "descr", NORIA_ERROR_INVALID},
      {"{", "key", NORIA_ERROR_INVALID},
      {"", "no dict", NORIA_ERROR_INVALID},
      {"{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }", "bfloat16", NORIA_ERROR_UNSUPPORTED},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "'|O'", NORIA_ERROR_UNSUPPORTED},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "'<f16'", NORIA_ERROR_UNSUPPORTED},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "structured", NORIA_ERROR_UNSUPPORTED},
      {"{'descr': '<U0', 'fortran_order': False, 'shape': (999999999999,), }", "size 0", NORIA_ERROR_INVALID},
      {"{'descr': '<U1', 'fortran_order': False, 'shape': (4,), }", "Unicode", NORIA_ERROR_INVALID},
  };
  char file[256];
  NoriaValue *v = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    size_t size = npy(file, rows[i].dict, "\xff\xff\xff\xff____________", 16);
    expect_error(noria_npy_decode(file, size, &v, &error), rows[i].code, rows[i].message);
  }
  /* Every prefix of a good file, too. */
  size_t size = npy(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n", "________________", 16);
  for (size_t n = 0; n < size; n++) {
    char *exact = malloc(n + 1); /* so that the sanitizer sees a read behind its end */
    memcpy(exact, file, n);
    exact = realloc(exact, n ? n : 1);
    expect_error(noria_npy_decode(exact, n, &v, &error), NORIA_ERROR_INVALID, "");
    free(exact);
  }
  file[6] = 4;
  expect_error(noria_npy_decode(file, size, &v, &error), NORIA_ERROR_UNSUPPORTED, "version 4");
  expect_error(noria_npy_read("no/such.npy", &v, &error), NORIA_ERROR_NOT_FOUND, "no/such.npy");
  expect_error(noria_npy_read(".", &v, &error), NORIA_ERROR_IO, ".:");
  assert_null(v);
}

/* Also beside a 0 the other dims have a measure, which compiled code relies on. */
static void huge_dims_beside_none_are_refused(void **state) {
  const int64_t dims[] = {INT64_MAX, 3, 0}, most[] = {NORIA_MAX_ELEMENTS / 4, 4, 0};
  NoriaValue *value = NULL;
  expect_error(noria_tensor_create(NORIA_F32, 3, dims, NULL, &value, &error), NORIA_ERROR_INVALID,
               "multiply to more than");
  assert_int_equal(noria_tensor_create(NORIA_F32, 3, most, NULL, &value, NULL), NORIA_OK);
  assert_int_equal(noria_tensor_count(value), 0);
  assert_int_equal(noria_tensor_size(value), 0);
  noria_value_release(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_have_sizes_and_names),
      cmocka_unit_test(tensors_are_copies_or_wrap),
      cmocka_unit_test(wrong_tensors_are_refused),
      cmocka_unit_test(huge_dims_beside_none_are_refused),
      cmocka_unit_test(string_tensors_hold_bytes),
      cmocka_unit_test(maps),
      cmocka_unit_test(sequences_and_optionals),
      cmocka_unit_test(dlpack_round_trip_is_the_same_memory),
      cmocka_unit_test(dlpack_strides_are_copied),
      cmocka_unit_test(dlpack_small_types_need_the_versioned_form),
      cmocka_unit_test(npy_files_round_trip),
      cmocka_unit_test(npy_strings_round_trip),
      cmocka_unit_test(npy_orders_become_row_major),
      cmocka_unit_test(malformed_npy_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
