/* alloc.c - memory of a run.
 *
 * Every live block is in a ring, so that a run that fails leaves nothing behind. Freed blocks wait in lists by size
 * class: a loop that asks for the same sizes again and again calls malloc in its first trip only. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = NR_BLOCK_ALIGNMENT };
_Static_assert(sizeof(NrBlock) <= ALIGNMENT, "the header stands in the 64 bytes before the data");

static void *block_data(NrBlock *block) { return (char *)block + ALIGNMENT; }
static NrBlock *data_block(void *data) { return (NrBlock *)(void *)((char *)data - ALIGNMENT); }

/* The class whose capacity is the smallest that holds size bytes; false when size is more than any address space has.
 */
static bool size_class(size_t size, uint32_t *out_class, size_t *out_capacity) {
  if (size <= 1024) {
    size_t units = size ? (size + 63) / 64 : 1;
    *out_class = (uint32_t)units - 1;
    *out_capacity = units * 64;
    return true;
  }
  if (size > (size_t)1 << NR_LARGEST_LOG2) return false;
  unsigned log2 = 63 - (unsigned)__builtin_clzll(size - 1);
  size_t step = ((size_t)1 << log2) / NR_CLASS_STEPS, k = (size - 1 - ((size_t)1 << log2)) / step;
  *out_class = NR_SMALL_CLASSES + (log2 - 10) * NR_CLASS_STEPS + (uint32_t)k;
  *out_capacity = ((size_t)1 << log2) + (k + 1) * step;
  return true;
}

void nr_allocator_init(NrAllocator *a) {
  *a = (NrAllocator){0};
  a->live.prev = a->live.next = &a->live;
}

void nr_allocator_begin(NrAllocator *a, int64_t limit) {
  a->limit = limit > 0 ? limit : INT64_MAX;
  a->peak_bytes = a->live_bytes = a->allocations = a->string_bytes = a->charged_bytes = 0;
}

/* What the run holds now. */
static int64_t held(const NrAllocator *a) {
  int64_t values = a->values ? atomic_load_explicit(&a->values->bytes, memory_order_relaxed) : 0;
  return a->live_bytes + a->string_bytes + a->charged_bytes + values;
}

static void note_peak(NrAllocator *a) {
  int64_t now = held(a);
  if (now > a->peak_bytes) a->peak_bytes = now;
}

static uintptr_t mark_of(const NrBlock *b) { return (uintptr_t)b ^ (uintptr_t)0x6e6f7269615f6d65; }
static bool is_live(const NrBlock *b) { return b->mark == mark_of(b); }

static void link_live(NrAllocator *a, NrBlock *b) {
  b->mark = mark_of(b);
  b->prev = &a->live;
  b->next = a->live.next;
  b->prev->next = b->next->prev = b;
}

static void unlink_live(NrBlock *b) {
  b->prev->next = b->next;
  b->next->prev = b->prev;
  b->mark = 0;
}

/* Frees cached blocks, the largest first, until at most keep bytes are cached. */
static void purge(NrAllocator *a, int64_t keep) {
  for (size_t c = NR_NUM_CLASSES; c-- > 0 && a->cached_bytes > keep;)
    while (a->free[c] && a->cached_bytes > keep) {
      NrBlock *b = a->free[c];
      a->free[c] = b->next;
      a->cached_bytes -= (int64_t)b->capacity;
      free(b->base);
    }
}

static void cache(NrAllocator *a, NrBlock *b) {
  b->next = a->free[b->size_class];
  a->free[b->size_class] = b;
  a->cached_bytes += (int64_t)b->capacity;
}

void nr_allocator_end(NrAllocator *a, int64_t keep) {
  while (a->live.next != &a->live) {
    NrBlock *b = a->live.next;
    unlink_live(b);
    cache(a, b);
  }
  a->live_bytes = 0;
  if (a->values) nr_account_release(a->values, 0);
  a->values = NULL;
  purge(a, keep > 0 ? keep : 0);
}

