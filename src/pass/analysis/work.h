/* work.h - how much an op works, for passes that bound what runs between two safepoints. The unit is an op on a scalar
 * or on a vector of 32 bytes: from a third of a nanosecond to some fifty where memory is far. */
#ifndef NORIA_PASS_ANALYSIS_WORK_H
#define NORIA_PASS_ANALYSIS_WORK_H

#include "ir/op_info.h"

enum {
  NR_MOST_WORK = 1 << 21,  /* between two safepoints: 1 ms, some 50 ms where every op waits for memory */
  NR_STRIP_WORK = 1 << 20, /* of a strip, at least: the two ends of a vectorised loop cost nothing beside it */
};

int64_t nr_work_times(int64_t work, uint64_t times); /* INT64_MAX where that does not fit */
/* Of op alone, without what its regions and callees do. */
int64_t nr_work_of(const NrOp *op);
/* How many iterations of so much work make a strip; a power of two. */
int64_t nr_strip_length(int64_t work);

#endif
