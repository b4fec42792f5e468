/* heap.c - the allocators, and the heaps that list their blocks. */
#include "base/guard.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The header of each block. */
typedef struct Block {
  struct Block *prev, *next; /* in the ring of the heap, when there is one */
  NrHeap *heap;
  size_t size;
} Block;
_Static_assert(sizeof(Block) % 16 == 0, "what follows the head of a block is aligned");

struct NrHeap {
  Block ring;
  NrHold *holds; /* newest first */
  int64_t bytes;
  int64_t limit;  /* checked when bytes exceed it: less than the real limit until that has been determined */
  int64_t wanted; /* as in NrLimits.memory */
  double time_s;
  int64_t deadline_ns; /* INT64_MAX: none */
  unsigned interrupts; /* nr_interrupts when the work began */
  bool interruptible;
  atomic_bool abandoned;
  atomic_int owners;
};

/* The default limit, half of the machine's memory, is determined only when a heap grows beyond this. */
enum { FEW_BYTES = 64 << 20 };

/* ---- heaps ------------------------------------------------------------------------------------------------------ */

void nr_heap_limit(NrHeap *heap, const NrLimits *limits) {
  NrLimits wanted = limits ? *limits : (NrLimits){0};
  heap->wanted = wanted.memory;
  heap->limit = wanted.memory > 0 ? wanted.memory : wanted.memory < 0 ? INT64_MAX : FEW_BYTES;
  heap->time_s = wanted.time_s;
  heap->deadline_ns = INT64_MAX;
  if (wanted.time_s > 0 && wanted.time_s < 1e9) heap->deadline_ns = nr_now_ns() + (int64_t)(wanted.time_s * 1e9);
}

NrHeap *nr_heap_create(const NrLimits *limits, bool interruptible) {
  NrHeap *heap = calloc(1, sizeof *heap);
  if (!heap) return NULL;
  heap->ring.prev = heap->ring.next = &heap->ring;
  heap->interrupts = atomic_load_explicit(&nr_interrupts, memory_order_relaxed);
  heap->interruptible = interruptible;
  atomic_init(&heap->owners, 1);
  nr_heap_limit(heap, limits);
  return heap;
}

void nr_heap_settle(NrHeap *heap) {
  heap->interruptible = false;
  nr_heap_limit(heap, &(NrLimits){.memory = -1});
}

NrHeap *nr_heap_current(void) { return nr_guard_now ? nr_guard_now->heap : NULL; }
int64_t nr_heap_bytes(const NrHeap *heap) { return heap->bytes; }
void nr_heap_retain(NrHeap *heap) { atomic_fetch_add_explicit(&heap->owners, 1, memory_order_relaxed); }
void nr_heap_abandon(NrHeap *heap) { atomic_store_explicit(&heap->abandoned, true, memory_order_relaxed); }

void nr_heap_destroy(NrHeap *heap) {
  if (!heap || atomic_fetch_sub_explicit(&heap->owners, 1, memory_order_acq_rel) != 1) return;
  /* Drops may free blocks and end other holds. */
  for (NrHold *hold; (hold = heap->holds);) {
    void (*drop)(void *) = hold->drop;
    void *what = hold->what;
    nr_hold_end(hold);
    if (what) drop(what);
  }
  for (Block *b = heap->ring.next, *next; b != &heap->ring; b = next) {
    next = b->next;
    free(b);
  }
  free(heap);
}

void nr_heap_close(NrHeap *heap) {
  if (!heap) return;
  for (Block *b = heap->ring.next, *next; b != &heap->ring; b = next) {
    next = b->next;
    b->heap = NULL;
  }
  for (NrHold *hold = heap->holds; hold; hold = hold->next) hold->heap = NULL;
  free(heap);
}

NrHold *nr_hold(void (*drop)(void *what)) {
  NrHold *hold = nr_calloc(1, sizeof *hold);
  NrHeap *heap = nr_heap_current();
  *hold = (NrHold){.heap = heap, .drop = drop, .next = heap ? heap->holds : NULL};
  if (hold->next) hold->next->prev = hold;
  if (heap) heap->holds = hold;
  return hold;
}

void nr_hold_end(NrHold *hold) {
  if (!hold) return;
  if (hold->next) hold->next->prev = hold->prev;
  if (hold->prev) hold->prev->next = hold->next;
  else if (hold->heap) hold->heap->holds = hold->next;
  nr_free(hold);
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

int64_t nr_heap_memory_limit(NrHeap *heap) {
  if (heap && heap->wanted == 0) heap->limit = heap->wanted = NR_MAX(nr_machine_memory() / 2, (int64_t)FEW_BYTES);
  return heap ? heap->limit : INT64_MAX;
}

const char *nr_bytes_in_words(int64_t bytes, char *out) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < NR_COUNTOF(units); unit++) value /= 1024;
  snprintf(out, NR_BYTES_TEXT, "%.4g %s", value, units[unit]);
  return out;
}

