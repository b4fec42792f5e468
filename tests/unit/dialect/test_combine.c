/* test_combine.c - neutral elements: combined with any value of the type they give that value, by IEEE 754's words for
 * the float ops, for all values of the small types. */
#include "../test.h"

#include "base/float_format.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/arith/wide.h"

#include <math.h>

static NrContext *ctx;

static int setup(void **state) {
  ctx = nr_context_create();
  return 0;
}

static int teardown(void **state) {
  nr_context_destroy(ctx);
  return 0;
}

/* maximum and minimum of IEEE 754-2019: NaN wins, and -0 is below +0. */
static double maximum(double a, double b) {
  if (isnan(a) || isnan(b)) return (double)NAN;
  return a > b || (a == b && !signbit(a)) ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

static double combined(unsigned op_id, double a, double b) {
  switch (op_id) {
  case NR_OP_arith_addf: return a + b;
  case NR_OP_arith_mulf: return a * b;
  case NR_OP_arith_maximumf: return maximum(a, b);
  case NR_OP_arith_minimumf: return minimum(a, b);
  case NR_OP_arith_maxnumf: return isnan(a) ? b : isnan(b) ? a : maximum(a, b);
  case NR_OP_arith_minnumf: return isnan(a) ? b : isnan(b) ? a : minimum(a, b);
  default: fail_msg("a float op without a meaning here"); return 0;
  }
}

static uint64_t encoded(NrFloatKind kind, double v) {
  const NrFloatFormat *format = nr_float_format(kind);
  if (format) return nr_float_encode(format, v, false);
  uint64_t bits = 0;
  float single = (float)v;
  if (kind == NR_F32) memcpy(&bits, &single, sizeof single);
  else memcpy(&bits, &v, sizeof v);
  return bits;
}

static void check_float(const NrCombine *c, NrFloatKind kind, double neutral, double v) {
  double got = combined(c->op_id, neutral, v);
  if (isnan(v) ? isnan(got) : encoded(kind, got) == encoded(kind, v)) return;
  fail_msg("%s of neutral %g and %g is %g, float kind %d", c->atomic, neutral, v, got, (int)kind);
}

static void floats_stay_as_they_are(void **state) {
  static const NrFloatKind kinds[] = {NR_F16,        NR_BF16,       NR_F32,           NR_F64,      NR_F8E5M2,
                                      NR_F8E4M3FN,   NR_F8E5M2FNUZ, NR_F8E4M3FNUZ,    NR_F8E4M3,   NR_F8E3M4,
                                      NR_F8E8M0FNU,  NR_F4E2M1FN,   NR_F6E2M3FN,      NR_F6E3M2FN, NR_F8E4M3B11FNUZ};
  static const double values[] = {0.0, -0.0, 1.5, -3.0, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < NR_NUM_COMBINES; i++) {
    const NrCombine *c = &nr_combines[i];
    for (size_t k = 0; c->is_float && k < NR_COUNTOF(kinds); k++) {
      NrType type = nr_type_float(ctx, kinds[k]);
      NrAttr neutral = nr_combine_neutral(c, type);
      const NrFloatFormat *format = nr_float_format(kinds[k]);
      if (!neutral) { /* a type without zero */
        assert_int_equal(kinds[k], NR_F8E8M0FNU);
        assert_int_equal(c->op_id, NR_OP_arith_addf);
        continue;
      }
      assert_ptr_equal(neutral->type, type);
      if (format && nr_type_bits(type) <= 16)
        for (uint64_t bits = 0; bits < UINT64_C(1) << nr_type_bits(type); bits++)
          check_float(c, kinds[k], neutral->f, nr_float_decode(format, bits));
      else
        for (size_t v = 0; v < NR_COUNTOF(values); v++) check_float(c, kinds[k], neutral->f, values[v]);
    }
  }
}

static int64_t combined_int(unsigned op_id, unsigned width, int64_t a, int64_t b) {
  uint64_t mask = (UINT64_C(1) << width) - 1, x = (uint64_t)a & mask, y = (uint64_t)b & mask;
  switch (op_id) {
  case NR_OP_arith_addi: return a + b;
  case NR_OP_arith_muli: return a * b;
  case NR_OP_arith_andi: return a & b;
  case NR_OP_arith_ori: return a | b;
  case NR_OP_arith_xori: return a ^ b;
  case NR_OP_arith_maxsi: return a > b ? a : b;
  case NR_OP_arith_minsi: return a < b ? a : b;
  case NR_OP_arith_maxui: return x > y ? a : b;
  case NR_OP_arith_minui: return x < y ? a : b;
  default: fail_msg("an integer op without a meaning here"); return 0;
  }
}

static void integers_stay_as_they_are(void **state) {
  for (size_t i = 0; i < NR_NUM_COMBINES; i++) {
    const NrCombine *c = &nr_combines[i];
    for (unsigned width = 1; !c->is_float && c->op_id && width <= 9; width++) {
      NrType type = nr_type_int(ctx, width);
      NrAttr neutral = nr_combine_neutral(c, type);
      assert_non_null(neutral);
      int64_t half = INT64_C(1) << (width - 1), x = (int64_t)((uint64_t)neutral->i << (64 - width)) >> (64 - width);
      for (int64_t v = -half; v < half; v++)
        assert_ptr_equal(nr_attr_int(type, combined_int(c->op_id, width, x, v)), nr_attr_int(type, v));
    }
  }
}

static void wide_integers_have_ends(void **state) {
  NrType type = nr_type_int(ctx, 128);
  NrWide low, high;
  assert_true(nr_wide_from_attr(nr_combine_neutral(nr_combine_of_op(NR_OP_arith_maxsi), type), &low));
  assert_true(nr_wide_from_attr(nr_combine_neutral(nr_combine_of_op(NR_OP_arith_minsi), type), &high));
  assert_true(low.w[0] == 0 && low.w[1] == UINT64_C(1) << 63);
  assert_true(high.w[0] == UINT64_MAX && high.w[1] == UINT64_MAX >> 1);
}

static void names_find_their_rows(void **state) {
  for (int64_t i = 0; i < NR_NUM_COMBINES; i++) {
    const NrCombine *c = &nr_combines[i];
    assert_ptr_equal(nr_combine_of_atomic(i), c->op_id ? c : NULL);
    if (!c->op_id) continue;
    assert_int_equal(nr_combine_atomic_kind(c), i);
    assert_ptr_equal(nr_combine_of_op(c->op_id), c);
    assert_ptr_equal(nr_combine_of_vector(nr_str(c->vector), c->is_float), c);
  }
  assert_null(nr_combine_of_vector(nr_str("and"), true));
  assert_null(nr_combine_of_op(NR_OP_arith_subi));
  assert_null(nr_combine_of_atomic(NR_NUM_COMBINES));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(floats_stay_as_they_are, setup, teardown),
      cmocka_unit_test_setup_teardown(integers_stay_as_they_are, setup, teardown),
      cmocka_unit_test_setup_teardown(wide_integers_have_ends, setup, teardown),
      cmocka_unit_test_setup_teardown(names_find_their_rows, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
