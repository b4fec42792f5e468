/* test_imports.c - the functions that compiled code imports: sequences, optionals, strings. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../test.h"
#include "module.h"

/* ---- a program that runs what a test says ------------------------------------------------------------------------ */

/* Imports in the order of their numbers. */
enum { RETAIN, RELEASE, EMPTY, CONSTRUCT, APPEND, APPEND_OWNED, INSERT, INSERT_OWNED, ERASE, ERASE_OWNED, LENGTH_OF, AT,
       CONCAT, SPLIT, SPLIT_SIZES, NONE, SOME, SOME_SEQ, HAS, GET, GET_SEQ, EQUAL, JOIN, FROM, TO, FIND };
static const char *const names[] = {
    "value_retain",  "value_release",   "seq_empty",     "seq_construct", "seq_append",    "seq_append_owned",
    "seq_insert",    "seq_insert_owned", "seq_erase",    "seq_erase_owned", "seq_length",  "seq_at",
    "seq_concat",    "seq_split",       "seq_split_sizes", "optional_none", "optional_some", "optional_some_seq",
    "optional_has",  "optional_get",    "optional_get_seq", "string_equal", "string_concat", "string_from",
    "string_to",     "string_find"};

typedef int32_t (*Scenario)(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs);

static NoriaDesc scalar(int64_t value) { return (NoriaDesc){.rank = -1, .bits = (uint64_t)value}; }
static NoriaDesc vector(void *data, int64_t n) { return (NoriaDesc){.data = data, .rank = 1, .dims = {n}}; }

#define CALL(import, result, ...) exec->imports[import](exec, (const NoriaDesc[]){__VA_ARGS__}, (result))

static const NoriaSite sites[] = {{"node 'body/op'", "unused"}};

/* Runs the scenario with these inputs and one output of this kind and type. */
static NoriaStatus run(Scenario scenario, const NoriaValueInfo *in, int32_t num_in, const NoriaValue *const *values,
                       int32_t kind, int32_t dtype, int32_t rank, NoriaValue **out, NoriaError *error) {
  static const int64_t any[NORIA_MAX_RANK] = {-1, -1, -1};
  const NoriaValueInfo info = {"y", kind, dtype, rank, 0, any, NULL};
  const NoriaModule module = {.abi_version = NORIA_ABI_VERSION, .num_inputs = num_in, .inputs = in, .num_outputs = 1,
                              .outputs = &info, .num_imports = LENGTH(names), .imports = names, .num_sites = 1,
                              .sites = sites, .entry = scenario};
  NoriaProgram *program = make_program(&module, 1);
  NoriaStatus status = noria_program_run(program, values, (size_t)num_in, out, 1, NULL, error);
  noria_program_destroy(program);
  return status;
}

static NoriaValue *run_ok(Scenario scenario, int32_t kind, int32_t dtype, int32_t rank) {
  NoriaValue *y = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = run(scenario, NULL, 0, NULL, kind, dtype, rank, &y, &error);
  if (status) print_error("%s\n", error.message);
  assert_int_equal(status, NORIA_OK);
  return y;
}

static void expect_failure(Scenario scenario, const char *message) {
  NoriaValue *y = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_not_equal(run(scenario, NULL, 0, NULL, NORIA_KIND_SEQUENCE, NORIA_I64, 0, &y, &error), NORIA_OK);
  assert_string_equal(error.message, message);
  noria_error_clear(&error);
}

