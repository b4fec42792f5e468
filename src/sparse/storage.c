/* storage.c - from entries to the arrays of levels; see storage.h. */
#include "sparse/storage.h"

#include <stdlib.h>

#include "noria/exec_abi.h"

void nr_sparse_entries_deinit(NrSparseEntries *entries) {
  nr_vec_deinit(&entries->coordinates);
  nr_vec_deinit(&entries->lines);
  nr_vec_deinit(&entries->floats);
  nr_vec_deinit(&entries->ints);
}

size_t nr_sparse_entries_count(const NrSparseEntries *entries) {
  return entries->is_int ? entries->ints.size : entries->floats.size;
}

void nr_sparse_storage_deinit(NrSparseStorage *storage) {
  for (size_t l = 0; l < NR_SPARSE_MAX_ORDER; l++) {
    nr_vec_deinit(&storage->positions[l]);
    nr_vec_deinit(&storage->coordinates[l]);
  }
  nr_vec_deinit(&storage->values);
}

/* Entries in the order of the levels, and the parts of them that are below each position of a level. */
typedef struct Builder {
  const NrSparseEntries *entries;
  const NrSparseFormat *format;
  size_t *sorted;
  size_t line;         /* in the file, of the entry that is wrong; 0: no entry is, or it has no line */
  NR_VEC(size_t) ends; /* of the parts of the level above; each begins where the one before ends */
} Builder;

static int64_t coordinate(const Builder *b, size_t place, size_t l) {
  return b->entries->coordinates.data[b->sorted[place] * b->entries->order + b->format->dims[l]];
}

static int compare(const void *x, const void *y, void *user) {
  const Builder *b = user;
  const int64_t *p = b->entries->coordinates.data + *(const size_t *)x * b->entries->order;
  const int64_t *q = b->entries->coordinates.data + *(const size_t *)y * b->entries->order;
  for (size_t l = 0; l < b->format->order; l++) {
    size_t d = b->format->dims[l];
    if (p[d] != q[d]) return p[d] < q[d] ? -1 : 1;
  }
  return 0;
}

static NrStatus sort(NrArena *arena, Builder *b, NrSparseError *error) {
  size_t count = nr_sparse_entries_count(b->entries);
  b->sorted = nr_calloc(count + 1, sizeof *b->sorted);
  for (size_t i = 0; i < count; i++) b->sorted[i] = i;
  qsort_r(b->sorted, count, sizeof *b->sorted, compare, b);
  for (size_t i = 1; i < count; i++) {
    if (compare(&b->sorted[i - 1], &b->sorted[i], b)) continue;
    const char *at = "";
    int first = b->entries->lines.size ? 1 : 0; /* files with lines count coordinates from 1 */
    if (first) b->line = NR_MAX(b->entries->lines.data[b->sorted[i - 1]], b->entries->lines.data[b->sorted[i]]);
    for (size_t d = 0; d < b->entries->order; d++) {
      int64_t c = b->entries->coordinates.data[b->sorted[i] * b->entries->order + d];
      at = nr_arena_printf(arena, "%s%s%lld", at, d ? ", " : "", (long long)c + first);
    }
    return nr_sparse_fail(arena, error, 0, "two entries are at (%s), counted from %d", at, first);
  }
  return NR_OK;
}

/* All coordinates below each position. */
static NrStatus dense_level(NrArena *arena, Builder *b, size_t l, NrSparseError *error) {
  int64_t size = b->entries->dims[b->format->dims[l]], total;
  NR_VEC(size_t) ends = {0};
  if (!nr_mul_i64((int64_t)b->ends.size, size, &total) || total > NORIA_MAX_ELEMENTS)
    return nr_sparse_fail(arena, error, 0, "%zu times %lld elements are too many", b->ends.size, (long long)size);
  void *memory = nr_try_calloc((size_t)total + 1, sizeof(size_t)); /* nr_vec_reserve would end without an error here */
  if (!memory)
    return nr_sparse_fail(arena, error, 0, "level %zu is dense and has %lld positions, for which there is no memory", l,
                          (long long)total);
  nr_free(memory);
  nr_vec_reserve(&ends, (size_t)total);
  for (size_t i = 0, at = 0; i < b->ends.size; i++)
    for (int64_t c = 0; c < size; c++) {
      while (at < b->ends.data[i] && coordinate(b, at, l) == c) at++;
      nr_vec_push(&ends, at);
    }
  nr_vec_deinit(&b->ends);
  memcpy(&b->ends, &ends, sizeof ends);
  return NR_OK;
}

/* The coordinates of entries; all of them where they may repeat. A singleton below a level whose coordinates do not
 * repeat has one below each of these. */
static NrStatus sparse_level(NrArena *arena, Builder *b, size_t l, NrSparseStorage *out, NrSparseError *error) {
  bool repeats = nr_sparse_level_repeats(b->format, l), is_singleton = b->format->kinds[l] == NR_LEVEL_SINGLETON;
  bool is_single = is_singleton && !nr_sparse_level_repeats(b->format, l - 1);
  NR_VEC(size_t) ends = {0};
  if (!is_singleton) nr_vec_push(&out->positions[l], 0);
  NrStatus status = NR_OK;
  for (size_t i = 0, at = 0; i < b->ends.size && !status; i++) {
    size_t before = ends.size;
    while (at < b->ends.data[i]) {
      int64_t c = coordinate(b, at, l);
      nr_vec_push(&out->coordinates[l], c);
      do at++;
      while (!repeats && at < b->ends.data[i] && coordinate(b, at, l) == c);
      nr_vec_push(&ends, at);
    }
    if (!is_singleton) nr_vec_push(&out->positions[l], (int64_t)ends.size);
    if (is_single && ends.size != before + 1)
      status = nr_sparse_fail(arena, error, 0, "level %zu, a singleton, stores one coordinate for each position of the "
                              "level above; position %zu has %zu", l, i, ends.size - before);
  }
  nr_vec_deinit(&b->ends);
  memcpy(&b->ends, &ends, sizeof ends);
  return status;
}

static NrStatus store(NrArena *arena, Builder *b, NrSparseStorage *out, NrSparseError *error) {
  NR_TRY(sort(arena, b, error));
  nr_vec_push(&b->ends, nr_sparse_entries_count(b->entries));
  for (size_t l = 0; l < b->format->order; l++) {
    if (b->format->kinds[l] == NR_LEVEL_DENSE) NR_TRY(dense_level(arena, b, l, error));
    else NR_TRY(sparse_level(arena, b, l, out, error));
  }
  for (size_t i = 0, at = 0; i < b->ends.size; at = b->ends.data[i++])
    nr_vec_push(&out->values, at < b->ends.data[i] ? (int64_t)b->sorted[at] : -1);
  return NR_OK;
}

NrStatus nr_sparse_store(NrArena *arena, const NrSparseEntries *entries, const NrSparseFormat *format,
                         NrSparseStorage *out, size_t *out_line, NrSparseError *error) {
  Builder b = {.entries = entries, .format = format};
  *out = (NrSparseStorage){0};
  *error = (NrSparseError){0};
  NrStatus status = store(arena, &b, out, error);
  *out_line = b.line;
  nr_free(b.sorted);
  nr_vec_deinit(&b.ends);
  if (status) nr_sparse_storage_deinit(out);
  return status;
}
