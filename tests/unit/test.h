/* test.h - what every unit test includes: cmocka with the headers that it wants before it, and seeded randomness. */
#ifndef NORIA_TESTS_UNIT_TEST_H
#define NORIA_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* xorshift64*: the same sequence on every machine, so that a failure repeats. state must not be 0. */
static inline uint64_t test_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * 0x2545f4914f6cdd1dull;
}

#endif
