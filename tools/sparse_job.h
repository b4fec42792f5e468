/* sparse_job.h - the parts of `noria sparse`. */
#ifndef NORIA_TOOLS_SPARSE_JOB_H
#define NORIA_TOOLS_SPARSE_JOB_H

#include "job.h"
#include "sparse/sparse.h"
#include "tools.h"

typedef struct SparseJob {
  NrArena arena;
  const char *expr, *out, *header;
  NR_VEC(const char *) formats;
  NrSparseOptions options;
  bool help, print;
  NrSparseAssignment assignment;
  NrSparseKernel kernel;
} SparseJob;

/* Parses the expression and makes its kernel; prints errors. 0 or 1. */
int sparse_make(SparseJob *job);

#endif
