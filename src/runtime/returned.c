/* returned.c - large blocks of outputs that were released wait for the next run of their program.
 *
 * An output leaves its run, so its block is not among those that the run caches. Without this, each run with a large
 * output would get new pages from the system and have all of them cleared: for Tanh over 8 M floats four times the time
 * of the calculation itself, and no thread can share it. */
#include "runtime/internal.h"

#include <stdlib.h>

struct NrReturned {
  atomic_int refs;      /* the program's, and one for each output that is out */
  _Atomic int64_t keep; /* bytes; 0: none, and the lock is not taken any more */
  pthread_mutex_t lock;
  NrBlock *first; /* newest first */
  int64_t bytes;
};

enum { LEAST = 128 << 10 }; /* smaller blocks come from memory that the process has already */

NrReturned *nr_returned_create(int64_t keep) {
  NrReturned *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  atomic_init(&r->refs, 1);
  atomic_init(&r->keep, keep > 0 ? keep : 0);
  if (pthread_mutex_init(&r->lock, NULL) == 0) return r;
  free(r);
  return NULL;
}

static void drop_ref(NrReturned *r) {
  if (atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1) return;
  pthread_mutex_destroy(&r->lock);
  free(r);
}

void nr_returned_trim(NrReturned *r) {
  pthread_mutex_lock(&r->lock);
  NrBlock *block = r->first;
  r->first = NULL;
  r->bytes = 0;
  pthread_mutex_unlock(&r->lock);
  for (NrBlock *next; block; block = next) {
    next = block->next;
    free(block->base);
  }
}

/* A child of fork() may release outputs of a program that its parent was ending: it then needs no lock. */
void nr_returned_stop(NrReturned *r) { atomic_store(&r->keep, 0); }

void nr_returned_close(NrReturned *r) {
  if (!r) return;
  nr_returned_stop(r);
  nr_returned_trim(r);
  drop_ref(r);
}

void nr_returned_lock(NrReturned *r) { pthread_mutex_lock(&r->lock); }
void nr_returned_unlock(NrReturned *r) { pthread_mutex_unlock(&r->lock); }

NrBlock *nr_returned_take(NrReturned *r, uint32_t size_class, size_t capacity) {
  if (capacity < LEAST) return NULL;
  pthread_mutex_lock(&r->lock);
  NrBlock **at = &r->first, *block;
  while ((block = *at) && block->size_class != size_class) at = &block->next;
  if (block) {
    *at = block->next;
    r->bytes -= (int64_t)block->capacity;
  }
  pthread_mutex_unlock(&r->lock);
  return block;
}

static void give_back(void *user) {
  NrBlock *block = user;
  NrReturned *r = block->home;
  int64_t capacity = (int64_t)block->capacity;
  bool kept = false;
  if (atomic_load(&r->keep) >= capacity) {
    pthread_mutex_lock(&r->lock);
    /* The program may have ended since, or others may have filled the room. */
    if ((kept = r->bytes + capacity <= atomic_load(&r->keep))) {
      block->next = r->first;
      r->first = block;
      r->bytes += capacity;
    }
    pthread_mutex_unlock(&r->lock);
  }
  if (!kept) free(block->base);
  drop_ref(r);
}

NoriaReleaseFn nr_returned_lend(NrReturned *r, NrBlock *block, void **out_user) {
  *out_user = block->base;
  if (block->capacity < LEAST || atomic_load(&r->keep) == 0) return free;
  atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
  block->home = r;
  *out_user = block;
  return give_back;
}
