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
  _Atomic int64_t bytes; /* changes under the lock */
  NrRecent recent; /* bytes of a run's outputs */
};

NrReturned *nr_returned_create(int64_t keep) {
  NrReturned *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  atomic_init(&r->refs, 1);
  atomic_init(&r->keep, keep);
  if (pthread_mutex_init(&r->lock, NULL) == 0) return r;
  free(r);
  return NULL;
}

static void drop_ref(NrReturned *r) {
  if (atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1) return;
  pthread_mutex_destroy(&r->lock);
  free(r);
}

/* Those that wait longest, taken off the list until at most keep bytes wait. The lock is held. */
static NrBlock *take_oldest(NrReturned *r, int64_t keep) {
  NrBlock **at = &r->first;
  int64_t bytes = 0;
  while (*at && bytes + (int64_t)(*at)->capacity <= keep) {
    bytes += (int64_t)(*at)->capacity;
    at = &(*at)->next;
  }
  NrBlock *oldest = *at;
  *at = NULL;
  atomic_store_explicit(&r->bytes, bytes, memory_order_relaxed);
  return oldest;
}

static void free_all(NrBlock *block) {
  for (NrBlock *next; block; block = next) {
    next = block->next;
    free(block->base);
  }
}

static int64_t room(NrReturned *r) {
  return NR_MIN(atomic_load(&r->keep), NR_MAX(nr_recent_top(&r->recent), NR_CACHE_SLACK));
}

void nr_returned_trim(NrReturned *r, int64_t keep) {
  pthread_mutex_lock(&r->lock);
  NrBlock *oldest = take_oldest(r, keep);
  pthread_mutex_unlock(&r->lock);
  free_all(oldest);
}

int64_t nr_returned_bytes(NrReturned *r) { return atomic_load_explicit(&r->bytes, memory_order_relaxed); }

int64_t nr_returned_ran(NrReturned *r, int64_t bytes) {
  if (!bytes && !nr_returned_bytes(r)) return 0;
  pthread_mutex_lock(&r->lock);
  nr_recent_add(&r->recent, bytes);
  NrBlock *oldest = nr_returned_bytes(r) > room(r) ? take_oldest(r, room(r)) : NULL;
  int64_t most = NR_MIN(atomic_load(&r->keep), NR_MAX(nr_recent_top(&r->recent), nr_returned_bytes(r)));
  pthread_mutex_unlock(&r->lock);
  free_all(oldest);
  return most;
}

/* A child of fork() may release outputs of a program that its parent was ending: it then needs no lock. */
void nr_returned_stop(NrReturned *r) { atomic_store(&r->keep, 0); }

void nr_returned_close(NrReturned *r) {
  if (!r) return;
  nr_returned_stop(r);
  nr_returned_trim(r, 0);
  drop_ref(r);
}

void nr_returned_lock(NrReturned *r) { pthread_mutex_lock(&r->lock); }
void nr_returned_unlock(NrReturned *r) { pthread_mutex_unlock(&r->lock); }

/* How well a block serves a request of the class: 0 for not at all. */
static int fitness(const NrBlock *block, uint16_t class, uint16_t asked_class) {
  enum { STEPS = 2 };
  if (block->size_class == class) return 3;
  if (block->asked_class == asked_class) return 2;
  return block->size_class > class && block->size_class <= class + STEPS;
}

NrBlock *nr_returned_take(NrReturned *r, uint16_t size_class, uint16_t asked_class, size_t capacity, size_t most) {
  if (capacity < NR_LARGE_BLOCK || !nr_returned_bytes(r)) return NULL;
  pthread_mutex_lock(&r->lock);
  NrBlock **best = NULL, *block = NULL;
  int fit = 0;
  for (NrBlock **at = &r->first; *at; at = &(*at)->next) {
    int fits = fitness(*at, size_class, asked_class);
    if (fits <= fit || (*at)->capacity > most) continue;
    best = at;
    fit = fits;
  }
  if (best) {
    block = *best;
    *best = block->next;
    atomic_fetch_sub_explicit(&r->bytes, (int64_t)block->capacity, memory_order_relaxed);
  }
  pthread_mutex_unlock(&r->lock);
  return block;
}

static void give_back(void *user) {
  NrBlock *block = user;
  NrReturned *r = block->home;
  NrBlock *unused = block;
  if (atomic_load(&r->keep) >= (int64_t)block->capacity) {
    pthread_mutex_lock(&r->lock);
    int64_t keep = room(r); /* 0 if the program ended since */
    if ((int64_t)block->capacity <= keep) {
      block->next = r->first;
      r->first = block;
      unused = take_oldest(r, keep);
    } else {
      block->next = NULL;
    }
    pthread_mutex_unlock(&r->lock);
  } else {
    block->next = NULL;
  }
  free_all(unused);
  drop_ref(r);
}

NoriaReleaseFn nr_returned_lend(NrReturned *r, NrBlock *block, void **out_user) {
  *out_user = block->base;
  if (block->capacity < NR_LARGE_BLOCK || atomic_load(&r->keep) == 0) return free;
  atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
  block->home = r;
  *out_user = block;
  return give_back;
}
