/* sparse_job.h - the parts of `noria sparse`. */
#ifndef NORIA_TOOLS_SPARSE_JOB_H
#define NORIA_TOOLS_SPARSE_JOB_H

#include "job.h"
#include "sparse/sparse.h"
#include "tools.h"

typedef struct SparseJob {
  Job job; /* of the kernel's text */
  NrArena arena;
  const char *expr, *out, *header;
  NR_VEC(const char *) formats;
  NR_VEC(const char *) operands; /* "B=file.mtx" of --run */
  NrSparseOptions options;
  bool print, run;
  NrSparseAssignment assignment;
  NrSparseKernel kernel;
} SparseJob;

/* Parses the expression and makes its kernel; prints errors. 0 or 1. */
int sparse_make(SparseJob *job);
/* sparse_run.c: runs the kernel on the operands and prints the arrays of the result. 0 or 1. */
int sparse_run(SparseJob *job);

#endif
