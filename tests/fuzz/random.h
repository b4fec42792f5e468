/* random.h - the source of randomness of what is generated in tests. */
#ifndef NORIA_TESTS_FUZZ_RANDOM_H
#define NORIA_TESTS_FUZZ_RANDOM_H

#include <stdint.h>

/* xorshift64*: the same sequence on every machine, so that a seed is a program. The state is not 0. */
static inline uint64_t fuzz_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* 0 .. n - 1; 0 for n = 0. */
static inline uint64_t fuzz_below(uint64_t *state, uint64_t n) { return n ? (fuzz_random(state) >> 11) % n : 0; }

#endif
