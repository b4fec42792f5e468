/* feeds.h - values to run a program on, made up for the types of its inputs. */
#ifndef NORIA_TESTS_FUZZ_FEEDS_H
#define NORIA_TESTS_FUZZ_FEEDS_H

#include "base/base.h"
#include "noria/noria.h"

/* Of one run. Zero-initialised but for what is set. */
typedef struct FuzzFeeds {
  uint64_t *random;
  int64_t usual_size; /* of most dims that are open; 0: each is random */
  struct {
    const char *name;
    int64_t size;
  } symbols[64];
  size_t num_symbols;
} FuzzFeeds;

/* An element: mostly a small number; now and then, where wild, any. */
uint64_t fuzz_bits(uint64_t *random, NoriaDType dtype, bool wild);
const char *fuzz_word(uint64_t *random);

/* NULL: no value of that type is made up, because it is too large. */
NoriaValue *fuzz_feed(FuzzFeeds *feeds, const NoriaValueInfo *info);

#endif
