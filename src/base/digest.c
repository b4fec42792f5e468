/* digest.c - see digest.h. */
#include "base/digest.h"

static const uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint8_t order[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

static uint64_t rotate(uint64_t x, int bits) { return x >> bits | x << (64 - bits); }

/* The function G of the RFC, on words a, b, c, d of v. */
static inline void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y) {
  v[a] += v[b] + x;
  v[d] = rotate(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = rotate(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = rotate(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = rotate(v[b] ^ v[c], 63);
}

static uint64_t word_at(const unsigned char *p) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; i--) word = word << 8 | p[i];
  return word;
}

/* size: bytes up to the end of this block. */
static void compress(uint64_t *state, const unsigned char *block, uint64_t size, bool last) {
  uint64_t v[16], m[16];
  for (int i = 0; i < 8; i++) v[i] = state[i], v[i + 8] = initial[i];
  for (int i = 0; i < 16; i++) m[i] = word_at(block + i * 8);
  v[12] ^= size;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; round++) {
    const uint8_t *s = order[round];
    for (int i = 0; i < 4; i++) mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
    for (int i = 0; i < 4; i++)
      mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
  }
  for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
}

void nr_hasher_init(NrHasher *h) {
  memset(h, 0, sizeof *h);
  memcpy(h->state, initial, sizeof initial);
  h->state[0] ^= 0x01010000 ^ sizeof(NrDigest); /* parameters: no key, depth 1, this size */
}

/* The last block is compressed at the end, where it is known to be the last one. */
void nr_hasher_add(NrHasher *h, const void *data, size_t size) {
  const unsigned char *p = data;
  while (size) {
    if (h->used == sizeof h->block) {
      compress(h->state, h->block, h->size, false);
      h->used = 0;
    }
    for (; !h->used && size > sizeof h->block; p += sizeof h->block, size -= sizeof h->block)
      compress(h->state, p, h->size += sizeof h->block, false);
    size_t n = NR_MIN(size, sizeof h->block - h->used);
    memcpy(h->block + h->used, p, n);
    h->used += n;
    h->size += n;
    p += n;
    size -= n;
  }
}

void nr_hasher_add_str(NrHasher *h, NrStr text) {
  nr_hasher_add(h, &(uint64_t){text.size}, sizeof(uint64_t));
  nr_hasher_add(h, text.data, text.size);
}

NrDigest nr_hasher_end(NrHasher *h) {
  NrDigest digest;
  memset(h->block + h->used, 0, sizeof h->block - h->used);
  compress(h->state, h->block, h->size, true);
  for (size_t i = 0; i < sizeof digest.bytes; i++) digest.bytes[i] = (unsigned char)(h->state[i / 8] >> i % 8 * 8);
  return digest;
}

static inline void checksum_step(uint64_t *lanes, const unsigned char *p) {
  for (int i = 0; i < 4; i++) {
    uint64_t word;
    memcpy(&word, p + i * 8, 8);
    lanes[i] = (lanes[i] ^ word) * 0x9fb21c651e98df25ull;
    lanes[i] ^= lanes[i] >> 29;
  }
}

void nr_checksum_add(NrChecksum *sum, const void *data, size_t size) {
  const unsigned char *p = data;
  NrChecksum s = *sum;
  for (; size >= NR_CHECKSUM_STEP; p += NR_CHECKSUM_STEP, size -= NR_CHECKSUM_STEP) checksum_step(s.lanes, p);
  *sum = s;
}

void nr_checksum_add_two(NrChecksum *a, const void *data_a, NrChecksum *b, const void *data_b, size_t size) {
  const unsigned char *p = data_a, *q = data_b;
  NrChecksum s = *a, t = *b;
  for (size_t at = 0; at + NR_CHECKSUM_STEP <= size; at += NR_CHECKSUM_STEP) {
    checksum_step(s.lanes, p + at);
    checksum_step(t.lanes, q + at);
  }
  *a = s;
  *b = t;
}

uint64_t nr_checksum_end(const NrChecksum *sum) {
  uint64_t all = 0;
  for (int i = 0; i < 4; i++) all = nr_hash_mix(all, sum->lanes[i]);
  return all;
}
