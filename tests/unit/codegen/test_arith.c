/* Integer and float arithmetic, comparisons and casts of compiled code against C's. */
#include <math.h>

#include "base/float_format.h"
#include "codegen_test.h"

/* ---- integers ---------------------------------------------------------------------------------------------------- */

typedef struct IntOp {
  const char *op;
  int64_t (*want)(int64_t a, int64_t b);
} IntOp;

#define INT_OP(name, expression)                                                                                       \
  static int64_t name(int64_t a, int64_t b) { return (int64_t)(expression); }
INT_OP(do_add, (uint64_t)a + (uint64_t)b)
INT_OP(do_sub, (uint64_t)a - (uint64_t)b)
INT_OP(do_mul, (uint64_t)a *(uint64_t)b)
INT_OP(do_and, a &b)
INT_OP(do_or, a | b)
INT_OP(do_xor, a ^ b)
INT_OP(do_maxsi, a > b ? a : b)
INT_OP(do_minsi, a < b ? a : b)
INT_OP(do_maxui, (uint64_t)a > (uint64_t)b ? a : b)
INT_OP(do_minui, (uint64_t)a < (uint64_t)b ? a : b)
INT_OP(do_divsi, a / b)
INT_OP(do_remsi, a % b)
INT_OP(do_divui, (uint64_t)a / (uint64_t)b)
INT_OP(do_remui, (uint64_t)a % (uint64_t)b)
INT_OP(do_floor, a / b - (a % b != 0 && (a < 0) != (b < 0)))
INT_OP(do_ceil, a / b + (a % b != 0 && (a < 0) == (b < 0)))
INT_OP(do_ceilu, (uint64_t)a / (uint64_t)b + ((uint64_t)a % (uint64_t)b != 0))

static const IntOp int_ops[] = {
    {"addi", do_add},       {"subi", do_sub},         {"muli", do_mul},         {"andi", do_and},
    {"ori", do_or},         {"xori", do_xor},         {"maxsi", do_maxsi},      {"minsi", do_minsi},
    {"maxui", do_maxui},    {"minui", do_minui},      {"divsi", do_divsi},      {"remsi", do_remsi},
    {"divui", do_divui},    {"remui", do_remui},      {"floordivsi", do_floor}, {"ceildivsi", do_ceil},
    {"ceildivui", do_ceilu},
};
static const char *const predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

static bool int_compare(size_t predicate, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  const bool results[] = {a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y};
  return results[predicate];
}

static void integers(void **state) {
  NrBuf text = {0};
  for (size_t i = 0; i < NR_COUNTOF(int_ops); i++)
    nr_buf_printf(
        &text, "func.func @%s(%%a: i64, %%b: i64) -> i64 {\n  %%r = arith.%s %%a, %%b : i64\n  return %%r : i64\n}\n",
        int_ops[i].op, int_ops[i].op);
  for (size_t i = 0; i < NR_COUNTOF(predicates); i++)
    nr_buf_printf(
        &text,
        "func.func @%s(%%a: i64, %%b: i64) -> i1 {\n  %%r = arith.cmpi %s, %%a, %%b : i64\n  return %%r : i1\n}\n",
        predicates[i], predicates[i]);
  Program p;
  program_compile(&p, text.data);
  const int64_t edges[] = {0, 1, -1, 2, -2, 7, -7, 10, 63, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1ll << 32};
  uint64_t seed = 42;
  for (int round = 0; round < 400; round++) {
    int64_t a = round < 169 ? edges[round / 13] : (int64_t)test_random(&seed) >> (test_random(&seed) % 60);
    int64_t b = round < 169 ? edges[round % 13] : (int64_t)test_random(&seed) >> (test_random(&seed) % 60);
    NoriaDesc args[] = {scalar_i64(a), scalar_i64(b)}, out;
    for (size_t i = 0; i < NR_COUNTOF(int_ops); i++) {
      if (strstr(int_ops[i].op, "div") || strstr(int_ops[i].op, "rem"))
        if (b == 0 || (a == INT64_MIN && b == -1)) continue;
      assert_int_equal(program_call(&p, int_ops[i].op, args, &out), 0);
      assert_int_equal((int64_t)out.bits, int_ops[i].want(a, b));
    }
    for (size_t i = 0; i < NR_COUNTOF(predicates); i++) {
      program_call(&p, predicates[i], args, &out);
      assert_int_equal(out.bits, int_compare(i, a, b));
    }
  }
  program_free(&p);
  nr_buf_deinit(&text);
}

