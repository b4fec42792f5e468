/* cache_sum.h - the checksum of a file of the cache.
 *
 * Constants are most of a large file, and to sum them up is most of the time that loading takes. So the sum is that of
 * the header and of the sums of pieces of 1 MiB: several threads share the pieces, and each sums up two at a time,
 * whose multiplications overlap. */
#ifndef NORIA_DRIVER_CACHE_SUM_H
#define NORIA_DRIVER_CACHE_SUM_H

#include "base/digest.h"

typedef struct NrCacheSum {
  NrChecksum all, piece;
  size_t in_piece; /* bytes */
} NrCacheSum;

/* size: of the header; a multiple of NR_CHECKSUM_STEP, as the sizes below are. */
NrCacheSum nr_cache_sum_begin(const void *header, size_t size);
void nr_cache_sum_add(NrCacheSum *sum, const void *data, size_t size);
uint64_t nr_cache_sum_end(NrCacheSum *sum);

/* Adds all that is behind the header at once. most_threads: the caller's is one of them. */
void nr_cache_sum_add_shared(NrCacheSum *sum, const void *data, size_t size, int most_threads);

#endif
