/* test_digest.c - digests against those of Python's hashlib.blake2b(data, digest_size=32), and the checksum. */
#include "base/digest.h"

#include <stdio.h>

#include "../test.h"

static void digests_are_blake2b(void **state) {
  static const struct {
    size_t size;
    const char *digest;
  } known[] = {{0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
               {3, "b316f3683ac87007461037a8ff6547de35618800044bb3a4e98b3560c92c3794"},
               {128, "9101ed0a248b57efc0c6070cfbf9cf316c182d125ad6191c1f7783c3d32b6346"},
               {129, "60f5e954d1a1775362ffd0762ed37bbe101ed5e88896dd793f1a889786fb3132"},
               {1000, "a494537cc57474059ebe7a7f7a76c03306551355abebb1967408ed04e7564fa9"}};
  static const size_t steps[] = {1, 7, 127, 128, 129, 1000};
  unsigned char data[1000];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 % 251);
  for (size_t k = 0; k < NR_COUNTOF(known); k++)
    for (size_t s = 0; s < NR_COUNTOF(steps); s++) {
      NrHasher hasher;
      nr_hasher_init(&hasher);
      for (size_t at = 0; at < known[k].size; at += steps[s])
        nr_hasher_add(&hasher, data + at, NR_MIN(steps[s], known[k].size - at));
      NrDigest digest = nr_hasher_end(&hasher);
      char text[2 * sizeof digest.bytes + 1];
      for (size_t i = 0; i < sizeof digest.bytes; i++) snprintf(text + 2 * i, 3, "%02x", digest.bytes[i]);
      assert_string_equal(text, known[k].digest);
    }
}

static NrDigest of_two(const char *a, const char *b) {
  NrHasher hasher;
  nr_hasher_init(&hasher);
  nr_hasher_add_str(&hasher, nr_str(a));
  nr_hasher_add_str(&hasher, nr_str(b));
  return nr_hasher_end(&hasher);
}

static void texts_do_not_run_together(void **state) {
  NrDigest x = of_two("ab", "c"), y = of_two("a", "bc");
  assert_memory_not_equal(x.bytes, y.bytes, sizeof x.bytes);
}

static void every_bit_changes_the_checksum(void **state) {
  unsigned char data[4 * NR_CHECKSUM_STEP] = {0};
  NrChecksum sum = NR_CHECKSUM_INIT;
  nr_checksum_add(&sum, data, sizeof data);
  for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
    NrChecksum other = NR_CHECKSUM_INIT;
    data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    nr_checksum_add(&other, data, sizeof data);
    data[bit / 8] = 0;
    assert_int_not_equal(nr_checksum_end(&sum), nr_checksum_end(&other));
  }
}

static void two_sums_at_once_are_those_of_one_after_the_other(void **state) {
  unsigned char data[10 * NR_CHECKSUM_STEP];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 % 251);
  NrChecksum a = NR_CHECKSUM_INIT, b = NR_CHECKSUM_INIT, both[2] = {NR_CHECKSUM_INIT, NR_CHECKSUM_INIT};
  nr_checksum_add(&a, data, sizeof data / 2);
  nr_checksum_add(&b, data + sizeof data / 2, sizeof data / 2);
  nr_checksum_add_two(&both[0], data, &both[1], data + sizeof data / 2, sizeof data / 2);
  assert_int_equal(nr_checksum_end(&a), nr_checksum_end(&both[0]));
  assert_int_equal(nr_checksum_end(&b), nr_checksum_end(&both[1]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_are_blake2b),
      cmocka_unit_test(texts_do_not_run_together),
      cmocka_unit_test(every_bit_changes_the_checksum),
      cmocka_unit_test(two_sums_at_once_are_those_of_one_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
