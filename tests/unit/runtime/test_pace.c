/* test_pace.c - what the pool learns about the time of workgroups, and how a loss is paid back. */
#include "../test.h"
#include "runtime/pace.h"

static NrPace paces[NR_PACES];

static void a_function_has_one_entry(void **state) {
  NrPace *first = nr_pace_find(paces, (NoriaWorkgroupFn)0x1000);
  assert_non_null(first);
  assert_ptr_not_equal(nr_pace_find(paces, (NoriaWorkgroupFn)0x1010), first);
  assert_ptr_equal(nr_pace_find(paces, (NoriaWorkgroupFn)0x1000), first);
  int found = 0;
  for (uintptr_t i = 1; i <= 8 * NR_PACES; i++) found += nr_pace_find(paces, (NoriaWorkgroupFn)(i * 64)) != NULL;
  assert_in_range(found, NR_PACES / 2, NR_PACES);
  assert_ptr_equal(nr_pace_find(paces, (NoriaWorkgroupFn)0x1000), first);
}

static void a_single_slow_measurement_changes_little(void **state) {
  NrPace pace = {0};
  assert_true(nr_pace_each(&pace) == 0);
  nr_pace_learn(&pace, 1000);
  assert_true(nr_pace_each(&pace) == 1000);
  nr_pace_learn(&pace, 4000000); /* the thread lost its CPU */
  assert_true(nr_pace_each(&pace) == 1500);
  nr_pace_learn(&pace, 900);
  assert_true(nr_pace_each(&pace) == 900);
  for (int i = 0; i < 30; i++) nr_pace_learn(&pace, 4000000);
  assert_true(nr_pace_each(&pace) == 4000000);
  nr_pace_learn(NULL, 1);
  assert_true(nr_pace_each(NULL) == 0);
}

static void a_loss_is_paid_by_twenty_times_its_time_alone(void **state) {
  NrBalance balance = 0;
  assert_true(nr_balance_allows(&balance, 50000));
  nr_balance_add(&balance, -1000000);
  for (int i = 0; i < 19; i++) {
    assert_false(nr_balance_allows(&balance, 50000));
    assert_false(nr_balance_allows(&balance, 0));
    assert_true(nr_balance_allows(&balance, 1e9)); /* a run of a second cannot lose by milliseconds */
    nr_balance_pay(&balance, 1000000);
  }
  assert_false(nr_balance_allows(&balance, 50000));
  nr_balance_pay(&balance, 1000000);
  assert_true(nr_balance_allows(&balance, 50000));
  nr_balance_pay(&balance, 1e9); /* work alone earns nothing */
  nr_balance_add(&balance, -1);
  assert_false(nr_balance_allows(&balance, 50000));
}

static void credit_and_debt_have_a_limit(void **state) {
  NrBalance balance = 0;
  for (int i = 0; i < 1000; i++) nr_balance_add(&balance, 1e9);
  nr_balance_add(&balance, -1e7);
  assert_false(nr_balance_allows(&balance, 50000));
  for (int i = 0; i < 1000; i++) nr_balance_add(&balance, -1e12);
  nr_balance_pay(&balance, 1.1e9);
  assert_true(nr_balance_allows(&balance, 50000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_has_one_entry),
      cmocka_unit_test(a_single_slow_measurement_changes_little),
      cmocka_unit_test(a_loss_is_paid_by_twenty_times_its_time_alone),
      cmocka_unit_test(credit_and_debt_have_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
