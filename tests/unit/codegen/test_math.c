/* Elementary functions of f32: the largest error over the whole range against the C library in double. The bounds are
 * those that src/pass/expand/math_f32.c, math_pow.c and math_trig.c state. */
#include <math.h>

#include "codegen_test.h"

typedef struct Function {
  const char *name;
  double (*want)(double x);
  double bound; /* ulp */
  float limit;  /* largest magnitude that is tried; 0 = all */
} Function;

static double rsqrt(double x) { return 1 / sqrt(x); }

static const Function functions[] = {
    {"exp", exp, 1.0, 0},      {"exp2", exp2, 0.8, 0},   {"expm1", expm1, 1.4, 0}, {"tanh", tanh, 2.5, 0},
    {"log", log, 0.8, 0},      {"log2", log2, 1.7, 0},   {"log10", log10, 1.9, 0}, {"log1p", log1p, 1.5, 0},
    {"erf", erf, 1.2, 0},      {"sin", sin, 1.6, 0},     {"cos", cos, 1.6, 0},     {"tan", tan, 3.5, 0},
    {"sqrt", sqrt, 0.5, 0},    {"rsqrt", rsqrt, 1.5, 0}, {"acos", acos, 2, 0},     {"asinh", asinh, 2.5, 0},
    {"cbrt", cbrt, 2, 0},      {"ceil", ceil, 0, 0},     {"floor", floor, 0, 0},   {"round", round, 0, 0},
    {"roundeven", rint, 0, 0}, {"trunc", trunc, 0, 0},   {"absf", fabs, 0, 0},     {"sinh", sinh, 2.5, 0},
};

/* The distance of neighbours at x. */
static double ulp(float x) {
  int exponent;
  frexpf(fabsf(x), &exponent);
  return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* got against the exact value of name at x; bound in ulp. */
static void check(const char *name, double bound, float x, double exact, float got) {
  float want = (float)exact;
  if (isnan(want)) {
    if (!isnan(got)) fail_msg("%s(%a) is %a, not NaN", name, x, got);
  } else if (isinf(want) || isinf(got) || want == 0) {
    /* Beside the largest number and beside 0 one step either way is within the bound. */
    bool near = want == 0 ? fabsf(got) <= 0x1p-149f && bound > 0 && exact != 0 : fabs(exact) > 0x1.fffffdp127;
    if (!near && (got != want || signbit(got) != signbit(want))) fail_msg("%s(%a) is %a, not %a", name, x, got, want);
  } else if (fabs(got - exact) > bound * ulp(want)) {
    fail_msg("%s(%a) is %a, not %a: %.2f ulp", name, x, got, exact, fabs(got - exact) / ulp(want));
  }
}

static void accuracy(void **state) {
  NrBuf text = {0};
  for (size_t i = 0; i < NR_COUNTOF(functions); i++)
    nr_buf_printf(&text, "func.func @%s(%%x: f32) -> f32 {\n  %%y = math.%s %%x : f32\n  return %%y : f32\n}\n",
                  functions[i].name, functions[i].name);
  Program p;
  program_compile(&p, text.data);
  for (size_t i = 0; i < NR_COUNTOF(functions); i++) {
    NoriaEntryFn function = nr_codegen_function(p.compiled, functions[i].name);
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 20011) {
      NoriaDesc arg = scalar_bits(bits), out;
      function(&p.run.exec, &arg, &out);
      check(functions[i].name, functions[i].bound, as_f32(arg), functions[i].want(as_f32(arg)), as_f32(out));
    }
    const float edges[] = {0.f,        -0.f,      INFINITY, -INFINITY, 1.f,    -1.f, 0x1p-149f,
                           -0x1p-149f, 0x1p-126f, 0.5f,     2.f,       -104.f, 89.f};
    for (size_t k = 0; k < NR_COUNTOF(edges); k++) {
      NoriaDesc arg = scalar_f32(edges[k]), out;
      function(&p.run.exec, &arg, &out);
      check(functions[i].name, functions[i].bound, edges[k], functions[i].want(edges[k]), as_f32(out));
    }
  }
  program_free(&p);
  nr_buf_deinit(&text);
}

static void check_power(NoriaEntryFn power, Program *p, float x, float y) {
  char name[40];
  NoriaDesc args[] = {scalar_f32(x), scalar_f32(y)}, out;
  snprintf(name, sizeof name, "power %a of ", y);
  power(&p->run.exec, args, &out);
  check(name, 0.51, x, pow(x, y), as_f32(out));
}

/* All pairs of numbers for which C has rules, exponents that are constant, and pairs of all sizes. */
static void powers(void **state) {
  static const float numbers[] = {0.f,
                                  -0.f,
                                  1.f,
                                  -1.f,
                                  2.f,
                                  -2.f,
                                  3.f,
                                  -3.f,
                                  0.5f,
                                  -0.5f,
                                  1.5f,
                                  32.f,
                                  -32.f,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1p-149f,
                                  -0x1p-149f,
                                  0x1p127f,
                                  -0x1p127f,
                                  0x1p24f,
                                  -0x1p24f,
                                  0x1.fffffep23f,
                                  0x1.fffffep22f,
                                  0x1.fffffep-1f};
  enum { COUNT = NR_COUNTOF(numbers) };
  NrBuf text = {0};
  nr_buf_printf(&text, "func.func @power(%%x: f32, %%y: f32) -> f32 {\n"
                       "  %%z = math.powf %%x, %%y : f32\n  return %%z : f32\n}\n");
  for (size_t i = 0; i < COUNT; i++) {
    uint32_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    nr_buf_printf(&text,
                  "func.func @by%zu(%%x: f32, %%y: f32) -> f32 {\n  %%n = arith.constant 0x%08X : f32\n"
                  "  %%z = math.powf %%x, %%n : f32\n  return %%z : f32\n}\n",
                  i, bits);
  }
  Program p;
  program_compile(&p, text.data);
  NoriaEntryFn power = nr_codegen_function(p.compiled, "power");
  for (size_t i = 0; i < COUNT; i++) {
    char name[24];
    snprintf(name, sizeof name, "by%zu", i);
    NoriaEntryFn by_constant = nr_codegen_function(p.compiled, name);
    for (size_t k = 0; k < COUNT; k++) {
      check_power(power, &p, numbers[k], numbers[i]);
      check_power(by_constant, &p, numbers[k], numbers[i]);
    }
  }
  uint64_t random = 1;
  for (int i = 0; i < 200000; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    float x = as_f32(scalar_bits(random >> 32)), y = as_f32(scalar_bits(0x3d000000 + (random >> 5) % 0x06000000));
    if (i % 2) x = fabsf(x);
    check_power(power, &p, x, random & 8 ? -y : y);
  }
  program_free(&p);
  nr_buf_deinit(&text);
}

