/* digest.h - BLAKE2b with 32 bytes (RFC 7693), and a fast checksum: names for contents, and whether they are whole. */
#ifndef NORIA_BASE_DIGEST_H
#define NORIA_BASE_DIGEST_H

#include "base/base.h"

typedef struct NrDigest {
  unsigned char bytes[32];
} NrDigest;

typedef struct NrHasher {
  uint64_t state[8], size;
  unsigned char block[128];
  size_t used; /* bytes of block */
} NrHasher;
void nr_hasher_init(NrHasher *hasher);
void nr_hasher_add(NrHasher *hasher, const void *data, size_t size);
void nr_hasher_add_str(NrHasher *hasher, NrStr text); /* with its size, so that "ab", "c" is not "a", "bc" */
NrDigest nr_hasher_end(NrHasher *hasher);

/* Finds accidents, not forgeries: some 10 bytes per ns. Each step is invertible, so a change of one word always changes
 * the sum. */
typedef struct NrChecksum {
  uint64_t lanes[4];
} NrChecksum;
enum { NR_CHECKSUM_STEP = 32 };
#define NR_CHECKSUM_INIT ((NrChecksum){{1, 2, 3, 4}})
void nr_checksum_add(NrChecksum *sum, const void *data, size_t size); /* size: a multiple of NR_CHECKSUM_STEP */
/* Two sums at once, of size bytes each: takes two thirds of the time of one after the other. */
void nr_checksum_add_two(NrChecksum *a, const void *data_a, NrChecksum *b, const void *data_b, size_t size);
uint64_t nr_checksum_end(const NrChecksum *sum);

#endif