/* The items of a sequence of vectors with one int64 each. */
static void expect_items(const NoriaValue *sequence, const int64_t *expected, int64_t n) {
  assert_int_equal(noria_sequence_length(sequence), n);
  for (int64_t i = 0; i < n; i++)
    assert_int_equal(*(const int64_t *)noria_tensor_data(noria_sequence_at(sequence, i)), expected[i]);
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

/* [0, 1, ..., n-1], without giving back the sequences between. */
static int32_t count_up(NoriaExec *exec, int64_t n, NoriaDesc *out) {
  NoriaDesc s, next;
  if (CALL(EMPTY, &s, scalar(NORIA_I64))) return 1;
  for (int64_t i = 0; i < n; i++) {
    if (CALL(APPEND, &next, s, vector(&i, 1))) return 1;
    s = next;
  }
  *out = s;
  return 0;
}

static int32_t edits(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t v[] = {70, 80, 90};
  NoriaDesc s, a, b, c, n;
  if (count_up(exec, 5, &s)) return 1;                                                        /* 0 1 2 3 4 */
  if (CALL(INSERT, &a, scalar(0), s, vector(&v[0], 1), scalar(2))) return 1;                  /* 0 1 70 2 3 4 */
  if (CALL(INSERT_OWNED, &a, scalar(0), a, vector(&v[1], 1), scalar(-1))) return 1;           /* 0 1 70 2 3 80 4 */
  if (CALL(ERASE, &b, scalar(0), a, scalar(0))) return 1;                                     /* 1 70 2 3 80 4 */
  if (CALL(ERASE_OWNED, &b, scalar(0), b, scalar(-1))) return 1;                              /* 1 70 2 3 80 */
  if (CALL(ERASE_OWNED, &b, scalar(0), b, scalar(1))) return 1;                               /* 1 2 3 80 */
  if (CALL(ERASE_OWNED, &b, scalar(0), b, scalar(0))) return 1;                               /* 2 3 80 */
  if (CALL(APPEND_OWNED, &b, b, vector(&v[2], 1))) return 1;                                  /* 2 3 80 90 */
  if (CALL(RETAIN, &c, b)) return 1;
  if (CALL(APPEND_OWNED, &c, c, vector(&v[2], 1))) return 1; /* b has another reference, so it stays */
  if (CALL(RELEASE, NULL, c)) return 1;
  if (CALL(LENGTH_OF, &n, s) || n.bits != 5) return 1;
  if (CALL(LENGTH_OF, &n, a) || n.bits != 7) return 1;
  if (CALL(LENGTH_OF, &n, b) || n.bits != 4) return 1;
  if (CALL(AT, &n, scalar(0), a, scalar(-2))) return 1;
  if (n.rank != 1 || n.dims[0] != 1 || *(int64_t *)n.data != 80) return 1;
  outputs[0] = b;
  return 0;
}

static void sequences_are_edited(void **state) {
  NoriaValue *y = run_ok(edits, NORIA_KIND_SEQUENCE, NORIA_I64, 0);
  expect_items(y, (const int64_t[]){2, 3, 80, 90}, 4);
  noria_value_release(y);
}

/* Two sequences from one of which both append: neither may see the other's item. */
static int32_t fork_both(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t seven = 7, eight = 8;
  NoriaDesc s, a, b, item;
  if (count_up(exec, 3, &s)) return 1;
  if (CALL(APPEND, &a, s, vector(&seven, 1)) || CALL(APPEND, &b, s, vector(&eight, 1))) return 1;
  if (CALL(AT, &item, scalar(0), a, scalar(3)) || *(int64_t *)item.data != 7) return 1;
  outputs[0] = b;
  return 0;
}

static void appending_twice_to_one_sequence_gives_two(void **state) {
  NoriaValue *y = run_ok(fork_both, NORIA_KIND_SEQUENCE, NORIA_I64, 0);
  expect_items(y, (const int64_t[]){0, 1, 2, 8}, 4);
  noria_value_release(y);
}

/* Random edits against an array; nothing is shared, or everything is. */
static int32_t random_edits(NoriaExec *exec, bool owned) {
  int64_t model[512], n = 0;
  uint64_t seed = owned ? 5 : 6;
  NoriaDesc s, next;
  if (CALL(EMPTY, &s, scalar(NORIA_I64))) return 1;
  for (int64_t step = 0; step < 3000; step++) {
    int64_t r = (int64_t)(test_random(&seed) % 8);
    if (n < 500 && (r < 5 || n == 0)) {
      int64_t at = r < 2 ? n : (int64_t)(test_random(&seed) % (uint64_t)(n + 1));
      if (CALL(owned ? INSERT_OWNED : INSERT, &next, scalar(0), s, vector(&step, 1), scalar(at))) return 1;
      memmove(model + at + 1, model + at, (size_t)(n++ - at) * 8);
      model[at] = step;
    } else {
      int64_t at = r == 5 ? 0 : r == 6 ? n - 1 : (int64_t)(test_random(&seed) % (uint64_t)n);
      if (CALL(owned ? ERASE_OWNED : ERASE, &next, scalar(0), s, scalar(at))) return 1;
      memmove(model + at, model + at + 1, (size_t)(--n - at) * 8);
    }
    if (!owned && step % 3 && CALL(RELEASE, NULL, s)) return 1;
    s = next;
    const NoriaValue *value = s.data;
    if (noria_sequence_length(value) != n) return 1;
    for (int64_t i = 0; i < n; i += 1 + n / 16)
      if (*(const int64_t *)noria_tensor_data(noria_sequence_at(value, i)) != model[i]) return 1;
  }
  return 0;
}

static int32_t random_entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  if (random_edits(exec, true) || random_edits(exec, false)) return 1;
  return count_up(exec, 1, &outputs[0]);
}

