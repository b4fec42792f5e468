/* alloc.c - memory of a run.
 *
 * Every live block is in a ring, so that a run that fails leaves nothing behind. Freed blocks wait in lists by size
 * class: a loop that asks for the same sizes again and again calls malloc in its first trip only. They stay for the
 * next run, for which the system would else have to map and clear new pages; most_bytes() is the bound. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = NR_BLOCK_ALIGNMENT, FEW_STEPS = 2 /* of classes: up to a quarter more */ };
_Static_assert(sizeof(NrBlock) <= ALIGNMENT, "the header stands in the 64 bytes before the data");

static void *block_data(NrBlock *block) { return (char *)block + ALIGNMENT; }
static NrBlock *data_block(void *data) { return (NrBlock *)(void *)((char *)data - ALIGNMENT); }

/* The class whose capacity is the smallest that holds size bytes; false when size is more than any address space has.
 */
static bool size_class(size_t size, uint16_t *out_class, size_t *out_capacity) {
  if (size <= 1024) {
    size_t units = size ? (size + 63) / 64 : 1;
    *out_class = (uint16_t)(units - 1);
    *out_capacity = units * 64;
    return true;
  }
  if (size > (size_t)1 << NR_LARGEST_LOG2) return false;
  unsigned log2 = 63 - (unsigned)__builtin_clzll(size - 1);
  size_t step = ((size_t)1 << log2) / NR_CLASS_STEPS, k = (size - 1 - ((size_t)1 << log2)) / step;
  *out_class = (uint16_t)(NR_SMALL_CLASSES + (log2 - 10) * NR_CLASS_STEPS + k);
  *out_capacity = ((size_t)1 << log2) + (k + 1) * step;
  return true;
}

void nr_allocator_init(NrAllocator *a) {
  *a = (NrAllocator){0};
  a->live.prev = a->live.next = &a->live;
}


/* What the run holds now. */
static int64_t held(const NrAllocator *a) {
  int64_t values = a->values ? atomic_load_explicit(&a->values->bytes, memory_order_relaxed) : 0;
  return a->live_bytes + a->string_bytes + a->charged_bytes + values;
}

static void note_peak(NrAllocator *a) {
  a->top_bytes = NR_MAX(a->top_bytes, a->live_bytes);
  int64_t now = held(a);
  if (now > a->peak_bytes) a->peak_bytes = now;
}

static uintptr_t mark_of(const NrBlock *b) { return (uintptr_t)b ^ (uintptr_t)0x6e6f7269615f6d65; }
static bool is_live(const NrBlock *b) { return b->mark == mark_of(b); }

static void link_live(NrAllocator *a, NrBlock *b) {
  a->held_bytes += (int64_t)b->capacity;
  b->last_run = a->run;
  b->mark = mark_of(b);
  b->prev = &a->live;
  b->next = a->live.next;
  b->prev->next = b->next->prev = b;
}

static void unlink_live(NrAllocator *a, NrBlock *b) {
  a->held_bytes -= (int64_t)b->capacity;
  b->prev->next = b->next;
  b->next->prev = b->prev;
  b->mark = 0;
}

/* The most that the blocks of the run, live and cached, may take together: half more than recent runs held at their
 * peak, or than this one does with `more` bytes; where half is less than NR_CACHE_SLACK, so much more, but at most
 * twice. Sizes that change from trip to trip must not pile up. */
static int64_t most_bytes(const NrAllocator *a, int64_t more) {
  int64_t top = NR_MAX(NR_MAX(a->top_bytes, a->live_bytes + more), nr_recent_top(&a->recent));
  return top + NR_MIN(top, NR_MAX(NR_CACHE_SLACK, top / 2)) + (1 << 20);
}

static void purge_blocks(NrAllocator *a, int64_t keep, bool only_stale) {
  for (size_t c = NR_NUM_CLASSES; c-- > 0 && a->cached_bytes > keep;)
    for (NrBlock **at = &a->free[c], *b; (b = *at) && a->cached_bytes > keep;) {
      if (only_stale && a->run - b->last_run <= 1) {
        at = &b->next;
        continue;
      }
      *at = b->next;
      a->cached_bytes -= (int64_t)b->capacity;
      free(b->base);
    }
}

