/* test_compare.c - predicates of comparisons against C's operators. */
#include "../test.h"

#include "dialect/arith/compare.h"

#include <math.h>

static bool meaning_of_cmpi(NrCmpI p, int64_t a, int64_t b, uint64_t x, uint64_t y) {
  switch (p) {
  case NR_CMPI_EQ: return a == b;
  case NR_CMPI_NE: return a != b;
  case NR_CMPI_SLT: return a < b;
  case NR_CMPI_SLE: return a <= b;
  case NR_CMPI_SGT: return a > b;
  case NR_CMPI_SGE: return a >= b;
  case NR_CMPI_ULT: return x < y;
  case NR_CMPI_ULE: return x <= y;
  case NR_CMPI_UGT: return x > y;
  default: return x >= y;
  }
}

static void integers_compare_at_every_width(void **state) {
  static const unsigned widths[] = {1, 2, 3, 4, 63, 64};
  for (size_t w = 0; w < NR_COUNTOF(widths); w++)
    for (int p = 0; p < NR_NUM_CMPI; p++)
      for (int64_t i = -8; i < 8; i++)
        for (int64_t j = -8; j < 8; j++) {
          unsigned out = 64 - widths[w];
          uint64_t x = (uint64_t)i << out >> out, y = (uint64_t)j << out >> out;
          int64_t a = (int64_t)(x << out) >> out, b = (int64_t)(y << out) >> out;
          NrCmpI predicate = (NrCmpI)p;
          bool want = meaning_of_cmpi(predicate, a, b, x, y);
          assert_int_equal(nr_cmpi_holds(predicate, widths[w], x, y), want);
          assert_int_equal(nr_cmpi_holds(nr_cmpi_negated(predicate), widths[w], x, y), !want);
          assert_int_equal(nr_cmpi_holds(nr_cmpi_swapped(predicate), widths[w], y, x), want);
          /* Of numbers without a sign bit the order is one. */
          if (a >= 0 && b >= 0) assert_int_equal(nr_cmpi_holds(nr_cmpi_unsigned(predicate), widths[w], x, y), want);
          assert_true(p <= NR_CMPI_NE || nr_cmpi_is_unsigned(nr_cmpi_unsigned(predicate)));
        }
}

static bool meaning_of_cmpf(NrCmpF p, double a, double b) {
  bool ordered = !isnan(a) && !isnan(b);
  switch (p) {
  case NR_CMPF_FALSE: return false;
  case NR_CMPF_OEQ: return a == b;
  case NR_CMPF_OGT: return a > b;
  case NR_CMPF_OGE: return a >= b;
  case NR_CMPF_OLT: return a < b;
  case NR_CMPF_OLE: return a <= b;
  case NR_CMPF_ONE: return a < b || a > b;
  case NR_CMPF_ORD: return ordered;
  case NR_CMPF_UEQ: return !(a < b || a > b);
  case NR_CMPF_UGT: return !(a <= b);
  case NR_CMPF_UGE: return !(a < b);
  case NR_CMPF_ULT: return !(a >= b);
  case NR_CMPF_ULE: return !(a > b);
  case NR_CMPF_UNE: return a != b;
  case NR_CMPF_UNO: return !ordered;
  default: return true;
  }
}

static void floats_compare_with_nan(void **state) {
  static const double values[] = {-INFINITY, -1.0, -0.0, 0.0, 2.5, INFINITY, NAN};
  for (int p = 0; p < NR_NUM_CMPF; p++)
    for (size_t i = 0; i < NR_COUNTOF(values); i++)
      for (size_t j = 0; j < NR_COUNTOF(values); j++)
        assert_int_equal(nr_cmpf_holds((NrCmpF)p, values[i], values[j]),
                         meaning_of_cmpf((NrCmpF)p, values[i], values[j]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_compare_at_every_width),
      cmocka_unit_test(floats_compare_with_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
