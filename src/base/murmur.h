/* murmur.h - the constants of MurmurHash3, x86_32, and the hash of bytes. Source: smhasher by Austin Appleby, in the
 * public domain. */
#ifndef NORIA_BASE_MURMUR_H
#define NORIA_BASE_MURMUR_H

#include <stddef.h>
#include <stdint.h>

#define NR_MURMUR_C1 0xcc9e2d51u
#define NR_MURMUR_C2 0x1b873593u
#define NR_MURMUR_ADD 0xe6546b64u
#define NR_MURMUR_MIX1 0x85ebca6bu
#define NR_MURMUR_MIX2 0xc2b2ae35u

static inline uint32_t nr_murmur_rotl(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static inline uint32_t nr_murmur_hash(const void *data, size_t size, uint32_t hash) {
  const uint8_t *bytes = data;
  for (size_t at = 0; at < size; at += 4) {
    uint32_t k = 0;
    for (size_t i = at; i < size && i < at + 4; i++) k |= (uint32_t)bytes[i] << 8 * (i - at);
    hash ^= nr_murmur_rotl(k * NR_MURMUR_C1, 15) * NR_MURMUR_C2;
    if (at + 4 <= size) hash = nr_murmur_rotl(hash, 13) * 5 + NR_MURMUR_ADD;
  }
  hash ^= (uint32_t)size;
  hash = (hash ^ hash >> 16) * NR_MURMUR_MIX1;
  hash = (hash ^ hash >> 13) * NR_MURMUR_MIX2;
  return hash ^ hash >> 16;
}

#endif