_Noreturn void nr_raise_memory_limit(NrHeap *heap) {
  char words[NR_BYTES_TEXT];
  nr_raise(NR_ERROR_LIMIT, "compiling takes more memory than the limit of %s",
           nr_bytes_in_words(nr_heap_memory_limit(heap), words));
}

bool nr_heap_must_stop(NrHeap *heap, NrStatus *out_status, char *text) {
  if (!heap) return false;
  if (atomic_load_explicit(&heap->abandoned, memory_order_relaxed) ||
      (heap->interruptible && atomic_load_explicit(&nr_interrupts, memory_order_relaxed) != heap->interrupts)) {
    *out_status = NR_ERROR_INTERRUPTED;
    snprintf(text, NR_FAULT_TEXT, "compiling was interrupted");
    return true;
  }
  if (heap->deadline_ns == INT64_MAX || nr_now_ns() < heap->deadline_ns) return false;
  *out_status = NR_ERROR_LIMIT;
  snprintf(text, NR_FAULT_TEXT, "compiling takes longer than the time limit of %g s", heap->time_s);
  return true;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Populates the pages of a large block at once, which is faster than a page fault at each first touch. (Not with huge
 * pages: clearing them can take longer than the work on them.) */
static void populate(void *p, size_t size) {
#ifdef MADV_POPULATE_WRITE
  enum { LEAST = 1 << 20, MOST = 1 << 24 };
  if (size < LEAST || size > MOST) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)p, end = (begin + size) & ~(page - 1);
  begin = (begin + page - 1) & ~(page - 1);
  madvise((void *)begin, end - begin, MADV_POPULATE_WRITE); /* only a hint; may fail */
#endif
}

/* Whether the heap has room for more bytes. */
static bool has_room(NrHeap *heap, size_t more) {
  if (!heap) return true;
  int64_t sum;
  bool fits = more <= INT64_MAX && nr_add_i64(heap->bytes, (int64_t)more, &sum);
  return fits && (sum <= heap->limit || sum <= nr_heap_memory_limit(heap));
}

/* Whether fault injection makes this allocation fail. */
static bool is_to_fail(void) {
  if (!nr_injection.allocation || --nr_injection.allocation) return false;
  nr_injection.hits++;
  return true;
}

static void ask_for_room(NrHeap *heap, size_t more) {
  nr_poll();
  if (!has_room(heap, more)) nr_raise_memory_limit(heap);
  if (__builtin_expect(nr_injection.allocation != 0, 0) && is_to_fail()) nr_oom();
}

static void link_block(Block *b) {
  NrHeap *heap = b->heap;
  if (!heap) return;
  heap->bytes += (int64_t)b->size;
  b->prev = &heap->ring;
  b->next = heap->ring.next;
  b->next->prev = b;
  heap->ring.next = b;
}

static void unlink_block(Block *b) {
  if (!b->heap) return;
  b->heap->bytes -= (int64_t)b->size;
  b->prev->next = b->next;
  b->next->prev = b->prev;
}

static void *take_block(Block *b, NrHeap *heap, size_t size) {
  b->heap = heap;
  b->size = size;
  link_block(b);
  return b + 1;
}

static Block *block_of(void *ptr) { return (Block *)ptr - 1; }

void *nr_malloc(size_t size) {
  NrHeap *heap = nr_heap_current();
  ask_for_room(heap, size);
  Block *b = size <= SIZE_MAX - sizeof *b ? malloc(sizeof *b + size) : NULL;
  if (!b) nr_oom();
  populate(b, size);
  return take_block(b, heap, size);
}

void *nr_calloc(size_t count, size_t size) {
  NrHeap *heap = nr_heap_current();
  size_t bytes, whole;
  if (!nr_mul_size(count, size, &bytes) || !nr_add_size(bytes, sizeof(Block), &whole)) nr_oom();
  ask_for_room(heap, bytes);
  Block *b = calloc(1, whole);
  if (!b) nr_oom();
  populate(b, bytes);
  return take_block(b, heap, bytes);
}

void *nr_try_calloc(size_t count, size_t size) {
  NrHeap *heap = nr_heap_current();
  size_t bytes, whole;
  if (!nr_mul_size(count, size, &bytes) || !nr_add_size(bytes, sizeof(Block), &whole)) return NULL;
  Block *b = has_room(heap, bytes) ? calloc(1, whole) : NULL;
  return b ? take_block(b, heap, bytes) : NULL;
}

void *nr_realloc(void *ptr, size_t size) {
  if (!ptr) return nr_malloc(size);
  Block *old = block_of(ptr);
  if (size > old->size) ask_for_room(old->heap, size - old->size);
  unlink_block(old);
  NrHeap *heap = old->heap;
  Block *b = size <= SIZE_MAX - sizeof *b ? realloc(old, sizeof *b + size) : NULL;
  if (!b) { /* the old block is unchanged */
    link_block(old);
    nr_oom();
  }
  populate(b, size);
  return take_block(b, heap, size);
}

void nr_free(void *ptr) {
  if (!ptr) return;
  unlink_block(block_of(ptr));
  free(block_of(ptr));
}
