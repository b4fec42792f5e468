/* work.h - estimates the work of an op, for passes that bound the work between safepoints. The unit is an op on a
 * scalar or 32-byte vector: from a third of a nanosecond to about fifty when it waits for memory. */
#ifndef NORIA_PASS_ANALYSIS_WORK_H
#define NORIA_PASS_ANALYSIS_WORK_H

#include "ir/op_info.h"

enum {
  NR_MAX_WORK = 1 << 21,   /* between two safepoints: 1 ms, some 50 ms where every op waits for memory */
  NR_STRIP_WORK = 1 << 20, /* minimum of a strip: makes the cost of the ends of a vectorized loop negligible */
};

int64_t nr_work_times(int64_t work, uint64_t times); /* saturates to INT64_MAX */
/* The work of op alone, without its regions and callees. */
int64_t nr_work_of(const NrOp *op);
/* The number of iterations in a strip, for iterations of this work; a power of two. */
int64_t nr_strip_length(int64_t work);

#endif