static void random_edits_match_an_array(void **state) {
  noria_value_release(run_ok(random_entry, NORIA_KIND_SEQUENCE, NORIA_I64, 0));
}

/* 100,000 appends, each from the sequence before and without giving that back, take no copies of the items. */
static int32_t many_appends(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  return count_up(exec, 100000, &outputs[0]);
}

static void appending_is_not_quadratic(void **state) {
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  NoriaValue *y = run_ok(many_appends, NORIA_KIND_SEQUENCE, NORIA_I64, 0);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  assert_int_equal(noria_sequence_length(y), 100000);
  assert_true(end.tv_sec - begin.tv_sec < 5); /* quadratic copying would take minutes */
  noria_value_release(y);
}

/* Sequences that are let go of are not counted, those that are kept are. */
static int32_t let_go(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc s;
  for (int i = 0; i < 100; i++) {
    double data[1000] = {0};
    if (CALL(CONSTRUCT, &s, scalar(NORIA_F64), scalar(1), vector(data, 1000)) || CALL(RELEASE, NULL, s)) return 1;
  }
  return count_up(exec, 1, &outputs[0]);
}

static int32_t grow_for_ever(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc s, next;
  int64_t one = 1;
  if (CALL(EMPTY, &s, scalar(NORIA_I64))) return 1;
  for (;;) {
    if (CALL(APPEND_OWNED, &next, s, vector(&one, 1))) return 1;
    s = next;
  }
}

static int32_t print_for_ever(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc text;
  int64_t one = 1;
  for (;;) {
    if (CALL(FROM, &text, scalar(NORIA_I64), vector(&one, 1))) return 1;
    exec->api->free(exec, text.data);
  }
}

static void sequences_and_strings_count_as_memory(void **state) {
  const Scenario endless[] = {grow_for_ever, print_for_ever};
  const NoriaValueInfo info = {"y", NORIA_KIND_SEQUENCE, NORIA_I64, 0, 0, NULL, NULL};
  NoriaModule module = {.abi_version = NORIA_ABI_VERSION, .num_outputs = 1, .outputs = &info,
                        .num_imports = LENGTH(names), .imports = names, .entry = let_go};
  NoriaRunStats stats;
  NoriaRunOptions options = {.limits.memory = 100000, .stats = &stats};
  NoriaValue *y = NULL;
  NoriaProgram *program = make_program(&module, 1);
  assert_int_equal(noria_program_run(program, NULL, 0, &y, 1, &options, NULL), NORIA_OK);
  assert_true(stats.peak_memory >= 8000 && stats.peak_memory < 20000);
  noria_program_destroy(program);
  noria_value_release(y);
  for (int i = 0; i < 2; i++) {
    module.entry = endless[i];
    program = make_program(&module, 1);
    assert_int_equal(noria_program_run(program, NULL, 0, &y, 1, &options, NULL), NORIA_ERROR_LIMIT);
    assert_true(stats.peak_memory > 90000 && stats.peak_memory <= 100000);
    noria_program_destroy(program);
  }
}

