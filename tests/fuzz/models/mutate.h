/* mutate.h - models that are nearly right: a seed model with some of its fields changed, by what the fields are. */
#ifndef NORIA_TESTS_FUZZ_MODELS_MUTATE_H
#define NORIA_TESTS_FUZZ_MODELS_MUTATE_H

#include "base/base.h"

/* The models that mutants are made of, sorted by path, so that a number names the same mutant each time. */
typedef struct SeedModel {
  NrStr name; /* of the file */
  NrBuf bytes;
} SeedModel;

typedef struct SeedOp {
  const char *name;
  size_t num_inputs;
} SeedOp;

typedef struct Seeds {
  NrArena arena;
  NR_VEC(SeedModel) models;
  NR_VEC(SeedOp) ops; /* of all nodes; each with a number of inputs is there once */
} Seeds;

/* Adds the files *.onnx of a folder and of the folders in it, or one file. False when nothing is there. */
bool seeds_add(Seeds *seeds, const char *path);
/* After the last seeds_add. Models that protobuf does not read are dropped. */
void seeds_finish(Seeds *seeds);
void seeds_deinit(Seeds *seeds);

/* The mutant of that number: its bytes, and which seed was changed how, for people. */
void mutant_make(const Seeds *seeds, uint64_t number, NrBuf *out_bytes, NrBuf *out_what);

#endif
