/* cache_sum.c - see cache_sum.h. */
#include "driver/cache_sum.h"

#include <stdatomic.h>

#include "runtime/thread.h"

enum { PIECE = 1 << 20, PIECES_OF_A_THREAD = 8 /* a new thread takes as long as summing up a tenth of one */ };

NrCacheSum nr_cache_sum_begin(const void *header, size_t size) {
  NrCacheSum sum = {.all = NR_CHECKSUM_INIT, .piece = NR_CHECKSUM_INIT};
  nr_checksum_add(&sum.all, header, size);
  return sum;
}

static void add_piece(NrCacheSum *sum, uint64_t piece) {
  const uint64_t words[NR_CHECKSUM_STEP / sizeof(uint64_t)] = {piece};
  nr_checksum_add(&sum->all, words, sizeof words);
}

static void end_piece(NrCacheSum *sum) {
  add_piece(sum, nr_checksum_end(&sum->piece));
  sum->piece = NR_CHECKSUM_INIT;
  sum->in_piece = 0;
}

void nr_cache_sum_add(NrCacheSum *sum, const void *data, size_t size) {
  for (const char *at = data; size;) {
    size_t n = NR_MIN(size, PIECE - sum->in_piece);
    nr_checksum_add(&sum->piece, at, n);
    sum->in_piece += n;
    at += n;
    size -= n;
    if (sum->in_piece == PIECE) end_piece(sum);
  }
}

uint64_t nr_cache_sum_end(NrCacheSum *sum) {
  if (sum->in_piece) end_piece(sum);
  return nr_checksum_end(&sum->all);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

typedef struct Shared {
  const char *data;
  uint64_t *sums; /* of whole pieces */
  size_t pieces;
  atomic_size_t next;
} Shared;

static void *sum_pieces(void *user) {
  Shared *s = user;
  for (size_t i; (i = atomic_fetch_add(&s->next, 2)) < s->pieces;) {
    NrChecksum a = NR_CHECKSUM_INIT, b = NR_CHECKSUM_INIT;
    const char *data = s->data + i * PIECE;
    if (i + 1 < s->pieces) {
      nr_checksum_add_two(&a, data, &b, data + PIECE, PIECE);
      s->sums[i + 1] = nr_checksum_end(&b);
    } else {
      nr_checksum_add(&a, data, PIECE);
    }
    s->sums[i] = nr_checksum_end(&a);
  }
  return NULL;
}

void nr_cache_sum_add_shared(NrCacheSum *sum, const void *data, size_t size, int most_threads) {
  enum { MOST_HELPERS = 7 }; /* memory is not read faster by more */
  Shared s = {.data = data, .pieces = size / PIECE};
  s.sums = nr_calloc(s.pieces + 1, sizeof *s.sums);
  pthread_t helper[MOST_HELPERS];
  int wanted = NR_MIN(most_threads - 1, MOST_HELPERS), started = 0;
  if (s.pieces / PIECES_OF_A_THREAD < (size_t)NR_MAX(wanted, 0)) wanted = (int)(s.pieces / PIECES_OF_A_THREAD);
  while (started < wanted && nr_thread_start(&helper[started], sum_pieces, &s) == 0) started++;
  sum_pieces(&s);
  while (started > 0) pthread_join(helper[--started], NULL);
  for (size_t i = 0; i < s.pieces; i++) add_piece(sum, s.sums[i]);
  nr_free(s.sums);
  nr_cache_sum_add(sum, s.data + s.pieces * PIECE, size % PIECE);
}