static void widths(void **state) {
  Program p;
  program_compile(&p,
                  "func.func @narrow(%a: i32) -> (i8, i1, i4, i17) {\n"
                  "  %0 = arith.trunci %a : i32 to i8\n  %1 = arith.trunci %a : i32 to i1\n"
                  "  %2 = arith.trunci %a : i32 to i4\n  %3 = arith.trunci %a : i32 to i17\n"
                  "  return %0, %1, %2, %3 : i8, i1, i4, i17\n}\n"
                  "func.func @wide(%a: i8) -> (i64, i64, index, index) {\n"
                  "  %0 = arith.extsi %a : i8 to i64\n  %1 = arith.extui %a : i8 to i64\n"
                  "  %2 = arith.index_cast %a : i8 to index\n  %3 = arith.index_castui %a : i8 to index\n"
                  "  return %0, %1, %2, %3 : i64, i64, index, index\n}\n"
                  "func.func @shift(%a: i32, %b: i32) -> (i32, i32, i32) {\n"
                  "  %0 = arith.shli %a, %b : i32\n  %1 = arith.shrsi %a, %b : i32\n  %2 = arith.shrui %a, %b : i32\n"
                  "  return %0, %1, %2 : i32, i32, i32\n}\n"
                  "func.func @double_width(%a: i64, %b: i64) -> (i64, i64, i64, i64) {\n"
                  "  %0, %1 = arith.mulsi_extended %a, %b : i64\n  %2, %3 = arith.mului_extended %a, %b : i64\n"
                  "  return %0, %1, %2, %3 : i64, i64, i64, i64\n}\n"
                  "func.func @carry(%a: i64, %b: i64) -> (i64, i1) {\n"
                  "  %0, %1 = arith.addui_extended %a, %b : i64, i1\n  return %0, %1 : i64, i1\n}\n");
  NoriaDesc out[4];
  NoriaDesc args[] = {scalar_bits(0xfffabcdf), scalar_bits(4)};
  program_call(&p, "narrow", args, out);
  assert_int_equal(out[0].bits, 0xdf);
  assert_int_equal(out[1].bits, 1);
  assert_int_equal(out[2].bits, 0xf);
  assert_int_equal(out[3].bits, 0xfffabcdf & 0x1ffff);
  args[0] = scalar_bits(0x85);
  program_call(&p, "wide", args, out);
  assert_int_equal((int64_t)out[0].bits, (int8_t)0x85);
  assert_int_equal(out[1].bits, 0x85);
  assert_int_equal((int64_t)out[2].bits, (int8_t)0x85);
  assert_int_equal(out[3].bits, 0x85);
  args[0] = scalar_bits(0x80000010);
  program_call(&p, "shift", args, out);
  assert_int_equal(out[0].bits, 0x100);
  assert_int_equal(out[1].bits, 0xf8000001);
  assert_int_equal(out[2].bits, 0x08000001);
  args[0] = scalar_i64(-3), args[1] = scalar_i64(5);
  program_call(&p, "double_width", args, out);
  assert_int_equal((int64_t)out[0].bits, -15);
  assert_int_equal((int64_t)out[1].bits, -1);
  assert_int_equal((int64_t)out[2].bits, -15);
  assert_int_equal((int64_t)out[3].bits, 4);
  program_call(&p, "carry", args, out);
  assert_int_equal(out[0].bits, 2);
  assert_int_equal(out[1].bits, 1);
  program_free(&p);
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

static float max_nan(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  return a == 0 && b == 0 ? (signbit(a) ? b : a) : fmaxf(a, b);
}
static float min_nan(float a, float b) { return -max_nan(-a, -b); }
static float f_add(float a, float b) { return a + b; }
static float f_sub(float a, float b) { return a - b; }
static float f_mul(float a, float b) { return a * b; }
static float f_div(float a, float b) { return a / b; }
static float f_max(float a, float b) { return fmaxf(a, b); }
static float f_min(float a, float b) { return fminf(a, b); }

static const struct {
  const char *op;
  float (*want)(float a, float b);
} float_ops[] = {
    {"addf", f_add},     {"subf", f_sub},         {"mulf", f_mul},         {"divf", f_div},   {"remf", fmodf},
    {"maxnumf", f_max},  {"minnumf", f_min},      {"maximumf", max_nan},   {"minimumf", min_nan},
};
static const char *const float_predicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                               "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

static bool float_compare(size_t predicate, float a, float b) {
  bool nan = isnan(a) || isnan(b);
  const bool ordered[] = {false, a == b, a > b, a >= b, a < b, a <= b, a != b && !nan, !nan};
  return predicate < 8 ? ordered[predicate]
         : predicate == 14 ? nan
         : predicate == 15 ? true
         : predicate == 13 ? a != b
                           : nan || ordered[predicate - 7];
}

static void floats(void **state) {
  NrBuf text = {0};
  for (size_t i = 0; i < NR_COUNTOF(float_ops); i++)
    nr_buf_printf(
        &text, "func.func @%s(%%a: f32, %%b: f32) -> f32 {\n  %%r = arith.%s %%a, %%b : f32\n  return %%r : f32\n}\n",
        float_ops[i].op, float_ops[i].op);
  for (size_t i = 0; i < NR_COUNTOF(float_predicates); i++)
    nr_buf_printf(
        &text,
        "func.func @%s_(%%a: f32, %%b: f32) -> i1 {\n  %%r = arith.cmpf %s, %%a, %%b : f32\n  return %%r : i1\n}\n",
        float_predicates[i], float_predicates[i]);
  Program p;
  program_compile(&p, text.data);
  const float edges[] = {0.f, -0.f, 1.f, -1.5f, INFINITY, -INFINITY, NAN, 1e-45f, 3.4e38f, 7.25f, -7.25f, 0.1f};
  for (size_t i = 0; i < NR_COUNTOF(edges); i++)
    for (size_t k = 0; k < NR_COUNTOF(edges); k++) {
      float a = edges[i], b = edges[k];
      NoriaDesc args[] = {scalar_f32(a), scalar_f32(b)}, out;
      for (size_t o = 0; o < NR_COUNTOF(float_ops); o++) {
        assert_int_equal(program_call(&p, float_ops[o].op, args, &out), 0);
        float want = float_ops[o].want(a, b), got = as_f32(out);
        bool zeros = want == 0 && a == 0 && b == 0 && strstr(float_ops[o].op, "num"); /* either zero will do */
        if (isnan(want)) assert_true(isnan(got));
        else assert_true(got == want && (zeros || signbit(got) == signbit(want)));
      }
      for (size_t o = 0; o < NR_COUNTOF(float_predicates); o++) {
        char name[16];
        snprintf(name, sizeof name, "%s_", float_predicates[o]);
        program_call(&p, name, args, &out);
        assert_int_equal(out.bits, float_compare(o, a, b));
      }
    }
  program_free(&p);
  nr_buf_deinit(&text);
}

/* ---- casts between float formats --------------------------------------------------------------------------------- */

typedef struct Format {
  const char *type;
  const NrFloatFormat *format;
  unsigned bits;
} Format;
static const Format formats[] = {
    {"f16", &nr_format_f16, 16},           {"bf16", &nr_format_bf16, 16},
    {"f8E5M2", &nr_format_f8e5m2, 8},      {"f8E4M3", &nr_format_f8e4m3, 8},
    {"f8E4M3FN", &nr_format_f8e4m3fn, 8},  {"f8E5M2FNUZ", &nr_format_f8e5m2fnuz, 8},
    {"f8E4M3FNUZ", &nr_format_f8e4m3fnuz, 8}, {"f8E4M3B11FNUZ", &nr_format_f8e4m3b11fnuz, 8},
    {"f8E3M4", &nr_format_f8e3m4, 8},      {"f8E8M0FNU", &nr_format_f8e8m0fnu, 8},
    {"f4E2M1FN", &nr_format_f4e2m1fn, 4},  {"f6E2M3FN", &nr_format_f6e2m3fn, 6},
    {"f6E3M2FN", &nr_format_f6e3m2fn, 6},
};

static void check_encode(Program *p, const char *name, const Format *f, NoriaDesc arg, double value) {
  NoriaDesc out;
  program_call(p, name, &arg, &out);
  uint64_t want = nr_float_encode(f->format, value, false);
  /* NaN may keep its payload. */
  if (isnan(value) && f->format->nan == NR_NAN_IEEE) {
    assert_true(isnan(nr_float_decode(f->format, out.bits)));
  } else if (out.bits != want) {
    fail_msg("%s of %a gives %llx, not %llx", name, value, (unsigned long long)out.bits, (unsigned long long)want);
  }
}

static void check_format(const Format *f) {
  NrBuf text = {0};
  nr_buf_printf(&text, "func.func @wide(%%a: %s) -> f32 {\n  %%r = arith.extf %%a : %s to f32\n  return %%r : f32\n}\n",
                f->type, f->type);
  nr_buf_printf(&text,
                "func.func @from32(%%a: f32) -> %s {\n  %%r = arith.truncf %%a : f32 to %s\n  return %%r : %s\n}\n",
                f->type, f->type, f->type);
  nr_buf_printf(&text,
                "func.func @from64(%%a: f64) -> %s {\n  %%r = arith.truncf %%a : f64 to %s\n  return %%r : %s\n}\n",
                f->type, f->type, f->type);
  Program p;
  program_compile(&p, text.data);
  for (uint64_t bits = 0; bits < 1ull << f->bits; bits++) {
    NoriaDesc arg = scalar_bits(bits), out;
    program_call(&p, "wide", &arg, &out);
    double want = nr_float_decode(f->format, bits), got = as_f32(out);
    if (isnan(want) ? !isnan(got) : got != want || signbit(got) != signbit(want))
      fail_msg("%s %llx is %a, not %a", f->type, (unsigned long long)bits, got, want);
    if (isnan(want)) continue;
    /* The value itself, the middle to the next one, and values beside the middle. */
    double next = nr_float_decode(f->format, bits + 1), middle = (want + next) / 2;
    const double values[] = {want, middle, nextafter(middle, INFINITY), nextafter(middle, -INFINITY)};
    for (size_t i = 0; i < NR_COUNTOF(values); i++) {
      check_encode(&p, "from64", f, scalar_f64(values[i]), values[i]);
      check_encode(&p, "from32", f, scalar_f32((float)values[i]), (float)values[i]);
    }
  }
  uint64_t seed = 7;
  for (int i = 0; i < 20000; i++) {
    uint64_t raw = test_random(&seed);
    NoriaDesc d = scalar_bits(raw), s = scalar_bits(raw & 0xffffffff);
    check_encode(&p, "from64", f, d, as_f64(d));
    check_encode(&p, "from32", f, s, as_f32(s));
  }
  program_free(&p);
  nr_buf_deinit(&text);
}

static void float_formats(void **state) {
  for (size_t i = 0; i < NR_COUNTOF(formats); i++) check_format(&formats[i]);
}

static void soft_arithmetic(void **state) {
  Program p;
  program_compile(&p,
                  "func.func @bf16(%a: bf16, %b: bf16) -> (bf16, bf16, i1) {\n"
                  "  %0 = arith.mulf %a, %b : bf16\n  %1 = arith.negf %a : bf16\n  %2 = arith.cmpf olt, %a, %b : bf16\n"
                  "  return %0, %1, %2 : bf16, bf16, i1\n}\n"
                  "func.func @f16(%a: f16, %b: f16) -> f16 {\n"
                  "  %0 = arith.divf %a, %b : f16\n  return %0 : f16\n}\n"
                  "func.func @ints(%a: i32, %b: f16) -> (bf16, f8E4M3FN, i32) {\n"
                  "  %0 = arith.sitofp %a : i32 to bf16\n  %1 = arith.uitofp %a : i32 to f8E4M3FN\n"
                  "  %2 = arith.fptosi %b : f16 to i32\n  return %0, %1, %2 : bf16, f8E4M3FN, i32\n}\n");
  NoriaDesc out[3];
  NoriaDesc args[] = {scalar_bits(nr_float_encode(&nr_format_bf16, 1.5, false)),
                      scalar_bits(nr_float_encode(&nr_format_bf16, 3.015625, false))};
  program_call(&p, "bf16", args, out);
  assert_int_equal(out[0].bits,
                   nr_float_encode(&nr_format_bf16, 1.5 * nr_float_decode(&nr_format_bf16, args[1].bits), false));
  assert_int_equal(out[1].bits, 0xbfc0);
  assert_int_equal(out[2].bits, 1);
  NoriaDesc halves[] = {scalar_bits(nr_float_encode(&nr_format_f16, 10, false)),
                        scalar_bits(nr_float_encode(&nr_format_f16, 3, false))};
  program_call(&p, "f16", halves, out);
  assert_int_equal(out[0].bits, nr_float_encode(&nr_format_f16, 10.0 / 3.0, false));
  NoriaDesc mixed[] = {scalar_i64(257), scalar_bits(nr_float_encode(&nr_format_f16, -77.9, false))};
  program_call(&p, "ints", mixed, out);
  assert_int_equal(out[0].bits, nr_float_encode(&nr_format_bf16, 257, false));
  assert_int_equal(out[1].bits, nr_float_encode(&nr_format_f8e4m3fn, 257, false));
  assert_int_equal((int32_t)out[2].bits, -77);
  program_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),      cmocka_unit_test(widths),          cmocka_unit_test(floats),
      cmocka_unit_test(float_formats), cmocka_unit_test(soft_arithmetic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