NrBlock *nr_allocator_detach(NrAllocator *a, void *data) {
  NrBlock *b = data_block(data);
  if (!is_live(b)) return NULL;
  unlink_live(b);
  a->live_bytes -= (int64_t)b->size;
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
static NrBlock *block_malloc(size_t capacity, uint32_t class, size_t zone, size_t alignment) {
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

/* A block that the run does not have yet. */
static NrBlock *new_block(NrExec *e, int64_t size, size_t capacity, uint32_t class, size_t alignment) {
  NrAllocator *a = &e->allocator;
  NrReturned *returned = atomic_load_explicit(&e->program, memory_order_relaxed)->returned;
  size_t zone = e->sanitizer ? NR_RED_ZONE : 0;
  NrBlock *b = e->sanitizer || alignment > ALIGNMENT ? NULL : nr_returned_take(returned, class, capacity);
  if (b) return b;
  /* What is cached counts as ours against the limit, and must not be why the system refuses. */
  int64_t room = a->limit - held(a) - size;
  if (a->limit != INT64_MAX) nr_returned_trim(returned);
  if (a->cached_bytes > room) purge(a, room);
  b = block_malloc(capacity, class, zone, alignment);
  if (b) return b;
  purge(a, 0);
  nr_returned_trim(returned);
  return block_malloc(capacity, class, zone, alignment);
}

static void *alloc_locked(NrExec *e, int64_t size, size_t alignment) {
  NrAllocator *a = &e->allocator;
  uint32_t class;
  size_t capacity;
  if (size < 0 || !size_class((size_t)size, &class, &capacity)) return refused(e, size);
  if (!within_limit(e, size, size)) return NULL;
  NrBlock *b = e->sanitizer || alignment > ALIGNMENT ? NULL : a->free[class];
  if (b) {
    a->free[class] = b->next;
    a->cached_bytes -= (int64_t)capacity;
  } else if (!(b = new_block(e, size, capacity, class, alignment))) {
    return refused(e, size);
  }
  b->size = (size_t)size;
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
  unlink_live(b);
  a->live_bytes -= (int64_t)b->size;
  /* Sizes that change from trip to trip must not pile up: the cache may double what the run needs, no more. */
  if (e->sanitizer) nr_sanitize_freed(e, b);
  else if (a->live_bytes + a->cached_bytes + (int64_t)b->capacity > 2 * a->peak_bytes + (1 << 20))
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
  unlink_live(b);
  a->live_bytes -= (int64_t)b->size;
  nr_sanitize_freed(e, b);
  return moved;
}

/* Whether a block is as good as one of another capacity. One that loses less than an eighth stays as it is: the next
 * run asks for the size that it had at first, and then finds it among the blocks of outputs that were released. */
static bool stays(const NrBlock *b, uint32_t class, size_t capacity) {
  return class == b->size_class || (capacity < b->capacity && b->capacity - capacity < b->capacity / 8);
}

static void *realloc_locked(NrExec *e, void *data, int64_t new_size) {
  NrAllocator *a = &e->allocator;
  NrBlock *b = data_block(data);
  uint32_t class;
  size_t capacity, old_size = b->size;
  if (!is_live(b)) {
    nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "'memref.realloc' op uses memory that was freed");
    return NULL;
  }
  if (new_size < 0 || !size_class((size_t)new_size, &class, &capacity)) return refused(e, new_size);
  if (e->sanitizer) return realloc_sanitized(e, b, new_size);
  int64_t more = new_size - (int64_t)old_size;
  if (more > 0 && !within_limit(e, new_size, more)) return NULL;
  if (!stays(b, class, capacity)) {
    int64_t room = a->limit - held(a) - more;
    if (a->cached_bytes > room) purge(a, room);
    unlink_live(b);
    /* realloc remaps the pages of large blocks instead of copying them. */
    size_t offset = (size_t)((char *)b - (char *)b->base);
    char *base = realloc(b->base, offset + capacity + 2 * ALIGNMENT); /* offset is large in aligned blocks */
    if (!base) {
      link_live(a, b);
      return refused(e, new_size);
    }
    size_t aligned = -(uintptr_t)base & (ALIGNMENT - 1);
    if (aligned != offset) memmove(base + aligned, base + offset, ALIGNMENT + NR_MIN(old_size, (size_t)new_size));
    b = (NrBlock *)(void *)(base + aligned);
    b->base = base;
    b->capacity = capacity;
    b->size_class = class;
    link_live(a, b);
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