static int32_t bad_position(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc s, item;
  if (count_up(exec, 3, &s)) return 1;
  return CALL(AT, &item, scalar(0), s, scalar(-4));
}

static int32_t concat_nothing(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc s;
  if (count_up(exec, 0, &s)) return 1;
  return CALL(CONCAT, &outputs[0], scalar(0), s, scalar(0), scalar(0));
}

static int32_t wrong_sizes(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t data[] = {1, 2, 3, 4}, sizes[] = {1, 2};
  return CALL(SPLIT_SIZES, &outputs[0], scalar(0), scalar(NORIA_I64), vector(data, 4), scalar(0), vector(sizes, 2));
}

static int32_t get_from_none(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NoriaDesc o;
  if (CALL(NONE, &o, scalar(NORIA_KIND_TENSOR), scalar(NORIA_F32))) return 1;
  return CALL(GET, &outputs[0], scalar(0), o);
}

static void failures_name_the_node(void **state) {
  expect_failure(bad_position, "node 'body/op': position -4 is out of range for a sequence of length 3");
  expect_failure(concat_nothing, "node 'body/op': an empty sequence cannot be concatenated");
  expect_failure(wrong_sizes, "node 'body/op': the sizes of the pieces do not add up to dim 0, which is 4");
  expect_failure(get_from_none, "node 'body/op': the optional is empty");
}

/* ---- splitting and concatenating --------------------------------------------------------------------------------- */

static int32_t split_and_join(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int32_t data[2][5] = {{0, 1, 2, 3, 4}, {10, 11, 12, 13, 14}};
  int64_t sizes[] = {1, 0, 4};
  NoriaDesc t = {.data = data, .rank = 2, .dims = {2, 5}}, s, joined, rows;
  if (CALL(SPLIT, &s, scalar(0), scalar(NORIA_I32), t, scalar(-1), scalar(2), scalar(1))) return 1;
  if (noria_sequence_length(s.data) != 3 || noria_tensor_dims(noria_sequence_at(s.data, 2))[1] != 1) return 1;
  if (CALL(CONCAT, &joined, scalar(0), s, scalar(1), scalar(0))) return 1;
  if (joined.rank != 2 || joined.dims[1] != 5 || memcmp(joined.data, data, sizeof(data))) return 1;
  if (CALL(SPLIT_SIZES, &s, scalar(0), scalar(NORIA_I32), t, scalar(1), vector(sizes, 3))) return 1;
  if (CALL(CONCAT, &joined, scalar(0), s, scalar(-1), scalar(0))) return 1;
  if (joined.dims[1] != 5 || memcmp(joined.data, data, sizeof(data))) return 1;
  if (CALL(SPLIT, &rows, scalar(0), scalar(NORIA_I32), t, scalar(0), scalar(1), scalar(0))) return 1;
  return CALL(CONCAT, &outputs[0], scalar(0), rows, scalar(1), scalar(1)); /* the transpose */
}

static void tensors_split_and_join(void **state) {
  NoriaValue *y = run_ok(split_and_join, NORIA_KIND_TENSOR, NORIA_I32, 2);
  assert_int_equal(noria_tensor_dims(y)[0], 5);
  assert_int_equal(noria_tensor_dims(y)[1], 2);
  for (int i = 0; i < 10; i++) assert_int_equal(((const int32_t *)noria_tensor_data(y))[i], i / 2 + 10 * (i % 2));
  noria_value_release(y);
}

/* ---- optionals --------------------------------------------------------------------------------------------------- */

