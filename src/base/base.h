/* base.h - what all of Noria uses: status, checked sizes, memory, strings, vectors, maps.
 *
 * This folder does not depend on tensors, IR or ONNX. Nothing here prints or exits on wrong input. A failed assert or
 * missing memory ends the call into the library: see guard.h. */
#ifndef NORIA_BASE_H
#define NORIA_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define NR_PRINTF(fmt_index, first) __attribute__((format(printf, fmt_index, first)))
#define NR_UNREACHABLE() nr_assert_failed("a place that should not be reached", __FILE__, __LINE__)
#define NR_WARN_UNUSED __attribute__((warn_unused_result))
#define NR_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define NR_PRINTF(fmt_index, first)
#define NR_UNREACHABLE() nr_assert_failed("a place that should not be reached", __FILE__, __LINE__)
#define NR_WARN_UNUSED
#define NR_ALWAYS_INLINE static inline
#endif

/* Always on: Noria must not miscompile silently. A failed assert ends the call into the library with NR_ERROR_INTERNAL
 * (guard.h), not the process as with <assert.h>. */
#undef assert
#define assert(expression) ((expression) ? (void)0 : nr_assert_failed(#expression, __FILE__, __LINE__))
_Noreturn void nr_assert_failed(const char *what, const char *file, int line);

#define NR_COUNTOF(a) (sizeof(a) / sizeof((a)[0]))
#define NR_MIN(a, b) ((a) < (b) ? (a) : (b))
#define NR_MAX(a, b) ((a) > (b) ? (a) : (b))

/* ---- status ---------------------------------------------------------------------------------------------------- */

/* Returned by functions that can fail. The message, if any, went to the caller's diagnostics handler. */
typedef enum NrStatus {
  NR_OK = 0,
  NR_ERROR_INVALID,   /* the input is wrong */
  NR_ERROR_NOT_FOUND, /* a file, symbol or name does not exist */
  NR_ERROR_LIMIT,     /* a stated limit was reached */
  NR_ERROR_IO,        /* the system refused to read or write */
  NR_ERROR_INTERNAL,  /* a bug of ours, reported rather than hidden */
  NR_ERROR_MEMORY,    /* the system has no more memory */
  NR_ERROR_INTERRUPTED, /* the work was interrupted */
} NrStatus;

/* Returns the status of call from the enclosing function if it is an error. */
#define NR_TRY(call)                                                                                                   \
  do {                                                                                                                 \
    NrStatus nr_try_status_ = (call);                                                                                  \
    if (nr_try_status_) return nr_try_status_;                                                                         \
  } while (0)

/* ---- checked sizes: every product or sum of untrusted sizes goes through these; true = it fits ------------------- */