static void others(void **state) {
  Program p;
  program_compile(&p,
                  "func.func @ints(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32) {\n"
                  "  %0 = math.absi %a : i32\n  %1 = math.ctlz %a : i32\n  %2 = math.cttz %a : i32\n"
                  "  %3 = math.ctpop %a : i32\n  %4 = math.ipowi %a, %b : i32\n"
                  "  return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32\n}\n"
                  "func.func @classes(%x: f32) -> (i1, i1, i1, i1) {\n"
                  "  %0 = math.isnan %x : f32\n  %1 = math.isinf %x : f32\n  %2 = math.isfinite %x : f32\n"
                  "  %3 = math.isnormal %x : f32\n  return %0, %1, %2, %3 : i1, i1, i1, i1\n}\n"
                  "func.func @binary(%x: f64, %y: f64, %z: f64, %n: i32) -> (f64, f64, f64, f64, f64, f64) {\n"
                  "  %0 = math.powf %x, %y : f64\n  %1 = math.atan2 %x, %y : f64\n  %2 = math.copysign %x, %y : f64\n"
                  "  %3 = math.fma %x, %y, %z : f64\n  %4 = math.fpowi %x, %n : f64, i32\n"
                  "  %5 = math.clampf %x to [%y, %z] : f64\n"
                  "  return %0, %1, %2, %3, %4, %5 : f64, f64, f64, f64, f64, f64\n}\n"
                  "func.func @half(%x: f16) -> f16 {\n  %0 = math.exp %x : f16\n  return %0 : f16\n}\n"
                  "func.func @wide(%x: f64) -> (f64, f64, f64) {\n  %0 = math.exp %x : f64\n  %1 = math.sin %x : f64\n"
                  "  %2 = math.erf %x : f64\n  return %0, %1, %2 : f64, f64, f64\n}\n"
                  "func.func @both(%x: f32) -> (f32, f32) {\n  %s, %c = math.sincos %x : f32\n"
                  "  return %s, %c : f32, f32\n}\n");
  NoriaDesc out[6];
  program_call(&p, "ints", (NoriaDesc[]){scalar_bits(0xfffffff4), scalar_i64(3)}, out);
  assert_int_equal(out[0].bits, 12);
  assert_int_equal(out[1].bits, 0);
  assert_int_equal(out[2].bits, 2);
  assert_int_equal(out[3].bits, 29);
  assert_int_equal((int32_t)out[4].bits, -1728);
  program_call(&p, "ints", (NoriaDesc[]){scalar_bits(0xffffffff), scalar_bits(0xfffffffd)}, out);
  assert_int_equal((int32_t)out[4].bits, -1); /* (-1)^-3 */
  program_call(&p, "ints", (NoriaDesc[]){scalar_i64(0), scalar_i64(0)}, out);
  assert_int_equal(out[1].bits, 32);
  assert_int_equal(out[2].bits, 32);
  assert_int_equal(out[4].bits, 1);
  const struct {
    float x;
    int mask;
  } classes[] = {{NAN, 1}, {-INFINITY, 2}, {1.5f, 12}, {0.f, 4}, {0x1p-130f, 4}};
  for (size_t i = 0; i < NR_COUNTOF(classes); i++) {
    NoriaDesc arg = scalar_f32(classes[i].x);
    program_call(&p, "classes", &arg, out);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k].bits, classes[i].mask >> k & 1);
  }
  program_call(&p, "binary", (NoriaDesc[]){scalar_f64(2.5), scalar_f64(-1.5), scalar_f64(3), scalar_i64(3)}, out);
  const double want[] = {pow(2.5, -1.5), atan2(2.5, -1.5), -2.5, -0.75, 15.625, 2.5};
  for (int i = 0; i < 6; i++) assert_float_equal(as_f64(out[i]), want[i], 1e-14);
  NoriaDesc arg = scalar_bits(0x3e00); /* 1.5 */
  program_call(&p, "half", &arg, out);
  assert_int_equal(out[0].bits, 0x447b); /* 4.48046875 */
  arg = scalar_f64(1.25);
  program_call(&p, "wide", &arg, out);
  assert_float_equal(as_f64(out[0]), exp(1.25), 1e-15);
  assert_float_equal(as_f64(out[1]), sin(1.25), 1e-15);
  assert_float_equal(as_f64(out[2]), erf(1.25), 1e-15);
  arg = scalar_f32(2);
  program_call(&p, "both", &arg, out);
  assert_float_equal(as_f32(out[0]), sin(2.0), 2e-7);
  assert_float_equal(as_f32(out[1]), cos(2.0), 2e-7);
  program_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy), cmocka_unit_test(powers), cmocka_unit_test(others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
