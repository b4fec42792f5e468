/* arena.c - bump arenas, growing vectors. */
#include "base/base.h"

struct NrArenaChunk {
  NrArenaChunk *next;
  size_t bytes; /* with this head, whose size is a multiple of 16 */
};
_Static_assert(sizeof(NrArenaChunk) % 16 == 0, "what follows the head of a chunk is aligned");

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

void nr_arena_init(NrArena *arena) { *arena = (NrArena){0}; }

void nr_arena_deinit(NrArena *arena) {
  for (NrArenaChunk *c = arena->chunk; c;) {
    NrArenaChunk *next = c->next;
    nr_free(c);
    c = next;
  }
  *arena = (NrArena){0};
}

/* Chunks double, so that small arenas stay small and large ones make few calls. */
void *nr_arena_alloc_chunk(NrArena *arena, size_t size) {
  NrArenaChunk *last = arena->chunk;
  size_t bytes;
  if (!nr_add_size(size, sizeof(NrArenaChunk) + 31, &bytes)) nr_oom(); /* nr_arena_alloc never fills a chunk */
  bytes = NR_MAX(bytes & ~(size_t)15, last ? NR_MIN(last->bytes * 2, (size_t)LARGEST_CHUNK) : FIRST_CHUNK);
  NrArenaChunk *chunk = nr_calloc(1, bytes);
  *chunk = (NrArenaChunk){.next = last, .bytes = bytes};
  arena->chunk = chunk;
  arena->next = (char *)(chunk + 1);
  arena->end = (char *)chunk + bytes;
  arena->total += bytes;
  return nr_arena_alloc(arena, size);
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
