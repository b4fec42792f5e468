/* check.h - one model in all ways of running it: after stage `tensor` in the interpreter, after the last stage in the
 * interpreter, as machine code. All give the same. */
#ifndef NORIA_TESTS_FUZZ_GRAPH_CHECK_H
#define NORIA_TESTS_FUZZ_GRAPH_CHECK_H

#include "gen.h"

typedef struct GraphCounts {
  uint64_t models, refused, runs, failed_runs, limited, exact;
} GraphCounts;

/* False with a message when something is wrong. */
bool graph_check(const GraphMade *made, GraphCounts *counts, NrBuf *message);

#endif