static int32_t optionals(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  double pi = 3.5;
  NoriaDesc none, some, has, t, s, of_seq, back;
  if (CALL(NONE, &none, scalar(NORIA_KIND_SEQUENCE), scalar(NORIA_F64))) return 1;
  if (CALL(HAS, &has, none) || has.rank != -1 || has.bits != 0) return 1;
  if (CALL(SOME, &some, scalar(NORIA_F64), vector(&pi, 1)) || CALL(HAS, &has, some) || has.bits != 1) return 1;
  if (CALL(GET, &t, scalar(0), some) || *(double *)t.data != 3.5) return 1;
  if (CALL(CONSTRUCT, &s, scalar(NORIA_F64), scalar(2), t, vector(&pi, 1))) return 1;
  if (CALL(SOME_SEQ, &of_seq, s) || CALL(GET_SEQ, &back, scalar(0), of_seq)) return 1;
  if (noria_sequence_length(back.data) != 2) return 1;
  outputs[0] = of_seq;
  return 0;
}

static void optionals_hold_tensors_and_sequences(void **state) {
  NoriaValue *y = run_ok(optionals, NORIA_KIND_OPTIONAL, NORIA_F64, 0);
  assert_int_equal(noria_optional_item_kind(y), NORIA_KIND_SEQUENCE);
  assert_int_equal(noria_sequence_length(noria_optional_item(y)), 2);
  noria_value_release(y);
}

/* ---- handles as inputs and outputs ------------------------------------------------------------------------------- */

static int32_t append_to_input(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int64_t nine = 9;
  return CALL(APPEND_OWNED, &outputs[0], inputs[0], vector(&nine, 1));
}

static int32_t identity(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  outputs[0] = inputs[0];
  return 0;
}

static void inputs_are_not_changed(void **state) {
  const NoriaValueInfo in[] = {{"s", NORIA_KIND_SEQUENCE, NORIA_I64, 0, 0, NULL, NULL}};
  NoriaValue *item = make_i64(1), *s = NULL, *y = NULL;
  const NoriaValue *items[] = {item, item}, *values[1];
  assert_int_equal(noria_sequence_create(NORIA_I64, items, 2, &s, NULL), NORIA_OK);
  values[0] = s;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run(append_to_input, in, 1, values, NORIA_KIND_SEQUENCE, NORIA_I64, 0, &y, NULL), NORIA_OK);
    expect_items(y, (const int64_t[]){1, 1, 9}, 3);
    noria_value_release(y);
  }
  expect_items(s, (const int64_t[]){1, 1}, 2);
  assert_int_equal(run(identity, in, 1, values, NORIA_KIND_SEQUENCE, NORIA_I64, 0, &y, NULL), NORIA_OK);
  noria_value_release(s);
  noria_value_release(item);
  expect_items(y, (const int64_t[]){1, 1}, 2);
  noria_value_release(y);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static void expect_strings(NoriaValue *y, const char *const *expected, int64_t n) {
  assert_int_equal(noria_tensor_count(y), n);
  for (int64_t i = 0; i < n; i++) assert_string_equal(noria_tensor_string(y, i, NULL), expected[i]);
  noria_value_release(y);
}

static int32_t print_floats(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  float v[] = {0.47892547f, 1e6f, 1e-7f, NAN, INFINITY, -INFINITY, 314.15926f, -0.0f, 1, 0.1f, 3.4028235e38f, 1e-45f};
  return CALL(FROM, &outputs[0], scalar(NORIA_F32), vector(v, LENGTH(v)));
}

static int32_t print_integers(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  int8_t v[] = {-128, 0, 127};
  return CALL(FROM, &outputs[0], scalar(NORIA_I8), vector(v, LENGTH(v)));
}

static int32_t print_halves(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  uint16_t v[] = {0x2e66, 0x7bff, 0x0001}; /* 0.1, the largest, the smallest */
  return CALL(FROM, &outputs[0], scalar(NORIA_F16), vector(v, LENGTH(v)));
}

static void numbers_become_strings(void **state) {
  expect_strings(run_ok(print_floats, NORIA_KIND_TENSOR, NORIA_STRING, 1),
                 (const char *const[]){"0.47892547", "1000000", "1e-07", "NaN", "INF", "-INF", "314.15927", "-0", "1",
                                       "0.1", "3.4028235e+38", "1e-45"},
                 12);
  expect_strings(run_ok(print_integers, NORIA_KIND_TENSOR, NORIA_STRING, 1), (const char *const[]){"-128", "0", "127"},
                 3);
  expect_strings(run_ok(print_halves, NORIA_KIND_TENSOR, NORIA_STRING, 1),
                 (const char *const[]){"0.1", "65504", "6e-08"}, 3);
}

