/* test_channel.c - channels of threads. */
#define _GNU_SOURCE
#include "channel_tests.h"

/* Without a world there is one rank. */
static void test_no_world(void **state) {
  assert_string_equal(run_suite(NULL).failure, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {CHANNEL_TESTS, cmocka_unit_test(test_no_world)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
