/* check.h - whether all ways of running a program give what the interpreter gives for the program as it was read. */
#ifndef NORIA_TESTS_FUZZ_PROGRAMS_CHECK_H
#define NORIA_TESTS_FUZZ_PROGRAMS_CHECK_H

#include "driver/driver.h"

enum { CHECK_MAX_SETS = 4 };

/* What one run gave. */
typedef struct CheckOutcome {
  NoriaStatus status;
  NrBuf message;
  NR_VEC(NoriaValue *) values;
} CheckOutcome;

/* Counts, added up over programs. */
typedef struct CheckCounts {
  uint64_t programs, runs;
  uint64_t refused; /* sequences of passes that ended with an error message: what came before left nothing for them */
} CheckCounts;

typedef struct Check {
  NrCompilation unit; /* the program, with its entry */
  const char *cpu; /* whose machine code; NULL: this machine's */
  bool sanitize;   /* machine code also under the address sanitizer */
  const char *only; /* the passes that sequences are made of, "licm,cse"; NULL: all */
  int longest;      /* passes of a sequence at most; 0: 6 */
  bool too_long; /* the first run did not end in time */
  size_t num_sets;
  NR_VEC(NoriaValue *) inputs[CHECK_MAX_SETS];
  CheckOutcome want[CHECK_MAX_SETS];
  NrBuf text;       /* of the program, when it was needed */
  char what[1024];   /* what is being tried, as options of this tool */
  NrBuf message;    /* of the first failure; empty: none */
  void (*about_to)(void *user, const char *what); /* told of each `what` beforehand, may be NULL */
  void *user;
  CheckCounts counts;
} Check;

typedef enum CheckStatus {
  CHECK_OK,
  CHECK_FAILED,   /* check->message says how */
  CHECK_UNDEFINED /* the program itself is not well-defined, or too long: nothing can be said */
} CheckStatus;

/* Reads the program and runs it for the first time. Give back with check_end, also after a failure. */
CheckStatus check_begin(Check *check, const char *text, size_t size);
void check_end(Check *check);

/* The interpreter after passes: "canonicalize,cse{x=1}". */
CheckStatus check_passes(Check *check, const char *passes);
/* The interpreter after every stage of the pipeline, then machine code, on several threads if a pass is about
 * dispatches; before them, passes ("" for none). */
CheckStatus check_pipeline(Check *check, const char *passes);
/* C source of the program, compiled by gcc. */
CheckStatus check_c(Check *check);
/* Printed as "mlir", "2020" or "generic" and read again. */
CheckStatus check_text(Check *check, const char *syntax);
/* All texts, each pass alone, the pipeline; and so many random sequences of passes, some of them before the pipeline.
 */
CheckStatus check_everything(Check *check, uint64_t seed, int sequences);
/* Some of that: a few passes and sequences, and the pipeline. */
CheckStatus check_some(Check *check, uint64_t seed);

#endif
