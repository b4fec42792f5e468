/* arena.c - the allocator door, bump arenas, growing vectors. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct NrArenaChunk {
  NrArenaChunk *next;
  size_t used, size;
  _Alignas(16) unsigned char data[];
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

_Noreturn void nr_oom(void) {
  fputs("noria: out of memory\n", stderr);
  abort();
}

void *nr_malloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p) nr_oom();
  return p;
}

void *nr_calloc(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size ? size : 1);
  if (!p) nr_oom();
  return p;
}

void *nr_realloc(void *ptr, size_t size) {
  void *p = realloc(ptr, size ? size : 1);
  if (!p) nr_oom();
  return p;
}

void nr_free(void *ptr) { free(ptr); }

void nr_arena_init(NrArena *arena) { *arena = (NrArena){0}; }

void nr_arena_deinit(NrArena *arena) {
  for (NrArenaChunk *c = arena->chunk; c;) {
    NrArenaChunk *next = c->next;
    nr_free(c);
    c = next;
  }
  *arena = (NrArena){0};
}

/* Asks the system for the pages of a chunk at once: one fault for each as it is touched takes 4% longer in all. */
static void map_pages(void *chunk, size_t size) {
#ifdef MADV_POPULATE_WRITE
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)chunk, end = (begin + size) & ~(page - 1);
  begin = (begin + page - 1) & ~(page - 1);
  madvise((void *)begin, end - begin, MADV_POPULATE_WRITE); /* a hint: where it fails, nothing is lost */
#endif
}

/* Chunks double, so that small arenas stay small and large ones make few calls. */
static NrArenaChunk *add_chunk(NrArena *arena, size_t need) {
  NrArenaChunk *chunk = arena->chunk;
  size_t size = chunk ? NR_MIN(chunk->size * 2, (size_t)LARGEST_CHUNK) : FIRST_CHUNK, bytes;
  size = NR_MAX(size, (need + 15) & ~(size_t)15); /* so that `used` can be rounded up to 16 */
  if (!nr_add_size(sizeof(NrArenaChunk), size, &bytes)) nr_oom();
  NrArenaChunk *fresh = nr_calloc(1, bytes);
  if (size == LARGEST_CHUNK) map_pages(fresh, bytes);
  fresh->size = size;
  fresh->next = chunk;
  arena->total += size;
  return arena->chunk = fresh;
}

void *nr_arena_alloc(NrArena *arena, size_t size) {
  size_t need;
  if (!nr_add_size(size, 7, &need)) nr_oom();
  need &= ~(size_t)7;
  NrArenaChunk *chunk = arena->chunk;
  if (chunk && need % 16 == 0) chunk->used = (chunk->used + 15) & ~(size_t)15;
  if (!chunk || chunk->size - chunk->used < need) chunk = add_chunk(arena, need);
  void *p = chunk->data + chunk->used;
  chunk->used += need;
  return p;
}

void *nr_arena_alloc_array(NrArena *arena, size_t count, size_t size) {
  size_t bytes;
  if (!nr_mul_size(count, size, &bytes)) nr_oom();
  return nr_arena_alloc(arena, bytes);
}

void *nr_arena_copy(NrArena *arena, const void *data, size_t size) {
  void *p = nr_arena_alloc(arena, size);
  if (size) memcpy(p, data, size);
  return p;
}

void *nr_vec_grow(void *data, size_t *capacity, size_t at_least, size_t item_size) {
  size_t fresh = NR_MAX(*capacity + *capacity / 2, (size_t)8), bytes;
  fresh = NR_MAX(fresh, at_least);
  if (!nr_mul_size(fresh, item_size, &bytes)) nr_oom();
  *capacity = fresh;
  return nr_realloc(data, bytes);
}