static NoriaValue *cast_strings(const char *const *strings, int64_t n, Scenario scenario, int32_t dtype,
                                NoriaError *error) {
  static const int64_t any[] = {-1};
  const NoriaValueInfo in[] = {{"s", NORIA_KIND_TENSOR, NORIA_STRING, 1, 0, any, NULL}};
  NoriaValue *s = NULL, *y = NULL;
  assert_int_equal(noria_tensor_create_strings(1, &n, strings, NULL, &s, NULL), NORIA_OK);
  const NoriaValue *values[] = {s};
  (void)run(scenario, in, 1, values, NORIA_KIND_TENSOR, dtype, 1, &y, error);
  noria_value_release(s);
  return y;
}

static int32_t to_float(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  return CALL(TO, &outputs[0], scalar(0), scalar(NORIA_F32), inputs[0]);
}

static int32_t to_int(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  return CALL(TO, &outputs[0], scalar(0), scalar(NORIA_I32), inputs[0]);
}

static void strings_become_numbers(void **state) {
  static const char *const floats[] = {"3.14", "1e-5", "1E8", "+INF", "inf", "-INF", " 7 ", "nan"};
  static const char *const ints[] = {"-12", "100.5"};
  static const char *const wrong[] = {"12", "12x"};
  NoriaValue *y = cast_strings(floats, LENGTH(floats), to_float, NORIA_F32, NULL);
  const float *f = noria_tensor_data(y);
  assert_true(f[0] == 3.14f && f[1] == 1e-5f && f[2] == 1e8f && f[3] == INFINITY && f[4] == INFINITY);
  assert_true(f[5] == -INFINITY && f[6] == 7.0f && f[7] != f[7]);
  noria_value_release(y);
  y = cast_strings(ints, LENGTH(ints), to_int, NORIA_I32, NULL);
  assert_int_equal(((const int32_t *)noria_tensor_data(y))[0], -12);
  assert_int_equal(((const int32_t *)noria_tensor_data(y))[1], 100);
  noria_value_release(y);
  NoriaError error = NORIA_ERROR_INIT;
  assert_null(cast_strings(wrong, LENGTH(wrong), to_int, NORIA_I32, &error));
  assert_string_equal(error.message, "node 'body/op': \"12x\" is not a value of type int32");
  noria_error_clear(&error);
}

/* A value's kind is held to what the program says, and so is that of what an optional holds. */
static void inputs_of_other_kinds(void **state) {
  const NoriaValueInfo in[] = {{"s", NORIA_KIND_OPTIONAL, NORIA_I64, 0, NORIA_KIND_SEQUENCE, NULL, NULL}};
  NoriaError error = NORIA_ERROR_INIT;
  NoriaValue *tensor, *optional, *y = NULL;
  assert_int_equal(noria_tensor_create(NORIA_I64, 0, NULL, NULL, &tensor, NULL), NORIA_OK);
  assert_int_equal(noria_optional_create(tensor, 0, 0, &optional, NULL), NORIA_OK);
  assert_int_equal(run(to_int, in, 1, (const NoriaValue *[]){tensor}, NORIA_KIND_TENSOR, NORIA_I32, 1, &y, &error),
                   NORIA_ERROR_INVALID);
  assert_string_equal(error.message, "input 's' is an optional, but the value is a tensor");
  assert_int_equal(run(to_int, in, 1, (const NoriaValue *[]){optional}, NORIA_KIND_TENSOR, NORIA_I32, 1, &y, &error),
                   NORIA_ERROR_INVALID);
  assert_string_equal(error.message, "input 's' is an optional for a sequence, but it holds a tensor");
  noria_error_clear(&error);
  noria_value_release(optional);
  noria_value_release(tensor);
}