static inline bool nr_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool nr_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool nr_mul_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
/* a * b of numbers that are not negative, or INT64_MAX where it is larger. */
static inline int64_t nr_mul_i64_saturated(int64_t a, int64_t b) { return nr_mul_i64(a, b, &a) ? a : INT64_MAX; }
static inline bool nr_add_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool nr_sub_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static inline uint64_t nr_magnitude(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }
static inline uint64_t nr_gcd(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Allocators of all compiler data structures. They never return NULL: without memory, or beyond the limit of the call's
 * heap, the call into the library ends (guard.h) and what it allocated is freed. Memory is aligned to 16 bytes. Tensor
 * data is allocated by the runtime, which returns a status instead. */
void *nr_malloc(size_t size);
void *nr_calloc(size_t count, size_t size);
void *nr_realloc(void *ptr, size_t size);
/* Returns NULL without memory or beyond the heap's limit: for sizes that the compiled program determines. */
void *nr_try_calloc(size_t count, size_t size);
void nr_free(void *ptr);
_Noreturn void nr_oom(void); /* raises NR_ERROR_MEMORY */

/* Bump allocator: all of its memory is freed at once. Memory is zeroed. It is aligned to 16 bytes if its size is a
 * multiple of 16, else to 8. */
typedef struct NrArenaChunk NrArenaChunk;
typedef struct NrArena {
  char *next, *end; /* the free rest of the last chunk; end is a multiple of 16 */
  NrArenaChunk *chunk;
  size_t total; /* bytes held, for statistics and limits */
} NrArena;
void nr_arena_init(NrArena *arena);
void nr_arena_deinit(NrArena *arena);
void *nr_arena_alloc_chunk(NrArena *arena, size_t size); /* for nr_arena_alloc: in a chunk of its own, or a new one */
static inline void *nr_arena_alloc(NrArena *arena, size_t size) {
  size_t need = (size + 7) & ~(size_t)7, skip = need & 8 ? 0 : (uintptr_t)arena->next & 8;
  if (need < size || (size_t)(arena->end - arena->next) <= need + skip) return nr_arena_alloc_chunk(arena, size);
  char *p = arena->next + skip;
  arena->next = p + need;
  return p;
}
void *nr_arena_copy(NrArena *arena, const void *data, size_t size);
#define NR_NEW(arena, Type) ((Type *)nr_arena_alloc((arena), sizeof(Type)))
#define NR_NEW_ARRAY(arena, Type, count) ((Type *)nr_arena_alloc_array((arena), (count), sizeof(Type)))
void *nr_arena_alloc_array(NrArena *arena, size_t count, size_t size);

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* A view of bytes; not owned, and not NUL-terminated unless documented. */
typedef struct NrStr {
  const char *data;
  size_t size;
} NrStr;
#define NR_STR(literal) ((NrStr){(literal), sizeof(literal) - 1})
#define NR_STR_ARG(s) (int)(s).size, (s).data /* for "%.*s" */
/* NULL gives the empty string */
static inline NrStr nr_str(const char *c_string) {
  return c_string ? (NrStr){c_string, strlen(c_string)} : (NrStr){"", 0};
}
static inline bool nr_str_eq(NrStr a, NrStr b) {
  if (a.size != b.size || a.size == 0) return a.size == b.size;
  return a.data[0] == b.data[0] && (a.size == 1 || memcmp(a.data, b.data, a.size) == 0);
}
static inline bool nr_str_is(NrStr a, const char *c_string) { return nr_str_eq(a, nr_str(c_string)); }
bool nr_str_starts(NrStr s, const char *prefix);
bool nr_str_ends(NrStr s, const char *suffix);
int nr_str_cmp(NrStr a, NrStr b);
NrStr nr_str_copy(NrArena *arena, NrStr s); /* NUL-terminated copy */
NrStr nr_str_doubled(NrArena *arena, NrStr s, char c); /* a copy in which every c is doubled */
const char *nr_arena_printf(NrArena *arena, const char *format, ...) NR_PRINTF(2, 3);
/* Decodes the character at *p and advances *p. Returns UINT32_MAX and advances one byte if it is not UTF-8. */
uint32_t nr_utf8_take(const char **p, const char *end);
bool nr_str_is_utf8(NrStr s);
/* A number of bytes, "64" or, with a unit of K, M, G or T, "64M". False for other texts, and for NULL. */
bool nr_parse_size(const char *text, int64_t *out);
uint64_t nr_hash_bytes(const void *data, size_t size);
/* The low bits of a product, which choose the slot, do not depend on the high bits of its factors: so fold the high
 * half in. Twice, because neighbours (lines, columns) keep regular distances after one round, which makes long probe
 * runs. */
static inline uint64_t nr_hash_mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdull;
  h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53ull;
  return h ^ h >> 32;
}
/* Damerau-Levenshtein distance: letters to insert, delete, replace, or swap with a neighbour; limit + 1 if more than
 * limit. */
size_t nr_edit_distance(NrStr a, NrStr b, size_t limit);

/* Searches for the name most similar to an unknown one; candidates are added one by one. */
typedef struct NrNearest {
  NrStr wrong, best;
  size_t limit; /* a better candidate must have a smaller distance; 0: none can */
} NrNearest;
NrNearest nr_nearest(NrStr wrong); /* finds nothing for a single letter */
void nr_nearest_try(NrNearest *n, NrStr candidate);
/* Format and arguments for "; did you mean 'x'?" at the end of a message; empty without a candidate. */
#define NR_HINT "%s%.*s%s"
#define NR_HINT_ARG(n)                                                                                                 \
  (n).best.size ? "; did you mean '" : "", NR_STR_ARG((n).best), (n).best.size ? "'?" : ""

