/* test_cost.c - what the cost model estimates, against times that were measured on one core of a Sapphire Rapids (docs/
 * codegen.md), and how it moves with the target. */
#include <stdio.h>

#include "../test.h"
#include "ir/text.h"
#include "target/cost.h"

static const char wide[] = "avx,avx2,fma,avx512f,avx512vl";

/* The estimate for the first linalg.generic of the text, in nanoseconds. */
static double estimate(const char *text, const NrTarget *target) {
  NrContext *ctx = nr_context_create();
  NrModule *module = nr_parse_module(ctx, nr_str(text), NR_STR("text"), NULL, NULL);
  assert_non_null(module);
  NrOp *op = nr_op_body(nr_op_body(module->op, 0)->first, 0)->first;
  while (!nr_op_is(op, NR_OP_linalg_generic)) op = op->next;
  bool known;
  double ns = nr_cost_structured_ns(target, op, &known);
  assert_true(known);
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  return ns;
}

static double element_wise(const char *body, int n, const char *type, const NrTarget *target) {
  char text[1000];
  snprintf(text, sizeof text,
           "#id = affine_map<(d0) -> (d0)>\n"
           "func.func @f(%%x: tensor<%dx%s>, %%z: tensor<%dx%s>) -> tensor<%dx%s> {\n"
           "  %%e = tensor.empty() : tensor<%dx%s>\n"
           "  %%0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}"
           " ins(%%x, %%z : tensor<%dx%s>, tensor<%dx%s>) outs(%%e : tensor<%dx%s>) {\n"
           "  ^bb0(%%a: %s, %%b: %s, %%o: %s):\n    %s\n    linalg.yield %%y : %s\n  } -> tensor<%dx%s>\n"
           "  return %%0 : tensor<%dx%s>\n}\n",
           n, type, n, type, n, type, n, type, n, type, n, type, n, type, type, type, type, body, type, n, type, n,
           type);
  return estimate(text, target);
}

static double product(int n, const char *flags, const NrTarget *target) {
  char text[1200];
  snprintf(text, sizeof text,
           "func.func @f(%%a: memref<%dx%dxf32>, %%b: memref<%dx%dxf32>, %%c: memref<%dx%dxf32>) {\n"
           "  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,"
           " affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}"
           " ins(%%a, %%b : memref<%dx%dxf32>, memref<%dx%dxf32>) outs(%%c : memref<%dx%dxf32>) {\n"
           "  ^bb0(%%x: f32, %%y: f32, %%acc: f32):\n"
           "    %%p = arith.mulf %%x, %%y %s : f32\n    %%s = arith.addf %%acc, %%p %s : f32\n"
           "    linalg.yield %%s : f32\n  }\n  return\n}\n",
           n, n, n, n, n, n, n, n, n, n, n, n, flags, flags);
  return estimate(text, target);
}

static void is_near(double estimated, double measured) {
  if (estimated > 2 * measured || measured > 2 * estimated)
    fail_msg("%g ns were estimated and %g measured", estimated, measured);
}

static void estimates_are_near_what_was_measured(void **state) {
  NrTarget t = nr_target_of(NR_ARCH_X86_64, "sapphirerapids", wide);
  is_near(element_wise("%y = arith.addf %a, %b : f32", 8192, "f32", &t), 1100);
  is_near(element_wise("%y = arith.divf %a, %b : f32", 8192, "f32", &t), 1860);
  is_near(element_wise("%y = math.exp %a : f32", 8192, "f32", &t), 3490);
  is_near(element_wise("%y = math.tanh %a : f32", 8192, "f32", &t), 4150);
  is_near(element_wise("%y = math.log %a : f32", 8192, "f32", &t), 5610);
  is_near(element_wise("%y = math.atan2 %a, %b : f32", 8192, "f32", &t), 215720);
  is_near(element_wise("%y = arith.addf %a, %b : f32", 65536, "f32", &t), 7860);
  is_near(element_wise("%y = arith.addf %a, %b : f32", 1048576, "f32", &t), 511390);
  is_near(product(64, "", &t), 7240);
  NrTarget v3 = nr_target_of(NR_ARCH_X86_64, "x86-64-v3", "avx,avx2,fma"), old = nr_target_of(NR_ARCH_X86_64, "nehalem", "");
  is_near(product(64, "", &v3), 9470);
  is_near(product(64, "", &old), 20200);
}

static void units_and_lanes_count(void **state) {
  NrTarget t = nr_target_of(NR_ARCH_X86_64, "sapphirerapids", wide);
  double apart = product(64, "", &t), fused = product(64, "fastmath<contract>", &t);
  assert_true(fused == apart / 2);
  NrTarget without = nr_target_of(NR_ARCH_X86_64, "x86-64-v4", "avx,avx2,avx512vl");
  assert_true(product(64, "fastmath<contract>", &without) == product(64, "", &without));
  double f32 = element_wise("%y = math.sqrt %a : f32", 1024, "f32", &t);
  assert_true(element_wise("%y = math.sqrt %a : f64", 1024, "f64", &t) == 2 * f32);
  /* A half is computed as f32 where there are no units for it. */
  double half = element_wise("%y = math.sqrt %a : f16", 1024, "f16", &t);
  assert_true(half == f32);
  NrTarget halves = nr_target_of(NR_ARCH_X86_64, "sapphirerapids", "avx512f,avx512vl,avx512fp16");
  assert_true(element_wise("%y = math.sqrt %a : f16", 1024, "f16", &halves) == f32 / 2);
}

static void memory_bounds_what_is_large(void **state) {
  NrTarget t = nr_target_of(NR_ARCH_X86_64, "sapphirerapids", wide);
  NrCost cost = {.cycles = 1, .bytes = 1e6};
  double before = 0;
  for (size_t i = 0; i < NR_CACHE_LEVELS; i++) {
    double here = nr_cost_ns(&t, cost, (double)t.cache_bytes[i]), beyond = nr_cost_ns(&t, cost, (double)t.cache_bytes[i] + 1);
    assert_true(here > before && beyond > here);
    before = here;
  }
  is_near(nr_cost_ns(&t, (NrCost){.cycles = 2800}, 1e12), 1000);
}

/* Expected by hand: 1000 = 20 * 50, and 17 parts of 61 would leave 24; 512 = 8 * 64; 1001 has no divisor near 64 that is
 * a multiple of 16, and 13 * 77 without. */
static void tiles_divide_their_range(void **state) {
  assert_int_equal(nr_cost_tile(1000, 61, 1), 50);
  assert_int_equal(nr_cost_tile(512, 60, 16), 64);
  assert_int_equal(nr_cost_tile(1001, 64, 16), 64);
  assert_int_equal(nr_cost_tile(1001, 64, 1), 77);
  assert_int_equal(nr_cost_tile(1009, 64, 1), 64);  /* a prime: 16 parts */
  assert_int_equal(nr_cost_tile(16, 64, 1), 16);    /* all of a small range */
  assert_int_equal(nr_cost_tile(20, 10, 1), 10);    /* two parts stay two */
  assert_int_equal(nr_cost_tile(7, 6, 1), 4);
  assert_int_equal(nr_cost_tile(1, 1, 16), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(estimates_are_near_what_was_measured),
      cmocka_unit_test(units_and_lanes_count),
      cmocka_unit_test(memory_bounds_what_is_large),
      cmocka_unit_test(tiles_divide_their_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
