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

static void waking_is_worth_twice_what_it_costs(void **state) {
  NrWakeCost cost = 0;
  assert_in_range((int64_t)nr_wake_worth(&cost), NR_ALONE_NS, NR_ALONE_ASLEEP_NS - 1); /* so that it is tried */
  for (int i = 0; i < 40; i++) nr_wake_learn(&cost, 12000);
  assert_in_range((int64_t)nr_wake_worth(&cost), 23900, 24000);
  for (int i = 0; i < 40; i++) nr_wake_learn(&cost, 100);
  assert_true(nr_wake_worth(&cost) == NR_ALONE_NS);
  nr_wake_learn(&cost, INT64_C(1) << 40); /* the helper lost its CPU before it began */
  assert_true(nr_wake_worth(&cost) < NR_ALONE_ASLEEP_NS);
  for (int i = 0; i < 40; i++) nr_wake_learn(&cost, INT64_C(1) << 40);
  assert_true(nr_wake_worth(&cost) == NR_ALONE_ASLEEP_NS);
  for (int i = 0; i < 100; i++) nr_wake_forget(&cost);
  assert_true(nr_wake_worth(&cost) > NR_ALONE_ASLEEP_NS / 2);
  for (int i = 0; i < 1000; i++) nr_wake_forget(&cost);
  assert_true(nr_wake_worth(&cost) < 20000);
}

static void doubts_last_for_some_dispatches(void **state) {
  NrPace pace = {0};
  assert_false(nr_pace_is_doubtful(&pace));
  nr_pace_doubt(&pace);
  assert_true(nr_pace_is_doubtful(&pace));
  int more = 0;
  while (nr_pace_is_doubtful(&pace)) more++;
  assert_in_range(more, 1, 1000);
  nr_pace_doubt(NULL);
  assert_true(nr_pace_is_doubtful(NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_has_one_entry),
      cmocka_unit_test(a_single_slow_measurement_changes_little),
      cmocka_unit_test(a_loss_is_paid_by_twenty_times_its_time_alone),
      cmocka_unit_test(credit_and_debt_have_a_limit),
      cmocka_unit_test(waking_is_worth_twice_what_it_costs),
      cmocka_unit_test(doubts_last_for_some_dispatches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
