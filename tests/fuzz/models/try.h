/* try.h - one model, all the way: read, lowered, run in the interpreter or as machine code. Whatever the model is, that
 * ends in time with a status, and with a message where the status is an error. */
#ifndef NORIA_TESTS_FUZZ_MODELS_TRY_H
#define NORIA_TESTS_FUZZ_MODELS_TRY_H

#include "driver/driver.h"

typedef struct TryCounts {
  uint64_t models, refused, lowered, compiled, runs, runs_failed;
} TryCounts;

typedef struct Try {
  TryCounts counts;
  NrBuf what;    /* is being done, for people */
  NrBuf message; /* of a finding; empty: none */
} Try;

/* False when something is wrong that a message tells. What crashes or hangs does not come back. random: what is done
 * with the model, and the values that it runs on. */
bool try_model(Try *t, const NrBuf *bytes, uint64_t random);
void try_deinit(Try *t);

#endif
