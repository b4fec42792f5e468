/* test_cache_sum.c - the checksum of a file of the cache: the same in one go and in parts, by any number of threads. */
#include "driver/cache_sum.h"

#include <stdlib.h>

#include "../test.h"
#include "base/guard.h"

enum { MOST = (37 << 20) + 3 * NR_CHECKSUM_STEP };
static const char header[64] = "a header";
static unsigned char *data;

static uint64_t shared(size_t size, int threads) {
  NrCacheSum sum = nr_cache_sum_begin(header, sizeof header);
  nr_cache_sum_add_shared(&sum, data, size, threads);
  return nr_cache_sum_end(&sum);
}

static int set_up(void **state) {
  uint64_t seed = 7;
  data = malloc(MOST);
  for (size_t i = 0; data && i < MOST; i += 8) memcpy(data + i, &(uint64_t){test_random(&seed)}, 8);
  return data ? 0 : -1;
}

static int tear_down(void **state) {
  free(data);
  return 0;
}

static void parts_and_threads_give_one_sum(void **state) {
  const size_t sizes[] = {0, 32, (1 << 20) - 32, 1 << 20, (1 << 20) + 32, 9 << 20, MOST};
  uint64_t seed = 1;
  for (size_t i = 0; i < NR_COUNTOF(sizes); i++) {
    NrCacheSum sum = nr_cache_sum_begin(header, sizeof header);
    for (size_t at = 0, n; at < sizes[i]; at += n) {
      n = (1 + test_random(&seed) % 90000) * NR_CHECKSUM_STEP;
      n = NR_MIN(n, sizes[i] - at);
      nr_cache_sum_add(&sum, data + at, n);
    }
    uint64_t whole = nr_cache_sum_end(&sum);
    for (int threads = 1; threads < 12; threads += 2) assert_true(shared(sizes[i], threads) == whole);
  }
}

static void a_change_anywhere_shows(void **state) {
  const uint64_t whole = shared(MOST, 3);
  uint64_t seed = 2;
  for (int i = 0; i < 12; i++) {
    size_t at = test_random(&seed) % MOST;
    unsigned char bit = (unsigned char)(1 << test_random(&seed) % 8);
    data[at] ^= bit;
    assert_false(shared(MOST, 3) == whole);
    data[at] ^= bit;
  }
  /* What was lost at the end, or lies in another order. */
  assert_false(shared(MOST - NR_CHECKSUM_STEP, 3) == whole);
  assert_false(shared(MOST - (1 << 20), 3) == whole);
  unsigned char *piece = malloc(1 << 20);
  memcpy(piece, data, 1 << 20);
  memcpy(data, data + (1 << 20), 1 << 20);
  memcpy(data + (1 << 20), piece, 1 << 20);
  free(piece);
  assert_false(shared(MOST, 3) == whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_and_threads_give_one_sum),
      cmocka_unit_test(a_change_anywhere_shows),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
