/* test_target.c - what a list of features says of a machine, and this machine against what the compiler's headers say.
 */
#include "../test.h"
#include "base/cpu.h"
#include "codegen/codegen.h"
#include "target/target.h"

static void features_of_x86_choose_vectors(void **state) {
  static const struct {
    const char *features;
    uint32_t bytes, registers;
  } rows[] = {{"", 16, 16},
              {"sse3,avx", 16, 16}, /* integers have no vectors of 32 bytes yet */
              {"avx,avx2,fma", 32, 16},
              {"avx,avx2,fma,avx512f", 32, 16}, /* Knights Landing: without avx512vl the shorter vectors have 16 */
              {"avx,avx2,avx512f,avx512vl", 64, 32}};
  for (size_t i = 0; i < NR_COUNTOF(rows); i++) {
    NrTarget t = nr_target_of(NR_ARCH_X86_64, "x86-64", rows[i].features);
    assert_int_equal(t.vector_bytes, rows[i].bytes);
    assert_int_equal(t.registers, rows[i].registers);
  }
}

static void aarch64_has_neon(void **state) {
  NrTarget t = nr_target_of(NR_ARCH_AARCH64, "generic", "");
  assert_int_equal(t.vector_bytes, 16);
  assert_int_equal(t.registers, 32);
  assert_int_equal(t.units, NR_UNIT_FMA | NR_UNIT_CONVERT_F16);
  t = nr_target_of(NR_ARCH_AARCH64, "neoverse-v1", "dotprod,fullfp16,bf16,i8mm,sve");
  assert_int_equal(t.fma_ports, 4);
  assert_int_equal(t.units, NR_UNIT_FMA | NR_UNIT_CONVERT_F16 | NR_UNIT_F16 | NR_UNIT_DOT_I8 | NR_UNIT_DOT_BF16 |
                                NR_UNIT_MATRIX_I8 | NR_UNIT_MATRIX_BF16);
}

static void units_are_whole_names(void **state) {
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "x86-64", "avx512vnni").units, NR_UNIT_DOT_I8);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "x86-64", "avxvnniint8,amx-tile,fma4x").units, 0);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "x86-64", "amx-int8,avxvnni").units,
                   NR_UNIT_DOT_I8 | NR_UNIT_MATRIX_I8);
}

static void narrow_units_take_several_steps(void **state) {
  const char *wide = "avx2,fma,avx512f,avx512vl";
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver4", wide).fma_ports, 1);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver5", wide).fma_ports, 2);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver1", "avx2,fma").fma_ports, 1);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver4", wide).unit_bytes, 32);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver5", wide).unit_bytes, 64);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "znver1", "avx2,fma").unit_bytes, 16);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "x86-64-v3", "avx2,fma").unit_bytes, 32);
  /* Without a name: a CPU of AMD's with AVX-512 is a Zen 4 unless it has what Zen 5 added. */
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "native", "sse4a,avx2,fma,avx512f,avx512vl").unit_bytes, 32);
  assert_int_equal(nr_target_of(NR_ARCH_X86_64, "native", "sse4a,avx2,fma,avx512f,avx512vl,avxvnni").unit_bytes, 64);
}

static void the_host_is_this_machine(void **state) {
  const NrTarget *host = nr_target_host();
  assert_ptr_equal(host, nr_target_host());
  assert_int_equal(host->arch, nr_arch_host());
  assert_true(host->cores > 0 && host->cache_bytes[0] > 0 && host->ghz > 0);
#if defined(__x86_64__)
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  assert_int_equal(host->vector_bytes, wide ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16);
  assert_int_equal((host->units & NR_UNIT_FMA) != 0, __builtin_cpu_supports("fma") != 0);
  assert_int_equal(nr_cpu_has(NR_STR("avx512bf16")), __builtin_cpu_supports("avx512bf16") != 0);
#elif defined(__aarch64__)
  assert_int_equal(host->vector_bytes, 16);
#endif
  assert_int_equal(nr_cpu_missing(host->features).size == 0 || strstr(host->features, "amx"), 1);
  assert_false(nr_cpu_has(NR_STR("no-such-feature")));
}

static void without_a_name_the_host_is_the_target(void **state) {
  NrContext *ctx = nr_context_create();
  const NrTarget *target;
  assert_int_equal(nr_codegen_target(ctx, NULL, NULL, &target), NR_OK);
  assert_ptr_equal(target, nr_target_host());
  assert_int_equal(nr_codegen_target(ctx, "native", NULL, &target), NR_OK);
  assert_ptr_equal(target, nr_target_host());
  assert_int_equal(nr_codegen_target(ctx, "no-such-cpu", NULL, &target), NR_ERROR_INVALID);
  assert_int_equal(nr_codegen_target(ctx, NULL, "+no-such-feature", &target), NR_ERROR_INVALID);
  assert_int_equal(nr_codegen_target(ctx, "native", "", &target), NR_OK); /* LLVM is asked, and agrees */
  assert_int_equal(target->vector_bytes, nr_target_host()->vector_bytes);
  assert_int_equal(target->units, nr_target_host()->units);
  nr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_of_x86_choose_vectors), cmocka_unit_test(aarch64_has_neon),
      cmocka_unit_test(units_are_whole_names),          cmocka_unit_test(narrow_units_take_several_steps),
      cmocka_unit_test(the_host_is_this_machine),       cmocka_unit_test(without_a_name_the_host_is_the_target),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