/* Frees cached blocks until at most keep bytes are cached: first those that neither this run nor the last one used,
 * the largest first. */
static void purge(NrAllocator *a, int64_t keep) {
  if (a->cached_bytes <= keep) return;
  if (a->sifted_run != a->run) purge_blocks(a, keep, true);
  if (a->cached_bytes <= keep) return;
  a->sifted_run = a->run; /* no stale ones are left, and none become so in this run */
  purge_blocks(a, keep, false);
}

void nr_allocator_begin(NrAllocator *a, int64_t limit) {
  a->limit = limit > 0 ? limit : INT64_MAX;
  a->peak_bytes = a->live_bytes = a->allocations = a->string_bytes = a->charged_bytes = 0;
  a->held_bytes = a->top_bytes = a->lent_bytes = 0;
  a->run++;
  purge(a, a->limit);
}

static void cache(NrAllocator *a, NrBlock *b) {
  b->next = a->free[b->size_class];
  a->free[b->size_class] = b;
  a->cached_bytes += (int64_t)b->capacity;
}

void nr_allocator_end(NrAllocator *a, int64_t keep) {
  while (a->live.next != &a->live) {
    NrBlock *b = a->live.next;
    unlink_live(a, b);
    cache(a, b);
  }
  a->live_bytes = 0;
  if (a->top_bytes) nr_recent_add(&a->recent, a->top_bytes);
  a->top_bytes = 0;
  if (a->values) nr_account_release(a->values, 0);
  a->values = NULL;
  purge(a, NR_MIN(keep, most_bytes(a, 0)));
}

/* A block that had grown in an earlier run may be much larger than an output. Who holds the output must not hold that
 * memory too: the pages behind it go back to the system, which gives new ones when they are used again. */
static void drop_tail(NrBlock *b) {
  const uintptr_t page = 64 << 10; /* a multiple of the page size of all systems */
  uintptr_t data = (uintptr_t)block_data(b), begin = (data + b->size + page - 1) & ~(page - 1);
  uintptr_t end = (data + b->capacity) & ~(page - 1);
  if (b->capacity / 4 > b->size / 3 && begin + NR_LARGE_BLOCK <= end)
    madvise((void *)begin, end - begin, MADV_DONTNEED);
}

NrBlock *nr_allocator_detach(NrAllocator *a, void *data) {
  NrBlock *b = data_block(data);
  if (!is_live(b)) return NULL;
  unlink_live(a, b);
  a->live_bytes -= (int64_t)b->size;
  if (b->capacity >= NR_LARGE_BLOCK) a->lent_bytes += (int64_t)b->capacity;
  drop_tail(b);
  return b;
}

size_t nr_allocator_size(const void *data) {
  return ((const NrBlock *)(const void *)((const char *)data - ALIGNMENT))->size;
}

/* Asks for large pages: the system maps and clears 32 MB in 5 ms then, instead of in 16. Where it does not give them,
 * the memory is as it was. */