/* "", "a", "ab", "b" are the keys; a prefix comes first, and what is not among them has the place behind. */
static int32_t find_words(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  return CALL(FIND, &outputs[0], inputs[0], inputs[1]);
}

static void strings_are_found(void **state) {
  static const char *const keys[] = {"", "a", "ab", "b"}, *const words[] = {"b", "aa", "", "ab", "c", "abc", "a"};
  static const int64_t expected[] = {3, 4, 0, 2, 4, 4, 1};
  const NoriaValueInfo in[] = {{"keys", NORIA_KIND_TENSOR, NORIA_STRING, 1, 0, (int64_t[]){-1}, NULL},
                               {"words", NORIA_KIND_TENSOR, NORIA_STRING, 1, 0, (int64_t[]){-1}, NULL}};
  NoriaValue *values[2], *y = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  const int64_t sizes[2] = {LENGTH(keys), LENGTH(words)};
  for (int k = 0; k < 2; k++)
    assert_int_equal(noria_tensor_create_strings(1, &sizes[k], k ? words : keys, NULL, &values[k], &error), NORIA_OK);
  assert_int_equal(run(find_words, in, 2, (const NoriaValue *const *)values, NORIA_KIND_TENSOR, NORIA_I64, 1, &y, &error),
                   NORIA_OK);
  assert_int_equal(noria_tensor_count(y), LENGTH(expected));
  assert_memory_equal(noria_tensor_data(y), expected, sizeof expected);
  for (int k = 0; k < 2; k++) noria_value_release(values[k]);
  noria_value_release(y);
}

/* Strings of the input, of a sequence and new ones meet in one output. */
static int32_t string_mix(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  static const struct { int64_t refs, size; char data[4]; } constant = {0, 3, "xyz"}; /* as compiled code has it */
  NoriaString *suffix[] = {(NoriaString *)(uintptr_t)&constant};
  NoriaDesc joined, s, item, equal;
  if (CALL(JOIN, &joined, scalar(0), inputs[0], vector(suffix, 1))) return 1;
  if (CALL(EQUAL, &equal, scalar(0), joined, joined) || !((bool *)equal.data)[1]) return 1;
  if (CALL(EQUAL, &equal, scalar(0), joined, inputs[0]) || ((bool *)equal.data)[1]) return 1;
  if (CALL(CONSTRUCT, &s, scalar(NORIA_STRING), scalar(1), joined)) return 1;
  if (CALL(AT, &item, scalar(0), s, scalar(0)) || CALL(RELEASE, NULL, s)) return 1;
  NoriaString **y = exec->api->alloc(exec, 4 * (int64_t)sizeof(NoriaString *));
  if (!y) return 1;
  y[0] = ((NoriaString **)inputs[0].data)[0];
  y[1] = ((NoriaString **)item.data)[1];
  y[2] = suffix[0];
  y[3] = y[1];
  outputs[0] = vector(y, 4);
  return 0;
}

static void strings_move_as_words(void **state) {
  static const char *const in[] = {"a", ""};
  expect_strings(cast_strings(in, 2, string_mix, NORIA_STRING, NULL), (const char *const[]){"a", "xyz", "xyz", "xyz"},
                 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequences_are_edited),
      cmocka_unit_test(appending_twice_to_one_sequence_gives_two),
      cmocka_unit_test(random_edits_match_an_array),
      cmocka_unit_test(appending_is_not_quadratic),
      cmocka_unit_test(sequences_and_strings_count_as_memory),
      cmocka_unit_test(failures_name_the_node),
      cmocka_unit_test(tensors_split_and_join),
      cmocka_unit_test(optionals_hold_tensors_and_sequences),
      cmocka_unit_test(inputs_are_not_changed),
      cmocka_unit_test(numbers_become_strings),
      cmocka_unit_test(strings_become_numbers),
      cmocka_unit_test(strings_are_found),
      cmocka_unit_test(inputs_of_other_kinds),
      cmocka_unit_test(strings_move_as_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