/* A growing byte string, always NUL-terminated. */
typedef struct NrBuf {
  char *data;
  size_t size, capacity;
} NrBuf;
void nr_buf_deinit(NrBuf *buf);
void nr_buf_reserve(NrBuf *buf, size_t extra); /* reserves room for extra more bytes */
void nr_buf_append(NrBuf *buf, const void *data, size_t size);
void nr_buf_str(NrBuf *buf, NrStr s);
void nr_buf_puts(NrBuf *buf, const char *c_string);
void nr_buf_putc(NrBuf *buf, char c);
void nr_buf_printf(NrBuf *buf, const char *format, ...) NR_PRINTF(2, 3);
void nr_buf_vprintf(NrBuf *buf, const char *format, va_list args);

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

/* NR_VEC(T) v = {0}; nr_vec_push(&v, x); v.data[i]; nr_vec_deinit(&v); */
#define NR_VEC(Type)                                                                                                   \
  struct {                                                                                                             \
    Type *data;                                                                                                        \
    size_t size, capacity;                                                                                             \
  }
#define nr_vec_push(v, item)                                                                                           \
  ((v)->size == (v)->capacity                                                                                          \
       ? (void)((v)->data = nr_vec_grow((v)->data, &(v)->capacity, (v)->size + 1, sizeof(*(v)->data)))                 \
       : (void)0,                                                                                                      \
   (void)((v)->data[(v)->size++] = (item)))
#define nr_vec_reserve(v, count)                                                                                       \
  ((count) > (v)->capacity                                                                                             \
       ? (void)((v)->data = nr_vec_grow((v)->data, &(v)->capacity, (count), sizeof(*(v)->data)))                       \
       : (void)0)
#define nr_vec_pop(v) ((v)->data[--(v)->size])
#define nr_vec_last(v) ((v)->data[(v)->size - 1])
#define nr_vec_deinit(v) (nr_free((v)->data), (v)->data = NULL, (v)->size = (v)->capacity = 0)
void *nr_vec_grow(void *data, size_t *capacity, size_t at_least, size_t item_size);

/* ---- maps ------------------------------------------------------------------------------------------------------- */

/* Pointer -> pointer-sized value. Keys are never NULL. Zero-initialise; nr_map_deinit frees. */
typedef struct NrMap {
  struct NrMapSlot *slots;
  size_t size, capacity;
} NrMap;
void nr_map_deinit(NrMap *map);
void nr_map_clear(NrMap *map);
void nr_map_set(NrMap *map, const void *key, void *value);
void *nr_map_get(const NrMap *map, const void *key); /* NULL when absent */
bool nr_map_has(const NrMap *map, const void *key);
bool nr_map_remove(NrMap *map, const void *key);

/* String -> pointer-sized value. Keys are views: they must outlive the map. */
typedef struct NrStrMap {
  struct NrStrMapSlot *slots;
  size_t size, capacity;
} NrStrMap;
void nr_strmap_deinit(NrStrMap *map);
void nr_strmap_clear(NrStrMap *map);
void nr_strmap_set(NrStrMap *map, NrStr key, void *value);
void *nr_strmap_add(NrStrMap *map, NrStr key, void *value); /* the key's old value, which is kept; NULL if it was new */
void *nr_strmap_get(const NrStrMap *map, NrStr key); /* NULL when absent */
bool nr_strmap_has(const NrStrMap *map, NrStr key);
bool nr_strmap_remove(NrStrMap *map, NrStr key);

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Reads a whole file (path "-" = standard input) into out, a buffer that the caller deinits. */
NR_WARN_UNUSED NrStatus nr_file_read(const char *path, NrBuf *out);
/* The path with symbolic links resolved, for nr_free; NULL, with errno set, when there is no such file. */
char *nr_file_real_path(const char *path);
/* Replaces a file atomically (new_file.h; "-" = standard output), following symbolic links. An existing file that is
 * not a regular one (/dev/null) is written in place. Sets errno when it fails. */
NR_WARN_UNUSED NrStatus nr_file_write(const char *path, const void *data, size_t size);
NR_WARN_UNUSED NrStatus nr_file_write_parts(const char *path, const NrStr *parts, size_t count); /* one after another */

/* Nanoseconds of a monotonic clock. */
int64_t nr_now_ns(void);
/* Whether the calling thread's stack is nearly full, so that a recursive function must stop. */
bool nr_stack_is_low(void);

#endif