static void ask_for_large_pages(char *base, size_t size) {
  const uintptr_t page = 2 << 20;
  uintptr_t begin = ((uintptr_t)base + page - 1) & ~(page - 1), end = ((uintptr_t)base + size) & ~(page - 1);
  if (size >= 2 * page && begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* zone: size of the red zone on each side of the data, in bytes, a multiple of ALIGNMENT. alignment: of the data, at
 * least ALIGNMENT. */
static NrBlock *block_malloc(size_t capacity, uint16_t class, size_t zone, size_t alignment) {
  size_t size = capacity + ALIGNMENT + alignment + 2 * zone;
  char *base = malloc(size);
  if (!base) return NULL;
  ask_for_large_pages(base, size);
  char *begin = base + zone + ALIGNMENT;
  NrBlock *b = data_block(begin + (-(uintptr_t)begin & (alignment - 1)));
  b->base = base;
  b->capacity = capacity;
  b->size_class = class;
  return b;
}

/* The block with its contents, and with another capacity. realloc remaps the pages of large blocks instead of copying
 * them. NULL without memory: the block is then as it was. */
static NrBlock *resize(NrBlock *b, uint16_t class, size_t capacity) {
  size_t offset = (size_t)((char *)b - (char *)b->base), kept = NR_MIN(b->size, capacity);
  char *base = realloc(b->base, offset + capacity + 2 * ALIGNMENT); /* offset is large in aligned blocks */
  if (!base) return NULL;
  size_t aligned = -(uintptr_t)base & (ALIGNMENT - 1);
  if (aligned != offset) memmove(base + aligned, base + offset, ALIGNMENT + kept);
  b = (NrBlock *)(void *)(base + aligned);
  if (capacity > kept) ask_for_large_pages(base, aligned + capacity);
  b->base = base;
  b->capacity = capacity;
  b->size_class = class;
  return b;
}

static bool within_limit(NrExec *e, int64_t size, int64_t more) {
  NrAllocator *a = &e->allocator;
  int64_t now = held(a);
  if (more <= a->limit - now) return true;
  nr_exec_fail(e, NORIA_ERROR_LIMIT, -1,
               "the memory limit of %lld bytes is reached: the run holds %lld bytes and asks for %lld",
               (long long)a->limit, (long long)now, (long long)size);
  return false;
}

static void *refused(NrExec *e, int64_t size) {
  nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for %lld bytes", (long long)size);
  return NULL;
}

/* The limit counts what was asked for, so that blocks must not be much larger where there is one. */
static bool is_limited(const NrAllocator *a) { return a->limit != INT64_MAX; }

/* One of the run's cached blocks; a large one may be of one of the next classes, as many as `steps`. */
static NrBlock *take_cached(NrAllocator *a, uint16_t class, size_t capacity, unsigned steps) {
  unsigned c = class, last = NR_MIN(c + steps, NR_NUM_CLASSES - 1u);
  if (capacity >= NR_LARGE_BLOCK)
    while (c < last && !a->free[c]) c++;
  NrBlock *b = a->free[c];
  if (!b) return NULL;
  a->free[c] = b->next;
  a->cached_bytes -= (int64_t)b->capacity;
  return b;
}

/* What may wait when the run takes `more` bytes and holds `capacity` more for them: what waits counts against the limit
 * and the bound. */
static int64_t room_of(const NrAllocator *a, int64_t more, int64_t capacity) {
  return NR_MIN(a->limit - held(a) - more, most_bytes(a, more) - a->held_bytes - capacity);
}

/* Outputs go first, since who released them may not make more of them. */
static void make_room(NrExec *e, int64_t more, int64_t capacity) {
  NrAllocator *a = &e->allocator;
  NrReturned *returned = atomic_load_explicit(&e->program, memory_order_relaxed)->returned;
  int64_t room = room_of(a, more, capacity);
  if (a->cached_bytes + nr_returned_bytes(returned) <= room) return;
  nr_returned_trim(returned, NR_MAX(room - a->cached_bytes, 0));
  purge(a, NR_MAX(room, 0));
}

/* What waits must not be why the system refuses. */
static void drop_all(NrExec *e) {
  purge(&e->allocator, 0);
  nr_returned_trim(atomic_load_explicit(&e->program, memory_order_relaxed)->returned, 0);
  nr_programs_trim();
}

/* A block of an output that was released, of a capacity of at most `most`, for which the run takes `more` bytes. */
static NrBlock *take_returned(NrExec *e, int64_t more, size_t capacity, size_t most, uint16_t class,
                              uint16_t asked_class) {
  NrReturned *returned = atomic_load_explicit(&e->program, memory_order_relaxed)->returned;
  NrBlock *b = nr_returned_take(returned, class, asked_class, capacity, is_limited(&e->allocator) ? capacity : most);
  if (!b) return NULL;
  make_room(e, more, (int64_t)NR_MAX(b->capacity, capacity));
  NrBlock *fits = b->capacity >= capacity ? b : resize(b, class, capacity);
  if (!fits) free(b->base);
  return fits;
}

/* A block that the run does not have yet. */
static NrBlock *new_block(NrExec *e, int64_t size, size_t capacity, uint16_t class, size_t alignment) {
  size_t zone = e->sanitizer ? NR_RED_ZONE : 0;
  bool any = !e->sanitizer && alignment <= ALIGNMENT;
  NrBlock *b = any ? take_returned(e, size, capacity, 4 * capacity, class, class) : NULL;
  /* Rather one of four times the size than one for which others are freed. */
  if (!b && any && !is_limited(&e->allocator) &&
      e->allocator.cached_bytes > room_of(&e->allocator, size, (int64_t)capacity))
    b = take_cached(&e->allocator, class, capacity, 2 * NR_CLASS_STEPS);
  if (b) return b;
  make_room(e, size, (int64_t)capacity);
  b = block_malloc(capacity, class, zone, alignment);
  if (b) return b;
  drop_all(e);
  return block_malloc(capacity, class, zone, alignment);
}

static void *alloc_locked(NrExec *e, int64_t size, size_t alignment) {
  NrAllocator *a = &e->allocator;
  uint16_t class;
  size_t capacity;
  if (size < 0 || !size_class((size_t)size, &class, &capacity)) return refused(e, size);
  if (!within_limit(e, size, size)) return NULL;
  unsigned steps = is_limited(a) ? 0 : FEW_STEPS;
  NrBlock *b = e->sanitizer || alignment > ALIGNMENT ? NULL : take_cached(a, class, capacity, steps);
  if (!b && !(b = new_block(e, size, capacity, class, alignment))) return refused(e, size);
  b->size = (size_t)size;
  b->asked_class = class;
  link_live(a, b);
  a->allocations++;
  a->live_bytes += size;
  note_peak(a);
  if (e->sanitizer) nr_sanitize_made(e, block_data(b), (size_t)size);
  return block_data(b);
}

void *nr_api_alloc_aligned(NoriaExec *exec, int64_t size, int64_t alignment) {
  NrExec *e = nr_exec(exec);
  if (alignment > (int64_t)1 << NR_LARGEST_LOG2) return refused(e, size);
  bool locked = nr_exec_lock(e);
  void *data = alloc_locked(e, size, (size_t)NR_MAX(alignment, ALIGNMENT));
  nr_exec_unlock(e, locked);
  return data;
}

void *nr_api_alloc(NoriaExec *exec, int64_t size) { return nr_api_alloc_aligned(exec, size, ALIGNMENT); }

int32_t nr_api_free(NoriaExec *exec, void *data) {
  if (!data) return 0;
  NrExec *e = nr_exec(exec);
  NrAllocator *a = &e->allocator;
  bool locked = nr_exec_lock(e);
  NrBlock *b = data_block(data);
  if (!is_live(b)) {
    nr_exec_unlock(e, locked);
    return 1;
  }
  unlink_live(a, b);
  a->live_bytes -= (int64_t)b->size;
  if (e->sanitizer) nr_sanitize_freed(e, b);
  else if (a->held_bytes + a->cached_bytes + (int64_t)b->capacity > most_bytes(a, 0))
    free(b->base);
  else
    cache(a, b);
  nr_exec_unlock(e, locked);
  return 0;
}

/* The block moves always, so that who uses the old one is found. */
static void *realloc_sanitized(NrExec *e, NrBlock *b, int64_t new_size) {
  NrAllocator *a = &e->allocator;
  void *moved = alloc_locked(e, new_size, ALIGNMENT);
  if (!moved) return NULL;
  memcpy(moved, block_data(b), NR_MIN(b->size, (size_t)new_size));
  unlink_live(a, b);
  a->live_bytes -= (int64_t)b->size;
  nr_sanitize_freed(e, b);
  return moved;
}

/* Whether a block is as good as one of another capacity: it has room to grow, as it may have from an earlier run, or
 * would lose less than an eighth. */
static bool stays(const NrBlock *b, size_t new_size, size_t capacity) {
  if (capacity > b->capacity) return false;
  return new_size >= b->size || b->capacity - capacity < b->capacity / 8 || capacity == b->capacity;
}

/* The block, of a capacity that it does not have. A large one moves to the memory of an output that grew from the same
 * size in an earlier run. NULL without memory. */
static NrBlock *grow_or_shrink(NrExec *e, NrBlock *b, int64_t more, uint16_t class, size_t capacity) {
  NrAllocator *a = &e->allocator;
  unlink_live(a, b);
  NrBlock *moved = capacity > b->capacity ? take_returned(e, more, capacity, SIZE_MAX, class, b->asked_class) : NULL;
  if (moved) {
    memcpy(block_data(moved), block_data(b), b->size);
    moved->asked_class = b->asked_class;
    cache(a, b);
  } else {
    make_room(e, more, (int64_t)capacity);
    moved = resize(b, class, capacity);
    if (!moved) {
      drop_all(e);
      moved = resize(b, class, capacity);
    }
  }
  link_live(a, moved ? moved : b);
  return moved;
}

static void *realloc_locked(NrExec *e, void *data, int64_t new_size) {
  NrAllocator *a = &e->allocator;
  NrBlock *b = data_block(data);
  uint16_t class;
  size_t capacity;
  if (!is_live(b)) {
    nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "'memref.realloc' op uses memory that was freed");
    return NULL;
  }
  if (new_size < 0 || !size_class((size_t)new_size, &class, &capacity)) return refused(e, new_size);
  if (e->sanitizer) return realloc_sanitized(e, b, new_size);
  int64_t more = new_size - (int64_t)b->size;
  if (more > 0 && !within_limit(e, new_size, more)) return NULL;
  if (!stays(b, (size_t)new_size, capacity)) {
    NrBlock *moved = grow_or_shrink(e, b, more, class, capacity);
    if (!moved) return refused(e, new_size);
    b = moved;
  }
  b->size = (size_t)new_size;
  a->live_bytes += more;
  note_peak(a);
  return block_data(b);
}

void *nr_api_realloc(NoriaExec *exec, void *data, int64_t new_size) {
  if (!data) return nr_api_alloc(exec, new_size);
  NrExec *e = nr_exec(exec);
  bool locked = nr_exec_lock(e);
  void *moved = realloc_locked(e, data, new_size);
  nr_exec_unlock(e, locked);
  return moved;
}

/* ---- what is not a block ---------------------------------------------------------------------------------------- */

int64_t nr_value_cost(const NoriaValue *tensor) {
  /* The value, its block's rounding, and its place in a sequence that doubles. */
  return (int64_t)tensor->as.tensor.size + (int64_t)sizeof(NoriaValue) + 128;
}

void nr_account_release(NrAccount *account, int64_t bytes) {
  atomic_fetch_sub_explicit(&account->bytes, bytes, memory_order_relaxed);
  if (atomic_fetch_sub_explicit(&account->refs, 1, memory_order_acq_rel) == 1) free(account);
}

bool nr_charge_value(NrExec *e, NoriaValue *tensor) {
  NrAllocator *a = &e->allocator;
  int64_t cost = nr_value_cost(tensor);
  bool locked = nr_exec_lock(e);
  if (!a->values && (a->values = malloc(sizeof(NrAccount)))) {
    atomic_init(&a->values->refs, 1);
    atomic_init(&a->values->bytes, 0);
  }
  bool ok = a->values ? within_limit(e, cost, cost) : refused(e, sizeof(NrAccount)) != NULL;
  if (ok) {
    atomic_fetch_add_explicit(&a->values->refs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->values->bytes, cost, memory_order_relaxed);
    tensor->as.tensor.account = a->values;
    note_peak(a);
  }
  nr_exec_unlock(e, locked);
  return ok;
}

int32_t nr_api_charge(NoriaExec *exec, int64_t bytes) {
  NrExec *e = nr_exec(exec);
  bool locked = nr_exec_lock(e);
  bool ok = bytes <= 0 || within_limit(e, bytes, bytes);
  if (ok) {
    e->allocator.charged_bytes += bytes;
    note_peak(&e->allocator);
  }
  nr_exec_unlock(e, locked);
  return !ok;
}

bool nr_charge_string(NrExec *e, const NoriaString *string) {
  /* One that others hold too costs its place in the run's list only. */
  bool shared = __atomic_load_n(&string->refs, __ATOMIC_RELAXED) > 1;
  int64_t cost = (int64_t)sizeof(NoriaString *) + (shared ? 0 : string->size + (int64_t)sizeof(NoriaString));
  bool locked = nr_exec_lock(e);
  bool ok = within_limit(e, cost, cost);
  if (ok) {
    e->allocator.string_bytes += cost;
    note_peak(&e->allocator);
  }
  nr_exec_unlock(e, locked);
  return ok;
}
